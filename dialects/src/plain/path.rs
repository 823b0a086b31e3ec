//! Words that may be paths: their cleaning and their shape.
//!
//! Works on one word; the place where it stands is known to the caller.

use std::borrow::Cow;

use crate::file_name::{base, extension, is_listed, is_product};

/// Files that have no extension, or begin with a dot, by their names in lower case.
#[rustfmt::skip]
const WELL_KNOWN: &[&str] = &[
    "makefile", "gnumakefile", "dockerfile", "containerfile", "procfile", "gemfile", "rakefile", "podfile",
    "brewfile", "vagrantfile", "jenkinsfile", "justfile", "caddyfile", "pipfile", "fastfile", "appfile",
    "guardfile", "berksfile", "license", "copying", "notice", "readme", "changelog", "contributing",
    "codeowners", "authors", "cname", "snakefile", "cmakelists.txt", "go.mod", "go.sum", "go.work",
    "gradlew", "mvnw", "pkgbuild", "tiltfile", "earthfile", "sconstruct", ".gitignore", ".gitattributes",
    ".gitmodules", ".gitkeep", ".dockerignore", ".npmignore", ".npmrc", ".nvmrc", ".env", ".editorconfig",
    ".prettierrc", ".prettierignore", ".eslintrc", ".eslintignore", ".stylelintrc", ".babelrc",
    ".browserslistrc", ".flake8", ".pylintrc", ".coveragerc", ".python-version", ".ruby-version",
    ".node-version", ".tool-versions", ".rspec", ".clang-format", ".clang-tidy", ".clangd", ".envrc",
    ".htaccess", ".mailmap", ".swcrc", ".yarnrc", ".bazelrc", ".hgignore", ".cursorrules", ".windsurfrules",
    ".clinerules", ".aiderignore", ".gcloudignore", ".vercelignore", ".slugignore", ".helmignore",
    ".markdownlint", ".travis.yml", ".gitlab-ci.yml", ".rubocop.yml", "web.config", "app.config", "nuget.config", "packages.config", ".rustfmt.toml", ".air.toml",
];
/// Extensions that are not in the list of those by which words are recognised in prose, but name a file where a
/// path stands in a label.
#[rustfmt::skip]
const RARER: &[&str] = &[
    "accdb", "asm", "avsc", "bazel", "bicep", "bzl", "cabal", "cljs", "cljc", "cl", "cmd", "comp", "cr",
    "cshtml", "csproj", "cu", "cuh", "desktop", "diff", "dockerfile", "edn", "ejs", "el", "env", "eex",
    "erb", "example", "feature", "frag", "fsproj", "gd", "gemspec", "gitignore", "glsl", "gql", "groovy",
    "hbs", "hcl", "heex", "hh", "hlsl", "hrl", "hxx", "inc", "ino", "j2", "jinja", "jinja2", "json5",
    "jsonc", "ksh", "liquid", "local", "log", "lhs", "mak", "mk", "mm", "mod", "mts", "cts", "mustache",
    "nix", "njk", "nimble", "org", "pbxproj", "pcss", "phtml", "plist", "pm", "prisma", "props",
    "properties", "psd1", "psm1", "pug", "puml", "qml", "rake", "razor", "res", "resx", "rkt", "rmd", "ru",
    "s", "sample", "sbt", "sc", "scm", "service", "sln", "slnx", "socket", "sol", "styl", "sum", "sv",
    "targets", "tcl", "template", "textproto", "tfvars", "timer", "tmpl", "tpl", "tsv", "twig", "typ", "vb",
    "vert", "vhd", "vim", "vcxproj", "wgsl", "wxml", "wxss", "xaml", "xib", "xsd", "xsl", "storyboard",
    "webmanifest", "mdc", "http", "patch", "pyw", "jsp", "sln", "rc", "fxml", "fsx", "fsi", "bats", "awk",
    "work", "dockerignore", "editorconfig", "lock", "gradle", "cfg", "ui", "applescript", "ahk", "au3",
    "pas", "dpr", "f90", "f95", "for", "cob", "cbl", "adb", "ads", "d", "v", "sty", "cls", "bib", "kv",
    "qrc", "lean", "thy", "agda", "idr", "purs", "rei", "res", "resi", "re", "ron", "pest", "lalrpop", "y",
    "l", "g4", "jbuilder", "slim", "haml", "rhtml", "gohtml", "templ", "ipp", "tpp", "inl", "mdoc", "1",
    "3", "5", "7", "8",
];
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "path/to/", "/path/to/", "your-", "your_", "your/", "<your", "yyyy", "xxxx", "/your/", "./path/to/",
    "path\\to\\", "path/to\\", "some/path", "/some/path", "my/path", "relative/path", "absolute/path",
    "folder/file.", "dir/file.",
];
const LONGEST: usize = 300;

