//! Programs that try more than their profile allows. Each exits with 0 if it succeeds, and only changes harmless files.

use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use super::{World, writes};
use guard_confine::{Attempt, Profile};

/// The profile's paths, and a shell script.
const SHELL: &[(&[&str], &str)] = &[
    // Files next to the project.
    (&[], "echo x > ../../out/new.txt"),
    (&[], "echo x > ../../out/keep.txt"),
    (&[], "echo x >> ../../out/keep.txt"),
    (&[], ": > ../../out/keep.txt"),
    (&["named.txt"], "echo x > ../../out/new.txt"),
    (&["named.txt", "tree/"], "rm ../../out/keep.txt"),
    (&["named.txt"], "mv ../../out/keep.txt ../../out/other.txt"),
    (&["named.txt"], "mv ../../out/keep.txt named.txt"),
    (&["named.txt"], "mv named.txt ../../out/named.txt"),
    (&["named.txt"], "mkdir ../../out/made"),
    (&["named.txt"], "rmdir ../../out/folder/x ../../out/folder"),
    (&["named.txt"], "ln -s x ../../out/link"),
    (&["named.txt"], "rm named.txt; ln ../../out/keep.txt named.txt"),
    (&["named.txt"], "mkfifo ../../out/pipe"),
    (&["tree/"], "cp -r tree ../../out/tree"),
    (&["tree/"], "mv tree/old.txt ../../out/old.txt"),
    (&["tree/"], "ln tree/old.txt ../../out/old.txt"),
    (&["tree/"], "ln -s ../../../out tree/link && echo x > tree/link/new.txt"),
    (&["tree/"], "ln -s ../../../out/keep.txt tree/link && echo x > tree/link"),
    (&["tree/"], "echo x > tree/../src/main.txt"),
    (&["new/"], "mkdir new && ln -s ../../../out new/link && echo x > new/link/new.txt"),
    // Other names for the same files.
    (&[], "echo x > /proc/self/cwd/../../out/keep.txt"),
    (&["named.txt"], "echo x > /proc/self/root$PWD/../../out/keep.txt"),
    (&["named.txt"], "cd ../../out && echo x > keep.txt"),
    (&["named.txt"], "cd ../../out && echo x > named.txt"),
    (&["named.txt"], "exec 3< ../../out && echo x > /proc/self/fd/3/keep.txt"),
    (&["named.txt"], "exec 3< ../../out/keep.txt && echo x > /proc/self/fd/3"),
    (&["named.txt"], "rm named.txt && ln -s ../../out/keep.txt named.txt && echo x > named.txt"),
    (&["named.txt"], "rm named.txt && ln -s ../../out/new.txt named.txt && echo x > named.txt"),
    (&["named.txt"], "rm named.txt && ln -s . named.txt && echo x > named.txt/other.txt"),
    // Files of the project that aren't in the profile.
    (&["named.txt"], "echo x > other.txt"),
    (&["named.txt"], "echo x > new.txt"),
    (&["named.txt"], "rm other.txt"),
    (&["named.txt"], "mv named.txt other.txt"),
    (&["named.txt"], "mv other.txt named.txt"),
    (&["named.txt"], "echo x > src/main.txt"),
    (&["named.txt"], "echo x > other.txt.named && echo x > named.txt/../other.txt"),
    (&["named.txt"], "rm -r src"),
    (&["named.txt"], "echo x > sub/named.txt"),
    (&["sub/new.txt"], "echo x > sub/empty.txt"),
    (&["other.txt"], "mv other.txt other.txt.bak && mv other.txt.bak src/main.txt"),
    (&["named.txt"], "echo x > sedAAAAAA && mv sedAAAAAA other.txt"),
    // Secrets.
    (&[], "cat .env"),
    (&[], "cat ./src/../.env"),
    (&[], "cat ../.ssh/id_ed25519"),
    (&[], "cat < /proc/self/cwd/.env"),
    (&[], "cd ../.ssh && cat id_ed25519"),
    (&[], "cp /bin/cat \"$TMPDIR/cat\" && \"$TMPDIR/cat\" .env"),
    (&["named.txt"], "cp .env named.txt"),
    (&["named.txt"], "rm named.txt && ln .env named.txt && cat named.txt"),
    (&["named.txt"], "mv .env named.txt"),
    (&["named.txt"], "rm named.txt && ln -s .env named.txt && cat named.txt"),
    (&["tree/"], "ln .env tree/x && cat tree/x"),
    (&["tree/"], "mv .env tree/x && cat tree/x"),
    // The broker creates the link, so the kernel's own rules don't see the folder's content.
    (&["./", "../../out/fresh.txt"], "ln .env ../../out/fresh.txt && cat ../../out/fresh.txt"),
    (&["./", "../../out/new/"], "mv .env ../../out/new && cat ../../out/new"),
    (&["tree/"], "mv ../.ssh tree/ssh && cat tree/ssh/id_ed25519"),
    // Child processes are confined as well.
    (&["named.txt"], "sh -c 'sh -c \"echo x > other.txt\"'"),
    (&["named.txt"], "(setsid sh -c 'echo x > other.txt') && wait && grep -q x other.txt"),
    (&["named.txt"], "find . -name other.txt -exec rm {} +; test ! -e other.txt"),
    (&["named.txt"], "env -i /bin/sh -c 'echo x > other.txt'"),
];

