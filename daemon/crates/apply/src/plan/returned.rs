//! Plans of files that were handed out and come back: written to their places byte by byte, unless a user
//! has worked on the file there meanwhile.

use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::ErrorKind;

use super::planner::Planner;
use super::refusals::not_a_file;
use super::rewrite::new_file;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::read::answer::Step;
use crate::view::Node;

const HINT: &str =
    "look at both with --dry-run --force, then write the copy back with --force, or merge by hand";

/// The hint for a file that the project deleted or renamed.
const HINT_MISSING: &str =
    "if the file was renamed, copy the edits there; --force writes the copy to its old place";

/// A copy of a file that was handed out.
#[derive(Debug, Clone)]
pub struct Returned {
    /// The path of the file.
    pub path: RootedPath,
    /// The name of the copy.
    pub name: String,
    /// Its content.
    pub content: Arc<[u8]>,
    /// True if the file is to be executable if it is not there any more; `None` if that is not known.
    pub executable: Option<bool>,
    /// The content of the file when it was handed out.
    pub original: Original,
    /// The user has said that it is to be written whatever is there now.
    pub force: bool,
}

/// The file that a copy was made of, as far as it is known.
#[derive(Debug, Clone)]
pub struct Original {
    /// The hash of its content, if that is known.
    pub content: Option<[u8; 32]>,
    /// True if the file was handed out at all, as far as is known.
    pub was_staged: bool,
    /// Why a file that holds something else is not overwritten.
    pub conflict: &'static str,
    /// The hint that comes before the two ways that always help.
    pub hint: Option<String>,
}

impl Returned {
    /// Returns whether its content differs from the one that was handed out, as far as that is known.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.original.content != Some(*blake3::hash(&self.content).as_bytes())
    }
}

impl Planner<'_> {
    pub(crate) fn plan_returned(&mut self, step: Step, file: &Returned) -> Planned {
        self.plan_by(step, |planner, _| planner.returned(file), Ok)
    }

    fn returned(&mut self, file: &Returned) -> Result<Effect, Failure> {
        let path = file.path.clone();
        self.refuse_large(&path, file.content.len())?;
        let was_handed_out = |hash: blake3::Hash| file.original.content == Some(*hash.as_bytes());
        let is_edited = file.is_edited();
        let parents = self.view.missing_parents(&path)?;
        match self.view.node(&path)? {
            Node::Missing if !file.force && file.original.was_staged => {
                Err(conflict("File was deleted or renamed since it was staged", &path, HINT_MISSING))
            }
            Node::Missing => {
                Ok(Effect::Write(new_file(path, Arc::clone(&file.content), file.executable, parents)))
            }
            Node::File(node) => {
                let old = self.rewrite(&path, &node)?;
                let is_same = *old.old == *file.content;
                if !file.force && !is_same && !was_handed_out(old.hash) {
                    // Both changed: only the user can say which one counts. A copy that was not edited is
                    // simply out of date.
                    if is_edited {
                        return Err(overwriting(&file.original, &path));
                    }
                    self.note = Some(format!(
                        "'{}' was left unchanged: it has changed since staging, and its copy '{}' was not edited; --force \
                         writes the copy back",
                        path.written(),
                        file.name
                    ));
                    let now = Arc::clone(&old.old);
                    return old.replaced(now).over(path, parents).map(Effect::Write);
                }
                old.replaced(Arc::clone(&file.content)).over(path, parents).map(Effect::Write)
            }
            node => Err(not_a_file(&node, &path)),
        }
    }
}

fn overwriting(original: &Original, path: &RootedPath) -> Failure {
    match &original.hint {
        None => conflict(original.conflict, path, HINT),
        Some(hint) => conflict(original.conflict, path, &format!("{hint}; or {HINT}")),
    }
}

fn conflict(issue: &str, path: &RootedPath, hint: &str) -> Failure {
    Failure::at(ErrorKind::Conflict, issue, path.written(), "CONFLICT").hint(hint)
}
