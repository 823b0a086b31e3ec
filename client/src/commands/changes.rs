//! `changes`: which files of the project changed since a clock.

use clada_protocol::method::ProjectChanges;
use clada_protocol::{
    ChangeKind, Method, ProjectChangesParams, ProjectChangesResult, Verbosity, visible_path,
};

use super::typed;
use crate::Process;
use crate::args::Changes;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Changes) -> Result<Status, Failure> {
    let params = ProjectChangesParams { root: root::find(process, settings)?, since: args.since.clone() };
    let result = Connector::new(process, settings)?.call(ProjectChanges::NAME, &params, OnInterrupt::End)?;
    if settings.json {
        print_json(process, result.get())?;
        return Ok(Status::Ok);
    }
    let changes: ProjectChangesResult = typed(ProjectChanges::NAME, &result)?;
    print(process, &listed(&changes))?;
    if settings.verbosity > Verbosity::Quiet {
        for warning in &changes.warnings {
            process.complain(&format!("warning: {}\n", clada_protocol::visible_line(warning)));
        }
        if changes.fresh && params.since.is_some() {
            process.complain("What changed since that clock is not known: these are all files.\n");
        }
        process.complain(&format!("clock: {}\n", changes.clock));
    }
    Ok(Status::Ok)
}

/// A line a file. Where all files are listed, how each of them came to be says nothing.
fn listed(changes: &ProjectChangesResult) -> String {
    let line = |change: &clada_protocol::FileChange| match change.kind {
        _ if changes.fresh => format!("{}\n", visible_path(&change.path)),
        ChangeKind::Created => format!("A {}\n", visible_path(&change.path)),
        ChangeKind::Deleted => format!("D {}\n", visible_path(&change.path)),
        _ => format!("M {}\n", visible_path(&change.path)),
    };
    changes.files.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use clada_protocol::FileChange;

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
