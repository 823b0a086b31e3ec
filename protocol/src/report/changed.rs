//! The changed files of an operation with the numbers of their lines, aligned as git's stat, without its bars.

use super::count_of;
use super::page::Page;
use crate::{ChangeKind, ChangedFile, visible_path};

const ALIGNED: usize = 60;

/// Returns a line a file, ` src/main.rs | +3 -1`, and their sum if there are several. `more` files are not
/// listed.
#[must_use]
pub fn changed_text(files: &[ChangedFile], more: usize) -> String {
    let mut page = Page::default();
    changed_lines(&mut page, files, more);
    page.into_text()
}

pub(super) fn changed_lines(page: &mut Page, files: &[ChangedFile], more: usize) {
    let names: Vec<String> = files.iter().map(name).collect();
    let lengths = names.iter().map(|name| name.chars().count());
    let width = lengths.filter(|length| *length <= ALIGNED).max().unwrap_or(0);
    for (file, name) in files.iter().zip(&names) {
        page.line(format_args!(" {name:<width$} | {}", counted(file)));
    }
    if files.len() + more > 1 {
        page.line(format_args!(" {}", changed_words(files, more)));
    }
}

fn changed_words(files: &[ChangedFile], more: usize) -> String {
    let sum = |of: fn(&ChangedFile) -> Option<usize>| files.iter().filter_map(of).sum::<usize>();
    let unlisted = if more > 0 { format!(" ({more} not listed)") } else { String::new() };
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    format!("{}{unlisted}, +{added} -{removed}", count_of(files.len() + more, "file"))
}

fn name(file: &ChangedFile) -> String {
    let path = visible_path(&file.path);
    match &file.old_path {
        Some(old) => format!("{} => {path}", visible_path(old)),
        None => path.into_owned(),
    }
}

fn counted(file: &ChangedFile) -> String {
    let counts = match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        _ => "not counted".to_owned(),
    };
    match file.kind {
        ChangeKind::Created => format!("{counts} (new)"),
        ChangeKind::Deleted => format!("{counts} (deleted)"),
        _ => counts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, kind: ChangeKind, counts: Option<(usize, usize)>) -> ChangedFile {
        let (added, removed) = counts.unzip();
        ChangedFile { path: path.into(), kind, added, removed, ..ChangedFile::default() }
    }

    #[test]
    fn files_are_aligned_and_summed() {
        let moved = ChangedFile {
            old_path: Some("b.rs".into()),
            ..file("lib/b.rs", ChangeKind::Moved, Some((0, 0)))
        };
        let files = [
            file("src/main.rs", ChangeKind::Changed, Some((3, 1))),
            file("a", ChangeKind::Created, Some((12, 0))),
            file("old\nname", ChangeKind::Deleted, Some((0, 4))),
            moved,
            file("logo.png", ChangeKind::Changed, None),
        ];
        let expected = [
            " src/main.rs      | +3 -1",
            " a                | +12 -0 (new)",
            " \"old\\nname\"      | +0 -4 (deleted)",
            " b.rs => lib/b.rs | +0 -0",
            " logo.png         | not counted",
            " 7 files (2 not listed), +15 -5",
        ];
        assert_eq!(changed_text(&files, 2).lines().collect::<Vec<_>>(), expected);
        assert_eq!(changed_text(&files[..1], 0), " src/main.rs | +3 -1\n");
        assert_eq!(changed_text(&[], 0), "");
    }

    #[test]
    fn a_very_long_name_moves_no_other() {
        let long = file(&"x".repeat(80), ChangeKind::Changed, Some((1, 1)));
        let text = changed_text(&[long, file("a", ChangeKind::Changed, Some((1, 0)))], 0);
        assert!(text.contains("\n a | +1 -0\n"), "{text}");
    }
}
