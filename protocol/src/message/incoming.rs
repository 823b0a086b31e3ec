//! The messages that a server reads: requests, notifications and batches of them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Id, VERSION};
use crate::{ErrorKind, RpcError};

/// A request, or a notification when it has no id.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Echoed by the answer; `None`: a notification, which is not answered.
    pub id: Option<Id>,
    /// The method's name.
    pub method: Cow<'a, str>,
    /// The parameters, unread; `None` if absent.
    pub params: Option<&'a RawValue>,
}

/// A message that is no request, with the parts of an answer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The id, where it can be read; else null.
    pub id: Id,
    /// `parse_error`, `invalid_request`, or `limit_exceeded` for a batch that is too large.
    pub error: RpcError,
}

/// A frame that was read.
#[derive(Debug, Clone)]
pub enum Incoming<'a> {
    /// One message.
    Single(Result<Request<'a>, Box<Invalid>>),
    /// A batch, never empty.
    Batch(Vec<Result<Request<'a>, Box<Invalid>>>),
}

/// Reads a frame, a batch of at most `batch` members. It never fails: the result holds the faults.
///
/// It refuses a larger batch before it reads the members: each of millions of them would cost an answer.
#[must_use]
pub fn parse_frame(frame: &[u8], batch: usize) -> Incoming<'_> {
    let text = match std::str::from_utf8(frame) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("the message is not UTF-8 (byte {})", error.valid_up_to());
            return Incoming::Single(Err(invalid(ErrorKind::ParseError, Id::NULL, message)));
        }
    };
    if !text.trim_ascii_start().starts_with('[') {
        return Incoming::Single(parse_request(text));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = BatchMembers { limit: batch }.deserialize(&mut reader);
    match members.and_then(|members| reader.end().map(|()| members)) {
        Ok(None) => {
            let message = format!("a batch is limited to {batch} requests");
            let mut refused = invalid(ErrorKind::LimitExceeded, Id::NULL, message);
            refused.error = refused.error.with("limit", "batch");
            Incoming::Single(Err(refused))
        }
        Ok(Some(members)) if members.is_empty() => {
            let message = "the batch is empty".to_owned();
            Incoming::Single(Err(invalid(ErrorKind::InvalidRequest, Id::NULL, message)))
        }
        Ok(Some(members)) => {
            Incoming::Batch(members.iter().map(|member| parse_request(member.get())).collect())
        }
        Err(error) => Incoming::Single(Err(not_json(&error))),
    }
}

fn parse_request(text: &str) -> Result<Request<'_>, Box<Invalid>> {
    let envelope = match serde_json::from_str::<MessageMembers<'_>>(text) {
        Ok(envelope) => envelope,
        Err(error) if error.is_data() => {
            // Valid JSON that is not an object.
            let message = "a request is a JSON object".to_owned();
            return Err(invalid(ErrorKind::InvalidRequest, Id::NULL, message));
        }
        Err(error) => return Err(not_json(&error)),
    };
    let id = envelope.id.map(|raw| Id::from_raw(raw).ok_or(()));
    let known = || match &id {
        Some(Ok(id)) if envelope.repeated != Some("id") => id.clone(),
        _ => Id::NULL,
    };
    let fail = |message: &str| Err(invalid(ErrorKind::InvalidRequest, known(), message.to_owned()));
    if let Some(key) = envelope.repeated {
        return fail(&format!("`{key}` is there twice"));
    }
    if matches!(id, Some(Err(()))) {
        return fail("`id` is a number, a string or null");
    }
    if string(envelope.jsonrpc).as_deref() != Some(VERSION) {
        return fail("`jsonrpc` must be \"2.0\"");
    }
    let Some(method) = envelope.method else {
        return fail("`method` is missing");
    };
    let Some(method) = string(Some(method)) else {
        return fail("`method` is a string");
    };
    match envelope.params.map(|params| params.get().as_bytes().first()) {
        None | Some(Some(b'{' | b'[' | b'n')) => {}
        Some(_) => return fail("`params` is an object"),
    }
    let id = id.and_then(Result::ok);
    Ok(Request { id, method, params: envelope.params.filter(|params| !is_nothing(params.get())) })
}

fn is_nothing(params: &str) -> bool {
    let inner = params.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    params == "null" || inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}

fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let text = raw?.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn invalid(kind: ErrorKind, id: Id, message: String) -> Box<Invalid> {
    Box::new(Invalid { id, error: RpcError::new(kind, message) })
}

fn not_json(error: &serde_json::Error) -> Box<Invalid> {
    invalid(ErrorKind::ParseError, Id::NULL, format!("the message is not JSON: {error}"))
}

struct BatchMembers {
    limit: usize,
}

impl<'de> DeserializeSeed<'de> for BatchMembers {
    type Value = Option<Vec<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for BatchMembers {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a batch")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while members.len() < self.limit {
            let Some(member) = sequence.next_element()? else { return Ok(Some(members)) };
            members.push(member);
        }
        let mut more = false;
        while sequence.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok((!more).then_some(members))
    }
}

