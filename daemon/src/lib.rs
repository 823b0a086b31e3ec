//! The engine and the server.
