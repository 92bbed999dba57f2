//! The table of plain wrappers: programs whose operands are another command.

use guard_sdk::syntax::Word;

use super::options::{self, Takes};
use super::{Layer, Place, Run, What, assignments, joined};

/// A wrapper whose operands are a program and its words.
struct Wrapper {
    name: &'static str,
    takes: Takes,
    /// Operands before the program.
    skip: usize,
    /// Words that must stand before the options, such as `run` in `uv run`.
    verbs: &'static [&'static str],
    /// With one of these options no program is run.
    inert: &'static [&'static str],
    /// Options whose value is a text that becomes shell.
    text: &'static [&'static str],
    /// Options whose value is worth telling: a user.
    detail: &'static [&'static str],
    /// Options whose value is the working directory.
    directory: &'static [&'static str],
    /// `NAME=value` may stand before the program.
    assigns: bool,
    /// It is a builtin: what runs, runs in this shell.
    here: bool,
    /// The operands are joined and become shell.
    joins: bool,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    takes: Takes { short: "", long: "" },
    skip: 0,
    verbs: &[],
    inert: &[],
    text: &[],
    detail: &[],
    directory: &[],
    assigns: false,
    here: false,
    joins: false,
};

const fn takes(short: &'static str, long: &'static str) -> Takes {
    Takes { short, long }
}

