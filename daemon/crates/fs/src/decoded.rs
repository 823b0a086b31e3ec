//! Decides whether bytes are text, and decodes them. Pure; knows no path.
//!
//! Text is UTF-8, or UTF-16 with a byte order mark, or a legacy encoding. Decoded text is accepted only if
//! encoding it gives the very same bytes again: a document made from a file has to give the file back.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use content_inspector::ContentType;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

const SAMPLED: usize = 8 << 10;
const DECLARED_WITHIN: usize = 1 << 10;

/// The content of a file, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText {
    /// The characters, without the byte order mark.
    pub text: String,
    /// The file's encoding, unless it is UTF-8.
    pub encoding: Option<&'static str>,
    /// True if the file begins with a byte order mark, which is not in `text`.
    pub bom: bool,
    /// True if the file itself names its encoding, by a mark or in words; otherwise it is guessed.
    pub is_declared: bool,
}

/// An encoding other than UTF-8 that a file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding {
    /// Its name.
    pub name: &'static str,
    /// True if the file names it, by a byte order mark or in words; otherwise it is guessed.
    pub is_declared: bool,
    bom: bool,
}

impl TextEncoding {
    /// Decodes the text of a file that is not UTF-8; `None` for UTF-8, and for bytes that are not text.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(String, TextEncoding)> {
        if std::str::from_utf8(bytes).is_ok() {
            return None;
        }
        let DecodedText { text, encoding, bom, is_declared } = DecodedText::decode(bytes.to_vec()).ok()?;
        Some((text, TextEncoding { name: encoding?, is_declared, bom }))
    }

    /// Encodes `text`, which has no byte order mark.
    ///
    /// # Errors
    /// The first character that the encoding lacks.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let units = |order: fn(u16) -> [u8; 2]| {
            let mark = self.bom.then_some(0xfeff);
            mark.into_iter().chain(text.encode_utf16()).flat_map(order).collect()
        };
        match self.name {
            "utf-16le" => return Ok(units(u16::to_le_bytes)),
            "utf-16be" => return Ok(units(u16::to_be_bytes)),
            _ => {}
        }
        let encoding = Encoding::for_label(self.name.as_bytes()).unwrap_or(WINDOWS_1252);
        let (bytes, _, lost) = encoding.encode(text);
        if !lost {
            return Ok(bytes.into_owned());
        }
        let lacks = |character: &char| encoding.encode(character.encode_utf8(&mut [0; 4])).2;
        Err(text.chars().find(lacks).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// The reason for which bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// A binary format, or a zero byte.
    Binary,
    /// The bytes look like text in an encoding that is not recognised, or whose rules they break.
    Undecodable(&'static str),
}

/// Returns whether `bytes` are text, without decoding them where that is not needed.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    let is_plain = || memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok();
    match content_inspector::inspect(&bytes[..bytes.len().min(SAMPLED)]) {
        ContentType::BINARY => false,
        ContentType::UTF_8 | ContentType::UTF_8_BOM if is_plain() => true,
        _ => DecodedText::decode(bytes.to_vec()).is_ok(),
    }
}

impl DecodedText {
    /// Decodes `bytes`.
    ///
    /// # Errors
    ///
    /// [`NotText`], if they are binary, or no encoding gives the same bytes back.
    pub fn decode(bytes: Vec<u8>) -> Result<DecodedText, NotText> {
        match content_inspector::inspect(&bytes[..bytes.len().min(SAMPLED)]) {
            ContentType::BINARY => Err(NotText::Binary),
            ContentType::UTF_16LE => utf_16(&bytes, UTF_16LE, u16::from_le_bytes),
            ContentType::UTF_16BE => utf_16(&bytes, UTF_16BE, u16::from_be_bytes),
            ContentType::UTF_32LE | ContentType::UTF_32BE => {
                Err(NotText::Undecodable("UTF-32, which is not read"))
            }
            ContentType::UTF_8 | ContentType::UTF_8_BOM => utf_8(bytes),
        }
    }

