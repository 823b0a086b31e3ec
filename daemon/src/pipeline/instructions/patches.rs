//! `apply_patch` and unified diffs: dialects that show changed lines among those around them.

use super::{EXACT, REFUSED};

pub(super) fn apply_patch() -> String {
    format!(
        "\
To change files of the project, write a patch. It is found in your answer and carried out whole or not at all. Text
around it is free, and it may stand in a code fence.

    *** Begin Patch
    *** Add File: {REFUSED}/src/new.py
    +the first line
    +the second line
    *** Update File: {REFUSED}/src/main.py
    *** Move to: {REFUSED}/src/start.py
    @@ def main():
         value = 1
    -    print(value)
    +    return value
    *** Delete File: {REFUSED}/src/old.py
    *** End Patch

Rules:
- The lines of a patch begin in the first column (they are indented here only to be shown).
- Add File creates a file; every line of it begins with +. Delete File removes one. Move to, if a file is also to be
  renamed, follows its Update File.
- In an Update, a line that stays begins with a blank, one that goes with -, one that comes with +. Show three lines
  that stay before and after each change.
- @@ begins a change. Behind it may stand the line of the function or class that the change is in, where the lines
  alone would fit several places.
- `*** End of File` after the last line of a change says that it is at the end of the file.
- Each file stands in a patch once, with all its changes from top to bottom. Paths are relative to the project.
{EXACT}"
    )
}

pub(super) fn unified_diff() -> String {
    format!(
        "\
To change files of the project, write unified diffs. They are found in your answer, each file on its own. Text around
them is free, and they may stand in a code fence.

    --- {REFUSED}/src/main.py
    +++ {REFUSED}/src/main.py
    @@ -10,3 +10,3 @@ def main():
         value = 1
    -    print(value)
    +    return value
         # the end
    --- /dev/null
    +++ {REFUSED}/src/new.py
    @@ -0,0 +1,2 @@
    +the first line
    +the second line

Rules:
- The lines of a diff begin in the first column (they are indented here only to be shown).
- A line that stays begins with a blank, one that goes with -, one that comes with +. Show three lines that stay before
  and after each change.
- `--- /dev/null` creates a file, `+++ /dev/null` deletes it. `diff --git` with `rename from` and `rename to` moves it.
- The numbers behind @@ are hints: they need not be right. The lines have to be.
- Each file stands in a diff once, with all its changes from top to bottom. Paths are relative to the project.
{EXACT}"
    )
}
