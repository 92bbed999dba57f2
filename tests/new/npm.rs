//! Properties of the JavaScript and TypeScript projects that need no build: types as in the contract, and a build that
//! restarts after an interrupted install.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use wit_bindgen_core::wit_parser::{Resolve, TypeDefKind};

use super::{read, root};
use crate::support::names::{camel, pascal};
use crate::support::world::{ProcessOutput, World, end};

#[test]
fn the_types_have_each_name_of_the_contract() {
    let mut resolve = Resolve::default();
    for folder in ["wit/0.1.0", "wit/0.2.0", "wit/0.3.0"] {
        resolve.push_path(root().join(folder)).unwrap();
    }
    let mut names = 0;
    for (_, interface) in &resolve.interfaces {
        let name = interface.name.as_ref().unwrap();
        let package = &resolve.packages[interface.package.unwrap()].name;
        let (part, version) = (&package.name, package.version.as_ref().unwrap());
        let file = format!("guest-sdk/templates/js-and-ts/types/interfaces/guard-{part}-{name}.d.ts");
        let text = read(&file);
        let mut expected = vec![format!("declare module 'guard:{part}/{name}@{version}' {{")];
        for (name, function) in &interface.functions {
            let given: Vec<String> = function.params.iter().map(|given| format!("{}: ", camel(&given.name))).collect();
            expected.push(format!("export function {}({}", camel(name), given.first().cloned().unwrap_or_default()));
            expected.extend(given);
        }
        for (name, id) in &interface.types {
            let name = pascal(name);
            match &resolve.types[*id].kind {
                TypeDefKind::Record(record) => {
                    expected.push(format!("export interface {name} {{"));
                    let is_word = |name: &str| name == "default";
                    let field = |name: &str| if is_word(name) { format!("'{name}': ") } else { camel(name) + ": " };
                    expected.extend(record.fields.iter().map(|one| format!("    {}", field(&one.name))));
                }
                TypeDefKind::Enum(cases) => {
                    let cases: Vec<String> = cases.cases.iter().map(|case| format!("'{}'", case.name)).collect();
                    expected.push(format!("export type {name} = {};", cases.join(" | ")));
                }
                TypeDefKind::Type(_) => expected.push(format!("export type {name} = import('guard:policy/")),
                _ => expected.push(name),
            }
        }
        for line in &expected {
            assert!(text.contains(line.as_str()), "{file} lacks `{line}`");
        }
        names += expected.len();
    }
    assert!(names > 100, "{names}");
}

/// A replacement for npm whose first install fails and leaves half a package behind.
const NPM: &str = r#"#!/bin/sh
echo "$*" >> calls
case $1 in
ci)
    mkdir -p node_modules
    echo half > node_modules/tool
    test "$(grep -c ci calls)" -gt 1 || exit 1
    echo whole > node_modules/tool
    echo {} > node_modules/.package-lock.json
    ;;
run) cp node_modules/tool policy.wasm ;;
*) exit 2 ;;
esac
"#;

#[test]
fn a_build_starts_anew_after_an_install_that_broke_off() {
    for language in ["js", "ts"] {
        let world = World::new();
        assert_eq!(world.run(&["new", "team", "--lang", language], "").exit, 0);
        let npm = world.write("bin/npm", NPM);
        fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).unwrap();
        let build = || -> ProcessOutput {
            let mut command = Command::new("./build.sh");
            let path = std::env::var("PATH").unwrap();
            command.current_dir(world.repo().join("team"));
            command.env("PATH", format!("{}:{path}", world.path("bin").display()));
            end(command, "")
        };
        let broken = build();
        assert!(broken.exit != 0 && !world.path("repo/team/policy.wasm").exists(), "{language}: {broken:?}");
        for _ in 0..2 {
            let built = build();
            assert_eq!(built.exit, 0, "{language}: {built:?}");
        }
        assert_eq!(fs::read_to_string(world.path("repo/team/policy.wasm")).unwrap(), "whole\n", "{language}");
        let calls = fs::read_to_string(world.path("repo/team/calls")).unwrap();
        let calls: Vec<&str> = calls.lines().filter_map(|line| line.split(' ').next()).collect();
        // `npm ci` removes existing packages before it installs, while `npm install` would keep half a package.
        assert_eq!(calls, ["ci", "ci", "run", "run"], "{language}");
    }
}

#[test]
fn what_a_build_makes_is_ignored_by_git() {
    let ignored = read("guest-sdk/templates/shared/.gitignore");
    let ignored: BTreeSet<&str> = ignored.lines().collect();
    for made in ["build/", "node_modules/", "policy.wasm"] {
        assert!(ignored.contains(made), "{made}");
    }
}
