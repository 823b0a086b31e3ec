//! A request for a document, from its parameters to its result: combines the steps and decides what errors
//! mean.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clada_config::{ErrorHandling, MAX_FILE_SIZE_KB, Settings};
use clada_fs::{Ignoring, RootedPath, Roots};
use clada_git::{GitUser, UserGitignore};
use clada_protocol::{EmbedErrorMode, EmbedParams, EmbedResult, ErrorKind, ProjectChangesResult, RpcError};

use super::changed::Changed;
use super::deliver::{Out, OutputFile, TakePiece, deliver};
use super::diff;
use super::discover::{Discovery, SearchRules};
use super::findings::{EmbedFindings, TokenBudget};
use super::format::{DocumentNotes, Style};
use super::gather::{FolderLimit, Gathered, Gathering};
use super::issue::PathIssue;
use super::names::{NameRules, with_literal_prefix};
use super::shown::ShownPath;
use super::tokens::{Counter, Vocabularies};

/// The most threads that read files: more only wait for the disk and for each other.
const THREADS: usize = 8;

/// The most files of one folder where no limit is set, outside of git's work trees.
const FILES_PER_FOLDER: u64 = 50;

/// Called with the number of files that have been read, and the number of all.
pub type Progress<'a> = &'a dyn Fn(u64, u64);

/// The callbacks and the session's state of a request, besides the parameters.
pub struct Request<'a> {
    /// The context of the session, absolute.
    pub context: &'a [String],
    /// The clock up to which the session has the changes.
    pub since: Option<&'a str>,
    /// Returns what has changed in the project since a clock; without one, every file.
    pub changes: &'a dyn Fn(Option<String>) -> Result<ProjectChangesResult, RpcError>,
    /// Returns `cancelled` or `timeout` once the document is no longer wanted.
    pub stopped: &'a (dyn Fn() -> Option<ErrorKind> + Sync),
    /// Takes the next piece of a document that is streamed.
    pub text: &'a dyn Fn(&str) -> Result<(), RpcError>,
    /// Called with the progress of the document.
    pub progress: Progress<'a>,
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Request").field("context", &self.context).finish_non_exhaustive()
    }
}

impl Request<'_> {
    fn check(&self) -> Result<(), RpcError> {
        match (self.stopped)() {
            None => Ok(()),
            Some(ErrorKind::Timeout) => {
                Err(RpcError::new(ErrorKind::Timeout, "The time was over: nothing was embedded"))
            }
            Some(kind) => Err(RpcError::new(kind, "Cancelled: nothing was embedded")),
        }
    }
}

/// The sources of a document: a project's files and its settings.
#[derive(Debug)]
pub struct Sources<'a> {
    /// The project's settings for documents.
    pub settings: &'a Settings,
    /// The vocabularies that tokens are counted with.
    pub vocabularies: &'a Vocabularies,
    /// The project's roots.
    pub inside: Roots,
    /// Texts that stand in for files of these roots.
    pub overlays: HashMap<RootedPath, String>,
    /// The same, with the whole file system after them; `None`: nothing outside is read.
    pub anywhere: Option<Roots>,
    /// The same, without the paths that answers may not name; `None`: nothing that they may not is read.
    pub named: Option<Roots>,
    /// True if the project lies in a work tree of git.
    pub is_in_work_tree: bool,
    /// The user whose gitignore holds, if known.
    pub user: Option<&'a GitUser>,
    /// The user's home folder, if known.
    pub home: Option<&'a Path>,
    /// Folders for data that is too large for memory, the best first.
    pub spool_folders: Vec<PathBuf>,
}

/// A document and what it covers.
#[derive(Debug)]
pub struct Embedded {
    /// The result for the caller.
    pub result: EmbedResult,
    /// True if changes were looked for in a part of the project: the others are still to be seen.
    pub is_part: bool,
}

