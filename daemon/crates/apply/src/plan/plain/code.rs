//! What a candidate becomes once its file is known: a draft of all of the file, an edit of a part, a notice, or nothing.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use clada_dialects::plain::{Candidate, Form, Place, fits_language};
use clada_protocol::{Attention, NamedBy, NotRead, ProposalForm};

use super::content::{outside_fences, shared_lines};
use super::copied;
use super::files::{EntryKind, ProjectFiles};
use super::heads::definitions;
use super::merging::{PlainEdits, about_placeholder, name_of_placeholder, sets_placeholder};
use super::new_file::{CODE, NewFile, NewFileKind, begins_a_file};
use super::notation::edit_signs;
use super::removing;
use super::signed;
use super::tied::{BlockUse, BoundCandidate, Tied};
use super::types;
use super::versions::Draft;
use super::which::FileTarget;
use super::whole::{CodeExtent, extent, lacks_beginning, new_is_cut_off};
use super::words;
use crate::plan::broken::broken;
use crate::plan::guard::{elision, extension};

// Adds what `bound` becomes: to `drafts`, to `edits`, or to `tied`.
pub(super) fn draft<'b, 'c>(
    bound: &'b BoundCandidate<'c>,
    blocks: &HashMap<String, BlockUse>,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
    edits: &mut PlainEdits<'b, 'c>,
) {
    let BoundCandidate { candidate, target, .. } = bound;
    // The block wins, but for one that needs the file that this creates.
    match blocks.get(&target.path) {
        Some(BlockUse::Edits) if target.exists => {
            if candidate.form == Form::Code && target.named.is_some_and(|named| !named.held) {
                tied.beside_blocks.push((bound.number - 1, target.path.clone()));
            }
            return;
        }
        Some(BlockUse::Writes) => return,
        _ => {}
    }
    match candidate.form {
        Form::Code => {}
        // Operations are drafted before, and commands name their files themselves.
        Form::Delete | Form::Move { .. } | Form::Commands => return,
        _ => {
            let old = files.text(&target.path);
            // Blanks before the lines of a diff are signs.
            let content = match candidate.form {
                _ if candidate.is_block() => candidate.content.clone(),
                Form::Diff if target.exists => candidate.content.clone(),
                Form::Diff => without_naming(candidate, &target.path, None),
                _ => copied::restored(
                    without_naming(candidate, &target.path, old.as_deref()),
                    &target.path,
                    &candidate.language,
                    old.as_deref(),
                    &candidate.words,
                ),
            };
            edits.add(bound, target, content, None);
            return;
        }
    }
    let (notices, before) = (tied.notices.len(), drafts.len() + edits.len());
    for target in std::iter::once(target).chain(&bound.others) {
        of_code(bound, target, files, tied, drafts, edits);
    }
    // Of several files that may be meant, one notice is enough, and none if one of them can be chosen.
    if !bound.others.is_empty() {
        tied.notices.truncate(notices + usize::from(drafts.len() + edits.len() == before));
    }
}

