//! The conditions of an operation's commands: the part of the client's environment that they get, the bounds,
//! the sandbox, and what the user has approved for good.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clada_apply::Commands;
use clada_config::{AskAfterEdit, ExecApproval, SandboxChoice, Settings};
use clada_exec::{Inherit, Network, SandboxMode, environment, usual_path};
use clada_fs::Roots;
use clada_protocol::{ExecuteParams, RpcError};

use super::policies::open_roots;
use super::request::ProjectRequest;

/// The longest time that a command may get, and the most of its output that is kept.
const LARGEST: (Duration, u64) = (Duration::from_secs(24 * 3600), 1 << 30);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CommandOptions<'a> {
    /// The client's environment; `None`: it sends none.
    pub(super) env: Option<&'a BTreeMap<String, String>>,
    pub(super) timeout_ms: Option<u64>,
    pub(super) max_output: Option<u64>,
    pub(super) umask: Option<u32>,
}

impl<'a> CommandOptions<'a> {
    pub(super) fn of(params: &'a ExecuteParams) -> CommandOptions<'a> {
        CommandOptions {
            env: Some(&params.env),
            timeout_ms: params.timeout_ms,
            max_output: params.max_output,
            umask: params.umask,
        }
    }

    pub(super) fn to_plan(env: &'a BTreeMap<String, String>, timeout_ms: Option<u64>) -> CommandOptions<'a> {
        CommandOptions { env: Some(env), timeout_ms, ..CommandOptions::default() }
    }
}

impl ProjectRequest {
    /// Commands run in the folder of the session, else in the root. `None` where none can run, or no `options` are
    /// given: this chooses a sandbox and reads the user's approvals. Fails with `invalid_config`.
    pub(super) fn commands(
        &self,
        roots: &Roots,
        options: Option<CommandOptions<'_>>,
    ) -> Result<Option<Commands>, RpcError> {
        let Some(options) = options else { return Ok(None) };
        let settings = self.settings()?;
        let Some(runner) = self.environment().runner.clone() else { return Ok(None) };
        let Some(root) = roots.paths().next().map(Path::to_path_buf) else { return Ok(None) };
        let Some(open) = open_roots(roots) else { return Ok(None) };
        let choice = match settings.exec_sandbox {
            SandboxChoice::Auto => SandboxMode::Auto,
            SandboxChoice::Require => SandboxMode::Require,
            SandboxChoice::Off => SandboxMode::Off,
        };
        let sandbox = runner.choose(choice).map_err(|error| error.to_string());
        let time =
            Duration::from_millis(options.timeout_ms.unwrap_or(settings.limits.command_time)).min(LARGEST.0);
        let output = options.max_output.unwrap_or(settings.limits.command_output).min(LARGEST.1);
        let mut private = self.environment().private.clone();
        private.hidden.push(self.environment().state.clone());
        // The named socket may be another daemon's.
        if let Some(named) = options.env.and_then(|env| env.get(clada_protocol::address::SOCKET_VARIABLE)) {
            private.hide_socket(Path::new(named));
        }
        let code_in_sandbox = match settings.exec_approval {
            ExecApproval::Ask => None,
            // Without the globs nothing is known to be secret: then the user is asked.
            ExecApproval::Sandboxed => {
                let policy = self.policy(false).ok();
                policy.and_then(|policy| roots.with(policy, roots.options().clone()).ok())
            }
        };
        let env = options.env.unwrap_or(const { &BTreeMap::new() });
        let environment = self.command_environment(settings, env);
        // One command a project is no reason to watch it.
        if !self.project().snapshots().is_empty() {
            self.begin_survey(&open);
        }
        Ok(Some(Commands {
            runner,
            sandbox,
            folder: self.context().folder().unwrap_or_else(|| root.clone()).to_string_lossy().into_owned(),
            withheld: clada_exec::withheld(env.keys(), &environment).into(),
            environment,
            umask: self.umask(options.umask),
            time,
            output: usize::try_from(output).unwrap_or(usize::MAX),
            network: if settings.exec_network { Network::On } else { Network::Off },
            writable: settings.exec_writable.clone(),
            private,
            open,
            snapshot_cache: self.project().snapshots().clone(),
            home: self.environment().home.clone(),
            user: self.environment().git_user(),
            now: self.environment().now,
            trusted: self.trusted(),
            readable: settings.exec_readable.clone(),
            home_shown: settings.exec_home,
            code_in_sandbox,
            ask_after_edit: settings.exec_ask_after_edit == AskAfterEdit::Auto,
            root,
        }))
    }

    /// A caller without `HOME` or `PATH`, as agents are, gets the user's: programs look for their settings
    /// there, and the user's tools are found.
    pub(super) fn command_environment(
        &self,
        settings: &Settings,
        env: &BTreeMap<String, String>,
    ) -> Vec<(OsString, OsString)> {
        let home = self.environment().home.as_deref();
        let mut handed_on: Vec<(OsString, OsString)> = env.iter().map(pair).collect();
        if !env.contains_key("PATH") {
            handed_on.push(("PATH".into(), usual_path(home)));
        }
        if let Some(home) = home.filter(|_| !env.contains_key("HOME")) {
            handed_on.push(("HOME".into(), home.into()));
        }
        let added: Vec<(OsString, OsString)> = settings.exec_env.iter().map(pair).collect();
        let inherit = if settings.exec_inherit_env { Inherit::Everything } else { Inherit::Listed };
        environment(&handed_on, &added, inherit)
    }
}

fn pair((name, value): (&String, &String)) -> (OsString, OsString) {
    (OsString::from(name), OsString::from(value))
}
