//! `awk` programs: the commands that they start, and the files that they read and write.
//!
//! Tokens, without a grammar. Strings, variables with constant values, and adjacent strings are known. Everything else
//! is only known at run time.

mod tokens;

use std::collections::BTreeMap;

use super::pieces::Pieces;
use super::with_options::ProgramText;
use crate::options::{Flag, Operand, Options, Parsed};
use tokens::Token;

/// The options of `awk` that take a value.
pub(crate) const OPTIONS: Options =
    Options::leading("FvfeEilW", "field-separator assign file include load source exec");

/// An action of a program other than computing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A text becomes shell.
    Runs(Pieces),
    Reads(Pieces),
    Writes(Pieces),
}

/// The maximum number of actions in one program, of values of one expression, and of tokens in one expression.
const MOST: usize = 256;
const VALUES: usize = 8;
const LONGEST: usize = 64;

/// Returns a call's program and operands. `content` returns the text of a file.
pub(crate) fn given<'a>(parsed: &Parsed<'a>, content: impl Fn(&Operand<'a>) -> Option<String>) -> ProgramText<'a> {
    super::with_options::given(parsed, &["e", "source"], &["f", "file", "E", "exec"], 0, content)
}

/// Returns the variables that a call sets before its program runs, as `NAME=VALUE`: with `-v`, or between the files.
pub(crate) fn variables<'p>(parsed: &'p Parsed<'_>) -> impl Iterator<Item = &'p str> {
    let set = parsed.flags.iter().filter(|flag| flag.is_any(&["v", "assign"])).map(Flag::text);
    set.chain(parsed.operands.iter().skip(1).map(|operand| &*operand.text).filter(|text| text.contains('=')))
}

/// Returns the program's actions. `variables` are set beforehand, as `NAME=VALUE`.
pub(crate) fn acts<'v>(program: &str, variables: impl Iterator<Item = &'v str>) -> Vec<Action> {
    let tokens = tokens::read(program);
    let mut code = Code { tokens: &tokens, values: BTreeMap::new() };
    for (name, value) in variables.filter_map(|text| text.split_once('=')) {
        code.values.insert(name.to_owned(), vec![Pieces::known(&tokens::unescaped(value))]);
    }
    code.assignments();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        code.act(at, &mut found);
        if found.len() >= MOST {
            crate::limits::reached("a script has too many parts to follow");
            found.push(Action::Runs(Pieces::unknown()));
            break;
        }
    }
    found
}

struct Code<'t> {
    tokens: &'t [Token],
    /// The possible values of each variable.
    values: BTreeMap<String, Vec<Pieces>>,
}

