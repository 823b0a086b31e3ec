//! `hello`: agrees on a protocol, and narrows the connection.

use std::path::{Component, Path, PathBuf};

use clada_protocol::handshake::{DECLINE, HelloParams, HelloResult, PLAIN, PLAN_AS_TEXT, PROTOCOL};
use clada_protocol::{CallerKind, ErrorKind, RpcError};

use crate::context::Context;
use crate::program::program_is_replaced;
use crate::scope::{MOST_ROOTS, Scope, ScopeRequest};
use crate::shared::RootCheck;

const OLDEST: u32 = 1;

const MCP: &str = "mcp";

const FEATURES: &[&str] = &[
    "framing.lines",
    "framing.headers",
    "batch",
    "cancel",
    PLAN_AS_TEXT,
    DECLINE,
    PLAIN,
    "openrpc",
    "reports",
    "approval.answer",
    "plan.files",
    "overlays.uri",
    "framing.http",
    "edits.lines",
    "edits.mixed",
    "plan.rest",
    "plan.reports",
    "plan.omit",
    "plan.context",
    "places",
    "embed.overlays",
    "approval.text",
    "project.root",
    "status.socket",
    "events.moves",
    "execute.saved",
    "plan.edited",
    "text.merge",
    "review",
    "mcp",
];

/// Answers a `hello`. All of it is refused, or all of it holds.
pub(super) async fn answer(
    context: Context,
    params: HelloParams,
    check: RootCheck,
) -> Result<HelloResult, RpcError> {
    let mut result = agree(&params)?;
    let speaks_mcp = speaks_mcp(&context, &params)?;
    let roots = match params.roots {
        // Looking at a folder may take a disk's time.
        Some(roots) => {
            Some(context.blocking(move |context| resolved(&roots, context.scope(), &check)).await?)
        }
        // Its tools name a project of those that were named here, so that without any there is none.
        None if speaks_mcp && context.scope().roots.is_none() => Some(Vec::new()),
        None => None,
    };
    // The reports of tools list proposals.
    let plain = speaks_mcp || params.features.iter().any(|feature| feature == PLAIN);
    let scope = context.narrow(&ScopeRequest {
        caller: params.caller,
        roots,
        read_only: params.read_only,
        all_tools: params.all_tools,
        plain,
    })?;
    if let Some(name) = &params.client {
        context.set_client(name);
    }
    say(&mut result, &scope);
    if speaks_mcp {
        result.speaks = Some(MCP.to_owned());
        context.speak_mcp();
    }
    context.greet();
    Ok(result)
}

fn speaks_mcp(context: &Context, params: &HelloParams) -> Result<bool, RpcError> {
    let Some(speaks) = &params.speaks else { return Ok(false) };
    let message = match params.caller.unwrap_or(context.caller()) {
        _ if speaks != MCP => "hello: `speaks` can only be `mcp`",
        CallerKind::Person => "hello: `speaks` goes with `caller: \"agent\"`",
        CallerKind::Agent => return Ok(true),
    };
    Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "speaks"))
}

fn say(result: &mut HelloResult, scope: &Scope) {
    let shown = |root: &PathBuf| root.to_string_lossy().into_owned();
    result.caller = Some(scope.caller);
    result.roots = scope.roots.as_ref().map(|roots| roots.iter().map(shown).collect());
    result.read_only = scope.read_only;
}

fn resolved(roots: &[String], scope: &Scope, check: &RootCheck) -> Result<Vec<PathBuf>, RpcError> {
    if roots.len() > MOST_ROOTS {
        let message = format!("hello: a connection has at most {MOST_ROOTS} roots");
        return Err(RpcError::new(ErrorKind::LimitExceeded, message).with("limit", "roots"));
    }
    let is_outside = |root: &Path| {
        let climbs = root.components().any(|part| part == Component::ParentDir);
        scope.roots.is_some() && (climbs || !scope.holds(root))
    };
    let resolve = |root: &String| match check(Path::new(root)) {
        Ok(resolved) if scope.roots.is_none() || scope.holds(&resolved) => Ok(resolved),
        Err(error) if !is_outside(Path::new(root)) => Err(error),
        _ => Err(Scope::outside(Path::new(root))),
    };
    roots.iter().map(resolve).collect()
}

fn agree(params: &HelloParams) -> Result<HelloResult, RpcError> {
    let [oldest, newest] = params.protocol.unwrap_or([OLDEST, PROTOCOL]);
    let common = newest.min(PROTOCOL);
    if common < oldest.max(OLDEST) {
        let message = format!(
            "the client speaks protocols {oldest} to {newest}, this daemon ({}) {OLDEST} to {PROTOCOL}",
            env!("CARGO_PKG_VERSION")
        );
        let error = RpcError::new(ErrorKind::NotAvailable, message)
            .with("protocol", vec![OLDEST, PROTOCOL])
            .with("version", env!("CARGO_PKG_VERSION"));
        return Err(error.hint(if oldest > PROTOCOL {
            "end this daemon with `shutdown` and start a newer one"
        } else {
            "use a newer client"
        }));
    }
    Ok(HelloResult {
        server: "clada-daemon".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: common,
        replaced: program_is_replaced(),
        features: FEATURES.iter().map(|&feature| feature.to_owned()).collect(),
        ..HelloResult::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_protocol_is_spoken() {
        let hello = |protocol| agree(&HelloParams { protocol, ..HelloParams::default() });
        assert_eq!(hello(None).unwrap().protocol, PROTOCOL);
        assert_eq!(hello(Some([1, 99])).unwrap().protocol, PROTOCOL);
        let error = hello(Some([98, 99])).unwrap_err();
        assert_eq!(error.data["protocol"], serde_json::json!([OLDEST, PROTOCOL]));
        assert!(hello(Some([0, 0])).is_err());
        assert!(hello(Some([3, 1])).is_err());
    }
}
