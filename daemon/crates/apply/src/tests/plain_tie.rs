//! Plain answers: the file that code is for, and versions of one place.

use clada_protocol::{Attention, Proposal};

use super::*;

/// What comes of an answer: `path form` of each proposal, `?` where the choice is open, and `!path` of each notice.
fn tied(files: &[(&str, &str)], answer: &str) -> Vec<String> {
    let project = Project::with(files);
    let (_, planned) = project.plan_of(read(answer), &[]);
    let shown = |proposal: &Proposal| {
        let open = if proposal.attention.contains(&Attention::Choice) { " ?" } else { "" };
        format!("{} {}{open}", proposal.path, proposal.form.words())
    };
    let listed = planned.proposals.iter().filter(|proposal| proposal.is_listed());
    let notices =
        planned.not_read.iter().map(|notice| format!("!{}", notice.path.clone().unwrap_or_default()));
    listed.map(shown).chain(notices).collect()
}

/// The text of `path` after all that `answer` proposes was accepted.
fn read(text: &str) -> Answer {
    Reading::new(None, &Settings::default()).unwrap().read(text)
}

fn applied(files: &[(&str, &str)], answer: &str, path: &str) -> Option<String> {
    let project = Project::with(files);
    let (plan, planned) = project.plan_of(read(answer), &[]);
    let listed = planned.proposals.iter().filter(|proposal| proposal.is_listed());
    let ids: Vec<&str> = listed.map(|proposal| &*proposal.id).collect();
    let applied = project.apply(&plan, Some(&ids), Deliver::Disk);
    assert!(applied.results.iter().all(|result| result.kind.is_none()), "{applied:#?}");
    project.text(path)
}

const LAMP: &str = "class Lamp:\n    def __init__(self, name: str):\n        self.name = name\n\n    def glow(self):\n        return self.name\n";
const ROOM: &str = "class Room:\n    def __init__(self, lamps: list, size: int):\n        self.lamps = lamps\n        self.size = size\n";

#[test]
fn regression_a_type_that_is_named_near_beats_a_label_further_up() {
    let files = [("home/lamp.py", LAMP), ("home/room.py", ROOM)];
    let answer = |words: &str, code: &str| {
        format!(
            "### `home/room.py`\n\n```python\nself.lamps.append(Lamp(\"a\"))\n```\n\n{words}\n\n```python\n{code}```\n"
        )
    };
    let code = "def __init__(self, name: str):\n    print(name)\n    self.name = name\n";
    let near = tied(&files, &answer("To look closer, log in the `Lamp` class:", code));
    assert!(near.iter().any(|one| one.starts_with("home/lamp.py")), "{near:?}");
    assert!(!near.iter().any(|one| one.starts_with("home/room.py part")), "{near:?}");
    // A type that the code only uses names no file.
    let own = "def __init__(self, lamps: list, size: int):\n    self.lamps = [Lamp(name) for name in lamps]\n    self.size = size\n";
    let used = tied(&files, &answer("Make a `Lamp` of each name:", own));
    assert!(used.iter().any(|one| one.starts_with("home/room.py part")), "{used:?}");
    // A comment in the first line gives the place, and is no content.
    let comment = "Do it like this:\n\n```python\n# In Lamp, the name alone\ndef glow(self):\n    return self.name.upper()\n```\n";
    let text = applied(&files, comment, "home/lamp.py").unwrap();
    assert!(text.contains("upper()") && !text.contains("# In Lamp"), "{text}");
    let stock = "package shop;\n\npublic class Stock {\n    // Kept in memory\n    private final Map<String, List<Item>> items;\n\n    public boolean restock(Item item) {\n        return items.add(item);\n    }\n}\n";
    let shown = "// In Stock\nprivate final Map<String, Set<Item>> items;\n\npublic boolean restock(Item item) {\n    return items.add(item) && sort();\n}\n";
    let text = applied(
        &[("shop/Stock.java", stock)],
        &format!("In `shop/Stock.java`:\n\n```java\n{shown}```\n"),
        "shop/Stock.java",
    );
    let wanted =
        stock.replace("List<Item>> items", "Set<Item>> items").replace("add(item);", "add(item) && sort();");
    assert_eq!(text.as_deref(), Some(&*wanted));
}

#[test]
fn regression_a_local_variable_ties_no_code_to_a_file() {
    let files = [
        (
            "src/pages.ts",
            "import { a } from 'a';\n\nconst cleaned = (id: string) => id.trim();\n\nexport const pages = [cleaned];\n",
        ),
        (
            "test/a.test.ts",
            "describe('a', () => {\n  it('works', () => {\n    expect(1).toBe(1);\n  });\n});\n",
        ),
    ];
    let answer = "Cast it:\n\n```ts\nit('keeps it', () => {\n  const cleaned = run({ a: 1 } as any);\n\n  expect(cleaned.a).toBe(1);\n});\n```\n";
    assert_eq!(tied(&files, answer), [""; 0]);
    // A definition that nothing holds still does.
    let answer = "Like so:\n\n```ts\nconst cleaned = (id: string) => id.trim().toLowerCase();\n```\n";
    assert_eq!(tied(&files, answer), ["src/pages.ts part"]);
}

#[test]
fn regression_a_member_at_the_margin_is_not_the_whole_file() {
    let file = "from app.words import *\nfrom app.sizes import *\n\nclass Row:\n    def __init__(self, name):\n        self.name = name\n\n    def kind(self):\n        if self.name.isupper():\n            return \"head\"\n        return \"row\"\n";
    let code = "from app.sizes import LARGE\n\ndef kind(self):\n    if self.name.isupper() and self.name not in LARGE:\n        return \"head\"\n    return \"row\"\n";
    let proposed = tied(&[("app/row.py", file)], &format!("`app/row.py`:\n\n```python\n{code}```\n"));
    assert!(!proposed.contains(&"app/row.py whole file".to_owned()), "{proposed:?}");
}

const LOANS: &str = "import { db } from './db';\n\nexport class Loans {\n  seen: string[] = [];\n\n  lend(card: string): boolean {\n    if (!card) {\n      console.warn('no card');\n      return false;\n    }\n    this.seen.push(card);\n    return true;\n  }\n\n  count(): number {\n    return this.seen.length;\n  }\n}\n";

#[test]
fn regression_pieces_that_replace_the_same_lines_are_a_choice() {
    let answer = |second: &str| {
        format!(
            "`src/loans.ts`:\n\nKurz:\n\n```ts\n  lend(card: string): boolean {{\n    if (!card || this.knows(card)) {{\n      return false;\n    }}\n    this.seen.push(card);\n    return true;\n  }}\n\n  knows(card: string): boolean {{\n    return this.seen.includes(card);\n  }}\n```\n\nNoch kürzer:\n\n```ts\n{second}```\n"
        )
    };
    let files = [("src/loans.ts", LOANS)];
    let other = "  lend(card: string): boolean {\n    const added = card !== '' && !this.seen.includes(card);\n    if (added) {\n      this.seen.push(card);\n    }\n    return added;\n  }\n";
    assert_eq!(tied(&files, &answer(other)), ["src/loans.ts part ?", "src/loans.ts part ?"]);
    // A piece for another place goes on.
    let count = "  count(): number {\n    return new Set(this.seen).size;\n  }\n";
    assert_eq!(tied(&files, &answer(count)), ["src/loans.ts part"]);
    // So does one that has what the first adds.
    let more = "  lend(card: string): boolean {\n    if (!card || this.knows(card)) {\n      return false;\n    }\n    this.seen.push(card.trim());\n    return true;\n  }\n";
    assert_eq!(tied(&files, &answer(more)), ["src/loans.ts part"]);
}

