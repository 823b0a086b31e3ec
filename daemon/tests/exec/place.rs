//! A place in which commands are run, and a look at what they leave behind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_exec::{
    Access, Bounds, CommandSpec, Enclosure, ExecError, Follow, Helper, Network, Outcome, Runner, Sandbox,
    Scratch,
};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_clada-daemon");

/// The variable of the folder in which places are made, if it is not that of cargo.
pub(crate) const FOLDER: &str = "CLADA_TEST_FOLDER";

/// Far more than anything here takes; what hangs fails by it.
pub(crate) const AMPLE: Duration = Duration::from_secs(60);

/// Returns whether users other than the owner may enter `folder` and all folders above it, and says which they may not.
pub(crate) fn others_may_enter(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    let closed = folder
        .ancestors()
        .find(|folder| std::fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o001 == 0));
    if let Some(closed) = closed {
        println!("other users cannot enter '{}': not tried", closed.display());
    }
    closed.is_none()
}

/// A project and its surroundings, all of them temporary.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) runner: Runner,
}

impl Place {
    pub(crate) fn new() -> Place {
        let within = std::env::var_os(FOLDER).unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
        // A command says where it is without links.
        let within = std::fs::canonicalize(within).unwrap();
        let folder = tempfile::Builder::new().prefix("clada-exec-test").tempdir_in(within).unwrap();
        for name in ["root", "temporary", "outside"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let program = std::env::var_os("CLADA_TEST_PROGRAM").unwrap_or_else(|| PROGRAM.into());
        let helper = Helper::from_program(Path::new(&program)).unwrap();
        let runner = Runner::new(helper, folder.path().join("temporary"));
        let has_landlock = std::env::var_os("IT_WITHOUT_LANDLOCK").is_none();
        let runner = if has_landlock { runner } else { runner.without_landlock() };
        Place { folder, runner }
    }

    /// One whose commands have no cgroups.
    #[cfg(target_os = "linux")]
    pub(crate) fn without_cgroups() -> Place {
        let Place { folder, runner } = Place::new();
        Place { folder, runner: runner.without_cgroups() }
    }

    /// Returns true if this lies in a folder of temporary files, as it does in a checkout below `/tmp`.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_temporary(&self) -> bool {
        ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|folder| self.folder.path().starts_with(folder))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A script of the shell as a spec, without a sandbox.
    pub(crate) fn script(&self, script: &str) -> CommandSpec {
        CommandSpec {
            program: PathBuf::from("/bin/sh"),
            arguments: vec![OsString::from("-c"), OsString::from(script), OsString::from(self.mark())],
            folder: self.path("root"),
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            umask: 0o022,
            bounds: Bounds { time: AMPLE, ..Bounds::default() },
            enclosure: None,
        }
    }

    /// A word that stands among the arguments of all that this place runs.
    pub(crate) fn mark(&self) -> String {
        self.folder.path().file_name().unwrap().to_str().unwrap().to_owned()
    }

    pub(crate) fn enclosure(&self, access: Access, network: Network) -> Enclosure {
        let root = self.path("root");
        Enclosure {
            access,
            writable: Vec::new(),
            hidden: vec![self.path("outside/hidden")],
            shown: Vec::new(),
            home: None,
            protected: vec![root.join(".git"), root.join(".clada")],
            watched: Vec::new(),
            root,
            network,
        }
    }

    /// Puts this very program into the root, as what tries things there.
    pub(crate) fn copy_probe(&self) {
        let (own, probe) = (std::env::current_exe().unwrap(), self.path("root/probe"));
        // A copy is made by another process: one that we write ourselves could still be open for writing, in a child
        // that another test starts just then, when it is to be run.
        let copied = || {
            let status = std::process::Command::new("cp").arg(&own).arg(&probe).status();
            status.is_ok_and(|status| status.success())
        };
        assert!(probe.exists() || std::fs::hard_link(&own, &probe).is_ok() || copied());
    }

    /// A spec that tries `what`, in an enclosure; see `probes::attempt`.
    pub(crate) fn probe(&self, what: &str) -> CommandSpec {
        let mut spec = self.script("exec ./probe --exact probes::attempt::attempt --nocapture");
        spec.environment.push(("CLADA_PROBE".into(), what.into()));
        spec.enclosure = Some(self.enclosure(Access::Change, Network::Off));
        spec
    }

    /// Lets other users reach this place, and start the program under test. Returns false, and says so, if a folder
    /// above is closed to them, as the home folder of root is.
    #[must_use]
    pub(crate) fn open_to_others(&self) -> bool {
        use std::os::unix::fs::PermissionsExt;

        std::fs::set_permissions(self.folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        others_may_enter(self.folder.path())
    }

    pub(crate) fn run_with(
        &self,
        spec: &CommandSpec,
        sandbox: Sandbox,
        scratch: &Scratch,
    ) -> Result<Outcome, ExecError> {
        self.runner.run(spec, sandbox, Some(scratch), &mut Follow { stop: &|| false, sink: &mut |_, _| {} })
    }

    pub(crate) fn run(&self, spec: &CommandSpec) -> Outcome {
        self.run_in(spec, Sandbox::None).unwrap()
    }

    pub(crate) fn run_in(&self, spec: &CommandSpec, sandbox: Sandbox) -> Result<Outcome, ExecError> {
        self.runner.run(spec, sandbox, None, &mut Follow { stop: &|| false, sink: &mut |_, _| {} })
    }

    /// Processes whose arguments or folder show that they were started from here.
    #[cfg(target_os = "linux")]
    pub(crate) fn left(&self) -> Vec<String> {
        let mark = self.mark();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let numbers = processes.map(|entry| entry.file_name().into_string().unwrap());
        let of_here = |number: &String| {
            let folder = format!("/proc/{number}");
            let arguments = std::fs::read(format!("{folder}/cmdline")).unwrap_or_default();
            let cwd = std::fs::read_link(format!("{folder}/cwd")).unwrap_or_default();
            String::from_utf8_lossy(&arguments).contains(&mark) || cwd.to_string_lossy().contains(&mark)
        };
        let found = numbers.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())).filter(of_here);
        found.collect()
    }
}
