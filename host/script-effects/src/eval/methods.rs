//! Methods of values: of paths, of texts, and of objects that are known only by what they are asked for.

use super::calls::{Args, DELETES, WRITES, each};
use super::evaluator::Evaluator;
use super::fold;
use super::library::is_word;
use super::plain::expand_user;
use super::requests::takes_away;
use super::rows::view;
use super::value::Value;
use crate::ir::Operator;
use crate::{ActionKind, Piece, Text, Unknown};

/// Methods of libraries that write a file, whose name is their first argument.
const SAVES: &str = "to_csv to_json to_excel to_parquet to_pickle to_feather to_html to_markdown savefig write_image write_html \
    tofile";

/// Methods of connections and cursors that send a statement.
const SENDS: &[&str] = &["execute", "executescript", "executemany", "execute_async", "raw", "sql"];

/// How statements begin.
const STATEMENTS: &[&str] = &[
    "select", "insert", "update", "delete", "drop", "create", "alter", "truncate", "pragma", "with", "begin", "commit",
    "replace", "vacuum", "attach", "detach", "grant", "revoke", "explain", "set", "merge", "call", "do", "show", "use",
    "copy", "analyze", "reindex", "rollback", "rename", "load", "flush", "optimize", "describe", "--", "/*", "(",
];

/// A file that nothing is left in.
pub(super) fn emptied(path: Text) -> ActionKind {
    ActionKind::Write { path, append: false, empties: true }
}

