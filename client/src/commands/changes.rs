//! `changes`: lists the files of the project that changed since a clock.

use clada_protocol::method::ProjectChanges;
use clada_protocol::{
    ChangeKind, FileChange, ProjectChangesParams, ProjectChangesResult, Verbosity, visible_path,
};

use crate::Process;
use crate::args::Changes;
use crate::exit::{Failure, Status};
use crate::output::print;
use crate::request::fetch_or_print;
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Changes) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let params = ProjectChangesParams { root, since: args.since.clone(), verify: args.verify };
    let Some(changes) = fetch_or_print::<ProjectChanges>(process, settings, &params)? else {
        return Ok(Status::Ok);
    };
    print(process, &listed(&changes))?;
    if settings.verbosity > Verbosity::Quiet {
        for warning in &changes.warnings {
            process.complain(&format!("warning: {}\n", clada_protocol::visible_line(warning)));
        }
        if changes.fresh && params.since.is_some() {
            process.complain("Changes since that clock are not known: all files are listed.\n");
        }
        process.complain(&format!("clock: {}\n", changes.clock));
    }
    Ok(Status::Ok)
}

fn listed(changes: &ProjectChangesResult) -> String {
    let shown = |change: &FileChange| match changes.fresh {
        true => format!("{}\n", visible_path(&change.path)),
        false => line(change),
    };
    changes.files.iter().map(shown).collect()
}

pub(super) fn line(change: &FileChange) -> String {
    let letter = match change.kind {
        ChangeKind::Created => 'A',
        ChangeKind::Deleted => 'D',
        _ => 'M',
    };
    format!("{letter} {}\n", visible_path(&change.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_file_that_no_name_can_forge() {
        let change = |path: &str, kind| FileChange { path: path.to_owned(), kind, ..FileChange::default() };
        let files = vec![change("a", ChangeKind::Changed), change("b\nA c", ChangeKind::Deleted)];
        let text = listed(&ProjectChangesResult { files, ..ProjectChangesResult::default() });
        assert!(text.starts_with("M a\nD "), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}
