//! A command as a model writes it over several lines.
//!
//! Knows nothing of the meaning of commands; other code refuses line ends that are not continuations.

use std::borrow::Cow;

use crate::work;

/// Returns `command` with its backslash continuations undone, as a shell does it. Other line ends stay.
pub(crate) fn continued(command: Cow<'_, str>) -> Cow<'_, str> {
    if !command.contains("\\\n") {
        return command;
    }
    let mut whole = String::with_capacity(command.len());
    for line in command.split_inclusive('\n') {
        work::count(line.len());
        let body = line.strip_suffix('\n').unwrap_or(line);
        let slashes = body.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if slashes % 2 == 1 && body.len() < line.len() {
            whole.push_str(&body[..body.len() - 1]);
        } else {
            whole.push_str(line);
        }
    }
    Cow::Owned(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuations_make_one_line() {
        for (written, meant) in [
            ("a \\\n  b \\\nc", "a   b c"),
            ("a\\\\\nb", "a\\\\\nb"),
            ("a \\ \nb", "a \\ \nb"),
            ("a\\", "a\\"),
        ] {
            assert_eq!(continued(written.into()), meant);
        }
    }
}
