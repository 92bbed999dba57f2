//! The cost of a call: whole processes compared with `/bin/true` and a Python hook, the stages inside, and the batch.
//!
//! `cargo bench` prints medians and ratios of one interleaved run. Nothing here fails for being slow. With `-- --keep` the
//! figures are also written to `host/cli/benches/kept/`, one file for a version and a processor, and `docs/benchmarks.md` shows
//! them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a benchmark may stop at a surprise"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use guard_contract::call::{CallContext, ToolCall};
use guard_engine::clock::Clock;
use guard_engine::{Engine, SharedInstance};
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_hook::cache::{Readiness, prepare};
use guard_hook::chain::{AskOptions, Chain};
use guard_hook::embedded;
use guard_state::AppDirs;

const ROUNDS: usize = 1000;
const PYTHON: &str = "import json,sys; json.load(sys.stdin)";

/// The install options that the README gives, for this machine.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const INSTALL: &[&str] = &["--target", "x86_64-unknown-linux-musl"];
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
const INSTALL: &[&str] = &[];

/// The recorded figures of a run, by row: microseconds, or calls per second.
type RecordedFigures = serde_json::Map<String, serde_json::Value>;

fn main() {
    let program = install();
    let mut kept = RecordedFigures::new();
    let [home, full] = ["standard", "full"].map(|preset| warm_home(&program, preset));
    processes(&program, &home, &full, &mut kept);
    stages(&program, &home);
    batch(&program, &home, &mut kept);
    cases(&program, &home);
    for home in [home, full] {
        std::fs::remove_dir_all(&home).unwrap();
    }
    if std::env::args().any(|argument| argument == "--keep") {
        save_figures(&program, kept);
    }
}

/// Writes the figures to `host/cli/benches/kept/VERSION-PROCESSOR.json`.
fn save_figures(program: &Path, figures: RecordedFigures) {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let models = || cpus.lines().filter_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let processor = models().next().map_or(std::env::consts::ARCH, |(_, name)| name);
    let date = Command::new("date").args(["-u", "+%F"]).output().unwrap().stdout;
    let sizes = ["guard-host", "guard-host-tools"].map(|name| program.with_file_name(name).metadata().unwrap().len());
    let text = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "date": String::from_utf8(date).unwrap().trim(),
        "processor": processor,
        "processors": std::thread::available_parallelism().unwrap(),
        "figures": figures,
        "bytes": { "guard-host": sizes[0], "guard-host-tools": sizes[1] },
    });
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    let words: Vec<String> =
        processor.split(|c| !is_plain(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kept");
    let file = folder.join(format!("{}-{}.json", env!("CARGO_PKG_VERSION"), words.join("-")));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, serde_json::to_string_pretty(&text).unwrap() + "\n").unwrap();
    println!("kept in {}; `just bless-benchmarks` makes the page", file.display());
}

/// Installs the programs as the README does, but below the target folder, and gives the hook.
fn install() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["install", "--locked", "--quiet", "--force", "--path"]).arg(env!("CARGO_MANIFEST_DIR")).args(INSTALL);
    let status = cargo.arg("--root").arg(&root).status().unwrap();
    assert!(status.success(), "the programs do not install");
    root.join("bin/guard-host")
}

/// A home of its own with a preset, where the hook was called once.
fn warm_home(program: &Path, preset: &str) -> PathBuf {
    let home = std::env::temp_dir().join(format!("guard-host-bench-{}-{preset}", std::process::id()));
    std::fs::create_dir_all(home.join("repo/.git")).unwrap();
    std::fs::create_dir_all(home.join(".config/guard-host")).unwrap();
    std::fs::write(home.join(".config/guard-host/guard.toml"), format!("preset = \"{preset}\"\n")).unwrap();
    // The README's second command. With it the system holds the program's file in large pages, if it knows any.
    let mut install = Command::new(program);
    install.args(["install", "claude"]).env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin").current_dir(&home);
    assert!(install.stdout(Stdio::null()).status().unwrap().success(), "the hook is not registered");
    // The first call of a state of the configuration seals its chain.
    run(&mut hook(program, &home, &input(&home, "ls -la")));
    home
}

/// A file with the payload of a command, for standard input.
fn input(home: &Path, command: &str) -> PathBuf {
    let file = home.join(format!("{}.json", command.replace([' ', '/'], "_")));
    std::fs::write(&file, payload(command)).unwrap();
    file
}

