//! The parameters of cmdlets: by name, abbreviated name, or position.

use super::values::{Piece, Text, Value};

/// The common parameters of all cmdlets. A star marks those with a value.
const COMMON: &str = "Verbose Debug WhatIf Confirm ErrorAction* WarningAction* InformationAction* ProgressAction* \
     ErrorVariable* WarningVariable* OutVariable* OutBuffer* PipelineVariable*";

/// Aliases of parameters.
const SHORT: &[(&str, &str)] = &[
    ("ea", "erroraction"),
    ("wa", "warningaction"),
    ("infa", "informationaction"),
    ("ev", "errorvariable"),
    ("ov", "outvariable"),
    ("wi", "whatif"),
    ("cf", "confirm"),
    ("lp", "literalpath"),
    ("pspath", "literalpath"),
    ("args", "argumentlist"),
    ("cn", "computername"),
    ("sb", "scriptblock"),
    ("s", "recurse"),
    ("f", "force"),
    ("dest", "destination"),
    ("type", "itemtype"),
];

/// The arguments of a cmdlet.
#[derive(Default)]
pub(super) struct Bound {
    named: Vec<(String, Value)>,
    pub(super) rest: Vec<Value>,
    /// Whether there is a parameter that the cmdlet doesn't have.
    pub(super) is_odd: bool,
}

impl Bound {
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns whether a switch is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value.literal().as_deref() != Some("false"))
    }

    /// Returns the words of the first given one of these parameters.
    pub(super) fn words(&self, names: &[&str]) -> Vec<Text> {
        names.iter().find_map(|name| self.value(name)).map(|value| value.words.clone()).unwrap_or_default()
    }

    /// Returns the text of a parameter in bash syntax.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name)?.words.first().map(Text::as_written)
    }

    /// Returns the text of a parameter, if it is known.
    pub(super) fn literal(&self, name: &str) -> Option<String> {
        self.value(name)?.literal()
    }

    /// Adds a parameter. All values are kept, so that no code in them is lost.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.named.push((name.to_owned(), value));
    }
}

/// Returns the word's parameter name and the value after a colon, if the word may be a parameter.
pub(super) fn parameter(value: &Value) -> Option<(String, Option<Value>)> {
    let word = value.words.first().filter(|_| value.is_bare)?;
    let Some(Piece::Bare(text)) = word.pieces.first() else { return None };
    let name = text.strip_prefix(['-', '\u{2013}', '\u{2014}'])?;
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '?') {
        return None;
    }
    let Some((name, tail)) = name.split_once(':') else {
        return (word.pieces.len() == 1).then(|| (name.to_lowercase(), None));
    };
    let mut pieces: Vec<Piece> = Vec::new();
    if !tail.is_empty() {
        pieces.push(Piece::Bare(tail.to_owned()));
    }
    pieces.extend(word.pieces.iter().skip(1).cloned());
    let given = (!pieces.is_empty()).then(|| Value {
        words: vec![Text { pieces }],
        code: value.code.clone(),
        ..Value::default()
    });
    Some((name.to_lowercase(), given))
}

/// Binds arguments. `parameters`: the names, with a star after those with a value. `places`: the positional ones.
pub(super) fn bind(arguments: &[Value], parameters: &str, places: &str) -> Bound {
    let known: Vec<(String, bool)> = parameters
        .split_whitespace()
        .chain(COMMON.split_whitespace())
        .map(|name| (name.trim_end_matches('*').to_lowercase(), name.ends_with('*')))
        .collect();
    let mut bound = Bound::default();
    let mut arguments = arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        if argument.splat.is_some() {
            for (key, value) in argument.table.iter().flatten() {
                let name = known.iter().find(|(name, _)| name.starts_with(key.as_str())).map_or(key, |(name, _)| name);
                bound.set(name, value.clone());
            }
            continue;
        }
        let Some((given, value)) = parameter(argument) else {
            bound.rest.push(argument.clone());
            continue;
        };
        let Some((name, takes)) = named(&given, &known) else {
            bound.is_odd = true;
            bound.rest.push(argument.clone());
            continue;
        };
        let value = match value {
            // `-Path: x`.
            Some(value) => value,
            None if takes => arguments.next().cloned().unwrap_or_default(),
            None => Value::of(Text::quoted("true")),
        };
        bound.set(&name, value);
    }
    let mut rest = std::mem::take(&mut bound.rest).into_iter();
    for place in places.split_whitespace().map(str::to_lowercase) {
        if bound.value(&place).is_some() {
            continue;
        }
        let Some(value) = rest.next() else { break };
        bound.set(&place, value);
    }
    bound.rest = rest.collect();
    bound
}

fn named(given: &str, known: &[(String, bool)]) -> Option<(String, bool)> {
    let find = |name: &str| known.iter().find(|(known, _)| known == name).cloned();
    if let Some(found) = find(given) {
        return Some(found);
    }
    if let Some(found) = SHORT.iter().find(|(short, _)| *short == given).and_then(|(_, name)| find(name)) {
        return Some(found);
    }
    known.iter().find(|(name, _)| name.starts_with(given)).cloned()
}
