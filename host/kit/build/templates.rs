//! Generates the table of files for `guard-host new`: the templates, `wit/` and the SDK, which are in the repository
//! only once. Only crates' manifests are rewritten, because they can't inherit anything outside of this workspace.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use miniz_oxide::deflate::compress_to_vec;

use crate::builtins;
use crate::manifests::manifest;

/// The highest compression level, which takes a second.
const COMPRESSION: u8 = 10;

/// The maximum size of a template's file, in bytes. A folder with build output has larger ones.
const FILE_BYTES: u64 = 256 << 10;

/// Folders of the repository and their names in a project. The templates are at its top level.
const SHARED: [(&str, &str, &str); 4] = [
    ("wit", "wit/0.3.0", "wit/"),
    ("wit", "wit/0.2.0", "wit/deps/guard-facts-0.2.0/"),
    ("wit", "wit/0.1.0", "wit/deps/guard-policy-0.1.0/"),
    ("sdk", "guest-sdk/src", "guard-sdk/src/"),
];

/// The files, with their concatenated content.
#[derive(Default)]
pub(crate) struct Collection {
    table: String,
    bytes: Vec<u8>,
}

/// Writes the table `FILES` and the compressed content of the files to `out`.
pub(crate) fn write_table(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut all = Collection::default();
    let templates = root.join("guest-sdk/templates");
    for name in entry_names(&templates)?.into_iter().filter(|name| templates.join(name).is_dir()) {
        all.folder(&name, &templates.join(&name), "")?;
    }
    for (name, folder, prefix) in SHARED {
        all.folder(name, &root.join(folder), prefix)?;
    }
    let sdk = manifest(root, "guest-sdk", "")?;
    all.file("sdk", "guard-sdk/Cargo.toml", toml::to_string(&sdk)?.as_bytes(), false)?;
    let builtins = builtins::add(root, &mut all)?;
    let builtins: String = builtins.iter().map(|(name, parts)| format!("({name:?}, &{parts:?}), ")).collect();
    fs::write(out.join("templates.deflate"), compress_to_vec(&all.bytes, COMPRESSION))?;
    let table = format!(
        "pub(crate) static FILES: &[File] = &[\n{}];\n\
         static BUILTINS: &[(&str, &[&str])] = &[{builtins}];\nconst BYTES: usize = {};\n\
         static DEFLATED: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/templates.deflate\"));\n",
        all.table,
        all.bytes.len()
    );
    Ok(fs::write(out.join("template_table.rs"), table)?)
}

#[cfg(unix)]
fn is_executable(data: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o100 != 0
}

/// Files have no mode there, so scripts must be started through their interpreter.
#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

impl Collection {
    pub(crate) fn folder(&mut self, part: &str, folder: &Path, prefix: &str) -> Result<(), Box<dyn Error>> {
        for name in entry_names(folder)? {
            let path = folder.join(&name);
            let data = fs::metadata(&path)?;
            if data.is_dir() {
                self.folder(part, &path, &format!("{prefix}{name}/"))?;
            } else if data.len() > FILE_BYTES {
                return Err(format!("{} is no file of a template; build templates elsewhere", path.display()).into());
            } else {
                let executable = is_executable(&data);
                self.file(part, &format!("{prefix}{name}"), &fs::read(&path)?, executable)?;
            }
        }
        Ok(())
    }

    pub(crate) fn file(
        &mut self,
        part: &str,
        path: &str,
        bytes: &[u8],
        executable: bool,
    ) -> Result<(), Box<dyn Error>> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len();
        writeln!(
            self.table,
            "    File {{ part: {part:?}, path: {path:?}, bytes: {start}..{end}, executable: {executable} }},"
        )?;
        Ok(())
    }
}

pub(crate) fn entry_names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    names.sort();
    Ok(names)
}
