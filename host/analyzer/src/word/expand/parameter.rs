//! The values of `${...}` with an operator, for known variables.
//!
//! Operands are parsed as words. With an unsupported operator, the whole value is unknown.

use std::borrow::Cow;

use guard_sdk::syntax::Word;

use super::{KnownValue, Values, arithmetic};
use crate::limits;
use crate::parse::tree::Range;
use crate::word::{self, Mode, expand, is_name};

/// The parts of `${NAME[SUBSCRIPT]OPERATOR}`.
struct Parameter<'s> {
    /// Whether it is `${!NAME}`.
    indirect: bool,
    name: &'s str,
    subscript: Option<&'s str>,
    /// The source from the operator on.
    operator: &'s str,
}

fn split(source: &str) -> Option<Parameter<'_>> {
    let inner = source.strip_prefix("${")?.strip_suffix('}')?;
    let (indirect, inner) = inner.strip_prefix('!').map_or((false, inner), |inner| (true, inner));
    let end = match inner.chars().next()? {
        '@' | '*' => 1,
        first if first.is_ascii_digit() => inner.find(|char: char| !char.is_ascii_digit()).unwrap_or(inner.len()),
        _ => inner.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(inner.len()),
    };
    let (name, rest) = inner.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    let (subscript, operator) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(subscript, rest)| (Some(subscript), rest))?,
        None => (None, rest),
    };
    Some(Parameter { indirect, name, subscript, operator })
}

/// Returns the value of the expansion, if the text determines it.
pub(super) fn known<'v>(source: &str, values: &'v dyn Values) -> Option<KnownValue<'v>> {
    let parameter = split(source)?;
    if parameter.indirect {
        if parameter.operator.is_empty() && matches!(parameter.subscript, Some("@" | "*")) {
            let subscripts = values.subscripts(parameter.name)?;
            let words = subscripts.into_iter().map(|name| Cow::Owned(expand::literal(name))).collect();
            return Some(if parameter.subscript == Some("*") {
                KnownValue::Joined(words)
            } else {
                KnownValue::Each(words)
            });
        }
        let name = values.value(parameter.name).filter(|word| !word.dynamic && parameter.operator.is_empty())?;
        if let Some(array) = ["[@]", "[*]"].iter().find_map(|all| name.text.strip_suffix(all)) {
            return Some(KnownValue::Each(values.elements(array)?.into_iter().map(Cow::Borrowed).collect()));
        }
        return values.value(&name.text).map(|word| KnownValue::One(Cow::Owned(word.into_owned())));
    }
    let all = parameter.subscript.unwrap_or(parameter.name);
    if matches!(all, "@" | "*") {
        let array = if parameter.subscript.is_some() { parameter.name } else { "@" };
        let elements = values.elements(array)?;
        let words = match parameter.operator {
            "" => elements.into_iter().map(Cow::Borrowed).collect(),
            operator if operator.starts_with(':') => slice(elements, operator, parameter.subscript.is_none())?,
            operator => each(&elements, operator, values)?,
        };
        return Some(if all == "*" { KnownValue::Joined(words) } else { KnownValue::Each(words) });
    }
    let value = match parameter.subscript {
        Some(subscript) => Cow::Borrowed(element(parameter.name, subscript, values)?),
        None => values.value(parameter.name)?,
    };
    if parameter.operator.is_empty() {
        return Some(KnownValue::One(value));
    }
    if value.dynamic || value.glob {
        return None;
    }
    let text = operate(&value.text, parameter.operator, values)?;
    (text.len() <= limits::VALUE).then(|| KnownValue::One(Cow::Owned(expand::literal(&text))))
}

/// Returns the element at a subscript, which is a name, or an expression for an indexed array.
fn element<'v>(name: &str, subscript: &str, values: &'v dyn Values) -> Option<&'v Word> {
    let found = values.element(name, subscript);
    let spelled = || values.element(name, &operand(subscript, values)?);
    let numbered = || values.element(name, &arithmetic::evaluate(subscript, values)?.to_string());
    found.or_else(spelled).or_else(numbered)
}

/// Evaluates `${a[@]#x}`: the operator applies to each element.
fn each<'v>(words: &[&Word], operator: &str, values: &'v dyn Values) -> Option<Vec<Cow<'v, Word>>> {
    let change = |word: &&Word| {
        let text = if word.dynamic || word.glob { None } else { operate(&word.text, operator, values) }?;
        (text.len() <= limits::VALUE).then(|| Cow::Owned(expand::literal(&text)))
    };
    words.iter().map(change).collect()
}

