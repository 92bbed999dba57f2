//! A temporary project, and its copies.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by a panic")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use guard_undo::backup::{ChildAnswer, Task, make};
use guard_undo::restore::{Options, Report, Restorer};
use guard_undo::{BackupCoverage, GitLoss, How, Loss, Losses, Manifest, PathLoss, Store};

/// A project and a state folder.
pub(crate) struct World {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) env: BTreeMap<String, String>,
}

/// The content of a tree: mode, time, and content or target of each path.
pub(crate) type Tree = BTreeMap<String, (u32, i64, Vec<u8>)>;

impl World {
    pub(crate) fn new() -> Self {
        World::in_folder(tempfile::tempdir().unwrap())
    }

    /// Creates a world on the file system of this folder.
    pub(crate) fn below(folder: &Path) -> Self {
        World::in_folder(tempfile::tempdir_in(folder).unwrap())
    }

    fn in_folder(folder: tempfile::TempDir) -> Self {
        let base = folder.path().canonicalize().unwrap();
        let (root, state) = (base.join("project"), base.join("state"));
        fs::create_dir(&root).unwrap();
        let path = std::env::var("PATH").unwrap();
        let env = [("PATH".to_owned(), path), ("HOME".to_owned(), base.display().to_string())].into();
        World { _folder: folder, root, state, env }
    }

    pub(crate) fn repository() -> Self {
        let world = World::new();
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.email", "t@example.org"],
            &["config", "user.name", "t"],
        ] {
            world.git(arguments);
        }
        world.write("a.txt", "one\n");
        world.write("src/b.txt", "two\n");
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "first"]);
        world
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.env("HOME", self.env["HOME"].as_str()).env("GIT_CONFIG_NOSYSTEM", "1");
        let ran = command.arg("-C").arg(&self.root).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn loss(&self, name: &str, how: How) -> Loss {
        let (path, is_pattern) = (self.path(name).display().to_string(), name.contains('*'));
        Loss::Path(PathLoss { path, how, is_pattern, name: String::new() })
    }

    pub(crate) fn git_loss(&self, operation: &str, target: &str) -> Loss {
        let folder = self.root.display().to_string();
        let (operation, target) = (operation.to_owned(), target.to_owned());
        let is_named = ["git.branch.", "git.ref.", "git.tag."].iter().any(|begin| operation.starts_with(begin));
        let refs = if is_named { vec![target.clone()] } else { Vec::new() };
        Loss::Git(GitLoss { folder, operation, target, refs, ..GitLoss::default() })
    }

    pub(crate) fn task(&self, list: Vec<Loss>) -> Task {
        Task {
            state: self.state.clone(),
            losses: Losses { list, may_be_more: false },
            left_ms: 20_000,
            max_bytes: 64 << 20,
            exclude: Vec::new(),
            tool: "Bash".to_owned(),
            call: "a call".to_owned(),
            session: "s".to_owned(),
            project: self.root.display().to_string(),
        }
    }

    pub(crate) fn keep(&self, list: Vec<Loss>) -> ChildAnswer {
        make(&self.task(list), Instant::now(), &self.env)
    }

    pub(crate) fn kept(&self, list: Vec<Loss>) -> Manifest {
        let answer = self.keep(list);
        assert_eq!(answer.kept, BackupCoverage::Whole, "{answer:?}");
        self.manifest(&answer.id)
    }

    pub(crate) fn store(&self) -> Store {
        Store::in_state(&self.state)
    }

    pub(crate) fn manifest(&self, id: &str) -> Manifest {
        self.store().list().unwrap().into_iter().find(|manifest| manifest.id == id).unwrap()
    }

    pub(crate) fn restore_with(&self, manifest: &Manifest, options: &Options) -> Report {
        let store = self.store();
        let restorer = Restorer { store: &store, state: &self.state, env: &self.env };
        let items = restorer.plan(manifest, options);
        restorer.apply(manifest, &items, options).unwrap()
    }

    pub(crate) fn restore(&self, manifest: &Manifest) -> Report {
        let report = self.restore_with(manifest, &Options::default());
        assert_eq!(report.problems, [""; 0]);
        report
    }

    /// Returns the work tree, without git's own folder.
    pub(crate) fn tree(&self) -> Tree {
        let mut found = Tree::new();
        walk(&self.root, &self.root, &mut found);
        found
    }
}

fn walk(root: &Path, folder: &Path, found: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let data = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if name == ".git" {
            continue;
        }
        let content = match () {
            () if data.is_symlink() => fs::read_link(&path).unwrap().display().to_string().into_bytes(),
            () if data.is_dir() => Vec::new(),
            () => fs::read(&path).unwrap(),
        };
        // The time of a folder changes with its content.
        let time = if data.is_dir() { 0 } else { data.mtime() };
        found.insert(name, (data.mode(), time, content));
        if data.is_dir() {
            walk(root, &path, found);
        }
    }
}
