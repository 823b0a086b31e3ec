---@meta
-- Made by `cargo run -p clada-protocol --features schema --example openrpc` from the types in protocol/; not to be edited.

---Parameters of `hello`.
---@class clada.HelloParams
---@field client? string Name and version of the client, for the log.
---@field protocol? [integer, integer] The oldest and the newest protocol that the client speaks; absent: any.
---@field features? string[] Features that the client would like.
---@field caller? clada.CallerKind `agent` narrows the connection to an agent's, for its life. Absent: it stays what it is.
---@field speaks? string The language that is spoken from then on, if it is not this one: `mcp`.
---@field roots? string[] Of an agent: the only folders, absolute, in which or below which its requests have their root. At most 64.
---@field readOnly? boolean Of an agent: true if it may only call what changes nothing.

---Parameters of `status`.
---@class clada.StatusParams

---Parameters of `doctor`.
---@class clada.DoctorParams
---@field root? string Absolute path of the project to look at, too.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `shutdown`.
---@class clada.ShutdownParams

---Parameters of `rpc.discover`.
---@class clada.DiscoverParams

---Parameters of `parse`.
---@class clada.ParseParams
---@field text string The answer. At most `limits.input` bytes.
---@field dialects? string[] Names of the dialects to look for; absent: all that are enabled.
---@field root? string Absolute path of the project, whose configuration then counts, and where approvals are looked up.
---@field session? string With `root`: the session whose folder commands run in; absent: `default`.
---@field env? table<string, string> With `root`: the caller's environment, as for `execute`. It decides which programs commands mean.
---@field timeoutMs? integer With `root`: milliseconds for each command, as for `execute`.
---@field tree? boolean True to return also the syntax tree of dialects that have one.
---@field reports? clada.ReportFormat[] The reports to return with the result, as the client prints them: `text` alone.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `plan`.
---@class clada.PlanParams
---@field root string Absolute path of the project.
---@field text? string The answer.
---@field planId? string A plan that is kept, instead of a text: what is left to do of it (neither done or handed out as edits, nor declined) is planned anew, over the overlays given now. Its answer is read as it was then; `atomic`, `match` and `again` are the plan's unless they are given.
---@field only? string[] With `planId`: the ids of the actions, hunks and groups of that plan to plan again, and nothing else, whatever was done or declined of them.
---@field session? string The session whose working directory counts; absent: `default`.
---@field dialects? string[] Names of the dialects to look for; absent: all that are enabled.
---@field match? clada.MatchLevel The lowest rung of the ladder that an edit may use; absent: each dialect's own default.
---@field atomic? boolean True to apply all of the answer or nothing.
---@field overlays? clada.Overlay[] Texts that stand in for files: an editor's unsaved buffers.
---@field lines? clada.LineEnds The line ends that the lines of `files` are counted by.
---@field context? integer The number of lines around each hunk of `files` to return with it, as they stay; at most 100.
---@field literal? boolean True if the answer is meant as it is written: guards against texts that say less than they replace only report their findings (spec: answers, section 2). Only a user may give it.
---@field again? boolean True to plan what of the answer was applied before and still holds once more. Only a user may give it.
---@field allowEscape? boolean True to accept paths outside the allowed roots for this one call. Only a user may give it.
---@field includeSecrets? boolean True to let it read and change files held back as secrets. Only a user may give it.
---@field env? table<string, string> The caller's environment, as for `execute`: it decides which programs commands mean.
---@field timeoutMs? integer Milliseconds for each command, as for `execute`.
---@field reports? clada.ReportFormat[] The reports of what would be done to add to the result: `text`, `llm`.
---@field omit? clada.PlanPart[] The parts to leave out of the result, which the caller does not read.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `plan.drop`.
---@class clada.PlanDropParams
---@field root string Absolute path of the project.
---@field planId string The plan that nobody will execute.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `execute`.
---@class clada.ExecuteParams
---@field root string Absolute path of the project.
---@field text? string The answer.
---@field planId? string A plan made by `plan`, instead of its text: what another process changed since is a conflict, in the results of its actions. With `accept`, exactly what was planned is applied. A plan that was carried out with success is dropped, unless edits of it were handed out.
---@field session? string The session whose working directory counts; absent: `default`.
---@field dialects? string[] Names of the dialects to look for; absent: all that are enabled.
---@field match? clada.MatchLevel The lowest rung of the ladder of matching that an edit may use; absent: as configured, else each dialect's own default. Not with `planId`: a plan is carried out as it was made.
---@field atomic? boolean True to apply all of the answer or nothing, decided when it is planned.
---@field resume? string The id of an operation, or `last` for the project's last one: its parts that did not succeed are tried again. Instead of `text` and `planId`.
---@field dryRun? boolean True to plan only and change nothing; the result carries `dryRun`.
---@field accept? string[] Of a plan: the ids of the actions, hunks and groups of hunks that are wanted; absent: all. With a group among them, each group has to be wanted as a whole or not at all, and exactly its lines are changed.
---@field deliver? clada.Deliver The destination of a plan's changes.
---@field edits? string[] With `deliver: "mixed"`: the documents that an editor holds, as `file` URIs of files beneath the allowed roots. Their changes are returned; one that the plan does not touch does no harm.
---@field units? clada.Units The unit of the positions in `edits` of the result.
---@field lines? clada.LineEnds The line ends that positions in `edits` of the result are counted by.
---@field approve? clada.Approve The user's approvals: `"listed"`, `"all"` or a list of approval ids.
---@field totalTimeoutMs? integer Milliseconds for the whole request.
---@field again? boolean True to apply the whole answer, also parts that were applied before and still hold. Only a user may give it.
---@field git? clada.GitWhere The destination of commits; absent: as configured. Only a user may give it.
---@field gitAuthor? string The author of commits: a name, or `Name <address>`; absent: as configured. Only a user may give it.
---@field lockFile? string Absolute path of a file that is locked while the operation runs, for scripts that share a project with others. It is created if it is missing.
---@field lockTimeoutMs? integer The milliseconds to wait for that lock; absent: 10000.
---@field noUndo? boolean True to change files although the journal cannot record it, so that nothing of it can be undone. Only a user may give it.
---@field literal? boolean True if the answer is meant as it is written: guards against texts that say less than they replace only report their findings (spec: answers, section 2). Only a user may give it.
---@field allowEscape? boolean True to accept paths outside the allowed roots for this one call. Only a user may give it.
---@field includeSecrets? boolean True to let it read and change files held back as secrets. Only a user may give it.
---@field umask? integer The caller's umask, which new files get; absent: the daemon's own. An agent's only takes more rights away.
---@field env? table<string, string> The caller's environment, of which commands get what the configuration hands on; absent: they get none of it.
---@field timeoutMs? integer Milliseconds for each command; absent: `limits.command_time`, by default 30000.
---@field maxOutput? integer Bytes that are kept of the output of each command; absent: `limits.command_output`, by default 10485760.
---@field show? clada.ShowChanges What to return of the changes, besides what each action did; absent: what `apply.show` says.
---@field stream? boolean True for notifications `execute.event` with the output of commands while they run.
---@field reports? clada.ReportFormat[] The reports to return with the result, as the client prints them.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `approve.list`.
---@class clada.ApproveListParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `approve.add`.
---@class clada.ApproveAddParams
---@field root string Absolute path of the project.
---@field command string The command, exactly as an answer would write it.
---@field dir? string The folder that it runs in, from the root; absent: the root.
---@field network? boolean True if it may reach a network, also in a sandbox.
---@field program? string The file of the program that the user was asked about; absent: the one that the command means now.
---@field env? table<string, string> The caller's environment, as for `execute`: it decides which program the command means.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `approve.remove`.
---@class clada.ApproveRemoveParams
---@field root string Absolute path of the project.
---@field command string The command.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `approval.list`.
---@class clada.ApprovalListParams
---@field root? string Absolute path of the project; absent: every project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `approval.answer`.
---@class clada.ApprovalAnswerParams
---@field id string The id in `approval.list` and in the event.
---@field decision clada.ApprovalDecision The decision.

---Parameters of `trust.show`.
---@class clada.TrustShowParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `trust.add`.
---@class clada.TrustAddParams
---@field root string Absolute path of the project.
---@field hash string The hash of the file that was shown: another one is not trusted.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `trust.remove`.
---@class clada.TrustRemoveParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `history.list`.
---@class clada.HistoryListParams
---@field root string Absolute path of the project.
---@field limit? integer The most operations to return; absent: 20.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `history.show`.
---@class clada.HistoryShowParams
---@field root string Absolute path of the project.
---@field operation string The id of an operation, the beginning of one (at least 3 characters, of no other one), or `last`.
---@field diff? boolean True to return also the changes in the files.
---@field parameters? boolean True to return all parameters of its actions, as far as they are on record, not their paths alone.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `history.adopt`.
---@class clada.HistoryAdoptParams
---@field root string Absolute path of the project.
---@field from string Absolute path at which the project was before; its folder is not there any more.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `history.forget`.
---@class clada.HistoryForgetParams
---@field root? string Absolute path of the project, whose folder need not be there any more.
---@field all? boolean True for all projects, in place of `root`.
---@field confirm? boolean True to delete it. Without it, nothing is deleted, and the result says what would be.