/// Evaluates `${a[@]:OFFSET:LENGTH}`. The parameters start at 1, after the shell's name.
fn slice<'v>(words: Vec<&'v Word>, operator: &str, parameters: bool) -> Option<Vec<Cow<'v, Word>>> {
    let all = words.into_iter().map(Cow::Borrowed);
    let range = operator.strip_prefix(':')?;
    let (offset, length) = range.split_once(':').map_or((range, None), |(offset, length)| (offset, Some(length)));
    let mut offset: usize = offset.trim().parse().ok()?;
    if parameters {
        offset = offset.checked_sub(1)?;
    }
    let length: usize = length.map_or(Ok(usize::MAX), |length| length.trim().parse()).ok()?;
    Some(all.skip(offset).take(length).collect())
}

/// Returns the text of an operand, if it is completely known.
fn operand(text: &str, values: &dyn Values) -> Option<String> {
    let pieces = word::read(text, Range { start: 0, end: text.len() }, Mode::Quoted).pieces;
    let text = text.trim_matches('\'');
    if pieces.len() <= 1 && !text.contains(['$', '`', '"', '\\', '\'']) {
        return Some(text.to_owned());
    }
    let word = expand::word(pieces, values);
    (!word.dynamic).then_some(word.text)
}

fn operate(value: &str, operator: &str, values: &dyn Values) -> Option<String> {
    let mut chars = operator.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    let keeps = || Some(value.to_owned());
    match first {
        ':' => match rest.chars().next()? {
            '-' | '=' | '?' if !value.is_empty() => keeps(),
            '-' | '=' => operand(rest.get(1..)?, values),
            '+' if value.is_empty() => keeps(),
            '+' => operand(rest.get(1..)?, values),
            _ => substring(value, rest),
        },
        '-' | '=' | '?' => keeps(),
        '+' => operand(rest, values),
        '#' | '%' => {
            let longest = rest.starts_with(first);
            let pattern = operand(if longest { rest.get(1..)? } else { rest }, values)?;
            (value.len() <= MOST).then(|| without(value, &pattern, first == '#', longest).to_owned())
        }
        '^' | ',' => {
            let change = |text: &str| if first == '^' { text.to_uppercase() } else { text.to_lowercase() };
            if rest.starts_with(first) {
                return Some(change(value));
            }
            let end = value.chars().next().map_or(0, char::len_utf8);
            let (head, tail) = value.split_at_checked(end)?;
            Some(change(head) + tail)
        }
        '/' => {
            let (all, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
            let (pattern, new) = rest.split_once('/').unwrap_or((rest, ""));
            let (pattern, new) = (operand(pattern, values)?, operand(new, values)?);
            if pattern.is_empty() || pattern.contains(['*', '?', '[', '#', '%']) {
                return None;
            }
            Some(if all { value.replace(&pattern, &new) } else { value.replacen(&pattern, &new, 1) })
        }
        // The other two operators expand the value itself.
        '@' if matches!(rest, "P" | "E") => (!value.contains(['$', '`', '\\'])).then(|| value.to_owned()),
        '@' => matches!(rest, "Q" | "L" | "U").then(|| match rest {
            "L" => value.to_lowercase(),
            "U" => value.to_uppercase(),
            _ => value.to_owned(),
        }),
        _ => None,
    }
}

/// Returns the part of a text at `OFFSET:LENGTH`.
fn substring(value: &str, range: &str) -> Option<String> {
    let (offset, length) = range.split_once(':').map_or((range, None), |(offset, length)| (offset, Some(length)));
    let offset: i64 = offset.trim().parse().ok()?;
    let count = i64::try_from(value.chars().count()).ok()?;
    let from = if offset < 0 { count.checked_add(offset)?.max(0) } else { offset };
    let length: i64 = length.map_or(Ok(i64::MAX), |length| length.trim().parse()).ok()?;
    let length = usize::try_from(length).ok()?;
    Some(value.chars().skip(usize::try_from(from).ok()?).take(length).collect())
}

/// Returns `value` without the shortest or longest head or tail that matches `pattern`.
fn without<'v>(value: &'v str, pattern: &str, head: bool, longest: bool) -> &'v str {
    let cuts = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let mut kept = cuts.filter_map(|at| {
        let (before, after) = value.split_at_checked(at)?;
        let (gone, kept) = if head { (before, after) } else { (after, before) };
        matches(pattern, gone).then_some(kept)
    });
    let found = if head == longest { kept.next_back() } else { kept.next() };
    found.unwrap_or(value)
}

