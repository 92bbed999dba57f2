//! Calls that do nothing to the machine: what they give back.

use super::calls::{Args, map_alternatives};
use super::evaluator::Evaluator;
use super::fold;
use super::requests::is_deletion;
use super::value::{ELEMENTS, Value};
use crate::{Piece, Text};

impl Evaluator<'_> {
    /// Calls that do nothing by themselves.
    pub(super) fn call_plain(&mut self, name: &str, args: &Args) -> Value {
        if let Some(name) = name.strip_prefix("node.") {
            return self.call_node_plain(name, args);
        }
        let value = self.path_made(name, args).or_else(|| temporary(name)).or_else(|| text_made(name, args));
        let value = value.or_else(|| decode_by_name(name, args)).or_else(|| self.row_made(name, args));
        if let Some(value) = value.or_else(|| self.look_up_by_name(name, args)) {
            return value;
        }
        match name {
            "requests.Session"
            | "requests.session"
            | "httpx.Client"
            | "httpx.AsyncClient"
            | "aiohttp.ClientSession"
            | "socket.socket" => return Value::Client,
            "requests.request" | "httpx.request" => {
                let deletes = is_deletion(name, args.get(0, &["method"]), args);
                self.request(args.get(1, &["url"]), true, deletes);
            }
            _ => self.call_back(args),
        }
        Value::Unknown
    }

    /// Calls that give a path.
    fn path_made(&self, name: &str, args: &Args) -> Option<Value> {
        let first = args.argument(0);
        Some(match name {
            "pathlib.Path" => {
                let here = [Value::text(".")];
                let parts = if args.values.is_empty() { &here } else { args.values.as_slice() };
                Value::join(fold::join_alternatives(parts).into_iter().map(Value::Path))
            }
            "os.path.join" => join_paths(&args.values, args.open),
            "pathlib.Path.home" => Value::Path(Text::of(Piece::Home)),
            "pathlib.Path.cwd" => Value::Path(self.current_folder()),
            "os.getcwd" | "os.getcwdb" => Value::Text(self.current_folder()),
            "os.path.abspath" | "os.path.realpath" => each_text(first, |path| self.fix_path(path)),
            "os.path.expanduser" => each_text(first, expand_user),
            "os.path.dirname" => each_text(first, dirname),
            "os.path.basename" => basename(first),
            "shutil.which" | "distutils.spawn.find_executable" => first.cloned().unwrap_or(Value::Unknown),
            "imageio_ffmpeg.get_ffmpeg_exe" => Value::text("ffmpeg"),
            "glob.glob" | "glob.iglob" => {
                let pattern = first.map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part);
                let found = |piece: &Piece| match piece {
                    Piece::Literal(text) if text.contains(['*', '?', '[']) => Piece::Pattern(text.clone()),
                    piece => piece.clone(),
                };
                Value::many(Value::Text(Text { pieces: pattern.pieces.iter().map(found).collect() }))
            }
            _ => return None,
        })
    }

    /// Calls that give a row or a table, or that go through one.
    fn row_made(&mut self, name: &str, args: &Args) -> Option<Value> {
        let first = args.argument(0);
        Some(match name {
            "builtins.compile" | "textwrap.dedent" | "builtins.iter" | "builtins.sorted" | "builtins.list"
            | "builtins.tuple" | "builtins.set" | "builtins.reversed" | "builtins.next" | "copy.copy"
            | "copy.deepcopy" | "tqdm.tqdm" => {
                let Some(value) = first else { return Some(Value::List(Vec::new())) };
                if name == "builtins.next" {
                    return Some(value.element());
                }
                let callables: Vec<(String, Value)> = args.named.clone();
                self.call_back(&Args { named: callables, ..Args::default() });
                let row = name.starts_with("builtins.") && name != "builtins.compile";
                match value.elements().filter(|_| row) {
                    Some(mut elements) => {
                        if name == "builtins.reversed" {
                            elements.reverse();
                        }
                        Value::List(elements)
                    }
                    None => value.clone(),
                }
            }
            "builtins.map" | "builtins.filter" | "itertools.starmap" => {
                let (Some(callee), Some(row)) = (first.cloned(), args.argument(1).cloned()) else {
                    return Some(Value::Unknown);
                };
                let mapped = self.call_each(&callee, &row);
                if name == "builtins.map" { mapped } else { row }
            }
            "builtins.enumerate" => enumerate(first),
            "builtins.zip" => zip(args),
            "builtins.range" => range(args),
            _ => return None,
        })
    }

    /// Calls that look up a variable, a member or a table of names, and `partial`.
    fn look_up_by_name(&mut self, name: &str, args: &Args) -> Option<Value> {
        let first = args.argument(0);
        Some(match name {
            "builtins.getattr" => match (first, args.argument(1).and_then(Value::known_text)) {
                (Some(base), Some(member)) => self.member(base, member),
                (Some(Value::Named(_) | Value::Hidden), None) => Value::Hidden,
                _ => Value::Unknown,
            },
            "builtins.vars" => match first {
                None => Value::named("builtins.globals()"),
                Some(Value::Named(module)) => Value::Named(format!("{module}.__dict__")),
                Some(_) => Value::Unknown,
            },
            "builtins.globals" | "builtins.locals" => Value::named("builtins.globals()"),
            "functools.partial" => match args.values.split_first() {
                Some((callee, rest)) => {
                    let rest = Args { values: rest.to_vec(), ..args.clone() };
                    Value::Partial(Box::new(callee.clone()), Box::new(rest))
                }
                None => Value::Unknown,
            },
            _ => return None,
        })
    }
}

