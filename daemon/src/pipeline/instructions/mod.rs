//! The texts that teach a model a dialect and the actions that it may use; names of actions come from the schema.
//!
//! Pure but for the nonce, which the caller gives. A text is fenced, so that applying it does nothing, and its
//! examples name a path that is always refused, in case only a part of it is applied.

mod calls;
mod lines;
mod markers;
mod patches;
mod sham;

use clada_dialects::Dialect;
use clada_protocol::{Audience, visible_path};

/// A path that no configuration allows.
const REFUSED: &str = "/proc/example";

/// The instructions for `dialect`, fenced with `nonce`. They name the project's `root`, if it is known.
#[must_use]
pub fn instructions(dialect: Dialect, audience: Audience, root: Option<&str>, nonce: &str) -> String {
    let body = match dialect {
        Dialect::Sham => sham::text(),
        Dialect::Csl => markers::csl(),
        Dialect::Cml => markers::cml(),
        Dialect::Replacer => markers::replacer(),
        Dialect::ApplyPatch => patches::apply_patch(),
        Dialect::UnifiedDiff => patches::unified_diff(),
        Dialect::Aider => lines::aider(),
        Dialect::ToolCall => calls::tool_call(),
        Dialect::WholeFile => lines::whole_file(),
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

/// What holds in every dialect in which texts are looked for in files, and is said at the end of their rules.
const EXACT: &str = "\
- The text that is looked for has to stand in the file as it is written, blanks included, and in one place only; take
  enough lines to make it so, and no more. Never leave lines out with `...`.
- What fails changes nothing. You get a report with a hint; send only that again, corrected, and leave out what
  succeeded.
";

#[cfg(test)]
mod tests {
    use clada_dialects::{Bounds, Choice, parse};

    use super::*;

    /// The dialects whose texts have to be read by their own parsers.
    const READ: &[Dialect] = Dialect::ALL;

    /// The example in `text`: its lines that are indented by four blanks, as they are meant.
    fn example(text: &str) -> String {
        let lines = text.lines().filter(|line| line.is_empty() || line.starts_with("    "));
        lines.map(|line| format!("{}\n", line.get(4..).unwrap_or_default())).collect()
    }

    #[test]
    fn applying_instructions_does_nothing() {
        for dialect in Dialect::ALL {
            for audience in [Audience::Chat, Audience::System] {
                let text = instructions(*dialect, audience, Some("/proj"), "0123456789abcdef");
                for choice in
                    [Choice::Auto, Choice::Named(Dialect::ALL.to_vec()), Choice::Named(vec![*dialect])]
                {
                    let parsed = parse(&text, &Bounds::default(), &choice);
                    assert!(parsed.blocks.is_empty(), "{text}\n{parsed:#?}");
                    assert!(parsed.diagnostics.iter().all(|found| !found.fatal), "{parsed:#?}");
                }
            }
        }
    }

    #[test]
    fn examples_are_sound_and_refused() {
        for dialect in Dialect::ALL {
            let text = instructions(*dialect, Audience::System, None, "0123456789abcdef");
            let example = example(&text);
            let parsed = parse(&example, &Bounds::default(), &Choice::Named(vec![*dialect]));
            if parsed.blocks.is_empty() && !READ.contains(dialect) {
                continue;
            }
            assert!(!parsed.blocks.is_empty(), "{example}");
            assert!(parsed.diagnostics.is_empty(), "{example}\n{parsed:#?}");
            for block in &parsed.blocks {
                assert!(block.sound && block.dialect == *dialect, "{example}\n{block:#?}");
                for action in block.actions.iter().filter(|action| action.name.as_deref() != Some("run")) {
                    let path = action.field("path").or(action.field("old_path")).unwrap();
                    assert!(path.trim_start_matches('/').starts_with("proc/example/"), "{path}");
                }
            }
        }
    }

    #[test]
    fn every_text_is_short() {
        for dialect in Dialect::ALL {
            let text = instructions(*dialect, Audience::Chat, None, "0123456789abcdef");
            assert!((20..=75).contains(&text.lines().count()), "{} {text}", text.lines().count());
            assert!(text.contains(REFUSED), "{text}");
        }
    }
}
