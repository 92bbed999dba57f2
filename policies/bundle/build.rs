//! Gives the component's memory room for what a usual call takes.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // With the data it is less than 2 MiB, which a configuration may set as the limit of memory.
        println!("cargo::rustc-link-arg-cdylib=--initial-heap={}", 384 << 10);
    }
}
