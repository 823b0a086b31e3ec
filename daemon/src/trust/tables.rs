//! The tables of the user's own store.

use clada_store::Schema;

pub(super) const FILE: &str = "user.db";

pub(super) const USER: Schema = Schema {
    application: 0x636c_6475,
    steps: &[
        "
        CREATE TABLE commands (
            root    BLOB NOT NULL,
            folder  BLOB NOT NULL,
            command TEXT NOT NULL,
            network INTEGER NOT NULL,
            added   INTEGER NOT NULL,
            PRIMARY KEY (root, command, folder)
        ) WITHOUT ROWID;
    ",
        "
        CREATE TABLE files (
            root    BLOB NOT NULL,
            hash    BLOB NOT NULL,
            added   INTEGER NOT NULL,
            PRIMARY KEY (root, hash)
        ) WITHOUT ROWID;
    ",
        // NULL: approved before the program was recorded.
        "ALTER TABLE commands ADD COLUMN program BLOB;",
        // The identity of the root's folder; NULL: from before that was recorded, and so the folder's at its path.
        "
        ALTER TABLE commands ADD COLUMN identity TEXT;
        ALTER TABLE files ADD COLUMN identity TEXT;
    ",
    ],
};
