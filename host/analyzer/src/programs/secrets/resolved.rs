//! Commands that print settings with their secrets filled in. Reading them is daily work, but sending them isn't.

use guard_sdk::syntax::Command;

/// A program, the words that must all be among its arguments, and the options that leave the secrets out.
type Resolved = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Options of Compose for a part of the model without values.
const PARTS_OF_COMPOSE: &[&str] = &[
    "--services",
    "--images",
    "--volumes",
    "--networks",
    "--profiles",
    "--hash",
    "--models",
    "--no-interpolate",
    "-q",
    "--quiet",
];

const RESOLVED: &[Resolved] = &[
    ("docker", &["compose", "config"], PARTS_OF_COMPOSE),
    ("docker", &["compose", "convert"], PARTS_OF_COMPOSE),
    ("docker-compose", &["config"], PARTS_OF_COMPOSE),
    ("docker", &["stack", "config"], &["--skip-interpolation"]),
    ("docker", &["inspect"], &["-f", "--format"]),
    ("docker", &["service", "inspect"], &["-f", "--format"]),
    ("terraform", &["output", "-json"], &[]),
    ("terraform", &["state", "pull"], &[]),
    ("terraform", &["show", "-json"], &[]),
    ("helm", &["get", "values"], &[]),
    ("helm", &["get", "all"], &[]),
    ("helm", &["get", "manifest"], &[]),
    ("kustomize", &["build"], &[]),
    ("kubectl", &["kustomize"], &[]),
    ("serverless", &["print"], &[]),
    ("ansible-inventory", &["--list"], &[]),
    ("systemctl", &["show-environment"], &[]),
    ("aws", &["lambda", "get-function-configuration"], &["--query"]),
    ("aws", &["ecs", "describe-task-definition"], &["--query"]),
    ("gcloud", &["run", "services", "describe"], &["--format"]),
    ("az", &["appsettings", "list"], &["--query"]),
];

/// Returns whether the command prints settings with their secrets.
pub(crate) fn prints_resolved(command: &Command) -> bool {
    let program = match command.program() {
        "podman" | "nerdctl" => "docker",
        "podman-compose" => "docker-compose",
        "tofu" | "terragrunt" => "terraform",
        "oc" => "kubectl",
        "sls" => "serverless",
        program => program,
    };
    let words = || command.argv.iter().skip(1).map(|word| word.text.split('=').next().unwrap_or_default());
    let says = |wanted: &&str| words().any(|word| word == *wanted);
    let mut rows = RESOLVED.iter().filter(|(of, _, _)| *of == program);
    rows.any(|(_, wanted, hides)| wanted.iter().all(&says) && !hides.iter().any(&says))
}

/// Returns whether the command prints only a chosen part of its input.
pub(crate) fn chooses_a_part(command: &Command) -> bool {
    match command.program() {
        "jq" | "gojq" | "yq" => !command.argv.iter().any(|word| word.text == "."),
        "awk" | "cut" | "diff" | "egrep" | "gawk" | "grep" | "head" | "kubeconform" | "rg" | "sed" | "tail" => true,
        _ => false,
    }
}