/// The degree to which a word is a path by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// A word that is a path only if the project has it.
    Word,
    /// Folders and a last part without an extension.
    Folders,
    /// A name with an extension, which is in no list.
    Extended,
    /// A name with a folder and an extension, with a listed extension, or a well-known one.
    Path,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// With `/`, without `./`, quotes, line numbers.
    pub(super) path: Cow<'a, str>,
    pub(super) shape: Shape,
}

/// Reads `word`, which has no decoration around it; `quoted` says that marks showed where it begins and ends,
/// so that it may have blanks.
pub(super) fn word(word: &str, quoted: bool) -> Option<Word<'_>> {
    let is_invisible = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    if !word.is_ascii() && word.contains(is_invisible) {
        let visible: String = word.chars().filter(|c| !is_invisible(*c)).collect();
        return self::word(&visible, quoted).map(|word| Word { path: word.path.into_owned().into(), ..word });
    }
    let text = without_lines(word.trim());
    // Another keyboard or a link has another sign for the slash.
    if ["／", "%2F", "%2f"].iter().any(|slash| text.contains(slash)) {
        let text = text.replace("／", "/").replace("%2F", "/").replace("%2f", "/");
        return self::word(&text, quoted).map(|word| Word { path: word.path.into_owned().into(), ..word });
    }
    // The folders of `.../Pages/Index.razor` are left out: only the project says which ones.
    if let Some(rest) = text.strip_prefix(".../").or_else(|| text.strip_prefix("…/")) {
        let Word { path, shape } = self::word(rest, quoted)?;
        return Some(Word { path, shape: shape.min(Shape::Extended) });
    }
    let text = text.trim_end_matches([',', ';', '!', '?', '。', '，', '、']);
    if let Some(shape) = shape_of_template(text) {
        return Some(Word { path: text.trim_start_matches("./").into(), shape });
    }
    if text.is_empty() || text.len() > LONGEST || !is_plain(text, quoted) {
        return None;
    }
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    let rest = if drive { &text[2..] } else { text };
    if rest.contains(':') {
        return None;
    }
    let text = text.trim_start_matches("./");
    let path: Cow<'_, str> = match text.contains('\\') {
        true => {
            Cow::Owned(text.replace("\\_", "_").replace("\\[", "[").replace("\\]", "]").replace('\\', "/"))
        }
        false => Cow::Borrowed(text),
    };
    let path = match path {
        Cow::Owned(path) => Cow::Owned(path.trim_start_matches("./").to_owned()),
        path => path,
    };
    let shape = shape(&path)?;
    Some(Word { path, shape })
}

pub(super) fn is_given(path: &str) -> bool {
    !is_template(path) && !is_placeholder(path)
}

/// Returns true if the reader is to fill in a part of `path`: `{{path}}`, `src/<name>.py`, `app/${id}/page.tsx`. Only
/// a project of templates has such a file.
pub(super) fn is_template(path: &str) -> bool {
    path.contains(['{', '<']) || path.contains("%s")
}

/// The shape of `text` with its parts filled in, if it is a template of a path.
fn shape_of_template(text: &str) -> Option<Shape> {
    if text.len() > LONGEST || !is_template(text) {
        return None;
    }
    let (mut filled, mut rest, mut last) = (String::new(), text, "");
    while let Some(at) = rest.find(['{', '<', '$', '%']) {
        let (head, part) = rest.split_at(at);
        let signs = [("{{", "}}"), ("${", "}"), ("{", "}"), ("<", ">"), ("%s", "")];
        let (open, close) = signs.into_iter().find(|(open, _)| part.starts_with(open))?;
        let behind = &part[open.len()..];
        let end = behind.find(close)?;
        (last, rest) = (&behind[..end], &behind[end + close.len()..]);
        filled += head;
        filled.push('x');
    }
    filled += rest;
    if filled == "x" {
        let word = last.trim().to_lowercase().replace(['_', '-'], " ");
        let word = word.strip_prefix("your ").unwrap_or(&word);
        return super::words::is_file_word(word).then_some(Shape::Path);
    }
    let plain = !filled.contains([':', '\\']) && is_plain(&filled, false);
    shape(&filled).filter(|shape| plain && *shape == Shape::Path)
}

pub(super) fn is_placeholder(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|start| lower.starts_with(start))
        || ["/path/to/", "/your-", "/your_", "/your/", "..."].iter().any(|part| lower.contains(part))
        || ["yyyymm", "yyyy_mm", "yyyy-mm", "xxxx_xx", "xxxx-xx", "xxxxxx"]
            .iter()
            .any(|date| lower.contains(date))
}

