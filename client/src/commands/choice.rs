//! The user's choice from a plan: asks the questions, and interprets the answers.
//!
//! Knows no daemon and no terminal. Input is a plan; output are the ids that were accepted, never one without
//! a yes, and the approvals that a yes included.

use std::io;

use clada_protocol::{Approval, Approve, PlanResult, PlannedAction, PlannedHunk};

use super::consent::with_network;
use crate::terminal::{Reply, User};

const HELP: &str = "\
y - carry this out
w - carry this out, with a network for this command alone
n - leave this out
a - carry out this and all the rest, without showing it; what needs approval is still asked for
q - leave out this and all the rest; what was accepted before is carried out
s - decide about each hunk of this alone
? - show this help
Ctrl-C carries nothing out.
";

const HELP_ALL: &str = "\
y - carry all of it out
n - carry nothing out
? - show this help
";

/// The user's choice from a plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// Ids of actions and hunks, in order.
    pub(super) accept: Vec<String>,
    /// Ids of the approvals that were given with them.
    pub(super) approve: Vec<String>,
    /// The actions that were left out, by their `seq`.
    pub(super) declined: Vec<usize>,
    /// The number of changes that were accepted, of those that were asked about.
    pub(super) accepted: usize,
}

/// The input of the questions about a plan.
pub(super) struct Asking<'a> {
    /// The plan.
    pub(super) plan: &'a PlanResult,
    /// The approvals given beforehand.
    pub(super) approved: Option<&'a Approve>,
    /// Renders the effect of an action.
    pub(super) change: &'a dyn Fn(&PlannedAction) -> String,
    /// Renders a hunk.
    pub(super) hunk: &'a dyn Fn(&PlannedHunk) -> String,
}

/// The answer to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Yes,
    /// Yes, with a network.
    Network,
    No,
    All,
    Quit,
    Split,
    /// Ctrl-C.
    Abandon,
}

/// The way to answer the remaining questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Asked,
    Accepted,
    Declined,
}

