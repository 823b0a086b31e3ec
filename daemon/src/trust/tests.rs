use std::path::Path;

use super::*;

fn entry(command: &str, network: bool) -> TrustEntry {
    TrustEntry {
        command: command.to_owned(),
        folder: PathBuf::from("/p"),
        program: Some(PathBuf::from("/bin/make")),
        network,
        added: 7,
    }
}

#[test]
fn an_entry_holds_for_one_root_only() {
    let state = tempfile::tempdir().unwrap();
    assert!(!TrustStore::is_there(state.path()));
    let mut store = TrustStore::open(state.path()).unwrap();
    store.add(Path::new("/p"), &entry("make test", false)).unwrap();
    store.add(Path::new("/p"), &entry("make test", true)).unwrap();
    drop(store);
    let mut store = TrustStore::open(state.path()).unwrap();
    assert_eq!(store.list(Path::new("/p")).unwrap(), [entry("make test", true)]);
    assert_eq!(store.list(Path::new("/q")).unwrap(), []);
    assert_eq!(store.remove(Path::new("/q"), "make test").unwrap(), 0);
    assert_eq!(store.remove(Path::new("/p"), "make test").unwrap(), 1);
    assert_eq!(store.list(Path::new("/p")).unwrap(), []);
}

#[test]
#[allow(clippy::disallowed_methods)] // A test makes what it needs.
fn a_proposal_is_never_read_through_a_link() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(Proposal::read(root.path()).unwrap(), Proposal::default());
    let mut proposal = Proposal::default();
    proposal.commands.insert("make test".to_owned());
    proposal.write(root.path()).unwrap();
    assert_eq!(Proposal::read(root.path()).unwrap(), proposal);
    let file = root.path().join(".clada/allowed-commands.json");
    let elsewhere = root.path().join("elsewhere.json");
    std::fs::rename(&file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert!(Proposal::read(root.path()).is_err());
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "{\"commands\": 1}").unwrap();
    assert!(matches!(Proposal::read(root.path()), Err(ProposalError::Nonsense(_))));
    std::fs::rename(root.path().join(".clada"), root.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", root.path().join(".clada")).unwrap();
    assert!(Proposal::read(root.path()).is_err() && proposal.write(root.path()).is_err());
}

/// Checks that an approval from before programs were recorded is still there, without one.
#[test]
#[allow(clippy::disallowed_methods)] // A test makes what it needs.
fn an_older_store_is_taken_over() {
    let state = tempfile::tempdir().unwrap();
    let older = clada_store::Schema { steps: &tables::USER.steps[..2], ..tables::USER };
    let store = clada_store::Store::open(&state.path().join(tables::FILE), &older).unwrap().store;
    let add = "INSERT INTO commands (root, folder, command, network, added) VALUES (?1, ?1, 'make', 1, 7)";
    store.connection().execute(add, [b"/p".as_slice()]).unwrap();
    drop(store);
    let listed = TrustStore::open(state.path()).unwrap().list(Path::new("/p")).unwrap();
    assert_eq!(listed, [TrustEntry { program: None, ..entry("make", true) }]);
}

#[test]
fn what_is_forgotten_is_of_one_project_or_of_all() {
    let state = tempfile::tempdir().unwrap();
    let mut store = TrustStore::open(state.path()).unwrap();
    let (one, other) = (Path::new("/one"), Path::new("/other"));
    let hash = blake3::hash(b"x");
    for root in [one, other] {
        store.trust(root, &hash, 1).unwrap();
    }
    store.add(one, &entry("make", false)).unwrap();
    let counts = |store: &TrustStore| [Some(one), Some(other), None].map(|root| store.count(root).unwrap());
    assert_eq!(counts(&store), [2, 1, 3]);
    store.forget(Some(one)).unwrap();
    assert_eq!(counts(&store), [0, 1, 1]);
    assert_eq!([one, other].map(|root| store.trusts(root, &hash).unwrap()), [false, true]);
    store.forget(None).unwrap();
    assert!(!store.trusts(other, &hash).unwrap());
}
