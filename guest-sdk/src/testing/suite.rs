//! Runs a [`Suite`] natively.
//!
//! Reads no files and parses no TOML: the caller deserializes the text and provides the shell analyzer. Cases that need
//! a harness are left to `guard-host test`.

use serde_json::Value;

use super::World;
use super::cases::{Case, OneOrMore, PastEvent, Suite, WorldFacts};
use crate::syntax::{Analysis, Coverage, Effect, Severity};
use crate::{Decision, Event, Fault, Outcome, Policy, ResolvedPath};

impl Suite {
    /// Runs every case except those with a payload, which need a harness ([`Case::needs_harness`]). Returns a text for
    /// each failure.
    ///
    /// `analyze` has the signature of `guard_testing::analyze`, and is called for the commands of `Bash` and
    /// `PowerShell`. File tools get one effect for each path in their input, and other tools none. Outside of
    /// guard-host's own repository, use [`Suite::failures_with_program`].
    ///
    /// This policy needs confirmation before a committed TypeScript file is changed, and the cases list the files that
    /// git tracks:
    ///
    /// ```
    /// use guard_sdk::testing::{Suite, World};
    /// use guard_sdk::{Call, Decision, Error, Finding, Manifest, NoSettings, Outcome, Policy, Presence, Rule, serde_json};
    ///
    /// const COMMITTED: Rule =
    ///     Rule { id: "committed", summary: "a committed file changes", default: Outcome::Ask, ceiling: Outcome::Ask };
    ///
    /// struct Committed;
    ///
    /// impl Policy for Committed {
    ///     type Settings = NoSettings;
    ///     const MANIFEST: Manifest = Manifest { id: "committed", tools: &["*"], rules: &[COMMITTED], ..Manifest::EMPTY };
    ///
    ///     fn configure(_: NoSettings) -> Result<Self, Error> {
    ///         Ok(Committed)
    ///     }
    ///
    ///     fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
    ///         let changes = call.analysis().effects.iter().filter(|effect| effect.kind == "write" || effect.kind == "delete");
    ///         let committed = changes.filter(|effect| {
    ///             // If git can't tell, assume that the file is committed.
    ///             effect.path.lexical.ends_with(".ts") && call.tracked(&effect.path.lexical) != Presence::No
    ///         });
    ///         Ok(committed.map(|effect| Finding::new(&COMMITTED, format!("`{}` is committed", effect.target))).collect())
    ///     }
    /// }
    ///
    /// let suite: Suite = serde_json::from_str(
    ///     r#"{ "facts": { "git": { "tracked": ["/repo/src"] } }, "cases": [
    ///         { "tool": "Write", "input": { "file_path": "src/a.ts", "content": "" }, "expect": "ask" },
    ///         { "tool": "Write", "input": { "file_path": "new.ts", "content": "" }, "expect": "abstain" } ] }"#,
    /// )
    /// .unwrap();
    /// // No case here has a shell command, so there is nothing to analyze.
    /// let analyze = |_: &str, _: &str, _: &str, _: &str| World::default().analysis;
    /// assert_eq!(suite.failures::<Committed>(analyze), [""; 0]);
    /// ```
    pub fn failures<P: Policy>(&self, analyze: impl Fn(&str, &str, &str, &str) -> Analysis) -> Vec<String> {
        let native = self.cases.iter().filter(|case| !case.needs_harness());
        native.filter_map(|case| self.failure::<P>(case, &self.world(case, &analyze))).collect()
    }

    /// Runs a case in its world. Returns a text if it fails.
    pub(super) fn failure<P: Policy>(&self, case: &Case, world: &World) -> Option<String> {
        let settings = Value::Object(self.settings.clone()).to_string();
        let Some(input) = case.input().map(Value::Object) else {
            return Some(format!("{}: `input` is neither an object nor a command", case.title()));
        };
        let answer = world.answer::<P>(&settings, case.tool(), &input.to_string());
        let problem = match &answer {
            Ok(answer) => {
                case.problem(&answer.decision, &world.analysis).or_else(|| case.journal_problem(&answer.journal))?
            }
            Err(fault) => format!("the policy is at fault: {fault}"),
        };
        Some(format!("{} {input}: {problem}", case.title()))
    }

