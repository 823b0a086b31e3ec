//! The review of the program `clada-review`, without its screen: what is reviewed, the daemon, the end.
//!
//! Must not know what is drawn or which keys there are. Arguments, answer and report are those of `apply`.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use clada_protocol::message::NotificationParams;
use clada_protocol::method::{Execute, Plan};
use clada_protocol::{
    Approval, Approve, EXECUTE_EVENT, ErrorKind, ExecuteEvent, ExecuteParams, GitWhere, LineEnds, Method,
    PlanParams, PlanPart, PlanResult, Verbosity, visible_line,
};
use serde_json::value::RawValue;

use crate::Process;
use crate::args::{self, Apply, Command};
use crate::asking::first;
use crate::asking::planned::{by_plan, plan_params};
use crate::commands::apply::{finish, judge, lost, params};
use crate::commands::{approve, history};
use crate::connect::{Connector, KeptLink, OnInterrupt};
pub use crate::exit::{Failure, Status};
use crate::input::{pasted, read_answer};
use crate::interrupt::Interrupts;
use crate::output::report;
use crate::request::{fetch_over, typed};
use crate::root;
use crate::settings::{self, Settings};
use crate::usage;
pub use crate::width::cut;
pub use crate::wrap::wrapped;

const CONTEXT: usize = 3;

/// The subject of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An answer.
    Answer(String),
    /// An operation or a plan, by its id.
    Named(String),
    /// What waits for the user, and what was done.
    Home,
}

/// What is to be reviewed, and how.
#[derive(Debug)]
pub struct Review {
    /// The subject.
    pub subject: Subject,
    /// Where it was taken from, to be shown.
    pub source: String,
    /// The project.
    pub root: String,
    /// True if the terminal takes colours.
    pub colours: bool,
    settings: Settings,
    args: Apply,
}

/// The end of a review.
#[derive(Debug)]
pub enum Ended {
    /// The user left. True: a plan was there, of which nothing was applied.
    Quit(bool),
    /// It could not go on.
    Failed(Failure),
    /// It was applied, once or several times.
    Carried(Vec<Carried>),
}

/// What was applied once.
#[derive(Debug)]
pub struct Carried {
    /// The result.
    pub result: Result<Box<RawValue>, Failure>,
    /// Its operation, if there is one.
    pub operation: Option<String>,
    /// The operation that took it back meanwhile, as it is shown.
    pub undone_by: Option<String>,
}

/// Reads the arguments, and the answer if there is one. The error is the exit status.
///
/// # Errors
/// Help was asked for, the arguments are wrong, there is no terminal, or the answer cannot be read: that is
/// written.
pub fn open(process: &mut Process) -> Result<Review, ExitCode> {
    let args = usage::parse(process).map_err(ExitCode::from)?;
    let json = args.global.json;
    opened(process, &args).map_err(|failure| report(process, &failure, json).into())
}

fn opened(process: &mut Process, args: &args::Cli) -> Result<Review, Failure> {
    let settings = settings::resolve(process, args)?;
    let Some(Command::Review(arguments)) = &args.command else {
        return Err(Failure::usage("this program only reviews").hint("`clada` has the other commands."));
    };
    if !settings.can_ask(process) {
        return Err(Failure::usage("review needs a terminal, and there is none here")
            .hint("`clada apply --dry-run` and `clada history show` print what it shows."));
    }
    if process.var("TERM").is_some_and(|term| term == "dumb") {
        return Err(Failure::usage("review needs a terminal that can be drawn on, and TERM is dumb")
            .hint("`clada apply -i` asks the same questions one after the other."));
    }
    let root = root::find(process, &settings)?;
    let apply = arguments.apply();
    let named = arguments.subject.as_deref();
    let path = |name: &std::ffi::OsStr| process.cwd.clone().unwrap_or_default().join(name);
    // A name that is a file and an id means the file.
    let is_answer = |name: &std::ffi::OsStr| name == "-" || path(name).exists();
    let (subject, source) = match named {
        _ if arguments.paste => (Subject::Answer(pasted(process)?), "the clipboard".to_owned()),
        Some(name) if is_answer(name) => {
            let shown = if name == "-" { "standard input".into() } else { name.to_string_lossy() };
            let shown = visible_line(&shown).into_owned();
            (Subject::Answer(read_answer(process, Some(Path::new(name)))?), shown)
        }
        Some(name) => match name.to_str().filter(|name| is_id(name)) {
            Some(id) => (Subject::Named(id.to_owned()), id.to_owned()),
            None => {
                let message = format!("there is no file '{}'", name.to_string_lossy());
                return Err(Failure::usage(message).hint(
                    "Name a file with an answer, or an operation by its id: `clada history` lists them.",
                ));
            }
        },
        None if process.terminals.stdin => (Subject::Home, "history".to_owned()),
        None => (Subject::Answer(read_answer(process, None)?), "standard input".to_owned()),
    };
    Ok(Review { subject, source, root, colours: settings.terminal_colours, settings, args: apply })
}

