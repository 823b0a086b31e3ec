//! The container that a new member of data belongs to: the words above the part name it, or its members look alike.
//!
//! ```text
//! "Add this service:"     services:       | "properties": { "a": { "type": …, "title": … } }
//!   redis:                  web:          | "b": { "type": …, "title": … }       a member of `properties`
//!     image: redis            image: web
//! ```

use std::collections::BTreeSet;

use super::head::Kind;
use super::layout::Layout;
use super::merger::{Merger, Scope};
use super::unit::{Unit, body, units};

/// Members inside of two entries that make them look alike.
const ALIKE: usize = 2;

impl Merger<'_, '_> {
    /// Returns the head of the only container of the file that new members may be for.
    pub(super) fn container_of(&mut self, new: &[Unit]) -> Option<usize> {
        let file = self.file;
        let are_keys = !new.is_empty() && new.iter().all(|unit| unit.is(Kind::Key) || unit.is(Kind::Comment));
        if !file.family.is_data() || !are_keys {
            return None;
        }
        let heads: Vec<usize> = (0..file.len())
            .filter(|at| matches!(&file.keys[*at], Some(key) if key.kind == Kind::Key) && file.is_code(*at))
            .filter(|at| matches!(file.norm[*at].chars().next_back(), Some(':' | '{')))
            .collect();
        // A name in the words decides before a likeness.
        let (mut named, mut alike) = (Vec::new(), Vec::new());
        for head in heads {
            let scope = self.scope(head);
            if !self.may_hold(new, &scope) {
                continue;
            }
            let name = file.keys[head].as_ref().map(|key| key.name.as_str()).unwrap_or_default();
            if names_container(self.label.words, name) {
                named.push(head);
            }
            if self.look_alike(new, &scope) {
                alike.push(head);
            }
        }
        match (&named[..], &alike[..]) {
            ([only], _) => Some(*only),
            ([], [only]) => Some(*only),
            (several, [only]) if several.contains(only) => Some(*only),
            _ => None,
        }
    }

    // Returns true if the members of a container are of the same kind as new ones: texts beside texts, mappings beside
    // mappings, and as deep as those if the part shows how deep they are.
    fn may_hold(&self, new: &[Unit], scope: &Scope) -> bool {
        let is_member = |unit: &&Unit| unit.is(Kind::Key);
        let members: Vec<&Unit> = scope.units.iter().filter(is_member).collect();
        let nest = |layout: &Layout<'_>, unit: &Unit| unit.size(layout) > 1;
        let nested = members.iter().filter(|unit| nest(self.file, unit)).count();
        let depth = self.part.indent[new[0].head];
        let is_as_deep = depth == 0 || members.first().is_some_and(|one| self.file.indent[one.head] == depth);
        let mut shown = new.iter().filter(is_member);
        !members.is_empty()
            && is_as_deep
            && shown.all(|unit| {
                if nest(self.part, unit) { 2 * nested >= members.len() } else { 2 * nested <= members.len() }
            })
    }

    fn look_alike(&self, new: &[Unit], scope: &Scope) -> bool {
        let inner = |layout: &Layout<'_>, unit: &Unit| -> BTreeSet<String> {
            let lines = body(layout, unit, &[]);
            let members = lines.map_or_else(Vec::new, |lines| units(layout, lines));
            members.into_iter().filter_map(|unit| unit.key).map(|key| key.name).collect()
        };
        let there: Vec<BTreeSet<String>> = scope.units.iter().map(|unit| inner(self.file, unit)).collect();
        new.iter().filter(|unit| unit.is(Kind::Key)).all(|unit| {
            let own = inner(self.part, unit);
            there.iter().any(|other| {
                let common = own.intersection(other).count();
                common >= ALIKE && 2 * common >= own.len()
            })
        })
    }
}

// Returns true if `words` name the container `name`, or one of what it holds: `scripts`, "this script".
fn names_container(words: &str, name: &str) -> bool {
    let lower = name.to_lowercase();
    let single = match lower.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => lower.strip_suffix('s').unwrap_or(&lower).to_owned(),
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    words.to_lowercase().split(|c: char| !is_word(c)).any(|word| {
        let word = word.trim_end_matches('.');
        !word.is_empty() && (word == lower || word == single)
    })
}
