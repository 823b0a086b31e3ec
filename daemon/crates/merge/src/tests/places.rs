//! Parts by units: what says where new lines go, and what a part rewrites away.

use super::by_structure::{Case, check_cases};
use crate::{Part, Reason, merge};

const TALLY: &str = "class Tally:\n    def fill(self):\n        \"\"\"Fill it.\"\"\"\n        self.rows.clear()\n        self.names = [\"label\", \"amount\"]\n        self.rows.load()\n        self.count = len(self.rows)\n";

const ANCHORS: &[Case] = &[
    (
        "new elements in front of an end tag",
        "html",
        "<html>\n<body>\n  <main>\n    <h1>Log</h1>\n  </main>\n</body>\n</html>\n",
        "  <aside class=\"hint\">\n    <p>New</p>\n  </aside>\n</body>\n",
        Ok(
            "<html>\n<body>\n  <main>\n    <h1>Log</h1>\n  </main>\n  <aside class=\"hint\">\n    <p>New</p>\n  </aside>\n</body>\n</html>\n",
        ),
    ),
    (
        "new elements in front of two end tags",
        "xml",
        "<site>\n  <pages>\n    <page id=\"a\"/>\n  </pages>\n</site>\n",
        "    <page id=\"b\"/>\n  </pages>\n</site>\n",
        Ok("<site>\n  <pages>\n    <page id=\"a\"/>\n    <page id=\"b\"/>\n  </pages>\n</site>\n"),
    ),
    (
        "a new method in front of the brace of the only class",
        "java",
        "package a;\n\npublic class Shelf {\n    private int size;\n\n    public int size() {\n        return size;\n    }\n}\n",
        "    public boolean isEmpty() {\n        return size == 0;\n    }\n}\n",
        Ok(
            "package a;\n\npublic class Shelf {\n    private int size;\n\n    public int size() {\n        return size;\n    }\n\n    public boolean isEmpty() {\n        return size == 0;\n    }\n}\n",
        ),
    ),
    (
        "a new function in front of the head of another",
        "py",
        "def load():\n    read()\n    return 1\n\n\ndef save():\n    write()\n    flush()\n    return 2\n",
        "def check():\n    return 0\n\n\ndef save():\n",
        Ok(
            "def load():\n    read()\n    return 1\n\n\ndef check():\n    return 0\n\n\ndef save():\n    write()\n    flush()\n    return 2\n",
        ),
    ),
    (
        "a new method in front of a brace that may be of several classes",
        "java",
        "class A {\n    int a() {\n        return 1;\n    }\n}\n\nclass B {\n    int b() {\n        return 2;\n    }\n}\n",
        "    int c() {\n        return 3;\n    }\n}\n",
        Err(Reason::NoPlace),
    ),
];

#[test]
fn regression_new_lines_go_in_front_of_the_line_that_the_part_ends_with() {
    check_cases(ANCHORS);
}

const REWRITTEN: &[Case] = &[
    (
        "a private method that nothing calls any more",
        "dart",
        "class _FormState extends State<Form> {\n  final key = Key();\n  String _name = '';\n\n  void _send() {\n    check(key);\n    send(_name);\n  }\n\n  @override\n  Widget build(BuildContext context) {\n    return Button(onPressed: _send);\n  }\n}\n",
        "class _FormState extends State<Form> {\n  final key = Key();\n  final name = Controller();\n\n  @override\n  Widget build(BuildContext context) {\n    return Button(onPressed: () => send(name.text));\n  }\n}\n",
        Ok(
            "class _FormState extends State<Form> {\n  final key = Key();\n  final name = Controller();\n\n  @override\n  Widget build(BuildContext context) {\n    return Button(onPressed: () => send(name.text));\n  }\n}\n",
        ),
    ),
    (
        "a function in a function that nothing calls any more",
        "jsx",
        "export function Basket() {\n  const [open, setOpen] = useState(false);\n\n  function flip() {\n    setOpen(!open);\n  }\n\n  return (\n    <button onClick={flip}>{open}</button>\n  );\n}\n",
        "export function Basket() {\n  const { open, turn } = useBasket();\n\n  return (\n    <button onClick={turn}>{open}</button>\n  );\n}\n",
        Ok(
            "export function Basket() {\n  const { open, turn } = useBasket();\n\n  return (\n    <button onClick={turn}>{open}</button>\n  );\n}\n",
        ),
    ),
    (
        "a public method that nothing in the file calls",
        "java",
        "class A {\n    int one() {\n        return 1;\n    }\n\n    int two() {\n        return 2;\n    }\n\n    int three() {\n        return 3;\n    }\n}\n",
        "class A {\n    int one() {\n        return 11;\n    }\n\n    int three() {\n        return 33;\n    }\n}\n",
        Err(Reason::Loses),
    ),
    (
        "a private method that a method beside it still calls",
        "py",
        "class A:\n    def load(self):\n        return self._read(1)\n\n    def _read(self, path):\n        return path\n\n    def save(self):\n        return self._read(2)\n",
        "class A:\n    def load(self):\n        return 1\n\n    def save(self):\n        return self._read(3)\n",
        Err(Reason::Loses),
    ),
];

