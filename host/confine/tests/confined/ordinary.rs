//! Ordinary commands: with a suitable profile, they work as without one.

use super::{World, writes};
use guard_confine::Profile;

/// The profile's paths, a shell script, and a file with its expected content.
const SHELL: &[(&[&str], &str, &str, &str)] = &[
    (&[], "cat src/main.txt > /dev/null", "src/main.txt", "source"),
    (&[], "ls -la / /etc /usr .. > /dev/null", "other.txt", "other"),
    (&[], "cat /etc/passwd | sort | uniq | head -3 | grep -q :", "other.txt", "other"),
    (&[], "x=$(mktemp) && echo a > \"$x\" && grep -q a \"$x\" && rm \"$x\"", "other.txt", "other"),
    (&[], "d=$(mktemp -d) && mkdir \"$d/a\" && echo a > \"$d/a/b\" && mv \"$d/a/b\" \"$d/c\"", "other.txt", "other"),
    (&[], "cat <<EOF > /dev/null\na\nEOF", "other.txt", "other"),
    (&[], "printf 'b\\na\\n' | sort -S 1k > /dev/null", "other.txt", "other"),
    (&[], "sleep 0.01 & wait $!", "other.txt", "other"),
    (&[], "sh -c 'sleep 5' & kill $! && ! wait $!", "other.txt", "other"),
    (&["new.txt"], "echo a > new.txt", "new.txt", "a\n"),
    (&["new.txt"], "echo a > new.txt && echo b >> new.txt && cat new.txt > /dev/null", "new.txt", "a\nb\n"),
    (&["new.txt"], "set -C; echo a > new.txt && ! echo b > new.txt", "new.txt", "a\n"),
    (&["new.txt"], "test ! -e new.txt && touch new.txt && test -e new.txt", "new.txt", ""),
    (&["new.txt"], "echo a | tee new.txt > /dev/null", "new.txt", "a\n"),
    (&["new.txt"], "cp src/main.txt new.txt", "new.txt", "source"),
    (&["new.txt"], "cp -p src/main.txt new.txt && cmp src/main.txt new.txt", "new.txt", "source"),
    (&["new.txt", "other.txt"], "mv other.txt new.txt", "new.txt", "other"),
    (&["new.txt"], "ln -s other.txt new.txt && cat new.txt > /dev/null", "new.txt", "other"),
    (&["new.txt"], "ln -sf src/main.txt new.txt && ln -sf other.txt new.txt", "new.txt", "other"),
    (&["new.txt"], "sort -o new.txt other.txt", "new.txt", "other\n"),
    (&["new.txt"], "install -m 600 other.txt new.txt && test \"$(stat -c %a new.txt)\" = 600", "new.txt", "other"),
    (&["new.txt"], "umask 077; echo a > new.txt; test \"$(stat -c %a new.txt)\" = 600", "new.txt", "a\n"),
    (&["new.txt"], "umask 000; echo a > new.txt; test \"$(stat -c %a new.txt)\" = 666", "new.txt", "a\n"),
    (&["named.txt"], "sed -i s/named/changed/ named.txt", "named.txt", "changed"),
    (&["named.txt"], "sed -i.bak s/named/changed/ named.txt && cat named.txt.bak > /dev/null", "named.txt", "changed"),
    (&["named.txt"], "echo a > named.txt.tmp && mv named.txt.tmp named.txt", "named.txt", "a\n"),
    (&["named.txt"], "echo a > .named.txt.swp && rm .named.txt.swp", "named.txt", "named"),
    (&["named.txt"], "rm named.txt && test ! -e named.txt && echo a > named.txt", "named.txt", "a\n"),
    (&["named.txt"], "chmod 600 named.txt && touch -d 2020-01-01 named.txt", "named.txt", "named"),
    (&["named.txt"], "dd if=other.txt of=named.txt 2> /dev/null", "named.txt", "other"),
    (&["a/b/c.txt"], "mkdir -p a/b && echo a > a/b/c.txt", "a/b/c.txt", "a\n"),
    (&["a/b"], "mkdir -p a/b && test -d a/b", "other.txt", "other"),
    (&["sub"], "rm -r sub 2> /dev/null || test -e sub/empty.txt", "other.txt", "other"),
    (&["sub", "sub/"], "rm -r sub && test ! -e sub", "other.txt", "other"),
    (&["named.txt"], "echo a > XXab12 && mv XXab12 named.txt", "named.txt", "a\n"),
    (&["sub/"], "rm -r sub/* && echo a > sub/x", "sub/x", "a\n"),
    (&["tree/"], "mkdir tree/a && echo a > tree/a/b && mv tree/a tree/c && rm tree/old.txt", "tree/c/b", "a\n"),
    (
        &["tree/"],
        "cp -r src tree/ && ln tree/old.txt tree/hard && mkfifo tree/pipe && rm tree/pipe",
        "tree/hard",
        "old",
    ),
    (
        &["build/"],
        "mkdir -p build && echo a > build/x && mv build/x build/y && cat build/y > /dev/null",
        "build/y",
        "a\n",
    ),
    (
        &["build/"],
        "mkdir -p build/a/b && echo a > build/a/b/c && ln build/a/b/c build/d && rm -r build/a",
        "build/d",
        "a\n",
    ),
    (&["build/"], "mkdir -p build && cp /bin/true build/run && build/run", "other.txt", "other"),
    (
        &["sub/out/"],
        "mkdir sub/out && tar cf sub/out/x.tar src && tar xf sub/out/x.tar -C sub/out",
        "sub/out/src/main.txt",
        "source",
    ),
    (&["new.gz"], "gzip -c other.txt > new.gz && gzip -dc new.gz | grep -q other", "other.txt", "other"),
    (&["new.txt"], "find src tree -type f -name '*.txt' | xargs cat > new.txt; test -s new.txt", "other.txt", "other"),
    (&["new.txt"], "(echo a; echo b >&2) > new.txt 2>&1", "new.txt", "a\nb\n"),
    (&["../notes.txt"], "echo a > ../notes.txt", "../notes.txt", "a\n"),
    (&["~/notes.txt"], "echo a > \"../notes.txt\"", "../notes.txt", "a\n"),
    (&["new.txt"], "echo a > new.txt & wait; cat new.txt > /dev/null", "new.txt", "a\n"),
];

