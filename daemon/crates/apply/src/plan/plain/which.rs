//! Which file of the project a mention of an answer means (spec: plain, section 3).
//!
//! Looks at names alone. A path that is taken otherwise than it is written is remapped, which the user is
//! shown; a path of another place is never made.

use std::path::{Component, Path, PathBuf};

use clada_dialects::plain::{Candidate, Folder, Group, Mention, Place, Plain, fits_language};

use super::answer_paths::AnswerPaths;
use super::files::{EntryKind, ProjectFiles};
use super::namespace::folder_of_namespace;
use super::new_folder::{BESIDE_CODE, NewPlace, folders_of_new, only_folder};
use crate::plan::twins::look;

// The fewest files that show in which folder the code is.
const CODE_FILES: usize = 3;
const MOST: usize = 9;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileTarget {
    pub(super) path: String,
    pub(super) exists: bool,
    /// The path as the answer writes it, if another one is taken.
    pub(super) written: Option<String>,
    pub(super) named: Option<PathNaming>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathNaming {
    pub(super) place: Place,
    pub(super) line: u32,
    /// True if it is further away, and holds for one whole file alone.
    pub(super) held: bool,
}

impl FileTarget {
    // Returns where the answer names it: the kind of place, and its line.
    pub(super) fn place(&self) -> Option<(Place, u32)> {
        self.named.map(|named| (named.place, named.line))
    }
}

impl PathNaming {
    fn new(group: &Group) -> PathNaming {
        PathNaming { place: group.place, line: group.line, held: group.held }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CandidateMeaning {
    One(FileTarget),
    Choice(Vec<FileTarget>),
    /// A path that is none of the project's, as written.
    Elsewhere(String),
    /// A path of which the project has one in another case or form: both.
    Twin(String, String),
    /// A path that may not be written, and why.
    Denied(String, String),
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Resolved {
    Targets(Vec<FileTarget>),
    Elsewhere,
    Twin(String),
    Denied(String),
    Nothing,
}

/// Returns what the mentions of `candidate` mean; `suits` says of a file that exists whether the candidate's
/// text may be for it.
pub(super) fn meaning(
    candidate: &Candidate,
    answer: &AnswerPaths<'_>,
    files: &mut ProjectFiles<'_, '_>,
    suits: &mut dyn FnMut(&mut ProjectFiles<'_, '_>, &str) -> bool,
) -> CandidateMeaning {
    let mut elsewhere = None;
    let place = NewPlace { answer, content: &candidate.content, language: &candidate.language };
    for group in &candidate.groups {
        let mut resolved: Vec<FileTarget> = Vec::new();
        let mut choices: Vec<FileTarget> = Vec::new();
        for mention in group.mentions.iter().filter(|mention| !mention.aside) {
            if !fits_language(&candidate.language, &mention.path) {
                continue;
            }
            match in_own_folder(resolve(mention, group, place, files), candidate, files) {
                Resolved::Targets(mut targets) if targets.len() == 1 => resolved.append(&mut targets),
                Resolved::Targets(targets) => choices.extend(targets),
                Resolved::Twin(other) => return CandidateMeaning::Twin(mention.path.clone(), other),
                Resolved::Denied(reason) => return CandidateMeaning::Denied(mention.path.clone(), reason),
                Resolved::Elsewhere => elsewhere = elsewhere.or_else(|| Some(mention.path.clone())),
                Resolved::Nothing => {}
            }
        }
        for targets in [&mut resolved, &mut choices] {
            let mut seen = Vec::new();
            targets.retain(|target| {
                let is_new = !seen.contains(&target.path);
                seen.push(target.path.clone());
                is_new
            });
        }
        match (&resolved[..], &choices[..]) {
            ([], []) => {}
            ([one], _) => return CandidateMeaning::One(one.clone()),
            ([], _) => return chosen(&choices, files, suits),
            (_, _) if matches!(group.place, Place::Sentence | Place::Below) => {
                return chosen(&resolved, files, suits);
            }
            // A label with several paths does not decide, unless one alone suits.
            (several, _) => {
                let suiting: Vec<FileTarget> = several
                    .iter()
                    .filter(|target| target.exists && suits(files, &target.path))
                    .cloned()
                    .collect();
                if let [one] = &suiting[..] {
                    return CandidateMeaning::One(one.clone());
                }
            }
        }
    }
    elsewhere.map_or(CandidateMeaning::Nothing, CandidateMeaning::Elsewhere)
}

// Returns `resolved` with a new bare file in the one folder in which its program looks for files of its content.
fn in_own_folder(resolved: Resolved, candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> Resolved {
    const WORKFLOWS: &str = ".github/workflows";
    let Resolved::Targets(targets) = resolved else { return resolved };
    let is_workflow = |target: &FileTarget| {
        let has = |key: &str| candidate.content.lines().any(|line| line.trim_start().starts_with(key));
        !target.exists
            && [".yml", ".yaml"].iter().any(|end| target.path.ends_with(end))
            && has("jobs:")
            && has("runs-on:")
    };
    match targets.first().filter(|first| is_workflow(first)) {
        Some(first) if !first.path.contains('/') => {
            let path = format!("{WORKFLOWS}/{}", first.path);
            let exists = files.kind(&path) == EntryKind::File;
            let written = Some(first.path.clone());
            Resolved::Targets(vec![FileTarget { path, exists, written, ..first.clone() }])
        }
        _ => Resolved::Targets(targets),
    }
}

/// Returns the one of `targets` that suits: an existing file for which the text is, else the only missing
/// one. Two that suit are a choice.
fn chosen(
    targets: &[FileTarget],
    files: &mut ProjectFiles<'_, '_>,
    suits: &mut dyn FnMut(&mut ProjectFiles<'_, '_>, &str) -> bool,
) -> CandidateMeaning {
    let existing: Vec<FileTarget> = targets.iter().filter(|target| target.exists).cloned().collect();
    let suiting: Vec<FileTarget> =
        existing.iter().filter(|target| suits(files, &target.path)).cloned().collect();
    let missing: Vec<FileTarget> = targets.iter().filter(|target| !target.exists).cloned().collect();
    for mut kind in [suiting, missing, existing] {
        match kind.len() {
            0 => {}
            1 => return CandidateMeaning::One(kind.remove(0)),
            _ => {
                kind.truncate(MOST);
                return CandidateMeaning::Choice(kind);
            }
        }
    }
    CandidateMeaning::Nothing
}

fn resolve(
    mention: &Mention,
    group: &Group,
    place: NewPlace<'_>,
    files: &mut ProjectFiles<'_, '_>,
) -> Resolved {
    let written = mention.path.trim();
    if written.is_empty() || written.contains('\0') || written.ends_with('/') {
        return Resolved::Nothing;
    }
    let target = |path: String, exists: bool| {
        let is_other = path != written;
        FileTarget {
            path,
            exists,
            written: is_other.then(|| written.to_owned()),
            named: Some(PathNaming::new(group)),
        }
    };
    let one = |path: String, exists: bool| Resolved::Targets(vec![target(path, exists)]);
    let Some(path) = relative(written, files) else { return outside(mention, group, place, files) };
    let is_exact =
        path == written || written.strip_prefix("./") == Some(&path) || Path::new(written).is_absolute();
    let exactly = |exists: bool| {
        let written = (!is_exact).then(|| written.to_owned());
        Resolved::Targets(vec![FileTarget {
            path: path.clone(),
            exists,
            written,
            named: Some(PathNaming::new(group)),
        }])
    };
    let in_folder = |files: &mut ProjectFiles<'_, '_>| {
        let folder = group.folder.as_ref()?;
        let path = in_named_folder(&path, folder, files)?;
        let exists = files.kind(&path) == EntryKind::File;
        // "The `api` package" may be in a folder of packages.
        let is_written = path.strip_prefix(&*folder.path).is_some_and(|rest| rest == format!("/{written}"));
        let written = (!is_written).then(|| format!("{}/{written}", folder.path));
        let named = Some(PathNaming::new(group));
        Some(FileTarget { path, exists, written, named })
    };
    if group.folder.as_ref().is_some_and(|folder| folder.is_beside)
        && let Some(one) = in_folder(files)
        // A found folder is no reason for a second file of the name.
        && (one.exists || one.written.is_none() || files.kind(&path) != EntryKind::File)
    {
        return Resolved::Targets(vec![one]);
    }
    match files.kind(&path) {
        EntryKind::File => return exactly(true),
        EntryKind::Folder => return Resolved::Nothing,
        EntryKind::Other => return files.denied(&path).map_or(Resolved::Nothing, Resolved::Denied),
        EntryKind::Missing => {}
    }
    if let Some(targets) = mentioned_to_tool(mention, group, place, files) {
        return Resolved::Targets(targets);
    }
    let name = Path::new(&path).file_name().unwrap_or_default().to_owned();
    if let Some(twin) = twin(&path, files) {
        return Resolved::Twin(twin);
    }
    let has_folder = path.contains('/');
    let named: Vec<PathBuf> = files.names().named(&name).to_vec();
    if has_folder {
        // Written from further down, or below a made-up root.
        let within: Vec<&PathBuf> = named.iter().filter(|file| file.ends_with(&path)).collect();
        if let [only] = within[..] {
            return one(only.to_string_lossy().into_owned(), true);
        }
        if within.len() > 1 {
            let all =
                within.into_iter().take(MOST).map(|file| target(file.to_string_lossy().into_owned(), true));
            return Resolved::Targets(all.collect());
        }
        if let Some(inside) = without_root(&path, files) {
            let exists = files.kind(&inside) == EntryKind::File;
            return one(inside, exists);
        }
        if !mention.sure {
            return Resolved::Nothing;
        }
        let first = path.split('/').next().unwrap_or_default();
        if files.kind(first) == EntryKind::Missing {
            // `Dtos/A.cs`, in the namespace of `Shop/Models/B.cs` but for its last part.
            let bare = name.to_string_lossy();
            if let Some(full) =
                folder_of_namespace(&bare, place.content, files).map(|folder| folder.join(&*bare))
                && full.ends_with(&path)
            {
                return one(full.to_string_lossy().into_owned(), false);
            }
            // `styles/globals.css`, where `src/app/globals.css` is the only one: a name that no other folder would have.
            if let [only] = &named[..]
                && !group.new
                && !is_of_any_folder(&name.to_string_lossy())
            {
                let only = only.to_string_lossy().into_owned();
                return Resolved::Targets(vec![target(only, true), target(path, false)]);
            }
            let below: Vec<PathBuf> =
                files.names().folders().filter(|folder| folder.ends_with(first)).cloned().collect();
            if let [only] = &below[..]
                && let Some(above) = only.parent()
            {
                return one(above.join(&path).to_string_lossy().into_owned(), false);
            }
            // Several packages have one: the nearest may be the one that has files of its kind.
            if below.len() > 1 {
                let extension = Path::new(&path).extension();
                let is_of_kind = |folder: &&PathBuf| {
                    let mut files = files.names().files();
                    extension.is_some()
                        && files.any(|file| file.starts_with(folder) && file.extension() == extension)
                };
                let fitting: Vec<PathBuf> = below.iter().filter(is_of_kind).cloned().collect();
                let mut folders = if fitting.is_empty() { below.clone() } else { fitting };
                folders.sort_by_key(|folder| (folder.components().count(), folder.clone()));
                let above = folders.iter().filter_map(|folder| folder.parent());
                let places =
                    above.map(|above| target(above.join(&path).to_string_lossy().into_owned(), false));
                let mut places: Vec<FileTarget> = places.take(MOST - 1).collect();
                places.push(target(path.clone(), false));
                return Resolved::Targets(places);
            }
            if below.is_empty()
                && let Some(folder) = folder_of_code(&path, files)
            {
                return one(folder.join(&path).to_string_lossy().into_owned(), false);
            }
        }
        return exactly(false);
    }
    if let Some(heading) = &group.heading
        && named.len() > 1
    {
        let is_below =
            |file: &&PathBuf| file.iter().any(|part| part.to_string_lossy().eq_ignore_ascii_case(heading));
        let below: Vec<&PathBuf> = named.iter().filter(is_below).collect();
        if let [only] = below[..] {
            return one(only.to_string_lossy().into_owned(), true);
        }
    }
    if let Some(one) = in_folder(files) {
        return Resolved::Targets(vec![one]);
    }
    match &named[..] {
        [only] => return one(only.to_string_lossy().into_owned(), true),
        [] => {}
        several => {
            let all = several.iter().take(MOST).map(|file| target(file.to_string_lossy().into_owned(), true));
            return Resolved::Targets(all.collect());
        }
    }
    if !mention.sure {
        return Resolved::Nothing;
    }
    // `Main.dart` in a label is `lib/main.dart`, written as a title.
    let own_look = look(&path);
    let is_alike =
        |file: &&PathBuf| file.file_name().is_some_and(|name| look(&name.to_string_lossy()) == own_look);
    let alike: Vec<PathBuf> = files.names().files().filter(is_alike).take(2).cloned().collect();
    if let [only] = &alike[..] {
        return Resolved::Twin(only.to_string_lossy().into_owned());
    }
    // "A README for your project" is the document, whose name a sentence does not write out.
    if place.language == "markdown" || place.language == "md" {
        let document = format!("{path}.md");
        if !path.contains('.') && files.kind(&document) == EntryKind::File {
            return one(document, true);
        }
    }
    if place.answer.is_of_system(&path) && !group.new {
        return Resolved::Elsewhere;
    }
    let folders = folders_of_new(&path, place, files);
    let below = |folder: PathBuf| target(folder.join(&path).to_string_lossy().into_owned(), false);
    match folders.is_empty() {
        true => Resolved::Nothing,
        false => Resolved::Targets(folders.into_iter().take(MOST).map(below).collect()),
    }
}

// Returns the path of the file `name` in the `folder` that the words name: one that the project has, or that is marked as one.
fn in_named_folder(name: &str, folder: &Folder, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    const ROOT: [&str; 8] = ["root", "project", "same", "main", "base", "current", "working", "parent"];
    let path = relative(&folder.path, files).filter(|_| !name.contains('/'))?;
    if files.root().ends_with(&path) {
        return None;
    }
    let is_there = |file: &&PathBuf| file.parent().is_some_and(|at| at.ends_with(&path));
    let mut there = files.names().named(std::ffi::OsStr::new(name)).iter().filter(is_there);
    if let (Some(only), None) = (there.next(), there.next()) {
        return Some(only.to_string_lossy().into_owned());
    }
    if files.kind(&path) != EntryKind::Folder {
        // "In the main folder" is not `src/main`.
        if ROOT.contains(&&*path.to_lowercase()) {
            return None;
        }
        let only = only_folder(Path::new(&path), files);
        let only = only.map(|only| only.to_string_lossy().into_owned());
        return only.or(folder.is_marked.then_some(path)).map(|folder| format!("{folder}/{name}"));
    }
    Some(format!("{path}/{name}"))
}

// Returns true if many folders have a file of this name.
fn is_of_any_folder(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.trim_matches('_').to_lowercase();
    stem.len() < 2
        || [
            "index",
            "main",
            "init",
            "mod",
            "lib",
            "page",
            "route",
            "layout",
            "readme",
            "test",
            "tests",
            "types",
            "utils",
            "util",
            "config",
            "constants",
            "package",
            "setup",
            "app",
            "styles",
            "style",
            "models",
            "views",
            "urls",
            "schema",
            "service",
            "controller",
            "loading",
            "error",
            "cargo",
            "tsconfig",
            "build",
            "dockerfile",
            "makefile",
        ]
        .contains(&&*stem)
}

/// Returns what `mention` means without its `@`, with which files are mentioned to tools (`@shop/utils.py`), and imports
/// begin at the folder of the code (`@/api/client.ts`).
fn mentioned_to_tool(
    mention: &Mention,
    group: &Group,
    place: NewPlace<'_>,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<Vec<FileTarget>> {
    let rest = mention.path.strip_prefix('@')?;
    let (folder, path) = (rest.split('/').next().unwrap_or_default(), rest.trim_start_matches('/'));
    let sure = mention.sure && (folder.is_empty() || files.kind(folder) == EntryKind::Folder);
    let bare = Mention { path: path.to_owned(), sure, ..mention.clone() };
    let Resolved::Targets(targets) = resolve(&bare, group, place, files) else { return None };
    let written = Some(mention.path.clone());
    Some(targets.into_iter().map(|target| FileTarget { written: written.clone(), ..target }).collect())
}

// Returns the folder that holds all code in the language of `path`, a new one whose first folder is nowhere, if
// the project has it in one.
fn folder_of_code(path: &str, files: &mut ProjectFiles<'_, '_>) -> Option<PathBuf> {
    let is_beside = |folder: &str| folder.starts_with('.') || BESIDE_CODE.contains(&&*folder.to_lowercase());
    if is_beside(path.split('/').next().unwrap_or_default()) {
        return None;
    }
    let extension = Path::new(path).extension()?;
    let (mut common, mut count): (Option<PathBuf>, usize) = (None, 0);
    for file in files.names().files().filter(|file| file.extension() == Some(extension)) {
        let folder = file.parent().unwrap_or(Path::new(""));
        let first = folder.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned());
        // Configuration at the root, tests and scripts are not where the code is.
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_set_up = first.is_none() && (name.contains("config.") || name.ends_with(".d.ts"));
        let is_code_folder = |folder: &str| ["src", "lib", "app"].contains(&folder);
        if is_set_up || first.as_deref().is_some_and(|first| is_beside(first) && !is_code_folder(first)) {
            continue;
        }
        count += 1;
        common = Some(match common {
            None => folder.to_path_buf(),
            Some(common) => {
                let both = common.components().zip(folder.components());
                both.take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
            }
        });
    }
    common.filter(|folder| count >= CODE_FILES && !folder.as_os_str().is_empty())
}

pub(super) fn relative(written: &str, files: &ProjectFiles<'_, '_>) -> Option<String> {
    let path = Path::new(written);
    let inside = match path.strip_prefix(files.root()) {
        Ok(inside) => inside,
        Err(_) if path.is_absolute() || written.starts_with('~') || is_drive(written) => return None,
        Err(_) => path,
    };
    let mut parts = Vec::new();
    for part in inside.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?.to_owned()),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn is_drive(written: &str) -> bool {
    matches!(written.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// Returns what a path outside of the project means: one whose end the project has.
fn outside(
    mention: &Mention,
    group: &Group,
    place: NewPlace<'_>,
    files: &mut ProjectFiles<'_, '_>,
) -> Resolved {
    let written = mention.path.trim();
    let parts: Vec<&str> = written.split('/').filter(|part| !part.is_empty() && *part != "~").collect();
    let target = |path: String, exists: bool| {
        Resolved::Targets(vec![FileTarget {
            path,
            exists,
            written: Some(written.to_owned()),
            named: Some(PathNaming::new(group)),
        }])
    };
    if parts.contains(&"..") {
        return Resolved::Elsewhere;
    }
    // The root of other paths of the answer, which the project has.
    if let Some(inside) = place.answer.inside(written) {
        let exists = files.kind(inside) == EntryKind::File;
        return if exists || mention.sure { target(inside.to_owned(), exists) } else { Resolved::Nothing };
    }
    for at in 0..parts.len() {
        let end = parts[at..].join("/");
        // A bare name says too little, unless it is all that is written.
        if at + 1 == parts.len() && parts.len() > 1 {
            break;
        }
        if files.kind(&end) == EntryKind::File && (parts.len() - at > 1 || written.starts_with('/')) {
            return target(end, true);
        }
    }
    // `/src/new.py`: below a folder of the project.
    if written.starts_with('/')
        && mention.sure
        && parts.len() > 1
        && files.kind(parts[0]) == EntryKind::Folder
        && !is_of_system(parts[0])
    {
        return target(parts.join("/"), false);
    }
    // What precedes the project's own folder goes.
    let own = files.root().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let own_at = parts.iter().position(|part| *part == own).filter(|at| at + 1 < parts.len() && mention.sure);
    if let Some(at) = own_at.filter(|at| parts.len() - at > 2) {
        return target(parts[at + 1..].join("/"), false);
    }
    // `/home/you/project/src/new.py`: the same below the folder that the answer takes for the project.
    let first = parts.first().copied().unwrap_or_default().to_ascii_lowercase();
    let is_of_users =
        ["home", "users", "mnt", "workspace", "workspaces", "project", "repo", "code"].contains(&&*first);
    if mention.sure && (is_of_users || is_drive(written)) {
        for at in 1..parts.len().saturating_sub(1) {
            if files.kind(parts[at]) == EntryKind::Folder {
                return target(parts[at..].join("/"), false);
            }
        }
    }
    let in_root = |name: &str, files: &mut ProjectFiles<'_, '_>| files.kind(name) == EntryKind::File;
    if let Some(at) = own_at {
        let inside = parts[at + 1..].join("/");
        let exists = in_root(&inside, files);
        return target(inside, exists);
    }
    // `C:/work/shop/app.js`, where the project has the file in its own folder, and no other of that name.
    let name = parts.last().copied().unwrap_or_default();
    let is_only = files.names().named(std::ffi::OsStr::new(name)).len() == 1;
    if (is_of_users || is_drive(written)) && parts.len() > 2 && is_only && in_root(name, files) {
        return target(name.to_owned(), true);
    }
    // The address of a page, a piece of a pattern.
    let is_address = written.starts_with('/') && Path::new(written).extension().is_none();
    match is_address && !is_of_users && !is_of_system(&first) {
        true => Resolved::Nothing,
        false => Resolved::Elsewhere,
    }
}

// Returns the absolute path with which the answer names the project: what precedes the path of a file that the project has.
pub(super) fn root_of_answer(plain: &Plain, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    let groups = plain.candidates.iter().flat_map(|candidate| &candidate.groups);
    let mut paths = groups.flat_map(|group| &group.mentions).map(|mention| &*mention.path);
    paths.find_map(|path| {
        if relative(path, files).is_some() || !(path.starts_with('/') || is_drive(path)) {
            return None;
        }
        // Two parts at least: many projects have an `index.js`.
        let mut ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        let is_own =
            |at: &usize| path[at + 1..].contains('/') && files.kind(&path[at + 1..]) == EntryKind::File;
        let at = ends.find(is_own)?;
        Some(path[..at].to_owned())
    })
}

/// Returns true if a folder of this name at `/` is the system's.
fn is_of_system(name: &str) -> bool {
    ["etc", "usr", "var", "tmp", "opt", "dev", "proc", "sys", "root", "home", "bin", "boot", "run"]
        .contains(&name)
}

/// Returns `path` without a made-up first folder, or the project's own name, if the project has what is left
/// of it or the folder of that.
fn without_root(path: &str, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    let (first, inside) = path.split_once('/')?;
    if files.kind(first) != EntryKind::Missing {
        return None;
    }
    let own = files.root().file_name().is_some_and(|name| name == first);
    let has_folder =
        inside.rsplit_once('/').is_some_and(|(folder, _)| files.kind(folder) == EntryKind::Folder);
    let is_known = own || has_folder || files.kind(inside) == EntryKind::File && inside.contains('/');
    is_known.then(|| inside.to_owned())
}

fn twin(path: &str, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    let own_look = look(path);
    // Most names differ in length already, but for composed letters.
    let is_near = |file: &Path| file.as_os_str().len().abs_diff(path.len()) <= path.len();
    let twin = files.names().files().find(|file| {
        is_near(file) && look(&file.to_string_lossy()) == own_look && file.as_path() != Path::new(path)
    });
    twin.map(|file| file.to_string_lossy().into_owned())
}
