//! Plans of files that were handed out and come back: written to their places byte by byte, unless somebody has worked
//! on the file there meanwhile.

use std::sync::Arc;

use clada_protocol::ErrorKind;

use super::changes::not_a_file;
use super::rewrite::new_file;
use super::{Planned, Planner};
use crate::fs::RootedPath;
use crate::pipeline::answer::Step;
use crate::pipeline::effect::{Effect, Failure};
use crate::pipeline::view::Node;
use crate::stage::{MadeOf, for_whom};

/// What to do about a conflict.
const HINT: &str =
    "look at both with --dry-run --force, then write the copy back with --force, or merge by hand";

/// A copy of a file that was handed out.
#[derive(Debug, Clone)]
pub struct Returned {
    /// Where the file has its place.
    pub path: RootedPath,
    /// What the copy is called.
    pub name: String,
    /// What it holds.
    pub content: Arc<[u8]>,
    /// Whether the file is to be executable if it is not there any more and that is known.
    pub executable: Option<bool>,
    /// What the file held when it was handed out.
    pub made_of: MadeOf,
    /// A person has said that it is to be written whatever stands there.
    pub force: bool,
}

impl Planner<'_> {
    /// Plans `step`, by which `file` is written back.
    pub(in crate::pipeline) fn plan_returned(&mut self, step: Step, file: &Returned) -> Planned {
        self.plan_by(step, |planner, _| planner.returned(file), Ok)
    }

    fn returned(&mut self, file: &Returned) -> Result<Effect, Failure> {
        let path = file.path.clone();
        self.refuse_large(&path, file.content.len())?;
        let was_handed_out = |hash: blake3::Hash| file.made_of == MadeOf::Content(*hash.as_bytes());
        let is_edited = !was_handed_out(blake3::hash(&file.content));
        let parents = self.view.missing_parents(&path)?;
        match self.view.node(&path)? {
            Node::Missing if is_edited && !file.force && file.made_of != MadeOf::Nothing => {
                Err(conflict("File was deleted since it was staged", &path, HINT))
            }
            Node::Missing => {
                Ok(Effect::Write(new_file(path, file.content.to_vec(), file.executable, parents)))
            }
            Node::File(node) => {
                let old = self.rewrite(&path, &node)?;
                let is_same = *old.old == *file.content;
                if !file.force && !is_same && !was_handed_out(old.hash) {
                    if is_edited {
                        return Err(overwriting(&file.made_of, &path));
                    }
                    self.note = Some(format!(
                        "'{}' stays as it is: it was changed since it was staged, and '{}' was not edited; --force \
                         writes it back",
                        path.written(),
                        file.name
                    ));
                    let now = old.old.to_vec();
                    return Ok(Effect::Write(old.replaced(now).over(path, parents)));
                }
                Ok(Effect::Write(old.replaced(file.content.to_vec()).over(path, parents)))
            }
            node => Err(not_a_file(&node, &path)),
        }
    }
}

/// Why the file at `path`, in which there is something else than a copy was made of, is not overwritten.
fn overwriting(made_of: &MadeOf, path: &RootedPath) -> Failure {
    match made_of {
        MadeOf::Content(_) => conflict("File was changed since it was staged", path, HINT),
        MadeOf::Older => conflict("File was changed and staged again since this copy was made", path, HINT),
        MadeOf::Forgotten => {
            conflict("It is not known any more what was in the file when this copy was made", path, HINT)
        }
        MadeOf::Nothing => conflict("File was not staged, as far as is known, and is there", path, HINT),
        MadeOf::OneOf(names) => {
            let names = for_whom(names.iter().map(String::as_str));
            let hint = format!("say for whom this copy was staged, with one of {names}; or {HINT}");
            conflict("File was staged with another content for others", path, &hint)
        }
    }
}

fn conflict(issue: &str, path: &RootedPath, hint: &str) -> Failure {
    Failure::at(ErrorKind::Conflict, issue, path.written(), "CONFLICT").hint(hint)
}
