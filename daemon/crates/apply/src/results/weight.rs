//! The bytes that values take as JSON, near enough, counted without writing them.
//!
//! Pure, and knows no type that it weighs.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The bytes of `null`, or of a flag, with a comma.
const WORD: usize = 6;

/// The bytes of a number, rounded up.
const NUMBER: usize = 12;

const BRACKETS: usize = 2;

const AROUND_NAME: usize = 4;

/// Returns the bytes of `value` as JSON: escapes counted, punctuation rounded up.
#[must_use]
pub fn weight<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut scales = Scales(0);
    // What cannot be JSON is not sent either.
    let _ = value.serialize(&mut scales);
    scales.0
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

struct Scales(usize);

#[derive(Debug)]
struct NoJson;

impl Display for NoJson {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("no JSON")
    }
}

impl std::error::Error for NoJson {}

impl Error for NoJson {
    fn custom<T: Display>(_: T) -> NoJson {
        NoJson
    }
}

impl Scales {
    fn add(&mut self, bytes: usize) -> Result<(), NoJson> {
        self.0 += bytes;
        Ok(())
    }

    fn name(&mut self, name: &str) {
        self.0 += name.len() + AROUND_NAME;
    }
}

/// Implements methods that weigh all values of a type alike.
macro_rules! alike {
    ($bytes:expr; $($method:ident($type:ty)),*) => {
        $(fn $method(self, _: $type) -> Result<(), NoJson> {
            self.add($bytes)
        })*
    };
}

impl Serializer for &mut Scales {
    type Ok = ();
    type Error = NoJson;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    alike!(WORD; serialize_bool(bool), serialize_unit_struct(&'static str));
    alike!(
        NUMBER;
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_u8(u8),
        serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_f32(f32), serialize_f64(f64)
    );

    fn serialize_char(self, char: char) -> Result<(), NoJson> {
        self.serialize_str(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), NoJson> {
        self.add(text_weight(text))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), NoJson> {
        self.add(BRACKETS + bytes.len() * NUMBER)
    }

    fn serialize_none(self) -> Result<(), NoJson> {
        self.add(WORD)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NoJson> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NoJson> {
        self.add(WORD)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), NoJson> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NoJson> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NoJson> {
        self.0 += BRACKETS;
        self.name(variant);
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, NoJson> {
        self.0 += BRACKETS;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, NoJson> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, NoJson> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, NoJson> {
        self.0 += BRACKETS;
        self.name(variant);
        self.serialize_seq(None)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, NoJson> {
        self.0 += BRACKETS;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, NoJson> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, NoJson> {
        self.0 += BRACKETS;
        self.name(variant);
        self.serialize_map(None)
    }
}

/// Implements the traits of what is a list in JSON.
macro_rules! lists {
    ($($trait:ident::$method:ident),*) => {
        $(impl $trait for &mut Scales {
            type Ok = ();
            type Error = NoJson;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoJson> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), NoJson> {
                Ok(())
            }
        })*
    };
}

lists!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// Implements the traits of what has named members in JSON.
macro_rules! objects {
    ($($trait:ident),*) => {
        $(impl $trait for &mut Scales {
            type Ok = ();
            type Error = NoJson;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), NoJson> {
                self.name(name);
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), NoJson> {
                Ok(())
            }
        })*
    };
}

objects!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for &mut Scales {
    type Ok = ();
    type Error = NoJson;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NoJson> {
        // As a text, which has a byte less around it.
        self.0 += 1;
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoJson> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), NoJson> {
        Ok(())
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
