//! Changes that go to an editor, held against the files that the same plan writes.
//!
//! The editor here is a small one of its own: it keeps the byte order mark apart, counts lines as it was told
//! to, and knows nothing of how edits are made.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use clada_protocol::{
    ActionStatus, DocumentChange, LineEnds, PlannedFile, Position, ResourceKind, TextEdit, Units,
    WorkspaceEdit,
};

use super::by_file::{CONTEXT, after, groups};
use super::*;

/// A source of choices that gives the same ones for the same seed.
pub(super) struct Choices(pub(super) u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(super) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub(super) fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    pub(super) fn text(&mut self) -> String {
        let mut text = if self.one_in(6) { "\u{feff}".to_owned() } else { String::new() };
        let style = self.below(5);
        for at in 0..self.below(7) {
            text += &format!(
                "{}{at}{}",
                self.of(&["line ", "\tif (x) ", "😀 é ", "e\u{301}🏳️‍🌈", ""]),
                self.of(&["", " x", "\t"])
            );
            text += match style {
                0 | 1 => "\n",
                2 => "\r\n",
                3 => self.of(&["\n", "\r\n", "\r"]),
                _ => self.of(&["\n", "\r"]),
            };
        }
        if self.one_in(3) {
            text += "no end 𝔘";
        }
        text
    }
}

/// The files of a project, by their names.
pub(super) type Tree = BTreeMap<String, Vec<u8>>;

pub(super) const NAMES: &[&str] = &["a.txt", "b.txt", "d/c.txt", "d/e.txt", "f/g/h.txt"];
pub(super) const ALL_NAMES: &[&str] =
    &["a.txt", "b.txt", "d/c.txt", "d/e.txt", "f/g/h.txt", "new.txt", "d/new.txt", "n/new.txt"];

/// An editor: the documents that it holds, each as it would be saved.
struct Client<'p> {
    project: &'p Project,
    documents: BTreeMap<String, String>,
    form: EditForm,
}

impl Client<'_> {
    fn name(&self, uri: &str) -> String {
        let root = format!("file://{}/", self.project.root.display());
        uri.strip_prefix(&root).unwrap_or_else(|| panic!("{uri} is not below {root}")).to_owned()
    }

    fn apply(&mut self, edit: &WorkspaceEdit) {
        let mut edited = HashSet::new();
        for change in &edit.document_changes {
            match change {
                DocumentChange::Text { text_document, edits } => {
                    let name = self.name(&text_document.uri);
                    assert!(edited.insert(name.clone()), "{name} has two entries");
                    let old = self.hold(&name);
                    // A new document may get its byte order mark with the text; an edit never touches the
                    // mark of one that exists.
                    let is_new = old.is_empty() && edits.len() == 1;
                    let (mark, text) = match old.strip_prefix('\u{feff}') {
                        Some(text) => ("\u{feff}", text),
                        None => ("", old.as_str()),
                    };
                    let new = edited_text(text, edits, self.form);
                    assert!(is_new || !new.starts_with('\u{feff}'), "{edits:?}");
                    self.documents.insert(name, format!("{mark}{new}"));
                }
                DocumentChange::Rename { old_uri, new_uri, options, .. } => {
                    let (from, to) = (self.name(old_uri), self.name(new_uri));
                    let overwrites = options.is_some_and(|options| options.overwrite);
                    assert!(overwrites || !self.is_there(&to), "{to} is there");
                    let text = self.hold(&from);
                    self.remove(&from);
                    self.documents.insert(to, text);
                }
                DocumentChange::Resource { kind: ResourceKind::Create, uri, .. } => {
                    let name = self.name(uri);
                    assert!(!self.is_there(&name), "{name} is there");
                    self.documents.insert(name, String::new());
                }
                DocumentChange::Resource { uri, .. } => {
                    let name = self.name(uri);
                    self.remove(&name);
                }
            }
        }
    }

    fn is_there(&self, name: &str) -> bool {
        self.documents.contains_key(name) || self.project.exists(name)
    }

    /// Opens the document if it does not hold it yet.
    fn hold(&mut self, name: &str) -> String {
        if !self.documents.contains_key(name) {
            let text = self.project.text(name).unwrap_or_else(|| panic!("{name} is not there"));
            self.documents.insert(name.to_owned(), text);
        }
        self.documents[name].clone()
    }

    fn remove(&mut self, name: &str) {
        let was_held = self.documents.remove(name).is_some();
        let path = self.project.root.join(name);
        let gone = if path.is_dir() { std::fs::remove_dir(&path) } else { std::fs::remove_file(&path) };
        assert!(was_held || gone.is_ok(), "{name}: {gone:?}");
    }

    fn save(&self) {
        self.documents.iter().for_each(|(name, text)| self.project.write(name, text));
    }
}

