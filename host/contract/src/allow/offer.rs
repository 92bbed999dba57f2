//! Which allows would end a question, and why none would.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Allow, GIT, Here, IN_SCRIPT, is_from_script, is_of_git, is_row_of_commands, is_without_file, root_command,
};
use crate::Layer;
use crate::call::{Dialect, ToolCall};
use crate::policy::SELF_PROTECT;
use crate::syntax::{Analysis, Command, Coverage, Effect, Redirection, Script, Severity, Word};
use crate::verdict::{Attributed, Verdict};

/// The narrowest allows that could lift the asks of a verdict: one for each command of the call. Empty if no allow covers
/// one of the commands. Whether they do says [`lift`].
#[must_use]
pub fn narrowest(verdict: &Verdict, analysis: &Analysis, within: &str) -> Vec<Allow> {
    let rules = asking_rules(verdict);
    if !analysis.commands.iter().all(can_be_covered) {
        return Vec::new();
    }
    let mut effects: BTreeMap<u32, Vec<&Effect>> = BTreeMap::new();
    for effect in analysis.effects.iter().filter(|effect| !effect.path.project_relative.is_empty()) {
        effects.entry(effect.command_id).or_default().push(effect);
    }
    let parts = analysis.commands.iter().map(|command| {
        let of_it = effects.get(&command.id).map_or(&[][..], Vec::as_slice);
        let is_of_files = |effect: &Effect| effect.command_id != command.id || !effect.path.project_relative.is_empty();
        // Patterns of files say nothing about other effects, so all words have to be the same.
        split(command, if analysis.effects.iter().all(is_of_files) { of_it } else { &[] })
    });
    let mut seen = BTreeSet::new();
    let distinct = parts.filter(|parts| seen.insert(parts.clone()));
    let allow = |(words, targets)| Allow {
        rules: rules.clone(),
        targets,
        within: within.to_owned(),
        ..Allow::for_command(Layer::User, words)
    };
    distinct.map(allow).collect()
}

/// The allows that lift the asks of calls like this one, too, from the wider to the narrower: by the first two words of
/// each command, and by patterns of what its effects are done to. Whether they lift these says [`lift`].
///
/// A command that loses something is not widened beyond the folders of its files.
#[must_use]
pub fn wider(verdict: &Verdict, analysis: &Analysis, within: &str) -> Vec<Vec<Allow>> {
    if let Some(of_script) = script_allows(verdict, analysis, within) {
        return vec![of_script];
    }
    let narrowest = narrowest(verdict, analysis, within);
    let Some(template) = narrowest.first() else { return Vec::new() };
    let by_verb: Option<Vec<Allow>> =
        analysis.commands.iter().map(|command| allow_by_verb(command, analysis, template)).collect();
    let by_common_folder = by_verb.as_deref().and_then(|allows| allow_by_common_folder(allows, analysis));
    let has_targets = narrowest.iter().any(|allow| !allow.targets.is_empty());
    let by_folders = has_targets.then(|| narrowest.iter().map(widen_to_folders).collect());
    let mut all: Vec<Vec<Allow>> = by_verb.into_iter().chain(by_common_folder).chain(by_folders).collect();
    all.retain(|allows| *allows != narrowest);
    all.dedup();
    all
}

/// The allows for commands that run scripts of the project, as long as these do nothing else than now.
fn script_allows(verdict: &Verdict, analysis: &Analysis, within: &str) -> Option<Vec<Allow>> {
    let roots = || analysis.commands.iter().filter(|command| root_command(command, analysis) == command.id);
    let is_harmless = |effect: &Effect| matches!(effect.severity, Severity::Routine | Severity::Notable);
    if roots().count() == analysis.commands.len() || !analysis.effects.iter().all(is_harmless) {
        return None;
    }
    let allow = |command: &Command| {
        let is_of = |effect: &&Effect| {
            let own = analysis.commands.iter().find(|other| other.id == effect.command_id);
            own.is_some_and(|own| root_command(own, analysis) == command.id)
        };
        let operations: BTreeSet<String> =
            analysis.effects.iter().filter(is_of).map(|effect| effect.operation.clone()).collect();
        Allow {
            rules: asking_rules(verdict),
            effects: operations.into_iter().collect(),
            within: within.to_owned(),
            ..Allow::for_command(Layer::User, command.argv.iter().map(|word| word.text.clone()).collect())
        }
    };
    Some(roots().map(allow).collect())
}

/// The rules that ask, each once.
pub(super) fn asking_rules(verdict: &Verdict) -> Vec<String> {
    let rules: BTreeSet<String> = verdict.asks().map(Attributed::rule).collect();
    rules.into_iter().collect()
}

