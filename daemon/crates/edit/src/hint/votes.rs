//! Votes on where in a file a text may be meant: every line and every word that both have votes for a place.
//!
//! It must not know what becomes of the places. Rare lines and words weigh more than frequent ones. Two walks
//! over the file, whatever it holds; memory for a number a line.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::WorkBudget;
use super::lines::HintLines;
use crate::TextLine;

/// Lines of the old text that vote, at most; of a longer text every n-th does.
const VOTERS: usize = 256;
/// Lines of the old text for which one word may vote.
const PLACES: usize = 4;
const LINE_WEIGHT: u32 = 4;
const NEIGHBOURS: usize = 4;

const PART: usize = 3;

struct Feature {
    places: Vec<usize>,
    weight: u32,
    count: usize,
    /// The last of these lines, plus one.
    seen: usize,
}

/// Returns the best places for the first line of `old`, best first, as line numbers of `file` from 0; they
/// may be before its first line if the old text begins with lines that the file does not have.
pub(super) fn places(
    file: &HintLines<'_>,
    old: &[TextLine<'_>],
    most: usize,
    work: &mut WorkBudget,
) -> Vec<isize> {
    let (index, mut features) = features_of(old, work);
    for (number, line) in file.iter().enumerate() {
        work.walk(line.body.len());
        each_feature(line.body, |hash, _| {
            if let Some(feature) = index.get(&hash).map(|&at| &mut features[at])
                && feature.seen <= number
            {
                feature.seen = number + 1;
                feature.count += 1;
            }
        });
    }
    let weights: Vec<u32> = features
        .iter()
        .map(|feature| feature.weight * (1 + (file.len() / feature.count.max(1)).max(1).ilog2()))
        .collect();
    // votes[place + old.len() - 1]: the place of the old text's first line, from -(old.len() - 1).
    let before = old.len().saturating_sub(1);
    let mut votes = vec![0u32; file.len() + before];
    features.iter_mut().for_each(|feature| feature.seen = 0);
    for (number, line) in file.iter().enumerate() {
        work.walk(line.body.len());
        each_feature(line.body, |hash, _| {
            let Some(&at) = index.get(&hash) else { return };
            if features[at].seen > number {
                return;
            }
            features[at].seen = number + 1;
            for place in &features[at].places {
                let vote = &mut votes[number + before - place];
                *vote = vote.saturating_add(weights[at]);
            }
        });
    }
    best(&votes, most).into_iter().map(|at| at as isize - before as isize).collect()
}

fn features_of(old: &[TextLine<'_>], work: &mut WorkBudget) -> (HashMap<u64, usize>, Vec<Feature>) {
    let (mut index, mut features) = (HashMap::new(), Vec::<Feature>::new());
    for (number, line) in old.iter().enumerate().step_by(old.len().div_ceil(VOTERS).max(1)) {
        work.walk(line.body.len());
        each_feature(line.body, |hash, weight| {
            let at = *index.entry(hash).or_insert(features.len());
            if at == features.len() {
                features.push(Feature { places: Vec::new(), weight, count: 0, seen: 0 });
            }
            let places = &mut features[at].places;
            if places.len() < PLACES && places.last() != Some(&number) {
                places.push(number);
            }
        });
    }
    (index, features)
}

/// Calls `each` with hash and weight of the line without outer blanks, of each of its words, and of the parts
/// of a word that is made of several (`two_words`, `twoWords`). A word is ASCII letters, digits and `_`, in
/// any case, or two other characters in a row that are letters.
fn each_feature(line: &str, mut each: impl FnMut(u64, u32)) {
    let line = line.trim();
    let mut word = Hash::default();
    let mut length = 0;
    let mut part = WordPart::default();
    let mut last: Option<char> = None;
    let mut whole = Hash::default();
    let mut letters = false;
    for char in line.chars() {
        whole.add(char);
        let ascii = char.is_ascii_alphanumeric() || char == '_';
        if ascii {
            word.add(char.to_ascii_lowercase());
            length += 1;
            part.add(char, &mut each);
        } else if length > 0 {
            each(word.0, 1);
            part.last(&mut each);
            (word, length, part) = (Hash::default(), 0, WordPart::default());
        }
        // Some scripts have no blanks between words: pairs of characters take the part of words.
        let other = !char.is_ascii() && char.is_alphanumeric();
        if let (true, Some(last)) = (other, last) {
            let mut pair = Hash::default();
            pair.add(last);
            pair.add(char);
            each(pair.0, 1);
        }
        last = other.then_some(char);
        letters |= ascii || other;
    }
    if length > 0 {
        each(word.0, 1);
        part.last(&mut each);
    }
    if letters {
        whole.add('\n');
        each(whole.0, LINE_WEIGHT);
    }
}

#[derive(Default)]
struct WordPart {
    hash: Hash,
    length: usize,
    is_lower: bool,
    of_several: bool,
}

impl WordPart {
    fn add(&mut self, char: char, each: &mut impl FnMut(u64, u32)) {
        let ends = char == '_' || self.is_lower && char.is_ascii_uppercase();
        if ends {
            self.of_several = true;
            self.last(each);
            (self.hash, self.length) = (Hash::default(), 0);
        }
        if char != '_' {
            self.hash.add(char.to_ascii_lowercase());
            self.length += 1;
        }
        self.is_lower = char.is_ascii_lowercase();
    }

    /// Calls `each` with it if it is not all of its word, and long enough to say something.
    fn last(&self, each: &mut impl FnMut(u64, u32)) {
        if self.of_several && self.length >= PART {
            each(self.hash.0, 1);
        }
    }
}

/// FNV-1a over characters: the same in every run.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, char: char) {
        self.0 = (self.0 ^ u64::from(u32::from(char))).wrapping_mul(0x0000_0100_0000_01b3);
    }
}

