//! [`Shape`]: the part of the document that is the same for every call. It reveals misspelled keys and values before
//! the first call.

use std::sync::OnceLock;

use guard_sdk::serde_json::{Value, json};
use guard_sdk::syntax::{
    Analysis, Assignment, Command, Comment, Coverage, EFFECT_KINDS, Effect, Part, Position, Redirection, Script, Span,
    Via, Word, operations,
};
use guard_sdk::{Event, Facts, tools};

use super::literals::{refuse_command, refuse_path};

/// Input keys of the common tools. Other tools have other keys.
const INPUT_KEYS: [&str; 9] = [
    "command",
    "content",
    "file_path",
    "new_string",
    "notebook_path",
    "old_string",
    "pattern",
    "prompt",
    "replace_all",
];

/// The kinds of events in a session's history.
const EVENT_KINDS: [&str; 14] = [
    "asked",
    "delete",
    "denied",
    "download",
    "failed",
    "forgotten",
    "install",
    "look",
    "ran",
    "refused",
    "remote",
    "request",
    "secret-read",
    "write",
];

/// Common tags of effects. A similar name is taken for a typo. Other names are allowed.
const TAGS: [&str; 24] = [
    "among",
    "append",
    "archive",
    "client",
    "disposable",
    "dry-run",
    "engine",
    "force",
    "instead",
    "lockfile",
    "loses",
    "manager",
    "mirror",
    "name",
    "namespace",
    "own-folder",
    "recovery",
    "recursive",
    "remote",
    "source",
    "truncate",
    "verb",
    "version",
    "without-scripts",
];

/// The program of a command.
const PROGRAM: &str = "program";

/// The maximum number of alternatives of a pattern that are checked.
const ALTERNATIVES: usize = 64;

/// The maximum edit distance of a typo.
const CHANGES: usize = 2;

/// The shape of a value, which is known before the call.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// The key in the document, and an example.
    Value(&'static str, &'static Value),
    /// A list of elements of one shape.
    List(Box<Shape>),
}

impl Shape {
    /// Returns the shape of the whole document.
    #[must_use]
    pub fn document() -> Self {
        static DOCUMENT: OnceLock<Value> = OnceLock::new();
        Shape::Value("", DOCUMENT.get_or_init(example))
    }

