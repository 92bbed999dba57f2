//! The policy's settings.
//!
//! Knows the names of rules, classes and kinds of effects only to reject unknown ones.

use guard_sdk::globs::Glob;
use guard_sdk::syntax::{EFFECT_KINDS, operations};
use guard_sdk::{Adjustments, Error, Outcome};
use guard_sensitive_paths::Lists;
use serde::Deserialize;

use crate::rules;

/// The settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Branches with a shared history, besides `main` and `master`. `*` matches any text, including slashes, and
    /// `!name` removes a branch.
    pub protected_branches: Vec<Branch>,
    /// The response to a command that reads a secret. Default: `"deny"`.
    pub secret_reads: Answer,
    /// The response to `git push --force-with-lease` to a protected branch. Default: `"ask"`.
    pub force_with_lease: Answer,
    /// The response to a command that adds a package from a registry by name. Default: `"allow"`.
    pub new_packages: Notice,
    /// Regular expressions over whole words that no command may match: neither its text as written, nor any command as
    /// it runs. Default: none.
    pub deny_patterns: Vec<Pattern>,
    /// The lists of secret files and of files that control a project: `blocked`, `confirm`, `exempt`.
    #[serde(deserialize_with = "guard_sdk::tables::table")]
    pub files: Lists,
    /// Disables the exceptions for harmless uses: secret files that a command creates, names and counts of variables,
    /// `git push --dry-run`. Default: `false`, and `true` in the presets `guardrail` and `full`.
    pub strict: bool,
    /// Names whose outcome changes: rules, classes of rules, kinds of effects (`cloud`), operations (`git.stash.drop`),
    /// and all operations with a prefix (`aws.s3` or `aws.*`).
    #[serde(skip)]
    pub adjustments: Adjustments,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            protected_branches: Vec::new(),
            secret_reads: Answer::Deny,
            force_with_lease: Answer::Ask,
            new_packages: Notice::Allow,
            deny_patterns: Vec::new(),
            files: Lists::default(),
            strict: false,
            adjustments: Adjustments::default(),
        }
    }
}

/// The branches that are protected by default.
const BRANCHES: &[&str] = &["main", "master"];

/// Prefixes of a branch's name in its pattern. `origin/prod` is the branch `prod` as git shows it.
const NAMESPACES: [&str; 3] = ["refs/heads/", "refs/remotes/origin/", "origin/"];

/// A pattern for a branch's name. Case is ignored.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Branch {
    glob: Glob,
    /// Whether matching branches are unprotected, overriding earlier patterns.
    takes_out: bool,
}

impl TryFrom<String> for Branch {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (name, takes_out) = text.strip_prefix('!').map_or((text.as_str(), false), |name| (name, true));
        let branch = NAMESPACES.into_iter().find_map(|start| name.strip_prefix(start));
        let name = branch.filter(|branch| !branch.is_empty()).unwrap_or(name);
        let is_branch = !name.starts_with(['-', '/', '!']) && !name.contains([' ', '~', '^', ':']);
        if !is_branch || name.ends_with('/') || name.contains("..") {
            return Err(format!("no branch is called `{text}`"));
        }
        let glob = Glob::of_name(name).map_err(|error| error.to_string())?;
        Ok(Branch { glob, takes_out })
    }
}

/// A regular expression over the text of a command. Case is ignored.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(policy_text_patterns::Pattern);

impl Pattern {
    /// The expression as written.
    pub(crate) fn text(&self) -> &str {
        self.0.text()
    }

    /// Returns whether the pattern is the name of a program, a subcommand or an option: one word without a path.
    pub(crate) fn is_name(&self) -> bool {
        let text = self.text();
        text.starts_with(char::is_alphabetic) && text.chars().all(|char| char.is_alphanumeric() || "_-".contains(char))
    }

    /// Returns whether a part of `text` matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.matches(text)
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let pattern = policy_text_patterns::Pattern::parse_words(&text, true)?;
        if pattern.matches("") {
            return Err(format!("`{text}` matches every command"));
        }
        Ok(Pattern(pattern))
    }
}

/// The response that a setting chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The call must not run.
    Deny,
    /// A person must confirm the call.
    Ask,
    /// The policy reports nothing.
    Allow,
}

impl Answer {
    /// Returns the outcome, or `None` for [`Answer::Allow`].
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self {
            Answer::Deny => Some(Outcome::Deny),
            Answer::Ask => Some(Outcome::Ask),
            Answer::Allow => None,
        }
    }
}

/// The response that a setting chooses for calls without a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// The policy reports nothing.
    Allow,
    /// The call runs, with a notice.
    Warn,
    /// A person must confirm the call.
    Ask,
}

impl Notice {
    /// Returns the outcome, or `None` for [`Notice::Allow`].
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self {
            Notice::Allow => None,
            Notice::Warn => Some(Outcome::Warn),
            Notice::Ask => Some(Outcome::Ask),
        }
    }
}

