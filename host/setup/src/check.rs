//! [`check`] tests every policy of a chain, for `config check`, `policy add` and `doctor`.
//!
//! Preparing the chain already reads the configuration and runs the examples. [`check`] then gives every policy its
//! settings, which compiles their patterns and texts, and has it decide calls of all kinds. It reports faults and
//! logged warnings, and changes nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::install::{FoundHook, HookLocation, InstallOptions};
use crate::oversights::{is_overridden, unused_allow};
use guard_config::{Overrides, refused_settings};
use guard_contract::Layer;
use guard_contract::allow::Allow;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::{Entry, Source};
use guard_contract::shell_word::{quoted, word};
use guard_contract::verdict::Attributed;
use guard_contract::{FaultKind, Level, Limits, Outcome, Problem};
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_hook::cache::{BuildOptions, Member, Prepared, Readiness, prepare_for};
use guard_hook::chain::{AskOptions, Chain, Step};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::files::read_text;

/// The maximum size of a configuration file, in bytes.
const CONFIG_BYTES: u64 = 1 << 20;

/// The maximum number of allows that are checked.
const ALLOWS: usize = 64;

/// The maximum number of a policy's examples that are decided with its settings.
const EXAMPLES: usize = 8;

/// The subjects of mistakes in the configuration, and of policies that fail.
pub(crate) const CONFIGURATION: &str = "configuration";
pub(crate) const POLICIES: &str = "policies";

/// A mistake in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The affected policy. `None` if a whole layer is affected, or no policy.
    pub policy: Option<String>,
    /// The part of the setup that has the mistake: a fixed word.
    pub subject: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The error, its place and the hint.
    pub problem: Problem,
}

/// The severity of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something can't be used.
    Error,
    /// Everything works, but the guard blocks less here than its files say.
    Gap,
    /// Everything works, but a part of the configuration has no effect here.
    Warning,
}

/// What [`check`] has the policies do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Nothing: only files are examined.
    Files,
    /// Policies read their settings.
    Settings,
    /// Policies decide calls of all kinds.
    Calls,
}

impl Mistake {
    pub(crate) fn new(severity: Severity, problem: Problem) -> Self {
        Mistake { policy: None, subject: CONFIGURATION, severity, problem }
    }

    /// Returns whether everything works regardless.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.severity != Severity::Error
    }

    /// Returns whether the policy failed instead of giving an answer.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        self.subject == POLICIES
    }

    /// Returns the severity's name: `error` or `warning`.
    #[must_use]
    pub fn level(&self) -> &'static str {
        if self.is_warning() { "warning" } else { "error" }
    }

    /// Returns the file, and the line and column if they are known.
    #[must_use]
    pub fn place(&self) -> (&str, Option<(usize, usize)>) {
        let mut parts = self.problem.place.rsplitn(3, ':');
        let (column, line, file) = (parts.next(), parts.next(), parts.next());
        let number = |part: Option<&str>| part?.parse().ok();
        match (file, number(line), number(column)) {
            (Some(file), Some(line), Some(column)) => (file, Some((line, column))),
            _ => (&self.problem.place, None),
        }
    }
}

/// Returns all mistakes of a chain. Empty if every policy works.
#[must_use]
pub fn check(prepared: Prepared, environment: &Environment, project: &str, depth: Depth) -> Vec<Mistake> {
    let mut found = CheckResults::default();
    for problem in prepared.config.problems.iter().chain(&prepared.config.warnings) {
        found.add(None, problem.clone());
    }
    for Member { entry, readiness } in &prepared.members {
        if let Some(problem) = entry.ignored_settings() {
            let text = format!("{}; the defaults of `{}` hold", problem.text, entry.name);
            found.add(Some(entry), Problem { text, ..problem.clone() });
        }
        for problem in &entry.settings_source.ignored {
            found.add_beside(entry, problem.clone());
        }
        if let Some(problem) = entry.broken_settings() {
            found.add(Some(entry), problem.clone());
        }
        if let Readiness::Broken(fault) = readiness {
            found.push(Some(entry), fault_problem(entry, fault, None), true);
        }
    }
    let has_settings = |member: &Member| !has_defaults(&member.entry);
    if depth == Depth::Files || depth == Depth::Settings && !prepared.members.iter().any(has_settings) {
        return found.mistakes;
    }
    match Engine::new() {
        Ok(engine) if depth == Depth::Settings => configure(&engine, &prepared, &mut found),
        Ok(engine) => decide(engine, prepared, environment, project, &mut found),
        Err(fault) => {
            let problem = Problem {
                layer: Layer::User,
                place: String::new(),
                text: format!("the sandbox cannot start on this machine: {fault}"),
                hint: "the machine must let programs map files as code".to_owned(),
            };
            found.add(None, problem);
        }
    }
    found.mistakes
}

