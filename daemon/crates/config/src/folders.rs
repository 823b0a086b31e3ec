//! Folders and made-up roots as the configuration names them. Pure text: does not check that a folder exists.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::Key;
use super::change::{SettingFault, expected, mistaken};
use super::problem::visible;
use super::settings::AliasTarget;
use super::yaml::YamlNode;

/// Reads an absolute folder. Drops `.` and a slash at the end.
pub(super) fn folder(key: Key, text: &str, home: Option<&Path>) -> Result<PathBuf, SettingFault> {
    let bad = |why: &str, advice: &str| {
        Err(SettingFault::new(
            format!("the folder `{}` of `{}` {why}", visible(text, 200), key.name()),
            advice,
        ))
    };
    if text.contains('\0') {
        return bad("contains a NUL", "Remove it");
    }
    let written = match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        (Some(rest), None) if rest.is_empty() || rest.starts_with('/') => {
            return bad("begins with `~`, and it is not known which folder that is", "Write it from `/` on");
        }
        _ => PathBuf::from(text),
    };
    if !written.is_absolute() {
        return bad(
            "is relative, and there is nothing that it could be relative to",
            "Write it from `/` or `~/` on",
        );
    }
    if written.components().any(|part| part == Component::ParentDir) {
        return bad("contains `..`", "Write it without");
    }
    Ok(written.components().collect())
}

pub(super) fn aliases(
    node: &YamlNode,
    home: Option<&Path>,
) -> Result<BTreeMap<String, AliasTarget>, SettingFault> {
    let key = Key::RootAliases;
    let YamlNode::Map(entries) = node else { return Err(mistaken(key, node)) };
    let mut aliases = BTreeMap::new();
    for (index, (name, target)) in entries.iter().enumerate() {
        let on_key = |fault: SettingFault| SettingFault { on_key: true, ..fault.at(index) };
        let alias = alias(name).map_err(on_key)?;
        let YamlNode::Text(text) = target else { return Err(mistaken(key, target).at(index)) };
        let target = match text.as_str() {
            "." => AliasTarget::ProjectRoot,
            text => AliasTarget::Folder(folder(key, text, home).map_err(|fault| fault.at(index))?),
        };
        if aliases.insert(alias, target).is_some() {
            let message = format!("`{}` occurs twice in `{}`", visible(name, 60), key.name());
            return Err(on_key(SettingFault::new(message, "Remove one of them")));
        }
    }
    Ok(aliases)
}

/// Checks a root that a model makes up: it must be absolute, as on POSIX or on Windows.
fn alias(name: &str) -> Result<String, SettingFault> {
    let bytes = name.as_bytes();
    let drive =
        bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && b"/\\".contains(&bytes[2]);
    let trimmed = name.trim_end_matches(['/', '\\']);
    let plain = !trimmed.split(['/', '\\']).any(|part| part == ".." || part == ".") && !name.contains('\0');
    if plain && ((name.starts_with('/') && !trimmed.is_empty()) || (drive && trimmed.len() > 2)) {
        return Ok(trimmed.to_owned());
    }
    Err(SettingFault::new(
        format!(
            "`{}` of `{}` is no absolute folder below the root",
            visible(name, 60),
            Key::RootAliases.name()
        ),
        format!("Write {}", expected(Key::RootAliases)),
    ))
}