#[test]
fn regression_an_item_between_two_fences_ends_a_pair_and_placeholders_are_no_code() {
    let file = "class Cell:\n    def prefix(self):\n        ret = \"\"\n        if self.first:\n            ret = \"$ \"\n        return ret\n";
    let files = [("models/cell.py", file)];
    let answer = "In `models/cell.py` you have two ways:\n\n1. To lose it, comment this out:\n```python\nif self.first:\n    ret = \"$ \"\n```\n\n2. For another condition:\n```python\nif some_other_condition:\n    ret = \"$ \"\n```\n";
    assert_eq!(tied(&files, answer), [""; 0]);
    let answer = "1. In `models/cell.py`, `prefix`:\n```python\n# Old version\ndef prefix(self):\n    ret = \"\"\n    return ret\n```\n";
    assert_eq!(tied(&files, answer), [""; 0]);
}

#[test]
fn regression_a_new_file_goes_where_the_code_is() {
    let files = [
        ("lib/main.dart", "void main() {}\n"),
        ("lib/views/home.dart", "class Home {}\n"),
        ("lib/models/user.dart", "class User {}\n"),
        ("test/user_test.dart", "void main() {}\n"),
        ("agent/run.py", "print(1)\n"),
        ("web/tests/slow/time.test.ts", "test('a', () => {});\n"),
        ("web/tests/unit/size.test.ts", "test('b', () => {});\n"),
    ];
    for (answer, expected) in [
        (
            "```dart\n// providers/diary.dart\nclass Diary {}\n```\n",
            &["lib/providers/diary.dart new file"][..],
        ),
        (
            "```dart\n// test_driver/diary.dart\nclass Diary {}\n```\n",
            &["lib/test_driver/diary.dart new file"],
        ),
        ("```dart\n// scripts/diary.dart\nclass Diary {}\n```\n", &["scripts/diary.dart new file"]),
        ("```python\n# jobs/diary.py\nclass Diary: pass\n```\n", &["jobs/diary.py new file"]),
        (
            "Create `.env.example` in agent directory with:\n\n```\nKEY=1\n```\n",
            &["agent/.env.example new file"],
        ),
        (
            "Create `.env.example` in the root directory with:\n\n```\nKEY=1\n```\n",
            &[".env.example new file"],
        ),
        ("- Move `time.test.ts` to `tests/unit/`\n", &["web/tests/slow/time.test.ts moves"]),
        ("Use it:\n\n```dart\nclass Page {}\n```\n\nCreate the `.g.dart` file before.\n", &[]),
        (
            "Update the imports:\n\n```python:flow/steps.py\nfrom flow.base import Step\nimport os\n```\n",
            &["!flow/steps.py"],
        ),
        (
            "In report.html from before I noticed this section:\n\n```javascript\n\"flags\": {\n  \"draft\": false\n}\n```\n",
            &[],
        ),
    ] {
        let proposed: Vec<String> =
            tied(&files, answer).into_iter().map(|one| one.split(" ?").next().unwrap().to_owned()).collect();
        assert_eq!(proposed, expected, "{answer}");
    }
    let moved = "- Move `time.test.ts` to `tests/unit/`\n";
    assert!(applied(&files, moved, "web/tests/unit/time.test.ts").is_some());
}

#[test]
fn regression_a_bare_name_is_the_file_that_fits_best_or_a_choice() {
    let root = "{\n  \"name\": \"kitchen\",\n  \"scripts\": {\n    \"dev\": \"cd web && next dev\",\n    \"e2e\": \"cd web && npm run e2e\"\n  }\n}\n";
    let web = "{\n  \"name\": \"web\",\n  \"scripts\": {\n    \"dev\": \"next dev\",\n    \"e2e\": \"playwright test\"\n  }\n}\n";
    let files = [("package.json", root), ("web/package.json", web)];
    let answer = "### Package.json scripts\n\nIn `package.json`:\n\n```json\n{\n  \"scripts\": {\n    \"dev\": \"next dev\",\n    \"unit\": \"jest\"\n  }\n}\n```\n";
    assert_eq!(tied(&files, answer), ["package.json part ?", "web/package.json part ?"]);
    let own = answer.replace("next dev", "cd web && next dev");
    assert_eq!(tied(&files, &own), ["package.json part"]);
    // A heading that is the name of a folder chooses between files of one name.
    let list = "[app]\nname = x\n";
    let files = [("ios/run/app.ini", list), ("macos/run/app.ini", list)];
    let answer = "### **iOS**\nIn `app.ini`:\n\n```ini\n[app]\nname = a\n```\n\n### **macOS**\nIn `app.ini`:\n\n```ini\n[app]\nname = b\n```\n";
    let proposed = tied(&files, answer);
    assert!(
        proposed.len() == 2 && proposed[0].starts_with("ios/") && proposed[1].starts_with("macos/"),
        "{proposed:?}"
    );
}

#[test]
fn regression_what_states_a_change_is_not_passed_over() {
    let gate = "import 'core.dart';\nimport 'pages.dart';\n\nclass Gate extends Widget {\n  const Gate();\n\n  Widget build(BuildContext context) {\n    return Stream(\n      source: Auth.changes(),\n      builder: (context) => const HomePage(),\n    );\n  }\n}\n";
    let files = [
        ("lib/gate.dart", gate),
        ("conf.json", "{\n  \"a\": [\"x\"]\n}\n"),
        ("cell.py", "def a():\n    b = 1\n    c = 2\n    return b\n"),
    ];
    let watched = gate.replace("Auth.changes()", "session");
    let other = gate.replace("Auth.changes()", "Auth.tokens()");
    let named = format!("### 2. Sửa Gate hiện tại:\n\n```dart\n// lib/gate.dart\n{watched}```\n");
    assert_eq!(tied(&files, &named), ["lib/gate.dart whole file"]);
    let two = format!(
        "## Solution 1: tokens\n\n```dart\n{other}```\n\n## Solution 2: the session\n\n```dart\n{watched}```\n"
    );
    assert_eq!(tied(&files, &two), ["lib/gate.dart whole file ?", "lib/gate.dart whole file ?"]);
    let json = "In `conf.json`, take all:\n\n```typescript\n{\n  \"a\": [\"x\", \"y\"]\n}\n```\n";
    assert_eq!(tied(&files, json), ["conf.json whole file"]);
    let removal = "Remove these lines from `cell.py`:\n\n```python\nc = 2\n```\n";
    assert_eq!(applied(&files, removal, "cell.py").unwrap(), "def a():\n    b = 1\n    return b\n");
    assert_eq!(tied(&files, &removal.replace("Remove", "If you want, remove")), [""; 0]);
}

