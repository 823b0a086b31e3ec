//! Finds the project's folder (spec: safety, "Paths").
//!
//! The rule is the protocol's; here is what it looks at: the working directory, and the environment. The
//! daemon asks for an approval when a folder is named that is never inferred.

use std::path::{Component, Path, PathBuf};

use clada_protocol::root::Broad;

use crate::Process;
use crate::exit::Failure;
use crate::settings::Settings;

pub(crate) fn find(process: &Process, settings: &Settings) -> Result<String, Failure> {
    let root = match &settings.root {
        Some(named) => named.clone(),
        None => infer(process)?,
    };
    root.into_os_string().into_string().map_err(|root| {
        let shown = root.to_string_lossy().into_owned();
        Failure::usage(format!("the project's path is not UTF-8: {shown}"))
            .hint("Rename the folder, or reach it by a link whose name is UTF-8 and name that with --root.")
    })
}

fn infer(process: &Process) -> Result<PathBuf, Failure> {
    let Some(cwd) = &process.cwd else {
        return Err(Failure::usage("the working directory cannot be determined; was it deleted?")
            .hint("Change into the project, or name it with --root DIR."));
    };
    match broad(process).find_root(cwd, |path| path.symlink_metadata().is_ok()) {
        Some(root) => Ok(as_the_user_calls_it(process, cwd, root.folder)),
        None => Err(Failure::usage(format!("{} is not used as a project unless you name it", cwd.display()))
            .hint("Change into the project, or name the folder with --root DIR.")),
    }
}

fn broad(process: &Process) -> Broad {
    let home = process.var("HOME").map(PathBuf::from);
    let temporary = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let named = process.var("TMPDIR").map(PathBuf::from);
    let homes = home.into_iter().chain(process.passwd_home());
    Broad::new(homes, temporary.into_iter().chain(named), |path| path.canonicalize().ok())
}

/// Returns `folder`, the working directory or one above it, by the name that the shell shows for it.
fn as_the_user_calls_it(process: &Process, cwd: &Path, folder: &Path) -> PathBuf {
    // A model that knows that name answers with it, and the daemon knows both.
    let named = || {
        let shown = process.var("PWD").map(PathBuf::from).filter(|shown| shown.is_absolute())?;
        if shown.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let below = cwd.strip_prefix(folder).ok()?;
        let named = shown.ancestors().nth(below.components().count())?;
        // The variable may hold anything: it counts if it leads to the working directory.
        (shown.ends_with(below) && named.canonicalize().ok()? == folder).then(|| named.to_owned())
    };
    named().unwrap_or_else(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn process(home: &Path, cwd: &Path) -> Process {
        let pair = |name: &str, value: &Path| (OsString::from(name), value.as_os_str().to_owned());
        let env = vec![pair("HOME", home), pair("TMPDIR", &home.join("tmp"))];
        Process::empty(env, Some(cwd.to_owned()))
    }

    #[test]
    fn the_nearest_mark_counts_and_broad_folders_never_do() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().canonicalize().unwrap().join("home");
        let deep = home.join("work/project/src/deep");
        for folder in [&deep, &home.join(".git"), &home.join("work/project/.git"), &home.join("tmp/x")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let inferred = |cwd: &Path| infer(&process(&home, cwd)).ok();
        assert_eq!(inferred(&deep), Some(home.join("work/project")));
        assert_eq!(
            inferred(&home.join("work")),
            Some(home.join("work")),
            "a mark in the home folder is none"
        );
        assert_eq!(inferred(&home.join("tmp/x")), Some(home.join("tmp/x")));
        for broad in [home.clone(), home.join("tmp"), top.path().to_owned(), "/".into(), "/tmp".into()] {
            assert_eq!(inferred(&broad), None, "{broad:?}");
        }
        std::fs::create_dir(deep.join(".clada")).unwrap();
        assert_eq!(inferred(&deep), Some(deep.clone()));
    }

    #[test]
    fn a_folder_behind_a_link_is_called_as_the_shell_calls_it() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let deep = top.join("disk/project/src");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(top.join("disk/project/.git")).unwrap();
        std::fs::create_dir_all(top.join("disk/other/src")).unwrap();
        std::os::unix::fs::symlink(top.join("disk"), top.join("link")).unwrap();
        std::os::unix::fs::symlink(&deep, top.join("into")).unwrap();
        let inferred = |shown: &str| {
            let mut process = process(&top.join("home"), &deep);
            process.env.push(("PWD".into(), top.join(shown).into()));
            infer(&process).ok()
        };
        assert_eq!(inferred("link/project/src"), Some(top.join("link/project")));
        for other in ["disk/project/src", "disk/other/src", "link/other/src", "link/project", "into", "gone"]
        {
            assert_eq!(inferred(other), Some(top.join("disk/project")), "{other}");
        }
    }
}
