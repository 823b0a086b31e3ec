//! The server: from bytes of a socket to handlers, and back.
//!
//! It knows nothing of projects, files or dialects: handlers are given to it, by type. Its input is what any
//! process of the same user may send, so every queue, wait and count has a bound ([`RpcLimits`]).
//!
//! - [`limits`] the bounds
//! - [`context`] what a handler knows about its request; [`cancel`], [`notifier`]
//! - [`dispatch`] from a request to its answer

pub mod cancel;
pub mod context;
pub mod dispatch;
pub mod limits;
pub mod notifier;
mod params;
mod running;

pub use cancel::{CancelReason, CancelToken};
pub use context::{Context, Peer};
pub use dispatch::{Dispatch, DispatchBuilder};
pub use limits::RpcLimits;
pub use notifier::{Notifier, NotifyError};
