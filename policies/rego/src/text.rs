//! [`Text`]: a loaded Rego text, ready for queries.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::Outcome;
use guard_sdk::serde_json::{self, Map};
use regorus::unstable::{Expr, Module, Ref, Rule, RuleHead, Span};
use regorus::{Engine, Value};

use crate::lines::{self, Lines};
use crate::names::Names;
use crate::trial::{self, Test};
use crate::{calls, misspelt, names, own, rule_names};

/// The queried package.
const PACKAGE: &str = "guard";

/// The queried rules, the most severe first.
pub(crate) const HEADS: [(Outcome, &str); 4] =
    [(Outcome::Deny, "deny"), (Outcome::Ask, "ask"), (Outcome::Warn, "warn"), (Outcome::Allow, "allow")];

/// The maximum size of all modules in bytes, which is also the host's limit for settings.
const BYTES: usize = 1 << 20;

/// The sources of a text.
pub(crate) struct Sources {
    /// The path of the whole text.
    pub(crate) place: String,
    /// The path and the text of each module.
    pub(crate) modules: Vec<(String, String)>,
    /// The data below `data`.
    pub(crate) data: Map<String, serde_json::Value>,
}

/// A Rego text of one or several modules.
pub(crate) struct Text {
    engine: Engine,
    /// The existing [`HEADS`].
    heads: Vec<&'static str>,
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").field("heads", &self.heads).finish_non_exhaustive()
    }
}

impl Text {
    /// Parses the modules and resolves their names, without evaluating a rule.
    ///
    /// # Errors
    ///
    /// The errors in the modules, with line and column if known.
    pub(crate) fn load(sources: Sources) -> Result<Self, String> {
        let Sources { place, modules, data } = sources;
        if modules.iter().map(|(_, text)| text.len()).sum::<usize>() > BYTES {
            return Err(format!("{place}: it is longer than {BYTES} bytes"));
        }
        let mut engine = Engine::new();
        engine.set_gather_prints(true);
        own::register_functions(&mut engine)?;
        for (file, text) in modules {
            engine.add_policy(file.clone(), text).map_err(|error| format_error(&file, &error))?;
        }
        let names = Names::collect(engine.get_modules(), &data).map_err(|error| format!("{place}: {error}"))?;
        let data = Value::from(serde_json::Value::Object(data));
        engine.add_data(data).map_err(|error| format_error(&place, &error))?;
        // Makes the engine resolve names and order statements, which it otherwise does at the first query.
        engine.eval_query("true".to_owned(), false).map_err(|error| format_error(&place, &error))?;
        if let Some((span, problem)) = calls::find_broken(engine.get_modules(), &names) {
            return Err(format!("{}: {problem}", format_location(&span)));
        }
        let heads = heads(&place, engine.get_modules())?;
        let package_path = format!("data.{PACKAGE}");
        let is_asked = |module: &Module| names::package(module).is_some_and(|package| package == package_path);
        let found = misspelt::find_misspelled(engine.get_modules(), is_asked, &HEADS.map(|(_, head)| head));
        if let Some((span, problem)) = found {
            return Err(format!("{}: {problem}", format_location(span)));
        }
        for rule in
            engine.get_modules().iter().filter(|module| is_asked(module.as_ref())).flat_map(|module| &module.policy)
        {
            if let Some(name) = rule_names::own_name(rule, &heads) {
                let checked = policy_input_document::check_rule_name(&name);
                checked.map_err(|error| format!("{}: {error}", format_location(names::head(rule).span())))?;
            }
        }
        Ok(Self { engine, heads })
    }

    /// Sets `input` to the document of a call.
    pub(crate) fn set_input(&mut self, document: serde_json::Value) {
        self.engine.set_input(Value::from(document));
    }

    /// Returns the value of a rule for the current input, with sets as lists, or null if it is undefined.
    ///
    /// # Errors
    ///
    /// If the evaluation fails.
    pub(crate) fn value(&mut self, head: &str) -> Result<serde_json::Value, String> {
        if !self.heads.contains(&head) {
            return Ok(serde_json::Value::Null);
        }
        match self.evaluate_rule(head, path(head))? {
            Value::Undefined => Ok(serde_json::Value::Null),
            value => serde_json::to_value(value).map_err(|error| format!("`{head}` is no JSON: {error}")),
        }
    }

    fn evaluate_rule(&mut self, name: &str, path: String) -> Result<Value, String> {
        match self.engine.eval_rule(path.clone()) {
            // Rules such as `warn["x"] := ...` have their own paths below the head's.
            Err(error) if error.to_string().contains("not a valid rule path") => {
                let found = self.engine.eval_query(path, false).map_err(|error| format_error(name, &error))?;
                let first = found.result.into_iter().next().and_then(|one| one.expressions.into_iter().next());
                Ok(first.map_or(Value::Undefined, |expression| expression.value))
            }
            answer => answer.map_err(|error| format_error(name, &error)),
        }
    }

    /// Starts recording the evaluated lines.
    pub(crate) fn watch_lines(&mut self) {
        self.engine.set_enable_coverage(true);
    }

