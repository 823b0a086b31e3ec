//! Copies of staged files that come back: finds the file of each of them, and its content when it was handed
//! out.
//!
//! Reads the copies, which may be anywhere, and the record of what was staged; changes nothing. Nothing is
//! guessed: a name that nothing was staged as is an error.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clada_config::ManifestFormat;
use clada_fs::{Symlinks, open_regular};
use clada_protocol::{ErrorKind, RpcError};
use clada_store::{Durable, Store};

use super::error::StageError;
use super::file_index::{ContentHash, FileIndex};
use super::folder_table;
use super::manifest;
use super::names::MANIFEST;
use super::provenance::{Base, Baseline};
use super::remove::token_in;

const MAX_MANIFEST: u64 = 512 << 20;

const LISTED: usize = 10;

/// A copy that comes back.
#[derive(Debug)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// The file that it belongs to, from the root.
    pub path: PathBuf,
    /// Its content.
    pub content: Vec<u8>,
    /// True if the file was executable, if that is known: elsewhere than in its staging folder, the mode of a
    /// copy depends on the program that made it.
    pub executable: Option<bool>,
    /// The content of the file when it was handed out.
    pub made_of: MadeOf,
}

/// The content that a copy was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MadeOf {
    /// The content with this hash.
    Content([u8; 32]),
    /// None: the file was never handed out under this name, as far as that is known.
    Nothing,
    /// A content that was handed out before the last one.
    Older,
    /// Unknown: it was handed out too long ago, or by a daemon that keeps its record elsewhere.
    Forgotten,
    /// One of several contents, handed out for these different baselines.
    OneOf(Vec<String>),
}

impl MadeOf {
    /// Returns the hash of the content that the copy was made of, if that is known.
    #[must_use]
    pub fn content(&self) -> Option<&[u8; 32]> {
        match self {
            MadeOf::Content(hash) => Some(hash),
            MadeOf::Nothing | MadeOf::Older | MadeOf::Forgotten | MadeOf::OneOf(_) => None,
        }
    }

    /// Returns why a file with another content than the copy was made of is not overwritten, and what helps
    /// first.
    #[must_use]
    pub fn conflict(&self) -> (&'static str, Option<String>) {
        match self {
            MadeOf::Content(_) => ("File was changed since it was staged", None),
            MadeOf::Older => ("File was changed and staged again since this copy was made", None),
            MadeOf::Forgotten => ("clada no longer knows which content this copy was made from", None),
            MadeOf::Nothing => ("The file exists, and clada has no record of staging it", None),
            MadeOf::OneOf(names) => {
                let names = for_whom(names.iter().map(String::as_str));
                let hint = format!("say which baseline this copy belongs to, with one of {names}");
                ("File was staged with another content for others", Some(hint))
            }
        }
    }
}

/// The limits on what comes back.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most bytes of a file.
    pub file: u64,
    /// The most bytes of all files.
    pub all: u64,
}

/// The request for copies that come back.
#[derive(Debug, Clone, Copy)]
pub struct CopyRequest<'a> {
    /// The paths of files, and of folders that contain them.
    pub paths: &'a [PathBuf],
    /// The baseline that they were handed out for, if the caller names it.
    pub baseline: Option<&'a str>,
    /// The limits.
    pub bounds: Bounds,
}

