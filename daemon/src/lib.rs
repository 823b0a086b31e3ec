//! The engine and the server.

pub mod config;
pub mod edit;
pub mod fs;
pub mod pipeline;
pub mod rpc;
