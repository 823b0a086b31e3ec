//! Starts the program under test.

fn main() -> std::process::ExitCode {
    clada_client::run(clada_client::Process::real())
}
