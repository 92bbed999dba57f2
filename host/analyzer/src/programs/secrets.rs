//! Commands that print a secret without reading a file that they name: keys, tokens, stored passwords.
//!
//! Uses a table of programs with the required words, and names of variables that suggest a secret.

mod printing;
mod services;
mod resolved;
mod shown;

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::{Command, Redirection, Word};

use super::environment;
use crate::draft::Draft;
use crate::options::Operand;
use crate::run::Run;
use printing::PRINTS;
pub(crate) use resolved::{chooses_a_part, prints_resolved};
pub(crate) use shown::{named_secrets, shown_secrets};

/// Output formats that print an object with all its values.
const WHOLE: &[&str] = &[
    "json",
    "yaml",
    "jsonpath",
    "go-template",
    "template",
    "-ojson",
    "-oyaml",
    "-o=json",
    "-o=yaml",
    "--output=json",
    "--output=yaml",
    "-ojsonpath",
    "--template",
    "custom-columns",
    "jsonpath-as-json",
    "go-template-file",
];

/// Subcommands of `pass` that print no secret. Any other first word is the name of an entry.
const PASS_VERBS: &[&str] = &[
    "ls", "list", "find", "search", "insert", "add", "edit", "generate", "rm", "remove", "delete", "mv", "rename",
    "cp", "copy", "git", "init", "help", "version", "show",
];

/// Adds `secret.read` if the command prints a secret.
pub(super) fn find(run: &mut Run<'_>) {
    let words = run.arguments();
    let says = |wanted: &str| words.iter().any(|word| word.text.eq_ignore_ascii_case(wanted));
    let gives = |option: &&str| {
        let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
        let clustered = |word: &str, letter: &str| {
            word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.len() < 4 && rest.contains(letter))
        };
        words.iter().any(|word| {
            let name = word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name);
            word.text == *option || name == *option || letter.is_some_and(|letter| clustered(&word.text, letter))
        })
    };
    // Aliases of programs in the table.
    let same = match run.name.as_str() {
        "oc" | "k" | "kubecolor" => "kubectl",
        "gpg2" => "gpg",
        "flyctl" => "fly",
        "pnpm" => "npm",
        "litecoin-cli" | "dogecoin-cli" | "dash-cli" => "bitcoin-cli",
        name => name,
    };
    let (script, _) = services::program(run);
    let prints = PRINTS.iter().any(|(program, wanted, options)| {
        (*program == run.name || *program == same || *program == script)
            && wanted.iter().all(|word| says(word))
            && (options.is_empty() || options.iter().any(gives))
    });
    reads_into_print(run);
    let prints =
        prints || prints_variable(run) || prints_by_form(run) || environment::is_printed(run) || prints_by_verb(run);
    let prints = prints || services::prints(run);
    let is_entry = |word: &Word| !word.text.starts_with('-') && !PASS_VERBS.contains(&word.text.as_str());
    let entry = run.name == "pass" && words.first().is_some_and(is_entry);
    if !(prints && !says("--help") && !says("--only-names") || entry && words.len() == 1) {
        return;
    }
    run.prints_secret();
    if !is_taken_in(run) && !is_hidden(run) {
        let by = run.name.clone();
        run.emit(Draft::notable("read", "secret.read").tag("by", &by));
    }
}

/// Adds reads of the files that a command prints as a part of an object, or by an expression of its own language.
fn reads_into_print(run: &mut Run<'_>) {
    let words = run.arguments();
    let says = |wanted: &str| words.iter().any(|word| word.text == wanted);
    let files: Vec<Operand<'_>> = match run.name.as_str() {
        "kubectl" | "oc" if says("create") && words.iter().any(|word| is_form(&word.text)) => {
            let given = |word: &'_ Word| {
                let options = ["--from-file=", "--from-env-file="];
                let value = options.iter().find_map(|option| word.text.strip_prefix(option))?;
                Some(value.rsplit('=').next().unwrap_or(value).to_owned())
            };
            words.iter().filter_map(|word| Some(Operand::of(word).renamed(given(word)?))).collect()
        }
        "nix" | "nix-instantiate" => {
            let given = |word: &'_ Word| {
                let path = word.text.split_once("readFile ")?.1.trim_start().trim_start_matches(['(', '"']);
                let end = path.find([' ', ')', ';', '"']).unwrap_or(path.len());
                path.get(..end).map(str::to_owned)
            };
            words.iter().filter_map(|word| Some(Operand::of(word).renamed(given(word)?))).collect()
        }
        _ => return,
    };
    files.iter().take(MAX_VARIABLES).for_each(|file| run.read(file));
}

