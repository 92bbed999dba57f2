//! The committed bindings match the ones generated from `wit/`.
//!
//! `UPDATE_BINDINGS=1 cargo test --release -p guard-host --test all bindings::` rewrites them.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wit_bindgen_core::{Files, WorldGenerator, wit_parser::Resolve};
use wit_bindgen_rust::Opts;

use crate::support::pages::root;

/// Enums derive comparisons by default. Records don't.
const ENUMS: [&str; 6] = ["outcome", "fault", "presence", "level", "coverage", "severity"];

/// The contract: a folder for each version. The last one contains a policy's world.
const FOLDERS: [&str; 3] = ["wit/0.1.0", "wit/0.2.0", "wit/0.3.0"];

fn options() -> Opts {
    Opts {
        format: true,
        generate_all: true,
        generate_unused_types: true,
        pub_export_macro: true,
        export_macro_name: Some("export_component".to_owned()),
        default_bindings_module: Some("guard_sdk::bindings".to_owned()),
        additional_derive_attributes: vec!["PartialEq".to_owned(), "Eq".to_owned()],
        additional_derive_ignore: ENUMS.map(str::to_owned).to_vec(),
        ..Opts::default()
    }
}

fn generate(folders: &[&str], world: &str, mut generator: Box<dyn WorldGenerator>) -> Files {
    let mut resolve = Resolve::default();
    let packages = folders.iter().map(|folder| resolve.push_path(root().join(folder)).expect("wit/ parses").0);
    let package = packages.last().expect("a folder is given");
    let world = resolve.select_world(&[package], Some(world)).expect("the world exists");
    let mut files = Files::default();
    generator.generate(&mut resolve, world, &mut files).expect("bindings can be generated");
    files
}

fn compare(path: &Path, generated: &[u8]) {
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::write(path, generated).expect("bindings can be written");
    }
    let committed = std::fs::read(path).unwrap_or_default();
    assert!(
        committed == generated,
        "{} differs from wit/; run `UPDATE_BINDINGS=1 cargo test --release -p guard-host --test all bindings::`",
        path.display()
    );
}

#[test]
fn guest_bindings_equal_the_contract() {
    let files = generate(&FOLDERS, "guest", Box::new(options().build()));
    let (_, bytes) = files.iter().next().expect("one file is generated");
    compare(&root().join("guest-sdk/src/bindings.rs"), bytes);
}

#[test]
fn the_bindings_of_the_template_in_c_equal_the_contract() {
    let files = generate(&FOLDERS, "guest", wit_bindgen_c::Opts::default().build());
    for (name, bytes) in files.iter() {
        compare(&root().join("guest-sdk/templates/c/bindings").join(name), bytes);
    }
    assert_eq!(files.iter().count(), 3);
}

/// The generator isn't available here, so this test only notices that the types are outdated. The job for the languages
/// compares each file with it.
#[test]
fn the_types_of_the_templates_in_javascript_and_typescript_were_made_of_this_contract() {
    let files = FOLDERS.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).expect("wit/ can be read"));
    let mut names: Vec<PathBuf> = files.map(|entry| entry.expect("wit/ can be read").path()).collect();
    names.sort();
    let mut digest = Sha256::new();
    for name in names {
        digest.update(std::fs::read(name).expect("a file of wit/ can be read"));
    }
    let hex: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let recorded = root().join("guest-sdk/templates/js-and-ts-types.sha256");
    let committed = std::fs::read_to_string(&recorded).unwrap_or_default();
    assert!(
        committed.trim_end() == hex,
        "wit/ has changed; in guest-sdk/templates/js-and-ts run `guard-host policy wit CONTRACT` and `npx \
         @bytecodealliance/jco@1.15.1 guest-types CONTRACT --world-name guest --out-dir types`, then write {hex} to {}",
        recorded.display()
    );
}
