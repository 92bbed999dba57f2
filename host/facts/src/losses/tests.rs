//! Which effects lose something, and which losses a copy brings back.

use super::*;
use crate::analysis::empty;
use guard_contract::unresolved;

fn effect(kind: &str, operation: &str, target: &str) -> Effect {
    Effect {
        kind: kind.to_owned(),
        operation: operation.to_owned(),
        severity: Severity::Destructive,
        target: target.to_owned(),
        path: unresolved(target),
        command_id: 0,
        certain: true,
        tags: Vec::new(),
    }
}

/// The tag of one effect alone.
fn recovery_of(effect: Effect) -> Option<String> {
    let mut analysis = Analysis { effects: vec![effect], ..empty(Coverage::Complete, None) };
    mark(&mut analysis);
    analysis.effects.first().and_then(|effect| tag(effect, RECOVERY)).map(str::to_owned)
}

fn deletion(path: &str) -> Effect {
    let mut effect = effect("delete", "fs.delete.recursive", path);
    path.clone_into(&mut effect.path.lexical);
    effect.path.exists = Presence::Yes;
    effect
}

#[test]
fn files_are_recoverable_and_what_no_copy_holds_is_not() {
    let recovery = |effect: Effect| recovery_of(effect).unwrap_or_default();
    assert_eq!(recovery(deletion("/repo/build")), "recoverable");
    assert_eq!(recovery(Effect { certain: false, ..deletion("/repo/build") }), "partly");
    for effect in [
        effect("cloud", "aws.s3.delete", "s3://bucket"),
        effect("database", "sql.drop-table", "users"),
        Effect { tags: vec![("where".to_owned(), "ssh".to_owned())], ..deletion("/srv/data") },
        Effect { certain: false, ..deletion("/repo/$X") },
        Effect { severity: Severity::Notable, ..effect("vcs", "git.push", "main") },
    ] {
        let shown = effect.operation.clone();
        assert_eq!(recovery(effect), "not", "{shown}");
    }
}

/// An effect of the first command, with these tags.
fn tagged(effect: Effect, tags: &[(&str, &str)]) -> Effect {
    let tags = tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Effect { tags, ..effect }
}

#[test]
fn everything_of_one_name_is_a_loss_that_is_known() {
    let every = |start: &str, name: &str| {
        let tags = [("by", "rm"), ("below", start), ("every", name), ("glob", "yes")];
        Effect { certain: false, ..tagged(effect("delete", "fs.delete.recursive", "{}"), &tags) }
    };
    assert_eq!(recovery_of(every("/repo/.", "*.o")).as_deref(), Some("recoverable"));
    for effect in [every("/repo/*/out", "*.o"), every("/repo/$X", "*.o"), every("/repo", "$NAME")] {
        assert_eq!(recovery_of(effect.clone()).as_deref(), Some("not"), "{effect:?}");
    }
    let analysis = Analysis { effects: vec![every("/repo/.", "*.o")], ..empty(Coverage::Complete, None) };
    let path = PathLoss { path: "/repo".to_owned(), how: How::Delete, is_pattern: false, name: "*.o".to_owned() };
    assert_eq!(losses(&analysis), Losses { list: vec![Loss::Path(path)], may_be_more: false });
}

#[test]
fn of_many_files_that_get_one_name_all_are_lost_where_they_were() {
    let end = effect("delete", MANY_TO_ONE, "/repo/out");
    let moved = tagged(deletion("/repo/src"), &[("by", "mv"), ("glob", "yes")]);
    let of = |effects: &[Effect]| {
        let mut analysis = Analysis { effects: effects.to_vec(), ..empty(Coverage::Complete, None) };
        mark(&mut analysis);
        let tag = |effect: &Effect| tag(effect, RECOVERY).unwrap_or_default().to_owned();
        (analysis.effects.iter().map(tag).collect::<Vec<_>>(), losses(&analysis))
    };
    let (tags, found) = of(&[moved.clone(), end.clone()]);
    assert_eq!((tags, found.list.len(), found.may_be_more), (vec!["recoverable".to_owned(); 2], 1, false));
    // Without the one name they are only elsewhere.
    let (_, found) = of(std::slice::from_ref(&moved));
    assert_eq!(found, Losses::default());
    // Of files that nothing tells of, no copy can be made.
    let (tags, _) = of(std::slice::from_ref(&end));
    assert_eq!(tags, ["not"]);
    let unknown = Effect { certain: false, ..tagged(deletion("$F"), &[("by", "mv")]) };
    assert_eq!(of(&[unknown, end]).0, ["not", "not"]);
}

#[test]
fn files_that_get_into_a_folder_by_a_pattern_replace_those_that_fit_it() {
    let mut write = Effect { severity: Severity::Notable, certain: false, ..effect("write", "fs.write", "out/*.c") };
    write.tags = vec![("by".to_owned(), "mv".to_owned()), ("tree".to_owned(), "yes".to_owned())];
    "/repo/out/*.c".clone_into(&mut write.path.lexical);
    assert_eq!(recovery_of(write.clone()).as_deref(), Some("recoverable"));
    "/repo/$D/*.c".clone_into(&mut write.path.lexical);
    assert_eq!(recovery_of(write).as_deref(), Some("not"));
}

#[test]
fn rights_and_modes_are_no_losses() {
    let notable = |kind, operation| Effect { severity: Severity::Notable, ..effect(kind, operation, "root") };
    for effect in [notable("privilege", "privilege.raise"), notable("metadata", "fs.mode")] {
        assert_eq!(recovery_of(effect), None);
    }
}

#[test]
fn what_loses_nothing_has_no_tag() {
    let mut gone = deletion("/repo/build");
    gone.path.exists = Presence::No;
    let scratch = Effect { tags: vec![("disposable".to_owned(), "scratch".to_owned())], ..deletion("/tmp/x") };
    let read = Effect { severity: Severity::Routine, ..effect("read", "fs.read", "/repo/a") };
    for effect in [gone, scratch, read] {
        assert_eq!(recovery_of(effect.clone()), None, "{effect:?}");
    }
}

#[test]
fn many_effects_cost_no_more_than_their_number() {
    let moved = Effect { tags: vec![("by".to_owned(), "mv".to_owned())], ..deletion("/repo/a") };
    let mut analysis = Analysis { effects: vec![moved; 20_000], ..empty(Coverage::Complete, None) };
    let begun = std::time::Instant::now();
    mark(&mut analysis);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
}
