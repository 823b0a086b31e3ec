//! Parameters by name: raw JSON to the type of a method, with errors that a user can act on.
//!
//! Serde is driven directly, so that the names a type knows, the missing names and the place of a wrong value
//! come as data, not as text to be searched.

use std::fmt;

use clada_protocol::method::{CallSettings, SETTINGS};
use clada_protocol::{CallerKind, ErrorKind, MethodInfo, RpcError};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The most parameters: an object with more than any method takes is refused unread.
const MOST: usize = 1_000;
const LISTED: usize = 10;
const SHOWN: usize = 500;
/// The longest name, in bytes, that can be a slip for a known one: comparing takes time and memory in its
/// length.
const COMPARED: usize = 80;

pub(super) fn read<P: DeserializeOwned>(
    method: &MethodInfo,
    caller: CallerKind,
    raw: Option<&str>,
) -> Result<(P, CallSettings), RpcError> {
    let (members, settings) = members_and_settings(method, caller, raw)?;
    let params = P::deserialize(NamedParams { members }).map_err(|fault| fault.into_error(method))?;
    Ok((params, settings))
}

fn members_and_settings<'a>(
    method: &MethodInfo,
    caller: CallerKind,
    raw: Option<&'a str>,
) -> Result<(ParamMembers<'a>, CallSettings), RpcError> {
    let json = raw.unwrap_or("{}");
    if json.starts_with('[') {
        return Err(invalid(method, "parameters are given by name, in an object"));
    }
    let mut members: ParamMembers<'_> =
        serde_json::from_str(json).map_err(|error| invalid(method, &error.to_string()))?;
    // Parsers differ in which of two values wins, so what was approved may not be what runs.
    if let Some(name) = members.repeated().map(|name| cut(name.to_owned())) {
        return Err(invalid(method, &format!("`{name}` is given twice")).with("parameter", name));
    }
    if caller < CallerKind::Person {
        let reserved = members.0.iter().find(|(name, _)| method.is_user_param(name));
        if let Some((name, _)) = reserved {
            let message = format!("only a person may give `{name}`");
            return Err(invalid(method, &message).with("parameter", name.as_str()));
        }
    }
    // Taken out first: the parameters of a method refuse names that they do not know.
    let settings_json = if method.takes_settings() { members.take(SETTINGS) } else { None };
    let settings = match settings_json {
        Some(settings) => serde_json::from_str(settings.get()).map_err(|_| {
            invalid(method, &format!("`{SETTINGS}` is an object of keys and values"))
                .with("parameter", SETTINGS)
        })?,
        None => CallSettings::default(),
    };
    Ok((members, settings))
}

fn invalid(method: &MethodInfo, message: &str) -> RpcError {
    RpcError::new(ErrorKind::InvalidParams, format!("{}: {message}", method.name))
}

struct ParamMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'a> ParamMembers<'a> {
    fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let index = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(index).1)
    }

    fn repeated(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }
}