#[test]
fn regression_code_without_the_comments_of_its_file_changes_nothing() {
    let file = "def a():\n    # first\n    b = 1\n    return b\n\n\ndef c():\n    return 2\n";
    let answer = |words: &str, code: &str| format!("{words}\n\n```python\n{code}```\n");
    let shown = "def a():\n    b = 1\n    return b\n";
    assert_eq!(tied(&[("x.py", file)], &answer("`x.py`:", shown)), [""; 0]);
    assert_eq!(tied(&[("x.py", file)], &answer("Without the comment, `x.py`:", shown)), ["x.py part"]);
}

#[test]
fn regression_pieces_that_together_lose_a_definition_are_refused() {
    let file = format!(
        "def rows(sheet):\n{}    return 1\n",
        (0..30).map(|at| format!("    step{at}(sheet)\n")).collect::<String>()
    );
    let lines = |count: usize| (0..count).map(|at| format!("    step{at}(sheet)\n")).collect::<String>();
    let piece = |count: usize| {
        format!("```python\ndef rows(sheet):\n{}    last{count}()\n    return 1\n```\n", lines(count))
    };
    let proposed = tied(&[("r.py", &file)], &format!("`r.py`:\n\n{}\nThen:\n\n{}", piece(20), piece(10)));
    assert!(!proposed.is_empty(), "{proposed:?}");
    let text =
        applied(&[("r.py", &file)], &format!("`r.py`:\n\n{}\nThen:\n\n{}", piece(20), piece(10)), "r.py")
            .unwrap();
    assert!(text.lines().count() * 2 > file.lines().count(), "{text}");
}

#[test]
fn regression_a_fragment_is_no_new_file_and_what_leaves_lines_out_neither() {
    let new = |words: &str, code: &str| {
        tied(&[("app/main.py", "x = 1\n")], &format!("{words}\n\n```\n{code}```\n"))
    };
    for (words, code) in [
        // Manifests without their heads, an element, a method, a member.
        ("`pom.xml`:", "<dependency>\n  <groupId>a</groupId>\n</dependency>\n"),
        ("`docker-compose.yaml`:", "ports:\n  - \"3307:3306\"\n"),
        ("`openapi.yaml`:", "/teams:\n  get: {}\n"),
        ("`Cargo.toml`:", "[dependencies]\nserde = \"1\"\n"),
        ("`src/List.tsx`:", "{rows.length > 0 && (\n  <Table rows={rows} />\n)}\n"),
        ("`src/List.tsx`:", "<Table rows={rows} />\n"),
        ("`src/text.py`:", "def clean(self, text):\n    return text.strip()\n"),
        ("`src/text.py`:", "async def clean(self):\n    return 1\n"),
        // Lines of a file that the project does not have.
        ("**Cleaning** (`src/text.py` lines 183-195):", "def clean(text):\n    return text.strip()\n"),
        ("Zeile 12 in `src/text.py`:", "x = 2\n"),
    ] {
        assert_eq!(new(words, code), [""; 0], "{words} {code}");
    }
    for (path, code) in [
        ("src/List.tsx", "export const List = () => {\n  // ...\n  return rows.map(row);\n};\n"),
        ("src/list.py", "def rows():\n    # ...\n    return all\n"),
        ("api.yaml", "openapi: 3.0.0\npaths:\n  ...\n"),
        ("src/notes.ts", "interface Notes {\n  examples: string[];\n  // …other extension points\n}\n"),
        ("src/a.rs", "fn main() {\n    ...\n}\n"),
    ] {
        assert_eq!(new(&format!("`{path}`:"), code), [format!("!{path}")], "{code}");
    }
    for (path, code) in [
        ("src/list.py", "class Rows:\n    ...\n"),
        ("src/text.py", "class A:\n    def clean(self):\n        return 1\n"),
        ("docker-compose.yaml", "services:\n  db:\n    image: mariadb\n"),
        ("src/List.tsx", "import { Table } from './table';\n\nexport const List = () => <Table />;\n"),
        ("a.yaml", "a: 1\n...\n"),
    ] {
        assert_eq!(new(&format!("`{path}`:"), code), [format!("{path} new file")], "{code}");
    }
}

#[test]
fn regression_a_change_in_a_file_that_is_not_there_is_a_question() {
    let asked = |words: &str| {
        let project = Project::with(&[("app/main.py", "x = 1\n")]);
        let answer = format!("{words}\n\n```py\nimport os\n\nprint(1)\n```\n");
        let (_, planned) =
            project.plan_of(Reading::new(None, &Settings::default()).unwrap().read(&answer), &[]);
        planned.proposals.iter().map(|proposal| !proposal.sure).collect::<Vec<_>>()
    };
    for words in ["Change the port in `app/conf.py`:", "Edit the list in `app/conf.py`:"] {
        assert_eq!(asked(words), [true], "{words}");
    }
    for words in ["Create `app/conf.py`:", "`app/conf.py`:", "Put this in `app/conf.py`:"] {
        assert_eq!(asked(words), [false], "{words}");
    }
}

#[test]
fn regression_a_command_does_not_write_where_an_earlier_one_moves_a_file() {
    let files = [("docs/README.md", "# Long\n\nText.\n"), ("a.md", "a\n")];
    let shell = |commands: &str| tied(&files, &format!("Then:\n\n```bash\n{commands}```\n"));
    for commands in [
        "mv docs/README.md docs/LONG.md\necho \"# Short\" > docs/README.md\necho more >> docs/README.md\n",
        "git mv a.md b.md\necho b > b.md\n",
        "mv a.md b.md\ncp docs/README.md a.md\n",
    ] {
        let proposed = shell(commands);
        assert!(proposed.iter().all(|one| one.starts_with('!')) && !proposed.is_empty(), "{proposed:?}");
    }
    assert_eq!(shell("mv a.md b.md\necho c > c.md\n"), ["a.md moves", "c.md new file"]);
}

#[test]
fn regression_a_variable_of_a_common_name_ties_no_code_without_a_line_in_common() {
    let files = [(
        "src/Pie.tsx",
        "const chartData = rows.map(toSlice);\nexport const Pie = () => draw(chartData);\n",
    )];
    let answer = |code: &str| format!("Turn zeros into gaps:\n\n```ts\n{code}```\n");
    let other = "const chartData = detail ? detail.series.map(d => ({\n  ...d,\n})) : [];\n";
    assert_eq!(tied(&files, &answer(other)), [""; 0]);
}

#[test]
fn regression_data_that_could_be_read_can_be_read_afterwards() {
    let file = "{\n  \"info\": {\n    \"name\": \"Rota\"\n  },\n  \"item\": [\n    {\n      \"name\": \"List\"\n    }\n  ]\n}\n";
    let code = "Make a collection:\n\"info\": {\n    \"name\": \"Rota\"\n  },\n";
    let proposed = tied(&[("a.json", file)], &format!("`a.json`:\n\n```\n{code}```\n"));
    assert!(!proposed.iter().any(|one| one.starts_with("a.json")), "{proposed:?}");
}