    /// Returns the world for the decision on `case`.
    pub fn world(&self, case: &Case, analyze: &impl Fn(&str, &str, &str, &str) -> Analysis) -> World {
        let input = Value::Object(case.input().unwrap_or_default());
        let runs = matches!(case.tool(), "Bash" | "PowerShell");
        let mut world = self.world_with(case, |world| match input.get("command").and_then(Value::as_str) {
            Some(command) if runs => {
                Some(analyze(command, tool_dialect(case.tool()), &world.facts.cwd, &world.facts.home))
            }
            _ => Some(analyze_tool(case.tool(), &input)),
        });
        world.fill_paths();
        world
    }

    /// Returns the world of `case` with the analysis that `analyze` returns for it.
    pub(super) fn world_with(&self, case: &Case, analyze: impl FnOnce(&World) -> Option<Analysis>) -> World {
        let mut world = World { project_is_repository: true, ..World::default() };
        apply_facts(&self.facts.with(&case.facts), &mut world);
        if let Some(analysis) = analyze(&world) {
            world.analysis = analysis;
        }
        world
    }
}

/// Returns the language of a tool's commands.
fn tool_dialect(tool: &str) -> &'static str {
    if tool == "PowerShell" { "powershell" } else { "bash" }
}

/// Applies the facts in `given` to a world with default values.
fn apply_facts(declared: &WorldFacts, world: &mut World) {
    let facts = &mut world.facts;
    for (declared, fact) in [
        (&declared.harness, &mut facts.harness),
        (&declared.session, &mut facts.session),
        (&declared.permission_mode, &mut facts.permission_mode),
        (&declared.cwd, &mut facts.cwd),
        (&declared.project_root, &mut facts.project_root),
        (&declared.home, &mut facts.home),
    ] {
        if let Some(declared) = declared {
            fact.clone_from(declared);
        }
    }
    world.env.extend(declared.env.clone());
    world.files.extend(declared.files.clone());
    world.dirs.extend(declared.dirs.iter().cloned());
    world.links.extend(declared.links.clone());
    if declared.program.is_some() {
        world.program.clone_from(&declared.program);
    }
    if declared.git.is_some() {
        world.git.clone_from(&declared.git);
    }
    let event = |(past, number): (&PastEvent, u32)| {
        let PastEvent { kind, target, tool, time, certain, tags } = past.clone();
        Event { number, time, kind, tool, target, certain, tags: tags.into_iter().collect() }
    };
    world.history = match declared.history_is_damaged {
        true => Err(Fault::Failed),
        false => Ok(declared.history.iter().zip(1..).map(event).collect()),
    };
}

impl Case {
    fn journal_problem(&self, journal: &[(String, Value)]) -> Option<String> {
        let expected = self.journal.as_ref()?;
        let differs = !expected.iter().eq(journal.iter().map(|(_, object)| object));
        differs.then(|| format!("expected the journal {expected:?}, got {journal:?}"))
    }

    fn problem(&self, decision: &Decision, analysis: &Analysis) -> Option<String> {
        let outcome = outcome_word(decision.outcome);
        let OneOrMore(accepted) = &self.expect;
        let first = decision.findings.iter().find(|finding| finding.outcome == decision.outcome);
        let holds = |wanted: &Option<String>, text: fn(&crate::Finding) -> &str| {
            wanted.as_ref().is_none_or(|wanted| decision.findings.iter().any(|one| text(one).contains(wanted.as_str())))
        };
        let problem = if !accepted.iter().any(|one| one == outcome) {
            format!("expected {}, got {outcome}", accepted.join(" or "))
        } else if self
            .rule
            .as_deref()
            .is_some_and(|rule| !first.is_some_and(|one| one.rule == rule || has(one, "rule", rule)))
        {
            format!("expected the rule {:?}", self.rule.as_deref().unwrap_or_default())
        } else if let Some(rule) =
            self.near.0.iter().find(|rule| decision.findings.iter().any(|one| one.rule == **rule))
        {
            format!("a near miss of the rule {rule:?} hits it")
        } else if let Some((name, value)) =
            self.tags.iter().find(|(name, value)| !first.is_some_and(|one| has(one, name, value)))
        {
            format!("expected the tag {name}={value}")
        } else if !holds(&self.message, |finding| &finding.message) {
            format!("no message holds {:?}", self.message.as_deref().unwrap_or_default())
        } else if !holds(&self.remedy, |finding| &finding.remedy) {
            format!("no remedy holds {:?}", self.remedy.as_deref().unwrap_or_default())
        } else if self.coverage.as_deref().is_some_and(|wanted| wanted != coverage_word(analysis.coverage)) {
            format!("coverage is {}", coverage_word(analysis.coverage))
        } else {
            return None;
        };
        let findings: Vec<_> =
            decision.findings.iter().map(|one| format!("{} {}", outcome_word(one.outcome), one.rule)).collect();
        let effects: Vec<_> =
            analysis.effects.iter().map(|one| format!("{} `{}`", one.operation, one.target)).collect();
        Some(format!("{problem} (findings {findings:?}, effects {effects:?}, {:?})", analysis.reasons))
    }
}

