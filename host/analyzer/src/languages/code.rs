//! Code in a general language on the command line: its provable effects on files.
//!
//! Languages aren't parsed here. A call with a literal path is an effect. Any other text that could affect the machine
//! makes the analysis partial. The commands that code starts are listed separately.

mod by_names;
mod data;
mod elisp;
pub(crate) mod environment;
mod loaders;
mod mentions;
mod paths;
pub(crate) mod requests;
mod scripting;
pub(crate) mod sent_variables;

use guard_sdk::secret_names::{Likelihood, likelihood};

use super::Found;
use crate::draft::Draft;

/// The effect of a call on the path in its first argument.
#[derive(Debug, Clone, Copy)]
enum CallEffect {
    /// Reads or writes, according to the mode that follows.
    Open,
    Read,
    Write,
    Delete,
    DeleteTree,
    /// Deletes the first path and writes the second.
    Move,
    /// Creates a path object. The method called on it decides.
    Path,
}

const CALLS: &[(&str, CallEffect)] = &[
    ("open(", CallEffect::Open),
    ("Path(", CallEffect::Path),
    ("os.rename(", CallEffect::Move),
    ("io.lines(", CallEffect::Read),
    ("File.write(", CallEffect::Write),
    ("File.read(", CallEffect::Read),
    ("file_put_contents(", CallEffect::Write),
    ("file_get_contents(", CallEffect::Read),
    ("unlink(", CallEffect::Delete),
    ("file.remove(", CallEffect::Delete),
    ("dir_delete(", CallEffect::DeleteTree),
    ("rm(", CallEffect::DeleteTree),
    ("fs::write(", CallEffect::Write),
    ("File::create(", CallEffect::Write),
    ("os.WriteFile(", CallEffect::Write),
    ("os.Create(", CallEffect::Write),
];

/// Words for access to files or programs, in any language.
const SINKS: &[&str] = &[
    "os.",
    "subprocess",
    "shutil",
    "open(",
    "open ",
    "unlink",
    "rmtree",
    "rmdir",
    "remove(",
    "exec",
    "system",
    "popen",
    "spawn",
    "Path(",
    "Path.",
    "pathlib",
    "File.",
    "FileUtils",
    "file_put_contents",
    "eval",
    "__import__",
    "`",
    "qx",
    "rename",
    "socket",
    "urllib",
    "requests",
    "http",
];

/// The maximum number of examined calls of one kind, and the maximum length of a path in bytes.
const MAX_CALLS: usize = 64;
const MAX_PATH: usize = 4096;

/// The maximum length of a variable's name.
const MAX_NAME: usize = 128;

/// Returns the provable effects of code run by `program`.
pub(crate) fn effects(program: &str, language: &str, text: &str, certain: bool) -> Vec<Found> {
    let mut found = Vec::new();
    data::changes(&mut found, language, text);
    if language == "elisp" {
        elisp::changes(&mut found, text);
    }
    if prints_secret(text) {
        found.push(Found::Effect(Draft::notable("read", "secret.read").tag("by", program)));
    }
    if let Some(url) = loaders::loaded(language, text) {
        let draft = Draft::destructive("execute", "execute.remote").target(&url);
        found.push(Found::Effect(draft.certain(false)));
    }
    if environment::is_sent(text) {
        found.push(Found::Effect(
            Draft::destructive("network", "secret.send").tag("what", "environment").certain(false),
        ));
    }
    // The script analyzer finds more.
    let is_read = crate::summaries::language(language).is_some();
    let own = is_read || scripting::changes(&mut found, program, language, text);
    if !own {
        path_objects(&mut found, text);
    }
    let by_names = by_names::is_for(language);
    if by_names {
        by_names::deletions(&mut found, program, text);
    }
    let is_known = |does: &CallEffect| !by_names || !matches!(does, CallEffect::Delete | CallEffect::DeleteTree);
    for (call, does) in CALLS.iter().filter(|(_, does)| !own && is_known(does)) {
        if text.match_indices(call).nth(MAX_CALLS).is_some() {
            crate::limits::reached("a program is given too many calls to follow");
        }
        for (start, _) in text.match_indices(call).take(MAX_CALLS) {
            let (before, from) = text.split_at_checked(start).unwrap_or_default();
            if before.ends_with(|c: char| {
                c.is_ascii_alphanumeric() || c == '_' || (c == '.' && matches!(*call, "unlink(" | "rm("))
            }) {
                continue;
            }
            let arguments = from.strip_prefix(call).unwrap_or_default();
            let joined = || {
                let (path, rest) = paths::read(arguments)?;
                Some((path, rest.trim_start())).filter(|(_, rest)| rest.starts_with([',', ')']))
            };
            let written = literal(arguments).map(|(path, rest)| (path.to_owned(), rest));
            if let Some((path, rest)) = written.or_else(joined) {
                let path = path.as_str();
                // R deletes folders with the same function as files.
                let tree = *call == "unlink(" && rest.split(')').next().is_some_and(|rest| rest.contains("recursive"));
                let does = if tree { &CallEffect::DeleteTree } else { does };
                apply(&mut found, program, *does, *call != "rm(", path, rest);
            }
        }
    }
    mentions::find(&mut found, program, language, text);
    if !certain || !is_read && SINKS.iter().any(|sink| text.contains(sink)) {
        found.push(Found::Unseen(format!("inline {language} code is not followed")));
    }
    found
}

/// Modes that let everyone change a file, in the syntax of several languages, and calls that change the owner.
const OPEN: &[&str] = &["0777", "0o777", "0666", "0o666", "S_IRWXO", "a+rwx", "chown(", "chownSync(", "chown "];