// Adds what code does with `target`: a draft or an edit; what it is instead goes to `tied`.
fn of_code<'b, 'c>(
    bound: &'b BoundCandidate<'c>,
    target: &FileTarget,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
    edits: &mut PlainEdits<'b, 'c>,
) {
    let candidate = bound.candidate;
    let path = &target.path;
    if let Some(reason) = files.denied(path) {
        tied.notices.push(words::denied(candidate, path, &reason));
        return;
    }
    let old = if target.exists { Some(files.text(path)) } else { None };
    let text = old.as_ref().and_then(Option::as_deref);
    let content = without_naming(candidate, path, text);
    let content = match candidate.is_block() {
        true => content,
        false => copied::restored(content, path, &candidate.language, text, &candidate.words),
    };
    if let Some(reason) = edit_signs(&content, text) {
        tied.notices.push(words::edit(candidate, words::PART, path, reason));
        return;
    }
    if text.is_some_and(|old| signed::read(old, &content, path).is_some()) {
        edits.add(bound, target, content, None);
        return;
    }
    // A fence that shows the name of a file has nothing of it.
    if content.trim().contains(['.', '/']) && Path::new(path).ends_with(content.trim()) {
        tied.unnamed.push(candidate.lines.start);
        return;
    }
    if candidate.language.is_empty() && is_section_of_document(path, &content) {
        tied.unnamed.push(candidate.lines.start);
        return;
    }
    if let Some(line) = cut_off_value(path, &content)
        && !text.is_some_and(|old| old.lines().any(|other| other.trim() == line))
    {
        tied.notices.push(words::elided(candidate, path, line));
        return;
    }
    let mut doubt = None;
    let form = match &old {
        Some(None) => {
            tied.notices.push(words::unreadable(candidate, path));
            return;
        }
        // A block that writes a file has all of it.
        Some(Some(_)) if candidate.is_block() => ProposalForm::Whole,
        // An empty file is a new one, but for its name.
        Some(Some(old)) if old.trim().is_empty() => match incomplete(candidate, path, &content) {
            Some(notice) => {
                tied.notices.push(notice);
                return;
            }
            None => ProposalForm::Whole,
        },
        Some(Some(old)) if shows_rest(old, &content) && words::says_without(&candidate.words) => {
            doubt = Some("Removes the lines at the end that the answer does not show.".to_owned());
            ProposalForm::Whole
        }
        Some(Some(old)) => match extent(old, &content, path, candidate.closed) {
            CodeExtent::Same => {
                tied.shown_whole.extend(target.named.map(|named| (path.clone(), named.line)));
                tied.is_already(path);
                return;
            }
            // Which of the first lines go, the words may not say.
            CodeExtent::Quotation if lacks_beginning(old, &content) && edits.says_change(candidate) => {
                let count = old.lines().count().saturating_sub(content.lines().count()).max(1);
                doubt = Some(match count {
                    1 => "It leaves out the first line of the file.".to_owned(),
                    count => format!("It leaves out the first {count} lines of the file."),
                });
                ProposalForm::Whole
            }
            CodeExtent::Quotation => {
                if removing::removes_quoted(candidate, &content, path) {
                    edits.add_removal(bound, target, content);
                } else {
                    tied.quoted.push(candidate.lines.start);
                }
                return;
            }
            // What is added to a file takes no more away than it brings.
            CodeExtent::Whole
                if words::has_add(&candidate.words)
                    && (removes_most(old, &content) || edits.unsaid_loss(old, &content, path).is_some()) =>
            {
                edits.add(bound, target, content, None);
                return;
            }
            // Units mend the commas that it has too many.
            CodeExtent::Whole if broken(Path::new(path), old, &content).is_some() => {
                edits.add(bound, target, content, None);
                return;
            }
            CodeExtent::Whole if sets_placeholder(old, &content) || is_sample_manifest(old, &content) => {
                tied.unnamed.push(candidate.lines.start);
                return;
            }
            CodeExtent::Whole if let Some(marker) = editor_marker(&content, path) => {
                edits.add(bound, target, content, Some(marker));
                return;
            }
            CodeExtent::Whole => ProposalForm::Whole,
            CodeExtent::CutOff(_) if !candidate.conditional && is_head_alone(&content, candidate.closed) => {
                edits.add(bound, target, content, None);
                return;
            }
            CodeExtent::CutOff(last) => {
                tied.notices.push(words::cut_off(candidate, path, &last));
                return;
            }
            CodeExtent::Part(_) if has_placeholder(&content) && !has_placeholder(old) => {
                tied.unnamed.push(candidate.lines.start);
                return;
            }
            CodeExtent::Part(None) if removing::removes_part(candidate, &content, path, old) => {
                edits.add_removal(bound, target, content);
                return;
            }
            CodeExtent::Part(None) if edits.lacks_removed(old, &content, path) => ProposalForm::Whole,
            // "Create `a.py`", another program than the file of that name: neither is a part of the other.
            CodeExtent::Part(None) if edits.answer.creates(path) && is_another_file(old, &content, path) => {
                let reason = "the answer creates the file, and the project has another one of that name";
                tied.notices.push(words::edit(candidate, words::PART, path, reason));
                return;
            }
            CodeExtent::Part(None)
                if words::replaces_all(&candidate.words, path) && begins_a_file(path, &content) =>
            {
                ProposalForm::Whole
            }
            CodeExtent::Part(marker) => {
                edits.add(bound, target, content, marker);
                return;
            }
        },
        None => {
            // A part of the new file that the answer shows above.
            let mut created = drafts.iter().filter_map(|draft| draft.new_text(path));
            if let (Some(above), None) = (created.next(), created.next()) {
                match extent(above, &content, path, candidate.closed) {
                    // "If you were on asyncio, it would be:"
                    CodeExtent::Part(_) if candidate.conditional || candidate.optional => {
                        let reason = "the words above do not plainly ask for this change of the new file";
                        tied.notices.push(words::edit(candidate, words::PART, path, reason));
                        return;
                    }
                    CodeExtent::Part(marker) => {
                        edits.add(bound, target, content, marker);
                        return;
                    }
                    CodeExtent::Quotation => {
                        tied.quoted.push(candidate.lines.start);
                        return;
                    }
                    _ => {}
                }
            }
            if let Some(notice) = incomplete(candidate, path, &content) {
                tied.notices.push(notice);
                return;
            }
            if let Some(other) = other_ending(path, files)
                && edits.answer.edits(path)
                && !edits.answer.creates(path)
            {
                let reason = format!("the project has {other} instead of that file");
                tied.notices.push(words::edit(candidate, words::PART, path, &reason));
                return;
            }
            let is_held = target.named.is_some_and(|named| named.held);
            let is_guessed = target.written.is_some() || !bound.others.is_empty();
            let place = target.place();
            let new = NewFile { candidate, path, content: &content, place, is_held, is_guessed };
            match new.kind(edits.answer, files.names()) {
                NewFileKind::Certain => {}
                // The user says which file it is.
                _ if bound.named_by == NamedBy::Request || candidate.is_block() => {}
                NewFileKind::Doubtful(note) => doubt = Some(note.to_owned()),
                NewFileKind::Excerpt(reason) => {
                    tied.notices.push(words::edit(candidate, words::PART, path, reason));
                    return;
                }
                NewFileKind::Sample => {
                    tied.unnamed.push(candidate.lines.start);
                    return;
                }
            }
            ProposalForm::New
        }
    };
    // A heading names one whole file; what else stands below it is a sample, unless it is a part.
    if let Some(named) = target.named {
        let whole = (path.clone(), named.line);
        // Several versions below one heading are a choice.
        if named.held && !candidate.optional && tied.shown_whole.contains(&whole) {
            tied.unnamed.push(candidate.lines.start);
            return;
        }
        tied.shown_whole.push(whole);
    }
    let old = old.flatten();
    if let Some(reason) = copied::foreign_sign(old.as_deref().unwrap_or_default(), &content, path) {
        tied.notices.push(words::edit(candidate, words::PART, path, &reason));
        return;
    }
    let content = match &old {
        Some(old) => copied::with_end_of(old, content),
        None => content,
    };
    let loss = old.as_ref().and_then(|old| edits.unsaid_loss(old, &content, path));
    let changes_secret = old.as_ref().is_some_and(|old| files.is_secret(path) && sets_again(old, &content));
    let mut draft = Draft::new(bound, target, form, old.as_deref(), content);
    if draft.shrinks_guessed() || old.as_ref().is_some_and(|old| edits.is_of_another(bound, old)) {
        tied.unnamed.push(candidate.lines.start);
        return;
    }
    if let Some(loss) = loss {
        draft.doubt(format!("The answer does not say it: {loss}."));
    }
    if let Some(name) = old.as_ref().and_then(|old| name_of_placeholder(old, draft.text())) {
        draft.doubt(format!("`{name}` has a value in the file, and a placeholder in the answer."));
    } else if let Some(note) = old.as_ref().and_then(|old| about_placeholder(old, draft.text())) {
        draft.doubt(note);
    }
    if changes_secret {
        draft.doubt("It changes values that the file has.".to_owned());
    }
    if let Some(note) = doubt {
        draft.doubt(note);
    }
    if old.as_ref().is_some_and(|old| !old.trim().is_empty()) && edits.answer.creates(path) {
        draft.doubt("The answer creates the file, but the project has it.".to_owned());
    }
    if form == ProposalForm::New
        && let Some(other) = twin_with_lines(path, &candidate.content, files)
    {
        draft.doubt(format!("The project has {other}, with most of these lines."));
    }
    let is_change = words::says_change(&candidate.words) || words::says_update(&candidate.words);
    if form == ProposalForm::New && is_change {
        draft.proposal.attention.push(Attention::Part);
    }
    drafts.push(draft);
}

