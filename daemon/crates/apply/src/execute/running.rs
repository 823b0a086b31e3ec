//! Runs the program of a planned command, and says how it went.
//!
//! Knows neither approval nor words: what a [`PlannedCommand`] says is run. What a command writes goes to
//! the subscribers of the operation as it comes.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clada_exec::{
    Captured, CommandSpec, Ended, ExecError, Follow, Hold, Obstacle, Outcome, Sandbox, Scratch, Stream,
    TRUNCATED, interpreter, obstacle,
};
use clada_git::{git_alone, make_private_git, waited_for};
use clada_protocol::{ActionData, CommandData, ErrorKind, ExecuteEvent, ExecuteEventKind};
use clada_schema::Action;

use crate::command::{Commands, GitRead, PlannedCommand};
use crate::execute::unasked::{self, PlantedFiles};
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::stop::Stop;

/// After this time a command of git that only reads may be waiting for a pipe.
const LONG: Duration = Duration::from_millis(700);

/// Paths by which other programs run something that a result names; more are counted.
const TOUCHED: usize = 100;

const MAX_PLANTED: usize = 10;

/// Runs `command` for `step`, until `stop` says why to end it; `notify` is handed what happens.
///
/// # Errors
/// If it was not started, was ended, or ended with another status than 0.
pub(crate) fn run(
    command: &PlannedCommand,
    step: &Step,
    (commands, hold, hook_folders): (&Commands, &Hold, &[PathBuf]),
    stop: &dyn Fn() -> Option<Stop>,
    notify: &dyn Fn(&ExecuteEvent),
) -> Result<CommandData, Failure> {
    let event = |kind| ExecuteEvent::new(kind, step.seq, &step.task);
    if let Some(obstacle) = obstacle(&command.spec.program) {
        return Err(cannot_start(&command.spec.program, &obstacle));
    }
    notify_started(step, notify);
    let stuck = Stuck::new(command);
    let ends = || stop().is_some() || stuck.is_seen();
    let mut planted = PlantedFiles::default();
    let around = CommandSurroundings { commands, hold, hook_folders, planted: &mut planted };
    let outcome = run_followed(command, around, &ends, &mut |stream, text| {
        let stream = Some(if stream == Stream::Output { "stdout" } else { "stderr" }.to_owned());
        notify(&ExecuteEvent { stream, text: Some(text), ..event(ExecuteEventKind::Output) });
    });
    notify(&event(ExecuteEventKind::Finished));
    let outcome = outcome.map_err(|error| not_started(&error, command))?;
    if let Some(pipe) = stuck.pipe.into_inner().filter(|_| outcome.ended == Ended::Stopped) {
        let issue = "git would wait for this for ever, since it is a pipe and no file:";
        let failure = Failure::at(ErrorKind::ExecFailed, issue, &pipe.to_string_lossy(), "NOT_REGULAR_FILE");
        return Err(failure.hint("remove it"));
    }
    // Once there is a reason, it stays.
    let why = stop().unwrap_or(Stop::Cancelled);
    match (report(command, &outcome, why), planted_message(&planted)) {
        (result, None) => result,
        (Ok(data), Some(message)) => {
            let failure =
                Failure::with_message(ErrorKind::ExecFailed, format!("{message} (APPROVAL_REQUIRED)"));
            let failure =
                failure.hint("write such a file with a separate action: a person is asked about it");
            Err(Failure { data: command_data(data), ..failure })
        }
        (Err(failure), Some(planted)) => {
            let message = format!("{}. {planted}", failure.message);
            Err(Failure { message, ..failure })
        }
    }
}

fn planted_message(planted: &PlantedFiles) -> Option<String> {
    let named = |paths: &[String]| {
        let shown =
            paths.iter().take(MAX_PLANTED).map(|path| format!("'{}'", clada_protocol::visible_line(path)));
        let more = clada_protocol::and_more(paths.len().saturating_sub(MAX_PLANTED));
        shown.collect::<Vec<_>>().join(", ") + &more
    };
    match (planted.removed.is_empty(), planted.not_removed.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!(
            "Removed files that the code made, since they run by themselves: {}",
            named(&planted.removed)
        )),
        (_, false) => Some(format!(
            "The code may have made files that run by themselves and that could not be removed: {}",
            named(&planted.not_removed)
        )),
    }
}

