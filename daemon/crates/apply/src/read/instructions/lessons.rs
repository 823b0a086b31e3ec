//! The lessons of all dialects but SHAM, whose actions come from the schema. Another dialect is another arm of [`lesson`].

use clada_dialects::Dialect;

use super::lesson::{Actions, Exact, Lesson};
use super::sham;

pub(super) fn lesson(dialect: Dialect, actions: Actions) -> Lesson {
    match dialect {
        Dialect::Sham => sham::lesson(actions),
        Dialect::Csl => csl(),
        Dialect::Cml => cml(),
        Dialect::Replacer => replacer(),
        Dialect::ApplyPatch => apply_patch(),
        Dialect::UnifiedDiff => unified_diff(),
        Dialect::Aider => aider(),
        Dialect::ToolCall => tool_call(),
        Dialect::WholeFile => whole_file(),
    }
}

fn csl() -> Lesson {
    Lesson {
        verb: "write",
        opening: "CSL operations",
        examples: "    <---WRITE file=\"src/new.py\"--->
    the whole content of the file
    <---END--->

    <---SEARCH file=\"src/example.py\"--->
        print(message)
    <---REPLACE--->
        return message
    <---END--->

    <---SEARCH file=\"src/example.py\"--->
    def leave(name):
    <---TO--->
        pass
    <---REPLACE--->
    <---END--->

    <---RUN--->
    mv src/a.py src/b.py
    <---END--->

    <---RUN--->
    rm src/old.py
    <---END--->
",
        rules: "\
- Markers stand alone on their lines, in the first column (they are indented here only to be shown). An answer with a
  broken marker is not applied at all.
- WRITE creates or replaces a file, whose last line ends with a newline by itself; with append=\"true\" it adds to the
  end of the file.
- SEARCH replaces a text that occurs once, or as often as count=\"2\" or count=\"all\" says. With TO, what goes is
  everything from the first text through the nearest second one, both included. REPLACE without text deletes, whole
  lines with their ends.
- RUN holds one command, without a shell. rm (also to delete a file), mv (to move one), cp, mkdir and what only reads
  (grep, ls, cat, head, git diff) are done at once: look where you are not sure.
- Operations between <---TASKS---> and <---END---> are done whole or not at all.
- Attributes stand in quotes; inside, \\\" is a quote and \\\\ a backslash. Paths are relative to the project.
- A text cannot hold such a marker alone on a line: change that file by a patch (*** Begin Patch) in the same answer.
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}

fn cml() -> Lesson {
    Lesson {
        verb: "write",
        opening: "CML elements",
        examples: "    <tasks version=\"1.0\">
    <write path=\"src/new.py\"><![CDATA[
    the whole content of the file
    ]]></write>
    <edit path=\"src/example.py\">
    <search><![CDATA[print(message)]]></search>
    <replace><![CDATA[return message]]></replace>
    </edit>
    <edit path=\"src/example.py\">
    <search-start><![CDATA[def leave(name):]]></search-start>
    <search-end><![CDATA[pass]]></search-end>
    <replace><![CDATA[leave = None]]></replace>
    </edit>
    <run>mv src/a.py src/b.py</run>
    <run>rm src/old.py</run>
    </tasks>
",
        rules: "\
- Elements begin their lines (they are indented here only to be shown). Texts stand in CDATA, verbatim; ]]&gt; is
  written for its end, and nothing else is escaped. There are no other elements.
- The tasks of a block are done in order; the first that fails ends the block. A task may stand without <tasks>.
- write creates or replaces a file, whose last line ends with a newline by itself; append=\"true\" adds to its end.
- edit replaces a text that occurs once, or as often as count=\"2\" says. With search-start and search-end, what goes is
  everything from the first text through the nearest second one, both included. A replace cannot be empty: to delete a
  text, search for it with a line next to it, and replace both by that line.
- In write, the newline right after <![CDATA[ does not count.
- run holds one command, without a shell. rm (also to delete a file), mv (to move one), cp, mkdir and what only reads
  (grep, ls, cat, head, git diff) are done at once: look where you are not sure.
- Paths are relative to the project.
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}

fn replacer() -> Lesson {
    Lesson {
        verb: "write",
        opening: "edits in the following form",
        examples: "    <<<FILE>>>
    src/new.py
    <<<OVERWRITE>>>
    the whole content of the file
    <<<END>>>

    <<<EXPLANATION>>>
    why, if there is something to say
    <<<FILE>>>
    src/example.py
    <<<SEARCH>>>
        print(message)
    <<<REPLACE>>>
        return message
    <<<END>>>
",
        rules: "\
- Markers stand alone on their lines, as they are (they are indented here only to be shown).
- Every edit begins with its own FILE and path, also if it is of the same file as the one before.
- SEARCH and REPLACE change one place. An empty REPLACE deletes the text, whole lines with their ends.
- OVERWRITE creates or replaces a file, whose last line ends with a newline by itself.
- Paths are relative to the project.
- This form cannot delete or move a file, nor hold a text with one of its markers: write a patch for that, in the same
  answer:
    *** Begin Patch
    *** Delete File: src/old.py
    *** Update File: src/a.py
    *** Move to: src/b.py
    *** End Patch
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}

fn apply_patch() -> Lesson {
    Lesson {
        verb: "write",
        opening: "a patch",
        examples: "    *** Begin Patch
    *** Add File: src/new.py
    +the first line
    +the second line
    *** Update File: src/example.py
    @@ def greet(name):
         message = \"Hello, \" + name
    -    print(message)
    +    return message
    *** Update File: src/a.py
    *** Move to: src/b.py
    *** Delete File: src/old.py
    *** End Patch
",
        rules: "\
- A patch is applied whole or not at all. Its lines begin in the first column (they are indented here only to be
  shown).
- Add File creates a file; every line of it begins with +. Delete File removes one. Move to follows its Update File;
  changes may follow it.
- In an Update, a line that stays begins with a blank, one that goes with -, one that comes with +. Show three lines
  that stay before and after each change, where there are so many.
- @@ begins a change. Behind it may stand the line of the function or class that the change is in, where the lines
  alone would fit several places.
- `*** End of File` after the last line of a change says that it is at the end of the file.
- Each file stands in a patch once, with all its changes from top to bottom. Paths are relative to the project. A text
  may hold any marker, since all its lines begin with +, - or a blank.
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}

fn unified_diff() -> Lesson {
    Lesson {
        verb: "write",
        opening: "unified diffs",
        examples: "    --- a/src/example.py
    +++ b/src/example.py
    @@ -1,3 +1,3 @@
     def greet(name):
         message = \"Hello, \" + name
    -    print(message)
    +    return message
    --- /dev/null
    +++ b/src/new.py
    @@ -0,0 +1,2 @@
    +the first line
    +the second line
    --- a/src/old.py
    +++ /dev/null
    @@ -1 +0,0 @@
    -the only line
    diff --git a/src/a.py b/src/b.py
    rename from src/a.py
    rename to src/b.py
",
        rules: "\
- The lines of a diff begin in the first column (they are indented here only to be shown).
- A line that stays begins with a blank, one that goes with -, one that comes with +. Show three lines that stay before
  and after each change, where there are so many.
- `--- /dev/null` creates a file; `+++ /dev/null` deletes it, and shows all its lines with -. `rename from` and
  `rename to` move a file; hunks may follow.
- The numbers behind @@ are hints: they need not be right. The lines have to be.
- Each file stands in a diff once, with all its changes from top to bottom. Paths are relative to the project. A text
  may hold any marker, since all its lines begin with +, - or a blank.
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}

fn aider() -> Lesson {
    Lesson {
        verb: "write",
        opening: "SEARCH/REPLACE blocks",
        examples: "    src/new.py
    ```python
    <<<<<<< SEARCH
    =======
    the whole content of the file
    >>>>>>> REPLACE
    ```

    src/example.py
    ```python
    <<<<<<< SEARCH
        print(message)
    =======
        return message
    >>>>>>> REPLACE
    ```
",
        rules: "\
- The path stands alone on the line before the fence, every time, relative to the project (paths and blocks are indented
  here only to be shown).
- SEARCH holds whole lines of the file, with their indentation; REPLACE holds what is to stand in their place.
- An empty SEARCH creates a file. An empty REPLACE deletes the lines.
- One block changes one place; write several small ones rather than a large one.
- This form cannot delete or move a file, nor hold a text with one of its markers: write a patch for that, in the same
  answer:
    *** Begin Patch
    *** Delete File: src/old.py
    *** Update File: src/a.py
    *** Move to: src/b.py
    *** End Patch
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}

fn whole_file() -> Lesson {
    Lesson {
        verb: "show",
        opening: "each file that changes as a whole",
        examples: "    src/new.py
    ```python
    def main():
        return 1
    ```
",
        rules: "\
- The path stands alone on the line before the fence, relative to the project (both are indented here only to be shown).
- A listing is the file from its first line to its last: it replaces what is there, or creates it. One that is empty,
  or much shorter than the file that is there, is refused or waits for the user.
- A listing is taken for a file whenever a path stands before it. Show samples that are not meant to be written without
  a path.
- A file that holds a line of three backticks needs a fence of four or more.
- Change only what is asked for, and keep the rest of the file as it is, comments and blank lines included.
- This form can neither delete nor move a file. A patch (*** Begin Patch) could, but is not read beside listings: tell the
  person which files are to go or move.
",
        exact: Exact::None,
        actions: String::new(),
    }
}

fn tool_call() -> Lesson {
    Lesson {
        verb: "write",
        opening: "calls of these tools as JSON, one a line",
        examples: r#"    {"name": "Write", "input": {"file_path": "src/new.py", "content": "the whole content of the file\n"}}
    {"name": "Edit", "input": {"file_path": "src/example.py", "old_string": "    print(message)\n", "new_string": "    return message\n"}}
    {"name": "MultiEdit", "input": {"file_path": "src/example.py", "edits": [{"old_string": "Hello", "new_string": "Hi"}, {"old_string": "def leave", "new_string": "def go"}]}}
    {"name": "delete_file", "input": {"path": "src/old.py"}}
    {"name": "move_file", "input": {"source": "src/a.py", "destination": "src/b.py"}}
"#,
        rules: "\
- All of them are applied after the last one. Besides these there are Read (file_path) and create_directory (path),
  and no other tool; commands cannot be run.
- A call is valid JSON: within a string a line end is \\n, a quote \\\", a backslash \\\\. It has these arguments and no
  others. Texts may hold anything. Paths are relative to the project.
- Edit replaces old_string, which occurs once; with \"replace_all\": true, wherever it occurs. MultiEdit does several in
  order, all or none. Write creates or replaces a file; its content ends with \\n if the file does.
",
        exact: Exact::Unsaid,
        actions: String::new(),
    }
}
