//! Paths below a root that a model made up, such as `/workspace/demo/src/app.py`: the one file of the project
//! that can be meant (spec: answers, section 4).
//!
//! Knows names alone. Whether the path itself exists is asked of the roots, once; nothing else outside of
//! them is looked at. The file that is meant is resolved as any other path is, so that all rules hold for it.

use std::path::{Path, PathBuf};

use clada_fs::{FsError, RootedPath};
use clada_protocol::{ErrorKind, visible_line};

use super::lookup::listed;
use super::planner::Planner;
use crate::failure::Failure;
use crate::view::Node;

enum MadeUpMatch {
    None,
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Planner<'_> {
    /// The place that `written` names; where its root is made up and the settings allow it, the file that it
    /// can mean.
    pub(super) fn resolve(&mut self, written: &str) -> Result<RootedPath, Failure> {
        let error = match self.view.roots().resolve(written) {
            Ok(path) => return Ok(path),
            Err(error) => error,
        };
        self.accepted(&error, written).ok_or_else(|| error.into())
    }

    fn accepted(&mut self, error: &FsError, written: &str) -> Option<RootedPath> {
        if !self.rules.accept_made_up_roots || error.kind() != ErrorKind::PathEscape {
            return None;
        }
        self.view.reads().borrow_mut().note_other();
        let MadeUpMatch::One(relative) = self.meant_by(written) else { return None };
        let path = self.view.roots().resolve(relative.to_str()?).ok()?;
        if path.root() != 0 || path.relative() != relative {
            return None;
        }
        let [requested, taken] = [written, path.written()].map(visible_line);
        self.warn_once(format!(
            "There is no '{requested}': '{taken}' is taken, the only file of the project that it can mean"
        ));
        Some(path)
    }

    pub(super) fn words_of_meant(&mut self, written: &str) -> Option<String> {
        match self.meant_by(written) {
            MadeUpMatch::None => self.words_of_folder(written),
            MadeUpMatch::One(file) => {
                Some(format!("the project has {}: write that if it is meant", listed(&[file])))
            }
            MadeUpMatch::Several(files) => {
                Some(format!("the project has {}: write the one that is meant", listed(&files)))
            }
        }
    }

    fn words_of_folder(&mut self, written: &str) -> Option<String> {
        let names = self.view.roots().made_up(written)?;
        let (_, folders) = names.split_last()?;
        for start in 0..names.len() {
            let [whole, folder] =
                [&names, folders].map(|names| names.get(start..).unwrap_or_default().join("/"));
            if self.is_folder(&whole) {
                let whole = listed(&[PathBuf::from(whole)]);
                return Some(format!("the project has a folder {whole}: write that if it is meant"));
            }
            if self.is_folder(&folder) {
                let [whole, folder] = [whole, folder].map(|path| listed(&[PathBuf::from(path)]));
                return Some(format!("the project has a folder {folder}: write {whole} if that is meant"));
            }
        }
        None
    }

    fn is_folder(&mut self, relative: &str) -> bool {
        let path = Some(relative)
            .filter(|path| !path.is_empty())
            .and_then(|path| self.view.roots().resolve(path).ok());
        path.is_some_and(|path| path.root() == 0 && matches!(self.view.node(&path), Ok(Node::Folder)))
    }

    fn meant_by(&mut self, written: &str) -> MadeUpMatch {
        let Some(names) = self.view.roots().made_up(written) else { return MadeUpMatch::None };
        let own = self.view.roots().paths().next().and_then(Path::file_name).unwrap_or_default().to_owned();
        let Some((_, folders)) = names.split_last() else { return MadeUpMatch::None };
        if folders.is_empty() {
            let at_top = PathBuf::from(&names[0]);
            return if self.is_named_file(&at_top) { MadeUpMatch::One(at_top) } else { MadeUpMatch::None };
        }
        for start in 0..folders.len() {
            let tail: PathBuf = names[start..].iter().collect();
            let ends = |file: &Path| file.ends_with(&tail) || Path::new(&own).join(file) == tail;
            match &self.named_files(&tail, ends)[..] {
                [] => {}
                _ if self.knows_not_all() => return MadeUpMatch::None,
                [only] => return MadeUpMatch::One(only.clone()),
                several => return MadeUpMatch::Several(several.to_vec()),
            }
        }
        MadeUpMatch::None
    }
}
