//! The state of planning: the view, the bounds, and what each part of planning has to know of the steps before.
//!
//! Knows no action. What is done with a part of it stands in the file that it is for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::hash::RandomState;
use std::path::PathBuf;
use std::sync::Arc;

use blake3::Hash;
use clada_edit::Match;
use clada_fs::RootedPath;
use clada_git::GitRepository;
use clada_journal::Applied;
use clada_protocol::OperationWarning;

use super::approve::Approvals;
use crate::planned::Planned;
use crate::read::answer::{Atomicity, Step};
use crate::rules::Rules;
use crate::view::View;

// Files, and their bytes, in which texts that were not found may be looked for in one operation.
const SEARCHED: Searched = Searched { files: 20_000, bytes: 64 << 20 };

// Bytes of text that hints of one operation may search. Beyond, failures have none.
const HINT_BYTES: usize = 256 << 20;

/// Plans the actions of one answer, one after the other.
pub struct Planner<'a> {
    pub(super) view: View<'a>,
    pub(super) rules: &'a Rules,
    pub(super) approvals: &'a Approvals,
    // The atomicity of the steps that are being planned. While they are all or nothing, what the user has to
    // approve is taken as approved until all of it is planned.
    pub(super) atomicity: Atomicity,
    pub(super) answer: Atomicity,
    // The number of times that planned effects were discarded.
    pub(super) taken_back: usize,
    pub(super) planned_bytes: usize,
    // Bytes of content that goes, which the plan keeps for diffs.
    pub(super) held_bytes: usize,
    // Bytes of content that goes, which it does not keep: they are read once more to be recorded, if they
    // have room.
    pub(super) unheld_bytes: usize,
    pub(super) hint_bytes: usize,
    pub(super) searched: Searched,
    // The lowest rung of the ladder that edits may use; `None`: as their dialects have it.
    pub(super) matching: Option<Match>,
    pub(super) names: Option<KnownNames>,
    pub(super) repository: Option<Option<GitRepository>>,
    // The names that look alike in folders where files were to be made.
    pub(super) twins: Twins,
    pub(super) hard_links: HardLinks,
    pub(super) not_checked_out: Option<HashSet<PathBuf>>,
    // Actions that are left out, by their numbers, since they are applied already.
    pub(super) applied: HashMap<usize, Applied>,
    pub(super) note: Option<String>,
    // Why the command that is planned is asked about, if there is more to say than that it is unknown.
    pub(super) why_asked: Option<String>,
    pub(super) has_changed: bool,
    // The contents that the files had when the answer began, of those that it has changed so far.
    pub(super) origins: Origins,
    pub(super) turns: Turns,
    // The lines that the answer writes, if one of its files gets much smaller.
    pub(super) written: WrittenLines,
    pub(super) guard_notes: Vec<String>,
    // The file of which the action that is planned keeps little, and what to ask about it.
    pub(super) shrinks: Shrinks,
    pub(super) notes: Vec<OperationWarning>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(view: View<'a>, rules: &'a Rules, approvals: &'a Approvals) -> Planner<'a> {
        Planner {
            view,
            rules,
            approvals,
            atomicity: Atomicity::Blocks,
            answer: Atomicity::Blocks,
            taken_back: 0,
            planned_bytes: 0,
            held_bytes: 0,
            unheld_bytes: 0,
            // Bounds of the whole operation, not of an action: an answer may have thousands that fail.
            hint_bytes: HINT_BYTES,
            searched: SEARCHED,
            matching: rules.matching,
            names: None,
            repository: None,
            twins: Twins::default(),
            hard_links: HardLinks::default(),
            not_checked_out: None,
            applied: HashMap::new(),
            note: None,
            why_asked: None,
            has_changed: false,
            origins: Origins::new(),
            turns: Turns::default(),
            written: WrittenLines::default(),
            guard_notes: Vec::new(),
            shrinks: None,
            notes: Vec::new(),
        }
    }

    // Lets edits go as far down the ladder as `level` allows; `None`: as their dialects have it.
    pub(crate) fn match_down_to(&mut self, level: Option<Match>) {
        self.matching = level;
    }

    pub(crate) fn leave_out(&mut self, applied: &HashMap<usize, Applied>) {
        self.applied = applied.clone();
    }

    pub(crate) fn after_changes(&mut self, has_changed: bool) {
        self.has_changed = has_changed;
    }

    pub(crate) fn with_origins(&mut self, origins: Origins) {
        self.origins = origins;
    }

    pub(crate) fn take_origins(&mut self) -> Origins {
        std::mem::take(&mut self.origins)
    }

    // Returns notes about actions that were planned, each of them once.
    pub(crate) fn take_notes(&mut self) -> Vec<OperationWarning> {
        std::mem::take(&mut self.notes)
    }

    pub(crate) fn view(&self) -> &View<'a> {
        &self.view
    }

    pub(crate) fn into_view(self) -> View<'a> {
        self.view
    }

    pub(crate) fn taken_back(&self) -> usize {
        self.taken_back
    }
}

