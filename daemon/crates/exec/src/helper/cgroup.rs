//! A cgroup for one command, where one can be made: the kernel lets it have no more tasks than its bound, and
//! all of them can be found and ended at once, however they try to escape.
//!
//! Both versions are used: the hierarchy of `pids` (v1) below this process's own cgroup, and the unified one
//! (v2) next to it, since there processes live in leaves only. The name holds the mark of the command, by
//! which the next daemon finds the cgroups that a daemon and its helper left behind.

#![allow(
    clippy::disallowed_methods,
    reason = "cgroups are made and removed like folders, and are none of a project"
)]

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::hold::ProcessMark;

const PREFIX: &str = "clada.";

/// The files by which a process enters, the best first. By `tasks` (v1) a thread moves alone, which takes no
/// time. By `cgroup.procs` all threads move, for which the kernel first waits until no process of the machine
/// is being started or ended: 5 to 25 ms, unless another process has done so just before.
const ENTRIES: [&str; 2] = ["tasks", "cgroup.procs"];

const PATIENCE: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Cgroup {
    folder: PathBuf,
    entry: OwnedFd,
}

impl Cgroup {
    pub(super) fn make(mark: &str, most: u64) -> Option<Cgroup> {
        let name = format!("{PREFIX}{mark}.{}", std::process::id());
        bases().into_iter().find_map(|base| Cgroup::make_in(&base.join(&name), most))
    }

    pub(super) fn can_be_made() -> bool {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let name = format!("{PREFIX}.0.{}.0.{}", std::process::id(), since.as_nanos());
        bases().into_iter().any(|base| Cgroup::make_in(&base.join(&name), 1).is_some())
    }

    fn make_in(folder: &Path, most: u64) -> Option<Cgroup> {
        std::fs::create_dir(folder).ok()?;
        let bounded = std::fs::write(folder.join("pids.max"), most.to_string());
        if let Some(most) = most_memory() {
            bound_memory(folder, most);
        }
        let entry = bounded.and_then(|()| {
            let open = |name: &str| File::options().write(true).open(folder.join(name));
            open(ENTRIES[0]).or_else(|_| open(ENTRIES[1]))
        });
        let cgroup = entry.ok().map(|entry| Cgroup { folder: folder.to_owned(), entry: entry.into() });
        if cgroup.is_none() {
            let _ = std::fs::remove_dir(folder);
        }
        cgroup
    }

    /// Returns the file to which a process of one thread writes `0` to enter.
    pub(super) fn entry(&self) -> &OwnedFd {
        &self.entry
    }

    pub(super) fn tasks(&self) -> usize {
        let read = std::fs::read_to_string(self.folder.join("pids.current")).ok();
        read.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }

    pub(super) fn was_full(&self) -> bool {
        let events = std::fs::read_to_string(self.folder.join("pids.events")).unwrap_or_default();
        let refused = events.lines().find_map(|line| line.strip_prefix("max ")?.parse::<u64>().ok());
        refused.is_some_and(|refused| refused > 0)
    }

