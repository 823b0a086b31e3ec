//! One client cannot hurt another.

use std::io::ErrorKind as IoErrorKind;

use super::*;

/// Writes `piece` again and again until the server ends the connection.
async fn pour(socket: PathBuf, first: &'static [u8], piece: Vec<u8>) -> u64 {
    let mut stream = UnixStream::connect(&socket).await.unwrap();
    let mut poured = 0;
    if stream.write_all(first).await.is_err() {
        return poured;
    }
    while stream.write_all(&piece).await.is_ok() {
        poured += piece.len() as u64;
    }
    poured
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_clients_alongside_those_who_misbehave() {
    let limits =
        RpcLimits { frame: 1 << 20, stalled_reader: Duration::from_millis(200), ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    let garbage = tokio::spawn(pour(fixture.socket.clone(), b"{", b"\xff\x00garbage\n{]}\n".repeat(100)));
    let endless = tokio::spawn(pour(fixture.socket.clone(), b"{", vec![b'x'; 64 * 1024]));
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test.shout\",\"params\":{\"count\":100000}}\n";
    let never_reads = tokio::spawn(pour(fixture.socket.clone(), b"", request.to_vec()));
    let clients: Vec<_> = (0..64)
        .map(|number| {
            let socket = fixture.socket.clone();
            tokio::spawn(async move {
                let mut client = Client::new(UnixStream::connect(socket).await.unwrap());
                for round in 0..100 {
                    for step in 0..10 {
                        let id = format!("-1{number:02}{round:03}{step}.5");
                        client.call(id, "status", &json!({})).await;
                    }
                    for step in 0..10 {
                        let line = client.hear_text().await.unwrap();
                        assert!(
                            line.contains(&format!(r#""id":-1{number:02}{round:03}{step}.5,"result":{{"#)),
                            "{line}"
                        );
                    }
                }
            })
        })
        .collect();
    for client in clients {
        timeout(PATIENCE, client).await.expect("not served").unwrap();
    }
    // The server ends the connections of the others: they cannot write any more.
    for misbehaving in [garbage, endless, never_reads] {
        timeout(PATIENCE, misbehaving).await.expect("still let in").unwrap();
    }
}

#[tokio::test]
async fn garbage_is_answered_line_by_line() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    client.say("{\n\n \r\n").await;
    assert_eq!(kind(&client.hear().await), "parse_error");
    client.stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n").await.unwrap();
    let answer = client.hear().await;
    assert_eq!((kind(&answer), &answer["id"]), ("parse_error", &Value::Null));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"test.length","params":{{"name":{}"#,
        "[".repeat(50_000)
    );
    client.say(&format!("{deep}{}}}}}", "]".repeat(50_000))).await;
    assert_eq!(kind(&client.hear().await), "invalid_params");
    client.say(&deep).await;
    assert_eq!(kind(&client.hear().await), "parse_error");
    assert_eq!(client.ask("test.length", &json!({})).await["result"], 0);
}

#[tokio::test]
async fn other_framings_are_answered_with_what_is_spoken() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    for first in
        ["CONNECT a:1 HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n", "\u{16}\u{3}\u{1}", "\u{feff}{}", "\n x"]
    {
        let mut client = fixture.client().await;
        client.say(first).await;
        let answer = client.hear().await;
        assert_eq!(kind(&answer), "parse_error");
        assert!(answer["error"]["data"]["hint"].as_str().unwrap().contains("message a line"));
        assert!(client.is_closed().await);
    }
}

#[tokio::test]
async fn a_long_line_is_refused_and_the_next_is_read() {
    let fixture = Fixture::start(RpcLimits { frame: 10_000, ..RpcLimits::default() }).await;
    let mut client = fixture.client().await;
    client.call(1, "test.length", &json!({"name": "x".repeat(15_000)})).await;
    let answer = client.hear().await;
    assert_eq!((kind(&answer), &answer["error"]["data"]["bytes"]), ("limit_exceeded", &json!(10_000)));
    assert_eq!(client.ask("test.length", &json!({"name": "x".repeat(5000)})).await["result"], 5000);
}

#[tokio::test]
async fn a_reader_that_never_reads_is_left() {
    let limits = RpcLimits { stalled_reader: Duration::from_millis(20), ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    let mut client = fixture.client().await;
    client.call(1, "test.shout", &json!({"count": 4 << 20})).await;
    // The connection ends by itself, while the client still holds its side.
    fixture.emptied().await;
    let mut rest = Vec::new();
    let _ = client.stream.read_to_end(&mut rest).await;
    assert!(rest.len() < 4 << 20);
}

#[tokio::test]
async fn the_connection_idle_longest_makes_room() {
    let mut fixture = Fixture::start(RpcLimits { connections: 3, ..RpcLimits::default() }).await;
    let mut clients = Vec::new();
    for _ in 0..3 {
        let mut client = fixture.client().await;
        client.ask("test.length", &json!({})).await;
        clients.push(client);
    }
    clients[0].ask("test.length", &json!({})).await;
    let mut fourth = fixture.client().await;
    assert_eq!(fourth.ask("test.length", &json!({})).await["result"], 0);
    let said = clients[1].hear().await;
    assert_eq!((kind(&said), &said["id"]), ("busy", &Value::Null));
    assert!(clients[1].is_closed().await);
    clients.remove(1);
    clients.push(fourth);
    for client in &mut clients {
        client.call(9, "test.wait", &json!({})).await;
        fixture.next_begun().await;
    }
    // No connection is idle: the new client gets `busy`, whatever it sends.
    let mut fifth = fixture.client().await;
    let said = fifth.ask("status", &json!({})).await;
    assert_eq!((kind(&said), &said["error"]["data"]["limit"]), ("busy", &json!("connections")));
    assert!(fifth.is_closed().await);
    fixture.let_go(3);
    for client in &mut clients {
        assert_eq!(client.hear().await["result"], "done");
    }
    assert_eq!(fixture.client().await.ask("test.length", &json!({})).await["result"], 0);
}

#[tokio::test]
async fn three_hundred_idle_connections() {
    let fixture = Fixture::start(RpcLimits { connections: 64, ..RpcLimits::default() }).await;
    let mut idle = Vec::new();
    for _ in 0..300 {
        match UnixStream::connect(&fixture.socket).await {
            Ok(stream) => idle.push(stream),
            Err(error) => assert_ne!(error.kind(), IoErrorKind::ConnectionRefused),
        }
    }
    assert_eq!(fixture.client().await.ask("test.length", &json!({})).await["result"], 0);
    assert!(fixture.server.registry().count() <= 64);
}

#[tokio::test]
async fn requests_in_flight_are_bounded() {
    let mut fixture = Fixture::start(RpcLimits { requests: 4, ..RpcLimits::default() }).await;
    let mut client = fixture.client().await;
    for id in 0..10 {
        client.call(id, "test.wait", &json!({"name": id.to_string()})).await;
    }
    for id in 0..4 {
        assert_eq!(fixture.next_begun().await, id.to_string());
    }
    for id in 4..10 {
        assert!(fixture.begun.try_recv().is_err());
        fixture.let_go(1);
        client.hear().await;
        assert_eq!(fixture.next_begun().await, id.to_string());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_requests_go_through_alongside_small_ones() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let name = "n\u{e9}".repeat(4 << 20);
    let large = tokio::spawn({
        let mut client = fixture.client().await;
        let params = json!({"name": name});
        async move { client.ask("test.length", &params).await }
    });
    let mut client = fixture.client().await;
    while !large.is_finished() {
        assert!(client.ask("status", &json!({})).await["result"].is_object());
    }
    assert_eq!(large.await.unwrap()["result"], name.len());
}
