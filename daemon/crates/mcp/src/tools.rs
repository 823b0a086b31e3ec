//! The tools: their arguments, their descriptions, and the method that does the work of each.

use clada_dialects::Dialect;
use clada_protocol::method::{
    CallerKind, CheckpointBegin, CheckpointEnd, Embed, Execute, Instructions, Plan, ProjectChanges, Stage,
};
use clada_protocol::{
    CheckpointBeginParams, CheckpointEndParams, EmbedErrorMode, EmbedParams, ExecuteParams,
    InstructionsParams, MatchLevel, Method as _, MethodInfo, PlainMode, PlanParams, ProjectChangesParams,
    StageParams,
};
use serde_json::{Map, Value, json};

use crate::arguments::ToolArguments;
use crate::edit;
use crate::fault::{Fault, shown};

const EMBED_TOKENS: u64 = 20_000;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Carries an answer out.
    Apply,
    /// Changes files by replacements.
    Edit,
    /// Returns files as they are.
    Read,
    /// Finds lines.
    Search,
    /// Finds files.
    List,
    /// Says what an answer would do.
    Preview,
    /// Makes a document of files.
    Embed,
    /// Says which files changed.
    Changes,
    /// Copies what changed into a folder.
    Stage,
    /// Teaches how to write an answer.
    Instructions,
    /// Begins to record what other programs change.
    CheckpointBegin,
    /// Makes one operation of what changed since.
    CheckpointEnd,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool.
    pub tool: Tool,
    /// The project that it names.
    pub root: Option<String>,
    /// What is to be said of its arguments, as a line each.
    pub notes: Vec<String>,
    /// The work to do.
    pub work: Work,
}

/// The work of a tool: the parameters of the method that does it, without the root.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Of `apply`.
    Apply(Box<ExecuteParams>),
    /// Of `edit`: an answer that says the same.
    Edit(Box<ExecuteParams>),
    /// Of `preview`.
    Preview(Box<PlanParams>),
    /// Of `embed`.
    Embed(Box<EmbedParams>),
    /// Of `read`: files, each with the lines that are wanted of it.
    Read(Vec<(String, Option<String>)>),
    /// Of `search`.
    Search(Search),
    /// Of `list`: a glob.
    List(Option<String>),
    /// Of `changes`.
    Changes(ProjectChangesParams),
    /// Of `stage`.
    Stage(StageParams),
    /// Of `instructions`.
    Instructions(InstructionsParams),
    /// Of `checkpoint_begin`.
    CheckpointBegin(CheckpointBeginParams),
    /// Of `checkpoint_end`.
    CheckpointEnd(CheckpointEndParams),
}

/// What `search` looks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// A regular expression.
    pub pattern: String,
    /// The files to look in; all, if there is none.
    pub globs: Vec<String>,
    /// Lines shown around each that matches; at most 20.
    pub context: usize,
    /// True if upper and lower case are the same.
    pub ignore_case: bool,
}

