//! The program of the review under test: `env!("CARGO_BIN_EXE_it-review")` in the tests.

fn main() -> std::process::ExitCode {
    clada_review::run(clada_client::Process::real())
}
