//! Wrappers whose command runs on another machine or in a container. The wrapper up to the host is also listed. After a
//! login to this machine, or on a mount of this machine in a container, the command has its effects here.

use guard_sdk::syntax::{Via, Word};

use super::layer::{Layer, Place, Run, Runnable, joined, takes};
use super::{packages, sandbox, shells, table};
use crate::options::{Flag, Options, Parsed, leading};
use crate::programs;
use crate::word::expand::literal;

const SSH: Options = takes("BbcDEeFIiJLlmOopPQRSWw", "");
/// `-M` takes the monitoring port.
const AUTOSSH: Options = takes("BbcDEeFIiJLlmMOopPQRSWw", "");
const MOSH: Options = takes("p", "client server predict family port ssh bind-server");
const EXEC: Options = takes("euw", "env env-file user workdir detach-keys index").exactly();
const RUN: Options = takes(
    "aceheluvwmp",
    "add-host annotation attach blkio-weight cap-add cap-drop cgroupns cidfile cpus cpu-shares cpuset-cpus \
           device dns entrypoint env env-file expose group-add gpus health-cmd hostname ip ipc label label-file link \
           log-driver log-opt mac-address memory mount name network net pid platform publish pull restart runtime \
           security-opt shm-size stop-signal storage-opt sysctl tmpfs ulimit user userns uts volume volumes-from workdir",
).exactly();
/// Options of docker, podman and nerdctl before the verb.
pub(crate) const ENGINE: Options = takes(
    "aHcln",
    "config context host log-level tlscacert tlscert tlskey root runroot url connection identity namespace address \
     storage-driver snapshotter",
)
.exactly();
pub(crate) const COMPOSE: Options =
    takes("fp", "file project-name profile project-directory env-file parallel ansi").exactly();
const KUBECTL: Options =
    takes("ncsf", "namespace context cluster container kubeconfig server user token filename").exactly();

pub(super) fn peel(name: &str, argv: &[Word]) -> Option<Layer> {
    match name {
        "ssh" => ssh(argv, SSH),
        "autossh" => ssh(argv, AUTOSSH),
        "mosh" => ssh(argv, MOSH),
        "kubectl" | "oc" => kubectl(argv),
        "docker-compose" | "podman-compose" => compose(argv, argv.get(1..)?),
        _ => docker(argv),
    }
}

fn ssh(argv: &[Word], spec: Options) -> Option<Layer> {
    let options = leading(argv.get(1..)?, spec);
    let (host, rest) = options.rest.split_first()?;
    // Options may also follow the host.
    let more = leading(rest, SSH);
    if more.rest.is_empty() {
        return None;
    }
    let outer = argv.get(..argv.len().checked_sub(more.rest.len())?)?.to_vec();
    let (kind, place) = place_of_login(login_of(&options, host).or_else(|| login_of(&more, host)));
    let via = Via { kind: kind.to_owned(), detail: host.text.clone() };
    let what = Runnable::Text { text: joined(more.rest), parameters: None };
    let run = Run { via, what, place, certain: options.certain && more.certain, mark: None };
    Some(Layer { outer: Some(outer), runs: vec![run] })
}

/// Returns the kind of a wrapper that logs in, and where its command runs. `login`: the user on this machine.
pub(super) fn place_of_login(login: Option<String>) -> (&'static str, Place) {
    login.map_or(("ssh", Place::Remote), |user| ("login", Place::Login(user)))
}

/// Returns the user, if `ssh` logs in to this machine. Empty for the calling user.
pub(crate) fn login(argv: &[Word]) -> Option<String> {
    let options = leading(argv.get(1..)?, SSH);
    login_of(&options, options.rest.first()?)
}

fn login_of(options: &Parsed<'_>, host: &Word) -> Option<String> {
    let user = options.flags.iter().rfind(|flag| flag.is("l")).map(Flag::text).unwrap_or_default();
    let settings = options.flags.iter().filter(|flag| flag.is("o")).map(Flag::text);
    let named = settings.filter_map(|setting| {
        let (name, value) = setting.trim().split_once(['=', ' '])?;
        name.trim().eq_ignore_ascii_case("hostname").then(|| value.trim_matches([' ', '=']))
    });
    let here = local_user(&host.text).or_else(|| named.filter_map(local_user).next_back())?;
    Some(if here.is_empty() { user.to_owned() } else { here.to_owned() })
}

