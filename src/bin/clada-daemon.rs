//! Starts the program.

fn main() -> std::process::ExitCode {
    clada_daemon::run()
}
