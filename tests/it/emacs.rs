//! The client in Emacs, in a real editor with a real daemon: `editors/emacs/tests/clada-tests.el`.

use std::path::Path;

use crate::clients::{assert_suite_holds, program};
use crate::support::{World, feed, skipped};

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_client_holds_in_a_real_editor() {
    let Some(editor) = program("emacs") else { return };
    let world = World::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/emacs/tests/clada-tests.el");
    let mut command = world.program(editor.to_str().unwrap());
    command.args(["-Q", "--batch", "-l", "ert", "-l"]).arg(tests).args(["-f", "clada-tests-run"]);
    command.env("CLADA_CLIENT", env!("CARGO_BIN_EXE_it-client"));
    command.env("CLADA_DAEMON", env!("CARGO_BIN_EXE_it-daemon"));
    assert_suite_holds(&world, &mut command);
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn it_compiles_without_a_warning_and_its_docstrings_are_in_order() {
    let Some(editor) = program("emacs") else { return };
    let world = World::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/emacs/clada.el");
    let copy = world.path("clada.el");
    std::fs::copy(source, &copy).unwrap();
    let mut command = world.program(editor.to_str().unwrap());
    command.args(["-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)"]);
    command.args(["-f", "batch-byte-compile"]).arg(&copy);
    let ran = feed(&mut command, b"");
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let mut command = world.program(editor.to_str().unwrap());
    command.args(["-Q", "--batch", "--eval", "(require 'checkdoc)", "--eval"]);
    command.arg(format!("(checkdoc-file {:?})", copy.to_str().unwrap()));
    let ran = feed(&mut command, b"");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn package_lint_finds_nothing() {
    let Some(editor) = program("emacs") else { return };
    // Debian's elpa-package-lint.
    let folder = Path::new("/usr/share/emacs/site-lisp/elpa-src");
    let folders = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders: Vec<_> = folders.filter(|folder| folder.is_dir()).collect();
    if !folders.iter().any(|folder| folder.join("package-lint.el").exists()) {
        return skipped("package-lint", "elpa-package-lint is not installed");
    }
    let world = World::new();
    let copy = world.path("clada.el");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/emacs/clada.el"), &copy).unwrap();
    let mut command = world.program(editor.to_str().unwrap());
    command.args(["-Q", "--batch"]);
    for folder in &folders {
        command.arg("-L").arg(folder);
    }
    command.args(["-l", "package-lint", "-f", "package-lint-batch-and-exit"]).arg(&copy);
    let ran = feed(&mut command, b"");
    // One that is older than Emacs 28 takes it for unreleased.
    let found = format!("{}{}", ran.stdout, ran.stderr);
    let known =
        ["Entering directory", "This makes the package uninstallable in all released Emacs versions."];
    let found: Vec<&str> =
        found.lines().filter(|line| !known.iter().any(|known| line.contains(known))).collect();
    assert_eq!(found, [""; 0]);
}
