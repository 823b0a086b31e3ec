//! Answers of agents that wait for a person: nothing of one is done before it is decided about, or its time
//! is over (spec: mcp, Approvals).
//!
//! One call waits a project, [`MAX_WAITING`] in all, and it holds no lock and no file. What a person approves
//! is the plan as it was shown: it is made again when the answer has the project to itself, and asked about
//! again if it is another one, under another id. Knows neither terminals nor editors.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clada_protocol::{
    ApprovalAnswerParams, ApprovalAnswerResult, ApprovalDecision, ApprovalListParams, ApprovalListResult,
    Approve, ErrorKind, ExecuteParams, ExecutionResult, ProjectEvent, ProjectEventKind, ReportStyle,
    RpcError, WaitingApproval, approval_text, waiting_text,
};
use clada_server::{CancelReason, Context};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::agents::{self, Unapproved};
use super::{Found, Requested, Service, changes_nothing};
use crate::engine::{Holder, Preview, Previewed, ProjectRequest, RequestContext};
use crate::project::Project;

/// The most answers that wait at a time.
const MAX_WAITING: usize = 8;
/// The most bytes of a plan that is waited for: what is larger is told.
const MAX_BYTES: usize = 4 << 20;
/// The most bytes of the text of an event.
const MAX_TEXT: usize = 16 << 10;
/// The time for which an answer waits to be told whether the plan still stands.
const STANDS: Duration = Duration::from_secs(5);

/// The answers that wait. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<Vec<Slot>>>);

/// The place of one call, while it is asked about and carried out.
#[derive(Debug)]
struct Slot {
    root: PathBuf,
    client: Option<Arc<str>>,
    since: Instant,
    until: Instant,
    /// The open question; `None` while there is none.
    question: Option<Question>,
}

#[derive(Debug)]
struct Question {
    id: String,
    preview: Arc<Preview>,
    changed: Option<String>,
    reply: oneshot::Sender<Decided>,
}

/// The channel for whether an approved plan still holds: `Some`, the id under which it is asked about again.
type Stands = oneshot::Sender<Option<String>>;

/// A person's decision.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) decision: ApprovalDecision,
    pub(super) stands: Stands,
}

/// The end of one question.
pub(super) enum Reply {
    Decided(Decided),
    /// Nobody answered in time.
    Late,
}

impl Waiting {
    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with the place of the call about the project at `root`.
    fn with_slot<T>(&self, root: &Path, work: impl FnOnce(&mut Slot) -> T) -> Option<T> {
        self.slots().iter_mut().find(|slot| slot.root == root).map(work)
    }

    /// Returns a place for a call about `project`; `None` if another one waits there, or too many do.
    pub(super) fn enter(&self, project: &Arc<Project>, context: &Context, wait: Duration) -> Option<Place> {
        let mut slots = self.slots();
        if slots.len() >= MAX_WAITING || slots.iter().any(|slot| slot.root == project.root()) {
            return None;
        }
        let (since, root) = (Instant::now(), project.root().to_path_buf());
        let until = since + wait;
        slots.push(Slot { root, client: context.client(), since, until, question: None });
        Some(Place { waiting: self.clone(), project: Arc::clone(project), until })
    }

    /// Takes the question `id`.
    fn take(&self, id: &str) -> Option<(Question, PathBuf)> {
        let mut slots = self.slots();
        let slot =
            slots.iter_mut().find(|slot| slot.question.as_ref().is_some_and(|asked| asked.id == id))?;
        slot.question.take().map(|question| (question, slot.root.clone()))
    }

    fn list(&self, root: Option<&Path>) -> Vec<WaitingApproval> {
        let (slots, now) = (self.slots(), Instant::now());
        let asked = slots.iter().filter(|slot| root.is_none_or(|root| slot.root == root));
        let shown = |slot: &Slot| slot.question.as_ref().map(|question| shown(slot, question, now));
        let mut listed: Vec<WaitingApproval> = asked.filter_map(shown).collect();
        drop(slots);
        for waiting in &mut listed {
            waiting.text = waiting_text(waiting, &ReportStyle::default());
        }
        listed
    }
}

