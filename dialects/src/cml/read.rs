//! A block of CML as it is written: a task, or `<tasks>` with several.
//!
//! Input is the text and the byte at which the block's start tag begins. Knows which elements may hold which,
//! nothing of the meaning of tasks.

use std::ops::Range;

use super::broken::{Broken, Resume, matching_end};
use super::content::{self, ElementText};
use super::issue::Issue;
use super::tag::{CDATA_END, PARTS, Tag, attributes_of, end_tag, name_at, skip_comments};
use crate::Code;

const VERSIONS: [&str; 3] = ["0.0.1", "1.0", "1.1"];

#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) tag: Tag<'a>,
    pub(super) content: ElementText<'a>,
}

#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) tag: Tag<'a>,
    /// The text of `write` and `run`.
    pub(super) content: ElementText<'a>,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) at: Range<usize>,
    pub(super) complete: bool,
}

impl<'a> Task<'a> {
    fn new(tag: Tag<'a>) -> Task<'a> {
        let (content, at) = (ElementText { at: tag.at.end, ..ElementText::default() }, tag.at.clone());
        Task { tag, content, parts: Vec::new(), at, complete: true }
    }
}

#[derive(Debug)]
pub(super) struct Reader<'r, 'a> {
    pub(super) text: &'a str,
    /// The indentation that is not part of the lines.
    pub(super) indent: &'r str,
    pub(super) attributes: usize,
    /// Tasks that the block may have.
    pub(super) limit: usize,
    pub(super) tasks: Vec<Task<'a>>,
    pub(super) issues: Vec<Issue>,
    /// The byte from which on there are more tasks than allowed.
    pub(super) full: Option<usize>,
}

impl<'r, 'a> Reader<'r, 'a> {
    pub(super) fn new(text: &'a str, attributes: usize, limit: usize) -> Reader<'r, 'a> {
        let (tasks, issues) = (Vec::new(), Vec::new());
        Reader { text, indent: "", attributes, limit, tasks, issues, full: None }
    }

    pub(super) fn block(&mut self, tag: Tag<'a>) -> Result<usize, Broken> {
        self.check(&tag);
        if tag.name == "tasks" { self.tasks(&tag) } else { self.task(tag) }
    }

    fn check(&mut self, tag: &Tag<'a>) {
        if let Some(fault) = &tag.fault {
            self.issues.push(Issue::syntax(fault.at.clone(), &fault.message));
        }
    }

    /// Returns true if the block that `tasks` opens has a version, and so may have elements that are not
    /// known yet.
    fn check_version(&mut self, tasks: &Tag<'a>) -> bool {
        let Some(version) = tasks.attribute("version") else { return false };
        if !VERSIONS.contains(&version.value.as_ref()) {
            let known = VERSIONS.join(", ");
            let message = format!("Unknown version '{}'; known are {known}, or none at all", version.value);
            self.issues.push(Issue::error(Code::UnknownVersion, version.at.clone(), message).breaking());
        }
        true
    }

    fn tasks(&mut self, tasks: &Tag<'a>) -> Result<usize, Broken> {
        let versioned = self.check_version(tasks);
        if let Some(unknown) = tasks.unknown_attribute() {
            let message = format!("Unknown attribute '{}' of <tasks>; it may have 'version'", unknown.name);
            self.issues.push(Issue::error(Code::UnknownAttribute, unknown.at.clone(), message).breaking());
        }
        if tasks.empty {
            return Ok(tasks.at.end);
        }
        let mut at = tasks.at.end;
        loop {
            at = skip_comments(self.text, at).map_err(Broken::unclosed_comment)?;
            if let Some(end) = end_tag(self.text, at, "tasks") {
                return Ok(end);
            }
            if at == self.text.len() {
                let message = "<tasks> is not closed: there is no </tasks>".to_owned();
                return Err(Broken {
                    message,
                    at: tasks.at.start..tasks.at.start + 6,
                    resume: Resume::Never,
                });
            }
            let Some(tag) = Tag::read(self.text, at, self.attributes) else {
                at = self.between(at)?;
                continue;
            };
            let read = match tag.name {
                "tasks" => {
                    let message = "<tasks> cannot be in <tasks>; close the first with </tasks>".to_owned();
                    return Err(Broken { message, at: tag.at, resume: Resume::EndTag(at) });
                }
                name if attributes_of(name).is_none() => self.unknown(tag, versioned),
                _ => {
                    self.check(&tag);
                    self.task(tag)
                }
            };
            // A broken task counts as well.
            if self.tasks.len() > self.limit {
                let end = read.unwrap_or(at);
                self.full = Some(end);
                return Ok(end);
            }
            at = read?;
        }
    }

