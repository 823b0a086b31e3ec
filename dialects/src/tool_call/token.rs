//! Calls between a model's own tokens, which its server left in the text:
//! `<｜tool▁call▁begin｜>function<｜tool▁sep｜>Edit`, then the arguments as JSON, in a fence or not.
//!
//! Knows the tokens, and nothing of tools.

use super::shape::Written;
use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::json::{Json, Kind};

pub(super) const BEGIN: &str = "<｜tool▁call";
/// The token between the kind of a call and its tool, or between the tool and its arguments.
pub(super) const SEPARATOR: &str = "<｜tool▁sep｜>";

pub(super) fn call<'a>(text: &'a str, line: &Line<'a>, indent: usize) -> Option<Written<'a>> {
    let tokens = line.text[indent..].strip_prefix(BEGIN)?;
    let (before, behind) = tokens.split_once(SEPARATOR)?;
    let (name, place, from) = if behind.trim_start().starts_with('{') {
        (before.rsplit('>').next()?, (line.number, line.start), line.end() - behind.len())
    } else {
        let mut ahead = Cursor::at(text, line.start, line.number, Breaks::Lf);
        ahead.next_line()?;
        let next = ahead.next_line()?;
        let first = if Fence::read(next.text).is_some() { ahead.next_line()? } else { next };
        (behind, (first.number, first.start), first.start)
    };
    let at = text.len() - text[from..].trim_ascii_start().len();
    let value = Json::read(text, at, place).ok().or_else(|| Json::read_with_slips(text, at, place))?;
    let end_line = value.end_line;
    let Kind::Object(arguments) = value.kind else { return None };
    let (name, at) = (name.trim().into(), line.start + indent..value.at.end);
    Some(Written { name, id: None, arguments, at, start_line: line.number, end_line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_between_tokens_are_read() {
        let arguments = r#"{"path": "a", "content": "b"}"#;
        let (begin, separator, end) = ("<｜tool▁call▁begin｜>", SEPARATOR, "<｜tool▁call▁end｜>");
        for text in [
            format!("<｜tool▁calls▁begin｜>{begin}function{separator}Write\n```json\n{arguments}\n```{end}"),
            format!("{begin}function{separator}Write\n{arguments}\n{end}"),
            format!("<｜tool▁calls▁begin｜>{begin}Write{separator}{arguments}{end}"),
            format!("  {begin}Write{separator} {arguments}"),
        ] {
            let line = Cursor::new(&text).next_line().unwrap();
            let indent = line.text.len() - line.text.trim_start().len();
            let call = call(&text, &line, indent).expect(&text);
            let names: Vec<_> = call.arguments.iter().map(|(name, _)| name.as_ref()).collect();
            assert_eq!((call.name.as_ref(), names), ("Write", vec!["path", "content"]), "{text}");
            assert!(text[call.at.clone()].ends_with('}'), "{text}");
        }
        for text in [format!("{begin}Write{arguments}"), format!("{begin}Write{separator}"), "<a>".to_owned()]
        {
            assert_eq!(call(&text, &Cursor::new(&text).next_line().unwrap(), 0), None, "{text}");
        }
    }
}
