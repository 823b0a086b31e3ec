//! `reports`: the words that the client prints of a result, for callers that show them without it.
//!
//! The words are the protocol's. Knows which method can give which form of them.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use clada_apply::SavedPlan;
use clada_protocol::{
    CommandOutput, ErrorKind, ExecuteParams, ExecutionResult, NO_BLOCKS, ParseParams, ParseResult,
    PlanParams, PlanResult, ReportFormat, ReportStyle, Reports, RpcError, UndoParams, UndoResult,
    execution_for_model, execution_text, execution_xml, how_to_approve, parse_text, plan_for_model,
    plan_text, planned_approval_text, shown_id, undo_text, visible_line,
};

use super::agents::Unapproved;

/// The most bytes of a report: with all of them, a result keeps to what an answer may have.
const LARGEST: usize = 4 << 20;

const FOR_AGENTS: &str = "The user must decide: ask them to run `clada approvals`.";

const OF_EXECUTION: &[ReportFormat] = &[ReportFormat::Text, ReportFormat::Llm, ReportFormat::Xml];
const OF_PLAN: &[ReportFormat] = &[ReportFormat::Text, ReportFormat::Llm];
const OF_OTHERS: &[ReportFormat] = &[ReportFormat::Text];

pub(super) fn check_execution(params: &ExecuteParams) -> Result<(), RpcError> {
    check("execute", &params.reports, OF_EXECUTION)
}

pub(super) fn check_parse(params: &ParseParams) -> Result<(), RpcError> {
    check("parse", &params.reports, OF_OTHERS)
}

pub(super) fn check_plan(params: &PlanParams) -> Result<(), RpcError> {
    check("plan", &params.reports, OF_PLAN)
}

pub(super) fn of_preview(root: &str, plan: &SavedPlan, result: &PlanResult) -> String {
    let style = style_for_agent(root, Unapproved::NotAsked);
    let nonce = RandomState::new().build_hasher().finish();
    plan_for_model(result, &plan.as_result(result, LARGEST), &style, nonce)
}

pub(super) fn of_plan(params: &PlanParams, for_agent: bool, plan: &SavedPlan, result: &mut PlanResult) {
    if !for_agent {
        for approval in &mut result.approvals {
            approval.text = Some(planned_approval_text(approval, &params.root));
        }
    }
    let style =
        if for_agent { style_for_agent(&params.root, Unapproved::NotAsked) } else { style(&params.root) };
    let reports = render(&params.reports, |format| match format {
        ReportFormat::Llm => {
            let nonce = RandomState::new().build_hasher().finish();
            plan_for_model(result, &plan.as_result(result, LARGEST), &style, nonce)
        }
        ReportFormat::Text | ReportFormat::Xml => plan_text(result, &style),
    });
    result.reports = reports;
}

/// A report for an agent, for which there is an `unapproved`, does not say how to approve.
pub(super) fn of_execution(
    params: &ExecuteParams,
    unapproved: Option<Unapproved>,
    result: &mut ExecutionResult,
) {
    let operation = (!params.dry_run).then_some(shown_id(&result.short_ids, &result.operation_id));
    let how_to_approve = how_to_approve(operation);
    let style = match unapproved {
        Some(why) => style_for_agent(&params.root, why),
        None => ReportStyle { how_to_approve: &how_to_approve, ..style(&params.root) },
    };
    let reports = render(&params.reports, |format| match format {
        ReportFormat::Text if result.total_blocks == 0 && result.success => nothing(result),
        ReportFormat::Text => {
            // As at a terminal: what was streamed is not repeated.
            let commands = if params.stream { CommandOutput::Omitted } else { CommandOutput::Shown };
            execution_text(result, &ReportStyle { commands, ..style })
        }
        ReportFormat::Llm => execution_for_model(result, &style, RandomState::new().build_hasher().finish()),
        ReportFormat::Xml => execution_xml(result, &style),
    });
    result.reports = reports;
}

pub(super) fn for_agent(root: &str, result: &ExecutionResult, why: Unapproved) -> String {
    let style = style_for_agent(root, why);
    execution_for_model(result, &style, RandomState::new().build_hasher().finish())
}

pub(super) fn of_parse(params: &ParseParams, result: &mut ParseResult) {
    let root = params.root.as_deref().unwrap_or_default();
    result.reports = render(&params.reports, |_| parse_text(result, &style(root)));
}

pub(super) fn of_undo(
    method: &str,
    params: &UndoParams,
    undo: impl FnOnce() -> Result<UndoResult, RpcError>,
) -> Result<UndoResult, RpcError> {
    check(method, &params.reports, OF_OTHERS)?;
    let mut result = undo()?;
    result.reports = render(&params.reports, |_| undo_text(&result, &style(&params.root)));
    Ok(result)
}

fn style(root: &str) -> ReportStyle<'_> {
    ReportStyle { root, ..ReportStyle::default() }
}

fn style_for_agent(root: &str, why: Unapproved) -> ReportStyle<'_> {
    ReportStyle { how_to_approve: FOR_AGENTS, unapproved: why.in_report(), ..style(root) }
}

fn nothing(result: &ExecutionResult) -> String {
    let warning = |text: &str| format!("WARNING: {}\n", visible_line(text));
    let warnings: String = result.warnings.iter().map(|issue| warning(&issue.message)).collect();
    format!("{warnings}{NO_BLOCKS}\n")
}

fn check(method: &str, formats: &[ReportFormat], there: &[ReportFormat]) -> Result<(), RpcError> {
    let Some(wrong) = formats.iter().find(|format| !there.contains(format)) else { return Ok(()) };
    let names: Vec<String> = there.iter().map(|format| format!("`{}`", format.name())).collect();
    let message = format!("{method}: there is no report `{}` of it", wrong.name());
    Err(RpcError::new(ErrorKind::InvalidParams, message)
        .with("parameter", "reports")
        .hint(format!("it has {}", names.join(", "))))
}

fn render(formats: &[ReportFormat], report: impl Fn(ReportFormat) -> String) -> Option<Reports> {
    let report_in = |format| {
        let rendered = formats.contains(&format).then(|| report(format));
        rendered.filter(|text| text.len() <= LARGEST)
    };
    (!formats.is_empty()).then(|| Reports {
        text: report_in(ReportFormat::Text),
        llm: report_in(ReportFormat::Llm),
        xml: report_in(ReportFormat::Xml),
    })
}
