//! Answers without edit blocks on a connection: a part of a file, merged into 10,000 lines.

use serde_json::json;

use crate::measure::{Series, print, verdict};
use crate::place::{Connection, Place};

const ROUNDS: usize = 40;
const FUNCTIONS: usize = 2_000;

pub(crate) fn run() {
    println!("plan of a listing with left out parts, of a file with {} lines:", FUNCTIONS * 5);
    let place = Place::new();
    let function = |number: usize, sum: &str| {
        format!(
            "def part_{number}(items):\n    total = {number}\n    for item in items:\n        total += {sum}\n    return total\n"
        )
    };
    let file: String = (0..FUNCTIONS).map(|number| function(number, "item.price")).collect();
    std::fs::write(place.project().join("stock.py"), file).expect("a file");
    let _daemon = place.daemon();
    let mut connection = Connection::open(&place.socket());
    let text = format!(
        "Update `stock.py`:\n\n```python\n# ... existing code ...\n\n{}\n# ... existing code ...\n```\n",
        function(FUNCTIONS / 2, "item.price * item.stock")
    );
    let params = json!({ "root": place.project(), "text": text });
    let mut series = Series::new("plan on a connection");
    for round in 0..ROUNDS {
        // Each plan reads and merges the whole file again: nothing is applied.
        let plan = series.time(|| connection.call("plan", &params));
        let proposed = plan["proposals"].as_array().map_or(0, Vec::len);
        assert_eq!(proposed, 1, "{plan:#}");
        if round == 1 {
            series.forget();
        }
    }
    print(&[&series]);
    verdict("a part merged into 10,000 lines", series.median().as_secs_f64() * 1e3, " ms", 20.0);
}
