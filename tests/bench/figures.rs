//! Prints figures of the running product, each alongside its floor, measured in turns.
//!
//!     figures [status|process|start|apply|journal|growth|git|daily|plain|watch|stage|mcp|exec|checkpoint]...
//!
//! See README.md next to this file. It needs the dist binaries in the folder above its own.

#![allow(clippy::expect_used, reason = "a bench that cannot go on ends")]
#![allow(clippy::print_stdout, reason = "it prints measurements")]
#![allow(clippy::disallowed_methods, reason = "it starts what it measures and makes the files for it")]

mod apply;
#[cfg(target_os = "linux")]
mod checkpoint;
mod command;
mod daily;
mod git;
mod journal;
mod mcp;
mod measure;
mod place;
mod plain;
mod process;
mod reading;
mod roundtrip;
#[cfg(target_os = "linux")]
mod stage;
mod start;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod word;
mod workload;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [bare, socket, answer] = &wanted[..]
        && bare == "bare"
    {
        return roundtrip::serve_bare(socket.as_ref(), answer);
    }
    let all: &[(&str, fn())] = &[
        ("status", roundtrip::run),
        ("process", process::run),
        ("start", start::run),
        ("apply", apply::run),
        ("journal", journal::run),
        ("growth", journal::growth),
        ("git", git::run),
        ("daily", daily::run),
        ("plain", plain::run),
        #[cfg(target_os = "linux")]
        ("watch", watch::run),
        #[cfg(target_os = "linux")]
        ("watch", word::run),
        #[cfg(target_os = "linux")]
        ("stage", stage::run),
        ("mcp", mcp::run),
        ("exec", command::run),
        ("exec", reading::run),
        #[cfg(target_os = "linux")]
        ("checkpoint", checkpoint::run),
    ];
    for (name, run) in all {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == *name) {
            run();
        }
    }
}
