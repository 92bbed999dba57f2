//! [`find`]: losses suggested by the verb of a program without a description.
//!
//! Clients of services use similar verbs: `NOUN delete NAME`, `delete NOUN NAME`, `noun:delete`. In a program of the
//! project, which is started by its path, and in a program that takes any text, such a word can mean anything.

use guard_sdk::syntax::Word;

use super::scripts;
use crate::draft::Draft;
use crate::options::Operand;
use crate::run::Run;

/// Verbs that destroy a thing.
const LOSES: &[&str] = &[
    "decommission",
    "delete",
    "deprovision",
    "destroy",
    "drop",
    "erase",
    "nuke",
    "obliterate",
    "purge",
    "teardown",
    "terminate",
    "wipe",
];

/// Verbs that are a loss if an option skips the program's confirmation prompt.
const LOSES_UNASKED: &[&str] = &["del", "down", "remove", "reset", "revoke", "rm", "undeploy", "uninstall"];

/// Options that answer the program's prompt in advance.
pub(super) const UNASKED: &[&str] = &[
    "--assume-yes",
    "--auto-approve",
    "--confirm",
    "--force",
    "--no-confirm",
    "--no-interaction",
    "--no-prompt",
    "--non-interactive",
    "--skip-confirmation",
    "--yes",
    "-y",
];

/// Nouns for a database, which additional verbs empty.
const DATABASES: &[&str] = &["ar", "database", "db", "ecto", "migrate", "migration", "migrations", "orm", "schema"];

/// Verbs that empty a database.
const EMPTIES: &[&str] = &["drop", "fresh", "refresh", "reset", "wipe", "clear"];

/// First words that take the next word as an argument, or that only read.
pub(super) const TAKES: &[&str] = &[
    "add", "build", "can-i", "check", "commit", "create", "describe", "dev", "diff", "docs", "echo", "ed", "edit",
    "exec", "explain", "find", "generate", "get", "grep", "help", "info", "init", "install", "lint", "list", "log",
    "ls", "make", "man", "new", "open", "print", "query", "run", "search", "select", "serve", "set", "setup", "show",
    "start", "status", "test", "view", "wait", "watch",
];

/// Adds the effect of an unknown program whose option or verb suggests a loss.
pub(super) fn find(run: &mut Run<'_>) {
    if super::plain::is_of_project(run) || super::plain::takes_text(&run.name) {
        return;
    }
    let words = run.arguments();
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&word.text.as_str()));
    if has(super::plain::REHEARSES) {
        return;
    }
    let is_value = |at: usize| {
        at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| NAMING.contains(&word.text.as_str()))
    };
    let makes = words.first().is_some_and(|first| TAKES.contains(&first.text.as_str()));
    let options = words.iter().filter(|_| !makes).map(|word| word.text.as_str());
    let option = options.clone().find(|option| is_switch(option));
    if options.take(MOST).any(is_unguarded) {
        let by = run.name.clone();
        let loses = "nothing yet: it starts an agent that runs every tool without a prompt";
        let instead = "leave the option out, so that the agent asks before it acts";
        let draft = Draft::destructive("execute", "execute.unguarded").tag("agent", &by);
        run.emit(draft.tag("loses", loses).tag("instead", instead));
    }
    let operands = words.iter().enumerate().filter(|(at, word)| !word.text.starts_with('-') && !is_value(*at));
    let operands: Vec<&str> = operands.map(|(_, word)| word.text.as_str()).take(FIRST).collect();
    if operands.iter().any(|operand| OWN.contains(operand)) {
        return;
    }
    if let Some(verb) = verb(operands.into_iter(), has(UNASKED)).or(option) {
        state(run, verb);
    }
}

/// Returns whether an option lets an agent act without prompts. Agents copy these names from each other.
fn is_unguarded(option: &str) -> bool {
    const NAMES: &[&str] = &["--allow-all-tools", "--skip-permissions-unsafe", "--trust-all-tools", "--yolo"];
    const BEGINNINGS: &[&str] = &["--dangerously-allow-all", "--dangerously-bypass", "--dangerously-skip"];
    NAMES.contains(&option) || BEGINNINGS.iter().any(|beginning| option.starts_with(beginning))
}

/// The maximum number of options that are examined.
const MOST: usize = 64;

/// Returns whether an option replaces a verb: `--delete-project NAME`.
fn is_switch(option: &str) -> bool {
    let name = option.strip_prefix("--").and_then(|option| option.split('=').next()).unwrap_or_default();
    let (verb, thing) = name.split_once('-').unwrap_or_default();
    (LOSES.contains(&verb) || verb == "remove") && THINGS.contains(&thing.trim_end_matches('s'))
}

/// Objects of a service in option names.
const THINGS: &[&str] = &[
    "account",
    "app",
    "bucket",
    "cluster",
    "database",
    "db",
    "domain",
    "instance",
    "namespace",
    "org",
    "organization",
    "project",
    "server",
    "service",
    "site",
    "table",
    "tenant",
    "user",
    "vm",
    "volume",
    "zone",
];

/// The number of leading words that may contain the verb.
const FIRST: usize = 3;

/// Options whose value is a name or a text that may look like a verb.
const NAMING: &[&str] =
    &["--description", "--filter", "--grep", "--message", "--name", "--tag", "--title", "-g", "-k", "-m", "-n", "-t"];

