//! New files of plain answers: which nobody has to be asked about, which are excerpts, and in which folders they go.

use super::*;

/// What comes of an answer: `path form` of each proposal, `?` where the user has to be asked, and `!path` of each notice.
fn planned(files: &[(&str, &str)], answer: &str) -> Vec<String> {
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (_, planned) = Project::with(files).plan_of(read, &[]);
    let shown = |one: &clada_protocol::Proposal| {
        format!("{} {}{}", one.path, one.form.words(), if one.sure { "" } else { " ?" })
    };
    let notices = planned.not_read.iter().map(|one| format!("!{}", one.path.clone().unwrap_or_default()));
    planned.proposals.iter().map(shown).chain(notices).collect()
}

fn fenced(words: &str, language: &str, code: &str) -> String {
    format!("{words}\n\n```{language}\n{code}```\n")
}

const PAGES: [(&str, &str); 3] =
    [("src/pages/a.tsx", "export const a = 1;\n"), ("src/b.py", "b = 1\n"), ("README.md", "# Shop\n")];

#[test]
fn regression_a_new_file_is_certain_if_the_answer_creates_it_or_shows_all_of_it() {
    let one = "def total(rows):\n    return sum(rows)\n";
    for words in [
        "Create `src/total.py`:",
        "Create a file `src/total.py` with this content:",
        "Add a new file `src/total.py`:",
        "### `src/total.py` (new)",
        "### 1. `src/total.py` erstellen",
        "Erstelle die Datei `src/total.py`:",
        "Crea el archivo `src/total.py`:",
        "Archivo nuevo `src/total.py`:",
        "创建文件 `src/total.py`：",
        "Создайте файл `src/total.py`:",
    ] {
        assert_eq!(planned(&PAGES, &fenced(words, "python", one)), ["src/total.py new file"], "{words}");
    }
    let words = "I put it in `src/total.py`, which is new: create `src/total.py`.\n\n### `src/total.py`";
    assert_eq!(planned(&PAGES, &fenced(words, "python", one)), ["src/total.py new file"]);
    // A path says where, and not that the project lacks it: what stands above the code may be in another place.
    assert_eq!(planned(&PAGES, &fenced("`src/total.py`:", "python", one)), ["src/total.py new file"]);
    let part = one.replace("sum(", "of_cents(");
    assert_eq!(planned(&PAGES, &fenced("`src/total.py`:", "python", &part)), ["src/total.py new file ?"]);
    for words in ["`src/total.py`:", "### `src/total.py`"] {
        let all = format!("from math import fsum\n\n\n{one}");
        assert_eq!(planned(&PAGES, &fenced(words, "python", &all)), ["src/total.py new file"], "{words}");
    }
    // Words that have it for there.
    for words in [
        "Here's the updated `src/total.py`:",
        "Hier ist die aktualisierte `src/total.py`:",
        "更新后的 `src/total.py`：",
        "Here is an example `src/total.py`:",
    ] {
        let all = format!("from math import fsum\n\n\n{one}");
        let planned = planned(&PAGES, &fenced(words, "python", &all));
        assert!(planned.iter().all(|one| one.ends_with('?') || one.starts_with('!')), "{words} {planned:?}");
    }
}

#[test]
fn regression_what_only_says_where_code_is_makes_no_new_file() {
    let sort = "function sort(items: Item[]): Item[] {\n  return items.filter(item => item.weight > 5);\n}\n";
    for (words, code) in [
        ("How it packs:\n\n1. **Core** (in `lib/pack.ts`):", sort),
        ("1. **Kern** (in `lib/pack.ts`):", sort),
        ("The route `lib/pack.ts` writes:", "const to = path.join(root(), name);\n"),
    ] {
        let planned = planned(&PAGES, &fenced(words, "typescript", code));
        assert!(planned.iter().all(|one| one.starts_with('!')), "{words} {planned:?}");
    }
    let words = "Create `lib/pack.ts`:";
    assert_eq!(planned(&PAGES, &fenced(words, "typescript", sort)), ["lib/pack.ts new file"]);
    // One class of the file's name is all of it, whatever it extends.
    let class = "// FindPage.js (the search)\nclass FindPage extends BasePage {\n    render() {\n        this.setup();\n    }\n}\n";
    let files = [
        ("index.html", "<p>\n"),
        ("js/pages/BasePage.js", "class BasePage {}\n"),
        ("js/pages/HomePage.js", "class HomePage {}\n"),
    ];
    assert_eq!(planned(&files, &fenced("Pages:", "javascript", class)), ["js/pages/FindPage.js new file ?"]);
    // A README that its own fences end.
    let readme = "Here's a README.md:\n\n```\n# Quiz\n\n1. Install the packages:\n\n```\npip install x\n```\n\n2. Run the `main.py` script:\n\n```\npython main.py\n```\n\n## Rules\n\n1. Click on an answer.\n\n```\n";
    let planned = planned(&[("main.py", "print(1)\n")], readme);
    assert!(planned.iter().all(|one| one == "!README.md"), "{planned:?}");
}

