use std::fs::File;
use std::io::Read;

use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_setfl, mknodat, open};

use super::*;

/// Returns the tools of a system: its variables, its programs, and whether it is a Mac or has a terminal.
fn tools(variables: &[&str], programs: &[&str], is_mac: bool, has_terminal: bool) -> String {
    let system = System {
        is_set: &|name| variables.contains(&name),
        find: &|name| programs.contains(&name).then(|| Path::new("/bin").join(name)),
        is_mac,
        has_terminal,
    };
    let found = system.tools();
    let shown = |name: Option<&'static str>| name.unwrap_or("-");
    let types = found.types.as_deref().map_or("-".into(), Path::to_string_lossy);
    format!("{} {} {types}", shown(found.copies_by()), shown(found.pastes_by()))
}

#[test]
fn the_tool_follows_from_the_environment_and_from_what_is_in_path() {
    let wayland = ["wl-copy", "wl-paste"];
    let all = ["wl-copy", "wl-paste", "xclip", "xsel", "clip.exe", "powershell.exe"];
    let mac = ["pbcopy", "pbpaste", "osascript"];
    let both = ["WAYLAND_DISPLAY", "DISPLAY"];
    for (variables, programs, is_mac, has_terminal, expected) in [
        (&["WAYLAND_DISPLAY"][..], &all[..], false, true, "wl-copy wl-paste /bin/wl-paste"),
        (&both, &all, false, true, "wl-copy wl-paste /bin/wl-paste"),
        (&both, &["xclip"], false, true, "xclip xclip /bin/xclip"),
        (&["DISPLAY"], &all, false, true, "xclip xclip /bin/xclip"),
        (&["DISPLAY"], &["xsel"], false, true, "xsel xsel -"),
        // A program without its display is not a tool.
        (&["WAYLAND_DISPLAY"], &["xclip"], false, true, "- - -"),
        (&[], &all, false, true, "- - -"),
        (&["DISPLAY"], &wayland, false, true, "- - -"),
        (&["WAYLAND_DISPLAY"], &["wl-copy"], false, true, "wl-copy - -"),
        // Below Windows.
        (&["WSL_DISTRO_NAME"], &all, false, true, "clip.exe powershell.exe /bin/powershell.exe"),
        (&["WSL_INTEROP", "DISPLAY"], &["clip.exe"], false, true, "clip.exe - -"),
        (&["WSL_INTEROP", "DISPLAY"], &all, false, true, "xclip xclip /bin/xclip"),
        // A Mac.
        (&[], &mac, true, true, "pbcopy pbpaste /bin/osascript"),
        (&[], &mac, false, true, "- - -"),
        (&["SSH_CONNECTION"], &mac, true, true, "OSC 52 - -"),
        // Over ssh.
        (&["SSH_TTY"], &all, false, true, "OSC 52 - -"),
        (&["SSH_CLIENT"], &[], false, true, "OSC 52 - -"),
        (&["SSH_TTY"], &all, false, false, "- - -"),
        (&["SSH_TTY", "WSL_INTEROP"], &all, false, true, "OSC 52 - -"),
        (&["SSH_TTY", "DISPLAY"], &all, false, true, "xclip xclip /bin/xclip"),
        (&["SSH_TTY", "DISPLAY"], &[], false, true, "OSC 52 - -"),
    ] {
        let found = tools(variables, programs, is_mac, has_terminal);
        assert_eq!(found, expected, "{variables:?} {programs:?} {is_mac} {has_terminal}");
    }
}

#[test]
fn lines_of_windows_lose_their_cr_and_no_other() {
    assert_eq!(without_cr(b"a\r\nb\rc\n\r\n\r"), b"a\nb\rc\n\n\r");
}

/// A tool that hangs is ended, with everything that it started.
#[test]
fn a_tool_that_hangs_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo");
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let mut fifo = File::from(open(&path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).unwrap());
    let job = ToolRun {
        program: Path::new("/bin/sh"),
        args: &["-c", "/bin/sleep 1000 > \"$0\" & wait", path.to_str().unwrap()],
        input: &[],
        limit: Some(100),
        patience: Duration::from_millis(300),
    };
    let ended = run(&Process::empty(Vec::new(), None), &job).unwrap();
    let failure = done("tool", ended).unwrap_err();
    expect_test::expect!["the clipboard cannot be used: tool: it did not answer in 5 seconds and was ended"]
        .assert_eq(&failure.message);
    // Nobody writes to it any more once what the tool started has ended.
    fcntl_setfl(&fifo, OFlags::empty()).unwrap();
    assert_eq!(fifo.read_to_end(&mut Vec::new()).unwrap(), 0);
}
