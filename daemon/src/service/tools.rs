//! The tools of MCP: each is a method, and its result as text for a model.
//!
//! A result is that of the method for an agent. A call names a project of those that its
//! connection is narrowed to, and no other. Knows nothing of the wire.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_apply::{Failure, ReadTools, SearchQuery, ToolText};
use clada_mcp::{Call, Search, ToolResult, Work, cut_lines, cut_report};
use clada_protocol::{
    Audience, CheckpointBeginParams, CheckpointBeginResult, CheckpointEndParams, EmbedParams, EmbedResult,
    ErrorKind, ExecuteParams, ExecutionResult, InstructionsParams, PlanParams, PlanResult, PlannedAction,
    ProjectChangesParams, RpcError, StageConfirmParams, StageParams, StageResult, count_of, visible_line,
    visible_path,
};
use clada_server::Context;

use super::requested::Requested;
use super::rows::{Time, set_deadline};
use super::{Service, reports};
use crate::engine::{ProjectRequest, RequestContext as _};
use crate::project::ResolvedRoot;

const EDIT: &str = "edit";

impl Service {
    pub(super) async fn call_tool(self, context: Context, call: Call) -> Result<ToolResult, RpcError> {
        let notes = call.notes.iter().map(|note| format!("{note}\n")).collect::<String>();
        let mut result = self.result_of(context, call).await?;
        result.text.insert_str(0, &notes);
        Ok(result)
    }

    async fn result_of(self, context: Context, call: Call) -> Result<ToolResult, RpcError> {
        let is_short = matches!(call.work, Work::Preview(_) | Work::Instructions(_) | Work::Read(_));
        set_deadline(&context, if is_short { Time::Short } else { Time::Whole });
        if let Work::Instructions(params) = call.work {
            let params = InstructionsParams { audience: Audience::Tool, ..params };
            let taught = self.instructions(context, params).await?;
            return Ok(ToolResult { text: taught.text, ..ToolResult::default() });
        }
        let named = call.root;
        let root = context.blocking(move |context| root(context.scope().roots.as_deref(), named)).await?;
        // Not held: a call may wait for a person, who holds nothing up.
        let room = self.request(&context, root.clone()).await?.tool_output()?;
        self.call_about(context, call.work, root, room).await
    }

    async fn call_about(
        self,
        context: Context,
        work: Work,
        root: String,
        room: usize,
    ) -> Result<ToolResult, RpcError> {
        match work {
            Work::Apply(params) => self.apply(context, ExecuteParams { root, ..*params }, room, None).await,
            Work::Edit(params) => {
                self.apply(context, ExecuteParams { root, ..*params }, room, Some(EDIT)).await
            }
            Work::Preview(params) => self.preview(context, PlanParams { root, ..*params }, room).await,
            Work::Embed(params) => {
                let result = self.embed(context.clone(), EmbedParams { root, ..*params }).await?;
                Ok(context.blocking(move |_| document(&result, room)).await)
            }
            Work::Read(files) => {
                self.read_with(context, root, room, move |tools| Ok(tools.read(&files))).await
            }
            Work::Search(search) => {
                let Search { pattern, globs, context: around, ignore_case } = search;
                let query = SearchQuery { pattern, globs, context: around, ignore_case };
                self.read_with(context, root, room, move |tools| tools.search(&query)).await
            }
            Work::List(glob) => {
                self.read_with(context, root, room, move |tools| tools.list(glob.as_deref())).await
            }
            Work::Changes(params) => {
                let request = self.request(&context, root.clone()).await?;
                let params = ProjectChangesParams { root, ..params };
                context.blocking(move |_| Ok(ToolResult::of_changes(request.changes(&params)?, room))).await
            }
            Work::Stage(params) => {
                self.stage_and_confirm(context, StageParams { root, ..params }, room).await
            }
            Work::CheckpointBegin(params) => {
                let params = CheckpointBeginParams { root: root.clone(), ..params };
                let begin = move |request: &ProjectRequest| request.begin_checkpoint(&params);
                let text = begun_text(&self.in_turn(&context, root, begin).await?);
                Ok(ToolResult { text: with_room(&text, room, ASK_THE_PERSON), ..ToolResult::default() })
            }
            Work::CheckpointEnd(params) => {
                let params = CheckpointEndParams { root: root.clone(), ..params };
                let end = move |request: &ProjectRequest| request.end_checkpoint(&params);
                let text = ended_text(&self.in_turn(&context, root, end).await?);
                Ok(ToolResult { text: with_room(&text, room, ASK_THE_PERSON), ..ToolResult::default() })
            }
            // It is about no project.
            Work::Instructions(_) => Ok(ToolResult::default()),
        }
    }

