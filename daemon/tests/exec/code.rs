//! Code in each language that is installed here, short and long.

use std::ffi::OsString;

use clada_exec::{ARGUMENT, Access, CommandSpec, Ended, Follow, Language, Network, Outcome, Sandbox};

use crate::place::Place;

/// Code that looks around, and what it finds.
const CODE: &[(Language, &str, &str)] = &[
    (
        Language::Python,
        "import sys, os\nprint(sys.argv, os.path.exists('here'), __name__)",
        "['-c'] True __main__\n",
    ),
    (Language::JavaScript, "console.log(require('fs').existsSync('here'), typeof module)", "true object\n"),
    (Language::Bash, "test -e here && echo yes", "yes\n"),
    (Language::Ruby, "puts File.exist?('here')", "true\n"),
];

fn run(place: &Place, language: Language, code: &str, sandbox: Sandbox) -> Option<Outcome> {
    let mut spec = place.script("");
    let path = "/usr/local/bin:/usr/bin:/bin";
    spec.program = language.resolve(None, path.as_ref()).ok()?;
    let scratch = place.runner.scratch().unwrap();
    let arguments = if code.len() > ARGUMENT {
        language.arguments_for_file(&scratch.put("code", code.as_bytes()).unwrap())
    } else {
        language.arguments(code)
    };
    spec.arguments = arguments.map(OsString::from).to_vec();
    spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
    let spec: CommandSpec = spec;
    let mut follow = Follow { stop: &|| false, sink: &mut |_, _| {} };
    Some(place.runner.run(&spec, sandbox, Some(&scratch), &mut follow).unwrap())
}

/// Code that is too long for an argument does what it would do as one.
#[test]
fn long_code_is_run_as_short_code_is() {
    let place = Place::new();
    std::fs::write(place.path("root/here"), "").unwrap();
    for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
        if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
            continue;
        }
        for (language, code, expected) in CODE {
            let comment = if *language == Language::JavaScript { "//" } else { "#" };
            let long = format!("{comment} {}\n{code}", "x".repeat(2 * ARGUMENT));
            for code in [*code, &long] {
                let Some(outcome) = run(&place, *language, code, sandbox) else {
                    println!("{language:?} is not installed");
                    continue;
                };
                assert_eq!(
                    outcome.ended,
                    Ended::Exited(0),
                    "{language:?} {sandbox:?}: {}",
                    outcome.stderr.text
                );
                assert_eq!(outcome.stdout.text, *expected, "{language:?} under {sandbox:?}");
            }
        }
    }
    assert_eq!(std::fs::read_dir(place.path("temporary")).unwrap().count(), 0);
}

#[test]
fn code_that_fails_is_reported_with_its_status() {
    let place = Place::new();
    for code in ["exit 7".to_owned(), format!("# {}\nexit 7", "x".repeat(ARGUMENT))] {
        let outcome = run(&place, Language::Bash, &code, Sandbox::None).unwrap();
        assert_eq!(outcome.exit_code(), Some(7));
    }
}
