//! Fifty files of 4 kB, the same for every program that writes them.

pub(crate) const FILES: usize = 50;
const BYTES: usize = 4096;

/// Content of file `number` in round `round`: text lines, different each time.
pub(crate) fn content(round: usize, number: usize) -> String {
    let mut text = String::with_capacity(BYTES + 64);
    for line in 0.. {
        text.push_str(&format!("let value_{line} = {}; // file {number}, round {round}\n", line * 7 + round));
        if text.len() >= BYTES {
            break;
        }
    }
    text.truncate(BYTES - 1);
    text.push('\n');
    text
}

pub(crate) fn name(number: usize) -> String {
    format!("file_{number:02}.rs")
}
