//! Delivers a document: in the result, to the client piece by piece, or into a file.

use clada_fs::{DirtyFolders, Expected, FileKind, FsError, Like, RootedPath, Roots, Stat};
use clada_protocol::{ErrorKind, RpcError};

use super::own_document::is_own_document;
use super::shown::ShownPath;

const MOST_IN_RESULT: u64 = 32 << 20;

const MOST_LOOKED_AT: u64 = 256 << 20;

pub(super) type Out<'a> = &'a mut dyn FnMut(&str) -> Result<(), RpcError>;

pub(super) type TakePiece<'a> = &'a dyn Fn(&str) -> Result<(), RpcError>;

pub(super) type Writes<'a> = &'a dyn Fn(Out<'_>) -> Result<u64, RpcError>;

#[derive(Debug, Default)]
pub(super) struct DeliveryOutcome {
    pub(super) document: Option<String>,
    pub(super) bytes: u64,
    pub(super) output: Option<String>,
}

#[derive(Debug)]
pub(super) struct OutputFile<'a> {
    roots: &'a Roots,
    path: RootedPath,
    there: Option<Stat>,
}

impl<'a> OutputFile<'a> {
    pub(super) fn find(roots: &'a Roots, written: &str) -> Result<OutputFile<'a>, RpcError> {
        let find = || -> Result<OutputFile<'a>, FsError> {
            let mut path = roots.resolve(written)?;
            if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
                // A link on the way is the user's own.
                path = roots.join(&roots.follow(&parent)?, name)?;
            }
            let there = roots.lstat(&path)?;
            match there.map(|there| there.kind) {
                None | Some(FileKind::File) => Ok(OutputFile { roots, path, there }),
                Some(kind) => Err(not_a_file(kind, written)),
            }
        };
        find().map_err(|error| {
            RpcError::from(error).hint("-o names a file, or a new one in a folder that is there")
        })
    }

    /// Refuses to replace a file that was `named` to be embedded, unless it is such a document itself: it
    /// would be lost.
    pub(super) fn spare(&self, named: &ShownPath) -> Result<(), RpcError> {
        let content = self.roots.read(&self.path, MOST_LOOKED_AT)?;
        if content.bytes.is_empty() || is_own_document(&content.bytes) {
            return Ok(());
        }
        let message = format!("-o would overwrite '{}', which is one of the files to embed", named.text());
        Err(RpcError::new(ErrorKind::InvalidParams, message).hint("name another file with -o"))
    }

    pub(super) fn identity(&self) -> Option<(u64, u64)> {
        self.there.filter(|stat| stat.kind == FileKind::File).map(|stat| (stat.dev, stat.ino))
    }

    fn write(&self, document: Writes<'_>) -> Result<DeliveryOutcome, RpcError> {
        let like = if self.there.is_some() { Like::Existing(&self.path) } else { Like::New };
        let expected = self.there.map_or(Expected::Missing, |stat| Expected::Identity(stat.identity()));
        let mut bytes = Ok(0);
        let prepared = self.roots.prepare_with(&self.path, like, |write| {
            let mut failed = None;
            bytes = document(&mut |piece| {
                write(piece.as_bytes()).map_err(|error| {
                    failed = Some(error.clone());
                    RpcError::from(error)
                })
            });
            failed.map_or(Ok(()), Err)
        });
        let prepared = prepared?;
        let bytes = bytes?;
        prepared.publish(expected)?;
        let mut dirty = DirtyFolders::new();
        dirty.changed(&self.path);
        dirty.sync_all(self.roots)?;
        let output = self.roots.absolute(&self.path).to_string_lossy().into_owned();
        Ok(DeliveryOutcome { document: None, bytes, output: Some(output) })
    }
}

fn not_a_file(kind: FileKind, written: &str) -> FsError {
    let (kind, code, issue) = match kind {
        FileKind::Symlink => (ErrorKind::SymlinkNotAllowed, "ELOOP", "The output file is a symbolic link"),
        FileKind::Directory => (ErrorKind::IsDirectory, "EISDIR", "The output file is a directory"),
        _ => (ErrorKind::NotRegularFile, "NOT_REGULAR_FILE", "The output file is not a regular file"),
    };
    FsError::new(kind, code, issue, written)
}

pub(super) fn deliver(
    document: Writes<'_>,
    output: Option<&OutputFile<'_>>,
    stream: Option<TakePiece<'_>>,
) -> Result<DeliveryOutcome, RpcError> {
    if let Some(output) = output {
        return output.write(document);
    }
    if let Some(take) = stream {
        let bytes = document(&mut |piece| take(piece))?;
        return Ok(DeliveryOutcome { bytes, ..DeliveryOutcome::default() });
    }
    let mut text = String::new();
    let bytes = document(&mut |piece| {
        if (text.len() + piece.len()) as u64 > MOST_IN_RESULT {
            let message =
                format!("The document has more than {MOST_IN_RESULT} bytes, too many for one result");
            return Err(RpcError::new(ErrorKind::LimitExceeded, message)
                .hint("ask for it with `stream: true`, or name an `output` file"));
        }
        text.push_str(piece);
        Ok(())
    })?;
    Ok(DeliveryOutcome { document: Some(text), bytes, output: None })
}
