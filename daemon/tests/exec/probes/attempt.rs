//! What the probes run: this very program again, with what to try in a variable. Ends with a failure if it is refused.

use std::io::Write;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, XattrFlags};
use rustix::io::Errno;

/// Not a test of its own.
#[test]
fn attempt() {
    let Some(asked) = std::env::var_os("CLADA_PROBE") else { return };
    let asked = asked.into_string().unwrap();
    let (what, with) = asked.split_once(':').unwrap_or((&asked, ""));
    let done = sockets(what, with).or_else(|| files(what, with)).or_else(|| processes(what, with));
    done.unwrap_or_else(|| panic!("nothing to try is called {what}"));
}

fn sockets(what: &str, with: &str) -> Option<()> {
    match what {
        "unix" => drop(UnixStream::connect(with).unwrap()),
        "bind" => drop(UnixListener::bind(with).unwrap()),
        "dgram" => assert_eq!(UnixDatagram::unbound().unwrap().send_to(b"x", with).unwrap(), 1),
        "abstract" => {
            let address = SocketAddr::from_abstract_name(with).unwrap();
            drop(UnixStream::connect_addr(&address).unwrap());
        }
        "tcp" => drop(std::net::TcpStream::connect(with).unwrap()),
        "udp" => {
            let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.connect(with).unwrap();
            socket.send(b"x").unwrap();
            // Where nobody listens, the next call says so; where one does, it answers.
            assert_eq!(socket.recv(&mut [0; 8]).unwrap(), 1);
        }
        "vsock" => {
            let made =
                rustix::net::socket(rustix::net::AddressFamily::VSOCK, rustix::net::SocketType::STREAM, None);
            // Refused by the sandbox, or not known to the kernel.
            assert_ne!(made.err(), Some(Errno::PERM));
        }
        "family" => {
            let (family, kind) = with.split_once(':').unwrap();
            let family = rustix::net::AddressFamily::from_raw(family.parse().unwrap());
            let kind = rustix::net::SocketType::from_raw(kind.parse().unwrap());
            drop(rustix::net::socket(family, kind, None).unwrap());
        }
        "pair" => {
            let (mut one, _other) = UnixStream::pair().unwrap();
            one.write_all(b"x").unwrap();
        }
        _ => return None,
    }
    Some(())
}

