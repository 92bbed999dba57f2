//! Folding: operators and methods of texts whose parts are constant.

use super::value::{ELEMENTS, Value};
use crate::ir::Operator;
use crate::{Piece, Text};

/// The maximum number of paths joined from parts with alternatives.
const MOST: usize = 8;
/// The maximum number of parent folders of a path that are distinguished.
const PARENTS: usize = 16;
/// The longest text that a repetition makes.
const LONGEST: usize = 4096;

/// One operator between two values that are not one of several.
pub(super) fn binary(left: &Value, operator: Operator, right: &Value) -> Value {
    match (left, operator, right) {
        (Value::Hidden, _, _) => Value::Hidden,
        (Value::Path(base), Operator::Divide, right) => Value::Path(join(base.clone(), &right.to_text_part())),
        (Value::Text(base), Operator::Divide, Value::Path(right)) => Value::Path(join(base.clone(), right)),
        (Value::Unknown, Operator::Divide, Value::Text(_) | Value::Path(_)) => {
            Value::Path(join(Text::of(Piece::Unknown), &right.to_text_part()))
        }
        (Value::Int(left), Operator::Add, Value::Int(right)) => {
            left.checked_add(*right).map_or(Value::Unknown, Value::Int)
        }
        (Value::Int(left), Operator::Subtract, Value::Int(right)) => {
            left.checked_sub(*right).map_or(Value::Unknown, Value::Int)
        }
        (Value::Int(left), Operator::Multiply, Value::Int(right)) => {
            left.checked_mul(*right).map_or(Value::Unknown, Value::Int)
        }
        (Value::Int(left), Operator::BitXor, Value::Int(right)) => Value::Int(left ^ right),
        (Value::Text(left), Operator::Add, Value::Text(right)) => Value::Text(left.clone().and(right)),
        (Value::Text(left), Operator::Add, _) => Value::Text(left.clone().and(&Text::of(Piece::Unknown))),
        (Value::Unknown | Value::Method(..), Operator::Add, Value::Text(right)) => {
            Value::Text(Text::of(Piece::Unknown).and(right))
        }
        (Value::List(left), Operator::Add, Value::List(right)) if left.len() + right.len() <= ELEMENTS => {
            Value::List(left.iter().chain(right).cloned().collect())
        }
        (Value::List(left), Operator::Add, right) => {
            // What is not known stands behind what is.
            Value::List(left.iter().cloned().chain([right.element()]).collect())
        }
        (left, Operator::Add, Value::List(right)) => {
            Value::many(Value::join([left.element()].into_iter().chain(right.iter().cloned())))
        }
        (Value::Text(text), Operator::Multiply, Value::Int(times))
        | (Value::Int(times), Operator::Multiply, Value::Text(text)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            match text.known() {
                Some(text) if text.len().saturating_mul(times) <= LONGEST => Value::text(&text.repeat(times)),
                _ => Value::piece(Piece::Unknown),
            }
        }
        (Value::Text(text), Operator::Remainder, right) => Value::Text(percent(text, right)),
        // Flags of `os.open`.
        (Value::Named(left), Operator::BitOr, Value::Named(right)) => Value::Named(format!("{left}|{right}")),
        _ => Value::Unknown,
    }
}

/// A path below another one; one that begins at the root stands by itself.
pub(super) fn join(base: Text, path: &Text) -> Text {
    let absolute = path.head().starts_with('/') || path.pieces.first().is_some_and(is_whole);
    if absolute {
        return path.clone();
    }
    if base.pieces.is_empty() || base.known() == Some(".") {
        return path.clone();
    }
    let slash = matches!(base.pieces.last(), Some(Piece::Literal(text)) if text.ends_with('/'));
    let base = if slash || path.pieces.is_empty() { base } else { base.with("/") };
    base.and(path)
}

/// A path without the slashes that it begins with.
pub(super) fn relative(path: &Text) -> Text {
    match path.pieces.split_first() {
        Some((Piece::Literal(first), rest)) => {
            let rest = Text { pieces: rest.to_vec() };
            Text::literal(first.trim_start_matches('/')).and(&rest)
        }
        _ => path.clone(),
    }
}

/// Returns whether a path that begins with it stands by itself.
fn is_whole(piece: &Piece) -> bool {
    match piece {
        Piece::Home | Piece::Own => true,
        Piece::Variable(name) => name == "PWD",
        _ => false,
    }
}

