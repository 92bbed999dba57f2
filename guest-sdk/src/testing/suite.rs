//! [`Suite`]: a table of cases in the form that the host reads, run natively.
//!
//! Reads no file and parses no TOML: the caller deserialises the text and brings the shell analyzer.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::World;
use crate::syntax::{Analysis, Coverage, Effect, Severity};
use crate::{Decision, Outcome, Policy, ResolvedPath};

/// A table of cases with the settings and facts that they share.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Suite {
    /// The policy's settings; none if absent.
    #[serde(default)]
    pub settings: Value,
    /// Facts that replace those of [`World::default`].
    #[serde(default)]
    pub facts: SuiteFacts,
    /// The cases.
    #[serde(default)]
    pub cases: Vec<Case>,
}

/// The world of a suite or a case. What is absent stays as in [`World::default`].
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
#[expect(missing_docs, reason = "each field is the fact of its name")]
pub struct SuiteFacts {
    pub harness: Option<String>,
    pub session: Option<String>,
    pub permission_mode: Option<String>,
    pub cwd: Option<String>,
    pub project_root: Option<String>,
    pub home: Option<String>,
    pub env: BTreeMap<String, String>,
    pub files: BTreeMap<String, String>,
    pub dirs: Vec<String>,
    pub links: BTreeMap<String, String>,
}

/// One call and what the policy must say of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Case {
    /// One id or several, for reports.
    pub id: Value,
    /// What the case shows.
    pub name: String,
    /// The tool; `Bash` if absent.
    pub tool: Option<String>,
    /// The tool's input.
    pub input: Value,
    /// An outcome, or a list of acceptable ones.
    pub expect: Value,
    /// The rule of the first finding at the outcome; not checked if absent.
    pub rule: Option<String>,
    /// Text that some message must hold.
    pub message: Option<String>,
    /// Text that some remedy must hold.
    pub remedy: Option<String>,
    /// `complete`, `partial` or `unparsed`; not checked if absent.
    pub coverage: Option<String>,
    /// The journal lines that must come, as objects without `ts`.
    pub journal: Option<Vec<Value>>,
    /// Facts that replace the suite's.
    pub facts: Option<SuiteFacts>,
}

impl Suite {
    /// Runs every case; a text for each one that fails, none if all pass.
    ///
    /// `analyze` has the signature of `guard_shell::analyze`, and is asked about the commands of `Bash` and `PowerShell`.
    /// A file tool gets one effect for each path in its input, another tool none.
    pub fn failures<P: Policy>(&self, analyze: impl Fn(&str, &str, &str, &str) -> Analysis) -> Vec<String> {
        self.cases.iter().filter_map(|case| self.failure::<P>(case, &analyze)).collect()
    }

    fn failure<P: Policy>(&self, case: &Case, analyze: &impl Fn(&str, &str, &str, &str) -> Analysis) -> Option<String> {
        let world = self.world(case, analyze);
        let settings = if self.settings.is_null() { "{}".to_owned() } else { self.settings.to_string() };
        let answer = world.answer::<P>(&settings, case.tool.as_deref().unwrap_or("Bash"), &case.input.to_string());
        let problem = match &answer {
            Ok(answer) => {
                case.problem(&answer.decision, &world.analysis).or_else(|| case.journal_problem(&answer.journal))?
            }
            Err(fault) => format!("the policy is at fault: {fault}"),
        };
        Some(format!("{} {} {}: {problem}", case.id, case.name, case.input))
    }

    /// The world in which `case` is decided.
    pub fn world(&self, case: &Case, analyze: &impl Fn(&str, &str, &str, &str) -> Analysis) -> World {
        let mut world = World { project_is_repository: true, ..World::default() };
        for facts in std::iter::once(&self.facts).chain(&case.facts) {
            facts.put_into(&mut world);
        }
        let runs = matches!(case.tool.as_deref(), None | Some("Bash" | "PowerShell"));
        world.analysis = match case.input.get("command").and_then(Value::as_str).filter(|_| runs) {
            Some(command) => analyze(command, "bash", &world.facts.cwd, &world.facts.home),
            None => of_tool(case.tool.as_deref().unwrap_or_default(), &case.input),
        };
        world.fill_paths();
        world
    }
}

