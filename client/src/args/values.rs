//! Times and sizes as they are written, with their units.

pub(crate) fn duration_ms(text: &str) -> Result<u64, String> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("a time is a number with its unit: 500ms, 30s, 5m or 1h".to_owned()),
    };
    let number: u64 =
        number.parse().map_err(|_| "a time begins with a whole number, as in 30s".to_owned())?;
    match number.checked_mul(factor) {
        Some(0) => Err("a time of zero leaves nothing to be done in".to_owned()),
        Some(time) => Ok(time),
        None => Err("that is longer than a time can be".to_owned()),
    }
}

pub(crate) fn size_bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        _ => return Err("a size is a number with its unit: 512, 64kB, 10MB or 1GB".to_owned()),
    };
    let number: u64 =
        number.parse().map_err(|_| "a size begins with a whole number, as in 10MB".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "that is larger than a size can be".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size_bytes("0"), Ok(0));
        assert_eq!(size_bytes("64kB"), Ok(64 << 10));
        assert_eq!(size_bytes("10MB"), Ok(10 << 20));
        for bad in ["", "MB", "1TB", "-1", "99999999999999999999", "18446744073709551615GB"] {
            assert!(size_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration_ms("500ms"), Ok(500));
        assert_eq!(duration_ms("30s"), Ok(30_000));
        assert_eq!(duration_ms("5m"), Ok(300_000));
        assert_eq!(duration_ms("1h"), Ok(3_600_000));
        for bad in ["", "30", "s", "1d", "-1s", "0s", "99999999999999999999s", "18446744073709551615h"] {
            assert!(duration_ms(bad).is_err(), "{bad}");
        }
    }
}
