//! Paths as a tree: a folder a line, with its entries indented below it. Pure; linear in the paths.

use clada_protocol::visible_line;

use super::super::shown::ShownPath;

pub(super) fn tree<'a>(paths: impl Iterator<Item = &'a ShownPath>) -> String {
    let mut text = String::new();
    let mut open: Vec<&[u8]> = Vec::new();
    for path in paths {
        let mut folders: Vec<&[u8]> = path.bytes().split(|byte| *byte == b'/').collect();
        let name = folders.pop().unwrap_or_default();
        let shared = open.iter().zip(&folders).take_while(|(one, other)| one == other).count();
        open.truncate(shared);
        for folder in &folders[shared..] {
            line(&mut text, open.len(), folder, "/");
            open.push(folder);
        }
        line(&mut text, open.len(), name, "");
    }
    text
}

fn line(text: &mut String, depth: usize, name: &[u8], mark: &str) {
    text.extend(std::iter::repeat_n("  ", depth));
    text.push_str(&visible_line(&String::from_utf8_lossy(name)));
    text.push_str(mark);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_once() {
        let paths = ["/abs/x", "README.md", "a/b/c", "a/b/d\n```", "a-b", "a/e", "z"].map(ShownPath::written);
        let mut sorted = paths.to_vec();
        sorted.sort();
        let expected = "/\n  abs/\n    x\nREADME.md\na-b\na/\n  b/\n    c\n    d\\n```\n  e\nz\n";
        assert_eq!(tree(sorted.iter()), expected);
        assert_eq!(tree(std::iter::empty()), "");
    }
}
