//! The packages for JavaScript, TypeScript and Python, without other languages' tools: their types match the contract,
//! and their licenses and pages match the project. `languages.rs` builds them.

use std::fs;

use wit_bindgen_core::wit_parser::{Resolve, TypeDefKind, TypeOwner};

use crate::support::names::{camel, pascal};
use crate::support::pages::{blocks, root};

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the text between two texts, of which the first must occur once.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("there is no `{start}`"));
    rest.split_once(end).map_or(rest, |(inside, _)| inside)
}

/// Returns the names before a colon or an equals sign at the starts of a block's lines.
fn names<'a>(block: &'a str, indent: &str, sign: &str) -> Vec<&'a str> {
    let own = block.lines().filter_map(|line| line.strip_prefix(indent)).filter(|line| !line.starts_with(' '));
    own.filter_map(|line| Some(line.split_once(sign)?.0)).filter(|name| !name.contains(['"', ' '])).collect()
}

#[test]
fn the_types_of_the_packages_are_those_of_the_contract() {
    let mut resolve = Resolve::default();
    for folder in ["wit/0.1.0", "wit/0.2.0", "wit/0.3.0"] {
        resolve.push_path(root().join(folder)).unwrap();
    }
    let shapes = [
        ("policy", read("guest-sdk/python/src/guard_host_policy/_shapes.py"), read("guest-sdk/js/src/contract.d.ts")),
        ("facts", read("guest-sdk/python/src/guard_host_policy/_shapes.py"), read("guest-sdk/js/src/facts.d.ts")),
    ];
    let mut compared = 0;
    for (_, one) in &resolve.types {
        let Some(mut name) = one.name.as_deref().map(pascal) else { continue };
        let TypeOwner::Interface(interface) = one.owner else { continue };
        let package = &resolve.packages[resolve.interfaces[interface].package.unwrap()].name.name;
        let (_, python, typescript) = shapes.iter().find(|(part, ..)| part == package).unwrap();
        // The other manifest is a policy's.
        if package == "facts" && name == "Manifest" {
            name = "ProjectManifest".to_owned();
        }
        match &one.kind {
            TypeDefKind::Record(record) => {
                let fields: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
                let class = between(python, &format!("\nclass {name}:\n"), "\n\n\n");
                let expected: Vec<String> = fields.iter().map(|field| field.replace('-', "_")).collect();
                assert_eq!(names(class, "    ", ": "), expected, "{name}");
                // These two are inside the manifest.
                if !["Rule", "Example"].contains(&name.as_str()) {
                    let interface = between(typescript, &format!("\nexport interface {name} {{\n"), "\n}");
                    let expected: Vec<String> = fields.iter().map(|field| camel(field)).collect();
                    assert_eq!(names(interface, "  ", ": "), expected, "{name}");
                }
            }
            TypeDefKind::Enum(cases) => {
                let cases: Vec<&str> = cases.cases.iter().map(|case| case.name.as_str()).collect();
                let class = between(python, &format!("\nclass {name}(Enum):\n"), "\n\n\n");
                let members = cases.iter().zip(0..);
                let members = members.map(|(case, at)| format!("{} = {at}", case.to_uppercase().replace('-', "_")));
                let shown: Vec<&str> = class.lines().map(str::trim).filter(|line| line.contains(" = ")).collect();
                assert_eq!(shown, members.collect::<Vec<_>>(), "{name}");
                let quoted: Vec<String> = cases.iter().map(|case| format!("\"{case}\"")).collect();
                let line = format!("export type {name} = {};", quoted.join(" | "));
                assert!(typescript.contains(&line), "there is no `{line}`");
            }
            _ => continue,
        }
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn the_packages_have_the_version_of_the_project() {
    let version = env!("CARGO_PKG_VERSION");
    let json = |path: &str| serde_json::from_str::<serde_json::Value>(&read(path)).unwrap();
    let (package, lock) = (json("guest-sdk/js/package.json"), json("guest-sdk/js/package-lock.json"));
    assert_eq!((&package["version"], &lock["version"]), (&version.into(), &version.into()));
    assert_eq!(lock["packages"][""]["version"], version);
    let python: toml::Table = toml::from_str(&read("guest-sdk/python/pyproject.toml")).unwrap();
    assert_eq!(python["project"]["version"].as_str(), Some(version));
    // They have no runtime dependencies.
    assert!(package.get("dependencies").is_none() && python["project"].get("dependencies").is_none());
}

#[test]
fn the_packages_carry_the_licences() {
    for package in ["js", "python"] {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(read(&format!("guest-sdk/{package}/{licence}")), read(licence), "{package}");
        }
    }
}

/// The job for the languages follows each language's page. The package's own page shows the same code.
#[test]
fn the_code_on_the_pages_of_the_packages_is_tested() {
    for (package, page, language) in
        [("guest-sdk/js/README.md", "javascript", "js"), ("guest-sdk/python/README.md", "python", "python")]
    {
        let tested = blocks(&format!("guest-sdk/docs/{page}.md"));
        let shown: Vec<_> = blocks(package).into_iter().filter(|block| block.language == language).collect();
        assert_eq!(shown.len(), 2, "{package}");
        for block in shown {
            let is_tested = tested.iter().any(|one| one.file.is_some() && one.text == block.text);
            assert!(is_tested, "{package}:{} stands in no file of the page about {page}", block.line);
        }
    }
}
