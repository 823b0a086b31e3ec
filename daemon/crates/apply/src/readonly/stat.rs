//! `stat`: what is known about files that were named.

use std::os::unix::ffi::OsStrExt;

use clada_exec::words::{Filling, Piece};
use clada_fs::{Facts, Form, RootedPath, Timestamp};
use jiff::tz::TimeZone;

use super::long::mode;
use super::owners::Owners;
use super::reading::{CommandReading, reason};

struct FileReport<'t> {
    written: &'t str,
    path: &'t RootedPath,
    facts: Facts,
    owners: &'t Owners,
}

impl CommandReading<'_> {
    pub(super) fn stat(&mut self, format: Option<&[Piece]>, paths: &[(String, RootedPath)]) {
        let owners = Owners::read();
        for (written, path) in paths {
            let facts = match self.roots.facts(path) {
                Ok(Some(facts)) => facts,
                Ok(None) => {
                    self.cannot_stat(written, "No such file or directory");
                    continue;
                }
                Err(error) => {
                    self.cannot_stat(written, reason(&error));
                    continue;
                }
            };
            let report = FileReport { written, path, facts, owners: &owners };
            let text = match format {
                Some(pieces) => pieces.iter().flat_map(|piece| self.piece(piece, &report)).collect(),
                None => self.all(&report),
            };
            if !self.out.say(&text) {
                break;
            }
        }
    }

    fn cannot_stat(&mut self, written: &str, reason: &str) {
        self.out.complain(&format!("stat: cannot statx '{written}': {reason}"));
        self.out.status(1);
    }

    fn all(&self, report: &FileReport<'_>) -> Vec<u8> {
        let Facts { stat, block_size, blocks, lies_on, .. } = report.facts;
        let mut text = b"  File: ".to_vec();
        text.extend(report.written.as_bytes());
        if let Some(target) = self.target(report) {
            text.extend([b" -> ", target.as_slice()].concat());
        }
        let device = match report.facts.form {
            Form::BlockDevice | Form::CharacterDevice => {
                format!(" Device type: {},{}", report.facts.device.0, report.facts.device.1)
            }
            _ => String::new(),
        };
        // The columns are those of GNU's `stat`.
        let lines = format!(
            "\n  Size: {:<10}\tBlocks: {blocks:<10} IO Block: {block_size:<6} {}\n\
             Device: {},{}\tInode: {:<11} Links: {}{device}\n\
             Access: ({:04o}/{:>10})  Uid: ({:>5}/{:>8})   Gid: ({:>5}/{:>8})\n\
             Access: {}\nModify: {}\nChange: {}\n Birth: {}\n",
            stat.size,
            form(&report.facts),
            lies_on.0,
            lies_on.1,
            stat.ino,
            stat.nlink,
            stat.mode,
            mode(&report.facts),
            stat.uid,
            report.owners.user(stat.uid).unwrap_or("UNKNOWN"),
            stat.gid,
            report.owners.group(stat.gid).unwrap_or("UNKNOWN"),
            time(report.facts.accessed),
            time(stat.mtime),
            time(stat.ctime),
            report.facts.born.map_or_else(|| "-".to_owned(), time),
        );
        text.extend(lines.bytes());
        text
    }

    fn piece(&self, piece: &Piece, report: &FileReport<'_>) -> Vec<u8> {
        let (letter, width, filling) = match piece {
            Piece::Text(text) => return text.as_bytes().to_vec(),
            Piece::Fact { letter, width, filling } => (*letter, *width, *filling),
        };
        let fact = self.fact(letter, report);
        let missing = width.saturating_sub(fact.len());
        match filling {
            Filling::Behind => [fact, vec![b' '; missing]].concat(),
            Filling::Zeros => [vec![b'0'; missing], fact].concat(),
            Filling::Before => [vec![b' '; missing], fact].concat(),
        }
    }

    fn fact(&self, letter: char, report: &FileReport<'_>) -> Vec<u8> {
        let Facts { stat, accessed, born, .. } = report.facts;
        let device = |(major, minor): (u32, u32)| rustix::fs::makedev(major, minor);
        let name = |name: Option<&str>| name.unwrap_or("UNKNOWN").to_owned();
        let text = match letter {
            '%' => "%".to_owned(),
            'n' => report.written.to_owned(),
            'N' => {
                let quoted = |bytes: &[u8]| [b"'", bytes, b"'"].concat();
                let target = self.target(report).map(|target| [b" -> ", quoted(&target).as_slice()].concat());
                return [quoted(report.written.as_bytes()), target.unwrap_or_default()].concat();
            }
            's' => stat.size.to_string(),
            'a' => format!("{:o}", stat.mode),
            'A' => mode(&report.facts),
            'f' => format!("{:x}", report.facts.raw_mode),
            'F' => form(&report.facts).to_owned(),
            'h' => stat.nlink.to_string(),
            'i' => stat.ino.to_string(),
            'u' => stat.uid.to_string(),
            'U' => name(report.owners.user(stat.uid)),
            'g' => stat.gid.to_string(),
            'G' => name(report.owners.group(stat.gid)),
            'b' => report.facts.blocks.to_string(),
            'B' => "512".to_owned(),
            'o' => report.facts.block_size.to_string(),
            'd' => device(report.facts.lies_on).to_string(),
            'D' => format!("{:x}", device(report.facts.lies_on)),
            'x' => time(accessed),
            'X' => accessed.seconds.to_string(),
            'y' => time(stat.mtime),
            'Y' => stat.mtime.seconds.to_string(),
            'z' => time(stat.ctime),
            'Z' => stat.ctime.seconds.to_string(),
            'w' => born.map_or_else(|| "-".to_owned(), time),
            'W' => born.map_or(0, |born| born.seconds).to_string(),
            // A letter that cannot be printed is refused when the format is read.
            _ => String::new(),
        };
        text.into_bytes()
    }

    fn target(&self, report: &FileReport<'_>) -> Option<Vec<u8>> {
        let is_link = report.facts.form == Form::Symlink;
        is_link.then(|| self.roots.readlink(report.path).ok()).flatten().map(|to| to.as_bytes().to_vec())
    }
}

fn form(facts: &Facts) -> &'static str {
    match facts.form {
        Form::File if facts.stat.size == 0 => "regular empty file",
        Form::File => "regular file",
        Form::Directory => "directory",
        Form::Symlink => "symbolic link",
        Form::Fifo => "fifo",
        Form::Socket => "socket",
        Form::BlockDevice => "block special file",
        Form::CharacterDevice => "character special file",
    }
}

fn time(time: Timestamp) -> String {
    let moment = jiff::Timestamp::from_second(time.seconds).unwrap_or_default().to_zoned(TimeZone::UTC);
    format!("{}.{:09} +0000", moment.strftime("%Y-%m-%d %H:%M:%S"), time.nanoseconds)
}
