//! The interpreter that runs the code of an `exec`, and its arguments. Looks for programs; starts none.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::find::find;

/// The most bytes of code that are passed as an argument: the system bounds one argument to 128 kB. Longer
/// code goes through a file.
pub const ARGUMENT: usize = 100_000;

/// A language that code can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Python 3.
    Python,
    /// JavaScript, by Node.
    JavaScript,
    /// bash.
    Bash,
    /// Ruby.
    Ruby,
}

/// The reason why code cannot be run, in the words that reports use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LanguageError {
    /// The language is not supported.
    #[error("Unsupported language '{0}' (LANG_UNSUPPORTED)")]
    Unsupported(String),
    /// The interpreter does not exist.
    #[error("{0} not found in PATH (ENOENT)")]
    NotFound(String),
    /// The given version is not a version.
    #[error("'{0}' is not a version (EINVAL)")]
    Version(String),
    /// The folder does not exist.
    #[error("Working directory does not exist '{0}' (ENOENT)")]
    Folder(String),
}

impl LanguageError {
    /// Returns a hint on what to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            LanguageError::Unsupported(_) => "write it in python, javascript, bash or ruby".to_owned(),
            LanguageError::NotFound(name) => {
                format!("install {name}, leave the version out, or use another language")
            }
            LanguageError::Version(_) => {
                "a version is digits with dots between them, such as 3.11".to_owned()
            }
            LanguageError::Folder(_) => "name a folder that exists, from the root of the project".to_owned(),
        }
    }
}

impl Language {
    /// Returns the language of this name; case does not matter.
    ///
    /// # Errors
    ///
    /// If code in it cannot be run.
    pub fn named(name: &str) -> Result<Language, LanguageError> {
        match name.trim().to_ascii_lowercase().as_str() {
            "python" | "python3" | "py" => Ok(Language::Python),
            "javascript" | "js" | "node" | "nodejs" => Ok(Language::JavaScript),
            "bash" | "sh" | "shell" => Ok(Language::Bash),
            "ruby" | "rb" => Ok(Language::Ruby),
            _ => Err(LanguageError::Unsupported(name.to_owned())),
        }
    }

    const fn program(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::JavaScript => "node",
            Language::Bash => "bash",
            Language::Ruby => "ruby",
        }
    }

    fn interpreter(self, version: Option<&str>) -> Result<String, LanguageError> {
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        let Some(version) = version else {
            return Ok(if self == Language::Python { "python3" } else { self.program() }.to_owned());
        };
        let part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !version.split('.').all(part) {
            return Err(LanguageError::Version(version.to_owned()));
        }
        Ok(format!("{}{version}", self.program()))
    }

    /// Returns the interpreter's file, found in `path`.
    ///
    /// # Errors
    ///
    /// If the version is not one, or there is no such interpreter.
    pub fn resolve(self, version: Option<&str>, path: &OsStr) -> Result<PathBuf, LanguageError> {
        let name = self.interpreter(version)?;
        find(name.as_ref(), path, Path::new("/")).ok_or(LanguageError::NotFound(name))
    }

    /// Returns the arguments with which the interpreter runs code passed as an argument.
    #[must_use]
    pub fn arguments(self, code: &str) -> [String; 2] {
        let flag = match self {
            Language::Python | Language::Bash => "-c",
            Language::JavaScript | Language::Ruby => "-e",
        };
        [flag.to_owned(), code.to_owned()]
    }

    /// Returns the arguments with which the interpreter runs the code of a file as if it were passed as an
    /// argument: relative paths stay relative to the working folder.
    #[must_use]
    pub fn arguments_for_file(self, file: &Path) -> [String; 2] {
        let file = serde_json::Value::from(file.to_string_lossy().into_owned()).to_string();
        match self {
            Language::Python => {
                self.arguments(&format!("exec(compile(open({file}, 'rb').read(), '<string>', 'exec'))"))
            }
            Language::JavaScript => {
                let read = format!("require('fs').readFileSync({file}, 'utf8')");
                self.arguments(&format!("require('vm').runInThisContext({read}, '[eval]')"))
            }
            Language::Bash => self.arguments(&format!(". {file}")),
            Language::Ruby => {
                // Without a locale, Ruby takes the code of an argument for ASCII.
                let escaped =
                    |c: char| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() };
                let file: String = file.chars().map(escaped).collect();
                self.arguments(&format!("eval(File.read({file}), binding, '-e')"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_the_reference() {
        let unsupported = Language::named("perl").unwrap_err();
        assert_eq!(unsupported.to_string(), "Unsupported language 'perl' (LANG_UNSUPPORTED)");
        let missing = Language::Python.resolve(None, OsStr::new("/nonexistent")).unwrap_err();
        assert_eq!(missing.to_string(), "python3 not found in PATH (ENOENT)");
        let missing = Language::Python.resolve(Some("3.99"), OsStr::new("/nonexistent")).unwrap_err();
        assert_eq!(missing.to_string(), "python3.99 not found in PATH (ENOENT)");
        let folder = LanguageError::Folder("/x".to_owned());
        assert_eq!(folder.to_string(), "Working directory does not exist '/x' (ENOENT)");
    }

    #[test]
    fn regression_the_path_of_a_file_needs_no_locale_in_ruby() {
        let arguments = Language::Ruby.arguments_for_file(Path::new("/tmp/a folder, é/😀"));
        assert_eq!(arguments[1], r#"eval(File.read("/tmp/a folder, \u{e9}/\u{1f600}"), binding, '-e')"#);
    }

    #[test]
    fn a_version_is_part_of_the_name_and_never_a_path() {
        assert_eq!(Language::Python.interpreter(Some("3.11")).unwrap(), "python3.11");
        assert_eq!(Language::JavaScript.interpreter(Some(" 20 ")).unwrap(), "node20");
        assert_eq!(Language::Python.interpreter(Some("")).unwrap(), "python3");
        for version in ["/../../x", "3..1", "3.", "three", "-c"] {
            assert!(Language::Ruby.interpreter(Some(version)).is_err(), "{version}");
        }
    }

    #[test]
    fn every_language_has_its_flag() {
        for (name, flag) in [("python", "-c"), ("JavaScript", "-e"), ("bash", "-c"), ("ruby", "-e")] {
            let language = Language::named(name).unwrap();
            assert_eq!(language.arguments("x"), [flag.to_owned(), "x".to_owned()]);
            let through_file = language.arguments_for_file(Path::new("/tmp/a\"b"));
            assert!(through_file[1].contains(r#""/tmp/a\"b""#), "{}", through_file[1]);
        }
    }
}
