//! From an answer's text to numbered steps: finds the blocks, validates their actions, and says what is wrong.
//!
//! Pure. Knows nothing of files; what an action would do to them is for `plan` to find out.

use clada_dialects::{Block, Choice, Code, Diagnostic, Dialect, ErrorType, Parse, Severity};
use clada_protocol::{
    ActionMetadata, BlockInfo, ErrorKind, OperationWarning, ParseIssue, ParseResult, ParseSummary,
    ParsedAction, RpcError,
};
use clada_schema::{Action, Hunk, Options, PathRule, Terms, Violation, ViolationType, validate};
use serde_json::{Map, Value};

use crate::config::{Settings, ShamPaths};

/// Bytes of a block that a parse error repeats.
const BLOCK_EXCERPT: usize = 16 << 10;

/// Warnings about actions at most: they stop nothing, and an answer can cause very many.
const NOTES: usize = 1000;

/// Errors that repeat their block; later ones only say where it is, so that a broken answer has a bounded result.
const ERRORS_WITH_BLOCK: usize = 200;

/// The dialects whose answers this version carries out. The crate `dialects` reads more than these.
pub const DIALECTS: &[Dialect] = &[Dialect::Sham];

/// The dialect called `name`, if this version carries it out.
#[must_use]
pub fn dialect(name: &str) -> Option<Dialect> {
    Dialect::from_name(name).filter(|dialect| DIALECTS.contains(dialect))
}

/// An action of an answer with its place and number.
#[derive(Debug, Clone)]
pub struct Step {
    /// 1-based, in document order, counting valid actions only.
    pub seq: usize,
    /// The number in `[task-N]`: counts operations of the answer, valid or not.
    pub task: String,
    /// Where it stands.
    pub metadata: ActionMetadata,
    /// What is to be done.
    pub action: Action,
    /// What its dialect says besides parameters.
    pub terms: Terms,
    /// The lines that a file that is deleted must consist of, if the dialect names them.
    pub deleted: Vec<Hunk>,
    /// Its parameters by name, as converted.
    pub parameters: Map<String, Value>,
}

/// An answer as it was understood.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The valid actions in document order.
    pub steps: Vec<Step>,
    /// The blocks in document order.
    pub blocks: Vec<BlockInfo>,
    /// What is wrong, in document order.
    pub errors: Vec<ParseIssue>,
    /// What is odd about the text itself.
    pub warnings: Vec<ParseIssue>,
    /// What is odd about an action.
    pub notes: Vec<OperationWarning>,
    /// The syntax tree by dialect, if it was asked for.
    pub tree: Option<Map<String, Value>>,
}

impl Answer {
    /// Why nothing of the answer may run, if that is so.
    #[must_use]
    pub fn fatal(&self) -> Option<&str> {
        self.errors.iter().find(|issue| issue.fatal).map(|issue| issue.message.as_str())
    }

    /// The answer in the shape of the method `parse`.
    #[must_use]
    pub fn into_parse_result(self) -> ParseResult {
        let summary = ParseSummary {
            total_blocks: self.blocks.len(),
            success_count: self.steps.len(),
            error_count: self.errors.len(),
        };
        let actions = self
            .steps
            .into_iter()
            .map(|step| ParsedAction {
                action: step.action.name().to_owned(),
                parameters: step.parameters,
                metadata: step.metadata,
            })
            .collect();
        let notes = self.notes.into_iter().map(|note| ParseIssue {
            error_type: "validation".to_owned(),
            message: note.message,
            ..ParseIssue::default()
        });
        let warnings = self.warnings.into_iter().chain(notes).collect();
        ParseResult { actions, errors: self.errors, warnings, blocks: self.blocks, summary, tree: self.tree }
    }
}

/// Reads `text` with the dialects that are asked for, or all that are enabled.
///
/// # Errors
/// `invalid_params` if a dialect's name is unknown or it is switched off. Whatever is wrong with the text itself
/// is in the [`Answer`].
pub fn interpret(
    text: &str,
    dialects: Option<&[String]>,
    tree: bool,
    settings: &Settings,
) -> Result<Answer, RpcError> {
    let choice = choice(dialects, settings)?;
    let parse = clada_dialects::parse(text, &settings.limits.bounds(), &choice);
    let mut answer = Answer::default();
    if tree {
        let sham = serde_json::to_value(clada_dialects::sham_tree(&parse)).unwrap_or_default();
        answer.tree = Some(Map::from_iter([(Dialect::Sham.name().to_owned(), sham)]));
    }
    let paths = match settings.sham_paths {
        ShamPaths::Any => PathRule::Any,
        ShamPaths::Absolute => PathRule::Absolute,
    };
    let options = Options { paths };
    let actions = usize::try_from(settings.limits.actions).unwrap_or(usize::MAX);
    read_blocks(text, &parse, &options, actions, &mut answer);
    Ok(answer)
}