fn is_id(name: &str) -> bool {
    name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Review {
    /// Returns the way to the daemon, for another thread. Notes about it go to `notes`.
    #[must_use]
    pub fn calls(&self, process: &Process, notes: Box<dyn Write + Send>) -> Calls {
        let params = params(process, &self.settings, &self.args, self.root.clone());
        // Without streams that are terminals, notes are written to a user who asked for more.
        let settings = Settings { verbosity: Verbosity::Verbose, ..self.settings.clone() };
        let (process, args) = (process.without_streams(notes), self.args.commits.place().is_some());
        Calls { process, settings, params, is_place_given: args, link: KeptLink::default() }
    }

    /// Prints the report, as `apply --interactive` does. Returns the exit status.
    #[must_use]
    pub fn end(self, process: &mut Process, ended: Ended) -> ExitCode {
        let outcome = self.ended(process, ended);
        outcome.unwrap_or_else(|failure| report(process, &failure, self.settings.json)).into()
    }

    fn ended(&self, process: &mut Process, ended: Ended) -> Result<Status, Failure> {
        match ended {
            Ended::Failed(failure) => Err(failure),
            Ended::Quit(had_plan) => {
                if had_plan && self.settings.verbosity > Verbosity::Quiet {
                    process.complain("Nothing was applied.\n");
                }
                Ok(Status::Ok)
            }
            // The status is that of the last time, which was about what the others had left.
            Ended::Carried(all) => {
                let mut ended = Ok(Status::Ok);
                for one in all {
                    if let Err(failure) = ended {
                        report(process, &failure, self.settings.json);
                    }
                    ended = self.reported(process, one);
                }
                ended
            }
        }
    }

    fn reported(&self, process: &mut Process, one: Carried) -> Result<Status, Failure> {
        let execution = one.result.as_ref().ok().map(|result| typed(Execute::NAME, result)).transpose()?;
        let status = finish(process, &self.settings, &self.args, &self.root, one.result)?;
        if let Some(by) = one.undone_by {
            process.complain(&format!("{} undid all of it.\n", visible_line(&by)));
        }
        Ok(execution.map_or(status, |result| judge(&result)))
    }
}

/// Returns how long ago a moment was, in milliseconds since 1970.
#[must_use]
pub fn ago(at: i64) -> String {
    history::ago(jiff::Timestamp::now().as_millisecond(), at)
}

/// Returns a moment as on the user's wall.
#[must_use]
pub fn moment(at: i64) -> String {
    history::moment(at, &jiff::tz::TimeZone::system())
}

/// The part of a plan that is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanSelection {
    /// The plan.
    pub plan_id: String,
    /// Ids of groups and actions.
    pub accept: Vec<String>,
    /// Ids of approvals.
    pub approve: Vec<String>,
    /// Ids of proposals that the user left out.
    pub decline: Vec<String>,
    /// The destination of commits, if the user was asked.
    pub git: Option<GitWhere>,
}

/// Cancels a call when it is written to.
#[derive(Debug)]
pub struct Cancel(UnixStream);

impl Cancel {
    /// Cancels the call.
    pub fn cancel(&self) {
        // A call that has ended is not cancelled.
        let _ = (&self.0).write(&[0]);
    }
}

/// The end of a call that [`Cancel`] cancels.
#[derive(Debug)]
pub struct Cancelled(Interrupts);

