//! The prose above a place of an answer, as far as it may name a file, and what it says of a candidate there.
//!
//! Keeps the lines since the last fence, the label that still holds from before it, and the headings around.
//! Bounded, whatever the answer is.

use std::cell::OnceCell;
use std::collections::VecDeque;

use super::history;
use super::lead::{self, Lead, Subject};
use super::mention::{self, LocatedMention};
use super::project::{self, Project};
use super::standing;
use super::words;
use crate::cursor::Line;
use crate::file_name::list_item;

const MOST: usize = 14;
// The most lines, and headings, that say something of a candidate.
const LEADING: usize = 12;
const SENTENCE: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of a level from 1 to 6.
    Heading(usize),
    /// A line that is bold, an item of a list, ends in a colon, or stands between rules.
    Label,
    Text,
}

/// A line of prose. Several fences ask the same of it, so that it keeps what was computed.
#[derive(Debug, Clone)]
pub(super) struct ProseLine<'a> {
    pub(super) line: Line<'a>,
    kind: OnceCell<Kind>,
    mentions: OnceCell<Vec<LocatedMention>>,
    is_option: OnceCell<bool>,
    // By their subject.
    leads: [OnceCell<Lead>; 2],
    is_wanted: [OnceCell<bool>; 2],
    section: OnceCell<Lead>,
}

impl<'a> ProseLine<'a> {
    fn new(line: Line<'a>) -> ProseLine<'a> {
        ProseLine {
            line,
            kind: OnceCell::new(),
            mentions: OnceCell::new(),
            is_option: OnceCell::new(),
            leads: Default::default(),
            is_wanted: Default::default(),
            section: OnceCell::new(),
        }
    }

    pub(super) fn lead(&self, subject: Subject) -> Lead {
        let read = || {
            let (line, lead) = (self.line.text, lead::of_line(self.line.text, subject));
            let tells = lead::ends_in_colon(line) && history::tells(line);
            let lead = lead.max(standing::of_lead_in(line));
            if tells { lead.max(Lead::Report) } else { lead }
        };
        *self.leads[subject as usize].get_or_init(read)
    }

    pub(super) fn is_wanted(&self, subject: Subject) -> bool {
        *self.is_wanted[subject as usize].get_or_init(|| lead::is_wanted(self.line.text, subject))
    }

    pub(super) fn section(&self) -> Lead {
        *self.section.get_or_init(|| lead::of_section(self.line.text))
    }

    // Returns what this line, above several sections, says of each; `states` if a line of prose states it.
    fn of_each(&self, states: bool, subject: Subject) -> Lead {
        let (line, lead) = (self.line.text, self.lead(subject));
        let is_elsewhere = lead::is_for_readers(line) || words::is_elsewhere(line);
        if is_elsewhere || states && !self.is_wanted(Subject::Deed) {
            return lead.max(Lead::Condition);
        }
        // Of code the label right above says more.
        if subject == Subject::Code { lead.min(Lead::Condition) } else { lead }
    }

    pub(super) fn kind(&self) -> Kind {
        *self.kind.get_or_init(|| kind(self.line.text.trim()))
    }

    pub(super) fn mentions(&self) -> &[LocatedMention] {
        self.mentions.get_or_init(|| mention::in_line(self.line.text, true))
    }

    pub(super) fn names_file(&self) -> bool {
        self.mentions().iter().any(|one| one.mention.sure && !one.mention.aside)
    }

    pub(super) fn is_option(&self) -> bool {
        *self.is_option.get_or_init(|| self.line.text.len() <= SENTENCE && words::is_option(self.line.text))
    }
}

#[derive(Debug, Default)]
pub(super) struct Above<'a> {
    /// The lines that are not blank since the last fence or block, the nearest first.
    near: VecDeque<ProseLine<'a>>,
    /// The same before that fence, back to the last heading; with each, whether it was right above a fence.
    far: VecDeque<(ProseLine<'a>, bool)>,
    /// The headings that hold, from the outermost on.
    headings: Vec<ProseLine<'a>>,
    intro: Option<Introduction<'a>>,
    // The level of the last heading that says "in this repository".
    own: Option<usize>,
}

// A line that leads to several sections: "What the merge did:" above "### Deleted file: `a.py`".
#[derive(Debug)]
struct Introduction<'a> {
    prose: ProseLine<'a>,
    sections: SectionStart,
}

// What stands above each section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionStart {
    Heading(usize),
    Bold,
    // One section between two rules.
    Rule,
}

