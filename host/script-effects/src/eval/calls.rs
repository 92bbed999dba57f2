//! Calls: what is called, with which arguments, and what of it counts.

use super::evaluator::Evaluator;
use super::fold;
use super::library::python::{archive_ending, canonical};
use super::library::{CallEffect, call_effect, node};
use super::requests::{changes, is_deletion};
use super::value::Value;
use crate::{ActionKind, Piece, Text, Unknown};

pub(super) const DELETES: Unknown = Unknown { deletes: true, writes: false, executes: false };
pub(super) const WRITES: Unknown = Unknown { deletes: false, writes: true, executes: false };
pub(super) const EXECUTES: Unknown = Unknown { deletes: false, writes: false, executes: true };

/// The names of the argument that is a path.
const PATHS: &[&str] = &["path", "file", "filename", "src", "name", "top", "filepath_or_buffer", "fname"];

/// The arguments of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Args {
    pub(super) values: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
    /// There may be more.
    pub(super) open: bool,
}

impl Args {
    pub(super) fn new(values: Vec<Value>) -> Args {
        Args { values, ..Args::default() }
    }

    /// Nothing is known of them.
    pub(super) fn unknown() -> Args {
        Args { values: vec![Value::Unknown], named: Vec::new(), open: true }
    }

    pub(super) fn argument(&self, at: usize) -> Option<&Value> {
        self.values.get(at)
    }

    pub(super) fn named_argument(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The argument at a place, or by one of its names.
    pub(super) fn get(&self, at: usize, names: &[&str]) -> Option<&Value> {
        self.argument(at).or_else(|| names.iter().find_map(|name| self.named_argument(name)))
    }
}

/// Returns whether a switch is on, as far as it is known.
fn is_on(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !matches!(value, Value::Bool(false) | Value::Int(0)))
}

