//! The text of a host's settings with clada's entry or without it. Pure.
//!
//! Only the entry changes: JSON keeps its comments and its form by a tree of its text, TOML is cut by its
//! headings.

use std::fmt::Write as _;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value, json};

use super::hosts::{HostEntry, HostForm};

const NAME: &str = "clada";
const TABLE: &str = "[mcp_servers.clada]";
const YAML: &str = "is YAML, which is not written";

impl HostForm {
    pub(super) fn lines(self, entry: &HostEntry) -> String {
        match self {
            HostForm::Json { .. } | HostForm::OpenCode => self.with("", entry).unwrap_or_default(),
            HostForm::Toml => table(entry),
            HostForm::Yaml => {
                let arguments = entry.arguments(None).join(", ");
                format!(
                    "extensions:\n  {NAME}:\n    name: {NAME}\n    type: stdio\n    cmd: {}\n    args: [{arguments}]\n    \
                     enabled: true\n",
                    entry.command
                )
            }
        }
    }

    pub(super) fn with(self, old: &str, entry: &HostEntry) -> Result<String, String> {
        match self {
            HostForm::Yaml => Err(YAML.to_owned()),
            HostForm::Toml => {
                let rest = without_table(old);
                let gap = if rest.is_empty() || rest.ends_with("\n\n") { "" } else { "\n" };
                let end = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
                let new = format!("{rest}{end}{gap}{}", table(entry));
                // One that says the same, wherever it stands, stays.
                Ok(if old.contains(&table(entry)) { old.to_owned() } else { new })
            }
            HostForm::Json { .. } | HostForm::OpenCode => {
                let root = parse(old)?;
                let all = root.object_value_or_create().ok_or("is no object of JSON")?;
                let key = self.key();
                let servers = all.object_value_or_create(key);
                let servers = servers.ok_or(format!("has a `{key}` that is not an object"))?;
                let value = self.value(entry);
                match servers.get(NAME) {
                    Some(there)
                        if there.value().and_then(|there| there.to_serde_value()).as_ref()
                            == Some(&value) => {}
                    Some(there) => there.set_value(written(&value)),
                    None => drop(servers.append(NAME, written(&value))),
                }
                Ok(ended(root.to_string()))
            }
        }
    }

    pub(super) fn without(self, old: &str) -> Result<String, String> {
        match self {
            HostForm::Yaml => Err(YAML.to_owned()),
            HostForm::Toml => Ok(without_table(old)),
            HostForm::Json { .. } | HostForm::OpenCode => {
                let root = parse(old)?;
                let servers = root.object_value().and_then(|all| all.object_value(self.key()));
                match servers.and_then(|servers: CstObject| servers.get(NAME)) {
                    Some(there) => there.remove(),
                    None => return Ok(old.to_owned()),
                }
                Ok(root.to_string())
            }
        }
    }

    pub(super) fn command(self, text: &str) -> Result<Option<String>, String> {
        // YAML and TOML are searched line by line: the entry has the form that clada gives it.
        match self {
            HostForm::Yaml => {
                let line = text
                    .lines()
                    .map(str::trim)
                    .find(|line| line.starts_with("cmd:") && line.contains("clada"));
                Ok(line.map(|line| line["cmd:".len()..].trim().trim_matches(['"', '\'']).to_owned()))
            }
            HostForm::Toml => {
                let table = text.split(TABLE).nth(1).unwrap_or_default();
                let line = table.lines().find(|line| line.trim_start().starts_with("command"));
                Ok(line
                    .and_then(|line| line.split_once('='))
                    .map(|(_, value)| value.trim().trim_matches('"').to_owned()))
            }
            HostForm::Json { .. } | HostForm::OpenCode => {
                let root = parse(text)?;
                let servers = root.object_value().and_then(|all| all.object_value(self.key()));
                let entry = servers.and_then(|servers: CstObject| servers.object_value(NAME));
                let Some(command) =
                    entry.and_then(|entry| entry.get("command")).and_then(|entry| entry.value())
                else {
                    return Ok(None);
                };
                let command =
                    command.as_array().and_then(|list| list.elements().into_iter().next()).unwrap_or(command);
                Ok(command.as_string_lit().and_then(|text| text.decoded_value().ok()))
            }
        }
    }

    fn key(self) -> &'static str {
        match self {
            HostForm::Json { key, .. } => key,
            _ => "mcp",
        }
    }

    fn value(self, entry: &HostEntry) -> Value {
        match self {
            HostForm::Json { has_type, folder, .. } => {
                let mut members = Map::new();
                if has_type {
                    members.insert("type".to_owned(), "stdio".into());
                }
                members.insert("command".to_owned(), entry.command.clone().into());
                members.insert("args".to_owned(), entry.arguments(folder).into());
                Value::Object(members)
            }
            _ => {
                let mut command = vec![entry.command.clone()];
                command.extend(entry.arguments(None));
                json!({ "type": "local", "command": command, "enabled": true })
            }
        }
    }
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("cannot be read as JSON: {error}"))
}

