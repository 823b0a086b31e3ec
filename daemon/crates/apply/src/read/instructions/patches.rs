//! `apply_patch` and unified diffs: dialects that show changed lines among those around them.

use super::lesson::Lesson;

pub(super) fn apply_patch() -> Lesson {
    Lesson {
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
- A patch is carried out whole or not at all. Its lines begin in the first column (they are indented here only to be
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
        actions: String::new(),
    }
}

pub(super) fn unified_diff() -> Lesson {
    Lesson {
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
        actions: String::new(),
    }
}
