//! The properties of a process that `/proc` shows: its parents, its namespaces, its confinement.
//!
//! Reads only files that the kernel fills in without the memory of the process, since a process could make
//! such a read wait for ever. The arguments are read only of clada's own programs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clada_exec::{HELPER, HELPER_NAME};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

const MOST_PARENTS: usize = 4096;

const PROGRAM: &str = "clada-daemon";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ancestry {
    line: Vec<ProcessMoment>,
    hidden: bool,
}

/// A process at one moment. A later one with the same number has another start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessMoment {
    number: i32,
    started: u64,
    is_helper: bool,
}

pub(super) fn own() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

impl Ancestry {
    pub(super) fn read(process: i32) -> Result<Ancestry, Errno> {
        let first = ProcStat::read(process)?;
        let mut parent = first.parent;
        let mut line = vec![first.process];
        while parent > 0 && line.len() < MOST_PARENTS {
            // A parent that has just ended changes the next reading; a hidden one stays hidden.
            let Ok(stat) = ProcStat::read(parent) else { return Ok(Ancestry { line, hidden: true }) };
            line.push(stat.process);
            parent = stat.parent;
        }
        Ok(Ancestry { hidden: parent > 0, line })
    }

    pub(super) fn helper(&self) -> Option<i32> {
        self.line
            .iter()
            .find(|helper| helper.is_helper || was_a_helper(helper.number))
            .map(|helper| helper.number)
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.hidden
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = i32> {
        self.line.iter().map(|process| process.number)
    }
}

pub(super) fn any_helper() -> Option<i32> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let mut seen = numbers.filter_map(|number| ProcStat::read(number).ok());
    seen.find(|stat| stat.process.is_helper || was_a_helper(stat.process.number))
        .map(|stat| stat.process.number)
}

/// Returns whether a process is a helper of a version that did not set its name.
fn was_a_helper(process: i32) -> bool {
    // The link to the program can be read of the user's own processes. If it cannot be read, the arguments
    // decide.
    if let Ok(program) = std::fs::read_link(format!("/proc/{process}/exe")) {
        let name = program.file_name().map(OsStr::as_bytes).unwrap_or_default();
        if !name.starts_with(PROGRAM.as_bytes()) {
            return false;
        }
    }
    let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    arguments.split(|byte| *byte == 0).nth(1) == Some(HELPER.as_bytes())
}

struct ProcStat {
    process: ProcessMoment,
    parent: i32,
}

impl ProcStat {
    fn read(number: i32) -> Result<ProcStat, Errno> {
        // One read gets the whole text, which is far shorter; it happens for every parent of every peer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = rustix::fs::open(format!("/proc/{number}/stat"), flags, Mode::empty())?;
        let mut text = [0; 2048];
        let length = rustix::io::read(&file, &mut text)?;
        ProcStat::parse(number, &text[..length]).ok_or(Errno::INVAL)
    }

