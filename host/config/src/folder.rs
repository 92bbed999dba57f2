//! Reads a folder of settings: modules in Rego, and data in JSON, which is below `data` in the path of its folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::json::any_value;
use guard_state::{files, hex};

/// The maximum size of a settings file in bytes.
pub(super) const SETTINGS_BYTES: u64 = 1 << 20;

/// The maximum depth of folders.
const DEPTH: usize = 16;

/// The maximum number of files and folders.
const ENTRIES: usize = 1000;

/// The ending of modules that only test others.
const TESTS: &str = "_test.rego";

/// The reason why a folder can't be used.
#[derive(Debug)]
pub(super) struct FolderError {
    /// The file or folder, with line and column if they are known.
    pub(super) place: String,
    /// The description of the problem.
    pub(super) text: String,
    /// The hint that resolves the problem.
    pub(super) hint: &'static str,
}

/// The modules to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modules {
    /// Modules with policies.
    Judging,
    /// Modules with policies, and their tests.
    All,
}

/// The contents of a folder.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    /// The texts, by their paths relative to the folder.
    texts: BTreeMap<String, String>,
    /// The folder itself, its subfolders, and the files.
    pub(super) inputs: Vec<PathBuf>,
}

impl Folder {
    /// Reads the folder.
    ///
    /// # Errors
    ///
    /// There are too many or too large files, none in Rego, or one with an unknown purpose.
    pub(super) fn read(root: &Path, modules: Modules) -> Result<Self, FolderError> {
        // Removes a trailing slash, which would be doubled before the names of the files.
        let root = &root.components().collect::<PathBuf>();
        let mut folder = Self { root: root.clone(), texts: BTreeMap::new(), inputs: vec![root.clone()] };
        let mut paths = Vec::new();
        collect(root, DEPTH, &mut 0, &mut folder.inputs, &mut paths)?;
        if modules == Modules::Judging {
            paths.retain(|path| !path.to_string_lossy().ends_with(TESTS));
        }
        let mut bytes = 0;
        for path in paths {
            let fail = |text: String| fail(&path, text, "keep readable texts of 1 MiB in all in the folder");
            let text = files::read_text(&path, SETTINGS_BYTES).map_err(|error| fail(error.to_string()))?;
            bytes += text.len() as u64;
            if bytes > SETTINGS_BYTES {
                return Err(fail(format!("with it, the files are larger than {} MiB", SETTINGS_BYTES >> 20)));
            }
            let below = path.strip_prefix(root).ok().and_then(Path::to_str);
            let below = below.ok_or_else(|| fail("its name isn't UTF-8 text".to_owned()))?.to_owned();
            folder.inputs.push(path);
            folder.texts.insert(below, text);
        }
        if !folder.texts.keys().any(|path| path.ends_with(".rego")) {
            let text = "the folder contains no Rego file".to_owned();
            return Err(fail(root, text, "name a file, or a folder with files that end in `.rego`"));
        }
        Ok(folder)
    }

    /// Returns the digest of all texts.
    pub(super) fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for (path, text) in &self.texts {
            digest.update(format!("{path}\0{}\0", text.len()));
            digest.update(text);
        }
        hex(&digest.finalize())
    }

    /// Returns the settings: the modules by their paths, and the data.
    ///
    /// # Errors
    ///
    /// A data file isn't JSON, or two of them define the same path.
    pub(super) fn settings(&self) -> Result<Value, FolderError> {
        let (mut modules, mut data) = (Map::new(), Value::Object(Map::new()));
        for (path, text) in &self.texts {
            if path.ends_with(".rego") {
                modules.insert(path.clone(), text.as_str().into());
                continue;
            }
            let file = self.root.join(path);
            let value = any_value(text).map_err(|(at, text)| FolderError {
                place: format!("{}:{at}", file.display()),
                text,
                hint: "write JSON, without comments",
            })?;
            let mut folders: Vec<&str> = path.split('/').collect();
            folders.pop();
            let value = folders.iter().rev().fold(value, |value, folder| json!({ *folder: value }));
            if !value.is_object() {
                let hint = "write an object, or put the file into a folder with the name of its key";
                return Err(fail(&file, "it replaces `data` itself and isn't an object".to_owned(), hint));
            }
            merge(&mut data, value, "data").map_err(|path| {
                fail(&file, format!("another file defines `{path}` too"), "leave one of the two out")
            })?;
        }
        Ok(json!({ "file": self.root.to_string_lossy(), "files": modules, "data": data }))
    }
}

/// Returns a folder's digest, or `None` if it can't be used.
pub(super) fn digest(root: &Path) -> Option<String> {
    Folder::read(root, Modules::Judging).ok().map(|folder| folder.digest())
}

fn fail(path: &Path, text: String, hint: &'static str) -> FolderError {
    FolderError { place: path.to_string_lossy().into_owned(), text, hint }
}

/// Collects the subfolders and the files of `folder`.
///
/// Doesn't follow links, which could lead to a file that the policy must not see.
fn collect(
    folder: &Path,
    depth: usize,
    seen: &mut usize,
    folders: &mut Vec<PathBuf>,
    files: &mut Vec<PathBuf>,
) -> Result<(), FolderError> {
    let unreadable = |error: std::io::Error| fail(folder, error.to_string(), "make the folder readable");
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        *seen += 1;
        if *seen > ENTRIES {
            let text = format!("more than {ENTRIES} files and folders lie in it");
            return Err(fail(folder, text, "give the rules a folder of their own"));
        }
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(unreadable)?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        if kind.is_symlink() {
            return Err(fail(&path, "it is a link".to_owned(), "put the file itself into the folder"));
        } else if kind.is_dir() {
            if depth == 0 {
                let text = format!("it is more than {DEPTH} folders deep");
                return Err(fail(&path, text, "give the rules a folder of their own"));
            }
            folders.push(path.clone());
            collect(&path, depth - 1, seen, folders, files)?;
        } else if matches!(extension, Some("yaml" | "yml")) {
            return Err(fail(&path, "data in YAML is not read".to_owned(), "write it in JSON"));
        } else if matches!(extension, Some("rego" | "json")) {
            files.push(path);
        }
    }
    Ok(())
}

/// Merges a value into another one. The error is the path that both define.
fn merge(into: &mut Value, value: Value, path: &str) -> Result<(), String> {
    match (into, value) {
        (Value::Object(into), Value::Object(value)) => {
            for (key, value) in value {
                match into.get_mut(&key) {
                    Some(there) => merge(there, value, &format!("{path}.{key}"))?,
                    None => drop(into.insert(key, value)),
                }
            }
            Ok(())
        }
        _ => Err(path.to_owned()),
    }
}
