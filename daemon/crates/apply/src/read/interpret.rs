//! From an answer's text to numbered steps: finds the blocks, validates their actions, and says what is
//! wrong.
//!
//! Pure. Knows nothing of files; what an action would do to them is for `plan` to find out.

use std::sync::Arc;

use clada_config::{Settings, ShamPaths};
use clada_dialects::{Block, Choice, Code, CslDelimiters, Dialect, Member, Parse, Policy, Severity};
use clada_protocol::{ActionMetadata, BlockInfo, ErrorKind, OperationWarning, ParseIssue, RpcError};
use clada_schema::{Options, PathRule, RawAction, Validated, Violation, validate};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::read::answer::{Answer, Counts, Group, Shown, Step};
use crate::read::issues::{canonical, issue_at, issue_from_violation, report};

/// Warnings about actions at most: they stop nothing, and an answer can cause very many.
const NOTES: usize = 1000;

/// The way answers are read: the dialects that are looked for, and what the configuration says of them.
#[derive(Debug, Clone)]
pub struct Reading {
    options: clada_dialects::Options,
    sham_paths: PathRule,
    actions: usize,
}

/// A [`Reading`] as it is kept with an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedReading {
    named: bool,
    dialects: Option<Vec<String>>,
    csl: (String, String),
    absolute: bool,
}

impl Reading {
    /// Reads with the dialects that are asked for, or all that are enabled.
    ///
    /// # Errors
    /// `invalid_params` if a dialect's name is unknown or it is switched off.
    pub fn new(dialects: Option<&[String]>, settings: &Settings) -> Result<Reading, RpcError> {
        let choice = match dialects {
            None => Choice::Enabled(settings.dialects.clone()),
            Some(names) => {
                let named = names.iter().map(|name| named(name, settings));
                Choice::Named(named.collect::<Result<_, _>>()?)
            }
        };
        let sham_paths = match settings.sham_paths {
            ShamPaths::Any => PathRule::Any,
            ShamPaths::Absolute => PathRule::Absolute,
        };
        let bounds = settings.limits.bounds();
        Ok(Reading {
            options: clada_dialects::Options { bounds, choice, csl: settings.csl() },
            sham_paths,
            actions: usize::try_from(settings.limits.actions).unwrap_or(usize::MAX),
        })
    }

    /// Returns how it reads, to be saved: everything on which the numbers of an answer's actions depend, but
    /// for bounds.
    #[must_use]
    pub(crate) fn keep(&self) -> SavedReading {
        let (named, dialects) = match &self.options.choice {
            Choice::Auto => (false, None),
            Choice::Enabled(dialects) => (false, Some(dialects)),
            Choice::Named(dialects) => (true, Some(dialects)),
        };
        SavedReading {
            named,
            dialects: dialects.map(|all| all.iter().map(|dialect| dialect.name().to_owned()).collect()),
            csl: (self.options.csl.start().to_owned(), self.options.csl.end().to_owned()),
            absolute: self.sham_paths == PathRule::Absolute,
        }
    }

    /// Reads as it was kept, within the bounds that `settings` have; `None` if this version does not know
    /// how.
    #[must_use]
    pub(crate) fn from_saved(saved: &SavedReading, settings: &Settings) -> Option<Reading> {
        let reading = Reading::new(None, settings).ok()?;
        let choice = match &saved.dialects {
            None => Choice::Auto,
            Some(names) => {
                let dialects = names.iter().map(|name| Dialect::from_name(name)).collect::<Option<_>>()?;
                if saved.named { Choice::Named(dialects) } else { Choice::Enabled(dialects) }
            }
        };
        let csl = CslDelimiters::new(&saved.csl.0, &saved.csl.1)?;
        Some(Reading {
            options: clada_dialects::Options { choice, csl, ..reading.options },
            sham_paths: if saved.absolute { PathRule::Absolute } else { PathRule::Any },
            ..reading
        })
    }

    /// Reads `text`. Whatever is wrong with it is in the [`Answer`].
    #[must_use]
    pub fn read(&self, text: &str) -> Answer {
        self.read_shared(&Arc::from(text))
    }

