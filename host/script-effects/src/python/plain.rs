//! Calls that do nothing to the machine: what they give back.

use super::calls::{Args, each};
use super::fold;
use super::reader::Reader;
use super::requests::takes_away;
use super::value::{ELEMENTS, Value};
use crate::{Piece, Text};

impl Reader<'_> {
    /// Calls that do nothing by themselves.
    pub(super) fn plain(&mut self, name: &str, args: &Args) -> Value {
        if let Some(name) = name.strip_prefix("node.") {
            return self.plain_of_node(name, args);
        }
        let first = args.at(0);
        let text = |value: Option<&Value>| value.map_or_else(|| Text::of(Piece::Unknown), Value::as_part);
        match name {
            "pathlib.Path" => {
                let here = [Value::text(".")];
                let parts = if args.values.is_empty() { &here } else { args.values.as_slice() };
                return Value::join(fold::joined(parts).into_iter().map(Value::Path));
            }
            "os.path.join" => {
                let open = |whole: Text| if args.open { whole.and(&Text::of(Piece::Unknown)) } else { whole };
                return Value::join(fold::joined(&args.values).into_iter().map(open).map(Value::Text));
            }
            "pathlib.Path.home" => return Value::Path(Text::of(Piece::Home)),
            "pathlib.Path.cwd" => return Value::Path(self.here()),
            "os.getcwd" | "os.getcwdb" => return Value::Text(self.here()),
            "os.path.abspath" | "os.path.realpath" => {
                return each(first, |value| Value::Text(self.whole(&value.as_part())));
            }
            "os.path.expanduser" => return each(first, |value| Value::Text(expand_user(&value.as_part()))),
            "os.path.expandvars" | "string.Template" => {
                return each(first, |value| Value::Text(expand_variables(&value.as_part())));
            }
            "codecs.decode" | "codecs.encode" | "builtins.str" | "builtins.bytes" if args.at(1).is_some() => {
                let codec = args.values.get(1..).unwrap_or_default();
                return each(first, |value| {
                    fold::text_method(&value.as_part(), "decode", codec).unwrap_or(Value::Unknown)
                });
            }
            "os.path.normpath" | "os.fspath" | "os.fsdecode" | "os.fsencode" | "builtins.str" | "builtins.bytes"
            | "builtins.bytearray" | "os.path.normcase" => {
                return first.map_or_else(
                    || Value::text(""),
                    |first| {
                        each(Some(first), |value| match value {
                            // `str(b"…")` and `bytes([…])` of what is not known as text.
                            Value::List(values) if name == "builtins.bytes" => from_codes(values),
                            Value::Unknown | Value::Many(_) | Value::List(_) | Value::Dict(_) => {
                                Value::piece(Piece::Unknown)
                            }
                            value => Value::Text(value.as_part()),
                        })
                    },
                );
            }
            "os.path.dirname" => return each(first, |value| Value::Text(dirname(&value.as_part()))),
            "os.path.basename" => {
                return each(first, |value| fold::path_member(&value.as_part(), "name").unwrap_or(Value::Unknown));
            }
            "os.getenv" | "os.environ.get" | "os.getenvb" | "os.environ.setdefault" | "os.environ.pop" => {
                let known = first.and_then(Value::known).map(str::to_owned);
                let variable = match known.as_deref() {
                    Some("HOME") => Value::piece(Piece::Home),
                    Some(name) => Value::piece(Piece::Variable(name.to_owned())),
                    None => Value::piece(Piece::Unknown),
                };
                let default = args.at(1).filter(|value| matches!(value, Value::Text(_)));
                return Value::join([variable].into_iter().chain(default.cloned()));
            }
            // Its text is not known, but what is in it is.
            "json.dumps" => {
                return first.map_or(Value::Unknown, |value| Value::many(value.clone()));
            }
            "builtins.repr" => return Value::Text(first.map_or_else(|| Text::of(Piece::Unknown), fold::represented)),
            "builtins.getattr" => {
                let Some(base) = first.cloned() else { return Value::Unknown };
                return match args.at(1).and_then(Value::known).map(str::to_owned) {
                    Some(member) => self.member(&base, &member),
                    None if matches!(base, Value::Named(_) | Value::Hidden) => Value::Hidden,
                    None => Value::Unknown,
                };
            }
            "builtins.vars" => {
                return first.map_or_else(
                    || Value::named("builtins.globals()"),
                    |module| match module {
                        Value::Named(module) => Value::Named(format!("{module}.__dict__")),
                        _ => Value::Unknown,
                    },
                );
            }
            "builtins.globals" | "builtins.locals" => return Value::named("builtins.globals()"),
            "builtins.compile" | "textwrap.dedent" | "builtins.iter" | "builtins.sorted" | "builtins.list"
            | "builtins.tuple" | "builtins.set" | "builtins.reversed" | "builtins.next" | "copy.copy"
            | "copy.deepcopy" | "tqdm.tqdm" => {
                let Some(value) = first else { return Value::List(Vec::new()) };
                if name == "builtins.next" {
                    return value.element();
                }
                let callables: Vec<(String, Value)> = args.named.clone();
                self.call_back(&Args { named: callables, ..Args::default() });
                let row = name.starts_with("builtins.") && name != "builtins.compile";
                return match value.elements().filter(|_| row) {
                    Some(mut elements) => {
                        if name == "builtins.reversed" {
                            elements.reverse();
                        }
                        Value::List(elements)
                    }
                    None => value.clone(),
                };
            }
            "shlex.split" => {
                let words = |line: &str| {
                    Value::List(fold::words(line).iter().take(ELEMENTS).map(|word| Value::text(word)).collect())
                };
                return each(first, |value| value.known().map_or_else(|| split_parts(&value.as_part()), words));
            }
            "shlex.quote" | "pipes.quote" => {
                return each(first, |value| match value.known() {
                    Some(text) => Value::Text(Text::literal("'").with(&text.replace('\'', "'\\''")).with("'")),
                    None => Value::Text(value.as_part()),
                });
            }
            "shlex.join" | "subprocess.list2cmdline" => {
                let words = first.and_then(Value::elements).unwrap_or_default();
                let joined = fold::text_method(&Text::literal(" "), "join", &[Value::List(words)]);
                return joined.unwrap_or(Value::Unknown);
            }
            "shutil.which" | "distutils.spawn.find_executable" => return first.cloned().unwrap_or(Value::Unknown),
            "imageio_ffmpeg.get_ffmpeg_exe" => return Value::text("ffmpeg"),
            "glob.glob" | "glob.iglob" => {
                let pattern = text(first);
                let found = |piece: &Piece| match piece {
                    Piece::Literal(text) if text.contains(['*', '?', '[']) => Piece::Pattern(text.clone()),
                    piece => piece.clone(),
                };
                return Value::many(Value::Text(Text { pieces: pattern.pieces.iter().map(found).collect() }));
            }
            "tempfile.mkdtemp" | "tempfile.mktemp" | "tempfile.gettempprefix" => return Value::piece(Piece::Own),
            "tempfile.mkstemp" => return Value::List(vec![Value::Unknown, Value::piece(Piece::Own)]),
            "tempfile.gettempdir" => return Value::text("/tmp"),
            "tempfile.NamedTemporaryFile"
            | "tempfile.TemporaryDirectory"
            | "tempfile.TemporaryFile"
            | "tempfile.SpooledTemporaryFile" => return Value::File(Text::of(Piece::Own)),
            "base64.b64decode"
            | "base64.urlsafe_b64decode"
            | "base64.standard_b64decode"
            | "base64.decodebytes"
            | "binascii.a2b_base64" => return decoded(first, fold::base64),
            "builtins.bytes.fromhex"
            | "builtins.bytearray.fromhex"
            | "binascii.unhexlify"
            | "binascii.a2b_hex"
            | "base64.b16decode" => return decoded(first, fold::hex),
            "builtins.chr" => {
                let char = match first {
                    Some(Value::Int(code)) => u32::try_from(*code).ok().and_then(char::from_u32),
                    _ => None,
                };
                return char.map_or_else(|| Value::piece(Piece::Unknown), |char| Value::text(&char.to_string()));
            }
            "builtins.map" | "builtins.filter" | "itertools.starmap" => {
                let (Some(callee), Some(row)) = (first.cloned(), args.at(1).cloned()) else { return Value::Unknown };
                let mapped = self.call_each(&callee, &row);
                return if name == "builtins.map" { mapped } else { row };
            }
            "functools.partial" => {
                if let Some((callee, rest)) = args.values.split_first() {
                    let rest = Args { values: rest.to_vec(), ..args.clone() };
                    return Value::Partial(Box::new(callee.clone()), Box::new(rest));
                }
            }
            "builtins.enumerate" => return numbered(first),
            "builtins.zip" => return zipped(args),
            "builtins.range" => return range(args),
            "builtins.dict" => {
                return Value::Dict(
                    args.named.iter().map(|(name, value)| (Value::text(name), value.clone())).collect(),
                );
            }
            "builtins.input" => return Value::piece(Piece::Unknown),
            "requests.Session"
            | "requests.session"
            | "httpx.Client"
            | "httpx.AsyncClient"
            | "aiohttp.ClientSession"
            | "socket.socket" => {
                return Value::Client;
            }
            "requests.request" | "httpx.request" => {
                let deletes = takes_away(name, args.get(0, &["method"]), args);
                self.request(args.get(1, &["url"]), true, deletes);
            }
            _ => self.call_back(args),
        }
        Value::Unknown
    }
}

fn decoded(value: Option<&Value>, decode: impl Fn(&str) -> Option<String>) -> Value {
    each(value, |value| {
        value.known().and_then(&decode).map_or_else(|| Value::piece(Piece::Unknown), |text| Value::text(&text))
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

fn numbered(row: Option<&Value>) -> Value {
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

fn zipped(args: &Args) -> Value {
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
    let bound = |at: usize| match args.at(at) {
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
