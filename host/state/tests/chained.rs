//! A log that 50 processes write at once, some of which are killed at random, is complete, and each edit is found.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use guard_state::{ChainedLog, FileLock};

const PROCESSES: u64 = 50;
const LINES: usize = 10_000;
const EDITS: u64 = 200;

/// Large enough that the rotated file keeps the older lines.
const LARGEST: u64 = 2 << 20;

/// The variable that makes a test a writer.
const FOLDER: &str = "GUARD_TEST_CHAINED";

struct Paths {
    log: PathBuf,
    rotated: PathBuf,
    last: PathBuf,
    lock: PathBuf,
    state: PathBuf,
}

impl Paths {
    fn of(folder: &Path) -> Self {
        let at = |name: &str| folder.join(name);
        Paths { log: at("log"), rotated: at("log.1"), last: at("log.last"), lock: at("log.lock"), state: at("state") }
    }

    fn log(&self) -> ChainedLog<'_> {
        ChainedLog { path: &self.log, rotated: &self.rotated, last: &self.last, state: &self.state }
    }

    fn append(&self, text: &str) {
        let lock = FileLock::acquire(&self.lock, Instant::now() + Duration::from_secs(60)).unwrap();
        if fs::metadata(&self.log).is_ok_and(|data| data.len() > LARGEST) {
            fs::rename(&self.log, &self.rotated).unwrap();
        }
        self.log().append(&format!("{{\"text\":\"{text}\"}}"), true).unwrap();
        drop(lock);
    }
}

/// The work of one process. Another test starts fifty of them in one folder.
#[test]
fn writer() {
    let own = tempfile::tempdir().unwrap();
    let folder = std::env::var_os(FOLDER).map_or_else(|| own.path().to_owned(), PathBuf::from);
    let paths = Paths::of(&folder);
    (0..LINES / 50).for_each(|line| paths.append(&format!("{} {line} {}", std::process::id(), "x".repeat(line % 90))));
}

fn lines_of(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}

/// Fifty processes write at once. Every third one is killed, and replaced by another.
fn write_at_once(folder: &Path) {
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "writer"]).env(FOLDER, folder).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    thread::scope(|scope| {
        for number in 0..PROCESSES {
            scope.spawn(move || {
                if number % 3 == 0 {
                    let mut killed = start();
                    thread::sleep(Duration::from_millis(20 + number * 11 % 300));
                    killed.kill().unwrap();
                    killed.wait().unwrap();
                }
                assert!(start().wait().unwrap().success());
            });
        }
    });
}

/// Kinds of changes to a file.
const KINDS: [&str; 7] = ["bit", "byte taken out", "removed", "swapped", "doubled", "moved", "from the other file"];

/// Returns a file with one change of this kind, at positions that `next` selects below a bound.
fn edited(kind: &str, file: &[u8], other: &[u8], next: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let split =
        |bytes: &[u8]| -> Vec<Vec<u8>> { bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() };
    let (mut bytes, mut lines) = (file.to_vec(), split(file));
    let at = next(lines.len() - 1);
    match kind {
        "bit" => {
            let place = next(bytes.len());
            *bytes.get_mut(place).unwrap() ^= 1 << next(8);
            return bytes;
        }
        "byte taken out" => {
            bytes.remove(next(bytes.len()));
            return bytes;
        }
        "removed" => drop(lines.remove(at)),
        "swapped" => lines.swap(at, at + 1),
        "doubled" => lines.insert(at, lines.get(at).unwrap().clone()),
        "moved" => {
            let line = lines.remove(at);
            lines.insert((at + 1 + next(lines.len() - 1)) % lines.len(), line);
        }
        _ => lines.insert(at, split(other).swap_remove(3)),
    }
    lines.concat()
}

#[test]
fn a_log_of_many_processes_is_whole_and_each_edit_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let paths = &Paths::of(folder.path());
    paths.append("first");
    write_at_once(folder.path());
    let written = lines_of(&paths.log) + lines_of(&paths.rotated);
    assert!(written >= LINES, "{written}");
    let found = paths.log().verify().unwrap().unwrap();
    assert!(found.lines as usize >= LINES && found.older == 0 && found.apart == 0, "{found:?}");
    let whole = [fs::read(&paths.rotated).unwrap(), fs::read(&paths.log).unwrap()];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for edit in 0..EDITS {
        let which = next(2);
        let kind = KINDS[edit as usize % 7];
        let bytes = edited(kind, &whole[which], &whole[1 - which], &mut next);
        if bytes == whole[which] {
            continue;
        }
        // The first line that differs, or the one after it, is reported.
        let same = bytes.iter().zip(&whole[which]).take_while(|(one, other)| one == other).count();
        let line = 1 + whole[which][..same].iter().filter(|byte| **byte == b'\n').count() as u64;
        let path = if which == 0 { &paths.rotated } else { &paths.log };
        fs::write(path, &bytes).unwrap();
        let wrong = paths.log().verify().unwrap().unwrap_err();
        let named = (&wrong.place.file == path && (line..=line + 1).contains(&wrong.place.line))
            // The first line of the other file reports that the last line of the older one is missing.
            || which == 0 && line as usize >= lines_of(path) && wrong.place.file == paths.log;
        assert!(named, "{edit} {kind} line {line}: {wrong:?}");
        fs::write(path, &whole[which]).unwrap();
    }
    fs::write(&paths.log, &whole[0]).unwrap();
    fs::write(&paths.rotated, &whole[1]).unwrap();
    assert!(paths.log().verify().unwrap().is_err(), "the files are in each other's place");
}

#[test]
fn lines_of_a_removed_log_stay_missing() {
    let folder = tempfile::tempdir().unwrap();
    let paths = &Paths::of(folder.path());
    for text in ["first", "second", "third"] {
        paths.append(text);
    }
    fs::remove_file(&paths.log).unwrap();
    paths.append("fourth");
    let wrong = paths.log().verify().unwrap().unwrap_err();
    assert!(wrong.text.contains("1 to 3"), "{wrong:?}");
    paths.append("fifth");
    assert!(paths.log().verify().unwrap().is_err(), "the gap stays");
}

#[test]
fn a_rotated_log_begins_with_its_own_number() {
    let folder = tempfile::tempdir().unwrap();
    let paths = &Paths::of(folder.path());
    for text in ["first", "second"] {
        paths.append(text);
        paths.append(text);
        fs::rename(&paths.log, &paths.rotated).unwrap();
    }
    paths.append("fifth");
    let found = paths.log().verify().unwrap().unwrap();
    assert_eq!((found.lines, found.numbers), (3, (3, 5)), "the older file was replaced");
}

#[test]
fn a_log_that_is_no_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let paths = &Paths::of(folder.path());
    // Creates the key.
    paths.append("first");
    fs::remove_file(&paths.log).unwrap();
    for target in ["/dev/null", "/dev/full", "/"] {
        std::os::unix::fs::symlink(target, &paths.log).unwrap();
        assert!(paths.log().verify().is_err(), "{target}");
        fs::remove_file(&paths.log).unwrap();
    }
    assert!(Command::new("mkfifo").arg(&paths.log).status().unwrap().success());
    assert!(paths.log().verify().is_err());
}

#[test]
fn an_overlong_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let paths = &Paths::of(folder.path());
    paths.append("first");
    let mut file = fs::OpenOptions::new().append(true).open(&paths.log).unwrap();
    std::io::Write::write_all(&mut file, &vec![b'x'; 3 << 20]).unwrap();
    let wrong = paths.log().verify().unwrap().unwrap_err();
    assert_eq!(wrong.place.line, 2, "{wrong:?}");
}
