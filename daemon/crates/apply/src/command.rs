//! Commands of an answer, as data: what would run, where and how, and what the user is asked about it.
//!
//! Decides nothing about approval and starts nothing: the planner makes a [`PlannedCommand`], the executor
//! hands it to the runner.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clada_command_changes::{AtRisk, Git, Repositories, SnapshotCache, repositories_in};
use clada_config::ExecHome;
use clada_exec::{
    ARGUMENT, Access, Bounds, CommandSpec, Enclosure, Language, Network, PATH, Private, Runner, Sandbox,
    find, variable,
};
use clada_fs::{Roots, Timestamp};
use clada_git::{GitUser, Located};
use clada_protocol::{Approval, ApprovalKind, CommandApproval, LinkedOutside, NotUndoable};
use clada_schema::Action;

use crate::read::answer::Step;

pub(crate) const READING_TIME: Duration = Duration::from_secs(5);

const ENDING: Duration = Duration::from_secs(2);

/// The surroundings in which commands of an operation run.
#[derive(Debug, Clone)]
pub struct Commands {
    /// The runner of commands.
    pub runner: Arc<Runner>,
    /// The sandbox that they run in, or why none runs.
    pub sandbox: Result<Sandbox, String>,
    /// The project's root, resolved.
    pub root: PathBuf,
    /// The folder that a command runs in if it names none, as a path of an answer.
    pub folder: String,
    /// The environment of every command.
    pub environment: Vec<(OsString, OsString)>,
    /// The names of the client's variables that commands do not get.
    pub withheld: Arc<[String]>,
    /// Permission bits that new files do not get.
    pub umask: u32,
    /// The longest time of a command.
    pub time: Duration,
    /// Bytes that are kept of its output.
    pub output: usize,
    /// The commands' reach into a network.
    pub network: Network,
    /// Folders besides the root that they may change.
    pub writable: Vec<PathBuf>,
    /// Paths that are not there for them, or stay as they are.
    pub private: Private,
    /// The roots, for looking at every path of the project.
    pub open: Roots,
    /// The memory of the project from one command to the next.
    pub snapshot_cache: SnapshotCache,
    /// The person's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// Whose configuration of git counts for what git shows.
    pub user: Option<GitUser>,
    /// The clock.
    pub now: fn() -> SystemTime,
    /// Commands that the user has approved for good.
    pub trusted: Vec<Trusted>,
    /// Files and folders that they see even if they would be hidden.
    pub readable: Vec<PathBuf>,
    /// The part of the home folder that they see.
    pub home_shown: ExecHome,
    /// The roots, with what is held back, if code that runs in a sandbox needs no approval.
    pub code_in_sandbox: Option<Roots>,
    /// True if a command that is approved for good is asked about again, without a sandbox, once the answer
    /// has changed files.
    pub ask_after_edit: bool,
}

/// A command that the user has approved for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// The command, as it is written.
    pub command: String,
    /// Its folder, resolved.
    pub folder: PathBuf,
    /// The file of its program; `None`: nobody recorded which that was.
    pub program: Option<PathBuf>,
    /// Its reach into a network.
    pub network: Network,
}

impl Trusted {
    pub(crate) fn why_not_for(&self, program: &Path) -> Option<String> {
        match &self.program {
            Some(approved) if approved == program => None,
            Some(approved) => Some(format!(
                "it is approved for '{}', but would now run '{}'",
                approved.display(),
                program.display()
            )),
            None => Some(format!(
                "it was approved by a version that did not record the program; it would now run '{}'",
                program.display()
            )),
        }
    }
}

/// The file of the program that a command in `folder` calls `name`. One of the project may come to be by an
/// edit before it, so it need not be there yet.
pub fn program_file(name: &str, folder: &Path, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(folder.join(name));
    }
    find(name.as_ref(), variable(environment, "PATH").unwrap_or(OsStr::new(PATH)), folder)
}

impl Commands {
    pub(crate) fn path(&self) -> &OsStr {
        variable(&self.environment, "PATH").unwrap_or(OsStr::new(PATH))
    }

    pub(crate) fn git(&self) -> Git {
        Git::for_root(&self.root, self.home.as_deref())
    }