impl Asking<'_> {
    /// Asks `user` about every change.
    ///
    /// # Errors
    /// The user cannot be reached any more: then nothing counts as accepted.
    pub(super) fn ask(&self, user: &mut dyn User) -> io::Result<Choice> {
        let mut choice = Choice::default();
        let units = units(&self.plan.actions);
        let count = units.iter().filter(|unit| self.is_asked(unit)).count();
        let mut rest = Rest::Asked;
        let mut number = 0;
        for unit in &units {
            if !self.is_asked(unit) {
                // A block that cannot be done as a whole is not begun for its read-only actions.
                if unit.iter().all(|action| action.unplannable.is_none()) {
                    choice.take(unit);
                }
                continue;
            }
            number += 1;
            // The user has to see what they approve.
            let mut networked = false;
            let accepted = match rest {
                Rest::Declined => false,
                Rest::Accepted if self.missing(unit).next().is_none() => true,
                Rest::Asked | Rest::Accepted => {
                    unit.iter().try_for_each(|action| user.show(&(self.change)(action)))?;
                    match self.question(user, unit, &format!("({number}/{count}) "))? {
                        Word::Split => match self.split(user, unit[0], &mut choice)? {
                            Some(after) => {
                                rest = after;
                                continue;
                            }
                            None => return Ok(self.nothing()),
                        },
                        Word::Abandon => return Ok(self.nothing()),
                        word => {
                            rest = after(word, rest);
                            networked = word == Word::Network;
                            matches!(word, Word::Yes | Word::Network | Word::All)
                        }
                    }
                }
            };
            if accepted {
                choice.approve.extend(self.missing(unit).map(|approval| approval.id.clone()));
                if networked {
                    choice.approve.extend(self.missing(unit).filter_map(with_network).cloned());
                }
                choice.accepted += 1;
                choice.take(unit);
            } else {
                choice.declined.extend(unit.iter().map(|action| action.seq));
            }
        }
        Ok(choice)
    }

    /// Returns the choice of a user who leaves in the middle: nothing is carried out, whatever was accepted before.
    fn nothing(&self) -> Choice {
        Choice { declined: self.plan.actions.iter().map(|action| action.seq).collect(), ..Choice::default() }
    }

    /// Asks about everything at once, after all of it has been shown.
    ///
    /// # Errors
    /// The same as [`Asking::ask`].
    pub(super) fn ask_once(&self, user: &mut dyn User) -> io::Result<Choice> {
        let all: Vec<&PlannedAction> = self.plan.actions.iter().collect();
        let mut choice = Choice::default();
        if self.is_asked(&all) {
            let shown = all.iter().filter(|action| asks(action));
            shown.map(|action| user.show(&(self.change)(action))).collect::<io::Result<Vec<()>>>()?;
            let approving = if self.missing(&all).next().is_some() { "Approve and carry" } else { "Carry" };
            let question = format!("{approving} out all of this, or nothing? [y,n,?] ");
            if !said_yes(user, &question)? {
                choice.declined.extend(all.iter().map(|action| action.seq));
                return Ok(choice);
            }
            choice.approve.extend(self.missing(&all).map(|approval| approval.id.clone()));
            choice.accepted = 1;
        }
        choice.take(&all);
        Ok(choice)
    }

    /// Returns whether the user is asked: not about actions that only read, change nothing, or cannot be
    /// done.
    fn is_asked(&self, unit: &[&PlannedAction]) -> bool {
        unit.iter().any(|action| asks(action))
    }

    /// Returns the approvals that `unit` needs and that have not been given beforehand.
    fn missing<'s>(&'s self, unit: &'s [&PlannedAction]) -> impl Iterator<Item = &'s Approval> {
        let needed = unit.iter().filter_map(|action| action.needs_approval.as_ref());
        let given = |id: &String| match self.approved {
            Some(Approve::All) => true,
            Some(Approve::Ids(ids)) => ids.contains(id),
            Some(Approve::Listed) | None => false,
        };
        let missing = needed.filter(move |id| !given(id));
        missing.filter_map(|id| self.plan.approvals.iter().find(|approval| approval.id == *id))
    }

    fn question(&self, user: &mut dyn User, unit: &[&PlannedAction], place: &str) -> io::Result<Word> {
        let mut words = vec![Word::Yes, Word::No, Word::All, Word::Quit];
        if self.missing(unit).any(|approval| with_network(approval).is_some()) {
            words.insert(1, Word::Network);
        }
        // An approval is for a whole change: some hunks of it would be another one.
        let whole = unit[0].needs_approval.is_some() && self.approved != Some(&Approve::All);
        if unit.len() == 1 && unit[0].hunks.len() > 1 && !unit[0].truncated && !whole {
            words.push(Word::Split);
        }
        let what = match unit.len() {
            1 => "this".to_owned(),
            length => format!("these {length} actions, which belong together"),
        };
        let approving = if self.missing(unit).next().is_some() { "Approve and carry" } else { "Carry" };
        self.word(user, &format!("{place}{approving} out {what}?"), &words)
    }

    /// Asks about each hunk of `action`; `None` if the user leaves.
    fn split(
        &self,
        user: &mut dyn User,
        action: &PlannedAction,
        choice: &mut Choice,
    ) -> io::Result<Option<Rest>> {
        let mut rest = Rest::Asked;
        let mut wanted = Vec::new();
        for (index, hunk) in action.hunks.iter().enumerate() {
            let accepted = match rest {
                Rest::Asked => {
                    user.show(&(self.hunk)(hunk))?;
                    let place = format!("hunk {}/{}", index + 1, action.hunks.len());
                    let words = [Word::Yes, Word::No, Word::All, Word::Quit];
                    let word = self.word(user, &format!("({place}) Carry out this hunk?"), &words)?;
                    if word == Word::Abandon {
                        return Ok(None);
                    }
                    rest = after(word, rest);
                    matches!(word, Word::Yes | Word::All)
                }
                rest => rest == Rest::Accepted,
            };
            wanted.extend(accepted.then(|| hunk.id.clone()));
        }
        if wanted.is_empty() {
            choice.declined.push(action.seq);
            return Ok(Some(rest));
        }
        choice.accepted += 1;
        // With all of its hunks accepted, an action goes by its own id, as one that was not split.
        if wanted.len() == action.hunks.len() {
            choice.take(&[action]);
        } else {
            choice.accept.append(&mut wanted);
        }
        Ok(Some(rest))
    }

    fn word(&self, user: &mut dyn User, question: &str, words: &[Word]) -> io::Result<Word> {
        let keys: Vec<&str> = words.iter().map(|word| word.key()).chain(["?"]).collect();
        let question = format!("{question} [{}] ", keys.join(","));
        loop {
            let line = match user.ask(&question)? {
                Reply::Line(line) => line,
                ended => {
                    user.show("\n")?;
                    return Ok(if ended == Reply::Interrupted { Word::Abandon } else { Word::Quit });
                }
            };
            match words.iter().find(|word| word.is(&line)) {
                Some(word) => return Ok(*word),
                None => user.show(&help(HELP, words))?,
            }
        }
    }
}

