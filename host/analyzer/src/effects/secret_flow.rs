//! Secrets that one command prints and another one sends, connected by a variable, a file or a pipe.

use std::net::Ipv4Addr;

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::{Command, Effect, Word};

use super::pipeline::{is_near, prints_environment};
use crate::draft::Draft;
use crate::programs::fetch::foreign_secrets::{address, is_key, is_of, own_service, service_of};
use crate::programs::secrets::{CONDENSING, chooses_a_part, named_secrets, prints_resolved, takes_output};
use crate::run::Run;
use crate::run::collected::Collected;
use crate::run::pipelines::{Pipelines, SENDERS};

/// The source of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The whole environment.
    Environment,
    /// A tool that prints one service's token.
    Service(&'static str),
    /// A password store with secrets of several services.
    Store,
    /// Settings with their secrets filled in.
    Settings,
}

/// Programs that copy or pack a file into another one.
const COPYING: &[&str] =
    &["cp", "gcp", "mv", "ln", "install", "tar", "gtar", "bsdtar", "zip", "7z", "gzip", "xz", "zstd", "gpg", "openssl"];

/// Clients that send their input unchanged.
const SOCKETS: &[&str] = &["nc", "ncat", "netcat", "socat", "telnet", "openssl", "websocat", "wscat"];

/// Clients that upload files to stores and other machines.
const CARRIERS: &[&str] = &["scp", "rsync", "aws", "gsutil", "gcloud", "rclone", "gh", "croc", "wormhole"];

/// Programs that resolve a name with a server.
const LOOKUPS: &[&str] = &["dig", "host", "nslookup", "ping"];

/// HTTP client options for a request's body.
const BODIES: &[&str] =
    &["-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json", "--post-data", "--body-data"];

/// Words in the names of fields that authenticate a request.
const KEY_FIELDS: &[&str] = &[
    "access",
    "appid",
    "app_id",
    "auth",
    "bearer",
    "code",
    "credential",
    "jwt",
    "key",
    "pass",
    "pwd",
    "secret",
    "sig",
    "token",
];

/// Services whose APIs and headers other services copy.
const COMPATIBLE: &[&str] = &["ANTHROPIC", "AWS", "AZURE", "GEMINI", "OPENAI", "OPENROUTER"];

/// The maximum number of followed variables, files and commands.
const MOST: usize = 256;

/// Adds `secret.send` for each command that sends a secret obtained by an earlier one.
pub(super) fn find(commands: &[Command], pipelines: &Pipelines, home: &str, out: &mut Collected) {
    if !commands.iter().take(MOST).any(sends) {
        return;
    }
    let mut flow = Flow::default();
    for command in commands.iter().take(MOST) {
        let carried = flow.carried(command, commands, pipelines, out);
        let sent = sends(command).then(|| flow.sent(command, commands, pipelines)).flatten();
        flow.carries.push(carried);
        if let Some(origin) = carried {
            flow.pass_on(command, commands, origin);
        }
        let Some(what) = sent else { continue };
        let known = |effect: &Effect| effect.operation == "secret.send" && effect.command_id == command.id;
        if !out.effects.iter().any(known) {
            let mut run = Run::new(command, commands, pipelines, home, out);
            run.emit(Draft::destructive("network", "secret.send").tag("what", what));
        }
    }
}

/// Returns whether the command may send something to another machine.
fn sends(command: &Command) -> bool {
    let name = command.program();
    SENDERS.contains(&name) || SOCKETS.contains(&name) || CARRIERS.contains(&name) || LOOKUPS.contains(&name)
}

/// The locations of secrets after the commands so far.
#[derive(Debug, Default)]
struct Flow {
    variables: Vec<(String, Origin)>,
    files: Vec<(String, Origin)>,
    /// Command substitutions assigned to variables, because the analysis may put them in a variable's place.
    substitutions: Vec<(String, Origin)>,
    /// The secret in the output of each command so far.
    carries: Vec<Option<Origin>>,
}

