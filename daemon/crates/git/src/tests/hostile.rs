//! Repositories whose configuration, hooks, filters and attributes would make git run programs.

use super::*;

/// A program that leaves a mark when it runs.
fn trap(ground: &Ground, name: &str) -> String {
    let (program, mark) = (ground.path(&format!(".git/traps/{name}")), ground.path(".git/sprung"));
    ground
        .write(&format!(".git/traps/{name}"), format!("#!/bin/sh\necho {name} >> {}\ncat\n", mark.display()));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}

#[test]
fn nothing_of_the_repository_is_executed() {
    let Some(ground) = Ground::new() else { return };
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
        "post-checkout",
        "post-rewrite",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ] {
        let program = trap(&ground, hook);
        ground.write(&format!(".git/hooks/{hook}"), std::fs::read(program).unwrap());
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(ground.path(&format!(".git/hooks/{hook}")), mode).unwrap();
    }
    let planted = |name: &str| trap(&ground, name);
    let config = format!(
        "[core]\n\tfsmonitor = {}\n\tsshCommand = {}\n\teditor = {}\n\tpager = {}\n\thooksPath = {}\n\
         \taskPass = {}\n\talternateRefsCommand = {}\n\
         [filter \"evil\"]\n\tclean = {}\n\tsmudge = {}\n\tprocess = {}\n\trequired = true\n\
         [diff \"evil\"]\n\ttextconv = {}\n\tcommand = {}\n[diff]\n\texternal = {}\n\
         [merge \"evil\"]\n\tdriver = {}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {}\n\
         [credential]\n\thelper = {}\n[gc]\n\tauto = 1\n[user]\n\tname = x\n\temail = y\n",
        planted("fsmonitor"),
        planted("ssh"),
        planted("editor"),
        planted("pager"),
        ground.path(".git/hooks").display(),
        planted("askpass"),
        planted("alternates"),
        planted("clean"),
        planted("smudge"),
        planted("process"),
        planted("textconv"),
        planted("command"),
        planted("external"),
        planted("driver"),
        planted("gpg"),
        planted("credential"),
    );
    let old = std::fs::read_to_string(ground.path(".git/config")).unwrap();
    ground.write(".git/config", old + &config);
    ground.write(
        ".gitattributes",
        "*.evil filter=evil diff=evil merge=evil\n*.lfs filter=lfs -text\n* diff=evil\n",
    );
    ground.write("x.evil", "dirty\n");
    let mut repository = ground.open();
    let all = Commission { before: GitBefore::All, ..commission(GitMode::Branch) };
    let changed = [
        ground.change("a", Some("two\n")),
        ground.change("x.evil", Some("three\n")),
        ground.change("big.lfs", Some("pointer\n")),
    ];
    assert_eq!(
        left_out(&repository, &changed).unwrap(),
        "not committed, since a git filter converts them: big.lfs, x.evil"
    );
    let before = begin(&mut repository, &changed, &all).unwrap();
    ground.make(&changed);
    repository.after(&changed, &before, &all).unwrap();
    ground.make(&reversed(&changed[..1]));
    repository.retract("0123", &reversed(&changed), &all).unwrap().unwrap();
    let beside = commission(GitMode::Refs);
    repository.check().unwrap();
    let before = begin(&mut repository, &changed, &beside).unwrap();
    repository.after(&changed, &before, &beside).unwrap();
    assert!(
        !ground.path(".git/sprung").exists(),
        "{:?}",
        std::fs::read_to_string(ground.path(".git/sprung"))
    );
    // The traps do work: git itself springs some.
    ground.run(&["add", "x.evil"]).unwrap();
    assert!(ground.path(".git/sprung").exists());
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let Some(ground) = Ground::new() else { return };
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, ground.path(".gitignore"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, ground.path(".gitattributes"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    let mut repository = ground.open();
    let all = Commission { before: GitBefore::All, ..commission(GitMode::Branch) };
    let changed = [ground.change("b", Some("two\n"))];
    assert!(matches!(begin(&mut repository, &changed, &all), Err(GitError::Refused { .. })));
    let before = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    assert_eq!(repository.after(&changed, &before, &commission(GitMode::Branch)).unwrap(), None);
    assert!(left_out(&repository, &changed).unwrap().contains("is not a file"));
}

/// Makes a named pipe in the place of an existing file.
fn pipe(ground: &Ground, name: &str) {
    let path = ground.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&path);
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn regression_a_pipe_anywhere_in_the_repository_is_not_waited_for() {
    let Some(ground) = Ground::new() else { return };
    let object = ground.git(&["rev-parse", "HEAD"]);
    let object = format!(".git/objects/{}/{}", &object[..2], object[2..].trim());
    for name in [
        ".git/config",
        ".git/config.worktree",
        ".git/refs/heads/main",
        ".git/index",
        ".git/shallow",
        ".git/logs/HEAD",
        ".git/logs/refs/heads/main",
        ".git/objects/info/alternates",
        &object,
    ] {
        let old = std::fs::read(ground.path(name)).ok();
        let _repository = ground.open();
        pipe(&ground, name);
        let refused = ground.try_open().map(drop).unwrap_err();
        assert_eq!(refused, Unusable::Special(ground.path(name)), "{name}");
        ground.remove(name);
        if let Some(old) = old {
            ground.write(name, old);
        }
    }
    ground.git(&["fsck", "--strict"]);
}

#[test]
fn regression_a_pipe_that_the_repository_names_is_not_waited_for() {
    let Some(ground) = Ground::new() else { return };
    let old = std::fs::read_to_string(ground.path(".git/config")).unwrap();
    pipe(&ground, "pipe");
    pipe(&ground, "other/info/alternates");
    ground.write("more", "[include]\npath = pipe\n");
    let named = [
        ("[include]\n\tpath = ../pipe\n".to_owned(), "pipe"),
        ("[includeIf \"gitdir:**\"]\n\tpath = ../pipe\n".to_owned(), "pipe"),
        ("[include]\n\tpath = ../more\n".to_owned(), "pipe"),
        (format!("[core]\n\tattributesfile = {}\n", ground.path("pipe").display()), "pipe"),
        (format!("[core]\n\texcludesfile = {}\n", ground.path("pipe").display()), "pipe"),
    ];
    for (config, name) in named {
        let mut repository = ground.open();
        ground.write(".git/config", format!("{old}{config}"));
        let is_pipe = |refused: Unusable| match refused {
            Unusable::Special(path) => path.canonicalize().unwrap() == ground.path(name),
            _ => false,
        };
        assert!(is_pipe(repository.check().unwrap_err()), "one that was open: {config}");
        assert!(is_pipe(ground.try_open().map(drop).unwrap_err()), "{config}");
        ground.write(".git/config", &old);
    }
    ground.write(".git/objects/info/alternates", format!("{}\n", ground.path("other").display()));
    assert!(matches!(ground.try_open(), Err(Unusable::Special(_))));
}

#[test]
fn what_a_repository_includes_and_borrows_is_read() {
    let Some(ground) = Ground::new() else { return };
    ground.write("more", "[core]\n\tfilemode = false\n");
    ground.git(&["config", "include.path", "../more"]);
    ground.git(&["clone", "-q", "--shared", ".", "borrower"]);
    ground.git(&["config", "--add", "include.path", "/dev/null"]);
    ground.git(&["config", "core.excludesfile", "/dev/null"]);
    assert!(!ground.open().config_bool("core.filemode", true));
    let borrower = GitRepository::open(&ground.path("borrower"), None).unwrap().unwrap();
    assert!(borrower.head().unwrap().tip.is_some());
    ground.git(&["worktree", "add", "-q", "beside"]);
    assert!(GitRepository::open(&ground.path("beside"), None).unwrap().is_some());
}

#[test]
fn messages_say_what_they_are_given() {
    let message =
        super::super::commit::message("AI: x\n\nClada-Operation: forged", &[("Clada-Operation", "real")]);
    let message = message.unwrap();
    assert_eq!(super::super::commit::trailer(&message, "Clada-Operation"), Some("real"));
    assert_eq!(super::super::commit::trailer(&message, "Clada-Head"), None);
}
