//! Tables of phrases, and the search for one of them in a line.
//!
//! Every line of prose is searched for most tables, and few lines have a phrase. A table therefore knows the
//! first four bytes of its phrases, so that nearly every word of a line costs one look at a bit.

const BITS: usize = 4096;

// Words and phrases in lower case, each of at least two bytes.
#[derive(Debug)]
pub(super) struct Phrases {
    rows: &'static [&'static str],
    heads: [u64; BITS / 64],
    // True if one begins with a sign, which may stand within a word.
    has_signs: bool,
}

impl Phrases {
    pub(super) const fn new(rows: &'static [&'static str]) -> Phrases {
        let (mut heads, mut has_signs, mut index) = ([0; BITS / 64], false, 0);
        while index < rows.len() {
            let row = rows[index].as_bytes();
            assert!(row.len() >= 2, "a phrase has two bytes");
            let bit = head(row);
            heads[bit / 64] |= 1 << (bit % 64);
            // Letters of the scripts in the tables begin with a lower byte.
            has_signs |= row[0] >= 0xe2;
            index += 1;
        }
        Phrases { rows, heads, has_signs }
    }

    // Nothing but the beginnings of both tables.
    pub(super) const fn beginnings(one: &Phrases, other: &Phrases) -> Phrases {
        let (mut heads, mut index) = (one.heads, 0);
        while index < heads.len() {
            heads[index] |= other.heads[index];
            index += 1;
        }
        Phrases { rows: &[], heads, has_signs: false }
    }

    pub(super) const fn rows(&self) -> &'static [&'static str] {
        self.rows
    }

    // Returns true if `text` may begin with a phrase: a cheap check.
    #[inline]
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        let bit = head(text);
        self.heads[bit / 64] >> (bit % 64) & 1 == 1
    }

    // Returns true if a phrase may be in `line`: a cheap check, which may err towards true.
    pub(super) fn may_be_in(&self, line: &str) -> bool {
        !line.is_ascii() || words(line.as_bytes()).any(|rest| self.may_begin(rest))
    }

    // Returns true if a phrase is in `line`, between signs that are no letters.
    pub(super) fn are_in(&self, line: &str) -> bool {
        if line.is_ascii() { self.are_in_ascii(line.as_bytes()) } else { self.are_in_text(line) }
    }

    fn are_in_ascii(&self, line: &[u8]) -> bool {
        words(line).any(|rest| {
            let is_here = |row: &&str| {
                let length = row.len();
                rest.len() >= length
                    && rest[0].eq_ignore_ascii_case(&row.as_bytes()[0])
                    && rest[..length].eq_ignore_ascii_case(row.as_bytes())
                    && !rest.get(length).is_some_and(|byte| LETTERS[usize::from(*byte)])
            };
            self.may_begin(rest) && self.rows.iter().any(is_here)
        })
    }

    fn are_in_text(&self, line: &str) -> bool {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut lower = line.to_lowercase();
        if lower.contains('’') {
            lower = lower.replace('’', "'");
        }
        let mut before = None;
        for (at, letter) in lower.char_indices() {
            let begins = is_letter(letter) && !before.is_some_and(is_letter);
            before = Some(letter);
            let rest = &lower[at..];
            let is_here =
                |row: &&str| rest.strip_prefix(*row).is_some_and(|after| !after.starts_with(is_letter));
            if begins && self.may_begin(rest.as_bytes()) && self.rows.iter().any(is_here) {
                return true;
            }
        }
        let is_sign = |row: &&&str| !row.starts_with(is_letter);
        self.has_signs && self.rows.iter().filter(is_sign).any(|row| lower.contains(row))
    }
}

// Words in lower case, of which a text is compared with one at a time.
#[derive(Debug)]
pub(super) struct WordList {
    rows: &'static [&'static str],
    heads: [u64; BITS / 64],
}

impl WordList {
    pub(super) const fn new(rows: &'static [&'static str]) -> WordList {
        let (mut heads, mut index) = ([0; BITS / 64], 0);
        while index < rows.len() {
            let bit = head(rows[index].as_bytes());
            heads[bit / 64] |= 1 << (bit % 64);
            index += 1;
        }
        WordList { rows, heads }
    }

    pub(super) const fn rows(&self) -> &'static [&'static str] {
        self.rows
    }

    pub(super) fn has(&self, word: &str) -> bool {
        let bit = head(word.as_bytes());
        self.heads[bit / 64] >> (bit % 64) & 1 == 1 && self.rows.contains(&word)
    }
}

