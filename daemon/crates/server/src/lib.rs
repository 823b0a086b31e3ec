//! The server: from bytes of a socket to handlers, and back.
//!
//! It knows nothing of projects, files or dialects: handlers are registered with it, by type. Its input may
//! come from any process of the same user, so every queue, wait and count has a bound ([`RpcLimits`]).
//!
//! - `address`, `instance`: the location of the socket, and that there is one daemon
//! - `caller`: the processes that may connect, and as what
//! - `listen`, `registry`, `standing`, `connection`: new connections, those that close, one client
//! - `http`: a client that speaks HTTP
//! - `scope`: what a connection was narrowed to
//! - `conversation`: what a connection or a request may say
//! - `exchange`, `dispatch`, `params`: from frames to handlers
//! - `mcp`: a connection that speaks MCP
//! - `program`: whether an upgrade has replaced this program
//! - `context`, `cancel`, `notifier`: what a handler knows about its request
//! - `server`: all of it together, and its end

mod address;
mod answer;
mod blocking;
#[cfg(target_os = "linux")]
mod caller;
#[cfg(not(target_os = "linux"))]
#[path = "caller/elsewhere.rs"]
mod caller;
mod cancel;
mod connection;
mod context;
mod conversation;
mod dispatch;
mod exchange;
mod handlers;
mod http;
mod idleness;
mod instance;
mod limits;
mod listen;
mod mcp;
mod notifier;
mod outgoing;
mod params;
mod program;
mod raw;
mod registry;
mod running;
mod scope;
mod server;
mod shared;
mod standing;
#[cfg(test)]
mod tests;
mod transport;

pub use address::{AddressError, check_folder, own_folder, prepare_folder, socket_path};
pub use caller::{confinement_of_us, helper_above_us, why_agents_are_undetected};
pub use cancel::{CancelReason, CancelToken};
pub use connection::unknown_framing;
pub use context::{Context, Peer};
pub use dispatch::{Dispatch, DispatchBuilder};
pub use instance::{ClaimError, Instance, lock_info};
pub use limits::RpcLimits;
pub use listen::Door;
pub use notifier::{Notifier, NotifyError};
pub use program::program_is_replaced;
pub use scope::Scope;
pub use server::{Server, ServerBuilder};
pub use standing::Stay;
pub use transport::Transport;
