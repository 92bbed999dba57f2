//! Paths with secrets, and paths that control a project: the lists that several policies share.
//!
//! Paths are compared component by component, never as substrings: `keyboard.ts` isn't a `.key` file. Knows no tools,
//! outcomes and rules. This is a library, not a policy.
//!
//! ```
//! use guard_sensitive_paths::Lists;
//!
//! let lists = Lists::default();
//! assert_eq!(lists.secret("app/.env"), Some(".env"));
//! assert_eq!(lists.secret("app/.env.example"), None);
//! assert_eq!(lists.sensitive("ci/Dockerfile.dev"), Some("Dockerfile.*"));
//! ```

mod blocked;
mod byte_set;
mod defaults;
mod entry;
mod own;
mod pattern;
mod programs;
mod public;
mod within;

use std::cell::LazyCell;

use guard_sdk::syntax::Effect;
use serde::Deserialize;

pub use byte_set::ByteSet;
pub use entry::Entries;
use entry::Entry;
pub use own::{ON_LIST, own_secret, own_secret_path, own_sensitive, secret_reason};
pub use pattern::matches;
use pattern::{Path, PatternShape};
pub use public::is_public;
pub use within::Taken;

/// The three lists. Lists in settings add to the defaults, and an entry `!x` removes paths.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "RawSettings")]
pub struct Lists {
    /// Files with secrets.
    blocked: Entries,
    /// Files that control builds, tools and machines.
    confirm: Entries,
    /// Templates: names that are exempt from the other two lists.
    exempt: Entries,
}

/// The lists in the settings.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct RawSettings {
    blocked: Option<Entries>,
    confirm: Option<Entries>,
    exempt: Option<Entries>,
}

/// The shapes of the default lists, computed at compile time.
static BLOCKED: [PatternShape; defaults::BLOCKED.len()] = PatternShape::parse_all(defaults::BLOCKED);
static CONFIRM: [PatternShape; defaults::CONFIRM.len()] = PatternShape::parse_all(defaults::CONFIRM);
static EXEMPT: [PatternShape; defaults::EXEMPT.len()] = PatternShape::parse_all(defaults::EXEMPT);

impl From<RawSettings> for Lists {
    fn from(written: RawSettings) -> Self {
        Lists::new(written.blocked, written.confirm, written.exempt)
    }
}

impl Default for Lists {
    fn default() -> Self {
        Lists::new(None, None, None)
    }
}

impl Lists {
    /// Creates the default lists with these entries added.
    #[must_use]
    pub fn new(blocked: Option<Entries>, confirm: Option<Entries>, exempt: Option<Entries>) -> Self {
        Lists {
            blocked: Entries::from_static(defaults::BLOCKED, &BLOCKED).extended(blocked),
            confirm: Entries::from_static(defaults::CONFIRM, &CONFIRM).extended(confirm),
            exempt: Entries::from_static(defaults::EXEMPT, &EXEMPT).extended(exempt),
        }
    }

    /// Adds entries to `blocked`.
    #[must_use]
    pub fn with_blocked(self, added: Option<Entries>) -> Self {
        Lists { blocked: self.blocked.extended(added), ..self }
    }

    /// Creates lists with only the settings' entries.
    #[must_use]
    pub fn settings_only(blocked: &[Option<Entries>], exempt: Option<Entries>) -> Self {
        let blocked = blocked.iter().cloned().fold(Entries::empty(), Entries::extended);
        Lists { blocked, confirm: Entries::empty(), exempt: Entries::empty().extended(exempt) }
    }

    /// Returns the entry of `blocked` that covers `path`.
    ///
    /// A path with wildcards (`.en*`) is covered if it clearly targets a listed name.
    #[must_use]
    pub fn secret(&self, path: &str) -> Option<&str> {
        self.find(&self.blocked, path)
    }

    /// Returns the entry of `confirm` that covers `path`.
    #[must_use]
    pub fn sensitive(&self, path: &str) -> Option<&str> {
        self.find(&self.confirm, path)
    }

    /// Returns whether `exempt` covers `path`, such as a template.
    #[must_use]
    pub fn is_exempt(&self, path: &str) -> bool {
        self.exempt.covering_entries(&Path::new(path)).next().is_some()
    }

    /// Returns the entry of `blocked` that covers the effect's raw, lexical or canonical path.
    ///
    /// Reading, writing or deleting a listed folder affects its content. Creating the folder doesn't.
    #[must_use]
    pub fn find_secret(&self, effect: &Effect) -> Option<&str> {
        self.find_entry(&self.blocked, effect)
    }

    /// Returns the entry of `confirm` that covers the effect's paths, as in [`Lists::find_secret`].
    #[must_use]
    pub fn find_sensitive(&self, effect: &Effect) -> Option<&str> {
        self.find_entry(&self.confirm, effect)
    }