/// The maximum length of a compared value or pattern.
const MOST: usize = 64;

/// Returns whether a pattern of `*`, `?` and `[...]` matches all of `text`.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    if pattern.len() > MOST || text.len() > MOST {
        return false;
    }
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // The index of the last `*`, and the length of the text that it matches.
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        let step = match (pattern.get(at), text.get(seen)) {
            (Some('*'), _) => {
                star = Some((at, seen));
                at += 1;
                continue;
            }
            (Some('['), Some(char)) => class(pattern.get(at..).unwrap_or_default(), *char),
            (Some('?'), Some(_)) => Some(1),
            (Some(want), Some(char)) if want == char => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(width), _) => {
                at += width;
                seen += 1;
            }
            (None, Some((back, taken))) => {
                star = Some((back, taken + 1));
                at = back + 1;
                seen = taken + 1;
            }
            (None, None) => return false,
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|char| *char == '*')
}

/// Returns the length of the class at the start of `pattern`, if it contains `char`.
fn class(pattern: &[char], char: char) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|end| *end == ']')? + 2;
    let inner = pattern.get(1..end)?;
    let (negated, inner) = match inner.split_first() {
        Some(('!' | '^', inner)) => (true, inner),
        _ => (false, inner),
    };
    let alone = inner.contains(&char);
    let ranged = inner.windows(3).any(|range| matches!(range, [low, '-', high] if (low..=high).contains(&&char)));
    ((alone || ranged) != negated).then_some(end + 1)
}

/// Returns the replacement for an unset variable: the operand of `:-`, `-`, `:=` or `=`.
pub(crate) fn default(source: &str) -> Option<&str> {
    let parameter = split(source).filter(|parameter| !parameter.indirect && parameter.subscript.is_none())?;
    let operator = parameter.operator.strip_prefix(':').unwrap_or(parameter.operator);
    let operand = operator.strip_prefix(['-', '='])?;
    (is_name(parameter.name) || parameter.name.bytes().all(|byte| byte.is_ascii_digit())).then_some(operand)
}

/// Returns the variable that an expansion assigns, and its new value.
pub(crate) fn assigned(source: &str) -> Option<(&str, &str)> {
    let name = split(source).filter(|parameter| parameter.operator.starts_with([':', '='])).map(|found| found.name)?;
    let operator = source.split_once(name)?.1;
    let text = operator.strip_prefix(":=").or_else(|| operator.strip_prefix('='))?.strip_suffix('}')?;
    (is_name(name) && default(source).is_some()).then_some((name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_act_as_bash_has_them_act() {
        for (value, operator, expected) in [
            ("a/b.c", "##*/", Some("b.c")),
            ("a/b/c", "#*/", Some("b/c")),
            ("a.tar.gz", "%.*", Some("a.tar")),
            ("a.tar.gz", "%%.*", Some("a")),
            ("abc", "%x", Some("abc")),
            ("xrm", ":1", Some("rm")),
            ("xrmx", ":1:2", Some("rm")),
            ("abc", ": -1", Some("c")),
            ("RM", ",,", Some("rm")),
            ("rm", "^", Some("Rm")),
            ("rXm", "/X", Some("rm")),
            ("aXbX", "//X/y", Some("ayby")),
            ("a", ":-b", Some("a")),
            ("", ":-b", Some("b")),
            ("a", ":+b", Some("b")),
            ("a", ":+$c", None),
            ("a", "/[x]/y", None),
        ] {
            assert_eq!(operate(value, operator, &expand::NoVariables).as_deref(), expected, "{value} {operator}");
        }
    }

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("r[m]", "rm", true),
            ("r?", "rm", true),
            ("[a-s]m", "rm", true),
            ("[!r]m", "rm", false),
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b", "abx", false),
            ("sud?", "sudo", true),
            ("[r", "[r", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_default_is_told_from_other_operators() {
        for (source, expected) in [
            ("${x:-rm}", Some("rm")),
            ("${x-rm}", Some("rm")),
            ("${1:-a b}", Some("a b")),
            ("${x:=rm}", Some("rm")),
            ("${x:+rm}", None),
            ("${x#-rm}", None),
            ("${x[0]:-rm}", None),
        ] {
            assert_eq!(default(source), expected, "{source}");
        }
    }
}
