//! Files and folders as one document for a prompt, in three steps that know nothing of one another:
//!
//! 1. `discover`: which files were asked for. Looks at names and folders, opens no file.
//! 2. `gather`: reads each file once and says whether it can be embedded ([`clada_fs::DecodedText`]). What is made of it is kept aside
//!    (`spool`), since the head of a document says what is in it.
//! 3. `format`: what was read, as Markdown, XML or JSON. Pure.
//!
//! `request` puts them together and decides what errors mean; `document` hands the result on in pieces. Memory does
//! not grow with the document. The same files give the same bytes.
//!
//! This room changes nothing but the file that a person has named for the document. It must not know sessions or
//! sockets.

mod budget;
mod changed;
mod deliver;
mod diff;
mod discover;
mod document;
mod folders;
mod format;
mod found;
mod gather;
mod issue;
mod line_ends;
mod names;
mod ordered;
mod request;
mod shown;
mod spool;
mod tokens;

pub use request::{Progress, Request, Sources, embed};
pub use tokens::Vocabularies;
