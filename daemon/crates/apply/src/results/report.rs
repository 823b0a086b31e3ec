//! From what was planned and done to results: what each action reports, within the bounds of a result.
//!
//! Pure. How a result is rendered as text is the protocol's business, since the client does it too.

use clada_exec::Keep;
use clada_protocol::{ActionResult, ActionStatus, ErrorKind, WithinLine};
use serde_json::{Map, Value, json};

use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::Failure;
use crate::failure::{failed_in_part, unread};
use crate::read::answer::Step;
use crate::write::{Before, Write};

/// Bytes of a parameter that stay when a result has to be cut.
const PARAM_EXCERPT: usize = 1 << 10;

/// Bytes of a parameter or error that stay when a result is full.
const SHORT_EXCERPT: usize = 256;

/// Paths that a warning names.
const NAMED: usize = 5;

/// The first of `paths`, and how many more there are.
pub(crate) fn named(paths: &[String]) -> String {
    let named: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
    let more = paths.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("'{}'{more}", named.join("', '"))
}

/// `1 line`, `3 lines` or `at least 3 lines`.
pub(crate) fn lines_found(count: usize, is_more: bool) -> String {
    let noun = if count == 1 { "line" } else { "lines" };
    format!("{}{count} {noun}", if is_more { "at least " } else { "" })
}

/// How much a result may still hold. What does not fit is cut, and flagged where it was cut.
#[derive(Debug)]
pub(crate) struct Budget {
    left: usize,
    cut: bool,
}

impl Budget {
    /// A budget of `bytes`.
    #[must_use]
    pub(crate) fn new(bytes: usize) -> Budget {
        Budget { left: bytes, cut: false }
    }

    /// Whether anything was cut.
    #[must_use]
    pub(crate) fn was_cut(&self) -> bool {
        self.cut
    }

    /// Something was left out before it was asked for.
    pub(crate) fn note_cut(&mut self) {
        self.cut = true;
    }

    /// Bytes that are left.
    #[must_use]
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Takes `bytes`, if they are left.
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.left;
        if fits {
            self.left -= bytes;
        } else {
            self.cut = true;
        }
        fits
    }
}

/// Bytes of `value` as JSON, near enough: escapes counted, punctuation rounded up.
#[must_use]
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 6,
        Value::Number(_) => 12,
        Value::String(text) => text_weight(text),
        Value::Array(items) => 2 + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => 2 + map.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>(),
    }
}

/// Bytes of `text` as a JSON string.
#[must_use]
pub(crate) fn text_weight(text: &str) -> usize {
    let escapes = |byte: &u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + 3 + text.as_bytes().iter().map(escapes).sum::<usize>()
}

/// What an action that succeeded yields.
#[derive(Debug, Default)]
pub(crate) struct ActionOutput {
    /// Its data.
    pub data: Option<Value>,
    /// There would be more data.
    pub truncated: bool,
    /// The files already were as asked.
    pub unchanged: bool,
    /// The rung of the ladder that matched, if it is one that a report names.
    pub matched_by: Option<&'static str>,
    /// The line of which an exact match was only a part, from 1, as it became.
    pub within_line: Option<(usize, String)>,
}

/// Characters of a line that a result shows.
const LINE_SHOWN: usize = 200;

/// The result of an action that succeeded or failed.
pub(crate) fn result(
    step: Step,
    outcome: Result<ActionOutput, Failure>,
    duration_ms: u64,
    budget: &mut Budget,
) -> ActionResult {
    let mut truncated = false;
    let params = cut_params(step.parameters(), budget, &mut truncated);
    let mut result = ActionResult {
        seq: step.seq,
        task: step.task,
        block: step.group.block,
        block_id: step.metadata.block_id,
        action: step.name,
        params,
        duration_ms,
        ..ActionResult::default()
    };
    match outcome {
        Ok(yielded) => {
            (result.status, result.success) = (ActionStatus::Success, true);
            result.unchanged = yielded.unchanged;
            result.matched_by = yielded.matched_by.map(str::to_owned);
            let cut = |text: String| match text.char_indices().nth(LINE_SHOWN) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            };
            result.within_line = yielded.within_line.map(|(line, text)| WithinLine { line, text: cut(text) });
            truncated |= yielded.truncated;
            let data = yielded.data.map(|data| fitted(data, budget, &mut truncated));
            result.data = data.filter(|data| keep(data, budget, &mut truncated));
        }
        Err(failure) => {
            result.status = match failure.kind {
                ErrorKind::Skipped | ErrorKind::AnswerAlreadyApplied | ErrorKind::NotDelivered => {
                    ActionStatus::Skip
                }
                // A command that was ended has begun.
                ErrorKind::Cancelled | ErrorKind::Timeout if failure.data.is_none() => ActionStatus::Skip,
                _ => ActionStatus::Error,
            };
            result.kind = Some(failure.kind);
            result.would_match = failure.would_match.map(str::to_owned);
            let mut error = format!("{}: {}", result.action, failure.message);
            if !budget.take(text_weight(&error)) {
                cut(&mut error, SHORT_EXCERPT);
                truncated = true;
            }
            result.error = Some(error);
            result.hint = failure.hint.filter(|hint| budget.take(text_weight(hint)));
            result.person_hint = failure.person_hint.filter(|_| result.hint.is_some());
            let data = failure.data.map(|data| fitted(data, budget, &mut truncated));
            result.data = data.filter(|data| keep(data, budget, &mut truncated));
        }
    }
    result.truncated = truncated;
    result
}

