//! [`of`]: reads a call of an unknown tool as calls of tools that policies know.
//!
//! Only an MCP server knows what its tools do, but argument names usually reveal it: `command` is shell text, `path` is
//! a file. Entries in the configuration ([`Arguments`]) are certain, and names ([`names`]) are a guess. Policies are
//! asked about the call itself as well.

mod by_name;
mod lifecycle;
mod lines;
mod names;
mod requests;
mod runs;
mod shapes;
mod table;

use serde_json::{Map, Value};

use crate::call::{COMMON_TOOLS, OTHER_TOOLS, ToolCall};
use crate::paths::trimmed;
use crate::shell_word::word;
use lines::{environment, notebook_commands, path_word, prose_command, typed_text};
use names::{Doing, Kind, argument_kind, doing, language_program, normalize, parse_json_arguments, split_words};
pub use table::Arguments;

/// The maximum number of readings of a call.
pub const READINGS: usize = 64;

/// Maximum length of a path or URL, in bytes.
const PATH_BYTES: usize = 4096;

/// The certainty that a text is what it is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// By the configuration.
    Told,
    /// By the argument's name.
    Guessed,
    /// The text may be in another language.
    Perhaps,
    /// The text may be prose.
    Prose,
}

/// A call that a call of an unknown tool amounts to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The call, in the common vocabulary.
    pub call: ToolCall,
    /// The name of the argument, or [`THE_NAME`].
    pub argument: String,
    /// What the argument reads as.
    pub taken_for: &'static str,
    /// The certainty of the reading.
    pub certainty: Certainty,
}

/// Used as the argument's name if the reading comes from the tool's name.
pub const THE_NAME: &str = "the tool's name";

/// All readings of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    /// The readings, in the order of the arguments.
    pub all: Vec<Reading>,
    /// Whether there are more readings than the limit.
    pub is_cut: bool,
}

/// Tools that start an agent or wake one later. Their prompts may be commands.
const AGENTS: [&str; 4] = ["Agent", "SubAgent", "CronCreate", "ScheduleWakeup"];

/// Harness tools whose arguments are read as for an unknown tool.
const READ: [&str; 4] = ["Monitor", "NotebookRead", "ReadMcpResource", "ReadMcpResourceTool"];

/// Returns the calls that `call` amounts to, by the configuration and by its arguments' names.
#[must_use]
pub fn of(call: &ToolCall, table: &[Arguments]) -> Readings {
    let tool = call.tool.as_str();
    if matches!(tool, "Write" | "Edit" | "MultiEdit") {
        return lifecycle::readings(call);
    }
    let is_agent = AGENTS.contains(&tool);
    // A URL can identify a file, or the cloud's metadata service.
    let is_local = || call.input.get("url").and_then(Value::as_str).is_some_and(requests::is_local);
    if call.dialect.is_some() || COMMON_TOOLS.contains(&tool) && !is_agent && !(tool == "WebFetch" && is_local()) {
        return Readings::default();
    }
    let input = parse_json_arguments(&call.input);
    let mut reader = Reader {
        told: table.iter().filter(|entry| entry.applies_to(call)).collect(),
        words: split_words(tool),
        guesses: match OTHER_TOOLS.contains(&tool) && !READ.contains(&tool) {
            _ if is_agent => Guesses::Commands,
            true => Guesses::None,
            false => Guesses::All,
        },
        tool: call,
        found: Readings::default(),
    };
    if tool == "ExitWorktree" && input.get("discard_changes") == Some(&Value::Bool(true)) {
        reader.bash("git worktree remove --force .".to_owned(), "discard_changes", "a removal", Certainty::Guessed);
    }
    if tool == "Config" {
        reader.setting(&input);
    }
    if reader.guesses == Guesses::All {
        let server = tool.rsplit_once("__").map_or("", |(server, _)| server);
        for line in by_name::lines(tool, &input).into_iter().chain(requests::hostless_request(server, tool, &input)) {
            reader.bash(line, THE_NAME, "a change elsewhere", Certainty::Perhaps);
        }
        reader.words.extend(by_name::verb(&input).map(split_words).unwrap_or_default());
    }
    reader.object(&input);
    reader.found
}

/// The arguments whose names are used for guesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guesses {
    None,
    Commands,
    All,
}

