//! Analyzes a call before policies are asked.
//!
//! The sandboxed analyzer reads commands. The host itself knows the effects of file tools. Then the host resolves each
//! effect's path.

use crate::{Facts, Resolver};
use crate::{disposable, folders, holds, losses, new_links, own_program, parent_steps};
use guard_contract::FaultKind;
use guard_contract::call::{CallContext, PATTERNS, ToolCall};
use guard_contract::paths::{below, is_below, trimmed};
use guard_contract::syntax::{Analysis, Coverage, Effect, Severity};
use guard_contract::unresolved;
use serde_json::Value;

/// The kinds of effects whose targets are files of this machine.
const FILE_KINDS: [&str; 4] = ["read", "write", "delete", "metadata"];

/// Creates an analysis without commands and effects.
#[must_use]
pub fn empty(coverage: Coverage, reason: Option<String>) -> Analysis {
    Analysis {
        coverage,
        reasons: reason.into_iter().collect(),
        commands: Vec::new(),
        effects: Vec::new(),
        scripts: Vec::new(),
    }
}

/// Analyzes a call. `read` analyzes a command in a dialect, and is only called if the call runs one.
pub fn analyze(
    call: &ToolCall,
    read: impl FnOnce(&str, &str) -> Result<Analysis, FaultKind>,
    at: &CallContext,
    facts: &dyn Facts,
    resolver: &Resolver,
) -> Analysis {
    let mut analysis = if let Some((command, dialect)) = call.command() {
        read(command, dialect.name())
            .unwrap_or_else(|fault| empty(Coverage::Unparsed, Some(format!("the analyzer failed: {fault}"))))
    } else if call.dialect.is_some() {
        empty(Coverage::Complete, None)
    } else {
        file_tool_analysis(call)
    };
    fill_paths(&mut analysis, facts, resolver);
    folders::mark(&mut analysis, facts, resolver, &at.cwd);
    parent_steps::mark(&mut analysis, facts, resolver);
    new_links::mark(&mut analysis, facts);
    tag_home(&mut analysis, &at.home);
    weigh_account_home(&mut analysis, &at.account_home);
    disposable::mark(&mut analysis, facts, resolver);
    disposable::unkept::mark(&mut analysis, facts);
    disposable::mark_discards(&mut analysis, facts, resolver, at);
    holds::mark(&mut analysis, facts, at);
    own_program::mark(&mut analysis, facts, &at.home);
    losses::mark(&mut analysis);
    analysis
}

/// The usual parents of home directories. Policies recognize homes below them by the path.
const HOMES: [&str; 3] = ["/home/", "/root", "/Users/"];

/// Adds the tag `home` to effects on files in a home directory that isn't in one of [`HOMES`].
fn tag_home(analysis: &mut Analysis, home: &str) {
    if home.len() < 2 || HOMES.iter().any(|usual| home.starts_with(usual)) {
        return;
    }
    for effect in analysis.effects.iter_mut().filter(|effect| FILE_KINDS.contains(&effect.kind.as_str())) {
        let path = &effect.path;
        let relative = [&path.lexical, &path.canonical].into_iter().find_map(|path| below(path, home));
        if let Some(rest) = relative.filter(|rest| !matches!(*rest, "" | ".")) {
            effect.tags.push(("home".to_owned(), format!("~/{rest}")));
        }
    }
}

/// Raises the severity of effects on the account's home. The analyzer only knows `HOME` and the usual locations of
/// homes.
fn weigh_account_home(analysis: &mut Analysis, home: &str) {
    if home.is_empty() {
        return;
    }
    for effect in analysis.effects.iter_mut().filter(|effect| effect.operation == "fs.delete.recursive") {
        let path = effect.path.lexical.strip_suffix("/*").unwrap_or(&effect.path.lexical);
        if !path.is_empty() && (is_below(home, path) || is_below(home, &effect.path.canonical)) {
            effect.severity = Severity::Catastrophic;
        }
    }
}

fn file_tool_analysis(call: &ToolCall) -> Analysis {
    let (kind, operation, severity) = match call.tool.as_str() {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => ("write", "fs.write", Severity::Notable),
        "Read" | "Glob" | "Grep" => ("read", "fs.read", Severity::Routine),
        "WebFetch" if call.input.get("url").is_some_and(Value::is_string) => {
            ("network", "network.request", Severity::Routine)
        }
        tool => return empty(Coverage::Partial, Some(format!("the host does not know what the tool `{tool}` does"))),
    };
    let effect = |path: &str| Effect {
        kind: kind.to_owned(),
        operation: operation.to_owned(),
        severity,
        target: path.to_owned(),
        path: unresolved(if kind == "network" { "" } else { path }),
        command_id: 0,
        certain: true,
        tags: vec![("by".to_owned(), call.tool.clone())],
    };
    let (patterns, all_told) = call.patterns();
    let mut targets: Vec<&str> = Vec::new();
    if kind == "network" {
        targets.extend(call.input.get("url").and_then(Value::as_str));
    }
    let named = (kind != "network").then(|| call.paths().chain(patterns.iter().map(String::as_str)));
    for path in named.into_iter().flatten() {
        // The harness may or may not trim white space around the file's name.
        for spelling in [path, trimmed(path)] {
            if !targets.contains(&spelling) && (!spelling.is_empty() || path.is_empty()) {
                targets.push(spelling);
            }
        }
    }
    let found = match all_told {
        true => empty(Coverage::Complete, None),
        false => empty(Coverage::Partial, Some(format!("more than {PATTERNS} patterns"))),
    };
    Analysis { effects: targets.into_iter().map(effect).collect(), ..found }
}

