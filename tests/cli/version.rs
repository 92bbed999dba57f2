//! `guard-host self version`: the running programs, and a list of digests.

use std::fs;

use sha2::{Digest, Sha256};

use crate::support::texts::{Transcript, lines_about};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Returns the lines that `sha256sum` would write for both programs.
fn sums() -> String {
    let program = |name, path| {
        let digest: String =
            Sha256::digest(fs::read::<&str>(path).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{digest}  {name}\n")
    };
    program("guard-host", env!("CARGO_BIN_EXE_guard-host"))
        + &program("guard-host-tools", env!("CARGO_BIN_EXE_guard-host-tools"))
}

fn check(world: &World, text: &str) -> ProcessOutput {
    let file = world.write("PROGRAMS.sha256", text);
    world.run(&["self", "version", "--check", file.to_str().unwrap()], "")
}

#[test]
fn it_prints_version_target_and_digests() {
    let ended = World::new().run(&["self", "version"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let (first, rest) = ended.stdout.split_once('\n').unwrap();
    assert_eq!(rest, sums());
    let words: Vec<&str> = first.split(' ').collect();
    assert_eq!(words[..2], ["guard-host", env!("CARGO_PKG_VERSION")]);
    let arch = std::env::consts::ARCH;
    assert!(words.len() == 3 && words[2].starts_with(&format!("{arch}-")), "{first}");
}

#[test]
fn the_digests_of_the_programs_are_equal() {
    let (world, sums) = (World::new(), sums());
    let in_folders = sums.replace("  guard", " *./bin/guard");
    let among_others =
        format!("{}  another\n\n{}", "0".repeat(64), sums.to_uppercase().replace("GUARD-HOST", "guard-host"));
    for text in [&sums, &in_folders, &among_others.replace("-TOOLS", "-tools")] {
        let ended = check(&world, text);
        assert_eq!((ended.exit, ended.stdout.matches("  equal\n").count()), (0, 2), "{text}{ended:?}");
    }
}

#[test]
fn another_digest_is_different() {
    let sums = sums();
    let (hook, tools) = sums.split_once('\n').unwrap();
    let zeros = "0".repeat(64);
    let (world, mut transcript) = (World::new(), Transcript::default());
    for text in [
        format!("{zeros}  guard-host\n{tools}"),
        format!("{hook}\n{zeros}  guard-host-tools\n"),
        format!("{hook}\n"),
        String::new(),
        // If a name has two digests, neither is used.
        format!("{zeros}  guard-host\n{sums}"),
        format!("{sums}{zeros}  guard-host\n"),
    ] {
        transcript.add(&world, 1, &check(&world, &text));
    }
    assert_text!("version_other", lines_about(&transcript.0, "DIGEST"));
}

#[test]
fn a_missing_file_ends_with_66_and_one_that_is_no_list_with_65() {
    let world = World::new();
    let missing = world.path("PROGRAMS.sha256");
    let mut transcript = Transcript::default();
    transcript.add(&world, 66, &world.run(&["self", "version", "--check", missing.to_str().unwrap()], ""));
    for text in
        ["hello", "0123  guard-host", &format!("{}guard-host", "0".repeat(64)), &format!("{}  ", "0".repeat(64))]
    {
        transcript.add(&world, 65, &check(&world, text));
    }
    assert_text!("version_no_list", transcript.0);
}
