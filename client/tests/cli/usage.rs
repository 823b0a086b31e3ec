//! Errors before the daemon is called: exit status 2, or 1 for an answer that cannot be read.

use crate::fake::{Fixture, run, run_with};

#[test]
fn the_nearest_flag_and_command_are_suggested() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["apply", "--dry-rnu"]));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("'--dry-run'"), "{}", ran.stderr);
    let ran = run(&mut fixture.client(&["aply"]));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("'apply'"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn help_and_version_are_results() {
    let fixture = Fixture::new();
    for args in [&["--help"][..], &["apply", "--help"], &["--version"], &["call", "--help"]] {
        let ran = run(&mut fixture.client(args));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
        assert!(ran.stdout.contains("clada-client") && !ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    }
    assert_eq!(run(&mut fixture.client(&[])).code, 2);
}

#[test]
fn help_speaks_of_the_name_that_was_called() {
    let fixture = Fixture::new();
    let short = std::path::Path::new(env!("CARGO_BIN_EXE_clada"));
    for args in [&["--help"][..], &["apply", "--help"], &["--version"], &["call", "--help"]] {
        let long = run(&mut fixture.client(args)).stdout;
        let ran = run(&mut fixture.program(short, args));
        assert_eq!((ran.code, ran.stdout), (0, long.replace("clada-client", "clada")), "{args:?}");
    }
    let ran = run(&mut fixture.program(short, &["aply"]));
    assert!(ran.code == 2 && ran.stderr.contains("Usage: clada "), "{}", ran.stderr);
}

#[test]
fn a_blank_answer_is_wrong_usage() {
    let fixture = Fixture::new();
    for blank in ["", " \n\t\n", "\u{feff}\n"] {
        let ran = run_with(&mut fixture.client(&["apply"]), blank.as_bytes());
        assert_eq!(ran.code, 2, "{blank:?}");
        assert!(ran.stderr.contains("standard input is blank"), "{}", ran.stderr);
    }
    assert_eq!(run_with(&mut fixture.client(&["parse"]), b"").code, 2);
}

#[test]
fn invalid_utf8_is_reported_with_its_place() {
    let fixture = Fixture::new();
    let ran = run_with(&mut fixture.client(&["apply"]), b"one\ntwo \xff\n");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("0xff at offset 8, line 2"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Nothing was carried out"), "{}", ran.stderr);
}

#[test]
fn a_larger_answer_than_the_limit_is_not_read_to_its_end() {
    let fixture = Fixture::new();
    let ran = run_with(&mut fixture.client(&["apply"]), &vec![b'x'; 51 << 20]);
    assert_eq!(ran.code, 1);
    for words in ["input_too_large", "52428800", "52428801", "limits.input"] {
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

#[test]
fn a_missing_file_is_named() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["apply", "no\nsuch.md"]));
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("no\\nsuch.md cannot be read"), "{}", ran.stderr);
}

#[test]
fn broad_folders_are_no_project() {
    let fixture = Fixture::new();
    for folder in ["/".into(), "/tmp".into(), fixture.path("home"), fixture.path("")] {
        let ran = run_with(fixture.client(&["apply"]).current_dir(&folder), b"text");
        assert_eq!(ran.code, 2, "{folder:?} {ran:?}");
        assert!(ran.stderr.contains("--root DIR"), "{}", ran.stderr);
    }
}

#[test]
fn times_need_their_unit() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["apply", "--total-timeout", "30"]));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("30s"), "{}", ran.stderr);
}

#[test]
fn flags_that_make_no_sense_together_are_refused() {
    let fixture = Fixture::new();
    for args in [
        &["--resume", "op1", "response.md"][..],
        &["response.md", "--resume"],
        &["--resume", "--dialect", "sham"],
        &["--approve-all", "--approve", "x"],
        &["--match", "fuzzy"],
        &["--approve"],
    ] {
        let ran = run_with(&mut fixture.client(&[&["apply"], args].concat()), b"text");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
    }
    for (wrong, right) in
        [("--interactiv", "--interactive"), ("--atomc", "--atomic"), ("--matches", "--match")]
    {
        let ran = run(&mut fixture.client(&["apply", wrong]));
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(&format!("'{right}'")), "{}", ran.stderr);
    }
}
