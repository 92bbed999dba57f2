//! The table of what `guard-host new` writes: each file of the templates, of `wit/` and of the SDK, which stand in the
//! repository once. Only the SDK's manifest is written anew, for outside of this workspace it can take nothing from it.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toml::{Table, Value};

/// A template has no larger file. A folder that something was built in has.
const FILE_BYTES: u64 = 256 << 10;

/// What the folders of the repository are called in a project; the templates lie at its top.
const SHARED: [(&str, &str, &str); 2] = [("wit", "wit", "wit/"), ("sdk", "guest-sdk/src", "guard-sdk/src/")];

/// Writes the table `PARTS` to `out`.
pub(crate) fn write_table(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut table = String::from("pub(crate) static PARTS: &[(&str, &[File])] = &[\n");
    let templates = root.join("guest-sdk/templates");
    let mut parts: Vec<String> = names(&templates)?;
    parts.retain(|name| templates.join(name).is_dir());
    for name in &parts {
        part(&mut table, name, &templates.join(name), "")?;
    }
    for (name, folder, prefix) in SHARED {
        part(&mut table, name, &root.join(folder), prefix)?;
    }
    let manifest = out.join("guard-sdk.toml");
    fs::write(&manifest, sdk_manifest(root)?)?;
    table.push_str("    (\"sdk\", &[\n");
    entry(&mut table, "guard-sdk/Cargo.toml", &manifest, false)?;
    table.push_str("    ]),\n");
    table.push_str("];\n");
    Ok(fs::write(out.join("template_table.rs"), table)?)
}

fn part(table: &mut String, name: &str, folder: &Path, prefix: &str) -> Result<(), Box<dyn Error>> {
    writeln!(table, "    ({name:?}, &[")?;
    files(table, folder, prefix)?;
    table.push_str("    ]),\n");
    Ok(())
}

fn files(table: &mut String, folder: &Path, prefix: &str) -> Result<(), Box<dyn Error>> {
    for name in names(folder)? {
        let path = folder.join(&name);
        let data = fs::metadata(&path)?;
        if data.is_dir() {
            files(table, &path, &format!("{prefix}{name}/"))?;
            continue;
        }
        if data.len() > FILE_BYTES {
            return Err(format!("{} is no file of a template; build templates elsewhere", path.display()).into());
        }
        entry(table, &format!("{prefix}{name}"), &path, data.permissions().mode() & 0o100 != 0)?;
    }
    Ok(())
}

fn entry(table: &mut String, name: &str, path: &Path, executable: bool) -> Result<(), Box<dyn Error>> {
    let path = path.to_str().ok_or("a path is not UTF-8")?;
    writeln!(table, "        File {{ path: {name:?}, bytes: include_bytes!({path:?}), executable: {executable} }},")?;
    Ok(())
}

/// The manifest of the SDK with what it takes from the workspace put in, and without the lints of this workspace.
fn sdk_manifest(root: &Path) -> Result<String, Box<dyn Error>> {
    let read =
        |path: &str| -> Result<Table, Box<dyn Error>> { Ok(toml::from_str(&fs::read_to_string(root.join(path))?)?) };
    let (mut sdk, workspace) = (read("guest-sdk/Cargo.toml")?, read("Cargo.toml")?);
    let workspace = workspace.get("workspace").ok_or("Cargo.toml has no [workspace]")?;
    sdk.remove("lints");
    for section in ["package", "dependencies"] {
        let Some(Value::Table(ours)) = sdk.get_mut(section) else { continue };
        for (key, value) in ours {
            let Value::Table(own) = value else { continue };
            if own.remove("workspace").is_none() {
                continue;
            }
            let given = workspace.get(section).and_then(|section| section.get(key)).ok_or("nothing to take over")?;
            *value = match (given.clone(), std::mem::take(own)) {
                (given, own) if own.is_empty() => given,
                (Value::Table(mut given), own) => {
                    given.extend(own);
                    Value::Table(given)
                }
                (version, mut own) => {
                    own.insert("version".to_owned(), version);
                    Value::Table(own)
                }
            };
        }
    }
    Ok(toml::to_string(&sdk)?)
}

fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    names.sort();
    Ok(names)
}