/// Returns whether code that changes file modes makes files world-writable, or changes their owner.
pub(crate) fn opens_all(code: &str) -> bool {
    OPEN.iter().any(|mode| code.contains(mode))
}

/// Returns the effect of such code on all files in a folder.
pub(crate) fn opened() -> Draft {
    Draft::notable("metadata", "fs.mode").flag("recursive", true).tag("mode", "777")
}

/// Prefixes of code that prints one environment variable, whose name follows.
const PRINTED: &[&str] = &[
    "print(os.environ[",
    "print(os.environ.get(",
    "print(os.getenv(",
    "console.log(process.env.",
    "console.log(process.env[",
    "puts ENV[",
    "p ENV[",
    "print $ENV{",
    "echo getenv(",
];

/// Returns whether a variable that is named like a secret is printed, as by `echo "$TOKEN"`.
fn prints_secret(text: &str) -> bool {
    let named = |behind: &str| {
        let name: String = behind.trim_start_matches(['"', '\'']).chars().take(MAX_NAME).collect();
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        // A slice of it reveals little.
        let rest = behind.trim_start_matches(['"', '\'']).get(end..).unwrap_or_default();
        let whole = !rest.trim_start_matches(['"', '\'', ']', '}']).starts_with('[');
        whole && likelihood(name.get(..end).unwrap_or_default()) == Some(Likelihood::Likely)
    };
    let evaluated = text.trim_start().strip_prefix("process.env.").is_some_and(named);
    let mut printed = PRINTED.iter().flat_map(|start| text.match_indices(start).take(MAX_CALLS));
    evaluated || printed.any(|(at, start)| text.get(at + start.len()..).is_some_and(named))
}

/// Returns the string literal at the start of the text, and the text after it, if the literal is a whole argument.
fn literal(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches(['r', 'b', 'u']);
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let (path, rest) = text.strip_prefix(quote)?.split_once(quote)?;
    let ends = rest.trim_start().starts_with([',', ')']);
    let plain = !path.is_empty() && path.len() <= MAX_PATH && !path.contains(['\\', '\n']);
    let plain = plain && !(quote != '\'' && (path.contains("#{") || path.contains("${")));
    (ends && plain).then_some((path, rest.trim_start()))
}

/// Returns the literal in the next argument.
fn second(rest: &str) -> Option<&str> {
    rest.strip_prefix(',').and_then(literal).map(|(text, _)| text)
}

fn apply(found: &mut Vec<Found>, program: &str, does: CallEffect, always: bool, path: &str, rest: &str) {
    let file = path.to_owned();
    match does {
        CallEffect::Read => found.push(Found::Read(file)),
        CallEffect::Write => found.push(Found::Write(file)),
        CallEffect::Delete => found.push(Found::Delete(file)),
        // For `rm(path, {recursive: true})` and similar calls, the options determine whether the deletion is recursive.
        CallEffect::DeleteTree if rest.starts_with(')') && !always => found.push(Found::Delete(file)),
        CallEffect::DeleteTree => found.push(Found::DeleteTree(file)),
        CallEffect::Open => found.push(open(program, file, rest)),
        CallEffect::Path => found.extend(method(file, rest)),
        CallEffect::Move => {
            found.push(Found::Delete(file));
            found.extend(second(rest).map(|path| Found::Write(path.to_owned())));
        }
    }
}

/// Reads `open(path, mode)`. In Perl's `open(F, '>path')`, the first argument isn't a literal, so it isn't found.
fn open(program: &str, file: String, rest: &str) -> Found {
    let arguments = rest.split(')').next().unwrap_or_default();
    let named =
        arguments.split_once("mode=").and_then(|(_, mode)| mode.get(1..).and_then(|m| m.split(['\'', '"']).next()));
    let mode = second(rest).or(named).unwrap_or("r");
    if !mode.contains(['w', 'a', 'x', '+']) {
        return Found::Read(file);
    }
    let draft = Draft::notable("write", "fs.write").flag("append", mode.contains('a'));
    Found::WriteAs(file, draft.flag("truncate", mode.contains('w')).tag("by", program))
}

/// Adds the effects on joined path objects, such as `(Path.home() / 'a').write_text(x)`.
fn path_objects(found: &mut Vec<Found>, text: &str) {
    let mut end = 0;
    for (at, _) in text.match_indices("Path").take(MAX_CALLS) {
        let start = text.get(..at).map_or(at, |before| before.trim_end_matches("pathlib.").trim_end_matches('(').len());
        let Some((path, rest)) = text.get(start..).filter(|_| start >= end).and_then(paths::read) else { continue };
        end = text.len() - rest.len();
        if text.get(start..end).is_some_and(|object| object.contains(['/', ',', '~']) || path.starts_with(paths::HOME))
        {
            found.extend(method(path, &format!("){}", rest.trim_start())));
        }
    }
}

/// Returns the effect of the method called on a path object.
fn method(file: String, rest: &str) -> Option<Found> {
    called(file, rest.strip_prefix(").")?)
}

/// Returns the effect of the method after the dot.
fn called(file: String, method: &str) -> Option<Found> {
    let (name, arguments) = method.split_once('(').unwrap_or((method, ""));
    match name {
        "write_text" | "write_bytes" | "touch" | "mkdir" => Some(Found::Write(file)),
        "read_text" | "read_bytes" => Some(Found::Read(file)),
        "unlink" | "rmdir" => Some(Found::Delete(file)),
        "open" => {
            let mode = literal(arguments).map_or("r", |(mode, _)| mode);
            Some(if mode.contains(['w', 'a', 'x', '+']) { Found::Write(file) } else { Found::Read(file) })
        }
        _ => None,
    }
}
