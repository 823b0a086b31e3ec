//! A shell's commands that change files.
//!
//! Looks at lines of fences that are labelled as a shell's. Knows a few commands by their names; a path with
//! a variable, a pattern or a home in it counts as no file here.

use memchr::memmem;

use crate::candidate::{Candidate, NotReadKind, Wants};
use crate::cursor::{Cursor, Line};
use crate::fence::Fence;

const LABELS: [&str; 16] = [
    "bash",
    "sh",
    "shell",
    "console",
    "terminal",
    "zsh",
    "shell-session",
    "fish",
    "ksh",
    "powershell",
    "pwsh",
    "ps1",
    "cmd",
    "bat",
    "batch",
    "dosbatch",
];
const GENERATED_FOLDERS: [&str; 12] = [
    "target",
    "build",
    "dist",
    "out",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    "coverage",
    ".cache",
    "tmp",
    "logs",
];
/// Commands that change files, but for those with a heredoc.
const CHANGING_COMMANDS: [&str; 10] =
    ["tee", "sed", "perl", "git", "patch", "mv", "rm", "mkdir", "touch", "cd"];
/// The same of Windows, in any case, and the condition on their file.
const OF_WINDOWS: [(&str, Wants); 11] = [
    ("Set-Content", Wants::Room),
    ("Add-Content", Wants::Room),
    ("Out-File", Wants::Room),
    ("New-Item", Wants::Room),
    ("Remove-Item", Wants::Existing),
    ("Rename-Item", Wants::Existing),
    ("Move-Item", Wants::Existing),
    ("del", Wants::Existing),
    ("erase", Wants::Existing),
    ("ren", Wants::Existing),
    ("move", Wants::Existing),
];
const SCRIPTS: [&str; 5] = ["python3", "python", "node", "ruby", "php"];
const OUTSIDE_FOLDERS: [&str; 8] = ["/tmp", "/var", "/etc", "/usr", "/dev", "$(mktemp", "`mktemp", "$TMPDIR"];
const MAX_LINES_TO_CD: usize = 200;

pub(super) fn is_label(label: &str) -> bool {
    LABELS.iter().any(|other| other.eq_ignore_ascii_case(label))
}

#[derive(Debug)]
pub(super) struct Memory<'a> {
    heredoc: Option<String>,
    /// The file that the code in it has opened, if it is code.
    script: Option<Option<String>>,
    content: Cursor<'a>,
    fence: Fence,
    /// True if the commands go to another folder, once that was computed.
    leaves: Option<bool>,
    folder: Folder,
}

#[derive(Debug)]
enum Folder {
    /// The project, or a folder that takes its place.
    Project,
    /// Below the project, if it has such a folder; else one that takes its place.
    Below(String),
    /// A folder for trials, or one of the machine, which may still be the project's if its path is known.
    Elsewhere(Option<String>),
}

impl Folder {
    fn change_folder(&mut self, target: Option<&str>) {
        let target = target.map_or("", |target| target.trim_matches(['"', '\'']).trim_end_matches('/'));
        let below = target.strip_prefix("./").unwrap_or(target);
        let plain = !below.is_empty() && !below.starts_with(['.', '-', '~', '/']) && !below.contains('$');
        *self = if OUTSIDE_FOLDERS.iter().any(|start| target.starts_with(start)) {
            Folder::Elsewhere(target.starts_with('/').then(|| target.to_owned()))
        } else if plain && let Folder::Elsewhere(Some(folder)) = &*self {
            Folder::Elsewhere(Some(format!("{folder}/{below}")))
        } else if plain && let Folder::Below(folder) = &*self {
            Folder::Below(format!("{folder}/{below}"))
        } else if plain && matches!(self, Folder::Project) {
            Folder::Below(below.to_owned())
        } else if plain {
            Folder::Elsewhere(None)
        } else {
            Folder::Project
        };
    }
}

