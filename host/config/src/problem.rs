//! Creates [`Problem`]s of texts, with their positions and suggestions.

use std::ops::Range;
use std::path::Path;

use guard_contract::Layer;
use guard_contract::Problem;
use guard_contract::policy::Entry;
use guard_state::files;

/// The header of an entry in a `guard.toml`.
const HEADER: &str = "[[policy]]";

/// Stands before what a policy suggests in the place of its settings.
const SUGGESTION: &str = ": did you mean ";

/// The maximum number of known words in a hint.
const LISTED: usize = 24;

/// The maximum number of bytes read of a file to find a position.
const PLACE_BYTES: u64 = 1 << 20;

/// Converts a TOML error, with the nearest known key as the hint for an unknown one.
#[must_use]
pub fn toml_problem(layer: Layer, file: &str, text: &str, error: &toml::de::Error) -> Problem {
    let mut message = error.message().trim().to_owned();
    if let Some(key) = error.span().and_then(|span| text.get(span)).filter(|_| message == "duplicate key") {
        message.push_str(&format!(" `{key}`"));
    }
    let list = Some(message.as_str()).filter(|message| message.starts_with("invalid type: map, expected a sequence"));
    let syntax = || match list.and_then(|_| header_at(text, error.span()?.start)) {
        Some(name) => format!("`{name}` is a list: write `[[{name}]]` with two brackets"),
        None => type_hint(error.message(), key_before(text, error.span().map_or(0, |span| span.start)))
            .unwrap_or_else(|| "write `key = value`, strings in quotes, and tables in brackets".to_owned()),
    };
    let nearest = nearest_key(&message);
    let hint = nearest.clone().unwrap_or_else(syntax);
    if nearest.is_some() {
        cut_expected(&mut message);
    }
    let place = match error.span() {
        Some(span) => format!("{file}:{}", line_and_column(text, span.start)),
        None => file.to_owned(),
    };
    Problem { layer, place, text: message, hint }
}

/// Returns the hint for a value of the wrong type, or `None` for an error in the syntax.
fn type_hint(message: &str, key: &str) -> Option<String> {
    let message = message.trim();
    if message.starts_with("duplicate ") {
        return Some("remove one of the two".to_owned());
    }
    let is_of_type = ["invalid type: ", "invalid value: ", "wanted "].iter().any(|start| message.starts_with(start));
    let expected = message.rsplit_once("expected ").or_else(|| message.split_once("wanted "));
    let (_, expected) = expected.filter(|_| is_of_type && !key.is_empty())?;
    match expected {
        "a sequence" => Some(format!("`{key}` is a list: `{key} = [\"...\"]`")),
        "a table" | "a map" => Some(format!("`{key}` is a table: `[{key}]`")),
        "a boolean" => Some(format!("`{key}` is `true` or `false`")),
        "u8" | "u16" | "u32" | "u64" | "usize" => Some(format!("`{key}` is a number from 0")),
        expected if expected.starts_with("a string") || expected.starts_with("string") => {
            Some(format!("`{key}` is a string in quotes"))
        }
        _ => None,
    }
}

/// Returns the key of the value at `offset`, or an empty text.
fn key_before(text: &str, offset: usize) -> &str {
    let line = text.get(..offset).and_then(|before| before.lines().last()).unwrap_or_default();
    let before = line.trim_end().strip_suffix('=').unwrap_or_default().trim_end();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    before.rsplit(|c| !is_plain(c)).next().unwrap_or_default()
}

/// Removes the list of known words from a message whose hint has them or a suggestion.
fn cut_expected(message: &mut String) {
    if let Some(at) = message.find("`, expected ") {
        message.truncate(at + 1);
    }
}

/// Returns the name in a table header such as `[policy]` on the line at `offset`.
fn header_at(text: &str, offset: usize) -> Option<&str> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |end| end + 1);
    let name = text.get(start..)?.lines().next()?.trim().strip_prefix('[')?.split(']').next()?.trim();
    Some(name).filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

/// Returns the position of an offset in a text, as `line:column`.
pub fn line_and_column(text: &str, offset: usize) -> String {
    let before = text.get(..text.floor_char_boundary(offset.min(text.len()))).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{line}:{column}")
}

/// Returns the known word most similar to `unknown`, with at most three edits of at most half of the word.
#[must_use]
pub fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let nearest = nearest_within(unknown, known, 3)?;
    // A short word is three edits away from any other.
    let most = unknown.len().max(nearest.len()) / 2;
    (strsim::damerau_levenshtein(unknown, nearest) <= most).then_some(nearest)
}