    pub(crate) fn timestamp(&self) -> Timestamp {
        timestamp((self.now)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
    }

    // Describes for the commands among `approvals` what could not be brought back if they changed it, and
    // which files lead elsewhere. It is not a part of their ids: it changes with every build.
    pub(crate) fn describe_not_undoable(&self, approvals: &mut [Approval], stopped: &dyn Fn() -> bool) {
        let mut commands = approvals.iter_mut().filter_map(|approval| approval.command.as_mut()).peekable();
        if commands.peek().is_none() {
            return;
        }
        let AtRisk { paths, count, linked, complete } =
            AtRisk::scan(&self.open, &self.git(), &self.snapshot_cache, self.timestamp(), stopped);
        let not_undoable = NotUndoable { paths, count, incomplete: !complete };
        let linked = LinkedOutside { paths: linked.paths, count: linked.count };
        for command in commands {
            command.not_undoable = Some(not_undoable.clone());
            command.linked_outside = (linked.count > 0).then(|| linked.clone());
            command.processes = self.runner.only_counts().then(|| "counted".to_owned());
        }
    }

    /// When a command that begins now, and may take `time`, is over in any case.
    pub(crate) fn over_after(&self, time: Duration) -> Timestamp {
        let now = (self.now)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        timestamp(now + time + ENDING)
    }

    pub(crate) fn trusted(&self, command: &str, folder: &std::path::Path) -> Option<&Trusted> {
        self.trusted.iter().find(|trusted| trusted.command == command && trusted.folder == folder)
    }
}

fn timestamp(since: Duration) -> Timestamp {
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Timestamp { seconds, nanoseconds: since.subsec_nanos() }
}

#[derive(Debug, Clone)]
pub(crate) struct GitRead {
    pub(crate) root: PathBuf,
    pub(crate) repository: Option<Located>,
}

/// One program to be run for an action.
#[derive(Debug, Clone)]
pub struct PlannedCommand {
    /// The command as it is written; of code the whole of it.
    pub text: String,
    /// The language, if it is code.
    pub language: Option<Language>,
    /// The command that is run. The arguments of code are settled when it is run: long code goes through a
    /// file.
    pub spec: CommandSpec,
    /// Inside of this.
    pub sandbox: Sandbox,
    /// True if nobody was asked: the project's secrets are not there for it.
    pub unasked: bool,
    /// The name of the action, for messages.
    pub action: &'static str,
    /// The repository that git reads, through a private folder. `None` for all other programs, and for a
    /// command of git that was asked about.
    pub(crate) git: Option<GitRead>,
    /// The names of the client's variables that it does not get.
    pub(crate) withheld: Arc<[String]>,
    /// The hash of the file of the project that it runs: its program, or the script that it names. `None`: neither
    /// lies in the project.
    pub(crate) script: Option<blake3::Hash>,
}

impl PlannedCommand {
    pub(crate) fn new(
        commands: &Commands,
        sandbox: Sandbox,
        program: PathBuf,
        folder: PathBuf,
    ) -> PlannedCommand {
        let enclosure =
            Enclosure::of_project(&commands.root, Access::Change, commands.network, &commands.private)
                .with_writable(&commands.writable);
        // What is configured to be readable comes last: it shows parts of a home folder that is hidden.
        let enclosure = match commands.home_shown {
            ExecHome::Hide => enclosure.with_home_hidden(),
            ExecHome::Auto | ExecHome::Show => enclosure.with_home_shown(),
        };
        let enclosure = enclosure.with_readable(&commands.readable);
        let bounds = Bounds { time: commands.time, output: commands.output, ..Bounds::default() };
        let spec = CommandSpec {
            program,
            arguments: Vec::new(),
            folder,
            environment: commands.environment.clone(),
            umask: commands.umask,
            bounds,
            enclosure: Some(enclosure),
        };
        PlannedCommand {
            text: String::new(),
            language: None,
            spec,
            sandbox,
            action: "run",
            unasked: false,
            git: None,
            withheld: Arc::clone(&commands.withheld),
            script: None,
        }
    }

    /// Has it run without anybody being asked, if the configuration says so and the sandbox keeps every rule.
    pub(crate) fn unless_asked(mut self, commands: &Commands) -> PlannedCommand {
        self.unasked = commands.code_in_sandbox.is_some() && self.sandbox.keeps_parts_of_the_root();
        if !self.unasked {
            return self;
        }
        let hides_home = commands.home_shown == ExecHome::Auto;
        let enclosure = self.spec.enclosure.take().map(|enclosure| {
            if hides_home { enclosure.with_home_hidden() } else { enclosure }.with_system_secrets_hidden()
        });
        self.spec.enclosure = enclosure.map(|enclosure| enclosure.with_readable(&commands.readable));
        self
    }

