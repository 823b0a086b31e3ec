//! Random agents: scripts that change a project in every way, each recorded and undone, with the trees compared.

use std::fmt::Write as _;

use super::{committed, files, git, record, repository, run};
use crate::support::{World, all};

const AGENTS: u64 = 6;
const ALL_AGENTS: u64 = 500;

/// Numbers that are the same in every run (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// A folder, or a file in one.
    fn path(&mut self) -> String {
        let folder = ["", "src/", "src/deep/", "docs/", "links/"][usize::try_from(self.below(5)).unwrap()];
        format!("{folder}f{}", self.below(8))
    }
}

/// A line of a script of the shell that changes something. What it needs may be missing by then.
fn change(chance: &mut Chance) -> String {
    let (one, other) = (chance.path(), chance.path());
    let number = chance.below(1000);
    match chance.below(17) {
        0 | 1 => format!("mkdir -p $(dirname {one}); echo {number} > {one}"),
        2 => format!("echo {number} >> {one}"),
        3 => format!("rm -f {one}"),
        4 => format!("mkdir -p $(dirname {other}); mv -f {one} {other}"),
        5 => format!("chmod {} {one}", ["600", "755", "444", "644"][usize::try_from(number % 4).unwrap()]),
        6 => format!("rm -rf src/deep; ln -s ../docs src/deep # {number}"),
        7 => format!("rm -rf {one}; mkdir -p {one}; echo {number} > {one}/inner"),
        8 => format!("ln -sfn {other} {one}"),
        9 => format!("for i in $(seq {}); do echo $i > many$i; done", number % 60),
        10 => "git checkout -q other -- . || true".to_owned(),
        11 => format!("mkdir -p node_modules/p{number}; echo x > node_modules/p{number}/index.js"),
        12 => format!("chmod {} docs", ["700", "755", "711"][usize::try_from(number % 3).unwrap()]),
        13 => format!("rm -rf docs; mkdir docs; echo {number} > docs/f1"),
        14 => format!("cp -p {one} copy{number}; ln -f {one} hard{number}"),
        15 => format!("printf '\\000{number}' > {one}"),
        _ => format!("mv src source; mkdir -p src; echo {number} > src/f0; mv source docs/source"),
    }
}

fn script(seed: u64) -> String {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut script = String::from("exec 2>/dev/null\n");
    for _ in 0..chance.below(12) + 1 {
        let _ = writeln!(script, "{}", change(&mut chance));
    }
    if seed % 50 == 49 {
        script.push_str("mkdir big; for i in $(seq 5000); do echo $i > big/$i; done\n");
    }
    if seed % 5 == 3 {
        script.push_str("git checkout -q other; git checkout -q -f other\n");
    }
    script + "true\n"
}

fn world() -> World {
    let world = committed(&[
        ("f0", "zero\n"),
        ("f1", "one\n"),
        ("src/f0", "a\nb\nc\n"),
        ("src/f2", "two\n"),
        ("src/deep/f3", "three\n"),
        ("src/deep/f4", "four\n"),
        ("docs/f1", "text\n"),
        (".gitignore", "node_modules\ntarget\n"),
        ("node_modules/old/index.js", "old\n"),
    ]);
    git(&world, &["checkout", "-q", "-b", "other"]);
    world.lay("f1", "other\n");
    world.lay("only_other", "x\n");
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-q", "-m", "other"]);
    git(&world, &["checkout", "-q", "main"]);
    // Dirty, untracked, staged, and tracked although ignored.
    world.lay("src/f2", "dirty\n");
    world.lay("docs/f7", "untracked\n");
    world.lay("src/f5", "staged\n");
    world.lay("target/kept", "kept\n");
    git(&world, &["add", "src/f5"]);
    git(&world, &["add", "-f", "target/kept"]);
    world.lay("src/f5", "staged, then changed\n");
    std::os::unix::fs::symlink("../f0", world.path("project/src/link")).unwrap();
    world
}

/// Everything but what git ignores, of which only what is tracked is restored.
fn kept(world: &World) -> crate::support::Tree {
    files(world).filter(|path| !path.as_encoded_bytes().starts_with(b"node_modules"))
}

#[test]
fn what_random_agents_did_is_undone_to_the_last_byte() {
    let agents = if all() { ALL_AGENTS } else { AGENTS };
    let first = world();
    for seed in 0..agents {
        let fresh;
        // A script that moved HEAD leaves another repository behind.
        let world = if seed % 5 == 3 {
            fresh = self::world();
            &fresh
        } else {
            &first
        };
        let (before, state) = (kept(world), repository(world));
        let script = script(seed);
        let line = record(world, &script);
        if line.starts_with("recorded nothing") {
            continue;
        }
        let after = kept(world);
        let id = line.rsplit(' ').next().unwrap().to_owned();
        let undone = run(world, &["undo", &id]);
        let difference = before.difference(&kept(world));
        assert!(difference.is_empty(), "agent {seed}:\n{script}\n{undone:?}\n{difference}");
        if seed % 5 != 3 && !script.contains("git checkout") {
            assert_eq!(repository(world), state, "agent {seed}:\n{script}");
        }
        run(world, &["redo"]);
        let difference = after.difference(&kept(world));
        assert!(difference.is_empty(), "agent {seed}, redone:\n{script}\n{difference}");
        run(world, &["undo", &id]);
        let difference = before.difference(&kept(world));
        assert!(difference.is_empty(), "agent {seed}, undone again:\n{script}\n{difference}");
        git(world, &["reset", "-q"]);
        git(world, &["add", "src/f5"]);
        git(world, &["add", "-f", "target/kept"]);
    }
    git(&first, &["fsck", "--strict"]);
}
