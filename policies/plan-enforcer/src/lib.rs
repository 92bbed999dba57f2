//! `plan-enforcer`: limits the shell commands of an experiment to those in its plan.
//!
//! The plan is `experiment_plan.yaml` in the folder that the variable `NOUS_ITER_DIR` names.
//! Without the variable or the plan, the policy does nothing.
//!
//! A command is planned in two cases: the plan contains exactly this text, or each program that the command starts is
//! also started by a command in the plan.
//! Folders, quotes, and wrappers such as `env` and `nohup` are ignored.
//!
//! These aren't violations in a planned command:
//!
//! - shell commands such as `cd`
//! - `mkdir -p` before it
//! - after a pipe: `cat`, `cut`, `grep`, `head`, `less`, `tail`, `tee`, `tr`, `uniq` and `wc`
//!
//! In the plan, commands are in `command`, `cmd`, or `run`, as a string, a list of words, or a list of strings.
//! These keys can be in `arms`, in the `conditions` of each arm, or in `conditions` at the top level.
//!
//! ## Settings
//!
//! The variable `NOUS_PLAN_ENFORCEMENT` is `strict` or `warn` (default).
//! With `warn`, an unplanned command runs, and a line is added to `plan_violations.jsonl` next to the plan, with `ts`,
//! `kind`, `command`, and `arm`.
//! `arm` is the arm that the command most likely belongs to, or null.
//!
//! The settings `raise`, `lower` and `silence` list rules whose outcome is one step more severe, one step less severe,
//! or turned off.
//!
//! ## Limits
//!
//! - The agent can write the mark `# nous: ad-hoc` itself. The mark is a record, not a lock.
//!
//! ## The permissions of an experiment
//!
//! `guard-host settings` writes the permissions for an agent that runs an experiment.
//! Use them instead of `--dangerously-skip-permissions`:
//!
//! - `allowOnly` names the work directory and the repository. Claude Code limits its file tools to them with
//!   `additionalDirectories` and `blockWritesOutsideWorkingDirectories`.
//! - `path-context`, with the entry that `settings render --guard` prints, denies every other write, and asks before a
//!   deletion elsewhere. A git repository is safe only if it is one of the two.
//! - `allow` contains a short list of programs, the programs that the plan starts, and those
//!   of `--allow-bin`. A word in the plan that isn't a plain name allows nothing.
//! - `deny` contains traffic with `curl` and `wget`, and commands that erase a disk or the home. It wins over `allow`.
//! - `nous-execute-stop` and `nous-plan-enforcer` in `bin/` become hooks. The second can be a link to guard-host.
//!
//! This list of permissions isn't a sandbox: an allowed `python` can do anything.

mod judgement;
mod rules;

use guard_experiment_plan::{Plan, Started};
use guard_sdk::syntax::Command;
use guard_sdk::{Call, Decision, Error, Example, Fault, Level, Manifest, NoSettings, Outcome, Policy};

use judgement::Judgement;

/// Marks a command that may run without being in the plan.
const MARKER: &str = "# nous: ad-hoc";

/// The journal's stream.
const STREAM: &str = "violations";

/// The reason why the plan can't be read.
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
        summary: "limits an experiment's commands to those in its plan",
        tools: &["Bash"],
        rules: rules::RULES,
        grants: &[
            "env:NOUS_ITER_DIR",
            "env:NOUS_PLAN_ENFORCEMENT",
            "read:${NOUS_ITER_DIR}/experiment_plan.yaml",
            "journal:violations",
        ],
        // The examples have no variables, so there is no plan.
        examples: &[bash(r#"{"command": "curl example.org"}"#), bash(r#"{"command": "ls # nous: ad-hoc"}"#)],
    };

    const ADJUSTABLE: bool = true;

    fn configure(_: NoSettings) -> Result<Self, Error> {
        Ok(Self)
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let folder = match call.env("NOUS_ITER_DIR") {
            Err(Fault::Denied) => {
                call.log(Level::Warn, "the variable NOUS_ITER_DIR is not granted, so no plan is found");
                None
            }
            folder => folder.ok().and_then(usable),
        };
        let Some(folder) = folder else { return Ok(Decision::abstain()) };
        let input = call.input()?;
        let Some(command) = input.get("command").and_then(|command| command.as_str()) else {
            return Ok(Decision::abstain());
        };
        let file = format!("{folder}/experiment_plan.yaml");
        let plan = match call.read_text(&file) {
            Ok(text) => Plan::read(&text, &mut started).map_err(Unreadable::Because),
            Err(Fault::Absent) => Err(Unreadable::Absent),
            Err(Fault::Denied) => Err(Unreadable::Because("reading it is not granted".to_owned())),
            Err(Fault::TooLarge) => Err(Unreadable::Because("it is too large".to_owned())),
            Err(Fault::NotText) => Err(Unreadable::Because("it is not text".to_owned())),
            Err(Fault::Failed) => Err(Unreadable::Because("reading it fails".to_owned())),
        };
        if let Err(Unreadable::Because(why)) = &plan {
            call.log(Level::Warn, &format!("{file}: {why}"));
        }
        let judgement = if command.contains(MARKER) {
            Judgement::ad_hoc(command, call.analysis(), plan.ok().as_ref())
        } else {
            match plan {
                Ok(plan) => Judgement::of(command, call.analysis(), &plan),
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

/// Returns the commands in a text of the plan.
fn started(text: &str) -> Result<Vec<Started>, String> {
    let analysis = guard_shell::analyze(text, "bash", "", "", |_, _| None, |_| guard_shell::Source::None);
    let started = |command: Command| Started {
        words: command.argv.into_iter().map(|word| word.text).collect(),
        via: command.via.into_iter().map(|via| via.kind).collect(),
        start: command.span.start,
    };
    Ok(analysis.commands.into_iter().map(started).collect())
}

/// Returns the folder's absolute path without a trailing slash. `None` if it isn't absolute.
fn usable(folder: String) -> Option<String> {
    let folder = folder.trim_end_matches('/');
    let is_sound = folder.starts_with('/') && !folder.split('/').any(|name| name == "..");
    is_sound.then(|| folder.to_owned())
}

fn is_strict(call: &Call<'_>) -> bool {
    let value = call.env("NOUS_PLAN_ENFORCEMENT").unwrap_or_default().trim().to_ascii_lowercase();
    if !matches!(value.as_str(), "strict" | "warn" | "") {
        call.log(Level::Warn, "NOUS_PLAN_ENFORCEMENT is neither `strict` nor `warn`; taken as `warn`");
    }
    value == "strict"
}
