//! `exec`: code in each language, in its folder.

use serde_json::{Value, json};

use crate::support::{Answer, World};

/// A program in each language that writes where it is, and the name of its interpreter.
const PROGRAMS: [(&str, &str, &str); 4] = [
    ("python", "import os\nprint('in ' + os.getcwd())", "python3"),
    ("javascript", "console.log('in ' + process.cwd())", "node"),
    ("bash", "echo \"in $(pwd)\"", "bash"),
    ("ruby", "puts 'in ' + Dir.pwd", "ruby"),
];

fn execute(world: &World, parameters: &[(&str, &str)], session: &str) -> Value {
    let answer = Answer::new().action("exec", parameters);
    let result = world.execute(&answer, json!({ "approve": "all", "session": session }));
    result["results"][0].clone()
}

#[test]
fn code_runs_in_four_languages() {
    let world = World::new();
    let mut ran = 0;
    for (lang, code, interpreter) in PROGRAMS {
        let result = execute(&world, &[("code", code), ("lang", lang)], "default");
        if result["kind"] == "file_not_found" {
            let error = format!("exec: {interpreter} not found in PATH (ENOENT)");
            assert_eq!(result["error"], json!(error));
            continue;
        }
        ran += 1;
        let root = world.project().canonicalize().unwrap();
        let data = json!({ "stdout": format!("in {}\n", root.display()), "stderr": "", "exit_code": 0 });
        for (name, value) in data.as_object().unwrap() {
            assert_eq!(&result["data"][name], value, "{lang}: {result:#}");
        }
    }
    assert!(ran > 0, "no language is installed");
}

/// A session's folder is where its commands run, until they name another; it outlives the answer.
#[test]
fn code_runs_in_the_folder_of_its_session() {
    let world = World::new();
    world.lay("src/deep/a", "a\n");
    let folder = |parameters: &[(&str, &str)], session: &str| {
        let parameters = [&[("code", "pwd"), ("lang", "bash")], parameters].concat();
        let result = execute(&world, &parameters, session);
        let root = world.project().canonicalize().unwrap();
        let found = result["data"]["stdout"].as_str().unwrap_or_else(|| panic!("{result:#}"));
        found.trim_end().strip_prefix(root.to_str().unwrap()).unwrap().to_owned()
    };
    assert_eq!(world.run(&["--session", "s", "session", "cd", "src"], "").code, 0);
    assert_eq!(
        (folder(&[], "default"), folder(&[], "s"), folder(&[], "s")),
        ("".into(), "/src".into(), "/src".into())
    );
    let named = world.at("src/deep");
    assert_eq!((folder(&[("cwd", &named)], "s"), folder(&[], "s")), ("/src/deep".into(), "/src".into()));
}
