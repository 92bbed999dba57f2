//! Tells the programs their target.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=GUARD_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