/// The words of an old text, each with how much it says: the more, the rarer it is in the file.
pub(super) struct Sayings {
    weights: HashMap<u64, u64>,
    all: u64,
}

impl Sayings {
    pub(super) fn new(file: &HintLines<'_>, old: &[TextLine<'_>], work: &mut WorkBudget) -> Sayings {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for line in old.iter().take(VOTERS) {
            work.walk(line.body.len());
            each_word(line.body, |hash| {
                counts.insert(hash, 0);
            });
        }
        for line in file.iter() {
            work.walk(line.body.len());
            each_word(line.body, |hash| {
                counts.entry(hash).and_modify(|count| *count += 1);
            });
        }
        let weight = |count: usize| u64::from((file.len() / count.max(1)).max(1).ilog2() + 1).pow(3);
        let weights: HashMap<u64, u64> =
            counts.into_iter().map(|(hash, count)| (hash, weight(count))).collect();
        let all = weights.values().sum();
        Sayings { weights, all }
    }

    pub(super) fn words(&self, line: &str) -> Vec<u64> {
        let mut words = Vec::new();
        each_word(line, |hash| {
            if self.weights.contains_key(&hash) {
                words.push(hash);
            }
        });
        words.sort_unstable();
        words.dedup();
        words
    }

    pub(super) fn common(&self, query: &[u64], there: &[u64]) -> i64 {
        let weight = |word: &u64| self.weights.get(word).copied().unwrap_or(0);
        let all: u64 = query.iter().map(weight).sum();
        let common: u64 = query.iter().filter(|word| there.binary_search(word).is_ok()).map(weight).sum();
        (common * 1_000 / all.max(1)) as i64
    }

    pub(super) fn share(
        &self,
        file: &HintLines<'_>,
        part: RangeInclusive<usize>,
        work: &mut WorkBudget,
    ) -> u8 {
        let mut ranked = HashSet::new();
        for index in part {
            let line = file.get(index).body;
            if !work.compare(line.len()) {
                break;
            }
            each_word(line, |hash| {
                if self.weights.contains_key(&hash) {
                    ranked.insert(hash);
                }
            });
        }
        let share: u64 = ranked.iter().map(|hash| self.weights[hash]).sum();
        (share * 100 / self.all.max(1)) as u8
    }
}

fn each_word(line: &str, mut each: impl FnMut(u64)) {
    each_feature(line, |hash, weight| {
        if weight < LINE_WEIGHT {
            each(hash);
        }
    });
}

/// The indexes of the highest votes, neighbours helping, best first; the first one of equals.
fn best(votes: &[u32], most: usize) -> Vec<usize> {
    let mut ranked: Vec<(u64, usize)> = Vec::new();
    let vote = |at: Option<usize>| u64::from(at.and_then(|at| votes.get(at)).copied().unwrap_or(0));
    for at in 0..votes.len() {
        let score = vote(at.checked_sub(1)) + 2 * vote(Some(at)) + vote(Some(at + 1));
        if score == 0 {
            continue;
        }
        match ranked.iter_mut().find(|(_, other)| at - *other <= NEIGHBOURS) {
            Some(other) => *other = if score > other.0 { (score, at) } else { *other },
            None => ranked.push((score, at)),
        }
        if ranked.len() > most + 1 {
            rank(&mut ranked);
            ranked.truncate(most + 1);
        }
    }
    rank(&mut ranked);
    ranked.truncate(most);
    ranked.into_iter().map(|(_, at)| at).collect()
}

fn rank(ranked: &mut [(u64, usize)]) {
    ranked.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
}
