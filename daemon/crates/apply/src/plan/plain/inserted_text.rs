//! The text that an insertion makes, and what stands against one.
//!
//! Pure.

use clada_protocol::ProposalForm;

use super::heads::definitions;
use super::plain_edit::{EditOutcome, EditedText, PlainEdit};

pub(super) fn inserted(text: String, note: String) -> EditOutcome {
    EditOutcome::Changed(EditedText {
        text,
        form: ProposalForm::Insertion,
        notes: vec![note],
        is_by_structure: false,
    })
}

pub(super) fn guessed(text: String, note: String) -> EditOutcome {
    match inserted(text, note) {
        EditOutcome::Changed(changed) => {
            EditOutcome::Changed(EditedText { is_by_structure: true, ..changed })
        }
        other => other,
    }
}

pub(super) fn guessed_part(text: String, note: String) -> EditOutcome {
    let (form, notes) = (ProposalForm::Part, vec![note]);
    EditOutcome::Changed(EditedText { text, form, notes, is_by_structure: true })
}

pub(super) fn ended(file: &str) -> String {
    let end = if file.is_empty() || file.ends_with('\n') { "" } else { "\n" };
    format!("{file}{end}")
}

// Returns the definition of the content that the file has already. A rule or heading may be there twice.
pub(super) fn doubled(edit: &PlainEdit<'_>, file: &str) -> Option<String> {
    let extension = edit.path.rsplit('.').next().unwrap_or_default();
    if matches!(extension, "css" | "scss" | "sass" | "less" | "md" | "mdx" | "rst" | "txt" | "html") {
        return None;
    }
    let had = definitions(file, edit.path);
    let new = definitions(edit.content, edit.path);
    let known = new.into_iter().find(|name| had.contains(name))?;
    Some(known.rsplit(' ').next().unwrap_or_default().to_owned())
}
