//! The files of this program on the machine: its configuration, its folders, what is compiled.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Finding;
use crate::install::Site;
use guard_config::load;
use guard_contract::Level;
use guard_contract::call::{CallContext, ToolCall};
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_engine::facts::Facts;
use guard_engine::facts::real::RealFacts;
use guard_hook::cache::{Prepared, Readiness, prepare};
use guard_hook::chain::{Ask, Chain};
use guard_state::Places;
use guard_state::{FolderErrorKind, check_private};

/// The layers of the configuration, and the settings of its policies.
pub(super) fn configuration(places: &Places, projects: &[String]) -> Vec<Finding> {
    let config = load(places, projects);
    let problems = config.problems.iter().map(|problem| {
        let remedy = if problem.hint.is_empty() { "correct the file" } else { &problem.hint };
        Finding::problem("configuration", problem.to_string(), remedy)
    });
    let warnings = config.warnings.iter().map(|text| Finding::problem("configuration", text, "correct the file"));
    let mut findings: Vec<Finding> = problems.chain(warnings).collect();
    if findings.is_empty() {
        findings.push(Finding::ok("configuration", format!("{} policies", config.entries.len())));
    }
    findings
}

/// The folders that must belong to this user alone.
pub(super) fn folders(places: &Places) -> Vec<Finding> {
    let check = |path: &Path| match check_private(path) {
        Ok(()) => Finding::ok("folders", format!("`{}` is yours alone", path.display())),
        Err(error) => {
            let missing = matches!(&error.kind, FolderErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound);
            let shown = path.display();
            let remedy = match (&error.kind, missing) {
                (_, true) => "run `guard-host cache warm`, which makes it".to_owned(),
                (FolderErrorKind::Open, _) => format!("run `chmod 700 {shown}`"),
                _ => format!("move `{shown}` away and run `guard-host cache warm`"),
            };
            Finding::problem("folders", error.to_string(), remedy)
        }
    };
    vec![check(&places.state), check(&places.cache)]
}

/// Whether a call finds everything made.
pub(super) fn ready(site: Site<'_>, projects: &[String]) -> Vec<Finding> {
    const CHECK: &str = "artifacts";
    match Prepared::open(site.places, &site.environment.program, projects) {
        Some(_) => vec![Finding::ok(CHECK, "every policy is compiled")],
        None => {
            let text = "the chain is not prepared for this version of the program and its configuration; a policy that is \
                        not compiled yet gives no answer until it is";
            vec![Finding::problem(CHECK, text, "run `guard-host cache warm`")]
        }
    }
}

/// Policies that cannot be asked, and those that complain.
pub(super) fn policies(site: Site<'_>, projects: &[String]) -> Vec<Finding> {
    let environment = site.environment;
    let prepared = Prepared::open(site.places, &environment.program, projects)
        .unwrap_or_else(|| prepare(site.places, &environment.program, projects, None));
    let broken = prepared.members.iter().filter_map(|member| match &member.readiness {
        Readiness::Ready { .. } => None,
        Readiness::Broken(fault) => {
            let name = &member.entry.name;
            let layer = member.entry.layer.name();
            let remedy = format!("repair or remove the policy in the {layer} configuration");
            Some(Finding::problem("policies", format!("`{name}` cannot be asked: {fault}"), remedy))
        }
    });
    let mut findings: Vec<Finding> = broken.collect();
    let Ok(engine) = Engine::new() else {
        let remedy = "the machine must let programs map files as code";
        findings.push(Finding::problem("policies", "the sandbox cannot start on this machine", remedy));
        return findings;
    };
    let _clock = Clock::start(engine.clone());
    let chain = Chain::new(engine, prepared);
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(environment.variables.clone()));
    let project = site.project.to_string_lossy().into_owned();
    let at = CallContext {
        cwd: project.clone(),
        project_root: project.clone(),
        home: environment.home.clone(),
        account_home: environment.account_home.clone(),
        ..CallContext::default()
    };
    let input = |key: &str, value: &str| Map::from_iter([(key.to_owned(), Value::from(value))]);
    let file = format!("{project}/a.txt");
    for call in [ToolCall::new("Bash", input("command", "ls")), ToolCall::new("Write", input("file_path", &file))] {
        let trace = chain.decide(&call, &at, &facts, Ask::default());
        for step in &trace.steps {
            let loud = step.answer.log.iter().filter(|line| matches!(line.level, Level::Error | Level::Warn));
            for line in loud {
                let text = format!("`{}` says: {}", step.policy, line.message);
                let remedy = "correct the settings of the policy";
                let finding = Finding::problem("policies", text, remedy);
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
    }
    if findings.is_empty() {
        findings.push(Finding::ok("policies", "every policy answers"));
    }
    findings
}
