//! What a call costs: whole processes beside `/bin/true` and a Python hook, the stages inside, and the batch.
//!
//! `cargo bench` prints medians and ratios of one interleaved run. Nothing here fails for being slow.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a benchmark may stop at a surprise"
)]

use std::hint::black_box;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use guard_contract::call::{Circumstances, ToolCall};
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_engine::facts::Facts;
use guard_engine::facts::real::RealFacts;
use guard_hook::cache::{Prepared, Readiness};
use guard_hook::chain::{Ask, Chain};
use guard_state::Places;

const PROGRAM: &str = env!("CARGO_BIN_EXE_guard-host");
const ROUNDS: usize = 400;
const PYTHON: &str = "import json,sys; json.load(sys.stdin)";

fn main() {
    let [home, full] = ["standard", "full"].map(warm_home);
    processes(&home, &full);
    stages(&home);
    batch(&home);
    cases(&home);
    for home in [home, full] {
        std::fs::remove_dir_all(&home).unwrap();
    }
}

/// A home of its own, where the preset's policies are compiled.
fn warm_home(preset: &str) -> PathBuf {
    let home = tempdir(preset);
    warm(&home, preset);
    home
}

fn tempdir(preset: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("guard-host-bench-{}-{preset}", std::process::id()));
    std::fs::create_dir_all(path.join("repo/.git")).unwrap();
    std::fs::create_dir_all(path.join(".config/guard-host")).unwrap();
    path
}

fn warm(home: &Path, preset: &str) {
    std::fs::write(home.join(".config/guard-host/guard.toml"), format!("preset = \"{preset}\"\n")).unwrap();
    let mut command = Command::new(PROGRAM);
    let status = command.args(["cache", "warm"]).env("HOME", home).current_dir(home.join("repo")).stdout(Stdio::null());
    let _ = status.status().unwrap();
    // The first call of a state of the configuration seals its chain.
    run(&mut hook(home), &payload("ls -la"));
}

