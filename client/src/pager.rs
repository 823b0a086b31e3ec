//! Shows a long text in the user's pager. Knows nothing of the text.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::Process;

const PAGER: &str = "less";

/// Shows `text` in `$PAGER` first if the screen has no room for it: its beginning would scroll away before the question
/// that comes after it.
pub(crate) fn page_if_long(process: &Process, text: &str) -> io::Result<()> {
    if process.is_beyond_screen(text) { page(process, text) } else { Ok(()) }
}

pub(crate) fn page(process: &Process, text: &str) -> io::Result<()> {
    // A pager that ends early is not an error.
    let Some(screen) = process.terminal() else { return Ok(()) };
    let pager = process.var("PAGER").unwrap_or_else(|| PAGER.as_ref());
    #[expect(clippy::disallowed_methods, reason = "the user's own pager, at the user's word")]
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped()).stdout(screen);
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // It may be left before it has read everything.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().map(drop)
}
