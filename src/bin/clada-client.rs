//! Starts the program.

fn main() -> std::process::ExitCode {
    clada_client::run(clada_client::Process::real())
}