#[test]
fn regression_a_private_definition_goes_with_the_last_line_that_uses_it() {
    check_cases(REWRITTEN);
}

const MATCHED: &[Case] = &[
    (
        "two loops of the part with the head of one of the file",
        "py",
        "def fill(self):\n    self.rows.clear()\n    for name in self.names:\n        check(name)\n        self.columns.append(name)\n        self.seen.add(name)\n        self.log.append(name)\n    self.count = 1\n",
        "def fill(self):\n    self.rows.clear()\n\n    keep = []\n    for name in self.names:\n        keep.append(name)\n    self.names = keep\n\n    for name in self.names:\n        check(name, 2)\n        self.columns.append(name)\n        self.seen.add(name)\n        self.log.append(name)\n\n    # ... rest of the method ...\n",
        Ok(
            "def fill(self):\n    self.rows.clear()\n\n    keep = []\n    for name in self.names:\n        keep.append(name)\n    self.names = keep\n\n    for name in self.names:\n        check(name, 2)\n        self.columns.append(name)\n        self.seen.add(name)\n        self.log.append(name)\n    self.count = 1\n",
        ),
    ),
    (
        "a statement that moves into a branch in front of a marker",
        "py",
        TALLY,
        "def fill(self):\n    \"\"\"Fill it.\"\"\"\n    self.rows.clear()\n    if self.width == 2:\n        self.names = [\"label\", \"amount\"]\n    else:\n        self.names = []\n\n    # ... rest of the method ...\n",
        Ok(
            "class Tally:\n    def fill(self):\n        \"\"\"Fill it.\"\"\"\n        self.rows.clear()\n        if self.width == 2:\n            self.names = [\"label\", \"amount\"]\n        else:\n            self.names = []\n        self.rows.load()\n        self.count = len(self.rows)\n",
        ),
    ),
    (
        "a statement that moves into a block behind a marker",
        "js",
        "function run(page) {\n  open(page);\n  fetchAll(page.rows);\n  close(page);\n}\n",
        "function run(page) {\n  // ... existing code ...\n  try {\n    fetchAll(page.rows);\n  } catch (error) {\n    log(error);\n  }\n  close(page);\n}\n",
        Ok(
            "function run(page) {\n  open(page);\n  try {\n    fetchAll(page.rows);\n  } catch (error) {\n    log(error);\n  }\n  close(page);\n}\n",
        ),
    ),
    (
        "a key at the margin, and a deeper one of its name",
        "yaml",
        "dependencies:\n  flutter:\n    sdk: flutter\n  icons: 1\n\nflutter:\n  design: true\n",
        "flutter:\n  assets:\n    - images/\n",
        Ok(
            "dependencies:\n  flutter:\n    sdk: flutter\n  icons: 1\n\nflutter:\n  design: true\n  assets:\n    - images/\n",
        ),
    ),
    (
        "new keys with a remark",
        "yaml",
        "name: app\ndependencies:\n  icons: 1\n\ntools:\n  lints: 5\n",
        "dependencies:\n  provider: 6\n  store: 2\n  # none to generate\n",
        Ok(
            "name: app\ndependencies:\n  icons: 1\n  provider: 6\n  store: 2\n  # none to generate\n\ntools:\n  lints: 5\n",
        ),
    ),
    (
        "one line that is another form of one of the file",
        "rc",
        "BEGIN\n    VALUE \"CompanyName\", \"org.example\" \"\\0\"\n    VALUE \"ProductName\", \"tides\" \"\\0\"\nEND\n",
        "VALUE \"ProductName\", \"The Tides\"\n",
        Ok(
            "BEGIN\n    VALUE \"CompanyName\", \"org.example\" \"\\0\"\n    VALUE \"ProductName\", \"The Tides\"\nEND\n",
        ),
    ),
    (
        "one line that may be another form of two",
        "rc",
        "BEGIN\n    VALUE \"Name1\", \"tides\" \"\\0\"\n    VALUE \"Name2\", \"tides\" \"\\0\"\nEND\n",
        "VALUE \"Name3\", \"tides\" \"\\0\"\n",
        Err(Reason::NoPlace),
    ),
    (
        "properties in front of the marker of a rule",
        "css",
        ".button {\n  color: black;\n  font-family: serif;\n  border: 2px solid;\n}\n",
        ".button {\n  font-family: 'Plus', sans-serif;\n  font-weight: 500;\n  /* ... other styles ... */\n}\n",
        Ok(
            ".button {\n  color: black;\n  font-family: 'Plus', sans-serif;\n  font-weight: 500;\n  border: 2px solid;\n}\n",
        ),
    ),
    (
        "a property that another rule has",
        "css",
        ".head {\n  color: white;\n}\n\n.button {\n  transition: all 0.3s ease;\n}\n",
        ".head {\n  color: white;\n  transition: all 0.3s ease;\n}\n",
        Ok(
            ".head {\n  color: white;\n  transition: all 0.3s ease;\n}\n\n.button {\n  transition: all 0.3s ease;\n}\n",
        ),
    ),
    (
        "the frame of one member with the marker in it",
        "ts",
        "export interface Probe {\n  name?: string\n  device?: {\n    network?: string\n    screen?: string\n  }\n}\n",
        "export interface Probe {\n  device?: {\n    // ... existing properties ...\n    cores?: number\n  }\n}\n",
        Ok(
            "export interface Probe {\n  name?: string\n  device?: {\n    network?: string\n    screen?: string\n    cores?: number\n  }\n}\n",
        ),
    ),
    (
        "the comment above a shown unit, below new ones",
        "ts",
        "import { C } from './c'\n\nexport const config: C = {\n  name: 'a',\n}\n",
        "import { C } from './c'\n\n// Marks code\nfunction mark(text: string) {\n  return text\n}\n\n// Then the configuration:\nexport const config: C = {\n  name: 'b',\n}\n",
        Ok(
            "import { C } from './c'\n\n// Marks code\nfunction mark(text: string) {\n  return text\n}\n\n// Then the configuration:\nexport const config: C = {\n  name: 'b',\n}\n",
        ),
    ),
    (
        "other keys of a call of that name",
        "exs",
        "import Config\n\nconfig :depot,\n  repos: [Depot.Repo],\n  generators: [a: 1]\n",
        "# ...existing code...\n\nconfig :depot,\n  tax_id: \"1\",\n  account: \"2\"\n\n# ...existing code...\n",
        Err(Reason::Loses),
    ),
    (
        "a call with an arrow among its arguments is no definition",
        "dart",
        "class A {\n  Widget build() {\n    return Column(\n      children: [\n        Field(saved: (value) => keep(value)),\n        Text('a'),\n      ],\n    );\n  }\n}\n",
        "Widget build() {\n  return Column(\n    children: [\n      Field(controller: name),\n      Text('a'),\n    ],\n  );\n}\n",
        Ok(
            "class A {\n  Widget build() {\n    return Column(\n      children: [\n        Field(controller: name),\n        Text('a'),\n      ],\n    );\n  }\n}\n",
        ),
    ),
    (
        "a body of one statement, which changes",
        "js",
        "const saveAll = () => {\n  localStorage.setItem('marks', JSON.stringify(marks))\n}\nconst other = 1\n",
        "const saveAll = () => {\n  localStorage.setItem(key, JSON.stringify(marks))\n}\n",
        Ok(
            "const saveAll = () => {\n  localStorage.setItem(key, JSON.stringify(marks))\n}\nconst other = 1\n",
        ),
    ),
];

