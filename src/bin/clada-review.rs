//! Starts the program.

fn main() -> std::process::ExitCode {
    clada_review::run(clada_client::Process::real())
}
