//! Dockerfiles, compose files and manifests that a call contains or gets from another program.

use guard_sdk::syntax::Word;

use super::{is_engine_socket, is_whole};
use crate::draft::Draft;
use crate::options::Operand;
use crate::run::Run;
use crate::wrappers::shells::descriptor;

/// Programs that build or start what a file defines, and the words for that.
const STARTERS: &[(&[&str], &[&str])] = &[
    (&["docker", "podman", "nerdctl", "buildah", "docker-compose", "podman-compose"], BUILDS),
    (&["kubectl", "oc", "k3s", "microk8s"], &["apply", "create", "replace"]),
    (&["nomad"], &["run"]),
];

const BUILDS: &[&str] = &["build", "bud", "create", "deploy", "play", "run", "start", "up"];

/// Returns whether the program builds or starts what its input or a substitution defines: `kubectl apply -f -`.
pub(crate) fn is_from_input(name: &str, words: &[Word]) -> bool {
    let says = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.text.as_str()));
    let starts = STARTERS.iter().any(|(names, verbs)| names.contains(&name) && says(verbs));
    let is_dry = words.iter().any(|word| word.text.starts_with("--dry-run") && word.text != "--dry-run=none");
    starts && !is_dry && files(words).any(|file| is_input(&file.text) || is_substitution(file))
}

/// Returns whether a file is the standard input.
pub(crate) fn is_input(file: &str) -> bool {
    file == "-" || descriptor(file) == Some(0)
}

fn is_substitution(file: &Word) -> bool {
    file.parts.first().is_some_and(|part| part.kind == "process")
}

/// Returns the words that may name a file with a definition: values of options for it, and `-` alone.
fn files(words: &[Word]) -> impl Iterator<Item = &Word> {
    const OPTIONS: &[&str] = &["-f", "-c", "--file", "--filename", "--compose-file"];
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|option| OPTIONS.contains(&option.text.as_str()))
    };
    words.iter().enumerate().filter(move |(at, word)| word.text == "-" || is_value(*at)).map(|(_, word)| word)
}

/// Adds the effect of a definition in the call that gives a container access to the host.
pub(crate) fn find(run: &mut Run<'_>) {
    let name = run.name.clone();
    let words = run.arguments();
    let starts = STARTERS.iter().any(|(names, verbs)| {
        names.contains(&name.as_str()) && words.iter().any(|word| verbs.contains(&word.text.as_str()))
    });
    if !starts {
        return;
    }
    let text = files(words).find_map(|file| match is_input(&file.text) {
        true => run.input().map(|input| input.text),
        false => run.substituted(&Operand::of(file)).map(|input| input.text).or_else(|| run.written(file)),
    });
    let Some(access) = text.as_deref().and_then(HostAccess::find) else { return };
    let draft = Draft::notable("privilege", "container.host-access").flag("privileged", access.is_privileged);
    let draft = access.mounts.iter().fold(draft, |draft, from| draft.tag("mounts", from));
    run.emit(draft.tag("engine", &name));
}

/// The access to the host that a compose file or a manifest gives.
#[derive(Debug, Default, PartialEq, Eq)]
struct HostAccess {
    is_privileged: bool,
    mounts: Option<String>,
}

impl HostAccess {
    /// Reads YAML or JSON item by item, without a parser.
    fn find(text: &str) -> Option<Self> {
        let mut found = HostAccess::default();
        let items = text.split(['\n', ',', '{', '}', '[', ']']);
        let plain = |text: &str| text.trim().trim_start_matches("- ").trim_matches([' ', '"', '\'']).to_owned();
        for item in items.filter(|item| !item.trim_start().starts_with('#')) {
            let (key, value) = item.split_once(": ").or_else(|| item.split_once("\":")).unwrap_or(("", item));
            let (key, value) = (plain(key), plain(value));
            found.is_privileged |=
                matches!((key.as_str(), value.as_str()), ("privileged" | "hostPID", "true") | ("pid", "host"));
            let source = match key.as_str() {
                "path" | "source" => value.as_str(),
                "" => value.split_once(':').map_or("", |(source, _)| source),
                _ => continue,
            };
            let is_host = source.starts_with('/') && (is_whole(source) || is_engine_socket(source));
            let is_path = key != "path" || text.contains("hostPath");
            found.mounts = found.mounts.or_else(|| (is_host && is_path).then(|| source.to_owned()));
        }
        (found.is_privileged || found.mounts.is_some()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_give_access_to_the_host() {
        for (text, is_privileged, mounts) in [
            ("services:\n  a:\n    privileged: true\n", true, None),
            ("services: {a: {image: x, volumes: ['/:/h']}}", false, Some("/")),
            ("volumes:\n  - \"/etc:/h\"\n", false, Some("/etc")),
            ("volumes:\n  - type: bind\n    source: /root\n", false, Some("/root")),
            ("spec:\n  hostPID: true\n", true, None),
            ("volumes:\n- hostPath:\n    path: /\n", false, Some("/")),
            ("volumes:\n- name: s\n  hostPath: {path: /var/run/docker.sock}\n", false, Some("/var/run/docker.sock")),
            (r#"{"securityContext":{"privileged":true}}"#, true, None),
        ] {
            let expected = HostAccess { is_privileged, mounts: mounts.map(str::to_owned) };
            assert_eq!(HostAccess::find(text), Some(expected), "{text}");
        }
        for text in [
            "services:\n  a:\n    privileged: false\n    volumes: ['.:/app', 'data:/var/lib']\n",
            "readinessProbe:\n  httpGet:\n    path: /\n",
            "# privileged: true\n",
            "ports:\n  - 80:80\n",
        ] {
            assert_eq!(HostAccess::find(text), None, "{text}");
        }
    }
}
