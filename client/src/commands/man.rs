//! `man`: writes the manual pages into a folder. docs/man holds what it writes.

use std::fs;
use std::path::Path;

use clap_mangen::Man;

use crate::Process;
use crate::args;
use crate::exit::{Failure, Status};
use crate::output::print_line;

const CONFIG: &str = include_str!("../../man/clada-config.5");

#[expect(clippy::disallowed_methods, reason = "manual pages are no files of a project")]
pub(super) fn run(process: &mut Process, dir: &Path) -> Result<Status, Failure> {
    let pages = pages()?;
    let write = |folder: &str, name: &str, text: &[u8]| {
        let folder = dir.join(folder);
        let path = folder.join(name);
        fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text)).map_err(|error| {
            Failure::new(Status::Failed, format!("{} cannot be written: {error}", path.display()))
        })
    };
    for (name, text) in &pages {
        write("man1", name, text.as_bytes())?;
    }
    write("man5", "clada-config.5", CONFIG.as_bytes())?;
    print_line(process, &format!("{} pages in {}: man clada", pages.len() + 1, dir.display()))?;
    Ok(Status::Ok)
}

fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut command = args::command().name(args::SHORT_NAME);
    command.build();
    let mut pages = Vec::new();
    add(&mut pages, command, args::SHORT_NAME)
        .map_err(|error| Failure::new(Status::Failed, format!("a manual page cannot be made: {error}")))?;
    Ok(pages)
}

fn add(pages: &mut Vec<(String, String)>, command: clap::Command, name: &str) -> std::io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
    {
        add(pages, inner.clone(), &format!("{name}-{}", inner.get_name()))?;
    }
    let mut text = Vec::new();
    Man::new(command.name(name.to_owned())).render(&mut text)?;
    // A page is about the program, by its first name.
    let text = String::from_utf8_lossy(&text).replace("clada\\-client", args::SHORT_NAME);
    pages.push((format!("{name}.1"), text));
    Ok(())
}
