//! Meanings of names of the language and of modules. Data.

use super::value::Value;
use crate::Piece;

/// The effect of a call by this full name, by its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// Reads or writes, as the mode says, which is the second argument.
    Open,
    /// The same, if no mode is given: `r`; of archives and the like.
    OpenPacked,
    OpenByFlags,
    Read,
    ListFolder,
    Write,
    /// Writes what was computed; where, is no reason to ask.
    Save,
    MakeFolder,
    Delete,
    DeleteTree,
    Move,
    CopyFile,
    CopyTree,
    /// Fills the folder of its second argument from an archive.
    Unpack,
    Change,
    Link,
    ChangeFolder,
    Shell,
    Popen,
    Exec,
    Spawn,
    Program,
    /// Sends a signal to a process.
    Kill,
    /// Deletes, and all below if the options say so.
    Remove,
    /// Starts a program, whose arguments are a row behind it.
    Start,
    Code,
    Connect,
    Send,
    Fetch,
    /// Loads a module by its name.
    Import,
    /// Machine code, or a way past all names.
    Hide,
}

use CallEffect::{
    Change, ChangeFolder, Code, Connect, CopyFile, CopyTree, Delete, DeleteTree, Exec, Fetch, Hide, Import, Kill, Link,
    ListFolder, MakeFolder, Move, Open, OpenByFlags, OpenPacked, Popen, Program, Read, Save, Send, Shell, Spawn, Write,
};

