//! `parse` and `plan`: what an answer says, and what it would change.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use clada_apply::{
    Answer, Atomicity, Counted, PlainRules, PlanInputs, Progress, Reading, Resumable, SavedPlan, View,
    needed, unknown_ids,
};
use clada_config::Settings;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{
    Approval, ErrorKind, MatchLevel, OperationWarning, ParseParams, ParseResult, PlanParams, PlanResult,
    RpcError,
};

use super::commanding::CommandOptions;
use super::environment::Environment;
use super::executing::from_root;
use super::overlays;
use super::request::ProjectRequest;
use super::roots::PathOverrides;

const MOST_CONTEXT: usize = 100;

impl ProjectRequest {
    pub(crate) fn parse(&self, params: &ParseParams) -> Result<ParseResult, RpcError> {
        // Comes first: what ends while this is read counts as later.
        let ended = self.project().ended().count();
        let settings = self.settings()?;
        let mut answer = read(params, settings)?;
        let roots = self.roots()?;
        hold_against(&mut answer, Some(roots), self.environment(), settings);
        answer.propose(&View::new(roots), &self.rules(roots)?, None);
        let approvals = self.needed(&answer, params)?;
        self.show_approvals(&approvals, None, ended, None);
        Ok(ParseResult { approvals, ..answer.into_parse_result() })
    }

    fn needed(&self, answer: &Answer, params: &ParseParams) -> Result<Vec<Approval>, RpcError> {
        let roots = self.roots()?;
        let options = || CommandOptions::to_plan(&params.env, params.timeout_ms);
        let commands = self.commands(roots, answer.has_commands().then(options))?;
        let rules = self.rules(roots)?.with_commands(commands);
        Ok(needed(answer, roots, &rules, &|| self.context().stop()))
    }

    /// `plan` of a text: returns the plan to keep, and the result without id and lifetime.
    pub(crate) fn plan(
        &self,
        text: &Arc<str>,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let source = self.read_text(text, params.dialects.as_deref(), params.atomic, params.match_level)?;
        self.plan_rest(source.remaining(source.atomicity), source, params.again, params)
    }

    pub(super) fn read_text(
        &self,
        text: &Arc<str>,
        dialects: Option<&[String]>,
        atomic: bool,
        match_level: Option<MatchLevel>,
    ) -> Result<Resumable, RpcError> {
        let settings = self.settings()?;
        check_size(text, settings)?;
        let reading = Reading::new(dialects, settings)?;
        Ok(Resumable::new(Arc::clone(text), reading, atomicity(atomic), match_level))
    }

    /// `plan` of the rest of an operation: what did not succeed, and what was not accepted, which is offered again.
    pub(crate) fn plan_resumed(
        &self,
        resumable: &Resumable,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let params = resumable.planned_as_before(params, self.whose());
        let operation = params.resume.clone().unwrap_or_default();
        let source = resumable.clone().offering_left_out(operation).with_options(
            if params.atomic { Atomicity::AllOrNothing } else { resumable.atomicity },
            params.match_level.or(resumable.match_level),
        );
        self.plan_rest(source.rest(source.atomicity), source, params.again, &params)
    }

