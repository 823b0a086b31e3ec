//! The methods of `session.*` and `context.*`.

use clada_protocol::{
    ContextChangeParams, ContextParams, ContextResult, RpcError, SessionCloseParams, SessionCloseResult,
    SessionGetParams, SessionInfo, SessionListParams, SessionListResult, SessionOpenParams,
    SessionSetCwdParams,
};

use crate::engine::{ProjectRequest, WorkingSetChange};

type SessionAnswer<T> = Result<T, RpcError>;

pub(super) fn open(request: &ProjectRequest, params: &SessionOpenParams) -> SessionAnswer<SessionInfo> {
    request.project().sessions().open(request.whose(), params.session.clone())
}

pub(super) fn get(request: &ProjectRequest, params: &SessionGetParams) -> SessionAnswer<SessionInfo> {
    request.project().sessions().get(request.whose(), params.session.as_deref())
}

pub(super) fn list(
    request: &ProjectRequest,
    _params: &SessionListParams,
) -> SessionAnswer<SessionListResult> {
    Ok(SessionListResult { sessions: request.project().sessions().list(request.whose()) })
}

pub(super) fn set_cwd(request: &ProjectRequest, params: &SessionSetCwdParams) -> SessionAnswer<SessionInfo> {
    let cwd = request.folder(&params.cwd)?;
    request.project().sessions().set_cwd(request.whose(), params.session.as_deref(), cwd)
}

pub(super) fn close(
    request: &ProjectRequest,
    params: &SessionCloseParams,
) -> SessionAnswer<SessionCloseResult> {
    request.project().sessions().close(request.whose(), &params.session)?;
    Ok(SessionCloseResult { closed: params.session.clone() })
}

pub(super) fn add(request: &ProjectRequest, params: &ContextChangeParams) -> SessionAnswer<ContextResult> {
    change(request, params.session.as_deref(), WorkingSetChange::Add(params.paths.clone()))
}

pub(super) fn remove(request: &ProjectRequest, params: &ContextChangeParams) -> SessionAnswer<ContextResult> {
    change(request, params.session.as_deref(), WorkingSetChange::Remove(params.paths.clone()))
}

pub(super) fn list_context(request: &ProjectRequest, params: &ContextParams) -> SessionAnswer<ContextResult> {
    change(request, params.session.as_deref(), WorkingSetChange::Nothing)
}

pub(super) fn prune(request: &ProjectRequest, params: &ContextParams) -> SessionAnswer<ContextResult> {
    change(request, params.session.as_deref(), WorkingSetChange::Prune)
}

pub(super) fn clear(request: &ProjectRequest, params: &ContextParams) -> SessionAnswer<ContextResult> {
    change(request, params.session.as_deref(), WorkingSetChange::Clear)
}

fn change(
    request: &ProjectRequest,
    session: Option<&str>,
    change: WorkingSetChange,
) -> SessionAnswer<ContextResult> {
    let set = request.project().sessions().working_set(request.whose(), session)?;
    let session = request.project().sessions().get(request.whose(), session)?.session;
    request.change_context(session, &set, change)
}