/// Returns the known word most similar to `unknown`, with at most `changes` edits.
#[must_use]
pub fn nearest_within<'a>(unknown: &str, known: &[&'a str], changes: usize) -> Option<&'a str> {
    let distance = |name: &&&str| strsim::damerau_levenshtein(unknown, name);
    let nearest = known.iter().min_by_key(distance)?;
    (strsim::damerau_levenshtein(unknown, nearest) <= changes.min(nearest.len())).then_some(*nearest)
}

/// Returns the replacement for an unknown key or value, or `None` if the message is about something else.
///
/// serde's message has the unknown key first and then the known ones, all in backticks. A policy may put the location
/// before it: `the rule `a`, `when`, 1:4: unknown name ...`.
pub fn nearest_key(message: &str) -> Option<String> {
    let message = message.rfind(": unknown ").and_then(|at| message.get(at + 2..)).unwrap_or(message);
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = names.split_first()?;
    let unknown_word = message.strip_prefix("unknown ")?.split(' ').next()?;
    if let Some(nearest) = nearest(unknown, known).or_else(|| match_by_words(unknown, known)) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let kind = match unknown_word {
        "variant" => "values",
        "name" => "names",
        _ => "keys",
    };
    let more = known.len().saturating_sub(LISTED);
    let listed = known.get(..known.len() - more).unwrap_or_default().join("`, `");
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!("known {kind}: `{listed}`{more}"))
}

/// Returns the known name with every word of `unknown`, in any order, and the fewest others: `push-force` may be
/// `force-push-protected`.
fn match_by_words<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let words = |name: &'a str| name.split(['-', '_', '.']);
    let wanted: Vec<&str> = unknown.split(['-', '_', '.']).filter(|word| word.len() > 1).collect();
    let has_all = |name: &&&'a str| wanted.iter().all(|wanted| words(name).any(|word| word == *wanted));
    known.iter().filter(|_| !wanted.is_empty()).filter(has_all).min_by_key(|name| name.len()).copied()
}

/// Adds line and column to the problem if one of its words in backticks is in the text. With a policy's name, only its
/// entry is searched.
pub(crate) fn placed(mut problem: Problem, text: &str, policy: Option<&str>) -> Problem {
    if !problem.place.ends_with(|c: char| c.is_ascii_digit()) {
        let range = policy.map_or(0..text.len(), |name| entry_of(text, name));
        let mut words = quoted(&problem.text).filter(|word| policy.is_none_or(|name| name != *word));
        let own = || policy.filter(|name| !name.is_empty()).and_then(|name| find(text, range.clone(), name));
        let offset = words.find_map(|word| find(text, range.clone(), word)).or_else(own);
        // Without such a word, the start of the policy's entry.
        if let Some(offset) = offset.or(policy.map(|_| range.start)) {
            problem.place = format!("{}:{}", problem.place, line_and_column(text, offset));
        }
    }
    problem
}

/// Returns the position of a policy's entry in a guard.toml as `file:line:column`, or only the file if it isn't found.
#[must_use]
pub fn entry_location(file: &Path, policy: &str) -> String {
    let shown = file.display();
    let Ok(text) = files::read_text(file, PLACE_BYTES) else { return shown.to_string() };
    let range = entry_of(&text, policy);
    let offset = find(&text, range.clone(), policy).unwrap_or(range.start);
    format!("{shown}:{}", line_and_column(&text, offset))
}

/// Describes settings that a policy rejected, with the position in their file and the nearest known word.
#[must_use]
pub fn refused_settings(entry: &Entry, error: &str) -> Problem {
    let file = &entry.settings_source.file;
    let mut text = error.strip_prefix("invalid settings: ").unwrap_or(error).to_owned();
    // serde's position is in the JSON passed to the policy, not in the file.
    if let Some((message, place)) = text.clone().rsplit_once(" at line 1 column ") {
        let key = place.parse().ok().and_then(|column| key_at(&entry.settings, column));
        text = match key {
            Some(key) if !message.contains(&format!("`{key}`")) => format!("`{key}`: {message}"),
            _ => message.to_owned(),
        };
    }
    let name = file.to_string_lossy();
    // A policy that parses the text itself gives the position.
    let own = text.strip_prefix(&format!("{name}:")).and_then(|rest| rest.split_once(": "));
    let (place, mut text) = match own {
        Some((at, message)) if at.starts_with(|c: char| c.is_ascii_digit()) => {
            (format!("{name}:{at}"), message.to_owned())
        }
        _ => (name.clone().into_owned(), text),
    };
    let suggested = text.split_once(SUGGESTION).map(|(text, meant)| (text.to_owned(), format!("did you mean {meant}")));
    let suggested = suggested.map(|(message, hint)| {
        text = message;
        hint
    });
    let nearest = suggested.or_else(|| nearest_key(&text).inspect(|_| cut_expected(&mut text)));
    let hint = nearest.unwrap_or_else(|| "correct the settings of the policy".to_owned());
    let problem = Problem { layer: entry.layer, place, text, hint };
    let Ok(source) = files::read_text(file, PLACE_BYTES) else { return problem };
    // A configuration file has other entries, too.
    let is_configuration = file.extension().is_some_and(|ending| ending == "toml") && source.contains(HEADER);
    placed(problem, &source, Some(entry.name.as_str()).filter(|_| is_configuration))
}

