//! Code from an address: a runner that is given one in place of a script, and installers, templates and plugins that
//! take one in place of a name.

use guard_sdk::syntax::Word;
use guard_sdk::task_runners::task_runner;

use crate::run::Run;
use crate::wrappers::reads_code;

/// The maximum number of examined words.
const MOST: usize = 64;

/// Programs that run or install what an address holds.
struct Taker {
    names: &'static [&'static str],
    /// Words of which one must be among the operands. Empty: none.
    verbs: &'static [&'static str],
    /// Options of which one must be given. Empty: none.
    with: &'static [&'static str],
    /// Options whose value is the address. Empty: an operand is.
    options: &'static [&'static str],
}

const ROW: Taker = Taker { names: &[], verbs: &[], with: &[], options: &[] };

const TAKERS: &[Taker] = &[
    Taker {
        names: &[
            "amm",
            "bb",
            "cookiecutter",
            "cruft",
            "dotnet-script",
            "groovy",
            "jbang",
            "jshell",
            "kotlin",
            "kscript",
            "nix-shell",
            "rdmd",
            "scala",
            "scala-cli",
            "zx",
        ],
        ..ROW
    },
    Taker { names: &["nix"], verbs: &["build", "develop", "run", "shell"], ..ROW },
    Taker { names: &["nix-env"], verbs: &[], with: &["-i", "-if", "-iA", "--install"], ..ROW },
    Taker { names: &["guix"], options: &["--url", "--channels", "-C"], ..ROW },
    // A template only runs its own commands with this option.
    Taker { names: &["copier"], verbs: &["copy", "update", "recopy"], with: &["--trust", "--UNSAFE"], ..ROW },
    Taker { names: &["pre-commit"], verbs: &["try-repo"], ..ROW },
    Taker { names: &["dotnet"], verbs: &["script"], ..ROW },
    Taker { names: &["mix"], verbs: &["archive.install", "escript.install"], ..ROW },
    Taker { names: &["dart", "flutter"], verbs: &["activate"], ..ROW },
    Taker {
        names: &["luarocks", "raco", "zef", "nimble", "cabal", "pecl", "pear"],
        verbs: &["install", "build"],
        ..ROW
    },
    Taker { names: &["opam"], verbs: &["pin", "install"], ..ROW },
    Taker { names: &["cpanm", "cpan", "fisher"], ..ROW },
    Taker { names: &["bundle", "bundler"], verbs: &["add"], options: &["--git", "--github"], ..ROW },
    Taker {
        names: &["asdf", "mise", "rtx"],
        verbs: &["plugin", "plugins", "plugin-add", "use", "install", "exec", "x"],
        ..ROW
    },
    Taker { names: &["pip", "pip3", "uv"], verbs: &["install", "sync"], options: &["-r", "--requirement"], ..ROW },
    Taker { names: &["conda", "mamba", "micromamba"], verbs: &["create", "update"], options: &["-f", "--file"], ..ROW },
    Taker {
        names: &["docker", "docker-compose", "podman-compose"],
        verbs: &["up", "run", "create"],
        options: &["-f", "--file"],
        ..ROW
    },
    Taker { names: &["podman"], verbs: &["play"], ..ROW },
];

/// Words before an address that an unknown program installs, or a plugin's name and its address.
const INSTALLS: &[&str] = &["install", "i", "add", "link"];
const PARTS: &[&str] = &["addon", "addons", "ext", "extension", "extensions", "plugin", "plugins"];

/// Words before a script that an unknown program runs.
const RUNS: &[&str] = &["run", "exec", "execute", "x"];

/// The starts of addresses that are no URL of the web.
const SCHEMES: &[&str] = &[
    "git+",
    "git:",
    "git@",
    "hg+",
    "ssh://",
    "oci://",
    "github:",
    "gitlab:",
    "bitbucket:",
    "gist:",
    "sourcehut:",
    "gh:",
    "gl:",
    "bb:",
    "ubi:",
];

/// The ends of files with code, and of archives of it.
const CODE: &[&str] = &[
    ".bash", ".clj", ".cljs", ".cs", ".csx", ".ex", ".exs", ".git", ".go", ".groovy", ".jar", ".java", ".jl", ".js",
    ".jsh", ".kt", ".kts", ".lua", ".mjs", ".nix", ".php", ".pl", ".ps1", ".py", ".r", ".rb", ".rs", ".sc", ".scala",
    ".sh", ".tar.gz", ".tgz", ".ts", ".whl", ".zip",
];

/// Words of a language's installer before `OWNER/REPOSITORY`.
const FORGES: &[&str] = &["github", "gitlab", "bitbucket", "git"];

/// Options whose value is the address of something that doesn't run.
const OTHERS: &[&str] = &[
    "base-url",
    "data",
    "endpoint",
    "header",
    "host",
    "index-url",
    "extra-index-url",
    "index",
    "origin",
    "proxy",
    "registry",
    "repository",
    "server",
    "source",
    "target",
    "url",
];