    fn between(&mut self, at: usize) -> Result<usize, Broken> {
        let rest = &self.text[at..];
        if rest.starts_with("<?")
            && let Some(end) = memchr::memmem::find(rest.as_bytes(), b"?>")
        {
            return Ok(at + end + 2);
        }
        let end = rest.bytes().skip(1).position(|byte| byte == b'<').map_or(rest.len(), |offset| offset + 1);
        let text = &rest[..end];
        if text.starts_with('<') || text.contains(CDATA_END) {
            let message =
                "Between tasks there is something that is neither a task nor a comment; within CDATA, ]]> \
                           must be written as ]]&gt;"
                    .to_owned();
            return Err(Broken { message, at: at..at, resume: Resume::AfterSurplus(at) });
        }
        let message = "Text between tasks is not read";
        self.issues.push(Issue::warning(Code::IgnoredText, at..at + text.trim_ascii_end().len(), message));
        Ok(at + end)
    }

    /// Passes over an element that is not known. It counts as a task that fails, unless a version allows for
    /// it and it asks for nothing.
    fn unknown(&mut self, tag: Tag<'a>, versioned: bool) -> Result<usize, Broken> {
        self.check(&tag);
        let name = tag.name;
        let named = tag.at.start + 1..tag.at.start + 1 + name.len();
        let end = self.end_of_unknown(&tag)?;
        if versioned && !tag.is_made_up() {
            let message = format!("The element <{name}> is not known and was skipped");
            self.issues.push(Issue::warning(Code::UnknownElement, named, message));
        } else {
            let message = format!(
                "Unknown element <{name}>; there are write, edit, run, and the deprecated move and remove"
            );
            self.issues.push(Issue::error(Code::UnknownElement, named, message));
            self.tasks.push(Task { at: tag.at.start..end, ..Task::new(tag) });
        }
        Ok(end)
    }

    fn end_of_unknown(&self, tag: &Tag<'a>) -> Result<usize, Broken> {
        if tag.empty {
            return Ok(tag.at.end);
        }
        matching_end(self.text, tag.name, tag.at.end).ok_or_else(|| unclosed(tag, Resume::EndTag(tag.at.end)))
    }

    fn task(&mut self, tag: Tag<'a>) -> Result<usize, Broken> {
        let mut task = Task::new(tag);
        let end = self.body(&mut task);
        task.complete = end.is_ok();
        let read = || task.parts.last().map_or(task.tag.at.end, |part| part.content.at);
        task.at.end = end.as_ref().copied().unwrap_or_else(|_| read());
        self.tasks.push(task);
        end
    }

    fn body(&mut self, task: &mut Task<'a>) -> Result<usize, Broken> {
        let tag = &task.tag;
        if tag.empty {
            return Ok(tag.at.end);
        }
        match tag.name {
            "write" | "run" => {
                let (content, end) = content::read(self.text, tag.name, tag.at.end, self.indent)?;
                task.content = content;
                Ok(end)
            }
            "edit" => self.parts(task),
            _ => {
                let at = skip_comments(self.text, tag.at.end).map_err(Broken::unclosed_comment)?;
                let unclosed = || unclosed(tag, Resume::Before(tag.at.end));
                end_tag(self.text, at, tag.name).ok_or_else(unclosed)
            }
        }
    }

    fn parts(&mut self, task: &mut Task<'a>) -> Result<usize, Broken> {
        let mut at = task.tag.at.end;
        loop {
            at = skip_comments(self.text, at).map_err(Broken::unclosed_comment)?;
            if let Some(end) = end_tag(self.text, at, "edit") {
                return Ok(end);
            }
            let Some(tag) = Tag::read(self.text, at, self.attributes) else {
                return Err(not_a_part(self.text, &task.tag, at));
            };
            if attributes_of(tag.name).is_some() {
                return Err(unclosed(&task.tag, Resume::Before(at)));
            }
            self.check(&tag);
            let mut content = ElementText { at: tag.at.end, ..ElementText::default() };
            if !PARTS.contains(&tag.name) {
                at = self.end_of_unknown(&tag)?;
            } else if tag.empty {
                at = tag.at.end;
            } else {
                (content, at) = content::read(self.text, tag.name, tag.at.end, self.indent)?;
            }
            task.parts.push(Part { tag, content });
        }
    }
}

fn unclosed(tag: &Tag<'_>, resume: Resume) -> Broken {
    let name = tag.name;
    let message = match name {
        "move" | "remove" => format!("<{name}> is not closed: it has to end with />"),
        _ => format!("<{name}> is not closed: </{name}> is missing"),
    };
    Broken { message, at: tag.at.start..tag.at.start + 1 + name.len(), resume }
}

fn not_a_part(text: &str, edit: &Tag<'_>, at: usize) -> Broken {
    if at == text.len() {
        return unclosed(edit, Resume::Never);
    }
    let end = text[at..].strip_prefix("</").and_then(|tag| name_at(tag, 0));
    let message = match end {
        Some(name) => format!("</{name}> closes nothing here"),
        None => "In <edit> only <search>, <search-start>, <search-end> and <replace> may be; within CDATA, ]]> must \
                 be written as ]]&gt;"
            .to_owned(),
    };
    Broken { message, at: at..at, resume: Resume::AfterSurplus(at) }
}
