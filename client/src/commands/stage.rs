//! `stage`: prints the path of a folder with the files that changed.
//!
//! The daemon counts a stage as received only when its path has been printed: the program confirms it then.
//! After an interruption before that, the next stage has the same files again.

use clada_protocol::method::{Stage as Method_, StageConfirm};
use clada_protocol::{
    Method, OmittedPath, StageConfirmParams, StageParams, StageResult, Verbosity, visible_line, visible_path,
};

use crate::Process;
use crate::args::Stage;
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{arrives, print, print_json};
use crate::request::{fetch_over, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Stage) -> Result<Status, Failure> {
    let params = StageParams {
        root: root::find(process, settings)?,
        all: args.all,
        last: args.last,
        flush: args.flush,
        verify: args.verify,
        dry_run: args.dry_run,
        for_: args.baseline.clone(),
        manifest: args.manifest.map(Into::into),
        confirm: !args.last && !args.dry_run,
    };
    // Both calls go to one daemon, also where it is private: it keeps the folder until it is confirmed.
    let mut kept_link = KeptLink::default();
    let mut connector = Connector::new(process, settings)?.keeping(&mut kept_link);
    let raw = connector.call(Method_::NAME, &params, OnInterrupt::End)?;
    let staged: StageResult = typed(Method_::NAME, &raw)?;
    let mut arrived = true;
    match &staged.staging_dir {
        _ if settings.json => print_json(process, raw.get())?,
        Some(folder) => arrived = arrives(process, &format!("{folder}\n"))?,
        None => {
            print(process, &listed(&staged))?;
            if staged.truncated && settings.verbosity > Verbosity::Quiet {
                process.complain(&format!("{} files; not all of them are listed\n", staged.files));
            }
        }
    }
    let mut warnings = staged.warnings.clone();
    if let Some(staging_dir) = staged.staging_dir.clone().filter(|_| params.confirm && arrived) {
        let confirmed = StageConfirmParams { root: params.root, staging_dir };
        let confirmed = fetch_over::<StageConfirm>(process, settings, &confirmed, &mut kept_link)?;
        warnings.extend(confirmed.warnings.into_iter().filter(|warning| !staged.warnings.contains(warning)));
    }
    match settings.verbosity {
        _ if settings.json || args.last => {}
        Verbosity::Verbose => process.complain(&summary(&staged, &warnings)),
        Verbosity::Normal if args.dry_run => {
            process.complain(&left_out(&staged));
            tell_count(process, &staged);
        }
        Verbosity::Normal => tell_count(process, &staged),
        Verbosity::Quiet => {}
    }
    Ok(Status::Ok)
}

/// Says at a terminal how many files are meant: the path of a folder is the same with none in it.
fn tell_count(process: &mut Process, staged: &StageResult) {
    if process.terminals.stderr {
        let all = if staged.files == 0 && staged.eligible > 0 {
            ": nothing has changed since; --all stages all files"
        } else {
            ""
        };
        process.complain(&format!("{}{all}\n", count(staged)));
    }
}

fn count(staged: &StageResult) -> String {
    format!("{} of {} files", staged.files, staged.eligible)
}

fn listed(staged: &StageResult) -> String {
    let line = |name: &str, path: &str| format!("{}  {}\n", visible_path(name), visible_path(path));
    staged.copied.iter().map(|file| line(&file.name, &file.path)).collect()
}

fn summary(staged: &StageResult, warnings: &[String]) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&visible_line(&words));
        text.push('\n');
    };
    warnings.iter().for_each(|warning| line(format!("warning: {warning}")));
    for file in &staged.copied {
        line(format!("copied {} ({} bytes) as {}", file.path, file.size, file.name));
    }
    staged.renamed.iter().for_each(|file| line(format!("renamed {} to {}", file.from, file.to)));
    staged.removed.iter().for_each(|file| line(format!("removed {}, which was {}", file.path, file.name)));
    text.push_str(&left_out(staged));
    let mut line = |words: String| {
        text.push_str(&visible_line(&words));
        text.push('\n');
    };
    if staged.truncated {
        line("and more: not everything is listed".to_owned());
    }
    line(count(staged));
    text
}

fn left_out(staged: &StageResult) -> String {
    let line = |file: &OmittedPath| {
        format!("{}\n", visible_line(&format!("left out {}: {}", file.path, file.reason)))
    };
    staged.omitted.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use clada_protocol::{RemovedFile, StagedFile};

    use super::*;

    #[test]
    fn a_line_a_file_that_no_name_can_forge() {
        let copied = vec![StagedFile {
            path: "a\nremoved b".to_owned(),
            name: "a_removed b".to_owned(),
            size: 3,
            ..StagedFile::default()
        }];
        let removed =
            vec![RemovedFile { path: "c".to_owned(), name: "c".to_owned(), ..RemovedFile::default() }];
        let staged = StageResult { copied, removed, files: 1, eligible: 7, ..StageResult::default() };
        assert_eq!(listed(&staged).lines().count(), 1);
        let text = summary(&staged, &["w".to_owned()]);
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.ends_with("1 of 7 files\n") && text.starts_with("warning: w\n"), "{text}");
    }
}
