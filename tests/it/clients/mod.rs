//! Real clients of the socket, each as its users have it. A test whose program is missing says so and passes.
//!
//! `CLADA_CLIENTS` names a folder with those that no system has: `bin/nvim`, `node_modules/vscode-jsonrpc`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Ran, Tree, World, all, feed, feed_for, skipped};

/// An answer that writes a file.
const WRITES: &str = "#!SHAM [@three-char-SHA-256: abc]
action = \"file_write\"
path = \"a.txt\"
content = \"x\"
#!END_SHAM_abc
";

const STATUS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"status","params":{}}"#;

/// Returns the path of a program, in the folder of clients or as the system finds it.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let own = std::env::var_os("CLADA_CLIENTS").map(|folder| Path::new(&folder).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = own.into_iter().chain(std::env::split_paths(&path));
    let found = folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()));
    if found.is_none() {
        skipped(&format!("the client {name}"), "it is not installed");
    }
    found
}

/// A running daemon, and the number of its process.
fn daemon() -> (World, u64) {
    let world = World::new();
    let pid = world.connect().call("status", &json!({}))["pid"].as_u64().unwrap();
    (world, pid)
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/clients").join(name)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("it/clients").join(name)
}

/// A command of the world, for a program of whom only the path is known.
fn command(world: &World, program: &Path) -> Command {
    world.program(program.to_str().unwrap())
}

