//! Parts that show the frame of a block and what the answer says to add to it: all that they do not show stays.

use crate::Reason;

use super::additions::check_additions;

#[test]
fn regression_what_is_added_to_a_shown_block_leaves_its_members() {
    check_additions(&[
        (
            "dependencies of Gradle",
            "gradle",
            "Add the library:",
            "dependencies {\n    implementation 'com.example:core:1.0'\n    implementation 'com.example:http:1.0'\n    testImplementation 'com.example:check:3.0'\n}\n",
            "dependencies {\n    implementation 'com.example:mail:1.4'\n}\n",
            Ok(
                "dependencies {\n    implementation 'com.example:core:1.0'\n    implementation 'com.example:http:1.0'\n    testImplementation 'com.example:check:3.0'\n    implementation 'com.example:mail:1.4'\n}\n",
            ),
        ),
        (
            "a list whose entries begin with a dot",
            "swift",
            "Add the package:",
            "let package = Package(\n    name: \"Tea\",\n    dependencies: [\n        .package(url: \"https://example.com/core\", from: \"1.0.0\"),\n        .package(url: \"https://example.com/http\", from: \"2.0.0\"),\n    ],\n    targets: [\n        .target(name: \"Tea\"),\n    ]\n)\n",
            "    dependencies: [\n        .package(url: \"https://example.com/mail\", from: \"1.4.0\"),\n    ],\n",
            Ok(
                "let package = Package(\n    name: \"Tea\",\n    dependencies: [\n        .package(url: \"https://example.com/core\", from: \"1.0.0\"),\n        .package(url: \"https://example.com/http\", from: \"2.0.0\"),\n        .package(url: \"https://example.com/mail\", from: \"1.4.0\"),\n    ],\n    targets: [\n        .target(name: \"Tea\"),\n    ]\n)\n",
            ),
        ),
        (
            "directives of a server",
            "conf",
            "Add the address:",
            "server {\n    listen 80;\n\n    location / {\n        proxy_pass http://web;\n        proxy_set_header Host $host;\n    }\n}\n",
            "    location / {\n        proxy_set_header X-Real-IP $remote_addr;\n    }\n",
            Ok(
                "server {\n    listen 80;\n\n    location / {\n        proxy_pass http://web;\n        proxy_set_header Host $host;\n        proxy_set_header X-Real-IP $remote_addr;\n    }\n}\n",
            ),
        ),
        (
            "a list of names",
            "py",
            "Add the app:",
            "APPS = [\n    \"core\",\n    \"shop\",\n    \"mail\",\n]\n\nDEBUG = False\n",
            "APPS = [\n    \"teas\",\n]\n",
            Ok("APPS = [\n    \"core\",\n    \"shop\",\n    \"mail\",\n    \"teas\",\n]\n\nDEBUG = False\n"),
        ),
        (
            "an entry of an inner object",
            "ts",
            "Add the reducer:",
            "export const store = configure({\n  reducer: {\n    cups: cupsReducer,\n    pots: potsReducer,\n  },\n});\n",
            "export const store = configure({\n  reducer: {\n    teas: teasReducer,\n  },\n});\n",
            Ok(
                "export const store = configure({\n  reducer: {\n    cups: cupsReducer,\n    pots: potsReducer,\n    teas: teasReducer,\n  },\n});\n",
            ),
        ),
        (
            "a child of an element",
            "tsx",
            "Add a link:",
            "export function Menu() {\n  return (\n    <nav className=\"menu\">\n      <a href=\"/\">Home</a>\n      <a href=\"/teas\">Teas</a>\n    </nav>\n  );\n}\n",
            "    <nav className=\"menu\">\n      <a href=\"/cups\">Cups</a>\n    </nav>\n",
            Ok(
                "export function Menu() {\n  return (\n    <nav className=\"menu\">\n      <a href=\"/\">Home</a>\n      <a href=\"/teas\">Teas</a>\n      <a href=\"/cups\">Cups</a>\n    </nav>\n  );\n}\n",
            ),
        ),
        (
            "an entry of an enum",
            "kt",
            "Add the kind:",
            "enum class Kind {\n    GREEN,\n    BLACK,\n}\n\nval kinds = listOf(\n    \"green\",\n    \"black\",\n)\n",
            "enum class Kind {\n    WHITE,\n}\n",
            Ok(
                "enum class Kind {\n    GREEN,\n    BLACK,\n    WHITE,\n}\n\nval kinds = listOf(\n    \"green\",\n    \"black\",\n)\n",
            ),
        ),
        (
            "a call beside its like",
            "py",
            "Add the section:",
            "def setup(app):\n    app.register(\"cups\")\n    app.register(\"pots\")\n    app.ready = True\n\n\ndef main():\n    setup(App())\n",
            "def setup(app):\n    app.register(\"teas\")\n",
            Ok(
                "def setup(app):\n    app.register(\"cups\")\n    app.register(\"pots\")\n    app.register(\"teas\")\n    app.ready = True\n\n\ndef main():\n    setup(App())\n",
            ),
        ),
        (
            "a branch",
            "ts",
            "Add a case:",
            "export function reduce(state: State, action: Action): State {\n  switch (action.type) {\n    case \"add\":\n      return { ...state, teas: [...state.teas, action.tea] };\n    case \"drop\":\n      return { ...state, teas: [] };\n    default:\n      return state;\n  }\n}\n",
            "export function reduce(state: State, action: Action): State {\n  switch (action.type) {\n    case \"pour\":\n      return { ...state, poured: true };\n    default:\n      return state;\n  }\n}\n",
            Ok(
                "export function reduce(state: State, action: Action): State {\n  switch (action.type) {\n    case \"add\":\n      return { ...state, teas: [...state.teas, action.tea] };\n    case \"drop\":\n      return { ...state, teas: [] };\n    case \"pour\":\n      return { ...state, poured: true };\n    default:\n      return state;\n  }\n}\n",
            ),
        ),
        (
            "a field",
            "go",
            "Add a price:",
            "package store\n\n// Tea is a kind of tea.\ntype Tea struct {\n\tID   string\n\tName string\n}\n\n// Label names it.\nfunc (t Tea) Label() string {\n\treturn t.Name\n}\n",
            "type Tea struct {\n\tPrice int\n}\n",
            Ok(
                "package store\n\n// Tea is a kind of tea.\ntype Tea struct {\n\tID   string\n\tName string\n\tPrice int\n}\n\n// Label names it.\nfunc (t Tea) Label() string {\n\treturn t.Name\n}\n",
            ),
        ),
        (
            "a method",
            "rb",
            "Add a method:",
            "class Pot\n  def fill\n    @full = true\n  end\n\n  def pour\n    @full = false\n  end\nend\n",
            "class Pot\n  def full?\n    @full\n  end\nend\n",
            Ok(
                "class Pot\n  def fill\n    @full = true\n  end\n\n  def pour\n    @full = false\n  end\n\n  def full?\n    @full\n  end\nend\n",
            ),
        ),
        (
            "a column",
            "sql",
            "Add a column:",
            "CREATE TABLE teas (\n    id SERIAL PRIMARY KEY,\n    name TEXT NOT NULL,\n    kind TEXT\n);\n\nCREATE TABLE cups (\n    id SERIAL PRIMARY KEY\n);\n",
            "CREATE TABLE teas (\n    price NUMERIC(10, 2) NOT NULL\n);\n",
            Ok(
                "CREATE TABLE teas (\n    id SERIAL PRIMARY KEY,\n    name TEXT NOT NULL,\n    kind TEXT,\n    price NUMERIC(10, 2) NOT NULL\n);\n\nCREATE TABLE cups (\n    id SERIAL PRIMARY KEY\n);\n",
            ),
        ),
        (
            "a rule of a media query",
            "css",
            "Add:",
            ".tea {\n  padding: 1rem;\n}\n\n@media (max-width: 600px) {\n  .tea {\n    padding: 0;\n  }\n}\n\n.cup {\n  margin: 0;\n}\n",
            "@media (max-width: 600px) {\n  .cup {\n    display: none;\n  }\n}\n",
            Ok(
                ".tea {\n  padding: 1rem;\n}\n\n@media (max-width: 600px) {\n  .tea {\n    padding: 0;\n  }\n\n  .cup {\n    display: none;\n  }\n}\n\n.cup {\n  margin: 0;\n}\n",
            ),
        ),
        (
            "a trait",
            "rs",
            "Add a method to the trait:",
            "pub trait Store {\n    fn get(&self, id: u32) -> Tea;\n    fn all(&self) -> Vec<Tea>;\n}\n",
            "pub trait Store {\n    fn drop(&mut self, id: u32);\n}\n",
            Ok(
                "pub trait Store {\n    fn get(&self, id: u32) -> Tea;\n    fn all(&self) -> Vec<Tea>;\n    fn drop(&mut self, id: u32);\n}\n",
            ),
        ),
        (
            "an interface",
            "ts",
            "Füge das Feld hinzu:",
            "export interface Tea {\n  id: string;\n  name: string;\n}\n\nexport const none: Tea[] = [];\n",
            "export interface Tea {\n  price?: number;\n}\n",
            Ok(
                "export interface Tea {\n  id: string;\n  name: string;\n  price?: number;\n}\n\nexport const none: Tea[] = [];\n",
            ),
        ),
        (
            "a dictionary of Python",
            "py",
            "Añade la opción:",
            "DEFAULTS = {\n    \"kind\": \"green\",\n    \"least\": 5,\n}\n",
            "DEFAULTS = {\n    \"most\": 50,\n}\n",
            Ok("DEFAULTS = {\n    \"kind\": \"green\",\n    \"least\": 5,\n    \"most\": 50,\n}\n"),
        ),
        (
            "a list of JSX",
            "tsx",
            "Add an entry:",
            "export const Menu = () => (\n  <ul>\n    <li>Teas</li>\n    <li>Cups</li>\n  </ul>\n);\n",
            "  <ul>\n    <li>Pots</li>\n  </ul>\n",
            Ok(
                "export const Menu = () => (\n  <ul>\n    <li>Teas</li>\n    <li>Cups</li>\n    <li>Pots</li>\n  </ul>\n);\n",
            ),
        ),
        (
            "a function of Go that registers",
            "go",
            "Add the route:",
            "package main\n\nfunc routes(r *Router) {\n\tr.Get(\"/teas\", teas)\n\tr.Get(\"/cups\", cups)\n\tr.Use(log)\n}\n",
            "func routes(r *Router) {\n\tr.Get(\"/pots\", pots)\n}\n",
            Ok(
                "package main\n\nfunc routes(r *Router) {\n\tr.Get(\"/teas\", teas)\n\tr.Get(\"/cups\", cups)\n\tr.Get(\"/pots\", pots)\n\tr.Use(log)\n}\n",
            ),
        ),
    ]);
}

