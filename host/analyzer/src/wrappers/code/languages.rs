//! The table of languages whose code starts programs, with one entry for each language.

use crate::javascript;
use crate::options::Options;
use crate::wrappers::layer::takes;

/// A language: the programs that run it, and its calls that start programs.
pub(super) struct Language {
    pub(super) programs: &'static [&'static str],
    pub(super) takes: Options,
    /// Options whose value is code.
    pub(super) code: &'static [&'static str],
    /// The script analyzer's name for the language. The script analyzer finds its calls.
    pub(super) read: Option<&'static str>,
    pub(super) calls: &'static [&'static str],
    /// Whether a call may have no parentheses.
    pub(super) bare: bool,
    /// Whether text in backticks runs.
    pub(super) backticks: bool,
}

/// The pseudo program for Python code that a tool loads. Much of it may never run, such as tests.
pub(crate) const LOADED: &str = "pyloaded";

/// The pseudo program for code in an unknown language.
pub(crate) const ANY: &str = "run-code";

/// Programs that run a Lisp, where white space separates the arguments of a call.
pub(super) const LISPS: &[&str] = &["guile", "sbcl", "clisp", "racket", "clojure", "clj", "bb", "janet"];

/// Programs that run Python, without their versions.
pub(crate) const PYTHONS: &[&str] = &[
    "python",
    "pypy",
    "ipython",
    "bpython",
    "ptpython",
    "ptipython",
    "py",
    "pythonw",
    "graalpy",
    "micropython",
    "jython",
    LOADED,
];

