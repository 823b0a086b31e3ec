//! File names in a fence: in its info string, or in a comment that is its first line.

use super::{COMMENTS, FileName, Shape, shape};

/// Attributes of an info string that name the file.
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
            return FileName::new(line, language, false).filter(|_| is_name(language));
        }
        FileName::new(line, rest, false).filter(|name| name.shape > Shape::Doubtful)
    })
}

/// The language that `info` names, which may be empty.
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

/// Returns true if `word`, which is all of an info string, is a name and no language.
fn is_name(word: &str) -> bool {
    shape::is_listed(word) && shape::shape(word).is_some()
}

/// The name in `line`, a comment that is the first line of a listing in `language`, if it fits that language.
pub(crate) fn first_comment<'a>(line: &'a str, language: &str) -> Option<FileName<'a>> {
    let text = line.trim();
    let inner = COMMENTS.iter().chain(&[("#", "")]).find_map(|(open, close)| {
        text.strip_prefix(open)?.strip_suffix(close).filter(|inner| inner.starts_with([' ', '\t']))
    })?;
    let inner = inner.trim();
    let inner = super::label(inner).unwrap_or(inner);
    let name = FileName::new(line, inner, false)?;
    (name.shape == Shape::Known && fits(&name.path, language)).then_some(name)
}

/// The first word of `info`, and the text after it behind a blank or a colon.
fn split(info: &str) -> (&str, &str) {
    match info.find([' ', '\t', ':', '{']) {
        // A drive's letter is no language.
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

/// Returns true if the extension of `path` belongs to `language`.
pub(crate) fn fits(path: &str, language: &str) -> bool {
    let Some(extension) = shape::extension_of(path).map(str::to_ascii_lowercase) else { return false };
    let language = language.to_ascii_lowercase();
    let own: &[&str] = match language.as_str() {
        "python" => &["py", "pyi"],
        "javascript" | "jsx" => &["js", "jsx", "mjs", "cjs"],
        "typescript" | "tsx" => &["ts", "tsx", "mts", "cts"],
        "rust" => &["rs"],
        "ruby" => &["rb"],
        "golang" => &["go"],
        "c++" | "cpp" => &["cc", "cpp", "cxx", "h", "hh", "hpp"],
        "c" => &["h"],
        "csharp" | "c#" => &["cs"],
        "kotlin" => &["kt", "kts"],
        "markdown" => &["md", "mdx"],
        "yaml" | "yml" => &["yaml", "yml"],
        "html" => &["htm", "vue", "svelte"],
        "css" => &["scss", "less"],
        "json" => &["jsonc", "json5"],
        "ini" | "conf" => &["cfg", "conf"],
        "xml" => &["csproj", "svg", "plist"],
        "haskell" => &["hs"],
        "elixir" => &["ex", "exs"],
        "perl" => &["pl", "pm"],
        "bash" | "sh" | "shell" | "zsh" => &["sh", "bash", "zsh"],
        _ => &[],
    };
    extension == language || own.contains(&extension.as_str())
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

    #[test]
    fn a_first_comment_names_a_file_of_the_language() {
        let named = |line, language| first_comment(line, language).map(|name| name.path.into_owned());
        assert_eq!(named("# src/a.py", "python").as_deref(), Some("src/a.py"));
        assert_eq!(named("// File: a.js", "js").as_deref(), Some("a.js"));
        assert_eq!(named("# see a.py", "python"), None);
        assert_eq!(named("# a.py", "bash"), None);
    }
}
