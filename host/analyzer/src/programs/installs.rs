//! Packages that a package manager installs in a project or on the machine: their names, versions and sources.
//!
//! All managers share one table and one parser. Their other effects are in `programs/`.

mod addresses;

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

/// The install syntax of a package manager.
struct Manager {
    names: &'static [&'static str],
    options: Options,
    /// Words that can come before the verbs. `*` is any word.
    through: &'static [&'static [&'static str]],
    /// Verbs that install the packages after them. The operands must start with one of these.
    verbs: &'static [&'static [&'static str]],
    /// Verbs that install the packages of a lock file or a manifest. An empty verb: the program does so without a verb.
    locked: &'static [&'static str],
    /// The separator between a package's name and its version.
    version: &'static str,
    /// Whether `user/name` is a repository on a forge.
    short: bool,
}

const NODE: Manager = Manager {
    names: &["npm", "bun", "cnpm"],
    options: Options::new(
        "wCF",
        "registry tag workspace prefix filter dir cwd loglevel omit include exclude from userconfig cache",
    ),
    through: &[&["workspace", "*"], &["workspaces", "foreach"], &["recursive"], &["global"]],
    verbs: &[
        &["install"],
        &["i"],
        &["add"],
        &["in"],
        &["isntall"],
        &["install-test"],
        &["it"],
        &["up"],
        &["update"],
        &["upgrade"],
    ],
    locked: &["ci", "install", "i", "install-clean", "clean-install", "ic", "install-test", "it", "cit", "sit"],
    version: "@",
    short: true,
};

/// `-w` and `--workspace` take no value.
const PNPM: Manager = Manager {
    names: &["pnpm"],
    options: Options::new("CF", "registry tag prefix filter dir loglevel omit include userconfig cache"),
    ..NODE
};

/// Without a verb, `yarn` installs.
const YARN: Manager = Manager { names: &["yarn"], locked: &["install", ""], ..NODE };

/// Names start with the registry: `npm:x`, `jsr:@a/b`.
const DENO: Manager = Manager {
    names: &["deno"],
    options: Options::new("cn", "config name root import-map lock cert").exactly(),
    verbs: &[&["add"], &["install"], &["i"]],
    locked: &["install", "i"],
    short: false,
    ..NODE
};

const PYTHON: Manager = Manager {
    names: &["pip", "pip3", "uv", "poetry", "pipx", "pdm", "pipenv", "rye"],
    options: Options::new(
        "rectifGEp",
        "requirement requirements constraint editable target index-url extra-index-url find-links index default-index group \
         extra python prefix root platform source src branch tag rev with directory project optional",
    ),
    through: &[],
    verbs: &[&["install"], &["add"], &["pip", "install"], &["tool", "install"], &["inject"]],
    locked: &["sync", "install"],
    version: "==",
    short: false,
};

const MANAGERS: &[Manager] = &[
    NODE,
    PNPM,
    YARN,
    DENO,
    PYTHON,
    Manager {
        names: &["cargo"],
        options: Options::new(
            "FjZ",
            "git path version vers registry index features branch tag rev root target profile package jobs",
        ),
        through: &[],
        verbs: &[&["install"], &["add"], &["binstall"]],
        locked: &[],
        version: "@",
        short: false,
    },
    Manager {
        names: &["go"],
        options: Options::new("", "").exactly(),
        through: &[],
        verbs: &[&["install"], &["get"]],
        locked: &[],
        version: "@",
        short: false,
    },
    Manager {
        names: &["gem"],
        options: Options::new("vsin", "version source install-dir bindir"),
        through: &[],
        verbs: &[&["install"], &["i"]],
        locked: &[],
        version: ":",
        short: false,
    },
    Manager {
        names: &["composer"],
        options: Options::new("d", "working-dir"),
        through: &[&["global"]],
        verbs: &[&["require"]],
        locked: &["install"],
        version: ":",
        short: false,
    },
    Manager {
        names: &["brew"],
        options: Options::new("", "cc env appdir"),
        through: &[],
        verbs: &[&["install"], &["reinstall"]],
        locked: &[],
        version: "@",
        short: false,
    },
    Manager {
        names: &["apt", "apt-get"],
        options: Options::new("otc", "option target-release config-file"),
        through: &[],
        verbs: &[&["install"]],
        locked: &[],
        version: "=",
        short: false,
    },
];

/// Returns whether the program is described as one that installs or fetches packages.
fn is_manager(name: &str) -> bool {
    MANAGERS.iter().any(|manager| manager.names.contains(&name))
        || [FETCHERS, INSTALLERS].iter().any(|rows| rows.iter().any(|(names, _)| names.contains(&name)))
}

/// The maximum number of packages of a call that get an effect of their own.
const MOST: usize = 64;

