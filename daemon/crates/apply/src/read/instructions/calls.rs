//! Calls of editing tools as text, for models that insist on them.

use super::lesson::Lesson;

pub(super) fn tool_call() -> Lesson {
    Lesson {
        opening: "calls of these tools as JSON, one a line",
        examples: r#"    {"name": "Write", "input": {"file_path": "src/new.py", "content": "the whole content of the file\n"}}
    {"name": "Edit", "input": {"file_path": "src/example.py", "old_string": "    print(message)\n", "new_string": "    return message\n"}}
    {"name": "MultiEdit", "input": {"file_path": "src/example.py", "edits": [{"old_string": "Hello", "new_string": "Hi"}, {"old_string": "def leave", "new_string": "def go"}]}}
    {"name": "delete_file", "input": {"path": "src/old.py"}}
    {"name": "move_file", "input": {"source": "src/a.py", "destination": "src/b.py"}}
"#,
        rules: "\
- All of them are carried out after the last one. Besides these there are Read (file_path) and create_directory (path),
  and no other tool; commands cannot be run.
- A call is sound JSON: within a string a line end is \\n, a quote \\\", a backslash \\\\. It has these arguments and no
  others. Texts may hold anything. Paths are relative to the project.
- Edit replaces old_string, which occurs once; with \"replace_all\": true, wherever it occurs. MultiEdit does several in
  order, all or none. Write creates or replaces a file; its content ends with \\n if the file does.
",
        actions: String::new(),
    }
}
