//! The long lines of `ls`, and how modes, times and sizes are written.

use clada_exec::words::Ls;
use clada_fs::{Facts, Form, Timestamp};
use jiff::tz::TimeZone;

use super::item::ListedItem;
use super::owners::Owners;
use super::reading::CommandReading;

/// Half a year, after which a time is shown with its year instead of the hour.
const HALF_A_YEAR: i64 = 31_556_952 / 2;

struct LongRow {
    mode: String,
    links: String,
    owner: String,
    group: String,
    size: String,
    time: String,
    name: Vec<u8>,
}

impl CommandReading<'_> {
    pub(super) fn long(&mut self, ls: &Ls, items: &[ListedItem], others: &[ListedItem], owners: &Owners) {
        let mut rows_of = |items: &[ListedItem]| {
            items.iter().filter_map(|item| self.row(ls, item, owners)).collect::<Vec<LongRow>>()
        };
        let (rows, others) = (rows_of(items), rows_of(others));
        let all = || rows.iter().chain(&others);
        let width = |column: fn(&LongRow) -> &str| all().map(|row| column(row).len()).max().unwrap_or(0);
        let (links, owner) = (width(|row| &row.links), width(|row| &row.owner));
        let (group, size) = (width(|row| &row.group), width(|row| &row.size));
        for row in &rows {
            let line = format!(
                "{} {:>links$} {:<owner$} {:<group$} {:>size$} {} ",
                row.mode, row.links, row.owner, row.group, row.size, row.time
            );
            if !self.out.say(&[line.as_bytes(), &row.name, b"\n"].concat()) {
                break;
            }
        }
    }

    /// `None` for what has gone meanwhile.
    fn row(&mut self, ls: &Ls, item: &ListedItem, owners: &Owners) -> Option<LongRow> {
        let facts = item.facts(self.roots)?;
        let number = |name: Option<&str>, number: u32| name.map_or_else(|| number.to_string(), str::to_owned);
        let target = (facts.form == Form::Symlink).then(|| self.roots.readlink(&item.path).ok()).flatten();
        let mut name = item.name.clone();
        match target {
            Some(target) => name.extend([b" -> ", target.as_encoded_bytes()].concat()),
            None => name.extend(mark(ls, &facts).bytes()),
        }
        Some(LongRow {
            mode: mode(&facts),
            links: facts.stat.nlink.to_string(),
            owner: number(owners.user(facts.stat.uid), facts.stat.uid),
            group: number(owners.group(facts.stat.gid), facts.stat.gid),
            size: match (facts.form, ls.human) {
                (Form::BlockDevice | Form::CharacterDevice, _) => {
                    format!("{}, {}", facts.device.0, facts.device.1)
                }
                (_, true) => human(facts.stat.size),
                (_, false) => facts.stat.size.to_string(),
            },
            time: time(facts.stat.mtime, self.now),
            name,
        })
    }
}

pub(super) fn mark(ls: &Ls, facts: &Facts) -> &'static str {
    match facts.form {
        _ if !ls.classify => "",
        Form::Directory => "/",
        Form::Symlink => "@",
        Form::Fifo => "|",
        Form::Socket => "=",
        Form::File if facts.stat.mode & 0o111 != 0 => "*",
        _ => "",
    }
}

pub(super) fn mode(facts: &Facts) -> String {
    let form = match facts.form {
        Form::File => '-',
        Form::Directory => 'd',
        Form::Symlink => 'l',
        Form::Fifo => 'p',
        Form::Socket => 's',
        Form::BlockDevice => 'b',
        Form::CharacterDevice => 'c',
    };
    let bits = facts.stat.mode;
    let may = |bit: u32, letter: char| if bits & bit != 0 { letter } else { '-' };
    // Who may execute, and what is special about it: both in one place.
    let special = |execute: u32, special: u32, letter: char| match (bits & execute != 0, bits & special != 0)
    {
        (false, false) => '-',
        (true, false) => 'x',
        (true, true) => letter,
        (false, true) => letter.to_ascii_uppercase(),
    };
    [
        form,
        may(0o400, 'r'),
        may(0o200, 'w'),
        special(0o100, 0o4000, 's'),
        may(0o040, 'r'),
        may(0o020, 'w'),
        special(0o010, 0o2000, 's'),
        may(0o004, 'r'),
        may(0o002, 'w'),
        special(0o001, 0o1000, 't'),
    ]
    .iter()
    .collect()
}

/// A size for people, rounded up: `512`, `1.1K`, `12M`.
pub(super) fn human(bytes: u64) -> String {
    if bytes < 1024 {
        return bytes.to_string();
    }
    let mut unit = 1024;
    for letter in ["K", "M", "G", "T", "P", "E"] {
        let tenths = (u128::from(bytes) * 10).div_ceil(unit);
        if tenths < 100 {
            return format!("{}.{}{letter}", tenths / 10, tenths % 10);
        }
        let whole = u128::from(bytes).div_ceil(unit);
        if whole < 1024 || letter == "E" {
            return format!("{whole}{letter}");
        }
        unit *= 1024;
    }
    bytes.to_string()
}

/// `Nov 21 18:57`, and for what is long ago or to come `Nov 21  2025`.
fn time(time: Timestamp, now: Timestamp) -> String {
    let recent = time.seconds > now.seconds - HALF_A_YEAR && time <= now;
    let moment = jiff::Timestamp::from_second(time.seconds).unwrap_or_default().to_zoned(TimeZone::UTC);
    moment.strftime(if recent { "%b %e %H:%M" } else { "%b %e  %Y" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_people_are_rounded_up() {
        for (bytes, shown) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (1025, "1.1K"),
            (10_137, "9.9K"),
            (10_138, "10K"),
            (10_240, "10K"),
            (1_048_575, "1.0M"),
            (1_047_552, "1023K"),
            (u64::MAX, "16E"),
        ] {
            assert_eq!(human(bytes), shown, "{bytes}");
        }
    }

    #[test]
    fn old_times_and_those_to_come_have_a_year() {
        let at = |seconds| Timestamp { seconds, nanoseconds: 0 };
        let now = 1_795_287_474;
        assert_eq!(time(at(now), at(now)), "Nov 21 18:57");
        assert_eq!(time(at(now - HALF_A_YEAR), at(now)), "May 23  2026");
        assert_eq!(time(at(now + 1), at(now)), "Nov 21  2026");
        assert_eq!(time(at(i64::MAX), at(now)), "Jan  1  1970");
    }
}