/// Returns all mistakes in files that only registered hooks use: settings of the policies that they select, and their
/// configuration files.
#[must_use]
pub fn registration_mistakes(
    site: HookLocation<'_>,
    projects: &[String],
    making: Option<BuildOptions>,
    depth: Depth,
) -> Vec<Mistake> {
    let program = &site.environment.program;
    let mut found = CheckResults::default();
    for (config, overrides) in registered(site) {
        let dirs = &AppDirs { config, ..site.dirs.clone() };
        let mut prepared = Prepared::open_with(dirs, program, projects, &overrides)
            .unwrap_or_else(|| prepare_for(dirs, program, projects, &overrides, making));
        if let Some(only) = &overrides.only {
            prepared.members.retain(|member| only.contains(&member.entry.name));
        }
        let mistakes = check(prepared, site.environment, &site.project.to_string_lossy(), depth);
        mistakes.into_iter().for_each(|mistake| found.note(mistake));
    }
    found.mistakes
}

/// Returns the configuration file and command-line overrides of each registered hook that doesn't use the defaults.
fn registered(site: HookLocation<'_>) -> Vec<(PathBuf, Overrides)> {
    let all = guard_harness::ALL.iter().filter_map(|harness| crate::registration(harness.name()));
    let mut found: Vec<FoundHook> = Vec::new();
    all.for_each(|registration| found.extend(registration.survey(&InstallOptions::default(), site).found));
    for file in named_files(site) {
        let named = InstallOptions { hooks_file: Some(file), ..InstallOptions::default() };
        let usual = crate::registration(guard_harness::default().name());
        usual.into_iter().for_each(|registration| found.extend(registration.survey(&named, site).found));
    }
    let usual = &site.dirs.config;
    let mut additions = Vec::new();
    for FoundHook { config, only, settings, foreign, .. } in found {
        // A repository can't choose the user's configuration file.
        let config = config.filter(|_| !foreign);
        let overrides = Overrides { only: (!only.is_empty()).then_some(only), settings };
        let addition = (config.unwrap_or_else(|| usual.clone()), overrides);
        if addition != (usual.clone(), Overrides::default()) && !additions.contains(&addition) {
            additions.push(addition);
        }
    }
    additions
}

/// Returns the hooks files that were given to `install`, and those of plugins. Settings of Claude Code in other
/// projects don't apply here.
pub(crate) fn named_files(site: HookLocation<'_>) -> Vec<PathBuf> {
    let (mut files, _) = guard_state::registrations::list_registered(&site.dirs.state);
    let is_json = |file: &PathBuf| file.extension().is_some_and(|end| end == "json") && file.exists();
    files.retain(|file| is_json(file) && !file.ends_with("settings.json") && !file.ends_with("settings.local.json"));
    files
}

/// Returns whether the entry is a built-in policy without settings from a person. Built-ins accept their defaults.
fn has_defaults(entry: &Entry) -> bool {
    let settings: Map<String, Value> = serde_json::from_str(&entry.settings).unwrap_or_default();
    matches!(entry.source, Source::Builtin(_)) && settings.keys().all(|key| key == "places")
}

/// Has every policy read its settings. A policy with a snapshot already has.
fn configure(engine: &Engine, prepared: &Prepared, found: &mut CheckResults) {
    let _clock = Clock::start(engine.clone());
    for Member { entry, readiness } in &prepared.members {
        let Readiness::Ready { artifact, snapshot: None, .. } = readiness else { continue };
        if has_defaults(entry) || found.broken.contains(&(entry.layer, entry.name.clone())) {
            continue;
        }
        let configured = artifact.policy(engine).and_then(|policy| policy.configure(Limits::PREPARE, &entry.settings));
        if let Err(fault) = configured {
            found.push(Some(entry), fault_problem(entry, &fault, None), true);
        }
    }
}

/// Has every policy decide calls of all kinds.
fn decide(engine: Engine, prepared: Prepared, environment: &Environment, project: &str, found: &mut CheckResults) {
    let _clock = Clock::start(engine.clone());
    let mut calls = calls(project);
    for member in &prepared.members {
        let Readiness::Ready { manifest, .. } = &member.readiness else { continue };
        let example = |(tool, input): (&str, &str)| Some(ToolCall::new(tool, serde_json::from_str(input).ok()?));
        let examples = manifest.examples.iter().take(EXAMPLES);
        calls.extend(examples.filter_map(|one| example((one.tool.as_str(), one.input.as_str()))));
        // Tools of the manifest that no call above uses.
        let plain = manifest.tools.iter().filter(|tool| !tool.contains(['*', '?', '[', '{']));
        let missing: Vec<&String> = plain.filter(|tool| !calls.iter().any(|call| call.tool == **tool)).collect();
        calls.extend(missing.into_iter().map(|tool| ToolCall::new(tool, Map::new())));
    }
    let chain = Chain::new(engine, prepared);
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(environment.variables.clone()));
    let at = CallContext {
        cwd: project.to_owned(),
        project_root: project.to_owned(),
        home: environment.home.clone(),
        account_home: environment.account_home.clone(),
        ..CallContext::default()
    };
    found.look_at_allows(&chain, &at, &facts);
    for call in &calls {
        let trace = chain.decide(call, &at, &facts, AskOptions::default());
        // Two layers may each have a policy with the same name. The steps are in the order of the chain.
        let mut members = chain.prepared.members.iter();
        for step in &trace.steps {
            if let Some(member) = members.find(|member| member.entry.name == step.policy) {
                found.look(&member.entry, call, step);
            }
        }
    }
}

