//! Identities of files in less memory: devices by number, and no gaps between the fields.
//!
//! The identity that comes out equals the one that went in, whatever a file system reports.

use clada_fs::{Identity, Timestamp};

#[derive(Debug, Default)]
pub(super) struct Devices(Vec<u64>);

/// An identity in 44 bytes instead of 56. Packed, so that a field behind it needs no gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, packed(4))]
pub(super) struct Compact {
    ino: u64,
    size: u64,
    mtime: i64,
    ctime: i64,
    mtime_nanoseconds: u32,
    ctime_nanoseconds: u32,
    device: u32,
}

impl Compact {
    pub(super) fn node(&self) -> (u32, u64) {
        (self.device, self.ino)
    }
}

impl Devices {
    pub(super) fn compact(&mut self, identity: &Identity) -> Compact {
        let place = self.0.iter().position(|device| *device == identity.dev).unwrap_or_else(|| {
            self.0.push(identity.dev);
            self.0.len() - 1
        });
        Compact {
            ino: identity.ino,
            size: identity.size,
            mtime: identity.mtime.seconds,
            ctime: identity.ctime.seconds,
            mtime_nanoseconds: identity.mtime.nanoseconds,
            ctime_nanoseconds: identity.ctime.nanoseconds,
            device: u32::try_from(place).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn identity(&self, compact: &Compact) -> Identity {
        Identity {
            dev: self.0.get(compact.device as usize).copied().unwrap_or_default(),
            ino: compact.ino,
            size: compact.size,
            mtime: Timestamp { seconds: compact.mtime, nanoseconds: compact.mtime_nanoseconds },
            ctime: Timestamp { seconds: compact.ctime, nanoseconds: compact.ctime_nanoseconds },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn comes_out_as_it_went_in(
            fields in proptest::collection::vec(
                (0u64..3, any::<u64>(), any::<u64>(), any::<(i64, u32)>(), any::<(i64, u32)>()),
                1..9,
            ),
        ) {
            let mut devices = Devices::default();
            let time = |(seconds, nanoseconds)| Timestamp { seconds, nanoseconds };
            let identities: Vec<Identity> = fields
                .into_iter()
                .map(|(dev, ino, size, mtime, ctime)| {
                    let dev = dev.wrapping_sub(1);
                    Identity { dev, ino, size, mtime: time(mtime), ctime: time(ctime) }
                })
                .collect();
            let compact: Vec<Compact> = identities.iter().map(|identity| devices.compact(identity)).collect();
            for (one, small) in identities.iter().zip(&compact) {
                prop_assert_eq!(devices.identity(small), *one);
                for (other, other_small) in identities.iter().zip(&compact) {
                    prop_assert_eq!(small == other_small, one == other);
                }
            }
        }
    }
}
