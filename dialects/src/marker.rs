//! Lines that are a complete marker of a dialect, wherever they are (spec: answers, section 2).
//!
//! Describes the look of a line. The dialect itself decides whether it is a marker or content.

use crate::Dialect;

/// Returns true if `line` is a whole marker of `dialect`, with its usual signs: in the content of a block it
/// may be one that was meant to end it.
#[must_use]
pub fn is_marker(dialect: Dialect, line: &str) -> bool {
    let line = line.trim_end();
    // Only the usual spellings count: content that merely resembles a marker must pass.
    let begins = |heads: &[&str]| heads.iter().any(|head| line.starts_with(head));
    match dialect {
        Dialect::Sham => {
            begins(&["#!SHAM [@", "#!END_SHAM_"]) || line.starts_with("EOT_SHAM_") && !line.contains(' ')
        }
        Dialect::Csl => {
            line.ends_with("--->")
                && begins(&[
                    "<---WRITE",
                    "<---SEARCH",
                    "<---REPLACE",
                    "<---TO",
                    "<---RUN",
                    "<---TASKS",
                    "<---END",
                ])
        }
        Dialect::Cml => {
            let line = line.trim_start();
            line.ends_with('>')
                && [
                    "<write path=",
                    "</write>",
                    "<edit path=",
                    "</edit>",
                    "<search>",
                    "</search>",
                    "<replace>",
                    "</replace>",
                    "<tasks>",
                    "</tasks>",
                    "<remove path=",
                    "<move from=",
                ]
                .iter()
                .any(|head| line.starts_with(head))
        }
        Dialect::Replacer => {
            line.starts_with("<<<")
                && line.ends_with(">>>")
                && line.len() > 6
                && line
                    .trim_matches(['<', '>', '/'])
                    .chars()
                    .all(|sign| sign.is_ascii_uppercase() || sign == '_')
        }
        Dialect::Aider => {
            ["<<<<<<< SEARCH", ">>>>>>> REPLACE", "<<<<<<< ORIGINAL", ">>>>>>> UPDATED"].contains(&line)
        }
        Dialect::ApplyPatch => {
            begins(&["*** Update File: ", "*** Add File: ", "*** Delete File: "])
                || ["*** Begin Patch", "*** End Patch", "*** End of File"].contains(&line)
        }
        Dialect::UnifiedDiff => {
            line.starts_with("diff --git a/") || line.starts_with("@@ -") && line[4..].contains(" @@")
        }
        Dialect::ToolCall => begins(&["</parameter>", "<parameter name=", "</invoke>", "<invoke name="]),
        Dialect::WholeFile => false,
    }
}
