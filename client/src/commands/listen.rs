//! `listen`: waits for answers in the clipboard, or in a file, and carries out what the user accepts of each
//! (spec: daily, "Clipboard, and listening").
//!
//! Applies nothing unseen, unless `--yes` was given. Texts are distinguished by hashes; none is kept or
//! logged, and those that are marked as secret are not read.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use clada_protocol::method::Parse;
use clada_protocol::{
    ExecuteParams, ParseParams, ParseResult, ProposalForm, Verbosity, proposal_line, visible_path,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::apply::{decide_and_apply, execute, finish, params};
use crate::Process;
use crate::args::{Apply, Listen};
use crate::asking::planned::plan;
use crate::clipboard::Clipboard;
use crate::connect::KeptLink;
use crate::exit::{Failure, Status};
use crate::input::read_file;
use crate::interrupt::Interrupts;
use crate::request::fetch_over;
use crate::root;
use crate::settings::Settings;

const LOOK: Duration = Duration::from_secs(1);
/// The time in which a text that has changed must not change again.
const SETTLED: Duration = Duration::from_millis(300);

const HALF: [&str; 8] = [
    "UNCLOSED_BLOCK",
    "UNCLOSED_QUOTE",
    "UNCLOSED_HEREDOC",
    "UNCLOSED_EDIT",
    "UNCLOSED_LISTING",
    "TRUNCATED_PATCH",
    "UNTERMINATED_OPERATION",
    "UNTERMINATED_VALUE",
];

const HALF_WRITTEN: &str = "\nAn answer ends inside a block: clada applies it when the rest arrives.\n\
                            Is this all of it? Then give it to `clada apply`.\n";

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Listen) -> Result<Status, Failure> {
    if !args.yes && !settings.can_ask(process) {
        return Err(Failure::usage("listen needs a terminal")
            .hint("With a file, --yes applies everything that needs no approval, without asking."));
    }
    let root = root::find(process, settings)?;
    let clipboard = Clipboard::of(process);
    let source = match &args.file {
        Some(file) => {
            ListenSource::File(process.cwd.as_ref().map_or_else(|| file.clone(), |cwd| cwd.join(file)))
        }
        None => {
            clipboard.can_paste()?;
            ListenSource::Clipboard(clipboard.clone())
        }
    };
    let apply =
        Apply { copy: clipboard.can_copy().is_ok(), commits: args.commits.clone(), ..Apply::default() };
    let hashes = RandomState::new();
    // What is there already does not appear.
    let seen = source.mark(process, &hashes);
    // Before the line that names Ctrl-C: one that comes before it is caught has the effect that the program was started with,
    // and that is none below a shell that ignores it.
    let mut interrupts = Interrupts::catch();
    if settings.verbosity > Verbosity::Quiet {
        process.complain(&begun(&source, &clipboard, apply.copy));
    }
    let mut listener = Listening { root, apply, says_yes: args.yes, seen, is_half_told: false };
    loop {
        let mut is_ended = !rest(interrupts.as_mut(), source.pause());
        let text = if is_ended { None } else { listener.appeared(process, &source, &hashes) };
        // Until the text had stopped changing.
        is_ended |= interrupts.as_mut().is_some_and(Interrupts::has_come);
        if is_ended {
            process.complain("\n");
            return Ok(Status::Ok);
        }
        let Some(text) = text else { continue };
        // From here on, Ctrl-C is for what is asked and applied.
        drop(interrupts);
        match listener.take(process, settings, &text) {
            Ok(()) => {}
            Err(failure) if !args.yes && !settings.can_ask(process) => return Err(failure),
            // The next answer may be a better one.
            Err(failure) => process.complain(&failure.text(false)),
        }
        interrupts = Interrupts::catch();
    }
}

fn begun(source: &ListenSource, clipboard: &Clipboard, copies: bool) -> String {
    let to = match source {
        ListenSource::File(path) => visible_path(&path.to_string_lossy()).into_owned(),
        ListenSource::Clipboard(_) => {
            format!("the clipboard ({})", clipboard.pastes_by().unwrap_or_default())
        }
    };
    let reports = match clipboard.copies_by().filter(|_| copies) {
        Some(tool) => format!("Reports for the model are copied ({tool})."),
        None => format!("Reports for the model are not copied: {}", clipboard.advice()),
    };
    format!("Listening to {to} for answers. {reports} Ctrl-C ends it.\n")
}

/// Waits; false after Ctrl-C.
fn rest(interrupts: Option<&mut Interrupts>, time: Duration) -> bool {
    let Some(interrupts) = interrupts else {
        std::thread::sleep(time);
        return true;
    };
    let time = Timespec::try_from(time).ok();
    let own: &Interrupts = interrupts;
    // A signal may interrupt the wait itself.
    let _ = poll(&mut [PollFd::new(own, PollFlags::IN)], time.as_ref());
    !interrupts.has_come()
}

enum ListenSource {
    Clipboard(Clipboard),
    File(PathBuf),
}

