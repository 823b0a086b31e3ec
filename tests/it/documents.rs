//! The command lines of the README and the pages in docs/ are commands: each is run, in the order of its page.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Answer, Ran, World, feed};

const CLIENT: &str = env!("CARGO_BIN_EXE_it-client");

/// What waits for a person, for changes or for the end of the terminal: its flags are checked, with `--help` behind.
const WAITS: [&str; 6] =
    ["clada watch", "clada listen", "clada log", "clada apply -i", "clada review", "clada config edit"];

/// The command lines of a page: those of its indented blocks that run clada, without their comments.
fn command_lines(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let indented = text.lines().filter(|line| line.starts_with("    "));
    let lines = indented.map(|line| line.trim().split("  #").next().unwrap().trim_end().to_owned());
    let is_command = |line: &String| {
        let words = line.split([' ', '(', '|']).filter(|word| !word.is_empty());
        let mut words = words.skip_while(|word| *word != "clada").skip(1);
        let runs = line.starts_with("clada ") || line.contains("| clada ") || line.contains("$(clada ");
        runs && words.next().is_some_and(|word| word.starts_with(|first: char| first.is_ascii_lowercase()))
    };
    lines.filter(is_command).collect()
}

/// The folder of the checkout.
fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn pages() -> Vec<PathBuf> {
    let docs = walkdir::WalkDir::new(checkout().join("docs")).sort_by_file_name().into_iter();
    let pages = docs.map(|entry| entry.unwrap().into_path());
    let is_page =
        |page: &PathBuf| page.extension().is_some_and(|end| end == "md") && !page.ends_with("help.md");
    pages.filter(is_page).chain([checkout().join("README.md")]).collect()
}

/// A project with what the pages speak of, in a repository where there is git. Programs beside clada that the pages
/// name are stand-ins.
fn world() -> World {
    let mut world = crate::git::repository("").unwrap_or_else(World::new);
    let answer = Answer::new().replace(&world.at("src/main.rs"), "one", "two");
    for name in ["response.md", "a.md", "answer.md"] {
        world.lay(name, answer.text());
    }
    world.lay("src/main.rs", "one\n");
    world.lay("README.md", "Read me.\n");
    world.lay("task.md", "Do it.\n");
    world.lay("params.json", r#"{"text": ""}"#);
    // Without git, the lines that need it say so.
    let _ = crate::git::git(&world, &["add", "-A"]);
    let _ = crate::git::git(&world, &["commit", "-qm", "all"]);
    std::fs::create_dir_all(world.path("home/Downloads/edited")).unwrap();
    let programs = world.path("programs");
    std::fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(CLIENT, programs.join("clada")).unwrap();
    let clipboard =
        format!("case \"$*\" in *-o*) cat '{}/answer.md' ;; *) cat > /dev/null ;; esac", world.root());
    let agents = ["claude", "codex", "gemini", "aider"].map(|agent| (agent, "exit 0"));
    for (name, script) in
        [("xclip", clipboard.as_str()), ("xdg-open", "test -d \"$1\"")].into_iter().chain(agents)
    {
        std::fs::write(programs.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(programs.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    world.set("DISPLAY", ":0");
    world.set("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    world
}

/// Runs a command line of a page, with real values for those that it leaves open.
fn run(world: &World, line: &str) -> Ran {
    let mut line = line.to_owned();
    if line.contains("CLOCK") {
        let changes: Value = serde_json::from_str(&world.run(&["--json", "changes"], "").stdout).unwrap();
        line = line.replace("CLOCK", changes["clock"].as_str().unwrap());
    }
    if line.contains(" OP") {
        let history: Value = serde_json::from_str(&world.run(&["--json", "history"], "").stdout).unwrap();
        line =
            line.replace(" OP", &format!(" {}", history["operations"][0]["operationId"].as_str().unwrap()));
    }
    if line == "clada apply" || WAITS.iter().any(|waits| line.starts_with(waits)) {
        line += " --help";
    }
    feed(world.program("sh").arg("-c").arg(&line), b"")
}

#[test]
fn every_command_line_of_the_documents_runs() {
    let mut lines = 0;
    for page in pages() {
        let commands = command_lines(&page);
        if commands.is_empty() {
            continue;
        }
        let world = world();
        // Pages speak of what was done before: here is something that was.
        assert_eq!(world.run(&["apply", "response.md"], "").code, 0);
        for line in commands {
            let ran = run(&world, &line);
            // Nothing to undo, or a checkpoint that is not open, is no wrong usage, and no missing program.
            let asks = ran.stderr.contains("no terminal to ask at");
            assert!(matches!(ran.code, 0 | 1) || asks, "{}: {line}\n{ran:?}", page.display());
            lines += 1;
        }
    }
    assert!(lines > 60, "{lines} command lines");
}
