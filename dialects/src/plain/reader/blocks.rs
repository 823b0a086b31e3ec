//! Blocks of dialects: what the headings and lines around one make of it.
//!
//! What a model was taught to write is an edit by itself, so that only words against it, or for some readers alone, count.

use std::ops::Range;

use super::Reader;
use crate::fence::Fence;
use crate::plain::above::ProseLine;
use crate::plain::content::cut;
use crate::plain::found_block::{BlockStanding, FoundBlock, Withheld};
use crate::plain::lead::{self, Lead};
use crate::plain::{NoteKind, below, history, retraction, standing};

// The lines below a block that may speak of it.
const BELOW: usize = 4;
// The most words of a label that only names a file.
const LABEL: usize = 5;

const OF_OTHERS: &str = "The words around this edit say that it is history, rejected, or somebody else's";

impl<'a> Reader<'a> {
    // Records the blocks with these `numbers`, which the cursor has passed.
    pub(super) fn pass_blocks(&mut self, numbers: Range<usize>) {
        if numbers.is_empty() {
            return;
        }
        let (lead, words) = self.block_lead();
        self.block_lead = Some((lead, words.clone()));
        let project_level = self.above.project_level();
        let block =
            |number| FoundBlock { number, lead, words: words.clone(), is_taken_back: false, project_level };
        let read = numbers.filter(|number| *number < self.all_blocks.len());
        self.blocks.extend(read.map(block));
    }

    // Returns what the words around the block that was just passed make of it, and those words.
    fn block_lead(&self) -> (Lead, String) {
        // What speaks about a block is above the names of its file.
        let is_name = |prose: &&ProseLine<'a>| !prose.line.text.trim().contains(' ') && prose.names_file();
        let mut near = self.above.near().filter(|prose| !is_name(prose));
        let nearest = near.next();
        if nearest.is_none()
            && let Some(last) = self.block_lead.as_ref().filter(|(lead, _)| *lead > Lead::Open)
        {
            return last.clone();
        }
        let line = nearest.map_or("", |prose| prose.line.text.trim());
        let below = self.line_below_block();
        let mut says = vec![(of_line_above(line), line), (of_line_below(below), below)];
        // "In `a.py`:"
        if nearest.is_some_and(|prose| prose.names_file() && line.split_whitespace().count() <= LABEL)
            && let Some(next) = near.next()
        {
            says.push((standing::of_lead_in(next.line.text), next.line.text));
        }
        says.extend(self.above.headings().map(|prose| (self.above.of_heading(prose), prose.line.text)));
        let intro = self.above.intro().map(|prose| prose.line.text);
        says.extend(intro.map(|line| (standing::of_lead_in(line).min(Lead::Condition), line)));
        let (lead, words) = says.into_iter().rev().max_by_key(|(lead, _)| *lead).unwrap_or_default();
        let words = if lead > Lead::Open { cut(words.trim()).to_owned() } else { String::new() };
        (lead, words)
    }

    fn line_below_block(&self) -> &'a str {
        let mut ahead = self.cursor.clone();
        let lines = std::iter::from_fn(|| ahead.next_line().filter(|line| line.start < self.limit()));
        let mut texts = lines.take(BELOW).map(|line| line.text.trim());
        texts.find(|text| !text.is_empty() && Fence::read(text).is_none()).unwrap_or_default()
    }

    // Returns the blocks that are not applied, with the notes about them.
    pub(super) fn standings(&mut self) -> Vec<BlockStanding> {
        let mut blocks = std::mem::take(&mut self.blocks);
        // "In this repository" may stand below what is for another one.
        for block in blocks.iter_mut().filter(|block| self.above.is_level_of_own(block.project_level)) {
            block.lead = block.lead.max(Lead::Report);
        }
        let mut standings = Vec::new();
        for block in blocks.into_iter().filter(|block| block.lead > Lead::Open || block.is_taken_back) {
            let verdict = match block.lead {
                _ if block.is_taken_back => Withheld::Noted,
                Lead::Against => Withheld::Passed("advised against, or a sample,"),
                Lead::Report => Withheld::Named(OF_OTHERS),
                Lead::Condition | Lead::Open => Withheld::Question,
            };
            let kind = if block.is_taken_back { NoteKind::TakenBack } else { NoteKind::NotMeant };
            if matches!(verdict, Withheld::Noted | Withheld::Passed(_)) {
                let claimed = &self.all_blocks[block.number];
                self.note_words(claimed.lines.clone(), kind, claimed.paths.first().cloned(), &block.words);
            }
            standings.push(BlockStanding { number: block.number, words: block.words, verdict });
        }
        standings
    }
}

fn of_line_above(line: &str) -> Lead {
    let last = lead::last_sentence(line);
    let leaves_all = !lead::is_asked_for(last) && below::says_verdict(&line[..line.len() - last.len()]);
    let is_report = history::tells(line) || below::leaves_all(line) || leaves_all;
    let reported = if is_report { Lead::Report } else { Lead::Open };
    lead::of_line_above_block(line).max(reported).max(standing::of_lead_in(line))
}

fn of_line_below(line: &str) -> Lead {
    // What names what it takes back says nothing of the nearest.
    if retraction::names(line) {
        return Lead::Open;
    }
    let reported = if lead::was_rejected(line) { Lead::Report } else { Lead::Open };
    lead::of_line_below_block(line).max(reported).max(standing::of_line_below(line))
}
