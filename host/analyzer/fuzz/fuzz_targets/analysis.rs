//! See `analysis` in `checks.rs`.

#![no_main]

#[allow(dead_code, reason = "the other targets use the rest")]
#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::analysis(bytes));
