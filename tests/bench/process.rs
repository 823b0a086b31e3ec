//! `clada status` as a whole process against `/bin/true`.

use std::path::Path;

use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Place, run as run_command};

const ROUNDS: usize = 400;

pub(crate) fn run() {
    println!("clada status as a whole process, the daemon running:");
    let place = Place::new();
    let _daemon = place.daemon();
    let mut nothing = Series::new("/bin/true");
    let mut status = Series::new("clada status");
    for round in 0..ROUNDS {
        nothing.time(|| run_command(place.command(Path::new("/bin/true"))));
        status.time(|| run_command(place.client(&["status"])));
        if round == 10 {
            nothing.forget();
            status.forget();
        }
    }
    print(&[&nothing, &status]);
    verdict("status against /bin/true", ratio(&status, &nothing), "", 2.0);
}
