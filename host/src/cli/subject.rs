//! What `check` and `explain` are asked about, and the chain that they ask.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::args::CallArgs;
use crate::cache::{Prepared, prepare};
use crate::call::{Circumstances, ToolCall};
use crate::chain::Chain;
use crate::clock::Clock;
use crate::config::Places;
use crate::engine::Engine;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::facts::paths::lexical;
use crate::facts::real::RealFacts;
use crate::facts::{self, Facts};

/// How long a command waits for another process that makes the same artifact.
const PATIENCE: Duration = Duration::from_secs(60);

/// An error of the user or of the outside world, with the exit code it asks for.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(super) struct Refused {
    pub(super) text: String,
    pub(super) hint: String,
    pub(super) exit: Exit,
}

pub(super) fn refused(exit: Exit, text: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Refused { text: text.into(), hint: hint.into(), exit }.into()
}

/// A chain that is ready, with the clock that its limits need.
pub(super) struct Bench {
    pub(super) chain: Chain,
    pub(super) facts: Arc<dyn Facts>,
    _clock: Clock,
}

impl Bench {
    /// The chain that holds for a project.
    pub(super) fn open(places: &Places, environment: &Environment, project_root: &str) -> anyhow::Result<Self> {
        let prepared = Prepared::open(places, &environment.program, project_root)
            .unwrap_or_else(|| prepare(places, &environment.program, project_root, Instant::now() + PATIENCE));
        let engine = Engine::new()?;
        let clock = Clock::start(engine.clone());
        let facts = Arc::new(RealFacts::new(environment.variables.clone()));
        Ok(Bench { chain: Chain::new(engine, prepared), facts, _clock: clock })
    }
}

/// Where a call from the command line happens.
pub(super) fn circumstances(environment: &Environment, cwd: Option<&str>) -> Circumstances {
    let facts = RealFacts::new(environment.variables.clone());
    let cwd = cwd.map_or_else(|| environment.cwd.clone(), |cwd| lexical(cwd, &environment.cwd, &environment.home));
    let project_root = facts::git_root(&facts, &cwd, &environment.home).unwrap_or_else(|| cwd.clone());
    Circumstances {
        cwd,
        project_root,
        home: environment.home.clone(),
        harness: "command-line".to_owned(),
        ..Circumstances::default()
    }
}

/// The call that the arguments name.
pub(super) fn call(args: &CallArgs) -> anyhow::Result<ToolCall> {
    let input = args.input.clone().unwrap_or_default();
    tool_call(&args.tool, Value::String(input))
}

/// A call of `tool`. A text is the command of a shell, or else the input's JSON.
pub(super) fn tool_call(tool: &str, input: Value) -> anyhow::Result<ToolCall> {
    let input: Map<String, Value> = match input {
        Value::Object(object) => object,
        Value::String(text) if matches!(tool, "Bash" | "PowerShell") => match json!({ "command": text }) {
            Value::Object(object) => object,
            _ => Map::new(),
        },
        Value::String(text) => serde_json::from_str(&text).map_err(|error| {
            refused(
                Exit::Data,
                format!("the input of `{tool}` is no JSON object: {error}"),
                "give an object, such as '{\"file_path\": \"a.txt\"}'",
            )
        })?,
        _ => return Err(refused(Exit::Data, "`input` is neither an object nor a string", "")),
    };
    Ok(ToolCall::new(tool, input))
}
