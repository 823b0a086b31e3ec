//! Measures the time to read a long answer: 10 MB of 2,000 blocks in each dialect, each block about 5 kB of
//! code; as much prose with listings and no block; and 50 MB of nothing but markers that open something and
//! end nothing.
//!
//! Prints the median of several runs in MB/s (MB = 10^6 bytes), and the same for copying the text and for
//! counting its lines, which are the floor for any reader of it.
//!
//! ```text
//! cargo run --release -p clada-dialects --example throughput [half-open [START] | prose | listing | words | DIALECT]
//! ```

#![allow(clippy::print_stdout, reason = "its output is what it is for")]
#![allow(clippy::disallowed_methods, reason = "an example has an argument")]

#[path = "../tests/it/samples.rs"]
mod samples;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use clada_dialects::{Bounds, Choice, Dialect, parse};
use rustix::time::{ClockId, clock_gettime};

const BLOCKS: usize = 2_000;
const BLOCK_BYTES: usize = 5_000;
const HALF_OPEN_BYTES: usize = 50_000_000;
const HALF_OPEN_SECONDS: f64 = 1.0;
// In MB/s.
const GOALS: [(&str, &str, f64); 4] = [
    ("sham", "reading blocks of SHAM", 500.0),
    ("prose", "reading an answer without edit blocks", 300.0),
    ("listing", "reading one long listing", 300.0),
    ("words", "reading an answer without listings", 300.0),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next();
    if wanted.as_deref() == Some("half-open") {
        return half_open(&arguments.next().unwrap_or_default());
    }
    println!("{:<14}{:>12}{:>12}{:>14}", "", "parse MB/s", "copy MB/s", "lines MB/s");
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| name == wanted);
    for dialect in Dialect::ALL.iter().copied().filter(|dialect| is_wanted(dialect.name())) {
        // Plain answers are read whatever is chosen, and have no blocks.
        let (choice, blocks) = (Choice::Auto, if dialect == Dialect::WholeFile { 0 } else { BLOCKS });
        let answer = answer(dialect);
        let parsed = parse(&answer, &Bounds::default(), &choice);
        let actions: usize = parsed.blocks.iter().map(|block| block.actions.len()).sum();
        assert!(parsed.diagnostics.is_empty(), "{dialect:?}: {:?}", parsed.diagnostics.first());
        assert_eq!(actions, blocks, "{dialect:?}: the answer reads as meant");
        measure(dialect.name(), &answer, &choice);
    }
    for name in ["prose", "listing", "words"].into_iter().filter(|name| is_wanted(name)) {
        let answer = match name {
            "prose" => prose(),
            "listing" => listing(),
            _ => words(),
        };
        assert!(parse(&answer, &Bounds::default(), &Choice::Auto).blocks.is_empty(), "{name} has no blocks");
        measure(name, &answer, &Choice::Auto);
    }
}

fn verdict(what: &str, figure: f64, unit: &str, (bound, goal, is_met): (&str, f64, bool)) {
    let met = if is_met { "met" } else { "MISSED" };
    println!("  => {what}: {figure:.2} {unit}   goal {bound} {goal} {unit}: {met}");
}

/// Prints the time to read `answer`.
fn measure(name: &str, answer: &str, choice: &Choice) {
    let parsing = median(15, || black_box(parse(black_box(answer), &Bounds::default(), choice)).blocks.len());
    let mut copy = vec![0; answer.len()];
    let copying = median(15, || {
        copy.copy_from_slice(black_box(answer.as_bytes()));
        black_box(&copy).len()
    });
    let counting = median(15, || memchr::memchr_iter(b'\n', black_box(answer.as_bytes())).count());
    let rate = |seconds: f64| answer.len() as f64 / 1e6 / seconds;
    println!("{name:<14}{:>12.0}{:>12.0}{:>14.0}", rate(parsing), rate(copying), rate(counting));
    if let Some((_, what, goal)) = GOALS.iter().find(|(of, ..)| *of == name) {
        verdict(what, rate(parsing), "MB/s", ("at least", *goal, rate(parsing) >= *goal));
    }
}

/// One listing.
fn listing() -> String {
    let line = "    items.iter().filter(|item| item.stock > 0).map(|item| item.price * item.stock).sum()\n";
    let part = format!("fn total(items: &[Item]) -> u64 {{\n    // Sums what is in stock.\n{line}}}\n\n");
    format!("Update `src/stock.rs`:\n\n```rust\n{}```\n", part.repeat(BLOCKS * BLOCK_BYTES / part.len()))
}

/// An explanation without listings.
fn words() -> String {
    let part = "The function `total` in `src/stock.rs` adds up what is in stock. It takes the items by reference, so \
                nothing is copied, and it never fails.\n\nEach of the steps takes less than a minute:\n\n- items without stock are \
                left out\n- the result of `sum` is added to what was there before, and `price` is removed\n\n";
    part.repeat(BLOCKS * BLOCK_BYTES / part.len())
}

