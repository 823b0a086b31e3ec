//! The client under test: `env!("CARGO_BIN_EXE_it-client")` in the tests.

fn main() -> std::process::ExitCode {
    clada_client::run(clada_client::Process::real())
}