struct Reader<'a> {
    told: Vec<&'a Arguments>,
    /// The tool's name in words.
    words: Vec<String>,
    guesses: Guesses,
    tool: &'a ToolCall,
    found: Readings,
}

/// A file that an object names.
struct File<'a> {
    key: &'a str,
    kind: Kind,
    path: String,
    certainty: Certainty,
}

impl<'a> Reader<'a> {
    /// Reads an object's arguments, and then those of nested objects.
    fn object(&mut self, object: &'a Map<String, Value>) {
        let mut files = Vec::new();
        let has_language = self.guesses == Guesses::All && names::language(object).is_some();
        for (key, value) in object {
            self.read_named_files(key, value);
            if has_language && runs::is_code_beside(&normalize(key), &self.words) {
                self.code(key, value, Certainty::Perhaps, object);
            }
            for (kind, certainty) in self.kinds(key) {
                // The script isn't shell text.
                let is_call = |text: &str| text.contains('(') && !text.contains("$(");
                if kind == Kind::Shell
                    && certainty == Certainty::Perhaps
                    && runs::runs_code(&self.words)
                    && value.as_str().is_some_and(is_call)
                {
                    self.code(key, value, Certainty::Perhaps, object);
                }
                match kind {
                    Kind::Shell | Kind::Typed | Kind::Prompt => self.shell(key, value, kind, certainty, object),
                    Kind::Code => self.code(key, value, certainty, object),
                    Kind::Sql => self.sql(key, value, certainty),
                    Kind::Url => {
                        for text in texts(value).filter(|text| text.len() <= PATH_BYTES) {
                            if let Some(line) = requests::line(text, object) {
                                self.bash(line, key, "a request", certainty);
                            }
                        }
                        self.url(key, value, certainty, &mut files);
                    }
                    Kind::File | Kind::Source | Kind::Target => {
                        let paths = texts(value).filter_map(text_as_path);
                        files.extend(paths.map(|path| File { key, kind, path: path.to_owned(), certainty }));
                    }
                    Kind::Content => {}
                }
            }
        }
        if self.guesses == Guesses::All {
            self.run_texts(object);
        }
        let has_command = object.keys().any(|key| self.kinds(key).iter().any(|(kind, _)| *kind == Kind::Shell));
        let given = names::ARGUMENTS.iter().find_map(|name| Some((*name, object.get(*name)?)));
        if let Some((name, given)) = given.filter(|_| !has_command && self.guesses == Guesses::All) {
            let words = || texts(given).map(word).collect::<Vec<_>>().join(" ");
            let line = given.as_str().map_or_else(words, str::to_owned);
            self.read_program_words(&line, name, object);
        }
        let guesses = has_command && self.guesses == Guesses::All;
        for (key, value) in object.iter().filter(|_| guesses) {
            if names::BESIDE.contains(&normalize(key).as_str()) && value.is_string() {
                self.shell(key, value, Kind::Shell, Certainty::Perhaps, object);
            }
        }
        if files.is_empty() && self.guesses == Guesses::All {
            self.diffs(object);
        }
        self.files(&files, object);
        for value in object.values() {
            self.value(value);
        }
    }

    /// Diffs, which name the files that they change.
    fn diffs(&mut self, object: &Map<String, Value>) {
        for (key, value) in object.iter().filter(|(key, _)| names::EDITS.contains(&normalize(key).as_str())) {
            if let Some(diff) = value.as_str().filter(|text| names::is_diff(text)) {
                self.bash(format!("git apply <<'END OF DIFF'\n{diff}\nEND OF DIFF"), key, "a diff", Certainty::Guessed);
            }
        }
    }

    /// Reads files whose names are an object's keys, and whose new content is its values.
    fn read_named_files(&mut self, key: &str, value: &Value) {
        if self.guesses != Guesses::All {
            return;
        }
        let write = |reader: &mut Self, path: &str, content: &Value| {
            let Some(path) = text_as_path(path) else { return };
            let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
            let fields = [("file_path", path.to_owned()), ("content", text)];
            let input = fields.map(|(name, text)| (name.to_owned(), Value::String(text)));
            reader.add("Write", Map::from_iter(input), key, "a file", Certainty::Guessed);
        };
        if names::is_path(key) && doing(&self.words) == Doing::Writes {
            write(self, key, value);
        }
        for (path, content) in value.as_object().into_iter().flatten().filter(|(path, _)| names::is_path(path)) {
            if doing(&self.words) == Doing::Writes {
                write(self, path, content);
            }
        }
    }

