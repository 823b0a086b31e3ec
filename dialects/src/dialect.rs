//! The dialects: their names, their order, and the beginnings of their markers. Knows nothing of what their blocks look
//! like.

use serde::{Deserialize, Serialize};

/// Calls `$callback!` with each dialect, in the order in which they are asked: its module, whose name is its own,
/// whether it is read unless a caller names others, and how its opening markers begin: a character, or the same one twice.
macro_rules! each_dialect {
    ($callback:ident) => {
        $callback! {
            /// `#!SHAM …` and its later name `#!NESL …`.
            Sham = (sham, true, ["#"]);
            /// Clada Syntax Language: `<---WRITE file="…"--->` and its siblings. Its first character can be chosen
            /// (`glance.rs`).
            Csl = (csl, true, ["\0"]);
            /// The XML protocol: `<write path="…">` and its siblings.
            Cml = (cml, true, ["<"]);
            /// `<<<FILE>>>`, `<<<SEARCH>>>`, `<<<REPLACE>>>`, `<<<END>>>`.
            Replacer = (replacer, true, ["<<"]);
            /// `*** Begin Patch` … `*** End Patch`.
            ApplyPatch = (apply_patch, true, ["*"]);
            /// SEARCH/REPLACE blocks, of aider and its kin.
            Aider = (aider, true, ["<<", "-"]);
            /// Unified diffs, plain and git's.
            UnifiedDiff = (unified_diff, true, ["-", "d", "+", "`", "~"]);
            /// Calls of editing tools as text, in JSON or as elements.
            ToolCall = (tool_call, true, ["<", "{", "["]);
            /// A file name, then the whole file in a fence. Not read unless it is named: with it, any sample listing
            /// in an answer would overwrite a file.
            WholeFile = (whole_file, false, []);
        }
    };
}
pub(crate) use each_dialect;

macro_rules! dialects {
    ($($(#[doc = $doc:literal])+ $variant:ident = ($module:ident, $auto:literal, $openings:expr);)*) => {
        /// A way in which models write edits and commands.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Dialect { $($(#[doc = $doc])+ $variant,)* }

        impl Dialect {
            /// Every dialect that this version reads, in the order in which they are asked whether a block
            /// opens.
            pub const ALL: &'static [Dialect] = &[$(Dialect::$variant),*];

            /// The name used in parameters, results and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Dialect::$variant => stringify!($module)),* }
            }

            const fn is_auto(self) -> bool {
                match self { $(Dialect::$variant => $auto),* }
            }

            /// The beginnings of markers at which a block opens, blanks left out. Of one without any, any line can
            /// open a block.
            pub(crate) const fn openings(self) -> &'static [&'static str] {
                match self { $(Dialect::$variant => &$openings),* }
            }
        }
    };
}

each_dialect!(dialects);

const AUTO_DIALECTS: usize = {
    let (mut count, mut index) = (0, 0);
    while index < Dialect::ALL.len() {
        count += Dialect::ALL[index].is_auto() as usize;
        index += 1;
    }
    count
};

impl Dialect {
    /// The dialects that are read if the caller names none.
    pub const AUTO: &'static [Dialect] = &{
        let (mut auto, mut count, mut index) = ([Dialect::Sham; AUTO_DIALECTS], 0, 0);
        while index < Dialect::ALL.len() {
            if Dialect::ALL[index].is_auto() {
                auto[count] = Dialect::ALL[index];
                count += 1;
            }
            index += 1;
        }
        auto
    };

    /// The dialect called `name`. `nesl` is accepted for `sham`, being the same one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Dialect> {
        match name {
            "nesl" => Some(Dialect::Sham),
            _ => Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name),
        }
    }
}

/// The dialects that a parse reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// All of [`Dialect::AUTO`].
    #[default]
    Auto,
    /// The dialects of [`Dialect::AUTO`] and others that a configuration leaves enabled. Read as in `Auto`:
    /// text that merely resembles a dialect is text.
    Enabled(Vec<Dialect>),
    /// Only these, and the answer is meant to be written in them.
    Named(Vec<Dialect>),
}

impl Choice {
    pub(crate) fn dialects(&self) -> Dialects {
        match self {
            Choice::Auto => Dialects::from_slice(Dialect::AUTO),
            Choice::Enabled(named) | Choice::Named(named) => Dialects::from_slice(named),
        }
    }

    /// Returns true if blocks of `dialect` are read.
    #[must_use]
    pub fn includes(&self, dialect: Dialect) -> bool {
        self.dialects().contains(dialect)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialects(u16);

impl Dialects {
    pub(crate) const fn from_slice(dialects: &[Dialect]) -> Dialects {
        let (mut bits, mut index) = (0, 0);
        while index < dialects.len() {
            bits |= 1 << dialects[index] as u16;
            index += 1;
        }
        Dialects(bits)
    }

    #[inline]
    pub(crate) const fn contains(self, dialect: Dialect) -> bool {
        self.0 & (1 << dialect as u16) != 0
    }

    #[inline]
    pub(crate) const fn among(self, others: Dialects) -> Dialects {
        Dialects(self.0 & others.0)
    }

    pub(crate) const fn with(self, others: Dialects) -> Dialects {
        Dialects(self.0 | others.0)
    }

    #[inline]
    pub(crate) fn find(self, mut is: impl FnMut(Dialect) -> bool) -> Option<Dialect> {
        let mut bits = self.0;
        while bits != 0 {
            let dialect = Dialect::ALL[bits.trailing_zeros() as usize];
            if is(dialect) {
                return Some(dialect);
            }
            bits &= bits - 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_a_set_in_order() {
        let some = Dialects::from_slice(&[Dialect::WholeFile, Dialect::Csl]);
        assert!(some.contains(Dialect::Csl) && !some.contains(Dialect::Sham));
        assert_eq!(some.find(|_| true), Some(Dialect::Csl));
        assert_eq!(
            some.among(Dialects::from_slice(&[Dialect::WholeFile])).find(|_| true),
            Some(Dialect::WholeFile)
        );
    }
}