impl Flow {
    /// Returns the secret in a variable of the word.
    fn variable(&self, word: &Word) -> Option<Origin> {
        let given =
            |text: &String| self.substitutions.iter().find(|(known, _)| known == text).map(|(_, origin)| *origin);
        let mut inner = word.parts.iter().filter(|part| part.kind == "command");
        if let Some(origin) = inner.find_map(|part| given(&part.text)) {
            return Some(origin);
        }
        let mut names = named_secrets(word, |_| true);
        names.find_map(|name| self.variables.iter().find(|(known, _)| known == name)).map(|(_, origin)| *origin)
    }

    /// Returns the secret in the file that the text refers to.
    fn file(&self, text: &str) -> Option<Origin> {
        let path = plain(text.rsplit(['@', '=']).next().unwrap_or(text));
        self.files.iter().find(|(known, _)| known == path).map(|(_, origin)| *origin)
    }

    /// Returns the secret that the command reads from redirections and from the previous stage.
    fn input(&self, command: &Command, commands: &[Command], pipelines: &Pipelines) -> Option<Origin> {
        let redirected = || {
            command.redirections.iter().find_map(|from| match from.operator.as_str() {
                "<" => self.file(&from.target.text),
                "<<<" => self.variable(&from.target),
                "<<" | "<<-" if !from.body_quoted => {
                    let names = |name: &String| mentions(&from.body, name);
                    self.variables.iter().find(|(name, _)| names(name)).map(|(_, origin)| *origin)
                }
                _ => None,
            })
        };
        redirected().or_else(|| self.piped(command, commands, pipelines))
    }

    fn piped(&self, command: &Command, commands: &[Command], pipelines: &Pipelines) -> Option<Origin> {
        let before = stage_before(command, commands, pipelines)?;
        self.carries.get(usize::try_from(before.id).ok()?.checked_sub(1)?).copied().flatten()
    }

    /// Returns the secret that the command prints.
    fn carried(
        &self,
        command: &Command,
        commands: &[Command],
        pipelines: &Pipelines,
        out: &Collected,
    ) -> Option<Origin> {
        let program = command.program();
        let counts =
            || command.argv.iter().any(|word| matches!(word.text.as_str(), "-q" | "-c" | "--count" | "--quiet"));
        if CONDENSING.contains(&program) || matches!(program, "grep" | "rg") && counts() {
            return None;
        }
        let words = || command.argv.iter().skip(1);
        if out.printers.contains(&command.id) {
            return Some(own_service(command).map_or(Origin::Store, Origin::Service));
        }
        if prints_environment(command) {
            return of_environment(command);
        }
        if prints_resolved(command) {
            return Some(Origin::Settings);
        }
        let by_word = || words().find_map(|word| self.variable(word));
        let by_file = || words().filter(|word| !word.text.starts_with('>')).find_map(|word| self.file(&word.text));
        let origin = by_word().or_else(by_file).or_else(|| self.input(command, commands, pipelines));
        origin.filter(|origin| *origin != Origin::Settings || !chooses_a_part(command))
    }

