//! Plans of the commands that only look: their paths are checked now, what they find is read when it is their turn.

use clada_exec::words::{Find, Grep, Ls, ReadOnlyBuiltIn as Asked, Tree};
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;

use super::Planner;
use super::refusals::not_a_file;
use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::Failure;
use crate::readonly;
use crate::view::Node;

impl Planner<'_> {
    /// A command that only looks: its paths are checked now, what they hold is read when it is its turn.
    pub(super) fn read_only_command(&mut self, look: &Asked, folder: &RootedPath) -> Result<Effect, Failure> {
        readonly::check(look)?;
        let here = [".".to_owned()];
        let written = match look {
            Asked::Pwd => &[][..],
            Asked::Cat { paths, .. }
            | Asked::Head { paths, .. }
            | Asked::Tail { paths, .. }
            | Asked::Wc { paths, .. }
            | Asked::Stat { paths, .. }
            | Asked::Realpath { paths, .. } => paths,
            Asked::Ls(Ls { paths, .. })
            | Asked::Tree(Tree { paths, .. })
            | Asked::Find(Find { paths, .. })
            | Asked::Grep(Grep { paths, .. }) => paths,
        };
        let takes_here = matches!(look, Asked::Ls(_) | Asked::Tree(_) | Asked::Find(_) | Asked::Grep(_));
        let written = if written.is_empty() && takes_here { &here } else { written };
        let mut paths = Vec::new();
        let mut missing = None;
        for written in written {
            let path = self.path_in(folder, written)?;
            let looked_at = self.check_operand(look, &path);
            match looked_at {
                Ok(()) => {}
                // What is not there is told beside what is.
                Err(failure) if failure.kind == ErrorKind::FileNotFound && goes_on(look) => {
                    missing.get_or_insert((failure, 0)).1 += 1;
                }
                Err(failure) => return Err(failure),
            }
            paths.push((written.clone(), path));
        }
        if let Some((failure, number)) = missing
            && number == paths.len()
        {
            return Err(failure);
        }
        let folder = self.on_disk(folder);
        Ok(Effect::ReadOnly(ReadOnlyAction::Command { command: look.clone(), folder, paths }))
    }

    /// Whether a command may look at a path that it names.
    fn check_operand(&mut self, look: &Asked, path: &RootedPath) -> Result<(), Failure> {
        match look {
            Asked::Realpath { .. } => return Ok(()),
            Asked::Grep(grep) => {
                let is_folder = matches!(self.view.node(path)?, Node::Folder);
                if !is_folder {
                    return self.readable(path.written()).map(|_| ());
                }
                if !grep.recursive && grep.paths.len() == 1 {
                    return Err(
                        not_a_file(&Node::Folder, path).hint("grep -r searches a folder with all in it")
                    );
                }
                return Ok(());
            }
            Asked::Ls(_) | Asked::Tree(_) | Asked::Find(_) | Asked::Stat { .. } => {}
            _ => return self.readable(path.written()).map(|_| ()),
        }
        match (self.view.node(path)?, look) {
            (Node::Missing, _) => {
                let issue = "No such file or directory";
                Err(Failure::at(ErrorKind::FileNotFound, issue, path.written(), "ENOENT"))
            }
            (Node::Folder, _) | (_, Asked::Ls(_) | Asked::Find(_) | Asked::Stat { .. }) => Ok(()),
            (node @ Node::Symlink { .. }, _) => Err(not_a_file(&node, path)),
            _ => Err(Failure::at(ErrorKind::NotDirectory, "Not a directory", path.written(), "ENOTDIR")),
        }
    }
}

/// Whether a command goes on with what is there of what it names.
fn goes_on(look: &Asked) -> bool {
    matches!(look, Asked::Ls(_) | Asked::Find(_) | Asked::Grep(_) | Asked::Stat { .. })
}
