//! Variables whose value is a command that the next program runs, or further arguments.

use guard_sdk::git::PROGRAM_VARIABLES;
use guard_sdk::syntax::{Assignment, Span, Via, Word};

use super::output::Input;
use super::started::values;
use super::{Walker, embedded};
use crate::languages::ex;
use crate::limits;
use crate::sources::{self, OPEN_TO_ALL, is_own_program};
use crate::word::expand::{Values as _, literal};
use crate::wrappers;
use crate::wrappers::git_settings;
use crate::wrappers::layer::{Runnable, program, quoted};

/// Variables whose value some program runs, besides git's.
const COMMANDS: &[&str] = &[
    "AWS_PAGER",
    "BASH_ENV",
    "BAT_PAGER",
    "BROWSER",
    "CVSEDITOR",
    "CVS_RSH",
    "DELTA_PAGER",
    "DIFFPAGER",
    "EDITOR",
    "ENV",
    "FCEDIT",
    "FZF_DEFAULT_COMMAND",
    "GH_BROWSER",
    "GH_EDITOR",
    "GH_PAGER",
    "GLAB_PAGER",
    "HGEDITOR",
    "HGMERGE",
    "KUBE_EDITOR",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "NIX_PAGER",
    "P4DIFF",
    "P4EDITOR",
    "PROMPT_COMMAND",
    "PSQL_EDITOR",
    "PSQL_PAGER",
    "PS0",
    "PS1",
    "PS4",
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SVN_EDITOR",
    "SVN_SSH",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER",
    "VISUAL",
];

/// Variables that a shell expands before another use. Only substitutions in them run.
const EXPANDED: &[&str] = &["BASH_ENV", "ENV", "PS0", "PS1", "PS4"];

/// Variables with a library or code file that the next program loads.
const LOADED: &[&str] = &[
    "BASH_ENV",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CC",
    "CXX",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "EMACSLOADPATH",
    "ENV",
    "GCONV_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_TEMPLATE_DIR",
    "GTK_MODULES",
    "LD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "MAKEFILES",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "QT_PLUGIN_PATH",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "R_PROFILE",
    "R_PROFILE_USER",
    "ZDOTDIR",
    "npm_config_script_shell",
];

/// Variables that contain options, and their options with a code file.
const OPTIONS: &[(&str, &[&str])] = &[
    ("NODE_OPTIONS", &["--require", "-r", "--import", "--loader", "--experimental-loader"]),
    ("RUBYOPT", &["-r"]),
    ("PERL5OPT", &["-M"]),
    ("JAVA_TOOL_OPTIONS", &["-javaagent:", "-agentpath:"]),
    ("_JAVA_OPTIONS", &["-javaagent:", "-agentpath:"]),
    ("GOFLAGS", &["-toolexec=", "-exec="]),
];

/// The start of the reason for a loaded file. A policy matches it.
const LOADS: &str = "a variable has the program load code from a folder that everybody may write to: ";

/// Variables with folders that are searched for programs or modules.
const SEARCHED: &[&str] = &["PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "GIT_EXEC_PATH", "GEM_PATH"];

/// Returns whether some program runs the value of this variable.
fn is_command(name: &str) -> bool {
    COMMANDS.contains(&name) || PROGRAM_VARIABLES.contains(&name)
}

/// Returns whether some program runs, loads or searches the value of this variable.
pub(super) fn is_read_by_programs(name: &str) -> bool {
    let is_option = OPTIONS.iter().any(|(known, _)| *known == name);
    is_option || is_command(name) || [LOADED, SEARCHED].iter().any(|names| names.contains(&name)) || name == "HOME"
}

/// Returns the code file in a variable's value if it gets loaded and is in a world-writable folder. Files below the
/// call's working directory belong to the project.
fn loaded_from_anywhere<'v>(name: &str, value: &'v str, start: &str) -> Option<&'v str> {
    let open = |path: &&str| sources::is_open_to_all(path, start);
    if LOADED.contains(&name) {
        return value.split([':', ';', ' ']).map(|path| path.trim_start_matches('@')).find(open);
    }
    let (_, options) = OPTIONS.iter().find(|(known, _)| *known == name)?;
    let words: Vec<&str> = value.split_whitespace().collect();
    let inline = words.iter().filter_map(|word| {
        let rest = options.iter().find_map(|option| word.strip_prefix(option))?;
        Some(rest.trim_start_matches('='))
    });
    let apart = words.windows(2).filter_map(|pair| match pair {
        [option, path] if options.contains(option) => Some(*path),
        _ => None,
    });
    inline.chain(apart).find(open)
}

