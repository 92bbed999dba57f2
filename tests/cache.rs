//! Artifacts and prepared chains that were damaged, swapped, or left behind: never used, always replaced.
//!
//! Every test asks the hook itself, and then looks at what lies in the cache.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at a surprise")]

#[path = "support/guests.rs"]
mod guests;
#[expect(dead_code, reason = "shared with other tests")]
#[path = "support/world.rs"]
mod world;

use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use guard_host::cache::hex;
use sha2::{Digest, Sha256};

use guests::{chain, entry, place};
use world::{Ended, World, end};

/// An unprivileged user that owns nothing.
const NOBODY: u32 = 65534;

/// A world whose chain, the guest `shell`, has answered once.
fn prepared() -> World {
    let world = guests::world();
    chain(&world, &["shell"], "");
    answers(&world);
    world
}

/// The guest `shell` gives its answer to a harmless call.
fn answers(world: &World) {
    is_answer(&world.bash("ls -la"));
}

fn is_answer(ended: &Ended) {
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert_eq!(ended.reason(), "the guest was asked. [shell: known]");
}

/// The file of that extension which the cache holds for a guest.
fn cached(world: &World, guest: &str, extension: &str) -> PathBuf {
    let digest = hex(&Sha256::digest(guests::bytes(guest)));
    let wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(&digest) && name.ends_with(&format!(".{extension}"))
    };
    let found = files(world, "artifacts").into_iter().find(wanted);
    found.unwrap_or_else(|| panic!("nothing of `{guest}` ends with .{extension}"))
}

/// The files of a folder of the cache.
fn files(world: &World, folder: &str) -> Vec<PathBuf> {
    let folder = world.path(".cache/guard-host").join(folder);
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

fn change_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Another byte in the middle of the file, which stays the same file.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x20;
    fs::write(path, bytes).unwrap();
}

/// What `damage` does to the artifact of the answering chain changes no answer, and the artifact is made anew.
fn check_damage(damage: impl FnOnce(&Path)) {
    let world = prepared();
    let artifact = cached(&world, "shell", "cwasm");
    let old = inode(&artifact);
    damage(&artifact);
    answers(&world);
    // An artifact is renamed into its place while the old one is still there, so the numbers differ.
    assert_ne!(inode(&artifact), old, "the artifact is still the damaged file");
    let data = fs::symlink_metadata(&artifact).unwrap();
    assert!(data.is_file());
    assert_eq!((data.uid(), data.mode() & 0o777), (rustix::process::geteuid().as_raw(), 0o600));
    // That its digest is the sealed one.
    let verified = world.run(&["cache", "verify"], "");
    assert_eq!(verified.exit, 0, "{verified:?}");
}

#[test]
fn an_artifact_with_a_flipped_byte_is_made_anew() {
    check_damage(flip);
}

#[test]
fn an_artifact_with_a_flipped_byte_and_its_old_times_is_made_anew() {
    // Only the change time of `cache/stamp.rs` tells it.
    check_damage(|artifact| {
        let before = fs::metadata(artifact).unwrap();
        flip(artifact);
        let times = FileTimes::new().set_modified(before.modified().unwrap()).set_accessed(before.accessed().unwrap());
        File::options().write(true).open(artifact).unwrap().set_times(times).unwrap();
        let after = fs::metadata(artifact).unwrap();
        assert_eq!((after.mtime(), after.mtime_nsec()), (before.mtime(), before.mtime_nsec()));
        assert_eq!((after.ino(), after.len()), (before.ino(), before.len()));
    });
}

#[test]
fn a_truncated_artifact_is_made_anew() {
    check_damage(|artifact| {
        let length = fs::metadata(artifact).unwrap().len();
        File::options().write(true).open(artifact).unwrap().set_len(length / 2).unwrap();
    });
}

#[test]
fn an_empty_artifact_is_made_anew() {
    check_damage(|artifact| File::options().write(true).open(artifact).unwrap().set_len(0).unwrap());
}

#[test]
fn an_artifact_that_others_can_write_to_is_made_anew() {
    check_damage(|artifact| change_mode(artifact, 0o620));
}

#[test]
fn an_artifact_of_another_user_is_made_anew() {
    if !is_root() {
        eprintln!("skipped, because only root can give a file away");
        return;
    }
    check_damage(|artifact| std::os::unix::fs::chown(artifact, Some(NOBODY), None).unwrap());
}

