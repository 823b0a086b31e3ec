//! The rules of the configuration, one by one.