---Parameters of `undo`, `redo`.
---@class clada.UndoParams
---@field root string Absolute path of the project.
---@field operation? string The operation to undo (of `redo`: the undo), by its id or the beginning of it (at least 3 characters, of no other one); absent: the last one that is not undone.
---@field merge? boolean True to merge text that was changed since instead of refusing.
---@field force? boolean True to overwrite what was changed since.
---@field only? string[] Undoes only what was changed at these paths and beneath them: from the root, or absolute. The rest of the operation can still be undone.
---@field except? string[] Leaves what was changed at these paths and beneath them.
---@field dryRun? boolean True to change nothing and only report what would change; the result carries `dryRun`.
---@field git? clada.GitWhere The destination of commits; absent: as configured.
---@field reports? clada.ReportFormat[] The reports to return with the result, as the client prints them: `text` alone.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `checkpoint.begin`.
---@class clada.CheckpointBeginParams
---@field root string Absolute path of the project.
---@field name? string A name for people: the summary of the operation begins with it.
---@field session? string The session that it belongs to; absent: the client. An open checkpoint of the same session ends first.
---@field ttlMs? integer Milliseconds after which it is dropped if nobody ended it; absent: 24 hours.
---@field owners? integer[] Processes of the user: when all of them are gone, the checkpoint ends by itself.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `checkpoint.end`.
---@class clada.CheckpointEndParams
---@field root string Absolute path of the project.
---@field checkpoint? string The checkpoint; absent: the open one of the session.
---@field session? string The session, without `checkpoint`; absent: the client.
---@field keep? boolean True to go on from here under the same id: what changes from now on is another operation.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `checkpoint.list`.
---@class clada.CheckpointListParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `checkpoint.drop`.
---@class clada.CheckpointDropParams
---@field root string Absolute path of the project.
---@field checkpoint string The checkpoint, by its id or the beginning of it (at least 3 characters, of no other one).
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `embed`.
---@class clada.EmbedParams
---@field root string Absolute path of the project.
---@field paths? string[] Files and folders, absolute or relative to the root. An agent's paths lie in an allowed root; a user's may lie anywhere. `path:10-42` is lines 10 to 42 of a file, and `path:10` is one line, unless a file has that name.
---@field overlays? clada.Overlay[] Texts that stand in for files: an editor's unsaved buffers. One of a file that is not there counts if that file is named.
---@field recurseDepth? integer Levels of folders below a given one; 0: only the files in it. Absent: all.
---@field include? string[] Globs: of the files in folders, only those that match one are taken.
---@field exclude? string[] Globs: a path in a folder that matches one is left out.
---@field hidden? boolean True to take hidden files and folders too.
---@field errorMode? clada.EmbedErrorMode The reaction to something that cannot be embedded; absent: as configured.
---@field approved? boolean In the flexible mode: true if the user has seen the errors and goes on.
---@field format? clada.EmbedFormat The format of the document.
---@field preamble? clada.EmbedPreamble The length of the document's description of itself before its files.
---@field lineNumbers? boolean True to begin every line with its number.
---@field tokens? boolean True to count tokens.
---@field maxTokens? integer The most tokens that the document may have; less important files are left out.
---@field treeOnly? boolean True for a document without contents, only the tree of what it would hold.
---@field diff? boolean True to append the difference between the last commit and the working tree.
---@field changed? boolean True to embed also the project's files that have changed since the session's last document with `changed`, as if found in the root; the first time all. With a budget they come before unchanged files.
---@field since? string The clock of an earlier result or of `project.changes`, to embed the files changed since then as `changed` does. The session does not count.
---@field sessionContext? boolean True to embed the context of the session too.
---@field session? string The session; absent: `default`.
---@field maxFileSizeKb? integer Larger files are left out, in kB of 1024 bytes; absent: as configured.
---@field maxFilesPerDirectory? integer Files of one folder at most; absent: as configured.
---@field output? string A file, absolute or relative to the root, that gets the document. Only a user may give it.
---@field sink? [integer, integer] Device and inode of the file that the caller writes the document to: it is left out, as `output` is.
---@field umask? integer The caller's umask, which a new `output` file gets; absent: the daemon's own.
---@field prompt? string A text that comes before the document, with a blank line between them.
---@field stream? boolean True to send the document in notifications before the result.
---@field includeSecrets? boolean True to embed files held back as secrets. Only a user may give it.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `git.squash`.
---@class clada.GitSquashParams
---@field root string Absolute path of the project.
---@field mode clada.SquashMode The commits that it takes.
---@field message? string The commit's message; absent: the subjects of the commits that it is made of.
---@field hours? integer With `hours`: the number of hours, from 1 on.
---@field days? integer With `days`: the number of days, from 1 on.
---@field msgTarget? string With `msg_contains`: the text that the messages hold.
---@field force? boolean True to take also commits that were pushed.
---@field mineToo? boolean With `hours` and `days`: true to take also commits that clada did not make.
---@field dryRun? boolean True to change nothing and only return the commits that would become one.
---@field tip? string The last commit that the caller knows of: with another one nothing is done.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `git.step_back`, `git.step_forward`.
---@class clada.GitStepParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `stage`.
---@class clada.StageParams
---@field root string Absolute path of the project.
---@field all? boolean True to stage every file, whatever was staged before.
---@field last? boolean True to return the folder that was staged last and stage nothing. Goes with `root` and `for` alone.
---@field flush? boolean True to forget what is known of files that are gone.
---@field verify? boolean True to check every file, also where no change event came.
---@field dryRun? boolean True to only report what would be staged.
---@field ["for"]? string The name of the receiver: each has a baseline of its own. At most 100 bytes.
---@field manifest? clada.StageManifest The format of the manifest; absent: as `stage.manifest` has it.
---@field confirm? boolean True if `stage.confirm` follows. Until then the baseline stays, and the folder before this one, too; this one stays for two minutes, whatever others stage meanwhile. Without it, the answer counts as received.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `stage.confirm`.
---@class clada.StageConfirmParams
---@field root string Absolute path of the project.
---@field stagingDir string The folder, from the result of `stage`.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `stage.write_back`.
---@class clada.StageWriteBackParams
---@field root string Absolute path of the project.
---@field paths string[] Absolute paths of copies with flat names, and of folders of such.
---@field dryRun? boolean True to change nothing and only report what would change; the result carries `dryRun`.
---@field ["for"]? string The receiver that the copies were staged for, where that does not show; empty: no named receiver. Absent: it is a conflict if several receivers have different contents.
---@field force? boolean True to overwrite also what was changed in the project since it was staged.
---@field approve? clada.Approve The user's approvals; as for `execute`.
---@field git? clada.GitWhere The destination of commits; absent: as configured.
---@field gitAuthor? string The author of commits; absent: as configured.
---@field umask? integer The umask of the client, for new files.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `project.init`.
---@class clada.ProjectInitParams
---@field root string Absolute path of the project.
---@field umask? integer The umask of the client.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `project.watch`, `project.unwatch`.
---@class clada.ProjectParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `project.list`.
---@class clada.ProjectListParams

---Parameters of `project.root`.
---@class clada.ProjectRootParams
---@field path string Absolute path of a file or folder, which need not exist.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `project.changes`.
---@class clada.ProjectChangesParams
---@field root string Absolute path of the project.
---@field since? string The clock of an earlier answer; absent: every file.
---@field verify? boolean True to check every file, for changes that raise no change event.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `subscribe`.
---@class clada.SubscribeParams
---@field root string Absolute path of the project.
---@field kinds? clada.ProjectEventKind[] The kinds of events to send; absent: every kind of this version.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `unsubscribe`.
---@class clada.UnsubscribeParams
---@field subscription string The result of `subscribe`, on the same connection.

---Parameters of `session.open`.
---@class clada.SessionOpenParams
---@field root string Absolute path of the project.
---@field session? string A name for it; an open session of that name is returned as it is. Absent: a new one with a new name.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `session.get`.
---@class clada.SessionGetParams
---@field root string Absolute path of the project.
---@field session? string Its name; absent: `default`, which every project has.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `session.set_cwd`.
---@class clada.SessionSetCwdParams
---@field root string Absolute path of the project.
---@field cwd string An existing folder within the project, absolute or relative to its root.
---@field session? string Its name; absent: `default`.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `session.close`.
---@class clada.SessionCloseParams
---@field root string Absolute path of the project.
---@field session string Its name; closing `default` resets it.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `session.list`.
---@class clada.SessionListParams
---@field root string Absolute path of the project.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `context.add`, `context.remove`.
---@class clada.ContextChangeParams
---@field root string Absolute path of the project.
---@field paths string[] Files and folders of the project, absolute or relative to its root.
---@field session? string The session; absent: `default`.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `context.list`, `context.prune`, `context.clear`.
---@class clada.ContextParams
---@field root string Absolute path of the project.
---@field session? string The session; absent: `default`.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `instructions`.
---@class clada.InstructionsParams
---@field dialect? string The dialect; absent: `sham`.
---@field root? string Absolute path of the project, which the text then names.
---@field ["for"]? clada.Audience The reader of the text.
---@field allActions? boolean True to name all actions, not only the usual ones, in a dialect that names actions (`sham`).
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `config.show`.
---@class clada.ConfigShowParams
---@field root? string Absolute path of the project whose layer counts too.
---@field defaults? boolean True to return also a configuration file with every key, its meaning and its default.
---@field key? string The one setting to return, `section.key`; without it, all.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `config.set`.
---@class clada.ConfigSetParams
---@field key string `section.key`.
---@field value string The value as text; lists and maps as YAML in brackets, a list of one may be written plainly.
---@field root? string Absolute path of the project whose file is meant; without it, the user's own file.
---@field umask? integer The umask for a new file; without it, the daemon's own.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `config.unset`.
---@class clada.ConfigUnsetParams
---@field key string `section.key`.
---@field root? string Absolute path of the project whose file is meant; without it, the user's own file.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---Parameters of `config.init`.
---@class clada.ConfigInitParams
---@field root? string Absolute path of the project whose file is meant; without it, the user's own file.
---@field umask? integer The umask for a new file; without it, the daemon's own.
---@field settings? table<string, any> Settings of this request alone, which win over all others: `section.key`, or the name of the variable, and the value.

---The data of an action: which of these it is depends on `action`, and on `kind`.
---@alias clada.ActionData
---| clada.Written
---| clada.Appended
---| clada.Replaced
---| clada.ReplacedInFiles
---| clada.ReplacedLines
---| clada.Patched
---| clada.Moved
---| clada.AtPath
---| clada.Folder
---| clada.ReadFile
---| clada.ReadFiles
---| clada.ListedEntry[]
---| clada.FoundLine[]
---| string[]
---| clada.CommandData
---| clada.ContextChanged
---| clada.ContextEntry[]
---| clada.ContextRemoved
---| clada.AppliedBefore

---The place of an action in the answer.
---@class clada.ActionMetadata
---@field blockId string|vim.NIL The block's id, if its dialect has ids.
---@field startLine integer 1-based line at which its block opens.
---@field endLine integer|vim.NIL 1-based line at which its block ends.
---@field dialect string The dialect's name.

---The result of one action.
---@class clada.ActionResult
---@field seq integer 1-based, in order of execution.
---@field task string `"N"` or `"N.M"`: the number in `[task-N]`.
---@field block integer The block that holds it: its place in `blocks`, counted from 0.
---@field blockId string|vim.NIL The block's id, if its dialect has ids.
---@field action string Canonical name of the action.
---@field params clada.Parameters Its parameters. Texts over 1 kB are cut, which `truncated` says.
---@field status clada.ActionStatus The status at its end.
---@field success boolean True if `status` is SUCCESS.
---@field kind? clada.ErrorKind On failure: its kind.
---@field error? string On failure: `{operation}: {issue} '{path}' ({CODE})`.
---@field hint? string On failure: the next step, or the current content of the file.
---@field personHint? string The end of `hint` that only a user can follow: a flag, or a change of their configuration.
---@field place? clada.FailurePlace On failure: the place that it or its hint names, if that is in a file.
---@field matchedBy? string The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines: `indentation`, `already_applied`, `text_damage`, `blank_lines`, `elision`, `context`.
---@field wouldMatch? string On a failed exact match: the rung that would match at exactly one place.
---@field withinLine? clada.WithinLine The line, as it became, of which an exact match was only a part.
---@field hunks? clada.HunkCount Present if only some hunks of the change were accepted.
---@field unchanged? boolean True if the file already held this; nothing was written.
---@field data? clada.ActionData What the action yields (spec: actions); of a failure, what there is of it.
---@field truncated? boolean True if something of `data` or `params` was cut.
---@field durationMs integer Milliseconds that it took.

