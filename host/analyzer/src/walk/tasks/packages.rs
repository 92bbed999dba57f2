//! The scripts of `package.json` that package managers and script runners run.

use guard_sdk::serde_json::Value;
use guard_sdk::syntax::Word;
use guard_sdk::task_runners::{TaskRunner, task_runner};

use super::workspaces::{self, Selection};
use super::{PACKAGERS, SCRIPTS, operands};
use crate::programs::named_tasks::{is_rehearsal, script_arguments};
use crate::walk::Walker;
use crate::walk::content::Content;
use crate::walk::started::{Started, values};
use crate::walk::written::{GOAL, SCRIPT};
use crate::word::expand::{literal, parameter};
use crate::wrappers::layer::quoted;

/// Options for the folder of the manifest.
const FOLDERS: &[&str] = &["--prefix", "-C", "--dir", "--cwd"];

/// A call of a package script.
pub(super) struct ScriptCall<'w> {
    program: &'w str,
    /// The script's name. Some programs take a pattern.
    pub(super) name: &'w str,
    /// The words that are appended to the script's text.
    given: Vec<&'w str>,
}

impl<'w> ScriptCall<'w> {
    /// Reads the words after a package manager.
    fn from_words(program: &'w str, words: &'w [Word]) -> Option<Self> {
        let runner = task_runner(program);
        let valued = [FOLDERS, runner.map_or(&[], TaskRunner::value_options)].concat();
        let operands: Vec<&str> = operands(words, &valued).collect();
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        // `yarn workspaces foreach run x` and similar.
        let script = runner.and_then(|runner| runner.tasks(&texts).first().map(|(_, task)| *task));
        let is_nested = |first: &&str| matches!(*first, "workspace" | "workspaces" | "recursive" | "multi" | "m");
        let script = script.filter(|_| operands.first().is_some_and(is_nested));
        let name = match script.or(operands.first().copied()).unwrap_or("install") {
            "run" | "run-script" | "rum" | "urn" => *operands.get(1)?,
            "t" | "tst" if program == "npm" => "test",
            "i" | "ci" | "add" | "it" => "install",
            other => other,
        };
        // The words after the script's name are appended to its text.
        let behind: Vec<&str> = texts.into_iter().skip_while(|word| *word != name).skip(1).collect();
        Some(ScriptCall { program, name, given: script_arguments(program, &behind) })
    }

    /// Returns the scripts that run, in order.
    fn scripts(&self, scripts: Option<&Value>) -> Vec<String> {
        let around = |name: &str| vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
        if let Some(pattern) = pattern(self.program, self.name) {
            let names = scripts.and_then(Value::as_object).into_iter().flat_map(|scripts| scripts.keys());
            return names.filter(|name| parameter::matches(&pattern, name)).flat_map(|name| around(name)).collect();
        }
        let mut names = around(self.name);
        match self.name {
            "install" => names.push("prepare".to_owned()),
            "publish" | "pack" => names.extend(["prepublishOnly", "prepack", "prepare", "postpack"].map(str::to_owned)),
            "restart" => names.extend(["stop", "start"].map(str::to_owned)),
            _ => {}
        }
        names
    }
}

/// Programs that run the scripts that match a pattern.
const MATCHERS: &[&str] = &["run-s", "run-p", "npm-run-all", "npm-run-all2", "concurrently", "conc", "bun"];

/// Returns a pattern for the scripts of a call that names them by one: `lint:*`, or `/^lint:/` for `pnpm`. It may match
/// more scripts than the program's own pattern.
fn pattern(program: &str, name: &str) -> Option<String> {
    if program == "pnpm" {
        let regex = name.strip_prefix('/')?.strip_suffix('/')?;
        let start = regex.strip_prefix('^').unwrap_or_default();
        let end = start.find(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, ':' | '-' | '_'));
        return Some(format!("{}*", start.get(..end.unwrap_or(start.len()))?));
    }
    if !MATCHERS.contains(&program) || !name.contains(['*', '?', '{']) {
        return None;
    }
    // An exclusion such as `*(!x)` or a list in braces narrows the pattern.
    let wide = name.split(['(', '{']).next().unwrap_or(name);
    Some(if wide.len() < name.len() { format!("{wide}*") } else { wide.to_owned() })
}

impl Walker {
    /// Returns the package scripts that a package manager's words run, in order: those of the nearest manifest, or those
    /// of the workspace packages that the words select.
    pub(super) fn package_scripts(&mut self, program: &str, words: &[Word]) -> Vec<Started> {
        let Some(call) = ScriptCall::from_words(program, words) else { return Vec::new() };
        // Other scripts run with this option.
        if call.name == "install" && words.iter().any(|word| word.text == "--ignore-scripts") {
            return Vec::new();
        }
        let folder = FOLDERS.iter().flat_map(|option| values(words, option)).next();
        self.scripts_of(folder.as_ref(), &call, workspaces::selection(program, words).as_ref())
    }

