//! Errors before the daemon is called: exit status 2, or 1 for an answer that cannot be read.

use expect_test::{expect, expect_file};

use crate::fake::{Fixture, run, run_with};

#[test]
fn the_nearest_flag_and_command_are_suggested() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["apply", "--dry-rnu"]));
    assert_eq!(ran.code, 2);
    expect![[r#"
        error: unexpected argument '--dry-rnu' found

          tip: a similar argument exists: '--dry-run'

        Usage: clada-client apply --dry-run [FILE]

        For more information, try '--help'.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    let ran = run(&mut fixture.client(&["aply"]));
    assert_eq!(ran.code, 2);
    expect![[r#"
        error: unrecognized subcommand 'aply'

          tip: some similar subcommands exist: 'a', 'apply'

        Usage: clada-client [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    assert_eq!(ran.stdout, "");
}

#[test]
fn help_and_version_are_results() {
    let fixture = Fixture::new();
    for (args, expected) in [
        (&["--help"][..], expect_file!["../data/help.txt"]),
        (&["apply", "--help"], expect_file!["../data/help-apply.txt"]),
        (&["call", "--help"], expect_file!["../data/help-call.txt"]),
        (&["--version"], expect_file!["../data/version.txt"]),
    ] {
        let ran = run(&mut fixture.client(args));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
        expected.assert_eq(&fixture.shown(&ran.stdout.replace(env!("CARGO_PKG_VERSION"), "VERSION")));
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
    assert_eq!(ran.code, 2);
    expect![[r#"
        error: unrecognized subcommand 'aply'

          tip: some similar subcommands exist: 'a', 'apply'

        Usage: clada [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn a_blank_answer_is_wrong_usage() {
    let fixture = Fixture::new();
    for blank in ["", " \n\t\n", "\u{feff}\n"] {
        let ran = run_with(&mut fixture.client(&["apply"]), blank.as_bytes());
        assert_eq!(ran.code, 2, "{blank:?}");
        expect![[r#"
            clada: there is no answer: standard input is empty
              Give the model's answer as a file or through a pipe.
        "#]]
        .assert_eq(&fixture.shown(&ran.stderr));
    }
    assert_eq!(run_with(&mut fixture.client(&["parse"]), b"").code, 2);
}

#[test]
fn invalid_utf8_is_reported_with_its_place() {
    let fixture = Fixture::new();
    let ran = run_with(&mut fixture.client(&["apply"]), b"one\ntwo \xff\n");
    assert_eq!(ran.code, 1);
    expect![[r#"
        clada: standard input is not UTF-8: the byte 0xff at offset 8, line 2, is invalid
          Nothing was applied. Save the answer as UTF-8 and try again.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn a_larger_answer_than_the_limit_is_not_read_to_its_end() {
    let fixture = Fixture::new();
    let ran = run_with(&mut fixture.client(&["apply"]), &vec![b'x'; 51 << 20]);
    assert_eq!(ran.code, 1);
    expect![[r#"
        clada: standard input is too large (input_too_large): reading stopped after 52428801 bytes, and the limit is 52428800 bytes (50 MB, the default of limits.input)
          Nothing was applied. Apply the answer in parts.
    "#]].assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn a_missing_file_is_named() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["apply", "no\nsuch.md"]));
    assert_eq!(ran.code, 1);
    expect![[r#"
        clada: no\nsuch.md cannot be read: No such file or directory (os error 2)
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn broad_folders_are_no_project() {
    let fixture = Fixture::new();
    for folder in ["/".into(), "/tmp".into(), fixture.path("home"), fixture.path("")] {
        let ran = run_with(fixture.client(&["apply"]).current_dir(&folder), b"text");
        assert_eq!(ran.code, 2, "{folder:?} {ran:?}");
        let folder = folder.canonicalize().unwrap().display().to_string();
        expect![[r#"
            clada: FOLDER is not used as a project unless you name it
              Change into the project, or name the folder with --root DIR.
        "#]]
        .assert_eq(&ran.stderr.replace(&format!(" {folder} "), " FOLDER "));
    }
}

#[test]
fn times_need_their_unit() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["apply", "--total-timeout", "30"]));
    assert_eq!(ran.code, 2);
    expect![[r#"
        error: invalid value '30' for '--total-timeout <TIME>': a time is a number with its unit: 500ms, 30s, 5m or 1h

        For more information, try '--help'.
    "#]].assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn flags_that_make_no_sense_together_are_refused() {
    let fixture = Fixture::new();
    let mut said = String::new();
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
        said += &format!("$ apply {}\n{}", args.join(" "), ran.stderr);
    }
    for wrong in ["--interactiv", "--atomc", "--matches"] {
        let ran = run(&mut fixture.client(&["apply", wrong]));
        assert_eq!(ran.code, 2);
        said += &format!("$ apply {wrong}\n{}", ran.stderr);
    }
    expect![[r#"
        $ apply --resume op1 response.md
        error: the argument '--resume [<OP>]' cannot be used with '[FILE]'

        Usage: clada-client apply --resume [<OP>] [FILE]

        For more information, try '--help'.
        $ apply response.md --resume
        error: the argument '[FILE]' cannot be used with '--resume [<OP>]'

        Usage: clada-client apply <FILE>

        For more information, try '--help'.
        $ apply --resume --dialect sham
        error: the argument '--resume [<OP>]' cannot be used with '--dialect <NAME>'

        Usage: clada-client apply --resume [<OP>] [FILE]

        For more information, try '--help'.
        $ apply --approve-all --approve x
        error: the argument '--approve-all' cannot be used with '--approve <ID>'

        Usage: clada-client apply --approve-all [FILE]

        For more information, try '--help'.
        $ apply --match fuzzy
        error: invalid value 'fuzzy' for '--match <LEVEL>'
          [possible values: exact, strict, tolerant]

        For more information, try '--help'.
        $ apply --approve
        error: a value is required for '--approve <ID>' but none was supplied

        For more information, try '--help'.
        $ apply --interactiv
        error: unexpected argument '--interactiv' found

          tip: a similar argument exists: '--interactive'

        Usage: clada-client apply --interactive [FILE]

        For more information, try '--help'.
        $ apply --atomc
        error: unexpected argument '--atomc' found

          tip: a similar argument exists: '--atomic'

        Usage: clada-client apply --atomic [FILE]

        For more information, try '--help'.
        $ apply --matches
        error: unexpected argument '--matches' found

          tip: a similar argument exists: '--match'

        Usage: clada-client apply --match <LEVEL> [FILE]

        For more information, try '--help'.
    "#]]
    .assert_eq(&fixture.shown(&said));
}
