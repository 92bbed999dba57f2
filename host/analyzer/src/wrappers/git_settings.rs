//! git settings in a call, and the settings whose value git runs.

use guard_sdk::syntax::{Part, Word};

use super::layer::{Layer, Place, Runnable, joined, spelled, takes};
use crate::options::{Options, leading, parse};
use crate::word::expand::literal;

/// A setting in a call.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The name in lower case.
    pub(crate) name: String,
    pub(crate) value: Word,
    /// Whether it persists after the call.
    pub(crate) stays: bool,
}

/// The options before the subcommand.
pub(crate) const GLOBAL: Options =
    takes("Cc", "git-dir work-tree namespace exec-path super-prefix config-env attr-source").exactly();

/// `clone` options with a value.
pub(crate) const CLONE: Options = Options::new(
    "obucj",
    "origin branch upload-pack config depth template reference reference-if-able separate-git-dir filter jobs \
     shallow-since shallow-exclude server-option bundle-uri",
);

/// `config` options with a value.
pub(crate) const CONFIG: Options = Options::new("f", "file blob type default value comment url");

/// git settings whose value is a program: full names, and the endings of names with a variable part.
const PROGRAMS: &[&str] = &[
    "core.alternaterefscommand",
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.pager",
    "core.sshcommand",
    "credential.helper",
    "diff.external",
    "gpg.program",
    "gpg.ssh.defaultkeycommand",
    "interactive.difffilter",
    "sendemail.cccmd",
    "sendemail.headercmd",
    "sendemail.sendmailcmd",
    "sendemail.smtpserver",
    "sendemail.tocmd",
    "sequence.editor",
    "uploadpack.packobjectshook",
];
const PROGRAM_ENDS: &[(&str, &str)] = &[
    ("browser.", ".cmd"),
    ("credential.", ".helper"),
    ("diff.", ".command"),
    ("diff.", ".textconv"),
    ("difftool.", ".cmd"),
    ("filter.", ".clean"),
    ("filter.", ".process"),
    ("filter.", ".smudge"),
    ("gpg.", ".program"),
    ("guitool.", ".cmd"),
    ("hook.", ".command"),
    ("man.", ".cmd"),
    ("merge.", ".driver"),
    ("mergetool.", ".cmd"),
    ("pager.", ""),
    ("remote.", ".receivepack"),
    ("remote.", ".uploadpack"),
    ("tar.", ".command"),
    ("trailer.", ".cmd"),
    ("trailer.", ".command"),
];

/// Settings whose value is a file or folder with further settings, hooks or programs.
const LEADS: &[(&str, &str)] = &[
    ("core.hookspath", ""),
    ("include.path", ""),
    ("includeif.", ".path"),
    ("init.templatedir", ""),
    ("browser.", ".path"),
    ("difftool.", ".path"),
    ("man.", ".path"),
    ("mergetool.", ".path"),
];

/// The setting name used for a program in an address.
const TRANSPORT: &str = "remote.*.uploadpack";

/// Sections with programs.
const SECTIONS: &[&str] = &["alias", "core", "credential", "diff", "filter", "include", "pager", "sequence"];

/// Returns whether the value of this setting, in lower case, is a program, possibly only after `!`.
pub(crate) fn is_program(name: &str) -> bool {
    PROGRAMS.contains(&name) || fits(PROGRAM_ENDS, name)
}

fn fits(table: &[(&str, &str)], name: &str) -> bool {
    table.iter().any(|(start, end)| {
        let between = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        between.is_some_and(|between| !between.is_empty() || end.is_empty() && !start.ends_with('.'))
    })
}

impl Setting {
    pub(crate) fn is_alias(&self) -> bool {
        self.name.starts_with("alias.")
    }

