//! Imports that a sentence asks for beside code: "Remember to import `sync`.", "and add `import java.util.Optional;` at the top."

use super::lead;
use super::phrases::Phrases;
use super::words;
use super::{Candidate, Form};

// The most imports of an answer that only words give.
const MOST: usize = 50;

// Words before the name of what is to be imported.
const IMPORTS: &[&str] = &[
    "import",
    "导入",
    "引入",
    "importiere",
    "importieren",
    "importez",
    "importer",
    "importa",
    "importar",
    "importe",
    "импортируйте",
    "импортировать",
];

#[derive(Debug)]
enum Import {
    // The statement as it is written.
    Statement(String),
    // The name of a package.
    Package(String),
    // What comes from which module.
    Member(String, String),
}

// The imports that lines of prose ask for, with the numbers of the lines and their words.
#[derive(Debug, Default)]
pub(super) struct StatedImports(Vec<(u32, String, Import)>);

impl StatedImports {
    // Reads `line`, the prose in line `number`.
    pub(super) fn line(&mut self, number: u32, line: &str) {
        // What ends in a colon leads to code, which shows the import itself.
        if self.0.len() >= MOST || !may_import(line) || lead::ends_in_colon(line) {
            return;
        }
        let spans = code_spans(line);
        for (at, span) in spans.iter().enumerate() {
            if let Some(import) = import(line, span, spans.get(at + 1)) {
                self.0.push((number, super::content::cut(line.trim()).to_owned(), import));
                return;
            }
        }
    }

    // Returns the imports that none of `candidates` shows, each for the file of the code above it, else of that below it.
    pub(super) fn finish(self, candidates: &[Candidate]) -> Vec<Candidate> {
        let is_code =
            |one: &&Candidate| one.form == Form::Code && !one.is_sentence && !one.language.is_empty();
        let candidate = |(number, words, import): (u32, String, Import)| {
            let above = candidates.iter().filter(is_code).rfind(|one| one.lines.start < number);
            let code = above.or_else(|| candidates.iter().find(is_code))?;
            let content = import.statement(&code.language)?;
            let text = content.trim_end_matches(['\n', ';']);
            let lines = number..number.saturating_add(1);
            let is_shown = candidates.iter().any(|one| one.content.contains(text));
            (!is_shown).then(|| Candidate { content, words, lines, old: None, naming: None, ..code.clone() })
        };
        self.0.into_iter().filter_map(candidate).collect()
    }
}

impl Import {
    // Returns the line of code with this import; `None` if the language writes more than the words give.
    fn statement(&self, language: &str) -> Option<String> {
        match (self, language) {
            (Import::Statement(text), _) => Some(format!("{text}\n")),
            (Import::Package(name), "go" | "golang") => Some(format!("import \"{name}\"\n")),
            (Import::Package(name), "python" | "py") => Some(format!("import {name}\n")),
            (Import::Package(name), "java") if name.contains('.') => Some(format!("import {name};\n")),
            (Import::Package(name), "kotlin" | "kt" | "scala" | "swift") => Some(format!("import {name}\n")),
            (Import::Package(name), "csharp" | "cs" | "c#") => Some(format!("using {name};\n")),
            (Import::Member(name, module), "python" | "py") => Some(format!("from {module} import {name}\n")),
            (Import::Member(name, module), "js" | "javascript" | "jsx" | "ts" | "typescript" | "tsx") => {
                Some(format!("import {{ {name} }} from \"{module}\";\n"))
            }
            _ => None,
        }
    }
}

// Code in a line, whatever it is, with what stands before it.
struct CodeSpan<'t> {
    before: &'t str,
    text: &'t str,
    after: &'t str,
}

fn code_spans(line: &str) -> Vec<CodeSpan<'_>> {
    let ticks: Vec<usize> = memchr::memchr_iter(b'`', line.as_bytes()).take(16).collect();
    let span = |pair: &[usize]| CodeSpan {
        before: &line[..pair[0]],
        text: &line[pair[0] + 1..pair[1]],
        after: &line[pair[1] + 1..],
    };
    ticks.chunks_exact(2).map(span).collect()
}

// A cheap check.
fn may_import(line: &str) -> bool {
    line.contains('`')
        && ["mport", "#include", "`use ", "`using ", "导入", "引入", "мпорт"]
            .iter()
            .any(|word| line.contains(word))
}

fn import(line: &str, span: &CodeSpan<'_>, next: Option<&CodeSpan<'_>>) -> Option<Import> {
    #[rustfmt::skip]
    static OTHER: Phrases = Phrases::new(&[
        "remove", "delete", "drop", "unused", "no longer", "unnecessary", "already", "replace", "change", "was", "were", "instead", "fails", "entferne", "lösche", "bereits", "supprimez", "déjà", "elimina",
        "ya",
    ]);
    #[rustfmt::skip]
    static ASKS: Phrases = Phrases::new(&[
        "need", "needs", "missing", "require", "requires", "remember", "make sure", "ensure", "along with", "at the top", "import", "include", "brauchst", "benötigst", "importiere", "importez", "importa",
        "importe", "импортируйте",
    ]);
    let sentence = lead::sentence(line, span.before.len()).to_lowercase().replace('’', "'");
    let sentence = sentence.replace("don't forget", "remember").replace("do not forget", "remember");
    // Words of the code are none of the sentence.
    let sentence: String = sentence.split('`').step_by(2).collect();
    if words::is_doubtful(&sentence) || OTHER.are_in(&sentence) || lead::asks(sentence.trim_end()) {
        return None;
    }
    let text = span.text.trim();
    let is_name = |text: &str, signs: &[char]| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || signs.contains(&c))
    };
    let before = span.before.trim_end().to_lowercase();
    if is_statement(text) {
        return (words::adds(&sentence) || ASKS.are_in(&sentence))
            .then(|| Import::Statement(text.to_owned()));
    }
    let before = IMPORTS.iter().find_map(|verb| before.strip_suffix(verb))?;
    // "we import `x` there" tells what the code does.
    let subject = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if ["we", "they", "it", "that", "which", "i", "files", "modules"].contains(&subject) {
        return None;
    }
    let between =
        |next: &CodeSpan<'_>| span.after.split('`').next() == Some(" from ") && !next.text.is_empty();
    if let Some(module) = next.filter(|next| between(next)) {
        let is_module = is_name(module.text, &['.', '/', '@', '-']);
        return (is_name(text, &[]) && is_module)
            .then(|| Import::Member(text.to_owned(), module.text.to_owned()));
    }
    let ends = span.after.trim_start().is_empty()
        || span.after.trim_start().starts_with(['.', ',', ')', '!', '。', '，']);
    (ends && is_name(text, &['.', '/'])).then(|| Import::Package(text.to_owned()))
}

// Returns true if `text` is a statement that imports, and not only its word.
fn is_statement(text: &str) -> bool {
    let begins = |word: &str| text.strip_prefix(word).is_some_and(|rest| rest.trim_start().len() > 1);
    ["import ", "using ", "#include "].iter().any(|word| begins(word))
        || begins("use ") && text.contains([':', '\\'])
        || begins("from ") && text.contains(" import ")
        || begins("const ") && text.contains("require(")
}