/// Returns the address whose code the command runs or installs.
pub(super) fn find(run: &Run<'_>) -> Option<String> {
    let name = run.name.strip_suffix(".exe").unwrap_or(&run.name);
    let words = || run.arguments().iter().take(MOST);
    if words().any(|word| matches!(word.text.as_str(), "--help" | "--version")) {
        return None;
    }
    let has = |text: &&str| words().any(|word| word.text == *text);
    let is_fit = |list: &[&str]| list.is_empty() || list.iter().any(has);
    let mut rows = TAKERS.iter().filter(|row| row.names.contains(&name) && is_fit(row.verbs) && is_fit(row.with));
    let given = rows.find_map(|row| match row.options {
        [] => operand(run.arguments()),
        options => value(run.arguments(), options),
    });
    let settings = || (name == "clojure" || name == "clj").then(|| dependency(run.arguments())).flatten();
    // The words of a script or a task of the project are its own.
    let is_own = || run.command.word(0).contains('/') || reads_code(name) || task_runner(name).is_some();
    let is_known = || TAKERS.iter().any(|row| row.names.contains(&name)) || super::is_manager(name);
    let guessed = || behind_verb(run.arguments()).filter(|_| !is_known() && !is_own());
    given.or_else(settings).or_else(guessed).filter(|found| !is_distribution(found))
}

/// Returns the address among the operands, or `OWNER/REPOSITORY` behind the name of its forge.
fn operand(words: &[Word]) -> Option<String> {
    let mut before = "";
    for word in words.iter().take(MOST) {
        let text = word.text.as_str();
        let is_value = before.strip_prefix("--").is_some_and(|option| OTHERS.contains(&option)) || before == "-H";
        let is_name = FORGES.contains(&before) && !text.starts_with('-') && text.split('/').count() == 2;
        if !is_value && (is_address(text) || is_name) {
            return Some(text.to_owned());
        }
        before = text;
    }
    None
}

/// Returns the address that one of the options has.
fn value(words: &[Word], options: &[&str]) -> Option<String> {
    let mut before = "";
    for word in words.iter().take(MOST) {
        let text = word.text.as_str();
        let joined = text.split_once('=').filter(|(option, _)| options.contains(option)).map(|(_, value)| value);
        let glued = options.iter().find_map(|option| text.strip_prefix(option).filter(|_| option.len() == 2));
        let apart = options.contains(&before).then_some(text);
        let is_code = |text: &&str| is_address(text) || before == "--github" && text.split('/').count() == 2;
        if let Some(found) = [joined, glued, apart].into_iter().flatten().find(is_code) {
            return Some(found.to_owned());
        }
        before = text;
    }
    None
}

/// Returns the address behind the verb of a program that nothing is known of.
fn behind_verb(words: &[Word]) -> Option<String> {
    let operands: Vec<&str> =
        words.iter().take(MOST).map(|word| word.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    let verb = operands.iter().take(3).position(|word| INSTALLS.contains(word) || RUNS.contains(word))?;
    let is_part = verb.checked_sub(1).and_then(|at| operands.get(at)).is_some_and(|before| PARTS.contains(before));
    let word = operands.get(verb).copied().unwrap_or_default();
    let behind = operands.get(verb + 1..).unwrap_or_default();
    let found = match word {
        _ if is_part => behind.iter().take(2).find(|text| is_address(text)),
        "install" => behind.first().filter(|text| is_address(text)),
        word if RUNS.contains(&word) => behind.first().filter(|text| is_address(text) && is_code(text)),
        _ => None,
    };
    found.map(|text| (*text).to_owned())
}

/// Returns the address of a dependency in the settings on a command line.
fn dependency(words: &[Word]) -> Option<String> {
    let settings = words.iter().take(MOST).find(|word| word.text.contains(":git/url"))?;
    settings.text.split('"').find(|text| is_address(text)).map(str::to_owned)
}

/// Returns whether a text is an address on another machine.
fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host) => !["localhost", "127.0.0.1", "[::1]", "0.0.0.0"].iter().any(|near| host.starts_with(near)),
        None => SCHEMES.iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme)),
    }
}

/// Returns whether the address says that it holds code.
fn is_code(text: &str) -> bool {
    let path = text.split(['#', '?']).next().unwrap_or(text).to_ascii_lowercase();
    !path.starts_with("http")
        || CODE.iter().any(|end| path.ends_with(end))
        || ["//gist.", "//github.com/", "//gitlab.com/", "//raw."].iter().any(|part| path.contains(part))
}

/// Returns whether the address is that of a distribution's own packages.
fn is_distribution(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["github:nixos/", "https://github.com/nixos/", "https://channels.nixos.org/"]
        .iter()
        .any(|own| text.starts_with(own))
}
