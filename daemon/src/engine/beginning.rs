//! `project.init`: creates the files that a user may want to edit, where there are none yet.

use clada_config::project_yaml;
use clada_fs::{DirtyFolders, Expected, FsError, Like, RootedPath, Roots};
use clada_protocol::{ProjectInitParams, ProjectInitResult, RpcError};
use clada_stage::{DEFAULT_IGNORE, IGNORE_FILES};

use super::request::{PathOverrides, ProjectRequest};

const CONFIG: &str = "config.yaml";

impl ProjectRequest {
    /// `project.init`. Existing files stay as they are.
    pub(crate) fn init_project(&self, params: &ProjectInitParams) -> Result<ProjectInitResult, RpcError> {
        let roots = self.roots_with(PathOverrides { umask: params.umask, ..PathOverrides::default() })?;
        self.require_project(&roots, None)?;
        let mut result = ProjectInitResult::default();
        let mut begin = |path: FsResult<RootedPath>, text: &str| -> Result<(), RpcError> {
            let path = path?;
            let shown = path.relative().to_string_lossy().into_owned();
            match begin(&roots, &path, text)? {
                true => result.created.push(shown),
                false => result.kept.push(shown),
            }
            Ok(())
        };
        begin(roots.resolve_own(CONFIG), &project_yaml())?;
        // With a list of the other name, the default one does not apply, and is not wanted.
        let [older, own] = IGNORE_FILES;
        let older = roots.resolve(older)?;
        match roots.lstat(&older)? {
            Some(_) => result.kept.push(older.written().to_owned()),
            None => begin(roots.resolve(own), DEFAULT_IGNORE)?,
        }
        Ok(result)
    }
}

type FsResult<T> = Result<T, FsError>;

pub(super) fn begin(roots: &Roots, path: &RootedPath, text: &str) -> FsResult<bool> {
    if roots.lstat(path)?.is_some() {
        return Ok(false);
    }
    let mut dirty = DirtyFolders::new();
    if let Some(folder) = path.parent().filter(|folder| !folder.is_root()) {
        roots.create_dir_all(&folder)?.iter().for_each(|created| dirty.changed(created));
    }
    let mut file = roots.prepare(path, text.as_bytes(), Like::New)?;
    file.sync()?;
    match file.publish(Expected::Missing) {
        Ok(_) => {}
        // Another process created it first.
        Err(_) if roots.lstat(path)?.is_some() => return Ok(false),
        Err(error) => return Err(error),
    }
    dirty.changed(path);
    dirty.sync_all(roots)?;
    Ok(true)
}
