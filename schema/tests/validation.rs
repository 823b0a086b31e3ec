//! Checks the exact messages of validation, and that it reports all violations.

#![allow(clippy::expect_used, reason = "what is missing fails the test")]

use clada_schema::{
    Action, Count, Options, Parameter, ParameterType, PathRule, RawAction, RawField, RawHunk, Span,
    Violation, definitions, validate,
};
use serde_json::Value;

fn raw<'a>(name: Option<&'a str>, fields: &[(&'a str, &'a str)]) -> RawAction<'a> {
    RawAction {
        name: name.map(Into::into),
        fields: fields
            .iter()
            .map(|&(name, value)| RawField { name: name.into(), value: value.into(), span: Span::default() })
            .collect(),
        ..RawAction::default()
    }
}

fn messages(name: Option<&str>, fields: &[(&str, &str)]) -> Vec<String> {
    let options = Options { paths: PathRule::Absolute };
    let violations = validate(&raw(name, fields), &options).expect_err("not valid");
    violations.into_iter().map(|violation: Violation| violation.message).collect()
}

#[test]
fn the_messages_are_exact() {
    assert_eq!(messages(None, &[]), ["Missing 'action' field in NESL block"]);
    assert_eq!(messages(Some("create_file"), &[]), ["Unknown action: create_file"]);
    assert_eq!(
        messages(Some("file_replace_text"), &[("path", "/a")]),
        ["Missing required parameter: old_text", "Missing required parameter: new_text"]
    );
    let replace = [("path", "/a"), ("old_text", "x"), ("new_text", "y"), ("count", "two")];
    assert_eq!(messages(Some("file_replace_all_text"), &replace), ["Invalid integer value: two"]);
    assert_eq!(messages(Some("exec"), &[("code", "1"), ("lang", "perl")]), ["Unsupported language 'perl'"]);
    assert_eq!(messages(Some("file_read"), &[("path", "src/a.rs")]), ["Invalid absolute path: src/a.rs"]);
    assert_eq!(messages(Some("file_read"), &[("path", "")]), ["Invalid absolute path: "]);
}

#[test]
fn missing_and_invalid_parameters_are_reported_together() {
    let found = messages(Some("file_replace_all_text"), &[("path", "a"), ("count", "x")]);
    assert_eq!(
        found,
        [
            "Invalid absolute path: a",
            "Missing required parameter: old_text",
            "Missing required parameter: new_text",
            "Invalid integer value: x",
        ]
    );
}

#[test]
fn integers_have_one_form() {
    for bad in ["+5", "5.0", "", " ", "0x5", "5 5", "-", "99999999999999999999", "0", "-1", "٣"] {
        let fields = [("path", "/a"), ("old_text", "x"), ("new_text", "y"), ("count", bad)];
        let expected = format!("Invalid integer value: {bad}");
        assert_eq!(messages(Some("file_replace_all_text"), &fields), [expected]);
    }
    let fields = [("path", "/a"), ("old_text", "x"), ("new_text", "y"), ("count", " 12\t")];
    let validated = validate(&raw(Some("file_replace_all_text"), &fields), &Options::default()).unwrap();
    let Action::FileReplaceAllText(action) = validated.action else { panic!("another action") };
    assert_eq!(action.count, Some(Count::Exactly(12)));
}

#[test]
fn a_count_may_be_all() {
    let fields = [("path", "/a"), ("old_text", "x"), ("new_text", "y"), ("count", "all")];
    let validated = validate(&raw(Some("file_replace_all_text"), &fields), &Options::default()).unwrap();
    let Action::FileReplaceAllText(action) = &validated.action else { panic!("another action") };
    assert_eq!(action.count, Some(Count::All));
    assert_eq!(validated.action.parameters(&["count"])["count"], "all");
}

#[test]
fn a_dialect_may_mean_its_paths_either_way() {
    let options = Options { paths: PathRule::Either };
    let read = |path| validate(&raw(Some("file_read"), &[("path", path)]), &options);
    assert_eq!(read("src/a.rs").unwrap().warnings, []);
    assert_eq!(read("").unwrap_err()[0].message, "Invalid path: it is empty");
}

#[test]
fn windows_and_posix_paths_are_absolute() {
    for path in ["/a", "C:\\a", "c:/a", "\\\\host\\share", "/"] {
        assert!(clada_schema::is_absolute_path(path), "{path}");
    }
    for path in ["a", "", "C:a", "~/a", "./a", "1:/a", "é:/a"] {
        assert!(!clada_schema::is_absolute_path(path), "{path}");
    }
}

