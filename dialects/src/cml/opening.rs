//! Decides whether an element that begins a line is CML, where the caller did not ask for CML by name.
//!
//! Answers are full of XML that is not CML: samples of configurations, HTML, components of a program. An
//! element counts if all of its attributes are CML's and its beginning can be nothing else; less is enough
//! outside of fences and documents than in them (spec: dialects, "cml", the last rule).

use memchr::{memchr, memchr_iter, memmem};

use super::content::begins_with_cdata;
use super::tag::{CDATA, CDATA_END, PARTS, Tag, attributes_of, end_tag, name_at, skip_comments};
use crate::surroundings::{OpenFence, Setting, Surroundings};
use crate::work;

const LABELS: [&str; 3] = ["", "xml", "cml"];

pub(super) fn counts(text: &str, tag: &Tag<'_>, around: &Surroundings<'_>) -> bool {
    if !tag.is_known() {
        return false;
    }
    let labelled = around.fence().is_none_or(is_labelled);
    let begins_well = match tag.name {
        "tasks" => has_task(text, tag, if labelled { Demand::File } else { Demand::Anything }),
        "write" => tag.has_attributes() || is_typical(text, tag),
        "edit" => has_part(text, tag),
        "run" => labelled && (tag.has_attributes() || is_typical(text, tag) || is_closed(text, tag)),
        _ => labelled && tag.has_attributes(),
    };
    begins_well
        && match around.setting(tag.at.start) {
            Setting::Free => true,
            Setting::Wrapped if tag.name == "tasks" => has_task(text, tag, Demand::Typical),
            Setting::Wrapped => is_typical(text, tag),
            Setting::Document => false,
        }
}

/// Returns true if `tag`, which has an unknown attribute, begins as only CML does.
pub(super) fn resembles(text: &str, tag: &Tag<'_>, around: &Surroundings<'_>) -> bool {
    around.setting(tag.at.start) == Setting::Free
        && tag.unknown_attribute().is_some()
        && is_typical(text, tag)
}

/// Returns whether the tag at the start of `text` can be one that [`resembles`] holds for: a cheap check.
pub(super) fn may_resemble(text: &str) -> bool {
    text.starts_with('<') && matches!(name_at(text, 1), Some("write" | "run" | "edit"))
}

fn is_labelled(fence: &OpenFence<'_>) -> bool {
    LABELS.iter().any(|label| fence.label.eq_ignore_ascii_case(label))
}

/// Returns true if `tag` begins as nothing but CML does.
fn is_typical(text: &str, tag: &Tag<'_>) -> bool {
    !tag.empty
        && match tag.name {
            "write" | "run" => begins_with_cdata(text, tag.at.end),
            "edit" => has_part(text, tag),
            _ => false,
        }
}

/// Returns true if the first element in `tag`, before the next tag of that name, is a part of an edit.
fn has_part(text: &str, tag: &Tag<'_>) -> bool {
    let from = tag.at.end;
    let window = up_to(text, from, "<edit");
    let Some(at) = skip_comments(window, from).ok().filter(|_| !tag.empty) else { return false };
    let Some(offset) = memchr(b'<', &window.as_bytes()[at..]) else { return false };
    name_at(window, at + offset + 1).is_some_and(|part| PARTS.contains(&part))
}

fn is_closed(text: &str, tag: &Tag<'_>) -> bool {
    let mut at = tag.at.end;
    while let Some(offset) = memchr(b'<', &text.as_bytes()[at..]) {
        work::count(offset + 1);
        at += offset;
        if end_tag(text, at, "run").is_some() {
            return true;
        }
        if name_at(text, at + 1) == Some("run") {
            return false;
        }
        at += 1;
    }
    work::count(text.len() - at);
    false
}

/// The part of `text` before the first `tag` after byte `from`. The tag is often near, so no search for long
/// texts is prepared.
fn up_to<'t>(text: &'t str, from: usize, tag: &str) -> &'t str {
    let starts = memchr_iter(b'<', &text.as_bytes()[from..]).map(|at| from + at);
    let end = starts.into_iter().find(|at| text[*at..].starts_with(tag)).unwrap_or(text.len());
    work::count(end - from);
    &text[..end]
}

/// The property of a task that shows that the element around it is CML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// Known attributes, or the name of a file under any name of the element.
    File,
    /// Known attributes, or an element that models make up.
    Anything,
    /// A beginning that only CML has.
    Typical,
}

/// Returns true if one of the elements directly in `tasks`, up to the next tag of that name, is a task.
fn has_task(text: &str, tasks: &Tag<'_>, demand: Demand) -> bool {
    let from = tasks.at.end;
    if tasks.empty {
        return false;
    }
    // The search ends at the next `<tasks`, so that many of them in a row cost one pass.
    let window = up_to(text, from, "<tasks");
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(offset) = memchr(b'<', &window.as_bytes()[at..]) {
        at += offset;
        let rest = &window[at..];
        if let Some(next) = passed_over(window, at) {
            at = next;
        } else if rest.starts_with("</") {
            if depth == 0 {
                return false;
            }
            depth -= 1;
            at += 2;
        } else if let Some(tag) = Tag::read(window, at, usize::MAX) {
            let meant = attributes_of(tag.name).is_some() && tag.is_known();
            let versioned = tasks.attribute("version").is_some();
            let made_up = match demand {
                Demand::File => attributes_of(tag.name).is_none() && tag.names_a_file(),
                Demand::Anything => tag.is_made_up(),
                Demand::Typical => versioned && tag.is_made_up(),
            };
            if depth == 0 && made_up {
                return true;
            }
            if depth == 0 && meant && (demand != Demand::Typical || is_typical(window, &tag)) {
                return true;
            }
            depth += usize::from(!tag.empty);
            at = tag.at.end;
        } else {
            at += 1;
        }
    }
    false
}

fn passed_over(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let (body, end) = match (rest.strip_prefix("<!--"), rest.strip_prefix(CDATA)) {
        (Some(comment), _) => (comment, "-->"),
        (_, Some(section)) => (section, CDATA_END),
        _ => return None,
    };
    let length = memmem::find(body.as_bytes(), end.as_bytes()).unwrap_or(body.len());
    Some((text.len() - body.len() + length + end.len()).min(text.len()))
}

pub(super) fn tag_at<'a>(text: &'a str, at: usize, limit: usize) -> Option<Tag<'a>> {
    // Tags of others may be long, and every line may begin with one.
    text.as_bytes().get(at).filter(|byte| **byte == b'<')?;
    attributes_of(name_at(text, at + 1)?)?;
    Tag::read(text, at, limit)
}
