//! `foreign-library`: a program that loads a library from outside of the project and the system's library folders.
//!
//! ## Why
//! The library has all permissions of the program, and only the program's name is visible. ATT&CK T1574.006, T1129.
//!
//! ## Examples
//! - asked: `ssh-keygen -D /tmp/x.so`
//! - asked: `python3 -c "import ctypes; ctypes.CDLL('/tmp/x.so')"`
//! - asked: `bash -c 'enable -f /tmp/x.so y'`
//! - passes: `ssh-add -s /usr/lib/x86_64-linux-gnu/opensc-pkcs11.so`
//! - passes: `python3 -c "import ctypes; ctypes.CDLL('./build/libfoo.so')"`
//! - passes: `openssl req -engine pkcs11 -in app.csr`
//!
//! ## Instead
//! Build the library in the project, or install it with the system's packages.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::is_any;
use crate::kinds::places::is_inside;
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "foreign-library",
    summary: "loads a library from outside of the project and the system",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// A program that loads the library after an option, or after one of these words in an operand.
struct Loader {
    names: &'static [&'static str],
    options: &'static [&'static str],
    before: &'static [&'static str],
    /// Whether projects' libraries aren't used with it.
    system_only: bool,
}

const LOADERS: &[Loader] = &[
    Loader { names: &["ssh-keygen"], options: &["-D"], before: &[], system_only: true },
    Loader { names: &["ssh-add"], options: &["-s"], before: &[], system_only: true },
    Loader { names: &["ssh", "scp", "sftp"], options: &["-I"], before: &["PKCS11Provider="], system_only: true },
    Loader { names: &["openssl"], options: &["-engine", "-t", "-provider"], before: &[], system_only: true },
    Loader { names: &["curl"], options: &["--engine"], before: &[], system_only: true },
    Loader { names: &["enable"], options: &["-f"], before: &[], system_only: true },
    Loader {
        names: &["mysql", "mariadb", "mysqldump", "mysqladmin"],
        options: &["--default-auth", "--plugin-dir"],
        before: &["--default-auth=", "--plugin-dir="],
        system_only: true,
    },
    Loader { names: &["openvpn"], options: &["--plugin"], before: &[], system_only: true },
    Loader { names: &["ldconfig"], options: &["-f", "-C"], before: &[], system_only: true },
    Loader {
        names: &["modutil", "pkcs11-tool", "p11tool"],
        options: &["-libfile", "--module", "--provider"],
        before: &[],
        system_only: false,
    },
    Loader {
        names: &["gcc", "g++", "cc", "clang", "clang++", "gfortran"],
        options: &[],
        before: &["-fplugin="],
        system_only: false,
    },
    Loader { names: &["php"], options: &[], before: &["extension="], system_only: false },
    Loader {
        names: &["nginx", "apache2", "httpd"],
        options: &[],
        before: &["load_module ", "LoadModule "],
        system_only: true,
    },
    Loader { names: &["sqlite3", "sqlite", "litecli"], options: &[], before: &[".load "], system_only: false },
    Loader { names: &["psql", "pgcli"], options: &[], before: &["LOAD '", "load '"], system_only: false },
    Loader { names: &["make", "gmake"], options: &[], before: &["load "], system_only: false },
    Loader { names: &["tclsh", "wish", "expect"], options: &[], before: &["load "], system_only: false },
    Loader {
        names: &["java", "javac", "kotlin"],
        options: &[],
        before: &["-agentpath:", "-javaagent:"],
        system_only: false,
    },
    Loader { names: &["ruby", "byebug", "rdebug"], options: &["-r"], before: &[], system_only: false },
    Loader { names: &["ffmpeg", "ffplay"], options: &[], before: &["ladspa=file=", "frei0r="], system_only: false },
    Loader { names: &["node", "nodejs"], options: &["-r", "--require"], before: &[], system_only: false },
    Loader { names: &["zsh", "module_path"], options: &[], before: &["module_path="], system_only: true },
];

/// Calls in code that load a library.
const CALLS: &[&str] = &[
    "LoadLibrary(",
    "CDLL(",
    "PyDLL(",
    "dlopen(",
    "dl_load_file(",
    "loadlib(",
    "System.load(",
    "System.loadLibrary(",
    "ExtensionFileLoader(",
    "load_dynamic(",
    "DynamicLibrary.open(",
];

/// Folders in which the system and its package managers keep libraries.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/System",
    "/Library",
    "/nix",
    "/snap",
    "/Applications",
    "/home/linuxbrew",
    "/etc",
    "/run/current-system",
    "/gnu",
];

