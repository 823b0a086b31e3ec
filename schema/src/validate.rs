//! Turns a raw action into a typed one, or into everything that is wrong with it (spec: dialects, "sham";
//! actions).

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::action::{Action, FilePatch, FileReplaceTexts, TextEdit};
use crate::convert::{PathRule, convert};
use crate::definition::{ActionDefinition, Caller};
use crate::load::{definition, definitions};
use crate::raw::{Hunk, RawAction, RawEdit, Terms};
use crate::violation::Violation;

/// The rules for values, from a dialect and its configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// The paths that are accepted where the schema says absolute.
    pub paths: PathRule,
}

/// An action that can be planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Validated {
    /// The action to carry out.
    pub action: Action,
    /// The dialect's statements besides parameters.
    pub terms: Terms,
    /// The lines that a file that is deleted must consist of, if the dialect names them.
    pub deleted: Vec<Hunk>,
    /// The names of its parameters that were written, in the schema's order. [`Action::parameters`] gives
    /// their values.
    pub present: Vec<&'static str>,
    /// Oddities that stop nothing.
    pub warnings: Vec<Warning>,
}

/// Something odd about an action that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A parameter that the action does not have, and the nearest one that it has.
    UnknownParameter {
        /// The name, as written.
        name: String,
        /// The closest of the names of its parameters.
        nearest: Option<&'static str>,
    },
    /// A relative path where the schema says absolute: taken as relative to the project root.
    RelativePath(String),
}

impl std::fmt::Display for Warning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::UnknownParameter { name, nearest: None } => {
                write!(formatter, "Unknown parameter: {name} (ignored)")
            }
            Warning::UnknownParameter { name, nearest: Some(nearest) } => {
                write!(formatter, "Unknown parameter: {name} (ignored; did you mean {nearest}?)")
            }
            Warning::RelativePath(path) => {
                write!(formatter, "Relative path: {path} (taken as relative to the project root)")
            }
        }
    }
}

/// Checks a raw action of an answer against its definition.
///
/// The planner decides if a model may ask for it, and if this version can do it: such an action is sound, but
/// refused.
///
/// # Errors
/// Every [`Violation`]: all missing parameters and all values that do not convert, in the order of the
/// schema.
pub fn validate(raw: &RawAction<'_>, options: &Options) -> Result<Validated, Vec<Violation>> {
    let Some(name) = raw.name.as_deref() else {
        return Err(vec![
            Violation::validation("MISSING_ACTION", "Missing 'action' field in NESL block")
                .hint("name the action in a line such as: action = \"file_write\""),
        ]);
    };
    if name == "file_patch" && (!raw.hunks.is_empty() || raw.terms.executable.is_some()) {
        return patch(raw);
    }
    if name == "file_replace_texts" && !raw.edits.is_empty() {
        return edits(raw);
    }
    let Some(definition) = definition(name) else { return Err(vec![unknown_action(name)]) };
    let mut violations = Vec::new();
    let (parameters, warnings) = parameters(definition, raw, options, &mut violations);
    if !violations.is_empty() {
        return Err(violations);
    }
    let present = definition.parameters.iter().map(|parameter| parameter.name.as_str());
    let present = present.filter(|name| parameters.contains_key(*name)).collect();
    let action = Action::from_parameters(&definition.name, parameters).map_err(|problem| {
        vec![Violation::validation("INVALID_VALUE", format!("Invalid parameters: {problem}"))]
    })?;
    let hunks = if matches!(action, Action::FileDelete(_)) { raw.hunks.as_slice() } else { &[] };
    let deleted = hunks.iter().map(|hunk| hunk.clone().into_owned()).collect();
    Ok(Validated { action, terms: raw.terms, deleted, present, warnings })
}

