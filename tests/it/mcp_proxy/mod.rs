//! `clada-daemon mcp`: the proxy of an agent's host.

mod clients;
mod daemons;
mod fake;
mod hanging;
mod host;
mod host_roots;
mod outliving;
mod starting;