/// Returns the last line that a command writes, as JSON.
fn said(command: &mut Command, stdin: &str) -> Value {
    let ran = feed(command, stdin.as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = ran.stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn netcat_and_socat() {
    let (world, pid) = daemon();
    for (name, arguments) in [("nc", &["-N", "-U"][..]), ("socat", &["-t30", "-"])] {
        let Some(program) = program(name) else { continue };
        let socket = world.socket();
        let socket = socket.to_str().unwrap();
        let place = if name == "nc" { socket.to_owned() } else { format!("UNIX-CONNECT:{socket}") };
        let asked = || {
            let mut command = command(&world, &program);
            command.args(arguments).arg(&place);
            command
        };
        assert_eq!(said(&mut asked(), &format!("{STATUS}\n"))["result"]["pid"], pid, "{name}");
        // By hand over HTTP, with a side that is closed before the answer comes.
        let length = STATUS.len();
        let request = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{STATUS}"
        );
        assert_eq!(said(&mut asked(), &request)["result"]["pid"], pid, "{name}");
        let request = format!("Content-Length: {length}\r\n\r\n{STATUS}");
        assert_eq!(said(&mut asked(), &request)["result"]["pid"], pid, "{name}");
    }
}

#[test]
fn curl_in_all_its_ways() {
    let Some(curl) = program("curl") else { return };
    let (world, pid) = daemon();
    let asked = |arguments: &[&str]| {
        let mut command = command(&world, &curl);
        command.args(["--silent", "--show-error", "--fail-with-body", "--unix-socket"]).arg(world.socket());
        command.args(arguments).arg("http://localhost/rpc");
        command
    };
    let typed = "Content-Type: application/json";
    assert_eq!(said(&mut asked(&["-X", "POST", "-H", typed, "-d", STATUS]), "")["result"]["pid"], pid);
    assert_eq!(said(&mut asked(&["--json", "@-"]), STATUS)["result"]["pid"], pid);
    // Without its type the body is a form's, and the answer says what to write.
    let ran = feed(&mut asked(&["-d", STATUS]), b"");
    assert!(ran.code != 0 && ran.stdout.contains("curl --json"), "{ran:?}");
    // Events come as lines, after the answer of `subscribe`, for as long as curl stays.
    let params = json!({"root": world.root()});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": params}).to_string();
    let lines = "Accept: application/x-ndjson";
    let mut subscribed = asked(&["-N", "-H", typed, "-H", lines, "-d", &request])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut heard = BufReader::new(subscribed.stdout.take().unwrap()).lines();
    let mut hear =
        || serde_json::from_str::<Value>(&heard.next().expect("the stream ends").unwrap()).unwrap();
    assert!(hear()["result"]["subscription"].is_string());
    world.lay("a.txt", "x");
    assert_eq!(hear()["method"], "event");
    subscribed.kill().unwrap();
    subscribed.wait().unwrap();
    // A large body waits for leave to be sent.
    let params = json!({"root": world.root(), "text": "x".repeat(2 << 20)});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "parse", "params": params}).to_string();
    let expect = "Expect: 100-continue";
    let answer = said(&mut asked(&["-H", typed, "-H", expect, "--data-binary", "@-"]), &request);
    assert!(answer["result"].is_object(), "{answer}");
    // A hundred requests on one connection.
    let mut many = asked(&["--json", STATUS]);
    many.args(["--write-out", "\n%{num_connects}\n"]);
    for _ in 1..100 {
        many.arg("http://localhost/rpc");
    }
    let ran = feed(&mut many, b"");
    let made: u32 = ran.stdout.lines().filter_map(|line| line.parse::<u32>().ok()).sum();
    assert_eq!((ran.stdout.matches(r#""pid":"#).count(), made), (100, 1), "{ran:?}");
}

#[test]
fn every_example_shows_the_daemons_state() {
    let (world, pid) = daemon();
    for (program_name, arguments, name) in [
        ("curl", None, "status.sh"),
        ("python3", None, "status.py"),
        ("node", None, "status.mjs"),
        ("nvim", Some(["--clean", "-l"]), "status.lua"),
    ] {
        let Some(found) = program(program_name) else { continue };
        let found = if name.ends_with(".sh") { PathBuf::from("sh") } else { found };
        let mut command = command(&world, &found);
        command.args(arguments.into_iter().flatten()).arg(example(name)).arg(world.socket());
        assert_eq!(without_result(&said(&mut command, "")), json!(pid), "{name}");
    }
}

/// Returns the number of the process in a status, or in an answer with one.
fn without_result(said: &Value) -> Value {
    said.get("result").unwrap_or(said)["pid"].clone()
}

#[test]
fn vscode_jsonrpc() {
    let Some(node) = program("node") else { return };
    let folder = std::env::var_os("CLADA_CLIENTS").map(PathBuf::from);
    let Some(folder) = folder.filter(|folder| folder.join("node_modules/vscode-jsonrpc").is_dir()) else {
        return skipped("the client vscode-jsonrpc", "it is not in CLADA_CLIENTS");
    };
    let (world, pid) = daemon();
    // Held, so that the request waits until it is cancelled.
    let held = std::fs::File::open(world.project()).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut command = command(&world, &node);
    command.arg(script("vscode.js")).arg(folder).arg(world.socket()).args([&world.root(), WRITES]);
    assert_eq!(said(&mut command, ""), json!({"pid": pid, "code": -32800}));
    assert!(!world.exists("a.txt"));
}

#[test]
fn emacs_jsonrpc() {
    let Some(emacs) = program("emacs") else { return };
    let (world, pid) = daemon();
    let mut command = command(&world, &emacs);
    command.args(["--batch", "-Q", "-l"]).arg(script("jsonrpc.el")).env("SOCKET", world.socket());
    command.stderr(Stdio::piped());
    assert_eq!(said(&mut command, ""), json!({ "pid": pid }));
}

/// Hands connections of a port of the loopback interface on to the daemon, as nobody should, and serves
/// `page` on another; returns the address of the page, in which `PORT` stands for the first.
fn before_the_socket(world: &World, page: &str) -> (String, Arc<AtomicUsize>) {
    // A page cannot reach a Unix socket: the front passes everything from a TCP port on to it.
    let [front, pages] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let page = page.replace("PORT", &front.local_addr().unwrap().port().to_string());
    let address = format!("http://{}/", pages.local_addr().unwrap());
    let (socket, count) = (world.socket(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for client in front.incoming().flatten() {
            let Ok(daemon) = UnixStream::connect(&socket) else { return };
            counted.fetch_add(1, Ordering::SeqCst);
            let (mut up, mut to) = (client.try_clone().unwrap(), daemon.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut up, &mut to);
                let _ = to.shutdown(Shutdown::Write);
            });
            let (mut down, mut back) = (daemon, client);
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut down, &mut back);
                let _ = back.shutdown(Shutdown::Both);
            });
        }
    });
    std::thread::spawn(move || {
        for mut client in pages.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            let length = page.len();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n");
            let _ = client.write_all(format!("{head}Connection: close\r\n\r\n{page}").as_bytes());
        }
    });
    (address, count)
}