#[test]
fn an_artifact_behind_a_link_is_made_anew() {
    check_damage(|artifact| {
        let beside = artifact.with_extension("moved");
        fs::rename(artifact, &beside).unwrap();
        std::os::unix::fs::symlink(&beside, artifact).unwrap();
    });
}

#[test]
fn a_removed_artifact_is_made_anew() {
    let world = prepared();
    let artifact = cached(&world, "shell", "cwasm");
    fs::remove_file(&artifact).unwrap();
    answers(&world);
    assert!(artifact.exists());
}

/// The analyzer's artifact, as the prepared chain names it.
fn analyzer(world: &World) -> PathBuf {
    let sealed = fs::read_to_string(chain_file(world)).unwrap();
    let (_, body) = sealed.split_once('\n').unwrap();
    let chain: serde_json::Value = serde_json::from_str(body).unwrap();
    PathBuf::from(chain["analyzer"]["Ok"]["path"].as_str().unwrap())
}

#[test]
fn a_damaged_analyzer_is_found_and_made_anew() {
    let world = prepared();
    let analyzer = analyzer(&world);
    let old = inode(&analyzer);
    flip(&analyzer);
    let line = |state: &str| format!("{}: {state}", analyzer.display());
    let verified = world.run(&["cache", "verify"], "");
    assert_eq!(verified.exit, 69, "{verified:?}");
    assert!(verified.stdout.contains(&line("stale or damaged")), "{verified:?}");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_ne!(inode(&analyzer), old);
    assert!(world.run(&["cache", "verify"], "").stdout.contains(&line("ok")));
    answers(&world);
}

/// The artifact of `denies`, under the name of that of `shell`.
fn swap(world: &World) -> PathBuf {
    let artifact = cached(world, "shell", "cwasm");
    let other = fs::read(cached(world, "denies", "cwasm")).unwrap();
    fs::remove_file(&artifact).unwrap();
    fs::write(&artifact, other).unwrap();
    change_mode(&artifact, 0o600);
    artifact
}

/// A world that has artifacts of `shell` and of `denies`, but whose chain is `shell` alone.
fn with_two_artifacts() -> World {
    let world = guests::world();
    chain(&world, &["shell", "denies"], "");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    chain(&world, &["shell"], "");
    answers(&world);
    world
}

#[test]
fn a_foreign_artifact_without_a_record_is_not_mapped() {
    let world = with_two_artifacts();
    swap(&world);
    fs::remove_file(cached(&world, "shell", "json")).unwrap();
    assert_eq!(world.run(&["cache", "verify"], "").exit, 69);
    answers(&world);
}

#[test]
fn a_foreign_artifact_with_a_sealed_record_of_another_component_is_not_mapped() {
    // `Artifacts::find` compares the component of the record, which the seal alone does not bind to the name.
    let world = with_two_artifacts();
    swap(&world);
    fs::copy(cached(&world, "denies", "json"), cached(&world, "shell", "json")).unwrap();
    assert_eq!(world.run(&["cache", "verify"], "").exit, 69);
    answers(&world);
}

#[test]
fn artifacts_of_another_key_are_made_anew() {
    let world = prepared();
    let artifacts = [analyzer(&world), cached(&world, "shell", "cwasm")];
    let old = artifacts.each_ref().map(|path| inode(path));
    fs::write(world.path(".local/state/guard-host/mac.key"), [7; 64]).unwrap();
    let verified = world.run(&["cache", "verify"], "");
    assert!(!verified.stdout.contains(": ok"), "{verified:?}");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let verified = world.run(&["cache", "verify"], "");
    for (path, old) in artifacts.iter().zip(old) {
        assert_ne!(inode(path), old, "{} was kept", path.display());
        assert!(verified.stdout.contains(&format!("{}: ok", path.display())), "{verified:?}");
    }
    answers(&world);
}

#[test]
fn a_key_that_others_can_write_to_is_replaced() {
    let world = prepared();
    let key = world.path(".local/state/guard-host/mac.key");
    let old = fs::read(&key).unwrap();
    change_mode(&key, 0o660);
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_ne!(fs::read(&key).unwrap(), old);
    assert_eq!(fs::metadata(&key).unwrap().mode() & 0o777, 0o600);
    answers(&world);
}

