//! The surroundings of a diff or patch: the fence or the shell's heredoc that it is in.
//!
//! Sees every line that no block has claimed. Knows nothing of diffs.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::cursor::{Breaks, Cursor, Line, Next};
use crate::fence::Fence;
use crate::glance::Glance;

static ARROW: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("<<"));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heredoc<'a> {
    tag: &'a str,
    /// True if it is the input of a command that applies it exactly as this crate would read it.
    applied: bool,
    /// True if its command goes to another folder first, or writes a file.
    elsewhere: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Around<'a> {
    fence: Option<Fence>,
    heredoc: Option<Heredoc<'a>>,
    /// The next `<<`.
    arrow: Next,
}

impl<'a> Around<'a> {
    #[inline]
    pub(crate) fn line(&mut self, line: &Line<'a>, glance: &Glance<'_>, text: &str) {
        // A fence behind other blanks than ASCII's is one here, too.
        let opening = match glance.fence {
            Some(opening) => Some(opening),
            None if glance.first.is_ascii_graphic() && !matches!(glance.first, b'`' | b'~') => None,
            None => Fence::opened_by(line.text),
        };
        if opening.is_some_and(|(fence, info)| self.is_fence(fence, info)) {
            self.heredoc = None;
            return;
        }
        match self.heredoc {
            Some(heredoc) if heredoc.is_ended_by(line.text) => self.heredoc = None,
            Some(_) => {}
            None if self.arrow.is_in(line, text, |rest| ARROW.find(rest)) => {
                self.heredoc = Heredoc::opened_by(line.text);
            }
            None => {}
        }
    }

    fn is_fence(&mut self, fence: Fence, info: &str) -> bool {
        match self.fence {
            Some(open) if info.is_empty() => {
                let closes = fence.mark() == open.mark() && fence.length() >= open.length();
                self.fence = self.fence.filter(|_| !closes);
                closes
            }
            _ => {
                self.fence = Some(fence);
                true
            }
        }
    }

    /// Records that a block was claimed, which may have ended with the fence around it.
    pub(crate) fn claimed(&mut self, after: &Cursor<'a>) {
        let (last, _) = Breaks::Lf.last_line(&after.text()[..after.position()]);
        if self.fence.is_some_and(|fence| fence.is_closed_by(last)) {
            (self.fence, self.heredoc) = (None, None);
        }
    }

    pub(crate) fn fence(&self) -> Option<Fence> {
        self.fence
    }

    pub(crate) fn heredoc(&self) -> Option<Heredoc<'a>> {
        self.heredoc
    }
}

impl<'a> Heredoc<'a> {
    fn opened_by(line: &'a str) -> Option<Heredoc<'a>> {
        let bytes = line.as_bytes();
        let at = memchr::memchr_iter(b'<', bytes).find(|at| bytes.get(at + 1) == Some(&b'<'))?;
        let (command, rest) = (&line[..at], &line[at + 2..]);
        let rest = rest.strip_prefix('-').unwrap_or(rest).trim();
        let quote = rest.chars().next().filter(|mark| matches!(mark, '\'' | '"'));
        let tag = match quote {
            Some(quote) => rest[1..].strip_suffix(quote)?,
            None => rest,
        };
        let good = !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        good.then(|| Heredoc { tag, applied: applies(command), elsewhere: leads_elsewhere(command) })
    }

    pub(crate) fn applied(self) -> bool {
        self.applied
    }

    pub(crate) fn elsewhere(self) -> bool {
        self.elsewhere
    }

    pub(crate) fn is_ended_by(self, line: &str) -> bool {
        line.trim() == self.tag
    }
}

fn leads_elsewhere(command: &str) -> bool {
    let mut words = command.split(|mark: char| !mark.is_alphanumeric());
    command.contains('>') || words.any(|word| matches!(word, "cd" | "pushd" | "tee" | "cat"))
}

/// Returns true if `command` applies a diff to the files that it names, forwards and whole.
fn applies(command: &str) -> bool {
    let mut words = command.trim_start_matches(['$', ' ', '\t']).split_ascii_whitespace();
    let program = match words.next() {
        Some("git") => words.next() == Some("apply"),
        word => word == Some("patch"),
    };
    let harmless = ["-p0", "-p1", "-", "-v", "--verbose", "--recount", "--whitespace=fix", "-N"];
    program && words.all(|word| harmless.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::CslDelimiters;

    #[test]
    fn fences_nest_as_models_write_them() {
        let mut around = Around::default();
        let mut open = |text| {
            let line = Line { number: 1, start: 0, text };
            around.line(&line, &Glance::at(&line, &CslDelimiters::default()), text);
            around.fence.map(Fence::length)
        };
        assert_eq!(open("````md"), Some(4));
        assert_eq!(open("```"), Some(4));
        assert_eq!(open("  ````"), None);
        assert_eq!(open("```diff"), Some(3));
        assert_eq!(open("~~~"), Some(3));
        assert_eq!(open("`````"), None);
        assert_eq!(open("``` a ` b"), None);
    }

    #[test]
    fn only_commands_that_apply_a_diff_as_it_stands_count() {
        for line in ["git apply <<'EOF'", "$ patch -p1 <<EOF", "git apply -p1 - <<-\"X_1\""] {
            assert!(Heredoc::opened_by(line).is_some_and(|heredoc| heredoc.applied), "{line}");
        }
        for line in
            ["cat > x.diff <<'EOF'", "git apply -R <<EOF", "patch -d sub <<EOF", "cd x && patch <<EOF"]
        {
            assert!(Heredoc::opened_by(line).is_some_and(|heredoc| !heredoc.applied), "{line}");
        }
        for line in ["1 << 2;", "a <<'EOF", "<<<FILE>>>", "x <<"] {
            assert!(Heredoc::opened_by(line).is_none_or(|heredoc| !heredoc.applied), "{line}");
        }
    }
}
