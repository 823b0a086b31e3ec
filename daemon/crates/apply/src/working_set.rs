//! The working set of a session: paths that `embed --session-context` embeds, and up to when `embed
//! --changed` has told what changed. In memory only.
//!
//! Plain data behind a lock: the project hands it out, and an operation or an `embed` that runs
//! elsewhere changes and reads it. Whether a path exists is for others to say.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MOST: usize = 10_000;

/// Absolute paths, and which of them were used since they were added. Clones are the same set.
#[derive(Debug, Clone, Default)]
pub struct WorkingSet(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    paths: BTreeMap<String, Used>,
    clock: Option<String>,
}

/// The use of a path since it was added: embedded or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Used {
    Never,
    Once,
}

/// A working set has no room for another path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The context of the session has {MOST} paths already")]
pub struct Full;

impl WorkingSet {
    /// Adds a path; whether it is new.
    ///
    /// # Errors
    /// [`Full`].
    pub fn add(&self, path: String) -> Result<bool, Full> {
        let paths = &mut self.lock().paths;
        if paths.contains_key(&path) {
            return Ok(false);
        }
        if paths.len() >= MOST {
            return Err(Full);
        }
        paths.insert(path, Used::Never);
        Ok(true)
    }

    /// Removes a path; whether it was there.
    pub fn remove(&self, path: &str) -> bool {
        self.lock().paths.remove(path).is_some()
    }

    /// The paths, in order.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.lock().paths.keys().cloned().collect()
    }

    /// Returns the number of paths.
    #[must_use]
    pub fn size(&self) -> usize {
        self.lock().paths.len()
    }

    /// Notes that these were embedded.
    pub fn used(&self, used: &[String]) {
        let paths = &mut self.lock().paths;
        for path in used {
            if let Some(known) = paths.get_mut(path) {
                *known = Used::Once;
            }
        }
    }

    /// Removes what was never used since it was added, and what `exists` does not know; what that was.
    pub fn prune(&self, exists: impl Fn(&str) -> bool) -> Vec<String> {
        let missing: Vec<String> = self.paths().into_iter().filter(|path| !exists(path)).collect();
        let paths = &mut self.lock().paths;
        let mut removed = Vec::new();
        paths.retain(|path, used| {
            let keep = *used == Used::Once && !missing.contains(path);
            if !keep {
                removed.push(path.clone());
            }
            keep
        });
        removed
    }

    /// Removes everything; what that was.
    pub fn clear(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().paths).into_keys().collect()
    }

    /// The clock up to which changes were embedded; `None` if none ever were.
    #[must_use]
    pub fn embedded_clock(&self) -> Option<String> {
        self.lock().clock.clone()
    }

    /// Notes that what changed up to `clock` was embedded.
    pub fn set_embedded_clock(&self, clock: String) {
        self.lock().clock = Some(clock);
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_and_exists_is_kept_when_it_is_pruned() {
        let set = WorkingSet::default();
        for path in ["/p/used", "/p/gone", "/p/unused"] {
            assert_eq!(set.add(path.to_owned()), Ok(true));
        }
        assert_eq!(set.add("/p/used".to_owned()), Ok(false));
        set.used(&["/p/used".to_owned(), "/p/gone".to_owned(), "/p/other".to_owned()]);
        assert_eq!(set.prune(|path| path != "/p/gone"), ["/p/gone", "/p/unused"]);
        assert_eq!(set.paths(), ["/p/used"]);
        assert!(set.remove("/p/used") && !set.remove("/p/used"));
        set.add("/p/used".to_owned()).unwrap();
        assert_eq!(set.prune(|_| true), ["/p/used"], "added again, it was not used since");
        set.add("/p/a".to_owned()).unwrap();
        assert_eq!(set.clear(), ["/p/a"]);
        assert_eq!(set.size(), 0);
    }

    #[test]
    fn it_is_bounded() {
        let set = WorkingSet::default();
        for number in 0..MOST {
            assert_eq!(set.add(format!("/p/{number}")), Ok(true));
        }
        assert_eq!(set.add("/p/x".to_owned()), Err(Full));
        assert_eq!(set.add("/p/0".to_owned()), Ok(false));
    }
}
