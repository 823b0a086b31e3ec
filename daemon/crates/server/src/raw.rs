//! Parameters as they arrived: a part of their frame, which is not copied.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct RawParams {
    frame: String,
    part: Range<usize>,
}

impl RawParams {
    pub(super) fn copy(text: &str) -> RawParams {
        RawParams { part: 0..text.len(), frame: text.to_owned() }
    }

    pub(super) fn new(frame: String, part: Range<usize>) -> RawParams {
        RawParams { frame, part }
    }

    pub(super) fn text(&self) -> &str {
        &self.frame[self.part.clone()]
    }
}

pub(super) fn place(whole: &[u8], part: &str) -> Range<usize> {
    let begin = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    begin..begin + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_where_it_lies() {
        let frame = "{\"é\": [1, 2]}".to_owned();
        let part = place(frame.as_bytes(), &frame[7..13]);
        assert_eq!(place(frame.as_bytes(), &frame), 0..frame.len());
        assert_eq!(RawParams::new(frame, part).text(), "[1, 2]");
        assert_eq!(RawParams::copy("x").text(), "x");
    }
}
