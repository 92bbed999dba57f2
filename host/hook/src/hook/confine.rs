//! The setting `confine`: runs calls of its classes through `guard-host run`, if the harness's reply can change the
//! input. Otherwise the call needs confirmation, and the message names the confined command.

use guard_chain::Trace;
use guard_config::ConfineClass;
use guard_contract::Outcome;
use guard_contract::call::{Dialect, ToolCall};
use guard_contract::shell_word::{quoted, word};
use guard_contract::syntax::{Analysis, Command, Effect};
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_harness::capabilities::Rewrites;
use serde_json::{Map, Value};

/// The name of the host's opinions here.
const CONFINE: &str = "confine";

/// The key of the command in a tool's input.
const COMMAND: &str = "command";

/// The wrapper whose command is already confined.
const RUN: &str = "guard-host";

/// Wrappers after which a command runs on another machine, or in a container.
const ELSEWHERE: &[&str] = &["ssh", "container"];

/// Programs that run a script.
const INTERPRETERS: &[&str] = &[
    ".",
    "bash",
    "bun",
    "dash",
    "deno",
    "elixir",
    "fish",
    "groovy",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "pwsh",
    "python",
    "python2",
    "python3",
    "Rscript",
    "ruby",
    "sh",
    "source",
    "ts-node",
    "tsx",
    "zsh",
];

/// Languages of queries and filters, which aren't confined.
const FILTERS: &[&str] = &["awk", "jq", "sed", "sql"];

/// Programs that run the scripts and build files of a project and its packages, with the verbs that do so. Without
/// verbs, every call does. An empty verb means a call without one.
const SCRIPT_RUNNERS: &[(&[&str], &[&str])] = &[
    (
        &["npm", "pnpm", "yarn", "bun"],
        &[
            "",
            "add",
            "build",
            "ci",
            "create",
            "dlx",
            "exec",
            "i",
            "init",
            "install",
            "rebuild",
            "restart",
            "run",
            "run-script",
            "start",
            "stop",
            "t",
            "test",
            "update",
            "upgrade",
            "x",
        ],
    ),
    (&["npx", "pnpx", "bunx", "uvx", "corepack"], &[]),
    (
        &["make", "gmake", "bmake", "ninja", "just", "task", "rake", "ant", "invoke", "tox", "nox", "scons", "bazel"],
        &[],
    ),
    (&["mvn", "mvnw", "gradle", "gradlew", "sbt", "lein", "mix", "meson", "cmake"], &[]),
    (
        &["cargo"],
        &["b", "bench", "build", "c", "check", "clippy", "d", "doc", "install", "nextest", "r", "run", "t", "test"],
    ),
    (&["go"], &["generate", "run", "test"]),
    (&["pip", "pip3"], &["install", "wheel"]),
    (&["uv"], &["add", "build", "pip", "run", "sync", "tool"]),
    (&["poetry", "pdm", "hatch", "rye", "pipenv"], &["add", "build", "install", "run", "sync", "test"]),
    (&["composer"], &["", "exec", "install", "require", "run", "run-script", "update"]),
    (&["bundle", "gem"], &["", "exec", "install"]),
    (&["dotnet", "swift", "zig"], &["build", "publish", "restore", "run", "test"]),
    (&["pytest", "py.test", "jest", "vitest", "mocha", "phpunit", "rspec"], &[]),
];

/// How a call can be confined.
pub(super) struct Confinement<'a> {
    /// The classes to confine.
    pub(super) classes: &'a [ConfineClass],
    /// How the reply can replace the input.
    pub(super) rewrites: Rewrites,
    /// The input as the harness sent it.
    pub(super) input: Option<&'a Map<String, Value>>,
    /// This program.
    pub(super) program: &'a str,
    /// Checks whether the kernel supports it, and returns the reason if not.
    pub(super) supported: &'a dyn Fn() -> Result<(), String>,
}

