//! Interprets the bytes of a terminal in raw mode: pastes, typed text, keys.
//!
//! Knows bytes only, neither terminals nor signals.
//!
//! A terminal that marks pastes puts `ESC [ 200 ~` before each and `ESC [ 201 ~` after it: everything between
//! them is text. Outside of them, a control character is a key only where it ends the bytes of one read: a
//! key press comes alone, but an unmarked paste comes in pieces, and a control character within it is its
//! text. Otherwise a paste could end itself, and the shell would get the rest as commands.

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasteKey {
    /// Ctrl-D, or an empty line after a paste.
    End,
    Interrupt,
    Quit,
    Suspend,
}

#[derive(Debug, Default)]
pub(super) struct Pasted {
    text: Vec<u8>,
    held: Vec<u8>,
    in_paste: bool,
    /// The offset of the marker that ended the last paste. It stays in the text until it is known to be one:
    /// if another one follows without a beginning, it was a part of the paste.
    end: Option<usize>,
    has_paste: bool,
    /// The offset at which the typed line begins; text before it cannot be erased.
    line: usize,
    lines: usize,
    is_after_cr: bool,
    limit: usize,
    size: usize,
}

impl Pasted {
    pub(super) fn new(limit: usize) -> Pasted {
        Pasted { limit, ..Pasted::default() }
    }

    pub(super) fn take(&mut self, piece: &[u8]) -> Option<PasteKey> {
        // The only way out of a paste whose end never comes.
        if let (true, [key @ (0x03 | 0x1c)]) = (self.in_paste, piece) {
            return Some(if *key == 0x03 { PasteKey::Interrupt } else { PasteKey::Quit });
        }
        let is_key = |byte: &u8| matches!(byte, b'\r' | b'\n' | 0x03 | 0x04 | 0x08 | 0x1a | 0x1c | 0x7f);
        let keys = piece.iter().rev().take_while(|byte| is_key(byte)).count();
        let (text, keys) = piece.split_at(piece.len() - keys);
        let alone = text.is_empty() || text.ends_with(END);
        self.scan(text);
        for key in keys {
            if self.in_paste {
                self.scan(&[*key]);
            } else if let Some(key) = self.press(*key, alone) {
                return Some(key);
            }
        }
        None
    }

    pub(super) fn is_in_paste(&self) -> bool {
        self.in_paste
    }

    pub(super) fn has_paste(&self) -> bool {
        self.has_paste
    }

    pub(super) fn lines(&self) -> usize {
        let is_begun = !matches!(self.visible().last(), None | Some(b'\r' | b'\n'));
        self.lines + usize::from(is_begun)
    }

    pub(super) fn size(&self) -> usize {
        self.size - self.end.map_or(0, |_| END.len())
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        // A terminal sends a line's end as CR: it is LF again. CR LF stays as it is.
        self.give_up_marker();
        self.drop_end();
        let mut text = self.text;
        for at in 0..text.len() {
            if text[at] == b'\r' && text.get(at + 1) != Some(&b'\n') {
                text[at] = b'\n';
            }
        }
        text
    }

    fn visible(&self) -> &[u8] {
        match self.end {
            Some(end) if end + END.len() >= self.text.len() => &self.text[..end.min(self.text.len())],
            _ => &self.text,
        }
    }

    fn scan(&mut self, mut bytes: &[u8]) {
        while let Some(first) = bytes.first() {
            if self.held.is_empty() && *first != 0x1b {
                let length = bytes.iter().position(|byte| *byte == 0x1b).unwrap_or(bytes.len());
                self.push(&bytes[..length]);
                bytes = &bytes[length..];
                continue;
            }
            if *first == 0x1b {
                // No marker contains another one.
                self.give_up_marker();
            }
            self.held.push(*first);
            bytes = &bytes[1..];
            if self.held == BEGIN || self.held == END {
                let is_end = self.held == END;
                self.held.clear();
                self.mark(is_end);
            } else if !BEGIN.starts_with(&self.held) && !END.starts_with(&self.held) {
                self.give_up_marker();
            }
        }
    }

    fn give_up_marker(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.push(&held);
    }

    fn mark(&mut self, is_end: bool) {
        match (self.in_paste, is_end) {
            (false, false) => {
                self.drop_end();
                (self.in_paste, self.has_paste) = (true, true);
            }
            // A paste may hold the beginning of one.
            (true, false) => self.push(BEGIN),
            // The paste before went on.
            (_, true) if self.in_paste || self.end.is_some() => {
                self.in_paste = false;
                self.end = Some(self.text.len());
                self.push(END);
            }
            (_, true) => self.push(END),
        }
        self.line = self.text.len();
    }

    fn drop_end(&mut self) {
        let Some(end) = self.end.take() else { return };
        self.size -= END.len();
        if end < self.text.len() {
            self.text.drain(end..(end + END.len()).min(self.text.len()));
        }
        self.line = self.text.len();
    }

    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.lines += usize::from(*byte == b'\r' || (*byte == b'\n' && !self.is_after_cr));
            self.is_after_cr = *byte == b'\r';
        }
        self.size += bytes.len();
        let fitting = bytes.len().min(self.limit.saturating_sub(self.text.len()));
        self.text.extend_from_slice(&bytes[..fitting]);
    }

    fn press(&mut self, key: u8, alone: bool) -> Option<PasteKey> {
        // An empty line ends the text only where nothing typed came with it.
        self.give_up_marker();
        match key {
            0x03 => return Some(PasteKey::Interrupt),
            0x04 => return Some(PasteKey::End),
            0x1a => return Some(PasteKey::Suspend),
            0x1c => return Some(PasteKey::Quit),
            0x08 | 0x7f => self.erase(),
            _ if alone && self.has_paste && self.text.len() == self.line => return Some(PasteKey::End),
            _ => {
                self.push(&[key]);
                self.line = self.text.len();
            }
        }
        None
    }

    fn erase(&mut self) {
        while self.text.len() > self.line {
            self.size -= 1;
            // These bytes of a character follow its first.
            if !matches!(self.text.pop(), Some(0x80..=0xbf)) {
                break;
            }
        }
    }
}
