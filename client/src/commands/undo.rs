//! `undo` and `redo`: undo an operation, or an undo.

use clada_protocol::method::{Redo, Undo as Undo_};
use clada_protocol::{GitWhere, Method, UndoParams, UndoResult, undo_text};

use crate::Process;
use crate::args::{Detail, Undo, called};
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print_json, print_report};
use crate::request::typed;
use crate::root;
use crate::settings::Settings;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UndoDirection {
    Undo,
    Redo,
}

fn is_number(name: &str) -> bool {
    name.len() < 4 && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn in_project(process: &Process, paths: &[String]) -> Vec<String> {
    let absolute = |path: &String| match &process.cwd {
        Some(cwd) => cwd.join(path).to_string_lossy().into_owned(),
        None => path.clone(),
    };
    paths.iter().map(absolute).collect()
}

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    args: &Undo,
    which: UndoDirection,
) -> Result<Status, Failure> {
    let method = match which {
        UndoDirection::Undo => Undo_::NAME,
        UndoDirection::Redo => Redo::NAME,
    };
    // An id is of letters, an older one long: this is a number of operations.
    if let Some(number) = args.operation.as_deref().filter(|name| is_number(name)) {
        let hint =
            format!("`{0} history` lists the operations; run `{0} {method}` once for each.", called(process));
        return Err(Failure::usage(format!(
            "'{number}' names no operation: name one by its id, or run `{method}` more than once"
        ))
        .hint(hint));
    }
    let params = UndoParams {
        root: root::find(process, settings)?,
        operation: args.operation.clone(),
        merge: args.merge,
        force: args.force,
        only: in_project(process, &args.only),
        except: in_project(process, &args.except),
        unsaved: Vec::new(),
        dry_run: args.dry_run,
        git: if args.no_git { Some(GitWhere::Off) } else { args.git.map(Into::into) },
        reports: Vec::new(),
    };
    let result = Connector::new(process, settings)?.call(method, &params, OnInterrupt::Cancel)?;
    let undone: UndoResult = typed(method, &result)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let report = undo_text(&undone, &settings.style(&params.root, Detail::Minimal));
        print_report(process, settings, report)?;
    }
    Ok(if undone.success { Status::Ok } else { Status::Failed })
}