    /// Returns the package scripts named by a runner's operands.
    pub(super) fn named_scripts(&mut self, program: &str, words: &[Word]) -> Vec<Started> {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let tasks: Vec<&str> = match task_runner(program) {
            Some(runner) => runner.tasks(&texts).into_iter().map(|(_, task)| task).take(SCRIPTS).collect(),
            None => operands(words, &["-C", "--filter", "-F"]).filter(|name| *name != "run").take(SCRIPTS).collect(),
        };
        let selection = workspaces::selection(program, words);
        let mut found: Vec<Started> = Vec::new();
        for task in tasks {
            // `run-s "lint -- --fix"` has a script's arguments in the same word, and `turbo run api#lint` its package.
            let task = task.split(' ').next().unwrap_or(task);
            let (package, name) = task.split_once('#').map_or((None, task), |(package, name)| (Some(package), name));
            let name = name.split_once(':').filter(|(of, _)| PACKAGERS.contains(of)).map_or(name, |of| of.1);
            let own = package.map(Selection::of_package);
            let call = ScriptCall { program, name, given: Vec::new() };
            found.append(&mut self.scripts_of(None, &call, own.as_ref().or(selection.as_ref())));
        }
        found
    }

    fn scripts_of(&mut self, folder: Option<&Word>, call: &ScriptCall<'_>, of: Option<&Selection>) -> Vec<Started> {
        if let Some(found) = of.and_then(|selection| self.workspace_scripts(folder, call, selection)) {
            return found;
        }
        let manifest = self.nearest(folder, &["package.json"]);
        let mut found: Vec<Started> = self.scripts_in(manifest, call, of.is_none()).into_iter().collect();
        if call.name == "install" && of.is_none() {
            // An installation runs the scripts of all packages.
            found.extend(self.workspace_scripts(folder, call, &Selection::all()).into_iter().flatten());
        }
        found
    }

    /// Returns the scripts of a manifest that a call runs.
    pub(super) fn scripts_in(
        &mut self,
        manifest: Option<(String, Content)>,
        call: &ScriptCall<'_>,
        sure: bool,
    ) -> Option<Started> {
        let is_given = call.given.iter().any(|word| !is_rehearsal(word));
        let read = manifest.as_ref().and_then(|(path, content)| self.json(path, content));
        let whole_manifest = read.as_ref();
        let scripts = whole_manifest.and_then(|value| value.get("scripts"));
        let mut texts = Vec::new();
        // The call itself sets a script: `npm pkg set scripts.x=...`.
        let mut is_set = false;
        for name in call.scripts(scripts) {
            let set = self.files.get(&format!("{SCRIPT}{name}")).map(|content| content.text.text.clone());
            is_set |= set.is_some();
            let text = set.or_else(|| scripts?.get(&name)?.as_str().map(str::to_owned));
            // The script itself is in another table.
            let wired = text.as_deref().filter(|text| *text == "wireit").and(whole_manifest);
            let wired = wired.and_then(|value| value.get("wireit")?.get(&name)?.get("command")?.as_str());
            let text = wired.map(str::to_owned).or(text);
            texts.extend(text.map(|text| match name == call.name {
                true => call.given.iter().fold(text, |text, word| format!("{text} {}", quoted(word))),
                false => text,
            }));
        }
        let complete = manifest.as_ref().is_none_or(|(_, content)| content.complete);
        let is_preexisting = !is_set && manifest.as_ref().is_some_and(|(_, content)| content.is_preexisting);
        if texts.is_empty() && complete {
            return None;
        }
        let path = manifest.map_or_else(|| format!("{SCRIPT}{}", call.program), |(path, _)| path);
        let content =
            Content { complete, is_preexisting, is_excerpt: true, ..Content::known(literal(&texts.join("\n"))) };
        // Scripts run in the folder of their manifest.
        let folder = path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let name = format!("{path}{GOAL}{}", call.name);
        Some(Started { name, argv: Vec::new(), content, sure: sure && is_preexisting, is_given, folder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_script_names() {
        for (program, name, script, expected) in [
            ("run-s", "wipe:*", "wipe:a", true),
            ("run-p", "*:a", "wipe:a", true),
            ("run-s", "wipe:**", "wipe:a:b", true),
            ("concurrently", "wipe:*(!b)", "wipe:a", true),
            ("run-s", "wipe:*", "build:a", false),
            ("pnpm", "/^wipe:.*/", "wipe:a", true),
            ("pnpm", "/^wipe:.*/", "build", false),
            ("pnpm", "/pe/", "wipe", true),
        ] {
            let pattern = pattern(program, name).unwrap();
            assert_eq!(parameter::matches(&pattern, script), expected, "{program} {name} {script}");
        }
        for (program, name) in [("npm", "wipe:*"), ("run-s", "wipe"), ("pnpm", "wipe:*")] {
            assert!(pattern(program, name).is_none(), "{program} {name}");
        }
    }
}
