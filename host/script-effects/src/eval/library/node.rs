//! Names of JavaScript, of Node, Deno and Bun, and of their modules: each has `node.` in front.

use super::{CallEffect, GLOBALS_OF_NODE, is_word};
use crate::Piece;
use crate::eval::calls::{Args, map_alternatives};
use crate::eval::evaluator::Evaluator;
use crate::eval::fold;
use crate::eval::plain::{basename, each_text, from_codes, join_paths};
use crate::eval::rows::view;
use crate::eval::value::Value;

use CallEffect::{
    Change, ChangeFolder, Code, Connect, CopyFile, CopyTree, Delete, DeleteTree, Hide, Import, Kill, Link, ListFolder,
    MakeFolder, Move, Open, Read, Remove, Send, Shell, Start, Write,
};

/// Calls by their full names. A name that ends with `Sync` is looked up without it.
pub(super) const CALLS: &[(CallEffect, &str)] = &[
    (Delete, "fs.unlink"),
    (Remove, "fs.rmdir fs.rm Deno.remove"),
    (
        DeleteTree,
        "fs.remove fs.emptyDir fs.emptydir rimraf rimraf.rimraf rimraf.native del del.delete del.deleteAsync trash",
    ),
    (
        Write,
        "fs.writeFile fs.outputFile fs.writeJson fs.writeJSON fs.outputJson fs.appendFile fs.createWriteStream \
         fs.WriteStream fs.truncate Bun.write bun.write Deno.writeTextFile Deno.writeFile Deno.create Deno.truncate",
    ),
    (Read, "fs.readFile fs.readJson fs.readJSON fs.createReadStream fs.readlink Deno.readTextFile Deno.readFile"),
    (ListFolder, "fs.readdir fs.opendir Deno.readDir"),
    (MakeFolder, "fs.mkdir fs.mkdirp fs.ensureDir Deno.mkdir"),
    (CopyFile, "fs.copyFile Deno.copyFile"),
    (CopyTree, "fs.cp fs.copy"),
    (Move, "fs.rename fs.move Deno.rename"),
    (Link, "fs.symlink fs.link Deno.symlink Deno.link"),
    (Change, "fs.chmod fs.lchmod fs.chown fs.lchown Deno.chmod Deno.chown"),
    (Open, "fs.open Deno.open"),
    (
        Shell,
        "child_process.exec execa.execaCommand execa.command execa.$ zx.$ bun.$ Bun.$ shelljs.exec sudo-prompt.exec",
    ),
    (
        Start,
        "child_process.execFile child_process.spawn child_process.fork execa execa.execa execa.execaNode bun.spawn \
         Bun.spawn tinyexec.x tinyexec.exec nano-spawn node-pty.spawn process.execve Deno.run Deno.Command",
    ),
    (ChangeFolder, "Deno.chdir process.chdir"),
    (Kill, "Deno.kill process.kill"),
    (Import, "require module.require process.getBuiltinModule module._load"),
    (
        Code,
        "eval Function vm.runInNewContext vm.runInThisContext vm.runInContext vm.Script vm.compileFunction \
         module._compile worker_threads.Worker",
    ),
    (Hide, "process.binding process.dlopen"),
    (
        Connect,
        "fetch http.get http.request https.get https.request net.connect net.createConnection axios axios.get \
         axios.request got ky undici.request undici.fetch",
    ),
    (Send, "axios.post axios.put axios.patch axios.delete got.post got.delete ky.delete superagent.delete"),
];

/// Names that are there without an import; in code on the command line, modules of Node are among them.
pub(super) const GLOBALS: &str = "require process eval Function Buffer fetch Deno Bun Object Array String JSON Promise Reflect atob module fs \
    child_process path os http https util vm url setTimeout setImmediate queueMicrotask";

/// Calls that give their first argument; `constant` is what a function gives that `Function` makes.
const FIRST: &str = "constant String.raw String path.normalize path.toNamespacedPath fs.realpath fs.realpathSync \
    util.promisify Object.freeze Object.assign Promise.resolve structuredClone";

/// Calls that make a file or a folder, and give its path.
const TEMPORARY: &str = "fs.mkdtemp fs.mkdtempSync Deno.makeTempDir Deno.makeTempDirSync Deno.makeTempFile \
    Deno.makeTempFileSync";

/// Names of the one object that holds all others.
const WHOLE: &[&str] = &["globalThis", "global", "window", "self"];

/// Members of functions that call them.
pub(in crate::eval) const CALLERS: &[&str] = &["call", "apply", "bind"];

