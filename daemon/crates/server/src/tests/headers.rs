//! The framing of language servers, from detection to the end of the connection.

use expect_test::expect;

use super::*;

/// Returns all that the server says to `bytes` after which the client asks nothing more.
async fn said(fixture: &Fixture, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(&fixture.socket).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut said = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut said)).await.expect("not ended").unwrap();
    String::from_utf8(said).unwrap()
}

fn framed(json: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{json}", json.len())
}

fn asked(id: u32, method: &str, params: &str) -> String {
    framed(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))
}

/// Hears one message.
async fn hear(stream: &mut BufReader<UnixStream>) -> Value {
    let mut line = String::new();
    timeout(PATIENCE, stream.read_line(&mut line)).await.expect("no answer").unwrap();
    let length: usize = line.trim_end().strip_prefix("Content-Length: ").expect(&line).parse().unwrap();
    let mut body = vec![0; length + 2];
    timeout(PATIENCE, stream.read_exact(&mut body)).await.expect("no body").unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn answers_are_headers_and_bodies_alone() {
    let fixture = Fixture::start(RpcLimits { frame: 100, ..RpcLimits::default() }).await;
    let over = "x".repeat(101);
    let batch =
        r#"[{"jsonrpc":"2.0","id":1,"method":"test.length"}, {"jsonrpc":"2.0","method":"test.length"}]"#;
    let mut all = String::new();
    for bytes in [
        "\r\n".to_owned() + &asked(1, "test.length", "[]") + "\r\n \n" + &asked(2, "test.length", "{}"),
        framed("\n{\n  \"jsonrpc\": \"2.0\",\r\n\t\"id\":1, \"method\":\n\"test.length\"}\n")
            .replace("Content-Length", "content-LENGTH"),
        asked(1, "test.notify", r#"{"count":2}"#),
        framed(batch),
        framed(""),
        framed("{") + &asked(3, "test.length", "{}"),
        framed(&over) + &asked(4, "test.length", "{}"),
        // What is not complete is dropped without a word.
        asked(5, "test.length", "{}") + "Content-Length: 10\r\n\r\n{",
        asked(6, "test.length", "{}") + "Content-Len",
        "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1".to_owned() + &asked(7, "test.length", "{}"),
        "Content-Length: 1\r\nContent-Type: x; charset=latin1\r\n\r\n1".to_owned(),
    ] {
        all += &said(&fixture, bytes.as_bytes()).await.replace('\r', "");
        all += "\n--\n";
    }
    expect![[r#"
        Content-Length: 35

        {"jsonrpc":"2.0","id":1,"result":0}Content-Length: 35

        {"jsonrpc":"2.0","id":2,"result":0}
        --
        Content-Length: 35

        {"jsonrpc":"2.0","id":1,"result":0}
        --
        Content-Length: 59

        {"jsonrpc":"2.0","method":"notified","params":{"number":0}}Content-Length: 59

        {"jsonrpc":"2.0","method":"notified","params":{"number":1}}Content-Length: 35

        {"jsonrpc":"2.0","id":1,"result":2}
        --
        Content-Length: 37

        [{"jsonrpc":"2.0","id":1,"result":0}]
        --
        Content-Length: 163

        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing a value at line 1 column 0","data":{"kind":"parse_error"}}}
        --
        Content-Length: 165

        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing an object at line 1 column 1","data":{"kind":"parse_error"}}}Content-Length: 35

        {"jsonrpc":"2.0","id":3,"result":0}
        --
        Content-Length: 153

        {"jsonrpc":"2.0","id":null,"error":{"code":5,"message":"a message is limited to 100 bytes","data":{"kind":"limit_exceeded","limit":"frame","bytes":100}}}Content-Length: 35

        {"jsonrpc":"2.0","id":4,"result":0}
        --
        Content-Length: 35

        {"jsonrpc":"2.0","id":5,"result":0}
        --
        Content-Length: 35

        {"jsonrpc":"2.0","id":6,"result":0}
        --
        Content-Length: 139

        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a header block with a second `Content-Length`","data":{"kind":"parse_error"}}}
        --
        Content-Length: 127

        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the charset of a message is utf-8","data":{"kind":"parse_error"}}}
        --
    "#]].assert_eq(&all);
}

#[tokio::test]
async fn what_runs_is_finished_when_a_block_is_wrong() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut stream = BufReader::new(UnixStream::connect(&fixture.socket).await.unwrap());
    stream.write_all(asked(1, "test.wait", "{}").as_bytes()).await.unwrap();
    fixture.next_begun().await;
    stream.write_all(b"X-Endless: ").await.unwrap();
    stream.write_all(&b"x".repeat(9000)).await.unwrap();
    let answer = hear(&mut stream).await;
    assert_eq!((kind(&answer), &answer["id"]), ("parse_error", &Value::Null));
    assert_eq!(answer["error"]["data"]["limit"], "header_block");
    fixture.let_go(1);
    assert_eq!(hear(&mut stream).await["result"], "done");
    assert_eq!(stream.read_u8().await.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
}

#[tokio::test]
async fn what_has_begun_has_to_become_clear_soon() {
    let limits = RpcLimits { opening: Duration::from_millis(20), ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    for (before, begun, message) in [
        ("", "\r\nConte", "the first bytes show no framing within 0.02 seconds"),
        ("", "Content-Length: 1", "a header block has no end within 0.02 seconds"),
        (&asked(1, "test.length", "{}"), "C", "a header block has no end within 0.02 seconds"),
    ] {
        let mut stream = UnixStream::connect(&fixture.socket).await.unwrap();
        stream.write_all(before.as_bytes()).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        let mut said = String::new();
        timeout(PATIENCE, stream.read_to_string(&mut said)).await.expect("not ended").unwrap();
        assert!(said.contains(message), "{said}");
        assert!(
            said.contains("\"kind\":\"parse_error\"") && said.contains("\"limit\":\"opening\""),
            "{said}"
        );
    }
    // Blanks begin nothing, and a body may take its time.
    let mut stream = BufReader::new(UnixStream::connect(&fixture.socket).await.unwrap());
    stream.write_all(b"\r\n\n").await.unwrap();
    let request = asked(1, "test.length", "{}");
    let (first, second) = request.split_at(30);
    tokio::time::sleep(limits.opening * 2).await;
    stream.write_all(first.as_bytes()).await.unwrap();
    tokio::time::sleep(limits.opening * 2).await;
    stream.write_all(second.as_bytes()).await.unwrap();
    assert_eq!(hear(&mut stream).await["result"], 0);
}

#[tokio::test]
async fn a_body_that_never_ends_is_dropped_as_it_comes_and_then_left() {
    let fixture = Fixture::start(RpcLimits { frame: 10_000, ..RpcLimits::default() }).await;
    let mut stream = BufReader::new(UnixStream::connect(&fixture.socket).await.unwrap());
    stream.write_all(b"Content-Length: 9223372036854775808\r\n\r\n").await.unwrap();
    let answer = hear(&mut stream).await;
    assert_eq!((kind(&answer), &answer["error"]["data"]["limit"]), ("limit_exceeded", &json!("frame")));
    let mut poured = 0;
    while stream.write_all(&[b'x'; 1000]).await.is_ok() {
        poured += 1000;
    }
    assert!(poured >= 20_000);
}

#[tokio::test]
async fn a_large_answer_comes_whole() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let mut stream = BufReader::new(UnixStream::connect(&fixture.socket).await.unwrap());
    let both = asked(1, "test.shout", r#"{"count":3000000}"#) + &asked(2, "test.length", "{}");
    stream.write_all(both.as_bytes()).await.unwrap();
    assert_eq!(hear(&mut stream).await["result"].as_str().unwrap().len(), 3_000_000);
    assert_eq!(hear(&mut stream).await["result"], 0);
}
