//! [`Expression`]: compiles and evaluates CEL. Only this module uses the engine.

use std::collections::HashMap;
use std::sync::Arc;

use cel::common::types::{CelBool, CelString};
use cel::parser::PrattParser;
use cel::{Context, Env, ExecutionError, IdedExpr, Value};
use guard_sdk::serde_json;
use policy_input_document::KEYS;

use crate::{names, shapes};

/// The name of the settings' data in an expression.
const DATA: &str = "data";

/// Names of types, and prefixes of functions.
const TYPES: [&str; 12] =
    ["bool", "bytes", "double", "dyn", "int", "list", "map", "null_type", "string", "strings", "type", "uint"];

/// The maximum length of an expression in bytes.
const BYTES: usize = 64 << 10;

/// The size limit of a compiled pattern in bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Expression {
    /// The location in the settings, for messages.
    place: String,
    parsed: IdedExpr,
}

/// The variables of an expression for one call.
pub(crate) struct Variables {
    context: Context<'static, 'static>,
}

impl Variables {
    /// # Errors
    ///
    /// If the engine rejects the variables, which doesn't happen with these names.
    pub(crate) fn new(document: serde_json::Value, data: &serde_json::Value) -> Result<Self, String> {
        let mut context = Context::with_env(Arc::new(environment().map_err(|error| error.to_string())?));
        let serde_json::Value::Object(document) = document else { return Err("the call is no object".to_owned()) };
        for (name, value) in document {
            context.add_variable_from_value(name, value_from_json(&value));
        }
        context.add_variable_from_value(DATA, value_from_json(data));
        Ok(Variables { context })
    }
}

impl Expression {
    /// # Errors
    ///
    /// If the text isn't a valid expression, or uses an unknown name.
    pub(crate) fn new(place: String, text: &str) -> Result<Self, String> {
        if text.len() > BYTES {
            return Err(format!("{place}: it is longer than {BYTES} bytes"));
        }
        let parsed = PrattParser::new().parse(text).map_err(|errors| {
            let first = errors.errors.first();
            let (line, column) = first.map_or((1, 1), |error| error.pos);
            let message = first.map_or("it is no expression", |error| error.msg.as_str());
            format!("{place}, {line}:{column}: {}", message.trim_start_matches("Syntax error: "))
        })?;
        if let Some((word, problem)) = shapes::find_broken(&parsed) {
            return Err(format!("{place}, {}: {problem}", position(text, &word)));
        }
        if let Some(name) = names::unknown_name(&parsed, &[&KEYS[..], &[DATA], &TYPES].concat()) {
            let names = KEYS.into_iter().chain([DATA]).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return Err(format!("{place}: there is no `{name}`; an expression begins with {names}"));
        }
        for pattern in names::patterns(&parsed) {
            compile_regex(pattern)
                .map_err(|error| format!("{place}: `{pattern}` is no regular expression: {error}"))?;
        }
        Ok(Expression { place, parsed })
    }

    /// Returns whether the condition is true.
    ///
    /// # Errors
    ///
    /// If it can't be evaluated, or isn't a boolean.
    pub(crate) fn is_true(&self, variables: &Variables) -> Result<bool, String> {
        match self.value(variables)? {
            Value::Bool(holds) => Ok(holds),
            other => Err(format!("{} gives {}, which is neither true nor false", self.place, other.type_of())),
        }
    }

    /// Evaluates an expression to a text.
    ///
    /// # Errors
    ///
    /// If it can't be evaluated, or isn't a text.
    pub(crate) fn text(&self, variables: &Variables) -> Result<String, String> {
        match self.value(variables)? {
            Value::String(text) => Ok(text.as_str().to_owned()),
            other => Err(format!("{} gives {}, which is no text", self.place, other.type_of())),
        }
    }

    fn value(&self, variables: &Variables) -> Result<Value, String> {
        let value = variables.context.resolve(&self.parsed);
        value.map_err(|error| format!("{}: {}", self.place, shorten_error(&error.to_string())))
    }
}

/// Returns the line and column of a word's first occurrence.
fn position(text: &str, word: &str) -> String {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let mut places = text.match_indices(word).map(|(at, _)| at);
    let stands_alone = |at: &usize| {
        let (before, rest) = text.split_at_checked(*at).unwrap_or_default();
        !is_part(before.chars().next_back()) && !is_part(rest.chars().nth(word.chars().count()))
    };
    let before = places.find(stands_alone).and_then(|at| text.get(..at)).unwrap_or_default();
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    format!("{}:{column}", before.matches('\n').count() + 1)
}

/// The standard functions, the text functions, and `matches`.
fn environment() -> Result<Env, cel::DeclarationError> {
    let mut environment = Env::stdlib();
    environment.add_extension(cel::extensions::strings)?;
    cel::add_member_overload!(environment, fn matches: (CelString, CelString) -> Result<CelBool>)?;
    Ok(environment)
}

/// Returns whether a pattern matches a part of the text. The engine's own function would embed the Unicode tables.
fn matches(text: &CelString<'_>, pattern: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let pattern = compile_regex(pattern.inner()).map_err(|error| ExecutionError::function_error("matches", error))?;
    Ok(CelBool::from(pattern.is_match(text.inner())))
}

fn compile_regex(pattern: &str) -> Result<regex_lite::Regex, regex_lite::Error> {
    regex_lite::RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build()
}

/// Integers are signed, like the literals in expressions.
fn value_from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or(f64::NAN)), Value::Int)
        }
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(items) => Value::List(Arc::new(items.iter().map(value_from_json).collect())),
        serde_json::Value::Object(object) => {
            let of_entry = |(name, value): (&String, &serde_json::Value)| (name.clone(), value_from_json(value));
            Value::from(object.iter().map(of_entry).collect::<HashMap<String, Value>>())
        }
    }
}

/// The engine's errors contain whole values.
fn shorten_error(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