/// Adds an effect for each package that the command installs.
pub(super) fn find(run: &mut Run<'_>) {
    fetched(run);
    let name = run.name.strip_suffix(".exe").unwrap_or(&run.name).to_owned();
    let manager = MANAGERS.iter().find(|manager| manager.names.contains(&name.as_str()));
    let module = (name.starts_with("python") && run.command.word(1) == "-m").then(|| run.command.word(2));
    let (name, manager, words) = match (manager, module) {
        (Some(manager), _) => (name, manager, run.arguments()),
        (None, Some(module @ ("pip" | "pipx"))) => {
            (module.to_owned(), &PYTHON, run.command.argv.get(3..).unwrap_or_default())
        }
        _ => return,
    };
    installs(run, &name, manager, words);
}

/// Programs that fetch code from a URL and run it, with the verbs that do so. No verbs: always.
const FETCHERS: &[(&[&str], &[&str])] = &[
    (&["deno"], &["run", "test", "serve", "bench", "repl", "x"]),
    (&["nix-build", "rust-script"], &[]),
    (&["docker", "podman", "buildah", "nerdctl"], &["build", "buildx"]),
    (&["gem"], &["specific_install"]),
    (&["ansible-galaxy"], &["install", "role", "collection"]),
    (&["bun"], &["create"]),
    (&["helm"], &["install", "upgrade", "template"]),
    (&["gh"], &["extension", "extensions", "ext"]),
];

/// Installers of packages, programs and plugins, with the words that start an installation.
const INSTALLERS: &[(&[&str], &[&str])] = &[
    (&["choco", "winget", "scoop"], &["install", "upgrade", "add"]),
    (&["dnf", "yum", "microdnf", "zypper"], &["install", "localinstall", "reinstall", "upgrade", "in"]),
    (&["rpm"], &["-i", "-ivh", "-U", "-Uvh", "-F", "--install", "--upgrade"]),
    (&["flatpak", "snap"], &["install"]),
    (&["code", "code-insiders", "codium", "cursor"], &["--install-extension"]),
    (&["nix"], &["profile"]),
    (&["nix-env"], &["-i", "--install"]),
    (&["helm"], &["plugin"]),
    (&["kubectl", "kubectl-krew", "krew"], &["install"]),
    (&["pacman", "yay", "paru"], &["-U", "--upgrade"]),
];

/// Options of installers with the source of all packages, instead of a package.
const SOURCES: &[&str] = &["--index", "--registry", "--repo", "--repofrompath", "--source", "-s"];

/// Returns the URL that an installer is given as a package or, without TLS, as the source of packages.
fn installed_address(run: &Run<'_>) -> Option<(String, String)> {
    let name = run.name.strip_suffix(".exe").unwrap_or(&run.name);
    let (_, starts) = INSTALLERS.iter().find(|(names, _)| names.contains(&name))?;
    let mut words = run.arguments().iter().map(|word| word.text.as_str());
    words.find(|word| starts.contains(word) || starts.contains(&word.split('=').next().unwrap_or_default()))?;
    let mut before = "";
    let all = run.arguments().iter().take(MOST).find_map(|word| {
        let (option, value) = match word.text.split_once('=').filter(|(option, _)| option.starts_with('-')) {
            Some(pair) => pair,
            None => (before, word.text.as_str()),
        };
        before = word.text.as_str();
        let is_given = match SOURCES.contains(&option) {
            true => is_in_the_clear(value),
            false => matches!(source(&PYTHON, value), "git" | "url"),
        };
        is_given.then(|| value.to_owned())
    })?;
    Some((name.to_owned(), all))
}

/// Runners that download a package and run it at once.
const RUNNERS: &[&str] = &["npx", "npm", "pnpx", "pnpm", "yarn", "bunx", "bun", "uvx", "uv", "pipx"];

