//! Commands of git that run without approval: they answer as git itself does, and no part of a repository
//! runs or leads out.

mod refused;
mod same;

use serde_json::{Value, json};

use crate::commands::run;
use crate::support::{Ran, World, skipped};

/// Git's own, in a folder of the project.
fn git_in(world: &World, folder: &str, args: &[&str]) -> Ran {
    let mut command = world.program("git");
    command.current_dir(world.project().join(folder));
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]);
    command.args(["-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"]).args(args);
    command.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z").env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
    command.output().unwrap().into()
}

/// Git's own, which has to succeed.
fn git(world: &World, args: &[&str]) -> String {
    let ran = git_in(world, ".", args);
    assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
    ran.stdout
}

/// Returns a world with git and a sandbox, and three commits in it; `None`, with a word about it, where there
/// is neither.
fn world() -> Option<World> {
    let world = World::new();
    if world.program("git").arg("--version").output().is_err() {
        skipped("commands of git", "there is no git");
        return None;
    }
    git(&world, &["init", "-q"]);
    if read(&world, "git status")["status"] != "SUCCESS" {
        skipped("commands of git that run unasked", "there is no sandbox");
        return None;
    }
    commits(&world);
    Some(world)
}

fn commits(world: &World) {
    for (number, name) in ["a.txt", "d/b.txt", "d/c.txt"].iter().enumerate() {
        world.lay(name, format!("one\ntwo {number}\nthree\n"));
        git(world, &["add", "-A"]);
        git(world, &["commit", "-q", "-m", &format!("commit {number}")]);
    }
}

/// Parameters with which a command finds the git that the tests run.
fn surroundings() -> Value {
    json!({ "git": "off", "env": { "PATH": "/usr/bin:/bin" } })
}

/// The result of the only action, a command.
fn read(world: &World, command: &str) -> Value {
    world.execute(&run(command), surroundings())["results"][0].clone()
}
