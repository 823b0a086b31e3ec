//! Text for a place of a file that the answer gives in words: its end, its top, after or before a text.
//!
//! Pure. What stands in the way of the place (a bracket or tag that must stay last, two places) is a reason to
//! refuse; a definition that the file has already is never there twice.

use std::path::Path;

use clada_dialects::plain::{Form, is_list};
use clada_merge::Edge;

use super::anchor_line::{
    AnchorLine, block_end, field_name, first_attached, is_prototype, line_of, shows_anchor,
};
use super::heads::{all_definitions, definitions, lines_defining};
use super::import_lines::{among_imports, behind_imports, extends, imported_again, is_import};
use super::inserted_text::{doubled, ended, guessed, inserted};
use super::plain_edit::{EditOutcome, PlainEdit, dedented, indent_of, indented};
use super::words;

pub(super) fn apply(edit: &PlainEdit<'_>, file: &str) -> EditOutcome {
    if edit.content.trim().is_empty() {
        return EditOutcome::Refused("there is nothing to insert".to_owned());
    }
    if let Form::Edge { name, is_end } = edit.form {
        return at_edge(edit, file, Edge { name, is_end: *is_end });
    }
    if stands(file, edit.content) {
        return EditOutcome::Already;
    }
    match edit.form {
        Form::Append if is_list(edit.path) => append_lines(file, edit.content),
        Form::Append => append(edit, file),
        Form::Prepend => prepend(edit, file),
        Form::Beside { anchor, .. }
            if shows_anchor(edit.content, anchor)
                && let merged @ (EditOutcome::Changed(_) | EditOutcome::Already) = edit.part(file) =>
        {
            merged
        }
        Form::Beside { anchor, after } => match beside(edit, file, anchor, *after) {
            // A name alone may be that of something else: the code itself says more then.
            EditOutcome::Refused(reason) if anchor.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                match edit.part(file) {
                    EditOutcome::Refused(_) => EditOutcome::Refused(reason),
                    merged => merged,
                }
            }
            done => done,
        },
        Form::Within { name } => within(edit, file, name),
        _ => EditOutcome::Refused("the words do not say where it goes".to_owned()),
    }
}

// Puts the content at the end or the top of what `edge` names, which may be the file, by its name alone.
fn at_edge(edit: &PlainEdit<'_>, file: &str, edge: Edge<'_>) -> EditOutcome {
    let reason = match edit.at_edge(file, edge) {
        EditOutcome::Refused(reason) => reason,
        done => return done,
    };
    let is_stem = Path::new(edit.path).file_stem().is_some_and(|stem| stem == edge.name);
    if is_stem && lines_defining(file, edit.path, edge.name).is_empty() {
        return if edge.is_end { append(edit, file) } else { prepend(edit, file) };
    }
    // Lines of the file around the new ones give the place as well.
    match edit.part(file) {
        EditOutcome::Changed(merged) if !merged.is_by_structure => EditOutcome::Changed(merged),
        _ => EditOutcome::Refused(reason),
    }
}

fn stands(file: &str, text: &str) -> bool {
    let lines = |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let (file, text) = (lines(file), lines(text.trim_matches('\n')));
    !text.is_empty() && file.windows(text.len()).any(|window| window == text)
}

pub(super) fn append_lines(file: &str, content: &str) -> EditOutcome {
    let has = |line: &str| file.lines().any(|known| known.trim() == line.trim());
    let key = |line: &str| line.split_once('=').map(|(key, _)| key.trim().to_owned());
    let mut new: Vec<&str> = Vec::new();
    for line in without_idle_comments(content.trim_matches('\n'), &has) {
        let is_comment = line.trim_start().starts_with('#') || line.trim().is_empty();
        // A second value of one key would win over the first, or lose.
        let other = key(line).filter(|_| !is_comment && !has(line));
        if let Some(other) = other
            && file.lines().any(|known| key(known).as_ref() == Some(&other))
        {
            return EditOutcome::Refused(format!("the file has another value of `{other}`"));
        }
        if !has(line) || line.trim().is_empty() {
            new.push(line);
        }
    }
    if new.iter().all(|line| line.trim().is_empty()) {
        return EditOutcome::Already;
    }
    let mut text = ended(file);
    new.iter().for_each(|line| {
        text.push_str(line);
        text.push('\n');
    });
    inserted(text, "Added at the end of the file.".to_owned())
}

