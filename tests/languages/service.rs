//! A chain as a component, on `wasmtime serve` and on wasmCloud's host: its verdicts on ten thousand calls match those
//! of the hook and of `guard-host serve`, byte for byte. Also two of its manifests, checked by their consumers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use guard_facts::real::RealFacts;
use guard_facts::recorded::{Missing, Recording};
use guard_facts::{Disk, Facts, GitAsked, GitQuestion};
use guard_kit::suite;
use serde_json::{Value, json};

use crate::support::pages::{Shell, root};
use crate::support::world::{World, free_address};
use crate::{Language, missing, run, skip};

const SERVICE: Language = Language { name: "service", page: "", tools: &["wasmtime --version"], checks: "" };

const WASMCLOUD: Language = Language { name: "wasmCloud", page: "", tools: &["cargo --version"], checks: "" };

const KUBERNETES: Language =
    Language { name: "kubernetes", page: "", tools: &["kubernetes-validate --version"], checks: "" };

/// The folder with the manifests.
const MANIFESTS: &str = "guest-sdk/examples/service";

/// The number of calls.
const CALLS: usize = 10_000;

/// The number of concurrent calls.
const AT_ONCE: usize = 4;

/// The maximum number of lookups of missing facts.
const ROUNDS: usize = 400;

/// A process that is killed with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The address and token for calls, and the process that answers there.
struct ServiceAddress {
    name: &'static str,
    address: String,
    token: String,
    _process: Running,
}