/// Returns `text` after edits whose ranges are of it, ascending and not overlapping.
fn edited_text(text: &str, edits: &[TextEdit], form: EditForm) -> String {
    // The starts of the lines, and the end of each without its line end.
    let mut lines = vec![(0, text.len())];
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_lone = *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        if *byte == b'\n' || (is_lone && form.lines == LineEnds::Lsp) {
            let is_crlf = *byte == b'\n' && at > 0 && bytes[at - 1] == b'\r' && form.lines == LineEnds::Lsp;
            lines.last_mut().unwrap().1 = if is_crlf { at - 1 } else { at };
            lines.push((at + 1, text.len()));
        }
    }
    let offset = |position: Position| {
        let line = usize::try_from(position.line).unwrap();
        let Some((start, end)) = lines.get(line).copied() else {
            assert_eq!((form.units, line), (Units::Line, lines.len()), "{position:?} in {text:?}");
            return text.len();
        };
        let mut units = usize::try_from(position.character).unwrap();
        assert!(form.units == Units::Utf16 || units == 0, "{position:?}");
        let mut at = start;
        for char in text[start..end].chars() {
            if units == 0 {
                break;
            }
            units = units.checked_sub(char.len_utf16()).expect("a position is within a character");
            at += char.len_utf8();
        }
        assert_eq!(units, 0, "{position:?} is past its line in {text:?}");
        at
    };
    let (mut out, mut at) = (String::new(), 0);
    for edit in edits {
        let (start, end) = (offset(edit.range.start), offset(edit.range.end));
        assert!(at <= start && start <= end, "edits overlap: {edits:?}");
        out += &text[at..start];
        out += &edit.new_text;
        at = end;
    }
    out + &text[at..]
}

/// A random action on the files of `tree`.
pub(super) fn random_action(choices: &mut Choices, tree: &Tree) -> Fields {
    let names: Vec<&str> = tree.keys().map(String::as_str).collect();
    let any = |choices: &mut Choices| {
        if choices.one_in(5) { choices.of(ALL_NAMES) } else { choices.of(&names) }.to_owned()
    };
    let name = any(choices);
    let other = choices.of(ALL_NAMES);
    let text = tree.get(&name).map(|bytes| String::from_utf8(bytes.clone()).unwrap()).unwrap_or_default();
    let line = |choices: &mut Choices| {
        let lines: Vec<&str> =
            text.trim_start_matches('\u{feff}').split(['\n', '\r']).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() { "x".to_owned() } else { choices.of(&lines).to_owned() }
    };
    let new = choices.of(&["", "one", "😀", "two\nlines", "é\r\n"]);
    match choices.below(12) {
        0..=3 => replace(&name, &line(choices), new),
        4 => file_write(&name, &choices.text()),
        5 => file_write(other, &choices.text()),
        6 => action("file_append", &[("path", &name), ("content", &choices.text())]),
        7 => file_move(&name, other),
        8 => file_delete(&name),
        9 => action(
            "files_replace_all_text",
            &[
                ("paths", &names.join("\n")),
                ("old_text", choices.of(&["x", "1", "é", "line"])),
                ("new_text", new),
            ],
        ),
        10 => action("dir_create", &[("path", choices.of(&["n", "d", "x/y", "f"]))]),
        _ => action("file_read", &[("path", &name)]),
    }
}

