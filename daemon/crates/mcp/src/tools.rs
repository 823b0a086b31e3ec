//! The tools: their arguments, their descriptions, and the method that does the work of each.

use clada_protocol::method::{
    CallerKind, CheckpointBegin, CheckpointEnd, Embed, Execute, Instructions, Plan, ProjectChanges, Stage,
};
use clada_protocol::{
    CheckpointBeginParams, CheckpointEndParams, EmbedErrorMode, EmbedParams, ExecuteParams,
    InstructionsParams, Method as _, MethodInfo, PlanParams, ProjectChangesParams, StageParams,
};
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::message::{CallFault, Fault, shown};

/// The tokens of a document, unless more or fewer are asked for.
const EMBED_TOKENS: u64 = 20_000;
/// The names of the dialects, in the order of the daemon's.
pub(crate) const DIALECTS: [&str; 9] =
    ["sham", "csl", "cml", "replacer", "apply_patch", "aider", "unified_diff", "tool_call", "whole_file"];

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Carries an answer out.
    Apply,
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
    /// The project that it names.
    pub root: Option<String>,
    /// The work to do.
    pub work: Work,
}

/// The work of a tool: the parameters of the method that does it, without the root.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Of `apply`.
    Apply(Box<ExecuteParams>),
    /// Of `preview`.
    Preview(Box<PlanParams>),
    /// Of `embed`.
    Embed(Box<EmbedParams>),
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

impl Tool {
    /// Every tool, in the order in which they are listed.
    pub const ALL: [Tool; 8] = [
        Tool::Apply,
        Tool::Preview,
        Tool::Embed,
        Tool::Changes,
        Tool::Stage,
        Tool::Instructions,
        Tool::CheckpointBegin,
        Tool::CheckpointEnd,
    ];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Apply => "apply",
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
            Tool::Apply => Execute::INFO,
            Tool::Preview => Plan::INFO,
            Tool::Embed => Embed::INFO,
            Tool::Changes => ProjectChanges::INFO,
            Tool::Stage => Stage::INFO,
            Tool::Instructions => Instructions::INFO,
            Tool::CheckpointBegin => CheckpointBegin::INFO,
            Tool::CheckpointEnd => CheckpointEnd::INFO,
        }
    }

    /// Returns whether it is there for a connection that may only read if `read_only` says so.
    #[must_use]
    pub fn is_for(self, read_only: bool) -> bool {
        self.method().is_for(CallerKind::Agent, read_only)
    }

    fn title(self) -> &'static str {
        match self {
            Tool::Apply => "Apply edits",
            Tool::Preview => "Preview edits",
            Tool::Embed => "Read files",
            Tool::Changes => "List changed files",
            Tool::Stage => "Stage changed files",
            Tool::Instructions => "How to write edits",
            Tool::CheckpointBegin => "Begin a checkpoint",
            Tool::CheckpointEnd => "End a checkpoint",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Tool::Apply => {
                "Carries out edits, which the person can undo. `text` is a patch:\n\
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
                 or blocks of another dialect: see `instructions`, also for commands. Old lines stand exactly as in \
                 the file, in one place. Never leave lines out with `...`. What failed changed nothing: send only \
                 that again. What waits for a person: do not send it again, and put it in a block of its own."
            }
            Tool::Preview => {
                "Says what `apply` would do with the same arguments, and changes nothing: the diff, what would \
                 fail and why, and what would wait for a person. Nothing is run or looked up, so what comes after a \
                 command is planned over the files as they are now."
            }
            Tool::Embed => {
                "Returns files and folders of the project as one Markdown document, at most `max_tokens` long; \
                 what was left out is listed. Secrets and what git ignores are not in it. Ask for a tree first \
                 (`tree_only`) where a project is unknown, and for `line_numbers` before edits by line."
            }
            Tool::Changes => {
                "Lists the files that changed since `since`, the clock of an earlier result, the latest first; \
                 without it, all files. Keep the new `clock` for the next call. `fresh` says that these are all \
                 files, whatever was known before."
            }
            Tool::Stage => {
                "Copies the files that changed since the last stage, the first time all, under flat names into a folder \
                 of their own, with a manifest, to be uploaded to a chat. Changes no file of the project."
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

    /// Returns its hints, all of them: the defaults are the dangerous ones.
    fn hints(self) -> Value {
        let reads = self.is_for(true);
        json!({
            "title": self.title(),
            "readOnlyHint": reads,
            "destructiveHint": self == Tool::Apply,
            "idempotentHint": reads,
            "openWorldHint": false,
        })
    }

    /// Returns its arguments, each with its schema, and the names of those that have to be there.
    fn arguments(self) -> (Value, &'static [&'static str]) {
        let text = |about: &str| json!({ "type": "string", "description": about });
        let texts =
            |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
        let flag = |about: &str| json!({ "type": "boolean", "description": about });
        let number = |about: &str| json!({ "type": "integer", "description": about });
        let root = text("Absolute path of the project, one of those served; not needed where there is one");
        match self {
            Tool::Apply | Tool::Preview => {
                let arguments = json!({
                    "text": text("The edits; text around them is free"),
                    "root": root,
                    "dialects": {
                        "type": "array",
                        "items": { "type": "string", "enum": DIALECTS },
                        "description": "The dialects to look for; all that are enabled by default",
                    },
                    "match": {
                        "type": "string",
                        "enum": ["exact", "strict", "tolerant"],
                        "description": "How exactly old text has to match",
                    },
                    "atomic": flag("All of it or nothing"),
                });
                (arguments, &["text"])
            }
            Tool::Embed => {
                let arguments = json!({
                    "paths": texts("Files and folders, relative to the project; `.` is all of it, `a.rs:10-42` these lines"),
                    "root": root,
                    "include": texts("Globs: only these files of folders"),
                    "exclude": texts("Globs: not these"),
                    "depth": number("Levels of folders below a given one; 0: only its files"),
                    "max_tokens": number("Default 20000"),
                    "tree_only": flag("No contents, only the tree"),
                    "line_numbers": flag("Each line begins with its number"),
                    "diff": flag("Append what differs from the last commit; most of what `apply` did is committed"),
                });
                (arguments, &["paths"])
            }
            Tool::Changes => (json!({ "since": text("The clock of an earlier result"), "root": root }), &[]),
            Tool::Stage => {
                let arguments = json!({
                    "all": flag("Every file, whatever was staged before"),
                    "for": text("The name of the receiver; each has a memory of its own"),
                    "root": root,
                });
                (arguments, &[])
            }
            Tool::CheckpointBegin => {
                (json!({ "name": text("A few words for the person"), "root": root }), &[])
            }
            Tool::CheckpointEnd => {
                (json!({ "checkpoint": text("Its id; the last one by default"), "root": root }), &[])
            }
            Tool::Instructions => {
                let dialect = json!({ "type": "string", "enum": DIALECTS, "description": "The dialect" });
                (json!({ "dialect": dialect }), &[])
            }
        }
    }

    /// Returns its entry in `tools/list`.
    fn listed(self) -> Value {
        let (properties, required) = self.arguments();
        let mut entry = json!({
            "name": self.name(),
            "title": self.title(),
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

/// Returns the schema of the structured content of `changes`.
fn changes_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "clock": { "type": "string" },
            "fresh": { "type": "boolean" },
            "files": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string" },
                        "kind": { "type": "string", "enum": ["created", "changed", "deleted"] },
                    },
                    "required": ["path", "kind"],
                },
            },
            "warnings": { "type": "array", "items": { "type": "string" } },
            "cut": { "type": "string", "description": "What had no room" },
        },
        "required": ["clock", "files"],
    })
}