/// Returns the command in a variable's value that contains more than a command.
fn content(name: &str, value: &str, key: impl Fn(&str) -> Option<String>) -> Option<String> {
    let setting = |key: &str, value: &str| {
        let setting = git_settings::Setting { name: key.to_ascii_lowercase(), value: literal(value), stays: true };
        setting.command().map(|command| command.text)
    };
    if let Some(number) = name.strip_prefix("GIT_CONFIG_VALUE_") {
        return setting(&key(&format!("GIT_CONFIG_KEY_{number}"))?, value);
    }
    match name {
        "GIT_CONFIG_PARAMETERS" => {
            let (key, text) = value.trim_matches('\'').split_once('=')?;
            setting(key.trim_matches('\''), text.trim_matches('\''))
        }
        "VIMINIT" | "GVIMINIT" | "EXINIT" => ex::acts(value).into_iter().find_map(|act| match act {
            ex::Action::Shell(command) => Some(command),
            _ => None,
        }),
        "MAKEFLAGS" | "GNUMAKEFLAGS" => {
            let (_, text) = value.split_once("--eval=")?;
            let command = text.split_once(';').map_or_else(
                || text.split_once("$(shell ").map(|(_, rest)| rest.trim_end_matches(')')),
                |(_, rest)| Some(rest),
            );
            command.map(str::to_owned)
        }
        "GOFLAGS" => {
            let (_, text) = value.split_once("-toolexec=").or_else(|| value.split_once("-exec="))?;
            Some(text.to_owned())
        }
        "RUSTC_WRAPPER" | "RUSTC_WORKSPACE_WRAPPER" => Some(value.to_owned()),
        "PERL5DB" => Some(format!("perl -e {}", quoted(value))),
        // `-MModule;CODE`.
        "PERL5OPT" => {
            let (_, code) = value.split_once("-M")?.1.split_once(';')?;
            Some(format!("perl -e {}", quoted(code)))
        }
        "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS" | "JAVA_OPTS" | "MAVEN_OPTS" | "GRADLE_OPTS" => {
            value.contains("-XX:On").then(|| format!("java {value}"))
        }
        // Further arguments of a program.
        "LESS" => Some(format!("less {}", quoted(value))),
        "FZF_DEFAULT_OPTS" => Some(format!("fzf {value}")),
        "MANOPT" => Some(format!("man {value}")),
        _ if name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER")) => {
            Some(value.to_owned())
        }
        // A function that the shell imports from its environment.
        _ if name.starts_with("BASH_FUNC_") => {
            value.split_once('{').map(|(_, body)| body.trim_end().trim_end_matches('}').to_owned())
        }
        _ => None,
    }
}

/// Returns the program that git runs, or the folder in which it searches for programs, because of a setting in its
/// environment.
fn led_to(name: &str, value: &str, key: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (key, text) = match name.strip_prefix("GIT_CONFIG_VALUE_") {
        Some(number) => (key(&format!("GIT_CONFIG_KEY_{number}"))?, value),
        None if name == "GIT_CONFIG_PARAMETERS" => {
            let (key, text) = value.split_once('=')?;
            (key.trim_matches('\'').to_owned(), text)
        }
        None if name == "GIT_EXEC_PATH" => return Some(format!("{value}/")),
        None => return None,
    };
    let value = literal(text.trim_matches('\''));
    let setting = git_settings::Setting { name: key.to_ascii_lowercase(), value, stays: false };
    setting.decides_what_runs().then_some(setting.value.text)
}

/// Splits a variable's value into words. A backslash or quotes escape a blank.
fn fields(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (char, None) if char.is_whitespace() => found.extend(word.take().map(|word| literal(&word))),
            ('"' | '\'', None) => quote = Some(char),
            (char, Some(open)) if char == open => quote = None,
            (char, _) => word.get_or_insert_default().push(char),
        }
    }
    found.extend(word.map(|word| literal(&word)));
    found
}

/// Programs that read further arguments from a variable.
const MORE_WORDS: &[(&[&str], &str)] = &[(&["tar", "gtar"], "TAR_OPTIONS"), (&["zip"], "ZIPOPT"), (&["gzip"], "GZIP")];

