//! The extension for VS Code: its tests on a mock of the editor, and in a real one with `CLADA_VSCODE=1`.
//!
//! `CLADA_CLIENTS` names a folder with what no system has: `vscode/node_modules`, from the extension's lock file, and for the
//! real editor `code-server/node_modules`. Where it is missing, a test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use walkdir::WalkDir;

use crate::clients::{assert_held, assert_suite_holds, program};
use crate::support::{World, all, feed_for, skipped};

/// Returns a folder below that of the clients.
fn clients(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CLADA_CLIENTS").map(|folder| Path::new(&folder).join(name));
    folder.filter(|folder| folder.is_dir())
}

/// Copies what git would of a folder of the checkout into the world, and returns the copy.
fn copied(world: &World, name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    let made = ["node_modules", "dist"];
    let files = WalkDir::new(&from)
        .into_iter()
        .filter_entry(|entry| made.iter().all(|made| entry.file_name() != *made));
    for file in files.map(Result::unwrap).filter(|entry| entry.file_type().is_file()) {
        let target = world.path(name).join(file.path().strip_prefix(&from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(file.path(), target).unwrap();
    }
    world.path(name)
}

/// The extension in a world, with the modules that it is built by; `None` if they are not there.
fn extension() -> Option<(World, PathBuf, PathBuf)> {
    let node = program("node")?;
    let Some(modules) = clients("vscode/node_modules") else {
        skipped("the extension for VS Code", "its modules are not in CLADA_CLIENTS");
        return None;
    };
    let world = World::with_config("mcp:\n  approvals: wait\n");
    let folder = copied(&world, "editors/vscode");
    copied(&world, "editors/fixture");
    for name in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        std::fs::copy(from, world.path(name)).unwrap();
    }
    std::os::unix::fs::symlink(modules, folder.join("node_modules")).unwrap();
    Some((world, node, folder))
}

/// A script of the extension.
fn script(world: &World, node: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command: Command = world.program(node.to_str().unwrap());
    command.args(words).current_dir(folder);
    command.env("CLADA_CLIENT", world.client(&[]).get_program());
    command
}

/// Runs a script of the extension, which has to succeed, and returns what it wrote.
fn run(world: &World, node: &Path, folder: &Path, words: &[&str]) -> String {
    let mut command = script(world, node, folder, words);
    command.envs(std::env::var_os("CLADA_ALL").map(|all| ("CLADA_ALL", all)));
    let limit = Duration::from_secs(if all() { 5000 } else { 280 });
    let ran = feed_for(limit, &mut command, b"");
    assert_held(&ran);
    ran.stdout
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_extension_for_vscode_on_a_mock_of_the_editor() {
    let Some((world, node, folder)) = extension() else { return };
    let said = assert_suite_holds(&world, &mut script(&world, &node, &folder, &["build.js", "test"])).stdout;
    assert!(said.contains("\n# fail 0\n") && said.contains("\n# skipped 0\n"), "{said}");
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_extension_for_vscode_is_sound_and_holds_only_what_it_should() {
    let Some((world, node, folder)) = extension() else { return };
    run(&world, &node, &folder, &["node_modules/typescript/bin/tsc", "--noEmit"]);
    run(&world, &node, &folder, &["build.js", "package"]);
    let list = run(&world, &node, &folder, &["node_modules/@vscode/vsce/vsce", "ls", "--no-dependencies"]);
    let mut names: Vec<&str> = list.lines().collect();
    names.sort_unstable();
    let expected =
        ["CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-vscode-jsonrpc", "README.md"];
    let more = ["dist/extension.js", "icon.png", "package.json"];
    let pages = ["walkthrough/install.md", "walkthrough/review.md", "walkthrough/undo.md"];
    assert_eq!(names, [&expected[..], &more, &pages].concat());
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn four_editors_see_what_each_other_does_to_one_project() {
    let found = ["python3", "nvim", "emacs", "emacsclient"].map(program);
    let ([Some(python), Some(nvim), Some(_), Some(_)], Some((world, _, _))) = (found, extension()) else {
        return;
    };
    for name in ["editors/nvim", "editors/emacs"] {
        copied(&world, name);
    }
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/together");
    std::fs::copy(from, world.path("editors/together")).unwrap();
    let mut command: Command = world.program(python.to_str().unwrap());
    command.arg(world.path("editors/together")).arg(env!("CARGO_BIN_EXE_it-client"));
    command.arg(env!("CARGO_BIN_EXE_it-daemon"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = nvim.parent().map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap());
    assert_suite_holds(&world, &mut command);
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_extension_for_vscode_in_a_real_editor() {
    if std::env::var_os("CLADA_VSCODE").is_none() {
        return skipped("the extension in a real VS Code", "CLADA_VSCODE is not set");
    }
    let Some(install) = clients("code-server") else {
        return skipped("the extension in a real VS Code", "code-server is not in CLADA_CLIENTS");
    };
    let found = ["chromium-headless-shell", "chromium"].iter().find_map(|name| program(name));
    let (Some(chromium), Some((world, node, folder))) = (found, extension()) else { return };
    run(&world, &node, &folder, &["build.js"]);
    let platform = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let newer = install.join(format!("node_modules/node-linux-{platform}/bin/node"));
    let top = world.path("editors/..");
    let words =
        ["tests/real/run.js", install.to_str().unwrap(), chromium.to_str().unwrap(), top.to_str().unwrap()];
    run(&world, &newer, &folder, &words);
}
