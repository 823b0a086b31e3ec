//! The rules of each dialect, from the table of dialects.

use crate::cursor::{Cursor, Line};
use crate::dialect::{Dialect, each_dialect};
use crate::findings::Findings;
use crate::reader::DialectRules;

macro_rules! rules {
    ($($(#[$doc:meta])+ $variant:ident = ($module:ident, $auto:literal, $openings:expr);)*) => {
        pub(crate) fn rules(dialect: Dialect) -> &'static DialectRules {
            match dialect { $(Dialect::$variant => &crate::$module::RULES),* }
        }
    };
}

each_dialect!(rules);

pub(crate) fn opens_block(
    dialect: Dialect,
    line: &Line<'_>,
    after: &Cursor<'_>,
    findings: &Findings<'_>,
) -> bool {
    (rules(dialect).opens)(line, after, findings)
}

/// Returns true if `line` is a whole marker of `dialect`, with its usual signs: in the content of a block it
/// may be one that was meant to end it (spec: answers, section 2).
#[must_use]
pub fn is_marker(dialect: Dialect, line: &str) -> bool {
    (rules(dialect).is_marker)(line.trim_end())
}
