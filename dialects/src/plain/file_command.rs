//! The commands of a shell fence that change files by name, as data.
//!
//! Reads what [`super::shell::file_commands`] let through, and nothing else.

use super::shell::words_of;

/// A command that changes files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCommand {
    /// Writes a file, or adds to its end.
    Write {
        /// The file, as written.
        path: String,
        /// The text, with LF.
        content: String,
        /// True if it adds to what the file has.
        append: bool,
    },
    /// Makes an empty file where there is none.
    Touch {
        /// The file, as written.
        path: String,
    },
    /// Removes a file.
    Remove {
        /// The file, as written.
        path: String,
    },
    /// Moves a file to a path, or into a folder.
    Move {
        /// The old path, as written.
        from: String,
        /// The new path or its folder, as written.
        to: String,
    },
    /// Copies a file to a path, or into a folder.
    Copy {
        /// The file, as written.
        from: String,
        /// The copy or its folder, as written.
        to: String,
    },
}

/// Returns the commands in `content`, the content of a candidate of the form `Commands`, in order; `None` if it
/// holds anything else. Folders are made with their files.
#[must_use]
pub fn read_commands(content: &str) -> Option<Vec<FileCommand>> {
    let mut commands = Vec::new();
    let mut lines = content.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let Some((before, after)) = line.split_once("<<") else {
            for command in line.split(" && ") {
                commands.extend(simple(command.trim())?);
            }
            continue;
        };
        let (first, before) = before.rsplit_once(" && ").unwrap_or(("", before));
        for command in first.split(" && ").filter(|command| !command.trim().is_empty()) {
            commands.extend(simple(command.trim())?);
        }
        let (strips, after) = match after.strip_prefix('-') {
            Some(after) => (true, after.trim_start()),
            None => (false, after.trim_start()),
        };
        let (tag, behind) = after.split_at(after.find([' ', '\t', '>']).unwrap_or(after.len()));
        let tag = tag.trim_matches(['\'', '"', '\\']);
        let mut text = String::new();
        loop {
            // Without its last line the text is cut off: then nothing of the fence is done.
            let line = lines.next()?;
            let line = if strips { line.trim_start_matches('\t') } else { line };
            if line.trim_end() == tag {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        let (path, append) = target(before.trim(), behind.trim())?;
        commands.push(FileCommand::Write { path, content: text, append });
    }
    Some(commands)
}

/// The file that `cat` or `tee` with a heredoc writes, and whether it adds to it.
fn target(before: &str, behind: &str) -> Option<(String, bool)> {
    let (word, append) = if let Some(rest) = before.strip_prefix("tee") {
        match rest.trim().strip_prefix("-a ") {
            Some(path) => (path, true),
            None => (rest.trim(), false),
        }
    } else {
        let rest = before.strip_prefix("cat")?.trim();
        let sign = if rest.is_empty() { behind } else { rest };
        (sign.trim_start_matches('>'), sign.starts_with(">>"))
    };
    let path = word.trim().trim_matches(['\'', '"']);
    (!path.is_empty()).then(|| (path.to_owned(), append))
}

/// Reads one command without a heredoc.
fn simple(command: &str) -> Option<Vec<FileCommand>> {
    let words = words_of(command)?;
    let (program, arguments) = words.split_first()?;
    let (program, arguments) = match (&**program, arguments) {
        ("git", [action, rest @ ..]) => (&**action, rest),
        (program, rest) => (program, rest),
    };
    let paths = || arguments.iter().filter(|word| !word.starts_with('-')).cloned();
    // All but the last one go to that.
    let pairs = || -> Option<Vec<(String, String)>> {
        let mut from: Vec<String> = paths().collect();
        let to = from.pop().filter(|_| !from.is_empty())?;
        Some(from.into_iter().map(|from| (from, to.clone())).collect())
    };
    let each =
        |command: fn((String, String)) -> FileCommand| Some(pairs()?.into_iter().map(command).collect());
    Some(match program {
        "mkdir" => Vec::new(),
        "touch" => paths().map(|path| FileCommand::Touch { path }).collect(),
        "rm" => paths().map(|path| FileCommand::Remove { path }).collect(),
        "mv" => each(|(from, to)| FileCommand::Move { from, to })?,
        "cp" => each(|(from, to)| FileCommand::Copy { from, to })?,
        "echo" => match arguments {
            [text, sign, path] => {
                let (path, content) = (path.clone(), format!("{text}\n"));
                vec![FileCommand::Write { path, content, append: sign == ">>" }]
            }
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_they_are_written() {
        let write = |path: &str, content: &str, append| FileCommand::Write {
            path: path.to_owned(),
            content: content.to_owned(),
            append,
        };
        let moved = |from: &str, to: &str| FileCommand::Move { from: from.to_owned(), to: to.to_owned() };
        let cases: [(&str, Option<Vec<FileCommand>>); 10] = [
            ("mv a.md b.md docs/", Some(vec![moved("a.md", "docs/"), moved("b.md", "docs/")])),
            ("mkdir -p a && git mv a.py a/b.py", Some(vec![moved("a.py", "a/b.py")])),
            ("cat > a.py <<'EOF'\nx = 1\n\nEOF", Some(vec![write("a.py", "x = 1\n\n", false)])),
            ("cat <<EOF >> a.py\nx\nEOF", Some(vec![write("a.py", "x\n", true)])),
            ("tee -a a.py <<'END'\nx\nEND", Some(vec![write("a.py", "x\n", true)])),
            ("mkdir -p d && cat > d/a <<-'E'\n\tx\n\tE", Some(vec![write("d/a", "x\n", false)])),
            ("echo \"a b\" >> .gitignore", Some(vec![write(".gitignore", "a b\n", true)])),
            ("rm -f 'a b.py'", Some(vec![FileCommand::Remove { path: "a b.py".to_owned() }])),
            ("cat > a.py <<'EOF'\nx\n", None),
            ("npm install", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read_commands(text), expected, "{text}");
        }
    }
}
