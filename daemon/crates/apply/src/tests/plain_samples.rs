//! Code that shows something and is not a content: what it may neither become nor replace.

use super::*;

fn proposals(files: &[(&str, &str)], answer: &str) -> Vec<String> {
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let result = Project::with(files).carry_out(read);
    let shown = |one: &clada_protocol::Proposal| format!("{} {}", one.path, one.form.words());
    result.proposals.iter().map(shown).collect()
}

#[test]
fn regression_a_member_a_statement_or_a_fragment_is_no_new_file() {
    let files = [("src/App.cs", "class App\n{\n}\n"), ("a.html", "<p>\n</p>\n")];
    for (answer, expected) in [
        ("`src/B.cs`:\n```csharp\nHeadless = !Equals(\n    \"1\",\n    Ordinal),\n```\n", 0),
        ("`src/B.cs`:\n```csharp\nservices.AddScoped<B>();\n```\n", 0),
        ("`src/B.cs`:\n```csharp\npublic record B(int A);\n```\n", 1),
        ("`b.go`:\n```go\nfunc B() {\n}\n```\n", 0),
        ("`b.go`:\n```go\npackage b\n\nfunc B() {\n}\n```\n", 1),
        ("`b.html`:\n```html\nfunction b() {\n  c();\n}\n```\n", 0),
        ("`B.vue`:\n```html\n<div\n  class=\"b\"\n></div>\n```\n", 0),
        ("Let's update `b.html` to fold:\n```html\n<div>\n</div>\n```\n", 0),
        ("Let's create `b.html`, which folds:\n```html\n<div>\n</div>\n```\n", 1),
        (
            "Change the block in `b.c`:\n```c\n#if defined(X)\nint b(void)\n{\n    return 1;\n}\n#endif\n```\n",
            0,
        ),
        ("`b.sh`:\n```bash\nb.sh\n```\n", 0),
        ("`b.js`:\n```js\n4| if (\n5|   a\n6| ) {\n```\n", 0),
        ("`b.rs`:\n```rust\nfn main() {\n    let a = b\n        .send()\n```\n", 0),
        ("`b.ts`:\n```ts\nasync load(): Promise<void> { /* ... */ }\n```\n", 0),
        ("`b.css`:\n```css\n.b { color: #fff; }\n.c {\n  a: url(\"{\");\n}\n```\n", 1),
    ] {
        assert_eq!(proposals(&files, answer).len(), expected, "{answer}");
    }
}

#[test]
fn regression_a_placeholder_takes_the_place_of_no_value() {
    let config = "{\n  \"a\": {\n    \"paths\": [\"./src\"],\n    \"b\": 1\n  },\n  \"c\": 2\n}\n";
    let files = [("tsconfig.json", config), (".env", "KEY=abc\nURL=x\n")];
    for (answer, expected) in [
        ("`tsconfig.json`:\n```json\n{\n  \"a\": {\n    \"paths\": [\"path/to/src\"]\n  }\n}\n```\n", 0),
        ("Set the key in `.env`:\n```\nKEY=your-key-here\n```\n", 0),
        ("Add to `.env`:\n```\nOTHER=your-key-here\n```\n", 1),
    ] {
        assert_eq!(proposals(&files, answer).len(), expected, "{answer}");
    }
}

#[test]
fn regression_signatures_and_rows_of_a_table_change_nothing() {
    let class = "public class Shift\n{\n    public void Claim(string by)\n    {\n        Check(by);\n    }\n\n    public void Apply(int a)\n    {\n        Mark();\n    }\n}\n";
    let files = [("src/Shift.cs", class)];
    for answer in [
        "**File:** `src/Shift.cs` (lines 3-11)\n\n```csharp\nvoid Claim(string by)\nvoid Apply(int a)\n```\n",
        "Path: `src/Shift.cs`\n\n| Method | Lines | Logic |\n|---|---|---|\n| `Apply` | 8-11 | Valid → `Mark`, else clear |\n",
    ] {
        assert_eq!(proposals(&files, answer).len(), 0, "{answer}");
    }
}

