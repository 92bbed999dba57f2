//! Converts wasmtime's errors to a [`FaultKind`].

use wasmtime::{OutOfMemory, PoolConcurrencyLimitError, Store, Trap, WasmBacktrace};

use guard_contract::{FaultKind, Interface};

use crate::imports::State;
use crate::meter::OverLimit;
use crate::wasi;

/// The interface that a policy exports.
const POLICY: &str = "guard:policy/policy@0.1.0";

/// Returns the reason why a component couldn't be linked. For a policy of another version, and for a component that
/// isn't a policy, its exports explain more than the first missing import.
pub(super) fn link_fault(error: &wasmtime::Error, interface: &Interface) -> FaultKind {
    let exported = |part: &str| interface.exports.iter().find(|export| export.starts_with(part));
    if exported(POLICY).is_none() {
        let other = exported(POLICY.split('@').next().unwrap_or_default());
        return FaultKind::Contract(match other {
            Some(other) => format!("it exports `{other}`, which is another version"),
            None => format!("it does not export `{POLICY}`"),
        });
    }
    FaultKind::Contract(format!("{error:#}"))
}

/// Converts the error of a call into a guest. The guest's last output may explain it.
pub(super) fn call_fault(error: &wasmtime::Error, store: &Store<State>) -> FaultKind {
    let state = store.data();
    let last_words = state.view.log.last().map(|line| line.message.clone()).or_else(|| state.wasi.error_output());
    run_fault(error, last_words.as_deref())
}

/// Converts the error of a guest's start. The bundle always starts if there is enough memory, so its errors count as a
/// lack of memory, even those that are only a text.
pub(super) fn start_fault(error: &wasmtime::Error, is_bundle: bool) -> FaultKind {
    match run_fault(error, None) {
        FaultKind::BadAnswer(text) if is_bundle || is_of_system(error) => FaultKind::NoRoom(text),
        fault => fault,
    }
}

fn is_of_system(error: &wasmtime::Error) -> bool {
    let refused =
        |cause: &(dyn std::error::Error + 'static)| cause.is::<std::io::Error>() || is_number_of_system(cause);
    error.chain().any(refused) || error.is::<OutOfMemory>() || error.is::<PoolConcurrencyLimitError>()
}

pub(super) fn run_fault(error: &wasmtime::Error, last_words: Option<&str>) -> FaultKind {
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => return FaultKind::Time,
        Some(Trap::StackOverflow) => return FaultKind::Stack,
        Some(trap) => {
            let text = last_words.map_or_else(|| trap.to_string(), str::to_owned);
            return FaultKind::Trap(format!("{text}{}", functions(error)));
        }
        None => {}
    }
    if let Some(exit) = error.downcast_ref::<wasi::Exit>() {
        return FaultKind::Trap(last_words.map_or_else(|| exit.to_string(), str::to_owned));
    }
    if error.is::<OverLimit>() {
        return FaultKind::Memory;
    }
    // wasmtime has no error type for this. Its own message is the innermost cause. The outer ones may come from the
    // guest.
    if let Some(rest) = error.root_cause().to_string().strip_prefix("unknown import: `")
        && let Some((name, _)) = rest.split_once('`')
    {
        return FaultKind::ForeignImport(name.to_owned());
    }
    let causes = error.chain().map(ToString::to_string).filter(|cause| !cause.starts_with(BACKTRACE));
    FaultKind::BadAnswer(causes.collect::<Vec<_>>().join(": "))
}

/// Prefix of wasmtime's error context with a backtrace.
const BACKTRACE: &str = "error while executing at wasm backtrace";

/// The maximum length of a function name in a message, in characters.
const NAME_CHARS: usize = 120;

/// Lists the functions in which a guest trapped, innermost first. Empty if the guest has no function names.
fn functions(error: &wasmtime::Error) -> String {
    let frames = error.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default();
    let names: Vec<String> =
        frames.iter().filter_map(|frame| frame.func_name()).map(|name| format!("`{}`", demangle(name))).collect();
    if names.is_empty() { String::new() } else { format!(" (in {})", names.join(", called by ")) }
}

/// Demangles a function's name, and removes Rust's hash.
fn demangle(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name)).chars().take(NAME_CHARS).collect()
}

/// On Unix, wasmtime reports the bare error number.
#[cfg(unix)]
fn is_number_of_system(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.is::<rustix::io::Errno>()
}

#[cfg(not(unix))]
fn is_number_of_system(_: &(dyn std::error::Error + 'static)) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_rust_is_shown_as_its_author_wrote_it() {
        for (name, shown) in [
            ("_ZN4core9panicking5panic17h0123456789abcdefE", "core::panicking::panic"),
            ("_ZN9my_policy6decide17h0123456789abcdefE", "my_policy::decide"),
            ("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"),
            ("divide", "divide"),
        ] {
            assert_eq!(super::demangle(name), shown);
        }
    }

    #[test]
    fn of_others_only_what_the_system_refuses_is_want_of_room() {
        #[derive(Debug, thiserror::Error)]
        #[error("it cannot be sealed")]
        struct Wrapped(#[source] std::io::Error);
        let io = || std::io::Error::from_raw_os_error(12);
        for refused in [
            wasmtime::Error::from(io()).context("mapping"),
            wasmtime::Error::from(Wrapped(io())),
            wasmtime::Error::from(rustix::io::Errno::NOMEM),
        ] {
            assert!(matches!(start_fault(&refused, false), FaultKind::NoRoom(_)), "{refused:?}");
        }
        let too_many = wasmtime::format_err!("resource limit exceeded: instance count too high");
        assert!(matches!(start_fault(&too_many, false), FaultKind::BadAnswer(_)));
        assert!(matches!(start_fault(&too_many, true), FaultKind::NoRoom(_)));
        assert_eq!(start_fault(&wasmtime::Error::from(Trap::Interrupt), true), FaultKind::Time);
    }
}
