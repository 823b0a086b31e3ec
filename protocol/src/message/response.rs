//! The messages that a client reads and that both sides write.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Id, VERSION};
use crate::RpcError;
use crate::method::{CallSettings, MethodInfo, SETTINGS, method_info};

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct Response {
    /// The id of the request; null when it could not be read.
    pub id: Id,
    /// The result as it came, or the error.
    pub outcome: Result<Box<RawValue>, RpcError>,
}

/// The parameters of a notification, as they came: many are large, so that only their reader parses them.
#[derive(Debug, Clone)]
pub struct NotificationParams(String);

impl NotificationParams {
    /// Returns the parameters as their type.
    ///
    /// # Errors
    /// They are not JSON, or not of that type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

/// A message that a server sends.
#[derive(Debug, Clone)]
pub enum ServerMessage {
    /// The answer to a request.
    Response(Response),
    /// The answers to a batch, in any order.
    Batch(Vec<Response>),
    /// A notification: method and parameters.
    Notification {
        /// The method's name.
        method: String,
        /// The parameters as they came.
        params: Option<NotificationParams>,
    },
}

impl ServerMessage {
    /// Reads what a server sent.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the message.
    pub fn parse(frame: &[u8]) -> Result<ServerMessage, String> {
        if frame.trim_ascii_start().starts_with(b"[") {
            let members: Vec<ResponseMembers> =
                serde_json::from_slice(frame).map_err(|error| error.to_string())?;
            return members
                .into_iter()
                .map(ResponseMembers::into_response)
                .collect::<Result<_, _>>()
                .map(Self::Batch);
        }
        if let Some(notification) = ServerMessage::plain_notification(frame) {
            return Ok(notification);
        }
        let members: ResponseMembers = serde_json::from_slice(frame).map_err(|error| error.to_string())?;
        match members.method {
            Some(method) => {
                let params = members.params.map(|params| NotificationParams(params.get().to_owned()));
                Ok(ServerMessage::Notification { method, params })
            }
            None => members.into_response().map(ServerMessage::Response),
        }
    }

    fn plain_notification(frame: &[u8]) -> Option<ServerMessage> {
        let rest = frame.strip_prefix(br#"{"jsonrpc":"2.0","method":""#)?;
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        let (method, rest) = rest.split_at(end);
        let params = rest.strip_prefix(br#"","params":"#)?.trim_ascii_end().strip_suffix(b"}")?;
        let method = String::from_utf8(method.to_vec()).ok()?;
        let params = String::from_utf8(params.to_vec()).ok().map(NotificationParams);
        params.map(|params| ServerMessage::Notification { method, params: Some(params) })
    }
}

#[derive(Deserialize)]
struct ResponseMembers {
    #[serde(default, deserialize_with = "present")]
    id: Option<Id>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    error: Option<RpcError>,
}

/// Reads a value so that `null` differs from absence.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

impl ResponseMembers {
    fn into_response(self) -> Result<Response, String> {
        let id = self.id.ok_or("the answer has no `id`")?;
        let outcome = match (self.result, self.error) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(error),
            _ => return Err("an answer has either `result` or `error`".to_owned()),
        };
        Ok(Response { id, outcome })
    }
}

#[derive(Serialize)]
struct OutgoingCall<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    method: &'a str,
    params: &'a P,
}

/// Returns the JSON of a request.
///
/// # Errors
///
/// An error if `params` cannot be JSON (a map with keys that are not strings, say).
pub fn request_json<P: Serialize>(id: &Id, method: &str, params: &P) -> Result<String, serde_json::Error> {
    serde_json::to_string(&OutgoingCall { jsonrpc: VERSION, id: Some(id), method, params })
}

/// Returns the JSON of a request that has `settings` of its own, if it is of a method that takes some.
///
/// # Errors
///
/// As [`request_json`].
pub fn request_json_with<P: Serialize>(
    id: &Id,
    method: &str,
    params: &P,
    settings: &CallSettings,
) -> Result<String, serde_json::Error> {
    if settings.is_empty() || !method_info(method).is_some_and(MethodInfo::takes_settings) {
        return request_json(id, method, params);
    }
    let params = serde_json::to_string(params)?;
    let rest = params.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    let settings = serde_json::to_string(settings)?;
    let params = RawValue::from_string(format!("{{\"{SETTINGS}\":{settings}{comma}{rest}"))?;
    request_json(id, method, &params)
}

/// Returns the JSON of a notification.
///
/// # Errors
///
/// As [`request_json`].
pub fn notification_json<P: Serialize>(method: &str, params: &P) -> Result<String, serde_json::Error> {
    serde_json::to_string(&OutgoingCall { jsonrpc: VERSION, id: None, method, params })
}

/// Returns the JSON of an answer: `result` is the JSON of the result.
#[must_use]
pub fn response_json(id: &Id, outcome: Result<&str, &RpcError>) -> String {
    let id = id.as_json();
    match outcome {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => {
            let data = serde_json::Value::Object(error.data.clone());
            let message = serde_json::Value::from(error.message.as_str());
            let code = error.code;
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message},"data":{data}}}}}"#
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn what_is_written_is_read() {
        let id = Id::from_json("-1.50").unwrap();
        let error = RpcError::new(ErrorKind::Busy, "no room\n").hint("wait");
        let Ok(ServerMessage::Response(read)) =
            ServerMessage::parse(response_json(&id, Err(&error)).as_bytes())
        else {
            panic!("no response")
        };
        assert_eq!((read.id, read.outcome.unwrap_err()), (id.clone(), error));
        let Ok(ServerMessage::Response(read)) =
            ServerMessage::parse(response_json(&Id::NULL, Ok("null")).as_bytes())
        else {
            panic!("no response")
        };
        assert_eq!(read.outcome.unwrap().get(), "null");
        let json = notification_json("event", &[1]).unwrap();
        // As it is written here, and as another server may write it.
        for json in [json.as_str(), r#"{ "method": "event", "params": [1], "jsonrpc": "2.0" }"#] {
            let Ok(ServerMessage::Notification { method, params }) = ServerMessage::parse(json.as_bytes())
            else {
                panic!("no notification")
            };
            assert_eq!((method.as_str(), params.unwrap().read::<Vec<u8>>().unwrap()), ("event", vec![1]));
        }
        let bare = ServerMessage::parse(br#"{"jsonrpc":"2.0","method":"event"}"#);
        assert!(matches!(bare, Ok(ServerMessage::Notification { params: None, .. })));
        let json = request_json(&id, "m", &serde_json::json!({"a": 1})).unwrap();
        assert_eq!(json, r#"{"jsonrpc":"2.0","id":-1.50,"method":"m","params":{"a":1}}"#);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for frame in
            ["", "{}", r#"{"id":1}"#, r#"{"id":1,"result":1,"error":{"code":1,"message":""}}"#, "[1]"]
        {
            assert!(ServerMessage::parse(frame.as_bytes()).is_err(), "{frame}");
        }
    }
}
