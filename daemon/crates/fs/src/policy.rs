//! Decides by names alone which paths are denied, held back or need approval.
//!
//! Pure: reads no file, knows no root's descriptor. A path is given as the form relative to a root and the
//! absolute forms of the same file. A list refuses it if any form matches; [`super::globs`] has the rules.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clada_protocol::ErrorKind;

use super::folder_rules::FolderRules;
use super::globs::{Forms, GlobError, GlobList};
use super::rule_lists::{PolicyGlobs, RuleKind, RuleLists};

/// The verdict of the names on a read or a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The action is allowed.
    Allow,
    /// The user has to approve; the reason is shown to the user.
    Ask(String),
    /// The action is refused: `path_denied` or `secret`, and the reason.
    Deny(ErrorKind, String),
}

const MOST_LISTS: usize = 16;

/// Compiles policies, and keeps the last 16 lists of globs that were used: compiling one takes longer than most requests,
/// and those of two projects seldom differ.
#[derive(Debug, Default)]
pub struct PolicyCompiler(Mutex<Vec<(Vec<String>, Arc<GlobList>)>>);

impl PolicyCompiler {
    /// Returns the policy of these lists; an error if a text among them is not a glob.
    pub fn policy(&self, globs: &PolicyGlobs) -> Result<PathPolicy, GlobError> {
        let lists = RuleLists::compile(globs, |list| self.list(list))?;
        Ok(PathPolicy { lists, folders: None, kinds: RuleKinds::ALL })
    }

    fn list(&self, globs: &[String]) -> Result<Arc<GlobList>, GlobError> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = match lists.iter().position(|(known, _)| known == globs) {
            Some(at) => lists.remove(at),
            None => (globs.to_vec(), Arc::new(GlobList::new(globs)?)),
        };
        let list = Arc::clone(&cached.1);
        if lists.len() == MOST_LISTS {
            lists.remove(0);
        }
        lists.push(cached);
        Ok(list)
    }
}

/// The kinds of lists of folders that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleKinds {
    /// What is denied.
    pub denied: bool,
    /// What is held back.
    pub secrets: bool,
    /// What is asked about.
    pub ask: bool,
}

impl RuleKinds {
    /// All of them.
    pub const ALL: RuleKinds = RuleKinds { denied: true, secrets: true, ask: true };
}

struct MatchedGlob {
    glob: String,
    why_asked: Option<&'static str>,
    /// The folder whose rules it is of; `None`: those of the root.
    folder: Option<PathBuf>,
}

impl MatchedGlob {
    fn shown(&self) -> String {
        match &self.folder {
            None => format!("'{}'", self.glob),
            Some(folder) => format!("'{}' of '{}'", self.glob, folder.display()),
        }
    }
}

/// The compiled policy of one project, with the rules that folders have for their own files.
#[derive(Debug, Clone)]
pub struct PathPolicy {
    lists: RuleLists,
    folders: Option<Arc<FolderRules>>,
    kinds: RuleKinds,
}

impl PathPolicy {
    /// Compiles the lists.
    pub fn new(globs: &PolicyGlobs) -> Result<PathPolicy, GlobError> {
        PolicyCompiler::default().policy(globs)
    }

    /// Returns the same with the rules of folders, as far as they are of these kinds.
    #[must_use]
    pub fn with_folders(self, folders: Arc<FolderRules>, kinds: RuleKinds) -> PathPolicy {
        PathPolicy { folders: Some(folders), kinds, ..self }
    }

    /// Returns the globs of unreadable paths, as configured: the denied ones, and the secrets; also those of the
    /// folders that are known by now.
    pub fn unread(&self) -> (Vec<String>, Vec<String>) {
        let of = |list: &GlobList| list.written().map(str::to_owned).collect::<Vec<_>>();
        let (mut denied, mut secrets) = (of(&self.lists.denied), of(&self.lists.secrets));
        for folder in self.folders.iter().flat_map(|folders| folders.all()) {
            denied.extend(of(&folder.lists.denied).into_iter().filter(|_| self.kinds.denied));
            secrets.extend(of(&folder.lists.secrets).into_iter().filter(|_| self.kinds.secrets));
        }
        (denied, secrets)
    }

    /// Returns the globs of paths that are asked about, as configured.
    pub fn ask_globs(&self) -> impl Iterator<Item = &str> {
        self.lists.ask.written()
    }

    /// Returns a hash of what decides which paths are read, as far as it is known by now.
    #[must_use]
    pub fn unread_fingerprint(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut add = |lists: &RuleLists, folder: &Path| {
            for list in [&lists.denied, &lists.secrets] {
                for glob in list.written() {
                    // With lengths and an end mark, so that two other lists cannot run together to the same
                    // bytes.
                    hasher.update(&(glob.len() as u64).to_le_bytes()).update(glob.as_bytes());
                }
                hasher.update(&u64::MAX.to_le_bytes());
            }
            hasher.update(folder.as_os_str().as_encoded_bytes());
        };
        add(&self.lists, Path::new(""));
        for folder in self.folders.iter().flat_map(|folders| folders.all()) {
            add(&folder.lists, &folder.folder);
        }
        *hasher.finalize().as_bytes()
    }

