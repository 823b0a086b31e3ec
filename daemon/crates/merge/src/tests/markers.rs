//! Markers in words, and what is new behind them.

use crate::Reason;

use super::additions::check_additions;

#[test]
fn regression_what_is_new_behind_a_marker_takes_the_place_of_nothing() {
    check_additions(&[
        (
            "a second effect",
            "ts",
            "",
            "import { useEffect, useState } from \"react\";\n\nexport function useTeas() {\n  const [teas, setTeas] = useState<string[]>([]);\n\n  useEffect(() => {\n    load().then(setTeas);\n  }, []);\n\n  return { teas };\n}\n",
            "export function useTeas() {\n  // ... existing state and effect\n\n  useEffect(() => {\n    document.title = `${teas.length} teas`;\n  }, [teas]);\n\n  return { teas };\n}\n",
            Ok(
                "import { useEffect, useState } from \"react\";\n\nexport function useTeas() {\n  const [teas, setTeas] = useState<string[]>([]);\n\n  useEffect(() => {\n    load().then(setTeas);\n  }, []);\n\n  useEffect(() => {\n    document.title = `${teas.length} teas`;\n  }, [teas]);\n\n  return { teas };\n}\n",
            ),
        ),
        (
            "a further check",
            "go",
            "",
            "package main\n\nfunc run() error {\n\tif err := open(); err != nil {\n\t\treturn err\n\t}\n\tif err := load(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
            "func run() error {\n\t// ... existing code\n\n\tif err := check(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
            Ok(
                "package main\n\nfunc run() error {\n\tif err := open(); err != nil {\n\t\treturn err\n\t}\n\tif err := load(); err != nil {\n\t\treturn err\n\t}\n\n\tif err := check(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
            ),
        ),
        (
            "a further guard",
            "java",
            "",
            "class Pot {\n    void check(Tea tea) {\n        if (tea == null) {\n            throw new Missing(\"tea\");\n        }\n        if (tea.name() == null) {\n            throw new Missing(\"name\");\n        }\n        save(tea);\n    }\n}\n",
            "    void check(Tea tea) {\n        // ... existing checks ...\n        if (tea.price() == null) {\n            throw new Missing(\"price\");\n        }\n        save(tea);\n    }\n",
            Ok(
                "class Pot {\n    void check(Tea tea) {\n        if (tea == null) {\n            throw new Missing(\"tea\");\n        }\n        if (tea.name() == null) {\n            throw new Missing(\"name\");\n        }\n        if (tea.price() == null) {\n            throw new Missing(\"price\");\n        }\n        save(tea);\n    }\n}\n",
            ),
        ),
        (
            "a route below a remark",
            "py",
            "",
            "def routes(app):\n    app.get(\"/teas\", teas)\n    app.get(\"/cups\", cups)\n    app.get(\"/pots\", pots)\n    app.use(log)\n    return app\n",
            "def routes(app):\n    # existing routes\n    app.get(\"/health\", health)\n    app.use(log)\n    return app\n",
            Ok(
                "def routes(app):\n    app.get(\"/teas\", teas)\n    app.get(\"/cups\", cups)\n    app.get(\"/pots\", pots)\n    app.get(\"/health\", health)\n    app.use(log)\n    return app\n",
            ),
        ),
        (
            "a route",
            "go",
            "",
            "package main\n\nfunc main() {\n\tr := newRouter()\n\tr.Get(\"/teas\", list)\n\tr.Post(\"/teas\", create)\n\tr.Get(\"/teas/{id}\", get)\n\n\tserve(r)\n}\n",
            "func main() {\n\tr := newRouter()\n\t// ... existing routes\n\tr.Get(\"/health\", health)\n\n\tserve(r)\n}\n",
            Ok(
                "package main\n\nfunc main() {\n\tr := newRouter()\n\tr.Get(\"/teas\", list)\n\tr.Post(\"/teas\", create)\n\tr.Get(\"/teas/{id}\", get)\n\tr.Get(\"/health\", health)\n\n\tserve(r)\n}\n",
            ),
        ),
        (
            "an argument",
            "py",
            "",
            "def main():\n    parser = Parser()\n    parser.add_argument(\"--name\")\n    parser.add_argument(\"--kind\")\n    args = parser.parse_args()\n    run(args)\n",
            "def main():\n    parser = Parser()\n    # ... existing arguments ...\n    parser.add_argument(\"--price\", type=int)\n    args = parser.parse_args()\n    run(args)\n",
            Ok(
                "def main():\n    parser = Parser()\n    parser.add_argument(\"--name\")\n    parser.add_argument(\"--kind\")\n    parser.add_argument(\"--price\", type=int)\n    args = parser.parse_args()\n    run(args)\n",
            ),
        ),
        (
            "a service",
            "cs",
            "",
            "var builder = App.Create();\nbuilder.Services.AddSingleton<Store>();\nbuilder.Services.AddSingleton<Clock>();\n\nvar app = builder.Build();\napp.Run();\n",
            "var builder = App.Create();\n// ... existing services\nbuilder.Services.AddSingleton<Mailer>();\n\nvar app = builder.Build();\n",
            Ok(
                "var builder = App.Create();\nbuilder.Services.AddSingleton<Store>();\nbuilder.Services.AddSingleton<Clock>();\nbuilder.Services.AddSingleton<Mailer>();\n\nvar app = builder.Build();\napp.Run();\n",
            ),
        ),
        (
            "an input",
            "tsx",
            "",
            "export function Form() {\n  return (\n    <form>\n      <input name=\"name\" />\n      <input name=\"kind\" />\n      <button>Save</button>\n    </form>\n  );\n}\n",
            "    <form>\n      {/* ... existing inputs ... */}\n      <input name=\"price\" type=\"number\" />\n      <button>Save</button>\n    </form>\n",
            Ok(
                "export function Form() {\n  return (\n    <form>\n      <input name=\"name\" />\n      <input name=\"kind\" />\n      <input name=\"price\" type=\"number\" />\n      <button>Save</button>\n    </form>\n  );\n}\n",
            ),
        ),
        (
            "a field",
            "py",
            "",
            "class Tea(Model):\n    name = CharField(max_length=20)\n    kind = CharField(max_length=10)\n\n    class Meta:\n        ordering = [\"name\"]\n",
            "class Tea(Model):\n    # ... existing fields ...\n    origin = CharField(max_length=30)\n\n    class Meta:\n        ordering = [\"name\"]\n",
            Ok(
                "class Tea(Model):\n    name = CharField(max_length=20)\n    kind = CharField(max_length=10)\n    origin = CharField(max_length=30)\n\n    class Meta:\n        ordering = [\"name\"]\n",
            ),
        ),
        (
            "a call",
            "c",
            "",
            "int main(void)\n{\n    init_clock();\n    init_store();\n\n    loop();\n    return 0;\n}\n",
            "int main(void)\n{\n    // ... existing init ...\n    init_mail();\n\n    loop();\n    return 0;\n}\n",
            Ok(
                "int main(void)\n{\n    init_clock();\n    init_store();\n    init_mail();\n\n    loop();\n    return 0;\n}\n",
            ),
        ),
        (
            "a push of Ruby",
            "rb",
            "",
            "def setup(app)\n  app.use Logs\n  app.use Auth\n  app.start\nend\n",
            "def setup(app)\n  # ... existing middleware\n  app.use Cache\n  app.start\nend\n",
            Ok("def setup(app)\n  app.use Logs\n  app.use Auth\n  app.use Cache\n  app.start\nend\n"),
        ),
        (
            "a statement of PHP",
            "php",
            "",
            "<?php\nfunction boot($app)\n{\n    $app->bind(\"teas\", Teas::class);\n    $app->bind(\"cups\", Cups::class);\n\n    $app->run();\n}\n",
            "function boot($app)\n{\n    // ... existing bindings ...\n    $app->bind(\"pots\", Pots::class);\n\n    $app->run();\n}\n",
            Ok(
                "<?php\nfunction boot($app)\n{\n    $app->bind(\"teas\", Teas::class);\n    $app->bind(\"cups\", Cups::class);\n    $app->bind(\"pots\", Pots::class);\n\n    $app->run();\n}\n",
            ),
        ),
        (
            "an option of HTML",
            "html",
            "",
            "<select>\n  <option value=\"a\">A</option>\n  <option value=\"b\">B</option>\n</select>\n",
            "<select>\n  <!-- existing options -->\n  <option value=\"c\">C</option>\n</select>\n",
            Ok(
                "<select>\n  <option value=\"a\">A</option>\n  <option value=\"b\">B</option>\n  <option value=\"c\">C</option>\n</select>\n",
            ),
        ),
        (
            "the other form of the only one",
            "py",
            "",
            "def run(x):\n    load(x)\n    store(x, 1)\n    return x\n",
            "def run(x):\n    # ... existing code ...\n    store(x, 2)\n    return x\n",
            Ok("def run(x):\n    load(x)\n    store(x, 2)\n    return x\n"),
        ),
    ]);
}

