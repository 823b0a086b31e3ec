//! Starts the program under test.

fn main() {}
