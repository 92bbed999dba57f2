//! The `git` of this machine, as a process.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{GitAsked, GitQuestion};
use crate::sources::COMPARED_BYTES;
use guard_contract::paths::below;
use guard_platform::fs::is_executable;
use guard_platform::paths::native;

/// The maximum number of bytes read of an answer, enough for the longest branch name or the first of many files.
const OUTPUT_BYTES: u64 = 4096;

/// The maximum number of bytes read of a committed file.
const HEAD_BYTES: u64 = COMPARED_BYTES as u64 + 1;

/// Disables programs in the repository's settings, and transports for fetching missing objects.
const OFF: [&str; 3] = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"];

/// Variables that git needs to find the user's ignore rules.
const KEPT: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT"];

impl GitQuestion {
    /// Returns git's arguments for the question.
    fn options(self) -> &'static [&'static str] {
        match self {
            // Not `--short`, which prints another name if a tag has the same name as the branch.
            GitQuestion::Branch => &["symbolic-ref", "--quiet", "HEAD"],
            GitQuestion::Tracked => &["ls-files", "--cached", "-z"],
            GitQuestion::Staged => &[
                "diff",
                "--cached",
                "--quiet",
                "--no-ext-diff",
                "--no-textconv",
                "--no-renames",
                "--ignore-submodules=none",
            ],
            GitQuestion::Ignored => &["check-ignore", "--quiet"],
            GitQuestion::Head => &["cat-file", "blob"],
        }
    }

    fn answer(self, output: &[u8], code: Option<i32>) -> Option<String> {
        let is_so = match (self, code?) {
            (GitQuestion::Branch, 0) => {
                let name = std::str::from_utf8(output).ok()?.trim_end_matches('\n');
                return Some(name.strip_prefix("refs/heads/")?.to_owned());
            }
            (GitQuestion::Head, 0) => return Some(String::from_utf8_lossy(output).into_owned()),
            (GitQuestion::Branch, 1) => return Some(String::new()),
            (GitQuestion::Tracked, 0) => !output.is_empty(),
            (GitQuestion::Staged, code @ (0 | 1)) => code == 1,
            (GitQuestion::Ignored, code @ (0 | 1)) => code == 0,
            _ => return None,
        };
        Some(if is_so { "yes" } else { "no" }.to_owned())
    }
}

/// Returns the machine's `git` for a work tree, still without a verb. It runs no program from the repository's settings
/// and uses no network. `own` are folders whose programs must not be run. `env` are this process's variables.
#[must_use]
pub fn command(root: &str, own: &[String], env: &BTreeMap<String, String>) -> Option<Command> {
    let mut command = Command::new(program(own, env.get("PATH")?)?);
    command.arg("-C").arg(&*native(root)).args(["--no-pager", "--no-optional-locks"]);
    for setting in OFF {
        command.args(["-c", setting]);
    }
    command.env_clear().envs(KEPT.iter().filter_map(|name| Some((*name, env.get(*name)?))));
    // No protocol is permitted, regardless of the settings.
    command.env("GIT_ALLOW_PROTOCOL", "").env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
    Some(command)
}

/// Asks git. `None` if there is no answer.
pub(crate) fn ask(query: GitAsked<'_>, wait: Duration, env: &BTreeMap<String, String>) -> Option<String> {
    let GitAsked { root, path, question, own } = query;
    let mut command = command(root, own, env)?;
    // Paths must not be read as patterns. `check-ignore` only takes paths and rejects this option.
    if question != GitQuestion::Ignored {
        command.arg("--literal-pathspecs");
    }
    command.args(question.options());
    match question {
        GitQuestion::Branch => {}
        GitQuestion::Head => drop(command.arg(format!("HEAD:{}", below(path, root)?))),
        _ => drop(command.arg("--").arg(&*native(path))),
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let most = if question == GitQuestion::Head { HEAD_BYTES } else { OUTPUT_BYTES };
    let output = read(&mut child, wait, most);
    let is_over = output.as_ref().is_some_and(|output| (output.len() as u64) < most);
    if !is_over {
        // It is still running: its output is longer than the maximum, or it is too slow.
        let _ = child.kill();
    }
    let code = child.wait().ok()?.code();
    // For `Tracked`, the first of many files is enough.
    let code = if question == GitQuestion::Tracked && output.is_some() && !is_over { Some(0) } else { code };
    question.answer(&output?, code)
}

/// Reads the start of the process's output. `None` if it takes too long.
fn read(child: &mut Child, wait: Duration, most: u64) -> Option<Vec<u8>> {
    let mut pipe = child.stdout.take()?.take(most);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let _ = sender.send(pipe.read_to_end(&mut output).map(|_| output));
    });
    receiver.recv_timeout(wait).ok()?.ok()
}

