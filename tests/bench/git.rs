//! Commits before and after an operation on 5 files, in a repository of 50,000 that is open, against git
//! itself.
//!
//! The command line does the same with `git add` and `git commit`, twice. The files are dirty each time, so
//! that there are two commits.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::SystemTime;

use clada_config::Author;
use clada_git::{Changed, Commission, Content, GitBefore, GitMode, GitRepository};

use crate::measure::{Series, print, ratio, verdict};
use crate::place::Place;

const FILES: usize = 50_000;
const FILES_A_FOLDER: usize = 100;
const CHANGED: usize = 5;
const ROUNDS: usize = 20;

pub(crate) fn run() {
    println!("commits before and after a change of {CHANGED} files in a repository of {FILES}:");
    let place = Place::new();
    let project = place.project();
    let project = project.canonicalize().expect("a folder");
    if !laid_out(&project) {
        return println!("  there is no git here\n");
    }
    let mut repository = GitRepository::open(&project, None).expect("it is usable").expect("a repository");
    let mut of_git = Series::new("git add and git commit, twice");
    let mut of_branch = Series::new("git.mode branch");
    let mut of_refs = Series::new("git.mode refs");
    for round in 0..ROUNDS {
        // In turns; the index of one is not known to the next.
        of_git_round(&project, round, &mut of_git);
        for (mode, series) in [(GitMode::Branch, &mut of_branch), (GitMode::Refs, &mut of_refs)] {
            round_of(&mut repository, &project, round, mode, series);
            if mode == GitMode::Refs {
                git(&project, &["checkout", "-q", "."]);
            }
        }
        if round == 1 {
            for series in [&mut of_git, &mut of_branch, &mut of_refs] {
                series.forget();
            }
        }
    }
    print(&[&of_git, &of_branch, &of_refs]);
    println!(
        "  branch takes {:.2} of what git takes, refs {:.2}",
        ratio(&of_branch, &of_git),
        ratio(&of_refs, &of_git)
    );
    verdict("  branch", of_branch.median().as_secs_f64() * 1000.0, "ms", 150.0);
    verdict("  refs", of_refs.median().as_secs_f64() * 1000.0, "ms", 15.0);
    println!();
}

fn name(number: usize) -> String {
    format!("folder{:03}/file{number:05}", number / FILES_A_FOLDER)
}

fn text(who: &str, round: usize, file: usize) -> String {
    format!("{who} {round} {file}\n").repeat(100)
}

fn laid_out(project: &Path) -> bool {
    for number in 0..FILES {
        let path = project.join(name(number));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, format!("{number}\n")).expect("a file");
    }
    // It takes the place of a repository for the other figures.
    let _ = std::fs::remove_dir(project.join(".git"));
    let made = command(project, &["init", "-q", "-b", "main"]).status().is_ok_and(|status| status.success());
    if made {
        git(project, &["add", "."]);
        git(project, &["commit", "-qm", "first"]);
    }
    made
}

fn changed(project: &Path, round: usize, who: &str) -> Vec<Changed> {
    let content = |text: String| Content::File { bytes: Arc::from(text.into_bytes()), executable: false };
    let files = (0..CHANGED).map(|file| file * 9_973 % FILES);
    files
        .map(|file| Changed {
            path: project.join(name(file)),
            before: Some(content(text("dirty", round, file) + who)),
            after: Some(content(text("after", round, file) + who)),
        })
        .collect()
}

fn write(changed: &[Changed], state: impl Fn(&Changed) -> Option<&Content>) {
    for changed in changed {
        if let Some(Content::File { bytes, .. }) = state(changed) {
            std::fs::write(&changed.path, bytes).expect("a file");
        }
    }
}

fn round_of(
    repository: &mut GitRepository,
    project: &Path,
    round: usize,
    mode: GitMode,
    series: &mut Series,
) {
    let changed = changed(project, round, mode.name());
    let commission = Commission {
        operation: format!("{}{round:04}", mode.name()),
        mode,
        before: GitBefore::Touched,
        author: Author::default(),
        message: "AI: a change".to_owned(),
        now: SystemTime::now(),
    };
    write(&changed, |changed| changed.before.as_ref());
    // The command line has written another index, which is read outside of the measured part: the handle is
    // open.
    repository.check().expect("it is usable");
    series.time(|| {
        repository.check().expect("it is usable");
        let mut before = repository.begin().expect("it is usable");
        repository.before(&mut before, &changed, &HashSet::new(), None, &commission).expect("a commit");
        write(&changed, |changed| changed.after.as_ref());
        repository.after(&changed, &before, &commission).expect("a commit").expect("something to commit");
    });
}

fn of_git_round(project: &Path, round: usize, series: &mut Series) {
    let changed = changed(project, round, "git");
    let paths: Vec<PathBuf> = changed.iter().map(|changed| changed.path.clone()).collect();
    let add = |project: &Path| {
        let mut add = command(project, &["add"]);
        assert!(add.args(&paths).status().expect("git").success());
    };
    write(&changed, |changed| changed.before.as_ref());
    series.time(|| {
        add(project);
        git(project, &["commit", "-qm", "before"]);
        write(&changed, |changed| changed.after.as_ref());
        add(project);
        git(project, &["commit", "-qm", "after"]);
    });
}

fn git(project: &Path, arguments: &[&str]) {
    assert!(command(project, arguments).status().expect("git").success(), "git {arguments:?}");
}

fn command(project: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(project)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", project.join("../home"))
        .stdout(Stdio::null());
    command
}
