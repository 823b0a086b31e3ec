//! The rules about names: the folders and extensions of the configuration, and the globs of the user. Pure:
//! reads paths only.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::shown::ShownPath;

/// Returns `glob` with the signs of globs taken literally in its first folders and names, as long as there `is` a path
/// of that name: `app/[id]/**` is about the folder `[id]`, and not about a folder `i` or `d`.
pub(super) fn with_literal_prefix(glob: &str, is: impl Fn(&str) -> bool) -> String {
    let has_signs = |part: &str| part.contains(['[', ']', '{', '}', '*', '?', '\\', '!']);
    let bare = glob.strip_prefix("./").or_else(|| glob.strip_prefix('/')).unwrap_or(glob);
    let head = &glob[..glob.len() - bare.len()];
    let ends = bare.match_indices('/').map(|(at, _)| at).chain([bare.len()]);
    let literal = ends.filter(|end| *end > 0).take_while(|end| is(&bare[..*end])).last().unwrap_or_default();
    if !has_signs(&bare[..literal]) {
        return glob.to_owned();
    }
    format!("{head}{}{}", globset::escape(&bare[..literal]), &bare[literal..])
}

#[derive(Debug, Clone)]
pub(super) struct NameGlobs {
    names: GlobSet,
    paths: GlobSet,
    written: [Vec<String>; 2],
    ranks: [Vec<usize>; 2],
}

impl NameGlobs {
    pub(super) fn new(globs: &[String]) -> Result<NameGlobs, String> {
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
        Ok(NameGlobs { names: names?, paths: paths?, written, ranks })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    pub(super) fn matching(&self, path: &ShownPath) -> Option<&str> {
        let (set, index) = self.first_match(path.bytes())?;
        self.written[set].get(index).map(String::as_str)
    }

    pub(super) fn covers(&self, path: &ShownPath) -> bool {
        self.rank(path).is_some()
    }

    pub(super) fn rank(&self, path: &ShownPath) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let bytes = path.bytes();
        let ends = memchr::memchr_iter(b'/', bytes).filter(|end| *end > 0).chain([bytes.len()]);
        ends.filter_map(|end| self.first_match(&bytes[..end]))
            .map(|(set, index)| self.ranks[set][index])
            .min()
    }

    fn first_match(&self, path: &[u8]) -> Option<(usize, usize)> {
        let as_path = |bytes: &[u8]| Path::new(OsStr::from_bytes(bytes)).to_path_buf();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let by_name = self.names.matches(as_path(name)).first().map(|index| (0, *index));
        let by_path = self.paths.matches(as_path(path)).first().map(|index| (1, *index));
        [by_name, by_path].into_iter().flatten().min_by_key(|(set, index)| self.ranks[*set][*index])
    }
}

#[derive(Debug, Clone)]
pub(super) struct NameRules {
    pub(super) directories: NameGlobs,
    extensions: Vec<Vec<u8>>,
    pub(super) include: NameGlobs,
    pub(super) exclude: NameGlobs,
    pub(super) priority: NameGlobs,
    pub(super) hidden: bool,
}

impl NameRules {
    pub(super) fn new(
        directories: &[String],
        extensions: &[String],
        priority: &[String],
        [include, exclude]: [&[String]; 2],
        hidden: bool,
    ) -> Result<NameRules, String> {
        Ok(NameRules {
            directories: NameGlobs::new(directories)?,
            extensions: extensions.iter().map(|ending| ending.to_ascii_lowercase().into_bytes()).collect(),
            include: NameGlobs::new(include)?,
            exclude: NameGlobs::new(exclude)?,
            priority: NameGlobs::new(priority)?,
            hidden,
        })
    }

    pub(super) fn against_folder(&self, path: &ShownPath) -> Option<String> {
        if self.directories.matching(&ShownPath::written("").join(path.name())).is_some() {
            return Some("excluded folder".to_owned());
        }
        self.against(path)
    }

