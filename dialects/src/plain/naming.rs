//! The groups of paths that a candidate may mean (spec: plain, section 3).

use super::above::{Above, Kind, ProseLine};
use super::language::fits_language;
use super::mention::{self, LocatedMention, MentionMark};
use super::{Group, Mention, Place, comment, folder, lead, path, words};
use crate::cursor::Line;
use crate::file_name::base;

pub(super) const MOST: usize = 12;

/// Returns the group of the mentions that `line` has at `place`, for a fence in `language`; `None` if it has
/// none.
pub(super) fn group(line: &Line<'_>, place: Place, language: &str, held: bool) -> Option<Group> {
    group_of(line, &mention::in_line(line.text, true), place, language, held)
}

// Returns the group of `prose` as a label, if it names exactly one file.
pub(super) fn of_label(prose: &ProseLine<'_>) -> Option<Group> {
    let group = group_of(&prose.line, prose.mentions(), Place::Label, "", false)?;
    group.sure_path().is_some().then_some(group)
}

/// The same, where `located` are the mentions of `line` as a label.
fn group_of(
    line: &Line<'_>,
    located: &[LocatedMention],
    place: Place,
    language: &str,
    held: bool,
) -> Option<Group> {
    if located.is_empty() {
        return None;
    }
    // "Merge `a.py` into `b.py`. Append this to `b.py`:" leads to code by its last sentence.
    let start = line.text.len() - lead::last_sentence(line.text).len();
    let last = located.iter().position(|one| one.at.start >= start).unwrap_or(located.len());
    let decides = |one: &LocatedMention| one.mention.sure && !one.mention.aside;
    let located =
        if place == Place::Label && located[last..].iter().any(decides) { &located[last..] } else { located };
    let folder = folder::of_name(line.text, located);
    let is_sure =
        |one: &LocatedMention| one.mention.sure && (place == Place::Label || one.mark > MentionMark::Bare);
    let first = located.iter().find(|one| is_sure(one) && !one.mention.aside);
    let new = first.is_some_and(|one| words::is_new(&line.text[..one.at.start], &line.text[one.at.end..]));
    let mut mentions: Vec<Mention> = Vec::with_capacity(located.len());
    for LocatedMention { mention, mark, .. } in located {
        let mut mention = mention.clone();
        mention.sure &= place == Place::Label || *mark > MentionMark::Bare;
        // "## makefile" above such a fence is the name of its language.
        let is_language = *mark == MentionMark::Bare && mention.path == language;
        mention.aside |= is_language || !fits_language(language, &mention.path);
        if let Some(path) = full_path(line.text, &mention.path, located) {
            mention.path = path.to_owned();
        }
        match mentions.iter_mut().find(|other| other.path == mention.path) {
            Some(other) => {
                other.sure |= mention.sure;
                other.aside &= mention.aside;
            }
            None => mentions.push(mention),
        }
    }
    Some(Group { place, line: line.number, mentions, folder, heading: None, new, held })
}

/// Returns the groups of the prose in `above` and of the comment `naming` at the top of the fence, the one that
/// decides first first; `language` is that of the fence.
pub(super) fn groups(
    above: &Above<'_>,
    language: &str,
    naming: Option<(&comment::Naming, u32)>,
) -> Vec<Group> {
    let (mut labels, mut held, mut sentences) = (Vec::new(), Vec::new(), Vec::<Group>::new());
    // What stands above a question to the user names nothing below it.
    let question = above.near().position(|prose| words::asks_leave(prose.line.text));
    let near: Vec<&ProseLine<'_>> = above.near().take(question.map_or(usize::MAX, |at| at + 1)).collect();
    let is_over = question.is_some();
    let mut list = None;
    // Below a heading that is a link to its file alone, sentences say what is changed there, whatever they name.
    let linked = near.iter().find_map(|prose| linked(prose));
    for (index, prose) in near.iter().enumerate() {
        // A list of files names none of them for the fence below it.
        let item =
            |prose: Option<&&ProseLine<'_>>| prose.is_some_and(|prose| is_item(prose) && prose.names_file());
        let listed = is_item(prose) && (item(near.get(index + 1)) || index > 0 && item(near.get(index - 1)));
        let is_other = |name: &str| prose.mentions().iter().all(|one| base(&one.mention.path) != name);
        let is_sentence = prose.kind() == Kind::Text && linked.is_some_and(is_other);
        let label = index == 0 && !is_sentence && !(listed && is_plain_item(prose))
            || prose.kind() != Kind::Text && !listed;
        let place = if label { Place::Label } else { Place::Sentence };
        // A heading names its file across prose; another label only near the fence.
        let Some(mut group) = group_of(&prose.line, prose.mentions(), place, language, false) else {
            continue;
        };
        let form = words::is_file_label(prose.line.text);
        match place {
            Place::Label => labels.push((!form, group)),
            // One place, so that two files in it are a choice.
            _ if listed && list == Some(index) => {
                if let Some(last) = sentences.last_mut() {
                    last.mentions.append(&mut group.mentions);
                }
            }
            _ => sentences.push(group),
        }
        list = listed.then_some(index + 1);
    }
    for (distance, prose) in above.far().enumerate().filter(|_| !is_over) {
        let label = prose.kind() != Kind::Text || above.was_label(distance);
        let place = if label { Place::Label } else { Place::Sentence };
        held.extend(group_of(&prose.line, prose.mentions(), place, language, true));
    }
    for prose in above.headings().filter(|prose| !is_over && !above.is_near(prose)) {
        held.extend(group_of(&prose.line, prose.mentions(), Place::Label, language, true));
    }
    labels.sort_by_key(|(other, _)| *other);
    let mut groups: Vec<Group> = labels.into_iter().map(|(_, group)| group).collect();
    // The comment in the fence gives the folder of a bare name above it.
    if let Some((naming, _)) = naming.filter(|(naming, _)| naming.sure && naming.path.contains('/')) {
        let is_bare = |mention: &&mut Mention| base(&naming.path) == mention.path;
        let mentions = groups.iter_mut().chain(&mut held).flat_map(|group| &mut group.mentions);
        mentions.filter(is_bare).for_each(|mention| mention.path.clone_from(&naming.path));
    }
    groups.extend(naming.map(|(naming, line)| comment::group(naming, line)));
    let (held, far): (Vec<Group>, Vec<Group>) =
        held.into_iter().partition(|group| group.place == Place::Label);
    groups.extend(held);
    groups.extend(sentences);
    groups.extend(far);
    groups.truncate(MOST);
    let heading = above.headings().find(|heading| !heading.names_file());
    let heading = heading.and_then(|heading| only_word(heading.line.text));
    groups.iter_mut().for_each(|group| group.heading.clone_from(&heading));
    groups
}

