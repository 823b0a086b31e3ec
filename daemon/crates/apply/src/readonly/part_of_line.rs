//! The part of a long line that a result of `grep` shows.
//!
//! Pure. Bytes, not characters, are counted; bytes that are not text are shown as U+FFFD.

use std::ops::Range;

/// Returns at most `limit` bytes of `line`: its beginning, or the part around `place` if that does not reach so far.
pub(super) fn part_of_line(line: &[u8], place: &Range<usize>, limit: usize) -> String {
    let mut start = 0;
    if line.len() > limit && place.end > limit {
        start = place.start.saturating_sub(limit / 4).min(line.len() - limit);
        // Not within a character.
        start += line[start..].iter().take_while(|byte| *byte & 0xc0 == 0x80).count();
    }
    let mark = if start > 0 { "…" } else { "" };
    let part = &line[start..line.len().min(start + limit)];
    format!("{mark}{}", String::from_utf8_lossy(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_long_line_is_shown_where_it_matches() {
        let far = "x".repeat(40) + "needle" + &"y".repeat(40);
        let umlauts = "ü".repeat(20) + "needle" + &"ü".repeat(20);
        for (line, needle, part) in [
            ("a needle", 2..8, "a needle"),
            (&far, 40..46, "…xxxxxneedleyyyyyyyyy"),
            (&umlauts, 40..46, "…üüneedleüüüüü"),
            // It ends with the line.
            (&far[..46], 40..46, "…xxxxxxxxxxxxxxneedle"),
            // A place in the part that is shown anyhow.
            (&far, 3..9, "xxxxxxxxxxxxxxxxxxxx"),
            // A place longer than the part shows its beginning.
            (&far, 40..86, "…xxxxxneedleyyyyyyyyy"),
        ] {
            assert_eq!(part_of_line(line.as_bytes(), &needle, 20), part, "{line}");
        }
        assert_eq!(part_of_line(b"\xff\xfe needle", &(3..9), 20), "\u{fffd}\u{fffd} needle");
    }
}