impl<'a> Above<'a> {
    pub(super) fn line(&mut self, line: Line<'a>) {
        let text = line.text.trim_ascii();
        if text.is_empty() {
            return;
        }
        if is_rule(text) {
            self.begin_section(SectionStart::Rule);
            return;
        }
        let prose = ProseLine::new(line);
        if text.starts_with("**") {
            self.begin_section(SectionStart::Bold);
        }
        // Only headings matter before something stands below them.
        if text.starts_with('#')
            && let Kind::Heading(level) = prose.kind()
        {
            self.begin_section(SectionStart::Heading(level));
            self.headings.retain(|other| matches!(other.kind(), Kind::Heading(above) if above < level));
            self.headings.push(prose.clone());
            if standing::is_of_this_project(text) {
                self.own = Some(level);
            }
            self.far.clear();
            self.near.clear();
        }
        self.near.push_front(prose);
        self.near.truncate(MOST);
    }

    // Passes over `line`, which states something and leads to nothing, but may begin a section.
    pub(super) fn pass_statement(&mut self, line: Line<'a>) {
        match kind(line.text.trim()) {
            Kind::Heading(level) => self.begin_section(SectionStart::Heading(level)),
            Kind::Label if line.text.trim_start().starts_with("**") => self.begin_section(SectionStart::Bold),
            _ => {}
        }
    }

