//! `plan-enforcer`: keeps the shell commands of an experiment to those that its plan names.
//!
//! The plan is `experiment_plan.yaml` in the folder that `NOUS_ITER_DIR` names. With `NOUS_PLAN_ENFORCEMENT=strict` a
//! program that no planned command starts is denied; else it is noted in a journal and runs. A command that holds
//! `# nous: ad-hoc` always runs, and is noted. Without the folder or the plan there is nothing to compare with, and the
//! policy has no opinion. Two executors that work in one folder were the reason to have it.

mod judgement;
mod rules;

use guard_sdk::{Call, Decision, Error, Example, Fault, Level, Manifest, NoSettings, Outcome, Policy};
use policy_experiment_plan::Plan;

use judgement::Judgement;

/// What a command holds that is to run though the plan does not name it.
const MARKER: &str = "# nous: ad-hoc";

/// The journal's stream.
const STREAM: &str = "violations";

/// Why there is no plan.
#[derive(Debug)]
enum Unreadable {
    Absent,
    Because(String),
}

/// The policy.
#[derive(Debug)]
pub struct PlanEnforcer;

const fn bash(input: &'static str) -> Example {
    Example { tool: "Bash", input, outcome: Outcome::Abstain, rule: "" }
}

impl Policy for PlanEnforcer {
    type Settings = NoSettings;

    const MANIFEST: Manifest = Manifest {
        id: "plan-enforcer",
        version: env!("CARGO_PKG_VERSION"),
        summary: "keeps the commands of an experiment to those of its plan",
        tools: &["Bash"],
        rules: rules::RULES,
        grants: &[
            "env:NOUS_ITER_DIR",
            "env:NOUS_PLAN_ENFORCEMENT",
            "read:${NOUS_ITER_DIR}/experiment_plan.yaml",
            "journal:violations",
        ],
        // No variable is set in the world of the examples, so there is no plan.
        examples: &[bash(r#"{"command": "curl example.org"}"#), bash(r#"{"command": "ls # nous: ad-hoc"}"#)],
    };

    fn configure(_: NoSettings) -> Result<Self, Error> {
        Ok(Self)
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let Some(folder) = call.env("NOUS_ITER_DIR").ok().and_then(usable) else {
            return Ok(Decision::abstain());
        };
        let input = call.input()?;
        let Some(command) = input.get("command").and_then(|command| command.as_str()) else {
            return Ok(Decision::abstain());
        };
        let plan = match call.read_text(&format!("{folder}/experiment_plan.yaml")) {
            Ok(text) => Plan::read(&text).map_err(Unreadable::Because),
            Err(Fault::Absent) => Err(Unreadable::Absent),
            Err(Fault::Denied) => {
                call.log(Level::Warn, "reading experiment_plan.yaml is not granted");
                Err(Unreadable::Absent)
            }
            Err(Fault::TooLarge) => Err(Unreadable::Because("it is too large".to_owned())),
            Err(Fault::NotText) => Err(Unreadable::Because("it is not text".to_owned())),
            Err(Fault::Failed) => Err(Unreadable::Because("reading it fails".to_owned())),
        };
        let judgement = if command.contains(MARKER) {
            Judgement::ad_hoc(command, plan.ok().as_ref())
        } else {
            match plan {
                Ok(plan) => Judgement::of(command, &call.analysis(), &plan),
                Err(Unreadable::Absent) => None,
                Err(Unreadable::Because(why)) => Some(Judgement::unreadable(command, &why)),
            }
        };
        let Some(judgement) = judgement else { return Ok(Decision::abstain()) };
        let strict = is_strict(call);
        if let Some(line) = judgement.line(strict)
            && let Err(fault) = call.journal(STREAM, &line)
        {
            call.log(Level::Warn, &format!("the journal does not take the line: {fault:?}"));
        }
        Ok(std::iter::once(judgement.into_finding(strict)).collect())
    }
}

/// The folder's absolute path without a slash at its end; none if it is not one.
fn usable(folder: String) -> Option<String> {
    let folder = folder.trim_end_matches('/');
    let is_sound = folder.starts_with('/') && !folder.split('/').any(|name| name == "..");
    is_sound.then(|| folder.to_owned())
}

fn is_strict(call: &Call<'_>) -> bool {
    match call.env("NOUS_PLAN_ENFORCEMENT").as_deref().map(str::trim) {
        Ok("strict") => true,
        Ok("warn" | "") | Err(_) => false,
        Ok(_) => {
            call.log(Level::Warn, "NOUS_PLAN_ENFORCEMENT is neither `strict` nor `warn`; taken as `warn`");
            false
        }
    }
}

guard_sdk::export!(PlanEnforcer);
