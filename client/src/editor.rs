//! Runs the user's editor on a file, and waits for it.

use std::path::Path;
use std::process::Command;

use crate::Process;
use crate::exit::{Failure, Status};

pub(crate) fn edit(process: &Process, path: &Path) -> Result<(), Failure> {
    let editor = ["VISUAL", "EDITOR"].iter().find_map(|name| process.var(name));
    let editor = editor.map_or_else(|| "vi".to_owned(), |editor| editor.to_string_lossy().into_owned());
    let status = shell(process, &editor, path).status();
    let failed = |why: String| {
        Failure::new(Status::Failed, format!("the editor '{editor}' {why}"))
            .hint(format!("Name another one in VISUAL or EDITOR, or edit {} yourself.", path.display()))
    };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(format!("ended with {status}"))),
        Err(error) => Err(failed(format!("cannot be started: {error}"))),
    }
}

/// Returns the command as git starts an editor: by the shell, with the path as its last argument.
#[expect(clippy::disallowed_methods, reason = "the one place of the client that runs the user's editor")]
fn shell(process: &Process, editor: &str, path: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path);
    command.env_clear().envs(process.env.iter().map(|(name, value)| (name, value)));
    if let Some(cwd) = &process.cwd {
        command.current_dir(cwd);
    }
    command
}