#[test]
fn a_relative_path_is_taken_with_a_warning_unless_absolute_is_asked() {
    let read = raw(Some("files_read"), &[("paths", "\n a.rs \n\n/b.rs\n")]);
    let validated = validate(&read, &Options::default()).unwrap();
    let warnings: Vec<String> = validated.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["Relative path: a.rs (taken as relative to the project root)"]);
    assert_eq!(messages(Some("files_read"), &[("paths", "/a\nb\nc")]), ["Invalid absolute path: b"]);
    assert_eq!(messages(Some("files_read"), &[("paths", " \n ")]), ["Invalid absolute path: "]);
}

#[test]
fn an_unknown_parameter_is_a_warning_that_names_the_nearest() {
    let write = raw(Some("write_file"), &[("path", "/a"), ("content", ""), ("contents", "x"), ("zz", "")]);
    let validated = validate(&write, &Options::default()).unwrap();
    assert_eq!(validated.action.name(), "file_write");
    let warnings: Vec<String> = validated.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["Unknown parameter: contents (ignored; did you mean content?)", "Unknown parameter: zz (ignored)"]
    );
    assert_eq!(validated.present, ["path", "content"]);
}

#[test]
fn an_unknown_action_suggests_the_nearest() {
    let violations = validate(&raw(Some("file_wirte"), &[]), &Options::default()).unwrap_err();
    assert_eq!(violations[0].hint.as_deref(), Some("did you mean file_write?"));
    let long = "x".repeat(1 << 20);
    let violations = validate(&raw(Some(&long), &[]), &Options::default()).unwrap_err();
    assert!(violations[0].hint.as_deref().unwrap().contains("file_write, file_append"));
}

#[test]
fn a_default_fills_in_what_is_not_written() {
    let read = raw(Some("file_read_numbered"), &[("path", "/a")]);
    let validated = validate(&read, &Options::default()).unwrap();
    let Action::FileReadNumbered(action) = validated.action else { panic!("another action") };
    assert_eq!((action.delimiter.as_str(), action.lines), (": ", None));
}

#[test]
fn regression_right_counts_of_a_hunk_reach_its_action() {
    let hunk = RawHunk { is_counted: true, line_hint: Some(3), ..RawHunk::default() };
    let raw =
        RawAction { hunks: vec![hunk], ..raw(Some("file_patch"), &[("path", "a.rs"), ("newPath", "b.rs")]) };
    let validated = validate(&raw, &Options::default()).unwrap();
    let Action::FilePatch(patch) = &validated.action else { panic!("{:?}", validated.action) };
    assert!(patch.hunks[0].is_counted && patch.new_path.as_deref() == Some("b.rs"));
    let parameters =
        serde_json::json!({ "path": "a.rs", "newPath": "b.rs", "hunks": [{ "lines": [], "lineHint": 3 }] });
    assert_eq!(serde_json::Value::from(validated.action.parameters(&validated.present)), parameters);
}

#[test]
fn the_parameters_of_an_action_are_those_that_were_written() {
    for definition in definitions() {
        let text = |parameter: &Parameter| match parameter.parameter_type {
            ParameterType::Integer | ParameterType::Count => "3".to_owned(),
            ParameterType::Boolean => "true".to_owned(),
            ParameterType::Enum => parameter.values[0].clone(),
            ParameterType::String => "/a/b".to_owned(),
        };
        let texts: Vec<(&str, String)> =
            definition.parameters.iter().map(|one| (one.name.as_str(), text(one))).collect();
        let fields: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let validated = validate(&raw(Some(&definition.name), &fields), &Options::default()).unwrap();
        let written = definition.parameters.iter().zip(&texts).map(|(parameter, (name, text))| {
            let value = match parameter.parameter_type {
                ParameterType::Integer | ParameterType::Count => 3.into(),
                ParameterType::Boolean => true.into(),
                ParameterType::Enum | ParameterType::String => text.as_str().into(),
            };
            ((*name).to_owned(), value)
        });
        let parameters: Vec<(String, Value)> =
            validated.action.parameters(&validated.present).into_iter().collect();
        assert_eq!(parameters, written.collect::<Vec<_>>(), "{}", definition.name);
    }
}
