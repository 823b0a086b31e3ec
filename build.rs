//! Links the unwinder into both programs, where the C compiler has it as an archive.
//!
//! With glibc, Rust takes the unwinder from `libgcc_s.so.1`, which the dynamic loader then has to find, map
//! and relocate at every start: a sixth of the time of a short call. GCC ships the same code as an archive,
//! and code that is in the program already is not loaded. Without the archive, the program is linked as any
//! other.

#[allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a build script talks to cargo and cc this way"
)]
fn main() {
    println!("cargo::rerun-if-env-changed=CC");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let native = variable("HOST") == variable("TARGET");
    if !native || variable("CARGO_CFG_TARGET_OS") != "linux" || variable("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let asked = std::process::Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output();
    let found = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    if found.is_some_and(|path| std::path::Path::new(path.trim()).is_absolute()) {
        println!("cargo::rustc-link-lib=gcc_eh");
    }
}