// Returns the lines of a list without the comments of which all entries are there.
fn without_idle_comments<'t>(list: &'t str, has: &impl Fn(&str) -> bool) -> Vec<&'t str> {
    let lines: Vec<&str> = list.lines().collect();
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let is_idle = |at: usize| {
        let below = lines[at..].iter().skip_while(|line| is_comment(line));
        let mut entries = below.take_while(|line| !line.trim().is_empty() && !is_comment(line)).peekable();
        is_comment(lines[at]) && entries.peek().is_some() && entries.all(|line| has(line))
    };
    (0..lines.len()).filter(|at| !is_idle(*at)).map(|at| lines[at]).collect()
}

fn append(edit: &PlainEdit<'_>, file: &str) -> EditOutcome {
    let content = edit.content.trim_matches('\n');
    if let Some(refused) = stands_last(edit.path, file, content) {
        // What belongs inside of something may have a place by its units.
        return match edit.part(file) {
            EditOutcome::Refused(_) => EditOutcome::Refused(refused),
            merged => merged,
        };
    }
    if let Some(name) = doubled(edit, file) {
        return EditOutcome::Refused(format!("`{name}` is in the file already"));
    }
    let blanks = if file.trim().is_empty() { 0 } else { last_gap(file, edit.path, content) };
    let text = format!("{}{}{content}\n", ended(file.trim_end_matches(['\n'])), "\n".repeat(blanks));
    inserted(text, "Added at the end of the file.".to_owned())
}

/// Returns the reason if nothing can stand behind the last line of the file.
fn stands_last(path: &str, file: &str, content: &str) -> Option<String> {
    let last = file.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_fragment = content.lines().next().is_some_and(|line| line.starts_with([' ', '\t']));
    let closes = match &*extension {
        "html" | "htm" | "xml" | "svg" | "xhtml" | "csproj" | "xaml" => last.starts_with("</"),
        // Only a further section stands behind the last one.
        "vue" | "svelte" | "astro" => last.starts_with("</") && !content.trim_start().starts_with('<'),
        "json" | "jsonc" => true,
        "java" | "cs" | "php" | "kt" => {
            const OUTER: [&str; 8] = [
                "class ",
                "interface ",
                "enum ",
                "record ",
                "namespace ",
                "@interface ",
                "fun ",
                "function ",
            ];
            last == "?>" || last == "}" && !OUTER.iter().any(|word| content.contains(word))
        }
        _ => is_fragment && last.starts_with(['}', ')', ']']),
    };
    closes.then(|| format!("the file ends with `{last}`, and nothing may follow it"))
}

/// Returns the number of blank lines between the last two blocks of `file` that begin at its margin.
fn last_gap(file: &str, path: &str, content: &str) -> usize {
    let lines: Vec<&str> = file.trim_end().lines().collect();
    // An entry of a list goes where the one before it does.
    let head: String = content.chars().take_while(|c| *c == ' ').chain(['-', ' ']).collect();
    if content.starts_with(&head) {
        let last = lines.iter().rposition(|line| line.starts_with(&head));
        let blank = |at: usize| lines[..at].iter().rev().take_while(|line| line.trim().is_empty()).count();
        return last.map_or(1, blank).min(3);
    }
    let starts_block = |at: usize| {
        let line = lines[at];
        let closes = line.starts_with(['}', ')', ']']) || line.starts_with("</") || line.starts_with("end");
        !line.trim().is_empty() && !line.starts_with([' ', '\t']) && !closes
    };
    let gap = (1..lines.len()).rev().filter(|at| starts_block(*at)).find_map(|at| {
        let blank = lines[..at].iter().rev().take_while(|line| line.trim().is_empty()).count();
        (blank > 0).then_some(blank)
    });
    gap.unwrap_or(if path.ends_with(".py") { 2 } else { 1 }).min(3)
}

