//! Recognizes documents that clada wrote, in any format and after a prompt. Pure.
//!
//! A document begins and ends with the same nonce, so that a text which only speaks of documents is none.

use memchr::memmem::{find, rfind};

const JSON: &[u8] = b"{\"title\":\"Context Files\",\"nonce\":\"";
const JSON_END: &[u8] = b"\n],\n\"omitted\":[";
/// The beginning of the last line but for the closing tag of XML.
const END: &[u8] = b"\n<!-- end ";

pub(super) fn is_own_document(text: &[u8]) -> bool {
    is_marked(text) || is_json(text)
}

/// Returns whether it is Markdown or XML that ends with a nonce with which a document begins in it.
fn is_marked(text: &[u8]) -> bool {
    let body = text.strip_suffix(b"</context_files>\n").unwrap_or(text);
    let Some(body) = body.strip_suffix(b" -->\n") else { return false };
    let Some(at) = rfind(body, END) else { return false };
    let nonce = &body[at + END.len()..];
    let is_nonce = nonce.len() == 24 && nonce.iter().all(u8::is_ascii_hexdigit);
    is_nonce && find(body, &[b"\n<!-- clada-context ".as_slice(), nonce, b" -->\n"].concat()).is_some()
}

fn is_json(text: &[u8]) -> bool {
    let Some(at) = find(text, JSON) else { return false };
    let begins_line = at == 0 || text[at - 1] == b'\n';
    begins_line && text.ends_with(b"}\n") && rfind(&text[at..], JSON_END).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: &str = "0123456789abcdef01234567";

    #[test]
    fn only_a_whole_document_is_one() {
        let markdown = format!(
            "# Context Files\n\n<!-- clada-context {NONCE} -->\n\n### a\n\n```\na\n```\n\n<!-- end {NONCE} -->\n"
        );
        let xml = format!(
            "<context_files>\n# Context Files\n<!-- clada-context {NONCE} -->\n<!-- end {NONCE} -->\n\
             </context_files>\n"
        );
        let json = format!(
            "{{\"title\":\"Context Files\",\"nonce\":\"{NONCE}\",\"purpose\":\"\",\n\"files\":[\n\n],\n\
             \"omitted\":[]}}\n"
        );
        for document in [markdown, xml, json] {
            assert!(is_own_document(document.as_bytes()), "{document}");
            assert!(is_own_document(format!("Do it.\n\n{document}").as_bytes()), "{document}");
            assert!(!is_own_document(format!("{document}more\n").as_bytes()), "{document}");
            let half = &document[..document.len() / 2];
            assert!(!is_own_document(half.as_bytes()), "{half}");
        }
        let other = format!("\n<!-- clada-context {NONCE} -->\n<!-- end {} -->\n", "f".repeat(24));
        assert!(!is_own_document(other.as_bytes()));
        assert!(!is_own_document(b"") && !is_own_document(b"\n<!-- end x -->\n"));
    }
}
