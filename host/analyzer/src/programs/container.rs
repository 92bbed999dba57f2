//! docker and similar engines: the files that they copy, and containers with access to the host.
//!
//! Removals are in `programs/docker.toml`.

pub(crate) mod definitions;
mod remote_engines;

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::run::path::lexical;
use crate::wrappers::remote::{COMPOSE, ENGINE};
use crate::wrappers::sandbox::mounts_of_engine;

/// Adds the effects of a call except removals.
pub(super) fn engine<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let engine = run.name.clone();
    let parsed = run.parse(run.arguments(), ENGINE);
    let words = match parsed.rest {
        [group, words @ ..] if matches!(group.text.as_str(), "container" | "image") => words,
        words => words,
    };
    let Some((first, words)) = words.split_first() else { return };
    if let Some(machine) = remote_engines::machine(run, &parsed).filter(|_| remote_engines::changes(&first.text, words))
    {
        run.emit(Draft::notable("orchestration", "server.change").target(&machine).tag("by", &engine));
    }
    match first.text.to_ascii_lowercase().as_str() {
        "cp" => copies(run, words),
        "run" | "create" => runs(run, words, &engine),
        "compose" => composes(run, words),
        _ if engine.ends_with("-compose") => composes(run, run.arguments()),
        "save" | "export" => {
            let parsed = run.parse(words, Options::new("o", "output"));
            parsed.values("o", "output").for_each(|file| run.write(&file));
        }
        _ => {}
    }
}

/// Adds the effects of `cp` between a container and this machine. Only the side without `name:` is here.
fn copies<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let parsed = run.parse(words, Options::NONE);
    let is_here = |operand: &&Operand<'a>| !operand.text.contains(':');
    parsed.operands.iter().take(1).filter(is_here).for_each(|from| run.read(from));
    let [from, to] = parsed.operands.as_slice() else { return };
    if is_here(&to) {
        let by = run.name.clone();
        let draft = Draft::notable("write", "fs.write").tag("by", &by);
        run.write_as(to, draft.clone());
        let draft = if to.text.ends_with('/') { draft } else { draft.tag("into", &to.text) };
        run.write_as(&to.joined(from), draft.flag("tree", true));
    }
}

/// Adds the reads of `config`, which prints the rendered file with the values of variables, unless an option selects a
/// part without them.
fn composes<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    const PARTS: &[&str] = &[
        "-q",
        "--quiet",
        "--hash",
        "--images",
        "--networks",
        "--no-interpolate",
        "--profiles",
        "--services",
        "--volumes",
    ];
    let parsed = run.parse(words, COMPOSE);
    let Some((verb, rest)) = parsed.rest.split_first() else { return };
    let is_part = rest.iter().any(|word| PARTS.contains(&word.text.split('=').next().unwrap_or_default()));
    if matches!(verb.text.as_str(), "config" | "convert") && !is_part {
        parsed.values("", "env-file").for_each(|file| run.read(&file));
    }
}

/// Adds the effect of a container with access to the host: all privileges, the engine's socket, or the root directory.
fn runs<'a>(run: &mut Run<'a>, words: &'a [Word], engine: &str) {
    let parsed = run.parse(words, RUN);
    let entry = parsed.value("", "entrypoint");
    let shows = |program: &str| matches!(program, "env" | "printenv" | "set" | "export");
    let inside = run.pipelines.children(run.commands, run.command.id).any(|command| shows(command.program()));
    if inside || entry.is_some_and(|entry| shows(&entry.text)) {
        // The container prints the variables in the file.
        parsed.values("", "env-file").for_each(|file| run.read(&file));
    }
    let privileged = parsed.has("", "privileged")
        || parsed.values("", "pid").any(|value| value.text == "host")
        || parsed.values("", "cap-add").any(|value| is_power(&value.text))
        || parsed.values("", "security-opt").any(|value| lifts_a_limit(&value.text));
    let image = parsed.rest.first().map_or("", |image| image.text.as_str());
    let sources = mounts_of_engine(&parsed).into_iter().map(|mount| mount.source);
    let home = run.home;
    let lent =
        |source: &String| below_home(source, home).is_some_and(|below| below.is_empty() || is_lent(&below, image));
    let sources: Vec<String> = sources.collect();
    let lent = sources.iter().find(|source| lent(source)).cloned();
    let sources = sources.into_iter();
    let taken = sources
        .filter(|source| source.starts_with('/'))
        .map(|source| lexical(&source))
        .find(|from| is_whole(from) || is_engine_socket(from));
    let disk = parsed.values("", "device").map(|value| value.text.into_owned()).find(|device| is_disk(device));
    let taken = taken.or(disk).or(lent);
    if privileged || taken.is_some() {
        let draft = Draft::notable("privilege", "container.host-access").flag("privileged", privileged);
        let draft = taken.iter().fold(draft, |draft, from| draft.tag("mounts", from));
        run.emit(draft.tag("engine", engine));
    }
}