fn prepend(edit: &PlainEdit<'_>, file: &str) -> EditOutcome {
    // "At the top, below the imports"
    if let Some(done) = behind_imports(edit, file) {
        return done;
    }
    if let Some(text) = among_imports(file, edit.content) {
        return inserted(text, "Added behind the last import.".to_owned());
    }
    // More names of a module that is imported.
    if edit.content.trim().lines().all(is_import)
        && file.lines().filter(|line| is_import(line)).any(|line| extends(edit.content, line))
        && let merged @ (EditOutcome::Changed(_) | EditOutcome::Already) = edit.part(file)
    {
        return merged;
    }
    if let Some(name) = doubled(edit, file).or_else(|| imported_again(edit, file)) {
        return EditOutcome::Refused(format!("`{name}` is in the file already"));
    }
    let at = header(file);
    let (head, rest) = file.split_at(at);
    let content = edit.content.trim_matches('\n');
    let goes_on = rest.lines().next().is_none_or(|next| {
        next.trim().is_empty() || is_import(next) && content.lines().next_back().is_some_and(is_import)
    });
    let blank = if goes_on { "" } else { "\n" };
    inserted(format!("{}{content}\n{blank}{rest}", ended(head)), "Added at the top of the file.".to_owned())
}

/// Returns the length of what stays on top of `file`: shebang, header comment, docstring, `use strict`, package
/// line, with the blank lines behind them.
fn header(file: &str) -> usize {
    let mut at = 0;
    let mut inside: Option<&str> = None;
    for line in file.split_inclusive('\n') {
        let text = line.trim();
        let ends = |close: &str| text.len() >= close.len() && text.ends_with(close);
        let is_head = match inside {
            Some(close) => {
                if text.contains(close) {
                    inside = None;
                }
                true
            }
            None if at == 0 && (text.starts_with("\"\"\"") || text.starts_with("'''")) => {
                let close = &text[..3];
                let close = if close == "\"\"\"" { "\"\"\"" } else { "'''" };
                inside = (text.len() < 6 || !ends(close)).then_some(close);
                true
            }
            None if text.starts_with("/*") => {
                inside = (!text.contains("*/")).then_some("*/");
                true
            }
            None => {
                text.is_empty()
                    || text.starts_with("#!")
                    || text.starts_with("# ")
                    || text.starts_with("//")
                    || text.starts_with("<?php")
                    || text.starts_with("package ")
                    || ["namespace ", "declare("].iter().any(|word| text.starts_with(word))
                        && text.ends_with(';')
                    || matches!(text.trim_end_matches(';'), "'use strict'" | "\"use strict\"")
                    || matches!(text.trim_end_matches(';'), "'use client'" | "\"use client\"")
            }
        };
        if !is_head {
            break;
        }
        at += line.len();
    }
    // All of it is comments: then the top is the very top.
    if at == file.len() { 0 } else { at }
}

