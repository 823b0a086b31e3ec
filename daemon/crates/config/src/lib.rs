//! The configuration: reads its layers, reports their problems, and returns the settings in force.
//!
//! Layers, later wins: built-in, the user's file, a project's file (which may only narrow, unless a user has
//! trusted its current text), the environment, flags. The core is pure ([`Layer`], [`resolve()`]): text and
//! name-value pairs in, [`Settings`] and [`Problem`]s out. [`ConfigStore`] is the thin part that reads the
//! two files; it receives the environment and the flags as values.
//!
//! This crate must not know who uses a setting, nor what a glob matches. It knows no
//! clock, no thread, no socket.
//!
//! ```
//! use clada_config::{Layer, resolve};
//!
//! let user = Layer::user("config.yaml".into(), "limits:\n  max_file_size: 5MB\n", None);
//! let project = Layer::project(".clada/config.yaml".into(), "denied: [private/**]\ndurability: fast\n");
//! let (settings, problems) = resolve(&[user, project]);
//! assert_eq!(settings.limits.max_file_size, 5 << 20);
//! assert!(settings.denied.iter().any(|glob| glob == "private/**"));
//! let said = problems[0].to_string();
//! assert!(said.starts_with(".clada/config.yaml:2:13: a project cannot set `durability` by itself"));
//! ```

mod choices;
mod commit;
mod defaults;
mod edit;
mod inputs;
mod keys;
mod kinds;
mod layer;
mod layer_file;
mod limits;
mod problem;
mod resolve;
mod settings;
mod show;
mod store;
#[cfg(test)]
mod tests;
mod units;
mod yaml;

pub use choices::{
    ApplyPlain, ApplyShow, AskAfterEdit, Durability, ErrorHandling, ExecApproval, ExecHome, FinalNewline,
    ForeignNamespaces, GitBefore, GitMode, LogLevel, MadeUpRoots, ManifestFormat, Matching, McpApprovals,
    SandboxChoice, ShamPaths, Tokenizer, WatchBackend,
};
pub use commit::{Author, message_beginning, message_of};
pub use defaults::{
    ASK as DEFAULT_ASK, DENIED as DEFAULT_DENIED, INSTRUCTIONS, SECRETS as DEFAULT_SECRETS, why_asked,
};
pub use edit::{NotSet, key_named};
pub use inputs::{Inputs, Override};
pub use kinds::{AliasTarget, MAX_FILE_SIZE_KB};
pub use layer::{Layer, ProjectLists};
pub use limits::{Limit, LimitUnit, Limits, Scope};
pub use problem::{ConfigError, LineColumn, Origin, Problem, Severity};
pub use resolve::resolve;
pub use settings::{Key, ProjectMay, Settings};
pub use show::{defaults_yaml, project_yaml, user_yaml};
pub use store::{CallConfig, ConfigStore, ProjectFile, ProjectLayer, Trusting};