// Returns the file beside `path`, which the project lacks, that programs read in its place: `next.config.ts`.
fn other_ending(path: &str, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    const ENDINGS: [&[&str]; 2] = [&["js", "ts", "mjs", "mts", "cjs", "cts", "jsx", "tsx"], &["yml", "yaml"]];
    let (stem, ending) = path.rsplit_once('.')?;
    let alike = ENDINGS.iter().find(|alike| alike.contains(&ending))?;
    alike.iter().map(|other| format!("{stem}.{other}")).find(|other| files.kind(other) == EntryKind::File)
}

// Returns true if `new` is all of a file, and defines nothing that `old`, the text of the file at `path`, defines.
fn is_another_file(old: &str, new: &str, path: &str) -> bool {
    let (had, has) = (definitions(old, path), definitions(new, path));
    let is_own = |one: &&String| !one.starts_with("= ");
    begins_a_file(path, new)
        && had.iter().any(|one| is_own(&one))
        && has.iter().any(|one| is_own(&one))
        && !has.iter().filter(is_own).any(|one| had.contains(one))
}

// Returns the one other file with the name of the new one at `path` that has most of the lines of its `content`.
fn twin_with_lines(path: &str, content: &str, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    let name = Path::new(path).file_name()?;
    let [only] = files.names().named(name) else { return None };
    let other = only.to_string_lossy().into_owned();
    let lines =
        content.lines().filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 3).count();
    let shared = files.text(&other).map_or(0, |text| shared_lines(content, &text));
    (shared > 2 && shared * 2 > lines).then_some(other)
}

