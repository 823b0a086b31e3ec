//! Medians of runs that take turns, so that a disturbance of one disturbs the others.

use std::time::{Duration, Instant};

/// A measured thing: its name, and the times so far.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) name: &'static str,
    times: Vec<Duration>,
}

impl Series {
    pub(crate) fn new(name: &'static str) -> Series {
        Series { name, times: Vec::new() }
    }

    /// Runs `work` and notes its time.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let value = work();
        self.times.push(begun.elapsed());
        value
    }

    /// Discards the measurements so far: caches are warm now.
    pub(crate) fn forget(&mut self) {
        self.times.clear();
    }

    pub(crate) fn median(&self) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    }

    /// Returns the time that so many of a hundred runs stayed below.
    pub(crate) fn percentile(&self, of_hundred: usize) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        sorted[(sorted.len() - 1) * of_hundred / 100]
    }

    fn quarter(&self, of_four: usize) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        sorted[(sorted.len() - 1) * of_four / 4]
    }
}

/// The median of the pairwise ratios: each pair ran side by side, so a slow minute of the machine cancels
/// out.
pub(crate) fn ratio(of: &Series, to: &Series) -> f64 {
    let mut ratios: Vec<f64> =
        of.times.iter().zip(&to.times).map(|(of, to)| of.as_secs_f64() / to.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// Prints one line for each: median, and the quarters around it.
pub(crate) fn print(series: &[&Series]) {
    for one in series {
        let [low, median, high] =
            [one.quarter(1), one.median(), one.quarter(3)].map(|time| time.as_secs_f64() * 1e3);
        println!(
            "  {:<44} {median:9.3} ms   (half of {} runs in {low:.3} to {high:.3})",
            one.name,
            one.times.len()
        );
    }
}

/// The figure that counts, with its goal.
pub(crate) fn verdict(what: &str, figure: f64, unit: &str, goal: f64) {
    let met = if figure <= goal { "met" } else { "MISSED" };
    println!("  => {what}: {figure:.2}{unit}   goal at most {goal}{unit}: {met}\n");
}