/// The one prepared chain.
fn chain_file(world: &World) -> PathBuf {
    let files = files(world, "chains");
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn a_damaged_chain_is_prepared_anew() {
    let world = prepared();
    let file = chain_file(&world);
    let text = fs::read(&file).unwrap();
    flip(&file);
    answers(&world);
    // Nothing that it depends on has changed, so the new one is equal to it.
    assert!(fs::read(&file).unwrap() == text, "the chain is not the one that was prepared first");
    File::options().write(true).open(&file).unwrap().set_len(10).unwrap();
    answers(&world);
    assert!(fs::read(&file).unwrap() == text, "the chain is not the one that was prepared first");
}

#[test]
fn a_chain_that_was_edited_is_not_believed() {
    let world = guests::world();
    chain(&world, &["trap"], "");
    assert_eq!(world.bash("ls -la").decision(), "ask");
    let file = chain_file(&world);
    let text = fs::read_to_string(&file).unwrap();
    let edited = text.replace("\"on_error\":\"Ask\"", "\"on_error\":\"Abstain\"");
    assert_ne!(text, edited, "the chain does not spell `on-error` as this test thinks");
    fs::write(&file, edited).unwrap();
    assert_eq!(world.bash("ls -la").decision(), "ask");
}

/// The folder is refused, and the reply names it.
fn is_refused(world: &World, folder: &Path) {
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    let text = format!("cannot use the folder `{}`", folder.display());
    assert!(ended.reason().contains(&text), "not in the reason: {text}\n{}", ended.reason());
}

const FOLDERS: [&str; 3] = [".cache/guard-host", ".cache/guard-host/artifacts", ".local/state/guard-host"];

#[test]
fn a_folder_that_others_can_write_to_is_not_used_for_a_new_chain() {
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = guests::world();
        chain(&world, &["shell"], "");
        change_mode(&world.path(folder), 0o770);
        is_refused(&world, &world.path(folder));
        change_mode(&world.path(folder), 0o700);
        answers(&world);
    }
}

#[test]
fn a_folder_that_others_can_write_to_is_not_used_for_a_prepared_chain() {
    // Whoever can write to the folder can swap the file between the look at its stamp and the mapping.
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = prepared();
        change_mode(&world.path(folder), 0o770);
        is_refused(&world, &world.path(folder));
    }
}

#[test]
fn a_folder_of_another_user_is_not_used() {
    if !is_root() {
        eprintln!("skipped, because only root can give a folder away");
        return;
    }
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = guests::world();
        chain(&world, &["shell"], "");
        std::os::unix::fs::chown(world.path(folder), Some(NOBODY), None).unwrap();
        is_refused(&world, &world.path(folder));
    }
}

#[test]
fn a_folder_behind_a_link_is_not_used() {
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = guests::world();
        chain(&world, &["shell"], "");
        let (path, moved) = (world.path(folder), world.path("moved"));
        fs::rename(&path, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &path).unwrap();
        is_refused(&world, &path);
    }
}

// What the next call sees.

#[test]
fn a_changed_configuration_is_seen_by_the_next_call() {
    let world = prepared();
    world.configure("preset = \"none\"\n");
    assert!(world.bash("ls -la").is_silent());
    chain(&world, &["shell"], "");
    answers(&world);
}

#[test]
fn a_new_file_of_the_project_is_seen_by_the_next_call() {
    let world = prepared();
    let component = place(&world, "denies");
    assert_eq!(world.bash("rm -rf /").decision(), "ask");
    let file = world.write("repo/.guard/guard.toml", entry("denies", &component, ""));
    assert_eq!(world.bash("rm -rf /").decision(), "deny");
    fs::remove_file(file).unwrap();
    assert_eq!(world.bash("rm -rf /").decision(), "ask");
}

#[test]
fn a_changed_component_is_seen_by_the_next_call() {
    let world = prepared();
    let component = world.path("guests/shell.wasm");
    fs::write(&component, guests::bytes("denies")).unwrap();
    assert!(world.bash("ls -la").is_silent());
    assert_eq!(world.bash("rm -rf /").decision(), "deny");
    let new = world.write("guests/new.wasm", guests::bytes("shell"));
    fs::rename(new, &component).unwrap();
    answers(&world);
    fs::remove_file(&component).unwrap();
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask");
    assert!(ended.reason().contains("its component cannot be read"), "{ended:?}");
}

#[test]
fn a_component_of_another_digest_than_the_pinned_one_is_at_fault() {
    let world = guests::world();
    let pin = |guest: &str| format!("sha256 = \"{}\"", hex(&Sha256::digest(guests::bytes(guest))));
    chain(&world, &["shell"], &pin("shell"));
    answers(&world);
    for (on_error, decision) in [("ask", "ask"), ("deny", "deny"), ("allow", "")] {
        chain(&world, &["shell"], &format!("on-error = \"{on_error}\"\n{}", pin("denies")));
        let ended = world.bash("ls -la");
        assert_eq!(ended.decision(), decision, "{ended:?}");
        assert_eq!(ended.reason().contains("the configuration pins"), on_error != "allow", "{ended:?}");
    }
}

