//! Recognises texts that are documents of a project, and no answers: READMEs, changelogs, pages of a manual.
//!
//! Sees the lines outside of fences, and counts what documents have and answers do not: front matter, badges,
//! headings such as `License`, versions as headings, targets of links.
//!
//! ````text
//! # walkdir                                                  1  a title before everything else
//! [![Build status](https://…/badge.svg)](https://…)          3  a badge
//! ### Usage                                                  1  a heading that answers may have
//! Add this to your `Cargo.toml`:
//! ````

use super::mention;

const ENOUGH: u32 = 3;
/// The links to other pages that a page has at least.
const PAGES: u32 = 3;
// Links of a line that count, and the bytes of a label: so that a line of brackets costs no more than another.
const LINKS: usize = 16;
const LABEL: usize = 200;
const FRONT: usize = 60;
const HEADING: usize = 80;

/// Headings of documents, in lower case.
#[rustfmt::skip]
const OF_DOCUMENTS: &[&str] = &[
    "license", "licence", "licensing", "license and credits", "copyright", "contributing", "contribution",
    "contributions", "contributors", "how to contribute", "changelog", "change log", "unreleased",
    "release notes", "releases", "history", "table of contents", "toc", "authors", "maintainers", "credits",
    "acknowledgements", "acknowledgments", "minimum supported rust version", "minimum rust version", "msrv",
    "minimum supported rust version (msrv)", "supported rust versions", "rust version support",
    "crate features", "no_std support", "semver policy", "semantic versioning", "supported platforms",
    "sponsors", "backers", "donate", "star history", "used by", "related projects", "community",
    "getting help", "code of conduct", "backward compatibility", "backwards compatibility",
    "lizenz", "mitwirken", "licence et crédits", "contribuer", "licencia", "contribuir", "licença",
    "licenza", "лицензия", "许可证", "贡献", "更新日志", "授權", "ライセンス", "라이선스",
];
/// Headings of documents that answers may have too.
#[rustfmt::skip]
const OF_BOTH: &[&str] = &[
    "install", "installation", "installing", "getting started", "quick start", "quickstart", "features",
    "requirements", "prerequisites", "usage", "example", "examples", "documentation", "docs", "faq", "api",
    "api reference", "introduction", "overview", "motivation", "support", "security", "roadmap", "status",
    "background", "abstract", "specification", "rationale",
];

/// The signs of a document that were seen so far.
#[derive(Debug, Default)]
pub(super) struct Document {
    has_front_matter: bool,
    has_badge: bool,
    /// True if a line has a sign of a generator of pages: `::: tip`, `.. note::`, `## Title {#anchor}`.
    is_of_generator: bool,
    has_title: bool,
    has_heading_of_both: bool,
    headings: u32,
    versions: u32,
    targets: u32,
    pages: u32,
    /// True once a line was seen that is no badge or picture.
    began: bool,
}

impl Document {
    pub(super) fn new(text: &str) -> Document {
        Document { has_front_matter: has_front_matter(text), ..Document::default() }
    }

    pub(super) fn line(&mut self, line: &str) {
        match line.bytes().next() {
            Some(b'#') => return self.heading(line),
            Some(b'[') => {
                if line.starts_with("[![") {
                    self.has_badge = true;
                    return;
                }
                self.targets = self.targets.saturating_add(u32::from(is_target(line)));
            }
            Some(b':') if line.starts_with(":::") => self.is_of_generator = true,
            Some(b'.') if line.starts_with(".. ") => {
                self.is_of_generator |= line.contains("::") || line.starts_with(".. _");
            }
            Some(b'!' | b'<') => {
                self.has_badge |= line.contains("img.shields.io") || line.contains("badge.svg");
                return;
            }
            _ => {}
        }
        self.pages = self.pages.saturating_add(pages(line));
        self.began = true;
    }

    pub(super) fn is_certain(&self) -> bool {
        let own = self.has_front_matter
            || self.has_badge
            || self.is_of_generator
            || self.pages >= PAGES
            || self.headings > 0
            || self.versions > 1
            || self.targets > 1;
        let points = [
            3 * u32::from(self.has_front_matter),
            3 * u32::from(self.has_badge),
            3 * u32::from(self.is_of_generator),
            2 * u32::from(self.pages >= PAGES),
            3 * u32::from(self.versions > 1),
            2 * self.headings.min(2),
            2 * u32::from(self.targets > 1),
            u32::from(self.has_title),
            u32::from(self.has_heading_of_both),
        ];
        own && points.iter().sum::<u32>() >= ENOUGH
    }

    fn heading(&mut self, line: &str) {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let text = line[level..].trim().trim_end_matches('#').trim_end();
        if level > 6 || text.is_empty() || text.len() > HEADING || !line[level..].starts_with([' ', '\t']) {
            return;
        }
        let is_first = !self.began;
        self.has_title |= is_first && level == 1;
        self.is_of_generator |= text.ends_with('}') && text.contains(" {#");
        self.began = true;
        let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '[' | '(' | ')'));
        let lower = text.to_lowercase();
        let is_guide = is_first && level <= 2 && lower.split(' ').any(|word| word == "contributing");
        let is_of_documents = OF_DOCUMENTS.contains(&&*lower);
        let count = 2 * u32::from(is_guide && !is_of_documents) + u32::from(is_of_documents);
        self.headings = self.headings.saturating_add(count);
        self.has_heading_of_both |= OF_BOTH.contains(&&*lower);
        self.versions = self.versions.saturating_add(u32::from(is_version(&lower)));
    }
}

