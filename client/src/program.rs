//! Finds another of clada's programs. Knows nothing of what it does.

use std::path::{Path, PathBuf};

use crate::Process;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    Named(PathBuf),
    Nowhere(Vec<PathBuf>),
}

impl NotFound {
    pub(crate) fn folders(folders: &[PathBuf]) -> String {
        let shown: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        shown.join(", ")
    }
}

/// Returns the program `name`: the one that `variable` names, else the one next to our own, else the one on
/// the path.
pub(crate) fn find(process: &Process, variable: &str, name: &str) -> Result<PathBuf, NotFound> {
    let is_file = |path: &PathBuf| path.metadata().is_ok_and(|metadata| metadata.is_file());
    if let Some(named) = process.var(variable).map(PathBuf::from) {
        return if is_file(&named) { Ok(named) } else { Err(NotFound::Named(named)) };
    }
    let own_folder = process.executable.as_deref().and_then(Path::parent);
    let path = process.var("PATH").map(std::env::split_paths);
    // An empty or relative entry of PATH would run a program from the working directory.
    let folders: Vec<PathBuf> = own_folder
        .map(Path::to_owned)
        .into_iter()
        .chain(path.into_iter().flatten().filter(|folder| folder.is_absolute()))
        .collect();
    let program = folders.iter().map(|folder| folder.join(name)).find(is_file);
    program.ok_or(NotFound::Nowhere(folders))
}