/// Returns how many cases are tried.
pub(super) fn cases() -> u64 {
    clada_test_extent::cases(60, 2_000)
}

/// The ids of the actions that were not left out for the way to the editor.
fn reached(result: &ExecutionResult) -> Vec<String> {
    let reached = result.results.iter().filter(|result| result.kind != Some(ErrorKind::NotDelivered));
    reached.map(|result| format!("a{}", result.seq)).collect()
}

fn reference(files: &Tree, actions: &[Fields], accept: &[String]) -> (Tree, Vec<(usize, ActionStatus)>) {
    let project = Project::new();
    for (name, text) in files {
        project.write(name, std::str::from_utf8(text).unwrap());
    }
    let (plan, _) = project.plan(actions, &[]);
    let done =
        project.operate(|operation| operation.execute_saved(&plan, &plan.decide(Some(accept)).unwrap()));
    (project.file_bytes(), statuses(&done))
}

fn statuses(result: &ExecutionResult) -> Vec<(usize, ActionStatus)> {
    let reached = result
        .results
        .iter()
        .filter(|result| !matches!(result.kind, Some(ErrorKind::NotDelivered | ErrorKind::Skipped)));
    reached.map(|result| (result.seq, result.status)).collect()
}

/// What is in `file` of an editor that has `a.txt` open with `text`, when it has applied what is delivered.
fn delivered(actions: &[Fields], text: &str, file: &str) -> String {
    let project = Project::new();
    project.write("a.txt", "one\n");
    let (plan, _) = project.plan(actions, &[("a.txt", text)]);
    let form = EditForm { lines: LineEnds::Lf, units: Units::Line };
    let done = project.operate(|operation| {
        operation.deliver(&plan, &plan.decide(None).unwrap(), &Editor { loaded: None, form }).unwrap().0
    });
    let documents = BTreeMap::from([("a.txt".to_owned(), text.to_owned())]);
    let mut client = Client { project: &project, documents, form };
    client.apply(done.edits.as_ref().unwrap());
    client.documents.remove(file).unwrap()
}

#[test]
fn regression_only_what_was_planned_for_an_open_file_is_continued_in_a_new_line() {
    let append = |path, content| action("file_append", &[("path", path), ("content", content)]);
    for text in ["one\n", "unsaved"] {
        let twice = delivered(&[append("a.txt", "two"), append("a.txt", "three")], text, "a.txt");
        assert_eq!(twice, format!("{text}two\nthree"));
        let moved = action("file_move", &[("old_path", "a.txt"), ("new_path", "b.txt")]);
        assert_eq!(delivered(&[moved, append("b.txt", "two")], text, "b.txt"), format!("{text}two"));
    }
}

