//! Names of JavaScript, of Node, Deno and Bun, and of their modules: each has `node.` in front.

use super::CallEffect;
use crate::Piece;
use crate::eval::calls::{Args, each};
use crate::eval::evaluator::Evaluator;
use crate::eval::fold;
use crate::eval::plain::{basename, each_text, from_codes, joined};
use crate::eval::rows::view;
use crate::eval::value::Value;

use CallEffect::{
    Change, ChangeFolder, Code, Connect, CopyTree, DeleteTree, Hide, Import, Kill, Link, ListFolder, MakeFolder, Move,
    Open, Read, Remove, Send, Shell, Start, Write,
};

/// Calls by their full names. A name that ends with `Sync` is looked up without it.
const CALLS: &[(&str, CallEffect)] = &[
    ("fs.unlink", CallEffect::Delete),
    ("fs.rmdir", Remove),
    ("fs.rm", Remove),
    ("fs.remove", DeleteTree),
    ("fs.emptyDir", DeleteTree),
    ("fs.emptydir", DeleteTree),
    ("fs.writeFile", Write),
    ("fs.outputFile", Write),
    ("fs.writeJson", Write),
    ("fs.writeJSON", Write),
    ("fs.outputJson", Write),
    ("fs.appendFile", Write),
    ("fs.createWriteStream", Write),
    ("fs.truncate", Write),
    ("fs.readFile", Read),
    ("fs.readJson", Read),
    ("fs.readJSON", Read),
    ("fs.createReadStream", Read),
    ("fs.readlink", Read),
    ("fs.readdir", ListFolder),
    ("fs.opendir", ListFolder),
    ("fs.mkdir", MakeFolder),
    ("fs.mkdirp", MakeFolder),
    ("fs.ensureDir", MakeFolder),
    ("fs.copyFile", CallEffect::CopyFile),
    ("fs.cp", CopyTree),
    ("fs.copy", CopyTree),
    ("fs.rename", Move),
    ("fs.move", Move),
    ("fs.symlink", Link),
    ("fs.link", Link),
    ("fs.chmod", Change),
    ("fs.lchmod", Change),
    ("fs.chown", Change),
    ("fs.lchown", Change),
    ("fs.open", Open),
    ("rimraf", DeleteTree),
    ("rimraf.rimraf", DeleteTree),
    ("rimraf.native", DeleteTree),
    ("del", DeleteTree),
    ("del.delete", DeleteTree),
    ("del.deleteAsync", DeleteTree),
    ("trash", DeleteTree),
    ("child_process.exec", Shell),
    ("child_process.execFile", Start),
    ("child_process.spawn", Start),
    ("child_process.fork", Start),
    ("execa", Start),
    ("execa.execa", Start),
    ("execa.execaNode", Start),
    ("execa.execaCommand", Shell),
    ("execa.command", Shell),
    ("execa.$", Shell),
    ("zx.$", Shell),
    ("bun.$", Shell),
    ("Bun.$", Shell),
    ("bun.spawn", Start),
    ("Bun.spawn", Start),
    ("shelljs.exec", Shell),
    ("tinyexec.x", Start),
    ("tinyexec.exec", Start),
    ("nano-spawn", Start),
    ("node-pty.spawn", Start),
    ("sudo-prompt.exec", Shell),
    ("process.execve", Start),
    ("Bun.write", Write),
    ("bun.write", Write),
    ("Deno.run", Start),
    ("Deno.Command", Start),
    ("Deno.remove", Remove),
    ("Deno.writeTextFile", Write),
    ("Deno.writeFile", Write),
    ("Deno.create", Write),
    ("Deno.truncate", Write),
    ("Deno.readTextFile", Read),
    ("Deno.readFile", Read),
    ("Deno.readDir", ListFolder),
    ("Deno.mkdir", MakeFolder),
    ("Deno.copyFile", CallEffect::CopyFile),
    ("Deno.rename", Move),
    ("Deno.symlink", Link),
    ("Deno.link", Link),
    ("Deno.chmod", Change),
    ("Deno.chown", Change),
    ("Deno.open", Open),
    ("Deno.chdir", ChangeFolder),
    ("Deno.kill", Kill),
    ("process.chdir", ChangeFolder),
    ("process.kill", Kill),
    ("require", Import),
    ("module.require", Import),
    ("process.getBuiltinModule", Import),
    ("eval", Code),
    ("Function", Code),
    ("vm.runInNewContext", Code),
    ("vm.runInThisContext", Code),
    ("vm.runInContext", Code),
    ("vm.Script", Code),
    ("vm.compileFunction", Code),
    ("module._compile", Code),
    ("worker_threads.Worker", Code),
    ("module._load", Import),
    ("process.binding", Hide),
    ("process.dlopen", Hide),
    ("fetch", Connect),
    ("http.get", Connect),
    ("http.request", Connect),
    ("https.get", Connect),
    ("https.request", Connect),
    ("net.connect", Connect),
    ("net.createConnection", Connect),
    ("axios", Connect),
    ("axios.get", Connect),
    ("axios.post", Send),
    ("axios.put", Send),
    ("axios.patch", Send),
    ("axios.delete", Send),
    ("axios.request", Connect),
    ("got", Connect),
    ("got.post", Send),
    ("got.delete", Send),
    ("ky", Connect),
    ("ky.delete", Send),
    ("superagent.delete", Send),
    ("undici.request", Connect),
    ("undici.fetch", Connect),
];