/// Files and folders that the script makes for itself.
fn temporary(name: &str) -> Option<Value> {
    Some(match name {
        "tempfile.mkdtemp" | "tempfile.mktemp" | "tempfile.gettempprefix" => Value::piece(Piece::Own),
        "tempfile.mkstemp" => Value::List(vec![Value::Unknown, Value::piece(Piece::Own)]),
        "tempfile.gettempdir" => Value::text("/tmp"),
        "tempfile.NamedTemporaryFile"
        | "tempfile.TemporaryDirectory"
        | "tempfile.TemporaryFile"
        | "tempfile.SpooledTemporaryFile" => Value::File(Text::of(Piece::Own)),
        _ => return None,
    })
}

/// Calls that give a text.
fn text_made(name: &str, args: &Args) -> Option<Value> {
    let first = args.argument(0);
    Some(match name {
        "os.path.expandvars" | "string.Template" => each_text(first, expand_variables),
        // Its text is not known, but what is in it is.
        "json.dumps" => first.map_or(Value::Unknown, |value| Value::many(value.clone())),
        "builtins.repr" => Value::Text(first.map_or_else(|| Text::of(Piece::Unknown), fold::repr)),
        "shlex.split" => {
            let words = |line: &str| {
                Value::List(fold::split_words(line).iter().take(ELEMENTS).map(|word| Value::text(word)).collect())
            };
            map_alternatives(first, |value| {
                value.known_text().map_or_else(|| split_parts(&value.to_text_part()), words)
            })
        }
        "shlex.quote" | "pipes.quote" => map_alternatives(first, |value| match value.known_text() {
            Some(text) => Value::Text(Text::literal("'").with(&text.replace('\'', "'\\''")).with("'")),
            None => Value::Text(value.to_text_part()),
        }),
        "shlex.join" | "subprocess.list2cmdline" => {
            let words = first.and_then(Value::elements).unwrap_or_default();
            let joined = fold::text_method(&Text::literal(" "), "join", &[Value::List(words)]);
            joined.unwrap_or(Value::Unknown)
        }
        "builtins.input" => Value::piece(Piece::Unknown),
        _ => return None,
    })
}

/// Calls that give the text of bytes, of codes or of another encoding.
fn decode_by_name(name: &str, args: &Args) -> Option<Value> {
    let first = args.argument(0);
    Some(match name {
        "codecs.decode" | "codecs.encode" | "builtins.str" | "builtins.bytes" if args.argument(1).is_some() => {
            let codec = args.values.get(1..).unwrap_or_default();
            map_alternatives(first, |value| {
                fold::text_method(&value.to_text_part(), "decode", codec).unwrap_or(Value::Unknown)
            })
        }
        "os.path.normpath" | "os.fspath" | "os.fsdecode" | "os.fsencode" | "builtins.str" | "builtins.bytes"
        | "builtins.bytearray" | "os.path.normcase" => {
            let Some(first) = first else { return Some(Value::text("")) };
            map_alternatives(Some(first), |value| match value {
                // `str(b"…")` and `bytes([…])` of what is not known as text.
                Value::List(values) if name == "builtins.bytes" => from_codes(values),
                Value::Unknown | Value::Many(_) | Value::List(_) | Value::Dict(_) => Value::piece(Piece::Unknown),
                value => Value::Text(value.to_text_part()),
            })
        }
        "base64.b64decode"
        | "base64.urlsafe_b64decode"
        | "base64.standard_b64decode"
        | "base64.decodebytes"
        | "binascii.a2b_base64" => map_decoded(first, fold::base64),
        "builtins.bytes.fromhex"
        | "builtins.bytearray.fromhex"
        | "binascii.unhexlify"
        | "binascii.a2b_hex"
        | "base64.b16decode" => map_decoded(first, fold::hex),
        "builtins.chr" => {
            let char = match first {
                Some(Value::Int(code)) => u32::try_from(*code).ok().and_then(char::from_u32),
                _ => None,
            };
            char.map_or_else(|| Value::piece(Piece::Unknown), |char| Value::text(&char.to_string()))
        }
        _ => return None,
    })
}