#[test]
fn regression_a_diff_whose_signs_are_followed_by_a_blank_keeps_its_tabs() {
    let file = "class Shift\n{\n\t/// Creates it.\n\tvoid Make();\n}\n";
    let answer = "In `src/Shift.cs`:\n\n```diff\n  class Shift\n  {\n+ \tint early;\n+ \n  \t/// Creates it.\n- \tvoid Make();\n+ \tvoid Create();\n```\n";
    let text = applied(&[("src/Shift.cs", file)], answer, "src/Shift.cs").unwrap();
    assert_eq!(text, "class Shift\n{\n\tint early;\n\n\t/// Creates it.\n\tvoid Create();\n}\n");
}

#[test]
fn regression_an_import_does_not_take_the_place_of_another_by_its_number() {
    let files = [("a.dart", "import 'package:mason/mason.dart';\n\nvoid run() {}\n")];
    let proposed = tied(&files, "`a.dart`, import (line 1):\n\n```dart\nimport 'dart:io';\n```\n");
    assert!(!proposed.iter().any(|one| one.starts_with("a.dart replace")), "{proposed:?}");
}

#[test]
fn regression_code_under_words_that_describe_a_fault_is_no_change() {
    let file = "def kind(block):\n    if block.a:\n        return 1\n    return 2\n";
    for words in [
        "Looking at `k.py`, I can see the problem:",
        "Here's the issue in `k.py`:",
        "The problem is `kind` in `k.py`:",
        "In `k.py` a loop at lines 7-10 builds it:",
        "## Current state of it\n\n`k.py`:",
        "### Existing flow\n\n`k.py`:",
    ] {
        let answer = format!("{words}\n\n```python\ndef kind(block):\n    return 1 if block.a else 2\n```\n");
        assert_eq!(tied(&[("k.py", file)], &answer), [""; 0], "{words}");
    }
    for words in ["The problem is the branch. Here's the fixed `k.py`:", "Replace lines 1-4 of `k.py`:"] {
        let answer = format!("{words}\n\n```python\ndef kind(block):\n    return 1 if block.a else 2\n```\n");
        assert_eq!(tied(&[("k.py", file)], &answer).len(), 1, "{words}");
    }
}

#[test]
fn regression_a_head_without_its_body_is_cut_off_and_a_revised_definition_a_choice() {
    let file = "import math\n\n\nclass Store(Base):\n    def insert(self):\n        return math.pi\n";
    let head = "`store.py`:\n\n```python\nimport math\nfrom base import Base\n\n\nclass Store(Base):\n```\n";
    assert_eq!(tied(&[("store.py", file)], head), ["!store.py"]);

    let file = "import sys\n\n\ndef load(path):\n    return open(path).read()\n\n\ndef train(data):\n    args = Args(\n        epochs=3,\n        batch=4,\n    )\n    run(args, data)\n    return args\n";
    let train = |lines: &str| {
        format!(
            "```python\ndef train(data):\n    args = Args(\n{lines}    )\n    run(args, data)\n    return args\n```\n"
        )
    };
    let answer = format!(
        "`train.py`:\n\n{}\nIt still fails. Here's the refined approach:\n\n{}",
        train("        epochs=3,\n        batch=8,\n        evaluate=True,\n        report=[board],\n"),
        train("        epochs=3,\n        batch=8,\n        evaluate=True,\n        save_steps=500,\n")
    );
    assert_eq!(tied(&[("train.py", file)], &answer), ["train.py part ?", "train.py part ?"]);
}

#[test]
fn regression_a_folder_is_renamed_file_by_file_and_deleted_by_the_user() {
    let files = [("src/shop/a.py", "a = 1\n"), ("src/shop/b/c.py", "c = 1\n")];
    assert_eq!(
        tied(&files, "Rename the folder `src/shop/` to `src/store/`.\n"),
        ["src/shop/a.py moves", "src/shop/b/c.py moves"]
    );
    let moved = applied(&files, "Rename the folder `src/shop/` to `store`.\n", "src/store/b/c.py");
    assert_eq!(moved.as_deref(), Some("c = 1\n"));
    assert_eq!(tied(&files, "Delete the `src/shop/` folder.\n"), ["!src/shop"]);
    assert_eq!(tied(&files, "Delete the folder `src/shop/`.\n"), ["!src/shop"]);
    // What the project lacks, or makes again, is nothing.
    assert_eq!(tied(&files, "Delete the folder `node_modules/`.\n"), [""; 0]);
}

#[test]
fn regression_a_new_workflow_goes_where_workflows_are() {
    let answer =
        "Here is `pages.yml`:\n\n```yaml\non: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n```\n";
    assert_eq!(tied(&[("src/a.py", "a = 1\n")], answer), [".github/workflows/pages.yml new file"]);
}

#[test]
fn regression_a_file_of_its_own_is_tied_to_no_other() {
    const PLANNER: &str = "import { Card } from './card';\nimport { Badge } from './badge';\n\ninterface Course {\n  name: string;\n  room: string;\n}\n\nexport function Planner() {\n  return <Card><Badge variant=\"outline\" /></Card>;\n}\n";
    const LIST: &str = "import { Card } from './card';\nimport { Badge } from './badge';\n\ninterface Course {\n  name: string;\n  room: string;\n}\n\nexport function CourseList() {\n  return <Card><Badge variant=\"outline\" /></Card>;\n}\n";
    let files = [("src/Planner.tsx", PLANNER)];
    let answer = |code: &str| format!("Now the list:\n\n```tsx\n{code}```\n");
    assert_eq!(tied(&files, &answer(LIST)), Vec::<String>::new());
    let changed = PLANNER.replace("outline", "solid");
    assert_eq!(tied(&files, &answer(&changed)), ["src/Planner.tsx whole file"]);
}

#[test]
fn regression_a_function_of_one_name_without_a_line_in_common_is_another() {
    let files = [("run.py", "import sys\n\n\ndef greet(name):\n    print('Hello', name)\n\n\ngreet('x')\n")];
    let answer = |code: &str| format!("Update it like this:\n\n```python\n{code}```\n");
    assert_eq!(tied(&files, &answer("def greet():\n    print('Hi!')\n\n\ngreet()\n")), Vec::<String>::new());
    assert_eq!(tied(&files, &answer("def greet(name):\n    print('Hi', name)\n")), ["run.py part"]);
}

