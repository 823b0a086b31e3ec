//! The descriptors that the helper was started with: what it takes for itself, and what it lets go of.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

/// Takes the socket that standard input is, and puts `/dev/null` in its place.
pub(super) fn control() -> io::Result<UnixStream> {
    // No process is to inherit it.
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(control)
}

#[cfg(target_os = "linux")]
pub(super) fn keep_descriptors_to_ourselves() {
    // They are not the business of a command. All of clada's own are closed on exec already.
    use std::os::fd::BorrowedFd;

    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number > 2) {
        // No safe type names a descriptor without an owner.
        // SAFETY: this process has one thread, which has just found the descriptor open, and closes none
        // meanwhile.
        #[allow(unsafe_code)]
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn keep_descriptors_to_ourselves() {}

pub(super) fn let_go_of_output() -> io::Result<()> {
    // Only the command's own processes are to hold them open.
    let null = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}
