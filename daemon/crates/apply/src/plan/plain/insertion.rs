//! Text for a place of a file that the answer gives in words: its end, its top, after or before a text.
//!
//! Pure. What stands in the way of the place (a bracket or tag that must stay last, two places) is a reason to
//! refuse; a definition that the file has already is never there twice.

use clada_dialects::plain::{Form, is_list};
use clada_protocol::ProposalForm;

use super::heads::{all_definitions, definitions, lines_defining};
use super::plain_edit::{EditOutcome, EditedText, PlainEdit, dedented};
use super::words;

pub(super) fn apply(edit: &PlainEdit<'_>, file: &str) -> EditOutcome {
    if edit.content.trim().is_empty() {
        return EditOutcome::Refused("there is nothing to insert".to_owned());
    }
    if stands(file, edit.content) {
        return EditOutcome::Already;
    }
    match edit.form {
        Form::Append if is_list(edit.path) => append_lines(file, edit.content),
        Form::Append => append(edit, file),
        Form::Prepend => prepend(edit, file),
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
        _ => EditOutcome::Refused("nothing says where it goes".to_owned()),
    }
}

fn stands(file: &str, text: &str) -> bool {
    let lines = |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let (file, text) = (lines(file), lines(text.trim_matches('\n')));
    !text.is_empty() && file.windows(text.len()).any(|window| window == text)
}