/// What a command wrote is cut in the middle if it does not fit: how the command ended is to be known.
fn fitted(mut data: Value, budget: &mut Budget, truncated: &mut bool) -> Value {
    if weight(&data) <= budget.left() || data.get("exit_code").is_none() {
        return data;
    }
    let texts = ["stdout", "stderr"];
    let taken: usize = texts.iter().filter_map(|name| data.get(*name)).map(weight).sum();
    let mut room = budget.left().saturating_sub(weight(&data) - taken);
    // Half of the room is for what is written to each; the second has what the first has left of it.
    for (name, share) in texts.into_iter().zip([2, 1]) {
        let Some(Value::String(text)) = data.get_mut(name) else { continue };
        let own = room / share;
        let mut bound = own.min(text.len());
        while text_weight(text) > own && bound > 0 {
            let mut keep = Keep::new(bound);
            keep.take(text.as_bytes());
            *text = keep.finish().text;
            bound /= 2;
        }
        room = room.saturating_sub(text_weight(text));
    }
    data["truncated"] = true.into();
    *truncated = true;
    budget.note_cut();
    data
}

fn keep(data: &Value, budget: &mut Budget, truncated: &mut bool) -> bool {
    let kept = budget.take(weight(data));
    *truncated |= !kept;
    kept
}

fn cut(text: &mut String, excerpt: usize) {
    if text.len() > excerpt {
        text.truncate(text.floor_char_boundary(excerpt));
        text.push('…');
    }
}

fn cut_params(
    mut params: Map<String, Value>,
    budget: &mut Budget,
    truncated: &mut bool,
) -> Map<String, Value> {
    for value in params.values_mut() {
        // The texts of an answer are known to whoever sent it: they get a quarter of what is left, the rest is
        // for what is not known yet.
        let weight = weight(value);
        let excerpt = if weight > budget.left() { SHORT_EXCERPT } else { PARAM_EXCERPT };
        if weight > excerpt * 2 && weight > budget.left() / 4 {
            if let Value::String(text) = value {
                cut(text, excerpt);
            } else {
                *value = Value::Null;
            }
            *truncated = true;
            budget.cut = true;
        }
        budget.left = budget.left.saturating_sub(self::weight(value));
    }
    params
}

/// `data` of a write, which says if the last line got an end (spec: answers, section 5).
fn ended(mut data: Value, write: &Write) -> Value {
    if write.newline_added && !write.is_unchanged() {
        data["finalNewline"] = "added".into();
    }
    data
}

