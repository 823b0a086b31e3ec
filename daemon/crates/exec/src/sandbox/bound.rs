//! The sockets with a name that the kernel knows in this network namespace (`sock_diag(7)`).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SocketRecord {
    pub(super) name: Option<PathBuf>,
    pub(super) file: Option<SocketFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SocketFile {
    pub(super) number: u32,
    pub(super) device: (u32, u32),
}

const PIECE: usize = 64 << 10;

/// The most pieces of an answer: with hundreds of sockets in each, more than there can be.
const PIECES: usize = 4096;

// From `linux/netlink.h`, `linux/sock_diag.h` and `linux/unix_diag.h`.
const HEADER: usize = 16;
const MESSAGE: usize = 16;
const BY_FAMILY: u16 = 20;
const REQUEST_DUMP: u16 = 0x301;
const ERROR: u16 = 2;
const DONE: u16 = 3;
const NAME: u16 = 0;
const FILE: u16 = 1;
const STATES: u32 = 1 << 7 | 1 << 10;
const SHOW_NAME_AND_FILE: u32 = 1 | 2;

/// `None` if the kernel does not report them.
pub(super) fn bound() -> Option<Vec<SocketRecord>> {
    by_request().or_else(|| Some(listed(&std::fs::read("/proc/net/unix").ok()?)))
}

fn by_request() -> Option<Vec<SocketRecord>> {
    let flags = SocketFlags::CLOEXEC;
    let socket =
        socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(netlink::SOCK_DIAG)).ok()?;
    let mut request = Vec::with_capacity(HEADER + 24);
    request.extend(40u32.to_ne_bytes());
    request.extend(BY_FAMILY.to_ne_bytes());
    request.extend(REQUEST_DUMP.to_ne_bytes());
    request.extend([0; 8]);
    request.extend([1, 0, 0, 0]); // AF_UNIX
    request.extend(STATES.to_ne_bytes());
    request.extend([0; 4]);
    request.extend(SHOW_NAME_AND_FILE.to_ne_bytes());
    request.extend([0; 8]);
    // A message without an address goes to the kernel.
    send(&socket, &request, SendFlags::empty()).ok()?;
    let mut sockets = Vec::new();
    let mut piece = vec![0; PIECE];
    for _ in 0..PIECES {
        let (count, whole) = recv(&socket, &mut piece, RecvFlags::TRUNC).ok()?;
        if whole > count || count == 0 {
            return None;
        }
        let mut rest = &piece[..count];
        while rest.len() >= HEADER {
            let length = usize::try_from(number(rest, 0)?).ok()?;
            let message = rest.get(HEADER..length)?;
            match half(rest, 4)? {
                DONE => return Some(sockets),
                ERROR => return None,
                _ => sockets.extend(socket_of(message)),
            }
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
    }
    None
}

fn socket_of(message: &[u8]) -> Option<SocketRecord> {
    let mut socket = SocketRecord { name: None, file: None };
    let mut rest = message.get(MESSAGE..)?;
    while rest.len() >= 4 {
        let length = usize::from(half(rest, 0)?);
        let value = rest.get(4..length)?;
        match half(rest, 2)? {
            NAME => socket.name = name(value),
            FILE => {
                let device = number(value, 4)?;
                socket.file =
                    Some(SocketFile { number: number(value, 0)?, device: (device >> 20, device & 0xf_ffff) });
            }
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    (socket.name.is_some() || socket.file.is_some()).then_some(socket)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_ne_bytes)
}

/// Returns the same from the text of `/proc/net/unix`, which has only the names.
fn listed(text: &[u8]) -> Vec<SocketRecord> {
    let line = |line: &[u8]| {
        let at = line.iter().position(|byte| *byte == b':')?;
        let fields = line[at + 1..].trim_ascii_start();
        // The fields are references, protocol, flags, type, state and number, then the name, which may hold
        // any bytes.
        let mut rest = fields;
        for _ in 0..6 {
            let end = rest.iter().position(|byte| *byte == b' ')?;
            rest = rest[end..].trim_ascii_start();
        }
        name(rest)
    };
    let names = text.split(|byte| *byte == b'\n').skip(1).filter_map(line);
    let mut names: Vec<PathBuf> = names.filter(|name| !is_abstract(name)).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|name| SocketRecord { name: Some(name), file: None }).collect()
}

fn is_abstract(name: &Path) -> bool {
    name.as_os_str().as_encoded_bytes().first() == Some(&b'@')
}

pub(super) fn name(bytes: &[u8]) -> Option<PathBuf> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    (end > 0).then(|| PathBuf::from(OsStr::from_bytes(&bytes[..end])))
}
