//! The groups of paths that a candidate may mean (spec: plain, section 3).

use super::above::{Above, Kind, ProseLine};
use super::language::fits_language;
use super::mention::{self, LocatedMention, MentionMark};
use super::{Group, Mention, Place, comment, lead, path, words};
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
    let folder = folder(line.text, located);
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
    for (index, prose) in near.iter().enumerate() {
        // A list of files names none of them for the fence below it.
        let item =
            |prose: Option<&&ProseLine<'_>>| prose.is_some_and(|prose| is_item(prose) && prose.names_file());
        let listed = is_item(prose) && (item(near.get(index + 1)) || index > 0 && item(near.get(index - 1)));
        let label = index == 0 && !(listed && is_plain_item(prose)) || prose.kind() != Kind::Text && !listed;
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
    let heading = above.headings().next().and_then(|heading| only_word(heading.line.text));
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

/// The folder that the words around a bare name give: "`a.cs` in Assets/Core".
fn folder(line: &str, located: &[LocatedMention]) -> Option<String> {
    if located.iter().any(|one| one.mention.path.contains('/') && one.shape == super::path::Shape::Path) {
        return None;
    }
    const BEFORE: &[&str] = &[
        "in",
        "under",
        "inside",
        "within",
        "into",
        "to",
        "im",
        "unter",
        "dans",
        "sous",
        "en",
        "bajo",
        "dentro",
        "em",
        "nella",
        "w",
        "v",
        "в",
        "di",
        "trong",
        "folder",
        "directory",
        "ordner",
        "dossier",
        "carpeta",
        "pasta",
        "cartella",
        "папке",
        "the",
        "den",
        "dem",
        "le",
        "la",
        "el",
        "a",
        "your",
        "目录",
        "在",
    ];
    // Words that go on behind a folder.
    const AFTER: &[&str] = &[
        "and", "or", "with", "for", "so", "that", "to", "as", "which", "where", "next", "named", "called",
        "using", "by", "create", "add", "update", "modify", "change", "edit", "open", "there", "is", "under",
        "und", "mit", "et", "avec", "y", "con", "e", "com", "и",
    ];
    const KINDS: &[&str] = &[
        "folder",
        "directory",
        "ordner",
        "verzeichnis",
        "dossier",
        "carpeta",
        "directorio",
        "pasta",
        "cartella",
    ];
    // An article stands behind a word for a place: "a navbar/header" is none.
    const ARTICLES: &[&str] = &["the", "den", "dem", "le", "la", "el", "a", "your"];
    let (mut last, mut is_place) = ("", false);
    let words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '*' | '"' | '，' | '。' | '：'));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let text = word.trim_end_matches([':', '.', ',', ';']);
        let plain =
            text.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '[' | ']' | '@'));
        let is_folder = text.contains('/')
            && plain
            && !text.starts_with('/')
            && !text.contains("//")
            && crate::file_name::extension_of(text).is_none();
        // "CSS/Tailwind tokens" are tokens.
        let next = words.peek().map_or("", |next| next.trim_end_matches([':', '.', ',', ';']));
        let is_noun = text.len() < word.len()
            || next.is_empty()
            || !next.starts_with(|c: char| c.is_ascii_lowercase())
            || next.contains(['/', '.'])
            || KINDS.contains(&next)
            || AFTER.contains(&next);
        if is_folder && is_noun && is_place {
            return Some(text.trim_start_matches("./").to_owned());
        }
        // "in agent directory", "in the `agent` folder": whether there is one the files say.
        let is_named = KINDS.iter().any(|kind| kind.eq_ignore_ascii_case(text))
            && last.len() > 1
            && !BEFORE.contains(&&*last.to_lowercase())
            && last.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if is_named {
            let is_marked =
                ["`", "\"", "**"].iter().any(|mark| line.contains(&format!("{mark}{last}{mark}")));
            return Some(format!("{last}{}", if is_marked { "/" } else { "" }));
        }
        let lower = text.to_lowercase();
        is_place = BEFORE.contains(&&*lower) && (is_place || !ARTICLES.contains(&&*lower));
        last = text;
    }
    None
}
