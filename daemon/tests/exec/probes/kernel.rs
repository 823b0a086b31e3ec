//! Settings and devices of the machine, and calls of the kernel that no command needs.

use super::{Probe, probe};

pub(super) const LIST: &[Probe] = &[
    probe("open any setting of the machine for writing", "probe settings:").by_machine(),
    probe("open the handler of core files for writing", "probe writes:/proc/sys/kernel/core_pattern")
        .by_machine(),
    probe("open the loader of modules for writing", "probe writes:/proc/sys/kernel/modprobe").by_machine(),
    probe("open the helper of hot plugging for writing", "probe writes:/proc/sys/kernel/hotplug")
        .by_machine(),
    probe("open the machine's name for writing", "probe writes:/proc/sys/kernel/hostname").by_machine(),
    probe("open a bound of memory for writing", "probe writes:/proc/sys/vm/overcommit_memory").by_machine(),
    probe("open the caches for writing", "probe writes:/proc/sys/vm/drop_caches").by_machine(),
    probe("open a setting of networks for writing", "probe writes:/proc/sys/net/ipv4/ip_forward")
        .by_machine(),
    probe("open a setting of files for writing", "probe writes:/proc/sys/fs/protected_hardlinks")
        .by_machine(),
    probe(
        "open the register of formats of programs for writing",
        "probe writes:/proc/sys/fs/binfmt_misc/register",
    )
    .by_machine(),
    probe("open the emergency keys for writing", "probe writes:/proc/sysrq-trigger").by_machine(),
    probe("open the watch of pressure for writing", "probe writes:/proc/pressure/cpu").by_machine(),
    probe(
        "open the choice of processors for interrupts for writing",
        "probe writes:/proc/irq/default_smp_affinity",
    )
    .by_machine(),
    probe("open ranges of memory for writing", "probe writes:/proc/mtrr").by_machine(),
    probe("open the disks' own settings for writing", "probe writes:/sys/block/vda/queue/scheduler")
        .by_machine(),
    probe("open large pages for writing", "probe writes:/sys/kernel/mm/transparent_hugepage/enabled")
        .by_machine(),
    probe("open the power state for writing", "probe writes:/sys/power/state").by_machine(),
    probe("open the helper of events for writing", "probe writes:/sys/kernel/uevent_helper").by_machine(),
    probe(
        "move into another group of processes",
        "probe writes:$(find /sys/fs/cgroup -name cgroup.procs | head -n 1)",
    )
    .by_machine(),
    probe(
        "open the agent of a group of processes for writing",
        "probe writes:$(find /sys/fs/cgroup -name release_agent | head -n 1)",
    )
    .by_machine(),
    probe("mount a file system", "probe call:mount:s:none,s:/nonexistent,s:tmpfs,0,0").by_machine(),
    probe("unmount a file system", "probe call:umount2:s:/nonexistent,0").by_machine(),
    probe("open a file system for mounting", "probe call:fsopen:s:tmpfs,0").by_machine(),
    probe("copy a tree of mounts", "probe call:open_tree:-100,s:/,1").by_machine(),
    probe("move a mount", "probe call:move_mount:-1,s:,-1,s:,4").by_machine(),
    probe("change a mount", "probe call:mount_setattr:-1,s:,0,0,0").by_machine(),
    probe("make a block device", "mknod own b 7 200").by_machine(),
    probe("make a character device", "mknod own c 1 3").by_machine(),
    probe("make a device with a call of its own", "probe node-device:own").by_machine(),
    probe("read a disk", "probe reads:/dev/$(awk 'NR == 3 {print $4}' /proc/partitions)").by_machine(),
    probe("read the memory of the machine", "probe reads:/dev/mem").by_machine(),
    probe("write to the log of the kernel", "probe writes:/dev/kmsg").by_machine(),
    probe("read the log of the kernel", "probe reads:/dev/kmsg").by_machine(),
    probe("open a mount of a user's own", "probe writes:/dev/fuse").by_machine(),
    probe("open a network of its own", "probe writes:/dev/net/tun").by_machine(),
    probe("open a virtual machine", "probe writes:/dev/kvm").by_machine(),
    probe("queue calls that no filter sees", "probe call:io_uring_setup:0,0"),
    probe("run queued calls", "probe call:io_uring_enter:-1,0,0,0,0,0"),
    probe("register with queued calls", "probe call:io_uring_register:-1,0,0,0"),
    probe("load a program into the kernel", "probe call:bpf:99,0,0").by_machine(),
    probe("measure the machine", "probe call:perf_event_open:0,0,0,0,0").by_machine(),
    probe("handle page faults", "probe call:userfaultfd:0x800").by_machine(),
    probe("read a keyring", "probe call:keyctl:0,-3,0,0,0").by_machine(),
    probe("add to a keyring", "probe call:add_key:s:user,s:x,s:x,1,-1").by_machine(),
    probe("ask for a key", "probe call:request_key:s:user,s:x,0,-1").by_machine(),
    probe("open a file by its number", "probe call:open_by_handle_at:-1,0,0").by_machine(),
    probe("open a file with rules that no filter sees", "probe call:openat2:-100,s:file,0,0"),
    probe("load a module", "probe call:init_module:0,0,s:").by_machine(),
    probe("load a module from a file", "probe call:finit_module:-1,s:,0").by_machine(),
    probe("unload a module", "probe call:delete_module:s:nonexistent,0").by_machine(),
    probe("load another kernel", "probe call:kexec_load:0,99,0,0").by_machine(),
    probe("restart the machine", "probe call:reboot:0,0,0,0").by_machine(),
    probe("use a swap file", "probe call:swapon:s:/nonexistent,0").by_machine(),
    probe("give up a swap file", "probe call:swapoff:s:/nonexistent").by_machine(),
    probe("have processes accounted for", "probe call:acct:s:/nonexistent").by_machine(),
    probe("change quotas", "probe call:quotactl:0,0,0,0").by_machine(),
    probe("set a clock", "probe call:clock_settime:99,0").by_machine(),
    probe("name the machine", "probe call:sethostname:0,-1").by_machine(),
    probe("name the machine's domain", "probe call:setdomainname:0,-1").by_machine(),
];