/// The value of a name that the code has not set.
pub(in crate::eval) fn global(name: &str) -> Option<Value> {
    match name {
        // Of scripts of zx.
        "$" => Some(Value::named("node.zx.$")),
        "__dirname" => Some(Value::text(".")),
        "__filename" => Some(Value::piece(Piece::Argument(0))),
        _ if WHOLE.contains(&name) => Some(Value::named("node.globalThis")),
        _ if GLOBALS_OF_NODE.contains(name) => Some(Value::Named(format!("node.{name}"))),
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

/// Returns whether an unknown name may be a function of a module with effects.
pub(in crate::eval) fn may_be_hidden_effect(name: &str) -> bool {
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
pub(in crate::eval) fn find_by_method(name: &str) -> Option<Value> {
    const OF_PROGRAMS: &str = "execSync spawnSync execFileSync execFile";
    const OF_FILES: &str = "rmSync rmdirSync unlinkSync writeFileSync appendFileSync readFileSync renameSync copyFileSync cpSync \
    createWriteStream truncateSync symlinkSync chmodSync";
    let module = if is_word(OF_PROGRAMS, name) {
        "child_process"
    } else if is_word(OF_FILES, name) {
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
    pub(in crate::eval) fn call_node_plain(&mut self, name: &str, args: &Args) -> Value {
        let first = args.argument(0);
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
            return self.apply(&callee, &Args::new(vec![Value::Named(format!("node.{whole}"))]));
        }
        if let Some(value) = path_made(name, args).or_else(|| text_made(name, args)) {
            return value;
        }
        match name {
            name if is_word(FIRST, name) => first.cloned().unwrap_or(Value::Unknown),
            "url.fileURLToPath" => match first.and_then(Value::known_text) {
                Some(address) => Value::text(address.strip_prefix("file://").unwrap_or(address)),
                None => first.cloned().unwrap_or(Value::Unknown),
            },
            "Deno.env.get" => self.item(&Value::named("os.environ"), first.unwrap_or(&Value::Unknown)),
            "JSON.stringify" => self.call_plain("json.dumps", args),
            "Object.keys" | "Object.values" | "Object.entries" => match (first, name) {
                (Some(Value::Dict(items)), _) => view(items, name.trim_start_matches("Object.")),
                (Some(_), "Object.keys") => Value::many(Value::piece(Piece::Unknown)),
                (Some(row), "Object.values") => Value::many(row.element()),
                (Some(row), _) => Value::many(Value::List(vec![Value::piece(Piece::Unknown), row.element()])),
                (None, _) => Value::Unknown,
            },
            "Array.from" | "Array.of" | "Promise.all" | "Promise.allSettled" => match (first, args.argument(1)) {
                (Some(row), Some(callee)) if callee.is_callable() => self.call_each(callee, row),
                (Some(row), _) => row.clone(),
                (None, _) => Value::Unknown,
            },
            "Reflect.get" => match (first, args.argument(1).and_then(Value::known_text)) {
                (Some(base), Some(name)) => self.member(base, name),
                (Some(Value::Named(_)), None) => Value::Hidden,
                _ => Value::Unknown,
            },
            "Reflect.apply" => match (first, args.argument(2)) {
                (Some(callee), Some(Value::List(values))) => self.apply(callee, &Args::new(values.clone())),
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
            "bind" => Value::Partial(Box::new(callee.clone()), Box::new(Args::new(rest.to_vec()))),
            "apply" => match rest.first() {
                Some(Value::List(values)) => self.apply(callee, &Args::new(values.clone())),
                _ => self.apply(callee, &Args::unknown()),
            },
            _ => self.apply(callee, &Args::new(rest.to_vec())),
        }
    }
}

/// Calls that give a path.
fn path_made(name: &str, args: &Args) -> Option<Value> {
    let first = args.argument(0);
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
            join_paths(&parts, args.open)
        }
        "path.dirname" => each_text(first, fold::parent),
        "path.basename" => basename(first),
        "os.homedir" => Value::piece(Piece::Home),
        "os.tmpdir" => Value::text("/tmp"),
        "process.cwd" | "Deno.cwd" => Value::text("."),
        name if is_word(TEMPORARY, name) => Value::piece(Piece::Own),
        "Bun.file" => map_alternatives(first, |value| Value::Path(value.to_text_part())),
        _ => return None,
    })
}

/// Calls that give the text of bytes or of codes.
fn text_made(name: &str, args: &Args) -> Option<Value> {
    Some(match name {
        "Buffer.from" | "atob" => {
            let coding =
                args.argument(1).and_then(Value::known_text).unwrap_or(if name == "atob" { "base64" } else { "" });
            let text =
                |text: Option<String>| text.map_or_else(|| Value::piece(Piece::Unknown), |text| Value::text(&text));
            map_alternatives(args.argument(0), |value| match (value, value.known_text(), coding) {
                (_, Some(code), "base64" | "base64url") => text(fold::base64(code)),
                (_, Some(code), "hex") => text(fold::hex(code)),
                (Value::List(values), ..) => from_codes(values),
                (value, _, "" | "utf8" | "utf-8" | "latin1" | "ascii") => Value::Text(value.to_text_part()),
                _ => Value::piece(Piece::Unknown),
            })
        }
        "String.fromCharCode" | "String.fromCodePoint" => from_codes(&args.values),
        _ => return None,
    })
}

/// The arguments of a call of Node: what a table of options holds are arguments by their names.
pub(in crate::eval) fn options_as_arguments(args: &Args) -> Args {
    let mut all = args.clone();
    for value in &args.values {
        if let Value::Dict(items) = value {
            let named = items.iter().filter_map(|(key, value)| Some((key.known_text()?.to_owned(), value.clone())));
            all.named.extend(named);
        }
    }
    all
}
