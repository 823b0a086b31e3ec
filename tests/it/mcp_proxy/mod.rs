//! `clada-daemon mcp`: the proxy of an agent's host.

mod fake;
mod host;
mod outliving;
mod starting;
