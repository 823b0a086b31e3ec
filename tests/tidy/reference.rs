//! The pages of `docs/reference/` that are made from the tables in the code. `CLADA_BLESS=1` writes them.

use std::fmt::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use clada_config::{Key, ProjectMay, defaults_yaml};
use clada_protocol::ErrorKind;
use clada_schema::{Caller, Parameter, ParameterType, definitions};

use super::{checkout, read};

/// The line that each page has below its title.
const MADE: &str =
    "Made by `cargo test -p clada-tests --test tidy` from the code; `CLADA_BLESS=1` writes it anew.";

/// Compares a page with its current source.
fn assert_page(name: &str, made: &str) {
    let path = checkout().join("docs/reference").join(name);
    if std::env::var_os("CLADA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, made).unwrap();
    }
    assert!(made.lines().count() > 20, "{name} is short");
    assert_eq!(read(&path), made, "docs/reference/{name}: CLADA_BLESS=1 writes it anew");
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

#[test]
fn the_page_of_settings_is_current() {
    let mut page = format!("# Settings\n\n{MADE}\n\n");
    page += "| setting | variable | a project may | it is |\n|---|---|---|---|\n";
    for key in Key::all() {
        let may = match key.project_may() {
            ProjectMay::Nothing => "nothing",
            ProjectMay::SetWhenTrusted => "narrow it; set it once trusted",
            ProjectMay::Add => "add to it",
            ProjectMay::Lower => "lower it",
            ProjectMay::SwitchOff => "take from it",
            ProjectMay::Set => "set it",
        };
        let _ = writeln!(page, "| `{}` | `{}` | {may} | {} |", key.name(), key.variable(), cell(key.help()));
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
    let ran = command.arg0("clada-client").args(arguments).env_clear().output().unwrap();
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

#[test]
fn the_page_of_the_client_s_help_is_current() {
    let whole = client(&["--help"]);
    let mut page = format!("# Help of the client\n\n{MADE}\n\n```text\n{}\n```\n", whole.trim_end());
    for command in commands(&whole) {
        let help = client(&[command, "--help"]);
        let _ = write!(page, "\n## {command}\n\n```text\n{}\n```\n", help.trim_end());
        for inner in commands(&help) {
            let help = client(&[command, inner, "--help"]);
            let _ = write!(page, "\n### {command} {inner}\n\n```text\n{}\n```\n", help.trim_end());
        }
    }
    assert_page("help.md", &page);
}