#[test]
fn regression_units_find_their_place() {
    check_cases(MATCHED);
}

const MISPLACED: &[Case] = &[
    (
        "a call between two markers of a function",
        "ts",
        "function toText(rows: Row[]) {\n  const machine = new Machine({ style: \"plain\" });\n\n  machine.addRule(\"list\", {\n    match: \"li\",\n    render: function (content, node) {\n      return list(content);\n    },\n  });\n\n  let text = \"\";\n  for (const row of rows) {\n    text += machine.run(row);\n  }\n\n  return text;\n}\n\nclass Core {\n  run() {\n    return 1;\n  }\n}\n",
        "function toText(rows: Row[]) {\n  const machine = new Machine({ style: \"plain\" });\n\n  // ... existing rules ...\n\n  machine.addRule(\"code\", {\n    match: \"pre\",\n    render: function (content, node) {\n      return code(content);\n    },\n  });\n\n  // ... rest of the function ...\n}\n",
        Ok(
            "function toText(rows: Row[]) {\n  const machine = new Machine({ style: \"plain\" });\n\n  machine.addRule(\"list\", {\n    match: \"li\",\n    render: function (content, node) {\n      return list(content);\n    },\n  });\n\n  machine.addRule(\"code\", {\n    match: \"pre\",\n    render: function (content, node) {\n      return code(content);\n    },\n  });\n\n  let text = \"\";\n  for (const row of rows) {\n    text += machine.run(row);\n  }\n\n  return text;\n}\n\nclass Core {\n  run() {\n    return 1;\n  }\n}\n",
        ),
    ),
    (
        "a call of which the function has none",
        "js",
        "function run(app) {\n  const x = make();\n  return x;\n}\n",
        "function run(app) {\n  // ... existing code ...\n  app.on(\"end\", () => {\n    stop();\n  });\n  // ... existing code ...\n}\n",
        Err(Reason::NoPlace),
    ),
    (
        "a marker behind the links of a chain",
        "ex",
        "defmodule A do\n  def changeset(order, attrs) do\n    order\n    |> cast(attrs, [:count])\n    |> required([:count])\n    |> check(:count)\n    |> check(:weight)\n  end\nend\n",
        "def changeset(order, attrs) do\n  order\n  |> cast(attrs, [:count, :kind])\n  |> required([:count, :kind])\n  |> among(:kind)\n  # ...existing code...\nend\n",
        Ok(
            "defmodule A do\n  def changeset(order, attrs) do\n    order\n    |> cast(attrs, [:count, :kind])\n    |> required([:count, :kind])\n    |> among(:kind)\n    |> check(:count)\n    |> check(:weight)\n  end\nend\n",
        ),
    ),
    (
        "aliases that the part does not show",
        "ex",
        "defmodule A do\n  use Web, :view\n\n  alias D.Ledger\n  alias D.Sales\n\n  def mount(socket) do\n    {:ok, socket}\n  end\n\n  def total(rows), do: Ledger.sum(rows) + Sales.sum(rows)\nend\n",
        "defmodule A do\n  use Web, :view\n  alias D.Orders\n\n  def mount(socket) do\n    {:ok, Orders.meta(socket)}\n  end\n\n  # ...existing code...\nend\n",
        Ok(
            "defmodule A do\n  use Web, :view\n\n  alias D.Ledger\n  alias D.Sales\n  alias D.Orders\n\n  def mount(socket) do\n    {:ok, Orders.meta(socket)}\n  end\n\n  def total(rows), do: Ledger.sum(rows) + Sales.sum(rows)\nend\n",
        ),
    ),
    (
        "aliases that the part does not show, by lines",
        "ex",
        "defmodule A do\n  use Web, :view\n\n  alias D.Ledger\n  alias D.Sales\n\n  import D.Money\n\n  def mount(socket) do\n    {:ok,\n     socket\n     |> assign(:title, \"Export\")\n     |> load()}\n  end\n\n  def total(rows), do: Ledger.sum(rows) + Sales.sum(rows)\nend\n",
        "defmodule A do\n  use Web, :view\n  alias D.Orders\n\n  def mount(socket) do\n    {:ok,\n     socket\n     |> assign(:title, \"Export\")\n     |> assign(:meta, Orders.meta())\n     |> load()}\n  end\n\n  # ...existing code...\nend\n",
        Ok(
            "defmodule A do\n  use Web, :view\n\n  alias D.Ledger\n  alias D.Sales\n  alias D.Orders\n\n  import D.Money\n\n  def mount(socket) do\n    {:ok,\n     socket\n     |> assign(:title, \"Export\")\n     |> assign(:meta, Orders.meta())\n     |> load()}\n  end\n\n  def total(rows), do: Ledger.sum(rows) + Sales.sum(rows)\nend\n",
        ),
    ),
    (
        "signs of a diff in a listing with a marker",
        "ts",
        "export interface Probe {\n  name?: string\n  device?: {\n    network?: string\n  }\n}\n",
        "export interface Probe {\n  // ... other properties\n  device?: {\n    network?: string\n+   cores?: number\n  }\n}\n",
        Err(Reason::Breaks),
    ),
    (
        "what the file has, with imports between",
        "py",
        "from app import db  # the session\nfrom tools import seal, same  # codes\nfrom datetime import datetime\nimport zones\n\nclass Guest(Base):\n    id = db.one()\n\n    def set(self, code):\n        self.code = seal(code)\n",
        "from tools import seal, same\n\nclass Guest(Base):\n    # ...fields...\n    def set(self, code):\n        self.code = seal(code)\n",
        Err(Reason::AlreadyThere),
    ),
    (
        "an import of another name for a package",
        "go",
        "package s\n\nimport (\n\t\"errors\"\n\t\"io\"\n)\n\ntype F struct {\n\tout io.Writer\n\terr error\n}\n\nvar e = errors.New(\"x\")\n",
        "// ...\nimport (\n\t\"errors\"\n\tgoflag \"flag\"\n\t\"io\"\n)\n\ntype F struct {\n\tout io.Writer\n\terr error\n\tflags []*goflag.Set\n}\n\n// ...\n",
        Ok(
            "package s\n\nimport (\n\t\"errors\"\n\tgoflag \"flag\"\n\t\"io\"\n)\n\ntype F struct {\n\tout io.Writer\n\terr error\n\tflags []*goflag.Set\n}\n\nvar e = errors.New(\"x\")\n",
        ),
    ),
    (
        "a function that would be inside of another",
        "ex",
        "defmodule A do\n  def confirm(socket) do\n    id = socket.id\n\n    socket = assign(socket, :open, false)\n\n    add(socket, id)\n  end\nend\n",
        "defp group(items) do\n  length(items)\nend\n\nsocket = assign(socket, :grouped, group(items))\n",
        Err(Reason::NoPlace),
    ),
    (
        "an import of what the file declares",
        "ts",
        "import { useState } from 'react'\n\ntype SizeKey = 1 | 2\n\ninterface Props {\n  title: string\n  size?: SizeKey\n}\n",
        "import { SizeKey } from './options'\n\ninterface Props {\n  title: string\n  size?: SizeKey\n  big: boolean\n}\n",
        Err(Reason::Breaks),
    ),
    (
        "another element with the only tag of its name",
        "tsx",
        "export function Levels({ level, pick }) {\n  return (\n    <Select\n      value={level.selected}\n      onChange={(value) => pick(value)}\n    >\n      <Trigger className=\"wide\">\n        <Value hint=\"Bar\" />\n      </Trigger>\n    </Select>\n  )\n}\n",
        "// ... existing code ...\n<Select\n  value={chosen}\n  onChange={setChosen}\n>\n  <Trigger className=\"focus\">\n    <Value hint=\"Choose\" />\n  </Trigger>\n</Select>\n// ... existing code ...\n",
        Err(Reason::NoPlace),
    ),
    (
        "statements of another state of the function",
        "js",
        "export async function crawl(page) {\n  const html = await page.content();\n  const { text, names } = keep(html);\n\n  const dom = new Tree(text);\n  const before = dom.body;\n  const size = before.length;\n\n  const article = read(dom);\n  let body = article.content;\n\n  await follow(page);\n}\n",
        "  const html = await page.content();\n  const dom = new Tree(html);\n  const article = read(dom);\n  await follow(page);\n",
        Err(Reason::Loses),
    ),
    (
        "a method that ends with new lines, without its last loop",
        "py",
        "class A:\n    def mark(self):\n        i = 0\n        name = self.cells[i].row()\n        while self.cells[i].row() == name:\n            self.cells[i].mark()\n            i += 1\n",
        "def mark(self):\n    if not self.cells:\n        return\n    i = 0\n    name = self.cells[i].row()\n    print(name)\n",
        Err(Reason::Loses),
    ),
    (
        "signs of a diff",
        "ts",
        "export interface Probe {\n  name?: string\n  size?: number\n}\n",
        "export interface Probe {\n  name?: string\n  size?: number\n+  cores?: number\n}\n",
        Err(Reason::Breaks),
    ),
    (
        "imports between a shown one and a shown class",
        "py",
        "from app import db\nfrom tools import seal, same\nfrom datetime import datetime\nimport zones\n\nclass Guest(Base):\n    id = db.one()\n\n    def set(self, code):\n        self.code = seal(code)\n",
        "from tools import seal, same\n\nclass Guest(Base):\n    # ...\n\n    def set(self, code):\n        self.code = seal(code, 2)\n",
        Ok(
            "from app import db\nfrom tools import seal, same\nfrom datetime import datetime\nimport zones\n\nclass Guest(Base):\n    id = db.one()\n\n    def set(self, code):\n        self.code = seal(code, 2)\n",
        ),
    ),
    (
        "new lines of a function with documentation",
        "py",
        TALLY,
        "def fill(self):\n    print(\"fill\")\n    # ... rest of the method ...\n",
        Ok(
            "class Tally:\n    def fill(self):\n        \"\"\"Fill it.\"\"\"\n        print(\"fill\")\n        self.rows.clear()\n        self.names = [\"label\", \"amount\"]\n        self.rows.load()\n        self.count = len(self.rows)\n",
        ),
    ),
    (
        "a list of one new key, with its frame",
        "plist",
        "<plist version=\"1.0\">\n<dict>\n\t<key>Name</key>\n\t<string>depot</string>\n</dict>\n</plist>\n",
        "<dict>\n    <key>Camera</key>\n    <string>To scan</string>\n</dict>\n",
        Ok(
            "<plist version=\"1.0\">\n<dict>\n\t<key>Name</key>\n\t<string>depot</string>\n\t<key>Camera</key>\n\t<string>To scan</string>\n</dict>\n</plist>\n",
        ),
    ),
];

