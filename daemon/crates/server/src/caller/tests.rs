//! Decisions about processes that this test makes; commands of a real helper are in `daemon/tests/callers`.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use super::*;

fn judged(callers: &Callers, pid: i32) -> Result<CallerKind, CallerRefused> {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    callers.judge(ours.as_fd(), pid).unwrap()
}

#[test]
fn this_process_is_the_users_and_what_cannot_be_seen_is_nobody() {
    let callers = Callers::new(ForeignNamespaces::Refuse);
    assert_eq!(judged(&callers, process::own()), Ok(CallerKind::Person));
    assert_eq!(judged(&callers, 0), Err(CallerRefused::Unseen));
    let agent = Callers::new(ForeignNamespaces::Agent);
    assert_eq!(judged(&agent, process::own()), Ok(CallerKind::Person));
    assert_eq!(judged(&agent, 0), Err(CallerRefused::Unseen));
}

/// A daemon in a unit with filters has as many as an agent's sandbox.
#[test]
fn regression_filters_are_compared_with_those_above_the_caller() {
    let callers = Callers::new(ForeignNamespaces::Refuse);
    let (namespaces, _) = callers.own.clone().unwrap();
    let kind = |rights: u8, filters: u32, fewest| {
        let text = format!("NoNewPrivs:\t{rights}\nSeccomp_filters:\t{filters}\n");
        callers.kind(&namespaces, &ProcessConfinement::parse(&text), fewest)
    };
    for (rights, filters, fewest, expected) in [
        (1, 1, Some(0), CallerKind::Agent),
        (1, 5, Some(0), CallerKind::Agent),
        (1, 0, Some(0), CallerKind::Person),
        (0, 5, Some(0), CallerKind::Person),
        // All of a container has filters.
        (1, 2, Some(2), CallerKind::Person),
        (1, 3, Some(2), CallerKind::Agent),
    ] {
        assert_eq!(kind(rights, filters, fewest), Ok(expected), "{rights} {filters} {fewest:?}");
    }
    assert_eq!(ProcessConfinement::fewest_filters([-1].into_iter()), None);
    assert!(ProcessConfinement::fewest_filters([1, process::own()].into_iter()).is_some());
}

#[test]
fn namespaces_and_confinement_decide_in_this_order() {
    let mut callers = Callers::new(ForeignNamespaces::Refuse);
    let (namespaces, confinement) = callers.own.clone().unwrap();
    assert_eq!(callers.kind(&namespaces, &confinement, None), Ok(CallerKind::Person));
    let mut kernel = Namespaces::read(process::own()).unwrap();
    kernel.pretend("mnt");
    assert_eq!(callers.kind(&kernel, &confinement, None), Err(CallerRefused::Namespace { kind: "mnt" }));
    callers.foreign = ForeignNamespaces::Agent;
    assert_eq!(callers.kind(&kernel, &confinement, None), Ok(CallerKind::Agent));
    callers.own = Err(Errno::ACCESS);
    assert_eq!(
        callers.kind(&namespaces, &confinement, None),
        Err(CallerRefused::Unreadable { process: process::own(), error: Errno::ACCESS })
    );
}

#[test]
fn each_refusal_says_why() {
    let refusals = [
        CallerRefused::Unseen,
        CallerRefused::Exited,
        CallerRefused::Helper { helper: 7 },
        CallerRefused::HiddenParents { helper: 7 },
        CallerRefused::Namespace { kind: "pid" },
        CallerRefused::Unreadable { process: 7, error: Errno::ACCESS },
        CallerRefused::Restless,
    ];
    let mut reasons: Vec<&str> = refusals.iter().map(CallerRefused::reason).collect();
    for refused in &refusals {
        let error = refused.error();
        assert_eq!(error.kind(), Some(ErrorKind::PeerNotAllowed));
        assert_eq!(error.data["reason"], refused.reason());
        assert!(error.message.ends_with(&refused.to_string()) && !error.message.contains('\n'), "{error}");
    }
    reasons.dedup();
    assert_eq!(reasons.len(), refusals.len());
}