/// The copies that come back, and the entries that are not written back.
#[derive(Debug, Default)]
pub struct Copies {
    /// The copies, by their names.
    pub copies: Vec<Copy>,
    /// A message for each kind of entry that was skipped.
    pub skipped: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Skip {
    Link,
    Folder,
    Special,
    Unreadable,
}

type Skipped = BTreeMap<Skip, Vec<String>>;

/// Finds the copies of a request about the project at `root`.
///
/// # Errors
/// If a named path cannot be read, a name is that of no staged file, two files have one name, or there is no
/// such baseline.
pub fn find(store: &mut Store, root: &Path, request: CopyRequest<'_>) -> Result<Copies, RpcError> {
    let CopyRequest { paths, baseline, bounds } = request;
    let mut replies: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut skipped = Skipped::new();
    for path in paths {
        for file in files_at(path, &mut skipped)? {
            let name = file_name(&file)?;
            if let Some(other) = replies.get(&name).filter(|other| !is_same_file(other, &file)) {
                return Err(twice(&name, other, &file));
            }
            replies.insert(name, file);
        }
    }
    if replies.is_empty() {
        let what = messages(&skipped).join(". ");
        let message = format!("There is no file to write back. {what}");
        return Err(RpcError::new(ErrorKind::FileNotFound, message.trim_end())
            .hint("name the files, or the folder that they are in"));
    }
    let outcome = store.write_or(Durable::Soon, |transaction| {
        let index = FileIndex::open(transaction)?;
        let mut folders: HashMap<PathBuf, CopyOrigin> = HashMap::new();
        let baselines = index.baselines(baseline)?;
        if let (Some(name), true) = (baseline, baselines.is_empty()) {
            return Err(StageError::from(no_baseline(name, &index.baselines(None)?)));
        }
        let (mut copies, mut unknown, mut room) = (Vec::new(), Vec::new(), bounds.all);
        for (name, file) in replies {
            let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
            // Copies of one folder share its manifest and marker, which are read once.
            let origin = match folders.entry(folder) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    let origin = CopyOrigin::find(transaction, new.key(), root)?;
                    new.insert(origin)
                }
            };
            let Some(path) = origin.path(&index, &name)? else {
                unknown.push(name);
                continue;
            };
            let in_manifest = origin.files.contains_key(&name);
            let content = match read(&file, bounds.file) {
                // A file that its user names has to be written back; one of a folder is skipped.
                Err(error) if error.kind() == Some(ErrorKind::PermissionDenied) && !paths.contains(&file) => {
                    skipped.entry(Skip::Unreadable).or_default().push(name);
                    continue;
                }
                content => content?,
            };
            let metadata = std::fs::metadata(&file).ok();
            let mode = metadata.as_ref().filter(|_| origin.is_staging_folder).map(MetadataExt::mode);
            let executable = mode.map(|mode| mode & 0o100 != 0);
            room = room.checked_sub(content.len() as u64).ok_or_else(|| too_much(bounds.all))?;
            let key = path.as_os_str().as_bytes();
            let made_of = match origin.version {
                Some(version) => base(index.content_at(key, version)?),
                None if origin.is_forgotten => MadeOf::Forgotten,
                None => made_of(&index, key, &baselines, metadata.map(|metadata| metadata.mtime()))?,
            };
            let made_of = match made_of {
                // The baselines moved on after the file was deleted; the copy may be older than that.
                MadeOf::Nothing => match index.last_content(key)? {
                    Some(content) => MadeOf::Content(content),
                    // It was staged, or the name would lead nowhere; what it held is not kept any more. In a manifest
                    // alone it may be of a state that was lost.
                    None if !in_manifest || !baselines.is_empty() => MadeOf::Older,
                    None => MadeOf::Nothing,
                },
                made_of => made_of,
            };
            copies.push(Copy { name, path, content, executable, made_of });
        }
        if !unknown.is_empty() {
            return Err(StageError::from(not_staged(&unknown, &index.names()?)));
        }
        Ok(Copies { copies, skipped: messages(&skipped) })
    });
    outcome.map_err(|error| match error {
        StageError::Reported(error) => *error,
        StageError::Store(store) => {
            RpcError::new(ErrorKind::Io, format!("What was staged is not known: {store}")).hint(store.hint())
        }
        error => error.into(),
    })
}

fn base(base: Base) -> MadeOf {
    match base {
        Base::Known(Some(content)) => MadeOf::Content(content),
        Base::Known(None) => MadeOf::Nothing,
        Base::Older => MadeOf::Older,
    }
}