/// Returns the two ends of a way to cancel a call; `None` where the system has no means for it.
#[must_use]
pub fn cancel() -> Option<(Cancel, Cancelled)> {
    Interrupts::by_hand().map(|(interrupts, hand)| (Cancel(hand), Cancelled(interrupts)))
}

/// The daemon, called from one thread. Each call finds it, or starts one.
#[derive(Debug)]
pub struct Calls {
    process: Process,
    settings: Settings,
    params: ExecuteParams,
    is_place_given: bool,
    link: KeptLink,
}

impl Calls {
    /// Calls a method.
    ///
    /// # Errors
    /// The daemon's error, or the reason why there is no answer.
    pub fn call<M: Method>(&mut self, params: &M::Params) -> Result<M::Result, Failure> {
        fetch_over::<M>(&mut self.process, &self.settings, params, &mut self.link)
    }

    /// Plans an answer, or what is left of a plan.
    ///
    /// # Errors
    /// The same as [`Calls::call`].
    pub fn plan(&mut self, subject: &Subject) -> Result<PlanResult, Failure> {
        let (text, plan_id) = match subject {
            Subject::Answer(text) => (Some(text.as_str().into()), None),
            Subject::Named(id) => (None, Some(id.clone())),
            Subject::Home => (None, None),
        };
        let params = plan_params(&self.params, text);
        let dialects = params.dialects.clone().filter(|_| plan_id.is_none());
        let omit = vec![PlanPart::Diff];
        let (context, lines) = (CONTEXT, LineEnds::Lf);
        let params = PlanParams { plan_id, dialects, context, lines, omit, review: true, ..params };
        self.call::<Plan>(&params)
    }

    /// Returns the question about commits, if the user has to be asked it before anything is applied.
    #[must_use]
    pub fn first_question(&mut self) -> Option<String> {
        let root = self.params.root.clone();
        if self.is_place_given {
            return None;
        }
        first::question(&mut self.process, &self.settings, &root)
    }

    /// Keeps the user's answer to that question; returns what to tell them.
    pub fn keep_place(&mut self, place: GitWhere) -> String {
        first::save_place(&mut self.process, &self.settings, place)
    }

    /// Approves commands for good, as far as that can be.
    pub fn remember(&mut self, always: &[Approval]) {
        let root = self.params.root.clone();
        approve::remember(&mut self.process, &self.settings, &root, always);
    }

    /// Carries out the wanted part of a plan. `on_event` gets the events of its commands.
    ///
    /// # Errors
    /// The same as [`Calls::call`]; of a daemon that went away half-way, with the next one's findings.
    pub fn carry_out(
        &mut self,
        selection: &PlanSelection,
        cancelled: Option<Cancelled>,
        on_event: &mut dyn FnMut(ExecuteEvent),
    ) -> Result<Box<RawValue>, Failure> {
        let params = ExecuteParams {
            accept: Some(selection.accept.clone()),
            approve: (!selection.approve.is_empty()).then(|| Approve::Ids(selection.approve.clone())),
            decline: selection.decline.clone(),
            git: selection.git.or(self.params.git),
            stream: true,
            ..by_plan(&self.params, &selection.plan_id)
        };
        // An event that cannot be read is of a newer daemon. The result comes all the same.
        let mut listener = |_: &mut Process, method: &str, params: Option<&NotificationParams>| {
            if method == EXECUTE_EVENT
                && let Some(Ok(event)) = params.map(NotificationParams::read::<ExecuteEvent>)
            {
                on_event(event);
            }
            Ok(())
        };
        let called = Connector::new(&mut self.process, &self.settings)?
            .keeping(&mut self.link)
            .cancelled_by(cancelled.map(|Cancelled(interrupts)| interrupts))
            .listening(&mut listener)
            .call(Execute::NAME, &params, OnInterrupt::CancelByHand);
        called.map_err(|failure| match failure.is_lost {
            true => lost(&mut self.process, &self.settings, &params, failure),
            false => failure,
        })
    }
}

/// Returns the ids of the approvals that a call needs as a whole, if that is why it failed.
#[must_use]
pub fn needed_by_call(failure: &Failure) -> Option<Vec<String>> {
    let error = failure.error.as_ref()?;
    (error.kind() == Some(ErrorKind::ApprovalRequired))
        .then(|| crate::commands::apply::approval_ids(&error.data))
}