/// The allow for the first two words of a command and the operations of its effects, if the command loses nothing.
fn allow_by_verb(command: &Command, analysis: &Analysis, template: &Allow) -> Option<Allow> {
    let effects: Vec<&Effect> = analysis.effects.iter().filter(|effect| effect.command_id == command.id).collect();
    let is_harmless = |effect: &&Effect| matches!(effect.severity, Severity::Routine | Severity::Notable);
    if effects.is_empty() || !effects.iter().all(is_harmless) {
        return None;
    }
    let program = command.argv.first()?;
    let verb = command.argv.get(1).filter(|word| is_verb(word))?;
    if effects.iter().any(|effect| effect.target == verb.text) {
        return None;
    }
    let operations: BTreeSet<String> = effects.iter().map(|effect| effect.operation.clone()).collect();
    Some(Allow {
        command: vec![program.text.clone(), verb.text.clone()],
        targets: Vec::new(),
        effects: operations.into_iter().collect(),
        ..template.clone()
    })
}

/// The allow for everything in the folder that has the targets of all effects, such as the branches below `feature/`.
fn allow_by_common_folder(allows: &[Allow], analysis: &Analysis) -> Option<Vec<Allow>> {
    let [allow] = allows else { return None };
    let mut folders = analysis.effects.iter().map(|effect| effect.target.rsplit_once('/').map(|(folder, _)| folder));
    let folder = folders.next()??;
    let is_common = folders.all(|other| other == Some(folder));
    let is_relative = !folder.contains("://") && !folder.starts_with('/');
    (is_common && is_relative).then(|| vec![Allow { targets: vec![format!("{folder}/**")], ..allow.clone() }])
}

