//! The one rule by which projects, and what is kept open for them, are let go.
//!
//! A pure function of facts: it knows no project, no clock and no file. Its caller passes the facts in,
//! the most recently used project first. Background work and subscribers hold a project, and do not use it.

use std::time::Duration;

/// The most projects whose files are kept open: journals, stores, repositories. A process may have 1024 files
/// open on common systems, and each of these has about six.
pub(super) const OPEN: usize = 64;

/// The time after which an unused project's files are closed, however few projects there are.
pub(super) const IDLE: Duration = Duration::from_secs(30 * 60);

pub(super) const MISSED: usize = 1024;

/// The most paths that are remembered of all projects together, from one command to the next; more, if they
/// are of one project, or of busy ones.
pub(super) const REMEMBERED: usize = 400_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) idle: Duration,
    pub(super) is_busy: bool,
    pub(super) is_held: bool,
    /// True if it has something in memory that a user would miss: a session that was changed, a plan or an
    /// operation within its lifetime, a message for the next result.
    pub(super) has_state: bool,
    pub(super) is_watched: bool,
    pub(super) remembered: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Keep,
    Trim,
    /// Its files are closed, too; state and watch stay.
    Close,
    /// The same, and its watch ends; its state stays.
    Unwatch,
    Forget,
}

/// Returns the outcome for each of `projects`, which come in the order of their last use, the latest first. A
/// watch that was not used for `reap_after` is over; `None`: never.
///
/// - A project that is busy stays as it is.
/// - Files stay open only for [`OPEN`] projects, the busy ones and those used last, while they were used
///   within [`IDLE`].
/// - Beyond, a project that is held stays without its files. What a user would miss stays as well, and a
///   watch until it is over: of [`MISSED`] projects at most. The others are dropped.
/// - Of projects that stay, the latest commands are remembered with [`REMEMBERED`] paths together. Those of
///   the latest one that has any fit in any case.
pub(super) fn fates(projects: &[Usage], reap_after: Option<Duration>) -> Vec<Fate> {
    let (mut missed, mut remembered) = (0, 0);
    let mut open = projects.iter().filter(|project| project.is_busy).count();
    let fate = |project: &Usage| {
        let is_over = project.is_watched
            && !project.is_held
            && reap_after.is_some_and(|reap_after| project.idle > reap_after);
        let stays_open = project.is_busy || (open < OPEN && project.idle <= IDLE && !is_over);
        if stays_open {
            open += usize::from(!project.is_busy);
            let fits = remembered == 0 || remembered + project.remembered <= REMEMBERED;
            let is_kept = fits || project.remembered == 0 || project.is_busy;
            remembered += if is_kept { project.remembered } else { 0 };
            return if is_kept { Fate::Keep } else { Fate::Trim };
        }
        let has_reason = project.has_state || (project.is_watched && !is_over);
        let is_missed = !project.is_held && has_reason && missed < MISSED;
        missed += usize::from(is_missed);
        match (project.is_held || is_missed, is_over) {
            (false, _) => Fate::Forget,
            (true, true) => Fate::Unwatch,
            (true, false) => Fate::Close,
        }
    };
    projects.iter().map(fate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn used(minutes: u64) -> Usage {
        Usage { idle: Duration::from_secs(60 * minutes), ..Usage::default() }
    }

    fn fate(usage: Usage) -> Fate {
        fates(&[usage], Some(5 * DAY))[0]
    }

    #[test]
    fn a_project_goes_when_it_was_idle_for_long() {
        assert_eq!(fate(used(30)), Fate::Keep);
        assert_eq!(fate(used(31)), Fate::Forget);
    }

    #[test]
    fn beyond_the_count_the_ones_used_longest_ago_go() {
        let fates = fates(&[used(1); OPEN + 3], None);
        assert!(fates[..OPEN].iter().all(|fate| *fate == Fate::Keep));
        assert_eq!(fates[OPEN..], [Fate::Forget; 3]);
    }

    #[test]
    fn what_is_busy_stays_and_counts() {
        let busy = Usage { is_busy: true, is_held: true, is_watched: true, ..used(10_000) };
        let mut projects = vec![used(0)];
        projects.extend([busy; OPEN]);
        let fates = fates(&projects, Some(DAY));
        assert_eq!(fates[0], Fate::Forget);
        assert!(fates[1..].iter().all(|fate| *fate == Fate::Keep));
    }

    #[test]
    fn what_is_held_stays_with_its_watch_but_without_its_files() {
        let held = Usage { is_held: true, is_watched: true, ..used(1) };
        let fates = fates(&[held; OPEN + 1], Some(DAY));
        assert!(fates[..OPEN].iter().all(|fate| *fate == Fate::Keep));
        assert_eq!(fates[OPEN], Fate::Close);
        assert_eq!(fate(Usage { idle: 100 * DAY, ..held }), Fate::Close);
    }

    #[test]
    fn what_a_user_would_miss_stays_without_its_files() {
        let usage = Usage { has_state: true, ..used(31) };
        assert_eq!(fate(usage), Fate::Close);
        assert_eq!(fate(Usage { idle: 100 * DAY, ..usage }), Fate::Close);
    }

    #[test]
    fn what_a_user_would_miss_is_bounded() {
        let fates = fates(&vec![Usage { has_state: true, ..used(31) }; MISSED + 2], None);
        assert!(fates[..MISSED].iter().all(|fate| *fate == Fate::Close));
        assert_eq!(fates[MISSED..], [Fate::Forget; 2]);
    }

    #[test]
    fn a_watch_stays_until_it_was_not_used_for_as_long_as_the_setting_says() {
        let watched = Usage { is_watched: true, ..used(31) };
        assert_eq!(fate(watched), Fate::Close);
        let over = Usage { idle: 6 * DAY, ..watched };
        assert_eq!(fate(over), Fate::Forget);
        assert_eq!(fate(Usage { has_state: true, ..over }), Fate::Unwatch);
        assert_eq!(fates(&[over], None), [Fate::Close]);
        // A shorter time than the others' holds for the watch all the same.
        assert_eq!(fates(&[Usage { is_watched: true, ..used(2) }], Some(used(1).idle)), [Fate::Forget]);
    }

    #[test]
    fn what_is_remembered_of_all_commands_is_bounded() {
        let of = |remembered| Usage { remembered, ..used(1) };
        assert_eq!(fates(&[of(REMEMBERED), of(0), of(1)], None), [Fate::Keep, Fate::Keep, Fate::Trim]);
        // The last command's own is never too much, and another's that is does not count.
        assert_eq!(fates(&[of(2 * REMEMBERED), of(0)], None), [Fate::Keep, Fate::Keep]);
        let projects = [of(1), of(REMEMBERED), of(REMEMBERED - 1)];
        assert_eq!(fates(&projects, None), [Fate::Keep, Fate::Trim, Fate::Keep]);
        assert_eq!(fates(&[of(0), of(2 * REMEMBERED)], None), [Fate::Keep, Fate::Keep]);
    }
}
