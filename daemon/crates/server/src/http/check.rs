//! Decides from its head alone whether an HTTP request may be handled.
//!
//! A page in a browser must not reach the daemon through whatever hands the socket on: pages send `Origin` or
//! `Sec-Fetch-Site`, name another host, or cannot say `application/json` without asking first. Nothing is
//! handled of a request that is refused here.

use std::net::{Ipv4Addr, Ipv6Addr};

use clada_protocol::framing::is_utf8;
use clada_protocol::{ErrorKind, RpcError};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

pub(super) const NDJSON: &str = "application/x-ndjson";

pub(super) const DOCUMENT: &str = "/openrpc.json";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Document,
    Call,
    Stream,
}

#[derive(Debug)]
pub(super) struct HttpRefusal {
    pub(super) status: StatusCode,
    pub(super) error: Box<RpcError>,
    pub(super) allow: Option<&'static str>,
}

impl HttpRefusal {
    pub(super) fn new(status: StatusCode, kind: ErrorKind, message: impl Into<String>) -> HttpRefusal {
        HttpRefusal { status, error: Box::new(RpcError::new(kind, message)), allow: None }
    }

    fn invalid(status: StatusCode, message: impl Into<String>) -> HttpRefusal {
        HttpRefusal::new(status, ErrorKind::InvalidRequest, message)
    }

    fn forbidden(message: impl Into<String>) -> HttpRefusal {
        let refusal = HttpRefusal::new(StatusCode::FORBIDDEN, ErrorKind::PermissionDenied, message);
        refusal.hint("this socket is for programs of its user, not for pages or proxies")
    }

    pub(super) fn too_long(limit: usize) -> HttpRefusal {
        let message = format!("a message is limited to {limit} bytes");
        let mut refusal = HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorKind::LimitExceeded, message);
        *refusal.error = refusal.error.with("limit", "frame").with("bytes", limit as u64);
        refusal
    }

    pub(super) fn hint(mut self, hint: &str) -> HttpRefusal {
        *self.error = self.error.hint(hint);
        self
    }
}