/// An explanation as models write it: paragraphs, lists, listings and commands, over and over.
fn prose() -> String {
    let part = "## How it works\n\nThe function `total` in `src/stock.rs` adds up what is in stock. It takes the items by reference, so \
                nothing is copied, and it never fails:\n\n- items without stock are left out\n- prices are in cents & fit a `u64`\n\n\
                ```rust\nfn total(items: &[Item]) -> u64 {\n    items.iter().map(|item| item.price * item.stock).sum()\n}\n```\n\n\
                1. Run the tests:\n\n   ```bash\n   cargo test --workspace\n   ```\n\n2. Read what they say. If one fails, look at its \
                name first; most of them say what went wrong.\n\nThat is all. Each of the steps takes less than a minute.\n\n";
    part.repeat(BLOCKS * BLOCK_BYTES / part.len())
}

/// Lines that begin something in one dialect or other, over and over, and never its end; those that begin
/// with `wanted`. Prints seconds of the processor, which other programs do not lengthen.
fn half_open(wanted: &str) {
    const OPENING: &[&str] = &[
        "#!SHAM [@three-char-SHA-256: abc]\n",
        "content = <<'EOT_SHAM_abc'\n",
        "<---WRITE file=\"a\"--->\n",
        "<---TASKS--->\n",
        "<tasks version=\"1.0\">\n",
        "<write path=\"a\"><![CDATA[\n",
        "<!-- \n",
        "<<<FILE>>>\n",
        "<<<SEARCH>>>\n",
        "*** Begin Patch\n",
        "*** Update File: a\n",
        "a.rs\n<<<<<<< SEARCH\n",
        "=======\n",
        "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n",
        "diff --git a/x b/x\n",
        "```diff\n",
        "~~~~\n",
        "<think>\n",
        "> ",
        "<<<<<<< HEAD\n",
        "{\"name\": \"Edit\", \"input\": {\n",
        "[\n",
        "{\"name\": \"Write\", \"input\": {\"content\": \"\n",
        "<invoke name=\"Write\">\n<parameter name=\"content\">\n",
        "<write_to_file>\n<path>a</path>\n<content>\n",
        "```py\n",
        "```md\n",
        "````md\n",
        "```\nx\n",
        "`a.py`:\n",
        "# [a](file:///a%20b.py\n",
        "Delete `a.py` of x\n",
        "<file path=\"a.py\">\n",
        "<output>\n",
        "<!-- x\n",
        "Human: x\n",
        "==== a.py ====\n",
    ];
    println!("{:<40}{:>10}", "50 MB of", "CPU s");
    // The concatenation shows whether openings of several dialects slow one another down.
    let all = OPENING.concat();
    let mut slowest = (String::new(), 0.0);
    for text in OPENING.iter().copied().chain([all.as_str()]).filter(|text| text.starts_with(wanted)) {
        let long = text.repeat(HALF_OPEN_BYTES / text.len());
        let begun = processor_time();
        black_box(parse(black_box(&long), &Bounds::default(), &Choice::Auto));
        let seconds = (processor_time() - begun).as_secs_f64();
        let name = if text == all { "all of them in turn" } else { text };
        println!("{:<40}{:>10.2}", format!("{:.38?}", name), seconds);
        if seconds > slowest.1 {
            slowest = (format!("{name:.20?}"), seconds);
        }
    }
    let what = format!("50 MB of half-open forms, the slowest: {}", slowest.0.replace(':', ""));
    verdict(&what, slowest.1, "s", ("at most", HALF_OPEN_SECONDS, slowest.1 <= HALF_OPEN_SECONDS));
}

/// Returns the time that this process has had a processor.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

/// The median time of the processor of `runs` runs, in seconds.
fn median(runs: usize, mut run: impl FnMut() -> usize) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = processor_time();
            black_box(run());
            (processor_time() - start).as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// Prose and blocks, as a model that rewrites a project would write them.
fn answer(dialect: Dialect) -> String {
    let code = [
        "fn total(items: &[Item]) -> u64 {\n",
        "    // Sums what is in stock; EOT_ and #! stand here so that they are met.\n",
        "    items.iter().filter(|item| item.stock > 0).map(|item| item.price * item.stock).sum()\n",
        "}\n\n",
    ]
    .concat();
    let code = code.repeat(BLOCK_BYTES / code.len());
    let mut answer = String::new();
    for number in 0..BLOCKS {
        let block = (samples::sample(dialect).outer)(number, code.trim_end());
        let _ = write!(answer, "Now file {number}:\n\n{block}\n");
    }
    answer
}
