//! Package managers: what becomes public, or ceases to be.

use guard_sdk::syntax::Word;

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["npm", "pnpm", "yarn", "lerna", "jsr", "vsce", "ovsx", "np"], MANAGER, manager),
    Program::new(&["cargo"], CARGO, cargo),
    Program::new(&["twine", "gem", "poetry", "uv", "hatch", "flit", "pdm", "maturin", "rye"], MANAGER, manager),
    Program::new(&["nuget", "dotnet", "mvn", "mvnw", "gradle", "gradlew", "dart", "flutter"], MANAGER, manager),
];

const MANAGER: Options = Options::leading(
    "wCF",
    &[
        "tag",
        "registry",
        "access",
        "otp",
        "prefix",
        "workspace",
        "userconfig",
        "dir",
        "filter",
        "cwd",
        "loglevel",
        "cache",
        "directory",
        "project",
    ],
);

const CARGO: Options = Options::leading("CZ", &["config", "color", "manifest-path", "target-dir"]);

const REST: Options = Options::new(
    "wFprsiukt",
    &[
        "tag",
        "registry",
        "access",
        "otp",
        "workspace",
        "package",
        "index",
        "token",
        "manifest-path",
        "repository",
        "repository-url",
        "username",
        "password",
        "key",
        "host",
        "source",
        "api-key",
        "filter",
        "features",
        "target-dir",
    ],
);

fn manager<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    package_manager(run, parsed.rest);
}

/// What a manager does, by the words from its subcommand on.
pub(super) fn package_manager<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let name = run.name.clone();
    let words = inner(run, &name, words);
    let Some((first, rest)) = words.split_first() else { return };
    let parsed = run.parse(rest, REST);
    let verb = first.text.to_ascii_lowercase();
    let operand = parsed.text(0);
    let operation = match (name.as_str(), verb.as_str()) {
        ("npm" | "pnpm" | "yarn", "unpublish") | ("gem", "yank") => "package.unpublish",
        ("npm", "deprecate") => "package.deprecate",
        ("npm" | "pnpm" | "yarn" | "lerna" | "jsr" | "vsce" | "ovsx" | "bun" | "deno", "publish") => "package.publish",
        ("npm", "pub") | ("twine", "upload") | ("gem", "push") | ("nuget", "push") => "package.publish",
        ("poetry" | "uv" | "hatch" | "flit" | "pdm" | "maturin" | "rye", "publish") | ("maturin", "upload") => {
            "package.publish"
        }
        ("dotnet", "nuget") if operand == "push" => "package.publish",
        ("mvn" | "mvnw", "deploy") => "package.publish",
        ("gradle" | "gradlew", task) if task.starts_with("publish") && !task.ends_with("local") => "package.publish",
        ("dart" | "flutter", "pub") if operand == "publish" => "package.publish",
        _ => return,
    };
    let skip = usize::from(matches!(verb.as_str(), "nuget" | "pub") && name != "npm");
    emit(run, operation, &name, &parsed, skip);
}

/// Steps over what stands between a manager and the subcommand that counts: `yarn npm publish`, `yarn workspace x`.
fn inner<'a>(run: &Run<'a>, name: &str, words: &'a [Word]) -> &'a [Word] {
    let behind = |count: usize| {
        let rest = words.get(count..).unwrap_or_default();
        run.parse(rest, MANAGER).rest
    };
    match (name, words.first().map(|word| word.text.as_str())) {
        ("yarn", Some("npm")) => behind(1),
        ("yarn", Some("workspace")) if words.get(2).is_some_and(|word| word.text == "npm") => behind(3),
        ("yarn", Some("workspace")) => behind(2),
        ("yarn", Some("workspaces")) => {
            let publishes = words.iter().position(|word| word.text == "publish");
            publishes.map_or(words, behind)
        }
        ("pnpm" | "npm", Some("-r" | "recursive")) => behind(1),
        _ => words,
    }
}

fn emit(run: &mut Run<'_>, operation: &'static str, manager: &str, parsed: &Parsed<'_>, skip: usize) {
    let target = parsed.operands.get(skip);
    let draft = if operation == "package.unpublish" {
        Draft::destructive("package", operation)
    } else {
        Draft::notable("package", operation)
    };
    let dry = parsed.is("", "dry-run") && parsed.value("", "dry-run").is_none_or(|value| value.text != "false");
    let draft = draft.target(target.map_or("", |target| target.text.as_ref())).tag("manager", manager);
    run.emit(draft.flag("dry-run", dry).certain(target.is_none_or(|target| !target.dynamic)));
}

fn cargo<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let mut words = parsed.rest;
    if let Some((_, rest)) = words.split_first().filter(|(first, _)| first.text.starts_with('+')) {
        words = run.parse(rest, CARGO).rest;
    }
    let Some((first, rest)) = words.split_first() else { return };
    let parsed_rest = run.parse(rest, REST);
    match first.text.to_ascii_lowercase().as_str() {
        "publish" => emit(run, "package.publish", "cargo", &parsed_rest, 0),
        "yank" => emit(run, "package.unpublish", "cargo", &parsed_rest, 0),
        "release" if parsed_rest.has("x", "execute") => emit(run, "package.publish", "cargo", &parsed_rest, 0),
        _ => {}
    }
}

/// `python -m twine upload` and its kin.
pub(super) fn python_module<'a>(run: &mut Run<'a>, module: &Operand<'a>, parsed: &Parsed<'a>) {
    if module.text == "django" {
        super::migrations::django(run, &parsed.operands);
    }
    let publishes = matches!(
        (module.text.as_ref(), parsed.text(0)),
        ("twine", "upload") | ("flit" | "poetry" | "hatch", "publish")
    );
    if publishes {
        let target = parsed.text(1);
        run.emit(Draft::notable("package", "package.publish").target(target).tag("manager", &module.text));
    }
}
