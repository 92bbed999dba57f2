//! Converts a tool call to one JSON value, and the answers of a policy language to a decision.
//!
//! All policy languages get the same document, which `README.md` describes. Knows no language, and evaluates nothing.

mod answer;
mod literals;
mod shape;

use guard_sdk::serde_json::{Map, Value, json};
use guard_sdk::syntax::{
    Analysis, Assignment, Command, Comment, Coverage, Effect, Part, Redirection, Script, Severity, Span, Via, Word,
};
use guard_sdk::{Call, Error, Event, Facts, Fault, Presence, ResolvedPath, guest};

pub use answer::{RuleAnswer, check_rule_name, decision, format_rules};
pub use shape::{Shape, misspelt, unknown_name};

/// The keys of the document: the top-level names in an expression.
pub const KEYS: [&str; 5] = ["tool", "input", "analysis", "context", HISTORY];

/// The key of the session's history, which is requested only if the text uses it.
pub const HISTORY: &str = "history";

/// Returns the document of a call: its tool, input, effects and context, and the session's history if the text uses it.
///
/// # Errors
///
/// If the history is unavailable, or if the input isn't JSON, which the host never sends.
pub fn call_document(call: &Call<'_>, names_history: bool) -> Result<Value, Error> {
    let history = match names_history.then(|| call.history("")) {
        None | Some(Err(Fault::Absent)) => Vec::new(),
        Some(Ok(events)) => events,
        Some(Err(_)) => return Err("the list of what this session did before is damaged".into()),
    };
    let analysis = analysis_value(guest::analysis(), call.comments()?);
    Ok(document(call.tool(), call.input()?, analysis, call.context(), history))
}

fn document(tool: &str, input: Value, analysis: Value, facts: Facts, history: Vec<Event>) -> Value {
    json!({
        "tool": tool,
        "input": input,
        "analysis": analysis,
        "context": facts_value(facts),
        HISTORY: list(history, event_value),
    })
}

fn event_value(event: Event) -> Value {
    json!({
        "number": event.number,
        "time": event.time,
        "kind": event.kind,
        "tool": event.tool,
        "target": event.target,
        "certain": event.certain,
        "tags": tags_value(event.tags),
    })
}

fn facts_value(facts: Facts) -> Value {
    json!({
        "cwd": facts.cwd,
        "project_root": facts.project_root,
        "home": facts.home,
        "session": facts.session,
        "harness": facts.harness,
        "permission_mode": facts.permission_mode,
        "original_tool": facts.original_tool,
    })
}

fn analysis_value(analysis: Analysis, comments: Vec<Comment>) -> Value {
    let coverage = match analysis.coverage {
        Coverage::Complete => "complete",
        Coverage::Partial => "partial",
        Coverage::Unparsed => "unparsed",
    };
    json!({
        "coverage": coverage,
        "reasons": analysis.reasons,
        "commands": list(analysis.commands, command_value),
        "effects": list(analysis.effects, effect_value),
        "scripts": list(analysis.scripts, script_value),
        "comments": list(comments, |Comment { text, span }| json!({ "text": text, "span": span_value(&span) })),
    })
}

fn span_value(span: &Span) -> Value {
    json!({ "start": span.start, "end": span.end })
}

fn list<T>(items: Vec<T>, one: impl Fn(T) -> Value) -> Value {
    items.into_iter().map(one).collect()
}

/// `argv` is a list of texts, which most rules use. `words` has the parts of each word.
fn command_value(command: Command) -> Value {
    let position = command.position;
    json!({
        "id": command.id,
        "parent": command.parent,
        "program": command.argv.first().map_or("", |word| word.text.rsplit('/').next().unwrap_or_default()),
        "argv": command.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(),
        "words": list(command.argv, word_value),
        "assignments": list(command.assignments, assignment_value),
        "redirections": list(command.redirections, redirection_value),
        "position": {
            "pipeline": position.pipeline,
            "index": position.index,
            "length": position.length,
            "operator": position.operator,
            "background": position.background,
            "within": position.within,
        },
        "via": list(command.via, |Via { kind, detail }| json!({ "kind": kind, "detail": detail })),
        "span": span_value(&command.span),
        "cwd": command.cwd,
        "certain": command.certain,
    })
}

fn word_value(word: Word) -> Value {
    let part = |Part { kind, text, quoted }| json!({ "kind": kind, "text": text, "quoted": quoted });
    json!({
        "text": word.text,
        "dynamic": word.dynamic,
        "quoted": word.quoted,
        "glob": word.glob,
        "parts": list(word.parts, part),
    })
}

fn assignment_value(assignment: Assignment) -> Value {
    json!({ "name": assignment.name, "value": word_value(assignment.value) })
}

fn redirection_value(redirection: Redirection) -> Value {
    json!({
        "fd": redirection.fd,
        "operator": redirection.operator,
        "target": word_value(redirection.target),
        "body": redirection.body,
        "body_quoted": redirection.body_quoted,
    })
}

fn effect_value(effect: Effect) -> Value {
    let severity = match effect.severity {
        Severity::Routine => "routine",
        Severity::Notable => "notable",
        Severity::Destructive => "destructive",
        Severity::Catastrophic => "catastrophic",
    };
    json!({
        "kind": effect.kind,
        "operation": effect.operation,
        "severity": severity,
        "target": effect.target,
        "path": path_value(effect.path),
        "command_id": effect.command_id,
        "certain": effect.certain,
        "tags": tags_value(effect.tags),
    })
}

