//! The table of staging folders: being made, waiting to be confirmed, handed over, and no longer needed.
//! Tables only; other modules read the disk.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::folder::Record;
use super::folder::{CompleteFolder, FileMark, MtimeMarker, Plan};
use super::remove::Removed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderState {
    Making,
    /// It is complete, was made in the background, and is not handed over.
    Ready,
    Complete,
    Handed,
    Old,
    /// It is gone, except for files that others have put into it. Copies of its files may be anywhere.
    Past,
}

impl FolderState {
    const fn word(self) -> &'static str {
        match self {
            FolderState::Making => "making",
            FolderState::Ready => "ready",
            FolderState::Complete => "made",
            FolderState::Handed => "handed",
            FolderState::Old => "old",
            FolderState::Past => "past",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct FolderRow {
    /// The id in the table.
    pub id: i64,
    /// The baseline that it was made for.
    pub baseline: String,
    /// Its path and identity.
    pub record: Record,
    /// The version of the index that it was made of.
    pub version: i64,
    /// The version of the set of files in its manifest; `None`: the manifest lists more.
    pub names: Option<i64>,
}

const COLUMNS: &str = "id, baseline, path, token, seal, place, manifest, mark, version, names";

const MAX_PAST: u32 = 500;

pub(super) fn begin(connection: &Connection, baseline: &str, plan: &Plan) -> rusqlite::Result<i64> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO folders (baseline, state, path, token, seal) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let path = plan.path.as_os_str().as_bytes();
    let id = insert.insert(params![
        baseline,
        FolderState::Making.word(),
        path,
        plan.token,
        numbers(&[plan.mtime_marker.0, plan.mtime_marker.1.into()])
    ])?;
    let mut follow = connection.prepare_cached(
        "UPDATE folders SET follower = ?2 WHERE baseline = ?1 AND state = 'handed' AND follower IS NULL",
    )?;
    follow.execute(params![baseline, id])?;
    Ok(id)
}

pub(super) fn stand_in(connection: &Connection, begun: i64, ready: i64) -> rusqlite::Result<()> {
    forget(connection, begun)?;
    connection.prepare_cached("UPDATE folders SET id = ?1 WHERE id = ?2")?.execute([begun, ready]).map(drop)
}

pub(super) struct CompleteRow<'a> {
    pub(super) id: i64,
    pub(super) state: FolderState,
    pub(super) manifest: &'a str,
    pub(super) version: i64,
    pub(super) names: Option<i64>,
}

pub(super) fn complete(
    connection: &Connection,
    complete: &CompleteFolder,
    row: &CompleteRow<'_>,
) -> rusqlite::Result<()> {
    let mark = &complete.manifest;
    let mark =
        [signed(mark.place.0), signed(mark.place.1), signed(mark.size), mark.mtime.0, mark.mtime.1.into()];
    let mut update = connection.prepare_cached(
        "UPDATE folders SET state = ?2, seal = ?3, place = ?4, manifest = ?5, mark = ?6, version = ?7, \
         names = ?8 WHERE id = ?1",
    )?;
    update
        .execute(params![
            row.id,
            row.state.word(),
            numbers(&[complete.mtime_marker.0, complete.mtime_marker.1.into()]),
            numbers(&[signed(complete.place.0), signed(complete.place.1)]),
            row.manifest,
            numbers(&mark),
            row.version,
            row.names
        ])
        .map(drop)
}

pub(super) fn set(connection: &Connection, id: i64, state: FolderState) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE folders SET state = ?2 WHERE id = ?1")?;
    update.execute(params![id, state.word()]).map(drop)
}

pub(super) fn forget(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM folders WHERE id = ?1")?.execute([id]).map(drop)
}

/// Returns the folders that are to be deleted: those that are not needed any more, and, as long as no folder
/// is being made, those whose maker was cut off.
pub(super) fn leftovers(connection: &Connection) -> rusqlite::Result<Vec<FolderRow>> {
    let mut leftovers = all(connection, FolderState::Making)?;
    leftovers.extend(all(connection, FolderState::Old)?);
    Ok(leftovers)
}

/// Records the outcome of deleting a folder.
pub(super) fn removed(connection: &Connection, one: &FolderRow, removed: Removed) -> rusqlite::Result<()> {
    // Its provenance stays on record, for copies of its files that come back. Nothing is recorded of one that
    // is still to be deleted.
    // An id may have been reused meanwhile.
    let (id, path) = (one.id, one.record.path.as_os_str().as_bytes());
    match removed {
        Removed::InUse | Removed::Unfinished => {}
        _ if one.record.completed.is_some() => {
            let mut keep =
                connection.prepare_cached("UPDATE folders SET state = ?3 WHERE id = ?1 AND path = ?2")?;
            keep.execute(params![id, path, FolderState::Past.word()])?;
            let mut forget = connection.prepare_cached(
                "DELETE FROM folders WHERE id IN (SELECT id FROM folders WHERE state = ?1 ORDER BY id DESC \
                 LIMIT -1 OFFSET ?2)",
            )?;
            forget.execute(params![FolderState::Past.word(), MAX_PAST])?;
        }
        _ => {
            let mut forget = connection.prepare_cached("DELETE FROM folders WHERE id = ?1 AND path = ?2")?;
            forget.execute(params![id, path])?;
        }
    }
    Ok(())
}

