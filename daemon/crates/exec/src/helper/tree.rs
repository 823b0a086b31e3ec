//! All processes below this one, and how they are ended.
//!
//! The keeper is their subreaper: whoever loses its parent becomes its child, so that nothing gets away by
//! forking twice or by a session of its own.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How long processes have between being asked to end and being ended.
const GRACE: Duration = Duration::from_millis(500);

/// How long is tried to end processes that do not end.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(2);

/// Everything below this process that the command has started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    /// The first of them: it tells how the command ended, and so is not asked to end.
    pub(super) first: Pid,
}

impl Tree {
    /// Asks all processes but the first to end, and after a grace [`Tree::kill`]s what is left. Says how many there
    /// were, and how many are left.
    ///
    /// `reap` waits for those that have ended, and says whether there are others. Whoever loses its parent becomes a
    /// child of this process: without children there is nothing below it, and nothing to look for.
    pub(super) fn end(self, reap: &mut dyn FnMut() -> bool) -> (usize, usize) {
        if !reap() {
            return (0, 0);
        }
        // Beside a crowd each look may take long: whatever is not done when the grace is over is left to the kill.
        let until = Instant::now() + GRACE;
        let asked: Vec<Found> =
            self.below().into_iter().filter(|found| found.process != self.first).collect();
        let in_time = asked.iter().take_while(|_| Instant::now() < until);
        for found in in_time.filter(|found| found.signal(Signal::TERM)) {
            // One that is stopped takes the signal when it goes on.
            found.signal(Signal::CONT);
        }
        while !asked.is_empty() && Instant::now() < until {
            if !reap() || self.below().iter().all(|found| found.process == self.first) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        let left = if reap() { self.kill(reap).1 } else { 0 };
        (asked.len(), left)
    }

    /// Ends all processes at once. Says how many there were, and how many are left.
    ///
    /// First what the command started directly, with its group, for which the kernel stops all forks meanwhile; in
    /// bubblewrap that is the first process of its namespace, with which all others end. Of what is left all are stopped, until
    /// there is no further one: what forks without end would otherwise be ahead for ever.
    pub(super) fn kill(self, reap: &mut dyn FnMut() -> bool) -> (usize, usize) {
        let until = Instant::now() + PATIENCE;
        #[cfg(target_os = "linux")]
        let mut most = linux::strike(self.first);
        #[cfg(not(target_os = "linux"))]
        let mut most = 0;
        loop {
            let stopped = self.stop(until);
            most = most.max(stopped.len());
            for found in &stopped {
                found.signal(Signal::KILL);
            }
            let left = if reap() { self.below().len() } else { 0 };
            if left == 0 || Instant::now() > until {
                return (most, left);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Stops every process, until none is found that goes on.
    fn stop(self, until: Instant) -> HashSet<Found> {
        let mut stopped = HashSet::new();
        loop {
            let fresh: Vec<Found> =
                self.below().into_iter().filter(|found| !stopped.contains(found)).collect();
            if fresh.is_empty() || Instant::now() > until {
                return stopped;
            }
            for found in fresh {
                found.signal(Signal::STOP);
                stopped.insert(found);
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn below(self) -> Vec<Found> {
        linux::below()
    }

    /// Without a list of processes: the group that the first has made, and whatever stayed in it.
    #[cfg(not(target_os = "linux"))]
    fn below(self) -> Vec<Found> {
        let there = rustix::process::test_kill_process_group(self.first).is_ok();
        there.then_some(Found { process: self.first, started: 0 }).into_iter().collect()
    }
}

/// Ends what is left of a session whose leader was ended by its own command. Says how many are left.
///
/// The last resort: whoever has left the session by then is not found any more.
#[cfg(target_os = "linux")]
pub(super) fn end_session(leader: Pid) -> usize {
    let until = Instant::now() + PATIENCE;
    loop {
        let members = linux::session(leader);
        if members.is_empty() || Instant::now() > until {
            return members.len();
        }
        for found in members {
            found.signal(Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{Stat, all, read, tasks_of};

/// A process, as it was found. Zombies are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Found {
    process: Pid,
    /// When it started; tells it from a later one with the same number.
    started: u64,
}

#[cfg(target_os = "linux")]
impl Found {
    /// Its number.
    pub(super) fn number(&self) -> i32 {
        self.process.as_raw_nonzero().get()
    }

    /// When it started, in the system's own unit.
    pub(super) fn started(&self) -> u64 {
        self.started
    }

    /// Sends a signal, if the process is still the one that was found.
    pub(super) fn signal(&self, signal: Signal) -> bool {
        use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};

        let held = pidfd_open(self.process, PidfdFlags::empty());
        // Read after it is held: from here on the number cannot become another process's.
        if !linux::read(self.process.as_raw_nonzero().get()).is_some_and(|now| now.found == *self) {
            return false;
        }
        match held {
            Ok(held) => pidfd_send_signal(held, signal).is_ok(),
            // Kernels without such descriptors.
            Err(rustix::io::Errno::NOSYS) => kill_process(self.process, signal).is_ok(),
            Err(_) => false,
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;

    use rustix::process::Pid;

    use super::Found;

    /// All processes below this one.
    pub(super) fn below() -> Vec<Found> {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut children: HashMap<i32, Vec<Found>> = HashMap::new();
        for stat in all() {
            children.entry(stat.parent).or_default().push(stat.found);
        }
        let mut below = children.remove(&own).unwrap_or_default();
        let mut next = 0;
        while let Some(found) = below.get(next) {
            let found = found.process.as_raw_nonzero().get();
            below.extend(children.remove(&found).unwrap_or_default());
            next += 1;
        }
        below
    }

    /// Ends the children of a process and their groups. Says how many processes there were at least.
    pub(super) fn strike(parent: Pid) -> usize {
        use rustix::process::{Signal, kill_process, kill_process_group};

        let number = parent.as_raw_nonzero();
        let listed = std::fs::read_to_string(format!("/proc/{number}/task/{number}/children"));
        let children = listed.unwrap_or_default();
        let children =
            children.split_ascii_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?));
        let mut struck = 0;
        for child in children {
            // As long as a process has this number, a group of it is its own.
            let group = kill_process_group(child, Signal::KILL);
            struck += usize::from(kill_process(child, Signal::KILL).is_ok() || group.is_ok());
        }
        struck
    }

    /// The tasks of a user.
    pub(in crate::helper) fn tasks_of(user: u32) -> u64 {
        use std::os::unix::fs::MetadataExt;

        let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
        let own = entries.flatten().filter(|entry| entry.metadata().is_ok_and(|data| data.uid() == user));
        let numbers = own.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(read).map(|stat| stat.threads).sum()
    }

    /// All processes of a session.
    pub(super) fn session(leader: Pid) -> Vec<Found> {
        let leader = leader.as_raw_nonzero().get();
        all().into_iter().filter(|stat| stat.session == leader).map(|stat| stat.found).collect()
    }

    /// All processes of the machine.
    pub(in crate::helper) fn all() -> Vec<Stat> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(read).collect()
    }

    /// What is known about a process.
    pub(in crate::helper) struct Stat {
        pub(in crate::helper) found: Found,
        pub(in crate::helper) parent: i32,
        pub(in crate::helper) session: i32,
        threads: u64,
    }

    /// One process; `None` if it has ended.
    pub(in crate::helper) fn read(number: i32) -> Option<Stat> {
        parse(number, &std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
    }

    /// What `/proc/PID/stat` says. The name comes in parentheses, and may hold anything.
    fn parse(number: i32, stat: &str) -> Option<Stat> {
        let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        // Fields 6, 20 and 22 of all; that of the parent is the fourth.
        let session = fields.nth(1)?.parse().ok()?;
        let threads: u64 = fields.nth(13)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        let process = Pid::from_raw(number)?;
        // A process whose first thread has ended looks like a zombie while others of it go on.
        let ended = matches!(state, "Z" | "X" | "x") && threads < 2;
        (!ended).then_some(Stat { found: Found { process, started }, parent, session, threads })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_may_hold_anything() {
            let rest = "1 7 8 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9";
            let found =
                |stat: String| parse(7, &stat).map(|stat| (stat.parent, stat.session, stat.found.started));
            assert_eq!(found(format!("7 (a) Z 9 (b) S {rest}")), Some((1, 8, 4242)));
            assert_eq!(found(format!("7 (sh) Z {rest}")), None);
            assert_eq!(
                found(format!("7 (sh) Z {}", rest.replace("0 1 0 4242", "0 2 0 4242"))),
                Some((1, 8, 4242))
            );
            assert_eq!(found("7 (sh".to_owned()), None);
        }

        #[test]
        fn this_process_is_found() {
            let own = rustix::process::getpid().as_raw_nonzero().get();
            assert_eq!(read(own).map(|stat| stat.found.process), Pid::from_raw(own));
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Found {
    fn signal(&self, signal: Signal) -> bool {
        rustix::process::kill_process_group(self.process, signal).is_ok()
    }
}

/// How many looks at the tasks of the machine come between two counts.
const LOOKS: usize = 20;

/// Whether a command has more processes than it may.
pub(super) struct Crowd {
    bound: usize,
    /// Tasks of the whole machine at first.
    before: Option<usize>,
    /// How often it was asked.
    asked: usize,
}

/// Tasks beyond which a command is not asked to end first: looking for each of them would take longer than they may have.
pub(super) const LARGE: usize = 250;

impl Crowd {
    pub(super) fn new(bound: usize) -> Crowd {
        Crowd { bound, before: tasks(), asked: 0 }
    }

    /// Whether there may be so many that they are ended at once.
    pub(super) fn is_large(&self) -> bool {
        tasks().zip(self.before).is_some_and(|(now, before)| now > before + LARGE)
    }

    /// Counts when the machine's tasks, which cost nothing to read, say that it might be so; and now and then in any
    /// case, since as many tasks of others may have ended meanwhile.
    pub(super) fn too_many(&mut self, tree: Tree) -> bool {
        self.asked += 1;
        let grown = tasks().zip(self.before).is_none_or(|(now, before)| now > before + self.bound / 2);
        (grown || self.asked.is_multiple_of(LOOKS)) && tree.below().len() > self.bound
    }
}

/// The tasks of this machine.
fn tasks() -> Option<usize> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    load.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}
