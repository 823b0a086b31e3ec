//! Words about what a command has left that runs later without being asked for, and in no sandbox.
//!
//! Knows the data of a result only.

use serde_json::Value;

/// Paths that one warning names; the others are counted.
const NAMED: usize = 5;

/// The warnings about the command of `task`, whose result holds `data`.
pub(crate) fn warnings(task: &str, data: &Value) -> Vec<String> {
    let count = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
    let mut warnings = Vec::new();
    if let Some(named) = named(data.get("touched"), count(data.get("touched_count"))) {
        warnings.push(format!(
            "Task {task} changed what git or clada runs or is led by: {named}. Read each of them before git, an editor \
             or a prompt runs in its repository again, and put it right by hand: undo does not bring it back"
        ));
    }
    if data.get("touched_incomplete").is_some() {
        warnings.push(format!(
            "Task {task}: not all that git runs or is led by could be looked at; what the command changed of the rest is not known"
        ));
    }
    let new = data.get("repositories");
    if let Some(named) = new.and_then(|new| self::named(new.get("paths"), count(new.get("count")))) {
        warnings.push(format!(
            "Task {task} made a git repository in {named}. git runs what its configuration and its hooks name: read \
             `.git/config` and `.git/hooks` before git, an editor or a prompt runs there"
        ));
    }
    warnings
}

/// The first of `paths`, and how many more there are of `count`.
fn named(paths: Option<&Value>, count: u64) -> Option<String> {
    let paths: Vec<&str> = paths?.as_array()?.iter().filter_map(Value::as_str).collect();
    let shown: Vec<String> = paths.iter().take(NAMED).map(|path| format!("'{path}'")).collect();
    let more = count.saturating_sub(shown.len() as u64);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| shown.join(", ") + &more)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_are_named_and_the_others_counted() {
        assert!(warnings("1", &json!({ "stdout": "" })).is_empty());
        let paths: Vec<String> = (0..7).map(|number| format!("/p/{number}")).collect();
        let data =
            json!({ "touched": paths, "touched_count": 9, "repositories": { "paths": ["a"], "count": 1 } });
        let [touched, made] = &warnings("2", &data)[..] else { panic!("two warnings") };
        assert!(touched.contains("'/p/4' and 4 more. Read each"), "{touched}");
        assert!(!touched.contains("/p/5") && made.contains("in 'a'. git runs"), "{touched} {made}");
    }
}
