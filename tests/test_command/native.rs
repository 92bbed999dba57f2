//! Native tests of a policy with the Rust SDK, for which this program analyzes the calls.

use guard_sdk::testing::{Program, Suite};
use guard_sdk::{Call, Decision, Error, Finding, Manifest, NoSettings, Outcome, Policy, Rule, serde_json};

const PUSH: Rule =
    Rule { id: "push", summary: "a branch is overwritten", default: Outcome::Ask, ceiling: Outcome::Ask };

/// Asks before forced pushes, and before changes of files in `db/`.
struct Careful;

impl Policy for Careful {
    type Settings = NoSettings;
    const MANIFEST: Manifest = Manifest { id: "careful", tools: &["*"], rules: &[PUSH], ..Manifest::EMPTY };

    fn configure(_: NoSettings) -> Result<Self, Error> {
        Ok(Careful)
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let pushes = call.effects("git.push.force").map(|effect| &effect.target);
        let changes = call.effects("write").chain(call.effects("delete"));
        let changes = changes.map(|effect| &effect.path.project_relative).filter(|path| path.starts_with("db/"));
        Ok(pushes.chain(changes).map(|target| Finding::new(&PUSH, format!("`{target}` is lost"))).collect())
    }
}

fn failures(cases: &serde_json::Value, program: &Program) -> Vec<String> {
    let suite: Suite = serde_json::from_value(serde_json::json!({
        "facts": { "cwd": "/repo/app", "files": { "/repo/app/release.sh": "git push -f origin main\n" } },
        "cases": cases,
    }))
    .unwrap();
    suite.failures_with_program::<Careful>(program)
}

fn own() -> Program {
    Program::at(env!("CARGO_BIN_EXE_guard-host"))
}

#[test]
fn a_native_suite_sees_the_effects_of_real_commands() {
    let cases = serde_json::json!([
        { "input": "sudo git push --force origin main", "expect": "ask", "message": "`main` is lost" },
        { "input": "bash release.sh", "expect": "ask", "message": "`main` is lost", "coverage": "complete" },
        { "input": "cd .. && touch db/a", "expect": "ask", "message": "`db/a` is lost" },
        { "tool": "Write", "input": { "file_path": "../db/b", "content": "" }, "expect": "ask" },
        { "payload": { "tool_name": "Bash" }, "expect": "deny" },
        { "input": "git push origin main", "expect": "abstain" },
        { "input": "echo 'git push -f origin main'", "expect": "abstain" },
        { "input": "bash release.sh", "expect": "abstain", "facts": { "files": { "/repo/app/release.sh": "ls\n" } } },
    ]);
    assert_eq!(failures(&cases, &own()), [""; 0]);
    let failed = failures(&serde_json::json!([{ "input": "git push -f origin main", "expect": "deny" }]), &own());
    assert!(failed.len() == 1 && failed[0].contains("expected deny, got ask"), "{failed:?}");
}

#[test]
fn a_program_that_cannot_analyze_is_named_with_a_hint() {
    let cases = serde_json::json!([{ "input": "ls", "expect": "abstain" }]);
    for (path, why) in [("/nowhere/guard-host", "No such file"), ("/bin/false", "`/bin/false analyze` failed")] {
        let failed = failures(&cases, &Program::at(path));
        assert!(failed.len() == 1 && failed[0].contains(why) && failed[0].contains("hint: "), "{failed:?}");
    }
}