static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        takes: takes(
            "ugpCchrRtTDU",
            "user group prompt close-from class host role chroot type command-timeout chdir other-user",
        ),
        inert: &["e", "edit", "l", "list", "v", "validate", "K", "remove-timestamp", "V", "version"],
        detail: &["u", "user"],
        directory: &["D", "chdir"],
        assigns: true,
        ..PLAIN
    },
    Wrapper { name: "doas", takes: takes("uC", ""), detail: &["u"], assigns: true, ..PLAIN },
    Wrapper { name: "pkexec", takes: takes("u", "user"), detail: &["u", "user"], ..PLAIN },
    Wrapper { name: "run0", takes: takes("ugDp", "user group chdir property"), detail: &["u", "user"], ..PLAIN },
    Wrapper { name: "gosu", skip: 1, ..PLAIN },
    Wrapper { name: "su-exec", skip: 1, ..PLAIN },
    Wrapper {
        name: "runuser",
        takes: takes("ugGswc", "user group supp-group shell whitelist-environment command session-command"),
        text: &["c", "command", "session-command"],
        detail: &["u", "user"],
        ..PLAIN
    },
    Wrapper {
        name: "su",
        takes: takes("gGswc", "group supp-group shell whitelist-environment command session-command"),
        text: &["c", "command", "session-command"],
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper { name: "sg", takes: takes("c", ""), text: &["c"], skip: 1, ..PLAIN },
    Wrapper {
        name: "env",
        takes: takes("uSC", "unset split-string chdir"),
        text: &["S", "split-string"],
        directory: &["C", "chdir"],
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
    Wrapper { name: "time", takes: takes("fo", "format output"), ..PLAIN },
    Wrapper { name: "gtime", takes: takes("fo", "format output"), ..PLAIN },
    Wrapper { name: "stdbuf", takes: takes("ioe", "input output error"), ..PLAIN },
    Wrapper { name: "unbuffer", ..PLAIN },
    Wrapper { name: "chroot", takes: takes("", "userspec groups"), skip: 1, ..PLAIN },
    Wrapper { name: "unshare", takes: takes("SGRw", "setuid setgid root wd propagation map-user map-group"), ..PLAIN },
    Wrapper { name: "nsenter", takes: takes("tSG", "target setuid setgid"), ..PLAIN },
    Wrapper {
        name: "flock",
        takes: takes("wEc", "wait timeout conflict-exit-code command"),
        text: &["c", "command"],
        skip: 1,
        ..PLAIN
    },
    Wrapper { name: "watch", takes: takes("nq", "interval equexit"), joins: true, ..PLAIN },
    Wrapper { name: "entr", ..PLAIN },
    Wrapper { name: "strace", takes: takes("aEeIoOpPsSuUbX", "output"), inert: &["p"], ..PLAIN },
    Wrapper { name: "ltrace", takes: takes("aeFlnopsSuwx", "output"), inert: &["p"], ..PLAIN },
    Wrapper { name: "valgrind", ..PLAIN },
    Wrapper { name: "caffeinate", takes: takes("tw", ""), ..PLAIN },
    Wrapper {
        name: "systemd-run",
        takes: takes(
            "ptuEMHD",
            "unit property slice description setenv machine host uid gid nice working-directory on-active on-boot on-calendar service-type",
        ),
        directory: &["working-directory"],
        ..PLAIN
    },
    Wrapper { name: "systemd-inhibit", takes: takes("", "what who why mode"), ..PLAIN },
    Wrapper { name: "dbus-run-session", takes: takes("", "config-file dbus-daemon"), ..PLAIN },
    Wrapper { name: "firejail", ..PLAIN },
    Wrapper { name: "proxychains", takes: takes("f", ""), ..PLAIN },
    Wrapper { name: "proxychains4", takes: takes("f", ""), ..PLAIN },
    Wrapper { name: "torsocks", takes: takes("uaP", "user address port"), ..PLAIN },
    Wrapper { name: "faketime", takes: takes("f", ""), skip: 1, ..PLAIN },
    Wrapper { name: "rlwrap", takes: takes("CDfHsS", ""), ..PLAIN },
    Wrapper { name: "arch", takes: takes("", ""), ..PLAIN },
    Wrapper {
        name: "script",
        takes: takes("cEIoOBTm", "command echo log-in log-out log-io log-timing logging-format"),
        text: &["c", "command"],
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper { name: "command", inert: &["v", "V"], here: true, ..PLAIN },
    Wrapper { name: "builtin", here: true, ..PLAIN },
    Wrapper { name: "exec", takes: takes("a", ""), here: true, ..PLAIN },
    Wrapper { name: "noglob", here: true, ..PLAIN },
    Wrapper { name: "nocorrect", here: true, ..PLAIN },
    Wrapper { name: "busybox", inert: &["list", "list-full", "install", "help"], ..PLAIN },
    Wrapper { name: "toybox", ..PLAIN },
    Wrapper { name: "npx", takes: takes("pwc", "package workspace call"), text: &["c", "call"], ..PLAIN },
    Wrapper {
        name: "npm",
        takes: takes("pwc", "package workspace call prefix tag registry scope access otp loglevel cache userconfig"),
        verbs: &["exec", "x"],
        text: &["c", "call"],
        ..PLAIN
    },
    Wrapper { name: "pnpx", ..PLAIN },
    Wrapper { name: "pnpm", takes: takes("", "package"), verbs: &["dlx", "exec"], ..PLAIN },
    Wrapper { name: "yarn", takes: takes("p", "package"), verbs: &["dlx", "exec"], ..PLAIN },
    Wrapper { name: "bunx", takes: takes("p", "package"), ..PLAIN },
    Wrapper { name: "uvx", takes: takes("pw", "python with from index-url"), ..PLAIN },
    Wrapper {
        name: "uv",
        takes: takes("pm", "python with extra group package env-file directory project"),
        verbs: &["run"],
        ..PLAIN
    },
    Wrapper { name: "poetry", takes: takes("CP", "directory project"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "pipx", takes: takes("", "spec python index-url pip-args"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "pipenv", verbs: &["run"], ..PLAIN },
    Wrapper { name: "pdm", takes: takes("p", "project"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "hatch", takes: takes("e", "env"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "rye", verbs: &["run"], ..PLAIN },
    Wrapper { name: "conda", takes: takes("np", "name prefix cwd"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "mamba", takes: takes("np", "name prefix cwd"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "bundle", takes: takes("", "gemfile"), verbs: &["exec"], ..PLAIN },
    Wrapper { name: "direnv", verbs: &["exec"], skip: 1, ..PLAIN },
    Wrapper { name: "op", takes: takes("", "env-file account"), verbs: &["run"], ..PLAIN },
    Wrapper {
        name: "doppler",
        takes: takes("pc", "project config command"),
        verbs: &["run"],
        text: &["command"],
        ..PLAIN
    },
    Wrapper { name: "aws-vault", takes: takes("d", "duration"), verbs: &["exec"], skip: 1, ..PLAIN },
    Wrapper {
        name: "nix-shell",
        takes: takes("pAI", "run command packages attr argstr arg"),
        text: &["run", "command"],
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper {
        name: "nix",
        takes: takes("c", "command"),
        verbs: &["develop", "shell"],
        text: &["command-text"],
        skip: usize::MAX,
        ..PLAIN
    },
];

/// Takes a plain wrapper off.
pub(super) fn peel(name: &str, argv: &[Word]) -> Option<Layer> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name)?;
    let mut words = argv.get(1..)?;
    if !wrapper.verbs.is_empty() {
        // Options of the program itself may stand before the verb.
        words = options::read(words, wrapper.takes).rest;
        let (verb, rest) = words.split_first()?;
        if !wrapper.verbs.contains(&verb.text.as_str()) {
            return None;
        }
        words = rest;
    }
    if name == "nix" {
        return nix(words);
    }
    let options = options::read(words, wrapper.takes);
    if options.has(wrapper.inert) {
        return None;
    }
    let detail = options.value(wrapper.detail).unwrap_or_default();
    let place = match options.word(wrapper.directory) {
        Some(directory) => Place::Directory(directory),
        None if wrapper.here => Place::Here,
        None => Place::Apart,
    };
    if let Some(text) = text(wrapper, words, &options) {
        let kind = if name == "env" { "env" } else { name };
        return Some(Layer::one(kind, detail, What::Text { text, parameters: None }, place));
    }
    let mut rest = options.rest.get(wrapper.skip..)?;
    let mut assigned = Vec::new();
    if wrapper.assigns {
        (assigned, rest) = assignments(rest);
    } else if wrapper.skip > 0 && rest.first().is_some_and(|word| word.text == "--") {
        rest = rest.get(1..)?;
    }
    if rest.is_empty() {
        return None;
    }
    let what = if wrapper.joins {
        What::Text { text: joined(rest), parameters: None }
    } else {
        What::Words { assignments: assigned, words: rest.to_vec() }
    };
    let mut layer = Layer::one(name, detail, what, place);
    if let Some(Run { certain, .. }) = layer.runs.first_mut() {
        *certain = options.certain;
    }
    Some(layer)
}

/// The text of `-c`, which may also stand after the operands: `su root -c TEXT`, `flock FILE -c TEXT`.
fn text(wrapper: &Wrapper, words: &[Word], options: &options::Options<'_>) -> Option<Word> {
    if wrapper.text.is_empty() {
        return None;
    }
    if let Some(mut text) = options.word(wrapper.text) {
        if wrapper.name == "env" {
            // What follows `-S TEXT` are more words of the same command.
            text = joined(&[std::slice::from_ref(&text), options.rest].concat());
        }
        return Some(text);
    }
    if wrapper.skip == 0 {
        return None;
    }
    let late = words.iter().position(|word| {
        let name = word.text.trim_start_matches('-');
        word.text.starts_with('-') && wrapper.text.contains(&name)
    })?;
    words.get(late + 1).cloned()
}

/// `nix develop -c PROGRAM WORDS`.
fn nix(words: &[Word]) -> Option<Layer> {
    let at = words.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command"))?;
    let words = words.get(at + 1..).filter(|words| !words.is_empty())?.to_vec();
    Some(Layer::one("nix", "", What::Words { assignments: Vec::new(), words }, Place::Apart))
}