impl<'t> Code<'t> {
    fn at(&self, at: usize) -> Option<&'t Token> {
        self.tokens.get(at)
    }

    fn is(&self, at: usize, sign: &str) -> bool {
        self.at(at).is_some_and(|token| token.is(sign))
    }

    /// Records the assigned values of variables, in source order.
    fn assignments(&mut self) {
        for at in 0..self.tokens.len() {
            let Some(Token::Name(name)) = self.at(at) else { continue };
            let adds = self.is(at + 1, "+=");
            let read = at.checked_sub(1).is_some_and(
                |before| matches!(self.at(before), Some(Token::Name(word)) if word == "getline" || word == "in"),
            );
            let values = if self.is(at + 1, "=") {
                self.expression(self.from(at + 2))
            } else if adds || read {
                vec![Pieces::unknown()]
            } else {
                continue;
            };
            let known = self.values.entry(name.clone()).or_default();
            for value in values {
                if known.len() >= VALUES {
                    known.truncate(VALUES - 1);
                    known.push(Pieces::unknown());
                } else if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
    }

    /// Adds the action that begins at a token.
    fn act(&self, at: usize, found: &mut Vec<Action>) {
        match self.at(at) {
            Some(Token::Name(name)) if name == "system" && self.is(at + 1, "(") => {
                found.extend(self.expression(self.from(at + 2)).into_iter().map(Action::Runs));
            }
            Some(Token::Name(name)) if name == "getline" => {
                let file = self.behind_variable(at + 1);
                if self.is(file, "<") {
                    found.extend(self.expression(self.from(file + 1)).into_iter().map(Action::Reads));
                }
            }
            Some(Token::Name(name)) if name == "print" || name == "printf" => self.printed(at, found),
            Some(Token::Sign("|" | "|&")) if matches!(self.at(at + 1), Some(Token::Name(name)) if name == "getline") => {
                found.extend(self.expression(self.before(at)).into_iter().map(Action::Runs));
            }
            _ => {}
        }
    }

    /// Adds the destination of a `print`.
    fn printed(&self, at: usize, found: &mut Vec<Action>) {
        let mut depth = 0_usize;
        for place in at + 1..self.tokens.len() {
            match self.at(place) {
                Some(Token::Sign("(" | "[")) => depth += 1,
                Some(Token::Sign(")" | "]")) => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return,
                },
                Some(Token::Sign(";" | "\n" | "}" | "{")) | None => return,
                Some(Token::Sign("|" | "|&")) if depth == 0 => {
                    found.extend(self.expression(self.from(place + 1)).into_iter().map(Action::Runs));
                    return;
                }
                Some(Token::Sign(">" | ">>")) if depth == 0 => {
                    found.extend(self.expression(self.from(place + 1)).into_iter().map(Action::Writes));
                    return;
                }
                _ => {}
            }
        }
    }

    /// Returns the index after the variable that `getline` may set.
    fn behind_variable(&self, at: usize) -> usize {
        let mut at = at;
        while self.is(at, "$") {
            at += 1;
        }
        if !matches!(self.at(at), Some(Token::Name(_) | Token::Number)) {
            return at;
        }
        at += 1;
        if self.is(at, "[") {
            let close = (at..self.tokens.len()).take(LONGEST).find(|place| self.is(*place, "]"));
            at = close.map_or(at, |close| close + 1);
        }
        at
    }

    /// Returns the tokens of the expression that begins at `at`.
    fn from(&self, at: usize) -> &'t [Token] {
        let mut depth = 0_usize;
        let tokens = self.tokens.get(at..).unwrap_or_default();
        let length = tokens.iter().take(LONGEST).position(|token| {
            match token {
                Token::Sign("(" | "[") => depth += 1,
                Token::Sign(")" | "]") => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return true,
                },
                Token::Sign(sign) if depth == 0 => return ends(sign),
                _ => {}
            }
            false
        });
        tokens.get(..length.unwrap_or(tokens.len().min(LONGEST))).unwrap_or_default()
    }

    /// Returns the tokens of the expression that ends before `at`.
    fn before(&self, at: usize) -> &'t [Token] {
        let mut depth = 0_usize;
        let tokens = self.tokens.get(..at).unwrap_or_default();
        let length = tokens.iter().rev().take(LONGEST).position(|token| {
            match token {
                Token::Sign(")" | "]") => depth += 1,
                Token::Sign("(" | "[") => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return true,
                },
                Token::Sign(sign) if depth == 0 => return ends(sign),
                Token::Name(word) if depth == 0 => return matches!(word.as_str(), "while" | "if" | "do" | "else"),
                _ => {}
            }
            false
        });
        let length = length.unwrap_or(tokens.len().min(LONGEST));
        tokens.get(at.saturating_sub(length)..).unwrap_or_default()
    }

    /// Returns the possible values of an expression. Adjacent strings are joined.
    fn expression(&self, tokens: &[Token]) -> Vec<Pieces> {
        let mut values = vec![Pieces::default()];
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let (width, parts) = self.primary(token, tokens.get(at..).unwrap_or_default());
            let mut joined = Vec::new();
            for value in &values {
                for part in &parts {
                    let mut value = value.clone();
                    value.append(part);
                    if !joined.contains(&value) {
                        joined.push(value);
                    }
                }
            }
            if joined.len() > VALUES {
                joined.truncate(VALUES);
                joined.push(Pieces::unknown());
            }
            values = joined;
            at += width;
        }
        if tokens.len() >= LONGEST {
            // It may continue.
            values.iter_mut().for_each(Pieces::push_unknown);
        }
        values
    }

    /// Reads the first part of an expression. Returns its number of tokens, and its possible values.
    fn primary(&self, token: &Token, tokens: &[Token]) -> (usize, Vec<Pieces>) {
        let unknown = || vec![Pieces::unknown()];
        // Returns the index of the parenthesis that closes the one at `open`.
        let close = |open: usize| {
            let mut depth = 0_usize;
            let end = tokens.iter().skip(open).position(|token| {
                depth += usize::from(token.is("(") || token.is("["));
                depth = depth.saturating_sub(usize::from(token.is(")") || token.is("]")));
                depth == 0
            });
            end.map_or(tokens.len(), |end| open + end + 1)
        };
        match token {
            Token::Text(text) => (1, vec![Pieces::known(text)]),
            Token::Name(name) => {
                let opens = tokens.get(1).is_some_and(|next| next.is("(") || next.is("["));
                if name == "sprintf" && opens {
                    let end = close(1);
                    return (end, self.formatted(tokens.get(2..end.saturating_sub(1)).unwrap_or_default()));
                }
                if opens {
                    return (close(1), unknown());
                }
                (1, self.values.get(name).filter(|values| !values.is_empty()).cloned().unwrap_or_else(unknown))
            }
            Token::Sign("(") => {
                let end = close(0);
                (end, self.expression(tokens.get(1..end.saturating_sub(1)).unwrap_or_default()))
            }
            Token::Sign("$") => {
                let width = if tokens.get(1).is_some_and(|next| next.is("(")) { close(1) } else { 2 };
                (width, unknown())
            }
            _ => (1, unknown()),
        }
    }

    /// Returns the possible results of `sprintf`, if its format only takes strings.
    fn formatted(&self, tokens: &[Token]) -> Vec<Pieces> {
        let mut arguments = tokens.split(|token| token.is(",")).map(|part| {
            let mut values = self.expression(part);
            if values.len() == 1 { values.pop() } else { None }.unwrap_or_else(Pieces::unknown)
        });
        let Some(format) = arguments.next().and_then(|format| format.text()) else { return vec![Pieces::unknown()] };
        let mut result = Pieces::default();
        let mut pieces = format.split('%');
        result.push(pieces.next().unwrap_or_default());
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                result.push("%");
                result.push(pieces.next().unwrap_or_default());
                continue;
            }
            match piece.strip_prefix('s') {
                Some(rest) => {
                    result.append(&arguments.next().unwrap_or_else(Pieces::unknown));
                    result.push(rest);
                }
                None => {
                    result.push_unknown();
                    let width = piece.find(|char: char| char.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
                    result.push(piece.get(width..).unwrap_or_default());
                    drop(arguments.next());
                }
            }
        }
        vec![result]
    }
}

/// Returns whether an operator ends an expression of adjacent strings.
fn ends(sign: &str) -> bool {
    !matches!(sign, "$" | "+" | "-" | "*" | "/" | "%" | "^")
}

#[cfg(test)]
mod tests;
