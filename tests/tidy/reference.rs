//! The pages of `docs/reference/` and the lists in editors that are made from the tables in the code. `CLADA_BLESS=1`
//! writes them.

use std::fmt::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use clada_config::{Key, ProjectMay, defaults_yaml};
use clada_dialects::Dialect;
use clada_protocol::ErrorKind;
use clada_schema::{Caller, Parameter, ParameterType, definitions};
use roff::{Roff, bold, roman};

use super::{checkout, read};

/// The line that each page has below its title.
const MADE: &str =
    "Made by `cargo test -p clada-tests --test tidy` from the code; `CLADA_BLESS=1` writes it again.";

/// Compares a page with its current source.
fn assert_page(name: &str, made: &str) {
    assert_file(&format!("docs/reference/{name}"), made);
}

fn assert_file(name: &str, made: &str) {
    let path = checkout().join(name);
    if std::env::var_os("CLADA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, made).unwrap();
    }
    assert!(made.lines().count() > 20, "{name} is short");
    assert_eq!(read(&path), made, "{name}: CLADA_BLESS=1 writes it again");
}

/// The lists of dialects in the clients of editors that have one.
#[test]
fn editors_know_every_dialect() {
    for (file, begin, quote, separator, end) in [
        ("editors/vscode/src/answer.ts", "export const DIALECTS = [", "'", ", ", "];"),
        ("editors/emacs/clada.el", "(defconst clada--dialects\n  '(", "\"", " ", ")"),
    ] {
        let text = read(checkout().join(file));
        let (before, rest) = text.split_once(begin).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        let names: Vec<String> =
            Dialect::ALL.iter().map(|dialect| format!("{quote}{}{quote}", dialect.name())).collect();
        assert_file(file, &format!("{before}{begin}{}{end}{after}", names.join(separator)));
    }
}

/// A text as the cell of a table shows it.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Names in code, one after the other; a dash for none.
fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(", ") }
}

/// The effect that a project's file may have on a setting.
fn may(key: Key) -> &'static str {
    match key.project_may() {
        ProjectMay::Nothing => "nothing",
        ProjectMay::SetWhenTrusted => "narrow it; set it once trusted",
        ProjectMay::Add => "add to it",
        ProjectMay::Lower => "lower it",
        ProjectMay::SwitchOff => "take from it",
        ProjectMay::Set => "set it",
    }
}

#[test]
fn the_page_of_settings_is_current() {
    let mut page = format!("# Settings\n\n{MADE}\n\n");
    page += "| setting | variable | a project may | it is |\n|---|---|---|---|\n";
    for key in Key::all() {
        let (name, variable, may, help) = (key.name(), key.variable(), may(key), cell(key.help()));
        let _ = writeln!(page, "| `{name}` | `{variable}` | {may} | {help} |");
    }
    let _ = write!(page, "\n## Defaults\n\n```yaml\n{}\n```\n", defaults_yaml().trim_end());
    assert_page("settings.md", &page);
}

#[test]
fn the_page_of_kinds_of_failure_is_current() {
    let mut page = format!("# Kinds of failure\n\n{MADE}\n\n");
    page += "In `data.kind` of an error, and in the results of actions. A kind keeps its name and its code for ever.\n\n";
    page += "| kind | code | stands for |\n|---|---|---|\n";
    for kind in ErrorKind::ALL {
        let _ = writeln!(page, "| `{}` | {} | {} |", kind.name(), kind.code(), cell(kind.summary()));
    }
    assert_page("errors.md", &page);
}

#[test]
fn the_page_of_actions_is_current() {
    let mut page = format!("# Actions\n\n{MADE}\n");
    for action in definitions() {
        let _ = write!(page, "\n## {}\n\n{}\n\n", action.name, cell(&action.description));
        if !action.available {
            page += "Not available in this version.\n\n";
        }
        if !action.aliases.is_empty() {
            let _ = write!(page, "Also called {}.\n\n", names(action.aliases.iter().map(String::as_str)));
        }
        if !action.allows(Caller::Llm) {
            page += "Only a user may ask for it.\n\n";
        }
        page += "| parameter | is | required | default |\n|---|---|---|---|\n";
        for parameter in &action.parameters {
            let required = if parameter.required { "yes" } else { "no" };
            let default = names(parameter.default.as_deref());
            let _ =
                writeln!(page, "| `{}` | {} | {required} | {default} |", parameter.name, kind_of(parameter));
        }
    }
    assert_page("actions.md", &page);
}

