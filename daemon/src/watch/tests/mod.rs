//! The room against trees on a disk.
