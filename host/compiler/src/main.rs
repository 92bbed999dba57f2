//! Compiles one WebAssembly component: bytes on standard input, the artifact on standard output. The other commands are for
//! the build, which has its own guests run.
//!
//! A program of its own, so that neither the hook nor the commands hold a compiler, and so that a component that is
//! hard to compile can take no more than what the limits of this process leave it. It opens no file and starts nothing.
//!
//! `guard-compiler compile [TRIPLE]`: the artifact, or exit code 1 and the reason on standard error.
//! `guard-compiler describe`: the component's interface and manifest as JSON.
//! `guard-compiler describe-artifact`: the same, from an artifact that this program has made for this machine.
//! `guard-compiler trace START END LIST...`: for each list, these bytes of the bundle's memory after the policies in its
//! first line have decided the commands in the others.

use std::io::{Read, Write, stdin, stdout};
use std::process::ExitCode;

use guard_contract::{COMPONENT_BYTES, FaultKind, Limits, Wasi};
use guard_engine::clock::Clock;
use guard_engine::{Engine, settings};
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use wasmtime::OptLevel;

/// The processor time that compiling may take, in seconds: far more than any component that was tried.
const SECONDS: u64 = 120;

/// The addresses that compiling may take, in bytes. `describe` reserves some 4 GiB for each memory of the guest.
#[cfg(unix)]
const ADDRESSES: u64 = 16 << 30;

/// The triple that artifacts are made for if none is given: that of the program. No feature of this very processor is
/// used, so that an artifact runs wherever the program does.
const TARGET: &str = env!("GUARD_TARGET");

fn main() -> ExitCode {
    limit_all();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["compile"] => run(|wasm| compile(TARGET, OptLevel::Speed, wasm)),
        ["compile", triple] => run(|wasm| compile(triple, OptLevel::Speed, wasm)),
        ["describe"] => run(|wasm| describe(&compile(TARGET, OptLevel::None, wasm)?)),
        ["describe-artifact"] => run(describe),
        ["trace", start, end, lists @ ..] => run(|wasm| trace(wasm, [start, end], lists)),
        _ => Err("usage: guard-compiler compile [TRIPLE] | describe | describe-artifact | trace START END LIST..."
            .to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprint!("{reason}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
fn limit_all() {
    limit(Resource::Cpu, SECONDS);
    limit(Resource::As, ADDRESSES);
    limit(Resource::Core, 0);
}

/// Ends this process after the time, whoever used the processor. There is no limit of addresses.
#[cfg(not(unix))]
fn limit_all() {
    std::thread::spawn(|| {
        std::thread::sleep(std::time::Duration::from_secs(SECONDS));
        eprint!("compiling took longer than {SECONDS} s");
        std::process::exit(1);
    });
}

/// Lowers a limit. One that is lower already stays as it is.
#[cfg(unix)]
fn limit(resource: Resource, most: u64) {
    let most = getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
    let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
}

fn run(answer: impl FnOnce(&[u8]) -> Result<Vec<u8>, String>) -> Result<(), String> {
    write(&answer(&read()?)?)
}

fn read() -> Result<Vec<u8>, String> {
    let mut wasm = Vec::new();
    let most = COMPONENT_BYTES as u64 + 1;
    stdin().lock().take(most).read_to_end(&mut wasm).map_err(|error| error.to_string())?;
    Ok(wasm)
}

fn write(output: &[u8]) -> Result<(), String> {
    let mut out = stdout().lock();
    out.write_all(output).and_then(|()| out.flush()).map_err(|error| error.to_string())
}

/// Compiles for one kind of machine. What runs once, for the build, is compiled faster than it runs.
fn compile(triple: &str, level: OptLevel, wasm: &[u8]) -> Result<Vec<u8>, String> {
    let mut config = settings();
    config.cranelift_opt_level(level);
    // Windows finds its way through a stack by it.
    config.native_unwind_info(triple.contains("windows"));
    config.target(triple).map_err(|error| format!("{error:#}"))?;
    let engine = wasmtime::Engine::new(&config).map_err(|error| format!("{error:#}"))?;
    engine.precompile_component(wasm).map_err(|error| format!("{error:#}"))
}

/// The policies and the commands of a list.
fn parts(list: &str) -> (Vec<&str>, Vec<&str>) {
    let (policies, commands) = list.split_once('\n').unwrap_or((list, ""));
    (policies.split_whitespace().collect(), commands.lines().collect())
}

fn trace(wasm: &[u8], range: [&str; 2], lists: &[&str]) -> Result<Vec<u8>, String> {
    let [Ok(start), Ok(end)] = range.map(str::parse::<usize>) else {
        return Err("START and END are numbers".to_owned());
    };
    let engine = Engine::new().map_err(|fault| fault.to_string())?;
    let compile = |wasm: &[u8]| compile(TARGET, OptLevel::None, wasm).map_err(FaultKind::Component);
    let lists: Vec<(Vec<&str>, Vec<&str>)> = lists.iter().map(|list| parts(list)).collect();
    let memories = engine.memories_after(wasm, &lists, compile).map_err(|fault| fault.to_string())?;
    let marks = |memory: &Vec<u8>| memory.get(start..end).map(<[u8]>::to_vec).ok_or("the memory is smaller than that");
    Ok(memories.iter().map(marks).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns the component's description of itself: `{"interface": ..., "manifest": ...}`, the manifest `null` if it is
/// no policy. The artifact runs as it is, so it must be one that this program has made.
fn describe(artifact: &[u8]) -> Result<Vec<u8>, String> {
    let engine = Engine::new().map_err(|fault| fault.to_string())?;
    let code = engine.read(artifact).map_err(|fault| fault.to_string())?;
    let interface = engine.interface(&code);
    let is_policy = interface.exports.iter().any(|export| export.starts_with("guard:policy/policy@"));
    let manifest = if is_policy {
        let policy = engine.load(&code, &interface, Wasi::Absent).map_err(|fault| fault.to_string())?;
        let _clock = Clock::start(engine.clone());
        Some(policy.describe(Limits::PREPARE).map_err(|fault| fault.to_string())?)
    } else {
        None
    };
    serde_json::to_vec(&serde_json::json!({ "interface": interface, "manifest": manifest }))
        .map_err(|error| error.to_string())
}