#[test]
fn regression_comments_that_an_answer_writes_between_lines_of_the_file_change_nothing() {
    const CODE: &str = "const [jobs, setJobs] = useState([]);\nconst [staff, setStaff] = useState([]);\nconst [money, setMoney] = useState({ revenue: 0 });\n\nfunction count() {\n  return jobs.length;\n}\n\nfunction sum() {\n  return money.revenue;\n}\n";
    let files = [("src/Board.jsx", CODE)];
    let reviewed = "const [jobs, setJobs] = useState([]);\n// ❌ Nothing fetches them\nconst [staff, setStaff] = useState([]);  {/* the staff */}\n// ❌ Nothing fetches them\nconst [money, setMoney] = useState({ revenue: 0 });\n";
    let answer = |words: &str| format!("{words}\n\n```jsx\n{reviewed}```\n");
    assert_eq!(tied(&files, &answer("Update `src/Board.jsx`:")), Vec::<String>::new());
    assert_eq!(tied(&files, &answer("Add comments to `src/Board.jsx`:")), ["src/Board.jsx part"]);
}

#[test]
fn regression_text_for_the_top_imports_nothing_again_and_leaves_no_dots() {
    let file = "import app from './server';\n\nconst port = 4000;\n\napp.listen(port);\n";
    let files = [("start.ts", file)];
    let answer = |code: &str| format!("At the top of `start.ts`, add:\n\n```ts\n{code}```\n");
    assert_eq!(tied(&files, &answer("const app = express();\napp.use(json());\n")), ["!start.ts"]);
    assert_eq!(tied(&files, &answer("const limit = 3;\n...\n")), ["!start.ts"]);
    assert_eq!(tied(&files, &answer("const limit = 3;\n")), ["start.ts insertion"]);
}

#[test]
fn regression_a_bare_name_means_the_file_whose_line_the_code_changes() {
    let files = [
        ("package.json", "{\n  \"scripts\": {\n    \"test\": \"npm run test -ws\"\n  }\n}\n"),
        (
            "api/package.json",
            "{\n  \"scripts\": {\n    \"test\": \"npm run lint && jest --no-cache --coverage\"\n  }\n}\n",
        ),
    ];
    let answer = "Change the script in `package.json`:\n\n```json\n{\n  \"scripts\": {\n    \"test\": \"npm run lint && jest --runInBand --no-cache --coverage\"\n  }\n}\n```\n";
    assert!(
        tied(&files, answer).iter().any(|one| one.starts_with("api/package.json")),
        "{:?}",
        tied(&files, answer)
    );
}

#[test]
fn regression_content_below_a_rename_is_the_text_of_the_new_path() {
    let files = [("a/one.py", "def price(x):\n    return x\n\n\ndef slugify(x):\n    return x.lower()\n")];
    let answer = "### `a/one.py` → `a/two.py` (renamed)\n\n```python\ndef price(x):\n    return x\n\n\ndef slug(x):\n    return x.lower()\n```\n";
    let new = applied(&files, answer, "a/two.py");
    assert_eq!(new.as_deref(), Some("def price(x):\n    return x\n\n\ndef slug(x):\n    return x.lower()\n"));
    assert_eq!(applied(&files, answer, "a/one.py"), None);
}

#[test]
fn regression_dots_alone_in_a_whole_listing_stand_for_one_line_too() {
    for (path, old, dots) in [
        (
            "a.c",
            "int one(int x) {\n    return x + 1;\n}\n\nint two(int x) {\n    return x + 2;\n}\n",
            "    ...",
        ),
        ("a.sh", "one() {\n    return 1\n}\n\ntwo() {\n    return x + 2;\n}\n", "    …"),
    ] {
        let mut lines: Vec<&str> = old.lines().collect();
        lines[1] = dots;
        let listing = lines.join("\n").replace("x + 2", "x * 2");
        let answer = format!("Here is the updated `{path}`:\n\n```\n{listing}\n```\n");
        assert_eq!(applied(&[(path, old)], &answer, path), Some(old.replace("x + 2", "x * 2")), "{path}");
    }
}

#[test]
fn regression_a_log_of_chats_and_another_program_are_no_file_for_code() {
    let code = "class Item(Base):\n    id = column(number)\n\n    def as_dict(self):\n        return {'id': self.id}\n";
    let log = format!("# Chat\n\nMade changes.\n\n```\n{code}```\n\nDone.\n");
    let changed = code.replace("number", "whole_number");
    assert_eq!(
        tied(&[("chat.md", &log)], &format!("Update it:\n\n```\n{changed}```\n")),
        Vec::<String>::new()
    );
    let files = [(
        "cloud.cpp",
        "void OnResize(unsigned width) {\n    width_now = width;\n    post.Create(width);\n}\n",
    )];
    let answer = |line: &str| {
        format!(
            "Update it:\n\n```cpp\nvoid OnResize(unsigned width) {{\n    width_now = width;\n    {line}\n}}\n```\n"
        )
    };
    assert_eq!(tied(&files, &answer("g_pContext->Unbind(); g_pTarget.Reset();")), Vec::<String>::new());
    assert_eq!(tied(&files, &answer("post.Create(width + 1);")), ["cloud.cpp whole file"]);
}

#[test]
fn regression_a_script_that_is_created_is_not_merged_into_another_of_its_name() {
    let files = [("seed.py", "import os\n\n\ndef load():\n    return os.listdir('.')\n\n\nload()\n")];
    let answer = |words: &str| {
        format!(
            "{words} `seed.py`:\n\n```python\nimport sys\nimport os\n\n\ndef embed(rows):\n    return [len(row) for row in rows]\n\n\nprint(embed(sys.argv))\n```\n"
        )
    };
    assert_eq!(tied(&files, &answer("Create the script")), ["!seed.py"]);
}

const LAMPS: &str = "import os\n\n\ndef on(lamp):\n    lamp.set(1)\n    return lamp\n\n\ndef off(lamp):\n    lamp.set(0)\n    return lamp\n";

/// All of a file, changed, below words that may be of an example, was only noted.
#[test]
fn regression_an_illustration_that_is_all_of_a_file_is_asked_about() {
    let files = [("home/lamps.py", LAMPS), ("b.py", "b = 1\n")];
    let changed = LAMPS.replace("lamp.set(1)", "lamp.set(2)");
    let answer = |words: &str, code: &str| format!("{words}\n\n```python\n{code}```\n");
    for words in
        ["`home/lamps.py` now looks like this:", "It goes on if the lamp fails:", "Here's a working example:"]
    {
        assert_eq!(tied(&files, &answer(words, &changed)), ["home/lamps.py whole file"], "{words}");
        assert_eq!(tied(&files, &answer(words, LAMPS)), [""; 0], "{words}");
        let part = "def on(lamp):\n    lamp.set(2)\n    return lamp\n";
        assert_eq!(tied(&files, &answer(words, part)), [""; 0], "{words}");
    }
    // What the answer shows of the file in other words counts alone.
    let both = answer("Change `home/lamps.py`:", &LAMPS.replace("lamp.set(0)", "lamp.set(3)"))
        + "\n"
        + &answer("For example, `home/lamps.py` looks like this:", &changed);
    assert_eq!(tied(&files, &both), ["home/lamps.py whole file"]);
}

