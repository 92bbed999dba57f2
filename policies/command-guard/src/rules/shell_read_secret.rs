//! `shell-read-secret`: a shell command that reads a file with secrets, or creates a link to it.
//! A command that only loads the file's variables passes if nothing prints them or sends them in a request's body.
//! A command that prints only names or numbers passes too.
//! Sending the file over the network is denied, unless `secret-reads` is `allow`.
//!
//! ## Why
//! The output of a command is sent to the model and written to logs, where no rule protects it.
//!
//! ## Examples
//! - denied: `cat .env`
//! - denied: `cp .env /tmp/x`
//! - denied: `base64 ~/.ssh/id_rsa`
//! - asked: `cat .*`
//! - asked: `cat terraform.tfstate`
//! - passes: `cat .env.example`
//! - passes: `source .env && npm start`
//! - passes: `export $(grep -v '^#' .env | xargs)`
//! - passes: `cut -d= -f1 .env`
//! - passes: `sha256sum .env`
//! - passes: `ls -la .env`
//! - passes: `cat /var/run/secrets/kubernetes.io/serviceaccount/namespace`
//!
//! ## Instead
//! Read the variable names in `.env.example`, or ask the user for what you need.
//!
//! ## Settings
//! - `secret-reads`: the outcome: `deny`, `ask` or `allow`.
//! - `files.blocked`: the names of files with secrets.
//! - `files.exempt`: names that are never such files, such as templates.
//! - `strict`: only `source .env` may load variables, and commands that print only names don't pass. Default: only in
//!   `hardened`, `guardrail` and `full`.

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::{Outcome, Presence, Rule};
use guard_sensitive_paths::{is_public, matches, own_secret, own_secret_path};

use super::secret_mentioned::READERS;
use super::{Check, is_program};
use crate::credential_options::{is_key, is_own_setting, takes_credential};
use crate::likely_secrets;
use crate::secret_loading::{reveals, traces, traces_text};
use crate::secret_use::{self, DIGESTS, MOST};
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "shell-read-secret",
    summary: "a command that reads a file with secrets",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if effect.operation == "execute.unknown" {
        return unknown_program_hit(effect, view);
    }
    let files = &view.settings.files;
    let (mut likely, mut is_within) = (None, false);
    let within = || files.secret_read_within(effect, &|path| view.resolve(path));
    let entry = match effect.tag("link-to") {
        Some(original) => {
            files.secret(original).or_else(|| files.secret(&format!("{}/", original.trim_end_matches('/'))))?
        }
        None if effect.kind != "read" || effect.spellings().all(is_public) || uses_silently(effect, view) => return None,
        None if !view.settings.strict && secret_use::shows_no_value(effect, view) => return None,
        None => match files.find_secret(effect).or_else(|| {
            let certain = found_by_pattern(effect, view).or_else(within).or_else(|| sent_with_folder(effect, view));
            certain.inspect(|_| is_within = true)
        }) {
            Some(entry) => entry,
            None => likely.insert(likely_secrets::printed_secret(effect, view)?),
        },
    };
    // A search of all files only shows existing ones.
    if effect.tag("swept").is_some() && effect.path.exists != Presence::Yes {
        return None;
    }
    if entry == "*.pem" && is_certificate(&effect.target) {
        return None;
    }
    let outcome = view.settings.secret_reads.outcome()?;
    // Output from a file of variables may be another variable. A search may find other files, or none.
    let outcome = if ["searched", "swept"].iter().any(|tag| effect.tag(tag).is_some()) { outcome.min(Outcome::Ask) } else { outcome };
    let outcome = if likely.is_some() || is_within { outcome.min(Outcome::Ask) } else { outcome };
    let outcome = if is_loaded(effect, view) { outcome.min(Outcome::Ask) } else { outcome };
    let (outcome, why) = if effect.tag("kept").is_some() {
        (outcome.min(Outcome::Ask), ", and a commit keeps them in the history")
    } else if effect.tag("sent").is_some() {
        (Outcome::Deny, SENDS)
    } else if is_uploaded(effect, view) {
        (outcome, SENDS)
    } else {
        (outcome, ", and printed or copied secrets are no longer protected")
    };
    let remedy = if effect.tag("kept").is_some() { exclusion_advice(entry) } else { remedy(entry).to_owned() };
    // Settings may list other files than secrets.
    let listing = match effect.tag("link-to") {
        Some(original) => own_secret_path(original),
        None => own_secret(effect, entry).filter(|_| likely.is_none()),
    };
    if let Some(listing) = listing {
        let hit = Hit::new(outcome, effect, "reads ", remedy).without_summary();
        return Some(hit.naming(file_label(effect, entry, view), format!(", {listing}")).path(&effect.target));
    }
    Some(Hit::new(outcome, effect, HOLDS, remedy).naming(file_label(effect, entry, view), why).path(&effect.target))
}

