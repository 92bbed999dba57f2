//! Tells the programs their target, and leaves out of the static ones that are installed what only a panic that is caught
//! would read.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=no-unwinding.ld");
    println!("cargo::rustc-env=GUARD_TARGET={}", env::var("TARGET").unwrap_or_default());
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Cargo tells a build script no more of the profile than this: only `dist` gives this crate `opt-level = "s"`, and there
    // a panic ends the program.
    if is("CARGO_CFG_TARGET_ENV", "musl") && is("OPT_LEVEL", "s") {
        let script = env::var("CARGO_MANIFEST_DIR").unwrap_or_default() + "/no-unwinding.ld";
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,-T,{script}");
    }
}