/// The text of each that the argument may be, changed.
pub(super) fn each_text(value: Option<&Value>, change: impl Fn(&Text) -> Text) -> Value {
    map_alternatives(value, |value| Value::Text(change(&value.to_text_part())))
}

/// The last part of a path.
pub(super) fn basename(path: Option<&Value>) -> Value {
    map_alternatives(path, |path| fold::path_member(&path.to_text_part(), "name").unwrap_or(Value::Unknown))
}

/// Paths behind each other, which go on in a way that is not known if they are open.
pub(super) fn join_paths(parts: &[Value], open: bool) -> Value {
    let whole = |path: Text| if open { path.and(&Text::of(Piece::Unknown)) } else { path };
    Value::join(fold::join_alternatives(parts).into_iter().map(whole).map(Value::Text))
}

fn map_decoded(value: Option<&Value>, decode: impl Fn(&str) -> Option<String>) -> Value {
    map_alternatives(value, |value| {
        value.known_text().and_then(&decode).map_or_else(|| Value::piece(Piece::Unknown), |text| Value::text(&text))
    })
}

/// A path whose `~` is the home.
pub(super) fn expand_user(path: &Text) -> Text {
    let Some((Piece::Literal(first), rest)) = path.pieces.split_first() else { return path.clone() };
    let home = |tail: &str| Text::of(Piece::Home).with(tail).and(&Text { pieces: rest.to_vec() });
    match first.strip_prefix('~') {
        Some(tail) if tail.starts_with('/') || tail.is_empty() && rest.is_empty() => home(tail),
        _ => path.clone(),
    }
}

/// A text whose variables are those of the environment.
fn expand_variables(text: &Text) -> Text {
    let Some(mut rest) = text.known() else { return text.clone() };
    let mut result = Text::default();
    while let Some((before, after)) = rest.split_once('$') {
        result = result.with(before);
        let braced = after.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let (name, tail) = braced.unwrap_or_else(|| after.split_at_checked(end).unwrap_or_default());
        match name {
            "" => result = result.with("$"),
            "HOME" => result.push(Piece::Home),
            name => result.push(Piece::Variable(name.to_owned())),
        }
        rest = tail;
    }
    result.with(rest)
}

fn dirname(path: &Text) -> Text {
    match path.known() {
        Some(path) if !path.contains('/') && !matches!(path, "." | "..") => Text::default(),
        _ => fold::parent(path),
    }
}

/// The words of a line of which a part is not known.
fn split_parts(line: &Text) -> Value {
    let first = line.head().split_whitespace().map(Value::text).collect::<Vec<_>>();
    let mut words = first;
    // The last word may go on in the part that is not known.
    if !line.head().ends_with(char::is_whitespace) {
        words.pop();
    }
    words.push(Value::Unknown);
    Value::List(words)
}

/// The text of a row of numbers.
pub(super) fn from_codes(values: &[Value]) -> Value {
    let byte = |value: &Value| match value {
        Value::Int(byte) => u8::try_from(*byte).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = values.iter().map(byte).collect();
    bytes.map_or_else(|| Value::piece(Piece::Unknown), |bytes| Value::text(&String::from_utf8_lossy(&bytes)))
}

fn enumerate(row: Option<&Value>) -> Value {
    let Some(row) = row else { return Value::Unknown };
    match row.elements() {
        Some(elements) => {
            let pair = |(at, value): (usize, Value)| {
                Value::List(vec![i64::try_from(at).map_or(Value::Unknown, Value::Int), value])
            };
            Value::List(elements.into_iter().enumerate().map(pair).collect())
        }
        None => Value::many(Value::List(vec![Value::piece(Piece::Unknown), row.element()])),
    }
}

fn zip(args: &Args) -> Value {
    let rows: Option<Vec<Vec<Value>>> = args.values.iter().map(Value::elements).collect();
    match rows {
        Some(rows) => {
            let count = rows.iter().map(Vec::len).min().unwrap_or(0);
            let row = |at: usize| Value::List(rows.iter().filter_map(|row| row.get(at).cloned()).collect());
            Value::List((0..count).map(row).collect())
        }
        None => Value::many(Value::List(args.values.iter().map(Value::element).collect())),
    }
}

fn range(args: &Args) -> Value {
    let bound = |at: usize| match args.argument(at) {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    };
    let (from, to) = match args.values.len() {
        1 => (Some(0), bound(0)),
        2 => (bound(0), bound(1)),
        _ => (None, None),
    };
    match (from, to) {
        (Some(from), Some(to)) if to.saturating_sub(from) <= 64 => Value::List((from..to).map(Value::Int).collect()),
        _ => Value::many(Value::piece(Piece::Unknown)),
    }
}