#[test]
fn regression_an_excerpt_is_no_new_file() {
    let hooks = "const [a, setA] = useState<number>(1);\nconst [b, setB] = useState<string>(2);\n";
    for words in [
        "#### `src/Edit.tsx` (NEW)\n\n- A reason is required\n\n**State:**",
        "Your route is defined in your `src/Edit.tsx` file:",
        "Ihre `src/Edit.tsx` hat diese Zustände:",
        "En tu archivo `src/Edit.tsx`:",
        "在您的 `src/Edit.tsx` 中：",
    ] {
        let planned = planned(&PAGES, &fenced(words, "typescript", hooks));
        assert!(planned.iter().all(|one| one == "!src/Edit.tsx"), "{words} {planned:?}");
    }
    let plan = "### Part 1: The window in run_pond.jl\n\n1. Add `using Gtk` (line ~18)\n2. Create the window's function:";
    let code = "function open_window()\n  win = Window(\"Pond\")\n  return win\nend\n";
    assert_eq!(planned(&PAGES, &fenced(plan, "julia", code)), ["!run_pond.jl"]);
    let signatures = "export class Receipts {\n  // One\n  async one(id: string): Promise<string>\n\n  // All\n  async all(): Promise<string[]>\n}\n";
    let words = "#### `src/receipts.ts` (NEW)\n\n**Key Functions:**";
    assert_eq!(planned(&PAGES, &fenced(words, "typescript", signatures)), ["!src/receipts.ts"]);
    // Added to the end of what is not there, with a mark of code that is left out.
    let answer = fenced(
        "Fügen Sie am Ende der Datei `tool.py` hinzu:",
        "python",
        "// ...existing code...\n\ndef main():\n    pass\n",
    );
    assert_eq!(planned(&PAGES, &answer), ["!tool.py"]);
}

#[test]
fn regression_a_sample_that_the_reader_fills_in_is_no_new_file() {
    for (words, language, code) in [
        ("Create `003_chat.sql`:", "sql", "-- (Copy from section 6.1 above)\n"),
        (
            "Create `log/chat.md` and paste all prompts:",
            "markdown",
            "# Log\n\n**Me:** a\n**Bot:** [paste response]\n",
        ),
        ("Update `.env`:", "env", "API_URL=https://your-production-api.com\n"),
        ("### Change the colours", "css", "/* ChatBox.css */\n.chat {\n  color: #your-color1;\n}\n"),
        ("The script creates 2 files:\n\n1. **`map.csv`** - all videos", "csv", "video,type\na,b\n"),
        ("Das Skript erzeugt zwei Dateien:\n\n1. **`map.csv`**", "csv", "video,type\na,b\n"),
        ("The syntax for `tools/find.sh` is this:", "sh", "grep -r \"search_string\" /path/to/directory\n"),
        (
            "An example of what `src/list.py` should look like if it has the class:",
            "python",
            "class List:\n    x = 1\n",
        ),
        (
            "**Common faults in `pyproject.toml`**",
            "toml",
            "# Wrong:\nexclude = [\"\\.git\"]\n\n# Better:\nexclude = [\".git\"]\n",
        ),
    ] {
        assert_eq!(planned(&PAGES, &fenced(words, language, code)), [""; 0], "{words}");
    }
    let env = "Create `.env`:";
    assert_eq!(planned(&PAGES, &fenced(env, "env", "KEY=your-key\n")), [".env new file"]);
    let gap = "# Existing vars...\n\nAPI_URL=http://localhost\n";
    assert_eq!(planned(&PAGES, &fenced("Update `.env` in `shop-api/`:", "env", gap)), ["!shop-api/.env"]);
}

