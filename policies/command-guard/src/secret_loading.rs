//! Whether the variables of a secret file are loaded into the shell or a program, and whether something prints them.

use guard_sdk::addresses;
use guard_sdk::syntax::{Command, Word};

use crate::call_view::CallView;
use crate::secret_use::{MOST, chooses_lines, passes_on, pipeline_from};

/// Builtins that set variables.
const NAMERS: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// Returns whether the variables are loaded into the shell, or into the environment of one program, and nothing prints
/// them.
pub(crate) fn is_loaded(reader: &Command, view: &CallView<'_>) -> bool {
    const RUNNERS: &[&str] = &["source", "."];
    if is_evaluated(reader, view) || is_exported_by_a_loop(reader, view) {
        return true;
    }
    let encloses = reader.position.within.last().is_some_and(|place| place == "substitution" || place == "process");
    let Some(parent) = view.command_by_id(reader.parent).filter(|_| encloses) else { return false };
    let takes = match parent.program() {
        program if NAMERS.contains(&program) => true,
        program if RUNNERS.contains(&program) => pipeline_from(reader, view).all(leaves_assignments),
        _ => is_for_one_program(parent, view),
    };
    let stages = || pipeline_from(reader, view);
    let rest = reader.position.length.saturating_sub(reader.position.index);
    // Other commands in the substitution add their own words.
    let is_alone = |other: &Command| other.parent != parent.id || other.position.pipeline == reader.position.pipeline;
    let is_inside = |other: &&Command| other.position.within.len() >= reader.position.within.len();
    let commands = || view.analysis.commands.iter().take(MOST);
    takes
        && u32::try_from(stages().count()) == Ok(rest)
        && stages().all(|stage| passes_on(stage, view))
        && commands().filter(is_inside).all(is_alone)
        && shows_nothing(view)
}

/// Returns whether no command of the text reveals variables that the text doesn't set.
fn shows_nothing(view: &CallView<'_>) -> bool {
    view.analysis.commands.len() <= MOST
        && !view.analysis.commands.iter().any(|command| reveals(command, view) || traces(command))
        && !traces_text(view)
}

/// Returns whether a shell traces the text that it runs: `bash -x -c`.
pub(crate) fn traces_text(view: &CallView<'_>) -> bool {
    ["-x -c", "-xc", "-v -c"].iter().any(|trace| view.raw_text().contains(trace))
}

/// The placeholder for a substitution in a text that becomes shell.
const SUBSTITUTED: &str = "$_";

/// Returns whether the shell evaluates the assignments, and nothing prints them: `eval "$(cat .env)"`.
fn is_evaluated(reader: &Command, view: &CallView<'_>) -> bool {
    let before = text_before(reader, view);
    let is_evaluated = ["eval $(", "eval \"$("].iter().any(|start| before.ends_with(start));
    let evaluated = reader.id.checked_add(reader.position.length.saturating_sub(reader.position.index));
    is_evaluated
        && evaluated.and_then(|id| view.command_by_id(id)).is_some_and(evaluates_all)
        && rest_of_pipeline(reader, view).is_some_and(|mut stages| stages.all(leaves_assignments))
        && shows_nothing(view)
}

/// Returns whether the command is the rest of `eval "$(...)"`, without its own words.
fn evaluates_all(command: &Command) -> bool {
    command.argv.len() == 1
        && command.word(0) == SUBSTITUTED
        && command.via.last().is_some_and(|via| via.kind == "eval")
}

/// Returns whether the text evaluates the variables of a file such as `.env`, as `source` would.
pub(crate) fn evaluates_variables(command: &Command, view: &CallView<'_>) -> bool {
    let reads = |effect: &&guard_sdk::syntax::Effect| {
        effect.kind == "read" && view.settings.files.find_secret(effect).is_some_and(|entry| entry.starts_with(".env"))
    };
    let readers = view.analysis.effects.iter().filter(reads).filter_map(|effect| view.command(effect)).take(MOST);
    let mut readers =
        readers.filter(|reader| reader.id < command.id && command.id - reader.id <= reader.position.length);
    evaluates_all(command) && readers.any(|reader| is_evaluated(reader, view))
}

/// Returns the text before the command, with trailing blanks trimmed.
fn text_before<'a>(command: &Command, view: &'a CallView<'_>) -> &'a str {
    let start = usize::try_from(command.span.start).unwrap_or_default();
    view.raw_text().get(..start).unwrap_or_default().trim_end()
}

/// Returns the commands of the pipeline from this one on, if all are known to pass on their input.
fn rest_of_pipeline<'a>(
    reader: &'a Command,
    view: &'a CallView<'_>,
) -> Option<impl Iterator<Item = &'a Command> + use<'a>> {
    let rest = reader.position.length.saturating_sub(reader.position.index);
    let is_whole = u32::try_from(pipeline_from(reader, view).count()) == Ok(rest);
    (is_whole && pipeline_from(reader, view).all(|stage| passes_on(stage, view))).then(|| pipeline_from(reader, view))
}

