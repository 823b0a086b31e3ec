//! The door: accepts connections, and maintains the listening socket.
//!
//! Only processes of the same user come in, and none that a command has started (`caller`). If there is no
//! room, the connection that is idle longest goes; if none is idle, the new client gets `busy`. If the system
//! is out of descriptors, accepting becomes slow, but never spins.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use clada_protocol::message::response_json;
use clada_protocol::{CallerKind, ErrorKind, Id, RpcError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::caller::CallerRefused;
use super::connection;
use super::instance::{Instance, SocketCheck};
use super::server::Server;
use super::transport::Transport;

/// The times that accepting pauses when the system has no descriptors or memory left: for the connection that
/// was asked to leave, or for any change at all.
const MAKING_ROOM: Duration = Duration::from_millis(2);
const EXHAUSTED: Duration = Duration::from_millis(100);

const ATTEMPTS: usize = 20;

/// The time that a refused client has to read the reason, and the number of such clients at a time.
const TURNED_AWAY: Duration = Duration::from_secs(1);
const TURNED_AWAY_COUNT: usize = 32;

/// A socket to accept from, with the claim to it unless a service manager holds it.
#[derive(Debug)]
pub struct Door {
    listener: UnixListener,
    instance: Option<Instance>,
    turned_away: Arc<Semaphore>,
}

impl Server {
    /// Serves the clients that connect through `door` until the server is stopped, then ends gracefully.
    pub async fn serve(&self, door: Door) {
        door.accept(self).await;
        self.finish().await;
    }
}

impl Door {
    /// Returns the door of a daemon that bound its socket itself.
    ///
    /// # Errors
    ///
    /// If the runtime cannot watch the socket.
    pub fn own(instance: Instance, listener: std::os::unix::net::UnixListener) -> io::Result<Door> {
        Door::new(listener, Some(instance))
    }

    /// Returns a door that a service manager opened.
    ///
    /// # Errors
    ///
    /// If the runtime cannot watch the socket.
    pub fn activated(listener: std::os::unix::net::UnixListener) -> io::Result<Door> {
        Door::new(listener, None)
    }

    fn new(listener: std::os::unix::net::UnixListener, instance: Option<Instance>) -> io::Result<Door> {
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        Ok(Door { listener, instance, turned_away: Arc::new(Semaphore::new(TURNED_AWAY_COUNT)) })
    }

    pub(super) async fn accept(mut self, server: &Server) {
        let mut housekeeping = interval(server.limits().housekeeping);
        housekeeping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let stop = server.stop_token().clone();
        loop {
            tokio::select! {
                biased;
                _ = stop.cancelled() => return,
                _ = housekeeping.tick() => self.maintain(server),
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        self.let_in(server, stream).await;
                        // Identifying clients takes time, which connected clients share however many new ones
                        // come.
                        tokio::task::yield_now().await;
                    }
                    Err(error) => rest(server, &error).await,
                },
            }
        }
    }

    async fn let_in(&self, server: &Server, stream: UnixStream) {
        let pid = match stream.peer_cred() {
            Ok(peer) if peer.uid() == server.uid() => peer.pid().unwrap_or(0),
            Ok(peer) => {
                tracing::warn!(uid = peer.uid(), "refused a process of another user");
                let error = RpcError::new(ErrorKind::PermissionDenied, "this is the daemon of another user");
                return self.turn_away(server, stream, &error);
            }
            Err(error) => {
                tracing::warn!(%error, "refused a process that cannot be identified");
                return;
            }
        };
        // Identified before it is admitted: a refused process must not push a connection out.
        let caller = match judge(server, &stream, pid).await {
            Ok(Ok(caller)) => caller,
            Ok(Err(refused)) => {
                tracing::warn!(pid, %refused, "refused a process");
                return self.turn_away(server, stream, &refused.error());
            }
            Err(error) => {
                tracing::warn!(pid, %error, "refused a process that there is no room to look at");
                let error = RpcError::new(ErrorKind::Busy, format!("no room for another client: {error}"));
                return self.turn_away(server, stream, &error.hint("try again in a moment"));
            }
        };
        let Some(admitted) = server.registry().admit(pid) else {
            let limit = server.limits().connections;
            let error = RpcError::new(ErrorKind::Busy, format!("all {limit} connections are at work"))
                .with("limit", "connections")
                .hint("try again in a moment");
            return self.turn_away(server, stream, &error);
        };
        let (dispatch, registry) = (server.dispatch().clone(), server.registry().clone());
        tokio::spawn(async move {
            let number = admitted.slot.id;
            tracing::debug!(connection = number, pid, ?caller, "connected");
            let end = connection::serve(stream, &dispatch, admitted, caller).await;
            registry.note_end(end);
            tracing::debug!(connection = number, ?end, "disconnected");
        });
    }

    fn turn_away(&self, server: &Server, mut stream: UnixStream, error: &RpcError) {
        // After a little wait the client reads the reason rather than an error of its own writing.
        server.registry().note_turned_away();
        let mut line = response_json(&Id::NULL, Err(error));
        line.push('\n');
        let _ = stream.try_write(line.as_bytes());
        let Ok(place) = Arc::clone(&self.turned_away).try_acquire_owned() else { return };
        tokio::spawn(async move {
            let _place = place;
            let _ = stream.shutdown().await;
            let mut heard = (&mut stream).take(64 * 1024);
            let _ = timeout(TURNED_AWAY, tokio::io::copy(&mut heard, &mut tokio::io::sink())).await;
        });
    }

    fn maintain(&mut self, server: &Server) {
        server.watch_over();
        let Some(instance) = &mut self.instance else { return };
        match instance.check_socket() {
            Ok(SocketCheck::Ours) => {}
            Ok(SocketCheck::Rebound(listener)) => match UnixListener::from_std(listener) {
                Ok(listener) => {
                    tracing::warn!(socket = %instance.socket().display(), "the socket had vanished; bound again");
                    self.listener = listener;
                }
                Err(error) => tracing::error!(%error, "cannot listen on the socket that was bound again"),
            },
            Ok(SocketCheck::Lost) => {
                tracing::warn!(socket = %instance.socket().display(), "another daemon took over; leaving");
                server.stop();
            }
            Err(error) => tracing::error!(%error, "the socket was removed and cannot be bound again"),
        }
        if server.is_idle() {
            tracing::info!("the daemon was idle for long; leaving");
            server.stop();
        }
    }
}

async fn judge(
    server: &Server,
    stream: &UnixStream,
    pid: i32,
) -> io::Result<Result<CallerKind, CallerRefused>> {
    for _ in 1..ATTEMPTS {
        match server.callers().judge(stream.as_fd(), pid) {
            Err(error) => rest(server, &error).await,
            judged => return judged,
        }
    }
    server.callers().judge(stream.as_fd(), pid)
}

async fn rest(server: &Server, error: &io::Error) {
    use rustix::io::Errno;

    let exhausted = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    if Errno::from_io_error(error).is_some_and(|errno| exhausted.contains(&errno)) {
        let evicted = server.registry().evict();
        tracing::warn!(%error, evicted, "no descriptors left for a client");
        sleep(if evicted { MAKING_ROOM } else { EXHAUSTED }).await;
    } else {
        // The client hung up before it was accepted, or a similar passing error.
        tracing::debug!(%error, "accept failed");
        sleep(Duration::from_millis(1)).await;
    }
}

impl Transport for UnixStream {
    fn is_gone(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let mut polled = [PollFd::new(self, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut polled, Some(&now)).is_ok()
            && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }
}
