//! Bounds the number of a command's tasks: by a cgroup, else by a limit of its user, else only by counting
//! them.

use rustix::process::{Resource, Rlimit};

use super::cgroup::Cgroup;
use super::tree;
use crate::wire::{Confinement, Owner, StartRequest};

const STARTER: u64 = 1;
const BUBBLEWRAP: u64 = 2;

/// The first version of Linux that counts the tasks of each user namespace separately.
const COUNTS_APART: (u32, u32) = (5, 14);

#[derive(Debug)]
pub(super) enum Bounded {
    Cgroup(Cgroup),
    Limit,
    /// By counting them now and then: root has no limit.
    Counted,
}

pub(super) fn bound(start: &mut StartRequest) -> Bounded {
    let most = u64::try_from(start.processes).unwrap_or(u64::MAX / 2);
    let (way, namespace) = match &start.confinement {
        Confinement::Bubblewrap { .. } => {
            (BUBBLEWRAP, start.arguments.iter().any(|argument| argument == "--unshare-user"))
        }
        Confinement::None | Confinement::Landlock(_) => (STARTER, false),
    };
    if start.cgroup
        && let Some(cgroup) = Cgroup::make(&start.mark, most + way)
    {
        return Bounded::Cgroup(cgroup);
    }
    let user = start.owner.map_or_else(|| rustix::process::geteuid().as_raw(), |Owner { user, .. }| user);
    if user == 0 {
        return Bounded::Counted;
    }
    let apart = namespace && counts_apart(&rustix::system::uname().release().to_string_lossy());
    let limit = if apart { most + way } else { tree::tasks_of(user) + most + way };
    match &mut start.confinement {
        Confinement::Bubblewrap { inner, .. } => inner.processes = Some(limit),
        Confinement::None | Confinement::Landlock(_) => start.limit = Some(limit),
    }
    Bounded::Limit
}

pub(super) fn limit(most: u64) -> std::io::Result<()> {
    let own = rustix::process::getrlimit(Resource::Nproc);
    let most = Some(own.maximum.map_or(most, |maximum| maximum.min(most)));
    Ok(rustix::process::setrlimit(Resource::Nproc, Rlimit { current: most, maximum: most })?)
}

pub(super) fn is_only_counted() -> bool {
    rustix::process::geteuid().is_root() && !Cgroup::can_be_made()
}

fn counts_apart(release: &str) -> bool {
    let mut numbers =
        release.split(|byte: char| !byte.is_ascii_digit()).filter_map(|number| number.parse().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version: (u32, u32)| version >= COUNTS_APART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (release, apart) in
            [("5.14.0", true), ("6.1.0-13-amd64", true), ("5.4.0-1", false), ("odd", false)]
        {
            assert_eq!(counts_apart(release), apart, "{release}");
        }
    }
}
