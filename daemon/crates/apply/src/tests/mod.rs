//! Tests of the room as a whole: answers applied to real trees in temporary folders.

// The trees are set up, and looked at, without the code under test.
#![allow(clippy::disallowed_methods)]

mod answers;
mod approving;
mod bounded;
mod by_file;
mod checking;
mod conformance;
mod delivering;
mod edit_bench;
mod encodings;
mod executing;
mod failing;
mod groups;
mod guarding;
mod hard_links;
mod inflate;
mod kinds;
mod made_up;
mod partly;
mod patching;
mod paths;
mod plain;
mod plain_edits;
mod plain_losses;
mod plain_new;
mod plain_places;
mod plain_replacing;
mod plain_samples;
mod plain_tie;
mod planning;
mod recording;
mod restoring;
mod samples;
mod turns;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::LazyLock;

use clada_config::Settings;
use clada_dialects::Policy;
use clada_fs::{Durability, Options, PathPolicy, RootedPath, Roots};
use clada_protocol::{ActionMetadata, ActionResult, Deliver, ErrorKind, ExecutionResult, PlanResult};
use clada_schema::{Action, FilePatch, Hunk, HunkLine, Terms};

use super::*;

/// A project, and what answers to it may do.
struct Project {
    _dir: tempfile::TempDir,
    root: PathBuf,
    rules: Rules,
    options: Options,
    approvals: Approvals,
    /// Asked how often before a test's operation stops; `None`: it does not.
    stop_after: Option<usize>,
}

/// Returns the policy of a project without a configuration. It is compiled once: that took half of the time of all tests.
pub(crate) fn default_policy() -> PathPolicy {
    static COMPILED: LazyLock<PathPolicy> =
        LazyLock::new(|| PathPolicy::new(&policy_globs(&Settings::default())).unwrap());
    COMPILED.clone()
}

/// A text as an answer that can be resumed.
fn source(text: &str) -> Resumable {
    let reading = Reading::new(None, &Settings::default()).unwrap();
    Resumable::new(text.into(), reading, Atomicity::Blocks, None)
}

impl Project {
    fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let options = Options { durability: Durability::Fast, ..Options::default() };
        let rules = Rules::from_settings(&Settings::default());
        Project { _dir: dir, root, rules, options, approvals: Approvals::default(), stop_after: None }
    }

    /// The bytes of all files, by their paths.
    fn file_bytes(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&self.root).unwrap().to_str().unwrap().to_owned();
                    found.insert(name, std::fs::read(path).unwrap());
                }
            }
        }
        found
    }

    /// All files, which are text, by their paths.
    fn all_files(&self) -> BTreeMap<String, String> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        self.file_bytes().into_iter().map(|(name, bytes)| (name, text(bytes))).collect()
    }

    /// A project that holds these files.
    fn with(files: &[(&str, &str)]) -> Project {
        let project = Project::new();
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Returns the content of a file; `None`: there is none.
    fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(name)).ok()
    }

    fn exists(&self, name: &str) -> bool {
        self.root.join(name).symlink_metadata().is_ok()
    }

    fn roots(&self) -> Roots {
        Roots::open(&self.root, &[], &[], default_policy(), self.options.clone()).unwrap()
    }

    fn operate(&self, work: impl FnOnce(&Operation<'_>) -> ExecutionResult) -> ExecutionResult {
        self.operate_with(&JournalWriter::nowhere(), work)
    }

    fn operate_with<T>(&self, journal_writer: &JournalWriter, work: impl FnOnce(&Operation<'_>) -> T) -> T {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            self.stop_after.filter(|after| asked.get() > *after).map(|_| Stop::Cancelled)
        };
        let (roots, id) = (self.roots(), "0".to_owned());
        let Project { rules, approvals, .. } = self;
        let applied = HashMap::new();
        work(&Operation {
            id,
            roots: &roots,
            rules,
            approvals,
            journal_writer,
            applied: &applied,
            stop: &stop,
            notify: &|_| {},
            acting: &|_| {},
        })
    }

    fn execute(&self, actions: &[Fields]) -> ExecutionResult {
        self.operate(|operation| operation.execute(answer(actions), RunUntil::Done))
    }

    fn carry_out(&self, answer: Answer) -> ExecutionResult {
        self.operate(|operation| operation.execute(answer, RunUntil::Done))
    }

    fn plan(&self, actions: &[Fields], buffers: &[(&str, &str)]) -> (SavedPlan, PlanResult) {
        self.plan_of(answer(actions), buffers)
    }

    fn plan_of(&self, answer: Answer, buffers: &[(&str, &str)]) -> (SavedPlan, PlanResult) {
        let roots = self.roots();
        let buffers =
            buffers.iter().map(|(path, text)| (roots.resolve(path).unwrap(), (*text).to_owned())).collect();
        self.plan_for(answer, Some(Counted { buffers, ..Counted::default() }))
    }

    fn plan_for(&self, answer: Answer, counted: Option<Counted>) -> (SavedPlan, PlanResult) {
        self.plan_read(answer, source(""), counted)
    }

    fn plan_read(
        &self,
        answer: Answer,
        source: Resumable,
        counted: Option<Counted>,
    ) -> (SavedPlan, PlanResult) {
        let (roots, applied) = (self.roots(), HashMap::new());
        let inputs = PlanInputs { roots: &roots, rules: &self.rules, applied: &applied, stop: &|| None };
        SavedPlan::make(answer, source, inputs, counted)
    }

    fn apply(&self, plan: &SavedPlan, accept: Option<&[&str]>, deliver: Deliver) -> ExecutionResult {
        let accept: Option<Vec<String>> = accept.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
        let decision = plan.decide(accept.as_deref()).unwrap();
        self.operate(|operation| match deliver {
            Deliver::Disk => operation.execute_saved(plan, &decision),
            _ => operation.deliver(plan, &decision, &Editor::default()).unwrap().0,
        })
    }
}

