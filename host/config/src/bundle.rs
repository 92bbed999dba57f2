//! [`Bundle`]: a `guard.toml` for other machines. The files that it names are in one folder beside it, each named by
//! its digest, so that a new configuration adds files and changes none.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Table, value};

use super::lock::{Lock, is_address};
use super::problem::entry_location;
use guard_contract::Layer;
use guard_contract::paths::absolute;
use guard_contract::{COMPONENT_BYTES, Problem};
use guard_platform::paths::{judged_text, native};
use guard_state::files::read_text;
use guard_state::hex;

/// The folder beside the `guard.toml`.
pub const FOLDER: &str = "sync";

/// The maximum size of a `guard.toml` in bytes.
const TEXT_BYTES: u64 = 1 << 20;

/// A `guard.toml` and the files that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The text of the `guard.toml`, which only names files in [`FOLDER`].
    pub text: String,
    /// The files in that folder by name: the digest of their bytes and their original extension.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Returns the name of a file in [`FOLDER`].
#[must_use]
pub fn name_of(bytes: &[u8], extension: &str) -> String {
    format!("{}.{extension}", hex(&Sha256::digest(bytes)))
}

/// Returns whether [`name_of`] gives these bytes this name.
#[must_use]
pub fn is_name_of(name: &str, bytes: &[u8]) -> bool {
    let Some((_, extension)) = name.split_once('.') else { return false };
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=8).contains(&extension.len()) && extension.chars().all(is_plain) && name == name_of(bytes, extension)
}

impl Bundle {
    /// Collects the files that a `guard.toml` names. Addresses must be pinned by the lock beside it.
    ///
    /// # Errors
    ///
    /// The problem with the file, or with one that it names.
    pub fn collect(file: &Path, home: &str) -> Result<Self, Problem> {
        let problem = |place: String, text: String, hint: &str| Problem {
            layer: Layer::Managed,
            place,
            text,
            hint: hint.to_owned(),
        };
        let shown = file.display().to_string();
        let text = read_text(file, TEXT_BYTES)
            .map_err(|error| problem(shown.clone(), format!("it cannot be read: {error}"), "name a guard.toml"))?;
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| problem(shown.clone(), error.to_string(), ""))?;
        let lock = Lock::read(&Lock::file(file)).map_err(|text| {
            let place = Lock::file(file).display().to_string();
            problem(place, text, "restore the file, for example from your repository")
        })?;
        let mut gathering = BundleReader { file, home, lock, files: BTreeMap::new() };
        match document.get_mut("policy") {
            None => {}
            Some(Item::ArrayOfTables(entries)) => {
                for entry in entries.iter_mut() {
                    let name = entry.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
                    let of_entry = |(text, hint): (String, &str)| {
                        problem(entry_location(file, &name), format!("policy `{name}`: {text}"), hint)
                    };
                    gathering.entry(&name, entry).map_err(of_entry)?;
                }
            }
            Some(_) => {
                let text = "`policy` isn't a list of `[[policy]]` tables".to_owned();
                return Err(problem(shown, text, "write each entry as `[[policy]]`"));
            }
        }
        Ok(Bundle { text: document.to_string(), files: gathering.files })
    }
}

struct BundleReader<'a> {
    file: &'a Path,
    home: &'a str,
    lock: Lock,
    files: BTreeMap<String, Vec<u8>>,
}

/// The problem with an entry, and the hint for it.
type Complaint = (String, &'static str);

impl BundleReader<'_> {
    fn entry(&mut self, name: &str, entry: &mut Table) -> Result<(), Complaint> {
        let text = |entry: &Table, key: &str| entry.get(key).and_then(Item::as_str).map(str::to_owned);
        let source = text(entry, "source").filter(|source| !source.starts_with("builtin:"));
        if let Some(source) = source {
            let (place, pin) = if is_address(&source) {
                let Some(locked) = self.lock.find(name, &source) else {
                    return Err((format!("guard.lock has no `{source}` for it"), "run `guard-host policy update`"));
                };
                (locked.component(self.file).to_string_lossy().into_owned(), Some(locked.sha256.clone()))
            } else {
                (self.absolute(&source), text(entry, "sha256"))
            };
            let bytes = read(&place, COMPONENT_BYTES as u64)?;
            let kept = name_of(&bytes, "wasm");
            if pin.is_some_and(|pin| !kept.trim_end_matches(".wasm").eq_ignore_ascii_case(&pin)) {
                return Err((format!("`{place}` differs from its pinned digest"), "run `guard-host policy fetch`"));
            }
            put(entry, "source", format!("{FOLDER}/{kept}"));
            put(entry, "sha256", kept.trim_end_matches(".wasm").to_owned());
            self.files.insert(kept, bytes);
        }
        if let Some(settings) = text(entry, "settings-file") {
            let place = self.absolute(&settings);
            if Path::new(&place).is_dir() {
                return Err((format!("`{settings}` is a folder"), "put its rules into one file"));
            }
            let bytes = read(&place, super::folder::SETTINGS_BYTES)?;
            let extension = Path::new(&settings).extension().map(|of| of.to_string_lossy().to_ascii_lowercase());
            let kept = name_of(&bytes, &extension.unwrap_or_else(|| "json".to_owned()));
            if !is_name_of(&kept, &bytes) {
                return Err((format!("`{settings}` has an unusual extension"), "rename the file"));
            }
            put(entry, "settings-file", format!("{FOLDER}/{kept}"));
            self.files.insert(kept, bytes);
        }
        Ok(())
    }

    fn absolute(&self, path: &str) -> String {
        let folder = self.file.parent().unwrap_or(Path::new("/")).to_string_lossy();
        native(&absolute(&judged_text(path), &judged_text(&folder), self.home)).to_string_lossy().into_owned()
    }
}

