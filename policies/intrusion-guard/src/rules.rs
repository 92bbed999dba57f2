//! The rules in the order of their reports.

mod attack_tool;
mod code;
mod credential_search;
mod credential_store;
mod drop_site;
mod foreign_file_sent;
mod foreign_library;
mod files_encrypted;
mod foreign_permissions;
mod forged_time;
mod hidden_code;
mod hidden_name;
mod history_off;
mod injected_text;
mod input_capture;
mod host_namespace;
pub(crate) mod literal_secret;
mod log_erased;
mod output_sent;
mod packet_capture;
mod process_memory;
mod quarantine_removed;
mod raw_connection;
pub(crate) mod reconnaissance;
mod remote_access;
mod renamed_program;
mod service_killed;
mod setuid_file;
mod shell_escape;
mod shell_on_connection;
mod starts_later;
mod sudo_trick;
mod tunnel;
mod typed_password;
mod unknown_host;
mod unseen_program;

use guard_sdk::{Error, Finding, Rule};

use crate::view::View;

/// Checks the call.
type Check = fn(&View<'_>) -> Option<Hit>;

/// A rule with its class.
pub(crate) struct Entry {
    class: &'static str,
    pub(crate) rule: &'static Rule,
    pub(crate) check: Check,
}

/// Generates the list of the rules, and the list with their classes and checks.
macro_rules! rules {
    ($($class:literal: $($module:ident),*;)*) => {
        /// Every rule.
        pub(crate) const RULES: &[Rule] = &[$($($module::RULE,)*)*];

        /// Every rule with its class and its check.
        pub(crate) const ALL: &[Entry] =
            &[$($(Entry { class: $class, rule: &$module::RULE, check: $module::check },)*)*];
    };
}

rules! {
    "remote-control": shell_on_connection;
    "exfiltration": foreign_file_sent, output_sent, drop_site, literal_secret;
    "credential-access": credential_store, credential_search, process_memory, packet_capture, input_capture, typed_password;
    "remote-control": tunnel, remote_access, shell_escape, raw_connection, injected_text, unknown_host;
    "persistence": starts_later;
    "escalation": attack_tool, unseen_program, foreign_library, host_namespace, setuid_file, foreign_permissions, sudo_trick;
    "covering-tracks": history_off, log_erased, service_killed, hidden_code, hidden_name, renamed_program, forged_time, quarantine_removed;
    "impact": files_encrypted;
    "reconnaissance": reconnaissance;
}

/// Returns the names of rules, with each class replaced by its rules.
pub(crate) fn expand_classes(names: &[String]) -> Result<Vec<String>, Error> {
    let mut rules = Vec::new();
    for name in names {
        let before = rules.len();
        let covered = ALL.iter().filter(|entry| entry.class == name || entry.rule.id == name);
        rules.extend(covered.map(|entry| entry.rule.id.to_owned()));
        if rules.len() == before {
            let mut known: Vec<&str> = ALL.iter().map(|entry| entry.rule.id).collect();
            known.extend(ALL.iter().map(|entry| entry.class));
            known.dedup();
            return Err(format!("unknown name `{name}`, expected one of `{}`", known.join("`, `")).into());
        }
    }
    Ok(rules)
}

/// A rule's hit on a call.
pub(crate) struct Hit {
    message: String,
    remedy: &'static str,
}

impl Hit {
    pub(crate) fn new(message: impl Into<String>, remedy: &'static str) -> Self {
        Hit { message: message.into(), remedy }
    }

    pub(crate) fn into_finding(self, rule: &Rule) -> Finding {
        Finding::new(rule, self.message).remedy(self.remedy)
    }
}
