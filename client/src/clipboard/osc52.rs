//! The escape sequence by which a terminal is asked to put a text into its clipboard, also over ssh.

use crate::exit::{Failure, Status};

/// The longest text, in bytes. Terminals drop a sequence of more than 100,000 bytes.
const LIMIT: usize = 74_994;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn sequence(text: &str) -> Result<String, Failure> {
    if text.len() > LIMIT {
        let message = format!(
            "the text is too long for the terminal's clipboard (OSC 52): {} bytes, and the limit is {LIMIT}",
            text.len()
        );
        return Err(Failure::new(Status::Failed, message));
    }
    Ok(format!("\x1b]52;c;{}\x07", base64(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(3) {
        let at = |index: usize| u32::from(piece.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * digit) & 63).unwrap_or_default();
            let is_filler = digit > piece.len();
            text.push(if is_filler { '=' } else { char::from(DIGITS[value]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar", "ä\u{10ffff}"];
        let encoded = texts.map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "w6T0j7+/"]);
    }

    #[test]
    fn a_text_is_sent_whole_or_not_at_all() {
        let longest = sequence(&"x".repeat(LIMIT)).unwrap();
        assert_eq!(longest.len(), 100_000);
        let failure = sequence(&"x".repeat(LIMIT + 1)).unwrap_err();
        assert!(failure.message.contains("74995 bytes, and the limit is 74994"), "{}", failure.message);
    }
}
