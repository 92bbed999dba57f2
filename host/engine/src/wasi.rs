//! A frozen WASI, for guests whose language runtime needs one to start.
//!
//! It reveals nothing about the machine: clocks start at 0 and advance by a nanosecond each time they are read, random
//! numbers are the same in every instance, the environment and the arguments are empty, there are no files, and an exit
//! traps. Output is discarded, except for the end of standard error, which faults show. Functions that aren't in these
//! tables, such as those for sockets, trap as without it.
//!
//! Every resource is a host resource without a value, as in the traps that wasmtime defines for the rest of an
//! interface, so that the types match.

use wasmtime::component::{ComponentType, Linker, LinkerInstance, Lower, Resource, Val, WasmList};
use wasmtime::error::format_err;
use wasmtime::{Result, StoreContextMut};

use super::imports::State;

/// The maximum number of random bytes in one call.
const RANDOM_BYTES: u64 = 64 << 10;

/// The maximum number of bytes that a guest can write to a stream at once.
const WRITE_BYTES: u64 = 64 << 10;

/// The resource number of standard error. All other streams are 0.
const STDERR: u32 = 2;

/// The number of bytes kept from the end of standard error, where language runtimes report errors.
const STDERR_BYTES: usize = 1 << 10;

/// The state of a frozen WASI.
#[derive(Debug, Default)]
pub(super) struct FrozenWasi {
    /// The number of times that a clock was read.
    looks: u64,
    random: Sequence,
    /// The end of the output to standard error.
    stderr: Vec<u8>,
}

impl FrozenWasi {
    /// Returns the time. It always advances, because runtimes treat a clock that doesn't as broken.
    fn now(&mut self) -> u64 {
        self.looks += 1;
        self.looks
    }

    fn print(&mut self, bytes: &[u8]) {
        self.stderr.extend_from_slice(bytes);
        let surplus = self.stderr.len().saturating_sub(STDERR_BYTES);
        self.stderr.drain(..surplus);
    }

    /// Returns the guest's output on standard error before it gave up, in one line, or `None` if there was no output.
    pub(super) fn error_output(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.stderr);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        (!lines.is_empty()).then(|| lines.join(" / "))
    }
}

/// The error of a guest's exit.
#[derive(Debug, thiserror::Error)]
#[error("it ended itself with `wasi:cli/exit`")]
pub(super) struct Exit;