impl Choice {
    fn take(&mut self, unit: &[&PlannedAction]) {
        self.accept.extend(unit.iter().map(|action| action.id.clone()));
    }
}

impl Word {
    fn key(self) -> &'static str {
        match self {
            Word::Yes => "y",
            Word::Network => "w",
            Word::No => "n",
            Word::All => "a",
            Word::Quit => "q",
            Word::Split => "s",
            Word::Abandon => "",
        }
    }

    fn is(self, line: &str) -> bool {
        let line = line.to_ascii_lowercase();
        let long = match self {
            Word::Yes => "yes",
            Word::Network => "with network",
            Word::No => "no",
            Word::All => "all",
            Word::Quit => "quit",
            Word::Split => "split",
            // No line says it.
            Word::Abandon => return false,
        };
        line == self.key() || line == long
    }
}

/// Returns those lines of `text` that are about one of `words`.
fn help(text: &str, words: &[Word]) -> String {
    let known =
        |line: &&str| line.starts_with(['?', 'C']) || words.iter().any(|word| line.starts_with(word.key()));
    text.split_inclusive('\n').filter(known).collect()
}

fn said_yes(user: &mut dyn User, question: &str) -> io::Result<bool> {
    loop {
        match user.ask(question)? {
            Reply::Ended | Reply::Interrupted => {
                user.show("\n")?;
                return Ok(false);
            }
            Reply::Line(line) if Word::Yes.is(&line) => return Ok(true),
            Reply::Line(line) if Word::No.is(&line) || Word::Quit.is(&line) => return Ok(false),
            Reply::Line(_) => user.show(HELP_ALL)?,
        }
    }
}

fn after(word: Word, before: Rest) -> Rest {
    match word {
        Word::All => Rest::Accepted,
        Word::Quit | Word::Abandon => Rest::Declined,
        Word::Yes | Word::Network | Word::No | Word::Split => before,
    }
}

fn asks(action: &PlannedAction) -> bool {
    !action.looks && !action.unchanged && action.unplannable.is_none()
}

