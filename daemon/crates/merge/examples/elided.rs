//! Merges listings and counts what comes of it: `tests/bench/elided` and `tests/bench/real`.
//!
//! Reads files of JSON lines. Derived listings are `{path, style, before, listing, after}`: prints how many are
//! right; differ in blank lines alone; have all lines at another place; keep lines that the commit removed and
//! the listing does not show; are wrong; are refused. Fences of real answers are `{file, kind, old, new}`: prints
//! how many are merged. `--show N` prints the differences of the first N that are not right, `--refused
//! N` reasons, `--rows` one line for each listing.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for the terminal")]

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clada_merge::{Level, Merged, Part, Refused, merge};
use similar::{ChangeTag, TextDiff};

/// A listing, and the files that it lies between.
struct Listing {
    path: String,
    style: String,
    before: String,
    listing: String,
    /// The file as the commit made it; nobody knows what a real answer means.
    after: Option<String>,
}

#[derive(Default)]
struct Options {
    show: usize,
    refused: usize,
    rows: bool,
    files: Vec<String>,
}

fn main() -> ExitCode {
    let Some(mut options) = options() else {
        println!("usage: elided [--show N] [--refused N] [--rows] FILE.jsonl…");
        return ExitCode::from(2);
    };
    let mut counts: BTreeMap<(String, String), BTreeMap<&str, usize>> = BTreeMap::new();
    let mut reasons: HashMap<String, usize> = HashMap::new();
    let mut slowest = Duration::ZERO;
    for (at, listing) in options.files.clone().iter().flat_map(|file| listings(file)).enumerate() {
        let start = Instant::now();
        let extension = listing.path.rsplit('/').next().unwrap_or_default();
        let merged = merge(&listing.before, &Part::new(&listing.listing, extension));
        slowest = slowest.max(start.elapsed());
        let class = class(&listing, &merged);
        let level = match &merged {
            Ok(Merged { level: Level::Proven, .. }) => "lines",
            Ok(_) => "units",
            Err(_) => "refused",
        };
        for key in [
            ("all", "all"),
            ("level", level),
            ("style", &listing.style),
            ("language", language(&listing.path)),
        ] {
            *counts.entry((key.0.to_owned(), key.1.to_owned())).or_default().entry(class).or_default() += 1;
        }
        if options.rows {
            println!("{at}\t{level}\t{class}\t{}\t{}", listing.style, listing.path);
        }
        report(at, &listing, &merged, class, &mut options);
        if let Err(refused) = &merged {
            // Names in backticks and numbers differ from file to file; what is left tells reasons apart.
            let reason: String = refused.detail.split('`').step_by(2).collect::<Vec<_>>().join("…");
            *reasons.entry(reason.chars().filter(|c| !c.is_ascii_digit()).collect()).or_default() += 1;
        }
    }
    for ((kind, name), classes) in &counts {
        let all: usize = classes.values().sum();
        let shares = classes
            .iter()
            .map(|(class, count)| format!("{class} {count} ({:.1} %)", 100.0 * *count as f64 / all as f64));
        println!("{kind:9}{name:12}{all:6}  {}", shares.collect::<Vec<_>>().join(", "));
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), reason.clone()));
    for (reason, count) in reasons.iter().take(12) {
        println!("refused {count:4}: {reason}");
    }
    println!("slowest: {slowest:?}");
    ExitCode::SUCCESS
}

fn options() -> Option<Options> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--show" => options.show = args.next()?.parse().ok()?,
            "--refused" => options.refused = args.next()?.parse().ok()?,
            "--rows" => options.rows = true,
            _ => options.files.push(arg),
        }
    }
    (!options.files.is_empty()).then_some(options)
}

fn listings(file: &str) -> Vec<Listing> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let listing = |line: &str| {
        let row: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}: {error}"));
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if let Some(after) = row["after"].as_str() {
            let (path, style, after) = (field("path"), field("style"), Some(after.to_owned()));
            return Listing { path, style, before: field("before"), listing: field("listing"), after };
        }
        let (path, style) = (field("file"), field("kind"));
        Listing { path, style, before: field("old"), listing: field("new"), after: None }
    };
    text.lines().map(listing).collect()
}

fn language(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("-", |(_, extension)| extension)
}

fn report(
    at: usize,
    listing: &Listing,
    merged: &Result<Merged, Refused>,
    class: &str,
    options: &mut Options,
) {
    match merged {
        Ok(merged) if !matches!(class, "right" | "blank") && options.show > 0 => {
            options.show -= 1;
            println!("---- {at} {class} {:?} {} {}", merged.level, listing.style, listing.path);
            for note in &merged.notes {
                println!("  {note}");
            }
            // A listing that nobody can check has no text after it: then the change itself is worth a look.
            let (name, meant) = match &listing.after {
                Some(after) => ("meant", after),
                None => ("before", &listing.before),
            };
            let diff = TextDiff::from_lines(meant, &merged.text);
            print!("{}", diff.unified_diff().header(name, "merged"));
            if listing.after.is_none() {
                println!("{}", listing.listing);
            }
        }
        Err(refused) if options.refused > 0 => {
            options.refused -= 1;
            println!("---- {at} refused {} {}: {refused}", listing.style, listing.path);
            if let Some(after) = &listing.after {
                let diff = TextDiff::from_lines(&listing.before, after);
                print!("{}", diff.unified_diff().header("before", "after"));
            }
            println!("{}", listing.listing);
        }
        _ => {}
    }
}

/// Returns what a merge came to, beside what was meant.
fn class(listing: &Listing, merged: &Result<Merged, Refused>) -> &'static str {
    let Ok(merged) = merged else { return "refused" };
    let Some(after) = &listing.after else { return "merged" };
    let ends = |text: &str| text.trim_end_matches('\n').to_owned();
    if ends(&merged.text) == ends(after) {
        return "right";
    }
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| line.trim_end().to_owned()).collect()
    };
    let (got, meant) = (lines(&merged.text), lines(after));
    if got == meant {
        return "blank";
    }
    let bare =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| line.trim().to_owned()).collect() };
    let (got, meant, before) = (bare(&got), bare(&meant), bare(&lines(&listing.before)));
    if count(&got) == count(&meant) {
        return "place";
    }
    if is_kept(&got, &meant, &before) { "kept" } else { "wrong" }
}

/// Returns true if nothing is missing or moved, and all that is too much is lines that the commit removed.
fn is_kept(got: &[String], meant: &[String], before: &[String]) -> bool {
    let mut rest = got.iter();
    if !meant.iter().all(|line| rest.any(|other| other == line)) {
        return false;
    }
    let mut allowed = count(before);
    let (old, new) = (before.join("\n"), meant.join("\n"));
    for change in TextDiff::from_lines(&old, &new).iter_all_changes() {
        if change.tag() == ChangeTag::Insert {
            *allowed.entry(change.value().trim().to_owned()).or_default() += 1;
        }
    }
    count(got).iter().all(|(line, count)| allowed.get(line).is_some_and(|most| count <= most))
}

fn count(lines: &[String]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(line.clone()).or_default() += 1;
    }
    counts
}
