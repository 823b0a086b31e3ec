//! SHAM: its examples, its rules and, from the schema, its actions.

use clada_schema::{ActionDefinition, Caller, Format, ParameterType, definitions};

use super::lesson::{Actions, Exact, Lesson};

/// The actions that an answer usually needs: the rest is explained on request.
const USUAL: [&str; 11] = [
    "file_write",
    "file_append",
    "file_replace_text",
    "file_replace_all_text",
    "file_replace_lines",
    "file_delete",
    "file_move",
    "file_read_numbered",
    "grep",
    "run",
    "exec",
];

pub(super) fn lesson(actions: Actions) -> Lesson {
    let rules = "\
- Markers stand in the first column (they are indented here only to be shown).
- The id (k7m) is any three letters or digits, new for each block, in its header, heredoc delimiters and end marker;
  nothing is computed. If a text holds such a line, take another id.
- A value is a heredoc, verbatim, without its last newline; or in double quotes on one line, with JSON escapes; or a
  bare integer.
- old_text stands in the file exactly as written, and once; take enough lines for that, and no more.
- Paths are relative to the project. A file whose text is a heredoc ends with a newline by itself; a quoted value is
  written as it is.
- Line numbers are those that the blocks before have left: change a file by lines from its end upwards.
";
    let mut named = "\nActions (? may be left out):\n".to_owned();
    let is_taught = |action: &&ActionDefinition| {
        let is_usual = USUAL.contains(&action.name.as_str());
        action.available && action.allows(Caller::Llm) && (actions == Actions::All || is_usual)
    };
    for action in definitions().iter().filter(is_taught) {
        named.push_str(&line(action, actions));
    }
    Lesson {
        verb: "write",
        opening: "SHAM blocks",
        examples: EXAMPLES,
        rules,
        exact: Exact::InRules,
        actions: named,
    }
}

const EXAMPLES: &str = "    #!SHAM [@three-char-SHA-256: k7m]
    action = \"file_write\"
    path = \"src/new.py\"
    content = <<'EOT_SHAM_k7m'
    the whole content of the file
    EOT_SHAM_k7m
    #!END_SHAM_k7m

    #!SHAM [@three-char-SHA-256: q2x]
    action = \"file_replace_text\"
    path = \"src/example.py\"
    old_text = <<'EOT_SHAM_q2x'
        message = \"Hello, \" + name
        print(message)
    EOT_SHAM_q2x
    new_text = \"    return name\"
    #!END_SHAM_q2x
";

/// `- name: parameters`, and what the action does where the name does not say it.
fn line(action: &ActionDefinition, actions: Actions) -> String {
    let parameters: Vec<String> = action
        .parameters
        .iter()
        .map(|parameter| {
            let mark = if parameter.required { "" } else { "?" };
            let what = match (parameter.parameter_type, parameter.format) {
                (ParameterType::Integer, _) => " (integer)".to_owned(),
                (ParameterType::Count, _) => " (integer, or all)".to_owned(),
                (ParameterType::Boolean, _) => " (true or false)".to_owned(),
                (ParameterType::Enum, _) => format!(" ({})", parameter.values.join(", ")),
                (_, Some(Format::MultilineAbsolutePaths)) => " (one a line)".to_owned(),
                _ => String::new(),
            };
            format!("{}{mark}{what}", parameter.name)
        })
        .collect();
    let what = match (actions, action.name.as_str()) {
        (Actions::Usual, "file_replace_all_text") => " With count, only if it occurs so often.",
        (Actions::Usual, "file_replace_lines") => " lines is \"4\" or \"23-43\".",
        (Actions::Usual, "grep") => " pattern is plain text.",
        (Actions::Usual, "run") => {
            " One command, without a shell; rm, mv, cp, mkdir, grep, ls, git diff are done at once."
        }
        (Actions::Usual, "exec") => " A person approves each.",
        (Actions::Usual, _) => "",
        (Actions::All, _) => &format!(" {}", action.description),
    };
    let stop = if what.is_empty() { "" } else { "." };
    format!("- {}: {}{stop}{what}\n", action.name, parameters.join(", "))
}