// Takes the one path without an extension that a label of a script gives for a file: "Create `.husky/pre-commit`:".
// A script shows itself by its first line, or by words that make or change it.
pub(super) fn settle_script(groups: &mut [Group], content: &str, is_shell: bool, sentence: &str) {
    let Some(group) = groups.iter_mut().find(|group| !group.held && group.place == Place::Label) else {
        return;
    };
    let is_meant = content.starts_with("#!")
        || is_shell
            && (words::is_new(sentence, "") || words::adds(sentence) || words::updates(sentence))
            && !words::is_run(sentence);
    let mut meant = group.mentions.iter_mut().filter(|mention| !mention.aside);
    if let (Some(only), None) = (meant.next(), meant.next())
        && is_meant
        && only.path.contains('/')
        && path::is_given(&only.path)
        && crate::file_name::extension(crate::file_name::base(&only.path)).is_none()
    {
        only.sure = true;
    }
}

/// Returns the group of the sentence `below` a fence, if it gives the file.
pub(super) fn below(below: &Line<'_>, language: &str) -> Option<Group> {
    if !words::saves(below.text) || below.text.trim_start().starts_with('#') {
        return None;
    }
    let mut group = group(below, Place::Below, language, false)?;
    // Nothing above named it, so the sentence alone is a label.
    let sure = mention::in_line(below.text, true);
    for mention in &mut group.mentions {
        mention.sure |= sure.iter().any(|one| one.mention.path == mention.path && one.mention.sure);
    }
    group.sure_path().is_some().then_some(group)
}

// Returns the path in parentheses that ends with `name`: "the worker's `.gitignore` (`worker/.gitignore`)".
fn full_path<'l>(line: &str, name: &str, located: &'l [LocatedMention]) -> Option<&'l str> {
    let is_it = |one: &&LocatedMention| {
        let folder = one.mention.path.strip_suffix(name);
        folder.is_some_and(|folder| folder.ends_with('/')) && line[..one.at.start].ends_with(['(', '（'])
    };
    located.iter().find(is_it).map(|one| &*one.mention.path)
}

// Returns the name of the file of `prose`, a heading that is a link to it and nothing else: "### [a.php](php/a.php)".
fn linked<'p>(prose: &'p ProseLine<'_>) -> Option<&'p str> {
    let line = prose.line.text.trim();
    let text = line.trim_start_matches('#');
    let [only] = prose.mentions() else { return None };
    let is_link = text.len() < line.len() && only.linked && text.trim().len() <= only.at.len();
    is_link.then(|| base(&only.mention.path))
}

fn is_item(prose: &ProseLine<'_>) -> bool {
    crate::file_name::list_item(prose.line.text.trim()).is_some()
}

/// Returns true if `prose`, an item, does not lead to what is below it.
fn is_plain_item(prose: &ProseLine<'_>) -> bool {
    !prose.line.text.trim_end_matches(['*', ' ', '`']).ends_with([':', '：'])
}

// The one word of a heading, which may be a folder's name: "### 3. **iOS**".
fn only_word(heading: &str) -> Option<String> {
    let words = heading.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    let mut words = words.filter(|word| word.contains(char::is_alphabetic));
    let first = words.next()?;
    words.next().is_none().then(|| first.to_owned())
}