pub(super) fn is_well_known(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WELL_KNOWN.contains(&&*name)
        || [
            ".env.",
            "dockerfile.",
            ".eslintrc.",
            ".prettierrc.",
            "license-",
            "license.",
            "makefile.",
            ".babelrc.",
        ]
        .iter()
        .any(|start| name.starts_with(start))
}

fn shape(path: &str) -> Option<Shape> {
    let name = base(path);
    if name.is_empty() || name.bytes().all(|byte| byte == b'.') || is_product(path) {
        return None;
    }
    if is_well_known(name) {
        // Words such as "license" and "Notice" are paths where they are written as one.
        let is_word =
            COMMON.contains(&&*name.to_ascii_lowercase()) && name.contains(|c: char| c.is_ascii_lowercase());
        let word = name.len() == path.len()
            && (is_word || name.starts_with(|first: char| first.is_ascii_lowercase()));
        return Some(if word && !name.contains('.') && name != "makefile" {
            Shape::Word
        } else {
            Shape::Path
        });
    }
    let folder = name.len() < path.len();
    if !folder && let Some(rest) = name.strip_prefix('.') {
        // Of others only the project says whether there is such a file.
        return Some(if is_settings_name(rest) { Shape::Path } else { Shape::Extended });
    }
    let Some(last) = extension(name) else {
        if name.starts_with('.') {
            return Some(Shape::Path);
        }
        return Some(if folder { Shape::Folders } else { Shape::Word });
    };
    let stem = &name[..name.len() - last.len() - 1];
    let lower = last.to_ascii_lowercase();
    // `.g.dart`, `.test.ts`: how names end.
    if !folder && stem.starts_with('.') && !stem.ends_with("rc") && CODE.contains(&&*lower) {
        return Some(Shape::Word);
    }
    let listed = is_listed(name) || RARER.contains(&&*lower) && (folder || !AMBIGUOUS.contains(&&*lower));
    // `process.env` and `Icons.send` are code; a name in capitals before a dot is, too.
    let code = !folder && !is_listed(name) && stem.starts_with(char::is_uppercase) && lower.len() > 4;
    if listed && !code && stem.contains(char::is_alphanumeric) || listed && folder {
        return Some(Shape::Path);
    }
    if folder && lower.len() <= 12 && !lower.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Shape::Path);
    }
    Some(Shape::Extended)
}

// Returns true if `path` is the settings of a tool that no list has: `.golangci.yml`.
pub(super) fn is_of_tool(path: &str) -> bool {
    path.strip_prefix('.')
        .is_some_and(|name| !path.contains('/') && !is_well_known(path) && is_settings_name(name))
}

// Returns true if `name`, behind the dot with which a file's name begins, is one of settings: `golangci.yml`, `luacheckrc`,
// `forceignore`. A member of an object (`then`) or the end of names (`test.ts`) is none.
fn is_settings_name(name: &str) -> bool {
    // The least that a tool is called.
    const SHORTEST: usize = 3;
    let is_tool = |tool: &str| {
        let tool = tool.trim_end_matches(['-', '_', '.']);
        tool.len() >= SHORTEST
            && tool.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
            })
    };
    match name.rsplit_once('.') {
        Some((
            tool,
            "yml" | "yaml" | "toml" | "json" | "jsonc" | "json5" | "ini" | "cfg" | "conf" | "cjs" | "mjs"
            | "properties",
        )) => is_tool(tool) && !ENDINGS.contains(&tool),
        Some(_) => false,
        None => {
            let tool = ["rc", "ignore", "config", "attributes", "-version"]
                .iter()
                .find_map(|end| name.strip_suffix(end));
            tool.is_some_and(is_tool)
        }
    }
}

// Words before the last extension of names of files: "all `.test.json` files".
const ENDINGS: &[&str] = &[
    "test",
    "spec",
    "config",
    "module",
    "schema",
    "stories",
    "min",
    "prod",
    "dev",
    "local",
    "component",
    "service",
    "model",
    "data",
    "example",
    "sample",
    "settings",
    "d",
    "page",
    "route",
    "package",
    "tsconfig",
    "values",
    "env",
];

// Extensions of code, which no file has whose name begins with a dot, but settings: `.eslintrc.js`.
const CODE: &[&str] = &[
    "dart", "ts", "tsx", "js", "jsx", "css", "scss", "py", "cs", "java", "kt", "go", "rs", "php", "rb",
    "vue", "svelte", "html", "sql",
];

// Well-known names that are words as well: files have them in capitals.
const COMMON: &[&str] = &[
    "license",
    "licence",
    "notice",
    "readme",
    "changelog",
    "authors",
    "contributors",
    "copying",
    "install",
    "news",
    "version",
    "owners",
    "maintainers",
    "todo",
    "history",
    "changes",
    "patents",
    "security",
];