#[test]
fn regression_no_member_goes_because_only_another_is_shown() {
    check_additions(&[
        (
            "directives",
            "conf",
            "",
            "server {\n    listen 80;\n\n    location / {\n        proxy_pass http://web;\n        proxy_set_header Host $host;\n    }\n}\n",
            "location / {\n    proxy_set_header X-Real-IP $remote_addr;\n}\n",
            Err(Reason::Loses),
        ),
        (
            "names",
            "py",
            "",
            "APPS = [\n    \"core\",\n    \"shop\",\n    \"mail\",\n]\n",
            "APPS = [\n    \"teas\",\n]\n",
            Err(Reason::Loses),
        ),
        (
            "another body",
            "py",
            "",
            "def setup(app):\n    app.register(\"cups\")\n    app.register(\"pots\")\n    app.start()\n",
            "def setup(app):\n    app.register_all()\n    app.start()\n",
            Ok("def setup(app):\n    app.register_all()\n    app.start()\n"),
        ),
    ]);
}

#[test]
fn regression_what_is_added_goes_to_the_shown_or_named_place() {
    check_additions(&[
        (
            "a form in front of a list",
            "html",
            "Add a search form:",
            "<section>\n  <h1>Teas</h1>\n\n  <form method=\"post\" action=\"/teas\">\n    <input name=\"name\">\n  </form>\n\n  <ul>\n    <li>\n      <a href=\"/1\">One</a>\n    </li>\n  </ul>\n</section>\n",
            "  <form method=\"get\" action=\"/teas\">\n    <input type=\"search\" name=\"q\">\n  </form>\n\n  <ul>\n    <li>\n      <a href=\"/1\">One</a>\n    </li>\n  </ul>\n",
            Ok(
                "<section>\n  <h1>Teas</h1>\n\n  <form method=\"post\" action=\"/teas\">\n    <input name=\"name\">\n  </form>\n\n  <form method=\"get\" action=\"/teas\">\n    <input type=\"search\" name=\"q\">\n  </form>\n\n  <ul>\n    <li>\n      <a href=\"/1\">One</a>\n    </li>\n  </ul>\n</section>\n",
            ),
        ),
        (
            "an overload of another type",
            "java",
            "add a paged variant:",
            "package shop;\n\nimport java.util.List;\n\npublic class TeaService {\n\n    private final TeaStore store;\n\n    public TeaService(TeaStore store) {\n        this.store = store;\n    }\n\n    public List<Tea> findAll() {\n        return store.findAll();\n    }\n\n    public Tea find(Long id) {\n        return store.find(id);\n    }\n}\n",
            "    public Page<Tea> findAll(Paging paging) {\n        return store.findAll(paging);\n    }\n",
            Ok(
                "package shop;\n\nimport java.util.List;\n\npublic class TeaService {\n\n    private final TeaStore store;\n\n    public TeaService(TeaStore store) {\n        this.store = store;\n    }\n\n    public List<Tea> findAll() {\n        return store.findAll();\n    }\n\n    public Page<Tea> findAll(Paging paging) {\n        return store.findAll(paging);\n    }\n\n    public Tea find(Long id) {\n        return store.find(id);\n    }\n}\n",
            ),
        ),
        (
            "entries of the named service",
            "yml",
            "add the variables to the `web` service:",
            "services:\n  web:\n    build: .\n    environment:\n      - DATABASE=main\n    depends_on:\n      - db\n\n  db:\n    image: postgres:15\n    environment:\n      POSTGRES_USER: app\n",
            "    environment:\n      - DEBUG=1\n      - LEVEL=debug\n",
            Ok(
                "services:\n  web:\n    build: .\n    environment:\n      - DATABASE=main\n      - DEBUG=1\n      - LEVEL=debug\n    depends_on:\n      - db\n\n  db:\n    image: postgres:15\n    environment:\n      POSTGRES_USER: app\n",
            ),
        ),
        (
            "a target with a variable of its own",
            "Makefile",
            "Add a target:",
            "demo: main.o\n\tcc -o demo main.o\n",
            "debug: CFLAGS = -g\ndebug: demo\n",
            Ok("demo: main.o\n\tcc -o demo main.o\n\ndebug: CFLAGS = -g\ndebug: demo\n"),
        ),
    ]);
}

