//! The review on a full screen: what an answer would change, file by file and hunk by hunk, what waits for
//! approval, and what was done.
//!
//! [`run`] reads the same arguments as `clada review`, which becomes this program. The daemon is called in a
//! thread of its own (`daemon`), what is typed comes from another (`events`), and the main one keeps the state
//! (`app`, `keys`) and draws it (`draw`); nothing there waits but for the next event. It must not know how an
//! answer is parsed, or what is safe: the plan says so, and the daemon carries it out. Arguments, connection and
//! report are the client's.

mod app;
mod daemon;
mod document;
mod draw;
mod events;
mod history;
mod keys;
mod model;
mod popup;
mod report;
mod rows;
mod screen;
#[cfg(test)]
mod tests;
mod view;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use clada_client::Process;
use clada_client::review::{Ended, Failure, Review, Status, Subject, open};
use crossterm::event::{Event as Typed, KeyEventKind};
use signal_hook::consts::{SIGCONT, SIGTSTP};

use crate::app::{App, AppAction};
use crate::daemon::{Ask, Notes};
use crate::draw::{Palette, draw};
use crate::events::Event;
use crate::screen::Screen;

const TICK: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_secs(2);

/// Carries out the arguments of `process`. Returns the exit status: that of `clada apply`.
#[must_use]
pub fn run(mut process: Process) -> ExitCode {
    // Called by its own name, it is what `clada review` is.
    let own_name = process.args.first().map(Path::new).and_then(Path::file_name);
    // The version is that of all programs, and no argument of `review`.
    let wants_version =
        process.args.get(1).is_some_and(|argument| argument == "--version" || argument == "-V");
    if own_name.is_none_or(|name| name == "clada-review") && !wants_version {
        process.args.insert(process.args.len().min(1), "review".into());
    }
    let review = match open(&mut process) {
        Ok(review) => review,
        Err(status) => return status,
    };
    let shown = show(&process, &review);
    let ended = shown.unwrap_or_else(|error| {
        Ended::Failed(Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}")))
    });
    review.end(&mut process, ended)
}

fn show(process: &Process, review: &Review) -> io::Result<Ended> {
    let (events, happened) = channel();
    let (requests, incoming) = channel();
    let calls = review.calls(process, Box::new(Notes(events.clone())));
    let (subject, root, replies) = (review.subject.clone(), review.root.clone(), events.clone());
    thread::spawn(move || daemon::serve(calls, subject, &root, &incoming, &replies));
    let mut app = App::new(review.root.clone(), review.source.clone(), clada_client::review::moment);
    let now = Instant::now();
    match review.subject {
        Subject::Home => app.ask(Ask::Home, "Looking at the history", now),
        Subject::Answer(_) => app.ask(Ask::Subject, "Planning", now),
        Subject::Named(_) => app.ask(Ask::Subject, "Looking it up", now),
    }
    let terminal = process.terminal().ok_or(io::ErrorKind::NotFound)?;
    events::catch(events.clone())?;
    let mut screen = Screen::take(terminal)?;
    events::listen(events);
    drive(&mut app, &mut screen, &happened, &requests, Palette(review.colours))?;
    drop(screen);
    Ok(app.ended())
}

fn drive(
    app: &mut App,
    screen: &mut Screen,
    events: &Receiver<Event>,
    requests: &Sender<Ask>,
    palette: Palette,
) -> io::Result<()> {
    let mut looked = Instant::now();
    let mut is_drawn = false;
    loop {
        // A daemon's side that is gone shows as the end of events.
        app.asks.drain(..).for_each(|ask| drop(requests.send(ask)));
        if !is_drawn || app.busy.is_some() {
            screen.terminal.draw(|frame| {
                if let Some(place) = draw(app, frame.buffer_mut(), palette, Instant::now()) {
                    frame.set_cursor_position(place);
                }
            })?;
        }
        let mut next = match events.recv_timeout(TICK) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // What came meanwhile is drawn at once: keys that are held down, sizes of a window that is pulled.
        let begun = Instant::now();
        is_drawn = next.is_none();
        while let Some(event) = next {
            handle(app, screen, event)?;
            match app.act.take() {
                Some(AppAction::Leave) => return Ok(()),
                Some(AppAction::Stop) => screen.stop()?,
                Some(AppAction::Redraw) => screen.redraw()?,
                None => {}
            }
            next = if begun.elapsed() < Duration::from_millis(20) { events.try_recv().ok() } else { None };
        }
        if looked.elapsed() > LOOK {
            looked = Instant::now();
            app.look();
        }
    }
}

fn handle(app: &mut App, screen: &mut Screen, event: Event) -> io::Result<()> {
    match event {
        Event::Typed(Typed::Key(key)) if key.kind != KeyEventKind::Release => app.key(key, Instant::now()),
        Event::Typed(_) => {}
        Event::Hangup => return Err(io::ErrorKind::UnexpectedEof.into()),
        Event::Signal(SIGCONT) => screen.resume()?,
        Event::Signal(SIGTSTP) => screen.stop()?,
        Event::Signal(signal) => {
            screen::give_back();
            // Ends the program.
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
        Event::Reply(reply) => app.handle_reply(reply, Instant::now()),
    }
    Ok(())
}
