//! The names of users and groups, as the system's two files have them. An id in neither keeps its
//! number.

use std::collections::HashMap;
use std::io::Read;

use clada_fs::{Symlinks, open_regular};

const BYTES: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Owners {
    users: HashMap<u32, String>,
    groups: HashMap<u32, String>,
}

impl Owners {
    pub(super) fn read() -> Owners {
        Owners { users: names(&text("/etc/passwd")), groups: names(&text("/etc/group")) }
    }

    pub(super) fn user(&self, number: u32) -> Option<&str> {
        self.users.get(&number).map(String::as_str)
    }

    pub(super) fn group(&self, number: u32) -> Option<&str> {
        self.groups.get(&number).map(String::as_str)
    }
}

fn text(path: &str) -> String {
    let mut bytes = Vec::new();
    let read = open_regular(path.as_ref(), Symlinks::Follow)
        .and_then(|file| file.take(BYTES).read_to_end(&mut bytes));
    read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// `name:password:number:…` a line; of several with a number the first counts.
fn names(text: &str) -> HashMap<u32, String> {
    let mut names = HashMap::new();
    for line in text.lines() {
        let mut fields = line.split(':');
        if let (Some(name), Some(Ok(number))) = (fields.next(), fields.nth(1).map(str::parse)) {
            names.entry(number).or_insert_with(|| name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_none_are_passed_over() {
        let names = names("root:x:0:0::/root:/bin/sh\n# no\nann:x:1000:\nbob:x:1000:\nodd:x:y:\n\n");
        assert_eq!((names.len(), names[&0].as_str(), names[&1000].as_str()), (2, "root", "ann"));
    }
}