    pub(super) fn kill(&self, reap: &mut dyn FnMut() -> bool) -> usize {
        kill(&self.folder, reap)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

pub(super) fn end_of(mark: &str, helper: u32) {
    for folder in bases().into_iter().map(|base| base.join(format!("{PREFIX}{mark}.{helper}"))) {
        if folder.is_dir() {
            kill(&folder, &mut || false);
            remove(&folder);
        }
    }
}

fn kill(folder: &Path, reap: &mut dyn FnMut() -> bool) -> usize {
    let most = processes(folder).len();
    // From here on no task is started, so that a command that forks without end cannot outrun this.
    let _ = std::fs::write(folder.join("pids.max"), "0");
    let until = Instant::now() + PATIENCE;
    loop {
        if std::fs::write(folder.join("cgroup.kill"), "1").is_err() {
            for process in processes(folder) {
                let _ = kill_process(process, Signal::KILL);
            }
        }
        reap();
        if processes(folder).is_empty() || Instant::now() > until {
            return most;
        }
        std::thread::sleep(PAUSE);
    }
}

fn remove(folder: &Path) {
    // Waits while the kernel still cleans up.
    let until = Instant::now() + PATIENCE;
    while let Err(error) = std::fs::remove_dir(folder) {
        if error.kind() != std::io::ErrorKind::ResourceBusy || Instant::now() > until {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

pub(super) fn marked(is_meant: &dyn Fn(&ProcessMark) -> bool) -> Vec<i32> {
    let meant = all().into_iter().filter(|(mark, _)| is_meant(mark));
    meant.flat_map(|(_, folder)| processes(&folder)).map(|process| process.as_raw_nonzero().get()).collect()
}

pub(super) fn sweep(is_meant: &dyn Fn(&ProcessMark) -> bool) {
    for (_, folder) in all().into_iter().filter(|(mark, _)| is_meant(mark)) {
        let _ = std::fs::remove_dir(folder);
    }
}

fn all() -> Vec<(ProcessMark, PathBuf)> {
    let entries = bases().into_iter().filter_map(|base| std::fs::read_dir(base).ok()).flatten().flatten();
    let known = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (mark, _helper) = name.strip_prefix(PREFIX)?.rsplit_once('.')?;
        Some((ProcessMark::parse(mark)?, entry.path()))
    });
    known.collect()
}

fn processes(folder: &Path) -> Vec<Pid> {
    let listed = std::fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    listed.lines().filter_map(|line| Pid::from_raw(line.trim().parse().ok()?)).collect()
}

fn most_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    Some((total?.parse::<u64>().ok()? / 4 * 3) << 10)
}

/// Bounds the memory of all processes in the cgroup to `most` bytes, where the kernel does that here (v2, with its
/// controller): a command that wants more ends, and not what else runs on the machine.
fn bound_memory(folder: &Path, most: u64) {
    if !folder.join("memory.max").exists() {
        return;
    }
    let _ = std::fs::write(folder.join("memory.max"), most.to_string());
    let _ = std::fs::write(folder.join("memory.swap.max"), "0");
    let _ = std::fs::write(folder.join("memory.oom.group"), "1");
}

fn bases() -> Vec<PathBuf> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    bases_by(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
}

fn bases_by(cgroups: &str, mounts: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in cgroups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = Path::new(path);
        if controllers.split(',').any(|controller| controller == "pids") {
            folders.extend(mounted(mounts, "cgroup", Some("pids"), path));
        } else if number == "0" && controllers.is_empty() {
            // Next to this process's own one: inside a cgroup that holds tasks, the kernel does not divide
            // resources further.
            folders.extend(mounted(mounts, "cgroup2", None, path.parent().unwrap_or(path)));
        }
    }
    folders
}

fn mounted(mounts: &str, kind: &str, option: Option<&str>, cgroup: &Path) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, rest) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, folder) = (place.next()?, place.next()?);
        let mut rest = rest.split(' ');
        let (filesystem, options) = (rest.next()?, rest.nth(1)?);
        let fits =
            filesystem == kind && option.is_none_or(|option| options.split(',').any(|one| one == option));
        let below = cgroup.strip_prefix(root).ok()?;
        // Joined by components: joining an empty path would add a slash at the end.
        fits.then(|| Path::new(folder).components().chain(below.components()).collect())
    })
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn cgroups_of_both_versions_are_found() {
        let mounts = "30 24 0:26 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n\
                      31 24 0:27 /docker/a /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                      32 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
        let at = |cgroups: &str| {
            bases_by(cgroups, mounts).iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(at("8:pids:/docker/a/b\n1:cpu:/\n"), ["/sys/fs/cgroup/pids/b"]);
        assert_eq!(at("0::/app.slice/clada.service\n"), ["/sys/fs/cgroup/unified/app.slice"]);
        assert_eq!(at("0::/\n"), ["/sys/fs/cgroup/unified"]);
        assert_eq!(at("8:pids:/elsewhere\n"), Vec::<String>::new());
    }

    #[test]
    fn regression_entering_waits_for_nothing_where_a_thread_can_move_alone() {
        let Some(cgroup) = Cgroup::make("0.0.2.0", 5) else { return };
        let entry = std::fs::read_link(format!("/proc/self/fd/{}", cgroup.entry.as_raw_fd())).unwrap();
        let alone = cgroup.folder.join(ENTRIES[0]);
        assert_eq!(entry == alone, alone.exists());
    }

    #[test]
    fn a_cgroup_is_removed_with_its_command() {
        let Some(cgroup) = Cgroup::make("0.0.1.0", 5) else { return };
        let folder = cgroup.folder.clone();
        assert!(folder.is_dir() && !cgroup.was_full());
        let meant = |mark: &ProcessMark| mark.to_string() == "0.0.1.0";
        assert!(marked(&meant).is_empty() && all().iter().any(|(mark, _)| meant(mark)));
        drop(cgroup);
        assert!(!folder.exists());
    }

    #[test]
    fn memory_is_bounded_where_its_controller_is() {
        let folder = tempfile::tempdir().unwrap();
        bound_memory(folder.path(), 7);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "there is no controller");
        std::fs::write(folder.path().join("memory.max"), "max").unwrap();
        bound_memory(folder.path(), 7);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            (read("memory.max"), read("memory.swap.max"), read("memory.oom.group")),
            ("7".into(), "0".into(), "1".into())
        );
        assert!(most_memory().is_some_and(|most| most > 64 << 20));
    }

    /// Where a cgroup of version 2 with the controller is delegated (a user's session of systemd, as a rule), the kernel
    /// ends all of a command that wants more than its bound.
    #[test]
    fn a_command_that_wants_more_memory_than_its_bound_ends() {
        let Some(cgroup) = Cgroup::make("0.0.3.0", 9) else { return };
        if !cgroup.folder.join("memory.max").exists() {
            return;
        }
        bound_memory(&cgroup.folder, 32 << 20);
        let run = |bytes: u32| {
            let enter = format!("echo 0 > '{}'", cgroup.folder.join(ENTRIES[1]).display());
            // Without a line end, all that is read is kept.
            let script = format!("{enter} && head -c {bytes} /dev/zero | tail -n 1 > /dev/null");
            std::process::Command::new("sh").args(["-c", &script]).status().unwrap()
        };
        assert!(run(1 << 20).success());
        assert!(!run(256 << 20).success(), "256 MB of 32");
        cgroup.kill(&mut || false);
    }
}
