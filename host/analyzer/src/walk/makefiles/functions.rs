//! Plain variables and text functions of makefiles.

use std::cell::Cell;
use std::collections::BTreeMap;

use guard_sdk::syntax::Word;

use super::MOST;
use crate::limits;
use crate::walk::templates::split_outside;

/// The maximum nesting of functions.
const DEPTH: usize = 8;

/// The maximum number of function calls in a makefile.
const CALLS: usize = 1024;

/// The maximum length of a function call, in characters.
const LONGEST: usize = 4096;

/// Expands plain variables, and functions of texts. Others are only known at run time.
pub(super) fn expanded(text: &str, words: &[Word]) -> String {
    let set = text.lines().filter(|line| !line.starts_with(['\t', ' ', '#'])).filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim_end_matches([':', '?', ' ']);
        (is_name(name) && !value.contains('$')).then(|| (name, value.trim()))
    });
    // The command line's values take precedence.
    let given = words.iter().filter_map(|word| word.text.split_once('=')).filter(|(name, _)| is_name(name));
    let expansion = Expansion { values: set.take(MOST).chain(given).collect(), left: Cell::new(CALLS) };
    expansion.expanded(text, DEPTH)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the text in the brackets after a dollar sign.
fn inner(found: &str) -> Option<&str> {
    let line = found.lines().next()?.get(2..)?;
    let (open, close) = if found.starts_with("$(") { ('(', ')') } else { ('{', '}') };
    let mut depth = 1_usize;
    let end = line.char_indices().take(LONGEST).find_map(|(at, char)| {
        depth = if char == open { depth + 1 } else { depth - usize::from(char == close) };
        (depth == 0).then_some(at)
    });
    line.get(..end?)
}

/// Changes each word of a text. `None` if the result is too long.
fn each_word(words: &str, change: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut result = String::new();
    for word in words.split_whitespace() {
        if !result.is_empty() {
            result.push(' ');
        }
        result.push_str(&change(word)?);
        if result.len() > limits::SOURCE {
            return None;
        }
    }
    Some(result)
}

/// Replaces a part of a text. `None` if the part is empty or the result is too long.
fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    let count = text.matches(from).count();
    let fits = !from.is_empty() && text.len() + count * to.len() <= limits::SOURCE;
    fits.then(|| text.replace(from, to))
}

/// Returns a word with its stem put in the place of `%` in `to`, if the word matches the pattern `from`.
fn by_pattern(word: &str, from: &str, to: &str) -> String {
    let Some((head, tail)) = from.split_once('%') else {
        return if word == from { to.to_owned() } else { word.to_owned() };
    };
    let stem = word.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
    stem.map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
}

/// The values of variables, and the number of function calls left.
struct Expansion<'t> {
    values: BTreeMap<&'t str, &'t str>,
    left: Cell<usize>,
}

impl Expansion<'_> {
    fn expanded(&self, text: &str, depth: usize) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("$(").into_iter().chain(rest.find("${")).min() {
            let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
            result.push_str(before);
            let inner = inner(found).filter(|_| !before.ends_with('$') && result.len() < limits::SOURCE);
            let value = inner.and_then(|inner| self.value(inner, depth));
            // The arguments of an unknown function are expanded.
            result.push_str(value.as_deref().unwrap_or_else(|| found.get(..2).unwrap_or_default()));
            let taken = inner.filter(|_| value.is_some()).map_or(2, |inner| inner.len() + 3);
            rest = found.get(taken..).unwrap_or_default();
        }
        result.push_str(rest);
        result
    }

    fn value(&self, inner: &str, depth: usize) -> Option<String> {
        match self.values.get(inner).copied().or((inner == "MAKE").then_some("make")) {
            Some(value) => Some(value.to_owned()),
            None if is_name(inner) => Some(format!("${{{inner}}}")),
            None => self.result(inner, depth.checked_sub(1)?),
        }
    }

    /// Returns the result of a function call. `None` if the function isn't known.
    fn result(&self, call: &str, depth: usize) -> Option<String> {
        self.left.set(self.left.get().checked_sub(1)?);
        let (name, arguments) = call.split_once([' ', '\t'])?;
        let arguments = arguments.trim_start();
        let pieces = split_outside(arguments, false, |char| char == ',');
        let argument = |at: usize| pieces.get(at).map(|piece| self.expanded(piece, depth));
        // The last argument may contain commas.
        let behind = |count: usize| {
            let before: usize = pieces.iter().take(count).map(|piece| piece.len() + 1).sum();
            arguments.get(before..)
        };
        let last = |count: usize| Some(self.expanded(behind(count)?, depth));
        match name {
            "strip" => each_word(&last(0)?, |word| Some(word.to_owned())),
            "addprefix" => {
                let prefix = argument(0)?;
                each_word(&last(1)?, |word| Some(format!("{prefix}{word}")))
            }
            "addsuffix" => {
                let suffix = argument(0)?;
                each_word(&last(1)?, |word| Some(format!("{word}{suffix}")))
            }
            "subst" => replaced(&last(2)?, &argument(0)?, &argument(1)?),
            "patsubst" => {
                let (from, to) = (argument(0)?, argument(1)?);
                each_word(&last(2)?, |word| Some(by_pattern(word, &from, &to)))
            }
            "foreach" => {
                let (name, words, body) = (argument(0)?, argument(1)?, behind(2)?);
                let name = name.trim();
                each_word(&words, |word| {
                    let body = replaced(body, &format!("$({name})"), word)?;
                    Some(self.expanded(&replaced(&body, &format!("${{{name}}}"), word)?, depth))
                })
            }
            "or" | "and" => {
                let mut result = String::new();
                for piece in &pieces {
                    let value = self.expanded(piece.trim(), depth);
                    // A value that isn't known is probably no command, and decides nothing.
                    if value.contains('$') && !result.is_empty() {
                        continue;
                    }
                    result = value;
                    if !result.contains('$') && result.is_empty() == (name == "and") {
                        break;
                    }
                }
                Some(result)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_plain_texts_are_evaluated() {
        for (call, expected) in [
            ("$(foreach t,a b,rm $(t);)", "rm a; rm b;"),
            ("$(foreach t,$(L),rm ${t};)", "rm c; rm d;"),
            ("$(or ,rm a)", "rm a"),
            ("$(or $(X),a)", "a"),
            ("$(and a,b)", "b"),
            ("$(and ,b)", ""),
            ("$(subst a,b,a,c)", "b,c"),
            ("$(strip  rm   a )", "rm a"),
            ("$(addprefix x/,a $(L))", "x/a x/c x/d"),
            ("$(addsuffix .o,a b)", "a.o b.o"),
            ("$(patsubst %.c,%.o,a.c b.h)", "a.o b.h"),
            ("$(strip $(addprefix a,b))", "ab"),
            ("$(wildcard $(L)/*)", "$(wildcard c d/*)"),
            ("$$(strip a)", "$$(strip a)"),
            ("$(X) $(MAKE)", "${X} make"),
        ] {
            assert_eq!(expanded(&format!("L = c d\n\t{call}"), &[]), format!("L = c d\n\t{expected}"), "{call}");
        }
    }

    #[test]
    fn nested_functions_are_bounded() {
        let words = "a ".repeat(200);
        let text = (0..8).fold("b".to_owned(), |text, _| format!("$(foreach t,{words},{text})"));
        assert!(expanded(&text, &[]).len() <= 4 * limits::SOURCE);
    }
}