fn path_value(path: ResolvedPath) -> Value {
    let exists = match path.exists {
        Presence::Yes => "yes",
        Presence::No => "no",
        Presence::Unknown => "unknown",
    };
    json!({
        "raw": path.raw,
        "lexical": path.lexical,
        "canonical": path.canonical,
        "project_relative": path.project_relative,
        "git_root": path.git_root,
        "exists": exists,
        "kind": path.kind,
    })
}

/// If a name occurs twice, the first one applies, as in the SDK.
fn tags_value(tags: Vec<(String, String)>) -> Value {
    let mut map = Map::new();
    for (name, value) in tags {
        map.entry(name).or_insert(Value::String(value));
    }
    Value::Object(map)
}

fn script_value(script: Script) -> Value {
    json!({
        "language": script.language,
        "text": script.text,
        "command_id": script.command_id,
        "certain": script.certain,
    })
}

#[cfg(test)]
mod tests {
    use guard_sdk::syntax::{Position, comments};

    use super::*;

    fn word(text: &str) -> Word {
        Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts: Vec::new() }
    }

    /// A push, whose analysis has one of everything.
    fn push() -> Analysis {
        let command = Command {
            id: 2,
            parent: 1,
            argv: vec![word("/usr/bin/git"), word("push")],
            assignments: vec![Assignment { name: "X".to_owned(), value: word("1") }],
            redirections: vec![Redirection {
                fd: 1,
                operator: ">".to_owned(),
                target: word("log"),
                body: String::new(),
                body_quoted: false,
            }],
            position: Position {
                pipeline: 1,
                index: 0,
                length: 1,
                operator: String::new(),
                background: false,
                within: vec!["subshell".to_owned()],
            },
            via: vec![Via { kind: "sudo".to_owned(), detail: "root".to_owned() }],
            span: Span { start: 3, end: 9 },
            cwd: "/repo".to_owned(),
            certain: true,
        };
        let effect = Effect {
            kind: "vcs".to_owned(),
            operation: "git.push".to_owned(),
            severity: Severity::Destructive,
            target: "main".to_owned(),
            path: ResolvedPath { project_relative: "a".to_owned(), ..ResolvedPath::unresolved("a") },
            command_id: 2,
            certain: false,
            tags: vec![("remote".to_owned(), "origin".to_owned()), ("remote".to_owned(), "other".to_owned())],
        };
        Analysis {
            coverage: Coverage::Partial,
            reasons: vec!["why".to_owned()],
            commands: vec![command],
            effects: vec![effect],
            scripts: vec![Script {
                language: "sql".to_owned(),
                text: "select 1".to_owned(),
                command_id: 2,
                certain: true,
            }],
        }
    }

    #[test]
    fn a_call_is_a_document_of_its_keys_in_snake_case() {
        let facts = guard_sdk::testing::World::default().facts;
        let event = Event {
            number: 1,
            time: "2026-01-02T03:04:05.678Z".to_owned(),
            kind: "write".to_owned(),
            tool: "Write".to_owned(),
            target: "/repo/a".to_owned(),
            certain: true,
            tags: vec![("tree".to_owned(), "yes".to_owned())],
        };
        let analysis = analysis_value(push(), comments("c # why"));
        let document = document("Bash", json!({ "command": "c" }), analysis, facts, vec![event]);
        let event = &document["history"][0];
        assert_eq!(
            (&event["kind"], &event["target"], &event["number"]),
            (&json!("write"), &json!("/repo/a"), &json!(1))
        );
        assert_eq!((&event["certain"], &event["tags"]), (&json!(true), &json!({ "tree": "yes" })));
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), KEYS.len());
        assert!(KEYS.iter().all(|key| document.get(key).is_some()));
        assert_eq!((&document["tool"], &document["input"]["command"]), (&json!("Bash"), &json!("c")));
        let context = json!({
            "cwd": "/repo", "project_root": "/repo", "home": "/home/u", "session": "s1", "harness": "claude",
            "permission_mode": "default", "original_tool": "",
        });
        assert_eq!(document["context"], context);
        let analysis = &document["analysis"];
        assert_eq!((&analysis["coverage"], &analysis["reasons"]), (&json!("partial"), &json!(["why"])));
        let command = &analysis["commands"][0];
        assert_eq!((&command["program"], &command["argv"]), (&json!("git"), &json!(["/usr/bin/git", "push"])));
        assert_eq!(command["words"][1]["text"], "push");
        assert_eq!(command["assignments"][0]["value"]["text"], "1");
        assert_eq!(command["redirections"][0]["body_quoted"], false);
        assert_eq!(command["via"], json!([{ "kind": "sudo", "detail": "root" }]));
        assert_eq!(command["position"]["within"], json!(["subshell"]));
        let effect = &analysis["effects"][0];
        assert_eq!((&effect["severity"], &effect["command_id"]), (&json!("destructive"), &json!(2)));
        assert_eq!((&effect["path"]["project_relative"], &effect["path"]["exists"]), (&json!("a"), &json!("unknown")));
        assert_eq!(effect["tags"], json!({ "remote": "origin" }));
        assert_eq!(analysis["scripts"][0]["language"], "sql");
        assert_eq!(analysis["comments"], json!([{ "text": "why", "span": { "start": 2, "end": 7 } }]));
    }
}
