//! Answers of agents that wait for a person: nothing of one is done before it is decided about, or its time
//! is over (spec: mcp, Approvals).
//!
//! One call waits a project, [`MAX_WAITING`] in all, and it holds no lock and no file. What a person approves
//! is the plan as it was shown: it is made again when the answer has the project to itself, and asked about
//! again if it is another one, under another id. Knows neither terminals nor editors.
//!
//! A person is told that a decision was taken when the call that waits has taken it, never before. A call
//! that is cancelled in the same moment takes none: then nothing is done, and nobody is told that it was.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use clada_apply::weight;
use clada_protocol::{
    ApprovalAnswerParams, ApprovalAnswerResult, ApprovalDecision, ApprovalListParams, ApprovalListResult,
    Approve, ErrorKind, ExecuteParams, ExecutionResult, LeftOut, ProjectEvent, ProjectEventKind, RpcError,
    STALE_APPROVALS, WaitingApproval, approval_text, waiting_text,
};
use clada_server::{CancelReason, Context};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::agents::{self, Unapproved};
use super::requested::Requested;
use super::{AnswerSource, Execution, Service};
use crate::engine::{ApprovedPreview, Holder, OpenedAnswer, Preview, ProjectRequest, RequestContext};
use crate::project::{Project, locked};

pub(super) const MAX_WAITING: usize = 8;
/// The most bytes of what operations left out in a list of all projects.
const MAX_LEFT_OUT: usize = 4 << 20;
const MAX_TEXT: usize = 16 << 10;
/// The time for which an answer waits to be told whether the plan still stands.
const STANDS: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Default)]
pub(super) struct WaitingAnswers(Arc<Mutex<Vec<WaitingSlot>>>);

#[derive(Debug)]
struct WaitingSlot {
    root: PathBuf,
    client: Option<Arc<str>>,
    since: Instant,
    until: Instant,
    question: Option<OpenApproval>,
}

#[derive(Debug)]
struct OpenApproval {
    id: String,
    preview: Arc<Preview>,
    changed: Option<String>,
    reply: oneshot::Sender<UserDecision>,
}

#[derive(Debug)]
enum Fate {
    Stands,
    AskedAgain(String),
    /// It is another one now, which cannot be shown whole: what needs approval is left out.
    TooLarge,
    // It is another one now, of which nothing needs approval: it is applied without any.
    NeedsNone,
}

#[derive(Debug)]
struct UserDecision {
    decision: ApprovalDecision,
    taken: oneshot::Sender<()>,
    fate: oneshot::Sender<Fate>,
}

enum ApprovalReply {
    Once(oneshot::Sender<Fate>),
    No,
    Late,
}

impl WaitingAnswers {
    fn slots(&self) -> MutexGuard<'_, Vec<WaitingSlot>> {
        locked(&self.0)
    }

    pub(super) fn is_about(&self, root: &Path) -> bool {
        self.slots().iter().any(|slot| slot.root == root)
    }

    fn with_slot<T>(&self, root: &Path, work: impl FnOnce(&mut WaitingSlot) -> T) -> Option<T> {
        self.slots().iter_mut().find(|slot| slot.root == root).map(work)
    }

    pub(super) fn count(&self) -> usize {
        self.slots().iter().filter(|slot| slot.question.is_some()).count()
    }

    /// `None` if another call waits there, or too many do.
    fn enter(&self, project: &Arc<Project>, context: &Context, wait: Duration) -> Option<WaitingPlace> {
        let mut slots = self.slots();
        if slots.len() >= MAX_WAITING || slots.iter().any(|slot| slot.root == project.root()) {
            return None;
        }
        let (since, root) = (Instant::now(), project.root().to_path_buf());
        let until = since + wait;
        slots.push(WaitingSlot { root, client: context.client(), since, until, question: None });
        Some(WaitingPlace { waiting: self.clone(), project: Arc::clone(project), until })
    }

    fn take(&self, id: &str) -> Option<OpenApproval> {
        let mut slots = self.slots();
        let slot =
            slots.iter_mut().find(|slot| slot.question.as_ref().is_some_and(|question| question.id == id))?;
        slot.question.take()
    }

    fn list(&self, root: Option<&Path>) -> Vec<WaitingApproval> {
        let (slots, now) = (self.slots(), Instant::now());
        let waiting = slots.iter().filter(|slot| root.is_none_or(|root| slot.root == root));
        let shown = |slot: &WaitingSlot| slot.question.as_ref().map(|question| shown(slot, question, now));
        let mut listed: Vec<WaitingApproval> = waiting.filter_map(shown).collect();
        drop(slots);
        for waiting in &mut listed {
            waiting.text = waiting_text(waiting);
        }
        listed
    }
}

