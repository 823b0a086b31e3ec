//! The promises of the reference document, one by one.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{Staged, folders, stage, told};
use crate::support::World;

const ALL: [&str; 3] = ["app-lib-plugin-package.json", "dot--tool-versions", "package.json"];

/// The project of the reference's examples, with files that are not eligible.
fn project() -> World {
    let world = World::new();
    world.lay("package.json", "{}");
    world.lay("app/lib/plugin/package.json", "{1}");
    world.lay(".tool-versions", "ruby");
    world.lay("assets/images/logo.svg", "<svg/>");
    world.lay("out.bin", b"\0\x01");
    world.lay("target/x.txt", "x");
    world.lay(".gitignore", "target\n");
    world.lay("project.key", "secret");
    world
}

fn all_files() -> Value {
    json!({
        "app-lib-plugin-package.json": "app/lib/plugin/package.json",
        "dot--tool-versions": ".tool-versions",
        "package.json": "package.json",
    })
}

#[test]
fn folders_become_part_of_the_name() {
    let files = stage(&project(), &[]).files();
    assert_eq!(files["package.json"], b"{}", "a file in the root keeps its name");
    assert_eq!(files["app-lib-plugin-package.json"], b"{1}");
}

#[test]
fn the_manifest_names_all_eligible_files_always() {
    let world = project();
    for change in ["{}", "{}", "{2}"] {
        world.lay("package.json", change);
        let manifest = stage(&world, &[]).manifest();
        assert_eq!((&manifest["files"], &manifest["root"]), (&all_files(), &json!(world.root())));
    }
}

#[test]
fn a_leading_dot_becomes_a_word() {
    let world = project();
    world.lay(".config/x.ini", "x");
    world.lay("a/.editorconfig", "e");
    let files = stage(&world, &[]).files();
    assert_eq!(files["dot--tool-versions"], b"ruby");
    assert_eq!((&files["dot--config-x.ini"][..], &files["a-dot--editorconfig"][..]), (&b"x"[..], &b"e"[..]));
    assert!(files.keys().all(|name| !name.starts_with('.')), "{files:?}");
}

#[test]
fn an_svg_is_staged_as_xml() {
    let world = project();
    assert_eq!(stage(&world, &[]).names(), ALL, "the default list leaves pictures out");
    world.lay(".cladaignore", "*.json\n");
    assert_eq!(stage(&world, &[]).files()["assets-images-logo-svg.xml"], b"<svg/>");
}

#[test]
fn the_previous_folder_is_deleted() {
    let world = project();
    let first = stage(&world, &[]);
    let mode = std::fs::metadata(&first.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(first.path.file_name().unwrap().to_str().unwrap().starts_with("clada-stage-"));
    let second = stage(&world, &[]);
    assert!(!first.path.exists() && second.path.exists() && folders(&world) == 1);
}

#[test]
fn standard_output_is_the_path_alone() {
    let world = project();
    for (args, is_verbose) in [(&["stage"][..], false), (&["stage", "-v"], true)] {
        let ran = world.run(args, "");
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{ran:?}");
        assert!(std::path::Path::new(ran.stdout.trim_end()).is_dir(), "{ran:?}");
        assert_eq!(ran.stderr.is_empty(), !is_verbose, "{ran:?}");
    }
}

#[test]
fn first_all_and_then_what_was_modified() {
    let world = project();
    assert_eq!(stage(&world, &[]).names(), ALL);
    world.lay("package.json", "{2}");
    let modified = stage(&world, &[]);
    assert_eq!(
        (modified.names(), &modified.files()["package.json"][..]),
        (vec!["package.json".into()], &b"{2}"[..])
    );
    assert_eq!(stage(&world, &["--all"]).names(), ALL);
}

#[test]
fn without_a_change_there_is_the_manifest_alone() {
    let world = project();
    stage(&world, &[]);
    let second = stage(&world, &[]);
    assert_eq!((second.names().len(), &second.manifest()["files"]), (0, &all_files()));
    // Touched, and the same.
    world.lay("package.json", "{}");
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
}

#[test]
fn an_ignore_file_says_what_is_left_out() {
    let world = project();
    let first: Staged = stage(&world, &[]);
    assert!(!first.names().iter().any(|name| name.contains("target")), "git's rules hold");
    for (name, staged) in [(".clodignore", "dot--clodignore"), (".cladaignore", "dot--cladaignore")] {
        world.lay(name, "*.json\n");
        let found = told(&world, &["--all"]);
        let copied = found["copied"].as_array().unwrap();
        let mut names: Vec<_> = copied.iter().map(|one| one["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert!(names.contains(&staged) && names.contains(&"assets-images-logo-svg.xml"), "{found:#}");
        assert!(names.iter().all(|name| !name.ends_with(".json")), "{found:#}");
    }
}
