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

    // The letters that answer, each with its words.
    fn choices(&self) -> impl Iterator<Item = (char, &'static str, PopupAnswer)> {
        use PopupAnswer::{Closed, Code, Consent as Says, Decision, NoneOfAll, Place, Yes};
        use PopupQuestion::{Approval, Call, Leave, Undo, Waiting};
        let question = &self.question;
        let is_network = matches!(question, Approval { network: true, .. });
        let is_place = *question == PopupQuestion::Place;
        let no_of_waiting = "skip what needs approval, apply the rest";
        let all = [
            ('y', "once", Says(Consent::Once), matches!(question, Approval { .. })),
            ('a', "always", Says(Consent::Always), matches!(question, Approval { always: true, .. })),
            ('w', "once, with network", Says(Consent::Network), is_network),
            ('n', "no", Says(Consent::No), matches!(question, Approval { .. })),
            ('v', "view the code", Code, matches!(question, Approval { code: Some(_), .. })),
            ('q', "none of the rest", NoneOfAll, matches!(question, Approval { .. })),
            ('y', "all of it, once", Decision(ApprovalDecision::Once), matches!(question, Waiting(_))),
            ('n', no_of_waiting, Decision(ApprovalDecision::No), matches!(question, Waiting(_))),
            ('b', "this branch", Place(GitWhere::Branch), is_place),
            ('r', "beside it", Place(GitWhere::Refs), is_place),
            ('o', "no commits", Place(GitWhere::Off), is_place),
            ('y', "undo", Yes, matches!(question, Undo(_, false))),
            ('y', "undo and merge", Yes, matches!(question, Undo(_, true))),
            ('y', "go on", Yes, matches!(question, Call(_))),
            ('n', "no", Closed, matches!(question, Undo(..) | Call(_))),
            ('y', "quit, nothing is applied", Yes, *question == Leave),
            ('n', "stay", Closed, *question == Leave),
        ];
        let choices = all.into_iter().filter(|(.., is_there)| *is_there);
        choices.map(|(key, words, answer, _)| (key, words, answer))
    }

    pub(crate) fn keys(&self) -> String {
        let other = match &self.question {
            PopupQuestion::Approval { .. } | PopupQuestion::Place => Some("Esc back"),
            PopupQuestion::Waiting(_) => Some("Esc later"),
            PopupQuestion::Nothing => Some("any key"),
            _ => None,
        };
        let choices = self.choices().map(|(key, words, _)| format!("{key} {words}"));
        choices.chain(other.map(str::to_owned)).collect::<Vec<_>>().join(" · ")
    }

    /// Returns what a letter answers, if it answers anything. What changes nothing counts at once, what gives leave
    /// to something only after all of the question was shown.
    pub(crate) fn answer(&mut self, key: char, now: Instant) -> Result<Option<PopupAnswer>, Refusal> {
        let rested = now.saturating_duration_since(self.pressed) >= PAUSE;
        self.pressed = now;
        if self.question == PopupQuestion::Nothing {
            return Ok(Some(PopupAnswer::Closed));
        }
        let chosen = self.choices().find(|(letter, ..)| *letter == key);
        let Some((_, _, answer)) = chosen else { return Ok(None) };
        if matches!(answer, PopupAnswer::Closed | PopupAnswer::Code) || self.question == PopupQuestion::Leave
        {
            return Ok(Some(answer));
        }
        let gives_leave = !matches!(answer, PopupAnswer::Consent(Consent::No) | PopupAnswer::NoneOfAll);
        match self.rows - self.seen {
            _ if !rested => Err(Refusal::TooSoon),
            unseen @ 1.. if gives_leave => Err(Refusal::Unseen(unseen)),
            _ => Ok(Some(answer)),
        }
    }
}
