//! Commands that print the environment of this machine, of a service, or of a program that was started with secrets.

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::{Command, Word};

use super::secrets::{MAX_BEHIND, is_passed_on, is_redirected, names_variable};
use crate::languages::code;
use crate::run::Run;

/// Wrappers that start a program with secrets in its environment.
const LOADERS: &[&str] = &[
    "aws-vault",
    "chamber",
    "direnv",
    "doppler",
    "dotenv",
    "dotenvx",
    "env-cmd",
    "envchain",
    "foreman",
    "honcho",
    "infisical",
    "op",
    "railway",
    "sops",
    "teller",
];

/// Variables that every process has.
const ORDINARY: &[&str] = &["HOME", "LANG", "PATH", "PWD", "SHELL", "TERM", "USER"];

/// Words in searches for variables with secrets.
const PARTS_OF_NAMES: &[&str] = &["API", "AUTH", "CRED", "CREDS", "CREDENTIAL", "CREDENTIALS", "KEY", "KEYS", "PASS"];

/// Services whose variables are mostly keys and URLs with passwords.
pub(super) const SERVICES: &[&str] = &[
    "ANTHROPIC",
    "ATLASSIAN",
    "AWS",
    "AZURE",
    "BITBUCKET",
    "CLOUDFLARE",
    "COHERE",
    "CONFLUENCE",
    "DATABASE",
    "DATADOG",
    "DEEPSEEK",
    "DIGITALOCEAN",
    "DISCORD",
    "FIGMA",
    "GEMINI",
    "GITHUB",
    "GITLAB",
    "GROQ",
    "HEROKU",
    "HUGGINGFACE",
    "JIRA",
    "LINEAR",
    "MAILGUN",
    "MISTRAL",
    "MONGO",
    "MONGODB",
    "MYSQL",
    "NOTION",
    "OPENAI",
    "OPENROUTER",
    "PLAID",
    "POSTGRES",
    "REDIS",
    "SENDGRID",
    "SENTRY",
    "SLACK",
    "SMTP",
    "SNOWFLAKE",
    "SNYK",
    "STRIPE",
    "SUPABASE",
    "TELEGRAM",
    "TWILIO",
    "VERCEL",
];

/// Returns whether the command prints variables that are mostly secrets.
pub(super) fn is_printed(run: &Run<'_>) -> bool {
    let words = run.arguments();
    let first = words.first().map_or("", |word| word.text.as_str());
    let has = |text: &str| words.iter().any(|word| word.text == text);
    let form = match run.name.as_str() {
        "env" | "printenv" => {
            let is_all = words.is_empty() && (is_in_service(run) || is_loaded(run));
            let is_value = run.name == "printenv" && !words.iter().all(|word| ORDINARY.contains(&word.text.as_str()));
            let is_of_platform = is_on_platform(run) && are_of_platform(run);
            (is_of_platform || is_all) && !is_searched(run)
                || is_value && is_loaded(run)
                || words.is_empty() && is_paged(run)
        }
        "export" | "declare" | "typeset" => words.len() == 1 && matches!(first, "-p" | "-xp" | "-px") && is_shown(run),
        "get" | "list" => is_loaded_by(run, &["dotenv"]),
        "python" | "python3" => {
            first == "-m" && words.get(1).is_some_and(|word| word.text == "dotenv") && (has("get") || has("list"))
        }
        "systemctl" => is_shown(run) && (has("show-environment") || has("show") && shows_property(run, "Environment")),
        "launchctl" => {
            first == "export"
                || first == "getenv" && words.get(1).is_some_and(|word| is_likely(&word.text)) && is_shown(run)
        }
        "docker" | "podman" | "nerdctl" => has("inspect") && (is_formatted(run) || is_picked_behind(run)),
        // The option's value is the command that runs in the machine.
        "fly" | "flyctl" => {
            let starts = words.windows(2).filter(
                |pair| matches!(pair.first(), Some(option) if matches!(option.text.as_str(), "-C" | "--command")),
            );
            has("ssh")
                && starts
                    .filter_map(|pair| pair.get(1))
                    .any(|command| matches!(command.text.as_str(), "env" | "printenv"))
        }
        // Their expressions can read the environment.
        "jq" | "gojq" => is_filtered(run),
        "yq" => words.iter().any(|word| names_variable(&word.text, &["env("])),
        "awk" | "gawk" | "mawk" => words.iter().any(|word| {
            names_variable(&word.text, &["ENVIRON[\""]) && word.text.contains("print")
                || code::environment::is_printed(&word.text)
        }),
        _ => false,
    };
    form && !is_redirected(run) || is_searched_for_secrets(run)
}

