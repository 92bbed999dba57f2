//! `secret-mentioned`: a file with secrets as an argument of a known program, if guard-host doesn't know what the
//! program does with it.
//! Programs that only look at names, or that need such a file for their own work, pass.
//!
//! ## Why
//! Many programs print a file that they can't parse, or send it somewhere.
//!
//! ## Examples
//! - asked: `dig -f .env`
//! - asked: `duckdb -c "from read_csv('.env')"`
//! - passes: `docker run --env-file .env image`
//! - passes: `test -f .env`
//! - passes: `git check-ignore .env`
//!
//! ## Instead
//! Read the variable names in `.env.example`, or ask the user for what you need.
//!
//! ## Settings
//! - `secret-reads`: `allow` turns the rule off.
//! - `files.blocked`, `files.exempt`: the files with secrets.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};
use guard_sensitive_paths::own_secret_path;

use super::{Check, is_program};
use crate::call_view::{CallView, Hit, shorten};
use crate::credential_options::{is_own_setting, takes_credential};
use crate::secret_use::MOST;

pub(crate) const RULE: Rule = Rule {
    id: "secret-mentioned",
    summary: "a file with secrets passed to a program for no known purpose",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let outcome = view.settings.secret_reads.outcome()?.min(Outcome::Ask);
    let commands = &view.analysis.commands;
    let (command, file) = commands.iter().take(MOST).find_map(|command| Some((command, mentioned_secret(command, view)?)))?;
    let why = format!("`{}` can print or send what is in ", shorten(command.program()));
    let remedy = "read the names in `.env.example`, or ask the user for what you need";
    let hit = Hit::for_command(outcome, command.id, why, remedy);
    let name = format!("`{}`", shorten(&file));
    Some(match own_secret_path(&file) {
        Some(listing) => hit.naming(name, format!(", {listing}")).path(&file).without_summary(),
        None => hit.naming(name, "").path(&file),
    })
}

/// Returns the secret file among a command's words that no effect explains.
fn mentioned_secret(command: &Command, view: &CallView<'_>) -> Option<String> {
    let program = command.program();
    // The words of a remote command are paths on another machine.
    let is_elsewhere = || command.via.iter().any(|via| matches!(via.kind.as_str(), "ssh" | "container"));
    if program.is_empty() || is_elsewhere() {
        return None;
    }
    let own = command.argv.get(..own_word_count(command, &view.analysis.commands))?;
    let words = own.iter().take(MOST).map(|word| word.text.as_str());
    let befores = std::iter::once("").chain(own.iter().map(|word| word.text.as_str()));
    let mut found = words.zip(befores).skip(1).filter_map(|(word, before)| secret_in_word(word, before, program, view));
    let file = found.next()?;
    (!is_explained(command, view)).then_some(file)
}

/// Returns the secret file that a word names, after a sign or within a statement.
fn secret_in_word(word: &str, before: &str, program: &str, view: &CallView<'_>) -> Option<String> {
    let option = if word.starts_with('-') { word } else { before };
    let given = option.split('=').next().unwrap_or(option);
    let lists = READING_OPTIONS.contains(&given)
        || OPTIONS_OF.iter().any(|(name, reading)| *name == program && *reading == given);
    let is_read = lists || word.starts_with('@');
    if is_program(program, QUIET) && !is_read || is_own_setting(option) && !lists {
        return None;
    }
    let glued = word.get(2..).filter(|_| word.starts_with('-') && !word.starts_with("--"));
    let behind = word.split_once('=').map(|(_, value)| value);
    let whole = (!word.starts_with('-')).then(|| word.trim_start_matches('@'));
    let is_name = |text: &&str| !text.is_empty() && !text.contains(char::is_whitespace);
    let is_secret = |text: &&str| {
        let text = text.trim_start_matches('@');
        let prints = is_read || is_program(program, READERS);
        !text.ends_with(".pub")
            && view.settings.files.secret(text).is_some_and(|entry| prints || !takes_credential(program, option, entry, text))
    };
    let mut paths = whole.into_iter().chain(behind).chain(glued).filter(is_name);
    let statement = word.contains([' ', '\t', '\n', '(']) && is_program(program, STATEMENTS);
    let parts = word.split(|c: char| c.is_whitespace() || "'\"`()<>,;".contains(c)).filter(|_| statement);
    let file = paths.find(is_secret).or_else(|| parts.take(MOST).filter(is_name).find(is_secret))?;
    Some(file.trim_start_matches('@').to_owned())
}

/// Returns whether an effect of the command, or of one that it starts, explains the use of such a file.
fn is_explained(command: &Command, view: &CallView<'_>) -> bool {
    let tells = |kind: &str| matches!(kind, "read" | "write" | "delete" | "metadata" | "network" | "vcs");
    let mut effects = view.analysis.effects.iter();
    effects.any(|effect| {
        effect.command_id == command.id
            && (effect.operation == "execute.unknown"
                && !is_program(command.program(), READERS)
                && !is_program(command.program(), STATEMENTS)
                || effect.operation.starts_with("secret.")
                || tells(&effect.kind) && view.settings.files.find_secret(effect).is_some())
    })
}

/// Returns the number of the command's own words. The last words may belong to a command that it starts.
fn own_word_count(command: &Command, commands: &[Command]) -> usize {
    let count = command.argv.len();
    let starts_with_these = |started: &&Command| {
        let own = count.saturating_sub(started.argv.len());
        let rest = command.argv.get(own..).unwrap_or_default();
        started.parent == command.id
            && !started.argv.is_empty()
            && own > 0
            && rest.iter().zip(&started.argv).all(|(one, other)| one.text == other.text)
    };
    let after = commands.partition_point(|other| other.id <= command.id);
    let next = commands.get(after..).unwrap_or_default().iter().take_while(|other| other.parent >= command.id);
    next.take(STARTED).find(starts_with_these).map_or(count, |started| count - started.argv.len())
}

