//! What changed in a survey, look by look, as far as it is remembered.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::routes::ProjectId;

const MOST: usize = 4_096;

/// A look at a survey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub(super) survey: ProjectId,
    pub(super) number: u64,
}

/// A part of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    All,
    /// What is at this path from the root, and nothing that is in it.
    At(PathBuf),
    /// What is in the folder at this path from the root, on every level.
    Beneath(PathBuf),
}

impl Part {
    fn beginning(&self) -> Vec<u8> {
        match self {
            Part::All => Vec::new(),
            Part::At(path) => path.as_os_str().as_bytes().to_vec(),
            Part::Beneath(path) => [path.as_os_str().as_bytes(), b"/"].concat(),
        }
    }

    /// Sorts `parts` by the bytes of their paths, and leaves out those that are in others.
    #[must_use]
    pub fn distinct(parts: Vec<Part>) -> Vec<Part> {
        let mut keyed: Vec<(Vec<u8>, Part)> =
            parts.into_iter().map(|part| (part.beginning(), part)).collect();
        keyed.sort_by(|one, other| one.0.cmp(&other.0));
        keyed.dedup();
        let mut above: Option<Vec<u8>> = None;
        keyed.retain(|(key, part)| {
            if above.as_deref().is_some_and(|above| key.starts_with(above)) {
                return false;
            }
            if !matches!(part, Part::At(_)) {
                above = Some(key.clone());
            }
            true
        });
        keyed.into_iter().map(|(_, part)| part).collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    look: u64,
    forgotten: u64,
    places: Vec<(u64, Part)>,
}

impl ChangeLog {
    pub(super) fn begin_look(&mut self) {
        self.look += 1;
    }

    pub(super) fn look(&self) -> u64 {
        self.look
    }

    // Forgets everything: what this look changes is not reported by parts.
    pub(super) fn forget(&mut self) {
        self.places.clear();
        self.forgotten = self.look;
    }

    pub(super) fn is_full(&self) -> bool {
        self.forgotten == self.look
    }

    pub(super) fn add(&mut self, path: PathBuf, beneath: bool) {
        if self.places.len() + 2 > MOST {
            self.forget();
        }
        if self.is_full() {
            return;
        }
        if beneath {
            self.places.push((self.look, Part::Beneath(path.clone())));
        }
        self.places.push((self.look, Part::At(path)));
    }

    pub(super) fn since(&self, number: u64) -> Option<Vec<Part>> {
        if number < self.forgotten || number > self.look {
            return None;
        }
        let from = self.places.partition_point(|(look, _)| *look <= number);
        Some(self.places[from..].iter().map(|(_, part)| part.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Part {
        Part::At(path.into())
    }

    fn beneath(path: &str) -> Part {
        Part::Beneath(path.into())
    }

    #[test]
    fn parts_are_in_order_and_none_is_in_another() {
        let parts = vec![at("b"), at("a/x/y"), at("a-b"), beneath("a"), at("a"), at("b"), beneath("a/x")];
        assert_eq!(Part::distinct(parts), [at("a"), at("a-b"), beneath("a"), at("b")]);
        assert_eq!(Part::distinct(vec![at("a"), Part::All, beneath("b")]), [Part::All]);
    }

    #[test]
    fn what_is_forgotten_is_not_told_by_parts() {
        let mut log = ChangeLog::default();
        log.begin_look();
        assert_eq!(log.since(0), Some(Vec::new()));
        log.add("d/a".into(), true);
        log.begin_look();
        log.add("d/b".into(), false);
        assert_eq!(log.since(0), Some(vec![beneath("d/a"), at("d/a"), at("d/b")]));
        assert_eq!(log.since(1), Some(vec![at("d/b")]));
        assert_eq!((log.since(2), log.since(3)), (Some(Vec::new()), None));
        for number in 0..MOST {
            log.add(format!("e/{number}").into(), false);
        }
        assert!(log.is_full());
        assert_eq!((log.since(1), log.since(2)), (None, Some(Vec::new())));
        log.begin_look();
        log.add("d/c".into(), false);
        assert_eq!(log.since(2), Some(vec![at("d/c")]));
    }
}
