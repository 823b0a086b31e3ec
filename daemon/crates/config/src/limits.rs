//! The limits on the amounts that are read, planned, kept or sent. Each has a key, so that the error that it
//! causes can name it. Knows neither who enforces them, nor files and layers.

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitUnit {
    /// Bytes; written `10MB`, `64kB` or plain, with MB = 2^20.
    Bytes,
    /// A number of things; written as a plain number.
    Count,
    /// Milliseconds; written `30s`, `500ms`, `10m`.
    Time,
}

/// The part of clada that a limit protects, and with that, who may lower it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Work on one project: its own configuration may lower it.
    Project,
    /// The daemon as a whole, before the project of a request is known.
    Daemon,
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])* $field:ident = $variant:ident($key:literal, $unit:ident, $scope:ident,
        $default:expr, $least:expr, $most:expr);)*) => {
        /// Every limit in force. All are `u64`: bytes, counts or milliseconds, according to [`Limit::unit`].
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits {
            $($(#[doc = $doc])* #[doc = concat!("\n\nKey `", $key, "`, default `", stringify!($default), "`.")]
            pub $field: u64,)*
        }

        impl Default for Limits {
            fn default() -> Limits {
                Limits { $($field: $default),* }
            }
        }

        impl Limits {
            /// Returns the value of `limit`.
            #[must_use]
            pub fn get(&self, limit: Limit) -> u64 {
                match limit { $(Limit::$variant => self.$field),* }
            }

            pub(super) fn set(&mut self, limit: Limit, value: u64) {
                match limit { $(Limit::$variant => self.$field = value),* }
            }
        }

        /// The name of one of the [`Limits`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Limit {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Limit {
            /// Every limit, in the order of the documentation.
            pub const ALL: &'static [Limit] = &[$(Limit::$variant),*];

            /// Returns the key that sets it. An error that it causes names this key.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Limit::$variant => $key),* }
            }

            /// Returns its unit.
            #[must_use]
            pub const fn unit(self) -> LimitUnit {
                match self { $(Limit::$variant => LimitUnit::$unit),* }
            }

            /// Returns its scope.
            #[must_use]
            pub const fn scope(self) -> Scope {
                match self { $(Limit::$variant => Scope::$scope),* }
            }

            /// Returns its default value.
            #[must_use]
            pub const fn built_in(self) -> u64 {
                match self { $(Limit::$variant => $default),* }
            }

            /// Returns the least and the greatest value allowed, both inclusive.
            #[must_use]
            pub const fn range(self) -> (u64, u64) {
                match self { $(Limit::$variant => ($least, $most)),* }
            }

            pub(super) const fn help(self) -> &'static str {
                match self { $(Limit::$variant => concat!($($doc),*)),* }
            }
        }
    };
}

const KB: u64 = 1 << 10;
const MB: u64 = 1 << 20;
const GB: u64 = 1 << 30;
const DAY: u64 = 24 * 3600 * 1000;

limits! {
    /// An answer of a model, in bytes.
    input = Input("limits.input", Bytes, Project, clada_protocol::INPUT_LIMIT as u64, KB, GB);
    /// The largest file to edit, read or write, in bytes.
    max_file_size = MaxFileSize("limits.max_file_size", Bytes, Project, 10 * MB, KB, GB);
    /// Blocks in an answer.
    blocks = Blocks("limits.blocks", Count, Project, 10_000, 1, 1_000_000);
    /// Actions in an answer, over all of its blocks.
    actions = Actions("limits.actions", Count, Project, 10_000, 1, 1_000_000);
    /// Results of one grep, glob or ls.
    max_results = MaxResults("limits.max_results", Count, Project, 10_000, 1, 1_000_000);
    /// A line in the results of grep, in bytes; what is longer is cut.
    grep_line = GrepLine("limits.grep_line", Bytes, Project, 2 * KB, 80, MB);
    /// The size of all files of one operation together, in bytes; checked before memory is taken for it.
    planned_bytes = PlannedBytes("limits.planned_bytes", Bytes, Project, 256 * MB, KB, 4 * GB);
    /// The result of a request, in bytes; what is cut is flagged for each action.
    result_bytes = ResultBytes("limits.result_bytes", Bytes, Project, 16 * MB, 64 * KB, GB);
    /// A file that is staged, in bytes; larger ones are left out.
    stage_max_file_size = StageMaxFileSize("stage.max_file_size", Bytes, Project, 10 * MB, KB, GB);
    /// The time that a command of an answer may take.
    command_time = CommandTime("limits.command_time", Time, Project, clada_protocol::COMMAND_TIMEOUT_MS, 100, DAY);
    /// The part of a command's output that is kept, in bytes: its beginning and its end.
    command_output = CommandOutput("limits.command_output", Bytes, Project, clada_protocol::COMMAND_OUTPUT, KB, GB);
    /// Operations of a project that can be undone. Its last 20 are always kept.
    history_keep = HistoryKeep("history.keep", Count, Daemon, 200, 20, 1_000_000);
    /// The records of all projects, in bytes: when they take more, the oldest operations are forgotten.
    history_bytes = HistoryBytes("history.max_bytes", Bytes, Daemon, 500 * MB, MB, 1024 * GB);
    /// A file whose content a checkpoint keeps unless git has it; what is larger is named when it begins.
    record_max_file = RecordMaxFile("record.max_file", Bytes, Project, 16 * MB, KB, GB);
    /// The contents that a checkpoint keeps, in bytes; the files beyond are named when it begins.
    record_max_bytes = RecordMaxBytes("record.max_bytes", Bytes, Project, 512 * MB, KB, 64 * GB);
    /// A request as it is on the wire, in bytes; JSON escapes make it larger than the answer in it.
    request_frame = RequestFrame("limits.request_frame", Bytes, Daemon, 128 * MB, 64 * KB, 2 * GB);
    /// Connections at a time.
    connections = Connections("daemon.connections", Count, Daemon, 256, 1, 10_000);
    /// Requests of one connection that are being worked on.
    in_flight_requests = InFlightRequests("limits.in_flight_requests", Count, Daemon, 64, 1, 10_000);
    /// Frames of one connection that are being worked on, in bytes.
    in_flight_bytes = InFlightBytes("limits.in_flight_bytes", Bytes, Daemon, 128 * MB, 64 * KB, 4 * GB);
    /// The time for which an agent's call waits for a person's approval, with `mcp.approvals: wait`.
    approval_wait = ApprovalWait("mcp.approval_wait", Time, Daemon, 10 * 60 * 1000, 1000, DAY);
    /// The result of a tool that an agent calls, in characters; what has no room is named.
    mcp_output = McpOutput("mcp.max_output", Count, Daemon, 60_000, 1000, 10_000_000);
    /// Frames, queues and answers of all connections together, in bytes.
    total_bytes = TotalBytes("limits.total_bytes", Bytes, Daemon, 512 * MB, MB, 64 * GB);
}

impl Limits {
    /// Returns the bounds of a parse for the dialects.
    #[must_use]
    pub fn bounds(&self) -> clada_dialects::Bounds {
        let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        clada_dialects::Bounds {
            input: size(self.input),
            blocks: size(self.blocks),
            ..clada_dialects::Bounds::default()
        }
    }
}
