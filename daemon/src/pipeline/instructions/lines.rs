//! aider's SEARCH/REPLACE blocks and whole files: dialects in which a path stands on a line of its own.

use super::{EXACT, REFUSED};

pub(super) fn aider() -> String {
    format!(
        "\
To change files of the project, write SEARCH/REPLACE blocks. They are found in your answer and carried out in order.
Text around them is free.

    {REFUSED}/src/main.py
    ```python
    <<<<<<< SEARCH
        value = 1
        print(value)
    =======
        value = 1
        return value
    >>>>>>> REPLACE
    ```

    {REFUSED}/src/new.py
    ```python
    <<<<<<< SEARCH
    =======
    the whole content of the file
    >>>>>>> REPLACE
    ```

Rules:
- The path stands alone on the line before the fence, every time, relative to the project (paths and blocks are indented
  here only to be shown).
- SEARCH holds whole lines of the file, with their indentation; REPLACE holds what is to stand in their place.
- An empty SEARCH creates a file. An empty REPLACE deletes the lines.
- One block changes one place; write several small ones rather than a large one.
{EXACT}"
    )
}

pub(super) fn whole_file() -> String {
    format!(
        "\
To change files of the project, show each file that changes as a whole, from its first line to its last. It replaces
the file that is there, or creates it. Text around the listings is free.

    {REFUSED}/src/main.py
    ```python
    def main():
        return 1
    ```

Rules:
- The path stands alone on the line before the fence, relative to the project (both are indented here only to be shown).
- Show the file in full. Never leave lines out with `...` or a comment such as `# rest unchanged`: such a listing is
  refused, and so is one that is empty or much shorter than the file that is there.
- A listing is taken for a file whenever a path stands before it. Show samples that are not meant to be written without
  a path.
- A file that holds a line of three backticks needs a fence of four or more.
- Nothing but whole files can be written in this way: files are not moved, deleted or read.
- What fails changes nothing. You get a report with a hint; send only that again, corrected, and leave out what
  succeeded.
- Change only what is asked for, and keep the rest of the file as it is, comments and blank lines included.
"
    )
}
