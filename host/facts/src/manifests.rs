//! The contents of a project's manifests: `package.json`, `Cargo.toml`, `pyproject.toml`, `go.mod` and `composer.json`.

use guard_contract::FactFault;
use guard_contract::paths::{is_below, parent};
use serde_json::{Map, Value};

use crate::{Entry, Facts};

/// The maximum number of dependencies, and of commands, of one manifest.
const ENTRIES: usize = 4096;

/// The maximum number of folders that are searched.
const FOLDERS: usize = 64;

/// A manifest's file name, its kind, and the lock files that identify its package manager.
struct Kind {
    file: &'static str,
    kind: &'static str,
    locks: &'static [(&'static str, &'static str)],
}

const KINDS: [Kind; 5] = [
    Kind {
        file: "package.json",
        kind: "npm",
        locks: &[
            ("package-lock.json", "npm"),
            ("npm-shrinkwrap.json", "npm"),
            ("pnpm-lock.yaml", "pnpm"),
            ("yarn.lock", "yarn"),
            ("bun.lock", "bun"),
            ("bun.lockb", "bun"),
        ],
    },
    Kind { file: "Cargo.toml", kind: "cargo", locks: &[("Cargo.lock", "cargo")] },
    Kind {
        file: "pyproject.toml",
        kind: "python",
        locks: &[("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv")],
    },
    Kind { file: "go.mod", kind: "go", locks: &[("go.sum", "go")] },
    Kind { file: "composer.json", kind: "composer", locks: &[("composer.lock", "composer")] },
];

/// The contents of a manifest. The contract documents the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The absolute path of the file.
    pub path: String,
    /// The kind of package.
    pub kind: &'static str,
    /// The package's name, or empty.
    pub name: String,
    /// The package's version, or empty.
    pub version: String,
    /// The package manager whose lock file is beside it or above, or empty.
    pub manager: &'static str,
    /// The names and requirements of dependencies.
    pub dependencies: Vec<(String, String)>,
    /// The names and texts of scripts.
    pub scripts: Vec<(String, String)>,
}

/// Returns the manifests of the nearest folder with one, at or above `path` and within `project`. `read` returns a
/// file's text if it is granted.
///
/// # Errors
///
/// Those of `read`, and [`FactFault::Failed`] for a text that isn't a valid manifest.
pub fn find_nearest(
    path: &str,
    project: &str,
    facts: &dyn Facts,
    read: &dyn Fn(&str) -> Result<String, FactFault>,
) -> Result<Vec<Manifest>, FactFault> {
    let is_there = |path: &str| matches!(facts.entry(path), Entry::File | Entry::Link(_));
    let folders: Vec<&str> = std::iter::successors(Some(path), |path| parent(path))
        .take_while(|folder| !project.is_empty() && is_below(folder, project))
        .take(FOLDERS + 1)
        .collect();
    if folders.len() > FOLDERS {
        return Err(FactFault::TooLarge);
    }
    for (depth, folder) in folders.iter().enumerate() {
        let mut found = Vec::new();
        for kind in &KINDS {
            let path = join_path(folder, kind.file);
            match facts.entry(&path) {
                Entry::Absent => continue,
                Entry::File | Entry::Link(_) => {}
                Entry::Dir | Entry::Other | Entry::Unknown => return Err(FactFault::Failed),
            }
            let mut manifest = parse_manifest(kind, &read(&path)?).ok_or(FactFault::Failed)?;
            if manifest.dependencies.len() > ENTRIES || manifest.scripts.len() > ENTRIES {
                return Err(FactFault::TooLarge);
            }
            let above = folders.get(depth..).unwrap_or_default();
            let locks = |folder: &&str| -> Vec<&'static str> {
                let there = kind.locks.iter().filter(|(lock, _)| is_there(&join_path(folder, lock)));
                there.map(|(_, manager)| *manager).collect()
            };
            let mut managers = above.iter().map(locks).find(|found| !found.is_empty()).unwrap_or_default();
            managers.dedup();
            manifest.manager = if let [manager] = managers.as_slice() { manager } else { "" };
            manifest.path = path;
            found.push(manifest);
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

fn join_path(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}

fn parse_manifest(kind: &Kind, text: &str) -> Option<Manifest> {
    let manifest = Manifest { kind: kind.kind, ..Manifest::default() };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if kind.kind == "go" {
        return Some(Manifest { name: go_module(text)?, dependencies: go_requirements(text), ..manifest });
    }
    let document: Value = if kind.file.ends_with(".toml") {
        toml_to_json(toml::Value::Table(toml::from_str(text).ok()?))
    } else {
        serde_json::from_str(text).ok()?
    };
    let document = document.as_object()?;
    let tables = |paths: &[&str]| -> Vec<(String, String)> {
        let tables = paths.iter().flat_map(|path| values_at(document, path));
        tables.filter_map(Value::as_object).flatten().map(|(name, value)| (name.clone(), requirement(value))).collect()
    };
    let text =
        |path: &str| values_at(document, path).into_iter().find_map(Value::as_str).unwrap_or_default().to_owned();
    Some(match kind.kind {
        "npm" => Manifest {
            name: text("name"),
            version: text("version"),
            dependencies: tables(&["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]),
            scripts: commands(document, "scripts"),
            ..manifest
        },
        "composer" => Manifest {
            name: text("name"),
            version: text("version"),
            dependencies: tables(&["require", "require-dev"]),
            scripts: commands(document, "scripts"),
            ..manifest
        },
        "cargo" => Manifest {
            name: text("package.name"),
            version: text("package.version"),
            dependencies: tables(&[
                "dependencies",
                "dev-dependencies",
                "build-dependencies",
                "dev_dependencies",
                "build_dependencies",
                "target.*.dependencies",
                "target.*.dev-dependencies",
                "target.*.build-dependencies",
                "workspace.dependencies",
            ]),
            ..manifest
        },
        _ => {
            let lists = ["project.dependencies", "project.optional-dependencies.*", "dependency-groups.*"];
            let listed = lists
                .iter()
                .chain(&["build-system.requires", "tool.uv.dev-dependencies"])
                .flat_map(|path| values_at(document, path));
            let listed = listed.filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(python_requirement);
            let mut dependencies: Vec<(String, String)> = listed.collect();
            dependencies.extend(tables(&[
                "tool.poetry.dependencies",
                "tool.poetry.dev-dependencies",
                "tool.poetry.group.*.dependencies",
            ]));
            let first = |paths: [&str; 2]| paths.map(text).into_iter().find(|text| !text.is_empty());
            Manifest {
                name: first(["project.name", "tool.poetry.name"]).unwrap_or_default(),
                version: first(["project.version", "tool.poetry.version"]).unwrap_or_default(),
                dependencies,
                scripts: [commands(document, "project.scripts"), commands(document, "tool.poetry.scripts")].concat(),
                ..manifest
            }
        }
    })
}

/// Converts the strings, arrays and tables of a TOML document. Other values aren't needed.
fn toml_to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Array(all) => Value::Array(all.into_iter().map(toml_to_json).collect()),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, toml_to_json(value))).collect())
        }
        _ => Value::Null,
    }
}

