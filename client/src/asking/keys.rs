//! The keys of the questions at the terminal: one table, from which prompts, help texts and the docs come.
//!
//! Must not know what is asked about.

use std::io;

use crate::Process;
use crate::settings::Settings;
use crate::terminal::{Prompter, Reply, Terminal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptWord {
    Yes,
    Always,
    Network,
    No,
    All,
    Diff,
    Code,
    Edit,
    Each,
    Whole,
    Later,
    Quit,
    Split,
    Abandon,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptPlace {
    Approval,
    Change,
    Whole,
    Waiting,
    Proposals,
    Proposal,
}

struct WordKey {
    word: PromptWord,
    key: &'static str,
    long: &'static str,
    meanings: [&'static str; 6],
}

const fn key(
    word: PromptWord,
    key: &'static str,
    long: &'static str,
    meanings: [&'static str; 6],
) -> WordKey {
    WordKey { word, key, long, meanings }
}

#[rustfmt::skip]
const KEYS: &[WordKey] = &[
    key(PromptWord::Yes, "y", "yes", [
        "allow this once", "apply this", "apply all of it", "apply all of it, this once", "apply all of them", "apply this one",
    ]),
    key(PromptWord::Always, "a", "always", ["always allow this command in this folder", "", "", "", "", ""]),
    key(PromptWord::Network, "w", "with network", [
        "allow this once, with network access for this command", "apply this, with network access for this command", "", "", "", "",
    ]),
    key(PromptWord::No, "n", "no", [
        "skip this (also Enter alone)", "skip this", "apply nothing", "apply only what needs no approval",
        "skip these; apply the edit blocks, if there are any (also Enter alone)", "skip this one (also Enter alone)",
    ]),
    key(PromptWord::All, "a", "all", [
        "", "apply this and all the rest without showing it; clada still asks for approvals", "", "", "", "",
    ]),
    key(PromptWord::Diff, "d", "diff", ["show the diff of all edits", "", "", "", "show all diffs in $PAGER", ""]),
    key(PromptWord::Code, "v", "view", ["view the code in $PAGER", "", "", "", "", ""]),
    key(PromptWord::Edit, "e", "edit", ["", "edit the new lines in $EDITOR, then apply them", "", "", "", ""]),
    key(PromptWord::Each, "i", "one by one", ["", "", "", "", "decide one by one", ""]),
    key(PromptWord::Whole, "f", "file", [
        "", "", "", "", "take the part without markers as the whole file: shows that, and asks again",
        "take it as the whole file: shows that, and asks again",
    ]),
    key(PromptWord::Later, "l", "later", ["", "", "", "decide later", "", ""]),
    key(PromptWord::Quit, "q", "quit", [
        "skip this and everything else that needs approval; apply the rest of the answer",
        "skip this and all the rest; apply what you accepted before", "", "stop asking; the remaining requests keep waiting",
        "apply nothing at all", "apply nothing at all",
    ]),
    key(PromptWord::Split, "s", "split", ["", "decide on each hunk of this separately", "", "", "", ""]),
];

impl PromptPlace {
    fn meaning(self, key: &WordKey) -> &'static str {
        key.meanings[self as usize]
    }

    fn has_default(self) -> bool {
        matches!(self, PromptPlace::Approval | PromptPlace::Proposals | PromptPlace::Proposal)
    }

    fn interrupt(self) -> &'static str {
        match self {
            PromptPlace::Approval => "Ctrl-C applies nothing of this answer.\n",
            PromptPlace::Change | PromptPlace::Whole => "Ctrl-C applies nothing.\n",
            PromptPlace::Waiting => "Ctrl-C stops asking; the remaining requests keep waiting.\n",
            PromptPlace::Proposals | PromptPlace::Proposal => "Ctrl-C applies nothing at all.\n",
        }
    }

    fn keys(self, not: &[PromptWord]) -> impl Iterator<Item = &'static WordKey> {
        KEYS.iter().filter(move |key| !self.meaning(key).is_empty() && !not.contains(&key.word))
    }

    fn prompt(self, not: &[PromptWord]) -> String {
        let is_default = |key: &WordKey| self.has_default() && key.word == PromptWord::No;
        let shown = |key: &WordKey| if is_default(key) { key.key.to_uppercase() } else { key.key.to_owned() };
        self.keys(not).map(shown).chain(["?".to_owned()]).collect::<Vec<_>>().join(",")
    }

    fn help(self, not: &[PromptWord]) -> String {
        let lines = self.keys(not).map(|key| format!("{} - {}\n", key.key, self.meaning(key)));
        lines.chain(["? - show this help\n".to_owned(), self.interrupt().to_owned()]).collect()
    }

    fn word(self, line: &str, not: &[PromptWord]) -> Option<PromptWord> {
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() && self.has_default() {
            return Some(PromptWord::No);
        }
        // All or nothing has no rest to leave out.
        if self == PromptPlace::Whole && matches!(line.as_str(), "q" | "quit") {
            return Some(PromptWord::No);
        }
        self.keys(not).find(|key| line == key.key || line == key.long).map(|key| key.word)
    }

    /// The end of input is [`PromptWord::Quit`].
    pub(crate) fn ask(
        self,
        user: &mut dyn Prompter,
        question: &str,
        not: &[PromptWord],
    ) -> io::Result<PromptWord> {
        let question = format!("{question} [{}] ", self.prompt(not));
        loop {
            let word = match user.ask(&question)? {
                Reply::Line(line) => self.word(&line, not),
                ended => {
                    user.show("\n")?;
                    return Ok(if ended == Reply::Interrupted {
                        PromptWord::Abandon
                    } else {
                        PromptWord::Quit
                    });
                }
            };
            match word {
                Some(word) => return Ok(word),
                None => user.show(&self.help(not))?,
            }
        }
    }
}

pub(crate) fn confirm(user: &mut dyn Prompter, question: &str) -> io::Result<bool> {
    let reply = user.ask(&format!("{question} [y/N] "))?;
    Ok(matches!(reply, Reply::Line(line) if PromptPlace::Whole.word(&line, &[]) == Some(PromptWord::Yes)))
}

pub(crate) fn confirmed(process: &Process, settings: &Settings, question: &str) -> Option<bool> {
    confirm(&mut Terminal::open(process, settings)?, question).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_that_are_offered_are_explained() {
        let not = [PromptWord::Always, PromptWord::Network, PromptWord::Diff, PromptWord::Quit];
        assert_eq!(PromptPlace::Approval.prompt(&not), "y,N,v,?");
        let help = PromptPlace::Approval.help(&not);
        let keys: Vec<char> = help.lines().filter_map(|line| line.chars().next()).collect();
        assert_eq!(keys, ['y', 'n', 'v', '?', 'C']);
        assert_eq!(PromptPlace::Change.word("a", &[]), Some(PromptWord::All));
        assert_eq!(PromptPlace::Approval.word("a", &[PromptWord::Always]), None);
    }

    #[test]
    fn the_docs_have_the_table() {
        let cell = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
        let mut table =
            "| key | an approval | `-i` | `-i --atomic` | `approvals` | changes without an edit block | one of them |\n|---|---|---|---|---|---|---|\n".to_owned();
        for key in KEYS {
            let cells: Vec<String> = key.meanings.iter().map(|text| cell(text)).collect();
            table.push_str(&format!("| `{}` | {} |\n", key.key, cells.join(" | ")));
        }
        let docs = include_str!("../../../docs/client.md");
        assert!(docs.contains(&table), "docs/client.md needs this table:\n{table}");
    }
}
