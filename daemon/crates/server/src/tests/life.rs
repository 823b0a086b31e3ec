//! Clients that leave, and the end of the server.

use super::*;

#[tokio::test]
async fn a_client_that_goes_away_ends_its_reads_and_not_its_changes() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut client = fixture.client().await;
    client.call(1, "test.wait", &json!({"name": "read"})).await;
    client.call(2, "test.change", &json!({"name": "change"})).await;
    fixture.next_begun().await;
    fixture.next_begun().await;
    drop(client);
    assert_eq!(fixture.next_ended().await, ("read".to_owned(), Some(CancelReason::Disconnected)));
    fixture.let_go(1);
    assert_eq!(fixture.next_ended().await, ("change".to_owned(), None));
}

#[tokio::test]
async fn a_stop_finishes_what_runs() {
    let mut fixture = Fixture::start(RpcLimits::default()).await;
    let mut idle = fixture.client().await;
    idle.ask("status", &json!({})).await;
    let mut busy = fixture.client().await;
    busy.call(1, "test.change", &json!({"name": "a"})).await;
    fixture.next_begun().await;
    let mut user = fixture.client().await;
    assert_eq!(user.ask("shutdown", &json!({})).await["result"]["running"], 1);
    assert!(idle.is_closed().await);
    fixture.let_go(1);
    assert_eq!(busy.hear().await["result"], "changed");
    assert!(busy.is_closed().await);
    // The client that asked for the stop waits for the end of all that.
    assert!(user.is_closed().await);
    fixture.stopped().await;
}

#[tokio::test]
async fn a_stop_is_bounded() {
    let limits = RpcLimits { stop: Duration::from_millis(10), ..RpcLimits::default() };
    let mut fixture = Fixture::start(limits).await;
    let mut client = fixture.client().await;
    client.call(1, "test.change", &json!({"name": "a"})).await;
    client.call(2, "test.wait", &json!({"name": "b"})).await;
    fixture.next_begun().await;
    fixture.next_begun().await;
    fixture.server.stop();
    for _ in 0..2 {
        let answer = client.hear().await;
        assert_eq!(kind(&answer), "cancelled");
        assert!(answer["error"]["message"].as_str().unwrap().contains("stopping"), "{answer}");
    }
    assert!(client.is_closed().await);
    fixture.stopped().await;
}

#[tokio::test]
#[allow(clippy::disallowed_methods)] // Another process removes the folder.
async fn a_socket_that_vanishes_comes_back() {
    let limits = RpcLimits { housekeeping: Duration::from_millis(1), ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    let mut client = fixture.client().await;
    for _ in 0..3 {
        client.ask("status", &json!({})).await;
        std::fs::remove_dir_all(fixture.socket.parent().unwrap()).unwrap();
        let again = timeout(PATIENCE, async {
            loop {
                match UnixStream::connect(&fixture.socket).await {
                    Ok(stream) => return Client::new(stream),
                    Err(_) => tokio::task::yield_now().await,
                }
            }
        });
        let mut again = again.await.expect("not bound again");
        assert!(again.ask("status", &json!({})).await["result"].is_object());
    }
    // Connected clients stay connected.
    assert!(client.ask("status", &json!({})).await["result"].is_object());
    fixture.server.stop();
    fixture.stopped().await;
}

#[tokio::test]
#[allow(clippy::disallowed_methods)]
async fn a_daemon_whose_place_was_taken_leaves() {
    let limits = RpcLimits { housekeeping: Duration::from_millis(1), ..RpcLimits::default() };
    let fixture = Fixture::start(limits).await;
    let folder = fixture.socket.parent().unwrap().to_owned();
    let taken = timeout(PATIENCE, async {
        loop {
            std::fs::rename(&folder, folder.with_extension("swept")).unwrap();
            match Instance::claim(&fixture.socket, uid()) {
                Ok(taken) => return taken,
                // The daemon was quicker and bound again: remove once more.
                Err(_) => {
                    let _ = std::fs::remove_dir_all(folder.with_extension("swept"));
                    tokio::task::yield_now().await;
                }
            }
        }
    });
    let (_other, _listener) = taken.await.expect("never free");
    timeout(PATIENCE, fixture.serving).await.expect("does not leave").unwrap();
    assert!(fixture.socket.exists(), "the other's socket stays");
}

#[tokio::test]
async fn nobody_needs_it_for_long() {
    let soon = Duration::from_millis(1);
    let limits = RpcLimits { idle_exit: Some(soon), housekeeping: soon, ..RpcLimits::default() };
    Fixture::start(limits).await.stopped().await;
}

#[tokio::test]
async fn status_reports_what_others_add() {
    let (hooks, _begun, _ended) = hooks();
    let mut builder = builder(RpcLimits::default(), &hooks);
    builder.status(|status| status.warnings.push("a word".to_owned()));
    let server = builder.build();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let served = server.clone();
    let serving = tokio::spawn(async move { served.serve_one(theirs, CallerKind::Person).await });
    let mut client = Client::new(ours);
    let status = client.ask("status", &json!({})).await;
    assert_eq!(status["result"]["warnings"], json!(["a word"]));
    assert_eq!(status["result"]["connections"], 1);
    assert_eq!(status["result"]["limits"]["rpc.connections"], 256);
    server.stop();
    assert!(client.is_closed().await);
    timeout(PATIENCE, serving).await.unwrap().unwrap();
}
