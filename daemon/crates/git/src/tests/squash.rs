//! Making one commit of several.

use super::*;

fn squash(which: SquashWhich) -> Squash {
    Squash { which, message: None, force: false, now: SystemTime::now() }
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
        let squashed = repository.squash(&squash(which)).unwrap();
        assert_eq!(squashed.squashed, 3);
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
    let which = SquashWhich::Within(Duration::from_secs(3600));
    let message = Some("all of it".to_owned());
    let squashed = repository.squash(&Squash { message, ..squash(which) }).unwrap();
    assert_eq!(squashed.squashed, 4);
    assert_eq!(ground.git(&["log", "--format=%an %s"]), "Ada all of it\n");
}

#[test]
fn what_was_pushed_is_refused_and_so_is_nothing() {
    let Some((ground, mut repository)) = worked() else { return };
    ground.git(&["update-ref", "refs/remotes/origin/main", "HEAD~"]);
    let head = ground.git(&["rev-parse", "HEAD"]);
    let refused = repository.squash(&squash(SquashWhich::Ours)).unwrap_err();
    assert!(refused.to_string().contains("pushed"), "{refused}");
    for which in [SquashWhich::Holds("none".to_owned()), SquashWhich::Holds("AI: 4".to_owned())] {
        let nothing = repository.squash(&squash(which)).unwrap_err();
        assert!(nothing.to_string().contains("nothing to squash"), "{nothing}");
    }
    assert_eq!(ground.git(&["rev-parse", "HEAD"]), head);
    let forced = Squash { force: true, ..squash(SquashWhich::Ours) };
    assert_eq!(repository.squash(&forced).unwrap().squashed, 3);
}
