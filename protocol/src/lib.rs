//! What is said on the socket.

mod error;
mod kind;

pub use error::RpcError;
pub use kind::ErrorKind;
