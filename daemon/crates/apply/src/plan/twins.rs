//! Names that look alike: paths that differ only in letter case, in Unicode's normal form, or by a folder said twice.
//!
//! Knows names alone. A file beside its twin is what nobody means, and some file systems cannot hold both.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clada_fs::RootedPath;
use clada_protocol::{ErrorKind, visible_line};
use unicode_normalization::UnicodeNormalization;

use super::planner::Planner;
use crate::failure::Failure;
use crate::view::Node;

const ENTRIES: usize = 20_000;

/// What a name looks like, whatever its letters' case and however they are composed.
pub(crate) fn look(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

impl Planner<'_> {
    /// Returns the file or folder that is there under a name like that of `path`, or of a folder above it; `None` if
    /// there is none, or `path` itself is there.
    pub(super) fn twin(&mut self, path: &RootedPath) -> Option<PathBuf> {
        if path.root() != 0 {
            return None;
        }
        let relative = path.relative().to_path_buf();
        let planned = self.twins.created.get(&look(&relative.to_string_lossy())).cloned();
        if let Some(other) = planned.filter(|other| *other != relative && self.is_there(other)) {
            return Some(other);
        }
        let (mut there, mut is_other) = (PathBuf::new(), false);
        for (at, name) in relative.iter().enumerate() {
            let here = there.join(name);
            if self.is_there(&here) {
                there = here;
                continue;
            }
            let Some(other) = self.alike_in(&there, name.to_str()?) else {
                return is_other.then(|| there.join(relative.iter().skip(at).collect::<PathBuf>()));
            };
            there.push(other);
            is_other = true;
        }
        is_other.then_some(there)
    }

    fn alike_in(&mut self, above: &Path, name: &str) -> Option<OsString> {
        if !self.twins.folders.contains_key(above) {
            let folder = self.view.roots().resolve_relative(above).ok()?;
            let mut names: HashMap<String, Vec<OsString>> = HashMap::new();
            for entry in self.view.list(&folder, ENTRIES).ok()?.entries {
                if let Some(shown) = entry.name.to_str() {
                    names.entry(look(shown)).or_default().push(entry.name.clone());
                }
            }
            self.twins.folders.insert(above.to_path_buf(), names);
        }
        let alike = self.twins.folders.get(above)?.get(&look(name))?.clone();
        let mut there: Vec<OsString> = alike.into_iter().filter(|other| *other != *name).collect();
        there.retain(|other| self.is_there(&above.join(other)));
        if there.len() == 1 { there.pop() } else { None }
    }

    fn is_there(&mut self, relative: &Path) -> bool {
        let path = self.view.roots().resolve_relative(relative).ok();
        path.is_some_and(|path| !matches!(self.view.node(&path), Ok(Node::Missing) | Err(_)))
    }

    /// Returns the file that is at `path` without its first folder, if that folder is named twice: `web/web/app.js`.
    pub(super) fn without_doubled(&mut self, path: &RootedPath) -> Option<PathBuf> {
        let mut names = path.relative().iter();
        let rest: PathBuf = names
            .next()
            .zip(names.clone().next())
            .filter(|(one, two)| one == two)
            .map(|_| names.collect())?;
        let doubled =
            self.view.roots().resolve_relative(path.relative().iter().take(2).collect::<PathBuf>().as_path());
        // A folder of that name in itself is there.
        if doubled.is_ok_and(|folder| !matches!(self.view.node(&folder), Ok(Node::Missing))) {
            return None;
        }
        let at = self.view.roots().resolve_relative(&rest).ok()?;
        matches!(self.view.node(&at), Ok(Node::File(_))).then_some(rest)
    }

    pub(super) fn refuse_twin(&mut self, path: &RootedPath) -> Result<(), Failure> {
        if self.rules.literal {
            return Ok(());
        }
        let doubled = self.without_doubled(path);
        let is_doubled = doubled.is_some();
        let Some(twin) = doubled.or_else(|| self.twin(path)) else {
            let created = path.relative().to_path_buf();
            self.twins.created.insert(look(&created.to_string_lossy()), created);
            return Ok(());
        };
        let shown = visible_line(&twin.to_string_lossy()).into_owned();
        let how = if is_doubled {
            "with its folder once"
        } else {
            differs(&twin.to_string_lossy(), path.written())
        };
        let codes = code_points(&twin.to_string_lossy(), path.written());
        let issue = format!("'{shown}' is there already, {how}{codes}: there would be two with");
        Err(Failure::at(ErrorKind::FileExists, &issue, path.written(), "EEXIST")
            .hint(format!("name '{shown}' if that file is meant"))
            .person("`apply --literal` makes the other file"))
    }
}

fn differs(one: &str, other: &str) -> &'static str {
    if one.nfc().eq(other.nfc()) { "in another normal form of Unicode" } else { "in other letter case" }
}

fn code_points(there: &str, requested: &str) -> String {
    let codes = clada_edit::code_points(there, requested);
    codes.map_or_else(String::new, |[there, requested]| format!(" ({there} there, {requested} asked for)"))
}
