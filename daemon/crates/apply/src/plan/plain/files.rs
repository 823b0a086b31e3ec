//! The project as plain answers are held against it: names, texts, and what may not be touched.
//!
//! Changes nothing. What cannot be read is not there; secrets have no text.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_edit::Text;
use clada_fs::{FileKind, IgnoreRules, RootedPath, Verdict, WalkItem, WalkOptions};
use clada_git::UserGitignore;

use crate::rules::Rules;
use crate::view::{Node, View};

const ENTRIES: usize = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Missing,
    /// A symbolic link, a device, or a path that cannot be looked at.
    Other,
}

pub(super) struct ProjectFiles<'v, 'r> {
    view: &'v mut View<'r>,
    rules: &'v Rules,
    names: Option<ProjectNames>,
    texts: HashMap<PathBuf, Option<Arc<str>>>,
    ignores: Option<IgnoreRules>,
}

/// The names of a project's files and folders, without what is ignored, denied or a secret.
#[derive(Debug, Default)]
pub(super) struct ProjectNames {
    by_name: HashMap<OsString, Vec<PathBuf>>,
    folders: BTreeSet<PathBuf>,
    cut: bool,
}

impl ProjectNames {
    pub(super) fn named(&self, name: &OsStr) -> &[PathBuf] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.by_name.values().flatten()
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    fn add(&mut self, relative: PathBuf) {
        let mut folder = relative.parent();
        while let Some(above) = folder.filter(|above| !above.as_os_str().is_empty()) {
            if !self.folders.insert(above.to_path_buf()) {
                break;
            }
            folder = above.parent();
        }
        if let Some(name) = relative.file_name() {
            self.by_name.entry(name.to_owned()).or_default().push(relative);
        }
    }
}

impl<'v, 'r> ProjectFiles<'v, 'r> {
    pub(super) fn new(view: &'v mut View<'r>, rules: &'v Rules) -> ProjectFiles<'v, 'r> {
        ProjectFiles { view, rules, names: None, texts: HashMap::new(), ignores: None }
    }

    /// Returns the place of `relative` in the project; `None` if it is outside of it or denied.
    pub(super) fn place(&self, relative: &str) -> Option<RootedPath> {
        self.view.roots().resolve_relative(Path::new(relative)).ok()
    }

    pub(super) fn denied(&self, relative: &str) -> Option<String> {
        match self.view.roots().resolve_relative(Path::new(relative)) {
            Ok(path) => match self.view.roots().verdict_for_write(&path) {
                Verdict::Deny(_, reason) => Some(reason),
                _ => None,
            },
            Err(error) => Some(error.to_string()),
        }
    }

    pub(super) fn is_secret(&self, relative: &str) -> bool {
        self.place(relative).is_some_and(|path| self.view.is_secret(&path))
    }

    pub(super) fn limit(&self) -> usize {
        self.rules.max_file_size
    }

    pub(super) fn root(&self) -> &Path {
        self.view.roots().paths().next().unwrap_or(Path::new("/"))
    }

    pub(super) fn kind(&mut self, relative: &str) -> EntryKind {
        let Some(path) = self.place(relative) else { return EntryKind::Other };
        match self.view.node(&path) {
            Ok(Node::File(_)) => EntryKind::File,
            Ok(Node::Folder) => EntryKind::Folder,
            Ok(Node::Missing) => EntryKind::Missing,
            Ok(Node::Symlink { .. } | Node::Special) | Err(_) => EntryKind::Other,
        }
    }

    pub(super) fn is_ignored(&mut self, relative: &str) -> bool {
        let Some(path) = self.place(relative) else { return false };
        let is_folder = matches!(self.view.node(&path), Ok(Node::Folder));
        let roots = self.view.roots();
        let user = self.rules.user.as_ref();
        let base = || roots.base_rules(&UserGitignore::find(user, roots).config());
        self.ignores.get_or_insert_with(base).hide_path(roots, path.relative(), is_folder)
    }

    /// Returns the text of the file at `relative`, with LF alone; `None` if it has none, is too large, or a
    /// secret with which nothing may be done.
    pub(super) fn text(&mut self, relative: &str) -> Option<Arc<str>> {
        if let Some(text) = self.texts.get(Path::new(relative)) {
            return text.clone();
        }
        let text = self.read(relative, self.rules.max_file_size);
        self.texts.insert(PathBuf::from(relative), text.clone());
        text
    }

    /// The same of a file of at most `limit` bytes, which is not kept.
    pub(super) fn read(&mut self, relative: &str, limit: usize) -> Option<Arc<str>> {
        let path = self.place(relative)?;
        let Ok(Node::File(file)) = self.view.node(&path) else { return None };
        let content = self.view.content(&path, &file, limit).ok()?;
        let text = Text::decode(&content.bytes).ok()?;
        let text = text.as_str();
        Some(if text.contains('\r') { text.replace("\r\n", "\n").into() } else { text.into() })
    }

    pub(super) fn names(&mut self) -> &ProjectNames {
        let (roots, rules) = (self.view.roots(), self.rules);
        self.names.get_or_insert_with(|| {
            let mut names = ProjectNames::default();
            if let Some(files) = rules.known_files.as_ref().and_then(|known| known.list(roots)) {
                names.cut = files.len() > ENTRIES;
                for file in files.into_iter().take(ENTRIES) {
                    let path = roots.resolve_relative(&file).ok().filter(|path| path.root() == 0);
                    if path.is_some_and(|path| !matches!(roots.verdict_for_read(&path), Verdict::Deny(..))) {
                        names.add(file);
                    }
                }
                return names;
            }
            let options = WalkOptions { max_entries: ENTRIES, ..WalkOptions::default() };
            let walk = roots.root(0).and_then(|root| roots.walk(&root, options).ok());
            for item in walk.into_iter().flatten() {
                match item {
                    WalkItem::Entry { path, stat } if stat.kind == FileKind::File => {
                        names.add(path.relative().to_path_buf());
                    }
                    WalkItem::Truncated => names.cut = true,
                    _ => {}
                }
            }
            names
        })
    }
}
