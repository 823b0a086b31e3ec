//! The plugin for Neovim, in a real editor with a real daemon: `editors/nvim/tests/run.lua`.

use std::path::Path;

use crate::clients::{assert_suite_holds, program};
use crate::support::World;

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_plugin_holds_in_a_real_editor() {
    let Some(editor) = program("nvim") else { return };
    let world = World::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/nvim/tests/run.lua");
    let mut command = world.program(editor.to_str().unwrap());
    command.args(["--headless", "-u", "NONE", "-l"]).arg(tests);
    command.env("CLADA_CLIENT", env!("CARGO_BIN_EXE_it-client"));
    assert_suite_holds(&world, &mut command);
}