#[test]
fn a_pinned_component_that_changes_later_is_at_fault() {
    let world = guests::world();
    chain(&world, &["shell"], &format!("sha256 = \"{}\"", hex(&Sha256::digest(guests::bytes("shell")))));
    answers(&world);
    fs::write(world.path("guests/shell.wasm"), guests::bytes("denies")).unwrap();
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert!(ended.reason().contains("the configuration pins"), "{ended:?}");
}

// Many at once.

/// Counts the files that come to be under a name in a folder, by the machine's own account.
#[cfg(target_os = "linux")]
mod arrivals {
    use std::collections::BTreeMap;
    use std::mem::MaybeUninit;
    use std::path::Path;

    use rustix::fd::OwnedFd;
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
    use rustix::io::Errno;

    pub(super) fn watch(folder: &Path) -> OwnedFd {
        let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        add_watch(&watch, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO).unwrap();
        watch
    }

    /// How often each name came to be.
    pub(super) fn count(watch: OwnedFd) -> BTreeMap<String, usize> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(watch, &mut buffer);
        let mut counts = BTreeMap::new();
        loop {
            match reader.next() {
                Err(Errno::WOULDBLOCK) => return counts,
                event => {
                    let name = event.unwrap().file_name().unwrap().to_string_lossy().into_owned();
                    *counts.entry(name).or_default() += 1;
                }
            }
        }
    }
}

/// Runs the program that often at once.
#[cfg(target_os = "linux")]
fn at_once(number: usize, run: impl Fn() -> Ended + Sync) -> Vec<Ended> {
    let barrier = std::sync::Barrier::new(number);
    let one = || {
        barrier.wait();
        run()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..number).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[cfg(target_os = "linux")]
#[test]
fn of_sixteen_hooks_at_once_one_compiles_and_all_answer() {
    let world = guests::world();
    chain(&world, &["shell"], "");
    let watch = arrivals::watch(&world.path(".cache/guard-host/artifacts"));
    for ended in at_once(16, || world.bash("ls -la")) {
        is_answer(&ended);
    }
    let counts = arrivals::count(watch);
    for extension in ["cwasm", "json"] {
        let name = cached(&world, "shell", extension).file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(counts.get(&name), Some(&1), "{name} was made as often as this: {counts:?}");
    }
    assert!(files(&world, "artifacts").iter().all(|path| !is_temporary(path)), "a temporary file is left");
}

#[cfg(target_os = "linux")]
#[test]
fn sixteen_processes_on_a_bare_machine_make_one_key_and_each_artifact_once() {
    let world = World::cold();
    chain(&world, &["shell"], "");
    let (state, artifacts) = (world.path(".local/state/guard-host"), world.path(".cache/guard-host/artifacts"));
    for folder in [&state, &artifacts] {
        fs::create_dir_all(folder).unwrap();
        change_mode(folder, 0o700);
    }
    let (keys, made) = (arrivals::watch(&state), arrivals::watch(&artifacts));
    for ended in at_once(16, || world.run(&["cache", "warm"], "")) {
        assert_eq!((ended.exit, ended.stdout.as_str()), (0, "shell: ready\n"), "{ended:?}");
    }
    assert_eq!(arrivals::count(keys).get("mac.key"), Some(&1));
    let made = arrivals::count(made);
    let compiled: Vec<_> = made.iter().filter(|(name, _)| name.ends_with(".cwasm")).collect();
    assert_eq!(compiled.len(), 2, "{made:?}");
    assert!(compiled.iter().all(|(_, count)| **count == 1), "{made:?}");
    let left = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path());
    assert!(left.chain(files(&world, "artifacts")).all(|path| !is_temporary(&path)), "a temporary file is left");
    answers(&world);
}

#[cfg(target_os = "linux")]
fn is_temporary(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with('.')
}

// Folders that cannot be read or written.

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A world whose files bind the user that runs the program: root is bound by no mode, so it becomes somebody else.
struct Bound {
    world: World,
    program: Option<PathBuf>,
}