---The end of an action.
---@alias clada.ActionStatus
---| "SUCCESS" # Done, or nothing to do.
---| "ERROR" # Not done; its files are untouched.
---| "SKIP" # Not attempted.
---| "FATAL" # Not attempted because the answer as a whole cannot run.

---The data of `file_append`.
---@class clada.Appended
---@field path string The file, as it was named.
---@field bytesWritten integer The bytes that were added.
---@field finalNewline? clada.FinalNewline The end that the last line got, if it had none.

---The operation that applied an action before.
---@class clada.AppliedBefore
---@field operationId string Its id.
---@field appliedAt string The time, as RFC 3339 has it, with milliseconds.

---Something that the user has to approve. Its id binds exactly this change: an approval given for it is of no use for another.
---@class clada.Approval
---@field id? string The id to give to `execute` as `approve`. An agent gets none.
---@field kind clada.ApprovalKind The subject of an approval.
---@field task? string The task it belongs to.
---@field path string The file or folder; of a command, the folder that it runs in.
---@field command? string The command as it is written; of code its language.
---@field code? string Of code: the whole of it.
---@field dir? string The folder that it would run in, absolute.
---@field program? string The file of the program that would run.
---@field network? boolean True if it reaches a network.
---@field withNetwork? string The id that approves it with a network, this once; absent if it has one anyway. An agent is not told it.
---@field timeoutMs? integer Milliseconds that it may take.
---@field sandbox? string The sandbox that it would run in: `bubblewrap`, `landlock`, `sandbox-exec` or `none`.
---@field notUndoable? clada.NotUndoable The files that could not be restored if it changed them; absent if unknown.
---@field linkedOutside? clada.LinkedOutside Files of the project that have further names elsewhere: the command would change those too by writing to them.
---@field processes? string `counted` where the kernel keeps no bound on its processes: the daemon counts them now and then, and ends them if there are too many. Absent where the kernel keeps one.
---@field reason string The reason why approval is needed.
---@field change? string Of a file: the change, as a git-style unified diff in which hidden characters are written out (`\u{200b}`). Meant to be read, not to be applied. A line that begins with a bracket says what is not shown.
---@field text? string In a plan for a person: all but `change` in words to be shown as they are, several lines: no markup, visible characters only.
---@field suspicious? boolean True if the text holds control, bidi or invisible characters; read it with those made visible.

---Result of `approval.answer`.
---@class clada.ApprovalAnswerResult
---@field answered boolean True if the decision was taken; false if `once` turned out at once to be of no use, and `message` says why.
---@field askedAgain? string The id under which it is asked about again, if it turned out at once that the plan is another one by now. Nothing was done then.
---@field message? string The reason why nothing was done of what `once` approved, and it is not asked about again either. For a user.

---A person's decision about an answer that waits.
---@alias clada.ApprovalDecision
---| "once" # All that needs approval is approved, for this one call as it was shown.
---| "no" # Nothing is: the rest of the answer is carried out.

---The subject of an approval.
---@alias clada.ApprovalKind
---| "file" # A change to a file that runs by itself.
---| "command" # A command, or code.
---| "root" # Working in a folder that is never a project by itself (`/`, the home folder).

---Result of `approval.list`.
---@class clada.ApprovalListResult
---@field approvals clada.WaitingApproval[] The answers that wait, the one that has waited longest first. At most 8, one a project.
---@field leftOut? clada.LeftOut[] The last operations of agents that left out what nobody had approved, the latest first. At most 8 a project; forgotten when the daemon ends or the project is let go.
---@field notListed? integer The number of entries that are missing in `leftOut`, since all of them would be too much for one answer. A list of one project, with `root`, has all of its own.

---The user's approvals.
---@alias clada.Approve
---| "listed" # Only what is on the lists of approved things: the default.
---| "all" # Everything in this call.
---| string[] # These approvals, by id.

---Result of `approve.*`: the commands after it.
---@class clada.ApproveResult
---@field commands clada.ApprovedCommand[] The commands, sorted.
---@field problem? string The reason why the project's file could not be read: then none of them runs unasked.

---A command that is approved, or proposed.
---@class clada.ApprovedCommand
---@field command string The command.
---@field dir? string The folder that it runs in, absolute; absent if the project only proposes it.
---@field program? string The file of the program that it is approved for, absolute. Absent for an approval from before the file was recorded: then the user is asked once more.
---@field network boolean True if it may reach a network.
---@field approved boolean True if the user has approved it.
---@field listed boolean True if `.clada/allowed-commands.json` lists it. It runs unasked only if it is approved and listed.

---The data of an action that yields no more than its path.
---@class clada.AtPath
---@field path string The path, as it was named.

---The reader of the instructions.
---@alias clada.Audience
---| "chat" # A chat window: the user pastes them in.
---| "system" # A system prompt.
---| "tool" # A model that hands its edits to a tool, as `text`.

---A block of the answer.
---@class clada.BlockInfo
---@field dialect string The dialect's name.
---@field id string|vim.NIL Its id, if the dialect has ids.
---@field startLine integer 1-based line at which it opens.
---@field endLine integer|vim.NIL 1-based line at which it ends; absent if its end is missing.
---@field policy string The effect of a failure inside it on the rest of it.
---@field actions integer The number of actions that it holds.
---@field valid boolean True if nothing is wrong with it.

---The caller of a method.
---@alias clada.CallerKind
---| "agent" # A program that speaks for a model.
---| "person" # A process of the same user that holds the socket.

---The change done to a path.
---@alias clada.ChangeKind
---| "created" # A file or link was created.
---| "changed" # A file's content or mode, or a link's target, is another one.
---| "deleted" # A file or link was deleted.
---| "moved" # A file or link was moved here.
---| "folderCreated" # A folder was created.
---| "folderDeleted" # A folder was deleted.

---A file that an operation changed: from before it to after it.
---@class clada.ChangedFile
---@field path string The path, relative to the root; absolute outside of it.
---@field oldPath? string Of a file that was moved: the path that it had.
---@field kind clada.ChangeKind `created`, `changed`, `deleted` or `moved`.
---@field added? integer The lines that came. Absent, as `removed`: of a secret, of what is no text, and of what is too large to be compared.
---@field removed? integer The lines that went.

---One finding.
---@class clada.Check
---@field name string What was looked at, in a word. Several findings may be about one thing.
---@field level clada.CheckLevel Its weight.
---@field text string What was found.
---@field advice? string The one thing to do about it.

---The weight of a finding.
---@alias clada.CheckLevel
---| "ok" # All well.
---| "note" # Something that is good to know; clada works.
---| "fault" # Something does not work.

---Result of `checkpoint.begin`.
---@class clada.CheckpointBeginResult
---@field checkpoint string The id of the checkpoint.
---@field notKept? string[] The first of the files, from the root, whose content is not kept: an undo cannot restore them.
---@field notKeptCount? integer The number of such files.
---@field ended? clada.ExecutionResult The result of the checkpoint of the same session that this one ended.
---@field warnings? string[] The warnings for the user.

---Result of `checkpoint.drop`.
---@class clada.CheckpointDropResult
---@field checkpoint string The id of the checkpoint that was dropped.

---An open checkpoint.
---@class clada.CheckpointInfo
---@field checkpoint string Its id.
---@field name? string Its name.
---@field session? string Its session.
---@field beganMs integer The time when it began: milliseconds since 1970.
---@field ttlMs integer Milliseconds after which it is dropped.
---@field byAgent? boolean True if an agent began it.
---@field head? clada.HeadNote The position of HEAD when it began, in a git repository.
---@field notKeptCount? integer The number of files whose content is not kept.

---Result of `checkpoint.list`.
---@class clada.CheckpointListResult
---@field checkpoints clada.CheckpointInfo[] The open checkpoints, oldest first.
---@field warnings? string[] The warnings for the user.
---@field shortIds? table<string, string> For each id in this result, the shortest beginning of it, at least 3 characters, that names it in this project today.

---The data of a command: `run` and `exec`.
---@class clada.CommandData
---@field stdout string The text that it wrote to its standard output.
---@field stderr string The text that it wrote to its standard error.
---@field exit_code integer|vim.NIL Its exit status; of one that a signal ended 128 and the signal. `null` if it has none.
---@field sandbox? string The sandbox that its program ran in; absent if there was no program.
---@field paths? string[] Of a command that changes what it names: those paths.
---@field truncated? boolean True if `stdout` or `stderr` was cut.
---@field stdoutBytes? integer Of a program whose `stdout` was cut: the bytes that it wrote there.
---@field stderrBytes? integer Of a program whose `stderr` was cut: the bytes that it wrote there.
---@field lossy? boolean True if it wrote what is no UTF-8; the texts have U+FFFD there.
---@field touched? string[] The first of the files that it changed and by which other programs run something.
---@field touched_count? integer The number of them.
---@field touched_incomplete? boolean True if not all such files could be looked at.
---@field no_sockets? string The reason in a sentence why it could not have sockets with names, if so.
---@field left? integer The processes that it left behind, which were ended; absent if there were none.
---@field not_undoable? clada.NotUndoable The paths that it may have changed and that no undo restores; absent if there are none.
---@field repositories? clada.NewRepositories The repositories that it made; absent if there are none.

---A commit, as lists show it.
---@class clada.CommitInfo
---@field commit string Its id.
---@field subject string The first line of its message.
---@field ours? boolean True if clada made it.

---Result of `config.init`.
---@class clada.ConfigInitResult
---@field path string Path of the file.
---@field created boolean True if it was written; false if it was there, and stays as it is.

---Result of `config.set` and `config.unset`.
---@class clada.ConfigSetResult
---@field path string Path of the file that was meant.
---@field changed boolean True if the file was written; false if it was so already.
---@field setting clada.Setting The setting as it is in force: of another origin if something stronger sets it, too.
---@field warnings string[] Faults of files, and the settings that are in force instead.

---Result of `config.show`.
---@class clada.ConfigShowResult
---@field settings clada.Setting[] All settings, sorted by key.
---@field warnings string[] Faults of files, and the settings that are in force instead.
---@field broken? boolean True if a file, a variable or a flag cannot be used as it is; `warnings` say why.
---@field userFile? string Path of the user's file, whether it is there or not; absent if no home folder is known.
---@field projectFile? string Path of the project's file, whether it is there or not; absent without a project.
---@field defaults? string With `defaults: true`, a configuration file as YAML; used as it is, it changes nothing.

---The data of `context_add` and `context_remove`.
---@class clada.ContextChanged
---@field path string The path, as it was named.
---@field size integer The number of paths in the context.

