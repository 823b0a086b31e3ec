//! The pages in Markdown: where their links lead, on their own and in the book; and files that a merge left half done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use ignore::WalkBuilder;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::reference::pages_of_the_book;
use super::{checkout, read};

/// Where texts have the markers of conflicts because a dialect or a program is tried with them.
const WITH_MARKERS: [&str; 3] =
    ["dialects/tests/data", "tests/data/mistakes/prose.md", "tests/data/plain/adversaries.md"];

/// The files of the checkout, relative to it; those that git ignores are left out.
fn files() -> Vec<PathBuf> {
    let top = checkout();
    let mut walk = WalkBuilder::new(&top);
    walk.hidden(false).require_git(false).git_global(false).parents(false);
    let walk = walk.filter_entry(|entry| entry.file_name() != ".git").build();
    let files = walk.map(Result::unwrap).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut files: Vec<PathBuf> =
        files.map(|entry| entry.path().strip_prefix(&top).unwrap().to_owned()).collect();
    files.sort();
    files
}

/// The pages that people read. Data of tests are answers of models.
fn pages() -> Vec<PathBuf> {
    let is_page = |file: &PathBuf| {
        file.extension().is_some_and(|end| end == "md")
            && !file.components().any(|part| part.as_os_str() == "data")
    };
    files().into_iter().filter(is_page).collect()
}

/// The line of a file as git writes it around the two sides of a conflict. Blocks of aider's dialect look alike, and have
/// these two words.
fn is_conflict_marker(line: &str) -> bool {
    let label = ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().find_map(|marker| line.strip_prefix(marker));
    label.is_some_and(|label| !["SEARCH", "REPLACE"].contains(&label.trim_end()))
}

#[test]
fn no_file_holds_the_markers_of_a_conflict() {
    assert!(is_conflict_marker("<<<<<<< HEAD") && is_conflict_marker(">>>>>>> a branch"));
    assert!(!is_conflict_marker("<<<<<<< SEARCH") && !is_conflict_marker("<<<<<<<< longer"));
    let mut found = Vec::new();
    for file in files().iter().filter(|file| !WITH_MARKERS.iter().any(|folder| file.starts_with(folder))) {
        let bytes = std::fs::read(checkout().join(file)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().enumerate().filter(|(_, line)| is_conflict_marker(line));
        found.extend(lines.map(|(at, line)| format!("{}:{}: {line}", file.display(), at + 1)));
    }
    assert!(found.is_empty(), "a merge is half done:\n{}", found.join("\n"));
}

/// What is of interest in a page: where its links lead, and the anchors of its headings.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn of(text: &str) -> Page {
        let mut page = Page::default();
        let mut heading = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.add_anchor(&heading.take().unwrap_or_default()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds the anchor that mdbook and GitHub give a heading.
    fn add_anchor(&mut self, heading: &str) {
        let letters = heading.trim().chars().filter_map(|letter| match letter {
            letter if letter.is_alphanumeric() || "_-".contains(letter) => Some(letter.to_ascii_lowercase()),
            letter => letter.is_whitespace().then_some('-'),
        });
        let name: String = letters.collect();
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
}

/// Returns the path without `.` and `..`, of a place in the checkout.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::ParentDir => assert!(whole.pop(), "{} leaves the checkout", path.display()),
            Component::CurDir => {}
            part => whole.push(part),
        }
        whole
    })
}

fn is_relative(link: &str) -> bool {
    !link.contains("://") && !["mailto:", "data:"].iter().any(|scheme| link.starts_with(scheme))
}

#[test]
fn links_of_every_page_lead_to_a_file_and_a_heading() {
    let top = checkout();
    let mut pages: BTreeMap<PathBuf, Page> =
        pages().into_iter().map(|path| (path.clone(), Page::of(&read(top.join(path))))).collect();
    let built = pages_of_the_book().map(|(name, text)| (Path::new("docs").join(name), Page::of(&text)));
    pages.extend(built);
    let (mut faults, mut links) = (Vec::new(), 0);
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| is_relative(link)) {
            links += 1;
            let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(f, a)| (f, Some(a)));
            let target = if file.is_empty() { path.clone() } else { normal(&path.with_file_name(file)) };
            let has_anchor =
                |anchor| pages.get(&target).is_some_and(|page| page.anchors.contains::<str>(anchor));
            if !pages.contains_key(&target) && !top.join(&target).exists() {
                faults.push(format!("{}: {link}: there is no {}", path.display(), target.display()));
            } else if path.starts_with("docs") && !target.starts_with("docs") {
                faults.push(format!("{}: {link}: not in the book; write the path as code", path.display()));
            } else if !anchor.is_none_or(has_anchor) {
                faults.push(format!("{}: {link}: {} has no such heading", path.display(), target.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(links > 100, "{links} links");
}

#[test]
fn the_summary_has_every_page_once() {
    let mut listed = Page::of(&read(checkout().join("docs/SUMMARY.md"))).links;
    listed.sort();
    let in_docs = pages().into_iter().filter_map(|page| Some(page.strip_prefix("docs").ok()?.to_owned()));
    let mut there: Vec<String> = in_docs.map(|page| page.to_str().unwrap().to_owned()).collect();
    there.retain(|page| page != "SUMMARY.md");
    there.extend(pages_of_the_book().map(|(name, _)| name.to_owned()));
    there.sort();
    assert_eq!(listed, there, "the links of docs/SUMMARY.md, and the pages of docs/");
}

/// The values of an attribute in HTML.
fn attributes<'t>(html: &'t str, name: &str) -> Vec<&'t str> {
    let opening = format!(" {name}=\"");
    let parts = html.split(&opening).skip(1).filter_map(|rest| rest.split_once('"'));
    parts.map(|(value, _)| value).collect()
}

#[test]
fn the_book_is_built_and_its_links_hold() {
    let folder = tempfile::tempdir().unwrap();
    let (docs, book) = (folder.path().join("docs"), folder.path().join("book"));
    let sources = files().into_iter().filter(|file| file.starts_with("docs"));
    for file in sources {
        let copy = folder.path().join(&file);
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(checkout().join(&file), copy).unwrap();
    }
    for (name, page) in pages_of_the_book() {
        std::fs::write(docs.join(name), page).unwrap();
    }
    let build = Command::new("mdbook").arg("build").arg(&docs).arg("-d").arg(&book).output();
    let Ok(build) = build else {
        eprintln!("skipped: the book: mdbook is not installed");
        return;
    };
    let words = [&build.stdout[..], &build.stderr[..]].concat();
    let words = String::from_utf8_lossy(&words);
    assert!(build.status.success() && !words.contains("WARN"), "mdbook build docs: {words}");
    let (mut faults, mut links) = (Vec::new(), 0);
    for path in walkdir::WalkDir::new(&book).into_iter().map(|entry| entry.unwrap().into_path()) {
        // The page for a link that leads nowhere is shown at any address, and the one for printers has all the others.
        let is_page = path.extension().is_some_and(|end| end == "html");
        if !is_page || ["404.html", "print.html"].iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let html = read(&path);
        for link in [attributes(&html, "href"), attributes(&html, "src")].concat() {
            let link = link.split('?').next().unwrap();
            if !is_relative(link) {
                continue;
            }
            links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let holds =
                target.is_file() && (anchor.is_empty() || attributes(&read(&target), "id").contains(&anchor));
            if !holds {
                faults.push(format!("{}: {link}", path.strip_prefix(&book).unwrap().display()));
            }
        }
    }
    assert!(faults.is_empty(), "links of the book lead nowhere:\n{}", faults.join("\n"));
    assert!(links > 100, "{links} links");
}
