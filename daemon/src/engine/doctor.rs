//! `doctor`: what of the daemon's surroundings works, and what to do about the rest.
//!
//! Everything is looked at as a request would: the sandbox is tried, the repository is checked as before a
//! commit. Nothing is changed, and nothing that is at fault ends it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clada_exec::{Sandbox, SandboxMode};
use clada_git::{GitMode, GitRepository, Unusable};
use clada_protocol::handshake::PROTOCOL;
use clada_protocol::method::CallSettings;
use clada_protocol::{Check, DoctorParams, DoctorResult, Setting, count_of, size_text, visible_path};

use super::Engine;
use super::request::{ProjectRequest, RequestContext};
use super::watching::{max_user_watches, reason};

const COUNTING: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_millis(100);

impl Engine {
    pub(crate) fn doctor(
        self: &Arc<Engine>,
        params: &DoctorParams,
        context: Arc<dyn RequestContext>,
    ) -> DoctorResult {
        let settings = context.settings().clone();
        let version = format!("clada-daemon {}, protocol {PROTOCOL}", env!("CARGO_PKG_VERSION"));
        let mut checks = vec![match (self.environment.is_replaced)() {
            false => Check::ok("daemon", version),
            true => Check::note(
                "daemon",
                format!("{version}; its program was replaced or removed since it started"),
                "clada stop: the next command starts the new one",
            ),
        }];
        checks.push(self.check_state());
        let request = params.root.as_deref().map(|root| self.request(root, context));
        // A project that cannot be used is a finding, and the checks that need none go on.
        let request = match request {
            None => None,
            Some(Ok(request)) => Some(request),
            Some(Err(error)) => {
                let hint = error.data.get("hint").and_then(serde_json::Value::as_str).unwrap_or_default();
                checks.push(Check::fault("project", error.message.clone(), hint));
                None
            }
        };
        checks.extend(self.check_settings(request.as_ref(), &settings));
        if let Some(request) = &request {
            checks.extend(request.check_project());
        }
        checks.extend(self.record_warnings().into_iter().map(|warning| Check::note("record", warning, "")));
        DoctorResult { checks }
    }

    fn check_state(&self) -> Check {
        let state = &self.environment.state;
        let shown = visible_path(&state.to_string_lossy()).into_owned();
        // It is made when something is recorded for the first time.
        let there = state.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
        if let Err(errno) = rustix::fs::access(there, rustix::fs::Access::WRITE_OK) {
            return Check::fault(
                "state",
                format!("{shown} cannot be written: {errno}"),
                "make it your own, or set XDG_STATE_HOME to another folder; a project's .clada/state is used meanwhile",
            );
        }
        let text = format!("{shown}: {}", size_text(self.projects.journals().bytes()));
        match FileSystem::of(there) {
            Some(FileSystem { kind, is_remote: true }) => Check::note(
                "state",
                format!("{text}, on a network file system ({kind})"),
                "set XDG_STATE_HOME to a folder on this machine: records are slower there",
            ),
            Some(FileSystem { kind, .. }) => Check::ok("state", format!("{text} ({kind})")),
            None => Check::ok("state", text),
        }
    }

    fn check_settings(
        self: &Arc<Engine>,
        request: Option<&ProjectRequest>,
        settings: &CallSettings,
    ) -> Vec<Check> {
        let shown = self.config.for_call(settings).show(request.map(|request| request.project().layer()));
        let mut checks: Vec<Check> = shown
            .warnings
            .iter()
            .map(|warning| match shown.broken {
                true => Check::fault("config", warning, "clada config edit"),
                false => Check::note("config", warning, ""),
            })
            .collect();
        if checks.is_empty() {
            let set = shown.settings.iter().filter(|setting| setting.default.is_some()).count();
            let mut text = format!("no fault; {} of your own", count_of(set, "setting"));
            if let Some(file) = self.config.user_file() {
                text.push_str(&format!(", in {}", visible_path(&file.to_string_lossy())));
            }
            checks.push(Check::ok("config", text));
        }
        // Read from what `show` reports, not from the settings: a broken file leaves no settings, and
        // doctor must run then.
        let word = |key: &str| {
            let setting = shown.settings.iter().find(|setting| setting.key == key);
            setting.and_then(|Setting { value, .. }| value.as_str()).unwrap_or_default().to_owned()
        };
        checks.push(self.check_sandbox(&word("exec.sandbox")));
        let does = match word("mcp.approvals").as_str() {
            "wait" => "a call that needs approval waits for yours (mcp.approvals: wait)",
            _ => "what needs approval is skipped and reported to the agent (mcp.approvals: tell)",
        };
        checks.push(match &self.environment.undetected_agents {
            None => Check::ok("agents", does),
            Some(why) => {
                Check::fault("agents", format!("{does}. {why}"), "clada stop, then start it without filters")
            }
        });
        checks
    }

