//! The text that teaches a model a dialect and the actions that it may use, made from the schema.
//!
//! Pure but for the nonce, which the caller gives. The text is fenced, so that applying it does nothing, and its
//! examples name a path that is always refused, in case only a part of it is applied.

use clada_dialects::Dialect;
use clada_protocol::{Audience, visible_path};
use clada_schema::{ActionDefinition, Caller, Format, ParameterType, definitions};

/// A path that no configuration allows.
const REFUSED: &str = "/proc/example";

/// The instructions for `dialect`, fenced with `nonce`. They name the project's `root`, if it is known.
#[must_use]
pub fn instructions(dialect: Dialect, audience: Audience, root: Option<&str>, nonce: &str) -> String {
    let body = match dialect {
        Dialect::Sham => sham(),
        // Not among `DIALECTS`: nobody is taught what is not carried out.
        _ => String::new(),
    };
    let opening = match audience {
        Audience::Chat => {
            "For the rest of this conversation, write changes to files in the way described here.\n\n"
        }
        Audience::System => "",
    };
    let place = root.map(|root| format!("\nThe project is in {}\n", visible_path(root))).unwrap_or_default();
    format!("clada-instructions {nonce}\n{opening}{body}{place}end {nonce}\n")
}

fn sham() -> String {
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

fn line(action: &ActionDefinition) -> String {
    let parameters: Vec<String> = action
        .parameters
        .iter()
        .map(|parameter| {
            let mark = if parameter.required { "" } else { "?" };
            let what = match (parameter.parameter_type, parameter.format) {
                (ParameterType::Integer, _) => " (integer)".to_owned(),
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