fn payload(command: &str) -> String {
    let input = serde_json::json!({ "command": command, "description": "x" });
    serde_json::json!({
        "session_id": "s1", "transcript_path": "/h/t.jsonl", "cwd": "/tmp", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// The hook of a copy of the program, which is what an installation is. The linker leaves the file's pages in memory one
/// by one, and a call of that file takes longer until they are read anew.
fn hook(home: &Path) -> Command {
    let copy = home.join("guard-host");
    if !copy.exists() {
        std::fs::copy(PROGRAM, &copy).unwrap();
    }
    hook_of(&copy, home)
}

fn hook_of(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["hook", "claude"]).env("HOME", home).current_dir(home.join("repo"));
    command
}

/// Runs a process to its end and gives the wall time.
fn run(command: &mut Command, input: &str) -> Duration {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // A program that does not read its input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    child.wait().unwrap();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn processes(home: &Path, full: &Path) {
    let python =
        Command::new("python3").args(["-c", PYTHON]).stdin(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let (ls, rm) = (payload("ls -la"), payload("rm -rf /"));
    let mut rows: Vec<(&str, Command, &str)> = vec![
        ("hook, `ls -la`", hook(home), &ls),
        ("hook, `rm -rf /`", hook(home), &rm),
        ("hook, `ls -la`, full", hook(full), &ls),
        ("guard-host --version", Command::new(PROGRAM), &ls),
    ];
    rows[3].1.arg("--version");
    if python {
        let mut command = Command::new("python3");
        command.args(["-c", PYTHON]);
        rows.push(("Python, parses its input", command, &ls));
    } else {
        println!("Python hook: skipped, because there is no python3");
    }
    rows.push(("hook, `ls -la`, as linked", hook_of(PROGRAM.as_ref(), home), &ls));
    println!("whole process, preset standard, warm cache, in turn with /bin/true, median of {ROUNDS}:");
    for (name, mut command, input) in rows {
        let (true_median, median) = in_turn(&mut command, input);
        println!("  {name:<26} {median:8.0} us  {:6.2} x /bin/true ({true_median:.0} us)", median / true_median);
    }
}

/// The medians of `/bin/true` and of a command. In turn, so that both find the machine in the same state.
fn in_turn(command: &mut Command, input: &str) -> (f64, f64) {
    let mut bare = Command::new("/bin/true");
    let (mut bare_times, mut times) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for round in 0..ROUNDS + 20 {
        let pair = (run(&mut bare, input), run(command, input));
        if round >= 20 {
            bare_times.push(pair.0);
            times.push(pair.1);
        }
    }
    (median(bare_times), median(times))
}

fn time<T>(rounds: usize, mut body: impl FnMut() -> T) -> f64 {
    let times = (0..rounds).map(|_| {
        let started = Instant::now();
        black_box(body());
        started.elapsed()
    });
    median(times.collect())
}

fn stages(home: &Path) {
    let places = Places::below(home.to_str().unwrap());
    let root = home.join("repo").to_str().unwrap().to_owned();
    let open =
        || Prepared::open(&places, Path::new(PROGRAM), std::slice::from_ref(&root)).expect("the chain is prepared");
    println!("stages, in process, median of 200:");
    let row = |name: &str, micros: f64| println!("  {name:<26} {micros:8.1} us");
    row("open the prepared chain", time(200, open));
    row("engine", time(200, || Engine::new().unwrap()));
    let engine = Engine::new().unwrap();
    let _clock = Clock::start(engine.clone());
    let prepared = open();
    let analyzer = prepared.analyzer.clone().unwrap();
    row("map and link the analyzer", time(200, || engine.load_analyzer(&analyzer.path, &analyzer.interface).unwrap()));
    for member in &prepared.members {
        let Readiness::Ready { artifact, .. } = &member.readiness else { panic!("{member:?}") };
        let name = format!("map and link {}", member.entry.name);
        row(&name, time(200, || engine.load(&artifact.path, &artifact.interface, artifact.wasi).unwrap()));
    }
    let loaded = engine.load_analyzer(&analyzer.path, &analyzer.interface).unwrap();
    let long = "git add src/main.rs && cargo test --quiet | tail -n 3; echo done > /dev/null\n".repeat(260);
    for text in ["git status --short .", &long[..308], &long[..20_020]] {
        let name = format!("analyse {} bytes", text.len());
        row(&name, time(200, || loaded.analyze(text, "bash", "/tmp", "/root").unwrap()));
    }
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(std::env::vars().collect()));
    let chain = Chain::new(engine, prepared);
    let at =
        Circumstances { cwd: root.clone(), project_root: root, home: "/root".to_owned(), ..Circumstances::default() };
    for command in ["ls -la", "rm -rf /"] {
        let input = serde_json::json!({ "command": command }).as_object().unwrap().clone();
        let call = ToolCall::new("Bash", input);
        row(&format!("decide `{command}`"), time(200, || chain.decide(&call, &at, &facts, Ask::default())));
    }
}

fn batch(home: &Path) {
    const LINES: usize = 5000;
    let commands = ["ls -la", "git status", "cargo test 2>&1 | tail -n 5", "rm -rf ./build", "git push origin main"];
    let line = |command: &&str| serde_json::json!({ "tool": "Bash", "input": command }).to_string() + "\n";
    let input: String = commands.iter().cycle().take(LINES).map(line).collect();
    let file = home.join("batch.ndjson");
    std::fs::write(&file, input).unwrap();
    let started = Instant::now();
    let mut command = Command::new(PROGRAM);
    command.args(["check", "--batch"]).env("HOME", home).current_dir(home.join("repo"));
    let status = command.stdin(std::fs::File::open(&file).unwrap()).stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    println!(
        "batch: {:.0} decisions a second, one process, {LINES} lines",
        LINES as f64 / started.elapsed().as_secs_f64()
    );
}

/// `guard-host test` over many cases of one policy, which is compiled already.
fn cases(home: &Path) {
    const CASES: usize = 1000;
    let known = [("ls -la", "abstain"), ("cargo test 2>&1 | tail -n 5", "abstain"), ("rm -rf /", "deny")];
    let line =
        |(command, expect): &(&str, &str)| serde_json::json!({ "input": command, "expect": expect }).to_string() + "\n";
    let file = home.join("cases.jsonl");
    std::fs::write(&file, known.iter().cycle().take(CASES).map(line).collect::<String>()).unwrap();
    for arguments in [&[][..], &["--mutate", "--min-kept", "97"]] {
        let started = Instant::now();
        let mut command = Command::new(PROGRAM);
        command.args(["test", "command-guard"]).arg(&file).args(arguments).env("HOME", home);
        let status = command.current_dir(home.join("repo")).stdout(Stdio::null()).status().unwrap();
        assert!(status.success());
        let what = if arguments.is_empty() { "cases" } else { "cases, and 10,000 mutants of them" };
        println!("test: {CASES} {what}: {:.2} s", started.elapsed().as_secs_f64());
    }
}