#[test]
fn regression_an_element_is_the_other_form_of_the_only_one_with_its_tag_or_class() {
    const PAGE: &str = "<main>\n  <p class=\"name\">{{ name }}</p>\n  <p class=\"price\">{{ price }}</p>\n  <List teas={teas} />\n</main>\n";
    check_additions(&[
        (
            "by its class",
            "vue",
            "",
            PAGE,
            "<p class=\"price\" :class=\"{ low }\">\n  {{ price }}\n</p>\n",
            Ok(&PAGE.replace(
                "  <p class=\"price\">{{ price }}</p>\n",
                "  <p class=\"price\" :class=\"{ low }\">\n    {{ price }}\n  </p>\n",
            )),
        ),
        (
            "by its tag, over lines",
            "tsx",
            "",
            PAGE,
            "<List\n  teas={teas}\n  onDrop={drop}\n/>\n",
            Ok(&PAGE
                .replace("  <List teas={teas} />\n", "  <List\n    teas={teas}\n    onDrop={drop}\n  />\n")),
        ),
        ("one of several", "vue", "", PAGE, "<p class=\"kind\">\n  {{ kind }}\n</p>\n", Err(Reason::NoPlace)),
        ("one that is added", "tsx", "Add a list:", PAGE, "<List teas={others} />\n", Err(Reason::NoPlace)),
    ]);
}

