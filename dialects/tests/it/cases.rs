//! The dialects by cases: pairs of files in the folder of `data` that has the dialect's name.
//!
//! `UPDATE_EXPECT=1 cargo test -p clada-dialects --test it cases` writes the expected results, to be read before
//! they are committed.

use clada_dialects::{Bounds, Choice, Dialect, parse};

use crate::samples::{Sample, sample};
use crate::{csl, fixtures, sham};

#[test]
fn every_dialect_is_as_its_cases_say_and_has_one_for_each_fault() {
    for dialect in Dialect::ALL {
        let Sample { cases, codes, .. } = sample(*dialect);
        if cases == 0 {
            continue;
        }
        fixtures::check(dialect.name(), cases, |text| {
            let parsed = parse(text, &Bounds::default(), &Choice::Auto);
            match dialect {
                Dialect::Sham => sham::outcome(text, &parsed),
                Dialect::Csl => csl::outcome(text, &parsed),
                _ => fixtures::describe(text, &parsed),
            }
        });
        fixtures::has_case_for(dialect.name(), codes);
    }
}