const CALLS: &[(&str, CallEffect)] = &[
    ("builtins.open", Open),
    ("builtins.FileIO", Open),
    ("codecs.open", Open),
    ("os.fdopen", Open),
    ("gzip.open", OpenPacked),
    ("bz2.open", OpenPacked),
    ("lzma.open", OpenPacked),
    ("tarfile.open", OpenPacked),
    ("zipfile.ZipFile", OpenPacked),
    ("os.open", OpenByFlags),
    ("os.listdir", ListFolder),
    ("os.scandir", ListFolder),
    ("os.walk", ListFolder),
    ("os.readlink", Read),
    ("linecache.getlines", Read),
    ("linecache.getline", Read),
    ("dotenv.dotenv_values", Read),
    ("fileinput.input", Read),
    ("fileinput.FileInput", Read),
    ("pandas.read_csv", Read),
    ("pandas.read_json", Read),
    ("pandas.read_excel", Read),
    ("pandas.read_parquet", Read),
    ("pandas.read_table", Read),
    ("pandas.read_fwf", Read),
    ("numpy.load", Read),
    ("numpy.loadtxt", Read),
    ("numpy.genfromtxt", Read),
    ("numpy.fromfile", Read),
    ("numpy.save", Save),
    ("numpy.savetxt", Save),
    ("numpy.savez", Save),
    ("matplotlib.pyplot.savefig", Save),
    ("os.mknod", Write),
    ("os.mkfifo", Write),
    ("os.truncate", Write),
    ("logging.FileHandler", Save),
    ("shutil.make_archive", Save),
    ("os.mkdir", MakeFolder),
    ("os.makedirs", MakeFolder),
    ("os.remove", Delete),
    ("os.unlink", Delete),
    ("os.rmdir", Delete),
    ("os.removedirs", Delete),
    ("shutil.rmtree", DeleteTree),
    ("distutils.dir_util.remove_tree", DeleteTree),
    ("send2trash.send2trash", DeleteTree),
    ("shutil.move", Move),
    ("os.rename", Move),
    ("os.replace", Move),
    ("os.renames", Move),
    ("shutil.copy", CopyFile),
    ("shutil.copy2", CopyFile),
    ("shutil.copyfile", CopyFile),
    ("shutil.copytree", CopyTree),
    ("shutil.unpack_archive", CallEffect::Unpack),
    ("distutils.dir_util.copy_tree", CopyTree),
    ("os.chmod", Change),
    ("os.chown", Change),
    ("os.lchown", Change),
    ("os.chflags", Change),
    ("shutil.chown", Change),
    ("os.symlink", Link),
    ("os.link", Link),
    ("os.chdir", ChangeFolder),
    ("contextlib.chdir", ChangeFolder),
    ("os.system", Shell),
    ("os.popen", Shell),
    ("os.popen2", Shell),
    ("os.popen3", Shell),
    ("subprocess.getoutput", Shell),
    ("subprocess.getstatusoutput", Shell),
    ("commands.getoutput", Shell),
    ("commands.getstatusoutput", Shell),
    ("asyncio.create_subprocess_shell", Shell),
    ("platform.popen", Shell),
    ("subprocess.run", Popen),
    ("subprocess.call", Popen),
    ("subprocess.check_call", Popen),
    ("subprocess.check_output", Popen),
    ("subprocess.Popen", Popen),
    ("pty.spawn", Popen),
    ("pexpect.run", Shell),
    ("pexpect.spawn", Shell),
    ("asyncio.create_subprocess_exec", Program),
    ("runpy.run_module", Program),
    ("os.execl", Exec),
    ("os.execle", Exec),
    ("os.execlp", Exec),
    ("os.execlpe", Exec),
    ("os.execv", Exec),
    ("os.execve", Exec),
    ("os.execvp", Exec),
    ("os.execvpe", Exec),
    ("os.posix_spawn", Exec),
    ("os.posix_spawnp", Exec),
    ("os.spawnl", Spawn),
    ("os.spawnle", Spawn),
    ("os.spawnlp", Spawn),
    ("os.spawnlpe", Spawn),
    ("os.spawnv", Spawn),
    ("os.spawnve", Spawn),
    ("os.spawnvp", Spawn),
    ("os.spawnvpe", Spawn),
    ("os.startfile", Program),
    ("runpy.run_path", Program),
    ("os.kill", Kill),
    ("os.killpg", Kill),
    ("builtins.exec", Code),
    ("builtins.eval", Code),
    ("timeit.timeit", Code),
    ("timeit.repeat", Code),
    ("cProfile.run", Code),
    ("profile.run", Code),
    ("pdb.run", Code),
    ("trace.Trace.run", Code),
    ("code.interact", Hide),
    ("marshal.loads", Hide),
    ("types.FunctionType", Hide),
    ("types.CodeType", Hide),
    ("ctypes.CDLL", Hide),
    ("ctypes.PyDLL", Hide),
    ("ctypes.cdll.LoadLibrary", Hide),
    ("ctypes.pythonapi", Hide),
    ("cffi.FFI", Hide),
    ("builtins.__import__", Import),
    ("importlib.import_module", Import),
    ("importlib.__import__", Import),
    ("requests.get", Connect),
    ("requests.head", Connect),
    ("requests.post", Send),
    ("requests.put", Send),
    ("requests.patch", Send),
    ("requests.delete", Send),
    ("httpx.get", Connect),
    ("httpx.head", Connect),
    ("httpx.post", Send),
    ("httpx.put", Send),
    ("httpx.patch", Send),
    ("httpx.delete", Send),
    ("urllib.request.urlopen", Connect),
    ("urllib.request.Request", Connect),
    ("urllib2.urlopen", Connect),
    ("urllib.urlopen", Connect),
    ("urllib.request.urlretrieve", Fetch),
    ("urllib.urlretrieve", Fetch),
    ("wget.download", Fetch),
    ("http.client.HTTPConnection", Connect),
    ("http.client.HTTPSConnection", Connect),
    ("socket.create_connection", Connect),
    ("smtplib.SMTP", Send),
    ("smtplib.SMTP_SSL", Send),
    ("ftplib.FTP", Send),
    ("telnetlib.Telnet", Send),
    ("websocket.create_connection", Connect),
    ("paramiko.SSHClient", Connect),
];

/// The effect of a call by this name, if it has one that is recorded.
pub(super) fn does(name: &str) -> Option<CallEffect> {
    if let Some(name) = name.strip_prefix("node.") {
        return super::node::does(name);
    }
    CALLS.iter().find(|(call, _)| *call == name).map(|(_, does)| *does)
}