impl Tool {
    /// Every tool, in the order in which they are listed.
    pub const ALL: [Tool; 12] = [
        Tool::Edit,
        Tool::Read,
        Tool::Search,
        Tool::List,
        Tool::Apply,
        Tool::Preview,
        Tool::Changes,
        Tool::Embed,
        Tool::Stage,
        Tool::Instructions,
        Tool::CheckpointBegin,
        Tool::CheckpointEnd,
    ];

    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Apply => "apply",
            Tool::Edit => "edit",
            Tool::Read => "read",
            Tool::Search => "search",
            Tool::List => "list",
            Tool::Preview => "preview",
            Tool::Embed => "embed",
            Tool::Changes => "changes",
            Tool::Stage => "stage",
            Tool::Instructions => "instructions",
            Tool::CheckpointBegin => "checkpoint_begin",
            Tool::CheckpointEnd => "checkpoint_end",
        }
    }

    /// Returns the method that does its work.
    #[must_use]
    pub fn method(self) -> MethodInfo {
        match self {
            Tool::Apply | Tool::Edit => Execute::INFO,
            Tool::Preview => Plan::INFO,
            Tool::Embed | Tool::Read | Tool::Search | Tool::List => Embed::INFO,
            Tool::Changes => ProjectChanges::INFO,
            Tool::Stage => Stage::INFO,
            Tool::Instructions => Instructions::INFO,
            Tool::CheckpointBegin => CheckpointBegin::INFO,
            Tool::CheckpointEnd => CheckpointEnd::INFO,
        }
    }

    /// Returns whether it is there for a connection that may only read if `read_only` says so.
    #[must_use]
    pub(crate) fn is_for(self, read_only: bool) -> bool {
        self.method().is_for(CallerKind::Agent, read_only)
    }

    fn is_common(self) -> bool {
        !matches!(self, Tool::Stage | Tool::Instructions | Tool::CheckpointBegin | Tool::CheckpointEnd)
    }

    fn title(self) -> &'static str {
        match self {
            Tool::Apply => "Apply a patch",
            Tool::Edit => "Edit files",
            Tool::Read => "Read files",
            Tool::Search => "Search in files",
            Tool::List => "List files",
            Tool::Preview => "Preview a patch",
            Tool::Embed => "Pack files into a document",
            Tool::Changes => "List changed files",
            Tool::Stage => "Stage changed files",
            Tool::Instructions => "How to write edits",
            Tool::CheckpointBegin => "Begin a checkpoint",
            Tool::CheckpointEnd => "End a checkpoint",
        }
    }

    fn description(self) -> &'static str {
        // The model pays for every word of these texts in each conversation.
        match self {
            Tool::Edit => {
                "Replaces texts, creates, deletes and moves files, many in one call, which the person can undo. `old` is \
                 exactly so in the file, `count` times (default once); all edits of a file are found in it as it was \
                 before the call. A file is changed wholly or not at all. Send only what failed again."
            }
            Tool::Read => "Returns files exactly as they are. Read before you edit.",
            Tool::Search => "Finds lines by a regular expression; skips what git ignores.",
            Tool::List => "Lists files by a glob, such as `src/**/*.rs`; skips what git ignores.",
            Tool::Apply => {
                "Applies a patch, or any other answer with edits, also commands (`instructions` teaches how). `text`:\n\
                 *** Begin Patch\n\
                 *** Add File: src/new.py\n\
                 +line\n\
                 *** Update File: src/a.py\n\
                 @@ def greet(name):\n \
                 stays\n\
                 -goes\n\
                 +comes\n\
                 *** Delete File: src/old.py\n\
                 *** End Patch\n\
                 What waits for the user: do not send it again."
            }
            Tool::Preview => {
                "Shows the diff that `apply` would make of `text`, and what would fail or wait for the user."
            }
            Tool::Changes => {
                "Lists the files that changed since `since`, the `clock` of an earlier result: what commands or people did \
                 meanwhile."
            }
            Tool::Embed => {
                "Packs files and folders into one document of at most `max_tokens`, for an overview; `tree_only` first."
            }
            Tool::Stage => {
                "Copies the files that changed since the last stage, the first time all, under flat names into a separate \
                 folder, with a manifest, to be uploaded to a chat. Changes no file of the project."
            }
            Tool::Instructions => {
                "Returns how to write what `apply` takes, in one dialect (default `sham`, which can do most: \
                 replace text or lines, write, append, delete, move, search, run commands). Ask once."
            }
            Tool::CheckpointBegin => {
                "Begins to record what you change by other means than `apply`, so that the person can undo it as \
                 one operation. Changes no file. The last one that you began ends."
            }
            Tool::CheckpointEnd => "Ends the checkpoint, and lists the files that changed since it began.",
        }
    }

    fn hints(self) -> Value {
        // All of them: the defaults are the dangerous ones.
        let reads = self.is_for(true);
        json!({
            "title": self.title(),
            "readOnlyHint": reads,
            "destructiveHint": matches!(self, Tool::Apply | Tool::Edit),
            "idempotentHint": reads,
            "openWorldHint": false,
        })
    }

    fn arguments(self) -> (Value, &'static [&'static str]) {
        // A name that says enough has no description: the model pays for every word in each conversation.
        let text = |about: &str| json!({ "type": "string", "description": about });
        let texts =
            |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
        let flag = |about: &str| json!({ "type": "boolean", "description": about });
        let number = |about: &str| json!({ "type": "integer", "description": about });
        match self {
            Tool::Edit => {
                let object = |properties: Value, required: &[&str]| {
                    json!({
                        "type": "array",
                        "items": { "type": "object", "properties": properties, "required": required },
                    })
                };
                let word = json!({ "type": "string" });
                let edit = json!({ "path": word, "old": word, "new": word, "count": { "type": "integer" } });
                let arguments = json!({
                    "edits": object(edit, &["path", "old", "new"]),
                    "create": object(json!({ "path": word, "text": word }), &["path", "text"]),
                    "delete": { "type": "array", "items": word },
                    "move": object(json!({ "from": word, "to": word }), &["from", "to"]),
                    "match": {
                        "type": "string",
                        "enum": ["exact", "strict", "tolerant"],
                        "description": "Default exact",
                    },
                    "atomic": flag("All files or none"),
                });
                (arguments, &[])
            }
            Tool::Read => {
                let arguments = json!({
                    "paths": texts("Relative to the project; `a.rs:10-42` is these lines"),
                    "ranges": texts("One for each path, as `10-42`; empty: all of it"),
                });
                (arguments, &["paths"])
            }
            Tool::Search => {
                let arguments = json!({
                    "pattern": text("Matched line by line"),
                    "globs": texts("Only in these: `*.py`, `src`, `!tests/**`"),
                    "context": number("Lines around each"),
                    "ignore_case": json!({ "type": "boolean" }),
                });
                (arguments, &["pattern"])
            }
            Tool::List => (json!({ "glob": text("Default: all files") }), &[]),
            Tool::Apply | Tool::Preview => {
                let mut arguments = json!({ "text": { "type": "string" }, "atomic": flag("All or nothing") });
                if self == Tool::Apply {
                    arguments["plain"] = flag("Also code that names its file, without an edit block");
                }
                (arguments, &["text"])
            }
            Tool::Embed => {
                let arguments = json!({
                    "paths": texts("Files and folders; `.` is all of it"),
                    "include": texts("Globs"),
                    "exclude": texts("Globs"),
                    "max_tokens": number("Default 20000"),
                    "tree_only": json!({ "type": "boolean" }),
                });
                (arguments, &["paths"])
            }
            Tool::Changes => (json!({ "since": json!({ "type": "string" }) }), &[]),
            Tool::Stage => {
                let arguments = json!({
                    "all": flag("Every file, whatever was staged before"),
                    "for": text("The name of the receiver; each has its own memory"),
                });
                (arguments, &[])
            }
            Tool::CheckpointBegin => (json!({ "name": text("A few words for the person") }), &[]),
            Tool::CheckpointEnd => (json!({ "checkpoint": text("Its id; the last one by default") }), &[]),
            Tool::Instructions => {
                let dialect = json!({ "type": "string", "enum": Dialect::ALL, "description": "The dialect" });
                (json!({ "dialect": dialect }), &[])
            }
        }
    }

    /// With a `root` if there are several, or may be once the host has named them.
    fn listed(self, has_roots: bool) -> Value {
        let (mut properties, required) = self.arguments();
        if has_roots && self != Tool::Instructions {
            let about = "Absolute path of the project, one of those served";
            properties["root"] = json!({ "type": "string", "description": about });
        }
        let mut entry = json!({
            "name": self.name(),
            "description": self.description(),
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "annotations": self.hints(),
        });
        if self == Tool::Changes {
            entry["outputSchema"] = changes_schema();
        }
        entry
    }
}

