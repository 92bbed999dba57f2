//! Makes the static tables of programs from `programs/*.toml`, which `src/programs/table.rs` includes.
//!
//! Checks what can be seen in a file alone; whether an entry does what its examples say is a test's business.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The kinds of effects. An open set for policies, but closed here so that typos are detected.
const KINDS: &[&str] = &[
    "cloud",
    "container",
    "database",
    "delete",
    "device",
    "execute",
    "network",
    "orchestration",
    "package",
    "power",
    "privilege",
    "process",
    "service",
    "system",
    "vcs",
];

const SEVERITIES: &[(&str, &str)] =
    &[("notable", "Notable"), ("destructive", "Destructive"), ("catastrophic", "Catastrophic")];

/// A file. `programs/README.md` describes the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    names: Vec<String>,
    about: String,
    source: String,
    #[serde(default)]
    beside: bool,
    #[serde(default = "client")]
    named: String,
    #[serde(default)]
    instead: String,
    #[serde(default)]
    instead_of: BTreeMap<String, String>,
    #[serde(default)]
    called: BTreeMap<String, String>,
    function: Option<String>,
    silent: Vec<String>,
    #[serde(default)]
    options: Given,
    effect: Vec<Effect>,
    /// Read by the tests.
    #[serde(default, rename = "case")]
    _case: Vec<IgnoredAny>,
}