/// Returns whether an output format prints the whole object.
fn is_form(text: &str) -> bool {
    WHOLE.contains(&text.trim_start_matches("--output=").trim_start_matches("-o="))
}

/// Returns whether the command's output isn't shown: it is assigned to a variable, or is the password of a registry
/// login.
fn is_taken_in(run: &Run<'_>) -> bool {
    let position = &run.command.position;
    let id = usize::try_from(run.command.id).unwrap_or_default();
    let after = run.commands.get(id..).unwrap_or_default().iter().take(MAX_BEHIND);
    let mut next = after.filter(|command| command.position.pipeline == position.pipeline);
    let logs_in = next.any(|command| {
        command.position.index == position.index + 1 && command.argv.iter().any(|word| word.text == "--password-stdin")
    });
    let parent = usize::try_from(run.command.parent).ok().and_then(|id| run.commands.get(id.checked_sub(1)?));
    let is_assigned = parent.filter(|_| position.length < 2 || is_passed_on(run)).is_some_and(|parent| {
        let declares = matches!(parent.program(), "export" | "local" | "declare" | "readonly" | "typeset");
        let is_argument = parent.argv.iter().any(|word| word.parts.iter().any(|part| part.kind == "command"));
        position.within.last().is_some_and(|place| place == "substitution") && (declares || !is_argument)
    });
    logs_in || is_assigned
}

/// Programs whose output doesn't reveal a secret in their input.
pub(crate) const CONDENSING: &[&str] =
    &["wc", "test", "[", "cmp", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "b2sum", "cksum", "read"];

/// Returns whether the output goes to `/dev/null`, or to a program that prints only names, a count or a digest of it.
fn is_hidden(run: &Run<'_>) -> bool {
    let mut outputs = run.command.redirections.iter().filter(|found| takes_output(found)).peekable();
    if outputs.peek().is_some() {
        return outputs.all(|found| found.target.text == "/dev/null");
    }
    let position = &run.command.position;
    let id = usize::try_from(run.command.id).unwrap_or_default();
    let mut after = run.commands.get(id..).unwrap_or_default().iter().take(MAX_BEHIND);
    let next =
        after.find(|next| next.position.pipeline == position.pipeline && next.position.index == position.index + 1);
    next.is_some_and(|next| match next.program() {
        "grep" | "egrep" | "fgrep" | "rg" => {
            let options = next.argv.iter().skip(1).take_while(|word| word.text.starts_with('-'));
            options.into_iter().any(|word| is_quiet(&word.text))
        }
        "jq" | "gojq" => {
            let mut filters = next.argv.iter().skip(1).filter(|word| !word.text.starts_with('-'));
            filters.next().is_some_and(|filter| prints_names(&filter.text)) && filters.next().is_none()
        }
        "cut" => matches!(next.argv.get(1..), Some([by, field]) if by.text == "-d=" && field.text == "-f1"),
        program => CONDENSING.contains(&program),
    })
}

/// Returns whether the option makes `grep` print a count or nothing.
fn is_quiet(option: &str) -> bool {
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-') && !letters.contains(['e', 'f']));
    matches!(option, "--quiet" | "--silent" | "--count") || letters.is_some_and(|it| it.contains(['q', 'c']))
}

/// Returns whether a filter of `jq` gives only the names or the number of a value's members.
fn prints_names(filter: &str) -> bool {
    let last = filter.rsplit('|').next().unwrap_or_default().trim();
    matches!(last, "keys" | "keys[]" | "keys_unsorted" | "keys_unsorted[]" | "length") && !filter.contains([',', '('])
}

/// The maximum number of commands that are searched for later stages of a pipeline.
pub(super) const MAX_BEHIND: usize = 8;

/// Programs that print their input or a part of it.
const PASSING: &[&str] = &[
    "awk", "base64", "cat", "column", "cut", "fold", "grep", "head", "hexdump", "jq", "nl", "od", "rev", "sed", "sort",
    "strings", "tac", "tail", "tee", "tr", "xxd",
];

