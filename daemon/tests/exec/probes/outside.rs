//! What lies outside of a command's root: files, processes, sockets and addresses that the probes are about.

use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{Mode, OFlags};

use crate::place::Place;

/// Processes, sockets and files outside, as long as it lives.
pub(super) struct Outside {
    process: Child,
    _sockets: Vec<UnixListener>,
    _datagrams: Vec<UnixDatagram>,
    _pipe: rustix::fd::OwnedFd,
    networks: [std::net::TcpListener; 2],
    echo: std::net::UdpSocket,
    echoing: Option<std::thread::JoinHandle<()>>,
    others: tempfile::TempDir,
}

impl Outside {
    /// Makes all of it. Names that sockets have now are not those that they were bound by.
    pub(super) fn new(place: &Place) -> Outside {
        let bind = |name: &str| UnixListener::bind(place.path(name)).unwrap();
        let rename = |from: &str, to: &str| std::fs::rename(place.path(from), place.path(to)).unwrap();
        fill(place);
        for folder in ["outside/hidden", "outside/sockets/deep"] {
            std::fs::create_dir_all(place.path(folder)).unwrap();
        }
        for name in ["key", "linked"] {
            std::fs::write(place.path("outside/hidden").join(name), "secret").unwrap();
        }
        fill(place);
        let address = SocketAddr::from_abstract_name(place.mark()).unwrap();
        let mut sockets = vec![UnixListener::bind_addr(&address).unwrap()];
        sockets.extend(["outside/hidden/socket", "outside/sockets/plain", "root/service"].map(bind));
        sockets.extend(["first", "second", "third"].map(|name| bind(&format!("outside/sockets/{name}"))));
        rename("outside/sockets/first", "outside/sockets/renamed");
        rename("outside/sockets/second", "outside/sockets/deep/moved");
        std::fs::hard_link(place.path("outside/sockets/third"), place.path("outside/sockets/deep/linked"))
            .unwrap();
        let datagrams = ["outside/sockets/datagram", "outside/sockets/other"]
            .map(|name| UnixDatagram::bind(place.path(name)).unwrap());
        rename("outside/sockets/other", "outside/sockets/deep/datagram");
        let pipe = place.path("outside/sockets/pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RWXU).unwrap();
        let echo = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let echoing = echo.try_clone().unwrap();
        Outside {
            process: Command::new("/bin/sleep")
                .arg("1000")
                .env("OUTSIDE", "1")
                .current_dir(place.path("outside"))
                .stdin(Stdio::null())
                .spawn()
                .unwrap(),
            _sockets: sockets,
            _datagrams: datagrams.into(),
            _pipe: rustix::fs::open(&pipe, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap(),
            networks: ["127.0.0.1:0", "127.0.0.2:0"]
                .map(|address| std::net::TcpListener::bind(address).unwrap()),
            echo,
            echoing: Some(std::thread::spawn(move || answer(&echoing))),
            others: tempfile::Builder::new().prefix("clada-others").tempdir_in("/tmp").unwrap(),
        }
    }

    /// What scripts know of it.
    pub(super) fn variables(&self, place: &Place) -> Vec<(OsString, OsString)> {
        std::fs::write(self.others.path().join("letter"), "x").unwrap();
        let port = |index: usize| self.networks[index].local_addr().unwrap().port().to_string();
        [
            ("OUT", place.path("outside").into()),
            ("SOCKETS", place.path("outside/sockets").into()),
            ("CACHE", place.path("cache").into()),
            ("OTHERS", self.others.path().into()),
            ("PID", OsString::from(self.process.id().to_string())),
            ("PORT", port(0).into()),
            ("PORT2", port(1).into()),
            ("UDP", self.echo.local_addr().unwrap().port().to_string().into()),
            ("ABSTRACT", place.mark().into()),
            ("NAME", place.mark().into()),
            ("TMPDIR", "/tmp".into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into()
    }
}

/// Answers until it is told to end, by nothing.
fn answer(socket: &std::net::UdpSocket) {
    while let Ok((count @ 1.., from)) = socket.recv_from(&mut [0; 8]) {
        let _ = socket.send_to(&[0; 8][..count], from);
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = self.echo.local_addr().and_then(|address| self.echo.send_to(&[], address));
        let _ = self.echoing.take().map(std::thread::JoinHandle::join);
    }
}

/// Puts the root and the folder outside back as they were at first, but for what is hidden.
pub(super) fn fill(place: &Place) {
    let outside = place.path("outside");
    for folder in [place.path("root"), outside.clone(), place.path("cache")] {
        let _ = std::fs::create_dir(&folder);
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let kept =
                ["hidden", "sockets", "service", "probe"].iter().any(|name| entry.file_name() == *name);
            match entry.file_type().unwrap() {
                _ if kept => {}
                kind if kind.is_dir() => std::fs::remove_dir_all(entry.path()).unwrap(),
                _ => std::fs::remove_file(entry.path()).unwrap(),
            }
        }
    }
    std::fs::write(outside.join("file"), "x\n").unwrap();
    std::fs::write(outside.join("hidden-file"), "secret").unwrap();
    std::fs::create_dir(outside.join("empty")).unwrap();
    std::os::unix::fs::symlink(outside.join("hidden"), outside.join("way")).unwrap();
    if outside.join("hidden/linked").exists() {
        std::fs::hard_link(outside.join("hidden/linked"), outside.join("second")).unwrap();
    }
    std::fs::write(place.path("root/file"), "x\n").unwrap();
    std::fs::write(place.path("root/root-secret"), "secret").unwrap();
}

/// Names, sizes, modes and times of what lies in a folder.
pub(crate) fn state(folder: &Path) -> Vec<String> {
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| {
            let data = entry.metadata().unwrap();
            format!("{:?} {} {:o} {}", entry.file_name(), data.len(), data.mode(), data.mtime())
        })
        .collect();
    found.sort();
    found
}
