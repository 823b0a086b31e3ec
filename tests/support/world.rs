//! A world for one test: a home, a project, a socket, and the daemon that serves them.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Answer, Connection, Ran, Tree, feed};

const CLIENT: &str = env!("CARGO_BIN_EXE_it-client");
const DAEMON: &str = env!("CARGO_BIN_EXE_it-daemon");

/// Set, it makes the daemon act as on a kernel without Landlock.
const WITHOUT_LANDLOCK: &str = "IT_WITHOUT_LANDLOCK";

/// The whole world of the programs. When it ends, its daemon is stopped and has to be gone.
#[derive(Debug)]
pub(crate) struct World {
    top: PathBuf,
    variables: Vec<(OsString, OsString)>,
    _folder: TempDir,
}

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::Builder::new().prefix("clada-it").tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let world = World { top, variables: Vec::new(), _folder: folder };
        for name in ["project", "home", "run", "config/clada", "state", "outside", "tmp"] {
            std::fs::create_dir_all(world.path(name)).unwrap();
        }
        std::fs::set_permissions(world.path("run"), PermissionsExt::from_mode(0o700)).unwrap();
        world
    }

    /// A world whose user has this configuration.
    pub(crate) fn with_config(yaml: &str) -> World {
        let world = World::new();
        std::fs::write(world.path("config/clada/config.yaml"), yaml).unwrap();
        world
    }

    /// Sets a variable of the programs that are started from now on.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.push((name.into(), value.into()));
    }

    /// A path next to the project: `project`, `home`, `outside`, …
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// The project's root, as requests and answers name it.
    pub(crate) fn root(&self) -> String {
        self.project().into_os_string().into_string().unwrap()
    }

    /// The absolute path of a file of the project.
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.root())
    }

    /// Writes a file of the project, with its folders.
    pub(crate) fn lay(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.project().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.project().join(name).symlink_metadata().is_ok()
    }

    /// Returns a text for comparison: it is the same in every run and on every machine, and control
    /// characters are seen.
    pub(crate) fn shown(&self, text: &str) -> String {
        let text = without_progress(text).replace(self.top.to_str().unwrap(), "/TOP");
        without_times(&without_ids(&text)).chars().map(picture).collect()
    }

    /// The project as it is now.
    pub(crate) fn tree(&self) -> Tree {
        Tree::of(&self.project())
    }

    /// The client with these arguments, in the project.
    pub(crate) fn client(&self, args: &[&str]) -> Command {
        let mut command = self.program(CLIENT);
        command.args(args);
        command
    }

    /// Any program, with the world's environment and in its project.
    pub(crate) fn program(&self, program: &str) -> Command {
        // Found here: to search a PATH of its own the command would fork, which copies the tables of the tests' memory.
        let paths = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(program));
        let path = paths.into_iter().find(|path| path.exists());
        let mut command = Command::new(path.unwrap_or_else(|| program.into()));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("TMPDIR", self.path("tmp"))
            .env("TERM", "xterm")
            .env("CLADA_SOCKET", self.socket())
            .env("CLADA_DAEMON", DAEMON)
            .env("CLADA_REVIEW", env!("CARGO_BIN_EXE_it-review"))
            .env("IT_PERSON", self.path("home"))
            .envs(std::env::var_os(WITHOUT_LANDLOCK).map(|value| (WITHOUT_LANDLOCK, value)))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the client with this on its standard input.
    pub(crate) fn run(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        feed(&mut self.client(args), stdin.as_ref())
    }

    /// Runs `apply` and returns its report.
    pub(crate) fn apply(&self, answer: &Answer) -> Ran {
        self.run(&["apply"], answer.text())
    }

    /// Runs `apply --json` with further arguments and returns its result. The exit status must agree with the
    /// result.
    pub(crate) fn apply_json(&self, args: &[&str], answer: impl AsRef<[u8]>) -> Value {
        let ran = self.run(&[&["--json", "apply"], args].concat(), answer);
        let result: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(result["success"], json!(ran.code == 0), "{ran:?}");
        result
    }

    /// A connection to the daemon, which is started if need be.
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(&self.socket()).unwrap_or_else(|_| {
            let ran = self.run(&["status"], "");
            assert_eq!(ran.code, 0, "{ran:?}");
            Connection::open(&self.socket()).unwrap()
        })
    }

    /// The daemon's `status`.
    pub(crate) fn status(&self) -> Value {
        self.connect().call("status", &json!({}))
    }

    /// The result of `execute` with this answer and further parameters.
    pub(crate) fn execute(&self, answer: &Answer, more: Value) -> Value {
        let mut params = json!({ "root": self.root(), "text": answer.text() });
        if let Value::Object(more) = more {
            params.as_object_mut().unwrap().extend(more);
        }
        self.connect().call("execute", &params)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("run/s")
    }

    /// Asks the daemon, if there is one, to end, and waits until its process is gone.
    pub(crate) fn stop(&self) -> Result<(), String> {
        let Ok(mut connection) = Connection::open(&self.socket()) else { return Ok(()) };
        let status = connection.try_call("status", &json!({})).map_err(|error| error.to_string())?;
        World::end(&status, || {
            connection.try_call("shutdown", &json!({})).map_err(|error| error.to_string())?;
            drop(connection);
            Ok(())
        })
    }

    /// Has `shutdown` end the daemon that this is the `status` of, and waits until its process is gone.
    pub(crate) fn end(status: &Value, shutdown: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let pid = status["pid"].as_i64().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let watched = Watched::new(pid.ok_or("status has no pid")?);
        shutdown()?;
        watched.wait()
    }

    /// Ends the daemon in the middle of its work, and waits until it is gone, and with it every process whose
    /// command line holds `mark`.
    #[cfg(target_os = "linux")]
    pub(crate) fn kill(&self, mark: &str) -> Result<(), String> {
        let pid = self.status()["pid"].as_i64().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let pid = pid.ok_or("status has no pid")?;
        let mut watched = vec![Watched::new(pid)];
        for entry in std::fs::read_dir("/proc").map_err(|error| error.to_string())?.flatten() {
            let found = entry.file_name().to_str().and_then(|name| Pid::from_raw(name.parse().ok()?));
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let holds = String::from_utf8_lossy(&line).contains(mark);
            watched.extend(found.filter(|_| holds).map(Watched::new));
        }
        if watched.len() < 2 {
            return Err(format!("no process has '{mark}' in its command line"));
        }
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)
            .map_err(|error| error.to_string())?;
        watched.into_iter().try_for_each(Watched::wait)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.stop().unwrap();
        } else if let Ok(connection) = Connection::open(&self.socket()) {
            // What failed may be the daemon: it is not asked.
            connection.kill_peer();
        }
    }
}

