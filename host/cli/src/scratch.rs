//! `agent_sandbox/DATE/CONTEXT/`: a folder in a project for an agent's experiments, which git ignores.
//!
//! Everything is created below an open handle of the project. Nothing in the folder is ever removed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use jiff::civil::Date;

use guard_state::files;

/// The folder below the project's root.
const FOLDER: &str = "agent_sandbox";

/// The maximum length of a context's name.
const NAME: usize = 64;

/// The maximum size of a `.gitignore`, in bytes.
const IGNORE_BYTES: u64 = 4 << 20;

/// The error if the sandbox can't be created.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// The context isn't a valid folder name.
    #[error("`{0}` does not name a sandbox")]
    Name(String),
    /// A path component isn't a folder.
    #[error("`{0}` is a link or no folder")]
    NotAFolder(PathBuf),
    /// `.gitignore` is a link, not a file, or too large.
    #[error("no line can be added to `{0}`")]
    Ignore(PathBuf),
    /// An error of the file system.
    #[error("cannot make the sandbox in `{0}`")]
    Io(PathBuf, #[source] io::Error),
}

/// Creates the sandbox of a context, or finds the existing one. Returns its path.
///
/// # Errors
///
/// [`ScratchError`] if the sandbox can't be created.
pub fn make(project: &Path, context: &str, date: Date) -> Result<PathBuf, ScratchError> {
    if !is_name(context) {
        return Err(ScratchError::Name(context.to_owned()));
    }
    let failed = |error| ScratchError::Io(project.to_path_buf(), error);
    let root = Dir::open_ambient_dir(project, ambient_authority()).map_err(failed)?;
    // Must be first, so that git never sees anything in the sandbox.
    ignore(&root, project)?;
    let mut dir = root;
    let mut path = project.to_path_buf();
    for name in [FOLDER, &date.to_string(), context] {
        path.push(name);
        match dir.create_dir(name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        if !dir.symlink_metadata(name).map_err(failed)?.is_dir() {
            return Err(ScratchError::NotAFolder(path));
        }
        dir = dir.open_dir(name).map_err(failed)?;
    }
    Ok(path)
}

/// Returns whether the name is a plain folder name: it neither looks like an option nor is hidden.
fn is_name(context: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !context.is_empty() && context.len() <= NAME && !context.starts_with(['-', '.']) && context.chars().all(is_plain)
}

/// Adds the folder to the project's `.gitignore`, unless a line already mentions it.
fn ignore(root: &Dir, project: &Path) -> Result<(), ScratchError> {
    let name = Path::new(".gitignore");
    let failed = |error| ScratchError::Io(project.to_path_buf(), error);
    let (text, mode) = match root.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), 0o644),
        Err(error) => return Err(failed(error)),
        Ok(data) if !data.is_file() || data.len() > IGNORE_BYTES => {
            return Err(ScratchError::Ignore(project.join(name)));
        }
        Ok(data) => {
            let mut text = Vec::new();
            let file = root.open(name).map_err(failed)?;
            file.take(IGNORE_BYTES).read_to_end(&mut text).map_err(failed)?;
            (text, guard_platform::dir::mode(&data.permissions()))
        }
    };
    match with_line(&text) {
        Some(text) => files::overwrite(root, name, &text, mode).map_err(failed),
        None => Ok(()),
    }
}

