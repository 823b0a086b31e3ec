//! `embed`: prints files and folders as one document for a prompt, which the daemon makes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_protocol::message::NotificationParams;
use clada_protocol::{
    EMBED_EVENT, EmbedEvent, EmbedEventKind, EmbedNote, EmbedParams, EmbedPreamble, EmbedResult, Method,
    Verbosity, embed_issues_text, embed_question, embed_summary_text, method, visible_block, visible_line,
    visible_path,
};
use serde_json::value::RawValue;

use crate::Process;
use crate::args::Embed;
use crate::asking::keys::confirmed;
use crate::clipboard::Clipboard;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::{absolute, not_utf8, read_file, read_stdin};
use crate::output::{print, print_json};
use crate::request::{typed, unreadable};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Embed) -> Result<Status, Failure> {
    let clipboard = args.copy.then(|| Clipboard::of(process));
    clipboard.as_ref().map_or(Ok(()), Clipboard::can_copy)?;
    let params = params(process, settings, args)?;
    let mut document = clipboard.is_some().then(String::new);
    let (raw, result) = call(process, settings, &params, &mut document)?;
    if !result.needs_approval {
        list_issues(process, settings, &result);
        let status = finish(process, settings, args, &raw, &result)?;
        return copy(process, settings, clipboard.as_ref(), document, status);
    }
    if settings.json {
        return finish(process, settings, args, &raw, &result);
    }
    list_issues(process, settings, &result);
    match confirmed(process, settings, &embed_question(&result)) {
        Some(true) => {}
        Some(false) => return Err(Failure::new(Status::Failed, "not approved: nothing was embedded")),
        None => {
            return Err(Failure::new(Status::Failed, refused(&result))
                .hint("Skip them with --yes, or with --errors ignore."));
        }
    }
    let (raw, result) = call(process, settings, &EmbedParams { approved: true, ..params }, &mut document)?;
    let status = finish(process, settings, args, &raw, &result)?;
    copy(process, settings, clipboard.as_ref(), document, status)
}

fn copy(
    process: &mut Process,
    settings: &Settings,
    clipboard: Option<&Clipboard>,
    document: Option<String>,
    status: Status,
) -> Result<Status, Failure> {
    if let (Some(clipboard), Some(document)) = (clipboard, document) {
        let copied = clipboard.copy(process, &document)?;
        if settings.verbosity > Verbosity::Quiet {
            let what = format!("The document ({} bytes)", document.len());
            process.complain(&format!("{}\n", copied.sentence(&what)));
        }
    }
    Ok(status)
}

fn params(process: &mut Process, settings: &Settings, args: &Embed) -> Result<EmbedParams, Failure> {
    let mut paths: Vec<PathBuf> = args.paths.iter().chain(&args.context).cloned().collect();
    if args.stdin || args.null {
        paths.extend(listed(process, args.null)?);
    }
    let named = !paths.is_empty() || args.session_context || args.changed || args.since.is_some();
    if !named && args.prompt.is_none() {
        let read = if args.stdin || args.null { ": standard input names no path" } else { "" };
        return Err(Failure::usage(format!("there is nothing to embed{read}"))
            .hint("Name files or folders, as in: clada embed src README.md"));
    }
    let text = |path: &Path| absolute(process, path);
    let paths = paths.iter().map(|path| text(path)).collect::<Result<_, _>>()?;
    // As everywhere, a dash is the standard stream.
    let output = args.output.as_deref().filter(|file| *file != Path::new("-")).map(text).transpose()?;
    if (args.stdin || args.null) && args.prompt.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage("standard input cannot be both the paths and the prompt")
            .hint("Give the prompt as a file: --prompt FILE"));
    }
    let prompt = args.prompt.as_deref().map(|file| prompt(process, file)).transpose()?;
    Ok(EmbedParams {
        root: root::find(process, settings)?,
        paths,
        overlays: Vec::new(),
        recurse_depth: args.recurse_depth,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        hidden: args.hidden,
        error_mode: args.errors.map(Into::into),
        approved: args.yes,
        format: args.format.into(),
        preamble: args.preamble.into(),
        line_numbers: args.line_numbers,
        tokens: args.tokens,
        max_tokens: args.max_tokens,
        tree_only: args.tree_only,
        diff: args.diff,
        changed: args.changed,
        since: args.since.clone(),
        session_context: args.session_context,
        session: settings.session.clone(),
        max_file_size_kb: args.max_file_size_kb,
        max_files_per_directory: args.max_files_per_directory,
        sink: process.stdout_file().filter(|_| output.is_none() && !args.copy),
        umask: output.as_ref().map(|_| process.umask()),
        output,
        prompt,
        stream: !settings.json,
        include_secrets: args.include_secrets,
    })
}

