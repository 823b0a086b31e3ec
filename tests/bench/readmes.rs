//! The share of READMEs that are taken for an answer: each is read as one, over its own folder as the
//! project. The entries of `notRead` are printed, since a reader has to judge them, and the share of READMEs
//! in which it has any.
//!
//! ```text
//! cargo run --profile dist -p clada-tests --example readmes FOLDER…
//! ```
//!
//! Every `README.md` below the folders is taken, in any case of letters; those of equal text once.

#![allow(clippy::expect_used, reason = "a bench that cannot go on ends")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]
#![allow(clippy::disallowed_methods, reason = "an example has arguments")]

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use clada_dialects::{Bounds, Choice, PathRole, Project, decide, parse};

fn main() {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    assert!(!folders.is_empty(), "name folders with READMEs");
    let (mut seen, mut named, mut blocks) = (HashSet::new(), 0, 0);
    for path in folders.iter().flat_map(|folder| readmes(folder)) {
        let Some(text) = std::fs::read_to_string(&path).ok().filter(|text| seen.insert(text.clone())) else {
            continue;
        };
        let parsed = parse(&text, &Bounds::default(), &Choice::Auto);
        let mut project = Folder(path.parent().expect("a file has a folder").to_owned());
        let told = decide(&text, &parsed.candidates, &mut project);
        named += usize::from(!told.is_empty());
        blocks += usize::from(!parsed.blocks.is_empty());
        for found in &told {
            let of = found.path.as_deref().unwrap_or_default();
            println!("{}:{}: {} {of}", path.display(), found.line, found.kind.name());
        }
        for block in &parsed.blocks {
            println!("{}:{}: block of {}", path.display(), block.start_line, block.dialect.name());
        }
    }
    let share = 100.0 * named as f64 / seen.len().max(1) as f64;
    println!(
        "{} READMEs: {named} with something named ({share:.1} %), {blocks} with blocks; goal: 2 %",
        seen.len()
    );
}

/// The READMEs below `folder`, in order.
fn readmes(folder: &Path) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).sort_by_file_name(Ord::cmp).build();
    let files = walk.filter_map(Result::ok).map(ignore::DirEntry::into_path);
    let is_readme =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("README.md"));
    files.filter(is_readme).collect()
}

/// The folder of a README, in which git ignores nothing and no block changes anything.
struct Folder(PathBuf);

impl Project for Folder {
    fn place(&mut self, path: &str) -> PathRole {
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return PathRole::Outside;
        }
        let path = self.0.join(path);
        match path.metadata() {
            Ok(found) if found.is_dir() => PathRole::Folder,
            Ok(_) => PathRole::File,
            Err(_) if path.parent().is_some_and(Path::is_dir) => PathRole::Room,
            Err(_) => PathRole::Nowhere,
        }
    }

    fn ignores(&mut self, _path: &str) -> bool {
        false
    }

    fn text(&mut self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(path)).ok()
    }

    fn is_changed(&mut self, _path: &str) -> bool {
        false
    }
}
