//! Sizes and durations as users write them: `10MB`, `64kB`, `500ms`, `5d`. Pure text; knows no key.

use std::time::Duration;

/// The units of sizes as they are shown, largest first: powers of two. Any letter case is
/// read, and `KiB` for `kB`.
const SIZES: &[(&str, u64)] = &[("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)];

const SPANS: &[(&str, u64)] = &[("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

pub(super) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let unit = unit.to_ascii_lowercase();
    let factor = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(factor)
}

pub(super) fn show_size(bytes: u64) -> String {
    match SIZES.iter().find(|(_, factor)| bytes >= *factor && bytes.is_multiple_of(*factor)) {
        Some((unit, factor)) => format!("{}{unit}", bytes / factor),
        None => bytes.to_string(),
    }
}

pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let unit = if unit == "min" { "m" } else { unit };
    let (_, factor) = SPANS.iter().find(|(name, _)| *name == unit)?;
    Some(Duration::from_millis(number.checked_mul(*factor)?))
}

pub(super) fn show_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    match SPANS.iter().find(|(_, factor)| millis >= *factor && millis.is_multiple_of(*factor)) {
        Some((unit, factor)) => format!("{}{unit}", millis / factor),
        None => "0s".to_owned(),
    }
}

pub(super) fn parse_count(text: &str) -> Option<u64> {
    match split(text)? {
        (number, "") => Some(number),
        _ => None,
    }
}

fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((digits.replace('_', "").parse().ok()?, unit.trim_start()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("10485760", 10 << 20),
            ("10_000", 10_000),
            ("10MB", 10 << 20),
            ("10 MB", 10 << 20),
            ("64kB", 64 << 10),
            ("64KiB", 64 << 10),
            ("2gb", 2 << 30),
            ("512B", 512),
        ] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "MB", "-1", "1.5MB", "10XB", "10MBs", "_1", "99999999999999999999", "99999999999GB"]
        {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, millis) in
            [("500ms", 500), ("30s", 30_000), ("10m", 600_000), ("10 min", 600_000), ("5d", 432_000_000)]
        {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "30", "s", "1w", "-1s", "1.5h", "30S"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(number in any::<u64>(), millis in 1..u64::MAX / 2) {
            prop_assert_eq!(parse_size(&show_size(number)), Some(number));
            let duration = Duration::from_millis(millis);
            prop_assert_eq!(parse_duration(&show_duration(duration)), Some(duration));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = (parse_size(&text), parse_duration(&text), parse_count(&text));
        }
    }
}