#[test]
fn a_page_behind_a_proxy_changes_nothing() {
    let found = ["chromium-headless-shell", "chromium"].iter().find_map(|name| program(name));
    let Some(chromium) = found else { return };
    let (world, _) = daemon();
    let params = json!({"root": world.root(), "text": WRITES});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "execute", "params": params}).to_string();
    let page = format!(
        "<body>loading<script>
        const body = {};
        const tries = [['text/plain', 'no-cors'], ['application/json', 'cors'], ['application/x-www-form-urlencoded', 'no-cors']];
        const all = tries.map(([type, mode]) => fetch('http://127.0.0.1:PORT/rpc',
            {{method: 'POST', mode, headers: {{'Content-Type': type}}, body}}).then((it) => it.type, () => 'refused'));
        Promise.all(all).then((said) => {{ document.body.textContent = 'said ' + said.join(' '); }});
        </script>",
        Value::from(body)
    );
    let (address, connections) = before_the_socket(&world, &page);
    let mut command = command(&world, &chromium);
    let ran = feed(
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--timeout=20000",
                "--virtual-time-budget=10000",
            ])
            .arg(format!("--user-data-dir={}", world.path("chromium").display()))
            .args(["--dump-dom", &address]),
        b"",
    );
    // The page has sent its requests, and has seen no answer.
    assert!(ran.stdout.contains("said opaque refused opaque"), "{ran:?}");
    assert!(connections.load(Ordering::SeqCst) > 0);
    assert!(!world.exists("a.txt"));
}

/// Runs the tests of an editor in the world of a user who has files and settings of their own. The tests have to succeed, and
/// what the user has is byte for byte the same afterwards, with nothing new beside it.
pub(crate) fn assert_suite_holds(world: &World, command: &mut Command) -> Ran {
    for name in ["config/clada/config.yaml", "home/.config/clada/config.yaml"] {
        let path = world.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "git:\n  mode: refs\n").unwrap();
    }
    std::fs::create_dir_all(world.path("state/clada")).unwrap();
    std::fs::write(world.path("state/clada/known"), "known").unwrap();
    command.env("CLADA_GIT_MODE", "refs").env("GIT_DIR", world.path("nowhere"));
    // Neovim itself would keep a log where it finds the state.
    command.env("NVIM_LOG_FILE", "/dev/null");
    command.envs(std::env::var_os("CLADA_ALL").map(|all| ("CLADA_ALL", all)));
    let before = ["home", "config", "state", "run", "outside"].map(|name| world.path(name));
    let before = before.map(|folder| (Tree::of(&folder), folder));
    // An editor's tests under CLADA_ALL have thousands of random answers.
    let limit = Duration::from_secs(if all() { 5000 } else { 280 });
    let ran = feed_for(limit, command, b"");
    assert_held(&ran);
    before.iter().for_each(|(tree, folder)| tree.assert_at(folder));
    ran
}

/// Panics with what an editor's tests say of what did not hold, unless they succeeded. What held is left out: where a
/// runner cuts what it prints, the rest would be cut with it.
pub(crate) fn assert_held(ran: &Ran) {
    let held = |line: &&str| line.starts_with("ok ") || line.starts_with("   passed ");
    let rest: Vec<&str> = ran.stdout.lines().chain(ran.stderr.lines()).filter(|line| !held(line)).collect();
    assert_eq!(ran.code, 0, "{}", rest.join("\n"));
}
