//! Texts that only look like edits: nothing comes of them, in an answer that is read with the dialects that
//! are enabled unless others are named.

use super::*;

/// The changes that each of the samples would make if it were taken for an edit.
const FILES: [(&str, &str); 5] = [
    ("a.py", "import os\n"),
    ("b.py", "import sys\n"),
    ("x", "x\n"),
    ("README.md", "# T\n"),
    ("src/a.ts", "let a = 1;\n"),
];

const SAMPLES: &[(&str, &str)] = &[
    (
        "web.config",
        "Remove the verb in web.config:\n\n```xml\n<configuration>\n  <system.webServer>\n    <handlers>\n      \
         <remove verb=\"*\" path=\"x\"/>\n      <remove name=\"WebDAV\"/>\n    </handlers>\n  </system.webServer>\n\
         </configuration>\n```\nThat is <remove verb=\"*\" path=\"x\"/> in short.\n<remove verb=\"*\" path=\"x\"/>\n",
    ),
    (
        "HTML in prose",
        "Use <edit> or <write> buttons:\n<p>Some <b>text</b></p>\n<search><input name=\"q\"></search>\n<div>\n  <move>x</move>\n\
         </div>\n",
    ),
    (
        "JSX",
        "```jsx\nreturn (\n  <tasks>\n    <write path={path} append />\n    <run dir={dir}>{command}</run>\n    \
         <move from={a} to={b} />\n  </tasks>\n);\n```\n",
    ),
    (
        "Ant",
        "```xml\n<project default=\"all\">\n  <target name=\"all\">\n    <move file=\"a.py\" tofile=\"b.py\"/>\n    <delete \
         file=\"x\"/>\n    <copy file=\"a.py\" tofile=\"b.py\"/>\n  </target>\n</project>\n```\n<move file=\"a.py\" \
         todir=\"src\"/>\n",
    ),
    (
        "sample in a fence of another language",
        "```html\n<remove path=\"x\"/>\n```\n```jsx\n<move from=\"a.py\" to=\"b.py\"/>\n```\n",
    ),
    (
        "quoted diff",
        "You wrote:\n\n> --- a/a.py\n> +++ b/a.py\n> @@ -1 +1 @@\n> -import os\n> +import re\n\n> ```diff\n> --- a/a.py\n\
         > +++ b/a.py\n> @@ -1 +1 @@\n> -import os\n> +import re\n> ```\n",
    ),
    (
        "quoted blocks",
        "> a.py\n> ```\n> <<<<<<< SEARCH\n> import os\n> =======\n> import re\n> >>>>>>> REPLACE\n> ```\n\n> *** Begin Patch\n\
         > *** Delete File: x\n> *** End Patch\n\n> <---WRITE file=\"x\"--->\n> <---END--->\n\n> <<<FILE>>>\n> x\n\
         > <<<OVERWRITE>>>\n> <<<END>>>\n\n> <remove path=\"x\"/>\n",
    ),
    (
        "conflict of git",
        "The file a.py has a conflict:\n\n<<<<<<< HEAD\nimport os\n=======\nimport re\n>>>>>>> main\n\na.py\n```python\n\
         <<<<<<< Updated upstream\nimport os\n||||||| base\nimport a\n=======\nimport re\n>>>>>>> Stashed changes\n```\n",
    ),
    (
        "thinking",
        "<think>\na.py\n```\n<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n```\n<remove path=\"x\"/>\n\
         </think>\nNothing to do.\n<reasoning>\n*** Begin Patch\n*** Delete File: x\n*** End Patch\n</reasoning>\n",
    ),
    (
        "thinking that began in the prompt",
        "Shall I?\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-import os\n+import re\n</think>\nNo.\n",
    ),
    (
        "shell",
        "```bash\nrm x\nmv a.py b.py\ncat > a.py <<'EOF'\nimport re\nEOF\ngit apply <<'EOF2'\nEOF2\n```\n```sh\ngit rm x\n```\n\
         $ rm x\n",
    ),
    (
        "listings",
        "a.py\n```python\nimport re\n```\n\n**src/a.ts**\n\n```ts\nlet a = 2;\n```\n\n```python title=\"b.py\"\nimport re\n```\n\
         ```py:b.py\nimport re\n```\n",
    ),
    (
        "arrows and rules",
        "<--- see above\n<---------->\n--- a line ---\n+++ a line +++\n*** note ***\n***\n<<< look >>>\n=======\n>>>>>>>\n@@ x @@\n\
         ---\ntitle: x\n---\n",
    ),
    (
        "words",
        "SEARCH a.py, then REPLACE it. *** Begin Patch is how a patch begins, #!SHAM how a block does.\n",
    ),
    ("a list", "- `a.py`: `- import os` becomes `+ import re`\n- x\n+ y\n"),
    ("a diff of what is not said", "```diff\n- import os\n+ import re\n```\n"),
    ("mail", "On Monday you wrote:\n--- Original Message ---\n+++ Reply +++\nHello\n"),
];

#[test]
fn samples_change_nothing() {
    let settings = Settings::default();
    for enclosed in [false, true] {
        for (name, sample) in SAMPLES {
            let project = Project::with(&FILES);
            let text =
                if enclosed { format!("Look:\n\n{sample}\nThat is all.\n") } else { (*sample).to_owned() };
            let result = project.carry_out(Reading::new(None, &settings).unwrap().read(&text));
            assert!(result.results.is_empty() && result.parse_errors.is_empty(), "{name}: {result:#?}");
            let after = project.all_files();
            let before = FILES.map(|(path, text)| (path.to_owned(), text.to_owned()));
            assert_eq!(after, before.into_iter().collect(), "{name}");
        }
    }
}
