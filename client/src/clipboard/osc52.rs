//! The escape sequence by which a terminal is asked to put a text into its clipboard, also over ssh.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::exit::{Failure, Status};

/// The longest text, in bytes. Terminals drop a sequence of more than 100,000 bytes.
const LIMIT: usize = 74_994;

pub(super) fn sequence(text: &str) -> Result<String, Failure> {
    if text.len() > LIMIT {
        let message = format!(
            "the text is too long for the terminal's clipboard (OSC 52): {} bytes, and the limit is {LIMIT}",
            text.len()
        );
        return Err(Failure::new(Status::Failed, message));
    }
    Ok(format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_sent_whole_or_not_at_all() {
        let longest = sequence(&"x".repeat(LIMIT)).unwrap();
        assert_eq!(longest.len(), 100_000);
        assert_eq!(sequence("ä\u{10ffff}").unwrap(), "\x1b]52;c;w6T0j7+/\x07");
        let failure = sequence(&"x".repeat(LIMIT + 1)).unwrap_err();
        assert!(failure.message.contains("74995 bytes, and the limit is 74994"), "{}", failure.message);
    }
}
