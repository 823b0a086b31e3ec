//! The ladder's tests: each rung and each rule, what holds for any text, and real commits with damaged edits.

mod bench;
mod inflate;

use super::*;