impl Evaluator<'_> {
    /// Calls a value.
    pub(super) fn apply(&mut self, callee: &Value, args: &Args) -> Value {
        if !self.enter() {
            return Value::Unknown;
        }
        let value = match callee {
            Value::OneOf(values) => {
                let results = self.ways(values.len(), |eval, at| {
                    values.get(at).map_or(Value::Unknown, |callee| eval.apply(callee, args))
                });
                Value::join(results)
            }
            Value::Function(at) => self.call_function(*at, args),
            Value::Partial(callee, first) => {
                let mut all = (**first).clone();
                all.values.extend(args.values.iter().cloned());
                all.named.retain(|(name, _)| args.named_argument(name).is_none());
                all.named.extend(args.named.iter().cloned());
                all.open |= args.open;
                self.apply(callee, &all)
            }
            Value::Guess(callee) => {
                self.guesses += 1;
                let value = self.perhaps(|eval| eval.apply(callee, args));
                self.guesses -= 1;
                value
            }
            Value::Ref(place) => self.call_object(*place, args),
            Value::Hidden => {
                self.add_reason("what is called is looked up at run time", EXECUTES);
                Value::Hidden
            }
            Value::Named(name) => match self.call_special(name, args) {
                Some(value) => value,
                None => {
                    let args = self.load_arguments(args);
                    self.call_named(name, &args)
                }
            },
            Value::Method(base, name) => match &**base {
                Value::Ref(place) => self.call_method_at(*place, name, args),
                base => {
                    let args = self.load_arguments(args);
                    self.call_method(base, name, &args)
                }
            },
            _ => {
                self.call_back(args);
                Value::Unknown
            }
        };
        self.leave();
        value.truncate()
    }

    /// Calls the functions that are passed to an unknown function, which may call them.
    pub(super) fn call_back(&mut self, args: &Args) {
        let all = args.values.iter().chain(args.named.iter().map(|(_, value)| value));
        let callable: Vec<Value> = all.filter(|value| value.is_callable()).cloned().collect();
        let target = args.named_argument("target").filter(|target| target.is_callable());
        for value in callable {
            let arguments = match (args.named_argument("args"), target) {
                (Some(Value::List(values)), Some(target)) if *target == value => Args::new(values.clone()),
                _ => Args::unknown(),
            };
            self.perhaps(|eval| eval.apply(&value, &arguments));
            self.defer_call(&value, &arguments);
        }
    }

    /// Calls a value with each element of a row.
    pub(super) fn call_each(&mut self, callee: &Value, row: &Value) -> Value {
        match row.elements() {
            Some(elements) => {
                Value::List(elements.into_iter().map(|element| self.apply(callee, &Args::new(vec![element]))).collect())
            }
            None => {
                let args = Args::new(vec![row.element()]);
                let outer = self.turn_branches;
                let value = self.perhaps(|eval| {
                    eval.turn_branches = Some(eval.branches);
                    eval.apply(callee, &args)
                });
                self.turn_branches = outer;
                Value::many(value)
            }
        }
    }

    fn call_named(&mut self, name: &str, args: &Args) -> Value {
        if name.starts_with("node.")
            && let Some(does) = call_effect(name)
        {
            let args = self.load_arguments(&node::options_as_arguments(args));
            let value = self.act_on(name, does, &args);
            self.call_back(&args);
            return value;
        }
        match call_effect(name) {
            Some(does) => self.act_on(name, does, args),
            None => self.call_plain(name, args),
        }
    }

    /// Does what a call by a known name does.
    fn act_on(&mut self, name: &str, does: CallEffect, args: &Args) -> Value {
        match does {
            CallEffect::Shell
            | CallEffect::Popen
            | CallEffect::Exec
            | CallEffect::Spawn
            | CallEffect::Program
            | CallEffect::Kill
            | CallEffect::Start => {
                return self.launch(name, does, args);
            }
            // The body stands behind the parameters.
            CallEffect::Code if name == "node.Function" => {
                return args.values.last().map_or(Value::Unknown, |code| self.run_code(name, code));
            }
            // Otherwise its first argument is a file.
            CallEffect::Code if name == "node.worker_threads.Worker" && !is_given_code(args) => {}
            CallEffect::Code => return self.run_in_namespace(name, args),
            CallEffect::Connect | CallEffect::Send => {
                let has_body = args.named_argument("data").or_else(|| args.named_argument("json")).is_some();
                let sends = does == CallEffect::Send || has_body || changes(args);
                let deletes = is_deletion(name, None, args);
                self.request(args.get(0, &["url", "host", "address"]), sends || deletes, deletes);
            }
            CallEffect::Fetch => {
                self.connect(args.get(0, &["url"]), false);
                let to = args.get(1, &["filename", "out"]);
                self.add_path_action(name, to, WRITES, write_action);
            }
            CallEffect::Import => return imported_module(name, args),
            CallEffect::Hide => {
                if name == "code.interact" {
                    self.add_reason("what is called is looked up at run time", EXECUTES);
                }
                return Value::Hidden;
            }
            _ => return self.act_on_files(name, does, args),
        }
        Value::Unknown
    }

    /// Does what a call does to files and folders.
    fn act_on_files(&mut self, name: &str, does: CallEffect, args: &Args) -> Value {
        let path = args.get(0, PATHS);
        match does {
            CallEffect::Open => return self.open(name, path, args.get(1, &["mode", "flags"]), "r"),
            CallEffect::OpenPacked => return self.open(name, path, args.get(1, &["mode"]), "r"),
            CallEffect::OpenByFlags => {
                let mode = if args.get(1, &["flags"]).is_some_and(writes) { "w" } else { "r" };
                return self.open(name, path, Some(&Value::text(mode)), "r");
            }
            // What is printed then goes into the file.
            CallEffect::Read if name.starts_with("fileinput.") && is_on(args.named_argument("inplace")) => {
                self.add_path_action(name, path, WRITES, write_action);
            }
            CallEffect::Read => self.add_path_action(name, path, Unknown::default(), ActionKind::Read),
            CallEffect::ListFolder => {
                let here = Value::text(".");
                let folder = path.unwrap_or(&here);
                self.add_path_action(name, Some(folder), Unknown::default(), ActionKind::Read);
                return listed_names(name, folder);
            }
            CallEffect::Write => {
                let flag =
                    args.named_argument("flags").or_else(|| args.named_argument("flag")).and_then(Value::known_text);
                let append = flag.map_or(name.contains("append"), |flag| flag.contains('a'));
                let empties = !append && leaves_nothing(name, args);
                let unknown = if empties { DELETES } else { WRITES };
                self.add_path_action(name, path, unknown, |path| ActionKind::Write { path, append, empties });
            }
            CallEffect::Save if name.ends_with("make_archive") => self.save_archive(name, args),
            CallEffect::Save => self.add_path_action(name, path, Unknown::default(), write_action),
            CallEffect::MakeFolder => self.add_path_action(name, path, Unknown::default(), ActionKind::MakeFolder),
            CallEffect::Delete => self.add_path_action(name, path, DELETES, ActionKind::Delete),
            CallEffect::Remove => match args.named_argument("recursive") {
                None | Some(Value::Bool(false)) => self.add_path_action(name, path, DELETES, ActionKind::Delete),
                Some(_) => self.add_path_action(name, path, DELETES, ActionKind::DeleteTree),
            },
            CallEffect::DeleteTree => self.add_path_action(name, path, DELETES, ActionKind::DeleteTree),
            CallEffect::Change => self.add_path_action(name, path, WRITES, ActionKind::Change),
            CallEffect::Move => {
                self.add_path_action(name, path, DELETES, ActionKind::MoveAway);
                self.add_transfer(name, path, args, true);
            }
            CallEffect::CopyFile | CallEffect::CopyTree => {
                self.add_path_action(name, path, Unknown::default(), ActionKind::Read);
                self.add_transfer(name, path, args, false);
                if does == CallEffect::CopyTree {
                    let to = args.get(1, &["dst"]);
                    self.add_path_action(name, to, Unknown::default(), |folder| ActionKind::Fill {
                        folder,
                        archive: false,
                    });
                }
            }
            CallEffect::Unpack => {
                self.add_path_action(name, path, Unknown::default(), ActionKind::Read);
                let here = Value::text(".");
                let to = args.get(1, &["extract_dir"]).unwrap_or(&here);
                self.add_path_action(name, Some(to), Unknown::default(), |folder| ActionKind::Fill {
                    folder,
                    archive: true,
                });
            }
            CallEffect::Link => self.add_link(name, path, args),
            CallEffect::ChangeFolder => {
                if !self.moves {
                    self.add_reason("the folder changes in a way that was not seen", Unknown::ALL);
                }
                let to = path.map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part);
                self.state.folder = Some(self.resolve_path(&to));
                self.touch();
            }
            // The others are not about files.
            _ => {}
        }
        Value::Unknown
    }

    /// `shutil.make_archive`, which appends an ending to the name.
    fn save_archive(&mut self, name: &str, args: &Args) {
        let ending = archive_ending(args.get(1, &["format"]).and_then(Value::known_text));
        let write = |path: Text| write_action(path.and(&Text::literal(ending)));
        self.add_path_action(name, args.get(0, &["base_name"]), Unknown::default(), write);
    }

    fn add_link(&mut self, name: &str, to: Option<&Value>, args: &Args) {
        let to = to.map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part);
        let is_hard = !name.contains("symlink");
        let link = |at| ActionKind::Link { at, to: to.clone(), is_hard };
        self.add_path_action(name, args.get(1, &["dst"]), WRITES, link);
    }

    /// Notes where something is copied or moved to.
    fn add_transfer(&mut self, name: &str, from: Option<&Value>, args: &Args, moves: bool) {
        let from = from.map_or_else(|| Text::of(Piece::Unknown), |from| self.resolve_path(&from.to_text_part()));
        let each = moves && self.is_each(&from);
        self.add_path_action(name, args.get(1, &["dst"]), WRITES, |to| ActionKind::Put {
            from: from.clone(),
            to,
            each,
        });
    }

    /// Returns whether the file is one that a pattern or a folder gives, in a loop that no test narrows.
    pub(super) fn is_each(&self, file: &Text) -> bool {
        self.turn_branches == Some(self.branches) && file.pieces.iter().any(|piece| matches!(piece, Piece::Pattern(_)))
    }

    /// `open`, whose mode says what is done.
    pub(super) fn open(&mut self, name: &str, path: Option<&Value>, mode: Option<&Value>, default: &str) -> Value {
        let modes = mode.map_or_else(
            || vec![Some(default.to_owned())],
            |mode| mode.alternatives().iter().map(|mode| mode.known_text().map(str::to_owned)).collect(),
        );
        for mode in &modes {
            match mode.as_deref() {
                Some(mode) if !mode.contains(['w', 'a', 'x', '+']) => {
                    self.add_path_action(name, path, Unknown::default(), ActionKind::Read);
                }
                mode => {
                    let append = mode.is_some_and(|mode| mode.contains('a'));
                    self.add_path_action(name, path, WRITES, |path| ActionKind::Write { path, append, empties: false });
                }
            }
        }
        Value::File(path.map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part))
    }

    /// Notes what is done to a path; what is done to one that is not known is a reason.
    pub(super) fn add_path_action(
        &mut self,
        name: &str,
        path: Option<&Value>,
        unknown: Unknown,
        what: impl Fn(Text) -> ActionKind,
    ) {
        let Some(path) = path else {
            return self.add_reason(&format!("the target of `{name}` is not written out"), unknown);
        };
        let several = path.alternatives().len() > 1;
        for one in path.alternatives() {
            match one {
                Value::Text(text) | Value::Path(text) | Value::File(text) => {
                    let text = self.resolve_path(text);
                    if text.is_own() {
                        continue;
                    }
                    let whole = matches!(what(Text::default()), ActionKind::DeleteTree(_));
                    if text.begins_unknown() || whole && text.is_partly_unknown() {
                        self.add_reason(&format!("the target of `{name}` is known only at run time"), unknown);
                    }
                    self.act(what(text), !several);
                }
                // A number of an open file, and what is not given.
                Value::Int(_) | Value::None => {}
                Value::Many(value) => {
                    self.perhaps(|eval| {
                        eval.add_path_action(name, Some(value), unknown, &what as &dyn Fn(Text) -> ActionKind)
                    });
                }
                _ => self.add_reason(&format!("the target of `{name}` is known only at run time"), unknown),
            }
        }
    }

    /// A path as it is seen from the folder in which the code was started.
    pub(super) fn resolve_path(&self, path: &Text) -> Text {
        let Some(folder) = &self.state.folder else { return path.clone() };
        let relative = match path.pieces.first() {
            Some(Piece::Literal(text)) => !text.starts_with('/'),
            Some(Piece::Pattern(text)) => !text.starts_with('/'),
            None => true,
            _ => false,
        };
        if relative { fold::join(folder.clone(), path) } else { path.clone() }
    }

    /// The folder in which the code is, so that it stays the same when the code goes elsewhere.
    pub(super) fn current_folder(&self) -> Text {
        let start = if self.moves { Text::of(Piece::Variable("PWD".to_owned())) } else { Text::literal(".") };
        self.state.folder.as_ref().map_or_else(|| start.clone(), |folder| fold::join(start.clone(), folder))
    }

    /// A path that stays the same when the code goes elsewhere.
    pub(super) fn fix_path(&self, path: &Text) -> Text {
        if self.moves { fold::join(self.current_folder(), path) } else { path.clone() }
    }

    pub(super) fn connect(&mut self, to: Option<&Value>, sends: bool) {
        self.request(to, sends, false);
    }

    /// A server is asked; `deletes` if that takes something away there.
    pub(super) fn request(&mut self, to: Option<&Value>, sends: bool, deletes: bool) {
        let Some(to) = to else { return };
        for one in to.alternatives() {
            let host = match one {
                Value::List(values) => values.first().map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part),
                value => value.to_text_part(),
            };
            self.act(ActionKind::Connect { to: host, sends, deletes }, true);
        }
    }

    /// Code that is run from a text.
    pub(super) fn run_code(&mut self, name: &str, code: &Value) -> Value {
        let (is_expression, texts) = (name == "builtins.eval", code.alternatives());
        let results = self.ways(texts.len(), |eval, at| match texts.get(at).and_then(Value::known_text) {
            Some(code) if name == "node.Function" => {
                let result = eval.code(code);
                super::objects::partial(&Value::named("node.constant"), &result)
            }
            Some(code) if is_expression => eval.code(&format!("(\n{}\n)", code.trim())),
            Some(code) => eval.code(code),
            None => {
                eval.add_reason("code is run that is known only at run time", Unknown::ALL);
                Value::Unknown
            }
        });
        Value::join(results)
    }
}