/// Up to eight groups of tables of which a line may have phrases: one pass over its words tells which.
#[derive(Debug)]
pub(super) struct PhraseGroups {
    /// By the place of a beginning, a bit for each group.
    heads: [u8; 1 << PhraseGroups::BITS],
}

/// The groups of which a line may have a phrase, a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct MayHave(u8);

impl MayHave {
    pub(super) fn of(self, group: usize) -> bool {
        self.0 >> group & 1 == 1
    }
}

impl PhraseGroups {
    // A line has many words, and all tables together many beginnings.
    const BITS: u32 = 14;

    pub(super) const fn new(groups: &[&[&Phrases]]) -> PhraseGroups {
        let (mut heads, mut group) = ([0; 1 << PhraseGroups::BITS], 0);
        while group < groups.len() {
            let mut table = 0;
            while table < groups[group].len() {
                let (rows, mut row) = (groups[group][table].rows, 0);
                while row < rows.len() {
                    heads[place(rows[row].as_bytes(), PhraseGroups::BITS)] |= 1 << group;
                    row += 1;
                }
                table += 1;
            }
            group += 1;
        }
        PhraseGroups { heads }
    }

    /// Returns the groups of which `line` may have a phrase: a cheap check, which may err towards more.
    pub(super) fn may_be_in(&self, line: &str) -> MayHave {
        if !line.is_ascii() {
            return MayHave(u8::MAX);
        }
        MayHave(words(line.as_bytes()).fold(0, |all, rest| all | self.heads[place(rest, PhraseGroups::BITS)]))
    }
}

/// Hashes short words, none of which a stranger chooses (FNV-1a).
#[derive(Debug)]
pub(super) struct WordHash(u64);

impl Default for WordHash {
    fn default() -> WordHash {
        WordHash(0xcbf2_9ce4_8422_2325)
    }
}

impl std::hash::Hasher for WordHash {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

static LETTERS: [bool; 256] = {
    let (mut all, mut byte) = ([false; 256], 0_u8);
    while byte < 0x80 {
        all[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    all
};

// The parts of `line` that begin with a word, each to the end.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_letter = |byte: &u8| LETTERS[usize::from(*byte)];
        let start = at + line.get(at..)?.iter().position(is_letter)?;
        at = line[start..].iter().position(|byte| !is_letter(byte)).map_or(line.len(), |end| start + end);
        Some(&line[start..])
    })
}

// The bit of the beginning of `text`: its first four bytes, the last two as far as they are letters, with one bit of each
// set, which is that of lower case.
#[inline]
const fn head(text: &[u8]) -> usize {
    place(text, BITS.trailing_zeros())
}

// The same among as many places as `bits` give.
#[inline]
const fn place(text: &[u8], bits: u32) -> usize {
    let word = match text {
        [first, second, third, fourth, ..] => u32::from_le_bytes([*first, *second, *third, *fourth]),
        [first, second, third] => u32::from_le_bytes([*first, *second, *third, 0]),
        [first, second] => u32::from_le_bytes([*first, *second, 0, 0]),
        [first] => u32::from_le_bytes([*first, 0, 0, 0]),
        [] => 0,
    };
    let bytes = word.to_le_bytes();
    let mask = match (IN_WORDS[bytes[2] as usize], IN_WORDS[bytes[3] as usize]) {
        (true, true) => u32::MAX,
        (true, false) => 0x00ff_ffff,
        (false, _) => 0xffff,
    };
    let mixed = ((word | 0x2020_2020) & mask).wrapping_mul(0x9e37_79b1);
    (mixed >> (32 - bits)) as usize
}

// What goes on with a word: letters, and all bytes of other scripts.
static IN_WORDS: [bool; 256] = {
    let (mut all, mut byte) = (LETTERS, 0x80);
    while byte < all.len() {
        all[byte] = true;
        byte += 1;
    }
    all
};

// Returns true if one of `words`, of a script that writes no blanks, is in `line`.
pub(super) fn has_east(line: &str, words: &[&str]) -> bool {
    !line.is_ascii() && words.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::Phrases;

    #[test]
    fn phrases_stand_between_signs() {
        static TABLE: Phrases = Phrases::new(&["at the top", "e.g", "to", "don't", "сейчас", "❌"]);
        for line in ["At the Top of it", "go to", "TO: x", "(e.g. x)", "don’t", "Don't", "а сейчас", "x❌y"]
        {
            assert!(TABLE.are_in(line), "{line}");
        }
        for line in ["at the topic", "tomato", "go_to", "to1", "сейчаса", "e.gx", "", "é"] {
            assert!(!TABLE.are_in(line), "{line}");
        }
    }
}