/// Returns whether a loop reads the file's lines and only exports them.
fn is_exported_by_a_loop(reader: &Command, view: &CallView<'_>) -> bool {
    let is_loop = |command: &&Command| command.position.within.iter().any(|place| place == "loop");
    let mut body = view.analysis.commands.iter().filter(is_loop).filter(|command| command.id > reader.id).peekable();
    let first_reads = body.peek().is_some_and(|first| first.word(0) == "read");
    let listed = || {
        let before = text_before(reader, view);
        ["in $(", "in `"].iter().any(|start| before.ends_with(start)) && rest_of_pipeline(reader, view).is_some()
    };
    let mut exports = false;
    (first_reads && is_given_to_a_loop(reader, view) || listed())
        && body.all(|command| {
            exports |= NAMERS.contains(&command.program());
            is_quiet(command)
        })
        && exports
        && shows_nothing(view)
}

/// Returns whether a loop reads the lines through a redirection or a pipe.
fn is_given_to_a_loop(reader: &Command, view: &CallView<'_>) -> bool {
    let is_fed = reader.argv.is_empty() && matches!(reader.redirections.as_slice(), [one] if one.operator == "<");
    let rest = reader.position.length.saturating_sub(reader.position.index + 1);
    let stages = || pipeline_from(reader, view);
    is_fed || u32::try_from(stages().count()) == Ok(rest) && stages().all(|stage| passes_on(stage, view))
}

/// Returns whether a loop splits the variables' names from their values, and only uses the names: `while IFS== read -r
/// name _; do echo "$name"; done < .env`.
pub(crate) fn is_read_for_names(reader: &Command, view: &CallView<'_>) -> bool {
    let is_loop = |command: &&Command| command.position.within.iter().any(|place| place == "loop");
    let mut body = view.analysis.commands.iter().filter(is_loop).filter(|command| command.id > reader.id).peekable();
    let Some(first) = body.next_if(|first| first.word(0) == "read") else { return false };
    let splits = first.assignments.iter().any(|set| set.name == "IFS" && set.value.text == "=");
    let mut names = first.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    let (Some(name), Some(_)) = (names.next(), names.next()) else { return false };
    let shows_name = |command: &Command| {
        let mut parts = command.argv.iter().flat_map(|word| &word.parts).filter(|part| part.kind != "literal");
        let is_name = |text: &str| name_shown(text).is_none_or(|shown| shown == name);
        let writes = command.redirections.iter().any(|found| found.operator.contains('<'));
        matches!(command.program(), "echo" | "printf")
            && !writes
            && parts.all(|part| part.kind == "variable" && is_name(&part.text))
    };
    splits
        && is_given_to_a_loop(reader, view)
        && usize::try_from(first.id - reader.id) == Ok(pipeline_from(reader, view).count().max(1))
        && view.analysis.commands.len() <= MOST
        && body.all(|command| shows_name(command) || TESTS.contains(&command.program()) && command.program() != "break")
}

/// Builtins that print nothing.
const TESTS: &[&str] = &["[", "[[", "test", "continue", "break", ":", "true"];

/// Returns whether the command reads a line, tests it, or exports it.
fn is_quiet(command: &Command) -> bool {
    let writes = command.redirections.iter().any(|found| found.operator.contains('>'));
    (command.program() == "read" || NAMERS.contains(&command.program()) || TESTS.contains(&command.program()))
        && !writes
}

/// Returns whether the command's output, evaluated by a shell, only contains assignments.
fn leaves_assignments(stage: &Command) -> bool {
    const SCRIPTS: &[&str] =
        &["s/^/export /", "s/#.*//", "s/#.*//g", "/^#/d", "/^$/d", r"/^\s*#/d", r"/^\s*$/d", r"s/\r$//", r"s/\r//"];
    match stage.program() {
        "sed" | "gsed" => stage.argv.iter().skip(1).all(|word| {
            matches!(word.text.as_str(), "-e" | "-E" | "-r")
                || SCRIPTS.contains(&word.text.as_str())
                || is_operand(word)
        }),
        _ => chooses_lines(stage) && stage.argv.iter().skip(1).all(|word| !word.text.starts_with("-n")),
    }
}

/// Returns whether a word can only be a file.
fn is_operand(word: &guard_sdk::syntax::Word) -> bool {
    let is_name = |char: char| char.is_ascii_alphanumeric() || "._/-".contains(char);
    !word.text.starts_with(['-', '/']) && word.text.contains('.') && word.text.chars().all(is_name)
}