    fn parse(number: i32, text: &[u8]) -> Option<ProcStat> {
        let (open, close) = (memchr::memchr(b'(', text)?, memchr::memrchr(b')', text)?);
        let is_helper = text.get(open + 1..close)? == HELPER_NAME.to_bytes();
        let mut fields = std::str::from_utf8(text.get(close + 1..)?).ok()?.split_ascii_whitespace();
        // Fields 4 and 22 of the line; the state is the third.
        let parent = fields.nth(1)?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some(ProcStat { process: ProcessMoment { number, started, is_helper }, parent })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Namespaces([std::path::PathBuf; 3]);

const NAMESPACES: [&str; 3] = ["user", "pid", "mnt"];

impl Namespaces {
    pub(super) fn read(process: i32) -> Result<Namespaces, Errno> {
        let [user, pid, mount] = NAMESPACES.map(|name| {
            std::fs::read_link(Path::new(&format!("/proc/{process}/ns/{name}")))
                .map_err(|error| errno(&error))
        });
        Ok(Namespaces([user?, pid?, mount?]))
    }

    pub(super) fn difference(&self, other: &Namespaces) -> Option<&'static str> {
        let pairs = NAMESPACES.into_iter().zip(self.0.iter().zip(&other.0));
        pairs.into_iter().find(|(_, (ours, theirs))| ours != theirs).map(|(name, _)| name)
    }
}

/// Returns whether this process is in a user namespace that knows one user alone, as sandboxes make them.
pub(super) fn is_alone_in_its_users() -> bool {
    // A system and a container have root and others.
    std::fs::read_to_string("/proc/self/uid_map").is_ok_and(|map| knows_one_user(&map))
}

fn knows_one_user(map: &str) -> bool {
    let counts: Vec<&str> = map.lines().filter_map(|line| line.split_ascii_whitespace().nth(2)).collect();
    counts == ["1"]
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProcessConfinement {
    no_new_privileges: bool,
    filters: u32,
}

impl ProcessConfinement {
    pub(super) fn read(process: i32) -> Result<ProcessConfinement, Errno> {
        let text =
            std::fs::read_to_string(format!("/proc/{process}/status")).map_err(|error| errno(&error))?;
        Ok(ProcessConfinement::parse(&text))
    }

    pub(super) fn parse(text: &str) -> ProcessConfinement {
        let number = |name: &str| -> u32 {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        ProcessConfinement {
            no_new_privileges: number("NoNewPrivs") == 1,
            filters: number("Seccomp_filters"),
        }
    }

    pub(super) fn filters(&self) -> u32 {
        self.filters
    }

    pub(super) fn has_no_new_privileges(&self) -> bool {
        self.no_new_privileges
    }

    /// Returns whether this process is in a sandbox: it has given up rights and has more filters than `fewest`, the
    /// fewest that a process above it has.
    pub(super) fn is_an_agents(&self, fewest: u32) -> bool {
        self.no_new_privileges && self.filters > fewest
    }

    /// Returns the fewest filters that a process among `line` has, the peer's parents up to the first process
    /// of all, as far as they can be read.
    pub(super) fn fewest_filters(line: impl Iterator<Item = i32>) -> Option<u32> {
        // A sandbox filters what it starts; the process that starts it has fewer filters, and a parent that
        // was put in between has no fewer than the sandbox.
        line.filter_map(|process| ProcessConfinement::read(process).ok())
            .map(|confinement| confinement.filters)
            .min()
    }
}

#[cfg(test)]
impl Namespaces {
    /// Pretends that this process is in another of these namespaces.
    pub(super) fn pretend(&mut self, name: &str) {
        for (place, _) in self.0.iter_mut().zip(NAMESPACES).filter(|(_, known)| *known == name) {
            *place = format!("{name}:[1]").into();
        }
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let rest = "1 7 8 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9";
        let parse = |name: &str| ProcStat::parse(7, format!("7 ({name}) S {rest}").as_bytes()).unwrap();
        for name in ["sh", "a) S 9 (b", "clada-helper) S 9 (", ") clada-helper", "\n"] {
            let stat = parse(name);
            assert_eq!(
                (stat.parent, stat.process.started, stat.process.is_helper),
                (1, 4242, false),
                "{name}"
            );
        }
        assert!(parse("clada-helper").process.is_helper);
        assert!(ProcStat::parse(7, b"7 (sh").is_none() && ProcStat::parse(7, b"7 (sh) S 1").is_none());
    }

    #[test]
    fn this_process_has_parents_and_is_itself() {
        let ancestry = Ancestry::read(own()).unwrap();
        assert_eq!(ancestry.line[0].number, own());
        assert!(ancestry.line.len() > 1 && ancestry.helper().is_none());
        assert_eq!(Ancestry::read(own()).unwrap(), ancestry);
        let namespaces = Namespaces::read(own()).unwrap();
        assert_eq!(namespaces.difference(&namespaces), None);
        assert!(
            !ProcessConfinement::read(own())
                .unwrap()
                .is_an_agents(ProcessConfinement::read(own()).unwrap().filters())
        );
    }

    #[test]
    fn a_namespace_of_one_user_is_a_sandboxs() {
        assert!(knows_one_user("      1000       1000          1\n"));
        assert!(!knows_one_user("         0          0 4294967295\n"));
        assert!(!knows_one_user("0 1000 1\n1 100000 65536\n"), "a container without root");
    }

    #[test]
    fn filters_count_beyond_the_fewest_above_and_only_with_no_new_privileges() {
        let status = |privileges: u32, filters: u32| {
            ProcessConfinement::parse(&format!(
                "Name:\tx\nNoNewPrivs:\t{privileges}\nSeccomp:\t2\nSeccomp_filters:\t{filters}\n"
            ))
        };
        assert!(status(1, 1).is_an_agents(0) && status(1, 3).is_an_agents(2));
        assert!(!status(1, 2).is_an_agents(2) && !status(0, 1).is_an_agents(0));
        assert_eq!(ProcessConfinement::parse("Name:\tNoNewPrivs:\t1\n"), ProcessConfinement::default());
    }
}