fn shown(slot: &WaitingSlot, question: &OpenApproval, now: Instant) -> WaitingApproval {
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    WaitingApproval {
        id: question.id.clone(),
        root: slot.root.to_string_lossy().into_owned(),
        client: slot.client.as_deref().map(str::to_owned),
        waiting_ms: milliseconds(now.saturating_duration_since(slot.since)),
        expires_in_ms: milliseconds(slot.until.saturating_duration_since(now)),
        approvals: question.preview.approvals.clone(),
        diff: question.preview.diff.clone(),
        changed_since: question.changed.clone(),
        text: String::new(),
    }
}

/// Dropping it makes room for another. Held, so that its project stays.
struct WaitingPlace {
    waiting: WaitingAnswers,
    project: Arc<Project>,
    until: Instant,
}

/// Dropping it ends it; subscribers are told of its end once, however it comes.
struct OpenQuestion<'p> {
    place: &'p WaitingPlace,
    id: String,
    decided: oneshot::Receiver<UserDecision>,
    decision: Option<ApprovalDecision>,
}

impl WaitingPlace {
    fn ask(&self, id: String, preview: &Arc<Preview>, changed: Option<String>) -> OpenQuestion<'_> {
        let (reply, decided) = oneshot::channel();
        let event = ProjectEvent {
            kind: ProjectEventKind::ApprovalAsked,
            approval_id: Some(id.clone()),
            approvals: preview.approvals.clone(),
            text: Some(text(preview, self.project.root(), changed.as_deref())),
            ..ProjectEvent::default()
        };
        let question = OpenApproval { id: id.clone(), preview: Arc::clone(preview), changed, reply };
        self.waiting.with_slot(self.project.root(), |slot| slot.question = Some(question));
        self.project.events().publish(event);
        OpenQuestion { place: self, id, decided, decision: None }
    }
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        self.waiting.slots().retain(|slot| slot.root != self.project.root());
    }
}

impl OpenQuestion<'_> {
    /// Waits for the decision; until the time is over, or nobody wants the answer any more.
    ///
    /// What ends the call comes before a decision of the same moment: whoever cancels counts on nothing more
    /// being done, and who decided is told that the call is gone.
    ///
    /// # Errors
    /// `cancelled` or `timeout`: then nothing is to be done.
    async fn decided(mut self, context: &Context) -> Result<ApprovalReply, RpcError> {
        let stopping = context.stopping();
        let decided = tokio::select! {
            biased;
            () = context.notifier().disconnected() => return Err(CancelReason::Disconnected.error()),
            reason = context.cancel().cancelled() => return Err(reason.error()),
            reason = stopping.cancelled() => return Err(reason.error()),
            () = tokio::time::sleep_until(context.deadline()) => return Err(CancelReason::Deadline.error()),
            decided = &mut self.decided => decided,
            () = tokio::time::sleep_until(self.place.until) => return Ok(ApprovalReply::Late),
        };
        let Ok(UserDecision { decision, taken, fate }) = decided else { return Ok(ApprovalReply::Late) };
        self.decision = Some(decision);
        // Who decided may have gone.
        let _ = taken.send(());
        Ok(match decision {
            ApprovalDecision::Once => ApprovalReply::Once(fate),
            ApprovalDecision::No => ApprovalReply::No,
        })
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        let WaitingPlace { waiting, project, .. } = self.place;
        waiting.with_slot(project.root(), |slot| slot.question = None);
        project.events().publish(ProjectEvent {
            kind: ProjectEventKind::ApprovalAnswered,
            approval_id: Some(std::mem::take(&mut self.id)),
            decision: self.decision,
            ..ProjectEvent::default()
        });
    }
}

fn text(preview: &Preview, root: &Path, changed: Option<&str>) -> String {
    let root = root.to_string_lossy();
    let mut text = changed.map(|changed| format!("{changed}\n")).unwrap_or_default();
    for approval in &preview.approvals {
        text.push_str(&approval_text(approval, &root));
        if text.len() > MAX_TEXT {
            text.truncate(text.floor_char_boundary(MAX_TEXT));
            text.push_str("\n(`clada approvals` shows the rest)\n");
            break;
        }
    }
    text
}