type Define = fn(&mut LinkerInstance<'_, State>) -> Result<()>;

/// The supported interfaces, in any version 0.2.
const INTERFACES: [(&str, Define); 18] = [
    ("wasi:cli/environment", environment),
    ("wasi:cli/exit", exit),
    ("wasi:cli/stdin", stdin),
    ("wasi:cli/stdout", |at| stream(at, "get-stdout", 0)),
    ("wasi:cli/stderr", |at| stream(at, "get-stderr", STDERR)),
    ("wasi:cli/terminal-stdin", |at| terminal(at, "get-terminal-stdin")),
    ("wasi:cli/terminal-stdout", |at| terminal(at, "get-terminal-stdout")),
    ("wasi:cli/terminal-stderr", |at| terminal(at, "get-terminal-stderr")),
    ("wasi:clocks/monotonic-clock", monotonic_clock),
    ("wasi:clocks/wall-clock", wall_clock),
    ("wasi:filesystem/preopens", preopens),
    ("wasi:filesystem/types", filesystem),
    ("wasi:io/error", error),
    ("wasi:io/poll", poll),
    ("wasi:io/streams", streams),
    ("wasi:random/insecure", |at| random(at, "get-insecure-random-bytes", "get-insecure-random-u64")),
    ("wasi:random/insecure-seed", insecure_seed),
    ("wasi:random/random", |at| random(at, "get-random-bytes", "get-random-u64")),
];

fn interface(import: &str) -> Option<Define> {
    let (name, version) = import.split_once('@')?;
    let (_, define) = INTERFACES.iter().find(|(interface, _)| *interface == name)?;
    version.starts_with("0.2.").then_some(*define)
}

/// Defines the supported functions of an import.
pub(super) fn define(linker: &mut Linker<State>, import: &str) -> Result<()> {
    match interface(import) {
        Some(define) => define(&mut linker.instance(import)?),
        None => Ok(()),
    }
}

/// A resource without a value.
fn unit_resource() -> Resource<()> {
    Resource::new_own(0)
}

fn environment(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("get-environment", |_, (): ()| Ok((Vec::<(String, String)>::new(),)))?;
    at.func_wrap("get-arguments", |_, (): ()| Ok((Vec::<String>::new(),)))?;
    at.func_wrap("initial-cwd", |_, (): ()| Ok((None::<String>,)))
}

fn exit(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("exit", |_, (_,): (core::result::Result<(), ()>,)| Err::<(), _>(Exit.into()))?;
    at.func_wrap("exit-with-code", |_, (_,): (u8,)| Err::<(), _>(Exit.into()))
}

fn stdin(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    stream(at, "get-stdin", 0)
}

fn stream(at: &mut LinkerInstance<'_, State>, name: &str, number: u32) -> Result<()> {
    at.func_wrap(name, move |_, (): ()| Ok((Resource::<()>::new_own(number),)))
}

fn terminal(at: &mut LinkerInstance<'_, State>, name: &str) -> Result<()> {
    at.func_wrap(name, |_, (): ()| Ok((None::<Resource<()>>,)))
}

fn monotonic_clock(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("now", |mut store: StoreContextMut<'_, State>, (): ()| Ok((store.data_mut().wasi.now(),)))?;
    at.func_wrap("resolution", |_, (): ()| Ok((1_u64,)))?;
    // Waiting ends immediately.
    at.func_wrap("subscribe-instant", |_, (_,): (u64,)| Ok((unit_resource(),)))?;
    at.func_wrap("subscribe-duration", |_, (_,): (u64,)| Ok((unit_resource(),)))
}

/// `datetime` of the wall clock.
#[derive(ComponentType, Lower)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

fn wall_clock(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("now", |mut store: StoreContextMut<'_, State>, (): ()| {
        let now = std::time::Duration::from_nanos(store.data_mut().wasi.now());
        Ok((Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() },))
    })?;
    at.func_wrap("resolution", |_, (): ()| Ok((Datetime { seconds: 0, nanoseconds: 1 },)))
}

fn preopens(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("get-directories", |_, (): ()| Ok((Vec::<(Resource<()>, String)>::new(),)))
}

/// There are no descriptors, because there is no preopened folder.
fn filesystem(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_new("filesystem-error-code", |_, _, _, results| {
        results.iter_mut().for_each(|result| *result = Val::Option(None));
        Ok(())
    })
}

fn error(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("[method]error.to-debug-string", |_, (_,): (Resource<()>,)| Ok((String::new(),)))
}

fn poll(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("[method]pollable.ready", |_, (_,): (Resource<()>,)| Ok((true,)))?;
    at.func_wrap("[method]pollable.block", |_, (_,): (Resource<()>,)| Ok(()))?;
    at.func_wrap("poll", |_, (pollables,): (Vec<Resource<()>>,)| {
        if pollables.is_empty() {
            return Err(format_err!("it polled nothing"));
        }
        Ok(((0..pollables.len()).filter_map(|index| u32::try_from(index).ok()).collect::<Vec<_>>(),))
    })
}

/// `stream-error`.
#[derive(ComponentType, Lower)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    #[expect(dead_code, reason = "the contract has the case, and no operation here fails")]
    LastOperationFailed(Resource<()>),
    #[component(name = "closed")]
    Closed,
}