/// Extensions that words have as well, so that a folder has to show that a path is meant.
#[rustfmt::skip]
const AMBIGUOUS: &[&str] = &[
    "env", "example", "local", "log", "sample", "template", "comp", "for", "service", "targets", "props",
    "properties", "feature", "res", "s", "d", "v", "l", "y", "re", "cl", "sc", "ui", "1", "3", "5", "7",
    "8", "work", "mod", "sum", "rc", "org", "http", "cr", "timer", "socket", "cls", "inc", "el", "patch",
    "diff", "desktop",
];

/// Returns true if `text` has no character that paths do not have.
fn is_plain(text: &str, quoted: bool) -> bool {
    let bad = |c: char| {
        c.is_control()
            || matches!(
                c,
                '<' | '>'
                    | '|'
                    | '"'
                    | '`'
                    | '*'
                    | '?'
                    | ';'
                    | ','
                    | '='
                    | '\''
                    | '“'
                    | '”'
                    | '{'
                    | '}'
                    | '$'
                    | '^'
                    | '…'
                    | '→'
            )
    };
    if text.contains(bad)
        || text.contains("//")
        || text.contains("()")
        || !text.contains(char::is_alphanumeric)
    {
        return false;
    }
    if text.ends_with(['/', '\\', '.', '('])
        || text.starts_with(['-', '+', '!', '&', '~']) && !text.starts_with("~/")
    {
        return false;
    }
    // Route folders have brackets; calls have them behind a name, at the end.
    if text.ends_with(')') || text.contains('(') && !is_route(text) {
        return false;
    }
    if text.contains(char::is_whitespace) {
        return quoted && is_name_with_blanks(text);
    }
    true
}

fn is_route(text: &str) -> bool {
    text.split(['/', '\\']).all(|part| {
        !part.contains(['(', ')']) || part.starts_with('(') && part.contains(')') && !part.starts_with("()")
    })
}

/// Returns true if `text`, which has blanks, is a name and no command: its last part has a listed extension, and
/// its first word is no program and no option follows.
fn is_name_with_blanks(text: &str) -> bool {
    let name = base(text);
    let first = text.split_whitespace().next().unwrap_or_default();
    is_listed(name)
        && !first.contains('.')
        && !text.contains(" -")
        && text.split_whitespace().count() <= 6
        && !super::words::is_program(first)
}

/// Returns `text` without a line number or range behind it: `a.py:12`, `a.py#L3-L9`, `a.py (line 3)`.
fn without_lines(text: &str) -> &str {
    let text = match text.rfind("#L") {
        Some(at)
            if text[at + 2..]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'L' | b'C')) =>
        {
            &text[..at]
        }
        _ => text,
    };
    let mut text = text.trim_end_matches(':');
    for _ in 0..2 {
        let Some((head, tail)) = text.rsplit_once(':') else { break };
        let numbers =
            !tail.is_empty() && tail.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b','));
        if !numbers || head.is_empty() {
            break;
        }
        text = head;
    }
    text
}

/// Returns `target`, the target of a link, as a path: `file://` and `command:` go, percent signs are decoded.
/// `None` for a link into the web or into the page.
pub(super) fn link_target(target: &str) -> Option<String> {
    let target = target.trim().trim_start_matches('<').trim_end_matches('>');
    let target = target.split_once([' ', '\t']).map_or(target, |(target, _)| target);
    let path = match target.split_once(':') {
        Some(("file", rest)) => rest.trim_start_matches('/').to_owned(),
        Some(("command" | "vscode" | "cci" | "cursor", rest)) => in_command(rest)?,
        Some((scheme, _))
            if scheme.len() > 1
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !scheme.contains('.') =>
        {
            return None;
        }
        _ if target.starts_with('#') => return None,
        _ => target.to_owned(),
    };
    let path = decoded(&path);
    let path = path.split(['#', '?']).next().unwrap_or_default();
    // `/c:/Users` is `c:/Users`; a root was cut off with the slashes of `file://`.
    let drive =
        |text: &str| text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    let bare = path.trim_start_matches('/');
    let path = if drive(bare) {
        bare.to_owned()
    } else if target.starts_with("file:") && !path.starts_with('/') {
        format!("/{path}")
    } else {
        path.to_owned()
    };
    (!path.is_empty()).then_some(path)
}

fn in_command(rest: &str) -> Option<String> {
    let text = decoded(rest);
    for key in ["\"fsPath\":\"", "\"path\":\"", "\"external\":\"file://"] {
        if let Some((_, value)) = text.split_once(key) {
            let end = value.find('"')?;
            return Some(value[..end].replace("\\\\", "/"));
        }
    }
    None
}

fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let (bytes, mut decoded, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            digits.filter(|_| bytes[at] == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}