fn payload(command: &str) -> String {
    let input = serde_json::json!({ "command": command, "description": "x" });
    serde_json::json!({
        "session_id": "s1", "transcript_path": "/h/t.jsonl", "cwd": "/tmp", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// The hook, with a file for a pipe: what is measured is the process, not the one that talks to it.
fn hook(program: &Path, home: &Path, input: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["hook", "claude"]).env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
    command.stdin(std::fs::File::open(input).unwrap());
    command
}

/// Runs a process to its end and gives the wall time: `posix_spawn` and `waitpid`, nothing between.
fn run(command: &mut Command) -> Duration {
    let started = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    child.wait().unwrap();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Makes a process of a row.
type Make<'a> = Box<dyn Fn() -> Command + 'a>;

fn processes(program: &Path, home: &Path, full: &Path, kept: &mut RecordedFigures) {
    let python = Command::new("python3").args(["-c", "0"]).stdin(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let [ls, rm, script] = ["ls -la", "rm -rf /", "python3 -c 'print(1)'"].map(|command| input(home, command));
    // The first call with a script unpacks what reads it.
    run(&mut hook(program, home, &script));
    let mut rows: Vec<(&str, &dyn Fn() -> Command)> = Vec::new();
    let rows_of_hook: [(&str, Make<'_>); 5] = [
        ("hook, `ls -la`", Box::new(|| hook(program, home, &ls))),
        ("hook, `rm -rf /`", Box::new(|| hook(program, home, &rm))),
        ("hook, a script of Python", Box::new(|| hook(program, home, &script))),
        ("hook, `ls -la`, full", Box::new(|| hook(program, full, &ls))),
        ("hook, `rm -rf /`, full", Box::new(|| hook(program, full, &rm))),
    ];
    rows.extend(rows_of_hook.iter().map(|(name, make)| (*name, &**make)));
    let of_python = || {
        let mut command = Command::new("python3");
        command.args(["-c", PYTHON]).stdin(std::fs::File::open(&ls).unwrap());
        command
    };
    if python {
        rows.push(("Python, parses its input", &of_python));
    } else {
        println!("Python hook: skipped, because there is no python3");
    }
    println!("whole process as installed, preset standard, warm cache, in turn with /bin/true, {ROUNDS} times:");
    println!("  {:<26} {:>11} {:>11} {:>11} {:>22}", "", "median", "p10", "p99", "x /bin/true (p10)");
    for (name, make) in rows {
        let ([true_p10, true_median, _], [p10, median, p99]) = measure_in_turn(make);
        println!(
            "  {name:<26} {median:8.0} us {p10:8.0} us {p99:8.0} us  {:6.2} ({:.2}), of {true_median:.0} us",
            median / true_median,
            p10 / true_p10
        );
        let round = |value: f64| (value * 100.0).round() / 100.0;
        let [p10, median, p99, times] = [p10.round(), median.round(), p99.round(), round(median / true_median)];
        kept.insert(
            name.to_owned(),
            serde_json::json!({ "p10": p10, "median": median, "p99": p99, "times-true": times }),
        );
    }
}

/// 10th percentile, median, and 99th percentile of `/bin/true` and of a command. In turn, so that both find the machine in
/// the same state.
fn measure_in_turn(make: &dyn Fn() -> Command) -> ([f64; 3], [f64; 3]) {
    let mut bare = Command::new("/bin/true");
    bare.env_clear();
    let (mut bare_times, mut times) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for round in 0..ROUNDS + 20 {
        // The file's place is where the last process left it.
        let mut command = make();
        let pair = (run(&mut bare), run(&mut command));
        if round >= 20 {
            bare_times.push(pair.0);
            times.push(pair.1);
        }
    }
    (percentiles(bare_times), percentiles(times))
}

fn percentiles(mut times: Vec<Duration>) -> [f64; 3] {
    times.sort_unstable();
    [times.len() / 10, times.len() / 2, times.len() * 99 / 100].map(|at| times[at].as_secs_f64() * 1e6)
}

fn time<T>(rounds: usize, mut body: impl FnMut() -> T) -> f64 {
    let times = (0..rounds).map(|_| {
        let started = Instant::now();
        black_box(body());
        started.elapsed()
    });
    median(times.collect())
}

fn stages(program: &Path, home: &Path) {
    let dirs = AppDirs::under_home(home.to_str().unwrap());
    let root = home.join("repo").to_str().unwrap().to_owned();
    let open = || prepare(&dirs, program, std::slice::from_ref(&root), None);
    println!("stages, in process, median of 200:");
    let row = |name: &str, micros: f64| println!("  {name:<26} {micros:8.1} us");
    row("prepare the chain anew", time(200, open));
    row("engine", time(200, || Engine::new().unwrap()));
    let engine = Engine::new().unwrap();
    let _clock = Clock::start(engine.clone());
    let prepared = open();
    row("map and link the analyzer", time(200, || embedded::analyzer(&engine).unwrap()));
    for member in &prepared.members {
        let Readiness::Ready { artifact, .. } = &member.readiness else { panic!("{member:?}") };
        let name = format!("map and link {}", member.entry.name);
        row(&name, time(200, || artifact.policy(&engine).unwrap()));
    }
    let loaded = embedded::analyzer(&engine).unwrap();
    let long = "git add src/main.rs && cargo test --quiet | tail -n 3; echo done > /dev/null\n".repeat(260);
    for text in ["git status --short .", &long[..308], &long[..20_020]] {
        let name = format!("analyse {} bytes", text.len());
        row(
            &name,
            time(200, || {
                loaded.analyze(&mut SharedInstance::default(), text, "bash", ("/tmp", "/root"), None).unwrap()
            }),
        );
    }
    let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(std::env::vars().collect::<BTreeMap<_, _>>()));
    let chain = Chain::new(engine, prepared);
    let at = CallContext { cwd: root.clone(), project_root: root, home: "/root".to_owned(), ..CallContext::default() };
    for command in ["ls -la", "rm -rf /"] {
        let input = serde_json::json!({ "command": command }).as_object().unwrap().clone();
        let call = ToolCall::new("Bash", input);
        row(&format!("decide `{command}`"), time(200, || chain.decide(&call, &at, &facts, AskOptions::default())));
    }
}

fn batch(program: &Path, home: &Path, kept: &mut RecordedFigures) {
    const LINES: usize = 5000;
    const RUNS: usize = 5;
    let commands = ["ls -la", "git status", "cargo test 2>&1 | tail -n 5", "rm -rf ./build", "git push origin main"];
    let line = |command: &&str| serde_json::json!({ "tool": "Bash", "input": command }).to_string() + "\n";
    let input: String = commands.iter().cycle().take(LINES).map(line).collect();
    let file = home.join("batch.ndjson");
    std::fs::write(&file, input).unwrap();
    let once = || {
        let started = Instant::now();
        let mut command = Command::new(program);
        command.args(["check", "--batch"]).env("HOME", home).current_dir(home.join("repo"));
        let status = command.stdin(std::fs::File::open(&file).unwrap()).stdout(Stdio::null()).status().unwrap();
        assert!(status.success());
        started.elapsed()
    };
    let mut times: Vec<Duration> = (0..RUNS).map(|_| once()).collect();
    times.sort_unstable();
    let rate = |time: Duration| LINES as f64 / time.as_secs_f64();
    println!(
        "batch: {:.0} decisions a second, one process, {LINES} lines, median of {RUNS} ({:.0} to {:.0})",
        rate(times[RUNS / 2]),
        rate(times[RUNS - 1]),
        rate(times[0]),
    );
    kept.insert("`check --batch`".to_owned(), serde_json::json!({ "a-second": rate(times[RUNS / 2]).round() }));
}

/// `guard-host test` over many cases of one policy, which is compiled already.
fn cases(program: &Path, home: &Path) {
    const CASES: usize = 1000;
    let known = [("ls -la", "abstain"), ("cargo test 2>&1 | tail -n 5", "abstain"), ("rm -rf /", "deny")];
    let line =
        |(command, expect): &(&str, &str)| serde_json::json!({ "input": command, "expect": expect }).to_string() + "\n";
    let file = home.join("cases.jsonl");
    std::fs::write(&file, known.iter().cycle().take(CASES).map(line).collect::<String>()).unwrap();
    for arguments in [&[][..], &["--mutate", "--min-kept", "97"]] {
        let started = Instant::now();
        let mut command = Command::new(program);
        command.args(["test", "command-guard"]).arg(&file).args(arguments).env("HOME", home);
        let status = command.current_dir(home.join("repo")).stdout(Stdio::null()).status().unwrap();
        assert!(status.success());
        let what = if arguments.is_empty() { "cases" } else { "cases, and 10,000 mutants of them" };
        println!("test: {CASES} {what}: {:.2} s", started.elapsed().as_secs_f64());
    }
}