/// Defines the streams: output is discarded except for standard error, and input is at its end.
fn streams(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    type Done = core::result::Result<(), StreamError>;
    type Length = core::result::Result<u64, StreamError>;
    type Bytes = core::result::Result<Vec<u8>, StreamError>;
    const TAKEN: (Done,) = (Ok(()),);
    for name in ["read", "blocking-read"] {
        let end = |_: StoreContextMut<'_, State>, _: (Resource<()>, u64)| Ok((Bytes::Err(StreamError::Closed),));
        at.func_wrap(&format!("[method]input-stream.{name}"), end)?;
    }
    for name in ["skip", "blocking-skip"] {
        let end = |_: StoreContextMut<'_, State>, _: (Resource<()>, u64)| Ok((Length::Err(StreamError::Closed),));
        at.func_wrap(&format!("[method]input-stream.{name}"), end)?;
    }
    for name in ["input-stream.subscribe", "output-stream.subscribe"] {
        at.func_wrap(&format!("[method]{name}"), |_, (_,): (Resource<()>,)| Ok((unit_resource(),)))?;
    }
    let ready = |_: StoreContextMut<'_, State>, (_,): (Resource<()>,)| Ok((Length::Ok(WRITE_BYTES),));
    at.func_wrap("[method]output-stream.check-write", ready)?;
    for name in ["write", "blocking-write-and-flush"] {
        let write = |mut store: StoreContextMut<'_, State>, (stream, bytes): (Resource<()>, WasmList<u8>)| {
            if stream.rep() == STDERR {
                let bytes = bytes.as_le_slice(&store);
                let end = bytes.get(bytes.len().saturating_sub(STDERR_BYTES)..).unwrap_or_default().to_vec();
                store.data_mut().wasi.print(&end);
            }
            Ok(TAKEN)
        };
        at.func_wrap(&format!("[method]output-stream.{name}"), write)?;
    }
    for name in ["write-zeroes", "blocking-write-zeroes-and-flush"] {
        let write = |_: StoreContextMut<'_, State>, _: (Resource<()>, u64)| Ok(TAKEN);
        at.func_wrap(&format!("[method]output-stream.{name}"), write)?;
    }
    for name in ["flush", "blocking-flush"] {
        let flush = |_: StoreContextMut<'_, State>, (_,): (Resource<()>,)| Ok(TAKEN);
        at.func_wrap(&format!("[method]output-stream.{name}"), flush)?;
    }
    Ok(())
}

fn random(at: &mut LinkerInstance<'_, State>, bytes: &str, number: &str) -> Result<()> {
    at.func_wrap(bytes, |mut store: StoreContextMut<'_, State>, (length,): (u64,)| {
        if length > RANDOM_BYTES {
            return Err(format_err!("it wanted {length} random bytes at once, more than {RANDOM_BYTES}"));
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let random = &mut store.data_mut().wasi.random;
        let words = std::iter::repeat_with(|| random.draw().to_le_bytes());
        Ok((words.flatten().take(length).collect::<Vec<u8>>(),))
    })?;
    at.func_wrap(number, |mut store: StoreContextMut<'_, State>, (): ()| Ok((store.data_mut().wasi.random.draw(),)))
}

fn insecure_seed(at: &mut LinkerInstance<'_, State>) -> Result<()> {
    at.func_wrap("insecure-seed", |_, (): ()| Ok(((0_u64, 0_u64),)))
}

/// A deterministic sequence of pseudo-random numbers (SplitMix64), the same in every instance.
#[derive(Debug, Default)]
struct Sequence(u64);

impl Sequence {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use guard_contract::is_wasi_answered;

    use super::*;

    #[test]
    fn every_interface_that_is_answered_is_defined() {
        assert_eq!(INTERFACES.map(|(name, _)| name), guard_contract::WASI_INTERFACES);
    }

    #[test]
    fn what_is_answered_goes_by_interface_and_version() {
        for (import, expected) in [
            ("wasi:cli/environment@0.2.0", true),
            ("wasi:cli/environment@0.2.6#get-environment", true),
            ("wasi:cli/environment@0.3.0", false),
            ("wasi:cli/environment", false),
            ("wasi:sockets/tcp@0.2.0", false),
            ("wasi:http/types@0.2.0", false),
            ("guard:policy/env@0.1.0", false),
        ] {
            assert_eq!(is_wasi_answered(import), expected, "{import}");
        }
    }

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut sequence = Sequence::default();
        assert_eq!(sequence.draw(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(sequence.draw(), 0x6e78_9e6a_a1b9_65f4);
    }
}
