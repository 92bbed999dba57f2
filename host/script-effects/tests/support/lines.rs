//! Formats the effects of code as short lines: `delete a`, `run git status`, `~` for the home, `?` for an unknown part,
//! `$X` for a variable, `@1` for an argument, `<*>` for a pattern. `maybe` precedes an action in a branch.

use guard_script_effects::{Action, ActionKind, Piece, Summary, Text, read};

fn text(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => text.clone(),
        Piece::Unknown => "?".to_owned(),
        Piece::Home => "~".to_owned(),
        Piece::Variable(name) => format!("${name}"),
        Piece::Argument(at) => format!("@{at}"),
        Piece::Pattern(pattern) => format!("<{pattern}>"),
        Piece::Own => "OWN".to_owned(),
    };
    text.pieces.iter().map(piece).collect()
}

fn around(folder: Option<&Text>, input: Option<&Text>) -> String {
    let part =
        |name: &str, value: Option<&Text>| value.map_or_else(String::new, |value| format!(" {name} {}", text(value)));
    format!("{}{}", part("in", folder), part("fed", input))
}

fn line(action: &Action) -> String {
    let what = match &action.what {
        ActionKind::Read(path) => format!("read {}", text(path)),
        ActionKind::Write { path, empties: true, .. } => format!("empty {}", text(path)),
        ActionKind::Write { path, append, .. } => {
            format!("{} {}", if *append { "append" } else { "write" }, text(path))
        }
        ActionKind::Fill { folder, .. } => format!("fill {}", text(folder)),
        ActionKind::Put { from, to, each: false } => format!("put {} at {}", text(from), text(to)),
        ActionKind::Put { from, to, each: true } => format!("put each {} at {}", text(from), text(to)),
        ActionKind::MakeFolder(path) => format!("folder {}", text(path)),
        ActionKind::Delete(path) => format!("delete {}", text(path)),
        ActionKind::DeleteTree(path) => format!("tree {}", text(path)),
        ActionKind::MoveAway(path) => format!("move {}", text(path)),
        ActionKind::Change(path) => format!("change {}", text(path)),
        ActionKind::Link { at, to, .. } => format!("link {} to {}", text(at), text(to)),
        ActionKind::Shell { text: command, folder, input } => {
            format!("shell {}{}", text(command), around(folder.as_ref(), input.as_ref()))
        }
        ActionKind::Program { words, folder, input } => {
            let words: Vec<String> = words.iter().map(text).collect();
            format!("run {}{}", words.join(" "), around(folder.as_ref(), input.as_ref()))
        }
        ActionKind::Connect { to, deletes: true, .. } => format!("delete by request {}", text(to)),
        ActionKind::Connect { to, sends, .. } => format!("{} {}", if *sends { "send" } else { "ask" }, text(to)),
        ActionKind::Sql(statement) => format!("sql {}", text(statement)),
    };
    if action.certain { what } else { format!("maybe {what}") }
}

fn lines(summary: &Summary) -> Vec<String> {
    let mut lines: Vec<String> = summary.actions.iter().map(line).collect();
    let unknown = summary.unknown;
    for (is, name) in [(unknown.deletes, "deletes"), (unknown.writes, "writes"), (unknown.executes, "executes")] {
        lines.extend(is.then(|| format!("unknown {name}")));
    }
    lines
}

/// Compares the lines for each code of a language.
pub(super) fn check(language: &str, cases: &[(&str, &[&str])]) {
    let mut wrong = String::new();
    for (code, expected) in cases {
        let summary = read(language, code).unwrap_or_default();
        let found = lines(&summary);
        if found != *expected {
            wrong.push_str(&format!("\n--- {code}\n expected {expected:?}\n found    {found:?} {:?}", summary.reasons));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
