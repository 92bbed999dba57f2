//! [`Judgement`]: the finding about one command, and its journal line.

use guard_experiment_plan::{Plan, cut};
use guard_sdk::syntax::{Analysis, Command, Coverage};
use guard_sdk::{Finding, Outcome};
use serde_json::{Value, json};

use crate::rules::{ad_hoc, plan_unreadable, unplanned_command};

/// The maximum length of a command in the journal, in bytes. JSON escapes may make it six times as long, and a line is
/// limited to 16 KiB.
const NOTED: usize = 2 << 10;

/// Shell builtins that start no program. They are accepted next to a planned command.
const OF_THE_SHELL: &[&str] = &[
    ":", "[", "[[", "break", "cd", "continue", "declare", "exit", "export", "false", "local", "popd", "pushd", "read",
    "readonly", "return", "set", "shift", "shopt", "test", "trap", "true", "typeset", "ulimit", "umask", "unset",
    "wait",
];

/// Programs that pass on their input. After a planned command, they only show or save its output.
const READERS: &[&str] =
    &["cat", "cut", "egrep", "fgrep", "grep", "head", "less", "more", "tail", "tee", "tr", "uniq", "wc"];

/// The judgement on a command that the plan doesn't cover.
#[derive(Debug)]
pub(crate) struct Judgement {
    kind: Kind,
    command: String,
    arm: Option<String>,
}

#[derive(Debug)]
enum Kind {
    AdHoc,
    /// The program, and the plan's programs.
    Unplanned(String, Vec<String>),
    /// The visible part is planned, but the command wasn't fully understood.
    Unclear(String),
    Unreadable(String),
}

impl Judgement {
    pub(crate) fn ad_hoc(command: &str, analysis: &Analysis, plan: Option<&Plan>) -> Option<Self> {
        let arm = plan.and_then(|plan| arm_of(command, analysis, plan));
        Some(Judgement { kind: Kind::AdHoc, command: command.to_owned(), arm })
    }

    pub(crate) fn unreadable(command: &str, why: &str) -> Self {
        Judgement { kind: Kind::Unreadable(why.to_owned()), command: command.to_owned(), arm: None }
    }

    /// `None` if the plan covers the command.
    pub(crate) fn of(command: &str, analysis: &Analysis, plan: &Plan) -> Option<Self> {
        if plan.has_text(command) {
            return None;
        }
        let commands = || analysis.commands.iter().filter(|command| !command.argv.is_empty());
        let is_planned = |command: &Command| plan.has_program(command.program()) || is_via(command, plan);
        let any_planned = commands().any(is_planned);
        let mut unplanned = commands().filter(|command| !is_planned(command));
        let last_planned = commands().filter(|command| is_planned(command)).map(|command| command.id).max();
        let serves_planned = |command: &Command| is_reader(command) || is_folder(command, last_planned);
        let starts_program = |command: &Command| !OF_THE_SHELL.contains(&command.program()) && !serves_planned(command);
        let found = match any_planned {
            true => unplanned.find(|command| starts_program(command)),
            false => {
                let all: Vec<&Command> = unplanned.collect();
                let is_program = |command: &&&Command| !OF_THE_SHELL.contains(&command.program());
                all.iter().find(is_program).or(all.first()).copied()
            }
        };
        let kind = match found {
            Some(command) => Kind::Unplanned(cut(command.program(), 120), plan.names()),
            None if analysis.coverage == Coverage::Complete => return None,
            None => Kind::Unclear(analysis.reasons.first().map(|reason| cut(reason, 200)).unwrap_or_default()),
        };
        Some(Judgement { kind, command: command.to_owned(), arm: arm_of(command, analysis, plan) })
    }

    /// Returns the journal's line. The host adds the time and redacts secrets.
    pub(crate) fn line(&self, strict: bool) -> Option<Value> {
        let kind = match self.kind {
            Kind::AdHoc => "ad-hoc",
            Kind::Unplanned(..) if !strict => "unplanned",
            Kind::Unreadable(_) if !strict => "plan-unreadable",
            _ => return None,
        };
        Some(json!({ "kind": kind, "command": cut(&self.command, NOTED), "arm": self.arm }))
    }

    /// Returns the finding. A finding without enforcement has no outcome.
    pub(crate) fn into_finding(self, strict: bool) -> Finding {
        let finding = match &self.kind {
            Kind::AdHoc => ad_hoc::finding(),
            Kind::Unplanned(program, planned) => unplanned_command::finding(program, planned),
            Kind::Unclear(why) => unplanned_command::unclear(why),
            Kind::Unreadable(why) => plan_unreadable::finding(why),
        };
        let finding = if strict { finding } else { finding.at(Outcome::Abstain) };
        match self.arm {
            Some(arm) => finding.tag("arm", arm),
            None => finding,
        }
    }
}

/// Returns whether the command reads from a pipe.
fn is_reader(command: &Command) -> bool {
    command.position.index > 0 && command.via.is_empty() && READERS.contains(&command.program())
}

/// Returns whether the command creates a folder for a later planned command.
fn is_folder(command: &Command, last_planned: Option<u32>) -> bool {
    let makes_missing = |word: &str| word == "--parents" || word.starts_with('-') && word.ends_with('p');
    let is_mkdir = command.program() == "mkdir" && command.via.is_empty();
    is_mkdir && Some(command.id) < last_planned && command.argv.iter().any(|word| makes_missing(&word.text))
}

fn arm_of(command: &str, analysis: &Analysis, plan: &Plan) -> Option<String> {
    plan.arm_of(command, &analysis.commands.iter().map(Command::program).collect::<Vec<_>>())
}

/// Returns whether the plan names the program that runs the command, such as `poetry` in `poetry run x`.
fn is_via(command: &Command, plan: &Plan) -> bool {
    command.via.iter().any(|via| match via.kind.as_str() {
        "container" => ["docker", "podman", "kubectl", "nerdctl"].iter().any(|name| plan.has_program(name)),
        "find-exec" => plan.has_program("find"),
        kind => plan.has_program(kind),
    })
}
