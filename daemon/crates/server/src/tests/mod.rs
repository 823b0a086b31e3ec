//! The server, in process, on a socket of its own. Tests wait for messages and events of the server, never
//! for time.

mod abuse;
mod answers;
mod headers;
mod http;
mod life;
mod scripted;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clada_protocol::method::Access;
use clada_protocol::{CallerKind, ErrorKind, Method, MethodInfo, RpcError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::transport::Transport;
use super::{CancelReason, Context, Door, Instance, RpcLimits, Server, ServerBuilder};

/// A guard against hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(60);

/// Methods that do what a test needs.
macro_rules! test_methods {
    ($($method:ident = $name:literal, $access:ident;)*) => {$(
        struct $method;
        impl Method for $method {
            const NAME: &'static str = $name;
            const INFO: MethodInfo = MethodInfo {
                name: $name,
                caller: CallerKind::Agent,
                access: Access::$access,
                user_params: &["reserved"],
                errors: &[],
                summary: "For tests.",
            };
            type Params = TestParams;
            type Result = Value;
        }
    )*};
}

test_methods! {
    Wait = "test.wait", Reads;
    Change = "test.change", Changes;
    Stubborn = "test.stubborn", Changes;
    Panic = "test.panic", Reads;
    PanicLater = "test.panic_later", Changes;
    PanicBlocking = "test.panic_blocking", Reads;
    Shout = "test.shout", Reads;
    Notify = "test.notify", Reads;
    Length = "test.length", Reads;
    Named = "test.named", Reads;
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct TestParams {
    name: String,
    count: usize,
    reserved: bool,
}

/// The channels on which the test methods report to the test, and the permits they wait for.
struct Hooks {
    begun: mpsc::UnboundedSender<String>,
    ended: mpsc::UnboundedSender<(String, Option<CancelReason>)>,
    go_on: Semaphore,
}

struct Fixture {
    folder: tempfile::TempDir,
    socket: PathBuf,
    server: Server,
    hooks: Arc<Hooks>,
    begun: mpsc::UnboundedReceiver<String>,
    ended: mpsc::UnboundedReceiver<(String, Option<CancelReason>)>,
    serving: JoinHandle<()>,
}

/// Reports how a request of the test methods ended, also when it was dropped.
struct Ending(Arc<Hooks>, String, Context);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.ended.send((std::mem::take(&mut self.1), self.2.cancel().reason()));
    }
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn builder(limits: RpcLimits, hooks: &Arc<Hooks>) -> ServerBuilder {
    let mut builder = ServerBuilder::new(limits, uid());
    let methods = builder.methods();
    let shared = Arc::clone(hooks);
    let wait = move |context: Context, params: TestParams| {
        let hooks = Arc::clone(&shared);
        async move {
            let _ending = Ending(Arc::clone(&hooks), params.name.clone(), context);
            let _ = hooks.begun.send(params.name);
            hooks.go_on.acquire().await.unwrap().forget();
            Ok(json!("done"))
        }
    };
    // `Stubborn` changes files but, unlike `Change`, never checks whether it is to stop.
    methods.register::<Wait, _, _>(wait.clone()).register::<Stubborn, _, _>(wait);
    let shared = Arc::clone(hooks);
    methods.register::<Change, _, _>(move |context, params: TestParams| {
        let hooks = Arc::clone(&shared);
        async move {
            let _ending = Ending(Arc::clone(&hooks), params.name.clone(), context.clone());
            let _ = hooks.begun.send(params.name);
            tokio::select! {
                permit = hooks.go_on.acquire() => permit.unwrap().forget(),
                _ = context.cancel().cancelled() => {}
            }
            context.check().map(|()| json!("changed"))
        }
    });
    methods.register::<Panic, _, _>(|_, _| -> std::future::Ready<Result<Value, RpcError>> {
        panic!("secret text")
    });
    methods.register::<PanicLater, _, _>(|_, _| async {
        tokio::task::yield_now().await;
        panic!("secret text")
    });
    methods.register::<PanicBlocking, _, _>(|context, _| async move {
        context.blocking(|_| -> Value { panic!("secret text") }).await;
        Ok(Value::Null)
    });
    methods.register::<Shout, _, _>(|_, params| std::future::ready(Ok(json!("x".repeat(params.count)))));
    methods.register::<Notify, _, _>(|context, params: TestParams| async move {
        for number in 0..params.count {
            let notified = context.notifier().send("notified", &json!({"number": number})).await;
            notified.map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))?;
        }
        Ok(json!(params.count))
    });
    methods.register::<Length, _, _>(|_, params| std::future::ready(Ok(json!(params.name.len()))));
    methods.register::<Named, _, _>(|context, _| std::future::ready(Ok(json!(context.client()))));
    builder
}

