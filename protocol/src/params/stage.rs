//! `stage`, `stage.confirm`, `stage.write_back`, `project.init`: files under flat names in a folder of their own, and back.

use serde::{Deserialize, Serialize};

use super::{Approve, GitWhere, OmittedPath, is_false};

/// Parameters of `stage`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageParams {
    /// Absolute path of the project.
    pub root: String,
    /// Stage every file, whatever was staged before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// Return the folder that was staged last; nothing is staged. Goes with `root` and `for` alone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub last: bool,
    /// Forget what is known of files that are gone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub flush: bool,
    /// Look at every file, also where no word of a change came.
    #[serde(default, skip_serializing_if = "is_false")]
    pub verify: bool,
    /// Say what would be staged; nothing is made.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// For whom: each has a baseline of its own. At most 100 bytes.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub for_: Option<String>,
    /// What the manifest is written as; absent: as `stage.manifest` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<StageManifest>,
    /// `stage.confirm` follows. Until then the baseline stays where it is, and the folder before this one, too; this one
    /// stays for two minutes, whatever others stage meanwhile. Without it, the answer is taken for received.
    #[serde(default, skip_serializing_if = "is_false")]
    pub confirm: bool,
}

/// What a manifest is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StageManifest {
    /// `_path_manifest.json`: names, the root, what was removed.
    Json,
    /// `_path_manifest.dhall`: a record of names.
    Dhall,
}

/// Result of `stage`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageResult {
    /// The folder; absent for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staging_dir: Option<String>,
    /// The manifest in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_path: Option<String>,
    /// The files in it.
    pub copied: Vec<StagedFile>,
    /// What was staged before and is not there any more, or not staged any more.
    pub removed: Vec<RemovedFile>,
    /// Which of the removed files have come back elsewhere, with the same content.
    pub renamed: Vec<RenamedFile>,
    /// How many files are in the folder, also those that `copied` has no room for.
    pub files: u64,
    /// How many files the manifest tells of.
    pub eligible: u64,
    /// Nothing was staged before.
    pub first_run: bool,
    /// Files that are not staged, and why, each time: 1000 at most. `last` does not look for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<OmittedPath>,
    /// The lists are cut: all of it would be more than `limits.result_bytes`, or more than 1000 files are left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// What is not as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file that was staged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StagedFile {
    /// Relative to the root.
    pub path: String,
    /// The path's bytes as base64, if they are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Its flat name.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// A file that is not staged any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemovedFile {
    /// Relative to the root.
    pub path: String,
    /// The path's bytes as base64, if they are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// What it was staged as.
    pub name: String,
}

/// A file that has another path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenamedFile {
    /// The old one, relative to the root.
    pub from: String,
    /// The new one.
    pub to: String,
}

/// Parameters of `stage.confirm`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageConfirmParams {
    /// Absolute path of the project.
    pub root: String,
    /// The result of `stage`.
    pub staging_dir: String,
}

/// Result of `stage.confirm`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageConfirmResult {
    /// What is not as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `stage.write_back`, whose result is that of `execute`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageWriteBackParams {
    /// Absolute path of the project.
    pub root: String,
    /// Absolute paths of copies with flat names, and of folders of such.
    pub paths: Vec<String>,
    /// Say what would be done and change nothing; the result carries `dryRun`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// For whom the copies were staged, where that does not show; empty: for nobody by name. Absent: what was staged for
    /// several with different contents is a conflict.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub for_: Option<String>,
    /// Also what was changed in the project since it was staged is overwritten.
    #[serde(default, skip_serializing_if = "is_false")]
    pub force: bool,
    /// What a person has approved; as for `execute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approve>,
    /// Where commits go; absent: as the configuration has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitWhere>,
    /// Who commits are by; absent: as the configuration has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_author: Option<String>,
    /// The umask of the client, for files that come to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
}

/// Parameters of `project.init`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectInitParams {
    /// Absolute path of the project.
    pub root: String,
    /// The umask of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
}

/// Result of `project.init`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectInitResult {
    /// Files that were written, relative to the root.
    pub created: Vec<String>,
    /// Files that were there, and stay as they are.
    pub kept: Vec<String>,
}
