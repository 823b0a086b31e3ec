//! Every kind of hostile repository, and each call to it that looks at files or at git.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::kinds::KINDS;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use super::watched;
use super::{Ground, SECRET, SPRUNG, copy, git_in, repository};
use crate::support::{Answer, Connection, Tree, World, all, skipped};

/// The deadline of each call, not a measure: none may take longer.
const DEADLINE: Duration = Duration::from_secs(5);

const READING: [&str; 7] = [
    "git status",
    "git diff",
    "git log -p",
    "git show HEAD",
    "git ls-files -o",
    "git branch --list -vv",
    "git stash list",
];

#[test]
fn a_hostile_repository_runs_nothing_leads_nowhere_and_holds_nothing_up() {
    let world = World::with_config("durability: fast\n");
    let Some(template) = repository(&world, "template", "harmless") else {
        return skipped("hostile repositories", "there is no git");
    };
    let other = repository(&world, "outside/other", SECRET).unwrap();
    let head = git_in(&other).args(["rev-parse", "HEAD"]).output().unwrap().stdout;
    let head = String::from_utf8(head).unwrap().trim().to_owned();
    let words = [SPRUNG, SECRET, &head[..12]];
    // Not counted: the sandbox is tried once.
    world.execute(&Answer::new().action("run", &[("command", "git status")]), json!({}));

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    let executed = watched::begin(&world);
    let outside = Tree::of(&other);
    // Kinds that are alike are neighbours: every third one is tried in each run, all of them with `CLADA_ALL`.
    let tried: Vec<_> = KINDS.iter().enumerate().filter(|(at, _)| all() || at.is_multiple_of(3)).collect();
    let kinds = Mutex::new(tried.into_iter());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let next = kinds.lock().unwrap().next();
                    let Some((number, (name, plant))) = next else { return };
                    let ground = ground(&world, &template, &other, name);
                    plant(&ground);
                    let found = calls(&world, &ground.project, name, number, &words);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    let left = std::fs::read_dir(world.path("outside")).unwrap().flatten();
    let left = left.map(|entry| entry.file_name().to_string_lossy().into_owned());
    wrong.extend(left.filter(|name| name != "other").map(|name| format!("a planted program left '{name}'")));
    outside.assert_at(&other);
    world.stop().unwrap();
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    wrong.extend(executed.map(watched::unasked).unwrap_or_default());
    assert!(wrong.is_empty(), "{} of {} kinds:\n{}", wrong.len(), KINDS.len(), wrong.join("\n"));
}

/// A copy of the template, with a program that is to be sprung.
fn ground(world: &World, template: &Path, other: &Path, name: &str) -> Ground {
    let project = world.path("kinds").join(name.replace([' ', '/'], "-"));
    copy(template, &project);
    let trap = project.join("trap");
    let mark = world.path("outside").join(format!("sprung-{}", name.replace([' ', '/'], "-")));
    // A delay exposes it where none of its output and files are visible.
    let text = format!(
        "#!/bin/sh\nset 5p7un6 token\necho $1-$2\necho $1-$2 >&2\ntouch {}\nsleep 8\ncat\n",
        mark.display()
    );
    std::fs::write(&trap, text).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    Ground { project, other: other.to_path_buf(), trap: trap.into_os_string().into_string().unwrap() }
}

/// Makes every call; returns the faults of some. Each kind has a sixth of the commands that read, the
/// next one another sixth, and all of them with `CLADA_ALL`.
fn calls(world: &World, project: &Path, kind: &str, number: usize, words: &[&str]) -> Vec<String> {
    let root = project.to_str().unwrap();
    let mut wrong = Vec::new();
    let mut connection = None;
    let mut call = |name: &str, method: &str, params: Value| {
        let params = merged(json!({ "root": root }), params);
        let open = || Connection::open(&world.socket()).unwrap().within(DEADLINE);
        let mut opened = connection.take().unwrap_or_else(open);
        // A call that takes longer panics; the next one has a connection of its own.
        let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let answer = opened.try_call(method, &params);
            (answer.unwrap_or_else(|error| error), opened)
        }));
        let Ok((answer, opened)) = answered else {
            wrong.push(format!("{kind}: {name}: no answer within {DEADLINE:?}"));
            return Value::Null;
        };
        connection = Some(opened);
        let text = answer.to_string();
        if let Some(word) = words.iter().find(|word| text.contains(**word)) {
            wrong.push(format!("{kind}: {name}: '{word}' in {answer:#}"));
        }
        answer
    };
    let answer = Answer::new().write(&format!("{root}/made.txt"), "made\n").replace(
        &format!("{root}/a.txt"),
        "two",
        "three",
    );
    call("apply", "execute", json!({ "text": answer.text() }));
    call("undo", "undo", json!({}));
    let staged = call("stage", "stage", json!({ "all": true }));
    let folder = staged["stagingDir"].as_str().unwrap_or(root);
    call("unstage", "stage.write_back", json!({ "paths": [folder], "dryRun": true }));
    call("embed", "embed", json!({ "paths": ["."] }));
    call("embed --diff", "embed", json!({ "paths": ["a.txt"], "diff": true }));
    call("changes", "project.changes", json!({}));
    call("history", "history.list", json!({}));
    let own = READING.iter().enumerate().filter(|(at, _)| all() || (at + number / 3).is_multiple_of(6));
    for (_, command) in own {
        let text = Answer::new().action("run", &[("command", command)]);
        let params = json!({ "text": text.text(), "git": "off", "env": { "PATH": "/usr/bin:/bin" } });
        call(command, "execute", params);
    }
    call("unwatch", "project.unwatch", json!({}));
    let status = Connection::open(&world.socket()).unwrap().within(DEADLINE).try_call("status", &json!({}));
    if status.is_err() {
        wrong.push(format!("{kind}: status: {status:?}"));
    }
    wrong
}

fn merged(mut params: Value, more: Value) -> Value {
    if let Value::Object(more) = more {
        params.as_object_mut().unwrap().extend(more);
    }
    params
}

#[test]
fn regression_a_pipe_in_the_place_of_rules_holds_nothing_up() {
    for name in [".gitignore", "d/.gitignore", "d/.gitattributes", ".gitmodules"] {
        let world = World::new();
        let Some(project) = repository(&world, "project", "harmless") else {
            return skipped("a pipe among git's rules", "there is no git");
        };
        let ground = Ground { project, other: world.path("outside"), trap: String::new() };
        ground.write("a.txt", "changed\n");
        ground.pipe(name);
        let mut connection = world.connect().within(DEADLINE);
        let params = json!({ "root": world.root(), "paths": ["."], "diff": true });
        let error = connection.fail("embed", &params);
        assert!(error.to_string().contains(name), "{name}: {error}");
        let text = Answer::new().action("run", &[("command", "git status")]);
        let params = json!({ "root": world.root(), "text": text.text(), "git": "off" });
        connection.call("execute", &params);
    }
}
