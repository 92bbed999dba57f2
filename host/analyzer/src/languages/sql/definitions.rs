//! Functions and procedures that a text defines and then calls. Their bodies run like statements.

use super::tokens::Token;

/// The maximum number of definitions in one text.
const DEFINITIONS: usize = 64;

/// The maximum position of a definition's kind in a statement: `create or replace function`.
const HEAD: usize = 6;

/// The defined names of a text, with their bodies.
#[derive(Default)]
pub(super) struct Definitions {
    bodies: Vec<(String, Vec<String>)>,
}

impl Definitions {
    /// Records a statement's definition.
    pub(super) fn note(&mut self, statement: &[Token<'_>]) {
        if self.bodies.len() < DEFINITIONS
            && let Some(definition) = definition(statement)
        {
            self.bodies.push(definition);
        }
    }

    /// Returns the bodies that a statement calls.
    pub(super) fn called(&self, statement: &[Token<'_>]) -> Vec<String> {
        let verbs = ["call", "select", "exec", "execute", "perform", "do", "begin"];
        if self.bodies.is_empty() || !statement.first().is_some_and(|first| verbs.iter().any(|verb| first.is(verb))) {
            return Vec::new();
        }
        let calls = |name: &String| {
            let is_name = |token: &Token<'_>| named(token).is_some_and(|word| word.eq_ignore_ascii_case(name));
            statement.iter().skip(1).any(is_name)
        };
        self.bodies.iter().filter(|(name, _)| calls(name)).flat_map(|(_, bodies)| bodies.iter().cloned()).collect()
    }
}

fn named<'t>(token: &Token<'t>) -> Option<&'t str> {
    match token {
        Token::Word(name) | Token::Name(name) => Some(name),
        _ => None,
    }
}

/// Returns the name and the bodies of a statement's definition: texts in it, and the text after its parameters.
fn definition(statement: &[Token<'_>]) -> Option<(String, Vec<String>)> {
    statement.first().filter(|first| first.is("create") || first.is("alter"))?;
    let is_kind = |token: &Token<'_>| ["function", "procedure", "proc"].iter().any(|kind| token.is(kind));
    let at = statement.iter().take(HEAD).position(is_kind)?;
    let open = statement.iter().position(|token| *token == Token::Sign('(')).unwrap_or(statement.len());
    let name = statement.get(at + 1..open)?.iter().rev().find_map(named)?.to_owned();
    let mut bodies: Vec<String> = statement
        .iter()
        .filter_map(|token| match token {
            Token::Text(text) => Some((*text).to_owned()),
            _ => None,
        })
        .collect();
    let close = statement.iter().position(|token| *token == Token::Sign(')'))?;
    let words = statement.get(close + 1..)?.iter().filter_map(named);
    bodies.push(words.collect::<Vec<_>>().join(" "));
    Some((name, bodies))
}
