//! The names of the tools that policies see, and corrections of misspelled ones.

/// The common tools, to which every harness's own tools are mapped if it has such a tool.
pub const COMMON_TOOLS: [&str; 13] = [
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "PowerShell",
    "Read",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Other tools of harnesses, under the names that policies see.
pub const OTHER_TOOLS: [&str; 39] = [
    "AskUserQuestion",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "KillBash",
    "KillShell",
    "LSP",
    "ListMcpResources",
    "ListMcpResourcesTool",
    "Monitor",
    "NotebookRead",
    "ReadMcpResource",
    "ReadMcpResourceTool",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "Sleep",
    "SlashCommand",
    "StructuredOutput",
    "SubAgent",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "Workflow",
    "update_plan",
    "update_todo_list",
];

/// Returns the intended tool for an unknown name: the same name in other case, or with one missing, extra or swapped
/// letter.
///
/// Servers and harnesses have tools outside of the lists. Their names differ by more than that, so they aren't
/// affected.
#[must_use]
pub fn meant(name: &str) -> Option<&'static str> {
    let known = || COMMON_TOOLS.into_iter().chain(OTHER_TOOLS);
    if known().any(|tool| tool == name) {
        return None;
    }
    let slipped = || known().find(|tool| is_slip(&name.to_ascii_lowercase(), &tool.to_ascii_lowercase()));
    known().find(|tool| tool.eq_ignore_ascii_case(name)).or_else(slipped)
}

/// Returns whether `given` is `meant` with one letter missing, an extra one before its end, or two neighbors swapped.
///
/// Another letter, a plural or an additional `_` may be a different word, so these aren't typos.
#[must_use]
pub fn is_slip(typed: &str, known: &str) -> bool {
    let (typed, known): (Vec<char>, Vec<char>) = (typed.chars().collect(), known.chars().collect());
    if typed.len() < 3 {
        return false;
    }
    let start = typed.iter().zip(&known).take_while(|(one, other)| one == other).count();
    let (rest, other) = (typed.get(start..).unwrap_or_default(), known.get(start..).unwrap_or_default());
    match (rest, other) {
        (rest, [letter, other @ ..]) if rest == other => letter.is_alphabetic(),
        ([letter, rest @ ..], other) if rest == other => letter.is_alphabetic() && !rest.is_empty(),
        ([a, b, rest @ ..], [c, d, other @ ..]) => (a, b) == (d, c) && rest == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_told_from_another_name() {
        for (name, tool) in [
            ("bash", "Bash"),
            ("Bsh", "Bash"),
            ("BASH", "Bash"),
            ("Bassh", "Bash"),
            ("Wirte", "Write"),
            ("Multiedit", "MultiEdit"),
            ("webFetch", "WebFetch"),
            ("NotebokEdit", "NotebookEdit"),
            ("todowrite", "TodoWrite"),
        ] {
            assert_eq!(meant(name), Some(tool), "{name}");
        }
        for name in COMMON_TOOLS.into_iter().chain(OTHER_TOOLS) {
            assert_eq!(meant(name), None, "{name}");
        }
        for name in
            ["", "x", "Exec", "Reads", "Skills", "Writer", "Brash1", "mcp__bash__run", "mcp__x", "shell", "Grab", "Ed"]
        {
            assert_eq!(meant(name), None, "{name}");
        }
        for (given, meant) in [("commands", "command"), ("filepath", "file_path"), ("context", "content"), ("é", "e")]
        {
            assert!(!is_slip(given, meant), "{given}");
        }
        assert!(is_slip("comand", "command") && is_slip("contnet", "content"));
    }
}