fn client() -> String {
    "client".to_owned()
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Given {
    values: Vec<String>,
    switches: BTreeMap<String, Vec<String>>,
    harmless: Vec<String>,
    dry: Vec<String>,
    through: Vec<String>,
    leading: bool,
    single_dash: bool,
    abbreviates: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Effect {
    #[serde(default)]
    of: Vec<String>,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    kind: String,
    operation: String,
    severity: String,
    #[serde(default = "first")]
    target: String,
    #[serde(default)]
    path: bool,
    #[serde(default)]
    also: bool,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    flags: BTreeMap<String, String>,
    #[serde(default)]
    loses: String,
    #[serde(default)]
    instead: String,
    examples: Vec<String>,
}

fn first() -> String {
    "first".to_owned()
}

/// An error in a file, with its fix.
type Complaint = Box<dyn Error>;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=programs");
    match generate() {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            complaints.iter().for_each(|complaint| println!("cargo::error={complaint}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the tables; answers what is wrong with the files.
fn generate() -> Result<Vec<String>, Complaint> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("programs");
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut names, mut entries, mut complaints) = (BTreeMap::new(), String::new(), Vec::new());
    for (at, path) in paths.iter().enumerate() {
        let name = format!("programs/{}", path.file_name().unwrap_or_default().display());
        match entry(path, &name, at, &mut names) {
            Ok(text) => entries.push_str(&text),
            Err(found) => complaints.extend(found.into_iter().map(|complaint| format!("{name}: {complaint}"))),
        }
    }
    let mut text = String::from("static NAMES: &[(&str, usize)] = &[\n");
    for (name, (at, _)) in &names {
        writeln!(text, "    ({name:?}, {at}),")?;
    }
    write!(text, "];\n\n/// Every file of the table.\nstatic ENTRIES: &[Entry] = &[\n{entries}];\n")?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("programs.rs"), text)?;
    Ok(complaints)
}

type Names = BTreeMap<String, (usize, String)>;

pub(crate) fn entry(path: &Path, name: &str, at: usize, names: &mut Names) -> Result<String, Vec<String>> {
    let text = fs::read_to_string(path).map_err(|error| vec![error.to_string()])?;
    let file: File = toml::from_str(&text).map_err(|error| vec![error.to_string()])?;
    let mut complaints = file_complaints(&file);
    for program in &file.names {
        if let Some((_, other)) = names.insert(program.clone(), (at, name.to_owned())) {
            complaints.push(format!("names: `{program}` stands in {other}, too: describe a program in one file"));
        }
    }
    let writer = Writer::new(&file);
    let mut facts = String::new();
    for effect in &file.effect {
        let place = format!("[[effect]] {} ({})", effect.operation, effect.verbs.first().map_or("", String::as_str));
        complaints.extend(effect_complaints(&file, effect).into_iter().map(|text| format!("{place}: {text}")));
        match writer.fact(effect) {
            Ok(text) => facts.push_str(&text),
            Err(error) => complaints.push(format!("{place}: {error}")),
        }
    }
    match writer.entry(&file, name, &facts) {
        Ok(text) if complaints.is_empty() => return Ok(text),
        Ok(_) => {}
        Err(error) => complaints.push(format!("[options]: {error}")),
    }
    Err(complaints)
}

fn file_complaints(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut wrong = |is: bool, text: String| {
        if is {
            complaints.push(text)
        }
    };
    wrong(file.names.is_empty(), "names: give at least the program's own name".to_owned());
    for name in file.names.iter().filter(|name| **name != name.to_ascii_lowercase()) {
        wrong(true, format!("names: `{name}` must be lower case, as names are compared in lower case"));
    }
    wrong(file.about.trim().is_empty(), "about: say in one line what the program is".to_owned());
    wrong(
        !file.source.starts_with("https://"),
        "source: give the page that the facts come from, https://...".to_owned(),
    );
    wrong(file.silent.is_empty(), "silent: give harmless calls that must have none of the effects".to_owned());
    for name in file.names.iter().filter(|name| !file.effect.iter().any(|effect| is_of(effect, name))) {
        wrong(true, format!("names: no [[effect]] is true of `{name}`: give it one, or take the name out"));
    }
    let without_own = |name: &String| file.effect.iter().any(|effect| effect.instead.is_empty() && is_of(effect, name));
    for name in file.instead_of.keys().filter(|name| !file.names.contains(name) || !without_own(name)) {
        wrong(true, format!("instead-of: `{name}` has no effect without its own `instead`, or is not among the names"));
    }
    for name in file.called.keys().filter(|name| !file.names.contains(name)) {
        wrong(true, format!("called: `{name}` is not among the names of the file"));
    }
    for (name, options) in &file.options.switches {
        wrong(!file.names.contains(name), format!("switches: `{name}` is not among the names of the file"));
        for option in options.iter().filter(|option| !file.options.values.contains(option)) {
            wrong(
                true,
                format!("switches: `{option}` of `{name}` is not among the `values`, so it is a switch already"),
            );
        }
    }
    wrong(file.effect.is_empty(), "give at least one [[effect]]; a program without one needs no file".to_owned());
    complaints
}

fn is_of(effect: &Effect, name: &String) -> bool {
    effect.of.is_empty() || effect.of.contains(name)
}

fn effect_complaints(file: &File, effect: &Effect) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut wrong = |is: bool, text: String| {
        if is {
            complaints.push(text)
        }
    };
    let is_dotted = effect.operation.split('.').count() > 1
        && effect.operation.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        });
    wrong(!is_dotted, "operation: write it as dotted lower case, `family.verb`".to_owned());
    wrong(!KINDS.contains(&effect.kind.as_str()), format!("kind: `{}` is none of {}", effect.kind, KINDS.join(", ")));
    for name in effect.of.iter().filter(|name| !file.names.contains(name)) {
        wrong(true, format!("of: `{name}` is not among the names of the file"));
    }
    let speaks = !effect.loses.trim().is_empty();
    wrong(effect.severity != "notable" && !speaks, "loses: say in a few words what is lost".to_owned());
    wrong(effect.loses.ends_with('.'), "loses: a phrase, without a full stop".to_owned());
    wrong(effect.examples.is_empty(), "examples: give a command that has this effect".to_owned());
    complaints
}

/// Writes Rust for one file.
struct Writer {
    single: bool,
    short: BTreeSet<char>,
    long: BTreeSet<String>,
}