#[test]
fn what_goes_to_an_editor_and_what_is_written_is_what_the_plan_writes() {
    let (mut edited, mut delivered, mut written, mut left_out) = (0, 0, 0, 0);
    for seed in 0..cases() {
        let mut choices = Choices(seed);
        let form = EditForm {
            lines: if seed % 2 == 0 { LineEnds::Lsp } else { LineEnds::Lf },
            units: if seed % 4 < 2 { Units::Utf16 } else { Units::Line },
        };
        let on_disk: Tree =
            NAMES.iter().map(|name| ((*name).to_owned(), choices.text().into_bytes())).collect();
        let mut meant = on_disk.clone();
        // Every document, some, or what a mode says that has no list of them.
        let all = seed % 3 == 0;
        let loaded: Vec<&str> = ALL_NAMES.iter().copied().filter(|_| all || choices.one_in(2)).collect();
        let mut unsaved = BTreeMap::new();
        for name in NAMES.iter().filter(|name| loaded.contains(name)) {
            if choices.one_in(3) {
                let text = choices.text();
                meant.insert((*name).to_owned(), text.clone().into_bytes());
                unsaved.insert(*name, text);
            }
        }
        let actions: Vec<Fields> =
            (0..=choices.below(6)).map(|_| random_action(&mut choices, &meant)).collect();
        let project = Project::new();
        on_disk.iter().for_each(|(name, text)| project.write(name, std::str::from_utf8(text).unwrap()));
        let buffers: Vec<(&str, &str)> = unsaved.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let (plan, _) = project.plan(&actions, &buffers);
        let roots = project.roots();
        let resolved = loaded.iter().map(|name| roots.resolve(name).unwrap()).collect();
        let is_mixed = seed % 6 != 0;
        let editor = Editor { loaded: is_mixed.then_some(resolved), form };
        let done = project
            .operate(|operation| operation.deliver(&plan, &plan.decide(None).unwrap(), &editor).unwrap().0);
        let told = || format!("seed {seed}\n{actions:#?}\n{:#?}\n{:#?}", results_of(&done), done.edits);
        if is_mixed {
            let changed: Vec<String> = project
                .file_bytes()
                .into_iter()
                .filter(|(name, text)| on_disk.get(name) != Some(text))
                .map(|(name, _)| name)
                .collect();
            assert!(!changed.iter().any(|name| loaded.contains(&name.as_str())), "{changed:?} {}", told());
            written += changed.len();
        } else {
            assert_eq!(project.file_bytes(), on_disk, "{}", told());
        }
        let edits = done.edits.as_ref().unwrap();
        edited += edits
            .document_changes
            .iter()
            .filter(|change| matches!(change, DocumentChange::Text { .. }))
            .count();
        let held = loaded.iter().filter_map(|name| {
            let text = unsaved.get(name).cloned().or_else(|| project.text(name))?;
            Some(((*name).to_owned(), text))
        });
        // Edits alone are for whoever opens the files then.
        let documents = held.filter(|(name, _)| is_mixed || unsaved.contains_key(name.as_str())).collect();
        let mut client = Client { project: &project, documents, form };
        client.apply(edits);
        client.save();
        let accept = reached(&done);
        left_out += done.results.len() - accept.len();
        delivered += done.results.iter().filter(|result| result.success).count();
        let (expected, expected_statuses) = reference(&meant, &actions, &accept);
        let readable = |tree: Tree| -> BTreeMap<String, String> {
            tree.into_iter().map(|(name, text)| (name, String::from_utf8(text).unwrap())).collect()
        };
        assert_eq!(readable(project.file_bytes()), readable(expected), "{}", told());
        assert_eq!(statuses(&done), expected_statuses, "{}", told());
    }
    // The cases are ones that say something.
    assert!(
        edited > 50 && delivered > 100 && written > 20 && left_out > 5,
        "{edited} {delivered} {written} {left_out}"
    );
}

/// The actions of each group, and those that are shown at a file.
fn actions_of(files: &[PlannedFile]) -> BTreeMap<String, BTreeSet<String>> {
    let mut actions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |group: &str, parts: &[String]| {
        let ids = parts.iter().map(|part| part.split_once('.').map_or(part.as_str(), |(action, _)| action));
        actions.entry(group.to_owned()).or_default().extend(ids.map(str::to_owned));
    };
    for file in files {
        file.group.iter().for_each(|group| add(group, &file.parts));
        file.hunks.iter().for_each(|hunk| add(&hunk.group, &hunk.parts));
    }
    actions
}