/// Words for objects that belong to the user and not to a service.
const OWN: &[&str] = &[
    "alias",
    "bookmark",
    "cache",
    "completion",
    "config",
    "configuration",
    "configurations",
    "completions",
    "context",
    "contexts",
    "delete-buffer",
    "delete-context",
    "news",
    "notifications",
    "profile",
    "session",
    "sessions",
    "view",
];

/// Adds the effect of a verb that the program's table lacks and that suggests a loss.
pub(super) fn of_table(run: &mut Run<'_>, name: &str, operands: &[Operand<'_>]) {
    let rehearses = |word: &Word| super::plain::REHEARSES.contains(&word.text.as_str());
    let is_own = |operand: &Operand<'_>| OWN.contains(&operand.text.as_ref());
    if matches!(name, "rails") || operands.iter().take(FIRST).any(is_own) || run.arguments().iter().any(rehearses) {
        return;
    }
    if let Some(verb) = verb(operands.iter().map(|operand| operand.text.as_ref()), false) {
        let verb = verb.to_owned();
        state(run, &verb);
    }
}

fn state(run: &mut Run<'_>, verb: &str) {
    let loses = format!(
        "nothing yet: `{verb}` says that it removes something, and no table describes this verb of the program"
    );
    let look = "look at it first with the program's `list`, `show` or `status` command";
    let by = run.name.clone();
    let draft = Draft::destructive("cloud", "cloud.delete").target(verb);
    run.emit(draft.certain(false).tag("client", &by).tag("loses", &loses).tag("instead", look));
}

/// Options with which a client takes a statement.
const STATEMENTS: &[&str] = &["--command", "--eval", "--exec", "--execute", "-c", "-e", "-q", "-Q", "-s"];

/// Parts of the name of an option or verb that takes a statement: `--query-string`, `db execute`, `sql`.
const OF_SQL: &[&str] = &["ddl", "execute", "psql", "query", "shell", "sql", "statement", "statements"];

/// Words that mark a command as a database client, which reads statements from standard input.
const CONNECTS: &[&str] = &["connect", "console", "ksql", "psql", "shell", "sql"];

/// Adds the effects of statements for a client whose table doesn't describe its input: after an option or verb named
/// for statements, or on standard input.
pub(super) fn sql(run: &mut Run<'_>) {
    let name = run.name.as_str();
    let is_other = super::is_plain(name) || run.is_function() || super::table::is_agent(name);
    if is_other || super::plain::is_of_project(run) || super::plain::takes_text(name) {
        return;
    }
    let words = run.arguments();
    let says_sql = |name: &str| name.split(['-', ':']).any(|part| OF_SQL.contains(&part));
    let mut is_client = run.name.contains("sql");
    let mut before = "";
    let mut statements = Vec::new();
    for word in words {
        let (option, text) =
            word.text.split_once('=').filter(|(option, _)| option.starts_with('-')).unwrap_or((before, &word.text));
        let is_given = STATEMENTS.contains(&option) || option.starts_with("--") && says_sql(option);
        if (is_client && !text.starts_with('-') || is_given) && text.contains(' ') {
            statements.push(text.to_owned());
        }
        is_client |= !text.contains(' ') && !text.starts_with('-') && says_sql(text);
        before = &word.text;
    }
    let connects = |word: &Word| CONNECTS.contains(&word.text.as_str());
    if statements.is_empty() && (run.name.contains("sql") || words.iter().take(FIRST).any(connects)) {
        statements.extend(run.input().map(|input| input.text));
    }
    let client = run.name.clone();
    for text in statements.iter().take(STATEMENTS.len()) {
        scripts::perhaps_sql(run, &client, text);
    }
}

/// Returns the verb among the first operands that suggests a loss.
fn verb<'a>(operands: impl Iterator<Item = &'a str>, unasked: bool) -> Option<&'a str> {
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c))
    };
    let mut before: Option<&str> = None;
    for text in operands.take(FIRST).take_while(|text| is_plain(text)) {
        if is_loss(text, before, unasked) {
            return Some(text);
        }
        // Like `make`, `make:migration` is followed by a name.
        if text.split(':').next().is_some_and(|first| TAKES.contains(&first)) {
            return None;
        }
        before = Some(text);
    }
    None
}

/// Returns whether the word is a verb that suggests a loss, perhaps combined with its object: `db:wipe`, `delete-tag`.
fn is_loss(text: &str, before: Option<&str>, unasked: bool) -> bool {
    let parts: Vec<&str> = text.split([':', '-', '.']).collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    // `delete_database` and `deleteKeys` are verbs. `test_delete` is the name of a test.
    let first = first.split(|char: char| char == '_' || char.is_ascii_uppercase()).next().unwrap_or_default();
    // A word with a dot may be a file name: `drop.sql`.
    if text.contains('.') && !DATABASES.contains(&first) {
        return false;
    }
    let any = |verbs: &[&str]| verbs.contains(&first) || verbs.contains(last);
    let empties = EMPTIES.contains(last)
        && (parts.len() > 1 && DATABASES.contains(&first) || before.is_some_and(|noun| DATABASES.contains(&noun)));
    // `un-delete`, `no-drop`, `soft-delete` and similar words keep the data.
    let keeps = matches!(first, "un" | "no" | "soft" | "pre" | "post" | "on" | "is" | "can");
    let is_weak = || unasked && LOSES_UNASKED.contains(last) && text.len() == last.len();
    !keeps && (any(LOSES) || empties || is_weak())
}