    /// Returns the shape of a key's value. `None` if it is unknown.
    ///
    /// # Errors
    ///
    /// The possible keys, if this one isn't possible.
    pub fn key(&self, name: &str) -> Result<Option<Self>, Vec<&'static str>> {
        match self {
            // The input of a tool, and the tags of an effect.
            Shape::Value(of, Value::Object(keys)) if keys.is_empty() => {
                let usual: &[&'static str] = match *of {
                    INPUT => &INPUT_KEYS,
                    EFFECT_TAGS => &TAGS,
                    _ => &[],
                };
                let mut slips = usual.iter().filter(|key| !usual.contains(&name) && tools::is_slip(name, key));
                slips.next().map_or(Ok(None), |similar| Err(vec![*similar]))
            }
            Shape::Value(of, Value::Object(keys)) => match keys.get_key_value(name) {
                // Several objects have these keys with different meanings.
                Some((key, value)) if matches!(key.as_str(), "kind" | "tags") => {
                    let own = [EFFECT_KIND, EFFECT_TAGS, EVENT_KIND]
                        .into_iter()
                        .find(|own| own.strip_suffix(key.as_str()).and_then(|own| own.strip_suffix('.')) == Some(*of));
                    Ok(Some(Shape::Value(own.unwrap_or(key), value)))
                }
                Some((key, value)) => Ok(Some(Shape::Value(key, value))),
                None => Err(keys.keys().map(String::as_str).collect()),
            },
            Shape::Value(..) | Shape::List(_) => Ok(None),
        }
    }

    /// Returns the shape of a list's elements.
    #[must_use]
    pub fn element(&self) -> Option<Self> {
        match self {
            Shape::Value(of, Value::Array(items)) => Some(Shape::Value(of, items.first()?)),
            Shape::Value(..) => None,
            Shape::List(element) => Some(element.as_ref().clone()),
        }
    }

    /// Returns the error for a text that can never equal this value.
    #[must_use]
    pub fn refuse(&self, text: &str) -> Option<String> {
        let one_of = |known: &[&str]| (!known.contains(&text)).then(|| unknown_name("value", text, known));
        match self.vocabulary()? {
            "coverage" => one_of(&["complete", "partial", "unparsed"]),
            "severity" => one_of(&["routine", "notable", "destructive", "catastrophic"]),
            "exists" => one_of(&["yes", "no", "unknown"]),
            "tool" => tools::meant(text).map(|similar| unknown_name("tool", text, &[similar])),
            "operation" => refuse_operation(text),
            EFFECT_KIND => nearest_kind(text, &EFFECT_KINDS),
            EVENT_KIND => nearest_kind(text, &EVENT_KINDS),
            PROGRAM => refuse_command(text),
            key => refuse_path(key, text),
        }
    }

    /// Returns the error for a text that this value can never begin with.
    #[must_use]
    pub fn refuse_start(&self, text: &str) -> Option<String> {
        match self.vocabulary()? {
            "operation" => {}
            PROGRAM => return refuse_command(text),
            key => return refuse_path(key, text),
        }
        if operations().any(|name| name.starts_with(text)) {
            return None;
        }
        let dotted = text.ends_with('.');
        let starts = |name: &'static str| {
            let ends = name.match_indices(['.', '-']).map(move |(at, _)| at + usize::from(dotted));
            ends.chain((!dotted).then_some(name.len())).filter_map(|end| name.get(..end))
        };
        Some(unknown_name("operation", text, &[nearest_name(text, operations().flat_map(starts))?]))
    }

    /// Returns the error for a regular expression that this value can never match, judged by its literal start.
    #[must_use]
    pub fn refuse_pattern(&self, pattern: &str) -> Option<String> {
        let pattern = pattern.strip_prefix('^')?;
        let group =
            pattern.strip_prefix("(?:").or_else(|| pattern.strip_prefix('(')).and_then(|group| group.split_once(')'));
        let mut alternatives: Vec<&str> = match group {
            Some((inner, rest)) if !inner.contains('(') && !rest.starts_with(['*', '?', '{']) => {
                inner.split('|').collect()
            }
            _ => vec![pattern],
        };
        alternatives.truncate(ALTERNATIVES);
        alternatives.into_iter().find_map(|pattern| match literal_prefix(pattern) {
            (start, "$") => self.refuse(&start),
            (start, _) => self.refuse_start(&start),
        })
    }

    /// Returns the error for a pattern with wildcards, such as `git.push.*`, that this value can never match.
    #[must_use]
    pub fn refuse_wildcards(&self, pattern: &str) -> Option<String> {
        match pattern.split_once(['*', '?', '[', '{', '\\']) {
            Some((start, _)) => self.refuse_start(start),
            None => self.refuse(pattern),
        }
    }

    /// Returns the key of a text value.
    fn vocabulary(&self) -> Option<&'static str> {
        match self {
            Shape::Value(of, Value::String(_)) => Some(of),
            _ => None,
        }
    }
}

/// Returns the literal start of a regular expression, and the rest.
fn literal_prefix(pattern: &str) -> (String, &str) {
    let (mut start, mut rest) = (String::new(), pattern);
    loop {
        let mut letters = rest.chars();
        let (letter, after) = match letters.next() {
            Some('\\') => match letters.next() {
                Some(letter) if letter.is_ascii_punctuation() => (letter, letters.as_str()),
                _ => return (start, rest),
            },
            Some('[') if rest.starts_with("[.]") => ('.', rest.get(3..).unwrap_or_default()),
            Some(letter) if letter.is_alphanumeric() || matches!(letter, '-' | '_') => (letter, letters.as_str()),
            _ => return (start, rest),
        };
        // The character is optional.
        if after.starts_with(['*', '?', '{']) {
            return (start, rest);
        }
        start.push(letter);
        rest = after;
    }
}

/// The maximum number of operations in a message.
const NAMED: usize = 6;

/// Formats a message about a name in the form that the host extends with "did you mean".
#[must_use]
pub fn unknown_name(kind: &str, name: &str, known: &[&str]) -> String {
    format!("unknown {kind} `{name}`, expected one of `{}`", known.join("`, `"))
}

