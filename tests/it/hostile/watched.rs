//! The programs that the daemon starts while it works with hostile repositories.

use std::path::PathBuf;

use serde_json::json;

use crate::support::executed::{Executed, Execution};
use crate::support::{Answer, World, skipped};

/// The programs that a daemon starts, and which program it is itself.
pub(super) struct Watched {
    executed: Executed,
    daemon: PathBuf,
}

/// Has every program noted that the daemon starts, which no sandbox hides; `None` where that cannot be done.
pub(super) fn begin(world: &World) -> Option<Watched> {
    let pid = i32::try_from(world.status()["pid"].as_i64().unwrap()).unwrap();
    let executed = match Executed::by(pid) {
        Ok(executed) => executed,
        Err(error) => {
            skipped(
                "what a hostile repository has executed",
                &format!("nothing can be traced here ({error})"),
            );
            return None;
        }
    };
    // One that was asked for is seen.
    let asked = Answer::new().action("run", &[("command", "sh -c 'exit 0'")]);
    world.execute(&asked, json!({ "approve": "all", "git": "off" }));
    let daemon = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap();
    Some(Watched { executed, daemon })
}

/// Returns the programs that were started, other than git, the sandbox and the daemon's own.
pub(super) fn unasked(Watched { executed, daemon }: Watched) -> Vec<String> {
    let is_own = |execution: &Execution| {
        let name = execution.file.file_name();
        execution.file == daemon || name.is_some_and(|name| name == "git" || name == "bwrap")
    };
    let others = executed.all().into_iter().filter(|execution| !is_own(execution));
    let (asked, others): (Vec<_>, Vec<_>) =
        others.partition(|execution| execution.arguments.ends_with("sh -c exit 0"));
    assert_eq!(asked.len(), 1, "what is executed in a sandbox is seen: {others:?}");
    others.into_iter().map(|execution| format!("executed: {execution:?}")).collect()
}