pub(super) fn is_shown(run: &Run<'_>) -> bool {
    let position = &run.command.position;
    let is_captured = position.within.iter().any(|place| place == "substitution" || place == "process");
    !is_captured && (position.length < 2 || is_passed_on(run) && !is_searched(run))
}

/// Programs that print their whole input, perhaps in another order or format.
const PAGERS: &[&str] =
    &["bat", "cat", "column", "fold", "head", "less", "more", "most", "nl", "pr", "sort", "tac", "tail", "uniq"];

/// Returns whether all of the output is sorted, formatted or paged. Without such a pipe, a script mostly logs its
/// environment.
fn is_paged(run: &Run<'_>) -> bool {
    let rest = run.command.position.length.saturating_sub(run.command.position.index + 1);
    let is_captured = run.command.position.within.iter().any(|place| place == "substitution" || place == "process");
    let shows = |command: &Command| {
        PAGERS.contains(&command.program())
            && !command.redirections.iter().any(|found| found.operator.contains('>') && matches!(found.fd, 1 | -1))
            && !command.argv.iter().any(|word| word.text.starts_with("-o") || word.text == "-c")
    };
    rest > 0 && !is_captured && u32::try_from(behind(run).count()) == Ok(rest) && behind(run).all(shows)
}

/// Returns whether a later stage of the pipeline selects a part of the output.
fn is_searched(run: &Run<'_>) -> bool {
    behind(run).any(|command| matches!(command.program(), "grep" | "awk" | "sed" | "cut" | "jq" | "wc"))
}

/// Returns the commands after this one in its pipeline.
fn behind<'a>(run: &Run<'a>) -> impl Iterator<Item = &'a Command> + use<'a> {
    let pipeline = run.command.position.pipeline;
    let id = usize::try_from(run.command.id).unwrap_or_default();
    let next = run.commands.get(id..).unwrap_or_default().iter().take(MAX_BEHIND);
    next.filter(move |command| command.position.pipeline == pipeline)
}

fn is_loaded(run: &Run<'_>) -> bool {
    is_loaded_by(run, LOADERS)
}

fn is_loaded_by(run: &Run<'_>, loaders: &[&str]) -> bool {
    run.command.via.last().is_some_and(|via| {
        let is_given_file = via.kind == "uv" && via.detail.contains(".env");
        loaders.contains(&via.kind.as_str()) || is_given_file && loaders.len() > 1
    })
}

fn is_likely(name: &str) -> bool {
    likelihood(name) == Some(Likelihood::Likely)
}

/// Returns whether the command runs inside a container of a service. The environment of such a container
/// mostly contains passwords.
fn is_in_service(run: &Run<'_>) -> bool {
    let place = run.commands.partition_point(|command| command.id < run.command.id);
    let starts = run.commands.get(..place).unwrap_or_default().iter().rev().take(MAX_BEHIND);
    let mut starts = starts.filter(|command| {
        matches!(command.program(), "docker" | "podman" | "kubectl" | "oc" | "nerdctl" | "docker-compose")
    });
    let has = |command: &Command, word: &str| command.argv.iter().any(|given| given.text == word);
    // Compose also gives a new container of a service its variables.
    let is_of_service = |command: &Command| {
        let composes = has(command, "compose") || command.program() == "docker-compose";
        has(command, "exec") || composes && has(command, "run")
    };
    run.is_via("container") && starts.next().is_some_and(is_of_service)
}

/// Platforms that pass passwords and keys to programs in the environment.
const PLATFORMS: &[&str] = &["aws", "az", "cf", "dokku", "heroku", "nomad", "platform", "render", "scalingo", "upsun"];

/// Returns whether the command runs on such a platform.
fn is_on_platform(run: &Run<'_>) -> bool {
    run.command.via.iter().any(|via| via.kind == "ssh" && PLATFORMS.contains(&via.detail.as_str()))
}

/// Returns whether all words are options of the platform's own tool, which accepts them anywhere: `heroku run env -a
/// app`.
fn are_of_platform(run: &Run<'_>) -> bool {
    let mut words = run.arguments().iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-a" | "--app" | "-r" | "--remote" | "--region" | "-s" | "--size" => drop(words.next()),
            _ if word.starts_with("--app=") || word.starts_with("--remote=") => {}
            _ => return false,
        }
    }
    true
}