#[test]
#[ignore = "needs landlock"]
fn scripts_of_the_shell_work() {
    for (write, script, file, expected) in SHELL {
        let world = World::new();
        let before = world.files();
        assert_eq!(world.shell(write, &format!("set -e\n{script}")), 0, "{script}");
        assert_eq!(world.read(&format!("home/p/{file}")).as_deref(), Some(*expected), "{script}");
        let beside = ["named.txt.bak", "..", "../notes.txt", "../../home/notes.txt", "home/notes.txt"];
        let allowed: Vec<&str> = write.iter().copied().chain(beside).chain(["a"]).collect();
        assert_eq!(world.changed(&before, &allowed), [""; 0], "{script}");
    }
}

/// Without a secret in the project, and so without a broker for reading.
#[test]
#[ignore = "needs landlock"]
fn scripts_of_the_shell_work_without_secrets() {
    for (write, script, file, expected) in SHELL {
        let world = World::new();
        std::fs::remove_file(world.path("home/p/.env")).unwrap();
        assert_eq!(world.shell(write, &format!("set -e\n{script}")), 0, "{script}");
        assert_eq!(world.read(&format!("home/p/{file}")).as_deref(), Some(*expected), "{script}");
    }
}

#[test]
#[ignore = "needs landlock"]
fn the_exit_code_is_that_of_the_command() {
    let world = World::new();
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143)] {
        assert_eq!(world.shell(&[], script), code, "{script}");
        assert_eq!(world.shell(&["named.txt"], script), code, "{script}");
    }
}

#[test]
#[ignore = "needs landlock"]
fn a_guarded_file_of_the_profile_can_be_read() {
    let world = World::new();
    let profile = Profile { read: vec![".env".into()], ..Profile::default() };
    assert_eq!(world.run(&profile, &["grep", "-q", "secret", ".env"], false).code, 0);
    assert_ne!(world.run(&profile, &["cat", "../.ssh/id_ed25519"], false).code, 0);
}

#[test]
#[ignore = "needs landlock"]
fn the_temporary_folder_is_the_commands_own_and_goes_with_it() {
    let world = World::new();
    let before = world.files();
    assert_eq!(
        world.shell(&[], "echo a > \"$TMPDIR/x\" && test \"$TMPDIR\" = \"$TMP\" && ! echo a > \"$TMPDIR/../y\""),
        0
    );
    assert_eq!(world.files(), before);
}

#[test]
#[ignore = "needs landlock, git"]
fn git_works_in_its_repository() {
    let world = World::new();
    let allowed = writes(&[".git/"]);
    let git = |words: &[&str]| {
        let words = [&["git", "-c", "user.name=a", "-c", "user.email=a@example.org"], words].concat();
        world.run(&allowed, &words, false).code
    };
    for words in [
        &["init", "-q"][..],
        &["add", "src"],
        &["commit", "-q", "-m", "first"],
        &["status", "--short"],
        &["log", "--oneline"],
        &["branch", "next"],
        &["tag", "v1"],
        &["diff", "HEAD"],
        &["gc", "-q"],
        &["config", "core.abbrev", "12"],
    ] {
        assert_eq!(git(words), 0, "{words:?}");
    }
    assert_ne!(git(&["add", ".env"]), 0);
}

#[test]
#[ignore = "needs landlock, python3"]
fn python_works() {
    for script in [
        "open('new.txt', 'w').write('a')",
        "open('new.txt', 'x').write('a')",
        "open('new.txt', 'w+').write('a'); assert open('new.txt').read() == 'a'",
        "import pathlib; pathlib.Path('new.txt').write_text('a')",
        "import os; os.rename('named.txt', 'new.txt')",
        "import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b'a'); f.flush(); open(f.name).read()",
        "import os, tempfile; f, name = tempfile.mkstemp(dir='.'); os.write(f, b'a'); os.replace(name, 'new.txt')",
        "import subprocess; subprocess.run(['true'], check=True)",
        "import multiprocessing as m; p = m.get_context('fork').Pool(2); assert p.map(abs, [-1, 2]) == [1, 2]",
        "import sqlite3; c = sqlite3.connect('new.txt'); c.execute('create table a (b)'); c.commit(); c.close()",
        "import mmap; f = open('new.txt', 'w+b'); f.write(b'a' * 4096); f.flush(); mmap.mmap(f.fileno(), 0)[0] = 98",
        "import threading; t = threading.Thread(target=lambda: open('new.txt', 'a').write('a')); t.start(); t.join()",
        "import fcntl; f = open('new.txt', 'w'); fcntl.flock(f, fcntl.LOCK_EX)",
        "import shutil; shutil.copytree('src', 'made/src'); shutil.rmtree('made/src')",
        "import asyncio; asyncio.run(asyncio.sleep(0))",
    ] {
        let world = World::new();
        assert_eq!(world.python(&["new.txt", "named.txt", "made/"], script), 0, "{script}");
    }
}