/// A label held for all fences below it, whatever these are.
#[test]
fn regression_code_below_an_earlier_label_is_tied_to_the_file_that_has_it() {
    let files = [("home/lamps.py", LAMPS), ("room.xml", "<room>\n  <size>1</size>\n</room>\n")];
    let changed =
        LAMPS.replace("import os", "import os\nimport retry").replace("lamp.set(1)", "retry.set(lamp)");
    let new = format!(
        "**home/retry.py**\n\n```python\ndef set(lamp):\n    lamp.set(1)\n```\n\nThen use it in the lamps:\n\n```python\n{changed}```\n"
    );
    assert!(tied(&files, &new).contains(&"home/lamps.py whole file".to_owned()), "{:?}", tied(&files, &new));
    let diffs = "First `room.xml`.\n\n```diff\n-  <size>1</size>\n+  <size>2</size>\n```\n\nNow the lamps.\n\n```diff\n def off(lamp):\n-    lamp.set(0)\n+    lamp.set(9)\n     return lamp\n```\n";
    assert_eq!(tied(&files, diffs), ["room.xml replacement", "home/lamps.py replacement"]);
}

/// "Replace everything in", "without the …" left parts of the old file, or nothing.
#[test]
fn regression_words_that_replace_all_of_a_file_or_leave_its_end_out() {
    let css = "body {\n  margin: 0;\n  color: red;\n}\n\n.card {\n  padding: 2px;\n  text-align: left;\n}\n";
    let new = "body {\n  margin: 4px;\n}\n\n.card {\n  padding: 9px;\n}\n\n.list {\n  gap: 1px;\n}\n";
    let files = [("style.css", css), ("home/lamps.py", LAMPS), (".gitignore", "/target\n")];
    for words in
        ["Replace **everything** in `style.css` with:", "Replace the contents of `style.css` with this:"]
    {
        let answer = format!("{words}\n\n```css\n{new}```\n");
        assert_eq!(applied(&files, &answer, "style.css").as_deref(), Some(new), "{words}");
    }
    let rest = LAMPS.split("\n\n\ndef off").next().unwrap();
    let answer = |words: &str| format!("{words}\n\n```python\n{rest}\n```\n");
    let without = answer("Here's the complete `home/lamps.py` without `off`:");
    assert_eq!(tied(&files, &without), ["home/lamps.py whole file"]);
    assert_eq!(tied(&files, &answer("Here's the complete `home/lamps.py`:")), [""; 0]);
    let rust = "pub fn a() -> u8 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n}\n";
    let shown = "**`a.rs`** (without the tests)\n\n```rust\npub fn a() -> u8 {\n    1\n}\n```\n";
    assert_eq!(tied(&[("a.rs", rust)], shown), ["a.rs whole file"]);
    let ignored = "Add to `.gitignore`:\n\n```\nreports/   # of tests\n\\#a\n```\n";
    assert_eq!(applied(&files, ignored, ".gitignore").as_deref(), Some("/target\nreports/\n\\#a\n"));
}

const BOOK: &str = "from db import Base\n\n\nclass Book(Base):\n    title: str = text(80)\n    isbn: str = text(13)\n\n    def label(self):\n        return self.title\n\n\nclass Shelf(Base):\n    title: str = text(20)\n";
const APP_JS: &str = "const express = require('express');\nconst books = require('./books');\n\nconst app = express();\n\napp.use(express.json());\napp.use('/books', books);\n\napp.listen(3000);\n";
const LAMP_CSS: &str =
    ".lamp {\n  padding: 1rem;\n}\n\n.lamp:hover {\n  color: red;\n}\n\n.room {\n  border: 1px solid;\n}\n";

#[test]
fn regression_a_place_in_words_is_a_member_a_rule_or_a_line() {
    let files = [("book.py", BOOK), ("app.js", APP_JS), ("lamp.css", LAMP_CSS)];
    for (words, code, path, before, after) in [
        // A member, in the class that the words name.
        (
            "In `book.py`, add a year to `Book`, right after `title`:",
            "year: int = number()\n",
            "book.py",
            "text(80)\n",
            "text(80)\n    year: int = number()\n",
        ),
        // No verb: the words say where, and no more.
        (
            "Then, in `app.js`, right before `app.use(express.json())`:",
            "app.use(helmet());\napp.use(cors());\n",
            "app.js",
            "app.use(express.json());\n",
            "app.use(helmet());\napp.use(cors());\napp.use(express.json());\n",
        ),
        (
            "In `lamp.css`, below `.lamp`:",
            ".lamp-off {\n  color: grey;\n}\n",
            "lamp.css",
            "1rem;\n}\n",
            "1rem;\n}\n\n.lamp-off {\n  color: grey;\n}\n",
        ),
        // A call of which the words leave out what is in its brackets.
        (
            "In `app.js`, before `app.listen(...)`:",
            "app.use(errors);\n",
            "app.js",
            "app.listen(3000);\n",
            "app.use(errors);\napp.listen(3000);\n",
        ),
    ] {
        let language = path.rsplit('.').next().unwrap();
        let text = applied(&files, &format!("{words}\n\n```{language}\n{code}```\n"), path);
        let old = files.iter().find(|file| file.0 == path).unwrap().1;
        assert_eq!(text, Some(old.replacen(before, after, 1)), "{words}");
    }
    // What the class sets already is not set twice.
    let again = "In `book.py`, add this to `Book`, after `title`:\n\n```python\nisbn: str = text(10)\n```\n";
    let text = applied(&files, again, "book.py").unwrap();
    assert_eq!(text.matches("isbn").count(), 1, "{text}");
    // A head that goes on in the next line is not parted from its body.
    let store = "class Store\n{\n    public int Load(int id)\n    {\n        return id;\n    }\n}\n";
    let words = "In `Store.cs`, below `Load`:\n\n```csharp\npublic int Save(int id)\n{\n    return Load(id);\n}\n```\n";
    let saved = "    }\n\n    public int Save(int id)\n    {\n        return Load(id);\n    }\n}\n";
    let text = applied(&[("Store.cs", store)], words, "Store.cs");
    assert_eq!(text, Some(store.replace("    }\n}\n", saved)));
}