    /// Records the destinations of the command's output: variables of the enclosing command, and files.
    fn pass_on(&mut self, command: &Command, commands: &[Command], origin: Origin) {
        if self.variables.len() + self.files.len() > MOST {
            return;
        }
        for assignment in &command.assignments {
            if self.variable(&assignment.value).is_some() {
                self.variables.push((assignment.name.clone(), origin));
            }
        }
        let to = command.redirections.iter().filter(|to| takes_output(to));
        self.files.extend(to.map(|to| (plain(&to.target.text).to_owned(), origin)));
        let operands = || command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        if command.program() == "tee" || COPYING.contains(&command.program()) {
            self.files.extend(operands().take(MOST).map(|word| (plain(&word.text).to_owned(), origin)));
        }
        let is_last = command.position.length < 2 || command.position.index + 1 == command.position.length;
        let parent = usize::try_from(command.parent).ok().and_then(|id| commands.get(id.checked_sub(1)?));
        let Some(parent) = parent.filter(|_| is_last) else { return };
        let is_inside = |word: &Word| word.parts.iter().any(|part| matches!(part.kind.as_str(), "command" | "process"));
        let declares = matches!(parent.program(), "export" | "local" | "declare" | "readonly" | "typeset");
        let values = parent.assignments.iter().map(|one| &one.value).chain(parent.argv.iter().filter(|_| declares));
        let texts = values.flat_map(|word| &word.parts).filter(|part| part.kind == "command");
        self.substitutions.extend(texts.map(|part| (part.text.clone(), origin)));
        let given = parent.assignments.iter().filter(|one| is_inside(&one.value)).map(|one| one.name.clone());
        self.variables.extend(given.map(|name| (name, origin)));
        let names = parent.argv.iter().skip(1);
        match parent.program() {
            _ if declares => {
                let given = names.filter(|word| is_inside(word)).filter_map(|word| word.text.split_once('='));
                self.variables.extend(given.map(|(name, _)| (name.to_owned(), origin)));
            }
            "read" | "mapfile" | "readarray" if parent.redirections.iter().any(|from| is_inside(&from.target)) => {
                let given = names.filter(|word| !word.text.starts_with('-'));
                self.variables.extend(given.map(|word| (word.text.clone(), origin)));
            }
            _ => {}
        }
    }

    /// Returns the kind of secret that the command sends to a host it doesn't belong to.
    fn sent(&self, command: &Command, commands: &[Command], pipelines: &Pipelines) -> Option<&'static str> {
        if is_near(command) || command.program() == "openssl" && command.word(1) != "s_client" {
            return None;
        }
        let host = address(command);
        if host.as_deref().is_some_and(is_private) {
            return None;
        }
        let mut before = "";
        for word in command.argv.iter().skip(1) {
            let is_key = is_key(command, before, word);
            if let Some(origin) = self.variable(word).or_else(|| self.file(&word.text))
                && leaks(origin, is_key, host.as_deref())
            {
                return Some("variable");
            }
            if named_leaks(word, before, is_key, host.as_deref()) {
                return Some("variable");
            }
            before = &word.text;
        }
        // These only read a file or a line if an argument says so.
        let reads = !CARRIERS.contains(&command.program()) && !LOOKUPS.contains(&command.program());
        let origin = self.input(command, commands, pipelines).filter(|_| reads);
        // Settings are deployed to the user's own machines.
        let origin =
            origin.filter(|origin| *origin != Origin::Settings || !matches!(command.program(), "ssh" | "sftp"));
        let is_named = || reads && fed_by_name(command, commands, pipelines, host.as_deref());
        (origin.is_some_and(|origin| leaks(origin, false, host.as_deref())) || is_named()).then_some("variable")
    }
}

/// Returns the secret in the output of a command that prints the environment or one of its variables.
fn of_environment(command: &Command) -> Option<Origin> {
    let mut names = command.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    if command.program() != "printenv" || names.clone().next().is_none() {
        return Some(Origin::Environment);
    }
    let name = names.find(|name| is_likely(name))?;
    Some(service_of(name).map_or(Origin::Store, Origin::Service))
}

/// Returns whether a secret is sent to a service that it doesn't belong to. `is_key`: the secret
/// authenticates the request.
fn leaks(origin: Origin, is_key: bool, host: Option<&str>) -> bool {
    match (origin, host) {
        (Origin::Environment, _) => true,
        (Origin::Service(service), Some(host)) => !is_of(host, service),
        (Origin::Service(_) | Origin::Store | Origin::Settings, _) => !is_key,
    }
}

