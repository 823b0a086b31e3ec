//! The clipboard of the user, by the programs that the system has for it (spec: daily, "Clipboard, and
//! listening").
//!
//! Which one is used follows from the environment and from what is in PATH (`System::tools`). `run` runs it,
//! `osc52` asks the terminal instead. Must not know the meaning of the texts; it keeps and logs none.

mod osc52;
mod run;

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_protocol::visible_line;

use self::run::{Ended, ToolRun, run};
use crate::Process;
use crate::exit::{Failure, Status};

const PATIENCE: Duration = Duration::from_secs(5);
const SSH: [&str; 3] = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"];
const WSL: [&str; 2] = ["WSL_DISTRO_NAME", "WSL_INTEROP"];

/// The types by which a password manager marks a text that no other program is to keep.
const SECRET: [&str; 3] = [
    "x-kde-passwordManagerHint",
    "org.nspasteboard.ConcealedType",
    "ExcludeClipboardContentFromMonitorProcessing",
];

const POWERSHELL: [&str; 4] = [
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "[Console]::OutputEncoding = [Text.UTF8Encoding]::new(); [Console]::Out.Write((Get-Clipboard -Raw))",
];
const POWERSHELL_TYPES: [&str; 5] = [
    "-NoProfile",
    "-NonInteractive",
    "-STA",
    "-Command",
    "Add-Type -AssemblyName System.Windows.Forms; [Windows.Forms.Clipboard]::GetDataObject().GetFormats()",
];
const MAC_TYPES: [&str; 4] = [
    "-l",
    "JavaScript",
    "-e",
    "ObjC.import('AppKit'); ObjC.deepUnwrap($.NSPasteboard.generalPasteboard.types).join('\\n')",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wayland,
    Xclip,
    Xsel,
    Mac,
    Windows,
    Terminal,
}

impl Kind {
    fn programs(self) -> (&'static str, Option<&'static str>) {
        match self {
            Kind::Wayland => ("wl-copy", Some("wl-paste")),
            Kind::Xclip => ("xclip", Some("xclip")),
            Kind::Xsel => ("xsel", Some("xsel")),
            Kind::Mac => ("pbcopy", Some("pbpaste")),
            Kind::Windows => ("clip.exe", Some("powershell.exe")),
            Kind::Terminal => ("OSC 52", None),
        }
    }

    fn copy_args(self) -> &'static [&'static str] {
        match self {
            Kind::Xclip => &["-selection", "clipboard", "-in"],
            Kind::Xsel => &["--clipboard", "--input"],
            Kind::Wayland => &["--type", "text/plain;charset=utf-8"],
            Kind::Mac | Kind::Windows | Kind::Terminal => &[],
        }
    }

    fn paste_args(self) -> &'static [&'static str] {
        match self {
            Kind::Wayland => &["--no-newline", "--type", "text"],
            Kind::Xclip => &["-selection", "clipboard", "-out"],
            Kind::Xsel => &["--clipboard", "--output"],
            Kind::Windows => &POWERSHELL,
            Kind::Mac | Kind::Terminal => &[],
        }
    }

    fn types(self) -> Option<(&'static str, &'static [&'static str])> {
        match self {
            Kind::Wayland => Some(("wl-paste", &["--list-types"])),
            Kind::Xclip => Some(("xclip", &["-selection", "clipboard", "-out", "-target", "TARGETS"])),
            Kind::Mac => Some(("osascript", &MAC_TYPES)),
            Kind::Windows => Some(("powershell.exe", &POWERSHELL_TYPES)),
            Kind::Xsel | Kind::Terminal => None,
        }
    }
}

struct System<'s> {
    is_set: &'s dyn Fn(&str) -> bool,
    find: &'s dyn Fn(&str) -> Option<PathBuf>,
    is_mac: bool,
    has_terminal: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ClipboardTool {
    kind: Kind,
    /// Empty for the terminal.
    program: PathBuf,
    name: &'static str,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Clipboard {
    copy: Option<ClipboardTool>,
    paste: Option<ClipboardTool>,
    types: Option<PathBuf>,
    missing: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copied {
    by: &'static str,
    is_confirmed: bool,
}

impl Copied {
    pub(crate) fn sentence(&self, what: &str) -> String {
        if self.is_confirmed {
            return format!("{what} is in the clipboard ({}).", self.by);
        }
        format!(
            "{what} was sent to the terminal's clipboard ({}). The terminal does not confirm it.",
            self.by
        )
    }
}

impl System<'_> {
    fn tools(&self) -> Clipboard {
        let any = |names: &[&str]| names.iter().any(|name| (self.is_set)(name));
        let (wayland, x11, ssh) = (any(&["WAYLAND_DISPLAY"]), any(&["DISPLAY"]), any(&SSH));
        // The clipboard of a machine that is far away is not the one the user looks at.
        let kinds = [
            (Kind::Wayland, wayland),
            (Kind::Xclip, x11),
            (Kind::Xsel, x11),
            (Kind::Mac, self.is_mac && !ssh),
            (Kind::Windows, any(&WSL) && !ssh),
        ];
        let kinds = || kinds.iter().filter(|(_, fits)| *fits).map(|(kind, _)| *kind);
        let tool = |kind: Kind, name: Option<&'static str>| {
            let name = name?;
            Some(ClipboardTool { kind, program: (self.find)(name)?, name })
        };
        let terminal = ClipboardTool {
            kind: Kind::Terminal,
            program: PathBuf::new(),
            name: Kind::Terminal.programs().0,
        };
        let copy = kinds().find_map(|kind| tool(kind, Some(kind.programs().0)));
        let paste = kinds().find_map(|kind| tool(kind, kind.programs().1));
        let types = paste.as_ref().and_then(|tool| (self.find)(tool.kind.types()?.0));
        let missing = if wayland {
            "Install wl-clipboard."
        } else if x11 {
            "Install xclip or xsel."
        } else if ssh {
            "Over ssh clada can only copy, and only if standard error is the terminal. To give clada an answer, \
             run `clada apply` and paste it at the terminal."
        } else {
            "There is neither WAYLAND_DISPLAY nor DISPLAY here. To give clada an answer, run `clada apply` and paste it at the terminal."
        };
        let copy = copy.or_else(|| (ssh && self.has_terminal).then_some(terminal));
        Clipboard { copy, paste, types, missing }
    }
}

