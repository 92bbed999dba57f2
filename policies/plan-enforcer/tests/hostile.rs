//! Hostile plans and commands: there is always an answer, and the output stays small.

#![cfg(test)]

use guard_sdk::Outcome;
use guard_sdk::syntax::{Analysis, Coverage};
use guard_sdk::testing::{Answer, World};
use policy_plan_enforcer::PlanEnforcer;

fn answer(plan: &str, command: &str, strict: bool) -> Answer {
    answer_of(guard_testing::analyze(command, "bash", "/repo", "/home/u"), plan, command, strict)
}

fn answer_of(analysis: Analysis, plan: &str, command: &str, strict: bool) -> Answer {
    let mut world = World { analysis, ..World::default() };
    let mode = if strict { "strict" } else { "warn" };
    world.env.insert("NOUS_ITER_DIR".to_owned(), "/data".to_owned());
    world.env.insert("NOUS_PLAN_ENFORCEMENT".to_owned(), mode.to_owned());
    world.files.insert("/data/experiment_plan.yaml".to_owned(), plan.to_owned());
    let input = serde_json::json!({ "command": command }).to_string();
    world.answer::<PlanEnforcer>("{}", "Bash", &input).unwrap()
}

#[test]
fn a_hostile_plan_is_unreadable() {
    let nines = |previous: char| format!("[{}]", vec![format!("*{previous}"); 9].join(","));
    let mut laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    ('a'..'y').for_each(|name| {
        let next = char::from(name as u8 + 1);
        laughs += &format!("{next}: &{next} {}\n", nines(name));
    });
    let merges: String = (1..60).map(|at| format!("m{at}: &m{at} {{<<: [*m{0}, *m{0}]}}\n", at - 1)).collect();
    let plans = [
        format!("{laughs}arms: *y\n"),
        format!("m0: &m0 {{x: y}}\n{merges}arms: [*m40]\n"),
        format!("arms: {}", "[".repeat(100_000)),
        format!("arms: {}", "[".repeat(200)),
        format!("arms: {}", "{a: ".repeat(100_000)),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        "a: &a\n".repeat(30_000),
        "'".repeat(200_000),
        "x: |\n".repeat(50_000),
        "!".repeat(200_000),
        "&a ".repeat(80_000),
        format!("arms: \"{}", "\\".repeat(200_000)),
        "%YAML 1.2\n".repeat(20_000),
        "\u{feff}---\n...\n".repeat(20_000),
        "a".repeat(300_000),
    ];
    for plan in plans {
        let answer = answer(&plan, "./blis", true);
        assert_eq!(answer.decision.outcome, Outcome::Ask, "{}", plan.chars().take(60).collect::<String>());
        assert!(answer.decision.findings[0].message.len() < 2_000);
    }
}

#[test]
fn a_plan_that_takes_too_much_work_is_unreadable() {
    for piece in ["{a,b}", "a $(b);", "f(){ f;f;};f;", "sudo ", "sh -c \"$x;$(a)\";", "eval $x;"] {
        let text = |at: usize| format!("  - command: '{at}; {}'\n", piece.repeat(2_000 / piece.len()));
        let plan = format!("conditions:\n{}", (0..100).map(text).collect::<String>());
        let answer = answer(&plan, "curl x", true);
        assert_eq!(answer.decision.findings[0].rule, "plan-unreadable", "{piece}");
    }
}

#[test]
fn a_large_honest_plan_is_read() {
    let conditions: String =
        (0..2_000).map(|at| format!("      - {{id: c{at}, command: ./blis run {at}}}\n")).collect();
    let plan = format!("arms:\n  - id: a\n    conditions:\n{conditions}");
    assert_eq!(answer(&plan, "./blis run 7 --more", true).decision.outcome, Outcome::Abstain);
    assert_eq!(answer(&plan, "curl x", true).decision.outcome, Outcome::Deny);
}

#[test]
fn noise_is_never_a_panic() {
    let pieces = [
        "a", ":", " ", "\n", "- ", "[", "]", "{", "}", "&a", "*a", "!x", "|", ">", "'", "\"", "#", "?", "%", "\t",
        "\0", "é", "<<",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..20_000 {
        let mut plan = String::from("arms:\n");
        for _ in 0..12 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            plan += pieces[(state % pieces.len() as u64) as usize];
        }
        let _ = answer(&plan, "./blis", true);
    }
}

#[test]
fn a_long_command_leaves_a_short_line() {
    for filler in ["x", "\u{1}", "\"", "é"] {
        let command = format!("curl {}", filler.repeat(60_000));
        let answer = answer("arms: [{conditions: [{command: ./blis}]}]", &command, false);
        assert_eq!(answer.journal.len(), 1, "{filler:?}");
        assert!(answer.journal[0].1.to_string().len() < 16 << 10);
    }
}

#[test]
fn a_plan_with_many_long_names_gives_a_short_message() {
    let commands: String = (0..500).map(|at| format!("  - {{command: ./{}{at}}}\n", "n".repeat(300))).collect();
    let answer = answer(&format!("conditions:\n{commands}"), "curl x", true);
    assert_eq!(answer.decision.outcome, Outcome::Deny);
    assert!(answer.decision.findings[0].message.len() < 2_000);
}

#[test]
fn what_cannot_be_compared_as_a_whole_is_asked_about() {
    let plan = "arms: [{conditions: [{command: ./blis run}]}]";
    let partial = |command: &str, strict| {
        let analysis = guard_testing::analyze(command, "bash", "/repo", "/home/u");
        answer_of(Analysis { coverage: Coverage::Partial, ..analysis }, plan, command, strict).decision.outcome
    };
    assert_eq!(partial("./blis other", true), Outcome::Ask);
    assert_eq!(partial("./blis other", false), Outcome::Abstain);
    assert_eq!(partial("./blis run", true), Outcome::Abstain, "the very text is planned");
}
