//! What a user is asked holds for what they were shown, and a project's rules hold whichever root names its files.

mod bounds;
mod rules;
mod shown;
mod unasked;
