//! Selects the files that fit a budget of tokens: first those that were named, then those that the globs of
//! priority name, then those that have changed, then the rest by path. A file is in or out, never cut. Pure.

use super::gather::FileEntry;
use super::names::NameGlobs;

pub(super) fn by_importance(entries: &[FileEntry], priority: &NameGlobs) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|index| {
        let entry = &entries[*index];
        let rank = priority.rank(&entry.shown).unwrap_or(usize::MAX);
        (!entry.explicit, rank, !entry.changed, *index)
    });
    order
}

pub(super) fn keep(
    entries: &[FileEntry],
    order: &[usize],
    budget: u64,
    overhead: impl Fn(&[usize]) -> u64,
) -> Option<Vec<usize>> {
    // A dropped file is named too, so that a document with less in it can have the longer head and tail.
    let all: Vec<usize> = (0..entries.len()).collect();
    let mut room = budget.saturating_sub(overhead(&[]).min(overhead(&all)));
    let mut included = Vec::new();
    for index in order {
        if entries[*index].cost <= room {
            room -= entries[*index].cost;
            included.push(*index);
        }
    }
    // The head grows with what is kept: the least important go until all of it fits.
    loop {
        let mut sorted = included.clone();
        sorted.sort_unstable();
        let sections: u64 = included.iter().map(|index| entries[*index].cost).sum();
        let mut over = (overhead(&sorted) + sections).saturating_sub(budget);
        if over == 0 || included.is_empty() {
            return (over == 0).then_some(sorted);
        }
        while over > 0
            && let Some(dropped) = included.pop()
        {
            over = over.saturating_sub(entries[dropped].cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::ShownPath;

    fn entry(path: &str, cost: u64, explicit: bool) -> FileEntry {
        FileEntry {
            shown: ShownPath::written(path),
            size: 0,
            tokens: None,
            cost,
            explicit,
            changed: false,
            place: 0..0,
            hash: None,
        }
    }

    fn entries() -> Vec<FileEntry> {
        vec![entry("a", 50, false), entry("b.md", 30, false), entry("c", 10, true), entry("d.md", 40, false)]
    }

    #[test]
    fn named_files_come_first_then_those_of_priority_then_the_rest() {
        let priority = NameGlobs::new(&["d.*".to_owned(), "*.md".to_owned()]).unwrap();
        assert_eq!(by_importance(&entries(), &priority), [2, 3, 1, 0]);
    }

    #[test]
    fn changed_files_come_after_those_of_priority_and_before_the_rest() {
        let mut entries = vec![entry("a", 1, false), entry("b.md", 1, false), entry("c", 1, false)];
        entries.push(FileEntry { changed: true, ..entry("d", 1, false) });
        entries.push(entry("e", 1, true));
        let priority = NameGlobs::new(&["*.md".to_owned()]).unwrap();
        assert_eq!(by_importance(&entries, &priority), [4, 1, 3, 0, 2]);
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let (entries, order) = (entries(), [2, 3, 1, 0]);
        let keep = |budget| keep(&entries, &order, budget, |included| 5 + included.len() as u64);
        assert_eq!(keep(4), None);
        assert_eq!(keep(5), Some(vec![]));
        assert_eq!(keep(16), Some(vec![2]));
        assert_eq!(keep(57), Some(vec![2, 3]));
        assert_eq!(keep(88), Some(vec![1, 2, 3]));
        assert_eq!(keep(1_000), Some(vec![0, 1, 2, 3]));
        assert_eq!(keep(56), Some(vec![2]), "the head of two is one token too much");
    }
}
