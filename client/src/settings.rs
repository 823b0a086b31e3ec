//! The settings of this call: the flags combined with the environment.
//!
//! A flag wins over a variable, a variable over the default. [`crate::root`] finds the project's folder, only
//! when a command needs it.

use std::ffi::OsString;
use std::path::PathBuf;

use clada_protocol::address::SOCKET_VARIABLE;
use clada_protocol::method::CallSettings;
use clada_protocol::{ReportStyle, Verbosity};

use crate::Process;
use crate::args::{Cli, Command, Detail, Format, When};
use crate::exit::Failure;

const NO_SETTINGS: [&str; 4] = [SOCKET_VARIABLE, "CLADA_DAEMON", "CLADA_PROGRESS", "CLADA_REVIEW"];

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) root: Option<PathBuf>,
    pub(crate) socket: Option<OsString>,
    pub(crate) spawn: Spawn,
    pub(crate) verbosity: Verbosity,
    pub(crate) colours: bool,
    /// True if the user's terminal takes colours, independent of standard output.
    pub(crate) terminal_colours: bool,
    pub(crate) session: Option<String>,
    pub(crate) json: bool,
    /// True if this call may ask at the terminal: `-i`, `listen` and `review` always, others unless they only show, or
    /// write for a program.
    pub(crate) may_ask: bool,
    pub(crate) call: CallSettings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spawn {
    WhenNeeded,
    Never,
}

impl Settings {
    pub(crate) fn can_ask(&self, process: &Process) -> bool {
        self.may_ask && process.terminal().is_some()
    }

    pub(crate) fn style<'a>(&self, root: &'a str, detail: Detail) -> ReportStyle<'a> {
        let (verbosity, error_detail) = (self.verbosity, detail.into());
        ReportStyle { root, verbosity, error_detail, ..ReportStyle::default() }
    }
}

pub(crate) fn resolve(process: &Process, args: &Cli) -> Result<Settings, Failure> {
    let flags = &args.global;
    let verbosity = match (flags.quiet, flags.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let absolute = |path: &PathBuf, what: &str| match &process.cwd {
        _ if path.is_absolute() => Ok(path.clone()),
        Some(cwd) => Ok(cwd.join(path)),
        None => {
            Err(Failure::usage(format!("{what} is relative, and the working directory cannot be determined"))
                .hint("Give an absolute path."))
        }
    };
    let socket = flags.socket.as_ref().map(|path| absolute(path, "--socket").map(PathBuf::into_os_string));
    Ok(Settings {
        root: flags.root.as_ref().map(|path| absolute(path, "--root")).transpose()?,
        socket: socket.transpose()?.or_else(|| process.var(SOCKET_VARIABLE).map(OsString::from)),
        spawn: if flags.no_spawn { Spawn::Never } else { Spawn::WhenNeeded },
        verbosity,
        colours: colours(process, flags.color, process.terminals.stdout),
        terminal_colours: colours(process, flags.color, true),
        session: flags.session.clone(),
        json: flags.json,
        may_ask: may_ask(args),
        call: of_environment(process)?,
    })
}

fn may_ask(args: &Cli) -> bool {
    let is_silent = args.global.json || args.global.quiet;
    match &args.command {
        Some(Command::Listen(_) | Command::Review(_)) => true,
        Some(Command::Apply(apply)) if apply.interactive => true,
        Some(Command::Apply(apply)) => {
            !is_silent && !apply.dry_run && !matches!(apply.format, Format::Json | Format::Xml)
        }
        _ => !is_silent,
    }
}

pub(crate) fn is_of_daemon(name: &str) -> bool {
    name.starts_with("CLADA_DAEMON_")
}

fn of_environment(process: &Process) -> Result<CallSettings, Failure> {
    let mut settings = CallSettings::new();
    for (name, value) in &process.env {
        let Some(name) = name.to_str() else { continue };
        if !name.starts_with("CLADA_")
            || NO_SETTINGS.contains(&name)
            || is_of_daemon(name)
            || value.is_empty()
        {
            continue;
        }
        let value = value.to_str().ok_or_else(|| {
            Failure::usage(format!("{name} is not UTF-8")).hint("Unset it, or write it as text.")
        })?;
        settings.insert(name.to_owned(), value.into());
    }
    Ok(settings)
}

pub(crate) fn colours(process: &Process, when: When, terminal: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            terminal
                && process.var("NO_COLOR").is_none()
                && process.var("TERM").is_some_and(|term| term != "dumb")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_need_a_terminal_that_wants_them() {
        let pair = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        let with = |env: &[(&str, &str)]| Process::empty(env.iter().map(pair).collect(), None);
        let term = ("TERM", "xterm");
        assert!(colours(&with(&[term]), When::Auto, true));
        assert!(colours(&with(&[term, ("NO_COLOR", "")]), When::Auto, true));
        assert!(!colours(&with(&[term]), When::Auto, false));
        assert!(!colours(&with(&[term, ("NO_COLOR", "1")]), When::Auto, true));
        assert!(!colours(&with(&[("TERM", "dumb")]), When::Auto, true));
        assert!(!colours(&with(&[]), When::Auto, true));
        assert!(colours(&with(&[("NO_COLOR", "1")]), When::Always, false));
        assert!(!colours(&with(&[term]), When::Never, true));
    }

    #[test]
    fn variables_that_are_settings_go_with_the_call() {
        let pair = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        let env = [
            ("CLADA_GIT_MODE", "refs"),
            ("CLADA_MATCH", ""),
            ("CLADA_SOCKET", "/s"),
            ("CLADA_DAEMON", "/d"),
            ("CLADA_DAEMON_LOG_LEVEL", "debug"),
            ("CLADA_PROGRESS", "never"),
            ("OTHER", "x"),
        ];
        let mut env: Vec<_> = env.iter().map(pair).collect();
        let of = |env: &[(OsString, OsString)]| of_environment(&Process::empty(env.to_vec(), None));
        assert_eq!(serde_json::to_string(&of(&env).unwrap()).unwrap(), r#"{"CLADA_GIT_MODE":"refs"}"#);
        env.push(("CLADA_DENIED".into(), std::os::unix::ffi::OsStringExt::from_vec(vec![0xff])));
        assert_eq!(of(&env).unwrap_err().message, "CLADA_DENIED is not UTF-8");
    }
}
