//! Effects that no answer asks for: what stood at a path is made again.

use std::os::unix::fs::PermissionsExt;

use clada_fs::Metadata;

use super::*;

fn restore(path: RootedPath, before: Before, saved: Saved) -> Effect {
    Effect::Restore(Restore { path, before, old: None, saved, parents: Vec::new() })
}

fn file(content: &str, mode: u32) -> Saved {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let metadata = Metadata { mode, uid, gid, xattrs: Vec::new() };
    Saved::File { content: content.as_bytes().into(), metadata: Some(metadata) }
}

fn text(content: &str) -> Before {
    Before::Content(blake3::hash(content.as_bytes()))
}

#[test]
fn files_links_and_folders_come_back_as_they_were() {
    let project = Project::with(&[("there", "new")]);
    std::os::unix::fs::symlink("elsewhere", project.root.join("link")).unwrap();
    let roots = project.roots();
    let at = |path| roots.resolve(path).unwrap();
    let mut done = None;
    project.operate(|operation| {
        done = Some(operation.carry_out(vec![
            restore(at("folder"), Before::Missing, Saved::Folder(0o750)),
            restore(at("folder/gone"), Before::Missing, file("gone", 0o755)),
            restore(at("there"), text("new"), file("old", 0o600)),
            restore(at("link"), Before::Symlink(b"elsewhere".to_vec()), Saved::Link(b"there".to_vec())),
            restore(at("made/other"), Before::Missing, Saved::Link(b"x".to_vec())),
        ]));
        ExecutionResult::default()
    });
    let done = done.unwrap();
    assert!(done.results.iter().all(|result| result.success), "{done:#?}");
    assert_eq!(done.results[1].params.text("path"), Some("folder/gone"));
    let mode = |path: &str| {
        std::fs::symlink_metadata(project.root.join(path)).unwrap().permissions().mode() & 0o7777
    };
    assert_eq!((mode("folder"), mode("folder/gone"), mode("there")), (0o750, 0o755, 0o600));
    assert_eq!(project.text("folder/gone").as_deref(), Some("gone"));
    let target = |path: &str| std::fs::read_link(project.root.join(path)).unwrap();
    assert_eq!((target("link"), target("made/other")), ("there".into(), "x".into()));
}

#[test]
fn the_first_that_fails_keeps_the_others_from_being_made() {
    let project = Project::with(&[("a", "theirs"), ("b", "new")]);
    let roots = project.roots();
    let at = |path| roots.resolve(path).unwrap();
    let mut done = None;
    project.operate(|operation| {
        done = Some(operation.carry_out(vec![
            restore(at("made/a"), Before::Missing, file("x", 0o644)),
            restore(at("a"), text("ours"), file("old", 0o644)),
            restore(at("b"), text("new"), file("old", 0o644)),
        ]));
        ExecutionResult::default()
    });
    let done = done.unwrap();
    let kinds: Vec<_> = done.results.iter().map(|result| result.kind).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Conflict), Some(ErrorKind::Skipped)]);
    assert_eq!(done.external_changes, ["a"]);
    assert_eq!((project.text("a"), project.text("b")), (Some("theirs".into()), Some("new".into())));
}
