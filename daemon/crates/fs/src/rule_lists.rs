//! The lists of globs that a policy is made of, as a configuration names them and compiled.
//!
//! Must not know which verdict follows from a match: [`super::policy`] decides that.

use std::sync::Arc;

use super::globs::{ComparedNames, GlobError, GlobList};

/// The lists of globs that a configuration holds; by default they are empty.
#[derive(Debug, Clone)]
pub struct PolicyGlobs {
    /// Paths neither read nor written, on top of `.git` and `.clada`.
    pub denied: Vec<String>,
    /// Paths whose content is never given out; empty if the user gave `--include-secrets`.
    pub secrets: Vec<String>,
    /// Paths written only with the user's approval.
    pub ask: Vec<String>,
    /// Returns why a file that a glob of `ask` names needs approval, in one sentence;
    /// `None` for a user's own glob.
    pub why_asked: WhyAsked,
}

/// Returns the reason that belongs to a glob.
pub type WhyAsked = fn(&str) -> Option<&'static str>;

impl Default for PolicyGlobs {
    fn default() -> PolicyGlobs {
        PolicyGlobs { denied: Vec::new(), secrets: Vec::new(), ask: Vec::new(), why_asked: |_| None }
    }
}

#[derive(Debug, Clone)]
pub(super) struct RuleLists {
    pub(super) denied: Arc<GlobList>,
    pub(super) secrets: Arc<GlobList>,
    pub(super) ask: Arc<GlobList>,
    above_ask: Arc<GlobList>,
    pub(super) why_asked: WhyAsked,
}

impl RuleLists {
    pub(super) fn new(globs: &PolicyGlobs) -> Result<RuleLists, GlobError> {
        RuleLists::compile(globs, |list| Ok(Arc::new(GlobList::new(list)?)))
    }

    pub(super) fn compile(
        globs: &PolicyGlobs,
        list: impl Fn(&[String]) -> Result<Arc<GlobList>, GlobError>,
    ) -> Result<RuleLists, GlobError> {
        let above_ask: Vec<String> = globs.ask.iter().flat_map(|glob| folders_above(glob)).collect();
        Ok(RuleLists {
            denied: list(&globs.denied)?,
            secrets: list(&globs.secrets)?,
            ask: list(&globs.ask)?,
            above_ask: list(&above_ask)?,
            why_asked: globs.why_asked,
        })
    }

    pub(super) fn list(&self, kind: RuleKind) -> (&GlobList, ComparedNames) {
        match kind {
            RuleKind::Denied => (&self.denied, ComparedNames::All),
            RuleKind::Secret => (&self.secrets, ComparedNames::Last),
            RuleKind::Ask => (&self.ask, ComparedNames::Last),
            RuleKind::AboveAsk => (&self.above_ask, ComparedNames::Last),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Denied,
    Secret,
    Ask,
    AboveAsk,
}

/// Returns the folders above the files of a glob: `**/a/b` and `**/a` for `**/a/b/c`. Leaves out a folder
/// named by wildcards alone, since that is every folder.
fn folders_above(glob: &str) -> impl Iterator<Item = String> + '_ {
    let path = glob.strip_suffix("/**").unwrap_or(glob);
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    let named = |folder: &&str| {
        let last = folder.rsplit('/').next().unwrap_or_default();
        // A `/` in braces or brackets cuts them in two.
        let whole = !folder.contains(['{', '}', '[', ']', '\\']);
        whole && last.chars().any(|char| !matches!(char, '*' | '?'))
    };
    folders.filter(named).map(str::to_owned)
}
