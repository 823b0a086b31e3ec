//! What is said on the socket.

pub mod address;
mod error;
pub mod framing;
pub mod handshake;
mod kind;
pub mod message;
pub mod method;
mod params;

pub use error::RpcError;
pub use kind::ErrorKind;
pub use message::{Id, Response};
pub use method::{CallerKind, METHODS, Method, MethodInfo};
pub use params::*;
