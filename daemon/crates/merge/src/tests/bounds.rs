//! Large files, and listings made to fit everywhere: merged or refused, without comparing every line with every other.
//! A way that does so takes hours with these, and minutes where all cases are tried.

use clada_test_extent::cases;

use crate::{Level, Part, merge};

fn functions(count: usize, body: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| format!("def f{at}(a):\n    x = {}\n    return x\n\n\n", body(at))).collect()
}

#[test]
fn regression_a_listing_that_fits_everywhere_is_refused() {
    let line = "    x = compute(1)\n";
    let file = format!("def f():\n{}", line.repeat(cases(8_000, 400_000)));
    for listing in [
        line.repeat(cases(5_000, 200_000)) + "    y = 2\n",
        format!("# ...\n{line}").repeat(cases(200, 5_000)),
        format!("# ...\n{line}    z = 3\n{line}").repeat(cases(50, 1_000)) + "# ...\n",
    ] {
        assert!(merge(&file, &Part::new(&listing, "py")).is_err());
    }
}

#[test]
fn a_large_file_takes_one_function() {
    let file = functions(cases(2_000, 75_000), |at| {
        format!("some_function_of({at}, a) + {}", "long_name + ".repeat(8) + "1")
    });
    let changed = file.replacen("some_function_of(77, a)", "other(77, a)", 1);
    let shown = |from: &str, to: &str| &changed[changed.find(from).unwrap()..changed.find(to).unwrap()];
    for part in
        [shown("def f77(", "def f78(").to_owned(), format!("# ...\n{}# ...\n", shown("def f76(", "def f79("))]
    {
        assert_eq!(merge(&file, &Part::new(&part, "py")).unwrap().text, changed);
    }
}

#[test]
fn ten_thousand_units_take_a_thousand_others() {
    let count = cases(500, 10_000);
    let is_changed = |at: usize| at % 10 == 3;
    let [before, after] = [false, true].map(|changes| {
        functions(
            count,
            |at| if changes && is_changed(at) { format!("{at} - a") } else { format!("a + {at}") },
        )
    });
    let shown = after.split_inclusive("\n\n\n").enumerate().filter(|(at, _)| is_changed(*at));
    let shown: Vec<&str> = shown.map(|(_, function)| function).collect();
    let merged = merge(&before, &Part::new(&shown.concat(), "py")).unwrap();
    assert_eq!((merged.level, merged.text == after), (Level::ByStructure, true));
    let listing = shown.join("# ... existing code ...\n\n\n");
    assert!(merge(&before, &Part::new(&listing, "py")).unwrap().text == after);
}
