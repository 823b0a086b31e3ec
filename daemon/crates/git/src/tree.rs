//! Writes a tree with some paths changed. Folders appear and disappear with their files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path};

use git2::{ObjectType, Oid, Tree};

use super::content::StoredContent;
use super::error::{Doing, GitError};
use super::repository::GitRepository;

const DOING: &str = "write a tree";
const FOLDER: i32 = 0o040_000;

#[derive(Default)]
struct TreeFolder {
    entries: BTreeMap<OsString, Option<StoredContent>>,
    folders: BTreeMap<OsString, TreeFolder>,
}

impl TreeFolder {
    fn put(&mut self, path: &Path, entry: Option<StoredContent>) {
        let mut names = path.components().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        });
        let Some(mut name) = names.next() else { return };
        let mut folder = self;
        for next in names {
            folder = folder.folders.entry(name).or_default();
            name = next;
        }
        folder.entries.insert(name, entry);
    }
}

impl GitRepository {
    pub(super) fn tree_with<'p>(
        &self,
        base: Option<&Tree<'_>>,
        paths: impl IntoIterator<Item = (&'p Path, Option<StoredContent>)>,
    ) -> Result<Oid, GitError> {
        let mut folder = TreeFolder::default();
        for (path, entry) in paths {
            folder.put(path, entry);
        }
        match self.folder_with(base, &folder)? {
            Some(tree) => Ok(tree),
            None => self.repository.treebuilder(None).and_then(|empty| empty.write()).doing(DOING),
        }
    }

    fn folder_with(&self, base: Option<&Tree<'_>>, folder: &TreeFolder) -> Result<Option<Oid>, GitError> {
        let mut builder = self.repository.treebuilder(base).doing(DOING)?;
        // Removals come first: a folder may replace a file.
        let (removals, put): (Vec<_>, Vec<_>) = folder.entries.iter().partition(|(_, entry)| entry.is_none());
        for (name, _) in removals {
            let there =
                builder.get(name).doing(DOING)?.is_some_and(|entry| entry.kind() != Some(ObjectType::Tree));
            if there {
                builder.remove(name).doing(DOING)?;
            }
        }
        for (name, within) in &folder.folders {
            let existing =
                builder.get(name).doing(DOING)?.filter(|entry| entry.kind() == Some(ObjectType::Tree));
            let tree = match existing.map(|entry| entry.id()) {
                Some(id) => Some(self.repository.find_tree(id).doing("read a tree")?),
                None => None,
            };
            match self.folder_with(tree.as_ref(), within)? {
                Some(id) => drop(builder.insert(name, id, FOLDER).doing(DOING)?),
                None if tree.is_some() => builder.remove(name).doing(DOING)?,
                None => {}
            }
        }
        for (name, entry) in put {
            if let Some(entry) = entry {
                let mode = i32::try_from(entry.mode).unwrap_or_default();
                builder.insert(name, entry.id, mode).doing(DOING)?;
            }
        }
        if builder.is_empty() { Ok(None) } else { builder.write().doing(DOING).map(Some) }
    }
}