fn shown(slot: &Slot, question: &Question, now: Instant) -> WaitingApproval {
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

/// The place of a call that waits. Dropping it ends the question, and makes room for another. Held, so that
/// its project stays.
pub(super) struct Place {
    waiting: Waiting,
    project: Arc<Project>,
    until: Instant,
}

impl Place {
    /// Returns whether a plan is small enough to be kept while it is asked about.
    pub(super) fn has_room(preview: &Preview) -> bool {
        preview.bytes() <= MAX_BYTES
    }

    /// Asks about `preview` under `id`, and tells subscribers.
    pub(super) fn ask(
        &self,
        id: String,
        preview: &Arc<Preview>,
        changed: Option<String>,
    ) -> oneshot::Receiver<Decided> {
        let (reply, decided) = oneshot::channel();
        let event = ProjectEvent {
            kind: ProjectEventKind::ApprovalAsked,
            approval_id: Some(id.clone()),
            approvals: preview.approvals.clone(),
            text: Some(text(preview, self.project.root(), changed.as_deref())),
            ..ProjectEvent::default()
        };
        let question = Question { id, preview: Arc::clone(preview), changed, reply };
        self.waiting.with_slot(self.project.root(), |slot| slot.question = Some(question));
        self.project.events().publish(&event);
        decided
    }

    /// Waits for the decision; until the time is over, or nobody wants the answer any more.
    ///
    /// # Errors
    /// `cancelled` or `timeout`: then nothing is to be done.
    pub(super) async fn decided(
        &self,
        context: &Context,
        decided: oneshot::Receiver<Decided>,
    ) -> Result<Reply, RpcError> {
        let stopping = context.stopping();
        tokio::select! {
            biased;
            () = context.notifier().gone() => Err(CancelReason::Disconnected.error()),
            reason = context.cancel().cancelled() => Err(reason.error()),
            reason = stopping.cancelled() => Err(reason.error()),
            reply = decided => match reply {
                Ok(reply) => Ok(Reply::Decided(reply)),
                Err(_) => Ok(Reply::Late),
            },
            () = tokio::time::sleep_until(self.until) => Ok(Reply::Late),
            () = tokio::time::sleep_until(context.deadline()) => Err(CancelReason::Deadline.error()),
        }
    }

    /// Ends the question, if it was not answered.
    pub(super) fn withdraw(&self) {
        let question = self.waiting.with_slot(self.project.root(), |slot| slot.question.take());
        if let Some(question) = question.flatten() {
            answered(&self.project, question.id, None);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.withdraw();
        self.waiting.slots().retain(|slot| slot.root != self.project.root());
    }
}

/// Tells subscribers that a question is over.
fn answered(project: &Project, id: String, decision: Option<ApprovalDecision>) {
    project.events().publish(&ProjectEvent {
        kind: ProjectEventKind::ApprovalAnswered,
        approval_id: Some(id),
        decision,
        ..ProjectEvent::default()
    });
}

/// Returns what is asked, in words.
fn text(preview: &Preview, root: &Path, changed: Option<&str>) -> String {
    let root = root.to_string_lossy();
    let style = ReportStyle { root: &root, ..ReportStyle::default() };
    let mut text = changed.map(|changed| format!("{changed}\n")).unwrap_or_default();
    for approval in &preview.approvals {
        text.push_str(&approval_text(approval, &style));
        if text.len() > MAX_TEXT {
            text.truncate(text.floor_char_boundary(MAX_TEXT));
            text.push_str("\n(`clada approvals` shows the rest)\n");
            break;
        }
    }
    text
}

/// The outcome of asking about an answer.
enum Approved {
    /// It was approved and carried out.
    Done(Box<ExecutionResult>),
    /// It is to be carried out without what needs approval.
    Not(Unapproved),
}

/// Returns what an `execute` would do now.
fn preview(
    request: &ProjectRequest,
    params: &ExecuteParams,
    found: &Found,
    maker: &str,
) -> Result<Preview, RpcError> {
    match found {
        Found::Text(text) => request.preview(Previewed::Text(text), params),
        Found::Left(left) => request.preview(Previewed::Left(left), params),
        Found::Plan(id) => {
            let plan = request.project().plan(id, maker, std::time::Instant::now())?;
            request.preview(Previewed::Plan(&plan), params)
        }
    }
}

/// The check of an approved answer when it has the project to itself.
struct StillShown {
    preview: Arc<Preview>,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    /// Told whether it stands, once that is known.
    stands: Option<Stands>,
    other: Option<(Preview, String)>,
}

/// The plan in place of the one that was approved.
struct Other {
    preview: Preview,
    /// The differences, in words.
    changed: String,
    stands: Option<Stands>,
}

impl StillShown {
    fn new(preview: Arc<Preview>, stands: Stands) -> StillShown {
        StillShown { preview, outcome: Mutex::new(Outcome { stands: Some(stands), other: None }) }
    }

    /// Checks that `now` is what was shown.
    ///
    /// # Errors
    /// `conflict`, and then [`StillShown::other`] has what it is now.
    fn check(&self, request: &ProjectRequest, now: Preview) -> Result<(), RpcError> {
        let operations = request.project().agents_since(self.preview.ended());
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(changed) = self.preview.difference(&now, &operations) {
            outcome.other = Some((now, changed));
            return Err(RpcError::new(ErrorKind::Conflict, "The plan is not any more what was approved"));
        }
        if let Some(stands) = outcome.stands.take() {
            // Who answered may have gone.
            let _ = stands.send(None);
        }
        Ok(())
    }

    /// Returns what is planned now, if the check has failed.
    fn other(&self) -> Option<Other> {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let (preview, changed) = outcome.other.take()?;
        Some(Other { preview, changed, stands: outcome.stands.take() })
    }
}

impl Service {
    /// `execute` of an agent: it waits for a person first if the user has set that and something needs
    /// approval.
    pub(super) async fn execute_for_agent(
        &self,
        context: &Context,
        params: ExecuteParams,
        request: Arc<ProjectRequest>,
        found: Found,
    ) -> Result<ExecutionResult, RpcError> {
        let Some(wait) = request.approval_wait()?.filter(|_| !changes_nothing(&params)) else {
            return self.carry_out(context, params, request, found, Some(Unapproved::Told)).await;
        };
        let why = match self.approved(context, &params, request, &found, wait).await? {
            Approved::Done(result) => return Ok(*result),
            Approved::Not(why) => why,
        };
        let request = self.opened(context, &params).await?;
        let request = if why == Unapproved::Declined { request.decided() } else { request };
        self.carry_out(context, params, Arc::new(request), found, Some(why)).await
    }

    /// Asks a person about the answer, at most for `wait`, and carries it out if it is approved.
    async fn approved(
        &self,
        context: &Context,
        params: &ExecuteParams,
        request: Arc<ProjectRequest>,
        found: &Found,
        wait: Duration,
    ) -> Result<Approved, RpcError> {
        let told = Ok(Approved::Not(Unapproved::Told));
        let project = Arc::clone(request.project());
        let first = {
            let (params, found, maker) = (params.clone(), found.clone(), agents::maker(context.scope()));
            context.blocking(move |_| preview(&request, &params, &found, &maker)).await?
        };
        if first.approvals.is_empty() || !Place::has_room(&first) {
            return told;
        }
        let Some(place) = self.waiting.enter(&project, context, wait) else { return told };
        let (mut shown, mut changed) = (Arc::new(first), None);
        let mut stands: Option<Stands> = None;
        while !shown.approvals.is_empty() && Place::has_room(&shown) {
            let id = self.engine.secret_id()?;
            let decided = place.ask(id.clone(), &shown, changed.take());
            if let Some(told) = stands.take() {
                // Who answered may have gone.
                let _ = told.send(Some(id));
            }
            Requested::new(context).waiting_for(Holder::Person);
            let approval = match place.decided(context, decided).await? {
                Reply::Late => {
                    place.withdraw();
                    return Ok(Approved::Not(Unapproved::Unanswered(wait)));
                }
                Reply::Decided(Decided { decision: ApprovalDecision::No, .. }) => {
                    return Ok(Approved::Not(Unapproved::Declined));
                }
                Reply::Decided(Decided { decision: ApprovalDecision::Once, stands }) => stands,
            };
            let check = Arc::new(StillShown::new(Arc::clone(&shown), approval));
            match self.carry_out_approved(context, params, found, &shown, &check).await {
                Ok(result) => return Ok(Approved::Done(Box::new(result))),
                Err(error) => {
                    let other = check.other().ok_or(error)?;
                    (shown, changed, stands) = (Arc::new(other.preview), Some(other.changed), other.stands);
                }
            }
        }
        // Nothing needs approval any more, or it is too much to be shown.
        told
    }

    /// Carries out what was approved as it was `shown`, if it is still that.
    async fn carry_out_approved(
        &self,
        context: &Context,
        params: &ExecuteParams,
        found: &Found,
        shown: &Preview,
        check: &Arc<StillShown>,
    ) -> Result<ExecutionResult, RpcError> {
        let ids = shown.approvals.iter().map(|approval| approval.id.clone()).collect();
        let approved = ExecuteParams { approve: Some(Approve::Ids(ids)), ..params.clone() };
        let (params, found_again, check) = (params.clone(), found.clone(), Arc::clone(check));
        let maker = agents::maker(context.scope());
        let request = self.opened(context, &approved).await?.with_check(Box::new(move |request| {
            check.check(request, preview(request, &params, &found_again, &maker)?)
        }));
        self.carry_out(context, approved, Arc::new(request), found.clone(), Some(Unapproved::Told)).await
    }

    pub(super) async fn list_approvals(
        self,
        context: Context,
        params: ApprovalListParams,
    ) -> Result<ApprovalListResult, RpcError> {
        let now = std::time::Instant::now();
        let (root, left_out) = match params.root {
            Some(root) => {
                let request = self.request(&context, root).await?;
                (Some(request.project().root().to_path_buf()), request.project().left_out(now))
            }
            None => {
                let projects = self.engine.projects().list();
                (None, projects.iter().flat_map(|project| project.left_out(now)).collect())
            }
        };
        Ok(ApprovalListResult { approvals: self.waiting.list(root.as_deref()), left_out })
    }

    pub(super) async fn answer_approval(
        self,
        _context: Context,
        params: ApprovalAnswerParams,
    ) -> Result<ApprovalAnswerResult, RpcError> {
        let gone = || {
            let message = "Nothing waits under this id: it was answered, asked again, or is gone";
            RpcError::new(ErrorKind::ApprovalNotFound, message)
                .with("id", params.id.as_str())
                .hint("list what waits now with `clada approvals`")
        };
        let (question, root) = self.waiting.take(&params.id).ok_or_else(gone)?;
        let (stands, told) = oneshot::channel();
        let decision = params.decision;
        if let Some(project) = self.engine.projects().get(&root) {
            answered(&project, params.id.clone(), Some(decision));
        }
        // The call may have ended in this moment.
        question.reply.send(Decided { decision, stands }).map_err(|_| gone())?;
        let asked_again = match tokio::time::timeout(STANDS, told).await {
            Ok(Ok(again)) => again,
            // It waits for its turn, or is over.
            Ok(Err(_)) | Err(_) => None,
        };
        Ok(ApprovalAnswerResult { answered: true, asked_again })
    }
}
