//! The committed bindings equal what `wit/` gives.
//!
//! `UPDATE_BINDINGS=1 cargo test --release --test bindings` writes them anew.

#![expect(clippy::expect_used, reason = "a test stops at a surprise")]

use std::path::{Path, PathBuf};

use wit_bindgen_core::{Files, WorldGenerator, wit_parser::Resolve};
use wit_bindgen_rust::{Opts, WithOption};

/// Enums come with their comparisons derived; records do not.
const ENUMS: [&str; 6] = ["outcome", "fault", "presence", "level", "coverage", "severity"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|dir| dir.join("wit/world.wit").exists())
        .expect("the workspace holds wit/")
        .to_path_buf()
}

/// The analyzer speaks of the types that the SDK holds already.
fn shared(interface: &str) -> (String, WithOption) {
    (
        format!("guard:policy/{interface}@0.1.0"),
        WithOption::Path(format!("guard_sdk::bindings::guard::policy::{interface}")),
    )
}

fn options(default_module: &str, with: Vec<(String, WithOption)>) -> Opts {
    Opts {
        with,
        format: true,
        generate_all: true,
        generate_unused_types: true,
        pub_export_macro: true,
        export_macro_name: Some("export_component".to_owned()),
        default_bindings_module: Some(default_module.to_owned()),
        additional_derive_attributes: vec!["PartialEq".to_owned(), "Eq".to_owned()],
        additional_derive_ignore: ENUMS.map(str::to_owned).to_vec(),
        ..Opts::default()
    }
}

fn generate(world: &str, options: Opts) -> String {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(root().join("wit")).expect("wit/ parses");
    let world = resolve.select_world(&[package], Some(world)).expect("the world exists");
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files).expect("bindings can be generated");
    let (_, bytes) = files.iter().next().expect("one file is generated");
    String::from_utf8(bytes.to_vec()).expect("bindings are text")
}

fn check(path: &str, world: &str, options: Opts) {
    let path = root().join(path);
    let generated = generate(world, options);
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::write(&path, &generated).expect("bindings can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "{} differs from wit/; run `UPDATE_BINDINGS=1 cargo test --release --test bindings`",
        path.display()
    );
}

#[test]
fn guest_bindings_equal_the_contract() {
    check("guest-sdk/src/bindings.rs", "guest", options("guard_sdk::bindings", Vec::new()));
}

#[test]
fn analyzer_bindings_equal_the_contract() {
    check(
        "host/shell/src/bindings.rs",
        "analyzer-guest",
        options("crate::bindings", vec![shared("types"), shared("syntax")]),
    );
}
