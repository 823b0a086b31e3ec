//! Runs the program of a planned command, and says how it went.
//!
//! Knows neither approval nor words: what an [`Errand`] says is run. What a command writes goes to whoever follows
//! the operation as it comes.

use std::path::Path;
use std::time::Duration;

use clada_protocol::{ErrorKind, ExecuteEvent, ExecuteEventKind};
use serde_json::{Value, json};

use super::answer::Step;
use super::command::{Commands, Errand};
use super::effect::Failure;
use crate::exec::{
    Captured, Ended, ExecError, Follow, Hold, Obstacle, Order, Outcome, Runner, Scratch, Stream, obstacle,
    sandbox,
};

/// Runs `errand` for `step`, unless `stop` says to end it; `tell` is handed what happens.
///
/// # Errors
/// If it was not started, was ended, or ended with another status than 0.
pub(super) fn run(
    errand: &Errand,
    step: &Step,
    (commands, hold): (&Commands, &Hold),
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(&ExecuteEvent),
) -> Result<Value, Failure> {
    let event = |kind| ExecuteEvent {
        seq: step.seq,
        task: step.task.clone(),
        kind,
        stream: None,
        text: None,
        lost: false,
    };
    if let Some(obstacle) = obstacle(&errand.order.program) {
        return Err(cannot_start(&errand.order.program, &obstacle));
    }
    tell(&event(ExecuteEventKind::Started));
    let outcome = run_followed(errand, (&commands.runner, hold), stop, &mut |stream, text| {
        let stream = Some(if stream == Stream::Output { "stdout" } else { "stderr" }.to_owned());
        tell(&ExecuteEvent { stream, text: Some(text), ..event(ExecuteEventKind::Output) });
    });
    tell(&event(ExecuteEventKind::Finished));
    told(errand, &outcome.map_err(|error| not_started(&error, errand))?)
}

fn run_followed(
    errand: &Errand,
    (runner, hold): (&Runner, &Hold),
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Stream, String),
) -> Result<Outcome, ExecError> {
    let (order, scratch) = ready(errand, runner)?;
    let mut texts = [Text::default(), Text::default()];
    let mut sink = |stream: Stream, piece: &[u8]| {
        let text = &mut texts[usize::from(stream == Stream::Error)];
        if let Some(text) = text.add(piece) {
            tell(stream, text);
        }
    };
    let mut follow = Follow { stop, sink: &mut sink };
    let outcome = runner.run_holding(&order, errand.sandbox, scratch.as_ref(), hold, &mut follow);
    for (text, stream) in texts.iter_mut().zip([Stream::Output, Stream::Error]) {
        if let Some(rest) = text.rest() {
            tell(stream, rest);
        }
    }
    outcome
}

/// The order, with code that is too long for an argument in a file.
fn ready(errand: &Errand, runner: &Runner) -> Result<(Order, Option<Scratch>), ExecError> {
    let mut order = errand.order.clone();
    let Some(language) = errand.language.filter(|_| errand.is_long()) else { return Ok((order, None)) };
    let scratch = runner.scratch()?;
    let file = scratch.put("code", errand.text.as_bytes())?;
    order.arguments = language.arguments_for_file(&file).map(Into::into).to_vec();
    Ok((order, Some(scratch)))
}

/// Bytes of a stream, made text without cutting a character in two.
#[derive(Default)]
struct Text(Vec<u8>);

impl Text {
    fn add(&mut self, piece: &[u8]) -> Option<String> {
        self.0.extend_from_slice(piece);
        let whole = match std::str::from_utf8(&self.0) {
            // Only the end may be a character that goes on.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.0.len(),
        };
        let rest = self.0.split_off(whole);
        let text = std::mem::replace(&mut self.0, rest);
        (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned())
    }

    fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.0);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }
}