    fn check_sandbox(&self, configured: &str) -> Check {
        let Some(runner) = &self.environment.runner else {
            let advice = "look at the log: clada log";
            return Check::fault(
                "sandbox",
                "no command can be run: the daemon's program cannot be opened",
                advice,
            );
        };
        // Asked for as with `auto`: also where the setting turns the sandbox off, the user learns what there
        // is.
        let best = runner.choose(SandboxMode::Auto);
        let known = runner.known().map(|sandbox| sandbox.describe()).unwrap_or_default();
        match (configured, best) {
            ("off", _) => Check::note(
                "sandbox",
                format!("off (exec.sandbox), although this one is there: {known}"),
                "clada config unset exec.sandbox",
            ),
            ("require", Ok(Sandbox::None)) => Check::fault(
                "sandbox",
                format!("required (exec.sandbox), and there is none: {known}"),
                "install bubblewrap, or set exec.sandbox to auto",
            ),
            (_, Ok(Sandbox::Bubblewrap | Sandbox::SandboxExec)) => Check::ok("sandbox", known),
            (_, Ok(Sandbox::Landlock)) => {
                Check::note("sandbox", known, "install bubblewrap, which keeps more")
            }
            (_, Ok(Sandbox::None)) => Check::note(
                "sandbox",
                format!("{known}: commands run as you, after your approval"),
                "install bubblewrap",
            ),
            (_, Err(error)) => Check::fault("sandbox", error.to_string(), "install bubblewrap"),
        }
    }
}

impl ProjectRequest {
    fn check_project(&self) -> Vec<Check> {
        let root = self.root();
        let shown = visible_path(&root.to_string_lossy()).into_owned();
        let project = match FileSystem::of(root) {
            Some(FileSystem { kind, is_remote: true }) => Check::note(
                "project",
                format!("{shown}, on a network file system ({kind})"),
                "other machines may change it without file events: stage and changes check every file",
            ),
            Some(FileSystem { kind, .. }) if kind == "overlay" => Check::note(
                "project",
                format!("{shown}, on an overlay file system"),
                "changes there may be lost with the container; keep the project in a volume",
            ),
            Some(FileSystem { kind, .. }) => Check::ok("project", format!("{shown} ({kind})")),
            None => Check::ok("project", shown),
        };
        let watches = match self.engine.unwatched() {
            Some(why) => Some(Check::note("watches", reason(why), "")),
            None => check_watches(root),
        };
        [Some(project), Some(self.check_git()), watches].into_iter().flatten().collect()
    }

    fn check_git(&self) -> Check {
        let opened = GitRepository::open(self.root(), self.environment().home.as_deref());
        let repository = match opened {
            Ok(Some(repository)) => repository.waiting(PATIENCE),
            Ok(None) => return Check::ok("git", "no repository, so no commits; undo still works"),
            Err(why) => return no_commits(&why),
        };
        let mut repository = repository;
        match repository.check() {
            Ok(()) => {
                let folder = repository.folder().to_string_lossy();
                let agents =
                    self.settings().map_or("", |settings| of_agents(settings.git_mode, settings.git_agents));
                Check::ok("git", format!("commits can be made in {}{agents}", visible_path(&folder)))
            }
            Err(why) => no_commits(&why),
        }
    }
}

fn of_agents(mode: GitMode, agents: GitMode) -> &'static str {
    match agents {
        _ if mode == GitMode::Off || mode == agents => "",
        GitMode::Branch => "; those of agents go to the branch (git.agents)",
        GitMode::Refs => "; those of agents go to refs/clada/…, alongside the branch (git.agents)",
        GitMode::Off => "; agents make none (git.agents)",
    }
}

fn no_commits(why: &Unusable) -> Check {
    let advice = match why {
        Unusable::InProgress(_) => "finish or abort it: git status",
        Unusable::Conflicts => "resolve them and git add the files",
        Unusable::ForeignOwner => "become the owner of the project's files (chown), or work as their owner",
        Unusable::Index("split") => "git update-index --no-split-index",
        Unusable::Index(_) => "git sparse-checkout disable, or git sparse-checkout init --no-sparse-index",
        Unusable::Bare => "work in a clone with a work tree",
        Unusable::Elsewhere(_) | Unusable::Special(_) => {
            "look at .git: it should be a folder of this project"
        }
        Unusable::Rules(_) => "write its patterns with fewer wildcards",
        Unusable::Other(why) if why.contains(" holds the repository's lock ") => {
            "wait for the other git; if none runs, delete that file"
        }
        Unusable::Other(_) => "git status and git fsck say more",
    };
    Check::note("git", format!("no commits for now: {why}; changes and undo still work"), advice)
}

