//! The changes of a whole plan, as one diff.
//!
//! Pure. Works on what was planned; a file that several actions change appears once, from what it holds now
//! to what it will hold.

use std::collections::HashMap;
use std::sync::Arc;

use clada_edit::{Mode, Side};
use clada_fs::{RootedPath, Roots};
use clada_protocol::{CHANGED_FILES, ChangeKind, ChangedFile};

use crate::effect::Effect;
use crate::planned::Planned;
use crate::view::View;
use crate::write::{Before, Write};

#[derive(Debug, Clone, Default)]
struct Track {
    /// Its path and content before the plan; `None`: it did not exist.
    was: Option<(RootedPath, Option<Arc<[u8]>>)>,
    /// Its content after the plan; `None`: it goes.
    will_be: Option<Option<Arc<[u8]>>>,
    modes: (Mode, Mode),
}

#[derive(Debug, Default)]
pub(crate) struct WholeDiff {
    pub(crate) text: String,
    /// True if it has an end that says that more is missing.
    pub(crate) is_cut: bool,
}

/// A git-style unified diff of everything that `planned` changes, at most about `limit` bytes.
#[must_use]
pub(crate) fn plan_diff(planned: &[Planned], view: &View<'_>, limit: usize) -> WholeDiff {
    let mut out = String::new();
    let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
    for (path, track) in tracks(effects) {
        let piece = piece(&path, &track, view);
        if out.len() + piece.len() > limit {
            out.push_str("(the diff is cut here: it is larger than limits.result_bytes)\n");
            return WholeDiff { text: out, is_cut: true };
        }
        out.push_str(&piece);
    }
    WholeDiff { text: out, is_cut: false }
}

/// Returns the files that `planned` changes, each once, and the number of those beyond a bound.
#[must_use]
pub(crate) fn plan_files(planned: &[Planned], view: &View<'_>) -> (Vec<ChangedFile>, usize) {
    let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
    let tracks = tracks(effects);
    let mut room = COUNTED;
    let files = tracks.iter().take(CHANGED_FILES).map(|(path, track)| file(path, track, view, &mut room));
    (files.collect(), tracks.len().saturating_sub(CHANGED_FILES))
}

pub(crate) const COUNTED: usize = 32 << 20;

pub(crate) fn counts(old: &[u8], new: &[u8], room: &mut usize) -> Option<(usize, usize)> {
    *room = room.checked_sub(old.len() + new.len())?;
    clada_edit::line_counts(old, new)
}

fn file(path: &RootedPath, track: &Track, view: &View<'_>, room: &mut usize) -> ChangedFile {
    let shown = |path: &RootedPath| shown_path(view.roots(), path);
    let old_path = track.was.as_ref().map(|(old, _)| old).filter(|old| *old != path);
    let kind = match (&track.was, &track.will_be, old_path) {
        (_, Some(_), Some(_)) => ChangeKind::Moved,
        (None, ..) => ChangeKind::Created,
        (Some(_), None, _) => ChangeKind::Deleted,
        (Some(_), Some(_), _) => ChangeKind::Changed,
    };
    // What was there, or will be, and is not known. A secret's lines are counted, too: a number tells nothing of them.
    let old = track.was.as_ref().map_or(Some(&[][..]), |(_, content)| content.as_deref());
    let new = track.will_be.as_ref().map_or(Some(&[][..]), Option::as_deref);
    let counted = old.zip(new).and_then(|(old, new)| counts(old, new, room));
    let (added, removed) = counted.unzip();
    ChangedFile { path: shown(path), old_path: old_path.map(shown), kind, added, removed }
}

/// Returns what `effect` changes in each file, as a git-style unified diff. Of a file with several names, the one
/// that the action names: its hunks are counted once.
#[must_use]
pub(crate) fn effect_diff(effect: &Effect, view: &View<'_>) -> String {
    let further: Vec<&RootedPath> =
        effect.each().into_iter().flat_map(Effect::writes).flat_map(|write| &write.other_names).collect();
    let tracks = tracks(std::iter::once(effect));
    let named = tracks.iter().filter(|(path, _)| !further.contains(&path));
    named.map(|(path, track)| piece(path, track, view)).collect()
}

