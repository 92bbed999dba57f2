//! `protected-among`: a change of many files that may include protected ones.
//! The command shows the folder or a name pattern, but not the individual files.
//!
//! ## Why
//! A formatter, a replacement in all files of a search or a list, an archive or an unreadable patch can change
//! protected files just like a command that names them.
//!
//! ## Examples
//! - asked: `npx prettier --write .`, with `protected = [".github/workflows/"]`
//! - asked: `git stash -u`, with `protected = [".github/workflows/"]`
//! - asked: `xargs rm < list`, with `protected = [".github/workflows/"]`
//! - asked: `mv db old`, with `protected = ["**/*.sql"]`
//! - asked: `tar -xf x.tar`, with `protected = [".github/workflows/"]`
//! - passes: `tar -xf curl-8.1.2.tar`, with `protected = [".github/workflows/"]`
//! - passes: `black src`, with `protected = [".github/workflows/"]`
//! - passes: `git merge main`, with `protected = [".github/workflows/"]`
//!
//! ## Instead
//! Name the files or folders that should change.
//!
//! ## Settings
//! - `protected`: the patterns.

use guard_sdk::globs::Glob;
use guard_sdk::{Finding, Outcome, Rule};

use crate::Settings;
use crate::paths::{ProjectRoot, Target, shown};

pub(crate) const RULE: Rule = Rule {
    id: "protected-among",
    summary: "a change of files among which may be protected ones",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(target: &Target, settings: &Settings, root: &ProjectRoot<'_>) -> Option<Finding> {
    let is_exempt = |path: &str| settings.exempt.iter().any(|glob| glob.matches(path));
    let holds = |pattern: &Glob| {
        target.holds(|path| (pattern.matches(path) || target.fold && pattern.folded(path)) && !is_exempt(path))
    };
    let mut patterns = settings.protected.iter();
    let pattern = patterns.find(|pattern| target.may_take(pattern, root) || holds(pattern)).map(Glob::text)?;
    let message = format!("This may change protected files: `{}`", shown(pattern));
    let finding = Finding::new(&RULE, message).remedy("name the files or folders that should change");
    Some(finding.tag("pattern", shown(pattern)))
}
