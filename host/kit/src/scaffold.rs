//! Creates the project of a new policy from the embedded template of each language.
//!
//! The project is created atomically: all files are written to a temporary folder beside it, which is then renamed.
//! Nothing is downloaded or run.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use guard_platform::dir::with_mode;
use guard_state::hex;

/// The name in the templates that the project's name replaces.
const PLACEHOLDER: &str = "my-policy";

/// The maximum length of a name, as in a policy's manifest.
const NAME: usize = 64;

/// A reserved name: the crate that Rust projects contain.
const RESERVED: &str = "guard-sdk";

/// A file of a template.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) part: &'static str,
    pub(crate) path: &'static str,
    /// Its range in the decompressed content.
    pub(crate) bytes: Range<usize>,
    executable: bool,
}

include!(concat!(env!("OUT_DIR"), "/template_table.rs"));

/// A language with a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// With the SDK.
    Rust,
    /// With types for its checker.
    JavaScript,
    /// With types for its compiler.
    TypeScript,
    /// With type hints.
    Python,
    /// With generated bindings.
    C,
    /// A text for the built-in policy `rego`.
    Rego,
    /// A list of conditions for the built-in policy `cel`.
    Cel,
}

impl Language {
    /// Returns the parts of its projects: its own, shared ones, and the contract or SDK.
    fn parts(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &["rust", "shared", "sdk"],
            Language::JavaScript => &["js", "js-and-ts", "shared", "wit"],
            Language::TypeScript => &["ts", "js-and-ts", "shared", "wit"],
            Language::Python => &["python", "shared", "wit"],
            Language::C => &["c", "shared", "wit"],
            Language::Rego => &["rego"],
            Language::Cel => &["cel"],
        }
    }
}

/// The source of a new project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The template of a language.
    Template(Language),
    /// A copy of the built-in policy with this name.
    Builtin(&'a str),
}

impl Origin<'_> {
    fn parts(self) -> Result<&'static [&'static str], ScaffoldError> {
        match self {
            Origin::Template(language) => Ok(language.parts()),
            Origin::Builtin(name) => {
                let found = BUILTINS.iter().find(|(builtin, _)| *builtin == name);
                found.map(|(_, parts)| *parts).ok_or_else(|| ScaffoldError::Builtin(name.to_owned()))
            }
        }
    }

    /// Returns the commands that build and test a project in its folder, one on each line.
    #[must_use]
    pub fn commands(self) -> &'static str {
        match self {
            Origin::Template(Language::Rego) => "guard-host test rego cases/ --settings-file policy.rego",
            Origin::Template(Language::Cel) => "guard-host test cel cases/ --settings-file policy.toml",
            _ => "./build.sh\nguard-host test policy.wasm fixtures/",
        }
    }
}

/// Returns the names of the built-in policies that can be copied.
pub fn builtins() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// Returns the files of these parts.
fn files(parts: &[&str]) -> impl Iterator<Item = &'static File> {
    FILES.iter().filter(move |file| parts.contains(&file.part))
}

/// The error if a project can't be created.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// Not a valid policy name.
    #[error("`{0}` isn't a valid policy name")]
    Name(String),
    /// There is no such built-in policy, or it can't be copied.
    #[error("there is no built-in `{0}` that can be copied")]
    Builtin(String),
    /// The path already exists.
    #[error("`{0}` is there already, {1}")]
    Taken(PathBuf, &'static str),
    /// An error of the file system.
    #[error("cannot write the project `{0}`")]
    Io(PathBuf, #[source] io::Error),
}

/// Creates the folder `name` in `parent`: the project of a policy with that name. Returns its path.
///
/// # Errors
///
/// [`ScaffoldError`] if the project can't be created. In that case, nothing is left behind.
pub fn make(parent: &Path, name: &str, origin: Origin<'_>) -> Result<PathBuf, ScaffoldError> {
    if !is_name(name) {
        return Err(ScaffoldError::Name(name.to_owned()));
    }
    let parts = origin.parts()?;
    let path = parent.join(name);
    let failed = |error| ScaffoldError::Io(path.clone(), error);
    let dir = Dir::open_ambient_dir(parent, ambient_authority()).map_err(failed)?;
    match dir.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(data) if !data.is_dir() => return Err(ScaffoldError::Taken(path, "and isn't a folder")),
        Ok(_) if dir.read_dir(name).and_then(|mut inside| inside.next().transpose()).map_err(failed)?.is_some() => {
            return Err(ScaffoldError::Taken(path, "and is not empty"));
        }
        Ok(_) => {}
    }
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).map_err(|_| failed(io::Error::other("no random numbers")))?;
    let draft = format!(".{name}.{}", hex(&random));
    dir.create_dir(&draft).map_err(failed)?;
    // The rename only replaces an empty folder.
    let made = dir.open_dir(&draft).and_then(|inside| fill(&inside, name, parts));
    if let Err(error) = made.and_then(|()| dir.rename(&draft, &dir, name)) {
        let _ = dir.remove_dir_all(&draft);
        return Err(failed(error));
    }
    Ok(path)
}