---A file or folder in a session's context.
---@class clada.ContextEntry
---@field path string The path, absolute.
---@field size? integer The size of a file in bytes; absent for a folder and for a missing path.

---The data of `context_prune` and `context_clear`.
---@class clada.ContextRemoved
---@field removed string[] The paths that were removed.

---Result of the methods of `context`.
---@class clada.ContextResult
---@field session string The session.
---@field context clada.ContextEntry[] The entries of its context now, in the order of paths.
---@field added? string[] The paths that were added, absolute.
---@field removed? string[] The paths that were removed, absolute.

---The destination of a plan's changes.
---@alias clada.Deliver
---| "disk" # Written to the files.
---| "edits" # Returned as a workspace edit for an editor; nothing is written.
---| "mixed" # Of the documents that `edits` names returned as a workspace edit, of all others written to the files.

---Result of `doctor`: what the daemon knows. `clada doctor` adds what the client sees.
---@class clada.DoctorResult
---@field checks clada.Check[] The findings, in the order in which they are shown.

---One change of a `WorkspaceEdit`.
---@alias clada.DocumentChange
---| { textDocument: clada.TextDocument, edits: clada.TextEdit[] } # Edits of a document's text, one entry a document: ranges are of the text before, ascending, and do not overlap. The text of a document that is created is one edit, whole, with its byte order mark.
---| { kind: clada.ResourceKind, oldUri: string, newUri: string, options?: clada.ResourceOptions } # A file is renamed.
---| { kind: clada.ResourceKind, uri: string, options?: clada.ResourceOptions } # A file or folder is created or deleted.

---The changes that a dry run would have made.
---@class clada.DryRun
---@field diff string A git-style unified diff of all files, against what they hold now.

---The reaction to something that cannot be embedded.
---@alias clada.EmbedErrorMode
---| "strict" # There is no document.
---| "flexible" # There is a document once the request says `approved`.
---| "ignore" # There is a document without it.

---The content of `embed.event`.
---@class clada.EmbedEvent
---@field request? clada.Id The id of the request.
---@field seq integer The number of the event, from 0 on.
---@field kind clada.EmbedEventKind The kind of the event.
---@field done? integer Of `progress`: the number of files read so far.
---@field total? integer Of `progress`: the number of files in all.
---@field text? string Of `text`: the next piece of the document.

---The kind of an event of an `embed`.
---@alias clada.EmbedEventKind
---| "progress" # More files have been read.
---| "text" # There is more of the document.

---The format of a document.
---@alias clada.EmbedFormat
---| "markdown" # CommonMark, for people and models.
---| "xml" # XML 1.0.
---| "json" # One JSON object.

---Something that is wrong, or odd.
---@class clada.EmbedIssue
---@field path string The path that it is about.
---@field kind? clada.ErrorKind Of an error: its kind.
---@field reason? string A name for all paths with such an issue, to count them: `binary files`. Empty if there is none.
---@field message string In words, with the path.

---A limit or choice that a document was made with, for people to read.
---@class clada.EmbedNote
---@field name string Its name, such as `Maximum file size`.
---@field value string Its value, such as `1024 KB`.

---The length of a document's description of itself before its files.
---@alias clada.EmbedPreamble
---| "brief" # The text that a model needs to read the headings, in at most 120 tokens, and the tree of two files or more.
---| "full" # Purpose, format, guidelines and limits, as in the reference, and the tree.

---Result of `embed`.
---@class clada.EmbedResult
---@field document? string The document, if it is neither withheld, nor streamed, nor written to `output`.
---@field files clada.EmbeddedFile[] The files in it, in its order.
---@field omitted clada.OmittedPath[] The paths that were found and are not in it, in the order of paths.
---@field notes? clada.EmbedNote[] The limits and choices behind the document, in the order of a full preamble; empty if it is withheld.
---@field errors clada.EmbedIssue[] The failures to embed something.
---@field warnings clada.EmbedIssue[] The warnings for the user.
---@field needsApproval? boolean True if there are errors, and the document is withheld until the request says `approved`.
---@field bytes integer The document's size in bytes, the prompt's included; 0 if it is withheld.
---@field tokens? integer With `tokens` or `maxTokens`: the document's tokens, without the prompt's.
---@field output? string The file that got the document, absolute.
---@field clock? string With `changed` or `since`: the clock up to which changes are in the document.

---A file that is in the document.
---@class clada.EmbeddedFile
---@field path string Relative to the root; absolute outside of it.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.
---@field size integer Bytes of the file; of lines of it, their bytes in UTF-8.
---@field tokens? integer Tokens of its content, if they are counted.

---The kind of a failure. A kind keeps its name and its code; later versions add some.
---@alias clada.ErrorKind
---| "parse_error" # The frame is not JSON.
---| "invalid_request" # The JSON is not a request.
---| "method_not_found" # No such method, or not for this caller.
---| "invalid_params" # Parameters are missing, unknown or of the wrong type.
---| "internal" # A fault of the daemon; its id is in the log.
---| "cancelled" # The request was cancelled.
---| "project_not_found" # The folder given as root does not exist or is not a folder.
---| "session_not_found" # No such session.
---| "plan_not_found" # No such plan, or it has expired.
---| "busy" # Another operation holds the project, or the daemon has no room.
---| "limit_exceeded" # A limit would be exceeded; the message names it.
---| "input_too_large" # The answer is larger than `limits.input`.
---| "path_escape" # The path leaves the allowed roots, or is no path.
---| "path_denied" # The path is denied by name (`.git`, `.clada`, `denied` globs).
---| "secret" # The file is held back as a secret.
---| "symlink_not_allowed" # A symbolic link is where none is followed.
---| "command_not_allowed" # A command is neither built in nor approved.
---| "approval_required" # The user has to approve this first.
---| "conflict" # The file has changed since the change was planned.
---| "answer_already_applied" # This answer was applied before.
---| "git_operation_failed" # git could not do what was asked.
---| "not_text" # The file is not UTF-8 text, or holds NUL.
---| "io" # The operating system refused; path and code are in the message.
---| "timeout" # The deadline passed.
---| "no_match" # The old text is not in the file.
---| "match_count" # The old text occurs another number of times than asked.
---| "ambiguous" # The old text fits several places, or a path several files.
---| "already_in_file" # The file already holds what the edit would insert.
---| "file_not_found" # No such file or folder.
---| "file_exists" # The target exists and must not.
---| "is_directory" # A folder is where a file is meant.
---| "not_directory" # A file is where a folder is meant.
---| "not_regular_file" # A FIFO, socket or device is where a file is meant.
---| "directory_not_empty" # The folder is not empty.
---| "permission_denied" # The operating system denies access.
---| "no_space" # The file system is full, or a quota is.
---| "read_only" # The file system is mounted read-only.
---| "unknown_action" # No action of that name.
---| "not_allowed_for_llm" # The action is for users, not for a model's answer.
---| "not_available" # The action is defined, but this version cannot carry it out.
---| "invalid_value" # A parameter's value makes no sense for this file (a line range past its end, an empty search).
---| "skipped" # Not carried out because something that it needs was not.
---| "invalid_config" # The configuration cannot be used.
---| "operation_not_found" # No such operation, or it can no longer be resumed.
---| "already_undone" # The operation was undone before.
---| "not_undoable" # The former content cannot be restored.
---| "exec_failed" # A command ended with another status than 0, or could not be started.
---| "not_delivered" # Not done: edits for an editor cannot carry it, or it would see files without those edits.
---| "peer_not_allowed" # This process may not call the daemon; `reason` says why.
---| "elision" # The new text has a placeholder in place of lines that would be lost.
---| "content_is_patch" # A file would be overwritten by the text of a patch.
---| "lines_shifted" # Numbers of lines that an earlier action of the answer has moved.
---| "approval_not_found" # Nothing waits for approval under this id: it was answered, asked again, or is gone.

---Parameters of the notification `execute.event`, which precede the result of an `execute` with `stream`.
---@class clada.ExecuteEvent
---@field seq integer The number of the action.
---@field task string The number in `[task-N]`.
---@field kind clada.ExecuteEventKind The kind of the event.
---@field command? string Of the beginning: the command as it is written; of code its language.
---@field stream? string Of output: the stream, `stdout` or `stderr`.
---@field text? string Of output: the text, with U+FFFD for bytes that are no UTF-8.
---@field lost? boolean Of the end: true if some of the output was not sent, since the client did not read it in time. The result has it.
---@field request? clada.Id The id of the request.

---The kind of an `execute.event` notification.
---@alias clada.ExecuteEventKind
---| "started" # A command begins.
---| "output" # It has written something.
---| "finished" # It has ended.

---Result of `execute`.
---@class clada.ExecutionResult
---@field success boolean True if everything parsed and succeeded.
---@field totalBlocks integer Blocks in the answer.
---@field blocks clada.BlockInfo[] The blocks in document order.
---@field executedActions integer Actions that were attempted.
---@field results clada.ActionResult[] One entry an action, in document order.
---@field warnings clada.OperationWarning[] Oddities that stopped nothing.
---@field approvals? clada.Approval[] The approvals that the user would have to give.
---@field parseErrors clada.ParseIssue[] The faults that the parser found.
---@field notRead? clada.NotRead[] The texts that look like edits, in a form that clada does not read.
---@field howToWrite? string With `notRead`: instructions for writing an edit, for the model that wrote the answer; at most 350 tokens.
---@field fatalError? string The reason why not everything could be carried out.
---@field operationId? string The operation's id. None of a dry run, with `deliver: "edits"`, or with `"mixed"` if nothing was written.
---@field externalChanges? string[] Paths that another process changed during the operation, each once.
---@field changed? clada.ChangedFile[] The files that it changed, or would change, each once, from before the operation to after it; at most 500.
---@field changedMore? integer The number of changed files that `changed` does not list.
---@field files? clada.ChangedFile[] Of `checkpoint.end`: the files that changed while the checkpoint was open, as `changed` lists them.
---@field diff? string With `show` or `apply.show` as `diff`, the changes as a git-style unified diff. A dry run has them in `dryRun`.
---@field git? clada.GitReport The commits that were made, or why none were.
---@field dryRun? clada.DryRun With `dryRun: true`, the changes that it would have made.
---@field edits? clada.WorkspaceEdit With `deliver: "edits"` the changes; with `"mixed"` those of the documents that the editor holds.
---@field reports? clada.Reports The reports that were asked for.
---@field truncated? boolean True if the result was cut at its size limit; each cut part is marked too.
---@field shortIds? table<string, string> For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today.

---The place that a failure or its hint names.
---@class clada.FailurePlace
---@field path string The file, from the root: that of the action, or another one that the hint names.
---@field uri string The same as a `file` URI.
---@field line? integer The 0-based line that the hint, or else the error, names: in the file as the actions before would have left it, counted by `lines`. Absent: the place is the file.