fn written(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(written).collect()),
        Value::Object(members) => CstInputValue::Object(
            members.iter().map(|(name, value)| (name.clone(), written(value))).collect(),
        ),
    }
}

fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn table(entry: &HostEntry) -> String {
    let quoted = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
    let arguments: Vec<String> = entry.arguments(None).iter().map(|argument| quoted(argument)).collect();
    format!("{TABLE}\ncommand = {}\nargs = [{}]\n", quoted(&entry.command), arguments.join(", "))
}

fn without_table(text: &str) -> String {
    let mut is_ours = false;
    let mut rest = String::new();
    for line in text.split_inclusive('\n') {
        let heading = line.trim();
        if heading.starts_with('[') {
            is_ours = heading == TABLE || heading.starts_with("[mcp_servers.clada.");
        }
        if !is_ours {
            rest.push_str(line);
        }
    }
    rest
}

pub(super) fn difference(old: &str, new: &str) -> String {
    let begin = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let end = old.lines().rev().zip(new.lines().rev()).take_while(|(old, new)| old == new).count();
    let lines: Vec<&str> = old.lines().collect();
    let removed_lines = lines.get(begin..lines.len().saturating_sub(end)).unwrap_or_default();
    let mut text = String::new();
    for line in removed_lines {
        let _ = writeln!(text, "{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: HostForm = HostForm::Json { key: "mcpServers", has_type: false, folder: None };
    const VSCODE: HostForm =
        HostForm::Json { key: "servers", has_type: true, folder: Some("${workspaceFolder}") };

    fn entry() -> HostEntry {
        HostEntry { command: "clada-daemon".to_owned(), root: None, read_only: false }
    }

    #[test]
    fn an_entry_is_added_replaced_and_taken_out_and_the_rest_stays() {
        let cases = [
            (
                PLAIN,
                "",
                "{\n  \"mcpServers\": {\n    \"clada\": {\n      \"command\": \"clada-daemon\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
            ),
            (
                VSCODE,
                "{\n\t// mine\n\t\"servers\": {\n\t\t\"other\": { \"command\": \"x\" }, // kept\n\t},\n\t\"inputs\": []\n}\n",
                "{\n\t// mine\n\t\"servers\": {\n\t\t\"other\": { \"command\": \"x\" }, // kept\n\t\t\"clada\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"clada-daemon\",\n\t\t\t\"args\": [\"mcp\", \"--root\", \"${workspaceFolder}\"],\n\t\t},\n\t},\n\t\"inputs\": []\n}\n",
            ),
            (
                HostForm::Toml,
                "a = 1\n",
                "a = 1\n\n[mcp_servers.clada]\ncommand = \"clada-daemon\"\nargs = [\"mcp\"]\n",
            ),
            (
                HostForm::Toml,
                "[mcp_servers.clada]\ncommand = \"old\"\n[mcp_servers.clada.env]\nA = \"1\"\n[b]\n",
                "[b]\n\n[mcp_servers.clada]\ncommand = \"clada-daemon\"\nargs = [\"mcp\"]\n",
            ),
        ];
        for (form, old, new) in cases {
            let with = form.with(old, &entry()).unwrap();
            assert_eq!(with, new, "{form:?}");
            assert_eq!(form.with(&with, &entry()).unwrap(), with, "twice is once");
            assert_eq!(form.command(&with).unwrap().as_deref(), Some("clada-daemon"));
            let without = form.without(&with).unwrap();
            assert_eq!(form.command(&without).unwrap(), None);
            assert!(!without.contains("clada"), "{without}");
            let changed = form.with(&with, &HostEntry { read_only: true, ..entry() }).unwrap();
            assert!(
                changed.contains("--read-only") && changed.matches("clada-daemon").count() == 1,
                "{changed}"
            );
        }
        let both = "{\"mcp\": {\"a\": {}, \"clada\": {\"command\": [\"/x/clada-daemon\", \"mcp\"]}}}";
        assert_eq!(HostForm::OpenCode.command(both).unwrap().as_deref(), Some("/x/clada-daemon"));
        assert_eq!(HostForm::OpenCode.without(both).unwrap(), "{\"mcp\": {\"a\": {}}}");
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        for (old, part) in
            [("[1]", "no object"), ("{\"mcpServers\": 1}", "`mcpServers`"), ("{", "cannot be read as JSON")]
        {
            let why = PLAIN.with(old, &entry()).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
        assert!(HostForm::Yaml.with("", &entry()).is_err());
        assert!(HostForm::Yaml.lines(&entry()).contains("    cmd: clada-daemon\n"));
    }
}
