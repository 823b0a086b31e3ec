//! The engine and the server.

pub mod edit;
pub mod rpc;