---The change of a file.
---@class clada.FileChange
---@field path string Relative to the root.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.
---@field kind clada.ChangeKind `created`, `changed` or `deleted`.
---@field oldPath? string Of a file that an operation moved here: the path that it had, which is listed as `deleted`. Only events about operations say so.
---@field own? boolean True if clada made this change itself. Only events say so.

---Lines of a document that a plan replaces.
---@class clada.FileHunk
---@field id string Its id, unique in the plan.
---@field start integer The 0-based line of the document as it is now at which `removed` begins, or `added` is inserted. A byte order mark that stays is in no line.
---@field removed string[] The lines that go, with their line ends.
---@field added string[] The lines that come in their place, with their line ends.
---@field before? string[] As far as `context` asks for it and there is room: the lines before it that stay. Those between two hunks are with one of them.
---@field after? string[] The lines after it that stay.
---@field parts string[] The ids of the actions' hunks that it is made of, or of an action that has none.
---@field group string The id of its group, to give to `execute` in `accept`: hunks of one group go together.

---The end that a write gave the last line of a file, if it had none (spec: answers, section 5).
---@alias clada.FinalNewline
---| "added" # A newline was added.

---The data of `dir_create`.
---@class clada.Folder
---@field path string The folder, as it was named.
---@field created boolean True if it was not there.

---A line that `grep` found.
---@class clada.FoundLine
---@field file string The file, absolute.
---@field line_number integer The line's number, from 1.
---@field line string The line without its end.
---@field truncated? boolean True if the line is longer than what is shown of it.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.

---The outcome of an operation's commits.
---@class clada.GitReport
---@field mode string Their destination: `branch`, `refs` or `off`.
---@field before? string The commit of the changes that were uncommitted before.
---@field after? string The commit of the operation's changes.
---@field retracted? string Of an undo: the reference that keeps the commits that were taken off the branch.
---@field skipped? string The reason why there are no commits.
---@field note? string A remark about them for the user.

---Result of `git.squash`.
---@class clada.GitSquashResult
---@field commit string The one commit. Empty for a dry run.
---@field squashed integer The number of commits that it is made of.
---@field kept string The reference that keeps the former commits. Empty for a dry run.
---@field commits? clada.CommitInfo[] The commits that it is made of, newest first.
---@field operationId? string The id of the operation, which `undo` takes.
---@field shortId? string The shortest beginning of `operationId` that names it.
---@field warnings? string[] The warnings for the user.

---Result of `git.step_back` and `git.step_forward`.
---@class clada.GitStepResult
---@field commit string The commit that is checked out now.
---@field branch? string The branch, if its end is reached again.
---@field stashed_files? string[] Files that were not committed and are in git's stash now, relative to the work tree.
---@field restored? boolean True if the changes that were stashed here before were restored.
---@field conflicts? string[] The conflicts that prevent the restoring. The changes stay in the stash.
---@field line? string With HEAD detached: the branch that this line of work belongs to, if it is one.
---@field operationId? string The id of the operation, which `undo` takes.
---@field shortId? string The shortest beginning of `operationId` that names it.
---@field warnings? string[] The warnings for the user.

---The destination of an operation's commits.
---@alias clada.GitWhere
---| "branch" # On the branch that is checked out.
---| "refs" # On `refs/clada/…`, alongside the branch.
---| "off" # Nowhere.

---A move of HEAD, or of the branch that it names.
---@class clada.HeadMove
---@field from clada.HeadPosition The position before.
---@field to clada.HeadPosition The position after.

---A position of HEAD.
---@class clada.HeadNote
---@field branch string The branch; `HEAD` if it is detached.
---@field commit? string The commit; absent on a branch that has none yet.

---A position of HEAD.
---@class clada.HeadPosition
---@field reference? string The reference that HEAD names, a branch as a rule; absent if HEAD is detached.
---@field commit string The commit.

---Result of `hello`.
---@class clada.HelloResult
---@field server string `clada-daemon`.
---@field version string The daemon's version.
---@field protocol integer The protocol to speak: the newest that both know.
---@field features string[] The features of this daemon beyond the protocol.
---@field speaks? string The language that is spoken from then on, if it is not this one: `mcp`.
---@field caller? clada.CallerKind The kind of caller that the connection is.
---@field roots? string[] The folders that it is narrowed to, resolved; absent: it is not narrowed.
---@field readOnly boolean True if it may only call what changes nothing.

---Result of `history.adopt`.
---@class clada.HistoryAdoptResult
---@field from string Absolute path at which the project was before.

---Result of `history.forget`.
---@class clada.HistoryForgetResult
---@field projects clada.ProjectRecord[] What is kept of each project, or was.
---@field bytes integer The bytes of all of it.
---@field approvals integer Commands that the user has approved there for good, and configurations that are trusted.
---@field forgotten boolean True if it was deleted.
---@field left string[] Sentences about what stays, and how it is removed.

---Result of `history.list`.
---@class clada.HistoryListResult
---@field operations clada.OperationInfo[] Newest first.
---@field movedFrom? string Absolute path at which this folder may have been before: only its user knows, since the file system does not record when folders were created. `history.adopt` takes the operations of that project over.
---@field more? boolean True if there are older ones.
---@field warnings? string[] The warnings for the user: a damaged journal was set aside.
---@field shortIds? table<string, string> For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today.

---Result of `history.show`.
---@class clada.HistoryShowResult
---@field operation clada.OperationInfo The operation.
---@field actions? clada.ActionResult[] Of an answer that was carried out: the results of its actions, in their order, with the paths among their parameters, or with `parameters: true` all of them. Empty for one that was interrupted, and where it is no longer known.
---@field changes clada.PathChange[] Its effect on each path as a whole, in the order in which it came to them.
---@field diff? string With `diff: true`: a git-style unified diff of its changes to files.
---@field warnings? string[] The parts of it that could not be read.
---@field shortIds? table<string, string> For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today.

---How much of a change was carried out.
---@class clada.HunkCount
---@field done integer The number of hunks that were carried out.
---@field of integer The number of hunks that the change has.

---The id of a request, as it was written.
---@alias clada.Id
---| string
---| number
---| vim.NIL

---Result of `instructions`.
---@class clada.InstructionsResult
---@field dialect string The dialect's name.
---@field text string The text, fenced so that applying it by mistake does nothing.

---An operation of an agent that left out what needs approval.
---@class clada.LeftOut
---@field operationId string The operation: `execute` with `resume` takes it up.
---@field root string The root of its project, resolved.
---@field client? string The name that its client gave in `hello`.
---@field endedMs integer Milliseconds since it ended.
---@field declined? boolean True if a person was asked and said no.
---@field what string[] The first lines of what it left out, one for each approval, at most 20.

---The line ends that an editor counts.
---@alias clada.LineEnds
---| "lsp" # LF, CRLF and a lone CR, as the Language Server Protocol and VS Code count.
---| "lf" # LF alone, as Neovim and Emacs count.

---Files with further names (hard links) that were not found in the project: outside of it, or where git ignores them.
---@class clada.LinkedOutside
---@field paths string[] The first 5 of their paths, from the root.
---@field count integer The number of them.

---An entry of `ls`.
---@class clada.ListedEntry
---@field name string Its name.
---@field type string Its kind: `file`, `directory`, `symlink` or `special`.
---@field size integer Its size in bytes.
---@field modified string The time of its last change, as RFC 3339 has it.
---@field nameBytes? string The name's bytes as base64, if they are no UTF-8.

---The distance allowed between the old text and the text of a file (spec: dialects, "Matching").
---@alias clada.MatchLevel
---| "exact" # The text itself.
---| "strict" # Lines, up to blanks at their ends.
---| "tolerant" # Lines, as far as exactly one place can be meant.

---The data of `file_move`.
---@class clada.Moved
---@field old_path string The path that it had.
---@field new_path string The path that it has.
---@field overwrote? boolean True if something was there, and is replaced.

---The repositories that a command made.
---@class clada.NewRepositories
---@field paths string[] The first of their folders, from the root.
---@field count integer The number of them.

---A text that looks like an edit, in a form that clada does not read.
---@class clada.NotRead
---@field line integer 1-based line at which it begins.
---@field kind string Its kind: `listing`, `elided_listing`, `headless_diff`, `tool_call`, `shell_edit`, `escaped`, `unknown_element`, `other_dialect`, `prose`.
---@field path? string The path that it names, as written.
---@field hint string The advice for the caller.

---Paths that no undo restores: ignored by git, or different from git's copy and too large to be kept.
---@class clada.NotUndoable
---@field paths string[] The first of the paths, from the root; a folder, with all that is in it, ends in `/`.
---@field count integer The number of them.
---@field incomplete? boolean True if the project is too large to be read as a whole: there may be more.

---A path that is not in the document.
---@class clada.OmittedPath
---@field path string As of a file; a folder ends with `/`.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.
---@field reason string The reason.

---An operation, as lists show it.
---@class clada.OperationInfo
---@field operationId string Its id: 12 letters from k to z, of an operation of an older version 18 hexadecimal digits. It says nothing about the order.
---@field kind string The kind: `execute`, `undo` or `redo`; `git` for a squash or a step; `record` for what changed while a checkpoint was open.
---@field status string Its state: `applying`, `done` or `interrupted`.
---@field beganMs integer The time of its start: milliseconds since 1970.
---@field summary string A few words about its effect.
---@field undoes? string The operation that it undid.
---@field undoneBy? string The operation that undid it.
---@field title? string The first words of the answer, if it begins with words.
---@field files? integer The number of files that it changed; absent where nobody counted, as in older versions.
---@field firstFile? string The first of them, relative to the root; absolute outside of it.
---@field added? integer The lines that it added to files.
---@field removed? integer The lines that it removed from files.
---@field head? clada.HeadMove Of a squash or a step, and of undoing one: the move of HEAD.

---Something odd that stopped nothing.
---@class clada.OperationWarning
---@field task? string The action it belongs to, if it belongs to one.
---@field message string The oddity, in words.

---A text that stands in for a file, which `path` or `uri` names.
---@class clada.Overlay
---@field path? string|vim.NIL The file, absolute or relative to the root. What begins with `file://` is taken for a URI.
---@field uri? string|vim.NIL The file as a `file` URI of this machine, percent-encoded; no other scheme is taken.
---@field text string The text to use as the file's content.
---@field version? integer|vim.NIL The editor's version of the document; edits of it carry this version.

---The parameters of an action, by their names in the schema of actions.
---@alias clada.Parameters table<string, any>