/// Returns the user in `USER@HOST`, if the host is this machine. Empty without a user.
pub(crate) fn local_user(text: &str) -> Option<&str> {
    let text = text.strip_prefix("ssh://").unwrap_or(text).trim_end_matches('/');
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    is_this_machine(host).then_some(user)
}

/// Returns whether a host in the source is this machine.
fn is_this_machine(host: &str) -> bool {
    const NAMES: &[&str] = &["localhost", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback", ".host"];
    const ASKED: &[&str] =
        &["$HOSTNAME", "${HOSTNAME", "$HOST", "${HOST}", "$(hostname", "`hostname", "$(uname -n", "`uname -n"];
    let bracketed = host.strip_prefix('[').and_then(|host| host.split_once(']')).map(|(host, _)| host);
    let host = bracketed.unwrap_or(host).trim_end_matches('.');
    // The end of a variable's name. `$host` and `$HOST_B` are other variables.
    let ends = |rest: &str| !rest.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_');
    let is_asked = ASKED.iter().any(|text| host.strip_prefix(text).is_some_and(ends));
    let host = host.to_ascii_lowercase();
    // A port may follow a name.
    let name = if host.matches(':').count() == 1 { host.split(':').next().unwrap_or_default() } else { &host };
    let number = name.strip_prefix("0x").map_or_else(|| name.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
    NAMES.contains(&name)
        || name.ends_with(".localhost")
        || name.starts_with("localhost.localdomain")
        || number.is_some_and(|number| number == 0 || number >> 24 == 127)
        || name == "0.0.0.0"
        || name.starts_with("127.") && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        || host.parse().is_ok_and(|address: std::net::Ipv6Addr| {
            address.is_loopback() || address.is_unspecified() || address.to_ipv4().is_some_and(|it| it.is_loopback())
        })
        || is_asked
}

/// Returns whether `ssh` has a host, but no command.
pub(super) fn ssh_has_no_command(argv: &[Word]) -> bool {
    let options = leading(argv.get(1..).unwrap_or_default(), SSH);
    let inert = options.flag(&["N", "V", "Q", "O", "G", "W"]).is_some();
    matches!(options.rest, [_]) && !inert
}

/// Splits a call into the remaining wrapper and the command in its container. `inner` may be arguments for the image's
/// program.
fn contained(argv: &[Word], inner: &[Word], name: &str, image: &str, place: &Place, certain: bool) -> Option<Layer> {
    let outer = argv.get(..argv.len().checked_sub(inner.len())?)?.to_vec();
    let run = |words: Vec<Word>| {
        let via = Via { kind: "container".to_owned(), detail: name.to_owned() };
        let what = Runnable::Words { assignments: Vec::new(), words };
        Run { via, what, place: place.clone(), certain, mark: None }
    };
    let program = image_program(image).filter(|program| takes_words(program, inner));
    let mut runs = Vec::new();
    if program.is_none() || starts_program(inner) {
        runs.push(run(inner.to_vec()));
    }
    runs.extend(program.map(|program| run(std::iter::once(literal(program)).chain(inner.iter().cloned()).collect())));
    Some(Layer { outer: Some(outer), runs })
}

/// Returns the program that an image is named after and starts: the last part of the image's name, without tag and
/// digest. Names such as `aws-cli` have a suffix after the program.
fn image_program(image: &str) -> Option<&str> {
    let name = image.split('@').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let name = packages::program(name.split(':').next().unwrap_or_default());
    let is_program = |name: &&str| {
        // A wrapper's image would double the analyzed words at each level.
        (programs::is_known(name) || shells::is_shell(name)) && (!table::is_wrapper(name) || table::is_client(name))
    };
    [name, name.split('-').next().unwrap_or_default()].into_iter().find(is_program)
}

/// Returns whether the words may be arguments for the image's program. A language's image runs them as a command,
/// unless they begin with an option or a script.
fn takes_words(program: &str, words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let is_language = super::reads_code(program) || shells::is_shell(program);
    let is_own = first.text == program || shells::is_shell(&first.text);
    !is_own && (!is_language || first.text.starts_with('-') || first.text.contains('.'))
}

/// Returns whether the words are a command of their own.
fn starts_program(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let name = first.text.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_known = programs::is_known(&name) || programs::is_plain(&name) || super::reads_code(&name);
    first.text.starts_with('/') || first.dynamic || is_known || table::is_wrapper(&name)
}

fn container(argv: &[Word], words: &[Word], verb: &str) -> Option<Layer> {
    let is_made = match verb {
        "run" | "create" => true,
        "exec" => false,
        _ => return None,
    };
    let options = leading(words, if is_made { RUN } else { EXEC });
    let (target, inner) = options.rest.split_first()?;
    let entry = options.flag(&["entrypoint"]).map(Flag::word).filter(|word| !word.text.is_empty());
    let is_root = options.flag(&["rootfs"]).is_some();
    let mut sandbox = if is_made { sandbox::of_engine(&options) } else { sandbox::of_name(&target.text, &options) };
    sandbox.mounts.extend(is_root.then(|| sandbox::Mount::root(&target.text)));
    let is_kept = is_made && !sandbox.name.is_empty() && !sandbox.mounts.is_empty();
    let place = Place::Sandbox(Box::new(sandbox));
    let Some(entry) = entry else {
        let image = if is_made { target.text.as_str() } else { "" };
        let layer = contained(argv, inner, &target.text, image, &place, options.certain);
        // Without a command, later commands may still run in the container.
        return layer.filter(|_| !inner.is_empty() || is_kept);
    };
    let outer = argv.get(..argv.len().checked_sub(inner.len())?)?.to_vec();
    let words = std::iter::once(entry).chain(inner.iter().cloned()).collect();
    let mut layer = Layer::one("container", &target.text, Runnable::Words { assignments: Vec::new(), words }, place);
    layer.outer = Some(outer);
    layer.runs.iter_mut().for_each(|run| run.certain = options.certain);
    Some(layer)
}

fn docker(argv: &[Word]) -> Option<Layer> {
    let words = leading(argv.get(1..)?, ENGINE).rest;
    let (verb, rest) = words.split_first()?;
    match verb.text.as_str() {
        "container" => {
            let (verb, rest) = rest.split_first()?;
            container(argv, rest, &verb.text)
        }
        "compose" => compose(argv, rest),
        verb => container(argv, rest, verb),
    }
}

fn compose(argv: &[Word], words: &[Word]) -> Option<Layer> {
    let words = leading(words, COMPOSE).rest;
    let (verb, rest) = words.split_first()?;
    container(argv, rest, &verb.text)
}

fn kubectl(argv: &[Word]) -> Option<Layer> {
    let words = leading(argv.get(1..)?, KUBECTL).rest;
    let (verb, rest) = words.split_first()?;
    if !matches!(verb.text.as_str(), "exec" | "run" | "debug" | "rsh") {
        return None;
    }
    let dashes = rest.iter().position(|word| word.text == "--");
    let target = leading(rest, KUBECTL).rest.first()?;
    let inner = match dashes {
        Some(at) => rest.get(at + 1..)?,
        None if matches!(verb.text.as_str(), "exec" | "rsh") => {
            leading(leading(rest, KUBECTL).rest.get(1..)?, KUBECTL).rest
        }
        None => return None,
    };
    if inner.is_empty() {
        return None;
    }
    let before = rest.get(..rest.len() - inner.len()).unwrap_or_default();
    let image = before.iter().find_map(|word| word.text.strip_prefix("--image="));
    let named = || before.windows(2).find(|pair| pair.first().is_some_and(|word| word.text == "--image"));
    let image = image.or_else(|| named()?.last().map(|word| word.text.as_str()));
    let is_program = before.iter().any(|word| word.text == "--command");
    let image = image.filter(|_| verb.text == "run" && !is_program).unwrap_or_default();
    contained(argv, inner, &target.text, image, &Place::Remote, true)
}
