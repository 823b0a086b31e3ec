//! The daemon under test: `env!("CARGO_BIN_EXE_it-daemon")` in the tests.

fn main() -> std::process::ExitCode {
    clada_daemon::run()
}
