//! `actions.yaml` and the typed actions agree: compares the JSON Schemas derived from both.

use clada_schema::{self as schema, definition, definitions};
use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value, json};

/// Returns the parts of a JSON Schema that bind a caller, without the differences in how schemars writes
/// them.
fn normal(schema: &Value) -> Value {
    let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
    let properties: Map<String, Value> = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default()
        .into_iter()
        .map(|(name, property)| (name, normal_property(&property)))
        .collect();
    json!({ "properties": properties, "required": required, "closed": schema["additionalProperties"] })
}

fn normal_property(property: &Value) -> Value {
    // A count is a number or a word; optional, it is one more alternative.
    if let Some(alternatives) = property["anyOf"]
        .as_array()
        .filter(|all| all.iter().any(|one| one.get("const").is_some() || one.get("anyOf").is_some()))
    {
        let alternatives =
            alternatives.iter().find_map(|one| one["anyOf"].as_array()).unwrap_or(alternatives);
        let counts = alternatives.iter().filter(|one| one["type"] != "null");
        return counts.cloned().collect();
    }
    let mut kept = Map::new();
    // An optional parameter is "absent", never null, on the wire; schemars says `["string", "null"]`.
    let json_type = match &property["type"] {
        Value::Array(types) => types[0].clone(),
        Value::Null if property.get("anyOf").is_some() => property["anyOf"][0]["type"].clone(),
        other => other.clone(),
    };
    kept.insert("type".to_owned(), json_type);
    for key in ["enum", "default", "minimum"] {
        if let Some(value) = property.get(key).filter(|value| !value.is_null()) {
            kept.insert(key.to_owned(), value.clone());
        }
    }
    // Integers carry a width as their format, which says nothing about the wire.
    if let Some(format) =
        property.get("format").and_then(Value::as_str).filter(|format| !format.starts_with("uint"))
    {
        kept.insert("format".to_owned(), format.into());
    }
    Value::Object(kept)
}

fn typed<T: JsonSchema>() -> Value {
    schema_for!(T).to_value()
}

macro_rules! typed_schemas {
    ($($name:ident: $type:ident),*) => {
        fn all_typed() -> Vec<(&'static str, Value)> {
            vec![$((stringify!($name), typed::<schema::$type>())),*]
        }
    };
}

schema::each_action!(typed_schemas);

#[test]
fn every_defined_action_has_a_type_with_the_same_schema() {
    let typed = all_typed();
    assert_eq!(typed.len(), definitions().len());
    for (name, of_type) in typed {
        let definition = definition(name).unwrap_or_else(|| panic!("{name} is not in actions.yaml"));
        assert_eq!(definition.name, name);
        assert_eq!(normal(&definition.json_schema()), normal(&of_type), "{name}");
    }
}

#[test]
fn every_alias_leads_to_its_action() {
    for action in definitions() {
        for alias in &action.aliases {
            assert_eq!(definition(alias).map(|found| &found.name), Some(&action.name));
        }
    }
}
