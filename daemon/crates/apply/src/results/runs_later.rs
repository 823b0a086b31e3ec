//! Words about what a command has left that runs later without being asked for, and in no sandbox.
//!
//! Knows the data of a result only.

use clada_protocol::CommandData;

const NAMED: usize = 5;

pub(crate) fn warnings(task: &str, data: &CommandData) -> Vec<String> {
    let mut warnings = Vec::new();
    let touched = data.touched.as_deref().unwrap_or_default();
    if let Some(named) = named(touched, data.touched_count.unwrap_or(0)) {
        warnings.push(format!(
            "Task {task} changed what git or clada runs or is led by: {named}. Read each of them before git, an editor \
             or a prompt runs in its repository again, and put it right by hand: undo does not bring it back"
        ));
    }
    if data.touched_incomplete {
        warnings.push(format!(
            "Task {task}: not all that git runs or is led by could be looked at; what the command changed of the rest is not known"
        ));
    }
    if let Some(named) = data.repositories.as_ref().and_then(|new| self::named(&new.paths, new.count)) {
        warnings.push(format!(
            "Task {task} made a git repository in {named}. git runs what its configuration and its hooks name: read \
             `.git/config` and `.git/hooks` before git, an editor or a prompt runs there"
        ));
    }
    warnings
}

pub(crate) fn of_files(task: &str, changed: &[(String, String)]) -> Option<String> {
    let shown: Vec<String> = changed
        .iter()
        .take(NAMED)
        .map(|(path, why)| format!("'{}': {why}", clada_protocol::visible_line(path)))
        .collect();
    let more = changed.len().saturating_sub(shown.len());
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| {
        format!(
            "Task {task} changed files that run by themselves, outside of a sandbox. Read them before you go on. {}{more}",
            shown.join("; ")
        )
    })
}

fn named(paths: &[String], count: usize) -> Option<String> {
    let shown: Vec<String> = paths.iter().take(NAMED).map(|path| format!("'{path}'")).collect();
    let more = clada_protocol::and_more(count.saturating_sub(shown.len()));
    (!shown.is_empty()).then(|| shown.join(", ") + &more)
}

#[cfg(test)]
mod tests {
    use clada_protocol::NewRepositories;

    use super::*;

    #[test]
    fn the_first_are_named_and_the_others_counted() {
        assert!(warnings("1", &CommandData::default()).is_empty());
        let paths: Vec<String> = (0..7).map(|number| format!("/p/{number}")).collect();
        let data = CommandData {
            touched: Some(paths),
            touched_count: Some(9),
            repositories: Some(NewRepositories { paths: vec!["a".to_owned()], count: 1 }),
            ..CommandData::default()
        };
        let [touched, made] = &warnings("2", &data)[..] else { panic!("two warnings") };
        assert!(touched.contains("'/p/4' and 4 more. Read each"), "{touched}");
        assert!(!touched.contains("/p/5") && made.contains("in 'a'. git runs"), "{touched} {made}");
    }
}