/// Returns whether all later stages of the pipeline print their input, and the last one doesn't redirect its output.
pub(super) fn is_passed_on(run: &Run<'_>) -> bool {
    let position = &run.command.position;
    let id = usize::try_from(run.command.id).unwrap_or_default();
    let after = run.commands.get(id..).unwrap_or_default().iter().take(MAX_BEHIND);
    let after = || after.clone().filter(|command| command.position.pipeline == position.pipeline);
    let passes = |command: &Command| {
        PASSING.contains(&command.program())
            && !(command.program() == "grep" && command.argv.iter().any(|word| is_quiet(&word.text)))
            && !command.redirections.iter().any(|found| found.operator.contains('>') && matches!(found.fd, 1 | -1))
    };
    let rest = position.length.saturating_sub(position.index + 1);
    u32::try_from(after().count()) == Ok(rest) && after().all(passes)
}

pub(super) fn is_redirected(run: &Run<'_>) -> bool {
    run.command.redirections.iter().any(takes_output)
}

/// Returns whether the redirection applies to standard output.
pub(crate) fn takes_output(found: &Redirection) -> bool {
    found.operator.contains('>') && matches!(found.fd, 1 | -1)
}

/// Returns whether the command prints a secret because of a combination of words.
fn prints_by_form(run: &Run<'_>) -> bool {
    let words = run.arguments();
    let has =
        |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.text.split('=').next().unwrap_or_default()));
    let is_secret = |kind: &str| matches!(kind, "secret" | "secrets");
    match run.name.as_str() {
        "ps" if words.first().is_some_and(|word| word.text.starts_with('-') && word.text.contains('E')) => true,
        "age" | "rage" => {
            let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.text.as_str()));
            has(&["-d", "--decrypt"]) && !has(&["-o", "--output"]) && !is_redirected(run)
        }
        // Decrypted text goes to the terminal if it isn't redirected.
        "gpg" | "gpg2" => {
            let cluster = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.len() < 6;
            let letter = |letter: char| words.iter().any(|word| cluster(&word.text) && word.text.contains(letter));
            let is_shown = run.command.position.length < 2 || is_passed_on(run);
            // Long names can be abbreviated.
            if words.iter().any(|word| word.text.starts_with("--export-secret-")) {
                return true;
            }
            (has(&["--decrypt"]) || letter('d'))
                && !(has(&["--output", "--list-only"]) || letter('o'))
                && is_shown
                && !is_redirected(run)
        }
        "deno" => words.iter().any(|word| names_variable(&word.text, &["Deno.env.get(\"", "Deno.env.get('"])),
        "poetry" => {
            let is_token = |text: &str| text.starts_with("pypi-token.") || text.starts_with("http-basic.");
            matches!(words, [verb, name] if verb.text == "config" && is_token(&name.text))
        }
        // Without a dash, `e` shows the environment of every process.
        "ps" => words
            .first()
            .is_some_and(|word| word.text.contains('e') && word.text.bytes().all(|byte| byte.is_ascii_lowercase())),
        // Both hide sensitive values in other formats. A program behind a pipe selects a part.
        "terraform" | "tofu" if run.command.position.length < 2 && !is_redirected(run) => {
            // Global options come before the subcommand: `-chdir=DIR`.
            let options = words.iter().take_while(|word| word.text.starts_with('-')).count();
            let words = words.get(options..).unwrap_or_default();
            let leads = |at: usize, verb: &str| words.get(at).is_some_and(|word| word.text == verb);
            leads(0, "output")
                && (has(&["-json", "--json"])
                    || words.iter().any(|word| likelihood(&word.text) == Some(Likelihood::Likely)))
                || leads(0, "state") && leads(1, "pull")
                // Without a plan file, `show` prints the state.
                || leads(0, "show") && has(&["-json"]) && words.iter().skip(1).all(|word| word.text.starts_with('-'))
        }
        // `secret/x` and `cm,secret` also name the kind, and the value of `-o` can be in the same word.
        "kubectl" | "oc" if has(&["--raw"]) => words.iter().any(|word| word.text.contains("/secrets")),
        "kubectl" | "oc" => {
            let whole = words.iter().any(|word| {
                let form = word.text.trim_start_matches("--output=").trim_start_matches("-o=");
                WHOLE.contains(&form)
                    || ["jsonpath=", "go-template=", "custom-columns=", "template="]
                        .iter()
                        .any(|start| form.starts_with(start))
            });
            let joined = words.iter().any(|word| {
                let kinds = word.text.split(['/', '.']).next().unwrap_or_default();
                word.text.contains(['/', ',', '.']) && !word.text.starts_with('-') && kinds.split(',').any(is_secret)
            });
            whole && joined && has(&["get"])
        }
        "npm" | "pnpm" => {
            has(&["get"]) && words.iter().any(|word| word.text.ends_with(":_authToken") || word.text == "_authToken")
        }
        name => name.starts_with("docker-credential-") && words.first().is_some_and(|word| word.text == "get"),
    }
}

