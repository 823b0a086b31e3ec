//! Answers to requests of every kind.

use super::*;

#[tokio::test]
async fn ids_come_back_as_they_were_written() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    let ids =
        ["0", "-1", "-0", "1.50", "1e400", "98765432109876543210987654321", r#""a\u00e9""#, "\"\"", "null"];
    for method in ["status", "nope", "test.notify"] {
        for id in ids {
            client.call(id, method, &json!({})).await;
            let line = client.hear_text().await.unwrap();
            assert!(line.contains(&format!(r#""id":{id},"#)), "{line}");
        }
    }
}

#[tokio::test]
async fn what_is_ready_is_answered_in_order_and_what_waits_later() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    client.call(0, "test.wait", &json!({"name": "a"})).await;
    for id in 1..200 {
        client.call(id, "status", &json!({})).await;
    }
    for id in 1..200 {
        assert_eq!(client.hear().await["id"], id);
    }
    fixture.next_begun().await;
    fixture.let_go(1);
    assert_eq!(client.hear().await, json!({"jsonrpc": "2.0", "id": 0, "result": "done"}));
}

#[tokio::test]
async fn batches() {
    let fixture = Fixture::start(RpcLimits { batch: 3, ..RpcLimits::default() }).await;
    let mut client = fixture.client().await;
    client
        .say(concat!(
            r#"[{"jsonrpc":"2.0","id":1,"method":"test.notify","params":{"count":0}},"#,
            r#"{"jsonrpc":"2.0","method":"status"},{"jsonrpc":"2.0","id":"b","method":"nope"}]"#
        ))
        .await;
    let answers = client.hear().await;
    assert_eq!(answers.as_array().unwrap().len(), 2);
    assert_eq!(answers[0]["result"], 0);
    assert_eq!((answers[1]["id"].as_str(), kind(&answers[1])), (Some("b"), "method_not_found"));
    // Notifications alone get no answer.
    client.say(r#"[{"jsonrpc":"2.0","method":"status"},{"jsonrpc":"2.0","method":"nope"}]"#).await;
    client.say("[]").await;
    assert_eq!(kind(&client.hear().await), "invalid_request");
    client.say("[1]").await;
    let answers = client.hear().await;
    assert_eq!(kind(&answers[0]), "invalid_request");
    client.say("[1,2,3,4]").await;
    let answer = client.hear().await;
    assert_eq!((kind(&answer), &answer["error"]["data"]["limit"]), ("limit_exceeded", &json!("batch")));
}

#[tokio::test]
async fn a_batch_waits_for_its_slowest_member() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    client
        .say(concat!(
            r#"[{"jsonrpc":"2.0","id":1,"method":"test.wait"},{"jsonrpc":"2.0","id":2,"method":"test.change"},"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"test.wait"},{"jsonrpc":"2.0","id":4,"method":"status"}]"#
        ))
        .await;
    for _ in 0..3 {
        fixture.next_begun().await;
    }
    client.say(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#).await;
    assert_eq!(fixture.next_ended().await.1, Some(CancelReason::Requested));
    fixture.let_go(2);
    let answers = client.hear().await;
    let ids: Vec<u64> =
        answers.as_array().unwrap().iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    assert_eq!(answers[0]["error"]["code"], -32800);
    assert_eq!(answers[1]["result"], "changed");
}

#[tokio::test]
async fn cancelled_requests_say_so() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    for method in ["test.wait", "test.change"] {
        client.call("\"x\"", method, &json!({"name": method})).await;
        fixture.next_begun().await;
        client.say(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"nobody"}}"#).await;
        client.say(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\u0078"}}"#).await;
        let answer = client.hear().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("x"), &json!(-32800)));
        assert_eq!(fixture.next_ended().await, (method.to_owned(), Some(CancelReason::Requested)));
    }
    client.call(5, "$/cancelRequest", &json!({"id": 1})).await;
    assert_eq!(kind(&client.hear().await), "invalid_request");
}

#[tokio::test]
async fn a_large_request_can_be_cancelled_while_it_is_read() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    let large = "n".repeat(4 << 20);
    client.call(7, "test.wait", &json!({"name": large})).await;
    client.say(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#).await;
    assert_eq!(client.hear().await["error"]["code"], -32800);
    // It began or it did not; in either case nothing waits.
    client.call(8, "test.length", &json!({"name": large})).await;
    assert_eq!(client.hear().await["result"], large.len());
    fixture.begun.close();
}

