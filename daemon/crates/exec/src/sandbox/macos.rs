//! The text of the profile with which `sandbox-exec` of macOS enforces the same rules.

use std::fmt::Write;
use std::path::Path;

use crate::command_spec::{Access, Enclosure, Network};

#[cfg(not(target_os = "linux"))]
pub(crate) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Returns the profile for an enclosure; `temporary` is the command's own folder. Later rules win over
/// earlier ones.
#[must_use]
pub(crate) fn profile(enclosure: &Enclosure, temporary: &Path) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n");
    let mut say = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    say("(deny signal (target others))".to_owned());
    say("(allow signal (target same-sandbox))".to_owned());
    say("(deny process-info* (target others))".to_owned());
    say("(deny mach-priv-task-port)".to_owned());
    // Asking another program to act would be a way out.
    say("(deny appleevent-send)".to_owned());
    say("(deny lsopen)".to_owned());
    match enclosure.network {
        Network::Off => say("(deny network*)".to_owned()),
        Network::On => say("(deny network-outbound (remote unix-socket))".to_owned()),
    }
    say("(deny file-write*)".to_owned());
    for device in ["/dev/null", "/dev/zero", "/dev/dtracehelper"] {
        say(format!("(allow file-write* (literal {}))", quoted(Path::new(device))));
    }
    let root = (enclosure.access == Access::Change).then_some(enclosure.root.as_path());
    let named = enclosure.writable.iter().map(|folder| folder.as_path());
    for folder in root.into_iter().chain(named).chain([temporary]) {
        say(format!("(allow file-write* (subpath {}))", quoted(folder)));
    }
    for path in &enclosure.protected {
        say(format!("(deny file-write* (subpath {}))", quoted(path)));
    }
    // In the order of the paths: the rule for a deeper path comes later, and wins.
    let hidden = enclosure.hidden.iter().map(|path| (path, "(deny file-read* file-write*"));
    // The project is visible wherever it lies.
    let within = enclosure.hidden.iter().any(|path| enclosure.root.starts_with(path));
    let shown = enclosure.shown.iter().chain(within.then_some(&enclosure.root));
    let mut below: Vec<_> = hidden.chain(shown.map(|path| (path, "(allow file-read*"))).collect();
    below.sort();
    for (path, rule) in below {
        say(format!("{rule} (subpath {}))", quoted(path)));
    }
    text
}

fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn enclosure(access: Access, network: Network) -> Enclosure {
        Enclosure {
            root: PathBuf::from("/Users/x/pro\"ject"),
            access,
            writable: vec![PathBuf::from("/Users/x/.npm")],
            hidden: vec![PathBuf::from("/Users/x/.ssh")],
            shown: Vec::new(),
            home: None,
            protected: vec![PathBuf::from("/Users/x/pro\"ject/.git")],
            watched: Vec::new(),
            network,
        }
    }

    #[test]
    fn the_profile_has_the_same_rules() {
        let profile = profile(&enclosure(Access::Change, Network::Off), Path::new("/private/tmp/c"));
        assert_eq!(
            profile,
            r#"(version 1)
(allow default)
(deny signal (target others))
(allow signal (target same-sandbox))
(deny process-info* (target others))
(deny mach-priv-task-port)
(deny appleevent-send)
(deny lsopen)
(deny network*)
(deny file-write*)
(allow file-write* (literal "/dev/null"))
(allow file-write* (literal "/dev/zero"))
(allow file-write* (literal "/dev/dtracehelper"))
(allow file-write* (subpath "/Users/x/pro\"ject"))
(allow file-write* (subpath "/Users/x/.npm"))
(allow file-write* (subpath "/private/tmp/c"))
(deny file-write* (subpath "/Users/x/pro\"ject/.git"))
(deny file-read* file-write* (subpath "/Users/x/.ssh"))
"#
        );
    }

    #[test]
    fn what_only_reads_may_not_change_the_root_and_a_network_can_be_granted() {
        let profile = profile(&enclosure(Access::Read, Network::On), Path::new("/private/tmp/c"));
        assert!(!profile.contains(r#"(allow file-write* (subpath "/Users/x/pro"#));
        assert!(!profile.contains("(deny network*)"));
        assert!(profile.contains("(deny network-outbound (remote unix-socket))"));
    }
}