/// Unknown ones are ignored, as JSON-RPC extensions need.
#[derive(Default)]
struct MessageMembers<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    repeated: Option<&'static str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for MessageMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = MessageMembers<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MessageMembers<'de>, A::Error> {
        let mut envelope = MessageMembers::default();
        while let Some(MemberName(key)) = map.next_key()? {
            let (name, place) = match &*key {
                "jsonrpc" => ("jsonrpc", &mut envelope.jsonrpc),
                "id" => ("id", &mut envelope.id),
                "method" => ("method", &mut envelope.method),
                "params" => ("params", &mut envelope.params),
                _ => {
                    map.next_value::<&RawValue>()?;
                    continue;
                }
            };
            if place.replace(map.next_value()?).is_some() {
                envelope.repeated.get_or_insert(name);
            }
        }
        Ok(envelope)
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BATCH: usize = 8;

    fn single(frame: &str) -> Result<Request<'_>, Box<Invalid>> {
        match parse_frame(frame.as_bytes(), BATCH) {
            Incoming::Single(result) => result,
            Incoming::Batch(_) => panic!("a batch"),
        }
    }

    fn refused(frame: &str) -> (String, ErrorKind) {
        let invalid = single(frame).unwrap_err();
        (invalid.id.as_json().to_owned(), invalid.error.kind().unwrap())
    }

    #[test]
    fn requests_and_notifications() {
        let request =
            single(r#" {"params":{"a":1},"method":"m\u0065","id":-1.50,"jsonrpc":"2.0","x":[{}]} "#).unwrap();
        assert_eq!(request.method, "me");
        assert_eq!(request.id.unwrap().as_json(), "-1.50");
        assert_eq!(request.params.unwrap().get(), r#"{"a":1}"#);
        let notification = single(r#"{"jsonrpc":"2.0","method":"m","params":null}"#).unwrap();
        assert!(notification.id.is_none() && notification.params.is_none());
        for nothing in ["null", "[]", "[ \n]"] {
            let request = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{nothing}}}"#);
            assert!(single(&request).unwrap().params.is_none(), "{nothing}");
        }
        assert!(single(r#"{"jsonrpc":"2.0","method":"m","params":[[]]}"#).unwrap().params.is_some());
        assert_eq!(single(r#"{"jsonrpc":"2.0","method":"m","id":null}"#).unwrap().id, Some(Id::NULL));
        assert_eq!(single(r#"{"jsonrpc":"2.0","me\u0074hod":"m"}"#).unwrap().method, "m");
    }

    #[test]
    fn what_is_no_request_is_said_with_the_id_where_it_can_be_read() {
        use ErrorKind::{InvalidRequest, ParseError};
        for (frame, id, kind) in [
            ("{", "null", ParseError),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m"} x"#, "null", ParseError),
            ("[", "null", ParseError),
            ("1", "null", InvalidRequest),
            ("[]", "null", InvalidRequest),
            (r#"{"id":7}"#, "7", InvalidRequest),
            (r#"{"jsonrpc":"1.0","id":"a","method":"m"}"#, "\"a\"", InvalidRequest),
            (r#"{"jsonrpc":2.0,"id":7,"method":"m"}"#, "7", InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, "7", InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":3}"#, "7", InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","method":"n"}"#, "7", InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"m"}"#, "null", InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":[7],"method":"m"}"#, "null", InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, "null", InvalidRequest),
        ] {
            assert_eq!(refused(frame), (id.to_owned(), kind), "{frame}");
        }
        let Incoming::Single(Err(invalid)) = parse_frame(b"{\"a\xff\":1}", BATCH) else { panic!("accepted") };
        assert_eq!(invalid.error.kind(), Some(ParseError));
    }

    #[test]
    fn batches_keep_good_and_bad_members() {
        let frame = br#"[1,{"jsonrpc":"2.0","method":"m","id":1},[]]"#;
        let Incoming::Batch(members) = parse_frame(frame, BATCH) else { panic!("no batch") };
        assert!(members[0].is_err() && members[1].is_ok() && members[2].is_err());
    }

    #[test]
    fn regression_a_batch_that_is_too_large_is_refused_unread() {
        let members = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        assert!(
            matches!(parse_frame(members(BATCH).as_bytes(), BATCH), Incoming::Batch(all) if all.len() == BATCH)
        );
        for (frame, kind) in [
            (members(BATCH + 1), ErrorKind::LimitExceeded),
            (members(1_000_000), ErrorKind::LimitExceeded),
            (members(BATCH + 1) + " x", ErrorKind::ParseError),
            ("[1,1,1,1,1,1,1,1,1,{]".to_owned(), ErrorKind::ParseError),
        ] {
            let Incoming::Single(Err(refused)) = parse_frame(frame.as_bytes(), BATCH) else {
                panic!("taken")
            };
            assert_eq!(refused.error.kind(), Some(kind));
        }
    }

    #[test]
    fn depth_does_not_overflow_the_stack() {
        let depth = 1_000_000;
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{nested}}}"#);
        assert_eq!(single(&request).unwrap().params.unwrap().get().len(), 2 * depth);
        assert!(single(&format!(r#"{{"id":{nested}}}"#)).is_err());
        assert!(
            matches!(parse_frame(nested.as_bytes(), BATCH), Incoming::Batch(members) if members[0].is_err())
        );
        assert!(matches!(parse_frame("[".repeat(depth).as_bytes(), BATCH), Incoming::Single(Err(_))));
        assert!(single(&"{\"a\":".repeat(depth)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_frame(&bytes, BATCH);
        }

        #[test]
        fn any_integer_id_is_echoed(id in any::<i128>()) {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
            let echoed = single(&frame).unwrap().id.unwrap();
            prop_assert_eq!(echoed.as_json(), id.to_string());
        }
    }
}