// Returns a line of `content`, for a document at `path`, with which an editor leaves lines out: with the signs of code in every
// language, or without any.
fn editor_marker(content: &str, path: &str) -> Option<String> {
    let is_marker = |line: &&str| {
        let text = line.trim_start_matches(['/', '#', ' ']);
        text.starts_with("...") && text.contains("existing")
    };
    let prose = fits_language("markdown", path).then(|| outside_fences(content))?;
    prose.lines().map(str::trim).find(is_marker).map(str::to_owned)
}

// Returns the notice that `content`, all of a new file at `path`, ends too early or leaves lines out.
fn incomplete(candidate: &Candidate, path: &str, content: &str) -> Option<NotRead> {
    if let Some(last) = new_is_cut_off(content, path, candidate.closed) {
        return Some(words::cut_off(candidate, path, &last));
    }
    if let Some(elided) = elision::elided_in_listing(content, Path::new(path)) {
        return Some(words::elided(candidate, path, &elided.text));
    }
    editor_marker(content, path).map(|line| words::elided(candidate, path, &line))
}

// Returns true if `new` has another value for a name that `old` sets, or leaves it out.
fn sets_again(old: &str, new: &str) -> bool {
    let has: HashSet<&str> = new.lines().map(str::trim).collect();
    old.lines().map(str::trim).any(|line| line.contains('=') && !line.starts_with('#') && !has.contains(line))
}

// Returns true if `text`, for a file of code at `path`, begins with a heading of Markdown and has a numbered list: it is a piece
// of a document in whose fence other fences stand.
fn is_section_of_document(path: &str, text: &str) -> bool {
    let heading = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let title = heading.trim_start_matches('#');
    let is_heading = title.len() < heading.len() && title.starts_with(' ');
    let is_item = |line: &str| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && rest.strip_prefix(". ").is_some_and(|rest| rest.contains(' '))
    };
    is_heading && CODE.contains(&&*extension(Path::new(path))) && text.lines().any(is_item)
}

// Returns true if the fence shows one line, which begins a block.
fn is_head_alone(content: &str, closed: bool) -> bool {
    let line = content.trim();
    closed && !line.contains('\n') && line.ends_with(['{', ':'])
}

