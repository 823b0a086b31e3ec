//! HTTP on the socket: what is answered, what is refused, and what happens to those who misbehave.

use std::fmt::Write as _;

use expect_test::expect;

use super::*;

/// Returns a request with a JSON body.
fn post(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn call(method: &str, params: &str) -> String {
    post("", &request(method, params))
}

const LINES: &str = "Accept: application/x-ndjson\r\n";

async fn connect(fixture: &Fixture) -> BufReader<UnixStream> {
    BufReader::new(UnixStream::connect(&fixture.socket).await.unwrap())
}

/// Returns all that the server says until the end, without the times.
async fn rest(stream: &mut BufReader<UnixStream>) -> String {
    let mut said = Vec::new();
    // Where the server has left bytes unread, the end is an error.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut said)).await.expect("not ended");
    let said = String::from_utf8(said).unwrap();
    let kept = said.split_inclusive('\n').filter(|line| !line.starts_with("date: "));
    kept.collect::<String>().replace('\r', "")
}

/// Returns all that the server says to `bytes`, after which the client closes its side.
async fn said(fixture: &Fixture, bytes: &str) -> String {
    let mut stream = connect(fixture).await;
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let _ = stream.shutdown().await;
    rest(&mut stream).await
}

/// Hears one answer with a known length: its status, and its body.
async fn hear(stream: &mut BufReader<UnixStream>) -> (u16, String) {
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        let count = timeout(PATIENCE, stream.read_line(&mut line)).await.expect("no answer").unwrap();
        assert_ne!(count, 0, "closed");
        let line = line.trim_end();
        if let Some(code) = line.strip_prefix("HTTP/1.1 ") {
            status = code[..3].parse().unwrap();
        } else if let Some(count) = line.strip_prefix("content-length: ") {
            length = count.parse().unwrap();
        } else if line.is_empty() && status != 100 {
            break;
        }
    }
    let mut body = vec![0; length];
    timeout(PATIENCE, stream.read_exact(&mut body)).await.expect("no body").unwrap();
    (status, String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn requests_and_their_answers() {
    let mut fixture = Fixture::start(RpcLimits { frame: 200, ..RpcLimits::default() }).await;
    let batch =
        r#"[{"jsonrpc":"2.0","id":1,"method":"test.length"}, {"jsonrpc":"2.0","method":"test.length"}]"#;
    let chunked = "POST / HTTP/1.1\r\nHost: clada\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut all = String::new();
    let document = said(&fixture, "GET /openrpc.json HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let (head, body) = document.split_once("\n\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 ") && body == clada_protocol::OPENRPC, "{head}");
    for bytes in [
        call("test.length", "[]") + &call("test.length", r#"{"name":"pipelined"}"#),
        "\r\n".to_owned() + &post("", batch),
        post("", r#"{"jsonrpc":"2.0","method":"test.length"}"#),
        post(LINES, r#"{"jsonrpc":"2.0","method":"test.length"}"#),
        call("test.notify", r#"{"count":2}"#),
        post(LINES, &request("test.notify", r#"{"count":2}"#)),
        chunked.to_owned() + "5\r\n[{}, \r\n2\r\n 1\r\n1\r\n]\r\n0\r\n\r\n" + &call("test.length", "{}"),
        post("", ""),
        post("", "{"),
        post("", r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#),
        call("unsubscribe", "{}"),
        call("test.length", "{}").replace("HTTP/1.1", "HTTP/1.0"),
        post("X-Clada-Client: editor 1\r\n", &request("test.named", "{}")) + &call("test.named", "{}"),
    ] {
        all += &said(&fixture, &bytes).await;
        all += "\n--\n";
    }
    expect![[r#"
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 35

        {"jsonrpc":"2.0","id":1,"result":0}HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 35

        {"jsonrpc":"2.0","id":1,"result":9}
        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 37

        [{"jsonrpc":"2.0","id":1,"result":0}]
        --
        HTTP/1.1 204 No Content
        cache-control: no-store


        --
        HTTP/1.1 204 No Content
        cache-control: no-store


        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 35

        {"jsonrpc":"2.0","id":1,"result":2}
        --
        HTTP/1.1 200 OK
        content-type: application/x-ndjson
        cache-control: no-store
        transfer-encoding: chunked

        9C
        {"jsonrpc":"2.0","method":"notified","params":{"number":0}}
        {"jsonrpc":"2.0","method":"notified","params":{"number":1}}
        {"jsonrpc":"2.0","id":1,"result":2}

        0


        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        connection: close
        content-length: 250

        [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\"","data":{"kind":"invalid_request"}}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request is a JSON object","data":{"kind":"invalid_request"}}}]
        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 163

        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing a value at line 1 column 0","data":{"kind":"parse_error"}}}
        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 165

        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing an object at line 1 column 1","data":{"kind":"parse_error"}}}
        --
        HTTP/1.1 204 No Content
        cache-control: no-store


        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 246

        {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unsubscribe: over HTTP a subscription ends with its request","data":{"kind":"invalid_params","hint":"each request over HTTP is independent; connect to the socket and send lines instead"}}}
        --
        HTTP/1.0 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 35

        {"jsonrpc":"2.0","id":1,"result":0}
        --
        HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 44

        {"jsonrpc":"2.0","id":1,"result":"editor 1"}HTTP/1.1 200 OK
        content-type: application/json
        cache-control: no-store
        content-length: 38

        {"jsonrpc":"2.0","id":1,"result":null}
        --
    "#]].assert_eq(&all);
    assert!(fixture.begun.try_recv().is_err());
}

#[tokio::test]
async fn what_is_refused_does_not_run() {
    let mut fixture = Fixture::start(RpcLimits { frame: 200, ..RpcLimits::default() }).await;
    let good = call("test.change", r#"{"name":"ran"}"#);
    let mut all = String::new();
    for bytes in [
        good.replacen("Host: localhost", "Host: localhost\r\nOrigin: http://localhost", 1),
        good.replacen("Host: localhost", "Host: localhost\r\nSec-Fetch-Site: same-origin", 1),
        good.replacen("Host: localhost", "Host: evil.example", 1),
        good.replacen("Host: localhost\r\n", "", 1),
        good.replacen("Host: localhost", "Host: localhost\r\nhost: localhost", 1),
        good.replacen("/rpc", "http://localhost/rpc", 1),
        good.replacen("POST", "PUT", 1),
        good.replacen("POST", "GET", 1),
        good.replacen("/rpc", "/other", 1),
        good.replacen("application/json", "text/plain", 1),
        good.replacen("application/json", "application/x-www-form-urlencoded", 1),
        good.replacen("Content-Type: application/json\r\n", "", 1),
        good.replacen("Content-Type", "Content-Encoding: gzip\r\nContent-Type", 1),
        good.replacen("Content-Length", "Transfer-Encoding: chunked\r\nContent-Length", 1),
        good.replacen("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n", 1),
        good.replacen("Content-Length: ", "Content-Length: 9\r\nContent-Length: ", 1),
        good.replacen("Content-Length: ", "Content-Length: 4", 1) + &"x".repeat(500),
        good.replacen("Content-Length: ", "Content-Length: 9223372036854775807", 1),
        good.replacen("Content-Type", &format!("X-Long: {}\r\nContent-Type", "x".repeat(17_000)), 1),
        good.replacen("Content-Type", &("X: x\r\n".repeat(63) + "Content-Type"), 1),
        "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nHost: localhost\r\n\r\n".to_owned(),
        good.replacen("Content-Type", "X: a\0b\r\nContent-Type", 1),
        good.replacen("Content-Type", "X: a\rb\r\nContent-Type", 1),
        "GET  x".to_owned(),
    ] {
        let first = bytes.lines().next().unwrap();
        let answers = said(&fixture, &bytes).await;
        let (head, body) = answers.split_once("\n\n").unwrap();
        writeln!(all, "{first}\n    {}", head.replace('\n', "; ")).unwrap();
        let body = body.split("HTTP/1.1").next().unwrap();
        if !body.is_empty() {
            writeln!(all, "    {body}").unwrap();
        }
    }
    expect![[r#"
        POST /rpc HTTP/1.1
            HTTP/1.1 403 Forbidden; content-type: application/json; cache-control: no-store; content-length: 212
            {"jsonrpc":"2.0","id":null,"error":{"code":29,"message":"a request with `origin` comes from a page","data":{"kind":"permission_denied","hint":"this socket is for programs of its user, not for pages or proxies"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 403 Forbidden; content-type: application/json; cache-control: no-store; content-length: 220
            {"jsonrpc":"2.0","id":null,"error":{"code":29,"message":"a request with `sec-fetch-site` comes from a page","data":{"kind":"permission_denied","hint":"this socket is for programs of its user, not for pages or proxies"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 403 Forbidden; content-type: application/json; cache-control: no-store; content-length: 220
            {"jsonrpc":"2.0","id":null,"error":{"code":29,"message":"the `Host` of a request is `localhost` or `clada`","data":{"kind":"permission_denied","hint":"this socket is for programs of its user, not for pages or proxies"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; content-type: application/json; cache-control: no-store; content-length: 122
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request has one `Host`","data":{"kind":"invalid_request"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; content-type: application/json; cache-control: no-store; content-length: 122
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request has one `Host`","data":{"kind":"invalid_request"}}}
        POST http://localhost/rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; content-type: application/json; cache-control: no-store; content-length: 131
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the target of a request is a path","data":{"kind":"invalid_request"}}}
        PUT /rpc HTTP/1.1
            HTTP/1.1 405 Method Not Allowed; content-type: application/json; allow: POST; cache-control: no-store; content-length: 126
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the only method here is POST","data":{"kind":"invalid_request"}}}
        GET /rpc HTTP/1.1
            HTTP/1.1 405 Method Not Allowed; content-type: application/json; allow: POST; cache-control: no-store; content-length: 126
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the only method here is POST","data":{"kind":"invalid_request"}}}
        POST /other HTTP/1.1
            HTTP/1.1 404 Not Found; content-type: application/json; cache-control: no-store; content-length: 192
            {"jsonrpc":"2.0","id":null,"error":{"code":34,"message":"there is nothing here","data":{"kind":"not_available","hint":"requests go to `POST /rpc`; `GET /openrpc.json` describes the methods"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 415 Unsupported Media Type; content-type: application/json; cache-control: no-store; content-length: 218
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a body is `application/json`, in UTF-8","data":{"kind":"invalid_request","hint":"with curl: `curl --json '…'`, or `-H 'Content-Type: application/json'`"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 415 Unsupported Media Type; content-type: application/json; cache-control: no-store; content-length: 218
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a body is `application/json`, in UTF-8","data":{"kind":"invalid_request","hint":"with curl: `curl --json '…'`, or `-H 'Content-Type: application/json'`"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 415 Unsupported Media Type; content-type: application/json; cache-control: no-store; content-length: 218
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a body is `application/json`, in UTF-8","data":{"kind":"invalid_request","hint":"with curl: `curl --json '…'`, or `-H 'Content-Type: application/json'`"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 415 Unsupported Media Type; content-type: application/json; cache-control: no-store; content-length: 142
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a body with a `Content-Encoding` is not read","data":{"kind":"invalid_request"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; content-type: application/json; cache-control: no-store; connection: close; content-length: 161
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request has `Content-Length` or `Transfer-Encoding`, not both","data":{"kind":"invalid_request"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; content-type: application/json; cache-control: no-store; connection: close; content-length: 161
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request has `Content-Length` or `Transfer-Encoding`, not both","data":{"kind":"invalid_request"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; connection: close; content-length: 0
        POST /rpc HTTP/1.1
            HTTP/1.1 413 Payload Too Large; content-type: application/json; cache-control: no-store; content-length: 153
            {"jsonrpc":"2.0","id":null,"error":{"code":5,"message":"a message is limited to 200 bytes","data":{"kind":"limit_exceeded","limit":"frame","bytes":200}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; connection: close; content-length: 0
        POST /rpc HTTP/1.1
            HTTP/1.1 431 Request Header Fields Too Large; connection: close; content-length: 0
        POST /rpc HTTP/1.1
            HTTP/1.1 431 Request Header Fields Too Large; connection: close; content-length: 0
        GET / HTTP/1.1
            HTTP/1.1 405 Method Not Allowed; content-type: application/json; allow: POST; cache-control: no-store; content-length: 126
            {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the only method here is POST","data":{"kind":"invalid_request"}}}
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; connection: close; content-length: 0
        POST /rpc HTTP/1.1
            HTTP/1.1 400 Bad Request; connection: close; content-length: 0
        GET  x
            HTTP/1.1 400 Bad Request; connection: close; content-length: 0
    "#]].assert_eq(&all);
    assert!(fixture.begun.try_recv().is_err());
    // Without this the test would pass if no request at all could run.
    let mut stream = connect(&fixture).await;
    stream.write_all(good.as_bytes()).await.unwrap();
    assert_eq!(fixture.next_begun().await, "ran", "the request itself is a good one");
}

/// Whoever sends all before it reads learns why it was refused; what is large is not read for a page.
#[tokio::test]
async fn a_forbidden_body_is_dropped_up_to_a_bound() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let page = call("test.length", "{}").replacen("Host: localhost", "Host: evil.example", 1);
    let (head, _) = page.split_once("Content-Length").unwrap();
    let mut stream = connect(&fixture).await;
    let small = 900 << 10;
    let pieces =
        [format!("{head}Content-Length: {small}\r\n\r\n"), " ".repeat(small), call("test.length", "{}")];
    stream.write_all(pieces.concat().as_bytes()).await.unwrap();
    assert_eq!((hear(&mut stream).await.0, hear(&mut stream).await.0), (403, 200));
    let mut stream = connect(&fixture).await;
    stream.write_all(format!("{head}Content-Length: {}\r\n\r\n", 2 << 20).as_bytes()).await.unwrap();
    // It is answered before a byte of the body has come.
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 403 "));
}

#[tokio::test]
async fn a_body_that_is_too_long_is_dropped_as_it_comes() {
    let fixture = Fixture::start(RpcLimits { frame: 10_000, ..RpcLimits::default() }).await;
    let mut stream = connect(&fixture).await;
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let chunk = format!("3e8\r\n{}\r\n", "x".repeat(1000));
    stream.write_all(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes()).await.unwrap();
    let mut poured = 0;
    while stream.write_all(chunk.as_bytes()).await.is_ok() {
        poured += 1000;
        assert!(poured < 10_000_000, "an endless body is taken");
    }
    let said = rest(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 413 ") && said.contains(r#""limit":"frame","bytes":10000"#), "{said}");
    assert!(poured >= 20_000);
    // A client that asks before it sends is refused before it has sent anything.
    let mut stream = connect(&fixture).await;
    stream
        .write_all(format!("{head}Expect: 100-continue\r\nContent-Length: 15000\r\n\r\n").as_bytes())
        .await
        .unwrap();
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 413 "));
    let mut stream = connect(&fixture).await;
    let body = request("test.length", r#"{"name":"ab"}"#);
    let length = body.len();
    stream
        .write_all(format!("{head}Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    stream.write_all(body.as_bytes()).await.unwrap();
    stream.read_line(&mut line).await.unwrap();
    assert_eq!(hear(&mut stream).await, (200, r#"{"jsonrpc":"2.0","id":1,"result":2}"#.to_owned()));
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_reads_and_not_its_changes() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    for headers in ["", LINES] {
        let mut stream = connect(&fixture).await;
        stream
            .write_all(post(headers, &request("test.wait", r#"{"name":"read"}"#)).as_bytes())
            .await
            .unwrap();
        fixture.next_begun().await;
        drop(stream);
        assert_eq!(fixture.next_ended().await, ("read".to_owned(), Some(CancelReason::Disconnected)));
        let mut stream = connect(&fixture).await;
        stream
            .write_all(post(headers, &request("test.change", r#"{"name":"change"}"#)).as_bytes())
            .await
            .unwrap();
        fixture.next_begun().await;
        drop(stream);
        let registry = fixture.server.registry().clone();
        timeout(PATIENCE, registry.emptied()).await.expect("still there");
        fixture.let_go(1);
        assert_eq!(fixture.next_ended().await, ("change".to_owned(), None));
        // One that has only closed its side gets its answer.
        let mut stream = connect(&fixture).await;
        stream
            .write_all(post(headers, &request("test.wait", r#"{"name":"half"}"#)).as_bytes())
            .await
            .unwrap();
        fixture.next_begun().await;
        stream.shutdown().await.unwrap();
        tokio::time::sleep(Duration::from_millis(600)).await;
        fixture.let_go(1);
        assert!(rest(&mut stream).await.contains(r#""result":"done""#));
        assert_eq!(fixture.next_ended().await, ("half".to_owned(), None));
    }
}

#[tokio::test]
async fn those_who_are_slow_or_read_nothing_are_left() {
    let limits = RpcLimits {
        opening: Duration::from_millis(50),
        stalled_reader: Duration::from_millis(50),
        ..RpcLimits::default()
    };
    let fixture = Fixture::start(limits).await;
    let good = call("test.length", "{}");
    // A head that has no end, at first or later.
    for before in ["", &good] {
        let mut stream = connect(&fixture).await;
        stream.write_all(before.as_bytes()).await.unwrap();
        stream.write_all(b"POST / HTTP/1.1\r\nHost: local").await.unwrap();
        let answers = rest(&mut stream).await;
        assert_eq!(answers.matches("200 OK").count(), usize::from(!before.is_empty()), "{answers}");
    }
    // Blank lines before a head are none: a client may send them when it likes.
    let mut stream = connect(&fixture).await;
    for part in [good.as_bytes(), b"\r\n", b"\r\n", good.as_bytes()] {
        stream.write_all(part).await.unwrap();
        tokio::time::sleep(limits.opening * 3).await;
    }
    assert_eq!((hear(&mut stream).await.0, hear(&mut stream).await.0), (200, 200));
    drop(stream);
    // Between two requests, and in a body, it may take longer.
    let mut stream = connect(&fixture).await;
    for part in [good.as_bytes(), &good.as_bytes()[..good.len() - 5], &good.as_bytes()[good.len() - 5..]] {
        stream.write_all(part).await.unwrap();
        tokio::time::sleep(limits.opening * 3).await;
    }
    assert_eq!((hear(&mut stream).await.0, hear(&mut stream).await.0), (200, 200));
    drop(stream);
    // Answers that nobody reads, in both forms.
    let registry = fixture.server.registry().clone();
    for bytes in [
        call("test.shout", r#"{"count":8000000}"#),
        post(LINES, &request("test.notify", r#"{"count":1000000}"#)),
    ] {
        timeout(PATIENCE, registry.emptied()).await.expect("still there");
        let mut stream = connect(&fixture).await;
        stream.write_all(bytes.as_bytes()).await.unwrap();
        fixture.emptied().await;
    }
    let traffic = registry.traffic();
    assert_eq!((traffic.refused, traffic.stalled, traffic.accepted), (2, 2, 6), "{traffic:?}");
}

#[tokio::test]
async fn large_messages_go_both_ways() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let mut stream = connect(&fixture).await;
    let name = "x".repeat(5_000_000);
    let asked = call("test.length", &json!({ "name": name }).to_string());
    let (mut reading, mut writing) = tokio::io::split(stream.into_inner());
    let sent = tokio::spawn(async move {
        writing.write_all(asked.as_bytes()).await.unwrap();
        writing.write_all(call("test.shout", r#"{"count":5000000}"#).as_bytes()).await.unwrap();
        writing
    });
    let mut said = vec![0; 5_000_000];
    timeout(PATIENCE, reading.read_exact(&mut said)).await.expect("no answer").unwrap();
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains(r#""result":5000000}"#) && said.ends_with("xxx"));
    stream = BufReader::new(reading.unsplit(sent.await.unwrap()));
    drop(stream);
}

#[tokio::test]
async fn a_connection_that_has_to_leave_says_so_only_where_an_answer_is_waited_for() {
    let limits = RpcLimits { connections: 2, total_bytes: 3 << 20, ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    let mut idle = connect(&fixture).await;
    idle.write_all(call("test.length", "{}").as_bytes()).await.unwrap();
    assert_eq!(hear(&mut idle).await.0, 200);
    let mut asking = connect(&fixture).await;
    let body = vec![b' '; 4 << 20];
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        8 << 20
    );
    asking.write_all(head.as_bytes()).await.unwrap();
    let _ = asking.write_all(&body).await;
    let answer = rest(&mut asking).await;
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains(r#""limit":"total_bytes""#), "{answer}");
    // Of two that were answered the one idle longest goes, without a word: it has asked nothing.
    let mut others = Vec::new();
    for _ in 0..2 {
        let mut other = connect(&fixture).await;
        other.write_all(call("test.length", "{}").as_bytes()).await.unwrap();
        assert_eq!(hear(&mut other).await.0, 200);
        others.push(other);
    }
    assert_eq!(rest(&mut idle).await, "");
}

#[tokio::test]
async fn a_stop_finishes_what_runs() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut idle = connect(&fixture).await;
    idle.write_all(call("test.length", "{}").as_bytes()).await.unwrap();
    assert_eq!(hear(&mut idle).await.0, 200);
    let mut working = connect(&fixture).await;
    working.write_all(call("test.change", r#"{"name":"a"}"#).as_bytes()).await.unwrap();
    fixture.next_begun().await;
    let mut asking = connect(&fixture).await;
    asking.write_all(call("shutdown", "{}").as_bytes()).await.unwrap();
    assert_eq!(hear(&mut asking).await.1, r#"{"jsonrpc":"2.0","id":1,"result":{"running":1}}"#);
    assert_eq!(rest(&mut idle).await, "");
    fixture.let_go(1);
    let answer = rest(&mut working).await;
    assert!(answer.contains(r#""result":"changed""#), "{answer}");
    // Whoever asked for the end learns of it last.
    assert_eq!(rest(&mut asking).await, "");
    fixture.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_clients_of_each_framing_alongside_those_who_misbehave() {
    let limits = RpcLimits {
        frame: 1 << 20,
        connections: 1000,
        opening: Duration::from_millis(300),
        stalled_reader: Duration::from_millis(200),
        ..RpcLimits::default()
    };
    let fixture = Fixture::start(limits).await;
    let pour = |first: String, piece: Vec<u8>| {
        let socket = fixture.socket.clone();
        tokio::spawn(async move {
            let mut stream = UnixStream::connect(&socket).await.unwrap();
            if stream.write_all(first.as_bytes()).await.is_ok() {
                while stream.write_all(&piece).await.is_ok() {
                    // As fast as it is taken, but one that drips.
                    if piece.len() == 1 {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                }
            }
        })
    };
    let misbehaving = [
        pour("Content-Length: 1\r\nX: ".to_owned(), vec![b'x'; 1000]),
        pour("Content-Length: 9223372036854775808\r\n\r\n".to_owned(), vec![b'x'; 64 * 1024]),
        pour("POST / HTTP/1.1\r\nX: ".to_owned(), vec![b'x'; 1000]),
        pour("POST / HTTP/1.1\r\nX: ".to_owned(), b"x".to_vec()),
        pour("Content-".to_owned(), b"x".to_vec()),
        pour(
            post("", "").replace("Content-Length: 0", "Content-Length: 9223372036854775807"),
            vec![b'x'; 64 * 1024],
        ),
        pour(post(LINES, &request("test.notify", r#"{"count":100000000}"#)), vec![b'\n'; 1000]),
    ];
    let mut crowd = Vec::new();
    for _ in 0..300 {
        let mut stream = connect(&fixture).await;
        stream.write_all(call("test.length", "{}").as_bytes()).await.unwrap();
        crowd.push(stream);
    }
    let mut clients = Vec::new();
    for number in 0..192 {
        let mut stream = connect(&fixture).await;
        clients.push(tokio::spawn(async move {
            for round in 0..100 {
                let name = "x".repeat(round % 7);
                let body = request("test.length", &json!({ "name": name }).to_string());
                let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, name.len());
                match number % 3 {
                    0 => {
                        stream.write_all((body + "\n").as_bytes()).await.unwrap();
                        let mut line = String::new();
                        stream.read_line(&mut line).await.unwrap();
                        assert_eq!(line.trim_end(), expected);
                    }
                    1 => {
                        stream
                            .write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
                            .await
                            .unwrap();
                        let mut said = vec![
                            0;
                            format!("Content-Length: {}\r\n\r\n", expected.len()).len()
                                + expected.len()
                        ];
                        stream.read_exact(&mut said).await.unwrap();
                        assert!(said.ends_with(expected.as_bytes()));
                    }
                    _ => {
                        stream.write_all(post("", &body).as_bytes()).await.unwrap();
                        assert_eq!(hear(&mut stream).await, (200, expected));
                    }
                }
            }
        }));
    }
    for client in clients {
        timeout(PATIENCE, client).await.expect("not served").unwrap();
    }
    for (number, misbehaving) in misbehaving.into_iter().enumerate() {
        timeout(PATIENCE, misbehaving).await.unwrap_or_else(|_| panic!("{number} is still let in")).unwrap();
    }
    for stream in &mut crowd {
        assert_eq!(hear(stream).await.0, 200);
    }
}
