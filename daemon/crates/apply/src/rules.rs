//! The settings that planning and executing go by, with sizes as this machine counts them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use clada_config::{ApplyPlain, FinalNewline, Key, MadeUpRoots, Matching, Settings, why_asked};
use clada_edit::Match;
use clada_fs::{PolicyGlobs, Roots};
use clada_git::GitUser;
use clada_protocol::{LineEnds, MatchLevel};
use clada_watch::Watched;

use crate::command::Commands;
use crate::working_set::WorkingSet;

/// The rules of an operation: what it may do, and how much of it.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Bytes of a file to edit, read or write.
    pub max_file_size: usize,
    /// Bytes that all files of an operation will hold.
    pub planned_bytes: usize,
    /// Bytes of a result.
    pub result_bytes: usize,
    /// Results of one grep, glob or ls.
    pub max_results: usize,
    /// Bytes of a line in the results of grep.
    pub grep_line: usize,
    /// A path below a root that a model made up is taken for the one file that it can mean.
    pub accept_made_up_roots: bool,
    /// The last line of a file that is written whole gets an end.
    pub ensure_final_newline: bool,
    /// The user says that the answer is meant as it is written: guards only tell what they find.
    pub literal: bool,
    /// The line ends that the lines of a failure's place are counted by.
    pub lines: LineEnds,
    /// The lowest rung of the ladder that edits may use; `None`: as their dialects have it.
    pub matching: Option<Match>,
    /// Reads follow symbolic links that stay in a root.
    pub follow_symlinks: bool,
    /// Folders from which git runs hooks, relative to the project's root.
    pub hook_folders: Vec<PathBuf>,
    /// The surroundings of commands; `None`: there are none.
    pub commands: Option<Arc<Commands>>,
    /// Whose excludes hold, if that is known.
    pub user: Option<GitUser>,
    /// What becomes of code without a dialect.
    pub plain: PlainRules,
    /// Who knows the project's files without a walk, if anybody does.
    pub known_files: Option<KnownFiles>,
    /// The context of the session.
    pub working_set: WorkingSet,
}

/// Returns the globs of paths that `settings` denies, holds back or asks about.
#[must_use]
pub fn policy_globs(settings: &Settings) -> PolicyGlobs {
    PolicyGlobs {
        denied: settings.denied.clone(),
        secrets: settings.secret_globs.clone(),
        ask: settings.ask.clone(),
        why_asked,
    }
}

/// What becomes of code without a dialect.
#[derive(Debug, Clone, Default)]
pub struct PlainRules {
    /// What becomes of proposals that nobody decided on.
    pub rule: PlainRule,
    /// The file of code without a file name, from the project's root.
    pub to: Option<String>,
    /// The ids of proposals that the user declined.
    pub declined: Vec<String>,
}

/// What becomes of proposals that nobody decided on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PlainRule {
    /// They are listed.
    #[default]
    Offer,
    /// Those that are sure are applied.
    Apply,
    /// There are none: each is a notice. This file of the configuration says so.
    Refuse(String),
}

/// The files of a project that is watched.
#[derive(Debug, Clone)]
pub struct KnownFiles {
    /// Who watches it.
    pub watched: Arc<Watched>,
    /// The time on the wall.
    pub now: fn() -> SystemTime,
}

impl KnownFiles {
    /// The files as of now; `None` if a walk is no more work.
    pub(crate) fn list(&self, roots: &Roots) -> Option<Vec<PathBuf>> {
        self.watched.files(roots, (self.now)())
    }
}

impl Rules {
    /// The rules that `settings` make.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Rules {
        let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let rule = match settings.apply_plain {
            ApplyPlain::Ask => PlainRule::Offer,
            ApplyPlain::Refuse => {
                let origin = settings.origins(Key::ApplyPlain).last().map(ToString::to_string);
                PlainRule::Refuse(origin.unwrap_or_default())
            }
        };
        let limits = &settings.limits;
        Rules {
            max_file_size: size(limits.max_file_size),
            planned_bytes: size(limits.planned_bytes),
            result_bytes: size(limits.result_bytes),
            max_results: size(limits.max_results),
            grep_line: size(limits.grep_line),
            accept_made_up_roots: settings.made_up_roots == MadeUpRoots::Accept,
            ensure_final_newline: settings.final_newline == FinalNewline::Ensure,
            literal: false,
            lines: LineEnds::default(),
            matching: match settings.matching {
                Matching::ByDialect => None,
                Matching::Exact => Some(Match::Exact),
                Matching::Strict => Some(Match::Strict),
                Matching::Tolerant => Some(Match::Tolerant),
            },
            // The fields that depend on the project or the call are set by whoever knows it; these are the
            // values without one.
            follow_symlinks: settings.follow_symlinks,
            hook_folders: Vec::new(),
            commands: None,
            user: None,
            plain: PlainRules { rule, ..PlainRules::default() },
            known_files: None,
            working_set: WorkingSet::default(),
        }
    }

    /// Returns all of it that decides what a change would be: two values are equal only if the same answer
    /// over the same files does the same under both. How programs run is not part of it, nor is the level at
    /// which edits are matched.
    pub(crate) fn terms(&self) -> String {
        let (commands, known_files, working_set) = (None, None, WorkingSet::default());
        let (matching, lines, result_bytes) = (None, LineEnds::default(), 0);
        let terms =
            Rules { commands, known_files, working_set, matching, lines, result_bytes, ..self.clone() };
        format!("{terms:?}{}", self.commands.is_some())
    }

    /// The same with what commands run with.
    #[must_use]
    pub fn with_commands(self, commands: Option<Commands>) -> Rules {
        Rules { commands: commands.map(Arc::new), ..self }
    }

    /// The same for an answer that the user says is meant as it is written.
    #[must_use]
    pub fn literal(self, literal: bool) -> Rules {
        Rules { literal, ..self }
    }

    /// The same for a call that says what becomes of code without a dialect. What the configuration refuses
    /// stays refused.
    #[must_use]
    pub fn plain(self, plain: PlainRules) -> Rules {
        let rule = match self.plain.rule {
            rule @ PlainRule::Refuse(_) => rule,
            _ => plain.rule,
        };
        Rules { plain: PlainRules { rule, ..plain }, ..self }
    }

    /// The same for a caller that counts lines by these line ends.
    #[must_use]
    pub fn counting(self, lines: LineEnds) -> Rules {
        Rules { lines, ..self }
    }

    /// The same with the level that a request asks for, if it asks for one.
    #[must_use]
    pub fn matching(self, requested: Option<MatchLevel>) -> Rules {
        let level = requested.map(|level| match level {
            MatchLevel::Exact => Match::Exact,
            MatchLevel::Strict => Match::Strict,
            MatchLevel::Tolerant => Match::Tolerant,
        });
        Rules { matching: level.or(self.matching), ..self }
    }
}