/// Returns whether flags of `os.open` let it write.
fn writes(flags: &Value) -> bool {
    match flags {
        Value::Named(flags) => ["WRONLY", "RDWR", "CREAT", "TRUNC", "APPEND"].iter().any(|flag| flags.contains(flag)),
        Value::Int(flags) => *flags != 0,
        _ => true,
    }
}

/// The module that a call loads.
fn imported_module(name: &str, args: &Args) -> Value {
    match args.get(0, &["name"]).and_then(Value::known_text) {
        Some(module) if name.starts_with("node.") => node::module(module),
        Some(module) => {
            let whole = name != "builtins.__import__" || args.values.len() > 3;
            let module = if whole { module } else { module.split('.').next().unwrap_or(module) };
            Value::Named(canonical(module))
        }
        // A file beside it.
        None if args.get(0, PATHS).is_some_and(|path| path.to_text_part().head().starts_with(['.', '/'])) => {
            Value::Unknown
        }
        None => Value::Hidden,
    }
}

/// Returns whether a worker is given code: its options say so, or may, and what it is given is no name of a file.
fn is_given_code(args: &Args) -> bool {
    let is_file = |text: &str| {
        text.starts_with(['.', '/']) || [".js", ".mjs", ".cjs", ".ts"].iter().any(|end| text.ends_with(end))
    };
    let first = args.get(0, &["filename"]).and_then(Value::known_text);
    args.named_argument("eval").is_some() || args.values.len() > 1 && first.is_some_and(|text| !is_file(text))
}

