//! The texts that editors were given for answers: what an answer does twice, as adding to a line, is not to be
//! done twice to a document that only the editor changes.
//!
//! Kept in memory: an editor's buffers are no matter of the journal, and outlive no daemon for it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};

use clada_apply::HandedText;
use clada_fs::RootedPath;

const KEPT: usize = 64;

/// The texts of the last answers, the last one at the end.
#[derive(Debug, Default)]
pub(crate) struct HandedTexts(VecDeque<HandedOperation>);

#[derive(Debug)]
struct HandedOperation {
    answer: [u8; 32],
    /// Milliseconds since 1970.
    at: i64,
    texts: Vec<HandedText>,
}

impl HandedTexts {
    pub(crate) fn keep(&mut self, answer: [u8; 32], mut texts: Vec<HandedText>) {
        texts.retain(|text| text.is_whole);
        if texts.is_empty() {
            return;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.0.push_back(HandedOperation {
            answer,
            at: i64::try_from(now.as_millis()).unwrap_or(i64::MAX),
            texts,
        });
    }

    /// Returns the actions of the answer with this hash whose documents all have the text that they were given,
    /// as `now` says, each with the time of that.
    pub(crate) fn standing(
        &self,
        answer: &[u8; 32],
        now: impl Fn(&RootedPath) -> Option<blake3::Hash>,
    ) -> HashMap<usize, i64> {
        let mut standing = HashMap::new();
        for handed in self.0.iter().filter(|handed| handed.answer == *answer) {
            let changed_seqs = handed.texts.iter().filter(|text| now(&text.path) != Some(text.hash));
            let changed_seqs: HashSet<usize> = changed_seqs.map(|text| text.seq).collect();
            let held = handed.texts.iter().filter(|text| !changed_seqs.contains(&text.seq));
            standing.extend(held.map(|text| (text.seq, handed.at)));
        }
        standing
    }
}
