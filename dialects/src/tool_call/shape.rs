//! The shapes in which a call is written as JSON (spec: answers, section 3): a name, its arguments, perhaps
//! an id.
//!
//! Takes trees apart and knows neither the tools nor their effects.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::{Json, Kind};

const ARGUMENTS: [&str; 5] = ["input", "arguments", "args", "parameters", "params"];
const OTHER_TOOL_KEYS: [&str; 2] = ["tool", "tool_name"];
const ID_KEYS: [&str; 3] = ["id", "call_id", "tool_call_id"];
const LONGEST_ID: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) id: Option<&'a str>,
    pub(super) arguments: Vec<(Cow<'a, str>, Json<'a>)>,
    pub(super) at: Range<usize>,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
}

pub(super) fn calls(value: Json<'_>) -> Vec<Written<'_>> {
    match value.kind {
        Kind::List(items) => items.into_iter().filter_map(call).collect(),
        Kind::Object(members) => match members.iter().position(|(name, _)| name == "tool_calls") {
            Some(index) => {
                let calls = members.into_iter().nth(index).map(|(_, calls)| calls.kind);
                let Some(Kind::List(items)) = calls else { return Vec::new() };
                items.into_iter().filter_map(call).collect()
            }
            None => call(Json { kind: Kind::Object(members), ..value }).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

/// The name of the tool that `value` calls with its arguments alongside the name, and the path among them:
/// this shape is not read.
pub(super) fn call_with_flat_arguments<'v>(value: &'v Json<'_>) -> Option<(&'v str, Option<&'v str>)> {
    let text = |name: &&str| value.member(name).and_then(Json::text);
    let name = OTHER_TOOL_KEYS.iter().find_map(text)?;
    let path = ["path", "file_path", "filePath", "target_file"].iter().find_map(text);
    ARGUMENTS.iter().all(|name| value.member(name).is_none()).then_some((name, path))
}

pub(super) fn is_result(value: &Json<'_>) -> bool {
    if let Kind::List(items) = &value.kind {
        return items.iter().any(is_result);
    }
    let says = |name: &str, words: &[&str]| {
        value.member(name).and_then(Json::text).is_some_and(|text| words.contains(&text))
    };
    says("type", &["tool_result", "function_call_output", "tool_output", "function_response"])
        || says("role", &["tool", "function"])
        || value.member("tool_use_id").is_some()
        || value
            .member("content")
            .is_some_and(|content| matches!(content.kind, Kind::List(_)) && is_result(content))
}

fn call(value: Json<'_>) -> Option<Written<'_>> {
    let (at, start_line, end_line) = (value.at, value.span.line, value.end_line);
    let Kind::Object(mut members) = value.kind else { return None };
    let id = ID_KEYS.iter().find_map(|name| take(&mut members, name)).and_then(|id| match id.kind {
        Kind::Text(Cow::Borrowed(id)) => Some(id).filter(|id| is_id(id)),
        _ => None,
    });
    for name in ["function", "function_call", "functionCall"] {
        if members.iter().any(|(other, value)| other == name && matches!(value.kind, Kind::Object(_))) {
            let Kind::Object(inner) = take(&mut members, name)?.kind else { return None };
            members = inner;
            break;
        }
    }
    let named = OTHER_TOOL_KEYS
        .iter()
        .find_map(|tool| take(&mut members, tool))
        .or_else(|| take(&mut members, "name"))?;
    let Kind::Text(name) = named.kind else { return None };
    let arguments = arguments_from(ARGUMENTS.iter().find_map(|name| take(&mut members, name))?)?;
    Some(Written { name, id, arguments, at, start_line, end_line })
}

fn arguments_from(value: Json<'_>) -> Option<Vec<(Cow<'_, str>, Json<'_>)>> {
    let value = match value.kind {
        Kind::Text(text) => Json::of_text(&text, value.span)?.owned(),
        kind => Json { kind, ..value },
    };
    match value.kind {
        Kind::Object(members) => Some(members),
        _ => None,
    }
}

fn take<'a>(members: &mut Vec<(Cow<'a, str>, Json<'a>)>, name: &str) -> Option<Json<'a>> {
    let index = members.iter().position(|(other, _)| other == name)?;
    Some(members.remove(index).1)
}

fn is_id(text: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, ids and names of arguments of the calls in `text`.
    fn described(text: &str) -> Vec<String> {
        let calls = calls(Json::read(text, 0, (1, 0)).unwrap());
        let call = |call: Written<'_>| {
            let arguments: Vec<_> = call.arguments.iter().map(|(name, _)| name.as_ref()).collect();
            format!("{} {} {}", call.name, call.id.unwrap_or("-"), arguments.join(","))
        };
        calls.into_iter().map(call).collect()
    }

    #[test]
    fn every_shape_is_taken_apart() {
        for text in [
            r#"{"type":"tool_use","id":"t_1","name":"Edit","input":{"a":1,"b":2}}"#,
            r#"{"name":"Edit","arguments":"{\"a\":1,\"b\":2}","call_id":"t_1"}"#,
            r#"[{"tool":"Edit","params":{"a":1,"b":2},"id":"t_1"}]"#,
            r#"{"role":"assistant","tool_calls":[{"id":"t_1","type":"function","function":{"name":"Edit","arguments":"{\"a\":1,\"b\":2}"}}]}"#,
            r#"{"id":"t_1","function_call":{"name":"Edit","args":{"a":1,"b":2}}}"#,
            r#"{"id":"t_1","functionCall":{"name":"Edit","args":{"a":1,"b":2}}}"#,
        ] {
            assert_eq!(described(text), ["Edit t_1 a,b"], "{text}");
        }
        assert_eq!(described(r#"{"name":"x","input":{},"id":"no id"}"#), ["x - "]);
        for text in [
            r#"{"name":"Edit","a":1}"#,
            r#"{"tool":"Edit","a":1,"b":2}"#,
            r#"{"path":"a","content":"b"}"#,
            r#"{"name":"x","input":"y"}"#,
            "[1]",
        ] {
            assert!(described(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn results_are_distinguished_from_calls() {
        for text in [
            r#"{"type":"tool_result","tool_use_id":"t"}"#,
            r#"{"role":"tool","content":"ok"}"#,
            r#"{"role":"user","content":[{"type":"tool_result"}]}"#,
        ] {
            assert!(is_result(&Json::read(text, 0, (1, 0)).unwrap()), "{text}");
        }
        assert!(!is_result(&Json::read(r#"{"type":"tool_use"}"#, 0, (1, 0)).unwrap()));
    }
}