    /// Reads a change of the harness's settings that control hooks and approvals.
    fn setting(&mut self, input: &Map<String, Value>) {
        let Some(name) = input.get("setting").and_then(Value::as_str) else { return };
        let plain = normalize(name);
        let Some(value) = input.get("value").filter(|_| plain.contains("hook") || plain.contains("permission")) else {
            return;
        };
        let content = Value::Object(Map::from_iter([(name.to_owned(), value.clone())])).to_string();
        let fields = [("file_path", "~/.claude/settings.json".to_owned()), ("content", content)];
        let fields = fields.map(|(name, text)| (name.to_owned(), Value::String(text)));
        self.add("Write", Map::from_iter(fields), "setting", "a setting", Certainty::Guessed);
    }

    fn value(&mut self, value: &'a Value) {
        match value {
            Value::Object(object) => self.object(object),
            Value::Array(list) => list.iter().for_each(|value| self.value(value)),
            _ => {}
        }
    }

    /// Returns the kinds of a key's value: those given by entries, and the guess from its name unless an entry replaces
    /// it.
    fn kinds(&self, key: &str) -> Vec<(Kind, Certainty)> {
        let declared = self.told.iter().filter_map(|entry| Some((entry, entry.kind(key)?)));
        let mut kinds: Vec<(Kind, Certainty)> = declared.clone().map(|(_, kind)| (kind, Certainty::Told)).collect();
        let is_settled = declared.into_iter().any(|(entry, _)| !entry.adds);
        let guess = argument_kind(&normalize(key), &self.words).filter(|(kind, _)| match self.guesses {
            Guesses::None => false,
            Guesses::Commands => matches!(kind, Kind::Prompt | Kind::Shell),
            Guesses::All => true,
        });
        kinds.extend(guess.filter(|_| !is_settled));
        kinds
    }

    fn add(&mut self, tool: &str, input: Map<String, Value>, argument: &str, taken_for: &'static str, sure: Certainty) {
        let original_tool = self.tool.original_tool.clone();
        let call = ToolCall { original_tool, ..ToolCall::new(tool, input) };
        if self.found.all.iter().any(|known| known.call == call) {
            return;
        }
        if self.found.all.len() >= READINGS {
            self.found.is_cut = true;
            return;
        }
        self.found.all.push(Reading { call, argument: argument.to_owned(), taken_for, certainty: sure });
    }

    fn bash(&mut self, text: String, argument: &str, taken_for: &'static str, certainty: Certainty) {
        let input = Map::from_iter([("command".to_owned(), Value::String(text))]);
        let is_of = |name: &str| self.words.iter().any(|word| word == name);
        let tool = if is_of("powershell") || is_of("pwsh") { "PowerShell" } else { "Bash" };
        self.add(tool, input, argument, taken_for, certainty);
    }

