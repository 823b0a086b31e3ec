//! Processes outside, and namespaces.

use super::{Probe, probe};

const THREADS: &str = "Programs set this for their own threads by number, which the filter cannot tell from others; \
                       processes of other users are safe";
const SEEN: &str = "Landlock hides no names: which programs run, and their arguments, can be read";

pub(super) const LIST: &[Probe] = &[
    probe("signal a process outside", "kill -0 $PID").landlock_depends("since Linux 6.12"),
    probe("signal a process outside by its descriptor", "probe signals:$PID")
        .landlock_depends("since Linux 6.12"),
    probe("see that a process runs outside", "ls /proc | grep -x $PID").landlock_allows(SEEN),
    probe("read the arguments of a process outside", "grep -q 1000 /proc/$PID/cmdline").landlock_allows(SEEN),
    probe("read the environment of a process outside", "grep -q OUTSIDE /proc/$PID/environ"),
    probe("read the folder of a process outside", "ls /proc/$PID/cwd/"),
    probe("read the root of a process outside", "ls /proc/$PID/root/"),
    probe("read the descriptors of a process outside", "ls -l /proc/$PID/fd/0"),
    probe("open a descriptor of a process outside", ": < /proc/$PID/fd/0"),
    probe("read the memory map of a process outside", "grep . /proc/$PID/maps"),
    probe("open the memory of a process outside", "probe reads:/proc/$PID/mem").by_machine(),
    probe("read the stack of a process outside", "grep . /proc/$PID/auxv"),
    probe("read the input and output counts of a process outside", "grep . /proc/$PID/io"),
    probe("write hidden files through a process outside", "echo x > /proc/$PID/root$OUT/new"),
    probe("change how likely a process outside is ended", "probe writes:/proc/$PID/oom_score_adj"),
    probe("name a process outside", "probe writes:/proc/$PID/comm"),
    probe("trace a process outside", "probe call:ptrace:16,pid,0,0").by_machine(),
    probe("seize a process outside", "probe call:ptrace:0x4206,pid,0,0").by_machine(),
    probe("read the memory of a process outside", "probe call:process_vm_readv:pid,0,0,0,0,0").by_machine(),
    probe("write the memory of a process outside", "probe call:process_vm_writev:pid,0,0,0,0,0").by_machine(),
    probe("compare with a process outside", "probe call:kcmp:pid,pid,0,0,0").by_machine(),
    probe("take a descriptor of a process outside", "probe takes:$PID").by_machine(),
    probe("advise the memory of a process outside", "probe advises:$PID").by_machine(),
    probe("read the limits of a process outside", "prlimit --pid $PID --nofile | grep -q NOFILE")
        .landlock_allows("Limits are not secret; changing one is refused"),
    probe("change the limits of a process outside", "prlimit --pid $PID --core=0:0"),
    probe("change the priority of a process outside", "renice -n 5 -p $PID").by_machine(),
    probe("change the disk priority of a process outside", "ionice -c 3 -p $PID"),
    probe("choose the processors of a process outside", "taskset -p 1 $PID")
        .landlock_allows(THREADS)
        .by_machine(),
    probe("change how a process outside is scheduled", "chrt -b -p 0 $PID")
        .landlock_allows(THREADS)
        .by_machine(),
    probe("make a namespace of users", "unshare -U true").by_machine(),
    probe("write outside as root of a new namespace", "unshare -Ur sh -c 'echo x >> $OUT/file'").by_machine(),
    probe("make a namespace of mounts", "unshare -m true").by_machine(),
    probe("make a namespace of users and mounts", "unshare -Urm mount -t tmpfs none .").by_machine(),
    probe("make a namespace of networks", "unshare -n true").by_machine(),
    probe("make a namespace of users and networks", "unshare -Urn true").by_machine(),
    probe("make a namespace of processes", "unshare -p -f true").by_machine(),
    probe("make a namespace of messages", "unshare -i true").by_machine(),
    probe("make a namespace of names", "unshare -u true").by_machine(),
    probe("make a namespace of groups of processes", "unshare -C true").by_machine(),
    probe("make a namespace of clocks", "unshare -T true").by_machine(),
    probe("start a process in a namespace of users", "probe clone:0x10000000").by_machine(),
    probe("start a process in a namespace of networks", "probe clone:0x40000000").by_machine(),
    probe("start a process in a namespace of processes", "probe clone:0x20000000").by_machine(),
    probe("start a process in a namespace of mounts", "probe clone:0x00020000").by_machine(),
    probe("start a process in a namespace of messages", "probe clone:0x08000000").by_machine(),
    probe("start a process in a namespace of names", "probe clone:0x04000000").by_machine(),
    probe("start a process in a namespace of groups of processes", "probe clone:0x02000000").by_machine(),
    probe("start a process with the newest call", "probe call:clone3:0,0"),
    probe("enter the namespaces of a process outside", "nsenter -t $PID -a true").by_machine(),
    probe("enter the network of a process outside", "nsenter -t $PID -n true").by_machine(),
    probe("enter a namespace", "probe call:setns:-1,0"),
    probe("change the root", "chroot / true").by_machine(),
    probe("put another root in place", "probe call:pivot_root:s:/nonexistent,s:/nonexistent").by_machine(),
    probe("have more than standard descriptors", "test $(ls /proc/self/fd | wc -l) -gt 4").by_machine(),
    probe("gain the rights of another program's user", "grep NoNewPrivs /proc/self/status | grep 0")
        .by_machine(),
    probe("have a capability", "grep CapEff /proc/self/status | grep -v 0000000000000000").by_machine(),
    probe("have a capability in reserve", "grep CapPrm /proc/self/status | grep -v 0000000000000000")
        .by_machine(),
    probe("write a core file", "test $(ulimit -c) != 0").by_machine(),
];
