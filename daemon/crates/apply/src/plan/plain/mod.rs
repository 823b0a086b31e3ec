//! Plain answers: code that a model shows without a dialect becomes proposals (spec: plain).
//!
//! `tie` holds what the reader found against the project: `bind` names the file of each candidate, `code` says
//! what it becomes of it; `misnamed` knows code that the nearest name does not mean, `dismissed` code
//! that words call no change, `tied` is what they pass on. `which` reads the names, `answer_paths`, `namespace` and `new_folder` know the folder of a new file,
//! `new_file` says whether there is to be one. `whole` says what the code is of its file, `notation` knows edits
//! that are no content, `content`, `file_kind` and `undeclared` find the file of code without a name, `copied`
//! undoes what copying did. `merging` makes the edits of files that exist (`edits`, `insertion` at an
//! `anchor_line`, `import_lines`, `old_form`, `plain_edit`, `remarks`, `removing`, `replacing`, `signed`), `operations` deletions, moves and
//! commands; `versions` says what excludes each other. `decide` makes steps of the proposals that were accepted,
//! `hunks` divides one for an editor. Nothing here writes; a proposal that nobody accepted is never a step.

mod anchor_line;
mod answer_paths;
mod bind;
mod code;
mod content;
mod copied;
pub(crate) mod decide;
mod dismissed;
mod edits;
mod file_kind;
mod files;
mod heads;
mod hunks;
mod import_lines;
mod inserted_text;
mod insertion;
mod merging;
mod misnamed;
mod namespace;
mod new_file;
mod new_folder;
mod notation;
mod old_form;
mod operations;
mod plain_edit;
mod remarks;
mod removing;
mod replacing;
mod runs;
mod section_place;
mod signed;
mod tie;
mod tied;
mod types;
mod undeclared;
mod versions;
mod which;
mod whole;
mod words;
