//! CML, element by element, and its result in XML.

use expect_test::expect;

use crate::refusals::kinds;
use crate::support::World;

fn edit(path: &str, count: &str, what: &str) -> String {
    format!("<edit path=\"{path}\"{count}>{what}<replace><![CDATA[new]]></replace></edit>\n")
}

#[test]
fn an_edit_matches_as_often_as_it_says() {
    let search = "<search><![CDATA[Old]]></search>";
    for (count, text, becomes) in [
        ("", "Old\n", Some("new\n")),
        ("", "Old Old\n", None),
        (" count=\"2\"", "Old Old old\n", Some("new new old\n")),
        (" count=\"3\"", "Old Old\n", None),
    ] {
        let world = World::new();
        world.lay("a", text);
        let result = world.apply_json(&[], edit("a", count, search));
        assert_eq!(result["success"], becomes.is_some(), "{result:#}");
        assert_eq!(world.read("a"), becomes.unwrap_or(text));
    }
}

#[test]
fn a_range_goes_from_its_start_through_the_nearest_end() {
    let what = "<search-start><![CDATA[f(]]></search-start><search-end><![CDATA[r;\n}]]></search-end>";
    let world = World::new();
    world.lay("a", "f() {\n1 r;\n}\n2\nf() {\nr;\n}\n");
    assert_eq!(kinds(&world.apply_json(&[], edit("a", "", what))), ["match_count"]);
    assert_eq!(world.apply_json(&[], edit("a", " count=\"2\"", what))["success"], true);
    assert_eq!(world.read("a"), "new\n2\nnew\n");
}

#[test]
fn a_write_creates_replaces_or_appends_without_a_byte_order_mark() {
    let world = World::new();
    world.lay("old", "old\n");
    let answer = "<write path=\"a/b\"><![CDATA[\u{feff}one]]></write>\n\
                  <write path=\"old\"><![CDATA[two\n]]></write>\n\
                  <write path=\"old\" append=\"true\"><![CDATA[three\n]]></write>\n";
    assert_eq!(world.apply_json(&[], answer)["success"], true);
    assert_eq!((world.read("a/b"), world.read("old")), ("one\n".into(), "two\nthree\n".into()));
}

#[test]
fn the_first_failure_ends_its_block_and_no_other() {
    let world = World::new();
    let write = |path: &str| format!("<write path=\"{path}\"><![CDATA[x]]></write>\n");
    let missing = "<remove path=\"missing\"/>\n";
    let answer = format!(
        "<tasks>\n{}{missing}{}</tasks>\n{missing}<tasks>\n{}</tasks>\n",
        write("before"),
        write("after"),
        write("other")
    );
    let result = world.apply_json(&[], answer);
    assert_eq!(kinds(&result), ["none", "file_not_found", "skipped", "file_not_found", "none"], "{result:#}");
    let tasks: Vec<_> = result["results"].as_array().unwrap().iter().map(|one| &one["task"]).collect();
    assert_eq!(tasks, ["1", "2", "3", "4", "5"], "numbers go over the whole document");
    // Nothing is undone, and the next block sees it.
    assert!(world.exists("before") && !world.exists("after") && world.exists("other"));
}

#[test]
fn a_version_is_of_its_block_and_lets_unknown_elements_pass() {
    let world = World::new();
    let block = |version: &str, path: &str| {
        format!("<tasks{version}>\n<shiny/>\n<write path=\"{path}\"><![CDATA[x]]></write>\n</tasks>\n")
    };
    let answer = [block(" version=\"9\"", "a"), block(" version=\"1.1\"", "b"), block("", "c")].concat();
    let result = world.apply_json(&[], answer);
    assert_eq!(result["success"], false, "{result:#}");
    let codes: Vec<_> = result["parseErrors"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["UNKNOWN_VERSION", "UNKNOWN_ELEMENT"], "{result:#}");
    assert!(!world.exists("a") && world.exists("b") && !world.exists("c"));
}