fn changes_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "clock": { "type": "string" }, "files": { "type": "array" } },
        "required": ["clock", "files"],
    })
}

pub(crate) fn list(bounds: &Bounds<'_>) -> Map<String, Value> {
    let is_there = |tool: &Tool| tool.is_for(bounds.read_only) && (bounds.all_tools || tool.is_common());
    let there = Tool::ALL.into_iter().filter(is_there);
    let mut result = Map::new();
    result.insert("tools".to_owned(), there.map(|tool| tool.listed(bounds.roots.len() != 1)).collect());
    result
}

impl Call {
    /// Reads a call of the tool `name`; `json` is an object.
    pub(crate) fn read(name: &str, json: &str) -> Result<Call, CallFault> {
        let Some(tool) = Tool::ALL.into_iter().find(|tool| tool.name() == name) else {
            return Err(CallFault::Unknown(name.to_owned()));
        };
        let mut arguments = ToolArguments::new(json);
        let work = tool.work(&mut arguments);
        let root = if tool == Tool::Instructions { None } else { arguments.take("root") };
        match arguments.finish() {
            Ok(notes) => Ok(Call { tool, root, notes, work }),
            Err(text) => Err(CallFault::Arguments { tool, text }),
        }
    }
}

const OF_USER: [(&[&str], &str); 4] = [
    (&["undo", "revert", "rollback"], "Only a user can undo: ask them to run `clada undo`"),
    (&["redo"], "Only a user can redo: ask them to run `clada redo`"),
    (&["approve", "approvals", "approval"], "Only a user can approve: ask them to run `clada approvals`"),
    (&["history", "log"], "Only a user can see the history: ask them to run `clada history`"),
];