/// Returns the values at a path of keys, where `*` matches every key.
fn values_at<'a>(document: &'a Map<String, Value>, path: &str) -> Vec<&'a Value> {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let values: Vec<&Value> =
        if key == "*" { document.values().collect() } else { document.get(key).into_iter().collect() };
    match rest {
        None => values,
        Some(rest) => {
            values.into_iter().filter_map(Value::as_object).flat_map(|inner| values_at(inner, rest)).collect()
        }
    }
}

/// Returns a dependency's requirement: a string, or the `version` of a table.
fn requirement(value: &Value) -> String {
    let version = value.as_str().or_else(|| value.get("version")?.as_str());
    version.unwrap_or_default().to_owned()
}

/// Returns commands by name. A list of commands is joined to run in sequence.
fn commands(document: &Map<String, Value>, path: &str) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    let tables = values_at(document, path).into_iter().filter_map(Value::as_object).flatten();
    tables.map(|(name, value)| (name.clone(), text(value))).collect()
}

/// Splits `requests[socks]>=2; python_version < '4'` into `requests` and the rest.
fn python_requirement(text: &str) -> (String, String) {
    let text = text.trim_start();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let (name, rest) = text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()));
    (name.to_owned(), rest.trim().to_owned())
}

fn go_module(text: &str) -> Option<String> {
    let name = go_lines(text).find_map(|line| line.strip_prefix("module")?.strip_prefix([' ', '\t']))?;
    Some(name.trim().trim_matches('"').to_owned())
}

/// Returns `require example.com/a v1` and each line of `require ( ... )`.
fn go_requirements(text: &str) -> Vec<(String, String)> {
    let (mut found, mut is_inside) = (Vec::new(), false);
    for line in go_lines(text) {
        let one = if is_inside {
            is_inside = line != ")";
            is_inside.then_some(line)
        } else {
            let rest = line.strip_prefix("require").map(str::trim);
            is_inside = rest == Some("(");
            rest.filter(|_| !is_inside)
        };
        let mut words = one.unwrap_or_default().split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            found.push((name.trim_matches('"').to_owned(), version.to_owned()));
        }
    }
    found
}