/// Returns the entry of an existing file with secrets that the pattern of a search matches: `find . -name '*env*'`.
fn found_by_pattern<'v>(effect: &Effect, view: &'v CallView<'_>) -> Option<&'v str> {
    // Names that a search gives to another program have no path yet.
    let place = Some(effect.path.lexical.as_str()).filter(|path| path.starts_with('/')).unwrap_or(&effect.target);
    let (folder, pattern) = place.rsplit_once('/').unwrap_or((".", place));
    let command = view.command(effect).filter(|_| pattern.contains(['*', '?', '[']))?;
    let is_supplied = || command.via.last().is_some_and(|via| matches!(via.kind.as_str(), "find-exec" | "xargs"));
    // A pattern for everything doesn't ask for a secret: `find . -type f | xargs grep text`.
    let says_name = pattern.contains(|char: char| char.is_ascii_alphanumeric());
    if !says_name || effect.tag("searched").is_none() && !is_supplied() {
        return None;
    }
    let folder = match effect.tag("start") {
        Some(start) if start.starts_with(['/', '~']) => start.to_owned(),
        Some(start) => format!("{folder}/{start}"),
        None if folder.starts_with(['/', '~']) => folder.to_owned(),
        None if folder == "." => command.cwd.clone(),
        None => format!("{}/{}", command.cwd, folder.trim_start_matches("./")),
    };
    let is_left_out = |name: &str| effect.tags.iter().any(|(tag, text)| tag == "except" && matches(text, name));
    existing_secret(&folder, |name| matches(pattern, name) && !is_left_out(name), view)
}

/// Returns the plain name of a file with secrets that exists directly in the folder.
fn existing_secret<'v>(folder: &str, is_chosen: impl Fn(&str) -> bool, view: &'v CallView<'_>) -> Option<&'v str> {
    let names = view.settings.files.blocked().filter(|entry| !entry.contains(['*', '?', '[', '{', '/', '!']));
    let exists = |name: &str| view.resolve(&format!("{folder}/{name}")).exists == Presence::Yes;
    names.filter(|name| is_chosen(name)).take(MOST).find(|name| exists(name))
}

/// Returns the entry of a file with secrets that is sent to another machine with the folder that contains it: `rsync -a
/// . host:`.
fn sent_with_folder<'v>(effect: &Effect, view: &'v CallView<'_>) -> Option<&'v str> {
    const LISTS: &[&str] = &["--exclude-from", "--files-from", "--filter", "--cvs-exclude", "-C", "-F", "-X", "-f"];
    let command = view.command(effect).filter(|_| is_uploaded(effect, view) && effect.operation == "fs.read")?;
    let words = || command.argv.iter().map(|word| word.text.as_str());
    // A list may leave the file out.
    if words().any(|word| LISTS.contains(&word.split('=').next().unwrap_or_default())) {
        return None;
    }
    let next = command.argv.windows(2).filter(|pair| matches!(pair, [option, _] if option.text == "--exclude"));
    let next = next.filter_map(|pair| pair.get(1)).map(|word| word.text.as_str());
    let excluded: Vec<&str> = words().filter_map(|word| word.strip_prefix("--exclude=")).chain(next).take(MOST).collect();
    let folder = effect.path.lexical.trim_end_matches('/');
    let is_taken = |name: &str| !excluded.iter().any(|pattern| matches(pattern.trim_matches('/'), name));
    (view.resolve(folder).kind == "dir").then(|| existing_secret(folder, is_taken, view)).flatten()
}

const SENDS: &str = ", and the command sends them over the network";

const HOLDS: &str = "there are secrets in ";

