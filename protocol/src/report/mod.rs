//! Turns results into the words that a user or a model reads.
//!
//! Shared by everything that shows a result. Must not know where the words go (terminal, pipe, socket) nor
//! how the result came about; does no I/O. Input is a result as it came from the daemon, so every text in it
//! is of another author: a text within a line of a report has gone through [`crate::visible_line`], one that
//! spans lines is indented, behind a mark or in a fence. A line of a report that begins with `[task-` is
//! ours.

mod approvals;
mod change;
mod changed;
mod checkpoint;
mod details;
mod embed;
mod execution;
mod git;
mod history;
mod html;
mod issues;
mod model;
mod page;
mod parse;
mod plan;
mod plan_model;
mod proposals;
mod style;
mod words;
mod xml;

pub use approvals::{approvals_text, waiting_text};
pub use change::{change_text, hunk_text, visible_diff};
pub use changed::changed_text;
pub use checkpoint::{checkpoints_text, recorded_line};
pub use embed::{embed_issues_text, embed_question, embed_summary_text};
pub use execution::{approval_text, execution_text, planned_approval_text};
pub use git::{squash_text, step_text};
pub use history::{Moment, history_text, operation_text, undo_text};
pub use html::operation_html;
pub use model::{execution_for_model, without_person_hint};
pub use parse::parse_text;
pub use plan::{plan_text, problems_text};
pub use plan_model::plan_for_model;
pub use proposals::{
    choice_line, proposal_line, proposal_notice, proposal_text, proposals_diff, proposals_text,
};
pub use style::{
    CommandOutput, ErrorDetail, NO_BLOCKS, ReportStyle, Unapproved, Verbosity, and_more, count_of,
    how_to_approve, shown_id,
};
pub use xml::{execution_xml, xml_entity};

#[cfg(test)]
mod tests;