/// Returns whether the program's verbs suggest that it prints a secret, and its output isn't redirected.
fn prints_by_verb(run: &Run<'_>) -> bool {
    super::secret_verbs::prints(run) && !is_redirected(run)
}

/// Returns whether a text contains one of these signs, directly followed by a variable whose name suggests a secret.
pub(super) fn names_variable(text: &str, signs: &[&str]) -> bool {
    let is_secret = |name: &str| likelihood(name) == Some(Likelihood::Likely);
    let end = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    signs.iter().any(|sign| {
        let mut rests = text.split(sign).skip(1).take(MAX_VARIABLES);
        rests.any(|rest| rest.get(..end(rest)).is_some_and(is_secret))
    })
}

/// Calls with which code prints.
const PRINTERS: &[&str] = &["print(", "print ", "console.log(", "puts ", "echo "];

/// The maximum number of variables that are examined in a word.
const MAX_VARIABLES: usize = 16;

/// Returns whether a variable whose name suggests a secret is printed, and the output isn't captured or redirected.
fn prints_variable(run: &Run<'_>) -> bool {
    let position = &run.command.position;
    let is_shown = position.length < 2 || position.index + 1 == position.length || is_passed_on(run);
    let is_kept = is_redirected(run);
    let is_captured = position.within.iter().any(|place| place == "substitution" || place == "process");
    if !is_shown || is_kept || is_captured {
        return false;
    }
    let names_secret = |name: &str| likelihood(name) == Some(Likelihood::Likely);
    let mut words = run.arguments().iter();
    match run.name.as_str() {
        "printenv" => words.any(|word| names_secret(&word.text)),
        "declare" | "typeset" if run.command.word(1) == "-p" => words.any(|word| names_secret(&word.text)),
        // A name in a lookup is sent to a server.
        "dig" | "host" | "nslookup" | "ping" => words.any(shows_secret),
        // The shell inserts the value into the code, which prints it.
        "python" | "python3" | "node" | "ruby" | "perl" | "php" => {
            words.any(|word| PRINTERS.iter().any(|call| word.text.contains(call)) && shows_secret(word))
        }
        name if PASSING.contains(&name) => run.command.redirections.iter().any(|found| {
            let is_document = matches!(found.operator.as_str(), "<<" | "<<-") && !found.body_quoted;
            found.operator == "<<<" && shows_secret(&found.target)
                || is_document && names_variable(&found.body, &["$", "${"])
        }),
        // A commit's message is printed and stays in the history.
        "git" => matches!(run.command.word(1), "commit" | "tag") && words.any(shows_secret),
        // Their arguments are only printed if the shell traces its commands.
        ":" | "true" => is_traced(run) && words.any(shows_secret),
        "make" | "gmake" => run.input().is_some_and(|input| {
            let prints = |line: &&str| PRINTING.iter().any(|call| line.contains(call));
            let mut lines = input.text.lines().filter(prints).take(MAX_VARIABLES);
            lines.any(|line| names_variable(line, &["$(", "${", "$$"]))
        }),
        // This command makes a CI runner mask the secret in its log.
        "echo" | "printf" => words.any(|word| !word.text.starts_with("::add-mask::") && shows_secret(word)),
        _ => false,
    }
}

/// Calls with which a makefile prints.
const PRINTING: &[&str] = &["$(info ", "$(warning ", "$(error ", "echo ", "printf "];

/// Returns whether the shell traces its commands because of `-x`.
fn is_traced(run: &Run<'_>) -> bool {
    let at = usize::try_from(run.command.id).unwrap_or_default();
    let before = run.commands.get(..at).unwrap_or_default().iter().rev().take(MAX_TRACED);
    let has_letter =
        |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('x');
    before.into_iter().any(|command| {
        let is_shell = crate::wrappers::shells::is_shell(command.program()) || command.program() == "set";
        is_shell && command.argv.iter().skip(1).take(4).any(has_letter)
    })
}

/// The maximum number of earlier commands that are searched for `-x`.
const MAX_TRACED: usize = 64;

/// Returns whether a word contains most or all of the value of a variable whose name suggests a secret.
fn shows_secret(word: &Word) -> bool {
    shown_secrets(word).next().is_some()
}
