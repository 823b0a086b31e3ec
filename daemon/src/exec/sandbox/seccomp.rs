//! System calls that a command in a sandbox does not get.
//!
//! What is refused answers "operation not permitted". Everything that is not named here is left to the sandbox beside it,
//! which knows about files.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, memfd_create};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use crate::exec::wire::Rules;

/// Refused in every sandbox: looking into other processes, ways around the file system's and this filter's rules
/// (io_uring runs calls that no filter sees), the person's keyring, and what only makes sense for a system's own programs.
const NEVER: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Refused beside Landlock, which has no file system of its own to play with.
const NO_NAMESPACES: &[i64] = &[
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
];

/// Changes that Landlock does not see. Refused to what may only read.
const UNSEEN_CHANGES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Newer than the names that libc has; the same number everywhere.
const SYS_FCHMODAT2: i64 = 452;

/// What is refused in bubblewrap's namespaces: besides the list, the addresses between a virtual machine and its
/// host, which no namespace confines.
pub(in crate::exec) fn beside_namespaces() -> BTreeMap<i64, Vec<SeccompRule>> {
    let mut rules = refused(&[NEVER]);
    rules.insert(libc::SYS_socket, family(&SeccompCmpOp::Eq, &[libc::AF_VSOCK]));
    rules
}

/// What is refused beside Landlock: also every socket but those that ask the kernel about interfaces, and internet
/// addresses where a network is granted. Pairs of connected sockets are made by another call.
pub(in crate::exec) fn beside_landlock(confined: &Rules) -> BTreeMap<i64, Vec<SeccompRule>> {
    let mut rules = refused(&[NEVER, NO_NAMESPACES]);
    if !confined.changes {
        rules.extend(refused(&[UNSEEN_CHANGES]));
    }
    let internet: &[i32] = if confined.network { &[libc::AF_INET, libc::AF_INET6] } else { &[] };
    rules.insert(libc::SYS_socket, family(&SeccompCmpOp::Ne, &[&[libc::AF_NETLINK], internet].concat()));
    rules
}

fn refused(lists: &[&[i64]]) -> BTreeMap<i64, Vec<SeccompRule>> {
    lists.iter().copied().flatten().map(|call| (*call, Vec::new())).collect()
}

/// One rule: the first argument compares so with every one of `families`.
fn family(operator: &SeccompCmpOp, families: &[i32]) -> Vec<SeccompRule> {
    let compare = |family: &i32| {
        let value = u64::try_from(*family).ok()?;
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator.clone(), value).ok()
    };
    SeccompRule::new(families.iter().filter_map(compare).collect()).into_iter().collect()
}

/// Refuses these calls to this thread and everything that it starts from now on.
pub(in crate::exec) fn apply(rules: &BTreeMap<i64, Vec<SeccompRule>>) -> io::Result<()> {
    seccompiler::apply_filter(&program(rules)?).map_err(io::Error::other)
}

/// The filter as bubblewrap reads it, from its beginning.
pub(in crate::exec) fn descriptor(rules: &BTreeMap<i64, Vec<SeccompRule>>) -> io::Result<OwnedFd> {
    let mut bytes = Vec::new();
    for step in program(rules)? {
        bytes.extend(step.code.to_ne_bytes());
        bytes.extend([step.jt, step.jf]);
        bytes.extend(step.k.to_ne_bytes());
    }
    let file = memfd_create("filter", MemfdFlags::CLOEXEC)?;
    let mut left = bytes.as_slice();
    while !left.is_empty() {
        left = &left[rustix::io::write(&file, left)?..];
    }
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0))?;
    Ok(file)
}

fn program(rules: &BTreeMap<i64, Vec<SeccompRule>>) -> io::Result<BpfProgram> {
    let mut rules = rules.clone();
    if cfg!(target_arch = "x86_64") {
        // The same calls by the numbers of the other binary interface of this processor.
        const X32: i64 = 0x4000_0000;
        let others: Vec<_> = rules.iter().map(|(call, rule)| (call | X32, rule.clone())).collect();
        rules.extend(others);
    }
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confined(network: bool, changes: bool) -> Rules {
        Rules { hidden: Vec::new(), writable: Vec::new(), network, changes }
    }

    /// An empty list of conditions would refuse the call whatever its arguments.
    #[test]
    fn sockets_are_told_apart_by_family() {
        for rules in [beside_namespaces(), beside_landlock(&confined(true, true))] {
            assert_eq!(rules[&libc::SYS_socket].len(), 1);
        }
        assert!(!beside_landlock(&confined(false, true)).contains_key(&libc::SYS_socketpair));
    }

    #[test]
    fn every_filter_can_be_made() {
        for (network, changes) in [(false, false), (false, true), (true, false), (true, true)] {
            program(&beside_landlock(&confined(network, changes))).unwrap();
        }
        let filter = descriptor(&beside_namespaces()).unwrap();
        assert_eq!(rustix::fs::fstat(&filter).unwrap().st_size % 8, 0);
    }

    #[test]
    fn only_readers_are_refused_changes_that_landlock_does_not_see() {
        let refuses = |changes| beside_landlock(&confined(false, changes)).contains_key(&libc::SYS_fchmodat);
        assert!(refuses(false) && !refuses(true));
    }
}