fn made_of(
    index: &FileIndex<'_>,
    path: &[u8],
    baselines: &[Baseline],
    written: Option<i64>,
) -> Result<MadeOf, StageError> {
    let mut contents: BTreeMap<ContentHash, Vec<String>> = BTreeMap::new();
    for Baseline { name, version } in baselines {
        if let Base::Known(Some(content)) = index.content_at(path, *version)? {
            contents.entry(content).or_default().push(name.clone());
        }
    }
    if contents.len() > 1 {
        return Ok(MadeOf::OneOf(contents.into_values().flatten().collect()));
    }
    let Some((content, _)) = contents.pop_first() else { return Ok(MadeOf::Nothing) };
    let is_last = index.file(path)?.is_some_and(|row| row.content == Some(content));
    let again = index.again(path)?.filter(|_| is_last);
    // The copy is older than the content that it would be made of.
    let is_older = again.zip(written).is_some_and(|(again, written)| written < again);
    Ok(if is_older { MadeOf::Older } else { MadeOf::Content(content) })
}

struct CopyOrigin {
    files: HashMap<String, PathBuf>,
    /// The version of the index that it, or the folder that it is a copy of, was made of.
    version: Option<i64>,
    is_forgotten: bool,
    is_staging_folder: bool,
}

impl CopyOrigin {
    fn find(
        transaction: &rusqlite::Connection,
        folder: &Path,
        root: &Path,
    ) -> Result<CopyOrigin, StageError> {
        let resolved = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let token = token_in(&resolved);
        let has_marker = token.is_some();
        let row = token.map(|token| folder_table::of_token(transaction, &token)).transpose()?.flatten();
        let is_staging_folder =
            row.as_ref().is_some_and(|one| one.record.path == resolved && one.record.open().is_ok());
        let is_forgotten = has_marker && row.is_none();
        let version = row.map(|one| one.version);
        let name = manifest::file_name(ManifestFormat::Json);
        let text = read(&resolved.join(name), MAX_MANIFEST).unwrap_or_default();
        let files = manifest::read(&text, root).unwrap_or_default();
        Ok(CopyOrigin { files, version, is_forgotten, is_staging_folder })
    }

    fn path(&self, index: &FileIndex<'_>, name: &str) -> Result<Option<PathBuf>, StageError> {
        if let Some(path) = self.files.get(name) {
            return Ok(Some(path.clone()));
        }
        let path = match index.path_of(name)? {
            Some(path) => Some(path),
            None => index.path_of_gone(name)?,
        };
        Ok(path.map(|path| PathBuf::from(std::ffi::OsString::from_vec(path))))
    }
}

fn files_at(path: &Path, skipped: &mut Skipped) -> Result<Vec<PathBuf>, RpcError> {
    let fail = |error: &std::io::Error| unreadable(path, error);
    if !std::fs::metadata(path).map_err(|error| fail(&error))?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(|error| fail(&error))? {
        let entry = entry.map_err(|error| fail(&error))?;
        let name = entry.file_name();
        let is_ours = name.as_bytes().starts_with(MANIFEST.as_bytes())
            && name.as_bytes()[MANIFEST.len()..].starts_with(b".");
        if is_ours || name.as_bytes().starts_with(b".") {
            continue;
        }
        // The kind needs no permission that the folder did not give already.
        let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?;
        let skip = match () {
            () if kind.is_file() => {
                files.push(entry.path());
                continue;
            }
            () if kind.is_symlink() => Skip::Link,
            () if kind.is_dir() => Skip::Folder,
            () => Skip::Special,
        };
        skipped.entry(skip).or_default().push(name.to_string_lossy().into_owned());
    }
    files.sort_unstable();
    Ok(files)
}

fn messages(skipped: &Skipped) -> Vec<String> {
    let message = |(skip, names): (&Skip, &Vec<String>)| {
        let mut names = names.clone();
        names.sort_unstable();
        let (one, many, next) = match skip {
            Skip::Link => ("a link", "links", "name a link itself to write back the file that it names"),
            Skip::Folder => ("a folder", "folders", "name a folder itself to write back the files in it"),
            Skip::Special => {
                let (one, many) = ("a pipe, socket or device", "pipes, sockets or devices");
                (one, many, "only regular files are written back")
            }
            Skip::Unreadable => {
                let (one, many) = ("a file without read permission", "files without read permission");
                (one, many, "run `chmod u+r`, then `unstage` again")
            }
        };
        let what = if names.len() == 1 { one } else { many };
        format!("Skipped {what}: {}; {next}", listed(&names))
    };
    skipped.iter().map(message).collect()
}

