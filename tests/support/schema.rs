//! The document of the protocol as a judge of JSON: what its schemas refuse, and values that they take.
//!
//! Knows the words of JSON Schema that the document uses, and no others: one that is new fails the test that
//! meets it.

use clada_protocol::OPENRPC;
use serde_json::{Map, Value, json};

/// The document.
#[derive(Debug)]
pub(crate) struct Document(Value);

/// The words of a schema that say nothing about a value.
const SILENT: &[&str] = &["description", "default", "x-codes", "x-descriptions"];

impl Document {
    pub(crate) fn current() -> Document {
        Document(serde_json::from_str(OPENRPC).unwrap())
    }

    /// The methods, in the order of the document.
    pub(crate) fn methods(&self) -> &[Value] {
        self.0["methods"].as_array().unwrap()
    }

    /// A method.
    pub(crate) fn method(&self, name: &str) -> &Value {
        self.methods().iter().find(|method| method["name"] == name).unwrap()
    }

    /// A notification.
    pub(crate) fn notification(&self, name: &str) -> &Value {
        let told = self.0["x-notifications"].as_array().unwrap();
        told.iter().find(|told| told["name"] == name).unwrap_or_else(|| panic!("no notification {name}"))
    }

    /// The schema of a type.
    pub(crate) fn of_type(&self, name: &str) -> &Value {
        &self.0["components"]["schemas"][name]
    }

    /// Returns the faults of a value, by their places in it. Members of an object that the schema does not
    /// name are wrong too: nothing is sent that the document does not tell.
    pub(crate) fn faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.look(schema, value, "", &mut faults);
        faults
    }

    fn look(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let Value::Object(words) = schema else {
            assert_eq!(*schema, json!(true), "what schema is this?");
            return;
        };
        let wrong = |what: String| {
            format!("{at}: {what}: {}", value.to_string().chars().take(200).collect::<String>())
        };
        let bound = |name: &str| words[name].as_f64().unwrap();
        for (word, asked) in words {
            match word.as_str() {
                "$ref" => self.look(self.target(asked), value, at, faults),
                "allOf" => asked.as_array().unwrap().iter().for_each(|one| self.look(one, value, at, faults)),
                "anyOf" | "oneOf" => {
                    let each: Vec<_> =
                        asked.as_array().unwrap().iter().map(|one| self.faults(one, value)).collect();
                    match each.iter().filter(|faults| faults.is_empty()).count() {
                        0 => faults.push(wrong(format!("it is none of these: {each:?}"))),
                        1 => {}
                        _ if word == "anyOf" => {}
                        count => faults.push(wrong(format!("it is {count} of these at once"))),
                    }
                }
                "type" => {
                    let is = |kind: &Value| is_of(value, kind.as_str().unwrap());
                    if !asked.as_array().map_or_else(|| is(asked), |kinds| kinds.iter().any(is)) {
                        faults.push(wrong(format!("it is no {asked}")));
                    }
                }
                "enum" if !asked.as_array().unwrap().contains(value) => {
                    faults.push(wrong("it is no such word".to_owned()))
                }
                "const" if asked != value => faults.push(wrong(format!("it is not {asked}"))),
                "minimum" if value.as_f64().is_some_and(|value| value < bound(word)) => {
                    faults.push(wrong(format!("it is below {asked}")));
                }
                "maximum" if value.as_f64().is_some_and(|value| value > bound(word)) => {
                    faults.push(wrong(format!("it is above {asked}")));
                }
                "minItems" if value.as_array().is_some_and(|items| (items.len() as f64) < bound(word)) => {
                    faults.push(wrong(format!("it has fewer than {asked}")));
                }
                "maxItems" if value.as_array().is_some_and(|items| items.len() as f64 > bound(word)) => {
                    faults.push(wrong(format!("it has more than {asked}")));
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.look(asked, item, &format!("{at}/{index}"), faults);
                    }
                }
                "required" if value.is_object() => {
                    for name in asked.as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
                        if value.get(name).is_none() {
                            faults.push(format!("{at}: `{name}` is missing"));
                        }
                    }
                }
                "properties" => {
                    for (name, member) in value.as_object().into_iter().flatten() {
                        match asked.get(name) {
                            Some(schema) => self.look(schema, member, &format!("{at}/{name}"), faults),
                            None => faults.push(format!("{at}: `{name}` is not in the document")),
                        }
                    }
                }
                // A schema for the members of an object without named ones.
                "additionalProperties" if asked.is_object() => {
                    for (name, member) in value.as_object().into_iter().flatten() {
                        self.look(asked, member, &format!("{at}/{name}"), faults);
                    }
                }
                "enum"
                | "const"
                | "minimum"
                | "maximum"
                | "minItems"
                | "maxItems"
                | "required"
                | "additionalProperties" => {}
                silent if SILENT.contains(&silent) => {}
                unknown => panic!("`{unknown}` is not known here: {schema:#}"),
            }
        }
    }

    fn target(&self, path: &Value) -> &Value {
        self.0.pointer(path.as_str().unwrap().strip_prefix('#').unwrap()).unwrap()
    }

    /// Values that a schema takes: each choice of it at least once.
    pub(crate) fn samples(&self, schema: &Value) -> Vec<Value> {
        if let Some(path) = schema.get("$ref") {
            return self.samples(self.target(path));
        }
        for word in ["allOf", "anyOf", "oneOf"] {
            if let Some(choices) = schema.get(word) {
                return choices.as_array().unwrap().iter().flat_map(|one| self.samples(one)).collect();
            }
        }
        if let Some(word) = schema.get("const") {
            return vec![word.clone()];
        }
        if let Some(words) = schema.get("enum") {
            return words.as_array().unwrap().clone();
        }
        match &schema["type"] {
            Value::Array(kinds) => {
                kinds.iter().flat_map(|kind| self.samples_of(kind.as_str().unwrap(), schema)).collect()
            }
            // Anything.
            Value::Null => vec![json!("x")],
            kind => self.samples_of(kind.as_str().unwrap(), schema),
        }
    }

    fn samples_of(&self, kind: &str, schema: &Value) -> Vec<Value> {
        match kind {
            "null" => vec![Value::Null],
            "boolean" => vec![true.into(), false.into()],
            "string" => vec!["".into(), "é".into()],
            "integer" => {
                let bounds = [&schema["minimum"], &schema["maximum"]];
                bounds.into_iter().filter(|bound| !bound.is_null()).cloned().chain([json!(7)]).collect()
            }
            "array" => {
                let items = self.samples(&schema["items"]);
                match schema["minItems"].as_u64() {
                    Some(count) => vec![Value::from(vec![items[0].clone(); usize::try_from(count).unwrap()])],
                    None => vec![json!([]), items.into()],
                }
            }
            // Once with all members, and once with those that are required.
            "object" => match schema["properties"].as_object() {
                Some(properties) => {
                    let whole: Map<_, _> = properties
                        .iter()
                        .map(|(name, schema)| (name.clone(), self.samples(schema)[0].clone()))
                        .collect();
                    let required = schema["required"].as_array().cloned().unwrap_or_default();
                    let least: Map<_, _> = whole
                        .clone()
                        .into_iter()
                        .filter(|(name, _)| required.contains(&json!(name)))
                        .collect();
                    vec![whole.into(), least.into()]
                }
                None => vec![json!({}), json!({ "é": self.samples(&schema["additionalProperties"])[0] })],
            },
            other => panic!("{other}"),
        }
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    }
}
