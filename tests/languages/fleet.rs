//! The replay of a fleet: its page is followed, and its tests run, with Spark and DataFusion from the registry.

use crate::support::pages::{Shell, root};
use crate::{Language, missing, run, skip};

const FLEET: Language = Language {
    name: "fleet",
    page: "guest-sdk/examples/fleet/README.md",
    tools: &["python3 -c 'import venv, ensurepip'", "java -version"],
    checks: "",
};

pub(crate) fn fleet() {
    if let Some(tool) = missing(&FLEET) {
        return skip(&FLEET, &format!("`{tool}` fails"));
    }
    let mut shell = Shell::new();
    let source = root().join("guest-sdk/examples/fleet");
    let install = format!(
        "cp -r '{}/.' .\n\
         python3 -m venv .venv\n\
         .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt",
        source.display()
    );
    if !run(&mut shell, &FLEET, &install) {
        return;
    }
    // A block of the page runs its tests.
    if let Err(error) = shell.follow(FLEET.page) {
        panic!("{error}");
    }
    println!("fleet: {} does what it says, and both engines say what `guard-host replay` says", FLEET.page);
}