fn parameters(
    definition: &'static ActionDefinition,
    raw: &RawAction<'_>,
    options: &Options,
    violations: &mut Vec<Violation>,
) -> (Map<String, Value>, Vec<Warning>) {
    let fields_by_name: HashMap<&str, _> =
        raw.fields.iter().map(|field| (field.name.as_ref(), field)).collect();
    let mut parameters = Map::new();
    let mut relative = Vec::new();
    for parameter in &definition.parameters {
        match fields_by_name.get(parameter.name.as_str()) {
            // All violations are collected before the caller returns: a model can then fix them in one
            // answer.
            None if parameter.required => violations.push(Violation::validation(
                "MISSING_PARAMETER",
                format!("Missing required parameter: {}", parameter.name),
            )),
            None => {}
            Some(field) => match convert(parameter, field, options.paths, &mut relative) {
                Ok(value) => drop(parameters.insert(parameter.name.clone(), value)),
                Err(violation) => violations.push(violation),
            },
        }
    }
    let mut warnings: Vec<Warning> =
        relative.into_iter().map(|path| Warning::RelativePath(path.to_owned())).collect();
    for field in raw.fields.iter().filter(|field| definition.parameter(&field.name).is_none()) {
        let names = definition.parameters.iter().map(|parameter| parameter.name.as_str());
        let nearest = nearest(&field.name, names);
        warnings.push(Warning::UnknownParameter { name: field.name.clone().into_owned(), nearest });
    }
    (parameters, warnings)
}

/// `file_patch` comes from dialects alone, so its parameters are not in `actions.yaml`.
fn patch(raw: &RawAction<'_>) -> Result<Validated, Vec<Violation>> {
    let Some(path) = raw.field("path") else {
        return Err(vec![Violation::validation("MISSING_PARAMETER", "Missing required parameter: path")]);
    };
    // Not through JSON, which leaves out `is_counted`, and that decides where the hunk goes.
    let patch = FilePatch {
        path: path.to_owned(),
        hunks: raw.hunks.iter().map(|hunk| hunk.clone().into_owned()).collect(),
        new_path: raw.field("newPath").map(str::to_owned),
    };
    let present = match patch.new_path {
        Some(_) => vec!["path", "newPath", "hunks"],
        None => vec!["path", "hunks"],
    };
    let action = Action::FilePatch(patch);
    Ok(Validated { action, terms: raw.terms, deleted: Vec::new(), present, warnings: Vec::new() })
}

/// Names of actions elsewhere, and the actions that do what they do: the closest name would be another one.
const MEANT: [(&str, &str); 10] = [
    ("file_edit", "file_replace_text"),
    ("edit_file", "file_replace_text"),
    ("edit", "file_replace_text"),
    ("file_replace", "file_replace_text"),
    ("file_update", "file_replace_text"),
    ("str_replace", "file_replace_text"),
    ("file_insert", "file_replace_text"),
    ("file_create", "file_write"),
    ("create_file", "file_write"),
    ("file_remove", "file_delete"),
];

fn edits(raw: &RawAction<'_>) -> Result<Validated, Vec<Violation>> {
    let Some(path) = raw.field("path") else {
        return Err(vec![Violation::validation("MISSING_PARAMETER", "Missing required parameter: path")]);
    };
    let edit = |edit: &RawEdit<'_>| TextEdit {
        old_text: edit.old_text.clone().into_owned(),
        new_text: edit.new_text.clone().into_owned(),
        count: edit.count,
    };
    let edits = raw.edits.iter().map(edit).collect();
    let action = Action::FileReplaceTexts(FileReplaceTexts { path: path.to_owned(), edits });
    let present = vec!["path", "edits"];
    Ok(Validated { action, terms: raw.terms, deleted: Vec::new(), present, warnings: Vec::new() })
}

fn unknown_action(name: &str) -> Violation {
    let violation = Violation::validation("UNKNOWN_ACTION", format!("Unknown action: {name}"));
    let names = definitions()
        .iter()
        .flat_map(|definition| {
            std::iter::once(definition.name.as_str()).chain(definition.aliases.iter().map(String::as_str))
        })
        .filter(|candidate| definition(candidate).is_some_and(|action| action.allows(Caller::Llm)));
    let meant = MEANT.iter().find(|(other, _)| *other == name).map(|(_, meant)| *meant);
    match meant.or_else(|| nearest(name, names)) {
        Some(nearest) => violation.hint(format!("did you mean {nearest}?")),
        None => {
            let callable = definitions().iter().filter(|known| known.available && known.allows(Caller::Llm));
            let names: Vec<&str> = callable.map(|known| known.name.as_str()).collect();
            violation.hint(format!("the actions are {}", names.join(", ")))
        }
    }
}

fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    // A name of many kilobytes is not a typing error, and comparing it would cost time.
    if name.len() > 64 {
        return None;
    }
    candidates
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.8)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}