#[test]
fn regression_a_bare_new_name_goes_where_its_like_are() {
    let files = [
        ("app.js", "const a = 1;\n"),
        ("routes/authRoutes.js", "const a = 1;\n"),
        ("routes/newsRoutes.js", "const a = 1;\n"),
        ("controller/authController.js", "const a = 1;\n"),
        ("model/userModel.js", "const a = 1;\n"),
        ("pkg/cart_test.go", "package pkg\n"),
        ("main.go", "package main\n"),
        ("modules/other.js", "export default 1;\n"),
    ];
    for (name, folder, language, code) in [
        (
            "eventsRoutes.js",
            "routes/",
            "javascript",
            "const c = require('../controller/events');\n\nmodule.exports = c;\n",
        ),
        ("eventModel.js", "model/", "javascript", "module.exports = 1;\n"),
        ("items_test.go", "pkg/", "go", "package pkg\n"),
        ("start.js", "", "javascript", "module.exports = 1;\n"),
    ] {
        let planned = planned(&files, &fenced(&format!("Create `{name}`:"), language, code));
        assert!(planned[0].starts_with(&format!("{folder}{name} new file")), "{name} {planned:?}");
    }
    let tree = "The structure:\n\n```\nnotes/\n├── app.js\n└── modules/\n    └── toText.js\n```\n\nCreate toText.js:";
    let code = "export default function toText() {}\n";
    assert_eq!(planned(&files, &fenced(tree, "javascript", code)), ["modules/toText.js new file ?"]);
    let import =
        "`app.js`:\n\n```javascript\nimport toText from './modules/toText.js';\n```\n\nCreate `toText.js`:";
    assert!(
        planned(&files, &fenced(import, "javascript", code))
            .contains(&"modules/toText.js new file ?".to_owned())
    );
    let words = "Create a new file `start.ts` in the `src` directory:";
    assert_eq!(
        planned(&files, &fenced(words, "typescript", "import app from './server';\n\napp.listen(1);\n")),
        ["src/start.ts new file"]
    );
    let settings = "{\n  \"python.analysis\": true,\n  \"search.exclude\": {}\n}\n";
    let planned_settings = planned(&files, &fenced("**`settings.json`**", "json", settings));
    assert!(planned_settings[0].starts_with(".vscode/settings.json new file"), "{planned_settings:?}");
    let system = "Откройте файл `pg_hba.conf`:";
    assert_eq!(planned(&files, &fenced(system, "", "local all all md5\n")), [""; 0]);
}

#[test]
fn regression_what_is_created_although_it_is_there_is_asked_about() {
    let files = [("src/a.py", "import os\n\n\ndef a():\n    return os.name\n")];
    let whole = "import os\n\n\ndef a():\n    return os.sep\n";
    for (words, sure) in [
        ("Create `src/a.py`:", false),
        ("`src/a.py` (archivo nuevo):", false),
        ("Neue Datei `src/a.py`:", false),
        ("Here's the new `src/a.py`:", true),
        ("Update `src/a.py`:", true),
    ] {
        let expected = format!("src/a.py whole file{}", if sure { "" } else { " ?" });
        assert_eq!(planned(&files, &fenced(words, "python", whole)), [expected], "{words}");
    }
    let other = "import httpx\n\n\ndef fetch():\n    return httpx.get('/')\n\n\ndef seed():\n    fetch()\n\n\nseed()\n";
    assert_eq!(planned(&files, &fenced("Create the script `src/a.py`:", "python", other)), ["!src/a.py"]);
}

const MODEL: &str = "<?php\n\nnamespace App\\Models;\n\nclass Book\n{\n    public $title;\n}\n";