/// Names that are there without an import; in code on the command line, modules of Node are among them.
const GLOBALS: &[&str] = &[
    "require",
    "process",
    "eval",
    "Function",
    "Buffer",
    "fetch",
    "Deno",
    "Bun",
    "Object",
    "Array",
    "String",
    "JSON",
    "Promise",
    "Reflect",
    "atob",
    "module",
    "fs",
    "child_process",
    "path",
    "os",
    "http",
    "https",
    "util",
    "vm",
    "url",
    "setTimeout",
    "setImmediate",
    "queueMicrotask",
];

/// Names of the one object that holds all others.
const WHOLE: &[&str] = &["globalThis", "global", "window", "self"];

/// Members of functions that call them.
pub(in crate::eval) const CALLERS: &[&str] = &["call", "apply", "bind"];

/// The effect of a call by this name, if it has one that is recorded. `name` has no `node.` in front.
pub(in crate::eval) fn effect_of(name: &str) -> Option<CallEffect> {
    let plain = name.strip_suffix("Sync").unwrap_or(name);
    CALLS.iter().find(|(call, _)| *call == plain).map(|(_, effect)| *effect)
}

/// The value of a name that the code has not set.
pub(in crate::eval) fn global(name: &str) -> Option<Value> {
    match name {
        // Of scripts of zx.
        "$" => Some(Value::named("node.zx.$")),
        "__dirname" => Some(Value::text(".")),
        "__filename" => Some(Value::piece(Piece::Argument(0))),
        _ if WHOLE.contains(&name) => Some(Value::named("node.globalThis")),
        _ if GLOBALS.contains(&name) => Some(Value::Named(format!("node.{name}"))),
        _ => None,
    }
}

/// A module by the name that the code imports.
pub(in crate::eval) fn module(name: &str) -> Value {
    let name = ["node:", "npm:", "jsr:"].iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name);
    // A version may follow the name.
    let at = name.get(1..).and_then(|rest| rest.find('@')).map_or(name.len(), |at| at + 1);
    let name = name.get(..at).unwrap_or(name);
    let own = match name {
        "fs-extra" | "graceful-fs" | "original-fs" | "@std/fs" | "mz/fs" => "fs",
        "cross-spawn" => "child_process.spawn",
        "mz/child_process" => "child_process",
        "process" => "process",
        name => name,
    };
    canonical(&own.replace('/', "."))
}

/// The value of a full name, without other spellings. `name` has no `node.` in front.
fn canonical(name: &str) -> Value {
    let mut parts: Vec<&str> = name.split('.').collect();
    parts.retain(|part| !matches!(*part, "default" | "promises" | "posix" | "strict" | "mainModule" | "main"));
    // `spawn.sync` of a library is its `spawnSync`.
    if parts.last() == Some(&"sync") && parts.len() > 1 {
        parts.pop();
    }
    while parts.first().is_some_and(|part| WHOLE.contains(part)) && parts.len() > 1 {
        parts.remove(0);
    }
    match parts.as_slice() {
        ["process", "env"] => Value::named("os.environ"),
        ["process", "argv" | "argv0"] | ["Deno" | "Bun", "argv"] => Value::named("sys.argv"),
        ["process", "execPath"] => Value::text("node"),
        ["process" | "require" | "module", "require"] => Value::named("node.require"),
        ["zx", "fs"] => Value::named("node.fs"),
        [.., "constructor"] => Value::named("node.Function"),
        ["process", "stdout" | "stderr" | "stdin", ..] => Value::Unknown,
        ["path", "sep"] => Value::text("/"),
        ["path", "delimiter"] => Value::text(":"),
        ["os", "EOL"] => Value::text("\n"),
        ["os", "devNull"] => Value::text("/dev/null"),
        ["meta", "dirname" | "dir"] => Value::text("."),
        ["meta", "filename" | "path"] => Value::piece(Piece::Argument(0)),
        ["meta", "env"] => Value::named("os.environ"),
        parts => Value::Named(format!("node.{}", parts.join("."))),
    }
}

