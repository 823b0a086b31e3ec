//! Repositories that would make git run a program, or read files outside the project.

use std::os::unix::fs::PermissionsExt;

use super::{git, git_in, read, world};
use crate::support::{World, all};

/// Words in a file outside the project.
const SECRET: &str = "ba5eba11-outside";

/// Words that a planted program prints.
const SPRUNG: &str = "5p7un6";

/// A program in the project's repository that prints a token, and tries to leave it outside.
fn trap(world: &World) -> String {
    let program = world.project().join(".git/trap");
    let text = format!(
        "#!/bin/sh\necho {SPRUNG}\necho {SPRUNG} >&2\ntouch {}/sprung\ncat\n",
        world.path("outside").display()
    );
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program.into_os_string().into_string().unwrap()
}

const COMMANDS: [&str; 7] = [
    "git status",
    "git diff",
    "git log -p",
    "git show HEAD",
    "git ls-files",
    "git branch --list -vv",
    "git stash list",
];

/// A repository outside the project with a secret in it.
fn other(world: &World) -> String {
    let other = world.path("outside/other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("secret"), SECRET).unwrap();
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", SECRET]] {
        assert_eq!(git_in(world, "../outside/other", args).code, 0);
    }
    other.into_os_string().into_string().unwrap()
}

#[test]
fn regression_git_that_only_reads_runs_nothing_of_the_repository() {
    let Some(world) = world() else { return };
    let trap = trap(&world);
    let config = format!(
        "[filter \"e\"]\n\tclean = {trap}\n\tsmudge = {trap}\n\trequired = true\n\
         [diff \"e\"]\n\tcommand = {trap}\n\ttextconv = {trap}\n[diff]\n\texternal = {trap}\n\
         [core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n\thooksPath = {trap}\n\tsshCommand = {trap}\n\
         [log]\n\tshowSignature = true\n[gpg]\n\tprogram = {trap}\n[alias]\n\tstatus = !{trap}\n"
    );
    world.lay(".git/config", world.read(".git/config") + &config);
    world.lay(".gitattributes", "* filter=e diff=e\n");
    world.lay("a.txt", "changed\n");
    // git itself springs it.
    let own = git_in(&world, ".", &["diff"]);
    assert!(own.stdout.contains(SPRUNG) && world.path("outside/sprung").exists(), "{own:?}");
    std::fs::remove_file(world.path("outside/sprung")).unwrap();
    for command in COMMANDS {
        let result = read(&world, command);
        assert_eq!(result["status"], "SUCCESS", "{command}: {result:#}");
        assert!(!result.to_string().contains(SPRUNG), "{command}: {result:#}");
    }
    assert!(!world.path("outside/sprung").exists());
    let diff = read(&world, "git diff");
    assert!(diff["data"]["stdout"].as_str().unwrap().contains("+changed"), "{diff:#}");
}