#[test]
fn regression_a_remark_that_explains_the_code_below_it_is_no_marker() {
    check_additions(&[(
        "what exists",
        "py",
        "",
        "import db\n\n\ndef count(x):\n    all = db.load(x)\n    return len(all)\n\n\ndef drop(x):\n    db.drop(x)\n",
        "def count(x):\n    # existing users\n    users = db.users(x)\n    return len(users)\n",
        Ok(
            "import db\n\n\ndef count(x):\n    # existing users\n    users = db.users(x)\n    return len(users)\n\n\ndef drop(x):\n    db.drop(x)\n",
        ),
    )]);
}

#[test]
fn regression_a_remark_about_what_stays_is_a_marker() {
    check_additions(&[
        (
            "a function by its name",
            "ts",
            "",
            "import { useState } from \"react\";\nimport { make, drop, flip } from \"./api\";\n\nexport function useTeas() {\n  const [teas, setTeas] = useState<string[]>([]);\n\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas([...teas, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas(teas.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            "  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  // toggle stays the same\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n",
            Ok(
                "import { useState } from \"react\";\nimport { make, drop, flip } from \"./api\";\n\nexport function useTeas() {\n  const [teas, setTeas] = useState<string[]>([]);\n\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            ),
        ),
        (
            "a method in brackets",
            "rs",
            "",
            "pub struct Pot {\n    teas: Vec<String>,\n}\n\nimpl Pot {\n    pub fn new() -> Self {\n        Self { teas: Vec::new() }\n    }\n\n    pub fn get(&self, at: usize) -> Option<String> {\n        self.teas.get(at).cloned()\n    }\n\n    pub fn put(&mut self, tea: String) {\n        self.teas.push(tea);\n    }\n}\n",
            "pub struct Pot {\n    teas: Vec<String>,\n    hits: usize,\n}\n\nimpl Pot {\n    pub fn new() -> Self {\n        Self { teas: Vec::new(), hits: 0 }\n    }\n\n    pub fn get(&mut self, at: usize) -> Option<String> {\n        self.hits += 1;\n        self.teas.get(at).cloned()\n    }\n\n    // put() remains unchanged\n\n    /// How often a tea was asked for.\n    pub fn hits(&self) -> usize {\n        self.hits\n    }\n}\n",
            Ok(
                "pub struct Pot {\n    teas: Vec<String>,\n    hits: usize,\n}\n\nimpl Pot {\n    pub fn new() -> Self {\n        Self { teas: Vec::new(), hits: 0 }\n    }\n\n    pub fn get(&mut self, at: usize) -> Option<String> {\n        self.hits += 1;\n        self.teas.get(at).cloned()\n    }\n\n    pub fn put(&mut self, tea: String) {\n        self.teas.push(tea);\n    }\n\n    /// How often a tea was asked for.\n    pub fn hits(&self) -> usize {\n        self.hits\n    }\n}\n",
            ),
        ),
        (
            "the same as before",
            "ts",
            "",
            "export function useTeas() {\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas([...teas, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas(teas.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            "  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  // toggle() is the same as before\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n",
            Ok(
                "export function useTeas() {\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            ),
        ),
        (
            "keep it",
            "ts",
            "",
            "export function useTeas() {\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas([...teas, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas(teas.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            "  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  // keep toggle as it is\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n",
            Ok(
                "export function useTeas() {\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            ),
        ),
        (
            "leave it",
            "ts",
            "",
            "export function useTeas() {\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas([...teas, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas(teas.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            "  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  // leave toggle untouched\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n",
            Ok(
                "export function useTeas() {\n  const add = async (name: string) => {\n    const tea = await make(name);\n    setTeas((current) => [...current, tea]);\n  };\n\n  const toggle = async (id: string) => {\n    const tea = await flip(id);\n    setTeas(teas.map((t) => (t === id ? tea : t)));\n  };\n\n  const take = async (id: string) => {\n    await drop(id);\n    setTeas((current) => current.filter((t) => t !== id));\n  };\n\n  return { teas, add, toggle, take };\n}\n",
            ),
        ),
        (
            "routes that go here",
            "py",
            "",
            "def routes(app):\n    app.get(\"/teas\", teas)\n    app.get(\"/cups\", cups)\n    app.use(log)\n    return app\n",
            "def routes(app):\n    # existing routes go here\n    app.get(\"/health\", health)\n    app.use(log)\n    return app\n",
            Ok(
                "def routes(app):\n    app.get(\"/teas\", teas)\n    app.get(\"/cups\", cups)\n    app.get(\"/health\", health)\n    app.use(log)\n    return app\n",
            ),
        ),
        (
            "plugins",
            "kt",
            "",
            "fun setup(app: App) {\n    app.install(Json)\n    app.install(Logs)\n    app.start()\n}\n",
            "fun setup(app: App) {\n    // existing plugins\n    app.install(Auth)\n    app.start()\n}\n",
            Ok(
                "fun setup(app: App) {\n    app.install(Json)\n    app.install(Logs)\n    app.install(Auth)\n    app.start()\n}\n",
            ),
        ),
        (
            "a child",
            "tsx",
            "",
            "import { useState } from \"react\";\n\nexport default function App() {\n  const [kind, setKind] = useState(\"all\");\n\n  return (\n    <main className=\"app\">\n      <header className=\"app__header\">\n        <h1>Teas</h1>\n        <select value={kind} onChange={(e) => setKind(e.target.value)}>\n          <option value=\"all\">All</option>\n          <option value=\"green\">Green</option>\n          <option value=\"black\">Black</option>\n        </select>\n      </header>\n      <p>{kind}</p>\n    </main>\n  );\n}\n",
            "<header className=\"app__header\">\n  <h1>Teas</h1>\n  <ThemeToggle />\n  {/* existing select */}\n</header>\n",
            Ok(
                "import { useState } from \"react\";\n\nexport default function App() {\n  const [kind, setKind] = useState(\"all\");\n\n  return (\n    <main className=\"app\">\n      <header className=\"app__header\">\n        <h1>Teas</h1>\n        <ThemeToggle />\n        <select value={kind} onChange={(e) => setKind(e.target.value)}>\n          <option value=\"all\">All</option>\n          <option value=\"green\">Green</option>\n          <option value=\"black\">Black</option>\n        </select>\n      </header>\n      <p>{kind}</p>\n    </main>\n  );\n}\n",
            ),
        ),
    ]);
}

#[test]
fn regression_a_line_below_a_marker_goes_behind_the_last_one_like_it() {
    check_additions(&[
        (
            "a gem",
            "Gemfile",
            "",
            "source \"https://gems.example\"\n\ngem \"web\"\ngem \"store\"\ngem \"rake\"\n",
            "source \"https://gems.example\"\n\n# ... existing gems\ngem \"logs\"\n",
            Ok("source \"https://gems.example\"\n\ngem \"web\"\ngem \"store\"\ngem \"rake\"\ngem \"logs\"\n"),
        ),
        (
            "a row of SQL",
            "sql",
            "",
            "INSERT INTO teas (name) VALUES ('green');\nINSERT INTO teas (name) VALUES ('black');\nINSERT INTO cups (name) VALUES ('small');\n",
            "-- existing inserts\nINSERT INTO teas (name) VALUES ('white');\n",
            Ok(
                "INSERT INTO teas (name) VALUES ('green');\nINSERT INTO teas (name) VALUES ('black');\nINSERT INTO cups (name) VALUES ('small');\nINSERT INTO teas (name) VALUES ('white');\n",
            ),
        ),
        (
            "a route of PHP",
            "php",
            "",
            "<?php\n\nRoute::get(\"/teas\", [Teas::class, \"index\"]);\nRoute::post(\"/teas\", [Teas::class, \"store\"]);\n",
            "// ... existing routes ...\n\nRoute::get(\"/cups\", [Cups::class, \"index\"]);\n",
            Ok(
                "<?php\n\nRoute::get(\"/teas\", [Teas::class, \"index\"]);\nRoute::post(\"/teas\", [Teas::class, \"store\"]);\n\nRoute::get(\"/cups\", [Cups::class, \"index\"]);\n",
            ),
        ),
        (
            "an alias",
            "sh",
            "",
            "alias ll=\"ls -l\"\nalias la=\"ls -a\"\n",
            "# ... existing aliases\nalias gs=\"git status\"\n",
            Ok("alias ll=\"ls -l\"\nalias la=\"ls -a\"\nalias gs=\"git status\"\n"),
        ),
        (
            "a target of a crate",
            "cmake",
            "",
            "add_subdirectory(core)\nadd_subdirectory(http)\n",
            "# existing folders\nadd_subdirectory(mail)\n",
            Ok("add_subdirectory(core)\nadd_subdirectory(http)\nadd_subdirectory(mail)\n"),
        ),
        (
            "a statement of another kind",
            "rb",
            "",
            "gem \"rack\"\ngem \"rake\"\n",
            "# ... existing gems\nruby \"3.2\"\n",
            Err(Reason::NoPlace),
        ),
    ]);
}

#[test]
fn regression_a_block_below_a_marker_is_no_line_of_a_list() {
    check_additions(&[(
        "another branch",
        "js",
        "",
        "if (typeof exports !== \"undefined\") {\n  exports = Diff;\n}\n\nrun();\n",
        "// ... existing code ...\n\nif (typeof module !== \"undefined\") {\n  module.exports = Diff;\n}\n",
        Err(Reason::NoPlace),
    )]);
}

#[test]
fn regression_links_and_children_below_a_marker_stand_in_front_of_the_shown_ones() {
    check_additions(&[
        (
            "a route of a router",
            "rs",
            "",
            "pub fn router() -> Router {\n    Router::new()\n        .route(\"/teas\", get(teas))\n        .route(\"/cups\", get(cups))\n        .layer(log())\n}\n",
            "pub fn router() -> Router {\n    Router::new()\n        // ... existing routes\n        .route(\"/health\", get(health))\n        .layer(log())\n}\n",
            Ok(
                "pub fn router() -> Router {\n    Router::new()\n        .route(\"/teas\", get(teas))\n        .route(\"/cups\", get(cups))\n        .route(\"/health\", get(health))\n        .layer(log())\n}\n",
            ),
        ),
        (
            "a step of a pipeline",
            "js",
            "",
            "export const run = () =>\n  load()\n    .map(trim)\n    .filter(Boolean)\n    .then(store);\n",
            "export const run = () =>\n  load()\n    // ... existing steps\n    .map(lower)\n    .then(store);\n",
            Ok(
                "export const run = () =>\n  load()\n    .map(trim)\n    .filter(Boolean)\n    .map(lower)\n    .then(store);\n",
            ),
        ),
        (
            "a route of JSX",
            "tsx",
            "Add the route:",
            "export default function App() {\n  return (\n    <Routes>\n      <Route path=\"/\" element={<Home />} />\n      <Route path=\"/teas\" element={<Teas />} />\n      <Route path=\"/cups\" element={<Cups />} />\n    </Routes>\n  );\n}\n",
            "    <Routes>\n      {/* ... existing routes ... */}\n      <Route path=\"/pots\" element={<Pots />} />\n    </Routes>\n",
            Ok(
                "export default function App() {\n  return (\n    <Routes>\n      <Route path=\"/\" element={<Home />} />\n      <Route path=\"/teas\" element={<Teas />} />\n      <Route path=\"/cups\" element={<Cups />} />\n      <Route path=\"/pots\" element={<Pots />} />\n    </Routes>\n  );\n}\n",
            ),
        ),
    ]);
}