impl SuiteFacts {
    fn put_into(&self, world: &mut World) {
        let facts = &mut world.facts;
        for (given, fact) in [
            (&self.harness, &mut facts.harness),
            (&self.session, &mut facts.session),
            (&self.permission_mode, &mut facts.permission_mode),
            (&self.cwd, &mut facts.cwd),
            (&self.project_root, &mut facts.project_root),
            (&self.home, &mut facts.home),
        ] {
            if let Some(given) = given {
                fact.clone_from(given);
            }
        }
        world.env.extend(self.env.clone());
        world.files.extend(self.files.clone());
        world.dirs.extend(self.dirs.clone());
        world.links.extend(self.links.clone());
    }
}

impl Case {
    fn journal_problem(&self, journal: &[(String, Value)]) -> Option<String> {
        let expected = self.journal.as_ref()?;
        let differs = !expected.iter().eq(journal.iter().map(|(_, object)| object));
        differs.then(|| format!("expected the journal {expected:?}, got {journal:?}"))
    }

    fn problem(&self, decision: &Decision, analysis: &Analysis) -> Option<String> {
        let outcome = word_of(decision.outcome);
        let accepted = match &self.expect {
            Value::Array(list) => list.iter().any(|one| one == outcome),
            one => one == outcome,
        };
        let first = decision.findings.iter().find(|finding| finding.outcome == decision.outcome);
        let holds = |wanted: &Option<String>, text: fn(&crate::Finding) -> &str| {
            wanted.as_ref().is_none_or(|wanted| decision.findings.iter().any(|one| text(one).contains(wanted.as_str())))
        };
        let problem = if !accepted {
            format!("expected {}, got {outcome}", self.expect)
        } else if self.rule.as_deref().is_some_and(|rule| first.is_none_or(|finding| finding.rule != rule)) {
            format!("expected the rule {:?}", self.rule.as_deref().unwrap_or_default())
        } else if !holds(&self.message, |finding| &finding.message) {
            format!("no message holds {:?}", self.message.as_deref().unwrap_or_default())
        } else if !holds(&self.remedy, |finding| &finding.remedy) {
            format!("no remedy holds {:?}", self.remedy.as_deref().unwrap_or_default())
        } else if self.coverage.as_deref().is_some_and(|wanted| wanted != coverage_of(analysis.coverage)) {
            format!("coverage is {}", coverage_of(analysis.coverage))
        } else {
            return None;
        };
        let findings: Vec<_> =
            decision.findings.iter().map(|one| format!("{} {}", word_of(one.outcome), one.rule)).collect();
        let effects: Vec<_> =
            analysis.effects.iter().map(|one| format!("{} `{}`", one.operation, one.target)).collect();
        Some(format!("{problem} (findings {findings:?}, effects {effects:?}, {:?})", analysis.reasons))
    }
}

fn word_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Abstain => "abstain",
        Outcome::Allow => "allow",
        Outcome::Warn => "warn",
        Outcome::Ask => "ask",
        Outcome::Deny => "deny",
    }
}

fn coverage_of(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Complete => "complete",
        Coverage::Partial => "partial",
        Coverage::Unparsed => "unparsed",
    }
}

/// The analysis that the host makes of a tool without a command: one effect for each path of a file tool.
fn of_tool(tool: &str, input: &Value) -> Analysis {
    let (kind, operation, severity) = match tool {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => ("write", "fs.write", Severity::Notable),
        "Read" | "Glob" | "Grep" => ("read", "fs.read", Severity::Routine),
        _ => ("", "", Severity::Routine),
    };
    let paths = ["file_path", "path", "notebook_path"].iter().filter_map(|key| input.get(*key)?.as_str());
    let effect = |path: &str| Effect {
        kind: kind.to_owned(),
        operation: operation.to_owned(),
        severity,
        target: path.to_owned(),
        path: ResolvedPath::unresolved(path),
        command_id: 0,
        certain: true,
        tags: vec![("by".to_owned(), tool.to_owned())],
    };
    let effects: Vec<Effect> = if kind.is_empty() { Vec::new() } else { paths.map(effect).collect() };
    let coverage = if effects.is_empty() { Coverage::Partial } else { Coverage::Complete };
    Analysis { coverage, reasons: Vec::new(), commands: Vec::new(), effects, scripts: Vec::new() }
}
