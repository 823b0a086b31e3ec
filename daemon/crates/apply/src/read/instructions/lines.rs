//! aider's SEARCH/REPLACE blocks and whole files: dialects in which a path stands on a line of its own.

use super::lesson::Lesson;

pub(super) fn aider() -> Lesson {
    Lesson {
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
        actions: String::new(),
    }
}

pub(super) fn whole_file() -> Lesson {
    Lesson {
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
        actions: String::new(),
    }
}