impl<'a> Memory<'a> {
    pub(super) fn new(after: &Cursor<'a>, fence: Fence) -> Memory<'a> {
        Memory {
            heredoc: None,
            script: None,
            content: after.clone(),
            fence,
            leaves: None,
            folder: Folder::Project,
        }
    }

    fn leaves(&mut self) -> bool {
        if let Some(leaves) = self.leaves {
            return leaves;
        }
        let mut ahead = self.content.clone();
        let lines =
            std::iter::from_fn(|| ahead.next_line()).take_while(|line| !self.fence.closes_at(line.text));
        let mut lines = lines.take(MAX_LINES_TO_CD);
        let leaves = lines.any(|line| commands(line.text).any(|words| words.first() == Some(&"cd")));
        self.leaves = Some(leaves);
        leaves
    }

    pub(super) fn line(&mut self, line: &Line<'_>, candidates: &mut Vec<Candidate>) {
        // The lines of a heredoc are input of a command and no commands; only code in it may write a file.
        if let Some(tag) = &self.heredoc {
            if line.text.trim() == tag {
                (self.heredoc, self.script) = (None, None);
            } else if let Some(path) = &mut self.script {
                *path = path.take().or_else(|| opened(line.text).map(str::to_owned));
                if writes(line.text)
                    && let Some(path) = path.take()
                {
                    self.script = None;
                    self.push(line, Some(path), Wants::Existing, candidates);
                }
            }
            return;
        }
        let mut words = line.text.split(|c: char| c.is_ascii_whitespace() || matches!(c, '|' | ';' | '&'));
        if !words.any(|word| CHANGING_COMMANDS.contains(&word) || of_windows(word).is_some())
            && memmem::find(line.text.as_bytes(), b"<<").is_none()
        {
            return;
        }
        let heredoc = heredoc(line.text);
        for words in commands(line.text) {
            if words.first() == Some(&"cd") {
                self.folder.change_folder(words.get(1).copied());
            } else if heredoc.is_some() && words.first().is_some_and(|word| SCRIPTS.contains(word)) {
                self.script = Some(None);
            } else if let Some((path, wants)) = self.change(&words, heredoc.is_some()) {
                self.push(line, path, wants, candidates);
                break;
            }
        }
        self.heredoc = heredoc;
    }

    /// Records that a command in `line` changes `path`, seen from the folder that it runs in.
    fn push(&self, line: &Line<'_>, path: Option<String>, wants: Wants, candidates: &mut Vec<Candidate>) {
        let mut push = |path| {
            candidates.push(Candidate {
                kind: NotReadKind::ShellEdit,
                line: line.number,
                path,
                wants,
                shows: None,
                hint: "clada does not run commands in a listing: write the change as an edit of the file"
                    .to_owned(),
            });
        };
        match (&self.folder, path) {
            (Folder::Elsewhere(Some(folder)), Some(path)) => push(Some(format!("{folder}/{path}"))),
            (Folder::Elsewhere(_), _) => {}
            (Folder::Below(folder), Some(path)) => {
                push(Some(format!("{folder}/{path}")));
                // The folder may be the project under the author's name for it; a path that the command
                // creates would always be found there.
                if wants == Wants::Existing {
                    push(Some(path));
                }
            }
            (_, path) => push(path),
        }
    }

    /// Returns the path that the command of `words` changes, and the condition on it.
    fn change(&mut self, words: &[&str], heredoc: bool) -> Option<(Option<String>, Wants)> {
        let arguments = || words[1..].iter().copied().filter(|word| !word.starts_with('-'));
        let on = |path: Option<&str>, wants: Wants| {
            let path = path.map(|path| path.trim_matches(['"', '\'']).trim_start_matches("./"))?;
            let plain = !path.is_empty() && !path.contains(['$', '*', '?', '~', '{', '`', '<', '>', '(']);
            plain.then(|| (Some(path.to_owned()), wants))
        };
        let flag = |letters: &[char]| {
            words[1..].iter().any(|word| {
                word.starts_with('-')
                    && !word.starts_with("--")
                    && letters.iter().all(|letter| word.contains(*letter))
            })
        };
        let last = || words[1..].iter().copied().rfind(|word| !word.starts_with(['-', '<', '>']));
        // A heredoc gives the text of a new file, so its folder is enough; for other changes of a text the
        // file must exist.
        match *words.first()? {
            "cat" if heredoc => on(redirected(words), Wants::Room),
            "tee" if heredoc => on(arguments().find(|word| !word.starts_with('<')), Wants::Room),
            "tee" => on(arguments().next(), Wants::Existing),
            "sed" if flag(&['i']) || words.iter().any(|word| word.starts_with("--in-place")) => {
                on(last(), Wants::Existing)
            }
            "perl" if flag(&['i']) && (flag(&['p']) || flag(&['n'])) => on(last(), Wants::Existing),
            "git" if matches!(words.get(1), Some(&("mv" | "rm"))) => on(arguments().nth(1), Wants::Existing),
            "git" if words.get(1) == Some(&"apply") && !heredoc => Some((None, Wants::Nothing)),
            "patch" if words.iter().any(|word| word.starts_with('<')) && !heredoc => {
                Some((None, Wants::Nothing))
            }
            "mv" | "rm" => {
                let path = arguments()
                    .next()
                    .filter(|path| !GENERATED_FOLDERS.contains(&path.trim_end_matches('/')));
                on(path, Wants::Existing)
            }
            "mkdir" if !self.leaves() => {
                let path = arguments().next().map(|path| path.trim_end_matches('/'));
                on(path.filter(|path| !GENERATED_FOLDERS.contains(path)), Wants::Room)
            }
            "touch" => on(arguments().next(), Wants::Room),
            name => {
                let is_named = |word: &str| {
                    ["-path", "-filepath", "-literalpath"].contains(&&*word.to_ascii_lowercase())
                };
                let named =
                    words.iter().position(|word| is_named(word)).and_then(|at| words.get(at + 1).copied());
                let path = named.or_else(|| arguments().next()).map(|path| path.replace('\\', "/"));
                on(path.as_deref(), of_windows(name)?)
            }
        }
    }
}

fn of_windows(name: &str) -> Option<Wants> {
    OF_WINDOWS.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, wants)| *wants)
}

