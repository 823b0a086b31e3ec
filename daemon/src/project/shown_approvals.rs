//! When a person was last shown the approvals of commands: an operation that has ended since may have changed what
//! such a command does. Bounded; of an approval that was forgotten nothing is known, and its id alone binds it.

use std::collections::{HashMap, VecDeque};

const MAX_SHOWN: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct ShownApprovals {
    shown: HashMap<ShownKey, ShownAt>,
    order: VecDeque<ShownKey>,
}

/// An approval's id, and the plan that showed it, if one did: what is shown otherwise renews nothing of a plan.
type ShownKey = (Option<String>, String);

/// The state in which an approval was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownAt {
    /// The number of operations that had ended before.
    pub ended: u64,
    /// The operation that it was shown at the end of, which is no later one.
    pub operation: Option<String>,
}

impl ShownApprovals {
    pub(crate) fn show(&mut self, plan: Option<&str>, id: &str, at: &ShownAt) {
        let key = (plan.map(str::to_owned), id.to_owned());
        if self.shown.insert(key.clone(), at.clone()).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MAX_SHOWN {
            let first = self.order.pop_front();
            first.iter().for_each(|first| drop(self.shown.remove(first)));
        }
    }

    pub(crate) fn get(&self, plan: Option<&str>, id: &str) -> Option<&ShownAt> {
        let of_plan = self.shown.get(&(plan.map(str::to_owned), id.to_owned()));
        of_plan.or_else(|| self.shown.get(&(None, id.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_the_time_of_its_own_and_all_is_bounded() {
        let at = |ended| ShownAt { ended, operation: None };
        let mut shown = ShownApprovals::default();
        shown.show(Some("p"), "x", &at(1));
        shown.show(None, "x", &at(2));
        shown.show(None, "x", &at(3));
        assert_eq!(shown.get(Some("p"), "x"), Some(&at(1)));
        assert_eq!(shown.get(Some("q"), "x"), Some(&at(3)));
        assert_eq!((shown.get(None, "x"), shown.get(None, "y")), (Some(&at(3)), None));
        (0..MAX_SHOWN).for_each(|number| shown.show(None, &number.to_string(), &at(4)));
        assert_eq!((shown.shown.len(), shown.get(Some("p"), "x")), (MAX_SHOWN, None));
    }
}