    /// Reads shell text: one or more lines, or the words of one command, possibly with separate arguments.
    fn shell(&mut self, key: &str, value: &Value, kind: Kind, certainty: Certainty, object: &Map<String, Value>) {
        let lines: Vec<String> = match value {
            Value::String(line) => vec![line.clone()],
            // For typed keys, each element is a key. Otherwise each element of a list may be a command.
            Value::Array(_) if kind == Kind::Typed => {
                let keys = texts(value).collect::<Vec<_>>().join(" ");
                // A shell and its options are words, not keys.
                let words = texts(value).map(word).collect::<Vec<_>>().join(" ");
                let is_program = texts(value).nth(1).is_some_and(|option| option.starts_with('-'));
                if is_program && words != keys { vec![keys, words] } else { vec![keys] }
            }
            Value::Array(_) if normalize(key).ends_with('s') => texts(value).map(str::to_owned).collect(),
            Value::Array(_) => vec![texts(value).map(word).collect::<Vec<_>>().join(" ")],
            _ => return,
        };
        // Separate arguments are read as a part of the command.
        let is_argument = |key: &str| names::ARGUMENTS.contains(&key);
        let is_beside =
            |other: &String| !is_argument(other) && self.kinds(other).iter().any(|(kind, _)| *kind == Kind::Shell);
        if is_argument(key) && object.keys().any(is_beside) {
            return;
        }
        let folder = names::FOLDERS.iter().find_map(|name| {
            let (_, value) = object.iter().find(|(key, _)| normalize(key) == *name)?;
            value.as_str().filter(|folder| !folder.is_empty())
        });
        for line in lines {
            let mut line = match kind {
                Kind::Prompt => match prose_command(&line) {
                    Some(command) => command.to_owned(),
                    None => continue,
                },
                Kind::Typed => {
                    if names::is_python(&line) {
                        self.bash(format!("python3 -c {}", word(&line)), key, "code", Certainty::Perhaps);
                    }
                    typed_text(&line)
                }
                _ => line,
            };
            // The name of a shell isn't a command.
            let is_name = normalize(key) == "shell" && certainty != Certainty::Told && !line.trim().contains(' ');
            if line.trim().is_empty() || is_name {
                continue;
            }
            if kind == Kind::Shell && !is_argument(key) {
                for arguments in names::ARGUMENTS.iter().filter_map(|name| object.get(*name)) {
                    let words: Vec<String> = match arguments {
                        Value::String(words) => vec![words.clone()],
                        list => texts(list).map(word).collect(),
                    };
                    line = std::iter::once(line).chain(words).collect::<Vec<_>>().join(" ");
                }
                self.read_program_words(&line, key, object);
                line = format!("{}{line}", environment(object));
                if let Some(folder) = folder {
                    line = format!("cd {} && {line}", path_word(folder));
                }
            }
            self.bash(line, key, "shell text", certainty);
        }
    }

    /// Reads code that isn't in a named argument: a module for other machines, a statement, or a line for a machine.
    fn run_texts(&mut self, object: &Map<String, Value>) {
        if let Some(line) = runs::module_line(object, &self.words) {
            self.bash(line, "module", "shell text", Certainty::Perhaps);
        }
        let has_machine = object.keys().any(|key| runs::is_machine(&normalize(key)));
        for (key, value) in object {
            let Some(text) = value.as_str().filter(|_| runs::is_run_text(&normalize(key), &self.words)) else {
                continue;
            };
            if names::is_sql(text) {
                self.sql(key, value, Certainty::Guessed);
            } else if let Some(line) = prose_command(text).filter(|_| has_machine) {
                self.bash(line.to_owned(), key, "shell text", Certainty::Prose);
            }
        }
    }

    /// Reads the words that a tool named after a program passes to this program.
    fn read_program_words(&mut self, line: &str, key: &str, object: &Map<String, Value>) {
        let name = self.tool.tool.rsplit("__").next().unwrap_or_default();
        let named = shapes::program_of_tool(&split_words(name));
        let Some(program) = named.or_else(|| names::find_client(&self.words)) else { return };
        if line.split_whitespace().next() == Some(program) {
            return;
        }
        let find =
            |name: &&str| object.iter().find(|(key, _)| normalize(key) == **name).and_then(|(_, value)| value.as_str());
        let objects = names::OBJECTS.iter().filter_map(find).map(word);
        let words: Vec<String> = [program.to_owned(), line.to_owned()].into_iter().chain(objects).collect();
        self.bash(words.join(" "), key, "shell text", Certainty::Perhaps);
    }

    /// Reads code whose language follows from the arguments or the tool's name.
    fn code(&mut self, key: &str, value: &Value, certainty: Certainty, object: &Map<String, Value>) {
        let Some(code) = value.as_str().filter(|code| !code.trim().is_empty()) else { return };
        let declared = names::language(object);
        let known =
            declared.map_or_else(|| self.words.iter().find_map(|word| language_program(word)), language_program);
        let guessed =
            || (declared.is_none() && (names::is_python(code) || code.starts_with(['!', '%']))).then_some("python3 -c");
        let is_any = runs::runs_code(&self.words) && !declared.is_some_and(runs::is_inert);
        let Some(program) = known.or_else(guessed).or(is_any.then_some(runs::ANY_CODE)) else { return };
        let escaped = if program.starts_with("python") { notebook_commands(code) } else { String::new() };
        if !escaped.is_empty() {
            self.bash(escaped, key, "shell text", certainty);
        }
        match program {
            "" => self.bash(code.to_owned(), key, "shell text", certainty),
            program => self.bash(format!("{program} {}", word(code)), key, "code", certainty),
        }
    }

