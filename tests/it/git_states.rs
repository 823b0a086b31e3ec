//! `git status` before an operation and after its undo, in each state that a repository may be in.
//!
//! A row is a state: a script that makes it, in its own folder. The same answer is applied in each, and
//! undone; git then has to say exactly what it said before. Some rows are tried each time, all of them with
//! `CLADA_ALL=1`.

use std::path::Path;

use serde_json::json;

use crate::support::{Answer, World, skipped};

/// Every so many rows, one is tried by default.
const EVERY: usize = 10;

/// Makes a repository with a commit.
const BASE: &str = "git init -q -b main .; mkdir d; echo one > a; echo s > s; echo d > d/f; git add .; \
                    git commit -qm first;";

/// Makes two branches that conflict in `a`.
const FORKED: &str = "git checkout -qb side; echo side > a; git commit -qam side; git checkout -q main; \
                      echo main > a; git commit -qam main;";

/// The states: a name, and what comes after [`BASE`].
const STATES: &[(&str, &str)] = &[
    ("clean", ""),
    ("staged", "echo 2 >> s; git add s"),
    ("unstaged", "echo 2 >> s"),
    ("staged and unstaged", "echo 2 >> a; git add a; echo 3 >> a"),
    ("untracked", "echo u > u; mkdir v; echo v > v/w"),
    ("ignored", "echo u > .gitignore; echo u > u"),
    ("tracked and ignored", "echo a > .gitignore; git add .; git commit -qm ignore; echo 2 >> a"),
    (
        "ignored, and restored below",
        "printf '**/u\\n' > .gitignore; printf '!u\\n' > d/.gitignore; mkdir d/u; echo u > d/u/x",
    ),
    ("user gitignore", "git config core.excludesFile .mine; printf 'u\\n.mine\\n' > .mine; echo u > u"),
    ("info/exclude", "mkdir -p .git/info; echo u > .git/info/exclude; echo u > u"),
    ("renamed", "git mv a u"),
    ("deleted", "rm s"),
    ("deletion staged", "git rm -q s"),
    ("deletion staged, file kept", "git rm -q --cached a"),
    ("intent to add", "echo u > u; git add -N u"),
    ("intent to add, index version 4", "git update-index --index-version 4; echo u > u; git add -N u"),
    ("merge", "FORKED git merge side || true"),
    (
        "merge without a conflict",
        "git checkout -qb side; echo x > x; git add x; git commit -qm x; git checkout -q main; echo y > y; git add y; git commit -qm y; git merge -q --no-commit --no-ff side",
    ),
    ("rebase", "FORKED git rebase side || true"),
    ("cherry-pick", "FORKED git cherry-pick side || true"),
    (
        "revert",
        "echo 2 > a; git commit -qam 2; echo 3 > a; git commit -qam 3; git revert --no-edit HEAD~1 || true",
    ),
    ("bisect", "echo 2 > a; git commit -qam 2; git bisect start; git bisect bad"),
    ("detached", "git checkout -q --detach; echo 2 >> s"),
    ("unborn branch", "git checkout -q --orphan none; git rm -rqf .; mkdir -p d"),
    ("orphan with files", "git checkout -q --orphan other"),
    ("empty repository", "rm -rf .git a s d; git init -q -b main ."),
    (
        "shallow",
        "echo 2 > a; git commit -qam 2; git clone -q --depth 1 file://$PWD ../TEMP; rm -rf .git; mv ../TEMP/.git .; rm -rf ../TEMP",
    ),
    ("main work tree of two", "git worktree add -q ../LINKED -b linked"),
    (
        "submodule",
        "git init -q ../MODULE; (cd ../MODULE; echo m > m; git add m; git commit -qm m); git submodule add -q ../MODULE m; git commit -qm module",
    ),
    (
        "submodule, dirty",
        "git init -q ../MODULE; (cd ../MODULE; echo m > m; git add m; git commit -qm m); git submodule add -q ../MODULE m; git commit -qm module; echo 2 > m/m",
    ),
    (
        "submodule, new commit",
        "git init -q ../MODULE; (cd ../MODULE; echo m > m; git add m; git commit -qm m); git submodule add -q ../MODULE m; git commit -qm module; (cd m; echo 2 > m; git commit -qam 2)",
    ),
    ("nested repository", "git init -q n; (cd n; echo n > n; git add n; git commit -qm n; echo 2 > n)"),
    ("sparse, no cone", "git sparse-checkout set --no-cone '/*' '!/d/'"),
    ("sparse, cone", "git sparse-checkout set --cone e"),
    ("sparse index", "git sparse-checkout set --cone --sparse-index e"),
    ("skip-worktree", "git update-index --skip-worktree s; echo 2 >> s"),
    ("skip-worktree, file gone", "git update-index --skip-worktree s; rm s"),
    ("assume-unchanged", "git update-index --assume-unchanged s; echo 2 >> s"),
    ("index version 3", "git update-index --index-version 3; git update-index --skip-worktree s"),
    ("index version 4", "git update-index --index-version 4; echo 2 >> s; git add s"),
    ("split index", "git update-index --split-index; echo 2 >> s; git add s"),
    ("untracked cache", "git update-index --untracked-cache; echo u > u; git status -s"),
    (
        "fsmonitor hook",
        "printf '#!/bin/sh\\nexit 1\\n' > .git/fs; chmod +x .git/fs; git config core.fsmonitor .git/fs; echo u > u",
    ),
    ("filemode false", "git config core.filemode false; chmod +x s"),
    ("mode changed", "chmod +x a"),
    ("mode staged", "chmod +x a; git add a"),
    (
        "symlinks false",
        "ln -s a l; git add l; git commit -qm l; rm l; git config core.symlinks false; printf a > l",
    ),
    ("symlink", "ln -s a l; ln -s nowhere u; git add l"),
    ("file to symlink", "rm s; ln -s a s"),
    ("symlink to file", "ln -s a l; git add l; git commit -qm l; rm l; echo l > l"),
    ("file to folder", "rm s; mkdir s; echo s > s/s"),
    ("ignorecase", "git config core.ignorecase true; echo U > .gitignore; echo u > u"),
    ("autocrlf true", "git config core.autocrlf true; rm a; git checkout -q a; echo 2 >> s"),
    ("autocrlf input", "git config core.autocrlf input; printf 'two\\r\\n' > s"),
    (
        "eol attributes",
        "echo '* text eol=crlf' > .gitattributes; git add .; git commit -qm eol; rm a s; git checkout -q a s; echo 2 >> s",
    ),
    ("binary attribute", "echo '* -text' > .gitattributes; printf 'x\\r\\n' > s"),
    (
        "filter",
        "echo 'a filter=up' > .gitattributes; git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; git add .; git commit -qm filter",
    ),
    (
        "working-tree-encoding",
        "echo 'e working-tree-encoding=UTF-16LE' > .gitattributes; printf 'e\\0\\n\\0' > e; git add .; git commit -qm e",
    ),
    (
        "pointer of LFS",
        "echo 'a filter=lfs -text' > .gitattributes; printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 1\\n' > a",
    ),
    (
        "ident attribute",
        "echo 'a ident' > .gitattributes; printf '$Id$\\n' > a; git add .; git commit -qm ident; rm a; git checkout -q a",
    ),
    ("export attributes", "echo 'a export-ignore export-subst' > .gitattributes; git add .; echo 2 >> s"),
    ("separate git folder", "git init -q --separate-git-dir ../GITDIR; echo 2 >> s"),
    (
        "separate git folder that names this one",
        "git init -q --separate-git-dir ../GITDIR; git config core.worktree \"$PWD\"; echo 2 >> s",
    ),
    (
        "symbolic link as .git",
        "mv .git ../GITDIR; ln -s ../GITDIR .git; git config core.worktree \"$PWD\"; echo 2 >> s",
    ),
    (
        "alternates",
        "git clone -q -s . ../TEMP; mkdir ../LENT; mv .git ../LENT; mv ../TEMP/.git .; echo $PWD/../LENT/.git/objects > .git/objects/info/alternates; rm -rf ../TEMP; echo 2 >> s",
    ),
    ("packed", "git pack-refs --all; git gc -q; echo 2 >> s"),
    (
        "reftable",
        "rm -rf .git; git init -q -b main --ref-format=reftable .; git add .; git commit -qm first; echo 2 >> s",
    ),
    (
        "sha256",
        "rm -rf .git; git init -q -b main --object-format=sha256 .; git add .; git commit -qm first; echo 2 >> s",
    ),
    (
        "configuration of a work tree",
        "git config extensions.worktreeConfig true; git config --worktree core.autocrlf input; echo 2 >> s",
    ),
    ("precomposeunicode", "git config core.precomposeunicode true; echo u > \"$(printf 'u\\314\\210')\""),
    ("notes", "git notes add -m note; echo 2 >> s"),
    ("replaced commit", "echo 2 > a; git commit -qam 2; git replace --graft HEAD; echo 2 >> s"),
    ("stash", "echo 2 >> s; git stash -q; echo 3 >> a"),
    (
        "hooks",
        "mkdir -p .git/hooks; for hook in pre-commit post-commit reference-transaction post-index-change; do printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/$hook; done; echo 2 >> s; git add s; chmod +x .git/hooks/*",
    ),
    ("tag alone", "git tag v1; git checkout -q v1; git branch -qD main"),
    ("signed commits", "git config commit.gpgsign true; git config user.signingkey none; echo 2 >> s"),
    ("lock of another program", "echo 2 >> s; echo > .git/other.lock"),
];