    async fn read_with(
        self,
        context: Context,
        root: String,
        room: usize,
        read: impl FnOnce(&ReadTools<'_>) -> Result<ToolText, Failure> + Send + 'static,
    ) -> Result<ToolResult, RpcError> {
        let request = self.request(&context, root).await?;
        let read = move |_: &Context| {
            let output = request.read_tools(room, read)?;
            Ok(ToolResult { text: output.text, is_error: output.failed, structured: None })
        };
        context.blocking(read).await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        context: &Context,
        root: String,
        work: impl FnOnce(&ProjectRequest) -> Result<T, RpcError> + Send + 'static,
    ) -> Result<T, RpcError> {
        let request = Arc::new(self.request(context, root).await?);
        let (project, tidying) = (Arc::clone(request.project()), Arc::clone(&request));
        let waits = Requested::new(context);
        project.queue.run(move || work(&request), move || waits.waiting(), move || tidying.tidy()).await
    }

    async fn apply(
        self,
        context: Context,
        params: ExecuteParams,
        room: usize,
        words: Option<&str>,
    ) -> Result<ToolResult, RpcError> {
        let root = params.root.clone();
        let (mut result, why) = self.executed(&context, params).await?;
        // The caller knows the arguments of its tool, and not the dialect that they were put in.
        if let Some(words) = words {
            result.blocks.iter_mut().for_each(|block| words.clone_into(&mut block.dialect));
        }
        let report = move |_: &Context| {
            let text = cut_report(&reports::for_agent(&root, &result, why), room);
            // Whoever calls this means an edit; what is left of one that changed something is in the text.
            let did = !result.changed.is_empty() || result.changed_more > 0 || !result.already.is_empty();
            let is_error = !did && (!result.success || result.results.is_empty());
            ToolResult { text, is_error, structured: None }
        };
        Ok(context.blocking(report).await)
    }

    async fn preview(
        self,
        context: Context,
        params: PlanParams,
        room: usize,
    ) -> Result<ToolResult, RpcError> {
        let root = params.root.clone();
        let (_, plan, result) = self.planned(&context, params, String::new()).await?;
        let report = move |_: &Context| {
            let text = cut_report(&reports::of_preview(&root, &plan, &result), room);
            ToolResult { text, is_error: would_fail(&result), structured: None }
        };
        Ok(context.blocking(report).await)
    }

    async fn stage_and_confirm(
        self,
        context: Context,
        params: StageParams,
        room: usize,
    ) -> Result<ToolResult, RpcError> {
        let root = params.root.clone();
        let request = self.request(&context, root.clone()).await?;
        let staged = self.stage(context.clone(), params).await?;
        context.check()?;
        if let Some(staging_dir) = staged.staging_dir.clone() {
            let confirm = StageConfirmParams { root, staging_dir };
            context.blocking(move |_| request.confirm_stage(&confirm)).await?;
        }
        let text = with_room(&staged_text(&staged), room, "ask for the manifest's file");
        Ok(ToolResult { text, ..ToolResult::default() })
    }
}

fn root(roots: Option<&[PathBuf]>, named: Option<String>) -> Result<String, RpcError> {
    let roots = roots.unwrap_or_default();
    let all = || roots.iter().map(|root| root.to_string_lossy()).collect::<Vec<_>>().join(", ");
    let refuse = |kind, message: String| Err(RpcError::new(kind, message).with("parameter", "root"));
    if roots.is_empty() {
        let message = "No project is configured for this server. A person has to name one in the host's \
                       configuration, as `clada-daemon mcp --root DIR`, or start the host in a project.";
        return refuse(ErrorKind::ProjectNotFound, message.to_owned());
    }
    match (named, roots) {
        (None, [root]) => Ok(root.to_string_lossy().into_owned()),
        (None, _) => refuse(ErrorKind::InvalidParams, format!("`root` is missing: name one of {}", all())),
        (Some(named), _) => {
            let is_there = ResolvedRoot::new(Path::new(&named))
                .is_ok_and(|resolved| roots.iter().any(|root| root == resolved.as_path()));
            if is_there {
                return Ok(named);
            }
            let named: String = named.chars().take(200).collect();
            let message = format!("`root`: '{named}' is not a project of this server, which has {}", all());
            refuse(ErrorKind::PathEscape, message)
        }
    }
}

fn would_fail(result: &PlanResult) -> bool {
    let fails = |action: &PlannedAction| {
        action.unplannable.as_ref().is_some_and(|why| why.kind != ErrorKind::AnswerAlreadyApplied)
    };
    let is_empty = result.actions.is_empty() && result.proposals.is_empty();
    is_empty || !result.parse_errors.is_empty() || result.actions.iter().any(fails)
}

const RESERVE: usize = 120;

fn with_room(text: &str, room: usize, advice: &str) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let (fitting, cut) = cut_lines(text, room.saturating_sub(RESERVE));
    format!("{fitting}[cut: {cut} lines of {}; {advice}]\n", text.lines().count())
}

