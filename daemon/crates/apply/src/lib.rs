//! The request path: an answer's text becomes steps, steps a plan, a plan effects, effects a report.
//!
//! `read` understands the text; `plan` says over a [`View`] what each action would do, and [`Approvals`] what
//! a user has to agree to; `execute` carries it out, with `readonly` for what only reads; `results` says what
//! came of it; `undo` works out what brings it back. Everything before `execute` is without effects, so a dry
//! run, a saved plan and an execution are one path that ends sooner or later.
//!
//! Knows neither sockets nor sessions: who calls gives roots, settings and a way to be stopped.

mod command;
mod context;
mod effect;
mod execute;
mod failure;
mod plan;
mod planned;
mod read;
mod readonly;
mod reads;
mod results;
mod rules;
mod stop;
mod undo;
mod view;
mod working_set;
mod write;

#[cfg(test)]
mod tests;

pub use command::{Commands, PlannedCommand, Trusted, program_file};
pub use context::{ContextChange, context_exists, context_path, context_size};
pub use effect::Effect;
pub use execute::commits::{CommitRequest, Commits, Committed, Otherwise, Undoes};
pub use execute::delivering::{Editor, HandedText};
pub use execute::journal_writer::{ChangeObserver, JournalWriter};
pub use execute::operation::{Acting, Operation, RunUntil};
pub use failure::Failure;
pub use plan::approve::Approvals;
pub use plan::decision::{Decision, Progress, unknown_ids};
pub use plan::making::PlanInputs;
pub use plan::planner::Planner;
pub use plan::resume::{Resumable, partly};
pub use plan::review::Counted;
pub use plan::saved_plan::SavedPlan;
pub use plan::{Original, Returned, needed};
pub use planned::Planned;
pub use read::answer::{Answer, Atomicity, Counts};
pub use read::instructions::instructions;
pub use read::interpret::{Reading, dialect};
pub use read::proposal::{Change, Offered, Proposal};
pub use read::step::{Group, Shown, Step};
pub use readonly::tools::{ReadTools, SearchQuery, ToolText};
pub use results::report::Executed;
pub use results::weight::weight;
pub use results::workspace::EditForm;
pub use rules::{KnownFiles, PlainRule, PlainRules, Rules, policy_globs};
pub use stop::Stop;
pub use undo::classify::Later;
pub use undo::describe::{
    Diffs, changed_sum, changes as path_changes, info as operation_info, lost as lost_changes,
    reversed as reversed_changes,
};
pub use undo::effects::effects as undo_effects;
pub use undo::merge::merge_texts;
pub use undo::now::Now;
pub use undo::overwritten::{
    Overwritten, UnkeptFile, overwritten as overwritten_contents, reserve as reserve_files,
};
pub use undo::pick::{UndoTarget, brought_back_by, earlier as earlier_operation, pick as pick_operation};
pub use undo::plan::{Contents, plan as plan_undo};
pub use undo::recovery::{LeftBehind, recover, roots_beyond};
pub use undo::refusal::{Conflict, Reason, Refusal, nothing_left};
pub use undo::rest::{attempts as undo_attempts, continued as continued_nets, rest as remaining_nets};
pub use undo::step::Reverse;
pub use undo::survey::{
    NoteRights, give_back, resolve as resolve_place, survey as survey_places, survey_with_rights,
};
pub use view::View;
pub use working_set::{Full, WorkingSet};
pub use write::{Before, Restore, Saved, Write};
