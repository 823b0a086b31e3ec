//! The question about proposals: changes that an answer shows without an edit block.
//!
//! Asked before approvals and before anything is written. Input is a plan; output are the ids of proposals that
//! were accepted and declined, never one that the question did not show.

use std::io;

use clada_protocol::{
    PlanResult, Proposal, choice_line, count_of, proposal_text, proposals_diff, proposals_text,
};

use super::keys::{PromptPlace, PromptWord};
use crate::terminal::{Prompter, Reply};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) accept: Vec<String>,
    pub(crate) decline: Vec<String>,
}

pub(crate) struct Asking<'a> {
    pub(crate) plan: &'a PlanResult,
    pub(crate) shown: &'a dyn Fn(String) -> String,
    pub(crate) rows: Option<usize>,
    pub(crate) page: &'a dyn Fn(&str) -> io::Result<()>,
}

enum VersionChoice {
    Member(usize),
    NoMember,
    Quit,
}

impl Asking<'_> {
    /// `None`: the user left, and nothing is to be applied. The same holds after an error.
    pub(crate) fn ask(&self, user: &mut dyn Prompter) -> io::Result<Option<Choice>> {
        let mut decision = Choice::default();
        let Some(mut listed) = self.choose(user, &mut decision)? else { return Ok(None) };
        if listed.is_empty() {
            return Ok(Some(decision));
        }
        self.show(user, &proposals_text(&listed))?;
        let question = match listed.len() {
            1 => "Apply it?".to_owned(),
            several => format!("Apply {}?", count_of(several, "change")),
        };
        loop {
            let parts: Vec<usize> =
                (0..listed.len()).filter(|at| self.as_whole(listed[*at]).is_some()).collect();
            let not: &[PromptWord] = if parts.is_empty() { &[PromptWord::Whole] } else { &[] };
            match PromptPlace::Proposals.ask(user, &question, not)? {
                PromptWord::Yes => {
                    decision.accept.extend(listed.iter().map(|proposal| proposal.id.clone()));
                    return Ok(Some(decision));
                }
                PromptWord::No => {
                    decision.decline.extend(listed.iter().flat_map(|proposal| self.with_versions(proposal)));
                    return Ok(Some(decision));
                }
                PromptWord::Diff => (self.page)(&proposals_diff(&listed))?,
                PromptWord::Each => return self.one_by_one(user, &listed, decision),
                PromptWord::Whole => match parts[..] {
                    [at] => {
                        listed[at] = self.as_whole(listed[at]).unwrap_or(listed[at]);
                        self.show(user, &proposal_text(listed[at]))?;
                    }
                    _ => user.show("There are several parts: i decides one by one, and has f for each.\n")?,
                },
                // No other word holds here.
                _ => return Ok(None),
            }
        }
    }

    /// No proposal is accepted without a yes of its own.
    fn one_by_one(
        &self,
        user: &mut dyn Prompter,
        listed: &[&Proposal],
        mut decision: Choice,
    ) -> io::Result<Option<Choice>> {
        for (at, proposal) in listed.iter().enumerate() {
            let mut proposal = *proposal;
            loop {
                self.show(user, &proposal_text(proposal))?;
                let question = format!("({}/{}) Apply {}?", at + 1, listed.len(), proposal.path);
                let whole = self.as_whole(proposal);
                let not: &[PromptWord] = if whole.is_none() { &[PromptWord::Whole] } else { &[] };
                match (PromptPlace::Proposal.ask(user, &question, not)?, whole) {
                    (PromptWord::Yes, _) => decision.accept.push(proposal.id.clone()),
                    (PromptWord::No, _) => decision.decline.extend(self.with_versions(proposal)),
                    (PromptWord::Whole, Some(whole)) => {
                        proposal = whole;
                        continue;
                    }
                    _ => return Ok(None),
                }
                break;
            }
        }
        Ok(Some(decision))
    }

    pub(crate) fn ask_each(&self, user: &mut dyn Prompter) -> io::Result<Option<Choice>> {
        let mut decision = Choice::default();
        let Some(listed) = self.choose(user, &mut decision)? else { return Ok(None) };
        self.one_by_one(user, &listed, decision)
    }

    /// Returns the ids of `proposal` and of the versions that it was chosen from: a version that was not chosen is
    /// declined with it.
    fn with_versions(&self, proposal: &Proposal) -> Vec<String> {
        let is_version = self.as_whole(proposal).is_none() && proposal.whole_of.is_none();
        let others = proposal.alternatives.iter().filter(|id| is_version && **id != proposal.id);
        std::iter::once(&proposal.id).chain(others).cloned().collect()
    }

    fn as_whole(&self, part: &Proposal) -> Option<&Proposal> {
        self.plan.proposals.iter().find(|other| other.whole_of.as_ref() == Some(&part.id))
    }

    fn choose(&self, user: &mut dyn Prompter, decision: &mut Choice) -> io::Result<Option<Vec<&Proposal>>> {
        let mut listed: Vec<&Proposal> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for proposal in &self.plan.proposals {
            if !proposal.is_listed() {
                continue;
            }
            if proposal.alternatives.is_empty() || self.as_whole(proposal).is_some() {
                listed.push(proposal);
                continue;
            }
            if seen.contains(&proposal.id.as_str()) {
                continue;
            }
            let is_of_it = |other: &&Proposal| proposal.alternatives.contains(&other.id);
            let members: Vec<&Proposal> = self.plan.proposals.iter().filter(is_of_it).collect();
            seen.extend(members.iter().map(|member| member.id.as_str()));
            match self.choose_one(user, &members)? {
                VersionChoice::Quit => return Ok(None),
                VersionChoice::Member(at) => listed.push(members[at]),
                VersionChoice::NoMember => {
                    decision.decline.extend(members.iter().map(|member| member.id.clone()))
                }
            }
        }
        Ok(Some(listed))
    }

    fn choose_one(&self, user: &mut dyn Prompter, members: &[&Proposal]) -> io::Result<VersionChoice> {
        let same_file = members.iter().all(|member| member.path == members[0].path);
        let mut text = match same_file {
            true => {
                format!("The answer shows {} of {}:\n", count_of(members.len(), "version"), members[0].path)
            }
            false => "The answer does not say which file this is for:\n".to_owned(),
        };
        for (at, member) in members.iter().enumerate() {
            text.push_str(&format!("  {} - {}\n", at + 1, choice_line(member)));
        }
        user.show(&(self.shown)(text))?;
        let question = format!("Which one? [1-{},N,q] ", members.len());
        loop {
            let Reply::Line(line) = user.ask(&question)? else {
                user.show("\n")?;
                return Ok(VersionChoice::Quit);
            };
            match line.trim().to_ascii_lowercase().as_str() {
                // Enter alone never applies anything.
                "" | "n" | "no" | "none" => return Ok(VersionChoice::NoMember),
                "q" | "quit" => return Ok(VersionChoice::Quit),
                number => match number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                    Some(at) if at < members.len() => return Ok(VersionChoice::Member(at)),
                    _ => user.show("A number selects one; n: none of them; q: apply nothing at all.\n")?,
                },
            }
        }
    }

    fn show(&self, user: &mut dyn Prompter, text: &str) -> io::Result<()> {
        let shown = (self.shown)(text.to_owned());
        if self.rows.is_some_and(|rows| shown.lines().count() + 2 > rows) {
            (self.page)(&shown)?;
        }
        user.show(&shown)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::Scripted;
    use super::*;
    use clada_protocol::{Attention, ProposalForm};

    fn proposal(id: &str, path: &str, alternatives: &[&str]) -> Proposal {
        Proposal {
            id: id.to_owned(),
            path: path.to_owned(),
            alternatives: alternatives.iter().map(|id| (*id).to_owned()).collect(),
            diff: format!("diff --git a/{path} b/{path}\n+{id}\n").into(),
            added: 1,
            ..Proposal::default()
        }
    }

    fn asked(plan: &PlanResult, each: bool, lines: &[&'static str]) -> (Option<Choice>, String) {
        let mut user = Scripted::new(lines);
        let asking = Asking { plan, shown: &|text| text, rows: None, page: &|_| Ok(()) };
        let decision = if each { asking.ask_each(&mut user) } else { asking.ask(&mut user) };
        (decision.unwrap(), user.shown)
    }

    fn ids(decision: &[String]) -> String {
        decision.join(",")
    }

    #[test]
    fn each_key_decides_what_it_says() {
        let proposals = vec![proposal("p1", "a", &[]), proposal("p2", "b", &[])];
        let plan = PlanResult { proposals, ..PlanResult::default() };
        for (lines, accept, decline) in [
            (&["y"][..], "p1,p2", ""),
            (&["n"], "", "p1,p2"),
            (&[""], "", "p1,p2"),
            (&["d", "y"], "p1,p2", ""),
            (&["what", "y"], "p1,p2", ""),
            (&["i", "y", "n"], "p1", "p2"),
            (&["i", "", "y"], "p2", "p1"),
        ] {
            let decision = asked(&plan, false, lines).0.unwrap();
            assert_eq!((&*ids(&decision.accept), &*ids(&decision.decline)), (accept, decline), "{lines:?}");
        }
        for lines in
            [&["q"][..], &["\u{3}"], &["\u{4}"], &["i", "y", "q"], &["i", "y", "\u{3}"], &["i", "\u{4}"]]
        {
            assert_eq!(asked(&plan, false, lines).0, None, "{lines:?}");
        }
        let each = asked(&plan, true, &["n", "y"]).0.unwrap();
        assert_eq!((&*ids(&each.accept), &*ids(&each.decline)), ("p2", "p1"));
    }

    #[test]
    fn a_part_is_taken_as_the_whole_file_only_after_that_was_shown() {
        let both = ["p1", "p3"];
        let part = Proposal { form: ProposalForm::Part, ..proposal("p1", "a", &both) };
        let whole = Proposal { whole_of: Some("p1".to_owned()), ..proposal("p3", "a", &both) };
        let plan =
            PlanResult { proposals: vec![part, proposal("p2", "b", &[]), whole], ..PlanResult::default() };
        for (lines, accept, decline, shows) in [
            (&["y"][..], "p1,p2", "", false),
            (&["n"], "", "p1,p2", false),
            (&["f", "y"], "p3,p2", "", true),
            (&["f", "n"], "", "p3,p2", true),
            (&["i", "y", "n"], "p1", "p2", false),
            (&["i", "f", "y", "y"], "p3,p2", "", true),
            (&["i", "f", "n", "f", "y"], "p2", "p3", true),
        ] {
            let (decision, shown) = asked(&plan, false, lines);
            let decision = decision.unwrap();
            assert_eq!((&*ids(&decision.accept), &*ids(&decision.decline)), (accept, decline), "{lines:?}");
            assert_eq!(shown.contains("+p3\n"), shows, "{lines:?} {shown}");
        }
    }

    #[test]
    fn a_choice_comes_first_and_one_key_never_takes_what_was_not_chosen() {
        let both = ["p1", "p2"];
        let proposals =
            vec![proposal("p1", "a", &both), proposal("p2", "a", &both), proposal("p3", "b", &[])];
        let plan = PlanResult { proposals, ..PlanResult::default() };
        for (lines, accept, decline) in
            [(&["2", "y"][..], "p2,p3", ""), (&["", "y"], "p3", "p1,p2"), (&["3", "1", "n"], "", "p1,p2,p3")]
        {
            let decision = asked(&plan, false, lines).0.unwrap();
            assert_eq!((&*ids(&decision.accept), &*ids(&decision.decline)), (accept, decline), "{lines:?}");
        }
        assert_eq!(asked(&plan, false, &["q"]).0, None);
    }

    #[test]
    fn what_needs_attention_is_shown_with_its_diff_however_much_there_is() {
        let mut large = proposal("p1", "large", &[]);
        large.added = 1_000;
        let mut guessed = proposal("p2", "guessed", &[]);
        guessed.attention = vec![Attention::Guessed];
        guessed.added = 1_000;
        let plan = PlanResult { proposals: vec![large, guessed], ..PlanResult::default() };
        let shown = asked(&plan, false, &["n"]).1;
        assert!(shown.contains("+p2\n") && shown.contains("the file is guessed"), "{shown}");
        assert!(!shown.contains("+p1\n") && shown.contains("large"), "{shown}");
    }

    #[test]
    fn regression_lines_that_go_are_shown_however_much_there_is() {
        let mut loses = proposal("p1", "loses", &[]);
        (loses.added, loses.removed) = (1_000, 1);
        let mut noted = proposal("p2", "noted", &[]);
        (noted.added, noted.notes) = (1_000, vec!["It has no `f` any more.".to_owned()]);
        let mut gains = proposal("p3", "gains", &[]);
        gains.added = 1_000;
        let plan = PlanResult { proposals: vec![gains, loses, noted], ..PlanResult::default() };
        let shown = asked(&plan, false, &["n"]).1;
        assert!(
            shown.contains("+p1\n") && shown.contains("+p2\n") && shown.contains("has no `f`"),
            "{shown}"
        );
        assert!(!shown.contains("+p3\n"), "{shown}");
    }
}
