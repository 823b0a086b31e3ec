//! Progress: numbers that always grow, words that are harmless. Time is not looked at here.

use clada_protocol::{Id, visible_line};
use serde_json::{Value, json};

const MESSAGE: usize = 200;
/// The beats whose distance to the next action halves: beyond, it shrinks more slowly, so that a number of 64
/// bits still differs from one beat to the next.
const HALVING: u32 = 20;

/// The state of the work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// The actions that are done.
    pub done: u64,
    /// All actions, once that is known.
    pub total: Option<u64>,
    /// The actions under way.
    pub message: String,
}

/// The numbers that were reported so far.
#[derive(Debug, Default)]
pub struct Beats {
    done: u64,
    since: Option<u32>,
}

impl Beats {
    /// Returns the number to tell now that `done` actions are done: more than any before, and less than
    /// `done` plus 1.
    pub fn next(&mut self, done: u64) -> f64 {
        let since = match self.since {
            Some(since) if done <= self.done => since.saturating_add(1),
            _ => 0,
        };
        self.done = self.done.max(done);
        self.since = Some(since);
        let beyond = f64::from(since.saturating_sub(HALVING));
        let distance = 0.5_f64.powf(f64::from(since.min(HALVING))) / (1.0 + beyond);
        // Counts of actions are far below what a number of 64 bits holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "a count of actions")]
        let whole = self.done as f64;
        whole + 1.0 - distance
    }
}

/// Returns the parameters of the notification.
#[must_use]
pub fn progress_params(token: &Id, progress: f64, step: &Step) -> Value {
    let mut params = json!({ "progressToken": token, "progress": progress });
    if let Some(total) = step.total {
        params["total"] = total.into();
    }
    if !step.message.is_empty() {
        let message: String = visible_line(&step.message).chars().take(MESSAGE).collect();
        params["message"] = message.into();
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_always_grows_and_stays_below_the_next_action() {
        let mut beats = Beats::default();
        assert_eq!([0, 0, 0, 1, 1, 5].map(|done| beats.next(done)), [0.0, 0.5, 0.75, 1.0, 1.5, 5.0]);
        // Not even work that reports less than before goes back.
        assert_eq!(beats.next(3), 5.5);
        for done in [0_u64, 7, 100_000] {
            let (mut beats, mut last) = (Beats::default(), -1.0);
            // Beats of a day, were none of its actions ever done.
            for _ in 0..if done > 1000 { 100 } else { 17_280 } {
                let next = beats.next(done);
                assert!(next > last && next < done as f64 + 1.0, "{done}: {last} {next}");
                last = next;
            }
        }
    }

    #[test]
    fn a_message_is_one_visible_line() {
        let step = Step { done: 1, total: Some(2), message: format!("a\u{1b}[2J\n{}", "x".repeat(999)) };
        let params = progress_params(&Id::from("t"), 1.0, &step);
        let message = params["message"].as_str().unwrap();
        assert!(message.len() <= MESSAGE && message.starts_with("a\\u{1b}[2J\\nxx"), "{message}");
        assert_eq!((&params["progressToken"], &params["total"]), (&json!("t"), &json!(2)));
    }
}