#[test]
fn regression_code_without_a_file_is_for_the_one_that_has_its_place() {
    let workflow = "name: Build\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - name: Test\n        run: make test\n";
    let fetch = "import Foundation\n\nstruct Clock {\n    func now(zone: String) throws -> Date {\n        guard let url = make(zone) else {\n            throw ClockError.badZone\n        }\n        return url.date\n    }\n}\n";
    let files = [
        ("src/app.js", APP_JS),
        ("src/books.js", "exports.list = (req, res) => {\n  res.json([]);\n};\n"),
        ("style/lamp.css", LAMP_CSS),
        (".github/workflows/build.yml", workflow),
        ("ios/Clock.swift", fetch),
    ];
    for (answer, path) in [
        // The text that it goes beside, or that goes.
        ("Right after `app.use(express.json());` add:\n\n```js\napp.use(log);\n```\n", "src/app.js part"),
        (
            "在 `.room` 规则后面添加：\n\n```css\n.room-big {\n  border: 0;\n}\n```\n",
            "style/lamp.css insertion",
        ),
        (
            "Change\n\n```js\nres.json([]);\n```\n\nto\n\n```js\nres.json(books);\n```\n",
            "src/books.js replacement",
        ),
        // The head of the block.
        (
            "Here's the fixed version:\n\n```swift\nfunc now(zone: String) throws -> Date {\n    let found = search(zone)\n    guard let url = found else {\n        throw ClockError.badZone\n    }\n    return url.date\n}\n```\n",
            "ios/Clock.swift part",
        ),
        // What the file is.
        (
            "In your GitHub Actions workflow, add a step before the tests:\n\n```yaml\n      - name: Lint\n        run: make lint\n      - name: Test\n        run: make test\n```\n",
            ".github/workflows/build.yml part",
        ),
    ] {
        let found = tied(&files, answer);
        let path = path.replace("app.js part", "app.js insertion");
        assert_eq!(found, [path], "{answer}");
    }
    // Two files have the text: neither is meant, and the code is not passed over in silence.
    let twice = [("a.js", APP_JS), ("b.js", APP_JS)];
    let project = Project::with(&twice);
    let answer = "Right after `app.use(express.json());` add:\n\n```js\napp.use(log);\n```\n";
    let (_, planned) = project.plan_of(read(answer), &[]);
    assert!(planned.proposals.is_empty());
    assert!(planned.warnings.iter().any(|warning| warning.message.contains("names no file")));
}

#[test]
fn regression_an_import_that_goes_with_other_code_has_its_file() {
    let shop = "<?php\n\nnamespace Shop;\n\nuse Shop\\Item;\n\nclass Cart\n{\n    public function addItem(Item $item)\n    {\n        $this->items[] = $item;\n        return $this;\n    }\n}\n";
    let files = [("src/app.js", APP_JS), ("src/Cart.php", shop)];
    // The label above holds: CommonJS has statements for imports.
    let answer = "In `src/app.js`, mount the new router:\n\n```js\napp.use('/books', books);\napp.use('/users', users);\n```\n\nand import it:\n\n```js\nconst users = require('./users');\n```\n";
    let text = applied(&files, answer, "src/app.js").unwrap();
    assert!(text.contains("require('./books');\nconst users = require('./users');\n"), "{text}");
    assert!(text.contains("books);\napp.use('/users', users);\n"), "{text}");
    // No file is named: what uses the name is in one.
    let answer = "Update `addItem`:\n\n```php\npublic function addItem(Item $item)\n{\n    $this->items[] = $item;\n    Log::info('added');\n    return $this;\n}\n```\n\nDon't forget to import the helper:\n\n```php\nuse Tools\\Log;\n```\n";
    let text = applied(&files, answer, "src/Cart.php").unwrap();
    assert!(text.contains("use Shop\\Item;\nuse Tools\\Log;\n"), "{text}");
    assert!(text.contains("Log::info"), "{text}");
}

#[test]
fn regression_a_half_that_has_no_place_is_named_in_the_question() {
    let answer = "In `app.js`, mount the new router:\n\n```js\napp.use('/books', books);\napp.use('/users', users);\n```\n\nand clean up:\n\n```js\nreport.flush();\n```\n";
    let project = Project::with(&[("app.js", APP_JS)]);
    let (_, planned) = project.plan_of(read(answer), &[]);
    assert_eq!(planned.not_read.len(), 1, "{planned:#?}");
    assert_eq!(planned.not_read[0].path.as_deref(), Some("app.js"));
    let note = "Not included: the answer's code in line 10 for this file.";
    assert!(planned.proposals[0].notes.iter().any(|one| one == note), "{:#?}", planned.proposals);
}

#[test]
fn regression_a_definition_that_is_replaced_may_get_another_name() {
    let ring = "#include \"ring.h\"\n\nint ring_size(void)\n{\n    return 8;\n}\n\nint ring_push(char c)\n{\n    return c;\n}\n";
    let header = "int ring_size(void);\nint ring_push(char c);\n";
    let files = [("ring.c", ring), ("ring.h", header)];
    let answer = "**ring.h**\n\n```c\nint ring_write(char *text);\n```\n\n(replaces `int ring_push(char c);`)\n\n**ring.c**\n\nReplace `ring_push` with:\n\n```c\nint ring_write(char *text)\n{\n    return text[0];\n}\n```\n";
    let text = applied(&files, answer, "ring.c").unwrap();
    assert_eq!(
        text,
        ring.replace(
            "int ring_push(char c)\n{\n    return c;",
            "int ring_write(char *text)\n{\n    return text[0];"
        )
    );
    let text = applied(&files, answer, "ring.h").unwrap();
    assert_eq!(text, header.replace("ring_push(char c)", "ring_write(char *text)"));
}

#[test]
fn regression_lines_that_words_remove_go() {
    let routes = "get('/a', a);\nget('/a/new', make);\nget('/b', b);\n";
    let web = "class Web\n{\n    function a()\n    {\n        return 1;\n    }\n\n    function make()\n    {\n        return 2;\n    }\n\n    function b()\n    {\n        return 3;\n    }\n}\n";
    let files = [("routes.js", routes), ("web.js", web)];
    let make = "    function make()\n    {\n        return 2;\n    }\n";
    let answer = format!(
        "The form isn't needed any more. Remove this method from `web.js`:\n\n```js\n{make}```\n\nand delete its route from `routes.js`:\n\n```js\nget('/a/new', make);\n```\n"
    );
    assert_eq!(applied(&files, &answer, "web.js"), Some(web.replace(&format!("{make}\n"), "")));
    assert_eq!(applied(&files, &answer, "routes.js").as_deref(), Some("get('/a', a);\nget('/b', b);\n"));
    // A call that goes from what is shown is not all of it.
    let kept = format!("Remove the log from this method in `web.js`:\n\n```js\n{make}```\n");
    assert_eq!(applied(&files, &kept, "web.js").as_deref(), Some(web));
}

#[test]
fn regression_fields_go_behind_the_fields_and_a_step_to_the_file_of_the_steps_around_it() {
    let spawner = "public class Spawner : Base\n{\n    [Shown] private float interval = 2f;\n    private int count;\n\n    private void Spawn()\n    {\n        count++;\n    }\n}\n";
    let words = "In `Spawner`, add a reference to the player:\n\n```csharp\n[Shown] private Transform player;\n[Shown] private float distance = 3f;\n```\n";
    let text = applied(&[("Spawner.cs", spawner)], words, "Spawner.cs").unwrap();
    let behind = "    private int count;\n    [Shown] private Transform player;\n    [Shown] private float distance = 3f;\n\n";
    assert!(text.contains(behind), "{text}");
    let posts = "class PostsController < Base\n  before_action :find_post, only: %i[show edit update]\n\n  def show\n    @post\n  end\nend\n";
    let words = "### 1. Add the action to the controller, after `show`\n\n```ruby\n# app/posts_controller.rb\ndef hide\n  @post.hide\nend\n```\n\n### 2. Include it in the `before_action`\n\n```ruby\nbefore_action :find_post, only: %i[show edit update hide]\n```\n";
    let text = applied(&[("app/posts_controller.rb", posts)], words, "app/posts_controller.rb").unwrap();
    assert!(text.contains("%i[show edit update hide]\n\n  def show"), "{text}");
    assert!(text.contains("  end\n\n  def hide\n    @post.hide\n  end\nend\n"), "{text}");
    assert!(!text.contains("# app/"), "{text}");
    // A function that is exported stands beside the others.
    let handlers =
        "const db = require('./db');\n\nexports.list = (req, res) => {\n  res.json(db.all());\n};\n";
    let words = "**`handlers.js`** – add:\n\n```js\nexports.drop = (req, res) => {\n  db.clear();\n};\n```\n";
    let text = applied(&[("handlers.js", handlers)], words, "handlers.js");
    assert_eq!(text, Some(format!("{handlers}\nexports.drop = (req, res) => {{\n  db.clear();\n}};\n")));
}

