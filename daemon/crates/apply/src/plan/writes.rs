//! Plans of actions that write a file whole, or add to its end.

use std::borrow::Cow;
use std::sync::Arc;

use clada_edit::Text;
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;
use clada_schema::{IfExists, Terms};

use super::planner::Planner;
use super::refusals::{not_a_file, not_found};
use super::rewrite::new_file;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::view::Node;
use crate::write::Write;

impl Planner<'_> {
    pub(super) fn file_write(&mut self, path: &str, content: &str, terms: Terms) -> Result<Effect, Failure> {
        let path = self.file_to_change(path)?;
        self.refuse_large(&path, content.len())?;
        let node = self.view.node(&path)?;
        let old = match &node {
            Node::Missing if terms.if_exists == IfExists::MustExist => return Err(not_found(&path)),
            Node::Missing => {
                self.refuse_twin(&path)?;
                None
            }
            Node::File(file) => Some(self.rewrite(&path, file)?.into_text()),
            _ if terms.if_exists == IfExists::Fail => return Err(self.exists(&path)),
            _ => return Err(not_a_file(&node, &path)),
        };
        let bare = old.as_ref().is_some_and(|old| !old.old.is_empty() && !old.old.ends_with(b"\n"));
        let content = self.ended(content, terms, bare);
        let newline_added = matches!(content, Cow::Owned(_));
        let new: Arc<[u8]> = match old.as_ref().and_then(|old| Text::decode(&old.old).ok()) {
            Some(text) => clada_edit::written_over(&text, &content).into(),
            None if old.is_none() => self.new_text(&path, &content),
            None => Arc::from(content.as_bytes()),
        };
        let parents = self.view.missing_parents(&path)?;
        let write = match old {
            None => new_file(path, new, terms.executable, parents),
            // Nothing of an empty file is lost.
            Some(old) if terms.if_exists == IfExists::Fail && *old.old != *new && !old.old.is_empty() => {
                return Err(self.exists(&path));
            }
            Some(old) => old.replaced(new).executable(terms.executable).over(path, parents)?,
        };
        Ok(Effect::Write(Write { newline_added, ..write }))
    }

    /// `content` with an end of its last line, where its dialect could not say whether there is one (spec:
    /// answers, section 5); not if the file that it replaces is `bare`, which has none.
    fn ended<'c>(&self, content: &'c str, terms: Terms, bare: bool) -> Cow<'c, str> {
        if self.rules.ensure_final_newline && terms.open_end && !bare {
            clada_edit::ensure_final_newline(content)
        } else {
            Cow::Borrowed(content)
        }
    }

    pub(super) fn file_append(&mut self, path: &str, content: &str, terms: Terms) -> Result<Effect, Failure> {
        let at = self.file_to_change(path)?;
        if matches!(self.view.node(&at)?, Node::Missing) {
            return self.file_write(path, content, terms);
        }
        let limit = self.rules.max_file_size;
        let content = self.ended(content, terms, false);
        let newline_added = matches!(content, Cow::Owned(_));
        // A quoted text is exact, but the next one is not the end of its line.
        let begins = terms.open_end || self.view.is_rewritten(&at) && !content.starts_with(['\n', '\r']);
        let begins_line = self.rules.ensure_final_newline && begins && !content.is_empty();
        let append = |text: &Text<'_>| {
            let open = begins_line && !text.as_str().is_empty() && !text.as_str().ends_with('\n');
            match open {
                true => clada_edit::append(text, &format!("\n{content}"), limit),
                false => clada_edit::append(text, &content, limit),
            }
        };
        let write = self.edit_file(at, append, |_, _| None, "")?;
        Ok(Effect::Write(Write { newline_added, ..write }))
    }

    fn exists(&self, path: &RootedPath) -> Failure {
        let issue = "File exists already with other content";
        let failure = Failure::at(ErrorKind::FileExists, issue, path.written(), "EEXIST");
        failure.hint(if self.view.will_be_new(path) {
            "an action before this one in the answer writes it; make one of them"
        } else {
            "it was to be a new file; to change it, give the lines to change as they are in it"
        })
    }
}