/// The allow with the folder of each target in its place.
fn widen_to_folders(allow: &Allow) -> Allow {
    let folder = |target: &String| match target.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/**"),
        None => target.clone(),
    };
    let targets: BTreeSet<String> = allow.targets.iter().map(folder).collect();
    Allow { targets: targets.into_iter().collect(), ..allow.clone() }
}

/// A word that may be a verb of its program: `push`, `db:migrate`.
fn is_verb(word: &Word) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':');
    word.text.starts_with(|first: char| first.is_ascii_alphabetic()) && word.text.chars().all(is_plain) && !word.dynamic
}

/// A word that is known, and neither an address nor an option that leads elsewhere or runs something: where something is
/// sent to, and what runs, is for the person to say.
pub(super) fn is_plain_word(word: &Word, program: &str) -> bool {
    /// The permitted options of `git`. Its other options may be shortened, and some of them run a program.
    const OF_GIT: &[&str] =
        &["--", "-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress"];
    const ELSEWHERE: &[&str] = &["-R", "--repo", "--host", "--registry", "--config", "--exec"];
    let text = word.text.as_str();
    let is_address = text.contains("://")
        || text.split_once('@').is_some_and(|(_, rest)| rest.contains(':') && !rest.starts_with(':'));
    let is_option = match text.starts_with('-') {
        true if program == "git" => OF_GIT.contains(&text),
        true => !ELSEWHERE.iter().any(|option| text.starts_with(option)),
        false => true,
    };
    !word.dynamic && !word.glob && !is_address && is_option
}

/// Why no allow covers a call, as the rest of a sentence after "because".
#[must_use]
pub fn obstacle(verdict: &Verdict, (call, here): (&ToolCall, Here<'_>), analysis: Option<&Analysis>) -> String {
    let Some((text, dialect)) = call.command() else {
        return format!("an allow covers shell commands, and this is a call of {}", call.tool);
    };
    let unliftable = verdict.asks().find(|ask| ask.policy == SELF_PROTECT || ask.of_host);
    if let Some(unliftable) = unliftable {
        return format!("{} asks, which no allow lifts", unliftable.rule());
    }
    if dialect != Dialect::Bash || !is_row_of_commands(text) {
        return "the text has more than plain commands in a row, such as a loop, a group, a test or an expansion"
            .to_owned();
    }
    let Some(analysis) = analysis.filter(|found| found.coverage == Coverage::Complete) else {
        return "not all of the text is understood".to_owned();
    };
    let is_in_words = |script: &Script| {
        let mut words = analysis.commands.iter().flat_map(|command| &command.argv);
        words.any(|word| word.text.contains(&script.text))
    };
    if !analysis.scripts.iter().all(is_in_words) {
        return "it runs a script whose text isn't in the command".to_owned();
    }
    for command in &analysis.commands {
        let name = command.argv.first().map_or("", |word| word.text.as_str());
        let unknown = command.argv.iter().find(|word| word.dynamic || word.glob);
        let leads_away = command.redirections.iter().find(|redirection| !writes_no_file(redirection));
        let is_whole = |effect: &&Effect| effect.command_id == command.id && effect.path.project_relative == ".";
        let whole = analysis.effects.iter().find(is_whole);
        let outside = analysis.effects.iter().find(|effect| {
            effect.command_id == command.id
                && (!effect.path.canonical.is_empty() || effect.kind == GIT && !is_without_file(effect))
                && effect.path.project_relative.is_empty()
                && !is_of_git(effect, here.cwd, here.root)
        });
        if is_from_script(command) {
            if let Some(obstacle) = obstacle_in_script(command, analysis) {
                return obstacle;
            }
        } else if let Some(via) = command.via.first() {
            return format!("`{name}` runs through `{}`", via.kind);
        } else if let Some(word) = unknown {
            return format!("only the run shows what `{}` is", word.text);
        } else if !command.assignments.is_empty() {
            return format!("a variable is set for `{name}`");
        } else if let Some(redirection) = leads_away {
            return format!("its output goes to `{}`", redirection.target.text);
        } else if command.cwd != here.cwd {
            return format!("`{name}` runs after a `cd`");
        } else if let Some(effect) = whole {
            return format!("`{}` is the whole project", effect.target);
        } else if let Some(effect) = outside {
            return format!("`{}` is outside of the project", effect.target);
        }
    }
    let is_guess = |effect: &Effect| analysis.commands.iter().any(|other| other.parent == effect.command_id);
    let in_script = analysis.commands.iter().find(|command| is_from_script(command));
    if let Some(command) =
        in_script.filter(|_| analysis.effects.iter().all(|effect| effect.certain || is_guess(effect)))
    {
        return format!("{}, and only an allow with `effects` covers a script", run_by_script(command));
    }
    let is_unresolved = |effect: &&Effect| effect.path.canonical.is_empty() && !is_without_file(effect);
    let unresolved = analysis.effects.iter().filter(is_unresolved).find(|effect| effect.kind != GIT);
    match (analysis.effects.iter().find(|effect| !effect.certain), unresolved) {
        (Some(guessed), _) => format!("only the run shows its effect `{}`", guessed.operation),
        (None, Some(effect)) => format!("only the run shows where `{}` leads", effect.target),
        _ if analysis.commands.iter().any(|command| !command.certain) => {
            "only the run shows all of its commands".to_owned()
        }
        _ => "a policy asks that your allows don't apply to".to_owned(),
    }
}

/// Why no allow covers a call that runs this command in a script of the project.
fn obstacle_in_script(command: &Command, analysis: &Analysis) -> Option<String> {
    let runs = run_by_script(command);
    let mut own = analysis.effects.iter().filter(|effect| effect.command_id == command.id);
    if own.any(|effect| !matches!(effect.severity, Severity::Routine | Severity::Notable)) {
        return Some(format!("{runs}, and an allow for a script covers nothing that loses work or data"));
    }
    let way = command.via.iter().find(|via| !IN_SCRIPT.contains(&via.kind.as_str()));
    let leads_away = command.redirections.iter().find(|redirection| !stays_in_script(redirection));
    if let Some(way) = way {
        Some(format!("{runs} through `{}`", way.kind))
    } else if !command.certain {
        Some(format!("only the run shows whether {runs}"))
    } else if !command.assignments.is_empty() {
        Some(format!("{runs} with a variable set for it"))
    } else {
        leads_away.map(|redirection| format!("{runs} with its output in `{}`", redirection.target.text))
    }
}

/// Which script runs the command, as in "`deploy.sh` runs `vercel --prod`".
fn run_by_script(command: &Command) -> String {
    let script = command.via.first().map_or("", |via| via.detail.rsplit('/').next().unwrap_or_default());
    let words = command.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    format!("`{script}` runs `{words}`")
}

/// The words of a command up to the first file that it changes, and those files, relative to the project. `effects` are
/// the command's, on files of the project.
fn split(command: &Command, effects: &[&Effect]) -> (Vec<String>, Vec<String>) {
    let is_file = |word: &Word| effects.iter().any(|effect| effect.target == word.text);
    let first = command.argv.iter().skip(1).position(is_file).map_or(command.argv.len(), |at| at + 1);
    let words = command.argv.iter().take(first).map(|word| word.text.clone()).collect();
    let mut targets: Vec<String> = match first < command.argv.len() {
        true => effects.iter().map(|effect| effect.path.project_relative.clone()).collect(),
        false => Vec::new(),
    };
    targets.sort();
    targets.dedup();
    (words, targets)
}

/// Returns whether an allow can cover the command: no other command starts it, and its output goes to no file.
pub(super) fn can_be_covered(command: &Command) -> bool {
    let is_plain = command.certain && command.via.is_empty() && command.parent == 0 && command.assignments.is_empty();
    is_plain && command.redirections.iter().all(writes_no_file)
}

/// Returns whether a command in a script gets its input from the script, and writes its output to no file.
pub(super) fn stays_in_script(redirection: &Redirection) -> bool {
    redirection.operator == "<<<" && !redirection.target.dynamic || writes_no_file(redirection)
}

/// Returns whether the output is discarded, or goes where other output goes.
pub(super) fn writes_no_file(redirection: &Redirection) -> bool {
    let target = &redirection.target;
    let is_number = !target.text.is_empty() && target.text.bytes().all(|byte| byte.is_ascii_digit());
    let is_output = redirection.operator.contains('>') && !redirection.operator.contains('<');
    is_output && !target.dynamic && (target.text == "/dev/null" || is_number && redirection.operator == ">&")
}