/// Returns whether the words become the environment of a program that doesn't print it: `env $(...) program`.
fn is_for_one_program(parent: &Command, view: &CallView<'_>) -> bool {
    const SHOWING: &[&str] = &[
        "echo", "printf", "env", "printenv", "envsubst", "set", "jq", "awk", "gawk", "xargs", "make", "docker", "gdb",
        "direnv",
    ];
    const INLINE: &[&str] = &[
        "node", "deno", "bun", "python", "python3", "ruby", "perl", "php", "sh", "bash", "zsh", "dash", "pwsh", "lua",
    ];
    let is_word = || parent.argv.iter().any(|word| word.parts.iter().any(|part| part.kind == "command"));
    let program = parent.program();
    let runs_text = || INLINE.contains(&program) && parent.word(1).starts_with('-');
    let tells = ["env -v", "env --debug", "env -S"].iter().any(|option| view.raw_text().contains(option));
    parent.via.iter().any(|via| via.kind == "env")
        && !is_word()
        && !tells
        && !program.is_empty()
        && !SHOWING.contains(&program)
        && !runs_text()
}

/// Returns whether the command makes the shell trace each line, including the assigned values.
pub(crate) fn traces(command: &Command) -> bool {
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    command.word(0) == "set"
        && words.any(|word| {
            let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
            letters.contains(['x', 'v']) || matches!(word, "xtrace" | "verbose")
        })
}

/// Returns whether the command prints variables that the text doesn't set, or sends them in a request's body or a host
/// name.
pub(crate) fn reveals(command: &Command, view: &CallView<'_>) -> bool {
    let alone = command.argv.len() == 1;
    match command.program() {
        program if HTTP_CLIENTS.contains(&program) => sends_body(command, view),
        "dig" | "drill" | "getent" | "host" | "kdig" | "nslookup" | "ping" | "ping6" | "traceroute" => {
            command.argv.iter().skip(1).any(|word| names_host(word) && has_foreign(word, view))
        }
        "printenv" => true,
        "env" | "set" => alone,
        "export" | "declare" | "typeset" => alone || command.word(1) == "-p",
        "echo" | "printf" => command.argv.iter().skip(1).any(|word| has_foreign(word, view)),
        "envsubst" => true,
        "jq" | "gojq" | "yq" => {
            command.argv.iter().any(|word| ["env", "$ENV"].iter().any(|start| word.text.starts_with(start)))
        }
        program if INTERPRETERS.contains(&program) => {
            command.argv.iter().any(|word| word.text == "-p")
                || command.argv.iter().any(|word| prints_by_code(&word.text))
                || sends_by_code(command, view)
        }
        program => {
            FILTERS.contains(&program)
                && command.redirections.iter().any(|found| found.operator == "<<<" && has_foreign(&found.target, view))
        }
    }
}

const HTTP_CLIENTS: &[&str] = &["curl", "curlie", "http", "https", "wget", "xh", "xhs"];

/// Options of HTTP clients before a part of the body.
const BODIES: &[&str] = &[
    "-d",
    "-F",
    "--body-data",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--form",
    "--form-string",
    "--json",
    "--post-data",
    "--raw",
];

/// Returns whether the body of a request to a public host contains a variable that the text doesn't set, unless the
/// host is the service after which the variable is named.
fn sends_body(command: &Command, view: &CallView<'_>) -> bool {
    let words = || command.argv.iter().skip(1);
    let mut hosts = words().filter_map(|word| public_host(&word.text));
    let Some(host) = hosts.next_back() else { return false };
    let is_joined = |text: &str| {
        BODIES.iter().any(|option| match option.starts_with("--") {
            true => text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
            false => text.len() > option.len() && text.starts_with(option),
        })
    };
    let is_own = |name: &str| {
        let service = name.split('_').next().unwrap_or_default().to_ascii_lowercase();
        service.len() > 2 && host.contains(&service)
    };
    let shows = |word: &Word| shown_variables(word).any(|name| is_foreign(name, view) && !is_own(name));
    // In a group such as `-sF`, the last letter takes the next word.
    let is_group = |text: &str| {
        let letters = text.strip_prefix('-').unwrap_or_default();
        letters.ends_with(['d', 'F']) && letters.chars().all(|letter| letter.is_ascii_alphabetic())
    };
    // HTTPie takes a field of the body as `name=value`, a header as `Name:value`, and a query as `name==value`.
    let takes_fields = matches!(command.program(), "http" | "https" | "xh" | "xhs");
    let is_field = |text: &str| {
        let field = text.split_once('=').filter(|(_, value)| !value.starts_with('='));
        field.is_some_and(|(name, _)| !name.starts_with('-') && !name.trim_end_matches(':').contains(':'))
    };
    let takes_body = |option: &str| BODIES.contains(&option) || command.program() == "curl" && is_group(option);
    let mut pairs = command.argv.windows(2);
    pairs.any(|pair| matches!(pair, [option, body] if takes_body(&option.text) && shows(body)))
        || words().any(|word| (is_joined(&word.text) || takes_fields && is_field(&word.text)) && shows(word))
}