/// What git says of the repository.
#[derive(Debug, PartialEq, Eq)]
struct Said(Vec<String>);

fn sh(world: &World, folder: &Path, script: &str) -> Result<String, String> {
    let mut command = world.program("sh");
    command.current_dir(folder).args(["-c", script]).env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "protocol.file.allow")
        .env("GIT_CONFIG_VALUE_0", "always")
        .env("GIT_EDITOR", "true");
    let ran = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    if ran.status.success() {
        Ok(text)
    } else {
        Err(format!("{text}{}", String::from_utf8_lossy(&ran.stderr)))
    }
}

fn said(world: &World, folder: &Path) -> Said {
    let all = "git status --porcelain; echo; git status --porcelain --ignored --untracked-files=all; echo; \
               git ls-files -s -v; echo; git rev-parse -q --verify HEAD; git symbolic-ref -q HEAD; \
               git stash list; git for-each-ref | grep -v refs/clada/; true";
    Said(sh(world, folder, all).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn git_says_after_an_undo_what_it_said_before() {
    let world = World::with_config("durability: fast\n");
    if let Err(error) = sh(&world, &world.project(), "git --version") {
        return skipped("the states of repositories", &format!("there is no git here ({error})"));
    }
    let every = if std::env::var_os("CLADA_ALL").is_some() { 1 } else { EVERY };
    let mut connection = world.connect();
    let mut different = Vec::new();
    for (number, (name, script)) in STATES.iter().enumerate().filter(|(number, _)| number % every == 0) {
        let folder = world.path(&format!("outside/{number}/project"));
        std::fs::create_dir_all(&folder).unwrap();
        let script = format!("{BASE} {}", script.replace("FORKED", FORKED));
        if let Err(error) = sh(&world, &folder, &script) {
            // git is too old for it.
            skipped(name, error.trim());
            continue;
        }
        let before = said(&world, &folder);
        let root = folder.to_str().unwrap();
        let mut answer = Answer::new().write(&format!("{root}/new/b"), "b\n");
        for path in ["a", "s", "u", "d/f", "d/u/x", "n/n", "m/m", "y"] {
            let file = folder.join(path);
            if file.symlink_metadata().is_ok_and(|found| found.is_file()) {
                answer = answer.write(&format!("{root}/{path}"), "written\n");
            }
        }
        let applied = connection.call("execute", &json!({ "root": root, "text": answer.text() }));
        assert!(folder.join("new/b").exists(), "{name}: {applied:#}");
        // As an editor or a prompt does.
        let meanwhile = said(&world, &folder);
        let undone = connection.call("undo", &json!({ "root": root }));
        let after = said(&world, &folder);
        if after != before {
            different.push(format!(
                "{name}:\nbefore {before:#?}\nmeanwhile {meanwhile:#?}\nafter {after:#?}\n{:#}\n{undone:#}",
                applied["git"]
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}