fn kind_of(parameter: &Parameter) -> String {
    let least = parameter.minimum.map(|minimum| format!(" from {minimum} on")).unwrap_or_default();
    match parameter.parameter_type {
        ParameterType::String => "text".to_owned(),
        ParameterType::Enum => format!("one of {}", names(parameter.values.iter().map(String::as_str))),
        ParameterType::Integer => format!("a number{least}"),
        ParameterType::Boolean => "`true` or `false`".to_owned(),
        ParameterType::Count => format!("a number{least}, or `all`"),
    }
}

/// Returns the client's output for these arguments where there is no terminal.
fn client(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_it-client"));
    let ran = command.arg0("clada").args(arguments).env_clear().output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// The commands that a help text lists.
fn commands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    list.filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
}

/// The pages that only the book has, below `docs/`: git does not track them, since `clada help` and
/// `protocol/openrpc.json` say the same. `packaging/book` writes them before it builds the book.
pub(crate) fn pages_of_the_book() -> [(&'static str, String); 2] {
    let document = serde_json::from_str(clada_protocol::OPENRPC).unwrap();
    [("reference/help.md", page_of_help()), ("reference/methods.md", super::methods::page(&document))]
}

#[test]
fn the_pages_of_the_book_are_written() {
    for (name, page) in pages_of_the_book() {
        assert!(page.lines().count() > 20, "{name} is short");
        if std::env::var_os("CLADA_BLESS").is_some() {
            std::fs::write(checkout().join("docs").join(name), page).unwrap();
        }
    }
}

fn page_of_help() -> String {
    let whole = client(&["--help"]);
    let mut page = format!("# Help of the client\n\n```text\n{}\n```\n", whole.trim_end());
    for command in commands(&whole) {
        let help = client(&[command, "--help"]);
        let _ = write!(page, "\n## {command}\n\n```text\n{}\n```\n", help.trim_end());
        for inner in commands(&help) {
            let help = client(&[command, inner, "--help"]);
            let _ = write!(page, "\n### {command} {inner}\n\n```text\n{}\n```\n", help.trim_end());
        }
    }
    page
}

#[test]
fn the_manual_page_of_the_configuration_is_current() {
    // Made from the table of settings, so that a new setting is on it.
    let mut page = Roff::new();
    page.control("TH", ["clada-config", "5"]);
    page.control("SH", ["NAME"]);
    page.text([roman("clada-config - the configuration files of clada")]);
    page.control("SH", ["FILES"]);
    for (file, text) in [
        ("~/.config/clada/config.yaml", "The user's file: any setting."),
        (
            ".clada/config.yaml",
            "A project's file: what each setting says that a project may do; clada trust has more take effect.",
        ),
        (
            "CLADA_SECTION_KEY",
            "A variable of the environment, which wins over both files; named with each setting.",
        ),
    ] {
        page.control("TP", []);
        page.text([bold(file)]);
        page.text([roman(text)]);
    }
    page.control("SH", ["DESCRIPTION"]);
    page.text([roman("The files are YAML: sections with keys. Sizes are written as 512, 64kB or 10MB (MB = 2^20), times as 500ms, 30s, 10m or 5d. clada config shows what is in force and where it comes from.")]);
    page.control("SH", ["SETTINGS"]);
    for key in Key::all() {
        page.control("TP", []);
        page.text([bold(key.name())]);
        page.text([roman(format!(
            "{} A project may {}. Variable: {}.",
            key.help(),
            may(key),
            key.variable()
        ))]);
    }
    page.control("SH", ["SEE ALSO"]);
    page.text([roman("clada(1), clada-config(1)")]);
    assert_file("docs/man/man5/clada-config.5", &page.to_roff());
}

#[test]
fn the_manual_pages_of_the_commands_are_current() {
    let written = tempfile::tempdir().unwrap();
    client(&["man", written.path().to_str().unwrap()]);
    let names = |top: &Path| -> Vec<String> {
        let pages = std::fs::read_dir(top.join("man1")).into_iter().flatten();
        let mut names: Vec<_> = pages.map(|page| page.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let kept = checkout().join("docs/man");
    let made = names(written.path());
    assert!(made.len() > 20, "{made:?}");
    if std::env::var_os("CLADA_BLESS").is_some() {
        for stale in names(&kept).iter().filter(|name| !made.contains(name)) {
            std::fs::remove_file(kept.join("man1").join(stale)).unwrap();
        }
    }
    for name in &made {
        assert_file(&format!("docs/man/man1/{name}"), &read(written.path().join("man1").join(name)));
    }
    assert_eq!(names(&kept), made, "docs/man/man1: CLADA_BLESS=1 writes it again");
}
