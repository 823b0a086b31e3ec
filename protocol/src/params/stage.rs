//! `stage`, `stage.confirm`, `stage.write_back`, `project.init`: files under flat names in a folder of their
//! own, and back.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::{Approve, GitWhere, OmittedPath, is_false};
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `stage`.
#[apply(wire_params)]
pub struct StageParams {
    /// Absolute path of the project.
    pub root: String,
    /// True to stage every file, whatever was staged before.
    pub all: bool,
    /// True to return the folder that was staged last and stage nothing. Goes with `root` and `for` alone.
    pub last: bool,
    /// True to forget what is known of files that are gone.
    pub flush: bool,
    /// True to check every file, also where no change event came.
    pub verify: bool,
    /// True to only report what would be staged.
    pub dry_run: bool,
    /// The name of the receiver: each has a baseline of its own. At most 100 bytes.
    #[serde(rename = "for")]
    pub for_: Option<String>,
    /// The format of the manifest; absent: as `stage.manifest` has it.
    pub manifest: Option<StageManifest>,
    /// True if `stage.confirm` follows. Until then the baseline stays, and the folder before this one, too;
    /// this one stays for two minutes, whatever others stage meanwhile. Without it, the answer counts as
    /// received.
    pub confirm: bool,
}

/// The format of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum StageManifest {
    /// `_path_manifest.json`: names, the root, what was removed.
    Json,
    /// `_path_manifest.dhall`: a record of names.
    Dhall,
}

/// Result of `stage`.
#[apply(wire_type)]
pub struct StageResult {
    /// The folder; absent for a dry run.
    pub staging_dir: Option<String>,
    /// The manifest in it.
    pub manifest_path: Option<String>,
    /// The files in it.
    pub copied: Vec<StagedFile>,
    /// The files that were staged before and are gone, or not staged any more.
    pub removed: Vec<RemovedFile>,
    /// The removed files that came back elsewhere with the same content.
    pub renamed: Vec<RenamedFile>,
    /// The number of files in the folder, also those that `copied` has no room for.
    pub files: u64,
    /// The number of files in the manifest.
    pub eligible: u64,
    /// True if nothing was staged before.
    pub first_run: bool,
    /// Files that are not staged, and why, in every result: 1000 at most. `last` does not look for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<OmittedPath>,
    /// True if the lists are cut: they would exceed `limits.result_bytes`, or more than 1000 files are left
    /// out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// The warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file that was staged.
#[apply(wire_type)]
pub struct StagedFile {
    /// Relative to the root.
    pub path: String,
    /// The path's bytes as base64, if they are not UTF-8.
    pub path_bytes: Option<String>,
    /// Its flat name.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// A file that is not staged any more.
#[apply(wire_type)]
pub struct RemovedFile {
    /// Relative to the root.
    pub path: String,
    /// The path's bytes as base64, if they are not UTF-8.
    pub path_bytes: Option<String>,
    /// The name that it was staged under.
    pub name: String,
}

/// A file with a new path.
#[apply(wire_type)]
pub struct RenamedFile {
    /// The old one, relative to the root.
    pub from: String,
    /// The new one.
    pub to: String,
}

/// Parameters of `stage.confirm`.
#[apply(wire_params)]
pub struct StageConfirmParams {
    /// Absolute path of the project.
    pub root: String,
    /// The folder, from the result of `stage`.
    pub staging_dir: String,
}

/// Result of `stage.confirm`.
#[apply(wire_type)]
pub struct StageConfirmResult {
    /// The warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `stage.write_back`, whose result is that of `execute`.
#[apply(wire_params)]
pub struct StageWriteBackParams {
    /// Absolute path of the project.
    pub root: String,
    /// Absolute paths of copies with flat names, and of folders of such.
    pub paths: Vec<String>,
    /// True to change nothing and only report what would change; the result carries `dryRun`.
    pub dry_run: bool,
    /// The receiver that the copies were staged for, where that does not show; empty: no named receiver.
    /// Absent: it is a conflict if several receivers have different contents.
    #[serde(rename = "for")]
    pub for_: Option<String>,
    /// True to overwrite also what was changed in the project since it was staged.
    pub force: bool,
    /// The user's approvals; as for `execute`.
    pub approve: Option<Approve>,
    /// The destination of commits; absent: as configured.
    pub git: Option<GitWhere>,
    /// The author of commits; absent: as configured.
    pub git_author: Option<String>,
    /// The umask of the client, for new files.
    pub umask: Option<u32>,
}

/// Parameters of `project.init`.
#[apply(wire_params)]
pub struct ProjectInitParams {
    /// Absolute path of the project.
    pub root: String,
    /// The umask of the client.
    pub umask: Option<u32>,
}

/// Result of `project.init`.
#[apply(wire_type)]
pub struct ProjectInitResult {
    /// Files that were written, relative to the root.
    pub created: Vec<String>,
    /// Files that existed, and stay as they are.
    pub kept: Vec<String>,
}