// Returns a line of `text`, for a file of settings, whose value is cut off by dots, or a comment that ends in them.
fn cut_off_value<'t>(path: &str, text: &'t str) -> Option<&'t str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_settings = name.starts_with(".env") || name.ends_with(".env") || name.ends_with(".properties");
    // "# Existing vars..." stands for them.
    let is_cut = |line: &&str| {
        (line.contains('=') != line.starts_with('#')) && (line.ends_with("...") || line.ends_with('…'))
    };
    text.lines().map(str::trim).filter(|_| is_settings).find(is_cut)
}

// Returns true if `shown` is the beginning of `old`, and at least half of it.
fn shows_rest(old: &str, shown: &str) -> bool {
    let count = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let (all, count_shown) = (count(old), count(shown));
    old.starts_with(shown.trim_end()) && count_shown < all && count_shown * 2 >= all
}

// Returns the notice about `candidate`, of which the file at `path` has the text `after` once the answer's blocks are
// done, if it shows all of that file and says more.
pub(super) fn beside_blocks(candidate: &Candidate, path: &str, after: &str) -> Option<NotRead> {
    let content = without_naming(candidate, path, Some(after));
    if extent(after, &content, path, candidate.closed) != CodeExtent::Whole {
        return None;
    }
    let has: HashSet<&str> = after.lines().map(str::trim).collect();
    let line = content.lines().map(str::trim).find(|line| !has.contains(line))?;
    let line: String = line.chars().take(60).collect();
    let reason = format!("the edit blocks of the answer change the file otherwise: they have no `{line}`");
    Some(words::edit(candidate, words::PART, path, &reason))
}

// Returns true if `new` gives a name to a project that `old` does not have, and that is none.
fn is_sample_manifest(old: &str, new: &str) -> bool {
    const NAMES: [&str; 5] = ["your-", "my-project", "my-app", "project-name", "your_"];
    let names = |line: &str| {
        let value = line
            .trim()
            .trim_start_matches('"')
            .strip_prefix("name")?
            .split('"')
            .rfind(|word| word.len() > 1)?;
        NAMES.iter().any(|name| value.starts_with(name)).then_some(())
    };
    let is_sample = |text: &str| text.lines().any(|line| names(line).is_some());
    is_sample(new) && !is_sample(old)
}

// Returns true if `text` has a name that stands for one that the reader has to choose.
fn has_placeholder(text: &str) -> bool {
    ["some_other_", "someOther", "some_condition", "someCondition", "your_condition", "yourCondition"]
        .iter()
        .any(|name| text.contains(name))
}

// Returns true if more lines of `old` go than `new` has new ones.
fn removes_most(old: &str, new: &str) -> bool {
    clada_edit::line_counts(old.as_bytes(), new.as_bytes()).is_some_and(|(added, removed)| removed > added)
}

// Returns the text of a candidate, which is for the file at `path`, without the lines that only name that file,
// unless the file has them. A comment that names another file is content.
pub(super) fn without_naming(candidate: &Candidate, path: &str, old: Option<&str>) -> String {
    // "// In Store" says where the code goes, as a path does.
    if let Some(text) = old.filter(|old| types::begins_with_place(&candidate.content, path, old))
        && let Some((first, rest)) = candidate.content.split_once('\n')
        && !text.lines().any(|line| line.trim() == first.trim())
    {
        return rest.strip_prefix('\n').unwrap_or(rest).to_owned();
    }
    let mut named = candidate.groups.iter().filter(|group| group.place == Place::Comment);
    let is_own = named.next().and_then(|group| group.mentions.first()).is_none_or(|mention| {
        let (own, named) = (Path::new(path), Path::new(&mention.path));
        own.file_name() == named.file_name()
    });
    if !is_own {
        return candidate.content.clone();
    }
    let Some(naming) = candidate.naming.clone() else { return candidate.content.clone() };
    let Some(name) = candidate.content.get(naming.clone()) else { return candidate.content.clone() };
    let has = old.is_some_and(|old| {
        let mut first = old.lines().take(5).map(str::trim);
        name.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .all(|line| first.any(|other| other == line))
    });
    if has {
        return candidate.content.clone();
    }
    let rest = &candidate.content[naming.end..];
    // An empty line below the name goes with it, unless the file begins with one.
    let rest = match old {
        Some(old) if old.starts_with('\n') => rest,
        _ => rest.strip_prefix('\n').unwrap_or(rest),
    };
    format!("{}{rest}", &candidate.content[..naming.start])
}