    // Takes the line above a section for one that leads to all of its like, and drops the one that leads to other ones.
    fn begin_section(&mut self, section: SectionStart) {
        let leads = |prose: &&ProseLine<'_>| {
            let text = prose.line.text;
            let is_plain = prose.kind() == Kind::Text
                || lead::ends_in_colon(text) && !text.trim_start().starts_with(['*', '#']);
            is_plain
                && crate::file_name::list_item(text.trim()).is_none()
                && (lead::ends_in_colon(text) || lead::is_for_readers(text))
                && !prose.names_file()
        };
        if let Some(prose) = self.near.front().filter(leads) {
            self.intro = Some(Introduction { prose: prose.clone(), sections: section });
            return;
        }
        let ends = |intro: &Introduction<'_>| match (intro.sections, section) {
            (SectionStart::Heading(first), SectionStart::Heading(level)) => level < first,
            (SectionStart::Bold, SectionStart::Heading(_)) | (SectionStart::Rule, SectionStart::Rule) => true,
            _ => false,
        };
        if self.intro.as_ref().is_some_and(ends) {
            self.intro = None;
        }
    }

    // Returns the line that leads to the section that holds.
    pub(super) fn intro(&self) -> Option<&ProseLine<'a>> {
        self.intro.as_ref().map(|intro| &intro.prose)
    }

    pub(super) fn pass(&mut self) {
        while let Some(prose) = self.near.pop_back() {
            self.far.push_front((prose, self.near.is_empty()));
        }
        self.far.truncate(MOST);
    }

    pub(super) fn near(&self) -> impl Iterator<Item = &ProseLine<'a>> {
        self.near.iter()
    }

    pub(super) fn far(&self) -> impl Iterator<Item = &ProseLine<'a>> {
        self.far.iter().map(|(prose, _)| prose)
    }

    /// Returns true if the line `index` of [`Above::far`] was right above a fence.
    pub(super) fn was_label(&self, index: usize) -> bool {
        self.far.get(index).is_some_and(|(_, label)| *label)
    }

    /// Returns true if `prose` is one of the lines since the last fence, or before it.
    pub(super) fn is_near(&self, prose: &ProseLine<'_>) -> bool {
        let is = |other: &ProseLine<'_>| other.line.number == prose.line.number;
        self.near().any(is) || self.far().any(is)
    }

    /// The headings that hold, the innermost first.
    pub(super) fn headings(&self) -> impl Iterator<Item = &ProseLine<'a>> {
        self.headings.iter().rev()
    }

    pub(super) fn nearest(&self) -> Option<&ProseLine<'a>> {
        self.near.front()
    }

    // Returns what `heading`, which holds, makes of what is below it. One that names a project is of another one beside "In this
    // repository".
    pub(super) fn of_heading(&self, heading: &ProseLine<'_>) -> Lead {
        if self.names_other_project(heading) {
            return Lead::Report;
        }
        standing::of_heading(heading.line.text)
    }

    fn names_other_project(&self, heading: &ProseLine<'_>) -> bool {
        match project::of_heading(heading.line.text) {
            Some(Project::Other) => true,
            Some(Project::Named) => {
                self.own.is_some_and(|level| heading.kind() == Kind::Heading(level))
                    && !standing::is_of_this_project(heading.line.text)
            }
            None => false,
        }
    }

    // Returns the level of the heading that holds and names a project, which may be this one.
    pub(super) fn project_level(&self) -> Option<usize> {
        let is_named = |heading: &&ProseLine<'_>| {
            project::of_heading(heading.line.text) == Some(Project::Named)
                && !standing::is_of_this_project(heading.line.text)
        };
        match self.headings().find(is_named)?.kind() {
            Kind::Heading(level) => Some(level),
            _ => None,
        }
    }

    // Returns true if a heading of this `level` says "in this repository".
    pub(super) fn is_level_of_own(&self, level: Option<usize>) -> bool {
        level.is_some() && level == self.own
    }

    // Returns true if a heading that holds puts what is below it into another project.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.headings().any(|heading| self.names_other_project(heading))
    }

    /// Returns what the lines above a candidate say of it. `own` is its sentence, if it is one of prose; `line` its line.
    pub(super) fn lead(&self, own: Option<(&str, &str)>, subject: Subject) -> Lead {
        if let Some((sentence, line)) = own {
            return self.lead_from(lead::of_statement(sentence, subject), Some(line), None, subject);
        }
        let nearest = self.near().chain(self.far()).next();
        let lead = nearest.map_or(Lead::Open, |prose| prose.lead(subject));
        self.lead_from(lead, nearest.map(|prose| prose.line.text), nearest, subject)
    }

    /// Returns what the lines say to which the nearest one belongs: "Do not do this:" above "Before:".
    pub(super) fn lead_around(&self, subject: Subject) -> Lead {
        let nearest = self.nearest();
        self.lead_from(Lead::Open, nearest.map(|prose| prose.line.text), nearest, subject)
    }

    // Goes on from `line`, which says `lead`: a statement, or the `nearest` line.
    fn lead_from(
        &self,
        mut lead: Lead,
        line: Option<&str>,
        nearest: Option<&ProseLine<'a>>,
        subject: Subject,
    ) -> Lead {
        let states = nearest.is_none() && line.is_some();
        // A label above an earlier fence belongs to that.
        let far = self.far().enumerate().map(|(at, prose)| (prose, self.was_label(at)));
        let lines = self.near().map(|prose| (prose, false)).chain(far).take(LEADING);
        let lines = lines.skip(usize::from(nearest.is_some()));
        let mut below = nearest;
        let mut item = line.and_then(indentation);
        let near = self.near().count()
            - usize::from(
                nearest.is_some_and(|prose| self.near().any(|near| near.line.number == prose.line.number)),
            );
        for (at, (prose, labels)) in lines.enumerate() {
            let line = prose.line.text;
            if at >= near && (item.is_none() || labels && indentation(line).is_none()) {
                break;
            }
            match indentation(line) {
                // An item beside it, or below the one beside it.
                Some(other) if item.is_some_and(|item| other >= item) => continue,
                other if lead::ends_in_colon(line) || lead::is_bold(line) => {
                    lead = lead.max(prose.lead(subject));
                    // Above the label of code, it says what is done; "Before:" is the label of other code.
                    // An order needs nobody who wants it, and what its heading says counts below.
                    let is_heading = matches!(prose.kind(), Kind::Heading(_));
                    let is_order = |below: &ProseLine<'_>| {
                        lead::is_asked_for(below.line.text)
                            && (item.is_none() || is_heading || lead::addresses(line))
                            || subject == Subject::Code && is_heading && below.names_file()
                    };
                    let leads = !labels && !words::is_old_heading(line);
                    if leads && !prose.is_wanted(Subject::Deed) && !below.is_some_and(is_order) {
                        lead = lead.max(Lead::Condition);
                    }
                    (item, below) = (other, Some(prose));
                }
                _ => break,
            }
        }
        let of_heading = |prose: &ProseLine<'_>| {
            let section = prose.section().max(self.of_heading(prose));
            match subject {
                Subject::Code => section,
                Subject::Deed => section.max(history::of_heading(prose.line.text)),
            }
        };
        let headings = self.headings().take(LEADING).map(|prose| prose.lead(subject).max(of_heading(prose)));
        let lead = lead.max(headings.max().unwrap_or_default());
        self.intro().map_or(lead, |intro| lead.max(intro.of_each(states, subject)))
    }
}

fn indentation(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let marked = list_item(text.trim()).is_some() || text.starts_with(['❌', '✅', '🚫', '•', '|']);
    marked.then_some(line.len() - text.len())
}

fn kind(text: &str) -> Kind {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&hashes) && text[hashes..].starts_with([' ', '\t']) {
        return Kind::Heading(hashes);
    }
    let bold = text.starts_with("**") || text.starts_with("__");
    let item = list_item(text).is_some();
    let colon = text.trim_end_matches(['*', '_', '`', ' ']).ends_with([':', '：']);
    let ruled =
        text.starts_with("==") && text.ends_with("==") || text.starts_with("--- ") && text.ends_with(" ---");
    let summary = text.starts_with("<summary") || text.starts_with("<h");
    if bold || item || colon || ruled || summary { Kind::Label } else { Kind::Text }
}

/// Returns true if `text` is a rule between parts of an answer.
fn is_rule(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3 && matches!(bytes[0], b'-' | b'*' | b'_') && bytes.iter().all(|byte| *byte == bytes[0])
}
