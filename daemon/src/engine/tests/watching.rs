//! Operations in a project that is watched.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clada_apply::Stop;
use clada_protocol::{ProjectEventKind, ProjectParams};

use super::*;

/// A process that writes its own file as soon as the operation has made one.
struct Meddling {
    made: PathBuf,
    theirs: PathBuf,
    done: AtomicBool,
}

impl RequestContext for Meddling {
    fn stop(&self) -> Option<Stop> {
        if self.made.exists() && !self.done.swap(true, Ordering::Relaxed) {
            std::fs::write(&self.theirs, "theirs").unwrap();
        }
        None
    }

    fn waiting(&self) {}
}

#[test]
fn what_others_change_during_an_operation_is_named() {
    let world = World::new();
    world.write("read.txt", "text");
    let read =
        "#!SHAM [@three-char-SHA-256: r7m]\naction = \"file_read\"\npath = \"read.txt\"\n#!END_SHAM_r7m\n\n";
    let answer = |number: usize| {
        let (first, second) = (format!("a{number}.txt"), format!("b{number}.txt"));
        [writing(&[(&first, "a")]), read.to_owned(), writing(&[(&second, "b")])].concat()
    };
    let apply = |number: usize| {
        let meddling = Arc::new(Meddling {
            made: world.root.join(format!("a{number}.txt")),
            theirs: world.root.join(format!("theirs{number}.txt")),
            done: AtomicBool::new(false),
        });
        let request = world.request_of(Arc::clone(&meddling) as Arc<dyn RequestContext>);
        let result = request.execute(answer(number), &world.params()).unwrap().result;
        assert!(result.success && meddling.theirs.exists(), "{result:#?}");
        result.external_changes
    };
    // The changes are unknown as long as the project is not watched.
    assert_eq!(apply(1), Vec::<String>::new());
    let project = ProjectParams { root: world.params().root };
    world.request().watch(&project).unwrap();
    assert_eq!(apply(2), ["theirs2.txt"]);
    assert_eq!(apply(3), ["theirs3.txt"]);
    assert_eq!(world.apply(&answer(4)).external_changes, Vec::<String>::new());
}

#[test]
fn a_watch_that_was_ended_never_comes_back() {
    let world = World::new();
    let project = ProjectParams { root: world.params().root };
    let request = world.request();
    let (first, clock, _) = request.listen(&(Arc::new(|| {}) as Arc<clada_watch::Listener>)).unwrap();
    // Half of an unwatch is done: the watch has ended, and the project still has it.
    assert!(world.engine.watching.get().unwrap().unwatch(&world.root));
    assert!(matches!(request.news(&first, clock).unwrap(), News::Unwatched));
    assert_eq!(request.prepare_stage(&first).unwrap(), PreparedStage::Ended);
    assert!(request.project().watched().is_none() && world.engine.watched().projects.is_empty());
    // Another request watches again, and the rest of the unwatch leaves that alone.
    assert_eq!(request.watch(&project).unwrap().warnings, Vec::<String>::new());
    let second = request.project().watched().unwrap();
    request.project().unwatch(&first);
    assert!(request.project().is_watched_by(&second) && !request.project().is_watched_by(&first));
    assert!(world.engine.unwatch(&project).watched);
    assert!(!world.engine.unwatch(&project).watched);
}

#[test]
fn subscribers_are_notified_of_operations() {
    let world = World::new();
    let inbox = world.request().project().events().subscribe(Arc::new(|| {}));
    let elsewhere = world.engine.request("/", Arc::new(Unasked)).unwrap();
    let elsewhere = elsewhere.project().events().subscribe(Arc::new(|| {}));
    world.apply(&writing(&[("a.txt", "a"), ("d/b.txt", "b")]));
    let event = inbox.take().unwrap();
    assert_eq!(event.kind, ProjectEventKind::Executed);
    let files: Vec<&str> = event.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["a.txt", "d/b.txt"]);
    let operation = event.operation_id.clone().unwrap();
    world.undo(&operation).unwrap();
    let event = inbox.take().unwrap();
    assert_eq!((event.kind, event.undoes.clone()), (ProjectEventKind::Undone, Some(operation)));
    assert!(inbox.take().is_none() && elsewhere.take().is_none());
    // What changes nothing is not news.
    world.apply("Nothing to do.");
    assert!(inbox.take().is_none());
}

#[test]
fn a_watched_project_s_names_are_those_that_a_walk_finds() {
    let hints = |watches: bool| {
        let world = World::new();
        for folder in ["src/later", "conf", "ignored/lib", "lib"] {
            std::fs::create_dir_all(world.root.join(folder)).unwrap();
        }
        world.write("src/app.py", "one\n");
        world.write("conf/.env", "A=1\n");
        world.write(".gitignore", "ignored\n");
        world.write("ignored/lib/x.py", "one\n");
        if watches {
            world.request().watch(&ProjectParams { root: world.params().root }).unwrap();
        }
        // Later changes are known as well.
        world.write("src/later/new.py", "one\n");
        std::fs::remove_file(world.root.join("src/app.py")).unwrap();
        world.write("lib/app.py", "one\n");
        let read = |path: &str| {
            format!(
                "#!SHAM [@three-char-SHA-256: r7m]\naction = \"file_read\"\npath = \"{path}\"\n#!END_SHAM_r7m\n\n"
            )
        };
        let answer: String = [
            "/w/later/new.py",
            "/w/src/app.py",
            "/w/lib/app.py",
            "/w/conf/.env",
            "/w/lib/x.py",
            "src/later/news.py",
            "lib/apps.py",
        ]
        .map(read)
        .concat();
        world.apply(&answer).results.into_iter().map(|result| result.hint.unwrap()).collect::<Vec<_>>()
    };
    let known = hints(true);
    assert_eq!(known, hints(false));
    // A file that is gone, is a secret or is ignored is not reported as there; the folder of the written path
    // may be.
    let named = |at: usize, file: &str| {
        known[at].contains(&format!("the project has '{file}'"))
            || known[at].contains(&format!("closest in the project: '{file}'"))
    };
    assert!(named(0, "src/later/new.py") && !named(1, "src/app.py") && named(2, "lib/app.py"), "{known:#?}");
    assert!(
        !named(3, "conf/.env") && !named(4, "ignored/lib/x.py") && named(5, "src/later/new.py"),
        "{known:#?}"
    );
    assert!(!known[4].contains("ignored"), "{known:#?}");
}