    /// `plan` of what is left to do of a plan after `progress`, or of what `only` names of it.
    pub(crate) fn plan_again(
        &self,
        saved_plan: &SavedPlan,
        progress: &Progress,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let only = params.only.as_deref();
        if let Some(unknown) = only.map(|only| unknown_ids(saved_plan, only)).filter(|ids| !ids.is_empty()) {
            let message = format!("only: the plan has no {}", unknown.join(", "));
            return Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "only"));
        }
        let remaining = saved_plan.remaining(progress, only).with_edited(&params.edited).map_err(|part| {
            let message = format!("edited: the plan has no {}", clada_protocol::visible_line(&part));
            RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "edited")
        })?;
        // The whole rest must succeed if the first plan had to, so a new call can only ask for more.
        let source = remaining.with_options(
            if params.atomic { Atomicity::AllOrNothing } else { remaining.atomicity },
            params.match_level.or(remaining.match_level),
        );
        let again = params.again || saved_plan.is_once_more();
        let answer = source.remaining(source.atomicity);
        let (plan, mut result) = self.plan_rest(answer, source, again, params)?;
        if result.actions.is_empty() && result.proposals.is_empty() && result.parse_errors.is_empty() {
            let message = "There is nothing left to do of that plan".to_owned();
            result.warnings.push(OperationWarning { task: None, message });
        }
        Ok((plan, result))
    }

    fn plan_rest(
        &self,
        answer: Answer,
        source: Resumable,
        again: bool,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let settings = self.settings()?;
        let (allow_escape, include_secrets) = (params.allow_escape, params.include_secrets);
        let roots = self.roots_with(PathOverrides { allow_escape, include_secrets, umask: None })?;
        let mut buffers: Vec<(RootedPath, String)> = Vec::new();
        let mut versions = HashMap::new();
        for (index, overlay) in params.overlays.iter().enumerate() {
            let path = overlays::place(&roots, overlay, index)?;
            check_size(&overlay.text, settings)?;
            // Two texts of one file would make the plan depend on their order.
            if let Some(first) = buffers.iter().position(|(other, _)| *other == path) {
                return Err(overlays::twice(first, index));
            }
            versions.extend(overlay.version.map(|version| (path.clone(), version)));
            buffers.push((path, overlay.text.clone()));
        }
        let options = || CommandOptions::to_plan(&params.env, params.timeout_ms);
        let commands = self.commands(&roots, answer.has_commands().then(options))?;
        let rules = self.rules(&roots)?.matching(source.match_level).literal(params.literal);
        let to = params.to.as_deref().map(|to| from_root(&roots, to)).transpose()?;
        let rules = rules.counting(params.lines).with_commands(commands);
        let rules = rules.plain(PlainRules { to, ..PlainRules::default() });
        let mut warnings = Vec::new();
        let hash = |(path, text): &(RootedPath, String)| (path.clone(), blake3::hash(text.as_bytes()));
        let hashes = buffers.iter().map(hash).collect();
        let applied = self.applied(&roots, Some(&source).filter(|_| !again), &hashes, &mut warnings);
        let context = params.context.min(MOST_CONTEXT);
        let counted = Counted { lines: params.lines, versions, context, buffers };
        let stop = || self.context().stop();
        let inputs = PlanInputs { roots: &roots, rules: &rules, applied: &applied, stop: &stop };
        let (plan, mut result) = SavedPlan::make(answer, source, inputs, Some(counted));
        let paths = result.changed.iter().map(|file| Path::new(file.path.as_str()));
        warnings.extend(self.instructions_warning(paths)?);
        result.warnings.extend(warnings.into_iter().map(|message| OperationWarning { task: None, message }));
        Ok((plan.once_more(again), result))
    }
}

fn atomicity(atomic: bool) -> Atomicity {
    if atomic { Atomicity::AllOrNothing } else { Atomicity::Blocks }
}

pub(super) fn read(params: &ParseParams, settings: &Settings) -> Result<Answer, RpcError> {
    check_size(&params.text, settings)?;
    let reading = Reading::new(params.dialects.as_deref(), settings)?;
    Ok(if params.tree { reading.read_with_trees(&params.text) } else { reading.read(&params.text) })
}

pub(super) fn hold_against(
    answer: &mut Answer,
    roots: Option<&Roots>,
    environment: &Environment,
    settings: &Settings,
) {
    let limit = usize::try_from(settings.limits.max_file_size).unwrap_or(usize::MAX);
    answer.hold_against(roots, environment.git_user().as_ref(), limit);
}

pub(super) fn check_size(text: &str, settings: &Settings) -> Result<(), RpcError> {
    let limit = settings.limits.input;
    if text.len() as u64 <= limit {
        return Ok(());
    }
    let message = format!("The text has {} bytes, limits.input allows {limit}", text.len());
    Err(RpcError::new(ErrorKind::InputTooLarge, message)
        .with("limit", "limits.input")
        .hint("apply it in parts, or raise the limit in your configuration"))
}