    fn sql(&mut self, key: &str, value: &Value, certainty: Certainty) {
        for text in texts(value) {
            if names::is_graph(&self.words) {
                self.bash(format!("cypher-shell {}", word(text)), key, "Cypher", certainty);
            } else if certainty == Certainty::Told || normalize(key).contains("sql") || names::is_sql(text) {
                let program = shapes::statement_program(&self.words, &normalize(key));
                self.bash(format!("{program} {}", word(text)), key, "SQL", certainty);
            }
        }
    }

    /// Reads a URL, which may identify a file.
    fn url(&mut self, key: &'a str, value: &'a Value, certainty: Certainty, files: &mut Vec<File<'a>>) {
        for text in texts(value) {
            let text = trimmed(text);
            if text.starts_with("file://") {
                let path = text_as_path(text).map(str::to_owned);
                files.extend(path.map(|path| File { key, kind: Kind::File, path, certainty }));
            } else if text.contains("://") && text.len() <= PATH_BYTES || certainty == Certainty::Told {
                let input = Map::from_iter([("url".to_owned(), Value::String(text.to_owned()))]);
                self.add("WebFetch", input, key, "an address", certainty);
            }
        }
    }

    /// Reads the effects on the files that an object names.
    fn files(&mut self, files: &[File<'a>], object: &'a Map<String, Value>) {
        let content: Vec<(&String, &Value)> =
            object.iter().filter(|(key, _)| self.kinds(key).iter().any(|(kind, _)| *kind == Kind::Content)).collect();
        let doing = doing(&self.words);
        let is_whole = object.get("recursive").is_some_and(|value| *value == Value::Bool(true));
        let target = files.iter().find(|file| file.kind == Kind::Target);
        for file in files {
            let path = path_word(trimmed(&file.path));
            let moved =
                |program: &str| target.map(|to| format!("{program} -- {path} {}", path_word(trimmed(&to.path))));
            let command = match doing {
                Doing::Deletes { recursive } if recursive || is_whole || shapes::names_folder(&file.path) => {
                    Some(format!("rm -r -- {path}"))
                }
                Doing::Deletes { .. } => Some(format!("rm -- {path}")),
                Doing::Moves if file.kind != Kind::Target => moved("mv"),
                Doing::Copies if file.kind != Kind::Target => moved("cp"),
                _ => None,
            };
            match (command, doing) {
                (Some(command), _) => self.bash(command, file.key, "a file", file.certainty),
                (None, Doing::Looks) if content.is_empty() => {}
                (None, Doing::Moves | Doing::Copies) if file.kind == Kind::Target && files.len() > 1 => {}
                (None, Doing::Writes | Doing::Moves) => self.add_file_change(file, &content),
                (None, _) if !content.is_empty() || file.kind == Kind::Target => self.add_file_change(file, &content),
                (None, _) => {
                    let input = Map::from_iter([("file_path".to_owned(), Value::String(file.path.clone()))]);
                    self.add("Read", input, file.key, "a file", file.certainty);
                }
            }
        }
    }

    fn add_file_change(&mut self, file: &File<'_>, content: &[(&String, &Value)]) {
        let mut input = Map::from_iter([("file_path".to_owned(), Value::String(file.path.clone()))]);
        let is_edit = content.iter().any(|(key, _)| names::EDITS.contains(&normalize(key).as_str()));
        for (key, value) in content {
            let key = if is_edit { (*key).clone() } else { "content".to_owned() };
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            input.insert(key, Value::String(text));
        }
        self.add(if is_edit { "Edit" } else { "Write" }, input, file.key, "a file", file.certainty);
    }
}

/// Returns a text, or the texts in a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter().filter_map(Value::as_str)
}

/// Returns the path in a text, which may be a `file:` URL.
fn text_as_path(text: &str) -> Option<&str> {
    let path = trimmed(text).strip_prefix("file://").unwrap_or(text);
    let is_path =
        !path.is_empty() && path.len() <= PATH_BYTES && !path.contains("://") && !trimmed(path).contains('\n');
    is_path.then_some(path)
}

#[cfg(test)]
mod tests;
