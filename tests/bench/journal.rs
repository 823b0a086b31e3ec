//! The cost of the journal of operations: fifty writes with it and without, the recovery of an operation that
//! was cut off, and the growth of the journal.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clada_apply::{LeftBehind, recover};
use clada_fs::{Options, PathPolicy, PolicyGlobs, Roots};
use clada_journal::{
    Change, Images, JournalRegistry, OperationDetails, OperationKind, OperationStatus, ProjectJournal, State,
};
use serde_json::json;

use crate::apply::answer;
use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Connection, Place};
use crate::workload::{FILES, content, name};

const ROUNDS: usize = 40;
/// Operations whose growth is reported, and files that each of them changes.
const OPERATIONS: (usize, usize) = (1_000, 5);
/// Lines of such a file; each operation changes one of them.
const LINES: usize = 200;

pub(crate) fn run() {
    writes();
    recovery();
}

fn writes() {
    println!("execute of {FILES} replaced files of 4 kB on a connection:");
    let place = Place::new();
    let _daemon = place.daemon();
    let mut connection = Connection::open(&place.socket());
    let (mut with, mut without) = (Series::new("with the record"), Series::new("without (noUndo)"));
    for round in 0..ROUNDS {
        let mut one = |series: &mut Series, folder: &str, no_undo: bool| {
            std::fs::create_dir_all(place.project().join(folder)).expect("a folder");
            rustix::fs::sync();
            let text = answer(folder, round);
            let params = json!({"text": text, "root": place.project(), "noUndo": no_undo});
            let result = series.time(|| connection.call("execute", &params));
            assert_eq!(result["success"], true, "{result}");
        };
        // The one that begins alternates, since each run leaves work for the disk.
        if round % 2 == 0 {
            one(&mut with, "with", false);
            one(&mut without, "without", true);
        } else {
            one(&mut without, "without", true);
            one(&mut with, "with", false);
        }
        if round == 1 {
            with.forget();
            without.forget();
        }
    }
    print(&[&with, &without]);
    verdict("with the record against without", ratio(&with, &without), "", 1.4);
}

fn recovery() {
    println!("recovery of an operation on {FILES} files of 4 kB, cut off in its middle:");
    let place = Place::new();
    let root = place.project();
    let policy = PathPolicy::new(&PolicyGlobs::default()).expect("a policy");
    let roots = Roots::open(&root, &[], &[], policy, Options::default()).expect("roots");
    let journal = JournalRegistry::new(place.path("state")).journal(&root);
    let mut series = Series::new("from the record to what was done");
    for round in 0..ROUNDS {
        cut_off(&journal, &root, round);
        let told = series
            .time(|| recover(&journal, &roots, &roots, None, LeftBehind::Nothing))
            .expect("it is found out");
        assert_eq!(told.len(), 1, "{told:?}");
    }
    print(&[&series]);
    println!();
}

/// Records an operation half of which was done.
fn cut_off(journal: &ProjectJournal, root: &Path, round: usize) {
    let mut images = Images::default();
    let change = |number: usize| {
        let (old, new) = (content(round, number), content(round + 1, number));
        // Half of the changes were made when the process ended: recovery meets both states.
        let done = if number < FILES / 2 { &new } else { &old };
        std::fs::write(root.join(name(number)), done).expect("a file");
        let before = images.add(&old.into_bytes().into());
        Change {
            seq: number + 1,
            place: clada_journal::JournalPlace { root: root.to_path_buf(), relative: name(number).into() },
            before: State::File { hash: before, metadata: None },
            after: State::File { hash: Images::default().add(&new.into_bytes().into()), metadata: None },
            moved_from: None,
        }
    };
    let changes: Vec<Change> = (0..FILES).map(change).collect();
    let operation = clada_journal::Operation {
        id: format!("{round:018}"),
        kind: OperationKind::Execute,
        began: 0,
        status: OperationStatus::Applying,
        summary: String::new(),
        undoes: None,
        undone_by: None,
        committed: None,
        outline: clada_journal::Outline::default(),
    };
    journal
        .with(|journal| journal.begin(&operation, &changes, &images, &OperationDetails::default()))
        .expect("it is put down");
}

/// Prints the size of a journal after many small operations.
pub(crate) fn growth() {
    let (operations, files) = OPERATIONS;
    println!(
        "the record after {operations} operations, each with one line of {files} files of {LINES} lines:"
    );
    let place = Place::new();
    let config = place.path("home/.config/clada");
    std::fs::create_dir_all(&config).expect("a folder");
    std::fs::write(config.join("config.yaml"), "history: {keep: 100000}\n").expect("a configuration");
    let line = |file: usize, at: usize, version: usize| format!("file {file} line {at} version {version}\n");
    let bytes: usize = (0..files)
        .map(|file| {
            let text: String = (0..LINES).map(|at| line(file, at, 0)).collect();
            std::fs::write(place.project().join(name(file)), &text).expect("a file");
            text.len()
        })
        .sum();
    let _daemon = place.daemon();
    let mut connection = Connection::open(&place.socket());
    let mut spent = Duration::ZERO;
    for operation in 0..operations {
        let (at, version) = (operation % LINES, operation / LINES);
        let block = |file: usize| {
            format!(
                "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_replace_text\"\npath = \"{}\"\n\
                 old_text = \"{}\"\nnew_text = \"{}\"\n#!END_SHAM_k7m\n\n",
                name(file),
                line(file, at, version).trim_end(),
                line(file, at, version + 1).trim_end()
            )
        };
        let text: String = (0..files).map(block).collect();
        let begun = Instant::now();
        let result = connection.call("execute", &json!({"text": text, "root": place.project()}));
        spent += begun.elapsed();
        assert_eq!(result["success"], true, "{result}");
    }
    let record = record(&place.path("home"));
    // The write-ahead log is a file of its own, so it is reported apart from the journal.
    let log = record.with_file_name("operations.db-wal");
    let size = |file: &Path| std::fs::metadata(file).map_or(0, |found| found.len());
    let total = size(&record);
    println!("  the files that an operation replaces:        {bytes} bytes");
    println!("  the record:                                  {:.1} MB", total as f64 / (1 << 20) as f64);
    println!(
        "  of an operation:                             {:.1} kB",
        total as f64 / 1024.0 / operations as f64
    );
    println!("  not moved into it yet:                       {:.1} MB", size(&log) as f64 / (1 << 20) as f64);
    println!(
        "  an operation took:                           {:.2} ms\n",
        spent.as_secs_f64() * 1e3 / operations as f64
    );
}

/// The one journal beneath a home.
fn record(home: &Path) -> PathBuf {
    let mut folders = vec![home.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == clada_journal::FILE) {
                return path;
            }
        }
    }
    panic!("there is no record beneath {}", home.display())
}