pub(super) static LANGUAGES: &[Language] = &[
    Language {
        programs: PYTHONS,
        takes: takes("cmWX", "check-hash-based-pycs"),
        code: &["c"],
        read: Some("python"),
        calls: &[],
        bare: false,
        backticks: false,
    },
    Language {
        programs: javascript::PROGRAMS,
        // A separate function reads their words.
        takes: takes("", ""),
        code: &[],
        read: Some("javascript"),
        calls: &[],
        bare: false,
        backticks: false,
    },
    // Its shell runs on Node.
    Language {
        programs: &["mongosh"],
        takes: Options { leading: false, ..takes("up", "eval host port username password file") },
        code: &["eval"],
        read: Some("javascript"),
        calls: &[],
        bare: false,
        backticks: false,
    },
    Language {
        programs: &["perl", "latexmk"],
        takes: takes("eE", ""),
        code: &["e", "E", "ne", "pe", "nE", "pE", "le", "lne", "ane", "lane"],
        read: None,
        calls: &["system", "exec", "qx"],
        bare: true,
        backticks: true,
    },
    Language {
        programs: &["ruby", "irb", "pry", "jruby", "truffleruby"],
        takes: takes("erI", ""),
        code: &["e", "ne", "pe"],
        read: None,
        calls: &["system", "exec", "spawn", "popen", "capture2", "capture2e", "capture3", "sh"],
        bare: true,
        backticks: true,
    },
    Language {
        programs: &["php"],
        takes: takes("rfdczBRFE", "run file define process-begin process-code process-end"),
        code: &["r", "run", "B", "R", "E", "process-begin", "process-code", "process-end"],
        read: None,
        calls: &["system", "exec", "shell_exec", "passthru", "popen", "proc_open", "pcntl_exec"],
        bare: false,
        backticks: true,
    },
    Language {
        programs: &["lua", "luajit", "texlua"],
        takes: takes("el", ""),
        code: &["e"],
        read: None,
        calls: &["execute", "popen"],
        bare: true,
        backticks: false,
    },
    Language {
        programs: &[
            "rscript",
            "r",
            "julia",
            "elixir",
            "iex",
            "scala",
            "groovy",
            "swift",
            "ghc",
            "runghc",
            "runhaskell",
            "crystal",
            "nim",
            "ocaml",
            "raku",
            "jshell",
            "kotlin",
            "nu",
            "jjs",
            "jrunscript",
            "octave",
            "octave-cli",
            "slsh",
            "ghci",
            "bpftrace",
        ],
        takes: takes("eEc", "eval"),
        code: &["e", "E", "c", "eval"],
        read: None,
        calls: &[
            "system",
            "system2",
            "run",
            "cmd",
            "shell",
            "pipeline",
            "os",
            "!",
            "callCommand",
            "command",
            "exec",
            "run-program",
            "Process",
            "ProcessBuilder",
            "callProcess",
            "dos",
            "execCmd",
            "execCmdEx",
            "execProcess",
            "execShellCmd",
            "executeShell",
            "readProcess",
            "spawnShell",
            "staticExec",
            "unix",
        ],
        bare: true,
        backticks: false,
    },
    Language {
        programs: LISPS,
        takes: takes("eEc", "eval"),
        code: &["e", "E", "c", "eval"],
        read: None,
        calls: &["system", "run", "shell", "sh", "process", "execute", "command", "exec", "run-program", "!"],
        bare: true,
        backticks: false,
    },
    // In these languages, a call is qualified with its type or package.
    Language {
        programs: &["rust-script"],
        takes: takes("d", "dep"),
        code: &[],
        read: None,
        calls: &["Command::new"],
        bare: false,
        backticks: false,
    },
    // C and C++ code that is compiled and run. This is a pseudo program.
    Language {
        programs: &["crun"],
        takes: takes("", ""),
        code: &[],
        read: None,
        calls: &["system", "popen", "execl", "execlp", "execle", "execv", "execvp", "posix_spawn"],
        bare: false,
        backticks: false,
    },
    // The call's name indicates that it starts a program, see `starts`.
    Language {
        programs: &[ANY],
        takes: takes("eEc", "eval"),
        code: &["e", "E", "c", "eval"],
        read: None,
        calls: &[],
        bare: true,
        backticks: false,
    },
    Language {
        programs: &["gorun"],
        takes: takes("", ""),
        code: &[],
        read: None,
        calls: &["exec.Command"],
        bare: false,
        backticks: false,
    },
    Language {
        programs: &["java"],
        takes: takes("", "class-path module-path module add-modules source"),
        code: &[],
        read: None,
        calls: &["getRuntime().exec", "ProcessBuilder"],
        bare: false,
        backticks: false,
    },
    Language {
        programs: &["osascript"],
        takes: takes("el", ""),
        code: &["e"],
        read: None,
        // `do shell script` and `keystroke`, and a terminal's `command` and `write text`. The others are for
        // JavaScript.
        calls: &["script", "keystroke", "command", "text", "doShellScript", "doScript"],
        bare: true,
        backticks: false,
    },
    // Resources that run a command when they are applied.
    Language {
        programs: &["puppet"],
        takes: Options::new("el", "execute logdest"),
        code: &["e", "execute"],
        read: None,
        calls: &["exec", "command", "generate"],
        bare: true,
        backticks: false,
    },
    Language {
        programs: &["chef-apply", "chef-shell"],
        takes: takes("el", "execute log_level"),
        code: &["e", "execute"],
        read: None,
        calls: &["execute", "command", "shell_out", "system", "code"],
        bare: true,
        backticks: true,
    },
    Language {
        programs: &["emacs", "emacsclient"],
        takes: Options {
            single: true,
            leading: false,
            ..takes("", "eval load execute funcall insert l f e socket-name server-file")
        },
        code: &["eval", "e", "execute"],
        read: None,
        calls: &["shell-command", "async-shell-command", "shell-command-to-string", "call-process", "start-process"],
        bare: true,
        backticks: false,
    },
    Language {
        programs: &["tclsh", "wish"],
        takes: takes("c", ""),
        code: &["c"],
        read: None,
        calls: &["exec", "spawn"],
        bare: true,
        backticks: false,
    },
];
