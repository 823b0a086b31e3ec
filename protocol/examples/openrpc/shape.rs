//! The shapes of types, read from the schemas in the document: what a declaration in another language needs.
//!
//! Knows the part of JSON Schema that the document uses. Must not know any other language.

use serde_json::Value;

/// The shape of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// A type with a name.
    Named(String),
    /// A text.
    Text,
    /// A number without fraction.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// Nothing.
    Null,
    /// Anything.
    Any,
    /// One certain text.
    Word(String),
    /// Values of one shape.
    List(Box<Shape>),
    /// So many values of one shape.
    Tuple(Box<Shape>, usize),
    /// Values of one shape by any names.
    Map(Box<Shape>),
    /// Members by name.
    Object(Vec<Field>),
    /// One of several.
    Choice(Vec<Variant>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: String,
    /// Its description.
    pub(crate) doc: String,
    /// True if it is always there.
    pub(crate) required: bool,
    /// Its shape.
    pub(crate) shape: Shape,
}

/// One of several shapes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    /// Its description; empty if it has none.
    pub(crate) doc: String,
    /// The shape.
    pub(crate) shape: Shape,
}

/// A type with a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Declared {
    /// Its name.
    pub(crate) name: String,
    /// Its description.
    pub(crate) doc: String,
    /// Its shape.
    pub(crate) shape: Shape,
}

/// A method or a notification.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// Its name.
    pub(crate) name: String,
    /// A sentence that says what it does.
    pub(crate) summary: String,
    /// The shape of its parameters.
    pub(crate) params: Shape,
    /// The shape of its result.
    pub(crate) result: Shape,
}

/// Returns the text of a member; empty if there is none.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Returns the members of a list; none if it is not a list.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns every type of the document: those of parameters, each once, in the order of methods, then the
/// others in the order of names.
pub(crate) fn types(document: &Value) -> Vec<Declared> {
    let mut types: Vec<Declared> = Vec::new();
    for method in list(document, "methods") {
        let name = text(method, "x-params-type").to_owned();
        if types.iter().all(|known| known.name != name) {
            let same = list(document, "methods").iter().filter(|other| text(other, "x-params-type") == name);
            let methods: Vec<String> = same.map(|other| format!("`{}`", text(other, "name"))).collect();
            let doc = format!("Parameters of {}.", methods.join(", "));
            types.push(Declared { name, doc, shape: Shape::Object(params(method)) });
        }
    }
    let schemas = document["components"]["schemas"].as_object();
    types.extend(schemas.into_iter().flatten().map(|(name, schema)| Declared {
        name: name.clone(),
        doc: text(schema, "description").to_owned(),
        shape: of(schema),
    }));
    types
}

/// Returns the parameters of a method.
pub(crate) fn params(method: &Value) -> Vec<Field> {
    let field = |param: &Value| {
        let required = param["required"] == true;
        let shape = of(&param["schema"]);
        Field {
            name: text(param, "name").to_owned(),
            doc: text(param, "description").to_owned(),
            required,
            shape: if required { shape } else { not_null(shape) },
        }
    };
    list(method, "params").iter().map(field).collect()
}

/// Returns every method of the document.
pub(crate) fn methods(document: &Value) -> Vec<Call> {
    let call = |method: &Value| Call {
        name: text(method, "name").to_owned(),
        summary: text(method, "summary").to_owned(),
        params: Shape::Named(text(method, "x-params-type").to_owned()),
        result: of(&method["result"]["schema"]),
    };
    list(document, "methods").iter().map(call).collect()
}

/// Returns every notification of the document.
pub(crate) fn notifications(document: &Value) -> Vec<Call> {
    let call = |told: &Value| Call {
        name: text(told, "name").to_owned(),
        summary: text(told, "summary").to_owned(),
        params: of(&told["params"]),
        result: Shape::Null,
    };
    list(document, "x-notifications").iter().map(call).collect()
}