#[test]
fn regression_nothing_is_put_where_it_does_not_belong() {
    check_cases(MISPLACED);
}

#[test]
fn regression_a_label_puts_lines_at_the_beginning_of_a_definition() {
    let part = |text| Part { label_says_beginning: true, ..Part::new(text, "py") };
    let expected =
        TALLY.replace("        self.rows.clear()\n", "        print(1)\n        self.rows.clear()\n");
    for text in [
        "def fill(self):\n    print(1)\n",
        "def fill(self):\n    \"\"\"Fill it.\"\"\"\n    print(1)\n",
        "def fill(self):\n    print(1)\n    self.rows.clear()\n",
    ] {
        assert_eq!(merge(TALLY, &part(text)).unwrap().text, expected, "{text}");
    }
    let file = "function save(data) {\n  check(data);\n  send(data);\n  return data;\n}\n";
    let text = "function save(data) {\n  console.log(data);\n}\n";
    let merged = merge(file, &Part { label_says_beginning: true, ..Part::new(text, "js") }).unwrap();
    assert_eq!(merged.text, file.replace("  check(data);\n", "  console.log(data);\n  check(data);\n"));
}

const ADDED: &[Case] = &[
    (
        "an entry of an enum",
        "ts",
        "export enum Kind {\n  A = 'a',\n  B = 'b',\n}\n\nexport const k = 1;\n",
        "export enum Kind {\n  A = 'a',\n  Other = 'c',\n}\n",
        Ok("export enum Kind {\n  A = 'a',\n  B = 'b',\n  Other = 'c',\n}\n\nexport const k = 1;\n"),
    ),
    (
        "an entry of a list",
        "yml",
        "services:\n  web:\n    image: web:1\n    environment:\n      - A=1\n      - LEVEL=2\n  db:\n    image: pg\n",
        "services:\n  web:\n    environment:\n      - A=1\n      - COLOR=red\n",
        Ok(
            "services:\n  web:\n    image: web:1\n    environment:\n      - A=1\n      - LEVEL=2\n      - COLOR=red\n  db:\n    image: pg\n",
        ),
    ),
    (
        "a method of the only class",
        "py",
        "class Cart:\n    def __init__(self):\n        self.items = []\n",
        "    def clear(self):\n        self.items = []\n",
        Ok(
            "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def clear(self):\n        self.items = []\n",
        ),
    ),
    (
        "a rule",
        "css",
        ".a {\n  color: red;\n}\n\n.b {\n  color: blue;\n}\n",
        ".hidden {\n  display: none;\n}\n",
        Ok(".a {\n  color: red;\n}\n\n.b {\n  color: blue;\n}\n\n.hidden {\n  display: none;\n}\n"),
    ),
    (
        "a statement among others that are not shown",
        "py",
        "def run():\n    a()\n    b()\n    c()\n",
        "def run():\n    a()\n    c()\n    d()\n",
        Ok("def run():\n    a()\n    c()\n    d()\n"),
    ),
];