/// Paths joined of parts, each of which may be one of several.
pub(super) fn join_alternatives(parts: &[Value]) -> Vec<Text> {
    let Some((first, rest)) = parts.split_first() else { return vec![Text::of(Piece::Unknown)] };
    let mut paths: Vec<Text> = first.alternatives().iter().map(Value::to_text_part).collect();
    for part in rest {
        let all = paths
            .iter()
            .flat_map(|path| part.alternatives().iter().map(move |part| join(path.clone(), &part.to_text_part())));
        paths = all.take(MOST).collect();
        if paths.len() == MOST {
            paths.push(Text::of(Piece::Unknown));
        }
    }
    paths
}

/// `text % values`.
fn percent(text: &Text, values: &Value) -> Text {
    let Some(form) = text.known() else { return Text::of(Piece::Unknown) };
    let row = match values {
        Value::List(values) => values.clone(),
        value => vec![value.clone()],
    };
    let mut row = row.iter();
    let mut result = Text::default();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('%') {
        result = result.with(before);
        let mut chars = after.chars();
        rest = match chars.next() {
            Some('%') => {
                result = result.with("%");
                chars.as_str()
            }
            Some('s' | 'd' | 'i') => {
                result = result.and(&row.next().unwrap_or(&Value::Unknown).to_text_part());
                chars.as_str()
            }
            Some('r') => {
                result = result.and(&repr(row.next().unwrap_or(&Value::Unknown)));
                chars.as_str()
            }
            _ => {
                result.push(Piece::Unknown);
                let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
                after.get(end..).unwrap_or_default()
            }
        };
    }
    result.with(rest)
}

/// A value as `repr` writes it.
pub(super) fn repr(value: &Value) -> Text {
    match value {
        Value::Text(text) if !text.is_partly_unknown() => {
            let plain = text.known().is_none_or(|text| !text.contains(['\'', '\\', '\n']));
            if plain { Text::literal("'").and(text).with("'") } else { Text::of(Piece::Unknown) }
        }
        Value::Text(text) => Text::literal("'").and(text).with("'"),
        Value::Int(_) | Value::Bool(_) | Value::None => value.to_text_part(),
        _ => Text::of(Piece::Unknown),
    }
}

/// `text.format(…)`.
pub(super) fn format(form: &Text, values: &[Value], named: &[(String, Value)]) -> Value {
    let Some(form) = form.known() else { return Value::piece(Piece::Unknown) };
    let mut result = Text::default();
    let mut next = 0;
    let mut rest = form;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or_default();
        result = result.with(before);
        if let Some(after) = from.strip_prefix("{{") {
            result = result.with("{");
            rest = after;
            continue;
        }
        if let Some(after) = from.strip_prefix('}') {
            result = result.with("}");
            rest = after.strip_prefix('}').unwrap_or(after);
            continue;
        }
        let Some((field, after)) = from.get(1..).unwrap_or_default().split_once('}') else {
            result.push(Piece::Unknown);
            rest = "";
            break;
        };
        rest = after;
        let value = match field {
            "" => {
                next += 1;
                values.get(next - 1)
            }
            field => match field.parse::<usize>() {
                Ok(at) => values.get(at),
                Err(_) => named.iter().find(|(name, _)| name == field).map(|(_, value)| value),
            },
        };
        result = result.and(&value.map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part));
    }
    Value::Text(result.with(rest))
}

/// `value[from:to:step]`.
pub(super) fn slice(value: &Value, from: Option<&Value>, to: Option<&Value>, step: Option<&Value>) -> Value {
    let backwards = step == Some(&Value::Int(-1)) && from.is_none() && to.is_none();
    if step.is_some() && !backwards && step != Some(&Value::Int(1)) {
        return Value::many(value.element());
    }
    let is_text = matches!(value, Value::Text(_));
    let Some(mut elements) = (if is_text {
        value
            .known_text()
            .filter(|text| text.len() <= LONGEST)
            .map(|text| text.chars().map(|c| Value::text(&c.to_string())).collect())
    } else {
        value.elements()
    }) else {
        return match value {
            Value::Text(text) if from.is_none() => {
                Value::Text(Text::literal(text.head()).and(&Text::of(Piece::Unknown)))
            }
            Value::Text(_) => Value::piece(Piece::Unknown),
            value => Value::many(value.element()),
        };
    };
    if backwards {
        elements.reverse();
    } else {
        let place = |bound: Option<&Value>, default: usize| match bound {
            None | Some(Value::None) => Some(default),
            Some(Value::Int(at)) if *at < 0 => {
                Some(elements.len().saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX)))
            }
            Some(Value::Int(at)) => Some(usize::try_from(*at).unwrap_or(usize::MAX).min(elements.len())),
            Some(_) => None,
        };
        let (Some(first), Some(last)) = (place(from, 0), place(to, elements.len())) else {
            return if is_text { Value::piece(Piece::Unknown) } else { Value::many(value.element()) };
        };
        elements = elements.get(first..last.max(first)).unwrap_or_default().to_vec();
    }
    if is_text {
        let text: String = elements.iter().filter_map(Value::known_text).collect();
        return Value::text(&text);
    }
    Value::List(elements)
}

