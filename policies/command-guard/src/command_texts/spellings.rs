//! Other spellings of a command: without the options before its subcommand, and with another runner of the same script.

use guard_sdk::git;
use guard_sdk::syntax::Command;
use guard_sdk::task_runners::{PACKAGE_MANAGERS, TaskRunner, operands, task_runner};

/// Options before the subcommand that take the next word as their value.
const VALUES: &[(&[&str], &[&str])] = &[
    (&["git"], &git::VALUE_OPTIONS),
    (
        &["docker", "podman", "nerdctl"],
        &[
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-l",
            "--log-level",
            "--connection",
            "--url",
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
        ],
    ),
    (&["docker-compose"], &["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "-H", "--host"]),
    (
        &["kubectl", "oc"],
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--kubeconfig",
            "-s",
            "--server",
            "--user",
            "--as",
            "-l",
            "-f",
        ],
    ),
    (&["helm"], &["-n", "--namespace", "--kube-context", "--kubeconfig", "-f", "--values"]),
    (&["gh", "glab"], &["-R", "--repo", "--hostname"]),
    (&["aws"], &["--profile", "--region", "--output", "--endpoint-url", "--query", "--ca-bundle"]),
    (&["gcloud", "gsutil"], &["--project", "--account", "--configuration", "--format", "--verbosity", "-u", "-o"]),
    (&["az"], &["--subscription", "-o", "--output", "--query"]),
    (&["systemctl"], &["-H", "--host", "-M", "--machine", "-t", "--type"]),
    (&["ansible", "ansible-playbook"], &["-i", "--inventory", "-u", "-e", "-l", "--limit", "-t", "--tags"]),
    (
        &["fly", "flyctl", "heroku", "vercel", "netlify"],
        &["-a", "--app", "-c", "--config", "-t", "--token", "-S", "--scope", "--cwd"],
    ),
    (&["cargo"], &["--config", "-C", "-Z", "--color", "--manifest-path", "-p", "--package"]),
    (&["go"], &["-C"]),
    (&["pip", "pip3", "uv", "poetry"], &["--proxy", "--log", "--directory", "--project", "-C", "--cache-dir", "-P"]),
    (&["hg", "jj"], &["-R", "--repository", "--cwd", "--config"]),
];

pub(super) fn value_options(program: &str) -> &'static [&'static str] {
    let known = VALUES.iter().find(|(programs, _)| programs.contains(&program)).map(|(_, values)| *values);
    known.or_else(|| task_runner(program).map(TaskRunner::value_options)).unwrap_or_default()
}

/// Returns the command without the options before its first operand: `git push x` for `git -C dir push x`.
pub(crate) fn without_leading_options(words: &[&str]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    let (first, _) = operands(rest, value_options(name(program))).first().copied()?;
    let rest = rest.get(first..).filter(|_| first > 0)?;
    Some(format!("{} {}", name(program), rest.join(" ")))
}

/// Returns the operands followed by the options: `docker compose down -f x` for `docker compose -f x down`.
pub(crate) fn operands_first(words: &[&str]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    let found = operands(rest, value_options(name(program)));
    // Variables for a task runner may be anywhere.
    let is_variable = |word: &str| task_runner(name(program)).is_some() && word.contains('=');
    let found: Vec<(usize, &str)> = found.into_iter().filter(|(_, word)| !is_variable(word)).collect();
    let is_operand = |at: usize| found.binary_search_by_key(&at, |(at, _)| *at).is_ok();
    let mut spelled = vec![name(program)];
    spelled.extend(found.iter().map(|(_, word)| *word));
    spelled.extend(rest.iter().enumerate().filter(|(at, _)| !is_operand(*at)).map(|(_, word)| *word));
    (!found.is_empty()).then(|| spelled.join(" "))
}

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Returns other spellings of a command that runs a package's scripts.
pub(crate) fn script_run_spellings(command: &Command, words: &[&str]) -> Vec<String> {
    let Some(rest) = words.get(1..) else { return Vec::new() };
    let spell = |script: &str| {
        let spell = |manager: &&str| [format!("{manager} run {script}"), format!("{manager} {script}")];
        PACKAGE_MANAGERS.iter().flat_map(spell).collect::<Vec<_>>()
    };
    // A command of `concurrently`.
    let short = command.program().split_once(':').filter(|(manager, _)| PACKAGE_MANAGERS.contains(manager));
    if let Some((_, script)) = short {
        return spell(script);
    }
    let runner = task_runner(command.program()).filter(|runner| runner.is_of_package());
    let Some(runner) = runner.filter(|runner| !runner.only_looks(rest)) else { return Vec::new() };
    let mut texts = Vec::new();
    for (at, script) in runner.tasks(rest).into_iter().take(super::MOST / 8) {
        let arguments = rest.get(at + 1..).unwrap_or_default();
        let script = std::iter::once(script).chain(arguments.iter().copied()).collect::<Vec<_>>().join(" ");
        texts.extend(spell(&script));
    }
    texts
}
