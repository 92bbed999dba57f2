//! The checks of `guard-host policy conformance`: requirements that every policy must meet.
//!
//! The host is safe regardless of what a policy does. These checks show a policy's author whether the policy meets the
//! contract. They call it in artificial worlds. Nothing is read from the machine except the component, and nothing is
//! printed.

mod calls;
mod trial;

use std::path::Path;

use serde_json::{Map, Value};

use crate::suite::{ComponentLoader, SubjectError, SubjectErrorKind, find_entry};
use guard_contract::Manifest;
use guard_contract::{ImportResolution, Interface, Wasi};
use guard_engine::clock::Clock;
use guard_facts::Used;
use guard_hook::cache::Component;
use guard_state::AppDirs;
use trial::Trial;

/// A requirement for every policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The name.
    pub id: &'static str,
    /// The requirement in words.
    pub meaning: &'static str,
    /// The advice if the requirement isn't met.
    pub advice: &'static str,
}

/// All rules, in the order of the report.
pub const RULES: [Rule; 16] = [
    Rule {
        id: "contract",
        meaning: "it is a component that exports guard:policy/policy@0.1.0 and imports nothing that cannot be linked",
        advice: "build it against this host's wit/; `guard-host policy inspect` shows its imports and exports",
    },
    Rule {
        id: "describe",
        meaning: "`describe` answers, twice the same, and asks the host for nothing but `log`",
        advice: "return a constant manifest; do not call imports or do work before `decide`",
    },
    Rule {
        id: "manifest",
        meaning: "the manifest's id, rules, ceilings and tool patterns keep to the contract",
        advice: "correct what is named; the comments of wit/ say what each field may hold",
    },
    Rule {
        id: "examples",
        meaning: "its own examples hold with the default settings",
        advice: "correct the example or the policy: the host refuses a policy that fails one",
    },
    Rule {
        id: "configure",
        meaning: "`configure` takes `{}`, or the settings that were given, and asks the host for nothing but `log`",
        advice: "give every setting a default; facts of the host are for `decide`",
    },
    Rule {
        id: "bad-settings",
        meaning: "settings that are none give an error or are taken, and never a trap",
        advice: "parse settings with a parser that gives errors, and return them as `err`",
    },
    Rule {
        id: "decide",
        meaning: "ordinary calls of the tools that it covers get a decision",
        advice: "return a decision for every call that your `tools` cover; abstain if there is nothing to say",
    },
    Rule {
        id: "odd-input",
        meaning: "odd inputs get a decision or an error, and never a trap",
        advice: "read fields as if each could be missing or of another type; catch exceptions of your language",
    },
    Rule {
        id: "error-as-data",
        meaning: "an input that is no JSON object gets an error or a decision, and never a trap",
        advice: "return `err` with a text instead of a panic or an uncaught exception",
    },
    Rule {
        id: "deterministic",
        meaning: "the same call gets the same answer, in two instances and twice in one, to the order of findings",
        advice: "keep no state between calls, and do not go by the order of a hash table, a clock or random numbers",
    },
    Rule {
        id: "imports",
        meaning: "no call leads to an import that the host does not answer",
        advice: "leave the code out that needs it; `wasi = \"frozen\"` helps a language that cannot start otherwise",
    },
    Rule {
        id: "limits",
        meaning: "every call keeps within the default limits of time, memory and stack",
        advice: "prepare tables when the guest is built, and bound loops and recursion by the size of the input",
    },
    Rule {
        id: "outcome",
        meaning: "the outcome of a decision is the maximum of its findings, and abstain without any",
        advice: "derive the outcome from the findings; the SDK does",
    },
    Rule {
        id: "rules",
        meaning: "every finding names a rule in the manifest, at most at its ceiling",
        advice: "declare the rule, or raise its ceiling in the manifest; what only settings know is the rule `custom`",
    },
    Rule {
        id: "size",
        meaning: "a decision has at most 256 findings, and its texts have at most 64 KiB each",
        advice: "cut what you quote of the input",
    },
    Rule {
        id: "absent-facts",
        meaning: "it answers where every fact is denied or absent, and where not even a working directory is known",
        advice: "take `denied` and `absent` for answers; do not unwrap what an import returns",
    },
];

/// The result of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The policy meets it.
    Passed,
    /// The policy violates it.
    Failed,
    /// It couldn't be tested.
    Skipped,
}

/// The result of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// The result.
    pub state: State,
    /// The violations, or why it wasn't tested.
    pub problems: Vec<String>,
    /// Other observations.
    pub notes: Vec<String>,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCall {
    /// The rule for which it was made.
    pub rule: &'static str,
    /// A description of the call.
    pub what: String,
    /// The answer: an outcome, `error`, or a fault.
    pub answer: String,
    /// The resources that it used, including `configure`.
    pub used: Used,
}

/// The results for a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The policy, as given.
    pub policy: String,
    /// The component's digest in hexadecimal.
    pub sha256: String,
    /// The policy's manifest. `None` if `describe` fails.
    pub manifest: Option<Manifest>,
    /// All rules, in order.
    pub checks: Vec<Check>,
    /// All calls, in order.
    pub calls: Vec<CheckedCall>,
}

impl Report {
    /// Returns the number of checks with this result.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.checks.iter().filter(|check| check.state == state).count()
    }

    /// Returns the longest call.
    #[must_use]
    pub fn slowest(&self) -> Option<&CheckedCall> {
        self.calls.iter().max_by_key(|made| made.used.processor)
    }

    /// Returns the call that used the most memory.
    #[must_use]
    pub fn largest(&self) -> Option<&CheckedCall> {
        self.calls.iter().max_by_key(|made| made.used.memory)
    }
}

/// Checks a built-in or a component file. `settings` are given to the policy. `None` means `{}`.
///
/// # Errors
///
/// The file doesn't exist, or this machine can't run the checks. A component that isn't a policy results in a report.
pub fn examine(
    name: &str,
    wasi: Wasi,
    settings: Option<&Map<String, Value>>,
    cwd: &Path,
    dirs: &AppDirs,
) -> Result<Report, SubjectError> {
    let entry = find_entry(name, wasi, cwd)?;
    let component = Component::from_entry(&entry)
        .map_err(|fault| SubjectError::new(SubjectErrorKind::Missing, format!("`{name}`: {fault}"), ""))?;
    let workshop = ComponentLoader::open(dirs).map_err(|fault| SubjectError::from_machine_fault(&fault))?;
    let _clock = Clock::start(workshop.engine.clone());
    let analyzer = workshop.analyzer();
    let settings = settings.map_or_else(|| "{}".to_owned(), |settings| Value::Object(settings.clone()).to_string());
    let mut trial = Trial::new(settings, analyzer);
    let manifest = match component.wasm(guard_builtins::component).and_then(|wasm| workshop.compile(&wasm, wasi)) {
        Ok((policy, interface)) => {
            trial.pass("contract");
            trial.note("imports", foreign(&interface, wasi));
            trial.run(&policy)
        }
        Err(fault) => {
            trial.problem("contract", fault.to_string());
            None
        }
    };
    let (checks, calls) = trial.end();
    Ok(Report { policy: name.to_owned(), sha256: component.sha256, manifest, checks, calls })
}

/// Returns the message about imports outside of the contract.
fn foreign(interface: &Interface, wasi: Wasi) -> Vec<String> {
    let foreign = |import: &&String| Interface::answered(import, wasi) == ImportResolution::Trap;
    let count = interface.imports.iter().filter(foreign).count();
    if count == 0 { Vec::new() } else { vec![format!("{count} imports would trap; `policy inspect` names them")] }
}
