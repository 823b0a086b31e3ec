//! The bytes that values take as JSON, near enough, counted without writing them.
//!
//! Pure, and knows no type that it weighs.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};

/// Returns the bytes of `value` as JSON: escapes counted, punctuation rounded up.
#[must_use]
pub fn weight<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut bytes = ByteCount(0);
    // What cannot be JSON is not sent either.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, RoundedUp));
    bytes.0
}

/// Returns the bytes of `text` as a JSON string.
#[must_use]
pub(crate) fn text_weight(text: &str) -> usize {
    let escapes = |byte: &u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + 3 + text.as_bytes().iter().map(escapes).sum::<usize>()
}

struct ByteCount(usize);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// Writes as many bytes as JSON has at the most, with each comma beside the value before it.
struct RoundedUp;

macro_rules! alike {
    ($bytes:literal; $($method:ident($type:ty)),*) => {
        $(fn $method<W: Write + ?Sized>(&mut self, writer: &mut W, _: $type) -> io::Result<()> {
            writer.write_all($bytes)
        })*
    };
}

impl Formatter for RoundedUp {
    alike!(b"false,"; write_bool(bool));
    alike!(
        b"2147483647, ";
        write_i8(i8), write_i16(i16), write_i32(i32), write_i64(i64), write_u8(u8), write_u16(u16),
        write_u32(u32), write_u64(u64), write_f32(f32), write_f64(f64)
    );
    alike!(b""; begin_array_value(bool), begin_object_key(bool));

    fn write_null<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"null, ")
    }

    fn end_string<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\",")
    }

    fn write_char_escape<W: Write + ?Sized>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let bytes: &[u8] = match escape {
            CharEscape::AsciiControl(_) | CharEscape::Backspace | CharEscape::FormFeed => b"\\u0000",
            _ => b"\\n",
        };
        writer.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_value_weighs_what_its_parts_weigh() {
        for (value, expected) in [
            (json!(null), 6),
            (json!(true), 6),
            (json!(1), 12),
            (json!("a\n\u{1}"), 3 + 3 + 1 + 5),
            (json!([1, [2]]), 2 + 12 + 2 + 12),
            (json!({ "a": 1, "bc": "d" }), 2 + (1 + 4 + 12) + (2 + 4 + 4)),
        ] {
            assert_eq!(weight(&value), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn a_value_weighs_at_least_its_json(texts in prop::collection::vec(".*", 0..4), number in any::<i32>()) {
            let value: Value = texts.iter().map(|text| json!({ "name": text, "more": [number, null] })).collect();
            prop_assert!(weight(&value) >= value.to_string().len());
        }
    }
}
