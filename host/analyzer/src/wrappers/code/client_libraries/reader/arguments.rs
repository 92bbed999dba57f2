//! The arguments after a name, and methods that are passed as arguments.

use super::super::phrases::parts;
use super::super::tokens::Token;
use super::{MAX_ARGUMENTS, MAX_DEPTH, Reader};

/// Calls that limit a request to some rows. `neq` selects nearly all.
const CONDITIONS: &[&str] = &["contains", "eq", "filter", "filter_by", "in", "in_", "match", "where", "whereIn"];

/// Verbs of methods that count even if code passes them on without calling them.
const STRONG: &[&str] = &["delete", "destroy", "drop", "purge", "remove", "terminate", "truncate"];

/// Words in the names of properties: `delete_on_termination`, `deleteMarkers`.
const PROPERTIES: &[&str] = &["at", "by", "marker", "markers", "on", "time", "url"];

impl<'t> Reader<'t> {
    /// Returns whether a method is passed on without a call, as in `submit(client.delete_bucket, x)`.
    pub(super) fn is_handed_on(&self, at: usize, name: &str) -> bool {
        let parts = parts(name);
        let is_method = parts.len() > 1
            && parts.first().is_some_and(|verb| STRONG.contains(&verb.as_str()))
            && !parts.iter().any(|part| PROPERTIES.contains(&part.as_str()));
        let bracket = self.outer.last().map(|(open, _)| *open);
        let is_named = || self.bound.iter().any(|name| self.called.contains(name));
        is_method
            && match (bracket, self.next(at)) {
                (Some('c'), Some(Token::Sign(',' | ')'))) => true,
                (Some('{' | '['), Some(Token::Sign(',' | '}' | ']' | '\n'))) => true,
                (Some('('), Some(Token::Sign(')'))) => self.next(at + 1) == Some(Token::Sign('(')),
                (_, None | Some(Token::Sign('\n' | ';'))) => is_named(),
                _ => false,
            }
    }

    /// Returns the first literal in the arguments after a name.
    pub(super) fn literal(&self, at: usize) -> Option<&'t str> {
        let behind = self.tokens.get(at + 1..)?;
        let from = usize::from(behind.first() == Some(&Token::Sign('(')));
        let arguments = behind.get(from..)?.iter().take(MAX_ARGUMENTS);
        let mut inside = arguments.take_while(|token| !matches!(token, Token::Sign(')' | ';') | Token::Arrow));
        inside.find_map(|token| match token {
            Token::Text(text) => Some(*text),
            _ => None,
        })
    }

    /// Returns the arguments after a name, up to a callback.
    pub(super) fn given(&self, at: usize) -> &'t [Token<'t>] {
        let behind = self.tokens.get(at + 1..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = behind.iter().take(MAX_ARGUMENTS).position(|token| {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 || matches!(token, Token::Sign(';') | Token::Arrow)
        });
        behind.get(..end.unwrap_or(MAX_ARGUMENTS.min(behind.len()))).unwrap_or_default()
    }

    /// Returns whether the call has no argument or an empty filter, and whether a condition comes before or after it.
    pub(super) fn arguments(&self, at: usize) -> (bool, bool) {
        let behind = self.tokens.get(at + 1..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = behind.iter().take(MAX_DEPTH).position(|token| {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let (inside, after) = behind.split_at_checked(end.map_or(0, |end| end + 1)).unwrap_or((&[], behind));
        let is_empty = |pair: &[Token<'_>]| pair == [Token::Sign('{'), Token::Sign('}')];
        let nothing = inside.len() <= 2 || inside.windows(2).take(4).any(is_empty);
        let is_condition = |name: &str| CONDITIONS.contains(&name);
        let before = self.chain.as_ref().is_some_and(|chain| chain.names.iter().any(|name| is_condition(name)));
        let mut follows =
            after.windows(2).take(MAX_ARGUMENTS).take_while(|pair| !matches!(pair, [Token::Sign(';'), _]));
        let follows = follows.any(|pair| matches!(pair, [Token::Member, Token::Name(name)] if is_condition(name)));
        (nothing, before || follows)
    }
}