/// Returns the file's name for a message: as written, with the list's entry if only a link leads to it.
fn file_label(effect: &Effect, entry: &str, view: &CallView<'_>) -> String {
    let name = shorten(effect.tag("link-to").unwrap_or(&effect.target));
    let by_itself =
        view.settings.files.secret(&name).is_some() || name.trim_end_matches('/') == entry.trim_end_matches('/');
    if by_itself { format!("`{name}`") } else { format!("`{name}` (`{entry}`)") }
}

/// Returns whether the command uploads its files to another machine or a store.
fn is_uploaded(effect: &Effect, view: &CallView<'_>) -> bool {
    const STORES: &[&str] = &["s3://", "gs://", "b2://", "r2://", "az://"];
    let of_command = |other: &&Effect| other.command_id == effect.command_id;
    let is_store = |text: &str| STORES.iter().any(|store| text.starts_with(store));
    view.analysis.effects.iter().filter(of_command).any(|other| other.operation == "network.upload")
        || view.command(effect).is_some_and(|command| command.argv.iter().any(|word| is_store(&word.text)))
}

/// Returns advice for keeping a file out of the repository.
fn exclusion_advice(entry: &str) -> String {
    format!("put `{entry}` into `.gitignore`, and commit a template without the values")
}

/// Returns a hit for a secret file that is passed to a program without a description. Many options only take settings
/// for the program itself, such as the path of its key.
fn unknown_program_hit(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if is_program(&effect.target, KEEPERS) || is_program(&effect.target, DIGESTS) {
        return None;
    }
    let outcome = view.settings.secret_reads.outcome()?.min(Outcome::Ask);
    let files = &view.settings.files;
    let pairs = view.command(effect)?.argv.windows(2).take(MOST);
    let operands = pairs.filter_map(|pair| match pair {
        // After `--name=VALUE` there is an operand.
        [before, word] if !word.text.starts_with('-') && (!before.text.starts_with('-') || before.text.contains('=')) => {
            Some(&word.text)
        }
        _ => None,
    });
    let schemes = ["file://", "file:", "man:", "info:"];
    let bare = |text: &'_ String| schemes.iter().find_map(|scheme| text.strip_prefix(scheme)).map(str::to_owned);
    // Words of a command in a container are other paths on this machine.
    let passed = effect.tags.iter().filter(|(name, _)| name == "given").map(|(_, path)| path);
    let listed = |file: &str| {
        files.secret(file).filter(|_| !file.ends_with(".pub") && !file.contains(char::is_whitespace))
    };
    let named: Vec<String> = operands.flat_map(|word| [Some(word.clone()), bare(word)]).flatten().collect();
    let typed = view.command(effect).map(typed_files).unwrap_or_default();
    let found = named.iter().chain(passed).map(String::as_str).chain(typed).find_map(|file| Some((file, listed(file)?)));
    let in_options = || {
        // Another rule covers these.
        let command = view.command(effect).filter(|_| !is_program(&effect.target, READERS))?;
        values(command).find_map(|(option, file)| {
            let entry = listed(file)?;
            let is_setting = !is_key(entry) && SETTINGS.contains(&option) && !is_program(&effect.target, COMPRESSORS);
            (!is_setting && !takes_credential(&effect.target, option, entry, file)).then_some((file, entry))
        })
    };
    let (file, entry) = found.or_else(in_options)?;
    let why = format!(", and `{}` may do anything with them", shorten(&effect.target));
    let name = format!("`{}`", shorten(file));
    if let Some(listing) = own_secret_path(file) {
        let hit = Hit::new(outcome, effect, "uses ", remedy(entry)).without_summary();
        return Some(hit.naming(name, format!(", {listing}")).path(file));
    }
    Some(Hit::new(outcome, effect, HOLDS, remedy(entry)).naming(name, why).path(file))
}

/// Returns the files that a line on standard input names after a verb: `put FILE` of a client, `cat FILE` of a console.
fn typed_files(command: &Command) -> Vec<&str> {
    const VERBS: &[&str] = &[
        "cat", "copy", "get", "import", "include", "load", "open", "print", "put", "r", "read", "save", "send", "show",
        "source", "type", "upload", "write",
    ];
    let lines = command.redirections.iter().filter(|redirection| redirection.operator == "<<<").take(MOST).flat_map(|redirection| redirection.target.text.lines());
    let words = lines.take(MOST).map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.first().is_some_and(|verb| VERBS.contains(verb)) && words.len() < 5).flat_map(|words| words.into_iter().skip(1)).collect()
}