/// The maximum number of calls in one text that are examined.
const MOST: usize = 16;

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let library =
        view.commands().find_map(|command| library_in_command(command, view)).or_else(|| library_in_code(view))?;
    Some(Hit::new(
        format!("Loads `{}`, which runs with all permissions of its program", shorten(&library)),
        "build the library in the project, or install it with the system's packages",
    ))
}

fn library_in_command(command: &Command, view: &View<'_>) -> Option<String> {
    let program = name(command);
    // The loader is in no command of its own.
    if command.via.iter().any(|via| via.kind == "ld.so") {
        let mut words =
            view.text().split([' ', '=', '"']).skip_while(|word| !matches!(*word, "--preload" | "--library-path"));
        return words.nth(1).filter(|path| is_foreign(path, true, view)).map(str::to_owned);
    }
    if let Some(set) =
        command.assignments.iter().find(|set| set.name == "module_path" && is_foreign(&set.value.text, true, view))
    {
        return Some(set.value.text.clone());
    }
    let loader = LOADERS.iter().find(|loader| is_any(&program, loader.names))?;
    let fed = command.redirections.iter().filter(|one| one.operator.starts_with("<<"));
    let fed = fed.flat_map(|one| [one.body.as_str(), one.target.text.as_str()]);
    let inside = texts(command).chain(fed).flat_map(|text| {
        loader.before.iter().filter_map(move |before| {
            let rest = text.split_once(before)?.1;
            let last = if before.starts_with("LoadModule") { rest.split(' ').nth(1)? } else { rest };
            let end = last.find(|char: char| char.is_whitespace() || "'\";,)=:".contains(char)).unwrap_or(last.len());
            last.get(..end).map(str::to_owned)
        })
    });
    // `-t` of openssl tests the engine before it, and has no meaning elsewhere.
    let is_engine =
        program != "openssl" || texts(command).any(|text| matches!(text, "engine" | "-engine" | "-provider"));
    let option_files = option_values(command, loader.options).filter(|_| is_engine);
    let operand = texts(command).skip(1).filter(|_| program == "openssl" && texts(command).next() == Some("engine"));
    let operand = operand.filter(|text| !text.starts_with('-')).map(str::to_owned);
    let needs_end = matches!(&*program, "ruby" | "byebug" | "rdebug" | "node" | "nodejs");
    let is_library =
        |path: &String| !needs_end || path.ends_with(".so") || path.ends_with(".dylib") || path.ends_with(".node");
    inside.chain(option_files).chain(operand).filter(is_library).find(|path| is_foreign(path, loader.system_only, view))
}

/// Returns the words after these options, or joined to them.
fn option_values<'c>(command: &'c Command, options: &'static [&'static str]) -> impl Iterator<Item = String> + 'c {
    let pairs = command.argv.windows(2).filter_map(move |pair| match pair {
        [option, value] if options.contains(&option.text.as_str()) => Some(value.text.clone()),
        _ => None,
    });
    let joined = texts(command).filter_map(move |text| {
        options.iter().find_map(|option| {
            let rest = text.strip_prefix(option)?;
            let rest = if option.starts_with("--") { rest.strip_prefix('=')? } else { rest };
            (!rest.is_empty()).then(|| rest.to_owned())
        })
    });
    pairs.chain(joined)
}

fn library_in_code(view: &View<'_>) -> Option<String> {
    view.scripts().find_map(|script| {
        // Code inside an editor or a debugger builds nothing.
        let command = view.index().command(script.command_id);
        let is_inside_of_tool = command.is_some_and(|command| command.via.iter().any(|via| via.kind == "code"));
        let text = script.text.as_str();
        CALLS.iter().find_map(|call| {
            text.split(call).skip(1).take(MOST).find_map(|rest| {
                let arguments = rest.split(')').next()?;
                let mut literals = arguments.split(['"', '\'']).skip(1).step_by(2);
                literals.find(|path| is_foreign(path, is_inside_of_tool, view)).map(str::to_owned)
            })
        })
    })
}

/// Returns whether a library is neither the project's nor the system's. A bare name is looked up among the system's.
fn is_foreign(path: &str, system_only: bool, view: &View<'_>) -> bool {
    let facts = view.facts();
    let is_own = |folder: &String| folder.len() > 1 && is_inside(path, folder);
    if path.starts_with('/') {
        let is_temporary =
            ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"].iter().any(|folder| is_inside(path, folder));
        let is_system = SYSTEM.iter().any(|folder| is_inside(path, folder));
        return is_temporary
            || !is_system && !is_own(&facts.cwd) && !is_own(&facts.project_root) && !is_own(&facts.home);
    }
    let climbs = path.starts_with("../../..");
    let is_file = path.contains('/') || [".so", ".dylib", ".dll"].iter().any(|end| path.ends_with(end));
    climbs || system_only && is_file && !path.starts_with(['$', '~', '%'])
}
