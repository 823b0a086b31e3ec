//! The terminal: taken as a whole, and given back whatever happens.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Mutex;

use crossterm::cursor::{Hide, Show};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

static TAKEN: Mutex<Option<File>> = Mutex::new(None);

#[derive(Debug)]
pub(crate) struct Screen {
    pub(crate) terminal: Terminal<CrosstermBackend<BufWriter<File>>>,
}

impl Screen {
    /// Takes the terminal. Dropping it gives it back, and so does a panic in any thread.
    pub(crate) fn take(file: File) -> io::Result<Screen> {
        *TAKEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(file.try_clone()?);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        enter()?;
        let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, file));
        Ok(Screen { terminal: Terminal::new(backend)? })
    }

    /// Stops the program as Ctrl-Z does elsewhere, and takes the terminal again when it goes on.
    pub(crate) fn stop(&mut self) -> io::Result<()> {
        give_back();
        emulate_default_handler(SIGTSTP)?;
        self.resume()
    }

    pub(crate) fn resume(&mut self) -> io::Result<()> {
        // The mode of before may be another one now.
        disable_raw_mode()?;
        enter()?;
        self.redraw()
    }

    pub(crate) fn redraw(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal where its cursor is, and the keys are read elsewhere.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    let taken = TAKEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    taken.as_ref().map_or(Ok(()), |mut file| execute!(file, EnterAlternateScreen, Hide))
}

pub(crate) fn give_back() {
    // A terminal that is gone needs nothing.
    let taken = TAKEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(mut file) = taken.as_ref() {
        let _ = execute!(file, Show, LeaveAlternateScreen);
        let _ = file.flush();
    }
    let _ = disable_raw_mode();
}
