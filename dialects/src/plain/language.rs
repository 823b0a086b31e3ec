//! Languages of fences: what they hold, and which files are written in them.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::file_name::{base, extension};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Code,
    Shell,
    /// What a program prints, or words.
    Output,
    /// Lines with `-` and `+`.
    Diff,
    /// Markdown, whose text may hold fences.
    Markdown,
}

/// A language: its names, the extensions of its files, their names without an extension.
struct Language {
    class: Class,
    names: &'static [&'static str],
    files: &'static [&'static str],
}

const fn code(names: &'static [&'static str], files: &'static [&'static str]) -> Language {
    Language { class: Class::Code, names, files }
}

const LANGUAGES: &[Language] = &[
    code(&["python", "py", "python3", "pycon", "cython"], &["pyi", "pyx", "pyw", "wsgi", "sconstruct"]),
    code(
        &["javascript", "js", "jsx", "mjs", "cjs", "node", "javascriptreact", "es6"],
        &["ts", "tsx", "vue", "svelte", "html", "gs", "mts", "cts"],
    ),
    code(
        &["typescript", "ts", "tsx", "mts", "cts", "typescriptreact"],
        &["js", "jsx", "vue", "svelte", "mjs", "astro"],
    ),
    code(&["rust", "rs"], &[]),
    code(&["go", "golang"], &[]),
    code(&["gomod", "go.mod"], &["mod"]),
    code(&["ruby", "rb"], &["rake", "gemspec", "ru", "gemfile", "rakefile", "podfile", "jbuilder"]),
    code(&["c"], &["h", "inc"]),
    code(
        &["cpp", "c++", "cc", "cxx", "hpp", "arduino"],
        &["h", "hh", "ino", "c", "hxx", "ipp", "tpp", "inl", "cu"],
    ),
    code(&["objectivec", "objective-c", "objc"], &["m", "mm", "h"]),
    code(&["csharp", "cs", "c#", "razor", "cshtml"], &["cshtml", "razor", "xaml", "csx"]),
    code(&["fsharp", "fs", "f#"], &["fsx", "fsi"]),
    code(&["vb", "vbnet", "vba"], &["bas", "cls", "vbs"]),
    code(&["java"], &["gradle", "jsp"]),
    code(&["kotlin", "kt", "kts"], &["gradle"]),
    code(&["groovy", "gradle"], &["jenkinsfile", "kts"]),
    code(&["scala", "sbt"], &["sc"]),
    code(&["swift"], &[]),
    code(&["dart"], &[]),
    code(&["php"], &["phtml", "inc"]),
    code(&["blade"], &["php"]),
    code(&["perl", "pl"], &["pm", "t", "cgi"]),
    code(&["lua", "luau"], &["rockspec"]),
    code(&["r"], &["rmd", "rprofile"]),
    code(&["julia", "jl"], &[]),
    code(&["haskell", "hs"], &["lhs", "cabal"]),
    code(&["elixir", "ex", "exs"], &["eex", "heex", "leex"]),
    code(&["erlang", "erl"], &["hrl"]),
    code(&["elm"], &[]),
    code(&["ocaml", "ml", "mli"], &["dune"]),
    code(&["clojure", "clj"], &["cljs", "cljc", "edn"]),
    code(&["lisp", "elisp", "emacs-lisp", "scheme", "racket"], &["el", "lisp", "scm", "rkt", "cl", "ss"]),
    code(&["nim"], &["nims", "nimble"]),
    code(&["zig"], &["zon"]),
    code(&["crystal"], &["cr"]),
    code(&["solidity", "sol"], &[]),
    code(&["gdscript", "gd"], &[]),
    code(&["glsl", "hlsl", "wgsl", "shader"], &["vert", "frag", "glsl", "comp", "geom", "cginc", "hlsl"]),
    code(&["asm", "assembly", "nasm"], &["s"]),
    code(&["matlab", "octave"], &["m"]),
    code(
        &["html", "htm", "html5", "xhtml"],
        &[
            "vue", "svelte", "astro", "php", "hbs", "ejs", "erb", "j2", "njk", "tmpl", "cshtml", "jinja",
            "jinja2", "twig", "liquid", "md", "gohtml",
        ],
    ),
    code(
        &[
            "jinja",
            "jinja2",
            "django",
            "handlebars",
            "hbs",
            "ejs",
            "erb",
            "pug",
            "twig",
            "liquid",
            "mustache",
        ],
        &["html", "j2", "txt", "md", "njk", "hbs", "rhtml", "jinja", "tmpl"],
    ),
    code(&["vue"], &["html"]),
    code(&["svelte"], &["html"]),
    code(&["astro"], &[]),
    code(
        &["css", "scss", "sass", "less", "postcss", "stylus", "tailwindcss"],
        &["css", "scss", "sass", "less", "pcss", "styl", "html", "vue", "svelte"],
    ),
    code(
        &["json", "jsonc", "json5", "jsonl", "ndjson"],
        &[
            "json",
            "jsonc",
            "json5",
            "lock",
            "webmanifest",
            "ipynb",
            "geojson",
            "code-workspace",
            "map",
            "babelrc",
            "eslintrc",
            "prettierrc",
            "arb",
            "topojson",
            "har",
            "avsc",
            "resolved",
        ],
    ),
    code(
        &["yaml", "yml"],
        &["yaml", "yml", "clang-format", "eslintrc", "prettierrc", "cff", "lock", "j2", "tpl", "clang-tidy"],
    ),
    code(&["toml"], &["lock", "pipfile"]),
    code(
        &["ini", "conf", "cfg", "config", "properties", "editorconfig", "systemd", "desktop"],
        &[
            "ini",
            "cfg",
            "conf",
            "env",
            "toml",
            "editorconfig",
            "gitconfig",
            "npmrc",
            "properties",
            "service",
            "timer",
            "socket",
            "flake8",
            "pylintrc",
            "coveragerc",
            "rc",
            "desktop",
            "gitmodules",
            "reg",
            "local",
            "example",
            "url",
            "lua",
        ],
    ),
    code(&["dotenv", "env"], &["env", "example", "local", "sample", "development", "production", "test"]),
    code(
        &["nginx", "apache", "apacheconf", "caddyfile", "caddy"],
        &["conf", "htaccess", "caddyfile", "vhost"],
    ),
    code(
        &["xml", "svg", "plist", "xaml", "xsd", "xslt"],
        &[
            "csproj",
            "props",
            "targets",
            "xsl",
            "xsd",
            "wsdl",
            "html",
            "pom",
            "config",
            "fxml",
            "storyboard",
            "xib",
            "vcxproj",
            "nuspec",
            "resx",
            "rss",
            "ui",
            "qrc",
            "iml",
            "fsproj",
            "sln",
            "slnx",
            "vbproj",
            "jrxml",
            "kml",
            "xlf",
            "qml",
            "entitlements",
        ],
    ),
    code(
        &["sql", "mysql", "postgresql", "postgres", "plpgsql", "sqlite", "tsql", "plsql"],
        &["sql", "ddl", "psql", "py", "prc"],
    ),
    code(&["prisma"], &[]),
    code(&["graphql", "gql"], &["graphqls"]),
    code(&["proto", "protobuf"], &[]),
    code(&["thrift"], &[]),
    code(&["terraform", "hcl", "tf"], &["tfvars", "hcl", "nomad", "pkr"]),
    code(&["bicep"], &[]),
    code(&["nix"], &[]),
    code(&["dockerfile", "docker", "containerfile"], &["dockerignore"]),
    code(&["makefile", "make", "mk"], &["mak", "gnumakefile", "justfile"]),
    code(&["just", "justfile"], &[]),
    code(&["cmake"], &["txt"]),
    code(&["bazel", "starlark", "bzl"], &["build", "workspace", "star", "bazel"]),
    code(&["meson"], &["build"]),
    code(&["vim", "viml", "vimscript"], &["vimrc"]),
    code(
        &["gitignore", "ignore", "dockerignore", "gitattributes"],
        &["dockerignore", "npmignore", "gitattributes", "prettierignore", "eslintignore"],
    ),
    code(&["csv", "tsv"], &[]),
    code(&["latex", "tex", "bibtex"], &["sty", "cls", "bib", "ltx"]),
    code(&["typst", "typ"], &[]),
    code(&["cuda"], &["cu", "cuh"]),
    code(&["verilog", "systemverilog", "vhdl"], &["v", "sv", "svh", "vhd", "vhdl"]),
    code(&["mermaid"], &["mmd", "md"]),
    code(&["plantuml", "puml"], &["plantuml"]),
    code(&["awk"], &[]),
    code(&["procfile"], &[]),
    code(&["codeowners"], &[]),
    code(&["http", "rest"], &["rest"]),
    Language {
        class: Class::Shell,
        names: &[
            "bash",
            "sh",
            "shell",
            "shellscript",
            "zsh",
            "fish",
            "ksh",
            "csh",
            "powershell",
            "ps1",
            "pwsh",
            "ps",
            "bat",
            "batch",
            "cmd",
            "dosbatch",
            "shellscript",
            "terminal",
            "console",
            "shell-session",
            "shellsession",
            "sh-session",
            "bash-session",
        ],
        files: &[
            "bash",
            "psm1",
            "psd1",
            "command",
            "envrc",
            "bats",
            "env",
            "bashrc",
            "zshrc",
            "profile",
            "bash_profile",
            "bash_aliases",
            "zprofile",
            "zshenv",
            "ebuild",
            "install",
            "pkgbuild",
            "apkbuild",
        ],
    },
    Language {
        class: Class::Output,
        names: &[
            "text",
            "txt",
            "plain",
            "plaintext",
            "output",
            "log",
            "logs",
            "pytb",
            "traceback",
            "stdout",
            "ascii",
            "tree",
            "none",
            "nohighlight",
            "raw",
            "out",
            "error",
            "result",
            "results",
            "bash-output",
        ],
        files: &[],
    },
    Language { class: Class::Diff, names: &["diff", "patch", "udiff", "gitdiff", "git-diff"], files: &[] },
    Language {
        class: Class::Markdown,
        names: &["markdown", "md", "mdx", "mkd", "rmd", "qmd", "gfm", "mdc"],
        files: &["md", "mdx", "markdown", "txt", "mdc", "rst", "qmd", "rmd", "astro"],
    },
    code(&["rst", "restructuredtext", "adoc", "asciidoc", "org"], &["rst", "txt", "adoc", "org"]),
];

