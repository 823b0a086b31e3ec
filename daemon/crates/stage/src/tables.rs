//! The tables of staging, in a file of their own alongside the journal: they grow with the project, and the
//! journal's size decides how long its history is kept.

use clada_store::Schema;

pub(super) const FILE: &str = "stage.db";

pub(super) const STAGE: Schema = Schema {
    application: 0x636c_6473,
    steps: &["
        CREATE TABLE catalog (
            clock       TEXT,
            fingerprint BLOB,
            version     INTEGER NOT NULL,
            names       INTEGER NOT NULL,
            eligible    INTEGER NOT NULL
        );
        INSERT INTO catalog VALUES (NULL, NULL, 0, 0, 0);
        CREATE TABLE files (
            path     BLOB PRIMARY KEY,
            identity BLOB,
            hash     BLOB,
            name     TEXT,
            key      INTEGER
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX files_by_key ON files (key) WHERE key IS NOT NULL;
        CREATE TABLE changes (
            version INTEGER NOT NULL,
            path    BLOB NOT NULL,
            before  BLOB,
            name    TEXT,
            PRIMARY KEY (version, path)
        ) WITHOUT ROWID;
        CREATE INDEX changes_by_path ON changes (path, version);
        CREATE TABLE baselines (
            name    TEXT PRIMARY KEY,
            version INTEGER NOT NULL,
            used    INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE folders (
            id       INTEGER PRIMARY KEY,
            baseline TEXT NOT NULL,
            state    TEXT NOT NULL,
            path     BLOB NOT NULL,
            token    TEXT NOT NULL,
            seal     TEXT NOT NULL,
            place    TEXT,
            manifest TEXT,
            mark     TEXT,
            version  INTEGER,
            names    INTEGER
        );
    ", "
        -- The version from which on a file has the content that it has, and the time of that, if it had another before.
        ALTER TABLE files ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE files ADD COLUMN again INTEGER;
        UPDATE files SET since = (SELECT version FROM catalog);
        -- The first folder that was begun after this one was handed over.
        ALTER TABLE folders ADD COLUMN follower INTEGER;
    ", "
        -- What was looked at and is not staged, and why. What was left out before is looked at again for it.
        CREATE TABLE omitted (
            path   BLOB PRIMARY KEY,
            reason TEXT NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO omitted SELECT path, 'not text' FROM files WHERE hash IS NULL;
        UPDATE catalog SET fingerprint = NULL;
    "],
};
