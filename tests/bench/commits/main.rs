//! Real commits as answers: the last commits of git repositories are written as diffs, blocks and patches,
//! each is applied to the files before the commit, and the result is compared with that of the commit.
//!
//! ```text
//! cargo run --profile dist -p clada-tests --example commits [--last N] REPOSITORY…
//! ```
//!
//! A form is exact if it loses nothing: then every row of it has to be equal. The others leave something out
//! that the pipeline has to do without; they may be refused. None may ever be wrong.

#![allow(clippy::expect_used, reason = "a bench that cannot go on ends")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]
#![allow(
    clippy::disallowed_methods,
    reason = "an example has arguments, runs git, and writes its own projects"
)]

mod forms;
mod history;
mod lines;
mod trial;

use std::collections::BTreeMap;

use forms::Form;
use trial::{Outcome, Trial};

/// Rows that are not equal and are printed, of each form.
const PRINTED: usize = 20;

#[derive(Debug, Default)]
struct Count {
    equal: usize,
    refused: usize,
    wrong: usize,
    told: Vec<String>,
}

fn main() {
    let mut last = 200;
    let mut repositories = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--last" => last = arguments.next().and_then(|n| n.parse().ok()).expect("a number"),
            _ => repositories.push(argument),
        }
    }
    assert!(!repositories.is_empty(), "name repositories");
    let mut counts: BTreeMap<Form, Count> = BTreeMap::new();
    let mut trial = Trial::new();
    for repository in &repositories {
        for change in history::changes(repository, last) {
            for form in Form::ALL {
                // Some forms cannot express some changes, which is not a failure of the pipeline.
                let Some(answer) = form.of(&change) else { continue };
                let count = counts.entry(form).or_default();
                let told = match trial.outcome(&change, &answer) {
                    Outcome::Equal => {
                        count.equal += 1;
                        continue;
                    }
                    Outcome::Refused(why) => {
                        count.refused += 1;
                        format!("refused: {why}")
                    }
                    Outcome::Wrong(why) => {
                        count.wrong += 1;
                        format!("WRONG: {why}")
                    }
                };
                count.told.push(format!("{} {}: {told}", change.commit, change.path));
            }
        }
    }
    report(&counts);
}

fn report(counts: &BTreeMap<Form, Count>) {
    let mut failed = false;
    println!("{:<42} {:>7} {:>7} {:>7}", "form", "equal", "refused", "wrong");
    for (form, count) in counts {
        println!("{:<42} {:>7} {:>7} {:>7}", form.name(), count.equal, count.refused, count.wrong);
        failed |= count.wrong > 0 || form.is_exact() && count.refused > 0;
    }
    for (form, count) in counts.iter().filter(|(form, count)| form.is_exact() || count.wrong > 0) {
        println!("{}:", form.name());
        let shown = count.told.iter().filter(|told| form.is_exact() || told.contains("WRONG"));
        shown.take(PRINTED).for_each(|told| println!("  {told}"));
    }
    assert!(!failed, "not all are as they should be");
}