struct CommandSurroundings<'a> {
    commands: &'a Commands,
    hold: &'a Hold,
    hook_folders: &'a [PathBuf],
    /// What it has made that runs by itself, if nobody was asked about it.
    planted: &'a mut PlantedFiles,
}

/// Sees whether a command of git that only reads waits for a pipe.
struct Stuck<'a> {
    root: Option<&'a Path>,
    begun: Instant,
    looked: Cell<bool>,
    pipe: RefCell<Option<PathBuf>>,
}

impl Stuck<'_> {
    fn new(command: &PlannedCommand) -> Stuck<'_> {
        let root = command.git.as_ref().map(|git| git.root.as_path());
        Stuck { root, begun: Instant::now(), looked: Cell::new(false), pipe: RefCell::new(None) }
    }

    /// Returns whether there is a pipe that it waits for. Looked for once, if the command takes long.
    fn is_seen(&self) -> bool {
        let Some(root) = self.root else { return false };
        if self.begun.elapsed() >= LONG && !self.looked.replace(true) {
            *self.pipe.borrow_mut() = waited_for(root);
        }
        self.pipe.borrow().is_some()
    }
}

fn run_followed(
    command: &PlannedCommand,
    around: CommandSurroundings<'_>,
    stop: &dyn Fn() -> bool,
    notify: &mut dyn FnMut(Stream, String),
) -> Result<Outcome, ExecError> {
    let CommandSurroundings { commands, hold, hook_folders, planted } = around;
    let (mut spec, scratch) = ready(command, commands)?;
    let mut guarded = None;
    if let (true, Some(enclosure)) = (command.unasked, &mut spec.enclosure) {
        let why = "it is not known what is secret";
        let unknown = ExecError::Unenclosed { sandbox: command.sandbox.name(), why };
        let roots = commands.code_in_sandbox.as_ref().ok_or(unknown)?;
        let guarded_files = unasked::find_guarded_files(roots, hook_folders, command.sandbox.name(), stop)?;
        enclosure.hidden.extend(guarded_files.secrets.iter().cloned());
        enclosure.protected.extend(guarded_files.protected.iter().cloned());
        guarded = Some((roots, guarded_files));
    }
    let mut texts = [StreamText::default(), StreamText::default()];
    let bound = spec.bounds.output;
    // As much as is kept of the beginning; what comes after it may be cut out of the result.
    let mut room = bound - bound / 2;
    let mut sink = |stream: Stream, piece: &[u8]| {
        let text = &mut texts[usize::from(stream == Stream::Error)];
        let reported = piece.len().min(room);
        room -= reported;
        text.is_behind |= reported < piece.len();
        if let Some(text) = text.add(&piece[..reported]) {
            notify(stream, text);
        }
    };
    let mut follow = Follow { stop, sink: &mut sink };
    let outcome = commands.runner.run_holding(&spec, command.sandbox, scratch.as_ref(), hold, &mut follow);
    if let Some((roots, before)) = guarded {
        *planted = unasked::remove_planted(roots, hook_folders, &before);
    }
    for (text, stream) in texts.iter_mut().zip([Stream::Output, Stream::Error]) {
        let rest = match (&outcome, text.is_behind) {
            (Ok(outcome), true) => {
                let captured = if stream == Stream::Output { &outcome.stdout } else { &outcome.stderr };
                Some(text.rest_of(captured))
            }
            _ => text.rest(),
        };
        if let Some(rest) = rest {
            notify(stream, rest);
        }
    }
    outcome
}