#[test]
fn regression_lines_of_the_file_go_into_the_block_that_is_shown_around_them() {
    check_additions(&[
        (
            "a form for those who are known",
            "php",
            "",
            "@section('content')\n    <h1>Teas</h1>\n\n    <form method=\"post\">\n        <input name=\"name\">\n    </form>\n\n    <p>End</p>\n@end\n",
            "@auth\n    <form method=\"post\">\n        <input name=\"name\">\n    </form>\n@endauth\n",
            Ok(
                "@section('content')\n    <h1>Teas</h1>\n\n    @auth\n        <form method=\"post\">\n            <input name=\"name\">\n        </form>\n    @endauth\n\n    <p>End</p>\n@end\n",
            ),
        ),
        (
            "elements in another",
            "tsx",
            "",
            "export const App = () => (\n  <main>\n    <Header title={title} />\n    <List teas={teas} />\n    <p>end</p>\n  </main>\n);\n",
            "<Layout>\n  <Header title={title} />\n  <List teas={teas} />\n</Layout>\n",
            Ok(
                "export const App = () => (\n  <main>\n    <Layout>\n      <Header title={title} />\n      <List teas={teas} />\n    </Layout>\n    <p>end</p>\n  </main>\n);\n",
            ),
        ),
    ]);
}

