//! What is said on the socket.

mod error;
mod kind;
mod params;

pub use error::RpcError;
pub use kind::ErrorKind;
pub use params::*;