#[test]
fn regression_a_fence_is_tied_to_code_of_the_project_alone() {
    let code = "fn load_all(path: &str) {\n    read_every_line(path);\n    count_all_words(path);\n}\n";
    let answer = "Like this:\n\n```rust\nread_every_line(path);\ncount_all_words(other);\nfn load_all(path: &str) {\n```\n";
    for (path, expected) in [
        ("src/a.rs", true),
        ("vendor/b/a.rs", false),
        ("node_modules/a/a.rs", false),
        ("docs/chat.md", false),
    ] {
        let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
        let result = Project::with(&[(path, code), ("x.rs", "fn x() {}\n")]).carry_out(read);
        let is_tied = !result.proposals.is_empty() || result.not_read.iter().any(|one| one.path.is_some());
        assert!(expected || !is_tied, "{path}: {result:#?}");
    }
    let rules = "a {\n  cursor: pointer;\n  transition: color 1s;\n}\n";
    let diff = "```diff\n   cursor: pointer;\n   transition: color 1s;\n+  margin: 1px;\n }\n```\n";
    assert_eq!(proposals(&[("a.css", rules)], diff).len(), 0);
}

#[test]
fn regression_a_path_that_two_packages_may_have_is_asked() {
    let page = "export const a = 1;\n";
    let files = [("client/src/a.tsx", page), ("server/src/b.ts", page), ("package.json", "{}\n")];
    let answer = "Create `src/pages/New.tsx`:\n\n```tsx\nexport const New = () => <p>a</p>;\n```\n";
    assert_eq!(
        proposals(&files, answer),
        ["client/src/pages/New.tsx new file", "src/pages/New.tsx new file"]
    );
}

#[test]
fn regression_text_for_the_end_stays_inside_of_its_section() {
    let vue = "<template>\n  <p>a</p>\n</template>\n\n<style scoped>\n.a {\n  b: c;\n}\n</style>\n";
    let answer = "Add at the end of `src/A.vue`:\n\n```css\n.d { e: f; }\n```\n";
    let project = Project::with(&[("src/A.vue", vue)]);
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let result = project.carry_out(read);
    assert!(result.proposals.iter().all(|one| !one.sure), "{result:#?}");
    let shown = result.proposals.iter().map(|one| one.diff.to_string()).collect::<String>();
    assert!(shown.find("+.d { e: f; }") < shown.find(" </style>") || shown.is_empty(), "{shown}");
    // A comment whose lines are all there is not added again.
    let list = "# a\na/\n\n# b\nb/\n";
    let files = [(".gitignore", "a/\n")];
    let answer = format!("Add to `.gitignore`:\n\n```\n{list}```\n");
    let read = Reading::new(None, &Settings::default()).unwrap().read(&answer);
    let result = Project::with(&files).carry_out(read);
    let diff = result.proposals[0].diff.to_string();
    assert!(diff.contains("+# b\n+b/\n") && !diff.contains("+# a"), "{diff}");
}

#[test]
fn regression_a_diff_that_only_adds_is_a_new_file() {
    let answer = "I create `docs/CHECK.md`:\n\n```diff\n- \n+ # Check\n+ \n+ - [x] a\n```\n";
    let result = Project::with(&[("a.md", "a\n")])
        .carry_out(Reading::new(None, &Settings::default()).unwrap().read(answer));
    let diff = result.proposals[0].diff.to_string();
    assert!(diff.contains("+# Check\n+\n+- [x] a\n"), "{diff}");
}

