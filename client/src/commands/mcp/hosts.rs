//! The hosts: where their settings are, and how these name a server. A host is one row.
//!
//! From the hosts' documentation, in November 2026: docs/agents.md names the pages.

use crate::args::HostName;

#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: HostName,
    pub(super) title: &'static str,
    pub(super) project: Option<&'static str>,
    user: Option<(&'static str, &'static str)>,
    pub(super) form: HostForm,
    /// True if it starts servers in another folder than the project's.
    pub(super) needs_root: bool,
    pub(super) next: &'static str,
}

impl Host {
    pub(super) fn user_file(&self) -> Option<&'static str> {
        let (mac, other) = self.user?;
        Some(if cfg!(target_os = "macos") { mac } else { other })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostForm {
    Json {
        key: &'static str,
        has_type: bool,
        folder: Option<&'static str>,
    },
    OpenCode,
    Toml,
    /// Goose's YAML, which is shown and not written.
    Yaml,
}

#[derive(Debug, Clone)]
pub(super) struct HostEntry {
    pub(super) command: String,
    pub(super) root: Option<String>,
    pub(super) read_only: bool,
}

impl HostEntry {
    pub(super) fn arguments(&self, folder: Option<&str>) -> Vec<String> {
        let mut arguments = vec!["mcp".to_owned()];
        if let Some(root) = self.root.as_deref().or(folder) {
            arguments.extend(["--root".to_owned(), root.to_owned()]);
        }
        if self.read_only {
            arguments.push("--read-only".to_owned());
        }
        arguments
    }
}

const SERVERS: HostForm = HostForm::Json { key: "mcpServers", has_type: false, folder: None };
const RELOAD: &str = "Reload the window.";
const AGAIN: &str = "Start it again.";

pub(super) static HOSTS: [Host; 12] = hosts();

const fn hosts() -> [Host; 12] {
    const fn row(
        name: HostName,
        title: &'static str,
        files: (Option<&'static str>, Option<(&'static str, &'static str)>),
        form: HostForm,
        needs_root: bool,
        next: &'static str,
    ) -> Host {
        Host { name, title, project: files.0, user: files.1, form, needs_root, next }
    }
    const WORKSPACE: Option<&str> = Some("${workspaceFolder}");
    [
        row(
            HostName::ClaudeCode,
            "Claude Code",
            (Some(".mcp.json"), Some((".claude.json", ".claude.json"))),
            SERVERS,
            false,
            "It asks once whether to trust the server.",
        ),
        row(
            HostName::ClaudeDesktop,
            "Claude Desktop",
            (
                None,
                Some((
                    "Library/Application Support/Claude/claude_desktop_config.json",
                    ".config/Claude/claude_desktop_config.json",
                )),
            ),
            SERVERS,
            true,
            AGAIN,
        ),
        row(
            HostName::Cline,
            "Cline",
            (
                None,
                Some((
                    "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                )),
            ),
            SERVERS,
            true,
            "Cline reads it at once.",
        ),
        row(
            HostName::Codex,
            "Codex",
            (None, Some((".codex/config.toml", ".codex/config.toml"))),
            HostForm::Toml,
            false,
            AGAIN,
        ),
        row(
            HostName::Cursor,
            "Cursor",
            (Some(".cursor/mcp.json"), Some((".cursor/mcp.json", ".cursor/mcp.json"))),
            HostForm::Json { key: "mcpServers", has_type: false, folder: WORKSPACE },
            false,
            "Switch it on in Cursor's settings, under MCP.",
        ),
        row(
            HostName::Gemini,
            "Gemini CLI",
            (Some(".gemini/settings.json"), Some((".gemini/settings.json", ".gemini/settings.json"))),
            SERVERS,
            false,
            AGAIN,
        ),
        row(
            HostName::Goose,
            "Goose",
            (None, Some((".config/goose/config.yaml", ".config/goose/config.yaml"))),
            HostForm::Yaml,
            false,
            AGAIN,
        ),
        row(
            HostName::Opencode,
            "opencode",
            (
                Some("opencode.json"),
                Some((".config/opencode/opencode.json", ".config/opencode/opencode.json")),
            ),
            HostForm::OpenCode,
            false,
            AGAIN,
        ),
        row(HostName::Roo, "Roo Code", (Some(".roo/mcp.json"), None), SERVERS, true, "Roo reads it at once."),
        row(
            HostName::Vscode,
            "VS Code",
            (Some(".vscode/mcp.json"), None),
            HostForm::Json { key: "servers", has_type: true, folder: WORKSPACE },
            false,
            RELOAD,
        ),
        row(
            HostName::Windsurf,
            "Windsurf",
            (None, Some((".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"))),
            SERVERS,
            true,
            "Refresh the list of servers.",
        ),
        row(
            HostName::Zed,
            "Zed",
            (Some(".zed/settings.json"), Some((".config/zed/settings.json", ".config/zed/settings.json"))),
            HostForm::Json { key: "context_servers", has_type: false, folder: None },
            false,
            "Zed reads it at once.",
        ),
    ]
}

pub(super) fn host(name: HostName) -> &'static Host {
    // Each name has a row: a test says so.
    HOSTS.iter().find(|host| host.name == name).unwrap_or(&HOSTS[0])
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_name_has_a_row_and_a_file() {
        for name in HostName::value_variants() {
            let host = host(*name);
            assert_eq!(host.name, *name);
            assert!(host.project.is_some() || host.user_file().is_some(), "{name:?}");
        }
    }
}
