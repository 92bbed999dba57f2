//! The built-in policies as standalone projects, for `guard-host new --from`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::manifests::{manifest, read};
use crate::templates::{Collection, entry_names};

/// The path of the libraries' folder in a policy's manifest. In a project, it is `lib`.
const LIBRARIES: &str = "../lib/";

/// The host's crates that need no other crate than the SDK, so that a project can have them as libraries.
const HOST_LIBRARIES: [(&str, &str); 1] = [("host/redact", "redact")];

/// The names of built-ins, each with the names of the parts of its project.
pub(crate) type Parts = Vec<(String, Vec<String>)>;

/// Adds each built-in that needs only libraries, with those that it uses. Returns their parts.
pub(crate) fn add(root: &Path, all: &mut Collection) -> Result<Parts, Box<dyn Error>> {
    let (mut builtins, mut libraries) = (Vec::new(), BTreeSet::new());
    for name in entry_names(&root.join("policies"))? {
        let folder = format!("policies/{name}");
        let is_policy = root.join(&folder).join("Cargo.toml").exists()
            && read(root, &folder)?.get("package").and_then(|package| package.get("metadata")).is_some();
        let Some(mut manifest) = is_policy.then(|| manifest(root, &folder, "")).transpose()? else { continue };
        let Some(used) = used_libraries(root, &mut manifest)? else { continue };
        finish(root, &mut manifest)?;
        let part = format!("builtin:{name}");
        all.file(&part, "Cargo.toml", toml::to_string(&manifest)?.as_bytes(), false)?;
        let build = fs::read(root.join("guest-sdk/templates/rust/build.sh"))?;
        all.file(&part, "build.sh", &build, true)?;
        let text = fs::read_to_string(root.join(&folder).join("src/lib.rs"))?;
        let own = text.replace(&format!("id: \"{name}\""), "id: \"my-policy\"");
        all.file(&part, "src/lib.rs", own.as_bytes(), false)?;
        for file in entry_names(&root.join(&folder))? {
            let path = root.join(&folder).join(&file);
            match file.as_str() {
                "src" => {
                    for file in entry_names(&path)?.into_iter().filter(|file| file != "lib.rs") {
                        let (path, shown) = (path.join(&file), format!("src/{file}"));
                        match path.is_dir() {
                            true => all.folder(&part, &path, &format!("{shown}/"))?,
                            false => all.file(&part, &shown, &fs::read(&path)?, false)?,
                        }
                    }
                }
                "cases" => all.folder(&part, &path, "fixtures/")?,
                "Cargo.toml" | "tests" => {}
                _ => all.file(&part, &file, &fs::read(&path)?, false)?,
            }
        }
        libraries.extend(used.iter().cloned());
        let libraries = used.into_iter().map(|library| format!("lib:{library}"));
        builtins.push((name, [part, "sdk".to_owned()].into_iter().chain(libraries).collect()));
    }
    for library in libraries {
        let (part, folder) = (format!("lib:{library}"), library_folder(&library));
        let manifest = manifest(root, &folder, "../../")?;
        all.file(&part, &format!("lib/{library}/Cargo.toml"), toml::to_string(&manifest)?.as_bytes(), false)?;
        all.folder(&part, &root.join(&folder).join("src"), &format!("lib/{library}/src/"))?;
    }
    Ok(builtins)
}

/// Returns the libraries that a policy uses, including indirect ones, and changes their folder in its manifest. `None`
/// if it needs another crate of the host.
fn used_libraries(root: &Path, manifest: &mut Table) -> Result<Option<BTreeSet<String>>, Box<dyn Error>> {
    let mut used = BTreeSet::new();
    for (name, value) in manifest.get_mut("dependencies").and_then(Value::as_table_mut).into_iter().flatten() {
        let Some(Value::String(path)) = value.get_mut("path") else { continue };
        let of_host = HOST_LIBRARIES.iter().find(|(folder, _)| *folder == path.as_str()).map(|(_, library)| *library);
        let Some(library) = path.strip_prefix(LIBRARIES).or(of_host).map(str::to_owned) else {
            if name == "guard-sdk" {
                continue;
            }
            return Ok(None);
        };
        *path = format!("lib/{library}");
        let below = read(root, &library_folder(&library))?;
        for other in below.get("dependencies").and_then(Value::as_table).into_iter().flat_map(Table::values) {
            let path = other.get("path").and_then(Value::as_str).and_then(|path| path.strip_prefix("../"));
            used.extend(path.map(str::to_owned));
        }
        used.insert(library);
    }
    Ok(Some(used))
}

/// Returns the folder of a library in this repository.
fn library_folder(library: &str) -> String {
    let of_host = HOST_LIBRARIES.iter().find(|(_, name)| *name == library);
    of_host.map_or_else(|| format!("policies/lib/{library}"), |(folder, _)| (*folder).to_owned())
}

/// Gives a manifest the name, profile and workspace of a project.
fn finish(root: &Path, manifest: &mut Table) -> Result<(), Box<dyn Error>> {
    let template = read(root, "guest-sdk/templates/rust")?;
    for key in ["lib", "profile", "workspace"] {
        manifest.extend(template.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let package = manifest.get_mut("package").and_then(Value::as_table_mut).ok_or("a policy has no [package]")?;
    package.insert("name".to_owned(), "my-policy".into());
    package.insert("version".to_owned(), "0.1.0".into());
    package.remove("metadata");
    Ok(())
}
