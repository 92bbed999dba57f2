//! Effects that depend on neighboring commands, such as an interpreter that runs a download or a decoded text.

use guard_sdk::syntax::{Command, Word};

use crate::draft::Draft;
use crate::programs::container::definitions;
use crate::programs::secrets::CONDENSING;
use crate::programs::text::sweep::prints_tree;
use crate::programs::{fetch, interpreters};
use crate::run::Run;
use crate::run::pipelines::SENDERS;
use crate::wrappers::shells;

/// The maximum number of earlier stages that are examined, so that a text of only pipes takes linear time.
const MAX_STAGES: usize = 64;

/// Adds `execute.remote`, `execute.decoded` or `execute.piped` if the command runs another one's output, and
/// `secret.send` if it sends the environment.
pub(super) fn find(run: &mut Run<'_>) {
    sends_environment(run);
    let how = if only_checks(run) { interpreters::ProgramSource::Nothing } else { interpreters::how(run) };
    let source = match how {
        interpreters::ProgramSource::Nothing if STORES.contains(&run.name.as_str()) => statements_from(run),
        interpreters::ProgramSource::Nothing if takes_changes(run) => {
            from_pipe(run).or_else(|| from_words(run)).filter(|draft| draft.operation == "execute.remote")
        }
        interpreters::ProgramSource::Nothing if is_fed_rules(run) => from_pipe(run),
        // Each line of input is a command: `while read -r line; do $line; done`.
        interpreters::ProgramSource::Nothing if run.command.argv.first().is_some_and(|name| name.dynamic) => {
            from_pipe(run).filter(|draft| draft.operation != "execute.piped")
        }
        interpreters::ProgramSource::Nothing if is_made(run) => {
            Some(Draft::notable("execute", "execute.piped").certain(false))
        }
        interpreters::ProgramSource::Nothing => return,
        // Editors get generated lines, which seldom start a program.
        interpreters::ProgramSource::Input if EDITORS.contains(&run.name.as_str()) => {
            from_pipe(run).filter(|draft| draft.operation != "execute.piped")
        }
        interpreters::ProgramSource::Input => from_pipe(run).or_else(|| from_here_string(run)),
        interpreters::ProgramSource::Words => from_words(run),
        interpreters::ProgramSource::Text => from_text(run),
    };
    if let Some(draft) = source {
        run.emit(draft);
    }
}

const EDITORS: &[&str] = &["ed", "ex", "red", "sed", "gsed", "awk", "gawk", "mawk", "nawk"];

/// Returns whether the program's input makes it change the project's code, store an image that runs later, or build or
/// start what the input defines.
fn takes_changes(run: &Run<'_>) -> bool {
    let words = run.arguments();
    let first = words.iter().find(|word| !word.text.starts_with('-')).map_or("", |word| word.text.as_str());
    let names_file = |from: usize| words.iter().skip(from).any(|word| !word.text.starts_with('-'));
    match run.name.as_str() {
        "patch" | "gpatch" => true,
        "git" => matches!(first, "am" | "apply") && !names_file(1),
        "docker" | "podman" | "nerdctl" if matches!(first, "load" | "import") => true,
        _ => definitions::is_from_input(&run.name, words),
    }
}

/// Returns whether a build tool reads its rules from its input: `make -f -`.
fn is_fed_rules(run: &Run<'_>) -> bool {
    let input = definitions::is_input;
    let joined = |word: &Word| {
        ["--file=", "--makefile=", "-f"].iter().any(|option| word.text.strip_prefix(option).is_some_and(input))
    };
    let words = run.arguments();
    let apart = words.windows(2).any(|pair| match pair {
        [option, file] => matches!(option.text.as_str(), "-f" | "--file" | "--makefile") && input(&file.text),
        _ => false,
    });
    matches!(run.name.as_str(), "make" | "gmake") && (apart || words.iter().any(joined))
}

/// Returns whether a build tool runs the rules from a substitution: `make -f <(...)`.
fn is_made(run: &Run<'_>) -> bool {
    let builds = matches!(run.name.as_str(), "make" | "gmake" | "ninja" | "just" | "rake" | "ant");
    builds && run.arguments().iter().any(|word| word.parts.iter().any(|part| part.kind == "process"))
}

/// Database clients that run the statements in their input.
const STORES: &[&str] = &[
    "psql",
    "pgcli",
    "mysql",
    "mariadb",
    "mycli",
    "sqlite3",
    "duckdb",
    "sqlcmd",
    "clickhouse-client",
    "cqlsh",
    "mongosh",
    "redis-cli",
];