#[test]
#[ignore = "needs landlock"]
fn no_script_of_the_shell_gets_more_than_its_profile() {
    for (write, script) in SHELL {
        let world = World::new();
        let before = world.files();
        let code = world.shell(write, script);
        assert_ne!(code, 0, "{script}");
        // A new file next to a writable one, with a name derived from it.
        let allowed = [*write, &["other.txt.bak", "sedAAAAAA"][..]].concat();
        assert_eq!(world.changed(&before, &allowed), [""; 0], "{script}");
    }
}

/// The setup that a Python script needs to make a system call.
const CALLS: &str = "
import ctypes, os, socket, sys, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), 'refused')
";

/// Scripts with system calls that no shell makes.
const PYTHON: &[&str] = &[
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "socket.socket(socket.AF_INET6, socket.SOCK_STREAM)",
    "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)",
    "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
    "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()",
    "call(101, 16, os.getppid(), 0, 0)",
    "call(101, 0, 0, 0, 0)",
    "call(425, 8, ctypes.create_string_buffer(120))",
    "call(310, os.getppid(), 0, 0, 0, 0, 0)",
    "call(321, 0, ctypes.create_string_buffer(72), 72)",
    "call(250, 0, -3, 0)",
    "call(165, b'none', b'/mnt', b'tmpfs', 0, 0)",
    "os.kill(os.getppid(), 0)",
    "call(16, 0, 0x5412, b'x')",
    "call(16, 0, 0x1_0000_5412, b'x')",
    "os.truncate('other.txt', 0)",
    "os.close(os.open('.', os.O_TMPFILE | os.O_RDWR))",
    "call(437, -100, b'other.txt', (ctypes.c_uint64 * 3)(os.O_WRONLY, 0, 0), 24)",
    "call(316, -100, b'named.txt', -100, b'other.txt', 2)",
    "call(0x40000000 | 2, b'other.txt', os.O_WRONLY, 0)",
    "open('/proc/%d/mem' % os.getppid(), 'rb')",
    "open('/proc/%d/environ' % os.getppid(), 'rb').read(1)[0]",
    "os.readlink('/proc/%d/cwd' % os.getppid())",
    "os.mknod('other2.txt')",
    "os.link('other.txt', 'named.txt')",
    "os.rename(b'.env', b'named.txt')",
    "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "import resource as r; r.prlimit(os.getppid(), r.RLIMIT_NOFILE, r.getrlimit(r.RLIMIT_NOFILE))",
    "call(272, 0x10000000)",
    "call(435, ctypes.create_string_buffer(88), 88)",
    "call(467, -100, b'.', 0, ctypes.create_string_buffer(32), 32)",
];

#[test]
#[ignore = "needs landlock, python3"]
fn no_system_call_gets_more_than_the_profile() {
    for script in PYTHON {
        let world = World::new();
        let before = world.files();
        let code = world.python(&["named.txt"], &format!("{CALLS}\n{script}"));
        assert_ne!(code, 0, "{script}");
        assert_eq!(world.changed(&before, &[]), [""; 0], "{script}");
    }
}

