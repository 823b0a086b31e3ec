//! `instructions`: prints the text for the model.

use clada_protocol::{InstructionsParams, InstructionsResult, Method, Verbosity, method, visible_block};

use crate::Process;
use crate::args::Instructions;
use crate::clipboard::Clipboard;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print_json, print_line};
use crate::request::typed;
use crate::root;
use crate::settings::Settings;

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    args: &Instructions,
) -> Result<Status, Failure> {
    let name = method::Instructions::NAME;
    let clipboard = args.copy.then(|| Clipboard::of(process));
    clipboard.as_ref().map_or(Ok(()), Clipboard::can_copy)?;
    // Outside of a project there is none to name.
    let root = match root::find(process, settings) {
        Err(failure) if settings.root.is_some() => return Err(failure),
        root => root.ok(),
    };
    let params = InstructionsParams {
        dialect: args.dialect.clone(),
        root,
        audience: args.reader.into(),
        all_actions: args.all_actions,
    };
    let result = Connector::new(process, settings)?.call(name, &params, OnInterrupt::End)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let taught: InstructionsResult = typed(name, &result)?;
        let Some(clipboard) = clipboard else {
            print_line(process, &visible_block(&taught.text))?;
            return Ok(Status::Ok);
        };
        let copied = clipboard.copy(process, &taught.text)?;
        if settings.verbosity > Verbosity::Quiet {
            process.complain(&format!("{}\n", copied.sentence("The text for the model")));
        }
    }
    Ok(Status::Ok)
}
