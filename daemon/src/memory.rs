//! Returns unused memory to the system.
//!
//! Freed memory stays with glibc's allocator: in an arena for each thread that ever asked for any, as long as
//! one block in use lies behind it. A daemon that lives for days would stay as large as in its busiest
//! minute. The pages of the program's own file stay as well once they were read, although the system has them
//! at hand. Must not know what was kept, or for whom.

/// The number of arenas that threads share; without a bound each of 64 threads may have one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: libc::c_int = 4;

/// The size above which memory goes back as soon as it is freed. Setting it keeps glibc from raising it up to
/// 32 MB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Called before there are threads.
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

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() -> bool {
    // SAFETY: it takes a number, and is made to be called from any thread at any time.
    #[allow(unsafe_code)]
    let released = unsafe { libc::malloc_trim(0) };
    released != 0
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn set_up() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() -> bool {
    false
}

/// Returns the number of bytes that are dropped at most.
#[cfg(target_os = "linux")]
pub(crate) fn let_go_of_program() -> usize {
    // The system keeps the pages, and needed ones come back one at a time, without a read from the disk.
    let Ok(maps) = std::fs::read_to_string("/proc/self/smaps") else { return 0 };
    // Only of the program itself: its mappings stay as they are for as long as it runs.
    let mappings = unchanged(&maps, let_go_of_program as fn() -> usize as usize);
    let let_go = mappings.into_iter().filter(|mapping| {
        // SAFETY: the mapping is of a file, private, cannot be written, and has no page that differs from the
        // file's: a later read there finds the same bytes. Nothing unmaps it.
        #[allow(unsafe_code)]
        let advised = unsafe {
            libc::madvise(
                std::ptr::with_exposed_provenance_mut(mapping.start),
                mapping.len(),
                libc::MADV_DONTNEED,
            )
        };
        advised == 0
    });
    let_go.map(|mapping| mapping.len()).sum()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn let_go_of_program() -> usize {
    0
}

/// Returns the read-only mappings, without pages of their own, of the file that is mapped at `inside`, by
/// `smaps`.
#[cfg(target_os = "linux")]
fn unchanged(smaps: &str, inside: usize) -> Vec<std::ops::Range<usize>> {
    // Relocated data has such pages, though it can only be read, and so has code in which a debugger stops.
    let mut mappings = Vec::new();
    let mut program = None;
    let mut last: Option<(std::ops::Range<usize>, [&str; 2], bool)> = None;
    for line in smaps.lines() {
        if let Some((range, [access, _offset, device, inode])) = mapping(line) {
            if range.contains(&inside) {
                program = Some([device, inode]);
            }
            last = Some((range, [device, inode], matches!(access, "r--p" | "r-xp") && inode != "0"));
        } else if let Some(size) = line.strip_prefix("Anonymous:")
            && let Some((range, file, true)) = last.take()
            && size.trim() == "0 kB"
        {
            mappings.push((range, file));
        }
    }
    mappings.into_iter().filter(|(_, file)| program.as_ref() == Some(file)).map(|(range, _)| range).collect()
}

#[cfg(target_os = "linux")]
fn mapping(line: &str) -> Option<(std::ops::Range<usize>, [&str; 4])> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let range = address(start)?..address(end)?;
    Some((range, [fields.next()?, fields.next()?, fields.next()?, fields.next()?]))
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_are_as_in_the_program_are_let_go() {
        let maps = "1000-2000 r--p 00000000 fe:00 7 /bin/x\nSize: 4 kB\nAnonymous:             0 kB\n\
                    2000-4000 r-xp 00001000 fe:00 7 /bin/x\nAnonymous:             0 kB\n\
                    4000-5000 r--p 00003000 fe:00 7 /bin/x\nAnonymous:             4 kB\n\
                    5000-6000 rw-p 00004000 fe:00 7 /bin/x\nAnonymous:             0 kB\n\
                    6000-7000 r--p 00000000 fe:01 7 /lib/y\nAnonymous:             0 kB\n\
                    7000-8000 r--p 00000000 00:00 0 \nAnonymous:             0 kB\n";
        assert_eq!(unchanged(maps, 0x2800), [0x1000..0x2000, 0x2000..0x4000]);
        assert_eq!(unchanged(maps, 0x6000).first(), Some(&(0x6000..0x7000)));
        assert!(unchanged(maps, 0x7800).is_empty() && unchanged(maps, 0x9000).is_empty());
    }

    #[test]
    fn the_program_goes_on_without_the_pages_that_it_let_go() {
        assert!(let_go_of_program() > 0);
        assert!(let_go_of_program() > 0);
    }

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