/// The value for each that the argument may be.
pub(super) fn map_alternatives(value: Option<&Value>, map: impl Fn(&Value) -> Value) -> Value {
    value.map_or(Value::Unknown, |value| Value::join(value.alternatives().iter().map(map)))
}

/// The names in a folder, as the call gives them.
fn listed_names(name: &str, folder: &Value) -> Value {
    let all = |pattern: &str| {
        map_alternatives(Some(folder), |folder| {
            Value::Text(fold::join(folder.to_text_part(), &Text::of(Piece::Pattern(pattern.to_owned()))))
        })
    };
    let file = Value::piece(Piece::Pattern("*".to_owned()));
    match name {
        "os.walk" => {
            let below = Value::join([folder.clone(), all("**")]);
            let names = Value::many(file);
            Value::many(Value::List(vec![below, names.clone(), names]))
        }
        "os.scandir" => {
            let entry = map_alternatives(Some(&all("*")), |entry| Value::Path(entry.to_text_part()));
            Value::many(entry)
        }
        _ => Value::many(file),
    }
}

/// A file that something is written to, in the place of what was in it.
pub(super) fn write_action(path: Text) -> ActionKind {
    ActionKind::Write { path, append: false, empties: false }
}

/// Returns whether a call that writes a file leaves nothing in it: it gets an empty text, or is cut off at its
/// beginning.
fn leaves_nothing(name: &str, args: &Args) -> bool {
    if name.contains("truncate") {
        return args.get(1, &["length", "len"]).is_none_or(|length| matches!(length, Value::Int(0)));
    }
    args.get(1, &["data", "content"]).and_then(Value::known_text) == Some("")
}
