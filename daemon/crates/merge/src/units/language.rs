//! The families of languages, and what the layout of their lines depends on.
//!
//! Knows no grammar: comments, strings, and the words with which a line continues what is above it.

/// Languages that are laid out alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Python,
    Script,
    Html,
    Dart,
    Elixir,
    Go,
    Rust,
    C,
    Ruby,
    Php,
    Css,
    Json,
    Yaml,
    Toml,
    /// Blocks of declarations: Prisma, GraphQL, Protocol Buffers, Terraform.
    Schema,
    Markdown,
    Shell,
    Make,
    Docker,
    Sql,
    Plain,
}

const EXTENSIONS: &[(Family, &[&str])] = &[
    (Family::Python, &["py", "pyi", "pyx"]),
    (Family::Script, &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"]),
    (
        Family::Html,
        &[
            "html", "htm", "xhtml", "vue", "svelte", "xml", "svg", "heex", "eex", "leex", "astro", "erb",
            "ejs", "jinja", "jinja2", "j2", "njk", "twig", "liquid", "hbs", "mustache", "gohtml", "cshtml",
            "xaml", "axaml", "csproj", "fsproj", "vbproj", "props", "targets", "resx", "xsd", "xsl", "razor",
        ],
    ),
    (Family::Dart, &["dart"]),
    (Family::Elixir, &["ex", "exs"]),
    (Family::Go, &["go"]),
    (Family::Rust, &["rs"]),
    (
        Family::C,
        &[
            "java", "c", "cc", "cpp", "cxx", "h", "hpp", "cs", "kt", "kts", "swift", "scala", "groovy",
            "gradle", "m", "mm", "zig", "sol", "ino", "cu",
        ],
    ),
    (Family::Ruby, &["rb", "rake", "gemspec"]),
    (Family::Php, &["php"]),
    (Family::Css, &["css", "scss", "less", "sass"]),
    (Family::Json, &["json", "jsonc", "json5", "arb", "webmanifest"]),
    (Family::Yaml, &["yaml", "yml"]),
    (Family::Toml, &["toml", "ini", "cfg", "conf", "properties", "env"]),
    (Family::Schema, &["prisma", "graphql", "gql", "graphqls", "proto", "tf", "tfvars", "hcl", "thrift"]),
    (Family::Markdown, &["md", "mdx", "markdown", "rst"]),
    (Family::Shell, &["sh", "bash", "zsh"]),
    (Family::Make, &["mk"]),
    (Family::Docker, &["dockerfile"]),
    (Family::Sql, &["sql"]),
];

impl Family {
    /// Returns the family of a file by its extension or its name.
    pub(crate) fn of(extension: &str) -> Family {
        let name = extension.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
        match name.as_str() {
            "makefile" | "gnumakefile" => return Family::Make,
            "gemfile" | "rakefile" => return Family::Ruby,
            _ if name.starts_with("dockerfile") || name.starts_with("containerfile") => {
                return Family::Docker;
            }
            _ if name.starts_with(".env") => return Family::Toml,
            _ => {}
        }
        let extension = name.rsplit('.').next().unwrap_or_default();
        let is = |extensions: &[&str]| extensions.contains(&extension);
        EXTENSIONS.iter().find(|(_, extensions)| is(extensions)).map_or(Family::Plain, |(family, _)| *family)
    }

    /// The beginning of a comment that ends with the line.
    pub(super) fn line_comment(self) -> Option<&'static str> {
        match self {
            Family::Python
            | Family::Elixir
            | Family::Ruby
            | Family::Yaml
            | Family::Toml
            | Family::Shell
            | Family::Make
            | Family::Docker => Some("#"),
            Family::Sql => Some("--"),
            Family::Markdown | Family::Plain => None,
            _ => Some("//"),
        }
    }

    /// The beginnings and ends of comments that may have several lines.
    pub(super) fn block_comments(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Family::Html => &[("<!--", "-->"), ("/*", "*/"), ("<%!--", "--%>")],
            Family::Markdown => &[("<!--", "-->")],
            _ if matches!(self.line_comment(), Some("//" | "--")) => &[("/*", "*/")],
            _ => &[],
        }
    }

    /// The quotes of strings that may have several lines.
    pub(super) fn long_quotes(self) -> &'static [&'static str] {
        match self {
            Family::Python | Family::Elixir | Family::Dart | Family::Toml => &["\"\"\"", "'''"],
            Family::Script | Family::Html | Family::Go => &["`"],
            Family::C | Family::Schema => &["\"\"\""],
            Family::Sql => &["$$"],
            _ => &[],
        }
    }

    /// Returns true if the file is entries, not statements.
    pub(super) fn is_data(self) -> bool {
        matches!(self, Family::Json | Family::Yaml | Family::Toml | Family::Schema)
    }

    /// Returns true if brackets are no layout.
    pub(super) fn ignores_brackets(self) -> bool {
        matches!(
            self,
            Family::Markdown
                | Family::Plain
                | Family::Docker
                | Family::Make
                | Family::Yaml
                | Family::Shell
                | Family::Toml
        )
    }

    /// Returns true if blanks at the start of lines carry meaning.
    pub(super) fn is_indented(self) -> bool {
        matches!(self, Family::Python | Family::Yaml)
    }

    /// Returns true if the text of a line begins with what continues or closes what is above it.
    pub(super) fn continues(self, text: &str) -> bool {
        let closes = text.starts_with([')', ']', '}']);
        let word = |words: &[&str]| {
            words.iter().any(|word| {
                text.strip_prefix(word).is_some_and(|rest| {
                    !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '?' | '!'))
                        // Python's `else:` is the word; a key `where:` is none.
                        || self == Family::Python && rest.starts_with(':')
                })
            })
        };
        let starts = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
        match self {
            Family::Markdown | Family::Plain | Family::Docker => false,
            Family::Python => closes || word(&["else", "elif", "except", "finally"]),
            Family::Elixir => {
                closes
                    || word(&["end", "else", "rescue", "catch", "after"])
                    || starts(&["/>", ">", "</", "|>"])
            }
            Family::Ruby => {
                closes
                    || word(&["end", "else", "elsif", "when", "in", "rescue", "ensure"])
                    || starts(&["||", "&."])
                    || begins_chain(text)
            }
            Family::Css | Family::Sql | Family::Schema => closes,
            Family::Yaml => matches!(text, ")" | "]" | "}"),
            Family::Html => closes || starts(&["/>", ">", "</", "%>"]),
            Family::Shell => {
                text.starts_with([')', '}']) || word(&["fi", "done", "esac", "else", "elif", "then", "do"])
            }
            Family::Toml => text.starts_with([']', '}']),
            Family::Make => word(&["endif", "else"]),
            _ => {
                closes
                    || starts(&["/>", ">", "</", "?.", "? ", ": ", "| ", "&&", "||", "=>"])
                    || begins_chain(text)
                    || word(&["where"])
                    || word(&["else", "catch", "finally"]) && (text.contains('{') || !text.contains(' '))
            }
        }
    }
}

/// Returns true if `text` begins with a call or field of what is above it: `.then(`.
fn begins_chain(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('.') && chars.next().is_some_and(|c| c.is_alphanumeric() || c == '_')
}
