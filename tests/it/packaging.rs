//! Packages: what packaging/build makes is installed in a scratch prefix, and used there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Answer, Ran, World, feed, skipped};

const CLIENT: &str = env!("CARGO_BIN_EXE_it-client");
const DAEMON: &str = env!("CARGO_BIN_EXE_it-daemon");
const REVIEW: &str = env!("CARGO_BIN_EXE_it-review");

/// The folder of the checkout.
fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The world's programs under the names that packages give them, stripped where that is possible, since debug
/// information takes long to pack.
fn programs(world: &World) -> PathBuf {
    let folder = world.path("programs");
    std::fs::create_dir(&folder).unwrap();
    for (program, name) in [(CLIENT, "clada"), (DAEMON, "clada-daemon"), (REVIEW, "clada-review")] {
        let target = folder.join(name);
        let stripped = Command::new("strip").arg("-o").args([&target, Path::new(program)]).status();
        if !stripped.is_ok_and(|status| status.success()) {
            std::fs::copy(program, &target).unwrap();
        }
    }
    folder
}

/// Makes all packages of the world's programs and returns the folder with them.
fn packages(world: &World) -> PathBuf {
    let folder = world.path("packages");
    let mut build = script(world, "packaging/build");
    build
        .arg("--programs")
        .arg(programs(world))
        .args(["--quick", "--url", "https://clada.example/v1"])
        .arg(&folder);
    let ran = feed(&mut build, b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

/// A script of the checkout, which may read but not write there.
fn script(world: &World, path: &str) -> Command {
    let mut script = world.program("sh");
    script.arg(checkout().join(path));
    script.env("PATH", std::env::var_os("PATH").unwrap());
    if let Some(folder) = std::env::var_os("RUSTUP_HOME") {
        script.env("RUSTUP_HOME", folder);
    }
    // rustc says for which platform the programs are; the world's home has no toolchain of rustup.
    script.env("HOME", std::env::var_os("HOME").unwrap());
    script
}

fn the_only(folder: &Path, ending: &str) -> PathBuf {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<PathBuf> = names.filter(|path| path.to_str().unwrap().ends_with(ending)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

fn run(program: &str, args: &[&Path]) {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
}

/// Runs a program of the prefix, which has to find the daemon that was installed beside it.
fn installed(world: &World, prefix: &Path, program: &str, args: &[&str], stdin: &str) -> Ran {
    let mut command = world.program(prefix.join("bin").join(program).to_str().unwrap());
    feed(command.env_remove("CLADA_DAEMON").args(args), stdin.as_bytes())
}

/// Every file of the list is below the prefix, and nothing else; the programs do what they are for.
fn assert_works(world: &World, prefix: &Path, compressed: bool) {
    let listed = feed(script(world, "packaging/install").arg("--list"), b"");
    let mut listed: BTreeSet<String> = listed.stdout.lines().map(str::to_owned).collect();
    if compressed {
        let name = |path: String| if path.starts_with("share/man") { path + ".gz" } else { path };
        listed = listed.into_iter().map(name).collect();
    }
    let entries = walkdir::WalkDir::new(prefix).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    let files = files.map(|entry| entry.path().strip_prefix(prefix).unwrap().to_str().unwrap().to_owned());
    assert_eq!(files.collect::<BTreeSet<_>>(), listed);

    let unit = std::fs::read_to_string(prefix.join("lib/systemd/user/clada.service")).unwrap();
    assert!(unit.contains("\nExecStart=/usr") && !unit.contains("%h"), "{unit}");

    let answer = Answer::new().heredoc(&world.at("made.txt"), "made");
    let ran = installed(world, prefix, "clada", &["apply"], answer.text());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(world.read("made.txt"), "made\n");
    let ran = installed(world, prefix, "clada-client", &["undo"], "");
    assert_eq!((ran.code, world.exists("made.txt")), (0, false), "{ran:?}");
    let ran = installed(world, prefix, "clada", &["stop"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn packages_are_installed_and_used() {
    let world = World::new();
    let folder = packages(&world);

    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    let named: BTreeSet<&str> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    let made =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let made: BTreeSet<String> = made.filter(|name| name != "SHA256SUMS").collect();
    assert_eq!(named, made.iter().map(String::as_str).collect());
    if is_installed("sha256sum") {
        let check =
            Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(&folder).output().unwrap();
        assert!(check.status.success(), "{check:?}");
    }

    let unpacked = world.path("unpacked");
    std::fs::create_dir(&unpacked).unwrap();
    let archive =
        made.iter().find(|name| name.ends_with(".tar.gz") && name.matches('-').count() > 1).unwrap();
    run("tar", &["-xzf".as_ref(), &folder.join(archive), "-C".as_ref(), &unpacked]);
    assert_works(&world, &unpacked.join(archive.trim_end_matches(".tar.gz")), false);

    if is_installed("dpkg-deb") {
        // A system of its own for dpkg, with nothing in it but its record.
        let system = world.path("system");
        for name in ["updates", "info"] {
            std::fs::create_dir_all(system.join("var/lib/dpkg").join(name)).unwrap();
        }
        std::fs::write(system.join("var/lib/dpkg/status"), "").unwrap();
        let mut install = Command::new("dpkg");
        install.args(["--force-not-root", "--force-depends", "--force-script-chrootless"]);
        install.arg(format!("--root={}", system.display())).arg("--log=/dev/null").arg("--install");
        let output = install.arg(the_only(&folder, ".deb")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_works(&world, &system.join("usr"), true);
    } else {
        skipped("the .deb", "dpkg-deb is not installed");
    }

    if made.contains("clada.rb") {
        let formula = std::fs::read_to_string(folder.join("clada.rb")).unwrap();
        assert!(
            formula.contains("https://clada.example/v1/clada-") && !formula.contains("@URL@"),
            "{formula}"
        );
        let source =
            sums.lines().find(|line| line.matches('-').count() == 1 && line.ends_with(".tar.gz")).unwrap();
        assert!(formula.contains(source.split_once("  ").unwrap().0), "{formula}\n{source}");
        if is_installed("ruby") {
            run("ruby", &["-c".as_ref(), &folder.join("clada.rb")]);
        } else {
            skipped("the syntax of the formula", "ruby is not installed");
        }
    } else {
        skipped("the formula", "the checkout is none of git");
    }
}