    /// Returns whether settings add an entry to `confirm` that covers the effect's path.
    #[must_use]
    pub fn adds_sensitive(&self, effect: &Effect) -> bool {
        let path = |text| if effect.kind == "delete" { Path::new(text).into_folder() } else { Path::new(text) };
        effect.spellings().any(|text| self.confirm.added_entries().any(|entry| entry.covers(&path(text))))
    }

    /// The entries of `blocked` as written, without those that remove paths.
    ///
    /// Lets searches over many files skip most of them: a path can only be a secret if its last name matches an entry's
    /// last name.
    pub fn blocked(&self) -> impl Iterator<Item = &str> {
        self.blocked.texts()
    }

    fn find_entry<'a>(&self, list: &'a Entries, effect: &Effect) -> Option<&'a str> {
        let whole = match effect.kind.as_str() {
            "read" | "delete" => true,
            "write" => effect.tag("directory").is_none(),
            _ => false,
        };
        let path = |text| if whole { Path::new(text).into_folder() } else { Path::new(text) };
        let is_deletion = effect.kind == "delete";
        // A tree or archive that is written below a home folder rarely contains startup files.
        let names_files = effect.tag("tree").is_none() && effect.tag("archive").is_none();
        let counts = |entry: &str, text: &str| {
            !entry.starts_with("~/")
                || names_files && self.covering_entry(list, &Path::new(text), is_deletion) == Some(entry)
        };
        // Absolute `!` entries only match the absolute spelling. Entries below the home match the one with `~`.
        let is_absolute = effect.path.lexical.starts_with('/');
        let is_meant = |entry: &str, text: &str| !is_absolute || text.starts_with('/') || entry.starts_with("~/");
        effect.spellings().chain(effect.tag("home")).find_map(|text| {
            let entry = self.covering_entry(list, &path(text), is_deletion);
            entry.filter(|entry| is_meant(entry, text) && counts(entry, text))
        })
    }

    fn find<'a>(&self, list: &'a Entries, path: &str) -> Option<&'a str> {
        self.covering_entry(list, &Path::new(path), false)
    }

    fn covering_entry<'a>(&self, list: &'a Entries, path: &Path<'_>, is_deletion: bool) -> Option<&'a str> {
        // Lazy, because few paths are covered by an entry and are templates.
        let template = LazyCell::new(|| self.exempt.covering_entries(path).any(|exempt| !exempt.is_widened()));
        // A template in a listed folder is covered, unless settings name it.
        let named = LazyCell::new(|| {
            self.exempt.covering_entries(path).any(|exempt| exempt.is_added() && !exempt.is_widened())
        });
        // A wildcard that happens to match a folder lifts only entries of the settings, not the default ones in it.
        let widened = LazyCell::new(|| self.exempt.covering_entries(path).any(Entry::is_widened));
        let counts = |entry: &&Entry| match entry.is_folder() {
            _ if entry.is_added() && *widened => false,
            true if *named => false,
            true if entry.text() == ".claude/" => !is_of_harness(path, is_deletion),
            true => !programs::is_new(entry.text(), path.last_component()),
            false => !*template,
        };
        list.covering_entries(path).find(counts).map(Entry::text)
    }
}

