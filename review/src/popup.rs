//! A question above what is shown: its text, its keys, and the time before it takes an answer.

use std::time::{Duration, Instant};

use clada_protocol::{Approval, ApprovalDecision, GitWhere, approval_text};

use crate::model::Consent;

/// The time for which no key may have come before an answer counts: a key that is held down gives none. Keys
/// begin to repeat after 660 ms at most, as systems set it.
pub(crate) const PAUSE: Duration = Duration::from_millis(700);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PopupQuestion {
    /// An approval of the plan, by its id: has it a network to be given, is it code.
    Approval {
        id: String,
        network: bool,
        always: bool,
        code: Option<String>,
    },
    Waiting(String),
    Undo(String, bool),
    Place,
    Call(Vec<String>),
    Leave,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PopupAnswer {
    Consent(Consent),
    NoneOfAll,
    Code,
    Decision(ApprovalDecision),
    Place(GitWhere),
    Yes,
    Closed,
}

#[derive(Debug)]
pub(crate) struct Popup {
    pub(crate) question: PopupQuestion,
    pub(crate) text: String,
    pub(crate) top: usize,
    pub(crate) page: usize,
    /// All rows, and those that were shown, from the first one on; for this size of the screen.
    rows: usize,
    seen: usize,
    size: (u16, u16),
    pressed: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    TooSoon,
    Unseen(usize),
}

impl Popup {
    pub(crate) fn new(question: PopupQuestion, text: String, now: Instant) -> Popup {
        // Before it is drawn, nothing of it was shown.
        Popup { question, text, top: 0, page: 1, rows: 1, seen: 0, size: (0, 0), pressed: now }
    }

    /// Notes that of `rows` rows so many are shown at once, on a screen of this size. On another size all of it
    /// has to be shown again: its rows are others. Returns the first one that is shown.
    pub(crate) fn show(&mut self, rows: usize, page: usize, size: (u16, u16)) -> usize {
        if self.size != size {
            (self.size, self.seen, self.top) = (size, 0, 0);
        }
        (self.rows, self.page) = (rows, page);
        self.top = self.top.min(rows.saturating_sub(page));
        // What was jumped over was not shown.
        if self.top <= self.seen {
            self.seen = self.seen.max(self.top + page).min(rows);
        }
        self.top
    }

    pub(crate) fn of_approval(approval: &Approval, root: &str, now: Instant) -> Popup {
        let command = approval.command.as_ref();
        let code = command.and_then(|command| command.code.clone());
        let question = PopupQuestion::Approval {
            id: approval.id.clone(),
            network: command.is_some_and(|command| command.with_network.is_some()),
            // Code differs each time, so that there is nothing to approve for good.
            always: command.is_some() && code.is_none(),
            code,
        };
        Popup::new(question, approval_text(approval, root).trim_start().to_owned(), now)
    }

    pub(crate) fn keys(&self) -> String {
        match &self.question {
            PopupQuestion::Approval { network, always, code, .. } => {
                let parts = [
                    ("y once", true),
                    ("a always", *always),
                    ("w once, with network", *network),
                    ("n no", true),
                    ("v view the code", code.is_some()),
                    ("q none of the rest", true),
                    ("Esc back", true),
                ];
                let parts: Vec<&str> =
                    parts.iter().filter(|(_, is_there)| *is_there).map(|(part, _)| *part).collect();
                parts.join(" · ")
            }
            PopupQuestion::Waiting(_) => {
                "y all of it, once · n skip what needs approval, apply the rest · Esc later".to_owned()
            }
            PopupQuestion::Undo(_, false) => "y undo · n no".to_owned(),
            PopupQuestion::Undo(_, true) => "y undo and merge · n no".to_owned(),
            PopupQuestion::Place => "b this branch · r beside it · o no commits · Esc back".to_owned(),
            PopupQuestion::Call(_) => "y go on · n no".to_owned(),
            PopupQuestion::Leave => "y quit, nothing is applied · n stay".to_owned(),
            PopupQuestion::Nothing => "any key".to_owned(),
        }
    }

    /// Returns what a letter answers, if it answers anything. What changes nothing counts at once, what gives leave
    /// to something only after all of the question was shown.
    pub(crate) fn answer(&mut self, key: char, now: Instant) -> Result<Option<PopupAnswer>, Refusal> {
        let rested = now.saturating_duration_since(self.pressed) >= PAUSE;
        self.pressed = now;
        let answer = match (&self.question, key) {
            (PopupQuestion::Nothing, _) => return Ok(Some(PopupAnswer::Closed)),
            (PopupQuestion::Approval { .. }, 'y') => PopupAnswer::Consent(Consent::Once),
            (PopupQuestion::Approval { always: true, .. }, 'a') => PopupAnswer::Consent(Consent::Always),
            (PopupQuestion::Approval { network: true, .. }, 'w') => PopupAnswer::Consent(Consent::Network),
            (PopupQuestion::Approval { .. }, 'n') => PopupAnswer::Consent(Consent::No),
            (PopupQuestion::Approval { .. }, 'q') => PopupAnswer::NoneOfAll,
            (PopupQuestion::Approval { code: Some(_), .. }, 'v') => return Ok(Some(PopupAnswer::Code)),
            (PopupQuestion::Waiting(_), 'y') => PopupAnswer::Decision(ApprovalDecision::Once),
            (PopupQuestion::Waiting(_), 'n') => PopupAnswer::Decision(ApprovalDecision::No),
            (PopupQuestion::Place, 'b') => PopupAnswer::Place(GitWhere::Branch),
            (PopupQuestion::Place, 'r') => PopupAnswer::Place(GitWhere::Refs),
            (PopupQuestion::Place, 'o') => PopupAnswer::Place(GitWhere::Off),
            (PopupQuestion::Leave, 'y') => return Ok(Some(PopupAnswer::Yes)),
            (PopupQuestion::Undo(..) | PopupQuestion::Call(_), 'y') => PopupAnswer::Yes,
            (PopupQuestion::Undo(..) | PopupQuestion::Call(_) | PopupQuestion::Leave, 'n') => {
                return Ok(Some(PopupAnswer::Closed));
            }
            _ => return Ok(None),
        };
        let gives_leave = !matches!(answer, PopupAnswer::Consent(Consent::No) | PopupAnswer::NoneOfAll);
        match self.rows - self.seen {
            _ if !rested => Err(Refusal::TooSoon),
            unseen @ 1.. if gives_leave => Err(Refusal::Unseen(unseen)),
            _ => Ok(Some(answer)),
        }
    }
}
