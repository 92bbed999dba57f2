//! Finds commands that run guard-host under any name: the effect `execute.guard-host`.

use std::collections::BTreeMap;

use guard_contract::syntax::{Analysis, Effect, Severity};
use guard_contract::unresolved;
use guard_sdk::resolve::command_path;

use crate::Facts;

/// Adds an effect for each command that runs the program.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts, home: &str) {
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    for command in &analysis.commands {
        // After the last such wrapper, the command is outside the container again.
        let mut kinds = command.via.iter().rev().map(|via| via.kind.as_str());
        let is_remote = matches!(
            kinds.find(|kind| matches!(*kind, "ssh" | "container" | "nsenter-host")),
            Some("ssh" | "container")
        );
        let Some(word) = command.argv.first().filter(|_| !is_remote).map(|word| word.text.as_str()) else { continue };
        let Some(file) = command_path(word, &command.cwd, home) else { continue };
        if *known.entry(file).or_insert_with_key(|file| facts.runs_own_program(file)) {
            analysis.effects.push(Effect {
                kind: "execute".to_owned(),
                operation: "execute.guard-host".to_owned(),
                severity: Severity::Notable,
                target: word.to_owned(),
                path: unresolved(""),
                command_id: command.id,
                certain: command.certain,
                tags: Vec::new(),
            });
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use crate::Disk;
    use crate::real::RealFacts;

    #[test]
    fn links_hard_links_and_copies_of_the_program_are_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let own = std::env::current_exe().unwrap();
        std::os::unix::fs::symlink(&own, place("link")).unwrap();
        std::os::unix::fs::symlink("link", place("guardrail-confirm.py")).unwrap();
        fs::copy(&own, place("copy")).unwrap();
        fs::hard_link(place("copy"), place("hard")).unwrap();
        fs::write(place("other"), "#!/bin/sh\n").unwrap();
        // The same length as the program, with a different end.
        let mut bytes = fs::read(&own).unwrap();
        bytes.pop();
        bytes.push(b'!');
        fs::write(place("as-long"), bytes).unwrap();

        let search = format!("/nowhere:{}", folder.path().display());
        let facts = RealFacts::new(BTreeMap::from([("PATH".to_owned(), search)]));
        for name in ["link", "guardrail-confirm.py", "copy", "hard"] {
            assert!(facts.runs_own_program(name), "{name}");
            assert!(facts.runs_own_program(&place(name).display().to_string()), "{name}");
        }
        for name in ["other", "as-long", "absent", ""] {
            assert!(!facts.runs_own_program(name), "{name}");
            assert!(!facts.runs_own_program(&place(name).display().to_string()), "{name}");
        }
    }
}
