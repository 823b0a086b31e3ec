//! End-to-end tests.

mod daemon_life;