impl ListenSource {
    fn pause(&self) -> Duration {
        match self {
            ListenSource::Clipboard(_) => LOOK,
            ListenSource::File(_) => SETTLED,
        }
    }

    fn mark(&self, process: &Process, hashes: &RandomState) -> Option<u64> {
        match self {
            ListenSource::Clipboard(clipboard) => {
                read_clipboard(process, clipboard).map(|text| hashes.hash_one(text))
            }
            ListenSource::File(path) => {
                let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
                Some(hashes.hash_one((
                    metadata.mtime(),
                    metadata.mtime_nsec(),
                    metadata.size(),
                    metadata.ino(),
                )))
            }
        }
    }

    fn text(&self, process: &Process) -> Option<String> {
        match self {
            ListenSource::Clipboard(clipboard) => read_clipboard(process, clipboard),
            ListenSource::File(path) => String::from_utf8(read_file(process, path).ok()?).ok(),
        }
    }
}

fn read_clipboard(process: &Process, clipboard: &Clipboard) -> Option<String> {
    if !clipboard.may_be_read(process) {
        return None;
    }
    let text = clipboard.paste(process, clada_protocol::INPUT_LIMIT).ok()?;
    if text.len() > clada_protocol::INPUT_LIMIT || !clipboard.may_be_read(process) {
        return None;
    }
    String::from_utf8(text).ok().filter(|text| !text.trim().is_empty())
}

struct Listening {
    root: String,
    apply: Apply,
    says_yes: bool,
    seen: Option<u64>,
    is_half_told: bool,
}

impl Listening {
    fn appeared(&mut self, process: &Process, source: &ListenSource, hashes: &RandomState) -> Option<String> {
        let mut mark = source.mark(process, hashes)?;
        if self.seen == Some(mark) {
            return None;
        }
        loop {
            std::thread::sleep(SETTLED);
            match source.mark(process, hashes)? {
                next if next == mark => break,
                next => mark = next,
            }
        }
        self.seen = Some(mark);
        source.text(process)
    }

    // Handles a text: nothing is said of one that is not an answer.
    fn take(&mut self, process: &mut Process, settings: &Settings, text: &str) -> Result<(), Failure> {
        let mut link = KeptLink::default();
        let parsed = parse(process, settings, &self.root, text, &mut link)?;
        let is_told = std::mem::replace(&mut self.is_half_told, is_half(&parsed));
        if self.is_half_told {
            if !is_told {
                process.complain(HALF_WRITTEN);
            }
            return Ok(());
        }
        let params = params(process, settings, &self.apply, self.root.clone());
        let params = ExecuteParams { text: Some(text.into()), ..params };
        if parsed.blocks.is_empty() && !self.is_plain_answer(process, settings, &params, &mut link)? {
            return Ok(());
        }
        if !self.says_yes {
            process.complain("\nAn answer:\n");
            return decide_and_apply(process, settings, &self.apply, params, true).map(drop);
        }
        let result = execute(process, settings, &params, &mut link);
        finish(process, settings, &self.apply, &self.root, result).map(drop)
    }
}

impl Listening {
    /// Returns true if a text without blocks is an answer to ask about: it shows a change of a file that exists.
    /// One that only shows new files may be anything, and is named.
    fn is_plain_answer(
        &self,
        process: &mut Process,
        settings: &Settings,
        params: &ExecuteParams,
        link: &mut KeptLink,
    ) -> Result<bool, Failure> {
        let plan = plan(process, settings, params, link)?;
        let changes = plan.proposals.iter().any(|proposal| proposal.form != ProposalForm::New);
        if changes && !self.says_yes {
            return Ok(true);
        }
        if !plan.proposals.is_empty() {
            let listed = plan.proposals.iter().filter(|proposal| proposal.is_listed());
            let lines = listed.map(|proposal| format!("  {}\n", proposal_line(proposal)));
            let lines: String = lines.collect();
            process.complain(&format!(
                "\nA text shows changes without an edit block:\n{lines}To apply them: `clada apply`, and paste it.\n"
            ));
        }
        Ok(false)
    }
}

/// A block without an end in the midst of it is a fault to report.
fn is_half(parsed: &ParseResult) -> bool {
    let last = parsed.blocks.iter().max_by_key(|block| block.start_line);
    if last.is_some_and(|block| !block.valid && block.end_line.is_none()) {
        return true;
    }
    let last = last.map_or(0, |block| block.start_line);
    parsed.errors.iter().any(|issue| {
        issue.code.as_deref().is_some_and(|code| HALF.contains(&code))
            && issue.block_start_line.or(issue.line).is_some_and(|line| line >= last)
    })
}

fn parse(
    process: &mut Process,
    settings: &Settings,
    root: &str,
    text: &str,
    link: &mut KeptLink,
) -> Result<ParseResult, Failure> {
    let params = ParseParams {
        text: text.to_owned(),
        root: Some(root.to_owned()),
        session: settings.session.clone(),
        env: process.variables(),
        ..ParseParams::default()
    };
    fetch_over::<Parse>(process, settings, &params, link)
}