impl Clipboard {
    pub(crate) fn of(process: &Process) -> Clipboard {
        let folders = process.var("PATH").map(OsStr::to_owned).unwrap_or_default();
        let is_program = |path: &Path| {
            let metadata = path.metadata();
            metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
        };
        // A folder without a fixed place may be anybody's.
        let find = |name: &str| {
            let folders = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
            folders.map(|folder| folder.join(name)).find(|path| is_program(path))
        };
        System {
            is_set: &|name| process.var(name).is_some(),
            find: &find,
            is_mac: cfg!(target_os = "macos"),
            has_terminal: process.terminals.stderr,
        }
        .tools()
    }

    pub(crate) fn copies_by(&self) -> Option<&'static str> {
        self.copy.as_ref().map(|tool| tool.name)
    }

    pub(crate) fn pastes_by(&self) -> Option<&'static str> {
        self.paste.as_ref().map(|tool| tool.name)
    }

    pub(crate) fn advice(&self) -> &'static str {
        self.missing
    }

    pub(crate) fn can_copy(&self) -> Result<(), Failure> {
        self.copy.as_ref().map(drop).ok_or_else(|| self.lacks("copy to"))
    }

    pub(crate) fn can_paste(&self) -> Result<(), Failure> {
        self.paste.as_ref().map(drop).ok_or_else(|| self.lacks("paste from"))
    }

    fn lacks(&self, verb: &str) -> Failure {
        Failure::new(Status::Failed, format!("there is no program to {verb} the clipboard"))
            .hint(format!("Nothing was changed. {}", self.advice()))
    }

    pub(crate) fn copy(&self, process: &mut Process, text: &str) -> Result<Copied, Failure> {
        let Some(tool) = &self.copy else { return Err(self.lacks("copy to")) };
        if tool.kind == Kind::Terminal {
            process.complain(&osc52::sequence(text)?);
            return Ok(Copied { by: tool.name, is_confirmed: false });
        }
        // The program of Windows takes bytes for text of the code page, unless a mark begins them.
        let input = match tool.kind {
            Kind::Windows => {
                "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
            }
            _ => text.as_bytes().to_vec(),
        };
        let job = ToolRun {
            program: &tool.program,
            args: tool.kind.copy_args(),
            input: &input,
            limit: None,
            patience: PATIENCE,
        };
        let ended = run(process, &job).map_err(|error| failed(tool.name, &error.to_string()))?;
        done(tool.name, ended)?;
        Ok(Copied { by: tool.name, is_confirmed: true })
    }

    pub(crate) fn paste(&self, process: &Process, limit: usize) -> Result<Vec<u8>, Failure> {
        let Some(tool) = &self.paste else { return Err(self.lacks("paste from")) };
        let (args, limit) = (tool.kind.paste_args(), Some(limit + 1));
        let job = ToolRun { program: &tool.program, args, input: &[], limit, patience: PATIENCE };
        let ended = run(process, &job).map_err(|error| failed(tool.name, &error.to_string()))?;
        let mut text = done(tool.name, ended)?;
        if tool.kind == Kind::Windows {
            // There, lines of the clipboard end with CR LF, whatever they were copied from.
            text = without_cr(&text);
        }
        Ok(text)
    }

    /// Returns whether the current content may be read by a program that was not asked to: false if it is
    /// marked as secret, or if its types are not told although there is a way to ask.
    pub(crate) fn may_be_read(&self, process: &Process) -> bool {
        let Some((_, args)) = self.paste.as_ref().and_then(|tool| tool.kind.types()) else { return true };
        let Some(program) = &self.types else { return true };
        let job = ToolRun { program, args, input: &[], limit: Some(64 << 10), patience: PATIENCE };
        let Ok(Ended { status, output, .. }) = run(process, &job) else { return false };
        let types = String::from_utf8_lossy(&output);
        status.is_some_and(|status| status.success())
            && !types.lines().any(|line| SECRET.iter().any(|secret| line.trim().eq_ignore_ascii_case(secret)))
    }
}

fn without_cr(text: &[u8]) -> Vec<u8> {
    let is_kept = |(at, byte): (usize, &u8)| {
        let goes = *byte == b'\r' && text.get(at + 1) == Some(&b'\n');
        (!goes).then_some(*byte)
    };
    text.iter().enumerate().filter_map(is_kept).collect()
}

fn failed(name: &str, why: &str) -> Failure {
    Failure::new(Status::Failed, format!("the clipboard cannot be used: {name}: {why}"))
}

fn done(name: &str, ended: Ended) -> Result<Vec<u8>, Failure> {
    let Ended { status, output, complaint } = ended;
    match status {
        Some(status) if status.success() => Ok(output),
        Some(status) => {
            let complaint = String::from_utf8_lossy(&complaint);
            let complaint = complaint.trim();
            let why =
                if complaint.is_empty() { status.to_string() } else { visible_line(complaint).into_owned() };
            Err(failed(name, &why))
        }
        None => {
            Err(failed(name, &format!("it did not answer in {} seconds and was ended", PATIENCE.as_secs())))
        }
    }
}

#[cfg(test)]
mod tests;