    /// Returns whether there is text whose last line has no end.
    #[must_use]
    pub fn lacks_final_newline(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with(['\n', '\r'])
    }

    fn new(text: String, encoding: Option<&'static str>, bom: bool) -> DecodedText {
        DecodedText { text, encoding, bom, is_declared: encoding.is_none() || bom }
    }
}

fn utf_8(bytes: Vec<u8>) -> Result<DecodedText, NotText> {
    if memchr::memchr(0, &bytes).is_some() {
        return Err(NotText::Binary);
    }
    match String::from_utf8(bytes) {
        Ok(text) => match text.strip_prefix('\u{feff}') {
            Some(rest) => Ok(DecodedText::new(rest.to_owned(), None, true)),
            None => Ok(DecodedText::new(text, None, false)),
        },
        Err(error) => legacy(error.as_bytes()),
    }
}

fn utf_16(
    bytes: &[u8],
    encoding: &'static Encoding,
    unit: fn([u8; 2]) -> u16,
) -> Result<DecodedText, NotText> {
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let broken = NotText::Undecodable("broken UTF-16");
    if !rest.is_empty() {
        return Err(broken);
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if text.contains('\0') => Err(NotText::Binary),
        Ok(text) => Ok(DecodedText::new(text, Some(name_of(encoding)), true)),
        Err(_) => Err(broken),
    }
}

fn legacy(bytes: &[u8]) -> Result<DecodedText, NotText> {
    if is_broken_utf_8(bytes) {
        return Err(NotText::Undecodable("broken UTF-8"));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let declared = declared(bytes);
    for encoding in declared.into_iter().chain([guess, WINDOWS_1252]) {
        let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) else {
            continue;
        };
        let (again, _, lost) = encoding.encode(&text);
        if lost || again.as_ref() != bytes {
            continue;
        }
        // Text has no such control characters; the bytes are something else.
        if text
            .chars()
            .any(|character| character.is_control() && !matches!(character, '\t'..='\r' | '\u{1b}'))
        {
            return Err(NotText::Binary);
        }
        let is_declared = declared == Some(encoding);
        let decoded = DecodedText::new(text.into_owned(), Some(name_of(encoding)), false);
        return Ok(DecodedText { is_declared, ..decoded });
    }
    Err(NotText::Undecodable("an unknown encoding"))
}

/// Returns the encoding that a file names near its beginning: `coding: latin-1` (PEP 263, Emacs), `charset=…` (HTML,
/// CSS), `encoding="…"` (XML).
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let begin = &bytes[..bytes.len().min(DECLARED_WITHIN)];
    ["coding", "charset"].iter().find_map(|word| {
        let after = begin[memchr::memmem::find(begin, word.as_bytes())? + word.len()..].trim_ascii_start();
        // CSS has a blank alone between: `@charset "latin1"`.
        let after =
            after.strip_prefix(b":").or_else(|| after.strip_prefix(b"=")).unwrap_or(after).trim_ascii_start();
        let after = after.strip_prefix(b"\"").or_else(|| after.strip_prefix(b"'")).unwrap_or(after);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let name = after.iter().take_while(|byte| is_name(byte)).count();
        known(std::str::from_utf8(&after[..name]).ok()?)
    })
}

fn known(name: &str) -> Option<&'static Encoding> {
    let name = ["-unix", "-dos", "-mac"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let all = [name.to_owned(), name.replace('_', "-"), name.replace(['-', '_'], "")];
    all.iter().find_map(|name| Encoding::for_label(name.as_bytes()))
}

fn is_broken_utf_8(bytes: &[u8]) -> bool {
    // More characters of several bytes are whole than bytes are invalid.
    let (mut whole, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        broken += chunk.invalid().len();
    }
    whole > broken
}