fn beside(edit: &PlainEdit<'_>, file: &str, anchor: &str, after: bool) -> EditOutcome {
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let anchor = anchor.trim();
    let places = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..lines.len()).filter(|at| is_it(lines[*at])).collect()
    };
    let new = edit.content.trim();
    let declarations = if is_prototype(new, None) {
        places(&|line| is_prototype(line, Some(anchor)))
    } else if field_name(new).is_some() {
        places(&|line| field_name(line) == Some(anchor))
    } else {
        Vec::new()
    };
    // What is declared goes beside a declaration, and not behind a body.
    let at = match declarations[..] {
        [at] => Ok(AnchorLine { at, is_guess: true }),
        [] => line_of(file, edit.path, anchor, edit.words),
        [..] => Err(format!("`{anchor}` is declared in {} lines of the file", declarations.len())),
    };
    let AnchorLine { at, is_guess } = match at {
        Ok(line) => line,
        Err(reason) => return EditOutcome::Refused(reason),
    };
    // In front of what closes a block, the new lines are the last ones of the block.
    let closes = |line: &str| ["</", "}", ")", "]"].iter().any(|sign| line.trim_start().starts_with(sign));
    let is_inside =
        |line: &&&str| !line.trim().is_empty() && indent_of(line).len() > indent_of(lines[at]).len();
    let last_inside = || lines[..at].last().filter(is_inside);
    let own = match !after && closes(lines[at]) {
        true => last_inside().map_or(indent_of(lines[at]), |line| indent_of(line)),
        false => indent_of(lines[at]),
    };
    // What stands right above a definition belongs to it.
    let is_definition = !all_definitions(lines[at], edit.path).is_empty();
    let top = if is_definition { first_attached(&lines, at) } else { at };
    let anchor_end = block_end(&lines, at);
    let end = if after { anchor_end } else { top };
    let Some(content) = without_anchor(edit.content, lines[at].trim(), after) else {
        return EditOutcome::Refused(format!("`{anchor}` would be there twice"));
    };
    let content = dedented(content);
    if let Some(name) = doubled(edit, file).or_else(|| set_beside(&lines, at, &content)) {
        return EditOutcome::Refused(format!("`{name}` is in the file already"));
    }
    let shifted = indented(&content, own);
    // Blocks keep the blank lines that are between them.
    let is_blank = |line: &&&str| line.trim().is_empty();
    let is_block = content.lines().count() > 1;
    let is_flat =
        content.lines().all(|line| !line.is_empty() && !line.starts_with([' ', '\t', '}', ')', ']', '<']));
    let blanks_above = || lines[..top].iter().rev().take_while(is_blank).count();
    let shifted = if after && is_block && end > at + 1 {
        let below = lines[end..].iter().take_while(is_blank).count();
        // The last block of a class or file is as far from the one above as others are.
        let next = lines[end..].iter().find(|line| !line.trim().is_empty());
        let is_last = next.is_none_or(|line| indent_of(line).len() < own.len());
        // Of the first one nothing tells how far that is.
        let is_first = lines[..top].last().is_none_or(|above| {
            let text = above.trim();
            text == "{" || !text.is_empty() && indent_of(above).len() < own.len()
        });
        let blank = if is_last { blanks_above() + usize::from(is_first) } else { below };
        format!("{}{shifted}", "\n".repeat(blank.min(3)))
    } else if !after && is_block && !(is_flat && anchor_end == at + 1) {
        format!("{shifted}{}", "\n".repeat(blanks_above().min(3)))
    } else {
        shifted
    };
    let (head, rest): (String, String) = (lines[..end].concat(), lines[end..].concat());
    let head = if head.is_empty() { head } else { ended(&head) };
    let word = if after { "after" } else { "before" };
    let text = format!("{head}{shifted}{rest}");
    if is_guess {
        let shown: String = lines[at].trim().chars().take(60).collect();
        return guessed(text, format!("Added {word} `{shown}`: a guess."));
    }
    inserted(text, format!("Added {word} `{anchor}`."))
}

// Returns `content` without the lines at its ends that stand for others: `// ... existing handlers ...`.
fn without_markers(content: &str) -> &str {
    let is_marker = |line: &str| {
        let text = line.trim();
        let comment = text.trim_start_matches(['/', '#', '-', '*', '<', '!', ' ']);
        let is_dotted =
            comment.len() < text.len() && (comment.starts_with("...") || comment.starts_with('…'));
        is_dotted || clada_dialects::elision(text).is_some()
    };
    let mut rest = content.trim_matches('\n');
    loop {
        let (first, last) = (rest.lines().next(), rest.lines().next_back());
        let cut = match (first, last) {
            (Some(line), _) if is_marker(line) => &rest[line.len()..],
            (_, Some(line)) if is_marker(line) => &rest[..rest.len() - line.len()],
            _ => return rest,
        };
        rest = cut.trim_end().trim_start_matches(['\n', '\r']);
    }
}