    /// Returns whether git runs the value, or programs it refers to. A pager may also be a boolean.
    pub(crate) fn decides_what_runs(&self) -> bool {
        let text = self.value.text.as_str();
        let switch = matches!(text, "" | "true" | "false" | "yes" | "no" | "on" | "off" | "0" | "1");
        let shell = text.starts_with('!');
        let updates = self.name.starts_with("submodule.") && self.name.ends_with(".update");
        let program = is_program(&self.name) && !(switch && self.name != "core.sshcommand");
        program || self.name.ends_with(".*") || fits(LEADS, &self.name) || shell && (updates || self.is_alias())
    }

    /// Returns whether the value is a file with further settings.
    pub(crate) fn reads_more(&self) -> bool {
        self.name == "include.path" || self.name.starts_with("includeif.") && self.name.ends_with(".path")
    }

    /// Returns whether it is an address's program, which git starts for each connection.
    pub(crate) fn is_transport(&self) -> bool {
        self.name == TRANSPORT
    }

    /// Returns the text that becomes shell, if any.
    pub(crate) fn command(&self) -> Option<Word> {
        let shell = self.value.text.strip_prefix('!');
        if self.is_alias() {
            return self.stays.then(|| expansion(&self.value));
        }
        let updates = self.name.starts_with("submodule.") && self.name.ends_with(".update");
        let runs = is_program(&self.name) || updates && shell.is_some();
        runs.then(|| shell.map_or_else(|| self.value.clone(), literal))
    }
}

/// Returns the expansion of an alias, as shell.
pub(crate) fn expansion(value: &Word) -> Word {
    match value.text.strip_prefix('!') {
        Some(text) => literal(text),
        None => joined(&[literal("git"), value.clone()]),
    }
}

/// Returns the settings in the words after `git`.
pub(crate) fn given(words: &[Word]) -> Vec<Setting> {
    let options = leading(words, GLOBAL);
    let mut found = Vec::new();
    for flag in &options.flags {
        if flag.is("c") {
            found.extend(pair(flag.text(), false));
        } else if flag.is("config-env")
            && let Some((name, variable)) = flag.text().split_once('=')
        {
            found.push(Setting { name: name.to_ascii_lowercase(), value: of_variable(variable), stays: false });
        }
    }
    let Some((verb, rest)) = options.rest.split_first() else { return found };
    match verb.text.as_str() {
        "clone" => {
            let parsed = parse(rest, CLONE, false);
            found.extend(parsed.values("c", "config").filter_map(|value| pair(&value.text, true)));
        }
        "config" => found.extend(configured(rest)),
        _ => {}
    }
    if matches!(verb.text.as_str(), "remote" | "submodule") {
        let programs = rest.iter().filter_map(|word| word.text.strip_prefix("ext::"));
        found.extend(programs.map(|text| Setting { name: TRANSPORT.to_owned(), value: literal(text), stays: true }));
    }
    if matches!(verb.text.as_str(), "clone" | "init") {
        let parsed = parse(rest, CLONE, false);
        let template = parsed.value("", "template").filter(|folder| !folder.text.is_empty());
        found.extend(template.map(|folder| Setting {
            name: "init.templatedir".to_owned(),
            value: literal(&folder.text),
            stays: false,
        }));
    }
    found
}

/// `git -c alias.x='!TEXT' x WORDS`. An alias can't replace a git subcommand.
pub(super) fn alias(argv: &[Word]) -> Option<Layer> {
    let words = argv.get(1..)?;
    let verb = leading(words, GLOBAL).rest.first()?.text.to_ascii_lowercase();
    let settings = given(words);
    let setting = settings.iter().find(|setting| setting.name.strip_prefix("alias.") == Some(verb.as_str()))?;
    expanded(argv, &setting.value)
}

/// Returns the layer of a git call whose subcommand is an alias of this text.
pub(crate) fn expanded(argv: &[Word], value: &Word) -> Option<Layer> {
    let (verb, words) = leading(argv.get(1..)?, GLOBAL).rest.split_first()?;
    if crate::programs::is_verb_of_git(&verb.text.to_ascii_lowercase()) {
        return None;
    }
    let words: Vec<Word> = words.iter().map(spelled).collect();
    let text = joined(&[std::slice::from_ref(&expansion(value)), words.as_slice()].concat());
    Some(Layer::one("alias", &verb.text, Runnable::Text { text, parameters: None }, Place::Apart))
}

