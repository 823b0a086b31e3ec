//! What the proxy starts, and what it refuses to start with.

use expect_test::expect;

use super::host::Person;

#[test]
fn folders_that_hold_more_than_a_project_are_refused() {
    let person = Person::new();
    std::os::unix::fs::symlink(person.path(""), person.path("planted/link")).unwrap();
    let mut said = String::new();
    for root in ["/", "..", "../..", "../planted/link", "../project/..", "missing", "../.it-person"] {
        let ran = person.refused(&["--root", root]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{root}");
        said += &ran.stderr;
    }
    expect![[r#"
        clada-daemon mcp: --root /: this folder holds more than a project and is never an agent's; name the project's own folder
        clada-daemon mcp: --root ..: this folder holds more than a project and is never an agent's; name the project's own folder
        clada-daemon mcp: --root ../..: this folder holds more than a project and is never an agent's; name the project's own folder
        clada-daemon mcp: --root ../planted/link: this folder holds more than a project and is never an agent's; name the project's own folder
        clada-daemon mcp: --root ../project/..: this folder holds more than a project and is never an agent's; name the project's own folder
        clada-daemon mcp: --root missing: No such file or directory (os error 2)
        clada-daemon mcp: --root ../.it-person: it is no folder
    "#]].assert_eq(&said);
    assert_eq!(person.daemons(), [0; 0], "no daemon was started for that");
    // A home folder that the host makes up does not lift it.
    let mut command = person.proxy(&["--root", ".."]);
    let ran = crate::support::feed(command.env("HOME", person.path("planted")), b"");
    assert_eq!(ran.code, 1, "{ran:?}");
}