/// An action: its name, then names and values of its parameters.
type Fields = Vec<(&'static str, String)>;

fn action(name: &str, fields: &[(&'static str, &str)]) -> Fields {
    let mut all = vec![("action", name.to_owned())];
    all.extend(fields.iter().map(|(field, value)| (*field, (*value).to_owned())));
    all
}

fn file_write(path: &str, content: &str) -> Fields {
    action("file_write", &[("path", path), ("content", content)])
}

fn replace(path: &str, old: &str, new: &str) -> Fields {
    action("file_replace_text", &[("path", path), ("old_text", old), ("new_text", new)])
}

fn file_move(from: &str, to: &str) -> Fields {
    action("file_move", &[("old_path", from), ("new_path", to)])
}

fn file_delete(path: &str) -> Fields {
    action("file_delete", &[("path", path)])
}

/// An answer in SHAM with one block an action.
fn answer(actions: &[Fields]) -> Answer {
    let mut text = String::new();
    for fields in actions {
        text += "#!SHAM [@three-char-SHA-256: k7m]\n";
        for (name, value) in fields {
            // Exactly this text, which a heredoc is not.
            text += &format!("{name} = {}\n", serde_json::Value::from(value.as_str()));
        }
        text += "#!END_SHAM_k7m\n\n";
    }
    let answer = Reading::new(None, &Settings::default()).unwrap().read(&text);
    assert_eq!(answer.errors, [], "the test's own answer is wrong");
    answer
}

/// An answer of these actions, as if `dialect` had said them.
fn said(dialect: &str, actions: Vec<(Action, Terms)>) -> Answer {
    let step = |(at, (action, terms)): (usize, (Action, Terms))| Step {
        seq: at + 1,
        task: (at + 1).to_string(),
        metadata: ActionMetadata {
            block_id: None,
            start_line: 1,
            end_line: None,
            dialect: dialect.to_owned(),
        },
        group: Group { block: at, policy: Policy::Each },
        name: action.name().to_owned(),
        action: Ok(action),
        terms,
        deleted: Vec::new(),
        shown: Shown::OfAction(Vec::new()),
        accepted: None,
        edited: Vec::new(),
        left_out: false,
        is_proposal: false,
    };
    Answer { steps: actions.into_iter().enumerate().map(step).collect(), ..Answer::default() }
}

/// A hunk as a diff has it.
fn hunk(diff: &str) -> Hunk {
    let line = |line: &str| match line.split_at(1) {
        ("+", rest) => HunkLine::Added(rest.to_owned()),
        ("-", rest) => HunkLine::Removed(rest.to_owned()),
        (_, rest) => HunkLine::Context(rest.to_owned()),
    };
    Hunk { lines: diff.lines().map(line).collect(), ..Hunk::default() }
}

fn patch(path: &str, hunks: &[&str]) -> (Action, Terms) {
    let hunks = hunks.iter().map(|diff| hunk(diff)).collect();
    (Action::FilePatch(FilePatch { path: path.to_owned(), hunks, new_path: None }), Terms::default())
}

/// The data of an action, as it is sent.
fn data(result: &ActionResult) -> serde_json::Value {
    serde_json::to_value(result.data.as_ref().unwrap()).unwrap()
}

/// `SUCCESS`, `unchanged`, or how and why it failed, of each action.
fn results_of(result: &ExecutionResult) -> Vec<String> {
    let reported = |result: &ActionResult| match (&result.error, result.unchanged) {
        (Some(error), _) => error.clone(),
        (None, true) => "unchanged".to_owned(),
        (None, false) => result.status.word().to_owned(),
    };
    result.results.iter().map(reported).collect()
}