    pub(super) fn written(&self) -> [Vec<&str>; 3] {
        let lists = [&self.lists.denied, &self.lists.secrets, &self.lists.ask];
        lists.map(|globs| globs.written().collect())
    }

    /// Returns the reason for which a path is denied to reads and writes alike, if it is.
    pub(crate) fn denied(&self, relative: &Path, absolutes: &[&Path]) -> Option<String> {
        self.denied_forms(&Forms::new(relative, absolutes), absolutes)
    }

    /// Returns the verdict on reading the content, or the names in a folder.
    pub fn verdict_for_read(&self, relative: &Path, absolutes: &[&Path]) -> Verdict {
        let forms = Forms::new(relative, absolutes);
        if let Some(reason) = self.denied_forms(&forms, absolutes) {
            return Verdict::Deny(ErrorKind::PathDenied, reason);
        }
        match self.matching(RuleKind::Secret, &forms, absolutes) {
            Some(matched) => Verdict::Deny(
                ErrorKind::Secret,
                format!("File is held back as a secret by {}", matched.shown()),
            ),
            None => Verdict::Allow,
        }
    }

    /// Returns the verdict on creating, changing or deleting. Secrets may be written: that reveals nothing.
    pub fn verdict_for_write(&self, relative: &Path, absolutes: &[&Path]) -> Verdict {
        let forms = Forms::new(relative, absolutes);
        if let Some(reason) = self.denied_forms(&forms, absolutes) {
            return Verdict::Deny(ErrorKind::PathDenied, reason);
        }
        match self.matching(RuleKind::Ask, &forms, absolutes) {
            Some(matched) => Verdict::Ask(match matched.why_asked {
                Some(why) if Path::new(&matched.glob) == relative => why.to_owned(),
                Some(why) => format!("{why} ({})", matched.shown()),
                None => format!("the configuration has this file asked about ({})", matched.shown()),
            }),
            None => Verdict::Allow,
        }
    }

    /// Returns the verdict on making a symbolic link: as for a write, and the link must not replace a folder
    /// that contains files that run by themselves.
    pub(crate) fn verdict_for_link(&self, relative: &Path, absolutes: &[&Path]) -> Verdict {
        match self.verdict_for_write(relative, absolutes) {
            Verdict::Allow => {}
            verdict => return verdict,
        }
        match self.matching(RuleKind::AboveAsk, &Forms::new(relative, absolutes), absolutes) {
            Some(matched) => Verdict::Ask(format!(
                "a link in place of {} leads to files that can run by themselves",
                matched.shown()
            )),
            None => Verdict::Allow,
        }
    }

    fn denied_forms(&self, forms: &Forms<'_>, absolutes: &[&Path]) -> Option<String> {
        if let Some(name) = forms.reserved_name() {
            return Some(format!("Path is denied: '{}' is never touched", name.to_string_lossy()));
        }
        let matched = self.matching(RuleKind::Denied, forms, absolutes)?;
        Some(format!("Path is denied by {}", matched.shown()))
    }