    /// Reads `text` as [`Reading::read`] does; what the answer writes to files is held by `text` alone.
    #[must_use]
    pub(crate) fn read_shared(&self, text: &Arc<str>) -> Answer {
        let single = clada_dialects::single_line_ends(text).map(Arc::from);
        let text = single.as_ref().unwrap_or(text);
        let parse = clada_dialects::parse_with(text, &self.options);
        if !parse.blocks.is_empty() {
            return self.answer(text, &parse);
        }
        for undamaged in clada_dialects::undamaged(text) {
            let plain: Arc<str> = Arc::from(undamaged.text);
            let again = clada_dialects::parse_with(&plain, &self.options);
            if again.blocks.is_empty() {
                continue;
            }
            let mut answer = self.answer(&plain, &again);
            let (error_type, message) = ("syntax".to_owned(), undamaged.message.to_owned());
            answer.warnings.insert(0, ParseIssue { error_type, message, ..ParseIssue::default() });
            return answer;
        }
        self.answer(text, &parse)
    }

    /// Reads `text` and keeps the syntax trees of the dialects that have one.
    #[must_use]
    pub fn read_with_trees(&self, text: &str) -> Answer {
        let single = clada_dialects::single_line_ends(text);
        let text = &Arc::from(single.as_deref().unwrap_or(text));
        let parse = clada_dialects::parse_with(text, &self.options);
        let mut tree = Map::new();
        let mut add = |dialect: Dialect, value: serde_json::Result<Value>| {
            if self.options.choice.includes(dialect) {
                tree.insert(dialect.name().to_owned(), value.unwrap_or_default());
            }
        };
        add(Dialect::Sham, serde_json::to_value(clada_dialects::sham_tree(&parse)));
        let csl = clada_dialects::csl_tree(text, &parse, &self.options.csl);
        add(Dialect::Csl, serde_json::to_value(csl));
        Answer { tree: Some(tree), ..self.answer(text, &parse) }
    }

    fn answer(&self, text: &Arc<str>, parse: &Parse<'_>) -> Answer {
        let is_referred_to = !parse.candidates.is_empty()
            || !parse.plain.candidates.is_empty()
            || !parse.plain.illustrations.is_empty()
            || !parse.plain.dismissed.is_empty();
        let shown = if is_referred_to { Arc::clone(text) } else { Arc::default() };
        let (candidates, doubts) = (parse.candidates.clone(), parse.doubts.clone());
        let choice = self.options.choice.clone();
        let plain = parse.plain.clone();
        let plain_alone = matches!(&choice, Choice::Named(named) if named.contains(&Dialect::WholeFile));
        let mut answer =
            Answer { candidates, doubts, shown, choice, plain, plain_alone, ..Answer::default() };
        let mut number = 1;
        let mut diagnostics = parse.diagnostics.iter().peekable();
        for block in &parse.blocks {
            // Diagnostics and blocks are both in document order; what precedes a block's end is reported with
            // it.
            let last_line = block.end_line.unwrap_or(u32::MAX);
            while let Some(diagnostic) = diagnostics.next_if(|diagnostic| diagnostic.line <= last_line) {
                report(diagnostic, text, Some(block), &mut answer);
            }
            let errors_before = answer.errors.len();
            if is_listed(block) {
                let place = BlockContext { text, parse, block, number };
                self.read_actions(&place, &mut answer);
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
            report(diagnostic, text, parse.blocks.last(), &mut answer);
        }
        answer.counted = Counts { steps: answer.steps.len(), tasks: number - 1 };
        answer
    }

    fn read_actions(&self, place: &BlockContext<'_, '_>, answer: &mut Answer) {
        let block = place.block;
        // What is written in SHAM is meant to be absolute; the other dialects take both.
        let paths = if block.dialect == Dialect::Sham { self.sham_paths } else { PathRule::Either };
        let options = Options { paths };
        for (index, raw) in block.actions.iter().enumerate() {
            if answer.steps.len() >= self.actions {
                let message = format!(
                    "More than {} actions (limits.actions): nothing of this answer is applied",
                    self.actions
                );
                answer.errors.push(ParseIssue { fatal: true, ..issue_at(block, "validation", message) });
                return;
            }
            let member = block.members.get(index);
            if let Some(failure) = member.filter(|member| !member.valid).map(|member| place.why(member)) {
                answer.steps.push(place.step(index, Err(failure), answer));
                continue;
            }
            match validate(raw, &options) {
                Ok(mut validated) => {
                    validated.action.share(raw, place.text);
                    let task = block.task(place.number, index);
                    let room = NOTES.saturating_sub(answer.notes.len());
                    answer.notes.extend(validated.warnings.iter().take(room).map(|warning| {
                        OperationWarning { task: Some(task.clone()), message: warning.to_string() }
                    }));
                    answer.steps.push(place.step(index, Ok(validated), answer));
                }
                Err(violations) => {
                    for violation in &violations {
                        let name = raw.name.as_deref();
                        let issue = issue_from_violation(violation, name, place.text, block, answer);
                        answer.errors.push(issue);
                    }
                    if let (true, Some(first)) = (block.policy != Policy::Each, violations.first()) {
                        answer.steps.push(place.step(index, Err(of_first(first)), answer));
                    }
                }
            }
        }
    }
}

fn named(name: &str, settings: &Settings) -> Result<Dialect, RpcError> {
    let dialect = dialect(name)?;
    if settings.may_be_named(dialect) {
        return Ok(dialect);
    }
    let message = format!("The dialect '{name}' is switched off");
    Err(RpcError::new(ErrorKind::InvalidParams, message)
        .hint("`dialects.enabled` in the configuration decides; `clada config` shows where it is set"))
}

/// The dialect called `name`.
///
/// # Errors
/// `invalid_params` with the names that there are.
pub fn dialect(name: &str) -> Result<Dialect, RpcError> {
    Dialect::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        RpcError::new(ErrorKind::InvalidParams, format!("Unknown dialect '{name}'"))
            .hint(format!("known dialects: {}", known.join(", ")))
    })
}