/// Whether a name that nobody knows may be one of a module that does things.
pub(in crate::eval) fn hides(name: &str) -> bool {
    let module = name.strip_prefix("node.").and_then(|name| name.split('.').next());
    module.is_some_and(|module| {
        matches!(
            module,
            "fs" | "child_process"
                | "process"
                | "vm"
                | "module"
                | "require"
                | "globalThis"
                | "Deno"
                | "Bun"
                | "Reflect"
        )
    })
}

/// The call that a method of an object that is not known can only be, by its name.
pub(in crate::eval) fn by_method(name: &str) -> Option<Value> {
    const OF_PROGRAMS: &[&str] = &["execSync", "spawnSync", "execFileSync", "execFile"];
    const OF_FILES: &[&str] = &[
        "rmSync",
        "rmdirSync",
        "unlinkSync",
        "writeFileSync",
        "appendFileSync",
        "readFileSync",
        "renameSync",
        "copyFileSync",
        "cpSync",
        "createWriteStream",
        "truncateSync",
        "symlinkSync",
        "chmodSync",
    ];
    let module = if OF_PROGRAMS.contains(&name) {
        "child_process"
    } else if OF_FILES.contains(&name) {
        "fs"
    } else {
        return None;
    };
    Some(Value::Named(format!("node.{module}.{name}")))
}

/// A member of something that a module of Node holds.
pub(in crate::eval) fn member(base: &str, name: &str) -> Value {
    let base = base.strip_prefix("node.").unwrap_or(base);
    if CALLERS.contains(&name) {
        return Value::Method(Box::new(Value::Named(format!("node.{base}"))), name.to_owned());
    }
    canonical(&format!("{base}.{name}"))
}

impl Evaluator<'_> {
    /// Calls of Node that do nothing by themselves. `name` has no `node.` in front.
    pub(in crate::eval) fn plain_of_node(&mut self, name: &str, args: &Args) -> Value {
        let first = args.at(0);
        if let Some(program) = name.strip_prefix("shelljs.") {
            let row = std::iter::once(Value::text(program)).chain(args.values.iter().flat_map(|value| match value {
                Value::List(values) => values.clone(),
                value => vec![value.clone()],
            }));
            self.program(name, &Value::List(row.collect()), None, &Args::default());
            return Value::Unknown;
        }
        // A promise is what it will give.
        if let Some(whole) = name.strip_suffix(".then").or_else(|| name.strip_suffix(".finally"))
            && let Some(callee) = first.cloned()
        {
            return self.apply(&callee, &Args::of(vec![Value::Named(format!("node.{whole}"))]));
        }
        if let Some(value) = path_made(name, args).or_else(|| text_made(name, args)) {
            return value;
        }
        match name {
            // What a function gives that `Function` makes.
            "constant"
            | "String.raw"
            | "String"
            | "path.normalize"
            | "path.toNamespacedPath"
            | "url.fileURLToPath"
            | "fs.realpath"
            | "fs.realpathSync"
            | "util.promisify"
            | "Object.freeze"
            | "Object.assign"
            | "Promise.resolve"
            | "structuredClone" => first.cloned().unwrap_or(Value::Unknown),
            "Deno.env.get" => self.plain("os.getenv", args),
            "JSON.stringify" => self.plain("json.dumps", args),
            "Object.keys" | "Object.values" | "Object.entries" => match (first, name) {
                (Some(Value::Dict(items)), _) => view(items, name.trim_start_matches("Object.")),
                (Some(_), "Object.keys") => Value::many(Value::piece(Piece::Unknown)),
                (Some(row), "Object.values") => Value::many(row.element()),
                (Some(row), _) => Value::many(Value::List(vec![Value::piece(Piece::Unknown), row.element()])),
                (None, _) => Value::Unknown,
            },
            "Array.from" | "Array.of" | "Promise.all" | "Promise.allSettled" => match (first, args.at(1)) {
                (Some(row), Some(callee)) if callee.is_callable() => self.call_each(callee, row),
                (Some(row), _) => row.clone(),
                (None, _) => Value::Unknown,
            },
            "Reflect.get" => match (first, args.at(1).and_then(Value::known)) {
                (Some(base), Some(name)) => self.member(base, name),
                (Some(Value::Named(_)), None) => Value::Hidden,
                _ => Value::Unknown,
            },
            "Reflect.apply" => match (first, args.at(2)) {
                (Some(callee), Some(Value::List(values))) => self.apply(callee, &Args::of(values.clone())),
                _ => Value::Unknown,
            },
            "module.createRequire" => Value::named("node.require"),
            _ => {
                self.call_back(args);
                Value::Unknown
            }
        }
    }

    /// `call`, `apply` and `bind` of a callable.
    pub(in crate::eval) fn call_through(&mut self, callee: &Value, how: &str, args: &Args) -> Value {
        let rest = args.values.get(1..).unwrap_or_default();
        match how {
            "bind" => Value::Partial(Box::new(callee.clone()), Box::new(Args::of(rest.to_vec()))),
            "apply" => match rest.first() {
                Some(Value::List(values)) => self.apply(callee, &Args::of(values.clone())),
                _ => self.apply(callee, &Args::unknown()),
            },
            _ => self.apply(callee, &Args::of(rest.to_vec())),
        }
    }
}