// Returns `content` without the line `anchor` at the end that is beside it; `None` if it has that line anywhere else.
fn without_anchor<'c>(content: &'c str, anchor: &str, after: bool) -> Option<&'c str> {
    let content = without_markers(content);
    let is_it = |line: &str| line.trim() == anchor && anchor.contains(char::is_alphanumeric);
    let edge = if after { content.lines().next() } else { content.lines().next_back() };
    let rest = match edge.filter(|line| is_it(line)) {
        Some(line) if after => content[line.len()..].trim_matches('\n'),
        Some(line) => content[..content.len() - line.len()].trim_end_matches('\n'),
        None => content,
    };
    (!rest.trim().is_empty() && !rest.lines().any(is_it)).then_some(rest)
}

// Returns the name that `content` sets first, if a line around the line `at`, as deep as it, sets it already.
fn set_beside(lines: &[&str], at: usize, content: &str) -> Option<String> {
    let width = |line: &str| indent_of(line).len();
    let is_inside = |line: &&&str| line.trim().is_empty() || width(line) >= width(lines[at]);
    let key = |line: &str| {
        let (key, _) = line.trim().split_once([':', '='])?;
        let key = key.trim_end_matches(['?', '"', ' ']).trim_start_matches('"');
        let is_name = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        is_name.then(|| key.to_owned())
    };
    let own = key(content.lines().next()?)?;
    let above = lines[..at].iter().rev().take_while(is_inside);
    let around = above.chain(lines[at..].iter().take_while(is_inside));
    let mut beside = around.filter(|line| width(line) == width(lines[at]));
    beside.any(|line| key(line).as_ref() == Some(&own)).then_some(own)
}

// Puts fields into the type that the words above name: "In `Spawner`, add a reference:".
pub(super) fn fields_of_named(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    if !words::has_add(edit.words) && !words::says_add(edit.words) {
        return None;
    }
    let lines: Vec<&str> = file.lines().collect();
    let content = dedented(edit.content.trim_matches('\n'));
    let is_type = |span: &&str| span.starts_with(|c: char| c.is_ascii_uppercase());
    let mut spans = words::code_spans(edit.words).filter(is_type);
    spans.find_map(|name| {
        let heads = lines_defining(file, edit.path, name);
        let is_holder = |at: &&usize| lines[**at].split_whitespace().any(|word| HOLDERS.contains(&word));
        let at = *heads.iter().find(is_holder)?;
        let first = lines[at + 1..].iter().find(|line| !line.trim().is_empty() && line.trim() != "{")?;
        behind_fields(&lines, at, &content, indent_of(first))?;
        Some(within(edit, file, name)).filter(|done| !matches!(done, EditOutcome::Refused(_)))
    })
}

// Words of definitions that hold others.
const HOLDERS: &[&str] = &["class", "struct", "module", "trait", "interface", "enum", "object", "namespace"];

/// Puts the content at the end of the class or other definition `name`, unless its units have a better place.
fn within(edit: &PlainEdit<'_>, file: &str, name: &str) -> EditOutcome {
    match edit.part(file) {
        EditOutcome::Refused(_) => {}
        merged => return merged,
    }
    let name = name.trim_end_matches("()");
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let defining = lines_defining(file, edit.path, name);
    // A constructor, or a struct beside its `impl`, has the name too.
    let of_kind = |kinds: &[&str]| -> Vec<usize> {
        let is_kind = |at: &usize| lines[*at].split_whitespace().any(|word| kinds.contains(&word));
        defining.iter().copied().filter(is_kind).collect()
    };
    let holders = [of_kind(&["impl"]), of_kind(HOLDERS)].into_iter().find(|lines| lines.len() == 1);
    let holder_lines = holders.unwrap_or_else(|| defining.clone());
    let [at] = holder_lines[..] else {
        return EditOutcome::Refused(format!(
            "`{name}` is defined in {} lines of the file",
            holder_lines.len()
        ));
    };
    let own = indent_of(lines[at]);
    let end = block_end(&lines, at);
    let closes = |line: &str| {
        let text = line.trim();
        indent_of(line) == own && (text.starts_with(['}', ')']) || text == "end")
    };
    let last = if end > at + 1 && closes(lines[end - 1]) { end - 1 } else { end };
    let is_python = edit.path.ends_with(".py");
    if end == at + 1 || last == end && !is_python {
        return EditOutcome::Refused(format!("nothing says where `{name}` ends"));
    }
    let body: String = lines[at + 1..last].concat();
    let had = all_definitions(&body, edit.path);
    // What is inside of the new definitions is theirs.
    let content = dedented(edit.content.trim_matches('\n'));
    if let Some(doubled) = definitions(&content, edit.path).into_iter().find(|one| had.contains(one)) {
        let doubled = doubled.rsplit(' ').next().unwrap_or_default();
        return EditOutcome::Refused(format!("`{doubled}` is in the file already"));
    }
    let first = lines[at + 1..last].iter().find(|line| !matches!(line.trim(), "" | "{"));
    let step = match edit.path.rsplit('.').next() {
        _ if file.contains("\n\t") => "\t",
        Some("rb" | "js" | "jsx" | "ts" | "tsx" | "dart" | "scala") => "  ",
        _ => "    ",
    };
    let indent = first.map_or_else(|| format!("{own}{step}"), |line| indent_of(line).to_owned());
    let shifted = indented(&content, &indent);
    if let Some(behind) = behind_fields(&lines[..last], at, &content, &indent) {
        let text = format!("{}{shifted}{}", ended(&lines[..behind].concat()), lines[behind..].concat());
        return guessed(text, format!("Added behind the fields of `{name}`: a guess."));
    }
    let gap = if first.is_some() && content.lines().count() > 1 { "\n" } else { "" };
    let head = ended(lines[..last].concat().trim_end_matches('\n'));
    let text = format!("{head}{gap}{shifted}{}", lines[last..].concat());
    guessed(text, format!("Added at the end of `{name}`: a guess."))
}