/// Returns whether a folder is all of the host's files, or an important part of them.
fn is_whole(path: &str) -> bool {
    matches!(path, "/" | "/etc" | "/root" | "/home" | "/var" | "/proc")
}

/// Folders of the home with keys and sign-ins, and words in the names of the images that need them.
const KEYS: &[(&str, &[&str])] = &[
    (".aws", &["aws", "terraform", "tofu", "pulumi", "cdk", "sam", "k8s", "helm"]),
    (".azure", &["azure", "terraform", "tofu", "pulumi"]),
    (".config/gcloud", &["google", "cloud", "gcloud", "terraform", "tofu", "pulumi"]),
    (".config/gh", &["gh", "github"]),
    (".docker", &["docker", "compose", "crane", "skopeo", "kaniko", "buildkit"]),
    (".gnupg", &["gpg", "gnupg", "sops"]),
    (".kube", &["kube", "kubectl", "k8s", "kubernetes", "helm", "helmfile", "k9s", "argocd", "istioctl"]),
    (".ssh", &["git", "ssh", "ansible"]),
];

/// Returns the path of a mounted folder below the home. Empty for the home itself, and `None` for other folders.
fn below_home(source: &str, home: &str) -> Option<String> {
    let spelled = ["~", "$HOME", "${HOME}"].iter().find_map(|spelling| source.strip_prefix(spelling));
    let rest = spelled.or_else(|| source.strip_prefix(home).filter(|_| !home.is_empty()))?;
    (rest.is_empty() || rest.starts_with('/')).then(|| lexical(rest).trim_matches('/').to_owned())
}

/// Returns whether a folder of the home has keys, and the image is another project's that has no use for them. An image
/// without a namespace is an official one, or was built here.
fn is_lent(below: &str, image: &str) -> bool {
    let Some((_, uses)) = KEYS.iter().find(|(folder, _)| *folder == below) else { return false };
    let mut words = image.split(|char: char| !char.is_ascii_alphanumeric());
    image.contains('/') && !words.any(|word| uses.contains(&word))
}

/// Returns whether a path is the socket of an engine, through which any program can start containers.
pub(crate) fn is_engine_socket(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    // A socket elsewhere is usually a proxy with restricted access.
    let is_there = path.starts_with("/run/") || path.starts_with("/var/run/") || path.contains("/.");
    is_there && matches!(name, "docker.sock" | "podman.sock" | "containerd.sock" | "crio.sock" | "dockershim.sock")
}

/// Returns whether a kernel capability lets a program escape from its container.
fn is_power(capability: &str) -> bool {
    let name = capability.to_ascii_uppercase();
    let name = name.strip_prefix("CAP_").unwrap_or(&name);
    let powers = ["ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "SYS_BOOT", "DAC_READ_SEARCH", "BPF"];
    powers.contains(&name)
}

/// Returns whether an option removes a part of the isolation from the host.
fn lifts_a_limit(option: &str) -> bool {
    matches!(
        option.replace(':', "=").as_str(),
        "apparmor=unconfined" | "systempaths=unconfined" | "label=disable" | "no-new-privileges=false"
    )
}

/// Returns whether a device is a disk or the memory of the host.
fn is_disk(device: &str) -> bool {
    let name = device.split(':').next().unwrap_or_default().strip_prefix("/dev/").unwrap_or_default();
    let disks = ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "mapper/", "disk"];
    disks.iter().any(|start| name.starts_with(start)) || matches!(name, "mem" | "kmem" | "port")
}

const RUN: Options = Options::leading(
    "vepwuhlm",
    "volume mount env env-file publish name network workdir user hostname pid entrypoint label memory \
     cpus restart platform add-host cap-add cap-drop security-opt device ipc net gpus tmpfs",
);
