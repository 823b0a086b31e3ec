//! Texts that teach a model a dialect and the actions that it may use; names of actions come from the schema.
//!
//! Pure but for the nonce, which the caller gives. A text is fenced, so that applying it does nothing. Its
//! examples, taken out of it, are good answers for a project that has the files they name.

mod lesson;
mod lessons;
mod sham;

use clada_config::{Settings, ShamPaths};
use clada_dialects::Dialect;
use clada_protocol::{Audience, InstructionsParams, visible_path};

use lesson::{Actions, Exact, Lesson};
use lessons::lesson;

/// The instructions for `dialect` as `params` say, fenced with `nonce`. They name the project's root, if it is
/// known, and keep to what `settings` asks of answers.
#[must_use]
pub fn instructions(
    dialect: Dialect,
    params: &InstructionsParams,
    settings: &Settings,
    nonce: &str,
) -> String {
    let actions = if params.all_actions { Actions::All } else { Actions::Usual };
    let Lesson { verb, opening, examples, rules, exact, actions } = lesson(dialect, actions);
    let since = match params.audience {
        Audience::Chat => "From here on in this conversation, to change files of the project",
        Audience::System => "To change files of the project",
        Audience::Tool => "To change files of the project by the tool `apply`, as its `text`",
    };
    let search = match params.audience {
        Audience::Chat | Audience::System => FOUND,
        Audience::Tool => IN_TEXT,
    };
    let exact = if exact == Exact::Unsaid { EXACT } else { "" };
    let root = params.root.as_deref();
    let place = root.map(|root| format!("\nThe project is in {}\n", visible_path(root))).unwrap_or_default();
    let text = format!(
        "clada-instructions {nonce}\n{since}, {verb} {opening}.\n{search}\n\n{examples}\nRules:\n\
         {rules}{exact}{ALL}{actions}{place}end {nonce}\n"
    );
    match (dialect, root) {
        (Dialect::Csl, _) => text.replace("<---", &settings.csl_start).replace("--->", &settings.csl_end),
        (Dialect::Sham, Some(root)) if settings.sham_paths == ShamPaths::Absolute => text
            .replace("\"src/", &format!("\"{}/src/", visible_path(root)))
            .replace("Paths are relative to the project", "Paths are absolute"),
        _ => text,
    }
}

/// Returns how to write one edit in `dialect`, in at most 350 tokens (spec: answers, section 1).
#[must_use]
pub(crate) fn how_to_write(dialect: Dialect) -> String {
    let Lesson { verb, opening, examples, exact, .. } = lesson(dialect, Actions::Usual);
    let verb = if verb == "show" { "Show" } else { "Write" };
    let exact = if exact == Exact::None { "" } else { EXACT };
    format!(
        "{verb} {opening}, in the first column, with paths relative to the project:\n\n{examples}\n{exact}"
    )
}

const FOUND: &str = "\
The edits are found in your answer and applied in order. Text around them is free, and they may be in a code
fence.";

const IN_TEXT: &str = "\
The edits are found in `text` and applied in order. Other text around them is free, and they may be in a code
fence.";

const EXACT: &str = "\
- The text that is looked for is in the file exactly as written, whitespace included, and in one place only; take
  enough lines for that, and no more.
";

const ALL: &str = "\
- Never leave lines out with `...` or a comment such as `# rest unchanged`: such an edit is refused.
- Some files (workflows, hooks) and commands wait for the user's approval; the report says so; do not send them again;
  put them in a separate block.
- You get a report. An edit that failed has changed nothing: send only that again, corrected.
";

#[cfg(test)]
mod tests;
