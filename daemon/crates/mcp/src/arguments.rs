//! Arguments of a tool: from raw JSON to values, with all that is wrong with them in one text.
//!
//! Models send a number as a text, a list as the text of its JSON, one thing where a list is meant, and empty
//! things for what they do not want to say. All of that is taken as it is meant. An argument that there is not
//! is ignored with a note, but for one that asks for care or for more than an agent may have: then nothing is
//! done.

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fault::{shown, without_place};

const MOST: usize = 100;
const TOLD: usize = 10;

/// Parts of the names of arguments, in letters alone, that ask for care.
const CAREFUL: [&str; 8] = ["dryrun", "preview", "check", "simulate", "approv", "confirm", "backup", "env"];

pub(crate) struct ToolArguments<'a> {
    members: Vec<(String, &'a RawValue)>,
    known: Vec<&'static str>,
    faults: Vec<String>,
}

impl<'a> ToolArguments<'a> {
    pub(crate) fn new(json: &'a str) -> ToolArguments<'a> {
        let mut arguments = ToolArguments { members: Vec::new(), known: Vec::new(), faults: Vec::new() };
        match (&mut serde_json::Deserializer::from_str(json)).deserialize_map(MembersVisitor) {
            Ok(members) => arguments.members = members,
            Err(error) => arguments.faults.push(without_place(&error)),
        }
        arguments
    }

    /// Takes an argument; `null`, an empty text and an empty list are as good as none.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Option<T> {
        self.taken(name, |raw| !matches!(raw, "null" | "\"\"" | "[]" | "{}"))
    }

    fn taken<T: DeserializeOwned>(&mut self, name: &'static str, says: fn(&str) -> bool) -> Option<T> {
        self.known.push(name);
        let mut values = self.members.extract_if(.., |(member, _)| member == name);
        let value = values.next()?.1;
        let is_repeated = values.count() > 0;
        if is_repeated {
            self.faults.push(format!("`{name}` is given twice"));
        }
        if !says(value.get().trim()) {
            return None;
        }
        match meant(value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.faults.push(format!("`{name}`: {}", without_place(&error)));
                None
            }
        }
    }

    pub(crate) fn renamed(&mut self, name: &str, others: &[&str]) {
        if self.members.iter().all(|(member, _)| member != name)
            && let Some((member, _)) = self.members.iter_mut().find(|(member, _)| others.contains(&&**member))
        {
            name.clone_into(member);
        }
    }

    pub(crate) fn need<T: DeserializeOwned + Default>(&mut self, name: &'static str) -> T {
        let before = self.faults.len();
        let value = self.taken(name, |raw| raw != "null");
        if value.is_none() && self.faults.len() == before {
            self.faults.push(format!("`{name}` is missing"));
        }
        value.unwrap_or_default()
    }

    pub(crate) fn wrong(&mut self, fault: String) {
        self.faults.push(fault);
    }

    pub(crate) fn finish(mut self) -> Result<Vec<String>, String> {
        let unknown = |name: &String| format!("there is no argument `{}`", shown(name));
        let (fatal, ignored): (Vec<_>, Vec<_>) =
            self.members.iter().map(|(name, _)| name).partition(|name| is_not_ignored(name));
        self.faults.extend(fatal.into_iter().map(unknown));
        let known: Vec<String> = self.known.iter().map(|name| format!("`{name}`")).collect();
        let known = known.join(", ");
        if self.faults.is_empty() {
            let note = |name| format!("NOTE: {}, it was ignored. The arguments are {known}.", unknown(name));
            return Ok(ignored.into_iter().take(TOLD).map(note).collect());
        }
        self.faults.extend(ignored.into_iter().map(unknown));
        let more = self.faults.len().saturating_sub(TOLD);
        self.faults.truncate(TOLD);
        let mut text = self.faults.join("; ");
        if more > 0 {
            text.push_str(&format!("; and {more} more"));
        }
        Err(format!("{text}. The arguments are {known}."))
    }
}

/// Returns whether a call with an argument `name`, which its tool does not have, means something else: it asks
/// for care, or for what is a user's.
fn is_not_ignored(name: &str) -> bool {
    let letters = letters(name);
    let mut of_users = clada_protocol::METHODS.iter().flat_map(|method| method.user_params);
    CAREFUL.iter().any(|part| letters.contains(part)) || of_users.any(|param| self::letters(param) == letters)
}

fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn meant<T: DeserializeOwned>(raw: &RawValue) -> Result<T, serde_json::Error> {
    let text = raw.get().trim();
    let error = match serde_json::from_str::<T>(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let value: Value = serde_json::from_str(text)?;
    forms(value).into_iter().find_map(|form| serde_json::from_value(form).ok()).ok_or(error)
}

fn forms(value: Value) -> Vec<Value> {
    match value {
        Value::String(text) => {
            let lower = text.trim().to_ascii_lowercase();
            let inner = serde_json::from_str::<Value>(text.trim()).or_else(|_| serde_json::from_str(&lower));
            let inner = inner.ok().filter(|inner| !inner.is_string()).map(whole);
            inner.into_iter().chain([Value::Array(vec![Value::String(text)])]).collect()
        }
        Value::Number(_) => {
            let number = whole(value);
            let text = Value::String(number.to_string());
            vec![number.clone(), text.clone(), Value::Array(vec![number]), Value::Array(vec![text])]
        }
        Value::Array(items) => {
            let texts = items.iter().map(|item| match item {
                Value::Number(_) | Value::Bool(_) => Value::String(item.to_string()),
                item => item.clone(),
            });
            let texts = Value::Array(texts.collect());
            let alone = (items.len() == 1).then(|| items.into_iter().next()).flatten();
            alone.into_iter().chain([texts]).collect()
        }
        value => vec![Value::Array(vec![value])],
    }
}

fn whole(value: Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() <= EXACT => {
            Value::from(number as i64)
        }
        _ => value,
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
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
