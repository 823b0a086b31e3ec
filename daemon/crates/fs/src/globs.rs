//! Lists of globs, and the forms of a path that they are compared with.
//!
//! Globs always ignore case and see through disguised names ([`super::names`]). Each kind is compared with:
//! - without `/`: the name of the file, and in `denied` the name of any folder above it too;
//! - `**/…` and `/…`: the absolute forms, `**/…` also the relative one;
//! - otherwise: the relative form, from the root on.
//!
//! `folder/**` means the folder itself too, since it could be renamed and then read.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::names;

/// A configured text that is not a valid glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{glob}' is not a glob: {reason}")]
pub struct GlobError {
    /// The text as configured.
    pub glob: String,
    /// The reason.
    pub reason: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparedNames {
    Last,
    All,
}

pub(super) struct Forms<'a> {
    relatives: Vec<Cow<'a, Path>>,
    absolutes: Vec<Cow<'a, Path>>,
}

impl<'a> Forms<'a> {
    pub(super) fn new(relative: &'a Path, absolutes: &[&'a Path]) -> Forms<'a> {
        let mut forms = Forms { relatives: vec![relative.into()], absolutes: Vec::new() };
        for absolute in absolutes {
            if !forms.absolutes.iter().any(|known| known.as_os_str() == absolute.as_os_str()) {
                forms.absolutes.push((*absolute).into());
            }
        }
        // Names above the root were given by the user, so only names beneath it are suspect.
        if let Some(plain) = plain_path(relative) {
            let plains = absolutes.iter().filter_map(|absolute| plain_path(absolute)).map(Cow::Owned);
            forms.absolutes.extend(plains);
            forms.relatives.push(Cow::Owned(plain));
        }
        forms
    }

    pub(super) fn reserved_name(&self) -> Option<&OsStr> {
        components(self.relatives.first()?).find(|name| names::is_reserved(name))
    }
}

#[derive(Debug, Clone)]
pub(super) struct GlobList {
    by_name: GlobPatterns,
    by_relative: GlobPatterns,
    by_absolute: GlobPatterns,
}

#[derive(Debug, Clone)]
struct GlobPatterns {
    set: GlobSet,
    written: Vec<String>,
}

impl GlobList {
    pub(super) fn new(globs: &[String]) -> Result<GlobList, GlobError> {
        let of = |belongs: fn(&str) -> bool| GlobPatterns::new(globs.iter().filter(|glob| belongs(glob)));
        Ok(GlobList {
            by_name: of(|glob| !glob.contains('/'))?,
            by_relative: of(|glob| glob.contains('/') && !glob.starts_with('/'))?,
            by_absolute: of(|glob| glob.starts_with('/') || glob.starts_with("**/"))?,
        })
    }

    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.by_name, &self.by_relative, &self.by_absolute];
        lists.into_iter().flat_map(|globs| globs.written.iter().map(String::as_str))
    }

    pub(super) fn matching(&self, forms: &Forms<'_>, names: ComparedNames) -> Option<&str> {
        let by_relative = forms.relatives.iter().find_map(|form| {
            let by_name = match names {
                ComparedNames::All if self.by_name.set.is_empty() => None,
                ComparedNames::All => components(form).find_map(|name| self.by_name.first(Path::new(name))),
                ComparedNames::Last => form.file_name().and_then(|name| self.by_name.first(Path::new(name))),
            };
            by_name.or_else(|| self.by_relative.first(form))
        });
        by_relative.or_else(|| forms.absolutes.iter().find_map(|form| self.by_absolute.first(form)))
    }
}

impl GlobPatterns {
    fn new<'a>(globs: impl Iterator<Item = &'a String>) -> Result<GlobPatterns, GlobError> {
        let mut set = GlobSetBuilder::new();
        let mut written = Vec::new();
        for glob in globs {
            let folder = glob.strip_suffix("/**").filter(|folder| !matches!(*folder, "" | "**"));
            for spelling in [Some(glob.as_str()), folder].into_iter().flatten() {
                let compiled = GlobBuilder::new(spelling)
                    .case_insensitive(true)
                    .literal_separator(true)
                    .build()
                    .map_err(|error| GlobError { glob: glob.clone(), reason: error.kind().to_string() })?;
                set.add(compiled);
                written.push(glob.clone());
            }
        }
        let set = set.build().map_err(|error| GlobError {
            glob: error.glob().unwrap_or_default().to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(GlobPatterns { set, written })
    }

    fn first(&self, path: &Path) -> Option<&str> {
        if self.set.is_empty() {
            return None;
        }
        let index = *self.set.matches(path).first()?;
        self.written.get(index).map(String::as_str)
    }
}

fn components(path: &Path) -> impl DoubleEndedIterator<Item = &OsStr> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

fn plain_path(path: &Path) -> Option<PathBuf> {
    let disguised = |name: &OsStr| matches!(names::plain(name), Cow::Owned(plain) if plain != name);
    if !components(path).any(disguised) {
        return None;
    }
    let mut plain: PathBuf = if path.is_absolute() { PathBuf::from("/") } else { PathBuf::new() };
    plain.extend(components(path).map(|name| names::plain(name).into_owned()));
    Some(plain)
}
