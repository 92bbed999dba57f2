//! Variables whose value is a command that the next program runs, or more words for it.

use guard_sdk::syntax::{Assignment, Via, Word};

use super::Walker;
use crate::word::expand::{Values as _, literal};
use crate::wrappers::program;

/// Variables whose value some program runs.
const COMMANDS: &[&str] = &[
    "BASH_ENV",
    "BROWSER",
    "EDITOR",
    "ENV",
    "FCEDIT",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "HGEDITOR",
    "KUBE_EDITOR",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "RSYNC_RSH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SVN_EDITOR",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER",
    "VISUAL",
];

/// Variables that a shell expands before it takes them for something else: only substitutions in them run.
const EXPANDED: &[&str] = &["BASH_ENV", "ENV", "PS0", "PS1", "PS4"];

/// Programs that read more of their words from a variable.
const MORE_WORDS: &[(&[&str], &str)] = &[(&["tar", "gtar"], "TAR_OPTIONS"), (&["zip"], "ZIPOPT"), (&["gzip"], "GZIP")];

impl Walker {
    /// Walks the values that programs run, of a command that was just listed.
    pub(super) fn run_variables(&mut self, id: u32) {
        let Some(place) = usize::try_from(id).ok().and_then(|id| id.checked_sub(1)) else { return };
        let Some(command) = self.commands.get(place) else { return };
        let exported = matches!(command.word(0), "export" | "declare" | "typeset");
        if command.assignments.is_empty() && !exported {
            return;
        }
        let names = command.assignments.iter().map(|assignment| assignment.name.as_str());
        let declared = command.argv.iter().skip(1).filter(|_| exported).map(|word| word.text.as_str());
        let names = names.chain(declared.map(|text| text.split('=').next().unwrap_or_default()));
        let names: Vec<&str> = names.collect();
        self.steering.extend(MORE_WORDS.iter().map(|(_, variable)| *variable).filter(|name| names.contains(name)));
        let given = command.assignments.iter().map(|assignment| (assignment.name.clone(), assignment.value.clone()));
        let declared = command.argv.iter().skip(1).filter(|_| exported).filter_map(|word| {
            let (name, value) = word.text.split_once('=')?;
            Some((name.to_owned(), literal(value)))
        });
        let span = command.span;
        let found: Vec<(String, Word)> =
            given.chain(declared).filter(|(name, _)| COMMANDS.contains(&name.as_str())).collect();
        for (name, value) in found {
            // A bare word names a helper.
            let bare = |char: char| char.is_ascii_alphanumeric() || "-_./+:".contains(char);
            let text = value.text.trim_start_matches(['|', '-']).to_owned();
            let expanded = EXPANDED.contains(&name.as_str());
            if text.chars().all(bare) || (expanded && !text.contains(['`', '('])) {
                continue;
            }
            let value = if expanded {
                literal(&format!(": \"{text}\""))
            } else if text.len() < value.text.len() && !value.dynamic {
                literal(&text)
            } else {
                value
            };
            let parent = std::mem::replace(&mut self.parent, id);
            let certain = std::mem::replace(&mut self.certain, false);
            self.via.push(Via { kind: "variable".to_owned(), detail: name });
            self.apart(|walker| walker.run_text(&value, span));
            self.via.pop();
            self.certain = certain;
            self.parent = parent;
        }
    }

    /// Adds the words that a program reads from a variable.
    pub(super) fn add_words(&mut self, argv: &mut Vec<Word>, assignments: &[Assignment]) {
        let Some(name) = program(argv) else { return };
        let Some((_, variable)) = MORE_WORDS.iter().find(|(programs, _)| programs.contains(&name)) else { return };
        let given = assignments.iter().rev().find(|assignment| assignment.name == *variable);
        let value = match given {
            Some(assignment) => Some(assignment.value.clone()),
            None => self.shell.value(variable).map(|word| word.into_owned()),
        };
        match value.filter(|value| !value.dynamic) {
            Some(value) => drop(argv.splice(1..1, value.text.split_whitespace().map(literal))),
            None if given.is_some() || self.steering.contains(variable) => {
                self.partial(&format!("more words of the program stand in {variable}, whose value is not known"));
            }
            None => {}
        }
    }
}
