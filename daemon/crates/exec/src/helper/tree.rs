//! All processes below this one, and the ways to end them.
//!
//! The keeper is their subreaper: a process that loses its parent becomes the keeper's child, so that none
//! escapes by forking twice or by a session of its own.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

const GRACE: Duration = Duration::from_millis(500);

const PATIENCE: Duration = Duration::from_secs(20);

const PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    /// The first of them. It reports how the command ended, and so is not asked to end.
    pub(super) first: Pid,
}

impl Tree {
    /// Asks all processes but the first to end, and after a grace [`Tree::kill`]s those that are left.
    /// Returns how many there were, and how many are left.
    ///
    /// `reap` waits for those that have ended, and returns whether there are others. A process that loses its
    /// parent becomes a child of this process: without children there is nothing below it, and nothing to
    /// look for.
    pub(super) fn end(self, reap: &mut dyn FnMut() -> bool) -> (usize, usize) {
        if !reap() {
            return (0, 0);
        }
        // With a crowd each listing may take long: processes not reached within the grace are left to the
        // kill.
        let until = Instant::now() + GRACE;
        let terminated: Vec<ProcessIdentity> =
            self.below().into_iter().filter(|process| process.process != self.first).collect();
        let in_time = terminated.iter().take_while(|_| Instant::now() < until);
        for process in in_time.filter(|member| member.signal(Signal::TERM)) {
            // A stopped process takes the signal only when it goes on.
            process.signal(Signal::CONT);
        }
        while !terminated.is_empty() && Instant::now() < until {
            if !reap() || self.below().iter().all(|process| process.process == self.first) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        let survivors = if reap() { self.kill(reap).1 } else { 0 };
        (terminated.len(), survivors)
    }

    /// Ends all processes at once. Returns how many there were, and how many are left.
    ///
    /// First come the processes that the command started directly, with their groups, for which the kernel
    /// stops all forks meanwhile; in bubblewrap that is the first process of its namespace, with which all
    /// others end. The remaining ones are all stopped before any is killed: otherwise a command that forks
    /// without end would stay ahead for ever.
    pub(super) fn kill(self, reap: &mut dyn FnMut() -> bool) -> (usize, usize) {
        let until = Instant::now() + PATIENCE;
        #[cfg(target_os = "linux")]
        let mut most = linux::strike(self.first);
        #[cfg(not(target_os = "linux"))]
        let mut most = 0;
        loop {
            let stopped = self.stop(until);
            most = most.max(stopped.len());
            for process in &stopped {
                process.signal(Signal::KILL);
            }
            let survivors = if reap() { self.below().len() } else { 0 };
            if survivors == 0 || Instant::now() > until {
                return (most, survivors);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn stop(self, until: Instant) -> HashSet<ProcessIdentity> {
        let mut stopped = HashSet::new();
        loop {
            let fresh: Vec<ProcessIdentity> =
                self.below().into_iter().filter(|process| !stopped.contains(process)).collect();
            if fresh.is_empty() || Instant::now() > until {
                return stopped;
            }
            for process in fresh {
                process.signal(Signal::STOP);
                stopped.insert(process);
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn below(self) -> Vec<ProcessIdentity> {
        linux::below()
    }

    #[cfg(not(target_os = "linux"))]
    fn below(self) -> Vec<ProcessIdentity> {
        // Processes cannot be listed on this system: the group of the first process stands for them.
        let there = rustix::process::test_kill_process_group(self.first).is_ok();
        there.then_some(ProcessIdentity { process: self.first, started: 0 }).into_iter().collect()
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn started(process: i32) -> Option<u64> {
    linux::read(process).map(|stat| stat.identity.started())
}

/// Ends the remaining processes of a session whose leader was ended by its own command. Returns how many are
/// left.
#[cfg(target_os = "linux")]
pub(super) fn end_session(leader: Pid) -> usize {
    let until = Instant::now() + PATIENCE;
    loop {
        let members = linux::session(leader);
        if members.is_empty() || Instant::now() > until {
            return members.len();
        }
        for process in members {
            process.signal(Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{Stat, all, tasks_of};

/// A process, as it was found. Zombies are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProcessIdentity {
    process: Pid,
    /// The time when it started, by which it differs from a later process with the same number.
    started: u64,
}

#[cfg(target_os = "linux")]
impl ProcessIdentity {
    pub(super) fn number(&self) -> i32 {
        self.process.as_raw_nonzero().get()
    }

    pub(super) fn started(&self) -> u64 {
        self.started
    }

    /// Sends a signal, if the process is still the one that was found. Returns whether the signal was sent.
    pub(super) fn signal(&self, signal: Signal) -> bool {
        use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};

        let held = pidfd_open(self.process, PidfdFlags::empty());
        // Read after the descriptor is open: from here on another process cannot get the number.
        if !linux::read(self.process.as_raw_nonzero().get()).is_some_and(|now| now.identity == *self) {
            return false;
        }
        match held {
            Ok(held) => pidfd_send_signal(held, signal).is_ok(),
            // Older kernels have no such descriptors.
            Err(rustix::io::Errno::NOSYS) => kill_process(self.process, signal).is_ok(),
            Err(_) => false,
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;

    use rustix::process::Pid;

    use super::ProcessIdentity;

    pub(super) fn below() -> Vec<ProcessIdentity> {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut children: HashMap<i32, Vec<ProcessIdentity>> = HashMap::new();
        for stat in all() {
            children.entry(stat.parent).or_default().push(stat.identity);
        }
        let mut below = children.remove(&own).unwrap_or_default();
        let mut next = 0;
        while let Some(process) = below.get(next) {
            let number = process.process.as_raw_nonzero().get();
            below.extend(children.remove(&number).unwrap_or_default());
            next += 1;
        }
        below
    }

    pub(super) fn strike(parent: Pid) -> usize {
        use rustix::process::{Signal, kill_process, kill_process_group};

        let number = parent.as_raw_nonzero();
        let listed = std::fs::read_to_string(format!("/proc/{number}/task/{number}/children"));
        let children = listed.unwrap_or_default();
        let children =
            children.split_ascii_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?));
        let mut struck = 0;
        for child in children {
            // As long as a process has this number, a group with it is its own.
            let group = kill_process_group(child, Signal::KILL);
            struck += usize::from(kill_process(child, Signal::KILL).is_ok() || group.is_ok());
        }
        struck
    }

    pub(in crate::helper) fn tasks_of(user: u32) -> u64 {
        use std::os::unix::fs::MetadataExt;

        let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
        let own = entries.flatten().filter(|entry| entry.metadata().is_ok_and(|data| data.uid() == user));
        let numbers = own.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(read).map(|stat| stat.threads).sum()
    }

    pub(super) fn session(leader: Pid) -> Vec<ProcessIdentity> {
        let leader = leader.as_raw_nonzero().get();
        all().into_iter().filter(|stat| stat.session == leader).map(|stat| stat.identity).collect()
    }

    pub(in crate::helper) fn all() -> Vec<Stat> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(read).collect()
    }

    pub(in crate::helper) struct Stat {
        pub(in crate::helper) identity: ProcessIdentity,
        pub(in crate::helper) parent: i32,
        pub(in crate::helper) session: i32,
        threads: u64,
    }

    pub(in crate::helper) fn read(number: i32) -> Option<Stat> {
        parse(number, &std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
    }

    fn parse(number: i32, stat: &str) -> Option<Stat> {
        // The name is in parentheses, and may hold any bytes.
        let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        // Fields 6, 20 and 22 of the line; the parent is the fourth.
        let session = fields.nth(1)?.parse().ok()?;
        let threads: u64 = fields.nth(13)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        let process = Pid::from_raw(number)?;
        // A process whose first thread has ended looks like a zombie while its other threads go on.
        let ended = matches!(state, "Z" | "X" | "x") && threads < 2;
        (!ended).then_some(Stat { identity: ProcessIdentity { process, started }, parent, session, threads })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_may_hold_anything() {
            let rest = "1 7 8 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9";
            let found =
                |stat: String| parse(7, &stat).map(|stat| (stat.parent, stat.session, stat.identity.started));
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
            assert_eq!(read(own).map(|stat| stat.identity.process), Pid::from_raw(own));
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl ProcessIdentity {
    fn signal(&self, signal: Signal) -> bool {
        rustix::process::kill_process_group(self.process, signal).is_ok()
    }
}

const CHECKS: usize = 20;

pub(super) struct Crowd {
    bound: usize,
    /// The number of tasks of the whole machine when the command started.
    before: Option<usize>,
    checks: usize,
}

/// The number of tasks above which they are killed without being asked to end first: finding each of them
/// would take longer than the grace.
pub(super) const LARGE: usize = 250;

impl Crowd {
    pub(super) fn new(bound: usize) -> Crowd {
        Crowd { bound, before: tasks(), checks: 0 }
    }

    pub(super) fn is_large(&self) -> bool {
        tasks().zip(self.before).is_some_and(|(now, before)| now > before + LARGE)
    }

    /// Returns whether the command has too many processes.
    pub(super) fn too_many(&mut self, tree: Tree) -> bool {
        // Counts them if the number of the machine's tasks, which costs nothing to read, suggests it; and now
        // and then in any case, since as many tasks of others may have ended meanwhile.
        self.checks += 1;
        let grown = tasks().zip(self.before).is_none_or(|(now, before)| now > before + self.bound / 2);
        (grown || self.checks.is_multiple_of(CHECKS)) && tree.below().len() > self.bound
    }
}

fn tasks() -> Option<usize> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    load.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}