/// Returns the lines without comments.
fn go_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::FixedFacts;

    fn told(world: &str, path: &str) -> Result<Vec<Manifest>, FactFault> {
        let facts: FixedFacts = toml::from_str(world).unwrap();
        find_nearest(path, "/repo", &facts, &|path| facts.read_granted("/", path, 1 << 20))
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_package_of_npm_has_its_dependencies_and_scripts() {
        let world = r#"[files]
'/repo/app/package.json' = '{"name": "app", "version": "1.0.0", "dependencies": {"a": "^1"}, "devDependencies": {"b": "*"}, "scripts": {"clean": "rm -rf out"}}'
'/repo/package.json' = '{}'
'/repo/pnpm-lock.yaml' = ''"#;
        let expected = Manifest {
            path: "/repo/app/package.json".to_owned(),
            kind: "npm",
            name: "app".to_owned(),
            version: "1.0.0".to_owned(),
            manager: "pnpm",
            dependencies: pairs(&[("a", "^1"), ("b", "*")]),
            scripts: pairs(&[("clean", "rm -rf out")]),
        };
        assert_eq!(told(world, "/repo/app/src/x.ts"), Ok(vec![expected]));
        assert_eq!(told(world, "/repo/x.ts").unwrap()[0].path, "/repo/package.json");
    }

    #[test]
    fn a_crate_has_the_dependencies_of_all_its_tables() {
        let world = r#"[files]
'/repo/Cargo.toml' = """
[package]
name = "x"
version.workspace = true
[dependencies]
a = "1"
b = { version = "2", features = [] }
c.workspace = true
[target.'cfg(unix)'.dependencies]
d = "4"
"""
'/repo/Cargo.lock' = ''"#;
        let told = &told(world, "/repo").unwrap()[0];
        assert_eq!((told.name.as_str(), told.version.as_str(), told.manager), ("x", "", "cargo"));
        assert_eq!(told.dependencies, pairs(&[("a", "1"), ("b", "2"), ("c", ""), ("d", "4")]));
    }

    #[test]
    fn a_project_of_python_has_the_dependencies_of_all_its_lists() {
        let world = r#"[files]
'/repo/pyproject.toml' = """
[project]
name = "x"
version = "0.1"
dependencies = ["requests[socks]>=2", "attrs"]
[project.optional-dependencies]
test = ["pytest ~= 8"]
[tool.poetry.dependencies]
python = "^3.12"
[project.scripts]
run = "x:main"
"""
'/repo/uv.lock' = ''
'/repo/poetry.lock' = ''"#;
        let told = &told(world, "/repo").unwrap()[0];
        let expected = [("requests", "[socks]>=2"), ("attrs", ""), ("pytest", "~= 8"), ("python", "^3.12")];
        assert_eq!(told.dependencies, pairs(&expected));
        // With lock files of two managers, the manager isn't known.
        assert_eq!((told.manager, told.scripts.clone()), ("", pairs(&[("run", "x:main")])));
    }

    #[test]
    fn a_module_of_go_has_what_it_requires() {
        let world = r#"[files]
'/repo/go.mod' = """
module example.com/x // mine
go 1.24
require example.com/a v1.2.3
require (
	example.com/b v0.1.0 // indirect
)
replace example.com/a => ../a
"""
'/repo/composer.json' = '{"name": "o/x", "require": {"php": "^8"}, "scripts": {"all": ["a", "b"]}}'"#;
        let told = told(world, "/repo/main.go").unwrap();
        assert_eq!((told[0].kind, told[0].name.as_str()), ("go", "example.com/x"));
        assert_eq!(told[0].dependencies, pairs(&[("example.com/a", "v1.2.3"), ("example.com/b", "v0.1.0")]));
        assert_eq!((told[1].kind, told[1].scripts.clone()), ("composer", pairs(&[("all", "a\nb")])));
    }

    #[test]
    fn what_is_no_manifest_is_a_fault_and_what_is_outside_of_the_project_is_nobodys() {
        let broken = "[files]\n'/repo/package.json' = '{'\n'/package.json' = '{}'";
        assert_eq!(told(broken, "/repo/a"), Err(FactFault::Failed));
        assert_eq!(told(broken, "/a"), Ok(Vec::new()));
        assert_eq!(told("", "/repo/a"), Ok(Vec::new()));
        let deep = format!("/repo{}", "/a".repeat(FOLDERS));
        assert_eq!(told("[files]\n'/repo/package.json' = '{}'", &deep), Err(FactFault::TooLarge));
        let above = "dirs = ['/repo/a/package.json']\n[files]\n'/repo/package.json' = '{}'";
        assert_eq!(told(above, "/repo/a/b"), Err(FactFault::Failed));
        let many: Vec<String> = (0..=ENTRIES).map(|number| format!("\"{number}\": \"1\"")).collect();
        let many = format!("[files]\n'/repo/package.json' = '{{\"dependencies\": {{{}}}}}'", many.join(","));
        assert_eq!(told(&many, "/repo/a"), Err(FactFault::TooLarge));
    }
}