/// The names of a hit in `raise`, `lower` and `silence`. The last two are empty without an effect.
pub(crate) struct Names<'a> {
    pub(crate) rule: &'a str,
    pub(crate) class: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) operation: &'a str,
}

impl Names<'_> {
    fn include(&self, name: &str) -> bool {
        [self.rule, self.class, self.kind].contains(&name) || matches_operation(name, self.operation)
    }
}

/// Returns whether the name is the operation or a prefix of it.
fn matches_operation(name: &str, operation: &str) -> bool {
    let below = name.strip_suffix(".*").unwrap_or(name);
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('.');
    name.contains('.') && operation.strip_prefix(below).is_some_and(is_below)
}

/// Returns the candidates for a misspelled name: the operations of its family, or else rules, classes and kinds.
fn suggestions(name: &str) -> Vec<&'static str> {
    let family = name.split_once('.').map_or("", |(family, _)| family);
    let family: Vec<_> = operations().filter(|other| matches_operation(&format!("{family}.*"), other)).collect();
    if family.is_empty() { rules::names().chain(EFFECT_KINDS).collect() } else { family }
}

impl Settings {
    /// Takes the adjustments, after checking their names.
    pub(crate) fn apply_adjustments(&mut self, adjustments: &mut Adjustments) -> Result<(), Error> {
        let is_operation = |name: &str| operations().any(|operation| matches_operation(name, operation));
        let is_known = |name: &str| rules::is_known(name) || EFFECT_KINDS.contains(&name) || is_operation(name);
        if let Some(unknown) = adjustments.names().find(|name| !is_known(name)) {
            let known = suggestions(unknown).join("`, `");
            // The host finds the most similar name in a message of this form, which is serde's.
            return Err(Error::from(format!("unknown name `{unknown}`, expected one of `{known}`")));
        }
        self.adjustments = std::mem::take(adjustments);
        Ok(())
    }

    /// Returns the outcome of a hit after `raise`, `lower` and `silence`. `None` if it is silenced.
    pub(crate) fn adjust(&self, names: &Names<'_>, outcome: Outcome) -> Option<Outcome> {
        self.adjustments.outcome(|name| names.include(name), outcome)
    }

    /// Returns whether `reference`, a branch or a full reference name, is a protected branch.
    pub(crate) fn protects(&self, reference: &str) -> bool {
        let branch = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("heads/"));
        let branch = branch.unwrap_or(reference);
        let last = self.protected_branches.iter().rfind(|pattern| pattern.glob.matches_name(branch));
        last.map_or_else(|| BRANCHES.iter().any(|name| name.eq_ignore_ascii_case(branch)), |last| !last.takes_out)
    }
}

#[cfg(test)]
mod tests {
    use super::{Branch, Pattern, Settings};

    #[test]
    fn a_branch_is_a_pattern_over_its_whole_name() {
        let protects = |pattern: &str, branch: &str| {
            let branches = vec![Branch::try_from(pattern.to_owned()).unwrap()];
            Settings { protected_branches: branches, ..Settings::default() }.protects(branch)
        };
        for (pattern, branch) in [
            ("main", "refs/heads/MAIN"),
            ("release/*", "release/1/x"),
            ("{main,develop}", "develop"),
            ("v[0-9]*", "v2"),
            ("refs/heads/x", "x"),
            ("origin/prod", "refs/heads/prod"),
            ("refs/remotes/origin/release/*", "release/1"),
            ("**/hot", "a/b/hot"),
        ] {
            assert!(protects(pattern, branch), "{pattern} {branch}");
        }
        assert!(!protects("release/*", "release") && !protects("{main,develop}", "mainly"));
        assert!(!protects("original", "inal") && !protects("originals/x", "x"));
        assert!(Settings::default().protects("Main") && !Settings::default().protects("mainly"));
        let settings = |list: &[&str]| {
            let branches = list.iter().map(|&text| Branch::try_from(text.to_owned()).unwrap()).collect();
            Settings { protected_branches: branches, ..Settings::default() }
        };
        assert!(settings(&["develop"]).protects("main") && settings(&["develop"]).protects("develop"));
        assert!(!settings(&["!master"]).protects("master") && settings(&["!master"]).protects("main"));
        assert!(!settings(&["release/*", "!release/old*"]).protects("release/old-1"));
        assert!(settings(&["!*", "trunk"]).protects("trunk") && !settings(&["!*", "trunk"]).protects("main"));
        for text in ["", "{main", "ma in", "-x", "x/", "origin/", "a..b", "!!main", "[x"] {
            let error = Branch::try_from(text.to_owned()).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn a_pattern_that_is_none_or_that_matches_everything_is_refused_by_name() {
        for text in ["(", "a**b[", "x*", "", "a|", &"(a{50}){50}".repeat(50)] {
            let error = Pattern::try_from(text.to_owned()).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        assert!(Pattern::try_from("rm -rf /".to_owned()).unwrap().matches("x RM -RF /tmp"));
    }
}