#[test]
fn regression_what_is_added_removes_no_entry() {
    for (name, extension, file, part, expected) in ADDED {
        let merged = merge(file, &Part { label_says_add: true, ..Part::new(part, extension) });
        assert_eq!(
            &merged.map(|merged| merged.text).map_err(|refused| refused.reason),
            &expected.map(str::to_owned),
            "{name}"
        );
    }
}

const HIDDEN: &[Case] = &[
    (
        "a branch in the middle",
        "py",
        "def f(e):\n    if e.code == 404:\n        return None\n    elif e.code == 429:\n        sleep(60)\n    elif e.code == 500:\n        log(e)\n    else:\n        raise e\n",
        "if e.code == 404:\n    return {}\nelif e.code == 500:\n    log(e)\nelse:\n    raise e\n",
        Err(Reason::Loses),
    ),
    (
        "a branch of a statement inside",
        "py",
        "def f(url):\n    for i in range(3):\n        try:\n            return get(url)\n        except E:\n            sleep(2)\n    else:\n        raise Failed(url)\n",
        "def f(url):\n    for i in range(3):\n        try:\n            return get(url, 5)\n        except E:\n            sleep(2)\n",
        Err(Reason::Loses),
    ),
    (
        "a branch of a template",
        "html",
        "<div>\n  {% if admin %}\n  <a href=\"/admin\">Admin</a>\n  {% else %}\n  <a href=\"/me\">Me</a>\n  {% endif %}\n  <p>x</p>\n</div>\n",
        "  {% if admin %}\n  <a href=\"/admin2\">Admin</a>\n  {% endif %}\n",
        Err(Reason::Loses),
    ),
    (
        "a child that JSX computes",
        "tsx",
        "function V({ name, age }) {\n  return (\n    <div className=\"v\">\n      <h2>{name}</h2>\n      {age && <p>{age}</p>}\n      <footer>\n        <button>Close</button>\n      </footer>\n    </div>\n  );\n}\n",
        "<div className=\"v\">\n  <h1>{name}</h1>\n  <footer>\n    <button>Close</button>\n  </footer>\n</div>\n",
        Err(Reason::Loses),
    ),
    (
        "an attribute of a field",
        "rs",
        "pub struct Point {\n    pub x: i32,\n    #[serde(default)]\n    pub y: i32,\n}\n",
        "pub struct Point {\n    pub x: i64,\n    pub y: i64,\n}\n",
        Err(Reason::Loses),
    ),
    (
        "an import of a block that is in use",
        "go",
        "package s\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\nfunc A() error {\n\treturn errors.New(fmt.Sprint(1))\n}\n",
        "import (\n\t\"errors\"\n\t\"time\"\n)\n",
        Ok(
            "package s\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc A() error {\n\treturn errors.New(fmt.Sprint(1))\n}\n",
        ),
    ),
];

