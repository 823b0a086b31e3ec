//! The SQLite files: one per project, and one of the user's. Opens and migrates them, and handles damaged
//! ones.
//!
//! Knows files and tables as such; their content is the journal's business. Several processes open a store at
//! once, each of which holds the lock of the root while it changes anything, so SQLite's own locks only ever
//! wait for short transactions. Synchronous throughout.
//!
//! The guarantees:
//!
//! - **Durable when it says so.** [`Durable::Yes`] transactions are on the medium when they are committed.
//! - **Nothing is overwritten.** A file that SQLite calls damaged is set aside under another name, and a new
//!   one is begun; one that a newer version of clada wrote is opened for reading only.
//! - **A full disk is not the end.** [`Reserve`] holds some space back, which is released to write an undo.

mod error;
mod migrate;
mod open;
mod reserve;
mod store;

#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use migrate::Schema;
pub use open::{Opened, look_twice, require_readable, set_aside, was_begun};
pub use reserve::Reserve;
pub use store::{Access, Durable, Store};