/// A new class with a namespace went to one of all folders.
#[test]
fn regression_a_namespace_says_the_folder_of_a_new_class() {
    let files = [
        ("app/Models/Book.php", MODEL),
        ("routes/web.php", "<?php\n\nroute('/');\n"),
        ("tests/a.php", "<?php\n"),
    ];
    let code = "<?php\n\nnamespace App\\Mail;\n\nclass Letter\n{\n    public $to;\n}\n";
    assert_eq!(
        planned(&files, &fenced("**1. Create `Letter.php`:**", "php", code)),
        ["app/Mail/Letter.php new file ?"]
    );
    assert_eq!(
        planned(&files, &fenced("**`Mail/Letter.php`**", "php", code)),
        ["app/Mail/Letter.php new file ?"]
    );
    // The class alone is a name, too.
    assert_eq!(
        planned(&files, &fenced("Create a new class `Letter`:", "php", code)),
        ["app/Mail/Letter.php new file ?"]
    );
    assert!(planned(&files, &fenced("Use the class `Letter`:", "php", code)).is_empty());
    let java = "package org.shop.cart;\n\nimport java.util.List;\n\npublic class Cart {\n    List<String> rows;\n}\n";
    let files = [
        ("src/main/java/org/shop/user/User.java", "package org.shop.user;\n\npublic class User {\n}\n"),
        ("src/test/java/org/shop/user/UserTest.java", "package org.shop.user;\n\nclass UserTest {\n}\n"),
    ];
    assert_eq!(
        planned(&files, &fenced("### `Cart.java`", "java", java)),
        ["src/main/java/org/shop/cart/Cart.java new file ?"]
    );
    assert_eq!(
        planned(&files, &fenced("### `CartTest.java`", "java", &java.replace("Cart {", "CartTest {"))),
        ["src/test/java/org/shop/cart/CartTest.java new file ?"]
    );
}

/// A second configuration was made beside the one that there is; a part of a plan was a plan.
#[test]
fn regression_files_with_another_ending_and_markers_of_editors_are_no_new_files() {
    let files = [
        ("vite.config.ts", "import a from 'b'\n\nexport default a({ c: 1 })\n"),
        ("src/a.ts", "let a = 1\n"),
    ];
    let code = "module.exports = {\n  c: 2,\n}\n";
    for words in ["Edit your `vite.config.js`:", "1. **Edit your `vite.config.js`**\n   Set the option:"] {
        assert_eq!(planned(&files, &fenced(words, "js", code)), ["!vite.config.js"], "{words}");
    }
    let plan = "// ...existing code...\n\n### Problems\n\nNone.\n";
    assert_eq!(planned(&files, &fenced("### `docs/plan.md`", "markdown", plan)), ["!docs/plan.md"]);
    let spread =
        "import React from 'react'\n\nexport const A = (props) => (\n  <div\n    {...props}\n  />\n)\n";
    assert_eq!(planned(&files, &fenced("Create `src/A.tsx`:", "tsx", spread)), ["src/A.tsx new file"]);
    let imports = "import {\n  a,\n  b\n} from './src/a'\n";
    let words = "The import in your component `board.ts` should be:";
    assert!(planned(&files, &fenced(words, "ts", imports)).iter().all(|one| one.starts_with('!')));
}

/// `./parts/B.vue`, seen from a file that the answer names without its folder, was seen from the root.
#[test]
fn regression_imports_are_seen_from_the_file_that_a_bare_name_means() {
    let files = [
        (
            "src/Page.vue",
            "<script setup>\nimport A from './parts/A.vue'\n</script>\n\n<template>\n  <A />\n</template>\n",
        ),
        ("src/parts/A.vue", "<template>\n  <p />\n</template>\n"),
    ];
    let page =
        "<script setup>\nimport B from './parts/B.vue'\n</script>\n\n<template>\n  <B />\n</template>\n";
    let answer = format!(
        "{}\n{}",
        fenced("Create `B.vue`:", "vue", "<template>\n  <b />\n</template>\n"),
        fenced("`Page.vue`:", "vue", page)
    );
    let planned = planned(&files, &answer);
    assert_eq!(planned.first().map(String::as_str), Some("src/parts/B.vue new file ?"), "{planned:?}");
}

