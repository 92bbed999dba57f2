//! Calls that step out of a link.

use super::*;
use crate::analysis::{empty, fill_paths};
use crate::disposable::committed;
use crate::fixed::FixedFacts;
use guard_contract::syntax::{Coverage, Script, Severity, Via};
use guard_contract::unresolved;

/// Returns whether the deletion of `x` by a last command is marked. `texts` are pairs of a folder and a command.
fn is_marked(texts: &[(&str, &str)], target: &str, is_code: bool) -> bool {
    let machine = "dirs = [\"/repo/src/deep\", \"/repo/new\"]\n[files]\n\"/repo/a.txt\" = \"\"\n[links]\n\"/repo/l\" = \
                   \"src/deep\"";
    let facts: FixedFacts = toml::from_str(machine).unwrap();
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    let mut commands: Vec<Command> =
        (1..).zip(texts).map(|(id, (cwd, text))| committed::tests::command(id, text, cwd)).collect();
    let last = commands.last_mut().unwrap();
    if last.argv.iter().any(|word| word.text == "inner") {
        last.via.push(Via { kind: "env".to_owned(), detail: String::new() });
    }
    if let Some(folder) = last.argv.iter().find_map(|word| word.text.strip_prefix("entered:")) {
        let detail = folder.to_owned();
        last.via.push(Via { kind: "env".to_owned(), detail });
    }
    let effect = Effect {
        kind: "delete".to_owned(),
        operation: "fs.delete".to_owned(),
        severity: Severity::Destructive,
        target: target.to_owned(),
        path: unresolved(&format!("{}/{target}", last.cwd)),
        command_id: last.id,
        certain: true,
        tags: Vec::new(),
    };
    let script = is_code.then(|| Script {
        language: "python".to_owned(),
        text: String::new(),
        command_id: last.id,
        certain: true,
    });
    let mut analysis = Analysis {
        commands,
        effects: vec![effect],
        scripts: script.into_iter().collect(),
        ..empty(Coverage::Complete, None)
    };
    fill_paths(&mut analysis, &facts, &resolver);
    mark(&mut analysis, &facts, &resolver);
    analysis.effects.iter().all(folders::is_unsure)
}

#[test]
fn steps_out_of_a_link_are_marked() {
    for texts in [
        &[("/repo", "cd -P l"), ("/repo/l", "cd .."), ("/repo", "rm x")][..],
        &[("/repo", "set -eP"), ("/repo", "cd l/.."), ("/repo", "rm x")],
        &[("/repo", "set -o physical"), ("/repo", "pushd l/.."), ("/repo", "rm x")],
        &[("/repo/l", "pwd -P"), ("/repo", "rm x")],
        &[("/repo/l", "realpath ."), ("/repo", "rm x")],
        &[("/repo/l", "cd .. inner")],
        &[("/repo", "rm x entered:l/..")],
        &[("/repo/l", "ls"), ("/repo", "rm x entered:..")],
        &[("/repo", "cd l"), ("/repo", "rm x entered:..")],
        &[("/repo", "make -C l/.. clean"), ("/repo", "rm x")],
        &[("/repo/l", "make -C .. clean"), ("/repo", "rm x")],
        &[("/repo", "make -C l -f ../../m clean"), ("/repo", "rm x")],
        &[("/repo/l", "tool --dir=.."), ("/repo", "rm x")],
        &[("/repo/l", "just -d.. clean"), ("/repo", "rm x")],
        &[("/repo/l", "npm run clean"), ("/repo", "rm x")],
        &[("/repo/l", "cargo clean"), ("/repo", "rm x")],
    ] {
        assert!(is_marked(texts, "x", false), "{texts:?}");
    }
    assert!(is_marked(&[("/repo", "python3 t.py")], "l/../x", true));
}

#[test]
fn other_steps_are_not_marked() {
    for texts in [
        &[("/repo", "cd l"), ("/repo/l", "cd .."), ("/repo", "rm x")][..],
        &[("/repo", "cd -P src/deep"), ("/repo/src/deep", "cd .."), ("/repo/src", "rm x")],
        &[("/repo/src/deep", "make -C ../.. clean"), ("/repo", "rm x")],
        &[("/repo/src", "npm --prefix .. run clean"), ("/repo", "rm x")],
        &[("/repo/src", "realpath ."), ("/repo", "rm x")],
        &[("/repo/l", "make clean"), ("/repo/l", "rm x")],
        &[("/repo", "make -C l clean"), ("/repo", "rm x")],
        &[("/repo", "cat src/../a.txt"), ("/repo", "rm x")],
        &[("/repo/src", "rm x entered:../src/..")],
    ] {
        assert!(!is_marked(texts, "x", false), "{texts:?}");
    }
    // The system resolves the operand, and a copy is made of the same file.
    assert!(!is_marked(&[("/repo", "rm l/../x")], "l/../x", false));
    assert!(!is_marked(&[("/repo", "python3 t.py")], "src/../x", true));
}
