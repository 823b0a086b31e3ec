//! Tests much at once: changes without end during queries.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::world::{World, everywhere, scale};
use crate::Change;

/// A generator of random-looking numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Makes one change as programs do, on a few names, so that the changes conflict. It may fail.
fn one_change(world: &World, numbers: &mut Numbers) {
    let mut path = || {
        let mut path = world.path(&format!("s{}", numbers.below(6)));
        for _ in 0..numbers.below(4) {
            path.push(format!("d{}", numbers.below(4)));
        }
        path
    };
    let (one, other) = (path(), path());
    let file = format!("f{}", numbers.below(5));
    let _ = match numbers.below(10) {
        0 => fs::create_dir_all(&one),
        1..=3 => {
            fs::create_dir_all(&one).and_then(|()| fs::write(one.join(file), numbers.below(1000).to_string()))
        }
        4 => fs::rename(&one, &other),
        5 => fs::rename(one.join(&file), other.join(&file)),
        6 => fs::remove_file(one.join(file)),
        7 => fs::remove_dir_all(&one),
        8 => fs::rename(&one, world.outside.join(&file)),
        _ => fs::rename(world.outside.join(&file), &one),
    };
}

#[test]
fn random_changes_and_a_look_now_and_then() {
    everywhere(|world| {
        for seed in 1..=2 * scale() as u64 {
            let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for round in 0..200 {
                one_change(world, &mut numbers);
                if numbers.below(4) == 0 {
                    world.check(&format!("change {round} of seed {seed}"));
                }
            }
        }
    });
}

#[test]
fn changes_without_end_during_queries() {
    everywhere(|world| {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 1..=2u64 {
                let done = &done;
                scope.spawn(move || {
                    let mut numbers = Numbers(thread.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    for _ in 0..1_000 * scale() {
                        one_change(world, &mut numbers);
                    }
                    done.store(true, Ordering::SeqCst);
                });
            }
            let mut asked = 0;
            loop {
                // A change that was finished before is seen, whatever else goes on.
                let name = format!("mine/{asked}");
                world.write(&name, "mine");
                assert!(world.known().contains_key(&PathBuf::from(name)), "question {asked}");
                asked += 1;
                // On a busy machine the others may be done before the first question.
                if done.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        world.check("all of it");
    });
}

#[test]
fn every_write_is_seen_at_once() {
    everywhere(|world| {
        for number in 0..40 {
            world.write(&format!("d{}/f{number}", number % 4), "");
        }
        let (mut clock, _) = world.changes(None);
        let mut numbers = Numbers(7);
        for round in 0..150 * scale() {
            let name = format!("d{}/f{}", numbers.below(4), numbers.below(40));
            let path = world.path(&name);
            let existed = path.exists();
            let expected = match numbers.below(4) {
                0 if existed => {
                    fs::remove_file(&path).unwrap();
                    Change::Deleted
                }
                1 => {
                    fs::write(world.outside.join("x"), "same").unwrap();
                    fs::rename(world.outside.join("x"), &path).unwrap();
                    if existed { Change::Changed } else { Change::Created }
                }
                _ => {
                    // Often of the same size and within the same tick of the file system's clock.
                    fs::write(&path, (round % 10).to_string()).unwrap();
                    if existed { Change::Changed } else { Change::Created }
                }
            };
            let (now, changes) = world.changes(Some(clock));
            let changes = changes.expect("the clock is of this epoch");
            let said = changes.get(&PathBuf::from(&name)).copied();
            let came_back = expected == Change::Created && said == Some(Change::Changed);
            assert!(said == Some(expected) || came_back, "round {round}, {name}: {said:?} for {expected:?}");
            clock = now;
        }
    });
}