// Returns true if the actions of a block become steps. Those of a broken one do only to say which of them
// keeps the others from being done: an atomic block in which one is invalid is never applied.
fn is_listed(block: &Block<'_>) -> bool {
    let invalid = || block.members.iter().any(|member| !member.valid);
    block.sound || (block.policy == Policy::Atomic && block.end_line.is_some() && invalid())
}

struct BlockContext<'p, 'a> {
    text: &'p Arc<str>,
    parse: &'p Parse<'a>,
    block: &'p Block<'a>,
    number: usize,
}

impl BlockContext<'_, '_> {
    fn step(&self, index: usize, validated: Result<Validated, Failure>, answer: &Answer) -> Step {
        let block = self.block;
        let raw: &RawAction<'_> = &block.actions[index];
        let member = block.members.get(index);
        let metadata = ActionMetadata {
            block_id: block.id.map(str::to_owned),
            start_line: member.map_or(block.start_line, |member| member.start_line),
            end_line: member.map_or(block.end_line, |member| Some(member.end_line)),
            dialect: block.dialect.name().to_owned(),
        };
        let (action, terms, deleted, parameters) = match validated {
            Ok(validated) => (Ok(validated.action), validated.terms, validated.deleted, validated.present),
            Err(failure) => (Err(Box::new(failure)), raw.terms, Vec::new(), Vec::new()),
        };
        Step {
            seq: answer.steps.len() + 1,
            task: block.task(self.number, index),
            group: Group { block: answer.blocks.len(), policy: block.policy },
            metadata,
            name: raw.name.as_deref().map(canonical).unwrap_or_default(),
            action,
            terms,
            deleted,
            shown: Shown::OfAction(parameters),
            accepted: None,
            edited: Vec::new(),
            left_out: false,
            is_proposal: false,
        }
    }

    fn why(&self, member: &Member) -> Failure {
        let lines = member.start_line..=member.end_line;
        let from = self.parse.diagnostics.partition_point(|diagnostic| diagnostic.line < member.start_line);
        let diagnostic = self.parse.diagnostics[from..]
            .iter()
            .take_while(|diagnostic| lines.contains(&diagnostic.line))
            .find(|diagnostic| {
                diagnostic.severity == Severity::Error && diagnostic.dialect == Some(self.block.dialect)
            });
        let message = diagnostic.map_or("It is not a valid action", |diagnostic| diagnostic.message.as_str());
        match diagnostic.map(|diagnostic| diagnostic.code) {
            Some(Code::UnknownElement) => {
                Failure::with_message(ErrorKind::UnknownAction, format!("{message} (UNKNOWN_ACTION)"))
            }
            _ => Failure::with_message(ErrorKind::InvalidValue, format!("{message} (INVALID_VALUE)")),
        }
    }
}

fn of_first(violation: &Violation) -> Failure {
    let kind = match violation.code {
        "UNKNOWN_ACTION" => ErrorKind::UnknownAction,
        _ => ErrorKind::InvalidValue,
    };
    let failure = Failure::with_message(kind, format!("{} ({})", violation.message, violation.code));
    match &violation.hint {
        Some(hint) => failure.hint(hint.as_str()),
        None => failure,
    }
}