/// Makes one document of files and folders.
///
/// # Errors
///
/// `invalid_params`, `limit_exceeded` for a budget that holds nothing, those of [`Request::changes`],
/// `cancelled`, `timeout`, `io`. Problems with single files are in the result.
pub fn embed(
    params: &EmbedParams,
    request: &Request<'_>,
    sources: &Sources<'_>,
) -> Result<Embedded, RpcError> {
    let job = EmbedJob { params, request, sources };
    let paths: Vec<String> = params.paths.iter().chain(request.context).cloned().collect();
    let changed = job.changed()?;
    match (&params.prompt, &changed) {
        _ if !paths.is_empty() => job.run(&paths, changed.as_ref()),
        (None, Some(_)) => job.run(&paths, changed.as_ref()),
        (Some(_), Some(changed)) if !changed.is_nothing() => job.run(&paths, Some(changed)),
        (Some(prompt), _) => job.prompt_alone(prompt, changed.as_ref()),
        (None, None) => {
            let (message, hint) = if params.session_context {
                ("embed: the session's context is empty", "`clada context add PATH` adds to it")
            } else {
                ("embed: nothing is named", "give `paths`, or `sessionContext`")
            };
            Err(RpcError::new(ErrorKind::InvalidParams, message).hint(hint))
        }
    }
}

struct EmbedJob<'a> {
    params: &'a EmbedParams,
    request: &'a Request<'a>,
    sources: &'a Sources<'a>,
}