/// Groups the actions for the questions: those of one block with several (`N.M`) belong together.
fn units(actions: &[PlannedAction]) -> Vec<Vec<&PlannedAction>> {
    let block = |action: &PlannedAction| action.task.split_once('.').map(|(block, _)| block.to_owned());
    let mut units: Vec<Vec<&PlannedAction>> = Vec::new();
    for action in actions {
        match units.last_mut() {
            Some(unit) if block(action).is_some() && block(unit[0]) == block(action) => unit.push(action),
            _ => units.push(vec![action]),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user who gives these replies, and is then gone.
    struct Scripted(Vec<&'static str>);

    impl User for Scripted {
        fn show(&mut self, _text: &str) -> io::Result<()> {
            Ok(())
        }

        fn ask(&mut self, _question: &str) -> io::Result<Reply> {
            if self.0.is_empty() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            match self.0.remove(0) {
                "\u{3}" => Ok(Reply::Interrupted),
                "\u{4}" => Ok(Reply::Ended),
                line => Ok(Reply::Line(line.to_owned())),
            }
        }
    }

    fn plan(tasks: &[&str]) -> PlanResult {
        let hunk = |id: &str, number| PlannedHunk { id: format!("{id}.h{number}"), diff: "".into() };
        let action = |(index, task): (usize, &&str)| {
            let id = format!("a{}", index + 1);
            let hunks = vec![hunk(&id, 1), hunk(&id, 2)];
            PlannedAction { id, seq: index + 1, task: (*task).to_owned(), hunks, ..PlannedAction::default() }
        };
        PlanResult { actions: tasks.iter().enumerate().map(action).collect(), ..PlanResult::default() }
    }

    fn asked(plan: &PlanResult, lines: &[&'static str]) -> io::Result<Choice> {
        let (change, hunk) = (|_: &PlannedAction| String::new(), |_: &PlannedHunk| String::new());
        let asking = Asking { plan, approved: None, change: &change, hunk: &hunk };
        asking.ask(&mut Scripted(lines.to_vec()))
    }

    #[test]
    fn only_what_was_said_yes_to_is_accepted() {
        let plan = plan(&["1", "2", "3.1", "3.2", "4"]);
        for (lines, accept, declined) in [
            (&["y", "n", "y", "n"][..], &["a1", "a3", "a4"][..], &[2, 5][..]),
            (&["s", "y", "y", "q"], &["a1"], &[2, 3, 4, 5]),
            (&["s", "n", "a"], &["a1.h2", "a2", "a3", "a4", "a5"], &[]),
            (&["s", "y", "q"], &["a1.h1"], &[2, 3, 4, 5]),
            (&["s", "n", "n", "a"], &["a2", "a3", "a4", "a5"], &[1]),
            (&["n", "n", "s", "n", "n"], &[], &[1, 2, 3, 4, 5]),
            (&["Yes", "", "what", "NO", "n", "q"], &["a1"], &[2, 3, 4, 5]),
            (&["y", "y", "\u{3}"], &[], &[1, 2, 3, 4, 5]),
            (&["y", "s", "y", "\u{3}"], &[], &[1, 2, 3, 4, 5]),
            (&["y", "\u{4}"], &["a1"], &[2, 3, 4, 5]),
        ] {
            let choice = asked(&plan, lines).unwrap();
            assert_eq!(
                (choice.accept.as_slice(), choice.declined.as_slice()),
                (&accept.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..], declined),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_user_who_goes_away_has_accepted_nothing() {
        assert!(asked(&plan(&["1", "2"]), &["y"]).is_err());
        assert!(asked(&plan(&["1"]), &["s", "y"]).is_err());
    }

    #[test]
    fn what_needs_approval_is_never_accepted_unseen_or_in_part() {
        let mut plan = plan(&["1", "2"]);
        plan.actions[1].needs_approval = Some("x".to_owned());
        plan.approvals.push(Approval {
            id: "x".to_owned(),
            kind: clada_protocol::ApprovalKind::File,
            task: None,
            path: String::new(),
            reason: String::new(),
            suspicious: false,
            ..Approval::default()
        });
        assert!(asked(&plan, &["a"]).is_err());
        let choice = asked(&plan, &["a", "s", "y"]).unwrap();
        assert_eq!(
            (choice.accept, choice.approve),
            (vec!["a1".to_owned(), "a2".to_owned()], vec!["x".to_owned()])
        );
        assert_eq!(asked(&plan, &["a", "n"]).unwrap().approve, Vec::<String>::new());
        // A network is offered where the command can have one.
        assert!(asked(&plan, &["a", "w"]).is_err());
        let with_network = Some("x with a network".to_owned());
        plan.approvals[0].command =
            Some(clada_protocol::CommandApproval { with_network, ..Default::default() });
        assert_eq!(asked(&plan, &["a", "w"]).unwrap().approve, ["x", "x with a network"]);
        assert_eq!(asked(&plan, &["a", "y"]).unwrap().approve, ["x"]);
    }
}
