"""A throwaway world: a home, a project, stubs of dangerous programs, and the program that agents call as their hook."""

import ctypes
import fcntl
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
SIGN = ".guard-host-live"

# Programs that must never act. Each stub leaves a line in the file of marks, and does nothing else.
STUBS = ["git", "rm", "dd", "mkfs", "shutdown", "reboot", "pkill", "killall", "gh"]

# What stands in the place of the hook. Most read their input first, as a program that then fails would.
BROKEN = {
    "missing": None,
    "not executable": None,
    "exit 1": "cat >/dev/null\necho 'it broke' >&2\nexit 1\n",
    "signal": "cat >/dev/null\nkill -SEGV $$\n",
    "timeout": "cat >/dev/null\nexec sleep 25\n",
    "garbage": "cat >/dev/null\necho 'hello {not json'\n",
    "silence": "cat >/dev/null\n",
}


def isolate():
    """Leaves this process and its children with a loopback of their own, and no other network."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    new_user, new_net = 0x10000000, 0x40000000
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(new_net) != 0:
        if libc.unshare(new_user | new_net) != 0:
            return False
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, get_flags, request))[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", flags | up))
    return True


class Server:
    """`guard-host serve` in a world, at the address that `install --http` names, and clients that keep it busy."""

    def __init__(self, world):
        self.world, self.child, self.busy = world, None, True
        self.clients = [threading.Thread(target=self.keep_busy, daemon=True) for _ in range(4)]

    def start(self):
        out = subprocess.DEVNULL
        command = [str(self.world.kept), "serve"]
        self.child = subprocess.Popen(
            command, env=self.world.env(), cwd=self.world.proj, stdin=out, stdout=subprocess.PIPE, stderr=out, text=True
        )
        self.child.stdout.readline()
        for client in self.clients:
            if not client.is_alive():
                client.start()

    def keep_busy(self):
        token = (self.world.home / ".local/state/guard-host/serve.token").read_text().strip()
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls -la"}}
        headers = {"Authorization": f"Bearer {token}"}
        while self.busy:
            try:
                client = http.client.HTTPConnection("127.0.0.1", 8273, timeout=5)
                client.request("POST", "/hook/claude", json.dumps(call), headers)
                client.getresponse().read()
            except OSError:
                time.sleep(0.05)
            except http.client.HTTPException:
                pass

    def kill(self):
        self.child.kill()
        self.child.wait()

    def end(self):
        self.busy = False
        self.kill()
        for client in self.clients:
            client.join()


class World:
    def __init__(self, root, guard, node, recorder=None):
        self.root, self.guard = Path(root), Path(guard)
        self.home, self.proj = self.root / "home", self.root / "proj"
        self.stubs, self.bin, self.marks = self.root / "stubs", self.root / "bin", self.root / "marks"
        self.hook, self.recorded = self.bin / "guard-host", self.root / "recorded"
        self.path = f"{self.stubs}:{node}:/usr/local/bin:/usr/bin:/bin"
        self.recorder = recorder
        self.placed, self.made_executable = "guard", False
        self.make()

    def make(self):
        if self.root.exists():
            if not (self.root / SIGN).exists():
                raise SystemExit(f"{self.root} exists, and it is no world of this lab")
            shutil.rmtree(self.root)
        # The parents of guard-host's own folders stay when it is uninstalled.
        usual = [self.home / name for name in ("victim", ".local/state", ".cache", ".config")]
        for folder in (*usual, self.proj / "sub", self.stubs, self.bin, self.root / "tmp", self.recorded):
            folder.mkdir(parents=True)
        (self.root / SIGN).touch()
        self.marks.touch()
        (self.home / "victim" / "file").touch()
        subprocess.run(["git", "init", "-q", self.proj], check=True)
        self.restore_files()
        # A login shell sets PATH anew, and must find the stubs first, too.
        for name in (".profile", ".bash_profile", ".bashrc", ".zshenv", ".zprofile", ".zshrc"):
            (self.home / name).write_text(f"export PATH='{self.path}'\n")
        for name in STUBS:
            text = f"""#!/bin/sh\nprintf '%s%s %s\\n' "${{LAB_VIA:+$LAB_VIA: }}" {name} "$*" >> '{self.marks}'\n"""
            write_program(self.stubs / name, text)
        for name in ("guard-host", "guard-host-tools"):
            if (self.guard.parent / name).exists():
                shutil.copy2(self.guard.parent / name, self.bin / name)
        # The same file comes back later: guard-host takes another file for an upgrade.
        self.kept = self.bin / "kept"
        os.link(self.hook, self.kept)

    def restore_files(self):
        """The project's files as they were, so that each run sees the same."""
        for path in self.proj.iterdir():
            if path.name not in (".git", ".claude", "sub"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in (".claude", ".vscode"):
            (self.proj / name).mkdir(exist_ok=True)
        for path in (self.proj / "sub").iterdir():
            path.unlink()
        for name in ("a.txt", "Makefile"):
            (self.proj / name).write_text("before\n")
        (self.proj / ".env.production").write_text("KEY=before\n")

    def env(self, extra=None):
        env = {
            "PATH": self.path,
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
        }
        return env | (extra or {})

    def marked(self):
        return self.marks.read_text().splitlines()

    def put(self, kind):
        """Places the hook's program: `guard`, `recorder`, or one of `BROKEN`."""
        if kind == self.placed:
            return
        if self.placed == "not executable":
            self.made_executable = os.access(self.hook, os.X_OK)
        self.placed = kind
        self.hook.unlink(missing_ok=True)
        if kind == "guard":
            os.link(self.kept, self.hook)
        elif kind == "recorder":
            command = f"'{sys.executable}' '{HERE / 'recorder.py'}' '{self.recorded}' '{self.kept}'"
            write_program(self.hook, f'#!/bin/sh\nexec {command} "$@"\n')
        elif kind == "not executable":
            # The program itself: Copilot CLI makes it executable, and then it works.
            shutil.copy2(self.guard, self.hook)
            self.hook.chmod(0o644)
        elif kind != "missing":
            write_program(self.hook, "#!/bin/sh\n" + BROKEN[kind])

    def put_working(self):
        self.put("recorder" if self.recorder else "guard")

    def guard_host(self, *args):
        """Runs guard-host itself, as a person would."""
        self.put("guard")
        command = [str(self.hook), *args]
        return subprocess.run(
            command, env=self.env(), cwd=self.proj, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )

    def run(self, command, extra, seconds):
        """Runs an agent, and ends all that it leaves behind. The answer is its exit code, or None after the time."""
        with open(self.root / "out.txt", "ab") as out, open(self.root / "err.txt", "ab") as err:
            child = subprocess.Popen(
                [str(part) for part in command],
                env=self.env(extra),
                cwd=self.proj,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                code = child.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            self.end_leftovers()
            child.wait()
        return code

    def end_leftovers(self):
        """Ends the processes of this world: those whose HOME is its home."""
        mine = f"\0HOME={self.home}\0".encode()
        for _ in range(5):
            found = [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and has_env(entry, mine)]
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not found:
                return
            time.sleep(0.1)

    def snapshot(self, *skip):
        """Every file of the home with its mode and the digest of its bytes, and every folder."""
        found = {}
        for folder, _, files in os.walk(self.home):
            for name in ["", *files]:
                path = Path(folder, name)
                short = str(path.relative_to(self.home))
                if any(short == start or short.startswith(start + "/") for start in skip):
                    continue
                mode = path.lstat().st_mode
                if stat.S_ISREG(mode):
                    found[short] = (oct(mode), hashlib.sha256(path.read_bytes()).hexdigest())
                else:
                    found[short] = (oct(mode), os.readlink(path) if stat.S_ISLNK(mode) else "")
        return found


def has_env(pid, text):
    try:
        return text in b"\0" + Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
    except OSError:
        return False


def write_program(path, text):
    # A rename, because the old program may be running.
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.chmod(0o755)
    new.rename(path)