/// Returns true if `text` begins with lines of YAML or TOML between two rules, without a blank one.
fn has_front_matter(text: &str) -> bool {
    let mut lines = text.lines();
    let Some(rule @ ("---" | "+++")) = lines.next().map(str::trim_end) else { return false };
    let mut inner = lines.take(FRONT).map(str::trim_end);
    let is_entry = |line: &str| {
        line.split_once([':', '=']).is_some_and(|(key, _)| {
            let key = key.trim_end();
            !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        })
    };
    inner.next().is_some_and(is_entry)
        && inner.find(|line| line.is_empty() || *line == rule).is_some_and(|line| line == rule)
}

/// Returns the number of links in `line` to other pages, and to parts of pages.
fn pages(line: &str) -> u32 {
    // Most lines have no link.
    if memchr::memchr(b']', line.as_bytes()).is_none() {
        return 0;
    }
    let refers = |at: usize| {
        let start = line.as_bytes()[at.saturating_sub(LABEL)..at].iter().rposition(|byte| *byte == b'[');
        let label =
            start.and_then(|start| line.get(at.saturating_sub(LABEL) + start + 1..at)).unwrap_or_default();
        let target = line[at + 2..].split(')').next().unwrap_or_default();
        !target.contains("://") && !target.starts_with('#') && mention::is_reference(label, target)
    };
    let count = memchr::memmem::find_iter(line.as_bytes(), "](").take(LINKS).filter(|at| refers(*at)).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns true if `line` gives the target of links elsewhere in the text: `[a]: https://…`.
fn is_target(line: &str) -> bool {
    let Some((_, target)) = line.split_once("]: ") else { return false };
    let target = target.trim_start_matches('<');
    target.contains("://") || target.starts_with(['#', '.', '/'])
}

/// Returns true if `text`, a heading, is a version: `[1.2.3] - 2024-01-01`, `v0.4 (2020)`, `1.0.0`.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix("version ").unwrap_or(text);
    let text = text.trim_start_matches('[').trim_start_matches('v');
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let dotted =
        number.trim_end_matches('.').contains('.') && number.starts_with(|c: char| c.is_ascii_digit());
    // "1.2 Add the route" numbers a step.
    let rest =
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | ']'));
    let rest = rest.trim_start();
    dotted && (rest.is_empty() || rest.starts_with(['(', '-', '–', '—', '/', ':']) && !rest.starts_with(": "))
}

#[cfg(test)]
mod tests {
    use super::Document;

    fn is_document(text: &str) -> bool {
        let mut document = Document::new(text);
        text.lines().for_each(|line| document.line(line));
        document.is_certain()
    }

    #[test]
    fn documents_are_told_from_answers() {
        for (text, expected) in [
            ("# walkdir\n\n[![x](https://e.org/badge.svg)](https://e.org)\n\nUse it.\n", true),
            ("# a\n\nWhat it is.\n\n## Usage\n\nSo.\n\n## License\n\nMIT\n", true),
            ("# Changelog\n\n## [1.2.0] - 2024-01-01\n\n- x\n\n## 1.1.9 (2023-01-01)\n\n- y\n", true),
            ("## 0.2.0\n\n- x\n\n## 0.1.0\n\n- y\n", true),
            ("---\ntitle: Guide\norder: 3\n---\n\nText.\n", true),
            ("+++\ntitle = \"Guide\"\n+++\n\nText.\n", true),
            ("Text.\n\n## Contributing\n\nSo.\n\n## License\n\nMIT\n", true),
            ("# a\n\nSee [b].\n\n[b]: https://e.org\n[c]: ./c.md\n", true),
            ("# Shared options\n\nSee [this](./a.md), [that](/b#c) and [those](../d.md#e).\n", true),
            ("## Base {#base}\n\nText.\n", true),
            ("Text.\n\n::: tip\nText.\n:::\n", true),
            ("Text.\n\n.. code-block:: python\n\n   x\n", true),
            ("# General\n\nSee [this](a.md), [that](b.md) and [those](../c/d.md).\n", true),
            ("# Plan\n\n[README.md](README.md), [a.md](docs/a.md), [b.md](b.md)\n", false),
            ("## Contributing to *fd*\n\nText.\n", true),
            ("# Vite contributing guide\n\nText.\n", true),
            ("See [a](./a.md) and [b](src/b.py#L3), and use `{# c #}`.\n", false),
            ("<img src=\"https://img.shields.io/x\">\n\nText.\n", true),
            // Answers.
            ("---\n\nLooking at the log, this is wrong:\n\n---\n", false),
            ("---\nThe file: it is wrong\n\n---\n", false),
            ("# Fix the parser\n\n## Usage\n\nRun it.\n\n## Examples\n", false),
            ("## 1. Update `a.py`\n\n## 2. Add tests\n", false),
            ("### 1.1 Add the route\n\n### 1.2 Add the test\n", false),
            ("Here's the fix.\n\n## Installation\n\nx\n\n## Usage\n\ny\n", false),
            ("I added a section.\n\n## License\n\nis its heading.\n", false),
        ] {
            assert_eq!(is_document(text), expected, "{text}");
        }
    }
}