/// Returns the source of unseen statements: the network, or an encoded text.
fn statements_from(run: &Run<'_>) -> Option<Draft> {
    let fed = run.pipelines.source(run.command).filter(|_| !is_fed_otherwise(run.command));
    let (pipeline, index) = fed.unwrap_or_default();
    let stages = || run.pipelines.stages(run.commands, pipeline, index).rev().take(MAX_STAGES);
    if stages().any(is_near) {
        return None;
    }
    let mut earlier = stages();
    let unpacks = |command: &Command| {
        matches!(command.program(), "zcat" | "gzcat" | "gunzip" | "gzip" | "bzcat" | "xzcat" | "xz" | "zstd")
    };
    let earlier = earlier.find_map(|command| origin(command).filter(|_| !unpacks(command)));
    earlier.or_else(|| from_words(run))
}

/// Returns whether the interpreter only checks the text: `sh -n`, `node --check`.
fn only_checks(run: &Run<'_>) -> bool {
    let says = |wanted: &str| run.arguments().first().is_some_and(|word| word.text == wanted);
    match run.name.as_str() {
        "sh" | "bash" | "dash" | "zsh" | "ksh" => says("-n"),
        "node" | "nodejs" => says("--check") || says("-c"),
        "ruby" => says("-c"),
        _ => false,
    }
}

/// Adds `secret.send` for a network program with the environment as its input, because the environment contains tokens.
fn sends_environment(run: &mut Run<'_>) {
    if !SENDERS.contains(&run.name.as_str()) {
        return;
    }
    let (pipeline, index) = run.pipelines.source(run.command).unwrap_or_default();
    let earlier = || run.pipelines.stages(run.commands, pipeline, index).rev().take(MAX_STAGES);
    // In a word of the command, as in `curl -d "$(env)"`, it is sent as well.
    let inside = || run.pipelines.children(run.commands, run.command.id).take(MAX_STAGES);
    let condenses = |command: &Command| CONDENSING.contains(&command.program());
    let searches = |command: &Command| packs(command) && prints_tree(command);
    let what = if earlier().any(prints_environment) || inside().any(prints_environment) {
        "environment"
    } else if TO_STRANGERS.contains(&run.name.as_str())
        && !is_near(run.command)
        && (earlier().take_while(|stage| !condenses(stage)).any(packs)
            || inside().any(searches) && !inside().any(condenses))
    {
        "files"
    } else {
        return;
    };
    run.emit(Draft::destructive("network", "secret.send").tag("what", what));
}

/// Senders that connect to any host, and not to one where the user has an account.
const TO_STRANGERS: &[&str] =
    &["curl", "curlie", "http", "https", "xh", "xhs", "nc", "ncat", "netcat", "socat", "telnet", "ftp"];

/// Returns whether the command connects to this machine, including from a container.
pub(super) fn is_near(command: &Command) -> bool {
    let near = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal"];
    command.argv.iter().skip(1).any(|word| near.iter().any(|host| word.text.contains(host)))
}

/// Returns whether the command prints a whole tree of files, lines of all of its files, or a whole database.
fn packs(command: &Command) -> bool {
    let writes_file =
        command.redirections.iter().any(|redirection| redirection.operator.starts_with('>') && redirection.fd == 1);
    let program = command.program();
    let packs = match program {
        "tar" | "gtar" | "bsdtar" => {
            let mode = command.word(1).trim_start_matches('-');
            mode.starts_with('c') || command.argv.iter().any(|word| matches!(word.text.as_str(), "-c" | "--create"))
        }
        "zip" | "7z" | "cpio" | "pax" => true,
        "pg_dump" | "pg_dumpall" | "mysqldump" | "mariadb-dump" | "mongodump" | "slapcat" => true,
        "sqlite3" => command.argv.iter().any(|word| word.text.starts_with(".dump")),
        _ => prints_tree(command),
    };
    packs && !writes_file
}

pub(super) fn prints_environment(command: &Command) -> bool {
    let alone = command.argv.len() == 1;
    match command.program() {
        "env" | "set" => alone,
        "printenv" => true,
        "export" | "declare" | "typeset" => alone || command.word(1) == "-p",
        _ => false,
    }
}

fn from_pipe(run: &Run<'_>) -> Option<Draft> {
    let (pipeline, index) = run.pipelines.source(run.command).filter(|_| !is_fed_otherwise(run.command))?;
    let earlier = || run.pipelines.stages(run.commands, pipeline, index).rev();
    if is_silent(run, earlier(), index) {
        return None;
    }
    if let Some(draft) = earlier().take(MAX_STAGES).find_map(origin) {
        return Some(draft);
    }
    let is_known = !run.pipelines.is_unknown(run.command) && run.input().is_none_or(|input| input.certain);
    (!is_known && !is_fed_files(run, earlier(), index))
        .then(|| Draft::notable("execute", "execute.piped").certain(false))
}

