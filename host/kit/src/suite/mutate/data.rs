//! Forms that contain a text without running it.

use super::shape::delimiter;
use guard_contract::shell_word::quoted;

pub(super) fn echo(text: &str) -> Option<String> {
    Some(format!("echo {}", quoted(text)))
}

pub(super) fn printf(text: &str) -> Option<String> {
    Some(format!("printf '%s\\n' {}", quoted(text)))
}

pub(super) fn commit(text: &str) -> Option<String> {
    Some(format!("git commit -m {}", quoted(text)))
}

pub(super) fn commit_here(text: &str) -> Option<String> {
    let end = delimiter(text);
    Some(format!("git commit -F - <<'{end}'\n{text}\n{end}"))
}

pub(super) fn grep(text: &str) -> Option<String> {
    // Each line of a pattern is a pattern of its own.
    (!text.contains('\n')).then(|| format!("grep -F -e {} notes.txt", quoted(text)))
}

pub(super) fn here_document(text: &str) -> Option<String> {
    let end = delimiter(text);
    Some(format!("cat <<'{end}' > notes.txt\n{text}\n{end}"))
}

pub(super) fn here_string(text: &str) -> Option<String> {
    Some(format!("cat <<< {}", quoted(text)))
}

pub(super) fn comment(text: &str) -> Option<String> {
    (!text.contains('\n')).then(|| format!("true # {text}"))
}

pub(super) fn variable(text: &str) -> Option<String> {
    Some(format!("x={}", quoted(text)))
}

pub(super) fn no_op(text: &str) -> Option<String> {
    Some(format!(": {}", quoted(text)))
}

pub(super) fn test_comparison(text: &str) -> Option<String> {
    Some(format!("[ {} = y ]", quoted(text)))
}

pub(super) fn case_pattern(text: &str) -> Option<String> {
    Some(format!("case {} in y) true ;; esac", quoted(text)))
}
