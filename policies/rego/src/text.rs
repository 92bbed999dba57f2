//! [`Text`]: a text in Rego, loaded and asked. The one place that knows the engine.

use guard_sdk::Outcome;
use guard_sdk::serde_json::{self, Map};
use regorus::unstable::{Rule, RuleHead, Span};
use regorus::{Engine, Value};

use crate::calls;

/// The package that the text must be.
const PACKAGE: &str = "guard";

/// The rules that are asked, the most severe first.
pub(crate) const HEADS: [(Outcome, &str); 4] =
    [(Outcome::Deny, "deny"), (Outcome::Ask, "ask"), (Outcome::Warn, "warn"), (Outcome::Allow, "allow")];

/// The longest text in bytes: the host reads no longer settings either.
const BYTES: usize = 1 << 20;

/// A text in Rego.
pub(crate) struct Text {
    engine: Engine,
    /// Those of [`HEADS`] that it has.
    heads: Vec<&'static str>,
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").field("heads", &self.heads).finish_non_exhaustive()
    }
}

impl Text {
    /// Reads the text of `file` and resolves what it names, without evaluating a rule.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with line and column where there is one.
    pub(crate) fn load(file: String, text: String, data: Map<String, serde_json::Value>) -> Result<Self, String> {
        if text.len() > BYTES {
            return Err(format!("{file}: it is longer than {BYTES} bytes"));
        }
        if data.contains_key(PACKAGE) {
            return Err(format!("`data.{PACKAGE}` is the text itself: give what stands there another name"));
        }
        let mut engine = Engine::new();
        engine.set_gather_prints(true);
        let package = engine.add_policy(file.clone(), text).map_err(|error| told(&file, &error))?;
        if package != format!("data.{PACKAGE}") {
            let package = package.trim_start_matches("data.");
            return Err(format!("{file}: its package is `{package}`, and only `package {PACKAGE}` is asked"));
        }
        let known: Vec<String> = data.keys().cloned().chain([PACKAGE.to_owned()]).collect();
        let data = Value::from(serde_json::Value::Object(data));
        engine.add_data(data).map_err(|error| told(&file, &error))?;
        // Has the engine resolve names and order statements, which it otherwise does at the first question.
        engine.eval_query("true".to_owned(), false).map_err(|error| told(&file, &error))?;
        if let Some((span, problem)) = calls::first_broken(engine.get_modules(), known) {
            return Err(format!("{file}:{}:{}: {problem}", span.line, span.col));
        }
        let mut heads = Vec::new();
        for (_, name) in HEADS {
            if let Some(span) = function(&mut engine, name) {
                let place = format!("{file}:{}:{}", span.line, span.col);
                return Err(format!("{place}: `{name}` is a function, and nobody would call it: make it a rule"));
            }
            if engine.has_declared_rule_rooted_at(&file, name).map_err(|error| told(&file, &error))? {
                heads.push(name);
            }
        }
        if heads.is_empty() {
            let names = HEADS.map(|(_, name)| format!("`{name}`")).join(", ");
            return Err(format!("{file}: it has none of the rules {names}, so it would never say anything"));
        }
        Ok(Self { engine, heads })
    }

    /// Makes the document of a call what the text sees as `input`.
    pub(crate) fn see(&mut self, document: serde_json::Value) {
        self.engine.set_input(Value::from(document));
    }

    /// The value of a rule for what is seen; sets are lists. Null if it has none.
    ///
    /// # Errors
    ///
    /// Evaluation fails.
    pub(crate) fn value(&mut self, head: &str) -> Result<serde_json::Value, String> {
        if !self.heads.contains(&head) {
            return Ok(serde_json::Value::Null);
        }
        let value = match self.engine.eval_rule(path(head)) {
            // Rules such as `warn["x"] := ...` have paths of their own below the head's.
            Err(error) if error.to_string().contains("not a valid rule path") => {
                let found = self.engine.eval_query(path(head), false).map_err(|error| told(head, &error))?;
                let first = found.result.into_iter().next().and_then(|one| one.expressions.into_iter().next());
                first.map_or(Value::Undefined, |expression| expression.value)
            }
            answer => answer.map_err(|error| told(head, &error))?,
        };
        match value {
            Value::Undefined => Ok(serde_json::Value::Null),
            value => serde_json::to_value(value).map_err(|error| format!("`{head}` is no JSON: {error}")),
        }
    }

    /// What the text has printed since it was last asked.
    pub(crate) fn prints(&mut self) -> Vec<String> {
        self.engine.take_prints().unwrap_or_default()
    }
}

/// Where the text makes a function of that name.
fn function(engine: &mut Engine, name: &str) -> Option<Span> {
    let rules = engine.get_modules().iter().flat_map(|module| &module.policy);
    let functions = rules.filter_map(|rule| match rule.as_ref() {
        Rule::Spec { head: RuleHead::Func { refr, .. }, .. } => Some(refr.span().clone()),
        _ => None,
    });
    functions.into_iter().find(|span| span.text() == name)
}

fn path(head: &str) -> String {
    format!("data.{PACKAGE}.{head}")
}

/// An error of the engine in one line, `FILE:LINE:COLUMN: TEXT`. The engine draws the line of the source in between.
fn told(place: &str, error: &impl ToString) -> String {
    let text = error.to_string();
    let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> ")).unwrap_or(place);
    let message = text.split_once("error: ").map_or(text.as_str(), |(_, message)| message);
    let message = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    format!("{place}: {message}")
}
