//! `forged-time`: a call that gives a file outside of the project a chosen time, or that of another file. With
//! `strict`, code that sets the time of a file, too.
//!
//! ## Why
//! A forged time hides a new file among old ones. ATT&CK T1070.006.
//!
//! ## Examples
//! - asked: `touch -r /bin/ls /usr/local/bin/x`
//! - asked: `touch -t 202001010101 /tmp/x`
//! - passes: `touch -d '1 hour ago' tests/old.txt`
//! - passes: `touch /tmp/marker`
//! - passes: `touch -c marker`
//!
//! ## Instead
//! Leave the time as it is, or set it on a file of the project.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, has_option, name, path, texts};

pub(crate) const RULE: Rule =
    Rule { id: "forged-time", summary: "gives a file another time", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let by_command = view.commands().find_map(|command| of_command(command, view));
    let target = by_command.or_else(|| {
        let sets = |text: &str| {
            has_any(text, &["os.utime(", "fs.utimesSync(", "File.utime(", ".LastWriteTime =", ".CreationTime ="])
        };
        let mut scripts = view.scripts();
        (view.settings.strict && scripts.any(|script| sets(&script.text))).then(|| "a file".to_owned())
    })?;
    Some(Hit::new(
        format!("Gives `{}` a time that isn't its own", shorten(&target)),
        "leave the time as it is, or set it on a file of the project",
    ))
}

fn of_command(command: &Command, view: &View<'_>) -> Option<String> {
    match &*name(command) {
        "touch" | "gtouch" => {
            let forges = has_option(command, "rtd", &["reference", "date"]);
            let facts = view.facts();
            let own = [&facts.cwd, &facts.project_root];
            let mut effects = view.index().effects(command).iter().filter(|effect| effect.kind == "write");
            let is_foreign = |path: &str| {
                path.starts_with('/') && !own.iter().any(|folder| crate::kinds::places::is_inside(path, folder))
            };
            effects.find(|effect| forges && is_foreign(path(effect))).map(|effect| path(effect).to_owned())
        }
        "setfile" => has_option(command, "dm", &[]).then(|| texts(command).last().unwrap_or_default().to_owned()),
        "timestomp" => Some(texts(command).next().unwrap_or_default().to_owned()),
        "debugfs" => texts(command)
            .any(|text| has_any(text, &["crtime", "mtime", "set_inode_field"]))
            .then(|| "an inode".to_owned()),
        _ => None,
    }
}
