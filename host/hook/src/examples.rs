//! Runs the examples in a policy's manifest. A policy that fails one of them isn't used.

use std::sync::Arc;

use serde_json::{Map, Value};

use guard_contract::call::{CallContext, ToolCall};
use guard_contract::grants::Grants;
use guard_contract::{FaultKind, Limits};
use guard_contract::{Manifest, outcome_name};
use guard_engine::{Analyzer, Policy, SharedInstance};
use guard_facts::Facts;
use guard_facts::Question;
use guard_facts::fixed::FixedFacts;

/// Returns the context of an example: an empty project `/repo` of the user `/home/u`.
#[must_use]
pub fn call_context() -> CallContext {
    CallContext {
        cwd: "/repo".to_owned(),
        project_root: "/repo".to_owned(),
        home: "/home/u".to_owned(),
        ..CallContext::default()
    }
}

/// Returns the facts for examples.
#[must_use]
pub fn facts() -> Arc<dyn Facts> {
    let mut facts = FixedFacts::default();
    facts.dirs.insert("/repo/.git".to_owned());
    Arc::new(facts)
}

/// Runs all examples with the default settings.
///
/// # Errors
///
/// [`FaultKind::Example`] for the first one with another answer, or a fault of the machine.
pub fn check(policy: &Policy, manifest: &Manifest, analyzer: &Result<Analyzer, FaultKind>) -> Result<(), FaultKind> {
    let facts = facts();
    for (number, example) in manifest.examples.iter().enumerate() {
        let fail = |text: String| Err(FaultKind::Example(format!("{}: {text}", number + 1)));
        let input: Map<String, Value> = match serde_json::from_str(&example.input) {
            Ok(input) => input,
            Err(error) => return fail(format!("its input isn't a JSON object: {error}")),
        };
        let call = ToolCall::new(&example.tool, input);
        let mut shared = SharedInstance::default();
        let (at, mut failed) = (call_context(), None);
        let read = |command: &str, dialect: &str, _: &_| {
            let read = analyzer
                .clone()
                .and_then(|found| found.analyze(&mut shared, command, dialect, (&at.cwd, &at.home), None));
            read.inspect_err(|fault| failed = Some(fault.clone()))
        };
        let scene = guard_chain::scene::with_analysis(&call, &at, facts.clone(), read);
        if let Some(fault) = failed.filter(FaultKind::is_of_machine) {
            return Err(fault);
        }
        let grants = Arc::new(Grants::everything());
        let question = Question { scene, grants, manifest, tool: &call.tool, input: &example.input };
        let answer = policy.ask(&mut shared, Limits::PREPARE, Some("{}"), &question);
        let decision = match answer.decision {
            Ok(decision) => decision,
            Err(fault) if fault.is_of_machine() => return Err(fault),
            Err(fault) => {
                return fail(format!("`{}` gives no answer: {}", example.input, fault.under(Limits::PREPARE)));
            }
        };
        let first = decision.findings.iter().find(|finding| finding.outcome == decision.outcome);
        let rule = first.map_or("", |finding| finding.rule.as_str());
        if decision.outcome != example.outcome {
            let (got, expected) = (outcome_name(decision.outcome), outcome_name(example.outcome));
            let why = first.map_or_else(String::new, |finding| format!(" ({rule}: {})", finding.message));
            return fail(format!("`{}` gives {got}{why}, not {expected}", example.input));
        }
        if !example.rule.is_empty() && example.rule != rule {
            return fail(format!("`{}` gives the rule `{rule}`, not `{}`", example.input, example.rule));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use guard_contract::Outcome;
    use serde_json::json;

    use super::*;
    use crate::{embedded, scene};
    use guard_engine::Engine;

    #[test]
    fn an_instance_judges_the_call_that_it_is_asked_about_whatever_it_was_asked_before() {
        let bundle = embedded::bundle(&Engine::new().unwrap()).unwrap();
        let mut shared = SharedInstance::default();
        let mut outcomes = Vec::new();
        for command in ["ls", "guard-host trust; git push --force origin main; rm .env", "ls"] {
            let call = ToolCall::new("Bash", Map::from_iter([("command".to_owned(), json!(command))]));
            let scene = scene::analyzed(&call, &call_context(), facts(), || Ok(bundle.analyzer()), &mut shared);
            let input = Value::Object(call.input.clone()).to_string();
            for name in ["self-protect", "command-guard", "protected-files"] {
                let policy = bundle.policy(name);
                let manifest = policy.describe(Limits::DEFAULT).unwrap();
                let (scene, grants) = (scene.clone(), Arc::new(Grants::everything()));
                let question = Question { scene, grants, manifest: &manifest, tool: &call.tool, input: &input };
                let answer = policy.ask(&mut shared, Limits::DEFAULT, Some("{}"), &question);
                assert!(answer.asked.contains(&"analysis.current".to_owned()), "{name}: {:?}", answer.asked);
                outcomes.push(answer.decision.unwrap().outcome);
            }
        }
        let [quiet, deny] = [Outcome::Abstain, Outcome::Deny];
        assert_eq!(outcomes, [quiet, quiet, quiet, deny, deny, deny, quiet, quiet, quiet]);
    }
}
