//! `parse`: the actions of an answer, and its faults.

use std::collections::BTreeMap;

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Approval, Parameters, Proposal, ReportFormat, Reports, is_false};
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `parse`.
#[apply(wire_params)]
pub struct ParseParams {
    /// The answer. At most `limits.input` bytes.
    pub text: String,
    /// Names of the dialects to look for; absent: all that are enabled.
    pub dialects: Option<Vec<String>>,
    /// Absolute path of the project, whose configuration then counts, and where approvals are looked up.
    pub root: Option<String>,
    /// With `root`: the session whose folder commands run in; absent: `default`.
    pub session: Option<String>,
    /// With `root`: the caller's environment, as for `execute`. It decides which programs commands mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// With `root`: milliseconds for each command, as for `execute`.
    pub timeout_ms: Option<u64>,
    /// True to return also the syntax tree of dialects that have one.
    pub tree: bool,
    /// The reports to return with the result, as the client prints them: `text` alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<ReportFormat>,
}

/// Result of `parse`.
#[apply(wire_type)]
pub struct ParseResult {
    /// The valid actions in document order.
    pub actions: Vec<ParsedAction>,
    /// The errors in document order. A block with an error is not executed.
    pub errors: Vec<ParseIssue>,
    /// Oddities that stop nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ParseIssue>,
    /// The blocks in document order.
    pub blocks: Vec<BlockInfo>,
    /// The texts that look like edits, in a form that clada does not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
    /// With `root`: the changes that it shows without a dialect, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
    /// Counts.
    pub summary: ParseSummary,
    /// With `root`: the approvals that the user would have to give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// With `tree: true`, the syntax tree by dialect: `{"sham": {blocks, errors}}`.
    pub tree: Option<Map<String, Value>>,
    /// The reports that were asked for.
    pub reports: Option<Reports>,
}

/// A valid action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ParsedAction {
    /// Its number in `[task-N]`, in all reports of this answer. Empty from an older daemon.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// Canonical name.
    pub action: String,
    /// Its parameters by the schema's names, converted to their types.
    pub parameters: Parameters,
    /// Its place in the answer.
    pub metadata: ActionMetadata,
}

/// The place of an action in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionMetadata {
    /// The block's id, if its dialect has ids.
    pub block_id: Option<String>,
    /// 1-based line at which its block opens.
    pub start_line: u32,
    /// 1-based line at which its block ends.
    pub end_line: Option<u32>,
    /// The dialect's name.
    pub dialect: String,
}

/// A block of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlockInfo {
    /// The dialect's name.
    pub dialect: String,
    /// Its id, if the dialect has ids.
    pub id: Option<String>,
    /// 1-based line at which it opens.
    pub start_line: u32,
    /// 1-based line at which it ends; absent if its end is missing.
    pub end_line: Option<u32>,
    /// The effect of a failure inside it on the rest of it.
    pub policy: String,
    /// The number of actions that it holds.
    pub actions: usize,
    /// True if nothing is wrong with it.
    pub valid: bool,
}

/// A text that looks like an edit, in a form that clada does not read.
#[apply(wire_type)]
pub struct NotRead {
    /// 1-based line at which it begins.
    pub line: u32,
    /// The line at which it ends; absent if that is not known.
    pub end_line: Option<u32>,
    /// Its kind: `headless_diff`, `tool_call`, `shell_edit`, `escaped`,
    /// `unknown_element`, `other_dialect`; of code without a dialect `part`, `cut_off`, `elided`,
    /// `replacement`, `insertion`, `diff`, `delete`, `move`, `commands`, `elsewhere`, `refused`.
    pub kind: String,
    /// The path that it names, as written.
    pub path: Option<String>,
    /// The advice for the caller.
    pub hint: String,
}

/// An error or warning about the answer.
#[apply(wire_type)]
pub struct ParseIssue {
    /// The block's id; null where none could be read.
    #[serialize_always]
    pub block_id: Option<String>,
    /// The action, if it is known.
    pub action: Option<String>,
    /// `syntax`, `validation` or `type`.
    pub error_type: String,
    /// A stable name for the fault.
    pub code: Option<String>,
    /// The fault, in words.
    pub message: String,
    /// 1-based line at which the block opens.
    pub block_start_line: Option<u32>,
    /// The block as written (cut at 16 kB).
    pub sham_content: Option<String>,
    /// 1-based line of the fault.
    pub line: Option<u32>,
    /// 1-based column in UTF-16 code units.
    pub column: Option<u32>,
    /// Length in UTF-16 code units.
    pub length: Option<u32>,
    /// The line itself.
    pub content: Option<String>,
    /// The line with up to two lines before and after it.
    pub context: Option<String>,
    /// True if nothing of the whole answer runs because of it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fatal: bool,
    /// The advice for the caller.
    pub hint: Option<String>,
}

/// Counts of a parse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ParseSummary {
    /// Blocks found.
    pub total_blocks: usize,
    /// Valid actions.
    pub success_count: usize,
    /// Errors.
    pub error_count: usize,
}