/// Programs that read file names from a list, and the options for the list.
const LISTS: &[(&[&str], &[&str])] = &[
    (&["tar", "gtar", "bsdtar"], &["-T", "--files-from"]),
    (&["rsync"], &["--files-from"]),
    (&["wc", "du", "sort", "gwc", "gdu", "gsort"], &["--files0-from"]),
    (&["git"], &["--pathspec-from-file"]),
];

impl Walker {
    /// Walks the values that a command's program runs. The command was just listed.
    pub(super) fn run_variables(&mut self, id: u32) {
        let Some(place) = usize::try_from(id).ok().and_then(|id| id.checked_sub(1)) else { return };
        let Some(command) = self.found.commands.get(place) else { return };
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
        let all: Vec<(String, Word)> = given.chain(declared).take(limits::VARIABLES).collect();
        let mut loaded = all.iter().filter_map(|(name, value)| loaded_from_anywhere(name, &value.text, &self.start));
        let loaded = loaded.next().map(str::to_owned);
        let searched = all.iter().filter(|(name, _)| SEARCHED.contains(&name.as_str()));
        let mut folders =
            searched.flat_map(|(_, value)| value.text.split(':')).filter(|folder| folder.starts_with('/'));
        let planted = folders.find(|folder| self.fills(folder, id)).map(str::to_owned);
        let key = |name: &str| {
            let own = all.iter().find(|(known, _)| known == name).map(|(_, key)| key.text.clone());
            own.or_else(|| self.shell.value(name).map(|key| key.text.clone()))
        };
        let mut started = all.iter().filter_map(|(name, value)| {
            let led = || led_to(name, &value.text, key);
            let text = if is_command(name) { Some(value.text.clone()) } else { led() };
            sources::unread_program(&text?, &self.start).map(str::to_owned)
        });
        let started = started.rfind(|path| self.files.get(path).is_none());
        let mut found: Vec<(String, Word)> = Vec::new();
        for (name, value) in &all {
            let text = || content(name, &value.text, key).filter(|_| !value.dynamic).map(|text| literal(&text));
            let text = if is_command(name) { Some(value.clone()) } else { text() };
            let text = text.or_else(|| self.lost_by_variable(name, value).filter(|_| !exported));
            found.extend(text.map(|text| (name.clone(), text)));
        }
        if let Some(path) = loaded.or(planted).or(started) {
            self.partial(&format!("{LOADS}{path}"));
        }
        for (name, value) in found {
            // A bare word is a helper.
            let bare = |char: char| char.is_ascii_alphanumeric() || "-_./+:".contains(char);
            let text = value.text.trim_start_matches(['|', '-']).to_owned();
            let expanded = EXPANDED.contains(&name.as_str());
            if wrappers::loses_files(&text) && !expanded {
                // The files passed to it are unknown.
                let helper = literal(&format!("xargs {text}"));
                self.run_variable(id, name, &helper, span);
                continue;
            }
            if text.chars().all(bare) && !is_own_program(&text) || (expanded && !text.contains(['`', '('])) {
                continue;
            }
            let value = if expanded {
                literal(&format!(": \"{text}\""))
            } else if text.len() < value.text.len() && !value.dynamic {
                literal(&text)
            } else {
                value
            };
            self.run_variable(id, name, &value, span);
        }
    }

    /// Walks the value of a variable as a command that may run.
    fn run_variable(&mut self, id: u32, name: String, value: &Word, span: Span) {
        let parent = std::mem::replace(&mut self.scope.parent, id);
        let certain = std::mem::replace(&mut self.scope.certain, false);
        self.scope.via.push(Via { kind: "variable".to_owned(), detail: name });
        self.apart(|walker| walker.run_text(value, span));
        self.scope.via.pop();
        self.scope.certain = certain;
        self.scope.parent = parent;
    }

    /// Returns the value of a variable as a command, if the variable is named like one that some program runs and the
    /// command would lose something.
    fn lost_by_variable(&self, name: &str, value: &Word) -> Option<Word> {
        let is_candidate = !value.dynamic && value.text.contains(' ') && embedded::variable_names_command(name);
        let what = || Runnable::Text { text: value.clone(), parameters: None };
        (is_candidate && self.loses(&what())).then(|| value.clone())
    }