#[test]
fn regression_branches_children_and_attributes_do_not_go_unsaid() {
    check_cases(HIDDEN);
}

const SELECTORS: &[Case] = &[
    (
        "a rule for one of several selectors",
        "css",
        ".a,\n.b,\n.c {\n  margin: 0;\n}\n\np {\n  top: 0;\n}\n",
        ".a {\n  margin: 1em;\n}\n",
        Err(Reason::NoPlace),
    ),
    (
        "the same selectors on one line",
        "css",
        ".a,\n.b,\n.c {\n  margin: 0;\n}\n\np {\n  top: 0;\n}\n",
        ".a, .b, .c {\n  margin: 1em;\n}\n",
        Ok(".a, .b, .c {\n  margin: 1em;\n}\n\np {\n  top: 0;\n}\n"),
    ),
    (
        "a rule with the first selector and another one",
        "css",
        ".a,\n.b {\n  margin: 0;\n}\n\np {\n  top: 0;\n}\n",
        ".a,\n.d {\n  margin: 1em;\n}\n",
        Err(Reason::NoPlace),
    ),
    (
        "one more selector",
        "css",
        ".a,\n.b {\n  margin: 0;\n}\n\np {\n  top: 0;\n}\n",
        ".a,\n.b,\n.d {\n  margin: 1em;\n}\n",
        Ok(".a,\n.b,\n.d {\n  margin: 1em;\n}\n\np {\n  top: 0;\n}\n"),
    ),
    (
        "selectors inside of a rule",
        "scss",
        ".a {\n  top: 0;\n\n  &:hover,\n  &:focus {\n    color: red;\n  }\n}\n\n.b {\n  top: 0;\n}\n",
        ".a {\n  &:hover,\n  &:focus {\n    color: blue;\n  }\n}\n",
        Ok(".a {\n  top: 0;\n\n  &:hover,\n  &:focus {\n    color: blue;\n  }\n}\n\n.b {\n  top: 0;\n}\n"),
    ),
    (
        "a value of several lines",
        "css",
        "a {\n  transition: color 1s,\n    margin 2s;\n  top: 0;\n}\n\nb {\n  top: 0;\n}\n",
        "a {\n  transition: color 3s,\n    margin 4s;\n}\n",
        Ok("a {\n  transition: color 3s,\n    margin 4s;\n  top: 0;\n}\n\nb {\n  top: 0;\n}\n"),
    ),
];

#[test]
fn regression_a_rule_is_never_divided_between_its_selectors() {
    check_cases(SELECTORS);
}

#[test]
fn regression_a_call_on_a_new_object_is_no_new_form_of_one_on_another() {
    let file = "def build(self):\n    self.points = Label(self)\n    self.points.pack(1)\n\n    self.history = Label(self)\n    self.history.pack(1)\n\n    self.frame = Frame(self)\n    self.frame.pack()\n";
    let new = "    self.hint = Label(self, 2)\n    self.hint.pack(1)\n\n";
    let part = format!(
        "def build(self):\n    # ...\n\n{new}    self.frame = Frame(self)\n    self.frame.pack()\n\n    # ...\n"
    );
    let merged = merge(file, &Part::new(&part, "py")).unwrap().text;
    assert_eq!(merged, file.replace("    self.frame = ", &format!("{new}    self.frame = ")));
}
