//! The summary of an operation in a few words.
//!
//! Pure. Paths are shown with invisible characters made visible.

use std::path::Path;

use super::net::{Net, net};
use super::operation::{Change, JournalPlace, State};
use super::recover::is_same_state;

const NAMED: usize = 3;

/// Returns in a few words what the made changes did: `edited src/a.rs, created b.txt and 3 more`. Paths are
/// relative to the project's `root`, and absolute outside of it; without a root, relative to their own.
#[must_use]
pub fn summary<'c>(changes: impl IntoIterator<Item = &'c Change>, root: Option<&Path>) -> String {
    let mut all = net(changes);
    all.retain(|net| !net.place.is_reserved());
    // The source of a move is named with its target; a folder is named only if nothing else is.
    let is_source = |net: &&Net| all.iter().any(|other| other.came_from.as_ref() == Some(&net.place));
    let named: Vec<&Net> = all.iter().filter(|net| !is_source(net)).collect();
    let files: Vec<&Net> = named.iter().copied().filter(|net| !is_folder(net)).collect();
    let named = if files.is_empty() { named } else { files };
    let mut words: Vec<String> = named.iter().take(NAMED).map(|net| one(net, root)).collect();
    let more = named.len().saturating_sub(NAMED);
    if more > 0 {
        return format!("{} and {more} more", words.join(", "));
    }
    match (words.pop(), words.is_empty()) {
        (None, _) => "changed nothing".to_owned(),
        (Some(last), true) => last,
        (Some(last), false) => format!("{} and {last}", words.join(", ")),
    }
}

/// Returns the summary of commands that changed nothing but these paths, which no undo restores.
#[must_use]
pub fn summary_of_lost(lost: &[String]) -> String {
    let mut words: Vec<String> =
        lost.iter().take(NAMED).map(|path| clada_protocol::visible_line(path).into_owned()).collect();
    if lost.len() > NAMED {
        words.push(format!("{} more", lost.len() - NAMED));
    }
    format!("changed {}, which undo cannot restore", words.join(", "))
}

fn is_folder(net: &Net) -> bool {
    matches!(net.before, State::Folder(_)) || matches!(net.after, State::Folder(_))
}

fn one(net: &Net, root: Option<&Path>) -> String {
    let shown = |place: &JournalPlace| {
        let path = match root {
            Some(root) if place.root != root => place.root.join(&place.relative),
            _ => place.relative.clone(),
        };
        clada_protocol::visible_line(&path.to_string_lossy()).into_owned()
    };
    let path = shown(&net.place);
    if let Some(from) = net.came_from.as_ref().filter(|from| !from.is_reserved()) {
        return format!("moved {} to {path}", shown(from));
    }
    let verb = match (is_same_state(&net.before, &State::Missing), is_same_state(&net.after, &State::Missing))
    {
        (true, _) => "created",
        (_, true) => "deleted",
        _ => "edited",
    };
    format!("{verb} {path}")
}
