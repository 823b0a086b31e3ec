//! The engine and the server.

pub mod config;
pub mod edit;
pub mod engine;
pub mod fs;
pub mod pipeline;
pub mod project;
pub mod rpc;
pub mod service;
pub mod session;