/// Absolute paths of another machine name files of the project's own folder, and addresses of pages name none.
#[test]
fn regression_absolute_paths_have_the_root_of_other_paths_of_the_answer() {
    let files =
        [("main.js", "function run() {\n  return 1;\n}\n"), ("lib/a.js", "function a() {\n  return 1;\n}\n")];
    let answer = |root: &str| {
        format!(
            "### [main.js](file:///{root}/main.js)\n\nReturn more than `lib/a.js`.\n\n```js\nfunction run() {{\n  return 2;\n}}\n```\n\n### [a.js](file:///{root}/lib/a.js)\n\n```js\nfunction a() {{\n  return 3;\n}}\n```\n\n### [b.js](file:///{root}/doc/b.js)\n\nCreate it.\n\n```js\nexport default 4;\n```\n"
        )
    };
    for root in ["d%3A/work/board", "home/me/board-old", "srv/git/board"] {
        let found = planned(&files, &answer(root));
        let paths: Vec<&str> = found.iter().filter_map(|one| one.split(' ').next()).collect();
        assert_eq!(paths, ["main.js", "lib/a.js", "doc/b.js"], "{root} {found:?}");
    }
    let run = "function run(a) {\n  const rows = load(a);\n  sort(rows);\n  return rows;\n}\n";
    let code = run.replace("sort(rows)", "order(rows)");
    let answer = fenced("The page is `/board/tasks/all`. I'll change `run`:", "js", &code);
    let found = planned(&[("main.js", run), ("lib/a.js", "a();\n")], &answer);
    assert!(found.iter().any(|one| one.starts_with("main.js ")), "{found:?}");
}

/// A part of a file that the project lacks was proposed as a new one, in each of its folders.
#[test]
fn regression_a_part_of_a_missing_file_is_named_and_not_made() {
    let files = [
        ("lib/a/x.ex", "defmodule X do\nend\n"),
        ("lib/b/y.ex", "defmodule Y do\nend\n"),
        ("src/a.js", "export const a = 1;\n"),
    ];
    let function = "def total(rows) do\n  Enum.sum(rows)\nend\n";
    for (words, language, code, path) in [
        ("Updated `total/1` in `sums.ex`:", "elixir", function, "!sums.ex"),
        ("Add the import at the top of `find.js`:", "js", "import a from './a.js';\n", "!find.js"),
        ("Change the port in `compose.prod.yaml`:", "yaml", "  - \"80:80\"\n", "!compose.prod.yaml"),
    ] {
        assert_eq!(planned(&files, &fenced(words, language, code)), [path], "{words}");
    }
    let commented = format!("```elixir\n# lib/a/sums.ex\n  {}```\n", function.replace('\n', "\n  "));
    assert_eq!(planned(&files, &commented), ["!lib/a/sums.ex"]);
    // Text that is none of its kind.
    let text = "Read this.\n\nThen set `A=1`.\n";
    assert_eq!(planned(&files, &fenced("Create `.env.local`:", "", text)), [""; 0]);
    // The file that the words have for there, and one of its pieces.
    let piece = "Your `jobs.json` holds two jobs:\n\n#### \"Run `src/a.js` daily\"\n\n```json\n{\n  \"name\": \"a\"\n}\n```\n";
    assert!(planned(&files, piece).iter().all(|one| one.starts_with('!')));
}

/// "Contents:" below the name of a file was taken for a label of a piece; the file that a new one follows for the new one.
#[test]
fn regression_a_form_names_a_new_file_and_its_model_is_another() {
    let files = [(".env.sample", "NAME=\nURL=\n"), ("a.py", "x = 1\n")];
    let code = "NAME=board\nURL=http://a.test\n";
    let form = "**File name**: `.env`\n**Place**: beside `a.py`\n\n**Contents**:";
    assert_eq!(planned(&files, &fenced(form, "", code)), [".env new file ?"]);
    let words = "Based on the contents of `.env.sample` I create `.env`:";
    assert_eq!(planned(&files, &fenced(words, "", code)), [".env new file ?"]);
}

/// Trees with the absolute path of the project, and paths elsewhere in the answer, give the folder of a bare name.
#[test]
fn regression_a_bare_new_name_goes_where_the_answer_has_it() {
    let files = [
        ("package.json", "{}\n"),
        ("src/a.js", "export const a = 1;\n"),
        ("lib/b.js", "export const b = 1;\n"),
    ];
    let code = fenced("**Create `setup.js`:**", "js", "import { a } from 'a';\n\na();\n");
    let tree = "```\n/home/me/shop/\n├── tests/\n│   └── setup.js\n└── package.json\n```\n\n";
    assert_eq!(planned(&files, &format!("{tree}{code}")), ["tests/setup.js new file ?"]);
    let mention = "The tests read `tests/unit/setup.js` first.\n\n";
    assert_eq!(planned(&files, &format!("{mention}{code}")), ["tests/unit/setup.js new file ?"]);
}