/// Sets a key, and keeps the space and comments around its value.
fn put(entry: &mut Table, key: &str, text: String) {
    let mut new = value(text);
    if let (Some(old), Some(new)) = (entry.get(key).and_then(Item::as_value), new.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    entry.insert(key, new);
}

fn read(path: &str, most: u64) -> Result<Vec<u8>, Complaint> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    let read = read.and_then(|_| match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it has more than {most} bytes"))),
        false => Ok(()),
    });
    read.map_err(|error| (format!("`{path}` cannot be read: {error}"), "correct the path"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Bundle, is_name_of, name_of};

    #[test]
    fn what_is_named_lies_under_its_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("a.wasm", "component");
        write("rules.rego", "package guard");
        write(
            "guard.toml",
            "# ours\npreset = \"standard\"\n\n[[policy]]\nname = \"a\"\nsource = \"./a.wasm\" # a\nsettings = { x = 1 }\n\n\
             [[policy]]\nname = \"b\"\nsource = \"builtin:rego\"\nsettings-file = \"rules.rego\"\n",
        );
        let bundle = Bundle::collect(&folder.path().join("guard.toml"), "/home/u").expect("a bundle");
        let (wasm, rego) = (name_of(b"component", "wasm"), name_of(b"package guard", "rego"));
        let sha256 = wasm.trim_end_matches(".wasm");
        let expected = format!(
            "# ours\npreset = \"standard\"\n\n[[policy]]\nname = \"a\"\nsource = \"sync/{wasm}\" # a\nsettings = {{ x = 1 }}\n\
             sha256 = \"{sha256}\"\n\n[[policy]]\nname = \"b\"\nsource = \"builtin:rego\"\nsettings-file = \"sync/{rego}\"\n"
        );
        assert_eq!(bundle.text, expected);
        assert_eq!(bundle.files.keys().cloned().collect::<Vec<_>>(), {
            let mut names = vec![wasm, rego];
            names.sort();
            names
        });
    }

    #[test]
    fn what_cannot_be_sent_is_told_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("a.wasm", "component");
        std::fs::create_dir(folder.path().join("rules")).expect("made");
        for (entry, place, words) in [
            ("source = \"gone.wasm\"", ":2:", "gone.wasm"),
            ("source = \"oci://x.example/a:1\"", ":2:", "guard.lock has no"),
            ("source = \"a.wasm\"\nsha256 = \"0000\"", ":2:", "differs from its pinned digest"),
            ("source = \"builtin:rego\"\nsettings-file = \"rules\"", ":2:", "is a folder"),
            ("source = ", "guard.toml", "TOML parse error"),
        ] {
            write("guard.toml", &format!("[[policy]]\nname = \"a\"\n{entry}\n"));
            let problem = Bundle::collect(&folder.path().join("guard.toml"), "/home/u").expect_err(entry);
            assert!(problem.place.contains(place) && problem.text.contains(words), "{entry}: {problem:?}");
        }
    }

    #[test]
    fn a_name_is_the_digest_and_no_path() {
        let name = name_of(b"x", "wasm");
        assert!(is_name_of(&name, b"x"));
        for wrong in
            ["../x.wasm", "x.wasm", &name.replace("wasm", "WASM"), &name.replace(".wasm", ""), &format!("{name}/x")]
        {
            assert!(!is_name_of(wrong, b"x"), "{wrong}");
        }
        assert!(!is_name_of(&name, b"y"));
    }
}
