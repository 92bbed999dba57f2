//! `guard-host allow` for scripts of the project: an allow ends the prompt as long as the script has no other effects.

use crate::support::reply::{assert_ask, assert_silent};
use crate::support::terminal::attended;
use crate::support::texts::normalized_output;
use crate::support::world::World;
use crate::texts::assert_text;

/// Creates a project with scripts that deploy.
fn project() -> World {
    let world = World::new();
    world.write(
        "repo/package.json",
        r#"{"name": "x", "version": "1.0.0", "scripts": {
            "deploy": "./scripts/deploy.sh", "release": "vercel --prod", "clean:deploy": "rm -rf src && vercel --prod",
            "deploy:env": "NODE_ENV=production vercel --prod", "deploy:log": "vercel --prod > deploy.txt" }}"#,
    );
    world.write("repo/Makefile", "deploy:\n\tkubectl apply -f k8s\n\nrelease:\n\tvercel --prod\n");
    world.write("repo/scripts/deploy.sh", "#!/bin/sh\nkubectl apply -f k8s\n");
    world.write("repo/scripts/ship.sh", "#!/bin/sh\nset -e\nvercel --prod\n");
    world.write("repo/scripts/stage.sh", "#!/bin/sh\nvercel deploy --target \"$1\"\n");
    world.write("repo/justfile", "release:\n    vercel --prod\n");
    world
}

/// Calls that run a script of the project.
const CALLS: [&str; 10] = [
    "npm run deploy",
    "yarn deploy",
    "pnpm run deploy",
    "make deploy",
    "make release",
    "just release",
    "bash scripts/deploy.sh",
    "./scripts/deploy.sh",
    "sh scripts/ship.sh",
    "bash scripts/stage.sh prod",
];

#[test]
fn a_script_of_the_project_gets_an_allow_that_ends_its_prompt() {
    for command in CALLS {
        let world = project();
        assert_ask(&world.bash(command), &[]);
        let ended = attended(&world, &["allow", "--last", "--yes"]);
        assert_eq!(ended.exit, 0, "{command}: {ended:?}");
        assert!(ended.stdout.contains("with only the effect"), "{command}: {ended:?}");
        assert_silent(&world.bash(command));
        // Another script, and the command itself, still ask.
        for other in CALLS.iter().filter(|other| **other != command) {
            assert_ask(&world.bash(other), &[]);
        }
        assert_ask(&world.bash("vercel --prod"), &[]);
    }
}

#[test]
fn an_allow_for_a_script_ends_when_the_script_does_something_else() {
    for (command, file, text) in [
        ("bash scripts/deploy.sh", "repo/scripts/deploy.sh", "kubectl apply -f k8s\nrm -rf src\n"),
        ("bash scripts/deploy.sh", "repo/scripts/deploy.sh", "kubectl delete -f k8s\n"),
        ("npm run deploy", "repo/scripts/deploy.sh", "kubectl apply -f k8s\ngit push origin main\n"),
        ("make release", "repo/Makefile", "release:\n\tvercel --prod\n\tgit push origin main\n"),
        ("make release", "repo/Makefile", "release:\n\tsudo vercel --prod\n"),
    ] {
        let world = project();
        assert_ask(&world.bash(command), &[]);
        assert_eq!(attended(&world, &["allow", "--last", "--yes"]).exit, 0, "{command}");
        assert_silent(&world.bash(command));
        world.write(file, text);
        let after = world.bash(command).decision();
        assert!(matches!(after.as_str(), "ask" | "deny"), "{command} {text}: {after}");
    }
}

#[test]
fn the_options_for_a_script_say_what_they_cover_or_why_there_is_none() {
    let world = project();
    let mut told = String::new();
    for command in
        ["npm run deploy", "bash scripts/deploy.sh", "npm run clean:deploy", "npm run deploy:env", "npm run deploy:log"]
    {
        assert_ask(&world.bash(command), &[]);
        let ended = attended(&world, &["allow", "--last"]);
        let shown = normalized_output(&world, &ended);
        let first = shown.split("\n2  ").next().unwrap_or_default();
        told += &format!("$ {command}\n{first}\n");
    }
    assert_text!("allow_script", told);
}