/// The spec, with code that is too long for an argument in a file, and with a private folder for git.
fn ready(command: &PlannedCommand, commands: &Commands) -> Result<(CommandSpec, Option<Scratch>), ExecError> {
    let mut spec = command.spec.clone();
    if let Some(git) = &command.git {
        let mut scratch = commands.runner.scratch()?;
        give_private_git(&mut spec, git, commands, &mut scratch)?;
        return Ok((spec, Some(scratch)));
    }
    let Some(language) = command.language.filter(|_| command.is_long()) else { return Ok((spec, None)) };
    let scratch = commands.runner.scratch()?;
    let file = scratch.put("code", command.text.as_bytes())?;
    spec.arguments = language.arguments_for_file(&file).map(Into::into).to_vec();
    Ok((spec, Some(scratch)))
}

/// Gives a command of git a private folder of its repository. Where there is none it runs in an empty folder,
/// and says so itself.
fn give_private_git(
    spec: &mut CommandSpec,
    git: &GitRead,
    commands: &Commands,
    scratch: &mut Scratch,
) -> Result<(), ExecError> {
    let make = |located| make_private_git(located, commands.user.as_ref(), scratch.path());
    let private = git.repository.as_ref().map(make).transpose();
    let environment = match private.map_err(|unfit| ExecError::Unreadable(unfit.to_string()))? {
        Some(private) => {
            scratch.also_shows(private.outside);
            private.environment
        }
        None => {
            spec.folder = scratch.path().to_owned();
            let above = scratch.path().parent().unwrap_or(Path::new("/")).as_os_str().to_owned();
            let mut alone = git_alone(scratch.path());
            alone.push(("GIT_CEILING_DIRECTORIES".into(), above));
            alone
        }
    };
    for (name, value) in environment {
        spec.environment.retain(|(known, _)| *known != name);
        spec.environment.push((name, value));
    }
    Ok(())
}

/// Bytes of a stream, made text without cutting a character in two.
#[derive(Default)]
struct StreamText {
    begun: Vec<u8>,
    reported: usize,
    /// True if the output handed on so far ends within a line.
    is_within_line: bool,
    is_behind: bool,
}

impl StreamText {
    fn add(&mut self, piece: &[u8]) -> Option<String> {
        self.begun.extend_from_slice(piece);
        let whole = match std::str::from_utf8(&self.begun) {
            // Only the end may be a character that goes on.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        let rest = self.begun.split_off(whole);
        let text = std::mem::replace(&mut self.begun, rest);
        let text = (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned());
        if let Some(text) = &text {
            self.reported += text.len();
            self.is_within_line = !text.ends_with('\n');
        }
        text
    }

    fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.begun);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }

    /// Returns the part of the output that was `captured` and not handed on yet: the end of it, and the note
    /// where it was cut.
    fn rest_of(&self, captured: &Captured) -> String {
        let from = |at: usize| captured.text.get(captured.text.ceil_char_boundary(at)..).unwrap_or_default();
        let cut = captured.text.rfind(TRUNCATED).filter(|_| captured.truncated);
        match cut {
            // The other stream has taken the room of what was handed on already.
            Some(cut) if cut < self.reported => {
                let missing =
                    usize::try_from(captured.bytes).unwrap_or(usize::MAX).saturating_sub(self.reported);
                let after = from(cut + TRUNCATED.len());
                if missing > after.len() {
                    return format!("{}{}", if self.is_within_line { "\n" } else { "" }, from(cut));
                }
                from(captured.text.len() - missing).to_owned()
            }
            _ => from(self.reported).to_owned(),
        }
    }
}

