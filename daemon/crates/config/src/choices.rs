//! The settings that are one word of a few.

use serde_json::Value;

use super::kinds::{self, ValueKind};

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// Every choice, as it is written in the configuration.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// Returns the name that the configuration uses.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// Returns the choice that is written `name`.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }

            pub(super) const KIND: ValueKind<$name> = kinds::choice(
                $name::NAMES,
                |setting, node| setting.choice(node, $name::from_name),
                |choice| Value::from(choice.name()),
            );
        }
    )*};
}

choices! {
    /// The condition under which a file counts as written.
    Durability {
        /// The file and its folder are on the disk (fsync).
        #[default]
        Full = "full",
        /// The operating system has it; a power cut may undo the last seconds.
        Fast = "fast",
    }

    /// The difference allowed between the text of a file and the text asked for.
    Matching {
        /// The rule of each dialect.
        #[default]
        ByDialect = "by_dialect",
        /// The exact text.
        Exact = "exact",
        /// Lines, ignoring blanks at their ends.
        Strict = "strict",
        /// Lines, as far as only one place can be meant.
        Tolerant = "tolerant",
    }

    /// The treatment of a path that lies in no root and does not exist, if only one file of
    /// the project can be meant.
    MadeUpRoots {
        /// It is an error, which names the file.
        #[default]
        Hint = "hint",
        /// The file is taken, with a warning.
        Accept = "accept",
    }

    /// The treatment of a relative path in the SHAM dialect.
    ShamPaths {
        /// Relative to the root, with a warning.
        #[default]
        Any = "any",
        /// An error, as in SHAM's own documentation.
        Absolute = "absolute",
    }

    /// The treatment of the last line's end in a file that is written whole.
    FinalNewline {
        /// Kept as in the answer.
        AsWritten = "as_written",
        /// Added where the dialect cannot say whether there is one.
        #[default]
        Ensure = "ensure",
    }

    /// The reaction of `embed` to a file that cannot be embedded.
    ErrorHandling {
        /// Nothing is embedded.
        Strict = "strict",
        /// The user is asked.
        #[default]
        Flexible = "flexible",
        /// The file is left out.
        Ignore = "ignore",
    }

    /// The format of a staging folder's manifest.
    ManifestFormat {
        /// Names, the root, and removed files.
        #[default]
        Json = "json",
        /// A record of names, for prompts that expect it.
        Dhall = "dhall",
    }

    /// The tokenizer that counts tokens.
    Tokenizer {
        /// o200k_base.
        #[default]
        O200k = "o200k",
        /// cl100k_base.
        Cl100k = "cl100k",
    }

    /// The part of its changes that `apply` shows.
    ApplyShow {
        /// The files, with the numbers of their lines.
        #[default]
        Stat = "stat",
        /// Also the diff.
        Diff = "diff",
    }

    /// What becomes of code that an answer shows without a dialect.
    ApplyPlain {
        /// The user is asked, or says so for one call.
        #[default]
        Ask = "ask",
        /// It is named, and never applied.
        Refuse = "refuse",
    }

    /// The place for the commits of an operation.
    GitMode {
        /// On the branch that is checked out.
        #[default]
        Branch = "branch",
        /// On `refs/clada/…`, alongside the branch.
        Refs = "refs",
        /// Nowhere.
        Off = "off",
    }

    /// The files that are committed before an operation.
    GitBefore {
        /// The files that it will change, if they are dirty.
        #[default]
        Touched = "touched",
        /// All dirty files.
        All = "all",
    }

    /// The approval that code in a sandbox needs.
    ExecApproval {
        /// Code always needs approval.
        #[default]
        Ask = "ask",
        /// Code needs approval only outside a sandbox.
        Sandboxed = "sandboxed",
    }

    /// The condition for asking again about approved commands after the answer has changed files.
    AskAfterEdit {
        /// Asks again where there is no sandbox.
        #[default]
        Auto = "auto",
        /// Never.
        Off = "off",
    }

    /// The part of the home folder that commands in a sandbox see.
    ExecHome {
        /// As `Show`, but as `Hide` for code that runs without approval.
        #[default]
        Auto = "auto",
        /// All but keys and the like.
        Show = "show",
        /// Only programs, their caches, and paths named in the settings.
        Hide = "hide",
    }

    /// The sandbox that commands run in.
    SandboxChoice {
        /// The best that works.
        #[default]
        Auto = "auto",
        /// The best that works; without one no command runs.
        Require = "require",
        /// None.
        Off = "off",
    }

    /// The treatment of a process that calls from other namespaces than the daemon's.
    ForeignNamespaces {
        /// It is refused.
        #[default]
        Refuse = "refuse",
        /// It counts as an agent.
        Agent = "agent",
    }

    /// The treatment of an agent's call that needs approval.
    McpApprovals {
        /// Actions that need approval are left out and reported; the rest is done.
        #[default]
        Tell = "tell",
        /// The call waits for a person before any of it is done.
        Wait = "wait",
    }

    /// The source of change events.
    WatchBackend {
        /// The one that this system has.
        #[default]
        Auto = "auto",
        /// The kernel's own interface, on Linux.
        Inotify = "inotify",
        /// The library `notify`, on macOS.
        Notify = "notify",
    }

    /// The contents of the daemon's log.
    LogLevel {
        /// Nothing.
        Off = "off",
        /// Faults of the daemon.
        Error = "error",
        /// Also problems that the user should look at.
        Warn = "warn",
        /// Also what was done.
        #[default]
        Info = "info",
        /// Also the reasons for decisions.
        Debug = "debug",
        /// Also everything else.
        Trace = "trace",
    }
}