pub(crate) fn unknown(name: &str, read_only: bool) -> Fault {
    let lower = name.to_ascii_lowercase();
    let advice = match OF_USER.iter().find(|(names, _)| names.contains(&lower.as_str())) {
        Some((_, advice)) => (*advice).to_owned(),
        None => {
            let there = Tool::ALL.into_iter().filter(|tool| tool.is_for(read_only));
            let names: Vec<String> = there.map(|tool| format!("`{}`", tool.name())).collect();
            format!("There are {}", names.join(", "))
        }
    };
    Fault::params(format!("Unknown tool: {}. {advice}.", shown(name)))
}

const CONTEXT: usize = 20;

/// Returns the files to read: `path`, or `path:10-42` for lines of it.
fn files(arguments: &mut ToolArguments<'_>) -> Vec<(String, Option<String>)> {
    let paths: Vec<String> = arguments.need("paths");
    let ranges: Vec<Option<String>> = arguments.take("ranges").unwrap_or_default();
    let mut ranges = ranges.into_iter().map(|range| range.filter(|range| !range.trim().is_empty()));
    let file = |path: String| match (ranges.next().flatten(), path.rsplit_once(':')) {
        (None, Some((file, lines))) if is_range(lines) => (file.to_owned(), Some(lines.to_owned())),
        (range, _) => (path, range),
    };
    paths.into_iter().map(file).collect()
}