/// Calls that give a path.
fn path_made(name: &str, args: &Args) -> Option<Value> {
    let first = args.at(0);
    Some(match name {
        "path.join" | "path.resolve" => {
            let is_relative = name == "path.join";
            let part = |(at, value): (usize, &Value)| match value {
                Value::Text(text) if at > 0 && is_relative && text.head().starts_with('/') => {
                    Value::Text(fold::relative(text))
                }
                value => value.clone(),
            };
            let parts: Vec<Value> = args.values.iter().enumerate().map(part).collect();
            joined(&parts, args.open)
        }
        "path.dirname" => each_text(first, fold::parent),
        "path.basename" => basename(first),
        "os.homedir" => Value::piece(Piece::Home),
        "os.tmpdir" => Value::text("/tmp"),
        "process.cwd" | "Deno.cwd" => Value::text("."),
        "fs.mkdtemp"
        | "fs.mkdtempSync"
        | "Deno.makeTempDir"
        | "Deno.makeTempDirSync"
        | "Deno.makeTempFile"
        | "Deno.makeTempFileSync" => Value::piece(Piece::Own),
        "Bun.file" => each(first, |value| Value::Path(value.as_part())),
        _ => return None,
    })
}

/// Calls that give the text of bytes or of codes.
fn text_made(name: &str, args: &Args) -> Option<Value> {
    Some(match name {
        "Buffer.from" | "atob" => {
            let coding = args.at(1).and_then(Value::known).unwrap_or(if name == "atob" { "base64" } else { "" });
            let text =
                |text: Option<String>| text.map_or_else(|| Value::piece(Piece::Unknown), |text| Value::text(&text));
            each(args.at(0), |value| match (value, value.known(), coding) {
                (_, Some(code), "base64" | "base64url") => text(fold::base64(code)),
                (_, Some(code), "hex") => text(fold::hex(code)),
                (Value::List(values), ..) => from_codes(values),
                (value, _, "" | "utf8" | "utf-8" | "latin1" | "ascii") => Value::Text(value.as_part()),
                _ => Value::piece(Piece::Unknown),
            })
        }
        "String.fromCharCode" | "String.fromCodePoint" => from_codes(&args.values),
        _ => return None,
    })
}

/// The arguments of a call of Node: what a table of options holds are arguments by their names.
pub(in crate::eval) fn with_options(args: &Args) -> Args {
    let mut all = args.clone();
    for value in &args.values {
        if let Value::Dict(items) = value {
            let named = items.iter().filter_map(|(key, value)| Some((key.known()?.to_owned(), value.clone())));
            all.named.extend(named);
        }
    }
    all
}
