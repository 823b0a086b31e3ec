//! The tables of a project's store, and the columns that states are kept in.

use std::os::unix::ffi::OsStrExt;

use clada_store::Schema;
use rusqlite::{Row, params};
use serde::de::DeserializeOwned;

use super::encode::json;
use super::operation::{Change, JournalPlace, State};

pub(super) const PROJECT: Schema = Schema {
    application: 0x636c_6470,
    steps: &[
        "
        CREATE TABLE operations (
            id        TEXT PRIMARY KEY,
            kind      TEXT NOT NULL,
            began     INTEGER NOT NULL,
            status    TEXT NOT NULL,
            summary   TEXT NOT NULL,
            undoes    TEXT,
            undone_by TEXT,
            answer    BLOB,
            request   BLOB,
            results   BLOB
        ) WITHOUT ROWID;
        CREATE INDEX operations_by_answer ON operations (answer) WHERE answer IS NOT NULL;
        CREATE INDEX unfinished_operations ON operations (status) WHERE status = 'applying';
        CREATE TABLE changes (
            operation     TEXT NOT NULL REFERENCES operations ON DELETE CASCADE,
            position      INTEGER NOT NULL,
            seq           INTEGER NOT NULL,
            root          BLOB NOT NULL,
            relative      BLOB NOT NULL,
            before_kind   TEXT NOT NULL,
            before_hash   BLOB,
            before_extra  BLOB,
            after_kind    TEXT NOT NULL,
            after_hash    BLOB,
            after_extra   BLOB,
            from_root     BLOB,
            from_relative BLOB,
            done          INTEGER,
            PRIMARY KEY (operation, position)
        ) WITHOUT ROWID;
        CREATE TABLE images (
            hash    BLOB PRIMARY KEY,
            size    INTEGER NOT NULL,
            content BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE project (root BLOB NOT NULL);
    ",
        "
        ALTER TABLE operations ADD COLUMN committed TEXT;
    ",
        "
        CREATE TABLE surveys (
            operation TEXT PRIMARY KEY REFERENCES operations ON DELETE CASCADE,
            content   BLOB NOT NULL
        ) WITHOUT ROWID;
    ",
        "
        CREATE TABLE sights (
            number  INTEGER PRIMARY KEY,
            log     TEXT NOT NULL,
            content BLOB NOT NULL
        );
        ALTER TABLE operations ADD COLUMN lost BLOB;
    ",
        // Before, ids were the order.
        "
        ALTER TABLE operations ADD COLUMN seq INTEGER;
        UPDATE operations SET seq = numbered.seq
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS seq FROM operations) AS numbered
            WHERE numbered.id = operations.id;
        CREATE UNIQUE INDEX operations_by_seq ON operations (seq);
    ",
        // An operation that was over before has none of these.
        "
        ALTER TABLE operations ADD COLUMN title TEXT;
        ALTER TABLE operations ADD COLUMN files INTEGER;
        ALTER TABLE operations ADD COLUMN first_file TEXT;
        ALTER TABLE operations ADD COLUMN added INTEGER;
        ALTER TABLE operations ADD COLUMN removed INTEGER;
        ALTER TABLE operations ADD COLUMN head BLOB;
    ",
        // Before, there was one log of snapshots at a time, which the next one deleted.
        "
        CREATE TABLE snapshot_records (
            log     TEXT NOT NULL,
            number  INTEGER NOT NULL,
            content BLOB NOT NULL
        );
        CREATE UNIQUE INDEX snapshot_records_by_number ON snapshot_records (log, number);
        INSERT INTO snapshot_records SELECT log, number, content FROM sights ORDER BY number;
        ALTER TABLE surveys ADD COLUMN log TEXT;
        UPDATE surveys SET log = (SELECT log FROM sights LIMIT 1);
        DROP TABLE sights;
        CREATE TABLE checkpoints (
            id          TEXT PRIMARY KEY,
            number      INTEGER NOT NULL,
            after       INTEGER NOT NULL,
            log         TEXT NOT NULL,
            snapshot    BLOB NOT NULL,
            description BLOB NOT NULL
        ) WITHOUT ROWID;
    ",
        "
        CREATE TABLE editor_parts (
            operation   TEXT PRIMARY KEY REFERENCES operations ON DELETE CASCADE,
            description BLOB NOT NULL
        ) WITHOUT ROWID;
    ",
        // 0 or NULL: an operation of a user; 1: of an agent; 2: of an agent, and all that it replaced was an agent's.
        "
        ALTER TABLE operations ADD COLUMN agent INTEGER;
    ",
    ],
};

