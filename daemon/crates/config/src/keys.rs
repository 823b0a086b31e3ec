//! The names of keys: in the environment, and close to a name that is none.

use super::problem::nearest;
use super::settings::Key;

impl Key {
    /// Returns the key of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Key> {
        Key::all().into_iter().find(|key| key.name() == name)
    }

    /// Returns the environment variable that sets it: `CLADA_LIMITS_INPUT`.
    #[must_use]
    pub fn variable(self) -> String {
        variable(self.name())
    }
}

pub(super) fn variable(name: &str) -> String {
    format!("CLADA_{}", name.to_ascii_uppercase().replace('.', "_"))
}

pub(super) fn unknown(name: &str) -> (String, String) {
    let shown = super::problem::visible(name, 80);
    if name == "limits.connections" {
        return (format!("`{shown}` is not a key"), "It is called `daemon.connections`".to_owned());
    }
    let advice = match nearest(name, Key::all().into_iter().map(Key::name)) {
        Some(near) => format!("Perhaps you mean `{near}`"),
        None => "`clada config --default` lists every key".to_owned(),
    };
    (format!("`{shown}` is not a key"), advice)
}

pub(super) fn unknown_at_top(name: &str) -> (String, String) {
    let (message, advice) = unknown(name);
    let keys = Key::all();
    let tops = keys.iter().map(|key| key.name().split('.').next().unwrap_or_default());
    match nearest(name, tops) {
        Some(near) => (message, format!("Perhaps you mean `{near}`")),
        None => (message, advice),
    }
}