fn tell(fate: &mut Option<oneshot::Sender<Fate>>, is: Fate) {
    if let Some(fate) = fate.take() {
        // Who decided may have gone.
        let _ = fate.send(is);
    }
}

enum Approved {
    Done(Box<ExecutionResult>),
    Not(Unapproved),
}

impl Service {
    pub(super) async fn execute_for_agent(
        &self,
        context: &Context,
        params: ExecuteParams,
        request: Arc<ProjectRequest>,
        source: AnswerSource,
    ) -> Result<(ExecutionResult, Unapproved), RpcError> {
        let unapproved = Unapproved::NotAsked;
        let Some(wait) = request.approval_wait()?.filter(|_| !params.changes_nothing()) else {
            let execution = Execution::for_agent(params, request, source, unapproved);
            return Ok((self.carry_out(context, execution).await?, unapproved));
        };
        let why = match self.approved(context, &params, request, &source, wait).await? {
            Approved::Done(result) => return Ok((*result, unapproved)),
            Approved::Not(why) => why,
        };
        let request = self.opened(context, &params).await?;
        let request = if why == Unapproved::Declined { request.decided() } else { request };
        let execution = Execution::for_agent(params, Arc::new(request), source, why);
        Ok((self.carry_out(context, execution).await?, why))
    }

    async fn approved(
        &self,
        context: &Context,
        params: &ExecuteParams,
        request: Arc<ProjectRequest>,
        source: &AnswerSource,
        wait: Duration,
    ) -> Result<Approved, RpcError> {
        let not_approved = Ok(Approved::Not(Unapproved::NotAsked));
        let project = Arc::clone(request.project());
        let first = self.make_preview(context, params, request, source).await?;
        // What is cut off in the question could not be judged, so that nobody is asked about a part.
        if first.approvals.is_empty() || !first.is_whole() {
            return not_approved;
        }
        let Some(place) = self.waiting.enter(&project, context, wait) else { return not_approved };
        let (mut shown, mut changed) = (Arc::new(first), None);
        let mut fate: Option<oneshot::Sender<Fate>> = None;
        while !shown.approvals.is_empty() && shown.is_whole() {
            let id = self.engine.secret_id()?;
            let question = place.ask(id.clone(), &shown, changed.take());
            tell(&mut fate, Fate::AskedAgain(id));
            Requested::new(context).waiting_for(Holder::Person);
            let approval = match question.decided(context).await? {
                ApprovalReply::Late => return Ok(Approved::Not(Unapproved::Unanswered(wait))),
                ApprovalReply::No => return Ok(Approved::Not(Unapproved::Declined)),
                ApprovalReply::Once(fate) => fate,
            };
            let fate_of_approval = Arc::new(Mutex::new(Some(approval)));
            let begun = Arc::clone(&fate_of_approval);
            let approved =
                ApprovedPreview::new(Arc::clone(&shown), move || tell(&mut locked(&begun), Fate::Stands));
            match self.carry_out_approved(context, params, source, approved).await {
                Err(error) if error.data.contains_key(STALE_APPROVALS) => {}
                done => return Ok(Approved::Done(Box::new(done?))),
            }
            let request = Arc::new(self.opened(context, params).await?);
            let now = self.make_preview(context, params, request, source).await?;
            changed = Some(shown.difference(&now, &project));
            (shown, fate) = (Arc::new(now), locked(&fate_of_approval).take());
        }
        tell(&mut fate, if shown.approvals.is_empty() { Fate::NeedsNone } else { Fate::TooLarge });
        not_approved
    }

    async fn make_preview(
        &self,
        context: &Context,
        params: &ExecuteParams,
        request: Arc<ProjectRequest>,
        source: &AnswerSource,
    ) -> Result<Preview, RpcError> {
        let (params, source, maker) = (params.clone(), source.clone(), agents::maker(context.scope()));
        let work = move |_: &Context| {
            let opened = match &source {
                AnswerSource::Text(text) => request.open_text(text, &params)?,
                AnswerSource::Operation(resumable) => OpenedAnswer::of_operation(resumable, &params),
                AnswerSource::Plan(id) => {
                    let plan = request.project().plans().get(id, &maker, std::time::Instant::now())?;
                    OpenedAnswer::of_plan(&plan, &params)?
                }
            };
            request.preview(opened, &params)
        };
        context.blocking(work).await
    }