fn commands(line: &str) -> impl Iterator<Item = Vec<&str>> {
    let text = line.trim_start();
    // The sign that ends a text of several lines in PowerShell is not a quotation.
    let text = ["$ ", "'@", "\"@", "> "].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
    let text = if text.starts_with('#') { "" } else { text };
    let (mut commands, mut start, mut quote) = (vec![Vec::new()], None, None);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                start.get_or_insert(at);
            }
            (None, b'|' | b';' | b'&' | b' ' | b'\t' | b'\r') => {
                let word = start.take().map(|start| &text[start..at]);
                commands.last_mut().into_iter().for_each(|words| words.extend(word));
                if matches!(byte, b'|' | b';' | b'&') {
                    commands.push(Vec::new());
                }
            }
            (None, _) => drop(start.get_or_insert(at)),
        }
    }
    let word = start.map(|start| &text[start..]);
    commands.last_mut().into_iter().for_each(|words| words.extend(word));
    commands.into_iter().filter(|words| !words.is_empty())
}

fn opened(line: &str) -> Option<&str> {
    let opens = ["Path(", "open(", "readFileSync(", "File.read(", "file_get_contents("];
    opens.iter().find_map(|open| {
        let (_, rest) = line.split_once(open)?;
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split_once(quote).map(|(path, _)| path)
    })
}

fn writes(line: &str) -> bool {
    ["write_text(", ".write(", "writeFileSync(", "File.write(", ".writelines(", "fileinput("]
        .iter()
        .any(|word| line.contains(word))
}

fn heredoc(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("<<")?;
    let word = rest.trim_start_matches(['-', '~', ' ']).split_ascii_whitespace().next()?;
    let tag = word.trim_matches(['\'', '"', '\\']);
    let good = !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (good && !rest.starts_with('<')).then(|| tag.to_owned())
}

fn redirected<'t>(words: &[&'t str]) -> Option<&'t str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix(">>").or_else(|| word.strip_prefix('>'))?;
        if rest.is_empty() { words.get(at + 1).copied() } else { Some(rest) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(lines: &str) -> Vec<String> {
        let mut memory = Memory::new(&Cursor::new(lines), Fence::read("```").unwrap().0);
        let mut found = Vec::new();
        let mut cursor = Cursor::new(lines);
        while let Some(line) = cursor.next_line() {
            memory.line(&line, &mut found);
        }
        found.into_iter().map(|found| format!("{} {}", found.line, found.path.unwrap_or_default())).collect()
    }

    #[test]
    fn lines_that_edit_are_found() {
        for (line, path) in [
            ("cat > src/a.py <<'EOF'", "src/a.py"),
            ("$ cat <<EOF >> a.py", "a.py"),
            ("tee ./b.txt <<EOF", "b.txt"),
            ("sed -i 's/a/b/' src/a.py", "src/a.py"),
            ("sed -i.bak -e s/a/b/ a.py", "a.py"),
            ("perl -pi -e 's/a/b/' a.py", "a.py"),
            ("git mv old.py new.py", "old.py"),
            ("ls && rm -f a.py", "a.py"),
            ("mkdir -p src/new", "src/new"),
            ("touch src/__init__.py", "src/__init__.py"),
            ("patch -p1 < fix.diff", ""),
            ("git apply fix.patch", ""),
            ("cd /path/to/project && rm a.py", "a.py"),
            ("cd src && cd sub && touch a.py", "src/sub/a.py"),
            ("'@ | Set-Content src/a.py", "src/a.py"),
            ("\"x\" | Out-File -Encoding utf8 -FilePath .\\src\\a.py", "src/a.py"),
            ("Remove-Item src/a.py", "src/a.py"),
            ("del src\\a.py", "src/a.py"),
        ] {
            assert_eq!(reported(line), [format!("1 {path}")], "{line}");
        }
    }

    #[test]
    fn what_builds_and_looks_is_passed_over() {
        for lines in [
            "mkdir build && cd build",
            "mkdir demo\ncd demo",
            "rm -rf target",
            "sed -i s/a/b/ \"$f\"",
            "sed 's/-i/x/' a.py",
            "cat a.py",
            "# rm a.py",
            "cat <<EOF\nrm a.py\nEOF",
            "git apply <<EOF\nx\nEOF",
            "echo x > /dev/null",
            "rm ~/.bashrc",
            "cd $(mktemp -d)\ncd sub\ntouch a.py",
        ] {
            assert!(reported(lines).is_empty(), "{lines} {:?}", reported(lines));
        }
        assert_eq!(reported("cd demo\nrm a.py"), ["2 demo/a.py", "2 a.py"]);
        // Whether that is the project's folder is decided later.
        assert_eq!(reported("cd /tmp/try/\ncd sub\nrm a.py"), ["3 /tmp/try/sub/a.py"]);
        assert_eq!(reported("cd /repo\nsed -i 's/a; b/c/' a.py"), ["2 a.py"]);
        let script =
            "python3 - <<'EOF'\np = Path('a.py')\ns = p.read_text()\np.write_text(s)\np.write_text(s)\nEOF";
        assert_eq!(reported(script), ["4 a.py"]);
    }
}