/// A process that is to end.
struct Watched {
    pid: Pid,
    #[cfg(target_os = "linux")]
    descriptor: Option<rustix::fd::OwnedFd>,
}

impl Watched {
    fn new(pid: Pid) -> Watched {
        Watched {
            pid,
            #[cfg(target_os = "linux")]
            descriptor: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok(),
        }
    }

    /// Waits for the end of the process, for at most two minutes.
    #[cfg(target_os = "linux")]
    fn wait(self) -> Result<(), String> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(descriptor) = &self.descriptor else { return Ok(()) };
        let limit = Timespec { tv_sec: 120, tv_nsec: 0 };
        match poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&limit)) {
            Ok(0) => Err(format!("the daemon, process {}, is still there", self.pid.as_raw_nonzero())),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn wait(self) -> Result<(), String> {
        // No descriptor reports the end of another process's child here: it is polled until it is gone.
        for _ in 0..12_000 {
            if rustix::process::test_kill_process(self.pid).is_err() {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Err(format!("the daemon, process {}, is still there", self.pid.as_raw_nonzero()))
    }
}

/// Returns the text with the same words in place of ids, hashes and fences, which differ from run to run.
pub(crate) fn without_ids(text: &str) -> String {
    let is_id = |word: &&str| {
        matches!(word.len(), 10 | 16 | 18 | 24 | 32 | 40) && word.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let text = words.filter(is_id).fold(text.to_owned(), |text, id| text.replace(id, "ID"));
    without_operations(&text)
}

/// Returns the text with `ID` in place of the ids of operations, also where only the beginning of one is shown:
/// behind the words that come before one, and at the beginning of a line of the history.
fn without_operations(text: &str) -> String {
    const BEFORE: [&str; 13] = [
        "peration ",
        "--resume ",
        "clada undo ",
        "clada redo ",
        "Cannot undo ",
        "Cannot redo ",
        "undoes ",
        "redoes ",
        "ndo of ",
        "edo of ",
        "takes back ",
        "back by ",
        "done by ",
    ];
    let mut shown = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.bytes().take_while(|letter| (b'k'..=b'z').contains(letter)).count();
        let (word, after) = rest.split_at(length);
        let is_word = !shown.ends_with(|c: char| c.is_ascii_alphanumeric())
            && !after.starts_with(|c: char| c.is_ascii_alphanumeric());
        let at_start = (shown.is_empty() || shown.ends_with('\n')) && after.starts_with("  ");
        let named = length == 12
            || (3..12).contains(&length) && (at_start || BEFORE.iter().any(|before| shown.ends_with(before)));
        if is_word && named {
            shown.push_str("ID");
            rest = after;
        } else if length > 0 {
            shown.push_str(word);
            rest = after;
        } else {
            shown.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    shown
}

/// Returns the text with `TIME` in place of each date and time of day, as in `2026-11-21 09:30`, and `[0 ms]`
/// at the end of a line for any time that something took.
/// `text` without the lines about work that takes long, which a busy machine shows and clears again.
fn without_progress(text: &str) -> String {
    const CLEAR: &str = "\r\x1b[K";
    let (first, rest) = text.split_once(CLEAR).unwrap_or((text, ""));
    let is_progress = |line: &&str| line.contains("Ctrl-C stops it") && !line.contains('\n');
    rest.split(CLEAR).filter(|line| !is_progress(line)).fold(first.to_owned(), |all, line| all + line)
}

fn without_times(text: &str) -> String {
    let is_time = |word: &&str| {
        word.len() >= 5
            && word.bytes().all(|b| b.is_ascii_digit() || b"-:TZ".contains(&b))
            && word.contains(['-', ':'])
            && word.starts_with(|letter: char| letter.is_ascii_digit())
    };
    let words = text.split([' ', '\n', '(', ')', ',']);
    let text = words.filter(is_time).fold(text.to_owned(), |text, time| text.replace(time, "TIME"));
    let text = without_ago(&text);
    let took = |line: &str| match line.strip_suffix(" ms]").and_then(|line| line.rsplit_once(" [")) {
        Some((line, _)) => format!("{line} [0 ms]"),
        None => line.to_owned(),
    };
    text.split('\n').map(took).collect::<Vec<_>>().join("\n")
}

/// Returns the text with `AGO` in place of how long ago an operation of the list was.
fn without_ago(text: &str) -> String {
    let ago = |line: &str| {
        let (id, rest) = line.split_once("  ")?;
        let (ago, rest) = rest.split_once("  ")?;
        let is_ago = ago == "just now" || ago.trim_end().ends_with(" ago");
        is_ago.then(|| format!("{id}  AGO  {}", rest.trim_start()))
    };
    text.split('\n').map(|line| ago(line).unwrap_or_else(|| line.to_owned())).collect::<Vec<_>>().join("\n")
}

/// The picture of a control character but the end of a line, else the character.
fn picture(letter: char) -> char {
    match letter {
        '\0'..' ' if letter != '\n' => char::from_u32('\u{2400}' as u32 + letter as u32).unwrap(),
        _ => letter,
    }
}