#[test]
fn regression_code_without_its_documentation_changes_nothing() {
    let file = "import os\n\n\ndef load(path):\n    return os.listdir(path)\n\n\ndef step(ps):\n    \"\"\"\n    One step.\n    \"\"\"\n    for p in ps:\n        p.move(1)\n        p.check(2)\n";
    let shown =
        "def step(ps):\n    for p in ps:\n        p.move(1)     # update, and no more\n        p.check(2)\n";
    let answer = |code: &str| format!("Here's the loop:\n\n```python\n{code}```\n");
    assert_eq!(proposals(&[("a.py", file)], &answer(shown)).len(), 0);
    assert!(!proposals(&[("a.py", file)], &answer(&shown.replace("check(2)", "check(3)"))).is_empty());
}

#[test]
fn regression_one_fence_that_several_files_may_take_is_one_notice() {
    let values = "replicas: 1\nimage:\n  name: a\n";
    let files = [("a/values.yaml", values), ("b/values.yaml", values), ("c/values.yaml", values)];
    let answer =
        "`values.yaml`:\n\n```yaml\n# ... existing ...\n- name: x\n# ... existing ...\n- name: y\n```\n";
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let result = Project::with(&files).carry_out(read);
    assert!(result.proposals.is_empty() && result.not_read.len() <= 1, "{result:#?}");
}

#[test]
fn regression_a_new_file_takes_a_path_content_and_words_that_say_so() {
    let files = [
        ("src/app/globals.css", ".a {\n  color: red;\n}\n"),
        ("src/app/page.tsx", "export default 1;\n"),
        ("src/b.ts", "export const b = 1;\n"),
        ("gate/gate.c", "int gate;\n"),
    ];
    let python = "```py\nclass B:\n    x = 1\n```\n";
    for (answer, expected) in [
        // A fence that lost its code.
        ("Now let's refine the remarks in weekly.py:\n\n```\n```\n", &[][..]),
        ("`src/weekly.ts`:\n\n```\n```\n", &["src/weekly.ts new file"][..]),
        // A sentence that explains.
        (&format!("`b.py` unifies the errors here.\n\nThe first layer is the base:\n\n{python}"), &[]),
        (&format!("Create a new file `b.py` with the base:\n\n{python}"), &["b.py new file"]),
        // The side of somebody else.
        (&format!("Your endpoint returns:\n\n{}", python.replacen('\n', "\n# b.py\n", 1)), &[]),
        ("Save it:\n\n```ts\n// c.ts\nexport const c = 1;\n```\n", &["c.ts new file", "src/c.ts new file"]),
        // Words and names that are not the path of a file.
        ("Let me write the remaining README files:\n\n```diff\n+ # Project 3\n+\n+ Write it.\n```\n", &[]),
        ("We need `src/ui/separator`:\n\n```bash\nnpx add separator\n```\n", &[]),
        ("### Declarations in gate.c/gate.h\n\n```c\nextern int gate;\n```\n", &[]),
        // What a shell printed.
        ("The script wrote `CHANGES.md`:\n\n```\n- Refactor\n\nPS C:\\a>\n```\n", &[]),
        ("The module of `src/c.ts`:\n\n```\n❯ npm install zod\n\nadded 10 packages\n```\n", &[]),
        // Dots, with words of any language behind them.
        ("`src/c.ts`:\n\n```ts\nexport const c = {\n  a: 1,\n  // ... los demás\n};\n```\n", &[]),
        (
            "Create `View.xaml`:\n\n```xml\n<Button A=\"1\">\n</Button>\n<Button A=\"2\">\n</Button>\n```\n",
            &[],
        ),
        (
            "Create `View.xaml`:\n\n```xml\n<Window xmlns=\"x\">\n  <Button/>\n</Window>\n```\n",
            &["View.xaml new file"],
        ),
        // The only file of a name that no other folder would have.
        (
            "Add the styles:\n\n```css\n/* styles/globals.css */\n.b {\n  color: blue;\n}\n```\n",
            &["src/app/globals.css part"],
        ),
    ] {
        assert_eq!(proposals(&files, answer), expected, "{answer}");
    }
}