impl ServiceAddress {
    fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.request(&format!("POST {path}"), body)
    }

    /// Returns whether it has started to answer.
    fn is_ready(&self) -> bool {
        TcpStream::connect(&self.address).is_ok() && self.request("GET /health", "").0 == 200
    }

    fn request(&self, method_and_path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "{method_and_path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {}\r\n\
             content-length: {}\r\n\r\n",
            self.token,
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
        let mut reader = BufReader::new(stream);
        let (mut line, mut length, mut status) = (String::new(), 0, 0);
        while reader.read_line(&mut line).unwrap() > 2 {
            let (name, value) = line.trim_end().split_once(": ").unwrap_or((line.trim_end(), ""));
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().unwrap();
            }
            if let Some(rest) = name.strip_prefix("HTTP/1.1 ") {
                status = rest.split(' ').next().unwrap().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

/// Looks up a response's missing facts on this machine.
fn look_up(recording: &Recording, missing: &Missing, own: &[String]) {
    for path in &missing.entries {
        recording.entry(path);
    }
    let bounded = |key: &str| key.split_once(':').map(|(cap, path)| (cap.parse().unwrap(), path.to_owned())).unwrap();
    for (cap, path) in missing.heads.iter().map(|key| bounded(key)) {
        let _ = recording.read_head(&path, cap);
    }
    for (cap, path) in missing.files.iter().map(|key| bounded(key)) {
        let _ = recording.read_granted(&path, &path, cap);
    }
    for name in &missing.env {
        let _ = recording.env(name);
    }
    let questions = [GitQuestion::Branch, GitQuestion::Tracked, GitQuestion::Staged, GitQuestion::Ignored];
    for (key, root) in &missing.git {
        let (name, path) = key.split_once(':').unwrap();
        let question = questions.into_iter().find(|question| question.name() == name).unwrap();
        let _ = recording.git(GitAsked { root, path, question, own }, Duration::from_millis(300));
    }
}

/// Returns the calls of all cases of the built-in policies, as a harness's payloads in several folders of the project.
fn payloads(world: &World) -> Vec<Value> {
    let mut inputs = Vec::new();
    for policy in std::fs::read_dir(root().join("policies")).unwrap() {
        let cases = policy.unwrap().path().join("cases");
        if !cases.exists() {
            continue;
        }
        for file in suite::find(&cases).unwrap() {
            for case in suite::read(&file).unwrap().cases {
                let input = match case.input {
                    Value::String(command) => json!({ "command": command }),
                    input => input,
                };
                if input.is_object() {
                    inputs.push((case.tool.unwrap_or_else(|| "Bash".to_owned()), input));
                }
            }
        }
    }
    inputs.sort_by_key(|(tool, input)| (tool.clone(), input.to_string()));
    inputs.dedup();
    let folders = ["", "/src", "/src/deep/er"];
    let of_folder = |folder: &str| {
        let cwd = format!("{}{folder}", world.repo().display());
        let payload = |(tool, input): &(String, Value)| {
            json!({
                "session_id": "s1", "cwd": cwd, "hook_event_name": "PreToolUse", "permission_mode": "default",
                "tool_name": tool, "tool_input": input,
            })
        };
        inputs.iter().map(payload).collect::<Vec<_>>()
    };
    folders.iter().flat_map(|folder| of_folder(folder)).take(CALLS).collect()
}

fn spawned(words: &[String]) -> Running {
    Running(Command::new(&words[0]).args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// Runs the component on `wasmtime serve`, as the example's image starts it.
fn on_wasmtime(world: &World) -> ServiceAddress {
    let address = free_address();
    let file = std::fs::read_to_string(root().join(MANIFESTS).join("Containerfile")).unwrap();
    let of_line = |start: &str| file.lines().find_map(|line| line.strip_prefix(start)).unwrap();
    let placed = |word: &str| {
        let word = word.replace("0.0.0.0:8080", &address);
        word.replace("/guard-service", &world.path("team").display().to_string())
    };
    let words: Vec<String> = of_line("RUN ").split(' ').map(placed).collect();
    assert!(Command::new(&words[0]).args(&words[1..]).status().unwrap().success(), "{words:?}");
    let words: Vec<String> = serde_json::from_str(of_line("ENTRYPOINT ")).unwrap();
    let words: Vec<String> = words.iter().map(|word| placed(word)).collect();
    ServiceAddress { name: "wasmtime", token: String::new(), _process: spawned(&words), address }
}

/// Runs the component on wasmCloud's host, as in its manifest. `None` if it can't be built here.
fn on_wasmcloud(world: &World) -> Option<ServiceAddress> {
    let mut shell = Shell::new();
    let (source, target) =
        (root().join("tests/languages/wasmcloud"), concat!(env!("CARGO_TARGET_TMPDIR"), "/wasmcloud"));
    // Built like the host itself: it compiles the component at its start.
    let build = format!(
        "cp -r {} . && cargo build --quiet --release --manifest-path wasmcloud/Cargo.toml --target-dir {target}",
        source.display(),
    );
    if !run(&mut shell, &WASMCLOUD, &build) {
        return None;
    }
    let address = free_address();
    let (manifest, component) = (root().join(MANIFESTS).join("wadm.yaml"), world.path("team.wasm"));
    let words = [
        format!("{target}/release/on-wasmcloud"),
        manifest.display().to_string(),
        component.display().to_string(),
        address.clone(),
    ];
    Some(ServiceAddress { name: "wasmCloud", token: String::new(), _process: spawned(&words), address })
}

fn on_serve(world: &World) -> ServiceAddress {
    let mut server = world.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut server = Running(server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut first = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let token = std::fs::read_to_string(world.path(".local/state/guard-host/serve.token")).unwrap();
    let address = first.trim().strip_prefix("listening at http://").unwrap().to_owned();
    ServiceAddress { name: "serve", address, token: token.trim().to_owned(), _process: server }
}

/// Starts all services. The native server is the first.
fn started(world: &World) -> Vec<ServiceAddress> {
    let built = world.run(&["policy", "bundle", "-o", "../team.wasm"], "");
    assert_eq!(built.exit, 0, "{built:?}");
    let places: Vec<ServiceAddress> =
        [on_serve(world), on_wasmtime(world)].into_iter().chain(on_wasmcloud(world)).collect();
    let until = Instant::now() + Duration::from_secs(120);
    for place in &places {
        while !place.is_ready() {
            assert!(Instant::now() < until, "{} never answers", place.name);
            thread::sleep(Duration::from_millis(50));
        }
    }
    places
}

/// Validates the manifests with the Kubernetes schema.
pub(crate) fn kubernetes() {
    if let Some(tool) = missing(&KUBERNETES) {
        return skip(&KUBERNETES, &format!("`{tool}` fails"));
    }
    let manifest = root().join(MANIFESTS).join("kubernetes.yaml");
    let ended = Command::new("kubernetes-validate").arg("--strict").arg(&manifest).output().unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success() && said.contains("passed"), "{said}");
    println!("kubernetes: {}", said.trim());
}

pub(crate) fn service() {
    if let Some(tool) = missing(&SERVICE) {
        return skip(&SERVICE, &format!("`{tool}` fails"));
    }
    let world = World::new();
    world.write("repo/src/deep/er/a.rs", "");
    let kept = |version: &str| root().join("tests/contract_versions").join(version).join("policy.wasm");
    let policy = |name: &str, version: &str, settings: &str| {
        let grants = format!("grants = {{ journal = {{ kept = \"~/{name}.jsonl\" }} }}");
        let source = kept(version).display().to_string();
        format!("[[policy]]\nname = \"{name}\"\nsource = \"{source}\"\nsettings = {settings}\n{grants}\n")
    };
    world.configure(&format!(
        "preset = \"full\"\n{}{}",
        policy("first", "0.1.0", "{ outcome = \"warn\" }"),
        policy("second", "0.2.0", "{ outcome = \"warn\" }"),
    ));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let payloads = Arc::new(payloads(&world));
    assert_eq!(payloads.len(), CALLS, "there are enough cases");
    let places = started(&world);
    let home = world.home.path().display().to_string();
    let (next, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let outcomes: Vec<BTreeMap<String, usize>> = thread::scope(|scope| {
        let work = || {
            let mut outcomes = BTreeMap::new();
            while let Some(payload) = payloads.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = one(&world, &home, payload, &places, &asked);
                *outcomes.entry(outcome).or_default() += 1;
            }
            outcomes
        };
        let threads: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for (outcome, count) in outcomes.into_iter().flatten() {
        *all.entry(outcome).or_default() += count;
    }
    let names: Vec<&str> = places.iter().map(|place| place.name).collect();
    println!(
        "service: {CALLS} calls, {} requests to each, the same from the hook and {names:?}: {all:?}",
        asked.into_inner()
    );
    assert!(
        ["deny", "ask", "warn", "abstain"].iter().all(|outcome| all.get(*outcome).is_some_and(|count| *count > 100))
    );
}

/// Sends one call to all services, and returns the outcome.
fn one(world: &World, home: &str, payload: &Value, places: &[ServiceAddress], asked: &AtomicUsize) -> String {
    let env = BTreeMap::from([("HOME".to_owned(), home.to_owned())]);
    let recording = Recording::new(Arc::new(RealFacts::new(env)));
    let account = std::env::var("HOME").unwrap_or_default();
    let own = [world.repo().display().to_string()];
    for _ in 0..ROUNDS {
        let request = json!({
            "harness": "claude", "payload": payload, "at": { "home": home, "account-home": account },
            "facts": recording.record(),
        });
        let request = request.to_string();
        let of_native = places[0].post("/decide", &request);
        for place in &places[1..] {
            assert_eq!(place.post("/decide", &request), of_native, "{}: {payload}", place.name);
        }
        asked.fetch_add(1, Ordering::Relaxed);
        if of_native.0 == 400 {
            // Nothing is decided, and the hook doesn't let it pass either.
            assert!(!world.hook(&payload.to_string()).is_silent(), "{payload}");
            return "unreadable".to_owned();
        }
        assert_eq!(of_native.0, 200, "{payload}: {}", of_native.1);
        let response: Value = serde_json::from_str(&of_native.1).unwrap();
        let missing: Missing = serde_json::from_value(response["missing"].clone()).unwrap();
        if missing.is_empty() {
            let hook = world.hook(&payload.to_string());
            let said = response["reply"]["stdout"].as_str().unwrap();
            let told: Value = serde_json::from_str(said).unwrap_or_default();
            let told = &told["hookSpecificOutput"];
            assert_eq!(hook.decision(), told["permissionDecision"].as_str().unwrap_or_default(), "{payload}");
            // The hook's ask ends with how a person approves the call.
            let reason = told["permissionDecisionReason"].as_str().unwrap_or_default();
            assert!(hook.reason().starts_with(reason), "{payload}: {} / {reason}", hook.reason());
            if hook.decision() != "ask" {
                assert_eq!(hook.stdout, said, "{payload}");
            }
            let ended = (json!(hook.exit), json!(hook.stderr));
            assert_eq!(ended, (response["reply"]["exit"].clone(), response["reply"]["stderr"].clone()), "{payload}");
            return response["verdict"]["outcome"].as_str().unwrap().to_owned();
        }
        look_up(&recording, &missing, &own);
    }
    panic!("something is always missing: {payload}");
}