impl<'de> serde::Deserialize<'de> for ParamMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = ParamMembers<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ParamMembers<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if members.len() == MOST {
                        return Err(serde::de::Error::custom("more parameters than any method takes"));
                    }
                    members.push((name, map.next_value()?));
                }
                Ok(ParamMembers(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{self:?}")]
enum ParamsFault {
    Unknown { names: Vec<String>, known: &'static [&'static str] },
    Missing(&'static str),
    Other(String),
}

impl ParamsFault {
    fn into_error(self, method: &MethodInfo) -> RpcError {
        match self {
            ParamsFault::Missing(name) => {
                invalid(method, &format!("`{name}` is missing")).with("parameter", name)
            }
            ParamsFault::Other(message) => invalid(method, &cut(message)),
            ParamsFault::Unknown { mut names, known } => {
                let plural = if names.len() == 1 { "parameter" } else { "parameters" };
                let more = names.len().saturating_sub(LISTED);
                names.truncate(LISTED);
                let names: Vec<String> = names.into_iter().map(cut).collect();
                let listed = list(names.iter().map(String::as_str));
                let more = clada_protocol::and_more(more);
                let error = invalid(method, &format!("unknown {plural} {listed}{more}"))
                    .with("parameters", names.clone())
                    .with("known", known.to_vec());
                let nearest: Vec<&str> = names.iter().filter_map(|name| nearest(name, known)).collect();
                match (nearest.is_empty(), known.is_empty()) {
                    (false, _) => error.hint(format!("did you mean {}?", list(nearest.into_iter()))),
                    (true, false) => error.hint(format!("it takes {}", list(known.iter().copied()))),
                    (true, true) => error.hint("it takes no parameters"),
                }
            }
        }
    }
}

fn cut(mut text: String) -> String {
    // Messages of serde quote whole values.
    if text.len() > SHOWN {
        text.truncate(text.floor_char_boundary(SHOWN));
        text.push('…');
    }
    text
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{}`", name.escape_debug())).collect::<Vec<_>>().join(", ")
}

pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a &'a str>) -> Option<&'a str> {
    if name.len() > COMPARED {
        return None;
    }
    let folded = |text: &str| text.replace(['_', '-', '.'], "").to_lowercase();
    let name = folded(name);
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&name, &folded(known)), *known))
        .filter(|(distance, known)| *distance <= (known.len() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

impl serde::de::Error for ParamsFault {
    fn custom<T: fmt::Display>(message: T) -> ParamsFault {
        ParamsFault::Other(message.to_string())
    }

    fn missing_field(name: &'static str) -> ParamsFault {
        ParamsFault::Missing(name)
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> ParamsFault {
        ParamsFault::Unknown { names: vec![name.to_owned()], known }
    }
}

struct NamedParams<'a> {
    members: ParamMembers<'a>,
}

impl<'de> Deserializer<'de> for NamedParams<'de> {
    type Error = ParamsFault;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParamsFault> {
        let unknown =
            self.members.0.iter().map(|(name, _)| name.as_str()).filter(|name| !known.contains(name));
        let names: Vec<String> = unknown.map(str::to_owned).collect();
        if !names.is_empty() {
            return Err(ParamsFault::Unknown { names, known });
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamsFault> {
        visitor.visit_map(Values { members: self.members.0.into_iter(), value: None })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Values<'de> {
    members: std::vec::IntoIter<(String, &'de RawValue)>,
    value: Option<(String, &'de RawValue)>,
}

impl<'de> MapAccess<'de> for Values<'de> {
    type Error = ParamsFault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ParamsFault> {
        let Some((name, value)) = self.members.next() else { return Ok(None) };
        let key = seed.deserialize(name.as_str().into_deserializer())?;
        self.value = Some((name, value));
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ParamsFault> {
        let Some((name, value)) = self.value.take() else {
            return Err(ParamsFault::Other("a value without a name".to_owned()));
        };
        seed.deserialize(&mut serde_json::Deserializer::from_str(value.get())).map_err(|error| {
            let text = error.to_string();
            // The position counts from the value, which the sender never saw alone.
            let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
            ParamsFault::Other(format!("`{name}`: {text}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use clada_protocol::Method;
    use clada_protocol::method::{Execute, SessionGet, Status};
    use serde_json::{Value, json};

    use super::*;

    fn try_read<M: Method>(caller: CallerKind, params: &str) -> Result<M::Params, RpcError> {
        read::<M::Params>(&M::INFO, caller, Some(params)).map(|(params, _)| params)
    }

    fn fault<M: Method>(caller: CallerKind, params: &str) -> (String, Value)
    where
        M::Params: fmt::Debug,
    {
        let error = try_read::<M>(caller, params).unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::InvalidParams));
        (error.message.clone(), Value::Object(error.data))
    }

    #[test]
    fn good_parameters() {
        let params =
            try_read::<Execute>(CallerKind::Person, r#"{"root":"/p","text":"x","allowEscape":true}"#);
        let params = params.unwrap();
        assert!(params.allow_escape && params.root == "/p" && params.text.as_deref() == Some("x"));
        assert!(
            read::<clada_protocol::handshake::StatusParams>(&Status::INFO, CallerKind::Agent, None).is_ok()
        );
    }

    #[test]
    fn unknown_ones_are_all_named_and_the_nearest_suggested() {
        let (message, data) = fault::<SessionGet>(CallerKind::Person, r#"{"root":"/","sesion":"x","zzz":1}"#);
        assert_eq!(message, "session.get: unknown parameters `sesion`, `zzz`");
        assert_eq!(data["parameters"], json!(["sesion", "zzz"]));
        assert_eq!(data["hint"], "did you mean `session`?");
        let (_, data) = fault::<Status>(CallerKind::Person, r#"{"x":1}"#);
        assert_eq!(data["hint"], "it takes no parameters");
        let (_, data) = fault::<Execute>(CallerKind::Person, r#"{"root":"/","dry_run":true}"#);
        assert_eq!(data["hint"], "did you mean `dryRun`?");
    }

    #[test]
    fn missing_repeated_wrong_and_positional_ones() {
        let (message, data) = fault::<SessionGet>(CallerKind::Person, "{}");
        assert_eq!(message, "session.get: `root` is missing");
        assert_eq!(data["parameter"], "root");
        let (message, _) = fault::<SessionGet>(CallerKind::Person, r#"{"root":"a","root":"b"}"#);
        assert_eq!(message, "session.get: `root` is given twice");
        let (message, _) = fault::<Execute>(CallerKind::Person, r#"{"root":"/","totalTimeoutMs":"soon"}"#);
        assert!(message.starts_with("execute: `totalTimeoutMs`: invalid type: string"), "{message}");
        assert!(!message.contains("line"), "{message}");
        let (message, _) = fault::<SessionGet>(CallerKind::Person, r#"["/"]"#);
        assert!(message.contains("by name"), "{message}");
    }

    #[test]
    fn what_is_a_persons_is_refused_to_an_agent() {
        for name in ["allowEscape", "approve", "again", "includeSecrets"] {
            let params = format!(r#"{{"root":"/","text":"","{name}":false}}"#);
            let (message, _) = fault::<Execute>(CallerKind::Agent, &params);
            assert_eq!(message, format!("execute: only a person may give `{name}`"));
        }
        assert!(try_read::<Execute>(CallerKind::Agent, r#"{"root":"/","text":""}"#).is_ok());
    }

    #[test]
    fn settings_are_a_persons_and_go_with_methods_that_use_some() {
        let params = r#"{"settings":{"git.mode":"off","denied":["x"]},"root":"/"}"#;
        let (read, settings) =
            read::<<SessionGet as Method>::Params>(&SessionGet::INFO, CallerKind::Person, Some(params))
                .unwrap();
        assert_eq!((read.root.as_str(), settings["denied"].to_string().as_str()), ("/", r#"["x"]"#));
        let (message, _) = fault::<SessionGet>(CallerKind::Agent, params);
        assert_eq!(message, "session.get: only a person may give `settings`");
        let (message, _) = fault::<SessionGet>(CallerKind::Person, r#"{"settings":1,"root":"/"}"#);
        assert_eq!(message, "session.get: `settings` is an object of keys and values");
        let (message, _) = fault::<Status>(CallerKind::Person, r#"{"settings":{}}"#);
        assert_eq!(message, "status: unknown parameter `settings`");
    }

    #[test]
    fn regression_an_error_stays_small_whatever_it_is_about() {
        let long = "x".repeat(1 << 20);
        let many: Vec<String> = (0..900).map(|n| format!("\"n{n}\":1")).collect();
        let too_many: Vec<String> = (0..2 * MOST).map(|n| format!("\"n{n}\":1")).collect();
        for params in [
            format!(r#"{{"{long}":1}}"#),
            format!(r#"{{"{long}":1,"{long}":1}}"#),
            format!(r#"{{"root":"/","text":"","totalTimeoutMs":"{long}é"}}"#),
            format!("{{{}}}", many.join(",")),
            format!("{{{}}}", too_many.join(",")),
        ] {
            let (message, data) = fault::<Execute>(CallerKind::Person, &params);
            assert!(message.len() < 8_000 && data.to_string().len() < 8_000, "{}", message.len());
        }
        let (message, _) = fault::<Execute>(CallerKind::Person, &format!("{{{}}}", many.join(",")));
        assert!(message.ends_with("`n9` and 890 more"), "{message}");
    }

    #[test]
    fn depth_is_an_error() {
        let nested = format!(r#"{{"root":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(try_read::<SessionGet>(CallerKind::Person, &nested).is_err());
        let nested = format!(r#"{{"approve":{}{},"root":""}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(try_read::<Execute>(CallerKind::Person, &nested).is_err());
    }
}
