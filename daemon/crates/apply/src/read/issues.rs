//! Issues of an answer, as results report them: with the block that they belong to, within bounds.
//!
//! Pure. Knows the shapes of diagnostics and results, nothing of what is done with an answer.

use clada_dialects::{Block, Code, Diagnostic, ErrorType, Severity};
use clada_protocol::ParseIssue;
use clada_schema::{Violation, ViolationType};

use crate::read::answer::Answer;

/// Bytes of a block that a parse error repeats.
const BLOCK_EXCERPT: usize = 16 << 10;

/// Errors that repeat their block; later ones only say where it is, so that a broken answer has a bounded
/// result.
const ERRORS_WITH_BLOCK: usize = 200;

pub(crate) fn issue_at(block: &Block<'_>, error_type: &str, message: String) -> ParseIssue {
    ParseIssue {
        block_id: block.id.map(str::to_owned),
        error_type: error_type.to_owned(),
        message,
        block_start_line: Some(block.start_line),
        ..ParseIssue::default()
    }
}

pub(crate) fn issue_from_violation(
    violation: &Violation,
    action: Option<&str>,
    text: &str,
    block: &Block<'_>,
    answer: &Answer,
) -> ParseIssue {
    let error_type = match violation.violation_type {
        ViolationType::Validation => "validation",
        ViolationType::Type => "type",
    };
    ParseIssue {
        action: action.map(canonical),
        code: Some(violation.code.to_owned()),
        sham_content: excerpt(text, block, answer),
        line: Some(violation.span.map_or(block.start_line, |span| span.line)),
        column: violation.span.map(|span| span.column),
        length: violation.span.map(|span| span.length),
        hint: violation.hint.clone(),
        ..issue_at(block, error_type, violation.message.clone())
    }
}

pub(crate) fn canonical(name: &str) -> String {
    clada_schema::definition(name).map_or(name, |definition| definition.name.as_str()).to_owned()
}

/// Takes a diagnostic into `answer`. `block` is the one before whose end it stands.
pub(crate) fn report(diagnostic: &Diagnostic, text: &str, block: Option<&Block<'_>>, answer: &mut Answer) {
    let block = block.filter(|block| belongs(diagnostic, block));
    let error_type = match diagnostic.error_type {
        ErrorType::Syntax => "syntax",
        ErrorType::Validation => "validation",
        ErrorType::Type => "type",
    };
    let code = serde_json::to_value(diagnostic.code).ok().and_then(|code| code.as_str().map(str::to_owned));
    let action = block.and_then(|block| action_at(block, diagnostic.line));
    // The dialects do not know what their bound is called here.
    let message = match diagnostic.code {
        Code::TooManyBlocks => diagnostic.message.replacen(" blocks:", " blocks (limits.blocks):", 1),
        _ => diagnostic.message.clone(),
    };
    let issue = ParseIssue {
        block_id: diagnostic.block_id.clone(),
        action: action.map(str::to_owned),
        error_type: error_type.to_owned(),
        code,
        message,
        block_start_line: block.map(|block| block.start_line),
        sham_content: block.and_then(|block| excerpt(text, block, answer)),
        line: Some(diagnostic.line),
        column: Some(diagnostic.column),
        length: Some(diagnostic.length),
        content: Some(diagnostic.content.clone()),
        context: Some(diagnostic.context.clone()),
        fatal: diagnostic.fatal,
        hint: is_cut_off(diagnostic).then(|| CUT_OFF.to_owned()),
    };
    match diagnostic.severity {
        Severity::Error => answer.errors.push(issue),
        Severity::Warning => answer.warnings.push(issue),
    }
}

const CUT_OFF: &str = "the answer is cut off there, or the line that ends it is missing: the model has to send this block again, whole";

fn is_cut_off(diagnostic: &Diagnostic) -> bool {
    match diagnostic.code {
        Code::UnclosedHeredoc | Code::UnclosedBlock => diagnostic.message.ends_with("before EOF"),
        _ => false,
    }
}

/// Returns true if a diagnostic is about `block`: by their ids, or by their lines in a dialect without ids.
fn belongs(diagnostic: &Diagnostic, block: &Block<'_>) -> bool {
    match (&diagnostic.block_id, block.id) {
        (Some(named), Some(id)) => named == id,
        (None, None) => {
            diagnostic.dialect == Some(block.dialect)
                && diagnostic.line >= block.start_line
                && block.end_line.is_none_or(|end| diagnostic.line <= end)
        }
        _ => false,
    }
}

fn action_at<'b>(block: &'b Block<'_>, line: u32) -> Option<&'b str> {
    let index = match block.members.as_slice() {
        [] => 0,
        members => members.iter().position(|member| (member.start_line..=member.end_line).contains(&line))?,
    };
    block.actions.get(index)?.name.as_deref()
}

/// The block as written, cut at [`BLOCK_EXCERPT`] bytes; `None` when enough errors have repeated theirs.
fn excerpt(text: &str, block: &Block<'_>, answer: &Answer) -> Option<String> {
    if answer.errors.len() >= ERRORS_WITH_BLOCK {
        return None;
    }
    let source = text.get(block.source.clone()).unwrap_or_default();
    if source.len() <= BLOCK_EXCERPT {
        return Some(source.to_owned());
    }
    Some(format!("{}…", &source[..source.floor_char_boundary(BLOCK_EXCERPT)]))
}
