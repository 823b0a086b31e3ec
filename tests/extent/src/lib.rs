//! How many of their cases tests try: a part by default, all of them under `CLADA_ALL=1`.
//!
//! Knows no test. Every crate's tests use it, so that one variable widens all of them.

/// Returns true if `CLADA_ALL` asks for every case.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "tests are asked by their environment")]
pub fn is_whole() -> bool {
    std::env::var_os("CLADA_ALL").is_some()
}

/// Returns `whole` if `CLADA_ALL` asks for every case, else `part`.
#[must_use]
pub fn cases<T>(part: T, whole: T) -> T {
    if is_whole() { whole } else { part }
}
