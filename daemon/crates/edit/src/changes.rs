//! Finds the lines that differ between two lists of lines, with bounded work.
//!
//! It must not know what a line is: equality is all there is to it. Common ends are cut off first. What is
//! left goes to Myers' algorithm as it is, if it is small; if not, lines that occur once on both sides cut it
//! into pieces, and a piece that is still too large is one change. No clock is involved: the same texts
//! always give the same answer.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

const PIECE: usize = 20_000;

/// A change: the lines of the old side that are removed, and those of the new side that are added; not both
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The lines of the old side.
    pub old: Range<usize>,
    /// The lines of the new side.
    pub new: Range<usize>,
}

/// Returns the changes from `old` to `new`, ascending, with at least one common line between any two.
pub fn changes<T: Hash + Eq>(old: &[T], new: &[T]) -> Vec<Change> {
    changes_by(old, new, PIECE)
}

fn changes_by<T: Hash + Eq>(old: &[T], new: &[T], piece: usize) -> Vec<Change> {
    let whole = trim(old, new, Change { old: 0..old.len(), new: 0..new.len() });
    let mut list = Vec::new();
    if size(&whole) <= piece {
        compare(old, new, &whole, &mut list);
        return list;
    }
    let mut at = (whole.old.start, whole.new.start);
    for (in_old, in_new) in anchors(old, new, &whole).into_iter().chain([(whole.old.end, whole.new.end)]) {
        let part = trim(old, new, Change { old: at.0..in_old, new: at.1..in_new });
        if size(&part) <= piece {
            compare(old, new, &part, &mut list)
        } else {
            push(&mut list, part)
        }
        at = (in_old, in_new);
    }
    list
}

fn size(change: &Change) -> usize {
    change.old.len() + change.new.len()
}

fn push(list: &mut Vec<Change>, change: Change) {
    if size(&change) == 0 {
        return;
    }
    match list.last_mut() {
        Some(last) if last.old.end == change.old.start && last.new.end == change.new.start => {
            last.old.end = change.old.end;
            last.new.end = change.new.end;
        }
        _ => list.push(change),
    }
}

fn trim<T: Eq>(old: &[T], new: &[T], mut change: Change) -> Change {
    let pairs = old[change.old.clone()].iter().zip(&new[change.new.clone()]);
    let head = pairs.take_while(|(one, other)| one == other).count();
    change.old.start += head;
    change.new.start += head;
    let pairs = old[change.old.clone()].iter().rev().zip(new[change.new.clone()].iter().rev());
    let tail = pairs.take_while(|(one, other)| one == other).count();
    change.old.end -= tail;
    change.new.end -= tail;
    change
}

fn compare<T: Hash + Eq>(old: &[T], new: &[T], part: &Change, list: &mut Vec<Change>) {
    let (old, new) = (&old[part.old.clone()], &new[part.new.clone()]);
    if old.is_empty() || new.is_empty() {
        return push(list, part.clone());
    }
    // Lines are compared often: as numbers that is quick. Where no line is on both sides, which would take the longest, nothing
    // is to be found.
    let mut numbers = HashMap::with_capacity(old.len());
    let old: Vec<usize> = old.iter().map(|line| number(&mut numbers, line)).collect();
    let only_old = numbers.len();
    let new: Vec<usize> = new.iter().map(|line| number(&mut numbers, line)).collect();
    if new.iter().all(|line| *line >= only_old) {
        return push(list, part.clone());
    }
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        let old = part.old.start + old.start..part.old.start + old.end;
        push(list, Change { old, new: part.new.start + new.start..part.new.start + new.end });
    }
}

fn number<'t, T: Hash + Eq>(numbers: &mut HashMap<&'t T, usize>, line: &'t T) -> usize {
    let next = numbers.len();
    *numbers.entry(line).or_insert(next)
}

/// Returns pairs of equal lines that occur once on either side, ascending on both: as many as possible.
fn anchors<T: Hash + Eq>(old: &[T], new: &[T], whole: &Change) -> Vec<(usize, usize)> {
    let (in_old, in_new) = (singles(old, whole.old.clone()), singles(new, whole.new.clone()));
    let pair = |at: usize| {
        let unique = in_old.get(&old[at]).copied().flatten()?;
        Some((unique, in_new.get(&old[at]).copied().flatten()?))
    };
    let pairs: Vec<(usize, usize)> = whole.old.clone().filter_map(pair).collect();
    longest_ascending(&pairs)
}

fn singles<T: Hash + Eq>(lines: &[T], range: Range<usize>) -> HashMap<&T, Option<usize>> {
    let mut places = HashMap::with_capacity(range.len());
    for at in range {
        places.entry(&lines[at]).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let at = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        before.push(at.checked_sub(1).map(|at| tails[at]));
        if at == tails.len() { tails.push(index) } else { tails[at] = index }
    }
    let mut chain: Vec<_> = std::iter::successors(tails.last().copied(), |&index| before[index])
        .map(|index| pairs[index])
        .collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rebuilt(old: &[u8], new: &[u8], changes: &[Change]) -> Vec<u8> {
        let (mut out, mut at) = (Vec::new(), 0);
        for change in changes {
            assert!(size(change) > 0);
            out.extend_from_slice(&old[at..change.old.start]);
            assert_eq!(out.len(), change.new.start);
            out.extend_from_slice(&new[change.new.clone()]);
            at = change.old.end;
        }
        out.extend_from_slice(&old[at..]);
        out
    }

    proptest! {
        #[test]
        fn changes_lead_from_old_to_new(
            old in proptest::collection::vec(0u8..12, 0..40),
            new in proptest::collection::vec(0u8..12, 0..40),
            piece in 0usize..50,
        ) {
            let list = changes_by(&old, &new, piece);
            prop_assert_eq!(rebuilt(&old, &new, &list), new);
            for pair in list.windows(2) {
                prop_assert!(pair[0].old.end < pair[1].old.start && pair[0].new.end < pair[1].new.start);
            }
        }
    }

    #[test]
    fn few_changes_in_many_lines_stay_apart() {
        let old: Vec<u32> = (0..200_000).collect();
        let mut new = old.clone();
        new[10] = 1_000_000;
        new.remove(150_000);
        let expected =
            [Change { old: 10..11, new: 10..11 }, Change { old: 150_000..150_001, new: 150_000..150_000 }];
        assert_eq!(changes(&old, &new), expected);
    }

    #[test]
    fn many_lines_without_anything_in_common_are_one_change() {
        let (old, new): (Vec<u32>, Vec<u32>) = ((0..300_000).collect(), (300_000..600_000).collect());
        assert_eq!(changes(&old, &new), [Change { old: 0..300_000, new: 0..300_000 }]);
    }

    #[test]
    fn equal_lines_many_times_over_cost_little() {
        let old: Vec<u8> = (0..300_000u32).map(|at| (at % 2) as u8).collect();
        let new: Vec<u8> = (0..300_000u32).map(|at| (at % 3 == 0) as u8).collect();
        assert_eq!(rebuilt(&old, &new, &changes(&old, &new)), new);
    }
}
