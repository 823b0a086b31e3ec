//! Converts a parameter's text to a value of its type.

use serde_json::Value;

use crate::count::Count;
use crate::definition::{Format, Parameter, ParameterType};
use crate::raw::RawField;
use crate::violation::Violation;

const RELATIVE_NOTED: usize = 1000;

/// The paths that a dialect's parameters may hold (`sham.paths`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathRule {
    /// Relative ones too, relative to the project root; [`crate::validate`] warns of them where the format
    /// says absolute.
    #[default]
    Any,
    /// Only absolute ones where the format says absolute.
    Absolute,
    /// Absolute or relative, for a dialect whose paths may be either: no warning.
    Either,
}

/// Returns whether `path` is absolute, in POSIX form (`/a`) or Windows form (`C:\a`, `C:/a`, `\\host\share`).
#[must_use]
pub fn is_absolute_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    match bytes {
        [b'/', ..] | [b'\\', b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

pub(crate) fn path_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// `relative` receives each path that is relative although the format says absolute, if `rule` lets it pass.
pub(crate) fn convert<'t>(
    parameter: &Parameter,
    field: &'t RawField<'_>,
    rule: PathRule,
    relative: &mut Vec<&'t str>,
) -> Result<Value, Violation> {
    let text: &'t str = &field.value;
    match parameter.parameter_type {
        ParameterType::Integer => integer(parameter, text, field),
        ParameterType::Count if text.trim() == Count::ALL => Ok(Count::ALL.into()),
        ParameterType::Count => integer(parameter, text, field),
        ParameterType::Boolean => match text.trim() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(Violation::invalid(format!("Invalid boolean value: {text}"), field.span)),
        },
        ParameterType::Enum if parameter.values.iter().any(|value| value == text) => Ok(text.into()),
        // A language has a code of its own: answers ask for languages that clada does not run, which is no
        // typing error.
        ParameterType::Enum if parameter.name == "lang" => {
            let allowed = parameter.values.join(", ");
            let unsupported = Violation::invalid(format!("Unsupported language '{text}'"), field.span);
            Err(Violation { code: "LANG_UNSUPPORTED", ..unsupported }
                .hint(format!("write it in one of {allowed}")))
        }
        ParameterType::Enum => {
            let allowed = parameter.values.join(", ");
            Err(Violation::invalid(format!("Invalid enum value: {text}. Allowed: {allowed}"), field.span))
        }
        ParameterType::String => {
            string(parameter.format, text, field, rule, relative)?;
            Ok(text.into())
        }
    }
}

fn integer(parameter: &Parameter, text: &str, field: &RawField<'_>) -> Result<Value, Violation> {
    let invalid = || Violation::invalid(format!("Invalid integer value: {text}"), field.span);
    let digits = text.trim();
    // `+5` and `5.0` are refused although Rust or JSON would take one of them: a model is to learn one form.
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    let value: i64 = digits.parse().map_err(|_| invalid())?;
    match parameter.minimum {
        Some(minimum) if value < minimum => {
            Err(invalid().hint(format!("{} must be at least {minimum}", parameter.name)))
        }
        _ => Ok(value.into()),
    }
}

fn string<'t>(
    format: Option<Format>,
    text: &'t str,
    field: &RawField<'_>,
    rule: PathRule,
    relative: &mut Vec<&'t str>,
) -> Result<(), Violation> {
    let Some(format) = format else { return Ok(()) };
    let not_absolute = |path: &str| {
        Violation::invalid(format!("Invalid absolute path: {path}"), field.span)
            .hint("give the path from the file system's root, such as /proj/src/main.rs")
    };
    // A relative path is an error, accepted, or noted for a warning, as the dialect's rule says.
    let mut check = |path: &'t str| {
        if path.is_empty() {
            return Err(match rule {
                PathRule::Either => Violation::invalid("Invalid path: it is empty".to_owned(), field.span),
                PathRule::Any | PathRule::Absolute => not_absolute(path),
            });
        }
        if is_absolute_path(path) {
            return Ok(());
        }
        match rule {
            PathRule::Absolute => Err(not_absolute(path)),
            PathRule::Either => Ok(()),
            PathRule::Any => {
                if relative.len() < RELATIVE_NOTED {
                    relative.push(path);
                }
                Ok(())
            }
        }
    };
    match format {
        Format::AbsolutePath => check(text),
        Format::MultilineAbsolutePaths => {
            let mut empty = true;
            for path in path_lines(text) {
                empty = false;
                check(path)?;
            }
            if empty { Err(not_absolute("").hint("give at least one path, one a line")) } else { Ok(()) }
        }
    }
}
