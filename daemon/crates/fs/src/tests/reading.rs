use super::*;
use clada_protocol::ErrorKind;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn only_regular_files_are_read() {
    let tree = Tree::new();
    let roots = tree.fast();
    let fifo = tree.project.join("fifo");
    make_fifo(&fifo);
    let _socket = std::os::unix::net::UnixListener::bind(tree.project.join("socket")).unwrap();
    fs::create_dir(tree.project.join("folder")).unwrap();
    for (path, kind) in [
        ("fifo", ErrorKind::NotRegularFile),
        ("socket", ErrorKind::NotRegularFile),
        ("folder", ErrorKind::IsDirectory),
        ("ghost", ErrorKind::FileNotFound),
        ("ghost/x", ErrorKind::FileNotFound),
    ] {
        let path = at(&roots, path);
        assert_eq!(roots.read(&path, 10).unwrap_err().kind(), kind, "{}", path.written());
        assert_eq!(roots.open_reader(&path).unwrap_err().kind(), kind);
    }
    let message = roots.read(&at(&roots, "folder"), 10).unwrap_err().to_string();
    assert_eq!(message, "Path is a directory 'folder' (EISDIR)");
    assert_eq!(
        roots.prepare(&at(&roots, "fifo"), b"", Like::New).unwrap_err().kind(),
        ErrorKind::NotRegularFile
    );
}

#[test]
fn devices_are_not_opened() {
    let roots = Tree::new().fast();
    let options = Options { confinement: Confinement::WholeSystem, ..fast() };
    let roots = roots.with(policy(), options).unwrap();
    assert_eq!(roots.read(&at(&roots, "/dev/null"), 10).unwrap_err().kind(), ErrorKind::NotRegularFile);
}

#[test]
fn the_limit_is_checked_before_anything_is_read() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("ten", "0123456789");
    let path = at(&roots, "ten");
    assert_eq!(roots.read(&path, 10).unwrap().bytes, b"0123456789");
    let error = roots.read(&path, 9).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.issue().contains("limits.max_file_size"), "{error}");
    let sparse = fs::File::create(tree.project.join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    assert_eq!(roots.read(&at(&roots, "sparse"), 10 << 20).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn a_file_that_grows_is_bounded_and_never_torn() {
    let tree = Tree::new();
    let roots = tree.fast();
    let path = tree.write("log", "");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write;
            let mut log = fs::OpenOptions::new().append(true).open(&path).unwrap();
            let mut written = 0;
            while !stop.load(Ordering::Relaxed) && written < 2_000_000 {
                written += log.write(b"0123456789abcdef").unwrap();
            }
        });
        let path = at(&roots, "log");
        for _ in 0..300 {
            match roots.read(&path, 100_000) {
                Ok(content) => assert_eq!(content.bytes.len() as u64, content.stat.size),
                Err(error) => {
                    assert!(
                        matches!(error.kind(), ErrorKind::Conflict | ErrorKind::LimitExceeded),
                        "{error}"
                    );
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn windows_and_streams() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("ten", "0123456789");
    let path = at(&roots, "ten");
    assert_eq!(roots.read_window(&path, 3, 4).unwrap(), b"3456");
    assert_eq!(roots.read_window(&path, 8, 100).unwrap(), b"89");
    assert_eq!(roots.read_window(&path, 100, 1).unwrap(), b"");
    let mut text = String::new();
    roots.open_reader(&path).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "0123456789");
    let mut reader = roots.open_reader(&path).unwrap();
    assert_eq!(reader.read_some(&mut [0; 4]).unwrap(), 4);
    assert_eq!(reader.stat().size, 10);
}

#[test]
fn an_unreadable_file_says_so() {
    let tree = Tree::new();
    let roots = tree.fast();
    set_mode(&tree.write("closed", "x"), 0o000);
    let outcome = roots.read(&at(&roots, "closed"), 10);
    if is_root() {
        return println!("not run: root may read everything");
    }
    assert_eq!(outcome.unwrap_err().to_string(), "Permission denied 'closed' (EACCES)");
}

#[test]
fn times_before_1970_and_modified() {
    let early = Timestamp { seconds: -2, nanoseconds: 500_000_000 };
    let time: std::time::SystemTime = early.into();
    let before = std::time::SystemTime::UNIX_EPOCH.duration_since(time).unwrap();
    assert_eq!(before, std::time::Duration::from_millis(1500));
}
