//! A question above what is shown: its text, its keys, and the time before it takes an answer.

use std::time::{Duration, Instant};

use clada_protocol::{Approval, ApprovalDecision, GitWhere, ReportStyle, approval_text};

use crate::model::Consent;

/// The time for which no key may have come before an answer counts: a key that is held down gives none. Keys
/// begin to repeat after 660 ms at most, as systems set it.
pub(crate) const PAUSE: Duration = Duration::from_millis(700);

/// The subject of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Question {
    /// An approval of the plan, by its id: has it a network to be given, is it code.
    Approval { id: String, network: bool, always: bool, code: Option<String> },
    /// An agent's question, by its id.
    Waiting(String),
    /// The undo of an operation; true: merging.
    Undo(String, bool),
    /// Where commits go.
    Place,
    /// Approvals of the call as a whole.
    Call(Vec<String>),
    /// Leaving, although something was decided.
    Leave,
    /// Nothing: something is shown.
    Nothing,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Consent(Consent),
    /// None of all that remains.
    NoneOfAll,
    /// The code, in whole.
    Code,
    Decision(ApprovalDecision),
    Place(GitWhere),
    Yes,
    /// It is not answered.
    Closed,
}

/// A question.
#[derive(Debug)]
pub(crate) struct Popup {
    pub(crate) question: Question,
    pub(crate) text: String,
    /// The first line that is shown.
    pub(crate) top: usize,
    /// The last key that came.
    pressed: Instant,
}

impl Popup {
    pub(crate) fn new(question: Question, text: String, now: Instant) -> Popup {
        Popup { question, text, top: 0, pressed: now }
    }

    /// Returns the question about an approval.
    pub(crate) fn of_approval(approval: &Approval, style: &ReportStyle<'_>, now: Instant) -> Popup {
        let command = approval.command.as_ref();
        let code = command.and_then(|command| command.code.clone());
        let question = Question::Approval {
            id: approval.id.clone(),
            network: command.is_some_and(|command| command.with_network.is_some()),
            // Code differs each time, so that there is nothing to approve for good.
            always: command.is_some() && code.is_none(),
            code,
        };
        Popup::new(question, approval_text(approval, style).trim_start().to_owned(), now)
    }

    /// Returns the line with the keys.
    pub(crate) fn keys(&self) -> String {
        match &self.question {
            Question::Approval { network, always, code, .. } => {
                let parts = [
                    ("y once", true),
                    ("a always", *always),
                    ("w once, with network", *network),
                    ("n no", true),
                    ("e code", code.is_some()),
                    ("q none of the rest", true),
                    ("Esc back", true),
                ];
                let parts: Vec<&str> =
                    parts.iter().filter(|(_, is_there)| *is_there).map(|(part, _)| *part).collect();
                parts.join(" · ")
            }
            Question::Waiting(_) => {
                "y carry all out, once · n only what needs no approval · Esc later".to_owned()
            }
            Question::Undo(_, false) => "y undo · n no".to_owned(),
            Question::Undo(_, true) => "y undo and merge · n no".to_owned(),
            Question::Place => "b this branch · r beside it · n no commits · Esc back".to_owned(),
            Question::Call(_) => "y go on · n no".to_owned(),
            Question::Leave => "y leave, nothing is carried out · n stay".to_owned(),
            Question::Nothing => "any key".to_owned(),
        }
    }

    /// Returns what a letter answers, if it answers anything. `Err`: it came too soon to be meant.
    pub(crate) fn answer(&mut self, key: char, now: Instant) -> Result<Option<Answer>, ()> {
        let rested = now.saturating_duration_since(self.pressed) >= PAUSE;
        self.pressed = now;
        let answer = match (&self.question, key) {
            (Question::Nothing, _) => return Ok(Some(Answer::Closed)),
            (Question::Approval { .. }, 'y') => Answer::Consent(Consent::Once),
            (Question::Approval { always: true, .. }, 'a') => Answer::Consent(Consent::Always),
            (Question::Approval { network: true, .. }, 'w') => Answer::Consent(Consent::Network),
            (Question::Approval { .. }, 'n') => Answer::Consent(Consent::No),
            (Question::Approval { .. }, 'q') => Answer::NoneOfAll,
            (Question::Approval { code: Some(_), .. }, 'e') => Answer::Code,
            (Question::Waiting(_), 'y') => Answer::Decision(ApprovalDecision::Once),
            (Question::Waiting(_), 'n') => Answer::Decision(ApprovalDecision::No),
            (Question::Place, 'b') => Answer::Place(GitWhere::Branch),
            (Question::Place, 'r') => Answer::Place(GitWhere::Refs),
            (Question::Place, 'n') => Answer::Place(GitWhere::Off),
            (Question::Undo(..) | Question::Call(_) | Question::Leave, 'y') => Answer::Yes,
            (Question::Undo(..) | Question::Call(_) | Question::Leave, 'n') => Answer::Closed,
            _ => return Ok(None),
        };
        if rested { Ok(Some(answer)) } else { Err(()) }
    }
}
