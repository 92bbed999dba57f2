//! The templates of each language and the pages about them, as an author uses them: written by `guard-host new`, built
//! with the current tools from the registries, and tested with the same calls. Also signatures from sigstore's library,
//! the replay of a fleet with engines from the registry, a chain as a component on other engines, and two of its
//! manifests.
//!
//! They need a network and minutes, so they only run on request, with `cargo test --release --test languages --
//! --ignored`. A language with missing tools is ignored, with the reason.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at a surprise"
)]

#[path = "languages/fleet.rs"]
mod fleet;
#[path = "languages/packages.rs"]
mod packages;
#[path = "languages/service.rs"]
mod service;
#[path = "languages/sigstore.rs"]
mod sigstore;
#[expect(dead_code, unreachable_pub, reason = "shared with the other binaries of tests")]
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use libtest_mimic::{Arguments, Completion, Trial};
use support::pages::{Shell, root};

/// A language: its name on the command line, its page, the required programs, and the author's other commands.
struct Language {
    name: &'static str,
    page: &'static str,
    tools: &'static [&'static str],
    checks: &'static str,
}

const RUST: Language = Language {
    name: "rust",
    page: "guest-sdk/README.md",
    tools: &["cargo --version", "test -d \"$(rustc --print target-libdir --target wasm32-wasip2)\""],
    checks: "cargo test --target-dir target",
};

const JAVASCRIPT: Language = Language {
    name: "js",
    page: "guest-sdk/docs/javascript.md",
    tools: &["npm --version"],
    checks: "npm run --silent check",
};

const TYPESCRIPT: Language = Language {
    name: "ts",
    page: "guest-sdk/docs/typescript.md",
    tools: &["npm --version"],
    checks: "npm run --silent check",
};

const PYTHON: Language = Language {
    name: "python",
    page: "guest-sdk/docs/python.md",
    tools: &["python3 -c 'import venv, ensurepip'"],
    checks: "true",
};

const C: Language = Language {
    name: "c",
    page: "guest-sdk/docs/c.md",
    tools: &["python3 -c 'import venv, ensurepip'", "npm --version"],
    checks: "true",
};

/// Messages of the tools without a network.
const NO_NETWORK: [&str; 8] = [
    "Could not resolve host",
    "Temporary failure in name resolution",
    "NewConnectionError",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "spurious network error",
];

/// Returns the missing tool, if any.
fn missing(language: &Language) -> Option<&'static str> {
    let runs = |line: &str| Command::new("sh").arg("-c").arg(line).output().is_ok_and(|ended| ended.status.success());
    language.tools.iter().copied().find(|line| !runs(line))
}

/// The reason why the current test is ignored.
static SKIPPED: Mutex<Option<String>> = Mutex::new(None);

/// Marks the current test as ignored instead of failed: the host can be developed without npm.
fn skip(language: &Language, why: &str) {
    println!("{}: skipped, because {why}", language.name);
    *SKIPPED.lock().unwrap() = Some(why.to_owned());
}

/// Runs lines. Returns `false` without a network, after marking the test as ignored.
fn run(shell: &mut Shell, language: &Language, lines: &str) -> bool {
    let ended = shell.run(lines);
    if ended.exit == 0 {
        return true;
    }
    let text = format!("{}\n{}", ended.stdout, ended.stderr);
    let Some(words) = NO_NETWORK.into_iter().find(|words| text.contains(words)) else {
        panic!("{}: `{lines}` ends with {}:\n{text}", language.name, ended.exit);
    };
    skip(language, &format!("there is no network: {words}"));
    false
}

fn try_out(language: &Language) {
    if let Some(tool) = missing(language) {
        return skip(language, &format!("`{tool}` fails"));
    }
    let mut shell = Shell::new();
    let started = Instant::now();
    let told = shell.run(&format!("guard-host new team-rules --lang {}", language.name));
    assert_eq!(told.exit, 0, "{told:?}");
    // The suggested next steps work verbatim.
    assert_eq!(told.stdout, "cd team-rules\n./build.sh\nguard-host test policy.wasm fixtures/\n");
    if !run(&mut shell, language, &told.stdout) {
        return;
    }
    let first = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let again = shell.run("./build.sh && guard-host test policy.wasm fixtures/");
    assert_eq!(again.exit, 0, "{again:?}");
    let second = started.elapsed().as_secs_f64();
    println!("{}: built and tested in {first:.1} s, its tools fetched; again in {second:.1} s", language.name);
    says_the_same(&mut shell, language);
    refuses_settings(&mut shell, language);
    describes_itself(&mut shell, language);
    conforms(&mut shell, language);
    if !run(&mut shell, language, language.checks) {
        return;
    }
    if language.name == "c" {
        types_equal_the_contract(&mut shell);
    }
    if !builds_anew(&mut shell, language) {
        return;
    }
    let mut shell = Shell::new();
    if let Err(error) = shell.follow(language.page) {
        panic!("{error}");
    }
    println!("{}: {} does what it says", language.name, language.page);
}

/// Checks the 50 calls of `languages/same.toml`.
fn says_the_same(shell: &mut Shell, language: &Language) {
    let same = root().join("tests/languages/same.toml");
    let ended = shell.run(&format!("guard-host test policy.wasm '{}' --threshold 100", same.display()));
    assert_eq!(ended.exit, 0, "{}: {}", language.name, ended.stdout);
    assert!(ended.stdout.contains("50 passed, 0 failed"), "{}: {}", language.name, ended.stdout);
}

