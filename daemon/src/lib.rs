//! The engine and the server.

pub mod edit;
pub mod fs;
pub mod rpc;