impl Bound {
    /// None if there is no way to become somebody else.
    fn new(world: World) -> Option<Self> {
        if !is_root() {
            return Some(Bound { world, program: None });
        }
        let program = world.path("guard-host");
        fs::copy(env!("CARGO_BIN_EXE_guard-host"), &program).unwrap();
        let given = Command::new("chown").args(["-R", &NOBODY.to_string()]).arg(world.home.path()).status();
        let bound = Bound { world, program: Some(program) };
        let tried = given.is_ok_and(|status| status.success())
            && bound.command(&["--version"]).output().is_ok_and(|output| output.status.success());
        if !tried {
            eprintln!("skipped, because root cannot become another user here");
        }
        tried.then_some(bound)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let Some(program) = &self.program else { return self.world.command(arguments) };
        let mut command = Command::new("setpriv");
        let user = NOBODY.to_string();
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"]).arg(program).args(arguments);
        command.current_dir(self.world.repo()).env_clear().env("HOME", self.world.home.path());
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    fn bash(&self, command: &str) -> Ended {
        let payload = serde_json::json!({
            "session_id": "s1", "cwd": self.world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command },
        });
        end(self.command(&["hook", "claude"]), &payload.to_string())
    }

    /// Sets the mode for `body`, and then gives it back, so that the world can be removed.
    fn with_mode(&self, below_home: &str, mode: u32, body: impl FnOnce()) {
        let path = self.world.path(below_home);
        let old = fs::metadata(&path).unwrap().mode();
        change_mode(&path, mode);
        body();
        change_mode(&path, old);
    }
}

#[test]
fn a_state_folder_that_cannot_be_read_is_a_fault_of_every_policy() {
    let world = guests::world();
    chain(&world, &["shell", "denies"], "on-error = \"deny\"");
    let Some(bound) = Bound::new(world) else { return };
    is_answer(&bound.bash("ls -la"));
    for mode in [0o000, 0o600] {
        bound.with_mode(".local/state/guard-host", mode, || {
            let ended = bound.bash("ls -la");
            assert_eq!(ended.decision(), "deny", "{mode:o}: {ended:?}");
            assert!(ended.reason().contains("the policy `shell` gave no answer"), "{mode:o}: {ended:?}");
            assert!(ended.reason().contains("the policy `denies` gave no answer"), "{mode:o}: {ended:?}");
            assert!(ended.reason().contains(".local/state/guard-host"), "{mode:o}: {ended:?}");
        });
    }
    is_answer(&bound.bash("ls -la"));
}

#[test]
fn a_key_that_cannot_be_read_never_ends_in_silence() {
    let world = guests::world();
    chain(&world, &["shell"], "");
    let Some(bound) = Bound::new(world) else { return };
    is_answer(&bound.bash("ls -la"));
    bound.with_mode(".local/state/guard-host/mac.key", 0o000, || {
        let ended = bound.bash("ls -la");
        assert_eq!(ended.decision(), "ask", "{ended:?}");
    });
}

#[test]
fn a_cache_that_cannot_be_read_never_ends_in_silence() {
    for folder in FOLDERS {
        let world = guests::world();
        chain(&world, &["shell"], "");
        let Some(bound) = Bound::new(world) else { return };
        bound.with_mode(folder, 0o000, || {
            let ended = bound.bash("ls -la");
            assert_eq!(ended.decision(), "ask", "{folder}: {ended:?}");
        });
    }
}

#[test]
fn a_home_that_cannot_be_written_gives_a_question_when_nothing_is_prepared() {
    let world = World::cold();
    chain(&world, &["shell"], "");
    let Some(bound) = Bound::new(world) else { return };
    bound.with_mode("", 0o555, || {
        let ended = bound.bash("ls -la");
        assert_eq!(ended.decision(), "ask", "{ended:?}");
        assert!(ended.reason().contains("cannot use the folder"), "{ended:?}");
    });
}

#[test]
fn a_home_that_cannot_be_written_is_enough_for_a_prepared_chain() {
    let world = guests::world();
    chain(&world, &["shell", "denies"], "");
    let Some(bound) = Bound::new(world) else { return };
    is_answer(&bound.bash("ls -la"));
    let folders = [
        "",
        ".local",
        ".local/state",
        ".local/state/guard-host",
        ".cache",
        ".cache/guard-host",
        ".cache/guard-host/chains",
        ".cache/guard-host/artifacts",
    ];
    for folder in folders {
        change_mode(&bound.world.path(folder), 0o500);
    }
    is_answer(&bound.bash("ls -la"));
    assert_eq!(bound.bash("rm -rf /").decision(), "deny");
    for folder in folders {
        change_mode(&bound.world.path(folder), 0o700);
    }
}
