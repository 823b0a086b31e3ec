//! Links the unwinder into the program.
//!
//! With glibc, Rust takes the unwinder from `libgcc_s.so.1`, which the dynamic loader then has to find, map and
//! relocate at every start: a sixth of the time of a short call. GCC ships the same code as an archive, and what
//! is in the program already is not loaded.

#[allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a build script talks to cargo this way")]
fn main() {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-lib=gcc_eh");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
