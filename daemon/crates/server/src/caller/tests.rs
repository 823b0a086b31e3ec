//! Decisions about processes that this test makes; commands of a real helper are in `daemon/tests/callers`.

use std::os::unix::net::UnixStream;

use super::*;

fn judged(callers: &Callers, pid: i32) -> Result<CallerKind, Refused> {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    callers.judge(ours.as_fd(), pid).unwrap()
}

#[test]
fn this_process_is_the_users_and_what_cannot_be_seen_is_nobody() {
    let callers = Callers::new(ForeignNamespaces::Refuse);
    assert_eq!(judged(&callers, process::own()), Ok(CallerKind::Person));
    assert_eq!(judged(&callers, 0), Err(Refused::Unseen));
    let agent = Callers::new(ForeignNamespaces::Agent);
    assert_eq!(judged(&agent, process::own()), Ok(CallerKind::Person));
    assert_eq!(judged(&agent, 0), Err(Refused::Unseen));
}

#[test]
fn namespaces_and_confinement_decide_in_this_order() {
    let mut callers = Callers::new(ForeignNamespaces::Refuse);
    let (namespaces, confinement) = callers.own.clone().unwrap();
    assert_eq!(callers.kind(&namespaces, &confinement), Ok(CallerKind::Person));
    let mut kernel = Namespaces::read(process::own()).unwrap();
    kernel.pretend("mnt");
    assert_eq!(callers.kind(&kernel, &confinement), Err(Refused::Namespace { kind: "mnt" }));
    callers.foreign = ForeignNamespaces::Agent;
    assert_eq!(callers.kind(&kernel, &confinement), Ok(CallerKind::Agent));
    callers.own = Err(Errno::ACCESS);
    assert_eq!(
        callers.kind(&namespaces, &confinement),
        Err(Refused::Unreadable { process: process::own(), error: Errno::ACCESS })
    );
}

#[test]
fn each_refusal_says_why() {
    let refusals = [
        Refused::Unseen,
        Refused::Gone,
        Refused::Helper { helper: 7 },
        Refused::HiddenParents { helper: 7 },
        Refused::Namespace { kind: "pid" },
        Refused::Unreadable { process: 7, error: Errno::ACCESS },
        Refused::Restless,
    ];
    let mut reasons: Vec<&str> = refusals.iter().map(Refused::reason).collect();
    for refused in &refusals {
        let error = refused.error();
        assert_eq!(error.kind(), Some(ErrorKind::PeerNotAllowed));
        assert_eq!(error.data["reason"], refused.reason());
        assert!(error.message.ends_with(&refused.to_string()) && !error.message.contains('\n'), "{error}");
    }
    reasons.dedup();
    assert_eq!(reasons.len(), refusals.len());
}