/// Finds `git` in `PATH`. Skips relative folders and those in `own`, because they may contain anything.
fn program(own: &[String], path: &str) -> Option<PathBuf> {
    let real = |path: &Path| path.canonicalize().ok();
    let own: Vec<PathBuf> = own.iter().filter_map(|folder| real(&native(folder))).collect();
    let is_own = |path: &Path| own.iter().any(|folder| path.starts_with(folder));
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let programs = folders.map(|folder| folder.join(&name)).filter(|git| is_program(git));
    // Applies to the folder and to the target of a link in it.
    let is_strange = |git: &Path| {
        let places = [git.parent().and_then(real), real(git)];
        places.iter().all(|place| place.as_deref().is_some_and(|place| !is_own(place)))
    };
    programs.into_iter().find(|git| is_strange(git))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && is_executable(&data))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn world() -> (tempfile::TempDir, BTreeMap<String, String>) {
        let folder = tempfile::tempdir().unwrap();
        let env: BTreeMap<String, String> = [
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
            ("HOME".to_owned(), folder.path().join("home").display().to_string()),
        ]
        .into();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        fs::create_dir_all(folder.path().join("repo/src")).unwrap();
        git(folder.path(), &["init", "--quiet", "--initial-branch", "trunk"]);
        (folder, env)
    }

    fn put(root: &str, path: &str, question: GitQuestion, env: &BTreeMap<String, String>) -> Option<String> {
        ask(GitAsked { root, path, question, own: &[root.to_owned()] }, Duration::from_secs(60), env)
    }

    fn git(folder: &std::path::Path, words: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(folder.join("repo")).env("HOME", folder.join("home")).env_remove("GIT_DIR");
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(words);
        assert!(command.output().unwrap().status.success(), "{words:?}");
    }

    fn asked(folder: &tempfile::TempDir, env: &BTreeMap<String, String>, path: &str) -> [Option<String>; 3] {
        let root = folder.path().join("repo").display().to_string();
        [GitQuestion::Tracked, GitQuestion::Staged, GitQuestion::Ignored]
            .map(|question| put(&root, &format!("{root}/{path}"), question, env))
    }

    fn words(words: [&str; 3]) -> [Option<String>; 3] {
        words.map(|word| Some(word.to_owned()))
    }

    #[test]
    fn files_are_kept_staged_and_left_out_as_git_says() {
        let (folder, env) = world();
        let write = |name: &str, text: &str| fs::write(folder.path().join("repo").join(name), text).unwrap();
        write(".gitignore", "*.log\n/out\n");
        write("src/[a].ts", "1");
        write("a.log", "1");
        // There is no commit yet.
        git(folder.path(), &["add", ".gitignore"]);
        assert_eq!(asked(&folder, &env, ".gitignore"), words(["yes", "yes", "no"]));
        git(folder.path(), &["add", "src"]);
        git(folder.path(), &["commit", "--quiet", "-m", "a"]);
        assert_eq!(asked(&folder, &env, "src/[a].ts"), words(["yes", "no", "no"]));
        assert_eq!(asked(&folder, &env, "src"), words(["yes", "no", "no"]));
        write("src/[a].ts", "2");
        write("src/a.ts", "new");
        assert_eq!(asked(&folder, &env, "src/[a].ts"), words(["yes", "no", "no"]));
        // The path is a name, not a pattern.
        assert_eq!(asked(&folder, &env, "src/a.ts"), words(["no", "no", "no"]));
        git(folder.path(), &["add", "src/[a].ts"]);
        assert_eq!(asked(&folder, &env, "src/[a].ts"), words(["yes", "yes", "no"]));
        assert_eq!(asked(&folder, &env, "src"), words(["yes", "yes", "no"]));
        assert_eq!(asked(&folder, &env, "a.log"), words(["no", "no", "yes"]));
        assert_eq!(asked(&folder, &env, "out"), words(["no", "no", "yes"]));
        assert_eq!(asked(&folder, &env, "gone/far/away"), words(["no", "no", "no"]));
    }

    #[test]
    fn a_branch_has_a_name_before_its_first_commit_and_a_commit_alone_has_none() {
        let (folder, env) = world();
        let root = folder.path().join("repo").display().to_string();
        let branch = || put(&root, &root, GitQuestion::Branch, &env);
        assert_eq!(branch().as_deref(), Some("trunk"));
        git(folder.path(), &["commit", "--quiet", "--allow-empty", "-m", "a"]);
        git(folder.path(), &["checkout", "--quiet", "-b", "a/b"]);
        git(folder.path(), &["tag", "a/b"]);
        assert_eq!(branch().as_deref(), Some("a/b"));
        git(folder.path(), &["checkout", "--quiet", "--detach"]);
        assert_eq!(branch().as_deref(), Some(""));
    }

    #[test]
    fn a_submodule_is_staged_whatever_the_settings_leave_out() {
        let (folder, env) = world();
        git(folder.path(), &["config", "diff.ignoreSubmodules", "all"]);
        git(folder.path(), &["commit", "--quiet", "--allow-empty", "-m", "a"]);
        let commit = "160000,0123456789012345678901234567890123456789,sub";
        git(folder.path(), &["update-index", "--add", "--cacheinfo", commit]);
        assert_eq!(asked(&folder, &env, "sub")[..2], words(["yes", "yes", "no"])[..2]);
    }

    #[test]
    fn more_files_than_are_read_are_kept_as_well() {
        let (folder, env) = world();
        for number in 0..500 {
            fs::write(folder.path().join(format!("repo/src/a-file-with-a-näme-{number}")), "").unwrap();
        }
        git(folder.path(), &["add", "src"]);
        assert_eq!(asked(&folder, &env, "src"), words(["yes", "yes", "no"]));
    }

    #[test]
    fn without_git_or_a_repository_nothing_is_known() {
        let (folder, mut env) = world();
        let home = folder.path().join("home").display().to_string();
        assert_eq!(put(&home, &format!("{home}/a"), GitQuestion::Tracked, &env), None);
        env.insert("PATH".to_owned(), home);
        assert_eq!(asked(&folder, &env, "src"), [None, None, None]);
    }

    #[test]
    fn a_program_in_the_work_tree_and_one_that_settings_name_are_not_run() {
        let (folder, mut env) = world();
        let bin = folder.path().join("repo/bin");
        fs::create_dir(&bin).unwrap();
        let stub = |name: &str| {
            let path = bin.join(name);
            fs::write(&path, format!("#!/bin/sh\ntouch {}/ran-$(basename \"$0\")\n", folder.path().display())).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path.display().to_string()
        };
        stub("git");
        let [monitor, differ, filter] = ["monitor", "differ", "filter"].map(stub);
        git(folder.path(), &["config", "diff.external", &differ]);
        git(folder.path(), &["config", "diff.x.textconv", &differ]);
        git(folder.path(), &["config", "filter.x.clean", &filter]);
        fs::write(folder.path().join("repo/src/a"), "1").unwrap();
        git(folder.path(), &["add", "src/a"]);
        fs::write(folder.path().join("repo/.gitattributes"), "* filter=x diff=x\n").unwrap();
        git(folder.path(), &["config", "core.fsmonitor", &monitor]);
        // By its own name, through a link, from a relative folder, and a file that isn't executable.
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("repo"), &link).unwrap();
        let plain = folder.path().join("plain");
        fs::create_dir(&plain).unwrap();
        fs::write(plain.join("git"), "").unwrap();
        let places = [bin.clone(), link.join("bin"), "bin".into(), plain].map(|place| place.display().to_string());
        env.insert("PATH".to_owned(), format!("{}:{}", places.join(":"), env["PATH"]));
        assert_eq!(asked(&folder, &env, "src/a"), words(["yes", "yes", "no"]));
        let ran = ["git", "monitor", "differ", "filter"].map(|name| folder.path().join(format!("ran-{name}")).exists());
        assert_eq!(ran, [false; 4]);
    }

    #[test]
    fn one_that_does_not_answer_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("git");
        fs::write(&path, "#!/bin/sh\nexec sleep 600\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let env = [("PATH".to_owned(), folder.path().display().to_string())].into();
        let asked = GitAsked { root: "/", path: "/a", question: GitQuestion::Tracked, own: &[] };
        assert_eq!(ask(asked, Duration::from_millis(50), &env), None);
    }
}