struct Columns {
    kind: &'static str,
    hash: Option<[u8; 32]>,
    extra: Option<Vec<u8>>,
}

fn columns(state: &State) -> Columns {
    match state {
        State::Missing => Columns { kind: "missing", hash: None, extra: None },
        State::File { hash, metadata } => {
            Columns { kind: "file", hash: Some(*hash.as_bytes()), extra: metadata.as_ref().map(json) }
        }
        State::Large(identity) => Columns { kind: "large", hash: None, extra: Some(json(identity)) },
        State::Link(target) => Columns { kind: "link", hash: None, extra: Some(target.clone()) },
        State::Folder(mode) => Columns { kind: "folder", hash: None, extra: Some(json(mode)) },
    }
}

fn state(kind: &str, hash: Option<[u8; 32]>, extra: Option<Vec<u8>>) -> Option<State> {
    fn read<T: DeserializeOwned>(extra: &[u8]) -> Option<T> {
        serde_json::from_slice(extra).ok()
    }
    Some(match kind {
        "missing" => State::Missing,
        "file" => State::File {
            hash: blake3::Hash::from_bytes(hash?),
            metadata: extra.map(|extra| read(&extra)).map_or(Some(None), |read| read.map(Some))?,
        },
        "large" => State::Large(read(&extra?)?),
        "link" => State::Link(extra?),
        "folder" => State::Folder(read(&extra?)?),
        _ => return None,
    })
}

pub(super) fn insert(
    transaction: &rusqlite::Transaction<'_>,
    operation: &str,
    position: usize,
    change: &Change,
    done: Option<bool>,
) -> rusqlite::Result<()> {
    let (before, after) = (columns(&change.before), columns(&change.after));
    let bytes = |path: &std::path::Path| path.as_os_str().as_bytes().to_vec();
    let from = change.moved_from.as_ref();
    // Paths go in as bytes, since a name need not be UTF-8.
    #[expect(clippy::expect_used, reason = "no memory holds so many")]
    let number = |value: usize| i64::try_from(value).expect("changes and actions are counted in memory");
    let mut insert = transaction.prepare_cached(
        "INSERT INTO changes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    insert.execute(params![
        operation,
        number(position),
        number(change.seq),
        bytes(&change.place.root),
        bytes(&change.place.relative),
        before.kind,
        before.hash,
        before.extra,
        after.kind,
        after.hash,
        after.extra,
        from.map(|place| bytes(&place.root)),
        from.map(|place| bytes(&place.relative)),
        done,
    ])?;
    Ok(())
}

pub(super) type ChangeRow = Option<(Change, Option<bool>)>;

pub(super) const COLUMNS: &str = "seq, root, relative, before_kind, before_hash, before_extra, after_kind, \
    after_hash, after_extra, from_root, from_relative, done";

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    let seq: i64 = row.get(0)?;
    let (root, relative): (Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?);
    let (before_kind, after_kind): (String, String) = (row.get(3)?, row.get(6)?);
    let from: (Option<Vec<u8>>, Option<Vec<u8>>) = (row.get(9)?, row.get(10)?);
    let done: Option<bool> = row.get(11)?;
    let before = state(&before_kind, row.get(4)?, row.get(5)?);
    let after = state(&after_kind, row.get(7)?, row.get(8)?);
    let (Some(before), Some(after), Ok(seq)) = (before, after, usize::try_from(seq)) else { return Ok(None) };
    let moved_from = match from {
        (Some(root), Some(relative)) => Some(JournalPlace::from_bytes(&root, &relative)),
        (None, None) => None,
        _ => return Ok(None),
    };
    let place = JournalPlace::from_bytes(&root, &relative);
    Ok(Some((Change { seq, place, before, after, moved_from }, done)))
}