/// Returns true if an action did what was accepted of it: of several files, some may have failed before.
fn has_run(result: &ActionResult) -> bool {
    let is_several = result.action == "files_replace_all_text";
    let is_kept_back =
        matches!(result.kind, Some(ErrorKind::NotDelivered | ErrorKind::Skipped | ErrorKind::Conflict));
    result.success || (is_several && !is_kept_back)
}

/// Asserts that each text has the version of its document, if that was there under its name before.
fn check_versions(edits: &WorkspaceEdit, client: &Client<'_>, versions: &BTreeMap<&str, i32>) -> usize {
    let mut origins: HashMap<String, Option<String>> = HashMap::new();
    let mut count = 0;
    for change in &edits.document_changes {
        match change {
            DocumentChange::Rename { old_uri, new_uri, .. } => {
                let (from, to) = (client.name(old_uri), client.name(new_uri));
                let origin = origins.remove(&from).unwrap_or(Some(from));
                origins.insert(to, origin);
            }
            DocumentChange::Resource { kind: ResourceKind::Create, uri, .. } => {
                drop(origins.insert(client.name(uri), None));
            }
            DocumentChange::Resource { .. } => {}
            DocumentChange::Text { text_document, .. } => {
                let name = client.name(&text_document.uri);
                let origin = origins.get(&name).cloned().unwrap_or(Some(name.clone()));
                let is_same = origin.as_deref() == Some(name.as_str());
                let version = versions.get(name.as_str()).copied().filter(|_| is_same);
                assert_eq!(text_document.version, version, "{edits:#?}");
                count += usize::from(version.is_some());
            }
        }
    }
    count
}

