//! `status`: prints the state of the daemon.

use clada_protocol::handshake::{StatusParams, StatusResult};
use clada_protocol::method::Status as Method_;
use clada_protocol::{Method, visible_line, visible_path};

use crate::Process;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print_json, print_text};
use crate::request::typed;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let mut connector = Connector::new(process, settings)?;
    let result = connector.call(Method_::NAME, &StatusParams::default(), OnInterrupt::End)?;
    let socket = connector.socket_shown();
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let status: StatusResult = typed(Method_::NAME, &result)?;
        print_text(process, text(&status, &socket))?;
    }
    Ok(Status::Ok)
}

fn text(status: &StatusResult, socket: &str) -> String {
    let mut text = format!(
        "clada-daemon {}, pid {}, up {}\n",
        visible_line(&status.version),
        status.pid,
        uptime(status.uptime_ms / 1000)
    );
    let mut row = |name: &str, value: &str| text.push_str(&format!("{name:<12} {}\n", visible_line(value)));
    row("socket", socket);
    if let Some(bytes) = status.memory_bytes {
        row("memory", &format!("{}.{} MB", bytes >> 20, (bytes % (1 << 20)) * 10 / (1 << 20)));
    }
    row("connections", &status.connections.to_string());
    row("running", &status.running.to_string());
    if let Some(waiting) = status.waiting.filter(|waiting| *waiting > 0) {
        row("waiting", &format!("{waiting} for your approval: `clada approvals --all`"));
    }
    if let Some(traffic) = &status.traffic {
        row(
            "held",
            &format!("{} bytes, at most {} by one connection", traffic.held_bytes, traffic.largest_bytes),
        );
        // Clients that had to leave are rare: a count of zero says nothing.
        let ended = [
            (traffic.stalled, "read nothing"),
            (traffic.evicted, "made room"),
            (traffic.unloaded, "held too much"),
            (traffic.refused, "could not be read"),
            (traffic.turned_away, "not let in"),
        ];
        let ended: Vec<String> = ended
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        if !ended.is_empty() {
            row("ended", &ended.join(", "));
        }
    }
    row("watches", &status.watches.to_string());
    if let Some(sandbox) = &status.sandbox {
        row("sandbox", sandbox);
    }
    for (index, project) in status.projects.iter().enumerate() {
        row(if index == 0 { "projects" } else { "" }, &visible_path(project));
    }
    for warning in &status.warnings {
        row("warning", warning);
    }
    text
}

fn uptime(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use clada_protocol::handshake::Traffic;

    use super::*;

    #[test]
    fn a_status_for_a_user() {
        let status = StatusResult {
            version: "0.1.0".into(),
            pid: 7,
            uptime_ms: 3_723_000,
            memory_bytes: Some(13 << 19),
            waiting: Some(2),
            traffic: Some(Traffic { held_bytes: 20, largest_bytes: 10, stalled: 1, ..Traffic::default() }),
            projects: vec!["/a".into(), "/b\nc".into()],
            warnings: vec!["odd\u{1b}".into()],
            ..StatusResult::default()
        };
        let expected = "clada-daemon 0.1.0, pid 7, up 1 h 2 min\nsocket       /s\nmemory       6.5 MB\n\
                        connections  0\nrunning      0\nwaiting      2 for your approval: \
                        `clada approvals --all`\nheld         20 bytes, at most 10 by one connection\n\
                        ended        1 read nothing\nwatches      0\nprojects     /a\n             \
                        \"/b\\nc\"\nwarning      odd\\u{1b}\n";
        assert_eq!(text(&status, "/s"), expected);
    }
}
