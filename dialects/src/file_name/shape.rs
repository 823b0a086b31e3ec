//! Words that look like the name of a file.
//!
//! Knows names alone: the code that has the files decides whether there is such a file.

const NAMES: [&str; 18] = [
    "Makefile",
    "GNUmakefile",
    "makefile",
    "Dockerfile",
    "Containerfile",
    "Procfile",
    "Gemfile",
    "Rakefile",
    "Vagrantfile",
    "Jenkinsfile",
    "Justfile",
    "justfile",
    "LICENSE",
    "COPYING",
    "README",
    "CHANGELOG",
    "CODEOWNERS",
    "AUTHORS",
];

const FILE_EXTENSIONS: [&str; 82] = [
    "adoc", "astro", "bat", "bash", "c", "cc", "cfg", "clj", "cmake", "conf", "cpp", "cs", "css", "csv",
    "cxx", "dart", "elm", "erl", "ex", "exs", "fish", "fs", "go", "gradle", "graphql", "h", "hpp", "hs",
    "html", "htm", "ini", "ipynb", "java", "jl", "js", "json", "jsonl", "jsx", "kt", "kts", "less", "lock",
    "lua", "m", "md", "mdx", "mjs", "cjs", "ml", "mli", "nim", "php", "pl", "proto", "ps1", "py", "pyi",
    "pyx", "r", "rb", "rs", "rst", "sass", "scala", "scss", "sh", "sql", "svelte", "svg", "swift", "tex",
    "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig", "zsh",
];

const PROSE: [&str; 9] = ["md", "markdown", "mdx", "mkd", "qmd", "rmd", "rst", "adoc", "txt"];

/// Names, lower case, of tools and libraries of programs that end as files do.
const PRODUCTS: [&str; 28] = [
    "alpine.js",
    "angular.js",
    "asp.net",
    "backbone.js",
    "babylon.js",
    "chart.js",
    "d3.js",
    "day.js",
    "discord.js",
    "ember.js",
    "express.js",
    "knockout.js",
    "math.js",
    "moment.js",
    "nest.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "p5.js",
    "pdf.js",
    "preact.js",
    "react.js",
    "require.js",
    "solid.js",
    "tensorflow.js",
    "three.js",
    "video.js",
    "vue.js",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// A word, or several: a name only if there is such a file.
    Doubtful,
    Folders,
    /// A name with an extension, or a known one.
    Known,
}

pub(crate) fn shape(text: &str) -> Option<Shape> {
    if text.contains(|c: char| {
        c.is_control() || matches!(c, '<' | '>' | '|' | '"' | '`' | '*' | '?' | ';' | ',')
    }) {
        return None;
    }
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    let rest = if drive { &text[2..] } else { text };
    if rest.contains(':') || !rest.contains(char::is_alphanumeric) || rest.ends_with(['.', '!', '/', '\\']) {
        return None;
    }
    let name = base(text);
    if name.contains(char::is_whitespace) || text.contains(char::is_whitespace) {
        return is_listed(name).then_some(Shape::Doubtful);
    }
    if text.contains(['=', '!']) || text.ends_with(')') {
        return None;
    }
    if extension(name).is_some() || NAMES.contains(&name) || name.starts_with('.') {
        return Some(Shape::Known);
    }
    Some(if name.len() < text.len() { Shape::Folders } else { Shape::Doubtful })
}

/// Returns true if `text` may be a name because it is in quotes, or after a label that announces one.
pub(crate) fn fits_quoted(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() || matches!(c, '<' | '>' | '|' | '"' | '`' | '*' | '?'))
        && text.contains(char::is_alphanumeric)
        && !text.ends_with(['/', '\\'])
        && (!text.contains(char::is_whitespace) || extension(base(text)).is_some())
}

pub(crate) fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The extension of `name`: letters and digits after its last dot, the first of them a letter.
pub(crate) fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    let plain =
        extension.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'));
    let good = !stem.is_empty() && extension.len() <= 16 && plain;
    (good && extension.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(extension)
}

pub(crate) fn extension_of(path: &str) -> Option<&str> {
    extension(base(path))
}

pub(crate) fn is_program_output(path: &str) -> bool {
    extension_of(path).is_some_and(|extension| {
        ["txt", "log", "out", "err", "csv", "tsv"].contains(&extension.to_ascii_lowercase().as_str())
    })
}

/// Returns true if `path` is the name of a product as well, as `Node.js` is: a heading above a sample names
/// the product that the sample is for.
pub(crate) fn is_product(path: &str) -> bool {
    PRODUCTS.iter().any(|product| product.eq_ignore_ascii_case(path))
}

pub(crate) fn is_output(path: &str) -> bool {
    let name = base(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let written = matches!(extension(&name), Some("log" | "out" | "err"));
    written
        || is_program_output(&name)
            && ["out", "output", "stdout", "stderr", "result", "results"].contains(&stem)
}

/// Returns true if the extension of the path or name `name` is one that only files have.
pub(crate) fn is_listed(name: &str) -> bool {
    extension_of(name)
        .is_some_and(|extension| FILE_EXTENSIONS.iter().any(|listed| listed.eq_ignore_ascii_case(extension)))
}

pub(crate) fn may_hold_fences(path: &str) -> bool {
    let Some(extension) = extension(base(path)) else { return true };
    let extension = extension.to_ascii_lowercase();
    PROSE.contains(&extension.as_str()) || !FILE_EXTENSIONS.contains(&extension.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_by_their_shape() {
        for text in
            ["a.py", "src/a.tar.gz", ".env", "Makefile", "x/Dockerfile", "C:\\x\\a.c", "[id].tsx", "../a.x"]
        {
            assert_eq!(shape(text), Some(Shape::Known), "{text}");
        }
        assert_eq!(shape("bin/tool"), Some(Shape::Folders));
        for text in ["Example", "my notes.md", "Here is a.py", "1.2"] {
            assert_eq!(shape(text), Some(Shape::Doubtful), "{text}");
        }
        for text in [
            "...",
            "Done.",
            "foo.bar()",
            "http://x.y/z.html",
            "a = b",
            "x=1",
            "Here it is",
            "</think>",
            "a, b.py",
        ] {
            assert_eq!(shape(text), None, "{text}");
        }
    }

    #[test]
    fn products_are_called_as_files_are() {
        assert!(is_product("Node.js") && is_product("vue.js"));
        assert!(!is_product("src/node.js") && !is_product("App.js"));
    }

    #[test]
    fn fences_belong_to_prose_and_to_what_is_unknown() {
        assert!(may_hold_fences("a.md") && may_hold_fences("x/NOTES") && may_hold_fences("a.prompt"));
        assert!(!may_hold_fences("a.py"));
    }
}