impl Evaluator<'_> {
    pub(super) fn call_method(&mut self, base: &Value, name: &str, args: &Args) -> Value {
        match base {
            base if base.is_callable() && super::library::node::CALLERS.contains(&name) => {
                self.call_through(base, name, args)
            }
            Value::Path(path) => self.on_path_object(path, name, args),
            Value::Text(text) => match on_text(base, text, name, args) {
                Some(value) => value,
                None => self.of_unknown(base, name, args),
            },
            Value::Dict(items) => match name {
                "items" | "keys" | "values" => view(items, name),
                "get" | "pop" | "setdefault" => {
                    let found = self.item(base, args.at(0).unwrap_or(&Value::Unknown));
                    Value::join([found].into_iter().chain(args.at(1).cloned()))
                }
                _ => Value::Unknown,
            },
            Value::List(_) | Value::Many(_) => self.on_row(base, name, args),
            // Its `read` is what the file holds.
            Value::File(_) if matches!(name, "__enter__") => base.clone(),
            // A member of an archive.
            Value::File(_) if name == "extract" => {
                let here = Value::piece(Piece::Literal(".".to_owned()));
                let to = args.get(1, &["path"]).filter(|path| **path != Value::None).unwrap_or(&here).clone();
                self.on_path(name, Some(&to), Unknown::default(), |folder| ActionKind::Fill { folder, archive: true });
                Value::Unknown
            }
            Value::File(path) if name == "truncate" && matches!(args.at(0), None | Some(Value::Int(0))) => {
                self.on_path("File.truncate", Some(&Value::Path(path.clone())), WRITES, emptied);
                Value::Unknown
            }
            Value::Client => {
                match name {
                    "get" | "head" | "options" | "connect" | "connect_ex" => self.connect(args.at(0), false),
                    "post" | "put" | "patch" | "delete" => {
                        self.request(args.at(0), true, takes_away(name, None, args));
                    }
                    "request" => self.request(args.at(1), true, takes_away(name, args.at(0), args)),
                    _ => {}
                }
                Value::Unknown
            }
            base => self.of_unknown(base, name, args),
        }
    }

    /// A method of a row.
    fn on_row(&mut self, row: &Value, name: &str, args: &Args) -> Value {
        match name {
            "copy" | "flat" | "toSorted" | "toReversed" => row.clone(),
            "pop" | "shift" | "at" | "find" | "findLast" => row.element(),
            "join" => match args.at(0).map_or_else(|| Some(Text::literal(",")), Value::as_text) {
                Some(by) if matches!(row, Value::List(_)) => {
                    fold::text_method(&by, "join", std::slice::from_ref(row)).unwrap_or(Value::Unknown)
                }
                _ => Value::piece(Piece::Unknown),
            },
            "slice" => fold::slice(row, args.at(0), args.at(1), None),
            "concat" => args.values.iter().fold(row.clone(), |row, more| match more {
                Value::List(_) | Value::Many(_) => fold::binary(&row, Operator::Add, more),
                one => fold::binary(&row, Operator::Add, &Value::List(vec![one.clone()])),
            }),
            "map" | "flatMap" | "forEach" | "filter" | "some" | "every" => {
                let callee = args.at(0).filter(|callee| callee.is_callable());
                let mapped = callee.map_or(Value::Unknown, |callee| self.call_each(callee, row));
                if name == "filter" { Value::many(row.element()) } else { mapped }
            }
            _ => {
                self.call_back(args);
                Value::Unknown
            }
        }
    }

    /// A method of an object of `pathlib`.
    fn on_path_object(&mut self, path: &Text, name: &str, args: &Args) -> Value {
        let own = Value::Path(path.clone());
        let this = Some(&own);
        let write = |append: bool, empties: bool| move |path: Text| ActionKind::Write { path, append, empties };
        let label = format!("Path.{name}");
        match name {
            "unlink" | "rmdir" | "delete" => self.on_path(&label, this, DELETES, ActionKind::Delete),
            "rmtree" => self.on_path(&label, this, DELETES, ActionKind::DeleteTree),
            "write_text" | "write_bytes" => {
                let empties = args.get(0, &["data"]).and_then(Value::known) == Some("");
                self.on_path(&label, this, WRITES, write(false, empties));
            }
            "touch" => self.on_path(&label, this, WRITES, write(true, false)),
            "read_text" | "read_bytes" | "readlink" | "text" | "json" | "arrayBuffer" | "bytes" | "stream" => {
                self.on_path(&label, this, Unknown::default(), ActionKind::Read)
            }
            "mkdir" => self.on_path(&label, this, Unknown::default(), ActionKind::MakeFolder),
            "chmod" | "lchmod" => self.on_path(&label, this, WRITES, ActionKind::Change),
            "open" => return self.open(&label, this, args.get(0, &["mode"]), "r"),
            "rename" | "replace" | "move" | "move_into" => {
                self.on_path(&label, this, DELETES, ActionKind::MoveAway);
                let from = self.place(path);
                let is_each = self.is_each(&from);
                let put = |to| ActionKind::Put { from: from.clone(), to, each: is_each };
                self.on_path(&label, args.get(0, &["target"]), WRITES, put);
                return args.at(0).map_or(Value::Unknown, |to| each(Some(to), |to| Value::Path(to.as_part())));
            }
            "copy" | "copy_into" => {
                self.on_path(&label, this, Unknown::default(), ActionKind::Read);
                let from = self.place(path);
                let put = |to| ActionKind::Put { from: from.clone(), to, each: false };
                self.on_path(&label, args.at(0), WRITES, put);
            }
            "symlink_to" | "hardlink_to" | "link_to" => {
                let to = args.at(0).map_or_else(|| Text::of(Piece::Unknown), Value::as_part);
                self.on_path(&label, this, WRITES, |at| ActionKind::Link { at, to: to.clone() });
            }
            "joinpath" => {
                let parts: Vec<Value> = std::iter::once(own).chain(args.values.iter().cloned()).collect();
                return Value::join(fold::joined(&parts).into_iter().map(Value::Path));
            }
            "expanduser" => return Value::Path(expand_user(path)),
            "resolve" | "absolute" => return Value::Path(self.whole(path)),
            "relative_to" => return own,
            "as_posix" | "__str__" | "__fspath__" => return Value::Text(path.clone()),
            "with_name" => {
                return each(args.at(0), |file| Value::Path(fold::join(fold::parent(path), &file.as_part())));
            }
            "with_suffix" | "with_stem" => {
                let changed = path.known().filter(|_| name == "with_suffix").map(|path| {
                    let file_at = path.rfind('/').map_or(0, |at| at + 1);
                    let stem = path.rfind('.').filter(|at| *at > file_at).and_then(|at| path.get(..at)).unwrap_or(path);
                    Text::literal(stem).and(&args.at(0).map_or_else(Text::default, Value::as_part))
                });
                return Value::Path(
                    changed.unwrap_or_else(|| fold::join(fold::parent(path), &Text::of(Piece::Unknown))),
                );
            }
            "iterdir" | "glob" | "rglob" | "walk" => {
                self.on_path(&label, this, Unknown::default(), ActionKind::Read);
                let given = args.at(0).and_then(Value::known).unwrap_or("*");
                let pattern = if name == "rglob" { format!("**/{given}") } else { given.to_owned() };
                let found = Value::Path(fold::join(path.clone(), &Text::of(Piece::Pattern(pattern))));
                return Value::many(if name == "walk" {
                    Value::List(vec![found, Value::Unknown, Value::Unknown])
                } else {
                    found
                });
            }
            _ => {}
        }
        Value::Unknown
    }

    /// A method of something that is not known.
    fn of_unknown(&mut self, base: &Value, name: &str, args: &Args) -> Value {
        let nowhere = Value::Unknown;
        match name {
            "unlink" | "rmdir" | "rmtree" => {
                self.on_path(name, Some(args.at(0).unwrap_or(&nowhere)), DELETES, ActionKind::Delete)
            }
            "write_text" | "write_bytes" => self.on_path(name, Some(&nowhere), WRITES, super::calls::written),
            "then" => match args.at(0).cloned() {
                Some(callee) => return self.apply(&callee, &Args::of(vec![base.clone()])),
                None => return base.clone(),
            },
            "extractall" | "extractAllTo" | "unpack" => {
                let here = Value::piece(Piece::Literal(".".to_owned()));
                let to = args.get(0, &["path"]).filter(|path| **path != Value::None).unwrap_or(&here).clone();
                self.on_path(name, Some(&to), Unknown::default(), |folder| ActionKind::Fill { folder, archive: true });
            }
            // What is typed into a terminal is mostly read by a shell.
            "sendline" | "sendLine" => return self.launch(name, super::library::CallEffect::Shell, args),
            "system" | "popen" => {
                return self.launch(name, super::library::CallEffect::Shell, args);
            }
            _ if is_word(SAVES, name) => {
                let path = args.get(0, &["path_or_buf", "path", "fname", "excel_writer", "file"]);
                if let Some(path) = path.filter(|path| **path != Value::None) {
                    self.on_path(name, Some(path), Unknown::default(), super::calls::written);
                }
            }
            _ if SENDS.contains(&name) => self.send(args.at(0)),
            "open" if matches!(base, Value::Unknown) && args.at(0).and_then(Value::known).is_some_and(is_mode) => {
                return self.open(name, Some(&nowhere), args.at(0), "r");
            }
            "connect" | "connect_ex" if matches!(args.at(0), Some(Value::List(_))) => self.connect(args.at(0), false),
            "map" | "imap" | "imap_unordered" | "starmap" => {
                if let (Some(callee), Some(row)) = (args.at(0).cloned(), args.at(1).cloned()) {
                    return self.call_each(&callee, &row);
                }
            }
            "submit" | "apply_async" | "apply" | "call_soon" | "run_in_executor" | "enter_context" | "callback"
            | "to_thread" => {
                let at = args.values.iter().position(Value::is_callable);
                if let Some((callee, rest)) = at.and_then(|at| args.values.get(at..)).and_then(<[Value]>::split_first) {
                    let (callee, rest) = (callee.clone(), rest.to_vec());
                    return self.perhaps(|eval| eval.apply(&callee, &Args::of(rest)));
                }
                self.call_back(args);
                return args.at(0).cloned().filter(|_| name == "enter_context").unwrap_or(Value::Unknown);
            }
            _ => match super::library::node::by_method(name) {
                Some(call) => return self.apply(&call, args),
                None => self.call_back(args),
            },
        }
        Value::Unknown
    }

    /// A statement that goes to a database.
    fn send(&mut self, statement: Option<&Value>) {
        let Some(statement) = statement else { return };
        for one in statement.alternatives() {
            match one.as_text() {
                Some(text) if !text.begins_unknown() => {
                    let lower = text.head().trim_start().to_ascii_lowercase();
                    if STATEMENTS.iter().any(|word| lower.starts_with(word)) {
                        self.act(ActionKind::Sql(text), true);
                    }
                }
                _ => self.lose("a statement for a database is known only at run time", Unknown::default()),
            }
        }
    }
}