/// Fills in the `path` of each effect on a file of this machine.
pub fn fill_paths(analysis: &mut Analysis, facts: &dyn Facts, resolver: &Resolver) {
    for effect in &mut analysis.effects {
        let elsewhere = effect.tags.iter().any(|(name, _)| name == "where");
        let is_on_file = FILE_KINDS.contains(&effect.kind.as_str()) || disposable::depends_on_path(effect);
        if elsewhere || effect.path.raw.is_empty() || !is_on_file {
            continue;
        }
        if !resolver.has_room() {
            if analysis.coverage == Coverage::Complete {
                analysis.coverage = Coverage::Partial;
            }
            analysis.reasons.push(format!("more than {} paths", crate::PATHS));
            return;
        }
        effect.path = resolver.resolve(facts, &effect.path.raw);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixed::FixedFacts;

    fn severity_of_deleting(path: &str) -> Severity {
        let effect = Effect {
            kind: "delete".to_owned(),
            operation: "fs.delete.recursive".to_owned(),
            severity: Severity::Destructive,
            target: path.to_owned(),
            path: unresolved(path),
            command_id: 0,
            certain: true,
            tags: Vec::new(),
        };
        let mut analysis = Analysis { effects: vec![effect], ..empty(Coverage::Complete, None) };
        fill_paths(&mut analysis, &FixedFacts::default(), &Resolver::new("/repo", "/tmp/elsewhere", "/repo"));
        weigh_account_home(&mut analysis, "/srv/people/u");
        analysis.effects.first().map_or(Severity::Routine, |effect| effect.severity)
    }

    #[test]
    fn losing_the_home_of_the_account_is_catastrophic_whatever_home_says() {
        for path in ["/srv/people/u", "/srv/people/u/", "/srv/people/u/*", "/srv/people", "/srv/x/../people/u"] {
            assert_eq!(severity_of_deleting(path), Severity::Catastrophic, "{path}");
        }
        for path in ["/srv/people/u/x", "/srv/people/v", "/srv/people/u2", "/repo/build"] {
            assert_eq!(severity_of_deleting(path), Severity::Destructive, "{path}");
        }
    }

    #[test]
    fn a_file_of_an_unusual_home_says_so() {
        let tag = |home: &str, path: &str| {
            let mut analysis = of("Write", json!({ "file_path": path }));
            fill_paths(&mut analysis, &FixedFacts::default(), &Resolver::new("/repo", home, "/repo"));
            tag_home(&mut analysis, home);
            let mut tags = analysis.effects.remove(0).tags.into_iter();
            tags.find(|(name, _)| name == "home").map(|(_, value)| value)
        };
        assert_eq!(tag("/srv/u", "/srv/u/.vimrc").as_deref(), Some("~/.vimrc"));
        assert_eq!(tag("/srv/u", "/srv/u2/.vimrc"), None);
        assert_eq!(tag("/srv/u", "/srv/u"), None);
        assert_eq!(tag("/home/u", "/home/u/.vimrc"), None);
    }

    fn of(tool: &str, input: serde_json::Value) -> Analysis {
        file_tool_analysis(&ToolCall::new(tool, input.as_object().unwrap().clone()))
    }

    fn targets(tool: &str, input: serde_json::Value) -> Vec<String> {
        of(tool, input).effects.into_iter().map(|effect| effect.target).collect()
    }

    #[test]
    fn a_path_with_white_space_around_it_is_that_of_two_files() {
        assert_eq!(targets("Write", json!({ "file_path": "\u{feff}a b\n" })), ["\u{feff}a b\n", "a b"]);
        assert_eq!(targets("NotebookEdit", json!({ "notebook_path": "\u{2028}x" })), ["\u{2028}x", "x"]);
        assert_eq!(targets("Read", json!({ "file_path": "x", "path": " x" })), ["x", " x"]);
        assert_eq!(targets("Edit", json!({ "file_path": " " })), [" "]);
        assert_eq!(targets("Edit", json!({ "file_path": "" })), [""]);
    }

    #[test]
    fn a_search_reads_what_it_is_narrowed_to() {
        assert_eq!(targets("Glob", json!({ "pattern": "*.rs", "path": "src" })), ["src", "src/*.rs"]);
        assert_eq!(targets("Grep", json!({ "pattern": "x", "glob": "*.rs" })), ["*.rs"]);
        assert_eq!(targets("Read", json!({ "file_path": "x", "pattern": "y" })), ["x"]);
        assert_eq!(targets("WebFetch", json!({ "url": "https://h/", "path": "x" })), ["https://h/"]);
        assert_eq!(of("Glob", json!({ "pattern": "{a,b}".repeat(12) })).coverage, Coverage::Partial);
    }
}
