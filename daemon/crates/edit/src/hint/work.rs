//! The work that the search for a hint may take.

#[derive(Debug, Clone, Default)]
pub(super) struct WorkBudget {
    pub(super) walked: u64,
    pub(super) compared: u64,
}

impl WorkBudget {
    /// Bytes of lines compared with each other before similarity is no longer measured.
    pub(super) const BUDGET: u64 = 4_000_000;

    pub(super) fn walk(&mut self, bytes: usize) {
        self.walked += bytes as u64;
    }

    /// True if there is something left for comparing `bytes`; if so, it is spent.
    pub(super) fn compare(&mut self, bytes: usize) -> bool {
        let allowed = self.compared + bytes as u64 <= WorkBudget::BUDGET;
        self.compared += if allowed { bytes as u64 } else { 0 };
        allowed
    }
}
