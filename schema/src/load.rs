//! Reads `actions.yaml`. The text is part of the program; duplicate and unknown keys are refused.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::definition::{ActionDefinition, Parameter, ParameterType};

/// An error in `actions.yaml`.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not the YAML that is expected; the message has line and column.
    #[error("actions.yaml: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// Two actions claim one name or alias.
    #[error("actions.yaml: the name '{0}' is used twice")]
    DuplicateName(String),
    /// An entry contradicts itself.
    #[error("actions.yaml: {action}: {problem}")]
    Inconsistent {
        /// The action.
        action: String,
        /// The contradiction, in words.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "actions")]
    actions: Vec<ActionDefinition>,
}

struct DefinitionTable {
    definitions: Vec<ActionDefinition>,
    by_name: HashMap<String, usize>,
}

#[expect(clippy::expect_used, reason = "the file is compiled in, and a test loads it")]
static TABLE: LazyLock<DefinitionTable> = LazyLock::new(|| {
    let definitions = load(include_str!("../actions.yaml")).expect("actions.yaml is checked by a test");
    let mut by_name = HashMap::new();
    for (index, definition) in definitions.iter().enumerate() {
        by_name.insert(definition.name.clone(), index);
        by_name.extend(definition.aliases.iter().map(|alias| (alias.clone(), index)));
    }
    DefinitionTable { definitions, by_name }
});

/// Returns every action of this version, in the order of `actions.yaml`.
#[must_use]
pub fn definitions() -> &'static [ActionDefinition] {
    &TABLE.definitions
}

/// Returns the action called `name`, by its canonical name or an alias.
#[must_use]
pub fn definition(name: &str) -> Option<&'static ActionDefinition> {
    TABLE.by_name.get(name).map(|&index| &TABLE.definitions[index])
}

/// Reads a text in the format of `actions.yaml`.
///
/// # Errors
/// [`LoadError`] if it is not such a text, or if names collide or entries contradict themselves.
pub fn load(text: &str) -> Result<Vec<ActionDefinition>, LoadError> {
    let file: File = serde_yaml::from_str(text)?;
    let mut seen = std::collections::HashSet::new();
    for action in &file.actions {
        for name in std::iter::once(&action.name).chain(&action.aliases) {
            if !seen.insert(name.clone()) {
                return Err(LoadError::DuplicateName(name.clone()));
            }
        }
        check(action)?;
    }
    Ok(file.actions)
}

fn check(action: &ActionDefinition) -> Result<(), LoadError> {
    let wrong = |problem: String| Err(LoadError::Inconsistent { action: action.name.clone(), problem });
    if let Some(primary) = &action.primary
        && action.parameter(primary).is_none()
    {
        return wrong(format!("primary parameter '{primary}' is not among its parameters"));
    }
    for parameter in &action.parameters {
        if (parameter.parameter_type == ParameterType::Enum) == parameter.values.is_empty() {
            return wrong(format!("'{}': an enum, and nothing else, has values", parameter.name));
        }
        if parameter.required && parameter.default.is_some() {
            return wrong(format!("'{}' is required and has a default", parameter.name));
        }
    }
    Ok(())
}

fn actions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ActionDefinition>, D::Error> {
    named(deserializer, |name, action: &mut ActionDefinition| action.name = name)
}

pub(crate) fn parameters<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Parameter>, D::Error> {
    named(deserializer, |name, parameter: &mut Parameter| parameter.name = name)
}

/// Reads a mapping as a list in the order of the file and gives each entry its own name; a name twice is an
/// error.
fn named<'de, D, T>(deserializer: D, name_it: fn(String, &mut T)) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct NamedEntries<T> {
        name_it: fn(String, &mut T),
        marker: PhantomData<T>,
    }

    impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedEntries<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a mapping from names to entries")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<T>, A::Error> {
            let mut seen = std::collections::HashSet::new();
            let mut entries = Vec::new();
            while let Some(name) = map.next_key::<String>()? {
                if !seen.insert(name.clone()) {
                    return Err(A::Error::custom(format_args!("duplicate entry '{name}'")));
                }
                let mut entry = map.next_value::<T>()?;
                (self.name_it)(name, &mut entry);
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    deserializer.deserialize_map(NamedEntries { name_it, marker: PhantomData })
}

pub(crate) fn default_of(action: &str, parameter: &str) -> Option<&'static str> {
    let parameter = definition(action)?.parameter(parameter)?;
    debug_assert_eq!(parameter.parameter_type, ParameterType::String);
    parameter.default.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_loads() {
        let definitions = load(include_str!("../actions.yaml")).unwrap();
        assert_eq!(definitions[0].name, "file_write");
        assert_eq!(definition("write_file").unwrap().name, "file_write");
    }

    #[test]
    fn a_duplicate_action_or_alias_is_refused() {
        let one =
            "type: read\n    description: d\n    callers: [llm]\n    parameters: {}\n    returns: array\n";
        let twice = format!("actions:\n  a:\n    {one}  a:\n    {one}");
        assert!(load(&twice).unwrap_err().to_string().contains("duplicate"), "{:?}", load(&twice));
        let alias = format!("actions:\n  a:\n    aliases: [b]\n    {one}  b:\n    {one}");
        assert!(matches!(load(&alias), Err(LoadError::DuplicateName(name)) if name == "b"));
    }

    #[test]
    fn an_entry_that_contradicts_itself_is_refused() {
        let text = "actions:\n  a:\n    type: read\n    description: d\n    callers: [llm]\n    primary: x\n    parameters: {}\n    returns: array\n";
        assert!(load(text).unwrap_err().to_string().contains("primary parameter 'x'"));
    }
}
