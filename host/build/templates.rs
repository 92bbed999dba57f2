//! The table of what `guard-host new` writes: each file of the templates, of `wit/` and of the SDK, which stand in the
//! repository once.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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
        let (path, executable) = (path.to_str().ok_or("a path is not UTF-8")?, data.permissions().mode() & 0o100 != 0);
        let name = format!("{prefix}{name}");
        writeln!(
            table,
            "        File {{ path: {name:?}, bytes: include_bytes!({path:?}), executable: {executable} }},"
        )?;
    }
    Ok(())
}

fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    names.sort();
    Ok(names)
}
