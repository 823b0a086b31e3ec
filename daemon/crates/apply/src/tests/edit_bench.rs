//! Real commits and damaged edits of them, if `CLADA_CONFORMANCE` names the folder that holds them.
//!
//! A row is right if the file is what the commit made of it, or, where the edit cannot be applied, if
//! nothing changes. Nothing may ever be applied that is not right.

#![allow(clippy::disallowed_methods, reason = "the folder is named by the environment")]

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use clada_dialects::{Bounds, Choice, parse};
use clada_edit::{Match, Patched, Text, apply_hunks_tolerant, replacing_hunk};
use clada_schema::{Hunk, RawHunk};
use serde_json::Value;

use super::inflate::gunzip;
use crate::plan::guard::elision::elided;

/// Rows of 1,000 that were right when this was written.
const SEARCH_REPLACE: usize = 992;
const SEARCH_REPLACE_BLOCKS: usize = 989;
const UNIFIED_DIFF: usize = 991;

/// The form in which a row that only has a text to search and one to replace it with reaches the ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Written {
    /// As the hunk that it is.
    AsHunks,
    /// As a SEARCH/REPLACE block in an answer, which is parsed.
    AsBlocks,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    right: usize,
    wrong: usize,
    refused: usize,
}

#[test]
fn edit_bench() {
    let Some(folder) = std::env::var_os("CLADA_CONFORMANCE") else {
        println!("CLADA_CONFORMANCE is not set: edit-bench is absent and was not compared");
        return;
    };
    let Some(base) = rows(Path::new(&folder), "base") else { return };
    let base: HashMap<String, Value> = base.into_iter().map(|row| (text(&row, "id"), row)).collect();
    let files = [
        ("search-replace", SEARCH_REPLACE, Written::AsHunks),
        ("search-replace", SEARCH_REPLACE_BLOCKS, Written::AsBlocks),
        ("unified-diff", UNIFIED_DIFF, Written::AsHunks),
    ];
    for (name, least, written) in files {
        let Some(rows) = rows(Path::new(&folder), name) else { continue };
        let begun = std::time::Instant::now();
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        let mut notes = Vec::new();
        for row in &rows {
            let (count, note) = judge(row, &base[&text(row, "base")], written);
            notes.extend(note);
            for kind in [text(row, "kind"), "ALL".to_owned()] {
                let sum = counts.entry(kind).or_default();
                sum.right += count.right;
                sum.wrong += count.wrong;
                sum.refused += count.refused;
            }
        }
        println!("{:<28} right wrong error", format!("{name} {written:?}"));
        for (kind, Count { right, wrong, refused }) in &counts {
            println!("{kind:<28} {right:>5} {wrong:>5} {refused:>5}");
        }
        println!("{} rows in {:.3} s", rows.len(), begun.elapsed().as_secs_f64());
        notes.iter().for_each(|note| println!("{note}"));
        let all = counts["ALL"];
        // A refusal costs another round. A wrong edit may go unnoticed, so there must be none.
        assert_eq!(all.wrong, 0, "{name}: applied, and not right");
        assert!(all.right * 1000 >= least * rows.len(), "{name}: only {} of {}", all.right, rows.len());
    }
}

fn rows(folder: &Path, name: &str) -> Option<Vec<Value>> {
    let file = folder.join(format!("edit-bench-{name}.jsonl.gz"));
    let Ok(bytes) = std::fs::read(&file) else {
        println!("{} is absent and was not compared", file.display());
        return None;
    };
    let lines = String::from_utf8(gunzip(&bytes)).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

fn judge(row: &Value, base: &Value, written: Written) -> (Count, Option<String>) {
    let file = row["file"].as_str().or(base["before"].as_str()).unwrap();
    let truth = row["truth"].as_str().or(base["after"].as_str()).unwrap();
    let hunks = match row["response"].as_str() {
        Some(response) => diff(response),
        None if written == Written::AsBlocks => block(&text(row, "search"), &text(row, "replace")),
        None => vec![replacing_hunk(&text(row, "search"), &text(row, "replace"))],
    };
    let expect = text(row, "expect");
    if hunks.is_empty() {
        let right = usize::from(expect.contains("error"));
        let note = format!("error {} {}: it is not read as one edit", text(row, "kind"), text(row, "base"));
        return (Count { right, wrong: 0, refused: 1 - right }, (right == 0).then_some(note));
    }
    let decoded = Text::decode(file.as_bytes()).unwrap();
    let result = apply_hunks_tolerant(&decoded, &hunks, Match::Tolerant, usize::MAX);
    let (right, wrong) = match &result {
        // What guards refuse is not written.
        Ok(patched) if is_elided(file, patched, base) => (expect.contains("error"), false),
        Ok(patched) if patched.unchanged => (expect == "error-or-noop", expect != "error-or-noop"),
        Ok(patched) => {
            let right = patched.bytes == truth.as_bytes() && expect.starts_with("apply");
            (right, !right)
        }
        Err(_) => (expect.contains("error"), false),
    };
    let refused = !right && !wrong;
    let note = (!right).then(|| {
        let result = result.map(|patched| patched.matched_by);
        format!(
            "{} {} {}: {result:?}",
            if wrong { "WRONG" } else { "error" },
            text(row, "kind"),
            text(row, "base")
        )
    });
    (Count { right: right.into(), wrong: wrong.into(), refused: refused.into() }, note)
}

/// Returns true if the guard against placeholders refuses what came of a row.
fn is_elided(file: &str, patched: &Patched, base: &Value) -> bool {
    let new = String::from_utf8_lossy(&patched.bytes);
    let path = base["path"].as_str().unwrap_or("file.py");
    let found = elided(file, &new, Path::new(path));
    found.is_some_and(|found| found.is_certain) && !patched.as_diffed
}

/// The hunks of a SEARCH/REPLACE block as models write it; none if it is not read as one edit, which is
/// reported to the user.
fn block(search: &str, replace: &str) -> Vec<Hunk> {
    let whole_lines = |text: &str| match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}\n"),
    };
    let (search, replace) = (whole_lines(search), whole_lines(replace));
    let answer = format!(
        "Here it is:\n\nsrc/file.py\n```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"
    );
    let mut parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
    if parsed.blocks.len() != 1 || !parsed.blocks[0].sound || !parsed.diagnostics.is_empty() {
        return Vec::new();
    }
    parsed
        .blocks
        .remove(0)
        .actions
        .into_iter()
        .flat_map(|action| action.hunks)
        .map(RawHunk::into_owned)
        .collect()
}

/// The hunks of the one file that is changed by the diff in `response`.
fn diff(response: &str) -> Vec<Hunk> {
    let mut parsed = parse(response, &Bounds::default(), &Choice::Auto);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.blocks.len(), 1, "{response}");
    let block = parsed.blocks.remove(0);
    assert!(block.sound && block.actions.len() == 1, "{response}");
    block.actions.into_iter().flat_map(|action| action.hunks).map(RawHunk::into_owned).collect()
}
