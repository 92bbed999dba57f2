//! The meaning of a command's name that is neither literal nor determined by the text.

use guard_sdk::syntax::Word;

use super::Walker;
use crate::limits;
use crate::options::leading;
use crate::programs;
use crate::word::expand::literal;
use crate::word::expand::parameter;
use crate::wrappers;
use crate::wrappers::git_settings;
use crate::wrappers::layer::{Layer, Place, Runnable, joined, program, spelled};

impl Walker {
    /// Replaces a name with its assumed meaning. Returns whether it did.
    pub(super) fn name_is_supposed(&mut self, argv: &mut Vec<Word>) -> bool {
        let Some(first) = argv.first().filter(|first| first.dynamic) else { return false };
        let words = defaults(first).or_else(|| {
            let found = named_after(argv)?;
            self.partial("the name of a command is known only at run time");
            Some(vec![found])
        });
        let Some(words) = words else { return false };
        argv.splice(..1, words);
        true
    }

    /// Returns the texts that a command's alias expands to.
    pub(super) fn unalias(&self, argv: &[Word]) -> Option<Layer> {
        let (first, rest) = argv.split_first()?;
        let is_literal = self.scope.expanding.contains(&first.text) || self.scope.as_written.contains(&first.text);
        if first.quoted || first.dynamic || is_literal {
            return None;
        }
        let mut layer = Layer { outer: None, runs: Vec::new() };
        for text in self.shell.aliased(&first.text) {
            let text = self.unaliased(text, rest);
            let mut one = Layer::one("alias", &first.text, Runnable::Text { text, parameters: None }, Place::Here);
            // A noninteractive shell may ignore aliases.
            one.runs.iter_mut().for_each(|run| run.certain = false);
            layer.runs.append(&mut one.runs);
        }
        (!layer.runs.is_empty()).then_some(layer)
    }

    fn unaliased(&self, text: &Word, mut rest: &[Word]) -> Word {
        let mut words = vec![text.clone()];
        // If a value ends with a blank, the next word is expanded as well.
        while words.last().is_some_and(|word| word.text.ends_with([' ', '\t']))
            && let Some((next, tail)) = rest.split_first()
            && let Some(text) = self.shell.aliased(&next.text).last()
        {
            if words.len() >= limits::CALL_DEPTH {
                limits::reached("too many aliases in one command");
                break;
            }
            words.push((**text).clone());
            rest = tail;
        }
        words.extend(rest.iter().map(spelled));
        joined(&words)
    }

    /// Records the alias that a git call defines.
    pub(super) fn keep_git_alias(&mut self, argv: &[Word]) {
        if program(argv) != Some("git") {
            return;
        }
        let Some((name, value)) = git_settings::defined(argv.get(1..).unwrap_or_default()) else { return };
        if self.git_aliases.len() < limits::VARIABLES || self.git_aliases.contains_key(&name) {
            self.git_aliases.insert(name, value);
        } else {
            self.partial("more aliases of git than are followed");
        }
    }

    /// Expands a git alias that this text defined in a call.
    pub(super) fn unalias_git(&self, argv: &[Word]) -> Option<Layer> {
        if self.git_aliases.is_empty() || program(argv) != Some("git") {
            return None;
        }
        let verb = leading(argv.get(1..)?, git_settings::GLOBAL).rest.first()?.text.to_ascii_lowercase();
        if self.scope.expanding.contains(&verb) {
            return None;
        }
        git_settings::expanded(argv, self.git_aliases.get(&verb)?)
    }
}

/// Returns the default in `${x:-rm}`, because the variable is unknown.
fn defaults(name: &Word) -> Option<Vec<Word>> {
    if !name.parts.iter().any(|part| part.kind == "variable") {
        return None;
    }
    let mut text = String::new();
    for part in &name.parts {
        match part.kind.as_str() {
            "literal" => text.push_str(&part.text),
            "variable" => {
                let default = parameter::default(&part.text)?.trim_matches(['"', '\'']);
                if default.contains(['$', '`', '"', '\'', '\\', '*', '?', '[']) {
                    return None;
                }
                text.push_str(default);
            }
            _ => return None,
        }
    }
    let words: Vec<Word> =
        if name.quoted { vec![literal(&text)] } else { text.split_whitespace().map(literal).collect() };
    (!words.is_empty()).then_some(words)
}

/// Returns the program that a variable such as `$KUBECTL` or `"$SHELL"` is named after, because its value is unknown.
fn named_after(argv: &[Word]) -> Option<Word> {
    let (first, rest) = argv.split_first()?;
    let mut parts = first.parts.iter().filter(|part| !part.text.is_empty());
    let part = parts.next()?;
    if part.kind != "variable" || parts.next().is_some() {
        return None;
    }
    let name = part.text.trim_start_matches(['$', '{']).trim_end_matches('}');
    let name = name.trim_end_matches("[@]").trim_end_matches("[*]");
    let text = rest.first().is_some_and(|option| option.text.starts_with('-') && option.text.ends_with('c'));
    let found = match name {
        "SHELL" | "BASH" => "bash".to_owned(),
        "0" if text => "bash".to_owned(),
        "TF" => "terraform".to_owned(),
        "PY" => "python3".to_owned(),
        "MAKE" | "EDITOR" | "PAGER" | "CC" | "CXX" => return None,
        _ if name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) => {
            name.to_ascii_lowercase()
        }
        _ => return None,
    };
    let known = wrappers::peel(&std::iter::once(literal(&found)).chain(rest.iter().cloned()).collect::<Vec<_>>(), None);
    (known.is_some() || programs::is_known(&found)).then(|| literal(&found))
}