/// Returns whether a word contains a variable named like another service's secret, or consists only of a secret.
fn named_leaks(word: &Word, before: &str, is_key: bool, host: Option<&str>) -> bool {
    let Some(host) = host else { return false };
    let joined = word.text.split_once('=').map(|(option, _)| option).filter(|option| BODIES.contains(option));
    let is_body = BODIES.contains(&before) || joined.is_some();
    let is_bare = is_body && is_one_variable(word, joined.unwrap_or_default());
    named_secrets(word, is_likely).any(|name| match service_of(name) {
        Some(service) if is_key => !COMPATIBLE.contains(&service) && !is_of(host, service),
        Some(service) => is_bare && !is_of(host, service),
        None => is_bare || is_hidden_in_query(&word.text, name),
    })
}

/// Words in the names of variables for a list's position or a form's token, which aren't secret.
const POSITIONS: [&str; 5] = ["CONTINU", "CSRF", "CURSOR", "NEXT", "PAGE"];

/// Returns whether an address has the variable in a field of its query that isn't named like a key:
/// `https://host/?d=$TOKEN`.
fn is_hidden_in_query(address: &str, name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if POSITIONS.iter().any(|word| upper.contains(word)) {
        return false;
    }
    let start = [format!("${name}"), format!("${{{name}")].iter().find_map(|text| address.find(text.as_str()));
    let before = start.and_then(|start| address.get(..start)).unwrap_or_default();
    let query = before.split_once("://").and_then(|(_, rest)| rest.split_once('?')).map_or("", |(_, query)| query);
    let field = query.rsplit('&').next().and_then(|field| field.split_once('='));
    field.is_some_and(|(field, _)| {
        let field = field.to_ascii_lowercase();
        field != "k" && !KEY_FIELDS.iter().any(|word| field.contains(word))
    })
}

/// Returns whether the word is a single variable, with at most an option before it.
fn is_one_variable(word: &Word, option: &str) -> bool {
    let mut parts = word.parts.iter().filter(|part| !part.text.is_empty() && part.text.trim_end_matches('=') != option);
    parts.next().is_some_and(|part| part.kind == "variable") && parts.next().is_none()
}

/// Returns whether a raw connection, or a request's whole body, gets a variable that is named like a secret.
fn fed_by_name(command: &Command, commands: &[Command], pipelines: &Pipelines, host: Option<&str>) -> bool {
    let is_socket = SOCKETS.contains(&command.program());
    let is_foreign =
        |name: &str| !host.is_some_and(|host| service_of(name).is_some_and(|service| is_of(host, service)));
    let shows =
        |word: &Word| (is_socket || is_one_variable(word, "")) && named_secrets(word, is_likely).any(is_foreign);
    let printed = || {
        let before = stage_before(command, commands, pipelines);
        before.is_some_and(|before| {
            matches!(before.program(), "echo" | "printf") && before.argv.iter().skip(1).any(shows)
        })
    };
    (is_socket || host.is_some())
        && (command.redirections.iter().any(|from| from.operator == "<<<" && shows(&from.target)) || printed())
}

/// Returns the command whose output this one reads.
fn stage_before<'c>(command: &Command, commands: &'c [Command], pipelines: &Pipelines) -> Option<&'c Command> {
    let (pipeline, index) = pipelines.source(command)?;
    pipelines.stages(commands, pipeline, index).next_back().filter(|before| before.id < command.id)
}

/// Returns whether the host is in a private network. [`address`] returns no host of this machine.
pub(super) fn is_private(host: &str) -> bool {
    host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_private()) || host.ends_with(".test")
}

/// Returns whether a text contains `$NAME` or `${NAME}`.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.contains(&format!("${{{name}"))
        || text.split(&format!("${name}")).skip(1).any(|rest| !rest.starts_with(is_part))
}

fn is_likely(name: &str) -> bool {
    likelihood(name) == Some(Likelihood::Likely)
}

fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}