pub(super) fn route(head: &Parts, two_lengths: bool, frame: usize) -> Result<Route, HttpRefusal> {
    // Only browsers send these, and a page has no business here: any site could otherwise post to a local
    // socket.
    for name in [header::ORIGIN, SEC_FETCH_SITE] {
        if head.headers.contains_key(&name) {
            return Err(HttpRefusal::forbidden(format!("a request with `{name}` comes from a page")));
        }
    }
    if head.uri.scheme().is_some() || head.uri.authority().is_some() {
        return Err(HttpRefusal::invalid(StatusCode::BAD_REQUEST, "the target of a request is a path"));
    }
    // A name that resolves to this machine (DNS rebinding) passes as same-origin in a browser; its `Host`
    // gives it away.
    host(&head.headers)?;
    // Two lengths are how a request is smuggled behind another: a proxy may read one of them, hyper the
    // other.
    if two_lengths {
        let message = "a request has `Content-Length` or `Transfer-Encoding`, not both";
        return Err(HttpRefusal::invalid(StatusCode::BAD_REQUEST, message));
    }
    let allowed = match head.uri.path() {
        "/" | "/rpc" => Method::POST,
        DOCUMENT => Method::GET,
        _ if matches!(head.method, Method::GET | Method::POST) => {
            let refusal =
                HttpRefusal::new(StatusCode::NOT_FOUND, ErrorKind::NotAvailable, "there is nothing here");
            return Err(refusal.hint("requests go to `POST /rpc`; `GET /openrpc.json` describes the methods"));
        }
        _ => Method::POST,
    };
    if head.method != allowed {
        let allow = if allowed == Method::GET { "GET" } else { "POST" };
        let refusal =
            HttpRefusal::invalid(StatusCode::METHOD_NOT_ALLOWED, format!("the only method here is {allow}"));
        return Err(HttpRefusal { allow: Some(allow), ..refusal });
    }
    if allowed == Method::GET {
        return Ok(Route::Document);
    }
    if head.headers.contains_key(header::CONTENT_ENCODING) {
        let message = "a body with a `Content-Encoding` is not read";
        return Err(HttpRefusal::invalid(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    if !is_json(&head.headers) {
        let message = "a body is `application/json`, in UTF-8";
        let refusal = HttpRefusal::invalid(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
        return Err(refusal.hint("with curl: `curl --json '…'`, or `-H 'Content-Type: application/json'`"));
    }
    if content_length(&head.headers).is_some_and(|length| length > frame as u64) {
        return Err(HttpRefusal::too_long(frame));
    }
    Ok(if accepts_lines(&head.headers) { Route::Stream } else { Route::Call })
}

pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn host(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(HttpRefusal::invalid(StatusCode::BAD_REQUEST, "a request has one `Host`"));
    };
    if host.to_str().is_ok_and(is_local) {
        return Ok(());
    }
    Err(HttpRefusal::forbidden("the `Host` of a request is `localhost` or `clada`"))
}

fn is_local(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    if port.is_some_and(|port| port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit())) {
        return false;
    }
    let v6 = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    name.eq_ignore_ascii_case("localhost")
        || name.eq_ignore_ascii_case("clada")
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || v6.is_some_and(|address| address.parse() == Ok(Ipv6Addr::LOCALHOST))
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(kind), None) = (types.next().map(HeaderValue::to_str), types.next()) else { return false };
    let Ok(kind) = kind else { return false };
    let media = kind.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("application/json") && is_utf8(kind.as_bytes())
}

fn accepts_lines(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|value| value.split(','))
        .any(|media| media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case(NDJSON)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use hyper::Request;

    use super::*;

    const JSON: (&str, &str) = ("content-type", "application/json");

    fn shown(method: &str, target: &str, headers: &[(&str, &str)]) -> String {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        match route(&head, false, 100) {
            Ok(route) => format!("{route:?}"),
            Err(refusal) => {
                let kind = refusal.error.kind().unwrap().name();
                format!("{} {kind}: {}", refusal.status.as_u16(), refusal.error.message)
            }
        }
    }

    #[test]
    fn what_may_be_carried_out_and_what_not() {
        let local = ("host", "localhost");
        let mut all = String::new();
        for (method, target, headers) in [
            ("POST", "/rpc", &[local, JSON][..]),
            ("POST", "/", &[local, ("content-type", "Application/JSON; charset=\"UTF-8\"")]),
            ("POST", "/rpc?x=1", &[local, JSON, ("accept", "text/plain, application/x-ndjson;q=0.9")]),
            ("GET", "/openrpc.json", &[local]),
            ("POST", "/rpc", &[local, JSON, ("content-length", "100")]),
            ("POST", "/rpc", &[local, JSON, ("content-length", "101")]),
            ("POST", "/rpc", &[local, JSON, ("origin", "null")]),
            ("GET", "/openrpc.json", &[local, ("origin", "http://localhost")]),
            ("POST", "/rpc", &[local, JSON, ("sec-fetch-site", "none")]),
            ("POST", "http://localhost/rpc", &[local, JSON]),
            ("POST", "/rpc", &[JSON]),
            ("POST", "/rpc", &[local, local, JSON]),
            ("POST", "/rpc", &[("host", "evil.example"), JSON]),
            ("POST", "/other", &[local, JSON]),
            ("GET", "/rpc", &[local]),
            ("HEAD", "/openrpc.json", &[local]),
            ("OPTIONS", "*", &[local]),
            ("DELETE", "/rpc", &[local, JSON]),
            ("POST", "/rpc", &[local]),
            ("POST", "/rpc", &[local, ("content-type", "text/plain")]),
            ("POST", "/rpc", &[local, ("content-type", "application/x-www-form-urlencoded")]),
            ("POST", "/rpc", &[local, ("content-type", "application/json; charset=latin1")]),
            ("POST", "/rpc", &[local, JSON, JSON]),
            ("POST", "/rpc", &[local, JSON, ("content-encoding", "gzip")]),
        ] {
            all += &format!("{method} {target} {headers:?}\n    {}\n", shown(method, target, headers));
        }
        expect![[r#"
            POST /rpc [("host", "localhost"), ("content-type", "application/json")]
                Call
            POST / [("host", "localhost"), ("content-type", "Application/JSON; charset=\"UTF-8\"")]
                Call
            POST /rpc?x=1 [("host", "localhost"), ("content-type", "application/json"), ("accept", "text/plain, application/x-ndjson;q=0.9")]
                Stream
            GET /openrpc.json [("host", "localhost")]
                Document
            POST /rpc [("host", "localhost"), ("content-type", "application/json"), ("content-length", "100")]
                Call
            POST /rpc [("host", "localhost"), ("content-type", "application/json"), ("content-length", "101")]
                413 limit_exceeded: a message is limited to 100 bytes
            POST /rpc [("host", "localhost"), ("content-type", "application/json"), ("origin", "null")]
                403 permission_denied: a request with `origin` comes from a page
            GET /openrpc.json [("host", "localhost"), ("origin", "http://localhost")]
                403 permission_denied: a request with `origin` comes from a page
            POST /rpc [("host", "localhost"), ("content-type", "application/json"), ("sec-fetch-site", "none")]
                403 permission_denied: a request with `sec-fetch-site` comes from a page
            POST http://localhost/rpc [("host", "localhost"), ("content-type", "application/json")]
                400 invalid_request: the target of a request is a path
            POST /rpc [("content-type", "application/json")]
                400 invalid_request: a request has one `Host`
            POST /rpc [("host", "localhost"), ("host", "localhost"), ("content-type", "application/json")]
                400 invalid_request: a request has one `Host`
            POST /rpc [("host", "evil.example"), ("content-type", "application/json")]
                403 permission_denied: the `Host` of a request is `localhost` or `clada`
            POST /other [("host", "localhost"), ("content-type", "application/json")]
                404 not_available: there is nothing here
            GET /rpc [("host", "localhost")]
                405 invalid_request: the only method here is POST
            HEAD /openrpc.json [("host", "localhost")]
                405 invalid_request: the only method here is GET
            OPTIONS * [("host", "localhost")]
                405 invalid_request: the only method here is POST
            DELETE /rpc [("host", "localhost"), ("content-type", "application/json")]
                405 invalid_request: the only method here is POST
            POST /rpc [("host", "localhost")]
                415 invalid_request: a body is `application/json`, in UTF-8
            POST /rpc [("host", "localhost"), ("content-type", "text/plain")]
                415 invalid_request: a body is `application/json`, in UTF-8
            POST /rpc [("host", "localhost"), ("content-type", "application/x-www-form-urlencoded")]
                415 invalid_request: a body is `application/json`, in UTF-8
            POST /rpc [("host", "localhost"), ("content-type", "application/json; charset=latin1")]
                415 invalid_request: a body is `application/json`, in UTF-8
            POST /rpc [("host", "localhost"), ("content-type", "application/json"), ("content-type", "application/json")]
                415 invalid_request: a body is `application/json`, in UTF-8
            POST /rpc [("host", "localhost"), ("content-type", "application/json"), ("content-encoding", "gzip")]
                415 invalid_request: a body with a `Content-Encoding` is not read
        "#]].assert_eq(&all);
    }

    #[test]
    fn only_names_of_this_machine_are_its_host() {
        for host in [
            "localhost",
            "LocalHost:80",
            "clada",
            "clada:1",
            "127.0.0.1",
            "127.255.3.4:65535",
            "[::1]",
            "[::1]:8080",
        ] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "localhost:",
            "localhost:x",
            "localhost.",
            "localhost.evil.example",
            "evil.example",
            "128.0.0.1",
            "127.1",
            "0x7f.0.0.1",
            "127.0.0.1.evil.example",
            "::1",
            "[::2]",
            "[::1",
            "[::1]x",
            "[::1]:",
            "0.0.0.0",
            "localhost@evil",
            "localhost:80:80",
            " localhost",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
