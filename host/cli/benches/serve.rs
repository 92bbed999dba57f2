//! The cost of a call that is posted to `guard-host serve`, and to the same chain as a component on `wasmtime serve`
//! and on wasmCloud's host, if these are there: the whole round trip, and the decision within it.
//!
//! ```sh
//! cargo bench -p guard-host --bench serve
//! cargo test --release -p guard-host --bench serve -- target/dist/guard-host
//! ```
//!
//! The argument is the program to start, which is the one of the build by default. It gets a home of its own, and each
//! connection is used for all of its calls. Nothing here fails for being slow.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark may stop at a surprise")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The calls of a row, as far as no connection has more than its share.
const CALLS: usize = 10_000;

/// The maximum number of calls per connection.
const MOST_EACH: usize = 2_000;

/// How long the calls of a row may take; then no further one is posted.
const MOST_TIME: Duration = Duration::from_secs(10);

/// The measured times of a call, in microseconds.
type Times = (f64, f64);

/// An engine that answers: its name, its address, and the token it wants.
type Engine = (&'static str, String, String);

fn main() {
    let program = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let program = program.map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_guard-host")), PathBuf::from);
    let home = std::env::temp_dir().join(format!("guard-host-bench-serve-{}", std::process::id()));
    fs::create_dir_all(home.join("repo/.git")).unwrap();
    println!("calls posted to /hook/claude, with as many connections as the row says; `serve` is the native server:");
    println!("  {:<34} {:>9}  {:>28}  {:>28}", "", "calls/s", "round trip p50, p99", "decision p50, p99");
    let ls = "ls -la".to_owned();
    engines(&program, &home, "preset = \"standard\"\n", |engine| {
        for connections in [1, 16, 256] {
            row(&home, engine, "standard, `ls -la`", &ls, connections);
        }
        for connections in [1, 16, 256] {
            row(&home, engine, "standard, `rm -rf /`", "rm -rf /", connections);
        }
        for bytes in [1 << 10, 16 << 10, 64 << 10] {
            let text = "echo one two three && ".repeat(bytes / 22) + "ls";
            row(&home, engine, &format!("standard, {} KiB of shell", bytes >> 10), &text, 1);
        }
    });
    engines(&program, &home, "preset = \"full\"\n", |engine| row(&home, engine, "full, `ls -la`", &ls, 1));
    fs::remove_dir_all(&home).unwrap();
}

/// Starts the native server, and the chain as a component on `wasmtime serve`, and lets each be measured.
fn engines(program: &Path, home: &Path, configuration: &str, measure: impl Fn(&Engine)) {
    let folder = home.join(".config/guard-host");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("guard.toml"), configuration).unwrap();
    let (mut server, address) = start(program, home);
    let token = fs::read_to_string(home.join(".local/state/guard-host/serve.token")).unwrap();
    measure(&("serve", address, token.trim().to_owned()));
    server.kill().unwrap();
    server.wait().unwrap();
    let mut build = Command::new(program);
    build.args(["service", "build"]).env_clear().env("HOME", home).current_dir(home).stdout(Stdio::null());
    assert!(build.status().unwrap().success());
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../guest-sdk/examples/service/wadm.yaml");
    let component = "guard-service.wasm";
    // The job `service` in `tests/languages/` builds the second one.
    for (name, program, arguments) in [
        ("wasmtime serve", "wasmtime", vec!["serve", "--addr", &address, component]),
        ("wasmCloud", "on-wasmcloud", vec![manifest, component, &address]),
    ] {
        let mut engine = Command::new(program);
        engine.args(arguments).current_dir(home);
        let Ok(mut engine) = engine.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            println!("  {name}: skipped, because there is no `{program}`");
            continue;
        };
        while !is_ready(&address) {
            assert!(engine.try_wait().unwrap().is_none(), "{name} has ended");
            thread::sleep(Duration::from_millis(50));
        }
        measure(&(name, address.clone(), String::new()));
        engine.kill().unwrap();
        engine.wait().unwrap();
    }
}

/// Returns whether an engine has begun to answer.
fn is_ready(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let asked = stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let mut answer = String::new();
    asked.is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.1 200")
}

/// Measures calls and prints what they took.
fn row(home: &Path, (name, address, token): &Engine, what: &str, command: &str, connections: usize) {
    let request = request(home, token, command);
    // The first calls start what all share.
    converse(address, &request, 20);
    let each = (CALLS / connections).min(MOST_EACH);
    let started = Instant::now();
    let times: Vec<Times> = thread::scope(|scope| {
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(|| converse(address, &request, each))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let rate = times.len() as f64 / started.elapsed().as_secs_f64();
    let ([trip, slow_trip], [decision, slow_decision]) =
        (quantiles(times.iter().map(|time| time.0)), quantiles(times.iter().map(|time| time.1)));
    // An engine of others does not say how long the decision took.
    let decision = match decision > 0.0 {
        true => format!("{decision:11.0} us {slow_decision:11.0} us"),
        false => String::new(),
    };
    let what = format!("{what}, {connections}");
    println!("  {name:<14} {what:<32} {rate:9.0}  {trip:11.0} us {slow_trip:11.0} us  {decision}");
}

/// A server in this home, and its address.
fn start(program: &Path, home: &Path) -> (Child, String) {
    let mut command = Command::new(program);
    command.args(["serve", "--listen", "127.0.0.1:0"]).env_clear().env("HOME", home).current_dir(home);
    let mut server = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (server, line.trim().trim_start_matches("listening at http://").to_owned())
}

fn request(home: &Path, token: &str, command: &str) -> String {
    let body = serde_json::json!({
        "session_id": "s1", "transcript_path": "/h/t.jsonl", "cwd": home.join("repo"), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command },
        "tool_use_id": "toolu_1",
    })
    .to_string();
    let head = format!("POST /hook/claude HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n");
    format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// Posts the request so many times over one connection, as far as there is time.
fn converse(address: &str, request: &str, times: usize) -> Vec<Times> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut once = || {
        let started = Instant::now();
        stream.write_all(request.as_bytes()).unwrap();
        let (mut length, mut decision, mut line) = (0, 0.0, String::new());
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            } else if let Some((_, value)) = lower.split_once("dur=") {
                decision = value.trim().parse::<f64>().unwrap() * 1000.0;
            } else if lower.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        (started.elapsed().as_secs_f64() * 1e6, decision)
    };
    let began = Instant::now();
    (0..times).map_while(|_| (began.elapsed() < MOST_TIME).then(&mut once)).collect()
}

/// The median and the 99th percentile.
fn quantiles(times: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}