#[test]
fn regression_a_prototype_goes_behind_the_others() {
    const HEADER: &str =
        "#ifndef TEA_H\n#define TEA_H\n\nvoid tea_add(tea_t *tea);\nvoid tea_free(tea_t *tea);\n\n#endif\n";
    check_additions(&[(
        "one more",
        "h",
        "Add the declaration:",
        HEADER,
        "bool tea_empty(const tea_t *tea);\n",
        Ok(&HEADER.replace("\n\n#endif", "\nbool tea_empty(const tea_t *tea);\n\n#endif")),
    )]);
}

#[test]
fn regression_a_list_of_yaml_may_become_a_mapping() {
    const FILE: &str = "services:\n  web:\n    image: web\n    depends_on:\n      - db\n      - cache\n";
    check_additions(&[
        (
            "all of it",
            "yml",
            "",
            FILE,
            "services:\n  web:\n    # ...\n    depends_on:\n      db:\n        condition: healthy\n      cache:\n        condition: started\n",
            Ok(
                "services:\n  web:\n    image: web\n    depends_on:\n      db:\n        condition: healthy\n      cache:\n        condition: started\n",
            ),
        ),
        (
            "without one",
            "yml",
            "",
            FILE,
            "services:\n  web:\n    # ...\n    depends_on:\n      db:\n        condition: healthy\n",
            Err(Reason::Loses),
        ),
    ]);
}

#[test]
fn regression_what_is_added_beside_most_members_removes_none_of_the_others() {
    check_additions(&[
        (
            "directives",
            "conf",
            "Add a header:",
            "location / {\n    proxy_pass http://web;\n    proxy_set_header Host $host;\n    client_max_body_size 1m;\n}\n",
            "location / {\n    proxy_pass http://web;\n    proxy_set_header Host $host;\n    proxy_set_header X-Real-IP $remote_addr;\n}\n",
            Ok(
                "location / {\n    proxy_pass http://web;\n    proxy_set_header Host $host;\n    proxy_set_header X-Real-IP $remote_addr;\n    client_max_body_size 1m;\n}\n",
            ),
        ),
        (
            "names",
            "py",
            "Add the app:",
            "APPS = [\n    \"core\",\n    \"shop\",\n    \"mail\",\n]\n",
            "APPS = [\n    \"core\",\n    \"shop\",\n    \"teas\",\n]\n",
            Ok("APPS = [\n    \"core\",\n    \"shop\",\n    \"teas\",\n    \"mail\",\n]\n"),
        ),
    ]);
}

#[test]
fn regression_a_rule_with_a_selector_like_that_of_another_replaces_none() {
    const CSS: &str = ".tea-form {\n  gap: 1rem;\n}\n\n.tea-list {\n  list-style: none;\n}\n";
    check_additions(&[(
        "a rule behind the one that is shown",
        "css",
        "",
        CSS,
        ".tea-form {\n  gap: 1rem;\n}\n\n.tea-form input {\n  flex: 1;\n}\n",
        Ok(
            ".tea-form {\n  gap: 1rem;\n}\n\n.tea-form input {\n  flex: 1;\n}\n\n.tea-list {\n  list-style: none;\n}\n",
        ),
    )]);
}

#[test]
fn regression_rules_above_a_query_of_the_file_come_behind_its_rules() {
    const CSS: &str = ".card {\n  padding: 1rem;\n}\n\n@media (max-width: 768px) {\n  .grid {\n    gap: 1rem;\n  }\n}\n\n.fade {\n  opacity: 0;\n}\n";
    let queried =
        CSS.replace("    gap: 1rem;\n  }\n", "    gap: 1rem;\n  }\n\n  .box {\n    padding: 1rem;\n  }\n");
    check_additions(&[(
        "a rule and its form on small screens",
        "css",
        "add some styles:",
        CSS,
        "/* Boxes */\n.box {\n  padding: 2rem;\n}\n\n/* Small screens */\n@media (max-width: 768px) {\n  .box {\n    padding: 1rem;\n  }\n}\n",
        Ok(&format!("{queried}\n/* Boxes */\n.box {{\n  padding: 2rem;\n}}\n")),
    )]);
}
