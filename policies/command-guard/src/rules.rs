//! The rules in the order of their reports: denies first, and specific rules before general ones.
//!
//! To add a rule, add a file in `rules/`, a line in the list below, and a table in `cases/`.

use std::collections::BTreeSet;

use guard_sdk::paths::last_name;
use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use crate::call_view::{CallView, Hit};

/// The input of a rule.
pub(crate) enum Check {
    /// Each effect by itself.
    Effect(fn(&Effect, &CallView<'_>) -> Option<Hit>),
    /// Each effect by itself, only because of its loss.
    Loss(fn(&Effect, &CallView<'_>) -> Option<Hit>),
    /// The whole call.
    Call(fn(&CallView<'_>) -> Option<Hit>),
}

/// A rule, its class in settings, and its check.
pub(crate) struct Entry {
    pub(crate) rule: Rule,
    pub(crate) class: &'static str,
    pub(crate) check: Check,
}

macro_rules! rules {
    ($($class:literal: $($rule:ident),+;)+) => {
        $($(mod $rule;)+)+

        /// Every rule, as listed in the manifest.
        pub(crate) const RULES: &[Rule] = &[$($($rule::RULE),+),+];

        /// Every rule with its class and its check.
        pub(crate) const ALL: &[Entry] =
            &[$($(Entry { rule: $rule::RULE, class: $class, check: $rule::CHECK }),+),+];
    };
}

rules! {
    "deletion": rm_root, rm_system, rm_home, rm_wildcard;
    "device": dd_to_device, write_block_device, make_filesystem;
    "git": git_reset_hard_remote, force_push_protected, delete_protected_branch;
    "database": drop_database, drop_schema_cascade, truncate_cascade;
    "container": docker_prune_volumes, docker_volume_prune;
    "secrets": shell_write_secret, shell_read_secret;
    "machine": fork_bomb, recursive_mode;
    "custom": custom;
    "general": catastrophic_effect;
    "deletion": rm_recursive_force, rm_recursive, rm_glob, many_to_one, shred_file;
    "git": git_push, git_reset_hard, git_clean, git_as_root, git_config_code;
    "publish": publish_package;
    "packages": new_package;
    "container": compose_down_volumes, docker_volume_rm, docker_system_prune, container_host_access;
    "database": drop_schema, drop_table, drop_object, truncate_table, delete_without_where, update_without_where;
    "service": service_stop, kubectl_delete, shared_state, system_change;
    "config": shell_write_config;
    "secrets": secret_printed, secret_mentioned;
    "code": pipe_to_shell, downloaded_code, dynamic_code, dynamic_command, inline_code, interactive_shell;
    "general": destructive_effect, unparsed_command;
}

/// Returns whether a rule or a class has this name.
pub(crate) fn is_known(name: &str) -> bool {
    ALL.iter().any(|entry| entry.rule.id == name || entry.class == name)
}

/// The names of all rules, followed by those of their classes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let classes: BTreeSet<&str> = ALL.iter().map(|entry| entry.class).collect();
    ALL.iter().map(|entry| entry.rule.id).chain(classes)
}

/// Returns whether `word` is one of the programs, regardless of its folder and case.
pub(crate) fn is_program(word: &str, programs: &[&str]) -> bool {
    let name = last_name(word);
    programs.iter().any(|program| program.eq_ignore_ascii_case(name))
}

/// Returns the outcome for a lost database: an ask at most, if it is one for tests on this machine.
pub(crate) fn outcome_on_database(default: Outcome, effect: &Effect) -> Outcome {
    if effect.tag("test-data").is_some() { Outcome::Ask } else { default }
}

/// Shells, which run the text that they are given.
pub(crate) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "busybox"];
