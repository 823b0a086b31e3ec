//! Arguments of a tool: from raw JSON to values, with all that is wrong with them in one text.

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::message::{shown, without_place};

/// The most arguments, and the most faults of them that are reported.
const MOST: usize = 100;
const TOLD: usize = 10;

/// The arguments of one call, while they are taken out.
pub(crate) struct Arguments<'a> {
    members: Vec<(String, &'a RawValue)>,
    /// The names that were asked for, which are those that there are.
    known: Vec<&'static str>,
    faults: Vec<String>,
}

impl<'a> Arguments<'a> {
    /// Reads `json`, which is an object.
    pub(crate) fn new(json: &'a str) -> Arguments<'a> {
        let mut arguments = Arguments { members: Vec::new(), known: Vec::new(), faults: Vec::new() };
        match (&mut serde_json::Deserializer::from_str(json)).deserialize_map(Members) {
            Ok(members) => arguments.members = members,
            Err(error) => arguments.faults.push(without_place(&error)),
        }
        arguments
    }

    /// Takes an argument; `null` is as good as none.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Option<T> {
        self.known.push(name);
        let mut found = self.members.extract_if(.., |(member, _)| member == name);
        let value = found.next()?.1;
        let is_repeated = found.count() > 0;
        if is_repeated {
            self.faults.push(format!("`{name}` is given twice"));
        }
        match serde_json::from_str(value.get()) {
            Ok(value) => value,
            Err(error) => {
                self.faults.push(format!("`{name}`: {}", without_place(&error)));
                None
            }
        }
    }

    /// Takes an argument that has to be there.
    pub(crate) fn need<T: DeserializeOwned + Default>(&mut self, name: &'static str) -> T {
        let before = self.faults.len();
        let value = self.take(name);
        if value.is_none() && self.faults.len() == before {
            self.faults.push(format!("`{name}` is missing"));
        }
        value.unwrap_or_default()
    }

    /// Returns all that is wrong with the arguments.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        let unknown = self.members.iter().map(|(name, _)| format!("there is no argument `{}`", shown(name)));
        self.faults.extend(unknown);
        if self.faults.is_empty() {
            return Ok(());
        }
        let more = self.faults.len().saturating_sub(TOLD);
        self.faults.truncate(TOLD);
        let mut text = self.faults.join("; ");
        if more > 0 {
            text.push_str(&format!("; and {more} more"));
        }
        let known: Vec<String> = self.known.iter().map(|name| format!("`{name}`")).collect();
        Err(format!("{text}. The arguments are {}.", known.join(", ")))
    }
}

/// Collects the members of an object, unread and in order.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            if members.len() == MOST {
                return Err(serde::de::Error::custom("more arguments than any tool takes"));
            }
            members.push(member);
        }
        Ok(members)
    }
}
