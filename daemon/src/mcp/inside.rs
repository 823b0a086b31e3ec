//! The server inside of this process, for an agent where no daemon may be started: behind a pair of sockets,
//! so that the relay speaks to it as to a daemon.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use clada_protocol::CallerKind;
use clada_server::{RpcLimits, Server, ServerBuilder};

use crate::log::{self, Destination};
use crate::process::Process;
use crate::shutdown::{self, Signals};

/// The time that changes have to end when the host has gone, or a signal has come.
const STOP: Duration = Duration::from_secs(2);

pub(super) struct InProcessServer {
    server: Server,
    thread: JoinHandle<()>,
}

impl InProcessServer {
    pub(super) fn begin(
        process: Process,
        assemble: impl FnOnce(&Process, RpcLimits) -> ServerBuilder + Send + 'static,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<(UnixStream, InProcessServer)> {
        log::begin(&process, Destination::File, clada_config::LogLevel::Warn);
        let (ours, theirs) = UnixStream::pair()?;
        theirs.set_nonblocking(true)?;
        let (send, receive) = mpsc::sync_channel(1);
        let thread = std::thread::Builder::new().name("clada-inside".to_owned()).spawn(move || {
            let Ok(runtime) = shutdown::runtime() else { return };
            runtime.block_on(async {
                let (Ok(mut signals), Ok(stream)) =
                    (Signals::begin(), tokio::net::UnixStream::from_std(theirs))
                else {
                    return;
                };
                // The host ends this process, so that it never exits for being idle.
                let limits = RpcLimits { idle_exit: None, stop: STOP, ..RpcLimits::default() };
                let server = assemble(&process, limits).build();
                let _ = send.send(server.clone());
                let conversation = server.serve_one(stream, CallerKind::Agent);
                tokio::pin!(conversation);
                tokio::select! {
                    _ = &mut conversation => return,
                    _ = signals.next() => server.stop(),
                }
                conversation.await;
                ended();
            });
            shutdown::end(runtime);
        })?;
        let server = receive.recv().map_err(|_| io::Error::other("the server cannot be started"))?;
        Ok((ours, InProcessServer { server, thread }))
    }

    pub(super) fn stop(self) {
        self.server.stop();
        let _ = self.thread.join();
    }
}