    async fn carry_out_approved(
        &self,
        context: &Context,
        params: &ExecuteParams,
        source: &AnswerSource,
        approved: ApprovedPreview,
    ) -> Result<ExecutionResult, RpcError> {
        let ids = approved.ids().collect();
        let params = ExecuteParams { approve: Some(Approve::Ids(ids)), ..params.clone() };
        let request = Arc::new(self.opened(context, &params).await?);
        let (unapproved, approved) = (Some(Unapproved::NotAsked), Some(approved));
        let execution = Execution { params, request, source: source.clone(), unapproved, approved };
        self.carry_out(context, execution).await
    }

    pub(super) async fn list_approvals(
        self,
        context: Context,
        params: ApprovalListParams,
    ) -> Result<ApprovalListResult, RpcError> {
        let now = std::time::Instant::now();
        let (root, projects) = match params.root {
            Some(root) => {
                let request = self.request(&context, root).await?;
                (Some(request.project().root().to_path_buf()), vec![Arc::clone(request.project())])
            }
            None => (None, self.engine.projects().list()),
        };
        let mut left_out =
            projects.iter().flat_map(|project| project.agents().left_out(project.root(), now)).collect();
        let more: usize = projects.iter().map(|project| project.agents().not_named(now)).sum();
        let not_listed = cut(&mut left_out) + more;
        Ok(ApprovalListResult { approvals: self.waiting.list(root.as_deref()), left_out, not_listed })
    }

    pub(super) async fn answer_approval(
        self,
        _context: Context,
        params: ApprovalAnswerParams,
    ) -> Result<ApprovalAnswerResult, RpcError> {
        let withdrawn = || {
            let message = "Nothing waits under this id: it was answered, asked again, or was dropped";
            RpcError::new(ErrorKind::ApprovalNotFound, message)
                .with("id", params.id.as_str())
                .hint("list what waits now with `clada approvals`")
        };
        let question = self.waiting.take(&params.id).ok_or_else(withdrawn)?;
        let ((taken, was_taken), (fate, outcome_of_answer)) = (oneshot::channel(), oneshot::channel());
        let decision = params.decision;
        question.reply.send(UserDecision { decision, taken, fate }).map_err(|_| withdrawn())?;
        // The call may end in this moment, and then it takes nothing.
        was_taken.await.map_err(|_| withdrawn())?;
        let mut result = ApprovalAnswerResult { answered: true, ..ApprovalAnswerResult::default() };
        if decision == ApprovalDecision::No {
            return Ok(result);
        }
        match tokio::time::timeout(STANDS, outcome_of_answer).await {
            // It waits for its turn.
            Ok(Ok(Fate::Stands)) | Err(_) => {}
            Ok(Ok(Fate::AskedAgain(id))) => result.asked_again = Some(id),
            Ok(Ok(Fate::NeedsNone)) => result.message = Some(NEEDS_NONE.to_owned()),
            Ok(Ok(Fate::TooLarge)) => (result.answered, result.message) = (false, Some(TOO_LARGE.to_owned())),
            Ok(Err(_)) => (result.answered, result.message) = (false, Some(ENDED.to_owned())),
        }
        Ok(result)
    }
}

const NEEDS_NONE: &str =
    "what it would do now is not what was shown, and nothing of it needs approval: it runs";
const TOO_LARGE: &str =
    "what it would do now is not what was shown, and too large to be: what needs approval is left out of it";
const ENDED: &str = "the call that waited has ended before anything of it was done";

fn cut(left_out: &mut Vec<LeftOut>) -> usize {
    let mut room = MAX_LEFT_OUT;
    let mut has_room = |left_out: &LeftOut| {
        let rest = room.checked_sub(weight(left_out));
        room = rest.unwrap_or(room);
        rest.is_some()
    };
    let listed = left_out.iter().position(|left_out| !has_room(left_out)).unwrap_or(left_out.len());
    let missing = left_out.len() - listed;
    left_out.truncate(listed);
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_what_was_left_out_ends_where_an_answer_has_no_room() {
        let of = |length: usize| LeftOut { what: vec!["\u{1}".repeat(length)], ..LeftOut::default() };
        let mut few = vec![of(10); 100];
        assert_eq!((cut(&mut few), few.len()), (0, 100));
        // As JSON each is six times as long.
        let mut many = vec![of(MAX_LEFT_OUT / 60); 12];
        assert_eq!((cut(&mut many), many.len()), (3, 9));
    }
}