/// Returns whether the text that runs comes from files on this machine, as in `curl file:///srv/install.sh | sh`. It is
/// judged like `sh /srv/install.sh`.
fn is_fed_files<'c>(run: &Run<'_>, mut earlier: impl Iterator<Item = &'c Command>, index: u32) -> bool {
    let Some(before) = earlier.next() else { return false };
    let is_alone = index == 1 && before.position.index == 0 && before.redirections.is_empty() && before.via.is_empty();
    is_alone && run.inside().is_none() && shells::is_shell(&run.name) && fetch::only_reads_files(before)
}

/// Returns whether the pipe is empty, because the previous stage is a single command that only saves a download.
fn is_silent<'c>(run: &Run<'_>, mut earlier: impl Iterator<Item = &'c Command>, index: u32) -> bool {
    let Some(before) = earlier.next() else { return false };
    let place = before.position.index;
    let is_alone = place + 1 == index && earlier.next().is_none_or(|other| other.position.index < place);
    if !is_alone || !before.redirections.is_empty() || run.pipelines.children(run.commands, before.id).next().is_some()
    {
        return false;
    }
    fetch::only_saves(&before.program().to_ascii_lowercase(), before)
}

fn is_fed_otherwise(command: &Command) -> bool {
    command.redirections.iter().any(|redirection| redirection.operator.starts_with('<') && redirection.fd == 0)
}

fn from_here_string(run: &Run<'_>) -> Option<Draft> {
    let fed = run.command.redirections.iter().any(|r| r.operator == "<<<" && r.target.dynamic || r.operator == "<");
    if fed { from_words(run) } else { None }
}

fn from_words(run: &Run<'_>) -> Option<Draft> {
    // A process substitution in place of the name is a pipe, which no system starts as a program.
    if run.command.argv.first().is_some_and(|word| word.parts.first().is_some_and(|part| part.kind == "process")) {
        return None;
    }
    let children = || run.pipelines.children(run.commands, run.command.id).take(MAX_STAGES);
    // A substitution in a word reads the command's input.
    let fed = |child: &Command| {
        let (pipeline, index) = run.pipelines.source(child).filter(|_| run.pipelines.is_unknown(child))?;
        run.pipelines.stages(run.commands, pipeline, index).rev().take(MAX_STAGES).find_map(origin)
    };
    children().find_map(origin).or_else(|| children().find_map(fed)).or_else(|| printed_unknown(run))
}

/// Returns the effect of an unknown text from a process substitution.
fn printed_unknown(run: &Run<'_>) -> Option<Draft> {
    let in_place = |word: &Word| word.parts.iter().any(|part| part.kind == "process");
    if !run.arguments().first().is_some_and(in_place) {
        return None;
    }
    let mut children = run.pipelines.children(run.commands, run.command.id).take(MAX_STAGES);
    let prints = |child: &Command| matches!(child.program(), "echo" | "printf") && child.via == run.command.via;
    let dynamic = |child: &Command| child.argv.iter().any(|word| word.dynamic);
    children
        .any(|child| prints(child) && dynamic(child))
        .then(|| Draft::notable("execute", "execute.piped").certain(false))
}

/// Returns the effect of substitutions in a text that became shell. They directly precede its commands in the list.
fn from_text(run: &Run<'_>) -> Option<Draft> {
    let place = usize::try_from(run.command.id).ok()?.checked_sub(1)?;
    let before = run.commands.get(..place).unwrap_or_default().iter().rev();
    let depth = run.command.position.within.len();
    before.take(MAX_STAGES).take_while(|command| command.position.within.len() > depth).find_map(origin)
}

/// Returns the effect of running this command's output.
fn origin(command: &Command) -> Option<Draft> {
    let name = command.program().to_ascii_lowercase();
    if fetch::prints_a_download(&name, command) && !fetch::only_reads_files(command) {
        let url = fetch::url(command).unwrap_or_default();
        return Some(Draft::destructive("execute", "execute.remote").target(&url));
    }
    if decodes(&name, command) {
        return Some(Draft::destructive("execute", "execute.decoded"));
    }
    None
}

/// Returns whether the command decodes an encoded text.
fn decodes(name: &str, command: &Command) -> bool {
    let says = |letters: &[&str]| command.argv.iter().skip(1).any(|word| letters.contains(&word.text.as_str()));
    let clustered = |letter: char| {
        let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
        words.any(|text| text.starts_with('-') && !text.starts_with("--") && text.contains(letter))
    };
    match name {
        "base64" | "gbase64" | "base32" | "basenc" | "base58" => {
            clustered('d') || clustered('D') || says(&["--decode"])
        }
        "xxd" => clustered('r') || says(&["-revert", "--revert"]),
        "openssl" => says(&["-d", "-decrypt"]),
        "gzip" | "bzip2" | "xz" | "zstd" => clustered('d') || says(&["--decompress", "--uncompress"]),
        "gpg" | "age" => clustered('d') || says(&["--decrypt"]),
        "uudecode" | "rev" | "zcat" | "gzcat" | "bzcat" | "xzcat" | "gunzip" | "bunzip2" => true,
        _ => false,
    }
}