/// Returns the known name that differs by one typo: a letter, two swapped letters, or the case.
#[must_use]
pub fn misspelt(text: &str, known: &[&'static str]) -> Option<&'static str> {
    let is_slip = |name: &&&str| {
        **name != text && (name.eq_ignore_ascii_case(text) || strsim::damerau_levenshtein(text, name) == 1)
    };
    known.iter().find(is_slip).copied().filter(|_| !known.contains(&text))
}

/// Returns the error for a text that is no operation: a typo, or a kind or a family in place of a dotted name. Other
/// dotted names are allowed, because later versions may add some.
fn refuse_operation(text: &str) -> Option<String> {
    let (family, last) = text.split_once('.').map_or((None, text), |(family, rest)| (Some(family), rest));
    let of_family = || operations().filter(move |name| name.split('.').next() == family);
    let similar = nearest_name(text, of_family()).or_else(|| nearest_name(text, operations()));
    let mut meant: Vec<&str> = match similar {
        Some(similar) if of_family().next().is_none() || of_family().any(|name| name == similar) => vec![similar],
        Some(_) => of_family().collect(),
        None if last.is_empty() || operations().any(|name| name == text) => Vec::new(),
        None if family.is_none() || of_family().next().is_none() && EFFECT_KINDS.contains(&last) => {
            let has_part = |name: &&str| name.split('.').any(|part| part == last);
            let starts = |name: &&str| name.starts_with(last);
            operations().filter(|name| has_part(name) || starts(name)).collect()
        }
        None => Vec::new(),
    };
    // The files of the machine, or the family itself, are meant most often.
    meant.sort_by_key(|name| !name.starts_with("fs.") && name.split('.').next() != Some(last));
    meant.truncate(NAMED);
    (!meant.is_empty()).then(|| unknown_name("operation", text, &meant))
}

/// Returns the most similar known name, if the name itself isn't known.
fn nearest_name(text: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let near = known.map(|name| (strsim::damerau_levenshtein(text, name), name));
    let (changes, name) = near.min()?;
    (1..=CHANGES).contains(&changes).then_some(name)
}

/// Returns the error for a kind that is similar to one of `known`. Other kinds are allowed, because later versions may
/// add some.
fn nearest_kind(text: &str, known: &[&'static str]) -> Option<String> {
    misspelt(text, known).map(|meant| unknown_name("kind", text, &[meant]))
}

const INPUT: &str = "input";
const EFFECT_KIND: &str = "effects.kind";
const EFFECT_TAGS: &str = "effects.tags";
const EVENT_KIND: &str = "history.kind";

/// A document with one element in each list, and empty objects where the keys differ between calls.
fn example() -> Value {
    let word = || Word {
        text: String::new(),
        dynamic: false,
        quoted: false,
        glob: false,
        parts: vec![Part { kind: String::new(), text: String::new(), quoted: false }],
    };
    let command = Command {
        id: 0,
        parent: 0,
        argv: vec![word()],
        assignments: vec![Assignment { name: String::new(), value: word() }],
        redirections: vec![Redirection {
            fd: 0,
            operator: String::new(),
            target: word(),
            body: String::new(),
            body_quoted: false,
        }],
        position: Position {
            pipeline: 0,
            index: 0,
            length: 0,
            operator: String::new(),
            background: false,
            within: vec![String::new()],
        },
        via: vec![Via { kind: String::new(), detail: String::new() }],
        span: Span { start: 0, end: 0 },
        cwd: String::new(),
        certain: true,
    };
    let script = Script { language: String::new(), text: String::new(), command_id: 0, certain: true };
    let analysis = Analysis {
        coverage: Coverage::Complete,
        reasons: vec![String::new()],
        commands: vec![command],
        effects: vec![Effect::default()],
        scripts: vec![script],
    };
    let facts = Facts {
        cwd: String::new(),
        project_root: String::new(),
        home: String::new(),
        session: String::new(),
        harness: String::new(),
        permission_mode: String::new(),
        original_tool: String::new(),
    };
    let event = Event {
        number: 0,
        time: String::new(),
        kind: String::new(),
        tool: String::new(),
        target: String::new(),
        certain: true,
        tags: Vec::new(),
    };
    let comment = Comment { text: String::new(), span: Span { start: 0, end: 0 } };
    super::document("", json!({}), super::analysis_value(analysis, vec![comment]), facts, vec![event])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the shape at a path, in which `_` is an element of a list.
    pub(crate) fn at(path: &str) -> Shape {
        path.split('.').fold(Shape::document(), |shape, step| match step {
            "_" => shape.element().unwrap(),
            key => shape.key(key).unwrap().unwrap(),
        })
    }

    #[test]
    fn a_key_that_no_call_has_is_told_from_one_that_some_call_may_have() {
        for (path, key) in [
            ("analysis", "comands"),
            ("analysis.effects._", "operaton"),
            ("analysis.effects._.path", "canonicl"),
            ("analysis.commands._.words._.parts._", "kid"),
            ("analysis.comments._", "txt"),
            ("analysis.commands._.redirections._.target", "txt"),
            ("context", "pwd"),
            ("history._", "targt"),
            ("input", "comand"),
            ("input", "file_pth"),
            ("analysis.effects._.tags", "manger"),
            ("analysis.effects._.tags", "lokcfile"),
            ("analysis.effects._.tags", "remot"),
        ] {
            assert!(at(path).key(key).is_err(), "{path} {key}");
        }
        for (path, key) in [
            ("input", "commands"),
            ("input", "filepath"),
            ("input", "context"),
            ("input", "anything"),
            ("analysis.effects._.tags", "remotes"),
            ("analysis.effects._.tags", "manager"),
            ("analysis.effects._.tags", "mode"),
            ("history._.tags", "manger"),
            ("tool", "x"),
        ] {
            assert_eq!(at(path).key(key), Ok(None), "{path} {key}");
        }
    }

    #[test]
    fn a_value_is_refused_only_where_it_is_a_slip() {
        let operation = at("analysis.effects._.operation");
        for name in ["package.instal", "pakage.install", "git.push.forc", "fs.wirte"] {
            assert!(operation.refuse(name).is_some_and(|text| text.contains(name)), "{name}");
        }
        for name in ["package.install", "git.push.force", "teapot.boil", ""] {
            assert_eq!(operation.refuse(name), None, "{name}");
        }
        for start in ["git.psuh.", "gti.", "packge", "fs.wirte", "sql.drpo"] {
            assert!(operation.refuse_start(start).is_some(), "{start}");
        }
        for start in ["git.", "git.push.f", "g", "", "teapot.", "fs.write"] {
            assert_eq!(operation.refuse_start(start), None, "{start}");
        }
        for pattern in
            ["^packge", r"^git\.psuh\.", "^git[.]psuh[.]", "^(git|packge)", r"^package\.instal$", "^pakage.*"]
        {
            assert!(operation.refuse_pattern(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "^package",
            r"^git\.push?\.",
            "packge",
            "^(git|package)",
            "^teapot",
            "^g[aeiou]t",
            "^",
            "",
            "^\\",
            r"^git\.(push|tag)",
            "^(git(hub|tag)|npm)",
            "^(packge)?x",
        ] {
            assert_eq!(operation.refuse_pattern(pattern), None, "{pattern}");
        }
        assert!(operation.refuse_wildcards("git.psuh.*").is_some() && operation.refuse_wildcards("*").is_none());
        for (place, kind) in [("analysis.effects._.kind", "packge"), ("history._.kind", "donwload")] {
            assert!(at(place).refuse(kind).is_some_and(|text| text.contains(kind)), "{kind}");
        }
        for (place, kind) in [
            ("analysis.effects._.kind", "package"),
            ("analysis.effects._.kind", "quantum"),
            ("history._.kind", "denied"),
            ("analysis.effects._.path.kind", "packge"),
            ("analysis.commands._.via._.kind", "wirte"),
        ] {
            assert_eq!(at(place).refuse(kind), None, "{place} {kind}");
        }
        for name in ["bash", "Bsh"] {
            assert!(at("tool").refuse(name).is_some() && at("history._.tool").refuse(name).is_some(), "{name}");
        }
        for name in ["Bash", "mcp__a__b", "Frobnicate", "none"] {
            assert_eq!(at("tool").refuse(name), None, "{name}");
        }
        assert!(at("analysis.coverage").refuse("full").is_some());
        assert!(at("analysis.effects._.severity").refuse("Notable").is_some());
        assert_eq!(at("analysis.effects._.path.exists").refuse("yes"), None);
        assert_eq!(at("analysis.effects._.target").refuse("package.instal"), None);
        assert_eq!(at("analysis.effects").refuse("x"), None);
    }
}