fn fill(dir: &Dir, name: &str, parts: &[&str]) -> io::Result<()> {
    let all = unpack()?;
    for file in files(parts) {
        let bytes = all.get(file.bytes.clone()).ok_or_else(damaged_error)?;
        let path = Path::new(file.path);
        if let Some(parent) = path.parent() {
            dir.create_dir_all(parent)?;
        }
        let mode = if file.executable { 0o777 } else { 0o666 };
        let mut written = dir.open_with(path, with_mode(OpenOptions::new().write(true).create_new(true), mode))?;
        io::Write::write_all(&mut written, &fill_name(bytes, name))?;
    }
    Ok(())
}

/// Decompresses the content of all files.
pub(crate) fn unpack() -> io::Result<Vec<u8>> {
    decompress_to_vec_with_limit(DEFLATED, BYTES).map_err(|_| damaged_error())
}

pub(crate) fn damaged_error() -> io::Error {
    io::Error::other("the templates in this binary cannot be read")
}

/// Returns the file's content with the project's name.
fn fill_name<'a>(bytes: &'a [u8], name: &str) -> Cow<'a, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.contains(PLACEHOLDER) => text.replace(PLACEHOLDER, name).into_bytes().into(),
        _ => bytes.into(),
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    begins && name.len() <= NAME && name.chars().all(is_plain) && name != RESERVED
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let folder = folder();
        let long = "a".repeat(65);
        for name in ["", "..", ".", "a/b", "/a", "-a", "1a", "A", "a b", "a_b", "a.b", "é", "a\n", "guard-sdk", &long]
        {
            let error = make(folder.path(), name, Origin::Template(Language::C)).unwrap_err();
            assert!(matches!(error, ScaffoldError::Name(_)), "{name:?}: {error}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was written");
        assert!(is_name(&"a".repeat(64)) && is_name("a-1-"));
    }

    #[test]
    fn what_is_there_is_left_alone_and_an_empty_folder_is_filled() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::fs::create_dir(at("full")).unwrap();
        std::fs::write(at("full/.hidden"), "x").unwrap();
        std::fs::create_dir(at("elsewhere")).unwrap();
        std::os::unix::fs::symlink(at("elsewhere"), at("link")).unwrap();
        std::fs::create_dir(at("empty")).unwrap();
        for name in ["file", "full", "link"] {
            let error = make(folder.path(), name, Origin::Template(Language::Python)).unwrap_err();
            assert!(matches!(error, ScaffoldError::Taken(..)), "{name}: {error}");
        }
        assert_eq!(make(folder.path(), "empty", Origin::Template(Language::Python)).unwrap(), at("empty"));
        assert!(at("empty/policy.py").is_file());
        assert_eq!(std::fs::read_dir(at("elsewhere")).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5, "something is left");
    }

    #[test]
    fn the_name_stands_wherever_that_of_the_template_stood() {
        use std::os::unix::fs::PermissionsExt;

        let folder = folder();
        for (language, file, name) in [
            (Language::Rust, "src/lib.rs", "one"),
            (Language::JavaScript, "policy.js", "two-2"),
            (Language::TypeScript, "policy.ts", "two-three"),
            (Language::Python, "policy.py", "three"),
            (Language::C, "policy.c", "four"),
        ] {
            let path = make(folder.path(), name, Origin::Template(language)).unwrap();
            let text = std::fs::read_to_string(path.join(file)).unwrap();
            assert!(text.contains(&format!("\"{name}\"")), "{language:?}");
            let mode = |file: &str| std::fs::metadata(path.join(file)).unwrap().permissions().mode() & 0o100;
            assert_eq!((mode("build.sh"), mode(file)), (0o100, 0), "{language:?}");
            for file in files(language.parts()) {
                let written = std::fs::read(path.join(file.path)).unwrap();
                let left = written.windows(PLACEHOLDER.len()).any(|bytes| bytes == PLACEHOLDER.as_bytes());
                assert!(!left, "{}", file.path);
            }
        }
    }

    #[test]
    fn a_built_in_is_copied_under_the_name_of_the_project() {
        let folder = folder();
        assert!(builtins().count() > 6 && builtins().any(|name| name == "intrusion-guard"), "{:?}", BUILTINS);
        for builtin in builtins() {
            let path = make(folder.path(), &format!("own-{builtin}"), Origin::Builtin(builtin)).unwrap();
            let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap();
            let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
            assert_eq!(manifest["package"]["name"].as_str(), Some(format!("own-{builtin}").as_str()));
            assert!(read("src/lib.rs").contains(&format!("id: \"own-{builtin}\"")), "{builtin}");
            for (name, value) in manifest["dependencies"].as_table().unwrap() {
                let library = value.get("path").map(|below| path.join(below.as_str().unwrap()).join("src/lib.rs"));
                assert!(library.is_none_or(|library| library.exists()), "{builtin}: {name}");
            }
            let fixtures = std::fs::read_dir(path.join("fixtures")).unwrap().count();
            assert!(fixtures > 0 && path.join("build.sh").exists(), "{builtin}");
        }
        for builtin in ["plan-enforcer", "none"] {
            let error = make(folder.path(), "a", Origin::Builtin(builtin)).unwrap_err();
            assert!(matches!(error, ScaffoldError::Builtin(_)), "{builtin}: {error}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_not_made() {
        let folder = folder();
        let error = make(&folder.path().join("none"), "a", Origin::Template(Language::C)).unwrap_err();
        assert!(matches!(error, ScaffoldError::Io(..)), "{error}");
    }
}
