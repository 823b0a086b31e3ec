//! The commands of an answer while they run: which one, and its output as `[task-N:exec] line`, whole lines
//! only.

use std::collections::HashMap;

use clada_protocol::message::NotificationParams;
use clada_protocol::{EXECUTE_EVENT, ExecuteEvent, ExecuteEventKind, visible_block, visible_line};

use crate::Process;
use crate::output::print;
use crate::progress::ProgressWork;

const LINE: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Live {
    shows_output: bool,
    begun: HashMap<(usize, String), String>,
}

impl Live {
    pub(super) fn new(shows_output: bool) -> Live {
        Live { shows_output, begun: HashMap::new() }
    }

    pub(super) fn show(&mut self, process: &mut Process, method: &str, params: Option<&NotificationParams>) {
        if method != EXECUTE_EVENT {
            return;
        }
        let Some(Ok(event)) = params.map(NotificationParams::read::<ExecuteEvent>) else { return };
        let mark = format!("[task-{}:exec] ", visible_line(&event.task));
        let mut shown = String::new();
        match event.kind {
            ExecuteEventKind::Started => {
                process.begin(ProgressWork::Command(
                    event.command.unwrap_or_else(|| format!("task {}", event.task)),
                ));
            }
            ExecuteEventKind::Unknown => {}
            ExecuteEventKind::Output if !self.shows_output => {}
            ExecuteEventKind::Output => {
                let stream = event.stream.unwrap_or_default();
                let begun = self.begun.entry((event.seq, stream)).or_default();
                begun.push_str(&event.text.unwrap_or_default());
                let whole = match begun.rfind('\n') {
                    Some(end) => end + 1,
                    None if begun.len() > LINE => begun.len(),
                    None => 0,
                };
                shown = lines(&mark, &begun[..whole]);
                begun.drain(..whole);
            }
            ExecuteEventKind::Finished => {
                process.begin(ProgressWork::APPLIES);
                if !self.shows_output {
                    return;
                }
                for stream in ["stdout", "stderr"] {
                    let rest = self.begun.remove(&(event.seq, stream.to_owned())).unwrap_or_default();
                    shown.push_str(&lines(&mark, &rest));
                }
                if event.lost {
                    shown.push_str(&format!("{mark}[some output came too fast to be shown]\n"));
                }
            }
        }
        // A reader that has gone away is noticed with the report.
        let _ = print(process, &shown);
    }
}

fn lines(mark: &str, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{}\n", visible_block(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_command_writes_begins_a_line() {
        assert_eq!(
            lines("[task-1:exec] ", "a\n\n\u{1b}[2Jb"),
            "[task-1:exec] a\n[task-1:exec] \n[task-1:exec] \\u{1b}[2Jb\n"
        );
    }
}