#[test]
fn errors_have_the_types_of_the_reference() {
    let world = World::new();
    world.lay("a", "one\n");
    std::os::unix::fs::symlink("a", world.project().join("link")).unwrap();
    let answer = [
        edit("a", "", "<search>two</search>"),
        edit("missing", "", "<search>one</search>"),
        edit("link", "", "<search>one</search>"),
        edit("../outside/a", "", "<search>one</search>"),
        "<run><![CDATA[sh -c true]]></run>\n".to_owned(),
        "<write path=\"b\"><![CDATA[x]]></write\n".to_owned(),
    ];
    let ran = world.run(&["apply", "--format", "xml"], answer.concat());
    let types: Vec<_> =
        ran.stdout.split("<error type=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let expected = [
        "match_count_mismatch",
        "file_not_found",
        "symlink_not_allowed",
        "path_escape",
        "command_not_allowed",
        "malformed_xml",
    ];
    assert_eq!(types, expected, "{}", ran.stdout);
    for (args, command, expected) in
        [(&[][..], "sh -c 'exit 1'", "exec_failed"), (&["--timeout", "200ms"], "sleep 600", "exec_timeout")]
    {
        let args = [&["apply", "--approve-all", "--format", "xml"], args].concat();
        let ran = world.run(&args, format!("<run>{command}</run>\n"));
        assert!(ran.stdout.contains(&format!("<error type=\"{expected}\">")), "{}", ran.stdout);
    }
}

#[test]
fn cdata_is_content_and_may_hold_its_own_end() {
    let world = World::new();
    let answer = "<write path=\"a\"><![CDATA[a < b && c]]&gt; &lt; <write path=\"x\"/>\n]]></write>\n";
    assert_eq!(world.apply_json(&[], answer)["success"], true);
    assert_eq!(world.read("a"), "a < b && c]]> &lt; <write path=\"x\"/>\n");
    assert!(!world.exists("x"));
}

#[test]
fn paths_stay_in_the_project_and_links_are_moved_or_removed_themselves() {
    let world = World::new();
    world.lay("d/target", "t\n");
    let link = |name: &str| std::os::unix::fs::symlink("d/target", world.project().join(name)).unwrap();
    ["moved", "removed", "link"].into_iter().for_each(link);
    let write = |path: &str| format!("<write path=\"{path}\"><![CDATA[x]]></write>\n");
    let outside = world.path("outside/x").to_str().unwrap().to_owned();
    let answer = [
        "<move from=\"moved\" to=\"to\"/>\n<remove path=\"removed\"/>\n".to_owned(),
        write("d\\windows"),
        write(&world.at("absolute")),
        write("link"),
        write("../outside/x"),
        write(&outside),
    ]
    .concat();
    let result = world.apply_json(&[], &answer);
    let refused = ["symlink_not_allowed", "path_escape", "path_escape"];
    assert_eq!(kinds(&result), [&["none"; 4][..], &refused].concat(), "{result:#}");
    assert_eq!(std::fs::read_link(world.project().join("to")).unwrap().to_str(), Some("d/target"));
    assert!(!world.exists("removed") && world.exists("absolute"));
    assert_eq!((world.read("d/windows"), world.read("d/target")), ("x\n".into(), "t\n".into()));
    assert_eq!(world.apply_json(&["--allow-escape"], write(&outside))["success"], true);
    assert!(world.path("outside/x").exists());
}

#[test]
fn the_result_counts_from_0_and_the_lines_from_1() {
    let world = World::new();
    let answer = "<tasks>\n<write path=\"a\"><![CDATA[x]]></write>\n</tasks>\n<tasks>\n<remove path=\"b\"/>\n</tasks>\n";
    let xml = world.run(&["apply", "--format", "xml"], answer);
    expect![[r#"
        <result blocks="2" tasks="2" succeeded="1" failed="1">
          <block index="0" status="success" tasks="1"/>
          <block index="1" status="failed" tasks="1">
            <task index="1" status="error">
              <error type="file_not_found">File not found 'b' (ENOENT)</error>
              <hint>check the path; `ls` or `glob` show what is there, and file_write creates a file</hint>
            </task>
          </block>
        </result>
    "#]]
    .assert_eq(&world.shown(&xml.stdout));
    let text = world.run(&["apply", "--again"], answer);
    assert!(text.stdout.contains("[task-1] SUCCESS") && text.stdout.contains("[task-2] ERROR"), "{text:?}");
    assert_eq!((xml.code, text.code), (1, 1));
}
