//! The document: methods, notifications and types of the protocol, as OpenRPC 1.4.1 has them.
//!
//! Knows the rules of OpenRPC and which schema is of what is read and which of what is written. Must not know
//! what is made of the document.

use std::collections::BTreeMap;

use clada_protocol::method::SETTINGS;
use clada_protocol::method::{ANY_OF_PROJECT, ANY_REQUEST, Access};
use clada_protocol::notification::NOTIFICATIONS;
use clada_protocol::schema::{MethodSchemas, methods, notifications};
use clada_protocol::{
    CHANGED_FILES, COMMAND_OUTPUT, COMMAND_TIMEOUT_MS, CallerKind, ErrorKind, HISTORY_LIMIT, LOCK_TIMEOUT_MS,
    METHODS, RpcError,
};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The place of types in the document.
const TYPES: &str = "/components/schemas";

/// Returns the document.
///
/// # Errors
/// A sentence, if a type is written in another way than it is read: then it needs two types.
pub(crate) fn document() -> Result<Value, String> {
    let settings = || SchemaSettings::draft07().with(|settings| settings.definitions_path = TYPES.into());
    let mut reading = settings().for_deserialize().into_generator();
    let mut writing = settings().for_serialize().into_generator();
    let table = methods(&mut reading, &mut writing);
    let told = notifications(&mut writing);
    let _ = writing.subschema_for::<RpcError>();

    let methods: Vec<Value> = table.into_iter().map(|method| of_method(method, &mut reading)).collect();
    let told: Vec<Value> = told
        .into_iter()
        .map(|(info, schema)| {
            json!({
                "name": info.name,
                "summary": info.summary,
                "params": written(schema, &mut writing),
                "x-methods": info.methods,
            })
        })
        .collect();
    // Types are collected while the methods are read, so that they come last.
    let schemas = types(&mut reading, &mut writing)?;
    Ok(json!({
        "openrpc": "1.4.1",
        "info": {
            "title": "clada",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What the daemon of clada and its clients say to each other.",
            "license": { "name": env!("CARGO_PKG_LICENSE") },
        },
        "methods": methods,
        "x-notifications": told,
        "components": { "schemas": schemas, "errors": errors() },
    }))
}

fn of_method(method: MethodSchemas, reading: &mut SchemaGenerator) -> Value {
    let info = method.info;
    let mut params = read(method.params, reading);
    let required = params["required"].take();
    let is_required =
        |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
    let properties = params["properties"].take();
    let mut params: Vec<Value> = properties
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let mut schema = schema.clone();
            // A description in the schema as well would be shown twice.
            let description = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
            json!({
                "name": name,
                "description": description,
                "required": is_required(name),
                "schema": schema,
            })
        })
        .collect();
    let mut user_params = info.user_params.to_vec();
    if info.takes_settings() {
        user_params.push(SETTINGS);
        params.push(json!({
            "name": SETTINGS,
            "description": "Settings of this request alone, which win over all others: `section.key`, or the name of \
                            the variable, and the value.",
            "required": false,
            "schema": { "type": "object", "additionalProperties": true },
        }));
    }
    params.sort_by_key(|param| param["required"] == false);
    let result = method.result.to_value();
    let name = result["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or("result");
    let told = NOTIFICATIONS.iter().filter(|told| told.methods.contains(&info.name)).map(|told| told.name);
    json!({
        "name": info.name,
        "summary": info.summary,
        "paramStructure": "by-name",
        "params": params,
        "result": { "name": name, "schema": result },
        "errors": failures(info.errors),
        "x-params-type": method.params_name,
        "x-caller": if info.caller == CallerKind::Agent { "agent" } else { "person" },
        "x-person-params": user_params,
        "x-access": match info.access {
            Access::Reads => "reads",
            Access::Keeps => "keeps",
            Access::Changes => "changes",
        },
        "x-notifications": told.collect::<Vec<_>>(),
    })
}

/// Returns the failures of a method: its own, then those that any request can have.
fn failures(own: &[ErrorKind]) -> Vec<Value> {
    let of_project = if own.contains(&ErrorKind::ProjectNotFound) { ANY_OF_PROJECT } else { &[] };
    let any = of_project.iter().chain(ANY_REQUEST).filter(|kind| !own.contains(kind));
    let name = |kind: &ErrorKind| json!({ "$ref": format!("#/components/errors/{}", kind.name()) });
    own.iter().chain(any).map(name).collect()
}

/// Returns the failures that requests have, by kind; the kinds of actions alone are in the type `ErrorKind`.
fn errors() -> Map<String, Value> {
    let of_requests = |kind: &ErrorKind| {
        ANY_REQUEST.contains(kind) || METHODS.iter().any(|method| method.errors.contains(kind))
    };
    let kinds = ErrorKind::ALL.iter().copied().filter(of_requests);
    kinds
        .map(|kind| (kind.name().to_owned(), json!({ "code": kind.code(), "message": kind.name() })))
        .collect()
}

