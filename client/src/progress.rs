//! A bar on standard error while something takes long. Must not know what.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is over sooner needs no bar.
const LONG: Duration = Duration::from_millis(400);

/// A bar, once there is a reason for one.
#[derive(Debug)]
pub(crate) struct Progress {
    wanted: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing is shown unless it is `wanted`.
    pub(crate) fn new(wanted: bool) -> Progress {
        Progress { wanted, begun: Instant::now(), bar: None }
    }

    /// So many are done, of so many.
    pub(crate) fn show(&mut self, done: Option<u64>, total: Option<u64>) {
        if !self.wanted || self.begun.elapsed() < LONG {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_position(done.unwrap_or(0));
    }

    /// Takes the bar away.
    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
