//! `rpc.discover`: the document of this protocol, as OpenRPC has it.
//!
//! The document is made of the types here, by the example `openrpc`; a test holds it current.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The document, as it lies in the sources: with line ends and indentation.
pub const OPENRPC: &str = include_str!("../openrpc.json");

/// Parameters of `rpc.discover`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscoverParams {}

/// Result of `rpc.discover`: the document, which is read once and shared from then on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DiscoverResult(Arc<RawValue>);

impl DiscoverResult {
    /// Returns the document of this version, on one line.
    #[must_use]
    pub fn current() -> DiscoverResult {
        static DOCUMENT: LazyLock<Arc<RawValue>> = LazyLock::new(|| {
            let document =
                serde_json::from_str::<Value>(OPENRPC).and_then(|document| to_raw_value(&document));
            document.unwrap_or_else(|_| RawValue::NULL.to_owned()).into()
        });
        DiscoverResult(Arc::clone(&DOCUMENT))
    }

    /// Returns the document as JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_sent_whole_and_on_one_line() {
        let sent = DiscoverResult::current();
        assert!(!sent.json().contains('\n'));
        let read = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        assert_eq!(read(sent.json()), read(OPENRPC));
        assert_eq!(read(sent.json())["openrpc"], "1.4.1");
    }
}