#[test]
fn regression_git_that_only_reads_is_asked_about_where_it_is_led_out_of_the_project() {
    type Plant = fn(&World, &str);
    let kinds: [(&str, &str, Plant); 12] = [
        ("core.worktree", "core.worktree leads out", |world, other| {
            git(world, &["config", "core.worktree", other]);
        }),
        ("a .git file", ".git leads out", |world, other| {
            std::fs::remove_dir_all(world.project().join(".git")).unwrap();
            world.lay(".git", format!("gitdir: {other}/.git\n"));
        }),
        ("a link", ".git leads out", |world, other| {
            std::fs::remove_dir_all(world.project().join(".git")).unwrap();
            std::os::unix::fs::symlink(format!("{other}/.git"), world.project().join(".git")).unwrap();
        }),
        ("commondir", "commondir leads out", |world, other| {
            world.lay(".git/commondir", format!("{other}/.git\n"));
        }),
        ("commondir behind a worktree that says it is this one's", "commondir leads out", |world, other| {
            std::fs::remove_dir_all(world.project().join(".git")).unwrap();
            world.lay(".git", "gitdir: planted/worktrees/x\n");
            world.lay("planted/worktrees/x/HEAD", "ref: refs/heads/main\n");
            world.lay("planted/worktrees/x/commondir", format!("{other}/.git\n"));
            world.lay("planted/worktrees/x/gitdir", world.at(".git"));
        }),
        ("alternates", "alternates leads out", |world, other| {
            world.lay(".git/objects/info/alternates", format!("{other}/.git/objects\n"));
        }),
        ("chained alternates", "alternates leads out", |world, other| {
            world.lay(".git/objects/info/alternates", "../more\n");
            world.lay(".git/more/info/alternates", format!("{other}/.git/objects\n"));
        }),
        ("linked objects", "objects leads out", |world, other| {
            std::fs::remove_dir_all(world.project().join(".git/objects")).unwrap();
            let objects = format!("{other}/.git/objects");
            std::os::unix::fs::symlink(objects, world.project().join(".git/objects")).unwrap();
        }),
        ("linked refs", "leads out", |world, other| {
            let refs = format!("{other}/.git/refs/heads");
            std::os::unix::fs::symlink(refs, world.project().join(".git/refs/heads/more")).unwrap();
        }),
        ("a linked index", "index leads out", |world, other| {
            std::fs::remove_file(world.project().join(".git/index")).unwrap();
            let index = format!("{other}/.git/index");
            std::os::unix::fs::symlink(index, world.project().join(".git/index")).unwrap();
        }),
        ("an extension", "extension 'planted'", |world, _| {
            git(world, &["config", "core.repositoryFormatVersion", "1"]);
            git(world, &["config", "extensions.planted", "true"]);
        }),
        ("reftable", "refs kept as 'reftable'", |world, _| {
            git(world, &["config", "core.repositoryFormatVersion", "1"]);
            git(world, &["config", "extensions.refStorage", "reftable"]);
        }),
    ];
    for (number, (name, reason, plant)) in kinds.into_iter().enumerate() {
        // Each kind needs a repository of its own, since the plant damages it.
        let Some(world) = world() else { return };
        let other = other(&world);
        plant(&world, &other);
        // Two or three commands for each kind, other ones for the next; all of them with `CLADA_ALL`.
        let tried = COMMANDS.iter().enumerate().filter(|(at, _)| all() || (at + number).is_multiple_of(3));
        for (_, command) in tried {
            let result = world.execute(&crate::commands::run(command), serde_json::json!({ "git": "off" }));
            assert_eq!(result["results"][0]["kind"], "command_not_allowed", "{name}: {command}: {result:#}");
            let said = result["approvals"][0]["reason"].as_str().unwrap();
            assert!(said.contains(reason), "{name}: {command}: {said}");
            assert!(!result.to_string().contains(SECRET), "{name}: {command}: {result:#}");
        }
    }
}

#[test]
fn variables_lead_git_nowhere_else() {
    let world = World::with_config("exec: {inherit_env: true}\n");
    if super::git_in(&world, ".", &["init", "-q"]).code != 0 {
        return crate::support::skipped("variables of git", "there is no git");
    }
    super::commits(&world);
    let other = other(&world);
    let trap = trap(&world);
    let variables = [
        ("GIT_DIR", format!("{other}/.git")),
        ("GIT_WORK_TREE", other.clone()),
        ("GIT_OBJECT_DIRECTORY", format!("{other}/.git/objects")),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", format!("{other}/.git/objects")),
        ("GIT_INDEX_FILE", format!("{other}/.git/index")),
        ("GIT_COMMON_DIR", format!("{other}/.git")),
        ("GIT_EXTERNAL_DIFF", trap.clone()),
        ("GIT_PAGER", trap.clone()),
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor".to_owned()),
        ("GIT_CONFIG_VALUE_0", trap),
    ];
    let mut client = world.client(&["--json", "apply", "--no-git"]);
    client.envs(variables);
    let ran = crate::support::feed(&mut client, crate::commands::run("git log -p").text().as_bytes());
    assert!(!ran.stdout.contains(SECRET) && !ran.stdout.contains(SPRUNG), "{ran:?}");
    if !world.status()["sandbox"].as_str().unwrap_or("none").starts_with("none") {
        assert!(ran.stdout.contains("commit 2"), "{ran:?}");
    }
}