fn choice(dialects: Option<&[String]>, settings: &Settings) -> Result<Choice, RpcError> {
    let enabled = &settings.dialects;
    let Some(names) = dialects else { return Ok(Choice::Named(enabled.clone())) };
    let known = || DIALECTS.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ");
    let mut named = Vec::new();
    for name in names {
        let Some(dialect) = dialect(name) else {
            let message = format!("Unknown dialect '{name}'");
            return Err(
                RpcError::new(ErrorKind::InvalidParams, message).hint(format!("known dialects: {}", known()))
            );
        };
        if !enabled.contains(&dialect) {
            let message = format!("The dialect '{name}' is switched off");
            return Err(RpcError::new(ErrorKind::InvalidParams, message)
                .hint("`dialects.enabled` in the configuration decides; `clada-client config` shows where it is set"));
        }
        named.push(dialect);
    }
    Ok(Choice::Named(named))
}

fn read_blocks(text: &str, parse: &Parse<'_>, options: &Options, limit: usize, answer: &mut Answer) {
    let mut number = 1;
    let mut diagnostics = parse.diagnostics.iter().peekable();
    for block in &parse.blocks {
        // Diagnostics and blocks are both in document order; what precedes a block's end is told with it.
        let last_line = block.end_line.unwrap_or(u32::MAX);
        while let Some(diagnostic) = diagnostics.next_if(|diagnostic| diagnostic.line <= last_line) {
            tell(diagnostic, text, Some(block), answer);
        }
        let errors_before = answer.errors.len();
        if block.sound {
            read_actions(text, block, number, options, limit, answer);
        }
        number += block.numbers();
        answer.blocks.push(BlockInfo {
            dialect: block.dialect.name().to_owned(),
            id: block.id.map(str::to_owned),
            start_line: block.start_line,
            end_line: block.end_line,
            policy: block.policy.name().to_owned(),
            actions: block.actions.len(),
            valid: block.sound && answer.errors.len() == errors_before,
        });
    }
    for diagnostic in diagnostics {
        tell(diagnostic, text, parse.blocks.last(), answer);
    }
}

fn read_actions(
    text: &str,
    block: &Block<'_>,
    number: usize,
    options: &Options,
    limit: usize,
    answer: &mut Answer,
) {
    for (index, raw) in block.actions.iter().enumerate() {
        if answer.steps.len() >= limit {
            let message =
                format!("More than {limit} actions (limits.actions): nothing of this answer is carried out");
            answer.errors.push(ParseIssue { fatal: true, ..issue_at(block, "validation", message) });
            return;
        }
        match validate(raw, options) {
            Ok(validated) => {
                let task = block.task(number, index);
                let room = NOTES.saturating_sub(answer.notes.len());
                answer.notes.extend(validated.warnings.iter().take(room).map(|warning| OperationWarning {
                    task: Some(task.clone()),
                    message: warning.to_string(),
                }));
                answer.steps.push(Step {
                    seq: answer.steps.len() + 1,
                    task,
                    metadata: metadata(block),
                    action: validated.action,
                    terms: validated.terms,
                    deleted: validated.deleted,
                    parameters: validated.parameters,
                });
            }
            Err(violations) => {
                let action = raw.name.as_deref();
                for violation in &violations {
                    let excerpt = excerpt(text, block, answer);
                    answer.errors.push(told(violation, action, excerpt, block));
                }
            }
        }
    }
}

fn metadata(block: &Block<'_>) -> ActionMetadata {
    ActionMetadata {
        block_id: block.id.map(str::to_owned),
        start_line: block.start_line,
        end_line: block.end_line,
        dialect: block.dialect.name().to_owned(),
    }
}

fn issue_at(block: &Block<'_>, error_type: &str, message: String) -> ParseIssue {
    ParseIssue {
        block_id: block.id.map(str::to_owned),
        error_type: error_type.to_owned(),
        message,
        block_start_line: Some(block.start_line),
        ..ParseIssue::default()
    }
}

fn told(
    violation: &Violation,
    action: Option<&str>,
    excerpt: Option<String>,
    block: &Block<'_>,
) -> ParseIssue {
    let error_type = match violation.violation_type {
        ViolationType::Validation => "validation",
        ViolationType::Type => "type",
    };
    let canonical =
        action.map(|name| clada_schema::definition(name).map_or(name, |found| found.name.as_str()));
    ParseIssue {
        action: canonical.map(str::to_owned),
        code: Some(violation.code.to_owned()),
        sham_content: excerpt,
        line: Some(violation.span.map_or(block.start_line, |span| span.line)),
        column: violation.span.map(|span| span.column),
        length: violation.span.map(|span| span.length),
        hint: violation.hint.clone(),
        ..issue_at(block, error_type, violation.message.clone())
    }
}

fn tell(diagnostic: &Diagnostic, text: &str, block: Option<&Block<'_>>, answer: &mut Answer) {
    let block =
        block.filter(|block| diagnostic.block_id.is_some() && block.id == diagnostic.block_id.as_deref());
    let error_type = match diagnostic.error_type {
        ErrorType::Syntax => "syntax",
        ErrorType::Validation => "validation",
        ErrorType::Type => "type",
    };
    let code = serde_json::to_value(diagnostic.code).ok().and_then(|code| code.as_str().map(str::to_owned));
    let action = block.and_then(|block| block.actions.first()).and_then(|raw| raw.name.as_deref());
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
        hint: None,
    };
    match diagnostic.severity {
        Severity::Error => answer.errors.push(issue),
        Severity::Warning => answer.warnings.push(issue),
    }
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
