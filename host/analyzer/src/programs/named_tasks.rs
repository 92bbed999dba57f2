//! Tasks and scripts of a project whose name says that they deploy, or that they empty a database.
//!
//! What they run is in a file, and the name counts whether or not that file can be read: `npm run deploy` is what
//! `make deploy` is.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::run::Run;

/// Words of a name that say that the task only looks, or only helps.
const HARMLESS: &[&str] = &[
    "check", "common", "config", "diff", "docs", "dry", "helper", "helpers", "lib", "lint", "list", "local", "log",
    "logs", "plan", "preview", "simulate", "spec", "status", "test", "tests", "types", "util", "utils", "validate",
    "verify",
];

/// Verbs of a task that empties a database.
const EMPTIES: &[&str] = &["drop", "fresh", "nuke", "purge", "reset", "truncate", "wipe"];

/// Where the system and package managers put programs.
const INSTALLED: &[&str] = &["/bin/", "/opt/", "/usr/", "/sbin/", "node_modules/", "./node_modules/"];

/// Adds the effect that the name of the command's task tells.
pub(super) fn find(run: &mut Run<'_>) {
    let Some(name) = task(run) else { return };
    let rehearses = |word: &Word| matches!(word.text.as_str(), "--dry-run" | "--dryrun" | "--help" | "-h" | "--check");
    let lists =
        |word: &Word| matches!(word.text.as_str(), "-n" | "--just-print" | "--recon" | "-l" | "--list" | "--summary");
    let runs_files = RUNNERS.contains(&run.name.as_str());
    if run.arguments().iter().any(|word| rehearses(word) || runs_files && lists(word)) {
        return;
    }
    let name = apart(name);
    let words: Vec<&str> =
        name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| HARMLESS.contains(word)) {
        return;
    }
    let ends = |verb: &str| words.first() == Some(&verb) || words.last() == Some(&verb);
    // What these two do with a database is in their tables.
    let is_told = matches!(run.name.as_str(), "rake" | "mix");
    let is_store = |word: &&str| matches!(*word, "db" | "dbs" | "database" | "databases" | "schema");
    let is_database = !is_told && words.iter().any(is_store);
    // `db:drop`, or `drop-db`.
    let empties =
        |verb: &&str| words.last() == Some(verb) || words.first() == Some(verb) && words.last().is_some_and(is_store);
    // A target that deploys is known by its name alone.
    let draft = if ends("deploy") && !runs_files {
        Draft::notable("cloud", "cloud.deploy")
    } else if is_database && EMPTIES.iter().any(empties) {
        Draft::destructive("database", "database.reset").tag("loses", "all that the database holds")
    } else {
        return;
    };
    let by = run.name.clone();
    run.emit(draft.certain(false).tag("manager", &by));
}

/// Runners of targets, which stand in a file of theirs.
pub(super) const RUNNERS: &[&str] =
    &["doit", "gmake", "go-task", "inv", "invoke", "just", "mage", "make", "poe", "task"];

/// The name in lower case, with a sign between the words of `dropDatabase`.
fn apart(name: &str) -> String {
    let mut apart = String::with_capacity(name.len());
    let mut before = '-';
    for char in name.chars() {
        if char.is_ascii_uppercase() && before.is_ascii_lowercase() {
            apart.push('-');
        }
        apart.push(char.to_ascii_lowercase());
        before = char;
    }
    apart
}

/// Options of runners of tasks that stand before the task and take a value.
const VALUED: &[&str] = &[
    "-C",
    "-F",
    "-p",
    "-t",
    "-w",
    "--cwd",
    "--dir",
    "--filter",
    "--prefix",
    "--project",
    "--scope",
    "--target",
    "--targets",
    "--workspace",
];

/// The value of one of these options.
fn valued<'a>(run: &'a Run<'_>, options: &[&str]) -> Option<&'a str> {
    let words = run.arguments();
    let apart = words.windows(2).find_map(|pair| match pair {
        [option, value] if options.contains(&option.text.as_str()) => Some(value.text.as_str()),
        _ => None,
    });
    let glued = || {
        let parts = words.iter().filter_map(|word| word.text.split_once('='));
        parts.into_iter().find(|(option, _)| options.contains(option)).map(|(_, value)| value)
    };
    apart.or_else(glued)
}

/// The name of the task or script that the command runs.
fn task<'a>(run: &'a Run<'_>) -> Option<&'a str> {
    let managed = matches!(run.name.as_str(), "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "nx" | "gradle" | "gradlew");
    let mut before = "";
    let mut operands = run.arguments().iter().map(|word| word.text.as_str()).filter(|word| {
        let is_value = managed && VALUED.contains(&before);
        before = word;
        !is_value && !word.starts_with('-')
    });
    let path = run.command.word(0);
    match run.name.as_str() {
        "nx" => match operands.next()? {
            // `nx run PROJECT:TASK`
            "run" | "run-many" | "affected" => {
                let target = valued(run, &["-t", "--target", "--targets"]).or_else(|| operands.next())?;
                target.split(':').nth(1).or(Some(target))
            }
            first => Some(first),
        },
        "turbo" => match operands.next()? {
            "run" => operands.next(),
            first => Some(first),
        },
        "source" | "." => stem(operands.next()?),
        "npm" | "pnpm" | "yarn" | "bun" => match operands.next()? {
            "run" | "run-script" | "rum" | "urn" => operands.next(),
            "workspace" => {
                operands.nth(1).map(|task| if task == "run" { operands.next().unwrap_or(task) } else { task })
            }
            first => Some(first).filter(|_| run.name != "npm"),
        },
        "composer" => {
            Some(operands.next()?).filter(|first| matches!(*first, "run" | "run-script")).and(operands.next())
        }
        "deno" => Some(operands.next()?).filter(|first| *first == "task").and(operands.next()),
        "cargo" => Some(operands.next()?).filter(|first| *first == "xtask").and(operands.next()),
        "gradle" | "gradlew" | "mix" | "nox" | "rake" | "tox" => operands.next(),
        name if RUNNERS.contains(&name) => operands.find(|word| !word.contains('=')),
        "mise" | "pdm" | "hatch" | "pipenv" => {
            Some(operands.next()?).filter(|first| *first == "run").and(operands.next())
        }
        "bash" | "dash" | "ksh" | "node" | "perl" | "php" | "python" | "python3" | "ruby" | "sh" | "ts-node"
        | "tsx" | "zsh" => {
            // With these letters the first operand is no script, or it is not run.
            let other = |word: &&Word| word.text.starts_with('-') && word.text.contains(['c', 'm', 'n', 'r', 's', 'o']);
            let leading = run.arguments().iter().take_while(|word| word.text.starts_with('-'));
            if leading.clone().any(|word| other(&word)) {
                return None;
            }
            let redirected = || run.command.redirections.iter().find(|from| from.operator == "<");
            stem(operands.next().or_else(|| Some(redirected()?.target.text.as_str()))?)
        }
        _ if path.contains('/') && !INSTALLED.iter().any(|folder| path.starts_with(folder)) => stem(path),
        _ => None,
    }
}

/// The name of a script without its folder and ending.
fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    matches!(ending, "" | "bash" | "js" | "mjs" | "php" | "pl" | "py" | "rb" | "sh" | "ts" | "zsh").then_some(stem)
}