fn check_watches(root: &Path) -> Option<Check> {
    let allowed = max_user_watches()?;
    let (folders, is_all) = count_folders(root, allowed, Instant::now() + COUNTING);
    let counted = if is_all { folders.to_string() } else { format!("at least {folders}") };
    let text =
        format!("{counted} folders in the project, {allowed} may be watched (fs.inotify.max_user_watches)");
    Some(match folders < allowed {
        true => Check::ok("watches", text),
        false => Check::note(
            "watches",
            text,
            format!("sudo sysctl fs.inotify.max_user_watches={}", allowed.max(1 << 16).saturating_mul(4)),
        ),
    })
}

fn count_folders(root: &Path, enough: usize, stop: Instant) -> (usize, bool) {
    let (mut count, mut open) = (0, vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        count += 1;
        if count > enough || Instant::now() > stop {
            return (count, false);
        }
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        open.extend(folders.filter(|entry| entry.file_name() != ".git").map(|entry| entry.path()));
    }
    (count, true)
}

#[derive(Debug, PartialEq, Eq)]
struct FileSystem {
    kind: String,
    is_remote: bool,
}

impl FileSystem {
    fn of(folder: &Path) -> Option<FileSystem> {
        let folder = folder.canonicalize().ok()?;
        FileSystem::listed(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &folder)
    }

    /// Finds it in the text of `mountinfo`: the last mount on the deepest folder around it.
    fn listed(mounts: &str, folder: &Path) -> Option<FileSystem> {
        let mount = |line: &str| {
            let (place, kind) = line.split_once(" - ")?;
            let point = PathBuf::from(place.split(' ').nth(4)?.replace("\\040", " "));
            Some((point, kind.split(' ').next()?.to_owned()))
        };
        let around = mounts.lines().filter_map(mount).filter(|(point, _)| folder.starts_with(point));
        let (_, kind) = around.max_by_key(|(point, _)| point.components().count())?;
        let remote =
            ["nfs", "cifs", "smb", "fuse", "9p", "ceph", "afs", "lustre", "gfs2", "ocfs2", "virtiofs"];
        Some(FileSystem { is_remote: remote.iter().any(|name| kind.starts_with(name)), kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_system_is_that_of_the_deepest_mount() {
        let mounts = "1 0 0:1 / / rw - overlay overlay rw\n2 1 0:2 / /home rw,x shared:1 - ext4 /dev/a rw\n\
                      3 2 0:3 / /home/ada/far\\040away rw - nfs4 host:/x rw\n4 1 0:4 / /home/b rw - fuse.sshfs x rw\n";
        let of = |path: &str| {
            FileSystem::listed(mounts, Path::new(path)).map(|found| (found.kind, found.is_remote))
        };
        assert_eq!(of("/etc"), Some(("overlay".to_owned(), false)));
        assert_eq!(of("/home/ada/x"), Some(("ext4".to_owned(), false)));
        assert_eq!(of("/home/ada/far away/x"), Some(("nfs4".to_owned(), true)));
        assert_eq!(of("/home/bb"), Some(("ext4".to_owned(), false)));
        assert_eq!(of("/home/b/x"), Some(("fuse.sshfs".to_owned(), true)));
    }

    #[test]
    fn counting_ends_when_it_is_enough() {
        let top = tempfile::tempdir().unwrap();
        for name in ["a/b", "c", ".git/objects"] {
            #[allow(clippy::disallowed_methods, reason = "folders that a test makes")]
            std::fs::create_dir_all(top.path().join(name)).unwrap();
        }
        let later = Instant::now() + Duration::from_secs(600);
        assert_eq!(count_folders(top.path(), 100, later), (4, true));
        assert_eq!(count_folders(top.path(), 2, later), (3, false));
    }

    #[test]
    fn each_reason_for_no_commits_has_a_way_out() {
        for why in [Unusable::InProgress("a merge"), Unusable::Index("split"), Unusable::Conflicts] {
            let check = no_commits(&why);
            assert!(check.text.contains(&why.to_string()) && check.advice.is_some());
        }
    }
}