// A function that plans one step, given its place among the steps.
pub(crate) type PlanOne<'p, 'a> = dyn FnMut(&mut Planner<'a>, usize, Step) -> Planned + 'p;

#[derive(Debug, Clone)]
pub(crate) enum Origin {
    // This, and the task of the action that has changed it, if it is one alone.
    Text(Arc<[u8]>, Option<String>),
    // It does not matter: the answer has written the file whole, and its numbers of lines are the new ones.
    Anew,
}

pub(crate) type Origins = HashMap<RootedPath, Origin>;

// The file of which a step keeps little, and what to ask about it.
pub(super) type Shrinks = Option<(RootedPath, String)>;

// The lines that an answer writes, and by which step: `None` if by several.
#[derive(Debug, Default)]
pub(super) struct WrittenLines {
    pub(super) hasher: RandomState,
    pub(super) lines: HashMap<u64, Option<usize>>,
}

#[derive(Debug, Default)]
pub(super) struct Turns {
    pub(super) hasher: RandomState,
    pub(super) alike: HashMap<LinesKey, Alike>,
    // The turns that the action that is planned will have made.
    pub(super) pending: Option<Pending>,
}

pub(super) type LinesKey = (RootedPath, u64);

#[derive(Debug)]
pub(super) struct Alike {
    pub(super) steps: Vec<usize>,
    // The number of them that are made, in order.
    pub(super) applied: usize,
    // The line, from 0, behind the last one that was made.
    pub(super) from: usize,
    pub(super) file: Option<Hash>,
    // True if none of those made has put the old lines back.
    pub(super) is_gone: bool,
}

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) file: Hash,
    // Each with how many are made then, the line behind the last one, and whether the old lines are gone.
    pub(super) applied: Vec<(LinesKey, usize, usize, bool)>,
}

#[derive(Debug, Default)]
pub(super) struct KnownNames {
    // By the last name: relative paths of files.
    pub(super) files: BTreeMap<OsString, Vec<PathBuf>>,
    pub(super) folders: BTreeMap<OsString, Vec<PathBuf>>,
    // There are more than were looked at.
    pub(super) cut: bool,
    pub(super) compared: usize,
    pub(super) suggested: HashMap<PathBuf, Option<String>>,
    // Missing paths that were looked for in commits, and what is to be said of them.
    pub(super) renamed: HashMap<PathBuf, Option<String>>,
}

#[derive(Debug, Default)]
pub(super) struct Twins {
    pub(super) folders: HashMap<PathBuf, HashMap<String, Vec<OsString>>>,
    pub(super) created: HashMap<String, PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct HardLinks {
    // Relative paths by device and number, once they were needed.
    pub(super) on_disk: Option<HashMap<(u64, u64), Vec<PathBuf>>>,
    // The names of files that the answer has written, by each of them.
    pub(super) planned: HashMap<RootedPath, Vec<RootedPath>>,
}

#[derive(Debug)]
pub(super) struct Searched {
    pub(super) files: usize,
    pub(super) bytes: u64,
}