/// Returns whether the path is in a folder for a harness's output or notes, and not in a `.claude/` further down.
fn is_of_harness(path: &Path<'_>, is_deletion: bool) -> bool {
    let is_covered = |folders: &[&str]| folders.iter().any(|folder| path.is_covered_by(folder));
    (is_covered(defaults::MADE) || !is_deletion && is_covered(defaults::NOTED)) && path.count(".claude") == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(paths: &[&str]) -> Vec<&'static str> {
        let lists = Lists::default();
        let verdict = |path: &&str| match (lists.secret(path), lists.sensitive(path)) {
            (Some(_), _) => "secret",
            (None, Some(_)) => "sensitive",
            _ => "plain",
        };
        paths.iter().map(verdict).collect()
    }

    #[track_caller]
    fn all(expected: &str, paths: &[&str]) {
        for (path, verdict) in paths.iter().zip(verdicts(paths)) {
            assert_eq!(verdict, expected, "{path}");
        }
    }

    #[test]
    fn secrets_are_found_at_any_depth_and_in_any_case() {
        all("secret", &[".env", "/repo/app/.env", ".env.local", ".ENV", "certs/X.PEM", "server.key", "~/.ssh/id_rsa"]);
        all("secret", &["id_rsa.pub", "config/secrets.yaml", "credentials.json", "sub/.git/config", ".git//config"]);
        all("secret", &["./.env", "a/../.env", ".git/./config", "~/.ssh/", ".ssh/*", "/home/u/.ssh/deep/er"]);
    }

    #[test]
    fn neighbours_of_secrets_are_plain() {
        all("plain", &["environment.ts", "src/.envrc.md", "pem.rs", "x.pem.md", "keyboard.ts", ".keys/readme"]);
        all("plain", &["test_id_rsa_parser.rs", "secrets.yml.example", "credentials.json.md", ".gitconfig.md"]);
        all("plain", &["my.ssh/x", ".ssh", "git/config", "src/main.ts", "", "/", "x.github/a", "src/Makefile.rs"]);
    }

    #[test]
    fn tokens_of_guard_host_are_secrets() {
        all("secret", &["~/.local/state/guard-host/serve.token", "/etc/guard-host/remote.token"]);
        all("secret", &["~/.config/guard-host/ship.env", "/etc/guard-host/*.token"]);
        all("plain", &["guard-host/docs/serve.token.md", "src/serve.token", "guard-host/token.rs", "srv/ship.env"]);
        all("plain", &["guard-host/README.md", "src/guard-host/*", "src/guard-host/*.rs"]);
    }

    #[test]
    fn templates_are_plain_unless_their_folder_is_listed() {
        all("plain", &[".env.example", ".env.local.sample", "app/.env.template", ".env.dist", "x.key.example"]);
        all("secret", &[".ssh/config.example"]);
    }

    #[test]
    fn steering_files_are_sensitive() {
        all(
            "sensitive",
            &["package-lock.json", "sub/yarn.lock", "Dockerfile", "Dockerfile.dev", ".github/workflows/a"],
        );
        all("sensitive", &["Makefile", "a/Cargo.toml", ".claude/commands/x.md", "compose.yaml", "/etc/hosts"]);
    }

    #[test]
    fn what_a_harness_noted_and_made_steers_nothing() {
        all("plain", &["~/.claude/projects/-x/memory/a.md", ".claude/worktrees/a/src/b.rs", ".claude/todos/1.json"]);
        all(
            "sensitive",
            &[".claude/worktrees/a/.claude/agents/b.md", ".claude/projects", ".claude/worktrees/a/Makefile"],
        );
    }

    #[test]
    fn wildcards_that_reach_for_a_secret_count() {
        all(
            "secret",
            &[
                ".e*",
                ".en*",
                ".env*",
                ".env?",
                ".[e]nv",
                ".[eE]*",
                "*.pem",
                "id_r*",
                "creden*.json",
                ".ssh*/x/../id_rsa",
            ],
        );
        all("plain", &["*", "*.json", "*.rs", "src/*", ".*", "?????", "*.y*"]);
    }

    #[test]
    fn a_name_that_a_pattern_spells_whole_counts() {
        all("secret", &["*.env*", "src/*.env", "*.netrc"]);
        all("plain", &["*env*", "*.e*", "*.envx*", "*.environment*"]);
    }

    #[test]
    fn a_set_stands_for_its_characters_alone() {
        all(
            "secret",
            &[
                ".[a-f]nv",
                ".[!a]nv",
                "id_[rd]sa",
                ".[[:alpha:]]nv",
                "[.]env",
                "id_[[:lower:]0-9]sa",
                ".E[NM]V",
                ".e[n]v",
            ],
        );
        all(
            "plain",
            &["[12][0-9][0-9][0-9]", ".[x-z]nv", ".[!e]nv", "[a-z]env", ".e[0-9]v", "id_[0-9]sa", ".[[:digit:]]nv"],
        );
    }

    #[test]
    fn an_entry_from_the_home_covers_no_file_of_a_project() {
        all("secret", &["~/.npmrc", "/home/u/.npmrc", "$HOME/.npmrc", "/Users/u/.zsh_history"]);
        all("secret", &["/home/staff/u/.npmrc", "/home/example.org/u/.npmrc", "/mnt/old/home/u/.npmrc"]);
        all("secret", &["/run/media/me/disk/home/u/.npmrc", "/mnt/Users/u/.npmrc", "/home/users/u/.yarnrc.yml"]);
        all("plain", &[".npmrc", "/repo/.npmrc", "/home/u/repo/.npmrc", "/root2/.npmrc", "a/~/.npmrc"]);
        all("plain", &["/home/jo.doe/repo/.npmrc", "/home/dev/repo/.npmrc", "/mnt/data/repo/.npmrc"]);
        all("plain", &["/home/staff/u/repo/.npmrc", "/srv/www/home/.npmrc", "/home/team/repo/sub/.npmrc"]);
    }

    #[test]
    fn a_new_program_of_a_person_takes_the_place_of_no_other() {
        all(
            "sensitive",
            &["~/.local/bin/git", "~/bin/LS", "/home/u/.cargo/bin/rg", "~/bin/python3.exe", "~/bin/git-x"],
        );
        all("sensitive", &["~/.local/bin/*", "~/.local/bin/$X", "/usr/local/bin/sops", "/opt/x/bin/y"]);
        all("plain", &["~/.local/bin/sops", "~/bin/x.sh", "/home/u/.cargo/bin/mytool", "~/.local/bin/gitx"]);
    }

    #[test]
    fn hostile_lengths_stay_cheap() {
        let long = format!("{}.env", "a/*".repeat(60_000));
        assert_eq!(verdicts(&[&long, &"*".repeat(100_000), &".env".repeat(30_000)]), ["secret", "plain", "plain"]);
    }
}