/// Returns every type once, in the order of names.
fn types(
    reading: &mut SchemaGenerator,
    writing: &mut SchemaGenerator,
) -> Result<BTreeMap<String, Value>, String> {
    let mut types = BTreeMap::new();
    for (name, schema) in reading.take_definitions(true) {
        types.insert(name, tidied(schema));
    }
    for (name, schema) in writing.take_definitions(true) {
        let mut schema = tidied(schema);
        without_null(&mut schema);
        if let Some(read) = types.insert(name.clone(), schema)
            && read != types[&name]
        {
            return Err(format!(
                "{name} is read in another way than it is written: {read:#} {:#}",
                types[&name]
            ));
        }
    }
    Ok(types)
}

/// Returns the schema of what is read.
fn read(mut schema: Schema, generator: &mut SchemaGenerator) -> Value {
    for transform in generator.transforms_mut() {
        transform.transform(&mut schema);
    }
    tidied(schema.to_value())
}

/// Returns the schema of what is written.
fn written(schema: Schema, generator: &mut SchemaGenerator) -> Value {
    let mut schema = read(schema, generator);
    without_null(&mut schema);
    schema
}

/// Returns a schema without what says nothing to a reader of JSON, and its texts without what only Rust's
/// documentation reads.
fn tidied(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            let (least, most) = match members.shift_remove("format").as_ref().and_then(Value::as_str) {
                Some("uint32") => (Some(0), Some(i64::from(u32::MAX))),
                Some("int32") => (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX))),
                _ => (None, None),
            };
            for (name, bound) in [("minimum", least), ("maximum", most)] {
                if let Some(bound) = bound {
                    members.insert(name.to_owned(), bound.into());
                }
            }
            // A default that is the absence itself.
            if members.get("default").is_some_and(Value::is_null) {
                members.shift_remove("default");
            }
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" => *text = plain(text),
                    // Its members are names, not words of JSON Schema.
                    Value::Object(properties) if name == "properties" => {
                        properties.values_mut().for_each(|property| *property = tidied(property.take()));
                    }
                    member => *member = tidied(member.take()),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = tidied(item.take())),
        _ => {}
    }
    schema
}

/// Returns a documentation comment as plain text: a line a paragraph, values for constants, names for links.
fn plain(text: &str) -> String {
    let constants = [
        ("[`LOCK_TIMEOUT_MS`]", LOCK_TIMEOUT_MS.to_string()),
        ("[`COMMAND_TIMEOUT_MS`]", COMMAND_TIMEOUT_MS.to_string()),
        ("[`COMMAND_OUTPUT`]", COMMAND_OUTPUT.to_string()),
        ("[`crate::CHANGED_FILES`]", CHANGED_FILES.to_string()),
        ("[`HISTORY_LIMIT`]", HISTORY_LIMIT.to_string()),
    ];
    let mut text = text.to_owned();
    for (link, value) in constants {
        text = text.replace(link, &value);
    }
    let text = text.replace("[`", "`").replace("`]", "`");
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n")
}

/// Takes `null` from what may be absent instead: it is not written then. Defaults are of what is read alone.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.shift_remove("default");
            let required = members.get("required").cloned().unwrap_or_default();
            let required =
                |name: &str| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
            for (name, member) in members.iter_mut() {
                match member {
                    Value::Object(properties) if name == "properties" => {
                        for (name, property) in properties {
                            if !required(name) {
                                *property = not_null(property.take());
                            }
                            without_null(property);
                        }
                    }
                    member => without_null(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn not_null(mut schema: Value) -> Value {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            schema["type"] = only.clone();
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_slice() {
            let only = only.clone();
            let members = schema.as_object_mut();
            if let Some(members) = members {
                members.shift_remove("anyOf");
                match members.is_empty() {
                    true => return only,
                    // Beside a reference nothing counts.
                    false => members.insert("allOf".to_owned(), json!([only])),
                };
            }
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_may_be_named_as_words_of_schemas() {
        let schema = json!({
            "type": "object",
            "properties": {
                "format": { "type": ["integer", "null"], "format": "uint32", "minimum": 0, "default": null },
                "default": { "description": "As [`COMMAND_OUTPUT`],\nor [`Other`].", "type": "null" },
            },
            "required": ["default"],
        });
        let mut written = tidied(schema);
        without_null(&mut written);
        assert_eq!(
            written,
            json!({
                "type": "object",
                "properties": {
                    "format": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
                    "default": { "description": "As 10485760, or `Other`.", "type": "null" },
                },
                "required": ["default"],
            })
        );
    }
}
