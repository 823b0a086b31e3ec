//! `complete`: prints the values that a completion script asks for.
//!
//! It never starts a daemon, ends after 200 ms and says nothing of a failure: a shell waits for it, with a
//! person in front.

use std::process::exit;
use std::thread;
use std::time::Duration;

use clada_protocol::method::{ConfigShow, HistoryList, SessionList};
use clada_protocol::{ConfigShowParams, HistoryListParams, SessionListParams, visible_line};

use crate::Process;
use crate::args::Values;
use crate::exit::{Failure, Status};
use crate::output::print;
use crate::request::fetch;
use crate::root;
use crate::settings::{Settings, Spawn};

const LONGEST: Duration = Duration::from_millis(200);

#[expect(clippy::disallowed_methods, reason = "a daemon that does not answer must not hold up a shell")]
pub(super) fn run(process: &mut Process, settings: &Settings, kind: Values) -> Result<Status, Failure> {
    thread::spawn(|| {
        thread::sleep(LONGEST);
        exit(0);
    });
    let settings = Settings { spawn: Spawn::Never, ..settings.clone() };
    let values = values(process, &settings, kind).unwrap_or_default();
    let text: String = values
        .iter()
        .map(|(value, meaning)| match meaning.as_str() {
            "" => format!("{}\n", visible_line(value)),
            meaning => format!("{}\t{}\n", visible_line(value), visible_line(meaning)),
        })
        .collect();
    print(process, &text)?;
    Ok(Status::Ok)
}

fn values(
    process: &mut Process,
    settings: &Settings,
    kind: Values,
) -> Result<Vec<(String, String)>, Failure> {
    let root = root::find(process, settings);
    Ok(match kind {
        Values::Operations => {
            let params = HistoryListParams { root: root?, limit: None };
            let listed = fetch::<HistoryList>(process, settings, &params)?;
            let short = |id: String| listed.short_ids.get(&id).cloned().unwrap_or(id);
            listed.operations.into_iter().map(|one| (short(one.operation_id), one.summary)).collect()
        }
        Values::Sessions => {
            let params = SessionListParams { root: root? };
            let listed = fetch::<SessionList>(process, settings, &params)?;
            listed.sessions.into_iter().map(|one| (one.session, String::new())).collect()
        }
        Values::Settings => {
            let params = ConfigShowParams { root: root.ok(), ..ConfigShowParams::default() };
            let shown = fetch::<ConfigShow>(process, settings, &params)?;
            shown.settings.into_iter().map(|one| (one.key, one.value.to_string())).collect()
        }
    })
}
