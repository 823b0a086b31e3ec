//! The values that the store is given once: the place of the user's file, the environment, the flags. Does
//! not read the environment itself.

use std::ffi::OsString;
use std::path::PathBuf;

/// A setting given on the command line, which wins over all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The flag as the user knows it, for messages: `--log-level`.
    pub flag: String,
    /// `section.key`.
    pub key: String,
    /// The value as text; lists and maps as YAML in brackets.
    pub value: String,
}

/// All inputs that do not change while the daemon runs.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The path of the user's file, if it can be determined.
    pub user_file: Option<PathBuf>,
    /// The folder that `~/` stands for.
    pub home: Option<PathBuf>,
    /// Variables whose names begin with `CLADA_`; `None` for a value that is not UTF-8.
    pub environment: Vec<(String, Option<String>)>,
    /// The settings of the command line.
    pub flags: Vec<Override>,
}

impl Inputs {
    /// Takes `HOME`, `XDG_CONFIG_HOME` and `CLADA_*` out of the environment. Ignores relative
    /// folders, as XDG requires.
    #[must_use]
    pub fn from_environment(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Inputs {
        let (mut home, mut config, mut environment) = (None, None, Vec::new());
        for (name, value) in variables {
            let Ok(name) = name.into_string() else { continue };
            let folder = || Some(PathBuf::from(&value)).filter(|path| path.is_absolute());
            match name.as_str() {
                "HOME" => home = folder(),
                "XDG_CONFIG_HOME" => config = folder(),
                _ if name.starts_with("CLADA_") => environment.push((name, value.into_string().ok())),
                _ => {}
            }
        }
        environment.sort();
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
        let user_file = config.map(|folder| folder.join("clada").join("config.yaml"));
        Inputs { user_file, home, environment, flags: Vec::new() }
    }

    /// Adds the settings of the command line.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn with_flags(self, flags: Vec<Override>) -> Inputs {
        Inputs { flags, ..self }
    }
}