#[test]
#[ignore = "needs landlock, python3"]
fn no_connection_is_made_without_the_network() {
    let world = World::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let path = world.path("out/socket");
    let _unix = UnixListener::bind(&path).unwrap();
    for script in [
        format!("socket.create_connection(('127.0.0.1', {}))", tcp.local_addr().unwrap().port()),
        format!("socket.socket(2, 2).sendto(b'x', ('127.0.0.1', {}))", udp.local_addr().unwrap().port()),
        format!("socket.socket(1, 1).connect('{}')", path.display()),
    ] {
        assert_ne!(world.python(&[], &format!("{CALLS}\n{script}")), 0, "{script}");
    }
    let script = format!("{CALLS}\nsocket.create_connection(('127.0.0.1', {}))", tcp.local_addr().unwrap().port());
    let net = Profile { net: true, ..Profile::default() };
    assert_eq!(world.run(&net, &["python3", "-c", &script], false).code, 0);
    let script = format!("{CALLS}\nsocket.socket(1, 1).connect('{}')", path.display());
    assert_ne!(world.run(&net, &["python3", "-c", &script], false).code, 0);
    let unix = Profile { unix_sockets: true, ..Profile::default() };
    assert_eq!(world.run(&unix, &["python3", "-c", &script], false).code, 0);
}

#[test]
#[ignore = "needs landlock"]
fn no_signal_reaches_a_process_outside() {
    let world = World::new();
    let mut outside = Command::new("sleep").arg("60").stdout(Stdio::null()).spawn().unwrap();
    let code = world.shell(&[], &format!("kill -USR1 {}", outside.id()));
    assert_ne!(code, 0);
    assert!(outside.try_wait().unwrap().is_none());
    outside.kill().unwrap();
    outside.wait().unwrap();
}

/// The broker reads a path once. A path that changes during the call must not lead elsewhere.
#[test]
#[ignore = "needs landlock, python3"]
fn a_path_that_changes_during_the_call_gains_nothing() {
    let world = World::new();
    let before = world.files();
    let script = "
import ctypes, os, threading
libc = ctypes.CDLL(None)
path = ctypes.create_string_buffer(b'named.txt', 64)
done = False
def swap():
    while not done:
        path.raw = b'other.txt'.ljust(64, b'\\0')
        path.raw = b'named.txt'.ljust(64, b'\\0')
thread = threading.Thread(target=swap)
thread.start()
for _ in range(3000):
    fd = libc.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    if fd >= 0:
        os.close(fd)
    libc.unlink(path)
done = True
thread.join()
";
    world.python(&["named.txt"], script);
    assert_eq!(world.changed(&before, &["named.txt"]), [""; 0]);
}

#[test]
#[ignore = "needs landlock, python3"]
fn a_report_lists_what_was_refused() {
    let world = World::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let script = format!(
        "
import os, socket
for attempt in [
    lambda: open('../../out/new.txt', 'w'),
    lambda: os.unlink('other.txt'),
    lambda: open('.env'),
    lambda: socket.create_connection(('127.0.0.1', {})),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: open('named.txt', 'w'),
]:
    try:
        attempt()
    except OSError as error:
        pass
",
        address.port()
    );
    let before = world.files();
    let ended = world.run(&writes(&["named.txt"]), &["python3", "-c", &script], true);
    assert_eq!(world.changed(&before, &["named.txt"]), [""; 0]);
    let found: Vec<(Attempt, &str)> =
        ended.refused.iter().map(|refusal| (refusal.attempt, refusal.target.as_str())).collect();
    let path = |path: &str| world.path(path).display().to_string();
    let (other, new, env, tcp) =
        (path("home/p/other.txt"), path("out/new.txt"), path("home/p/.env"), address.to_string());
    let expected = [
        (Attempt::Write, other.as_str()),
        (Attempt::Write, &new),
        (Attempt::Read, &env),
        (Attempt::Connect, &tcp),
        (Attempt::Connect, "unix socket"),
    ];
    assert_eq!(found, expected);
}
