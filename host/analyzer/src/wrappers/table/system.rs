//! System wrappers: other users, limits, tracing, containers and other machines.

use super::{DirectoryChange, PLAIN, Wrapper, takes};

/// The usual option for an output.
const OUTPUT: &[&str] = &["o", "output"];

/// `bwrap` options with two values, and with one.
const BWRAP_PAIRS: &[&str] = &[
    "--bind",
    "--dev-bind",
    "--ro-bind",
    "--bind-try",
    "--ro-bind-try",
    "--dev-bind-try",
    "--symlink",
    "--setenv",
    "--file",
    "--bind-data",
    "--ro-bind-data",
    "--chmod",
];
const BWRAP: &str = "proc dev tmpfs dir chdir uid gid hostname unsetenv lock-file seccomp args exec-label file-label mqueue \
                     sync-fd info-fd size perms cap-add cap-drop remount-ro";

/// Options with which `wsl` manages its virtual machines.
const WSL: &[&str] = &[
    "l",
    "list",
    "t",
    "terminate",
    "v",
    "shutdown",
    "status",
    "unregister",
    "import",
    "export",
    "install",
    "update",
    "mount",
    "unmount",
    "manage",
    "set-default",
    "set-version",
    "version",
    "help",
];

/// A login starts in its user's home.
const LOGIN: DirectoryChange = DirectoryChange::With(&["l", "login", "-"]);

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        takes: takes(
            "ugpCchrRtTDU",
            "user group prompt close-from class host role chroot type command-timeout chdir other-user",
        ),
        inert: &["e", "edit", "l", "list", "v", "validate", "K", "remove-timestamp", "V", "version"],
        detail: &["u", "user"],
        directory: &["D"],
        leaves: DirectoryChange::With(&["i", "login", "R", "chroot"]),
        root: &["R", "chroot"],
        assigns: true,
        ..PLAIN
    },
    Wrapper { name: "doas", takes: takes("uC", ""), detail: &["u"], assigns: true, ..PLAIN },
    Wrapper {
        name: "pkexec",
        takes: takes("u", "user"),
        detail: &["u", "user"],
        leaves: DirectoryChange::Always(&["keep-cwd"]),
        ..PLAIN
    },
    Wrapper {
        name: "run0",
        takes: takes("ugDp", "user group chdir property"),
        detail: &["u", "user"],
        directory: &["D"],
        leaves: DirectoryChange::Always(&[]),
        ..PLAIN
    },
    Wrapper { name: "gosu", skip: 1, ..PLAIN },
    Wrapper { name: "su-exec", skip: 1, ..PLAIN },
    Wrapper {
        name: "runuser",
        takes: takes("gGswc", "group supp-group shell whitelist-environment command session-command"),
        text: &["c", "command", "session-command"],
        inert: &["u", "user"],
        leaves: LOGIN,
        skip: usize::MAX,
        opens: true,
        ..PLAIN
    },
    Wrapper {
        name: "runuser",
        takes: takes("ugGswc", "user group supp-group shell whitelist-environment command session-command"),
        text: &["c", "command", "session-command"],
        detail: &["u", "user"],
        leaves: LOGIN,
        ..PLAIN
    },
    Wrapper {
        name: "su",
        takes: takes("gGswc", "group supp-group shell whitelist-environment command session-command"),
        text: &["c", "command", "session-command"],
        leaves: LOGIN,
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper { name: "sg", takes: takes("c", ""), text: &["c"], skip: 1, opens: true, ..PLAIN },
    Wrapper {
        name: "env",
        takes: takes("uSCa", "unset split-string chdir argv0"),
        text: &["S", "split-string"],
        directory: &["C"],
        assigns: true,
        ..PLAIN
    },
    Wrapper { name: "nice", takes: takes("n", "adjustment"), ..PLAIN },
    Wrapper { name: "ionice", takes: takes("cnpPu", "class classdata pid pgid uid"), inert: &["p", "P", "u"], ..PLAIN },
    Wrapper {
        name: "chrt",
        takes: takes("TPDp", "sched-runtime sched-period sched-deadline"),
        skip: 1,
        inert: &["p"],
        ..PLAIN
    },
    Wrapper { name: "taskset", skip: 1, inert: &["p", "pid"], ..PLAIN },
    Wrapper {
        name: "numactl",
        takes: takes("imNCpP", "interleave membind cpunodebind physcpubind preferred"),
        ..PLAIN
    },
    Wrapper { name: "nohup", ..PLAIN },
    Wrapper { name: "setsid", ..PLAIN },
    Wrapper {
        name: "setpriv",
        takes: takes("", "reuid regid groups inh-caps ambient-caps bounding-set securebits"),
        ..PLAIN
    },
    Wrapper { name: "timeout", takes: takes("ks", "kill-after signal"), skip: 1, ..PLAIN },
    Wrapper { name: "gtimeout", takes: takes("ks", "kill-after signal"), skip: 1, ..PLAIN },
    Wrapper { name: "time", takes: takes("fo", "format output"), writes: OUTPUT, ..PLAIN },
    Wrapper { name: "gtime", takes: takes("fo", "format output"), writes: OUTPUT, ..PLAIN },
    Wrapper { name: "stdbuf", takes: takes("ioe", "input output error"), ..PLAIN },
    Wrapper { name: "unbuffer", ..PLAIN },
    Wrapper { name: "chroot", takes: takes("", "userspec groups"), takes_root: true, skip: 1, opens: true, ..PLAIN },
    Wrapper {
        name: "unshare",
        takes: takes("SGRw", "setuid setgid root wd propagation map-user map-group"),
        directory: &["w"],
        root: &["R", "root"],
        opens: true,
        ..PLAIN
    },
    Wrapper {
        name: "nsenter",
        takes: takes("tSG", "target setuid setgid"),
        leaves: DirectoryChange::Always(&[]),
        opens: true,
        ..PLAIN
    },
    Wrapper {
        name: "flock",
        takes: takes("wEc", "wait timeout conflict-exit-code command"),
        text: &["c", "command"],
        skip: 1,
        ..PLAIN
    },
    Wrapper { name: "watch", takes: takes("nq", "interval equexit"), joins: true, ..PLAIN },
    Wrapper { name: "entr", ..PLAIN },
    Wrapper { name: "strace", takes: takes("aEeIoOpPsSuUbX", "output"), writes: OUTPUT, inert: &["p"], ..PLAIN },
    Wrapper { name: "ltrace", takes: takes("aeFlnopsSuwx", "output"), writes: OUTPUT, inert: &["p"], ..PLAIN },
    Wrapper { name: "valgrind", writes: &["log-file", "xml-file", "xtree-memory-file"], ..PLAIN },
    Wrapper { name: "caffeinate", takes: takes("tw", ""), ..PLAIN },
    Wrapper {
        name: "systemd-run",
        takes: takes(
            "puEMHD",
            "unit property slice description setenv machine host uid gid nice working-directory on-active on-boot on-calendar service-type",
        ),
        leaves: DirectoryChange::Always(&["d", "same-dir", "scope"]),
        ..PLAIN
    },
    Wrapper { name: "systemd-inhibit", takes: takes("", "what who why mode"), ..PLAIN },
    Wrapper { name: "dbus-run-session", takes: takes("", "config-file dbus-daemon"), ..PLAIN },
    Wrapper {
        name: "firejail",
        leaves: DirectoryChange::With(&["chroot", "private", "private-cwd", "overlay"]),
        ..PLAIN
    },
    Wrapper { name: "proxychains", takes: takes("f", ""), ..PLAIN },
    Wrapper { name: "proxychains4", takes: takes("f", ""), ..PLAIN },
    Wrapper { name: "torsocks", takes: takes("uaP", "user address port"), ..PLAIN },
    Wrapper { name: "faketime", takes: takes("f", ""), skip: 1, ..PLAIN },
    Wrapper { name: "arch", ..PLAIN },
    Wrapper { name: "command", inert: &["v", "V"], here: true, ..PLAIN },
    Wrapper { name: "builtin", here: true, ..PLAIN },
    Wrapper { name: "exec", takes: takes("a", ""), here: true, ..PLAIN },
    Wrapper { name: "noglob", here: true, ..PLAIN },
    // After another one.
    Wrapper { name: "!", here: true, assigns: true, ..PLAIN },
    // Keywords of fish.
    Wrapper { name: "not", here: true, assigns: true, ..PLAIN },
    Wrapper { name: "and", here: true, assigns: true, ..PLAIN },
    Wrapper { name: "or", here: true, assigns: true, ..PLAIN },
    Wrapper { name: "sched", skip: 1, ..PLAIN },
    Wrapper { name: "nocorrect", here: true, ..PLAIN },
    Wrapper { name: "busybox", inert: &["list", "list-full", "install", "help"], ..PLAIN },
    Wrapper { name: "toybox", ..PLAIN },
    Wrapper {
        name: "sudo-rs",
        takes: takes("ugpCchrRtTDU", "user group chdir chroot"),
        detail: &["u", "user"],
        directory: &["D"],
        leaves: DirectoryChange::With(&["i", "login", "R", "chroot"]),
        assigns: true,
        ..PLAIN
    },
    Wrapper { name: "please", takes: takes("tag", "target"), detail: &["t", "target"], ..PLAIN },
    Wrapper {
        name: "machinectl",
        takes: takes("EMn", "setenv uid machine"),
        verbs: &["shell"],
        skip: 1,
        kind: "container",
        opens: true,
        ..PLAIN
    },
    Wrapper { name: "prlimit", takes: takes("o", "output pid"), inert: &["p", "pid"], ..PLAIN },
    Wrapper { name: "fakeroot", takes: takes("lsib", "lib faked fd-base"), opens: true, ..PLAIN },
    Wrapper { name: "fakechroot", takes: takes("elbcd", "lib elfloader bindir config-dir"), opens: true, ..PLAIN },
    Wrapper {
        name: "proot",
        takes: takes("rRSbqwvkm", "rootfs bind cwd mount pwd"),
        directory: &["w", "pwd"],
        binds: &["b", "bind", "m", "mount"],
        root: &["r", "rootfs", "R", "S"],
        opens: true,
        ..PLAIN
    },
    Wrapper {
        name: "bwrap",
        pairs: BWRAP_PAIRS,
        takes: takes("", BWRAP).exactly(),
        leaves: DirectoryChange::Always(&[]),
        ..PLAIN
    },
    Wrapper { name: "cgexec", takes: takes("g", ""), ..PLAIN },
    Wrapper {
        name: "cpulimit",
        takes: takes("lpPec", "limit pid exe path cpu"),
        inert: &["p", "pid", "e", "exe"],
        ..PLAIN
    },
    Wrapper { name: "trickle", takes: takes("dultwLnP", ""), ..PLAIN },
    Wrapper { name: "torify", ..PLAIN },
    Wrapper { name: "tsocks", ..PLAIN },
    Wrapper { name: "chpst", takes: takes("uUbemdocfrtp/", ""), root: &["/"], ..PLAIN },
    Wrapper { name: "softlimit", takes: takes("adlmorspfct", ""), ..PLAIN },
    Wrapper { name: "envdir", skip: 1, ..PLAIN },
    Wrapper { name: "setuidgid", skip: 1, ..PLAIN },
    Wrapper { name: "s6-setuidgid", skip: 1, ..PLAIN },
    Wrapper { name: "setlock", skip: 1, ..PLAIN },
    Wrapper { name: "lckdo", takes: takes("W", ""), skip: 1, ..PLAIN },
    Wrapper {
        name: "daemonize",
        takes: takes("aceopul", ""),
        directory: &["c"],
        leaves: DirectoryChange::Always(&[]),
        ..PLAIN
    },
    Wrapper {
        name: "daemon",
        takes: takes("nuDpPFo", "name user chdir pidfile output"),
        directory: &["D"],
        leaves: DirectoryChange::Always(&[]),
        ..PLAIN
    },
    Wrapper {
        name: "start-stop-daemon",
        takes: takes("axnpugkrcd", "exec startas name pidfile user chuid chdir chroot").exactly(),
        directory: &["d"],
        root: &["r", "chroot"],
        leaves: DirectoryChange::Always(&[]),
        entry: "exec",
        ..PLAIN
    },
    Wrapper { name: "chronic", ..PLAIN },
    Wrapper { name: "ifne", ..PLAIN },
    Wrapper { name: "sandbox-exec", takes: takes("fpnD", ""), ..PLAIN },
    Wrapper { name: "sem", takes: takes("j", "id jobs semaphore-name semaphore-timeout"), ..PLAIN },
    Wrapper { name: "tsp", takes: takes("LNDEd", ""), ..PLAIN },
    Wrapper { name: "retry", takes: takes("tdmsu", "tries times delay max min sleep until while"), ..PLAIN },
    Wrapper { name: "tini", takes: takes("pe", ""), ..PLAIN },
    Wrapper { name: "dumb-init", takes: takes("r", "rewrite"), ..PLAIN },
    Wrapper {
        name: "srun",
        takes: takes(
            "nNcpAJtwxoeDGqM",
            "ntasks nodes cpus-per-task partition account job-name time nodelist exclude output error chdir gpus gres mem qos",
        ),
        directory: &["D"],
        ..PLAIN
    },
    Wrapper { name: "mpirun", takes: takes("nHxN", "np host hostfile map-by bind-to mca"), ..PLAIN },
    Wrapper { name: "mpiexec", takes: takes("nHxN", "np host hostfile map-by bind-to mca"), ..PLAIN },
    Wrapper { name: "with-contenv", ..PLAIN },
    Wrapper { name: "distrobox-host-exec", ..PLAIN },
    Wrapper { name: "host-spawn", takes: takes("", "env"), ..PLAIN },
    Wrapper {
        name: "singularity",
        verbs: &["exec"],
        takes: takes("BHW", "bind home pwd env env-file overlay workdir mount"),
        directory: &["pwd"],
        binds: &["B", "bind"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "apptainer",
        verbs: &["exec"],
        takes: takes("BHW", "bind home pwd env env-file overlay workdir mount"),
        directory: &["pwd"],
        binds: &["B", "bind"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "ld.so",
        takes: takes("", "library-path preload audit argv0 inhibit-rpath"),
        inert: &["list", "verify", "help", "version", "list-diagnostics", "list-tunables"],
        ..PLAIN
    },
    Wrapper { name: "qemu-user", takes: takes("LEUsgBRrDdp", ""), ..PLAIN },
    Wrapper { name: "repeat", skip: 1, here: true, ..PLAIN },
    Wrapper { name: "-", here: true, ..PLAIN },
    Wrapper { name: "pee", each: true, ..PLAIN },
    Wrapper { name: "setarch", skip: 1, opens: true, ..PLAIN },
    Wrapper { name: "linux32", opens: true, ..PLAIN },
    Wrapper { name: "linux64", opens: true, ..PLAIN },
    Wrapper {
        name: "xvfb-run",
        takes: takes("nefps", "server-num error-file auth-file server-args xauth-protocol"),
        ..PLAIN
    },
    Wrapper { name: "dbus-launch", takes: takes("", "config-file"), ..PLAIN },
    Wrapper { name: "ssh-agent", takes: takes("aEOPt", ""), inert: &["k"], ..PLAIN },
    Wrapper { name: "ip", verbs: &["netns"], after: &["exec"], skip: 1, ..PLAIN },
    Wrapper {
        name: "perf",
        takes: takes("eopFCtGIrDj", "event output pid cpu repeat delay interval-print"),
        verbs: &["stat", "record", "trace", "mem", "c2c"],
        writes: OUTPUT,
        inert: &["p", "pid"],
        ..PLAIN
    },
    Wrapper { name: "rr", verbs: &["record"], ..PLAIN },
    Wrapper { name: "heaptrack", takes: takes("op", "output pid"), writes: OUTPUT, inert: &["p", "pid"], ..PLAIN },
    Wrapper { name: "gdb", after: &["--args", "-args"], ..PLAIN },
    Wrapper { name: "lldb", after: &["--"], ..PLAIN },
    Wrapper { name: "catchsegv", ..PLAIN },
    Wrapper { name: "multitime", takes: takes("fiIlnorsc", ""), ..PLAIN },
    Wrapper {
        name: "hyperfine",
        takes: takes(
            "wmMrspcniuSN",
            "warmup min-runs max-runs runs setup prepare cleanup conclude parameter-list shell export-json export-markdown export-csv command-name style time-unit ignore-failure",
        ),
        writes: &["export-json", "export-markdown", "export-csv"],
        each: true,
        ..PLAIN
    },
    Wrapper {
        name: "concurrently",
        takes: takes("npcskl", "names prefix prefix-colors max-processes success"),
        each: true,
        ..PLAIN
    },
    Wrapper {
        name: "watchexec",
        takes: takes("wefids", "watch exts filter ignore delay-run debounce signal shell workdir"),
        joins: true,
        ..PLAIN
    },
    Wrapper { name: "reflex", takes: takes("rgRG", "regex glob"), ..PLAIN },
    Wrapper { name: "arch-chroot", takes: takes("u", ""), takes_root: true, skip: 1, ..PLAIN },
    Wrapper {
        name: "schroot",
        takes: takes("cudp", "chroot user directory"),
        leaves: DirectoryChange::Always(&[]),
        ..PLAIN
    },
    Wrapper {
        name: "systemd-nspawn",
        takes: takes("DMiup", "directory machine image user bind bind-ro property setenv chdir"),
        binds: &["bind", "bind-ro"],
        root: &["D", "directory"],
        kind: "container",
        ..PLAIN
    },
    Wrapper { name: "buildah", verbs: &["unshare"], takes: takes("m", "mount root runroot"), ..PLAIN },
    Wrapper {
        name: "buildah",
        verbs: &["run"],
        takes: takes("vue", "volume mount user env workingdir cap-add network"),
        directory: &["workingdir"],
        binds: &["v", "volume"],
        kind: "container",
        skip: 1,
        ..PLAIN
    },
    Wrapper { name: "rootlesskit", takes: takes("", "net port-driver state-dir copy-up"), ..PLAIN },
    Wrapper { name: "lxc", verbs: &["exec"], after: &["--"], kind: "container", ..PLAIN },
    Wrapper { name: "incus", verbs: &["exec"], after: &["--"], kind: "container", ..PLAIN },
    Wrapper { name: "lxc-attach", after: &["--"], kind: "container", ..PLAIN },
    Wrapper { name: "pct", verbs: &["exec"], after: &["--"], kind: "container", ..PLAIN },
    Wrapper { name: "crictl", verbs: &["exec"], skip: 1, kind: "container", ..PLAIN },
    Wrapper { name: "distrobox", verbs: &["enter"], after: &["--", "-e"], kind: "container", shares: &["~"], ..PLAIN },
    Wrapper {
        name: "toolbox",
        takes: takes("cdr", "container distro release"),
        verbs: &["run"],
        kind: "container",
        shares: &["~"],
        ..PLAIN
    },
    Wrapper { name: "multipass", verbs: &["exec"], after: &["--"], kind: "container", ..PLAIN },
    Wrapper {
        name: "flatpak",
        takes: takes("", "command branch arch"),
        verbs: &["run"],
        entry: "command",
        skip: 1,
        ..PLAIN
    },
    Wrapper { name: "flatpak-spawn", takes: takes("", "env directory"), ..PLAIN },
    Wrapper { name: "snap", verbs: &["run"], takes: takes("", "shell"), ..PLAIN },
    Wrapper { name: "adb", takes: takes("sHPtL", ""), verbs: &["shell"], joins: true, kind: "container", ..PLAIN },
    Wrapper { name: "wsl", takes: takes("dus", "distribution user cd"), inert: WSL, ..PLAIN },
    Wrapper { name: "wsl.exe", takes: takes("dus", "distribution user cd"), inert: WSL, ..PLAIN },
    Wrapper { name: "pdsh", takes: takes("wxglfutR", ""), joins: true, kind: "ssh", ..PLAIN },
    Wrapper { name: "clush", takes: takes("wgxXfutlo", "hostfile groupsource"), joins: true, kind: "ssh", ..PLAIN },
    Wrapper {
        name: "pssh",
        takes: takes("hHlptoexOX", "hosts host user par timeout"),
        joins: true,
        kind: "ssh",
        ..PLAIN
    },
    Wrapper {
        name: "parallel-ssh",
        takes: takes("hHlptoexOX", "hosts host user par timeout"),
        joins: true,
        kind: "ssh",
        ..PLAIN
    },
    Wrapper {
        name: "tsh",
        verbs: &["ssh"],
        takes: takes("lpLDRJ", "proxy user login port cluster"),
        skip: 1,
        joins: true,
        kind: "ssh",
        ..PLAIN
    },
    Wrapper { name: "tailscale", verbs: &["ssh"], skip: 1, joins: true, kind: "ssh", ..PLAIN },
    Wrapper { name: "plink", takes: takes("PlLRDimp", ""), skip: 1, joins: true, kind: "ssh", ..PLAIN },
    Wrapper { name: "dbclient", takes: takes("plLRiJWKIcmbB", ""), skip: 1, joins: true, kind: "ssh", ..PLAIN },
    Wrapper { name: "docker-machine", verbs: &["ssh"], skip: 1, joins: true, kind: "ssh", ..PLAIN },
    Wrapper {
        name: "minikube",
        verbs: &["ssh"],
        takes: takes("pn", "profile node"),
        joins: true,
        kind: "container",
        ..PLAIN
    },
    Wrapper {
        name: "colima",
        verbs: &["ssh"],
        takes: takes("p", "profile"),
        kind: "container",
        shares: &["~"],
        ..PLAIN
    },
    Wrapper {
        name: "limactl",
        verbs: &["shell"],
        takes: takes("", "shell workdir"),
        skip: 1,
        kind: "container",
        ..PLAIN
    },
    Wrapper { name: "nomad", verbs: &["alloc"], after: &["exec"], skip: 1, kind: "container", ..PLAIN },
    Wrapper { name: "sshpass", takes: takes("pfdP", ""), ..PLAIN },
    Wrapper { name: "salt", after: &["cmd.run", "cmd.shell", "cmd.run_all"], joins: true, kind: "ssh", ..PLAIN },
    Wrapper { name: "salt-call", after: &["cmd.run", "cmd.shell"], joins: true, ..PLAIN },
];
