//! Parts that the answer says to add, documents of a file, and packages of Go: where they go, and what stays.

use crate::{Part, Reason, merge};

/// A name, an extension, the words above the part, the file, the part, and what comes of it.
pub(super) type Addition<'c> = (&'c str, &'c str, &'c str, &'c str, &'c str, Result<&'c str, Reason>);

pub(super) fn check_additions(cases: &[Addition<'_>]) {
    let mut failures = String::new();
    for (name, extension, words, file, text, expected) in cases {
        let part = Part { label_says_add: !words.is_empty(), words, ..Part::new(text, extension) };
        let merged = merge(file, &part);
        let is_right = match (&merged, expected) {
            (Ok(merged), Ok(expected)) => merged.text == *expected,
            (Err(refused), Err(reason)) => refused.reason == *reason,
            _ => false,
        };
        if !is_right {
            failures.push_str(&format!("{name}: {merged:#?}, not {expected:#?}\n"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

const EFFECTS: &str = "function App() {\n  const [a, setA] = useState(0);\n\n  useEffect(() => {\n    loadAll(setA);\n  }, []);\n\n  return a;\n}\n";
const ORDERS: &str = "class Orders {\n    void add(Order order) {\n        orders.add(order);\n    }\n\n    int size() {\n        return 1;\n    }\n}\n";

#[test]
fn regression_what_is_added_takes_the_place_of_nothing() {
    check_additions(&[
        (
            "a second effect",
            "jsx",
            "Add an effect:",
            EFFECTS,
            "useEffect(() => {\n  document.title = a;\n}, [a]);\n",
            Ok(
                "function App() {\n  const [a, setA] = useState(0);\n\n  useEffect(() => {\n    loadAll(setA);\n  }, []);\n\n  useEffect(() => {\n    document.title = a;\n  }, [a]);\n\n  return a;\n}\n",
            ),
        ),
        (
            "the same effect with one more line",
            "jsx",
            "Add a log to the effect:",
            EFFECTS,
            "useEffect(() => {\n  loadAll(setA);\n  console.log(a);\n}, []);\n",
            Ok(
                "function App() {\n  const [a, setA] = useState(0);\n\n  useEffect(() => {\n    loadAll(setA);\n    console.log(a);\n  }, []);\n\n  return a;\n}\n",
            ),
        ),
        // The body has the name of the method that is there.
        (
            "an overload that calls the other",
            "java",
            "Add an overload:",
            ORDERS,
            "void add(String id) {\n    add(new Order(id));\n}\n",
            Ok(
                "class Orders {\n    void add(Order order) {\n        orders.add(order);\n    }\n\n    void add(String id) {\n        add(new Order(id));\n    }\n\n    int size() {\n        return 1;\n    }\n}\n",
            ),
        ),
        (
            "a further parameter",
            "java",
            "Add a parameter:",
            ORDERS,
            "void add(Order order, int count) {\n    orders.add(order);\n    total += count;\n}\n",
            Ok(
                "class Orders {\n    void add(Order order, int count) {\n        orders.add(order);\n        total += count;\n    }\n\n    int size() {\n        return 1;\n    }\n}\n",
            ),
        ),
        (
            "a property, beside those of its class",
            "cs",
            "Add a property:",
            "class User\n{\n    public string Name { get; set; } = \"\";\n\n    public string Hello() => Name;\n}\n",
            "public string Mail { get; set; } = \"\";\n",
            Ok(
                "class User\n{\n    public string Name { get; set; } = \"\";\n    public string Mail { get; set; } = \"\";\n\n    public string Hello() => Name;\n}\n",
            ),
        ),
    ]);
}

const TASKS: &str = "{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"dev\": \"vite\"\n  },\n  \"engines\": {\n    \"node\": \"20\"\n  }\n}\n";
const SERVICES: &str =
    "services:\n  web:\n    image: web\n  db:\n    image: db\n\nvolumes:\n  data:\n    driver: local\n";
const FIELDS: &str = "{\n  \"meta\": {\n    \"by\": {\n      \"who\": \"a\"\n    }\n  },\n  \"properties\": {\n    \"a\": {\n      \"type\": \"string\",\n      \"title\": \"A\"\n    }\n  }\n}\n";

#[test]
fn regression_a_member_goes_to_the_container_that_words_or_its_shape_tell() {
    check_additions(&[
        (
            "the section is named",
            "json",
            "Add to the `scripts` section:",
            TASKS,
            "\"lint\": \"eslint\"\n",
            Ok(
                "{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"dev\": \"vite\",\n    \"lint\": \"eslint\"\n  },\n  \"engines\": {\n    \"node\": \"20\"\n  }\n}\n",
            ),
        ),
        (
            "one of what it holds is named",
            "yml",
            "Add this service:",
            SERVICES,
            "  cache:\n    image: redis\n",
            Ok(
                "services:\n  web:\n    image: web\n  db:\n    image: db\n  cache:\n    image: redis\n\nvolumes:\n  data:\n    driver: local\n",
            ),
        ),
        (
            "a member of the shape of its siblings",
            "json",
            "Add a field:",
            FIELDS,
            "\"b\": {\n  \"type\": \"number\",\n  \"title\": \"B\"\n}\n",
            Ok(
                "{\n  \"meta\": {\n    \"by\": {\n      \"who\": \"a\"\n    }\n  },\n  \"properties\": {\n    \"a\": {\n      \"type\": \"string\",\n      \"title\": \"A\"\n    },\n    \"b\": {\n      \"type\": \"number\",\n      \"title\": \"B\"\n    }\n  }\n}\n",
            ),
        ),
        ("no section is named", "json", "Add this:", TASKS, "\"lint\": \"eslint\"\n", Err(Reason::NoPlace)),
        (
            "a mapping beside texts",
            "json",
            "Add to the scripts:",
            TASKS,
            "\"lint\": {\n  \"run\": \"eslint\"\n}\n",
            Err(Reason::NoPlace),
        ),
    ]);
}

const ROUTES: &str =
    "from app import app\n\n\ndef load():\n    return 1\n\n\nif __name__ == \"__main__\":\n    app.run()\n";

#[test]
fn regression_new_definitions_go_in_front_of_what_runs_them() {
    let with = |new: &str| ROUTES.replace("if __name__", &format!("{new}\n\nif __name__"));
    check_additions(&[
        (
            "in front of the main guard",
            "py",
            "Add:",
            ROUTES,
            "def save():\n    return 2\n",
            Ok(&with("def save():\n    return 2\n")),
        ),
        (
            "in front of the call that starts",
            "js",
            "Add:",
            "const app = make();\n\nfunction load() {\n  return 1;\n}\n\napp.listen(80);\n",
            "function save() {\n  return 2;\n}\n",
            Ok(
                "const app = make();\n\nfunction load() {\n  return 1;\n}\n\nfunction save() {\n  return 2;\n}\n\napp.listen(80);\n",
            ),
        ),
        (
            "in front of the default export",
            "js",
            "Add:",
            "function load() {\n  return 1;\n}\n\nexport default load;\n",
            "function save() {\n  return 2;\n}\n",
            Ok(
                "function load() {\n  return 1;\n}\n\nfunction save() {\n  return 2;\n}\n\nexport default load;\n",
            ),
        ),
        (
            "in front of the tests",
            "rs",
            "Add:",
            "fn load() {}\n\n#[cfg(test)]\nmod tests {\n    fn a() {}\n}\n",
            "fn save() {}\n",
            Ok("fn load() {}\n\nfn save() {}\n\n#[cfg(test)]\nmod tests {\n    fn a() {}\n}\n"),
        ),
        (
            "at the end of a file that runs nothing",
            "py",
            "Add:",
            "def load():\n    return 1\n",
            "def save():\n    return 2\n",
            Ok("def load():\n    return 1\n\ndef save():\n    return 2\n"),
        ),
    ]);
}

const STREAM: &str = "kind: Deployment\nmetadata:\n  name: a\nspec:\n  replicas: 1\n---\nkind: Service\nmetadata:\n  name: a\nspec:\n  ports: 80\n";
const STAGES: &str =
    "FROM go AS build\nCOPY . .\nRUN go build\n\nFROM debian\nCOPY --from=build /a /a\nCMD [\"/a\"]\n";

#[test]
fn regression_a_part_is_of_one_document() {
    check_additions(&[
        (
            "keys that one document has",
            "yaml",
            "",
            STREAM,
            "spec:\n  replicas: 3\n",
            Ok(&STREAM.replace("replicas: 1", "replicas: 3")),
        ),
        (
            "a document of the same kind",
            "yaml",
            "",
            STREAM,
            "kind: Service\nmetadata:\n  name: a\nspec:\n  ports: 81\n",
            Ok(&STREAM.replace("ports: 80", "ports: 81")),
        ),
        (
            "another document",
            "yaml",
            "",
            STREAM,
            "kind: Ingress\nmetadata:\n  name: a\n",
            Err(Reason::NoPlace),
        ),
        (
            "keys that both documents have",
            "yaml",
            "",
            STREAM,
            "metadata:\n  labels: x\n",
            Err(Reason::Ambiguous),
        ),
        (
            "a stage",
            "Dockerfile",
            "",
            STAGES,
            "FROM alpine\nCOPY --from=build /a /a\nCMD [\"/a\"]\n",
            Ok(&STAGES.replace("FROM debian", "FROM alpine")),
        ),
    ]);
}

const STORE: &str =
    "package a\n\nimport \"errors\"\n\nvar Err = errors.New(\"x\")\n\nfunc Put() {\n\tset(1)\n}\n";
const BLOCK: &str = "package a\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\n\t\"b.org/c\"\n)\n\nfunc Put() {\n\tfmt.Println(errors.New(c.D))\n}\n";

#[test]
fn regression_packages_of_go_are_imported_once() {
    check_additions(&[
        (
            "a block for one import",
            "go",
            "",
            STORE,
            "import (\n\t\"errors\"\n\t\"sync\"\n)\n\nfunc Put() {\n\tvar mu sync.Mutex\n\tset(1)\n}\n",
            Ok(
                "package a\n\nimport (\n\t\"errors\"\n\t\"sync\"\n)\n\nvar Err = errors.New(\"x\")\n\nfunc Put() {\n\tvar mu sync.Mutex\n\tset(1)\n}\n",
            ),
        ),
        (
            "one import beside one",
            "go",
            "",
            STORE,
            "import \"sync\"\n\nfunc Put() {\n\tvar mu sync.Mutex\n\tset(1)\n}\n",
            Ok(
                "package a\n\nimport \"errors\"\nimport \"sync\"\n\nvar Err = errors.New(\"x\")\n\nfunc Put() {\n\tvar mu sync.Mutex\n\tset(1)\n}\n",
            ),
        ),
        (
            "one package for a block, beside those of its kind",
            "go",
            "",
            BLOCK,
            "import (\n\t\"os\"\n)\n\nfunc Put() {\n\tfmt.Println(errors.New(c.D), os.Args)\n}\n",
            Ok(
                "package a\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"os\"\n\n\t\"b.org/c\"\n)\n\nfunc Put() {\n\tfmt.Println(errors.New(c.D), os.Args)\n}\n",
            ),
        ),
        (
            "a package that nothing uses any more",
            "go",
            "",
            STORE
                .replace("var Err = errors.New(\"x\")\n\n", "")
                .replace("set(1)", "errors.New(\"x\")")
                .leak(),
            "import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc Put() {\n\tfmt.Println(os.Args)\n}\n",
            Ok("package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc Put() {\n\tfmt.Println(os.Args)\n}\n"),
        ),
        (
            "what is imported already",
            "go",
            "",
            BLOCK,
            "import \"fmt\"\n\nfunc Put() {\n\tfmt.Println(errors.New(c.D))\n\tfmt.Println(1)\n}\n",
            Ok(&BLOCK.replace("c.D))\n", "c.D))\n\tfmt.Println(1)\n")),
        ),
    ]);
}

#[test]
fn regression_the_tag_of_php_is_no_unit_of_a_part() {
    let file = "<?php\n\nclass User\n{\n    public function name(): string\n    {\n        return $this->name;\n    }\n}\n";
    let part = "<?php\n\npublic function name(): string\n{\n    return trim($this->name);\n}\n";
    let merged = merge(file, &Part::new(part, "php")).expect("the method is in the file");
    assert_eq!(merged.text, file.replace("$this->name;", "trim($this->name);"));
}

#[test]
fn regression_the_first_entry_of_a_list_is_no_documentation() {
    let file = "LIST = [\n    'one',\n    'two',\n]\n";
    let merged = merge(file, &Part::new("LIST = [\n    'new',\n    # ... the rest\n]\n", "py"));
    assert_eq!(
        merged.expect("the marker is below it").text,
        "LIST = [\n    'new',\n    'one',\n    'two',\n]\n"
    );
}

const MODELS: &str = "model User {\n  id   Int    @id\n  name String\n}\n\nmodel Post {\n  id    Int    @id\n  title String\n  user  User   @relation(fields: [id])\n}\n";

#[test]
fn regression_members_of_declarations_stay() {
    check_additions(&[
        (
            "fields of Prisma that the part does not show",
            "prisma",
            "",
            MODELS,
            "model Post {\n  id    Int    @id\n  title String\n  text  String?\n}\n",
            Ok(&MODELS.replace("  title String\n", "  title String\n  text  String?\n")),
        ),
        (
            "a field of another type",
            "prisma",
            "",
            MODELS,
            "model Post {\n  title String?\n}\n",
            Ok(&MODELS.replace("title String\n", "title String?\n")),
        ),
        (
            "a call of a service",
            "proto",
            "",
            "syntax = \"proto3\";\n\nservice S {\n  rpc Get (A) returns (B);\n  rpc Put (A) returns (B);\n}\n",
            "service S {\n  rpc Get (A) returns (C);\n}\n",
            Ok(
                "syntax = \"proto3\";\n\nservice S {\n  rpc Get (A) returns (C);\n  rpc Put (A) returns (B);\n}\n",
            ),
        ),
        (
            "a further block of the only kind",
            "tf",
            "",
            "variable \"a\" {\n  default = 1\n}\n",
            "variable \"b\" {\n  default = 2\n}\n",
            Ok("variable \"a\" {\n  default = 1\n}\n\nvariable \"b\" {\n  default = 2\n}\n"),
        ),
        (
            "a block of another kind",
            "tf",
            "",
            "variable \"a\" {\n  default = 1\n}\n",
            "output \"b\" {\n  value = 2\n}\n",
            Err(Reason::NoPlace),
        ),
        (
            "a field of GraphQL",
            "graphql",
            "",
            "type User {\n  id: ID!\n  name: String\n}\n",
            "type User {\n  id: ID!\n  # ... existing fields ...\n  mail: String\n}\n",
            Ok("type User {\n  id: ID!\n  name: String\n  mail: String\n}\n"),
        ),
    ]);
}

#[test]
fn regression_what_is_added_takes_no_line_away_that_resembles_it() {
    let file = "func do() {\n\tresp, err := call()\n\tif err != nil {\n\t\tlog := With(req)\n\t\tlog.Error().Err(err).Msg(\"request failed\")\n\t\treturn\n\t}\n}\n";
    let part = "log := With(req)\nlog.Debug().Msg(\"making a request\")\n";
    let merged = merge(file, &Part { label_says_add: true, ..Part::new(part, "go") });
    assert!(merged.is_err() || merged.is_ok_and(|merged| merged.text.contains("request failed")));
}

#[test]
fn regression_a_comment_that_names_other_arguments_stands_for_them() {
    let file = "def show(tasks):
    response = Grid(
        tasks,
        options=options,
        height=800,
        key=\"grid0\",
        paged=True
    )
    return response
";
    let part = "def show(tasks):
    response = Grid(
        tasks,
        key=unique,
        # Add other Grid parameters as needed
    )
    return response
";
    let merged = merge(file, &Part::new(part, "py")).map(|merged| merged.text);
    assert_eq!(merged, Ok(file.replace("\"grid0\"", "unique")));
}

#[test]
fn regression_a_registration_is_no_other_form_of_its_neighbour() {
    // The extension, the file, the part, whether the answer says to add, and what comes of it.
    const CASES: &[(&str, &str, &str, bool, &str)] = &[
        (
            "go",
            "func routes() {\n\tr := New()\n\tr.Get(\"/a\", a.List)\n\tr.Get(\"/a/{id}\", a.Show)\n\tr.Get(\"/z\", z.List)\n\tr.Run()\n}\n",
            "\tr.Get(\"/a\", a.List)\n\tr.Get(\"/a/{id}/log\", a.Log)\n\tr.Get(\"/z\", z.List)\n",
            true,
            "\tr.Get(\"/a/{id}\", a.Show)\n\tr.Get(\"/a/{id}/log\", a.Log)\n",
        ),
        (
            "js",
            "const app = make();\napp.get('/a', a.list);\napp.get('/a/:id', a.show);\napp.get('/z', z.list);\napp.listen(1);\n",
            "app.get('/a', a.list);\napp.get('/a/:id/log', a.log);\napp.get('/z', z.list);\n",
            false,
            "app.get('/a/:id', a.show);\napp.get('/a/:id/log', a.log);\n",
        ),
        (
            "cs",
            "var builder = Make();\nbuilder.Services.AddControllers();\nbuilder.Services.AddStore<Shop>(options =>\n    options.UseFile(\"a\"));\nvar app = builder.Build();\n",
            "builder.Services.AddControllers();\nbuilder.Services.AddCache(options =>\n    options.Size(10));\n",
            false,
            "builder.Services.AddControllers();\nbuilder.Services.AddCache(options =>\n    options.Size(10));\nbuilder.Services.AddStore<Shop>(options =>\n",
        ),
        (
            "py",
            "def routes(app):\n    app.add_url_rule(\"/a\", a.index)\n    app.add_url_rule(\"/b\", b.index)\n    app.add_url_rule(\"/c\", c.index)\n    return app\n",
            "    app.add_url_rule(\"/a\", a.index)\n    app.add_url_rule(\"/b/new\", b.create)\n    app.add_url_rule(\"/c\", c.index)\n",
            true,
            "    app.add_url_rule(\"/b\", b.index)\n    app.add_url_rule(\"/b/new\", b.create)\n",
        ),
        // The same path or handler: its new form.
        (
            "go",
            "func routes() {\n\tr := New()\n\tr.Get(\"/a\", a.List)\n\tr.Get(\"/a/{id}\", a.Show)\n\tr.Get(\"/z\", z.List)\n\tr.Run()\n}\n",
            "\tr.Get(\"/a\", a.List)\n\tr.Get(\"/a/{id}\", check(a.Show))\n\tr.Get(\"/z\", z.List)\n",
            false,
            "\tr.Get(\"/a\", a.List)\n\tr.Get(\"/a/{id}\", check(a.Show))\n\tr.Get(\"/z\", z.List)\n",
        ),
        // A message has no name.
        (
            "js",
            "function run() {\n  open();\n  log.info('opened one file', path);\n  close();\n}\n",
            "  open();\n  log.info('opened the only file', name);\n  close();\n",
            false,
            "  open();\n  log.info('opened the only file', name);\n  close();\n",
        ),
    ];
    for (extension, file, text, label_says_add, expected) in CASES {
        let merged = merge(file, &Part { label_says_add: *label_says_add, ..Part::new(text, extension) });
        let merged = merged.unwrap_or_else(|refused| panic!("{text}: {refused:?}"));
        assert!(merged.text.contains(expected), "{}", merged.text);
    }
}

#[test]
fn regression_fields_behind_a_marker_stand_with_the_fields() {
    const FILE: &str = "public class Cart\n{\n    [Column] private int size = 1;\n    private bool open;\n\n    private void Load()\n    {\n        Read();\n    }\n\n    private void Save()\n    {\n        Write();\n    }\n}\n";
    const PART: &str = "public class Cart\n{\n    // ... existing fields ...\n    [Column] private int limit = 9;\n    private int left;\n\n    private void Save()\n    {\n        Check();\n        Write();\n    }\n}\n";
    let expected = FILE
        .replace("bool open;\n", "bool open;\n    [Column] private int limit = 9;\n    private int left;\n")
        .replace("        Write();", "        Check();\n        Write();");
    let merged = merge(FILE, &Part::new(PART, "cs")).expect("the fields have a place");
    assert_eq!(merged.text, expected);
}

#[test]
fn regression_an_element_that_a_marker_hides_has_moved_into_a_new_one() {
    const FILE: &str = "export function Row({ one }) {\n  return (\n    <label>\n      <Check value={one.done} />\n      <span className=\"name\">{one.title}</span>\n    </label>\n  );\n}\n";
    const PART: &str = "export function Row({ one, edited }) {\n  return (\n    <label>\n      {/* ... checkbox as before ... */}\n      {edited ? (\n        <Field text={one.title} />\n      ) : (\n        <span className=\"name\" onClick={edit}>{one.title}</span>\n      )}\n    </label>\n  );\n}\n";
    let merged = merge(FILE, &Part::new(PART, "jsx")).expect("the element has a place");
    assert_eq!(merged.text.matches("<span").count(), 1, "{}", merged.text);
    assert!(merged.text.contains("<Check value={one.done} />\n      {edited ? ("), "{}", merged.text);
}

#[test]
fn regression_lines_beside_a_longer_name_take_its_column() {
    const FILE: &str =
        "resource \"vm\" \"a\" {\n  image = var.image\n  size  = 1\n\n  tags = {\n    Name = \"a\"\n  }\n}\n";
    let part = FILE.replace(
        "image = var.image\n  size  = 1",
        "image      = var.image\n  size       = 2\n  subnet_ids = [1]",
    );
    let merged = merge(FILE, &Part::new(&part, "tf")).expect("all lines have a place");
    assert_eq!(merged.text, part);
}

#[test]
fn regression_a_parameter_of_a_closure_is_no_use_of_a_variable() {
    const FILE: &str = "fn search(dir: &Path) -> Vec<Hit> {\n    let mut hits = Vec::new();\n    for one in walk(dir) {\n        let one = one?;\n        if one.is_note() {\n            hits.push(read(one.path()));\n        }\n    }\n    hits\n}\n\nfn read(path: &Path) -> Hit {\n    Hit(path)\n}\n";
    const PART: &str = "fn search(dir: &Path) -> Vec<Hit> {\n    walk(dir)\n        .filter(|one| one.is_note())\n        .map(|one| {\n            let path = one.path();\n            read(path)\n        })\n        .collect()\n}\n";
    let merged = merge(FILE, &Part::new(PART, "rs")).expect("nothing is lost");
    assert!(merged.text.starts_with(PART), "{}", merged.text);
}

#[test]
fn regression_what_a_part_begins_with_goes_right_above_the_next_line() {
    const FILE: &str = "func main() {\n\topen()\n\tdefer close()\n\n\tsrv := New(st)\n\n\tsrv.Run()\n}\n";
    const PART: &str =
        "\tbase := Getenv(\"BASE\")\n\tif base == \"\" {\n\t\tbase = \"x\"\n\t}\n\n\tsrv := New(st, base)\n";
    let merged = merge(FILE, &Part::new(PART, "go")).expect("the lines have a place");
    assert_eq!(merged.text, FILE.replace("\tsrv := New(st)\n", PART));
}

#[test]
fn regression_lines_shown_as_comments_are_commented_out() {
    const CASES: &[(&str, &str, &str, &str)] = &[
        (
            "cs",
            "var a = make();\n\nif (a)\n{\n    a.Clear();\n    a.Trace(1);\n}\na.Run();\n",
            "// a.Clear();\n// a.Trace(1);\n",
            "{\n    // a.Clear();\n    // a.Trace(1);\n}\n",
        ),
        (
            "py",
            "import app\n\napp.trace(1)\napp.run()\n",
            "# app.trace(1)\n",
            "import app\n\n# app.trace(1)\napp.run()\n",
        ),
        (
            "html",
            "<p>\n  <script src=\"trace.js\"></script>\n</p>\n",
            "<!-- <script src=\"trace.js\"></script> -->\n",
            "  <!-- <script src=\"trace.js\"></script> -->\n",
        ),
    ];
    for (extension, file, text, expected) in CASES {
        let merged = merge(file, &Part::new(text, extension)).expect("the lines have one place");
        assert!(merged.text.contains(expected), "{}", merged.text);
    }
    // A remark in words is none of them, nor is a line that is there twice.
    for (file, text) in [
        ("load the file\nb();\n", "// load the file\n"),
        ("a.trace(1);\nb();\na.trace(1);\n", "// a.trace(1);\n"),
    ] {
        assert!(merge(file, &Part::new(text, "js")).is_err(), "{text}");
    }
}

#[test]
fn regression_a_method_with_a_blank_before_its_parameters_is_a_method() {
    const FILE: &str = "export default {\n  build: {\n    /*\n    ** Extend it here\n    */\n    extend (config, ctx) {\n    }\n  }\n}\n";
    const PART: &str = "export default {\n  build: {\n    extend(config, { isClient }) {\n      if (isClient) {\n        config.add('stream')\n      }\n    }\n  }\n}\n";
    let merged = merge(FILE, &Part::new(PART, "js")).expect("the method has a place");
    assert_eq!(merged.text.matches("extend").count(), 1, "{}", merged.text);
}

#[test]
fn regression_an_object_behind_a_marker_is_a_further_entry_of_its_list() {
    const FILE: &str = "import Home from './Home'\n\nexport default make({\n  base: '/',\n  routes: [\n    {\n      path: '/',\n      component: Home,\n    },\n    {\n      path: '/shop',\n      component: Shop,\n    },\n  ],\n})\n";
    const PART: &str = "import Lost from './Lost'\n\nexport default make({\n  base: '/',\n  routes: [\n    // ...existing routes\n    {\n      path: '/:all(.*)*',\n      component: Lost,\n    },\n  ],\n})\n";
    let merged = merge(FILE, &Part::new(PART, "js")).expect("the entry has a place");
    let entry = "    {\n      path: '/:all(.*)*',\n      component: Lost,\n    },\n  ],";
    let expected = FILE.replace("  ],", entry).replace("'./Home'\n", "'./Home'\nimport Lost from './Lost'\n");
    assert_eq!(merged.text, expected);
}

#[test]
fn regression_imports_of_rust_stand_with_their_group() {
    const FILE: &str = "use std::fs;\n\nuse regex::Regex;\n\nuse crate::Error;\n\nfn load() -> Error {\n    fs::read(1)\n}\n\nmod tests {\n    use super::*;\n}\n";
    const PART: &str = "use rayon::prelude::*;\n\nfn load() -> Error {\n    fs::read(2)\n}\n";
    let merged = merge(FILE, &Part::new(PART, "rs")).expect("the import has a place");
    let expected = FILE.replace("Regex;\n", "Regex;\nuse rayon::prelude::*;\n").replace("read(1)", "read(2)");
    assert_eq!(merged.text, expected);
}

#[test]
fn regression_a_statement_of_a_block_with_branches_is_found() {
    const CASES: &[(&str, &str, &str, &str)] = &[
        (
            "js",
            "exports.list = async (req, res) => {\n  try {\n    const rows = await Row.find().sort('name');\n    res.json(rows);\n  } catch (error) {\n    next(error);\n  }\n};\n",
            "const rows = await Row.find().sort('rank name');\n",
            "sort('name')",
        ),
        (
            "ts",
            "function load(id: string) {\n  if (id) {\n    const row = rows.find(id, true);\n    send(row);\n  } else {\n    fail();\n  }\n}\n",
            "const row = rows.find(id, false);\n",
            "true",
        ),
    ];
    for (extension, file, text, old) in CASES {
        let merged = merge(file, &Part::new(text, extension)).expect("the statement has a place");
        let line = file.lines().find(|line| line.contains(old)).unwrap_or_default().trim();
        assert_eq!(merged.text, file.replace(line, text.trim()), "{text}");
    }
}

/// The call never ran: it came behind the `return`.
#[test]
fn regression_a_call_with_its_function_comes_behind_its_like() {
    let file = "function convert(data) {\n  const service = make();\n\n  service.rule('images', () => '');\n\n  const text = service.run(data);\n\n  return text;\n}\n";
    let new = "  function languageOf(node) {\n    return node.lang;\n  }\n\n";
    let call = "  service.rule('code', languageOf);\n\n";
    let part = |code: &str| {
        format!(
            "function convert(data) {{\n  const service = make();\n\n  // ... existing rules ...\n\n{code}  // ... rest of the function ...\n}}\n"
        )
    };
    let merged = merge(file, &Part::new(&part(&format!("{new}{call}")), "js")).unwrap();
    let expected = file.replace("  const text", &format!("{new}{call}  const text"));
    assert_eq!(merged.text, expected);
    // Nothing of its kind is there.
    let refused = merge(file, &Part::new(&part(&format!("{new}  other(languageOf);\n\n")), "js"));
    assert!(refused.is_err(), "{refused:#?}");
}

#[test]
fn regression_a_file_that_is_loaded_takes_the_place_of_no_other_one() {
    let file = "<?php\n\ninclude_once '../header.php';\ninclude_once '../lib/functions.php';\n\n$user = login($db);\n";
    let part =
        "<?php\ninclude_once '../header.php';\nrequire_once '../lib/autoload.php';\n// ...existing code...\n";
    let merged = merge(file, &Part::new(part, "php")).unwrap();
    let expected = file.replace("header.php';\n", "header.php';\nrequire_once '../lib/autoload.php';\n");
    assert_eq!(merged.text, expected);
    // The same file, in another folder.
    let part = part.replace("lib/autoload", "functions/functions");
    let merged = merge(file, &Part::new(&part, "php")).unwrap();
    let moved = file.replace("include_once '../lib/", "require_once '../functions/");
    assert_eq!(merged.text, moved);
}