/// Returns the shape that a schema describes.
pub(crate) fn of(schema: &Value) -> Shape {
    if let Some(path) = schema["$ref"].as_str() {
        return Shape::Named(path.rsplit('/').next().unwrap_or_default().to_owned());
    }
    if let [only] = list(schema, "allOf") {
        return of(only);
    }
    // schemars writes an enum whose values are documented as `oneOf`, any other as `enum`.
    for choices in ["oneOf", "anyOf"].map(|name| list(schema, name)) {
        if !choices.is_empty() {
            let variant =
                |choice: &Value| Variant { doc: text(choice, "description").to_owned(), shape: of(choice) };
            return Shape::Choice(choices.iter().map(variant).collect());
        }
    }
    if let Some(word) = schema["const"].as_str() {
        return Shape::Word(word.to_owned());
    }
    let words = list(schema, "enum");
    if !words.is_empty() {
        let docs = list(schema, "x-descriptions");
        let word = |(at, word): (usize, &Value)| Variant {
            doc: docs.get(at).and_then(Value::as_str).unwrap_or_default().to_owned(),
            shape: Shape::Word(word.as_str().unwrap_or_default().to_owned()),
        };
        return Shape::Choice(words.iter().enumerate().map(word).collect());
    }
    match &schema["type"] {
        Value::String(kind) => of_kind(kind, schema),
        Value::Array(kinds) => {
            let variant = |kind: &Value| Variant {
                doc: String::new(),
                shape: of_kind(kind.as_str().unwrap_or_default(), schema),
            };
            Shape::Choice(kinds.iter().map(variant).collect())
        }
        _ => Shape::Any,
    }
}

fn of_kind(kind: &str, schema: &Value) -> Shape {
    match kind {
        "string" => Shape::Text,
        "integer" => Shape::Integer,
        "number" => Shape::Number,
        "boolean" => Shape::Boolean,
        "null" => Shape::Null,
        "array" => {
            let item = Box::new(of(&schema["items"]));
            match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                // schemars writes a tuple as an array of fixed length.
                (Some(least), Some(most)) if least == most => {
                    Shape::Tuple(item, usize::try_from(most).unwrap_or_default())
                }
                _ => Shape::List(item),
            }
        }
        "object" => match schema["properties"].as_object() {
            None => Shape::Map(Box::new(of(&schema["additionalProperties"]))),
            Some(properties) => {
                let required = list(schema, "required");
                let field = |(name, schema): (&String, &Value)| Field {
                    name: name.clone(),
                    doc: text(schema, "description").to_owned(),
                    required: required.iter().any(|required| required == name),
                    shape: of(schema),
                };
                Shape::Object(properties.iter().map(field).collect())
            }
        },
        _ => Shape::Any,
    }
}

/// Returns a shape without the choice of `null`: who leaves a member out says the same.
fn not_null(shape: Shape) -> Shape {
    let Shape::Choice(mut variants) = shape else { return shape };
    variants.retain(|variant| variant.shape != Shape::Null);
    match variants.as_slice() {
        [only] => only.shape.clone(),
        _ => Shape::Choice(variants),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_are_what_schemas_say() {
        let words = json!({ "oneOf": [{ "const": "a", "description": "First." }, { "type": "null" }] });
        let word = Variant { doc: "First.".to_owned(), shape: Shape::Word("a".to_owned()) };
        let null = Variant { doc: String::new(), shape: Shape::Null };
        for (schema, shape) in [
            (json!(true), Shape::Any),
            (json!({ "type": "integer", "minimum": 0 }), Shape::Integer),
            (json!({ "allOf": [{ "$ref": "#/components/schemas/A" }] }), Shape::Named("A".to_owned())),
            (
                json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 }),
                Shape::Tuple(Box::new(Shape::Text), 2),
            ),
            (json!({ "type": "object" }), Shape::Map(Box::new(Shape::Any))),
            (words, Shape::Choice(vec![word, null])),
        ] {
            assert_eq!(of(&schema), shape, "{schema}");
        }
        assert_eq!(not_null(of(&json!({ "type": ["string", "null"] }))), Shape::Text);
    }
}