    /// Returns the evaluated lines by module.
    pub(crate) fn lines(&mut self) -> BTreeMap<String, Lines> {
        lines::lines(&mut self.engine)
    }

    /// Returns the tests in the modules.
    ///
    /// # Errors
    ///
    /// If a test could never be run.
    pub(crate) fn tests(&mut self) -> Result<Vec<Test>, String> {
        trial::tests(self.engine.get_modules())
    }

    /// Runs a test. `None` if it doesn't exist.
    ///
    /// # Errors
    ///
    /// As in [`Text::tests`].
    pub(crate) fn run(&mut self, name: &str) -> Result<Option<trial::Outcome>, String> {
        let Some(test) = self.tests()?.into_iter().find(|test| test.name == name) else { return Ok(None) };
        self.watch_lines();
        let (passes, why) = match self.evaluate_rule(name, format!("data.{name}")) {
            Ok(Value::Bool(true)) => (true, String::new()),
            Ok(Value::Undefined) => (false, "undefined".to_owned()),
            Ok(value) => (false, value.to_string()),
            Err(error) => (false, error),
        };
        let statements = trial::statements(self.engine.get_modules(), &test);
        let covered = self.lines().remove(&test.file).unwrap_or_default().covered;
        let line = statements.intersection(&covered).last().copied().unwrap_or(test.line);
        Ok(Some(trial::Outcome { passes, why, line }))
    }

    /// Returns the names that the rules report, as far as the text determines them.
    pub(crate) fn rules(&mut self) -> BTreeSet<String> {
        let package_path = format!("data.{PACKAGE}");
        let own = |module: &&Ref<Module>| names::package(module).is_some_and(|package| package == package_path);
        let rules = self.engine.get_modules().iter().filter(own).flat_map(|module| &module.policy);
        rules.filter_map(|rule| rule_names::name(rule, &HEADS.map(|(_, head)| head))).collect()
    }

    /// Takes the printed text since the last call.
    pub(crate) fn prints(&mut self) -> Vec<String> {
        self.engine.take_prints().unwrap_or_default()
    }
}

/// Returns the existing [`HEADS`] of the package.
fn heads(place: &str, modules: &[Ref<Module>]) -> Result<Vec<&'static str>, String> {
    let package_path = format!("data.{PACKAGE}");
    let is_asked = |module: &&Ref<Module>| names::package(module).is_some_and(|package| package == package_path);
    let rules: Vec<&Rule> =
        modules.iter().filter(is_asked).flat_map(|module| &module.policy).map(AsRef::as_ref).collect();
    if !modules.iter().any(|module| is_asked(&module)) {
        let mut packages: Vec<String> = modules.iter().filter_map(|module| names::package(module)).collect();
        packages.dedup();
        let packages = packages.iter().map(|package| format!("`{}`", package.trim_start_matches("data.")));
        let packages = packages.collect::<Vec<_>>().join(", ");
        return Err(format!("{place}: its package is {packages}, and only `package {PACKAGE}` is asked"));
    }
    let mut heads = Vec::new();
    for (_, name) in HEADS {
        let mut named =
            rules.iter().filter(|rule| names::head_name(names::head(rule)).is_some_and(|first| first.text() == name));
        let function = named.clone().find(|rule| matches!(rule, Rule::Spec { head: RuleHead::Func { .. }, .. }));
        if let Some(function) = function {
            let place = format_location(names::head(function).span());
            return Err(format!("{place}: `{name}` is a function, and nobody would call it: make it a rule"));
        }
        // Such a rule maps its key to `true`, which is no message.
        let mapped = named.clone().find_map(|rule| match rule {
            Rule::Spec { head: RuleHead::Compr { refr, assign: None, .. }, .. } => match refr.as_ref() {
                Expr::RefBrack { index, .. } => Some((refr.span(), index.span().text())),
                _ => None,
            },
            _ => None,
        });
        if let Some((span, key)) = mapped {
            let place = format_location(span);
            return Err(format!("{place}: `{name}[{key}] if` has no message: write `{name} contains {key} if`"));
        }
        if named.next().is_some() {
            heads.push(name);
        }
    }
    if heads.is_empty() {
        let names = HEADS.map(|(_, name)| format!("`{name}`")).join(", ");
        return Err(format!("{place}: it has none of the rules {names}, so it would never say anything"));
    }
    Ok(heads)
}

/// Formats a location as `FILE:LINE:COLUMN`.
fn format_location(span: &Span) -> String {
    format!("{}:{}:{}", span.source.get_path(), span.line, span.col)
}

fn path(head: &str) -> String {
    format!("data.{PACKAGE}.{head}")
}

/// Formats an error of the engine as one line, `FILE:LINE:COLUMN: TEXT`, without the source excerpt.
fn format_error(place: &str, error: &impl ToString) -> String {
    let text = error.to_string();
    let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> ")).unwrap_or(place);
    let message = text.split_once("error: ").map_or(text.as_str(), |(_, message)| message);
    let mut message = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    // Texts for older versions of OPA and Conftest have rules such as `deny[msg] { ... }`.
    if message.contains("`if` keyword is required") {
        message.push_str(": write `deny contains msg if { ... }`");
    }
    format!("{place}: {message}")
}
