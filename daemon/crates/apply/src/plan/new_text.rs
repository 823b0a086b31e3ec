//! The ways of a new file: line ends, byte order mark, encoding and final line end, as the project has them.
//!
//! In this order: `.gitattributes`, `.editorconfig`, most files of its kind beside it; otherwise LF. A file that begins
//! with `#!` has LF, since no other is run.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_edit::{LineEnds, Text};
use clada_fs::RootedPath;
use clada_git::GitRepository;

use super::planner::Planner;
use crate::reads::{ReadSource, line_ends};
use crate::view::Node;

const BESIDE: usize = 20;
const LARGEST: u64 = 256 << 10;
const ENTRIES: usize = 2_000;
const SETTINGS: u64 = 64 << 10;

#[derive(Debug, Default, Clone, Copy)]
struct Ways {
    crlf: Option<bool>,
    bom: bool,
    final_newline: Option<bool>,
}

impl Planner<'_> {
    pub(super) fn new_text(&mut self, path: &RootedPath, content: &str) -> Arc<[u8]> {
        if path.root() != 0
            || content.is_empty()
            || content.contains(['\r', '\0'])
            || content.starts_with("#!")
        {
            return Arc::from(content.as_bytes());
        }
        let mut ways = self.editorconfig(path);
        ways.crlf = self.attribute(path).or(ways.crlf).or_else(|| self.beside(path));
        let mut text = Cow::Borrowed(content);
        if ways.final_newline == Some(true) && !text.ends_with('\n') {
            text.to_mut().push('\n');
        }
        if ways.crlf == Some(true) {
            text = text.replace('\n', "\r\n").into();
        }
        if ways.bom && !text.starts_with('\u{feff}') {
            text.to_mut().insert(0, '\u{feff}');
        }
        Arc::from(text.as_bytes())
    }

    pub(super) fn attribute(&mut self, path: &RootedPath) -> Option<bool> {
        let root = self.view.roots().paths().next()?.to_path_buf();
        let home = self.rules.user.as_ref().map(|user| user.home.clone());
        let repository =
            self.repository.get_or_insert_with(|| GitRepository::with_attributes(&root, home.as_deref()));
        let crlf = repository.as_ref().and_then(|repository| repository.has_crlf(&root, path.relative()));
        self.view.reads().borrow_mut().note(ReadSource::LineEnds(path.clone()), line_ends(crlf));
        crlf
    }

    /// What the `.editorconfig` files of the project say, nearest last.
    fn editorconfig(&mut self, path: &RootedPath) -> Ways {
        let mut ways = Ways::default();
        let folders: Vec<PathBuf> = path.relative().ancestors().skip(1).map(Path::to_path_buf).collect();
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        for folder in folders {
            let Ok(at) = self.view.roots().resolve_relative(&folder.join(".editorconfig")) else { continue };
            let Ok(Node::File(file)) = self.view.node(&at) else { continue };
            if file.size > SETTINGS {
                continue;
            }
            let Ok(content) = self.view.content(&at, &file, usize::MAX) else { continue };
            let is_root =
                ec4rs::ConfigParser::new_buffered(&*content.bytes).is_ok_and(|parser| parser.is_root);
            files.push((folder, content.bytes.to_vec()));
            if is_root {
                break;
            }
        }
        // The nearest file was read first and wins, so it is applied last.
        for (folder, bytes) in files.iter().rev() {
            let Ok(parser) = ec4rs::ConfigParser::new_buffered(&bytes[..]) else { continue };
            let Ok(below) = path.relative().strip_prefix(folder) else { continue };
            for section in parser.flatten().filter(|section| section.applies_to(below)) {
                for (key, value) in section.props().iter() {
                    let value = value.into_str().to_ascii_lowercase();
                    match key {
                        "end_of_line" => ways.crlf = Some(value == "crlf"),
                        "charset" => ways.bom = value == "utf-8-bom",
                        "insert_final_newline" => ways.final_newline = value.parse().ok(),
                        _ => {}
                    }
                }
            }
        }
        ways
    }

    /// Whether most files with the ending of `path` beside it have CRLF; `None` if there is none.
    fn beside(&mut self, path: &RootedPath) -> Option<bool> {
        let folder = path.parent()?;
        let (own, ending) = (path.file_name()?.to_owned(), path.relative().extension()?.to_owned());
        let names = self.view.list(&folder, ENTRIES).ok()?.entries.into_iter().map(|entry| entry.name);
        let alike = names.filter(|name| *name != own && Path::new(name).extension() == Some(&*ending));
        let (mut all, mut crlf) = (0, 0);
        for name in alike.take(BESIDE) {
            let Ok(at) = self.view.roots().join(&folder, &name) else { continue };
            let Ok(Node::File(file)) = self.view.node(&at) else { continue };
            if file.size > LARGEST || self.view.is_secret(&at) {
                continue;
            }
            let Ok(content) = self.view.content(&at, &file, usize::MAX) else { continue };
            match Text::decode(&content.bytes).map(|text| text.line_ends()) {
                Ok(LineEnds::CrLf) => (all, crlf) = (all + 1, crlf + 1),
                Ok(LineEnds::Lf) => all += 1,
                _ => {}
            }
        }
        (all > 0).then_some(crlf * 2 > all)
    }
}