/// Returns the alias that a git call defines, with its value.
pub(crate) fn defined(words: &[Word]) -> Option<(String, Word)> {
    let setting = given(words).into_iter().find(|setting| setting.stays && setting.is_alias())?;
    Some((setting.name.strip_prefix("alias.")?.to_owned(), setting.value))
}

fn pair(text: &str, stays: bool) -> Option<Setting> {
    let (name, value) = text.split_once('=')?;
    Some(Setting { name: name.to_ascii_lowercase(), value: literal(value), stays })
}

/// Reads `git config NAME VALUE`, `git config set NAME VALUE` or `git config --add NAME VALUE`.
fn configured(words: &[Word]) -> Option<Setting> {
    let parsed = parse(words, CONFIG, false);
    let reads = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "unset", "unset-all", "remove-section"];
    let set = parsed.text(0) == "set";
    if reads.iter().any(|name| parsed.is("", name) || !set && parsed.text(0) == *name) {
        return None;
    }
    // The settings in a section get other names.
    let renames = parsed.is("", "rename-section") || parsed.text(0) == "rename-section";
    if let (true, Some(new)) = (renames, parsed.operands.last()) {
        let section = new.text.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let name = format!("{section}.*");
        return SECTIONS.contains(&section.as_str()).then(|| Setting { name, value: literal("!"), stays: true });
    }
    let name = parsed.operands.get(usize::from(set)).filter(|name| name.text.contains('.'))?;
    let value = parsed.operands.get(usize::from(set) + 1)?;
    Some(Setting { name: name.text.to_ascii_lowercase(), value: value.word.clone(), stays: true })
}

fn of_variable(name: &str) -> Word {
    let part = Part { kind: "variable".to_owned(), text: name.to_owned(), quoted: false };
    Word { text: format!("${name}"), dynamic: true, quoted: false, glob: false, parts: vec![part] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        text.split_whitespace().map(literal).collect()
    }

    fn first(text: &str) -> Setting {
        given(&words(text)).into_iter().next().unwrap()
    }

    #[test]
    fn a_setting_counts_wherever_it_is_given() {
        for (text, name, value, stays) in [
            ("-c core.Pager=x log", "core.pager", "x", false),
            ("clone -cA.b=x u", "a.b", "x", true),
            ("clone --config a.b=x u", "a.b", "x", true),
            ("clone u --config=a.b=x", "a.b", "x", true),
            ("config --global a.b x", "a.b", "x", true),
            ("-C d config set --local a.b x", "a.b", "x", true),
            ("--config-env=a.b=V log", "a.b", "$V", false),
        ] {
            let setting = first(text);
            assert_eq!(
                (setting.name.as_str(), setting.value.text.as_str(), setting.stays),
                (name, value, stays),
                "{text}"
            );
        }
        for text in ["config a.b", "config --get a.b x", "config unset a.b", "clone u c", "log -c a.b=x"] {
            assert!(given(&words(text)).is_empty(), "{text}");
        }
    }

    #[test]
    fn settings_that_decide_what_runs_are_told_from_others() {
        for text in [
            "config diff.a.textconv x",
            "config merge.a.b.driver x",
            "config gpg.x509.program x",
            "config pager.log x",
            "config include.path x",
            "config includeIf.gitdir:/a/.path x",
            "config submodule.a.update !x",
            "config alias.a !x",
            "config tar.tar.gz.command x",
        ] {
            assert!(first(text).decides_what_runs(), "{text}");
        }
        for text in [
            "config pager.log false",
            "config alias.a status",
            "config submodule.a.update rebase",
            "config diff.tool x",
            "config merge.ff only",
            "config core.fsmonitor true",
            "config user.name x",
            "config diff.a.binary true",
            "config remote.origin.url x",
        ] {
            assert!(!first(text).decides_what_runs(), "{text}");
        }
    }
}