fn document(result: &EmbedResult, room: usize) -> ToolResult {
    let mut text = String::new();
    for (word, issues) in [("ERROR", &result.errors), ("WARNING", &result.warnings)] {
        for issue in issues {
            text.push_str(&format!("{word}: {}\n", visible_line(&issue.message)));
        }
    }
    let nothing = result.files.is_empty() && !(result.errors.is_empty() && result.omitted.is_empty());
    if nothing && result.errors.is_empty() {
        text.push_str("ERROR: nothing is in it, for the reasons below Omitted. If it is the budget, raise `max_tokens`, or ask for \
                       lines, as `path:10-42`.\n");
    }
    if result.files.is_empty() && text.is_empty() {
        text.push_str("WARNING: no file is in it: none fits `paths` with `include` and `exclude`.\n");
    }
    let is_error = result.document.is_none() || nothing;
    text.push_str(result.document.as_deref().unwrap_or_default());
    ToolResult {
        text: with_room(&text, room, "ask for fewer files, or for lines as `path:10-42`"),
        is_error,
        structured: None,
    }
}

fn begun_text(result: &CheckpointBeginResult) -> String {
    let mut text = result.ended.as_deref().map(ended_text).unwrap_or_default();
    text.push_str(&format!("Checkpoint {} began.\n", result.checkpoint));
    for warning in &result.warnings {
        text.push_str(&format!("WARNING: {}\n", visible_line(warning)));
    }
    text
}

fn ended_text(result: &ExecutionResult) -> String {
    let files = result.files.as_deref().unwrap_or_default();
    let mut text = match result.operation_id.as_str() {
        "" => "Nothing has changed: nothing is recorded.\n".to_owned(),
        id => {
            format!("Recorded {} as operation {id}.\n", count_of(files.len() + result.changed_more, "file"))
        }
    };
    for warning in &result.warnings {
        text.push_str(&format!("WARNING: {}\n", visible_line(&warning.message)));
    }
    for file in files {
        text.push_str(&format!("  {} {}\n", file.kind.word(), visible_path(&file.path)));
    }
    text
}

const ASK_THE_PERSON: &str = "the person's history has all of it";

fn staged_text(result: &StageResult) -> String {
    let mut text = match &result.staging_dir {
        Some(folder) => {
            let nothing = match result.files == 0 && result.removed.is_empty() && result.renamed.is_empty() {
                true => ": nothing has changed since the last stage",
                false => "",
            };
            let files = count_of(result.files as usize, "file");
            format!("{files} staged in {}{nothing}\n", visible_path(folder))
        }
        None => "Nothing was staged.\n".to_owned(),
    };
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    // The warnings come first: what has no room is cut at the end of the text.
    for warning in &result.warnings {
        line(format!("WARNING: {}", visible_line(warning)));
    }
    for file in &result.copied {
        line(format!("  {} <- {}", visible_path(&file.name), visible_path(&file.path)));
    }
    for file in &result.renamed {
        line(format!("  {} was {}", visible_path(&file.to), visible_path(&file.from)));
    }
    for file in &result.removed {
        line(format!("  gone: {}", visible_path(&file.path)));
    }
    for omitted in &result.omitted {
        line(format!("  not staged: {}: {}", visible_path(&omitted.path), visible_line(&omitted.reason)));
    }
    text
}
