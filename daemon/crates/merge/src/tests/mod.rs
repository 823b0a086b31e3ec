//! Merges as a user reads them.

mod additions;
mod bounds;
mod by_lines;
mod by_structure;
mod functions;
mod losses;
mod places;
mod properties;
mod quotations;