fn tracks<'e>(effects: impl Iterator<Item = &'e Effect>) -> Vec<(RootedPath, Track)> {
    let mut tracks: HashMap<RootedPath, Track> = HashMap::new();
    let mut order: Vec<RootedPath> = Vec::new();
    let mut removed: Vec<(RootedPath, Track)> = Vec::new();
    for effect in effects.flat_map(Effect::each) {
        match effect {
            Effect::Write(write) => wrote(write, &mut tracks, &mut order),
            Effect::Several(files) => {
                files.iter().flatten().for_each(|write| wrote(write, &mut tracks, &mut order))
            }
            Effect::Delete { path, old, .. } => {
                let track = tracks.entry(path.clone()).or_insert_with(|| {
                    order.push(path.clone());
                    Track { was: Some((path.clone(), old.clone())), ..Track::default() }
                });
                track.will_be = None;
            }
            Effect::Move { from, to, content, overwritten, replaced, .. } if from != to => {
                // The target's own file is gone for good; its diff stays apart from that of the file that
                // moved there.
                if let Some(track) = tracks.remove(to) {
                    removed.push((to.clone(), Track { will_be: None, ..track }));
                } else if *replaced != Before::Missing {
                    let was = Some((to.clone(), overwritten.clone()));
                    removed.push((to.clone(), Track { was, ..Track::default() }));
                }
                let moved = Track { was: Some((from.clone(), content.clone())), ..Track::default() };
                let track = tracks.remove(from).unwrap_or(moved);
                order.push(to.clone());
                tracks.insert(to.clone(), Track { will_be: Some(content.clone()), ..track });
            }
            Effect::WriteMoved { from, write, .. } => {
                if let Some(track) = tracks.remove(&write.path) {
                    removed.push((write.path.clone(), Track { will_be: None, ..track }));
                }
                let was = Some((from.clone(), write.old.clone()));
                let moved = Track { was, modes: (write.old_mode, write.mode), ..Track::default() };
                let track = tracks.remove(from).unwrap_or(moved);
                order.push(write.path.clone());
                let modes = (track.modes.0, write.mode);
                let will_be = Some(Some(Arc::clone(&write.new)));
                tracks.insert(write.path.clone(), Track { will_be, modes, ..track });
            }
            _ => {}
        }
    }
    let mut seen = std::collections::HashSet::new();
    removed.extend(order.into_iter().filter_map(|path| tracks.remove_entry(&path)));
    removed.retain(|(path, track)| track.will_be.is_some() || seen.insert(path.clone()));
    removed
}

fn wrote(write: &Write, tracks: &mut HashMap<RootedPath, Track>, order: &mut Vec<RootedPath>) {
    if write.is_unchanged() && !tracks.contains_key(&write.path) {
        return;
    }
    for path in write.paths() {
        let track = tracks.entry(path.clone()).or_insert_with(|| {
            order.push(path.clone());
            let was = (write.before != Before::Missing).then(|| (path.clone(), write.old.clone()));
            Track { was, will_be: None, modes: (write.old_mode, write.mode) }
        });
        track.will_be = Some(Some(Arc::clone(&write.new)));
        track.modes.1 = write.mode;
    }
}

/// Returns a path as diffs show it: from the root, or absolute if it is not beneath that.
pub(crate) fn shown_path(roots: &Roots, path: &RootedPath) -> String {
    match path.root() {
        0 => path.relative().to_string_lossy().into_owned(),
        _ => roots.absolute(path).to_string_lossy().into_owned(),
    }
}

fn piece(path: &RootedPath, track: &Track, view: &View<'_>) -> String {
    let shown = |path: &RootedPath| shown_path(view.roots(), path);
    let new_path = shown(path);
    let old_path = track.was.as_ref().map(|(path, _)| shown(path));
    let secret = view.is_secret(path) || track.was.as_ref().is_some_and(|(path, _)| view.is_secret(path));
    let unknown = track.was.as_ref().is_some_and(|(_, content)| content.is_none())
        || matches!(track.will_be, Some(None));
    if secret || unknown {
        let why = if secret { "a secret is not shown" } else { "its content is not shown" };
        let [old_path, new_path] =
            [old_path.as_deref().unwrap_or(&new_path), &new_path].map(clada_protocol::visible_line);
        return format!("diff --git a/{old_path} b/{new_path}\n({why})\n");
    }
    let old_content = track.was.as_ref().and_then(|(_, content)| content.as_deref());
    let old = old_path.as_deref().zip(old_content);
    let new = track.will_be.as_ref().and_then(Option::as_deref).map(|content| (new_path.as_str(), content));
    let side = |mode| move |(path, content)| Side { path, content, mode };
    clada_edit::file_diff(old.map(side(track.modes.0)), new.map(side(track.modes.1)))
}

/// The `file://` URI of a path; every byte that is not unreserved is percent-encoded (RFC 3986).
pub(crate) fn uri(roots: &Roots, path: &RootedPath) -> String {
    let absolute = roots.absolute(path);
    let mut uri = "file://".to_owned();
    for byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
