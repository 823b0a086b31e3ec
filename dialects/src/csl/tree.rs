//! The syntax tree of an answer's CSL operations, as `parse` gives it on request.
//!
//! Shaped as the dialect's reference parser shapes it. The blocks are read again from their places in the
//! text, so that a parse whose caller wants no tree does not carry one.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::operation::{Body, Operation};
use super::read::{Reader, TopLevelBlock};
use crate::cursor::{Breaks, Cursor};
use crate::{CslDelimiters, Dialect, Parse};

/// Operations with the faults that make some of them invalid, or the error for which nothing runs. Serialises
/// to `{ast, validationErrors}` or `{error}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum CslTree<'a> {
    /// The tree of an answer whose markers are all right.
    Operations {
        /// The operations in document order, valid or not.
        ast: Vec<CslNode<'a>>,
        /// The invalid operations in document order.
        #[serde(rename = "validationErrors")]
        validation_errors: Vec<CslValidationError>,
    },
    /// A syntax error, or another fault that stops the whole answer.
    Error {
        /// `Line N: …`.
        error: String,
    },
}

/// An operation that is skipped: `{line, operation, error}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CslValidationError {
    /// 1-based line of its marker.
    pub line: u32,
    /// Its name: `WRITE`, `RUN` or `SEARCH`.
    pub operation: &'static str,
    /// The reason.
    pub error: &'static str,
}

/// An operation: its type, line, attributes and parts. Serialises to one flat map; if an attribute is called
/// as another key of it, the other key wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CslNode<'a> {
    /// `WRITE`, `RUN`, `SEARCH` or `TASKS`.
    pub kind: &'static str,
    /// 1-based line of its marker.
    pub line: u32,
    /// The attributes in document order, unknown ones among them.
    pub attributes: Vec<(&'a str, Cow<'a, str>)>,
    /// `content`, or `pattern`, `to` and `replacement`.
    pub parts: Vec<(&'static str, Cow<'a, str>)>,
    /// The operations of TASKS; `None` for the others.
    pub operations: Option<Vec<CslNode<'a>>>,
}

impl Serialize for CslNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind)?;
        map.serialize_entry("line", &self.line)?;
        let taken = |name: &str| {
            matches!(name, "type" | "line")
                || self.parts.iter().any(|(part, _)| *part == name)
                || (self.operations.is_some() && name == "operations")
        };
        for (name, value) in self.attributes.iter().filter(|(name, _)| !taken(name)) {
            map.serialize_entry(name, value)?;
        }
        for (name, value) in &self.parts {
            map.serialize_entry(name, value)?;
        }
        if let Some(operations) = &self.operations {
            map.serialize_entry("operations", operations)?;
        }
        map.end()
    }
}

/// Returns the syntax tree of the CSL blocks in `parse`, the result for `text` with the same `delimiters`.
#[must_use]
pub fn csl_tree<'a>(text: &'a str, parse: &Parse<'_>, delimiters: &CslDelimiters) -> CslTree<'a> {
    if let Some(fatal) = parse.diagnostics.iter().find(|attribute| attribute.fatal) {
        return CslTree::Error { error: fatal.message.clone() };
    }
    let (mut ast, mut validation_errors) = (Vec::new(), Vec::new());
    for block in parse.blocks.iter().filter(|block| block.dialect == Dialect::Csl) {
        let mut cursor = Cursor::at(text, block.source.start, block.start_line, Breaks::LfOrCr);
        let Some(first) = cursor.next_line() else { continue };
        let (attributes, operations) = (usize::MAX, usize::MAX);
        let read = Reader { cursor: &mut cursor, delimiters, attributes, operations }.block(first);
        if let Ok(node) = read {
            ast.push(tree_node(node, &mut validation_errors));
        }
    }
    CslTree::Operations { ast, validation_errors }
}

fn tree_node<'a>(node: TopLevelBlock<'a>, errors: &mut Vec<CslValidationError>) -> CslNode<'a> {
    match node {
        TopLevelBlock::One(operation) => tree_operation(operation, errors),
        TopLevelBlock::Tasks { first, attributes, operations, .. } => CslNode {
            kind: super::marker::Word::Tasks.name(),
            line: first.number,
            attributes: attributes.into_iter().map(|attribute| (attribute.name, attribute.value)).collect(),
            parts: Vec::new(),
            operations: Some(
                operations.into_iter().map(|operation| tree_operation(operation, errors)).collect(),
            ),
        },
    }
}

fn tree_operation<'a>(operation: Operation<'a>, errors: &mut Vec<CslValidationError>) -> CslNode<'a> {
    let (kind, line) = (operation.name(), operation.first.number);
    let faults = operation.faults().into_iter();
    errors.extend(faults.map(|fault| CslValidationError { line, operation: kind, error: fault.message }));
    let parts = match operation.body {
        Body::Write(content) | Body::Run(content) => vec![("content", content.text)],
        Body::Search { pattern, to, replacement } => {
            let to = to.map(|to| ("to", to.text));
            let ends = [("pattern", pattern.text)].into_iter().chain(to);
            ends.chain([("replacement", replacement.text)]).collect()
        }
    };
    let attributes =
        operation.attributes.into_iter().map(|attribute| (attribute.name, attribute.value)).collect();
    CslNode { kind, line, attributes, parts, operations: None }
}
