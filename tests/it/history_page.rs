//! The page of `history show --html` in a real browser: pictures of it at two widths, light and dark.

use std::path::Path;

use serde_json::{Value, json};

use crate::clients::program;
use crate::support::{Ran, World};

const WIDTHS: [u32; 2] = [360, 1200];
/// Holds the whole page, however long the path of the project is.
const HEIGHT: u32 = 3000;
/// Backgrounds of the page, of added and of removed lines: light, dark.
const COLOURS: [[&str; 3]; 2] = [["ffffff", "dafbe1", "ffebe9"], ["0d1117", "12361f", "4a1c1c"]];

/// Chromium without a window, in its own folder. No sandbox: tests run as root, too.
fn chromium(world: &World, program: &Path, arguments: &[String]) -> Ran {
    let mut command = world.program(program.to_str().unwrap());
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--timeout=20000"]);
    command.arg(format!("--user-data-dir={}", world.path("chromium").display()));
    command.args(arguments).output().unwrap().into()
}

#[test]
fn it_is_readable_at_two_widths_light_and_dark() {
    let Some(program) = ["chromium-headless-shell", "chromium"].iter().find_map(|name| program(name)) else {
        return;
    };
    let world = World::new();
    world.lay("a.txt", "one\ntwo\nthree\n");
    let (long, name) = ("x".repeat(300), "x".repeat(80));
    let answer = format!(
        "a.txt\n<<<<<<< SEARCH\ntwo\n=======\n<script>document.title = 1</script>\n{long}\n>>>>>>> REPLACE\n\n\
         {name}.txt\n<<<<<<< SEARCH\nnone\n=======\nx\n>>>>>>> REPLACE\n"
    );
    world.run(&["apply"], answer);
    let page = world.path("page.html");
    let ran = world.run(&["history", "show", "last", "--html", page.to_str().unwrap()], "");
    assert_eq!(ran.code, 0, "{ran:?}");

    let mut pictures = Vec::new();
    for width in WIDTHS {
        // The browser's words for a preference: 1 is light, 0 is dark.
        for (preference, name) in [(1, "light"), (0, "dark")] {
            let name = format!("{width}-{name}.png");
            let arguments = [
                format!("--blink-settings=preferredColorScheme={preference}"),
                format!("--window-size={width},{HEIGHT}"),
                format!("--screenshot={}", world.path(&name).display()),
                format!("file://{}", page.display()),
            ];
            let ran = chromium(&world, &program, &arguments);
            assert_eq!(ran.code, 0, "{ran:?}");
            pictures.push(name);
        }
    }

    let measure = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/history_page/measure.html");
    std::fs::copy(measure, world.path("measure.html")).unwrap();
    let asked = json!({
        "page": "page.html", "pictures": pictures, "widths": WIDTHS, "colours": COLOURS.concat(),
    });
    let asked: String = asked.to_string().bytes().map(|byte| format!("%{byte:02x}")).collect();
    let arguments = [
        "--allow-file-access-from-files".to_owned(),
        "--virtual-time-budget=10000".to_owned(),
        "--dump-dom".to_owned(),
        format!("file://{}#{asked}", world.path("measure.html").display()),
    ];
    let ran = chromium(&world, &program, &arguments);
    let said = ran.stdout.split_once("measured ").and_then(|(_, rest)| rest.split_once(" end"));
    let said: Value = serde_json::from_str(said.unwrap_or_else(|| panic!("{ran:?}")).0).unwrap();
    for (width, frame) in WIDTHS.iter().zip(said["frames"].as_object().unwrap().values()) {
        // Nothing is wider than the window, and nothing of the answer has become markup.
        assert!(frame["content"].as_u64().unwrap() <= u64::from(*width), "{said:#}");
        assert_eq!(frame["scripts"], 0, "{said:#}");
    }
    for (index, name) in pictures.iter().enumerate() {
        let picture = &said["pictures"][name];
        assert_eq!(picture["size"], json!([WIDTHS[index / 2], HEIGHT]), "{said:#}");
        let share = |colour: &str| picture["shares"][colour].as_f64().unwrap();
        let (own, others) = (COLOURS[index % 2], COLOURS[1 - index % 2]);
        assert!(share(own[0]) > 0.4 && share(own[1]) > 0.01 && share(own[2]) > 0.001, "{name}: {said:#}");
        assert!(others.iter().all(|colour| share(colour) < 0.001), "{name}: {said:#}");
    }
}