fn inserted(text: String, note: String) -> EditOutcome {
    EditOutcome::Changed(EditedText {
        text,
        form: ProposalForm::Insertion,
        notes: vec![note],
        is_by_structure: false,
    })
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

fn ended(file: &str) -> String {
    let end = if file.is_empty() || file.ends_with('\n') { "" } else { "\n" };
    format!("{file}{end}")
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

/// Returns the definition of the content that the file has already. A rule or heading may be there twice.
fn doubled(edit: &PlainEdit<'_>, file: &str) -> Option<String> {
    let extension = edit.path.rsplit('.').next().unwrap_or_default();
    if matches!(extension, "css" | "scss" | "sass" | "less" | "md" | "mdx" | "rst" | "txt" | "html") {
        return None;
    }
    let had = definitions(file, edit.path);
    let new = definitions(edit.content, edit.path);
    let known = new.into_iter().find(|name| had.contains(name))?;
    Some(known.rsplit(' ').next().unwrap_or_default().to_owned())
}

// Returns the variable of the content that the file imports: `import app from './server'`.
fn imported_again(edit: &PlainEdit<'_>, file: &str) -> Option<String> {
    let names: Vec<String> = definitions(edit.content, edit.path)
        .iter()
        .filter_map(|one| one.rsplit(' ').next().map(str::to_owned))
        .collect();
    let mut imports = file.lines().filter(|line| line.starts_with("import "));
    imports.find_map(|line| {
        let imported = line.split(" from ").next().unwrap_or(line);
        names.iter().find(|name| words::of_code(imported).contains(name.as_str())).cloned()
    })
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

fn is_import(line: &str) -> bool {
    let words = ["import ", "from ", "use ", "pub use ", "#include", "require", "using "];
    words.iter().any(|word| line.starts_with(word)) || line.starts_with("const ") && line.contains("require(")
}

// Returns true if a line of `content` has all words of the import `line`, and more.
fn extends(content: &str, line: &str) -> bool {
    let own = words::of_code(line);
    let has_all = |new: &str| {
        let words = words::of_code(new);
        words.len() > own.len() && own.is_subset(&words)
    };
    content.lines().any(has_all)
}

/// Returns `file` with `content`, if that is imports alone, behind the last import of the file. `None` if the file
/// has no import, or one from the same module: the top is the top then.
fn among_imports(file: &str, content: &str) -> Option<String> {
    let content = content.trim_matches('\n');
    let module = |line: &str| -> String {
        let quoted = line.split(['"', '\'']).nth(1).map(str::to_owned);
        quoted.unwrap_or_else(|| {
            line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(';').to_owned()
        })
    };
    if content.is_empty() || !content.lines().all(is_import) {
        return None;
    }
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let imports: Vec<usize> = (0..lines.len()).filter(|at| is_import(lines[*at])).collect();
    let last = *imports.last()?;
    let is_known = content.lines().any(|new| imports.iter().any(|at| module(lines[*at]) == module(new)));
    if is_known {
        return None;
    }
    let end = block_end(&lines, last);
    Some(format!("{}{content}\n{}", ended(&lines[..end].concat()), lines[end..].concat()))
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
    let anchor = anchor.trim();
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let name = anchor.trim_end_matches("()");
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let defining: Vec<usize> = if is_name {
        lines_defining(file, edit.path, name)
    } else {
        (0..lines.len()).filter(|at| lines[*at].contains(anchor)).collect()
    };
    let [at] = defining[..] else {
        let times = match defining.len() {
            0 => "is not in the file".to_owned(),
            count => format!("is in {count} lines of the file"),
        };
        return EditOutcome::Refused(format!("`{anchor}` {times}"));
    };
    let indent = |line: &str| line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned();
    let own = indent(lines[at]);
    let end = if after { block_end(&lines, at) } else { at };
    if let Some(name) = doubled(edit, file) {
        return EditOutcome::Refused(format!("`{name}` is in the file already"));
    }
    let content = dedented(edit.content.trim_matches('\n'));
    let shifted: String = content
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("{own}{line}\n") })
        .collect();
    // Blocks keep the blank lines that are between them.
    let is_blank = |line: &&&str| line.trim().is_empty();
    let is_block = content.lines().count() > 1;
    let shifted = if after && is_block && end > at + 1 {
        let below = lines[end..].iter().take_while(is_blank).count();
        // The last block of a class or file is as far from the one above as others are.
        let next = lines[end..].iter().find(|line| !line.trim().is_empty());
        let is_last = next.is_none_or(|line| indent(line).len() < own.len());
        // What stands right above a definition belongs to it: comments, annotations.
        let goes_with = |line: &&&str| !line.trim().is_empty() && indent(line) == own && is_above_head(line);
        let above = lines[..at].iter().rev().skip_while(goes_with).take_while(is_blank).count();
        format!("{}{shifted}", "\n".repeat(if is_last { above } else { below }.min(3)))
    } else if !after && is_block {
        format!("{shifted}{}", "\n".repeat(lines[..at].iter().rev().take_while(is_blank).count().min(3)))
    } else {
        shifted
    };
    let (head, rest): (String, String) = (lines[..end].concat(), lines[end..].concat());
    let head = if head.is_empty() { head } else { ended(&head) };
    let word = if after { "after" } else { "before" };
    inserted(format!("{head}{shifted}{rest}"), format!("Added {word} `{anchor}`."))
}

// Returns true if a line with this text belongs to the definition below it: a comment, an annotation, an attribute.
fn is_above_head(line: &str) -> bool {
    let text = line.trim();
    ["//", "/*", "*", "#", "@", "["].iter().any(|sign| text.starts_with(sign))
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
    let blanks = |line: &str| line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned();
    let own = blanks(lines[at]);
    let end = block_end(&lines, at);
    let closes = |line: &str| {
        let text = line.trim();
        blanks(line) == own && (text.starts_with(['}', ')']) || text == "end")
    };
    let last = if end > at + 1 && closes(lines[end - 1]) { end - 1 } else { end };
    let is_python = edit.path.ends_with(".py");
    if end == at + 1 || last == end && !is_python {
        return EditOutcome::Refused(format!("nothing says where `{name}` ends"));
    }
    let body: String = lines[at + 1..last].concat();
    let had = all_definitions(&body, edit.path);
    if let Some(doubled) = all_definitions(edit.content, edit.path).into_iter().find(|one| had.contains(one))
    {
        let doubled = doubled.rsplit(' ').next().unwrap_or_default();
        return EditOutcome::Refused(format!("`{doubled}` is in the file already"));
    }
    let first = lines[at + 1..last].iter().find(|line| !line.trim().is_empty());
    let step = match edit.path.rsplit('.').next() {
        _ if file.contains("\n\t") => "\t",
        Some("rb" | "js" | "jsx" | "ts" | "tsx" | "dart" | "scala") => "  ",
        _ => "    ",
    };
    let indent = first.map_or_else(|| format!("{own}{step}"), |line| blanks(line));
    let content = dedented(edit.content.trim_matches('\n'));
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") };
    let shifted: String = content.lines().map(line).collect();
    let gap = if first.is_some() && content.lines().count() > 1 { "\n" } else { "" };
    let head = ended(lines[..last].concat().trim_end_matches('\n'));
    let text = format!("{head}{gap}{shifted}{}", lines[last..].concat());
    guessed(text, format!("Added at the end of `{name}`: a guess."))
}

fn guessed(text: String, note: String) -> EditOutcome {
    match inserted(text, note) {
        EditOutcome::Changed(changed) => {
            EditOutcome::Changed(EditedText { is_by_structure: true, ..changed })
        }
        other => other,
    }
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
    let is_definition = definitions(first, edit.path).len() == 1 && !first.contains(" = ");
    let is_method =
        ["(self", "(&self", "(&mut self", "(cls", "(mut self"].iter().any(|word| first.contains(word));
    let adds = words::says_add(edit.words) || words::has_add(edit.words);
    if !is_flat || !is_definition || is_method || !adds {
        return None;
    }
    match append(edit, file) {
        EditOutcome::Changed(changed) => {
            Some(guessed(changed.text, "Added at the end of the file: a guess.".to_owned()))
        }
        _ => None,
    }
}

/// Returns the line behind the block that the line `at` begins: what is deeper, and what closes it.
fn block_end(lines: &[&str], at: usize) -> usize {
    let width = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let own = width(lines[at]);
    let mut end = at + 1;
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        if line.trim().is_empty() {
            continue;
        }
        let closes = width(line) == own && line.trim_start().starts_with(['}', ')', ']']) || {
            let text = line.trim();
            width(line) == own && (text == "end" || text.starts_with("</"))
        };
        let opens = end == at + 1 && width(line) == own && line.trim() == "{";
        if width(line) > own || opens || closes && end > at + 1 || closes && index == at + 1 {
            end = index + 1;
            if closes {
                break;
            }
        } else {
            break;
        }
    }
    end
}