impl EmbedJob<'_> {
    fn changed(&self) -> Result<Option<Changed>, RpcError> {
        let EmbedParams { changed, since, .. } = self.params;
        let since = match (since, changed) {
            (Some(_), true) => {
                let message = "embed: `changed` and `since` do not go together";
                return Err(RpcError::new(ErrorKind::InvalidParams, message)
                    .hint("`changed` asks since the session's last document, `since` since its clock"));
            }
            (Some(since), false) => Some(since.clone()),
            (None, true) => self.request.since.map(str::to_owned),
            (None, false) => return Ok(None),
        };
        (self.request.changes)(since).map(Changed::from_result).map(Some)
    }

    fn run(&self, paths: &[String], changed: Option<&Changed>) -> Result<Embedded, RpcError> {
        let names = self.names()?;
        let output = self.output()?;
        let cancelled = || (self.request.stopped)().is_some();
        let mut discovery = self.discover(paths, changed, &names, output.as_ref(), &cancelled);
        self.request.check()?;
        discovery.warnings.extend(changed.filter(|changed| changed.is_nothing()).map(nothing_new));
        if let (Some(named), Some(output)) = (&discovery.named_sink, &output) {
            output.spare(named)?;
        }
        let counter = self.counter()?;
        let mut notes = self.notes()?;
        notes.not_included = discovery.not_included;
        let (has_folders, is_part) = (discovery.has_folders, discovery.is_part);
        let gathered = self.gather(&discovery, counter, &cancelled)?;
        self.request.check()?;
        let mut findings = EmbedFindings::new(discovery, gathered);
        // Errors in files stop the work before the diff and the budget, which take time.
        let verdict = self.verdict(&findings.errors);
        if verdict != Verdict::Go {
            let all: Vec<usize> = (0..findings.entries.len()).collect();
            let needs_approval = verdict == Verdict::Ask;
            let result = EmbedResult { needs_approval, ..findings.result(&all) };
            return Ok(Embedded { result, is_part });
        }
        let is_empty = findings.entries.is_empty() && !has_folders && changed.is_none() && !self.params.diff;
        if let Some(error) = findings.nothing().filter(|_| is_empty) {
            return Err(error);
        }
        let diff = self.diff()?;
        if diff.as_deref() == Some("") {
            findings.warnings.push(PathIssue::warning(&ShownPath::written(""), NO_DIFF));
        }
        let budget = TokenBudget { counter, notes: &notes, diff: diff.as_deref(), params: self.params };
        let (included, tokens) = budget.apply(&mut findings, &names)?;
        let document = budget.document(&findings, &included, false);
        let before = self.params.prompt.as_deref().map(before).unwrap_or_default();
        let writes = |out: Out<'_>| document.write(&before, &findings.spool, out);
        let delivered = deliver(&writes, output.as_ref(), self.stream())?;
        let clock = changed.map(|changed| changed.clock.clone());
        let result = EmbedResult { tokens, clock, notes: document.notes(), ..findings.result(&included) };
        let result = EmbedResult {
            document: delivered.document,
            bytes: delivered.bytes,
            output: delivered.output,
            ..result
        };
        Ok(Embedded { result, is_part })
    }

    fn prompt_alone(&self, prompt: &str, changed: Option<&Changed>) -> Result<Embedded, RpcError> {
        let writes = |out: Out<'_>| out(prompt).map(|()| prompt.len() as u64);
        let delivered = deliver(&writes, self.output()?.as_ref(), self.stream())?;
        let result = EmbedResult {
            document: delivered.document,
            bytes: delivered.bytes,
            output: delivered.output,
            warnings: changed.map(nothing_new).map(Into::into).into_iter().collect(),
            clock: changed.map(|changed| changed.clock.clone()),
            ..EmbedResult::default()
        };
        Ok(Embedded { result, is_part: false })
    }

    fn widest(&self) -> &Roots {
        self.sources.anywhere.as_ref().unwrap_or(&self.sources.inside)
    }

    fn stream(&self) -> Option<TakePiece<'_>> {
        self.params.stream.then_some(self.request.text)
    }

    fn output(&self) -> Result<Option<OutputFile<'_>>, RpcError> {
        self.params.output.as_deref().map(|written| OutputFile::find(self.widest(), written)).transpose()
    }

    fn names(&self) -> Result<NameRules, RpcError> {
        let settings = self.sources.settings;
        let is_there = |path: &str| {
            let roots = &self.sources.inside;
            roots.resolve(path).and_then(|path| roots.lstat(&path)).is_ok_and(|stat| stat.is_some())
        };
        let literal = |globs: &[String]| -> Vec<String> {
            globs.iter().map(|glob| with_literal_prefix(glob, is_there)).collect()
        };
        let (include, exclude) = (literal(&self.params.include), literal(&self.params.exclude));
        let globs = [include.as_slice(), exclude.as_slice()];
        NameRules::new(
            &settings.embed_directories,
            &settings.embed_extensions,
            &settings.embed_priority,
            globs,
            self.params.hidden,
        )
        .map_err(|message| RpcError::new(ErrorKind::InvalidParams, format!("embed: {message}")))
    }

    fn discover(
        &self,
        paths: &[String],
        changed: Option<&Changed>,
        names: &NameRules,
        output: Option<&OutputFile<'_>>,
        cancelled: &dyn Fn() -> bool,
    ) -> Discovery {
        let sink = self.params.sink.map(|[device, inode]| (device, inode));
        let sinks: Vec<(u64, u64)> = output.and_then(OutputFile::identity).into_iter().chain(sink).collect();
        let Sources { inside, anywhere, named, user, .. } = self.sources;
        let config = UserGitignore::find(*user, inside).config();
        let search = SearchRules {
            inside,
            anywhere: anywhere.as_ref(),
            named: named.as_ref(),
            names,
            overlays: &self.sources.overlays,
            depth: self.params.recurse_depth,
            follow_folders: self.sources.settings.embed_follow_symlinks,
            ignoring: Ignoring::Rules { config, also: &[".cladaignore"] },
            sinks: &sinks,
            cancelled,
        };
        search.run(paths, self.params.paths.len(), changed)
    }

    fn gather(
        &self,
        discovery: &Discovery,
        counter: Option<Counter<'_>>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Gathered, RpcError> {
        let (max_file_size_kb, folder_limit) = self.limits()?;
        let total = discovery.candidates.len() as u64;
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
        let gathering = Gathering {
            roots: self.widest(),
            overlays: &self.sources.overlays,
            max_file_size_kb,
            folder_limit,
            style: style(self.params),
            counter,
            tokens_shown: self.params.tokens,
            sections: !self.params.tree_only,
            threads,
            folders: self.sources.spool_folders.clone(),
            cancelled,
        };
        let progress = |done| (self.request.progress)(done, total);
        gathering.run(&discovery.candidates, &progress).map_err(|error| {
            let message = format!("The document's temporary file cannot be written: {error}");
            RpcError::new(ErrorKind::Io, message).hint("is there room in clada's state folder, and in /tmp?")
        })
    }

    fn limits(&self) -> Result<(u64, FolderLimit), RpcError> {
        let size = self.params.max_file_size_kb.unwrap_or(self.sources.settings.embed_max_file_size_kb);
        let files = self.params.max_files_per_directory.or(self.sources.settings.embed_max_files);
        if !(1..=MAX_FILE_SIZE_KB).contains(&size) {
            let message = format!("embed: `maxFileSizeKb` is something from 1 to {MAX_FILE_SIZE_KB}");
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        if files == Some(0) {
            let message = "embed: `maxFilesPerDirectory` is at least 1";
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        // A work tree is bounded by what git ignores.
        let inside = if self.sources.is_in_work_tree { files } else { files.or(Some(FILES_PER_FOLDER)) };
        Ok((size, FolderLimit { inside, outside: files.or(Some(FILES_PER_FOLDER)) }))
    }

    fn notes(&self) -> Result<DocumentNotes, RpcError> {
        let (max_file_size_kb, folder_limit) = self.limits()?;
        Ok(DocumentNotes {
            max_file_size_kb,
            max_files_per_directory: folder_limit.inside,
            excluded_directories: self.sources.settings.embed_directories.clone(),
            excluded_extensions: self.sources.settings.embed_extensions.clone(),
            depth: self.params.recurse_depth,
            hidden: self.params.hidden,
            include: self.params.include.clone(),
            exclude: self.params.exclude.clone(),
            line_numbers: self.params.line_numbers,
            tokens: self.params.tokens.then(|| (0, self.sources.settings.embed_tokenizer.name())),
            max_tokens: self.params.max_tokens,
            ..DocumentNotes::default()
        })
    }

    fn counter(&self) -> Result<Option<Counter<'_>>, RpcError> {
        if !self.params.tokens && self.params.max_tokens.is_none() {
            return Ok(None);
        }
        let counter = self.sources.vocabularies.counter(self.sources.settings.embed_tokenizer);
        let missing = || RpcError::new(ErrorKind::Internal, "The vocabulary of the tokenizer cannot be read");
        counter.ok_or_else(missing).map(Some)
    }

    fn verdict(&self, errors: &[PathIssue]) -> Verdict {
        let configured = match self.sources.settings.embed_errors {
            ErrorHandling::Strict => EmbedErrorMode::Strict,
            ErrorHandling::Flexible => EmbedErrorMode::Flexible,
            ErrorHandling::Ignore => EmbedErrorMode::Ignore,
        };
        match self.params.error_mode.unwrap_or(configured) {
            _ if errors.is_empty() => Verdict::Go,
            EmbedErrorMode::Strict => Verdict::Stop,
            EmbedErrorMode::Flexible if !self.params.approved => Verdict::Ask,
            EmbedErrorMode::Flexible | EmbedErrorMode::Ignore => Verdict::Go,
        }
    }

    fn diff(&self) -> Result<Option<String>, RpcError> {
        if !self.params.diff {
            return Ok(None);
        }
        diff::working_tree(&self.sources.inside, self.sources.home, &|| self.request.check()).map(Some)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Go,
    Ask,
    Stop,
}

fn style(params: &EmbedParams) -> Style {
    Style { format: params.format, line_numbers: params.line_numbers }
}

const NO_DIFF: &str = "the diff is empty, since the files are as in the last commit; what clada has changed and committed is \
                       in `git log -p`";

fn nothing_new(_: &Changed) -> PathIssue {
    PathIssue::warning(
        &ShownPath::written(""),
        "Nothing has changed in the project since the last time".to_owned(),
    )
}

fn before(prompt: &str) -> String {
    let gap = match prompt {
        "" => "",
        prompt if prompt.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{prompt}{gap}")
}
