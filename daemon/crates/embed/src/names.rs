//! The rules about names: the folders and extensions of the configuration, and the globs of the user. Pure:
//! reads paths only.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::shown::Shown;

/// A list of globs, as a user writes them: one without a slash is a name, others begin at the root.
#[derive(Debug, Clone)]
pub(super) struct Globs {
    names: GlobSet,
    paths: GlobSet,
    /// The globs as written, in the order of each set.
    written: [Vec<String>; 2],
    /// The place of each glob in the list.
    ranks: [Vec<usize>; 2],
}

impl Globs {
    /// Compiles them.
    ///
    /// # Errors
    /// A description of the first glob that is not valid.
    pub(super) fn new(globs: &[String]) -> Result<Globs, String> {
        let mut sets = [GlobSetBuilder::new(), GlobSetBuilder::new()];
        let (mut written, mut ranks) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for (rank, glob) in globs.iter().enumerate() {
            let plain = glob.trim_end_matches('/');
            let plain = plain.strip_prefix("./").or_else(|| plain.strip_prefix('/')).unwrap_or(plain);
            let set = usize::from(glob.trim_end_matches('/').contains('/'));
            let compiled = GlobBuilder::new(plain).literal_separator(true).build();
            let compiled = compiled.map_err(|error| format!("'{glob}' is not a glob: {}", error.kind()))?;
            sets[set].add(compiled);
            written[set].push(glob.clone());
            ranks[set].push(rank);
        }
        let [names, paths] = sets.map(|set| set.build().map_err(|error| error.to_string()));
        Ok(Globs { names: names?, paths: paths?, written, ranks })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Returns the first glob, as written, that matches `path` itself.
    pub(super) fn matching(&self, path: &Shown) -> Option<&str> {
        let (set, index) = self.found(path.bytes())?;
        self.written[set].get(index).map(String::as_str)
    }

    /// Returns whether a glob matches `path` or a folder above it.
    pub(super) fn covers(&self, path: &Shown) -> bool {
        self.rank(path).is_some()
    }

    /// Returns the place in the list of the first glob that matches `path` or a folder above it.
    pub(super) fn rank(&self, path: &Shown) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let bytes = path.bytes();
        let ends = memchr::memchr_iter(b'/', bytes).filter(|end| *end > 0).chain([bytes.len()]);
        ends.filter_map(|end| self.found(&bytes[..end])).map(|(set, index)| self.ranks[set][index]).min()
    }

    fn found(&self, path: &[u8]) -> Option<(usize, usize)> {
        let as_path = |bytes: &[u8]| Path::new(OsStr::from_bytes(bytes)).to_path_buf();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let by_name = self.names.matches(as_path(name)).first().map(|index| (0, *index));
        let by_path = self.paths.matches(as_path(path)).first().map(|index| (1, *index));
        [by_name, by_path].into_iter().flatten().min_by_key(|(set, index)| self.ranks[*set][*index])
    }
}

/// All rules about names.
#[derive(Debug, Clone)]
pub(super) struct NameRules {
    pub(super) directories: Globs,
    /// In lower case.
    extensions: Vec<Vec<u8>>,
    pub(super) include: Globs,
    pub(super) exclude: Globs,
    pub(super) priority: Globs,
    pub(super) hidden: bool,
}

impl NameRules {
    /// Compiles the rules.
    ///
    /// # Errors
    /// A description of the first glob that is not valid.
    pub(super) fn new(
        directories: &[String],
        extensions: &[String],
        priority: &[String],
        [include, exclude]: [&[String]; 2],
        hidden: bool,
    ) -> Result<NameRules, String> {
        Ok(NameRules {
            directories: Globs::new(directories)?,
            extensions: extensions.iter().map(|ending| ending.to_ascii_lowercase().into_bytes()).collect(),
            include: Globs::new(include)?,
            exclude: Globs::new(exclude)?,
            priority: Globs::new(priority)?,
            hidden,
        })
    }

    /// Returns why a visited folder is not walked, if it is not.
    pub(super) fn against_folder(&self, path: &Shown) -> Option<String> {
        if self.directories.matching(&Shown::written("").join(path.name())).is_some() {
            return Some("excluded folder".to_owned());
        }
        self.against(path)
    }

    /// Returns why a visited file is left out, if it is.
    pub(super) fn against_file(&self, path: &Shown) -> Option<String> {
        if let Some(reason) = self.against(path) {
            return Some(reason);
        }
        let name = path.name();
        let ending =
            name.iter().rposition(|byte| *byte == b'.').map(|dot| name[dot + 1..].to_ascii_lowercase());
        let excluded = ending.is_some_and(|ending| self.extensions.contains(&ending));
        excluded.then(|| "excluded extension".to_owned())
    }

    fn against(&self, path: &Shown) -> Option<String> {
        if !self.hidden && path.name().starts_with(b".") {
            return Some("hidden".to_owned());
        }
        Some(format!("excluded by {}", self.exclude.matching(path)?))
    }

    /// Returns whether a visited file is among those that are asked for.
    pub(super) fn is_included(&self, path: &Shown) -> bool {
        self.include.is_empty() || self.include.covers(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(globs: &[&str]) -> Vec<String> {
        globs.iter().map(|glob| (*glob).to_owned()).collect()
    }

    fn globs(written: &[&str]) -> Globs {
        Globs::new(&list(written)).unwrap()
    }

    #[test]
    fn a_name_anywhere_and_a_path_from_the_root() {
        let some = globs(&["*.rs", "docs/*.md", "./a/b", "gen/"]);
        let covers = |path: &str| some.covers(&Shown::written(path));
        assert!(
            covers("x.rs")
                && covers("a/x.rs")
                && covers("docs/a.md")
                && covers("a/b/c/d")
                && covers("x/gen/y")
        );
        assert!(!covers("x/docs/a.md") && !covers("docs/x/a.md") && !covers("x.rst"));
        assert_eq!(some.matching(&Shown::written("docs/a.md")), Some("docs/*.md"));
        assert!(Globs::new(&list(&["a["])).is_err());
    }

    #[test]
    fn the_first_glob_of_the_list_counts() {
        let some = globs(&["src/main.rs", "*.md", "src"]);
        let rank = |path: &str| some.rank(&Shown::written(path));
        assert_eq!(
            (rank("src/main.rs"), rank("src/a.md"), rank("src/x"), rank("y")),
            (Some(0), Some(1), Some(2), None)
        );
    }

    #[test]
    fn reasons_to_leave_out() {
        let rules = |hidden| {
            let (directories, extensions) = (list(&["target", "build-*"]), list(&["EXE", "o"]));
            NameRules::new(&directories, &extensions, &[], [&[], &list(&["*.lock"])], hidden).unwrap()
        };
        let file = |path: &str| rules(false).against_file(&Shown::written(path));
        assert_eq!(file("a/b.Exe").as_deref(), Some("excluded extension"));
        assert_eq!(file("a/.b").as_deref(), Some("hidden"));
        assert_eq!(file("Cargo.lock").as_deref(), Some("excluded by *.lock"));
        assert_eq!(
            (file("o"), file("exe/x"), rules(true).against_file(&Shown::written(".b"))),
            (None, None, None)
        );
        let folder = |path: &str| rules(false).against_folder(&Shown::written(path));
        assert_eq!(folder("x/target").as_deref(), Some("excluded folder"));
        assert_eq!((folder("x/build-7").is_some(), folder("x/targets")), (true, None));
    }
}
