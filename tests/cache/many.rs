//! Many processes at once: one creates the missing files, and all answer. Also a process with too little memory.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::{answers, cached, change_mode, files, is_answer};
use crate::support::guests::configure;
use crate::support::world::{ProcessOutput, World, end};

/// Counts the files that are created under each name in a folder, as the kernel reports them.
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

    /// Returns the number of times that each name was created.
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

/// Runs the program this many times at once.
fn at_once(number: usize, run: impl Fn() -> ProcessOutput + Sync) -> Vec<ProcessOutput> {
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

#[test]
fn of_sixteen_hooks_at_once_one_compiles_and_all_ask() {
    let world = World::new();
    configure(&world, &["shell"], "");
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        fs::create_dir_all(world.path(folder)).unwrap();
        change_mode(&world.path(folder), 0o700);
    }
    let watch = arrivals::watch(&world.path(".cache/guard-host/artifacts"));
    let mut out_of_time = 0;
    for ended in at_once(16, || world.bash("ls -la")) {
        // On a busy machine, some reach the time limit and ask, too.
        if ended.reason().contains("[hook: no-verdict]") {
            assert_eq!(ended.decision(), "ask", "{ended:?}");
            out_of_time += 1;
        } else {
            is_answer(&ended);
        }
    }
    answers(&world);
    let counts = arrivals::count(watch);
    for extension in ["cwasm", "json"] {
        let name = cached(&world, "shell", extension).file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(counts.get(&name), Some(&1), "{name} was made as often as this: {counts:?}");
    }
    // A hook ends when it reaches its time limit, perhaps while it writes a file. `cache::prune` removes that file later.
    let left = files(&world, "artifacts").iter().filter(|path| is_temporary(path)).count();
    assert!(left <= out_of_time, "{left} temporary files are left by {out_of_time} hooks that were out of time");
}

#[test]
fn sixteen_processes_on_a_bare_machine_make_one_key_and_each_artifact_once() {
    let world = World::new();
    configure(&world, &["shell"], "");
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
    assert_eq!(compiled.len(), 1, "{made:?}");
    assert!(compiled.iter().all(|(_, count)| **count == 1), "{made:?}");
    let left = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path());
    assert!(left.chain(files(&world, "artifacts")).all(|path| !is_temporary(&path)), "a temporary file is left");
    answers(&world);
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with('.')
}

#[test]
fn what_the_machine_could_not_do_once_is_tried_again() {
    // Nothing can be instantiated in 3 GB of address space. That isn't the policy's fault, so it must not be cached.
    let world = World::new();
    configure(&world, &["shell"], "");
    let program = world.command(&[]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 3000000 && exec \"$0\" cache warm"]).arg(program.get_program());
    limited.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    let ended = end(limited, "");
    assert_eq!(ended.exit, 69, "{ended:?}");
    answers(&world);
}