/// Returns the result of `tools/list`.
pub(crate) fn list(read_only: bool) -> Map<String, Value> {
    let there = Tool::ALL.into_iter().filter(|tool| tool.is_for(read_only));
    let mut result = Map::new();
    result.insert("tools".to_owned(), there.map(Tool::listed).collect());
    result
}

impl Call {
    /// Reads a call of the tool `name`; `json` is an object.
    ///
    /// # Errors
    /// There is no such tool, or its arguments are wrong.
    pub fn read(name: &str, json: &str) -> Result<Call, CallFault> {
        let Some(tool) = Tool::ALL.into_iter().find(|tool| tool.name() == name) else {
            return Err(CallFault::Unknown(name.to_owned()));
        };
        let mut arguments = Arguments::new(json);
        let work = tool.work(&mut arguments);
        let root = if tool == Tool::Instructions { None } else { arguments.take("root") };
        match arguments.finish() {
            Ok(()) => Ok(Call { root, work }),
            Err(text) => Err(CallFault::Arguments { tool, text }),
        }
    }

    /// Returns the tool that is called.
    #[must_use]
    pub fn tool(&self) -> Tool {
        match &self.work {
            Work::Apply(_) => Tool::Apply,
            Work::Preview(_) => Tool::Preview,
            Work::Embed(_) => Tool::Embed,
            Work::Changes(_) => Tool::Changes,
            Work::Stage(_) => Tool::Stage,
            Work::Instructions(_) => Tool::Instructions,
            Work::CheckpointBegin(_) => Tool::CheckpointBegin,
            Work::CheckpointEnd(_) => Tool::CheckpointEnd,
        }
    }
}

/// What is a user's to do, under the names by which models ask for it, and what to ask the user for.
const OF_USER: [(&[&str], &str); 4] = [
    (&["undo", "revert", "rollback"], "Undoing is a person's: ask them to run `clada undo`"),
    (&["redo"], "Redoing is a person's: ask them to run `clada redo`"),
    (&["approve", "approvals", "approval"], "Approving is a person's: ask them to run `clada approvals`"),
    (&["history", "log"], "The history is a person's: ask them to run `clada history`"),
];

/// Returns the fault of a tool that there is not.
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

impl Tool {
    fn work(self, arguments: &mut Arguments<'_>) -> Work {
        match self {
            Tool::Apply => Work::Apply(Box::new(ExecuteParams {
                text: Some(arguments.need::<String>("text").into()),
                dialects: arguments.take("dialects"),
                match_level: arguments.take("match"),
                atomic: arguments.take("atomic").unwrap_or_default(),
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