pub(super) fn all(connection: &Connection, state: FolderState) -> rusqlite::Result<Vec<FolderRow>> {
    let sql = format!("SELECT {COLUMNS} FROM folders WHERE state = ?1 ORDER BY id");
    let mut query = connection.prepare_cached(&sql)?;
    let rows = query.query_map([state.word()], read)?;
    rows.collect()
}

pub(super) fn newest(
    connection: &Connection,
    baseline: &str,
    state: FolderState,
) -> rusqlite::Result<Option<FolderRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM folders WHERE baseline = ?1 AND state = ?2 ORDER BY id DESC LIMIT 1");
    connection.prepare_cached(&sql)?.query_row(params![baseline, state.word()], read).optional()
}

pub(super) fn of_token(connection: &Connection, token: &str) -> rusqlite::Result<Option<FolderRow>> {
    let sql = format!("SELECT {COLUMNS} FROM folders WHERE token = ?1 AND version IS NOT NULL");
    connection.prepare_cached(&sql)?.query_row([token], read).optional()
}

pub(super) fn at(connection: &Connection, path: &Path) -> rusqlite::Result<Option<FolderRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM folders WHERE path = ?1 AND state IN ('made', 'handed') \
         ORDER BY id DESC LIMIT 1"
    );
    connection.prepare_cached(&sql)?.query_row([path.as_os_str().as_bytes()], read).optional()
}

/// Returns the folders of the baseline of `folder` that it replaces: those that were handed over when it was
/// begun, those that were not confirmed since, and one that was made ready. One that was handed over
/// meanwhile is not among them: its path was just printed.
pub(super) fn before(connection: &Connection, folder: &FolderRow) -> rusqlite::Result<Vec<FolderRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM folders WHERE baseline = ?1 AND \
         (state = 'handed' AND follower <= ?2 OR state = 'made' AND id < ?2 OR state = 'ready') AND id <> ?2 \
         ORDER BY id"
    );
    let mut query = connection.prepare_cached(&sql)?;
    let rows = query.query_map(params![folder.baseline, folder.id], read)?;
    rows.collect()
}

pub(super) fn beyond(
    connection: &Connection,
    beginning: &str,
    most: usize,
) -> rusqlite::Result<Vec<FolderRow>> {
    let own = "substr(baseline, 1, length(?1)) = ?1 AND state IN ('made', 'handed')";
    let sql = format!(
        "SELECT {COLUMNS} FROM folders WHERE {own} AND baseline NOT IN (SELECT baseline FROM folders WHERE {own} \
         GROUP BY baseline ORDER BY max(id) DESC LIMIT ?2) ORDER BY id"
    );
    let mut query = connection.prepare_cached(&sql)?;
    let rows = query.query_map(params![beginning, i64::try_from(most).unwrap_or(i64::MAX)], read)?;
    rows.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<FolderRow> {
    let text = |at: usize| row.get::<_, Option<String>>(at);
    let path = PathBuf::from(OsString::from_vec(row.get(2)?));
    let stamp = read_numbers(text(4)?.as_deref());
    let place = read_numbers(text(5)?.as_deref());
    let mark = read_numbers(text(7)?.as_deref());
    let completed = match (&place[..], text(6)?, &mark[..]) {
        (&[dev, ino], Some(manifest), &[mark_dev, mark_ino, size, seconds, nanoseconds]) => {
            let place = |dev: i64, ino: i64| (dev.cast_unsigned(), ino.cast_unsigned());
            let mtime = (seconds, u32::try_from(nanoseconds).unwrap_or_default());
            let mark = FileMark { place: place(mark_dev, mark_ino), size: size.cast_unsigned(), mtime };
            Some((place(dev, ino), manifest, mark))
        }
        _ => None,
    };
    let mtime_marker: MtimeMarker = match stamp[..] {
        [seconds, nanoseconds] => (seconds, u32::try_from(nanoseconds).unwrap_or_default()),
        _ => (0, 0),
    };
    Ok(FolderRow {
        id: row.get(0)?,
        baseline: row.get(1)?,
        record: Record { path, token: row.get(3)?, mtime_marker, completed },
        version: row.get::<_, Option<i64>>(8)?.unwrap_or_default(),
        names: row.get(9)?,
    })
}

fn signed(number: u64) -> i64 {
    number.cast_signed()
}

fn numbers(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

fn read_numbers(text: Option<&str>) -> Vec<i64> {
    text.unwrap_or_default().split(' ').filter_map(|number| number.parse().ok()).collect()
}
