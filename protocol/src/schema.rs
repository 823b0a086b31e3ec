//! JSON schemas of the types whose JSON is written by hand, and of all methods and notifications together.
//!
//! Compiled for the document of the protocol alone (feature `schema`). Everything else derives its schema.
//! Must not know how the document looks; the example `openrpc` makes it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::discover::DiscoverResult;
pub use crate::method::MethodSchemas;
use crate::notification::{NOTIFICATIONS, NotificationInfo};
use crate::params::{Approve, FoundLine, ListedEntry, Parameters, SharedText};
use crate::params::{
    EMBED_EVENT, EXECUTE_EVENT, EmbedEvent, ExecuteEvent, PROJECT_EVENT, ProjectEvent, WAITING, Waiting,
};
use crate::{ErrorKind, Id, RpcError};

/// Returns every method with the schemas of its types: `params` is asked about what is read, `results` about
/// what is written.
#[must_use]
pub fn methods(params: &mut SchemaGenerator, results: &mut SchemaGenerator) -> Vec<MethodSchemas> {
    crate::method::schemas(params, results)
}

/// Returns every notification with the schema of its parameters, which are written.
#[must_use]
pub fn notifications(written: &mut SchemaGenerator) -> Vec<(NotificationInfo, Schema)> {
    let mut schema = |info: &NotificationInfo| match info.name {
        EXECUTE_EVENT => written.subschema_for::<ExecuteEvent>(),
        EMBED_EVENT => written.subschema_for::<EmbedEvent<'_>>(),
        PROJECT_EVENT => written.subschema_for::<ProjectEvent>(),
        WAITING => written.subschema_for::<Waiting>(),
        _ => Schema::default(),
    };
    NOTIFICATIONS.iter().map(|info| (*info, schema(info))).collect()
}

impl JsonSchema for DiscoverResult {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "DiscoverResult".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "An OpenRPC document.", "type": "object" })
    }
}

impl JsonSchema for ErrorKind {
    fn schema_name() -> Cow<'static, str> {
        "ErrorKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let kinds = ErrorKind::ALL;
        let codes: serde_json::Map<String, Value> =
            kinds.iter().map(|kind| (kind.name().to_owned(), kind.code().into())).collect();
        json_schema!({
            "description": "The kind of a failure. A kind keeps its name and its code; later versions add some.",
            "type": "string",
            "enum": kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "x-codes": codes,
            "x-descriptions": kinds.iter().map(|kind| kind.summary()).collect::<Vec<_>>(),
        })
    }
}

impl JsonSchema for RpcError {
    fn schema_name() -> Cow<'static, str> {
        "RpcError".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kind = generator.subschema_for::<ErrorKind>();
        json_schema!({
            "description": "The error of a request.",
            "type": "object",
            "properties": {
                "code": { "description": "The number of the kind.", "type": "integer" },
                "message": {
                    "description": "A sentence that says what happened, where, and what to do next.",
                    "type": "string",
                },
                "data": {
                    "description": "The kind, and facts by name.",
                    "type": "object",
                    "properties": {
                        "kind": kind,
                        "hint": { "description": "The next step, as advice.", "type": "string" },
                    },
                    "required": ["kind"],
                },
            },
            "required": ["code", "message", "data"],
        })
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The id of a request, as it was written.",
            "type": ["string", "number", "null"],
        })
    }
}

impl JsonSchema for SharedText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SharedText".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl JsonSchema for Parameters {
    fn schema_name() -> Cow<'static, str> {
        "Parameters".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The parameters of an action, by their names in the schema of actions.",
            "type": "object",
            "additionalProperties": true,
        })
    }
}

impl JsonSchema for Approve {
    fn schema_name() -> Cow<'static, str> {
        "Approve".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The user's approvals.",
            "oneOf": [
                {
                    "description": "Only what is on the lists of approved things: the default.",
                    "type": "string",
                    "const": "listed",
                },
                { "description": "Everything in this call.", "type": "string", "const": "all" },
                { "description": "These approvals, by id.", "type": "array", "items": { "type": "string" } },
            ],
        })
    }
}

impl JsonSchema for ListedEntry {
    fn schema_name() -> Cow<'static, str> {
        "ListedEntry".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An entry of `ls`.",
            "type": "object",
            "properties": {
                "name": { "description": "Its name.", "type": "string" },
                "type": {
                    "description": "Its kind: `file`, `directory`, `symlink` or `special`.",
                    "type": "string",
                },
                "size": { "description": "Its size in bytes.", "type": "integer", "minimum": 0 },
                "modified": {
                    "description": "The time of its last change, as RFC 3339 has it.",
                    "type": "string",
                },
                "nameBytes": {
                    "description": "The name's bytes as base64, if they are not UTF-8.",
                    "type": "string",
                },
            },
            "required": ["name", "type", "size", "modified"],
        })
    }
}

impl JsonSchema for FoundLine {
    fn schema_name() -> Cow<'static, str> {
        "FoundLine".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A line that `grep` found.",
            "type": "object",
            "properties": {
                "file": { "description": "The file, absolute.", "type": "string" },
                "line_number": { "description": "The line's number, from 1.", "type": "integer", "minimum": 0 },
                "line": { "description": "The line without its end.", "type": "string" },
                "truncated": {
                    "description": "True if the line is longer than what is shown of it.",
                    "type": "boolean",
                },
                "pathBytes": {
                    "description": "The path's bytes as base64, if they are not UTF-8.",
                    "type": "string",
                },
            },
            "required": ["file", "line_number", "line"],
        })
    }
}
