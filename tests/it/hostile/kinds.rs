//! The kinds of hostile repositories: a name, and the files planted into a harmless one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::Ground;
use crate::support::skipped;

/// A kind, and the function that makes one.
pub(super) type Kind = (&'static str, fn(&Ground));

pub(super) const KINDS: &[Kind] = &[
    // Programs.
    ("filter", |ground| {
        ground.configure("[filter \"e\"]\n\tclean = TRAP\n\tsmudge = TRAP\n\trequired = true\n");
        ground.write(".gitattributes", "* filter=e\n");
        ground.write("a.txt", "one two\n");
    }),
    ("filter process", |ground| {
        ground.configure("[filter \"lfs\"]\n\tprocess = TRAP\n\tclean = TRAP %f\n\trequired = true\n");
        ground.write(".git/info/attributes", "* filter=lfs diff=lfs merge=lfs -text\n");
        ground.write("a.txt", "one two\n");
    }),
    ("diff drivers", |ground| {
        ground.configure("[diff]\n\texternal = TRAP\n[diff \"e\"]\n\tcommand = TRAP\n\ttextconv = TRAP\n");
        ground.write(".gitattributes", "* diff=e\n");
        ground.write("a.txt", "one two\n");
    }),
    ("merge drivers", |ground| {
        ground.configure("[merge \"e\"]\n\tdriver = TRAP %A\n[merge]\n\tdefault = e\n");
        ground.write(".gitattributes", "* merge=e\n");
    }),
    ("fsmonitor", |ground| ground.configure("[core]\n\tfsmonitor = TRAP\n")),
    ("hooks", |ground| {
        ground.configure("[core]\n\thooksPath = hooks\n");
        for hook in [
            "post-index-change",
            "pre-commit",
            "commit-msg",
            "prepare-commit-msg",
            "post-commit",
            "reference-transaction",
            "post-checkout",
            "fsmonitor-watchman",
        ] {
            for folder in ["hooks", ".git/hooks"] {
                std::fs::create_dir_all(ground.at(folder)).unwrap();
                std::fs::copy(&ground.trap, ground.at(folder).join(hook)).unwrap();
            }
        }
    }),
    ("pagers and editors", |ground| {
        ground.configure("[core]\n\tpager = TRAP\n\teditor = TRAP\n[pager]\n\tlog = TRAP\n\tstatus = TRAP\n");
        ground.configure(
            "[sequence]\n\teditor = TRAP\n[interactive]\n\tdiffFilter = TRAP\n[color]\n\tui = always\n",
        );
    }),
    ("transports", |ground| {
        ground.configure("[core]\n\tsshCommand = TRAP\n\tgitProxy = TRAP\n\taskPass = TRAP\n");
        ground.configure("[remote \"origin\"]\n\turl = ext::TRAP\n\tuploadpack = TRAP\n\tvcs = TRAP\n");
        ground.configure("[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n");
        ground.configure("[protocol \"ext\"]\n\tallow = always\n[credential]\n\thelper = TRAP\n");
    }),
    ("signatures", |ground| {
        ground.configure(
            "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = TRAP\n[gpg \"ssh\"]\n\tprogram = TRAP\n",
        );
        ground.configure(
            "[commit]\n\tgpgSign = true\n[format]\n\tpretty = \"%G? %H\"\n[user]\n\tsigningKey = x\n",
        );
    }),
    ("aliases", |ground| {
        for name in ["status", "diff", "log", "show", "branch", "stash"] {
            ground.configure(&format!("[alias]\n\t{name} = !TRAP\n"));
        }
    }),
    ("alternates command", |ground| ground.configure("[core]\n\talternateRefsCommand = TRAP\n")),
    ("promisor", |ground| {
        ground.configure("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n");
        ground.configure(
            "[remote \"origin\"]\n\turl = ext::TRAP\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n",
        );
        ground.configure("[protocol]\n\tallow = always\n");
        // Something is missing that would be fetched.
        let objects = ground.at(".git/objects");
        for entry in std::fs::read_dir(objects).unwrap().flatten().take(3) {
            if entry.file_name().len() == 2 {
                std::fs::remove_dir_all(entry.path()).unwrap();
            }
        }
    }),
    // Configuration.
    ("include", |ground| {
        ground.write("more", format!("[core]\n\tfsmonitor = {}\n", ground.trap));
        ground.configure("[include]\n\tpath = ../more\n\tpath = OTHER/a.txt\n\tpath = OTHER/.git/config\n");
    }),
    ("includeIf", |ground| {
        ground.write("more", format!("[core]\n\tfsmonitor = {}\n\tworktree = /\n", ground.trap));
        ground.configure(
            "[includeIf \"gitdir:**\"]\n\tpath = ../more\n[includeIf \"onbranch:main\"]\n\tpath = ../more\n",
        );
    }),
    ("includes in a loop", |ground| {
        ground.write("more", "[include]\n\tpath = .git/config\n\tpath = more\n");
        ground.configure("[include]\n\tpath = ../more\n");
    }),
    ("included pipe", |ground| {
        ground.pipe("more");
        ground.configure("[include]\n\tpath = ../more\n");
    }),
    ("configuration of the worktree", |ground| {
        ground.configure("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n");
        ground.write(
            ".git/config.worktree",
            format!("[core]\n\tfsmonitor = {}\n\tworktree = /\n", ground.trap),
        );
    }),
    ("attributes and excludes elsewhere", |ground| {
        ground.configure("[core]\n\tattributesFile = OTHER/a.txt\n\texcludesFile = OTHER/a.txt\n");
    }),
    ("attributes and excludes of pipes", |ground| {
        ground.pipe("more");
        ground
            .configure("[core]\n\tattributesFile = more\n\texcludesFile = more\n[mailmap]\n\tfile = more\n");
        ground.configure("[diff]\n\torderFile = more\n[commit]\n\ttemplate = more\n");
    }),
    ("unknown extension", |ground| {
        ground.configure("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tplanted = true\n");
    }),
    ("reftable", |ground| {
        ground.configure("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trefStorage = reftable\n");
        ground.write(".git/reftable/tables.list", "x\n");
    }),
    // Ways out.
    ("core.worktree", |ground| ground.configure("[core]\n\tworktree = OTHER\n")),
    ("commondir", |ground| ground.write(".git/commondir", format!("{}/.git\n", ground.other.display()))),
    (".git file", |ground| {
        ground.clear(".git");
        ground.write(".git", format!("gitdir: {}/.git\n", ground.other.display()));
    }),
    (".git link", |ground| ground.link(".git", ground.other.join(".git"))),
    ("worktree that says it is this one's", |ground| {
        ground.clear(".git");
        ground.write(".git", "gitdir: planted/worktrees/x\n");
        ground.write("planted/worktrees/x/HEAD", "ref: refs/heads/main\n");
        ground.write("planted/worktrees/x/commondir", format!("{}/.git\n", ground.other.display()));
        ground.write("planted/worktrees/x/gitdir", format!("{}/.git\n", ground.project.display()));
    }),
    (".git files in a loop", |ground| {
        ground.clear(".git");
        ground.write(".git", "gitdir: ./.git\n");
    }),
    ("alternates", |ground| {
        let objects = format!("{}/.git/objects\n", ground.other.display());
        ground.write(".git/objects/info/alternates", objects);
        let head = std::fs::read(ground.other.join(".git/refs/heads/main")).unwrap();
        ground.write(".git/refs/heads/main", head);
    }),
    ("chained alternates", |ground| {
        ground.write(".git/objects/info/alternates", "../more\n");
        ground.write(".git/more/info/alternates", format!("{}/.git/objects\n", ground.other.display()));
        let head = std::fs::read(ground.other.join(".git/refs/heads/main")).unwrap();
        ground.write(".git/refs/heads/main", head);
    }),
    ("alternates in a loop", |ground| {
        ground.write(".git/objects/info/alternates", "../more\n../objects\n");
        ground.write(".git/more/info/alternates", "../objects\n");
    }),
    ("linked objects", |ground| {
        ground.link(".git/objects", ground.other.join(".git/objects"));
        let head = std::fs::read(ground.other.join(".git/refs/heads/main")).unwrap();
        ground.write(".git/refs/heads/main", head);
    }),
    ("linked refs", |ground| ground.link(".git/refs/heads", ground.other.join(".git/refs/heads"))),
    ("linked index", |ground| ground.link(".git/index", ground.other.join(".git/index"))),
    ("linked HEAD", |ground| ground.link(".git/HEAD", ground.other.join("a.txt"))),
    ("linked rules and messages", |ground| {
        let secret = ground.other.join("a.txt");
        for name in [".gitignore", ".gitattributes", ".mailmap", ".gitmodules", ".cladaignore"] {
            ground.link(name, &secret);
        }
        for name in ["info/exclude", "info/attributes", "MERGE_MSG", "packed-refs", "description", "shallow"]
        {
            ground.link(&format!(".git/{name}"), &secret);
        }
        ground.link("a.txt", &secret);
    }),
    ("linked logs", |ground| {
        ground.write(".git/refs/stash", std::fs::read(ground.at(".git/refs/heads/main")).unwrap());
        ground.link(".git/logs/refs/stash", ground.other.join(".git/logs/HEAD"));
    }),
    // Files for which a reader would wait.
    ("pipe .gitignore", |ground| ground.pipe(".gitignore")),
    ("pipe .gitignore deeper", |ground| ground.pipe("d/.gitignore")),
    ("pipe .gitattributes", |ground| {
        ground.pipe(".gitattributes");
        ground.write("a.txt", "one two\n");
    }),
    ("pipe of other rules", |ground| {
        for name in [".ignore", ".cladaignore", ".clodignore", ".mailmap", ".gitmodules", "d/.ignore"] {
            ground.pipe(name);
        }
    }),
    ("pipes of clada", |ground| {
        for name in ["config.yaml", "allowed-commands.json", ".gitignore", "state"] {
            ground.pipe(&format!(".clada/{name}"));
        }
    }),
    ("pipe .git", |ground| ground.pipe(".git")),
    ("pipe HEAD", |ground| ground.pipe(".git/HEAD")),
    ("pipe config", |ground| ground.pipe(".git/config")),
    ("pipe index", |ground| ground.pipe(".git/index")),
    ("pipe exclude", |ground| {
        ground.pipe(".git/info/exclude");
        ground.pipe(".git/info/attributes");
    }),
    ("pipe commondir", |ground| ground.pipe(".git/commondir")),
    ("pipe refs", |ground| {
        ground.pipe(".git/refs/heads/more");
        ground.pipe(".git/refs/tags/more");
    }),
    ("pipe packed refs", |ground| ground.pipe(".git/packed-refs")),
    ("pipe objects", |ground| {
        ground.pipe(".git/objects/pack/pack-1.idx");
        ground.pipe(".git/objects/info/alternates");
    }),
    ("pipe logs", |ground| {
        ground.pipe(".git/logs/HEAD");
        ground.pipe(".git/logs/refs/stash");
    }),
    ("pipe states", |ground| {
        for name in ["MERGE_HEAD", "MERGE_MSG", "ORIG_HEAD", "BISECT_LOG", "rebase-merge/onto", "shallow"] {
            ground.pipe(&format!(".git/{name}"));
        }
    }),
    ("pipe locks", |ground| {
        for name in ["index.lock", "HEAD.lock", "clada.lock", "clada-index", "refs/heads/main.lock"] {
            ground.pipe(&format!(".git/{name}"));
        }
    }),
    ("pipe in the place of a tracked file", |ground| {
        ground.pipe("a.txt");
        ground.pipe("d/b.txt");
    }),
    ("pipes in a nested repository", |ground| {
        for name in ["HEAD", "config", "index", "commondir"] {
            ground.pipe(&format!("nested/.git/{name}"));
        }
        std::fs::create_dir_all(ground.at("nested/.git/objects")).unwrap();
        std::fs::create_dir_all(ground.at("nested/.git/refs")).unwrap();
        ground.pipe("piped/.git");
    }),
    ("sockets", |ground| {
        for name in [".gitignore", ".gitattributes", ".git/index", ".cladaignore", ".clada/config.yaml"] {
            // The name of a socket is short; it is bound elsewhere and put in its place.
            let short = std::env::temp_dir().join(format!("clada-{}-{}", std::process::id(), name.len()));
            drop(std::os::unix::net::UnixListener::bind(&short).unwrap());
            std::fs::rename(short, ground.clear(name)).unwrap();
        }
    }),
    ("devices", |ground| {
        for name in [".gitignore", ".gitattributes", ".git/info/exclude", ".git/packed-refs", ".cladaignore"]
        {
            let (path, mode) = (ground.clear(name), rustix::fs::Mode::from_raw_mode(0o600));
            let device = rustix::fs::makedev(1, 5);
            let kind = rustix::fs::FileType::CharacterDevice;
            if rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, device).is_err() {
                return skipped("a device as a file", "only root can make one");
            }
        }
    }),
    ("links to devices", |ground| {
        for name in
            [".gitignore", ".gitattributes", ".git/info/exclude", ".git/index", ".git/HEAD", ".mailmap"]
        {
            ground.link(name, "/dev/zero");
        }
    }),
    // Oddities.
    ("odd names", |ground| {
        for name in
            [&b"-c"[..], b"--output=x", b"a\nb", b"\xff\xfe", b":(top)x", b"\x1b[2J", b"a'b\"c", b"!x"]
        {
            std::fs::write(ground.project.join(OsStr::from_bytes(name)), "x\n").unwrap();
        }
        ground.git(&["add", "-A"]);
    }),
    ("hostile submodules", |ground| {
        ground.git(&["init", "-q", "sub"]);
        ground.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "x"]);
        ground.git(&["add", "sub"]);
        let config =
            format!("[core]\n\tfsmonitor = {0}\n\tpager = {0}\n[diff]\n\texternal = {0}\n", ground.trap);
        let old = std::fs::read_to_string(ground.at("sub/.git/config")).unwrap();
        ground.write("sub/.git/config", old + &config);
        ground.write("sub/x", "x\n");
        let trap = &ground.trap;
        ground.write(".gitmodules", format!("[submodule \"../../x\"]\n\tpath = sub\n\turl = ext::{trap}\n\tupdate = !{trap}\n\tignore = none\n"));
        ground.configure("[submodule]\n\trecurse = true\n[status]\n\tsubmoduleSummary = true\n[diff]\n\tsubmodule = log\n\tignoreSubmodules = none\n");
    }),
    ("submodule with a filter", |ground| {
        ground.git(&["init", "-q", "sub"]);
        ground.write("sub/x", "x\n");
        ground.write("sub/.gitattributes", "* filter=e\n");
        ground.git(&["-C", "sub", "add", "."]);
        ground.git(&["-C", "sub", "commit", "-q", "-m", "x"]);
        ground.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n");
        ground.git(&["add", "sub", ".gitmodules"]);
        let old = std::fs::read_to_string(ground.at("sub/.git/config")).unwrap();
        ground.write("sub/.git/config", old + &format!("[filter \"e\"]\n\tclean = {}\n", ground.trap));
        ground.write("sub/x", "y\n");
    }),
    ("submodule elsewhere", |ground| {
        ground.git(&["init", "-q", "sub"]);
        ground.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "x"]);
        ground.git(&["add", "sub"]);
        ground.clear("sub/.git");
        ground.write("sub/.git", format!("gitdir: {}/.git\n", ground.other.display()));
    }),
    ("nested repository", |ground| {
        ground.git(&["init", "-q", "nested"]);
        let old = std::fs::read_to_string(ground.at("nested/.git/config")).unwrap();
        ground.write("nested/.git/config", old + &format!("[core]\n\tfsmonitor = {}\n", ground.trap));
        ground.write("nested/x", "x\n");
    }),
    ("bare repository", |ground| {
        ground.clear(".git");
        for folder in ["objects", "refs/heads"] {
            std::fs::create_dir_all(ground.at(folder)).unwrap();
        }
        ground.write("HEAD", "ref: refs/heads/main\n");
        ground.write(
            "config",
            format!("[core]\n\tbare = false\n\tworktree = /\n\tfsmonitor = {}\n", ground.trap),
        );
    }),
    ("huge packed refs", |ground| {
        let head = std::fs::read_to_string(ground.at(".git/refs/heads/main")).unwrap();
        let refs: String =
            (0..50_000).map(|number| format!("{} refs/tags/t{number:06}\n", head.trim())).collect();
        ground.write(".git/packed-refs", format!("# pack-refs with: peeled fully-peeled sorted \n{refs}"));
    }),
    ("garbage", |ground| {
        for name in ["index", "packed-refs", "objects/info/commit-graph", "objects/info/packs", "shallow"] {
            ground.write(&format!(".git/{name}"), [0xff, 0, b'\n', 0x80].repeat(500));
        }
        ground.write(".git/objects/pack/multi-pack-index", b"MIDX\x01\x01\x00\x00");
        ground.write(
            ".git/objects/pack/pack-0000000000000000000000000000000000000000.idx",
            b"\xfftOc\0\0\0\x02",
        );
    }),
    ("bad HEAD", |ground| ground.write(".git/HEAD", "ref: refs/../../../outside\n")),
    ("no HEAD", |ground| drop(ground.clear(".git/HEAD"))),
    ("bad configuration", |ground| ground.configure("[core\n\tx = \"\n[[[\n\0")),
    ("refs in a loop", |ground| {
        ground.write(".git/refs/heads/x", "ref: refs/heads/y\n");
        ground.write(".git/refs/heads/y", "ref: refs/heads/x\n");
        ground.write(".git/HEAD", "ref: refs/heads/x\n");
        ground.link(".git/refs/tags/up", "..");
    }),
    ("replaced and grafted", |ground| {
        let head = std::fs::read_to_string(ground.at(".git/refs/heads/main")).unwrap();
        ground.write(&format!(".git/refs/replace/{}", head.trim()), &head);
        ground.write(".git/info/grafts", format!("{0} {0}\n", head.trim()));
    }),
    ("split index without its half", |ground| {
        ground.git(&["update-index", "--split-index"]);
        for entry in std::fs::read_dir(ground.at(".git")).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("sharedindex") {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
    }),
    ("deep folders", |ground| {
        let deep: String = "d/".repeat(300);
        ground.write(&format!("{deep}x"), "x\n");
    }),
];
