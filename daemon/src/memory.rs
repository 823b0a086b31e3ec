//! Memory that is not needed any more goes back to the system.
//!
//! What is freed stays with glibc's allocator: in an arena for each thread that ever asked for any, as long as one block
//! that is in use lies behind it. A daemon that lives for days would stand where its busiest minute has brought it. Must
//! not know what was kept, or for whom.

/// Arenas that threads share; without a bound each of 64 threads may have one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: libc::c_int = 4;

/// What is larger goes back as soon as it is freed. Setting it keeps glibc from raising it up to 32 MB by itself.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Sets the allocator up; to be called before there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn set_up() {
    for (parameter, value) in [(libc::M_ARENA_MAX, ARENAS), (libc::M_MMAP_THRESHOLD, LARGE)] {
        // There is no safe name for it.
        // SAFETY: it takes two numbers, and only changes what the allocator does from now on.
        #[allow(unsafe_code)]
        let taken = unsafe { libc::mallopt(parameter, value) };
        if taken == 0 {
            tracing::debug!(parameter, "the allocator does not take this setting");
        }
    }
}

/// Gives all pages back that hold nothing; whether there were any.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() -> bool {
    // SAFETY: it takes a number, and is made to be called from any thread at any time.
    #[allow(unsafe_code)]
    let released = unsafe { libc::malloc_trim(0) };
    released != 0
}

/// Other allocators see to it themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn set_up() {}

/// Other allocators see to it themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() -> bool {
    false
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn pages_between_blocks_that_are_in_use_are_given_back() {
        let mut blocks: Vec<Option<Vec<u8>>> = (0..16_384).map(|_| Some(vec![1; 1024])).collect();
        for (index, block) in blocks.iter_mut().enumerate() {
            if index % 64 != 0 {
                *block = None;
            }
        }
        assert!(give_back());
        assert!(blocks.iter().flatten().all(|block| block[0] == 1));
    }
}
