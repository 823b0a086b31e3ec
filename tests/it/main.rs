//! End-to-end tests: the real client and the real daemon, each test in a world of its own.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests run programs, and lay out files as a person or an attacker does"
)]

#[path = "../../dialects/tests/it/samples.rs"]
mod samples;
#[path = "../support/mod.rs"]
mod support;

mod actions;
mod agents;
mod approvals;
mod asked;
mod call_settings;
mod callers;
#[cfg(target_os = "linux")] // It looks for processes.
mod checkpoints;
mod clients;
mod cml;
mod code;
mod command_changes;
mod commands;
mod configuration;
mod csl;
#[cfg(target_os = "linux")] // It looks at processes and folders by means that only Linux has.
mod daemon_life;
mod decisions;
mod dialects;
mod doctor;
mod documents;
mod editor_operations;
mod editor_reviews;
mod editors;
mod emacs;
mod embed;
mod enclosed;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod faults;
mod first_minutes;
mod forget;
mod framings;
mod git;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod git_faults;
mod git_parts;
mod git_reading;
mod git_rules;
mod git_states;
mod guarded;
mod history_page;
mod hostile;
mod inputs;
mod installation;
mod interactive;
#[cfg(target_os = "linux")] // It looks for processes.
mod killed_commands;
mod left_out;
mod limits;
mod mcp;
#[cfg(target_os = "linux")] // It looks for processes.
mod mcp_proxy;
mod metadata;
mod mistakes;
mod mixed;
mod mixed_with;
mod mounts;
mod moved;
mod neovim;
mod openrpc;
mod packaging;
mod partly;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod partly_faults;
mod patches;
mod plain;
mod plans;
mod readers;
mod record;
mod refusals;
mod reports;
mod review;
mod running;
mod sealed;
mod shapes;
mod stage;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod step_faults;
mod trust;
mod undo;
mod vscode;
mod watch;
mod wire;