impl Confinement<'_> {
    /// Returns the verdict with the input that runs the call confined, or with an ask if that isn't possible.
    ///
    /// Denies and calls that the configuration allows don't change.
    pub(super) fn applied(&self, verdict: Verdict, calls: &[ToolCall], traces: &[Trace]) -> Verdict {
        if self.classes.is_empty() || matches!(verdict.outcome, Outcome::Deny | Outcome::Allow) || verdict.is_allowed()
        {
            return verdict;
        }
        let mut found = calls.iter().zip(traces).filter_map(|(call, trace)| {
            let (text, dialect) = call.command()?;
            let class = class(trace.analysis.as_deref()?, self.classes).filter(|_| dialect == Dialect::Bash)?;
            Some((text, class))
        });
        let Some((text, class)) = found.next() else { return verdict };
        let name = class_name(class);
        let option = if verdict.outcome == Outcome::Ask { "--confirmed " } else { "" };
        let line = |option: &str| format!("{} run {option}-- bash -c {}", word(self.program), quoted(text));
        let said = |outcome, text: String, remedy: String| {
            Verdict::all([verdict.clone(), merge([Opinion::from_host(CONFINE, name, outcome, text, remedy)])])
        };
        if let Err(why) = (self.supported)() {
            let remedy = "say why it is needed, so that the user can approve it".to_owned();
            return said(Outcome::Ask, format!("`confine` is set, and this call can't be confined: {why}"), remedy);
        }
        let own = self.input.filter(|input| input.get(COMMAND).and_then(Value::as_str) == Some(text));
        match own.filter(|_| calls.len() == 1 && self.rewrites != Rewrites::Never) {
            Some(input) => {
                let told =
                    "runs confined by `guard-host run`: other writes and connections than the analysis finds fail";
                let mut verdict = said(Outcome::Warn, told.to_owned(), String::new());
                let mut input = input.clone();
                input.insert(COMMAND.to_owned(), Value::String(line(option)));
                verdict.input = Some(input);
                verdict
            }
            None => said(Outcome::Ask, "this call would run unconfined".to_owned(), line(option)),
        }
    }
}

fn class_name(class: ConfineClass) -> &'static str {
    match class {
        ConfineClass::Scripts => "scripts",
        ConfineClass::PackageScripts => "package-scripts",
        ConfineClass::UnknownPrograms => "unknown-programs",
    }
}

/// Returns the first class with a command of the call that isn't already confined.
fn class(analysis: &Analysis, classes: &[ConfineClass]) -> Option<ConfineClass> {
    let is_here = |command: &Command| {
        let is_remote = |kind: &str| kind == RUN || ELSEWHERE.contains(&kind);
        program(command) != RUN && !command.via.iter().any(|via| is_remote(&via.kind))
    };
    let command = |id: u32| analysis.commands.iter().find(|command| command.id == id);
    let is_unknown =
        |effect: &Effect| effect.operation == "execute.unknown" && command(effect.command_id).is_none_or(is_here);
    let any = |is_of: fn(&Command) -> bool| analysis.commands.iter().any(|command| is_here(command) && is_of(command));
    classes.iter().copied().find(|class| match class {
        ConfineClass::UnknownPrograms => analysis.effects.iter().any(is_unknown),
        ConfineClass::PackageScripts => any(runs_scripts_of_packages),
        ConfineClass::Scripts => {
            let is_script = |script: &guard_contract::syntax::Script| {
                !FILTERS.contains(&script.language.as_str()) && command(script.command_id).is_none_or(is_here)
            };
            analysis.scripts.iter().any(is_script) || any(runs_script)
        }
    })
}

/// Returns the program's name without its folder.
fn program(command: &Command) -> &str {
    let name = command.argv.first().map_or("", |word| word.text.as_str());
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns the first operand.
fn operand(command: &Command) -> Option<&str> {
    command.argv.iter().skip(1).map(|word| word.text.as_str()).find(|word| !word.starts_with('-'))
}

fn runs_script(command: &Command) -> bool {
    let is_of_file = command.via.iter().any(|via| via.kind == "script");
    is_of_file || INTERPRETERS.contains(&program(command)) && operand(command).is_some()
}

fn runs_scripts_of_packages(command: &Command) -> bool {
    let verb = operand(command).unwrap_or_default();
    let mut rows = SCRIPT_RUNNERS.iter().filter(|(names, _)| names.contains(&program(command)));
    rows.any(|(_, verbs)| verbs.is_empty() || verbs.contains(&verb))
}
