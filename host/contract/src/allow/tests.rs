//! What allows lift, over drawn verdicts and calls.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::call::ToolCall;
use crate::syntax::{Position, Severity, Span, Via};
use crate::{Presence, ResolvedPath};

fn word(text: &str) -> Word {
    Word { text: text.to_owned(), dynamic: text.contains('$'), quoted: false, glob: false, parts: Vec::new() }
}

fn command(id: u32, text: &str, sudo: bool) -> Command {
    let position =
        Position { pipeline: id, index: 0, length: 1, operator: String::new(), background: false, within: Vec::new() };
    let via = Via { kind: "sudo".to_owned(), detail: String::new() };
    Command {
        id,
        parent: 0,
        argv: text.split(' ').map(word).collect(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        position,
        via: if sudo { vec![via] } else { Vec::new() },
        span: Span { start: 0, end: 0 },
        cwd: "/p".to_owned(),
        certain: true,
    }
}

/// A deletion of a file in the project, or outside of it.
fn effect(command_id: u32, place: &str, certain: bool) -> Effect {
    let inside = !place.starts_with('/');
    let canonical = if inside { format!("/p/{place}") } else { place.to_owned() };
    Effect {
        kind: "delete".to_owned(),
        operation: "fs.delete".to_owned(),
        severity: Severity::Notable,
        target: place.to_owned(),
        path: ResolvedPath {
            raw: canonical.clone(),
            lexical: canonical.clone(),
            canonical,
            project_relative: if inside { place.to_owned() } else { String::new() },
            git_root: String::new(),
            exists: Presence::Unknown,
            kind: String::new(),
        },
        command_id,
        certain,
        tags: Vec::new(),
    }
}

const HERE: Here<'static> = Here { cwd: "/p", canonical: "/p", root: "/p" };
const PLACES: [&str; 4] = ["a", "b/c", "b", "/etc/a"];
const POLICIES: [&str; 3] = ["p", "q", SELF_PROTECT];
const RULES: [&str; 2] = ["r", "s"];

fn opinions() -> impl Strategy<Value = Vec<Opinion>> {
    let outcome =
        prop::sample::select(vec![Outcome::Abstain, Outcome::Allow, Outcome::Warn, Outcome::Ask, Outcome::Deny]);
    let drawn = (prop::sample::select(&POLICIES[..]), prop::sample::select(&RULES[..]), outcome, any::<bool>());
    let opinion = |(policy, rule, outcome, of_host): (&str, &str, Outcome, bool)| {
        let said = Opinion::from_host(policy, rule, outcome, String::new(), String::new());
        Opinion { of_host, may_allow: true, ..said }
    };
    prop::collection::vec(drawn.prop_map(opinion), 0..5)
}

fn allows() -> impl Strategy<Value = Vec<Allow>> {
    let targets = prop::collection::vec(prop::sample::select(vec!["a", "b/**", "b/c"]), 0..3);
    let rules = prop::collection::vec(prop::sample::select(vec!["p:r", "p:s", "q:r"]), 0..3);
    let drawn =
        (prop::sample::select(vec!["rm", "rm a"]), targets, rules).prop_map(|(command, targets, rules)| Allow {
            rules: rules.into_iter().map(str::to_owned).collect(),
            targets: targets.into_iter().map(str::to_owned).collect(),
            ..Allow::for_command(Layer::User, command.split(' ').map(str::to_owned).collect())
        });
    prop::collection::vec(drawn, 0..4)
}

type Drawn = (Vec<(&'static str, bool, bool)>, bool, bool);

/// Commands that delete a place each: the place, whether that is certain, and whether another user runs it. Whether
/// all was understood, and whether one effect more is of no command.
fn calls() -> impl Strategy<Value = Drawn> {
    let one = (prop::sample::select(&PLACES[..]), prop::bool::weighted(0.9), prop::bool::weighted(0.1));
    (prop::collection::vec(one, 0..3), prop::bool::weighted(0.9), prop::bool::weighted(0.1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn an_allow_lifts_asks_that_it_names_of_calls_that_it_covers_and_nothing_else(
        opinions in opinions(),
        allows in allows(),
        (commands, complete, more) in calls(),
    ) {
        let before = merge(opinions);
        let numbered = || (1..).zip(&commands);
        let mut effects: Vec<Effect> = numbered().map(|(id, (place, certain, _))| effect(id, place, *certain)).collect();
        effects.extend(more.then(|| effect(9, "a", true)));
        let analysis = Analysis {
            coverage: if complete { Coverage::Complete } else { Coverage::Partial },
            reasons: Vec::new(),
            commands: numbered().map(|(id, (place, _, sudo))| command(id, &format!("rm {place}"), *sudo)).collect(),
            effects,
            scripts: Vec::new(),
        };
        let call = ToolCall::new("Bash", Map::from_iter([("command".to_owned(), "rm".into())]));
        let listed: Vec<&Allow> = allows.iter().collect();
        let after = lift(before.clone(), &listed, |_, _| true, (&call, HERE), Some(&analysis));
        if after == before {
            return Ok(());
        }
        // Only asks went, and all of them.
        prop_assert_eq!(before.outcome, Outcome::Ask);
        prop_assert!(after.outcome != Outcome::Ask && after.outcome != Outcome::Deny && !after.skips_prompt);
        prop_assert!(after.is_allowed() && after.lifted.len() == before.asks().count());
        prop_assert!(after.lifted.iter().all(|lifted| lifted.policy != SELF_PROTECT && !lifted.of_host));
        let others = |verdict: &Verdict| {
            let is_other = |found: &&Attributed| found.finding.outcome != Outcome::Ask && found.finding.rule != ALLOWED;
            verdict.findings.iter().filter(is_other).cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(others(&after), others(&before));
        // Each command is one that an allow for the rule spells out, with all that it does.
        prop_assert!(complete && !more && !commands.is_empty());
        for lifted in &after.lifted {
            for (place, certain, sudo) in &commands {
                prop_assert!(*certain && !sudo);
                let spelled = allows.iter().filter(|allow| allow.rules.is_empty() || allow.rules.contains(&lifted.rule()));
                let fits = |allow: &Allow| match (allow.command.len(), allow.targets.is_empty()) {
                    (2, true) => *place == "a",
                    (2, false) => *place == "a" && allow.targets.contains(&"a".to_owned()),
                    (_, true) => false,
                    (_, false) => match *place {
                        "a" => allow.targets.contains(&"a".to_owned()),
                        "b/c" => allow.targets.iter().any(|target| target != "a"),
                        _ => false,
                    },
                };
                prop_assert!(spelled.into_iter().any(fits), "{place}");
            }
        }
    }
}