fn name_of(encoding: &'static Encoding) -> &'static str {
    match encoding.name() {
        "UTF-16LE" => "utf-16le",
        "UTF-16BE" => "utf-16be",
        "windows-1252" => "windows-1252",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<DecodedText, NotText> {
        DecodedText::decode(bytes.to_vec())
    }

    proptest! {
        #[test]
        fn bytes_are_refused_or_come_back(
            bytes in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..200),
                "[a-z\\r\\n\\x{e9}\\x{feff}\\x{4e00}-\\x{4e10}]{0,80}".prop_map(String::into_bytes),
                "[ -~\\n]{0,40}".prop_map(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            ],
            mark in prop::sample::select(vec![&b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"]),
        ) {
            let bytes = [mark, &bytes].concat();
            prop_assert_eq!(is_text(&bytes), read(&bytes).is_ok());
            if let Ok(text) = read(&bytes) {
                let marked = if text.bom { format!("\u{feff}{}", text.text) } else { text.text.clone() };
                let again: Vec<u8> = match text.encoding {
                    None => marked.into_bytes(),
                    Some("utf-16le") => marked.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                    Some("utf-16be") => marked.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                    Some(name) => Encoding::for_label(name.as_bytes()).unwrap().encode(&marked).0.into_owned(),
                };
                prop_assert_eq!(again, bytes);
            }
        }
    }

    #[test]
    fn utf_8_with_and_without_a_mark() {
        let plain = read("é\n".as_bytes()).unwrap();
        assert_eq!((plain.text.as_str(), plain.encoding, plain.bom), ("é\n", None, false));
        let marked = read("\u{feff}é".as_bytes()).unwrap();
        assert_eq!((marked.text.as_str(), marked.encoding, marked.bom), ("é", None, true));
        assert!(marked.lacks_final_newline() && !plain.lacks_final_newline());
        assert!(!read(b"").unwrap().lacks_final_newline());
    }

    #[test]
    fn utf_16_is_decoded_and_broken_utf_16_is_not() {
        let text = read(b"\xff\xfea\0\xe9\0").unwrap();
        assert_eq!((text.text.as_str(), text.encoding, text.bom), ("aé", Some("utf-16le"), true));
        let text = read(b"\xfe\xff\0a\xd8\x3d\xde\0").unwrap();
        assert_eq!((text.text.as_str(), text.encoding), ("a😀", Some("utf-16be")));
        for broken in [&b"\xff\xfea"[..], b"\xff\xfe\x00\xd8"] {
            assert_eq!(read(broken), Err(NotText::Undecodable("broken UTF-16")));
        }
        assert_eq!(read(b"\xff\xfea\0\0\0"), Err(NotText::Binary));
        assert!(matches!(read(b"\xff\xfe\0\0a\0\0\0"), Err(NotText::Undecodable(_))));
    }

    #[test]
    fn legacy_text_is_decoded_if_it_can_be_encoded_again() {
        let text = read(b"caf\xe9 au lait, d\xe9j\xe0 vu\n").unwrap();
        assert_eq!((text.text.as_str(), text.encoding), ("café au lait, déjà vu\n", Some("windows-1252")));
        let (japanese, encoding, _) =
            encoding_rs::SHIFT_JIS.encode("日本語のテキストです。これは長い文章です。");
        let text = read(&japanese).unwrap();
        assert_eq!(text.encoding, Some(encoding.name()));
    }

    #[test]
    fn what_is_binary_and_what_is_broken() {
        assert_eq!(read(b"%PDF-1.4"), Err(NotText::Binary));
        let mut late = vec![b'a'; 100_000];
        late.push(0);
        assert_eq!(read(&late), Err(NotText::Binary));
        assert_eq!(read(b"\x1f\x8b\x08\x01\xff\xfe\x99"), Err(NotText::Binary));
        assert_eq!(
            read("é é é \u{fffd}".as_bytes().split_last().unwrap().1),
            Err(NotText::Undecodable("broken UTF-8"))
        );
    }
}
