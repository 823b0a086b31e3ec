//! File names in a fence: in its info string, or in a comment that is its first line.

use super::line::FileName;
use super::shape::{self, Shape};

const ATTRIBUTES: [&str; 6] = ["title", "filename", "file", "path", "filepath", "name"];

/// The name in `info`, the info string that `line` holds: `lang path`, `lang:path`, `path`,
/// `lang title="path"`.
pub(crate) fn in_info<'a>(line: &'a str, info: &'a str) -> Option<FileName<'a>> {
    if info.is_empty() {
        return None;
    }
    attribute(line, info).or_else(|| {
        let (language, rest) = split(info);
        if rest.is_empty() {
            return is_name(language).then(|| FileName::new(line, language, false)).flatten();
        }
        FileName::new(line, rest, false).filter(|name| name.shape > Shape::Doubtful)
    })
}

pub(crate) fn language(info: &str) -> &str {
    if info.is_empty() {
        return info;
    }
    let (language, rest) = split(info);
    if rest.is_empty() && is_name(language) {
        return shape::extension(shape::base(language)).unwrap_or_default();
    }
    language
}

fn is_name(word: &str) -> bool {
    // Fast path: most are the name of a language.
    word.contains('.') && shape::is_listed(word) && shape::shape(word).is_some()
}

fn split(info: &str) -> (&str, &str) {
    match info.find([' ', '\t', ':', '{']) {
        // A drive's letter is not a language.
        Some(1) if info[1..].starts_with([':']) && info[2..].starts_with(['\\', '/']) => (info, ""),
        Some(at) => (&info[..at], info[at..].trim_start_matches([' ', '\t', ':', '{']).trim_end()),
        None => (info, ""),
    }
}

fn attribute<'a>(line: &'a str, info: &'a str) -> Option<FileName<'a>> {
    if !info.contains('=') {
        return None;
    }
    ATTRIBUTES.iter().find_map(|name| {
        let at = info.find(&format!("{name}="))?;
        let alone = info[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let value = &info[at + name.len() + 1..];
        let value = match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            Some(quote) => value[1..].split(quote).next()?,
            None => value.split([' ', '\t', '}']).next()?,
        };
        FileName::new(line, value.trim(), true).filter(|_| alone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(info: &str) -> Option<String> {
        in_info(info, info).map(|name| name.path.into_owned())
    }

    #[test]
    fn info_strings_name_files() {
        for info in [
            "python a.py",
            "python:a.py",
            "a.py",
            "py title=\"a.py\"",
            "{.py filename=a.py}",
            "python ./a.py",
        ] {
            assert_eq!(path(info).as_deref(), Some("a.py"), "{info}");
        }
        for info in [
            "",
            "python",
            "Dockerfile",
            "text/html",
            "python numbered",
            "rust,ignore",
            "js {1,3}",
            "sh title=\"How to run\"",
        ] {
            assert_eq!(path(info), None, "{info}");
        }
        assert_eq!((language("python a.py"), language("a.py"), language("sh")), ("python", "py", "sh"));
    }
}
