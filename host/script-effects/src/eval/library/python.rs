//! Names of Python and of its modules. Data.

use super::{CallEffect, GLOBALS_OF_PYTHON};
use crate::Piece;
use crate::eval::value::Value;

use CallEffect::{
    Change, ChangeFolder, Code, Connect, CopyFile, CopyTree, Delete, DeleteTree, Exec, Fetch, Hide, Import, Kill, Link,
    ListFolder, MakeFolder, Move, Open, OpenByFlags, OpenPacked, Popen, Program, Read, Save, Send, Shell, Spawn,
    Unpack, Write,
};

pub(super) const CALLS: &[(CallEffect, &str)] = &[
    (Open, "builtins.open builtins.FileIO codecs.open os.fdopen"),
    (OpenPacked, "gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile"),
    (OpenByFlags, "os.open"),
    (ListFolder, "os.listdir os.scandir os.walk"),
    (
        Read,
        "os.readlink linecache.getlines linecache.getline dotenv.dotenv_values fileinput.input fileinput.FileInput \
         pandas.read_csv pandas.read_json pandas.read_excel pandas.read_parquet pandas.read_table pandas.read_fwf \
         numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile",
    ),
    (Save, "numpy.save numpy.savetxt numpy.savez matplotlib.pyplot.savefig logging.FileHandler shutil.make_archive"),
    (Write, "os.mknod os.mkfifo os.truncate"),
    (MakeFolder, "os.mkdir os.makedirs"),
    (Delete, "os.remove os.unlink os.rmdir os.removedirs"),
    (DeleteTree, "shutil.rmtree distutils.dir_util.remove_tree send2trash.send2trash"),
    (Move, "shutil.move os.rename os.replace os.renames"),
    (CopyFile, "shutil.copy shutil.copy2 shutil.copyfile"),
    (CopyTree, "shutil.copytree distutils.dir_util.copy_tree"),
    (Unpack, "shutil.unpack_archive"),
    (Change, "os.chmod os.chown os.lchown os.chflags shutil.chown"),
    (Link, "os.symlink os.link"),
    (ChangeFolder, "os.chdir contextlib.chdir"),
    (
        Shell,
        "os.system os.popen os.popen2 os.popen3 subprocess.getoutput subprocess.getstatusoutput commands.getoutput \
         commands.getstatusoutput asyncio.create_subprocess_shell platform.popen pexpect.run pexpect.spawn \
         invoke.run invoke.Context.run invoke.Context.sudo invoke.Context.local",
    ),
    (Popen, "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pty.spawn"),
    (
        Program,
        "asyncio.create_subprocess_exec runpy.run_module os.startfile runpy.run_path nox.Session.run \
         nox.Session.run_always nox.Session.run_install",
    ),
    (
        Exec,
        "os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe os.posix_spawn \
         os.posix_spawnp",
    ),
    (Spawn, "os.spawnl os.spawnle os.spawnlp os.spawnlpe os.spawnv os.spawnve os.spawnvp os.spawnvpe"),
    (Kill, "os.kill os.killpg"),
    (Code, "builtins.exec builtins.eval timeit.timeit timeit.repeat cProfile.run profile.run pdb.run trace.Trace.run"),
    (
        Hide,
        "code.interact marshal.loads types.FunctionType types.CodeType ctypes.CDLL ctypes.PyDLL \
         ctypes.cdll.LoadLibrary ctypes.pythonapi cffi.FFI",
    ),
    (Import, "builtins.__import__ importlib.import_module importlib.__import__"),
    (
        Connect,
        "requests.get requests.head httpx.get httpx.head urllib.request.urlopen urllib.request.Request \
         urllib2.urlopen urllib.urlopen http.client.HTTPConnection http.client.HTTPSConnection \
         socket.create_connection websocket.create_connection paramiko.SSHClient",
    ),
    (
        Send,
        "requests.post requests.put requests.patch requests.delete httpx.post httpx.put httpx.patch httpx.delete \
         smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP telnetlib.Telnet",
    ),
    (Fetch, "urllib.request.urlretrieve urllib.urlretrieve wget.download"),
];

/// Returns what `shutil.make_archive` appends to a file's name.
pub(in crate::eval) fn archive_ending(format: Option<&str>) -> &'static str {
    match format {
        Some("zip") => ".zip",
        Some("tar") => ".tar",
        Some("gztar") => ".tar.gz",
        Some("bztar") => ".tar.bz2",
        Some("xztar") => ".tar.xz",
        _ => "",
    }
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
pub(in crate::eval) fn canonical(name: &str) -> String {
    for (alias, module) in ALIASES {
        if alias.as_bytes().first() != name.as_bytes().first() {
            continue;
        }
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
pub(super) const BUILTINS: &str = "open exec eval compile getattr vars globals locals str bytes bytearray repr int chr ord len list tuple set \
    sorted reversed range enumerate zip map filter dict print __import__ input iter next any all sum min max super \
    setattr delattr object type frozenset property staticmethod classmethod";

/// The value of a name that the code has not set.
pub(super) fn global(name: &str) -> Option<Value> {
    match name {
        "__builtins__" | "__builtin__" => Some(Value::named("builtins")),
        "__name__" => Some(Value::text("__main__")),
        "__file__" => Some(Value::piece(Piece::Argument(0))),
        // A console, or a start-up file, may have imported them.
        "os" | "sys" | "subprocess" | "shutil" | "pathlib" | "glob" | "tempfile" => Some(Value::named(name)),
        _ if GLOBALS_OF_PYTHON.contains(name) => Some(Value::Named(format!("builtins.{name}"))),
        _ => None,
    }
}

/// A member of a module that is a value, by its full name.
pub(in crate::eval) fn constant(name: &str) -> Option<Value> {
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
