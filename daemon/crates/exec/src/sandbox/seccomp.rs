//! The system calls that a command in a sandbox does not get.
//!
//! A refused call fails with "operation not permitted". A call that programs can do without fails as if it
//! did not exist. Every call that is not named here is left to the sandbox alongside, which knows about
//! files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use crate::wire::Rules;

/// Calls refused in every sandbox: looking into other processes, ways around the rules of the file system and
/// of this filter (io_uring runs calls that no filter sees), the user's keyring, and calls that only a
/// system's own programs need.
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

/// Calls refused in every sandbox because they lead to other namespaces, in which a command is root and may
/// ask the kernel for more.
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

/// Changes that Landlock does not see. Refused to a command that may only read.
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
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
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

/// The numbers of calls that libc has no names for yet; they are the same everywhere.
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

/// Memory, semaphores and queues that all processes of a user share (System V). Landlock does not confine
/// them; bubblewrap gives the command its own.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
];

/// Calls whose arguments no filter sees, because they lie in memory. Programs and the C library do without
/// them.
const WITHOUT: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

const MODES: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls that open a file, each with the index of the argument with flags. The mode of a new file is the next
/// argument.
const OPENING: &[(i64, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

const NODES: &[(i64, u8)] = &[
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls that change how a process runs, each with the index of the argument with that process: 0 is the
/// calling one.
const OF_OTHERS: &[(i64, u8)] = &[(libc::SYS_setpriority, 1), (libc::SYS_ioprio_set, 1)];

/// `PRIO_PROCESS` of `linux/resource.h`; in `libc` it is unsigned with glibc and signed with musl.
const PRIO_PROCESS: i32 = 0;

/// The refused calls of a filter. A call without rules is always refused; one with rules is refused if one of
/// them matches.
pub(crate) type RefusedCalls = BTreeMap<i64, Vec<SeccompRule>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedSockets {
    Allowed,
    Refused,
}

/// Returns the calls refused in bubblewrap's namespaces: in addition to the lists, sockets between a virtual
/// machine and its host, which no namespace confines.
pub(crate) fn within_namespaces(named: NamedSockets) -> RefusedCalls {
    let mut rules = everywhere();
    let families: &[i32] = match named {
        NamedSockets::Allowed => &[libc::AF_VSOCK],
        NamedSockets::Refused => &[libc::AF_VSOCK, libc::AF_UNIX],
    };
    let each = families.iter().map(|family| all([compare(0, SeccompCmpOp::Eq, *family)]));
    rules.insert(libc::SYS_socket, each.collect());
    rules
}

/// Returns the calls refused alongside Landlock: also every socket except those that ask the kernel about
/// interfaces, and internet sockets if a network is granted. Pairs of connected sockets are made by another
/// call.
pub(crate) fn alongside_landlock(confined: &Rules) -> RefusedCalls {
    let mut rules = everywhere();
    rules.extend(refused(&[SHARED]));
    if !confined.changes {
        rules.extend(refused(&[UNSEEN_CHANGES]));
    }
    // These would act on a whole group, or on all processes of the user.
    add(&mut rules, libc::SYS_setpriority, [compare(0, SeccompCmpOp::Ne, PRIO_PROCESS)]);
    add(&mut rules, libc::SYS_ioprio_set, [compare(0, SeccompCmpOp::Ne, 1)]);
    for (call, argument) in OF_OTHERS {
        add(&mut rules, *call, [compare(*argument, SeccompCmpOp::Ne, 0)]);
    }
    let internet: &[i32] = if confined.network { &[libc::AF_INET, libc::AF_INET6] } else { &[] };
    let families = [&[libc::AF_NETLINK], internet].concat();
    let others = families.iter().map(|family| compare(0, SeccompCmpOp::Ne, *family));
    rules.insert(libc::SYS_socket, vec![all(others)]);
    rules
}

fn everywhere() -> RefusedCalls {
    let mut rules = refused(&[NEVER, NO_NAMESPACES]);
    for flag in NAMESPACES {
        add(&mut rules, libc::SYS_clone, [masked(0, flag, flag)]);
    }
    // Reading a limit is harmless; changing one of an outside process is not.
    add(&mut rules, libc::SYS_prlimit64, [compare(0, SeccompCmpOp::Ne, 0), pointer(2)]);
    let set_user = 0o4000;
    for (call, argument) in MODES {
        add(&mut rules, *call, [masked(*argument, set_user, set_user)]);
    }
    for (call, flags) in OPENING {
        for makes in [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY] {
            let condition = [masked(*flags, makes, makes), masked(*flags + 1, set_user, set_user)];
            add(&mut rules, *call, condition);
        }
    }
    for (call, argument) in NODES {
        for kind in [libc::S_IFCHR, libc::S_IFBLK] {
            add(&mut rules, *call, [masked(*argument, libc::S_IFMT.cast_signed(), kind.cast_signed())]);
        }
    }
    rules
}

fn refused(lists: &[&[i64]]) -> RefusedCalls {
    lists.iter().copied().flatten().map(|call| (*call, Vec::new())).collect()
}

/// Refuses the call also if all of these conditions hold. A call without rules is always refused, and stays
/// so.
fn add(rules: &mut RefusedCalls, call: i64, conditions: impl IntoIterator<Item = SeccompCondition>) {
    match rules.entry(call) {
        Entry::Vacant(new) => drop(new.insert(vec![all(conditions)])),
        Entry::Occupied(mut known) if !known.get().is_empty() => known.get_mut().push(all(conditions)),
        Entry::Occupied(_) => {}
    }
}

#[expect(clippy::expect_used, reason = "only a rule without conditions is none")]
fn all(conditions: impl IntoIterator<Item = SeccompCondition>) -> SeccompRule {
    SeccompRule::new(conditions.into_iter().collect()).expect("a rule has conditions")
}

fn compare(argument: u8, operator: SeccompCmpOp, value: i32) -> SeccompCondition {
    condition(argument, SeccompCmpArgLen::Dword, operator, u64::from(value.cast_unsigned()))
}

fn masked(argument: u8, mask: i32, value: i32) -> SeccompCondition {
    compare(argument, SeccompCmpOp::MaskedEq(u64::from(mask.cast_unsigned())), value)
}

fn pointer(argument: u8) -> SeccompCondition {
    condition(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

#[expect(clippy::expect_used, reason = "system calls have six arguments, and the numbers stand in this file")]
fn condition(argument: u8, length: SeccompCmpArgLen, operator: SeccompCmpOp, value: u64) -> SeccompCondition {
    SeccompCondition::new(argument, length, operator, value).expect("an argument has a number below 6")
}

pub(crate) fn apply(rules: &RefusedCalls) -> io::Result<()> {
    let without = refused(&[WITHOUT]);
    for (rules, answer) in [(&without, libc::ENOSYS), (rules, libc::EPERM)] {
        seccompiler::apply_filter(&program(rules, answer)?).map_err(io::Error::other)?;
    }
    Ok(())
}

fn program(rules: &RefusedCalls, answer: i32) -> io::Result<BpfProgram> {
    let mut rules = rules.clone();
    if cfg!(target_arch = "x86_64") {
        // The same calls have other numbers in the second binary interface of this processor.
        const X32: i64 = 0x4000_0000;
        let others: Vec<_> = rules.iter().map(|(call, rule)| (call | X32, rule.clone())).collect();
        rules.extend(others);
    }
    let refuse = SeccompAction::Errno(answer.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confined(network: bool, changes: bool) -> Rules {
        Rules { network, changes, ..Rules::default() }
    }

    /// An empty list of conditions would refuse the call whatever its arguments.
    #[test]
    fn sockets_are_told_apart_by_family() {
        for rules in [within_namespaces(NamedSockets::Allowed), alongside_landlock(&confined(true, true))] {
            assert_eq!(rules[&libc::SYS_socket].len(), 1);
        }
        assert_eq!(within_namespaces(NamedSockets::Refused)[&libc::SYS_socket].len(), 2);
        assert!(!alongside_landlock(&confined(false, true)).contains_key(&libc::SYS_socketpair));
    }

    #[test]
    fn every_filter_can_be_made() {
        for (network, changes) in [(false, false), (false, true), (true, false), (true, true)] {
            program(&alongside_landlock(&confined(network, changes)), libc::EPERM).unwrap();
        }
        for named in [NamedSockets::Allowed, NamedSockets::Refused] {
            program(&within_namespaces(named), libc::EPERM).unwrap();
        }
        program(&refused(&[WITHOUT]), libc::ENOSYS).unwrap();
    }

    #[test]
    fn only_readers_are_refused_changes_that_landlock_does_not_see() {
        let always = |changes| alongside_landlock(&confined(false, changes))[&libc::SYS_fchmodat].is_empty();
        assert!(always(false) && !always(true));
    }
}