    /// Returns whether an earlier command writes to a world-writable folder.
    fn fills(&self, folder: &str, id: u32) -> bool {
        let open = OPEN_TO_ALL.iter().any(|open| folder.starts_with(open));
        let inside = |text: &str| text.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1);
        let mut before = self.found.commands.iter().filter(|command| command.id < id).take(limits::VARIABLES);
        open && before.any(|command| {
            let redirected =
                command.redirections.iter().any(|found| found.operator.starts_with('>') && inside(&found.target.text));
            let writes = matches!(
                command.program(),
                "cp" | "mv" | "ln" | "install" | "tee" | "curl" | "wget" | "chmod" | "touch"
            );
            redirected || writes && command.argv.iter().skip(1).any(|word| inside(&word.text))
        })
    }

    /// Replaces `git --config-env=NAME=VARIABLE` with `-c NAME=VALUE` if the value is known.
    fn set_from_environment(&self, argv: &mut Vec<Word>, assignments: &[Assignment]) {
        let Some(at) = argv.iter().take(limits::FIRST_WORDS).position(|word| word.text.starts_with("--config-env"))
        else {
            return;
        };
        let joined = argv.get(at).and_then(|word| word.text.strip_prefix("--config-env="));
        let setting = joined.or_else(|| argv.get(at + 1).map(|word| word.text.as_str()));
        let Some((key, variable)) = setting.and_then(|setting| setting.rsplit_once('=')) else { return };
        let given = assignments.iter().rev().find(|assignment| assignment.name == variable);
        let value =
            given.map(|given| given.value.clone()).or_else(|| self.shell.value(variable).map(|word| word.into_owned()));
        let Some(value) = value.filter(|value| !value.dynamic) else { return };
        let words = [literal("-c"), literal(&format!("{key}={}", value.text))];
        let end = if joined.is_some() { at + 1 } else { at + 2 };
        drop(argv.splice(at..end, words));
    }

    /// Adds the names that a program reads from a list written by this text.
    pub(super) fn add_listed(&self, argv: &mut Vec<Word>, input: &Input) {
        let Some(name) = program(argv) else { return };
        let Some((_, options)) = LISTS.iter().find(|(programs, _)| programs.contains(&name)) else { return };
        let words = argv.get(1..).unwrap_or_default();
        let Some(file) = options.iter().find_map(|option| values(words, option).into_iter().next()) else { return };
        let written = || {
            let path = self.path_of(&file)?;
            let content = self.files.get(&path)?;
            let is_part = content.appends && !self.is_absent(&path);
            (!is_part).then(|| content.text.text.clone())
        };
        let text = if file.text == "-" { input.text().map(str::to_owned) } else { written() };
        // `rsync` resolves the names below its first operand.
        let root = words.iter().find(|word| name == "rsync" && !word.text.starts_with('-') && word.text != file.text);
        let root = root.and_then(|root| self.shell.plain(root)).map(|root| format!("{}/", root.trim_end_matches('/')));
        let root = root.unwrap_or_default();
        let text = text.unwrap_or_default();
        let names = text.split(['\n', '\0']).map(str::trim).filter(|name| !name.is_empty()).take(limits::LINES);
        let names: Vec<Word> = names.map(|name| literal(&format!("{root}{name}"))).collect();
        if name == "rsync" { drop(argv.splice(1..1, names)) } else { argv.extend(names) }
    }

    /// Adds the arguments that a program reads from a variable.
    pub(super) fn add_words(&mut self, argv: &mut Vec<Word>, assignments: &[Assignment]) {
        let Some(name) = program(argv) else { return };
        if name == "git" {
            return self.set_from_environment(argv, assignments);
        }
        let Some((_, variable)) = MORE_WORDS.iter().find(|(programs, _)| programs.contains(&name)) else { return };
        let given = assignments.iter().rev().find(|assignment| assignment.name == *variable);
        let value = match given {
            Some(assignment) => Some(assignment.value.clone()),
            None => self.shell.value(variable).map(|word| word.into_owned()),
        };
        match value.filter(|value| !value.dynamic) {
            Some(value) => drop(argv.splice(1..1, fields(&value.text))),
            None if given.is_some() || self.steering.contains(variable) => {
                self.partial(&format!("more words of the program stand in {variable}, whose value is not known"));
            }
            None => {}
        }
    }
}
