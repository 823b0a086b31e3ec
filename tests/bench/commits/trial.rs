//! An answer applied to a file by clada's own pipeline, and its outcome.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clada_apply::{Answer, Approvals, Atomicity, JournalWriter, Operation, Reading, Rules, RunUntil};
use clada_config::Settings;
use clada_fs::{Durability, Options, PathPolicy, PolicyGlobs, Roots};

use crate::history::Change;

/// The outcome of an answer.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The file is as after the commit.
    Equal,
    /// It is as it was.
    Refused(String),
    /// It is anything else.
    Wrong(String),
}

/// The place where answers are tried.
pub(crate) struct Trial {
    folder: tempfile::TempDir,
    settings: Settings,
    count: usize,
}

impl Trial {
    pub(crate) fn new() -> Trial {
        let folder = tempfile::tempdir().expect("a folder");
        Trial { folder, settings: Settings::default(), count: 0 }
    }

    pub(crate) fn outcome(&mut self, change: &Change, answer: &str) -> Outcome {
        self.count += 1;
        let root = self.folder.path().join(self.count.to_string());
        let file = root.join(&change.path);
        std::fs::create_dir_all(file.parent().expect("it is in the root")).expect("folders");
        if let Some(before) = &change.before {
            std::fs::write(&file, before).expect("a file");
        }
        let told = self.apply(&root, answer);
        let text = std::fs::read_to_string(&file).ok();
        let outcome = if text == change.after {
            Outcome::Equal
        } else if text == change.before {
            Outcome::Refused(told)
        } else {
            Outcome::Wrong(kept(&root, answer, change).unwrap_or(told))
        };
        std::fs::remove_dir_all(&root).expect("it can be removed");
        outcome
    }

    /// Applies `answer` to the project at `root`; returns the report's text about the actions that were not
    /// done.
    fn apply(&self, root: &Path, answer: &str) -> String {
        let options = Options { durability: Durability::Fast, ..Options::default() };
        let policy = PathPolicy::new(&PolicyGlobs::default()).expect("globs");
        let roots = Roots::open(root, &[], &[], policy, options).expect("the root is there");
        let answer = Reading::new(None, &self.settings).expect("all dialects").read(answer);
        // Otherwise blocks that are refused would leave the others of their file done, which is neither right
        // nor wrong.
        let answer = Answer { atomicity: Atomicity::AllOrNothing, ..answer };
        let operation = Operation {
            id: "0".to_owned(),
            roots: &roots,
            rules: &Rules::from_settings(&self.settings),
            approvals: &Approvals::all(),
            journal_writer: &JournalWriter::nowhere(),
            applied: &HashMap::new(),
            stop: &|| None,
            notify: &|_| {},
            acting: &|_| {},
        };
        let result = operation.execute(answer, RunUntil::Done);
        let failures = result.results.iter().filter_map(|result| result.error.clone());
        let parsing = result.parse_errors.iter().map(|error| error.message.clone());
        let told: Vec<String> = failures.chain(parsing).take(3).collect();
        told.join("; ")
    }
}

/// Keeps a wrong result, if `CLADA_COMMITS_KEEP` names a folder for it: the answer and both texts.
fn kept(root: &Path, answer: &str, change: &Change) -> Option<String> {
    let folder = PathBuf::from(std::env::var_os("CLADA_COMMITS_KEEP")?).join(root.file_name()?);
    std::fs::create_dir_all(&folder).ok()?;
    std::fs::write(folder.join("answer"), answer).ok()?;
    std::fs::write(folder.join("before"), change.before.as_deref().unwrap_or_default()).ok()?;
    std::fs::write(folder.join("wanted"), change.after.as_deref().unwrap_or_default()).ok()?;
    std::fs::copy(root.join(&change.path), folder.join("made")).ok()?;
    Some(folder.display().to_string())
}