    pub(super) fn against_file(&self, path: &ShownPath) -> Option<String> {
        if let Some(reason) = self.against(path) {
            return Some(reason);
        }
        let name = path.name();
        let ending =
            name.iter().rposition(|byte| *byte == b'.').map(|dot| name[dot + 1..].to_ascii_lowercase());
        let excluded = ending.is_some_and(|ending| self.extensions.contains(&ending));
        excluded.then(|| "excluded extension".to_owned())
    }

    fn against(&self, path: &ShownPath) -> Option<String> {
        if !self.hidden && path.name().starts_with(b".") {
            return Some("hidden".to_owned());
        }
        Some(format!("excluded by {}", self.exclude.matching(path)?))
    }

    pub(super) fn is_included(&self, path: &ShownPath) -> bool {
        self.include.is_empty() || self.include.covers(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(globs: &[&str]) -> Vec<String> {
        globs.iter().map(|glob| (*glob).to_owned()).collect()
    }

    fn globs(written: &[&str]) -> NameGlobs {
        NameGlobs::new(&list(written)).unwrap()
    }

    #[test]
    fn a_name_anywhere_and_a_path_from_the_root() {
        let some = globs(&["*.rs", "docs/*.md", "./a/b", "gen/"]);
        let covers = |path: &str| some.covers(&ShownPath::written(path));
        assert!(
            covers("x.rs")
                && covers("a/x.rs")
                && covers("docs/a.md")
                && covers("a/b/c/d")
                && covers("x/gen/y")
        );
        assert!(!covers("x/docs/a.md") && !covers("docs/x/a.md") && !covers("x.rst"));
        assert_eq!(some.matching(&ShownPath::written("docs/a.md")), Some("docs/*.md"));
        assert!(NameGlobs::new(&list(&["a["])).is_err());
    }

    #[test]
    fn regression_a_literal_prefix_that_exists_means_itself() {
        let paths = ["app", "app/[id]", "app/[id]/page.tsx", "[slug]", "a*b", "src", "{x}"];
        for (glob, literal) in [
            ("app/[id]/**", "app/[[]id[]]/**"),
            ("./app/[id]", "./app/[[]id[]]"),
            ("/app/[id]/page.tsx", "/app/[[]id[]]/page.tsx"),
            ("[slug]/*.ts", "[[]slug[]]/*.ts"),
            ("a*b", "a[*]b"),
            ("{x}/y", "[{]x[}]/y"),
            ("app/[abc]/**", "app/[abc]/**"),
            ("src/*.rs", "src/*.rs"),
            ("**/[id]", "**/[id]"),
        ] {
            assert_eq!(with_literal_prefix(glob, |path| paths.contains(&path)), literal, "{glob}");
        }
        let covers = |path: &str| globs(&["app/[[]id[]]/**"]).covers(&ShownPath::written(path));
        assert!(covers("app/[id]/page.tsx") && !covers("app/i/page.tsx"));
    }

    #[test]
    fn the_first_glob_of_the_list_counts() {
        let some = globs(&["src/main.rs", "*.md", "src"]);
        let rank = |path: &str| some.rank(&ShownPath::written(path));
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
        let file = |path: &str| rules(false).against_file(&ShownPath::written(path));
        assert_eq!(file("a/b.Exe").as_deref(), Some("excluded extension"));
        assert_eq!(file("a/.b").as_deref(), Some("hidden"));
        assert_eq!(file("Cargo.lock").as_deref(), Some("excluded by *.lock"));
        assert_eq!(
            (file("o"), file("exe/x"), rules(true).against_file(&ShownPath::written(".b"))),
            (None, None, None)
        );
        let folder = |path: &str| rules(false).against_folder(&ShownPath::written(path));
        assert_eq!(folder("x/target").as_deref(), Some("excluded folder"));
        assert_eq!((folder("x/build-7").is_some(), folder("x/targets")), (true, None));
    }
}