impl Fixture {
    /// Waits until the only connection, which may not be accepted yet, has ended.
    async fn emptied(&self) {
        let registry = self.server.registry();
        timeout(PATIENCE, async {
            while registry.count() == 0 {
                tokio::task::yield_now().await;
            }
            registry.emptied().await;
        })
        .await
        .expect("still waited for");
    }

    async fn start(limits: RpcLimits) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("clada").join("v1.sock");
        let (hooks, begun, ended) = hooks();
        let server = builder(limits, &hooks).build();
        let (instance, listener) = Instance::claim(&socket, uid()).unwrap();
        let door = Door::own(instance, listener).unwrap();
        let served = server.clone();
        let serving = tokio::spawn(async move { served.serve(door).await });
        Fixture { folder, socket, server, hooks, begun, ended, serving }
    }

    async fn client(&self) -> Client<UnixStream> {
        Client::new(UnixStream::connect(&self.socket).await.unwrap())
    }

    async fn next_begun(&mut self) -> String {
        timeout(PATIENCE, self.begun.recv()).await.expect("nothing begins").unwrap()
    }

    async fn next_ended(&mut self) -> (String, Option<CancelReason>) {
        timeout(PATIENCE, self.ended.recv()).await.expect("nothing ends").unwrap()
    }

    fn let_go(&self, count: usize) {
        self.hooks.go_on.add_permits(count);
    }

    async fn stopped(self) {
        timeout(PATIENCE, self.serving).await.expect("does not stop").unwrap();
        assert!(!self.socket.exists());
        drop(self.folder);
    }
}

type Receivers =
    (Arc<Hooks>, mpsc::UnboundedReceiver<String>, mpsc::UnboundedReceiver<(String, Option<CancelReason>)>);

fn hooks() -> Receivers {
    let (begun, begun_receiver) = mpsc::unbounded_channel();
    let (ended, ended_receiver) = mpsc::unbounded_channel();
    (Arc::new(Hooks { begun, ended, go_on: Semaphore::new(0) }), begun_receiver, ended_receiver)
}

/// A client that sends and receives lines.
struct Client<S> {
    stream: BufReader<S>,
}

impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Client<S> {
    fn new(stream: S) -> Client<S> {
        Client { stream: BufReader::new(stream) }
    }

    async fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
        self.stream.write_all(b"\n").await.unwrap();
    }

    async fn call(&mut self, id: impl std::fmt::Display, method: &str, params: &Value) {
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)).await;
    }

    /// Returns the next line; `None` at the end.
    async fn hear_text(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = timeout(PATIENCE, self.stream.read_line(&mut line)).await.expect("no answer");
        if count.unwrap_or(0) == 0 { None } else { Some(line) }
    }

    async fn hear(&mut self) -> Value {
        let line = self.hear_text().await.expect("closed");
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.call(1, method, params).await;
        self.hear().await
    }

    async fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        let _ = timeout(PATIENCE, self.stream.read_to_end(&mut rest)).await.expect("not closed");
        rest.is_empty()
    }
}

fn kind(answer: &Value) -> &str {
    answer["error"]["data"]["kind"].as_str().unwrap_or("no error")
}

/// A stream in memory, for callers that are not on the socket.
impl Transport for tokio::io::DuplexStream {
    fn is_gone(&self) -> bool {
        false
    }
}

/// The text that a test writes to the log.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
