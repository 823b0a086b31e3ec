//! Private folders as they are laid out, without git.
#![allow(clippy::disallowed_methods, reason = "repositories are made by hand")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{Located, PrivateGit, Unfit, make};

/// A project with a repository in it, made by hand, and a place outside.
struct Ground {
    folder: TempDir,
}

impl Ground {
    fn new() -> Ground {
        let ground = Ground { folder: tempfile::tempdir().unwrap() };
        ground.repository("p/.git");
        fs::create_dir(ground.path("scratch")).unwrap();
        ground
    }

    fn repository(&self, at: &str) {
        for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "logs/refs"] {
            fs::create_dir_all(self.path(at).join(folder)).unwrap();
        }
        self.write(&format!("{at}/HEAD"), "ref: refs/heads/main\n");
        self.write(&format!("{at}/config"), "[core]\n\tautocrlf = true\n\tfsmonitor = /trap\n");
        self.write(&format!("{at}/index"), "DIRC");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn pipe(&self, name: &str) {
        let (path, mode) = (self.path(name), rustix::fs::Mode::from_raw_mode(0o600));
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }

    fn find(&self, folder: &str) -> Result<Option<Located>, Unfit> {
        Located::find(&self.path(folder), &self.path("p"))
    }

    fn make(&self) -> Result<PrivateGit, Unfit> {
        make(&self.find("p")?.unwrap(), None, &self.path("scratch"))
    }
}

