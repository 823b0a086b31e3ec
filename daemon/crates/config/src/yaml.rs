//! YAML as a tree whose nodes can be found again in the text. Knows nothing of keys. A stranger may have
//! written the text, so everything about it is bounded.
//!
//! `serde_yaml` gives places only in errors. A place is therefore determined when it is needed: the text is
//! read once more up to the node in question, where an error is raised on purpose. Duplicate keys are kept in
//! the tree, so that the caller can name both.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Visitor};

use super::problem::LineColumn;

/// The most nodes of a document, with those that aliases repeat.
const NODES: usize = 20_000;
/// The most bytes of text in all nodes together, with those that aliases repeat.
const TEXT: usize = 1 << 20;
const DEPTH: usize = 16;
/// The most brackets in the whole text, apart from lines that are comments. The underlying scanner takes time
/// that grows with the square of how deeply they nest, before the caller can intervene.
const BRACKETS: usize = 1_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum YamlNode {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<YamlNode>),
    Map(Vec<(String, YamlNode)>),
}

impl YamlNode {
    pub(super) fn describe(&self) -> String {
        match self {
            YamlNode::Null => "nothing".to_owned(),
            YamlNode::Bool(value) => format!("`{value}`"),
            YamlNode::Integer(value) => format!("the number {value}"),
            YamlNode::Float(value) => format!("the number {value}"),
            YamlNode::Text(text) => format!("`{}`", super::problem::visible(text, 60)),
            YamlNode::List(_) => "a list".to_owned(),
            YamlNode::Map(_) => "a section with keys".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Spot {
    pub(super) steps: Vec<usize>,
    pub(super) on_key: bool,
}

impl Spot {
    pub(super) fn value(&self, step: usize) -> Spot {
        let mut steps = self.steps.clone();
        steps.push(step);
        Spot { steps, on_key: false }
    }

    pub(super) fn key(&self, step: usize) -> Spot {
        Spot { on_key: true, ..self.value(step) }
    }
}

/// An empty document is [`YamlNode::Null`].
pub(super) fn parse(text: &str) -> Result<YamlNode, (String, Option<LineColumn>)> {
    check_brackets(text)?;
    let mut budget = ParseBudget { nodes: NODES, text: TEXT };
    let seed = YamlTree { budget: &mut budget, depth: 0 };
    seed.deserialize(serde_yaml::Deserializer::from_str(text))
        .map_err(|error| (explain(&error), place(&error)))
}

pub(super) fn locate(text: &str, spot: &Spot) -> Option<LineColumn> {
    let seed = NodeLocator { steps: &spot.steps, on_key: spot.on_key };
    place(&seed.deserialize(serde_yaml::Deserializer::from_str(text)).err()?)
}

fn check_brackets(text: &str) -> Result<(), (String, Option<LineColumn>)> {
    let mut remaining = BRACKETS;
    // The scanner ends lines, and with them comments, at all of these, and only blanks may precede a comment.
    // A line that only looks like a comment must not hide its brackets.
    let text_lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    for line in text_lines.filter(|line| !line.trim_start_matches([' ', '\t']).starts_with('#')) {
        let here = memchr::memchr2_iter(b'[', b'{', line.as_bytes()).count();
        remaining = remaining
            .checked_sub(here)
            .ok_or_else(|| (format!("there are more than {BRACKETS} brackets in it"), None))?;
    }
    Ok(())
}

fn place(error: &serde_yaml::Error) -> Option<LineColumn> {
    error.location().map(|at| LineColumn { line: at.line(), column: at.column() })
}

fn explain(error: &serde_yaml::Error) -> String {
    let text = error.to_string();
    let end = error.location().and_then(|at| text.find(&format!(" at line {}", at.line())));
    super::problem::visible(&text[..end.unwrap_or(text.len())], 200)
}

struct ParseBudget {
    nodes: usize,
    text: usize,
}

struct YamlTree<'b> {
    budget: &'b mut ParseBudget,
    depth: usize,
}

impl YamlTree<'_> {
    fn below(&mut self) -> YamlTree<'_> {
        YamlTree { budget: self.budget, depth: self.depth + 1 }
    }

    fn take<E: serde::de::Error>(&mut self, text: usize) -> Result<(), E> {
        if self.depth > DEPTH {
            return Err(E::custom(format_args!("there are more than {DEPTH} levels in it")));
        }
        let rest = self.budget.nodes.checked_sub(1).zip(self.budget.text.checked_sub(text));
        let (nodes, text) = rest.ok_or_else(|| E::custom("with its aliases written out it is too large"))?;
        *self.budget = ParseBudget { nodes, text };
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for YamlTree<'_> {
    type Value = YamlNode;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlNode, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for YamlTree<'_> {
    type Value = YamlNode;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: serde::de::Error>(mut self) -> Result<YamlNode, E> {
        self.take(0).map(|()| YamlNode::Null)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<YamlNode, E> {
        self.visit_unit()
    }

    fn visit_bool<E: serde::de::Error>(mut self, value: bool) -> Result<YamlNode, E> {
        self.take(0).map(|()| YamlNode::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<YamlNode, E> {
        self.visit_i128(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<YamlNode, E> {
        self.visit_i128(value.into())
    }

    fn visit_i128<E: serde::de::Error>(mut self, value: i128) -> Result<YamlNode, E> {
        self.take(0).map(|()| YamlNode::Integer(value))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<YamlNode, E> {
        self.visit_i128(i128::try_from(value).unwrap_or(i128::MAX))
    }

    fn visit_f64<E: serde::de::Error>(mut self, value: f64) -> Result<YamlNode, E> {
        self.take(0).map(|()| YamlNode::Float(value))
    }

    fn visit_str<E: serde::de::Error>(mut self, text: &str) -> Result<YamlNode, E> {
        self.take(text.len()).map(|()| YamlNode::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<YamlNode, A::Error> {
        self.take(0)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.below())? {
            list.push(item);
        }
        Ok(YamlNode::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<YamlNode, A::Error> {
        self.take(0)?;
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.take(key.len())?;
            map.push((key, entries.next_value_seed(self.below())?));
        }
        Ok(YamlNode::Map(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<YamlNode, A::Error> {
        Err(A::Error::custom("tags (`!name`) have no meaning here"))
    }
}

#[derive(Clone, Copy)]
struct NodeLocator<'s> {
    steps: &'s [usize],
    on_key: bool,
}

impl<'de> DeserializeSeed<'de> for NodeLocator<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeLocator<'_> {
    type Value = ();

    // The node at the end of the path is refused with this text, and with its place.
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("something else")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some((&step, steps)) = self.steps.split_first() else { return Err(A::Error::custom("here")) };
        for _ in 0..step {
            items.next_element::<serde::de::IgnoredAny>()?;
        }
        items.next_element_seed(NodeLocator { steps, ..self })?;
        Err(A::Error::custom("here"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some((&step, steps)) = self.steps.split_first() else { return Err(A::Error::custom("here")) };
        for _ in 0..step {
            entries.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?;
        }
        let end = NodeLocator { steps: &[], ..self };
        if self.on_key && steps.is_empty() {
            entries.next_key_seed(end)?;
        } else {
            entries.next_key::<serde::de::IgnoredAny>()?;
            entries.next_value_seed(NodeLocator { steps, ..self })?;
        }
        Err(A::Error::custom("here"))
    }
}
