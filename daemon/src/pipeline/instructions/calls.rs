//! Calls of editing tools as text, for models that insist on them.

use super::{EXACT, REFUSED};

pub(super) fn tool_call() -> String {
    format!(
        "\
To change files of the project, write calls of the tools below as JSON, each on a line of its own. They are found in
your answer and carried out in order. Text around them is free, and they may stand in a code fence. There is no other
tool, and no result comes back before your answer ends.

    {{\"name\": \"Edit\", \"input\": {{\"file_path\": \"{REFUSED}/src/main.py\", \"old_string\": \"value = 1\\nprint(value)\", \"new_string\": \"value = 1\\nreturn value\"}}}}
    {{\"name\": \"Edit\", \"input\": {{\"file_path\": \"{REFUSED}/src/main.py\", \"old_string\": \"value\", \"new_string\": \"total\", \"replace_all\": true}}}}
    {{\"name\": \"MultiEdit\", \"input\": {{\"file_path\": \"{REFUSED}/src/b.py\", \"edits\": [{{\"old_string\": \"a\", \"new_string\": \"b\"}}, {{\"old_string\": \"c\", \"new_string\": \"d\"}}]}}}}
    {{\"name\": \"Write\", \"input\": {{\"file_path\": \"{REFUSED}/src/new.py\", \"content\": \"the whole content of the file\\n\"}}}}
    {{\"name\": \"Read\", \"input\": {{\"file_path\": \"{REFUSED}/src/main.py\"}}}}
    {{\"name\": \"delete_file\", \"input\": {{\"path\": \"{REFUSED}/src/old.py\"}}}}
    {{\"name\": \"move_file\", \"input\": {{\"source\": \"{REFUSED}/a.py\", \"destination\": \"{REFUSED}/b.py\"}}}}
    {{\"name\": \"create_directory\", \"input\": {{\"path\": \"{REFUSED}/docs\"}}}}

Rules:
- A call is sound JSON: within a string a line end is \\n, a quote \\\", a backslash \\\\. It has these arguments and no
  others. The paths are examples; yours are relative to the project.
- Edit replaces old_string, which occurs once; with replace_all, wherever it occurs. MultiEdit does several in order, all
  or none. Write creates or replaces a file; the text ends with a line end if the file does.
- Commands cannot be run.
{EXACT}"
    )
}
