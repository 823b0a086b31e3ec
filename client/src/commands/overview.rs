//! The program without a command: the state of the project, and the next commands (spec: daily, "Name, start,
//! way in").

use clada_protocol::method::{ApprovalList, HistoryList, Stage};
use clada_protocol::{
    ApprovalListParams, ApprovalListResult, HistoryListParams, HistoryListResult, Method, OperationInfo,
    StageParams, StageResult, count_of, visible_line, visible_path,
};

use super::history::ago;
use crate::Process;
use crate::args;
use crate::connect::KeptLink;
use crate::exit::{Failure, Status};
use crate::output::print_text;
use crate::request::fetch_over;
use crate::root;
use crate::settings::Settings;

const LOOKED_AT: usize = 100;

pub(super) fn run(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let mut link = KeptLink::default();
    let mut ask = DaemonQueries { process, settings, link: &mut link };
    let state = ProjectState {
        history: ask.of::<HistoryList>(&HistoryListParams { root: root.clone(), limit: Some(LOOKED_AT) })?,
        approvals: ask.of::<ApprovalList>(&ApprovalListParams { root: Some(root.clone()) })?,
        // A project that cannot be staged has a state all the same.
        stage: ask.of::<Stage>(&StageParams { root: root.clone(), dry_run: true, ..Default::default() }).ok(),
    };
    let name = args::called(process);
    print_text(process, state.text(&root, name, jiff::Timestamp::now().as_millisecond()))?;
    Ok(Status::Ok)
}

struct DaemonQueries<'a> {
    process: &'a mut Process,
    settings: &'a Settings,
    link: &'a mut KeptLink,
}

impl DaemonQueries<'_> {
    fn of<M: Method>(&mut self, params: &M::Params) -> Result<M::Result, Failure> {
        fetch_over::<M>(self.process, self.settings, params, self.link)
    }
}

struct ProjectState {
    history: HistoryListResult,
    approvals: ApprovalListResult,
    stage: Option<StageResult>,
}

impl ProjectState {
    fn text(&self, root: &str, name: &str, now: i64) -> String {
        let rows = [
            ("project", visible_path(root).into_owned()),
            ("last", self.last(name, now)),
            ("waiting", self.waiting(name)),
            ("changed", self.changed(name)),
            ("next", format!("{name} apply < answer.md   {name} embed PATH   {name} instructions")),
        ];
        rows.iter().map(|(title, text)| format!("{title:<8} {text}\n")).collect()
    }

    fn last(&self, name: &str, now: i64) -> String {
        let stands = |operation: &&OperationInfo| operation.kind != "undo" && operation.undone_by.is_none();
        match self.history.operations.iter().find(stands) {
            Some(operation) => format!(
                "{}, {}; {name} undo reverts it",
                visible_line(&operation.summary),
                ago(now, operation.began_ms)
            ),
            None if self.history.operations.is_empty() => "no operations here yet".to_owned(),
            None => format!("everything is undone; {name} redo"),
        }
    }

    fn waiting(&self, name: &str) -> String {
        match (self.approvals.approvals.len(), self.approvals.left_out.len()) {
            (0, 0) => "nothing needs your approval".to_owned(),
            (0, left_out_count) => {
                format!(
                    "{} of agents left out what needs approval; {name} approvals",
                    count_of(left_out_count, "answer")
                )
            }
            (waiting, _) => {
                format!("{} for your approval; {name} approvals answer", count_of(waiting, "answer"))
            }
        }
    }

    fn changed(&self, name: &str) -> String {
        match &self.stage {
            None => format!("{name} stage says why nothing can be staged"),
            Some(stage) if stage.first_run => {
                format!(
                    "nothing was staged yet; {name} stage takes {}",
                    count_of(stage.eligible as usize, "file")
                )
            }
            Some(stage) => match stage.files as usize + stage.removed.len() {
                0 => "nothing since the last stage".to_owned(),
                files => format!("{} since the last stage; {name} stage", count_of(files, "file")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::{Value, json};

    use super::*;

    fn shown(history: Value, approvals: Value, stage: Option<Value>) -> String {
        let state = ProjectState {
            history: serde_json::from_value(history).unwrap(),
            approvals: serde_json::from_value(approvals).unwrap(),
            stage: stage.map(|stage| serde_json::from_value(stage).unwrap()),
        };
        state.text("/home/me/project", "clada", 3_600_000)
    }

    fn operation(id: &str, kind: &str, more: &Value) -> Value {
        let mut operation = json!({
            "operationId": id, "kind": kind, "status": "done", "beganMs": 0, "summary": "edited a.rs",
        });
        for (key, value) in more.as_object().unwrap() {
            operation[key] = value.clone();
        }
        operation
    }

    #[test]
    fn a_project_is_five_lines() {
        let nothing = json!({"approvals": []});
        let staged = |files: u64, first: bool| {
            Some(json!({
                "copied": [], "removed": [], "renamed": [], "files": files, "eligible": 9, "firstRun": first,
            }))
        };
        expect![[r#"
            project  /home/me/project
            last     no operations here yet
            waiting  nothing needs your approval
            changed  nothing was staged yet; clada stage takes 9 files
            next     clada apply < answer.md   clada embed PATH   clada instructions
        "#]]
        .assert_eq(&shown(json!({"operations": []}), nothing.clone(), staged(9, true)));
        let history = json!({"operations": [
            operation("3", "undo", &json!({"undoes": "2"})),
            operation("2", "execute", &json!({"undoneBy": "3", "summary": "deleted b.rs"})),
            operation("1", "execute", &json!({})),
        ]});
        let left_out_count = json!({"approvals": [], "leftOut": [
            {"operationId": "1", "root": "/home/me/project", "endedMs": 1, "what": ["make"]},
        ]});
        expect![[r#"
            project  /home/me/project
            last     edited a.rs, 1 h ago; clada undo reverts it
            waiting  1 answer of agents left out what needs approval; clada approvals
            changed  2 files since the last stage; clada stage
            next     clada apply < answer.md   clada embed PATH   clada instructions
        "#]]
        .assert_eq(&shown(history, left_out_count, staged(2, false)));
        let undone = json!({"operations": [
            operation("2", "undo", &json!({"undoes": "1"})), operation("1", "execute", &json!({"undoneBy": "2"})),
        ]});
        let waiting = json!({"approvals": [{
            "id": "x", "root": "/home/me/project", "waitingMs": 1, "expiresInMs": 1, "approvals": [], "diff": "",
        }]});
        expect![[r#"
            project  /home/me/project
            last     everything is undone; clada redo
            waiting  1 answer for your approval; clada approvals answer
            changed  clada stage says why nothing can be staged
            next     clada apply < answer.md   clada embed PATH   clada instructions
        "#]]
        .assert_eq(&shown(undone, waiting, None));
    }
}
