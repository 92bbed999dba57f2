//! Ordinary work passes without a message: see `tests/ordinary_work.toml`.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::world::World;

#[derive(Deserialize)]
struct HonestWorld {
    commands: Vec<String>,
    edits: Vec<String>,
}

/// Returns the outcomes of the lines of a batch, in the project of `world`.
fn outcomes(world: &World, calls: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = calls.iter().map(Value::to_string).collect();
    let ended = world.run(&["check", "--batch"], &lines.join("\n"));
    assert_eq!(ended.exit, 0, "{ended:?}");
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn nobody_is_asked_about_ordinary_work() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ordinary_work.toml")).unwrap();
    let honest: HonestWorld = toml::from_str(&text).unwrap();
    assert!(honest.commands.len() >= 60 && honest.edits.len() >= 40);
    let world = World::new();
    let repo = world.repo();
    let commands = honest.commands.iter().map(|command| json!({ "tool": "Bash", "input": command, "cwd": repo }));
    let edits = honest.edits.iter().enumerate().map(|(index, path)| {
        let tool = if index % 2 == 0 { "Edit" } else { "Write" };
        json!({ "tool": tool, "input": { "file_path": repo.join(path), "content": "x" }, "cwd": repo })
    });
    let calls: Vec<Value> = commands.chain(edits).collect();
    for preset in ["standard", "guardrail"] {
        world.configure(&format!("preset = \"{preset}\"\n"));
        let answers = outcomes(&world, &calls);
        let told = answers.iter().zip(&calls).filter(|(answer, _)| answer["outcome"] != "abstain");
        let told: Vec<String> = told.map(|(answer, call)| format!("{}\n    {answer}", call["input"])).collect();
        assert!(answers.len() == calls.len() && told.is_empty(), "{preset}: {}", told.join("\n"));
    }
}
