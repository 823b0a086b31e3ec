//! The file systems that are mounted in a project: no event comes when one is mounted over a folder, or
//! unmounted again.
//!
//! The kernel reports whether its table of mounts has changed; only then is it read. Knows no index.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::time::Timespec;

const TABLE: &str = "/proc/self/mountinfo";

const PLACE: usize = 4;

#[derive(Debug)]
pub(super) struct Mounts {
    table: Mutex<MountTable>,
}

#[derive(Debug)]
struct MountTable {
    file: Option<File>,
    text: Vec<u8>,
    count: u64,
}

#[derive(Debug, Default)]
pub(super) struct Mounted {
    count: u64,
    lines: Vec<u8>,
}

impl Mounts {
    pub(super) fn new() -> Mounts {
        let mut table = MountTable { file: File::open(TABLE).ok(), text: Vec::new(), count: 0 };
        table.read();
        Mounts { table: Mutex::new(table) }
    }

    pub(super) fn differ(&self, root: &Path, before: &mut Mounted) -> bool {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if table.is_other() {
            table.read();
        }
        if table.count == before.count {
            return false;
        }
        before.count = table.count;
        let old = std::mem::replace(&mut before.lines, beneath(&table.text, root));
        old != before.lines
    }
}

impl MountTable {
    fn is_other(&self) -> bool {
        let Some(file) = &self.file else { return false };
        let mut request = [PollFd::new(file, PollFlags::PRI)];
        // If the kernel does not report it, the table is read.
        retry_on_intr(|| poll(&mut request, Some(&Timespec::default()))).map_or(true, |count| count > 0)
    }

    fn read(&mut self) {
        let Some(file) = &mut self.file else { return };
        self.text.clear();
        self.count += 1;
        if let Err(error) = file.rewind().and_then(|()| file.read_to_end(&mut self.text)) {
            tracing::warn!(%error, "what is mounted is not known");
        }
    }
}

fn beneath(table: &[u8], root: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    for byte in root.as_os_str().as_bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => start.extend(format!("\\{byte:03o}").bytes()),
            _ => start.push(*byte),
        }
    }
    start.push(b'/');
    let lines = table.split_inclusive(|byte| *byte == b'\n');
    let place =
        |line: &[u8]| line.split(|byte| *byte == b' ').nth(PLACE).is_some_and(|at| at.starts_with(&start));
    lines.filter(|line| place(line)).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_places_beneath_a_root() {
        let table = b"36 35 0:1 / /p\\040q/in rw - tmpfs x rw\n\
            37 35 0:2 / /p rw - tmpfs x rw\n38 35 0:3 / /p\\040qr rw - t x rw\n";
        assert_eq!(beneath(table, Path::new("/p q")), table[..39]);
        assert_eq!(beneath(table, Path::new("/p")), b"");
        assert_eq!(beneath(b"no table", Path::new("/p")), b"");
    }
}