/// Returns whether a codec leaves letters as they are.
fn is_plain(codec: &Value) -> bool {
    let plain = |codec: &str| {
        let codec = codec.to_ascii_lowercase().replace(['_', '-'], "");
        let families = ["utf8", "ascii", "latin", "iso8859", "cp12", "cp4", "cp8", "usascii", "mbcs", "l1"];
        families.iter().any(|family| codec.starts_with(family))
    };
    codec.known_text().is_some_and(plain)
}

/// The text that a codec makes of a text.
pub(super) fn apply_codec(text: &str, codec: &str) -> Option<Value> {
    let text = match codec.to_ascii_lowercase().replace(['_', '-'], "").trim_end_matches("codec") {
        "rot13" => rot13(text),
        "hex" => hex(text)?,
        "base64" => base64(text)?,
        _ => return None,
    };
    Some(Value::text(&text))
}

/// A method of a text that gives a text or a row; `None` if it is not one of those.
pub(super) fn text_method(text: &Text, name: &str, values: &[Value]) -> Option<Value> {
    let known = text.known();
    let first = values.first().and_then(Value::known_text);
    let second = values.get(1).and_then(Value::known_text);
    let unknown = || Value::piece(Piece::Unknown);
    let map = |change: &dyn Fn(&str) -> String| {
        known.filter(|text| text.len() <= LONGEST).map_or_else(unknown, |text| Value::text(&change(text)))
    };
    Some(match name {
        // What is trimmed or encoded is, for a path or a command, what it was.
        "decode" | "encode" if values.first().is_some_and(|codec| !is_plain(codec)) => {
            let codec = first.unwrap_or_default();
            return Some(known.and_then(|text| apply_codec(text, codec)).unwrap_or_else(unknown));
        }
        "decode" | "encode" | "strip" | "rstrip" | "lstrip" | "expandtabs" if known.is_none() => {
            Value::Text(text.clone())
        }
        "decode" | "encode" => Value::Text(text.clone()),
        "strip" if first.is_none() => map(&|text| text.trim().to_owned()),
        "rstrip" if first.is_none() => map(&|text| text.trim_end().to_owned()),
        "lstrip" if first.is_none() => map(&|text| text.trim_start().to_owned()),
        "strip" => map(&|text| text.trim_matches(|c| first.unwrap_or_default().contains(c)).to_owned()),
        "rstrip" => map(&|text| text.trim_end_matches(|c| first.unwrap_or_default().contains(c)).to_owned()),
        "lstrip" => map(&|text| text.trim_start_matches(|c| first.unwrap_or_default().contains(c)).to_owned()),
        "lower" | "casefold" => map(&|text| text.to_lowercase()),
        "upper" => map(&|text| text.to_uppercase()),
        "removeprefix" => map(&|text| text.strip_prefix(first.unwrap_or_default()).unwrap_or(text).to_owned()),
        "removesuffix" => map(&|text| text.strip_suffix(first.unwrap_or_default()).unwrap_or(text).to_owned()),
        "replace" => match (known, first, second) {
            (Some(text), Some(old), Some(new)) if !old.is_empty() && text.len() <= LONGEST && new.len() <= LONGEST => {
                let result = text.replacen(old, new, 256);
                Value::text(&result)
            }
            _ => unknown(),
        },
        "join" => match values.first() {
            Some(Value::List(parts)) => {
                let mut result = Text::default();
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        result = result.and(text);
                    }
                    result = result.and(&part.to_text_part());
                }
                Value::Text(result)
            }
            _ => unknown(),
        },
        "split" | "rsplit" | "splitlines" => {
            let Some(text) = known.filter(|text| text.len() <= LONGEST) else {
                return Some(Value::many(unknown()));
            };
            let row: Vec<Value> = match (name, first) {
                ("splitlines", _) => text.lines().map(Value::text).collect(),
                _ if values.len() > 1 => return Some(Value::many(unknown())),
                (_, None) => text.split_whitespace().map(Value::text).collect(),
                (_, Some("")) => return Some(Value::Unknown),
                (_, Some(by)) => text.split(by).map(Value::text).collect(),
            };
            if row.len() > ELEMENTS { Value::many(unknown()) } else { Value::List(row) }
        }
        "startswith" | "endswith" | "find" | "count" | "index" | "isdigit" | "isalpha" => Value::Unknown,
        "hex" | "title" | "capitalize" | "swapcase" | "zfill" | "ljust" | "rjust" | "center" | "translate" => unknown(),
        _ => return None,
    })
}