    /// The same, with the `repositories` in the folder `root` kept as they are.
    pub(crate) fn keeping(mut self, root: &Path, repositories: &Repositories) -> PlannedCommand {
        let keep =
            |own: Enclosure| own.with_repositories(root, repositories.with_work_tree(), repositories.bare());
        self.spec.enclosure = self.spec.enclosure.map(keep);
        self
    }

    /// The same, with the repositories kept as they are that lie in other roots than the project's and may be
    /// changed.
    pub(crate) fn keeping_others(self, commands: &Commands, stopped: &dyn Fn() -> bool) -> PlannedCommand {
        let may_change = |root: &Path| commands.writable.iter().any(|writable| root.starts_with(writable));
        let others = commands.open.paths().enumerate().skip(1).filter(|(_, root)| may_change(root));
        others.fold(self, |command, (number, root)| {
            command.keeping(root, &repositories_in(&commands.open, number, stopped))
        })
    }

    #[must_use]
    pub(crate) fn may_change(&self) -> bool {
        let reads = |enclosure: &Enclosure| enclosure.access == Access::Read;
        self.sandbox == Sandbox::None || !self.spec.enclosure.as_ref().is_some_and(reads)
    }

    #[must_use]
    pub(crate) fn network(&self) -> Network {
        let enclosure = self.spec.enclosure.as_ref().filter(|_| self.sandbox != Sandbox::None);
        enclosure.map_or(Network::On, |enclosure| enclosure.network)
    }

    #[must_use]
    pub(crate) fn is_long(&self) -> bool {
        self.language.is_some() && self.text.len() > ARGUMENT
    }

    /// Returns the id of the approval of `command`, with this reach into a network. It covers what the user agrees
    /// to: a command that differs in any of this is asked about again.
    fn approval_id(&self, root: &Path, command: &CommandApproval, network: Network) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        };
        add(self.action.as_bytes());
        add(root.as_os_str().as_encoded_bytes());
        add(self.spec.folder.as_os_str().as_encoded_bytes());
        add(self.text.as_bytes());
        add(self.spec.program.as_os_str().as_encoded_bytes());
        add(&[u8::from(network == Network::On), u8::from(self.sandbox == Sandbox::None)]);
        add(&command.timeout_ms.to_le_bytes());
        // A person who approved `./build.sh` approved the one that was there.
        if let Some(script) = &self.script {
            add(script.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    pub(crate) fn with_network(mut self) -> PlannedCommand {
        if let Some(enclosure) = &mut self.spec.enclosure {
            enclosure.network = Network::On;
        }
        self
    }

    /// Returns the approval that the user is asked for. The id depends on everything that is shown, and on
    /// the root.
    pub(crate) fn approval(&self, step: &Step, root: &std::path::Path, reason: String) -> Approval {
        let path = self.spec.folder.to_string_lossy().into_owned();
        let (command, code) = match &step.action {
            Ok(Action::Exec(exec)) => (exec.lang.name().to_owned(), Some(self.text.clone())),
            _ => (self.text.clone(), None),
        };
        let command = CommandApproval {
            command,
            code,
            dir: path.clone(),
            program: self.spec.program.to_string_lossy().into_owned(),
            network: self.network() == Network::On,
            with_network: None,
            timeout_ms: u64::try_from(self.spec.bounds.time.as_millis()).unwrap_or(u64::MAX),
            sandbox: self.sandbox.name().to_owned(),
            not_undoable: None,
            linked_outside: None,
            processes: None,
        };
        // The same command with a network has an id of its own, so that approving one never approves the
        // other.
        let with_network = (!command.network).then(|| self.approval_id(root, &command, Network::On));
        let command = CommandApproval { with_network, ..command };
        let hides = [&self.text, &command.program, &path].map(|text| clada_protocol::is_suspicious(text));
        Approval {
            id: self.approval_id(root, &command, self.network()),
            kind: ApprovalKind::Command,
            task: Some(step.task.clone()),
            suspicious: hides.contains(&true),
            path,
            reason,
            change: None,
            text: None,
            command: Some(command),
        }
    }
}