/// What is reported of a command that has ended.
fn told(errand: &Errand, outcome: &Outcome) -> Result<Value, Failure> {
    let exit_code = outcome.exit_code();
    let mut data = json!({
        "stdout": outcome.stdout.text,
        "stderr": outcome.stderr.text,
        "exit_code": exit_code,
        "sandbox": errand.sandbox.name(),
    });
    for (name, captured) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        note(&mut data, name, captured);
    }
    if !outcome.touched.is_empty() {
        let touched = outcome.touched.iter().map(|path| path.to_string_lossy().into_owned());
        data["touched"] = touched.collect();
    }
    if outcome.left > 0 {
        data["left"] = outcome.left.into();
    }
    let failed = |kind, message: String| {
        let hint = hint(errand, outcome);
        Err(Failure { data: Some(data.clone()), hint, ..Failure::said(kind, message) })
    };
    match outcome.ended {
        Ended::Exited(0) => Ok(data),
        Ended::Exited(1) if compares(errand) => Ok(data),
        Ended::Exited(code) => {
            failed(ErrorKind::ExecFailed, format!("Command ended with status {code} (EXIT_{code})"))
        }
        Ended::Signalled(signal) => {
            failed(ErrorKind::ExecFailed, format!("Command was ended by signal {signal} (SIGNAL_{signal})"))
        }
        Ended::TimedOut => {
            let time = seconds(errand.order.bounds.time);
            failed(ErrorKind::Timeout, format!("Process timeout after {time}s (TIMEOUT)"))
        }
        Ended::Stopped => {
            failed(ErrorKind::Cancelled, "Command was ended, as it was asked for (CANCELLED)".to_owned())
        }
        Ended::TooManyProcesses => {
            let bound = errand.order.bounds.processes;
            let message = format!("Command had more than {bound} processes and was ended (LIMIT_EXCEEDED)");
            failed(ErrorKind::LimitExceeded, message)
        }
        Ended::Lost => {
            let message = "Command ended the process that watched it; what was left of it was ended (LOST)";
            failed(ErrorKind::ExecFailed, message.to_owned())
        }
    }
}

/// Whether it is a `diff`, which says with status 1 that there are differences: what it was asked for.
fn compares(errand: &Errand) -> bool {
    !errand.may_change() && errand.order.program.file_name().is_some_and(|name| name == "diff")
}

/// What is odd about a stream.
fn note(data: &mut Value, name: &str, captured: &Captured) {
    if captured.truncated {
        data["truncated"] = true.into();
        data[format!("{name}Bytes")] = captured.bytes.into();
    }
    if captured.lossy {
        data["lossy"] = true.into();
    }
}

/// What a person can do about a failure that a bound or the sandbox may have caused.
fn hint(errand: &Errand, outcome: &Outcome) -> Option<String> {
    let sandboxed = sandbox::hint(errand.sandbox, errand.network(), outcome);
    let late = outcome.ended == Ended::TimedOut;
    let more =
        late.then(|| "a person can allow more time with --timeout, or with limits.command_time".to_owned());
    match (sandboxed, more) {
        (Some(sandboxed), Some(more)) => Some(format!("{sandboxed}; {more}")),
        (sandboxed, more) => sandboxed.or(more),
    }
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}") } else { format!("{seconds}") }
}

fn not_started(error: &ExecError, errand: &Errand) -> Failure {
    let said = error.to_string();
    let own = said.strip_prefix("exec: ").unwrap_or(&said);
    let missing = rustix::io::Errno::NOENT.raw_os_error();
    // It may have gone since it was looked at.
    if matches!(error, ExecError::NotStarted { code: Some(code), .. } if *code == missing) {
        return cannot_start(&errand.order.program, &Obstacle::Missing);
    }
    Failure::said(ErrorKind::ExecFailed, format!("{own} (EXEC)"))
}

/// Why `program` is not started, and what to do about that.
fn cannot_start(program: &Path, obstacle: &Obstacle) -> Failure {
    let shown = program.to_string_lossy();
    let at = |kind, issue, code| Failure::at(kind, issue, &shown, code);
    match obstacle {
        Obstacle::Missing => at(ErrorKind::FileNotFound, "Program not found", "ENOENT")
            .hint("a file of the project has to be there when the command runs; its path begins in the `dir` of the command"),
        Obstacle::NotAFile => at(ErrorKind::ExecFailed, "Program is not a file", "EACCES"),
        Obstacle::NotExecutable => at(ErrorKind::PermissionDenied, "Program may not be executed", "EACCES")
            .hint("make it executable, or run it by its interpreter, such as `sh` or `python3`"),
        Obstacle::NoInterpreter(interpreter) => {
            let named = clada_protocol::visible_line(&interpreter.to_string_lossy()).into_owned();
            let issue = format!("Its first line names '{named}', which is not there, so this cannot be started:");
            at(ErrorKind::FileNotFound, &issue, "ENOENT")
                .hint("install that program, or run the file by another one; a line that ends in CR LF names a program that ends in CR")
        }
    }
}

/// Tells of a command without a program, which has written all that it writes: `found`.
pub(super) fn tell_at_once(step: &Step, found: &Value, tell: &dyn Fn(&ExecuteEvent)) {
    let event = |kind, stream: Option<&str>, text: Option<&str>| ExecuteEvent {
        seq: step.seq,
        task: step.task.clone(),
        kind,
        stream: stream.map(str::to_owned),
        text: text.map(str::to_owned),
        lost: false,
    };
    for stream in ["stdout", "stderr"] {
        let text = found.get(stream).and_then(Value::as_str).filter(|text| !text.is_empty());
        if text.is_some() {
            tell(&event(ExecuteEventKind::Output, Some(stream), text));
        }
    }
    tell(&event(ExecuteEventKind::Finished, None, None));
}
