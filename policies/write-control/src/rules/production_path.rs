//! `production-path`: a write to a path of what is shipped.
//!
//! The answer is allow with a notice; whether that spares the user a question is for the configuration to say.
//!
//! ## Why
//! A probe or a note belongs elsewhere, and the model should know where it is writing.
//! ## Example
//! `Write src/index.ts`
//! ## Settings
//! `warned`, `paranoid`

use guard_sdk::{Finding, Outcome, Rule};

use crate::Settings;
use crate::paths::{Target, shown};

pub(crate) const RULE: Rule = Rule {
    id: "production-path",
    summary: "a write to a path of what is shipped",
    default: Outcome::Allow,
    ceiling: Outcome::Ask,
};

pub(crate) fn check(target: &Target, settings: &Settings) -> Option<Finding> {
    let path = target.find(|path| settings.warned.iter().any(|glob| glob.matches(path)))?;
    let finding = Finding::new(&RULE, format!("Production path: {} - ensure this is intentional", shown(path)));
    Some(finding.at(if settings.paranoid { Outcome::Ask } else { RULE.default }).tag("path", shown(path)))
}
