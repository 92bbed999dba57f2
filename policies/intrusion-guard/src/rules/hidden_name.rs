//! `hidden-name`: a call that gives a file, a folder or a process a misleading or hidden name.
//! With `strict`, the rule also covers a hidden name directly in `/tmp`.
//!
//! ## Why
//! Names made of dots or spaces, or that look like a kernel thread, are meant to be overlooked. ATT&CK T1564, T1036.
//!
//! ## Examples
//! - asked: `exec -a '[kworker/0:1]' ./x`
//! - asked: `mkdir /dev/shm/.x`
//! - asked: `chflags hidden x`
//! - passes: `mkdir -p /tmp/build/.cache`
//! - passes: `exec -a worker ./bin/x`
//! - passes: `mkdir .github`
//!
//! ## Instead
//! Use a plain name.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, is_in_a_container, name, path, texts};

pub(crate) const RULE: Rule = Rule {
    id: "hidden-name",
    summary: "hides a file or a process by its name",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Folders for temporary files that people rarely look into.
const UNSEEN: &[&str] = &["/var/tmp/", "/dev/shm/", "/run/shm/", "/dev/mqueue/"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let written = view.analysis.effects.iter().filter(|effect| effect.kind == "write" && !is_in_a_container(effect));
    // In examples, a relative name of three dots means more names.
    let written = written.filter(|effect| effect.target.starts_with(['/', '~']) || !effect.target.contains("..."));
    let by_name = written.map(path).find(|path| is_hidden(path, view.settings.strict)).map(str::to_owned);
    let by_process = || {
        let threads =
            ["[kworker", "[kthread", "[ksoftirqd", "[migration", "[rcu_", "[kswapd", "[kdevtmpfs", "[watchdog"];
        let renames = has_any(view.text(), &threads);
        (renames && view.commands().any(|command| command.via.iter().any(|via| via.kind == "exec")))
            .then(|| "exec -a".to_owned())
    };
    let found = by_name
        .or_else(by_process)
        .or_else(|| view.commands().find(|command| hides_name(command)).map(Command::text))?;
    Some(Hit::new(
        format!("Disguises a file or process with a misleading name: `{}`", shorten(&found)),
        "use a plain name",
    ))
}

fn is_hidden(path: &str, strict: bool) -> bool {
    let is_odd = |part: &str| {
        let dots = part.len() > 2 && part.bytes().all(|byte| byte == b'.');
        let blank = !part.is_empty() && (part.trim().is_empty() || part.ends_with(' '));
        dots || blank || part.starts_with(".. ") || part.starts_with("[k")
    };
    let unseen = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('.'));
    // Many programs create hidden folders there, but few create hidden files.
    let in_tmp = || {
        strict
            && path
                .strip_prefix("/tmp/.")
                .is_some_and(|rest| !rest.starts_with(['X', 'I', 'f', 'T']) && !rest.contains('/'))
    };
    path.starts_with('/') && (path.split('/').any(is_odd) || UNSEEN.iter().any(|folder| unseen(folder)) || in_tmp())
}

fn hides_name(command: &Command) -> bool {
    let words: Vec<&str> = texts(command).collect();
    let pair = |option: &str, fits: &dyn Fn(&str) -> bool| {
        words.windows(2).any(|pair| matches!(pair, [name, value] if *name == option && fits(value)))
    };
    match &*name(command) {
        "chflags" => words.iter().any(|word| word.split(',').any(|flag| matches!(flag, "hidden" | "uchg,hidden"))),
        "setfile" => pair("-a", &|value| value.contains('V')),
        "attrib" => words.iter().any(|word| word.eq_ignore_ascii_case("+h") || word.eq_ignore_ascii_case("+s")),
        "dscl" => words.contains(&"IsHidden"),
        _ => false,
    }
}