/// The number of started commands that are checked for the command's own words.
const STARTED: usize = 8;

/// Options whose value is a file that the program reads line by line.
const READING_OPTIONS: &[&str] = &[
    "--arg-file", "--data-binary", "--file0-from", "--files-from", "--files0-from", "--input-file", "--pathspec-from-file",
    "--blob", "-iL",
];

/// Options of single programs that print the file, or the lines with errors.
const OPTIONS_OF: &[(&str, &str)] = &[
    ("file", "-f"), ("ssh", "-F"), ("scp", "-F"), ("sftp", "-F"), ("code", "--diff"), ("code", "-d"), ("cursor", "--diff"),
    ("ssh-keyscan", "-f"), ("file", "-m"), ("nginx", "-c"), ("openvpn", "--config"), ("setfacl", "--restore"), ("setfacl", "-M"),
    ("tree", "--fromfile"), ("tar", "-T"), ("bash", "--rcfile"), ("bash", "--init-file"), ("diff", "--from-file"), ("diff", "--to-file"),
];

/// Programs without a description that print or send a file's content.
pub(super) const READERS: &[&str] = &[
    "ab", "aspell", "code", "cowsay", "cursor", "dialog", "elinks", "ffmpeg", "ffprobe", "ffmpeg", "ffprobe", "fping", "groff", "hping3", "iftop", "links", "lynx", "magick", "masscan", "nmap", "octave", "octave-cli", "parallel", "pr", "siege", "tftp", "tic", "troff", "units", "vegeta", "w3m", "whiptail", "wrk", "xargs", "zbarimg",
];

/// Programs that run statements, which may name files.
const STATEMENTS: &[&str] = &[
    "bb", "clickhouse", "clickhouse-client", "clickhouse-local", "clojure", "crystal", "duckdb", "elixir", "erl", "gdb",
    "gjs", "groovy", "guile", "iex", "jshell", "julia", "kotlin", "lldb", "mariadb", "mysql", "mysqlsh", "nim", "nix",
    "nix-instantiate", "ocaml", "octave", "octave-cli", "psql", "qjs", "racket", "raku", "rscript", "runghc", "sbcl", "scala",
    "smbclient", "sqlite3", "swift", "tclsh",
];

/// Programs that only use names, load the file for another program, keep it for themselves, or store it, and programs
/// whose effects on files are described elsewhere.
const QUIET: &[&str] = &[
    "7z", "7za", "7zz", ":", "[", "[[", "age", "alias", "ansible", "ansible-playbook", "ansible-vault", "awk", "aws", "az", "b2sum", "base64", "basename", "bash", "bat", "brew", "bun", "bw", "caddy", "cargo", "cat", "cd", "certbot", "chattr", "chgrp", "chmod", "chown", "cksum", "cmp", "code", "codesign", "colordiff", "command", "compgen", "cp", "curl", "cursor", "cut", "dart", "dash", "dd", "declare", "deno", "detect-secrets", "df", "diff", "direnv", "dirname", "docker", "docker-compose", "doctl", "dotenv", "dotenvx", "dotnet", "du", "echo", "egrep", "emacs", "env", "env-cmd", "eval", "exa", "exit", "export", "eza", "false", "fd", "fdfind", "fgrep", "file", "find", "firebase", "flutter", "fly", "flyctl", "for", "foreman", "gawk", "gcloud", "getfacl", "gh", "git", "git-crypt", "gitleaks", "glab", "go", "gojq", "gpg", "gpg2", "gradle", "grep", "gsutil", "hash", "head", "helm", "helmfile", "heroku", "hexdump", "honcho", "idea", "install", "jarsigner", "java", "jq", "kamal", "keytool", "kubectl", "kubeseal", "kustomize", "less", "ln", "local", "locate", "ls", "lsattr", "lsd", "lsof", "make", "mawk", "md5sum", "mdfind", "mkcert", "mkdir", "mktemp", "mlocate", "more", "mosh", "mv", "mvn", "nano", "nerdctl", "netlify", "nginx", "node", "npm", "npx", "nvim", "oc", "od", "op", "open", "openssl", "openvpn", "overmind", "perl", "php", "pip", "plocate", "pnpm", "podman", "poetry", "printf", "pulumi", "pushd", "pwsh", "pytest", "python", "python2", "python3", "railway", "readlink", "readonly", "realpath", "redis-cli", "return", "rg", "rm", "rmdir", "rsync", "ruby", "sam", "scp", "secret-tool", "security", "sed", "serverless", "set", "setfacl", "sftp", "sh", "sha1sum", "sha256sum", "shasum", "shift", "shred", "sops", "sort", "source", "split", "ssh", "ssh-add", "ssh-copy-id", "ssh-keygen", "sshfs", "stat", "strings", "subl", "supabase", "tail", "tar", "tee", "terraform", "test", "tofu", "touch", "tr", "trash", "tree", "true", "trufflehog", "truncate", "type", "typeset", "uniq", "unlink", "unset", "unzip", "uv", "vagrant", "vault", "vercel", "vi", "view", "vim", "wc", "wg-quick", "wget", "which", "wrangler", "xcodebuild", "xdg-open", "xxd", "yarn", "yq", "zed", "zgrep", "zip", "zsh",
];
