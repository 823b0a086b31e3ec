//! Plans of the commands that only look: their paths are checked now, what they find is read when it is their
//! turn.

use clada_exec::words::{Find, Grep, Ls, ReadOnlyBuiltIn, Tree};
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;

use super::planner::Planner;
use super::refusals::not_a_file;
use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::Failure;
use crate::readonly;
use crate::view::Node;

impl Planner<'_> {
    /// A command that only looks: its paths are checked now, what they hold is read when it is its turn.
    pub(super) fn read_only_command(
        &mut self,
        look: &ReadOnlyBuiltIn,
        folder: &RootedPath,
    ) -> Result<Effect, Failure> {
        readonly::check(look)?;
        let here = [".".to_owned()];
        let written = match look {
            ReadOnlyBuiltIn::Pwd => &[][..],
            ReadOnlyBuiltIn::Cat { paths, .. }
            | ReadOnlyBuiltIn::Head { paths, .. }
            | ReadOnlyBuiltIn::Tail { paths, .. }
            | ReadOnlyBuiltIn::Wc { paths, .. }
            | ReadOnlyBuiltIn::Stat { paths, .. }
            | ReadOnlyBuiltIn::Realpath { paths, .. } => paths,
            ReadOnlyBuiltIn::Ls(Ls { paths, .. })
            | ReadOnlyBuiltIn::Tree(Tree { paths, .. })
            | ReadOnlyBuiltIn::Find(Find { paths, .. })
            | ReadOnlyBuiltIn::Grep(Grep { paths, .. }) => paths,
        };
        let takes_here = matches!(
            look,
            ReadOnlyBuiltIn::Ls(_)
                | ReadOnlyBuiltIn::Tree(_)
                | ReadOnlyBuiltIn::Find(_)
                | ReadOnlyBuiltIn::Grep(_)
        );
        let written = if written.is_empty() && takes_here { &here } else { written };
        let mut paths = Vec::new();
        let mut missing = None;
        for written in written {
            let path = self.path_in(folder, written)?;
            let looked_at = self.check_operand(look, &path);
            match looked_at {
                Ok(()) => {}
                // What is not there is reported alongside what is.
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

    fn check_operand(&mut self, look: &ReadOnlyBuiltIn, path: &RootedPath) -> Result<(), Failure> {
        match look {
            ReadOnlyBuiltIn::Realpath { .. } => return Ok(()),
            ReadOnlyBuiltIn::Grep(grep) => {
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
            ReadOnlyBuiltIn::Ls(_)
            | ReadOnlyBuiltIn::Tree(_)
            | ReadOnlyBuiltIn::Find(_)
            | ReadOnlyBuiltIn::Stat { .. } => {}
            _ => return self.readable(path.written()).map(|_| ()),
        }
        // These report a link itself, without following it.
        match (self.view.node(path)?, look) {
            (Node::Missing, _) => {
                let issue = "No such file or directory";
                Err(Failure::at(ErrorKind::FileNotFound, issue, path.written(), "ENOENT"))
            }
            (Node::Folder, _)
            | (_, ReadOnlyBuiltIn::Ls(_) | ReadOnlyBuiltIn::Find(_) | ReadOnlyBuiltIn::Stat { .. }) => Ok(()),
            (node @ Node::Symlink { .. }, _) => Err(not_a_file(&node, path)),
            _ => Err(Failure::at(ErrorKind::NotDirectory, "Not a directory", path.written(), "ENOTDIR")),
        }
    }
}

/// Returns true if a command goes on with what is there of what it names.
fn goes_on(look: &ReadOnlyBuiltIn) -> bool {
    matches!(
        look,
        ReadOnlyBuiltIn::Ls(_)
            | ReadOnlyBuiltIn::Find(_)
            | ReadOnlyBuiltIn::Grep(_)
            | ReadOnlyBuiltIn::Stat { .. }
    )
}
