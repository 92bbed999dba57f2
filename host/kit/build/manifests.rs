//! Standalone manifests of this workspace's crates.

use std::error::Error;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// Returns the manifest of the crate in a folder, with inherited values filled in, and without the workspace's lints
/// and tests. `up` leads from the crate to the project's folder, which contains the SDK.
pub(crate) fn manifest(root: &Path, folder: &str, up: &str) -> Result<Table, Box<dyn Error>> {
    let (mut own, workspace) = (read(root, folder)?, read(root, "")?);
    let workspace = workspace.get("workspace").ok_or("Cargo.toml has no [workspace]")?;
    own.remove("lints");
    own.remove("dev-dependencies");
    for section in ["package", "dependencies"] {
        let Some(Value::Table(ours)) = own.get_mut(section) else { continue };
        for (key, value) in ours {
            let Value::Table(own) = value else { continue };
            if own.remove("workspace").is_none() {
                continue;
            }
            let inherited =
                workspace.get(section).and_then(|section| section.get(key)).ok_or("nothing to take over")?;
            *value = match (inherited.clone(), std::mem::take(own)) {
                (inherited, own) if own.is_empty() => inherited,
                (Value::Table(mut inherited), own) => {
                    inherited.extend(own);
                    Value::Table(inherited)
                }
                (version, mut own) => {
                    own.insert("version".to_owned(), version);
                    Value::Table(own)
                }
            };
            if key == "guard-sdk" {
                *value = Table::from_iter([("path".to_owned(), format!("{up}guard-sdk").into())]).into();
            }
        }
    }
    Ok(own)
}

/// Returns the unchanged manifest in a folder.
pub(crate) fn read(root: &Path, folder: &str) -> Result<Table, Box<dyn Error>> {
    Ok(toml::from_str(&fs::read_to_string(root.join(folder).join("Cargo.toml"))?)?)
}