    /// Returns the first glob of a kind that matches a path: of the root's lists, or of a folder between the file
    /// system's root and the file. The last of `absolutes` is the resolved form.
    fn matching(&self, kind: RuleKind, forms: &Forms<'_>, absolutes: &[&Path]) -> Option<MatchedGlob> {
        let matched = |lists: &RuleLists, glob: &str, folder: Option<&Path>| MatchedGlob {
            why_asked: (lists.why_asked)(glob),
            glob: glob.to_owned(),
            folder: folder.map(Path::to_path_buf),
        };
        let (list, names) = self.lists.list(kind);
        if let Some(glob) = list.matching(forms, names) {
            return Some(matched(&self.lists, glob, None));
        }
        let counts = match kind {
            RuleKind::Denied => self.kinds.denied,
            RuleKind::Secret => self.kinds.secrets,
            RuleKind::Ask | RuleKind::AboveAsk => self.kinds.ask,
        };
        let resolved = absolutes.last().filter(|_| counts)?;
        let chain = self.folders.as_ref()?.for_file(resolved)?;
        chain.iter().find_map(|own| {
            let relative = resolved.strip_prefix(&own.folder).ok()?;
            let (list, names) = own.lists.list(kind);
            let glob = list.matching(&Forms::new(relative, &[resolved]), names)?;
            Some(matched(&own.lists, glob, Some(&own.folder)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{default_globs, policy};
    use super::*;

    fn forms(relative: &str) -> (PathBuf, PathBuf) {
        (PathBuf::from(relative), Path::new("/home/ann/proj").join(relative))
    }

    fn read(relative: &str) -> Verdict {
        let (relative, absolute) = forms(relative);
        policy().verdict_for_read(&relative, &[&absolute])
    }

    fn write(relative: &str) -> Verdict {
        let (relative, absolute) = forms(relative);
        policy().verdict_for_write(&relative, &[&absolute])
    }

    #[test]
    fn lists_are_compiled_once_and_the_last_used_ones_kept() {
        let compiler = PolicyCompiler::default();
        let of = |denied: &str| {
            compiler.policy(&PolicyGlobs { denied: vec![denied.to_owned()], ..default_globs() }).unwrap()
        };
        let (first, second) = (of("a"), of("b"));
        assert!(
            Arc::ptr_eq(&first.lists.secrets, &second.lists.secrets)
                && Arc::ptr_eq(&first.lists.ask, &second.lists.ask)
        );
        assert!(first.denied(Path::new("a"), &[]).is_some() && second.denied(Path::new("a"), &[]).is_none());
        for number in 0..2 * MOST_LISTS {
            of(&number.to_string());
            assert!(Arc::ptr_eq(&first.lists.denied, &of("a").lists.denied));
        }
        assert!(!Arc::ptr_eq(&second.lists.denied, &of("b").lists.denied));
        assert_eq!(compiler.0.lock().unwrap().len(), MOST_LISTS);
        let wrong = compiler.policy(&PolicyGlobs { denied: vec!["a[".to_owned()], ..default_globs() });
        assert_eq!(wrong.unwrap_err().glob, "a[");
    }

    #[test]
    fn denies_in_every_spelling() {
        for path in [
            ".git/hooks/x",
            "a/.GIT/config",
            ".git./hooks/x",
            ".git /x",
            "git~1/hooks/x",
            ".g\u{200c}it/x",
            ".git::$INDEX_ALLOCATION/x",
            ".clada/config.yaml",
            "sub/.Clada",
            ".ssh/id",
            "a/.SSH/b/c",
            "x/.ssh",
            ".ssh./id",
            ".git",
        ] {
            assert!(matches!(read(path), Verdict::Deny(ErrorKind::PathDenied, _)), "{path}");
            assert!(matches!(write(path), Verdict::Deny(ErrorKind::PathDenied, _)), "{path}");
        }
    }

    #[test]
    fn denies_absolute_places() {
        let policy = policy();
        for path in ["/etc/passwd", "/etc", "/ETC/passwd", "/proc/self/mem", "/sys/x", "/root/.ssh/id_rsa"] {
            let relative = Path::new(path).strip_prefix("/").unwrap();
            assert!(policy.denied(relative, &[Path::new(path)]).is_some(), "{path}");
        }
        assert_eq!(read("etc/passwd"), Verdict::Allow);
    }

    #[test]
    fn holds_back_secrets_from_reads_only() {
        for path in [
            ".env",
            "a/.ENV.local",
            "x/server.PEM",
            "id_rsa.pub",
            ".npmrc",
            "t.tfstate",
            ".env.",
            "a.key::$DATA",
        ] {
            assert!(matches!(read(path), Verdict::Deny(ErrorKind::Secret, _)), "{path}");
            assert_eq!(write(path), Verdict::Allow, "{path}");
        }
        assert_eq!(read(".envoy/config.yaml"), Verdict::Allow);
        assert_eq!(read("environment.rs"), Verdict::Allow);
    }

    #[test]
    fn asks_before_what_runs_by_itself() {
        for path in [
            ".vscode/tasks.json",
            "sub/.vscode/TASKS.json",
            ".envrc",
            ".husky/pre-commit",
            ".husky/_/x",
            ".github/workflows/ci.yml",
            ".cargo/config.toml",
            "a/.cargo/config",
            ".devcontainer/Dockerfile",
            "rust-toolchain.toml",
            ".gitmodules",
            "x.code-workspace",
            ".envrc.",
            ".husky",
            ".lvimrc",
            ".hg/hgrc",
            "sub/.bazelrc",
            ".bundle/config",
            ".codex/config.toml",
            "opencode.json",
        ] {
            assert!(matches!(write(path), Verdict::Ask(_)), "{path}");
        }
        for path in ["src/main.rs", ".gitignore", ".gitattributes", "package.json", ".github/CODEOWNERS"] {
            assert_eq!(write(path), Verdict::Allow, "{path}");
        }
        assert_eq!(read(".github/workflows/ci.yml"), Verdict::Allow);
    }

    #[test]
    fn a_user_s_globs_start_at_the_root_or_match_any_name() {
        let globs =
            PolicyGlobs { denied: vec!["private".into(), "docs/internal/**".into()], ..default_globs() };
        let policy = PathPolicy::new(&globs).unwrap();
        let root = Path::new("/private/root");
        let denied = |path: &str| policy.denied(Path::new(path), &[&root.join(path)]).is_some();
        assert!(denied("a/PRIVATE/b") && denied("docs/internal/x") && denied("docs/internal"));
        assert!(!denied("a/docs/internal/x") && !denied("a/b"));
    }

    #[test]
    fn names_a_glob_that_is_none() {
        let globs = PolicyGlobs { ask: vec!["a[".into()], ..default_globs() };
        assert_eq!(PathPolicy::new(&globs).unwrap_err().glob, "a[");
    }
}
