//! The dialects from outside: one binary, since each would be linked.

mod aider;
mod apply_patch;
mod cases;
mod cml;
mod crossing;
mod csl;
mod damaged;
mod fixtures;
mod leads;
mod plain;
mod properties;
mod replacer;
mod round_trips;
mod samples;
mod sham;
mod standing;
mod texts;
mod thinking;
mod tool_call;
mod unified_diff;
mod voices;