/// A member of a path that is a value.
pub(super) fn path_member(path: &Text, name: &str) -> Option<Value> {
    let known = path.known();
    let file = || match path.pieces.last() {
        Some(Piece::Literal(text)) => text.rsplit_once('/').map(|(_, file)| file).or(known),
        _ => None,
    };
    Some(match name {
        "parent" => Value::Path(parent(path)),
        "parents" => {
            let next = |path: &Text| Some(parent(path));
            let all = std::iter::successors(Some(parent(path)), next).take(PARENTS);
            Value::List(all.map(Value::Path).collect())
        }
        // An entry of `scandir`.
        "path" => Value::Text(path.clone()),
        "name" => file().map_or_else(|| Value::piece(Piece::Unknown), Value::text),
        "stem" => {
            let stem = |file: &str| file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
            file().map_or_else(|| Value::piece(Piece::Unknown), |file| Value::text(&stem(file)))
        }
        "suffix" => {
            let suffix = |file: &str| file.rsplit_once('.').map_or(String::new(), |(_, suffix)| format!(".{suffix}"));
            file().map_or_else(|| Value::piece(Piece::Unknown), |file| Value::text(&suffix(file)))
        }
        "parts" | "anchor" | "root" | "drive" => Value::Unknown,
        _ => return None,
    })
}

/// The folder that holds a path.
pub(super) fn parent(path: &Text) -> Text {
    match path.pieces.split_last() {
        // The folder in which the code runs, and what is above it.
        Some((Piece::Literal(last), [])) if matches!(last.trim_end_matches('/'), "." | "..") => {
            Text::literal(if last.starts_with("..") { "../.." } else { ".." })
        }
        Some((Piece::Literal(last), _)) if last.trim_end_matches('/').ends_with("/..") => path.clone().with("/.."),
        Some((Piece::Literal(last), before)) => match last.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) if before.is_empty() => Text::literal("/"),
            Some((folder, _)) => Text { pieces: before.to_vec() }.with(folder),
            None if before.is_empty() => Text::literal("."),
            None => Text::of(Piece::Unknown),
        },
        // The place that the code made lies in a folder that others use.
        Some(_) => path.clone().with("/.."),
        None => Text::literal(".."),
    }
}

/// The words of a line, as `shlex` splits it.
pub(super) fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (None, ' ' | '\t' | '\n' | '\r') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (Some(open), char) if open == char => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (_, char) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

/// The bytes of base 64, as text.
pub(super) fn base64(text: &str) -> Option<String> {
    let mut bits = 0_u32;
    let mut count = 0;
    let mut bytes = Vec::new();
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(six)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    String::from_utf8(bytes).ok()
}

/// The bytes of hexadecimal digits, as text.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let byte = |pair: &[u32]| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    };
    String::from_utf8(digits.chunks(2).map(byte).collect::<Option<_>>()?).ok()
}

/// Each letter turned by thirteen places.
pub(super) fn rot13(text: &str) -> String {
    let turn = |char: char| {
        let base = if char.is_ascii_uppercase() { b'A' } else { b'a' };
        match u8::try_from(char) {
            Ok(byte) if char.is_ascii_alphabetic() => char::from((byte - base + 13) % 26 + base),
            _ => char,
        }
    };
    text.chars().map(turn).collect()
}
