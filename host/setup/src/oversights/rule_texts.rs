//! Finds parts of rules in CEL and Rego that can't have an effect, although the policies accept them: Rego rules that
//! nothing reads, relative paths where harnesses give absolute ones, and several words where `argv` has one.
//!
//! Only the texts are read. Names and values that no call can have are refused by the policies themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use guard_config::problem::entry_location;
use guard_contract::Problem;
use guard_contract::policy::{Entry, Source};
use regex_lite::Regex;
use serde_json::Value;

use super::{tools, warning};

/// The policies whose settings are rules.
const CEL: &str = "cel";
const REGO: &str = "rego";

/// The rules that `rego` reads.
const HEADS: [&str; 4] = ["deny", "ask", "warn", "allow"];

/// The start of a rule that has findings or a condition. A function or a constant may be a note for readers.
static RULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^([A-Za-z_]\w*)(?:\[[^\]\n]*\])?[ \t]+(?:contains\b|if\b|:=[^\n]*\bif\b|=[^\n]*\bif\b)").ok()
});

/// The package of a module.
static PACKAGE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^package[ \t]+([\w.]+)").ok());

/// A name in a module.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z_]\w*").ok());

/// A comparison of the start of an input path with a text.
static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?:\b(file_path|notebook_path)\.startsWith\(\s*|startswith\([^,()]*\b(file_path|notebook_path)\s*,\s*)["'`]([^"'`\n]*)["'`]"#,
    )
    .ok()
});

/// A test whether several plain words are one word of a command.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"["'`]([a-z][\w-]*(?: [\w-]+)+)["'`]\s+in\s+[\w.\[\]]*\bargv\b|\bargv\[\w*\]\s*==\s*["'`]([a-z][\w-]*(?: [\w-]+)+)["'`]"#,
    )
    .ok()
});

/// Returns a problem for each part without an effect.
pub(super) fn without_effect(entry: &Entry) -> Vec<Problem> {
    let Source::Builtin(builtin) = &entry.source else { return Vec::new() };
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let texts = match builtin.as_str() {
        CEL => conditions(&settings),
        REGO => modules(&settings),
        _ => return Vec::new(),
    };
    let unread = if builtin == REGO { unread_rules(&texts) } else { tools::excluded_rules(entry, &settings) };
    let file = &entry.settings_source.file;
    let place = match file.ends_with("guard.toml") {
        true => entry_location(file, &entry.name),
        false => file.display().to_string(),
    };
    let problem = |(text, hint): (String, String)| Problem {
        layer: entry.layer,
        ..warning(place.clone(), format!("policy `{}`: {text}", entry.name), hint)
    };
    unread.into_iter().chain(relative_starts(&texts)).chain(joined_words(&texts)).map(problem).collect()
}

/// Returns the conditions of rules in CEL.
fn conditions(settings: &Value) -> Vec<&str> {
    let rules = settings.get("rules").and_then(Value::as_array).into_iter().flatten();
    rules.filter_map(|rule| rule.get("when")?.as_str()).collect()
}

/// Returns the modules in Rego, without their tests.
fn modules(settings: &Value) -> Vec<&str> {
    let files = settings.get("files").and_then(Value::as_object).into_iter().flatten();
    let files = files.filter(|(path, _)| !path.ends_with("_test.rego")).filter_map(|(_, text)| text.as_str());
    settings.get("text").and_then(Value::as_str).into_iter().chain(files).collect()
}

/// Returns a problem for each rule in the package that is read whose name is in no other place, and for each other
/// package with a rule that looks like a verdict.
fn unread_rules(modules: &[&str]) -> Vec<(String, String)> {
    let (Some(rule), Some(package), Some(name)) = (&*RULE, &*PACKAGE, &*NAME) else { return Vec::new() };
    let code: Vec<String> = modules.iter().map(|text| without_comments(text)).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    code.iter().flat_map(|text| name.find_iter(text)).for_each(|found| *uses.entry(found.as_str()).or_default() += 1);
    let is_read = |text: &&String| {
        package.captures(text).is_some_and(|found| found.get(1).is_some_and(|it| it.as_str() == "guard"))
    };
    let mut heads: BTreeMap<&str, usize> = BTreeMap::new();
    let rules = code.iter().filter(is_read).flat_map(|text| rule.captures_iter(text)).filter_map(|found| found.get(1));
    rules.for_each(|head| *heads.entry(head.as_str()).or_default() += 1);
    let known = HEADS.map(|head| format!("`{head}`")).join(", ");
    let unread = heads.iter().filter(|(name, count)| {
        !HEADS.contains(name) && !["default", "import", "package"].contains(name) && uses.get(*name) == Some(count)
    });
    let unread = unread.map(|(name, _)| {
        let text = format!("the Rego rule `{name}` has no effect: nothing reads it");
        (text, format!("name it after its outcome, {known}, or use it in such a rule"))
    });
    let others = code.iter().filter_map(|text| {
        let own = package.captures(text)?.get(1)?.as_str();
        let head =
            rule.captures_iter(text).filter_map(|found| found.get(1)).find(|head| HEADS.contains(&head.as_str()))?;
        let path = format!("data.{own}");
        let is_unread = own != "guard" && !code.iter().any(|text| text.contains(&path));
        let text = format!("the Rego rule `{}` in `package {own}` has no effect: nothing reads it", head.as_str());
        is_unread.then(|| (text, "write `package guard`, whose rules are read".to_owned()))
    });
    unread.chain(others).collect()
}

/// Returns a module without its comments. A text that contains `#` may lose its end, which only hides a use.
fn without_comments(text: &str) -> String {
    let code = |line: &str| match line.trim_start().starts_with('#') {
        true => String::new(),
        false => line.to_owned(),
    };
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

/// Returns a problem for each relative path with which an input's path is compared.
fn relative_starts(texts: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for captures in texts.iter().flat_map(|text| START.iter().flat_map(|start| start.captures_iter(text))) {
        let key = captures.get(1).or_else(|| captures.get(2)).map_or("", |key| key.as_str());
        let path = captures.get(3).map_or("", |path| path.as_str());
        if path.is_empty() || path.starts_with(['/', '~', '\\']) || path.get(1..2) == Some(":") {
            continue;
        }
        let text =
            format!("no `{key}` of Claude Code and most other harnesses begins with `{path}`: it is an absolute path");
        let hint = "compare `path.project_relative` of the effects in `analysis.effects`".to_owned();
        if !found.contains(&(text.clone(), hint.clone())) {
            found.push((text, hint));
        }
    }
    found
}

/// Returns a problem for each text of several words that is looked for among the words of a command.
fn joined_words(texts: &[&str]) -> BTreeSet<(String, String)> {
    let found = texts.iter().flat_map(|text| WORDS.iter().flat_map(|words| words.captures_iter(text)));
    let joined = found.filter_map(|found| found.get(1).or_else(|| found.get(2)));
    let problem = |joined: &str| {
        let words = joined.split(' ').map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let text = format!("`argv` has one entry for each word, so it only has `{joined}` if that is quoted");
        (text, format!("look for each word by itself: {words}"))
    };
    joined.map(|joined| problem(joined.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rego_rule_that_nothing_reads_is_known() {
        for (text, names) in [
            ("package guard\nwarn contains \"x\" if false\ndenied contains \"y\" if input.x\n", &["denied"][..]),
            ("package guard\ndeny if blocked\nblocked if input.x\nforbid[\"x\"] := \"y\" if input.y\n", &["forbid"]),
            (
                "package guard\n# denied is for later\ndeny if false\ndenied contains \"y\"\ndenied contains \"z\"\n",
                &["denied"],
            ),
            ("package guard\nimport data.lib\ndeny if lib.bad\n", &[]),
            ("package lib\nbad if input.x\n", &[]),
            (
                "package guard\ndefault allow := false\nallow if count(names) > 0\nnames contains x if some x in input.y\n",
                &[],
            ),
            (
                "package guard\ndeny contains msg if {\n\tsome msg in reasons\n}\n\nreasons contains \"x\" if input.x\n",
                &[],
            ),
            ("package guard\ndeny if f(1)\nf(x) if x > 1\nlimit := 5\n", &[]),
        ] {
            let found = unread_rules(&[text]);
            assert_eq!(found.len(), names.len(), "{text}{found:?}");
            assert!(found.iter().zip(names).all(|((text, _), name)| text.contains(&format!("`{name}`"))), "{found:?}");
        }
    }

    #[test]
    fn a_path_that_is_compared_with_a_relative_one_is_known() {
        for text in [
            "input.file_path.startsWith('migrations/')",
            "has(input.file_path) && input.file_path.startsWith(\"db\")",
            "startswith(input.input.file_path, \"db/\")",
        ] {
            assert_eq!(relative_starts(&[text, text]).len(), 1, "{text}");
        }
        for text in [
            "input.file_path.startsWith('/repo/db')",
            "input.file_path.startsWith(context.project_root + '/db/')",
            "input.file_path.contains('migrations/')",
            "startswith(effect.path.project_relative, \"db/\")",
            "input.command.startsWith('db')",
            "startswith(input.input.file_path, prefix)",
        ] {
            assert_eq!(relative_starts(&[text]), [], "{text}");
        }
    }

    #[test]
    fn several_words_in_place_of_one_are_known() {
        for text in [
            "analysis.commands.exists(c, 'npm publish' in c.argv)",
            "\"git push --force\" in input.analysis.commands[_].argv",
            "some c in input.analysis.commands\n\tc.argv[_] == \"npm publish\"",
            "c.argv[1] == 'push --force'",
        ] {
            assert_eq!(joined_words(&[text, text]).len(), 1, "{text}");
        }
        for text in [
            "'publish' in c.argv",
            "'--force' in c.argv && c.argv[1] == 'push'",
            "c.argv.exists(word, word.contains('npm publish'))",
            "'npm publish' in data.commands",
            "'Fixes a bug' in c.argv",
            "input.command.contains('npm publish')",
        ] {
            assert_eq!(joined_words(&[text]), BTreeSet::new(), "{text}");
        }
    }
}
