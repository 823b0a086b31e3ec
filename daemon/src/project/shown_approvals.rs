//! When a person was last shown the approvals of commands: an operation that has ended since may have changed what
//! such a command does. Bounded; an approval that was forgotten counts as one that nobody was shown.

use std::collections::VecDeque;

const MAX_SHOWN: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct ShownApprovals(VecDeque<ShownApproval>);

#[derive(Debug)]
struct ShownApproval {
    id: String,
    // The plan that showed it, if one did: what is shown otherwise renews nothing of a plan.
    plan: Option<String>,
    at: ShownAt,
}

// The state in which an approval was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownAt {
    /// The number of operations that had ended before.
    pub ended: u64,
    /// The operation that it was shown at the end of, which is no later one.
    pub operation: Option<String>,
}

impl ShownApprovals {
    pub(crate) fn show(&mut self, plan: Option<&str>, id: &str, at: &ShownAt) {
        self.0.retain(|shown| shown.id != id || shown.plan.as_deref() != plan);
        let plan = plan.map(str::to_owned);
        self.0.push_back(ShownApproval { id: id.to_owned(), plan, at: at.clone() });
        if self.0.len() > MAX_SHOWN {
            self.0.pop_front();
        }
    }

    // Returns when `id` was last shown, by `plan` if it was. An approval of no plan is for the last that was shown.
    pub(crate) fn get(&self, plan: Option<&str>, id: &str) -> Option<&ShownAt> {
        let last = |is_meant: &dyn Fn(Option<&str>) -> bool| {
            let mut shown = self.0.iter().rev();
            Some(&shown.find(|shown| shown.id == id && is_meant(shown.plan.as_deref()))?.at)
        };
        match plan {
            Some(_) => last(&|by| by == plan).or_else(|| last(&|by| by.is_none())),
            None => last(&|_| true),
        }
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
        shown.show(Some("p"), "x", &at(4));
        assert_eq!((shown.get(None, "x"), shown.get(Some("q"), "x")), (Some(&at(4)), Some(&at(3))));
        (0..MAX_SHOWN).for_each(|number| shown.show(None, &number.to_string(), &at(5)));
        assert_eq!((shown.0.len(), shown.get(Some("p"), "x")), (MAX_SHOWN, None));
    }
}