/// What an effect yields on success (spec: actions, "data on success").
#[must_use]
pub(crate) fn data(effect: &Effect, step: &Step) -> Option<Value> {
    use clada_schema::Action;
    let action = step.action.as_ref().ok()?;
    Some(match (effect, action) {
        (Effect::Write(write), Action::FileWrite(_)) => ended(
            json!({
                "path": write.path.written(),
                "bytesWritten": write.new.len(),
                "created": write.before == Before::Missing,
            }),
            write,
        ),
        (Effect::Write(write), Action::FileAppend(append)) => {
            let added = match &write.old {
                Some(old) => write.new.len() - old.len(),
                None => append.content.len().max(write.new.len()),
            };
            ended(json!({ "path": write.path.written(), "bytesWritten": added }), write)
        }
        (Effect::Write(write), Action::FilePatch(patch)) => {
            // A file that comes to be is written; of one that changes, some hunks may have been left out.
            let hunks = if write.replacements == 0 { patch.hunks.len() } else { write.replacements };
            let mut data = json!({ "path": write.path.written(), "hunks": hunks });
            if write.before == Before::Missing {
                data["created"] = true.into();
            }
            data
        }
        (Effect::WriteMoved { from, write, .. }, _) => {
            json!({ "path": from.written(), "newPath": write.path.written(), "hunks": write.replacements })
        }
        (Effect::Write(write), Action::FileReplaceLines(_)) => {
            json!({ "path": write.path.written(), "lines_replaced": write.replacements })
        }
        (Effect::Write(write), action) => {
            let mut data = json!({ "path": write.path.written(), "replacements": write.replacements });
            if let (Action::FileReplaceTextRange(_), Some((first, last))) = (action, write.lines) {
                data["firstLine"] = first.into();
                data["lastLine"] = last.into();
            }
            data
        }
        (Effect::Several(files), _) => several(files.iter().map(|file| match file {
            Ok(write) => (write.path.written(), Ok(write)),
            Err((path, failure)) => (path.written(), Err(failure)),
        })),
        (Effect::Delete { path, .. } | Effect::RemoveFolder(path), _) => json!({ "path": path.written() }),
        (Effect::Move { from, to, .. }, Action::FilePatch(_)) => {
            json!({ "path": from.written(), "newPath": to.written(), "hunks": 0 })
        }
        (Effect::Move { from, to, replaced, .. }, _) => {
            let mut data = json!({ "old_path": from.written(), "new_path": to.written() });
            if *replaced != Before::Missing {
                data["overwrote"] = true.into();
            }
            data
        }
        (Effect::CreateFolder { path, missing }, _) => {
            json!({ "path": path.written(), "created": !missing.is_empty() })
        }
        (Effect::Restore(restore), _) => json!({ "path": restore.path.written() }),
        (Effect::Steps(steps), _) => {
            let paths: Vec<&str> = steps.iter().flat_map(Effect::paths).map(|path| path.written()).collect();
            json!({ "stdout": "", "stderr": "", "exit_code": 0, "paths": paths })
        }
        (Effect::ReadOnly(_) | Effect::Command(_), _) => return None,
    })
}

/// Why `effect` fails although a part of it can be done, as far as that is known beforehand.
pub(crate) fn failure_in_part(effect: &Effect) -> Option<Failure> {
    match effect {
        Effect::Several(files) => {
            let failed: Vec<&Failure> =
                files.iter().filter_map(|file| file.as_ref().err()).map(|(_, failure)| failure).collect();
            failed_in_part("failed", files.len(), &failed, || {
                several(files.iter().map(|file| match file {
                    Ok(write) => (write.path.written(), Ok(write)),
                    Err((path, failure)) => (path.written(), Err(failure)),
                }))
            })
        }
        Effect::ReadOnly(ReadOnlyAction::ReadMany(files)) => {
            let failed = files.iter().filter_map(|file| file.as_ref().err());
            let failed = failed.map(|(path, failure)| (path.as_str(), failure));
            unread(files.len(), failed, || json!({}))
        }
        _ => None,
    }
}

/// What `files_replace_all_text` reports of each file.
pub(crate) fn several<'f>(files: impl Iterator<Item = (&'f str, Result<&'f Write, &'f Failure>)>) -> Value {
    let results: Vec<Value> = files
        .map(|(path, outcome)| match outcome {
            Ok(write) => json!({ "path": path, "replacements": write.replacements }),
            Err(failure) => json!({ "path": path, "replacements": 0, "error": failure.message }),
        })
        .collect();
    json!({ "results": results })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_does_not_fit_is_cut_and_its_end_is_known() {
        for (out, err) in [("\0".repeat(50_000), String::new()), ("a\n".repeat(9_000), "\0é".repeat(9_000))]
        {
            let mut budget = Budget::new(10_000);
            let mut truncated = false;
            let data = json!({ "stdout": out, "stderr": err, "exit_code": 3 });
            let data = fitted(data, &mut budget, &mut truncated);
            assert!(keep(&data, &mut budget, &mut truncated) && truncated && budget.was_cut(), "{data}");
            assert_eq!((&data["exit_code"], &data["truncated"]), (&json!(3), &json!(true)));
            assert!(data["stdout"].as_str().unwrap().contains("[output truncated]"));
        }
        let data = json!({ "stdout": "x", "exit_code": 0 });
        assert_eq!(fitted(data.clone(), &mut Budget::new(1_000), &mut false), data);
    }
}