#[tokio::test]
async fn deadlines() {
    let soon = Duration::from_millis(5);
    let limits = RpcLimits { read_deadline: soon, change_deadline: soon, ..RpcLimits::default() };
    let mut fixture = Fixture::start(limits).await;
    let mut client = fixture.client().await;
    for method in ["test.wait", "test.change"] {
        let answer = client.ask(method, &json!({"name": method})).await;
        assert_eq!(kind(&answer), "timeout");
        assert_eq!(fixture.next_ended().await, (method.to_owned(), Some(CancelReason::Deadline)));
    }
    // One that changes files and does not check is not cut in half.
    client.call(1, "test.stubborn", &json!({"name": "s"})).await;
    fixture.begun.recv().await;
    fixture.let_go(1);
    assert_eq!(client.hear().await["result"], "done");
}

#[tokio::test]
async fn a_panic_is_one_answer() {
    let logged = Logged::default();
    let writer = logged.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    for method in ["test.panic", "test.panic_blocking"] {
        let answer = client.ask(method, &json!({})).await;
        assert_eq!((&answer["id"], kind(&answer)), (&json!(1), "internal"));
        assert!(!answer.to_string().contains("secret"), "{answer}");
        let fault = answer["error"]["data"]["id"].as_str().unwrap();
        let log = String::from_utf8(logged.0.lock().unwrap().clone()).unwrap();
        assert!(log.contains(fault) && log.contains(method) && !log.contains("secret"), "{log}");
    }
    assert_eq!(kind(&client.ask("test.panic_later", &json!({})).await), "internal");
    assert!(client.ask("status", &json!({})).await["result"]["pid"].is_number());
}

#[tokio::test]
async fn unknown_methods_and_parameters() {
    let fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    let answer = client.ask("Status", &json!({})).await;
    assert_eq!((kind(&answer), &answer["error"]["code"]), ("method_not_found", &json!(-32601)));
    assert_eq!(answer["error"]["data"]["hint"], "did you mean `status`?");
    let answer = client.ask("hello", &json!({"cliant": "x"})).await;
    assert_eq!((kind(&answer), &answer["error"]["code"]), ("invalid_params", &json!(-32602)));
    assert_eq!(answer["error"]["message"], "hello: unknown parameter `cliant`");
    assert_eq!(answer["error"]["data"]["hint"], "did you mean `client`?");
    let answer = client.ask("status", &json!([1])).await;
    assert_eq!(kind(&answer), "invalid_params");
    let answer = client.ask("test.length", &json!({"name": 1})).await;
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("test.length: `name`: "), "{answer}");
}

#[tokio::test]
async fn an_agent_cannot_do_what_is_a_users() {
    let (hooks, _begun, _ended) = hooks();
    let server = builder(RpcLimits::default(), &hooks).build();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let served = server.clone();
    let serving = tokio::spawn(async move { served.serve_one(theirs, CallerKind::Agent).await });
    let mut client = Client::new(ours);
    assert_eq!(kind(&client.ask("shutdown", &json!({})).await), "method_not_found");
    assert_eq!(kind(&client.ask("test.length", &json!({"reserved": true})).await), "invalid_params");
    assert_eq!(client.ask("test.length", &json!({"name": "abc"})).await["result"], 3);
    drop(client);
    timeout(PATIENCE, serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn notifications_come_before_the_answer_however_slowly_it_is_read() {
    let limits = RpcLimits { notifications: 200, unread: 1000, ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    let mut client = fixture.client().await;
    client.call(1, "test.notify", &json!({"count": 5000})).await;
    for number in 0..5000 {
        let notified = client.hear().await;
        assert_eq!(
            (&notified["method"], &notified["params"]["number"]),
            (&json!("notified"), &json!(number))
        );
    }
    assert_eq!(client.hear().await["result"], 5000);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_an_error() {
    let fixture = Fixture::start(RpcLimits { answer: 1000, ..RpcLimits::default() }).await;
    let mut client = fixture.client().await;
    let answer = client.ask("test.shout", &json!({"count": 2000})).await;
    assert_eq!((kind(&answer), &answer["error"]["data"]["limit"]), ("limit_exceeded", &json!("answer")));
}

#[tokio::test]
async fn an_ended_side_is_still_answered() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    client.call(1, "test.wait", &json!({"name": "a"})).await;
    // The last message has no line end.
    client.stream.write_all(br#"{"jsonrpc":"2.0","id":2,"method":"test.length"}"#).await.unwrap();
    client.stream.shutdown().await.unwrap();
    assert_eq!(client.hear().await["id"], 2);
    fixture.next_begun().await;
    fixture.let_go(1);
    assert_eq!(client.hear().await["result"], "done");
    assert!(client.is_closed().await);
}
