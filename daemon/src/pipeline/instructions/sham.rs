//! SHAM.

use clada_schema::{ActionDefinition, Caller, Format, ParameterType, definitions};

use super::REFUSED;

pub(super) fn text() -> String {
    let mut text = format!(
        "\
To change or read files of the project, write SHAM blocks. They are found in your answer and carried out in
order; you get a report, with a hint for each that failed. Text around the blocks is free, and a block may stand
in a code fence.

    #!SHAM [@three-char-SHA-256: k7m]
    action = \"file_write\"
    path = \"{REFUSED}/src/main.rs\"
    content = <<'EOT_SHAM_k7m'
    any text, as it is
    EOT_SHAM_k7m
    #!END_SHAM_k7m

    #!SHAM [@three-char-SHA-256: q2x]
    action = \"file_replace_text\"
    path = \"{REFUSED}/src/main.rs\"
    old_text = \"any text\"
    new_text = \"another text\"
    #!END_SHAM_q2x

Rules:
- Lines of a block start in the first column (they are indented here only to be shown).
- The id (k7m) is three letters or digits of your choice, new for each block, and stands in the header, in every
  heredoc delimiter and in the end marker.
- A value is a double-quoted string with JSON escapes, on one line, or a heredoc: verbatim lines between
  <<'EOT_SHAM_id' and a line EOT_SHAM_id. The last newline before the delimiter is not part of the value: leave an
  empty line before it to end a file with a newline.
- Every block has an action. Paths are absolute.
- old_text must be in the file character by character, blanks included, and unique unless the action says
  otherwise; take enough lines to make it so, and no more.
- A block that fails changes nothing; send it again, corrected, and leave out the ones that succeeded.

Actions (a ? marks what may be left out):
"
    );
    for action in definitions().iter().filter(|action| action.available && action.allows(Caller::Llm)) {
        text.push_str(&line(action));
    }
    text
}

/// `- name: parameters. What it does.`
fn line(action: &ActionDefinition) -> String {
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
    format!("- {}: {}. {}\n", action.name, parameters.join(", "), action.description)
}
