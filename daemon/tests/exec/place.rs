//! A place in which commands are run, and a look at what they leave behind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_daemon::exec::{
    Access, Bounds, Enclosure, ExecError, Follow, Helper, Network, Order, Outcome, Runner, Sandbox,
};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_clada-daemon");

/// Far more than anything here takes; what hangs fails by it.
pub(crate) const AMPLE: Duration = Duration::from_secs(60);

/// A project and its surroundings, all of them temporary.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) runner: Runner,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder =
            tempfile::Builder::new().prefix("clada-exec-test").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.unwrap();
        for name in ["root", "temporary", "outside"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let helper = Helper::of(Path::new(PROGRAM)).unwrap();
        let runner = Runner::new(helper, folder.path().join("temporary"));
        Place { folder, runner }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A script of the shell as an order, without a sandbox.
    pub(crate) fn script(&self, script: &str) -> Order {
        Order {
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
            protected: vec![root.join(".git"), root.join(".clada")],
            watched: Vec::new(),
            root,
            network,
        }
    }

    pub(crate) fn run(&self, order: &Order) -> Outcome {
        self.run_in(order, Sandbox::None).unwrap()
    }

    pub(crate) fn run_in(&self, order: &Order, sandbox: Sandbox) -> Result<Outcome, ExecError> {
        self.runner.run(order, sandbox, None, &mut Follow { stop: &|| false, sink: &mut |_, _| {} })
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
