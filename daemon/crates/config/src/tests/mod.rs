//! The rules of the configuration, one by one.
#![allow(
    clippy::disallowed_methods,
    reason = "the files that the store reads are written here, in a temporary folder"
)]

mod edit;
mod environment;
mod files;
mod hostile;
mod narrowing;
mod shown;
mod store;

use std::path::Path;

use super::{Layer, Problem, Settings, resolve};

const HOME: &str = "/home/ada";

fn user(text: &str) -> Layer {
    Layer::user("user.yaml".into(), text, Some(Path::new(HOME)))
}

fn project(text: &str) -> Layer {
    Layer::project("project.yaml".into(), text)
}

/// Returns the settings of layers without a problem.
#[track_caller]
fn resolved(layers: &[Layer]) -> Settings {
    let (settings, problems) = resolve(layers);
    assert_eq!(problems, []);
    settings
}

/// Returns the one problem of `layers`, as it is shown.
#[track_caller]
fn only_problem(layers: &[Layer]) -> (Settings, String) {
    let (settings, problems) = resolve(layers);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    (settings, problems[0].to_string())
}

/// Returns all problems of `layers`, as they are shown.
fn problems_of(layers: &[Layer]) -> Vec<String> {
    resolve(layers).1.iter().map(Problem::to_string).collect()
}
