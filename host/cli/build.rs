//! Tells the programs their target, and gives the static ones of a release's archives their layout.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=layout.ld");
    println!("cargo::rustc-check-cfg=cfg(has_layout)");
    println!("cargo::rustc-env=GUARD_TARGET={}", env::var("TARGET").unwrap_or_default());
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Cargo tells a build script no more of the profile than this: only `dist` gives this crate `opt-level = "s"`, and there
    // a panic ends the program.
    if is("CARGO_CFG_TARGET_ENV", "musl") && is("OPT_LEVEL", "s") {
        let script = env::var("CARGO_MANIFEST_DIR").unwrap_or_default() + "/layout.ld";
        println!("cargo::rustc-cfg=has_layout");
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,-T,{script}");
    }
}