/// A method of a text that does nothing to the machine. `base` is the text as a value.
fn on_text(base: &Value, text: &Text, name: &str, args: &Args) -> Option<Value> {
    match name {
        "format" | "format_map" => Some(each_of(args, |values| fold::format(text, values, &args.named))),
        "join" if !matches!(args.at(0), Some(Value::List(_))) => Some(match args.at(0) {
            Some(Value::OneOf(_)) => each(args.at(0), |row| {
                fold::text_method(text, name, std::slice::from_ref(row)).unwrap_or(Value::Unknown)
            }),
            _ => Value::piece(Piece::Unknown),
        }),
        "slice" | "substring" => Some(fold::slice(base, args.at(0), args.at(1), None)),
        "concat" => {
            let parts = std::iter::once(base).chain(&args.values).cloned().collect();
            fold::text_method(&Text::default(), "join", &[Value::List(parts)]).or(Some(Value::Unknown))
        }
        "decode" | "encode" if args.values.is_empty() && args.named("encoding").is_some() => {
            let codec = args.named("encoding").map(std::slice::from_ref).unwrap_or_default();
            fold::text_method(text, name, codec).or(Some(Value::Unknown))
        }
        _ => fold::text_method(text, in_python(name), &args.values),
    }
}

/// Returns whether a text is a mode of `open`.
fn is_mode(text: &str) -> bool {
    !text.is_empty() && text.len() < 4 && text.chars().all(|c| "rwaxbt+".contains(c))
}

/// The name that Python has for a method of a text of JavaScript.
fn in_python(name: &str) -> &str {
    match name {
        "trim" => "strip",
        "trimEnd" => "rstrip",
        "trimStart" => "lstrip",
        "toLowerCase" => "lower",
        "toUpperCase" => "upper",
        "replaceAll" => "replace",
        "toString" | "valueOf" | "normalize" => "decode",
        "startsWith" | "endsWith" | "includes" | "indexOf" | "test" | "match" => "find",
        "repeat" | "padStart" | "padEnd" | "charAt" | "substr" => "hex",
        name => name,
    }
}

fn each_of(args: &Args, make: impl Fn(&[Value]) -> Value) -> Value {
    let simple = args.values.iter().all(|value| !matches!(value, Value::OneOf(_)));
    if simple || args.values.len() != 1 {
        return make(&args.values);
    }
    each(args.at(0), |value| make(std::slice::from_ref(value)))
}