impl Writer {
    /// Options that take a value: those listed, and those whose value an effect asks for.
    fn new(file: &File) -> Writer {
        let mut writer = Writer { single: file.options.single_dash, short: BTreeSet::new(), long: BTreeSet::new() };
        let asked = file.effect.iter().flat_map(|effect| effect.with.iter().chain(&effect.without));
        let valued = asked.flat_map(|text| text.split([' ', '|'])).filter_map(|mark| mark.split_once('='));
        let targets = file.effect.iter().flat_map(|effect| effect.tags.values().chain([&effect.target]));
        let targets = targets.flat_map(|text| text.split('|'));
        let options = file.options.values.iter().map(String::as_str).chain(valued.map(|(name, _)| name)).chain(targets);
        for option in options.filter(|option| option.starts_with('-')) {
            let (letter, long) = writer.split(option);
            writer.short.extend(letter.chars());
            if !long.is_empty() {
                writer.long.insert(long.to_owned());
            }
        }
        writer
    }

    /// The letter or the long name of an option.
    fn split<'t>(&self, option: &'t str) -> (&'t str, &'t str) {
        let name = option.trim_start_matches('-');
        let is_short = !self.single && !option.starts_with("--");
        if is_short { (name, "") } else { ("", name) }
    }

    /// The options of a name for which `switches` take no value.
    fn options(&self, file: &File, switches: &[String]) -> String {
        let switches: Vec<(&str, &str)> = switches.iter().map(|option| self.split(option)).collect();
        let takes = |letter: &str, long: &str| !switches.contains(&(letter, long));
        let short: String = self.short.iter().filter(|letter| takes(&letter.to_string(), "")).collect();
        let long: Vec<&str> = self.long.iter().map(String::as_str).filter(|long| takes("", long)).collect();
        format!(
            "Options {{ short: {short:?}, attached: \"\", long: {:?}, leading: {}, single: {}, exact: {} }}",
            long.join(" "),
            file.options.leading,
            self.single,
            !file.options.abbreviates,
        )
    }

    fn entry(&self, file: &File, name: &str, facts: &str) -> Result<String, Complaint> {
        let mut harmless = file.options.harmless.join("|");
        if !harmless.split('|').any(|mark| mark == "--help") {
            harmless = format!("--help|{harmless}");
        }
        let through: Result<Vec<String>, Complaint> = file.options.through.iter().map(|text| steps(text)).collect();
        let switches = file.options.switches.iter();
        let options_of = switches.map(|(name, switches)| format!("({name:?}, {})", self.options(file, switches)));
        let act = file.function.as_ref().map_or("None".to_owned(), |path| format!("Some(super::{path})"));
        Ok(format!(
            "    Entry {{\n        file: {name:?},\n        options: {},\n        options_of: &[{}],\n        \
             abbreviates: {},\n        beside: {},\n        through: &[{}],\n        \
             harmless: &[{}],\n        dry: &[{}],\n        named: {:?},\n        called: &{:?},\n        \
             instead: {:?},\n        instead_of: &{:?},\n        act: {act},\n        effects: &[\n\
             {facts}        ],\n    }},\n",
            self.options(file, &[]),
            options_of.collect::<Vec<_>>().join(", "),
            file.options.abbreviates,
            file.beside,
            through?.join(", "),
            self.marks(harmless.trim_end_matches('|'))?,
            self.marks(&file.options.dry.join("|"))?,
            file.named,
            file.called.iter().collect::<Vec<_>>(),
            file.instead,
            file.instead_of.iter().collect::<Vec<_>>(),
        ))
    }

    fn fact(&self, effect: &Effect) -> Result<String, Complaint> {
        let verbs: Result<Vec<String>, Complaint> = effect.verbs.iter().map(|text| steps(text)).collect();
        let severity = SEVERITIES.iter().find(|(name, _)| *name == effect.severity);
        let severity =
            severity.map(|(_, variant)| variant).ok_or("severity: say notable, destructive or catastrophic")?;
        let targets: Result<Vec<String>, Complaint> = effect.target.split('|').map(|text| self.target(text)).collect();
        let mut flags = Vec::new();
        for (tag, marks) in &effect.flags {
            flags.push(format!("({tag:?}, &[{}])", self.marks(marks)?));
        }
        let mut given = Vec::new();
        for (tag, marks) in effect.tags.iter().filter(|(_, value)| value.starts_with('-')) {
            given.push(format!("({tag:?}, &[{}])", self.marks(marks)?));
        }
        let tags: Vec<(&String, &String)> = effect.tags.iter().filter(|(_, value)| !value.starts_with('-')).collect();
        Ok(format!(
            "            Fact {{ of: &{:?}, verbs: &[{}], with: &[{}], without: &[{}], kind: {:?}, operation: {:?}, \
             severity: Severity::{severity}, target: &[{}], path: {}, also: {}, tags: &{tags:?}, given: &[{}], \
             flags: &[{}], loses: {:?}, instead: {:?} }},\n",
            effect.of,
            verbs?.join(", "),
            self.conditions(&effect.with)?,
            self.conditions(&effect.without)?,
            effect.kind,
            effect.operation,
            targets?.join(", "),
            effect.path,
            effect.also,
            given.join(", "),
            flags.join(", "),
            effect.loses,
            effect.instead,
        ))
    }

    /// Each text is one condition; its words must all hold, and `|` parts alternatives.
    fn conditions(&self, texts: &[String]) -> Result<String, Complaint> {
        let mut all = Vec::new();
        for text in texts {
            let words: Result<Vec<String>, Complaint> =
                text.split_whitespace().map(|word| Ok(format!("&[{}]", self.marks(word)?))).collect();
            all.push(format!("&[{}]", words?.join(", ")));
        }
        Ok(all.join(", "))
    }

    fn marks(&self, text: &str) -> Result<String, Complaint> {
        let mut marks = Vec::new();
        for mark in text.split('|').filter(|mark| !mark.is_empty()) {
            let (letter, long, value, operand) = if mark.starts_with('-') && mark.len() > 1 {
                let (name, value) = mark.split_once('=').unwrap_or((mark, ""));
                let (letter, long) = self.split(name);
                if letter.chars().count() > 1 {
                    return Err(format!("`{mark}`: one dash, one letter; or set `single-dash` in [options]").into());
                }
                (letter, long, value, "")
            } else {
                ("", "", "", mark)
            };
            pattern(value)?;
            pattern(operand)?;
            marks
                .push(format!("Mark {{ letter: {letter:?}, long: {long:?}, value: {value:?}, operand: {operand:?} }}"));
        }
        Ok(marks.join(", "))
    }

    fn target(&self, text: &str) -> Result<String, Complaint> {
        Ok(match text {
            "first" => "Target::At(0)".to_owned(),
            "second" => "Target::At(1)".to_owned(),
            "third" => "Target::At(2)".to_owned(),
            "lead" => "Target::Lead".to_owned(),
            "each" => "Target::Each".to_owned(),
            "last" => "Target::Last".to_owned(),
            "rest" => "Target::Rest".to_owned(),
            "none" => "Target::Nothing".to_owned(),
            option if option.starts_with('-') => {
                let (letter, long) = self.split(option);
                format!("Target::Value({letter:?}, {long:?})")
            }
            other => {
                let known = "first, second, third, last, each, rest, lead, none, or an option such as `--name`";
                return Err(format!("target: `{other}` is none of {known}").into());
            }
        })
    }
}

/// The steps of a verb: words that may hold two `*`, alternatives parted by `|`, and `**`.
fn steps(text: &str) -> Result<String, Complaint> {
    let mut steps = Vec::new();
    for word in text.split_whitespace() {
        if word == "**" {
            steps.push("Step::Deep".to_owned());
            continue;
        }
        let choices: Vec<&str> = word.split('|').collect();
        for choice in &choices {
            if choice.starts_with('-') {
                return Err(
                    format!("verbs: `{choice}` is an option, which is never a verb: ask for it in `with`").into()
                );
            }
            pattern(choice)?;
        }
        steps.push(format!("Step::Word(&{choices:?})"));
    }
    match steps.last().map(String::as_str) {
        None => Err("verbs: an empty text fits nothing; leave `verbs` out for a program without verbs".into()),
        Some("Step::Deep") => Err(format!("verbs: `{text}` must end with a word").into()),
        Some(_) => Ok(format!("&[{}]", steps.join(", "))),
    }
}

fn pattern(text: &str) -> Result<(), Complaint> {
    if text.matches('*').count() > 2 {
        return Err(format!("`{text}`: a word may hold at most two `*`").into());
    }
    Ok(())
}
