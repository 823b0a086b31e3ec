//! The attributes of a file that an operation changed besides its content, and their way back.
//!
//! Pure. What the operation left alone may be changed by others and stays as it is.

use clada_fs::Metadata;
use clada_journal::{JournalPlace, Net, State};

/// Attributes that every user who may change the file may set.
const SETTABLE: [&[u8]; 2] = [b"user.", b"system.posix_acl_access"];
const OF_CONTENT: &[u8] = b"security.";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Altered {
    mode: bool,
    owner: bool,
    names: Vec<Vec<u8>>,
}

impl Altered {
    /// Returns what the operation made different from `before`, which was at `place`, in the file that is at
    /// the place of `net`; or may have made different, since another file is there now.
    pub(super) fn by(net: &Net, place: &JournalPlace, before: &Metadata) -> Altered {
        let is_other = || net.is_new || net.came_from.as_ref().is_some_and(|from| from != place);
        match &net.after {
            State::File { metadata: Some(after), .. } => {
                let names = before.xattrs.iter().chain(&after.xattrs).map(|(name, _)| name);
                let differs = |name: &&Vec<u8>| value(before, name) != value(after, name);
                let mut names: Vec<_> =
                    names.filter(|name| is_settable(name)).filter(differs).cloned().collect();
                names.sort();
                names.dedup();
                let owner = (before.uid, before.gid) != (after.uid, after.gid);
                Altered { mode: before.mode != after.mode, owner, names }
            }
            State::File { metadata: None, .. } if is_other() => {
                let names = before.xattrs.iter().map(|(name, _)| name).filter(|name| is_settable(name));
                Altered { mode: true, owner: false, names: names.cloned().collect() }
            }
            _ => Altered::default(),
        }
    }

    /// Returns true if what was changed is as in `state`. An owner that nobody could give back does not
    /// count.
    pub(super) fn is_left(&self, now: &Metadata, state: &Metadata) -> bool {
        (!self.mode || now.mode == state.mode)
            && self.names.iter().all(|name| value(now, name) == value(state, name))
    }

    /// Returns true if what was changed is as in `before`, the owner, too.
    pub(super) fn is_back(&self, now: &Metadata, before: &Metadata) -> bool {
        let same_owner = (now.uid, now.gid) == (before.uid, before.gid);
        (!self.owner || same_owner) && self.is_left(now, before)
    }

    /// Returns the attributes that a file, which is `now` and was `before`, needs so that what was changed is
    /// back.
    pub(super) fn back(&self, now: &Metadata, before: &Metadata) -> Metadata {
        let mode = if self.mode { before.mode } else { now.mode };
        let owner = if self.owner { before } else { now };
        let (uid, gid) = (owner.uid, owner.gid);
        let comes_back = |name: &Vec<u8>| name.starts_with(OF_CONTENT) || self.names.contains(name);
        let stays = now.xattrs.iter().filter(|(name, _)| !comes_back(name));
        let returns = before.xattrs.iter().filter(|(name, _)| comes_back(name));
        Metadata { mode, uid, gid, xattrs: stays.chain(returns).cloned().collect() }
    }
}

fn is_settable(name: &[u8]) -> bool {
    SETTABLE.iter().any(|begin| name.starts_with(begin))
}

fn value<'m>(metadata: &'m Metadata, name: &[u8]) -> Option<&'m [u8]> {
    let mut all = metadata.xattrs.iter();
    all.find(|(own, _)| own == name).map(|(_, value)| value.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(mode: u32, xattrs: &[(&str, &str)]) -> Metadata {
        let pair = |(name, value): &(&str, &str)| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        Metadata { mode, uid: 1, gid: 1, xattrs: xattrs.iter().map(pair).collect() }
    }

    #[test]
    fn only_what_was_changed_comes_back() {
        let before = metadata(0o644, &[("user.a", "1"), ("user.gone", "1"), ("security.x", "old")]);
        let after = metadata(0o644, &[("user.a", "2"), ("user.new", "1"), ("security.x", "new")]);
        let place = JournalPlace { root: "/".into(), relative: "f".into() };
        let file =
            |metadata: &Metadata| State::File { hash: blake3::hash(b""), metadata: Some(metadata.clone()) };
        let (is_new, came_from) = (false, None);
        let net = Net { place: place.clone(), before: file(&before), after: file(&after), is_new, came_from };
        let altered = Altered::by(&net, &place, &before);
        // The mode was changed since, and something was added.
        let mut now = metadata(0o600, &[("user.a", "2"), ("user.new", "1"), ("user.mine", "1")]);
        assert!(altered.is_left(&now, &after) && !altered.is_back(&now, &before));
        let back = altered.back(&now, &before);
        let mut wanted = metadata(
            0o600,
            &[("user.mine", "1"), ("user.a", "1"), ("user.gone", "1"), ("security.x", "old")],
        );
        assert_eq!(back, wanted);
        assert!(altered.is_back(&back, &before) && !altered.is_left(&back, &after));
        // What it left alone is nobody's business, also the owner; what it gave away is.
        wanted.uid = 2;
        assert!(altered.is_back(&wanted, &before));
        let given = Metadata { uid: 2, ..after };
        let net = Net { after: file(&given), ..net };
        let altered = Altered::by(&net, &place, &before);
        now.uid = 2;
        assert!(altered.is_left(&now, &given) && !altered.is_back(&wanted, &before));
        assert_eq!(altered.back(&now, &before).uid, 1);
    }
}