fn is_range(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

impl Tool {
    fn work(self, arguments: &mut ToolArguments<'_>) -> Work {
        // As the tools of other servers call them.
        let renamed: &[(&str, &[&str])] = match self {
            Tool::Read | Tool::Embed => &[("paths", &["path", "file_path", "files", "file"])],
            Tool::Search => {
                &[("pattern", &["query", "regex"]), ("globs", &["glob", "include", "path", "paths"])]
            }
            Tool::List => &[("glob", &["pattern", "path"])],
            _ => &[],
        };
        renamed.iter().for_each(|(name, others)| arguments.renamed(name, others));
        match self {
            Tool::Edit => Work::Edit(Box::new(ExecuteParams {
                text: Some(edit::answer(arguments).into()),
                dialects: Some(vec!["tool_call".to_owned()]),
                match_level: arguments.take("match").or(Some(MatchLevel::Exact)),
                atomic: arguments.take("atomic").unwrap_or_default(),
                // What is the same as before is meant again: the old text is there, or it fails.
                again: true,
                ..ExecuteParams::default()
            })),
            Tool::Read => Work::Read(files(arguments)),
            Tool::Search => Work::Search(Search {
                pattern: arguments.need("pattern"),
                globs: arguments.take("globs").unwrap_or_default(),
                context: arguments.take::<usize>("context").unwrap_or_default().min(CONTEXT),
                ignore_case: arguments.take("ignore_case").unwrap_or_default(),
            }),
            Tool::List => Work::List(arguments.take("glob")),
            Tool::Apply => Work::Apply(Box::new(ExecuteParams {
                text: Some(arguments.need::<String>("text").into()),
                dialects: arguments.take("dialects"),
                match_level: arguments.take("match"),
                atomic: arguments.take("atomic").unwrap_or_default(),
                plain: arguments.take::<bool>("plain").filter(|plain| *plain).map(|_| PlainMode::Apply),
                ..ExecuteParams::default()
            })),
            Tool::Preview => Work::Preview(Box::new(PlanParams {
                text: Some(arguments.need::<String>("text").into()),
                dialects: arguments.take("dialects"),
                match_level: arguments.take("match"),
                atomic: arguments.take("atomic").unwrap_or_default(),
                ..PlanParams::default()
            })),
            Tool::Embed => Work::Embed(Box::new(EmbedParams {
                paths: arguments.need("paths"),
                include: arguments.take("include").unwrap_or_default(),
                exclude: arguments.take("exclude").unwrap_or_default(),
                recurse_depth: arguments.take("depth"),
                max_tokens: Some(arguments.take("max_tokens").unwrap_or(EMBED_TOKENS)),
                tree_only: arguments.take("tree_only").unwrap_or_default(),
                line_numbers: arguments.take("line_numbers").unwrap_or_default(),
                diff: arguments.take("diff").unwrap_or_default(),
                // What can be shown is shown, with what could not.
                error_mode: Some(EmbedErrorMode::Ignore),
                ..EmbedParams::default()
            })),
            Tool::Changes => Work::Changes(ProjectChangesParams {
                since: arguments.take("since"),
                ..ProjectChangesParams::default()
            }),
            Tool::Stage => Work::Stage(StageParams {
                all: arguments.take("all").unwrap_or_default(),
                for_: arguments.take("for"),
                confirm: true,
                ..StageParams::default()
            }),
            Tool::CheckpointBegin => Work::CheckpointBegin(CheckpointBeginParams {
                name: arguments.take("name"),
                ..CheckpointBeginParams::default()
            }),
            Tool::CheckpointEnd => Work::CheckpointEnd(CheckpointEndParams {
                checkpoint: arguments.take("checkpoint"),
                ..CheckpointEndParams::default()
            }),
            Tool::Instructions => Work::Instructions(InstructionsParams {
                dialect: arguments.take("dialect"),
                ..InstructionsParams::default()
            }),
        }
    }
}

/// The bounds of the connection.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// The version of the daemon.
    pub version: &'a str,
    /// The projects that may be named, absolute.
    pub roots: &'a [String],
    /// True if only tools are there that change nothing.
    pub read_only: bool,
    /// True if the tools that few need are listed, too.
    pub all_tools: bool,
}

/// The reason why a tool is not called.
#[derive(Debug, Clone, PartialEq)]
pub enum CallFault {
    /// The request makes no sense: a JSON-RPC error.
    Request(Fault),
    /// There is no tool of this name.
    Unknown(String),
    /// The arguments are wrong: a result of the tool that names them.
    Arguments {
        /// The tool.
        tool: Tool,
        /// All that is wrong with them.
        text: String,
    },
}