fn report(command: &PlannedCommand, outcome: &Outcome, why: Stop) -> Result<CommandData, Failure> {
    let data = data(command, outcome);
    let failed = |kind, message: String| {
        let failure = hinted(command, outcome, Failure::with_message(kind, message));
        Err(Failure { data: command_data(data.clone()), ..failure })
    };
    match outcome.ended {
        Ended::Exited(0) => Ok(data),
        Ended::Exited(1) if compares(command) => Ok(data),
        Ended::Exited(code) => {
            failed(ErrorKind::ExecFailed, format!("Command ended with status {code} (EXIT_{code})"))
        }
        Ended::Signalled(signal) => {
            failed(ErrorKind::ExecFailed, format!("Command was ended by signal {signal} (SIGNAL_{signal})"))
        }
        Ended::TimedOut => {
            let time = seconds(command.spec.bounds.time);
            failed(ErrorKind::Timeout, format!("Process timeout after {time}s (TIMEOUT)"))
        }
        Ended::Stopped => {
            // The reason for stopping it explains the end better than a guess about the sandbox: its advice
            // to the user wins.
            let ended = why.ended();
            let person = ended.person_hint.clone();
            let failure = hinted(command, outcome, Failure { hint: None, person_hint: None, ..ended });
            let failure = Failure { data: command_data(data.clone()), ..failure };
            Err(match person {
                Some(person) => failure.person(person),
                None => failure,
            })
        }
        Ended::TooManyProcesses => {
            let bound = command.spec.bounds.processes;
            let message = format!("Command had more than {bound} processes and was ended (LIMIT_EXCEEDED)");
            failed(ErrorKind::LimitExceeded, message)
        }
        Ended::Lost => {
            let message = "Command ended the process that watched it; what was left of it was ended (LOST)";
            failed(ErrorKind::ExecFailed, message.to_owned())
        }
    }
}

/// Returns true if it is a `diff`, which says with status 1 that there are differences: what it was asked
/// for.
fn compares(command: &PlannedCommand) -> bool {
    !command.may_change() && command.spec.program.file_name().is_some_and(|name| name == "diff")
}

fn data(command: &PlannedCommand, outcome: &Outcome) -> CommandData {
    let Outcome { stdout, stderr, touched, no_sockets, survivors, .. } = outcome;
    let bytes = |captured: &Captured| captured.truncated.then_some(captured.bytes);
    let named = touched.paths.iter().take(TOUCHED).map(|path| path.to_string_lossy().into_owned());
    let is_touched = !touched.paths.is_empty();
    CommandData {
        stdout: stdout.text.clone(),
        stderr: stderr.text.clone(),
        exit_code: outcome.exit_code(),
        sandbox: Some(command.sandbox.name().to_owned()),
        truncated: stdout.truncated || stderr.truncated,
        stdout_bytes: bytes(stdout),
        stderr_bytes: bytes(stderr),
        lossy: stdout.lossy || stderr.lossy,
        touched: is_touched.then(|| named.collect()),
        touched_count: is_touched.then_some(touched.paths.len()),
        touched_incomplete: touched.cut,
        no_sockets: no_sockets.clone(),
        left: (*survivors > 0).then_some(*survivors),
        ..CommandData::default()
    }
}

fn command_data(data: CommandData) -> Option<ActionData> {
    Some(ActionData::Command(Box::new(data)))
}

/// `failure` with what may have caused it, a bound or the sandbox, and what the user can do about that.
fn hinted(command: &PlannedCommand, outcome: &Outcome, mut failure: Failure) -> Failure {
    let enclosure = command.spec.enclosure.as_ref();
    let hint = enclosure.and_then(|enclosure| clada_exec::hint(command.sandbox, enclosure, outcome));
    let hint = hint.or_else(|| clada_exec::hint_at_variable(&command.withheld, outcome));
    let (cause, remedy) = hint.map_or((None, None), |hint| (Some(hint.cause), hint.remedy));
    let is_late = outcome.ended == Ended::TimedOut;
    let own: Vec<String> =
        is_late.then(|| "run less of it at a time".to_owned()).into_iter().chain(cause).collect();
    if !own.is_empty() {
        failure = failure.hint(own.join("; "));
    }
    if let Some(remedy) = remedy {
        failure = failure.person(remedy);
    }
    if is_late {
        failure = failure.person("a person can allow more time with --timeout, or with limits.command_time");
    }
    failure
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}") } else { format!("{seconds}") }
}

