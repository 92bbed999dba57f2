//! Documentation pages, parsed so that a test can follow them.
//!
//! A fenced `sh` block is run. A `console` block is a line `$ COMMAND` with lines of its output. A block with a path
//! after its language (`toml fixtures/a.toml`) is a file of the project. Other blocks are only for readers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::world::{AGENTS, ProcessOutput, World, end};

/// A fenced block.
#[derive(Debug, Clone)]
pub struct Block {
    pub language: String,
    /// The path of the file that it defines.
    pub file: Option<String>,
    pub text: String,
    pub line: usize,
}

/// Returns the repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|dir| dir.join("wit").exists()).unwrap().to_path_buf()
}

/// Returns the blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (line, number) in text.lines().zip(1..) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let (language, file) = info.split_once(' ').map_or((info, None), |(name, file)| (name, Some(file)));
                let file = file.map(str::to_owned);
                open = Some(Block { language: language.to_owned(), file, text: String::new(), line: number });
            }
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => block.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a block has no end");
    blocks
}

/// A shell that finds `guard-host` with its own home, and everything else like the test's user.
pub struct Shell {
    pub world: World,
    bin: tempfile::TempDir,
    folder: PathBuf,
    is_at_home: bool,
}

impl Shell {
    pub fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;

        let world = World::new();
        let bin = tempfile::tempdir().unwrap();
        let script = bin.path().join("guard-host");
        let text = format!(
            "#!/bin/sh\nHOME='{}' exec '{}' \"$@\"\n",
            world.home.path().display(),
            env!("CARGO_BIN_EXE_guard-host")
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let folder = world.repo();
        Shell { world, bin, folder, is_at_home: false }
    }

    /// Uses the world's home for every command from now on.
    pub fn at_home(&mut self) {
        self.is_at_home = true;
    }

    /// Returns the first folder in its search path.
    pub fn bin(&self) -> &Path {
        self.bin.path()
    }

    /// Returns the shell's current folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs shell lines in the state of the earlier ones, up to the first failure.
    pub fn run(&mut self, lines: &str) -> ProcessOutput {
        let path = std::env::var("PATH").unwrap_or_default();
        let place = self.bin.path().join("place");
        let mut command = Command::new("sh");
        command.arg("-ec").arg(format!("{lines}\npwd > '{}'", place.display())).current_dir(&self.folder);
        command.env("PATH", format!("{}:{path}", self.bin.path().display())).stdin(Stdio::null());
        if self.is_at_home {
            command.env("HOME", self.world.home.path());
        }
        // The pages install packages from a clone.
        command.env("CHECKOUT", root());
        // The tests may be run by an agent, which must not be detected.
        for variable in AGENTS {
            command.env_remove(variable);
        }
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
            command.env_remove(variable);
        }
        let ended = end(command, "");
        if let Ok(place) = fs::read_to_string(&place) {
            self.folder = PathBuf::from(place.trim_end());
        }
        ended
    }

    /// Follows a page. Returns the error if a result differs.
    pub fn follow(&mut self, page: &str) -> Result<(), String> {
        for block in blocks(page) {
            let place = format!("{page}:{}", block.line);
            match (&block.file, block.language.as_str()) {
                (Some(file), _) => {
                    let path = self.folder.join(file);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, &block.text).unwrap();
                }
                (None, "sh") => {
                    let ended = self.run(&block.text);
                    if ended.exit != 0 {
                        return Err(format!("{place}: {ended:?}"));
                    }
                }
                (None, "console") => self.show(&block.text).map_err(|error| format!("{place}: {error}"))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Runs each line after a `$`. Its output must contain the lines below it, contiguous and in order. `...` matches
    /// any other lines, or the rest of a line.
    ///
    /// # Errors
    ///
    /// If the output differs.
    pub fn show(&mut self, text: &str) -> Result<(), String> {
        for part in format!("\n{text}").split("\n$ ").skip(1) {
            let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
            let ended = self.run(&format!("{command} || true"));
            let printed: Vec<&str> = ended.stdout.lines().chain(ended.stderr.lines()).map(str::trim_end).collect();
            let mut rest = printed.as_slice();
            for piece in format!("\n{}\n", shown.trim_end()).split("\n...\n") {
                let lines: Vec<&str> = piece.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
                let stands = |at: &usize| {
                    let found = rest[*at..].iter().take(lines.len());
                    found.len() == lines.len() && found.zip(&lines).all(|(found, shown)| is_shown(found, shown))
                };
                let Some(at) = (0..=rest.len()).find(stands) else {
                    return Err(format!("`{command}` prints otherwise:\n{}", printed.join("\n")));
                };
                rest = &rest[at + lines.len()..];
            }
        }
        Ok(())
    }
}

/// Returns whether the printed line matches the shown one, which may be truncated.
fn is_shown(printed: &str, shown: &str) -> bool {
    shown.strip_suffix("...").map_or(printed == shown, |start| printed.starts_with(start))
}