fn listed(process: &mut Process, null: bool) -> Result<Vec<PathBuf>, Failure> {
    let bytes = read_stdin(process, "the paths")?;
    let end = if null { 0 } else { b'\n' };
    let path = |line: &[u8]| PathBuf::from(OsStr::from_bytes(line));
    let lines = bytes.split(|byte| *byte == end);
    let lines = lines.map(|line| if null { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    // A line of blanks is not a usual file name; a user who has one gives -0.
    let is_empty = |line: &[u8]| if null { line.is_empty() } else { line.trim_ascii().is_empty() };
    Ok(lines.filter(|line| !is_empty(line)).map(path).collect())
}

fn prompt(process: &mut Process, file: &Path) -> Result<String, Failure> {
    let (bytes, name) = if file == Path::new("-") {
        (read_stdin(process, "the prompt")?, "standard input".to_owned())
    } else {
        (read_file(process, file)?, file.display().to_string())
    };
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        not_utf8(error.as_bytes(), at, &name)
            .hint("Nothing was embedded. Save the prompt as UTF-8 and try again.")
    })
}

fn call(
    process: &mut Process,
    settings: &Settings,
    params: &EmbedParams,
    document: &mut Option<String>,
) -> Result<(Box<RawValue>, EmbedResult), Failure> {
    let name = method::Embed::NAME;
    let mut listener = |process: &mut Process, method: &str, params: Option<&NotificationParams>| {
        let Some(params) = params.filter(|_| method == EMBED_EVENT) else { return Ok(()) };
        let event: EmbedEvent<'_> = params.read().map_err(|error| unreadable(method, &error))?;
        match event.kind {
            EmbedEventKind::Progress => {
                process.files_read(event.done.unwrap_or_default(), event.total.unwrap_or_default());
            }
            EmbedEventKind::Text => {
                process.end();
                let text = event.text.as_deref().unwrap_or_default();
                if let Some(document) = document {
                    document.push_str(text);
                    return Ok(());
                }
                // A terminal interprets control characters.
                if process.terminals.stdout {
                    print(process, &visible_block(text))?;
                } else {
                    print(process, text)?;
                }
            }
            EmbedEventKind::Unknown => {}
        }
        Ok(())
    };
    let raw =
        Connector::new(process, settings)?.listening(&mut listener).call(name, params, OnInterrupt::End)?;
    let result = typed(name, &raw)?;
    Ok((raw, result))
}

fn list_issues(process: &mut Process, settings: &Settings, result: &EmbedResult) {
    if !settings.json {
        process.complain(&embed_issues_text(result, settings.verbosity));
    }
}

fn refused(result: &EmbedResult) -> String {
    match result.errors.len() {
        1 => "one path cannot be embedded: nothing was embedded".to_owned(),
        count => format!("{count} paths cannot be embedded: nothing was embedded"),
    }
}

fn finish(
    process: &mut Process,
    settings: &Settings,
    args: &Embed,
    raw: &RawValue,
    result: &EmbedResult,
) -> Result<Status, Failure> {
    let withheld = result.needs_approval || (!result.errors.is_empty() && result.bytes == 0);
    if settings.json {
        print_json(process, raw.get())?;
        return Ok(if withheld { Status::Failed } else { Status::Ok });
    }
    if withheld {
        return Err(Failure::new(Status::Failed, refused(result))
            .hint("Correct what is listed, or give --errors ignore to go on without it."));
    }
    if settings.verbosity == Verbosity::Quiet {
        return Ok(Status::Ok);
    }
    let verbose = settings.verbosity == Verbosity::Verbose;
    let is_brief = EmbedPreamble::from(args.preamble) == EmbedPreamble::Brief;
    // Standard output is for the document alone: the rest goes to standard error.
    if is_brief && (verbose || !result.omitted.is_empty()) {
        process.complain(&limits(result));
    }
    if args.tokens {
        let each = result.files.iter().filter_map(|file| Some((file.tokens?, &file.path)));
        let each: String =
            each.map(|(tokens, path)| format!("{tokens:>8}  {}\n", visible_path(path))).collect();
        process.complain(&each);
    }
    process.complain(&embed_summary_text(result));
    Ok(Status::Ok)
}

fn limits(result: &EmbedResult) -> String {
    let left_out = match result.omitted.len() {
        0 => "Nothing was left out".to_owned(),
        1 => "1 path was left out, listed as omitted".to_owned(),
        count => format!("{count} paths were left out, listed as omitted"),
    };
    let note = |note: &EmbedNote| format!("{}: {}", note.name, note.value);
    let notes: Vec<String> = result.notes.iter().map(note).collect();
    format!("{left_out}. {}\n", visible_line(&notes.join("; ")))
}
