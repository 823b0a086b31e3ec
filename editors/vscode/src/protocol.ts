// Made by `cargo run -p clada-protocol --features schema --example openrpc` from the types in protocol/; not to be edited.

/** Parameters of `hello`. */
export interface HelloParams {
  /** Name and version of the client, for the log. */
  client?: string;
  /** The oldest and the newest protocol that the client speaks; absent: any. */
  protocol?: [number, number];
  /** Features that the client would like. */
  features?: string[];
  /** `agent` narrows the connection to an agent's, for its life. Absent: it stays what it is. */
  caller?: CallerKind;
  /** The language that is spoken from then on, if it is not this one: `mcp`. */
  speaks?: string;
  /** Of an agent: the only folders, absolute, in which or below which its requests have their root. At most 64. */
  roots?: string[];
  /** Of an agent: true if it may only call what changes nothing. */
  readOnly?: boolean;
  /** Of MCP: true to list every tool, not the common ones alone. All can be called in any case. */
  allTools?: boolean;
}

/** Parameters of `status`. */
export type StatusParams = Record<string, never>;

/** Parameters of `doctor`. */
export interface DoctorParams {
  /** Absolute path of the project to look at, too. */
  root?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `shutdown`. */
export type ShutdownParams = Record<string, never>;

/** Parameters of `rpc.discover`. */
export type DiscoverParams = Record<string, never>;

/** Parameters of `parse`. */
export interface ParseParams {
  /** The answer. At most `limits.input` bytes. */
  text: string;
  /** Names of the dialects to look for; absent: all that are enabled. */
  dialects?: string[];
  /** Absolute path of the project, whose configuration then counts, and where approvals are looked up. */
  root?: string;
  /** With `root`: the session whose folder commands run in; absent: `default`. */
  session?: string;
  /** With `root`: the caller's environment, as for `execute`. It decides which programs commands mean. */
  env?: Record<string, string>;
  /** With `root`: milliseconds for each command, as for `execute`. */
  timeoutMs?: number;
  /** True to return also the syntax tree of dialects that have one. */
  tree?: boolean;
  /** The reports to return with the result, as the client prints them: `text` alone. */
  reports?: ReportFormat[];
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `plan`. */
export interface PlanParams {
  /** Absolute path of the project. */
  root: string;
  /** The answer. */
  text?: string;
  /** A saved plan, instead of a text: plans the rest of it (neither done, returned as edits, nor declined) again, over the overlays given now. Its answer is read as before; `atomic`, `match` and `again` are the plan's unless they are given. */
  planId?: string;
  /** The id of an operation, or `last` for the project's last one: plans its parts that did not succeed, and those that were not accepted, which have `leftOut` and are applied only if `accept` names them. */
  resume?: string;
  /** With `planId`: the ids of the only actions, hunks and groups of that plan to plan again, whether they were done or declined or not. */
  only?: string[];
  /** With `planId`: places of that plan that the user edited; they are planned as they were edited. Only a user may give it. */
  edited?: EditedPlace[];
  /** The session whose working directory counts; absent: `default`. */
  session?: string;
  /** Names of the dialects to look for; absent: all that are enabled. */
  dialects?: string[];
  /** The lowest rung of the ladder that an edit may use; absent: each dialect's own default. */
  match?: MatchLevel;
  /** True to apply all of the answer or nothing. */
  atomic?: boolean;
  /** The file that all code without a file name is for, absolute or relative to the root. */
  to?: string;
  /** Texts that stand in for files: an editor's unsaved buffers. */
  overlays?: Overlay[];
  /** The line ends that the lines of `files` are counted by. */
  lines?: LineEnds;
  /** The number of lines around each hunk of `files` to return with it, as they stay; at most 100. */
  context?: number;
  /** True if the answer is meant as it is written: guards against texts that say less than they replace only report their findings (spec: answers, section 2). Only a user may give it. */
  literal?: boolean;
  /** True to plan what of the answer was applied before and still holds once more. Only a user may give it. */
  again?: boolean;
  /** True to accept paths outside the allowed roots for this one call. Only a user may give it. */
  allowEscape?: boolean;
  /** True to let it read and change files held back as secrets. Only a user may give it. */
  includeSecrets?: boolean;
  /** The caller's environment, as for `execute`: it decides which programs commands mean. */
  env?: Record<string, string>;
  /** Milliseconds for each command, as for `execute`. */
  timeoutMs?: number;
  /** The reports of what would be done to add to the result: `text`, `llm`. */
  reports?: ReportFormat[];
  /** The parts to leave out of the result, which the caller does not read. */
  omit?: PlanPart[];
  /** True for `review` in the result. */
  review?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `plan.drop`. */
export interface PlanDropParams {
  /** Absolute path of the project. */
  root: string;
  /** The plan to drop. */
  planId: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `execute`. */
export interface ExecuteParams {
  /** Absolute path of the project. */
  root: string;
  /** The answer. */
  text?: string;
  /** A plan made by `plan`, instead of its text: what another process changed since is a conflict, in the results of its actions. With `accept`, exactly what was planned is applied. A plan that succeeded is dropped, unless some of its edits went to an editor. */
  planId?: string;
  /** The session whose working directory counts; absent: `default`. */
  session?: string;
  /** Names of the dialects to look for; absent: all that are enabled. */
  dialects?: string[];
  /** The lowest rung of the ladder of matching that an edit may use; absent: as configured, else each dialect's own default. Not with `planId`: a plan is applied as it was made. */
  match?: MatchLevel;
  /** True to apply all of the answer or nothing, decided when it is planned. */
  atomic?: boolean;
  /** The id of an operation, or `last` for the project's last one: retries its parts that did not succeed. Instead of `text` and `planId`. */
  resume?: string;
  /** What to do with changes that the answer shows without a dialect, except those that `accept` or `decline` names; absent: `refuse`. Not with `planId` and `accept`. */
  plain?: PlainMode;
  /** The file that all code without a file name is for, absolute or relative to the root. Not with `planId`. */
  to?: string;
  /** True to plan only and change nothing; the result carries `dryRun`. */
  dryRun?: boolean;
  /** Of a plan: the ids of the actions, hunks, groups of hunks, proposals and hunks of proposals that are wanted; absent: all actions and no proposal. With a group among them, each group has to be wanted as a whole or not at all, and exactly its lines are changed. */
  accept?: string[];
  /** The destination of a plan's changes. */
  deliver?: Deliver;
  /** With `deliver: "mixed"`: the documents that an editor holds, as `file` URIs of files beneath the allowed roots. Their changes are returned; one that the plan does not touch does no harm. */
  edits?: string[];
  /** Those of `edits` that the client saves when it has applied their edits. They belong to the operation: if its result has `open`, the client has to call `execute.saved`. Absent: what the client saves is not recorded. Only a user may give it. */
  saves?: string[];
  /** With `saves`: the process of the editor. If it ends before `execute.saved`, the daemon ends the operation with what is on disk. Only a user may give it. */
  owner?: number;
  /** The unit of the positions in `edits` of the result. */
  units?: Units;
  /** The line ends that positions in `edits` of the result are counted by. */
  lines?: LineEnds;
  /** The user's approvals: `"listed"`, `"all"` or a list of approval ids. */
  approve?: Approve;
  /** The ids of approvals, proposals and hunks of proposals that the user has declined: they are reported as declined by the user, and `approvals` of the result does not ask for them again. Only a user may give it. */
  decline?: string[];
  /** Milliseconds for the whole request. */
  totalTimeoutMs?: number;
  /** True to apply the whole answer, also parts that were applied before and still hold. Only a user may give it. */
  again?: boolean;
  /** The destination of commits; absent: as configured. Only a user may give it. */
  git?: GitWhere;
  /** The author of commits: a name, or `Name <address>`; absent: as configured. Only a user may give it. */
  gitAuthor?: string;
  /** Absolute path of a file that is locked while the operation runs, for scripts that share a project with others. It is created if it is missing. */
  lockFile?: string;
  /** The milliseconds to wait for that lock; absent: 10000. */
  lockTimeoutMs?: number;
  /** True to change files although the journal cannot record it, so that nothing of it can be undone. Only a user may give it. */
  noUndo?: boolean;
  /** True if the answer is meant as it is written: guards against texts that say less than they replace only report their findings (spec: answers, section 2). Only a user may give it. */
  literal?: boolean;
  /** True to accept paths outside the allowed roots for this one call. Only a user may give it. */
  allowEscape?: boolean;
  /** True to let it read and change files held back as secrets. Only a user may give it. */
  includeSecrets?: boolean;
  /** The caller's umask, which new files get; absent: the daemon's own. An agent's only takes more rights away. */
  umask?: number;
  /** The caller's environment, of which commands get what the configuration hands on; absent: they get none of it. */
  env?: Record<string, string>;
  /** Milliseconds for each command; absent: `limits.command_time`, by default 30000. */
  timeoutMs?: number;
  /** Bytes that are kept of the output of each command; absent: `limits.command_output`, by default 10485760. */
  maxOutput?: number;
  /** What to return of the changes, besides what each action did; absent: what `apply.show` says. */
  show?: ShowChanges;
  /** True for notifications `execute.event` with the output of commands while they run. */
  stream?: boolean;
  /** The reports to return with the result, as the client prints them. */
  reports?: ReportFormat[];
  /** True for `outcome` in the result. */
  review?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `execute.saved`. */
export interface ExecuteSavedParams {
  /** Absolute path of the project. */
  root: string;
  /** The id of the operation. */
  operation: string;
  /** The documents that the editor saved, as `file` URIs. What their files hold now belongs to the operation, with what a formatter did to them. */
  saved?: string[];
  /** The documents that have their edits and are not saved, as `file` URIs. They are named in the history; undo leaves them to the editor. */
  unsaved?: string[];
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `approve.list`. */
export interface ApproveListParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `approve.add`. */
export interface ApproveAddParams {
  /** Absolute path of the project. */
  root: string;
  /** The command, exactly as an answer would write it. */
  command: string;
  /** The folder that it runs in, from the root; absent: the root. */
  dir?: string;
  /** True if it may reach a network, also in a sandbox. */
  network?: boolean;
  /** The file of the program that the user was asked about; absent: the one that the command means now. */
  program?: string;
  /** The caller's environment, as for `execute`: it decides which program the command means. */
  env?: Record<string, string>;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `approve.remove`. */
export interface ApproveRemoveParams {
  /** Absolute path of the project. */
  root: string;
  /** The command. */
  command: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `approval.list`. */
export interface ApprovalListParams {
  /** Absolute path of the project; absent: every project. */
  root?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `approval.answer`. */
export interface ApprovalAnswerParams {
  /** The id in `approval.list` and in the event. */
  id: string;
  /** The decision. */
  decision: ApprovalDecision;
}

/** Parameters of `trust.show`. */
export interface TrustShowParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `trust.add`. */
export interface TrustAddParams {
  /** Absolute path of the project. */
  root: string;
  /** The hash of the file that was shown: another one is not trusted. */
  hash: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `trust.remove`. */
export interface TrustRemoveParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `history.list`. */
export interface HistoryListParams {
  /** Absolute path of the project. */
  root: string;
  /** The most operations to return; absent: 20. */
  limit?: number;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `history.show`. */
export interface HistoryShowParams {
  /** Absolute path of the project. */
  root: string;
  /** The id of an operation, the beginning of one (at least 3 characters, of no other one), or `last`. */
  operation: string;
  /** True to return also the changes in the files. */
  diff?: boolean;
  /** True to return all parameters of its actions, as far as they are on record, not their paths alone. */
  parameters?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `history.adopt`. */
export interface HistoryAdoptParams {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path at which the project was before; its folder is not there any more. */
  from: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `history.forget`. */
export interface HistoryForgetParams {
  /** Absolute path of the project, whose folder need not be there any more. */
  root?: string;
  /** True for all projects, in place of `root`. */
  all?: boolean;
  /** True to delete it. Without it, nothing is deleted, and the result says what would be. */
  confirm?: boolean;
}

/** Parameters of `undo`, `redo`. */
export interface UndoParams {
  /** Absolute path of the project. */
  root: string;
  /** The operation to undo (of `redo`: the undo), by its id or the beginning of it (at least 3 characters, of no other one); absent: the last one that is not undone. */
  operation?: string;
  /** True to merge text that was changed since instead of refusing. */
  merge?: boolean;
  /** True to overwrite what was changed since. */
  force?: boolean;
  /** Undoes only what was changed at these paths and beneath them: from the root, or absolute. The rest of the operation can still be undone. */
  only?: string[];
  /** Leaves what was changed at these paths and beneath them. */
  except?: string[];
  /** The documents that an editor holds and that are not saved, as `file` URIs: nothing is undone if one of their files would change. */
  unsaved?: string[];
  /** True to change nothing and only report what would change; the result carries `dryRun`. */
  dryRun?: boolean;
  /** The destination of commits; absent: as configured. */
  git?: GitWhere;
  /** The reports to return with the result, as the client prints them: `text` alone. */
  reports?: ReportFormat[];
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `text.merge`. */
export interface TextMergeParams {
  /** The texts, each with its change. */
  texts: ChangedText[];
}

/** Parameters of `checkpoint.begin`. */
export interface CheckpointBeginParams {
  /** Absolute path of the project. */
  root: string;
  /** A name for people: the summary of the operation begins with it. */
  name?: string;
  /** The session that it belongs to; absent: the client. An open checkpoint of the same session ends first. */
  session?: string;
  /** Milliseconds after which it is dropped if nobody ended it; absent: 24 hours. */
  ttlMs?: number;
  /** Processes of the user: when all of them are gone, the checkpoint ends by itself. */
  owners?: number[];
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `checkpoint.end`. */
export interface CheckpointEndParams {
  /** Absolute path of the project. */
  root: string;
  /** The checkpoint; absent: the open one of the session. */
  checkpoint?: string;
  /** The session, without `checkpoint`; absent: the client. */
  session?: string;
  /** True to go on from here under the same id: what changes from now on is another operation. */
  keep?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `checkpoint.list`. */
export interface CheckpointListParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `checkpoint.drop`. */
export interface CheckpointDropParams {
  /** Absolute path of the project. */
  root: string;
  /** The checkpoint, by its id or the beginning of it (at least 3 characters, of no other one). */
  checkpoint: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `embed`. */
export interface EmbedParams {
  /** Absolute path of the project. */
  root: string;
  /** Files and folders, absolute or relative to the root. An agent's paths lie in an allowed root; a user's may lie anywhere. `path:10-42` is lines 10 to 42 of a file, and `path:10` is one line, unless a file has that name. */
  paths?: string[];
  /** Texts that stand in for files: an editor's unsaved buffers. One of a file that is not there counts if that file is named. */
  overlays?: Overlay[];
  /** Levels of folders below a given one; 0: only the files in it. Absent: all. */
  recurseDepth?: number;
  /** Globs: of the files in folders, only those that match one are taken. */
  include?: string[];
  /** Globs: a path in a folder that matches one is left out. */
  exclude?: string[];
  /** True to take hidden files and folders too. */
  hidden?: boolean;
  /** The reaction to something that cannot be embedded; absent: as configured. */
  errorMode?: EmbedErrorMode;
  /** In the flexible mode: true if the user has seen the errors and goes on. */
  approved?: boolean;
  /** The format of the document. */
  format?: EmbedFormat;
  /** The length of the document's description of itself before its files. */
  preamble?: EmbedPreamble;
  /** True to begin every line with its number. */
  lineNumbers?: boolean;
  /** True to count tokens. */
  tokens?: boolean;
  /** The most tokens that the document may have; less important files are left out. */
  maxTokens?: number;
  /** True for a document without contents, only the tree of what it would hold. */
  treeOnly?: boolean;
  /** True to append the difference between the last commit and the working tree. */
  diff?: boolean;
  /** True to embed also the project's files that have changed since the session's last document with `changed`, as if found in the root; the first time all. With a budget they come before unchanged files. */
  changed?: boolean;
  /** The clock of an earlier result or of `project.changes`, to embed the files changed since then as `changed` does. The session does not count. */
  since?: string;
  /** True to embed the context of the session too. */
  sessionContext?: boolean;
  /** The session; absent: `default`. */
  session?: string;
  /** Larger files are left out, in kB of 1024 bytes; absent: as configured. */
  maxFileSizeKb?: number;
  /** Files of one folder at most; absent: as configured. */
  maxFilesPerDirectory?: number;
  /** A file, absolute or relative to the root, that gets the document. Only a user may give it. */
  output?: string;
  /** Device and inode of the file that the caller writes the document to: it is left out, as `output` is. */
  sink?: [number, number];
  /** The caller's umask, which a new `output` file gets; absent: the daemon's own. */
  umask?: number;
  /** A text that comes before the document, with a blank line between them. */
  prompt?: string;
  /** True to send the document in notifications before the result. */
  stream?: boolean;
  /** True to embed files held back as secrets. Only a user may give it. */
  includeSecrets?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `git.squash`. */
export interface GitSquashParams {
  /** Absolute path of the project. */
  root: string;
  /** The commits that it takes. */
  mode: SquashMode;
  /** The commit's message; absent: the subjects of the commits that it is made of. */
  message?: string;
  /** With `hours`: the number of hours, from 1 on. */
  hours?: number;
  /** With `days`: the number of days, from 1 on. */
  days?: number;
  /** With `msg_contains`: the text that the messages hold. */
  msgTarget?: string;
  /** True to take also commits that were pushed. */
  force?: boolean;
  /** With `hours` and `days`: true to take also commits that clada did not make. */
  mineToo?: boolean;
  /** True to change nothing and only return the commits that would become one. */
  dryRun?: boolean;
  /** The last commit that the caller knows of: with another one nothing is done. */
  tip?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `git.step_back`, `git.step_forward`. */
export interface GitStepParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `stage`. */
export interface StageParams {
  /** Absolute path of the project. */
  root: string;
  /** True to stage every file, whatever was staged before. */
  all?: boolean;
  /** True to return the folder that was staged last and stage nothing. Goes with `root` and `for` alone. */
  last?: boolean;
  /** True to forget what is known of files that are gone. */
  flush?: boolean;
  /** True to check every file, also where no change event came. */
  verify?: boolean;
  /** True to only report what would be staged. */
  dryRun?: boolean;
  /** The name of the receiver: each has a baseline of its own. At most 100 bytes. */
  for?: string;
  /** The format of the manifest; absent: as `stage.manifest` has it. */
  manifest?: StageManifest;
  /** True if `stage.confirm` follows. Until then the baseline stays, and the folder before this one, too; this one stays for two minutes, whatever others stage meanwhile. Without it, the answer counts as received. */
  confirm?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `stage.confirm`. */
export interface StageConfirmParams {
  /** Absolute path of the project. */
  root: string;
  /** The folder, from the result of `stage`. */
  stagingDir: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `stage.write_back`. */
export interface StageWriteBackParams {
  /** Absolute path of the project. */
  root: string;
  /** Absolute paths of copies with flat names, and of folders of such. */
  paths: string[];
  /** True to change nothing and only report what would change; the result carries `dryRun`. */
  dryRun?: boolean;
  /** The receiver that the copies were staged for, where that does not show; empty: no named receiver. Absent: it is a conflict if several receivers have different contents. */
  for?: string;
  /** True to overwrite also what was changed in the project since it was staged. */
  force?: boolean;
  /** The user's approvals; as for `execute`. */
  approve?: Approve;
  /** The destination of commits; absent: as configured. */
  git?: GitWhere;
  /** The author of commits; absent: as configured. */
  gitAuthor?: string;
  /** The umask of the client, for new files. */
  umask?: number;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `project.init`. */
export interface ProjectInitParams {
  /** Absolute path of the project. */
  root: string;
  /** The umask of the client. */
  umask?: number;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `project.watch`, `project.unwatch`. */
export interface ProjectParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `project.list`. */
export type ProjectListParams = Record<string, never>;

/** Parameters of `project.root`. */
export interface ProjectRootParams {
  /** Absolute path of a file or folder, which need not exist. */
  path: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `project.changes`. */
export interface ProjectChangesParams {
  /** Absolute path of the project. */
  root: string;
  /** The clock of an earlier answer; absent: every file. */
  since?: string;
  /** True to check every file, for changes that raise no change event. */
  verify?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `subscribe`. */
export interface SubscribeParams {
  /** Absolute path of the project. */
  root: string;
  /** The kinds of events to send; absent: every kind of this version. */
  kinds?: ProjectEventKind[];
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `unsubscribe`. */
export interface UnsubscribeParams {
  /** The result of `subscribe`, on the same connection. */
  subscription: string;
}

/** Parameters of `session.open`. */
export interface SessionOpenParams {
  /** Absolute path of the project. */
  root: string;
  /** A name for it; an open session of that name is returned as it is. Absent: a new one with a new name. */
  session?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `session.get`. */
export interface SessionGetParams {
  /** Absolute path of the project. */
  root: string;
  /** Its name; absent: `default`, which every project has. */
  session?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `session.set_cwd`. */
export interface SessionSetCwdParams {
  /** Absolute path of the project. */
  root: string;
  /** An existing folder within the project, absolute or relative to its root. */
  cwd: string;
  /** Its name; absent: `default`. */
  session?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `session.close`. */
export interface SessionCloseParams {
  /** Absolute path of the project. */
  root: string;
  /** Its name; closing `default` resets it. */
  session: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `session.list`. */
export interface SessionListParams {
  /** Absolute path of the project. */
  root: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `context.add`, `context.remove`. */
export interface ContextChangeParams {
  /** Absolute path of the project. */
  root: string;
  /** Files and folders of the project, absolute or relative to its root. */
  paths: string[];
  /** The session; absent: `default`. */
  session?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `context.list`, `context.prune`, `context.clear`. */
export interface ContextParams {
  /** Absolute path of the project. */
  root: string;
  /** The session; absent: `default`. */
  session?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `instructions`. */
export interface InstructionsParams {
  /** The dialect; absent: `sham`. */
  dialect?: string;
  /** Absolute path of the project, which the text then names. */
  root?: string;
  /** The reader of the text. */
  for?: Audience;
  /** True to name all actions, not only the usual ones, in a dialect that names actions (`sham`). */
  allActions?: boolean;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `config.show`. */
export interface ConfigShowParams {
  /** Absolute path of the project whose layer counts too. */
  root?: string;
  /** True to return also a configuration file with every key, its meaning and its default. */
  defaults?: boolean;
  /** The one setting to return, `section.key`; without it, all. */
  key?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `config.set`. */
export interface ConfigSetParams {
  /** `section.key`. */
  key: string;
  /** The value as text; lists and maps as YAML in brackets, a list of one may be written plainly. */
  value: string;
  /** Absolute path of the project whose file is meant; without it, the user's own file. */
  root?: string;
  /** The umask for a new file; without it, the daemon's own. */
  umask?: number;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `config.unset`. */
export interface ConfigUnsetParams {
  /** `section.key`. */
  key: string;
  /** Absolute path of the project whose file is meant; without it, the user's own file. */
  root?: string;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** Parameters of `config.init`. */
export interface ConfigInitParams {
  /** Absolute path of the project whose file is meant; without it, the user's own file. */
  root?: string;
  /** The umask for a new file; without it, the daemon's own. */
  umask?: number;
  /** Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value. */
  settings?: Record<string, unknown>;
}

/** The data of an action: which of these it is depends on `action`, and on `kind`. */
export type ActionData = Written | Appended | Replaced | ReplacedInFiles | ReplacedLines | Patched | Moved | AtPath | Folder | ReadFile | ReadFiles | ListedEntry[] | FoundLine[] | string[] | CommandData | ContextChanged | ContextEntry[] | ContextRemoved | AppliedBefore;

/** The place of an action in the answer. */
export interface ActionMetadata {
  /** The block's id, if its dialect has ids. */
  blockId: string | null;
  /** 1-based line at which its block opens. */
  startLine: number;
  /** 1-based line at which its block ends. */
  endLine: number | null;
  /** The dialect's name. */
  dialect: string;
}

/** The result of one action. */
export interface ActionResult {
  /** 1-based, in order of execution. */
  seq: number;
  /** `"N"` or `"N.M"`: the number in `[task-N]`. */
  task: string;
  /** The block that holds it: its place in `blocks`, counted from 0. */
  block: number;
  /** The block's id, if its dialect has ids. */
  blockId: string | null;
  /** Canonical name of the action. */
  action: string;
  /** Its parameters. Texts over 1 kB are cut, which `truncated` says. */
  params: Parameters;
  /** The status at its end. */
  status: ActionStatus;
  /** True if `status` is SUCCESS. */
  success: boolean;
  /** On failure: its kind. */
  kind?: ErrorKind;
  /** On failure: `{operation}: {issue} '{path}' ({CODE})`. */
  error?: string;
  /** On failure: the next step, or the current content of the file. */
  hint?: string;
  /** The end of `hint` that only a user can follow: a flag, or a change of their configuration. */
  personHint?: string;
  /** On failure: the place that it or its hint names, if that is in a file. */
  place?: FailurePlace;
  /** The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines: `indentation`, `already_applied`, `text_damage`, `blank_lines`, `elision`, `context`. */
  matchedBy?: string;
  /** On a failed exact match: the rung that would match at exactly one place. */
  wouldMatch?: string;
  /** The line, as it became, of which an exact match was only a part. */
  withinLine?: WithinLine;
  /** Present if only some hunks of the change were accepted. */
  hunks?: HunkCount;
  /** The number of edits that the user made to its change before it was applied: the file has the user's lines there. */
  edited?: number;
  /** True if the file already held this; nothing was written. */
  unchanged?: boolean;
  /** True if the user declined it; of an action that changes several lines, all of them. */
  declined?: boolean;
  /** What the action yields (spec: actions); of a failure, what there is of it. */
  data?: ActionData;
  /** True if something of `data` or `params` was cut. */
  truncated?: boolean;
  /** Milliseconds that it took. */
  durationMs: number;
}

/** The end of an action. */
export type ActionStatus =
  /** Done, or nothing to do. */
  | "SUCCESS"
  /** Not done; its files are untouched. */
  | "ERROR"
  /** Not attempted. */
  | "SKIP"
  /** Not attempted because the answer as a whole cannot run. */
  | "FATAL";

/** The data of `file_append`. */
export interface Appended {
  /** The file, as it was named. */
  path: string;
  /** The bytes that were added. */
  bytesWritten: number;
  /** The end that the last line got, if it had none. */
  finalNewline?: FinalNewline;
}

/** The operation that applied an action before. */
export interface AppliedBefore {
  /** Its id. */
  operationId: string;
  /** The time, as RFC 3339 has it, with milliseconds. */
  appliedAt: string;
}

/** Something that the user has to approve. Its id binds exactly this change: an approval given for it is of no use for another. */
export interface Approval {
  /** The id to give to `execute` as `approve`. An agent gets none. */
  id?: string;
  /** The subject of an approval. */
  kind: ApprovalKind;
  /** The task it belongs to. */
  task?: string;
  /** The file or folder; of a command, the folder that it runs in. */
  path: string;
  /** The command as it is written; of code its language. */
  command?: string;
  /** Of code: the whole of it. */
  code?: string;
  /** The folder that it would run in, absolute. */
  dir?: string;
  /** The file of the program that would run. */
  program?: string;
  /** True if it reaches a network. */
  network?: boolean;
  /** The id that approves it with a network, this once; absent if it has one anyway. An agent is not told it. */
  withNetwork?: string;
  /** Milliseconds that it may take. */
  timeoutMs?: number;
  /** The sandbox that it would run in: `bubblewrap`, `landlock`, `sandbox-exec` or `none`. */
  sandbox?: string;
  /** The files that could not be restored if it changed them; absent if unknown. */
  notUndoable?: NotUndoable;
  /** Files of the project that have further names elsewhere: the command would change those too by writing to them. */
  linkedOutside?: LinkedOutside;
  /** `counted` where the kernel keeps no bound on its processes: the daemon counts them now and then, and ends them if there are too many. Absent where the kernel keeps one. */
  processes?: string;
  /** The reason why approval is needed. */
  reason: string;
  /** Of a file: the change, as a git-style unified diff in which hidden characters are written out (`\u{200b}`). Meant to be read, not to be applied. A line that begins with a bracket says what is not shown. */
  change?: string;
  /** In a plan for a person: all but `change` in words to be shown as they are, several lines: no markup, visible characters only. */
  text?: string;
  /** True if the text holds control, bidi or invisible characters; read it with those made visible. */
  suspicious?: boolean;
}

/** Result of `approval.answer`. */
export interface ApprovalAnswerResult {
  /** True if the decision was taken; false if `once` turned out at once to be of no use, and `message` says why. */
  answered: boolean;
  /** The id under which it is asked about again, if it turned out at once that the plan is another one by now. Nothing was done then. */
  askedAgain?: string;
  /** The reason why nothing was done of what `once` approved, and it is not asked about again either. For a user. */
  message?: string;
}

/** A person's decision about an answer that waits. */
export type ApprovalDecision =
  /** All that needs approval is approved, for this one call as it was shown. */
  | "once"
  /** Nothing is: the rest of the answer is applied. */
  | "no";

/** The subject of an approval. */
export type ApprovalKind =
  /** A change to a file that runs by itself. */
  | "file"
  /** A command, or code. */
  | "command"
  /** Working in a folder that is never a project by itself (`/`, the home folder). */
  | "root";

/** Result of `approval.list`. */
export interface ApprovalListResult {
  /** The answers that wait, the one that has waited longest first. At most 8, one a project. */
  approvals: WaitingApproval[];
  /** The last operations of agents that left out what nobody had approved, the latest first. At most 8 a project; forgotten when the daemon ends or the project is let go. */
  leftOut?: LeftOut[];
  /** The number of entries that are missing in `leftOut`: those before the last 8 of a project, and what would be too much for one answer. */
  notListed?: number;
}

/** The user's approvals. */
export type Approve =
  /** Only what is on the lists of approved things: the default. */
  | "listed"
  /** Everything in this call. */
  | "all"
  /** These approvals, by id. */
  | string[];

/** Result of `approve.*`: the commands after it. */
export interface ApproveResult {
  /** The commands, sorted. */
  commands: ApprovedCommand[];
  /** The reason why the project's file could not be read: then none of them runs unasked. */
  problem?: string;
}

/** A command that is approved, or proposed. */
export interface ApprovedCommand {
  /** The command. */
  command: string;
  /** The folder that it runs in, absolute; absent if the project only proposes it. */
  dir?: string;
  /** The file of the program that it is approved for, absolute. Absent for an approval from before the file was recorded: then the user is asked once more. */
  program?: string;
  /** True if it may reach a network. */
  network: boolean;
  /** True if the user has approved it. */
  approved: boolean;
  /** True if `.clada/allowed-commands.json` lists it. It runs unasked only if it is approved and listed. */
  listed: boolean;
}

/** The data of an action that yields no more than its path. */
export interface AtPath {
  /** The path, as it was named. */
  path: string;
}

/** A reason to show a proposal before others. */
export type Attention =
  /** A file is deleted. */
  | "deletion"
  /** A file moves. */
  | "move"
  /** More than half of the file's lines go. */
  | "shrinks"
  /** Only a part of the file is shown. */
  | "part"
  /** Names, indentation or words give the place, and not lines of the file. */
  | "inferred"
  /** The path is guessed: the answer names no file. */
  | "guessed"
  /** The path is another one than the answer names. */
  | "remapped"
  /** A file or folder whose name begins with a dot. */
  | "dotfile"
  /** The file runs by itself, or configures what runs. */
  | "runs"
  /** It is one of several versions, files or folders. */
  | "choice"
  /** The answer has it done only under a condition, or later. */
  | "conditional";

/** The reader of the instructions. */
export type Audience =
  /** A chat window: the user pastes them in. */
  | "chat"
  /** A system prompt. */
  | "system"
  /** A model that hands its edits to a tool, as `text`. */
  | "tool";

/** A block of the answer. */
export interface BlockInfo {
  /** The dialect's name. */
  dialect: string;
  /** Its id, if the dialect has ids. */
  id: string | null;
  /** 1-based line at which it opens. */
  startLine: number;
  /** 1-based line at which it ends; absent if its end is missing. */
  endLine: number | null;
  /** The effect of a failure inside it on the rest of it. */
  policy: string;
  /** The number of actions that it holds. */
  actions: number;
  /** True if nothing is wrong with it. */
  valid: boolean;
}

/** The caller of a method. */
export type CallerKind =
  /** A program that speaks for a model. */
  | "agent"
  /** A process of the same user that holds the socket. */
  | "person";

/** The change done to a path. */
export type ChangeKind =
  /** A file or link was created. */
  | "created"
  /** A file's content or mode, or a link's target, is another one. */
  | "changed"
  /** A file or link was deleted. */
  | "deleted"
  /** A file or link was moved here. */
  | "moved"
  /** A folder was created. */
  | "folderCreated"
  /** A folder was deleted. */
  | "folderDeleted";

/** A file that an operation changed: from before it to after it. */
export interface ChangedFile {
  /** The path, relative to the root; absolute outside of it. */
  path: string;
  /** Of a file that was moved: the path that it had. */
  oldPath?: string;
  /** `created`, `changed`, `deleted` or `moved`. */
  kind: ChangeKind;
  /** The lines that came. Absent, as `removed`: of a secret, of what is no text, and of what is too large to be compared. */
  added?: number;
  /** The lines that went. */
  removed?: number;
}

/** A text that was changed twice. */
export interface ChangedText {
  /** The text before the change that is undone. */
  before: string;
  /** The text after it. */
  after: string;
  /** The text now. */
  now: string;
}

/** One finding. */
export interface Check {
  /** What was looked at, in a word. Several findings may be about one thing. */
  name: string;
  /** Its weight. */
  level: CheckLevel;
  /** What was found. */
  text: string;
  /** The one thing to do about it. */
  advice?: string;
}

/** The weight of a finding. */
export type CheckLevel =
  /** All well. */
  | "ok"
  /** Something that is good to know; clada works. */
  | "note"
  /** Something does not work. */
  | "fault";

/** Result of `checkpoint.begin`. */
export interface CheckpointBeginResult {
  /** The id of the checkpoint. */
  checkpoint: string;
  /** The first of the files, from the root, whose content is not kept: an undo cannot restore them. */
  notKept?: string[];
  /** The number of such files. */
  notKeptCount?: number;
  /** The result of the checkpoint of the same session that this one ended. */
  ended?: ExecutionResult;
  /** The warnings for the user. */
  warnings?: string[];
}

/** Result of `checkpoint.drop`. */
export interface CheckpointDropResult {
  /** The id of the checkpoint that was dropped. */
  checkpoint: string;
}

/** An open checkpoint. */
export interface CheckpointInfo {
  /** Its id. */
  checkpoint: string;
  /** Its name. */
  name?: string;
  /** Its session. */
  session?: string;
  /** The time when it began: milliseconds since 1970. */
  beganMs: number;
  /** Milliseconds after which it is dropped. */
  ttlMs: number;
  /** True if an agent began it. */
  byAgent?: boolean;
  /** The position of HEAD when it began, in a git repository. */
  head?: HeadNote;
  /** The number of files whose content is not kept. */
  notKeptCount?: number;
}

/** Result of `checkpoint.list`. */
export interface CheckpointListResult {
  /** The open checkpoints, oldest first. */
  checkpoints: CheckpointInfo[];
  /** The warnings for the user. */
  warnings?: string[];
  /** For each id in this result, the shortest beginning of it, at least 3 characters, that names it in this project today. */
  shortIds?: Record<string, string>;
}

/** The data of a command: `run` and `exec`. */
export interface CommandData {
  /** The text that it wrote to its standard output. */
  stdout: string;
  /** The text that it wrote to its standard error. */
  stderr: string;
  /** Its exit status; of one that a signal ended 128 and the signal. `null` if it has none. */
  exit_code: number | null;
  /** The sandbox that its program ran in; absent if there was no program. */
  sandbox?: string;
  /** Of a command that changes what it names: those paths. */
  paths?: string[];
  /** True if `stdout` or `stderr` was cut. */
  truncated?: boolean;
  /** Of a program whose `stdout` was cut: the bytes that it wrote there. */
  stdoutBytes?: number;
  /** Of a program whose `stderr` was cut: the bytes that it wrote there. */
  stderrBytes?: number;
  /** True if it wrote what is no UTF-8; the texts have U+FFFD there. */
  lossy?: boolean;
  /** The first of the files that it changed and by which other programs run something. */
  touched?: string[];
  /** The number of them. */
  touched_count?: number;
  /** True if not all such files could be looked at. */
  touched_incomplete?: boolean;
  /** The reason in a sentence why it could not have sockets with names, if so. */
  no_sockets?: string;
  /** The processes that it left behind, which were ended; absent if there were none. */
  left?: number;
  /** The paths that it may have changed and that no undo restores; absent if there are none. */
  not_undoable?: NotUndoable;
  /** The repositories that it made; absent if there are none. */
  repositories?: NewRepositories;
}

/** A commit, as lists show it. */
export interface CommitInfo {
  /** Its id. */
  commit: string;
  /** The first line of its message. */
  subject: string;
  /** True if clada made it. */
  ours?: boolean;
}

/** Result of `config.init`. */
export interface ConfigInitResult {
  /** Path of the file. */
  path: string;
  /** True if it was written; false if it was there, and stays as it is. */
  created: boolean;
}

/** Result of `config.set` and `config.unset`. */
export interface ConfigSetResult {
  /** Path of the file that was meant. */
  path: string;
  /** True if the file was written; false if it was so already. */
  changed: boolean;
  /** The setting as it is in force: of another origin if something stronger sets it, too. */
  setting: Setting;
  /** Faults of files, and the settings that are in force instead. */
  warnings: string[];
}

/** Result of `config.show`. */
export interface ConfigShowResult {
  /** All settings, sorted by key. */
  settings: Setting[];
  /** Faults of files, and the settings that are in force instead. */
  warnings: string[];
  /** True if a file, a variable or a flag cannot be used as it is; `warnings` say why. */
  broken?: boolean;
  /** Path of the user's file, whether it is there or not; absent if no home folder is known. */
  userFile?: string;
  /** Path of the project's file, whether it is there or not; absent without a project. */
  projectFile?: string;
  /** With `defaults: true`, a configuration file as YAML; used as it is, it changes nothing. */
  defaults?: string;
}

/** The data of `context_add` and `context_remove`. */
export interface ContextChanged {
  /** The path, as it was named. */
  path: string;
  /** The number of paths in the context. */
  size: number;
}

/** A file or folder in a session's context. */
export interface ContextEntry {
  /** The path, absolute. */
  path: string;
  /** The size of a file in bytes; absent for a folder and for a missing path. */
  size?: number;
}

/** The data of `context_prune` and `context_clear`. */
export interface ContextRemoved {
  /** The paths that were removed. */
  removed: string[];
}

/** Result of the methods of `context`. */
export interface ContextResult {
  /** The session. */
  session: string;
  /** The entries of its context now, in the order of paths. */
  context: ContextEntry[];
  /** The paths that were added, absolute. */
  added?: string[];
  /** The paths that were removed, absolute. */
  removed?: string[];
}

/** The destination of a plan's changes. */
export type Deliver =
  /** Written to the files. */
  | "disk"
  /** Returned as a workspace edit for an editor; nothing is written. */
  | "edits"
  /** Of the documents that `edits` names returned as a workspace edit, of all others written to the files. */
  | "mixed";

/** Result of `doctor`: what the daemon knows. `clada doctor` adds what the client sees. */
export interface DoctorResult {
  /** The findings, in the order in which they are shown. */
  checks: Check[];
}

/** One change of a `WorkspaceEdit`. */
export type DocumentChange =
  /** Edits of a document's text, one entry a document: ranges are of the text before, ascending, and do not overlap. The text of a document that is created is one edit, whole, with its byte order mark. */
  | {
    /** The document. */
    textDocument: TextDocument;
    /** Its edits. */
    edits: TextEdit[];
  }
  /** A file is renamed. */
  | {
    /** Always `rename`. */
    kind: ResourceKind;
    /** The old path. */
    oldUri: string;
    /** The new path. */
    newUri: string;
    /** The rule for an existing target. */
    options?: ResourceOptions;
  }
  /** A file or folder is created or deleted. */
  | {
    /** `create` or `delete`. */
    kind: ResourceKind;
    /** The URI of the file or folder. */
    uri: string;
    /** The rule for an existing target. */
    options?: ResourceOptions;
  };

/** The changes that a dry run would have made. */
export interface DryRun {
  /** A git-style unified diff of all files, against what they hold now. */
  diff: string;
}

/** The lines that an edit changed. */
export interface EditedLines {
  /** Lines that came. */
  added: number;
  /** Lines that went. */
  removed: number;
}

/** A place of a plan that the user edited, as the plan showed it. */
export interface EditedPlace {
  /** The id of the action or hunk that changes it: the only one of `parts` of a hunk of `files`, one of `hunks` of an action, or a proposal. */
  part: string;
  /** The 0-based line at which it begins. */
  start: number;
  /** The lines that go, with their line ends. */
  removed: string[];
  /** The lines that the answer puts there, with their line ends. */
  added: string[];
  /** The lines that the user puts there, with their line ends. */
  lines?: string[];
  /** The same as one text, in the place of `lines`: its lines end as those that they replace. */
  text?: string | null;
}

/** The reaction to something that cannot be embedded. */
export type EmbedErrorMode =
  /** There is no document. */
  | "strict"
  /** There is a document once the request says `approved`. */
  | "flexible"
  /** There is a document without it. */
  | "ignore";

/** The content of `embed.event`. */
export interface EmbedEvent {
  /** The id of the request. */
  request?: Id;
  /** The number of the event, from 0 on. */
  seq: number;
  /** The kind of the event. */
  kind: EmbedEventKind;
  /** Of `progress`: the number of files read so far. */
  done?: number;
  /** Of `progress`: the number of files in all. */
  total?: number;
  /** Of `text`: the next piece of the document. */
  text?: string;
}

/** The kind of an event of an `embed`. */
export type EmbedEventKind =
  /** More files have been read. */
  | "progress"
  /** There is more of the document. */
  | "text";

/** The format of a document. */
export type EmbedFormat =
  /** CommonMark, for people and models. */
  | "markdown"
  /** XML 1.0. */
  | "xml"
  /** One JSON object. */
  | "json";

/** Something that is wrong, or odd. */
export interface EmbedIssue {
  /** The path that it is about. */
  path: string;
  /** Of an error: its kind. */
  kind?: ErrorKind;
  /** A name for all paths with such an issue, to count them: `binary files`. Empty if there is none. */
  reason?: string;
  /** In words, with the path. */
  message: string;
}

/** A limit or choice that a document was made with, for people to read. */
export interface EmbedNote {
  /** Its name, such as `Maximum file size`. */
  name: string;
  /** Its value, such as `1024 KB`. */
  value: string;
}

/** The length of a document's description of itself before its files. */
export type EmbedPreamble =
  /** The text that a model needs to read the headings, in at most 120 tokens, and the tree of two files or more. */
  | "brief"
  /** Purpose, format, guidelines and limits, as in the reference, and the tree. */
  | "full";

/** Result of `embed`. */
export interface EmbedResult {
  /** The document, if it is neither withheld, nor streamed, nor written to `output`. */
  document?: string;
  /** The files in it, in its order. */
  files: EmbeddedFile[];
  /** The paths that were found and are not in it, in the order of paths. */
  omitted: OmittedPath[];
  /** The limits and choices behind the document, in the order of a full preamble; empty if it is withheld. */
  notes?: EmbedNote[];
  /** The failures to embed something. */
  errors: EmbedIssue[];
  /** The warnings for the user. */
  warnings: EmbedIssue[];
  /** True if there are errors, and the document is withheld until the request says `approved`. */
  needsApproval?: boolean;
  /** The document's size in bytes, the prompt's included; 0 if it is withheld. */
  bytes: number;
  /** With `tokens` or `maxTokens`: the document's tokens, without the prompt's. */
  tokens?: number;
  /** The file that got the document, absolute. */
  output?: string;
  /** With `changed` or `since`: the clock up to which changes are in the document. */
  clock?: string;
}

/** A file that is in the document. */
export interface EmbeddedFile {
  /** Relative to the root; absolute outside of it. */
  path: string;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
  /** Bytes of the file; of lines of it, their bytes in UTF-8. */
  size: number;
  /** Tokens of its content, if they are counted. */
  tokens?: number;
}

/** The kind of a failure. A kind keeps its name and its code; later versions add some. */
export type ErrorKind =
  /** The frame is not JSON. */
  | "parse_error"
  /** The JSON is not a request. */
  | "invalid_request"
  /** No such method, or not for this caller. */
  | "method_not_found"
  /** Parameters are missing, unknown or of the wrong type. */
  | "invalid_params"
  /** A fault of the daemon; its id is in the log. */
  | "internal"
  /** The request was cancelled. */
  | "cancelled"
  /** The folder given as root does not exist or is not a folder. */
  | "project_not_found"
  /** No such session. */
  | "session_not_found"
  /** No such plan, or it has expired. */
  | "plan_not_found"
  /** Another operation holds the project, or the daemon has no room. */
  | "busy"
  /** A limit would be exceeded; the message names it. */
  | "limit_exceeded"
  /** The answer is larger than `limits.input`. */
  | "input_too_large"
  /** The path leaves the allowed roots, or is not a path. */
  | "path_escape"
  /** The path is denied by name (`.git`, `.clada`, `denied` globs). */
  | "path_denied"
  /** The file is held back as a secret. */
  | "secret"
  /** A symbolic link is where none is followed. */
  | "symlink_not_allowed"
  /** A command is neither built in nor approved. */
  | "command_not_allowed"
  /** The user has to approve this first. */
  | "approval_required"
  /** The file has changed since the change was planned. */
  | "conflict"
  /** This answer was applied before. */
  | "answer_already_applied"
  /** git could not do what was asked. */
  | "git_operation_failed"
  /** The file is not UTF-8 text, or holds NUL. */
  | "not_text"
  /** The operating system refused; path and code are in the message. */
  | "io"
  /** The deadline passed. */
  | "timeout"
  /** The old text is not in the file. */
  | "no_match"
  /** The old text occurs another number of times than asked. */
  | "match_count"
  /** The old text fits several places, or a path several files. */
  | "ambiguous"
  /** The file already holds what the edit would insert. */
  | "already_in_file"
  /** No such file or folder. */
  | "file_not_found"
  /** The target exists and must not. */
  | "file_exists"
  /** A folder is where a file is meant. */
  | "is_directory"
  /** A file is where a folder is meant. */
  | "not_directory"
  /** A FIFO, socket or device is where a file is meant. */
  | "not_regular_file"
  /** The folder is not empty. */
  | "directory_not_empty"
  /** The operating system denies access. */
  | "permission_denied"
  /** The file system is full, or a quota is. */
  | "no_space"
  /** The file system is mounted read-only. */
  | "read_only"
  /** No action of that name. */
  | "unknown_action"
  /** The action is for users, not for a model's answer. */
  | "not_allowed_for_llm"
  /** The action is defined, but this version cannot carry it out. */
  | "not_available"
  /** A parameter's value makes no sense for this file (a line range past its end, an empty search). */
  | "invalid_value"
  /** Not applied because something that it needs was not. */
  | "skipped"
  /** The configuration cannot be used. */
  | "invalid_config"
  /** No such operation, or it can no longer be resumed. */
  | "operation_not_found"
  /** The operation was undone before. */
  | "already_undone"
  /** The former content cannot be restored. */
  | "not_undoable"
  /** A command ended with another status than 0, or could not be started. */
  | "exec_failed"
  /** Not done: edits for an editor cannot carry it, or it would see files without those edits. */
  | "not_delivered"
  /** This process may not call the daemon; `reason` says why. */
  | "peer_not_allowed"
  /** The new text has a placeholder in place of lines that would be lost. */
  | "elision"
  /** A file would be overwritten by the text of a patch. */
  | "content_is_patch"
  /** Numbers of lines that an earlier action of the answer has moved. */
  | "lines_shifted"
  /** Nothing waits for approval under this id: it was answered, asked again, or was dropped. */
  | "approval_not_found";

/** Parameters of the notification `execute.event`, which precede the result of an `execute` with `stream`. */
export interface ExecuteEvent {
  /** The number of the action. */
  seq: number;
  /** The number in `[task-N]`. */
  task: string;
  /** The kind of the event. */
  kind: ExecuteEventKind;
  /** Of the beginning: the command as it is written; of code its language. */
  command?: string;
  /** Of output: the stream, `stdout` or `stderr`. */
  stream?: string;
  /** Of output: the text, with U+FFFD for bytes that are no UTF-8. */
  text?: string;
  /** Of the end: true if some of the output was not sent, since the client did not read it in time. The result has it. */
  lost?: boolean;
  /** The id of the request. */
  request?: Id;
}

/** The kind of an `execute.event` notification. */
export type ExecuteEventKind =
  /** A command begins. */
  | "started"
  /** It has written something. */
  | "output"
  /** It has ended. */
  | "finished";

/** Result of `execute`. */
export interface ExecutionResult {
  /** True if everything parsed and succeeded. */
  success: boolean;
  /** Blocks in the answer. */
  totalBlocks: number;
  /** The blocks in document order. */
  blocks: BlockInfo[];
  /** Actions that were attempted. */
  executedActions: number;
  /** One entry an action, in document order. */
  results: ActionResult[];
  /** Oddities that stopped nothing. */
  warnings: OperationWarning[];
  /** The approvals that the user would have to give. */
  approvals?: Approval[];
  /** The faults that the parser found. */
  parseErrors: ParseIssue[];
  /** The texts that look like edits, in a form that clada does not read. */
  notRead?: NotRead[];
  /** The changes that the answer shows without a dialect and that were not applied: nobody decided on them, they were declined, or they need a decision of their own. In document order. */
  proposals?: Proposal[];
  /** The files, from the root, that already are as the answer shows them. */
  already?: string[];
  /** With `notRead`: instructions for writing an edit, for the model that wrote the answer; at most 350 tokens. */
  howToWrite?: string;
  /** The reason why not everything could be applied. */
  fatalError?: string;
  /** The operation's id. None of a dry run, with `deliver: "edits"`, or with `"mixed"` if nothing was written. */
  operationId?: string;
  /** Paths that another process changed during the operation, each once. */
  externalChanges?: string[];
  /** The files that it changed, or would change, each once, from before the operation to after it; at most 500. */
  changed?: ChangedFile[];
  /** The number of changed files that `changed` does not list. */
  changedMore?: number;
  /** Of `checkpoint.end`: the files that changed while the checkpoint was open, as `changed` lists them. */
  files?: ChangedFile[];
  /** With `show` or `apply.show` as `diff`, the changes as a git-style unified diff. A dry run has them in `dryRun`. */
  diff?: string;
  /** The commits that were made, or why none were. */
  git?: GitReport;
  /** With `dryRun: true`, the changes that it would have made. */
  dryRun?: DryRun;
  /** With `deliver: "edits"` the changes; with `"mixed"` those of the documents that the editor holds. */
  edits?: WorkspaceEdit;
  /** True if the operation waits for the editor: `execute.saved` ends it. Its commit is made then. */
  open?: boolean;
  /** The outcome as an editor shows it, if `review` asked for it. */
  outcome?: Outcome;
  /** The reports that were asked for. */
  reports?: Reports;
  /** True if the result was cut at its size limit; each cut part is marked too. */
  truncated?: boolean;
  /** For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today. */
  shortIds?: Record<string, string>;
}

/** The place that a failure or its hint names. */
export interface FailurePlace {
  /** The file, from the root: that of the action, or another one that the hint names. */
  path: string;
  /** The same as a `file` URI. */
  uri: string;
  /** The 0-based line that the hint, or else the error, names: in the file as the actions before would have left it, counted by `lines`. Absent: the place is the file. */
  line?: number;
}

/** The change of a file. */
export interface FileChange {
  /** Relative to the root. */
  path: string;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
  /** `created`, `changed` or `deleted`. */
  kind: ChangeKind;
  /** Of a file that an operation moved here: the path that it had, which is listed as `deleted`. Only events about operations say so. */
  oldPath?: string;
  /** True if clada made this change itself. Only events say so. */
  own?: boolean;
}

/** Lines of a document that a plan replaces. */
export interface FileHunk {
  /** Its id, unique in the plan. */
  id: string;
  /** The 0-based line of the document as it is now at which `removed` begins, or `added` is inserted. A byte order mark that stays is in no line. */
  start: number;
  /** The lines that go, with their line ends. */
  removed: string[];
  /** The lines that come in their place, with their line ends. */
  added: string[];
  /** As far as `context` asks for it and there is room: the lines before it that stay. Those between two hunks are with one of them. */
  before?: string[];
  /** The lines after it that stay. */
  after?: string[];
  /** The ids of the actions' hunks that it is made of, or of an action that has none. */
  parts: string[];
  /** The id of its group, to give to `execute` in `accept`: hunks of one group go together. */
  group: string;
  /** True if the user edited its new lines. */
  edited?: boolean;
  /** With `review`: its line in a diff, `@@ -1,2 +1,3 @@`, with the lines around it. */
  header?: string;
  /** With `review`: the reason why its new lines cannot be edited. */
  notEditable?: string;
}

/** The end that a write gave the last line of a file, if it had none (spec: answers, section 5). */
export type FinalNewline =
  /** A newline was added. */
  | "added";

/** The data of `dir_create`. */
export interface Folder {
  /** The folder, as it was named. */
  path: string;
  /** True if it was not there. */
  created: boolean;
}

/** A line that `grep` found. */
export interface FoundLine {
  /** The file, absolute. */
  file: string;
  /** The line's number, from 1. */
  line_number: number;
  /** The line without its end. */
  line: string;
  /** True if the line is longer than what is shown of it. */
  truncated?: boolean;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
}

/** The outcome of an operation's commits. */
export interface GitReport {
  /** Their destination: `branch`, `refs` or `off`. */
  mode: string;
  /** The commit of the changes that were uncommitted before. */
  before?: string;
  /** The commit of the operation's changes. */
  after?: string;
  /** Of an undo: the reference that keeps the commits that were taken off the branch. */
  retracted?: string;
  /** The reason why there are no commits. */
  skipped?: string;
  /** A remark about them for the user. */
  note?: string;
}

/** Result of `git.squash`. */
export interface GitSquashResult {
  /** The one commit. Empty for a dry run. */
  commit: string;
  /** The number of commits that it is made of. */
  squashed: number;
  /** The reference that keeps the former commits. Empty for a dry run. */
  kept: string;
  /** The commits that it is made of, newest first. */
  commits?: CommitInfo[];
  /** The id of the operation, which `undo` takes. */
  operationId?: string;
  /** The shortest beginning of `operationId` that names it. */
  shortId?: string;
  /** The warnings for the user. */
  warnings?: string[];
}

/** Result of `git.step_back` and `git.step_forward`. */
export interface GitStepResult {
  /** The commit that is checked out now. */
  commit: string;
  /** The branch, if its end is reached again. */
  branch?: string;
  /** Files that were not committed and are in git's stash now, relative to the work tree. */
  stashed_files?: string[];
  /** True if the changes that were stashed here before were restored. */
  restored?: boolean;
  /** The conflicts that prevent the restoring. The changes stay in the stash. */
  conflicts?: string[];
  /** With HEAD detached: the branch that this line of work belongs to, if it is one. */
  line?: string;
  /** The id of the operation, which `undo` takes. */
  operationId?: string;
  /** The shortest beginning of `operationId` that names it. */
  shortId?: string;
  /** The warnings for the user. */
  warnings?: string[];
}

/** The destination of an operation's commits. */
export type GitWhere =
  /** On the branch that is checked out. */
  | "branch"
  /** On `refs/clada/…`, alongside the branch. */
  | "refs"
  /** Nowhere. */
  | "off";

/** A move of HEAD, or of the branch that it names. */
export interface HeadMove {
  /** The position before. */
  from: HeadPosition;
  /** The position after. */
  to: HeadPosition;
}

/** A position of HEAD. */
export interface HeadNote {
  /** The branch; `HEAD` if it is detached. */
  branch: string;
  /** The commit; absent on a branch that has none yet. */
  commit?: string;
}

/** A position of HEAD. */
export interface HeadPosition {
  /** The reference that HEAD names, a branch as a rule; absent if HEAD is detached. */
  reference?: string;
  /** The commit. */
  commit: string;
}

/** Result of `hello`. */
export interface HelloResult {
  /** `clada-daemon`. */
  server: string;
  /** The daemon's version. */
  version: string;
  /** The protocol to speak: the newest that both know. */
  protocol: number;
  /** The features of this daemon beyond the protocol. */
  features: string[];
  /** True if another program, or none, is now where this daemon's was when it started: end it when it is idle. */
  replaced?: boolean;
  /** The language that is spoken from then on, if it is not this one: `mcp`. */
  speaks?: string;
  /** The kind of caller that the connection is. */
  caller?: CallerKind;
  /** The folders that it is narrowed to, resolved; absent: it is not narrowed. */
  roots?: string[];
  /** True if it may only call what changes nothing. */
  readOnly: boolean;
}

/** Result of `history.adopt`. */
export interface HistoryAdoptResult {
  /** Absolute path at which the project was before. */
  from: string;
}

/** Result of `history.forget`. */
export interface HistoryForgetResult {
  /** What is kept of each project, or was. */
  projects: ProjectRecord[];
  /** The bytes of all of it. */
  bytes: number;
  /** Commands that the user has approved there for good, and configurations that are trusted. */
  approvals: number;
  /** True if it was deleted. */
  forgotten: boolean;
  /** Sentences about what stays, and how it is removed. */
  left: string[];
}

/** Result of `history.list`. */
export interface HistoryListResult {
  /** Newest first. */
  operations: OperationInfo[];
  /** Absolute path at which this folder may have been before: only its user knows, since the file system does not record when folders were created. `history.adopt` takes the operations of that project over. */
  movedFrom?: string;
  /** True if there are older ones. */
  more?: boolean;
  /** The warnings for the user: a damaged journal was set aside. */
  warnings?: string[];
  /** For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today. */
  shortIds?: Record<string, string>;
}

/** Result of `history.show`. */
export interface HistoryShowResult {
  /** The operation. */
  operation: OperationInfo;
  /** Of an applied answer: the results of its actions, in their order, with the paths among their parameters, or with `parameters: true` all of them. Empty for one that was interrupted, and where it is no longer known. */
  actions?: ActionResult[];
  /** Its effect on each path as a whole, in the order in which it came to them. */
  changes: PathChange[];
  /** With `diff: true`: a git-style unified diff of its changes to files. */
  diff?: string;
  /** The parts of it that could not be read. */
  warnings?: string[];
  /** For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today. */
  shortIds?: Record<string, string>;
}

/** How much of a change was applied. */
export interface HunkCount {
  /** The number of hunks that were applied. */
  done: number;
  /** The number of hunks that the change has. */
  of: number;
}

/** The id of a request, as it was written. */
export type Id = string | number | null;

/** Result of `instructions`. */
export interface InstructionsResult {
  /** The dialect's name. */
  dialect: string;
  /** The text, fenced so that applying it by mistake does nothing. */
  text: string;
}

/** An operation of an agent that left out what needs approval. */
export interface LeftOut {
  /** The operation: `execute` with `resume` takes it up. */
  operationId: string;
  /** The root of its project, resolved. */
  root: string;
  /** The name that its client gave in `hello`. */
  client?: string;
  /** Milliseconds since it ended. */
  endedMs: number;
  /** True if a person was asked and said no. */
  declined?: boolean;
  /** The first lines of what it left out, one for each approval, at most 20. */
  what: string[];
}

/** The line ends that an editor counts. */
export type LineEnds =
  /** LF, CRLF and a lone CR, as the Language Server Protocol and VS Code count. */
  | "lsp"
  /** LF alone, as Neovim and Emacs count. */
  | "lf";

/** Files with further names (hard links) that were not found in the project: outside of it, or where git ignores them. */
export interface LinkedOutside {
  /** The first 5 of their paths, from the root. */
  paths: string[];
  /** The number of them. */
  count: number;
}

/** An entry of `ls`. */
export interface ListedEntry {
  /** Its name. */
  name: string;
  /** Its kind: `file`, `directory`, `symlink` or `special`. */
  type: string;
  /** Its size in bytes. */
  size: number;
  /** The time of its last change, as RFC 3339 has it. */
  modified: string;
  /** The name's bytes as base64, if they are not UTF-8. */
  nameBytes?: string;
}

/** The distance allowed between the old text and the text of a file (spec: dialects, "Matching"). */
export type MatchLevel =
  /** The text itself. */
  | "exact"
  /** Lines, up to blanks at their ends. */
  | "strict"
  /** Lines, as far as exactly one place can be meant. */
  | "tolerant";

/** The data of `file_move`. */
export interface Moved {
  /** The path that it had. */
  old_path: string;
  /** The path that it has. */
  new_path: string;
  /** True if something was there, and is replaced. */
  overwrote?: boolean;
}

/** What names the file of a proposal. */
export type NamedBy =
  /** The edit block that it is, which the words around it hold back. */
  | "block"
  /** The info string of its fence, or its element. */
  | "info"
  /** The label or heading above it. */
  | "label"
  /** A comment in its first line. */
  | "comment"
  /** A key of JSON. */
  | "json"
  /** A sentence above it. */
  | "sentence"
  /** The sentence below it. */
  | "below"
  /** Nothing: its lines are in this file alone. */
  | "content"
  /** The request (`to`). */
  | "request"
  /** A shell command. */
  | "command";

/** The repositories that a command made. */
export interface NewRepositories {
  /** The first of their folders, from the root. */
  paths: string[];
  /** The number of them. */
  count: number;
}

/** A text that looks like an edit, in a form that clada does not read. */
export interface NotRead {
  /** 1-based line at which it begins. */
  line: number;
  /** The line at which it ends; absent if that is not known. */
  endLine?: number;
  /** Its kind: `headless_diff`, `tool_call`, `shell_edit`, `escaped`, `unknown_element`, `other_dialect`; of code without a dialect `part`, `cut_off`, `elided`, `replacement`, `insertion`, `diff`, `delete`, `move`, `commands`, `elsewhere`, `refused`. */
  kind: string;
  /** The path that it names, as written. */
  path?: string;
  /** The advice for the caller. */
  hint: string;
}

/** Paths that no undo restores: ignored by git, or different from git's copy and too large to be kept. */
export interface NotUndoable {
  /** The first of the paths, from the root; a folder, with all that is in it, ends in `/`. */
  paths: string[];
  /** The number of them. */
  count: number;
  /** True if the project is too large to be read as a whole: there may be more. */
  incomplete?: boolean;
}

/** A path that is not in the document. */
export interface OmittedPath {
  /** As of a file; a folder ends with `/`. */
  path: string;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
  /** The reason. */
  reason: string;
}

/** An operation, as lists show it. */
export interface OperationInfo {
  /** Its id: 12 letters from k to z, of an operation of an older version 18 hexadecimal digits. It says nothing about the order. */
  operationId: string;
  /** The kind: `execute`, `undo` or `redo`; `git` for a squash or a step; `record` for what changed while a checkpoint was open. */
  kind: string;
  /** Its state: `applying`, `done` or `interrupted`. */
  status: string;
  /** The time of its start: milliseconds since 1970. */
  beganMs: number;
  /** A few words about its effect. */
  summary: string;
  /** The operation that it undid. */
  undoes?: string;
  /** The operation that undid it. */
  undoneBy?: string;
  /** The first words of the answer, if it begins with words. */
  title?: string;
  /** The number of files that it changed; absent where nobody counted, as in older versions. */
  files?: number;
  /** The first of them, relative to the root; absolute outside of it. */
  firstFile?: string;
  /** The lines that it added to files. */
  added?: number;
  /** The lines that it removed from files. */
  removed?: number;
  /** Of a squash or a step, and of undoing one: the move of HEAD. */
  head?: HeadMove;
  /** True if its commits are on `refs/clada/…`, alongside the branch. */
  besideBranch?: boolean;
}

/** Something odd that stopped nothing. */
export interface OperationWarning {
  /** The action it belongs to, if it belongs to one. */
  task?: string;
  /** The oddity, in words. */
  message: string;
}

/** The outcome of an execution as an editor shows it. */
export interface Outcome {
  /** The counts on one line: `5 done, 1 failed, 2 left out`. */
  line: string;
  /** True if all of the answer is applied but what the user left out. */
  complete: boolean;
  /** What was not applied, without what the user left out. */
  problems?: ReviewNote[];
}

/** A text that stands in for a file, which `path` or `uri` names. */
export interface Overlay {
  /** The file, absolute or relative to the root. What begins with `file://` is taken for a URI. */
  path?: string | null;
  /** The file as a `file` URI of this machine, percent-encoded; no other scheme is taken. */
  uri?: string | null;
  /** The text to use as the file's content. */
  text: string;
  /** The editor's version of the document; edits of it carry this version. */
  version?: number | null;
}

/** The parameters of an action, by their names in the schema of actions. */
export type Parameters = Record<string, unknown>;

/** An error or warning about the answer. */
export interface ParseIssue {
  /** The block's id; null where none could be read. */
  blockId: string | null;
  /** The action, if it is known. */
  action?: string;
  /** `syntax`, `validation` or `type`. */
  errorType: string;
  /** A stable name for the fault. */
  code?: string;
  /** The fault, in words. */
  message: string;
  /** 1-based line at which the block opens. */
  blockStartLine?: number;
  /** The block as written (cut at 16 kB). */
  shamContent?: string;
  /** 1-based line of the fault. */
  line?: number;
  /** 1-based column in UTF-16 code units. */
  column?: number;
  /** Length in UTF-16 code units. */
  length?: number;
  /** The line itself. */
  content?: string;
  /** The line with up to two lines before and after it. */
  context?: string;
  /** True if nothing of the whole answer runs because of it. */
  fatal?: boolean;
  /** The advice for the caller. */
  hint?: string;
}

/** Result of `parse`. */
export interface ParseResult {
  /** The valid actions in document order. */
  actions: ParsedAction[];
  /** The errors in document order. A block with an error is not executed. */
  errors: ParseIssue[];
  /** Oddities that stop nothing. */
  warnings?: ParseIssue[];
  /** The blocks in document order. */
  blocks: BlockInfo[];
  /** The texts that look like edits, in a form that clada does not read. */
  notRead?: NotRead[];
  /** With `root`: the changes that it shows without a dialect, in document order. */
  proposals?: Proposal[];
  /** Counts. */
  summary: ParseSummary;
  /** With `root`: the approvals that the user would have to give. */
  approvals?: Approval[];
  /** With `tree: true`, the syntax tree by dialect: `{"sham": {blocks, errors}}`. */
  tree?: Record<string, unknown>;
  /** The reports that were asked for. */
  reports?: Reports;
}

/** Counts of a parse. */
export interface ParseSummary {
  /** Blocks found. */
  totalBlocks: number;
  /** Valid actions. */
  successCount: number;
  /** Errors. */
  errorCount: number;
}

/** A valid action. */
export interface ParsedAction {
  /** Its number in `[task-N]`, in all reports of this answer. Empty from an older daemon. */
  task?: string;
  /** Canonical name. */
  action: string;
  /** Its parameters by the schema's names, converted to their types. */
  parameters: Parameters;
  /** Its place in the answer. */
  metadata: ActionMetadata;
}

/** The data of `file_patch`. */
export interface Patched {
  /** The file, as it was named. */
  path: string;
  /** The path that it has moved to. */
  newPath?: string;
  /** The number of hunks. */
  hunks: number;
  /** True if there was no file. */
  created?: boolean;
}

/** The change of one path. */
export interface PathChange {
  /** The path, absolute. */
  path: string;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
  /** The kind of the change. */
  change: ChangeKind;
  /** Of a move: the old path, absolute. */
  from?: string;
  /** The old path's bytes as base64, if they are not UTF-8. */
  fromBytes?: string;
  /** Of an undo with `merge`: true if later changes were kept. */
  merged?: boolean;
  /** The reason why it was not done, or cannot be undone. */
  error?: string;
  /** On failure: its kind. */
  kind?: ErrorKind;
}

/** What to do with the proposals of an answer that nobody has decided on. */
export type PlainMode =
  /** Apply those that are sure: not a part of a file, a guessed or remapped path, an open choice, a new file that the answer does not say to create and that may be an excerpt, or a write that removes more than half of a file. */
  | "apply"
  /** Apply none. */
  | "refuse";

/** Result of `plan.drop`. */
export interface PlanDropResult {
  /** True if there was such a plan. */
  dropped: boolean;
}

/** A part of the result of `plan` that can be left out. */
export type PlanPart =
  /** The diffs of the whole plan and of hunks, which are empty then; `files` has the same lines. */
  | "diff";

/** Result of `plan`. */
export interface PlanResult {
  /** The id to give to `execute`. Plans live in memory, are bounded in number and bytes, and expire. */
  planId: string;
  /** Milliseconds until it expires. */
  expiresInMs: number;
  /** The number of plans of the project that are kept for this connection now, this one counted. The oldest makes room when there are too many, or too large ones. */
  kept: number;
  /** Blocks in the answer. */
  totalBlocks: number;
  /** One entry an action, in document order. */
  actions: PlannedAction[];
  /** The faults that the parser found. */
  parseErrors: ParseIssue[];
  /** The texts that look like edits, in a form that clada does not read. */
  notRead?: NotRead[];
  /** The changes that the answer shows without a dialect, in document order. `execute` applies those that `accept` names. */
  proposals?: Proposal[];
  /** The files, from the root, that already are as the answer shows them. */
  already?: string[];
  /** Oddities that stop nothing. */
  warnings?: OperationWarning[];
  /** The approvals that the user would have to give. */
  approvals: Approval[];
  /** A git-style unified diff of all files, against what they hold now. */
  diff: string;
  /** The files that it would change, each once; at most 500. */
  changed?: ChangedFile[];
  /** The number of changed files that `changed` does not list. */
  changedMore?: number;
  /** The effect of the whole plan on each document, as it is now: one entry a document, in order of its path. With `review`, those of proposals come before them. */
  files?: PlannedFile[];
  /** What is decided on, if `review` asked for it. */
  review?: Review;
  /** The reports that were asked for. */
  reports?: Reports;
}

/** The planned effect of one action. */
export interface PlannedAction {
  /** The id to give to `execute` in `accept`. */
  id: string;
  /** 1-based, in order of execution. */
  seq: number;
  /** `"N"` or `"N.M"`: the number in `[task-N]`. */
  task: string;
  /** The block's id, if its dialect has ids. */
  blockId: string | null;
  /** Canonical name of the action. */
  action: string;
  /** The group that all of it belongs to, as `files` has it: the id to give to `execute` in `accept`. Absent if it belongs to none, or its hunks to several. */
  group?: string;
  /** The file it is about (of a move: the old path). */
  path?: string;
  /** Of a move: the new path. */
  newPath?: string;
  /** BLAKE3 of the file's content before this action, in hex; absent if there is no file. */
  preHash?: string;
  /** BLAKE3 of its content after this action, in hex; absent if there will be no file. */
  postHash?: string;
  /** The change, hunk by hunk; each may be accepted alone. Empty for actions that change no text. */
  hunks: PlannedHunk[];
  /** Of a change of several files: all of it as a unified diff, which can be accepted as a whole only. */
  diff?: string;
  /** True if some of `hunks` or `diff` had no room in the result; the action does more than they show. */
  truncated?: boolean;
  /** Of a command: its text; of code: all of it. */
  command?: string;
  /** Of the deletion of a text: the number of its lines. */
  lines?: number;
  /** True if something is already at the path that is written (of a move: at the new path), and is replaced. */
  replaces?: boolean;
  /** True if it only reads, lists or searches. */
  looks?: boolean;
  /** The id of the approval that it needs. */
  needsApproval?: string;
  /** The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines. */
  matchedBy?: string;
  /** The reason why it cannot be planned. */
  unplannable?: Unplannable;
  /** True if the file already holds this. */
  unchanged?: boolean;
  /** Of a plan with `resume`: true if it was not accepted before. `execute` does it only if `accept` names it. */
  leftOut?: boolean;
}

/** The effect of a plan on one document, from its text now (an overlay's text, if there is one). */
export interface PlannedFile {
  /** The file, from the root; after the plan, of a move the new path. */
  path: string;
  /** The same as a `file` URI. */
  uri: string;
  /** The kind of its change. */
  kind: PlannedFileKind;
  /** Of a move: the path before, from the root. */
  oldPath?: string;
  /** The version of its overlay. */
  version?: number;
  /** The changes of its lines, from the first to the last. Empty if no text changes, or if it is not shown: what is no text, too large to be read, or a secret. */
  hunks: FileHunk[];
  /** Of a document that is done or not done as a whole (any `kind` but `change`, one whose text is not shown, one that `truncated` marks): the ids of what does it. */
  parts?: string[];
  /** Of such a document: the id of its group, which all its hunks have. */
  group?: string;
  /** True if its hunks had no room in the result; the plan does more to it than is shown. */
  truncated?: boolean;
  /** With `review`: its title, as `change a.txt` or `move a.txt → b.txt`. */
  title?: string;
  /** With `review`: the ids of its units, each once. */
  units?: string[];
  /** With `review`: the id of the proposal that changes it. */
  proposal?: string;
  /** With `review`, of a proposal: lines to show below the title; one that begins with `! ` is a reason to look closely. */
  about?: string[];
  /** With `review`, of a proposal without hunks: its change as a unified diff. */
  diff?: string;
  /** With `review`: true if all lines of its hunks end with CRLF, so that it need not be shown. */
  crlf?: boolean;
}

/** The kind of a document's change. */
export type PlannedFileKind =
  /** It is created. */
  | "create"
  /** Its text changes. */
  | "change"
  /** It is moved; its text may change as well. */
  | "move"
  /** It is deleted. */
  | "delete";

/** A hunk of a planned change. */
export interface PlannedHunk {
  /** The id to give to `execute` in `accept`. */
  id: string;
  /** The hunk as a unified diff has it, with its `@@` line; empty if `omit` names `diff`. */
  diff: string;
}

/** A place in a text. */
export interface Position {
  /** The 0-based line. */
  line: number;
  /** The 0-based UTF-16 code unit within the line. */
  character: number;
}

/** Result of `project.changes`. */
export interface ProjectChangesResult {
  /** The project's clock now, for the next `since`. */
  clock: string;
  /** True if these are all files: no clock was given, or the changes since then are not known. The caller's knowledge of other files no longer holds. */
  fresh?: boolean;
  /** The files that changed, the latest first, then those that were deleted. */
  files: FileChange[];
  /** The warnings. */
  warnings?: string[];
}

/** An event of a project. */
export interface ProjectEvent {
  /** The subscription that it belongs to. */
  subscription: string;
  /** The root, as the subscriber gave it. */
  root: string;
  /** The kind of the event. */
  kind: ProjectEventKind;
  /** The project's clock now. */
  clock?: string;
  /** True if these are all files: the root is another folder by now. */
  fresh?: boolean;
  /** The files that changed since the event before, or by the operation. */
  files?: FileChange[];
  /** The number of files that are ready for the next `stage`. */
  staged?: number;
  /** The operation that this is about. */
  operationId?: string;
  /** True if a request of this connection did it. */
  own?: boolean;
  /** The checkpoint that this is about. */
  checkpoint?: string;
  /** The approvals that the user would have to give. */
  approvals?: Approval[];
  /** True if `approvals` is left out, since it is more than 16 KiB: `approval.list` has what waits and what was left out. */
  approvalsLeftOut?: boolean;
  /** The answer that waits, or waited: the id for `approval.answer`. */
  approvalId?: string;
  /** The approvals that are needed, in words to be shown as they are: no markup, visible characters only. */
  text?: string;
  /** The decision of the user. */
  decision?: ApprovalDecision;
  /** The operation that it undid, or did again. */
  undoes?: string;
  /** The reason why nothing more comes. */
  message?: string;
}

/** The kind of an event. */
export type ProjectEventKind =
  /** Files changed. Subscribers to operations do not get clada's own changes here; for other subscribers they are marked `own`. */
  | "changed"
  /** The changes are staged in the background: the next `stage` has them ready. */
  | "staged"
  /** An operation has changed files: `operationId`, and the files, at most 10,000; with `oldPath` where one was moved. */
  | "executed"
  /** An operation was undone by another one, `operationId`; the undone one is `undoes`. */
  | "undone"
  /** A person is to decide: an operation left out what needs approval (`operationId`, `approvals`), or an agent's answer waits for it (`approvalId`, `approvals`, `text`). */
  | "approvalAsked"
  /** An answer waits no longer: it was decided about (`decision`), asked about again under another id, or is gone. `approvalId` says which. */
  | "approvalAnswered"
  /** A checkpoint (`checkpoint`) began, was dropped, or ended as the operation `operationId`. */
  | "checkpoint"
  /** Nothing more comes: the project is gone, or watched no longer. */
  | "ended";

/** Result of `project.init`. */
export interface ProjectInitResult {
  /** Files that were written, relative to the root. */
  created: string[];
  /** Files that existed, and stay as they are. */
  kept: string[];
}

/** Result of `project.list`. */
export interface ProjectListResult {
  /** In the order of their roots. */
  projects: WatchedProject[];
}

/** What is kept of a project: operations with the contents of files before them, and the state of `stage`. */
export interface ProjectRecord {
  /** Absolute path of the project, as far as it is known. */
  root?: string;
  /** Absolute path of the folder of the record. */
  folder: string;
  /** The bytes of its files. */
  bytes: number;
  /** True if the project's folder is not there any more. */
  gone?: boolean;
}

/** Result of `project.root`. */
export interface ProjectRootResult {
  /** The root of its project, by the name that `path` has for it where it has one. */
  root: string;
  /** The reason, such as `there is a .git folder`. */
  why: string;
  /** True if `.git` or `.clada` is in it; else it is the folder of `path`. */
  marked?: boolean;
}

/** Result of `project.unwatch`. */
export interface ProjectUnwatchResult {
  /** True if it was watched. */
  watched: boolean;
}

/** Result of `project.watch`. */
export interface ProjectWatchResult {
  /** The root, as resolved. */
  root: string;
  /** The project's clock now, for `since` of `project.changes`. */
  clock: string;
  /** The number of its files. */
  files: number;
  /** The warnings. */
  warnings?: string[];
}

/** A change that an answer shows without a dialect, tied to one path of the project. */
export interface Proposal {
  /** The id to give to `execute` in `accept` or `decline`: `p1`, `p2`, … */
  id: string;
  /** The file, from the root; of a move the old path. */
  path: string;
  /** Of a move: the new path, from the root. */
  newPath?: string;
  /** What it does with the file. */
  form: ProposalForm;
  /** What names the file. */
  namedBy: NamedBy;
  /** What it does and what names the file, in words: `whole file, named above`. */
  title?: string;
  /** Why it is shown first, in words, then `notes`; visible characters only. */
  remarks?: string[];
  /** 1-based line of the answer at which it begins. */
  line: number;
  /** 1-based line of the answer at which it ends. */
  endLine: number;
  /** The words above it in the answer, on one line; empty if there are none. */
  words?: string;
  /** The reasons to show it before others, always with its diff. Empty for an ordinary change. */
  attention?: Attention[];
  /** Remarks on it for the user, one sentence each. */
  notes?: string[];
  /** Lines that come. */
  added: number;
  /** Lines that go. */
  removed: number;
  /** The change as a git-style unified diff. Of a secret file the lines of the answer alone. */
  diff: string;
  /** Of a result of `plan`: the same change, to be reviewed by hunk. The groups of its hunks are ids to give to `accept`: that of the proposal for all of it, or those of a part like `p1.h2`. */
  file?: PlannedFile;
  /** The ids of the proposals of which at most one can be accepted, this one among them. Empty if it is not an open choice. */
  alternatives?: string[];
  /** The id of the part whose code this takes as the whole file. It is offered in the place of that part and of nothing else. */
  wholeOf?: string;
  /** The id of the approval that it needs besides. */
  needsApproval?: string;
  /** True if `plain: "apply"` applies it without a question. */
  sure?: boolean;
  /** True if the user declined it. */
  declined?: boolean;
}

/** What a proposal does with its file. */
export type ProposalForm =
  /** Creates the file. */
  | "new"
  /** Replaces the whole file. */
  | "whole"
  /** Merges a part into the file. */
  | "part"
  /** Replaces one text of the file. */
  | "replacement"
  /** Adds text to the file. */
  | "insertion"
  /** Deletes the file. */
  | "delete"
  /** Moves the file. */
  | "move";

/** A half-open range of text. */
export interface Range {
  /** The start, inclusive. */
  start: Position;
  /** The end, exclusive. */
  end: Position;
}

/** The data of `file_read` and `file_read_numbered`. */
export interface ReadFile {
  /** The file, as it was named. */
  path: string;
  /** Its text; absent if the result has no room for it. */
  content?: string;
  /** The number of lines in words, if more were asked for than there are. */
  pastEnd?: string;
}

/** The data of `files_read`. */
export interface ReadFiles {
  /** The files that were read; absent if none was tried. */
  paths?: string[];
  /** Their texts, each behind a line with its path. */
  content?: string;
  /** Of a failure: true if the result has no room for all of them. */
  truncated?: boolean;
  /** The files that could not be read. */
  errors?: Unread[];
}

/** A file that is not staged any more. */
export interface RemovedFile {
  /** Relative to the root. */
  path: string;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
  /** The name that it was staged under. */
  name: string;
}

/** A file with a new path. */
export interface RenamedFile {
  /** The old one, relative to the root. */
  from: string;
  /** The new one. */
  to: string;
}

/** The data of an action that replaces a text in one file. */
export interface Replaced {
  /** The file, as it was named. */
  path: string;
  /** The number of places. */
  replacements: number;
  /** Of one range: its first line. */
  firstLine?: number;
  /** Of one range: its last line. */
  lastLine?: number;
}

/** One file of `files_replace_all_text`. */
export interface ReplacedInFile {
  /** The file, as it was named. */
  path: string;
  /** The number of places. */
  replacements: number;
  /** The reason why it was not changed. */
  error?: string;
}

/** The data of `files_replace_all_text`. */
export interface ReplacedInFiles {
  /** An entry a file. */
  results: ReplacedInFile[];
}

/** The data of `file_replace_lines`. */
export interface ReplacedLines {
  /** The file, as it was named. */
  path: string;
  /** The number of lines that are gone. */
  lines_replaced: number;
}

/** The form of a report. */
export type ReportFormat =
  /** The words for a terminal. */
  | "text"
  /** The words to paste back to a model. */
  | "llm"
  /** XML, as the dialect CML has it. */
  | "xml";

/** Reports of a result by their form: those that were asked for and have at most 4 MB. */
export interface Reports {
  /** The words for a terminal, without colour; paths inside the project are relative. */
  text?: string;
  /** The words to paste back to a model, between fences that no dialect looks into. */
  llm?: string;
  /** XML, as the dialect CML has it. */
  xml?: string;
}

/** The kind of a file operation. */
export type ResourceKind =
  /** Create a file. */
  | "create"
  /** Rename a file. */
  | "rename"
  /** Delete a file. */
  | "delete";

/** Options of a file operation. */
export interface ResourceOptions {
  /** True to replace an existing target. */
  overwrite?: boolean;
}

/** A plan as a user decides on it. Its files are those of the result: with it, the files of proposals come first. */
export interface Review {
  /** The parts of the plan that are accepted or left out as one, in the order in which they are shown. */
  units: ReviewUnit[];
  /** The ids to give to `execute` in `accept` besides those of accepted units: nobody decides on them. */
  always: string[];
  /** What cannot be decided on: failures, then what already holds, what only reads, and remarks. */
  notes: ReviewNote[];
  /** The number of notes that are failures. */
  failed: number;
  /** The reason why nothing can be decided on, if that is so. */
  nothing?: string;
}

/** A line about a plan or its outcome that an editor shows, at a place if it has one. */
export interface ReviewNote {
  /** Its weight. */
  severity: ReviewSeverity;
  /** The line. */
  text: string;
  /** What to do about it, or more of it, in one or more lines. */
  hint?: string;
  /** The place in a file of the project. */
  place?: FailurePlace;
  /** The 1-based line of the answer that it is about. */
  line?: number;
  /** The id of the action that failed, for `only` of `plan`. */
  action?: string;
}

/** The weight of a note. */
export type ReviewSeverity =
  /** Something failed. */
  | "error"
  /** A part of the answer was not applied. */
  | "warning"
  /** A remark. */
  | "note";

/** A group of hunks, a file that is done as a whole, or an action without a file. */
export interface ReviewUnit {
  /** The id to give to `execute` in `accept`, or in `decline` if it is of a proposal. Hunks have it as `group`. */
  id: string;
  /** A hash of its change. A unit of another plan with this key makes the same change: decisions can be kept. */
  key: string;
  /** True if it is accepted at first: it needs no approval, and is not proposed or was edited by the user. */
  accepted: boolean;
  /** The ids to give to `execute` in `approve` if it is accepted. */
  approvals?: string[];
  /** These approvals in words to be shown as they are: several lines, no markup, visible characters only. */
  approvalText?: string;
  /** True if what is approved holds control, bidi or invisible characters. */
  suspicious?: boolean;
  /** The id of the proposal that it is of. */
  proposal?: string;
  /** The ids of units that are left out if it is accepted: other versions or places. */
  excludes?: string[];
  /** Of an action without a file: its words, on one line unless a command has several. */
  title?: string;
  /** Of such an action: its change as a unified diff. */
  diff?: string;
  /** True if a command runs, which does not see what an editor holds. */
  command?: boolean;
}

/** The error of a request. */
export interface RpcError {
  /** The number of the kind. */
  code: number;
  /** A sentence that says what happened, where, and what to do next. */
  message: string;
  /** The kind, and facts by name. */
  data: {
    kind: ErrorKind;
    /** The next step, as advice. */
    hint?: string;
  };
}

/** Result of `session.close`. */
export interface SessionCloseResult {
  /** The session that was closed. */
  closed: string;
}

/** A session. */
export interface SessionInfo {
  /** Its name. */
  session: string;
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of its working directory. */
  cwd: string;
  /** Absolute paths of its context. */
  context: string[];
}

/** Result of `session.list`. */
export interface SessionListResult {
  /** The sessions, by name. */
  sessions: SessionInfo[];
}

/** A setting in force. */
export interface Setting {
  /** `section.key`. */
  key: string;
  /** Its value. */
  value: unknown;
  /** `default`, the path of a file, the name of a variable, or `settings` for those of the request. */
  origin: string;
  /** Its default, if the value is another one. */
  default?: unknown;
}

/** The part of the changes that the result of an `execute` shows. */
export type ShowChanges =
  /** The files and the numbers of their lines. */
  | "stat"
  /** Also the diff. */
  | "diff";

/** Result of `shutdown`. */
export interface ShutdownResult {
  /** Requests that are finished first. */
  running: number;
}

/** The commits that `git.squash` takes, from HEAD down to the first that is none of them. */
export type SquashMode =
  /** Those that clada made. */
  | "auto_ai"
  /** Those whose message begins as `git.commit_message_format` does. */
  | "ai_messages"
  /** Those of the last `hours`. */
  | "hours"
  /** Those of the last `days`. */
  | "days"
  /** Those whose message holds `msgTarget`. */
  | "msg_contains";

/** Result of `stage.confirm`. */
export interface StageConfirmResult {
  /** The warnings. */
  warnings?: string[];
}

/** The format of a manifest. */
export type StageManifest =
  /** `_path_manifest.json`: names, the root, what was removed. */
  | "json"
  /** `_path_manifest.dhall`: a record of names. */
  | "dhall";

/** Result of `stage`. */
export interface StageResult {
  /** The folder; absent for a dry run. */
  stagingDir?: string;
  /** The manifest in it. */
  manifestPath?: string;
  /** The files in it. */
  copied: StagedFile[];
  /** The files that were staged before and are gone, or not staged any more. */
  removed: RemovedFile[];
  /** The removed files that came back elsewhere with the same content. */
  renamed: RenamedFile[];
  /** The number of files in the folder, also those that `copied` has no room for. */
  files: number;
  /** The number of files in the manifest. */
  eligible: number;
  /** True if nothing was staged before. */
  firstRun: boolean;
  /** Files that are not staged, and why, in every result: 1000 at most. `last` does not look for them. */
  omitted?: OmittedPath[];
  /** True if the lists are cut: they would exceed `limits.result_bytes`, or more than 1000 files are left out. */
  truncated?: boolean;
  /** The warnings. */
  warnings?: string[];
}

/** A file that was staged. */
export interface StagedFile {
  /** Relative to the root. */
  path: string;
  /** The path's bytes as base64, if they are not UTF-8. */
  pathBytes?: string;
  /** Its flat name. */
  name: string;
  /** Bytes. */
  size: number;
}

/** Result of `status`. */
export interface StatusResult {
  /** The path of the daemon's log, if it has one. */
  logFile?: string;
  /** The path of the socket that the daemon listens on, if it listens on one; absent for an agent. */
  socket?: string;
  /** The daemon's version. */
  version: string;
  /** The newest protocol that it speaks. */
  protocol: number;
  /** Its process id; absent for an agent. */
  pid?: number;
  /** Milliseconds since it started. */
  uptimeMs: number;
  /** Absolute paths of the projects that it holds open. */
  projects: string[];
  /** Folders that it watches. */
  watches: number;
  /** Resident memory in bytes, at most a second old; absent where the system does not say. */
  memoryBytes?: number;
  /** The sandbox of commands; absent until the first command has run. */
  sandbox?: string;
  /** Open connections, this one included. */
  connections: number;
  /** Requests that are being worked on, this one not counted. */
  running: number;
  /** Answers of agents that wait for a user's approval; absent for an agent. */
  waiting?: number;
  /** What the connections hold, and how those before have ended; absent for an agent. */
  traffic?: Traffic;
  /** The limits in force, by name. */
  limits: Record<string, unknown>;
  /** The warnings for the user. */
  warnings: string[];
}

/** Result of `subscribe`. */
export interface SubscribeResult {
  /** The id that its events and `unsubscribe` use. */
  subscription: string;
  /** The project's clock at the start: later changes are reported. */
  clock: string;
  /** The warnings. */
  warnings?: string[];
}

/** The document of a text edit. */
export interface TextDocument {
  /** `file://` URI. */
  uri: string;
  /** The version of the overlay that was planned over; null if there was none. */
  version: number | null;
}

/** A replacement of a range of text. */
export interface TextEdit {
  /** The range that is replaced. */
  range: Range;
  /** The text that replaces it. */
  newText: string;
}

/** Result of `text.merge`. */
export interface TextMergeResult {
  /** One entry a text: what it is without the change; `null` if what was changed since touches the same lines. */
  texts: (string | null)[];
}

/** What the connections hold now, and how they have ended since the daemon started. */
export interface Traffic {
  /** Bytes that all connections hold together: messages that have no end yet or are worked on, notifications and answers that nobody has read yet. `rpc.totalBytes` bounds them. */
  heldBytes: number;
  /** The most of them that one connection holds. */
  largestBytes: number;
  /** Subscriptions. */
  subscriptions: number;
  /** Connections that were let in. */
  accepted: number;
  /** Connections that were not: of other users, of commands, or since none that was idle could make room. */
  turnedAway: number;
  /** Connections that ended when everything was answered. */
  closed: number;
  /** Connections whose client went away while its requests were in progress. */
  gone: number;
  /** Connections that were ended since their client read nothing (`rpc.stalledReaderMs`). */
  stalled: number;
  /** Idle connections that made room for others (`rpc.connections`). */
  evicted: number;
  /** Connections that were ended since all held too much together (`rpc.totalBytes`). */
  unloaded: number;
  /** Connections whose input could not be read any further: no framing, a wrong or slow header block. */
  refused: number;
}

/** Result of `trust.*`: the state after it. */
export interface TrustResult {
  /** The project's configuration file, absolute. */
  path: string;
  /** Its text; absent if there is no such file, or none that can be read. */
  text?: string;
  /** The hash that identifies this text. */
  hash?: string;
  /** True if the file is trusted as it is: all of it is in force. */
  trusted: boolean;
  /** The settings that are in force only if the file is trusted. */
  widens: Widening[];
  /** Other faults of the file. */
  problems?: string[];
}

/** Result of `undo` and `redo`. */
export interface UndoResult {
  /** True if all of it was undone. */
  success: boolean;
  /** The id of the undo itself, which is an operation, too. Empty for a dry run. */
  operationId: string;
  /** The operation that was undone. */
  undone: OperationInfo;
  /** The change of each path, in order. Empty if everything was already as before. */
  changes: PathChange[];
  /** The warnings for the user. */
  warnings?: string[];
  /** The outcome of commits: those of the operation are taken off the branch, or the reverse is committed. */
  git?: GitReport;
  /** A failure after the files were changed. */
  fatalError?: string;
  /** The reports that were asked for. */
  reports?: Reports;
  /** With `dryRun: true`, the changes that it would have made. */
  dryRun?: DryRun;
  /** For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today. */
  shortIds?: Record<string, string>;
}

/** The unit of positions in edits. */
export type Units =
  /** UTF-16 code units within a line. */
  | "utf16"
  /** Whole lines, with their ends: `character` is always 0. After a last line without an end, the end of a range is the line after it, which there is not: it stands for the end of the document. */
  | "line";

/** The reason why an action cannot be planned. */
export interface Unplannable {
  /** The kind of failure. */
  kind: ErrorKind;
  /** `{operation}: {issue} '{path}' ({CODE})`. */
  error: string;
  /** The next step, as advice. */
  hint?: string;
  /** The end of `hint` that only a person can follow; an agent is sent neither. */
  personHint?: string;
  /** The place that the error or its hint names, if that is in a file. */
  place?: FailurePlace;
}

/** A file that could not be read. */
export interface Unread {
  /** The file, as it was named. */
  path: string;
  /** The reason. */
  error: string;
}

/** Result of `unsubscribe`. */
export interface UnsubscribeResult {
  /** True if there was such a subscription. */
  ended: boolean;
}

/** Parameters of the notification `waiting`: a request waits, since something else holds the project. */
export interface Waiting {
  /** The method of the request that waits. */
  operation: string;
  /** The thing that it waits for; absent: another operation. */
  for?: WaitingFor;
  /** The id of the request that waits. */
  request?: Id;
}

/** An answer of an agent that waits: nothing of it is done before a person has decided, or the time is over. */
export interface WaitingApproval {
  /** The id to give to `approval.answer`. It is of this plan alone: an answer that is asked about again has another one. */
  id: string;
  /** The root of its project, resolved. */
  root: string;
  /** The name that its client gave in `hello`. */
  client?: string;
  /** Milliseconds for which it has waited. */
  waitingMs: number;
  /** Milliseconds until it is applied without what needs approval. */
  expiresInMs: number;
  /** The approvals that are needed. `once` gives all of them. */
  approvals: Approval[];
  /** A git-style unified diff of all that the answer changes, against what the files hold now. */
  diff: string;
  /** The changes since it was asked about before, under another id. */
  changedSince?: string;
  /** All of it in words, as `clada approvals` shows it before it asks: harmless to print, no markup. */
  text: string;
}

/** A holder of a project other than an operation. */
export type WaitingFor =
  /** Processes that a command of an interrupted operation started, and that have not ended yet. */
  | "interrupted_command"
  /** A person's answer to what it needs approval for. */
  | "approval";

/** A project that is watched. */
export interface WatchedProject {
  /** The root, as resolved. */
  root: string;
  /** The number of its files; absent while the daemon scans it. */
  files?: number;
  /** The reason why every request about it scans its whole tree. */
  degraded?: string;
}

/** A setting of a project's configuration file that is in force only if the user trusts the file. */
export interface Widening {
  /** `section.key`. */
  key: string;
  /** 1-based line in the file, if it is known. */
  line?: number;
  /** The reason why it is not in force by itself. */
  message: string;
  /** The subject of the key. */
  help: string;
}

/** A line of which an edit changed a part only. */
export interface WithinLine {
  /** Its number in the file after the action, from 1. */
  line: number;
  /** All of it; what is longer than 200 characters is cut, and ends with `…`. */
  text: string;
}

/** Changes in the order in which they are to be made. */
export interface WorkspaceEdit {
  /** Text edits and file operations. */
  documentChanges: DocumentChange[];
}

/** The data of `file_write`. */
export interface Written {
  /** The file, as it was named. */
  path: string;
  /** Its size. */
  bytesWritten: number;
  /** True if there was no file. */
  created: boolean;
  /** The end that the last line got, if it had none. */
  finalNewline?: FinalNewline;
  /** Of an edit that the answer shows without a dialect, as a part of the file say: the lines that it changed. */
  lines?: EditedLines;
}

/** The code of each kind of failure. */
export const ERROR_CODES: Record<ErrorKind, number> = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  cancelled: -32800,
  project_not_found: 1,
  session_not_found: 2,
  plan_not_found: 3,
  busy: 4,
  limit_exceeded: 5,
  input_too_large: 6,
  path_escape: 7,
  path_denied: 8,
  secret: 9,
  symlink_not_allowed: 10,
  command_not_allowed: 11,
  approval_required: 12,
  conflict: 13,
  answer_already_applied: 14,
  git_operation_failed: 15,
  not_text: 16,
  io: 17,
  timeout: 18,
  no_match: 19,
  match_count: 20,
  ambiguous: 21,
  already_in_file: 22,
  file_not_found: 23,
  file_exists: 24,
  is_directory: 25,
  not_directory: 26,
  not_regular_file: 27,
  directory_not_empty: 28,
  permission_denied: 29,
  no_space: 30,
  read_only: 31,
  unknown_action: 32,
  not_allowed_for_llm: 33,
  not_available: 34,
  invalid_value: 35,
  skipped: 36,
  invalid_config: 37,
  operation_not_found: 38,
  already_undone: 39,
  not_undoable: 40,
  exec_failed: 41,
  not_delivered: 42,
  peer_not_allowed: 43,
  elision: 44,
  content_is_patch: 45,
  lines_shifted: 46,
  approval_not_found: 47,
};

/** Parameters and result of each method. */
export interface Methods {
  /** Agrees on a protocol and says what the daemon can do. */
  "hello": { params: HelloParams; result: HelloResult };
  /** Shows the state of the daemon: version, uptime, memory, limits, warnings. */
  "status": { params: StatusParams; result: StatusResult };
  /** Checks the setup, and says what to do about each problem. */
  "doctor": { params: DoctorParams; result: DoctorResult };
  /** Finishes what runs and ends the daemon. */
  "shutdown": { params: ShutdownParams; result: ShutdownResult };
  /** Returns the description of all methods, as OpenRPC has it: this document. */
  "rpc.discover": { params: DiscoverParams; result: Record<string, unknown> };
  /** Finds the actions and the errors in an answer; changes nothing. */
  "parse": { params: ParseParams; result: ParseResult };
  /** Plans an answer and saves the plan for `execute`; changes nothing. */
  "plan": { params: PlanParams; result: PlanResult };
  /** Drops a plan that nobody will execute. */
  "plan.drop": { params: PlanDropParams; result: PlanDropResult };
  /** Applies an answer or a plan and reports on every action. */
  "execute": { params: ExecuteParams; result: ExecutionResult };
  /** Ends an editor's operation with what the editor saved: one entry in the history, one commit. */
  "execute.saved": { params: ExecuteSavedParams; result: ExecutionResult };
  /** Lists the commands that are always approved in a project, and those that it proposes. */
  "approve.list": { params: ApproveListParams; result: ApproveResult };
  /** Always approves a command. */
  "approve.add": { params: ApproveAddParams; result: ApproveResult };
  /** Revokes the approval of a command. */
  "approve.remove": { params: ApproveRemoveParams; result: ApproveResult };
  /** Lists the answers that wait for a user's approval, and what was left out without one. */
  "approval.list": { params: ApprovalListParams; result: ApprovalListResult };
  /** Decides about an answer that waits for approval. */
  "approval.answer": { params: ApprovalAnswerParams; result: ApprovalAnswerResult };
  /** Shows a project's configuration file and which settings need a user's trust. */
  "trust.show": { params: TrustShowParams; result: TrustResult };
  /** Trusts a project's configuration file as it was shown. */
  "trust.add": { params: TrustAddParams; result: TrustResult };
  /** Revokes the trust in a project's configuration files. */
  "trust.remove": { params: TrustRemoveParams; result: TrustResult };
  /** Lists the last operations of a project, newest first. */
  "history.list": { params: HistoryListParams; result: HistoryListResult };
  /** Shows what an operation did to each path. */
  "history.show": { params: HistoryShowParams; result: HistoryShowResult };
  /** Adopts the operations of a project that is no longer at its path: this folder was there, or is a copy. */
  "history.adopt": { params: HistoryAdoptParams; result: HistoryAdoptResult };
  /** Deletes the records of one or all projects, or shows what it would delete. */
  "history.forget": { params: HistoryForgetParams; result: HistoryForgetResult };
  /** Undoes an operation. */
  "undo": { params: UndoParams; result: UndoResult };
  /** Redoes an operation that was undone. */
  "redo": { params: UndoParams; result: UndoResult };
  /** Undoes changes of texts that an editor holds, and keeps what was changed since. */
  "text.merge": { params: TextMergeParams; result: TextMergeResult };
  /** Begins to record what other programs change in a project. */
  "checkpoint.begin": { params: CheckpointBeginParams; result: CheckpointBeginResult };
  /** Makes one operation of what changed since a checkpoint began. */
  "checkpoint.end": { params: CheckpointEndParams; result: ExecutionResult };
  /** Lists the open checkpoints of a project. */
  "checkpoint.list": { params: CheckpointListParams; result: CheckpointListResult };
  /** Drops a checkpoint: what changed since is not an operation. */
  "checkpoint.drop": { params: CheckpointDropParams; result: CheckpointDropResult };
  /** Makes one document for a prompt of files and folders. */
  "embed": { params: EmbedParams; result: EmbedResult };
  /** Squashes the chosen commits, from HEAD downwards, into one. */
  "git.squash": { params: GitSquashParams; result: GitSquashResult };
  /** Checks out the commit before this one and stashes what is not committed. */
  "git.step_back": { params: GitStepParams; result: GitStepResult };
  /** Checks out the commit after this one and restores what was stashed there. */
  "git.step_forward": { params: GitStepParams; result: GitStepResult };
  /** Copies the files that changed, under flat names, into a new folder with a manifest. */
  "stage": { params: StageParams; result: StageResult };
  /** Confirms a staging folder: its files are not staged again, and the folder before it is deleted. */
  "stage.confirm": { params: StageConfirmParams; result: StageConfirmResult };
  /** Writes edited copies of staged files back to their places, as one operation. */
  "stage.write_back": { params: StageWriteBackParams; result: ExecutionResult };
  /** Writes a commented configuration and the list of what is not staged into a project that has none. */
  "project.init": { params: ProjectInitParams; result: ProjectInitResult };
  /** Watches a project, so that queries need not read all of it. */
  "project.watch": { params: ProjectParams; result: ProjectWatchResult };
  /** Stops watching a project. */
  "project.unwatch": { params: ProjectParams; result: ProjectUnwatchResult };
  /** Lists the projects that are watched. */
  "project.list": { params: ProjectListParams; result: ProjectListResult };
  /** Finds the root of the project that a file or folder belongs to. */
  "project.root": { params: ProjectRootParams; result: ProjectRootResult };
  /** Lists the files of a project that changed since a clock; watches it from then on. */
  "project.changes": { params: ProjectChangesParams; result: ProjectChangesResult };
  /** Sends changes of a project's files as they happen, as `event` notifications on this connection. */
  "subscribe": { params: SubscribeParams; result: SubscribeResult };
  /** Ends a subscription. */
  "unsubscribe": { params: UnsubscribeParams; result: UnsubscribeResult };
  /** Opens a session of a project, or returns the open one of that name. */
  "session.open": { params: SessionOpenParams; result: SessionInfo };
  /** Returns a session. */
  "session.get": { params: SessionGetParams; result: SessionInfo };
  /** Sets the working directory of a session. */
  "session.set_cwd": { params: SessionSetCwdParams; result: SessionInfo };
  /** Closes a session. */
  "session.close": { params: SessionCloseParams; result: SessionCloseResult };
  /** Lists the sessions of a project. */
  "session.list": { params: SessionListParams; result: SessionListResult };
  /** Adds files and folders to the context of a session. */
  "context.add": { params: ContextChangeParams; result: ContextResult };
  /** Removes files and folders from the context of a session. */
  "context.remove": { params: ContextChangeParams; result: ContextResult };
  /** Lists the context of a session. */
  "context.list": { params: ContextParams; result: ContextResult };
  /** Removes from the context of a session what is deleted or was never used. */
  "context.prune": { params: ContextParams; result: ContextResult };
  /** Empties the context of a session. */
  "context.clear": { params: ContextParams; result: ContextResult };
  /** Returns the text that teaches a model a dialect and the actions it may use. */
  "instructions": { params: InstructionsParams; result: InstructionsResult };
  /** Returns every setting in force and where it came from. */
  "config.show": { params: ConfigShowParams; result: ConfigShowResult };
  /** Sets one key in the user's configuration file, or a project's; all else in it stays as it is. */
  "config.set": { params: ConfigSetParams; result: ConfigSetResult };
  /** Removes one key from the user's configuration file, or a project's; all else in it stays as it is. */
  "config.unset": { params: ConfigUnsetParams; result: ConfigSetResult };
  /** Writes a commented configuration file, the user's or a project's, where there is none. */
  "config.init": { params: ConfigInitParams; result: ConfigInitResult };
}

/** Parameters of each notification that the daemon sends. */
export interface Notifications {
  /** Tells what commands of an answer do while they run, if the request has `stream`. */
  "execute.event": ExecuteEvent;
  /** Brings a document in pieces and the progress of reading, if the request has `stream`. */
  "embed.event": EmbedEvent;
  /** Tells of a change of a project, until the subscription ends. */
  "event": ProjectEvent;
  /** Tells that a request waits for its turn in the project, once for each holder. */
  "waiting": Waiting;
}
