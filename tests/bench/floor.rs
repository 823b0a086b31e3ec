//! The floor of `apply`: a small program that writes fifty files of 4 kB, each to a temporary file, fsync,
//! rename.
//!
//!     floor DIR ROUND [folder]
//!
//! With `folder` it flushes the folder at the end too, as clada does. It knows nothing of clada.

#![allow(clippy::expect_used, reason = "a bench that cannot go on ends")]
#![allow(clippy::disallowed_methods, reason = "the floor is what the ban is about")]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

#[path = "workload.rs"]
mod workload;

fn main() -> std::io::Result<()> {
    let args: Vec<OsString> = std::env::args_os().collect();
    let folder = PathBuf::from(&args[1]);
    let round = args[2].to_str().and_then(|round| round.parse().ok()).expect("a number");
    for number in 0..workload::FILES {
        let target = folder.join(workload::name(number));
        let temporary = folder.join(format!(".floor-{number}"));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(workload::content(round, number).as_bytes())?;
        file.sync_all()?;
        drop(file);
        std::fs::rename(&temporary, &target)?;
    }
    if args.get(3).is_some() {
        File::open(&folder)?.sync_all()?;
    }
    Ok(())
}
