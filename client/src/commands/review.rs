//! `review`: becomes the program `clada-review`, which shows it on a full screen.
//!
//! That one reads the same arguments. It is a program of its own so that this one stays small.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::Process;
use crate::args::called;
use crate::exit::{Failure, Status};
use crate::program::{NotFound, find};

const VARIABLE: &str = "CLADA_REVIEW";
pub(super) const PROGRAM: &str = "clada-review";

pub(super) fn program(process: &Process) -> Result<PathBuf, NotFound> {
    find(process, VARIABLE, PROGRAM)
}

pub(super) fn run(process: &Process) -> Result<Status, Failure> {
    let failed = |message: String, hint: String| Failure::new(Status::Failed, message).hint(hint);
    let program = program(process).map_err(|why| match why {
        NotFound::Named(named) => failed(
            format!("{VARIABLE} names {}, which is not a file", named.display()),
            format!("Set it to the path of {PROGRAM}, or unset it."),
        ),
        NotFound::Nowhere(folders) => failed(
            format!("{PROGRAM}, the program of the full screen, was not found"),
            format!(
                "Looked in: {}.\nInstall {PROGRAM} there, or set {VARIABLE} to its path. `clada apply -i` asks \
                 without it.",
                NotFound::folders(&folders)
            ),
        ),
    })?;
    #[expect(clippy::disallowed_methods, reason = "this program becomes it")]
    let mut command = Command::new(&program);
    let error = command.arg0(called(process)).args(process.args.iter().skip(1)).exec();
    Err(failed(
        format!("{} cannot be run: {error}", program.display()),
        format!("Check that the file may be executed, or set {VARIABLE} to another."),
    ))
}
