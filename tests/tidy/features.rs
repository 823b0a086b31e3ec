//! The list of features, `docs/design/features.md`: each has its number, a page and a test that exist.

use std::path::Path;

use super::{checkout, read};

const PAGE: &str = "docs/design/features.md";
/// The features that are promised.
const FEATURES: usize = 97;

/// The targets of the links in a cell.
fn targets(cell: &str) -> Vec<&str> {
    let targets = cell.split("](").skip(1).map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets
        .map(|target| target.unwrap_or_else(|| panic!("{PAGE}: a link without an end in '{cell}'")))
        .collect()
}

/// The words in backquotes in a cell.
fn words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Panics unless `file::name` is a test of this checkout.
fn assert_test(top: &Path, text: &str) {
    let (file, name) =
        text.split_once("::").unwrap_or_else(|| panic!("{PAGE}: '{text}' is not `file::test`"));
    let source = read(top.join(file));
    let before = source.split_once(&format!("fn {name}(")).map(|(before, _)| before);
    let has_attribute = before.is_some_and(|before| before.rsplit("}\n").next().unwrap().contains("#[test]"));
    let is_made = source.contains("each_action!") && clada_schema::definition(name).is_some();
    assert!(has_attribute || is_made, "{PAGE}: {file} has no test '{name}'");
}

#[test]
fn every_feature_has_its_number_a_page_and_a_test() {
    let (top, page) = (checkout(), read(checkout().join(PAGE)));
    let mut numbers = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Ok(number) = cells[0].parse::<usize>() else { continue };
        numbers.push(number);
        let [_, feature, tests] = cells[..] else { panic!("{PAGE}: the columns of {line}") };
        assert!(feature.len() > 10, "{PAGE}: what is feature {number}?");
        // Pages outside of the book are named, since no link of it leads there.
        let named = words(feature).into_iter().filter(|word| word.ends_with(".md"));
        let in_book = targets(feature).into_iter().map(|target| top.join("docs/design").join(target));
        let pages: Vec<_> = in_book.chain(named.map(|path| top.join(path))).collect();
        assert!(!pages.is_empty() && !words(tests).is_empty(), "{PAGE}: {number} has no page or no test");
        assert!(pages.iter().all(|page| page.is_file()), "{PAGE}: {number}: {pages:?}");
        words(tests).into_iter().for_each(|text| assert_test(&top, text));
    }
    assert_eq!(numbers, (1..=FEATURES).collect::<Vec<_>>(), "{PAGE}: the numbers of its rows");
}