// Returns the line behind the fields with which the class at the line `at` begins, if `content` is fields alone.
fn behind_fields(lines: &[&str], at: usize, content: &str, indent: &str) -> Option<usize> {
    let is_field = |line: &str| {
        let text = line.trim();
        let is_call = text.contains('(') && !text.contains('=');
        text.ends_with(';') && !is_call && text.contains(' ') && !text.contains('{')
    };
    let is_remark =
        |line: &str| ["//", "#", "/*", "*", "@", "["].iter().any(|sign| line.trim_start().starts_with(sign));
    if !content.lines().all(|line| is_field(line) || is_remark(line) && !line.ends_with('{')) {
        return None;
    }
    let is_before = |line: &&str| {
        let text = line.trim();
        let is_member = line.strip_prefix(indent).is_some_and(|rest| !rest.starts_with([' ', '\t']));
        text.is_empty() || text == "{" || is_member && (is_field(line) || is_remark(line))
    };
    let head = lines[at + 1..].iter().take_while(|line| is_before(line)).count();
    let last = (at + 1..at + 1 + head).rev().find(|at| is_field(lines[*at]))?;
    Some(last + 1)
}

// Puts new definitions that the words above only add to the file at its end, in a language whose files have
// functions at their margin; `None` if the content is anything else.
pub(super) fn at_end(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    let extension = edit.path.rsplit('.').next().unwrap_or_default();
    let is_flat = matches!(extension, "go" | "rs" | "py" | "c" | "cc" | "cpp" | "h" | "hpp" | "sh");
    let first = edit.content.lines().find(|line| {
        let text = line.trim_start();
        !text.is_empty() && !["//", "#", "/*", "*", "@"].iter().any(|sign| text.starts_with(sign))
    })?;
    // A function that CommonJS exports stands beside the others.
    let is_exported = |line: &str| line.starts_with("exports.") && line.contains(" = ");
    let is_export = is_exported(first) && file.lines().any(is_exported);
    let is_definition = definitions(first, edit.path).len() == 1 && !first.contains(" = ");
    let is_method =
        ["(self", "(&self", "(&mut self", "(cls", "(mut self"].iter().any(|word| first.contains(word));
    let adds = words::says_add(edit.words) || words::has_add(edit.words);
    if !(is_flat && is_definition || is_export) || is_method || !adds {
        return None;
    }
    match append(edit, file) {
        EditOutcome::Changed(changed) => {
            Some(guessed(changed.text, "Added at the end of the file: a guess.".to_owned()))
        }
        _ => None,
    }
}
