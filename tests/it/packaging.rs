//! Packages: what packaging/build makes is installed in a scratch prefix, and used there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Answer, Ran, World, feed, output, skipped};

const CLIENT: &str = env!("CARGO_BIN_EXE_it-client");
const DAEMON: &str = env!("CARGO_BIN_EXE_it-daemon");
const REVIEW: &str = env!("CARGO_BIN_EXE_it-review");

/// The folder of the checkout.
fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn is_installed(program: &str) -> bool {
    output(Command::new(program).arg("--version")).is_ok_and(|ran| ran.status.success())
}

/// The world's programs under the names that packages give them, stripped where that is possible, since debug
/// information takes long to pack.
fn programs(world: &World) -> PathBuf {
    let folder = world.path("programs");
    std::fs::create_dir(&folder).unwrap();
    for (program, name) in [(CLIENT, "clada"), (DAEMON, "clada-daemon"), (REVIEW, "clada-review")] {
        let target = folder.join(name);
        let stripped = output(Command::new("strip").arg("-o").args([&target, Path::new(program)]));
        if !stripped.is_ok_and(|ran| ran.status.success()) {
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
    // rustc says for which platform the programs are; the world's home has no toolchain of rustup, and rustup is to
    // take the one that runs here, not to fetch the one that the checkout names.
    for name in ["HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"] {
        script.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    script.env("RUSTUP_AUTO_INSTALL", "0").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    script
}

fn the_only(folder: &Path, ending: &str) -> PathBuf {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<PathBuf> = names.filter(|path| path.to_str().unwrap().ends_with(ending)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

/// Runs a program of the system, which has to succeed.
fn succeed(command: &mut Command) {
    let ran = output(command).unwrap_or_else(|error| panic!("{error}"));
    assert!(ran.status.success(), "{command:?}: {ran:?}");
}

fn run(program: &str, args: &[&Path]) {
    succeed(Command::new(program).args(args));
}

/// Runs a program of the prefix, which has to find the daemon that was installed beside it.
fn installed(world: &World, prefix: &Path, program: &str, args: &[&str], stdin: &str) -> Ran {
    let mut command = world.program(prefix.join("bin").join(program).to_str().unwrap());
    feed(command.env_remove("CLADA_DAEMON").args(args), stdin.as_bytes())
}

/// `clada stop`, of the programs that npm installed.
fn installed_stop(world: &World, prefix: &Path) -> Command {
    let mut stop = world.program(prefix.join("bin/clada").to_str().unwrap());
    stop.arg("stop").env("PATH", std::env::var_os("PATH").unwrap());
    stop
}

/// Every file of the list is below the prefix, and nothing else; the programs do what they are for.
fn assert_works(world: &World, prefix: &Path, of_debian: bool) {
    let listed = feed(script(world, "packaging/install").arg("--list"), b"");
    let mut listed: BTreeSet<String> = listed.stdout.lines().map(str::to_owned).collect();
    if of_debian {
        let named = |path: String| match path.as_str() {
            "share/zsh/site-functions/_clada" => Some("share/zsh/vendor-completions/_clada".to_owned()),
            "share/doc/clada/CHANGELOG.md" => Some("share/doc/clada/changelog.gz".to_owned()),
            "share/doc/clada/LICENSE" => Some("share/doc/clada/copyright".to_owned()),
            path if path.starts_with("share/doc/clada/LICENSE") => None,
            path if path.starts_with("share/man") => Some(format!("{path}.gz")),
            path => Some(path.to_owned()),
        };
        listed = listed.into_iter().filter_map(named).collect();
        let of_debian = ["share/doc/clada/changelog.Debian.gz", "share/lintian/overrides/clada"];
        listed.extend(of_debian.map(str::to_owned));
    } else {
        listed.insert("install".to_owned());
    }
    let entries = walkdir::WalkDir::new(prefix).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    let files = files.map(|entry| entry.path().strip_prefix(prefix).unwrap().to_str().unwrap().to_owned());
    assert_eq!(files.collect::<BTreeSet<_>>(), listed);

    let unit = std::fs::read_to_string(prefix.join("lib/systemd/user/clada.service")).unwrap();
    assert!(unit.contains("\nExecStart=/usr") && !unit.contains("%h"), "{unit}");

    assert_is_used(world, prefix);
}

/// An answer is applied and undone, by both names of the client.
fn assert_is_used(world: &World, prefix: &Path) {
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
        succeed(Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(&folder));
    }

    let unpacked = world.path("unpacked");
    std::fs::create_dir(&unpacked).unwrap();
    let archive =
        made.iter().find(|name| name.ends_with(".tar.gz") && name.matches('-').count() > 1).unwrap();
    run("tar", &["-xzf".as_ref(), &folder.join(archive), "-C".as_ref(), &unpacked]);
    assert_works(&world, &unpacked.join(archive.trim_end_matches(".tar.gz")), false);

    let home = world.path("unpacked-home");
    let mut install = world.program("sh");
    install.arg(unpacked.join(archive.trim_end_matches(".tar.gz")).join("install")).arg(&home);
    let ran = feed(install.env("PATH", std::env::var_os("PATH").unwrap()), b"");
    assert!(ran.code == 0 && ran.stdout.contains("Add it to your PATH"), "{ran:?}");
    let unit = std::fs::read_to_string(home.join("lib/systemd/user/clada.service")).unwrap();
    assert!(unit.contains(&format!("ExecStart={}/bin/", home.display())), "{unit}");
    assert_is_used(&world, &home);

    let venv = world.path("venv");
    let has_venv = output(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    if has_venv.is_ok_and(|ran| ran.status.success()) {
        let wheel = the_only(&folder, ".whl");
        run(venv.join("bin/pip").to_str().unwrap(), &["install".as_ref(), "--no-index".as_ref(), &wheel]);
        assert_is_used(&world, &venv);
    } else {
        skipped("the wheel", "python3 with venv is not installed");
    }
    if is_installed("npm") {
        let prefix = world.path("npm");
        let tgz = made.iter().filter(|name| name.ends_with(".tgz")).map(|name| folder.join(name));
        let mut install = Command::new("npm");
        install
            .args(["install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix"])
            .arg(&prefix);
        install.args(tgz).env("npm_config_cache", world.path("npm-cache"));
        // Its home is another one: there may be none, or one that cannot be written to.
        succeed(install.env("HOME", world.path("home")).env("npm_config_update_notifier", "false"));
        let mut command = world.program(prefix.join("bin/clada").to_str().unwrap());
        command.env("PATH", std::env::var_os("PATH").unwrap()).env_remove("CLADA_DAEMON");
        let answer = Answer::new().heredoc(&world.at("made.txt"), "made");
        let ran = feed(command.arg("apply"), answer.text().as_bytes());
        assert_eq!((ran.code, world.read("made.txt").as_str()), (0, "made\n"), "{ran:?}");
        let mut wrong = world.program(prefix.join("bin/clada-client").to_str().unwrap());
        wrong.env("PATH", std::env::var_os("PATH").unwrap());
        assert_eq!(feed(wrong.args(["apply", "/none"]), b"").code, 1, "the exit status is the program's");
        let ran = feed(&mut installed_stop(&world, &prefix), b"");
        assert_eq!(ran.code, 0, "{ran:?}");
    } else {
        skipped("the packages for npm", "npm is not installed");
    }

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
        succeed(install.arg(the_only(&folder, ".deb")));
        if is_installed("lintian") {
            let mut lintian = Command::new("lintian");
            succeed(lintian.args(["--fail-on", "error,warning"]).arg(the_only(&folder, ".deb")));
        } else {
            skipped("the rules of Debian", "lintian is not installed");
        }
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

#[test]
fn the_mirrors_of_the_editors_are_complete_and_say_what_the_project_says() {
    let world = World::new();
    let folder = world.path("mirrors");
    let mut mirrors = script(&world, "packaging/mirrors");
    let ran = feed(mirrors.arg("--commit").arg(&folder), b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let of_all = ["README.md", "CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"];
    for (name, files) in [
        (
            "clada.nvim",
            &["clada.nvim-scm-1.rockspec", "doc/clada.txt", "plugin/clada.lua", "lua/clada/init.lua"][..],
        ),
        (
            "vscode-clada",
            &["package.json", "icon.png", "build.js", "src/extension.ts", "walkthrough/review.md"],
        ),
        ("clada.el", &["clada.el", "recipe"]),
    ] {
        let git = |args: &[&str]| {
            let mut git = world.program("git");
            git.env("PATH", std::env::var_os("PATH").unwrap());
            feed(git.arg("-C").arg(folder.join(name)).args(args), b"").stdout
        };
        let tracked = git(&["ls-files"]);
        let tracked: BTreeSet<&str> = tracked.lines().collect();
        for file in of_all.iter().chain(files) {
            assert!(tracked.contains(file), "{name} lacks {file}: {tracked:?}");
        }
        assert!(tracked.iter().all(|file| !file.starts_with("tests/")), "{tracked:?}");
        assert_eq!(git(&["log", "--format=%s"]).lines().count(), 1);
    }
}