/// Returns a call of each kind. Some have content that policies look for.
fn calls(project: &str) -> Vec<ToolCall> {
    let file = format!("{project}/a.txt");
    let calls = [
        ("Bash", json!({ "command": "ls -la" })),
        ("Bash", json!({ "command": "sudo git push --force origin main > log; rm -rf build && cat .env | $X" })),
        ("PowerShell", json!({ "command": "Get-ChildItem" })),
        ("Write", json!({ "file_path": file, "content": "text" })),
        ("Edit", json!({ "file_path": file, "old_string": "a", "new_string": "b" })),
        ("Read", json!({ "file_path": file })),
        ("WebFetch", json!({ "url": "https://example.org/", "prompt": "read it" })),
        ("mcp__server__tool", json!({ "a": [1, null, "text"] })),
    ];
    let call = |(tool, input): (&str, Value)| Some(ToolCall::new(tool, input.as_object()?.clone()));
    calls.into_iter().filter_map(call).collect()
}

#[derive(Default)]
struct CheckResults {
    mistakes: Vec<Mistake>,
    /// The policies that are known to fail.
    broken: BTreeSet<(Layer, String)>,
}

impl CheckResults {
    fn add(&mut self, entry: Option<&Entry>, problem: Problem) {
        self.push(entry, problem, false);
    }

    /// Adds a mistake that doesn't keep the policy from answering.
    fn add_beside(&mut self, entry: &Entry, problem: Problem) {
        self.note(Mistake { policy: Some(entry.name.clone()), ..Mistake::new(Severity::Error, problem) });
    }

    fn push(&mut self, entry: Option<&Entry>, problem: Problem, is_fault: bool) {
        let policy = entry.map(|entry| entry.name.clone());
        if let Some(entry) = entry.filter(|entry| entry.ignored_settings().is_none()) {
            self.broken.insert((entry.layer, entry.name.clone()));
        }
        let subject = if is_fault { POLICIES } else { CONFIGURATION };
        self.note(Mistake { policy, subject, severity: Severity::Error, problem });
    }