fn has(finding: &crate::Finding, name: &str, value: &str) -> bool {
    finding.tags.iter().any(|(tag, text)| tag == name && text == value)
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Abstain => "abstain",
        Outcome::Allow => "allow",
        Outcome::Warn => "warn",
        Outcome::Ask => "ask",
        Outcome::Deny => "deny",
    }
}

fn coverage_word(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Complete => "complete",
        Coverage::Partial => "partial",
        Coverage::Unparsed => "unparsed",
    }
}

/// Returns the host's analysis of a tool without a command: one effect for each path of a file tool, and for the
/// filters of a search.
fn analyze_tool(tool: &str, input: &Value) -> Analysis {
    let (kind, operation, severity) = match tool {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => ("write", "fs.write", Severity::Notable),
        "Read" | "Glob" | "Grep" => ("read", "fs.read", Severity::Routine),
        "WebFetch" => ("network", "network.request", Severity::Routine),
        _ => ("", "", Severity::Routine),
    };
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let narrowed = match tool {
        "Glob" => text("pattern"),
        "Grep" => text("glob"),
        _ => None,
    };
    let narrowed = narrowed.map(|glob| match text("path") {
        Some(folder) if !glob.starts_with('/') => format!("{folder}/{glob}"),
        _ => glob.to_owned(),
    });
    let keys: &[&str] = if kind == "network" { &["url"] } else { &["file_path", "path", "notebook_path"] };
    let paths = keys.iter().filter_map(|key| text(key)).chain(narrowed.as_deref());
    let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
    let spellings = paths.flat_map(|path| {
        let trimmed = path.trim_matches(is_space);
        std::iter::once(path).chain(Some(trimmed).filter(|trimmed| *trimmed != path && !trimmed.is_empty()))
    });
    let effect = |path: &str| Effect {
        kind: kind.to_owned(),
        operation: operation.to_owned(),
        severity,
        target: path.to_owned(),
        path: ResolvedPath::unresolved(if kind == "network" { "" } else { path }),
        command_id: 0,
        certain: true,
        tags: vec![("by".to_owned(), tool.to_owned())],
    };
    let (coverage, effects) = match kind {
        "" => (Coverage::Partial, Vec::new()),
        _ => (Coverage::Complete, spellings.map(effect).collect()),
    };
    Analysis { coverage, reasons: Vec::new(), commands: Vec::new(), effects, scripts: Vec::new() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Call, Error, Manifest, NoSettings};

    /// A policy that always abstains.
    pub(in super::super) struct Silent;

    impl Policy for Silent {
        type Settings = NoSettings;
        const MANIFEST: Manifest = Manifest::EMPTY;

        fn configure(_: NoSettings) -> Result<Self, Error> {
            Ok(Silent)
        }

        fn decide(&self, _: &Call<'_>) -> Result<Decision, Error> {
            Ok(Decision::abstain())
        }
    }

    #[test]
    fn a_payload_is_left_to_the_host_and_all_else_is_run() {
        let suite: Suite = serde_json::from_str(
            r#"{ "cases": [
                { "payload": { "tool_name": "Bash" }, "expect": "deny", "expect-exit": 2 },
                { "input": "ls", "expect": ["abstain", "allow"] },
                { "input": "ls", "expect": "abstain", "near": ["no-ls", "no-cat"] },
                { "id": "X-1", "name": "wrong", "input": { "command": "ls" }, "expect": "deny" },
                { "input": 1, "expect": "abstain" } ] }"#,
        )
        .unwrap();
        let nothing = |_: &str, _: &str, _: &str, _: &str| World::default().analysis;
        let failures = suite.failures::<Silent>(nothing);
        assert_eq!(failures.len(), 2, "{failures:?}");
        assert!(failures[0].starts_with(r#"X-1 wrong {"command":"ls"}: "#), "{failures:?}");
    }
}
