//! The syntax tree of an answer's SHAM blocks, as `parse` gives it on request.
//!
//! Shaped as the dialect's reference parser shapes it, broken blocks included. Only data; nothing is parsed
//! here.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{Block, Code, Dialect, Parse, Severity};

/// Blocks and errors, in document order. Serialises to `{blocks, errors}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ShamTree<'p> {
    /// Every block with a usable header.
    pub blocks: Vec<ShamTreeBlock<'p>>,
    /// Every error, without warnings.
    pub errors: Vec<ShamTreeError<'p>>,
}

/// A block: `{id, properties, startLine, endLine}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShamTreeBlock<'p> {
    /// Its id.
    pub id: &'p str,
    /// Its assignments, `action` among them.
    pub properties: ShamProperties<'p>,
    /// 1-based line of its header.
    pub start_line: u32,
    /// 1-based line of its end marker; `None` if it has none.
    pub end_line: Option<u32>,
}

/// Keys and values in the order in which the keys first appear; no key occurs twice. Serialises to a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShamProperties<'p>(pub Vec<(&'p str, &'p str)>);

/// An error: the fields of [`crate::Diagnostic`] that the reference parser gives.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShamTreeError<'p> {
    /// Its stable name.
    pub code: Code,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in UTF-16 code units.
    pub column: u32,
    /// Length in UTF-16 code units.
    pub length: u32,
    /// The block it belongs to.
    pub block_id: Option<&'p str>,
    /// The line itself.
    pub content: &'p str,
    /// The lines around it.
    pub context: &'p str,
    /// One sentence.
    pub message: &'p str,
}

impl Serialize for ShamProperties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// The syntax tree of the SHAM blocks in `parse`. Borrows all texts from it.
#[must_use]
pub fn sham_tree<'p>(parse: &'p Parse<'_>) -> ShamTree<'p> {
    let blocks = parse.blocks.iter().filter(|block| block.dialect == Dialect::Sham).map(tree_block).collect();
    let ours = |dialect: Option<Dialect>| dialect.is_none_or(|dialect| dialect == Dialect::Sham);
    let errors = parse.diagnostics.iter();
    let errors =
        errors.filter(|diagnostic| diagnostic.severity == Severity::Error && ours(diagnostic.dialect));
    let errors = errors.map(|error| ShamTreeError {
        code: error.code,
        line: error.line,
        column: error.column,
        length: error.length,
        block_id: error.block_id.as_deref(),
        content: &error.content,
        context: &error.context,
        message: &error.message,
    });
    ShamTree { blocks, errors: errors.collect() }
}

fn tree_block<'p>(block: &'p Block<'_>) -> ShamTreeBlock<'p> {
    let mut properties = Vec::new();
    if let Some(action) = block.actions.first() {
        properties.extend(action.fields.iter().map(|field| (field.name.as_ref(), field.value.as_ref())));
        if let (Some(name), Some(at)) = (&action.name, block.named_at) {
            properties.insert(at.index.min(properties.len()), (super::marker::ACTION, name.as_ref()));
        }
    }
    ShamTreeBlock {
        id: block.id.unwrap_or_default(),
        properties: ShamProperties(properties),
        start_line: block.start_line,
        end_line: block.end_line,
    }
}
