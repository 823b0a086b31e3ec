//! Files and folders as one document for a prompt, in three steps that know nothing of one another:
//!
//! 1. `discover`: finds the files that were asked for. Reads names and folders, opens no file.
//! 2. `gather`: reads each file once and decides whether it can be embedded ([`clada_fs::DecodedText`]). Its
//!    section is spooled (`spool`), since the head of a document describes the whole document.
//! 3. `format`: writes the files as Markdown, XML or JSON. Pure.
//!
//! `request` combines them and decides what errors mean; `document` passes the result on in pieces. Memory
//! does not grow with the document. The same files give the same bytes.
//!
//! This crate changes nothing but the file that a user has named for the document. It must not know sessions
//! or sockets.

mod budget;
mod changed;
mod deliver;
mod diff;
mod discover;
mod document;
mod findings;
mod folders;
mod format;
mod gather;
mod issue;
mod line_ends;
mod lines;
mod names;
mod ordered;
mod own_document;
mod request;
mod shown;
mod spool;
mod tokens;

pub use request::{Embedded, Progress, Request, Sources, embed};
pub use tokens::Vocabularies;
