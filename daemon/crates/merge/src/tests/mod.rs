//! Merges as a user reads them.

mod additions;
mod bounds;
mod by_lines;
mod by_structure;
mod edges;
mod frames;
mod functions;
mod kinds;
mod losses;
mod markers;
mod places;
mod properties;
mod quotations;
mod zones;