    fn note(&mut self, mistake: Mistake) {
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// Reports the user's allows whose own command still asks, except those with a simpler reason to lift nothing.
    fn look_at_allows(&mut self, chain: &Chain, at: &CallContext, facts: &Arc<dyn Facts>) {
        let allows = chain.prepared.config.allows.iter();
        let is_exact = |allow: &&Allow| allow.layer == Layer::User && allow.targets.is_empty() && allow.tool.is_empty();
        let is_reported = |allow: &&Allow| is_overridden(allow, &chain.prepared) || unused_allow(allow).is_some();
        for allow in allows.filter(is_exact).filter(|allow| !is_reported(allow)).take(ALLOWS) {
            let folder = if allow.within.is_empty() { &at.project_root } else { &allow.within };
            let at = CallContext { cwd: folder.clone(), project_root: folder.clone(), ..at.clone() };
            let command = allow.command.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ");
            let call = ToolCall::new("Bash", Map::from_iter([("command".to_owned(), command.clone().into())]));
            let trace = chain.decide(&call, &at, facts, AskOptions::default());
            let named = |asked: &Attributed| allow.rules.is_empty() || allow.rules.contains(&asked.rule());
            // Another ask may keep the call from being allowed.
            if trace.verdict.outcome != Outcome::Ask || !trace.verdict.asks().all(named) {
                continue;
            }
            let why = chain.view().obstacle(&trace.verdict, (&call, &at, &**facts), trace.analysis.as_deref());
            // The user's file is read after the managed one.
            let has_allows =
                |file: &&PathBuf| read_text(file, CONFIG_BYTES).is_ok_and(|text| text.contains("[[allow]]"));
            let file = chain.prepared.config.inputs.iter().rfind(has_allows);
            let place = file.map_or_else(String::new, |file| file.display().to_string());
            let text = format!("the `[[allow]]` for `{}` doesn't cover `{command}`: {why}", allow.subject());
            let hint = format!("see what can cover it: guard-host allow {}", quoted(&command));
            self.note(Mistake::new(Severity::Warning, Problem { layer: allow.layer, place, text, hint }));
        }
    }

    /// Reports a policy's faults and warnings for a call. Only the first fault of a policy is reported.
    fn look(&mut self, entry: &Entry, call: &ToolCall, step: &Step) {
        if self.broken.contains(&(entry.layer, entry.name.clone())) {
            return;
        }
        if let Err(fault) = &step.answer.decision {
            self.push(Some(entry), fault_problem(entry, fault, Some(call)), true);
            return;
        }
        let loud = step.answer.log.iter().filter(|line| matches!(line.level, Level::Error | Level::Warn));
        for line in loud {
            let mistake = Mistake {
                policy: Some(entry.name.clone()),
                subject: POLICIES,
                severity: Severity::Error,
                problem: Problem {
                    layer: entry.layer,
                    place: place(entry),
                    text: format!("it says: {}", line.message),
                    hint: hint_of(&line.message),
                },
            };
            self.note(mistake);
        }
    }
}

/// Returns the hint for a line that a policy logs.
fn hint_of(message: &str) -> String {
    let variable = message.split_once("the variable ").and_then(|(_, rest)| rest.split_once(" is not granted"));
    match variable {
        Some((name, _)) => {
            format!("put `grants = [\"env:{name}\"]` into its entry, or add the policy with `--grant env:{name}`")
        }
        None => "correct the settings of the policy".to_owned(),
    }
}

/// Describes why a policy fails: always, or for this call.
fn fault_problem(entry: &Entry, fault: &FaultKind, call: Option<&ToolCall>) -> Problem {
    if let FaultKind::Refused { text, .. } = fault
        && fault.is_refused_settings()
    {
        return refused_settings(entry, text);
    }
    let told = fault.under(entry.limits);
    let text = match call {
        None => match &entry.source {
            Source::Builtin(_) => format!("it cannot be asked: {told}"),
            Source::File(_) if matches!(fault, FaultKind::Unused { .. }) => told,
            Source::File(path) => format!("it cannot be asked, `{}`: {told}", path.display()),
        },
        Some(call) => format!("it gives no answer to `{} {}`: {told}", call.tool, call.operation()),
    };
    let hint = match fault {
        FaultKind::NotReady => "run `guard-host cache warm`".to_owned(),
        FaultKind::Time | FaultKind::Memory => "raise `limits` in its entry, or repair the policy".to_owned(),
        FaultKind::Settings(_) => "correct its entry".to_owned(),
        _ => fault
            .remedy()
            .unwrap_or_else(|| format!("repair or remove the policy in the {} configuration", entry.layer.name())),
    };
    Problem { layer: entry.layer, place: place(entry), text, hint }
}

fn place(entry: &Entry) -> String {
    let file = &entry.settings_source.file;
    match (&entry.source, file.as_os_str().is_empty()) {
        (Source::Builtin(name), true) => format!("builtin:{name}"),
        (Source::File(path), true) => path.display().to_string(),
        (_, false) => file.display().to_string(),
    }
}

/// Returns the error and its hint in one text.
#[must_use]
pub fn text(mistake: &Mistake) -> String {
    let Problem { text, hint, .. } = &mistake.problem;
    let policy = mistake.policy.as_ref().map_or_else(String::new, |name| format!("policy `{name}`: "));
    if hint.is_empty() { format!("{policy}{text}") } else { format!("{policy}{text}; {hint}") }
}

/// Returns the mistake in one line: place, policy and text.
#[must_use]
pub fn line(mistake: &Mistake) -> String {
    let Problem { place, text, .. } = &mistake.problem;
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    let policy = mistake.policy.as_ref().map_or_else(String::new, |name| format!("policy `{name}`: "));
    // A layer's problem may already start with the policy.
    let policy = if text.starts_with(&policy) { "" } else { &policy };
    format!("{place}{policy}{text}")
}

/// Returns the mistakes as one JSON value.
#[must_use]
pub fn json(policies: usize, mistakes: &[Mistake]) -> Value {
    let row = |mistake: &Mistake| {
        let (file, at) = mistake.place();
        json!({
            "file": file,
            "line": at.map(|(line, _)| line),
            "column": at.map(|(_, column)| column),
            "layer": mistake.problem.layer,
            "policy": mistake.policy,
            "level": mistake.level(),
            "text": mistake.problem.text,
            "hint": mistake.problem.hint,
        })
    };
    json!({
        "ok": mistakes.iter().all(Mistake::is_warning),
        "policies": policies,
        "problems": mistakes.iter().map(row).collect::<Vec<_>>(),
    })
}