/// Modules under the name that is used here.
const ALIASES: &[(&str, &str)] = &[
    ("posix.", "os."),
    ("nt.", "os."),
    ("posixpath.", "os.path."),
    ("ntpath.", "os.path."),
    ("io.", "builtins."),
    ("_io.", "builtins."),
    ("__builtin__.", "builtins."),
    ("__builtins__.", "builtins."),
    ("pathlib.PosixPath", "pathlib.Path"),
    ("pathlib.WindowsPath", "pathlib.Path"),
    ("pathlib.PurePath", "pathlib.Path"),
    ("pathlib.PurePosixPath", "pathlib.Path"),
    ("pathlib2.Path", "pathlib.Path"),
    ("_posixsubprocess.", "subprocess."),
    ("subprocess32.", "subprocess."),
    ("pathlib.Path.open", "builtins.open"),
    ("pathlib.os.", "os."),
    ("shutil.os.", "os."),
    ("subprocess.os.", "os."),
    ("tempfile._os.", "os."),
    ("glob.os.", "os."),
    ("os.path.os.", "os."),
    ("zipfile.shutil.", "shutil."),
    ("tarfile.shutil.", "shutil."),
    ("tempfile._shutil.", "shutil."),
    ("asyncio.subprocess.", "asyncio."),
    ("os.sys.", "sys."),
    ("matplotlib.pyplot.plt.", "matplotlib.pyplot."),
];

/// The full name without other spellings of modules.
pub(super) fn canonical(name: &str) -> String {
    for (alias, module) in ALIASES {
        let whole = if alias.ends_with('.') {
            name.strip_prefix(alias)
        } else {
            name.strip_prefix(alias).filter(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if let Some(rest) = whole {
            return format!("{module}{rest}");
        }
        if alias.strip_suffix('.') == Some(name) && name != "io" {
            return module.trim_end_matches('.').to_owned();
        }
    }
    name.to_owned()
}

/// Names that need no import and that are told apart here.
const BUILTINS: &[&str] = &[
    "open",
    "exec",
    "eval",
    "compile",
    "getattr",
    "vars",
    "globals",
    "locals",
    "str",
    "bytes",
    "bytearray",
    "repr",
    "int",
    "chr",
    "ord",
    "len",
    "list",
    "tuple",
    "set",
    "sorted",
    "reversed",
    "range",
    "enumerate",
    "zip",
    "map",
    "filter",
    "dict",
    "print",
    "__import__",
    "input",
    "iter",
    "next",
    "any",
    "all",
    "sum",
    "min",
    "max",
    "super",
    "setattr",
    "delattr",
    "object",
    "type",
    "frozenset",
    "property",
    "staticmethod",
    "classmethod",
];

/// The value of a name that the code has not set.
pub(super) fn builtin(name: &str) -> Option<Value> {
    if let Some(name) = name.strip_prefix("js_") {
        return super::node::global(name);
    }
    match name {
        "__builtins__" | "__builtin__" => Some(Value::named("builtins")),
        "__name__" => Some(Value::text("__main__")),
        "__file__" => Some(Value::piece(Piece::Argument(0))),
        // A console, or a start-up file, may have imported them.
        "os" | "sys" | "subprocess" | "shutil" | "pathlib" | "glob" | "tempfile" => Some(Value::named(name)),
        _ if BUILTINS.contains(&name) => Some(Value::Named(format!("builtins.{name}"))),
        _ => None,
    }
}

/// A member of a module that is a value, by its full name.
pub(super) fn constant(name: &str) -> Option<Value> {
    Some(match name {
        "os.sep" | "os.path.sep" => Value::text("/"),
        "os.curdir" | "os.path.curdir" => Value::text("."),
        "os.pardir" | "os.path.pardir" => Value::text(".."),
        "os.linesep" => Value::text("\n"),
        "os.devnull" => Value::text("/dev/null"),
        "os.extsep" => Value::text("."),
        "sys.executable" => Value::text("python3"),
        "string.ascii_lowercase" => Value::text("abcdefghijklmnopqrstuvwxyz"),
        "string.ascii_uppercase" => Value::text("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "string.ascii_letters" => Value::text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "string.digits" => Value::text("0123456789"),
        "tempfile.tempdir" => Value::Unknown,
        _ => return None,
    })
}