/// Returns the text of a `.gitignore` with a line for the folder. `None` if it has one. A negated line also counts,
/// because the user wants the folder in git.
fn with_line(text: &[u8]) -> Option<Vec<u8>> {
    let names_folder = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let pattern = line.trim_end().trim_start_matches('!').trim_start_matches("**/").trim_start_matches('/');
        let pattern = pattern.trim_end_matches("**").trim_end_matches('*').trim_end_matches('/');
        pattern == FOLDER
    };
    if text.split(|byte| *byte == b'\n').any(names_folder) {
        return None;
    }
    let end: &[u8] = if text.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let mut longer = text.to_vec();
    if !text.is_empty() && !text.ends_with(b"\n") {
        longer.extend_from_slice(end);
    }
    longer.extend_from_slice(FOLDER.as_bytes());
    longer.push(b'/');
    longer.extend_from_slice(end);
    Some(longer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = jiff::civil::date(2026, 2, 4);

    fn project() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn s4_71_and_s4_72_the_folder_has_the_day_and_the_context() {
        let project = project();
        let made = make(project.path(), "auth-investigation", DAY).unwrap();
        assert_eq!(made, project.path().join("agent_sandbox/2026-02-04/auth-investigation"));
        assert!(made.is_dir());
    }

    #[test]
    fn s4_73_a_context_is_a_name_and_one_that_is_there_is_found_again() {
        let project = project();
        let long = "x".repeat(65);
        for name in ["", "..", ".", "a/b", "/a", "-x", ".x", "a b", "a\nb", "a\0b", "a\\b", "$(x)", "*", &long] {
            assert!(matches!(make(project.path(), name, DAY), Err(ScratchError::Name(_))), "{name:?}");
        }
        assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 0, "something was made");
        let made = make(project.path(), "x", DAY).unwrap();
        std::fs::write(made.join("probe.py"), "print()").unwrap();
        assert_eq!(make(project.path(), "x", DAY).unwrap(), made);
        assert!(made.join("probe.py").exists());
        assert!(make(project.path(), "Übung_2.b", DAY).is_ok());
    }

    #[test]
    fn s4_74_gitignore_gets_one_line() {
        for (before, after) in [
            ("", "agent_sandbox/\n"),
            ("target\n", "target\nagent_sandbox/\n"),
            ("target", "target\nagent_sandbox/\n"),
            ("a\r\nb\r\n", "a\r\nb\r\nagent_sandbox/\r\n"),
            ("a\r\nb", "a\r\nb\r\nagent_sandbox/\r\n"),
            ("# agent_sandbox\n", "# agent_sandbox\nagent_sandbox/\n"),
            ("my_agent_sandbox/\n", "my_agent_sandbox/\nagent_sandbox/\n"),
            ("agent_sandbox/old\n", "agent_sandbox/old\nagent_sandbox/\n"),
        ] {
            assert_eq!(with_line(before.as_bytes()).as_deref(), Some(after.as_bytes()), "{before:?}");
            assert_eq!(with_line(after.as_bytes()), None, "{after:?}");
        }
        for before in [
            "agent_sandbox",
            "agent_sandbox/",
            "/agent_sandbox",
            "/agent_sandbox/\n",
            "**/agent_sandbox\n",
            "agent_sandbox/**",
            "agent_sandbox/* \r\n",
            "!agent_sandbox/\n",
        ] {
            assert_eq!(with_line(before.as_bytes()), None, "{before:?}");
        }
        let bytes = with_line(b"\xff\xfe").unwrap();
        assert_eq!(bytes, b"\xff\xfe\nagent_sandbox/\n");
    }

    #[test]
    fn s4_74_gitignore_is_made_and_keeps_its_mode_and_its_text() {
        use std::os::unix::fs::PermissionsExt;

        let project = project();
        let file = project.path().join(".gitignore");
        make(project.path(), "a", DAY).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "agent_sandbox/\n");
        std::fs::write(&file, "x").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        make(project.path(), "b", DAY).unwrap();
        make(project.path(), "c", DAY).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\nagent_sandbox/\n");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 2, "a temporary file is left");
    }

    #[test]
    fn s4_74_a_link_is_refused_wherever_it_stands() {
        use std::os::unix::fs::symlink;

        let elsewhere = project();
        for (link, below) in [("agent_sandbox", ""), ("agent_sandbox/2026-02-04", "agent_sandbox"), (".gitignore", "")]
        {
            for target in [elsewhere.path().to_path_buf(), PathBuf::from("src")] {
                let project = project();
                std::fs::create_dir_all(project.path().join("src")).unwrap();
                std::fs::create_dir_all(project.path().join(below)).unwrap();
                symlink(&target, project.path().join(link)).unwrap();
                let error = make(project.path(), "x", DAY).unwrap_err();
                let is_refusal = matches!(error, ScratchError::NotAFolder(_) | ScratchError::Ignore(_));
                assert!(is_refusal, "{link}: {error}");
                assert_eq!(std::fs::read_dir(project.path().join("src")).unwrap().count(), 0);
            }
        }
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn s4_75_two_contexts_of_a_day_coexist() {
        let project = project();
        let (one, other) = (make(project.path(), "auth-investigation", DAY), make(project.path(), "api-research", DAY));
        assert!(one.unwrap().is_dir() && other.unwrap().is_dir());
    }
}
