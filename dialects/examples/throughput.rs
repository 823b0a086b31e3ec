//! How fast a long answer is read: a 10 MB answer of 2,000 SHAM blocks, each with a heredoc of about 5 kB.
//!
//! Prints the median of several runs in MB/s (MB = 10^6 bytes), and the same for copying the text and for
//! counting its lines, which are the floor that any reader of it has.
//!
//! ```text
//! cargo run --release -p clada-dialects --example throughput
//! ```

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use clada_dialects::{Bounds, Choice, parse};

const BLOCKS: usize = 2_000;
const HEREDOC_BYTES: usize = 5_000;
const RUNS: usize = 31;

fn main() {
    let answer = answer();
    let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
    assert!(parsed.diagnostics.is_empty() && parsed.blocks.len() == BLOCKS, "the answer reads as meant");

    let parsing =
        median(|| black_box(parse(black_box(&answer), &Bounds::default(), &Choice::Auto)).blocks.len());
    let mut copy = vec![0; answer.len()];
    let copying = median(|| {
        copy.copy_from_slice(black_box(answer.as_bytes()));
        black_box(&copy).len()
    });
    let counting = median(|| memchr::memchr_iter(b'\n', black_box(answer.as_bytes())).count());

    let rate = |seconds: f64| answer.len() as f64 / 1e6 / seconds;
    println!("answer   {:>9} bytes, {BLOCKS} blocks", answer.len());
    println!("parse    {:>9.0} MB/s", rate(parsing));
    println!("memcpy   {:>9.0} MB/s, {:.1} times as fast", rate(copying), parsing / copying);
    println!("lines    {:>9.0} MB/s, {:.1} times as fast", rate(counting), parsing / counting);
}

/// The median time of a run, in seconds.
fn median(mut run: impl FnMut() -> usize) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

/// Prose and blocks, as a model that rewrites a project would write them.
fn answer() -> String {
    let code = [
        "fn total(items: &[Item]) -> u64 {\n",
        "    // Sums what is in stock; EOT_ and #! stand here so that they are met.\n",
        "    items.iter().filter(|item| item.stock > 0).map(|item| item.price * item.stock).sum()\n",
        "}\n\n",
    ]
    .concat();
    let mut answer = String::new();
    for number in 0..BLOCKS {
        let id = format!("{number:04}");
        let body = code.repeat(HEREDOC_BYTES / code.len());
        let _ = write!(
            answer,
            "Now file {number}:\n\n```sh sham\n#!SHAM [@three-char-SHA-256: {id}]\naction = \"file_write\"\n\
             path = \"/proj/src/part_{id}.rs\"\ncontent = <<'EOT_SHAM_{id}'\n{body}EOT_SHAM_{id}\n#!END_SHAM_{id}\n```\n\n"
        );
    }
    answer
}