/// The rows by their names: every fence asks several times.
static BY_NAME: LazyLock<HashMap<&str, &Language>> = LazyLock::new(|| {
    let rows = LANGUAGES.iter().rev();
    rows.flat_map(|row| row.names.iter().map(move |name| (*name, row))).collect()
});

fn find(language: &str) -> Option<&'static Language> {
    if language.is_empty() { None } else { BY_NAME.get(language).copied() }
}

// Returns true if `word`, in any case, is the name of a language.
pub(super) fn is_known(word: &str) -> bool {
    word.len() < 20 && find(&word.to_ascii_lowercase()).is_some()
}

/// Returns what a fence in `language`, in lower case, holds. One without a language, or in an unknown one, is
/// code.
pub(super) fn class(language: &str) -> Class {
    find(language).map_or(Class::Code, |row| row.class)
}

/// Returns true if the file at `path` may be written in `language`, in lower case. No language, and one that
/// is not known, fit all files; a shell's fits scripts alone; what a program prints fits no file of code.
#[must_use]
pub fn fits_language(language: &str, path: &str) -> bool {
    let Some(row) = find(language) else { return true };
    let name = base(path).to_ascii_lowercase();
    // `.env`, `.env.example` and `Dockerfile.dev` are known by their first part too.
    let (stem, last) = (name.trim_start_matches('.').split('.').next().unwrap_or_default(), extension(&name));
    let last = last.unwrap_or_else(|| name.trim_start_matches('.'));
    let holds = |word: &str| row.names.contains(&word) || row.files.contains(&word);
    match row.class {
        Class::Diff => true,
        Class::Output => !LANGUAGES.iter().any(|other| {
            !matches!(other.class, Class::Output | Class::Markdown)
                && other.names.contains(&last)
                && !matches!(
                    last,
                    "csv"
                        | "ini"
                        | "conf"
                        | "cfg"
                        | "env"
                        | "gitignore"
                        | "ignore"
                        | "desktop"
                        | "properties"
                )
        }),
        // Scripts often have no extension, and a shebang.
        Class::Shell if extension(&name).is_none() && !name.starts_with('.') => {
            !LANGUAGES.iter().any(|other| other.class == Class::Code && other.names.contains(&last))
        }
        _ => holds(last) || holds(stem) || extension(&name).is_none() && !is_own(last),
    }
}

fn is_own(word: &str) -> bool {
    LANGUAGES.iter().any(|row| row.names.contains(&word) || row.files.contains(&word))
}
