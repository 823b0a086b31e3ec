//! The error object of a response.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ErrorKind;

/// A failed request: code and message as JSON-RPC has them, and `data: {kind, …facts, hint?}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RpcError {
    /// [`ErrorKind::code`].
    pub code: i32,
    /// A sentence that says what happened, where, and what to do next.
    pub message: String,
    /// `kind`, the facts by name, and a `hint` where there is one.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl RpcError {
    /// Returns an error of `kind` that says `message`.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> RpcError {
        let mut data = Map::new();
        data.insert("kind".to_owned(), Value::from(kind.name()));
        RpcError { code: kind.code(), message: message.into(), data }
    }

    /// Adds a fact to `data`.
    #[must_use]
    pub fn with(mut self, name: &str, fact: impl Into<Value>) -> RpcError {
        self.data.insert(name.to_owned(), fact.into());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> RpcError {
        self.with("hint", hint.into())
    }

    /// Returns the kind, if it is one that this version knows.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        let name = self.data.get("kind")?.as_str()?;
        ErrorKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)?;
        if let Some(hint) = self.data.get("hint").and_then(Value::as_str) {
            write!(formatter, "\n  {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RpcError {}