/// Returns whether `-p NAME`, `-pNAME` or `--property=NAME` is present.
fn shows_property(run: &Run<'_>, name: &str) -> bool {
    run.arguments().iter().any(|word| {
        let value =
            word.text.strip_prefix("--property=").or_else(|| word.text.strip_prefix("-p")).unwrap_or(&word.text);
        value.split(',').any(|property| property == name)
    })
}

/// Returns whether a format prints a container's settings, including its variables.
fn is_formatted(run: &Run<'_>) -> bool {
    run.arguments().iter().any(|word| word.text.contains("Config.Env") || word.text.contains(".Config}"))
}

/// Returns whether the next program extracts the variables from a container's description.
fn is_picked_behind(run: &Run<'_>) -> bool {
    behind(run).next().is_some_and(|command| command.argv.iter().any(|word| word.text.contains(".Config.Env")))
}

/// Returns whether a `jq` filter prints the environment, or a variable whose name suggests a secret.
fn is_filtered(run: &Run<'_>) -> bool {
    let words = run.arguments();
    let befores = std::iter::once("").chain(words.iter().map(|word| word.text.as_str()));
    let is_whole = |text: &str| {
        let first = text.split(['|', '[', ',']).next().unwrap_or_default().trim();
        matches!(first, "env" | "$ENV") && !text.contains("keys") && !text.contains("has(")
    };
    let mut pairs = words.iter().zip(befores);
    // After these options comes a name.
    pairs.any(|(word, before)| {
        !before.starts_with("--arg") && (is_whole(&word.text) || names_variable(&word.text, &["$ENV.", "env."]))
    })
}

/// Returns whether the command's listing is searched for the name of a secret, and the matching lines are printed.
fn is_searched_for_secrets(run: &Run<'_>) -> bool {
    let words = run.arguments();
    let first = words.first().map_or("", |word| word.text.as_str());
    let has = |text: &str| words.iter().any(|word| word.text == text);
    let lists = match run.name.as_str() {
        "env" | "printenv" | "set" => words.is_empty(),
        "export" | "declare" | "typeset" => {
            words.is_empty() || words.len() == 1 && matches!(first, "-p" | "-x" | "-xp")
        }
        // The history also contains passwords and tokens.
        "history" => words.iter().all(|word| word.text.bytes().all(|byte| byte.is_ascii_digit())),
        "fc" => first == "-l",
        "systemctl" => has("show-environment"),
        "launchctl" => first == "export",
        // The rendered file contains the values of variables.
        "docker" | "docker-compose" | "podman-compose" => has("config") && (run.name != "docker" || has("compose")),
        _ => false,
    };
    let is_captured = run.command.position.within.iter().any(|place| place == "substitution" || place == "process");
    if !lists || is_captured || !is_passed_on(run) {
        return false;
    }
    // Pagers and `sort` don't change the lines.
    let mut next = behind(run).skip_while(|command| PAGERS.contains(&command.program()));
    let Some(search) = next.next() else { return false };
    // These can print only the name before the `=`.
    let cuts = |command: &Command| matches!(command.program(), "cut" | "sed" | "awk");
    shows_lines_with_secrets(search) && !next.any(cuts)
}

/// Returns whether a search prints whole lines that name a secret: `grep TOKEN`, `awk '/TOKEN/'`, `sed -n '/TOKEN/p'`.
fn shows_lines_with_secrets(search: &Command) -> bool {
    let mut words = search.argv.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let has = |option: &str| search.argv.iter().any(|word| word.text == option);
    match search.program() {
        "grep" | "egrep" | "fgrep" | "rg" => words.any(|word| names_secret(&word.text)) && !has("-v"),
        // An action may print only the name.
        "awk" | "gawk" | "mawk" => words.any(|word| {
            let (pattern, action) = word.text.split_once('{').unwrap_or((&word.text, ""));
            let shows = ["", "print}", "$0", "$2", "$NF"].iter().any(|sign| match *sign {
                "" => action.is_empty(),
                sign => action.replace(' ', "").contains(sign),
            });
            shows && names_secret(pattern)
        }),
        "sed" | "gsed" => {
            let prints = |word: &Word| word.text.starts_with('/') && word.text.ends_with("/p");
            has("-n") && words.any(|word| prints(word) && names_secret(&word.text))
        }
        _ => false,
    }
}

/// Returns whether a pattern contains a word that suggests a variable with a secret.
fn names_secret(pattern: &str) -> bool {
    let mut names =
        pattern.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').filter(|name| name.len() > 2);
    names.any(|name| {
        let name = name.to_ascii_uppercase();
        let bare = name.trim_matches('_');
        is_likely(&name) || PARTS_OF_NAMES.contains(&bare) || SERVICES.contains(&bare)
    })
}