/// Checks that the same command builds after an interrupted install with half of the files. Returns `false` without a
/// network.
fn builds_anew(shell: &mut Shell, language: &Language) -> bool {
    let modules = shell.folder().join("node_modules");
    if !modules.exists() {
        return true;
    }
    fs::remove_file(modules.join(".package-lock.json")).unwrap();
    let halve = "find node_modules -type f -size +100k -exec truncate -s 0 {} +\nrm policy.wasm\n";
    run(shell, language, &format!("{halve}./build.sh && guard-host test policy.wasm fixtures/"))
}

/// Checks that a typo in the settings isn't ignored.
fn refuses_settings(shell: &mut Shell, language: &Language) {
    for (settings, word) in [
        ("regstry = 'x'", "`regstry`"),
        ("registry = ['x']", "string"),
        ("scratch = ['/tmp', 5]", "string"),
        ("allowed-hosts = 'x'", "list"),
    ] {
        let text = format!("[settings]\n{settings}\n[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
        fs::write(shell.folder().join("bad.toml"), text).unwrap();
        let ended = shell.run("guard-host test policy.wasm bad.toml");
        let told = ended.stderr.contains("`policy` refuses its settings: ");
        let word = if word == "list" && language.name == "rust" { "sequence" } else { word };
        assert!(ended.exit == 65 && told && ended.stderr.contains(word), "{}: {ended:?}", language.name);
    }
    fs::remove_file(shell.folder().join("bad.toml")).unwrap();
}

/// Checks that the manifest is the same in each language, except for the name.
fn describes_itself(shell: &mut Shell, language: &Language) {
    let ended = shell.run("guard-host policy inspect policy.wasm --format json");
    let policy: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let rules: Vec<String> = policy["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| format!("{} {} {}", rule["id"], rule["default"], rule["ceiling"]).replace('"', ""))
        .collect();
    let expected = [
        "protected-branch deny deny",
        "outside-project ask deny",
        "elevated ask deny",
        "foreign-registry ask deny",
        "unknown-host ask deny",
        "private-key deny deny",
        "unclear ask deny",
    ];
    assert_eq!(rules, expected, "{}", language.name);
    assert_eq!(policy["tools"], serde_json::json!(["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"]));
    assert_eq!((&policy["id"], &policy["version"]), (&"team-rules".into(), &"0.1.0".into()), "{}", language.name);
    assert_eq!(policy["examples"], 3, "{}", language.name);
    // Cargo keeps imports of WASI that are never called. The other tools are told to omit them.
    if language.name != "rust" {
        assert_eq!(policy["foreign"], serde_json::json!([]), "{}", language.name);
    }
}

/// Checks the requirements for every policy in any language.
fn conforms(shell: &mut Shell, language: &Language) {
    let ended = shell.run("guard-host policy conformance policy.wasm");
    assert_eq!(ended.exit, 0, "{}: {}{}", language.name, ended.stdout, ended.stderr);
}

/// Checks the types of the JavaScript and TypeScript templates against their generator, which the C template installs,
/// and the contract from `guard-host policy wit`. Its linker accepts that folder, too.
fn types_equal_the_contract(shell: &mut Shell) {
    if !shell.folder().join("node_modules").exists() {
        return println!("js: its types are not compared, because `wasm-tools` is used instead of jco");
    }
    let ended = shell.run(
        "guard-host policy wit contract\n\
         npx --no-install jco guest-types contract --world-name guest --out-dir types --quiet\n\
         npx --no-install jco embed module.wasm --wit contract --output embedded.wasm",
    );
    assert_eq!(ended.exit, 0, "{ended:?}");
    let committed = root().join("guest-sdk/templates/js-and-ts/types");
    let mut compared = 0;
    for folder in ["", "interfaces"] {
        for entry in fs::read_dir(committed.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let below = Path::new("types").join(path.strip_prefix(&committed).unwrap());
            if path.is_file() {
                let generated = fs::read_to_string(shell.folder().join(&below)).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), generated, "{}", below.display());
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 13);
    println!("js: its {compared} files of types equal the contract");
}

fn main() {
    let mut arguments = Arguments::from_args();
    // One at a time, so that the reported times are those of one author.
    arguments.test_threads = Some(1);
    let trial = |name: &'static str, test: fn()| {
        let run = move || {
            test();
            Ok(SKIPPED.lock().unwrap().take().map_or(Completion::Completed, Completion::ignored_with))
        };
        Trial::ignorable_test(format!("languages::{name}"), run).with_ignored_flag(true)
    };
    let trials = vec![
        trial(RUST.name, || try_out(&RUST)),
        trial(JAVASCRIPT.name, || try_out(&JAVASCRIPT)),
        trial(TYPESCRIPT.name, || try_out(&TYPESCRIPT)),
        trial(PYTHON.name, || try_out(&PYTHON)),
        trial(C.name, || try_out(&C)),
        trial(packages::JAVASCRIPT.name, packages::javascript),
        trial(packages::PYTHON.name, packages::python),
        trial("sigstore", sigstore::sigstore),
        trial("fleet", fleet::fleet),
        trial("service", service::service),
        trial("kubernetes", service::kubernetes),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}