/// One of these usually names variables that a program loads, and the others its settings.
const SETTINGS: &[&str] = &["-e", "-c", "-k", "-E", "-C", "-x"];

/// Programs to which these options don't apply.
const COMPRESSORS: &[&str] = &["brotli", "lbzip2", "lzop", "pbzip2", "pigz", "pixz", "pxz"];

/// Returns the values of options that may be files, each after its option: of `-f FILE`, `-fFILE`, `--input FILE` and
/// `--input=@FILE`.
fn values(command: &Command) -> impl Iterator<Item = (&str, &str)> {
    let next = command.argv.windows(2).take(MOST).filter_map(|pair| match pair {
        [option, value] if !option.text.contains('=') => Some((option.text.as_str(), value.text.as_str())),
        _ => None,
    });
    let joined = command.argv.iter().take(MOST).filter_map(|word| word.text.split_once('='));
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let glued = command.argv.iter().take(MOST).filter_map(move |word| {
        word.text.split_at_checked(2).filter(|(option, value)| is_short(option) && !value.contains('='))
    });
    let pairs = next.filter(|(_, value)| !value.starts_with('-')).chain(joined).chain(glued);
    let pairs = pairs.filter(|(option, _)| option.starts_with('-') && !is_own_setting(option));
    pairs.map(|(option, value)| (option, value.trim_start_matches('@')))
}

/// Programs that exist to handle such files, and editors that only show them to the user.
const KEEPERS: &[&str] = &[
    "code",
    "cursor",
    "detect-secrets",
    "direnv",
    "dotenv",
    "dotenv-linter",
    "dotenvx",
    "git-crypt",
    "gitleaks",
    "idea",
    "open",
    "subl",
    "trufflehog",
    "xdg-open",
    "zed",
];

/// Returns whether the name is that of a public file: a certificate, a certificate chain, or a public key.
pub(super) fn is_certificate(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let mut words = name.trim_end_matches(".pem").split(|char: char| !char.is_ascii_alphanumeric());
    let public = ["ca", "cacert", "cert", "certificate", "chain", "crt", "fullchain", "pub", "public", "bundle"];
    let private = ["key", "privkey", "private", "priv"].iter().any(|word| name.contains(word))
        || path.contains(".cloudflared/");
    !private && !name.contains(['*', '?', '[']) && words.any(|word| public.contains(&word))
}

/// Returns whether the command uses the file without showing it: a script that loads its variables, a certificate's
/// data, a key conversion, known hosts.
fn uses_silently(effect: &Effect, view: &CallView<'_>) -> bool {
    if effect.target.rsplit('/').next() == Some("known_hosts") {
        return true;
    }
    let Some(command) = view.command(effect) else { return false };
    let first = command.word(1);
    let is_fed = command.redirections.iter().any(|redirection| redirection.target.text == effect.target);
    let is_used = || {
        let mut later = view.analysis.commands.iter().filter(|later| later.id > command.id).take(MOST);
        let mut earlier = view.analysis.commands.iter().take_while(|earlier| earlier.id < command.id).take(MOST);
        !later.any(|later| reveals(later, view)) && !earlier.any(traces) && !traces_text(view)
    };
    let has = |option: &str| command.argv.iter().any(|word| word.text == option);
    let kept = || {
        let mut pairs = command.argv.windows(2);
        pairs.any(|pair| matches!(pair, [option, file] if option.text == "-out" && view.settings.files.secret(&file.text).is_some()))
            && !has("-text")
    };
    is_loaded(effect, view) && is_used()
        || command.program() == "openssl" && !is_fed && kept()
        || command.program() == "openssl" && !is_fed && !has("-text") && (has("-noout") || has("-pubout"))
        || command.program() == "openssl" && !is_fed && matches!(first, "x509" | "verify" | "crl" | "s_client")
}

/// Returns whether the file's variables become the shell's.
fn is_loaded(effect: &Effect, view: &CallView<'_>) -> bool {
    view.command(effect).is_some_and(|command| matches!(command.word(0), "source" | "."))
}

fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "read the variable names in `.env.example`, or ask the user for what you need"
    } else {
        "ask the user for what you need"
    }
}