---An error or warning about the answer.
---@class clada.ParseIssue
---@field blockId string|vim.NIL The block's id; null where none could be read.
---@field action? string The action, if it is known.
---@field errorType string `syntax`, `validation` or `type`.
---@field code? string A stable name for the fault.
---@field message string The fault, in words.
---@field blockStartLine? integer 1-based line at which the block opens.
---@field shamContent? string The block as written (cut at 16 kB).
---@field line? integer 1-based line of the fault.
---@field column? integer 1-based column in UTF-16 code units.
---@field length? integer Length in UTF-16 code units.
---@field content? string The line itself.
---@field context? string The line with up to two lines before and after it.
---@field fatal? boolean True if nothing of the whole answer runs because of it.
---@field hint? string The advice for the caller.

---Result of `parse`.
---@class clada.ParseResult
---@field actions clada.ParsedAction[] The valid actions in document order.
---@field errors clada.ParseIssue[] The errors in document order. A block with an error is not executed.
---@field warnings? clada.ParseIssue[] Oddities that stop nothing.
---@field blocks clada.BlockInfo[] The blocks in document order.
---@field notRead? clada.NotRead[] The texts that look like edits, in a form that clada does not read.
---@field summary clada.ParseSummary Counts.
---@field approvals? clada.Approval[] With `root`: the approvals that the user would have to give.
---@field tree? table<string, any> With `tree: true`, the syntax tree by dialect: `{"sham": {blocks, errors}}`.
---@field reports? clada.Reports The reports that were asked for.

---Counts of a parse.
---@class clada.ParseSummary
---@field totalBlocks integer Blocks found.
---@field successCount integer Valid actions.
---@field errorCount integer Errors.

---A valid action.
---@class clada.ParsedAction
---@field task? string Its number in `[task-N]`, in all reports of this answer. Empty from an older daemon.
---@field action string Canonical name.
---@field parameters clada.Parameters Its parameters by the schema's names, converted to their types.
---@field metadata clada.ActionMetadata Its place in the answer.

---The data of `file_patch`.
---@class clada.Patched
---@field path string The file, as it was named.
---@field newPath? string The path that it has moved to.
---@field hunks integer The number of hunks.
---@field created? boolean True if there was no file.

---The change of one path.
---@class clada.PathChange
---@field path string The path, absolute.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.
---@field change clada.ChangeKind The kind of the change.
---@field from? string Of a move: the old path, absolute.
---@field fromBytes? string The old path's bytes as base64, if they are no UTF-8.
---@field merged? boolean Of an undo with `merge`: true if later changes were kept.
---@field error? string The reason why it was not done, or cannot be undone.
---@field kind? clada.ErrorKind On failure: its kind.

---Result of `plan.drop`.
---@class clada.PlanDropResult
---@field dropped boolean True if there was such a plan.

---A part of the result of `plan` that can be left out.
---@alias clada.PlanPart
---| "diff" # The diffs of the whole plan and of hunks, which are empty then; `files` has the same lines.

---Result of `plan`.
---@class clada.PlanResult
---@field planId string The id to give to `execute`. Plans live in memory, are bounded in number and bytes, and expire.
---@field expiresInMs integer Milliseconds until it expires.
---@field kept integer The number of plans of the project that are kept for this connection now, this one counted. The oldest makes room when there are too many, or too large ones.
---@field totalBlocks integer Blocks in the answer.
---@field actions clada.PlannedAction[] One entry an action, in document order.
---@field parseErrors clada.ParseIssue[] The faults that the parser found.
---@field notRead? clada.NotRead[] The texts that look like edits, in a form that clada does not read.
---@field warnings? clada.OperationWarning[] Oddities that stop nothing.
---@field approvals clada.Approval[] The approvals that the user would have to give.
---@field diff string A git-style unified diff of all files, against what they hold now.
---@field changed? clada.ChangedFile[] The files that it would change, each once; at most 500.
---@field changedMore? integer The number of changed files that `changed` does not list.
---@field files? clada.PlannedFile[] The effect of the whole plan on each document, as it is now: one entry a document, in order of its path.
---@field reports? clada.Reports The reports that were asked for.

---The planned effect of one action.
---@class clada.PlannedAction
---@field id string The id to give to `execute` in `accept`.
---@field seq integer 1-based, in order of execution.
---@field task string `"N"` or `"N.M"`: the number in `[task-N]`.
---@field blockId string|vim.NIL The block's id, if its dialect has ids.
---@field action string Canonical name of the action.
---@field group? string The group that all of it belongs to, as `files` has it: the id to give to `execute` in `accept`. Absent if it belongs to none, or its hunks to several.
---@field path? string The file it is about (of a move: the old path).
---@field newPath? string Of a move: the new path.
---@field preHash? string BLAKE3 of the file's content before this action, in hex; absent if there is no file.
---@field postHash? string BLAKE3 of its content after this action, in hex; absent if there will be no file.
---@field hunks clada.PlannedHunk[] The change, hunk by hunk; each may be accepted alone. Empty for actions that change no text.
---@field diff? string Of a change of several files: all of it as a unified diff, which can be accepted as a whole only.
---@field truncated? boolean True if some of `hunks` or `diff` had no room in the result; the action does more than they show.
---@field command? string Of a command: its text; of code: all of it.
---@field lines? integer Of the deletion of a text: the number of its lines.
---@field replaces? boolean True if something is already at the path that is written (of a move: at the new path), and is replaced.
---@field looks? boolean True if it only reads, lists or searches.
---@field needsApproval? string The id of the approval that it needs.
---@field matchedBy? string The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines.
---@field unplannable? clada.Unplannable The reason why it cannot be planned.
---@field unchanged? boolean True if the file already holds this.