#[test]
fn a_private_folder_has_what_is_read_and_a_configuration_of_its_own() {
    let ground = Ground::new();
    ground.write("p/.git/packed-refs", "# pack-refs\n");
    ground.write("p/.git/refs/stash", "0000\n");
    ground.write("p/.git/MERGE_MSG", "merged\n");
    ground.write("p/.git/hooks/post-index-change", "trap\n");
    let made = ground.make().unwrap();
    let variable = |name: &str| {
        let found = made.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    let folder = variable("GIT_DIR").unwrap();
    assert_eq!(variable("GIT_WORK_TREE"), Some(ground.path("p")));
    assert_eq!(made.outside, Vec::<PathBuf>::new());
    assert!(!folder.join("HEAD").is_symlink() && folder.join("MERGE_MSG").is_file());
    assert_eq!(folder.join("objects").read_link().unwrap(), ground.path("p/.git/objects"));
    assert_eq!(folder.join("refs/heads").read_link().unwrap(), ground.path("p/.git/refs/heads"));
    assert_eq!(folder.join("index").read_link().unwrap(), ground.path("p/.git/index"));
    assert!(folder.join("refs/stash").is_file() && !folder.join("hooks").exists());
    let config = fs::read_to_string(folder.join("config")).unwrap();
    assert!(config.contains("autocrlf = \"true\"") && !config.contains("trap"), "{config}");
}

#[test]
fn a_repository_is_found_where_git_finds_it() {
    let ground = Ground::new();
    fs::create_dir_all(ground.path("p/a/b")).unwrap();
    assert_eq!(ground.find("p/a/b").unwrap().unwrap().top, ground.path("p"));
    ground.repository("p/a/.git");
    assert_eq!(ground.find("p/a/b").unwrap().unwrap().top, ground.path("p/a"));
    // A folder without a repository's files is passed over; git is told not to take a bare repository.
    fs::create_dir_all(ground.path("p/a/b/.git")).unwrap();
    assert_eq!(ground.find("p/a/b").unwrap().unwrap().top, ground.path("p/a"));
    ground.repository("p/bare");
    assert!(ground.find("p/bare").unwrap().is_none());
    fs::remove_dir_all(ground.path("p/.git")).unwrap();
    assert!(ground.find("p").unwrap().is_none());
}

#[test]
fn a_worktree_and_a_submodule_outside_have_to_point_back() {
    for (pointing, fits) in [("p/.git", true), ("q/.git", false)] {
        let ground = Ground::new();
        fs::remove_dir_all(ground.path("p/.git")).unwrap();
        fs::create_dir_all(ground.path("q")).unwrap();
        ground.repository("main");
        let own = ground.path("main/worktrees/w");
        ground.write("main/worktrees/w/HEAD", "ref: refs/heads/w\n");
        ground.write("main/worktrees/w/commondir", "../..\n");
        ground.write("main/worktrees/w/gitdir", &format!("{}\n", ground.path(pointing).display()));
        ground.write("p/.git", &format!("gitdir: {}\n", own.display()));
        assert_eq!(ground.find("p").is_ok(), fits, "{pointing}: {:?}", ground.find("p"));
        if fits {
            let made = ground.make().unwrap();
            assert_eq!(made.outside, [ground.path("main")]);
            assert_eq!(made.environment[0].1, ground.path("scratch/git/worktrees/w").into_os_string());
        }

        ground.repository("super/modules/s");
        let tree = ground.path(pointing).parent().unwrap().display().to_string();
        ground.write("super/modules/s/config", &format!("[core]\n\tworktree = {tree}\n"));
        ground.write("p/.git", &format!("gitdir: {}\n", ground.path("super/modules/s").display()));
        assert_eq!(ground.find("p").is_ok(), fits, "{pointing}: {:?}", ground.find("p"));
    }
}

#[test]
fn what_leads_out_is_refused_and_what_would_be_waited_for_too() {
    type Plant = fn(&Ground);
    let outside: [Plant; 7] = [
        |ground| ground.write("p/.git/config", "[core]\n\tworktree = /\n"),
        |ground| ground.write("p/.git/commondir", "../../other\n"),
        |ground| ground.write("p/.git/objects/info/alternates", "../../../other/objects\n"),
        |ground| ground.write("p/.git/objects/info/alternates", "/missing\n"),
        |ground| symlink("../../../../other/HEAD", ground.path("p/.git/refs/heads/x")).unwrap(),
        |ground| symlink("../../../../other/HEAD", ground.path("p/.git/logs/refs/x")).unwrap(),
        |ground| symlink("../../other/HEAD", ground.path("p/.git/packed-refs")).unwrap(),
    ];
    for (index, plant) in outside.into_iter().enumerate() {
        let ground = Ground::new();
        ground.repository("other");
        plant(&ground);
        assert!(matches!(ground.find("p"), Err(Unfit::Outside { .. })), "{index}: {:?}", ground.find("p"));
    }
    let places = ["index", "config", "packed-refs", "shallow", "refs/heads/x", "logs/HEAD", "objects/pack/x"];
    for name in places {
        let ground = Ground::new();
        ground.pipe(&format!("p/.git/{name}"));
        assert!(matches!(ground.find("p"), Err(Unfit::Special(_))), "{name}: {:?}", ground.find("p"));
    }
    for name in ["HEAD", "commondir", "objects/info/alternates", "info/exclude", "MERGE_HEAD"] {
        let ground = Ground::new();
        ground.pipe(&format!("p/.git/{name}"));
        // The command itself would wait for ever, so the check must not read these either.
        let waits_for_nothing = match ground.find("p") {
            Ok(None) | Err(_) => true,
            Ok(Some(_)) => matches!(ground.make(), Err(Unfit::Special(_) | Unfit::Io { .. })),
        };
        assert!(waits_for_nothing, "{name}");
    }
}

#[test]
fn loops_end() {
    let ground = Ground::new();
    ground.write("p/.git/objects/info/alternates", "../objects\n.\n");
    symlink("..", ground.path("p/.git/refs/heads/loop")).unwrap();
    symlink("self", ground.path("p/.git/refs/heads/self")).unwrap();
    ground.make().unwrap();
    let away = Ground::new();
    fs::remove_dir_all(away.path("p/.git")).unwrap();
    away.write("p/.git", "gitdir: .git\n");
    assert!(away.find("p").is_err());
}
