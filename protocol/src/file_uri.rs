//! The paths that `file` URIs name, as editors and hosts of agents send them.

use crate::visible::visible_line;

/// Returns the absolute path that a `file` URI names, decoded.
///
/// ```
/// # use clada_protocol::path_from_file_uri;
/// assert_eq!(path_from_file_uri("file:///p/a%20b"), Ok("/p/a b".to_owned()));
/// ```
///
/// # Errors
/// The sentence that says why `uri` names no path of this machine: another scheme or host, a query, a fragment, a
/// relative path, or bytes that are not UTF-8.
pub fn path_from_file_uri(uri: &str) -> Result<String, String> {
    let shown = || visible_line(uri).into_owned();
    let Some((name, rest)) = uri.split_once(':') else { return Err(format!("'{}' is not a URI", shown())) };
    if !name.eq_ignore_ascii_case("file") {
        return Err(format!("'{}' is not a `file` URI; only files can be changed", shown()));
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, _) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(format!("'{}' names a file of another machine", shown()));
            }
            &rest[host.len()..]
        }
        None => rest,
    };
    if !path.starts_with('/') || path.contains(['?', '#']) {
        return Err(format!("'{}' names no absolute path", shown()));
    }
    let decoded = decoded(path).ok_or_else(|| format!("'{}' is not percent-encoded correctly", shown()))?;
    String::from_utf8(decoded).map_err(|_| format!("the path of '{}' is not UTF-8", shown()))
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let byte = match byte {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                let digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
                u8::try_from(
                    digits.collect::<Option<Vec<u32>>>()?.iter().fold(0, |sum, digit| sum * 16 + digit),
                )
                .ok()?
            }
            byte => byte,
        };
        bytes.push(byte);
    }
    (!bytes.contains(&0)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_file_uri_is_the_path_that_it_names() {
        for (uri, path) in [
            ("file:///p/a.txt", "/p/a.txt"),
            ("FILE://LocalHost/p/a%20b%C3%A9%2f", "/p/a bé/"),
            ("file:/p", "/p"),
            ("file:///p/100%25", "/p/100%"),
        ] {
            assert_eq!(path_from_file_uri(uri).as_deref(), Ok(path), "{uri}");
        }
        for uri in [
            "untitled:Untitled-1",
            "vscode-remote://x/p",
            "file://host/p",
            "file://p",
            "file:p",
            "/p",
            "file:///a?b",
            "file:///a#b",
            "file:///a%2",
            "file:///a%zz",
            "file:///a%00",
            "file:///a%ff",
        ] {
            assert!(path_from_file_uri(uri).is_err(), "{uri}");
        }
    }
}