fn not_started(error: &ExecError, command: &PlannedCommand) -> Failure {
    let ExecError::NotStarted { message, code, .. } = error else {
        return Failure::with_message(ErrorKind::ExecFailed, format!("{error} (EXEC)"));
    };
    let program = &command.spec.program;
    let in_bubblewrap = command.sandbox == Sandbox::Bubblewrap;
    // Bubblewrap says so in its own words.
    let is_missing = in_bubblewrap && message.contains("execvp") && message.contains("No such file");
    if !is_missing && *code != Some(rustix::io::Errno::NOENT.raw_os_error()) {
        return Failure::with_message(ErrorKind::ExecFailed, format!("{error} (EXEC)"));
    }
    match interpreter(program).filter(|named| in_bubblewrap && named.exists()) {
        Some(interpreter) => {
            let named = clada_protocol::visible_line(&interpreter.to_string_lossy()).into_owned();
            let issue = format!(
                "Its first line names '{named}', which is hidden in the sandbox, so this cannot be started:"
            );
            Failure::at(ErrorKind::FileNotFound, &issue, &program.to_string_lossy(), "ENOENT")
                .hint(
                    "run it by an interpreter of the project or of the system: the sandbox has its own /tmp",
                )
                .person("`exec.readable` in your configuration shows the folder of that program")
        }
        None if is_missing => Failure::with_message(ErrorKind::ExecFailed, format!("{error} (EXEC)")),
        // It may have gone since it was looked at.
        None => cannot_start(program, &Obstacle::Missing),
    }
}

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

pub(crate) fn notify_started(step: &Step, notify: &dyn Fn(&ExecuteEvent)) {
    let command = match &step.action {
        Ok(Action::Run(run)) => Some(run.command.clone()),
        Ok(Action::Exec(exec)) => Some(exec.lang.name().to_owned()),
        _ => None,
    };
    notify(&ExecuteEvent { command, ..ExecuteEvent::new(ExecuteEventKind::Started, step.seq, &step.task) });
}

/// Reports the end of a command without a program, which has written all that it writes: `data`.
pub(crate) fn notify_finished(step: &Step, data: Option<&CommandData>, notify: &dyn Fn(&ExecuteEvent)) {
    let event = |kind| ExecuteEvent::new(kind, step.seq, &step.task);
    let streams = data.map(CommandData::streams).into_iter().flatten();
    for (stream, text) in streams.filter(|(_, text)| !text.is_empty()) {
        let (stream, text) = (Some(stream.to_owned()), Some(text.to_owned()));
        notify(&ExecuteEvent { stream, text, ..event(ExecuteEventKind::Output) });
    }
    notify(&event(ExecuteEventKind::Finished));
}

#[cfg(test)]
mod tests {
    use super::*;
    use clada_exec::{Keep, share};

    /// Returns what is handed on of a command that writes this to its streams, one after the other, and what
    /// is kept of it.
    fn shown(streams: [&str; 2], bound: usize) -> ([String; 2], [Captured; 2]) {
        let mut room = bound - bound / 2;
        let mut keeps = [Keep::new(bound), Keep::new(bound)];
        let mut texts = [StreamText::default(), StreamText::default()];
        let mut shown = [String::new(), String::new()];
        for (at, written) in streams.iter().enumerate() {
            keeps[at].take(written.as_bytes());
            let told = written.len().min(room);
            room -= told;
            texts[at].is_behind = told < written.len();
            shown[at] = texts[at].add(&written.as_bytes()[..told]).unwrap_or_default();
        }
        let kept = share(keeps, bound);
        for at in [0, 1] {
            if texts[at].is_behind {
                shown[at].push_str(&texts[at].rest_of(&kept[at]));
            }
        }
        (shown, kept)
    }

    #[test]
    fn what_is_shown_is_what_is_kept() {
        for (written, bound) in
            [("abcdefghijklmnop", 8), ("äöüäöüäöü", 7), ("ab", 8), ("abcdefgh", 8), ("abc", 0)]
        {
            let (shown, kept) = shown([written, ""], bound);
            assert_eq!(shown[0], kept[0].text, "{written} within {bound}");
        }
        // Nothing twice, and all of the end, where the other stream has room of its own.
        let (both, _) = shown(["abcdefgh", "0123456789"], 8);
        assert_eq!(both, ["abcd\n[output truncated]\ngh", "01\n[output truncated]\n89"]);
        let (both, _) = shown(["abcdef", "0123456789"], 8);
        assert_eq!(both, ["abcdef", "01\n[output truncated]\n89"]);
    }
}
