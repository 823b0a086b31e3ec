//! Making one commit of several.

use super::*;

fn squash(which: SquashWhich) -> Squash {
    Squash { which, message: None, force: false, tip: None, now: SystemTime::now() }
}

/// A squash that is made.
#[derive(Debug)]
struct Squashed {
    commit: String,
    kept: String,
    commits: Vec<clada_protocol::CommitInfo>,
    moved: clada_protocol::HeadMove,
}

fn make_squash(repository: &mut GitRepository, asked: &Squash) -> Result<Squashed, GitError> {
    let PlannedSquash { plan, backup_ref: kept, commits } = repository.plan_squash(asked)?;
    // Journals of earlier versions have this name.
    assert_eq!(serde_json::to_value(&plan).unwrap()["kept"], kept);
    let made = make(repository, |_, _| Ok(plan))?;
    Ok(Squashed { commit: made.commit, kept, commits, moved: made.moved })
}

/// Makes three operations on top of the user's commit, and a dirty file.
fn worked() -> Option<(Ground, GitRepository)> {
    let ground = Ground::new()?;
    let mut repository = ground.open();
    for text in ["2\n", "3\n", "4\n"] {
        let message = format!("AI: {}", text.trim());
        let own = Commission { message, ..commission(GitMode::Branch) };
        ground.operate(&mut repository, &[ground.change("a", Some(text))], &own);
    }
    ground.write("b", "b\n");
    ground.git(&["add", "b"]);
    ground.write("a", "dirty\n");
    Some((ground, repository))
}

#[test]
fn what_clada_made_is_one_commit_and_nothing_else_changes() {
    for which in [
        SquashWhich::Ours,
        SquashWhich::Format("AI: {operation_summary}".to_owned()),
        SquashWhich::Holds("AI: ".to_owned()),
    ] {
        let Some((ground, mut repository)) = worked() else { return };
        let (status, tip) = (ground.status(), ground.git(&["rev-parse", "HEAD"]));
        let squashed = make_squash(&mut repository, &squash(which)).unwrap();
        assert_eq!(squashed.commits.len(), 3);
        assert_eq!(ground.git(&["rev-parse", "HEAD"]).trim(), squashed.commit);
        assert_eq!(ground.git(&["log", "--format=%s"]), "Squash 3 commits\nfirst\n");
        assert_eq!(ground.git(&["log", "-1", "--format=%b"]).trim(), "- AI: 2\n- AI: 3\n- AI: 4");
        assert_eq!(ground.git(&["show", "HEAD:a"]), "4\n");
        assert_eq!(ground.git(&["rev-parse", &squashed.kept]), tip);
        assert_eq!(ground.status(), status);
        ground.assert_sound();
    }
}

#[test]
fn down_to_the_very_first_commit_and_with_a_message() {
    let Some((ground, mut repository)) = worked() else { return };
    let which = SquashWhich::AllWithin(Duration::from_secs(3600));
    let message = Some("all of it".to_owned());
    let squashed = make_squash(&mut repository, &Squash { message, ..squash(which) }).unwrap();
    assert_eq!(squashed.commits.len(), 4);
    assert_eq!(ground.git(&["log", "--format=%an %s"]), "Ada all of it\n");
}

#[test]
fn what_was_pushed_is_refused_and_so_is_nothing() {
    let Some((ground, mut repository)) = worked() else { return };
    ground.git(&["update-ref", "refs/remotes/origin/main", "HEAD~"]);
    let head = ground.git(&["rev-parse", "HEAD"]);
    let refused = make_squash(&mut repository, &squash(SquashWhich::Ours)).unwrap_err();
    assert!(refused.to_string().contains("pushed"), "{refused}");
    for which in [SquashWhich::Holds("none".to_owned()), SquashWhich::Holds("AI: 4".to_owned())] {
        let nothing = make_squash(&mut repository, &squash(which)).unwrap_err();
        assert!(nothing.to_string().contains("nothing to squash"), "{nothing}");
    }
    assert_eq!(ground.git(&["rev-parse", "HEAD"]), head);
    let forced = Squash { force: true, ..squash(SquashWhich::Ours) };
    assert_eq!(make_squash(&mut repository, &forced).unwrap().commits.len(), 3);
}

#[test]
fn by_time_only_what_clada_made_is_taken() {
    let Some((ground, mut repository)) = worked() else { return };
    let hour = Duration::from_secs(3600);
    let all = repository.squashable(&squash(SquashWhich::AllWithin(hour))).unwrap();
    let ours: Vec<bool> = all.iter().map(|commit| commit.ours).collect();
    assert_eq!(ours, [true, true, true, false]);
    let shown = Some(all[0].commit.clone());
    let elsewhere = Squash { tip: Some(all[1].commit.clone()), ..squash(SquashWhich::AllWithin(hour)) };
    let refused = make_squash(&mut repository, &elsewhere).unwrap_err();
    assert!(refused.to_string().contains("other commits by now"), "{refused}");
    let squashed =
        make_squash(&mut repository, &Squash { tip: shown, ..squash(SquashWhich::Within(hour)) }).unwrap();
    assert_eq!(squashed.commits.len(), 3);
    assert_eq!(ground.git(&["log", "--format=%s"]), "Squash 3 commits\nfirst\n");
    let more = make_squash(&mut repository, &squash(SquashWhich::Within(hour))).unwrap_err();
    assert!(more.hint().contains("--mine-too"), "{}", more.hint());
}

#[test]
fn a_squash_is_taken_back_and_made_again() {
    let Some((ground, mut repository)) = worked() else { return };
    let (status, log) = (ground.status(), ground.git(&["log", "--format=%H %s"]));
    let squashed = make_squash(&mut repository, &squash(SquashWhich::Ours)).unwrap();
    let back = move_back(&mut repository, &squashed.moved, false).unwrap();
    assert_eq!(ground.git(&["log", "--format=%H %s"]), log);
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    assert_eq!(ground.status(), status);
    let again = move_back(&mut repository, &back.moved, false).unwrap();
    assert_eq!(again.moved, squashed.moved);
    assert_eq!(ground.git(&["rev-parse", "HEAD"]).trim(), squashed.commit);
    assert_eq!(ground.status(), status);
    ground.assert_sound();
}

#[test]
fn a_squash_is_not_taken_back_once_head_has_moved_or_it_was_pushed() {
    let Some((ground, mut repository)) = worked() else { return };
    let moved = make_squash(&mut repository, &squash(SquashWhich::Ours)).unwrap().moved;
    let tip = ground.git(&["rev-parse", "HEAD"]);
    ground.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let pushed = move_back(&mut repository, &moved, false).unwrap_err();
    assert!(pushed.to_string().contains("pushed"), "{pushed}");
    ground.git(&["commit", "-qm", "mine"]);
    let elsewhere = move_back(&mut repository, &moved, true).unwrap_err();
    assert!(elsewhere.to_string().starts_with("HEAD has moved since"), "{elsewhere}");
    assert_eq!(ground.git(&["rev-parse", "HEAD~"]), tip);
    ground.git(&["reset", "-q", "--soft", "HEAD~"]);
    move_back(&mut repository, &moved, true).unwrap();
    assert_ne!(ground.git(&["rev-parse", "HEAD"]), tip);
}