---The effect of a plan on one document, from its text now (an overlay's text, if there is one).
---@class clada.PlannedFile
---@field path string The file, from the root; after the plan, of a move the new path.
---@field uri string The same as a `file` URI.
---@field kind clada.PlannedFileKind The kind of its change.
---@field oldPath? string Of a move: the path before, from the root.
---@field version? integer The version of its overlay.
---@field hunks clada.FileHunk[] The changes of its lines, from the first to the last. Empty if no text changes, or if it is not shown: what is no text, too large to be read, or a secret.
---@field parts? string[] Of a document that is done or not done as a whole (any `kind` but `change`, one whose text is not shown, one that `truncated` marks): the ids of what does it.
---@field group? string Of such a document: the id of its group, which all its hunks have.
---@field truncated? boolean True if its hunks had no room in the result; the plan does more to it than is shown.

---The kind of a document's change.
---@alias clada.PlannedFileKind
---| "create" # It is created.
---| "change" # Its text changes.
---| "move" # It is moved; its text may change as well.
---| "delete" # It is deleted.

---A hunk of a planned change.
---@class clada.PlannedHunk
---@field id string The id to give to `execute` in `accept`.
---@field diff string The hunk as a unified diff has it, with its `@@` line; empty if `omit` names `diff`.

---A place in a text.
---@class clada.Position
---@field line integer The 0-based line.
---@field character integer The 0-based UTF-16 code unit within the line.

---Result of `project.changes`.
---@class clada.ProjectChangesResult
---@field clock string The project's clock now, for the next `since`.
---@field fresh? boolean True if these are all files: no clock was given, or the changes since then are not known. The caller's knowledge of other files no longer holds.
---@field files clada.FileChange[] The files that changed, the latest first, then those that were deleted.
---@field warnings? string[] The warnings.

---An event of a project.
---@class clada.ProjectEvent
---@field subscription string The subscription that it belongs to.
---@field root string The root, as the subscriber gave it.
---@field kind clada.ProjectEventKind The kind of the event.
---@field clock? string The project's clock now.
---@field fresh? boolean True if these are all files: the root is another folder by now.
---@field files? clada.FileChange[] The files that changed since the event before, or by the operation.
---@field staged? integer The number of files that are ready for the next `stage`.
---@field operationId? string The operation that this is about.
---@field checkpoint? string The checkpoint that this is about.
---@field approvals? clada.Approval[] The approvals that the user would have to give.
---@field approvalsLeftOut? boolean True if `approvals` is left out, since it is more than 16 KiB: `approval.list` has what waits and what was left out.
---@field approvalId? string The answer that waits, or waited: the id for `approval.answer`.
---@field text? string The approvals that are needed, in words to be shown as they are: no markup, visible characters only.
---@field decision? clada.ApprovalDecision The decision of the user.
---@field undoes? string The operation that it undid, or did again.
---@field message? string The reason why nothing more comes.

---The kind of an event.
---@alias clada.ProjectEventKind
---| "changed" # Files changed. Subscribers to operations do not get clada's own changes here; for other subscribers they are marked `own`.
---| "staged" # The changes are staged in the background: the next `stage` has them ready.
---| "executed" # An operation has changed files: `operationId`, and the files, at most 10,000; with `oldPath` where one was moved.
---| "undone" # An operation was undone by another one, `operationId`; the undone one is `undoes`.
---| "approvalAsked" # A person is to decide: an operation left out what needs approval (`operationId`, `approvals`), or an agent's answer waits for it (`approvalId`, `approvals`, `text`).
---| "approvalAnswered" # An answer waits no longer: it was decided about (`decision`), asked about again under another id, or is gone. `approvalId` says which.
---| "checkpoint" # A checkpoint (`checkpoint`) began, was dropped, or ended as the operation `operationId`.
---| "ended" # Nothing more comes: the project is gone, or watched no longer.

---Result of `project.init`.
---@class clada.ProjectInitResult
---@field created string[] Files that were written, relative to the root.
---@field kept string[] Files that existed, and stay as they are.

---Result of `project.list`.
---@class clada.ProjectListResult
---@field projects clada.WatchedProject[] In the order of their roots.

---What is kept of a project: operations with the contents of files before them, and the state of `stage`.
---@class clada.ProjectRecord
---@field root? string Absolute path of the project, as far as it is known.
---@field folder string Absolute path of the folder of the record.
---@field bytes integer The bytes of its files.
---@field gone? boolean True if the project's folder is not there any more.

---Result of `project.root`.
---@class clada.ProjectRootResult
---@field root string The root of its project, by the name that `path` has for it where it has one.
---@field why string The reason, such as `there is a .git folder`.

---Result of `project.unwatch`.
---@class clada.ProjectUnwatchResult
---@field watched boolean True if it was watched.

---Result of `project.watch`.
---@class clada.ProjectWatchResult
---@field root string The root, as resolved.
---@field clock string The project's clock now, for `since` of `project.changes`.
---@field files integer The number of its files.
---@field warnings? string[] The warnings.

---A half-open range of text.
---@class clada.Range
---@field start clada.Position The start, inclusive.
---@field ["end"] clada.Position The end, exclusive.

---The data of `file_read` and `file_read_numbered`.
---@class clada.ReadFile
---@field path string The file, as it was named.
---@field content? string Its text; absent if the result has no room for it.
---@field pastEnd? string The number of lines in words, if more were asked for than there are.

---The data of `files_read`.
---@class clada.ReadFiles
---@field paths? string[] The files that were read; absent if none was tried.
---@field content? string Their texts, each behind a line with its path.
---@field truncated? boolean Of a failure: true if the result has no room for all of them.
---@field errors? clada.Unread[] The files that could not be read.

---A file that is not staged any more.
---@class clada.RemovedFile
---@field path string Relative to the root.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.
---@field name string The name that it was staged under.

---A file with a new path.
---@class clada.RenamedFile
---@field from string The old one, relative to the root.
---@field to string The new one.

---The data of an action that replaces a text in one file.
---@class clada.Replaced
---@field path string The file, as it was named.
---@field replacements integer The number of places.
---@field firstLine? integer Of one range: its first line.
---@field lastLine? integer Of one range: its last line.

---One file of `files_replace_all_text`.
---@class clada.ReplacedInFile
---@field path string The file, as it was named.
---@field replacements integer The number of places.
---@field error? string The reason why it was not changed.

---The data of `files_replace_all_text`.
---@class clada.ReplacedInFiles
---@field results clada.ReplacedInFile[] An entry a file.

---The data of `file_replace_lines`.
---@class clada.ReplacedLines
---@field path string The file, as it was named.
---@field lines_replaced integer The number of lines that are gone.

---The form of a report.
---@alias clada.ReportFormat
---| "text" # The words for a terminal.
---| "llm" # The words to paste back to a model.
---| "xml" # XML, as the dialect CML has it.

---Reports of a result by their form: those that were asked for and have at most 4 MB.
---@class clada.Reports
---@field text? string The words for a terminal, without colour; paths inside the project are relative.
---@field llm? string The words to paste back to a model, between fences that no dialect looks into.
---@field xml? string XML, as the dialect CML has it.

---The kind of a file operation.
---@alias clada.ResourceKind
---| "create" # Create a file.
---| "rename" # Rename a file.
---| "delete" # Delete a file.

---Options of a file operation.
---@class clada.ResourceOptions
---@field overwrite? boolean True to replace an existing target.

---The error of a request.
---@class clada.RpcError
---@field code integer The number of the kind.
---@field message string A sentence that says what happened, where, and what to do next.
---@field data { kind: clada.ErrorKind, hint?: string } The kind, and facts by name.

---Result of `session.close`.
---@class clada.SessionCloseResult
---@field closed string The session that was closed.

---A session.
---@class clada.SessionInfo
---@field session string Its name.
---@field root string Absolute path of the project.
---@field cwd string Absolute path of its working directory.
---@field context string[] Absolute paths of its context.

---Result of `session.list`.
---@class clada.SessionListResult
---@field sessions clada.SessionInfo[] The sessions, by name.

---A setting in force.
---@class clada.Setting
---@field key string `section.key`.
---@field value any Its value.
---@field origin string `default`, the path of a file, the name of a variable, or `settings` for those of the request.
---@field default? any Its default, if the value is another one.

---The part of the changes that the result of an `execute` shows.
---@alias clada.ShowChanges
---| "stat" # The files and the numbers of their lines.
---| "diff" # Also the diff.

---Result of `shutdown`.
---@class clada.ShutdownResult
---@field running integer Requests that are finished first.

---The commits that `git.squash` takes, from HEAD down to the first that is none of them.
---@alias clada.SquashMode
---| "auto_ai" # Those that clada made.
---| "ai_messages" # Those whose message begins as `git.commit_message_format` does.
---| "hours" # Those of the last `hours`.
---| "days" # Those of the last `days`.
---| "msg_contains" # Those whose message holds `msgTarget`.

---Result of `stage.confirm`.
---@class clada.StageConfirmResult
---@field warnings? string[] The warnings.

---The format of a manifest.
---@alias clada.StageManifest
---| "json" # `_path_manifest.json`: names, the root, what was removed.
---| "dhall" # `_path_manifest.dhall`: a record of names.

---Result of `stage`.
---@class clada.StageResult
---@field stagingDir? string The folder; absent for a dry run.
---@field manifestPath? string The manifest in it.
---@field copied clada.StagedFile[] The files in it.
---@field removed clada.RemovedFile[] The files that were staged before and are gone, or not staged any more.
---@field renamed clada.RenamedFile[] The removed files that came back elsewhere with the same content.
---@field files integer The number of files in the folder, also those that `copied` has no room for.
---@field eligible integer The number of files in the manifest.
---@field firstRun boolean True if nothing was staged before.
---@field omitted? clada.OmittedPath[] Files that are not staged, and why, in every result: 1000 at most. `last` does not look for them.
---@field truncated? boolean True if the lists are cut: they would exceed `limits.result_bytes`, or more than 1000 files are left out.
---@field warnings? string[] The warnings.

---A file that was staged.
---@class clada.StagedFile
---@field path string Relative to the root.
---@field pathBytes? string The path's bytes as base64, if they are no UTF-8.
---@field name string Its flat name.
---@field size integer Bytes.

---Result of `status`.
---@class clada.StatusResult
---@field logFile? string The path of the daemon's log, if it has one.
---@field socket? string The path of the socket that the daemon listens on, if it listens on one; absent for an agent.
---@field version string The daemon's version.
---@field protocol integer The newest protocol that it speaks.
---@field pid? integer Its process id; absent for an agent.
---@field uptimeMs integer Milliseconds since it started.
---@field projects string[] Absolute paths of the projects that it holds open.
---@field watches integer Folders that it watches.
---@field memoryBytes? integer Resident memory in bytes, at most a second old; absent where the system does not say.
---@field sandbox? string The sandbox of commands; absent until the first command has run.
---@field connections integer Open connections, this one included.
---@field running integer Requests that are being worked on, this one not counted.
---@field waiting? integer Answers of agents that wait for a user's approval; absent for an agent.
---@field traffic? clada.Traffic What the connections hold, and how those before have ended; absent for an agent.
---@field limits table<string, any> The limits in force, by name.
---@field warnings string[] The warnings for the user.

---Result of `subscribe`.
---@class clada.SubscribeResult
---@field subscription string The id that its events and `unsubscribe` use.
---@field clock string The project's clock at the start: later changes are reported.
---@field warnings? string[] The warnings.

---The document of a text edit.
---@class clada.TextDocument
---@field uri string `file://` URI.
---@field version integer|vim.NIL The version of the overlay that was planned over; null if there was none.

---A replacement of a range of text.
---@class clada.TextEdit
---@field range clada.Range The range that is replaced.
---@field newText string The text that replaces it.

---What the connections hold now, and how they have ended since the daemon started.
---@class clada.Traffic
---@field heldBytes integer Bytes that all connections hold together: messages that have no end yet or are worked on, notifications and answers that nobody has read yet. `rpc.totalBytes` bounds them.
---@field largestBytes integer The most of them that one connection holds.
---@field subscriptions integer Subscriptions.
---@field accepted integer Connections that were let in.
---@field turnedAway integer Connections that were not: of other users, of commands, or since none that was idle could make room.
---@field closed integer Connections that ended when everything was answered.
---@field gone integer Connections whose client went away while its requests were in progress.
---@field stalled integer Connections that were ended since their client read nothing (`rpc.stalledReaderMs`).
---@field evicted integer Idle connections that made room for others (`rpc.connections`).
---@field unloaded integer Connections that were ended since all held too much together (`rpc.totalBytes`).
---@field refused integer Connections whose input could not be read any further: no framing, a wrong or slow header block.

---Result of `trust.*`: the state after it.
---@class clada.TrustResult
---@field path string The project's configuration file, absolute.
---@field text? string Its text; absent if there is no such file, or none that can be read.
---@field hash? string The hash that identifies this text.
---@field trusted boolean True if the file is trusted as it is: all of it is in force.
---@field widens clada.Widening[] The settings that are in force only if the file is trusted.
---@field problems? string[] Other faults of the file.

---Result of `undo` and `redo`.
---@class clada.UndoResult
---@field success boolean True if all of it was undone.
---@field operationId string The id of the undo itself, which is an operation, too. Empty for a dry run.
---@field undone clada.OperationInfo The operation that was undone.
---@field changes clada.PathChange[] The change of each path, in order. Empty if everything was as before already.
---@field warnings? string[] The warnings for the user.
---@field git? clada.GitReport The outcome of commits: those of the operation are taken off the branch, or the reverse is committed.
---@field fatalError? string A failure after the files were changed.
---@field reports? clada.Reports The reports that were asked for.
---@field dryRun? clada.DryRun With `dryRun: true`, the changes that it would have made.
---@field shortIds? table<string, string> For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that names it in this project today.

---The unit of positions in edits.
---@alias clada.Units
---| "utf16" # UTF-16 code units within a line.
---| "line" # Whole lines, with their ends: `character` is always 0. After a last line without an end, the end of a range is the line after it, which there is not: it stands for the end of the document.

---The reason why an action cannot be planned.
---@class clada.Unplannable
---@field kind clada.ErrorKind The kind of failure.
---@field error string `{operation}: {issue} '{path}' ({CODE})`.
---@field hint? string The next step, as advice.
---@field personHint? string The end of `hint` that only a person can follow; an agent is sent neither.
---@field place? clada.FailurePlace The place that the error or its hint names, if that is in a file.

---A file that could not be read.
---@class clada.Unread
---@field path string The file, as it was named.
---@field error string The reason.

---Result of `unsubscribe`.
---@class clada.UnsubscribeResult
---@field ended boolean True if there was such a subscription.

---Parameters of the notification `waiting`: a request waits, since something else holds the project.
---@class clada.Waiting
---@field operation string The method of the request that waits.
---@field ["for"]? clada.WaitingFor The thing that it waits for; absent: another operation.
---@field request? clada.Id The id of the request that waits.

---An answer of an agent that waits: nothing of it is done before a person has decided, or the time is over.
---@class clada.WaitingApproval
---@field id string The id to give to `approval.answer`. It is of this plan alone: an answer that is asked about again has another one.
---@field root string The root of its project, resolved.
---@field client? string The name that its client gave in `hello`.
---@field waitingMs integer Milliseconds for which it has waited.
---@field expiresInMs integer Milliseconds until it is carried out without what needs approval.
---@field approvals clada.Approval[] The approvals that are needed. `once` gives all of them.
---@field diff string A git-style unified diff of all that the answer changes, against what the files hold now.
---@field changedSince? string The changes since it was asked about before, under another id.
---@field text string All of it in words, as `clada approvals` shows it before it asks: harmless to print, no markup.

---A holder of a project other than an operation.
---@alias clada.WaitingFor
---| "interrupted_command" # Processes that a command of an interrupted operation started, and that have not ended yet.
---| "approval" # A person's answer to what it needs approval for.

---A project that is watched.
---@class clada.WatchedProject
---@field root string The root, as resolved.
---@field files? integer The number of its files; absent while the daemon scans it.
---@field degraded? string The reason why every request about it scans its whole tree.

---A setting of a project's configuration file that is in force only if the user trusts the file.
---@class clada.Widening
---@field key string `section.key`.
---@field line? integer 1-based line in the file, if it is known.
---@field message string The reason why it is not in force by itself.
---@field help string The subject of the key.

---A line of which an edit changed a part only.
---@class clada.WithinLine
---@field line integer Its number in the file after the action, from 1.
---@field text string All of it; what is longer than 200 characters is cut, and ends with `…`.

---Changes in the order in which they are to be made.
---@class clada.WorkspaceEdit
---@field documentChanges clada.DocumentChange[] Text edits and file operations.

---The data of `file_write`.
---@class clada.Written
---@field path string The file, as it was named.
---@field bytesWritten integer Its size.
---@field created boolean True if there was no file.
---@field finalNewline? clada.FinalNewline The end that the last line got, if it had none.

---The name of a method.
---@alias clada.Method
---| "hello" # Agrees on a protocol and says what the daemon can do.
---| "status" # Says how the daemon is: version, uptime, memory, limits, warnings.
---| "doctor" # Says what works here, and what to do about the rest.
---| "shutdown" # Finishes what runs and ends the daemon.
---| "rpc.discover" # Returns the description of all methods, as OpenRPC has it: this document.
---| "parse" # Finds the actions in an answer and says what is wrong with it; changes nothing.
---| "plan" # Says what an answer would do and keeps that plan for `execute`; changes nothing.
---| "plan.drop" # Drops a plan that nobody will execute.
---| "execute" # Carries out an answer or a plan and reports on every action.
---| "approve.list" # Lists the commands that are approved for good in a project, and those that it proposes.
---| "approve.add" # Approves a command for good.
---| "approve.remove" # Takes the approval of a command back.
---| "approval.list" # Lists the answers that wait for a person's approval, and what was left out for want of one.
---| "approval.answer" # Decides about an answer that waits for approval.
---| "trust.show" # Shows a project's configuration file and what of it waits for a person's trust.
---| "trust.add" # Trusts a project's configuration file as it was shown.
---| "trust.remove" # Takes the trust in a project's configuration files back.
---| "history.list" # Lists the last operations of a project, newest first.
---| "history.show" # Says what an operation did to each path.
---| "history.adopt" # Takes over the operations of a project that is not at its path any more: this folder was there, or is a copy.
---| "history.forget" # Deletes what is kept of a project, or of all, or says what that would be.
---| "undo" # Takes an operation back.
---| "redo" # Takes an undo back.
---| "checkpoint.begin" # Begins to record what other programs change in a project.
---| "checkpoint.end" # Makes one operation of what changed since a checkpoint began.
---| "checkpoint.list" # Lists the open checkpoints of a project.
---| "checkpoint.drop" # Drops a checkpoint: what changed since is no operation.
---| "embed" # Makes one document for a prompt of files and folders.
---| "git.squash" # Makes one commit of those from HEAD downwards that are meant.
---| "git.step_back" # Goes to the commit before this one and puts aside what is not committed.
---| "git.step_forward" # Goes to the commit after this one and gives back what was put aside there.
---| "stage" # Stages the files that changed under flat names in a folder of their own, with a manifest.
---| "stage.confirm" # Confirms a staging folder: its files are not staged again, and the folder before it is deleted.
---| "stage.write_back" # Writes edited copies of staged files back to their places, as one operation.
---| "project.init" # Writes a commented configuration and the list of what is not staged into a project that has none.
---| "project.watch" # Watches a project, so that its changes are known without looking through it.
---| "project.unwatch" # Lets go of a project that is watched.
---| "project.list" # Lists the projects that are watched.
---| "project.root" # Finds the root of the project that a file or folder belongs to.
---| "project.changes" # Says which files of a project changed since a clock; watches it from then on.
---| "subscribe" # Tells of changes of a project's files as they happen, by `event` notifications on this connection.
---| "unsubscribe" # Ends a subscription.
---| "session.open" # Opens a session of a project, or returns the open one of that name.
---| "session.get" # Returns a session.
---| "session.set_cwd" # Sets the working directory of a session.
---| "session.close" # Closes a session.
---| "session.list" # Lists the sessions of a project.
---| "context.add" # Adds files and folders to the context of a session.
---| "context.remove" # Removes files and folders from the context of a session.
---| "context.list" # Lists the context of a session.
---| "context.prune" # Removes from the context of a session what is gone or was never used.
---| "context.clear" # Empties the context of a session.
---| "instructions" # Returns the text that teaches a model a dialect and the actions it may use.
---| "config.show" # Returns every setting in force and where it came from.
---| "config.set" # Sets one key in the user's configuration file, or a project's; all else in it stays as it is.
---| "config.unset" # Removes one key from the user's configuration file, or a project's; all else in it stays as it is.
---| "config.init" # Writes a commented configuration file, the user's or a project's, where there is none.

---What each method takes and returns: `{ params, result }`.
---@class clada.Methods
---@field ["hello"] { params: clada.HelloParams, result: clada.HelloResult }
---@field ["status"] { params: clada.StatusParams, result: clada.StatusResult }
---@field ["doctor"] { params: clada.DoctorParams, result: clada.DoctorResult }
---@field ["shutdown"] { params: clada.ShutdownParams, result: clada.ShutdownResult }
---@field ["rpc.discover"] { params: clada.DiscoverParams, result: table<string, any> }
---@field ["parse"] { params: clada.ParseParams, result: clada.ParseResult }
---@field ["plan"] { params: clada.PlanParams, result: clada.PlanResult }
---@field ["plan.drop"] { params: clada.PlanDropParams, result: clada.PlanDropResult }
---@field ["execute"] { params: clada.ExecuteParams, result: clada.ExecutionResult }
---@field ["approve.list"] { params: clada.ApproveListParams, result: clada.ApproveResult }
---@field ["approve.add"] { params: clada.ApproveAddParams, result: clada.ApproveResult }
---@field ["approve.remove"] { params: clada.ApproveRemoveParams, result: clada.ApproveResult }
---@field ["approval.list"] { params: clada.ApprovalListParams, result: clada.ApprovalListResult }
---@field ["approval.answer"] { params: clada.ApprovalAnswerParams, result: clada.ApprovalAnswerResult }
---@field ["trust.show"] { params: clada.TrustShowParams, result: clada.TrustResult }
---@field ["trust.add"] { params: clada.TrustAddParams, result: clada.TrustResult }
---@field ["trust.remove"] { params: clada.TrustRemoveParams, result: clada.TrustResult }
---@field ["history.list"] { params: clada.HistoryListParams, result: clada.HistoryListResult }
---@field ["history.show"] { params: clada.HistoryShowParams, result: clada.HistoryShowResult }
---@field ["history.adopt"] { params: clada.HistoryAdoptParams, result: clada.HistoryAdoptResult }
---@field ["history.forget"] { params: clada.HistoryForgetParams, result: clada.HistoryForgetResult }
---@field ["undo"] { params: clada.UndoParams, result: clada.UndoResult }
---@field ["redo"] { params: clada.UndoParams, result: clada.UndoResult }
---@field ["checkpoint.begin"] { params: clada.CheckpointBeginParams, result: clada.CheckpointBeginResult }
---@field ["checkpoint.end"] { params: clada.CheckpointEndParams, result: clada.ExecutionResult }
---@field ["checkpoint.list"] { params: clada.CheckpointListParams, result: clada.CheckpointListResult }
---@field ["checkpoint.drop"] { params: clada.CheckpointDropParams, result: clada.CheckpointDropResult }
---@field ["embed"] { params: clada.EmbedParams, result: clada.EmbedResult }
---@field ["git.squash"] { params: clada.GitSquashParams, result: clada.GitSquashResult }
---@field ["git.step_back"] { params: clada.GitStepParams, result: clada.GitStepResult }
---@field ["git.step_forward"] { params: clada.GitStepParams, result: clada.GitStepResult }
---@field ["stage"] { params: clada.StageParams, result: clada.StageResult }
---@field ["stage.confirm"] { params: clada.StageConfirmParams, result: clada.StageConfirmResult }
---@field ["stage.write_back"] { params: clada.StageWriteBackParams, result: clada.ExecutionResult }
---@field ["project.init"] { params: clada.ProjectInitParams, result: clada.ProjectInitResult }
---@field ["project.watch"] { params: clada.ProjectParams, result: clada.ProjectWatchResult }
---@field ["project.unwatch"] { params: clada.ProjectParams, result: clada.ProjectUnwatchResult }
---@field ["project.list"] { params: clada.ProjectListParams, result: clada.ProjectListResult }
---@field ["project.root"] { params: clada.ProjectRootParams, result: clada.ProjectRootResult }
---@field ["project.changes"] { params: clada.ProjectChangesParams, result: clada.ProjectChangesResult }
---@field ["subscribe"] { params: clada.SubscribeParams, result: clada.SubscribeResult }
---@field ["unsubscribe"] { params: clada.UnsubscribeParams, result: clada.UnsubscribeResult }
---@field ["session.open"] { params: clada.SessionOpenParams, result: clada.SessionInfo }
---@field ["session.get"] { params: clada.SessionGetParams, result: clada.SessionInfo }
---@field ["session.set_cwd"] { params: clada.SessionSetCwdParams, result: clada.SessionInfo }
---@field ["session.close"] { params: clada.SessionCloseParams, result: clada.SessionCloseResult }
---@field ["session.list"] { params: clada.SessionListParams, result: clada.SessionListResult }
---@field ["context.add"] { params: clada.ContextChangeParams, result: clada.ContextResult }
---@field ["context.remove"] { params: clada.ContextChangeParams, result: clada.ContextResult }
---@field ["context.list"] { params: clada.ContextParams, result: clada.ContextResult }
---@field ["context.prune"] { params: clada.ContextParams, result: clada.ContextResult }
---@field ["context.clear"] { params: clada.ContextParams, result: clada.ContextResult }
---@field ["instructions"] { params: clada.InstructionsParams, result: clada.InstructionsResult }
---@field ["config.show"] { params: clada.ConfigShowParams, result: clada.ConfigShowResult }
---@field ["config.set"] { params: clada.ConfigSetParams, result: clada.ConfigSetResult }
---@field ["config.unset"] { params: clada.ConfigUnsetParams, result: clada.ConfigSetResult }
---@field ["config.init"] { params: clada.ConfigInitParams, result: clada.ConfigInitResult }

---The parameters of each notification that the daemon sends.
---@class clada.Notifications
---@field ["execute.event"] clada.ExecuteEvent Tells what commands of an answer do while they run, if the request has `stream`.
---@field ["embed.event"] clada.EmbedEvent Brings a document in pieces and the progress of reading, if the request has `stream`.
---@field ["event"] clada.ProjectEvent Tells of a change of a project, until the subscription ends.
---@field ["waiting"] clada.Waiting Tells that a request waits for its turn in the project, once for each holder.
