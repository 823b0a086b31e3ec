//! A point in the life of an index, in the form in which it is handed out and comes back: `c:<daemon
//! start>:<epoch>:<tick>`.
//!
//! Ticks of one index mean nothing in another; start and epoch distinguish indexes.

use std::fmt;
use std::str::FromStr;

/// The point after which a caller asks for changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The start of the daemon: microseconds since 1970.
    pub start: u64,
    /// The number of the project's index, counted over all projects of the daemon.
    pub epoch: u64,
    /// The number of changes so far.
    pub tick: u64,
}

impl fmt::Display for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "c:{}:{}:{}", self.start, self.epoch, self.tick)
    }
}

/// A text that is not a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a clock: one looks like c:START:EPOCH:TICK and is in each result of `changes`")]
pub struct NoClock;

impl FromStr for Clock {
    type Err = NoClock;

    fn from_str(text: &str) -> Result<Clock, NoClock> {
        let mut numbers = text.strip_prefix("c:").ok_or(NoClock)?.split(':').map(|number| {
            let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| number.parse::<u64>().ok()).flatten().ok_or(NoClock)
        });
        let mut next = || numbers.next().unwrap_or(Err(NoClock));
        let clock = Clock { start: next()?, epoch: next()?, tick: next()? };
        if numbers.next().is_some() { Err(NoClock) } else { Ok(clock) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_went_and_nothing_else_does() {
        let clock = Clock { start: 1_700_000_000_000_000, epoch: 3, tick: 0 };
        assert_eq!(clock.to_string().parse(), Ok(clock));
        for text in
            ["", "c:", "c:1:2", "c:1:2:3:4", "c:1:2:-3", "c:+1:2:3", "d:1:2:3", "c:1:2:99999999999999999999"]
        {
            assert_eq!(text.parse::<Clock>(), Err(NoClock), "{text}");
        }
    }
}