/// Returns the words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|word| !word.is_empty())
}

/// Returns the range of the entry of this name in a `guard.toml`.
fn entry_of(text: &str, name: &str) -> Range<usize> {
    let starts: Vec<usize> = text.match_indices(HEADER).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut ranges = starts.iter().copied().zip(ends).map(|(start, end)| start..end);
    // Of two entries with the same name, the second is the error.
    let holds = |range: &Range<usize>| match name {
        "" => {
            find(text, range.clone(), "name").and_then(|at| text.get(at..)?.split('"').nth(1)).is_none_or(str::is_empty)
        }
        name => find(text, range.clone(), name).is_some(),
    };
    ranges.clone().filter(holds).last().or_else(|| ranges.next()).unwrap_or(0..text.len())
}

/// Finds a word in a range of a text: as a whole key or value, or else as a part of one.
fn find(text: &str, range: Range<usize>, word: &str) -> Option<usize> {
    let within = text.get(range.clone())?;
    let escaped = serde_json::to_string(word).ok()?;
    let bare = |at: usize| {
        let (before, after) = (within.get(..at).unwrap_or_default(), within.get(at + word.len()..).unwrap_or_default());
        let of_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'');
        !before.ends_with(of_key) && after.trim_start_matches([' ', '\t']).starts_with('=')
    };
    let key = || within.match_indices(word).map(|(at, _)| at).find(|at| bare(*at));
    let value = || [escaped, format!("'{word}'")].iter().filter_map(|quoted| within.find(quoted.as_str())).min();
    let part = || Some(word).filter(|word| word.len() > 2).and_then(|word| within.find(word));
    key().or_else(value).or_else(part).map(|at| range.start + at)
}

/// Returns the key of the value at a column of one-line JSON. Columns start at 1.
fn key_at(json: &str, column: usize) -> Option<String> {
    let (mut keys, mut strings): (Vec<Option<String>>, _) = (Vec::new(), None::<usize>);
    let mut escaped = false;
    let mut last: Option<String> = None;
    for (at, byte) in json.bytes().enumerate().take(column) {
        match (byte, strings) {
            _ if std::mem::take(&mut escaped) => {}
            (b'\\', Some(_)) => escaped = true,
            (b'"', Some(start)) => {
                last = json.get(start..=at).and_then(|text| serde_json::from_str(text).ok());
                strings = None;
            }
            (b'"', None) => strings = Some(at),
            (_, Some(_)) => {}
            (b'{' | b'[', None) => keys.push(None),
            (b':', None) => {
                if let Some(key) = keys.last_mut() {
                    *key = last.take();
                }
            }
            (b'}' | b']', None) if at + 1 < column => drop(keys.pop()),
            _ => {}
        }
    }
    keys.into_iter().rev().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_place_in_json_is_the_one_around_it() {
        let json = r#"{"a":1,"b":{"c\"":[true,{"d":"x"}]},"e":"f"}"#;
        let at = |what: &str| key_at(json, json.find(what).unwrap() + what.len());
        assert_eq!(at(":1").as_deref(), Some("a"));
        assert_eq!(at("true").as_deref(), Some("c\""));
        assert_eq!(at("\"x\"").as_deref(), Some("d"));
        assert_eq!(at("\"f\"").as_deref(), Some("e"));
        assert_eq!(key_at("{}", 2), None);
        assert_eq!(key_at("", 9), None);
    }

    #[test]
    fn a_word_is_found_as_a_key_first_and_in_its_own_entry() {
        let text = "x = \"tool\"\n[[policy]]\nname = \"a\"\ntool = 1\n[[policy]]\nname = \"b\"\n tools = ['tool']\n";
        let place = |word: &str, policy: Option<&str>| {
            let problem = Problem {
                layer: Layer::User,
                place: "f".to_owned(),
                text: format!("`{word}` is odd"),
                hint: String::new(),
            };
            placed(problem, text, policy).place
        };
        assert_eq!(place("tool", None), "f:4:1");
        assert_eq!(place("tool", Some("a")), "f:4:1");
        assert_eq!(place("tool", Some("b")), "f:7:11");
        assert_eq!(place("none", Some("b")), "f:6:8");
        assert_eq!(place("none", None), "f");
    }
}