fn files(what: &str, with: &str) -> Option<()> {
    let set_user = Mode::from_raw_mode(0o4755);
    let open =
        |flags: OFlags| rustix::fs::open(with, flags | OFlags::NONBLOCK | OFlags::NOCTTY, Mode::empty());
    match what {
        "settings" => settings(),
        "writes" => drop(open(OFlags::WRONLY).unwrap()),
        "reads" => drop(open(OFlags::RDONLY).unwrap()),
        "exchange" => {
            let (one, other) = with.split_once(':').unwrap();
            rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
        }
        "attribute" => rustix::fs::setxattr(with, "user.clada", b"x", XattrFlags::empty()).unwrap(),
        "capability" => {
            let value = [1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            rustix::fs::setxattr(with, "security.capability", &value, XattrFlags::empty()).unwrap();
        }
        "fchmod" => rustix::fs::fchmod(open(OFlags::RDONLY).unwrap(), set_user).unwrap(),
        "fchmodat2" => {
            let path = std::ffi::CString::new(with).unwrap();
            call(452, [libc::AT_FDCWD.into(), path.as_ptr() as i64, 0o4755, 0, 0, 0]);
        }
        "create-set-user" => {
            drop(rustix::fs::open(with, OFlags::WRONLY | OFlags::CREATE, set_user).unwrap());
        }
        "node-set-user" => {
            rustix::fs::mknodat(CWD, with, rustix::fs::FileType::RegularFile, set_user, 0).unwrap();
        }
        "node-device" => {
            rustix::fs::mknodat(CWD, with, rustix::fs::FileType::CharacterDevice, Mode::RUSR, 0x103).unwrap();
        }
        "exists" => drop(rustix::fs::statat(CWD, with, AtFlags::SYMLINK_NOFOLLOW).unwrap()),
        _ => return None,
    }
    Some(())
}

fn processes(what: &str, with: &str) -> Option<()> {
    let process = |number: &str| rustix::process::Pid::from_raw(number.parse().unwrap()).unwrap();
    let held = |number: &str| {
        rustix::process::pidfd_open(process(number), rustix::process::PidfdFlags::empty()).unwrap()
    };
    use std::os::fd::AsRawFd;
    match what {
        "signals" => call(libc::SYS_pidfd_send_signal, [held(with).as_raw_fd().into(), 0, 0, 0, 0, 0]),
        "takes" => {
            let held = held(with);
            call(libc::SYS_pidfd_getfd, [held.as_raw_fd().into(), 0, 0, 0, 0, 0]);
        }
        "advises" => call(libc::SYS_process_madvise, [held(with).as_raw_fd().into(), 0, 0, 21, 0, 0]),
        "clone" => clone(i64::from_str_radix(with.strip_prefix("0x").unwrap(), 16).unwrap()),
        "call" => {
            let (name, arguments) = with.split_once(':').unwrap();
            by_name(name, arguments);
        }
        _ => return None,
    }
    Some(())
}

/// Calls that are tried by their names.
const CALLS: &[(&str, i64)] = &[
    ("ptrace", libc::SYS_ptrace),
    ("process_vm_readv", libc::SYS_process_vm_readv),
    ("process_vm_writev", libc::SYS_process_vm_writev),
    ("kcmp", libc::SYS_kcmp),
    ("setpriority", libc::SYS_setpriority),
    ("clone3", libc::SYS_clone3),
    ("setns", libc::SYS_setns),
    ("pivot_root", libc::SYS_pivot_root),
    ("mount", libc::SYS_mount),
    ("umount2", libc::SYS_umount2),
    ("fsopen", libc::SYS_fsopen),
    ("open_tree", libc::SYS_open_tree),
    ("move_mount", libc::SYS_move_mount),
    ("mount_setattr", libc::SYS_mount_setattr),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("io_uring_enter", libc::SYS_io_uring_enter),
    ("io_uring_register", libc::SYS_io_uring_register),
    ("bpf", libc::SYS_bpf),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("userfaultfd", libc::SYS_userfaultfd),
    ("keyctl", libc::SYS_keyctl),
    ("add_key", libc::SYS_add_key),
    ("request_key", libc::SYS_request_key),
    ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ("openat2", libc::SYS_openat2),
    ("init_module", libc::SYS_init_module),
    ("finit_module", libc::SYS_finit_module),
    ("delete_module", libc::SYS_delete_module),
    ("kexec_load", libc::SYS_kexec_load),
    ("reboot", libc::SYS_reboot),
    ("swapon", libc::SYS_swapon),
    ("swapoff", libc::SYS_swapoff),
    ("acct", libc::SYS_acct),
    ("quotactl", libc::SYS_quotactl),
    ("clock_settime", libc::SYS_clock_settime),
    ("sethostname", libc::SYS_sethostname),
    ("setdomainname", libc::SYS_setdomainname),
];

/// Calls `name` with numbers, texts (`s:…`) and the process outside (`pid`).
fn by_name(name: &str, arguments: &str) {
    let number = CALLS.iter().find(|(known, _)| *known == name).unwrap().1;
    let mut texts = Vec::new();
    let mut values = [0; 6];
    for (value, argument) in values.iter_mut().zip(arguments.split(',')) {
        *value = match (argument.strip_prefix("s:"), argument.strip_prefix("0x")) {
            (Some(text), _) => {
                texts.push(std::ffi::CString::new(text).unwrap());
                texts.last().unwrap().as_ptr() as i64
            }
            (None, Some(hex)) => i64::from_str_radix(hex, 16).unwrap(),
            (None, None) if argument == "pid" => std::env::var("PID").unwrap().parse().unwrap(),
            (None, None) => argument.parse().unwrap(),
        };
    }
    call(number, values);
}

/// Makes a system call. Refused is what the kernel does not permit, or does not have; with other errors it has been let in.
fn call(number: i64, arguments: [i64; 6]) {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: what is called is given no pointers but to texts that live until then, and changes no memory of this process.
    #[allow(unsafe_code)]
    let done = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    let error = std::io::Error::last_os_error();
    let refused = [libc::EPERM, libc::ENOSYS, libc::EACCES].map(Some).contains(&error.raw_os_error());
    assert!(done != -1 || !refused, "{error}");
}

/// Starts a process with these flags, which ends at once.
fn clone(flags: i64) {
    // SAFETY: without shared memory the new process has its own copy of everything, and ends without touching it.
    #[allow(unsafe_code)]
    let done = unsafe {
        let done = libc::syscall(libc::SYS_clone, flags | i64::from(libc::SIGCHLD), 0, 0, 0, 0);
        if done == 0 {
            libc::_exit(0);
        }
        done
    };
    assert!(done > 0, "{}", std::io::Error::last_os_error());
    let process = i32::try_from(done).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::waitpid(process, rustix::process::WaitOptions::empty()).unwrap();
}

/// Opens everything below `/proc` and `/sys` for writing, but what is a process's own; writes nothing.
fn settings() {
    let is_own = |path: &Path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        path.parent() == Some(Path::new("/proc")) && name.iter().all(u8::is_ascii_digit)
    };
    let mut open = vec![Path::new("/proc").to_owned(), Path::new("/sys").to_owned()];
    let (mut looked, mut opened) = (0, 0);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                Ok(kind) if kind.is_dir() && !is_own(&path) => open.push(path),
                Ok(kind) if kind.is_file() => {
                    looked += 1;
                    let flags = OFlags::WRONLY | OFlags::NONBLOCK;
                    if rustix::fs::open(&path, flags, Mode::empty()).is_ok() {
                        opened += 1;
                        println!("opened {}", path.display());
                    }
                }
                _ => {}
            }
        }
    }
    println!("looked at {looked}");
    assert!(opened > 0, "none can be opened");
}
