---@meta
-- Made by `cargo run -p clada-protocol --features schema --example openrpc` from the types in protocol/; not to be edited.

---A file that an operation changed: from before it to after it.
---@class clada.ChangedFile
---@field path string The path, relative to the root; absolute outside of it.
---@field oldPath? string Of a file that was moved: the path that it had.
---@field kind any `created`, `changed`, `deleted` or `moved`.
---@field added? integer The lines that came. Absent, as `removed`: of a secret, of what is no text, and of what is too large to be compared.
---@field removed? integer The lines that went.

---A place of a plan that the user edited, as the plan showed it.
---@class clada.EditedPlace
---@field part string The id of the action or hunk that changes it: the only one of `parts` of a hunk of `files`, one of `hunks` of an action, or a proposal.
---@field start integer The 0-based line at which it begins.
---@field removed string[] The lines that go, with their line ends.
---@field added string[] The lines that the answer puts there, with their line ends.
---@field lines? string[] The lines that the user puts there, with their line ends.
---@field text? string|vim.NIL The same as one text, in the place of `lines`: its lines end as those that they replace.

---The change of a file.
---@class clada.FileChange
---@field path string Relative to the root.
---@field pathBytes? string The path's bytes as base64, if they are not UTF-8.
---@field kind any `created`, `changed` or `deleted`.
---@field oldPath? string Of a file that an operation moved here: the path that it had, which is listed as `deleted`. Only events about operations say so.
---@field own? boolean True if clada made this change itself. Only events say so.

---Result of `hello`.
---@class clada.HelloResult
---@field server string `clada-daemon`.
---@field version string The daemon's version.
---@field protocol integer The protocol to speak: the newest that both know.
---@field features string[] The features of this daemon beyond the protocol.
---@field replaced? boolean True if another program, or none, is now where this daemon's was when it started: end it when it is idle.
---@field speaks? string The language that is spoken from then on, if it is not this one: `mcp`.
---@field caller? any The kind of caller that the connection is.
---@field roots? string[] The folders that it is narrowed to, resolved; absent: it is not narrowed.
---@field readOnly boolean True if it may only call what changes nothing.

---The outcome of an execution as an editor shows it.
---@class clada.Outcome
---@field line string The counts on one line: `5 done, 1 failed, 2 left out`.
---@field complete boolean True if all of the answer is applied but what the user left out.
---@field problems? any[] What was not applied, without what the user left out.

---The change of one path.
---@class clada.PathChange
---@field path string The path, absolute.
---@field pathBytes? string The path's bytes as base64, if they are not UTF-8.
---@field change any The kind of the change.
---@field from? string Of a move: the old path, absolute.
---@field fromBytes? string The old path's bytes as base64, if they are not UTF-8.
---@field merged? boolean Of an undo with `merge`: true if later changes were kept.
---@field error? string The reason why it was not done, or cannot be undone.
---@field kind? any On failure: its kind.

---A plan as a user decides on it. Its files are those of the result: with it, the files of proposals come first.
---@class clada.Review
---@field units clada.ReviewUnit[] The parts of the plan that are accepted or left out as one, in the order in which they are shown.
---@field always string[] The ids to give to `execute` in `accept` besides those of accepted units: nobody decides on them.
---@field notes any[] What cannot be decided on: failures, then what already holds, what only reads, and remarks.
---@field failed integer The number of notes that are failures.
---@field nothing? string The reason why nothing can be decided on, if that is so.

---A group of hunks, a file that is done as a whole, or an action without a file.
---@class clada.ReviewUnit
---@field id string The id to give to `execute` in `accept`, or in `decline` if it is of a proposal. Hunks have it as `group`.
---@field key string A hash of its change. A unit of another plan with this key makes the same change: decisions can be kept.
---@field accepted boolean True if it is accepted at first: it needs no approval, and is not proposed or was edited by the user.
---@field approvals? string[] The ids to give to `execute` in `approve` if it is accepted.
---@field approvalText? string These approvals in words to be shown as they are: several lines, no markup, visible characters only.
---@field suspicious? boolean True if what is approved holds control, bidi or invisible characters.
---@field proposal? string The id of the proposal that it is of.
---@field excludes? string[] The ids of units that are left out if it is accepted: other versions or places.
---@field title? string Of an action without a file: its words, on one line unless a command has several.
---@field diff? string Of such an action: its change as a unified diff.
---@field command? boolean True if a command runs, which does not see what an editor holds.
