//! Plain answers: the file that code is for, and versions of one place.

use clada_protocol::{Attention, Proposal};

use super::*;

/// What comes of an answer: `path form` of each proposal, `?` where the choice is open, and `!path` of each notice.
fn tied(files: &[(&str, &str)], answer: &str) -> Vec<String> {
    let project = Project::with(files);
    let answer = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (_, planned) = project.plan_of(answer, &[]);
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
fn applied(files: &[(&str, &str)], answer: &str, path: &str) -> Option<String> {
    let project = Project::with(files);
    let answer = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (plan, planned) = project.plan_of(answer, &[]);
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