/// Returns the host of a URL, if it is the name of a public machine.
fn public_host(url: &str) -> Option<String> {
    let host = addresses::host(url);
    let is_name = host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let (_, last) = host.rsplit_once('.')?;
    let is_near = matches!(last, "example" | "internal" | "invalid" | "local" | "test") || addresses::is_here(&host);
    let is_domain = last.starts_with(|first: char| first.is_ascii_alphabetic());
    (url.contains('/') && is_name && is_domain && !is_near).then_some(host)
}

/// Returns whether text with a dot follows a variable, as in a host name.
fn names_host(word: &Word) -> bool {
    let mut rest = word.parts.iter().skip_while(|part| part.kind != "variable").skip(1);
    rest.any(|part| part.kind == "literal" && part.text.contains('.'))
}

/// Programs that print their input.
const FILTERS: &[&str] = &[
    "base64", "cat", "cut", "fold", "grep", "head", "hexdump", "nc", "ncat", "netcat", "nl", "od", "rev", "sed",
    "sort", "tail", "tee", "tr", "xxd",
];

/// Programs that run code from a word.
const INTERPRETERS: &[&str] =
    &["awk", "bun", "deno", "gawk", "mawk", "node", "perl", "php", "python", "python2", "python3", "ruby"];

/// Returns whether code puts an environment variable into the body of a request.
fn sends_by_code(command: &Command, view: &CallView<'_>) -> bool {
    let mut effects = view.analysis.effects.iter().filter(|effect| effect.command_id == command.id);
    effects.any(|effect| effect.operation == "network.send" && effect.tag("what") == Some("variable"))
}

/// Returns whether code reads environment variables, and prints.
fn prints_by_code(code: &str) -> bool {
    const VARIABLES: &[&str] = &[
        "os.environ",
        "getenv",
        "process.env",
        "Bun.env",
        "Deno.env",
        "ENV[",
        "ENV.",
        "$ENV{",
        "%ENV",
        "$_ENV",
        "ENVIRON",
    ];
    const PRINTS: &[&str] = &["print", "console.", "puts", "echo", "write", "dump", "p ENV", "say "];
    // These only print names.
    const NAMES: &[&str] = &[
        "Object.keys(process.env)",
        "os.environ.keys()",
        "list(os.environ)",
        "sorted(os.environ)",
        "len(os.environ)",
        "ENV.keys",
    ];
    let code = NAMES.iter().fold(code.to_owned(), |code, names| code.replace(names, ""));
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    has(VARIABLES) && has(PRINTS)
}

/// Returns whether the word contains the value of a variable that the text doesn't set.
fn has_foreign(word: &Word, view: &CallView<'_>) -> bool {
    shown_variables(word).any(|name| is_foreign(name, view))
}

/// Returns the variables whose values the word contains.
fn shown_variables(word: &Word) -> impl Iterator<Item = &str> {
    let variables = word.parts.iter().filter(|part| part.kind == "variable");
    variables.filter_map(|part| name_shown(&part.text)).take(MOST)
}

/// Returns the variable whose value an expansion shows. Excludes `${#NAME}` and `${NAME:+set}`.
fn name_shown(expansion: &str) -> Option<&str> {
    let Some(inner) = expansion.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
        return Some(expansion);
    };
    let (indirect, inner) = inner.strip_prefix('!').map_or((false, inner), |inner| (true, inner));
    let end = inner.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(inner.len());
    let (name, operation) = inner.split_at_checked(end)?;
    let tells_names = indirect && matches!(operation, "*" | "@");
    let tells_presence = operation.starts_with('+') || operation.starts_with(":+");
    (!name.is_empty() && !tells_names && !tells_presence).then_some(name)
}

/// Variables that every shell has.
const COMMON: &[&str] =
    &["HOME", "HOSTNAME", "LOGNAME", "OLDPWD", "PATH", "PWD", "RANDOM", "SHELL", "TERM", "UID", "USER"];

/// Returns whether a variable is neither common to all shells nor set by the text.
fn is_foreign(name: &str, view: &CallView<'_>) -> bool {
    let named = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let set = || {
        // Variables that a loaded file sets must not be shown.
        let of_text = |command: &&Command| command.via.iter().all(|via| via.kind != "script");
        let mut sets =
            view.analysis.commands.iter().take(MOST).filter(of_text).flat_map(|command| &command.assignments);
        sets.any(|set| set.name == name)
    };
    named && !COMMON.contains(&name) && !set()
}