fn listed(names: &[String]) -> String {
    let quoted = |name: &String| format!("'{}'", clada_protocol::visible_line(name));
    let shown: Vec<String> = names.iter().take(LISTED).map(quoted).collect();
    let more = clada_protocol::and_more(names.len().saturating_sub(LISTED));
    format!("{}{more}", shown.join(", "))
}

fn file_name(file: &Path) -> Result<String, RpcError> {
    let name = file.file_name().unwrap_or_default();
    name.to_str().map(str::to_owned).ok_or_else(|| not_staged(&[name.to_string_lossy().into_owned()], &[]))
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, RpcError> {
    let fail = |error: &std::io::Error| unreadable(path, error);
    let file = open_regular(path, Symlinks::Follow).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::IsADirectory => {
            let message = format!("'{}' is not a regular file", path.display());
            RpcError::new(ErrorKind::NotRegularFile, message).with("path", path.to_string_lossy())
        }
        _ => fail(&error),
    })?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| fail(&error))?;
    if bytes.len() as u64 > limit {
        let shown = path.display();
        let message = format!("'{shown}' has more bytes than limits.max_file_size of {limit} allows");
        return Err(RpcError::new(ErrorKind::LimitExceeded, message)
            .with("path", path.to_string_lossy())
            .hint("raise the limit in your configuration, or copy that file yourself"));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> RpcError {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => ErrorKind::FileNotFound,
        std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        _ => ErrorKind::Io,
    };
    let message = format!("'{}' cannot be read: {error}; nothing was written back", path.display());
    RpcError::new(kind, message).with("path", path.to_string_lossy())
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    place(one).is_some() && place(one) == place(other)
}

fn twice(name: &str, one: &Path, other: &Path) -> RpcError {
    let message = format!(
        "Two files are called '{name}', '{}' and '{}'; nothing was written back",
        one.display(),
        other.display()
    );
    RpcError::new(ErrorKind::InvalidParams, message).hint("name the one that is meant")
}

fn too_much(limit: u64) -> RpcError {
    let message = format!("The files have more bytes than limits.planned_bytes of {limit} allows");
    RpcError::new(ErrorKind::LimitExceeded, message).hint("write them back in parts")
}

fn no_baseline(name: &str, all: &[Baseline]) -> RpcError {
    let message = match name {
        "" => "Nothing was staged without a name yet; nothing was written back".to_owned(),
        name => format!("Nothing was staged for '{name}' yet; nothing was written back"),
    };
    let hint = match all {
        [] => "`clada stage` stages this project".to_owned(),
        all => format!("there are {}", for_whom(all.iter().map(|one| one.name.as_str()))),
    };
    RpcError::new(ErrorKind::FileNotFound, message).hint(hint)
}

fn for_whom<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let option = |name: &str| if name.is_empty() { "--for ''".to_owned() } else { format!("--for {name}") };
    names.map(option).collect::<Vec<_>>().join(", ")
}

fn not_staged(unknown: &[String], known: &[String]) -> RpcError {
    let message = format!("Nothing was staged as {}; nothing was written back", listed(unknown));
    let near = unknown.iter().take(LISTED).filter_map(|name| {
        let likeness = |known: &&String| strsim::jaro_winkler(name, known);
        let best = known
            .iter()
            .map(|known| (likeness(&known), known))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        best.filter(|(likeness, _)| *likeness > 0.8).map(|(_, known)| format!("'{known}' for '{name}'"))
    });
    let near: Vec<String> = near.collect();
    let hint = match near.is_empty() {
        true => "`clada stage` makes a manifest of all names; rename the files as it has them".to_owned(),
        false => format!("rename the files as they were staged: {}", near.join(", ")),
    };
    RpcError::new(ErrorKind::FileNotFound, message).with("names", unknown.to_vec()).hint(hint)
}