/// Two removals from one file were two versions of it, between which the user had to choose.
#[test]
fn regression_lines_that_go_are_one_change_with_the_others_of_their_file() {
    let jobs =
        "import os\nimport time\n\n\ndef wait():\n    time.sleep(1)\n\n\ndef name():\n    return os.name\n";
    let words = "### Clean up `jobs.py`\n\nDelete these lines:\n\n```python\ndef wait():\n    time.sleep(1)\n\n```\n\nThe import goes as well:\n\n```diff\n- import time\n```\n";
    let project = Project::with(&[("jobs.py", jobs)]);
    let (_, planned) = project.plan_of(read(words), &[]);
    let [only] = &planned.proposals[..] else { panic!("{planned:#?}") };
    assert!(
        only.remarks.iter().any(|remark| remark == "Removes the 2 lines that the answer shows."),
        "{only:#?}"
    );
    assert_eq!(
        applied(&[("jobs.py", jobs)], words, "jobs.py").as_deref(),
        Some("import os\n\n\ndef name():\n    return os.name\n")
    );
    // Lines that stand there twice are named.
    let twice = Project::with(&[("jobs.py", &*format!("{jobs}\n\ndef wait():\n    time.sleep(1)\n"))]);
    let (_, planned) = twice.plan_of(
        read("In `jobs.py`, delete these lines:\n\n```python\ndef wait():\n    time.sleep(1)\n```\n"),
        &[],
    );
    assert!(planned.proposals.is_empty(), "{planned:#?}");
    assert_eq!(planned.not_read.len(), 1, "{planned:#?}");
}

/// The second of two changed lines was taken for a new form of the first, and refused for a reason that was untrue.
#[test]
fn regression_a_fence_above_that_is_a_change_is_no_old_form() {
    let hook = "import { load } from './api';\n\nexport function useAll() {\n  const all = load();\n  return { all };\n}\n";
    let words = "In `hook.js`, return the count:\n\n```js\nimport { count, load } from './api';\n```\n\n```js\nregister(count);\n```\n";
    let project = Project::with(&[("hook.js", hook)]);
    let (_, planned) = project.plan_of(read(words), &[]);
    let hints: Vec<&str> = planned.not_read.iter().map(|notice| notice.hint.as_str()).collect();
    assert!(hints.iter().any(|hint| hint.contains("the code does not show where it goes")), "{hints:?}");
    // Two changes in a sentence that goes on.
    let api =
        "from web import Router\n\nrouter = Router()\n\n\n@router.get('')\ndef items():\n    return find()\n";
    let words = "In `api.py`, change the import:\n\n```python\nfrom web import Query, Router\n```\n\nand then replace your `items` function with this:\n\n```python\n@router.get('')\ndef items(limit: int = Query(20)):\n    return find(limit)\n```\n";
    assert_eq!(
        applied(&[("api.py", api)], words, "api.py").as_deref(),
        Some(
            "from web import Query, Router\n\nrouter = Router()\n\n\n@router.get('')\ndef items(limit: int = Query(20)):\n    return find(limit)\n"
        )
    );
    // What comes behind a new text is not what replaces it.
    let call = "Now you can call:\n\n```python\nitems(limit=5)\n```\n";
    assert_eq!(
        applied(&[("api.py", api)], &format!("{words}\n{call}"), "api.py"),
        applied(&[("api.py", api)], words, "api.py")
    );
    // Here it means what the first fence shows.
    for then in ["with this:", "Now replace it with:", "and change that line to:"] {
        let words = format!(
            "In `api.py`, replace this:\n\n```python\n    return find()\n```\n\n{then}\n\n```python\n    return all()\n```\n"
        );
        assert_eq!(
            applied(&[("api.py", api)], &words, "api.py"),
            Some(api.replace("find()", "all()")),
            "{then}"
        );
    }
}

/// Below a sentence that gives both texts, the code was put in the place of the old one.
#[test]
fn regression_a_sentence_that_gives_both_texts_leaves_the_code_its_own_place() {
    let db = "from conf import settings\n\nengine = make(settings().url)\nother = make(engine)\n";
    let words = "### `db.py`\n\nReplace `settings().url` with `os.environ[\"URL\"]` and import `os`:\n\n```python\nimport os\n\nengine = make(os.environ[\"URL\"])\nother = make(engine)\n```\n";
    let text = applied(&[("db.py", db)], words, "db.py").unwrap();
    assert!(!text.contains("make(import"), "{text}");
    assert!(text.contains("engine = make(os.environ[\"URL\"])\nother = make(engine)\n"), "{text}");
    // With one text in the sentence, the code is the other one.
    let words = "In `db.py`, replace `make(settings().url)` with:\n\n```python\nmake(URL)\n```\n";
    assert_eq!(
        applied(&[("db.py", db)], words, "db.py"),
        Some(db.replace("make(settings().url)", "make(URL)"))
    );
}

/// A page whose style moves out is much shorter, and was refused as a part of itself.
#[test]
fn regression_a_page_from_its_type_to_its_end_is_all_of_it() {
    let style: String = (0..20).map(|at| format!("    .c{at} {{ margin: {at}px; }}\n")).collect();
    let page = |head: &str| {
        format!(
            "<!DOCTYPE html>\n<html>\n<head>\n{head}</head>\n<body>\n  <p>One</p>\n  <p>Two</p>\n</body>\n</html>\n"
        )
    };
    let old = page(&format!("  <meta charset=\"utf-8\">\n  <style>\n{style}  </style>\n"));
    let new = page("  <link rel=\"stylesheet\" href=\"style.css\">\n");
    let answer = format!("**index.html:**\n```\n{new}```\n");
    assert_eq!(applied(&[("index.html", &old)], &answer, "index.html").as_deref(), Some(&*new));
}

/// An empty file in a language that the project does not speak belongs to a guide.
#[test]
fn regression_a_guide_to_another_language_makes_no_file() {
    let files = [("a.js", "export const a = 1;\n"), ("b.js", "export const b = 1;\n")];
    assert_eq!(tied(&files, "Create a new file:\n\n```bash\ntouch main.go\n```\n"), [""; 0]);
    assert_eq!(tied(&files, "Create a new file:\n\n```bash\ntouch c.js\n```\n").len(), 1);
}