/// Adds the package that a runner fetches from a repository or URL for this call.
fn fetched(run: &mut Run<'_>) {
    let from_elsewhere = |text: &str, manager: &Manager| matches!(source(manager, text), "git" | "url");
    let via = run.command.via.last().filter(|via| RUNNERS.contains(&via.kind.as_str()));
    let mut found: Vec<(String, String)> = Vec::new();
    if let Some(via) = via {
        // For some runners, a name with one slash is a path.
        let manager = if matches!(via.kind.as_str(), "npx" | "pnpx" | "bunx") { &NODE } else { &PYTHON };
        // `uv run URL` starts Python.
        let script = if run.name.starts_with("python") { run.command.word(1) } else { "" };
        let package = [run.command.word(0), script, &via.detail].into_iter().find(|text| from_elsewhere(text, manager));
        let package = package.filter(|text| !text.starts_with(['.', '/', '~']));
        found.extend(package.map(|package| (via.kind.clone(), package.to_owned())));
    }
    if let Some((_, verbs)) = FETCHERS.iter().find(|(names, _)| names.contains(&run.name.as_str())) {
        let mut operands = run.arguments().iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let verb = if verbs.is_empty() { Some("") } else { operands.next().filter(|verb| verbs.contains(verb)) };
        let builds = matches!(verb, Some("build" | "buildx"));
        // The last word may be the value of an option before it.
        let words = run.arguments();
        let before = words.len().checked_sub(2).and_then(|at| words.get(at));
        let builds_last = before.is_none_or(|word| !word.text.starts_with('-'));
        let operand = match run.name.as_str() {
            _ if builds => operands.next_back().filter(|_| builds_last),
            // The release's name comes before the chart.
            "helm" => operands.find(|word| word.contains("://") && word.ends_with(".tgz")),
            _ => operands.find(|word| !matches!(*word, "install")),
        };
        let given = operand.filter(|_| verb.is_some()).filter(|text| {
            let short = if matches!(run.name.as_str(), "bun" | "gh") { &NODE } else { &PYTHON };
            from_elsewhere(text, short) || builds && text.starts_with("github.com/")
        });
        found.extend(given.map(|given| (run.name.clone(), given.to_owned())));
    }
    let evaluated = valued_address(run);
    found.extend(evaluated);
    found.extend(installed_address(run));
    if found.is_empty() {
        found.extend(addresses::find(run).map(|address| (run.name.clone(), address)));
    }
    for (by, package) in found {
        let draft = Draft::routine("package", "package.install").tag("manager", &by).target(&package);
        let source = source(&PYTHON, &package);
        let source = if source == "url" { "url" } else { "git" };
        run.emit(draft.tag("name", &package).tag("source", source).tag("lockfile", "no"));
    }
}

/// Returns the URL in an option whose code the program runs.
fn valued_address(run: &Run<'_>) -> Option<(String, String)> {
    let option = match run.name.as_str() {
        "deno" => "--eval-file=",
        "terraform" | "tofu" => "-from-module=",
        "jscodeshift" => "--transform=",
        _ => return None,
    };
    let words = run.arguments();
    let joined = words.iter().find_map(|word| word.text.strip_prefix(option));
    let is_transform = |word: &Word| run.name == "jscodeshift" && matches!(word.text.as_str(), "-t" | "--transform");
    let apart = words.windows(2).find(|pair| pair.first().is_some_and(is_transform));
    let value = joined.or_else(|| Some(apart?.get(1)?.text.as_str()))?;
    value.contains("://").then(|| (run.name.clone(), value.to_owned()))
}

/// Returns the registry outside the local network that is used without TLS, if an option or a variable sets one.
fn registry_in_the_clear(run: &Run<'_>, parsed: &Parsed<'_>) -> Option<String> {
    const REGISTRIES: &[&str] =
        &["index-url", "extra-index-url", "default-index", "index", "find-links", "registry", "source"];
    const VARIABLES: &[&str] = &["GOPROXY", "INDEX", "MIRROR", "REGISTRY"];
    let names_registry = |name: &str| VARIABLES.iter().any(|part| name.to_ascii_uppercase().contains(part));
    let set = run.command.assignments.iter().filter(|set| names_registry(&set.name)).map(|set| set.value.text.as_str());
    let options = REGISTRIES.iter().flat_map(|name| parsed.values("", name)).chain(parsed.values("ifs", ""));
    let given = options.map(|value| value.text.into_owned()).chain(set.map(str::to_owned)).take(MOST);
    given
        .flat_map(|value| value.split([',', '|', ' ']).map(str::to_owned).collect::<Vec<_>>())
        .find(|url| is_in_the_clear(url))
}

/// Returns whether a URL uses no TLS, and is outside the local network.
fn is_in_the_clear(url: &str) -> bool {
    let is_near = |host: &str| {
        let host = host.split(['/', ':']).next().unwrap_or_default();
        !host.contains('.') || ["127.", "10.", "192.168."].iter().any(|near| host.starts_with(near))
    };
    url.strip_prefix("http://").is_some_and(|rest| !is_near(rest))
}