#[test]
fn accepted_groups_give_the_lines_shown_in_files_and_buffers_together() {
    let (mut done_groups, mut left_groups, mut with_version, mut written, mut edited) = (0, 0, 0, 0, 0);
    for seed in 0..cases() {
        let mut choices = Choices(seed ^ 0x5eed_0000);
        let form = EditForm {
            lines: if seed % 2 == 0 { LineEnds::Lsp } else { LineEnds::Lf },
            units: if seed % 4 < 2 { Units::Utf16 } else { Units::Line },
        };
        let text = |choices: &mut Choices| {
            (0..=choices.below(3)).map(|_| choices.text().replace('\u{feff}', "")).collect::<String>()
        };
        let on_disk: Tree =
            NAMES.iter().map(|name| ((*name).to_owned(), text(&mut choices).into_bytes())).collect();
        let all = seed % 3 == 0;
        let loaded: Vec<&str> = ALL_NAMES.iter().copied().filter(|_| all || choices.one_in(2)).collect();
        let (mut meant, mut buffers, mut versions) = (on_disk.clone(), Vec::new(), BTreeMap::new());
        for (at, name) in loaded.iter().enumerate() {
            // Some of them are on no disk yet.
            if choices.one_in(if NAMES.contains(name) { 3 } else { 8 }) {
                let text = text(&mut choices);
                meant.insert((*name).to_owned(), text.clone().into_bytes());
                buffers.push((*name, text));
                versions.insert(*name, 10 + i32::try_from(at).unwrap());
            }
        }
        let actions: Vec<Fields> =
            (0..=choices.below(8)).map(|_| random_action(&mut choices, &meant)).collect();
        let project = Project::new();
        on_disk.iter().for_each(|(name, text)| project.write(name, std::str::from_utf8(text).unwrap()));
        let roots = project.roots();
        let path = |name: &str| roots.resolve(name).unwrap();
        let counted = Counted {
            lines: form.lines,
            versions: versions.iter().map(|(name, version)| (path(name), *version)).collect(),
            context: CONTEXT,
            buffers: buffers.iter().map(|(name, text)| (path(name), text.clone())).collect(),
        };
        let (plan, result) = project.plan_for(answer(&actions), Some(counted));
        let mut accepted: BTreeSet<String> = groups(&result.files);
        accepted.retain(|_| !choices.one_in(3));
        let of_group = actions_of(&result.files);
        let shown: BTreeSet<&String> = of_group.values().flatten().collect();
        // What is about no document is accepted by its action.
        let others = result.actions.iter().map(|action| &action.id).filter(|id| !shown.contains(id));
        let others: Vec<String> = others.filter(|_| choices.one_in(2)).cloned().collect();
        let accept: Vec<String> = accepted.iter().cloned().chain(others).collect();
        let Ok(decision) = plan.decide(Some(&accept)) else { continue };
        let is_mixed = seed % 6 != 0;
        let editor =
            Editor { loaded: is_mixed.then(|| loaded.iter().map(|name| path(name)).collect()), form };
        let done = project.operate(|operation| operation.deliver(&plan, &decision, &editor).unwrap().0);
        let edits = done.edits.as_ref().unwrap();
        let told = || {
            format!(
                "seed {seed} accept {accept:?}\n{actions:#?}\n{:#?}\n{:#?}\n{edits:#?}",
                results_of(&done),
                result.files
            )
        };
        let now = project.file_bytes();
        let changed: Vec<&String> =
            on_disk.keys().chain(now.keys()).filter(|name| on_disk.get(*name) != now.get(*name)).collect();
        assert!(is_mixed || changed.is_empty(), "{changed:?} {}", told());
        assert!(!changed.iter().any(|name| loaded.contains(&name.as_str())), "{changed:?} {}", told());
        written += usize::from(!changed.is_empty());
        edited += usize::from(!edits.document_changes.is_empty());
        let succeeded: BTreeSet<String> = done
            .results
            .iter()
            .filter(|result| has_run(result))
            .map(|result| format!("a{}", result.seq))
            .collect();
        let (in_place, lost): (BTreeSet<String>, BTreeSet<String>) =
            accepted.iter().cloned().partition(|group| of_group[group].is_subset(&succeeded));
        for id in succeeded.iter().filter(|id| shown.contains(id)) {
            let of = accepted.iter().filter(|group| of_group[*group].contains(id));
            let of: Vec<&String> = of.collect();
            let is_hidden = accept.contains(id);
            assert!(
                is_hidden || (!of.is_empty() && !of.iter().any(|group| lost.contains(*group))),
                "{id} {}",
                told()
            );
        }
        let held = loaded.iter().filter_map(|name| {
            let unsaved = buffers.iter().find(|(buffer, _)| buffer == name).map(|(_, text)| text.clone());
            Some(((*name).to_owned(), unsaved.or_else(|| project.text(name))?))
        });
        let is_buffer = |name: &str| versions.contains_key(name);
        let documents = held.filter(|(name, _)| is_mixed || is_buffer(name)).collect();
        let mut client = Client { project: &project, documents, form };
        with_version += check_versions(edits, &client, &versions);
        client.apply(edits);
        client.save();
        let readable = |tree: &Tree| -> BTreeMap<String, String> {
            tree.iter().map(|(name, text)| (name.clone(), String::from_utf8(text.clone()).unwrap())).collect()
        };
        let expected = after(&readable(&meant), &result.files, &in_place, form.lines);
        // What is held and was on no disk is saved with the others; what nobody held or wrote is not there.
        assert_eq!(readable(&project.file_bytes()), expected, "{}", told());
        // A group is lost only for the way to the editor.
        let why = |group: &&String| {
            done.results.iter().any(|result| {
                of_group[*group].contains(&format!("a{}", result.seq))
                    && matches!(result.kind, Some(ErrorKind::NotDelivered | ErrorKind::Skipped))
            })
        };
        assert!(lost.iter().all(|group| why(&group)), "{lost:?} {}", told());
        done_groups += in_place.len();
        left_groups += of_group.len() - in_place.len();
    }
    // The cases are ones that say something.
    let least = [done_groups, left_groups, with_version, written, edited];
    assert!(least.iter().all(|count| *count > 5), "{least:?}");
}
