//! Tools of clouds, platforms and virtual machines that run a command elsewhere.

use super::{PLAIN, Wrapper, takes};

/// A row whose command runs on another machine.
const REMOTE: Wrapper = Wrapper { kind: "ssh", ..PLAIN };

/// A row whose words after the target are joined, like in `ssh`.
const LOGIN: Wrapper = Wrapper { joins: true, ..REMOTE };

/// `az` options whose value may precede `--scripts`.
const AZ: &str = "scripts command-id resource-group name ids vmss-name instance-id parameters subscription output query \
                  run-command-name vm-name script script-uri location timeout-in-seconds";

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "az",
        verbs: &["vm", "vmss"],
        then: &["run-command"],
        takes: takes("gno", AZ),
        text: &["scripts", "script"],
        skip: usize::MAX,
        ..REMOTE
    },
    Wrapper { name: "az", verbs: &["ssh"], then: &["vm", "arc"], after: &["--"], ..LOGIN },
    Wrapper {
        name: "az",
        verbs: &["container"],
        then: &["exec"],
        takes: takes("gno", "exec-command resource-group name container-name"),
        text: &["exec-command"],
        skip: usize::MAX,
        ..REMOTE
    },
    Wrapper {
        name: "aws",
        verbs: &["ecs"],
        then: &["execute-command"],
        takes: takes("", "command cluster task container region profile output query"),
        text: &["command"],
        skip: usize::MAX,
        ..REMOTE
    },
    Wrapper { name: "gcloud", verbs: &["compute"], then: &["ssh"], after: &["--"], ..LOGIN },
    Wrapper {
        name: "doctl",
        verbs: &["compute"],
        then: &["ssh"],
        takes: takes("ct", "ssh-command ssh-user ssh-key-path ssh-port access-token context"),
        text: &["ssh-command"],
        skip: usize::MAX,
        ..REMOTE
    },
    Wrapper {
        name: "gh",
        verbs: &["codespace", "cs"],
        then: &["ssh"],
        takes: takes("cRd", "codespace repo repo-owner config profile server-port"),
        ..LOGIN
    },
    Wrapper { name: "podman", verbs: &["machine"], then: &["ssh"], takes: takes("", "username"), ..LOGIN },
    Wrapper { name: "crc", verbs: &["ssh"], ..LOGIN },
    Wrapper { name: "heroku", verbs: &["ps:exec"], takes: takes("ad", "app dyno"), ..REMOTE },
    Wrapper { name: "railway", verbs: &["ssh"], takes: takes("pes", "project environment service"), ..LOGIN },
    Wrapper {
        name: "ray",
        verbs: &["exec"],
        takes: takes("np", "cluster-name port-forward start stop"),
        skip: 1,
        ..LOGIN
    },
    Wrapper { name: "sky", verbs: &["exec"], takes: takes("nc", "name workdir gpus num-nodes env"), skip: 1, ..LOGIN },
    Wrapper { name: "dsh", takes: takes("mgfFro", "machine group file forklimit remoteshell remoteshellopt"), ..LOGIN },
    Wrapper { name: "rsh", takes: takes("lkp", ""), skip: 1, ..LOGIN },
    Wrapper { name: "remsh", takes: takes("lkp", ""), skip: 1, ..LOGIN },
    Wrapper { name: "rexec", takes: takes("lp", ""), skip: 1, ..LOGIN },
    Wrapper { name: "mussh", takes: takes("hHlico", ""), text: &["c"], skip: usize::MAX, ..REMOTE },
    Wrapper {
        name: "cf",
        verbs: &["ssh"],
        takes: takes("cipL", "command"),
        text: &["c", "command"],
        skip: 1,
        ..REMOTE
    },
    Wrapper { name: "juju", verbs: &["ssh"], takes: takes("m", "model container"), skip: 1, ..LOGIN },
    Wrapper { name: "juju", verbs: &["exec"], takes: takes("ma", "model unit machine application"), ..LOGIN },
    Wrapper {
        name: "virtctl",
        verbs: &["ssh"],
        takes: takes("cnlip", "command namespace username identity-file port"),
        text: &["c", "command"],
        skip: 1,
        ..REMOTE
    },
    Wrapper { name: "coder", verbs: &["ssh"], skip: 1, ..LOGIN },
    Wrapper {
        name: "devpod",
        verbs: &["ssh"],
        takes: takes("", "command user workdir"),
        text: &["command"],
        skip: 1,
        ..REMOTE
    },
    Wrapper { name: "vastai", verbs: &["execute"], skip: 1, ..LOGIN },
    Wrapper { name: "dokku", verbs: &["run", "run:detached"], skip: 1, ..REMOTE },
    Wrapper { name: "scalingo", verbs: &["run"], takes: takes("a", "app region size"), ..REMOTE },
    Wrapper { name: "platform", verbs: &["ssh"], takes: takes("peA", "project environment app"), ..LOGIN },
    Wrapper { name: "upsun", verbs: &["ssh"], takes: takes("peA", "project environment app"), ..LOGIN },
    Wrapper { name: "orb", verbs: &["run"], takes: takes("mupw", "machine user workdir"), ..REMOTE },
    Wrapper { name: "lima", takes: takes("", "shell workdir"), shares: &["~"], ..CONTAINER },
    Wrapper { name: "lxc", verbs: &["exec"], takes: takes("", "env cwd user group mode"), skip: 1, ..CONTAINER },
    Wrapper { name: "incus", verbs: &["exec"], takes: takes("", "env cwd user group mode"), skip: 1, ..CONTAINER },
    Wrapper { name: "multipass", verbs: &["exec"], takes: takes("d", "working-directory"), skip: 1, ..CONTAINER },
    Wrapper { name: "qm", verbs: &["guest"], then: &["exec"], takes: takes("", "timeout"), skip: 1, ..CONTAINER },
    Wrapper { name: "prlctl", verbs: &["exec"], skip: 1, ..CONTAINER },
    Wrapper { name: "tart", verbs: &["exec"], skip: 1, ..CONTAINER },
    Wrapper { name: "vmrun", after: &["runProgramInGuest"], skip: 1, ..CONTAINER },
    Wrapper { name: "vmrun", after: &["runScriptInGuest"], skip: 2, ..CONTAINER },
    Wrapper { name: "VBoxManage", verbs: &["guestcontrol"], after: &["--"], ..CONTAINER },
];

/// A row whose command runs in a virtual machine or a container.
const CONTAINER: Wrapper = Wrapper { kind: "container", ..PLAIN };
