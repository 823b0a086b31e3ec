//! `config.*`: shows the settings, and writes the files that users keep them in.
//!
//! A file is written whole, and only over the one that was read; what may stand in it is known in
//! `clada_config` alone.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_config::{ConfigStore, Key, NotSet, ProjectLayer, key_named, project_yaml, user_yaml};
use clada_fs::{DirtyFolders, Expected, FsError, Like, Options, RootedPath, Roots};
use clada_protocol::method::CallSettings;
use clada_protocol::{
    ConfigInitParams, ConfigInitResult, ConfigSetParams, ConfigSetResult, ConfigShowParams, ConfigShowResult,
    ConfigUnsetParams, ErrorKind, RpcError, Setting,
};

use super::Engine;
use super::beginning::begin;
use super::policies::open_policy;
use super::request::Unasked;

const LARGEST: u64 = 1 << 20;

struct ConfigFile {
    roots: Roots,
    path: RootedPath,
    shown: String,
    layer: Option<ProjectLayer>,
}

impl Engine {
    /// `config.show`; the key may be a section, for all of its keys.
    pub(crate) fn show_config(
        self: &Arc<Engine>,
        params: &ConfigShowParams,
        settings: &CallSettings,
    ) -> Result<ConfigShowResult, RpcError> {
        let request = params.root.as_deref().map(|root| self.request(root, Arc::new(Unasked))).transpose()?;
        let defaults = params.defaults.then(clada_config::defaults_yaml);
        let layer = request.as_ref().map(|request| request.project().layer());
        let mut result = ConfigShowResult { defaults, ..self.config.for_call(settings).show(layer) };
        if let Some(name) = &params.key {
            let in_section = |setting: &Setting| {
                setting.key.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            if result.settings.iter().any(in_section) {
                result.settings.retain(in_section);
            } else {
                let key = key_named(name).map_err(|why| refused(&why, "key"))?;
                result.settings.retain(|setting| setting.key == key.name());
            }
        }
        Ok(result)
    }

    /// `config.set`. A file with a fault elsewhere stays as it is.
    pub(crate) fn set_config(
        self: &Arc<Engine>,
        params: &ConfigSetParams,
        settings: &CallSettings,
    ) -> Result<ConfigSetResult, RpcError> {
        let file = self.config_file(params.root.as_deref(), params.umask)?;
        self.edit_config(file, &params.key, settings, |config, layer, text, key| {
            config.edited(layer, text, key, &params.value)
        })
    }

    /// `config.unset`. A file with a fault elsewhere stays as it is.
    pub(crate) fn unset_config(
        self: &Arc<Engine>,
        params: &ConfigUnsetParams,
        settings: &CallSettings,
    ) -> Result<ConfigSetResult, RpcError> {
        let file = self.config_file(params.root.as_deref(), None)?;
        self.edit_config(file, &params.key, settings, ConfigStore::without)
    }

    fn edit_config(
        &self,
        file: ConfigFile,
        key: &str,
        settings: &CallSettings,
        edited: impl Fn(&ConfigStore, Option<&ProjectLayer>, &str, Key) -> Result<String, NotSet>,
    ) -> Result<ConfigSetResult, RpcError> {
        let key = key_named(key).map_err(|why| refused(&why, "key"))?;
        let old = match file.roots.lstat(&file.path)? {
            Some(_) => Some(file.roots.read(&file.path, LARGEST)?),
            None => None,
        };
        let text = match &old {
            Some(old) => std::str::from_utf8(&old.bytes).map_err(|_| not_text(&file.shown))?,
            None => "",
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let new =
            edited(&self.config, file.layer.as_ref(), text, key).map_err(|why| refused(&why, "value"))?;
        let changed = new != text;
        if changed {
            let expected = old.as_ref().map_or(Expected::Missing, |old| Expected::Identity(old.identity()));
            write(&file, &new, expected)?;
        }
        let ConfigShowResult { mut settings, warnings, .. } =
            self.config.for_call(settings).show(file.layer.as_ref());
        settings.retain(|setting| setting.key == key.name());
        let setting = settings.pop().unwrap_or_default();
        Ok(ConfigSetResult { path: file.shown, changed, setting, warnings })
    }

    /// `config.init`. An existing file stays as it is.
    pub(crate) fn init_config(
        self: &Arc<Engine>,
        params: &ConfigInitParams,
    ) -> Result<ConfigInitResult, RpcError> {
        let file = self.config_file(params.root.as_deref(), params.umask)?;
        let text = if file.layer.is_some() { project_yaml() } else { user_yaml() };
        let created = begin(&file.roots, &file.path, &text)?;
        Ok(ConfigInitResult { path: file.shown, created })
    }

    /// Needs no sound settings, since this is how they are corrected.
    fn config_file(
        self: &Arc<Engine>,
        root: Option<&str>,
        umask: Option<u32>,
    ) -> Result<ConfigFile, RpcError> {
        let umask = umask.unwrap_or(self.environment.umask) & 0o777;
        let open = |folder: &Path| -> Result<Roots, RpcError> {
            let options = Options { umask, ..Options::default() };
            Ok(Roots::open(folder, &[], &[], open_policy()?, options)?)
        };
        if let Some(root) = root {
            let request = self.request(root, Arc::new(Unasked))?;
            let roots = open(request.root())?;
            request.require_project(&roots, None)?;
            let path = roots.resolve_own("config.yaml")?;
            let shown = request.root().join(".clada").join("config.yaml").to_string_lossy().into_owned();
            return Ok(ConfigFile { roots, path, shown, layer: Some(request.project().layer().clone()) });
        }
        let Some(named) = self.config.user_file() else {
            let message = "The home folder is not known, so your configuration file cannot be found";
            return Err(RpcError::new(ErrorKind::NotAvailable, message).hint(
                "set HOME or XDG_CONFIG_HOME for the daemon: `clada stop`, and call it again with it",
            ));
        };
        let (folder, name) = place_of(named)?;
        let roots = open(&folder)?;
        let path = roots.resolve_relative(&name)?;
        Ok(ConfigFile { roots, path, shown: named.to_string_lossy().into_owned(), layer: None })
    }
}

/// Returns the folder of the user's file and its name there. The file may be a link to a place where a user
/// keeps such files; its folder is made if it is not there yet.
fn place_of(named: &Path) -> Result<(PathBuf, PathBuf), RpcError> {
    let path = named.canonicalize().unwrap_or_else(|_| named.to_path_buf());
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(RpcError::new(ErrorKind::Io, format!("'{}' is no file", named.display())));
    };
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|error| {
        let message = format!("The folder '{}' cannot be made: {error}", folder.display());
        RpcError::new(ErrorKind::Io, message).with("path", folder.to_string_lossy().into_owned())
    })?;
    Ok((folder.to_path_buf(), PathBuf::from(name)))
}

fn write(file: &ConfigFile, text: &str, expected: Expected) -> Result<(), FsError> {
    let ConfigFile { roots, path, .. } = file;
    let mut dirty = DirtyFolders::new();
    if let Some(folder) = path.parent().filter(|folder| !folder.is_root()) {
        roots.create_dir_all(&folder)?.iter().for_each(|created| dirty.changed(created));
    }
    let like = if expected == Expected::Missing { Like::New } else { Like::Existing(path) };
    let mut prepared = roots.prepare(path, text.as_bytes(), like)?;
    prepared.sync()?;
    prepared.publish(expected)?;
    dirty.changed(path);
    dirty.sync_all(roots)
}

fn not_text(path: &str) -> RpcError {
    RpcError::new(ErrorKind::InvalidConfig, format!("'{path}' is not UTF-8")).hint("save it as UTF-8")
}

fn refused(why: &NotSet, parameter: &str) -> RpcError {
    let kind = if why.is_of_file { ErrorKind::InvalidConfig } else { ErrorKind::InvalidParams };
    RpcError::new(kind, format!("{}.", why.message))
        .with("parameter", parameter)
        .hint(format!("{}.", why.advice))
}