fn installs<'a>(run: &mut Run<'a>, name: &str, manager: &'static Manager, words: &'a [Word]) {
    let parsed = run.parse(words, manager.options);
    if parsed.is("h", "help") {
        return;
    }
    let draft = base(name, &parsed);
    let behind = |start: usize, words: &[&str]| {
        let stands = |(at, word): (usize, &&str)| *word == "*" || parsed.text(start + at) == *word;
        words.iter().enumerate().all(stands).then_some(start + words.len())
    };
    let start = manager.through.iter().find_map(|words| behind(0, words)).unwrap_or_default();
    // The longest match is used: `pip install` of `uv` before `install`.
    let verb = manager.verbs.iter().filter_map(|words| behind(start, words)).max();
    let packages = verb.map_or(&[][..], |end| parsed.from(end));
    if packages.len() > MOST {
        run.reason("more packages are installed than are looked at");
    }
    let forms =
        ["git", "path"].map(|source| (source, parsed.value("", source).filter(|_| name == "cargo" && verb.is_some())));
    for (source, value) in forms {
        if let Some(value) = value {
            return run
                .emit(draft.target(&value.text).tag("source", source).tag("lockfile", "no").certain(!value.dynamic));
        }
    }
    let editable = parsed.values("e", "editable").filter(|_| verb.is_some() && manager.version == "==");
    let editable: Vec<Operand<'a>> = editable.collect();
    let registry = registry_in_the_clear(run, &parsed);
    for package in packages.iter().chain(&editable).take(MOST) {
        run.emit(told(draft.clone(), manager, package, &parsed, registry.is_some()));
    }
    let lists = manager.version == "==" && verb.is_some() && parsed.has("r", "requirement");
    let word = parsed.text(start);
    let is_locked = manager.locked.contains(&word) && !(word.is_empty() && parsed.is("v", "version"));
    if lists || packages.is_empty() && editable.is_empty() && is_locked {
        run.emit(match registry {
            Some(url) => draft.target(&url).tag("name", &url).tag("source", "url").tag("lockfile", "no"),
            None => draft.tag("source", "registry").tag("lockfile", "yes"),
        });
    }
}

/// Returns the draft that all packages of the call share.
fn base(name: &str, parsed: &Parsed<'_>) -> Draft {
    let dry = parsed.on("", "dry-run", false) || parsed.is("s", "simulate") && name.starts_with("apt");
    Draft::routine("package", "package.install")
        .tag("manager", name)
        .flag("dry-run", dry)
        .flag("without-scripts", parsed.is("", "ignore-scripts"))
}

fn told(draft: Draft, manager: &Manager, package: &Operand<'_>, parsed: &Parsed<'_>, is_in_the_clear: bool) -> Draft {
    let source = if is_in_the_clear { "url" } else { source(manager, &package.text) };
    let (name, version) = parts(manager, &package.text, source);
    let given = parsed.value("v", "version").filter(|_| manager.names == ["gem"] || manager.names == ["cargo"]);
    let version = given.map_or(version.to_owned(), |version| version.text.into_owned());
    let draft = draft.target(&package.text).tag("name", name).tag("source", source).tag("lockfile", "no");
    let draft = draft.certain(!package.dynamic);
    if version.is_empty() { draft } else { draft.tag("version", &version) }
}

/// Splits a registry package into name and version. For other sources, the whole text is the name.
fn parts<'t>(manager: &Manager, text: &'t str, source: &str) -> (&'t str, &'t str) {
    if source != "registry" {
        return (text, "");
    }
    let text = ["npm:", "jsr:"].iter().find_map(|registry| text.strip_prefix(registry)).unwrap_or(text);
    // A scope starts with the character that separates the version.
    let from = usize::from(text.starts_with('@'));
    let at = text.get(from..).and_then(|rest| rest.find(manager.version)).map(|at| at + from);
    let parts = at.and_then(|at| Some((text.get(..at)?, text.get(at + manager.version.len()..)?)));
    let (name, version) = parts.unwrap_or((text, ""));
    // Python's extras and other comparison operators.
    let end = name.find(['[', '<', '>', '~', '!', ';', ' ']).filter(|_| manager.version == "==");
    (end.and_then(|end| name.get(..end)).unwrap_or(name), version)
}

/// Returns a package's source according to its text.
fn source(manager: &Manager, text: &str) -> &'static str {
    let text = text.split_once(" @ ").map_or(text, |(_, place)| place).trim();
    let text = match text.split_once('@') {
        // An alias: `name@git+https://...`.
        Some((name, place)) if !matches!(name, "" | "git") && !name.contains(':') && place.contains(':') => place,
        _ => text,
    };
    let starts = |wanted: &[&str]| wanted.iter().any(|start| text.starts_with(start));
    let place = text.split(['#', '?']).next().unwrap_or(text);
    if starts(&["git+", "git:", "git@", "ssh:", "hg+", "svn+", "bzr+", "github:", "gitlab:", "bitbucket:", "gist:"])
        || text.contains("://") && place.ends_with(".git")
    {
        "git"
    } else if text.contains("://") {
        "url"
    } else if starts(&[".", "/", "~", "file:", "link:", "portal:", "workspace:"])
        || [".whl", ".tgz", ".tar.gz", ".deb", ".gem", ".zip", ".crate"].iter().any(|end| place.ends_with(end))
    {
        "path"
    } else if manager.short && !text.starts_with('@') && text.split('/').count() == 2 {
        "git"
    } else {
        "registry"
    }
}
