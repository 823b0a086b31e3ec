//! The keys. Those of `apply -i` mean the same here.

use std::time::Instant;

use clada_protocol::count_of;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::app::{App, AppAction};
use crate::daemon::Ask;
use crate::popup::{Popup, PopupAnswer, PopupQuestion, Refusal};
use crate::rows::Kind;
use crate::view::{View, ViewContent, ViewSubject};

pub(crate) const HELP: &str = "\
y        apply this; on a file's line, all of it
n        skip this
a x      apply, or skip, this and all below it
         that you have not decided with y or n
Tab s    fold a file, or unfold it; Enter on its line, too;
         on a line that failed: why
ZZ       apply what you accepted; so does Enter on
         the last line. Nothing is written before
j k      a line (arrows)     Space b  a page
] [      a hunk on, back     } {      a file on, back
g G      begin, end          / . ,    find, again, back
d        two sides, or one (from 100 columns)
h        what waits, and what was done; Enter opens it
u        undo the operation that is shown (asks)
r        plan again; in a list look again
q        back, or quit       Ctrl-C   leave
Ctrl-Z   stop for a while    Ctrl-L   draw again

[x] applied  [ ] skipped  [-] some of it
[!] waits for your approval, which is asked for
before anything is applied: y once, a always,
w once with a network, n no, q none of the rest.
y, a and w count once all of the question was shown
";

impl App {
    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, is_control) {
            (KeyCode::Char('z'), true) => return self.act = Some(AppAction::Stop),
            (KeyCode::Char('l'), true) => return self.act = Some(AppAction::Redraw),
            (KeyCode::Char('c'), true) => return self.interrupt(now),
            _ => {}
        }
        if self.popup.is_some() {
            return self.popup_key(key, now);
        }
        if self.typed.is_some() {
            return self.typed_key(key);
        }
        if !self.is_carrying() {
            self.note.clear();
        }
        let before = self.before.take();
        match (key.code, is_control) {
            (KeyCode::Char(letter), false) => self.letter(letter, before, now),
            (KeyCode::Char(letter), true) => self.move_by(|view| match letter {
                'd' => view.page(1),
                'u' => view.page(-1),
                'f' => view.page(2),
                'b' => view.page(-2),
                'n' => view.step(1),
                'p' => view.step(-1),
                _ => {}
            }),
            (KeyCode::Enter, _) => self.enter(now),
            (KeyCode::Tab, _) => self.move_by(View::fold),
            (KeyCode::Down, _) => self.move_by(|view| view.step(1)),
            (KeyCode::Up, _) => self.move_by(|view| view.step(-1)),
            (KeyCode::PageDown, _) => self.move_by(|view| view.page(2)),
            (KeyCode::PageUp, _) => self.move_by(|view| view.page(-2)),
            (KeyCode::Home, _) => self.move_by(|view| view.step(isize::MIN)),
            (KeyCode::End, _) => self.move_by(|view| view.step(isize::MAX)),
            (KeyCode::Esc, _) => self.back(now),
            _ => {}
        }
    }

    fn move_by(&mut self, step: impl FnOnce(&mut View)) {
        if let Some(view) = self.views.last_mut() {
            step(view);
        }
    }

    fn letter(&mut self, letter: char, before: Option<char>, now: Instant) {
        match letter {
            'Z' if before == Some('Z') => self.begin(now),
            'Z' => self.before = Some('Z'),
            'y' => self.decide(true, now),
            'n' => self.decide(false, now),
            'a' => self.decide_rest(true),
            'x' => self.decide_rest(false),
            's' => self.move_by(View::fold),
            'j' => self.move_by(|view| view.step(1)),
            'k' => self.move_by(|view| view.step(-1)),
            ' ' => self.move_by(|view| view.page(2)),
            'b' => self.move_by(|view| view.page(-2)),
            'g' => self.move_by(|view| view.step(isize::MIN)),
            'G' => self.move_by(|view| view.step(isize::MAX)),
            ']' => self.move_by(|view| {
                view.go(true, |row| row.is_head || row.kind == Kind::Head);
            }),
            '[' => self.move_by(|view| {
                view.go(false, |row| row.is_head || row.kind == Kind::Head);
            }),
            '}' => self.move_by(|view| {
                view.go(true, |row| row.kind == Kind::Title);
            }),
            '{' => self.move_by(|view| {
                view.go(false, |row| row.kind == Kind::Title);
            }),
            '/' => self.typed = Some(String::new()),
            '.' => self.find(true),
            ',' => self.find(false),
            'd' => {
                if self.views.last_mut().is_some_and(|view| !view.turn()) {
                    self.note = "Both sides are side by side from 100 columns on.".to_owned();
                }
            }
            'h' => {
                self.views
                    .retain(|view| !matches!(view.subject, ViewSubject::Home(..)) || self.busy.is_some());
                self.ask(Ask::Home, "Looking at the history", now);
            }
            'u' => self.undo(now),
            'r' => self.again(now),
            'q' => self.back(now),
            '?' => self.tell(HELP.to_owned(), now),
            _ => self.note = format!("{letter:?} is not a key here: ? shows the keys"),
        }
    }

    fn again(&mut self, now: Instant) {
        match self.views.last().map(|view| &view.subject) {
            Some(ViewSubject::Home(..)) => self.ask(Ask::Home, "Looking again", now),
            Some(ViewSubject::Plan(_)) if self.busy.is_none() => {
                self.plan_again(false, "Planning again", now)
            }
            Some(ViewSubject::Report(_)) => {
                self.views.retain(|view| !matches!(view.subject, ViewSubject::Report(_)));
                self.plan_again(false, "Planning what is left", now);
            }
            _ => {}
        }
    }

    fn decide(&mut self, accepted: bool, now: Instant) {
        let is_busy = self.busy.is_some();
        let Some(view) = self.views.last_mut() else { return };
        let units = view.units();
        let ViewSubject::Plan(model) = &mut view.subject else {
            return self.note = "This is only shown: there is nothing to decide.".to_owned();
        };
        if is_busy {
            return self.note = "The daemon is busy; wait for it.".to_owned();
        }
        if units.is_empty() {
            return self.note =
                "There is nothing to decide on this line: ] goes to the next hunk.".to_owned();
        }
        units.iter().for_each(|unit| model.set(*unit, accepted));
        if accepted && model.unanswered(&units).is_some() {
            return self.ask_for(units, now);
        }
        if view.row().is_some_and(|row| row.kind == Kind::Title && !row.is_head) {
            let section = view.row().and_then(|row| row.section);
            view.go(true, |row| {
                row.kind == Kind::CarryOut || (row.kind == Kind::Title && row.section != section)
            });
        } else {
            self.go_on();
        }
    }

    fn decide_rest(&mut self, accepted: bool) {
        let is_busy = self.busy.is_some();
        let Some(view) = self.views.last_mut() else { return };
        let units = view.units_below();
        if let (ViewSubject::Plan(model), false) = (&mut view.subject, is_busy) {
            model.set_rest(&units, accepted);
            view.step(isize::MAX);
        }
    }

    fn enter(&mut self, now: Instant) {
        let Some(view) = self.views.last_mut() else { return };
        match (&view.subject, view.row().map(|row| row.kind)) {
            (ViewSubject::Plan(_), Some(Kind::CarryOut)) => self.begin(now),
            (ViewSubject::Home(..), _) => self.choose(now),
            (_, Some(Kind::Title)) => view.fold(),
            _ => {}
        }
    }

    fn begin(&mut self, now: Instant) {
        if self.busy.is_some() {
            self.note = "The daemon is busy; wait for it.".to_owned();
        } else if self.model().is_some() {
            self.carry_out(now);
        } else {
            self.note = "There is nothing to apply here.".to_owned();
        }
    }

    fn find(&mut self, is_forward: bool) {
        let words = self.words.clone();
        let Some(view) = self.views.last_mut() else { return };
        if words.is_empty() {
            return self.note = "/ finds words.".to_owned();
        }
        view.unfold();
        if !view.find(&words, is_forward) {
            self.note = format!("Not found: {words}");
        }
    }

    fn typed_key(&mut self, key: KeyEvent) {
        let Some(typed) = &mut self.typed else { return };
        match key.code {
            KeyCode::Enter => {
                let typed = self.typed.take().unwrap_or_default();
                if !typed.is_empty() {
                    self.words = typed;
                }
                self.find(true);
            }
            KeyCode::Esc => self.typed = None,
            KeyCode::Backspace if typed.pop().is_none() => self.typed = None,
            KeyCode::Char(letter) if !letter.is_control() => typed.push(letter),
            _ => {}
        }
    }

    fn interrupt(&mut self, now: Instant) {
        if self.typed.take().is_some() || self.cancel() || self.hold() {
            return;
        }
        let is_leaving = self.popup.as_ref().is_some_and(|popup| popup.question == PopupQuestion::Leave);
        if self.popup.take().is_some() && !is_leaving {
            return self.stop_asking();
        }
        self.leave(is_leaving, now);
    }

    fn back(&mut self, now: Instant) {
        if self.is_carrying() {
            return self.note = "It is being applied: Ctrl-C cancels it.".to_owned();
        }
        if self.hold() {
            return;
        }
        let is_last = self.views.len() <= 1;
        match self.views.last().map(|view| &view.subject) {
            Some(ViewSubject::Report(_)) => self.act = Some(AppAction::Leave),
            _ if is_last => self.leave(false, now),
            _ => drop(self.views.pop()),
        }
    }

    fn leave(&mut self, is_sure: bool, now: Instant) {
        let is_decided = self.views.iter().any(|view| match &view.subject {
            ViewSubject::Plan(model) => model.is_touched,
            _ => false,
        });
        if is_decided && !is_sure && !self.has_carried() {
            let text = "Quit? Your decisions are lost, and nothing is applied.".to_owned();
            self.popup = Some(Popup::new(PopupQuestion::Leave, text, now));
        } else {
            self.act = Some(AppAction::Leave);
        }
    }

    fn popup_key(&mut self, key: KeyEvent, now: Instant) {
        if !self.is_carrying() {
            self.note.clear();
        }
        let Some(popup) = &mut self.popup else { return };
        let page = popup.page.max(1).cast_signed();
        let rows = match key.code {
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::PageDown | KeyCode::Char(' ') => page,
            KeyCode::Char('b') if popup.question != PopupQuestion::Place => -page,
            KeyCode::PageUp => -page,
            KeyCode::Home | KeyCode::Char('g') => isize::MIN,
            KeyCode::End | KeyCode::Char('G') => isize::MAX,
            _ => 0,
        };
        if rows != 0 {
            return popup.top = popup.top.saturating_add_signed(rows);
        }
        let letter = match key.code {
            KeyCode::Char(letter) => letter,
            KeyCode::Enter if popup.question == PopupQuestion::Nothing => 'q',
            KeyCode::Esc => {
                self.popup = None;
                return self.stop_asking();
            }
            _ => return,
        };
        match popup.answer(letter.to_ascii_lowercase(), now) {
            Ok(Some(answer)) => self.answer(answer, now),
            Ok(None) => self.note = format!("Keys: {}", popup.keys()),
            Err(Refusal::TooSoon) => {
                self.note =
                    format!("That key came too soon after the question: wait a moment, then press {letter}.");
            }
            Err(Refusal::Unseen(rows)) => {
                let rows = count_of(rows, "line");
                self.note = format!("{rows} of the question not shown yet: Space goes on.");
            }
        }
    }

    fn answer(&mut self, answer: PopupAnswer, now: Instant) {
        let Some(popup) = self.popup.take() else { return };
        self.note.clear();
        match (answer, popup.question) {
            (PopupAnswer::Consent(consent), PopupQuestion::Approval { id, .. }) => {
                if let Some(model) = self.model() {
                    model.consent(&id, consent);
                }
                self.ask_next(now);
            }
            (PopupAnswer::NoneOfAll, _) => {
                self.decline_rest();
                self.ask_next(now);
            }
            (PopupAnswer::Code, PopupQuestion::Approval { code: Some(code), .. }) => {
                self.stop_asking();
                // Behind a mark, so that a line that goes on is not taken for two.
                let lines = clada_protocol::visible_block(&code);
                let text = lines.lines().map(|line| format!("| {line}\n")).collect();
                self.views.push(View::new(ViewSubject::Text, "code".to_owned(), ViewContent::Text(text)));
            }
            (PopupAnswer::Decision(decision), PopupQuestion::Waiting(id)) => {
                self.ask(Ask::Answer(id, decision), "Answering", now);
            }
            (PopupAnswer::Place(place), _) => {
                self.set_place(place);
                self.ask_next(now);
            }
            (PopupAnswer::Yes, PopupQuestion::Undo(operation, merge)) => {
                self.ask(Ask::Undo(operation, merge), "Undoing it", now);
            }
            (PopupAnswer::Yes, PopupQuestion::Call(ids)) => self.approve_call(&ids, now),
            (PopupAnswer::Yes, PopupQuestion::Leave) => self.act = Some(AppAction::Leave),
            _ => self.stop_asking(),
        }
    }
}
