//! Forms around a whole text: another shell that runs it, a compound command, or a longer list.

use super::shape::Shape;
use guard_contract::shell_word::quoted;

pub(super) fn bash(shape: &Shape<'_>) -> Option<String> {
    Some(format!("bash -c {}", quoted(shape.text)))
}

pub(super) fn login_bash(shape: &Shape<'_>) -> Option<String> {
    Some(format!("bash -lc {}", quoted(shape.text)))
}

pub(super) fn sh(shape: &Shape<'_>) -> Option<String> {
    shape.is_posix().then(|| format!("sh -c {}", quoted(shape.text)))
}

pub(super) fn eval(shape: &Shape<'_>) -> Option<String> {
    Some(format!("eval {}", quoted(shape.text)))
}

pub(super) fn here_document(shape: &Shape<'_>) -> Option<String> {
    let end = shape.delimiter();
    shape.can_be_shell_input().then(|| format!("bash <<'{end}'\n{}\n{end}", shape.text))
}

pub(super) fn here_string(shape: &Shape<'_>) -> Option<String> {
    shape.can_be_shell_input().then(|| format!("bash <<< {}", quoted(shape.text)))
}

pub(super) fn pipe_input(shape: &Shape<'_>) -> Option<String> {
    (shape.can_be_shell_input() && shape.is_posix()).then(|| format!("printf '%s\\n' {} | sh", quoted(shape.text)))
}

pub(super) fn substitution(shape: &Shape<'_>) -> Option<String> {
    Some(format!("echo \"$( {})\"", shape.with_space()))
}

pub(super) fn backticks(shape: &Shape<'_>) -> Option<String> {
    let plain = !shape.text.contains(['\\', '`', '$', '"', '#']);
    plain.then(|| format!("echo `{}`", shape.text))
}

pub(super) fn process(shape: &Shape<'_>) -> Option<String> {
    Some(format!("cat <( {})", shape.with_space()))
}

pub(super) fn subshell(shape: &Shape<'_>) -> Option<String> {
    Some(format!("( {})", shape.with_space()))
}

pub(super) fn group(shape: &Shape<'_>) -> Option<String> {
    Some(format!("{{ {} }}", shape.terminated()))
}

pub(super) fn group_redirected(shape: &Shape<'_>) -> Option<String> {
    Some(format!("{{ {} }} 2>&1", shape.terminated()))
}

pub(super) fn condition(shape: &Shape<'_>) -> Option<String> {
    Some(format!("if true; then {} fi", shape.terminated()))
}

pub(super) fn for_loop(shape: &Shape<'_>) -> Option<String> {
    let name = shape.fresh("i");
    shape.can_be_loop_body().then(|| format!("for {name} in 1; do {} done", shape.terminated()))
}

pub(super) fn while_loop(shape: &Shape<'_>) -> Option<String> {
    shape.can_be_loop_body().then(|| format!("while true; do {} break; done", shape.terminated()))
}

pub(super) fn until_loop(shape: &Shape<'_>) -> Option<String> {
    shape.can_be_loop_body().then(|| format!("until false; do {} break; done", shape.terminated()))
}

pub(super) fn case(shape: &Shape<'_>) -> Option<String> {
    let body = if shape.is_open() { format!("{} ", shape.text) } else { shape.terminated() };
    Some(format!("case x in x) {body};; esac"))
}

pub(super) fn function(shape: &Shape<'_>) -> Option<String> {
    let name = shape.fresh("f");
    shape.can_be_function_body().then(|| format!("{name}() {{ {} }}; {name}", shape.terminated()))
}

pub(super) fn trap(shape: &Shape<'_>) -> Option<String> {
    (!shape.contains_word(&["trap", "exit"])).then(|| format!("trap {} EXIT", quoted(shape.text)))
}

/// Appends more commands to the text's line.
fn append_commands(shape: &Shape<'_>, more: &str) -> Option<String> {
    shape.is_open().then(|| format!("{}{more}", shape.text))
}

pub(super) fn and_true(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, " && true")
}

pub(super) fn or_true(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, " || true")
}

pub(super) fn then_true(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, "; true")
}

pub(super) fn background(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, " &")
}

pub(super) fn comment(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, " # as agreed")
}

pub(super) fn pipe_output(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, " | cat")
}

pub(super) fn errors_dropped(shape: &Shape<'_>) -> Option<String> {
    // The last one of two redirections would apply.
    append_commands(shape, " 2>/dev/null").filter(|_| !shape.text.contains('>'))
}

pub(super) fn output_dropped(shape: &Shape<'_>) -> Option<String> {
    append_commands(shape, " >/dev/null 2>&1").filter(|_| shape.is_silent && !shape.text.contains('>'))
}

pub(super) fn true_and(shape: &Shape<'_>) -> Option<String> {
    Some(format!("true && {}", shape.text)).filter(|_| !shape.text.starts_with('#'))
}

pub(super) fn false_or(shape: &Shape<'_>) -> Option<String> {
    Some(format!("false || {}", shape.text)).filter(|_| !shape.text.starts_with('#'))
}

pub(super) fn echo_first(shape: &Shape<'_>) -> Option<String> {
    Some(format!("true; {}", shape.text))
}

pub(super) fn cd_dot(shape: &Shape<'_>) -> Option<String> {
    Some(format!("cd . && {}", shape.text)).filter(|_| !shape.text.starts_with('#'))
}

pub(super) fn line_before(shape: &Shape<'_>) -> Option<String> {
    Some(format!("\n{}", shape.text))
}

pub(super) fn lines_around(shape: &Shape<'_>) -> Option<String> {
    Some(format!("true\n{}\ntrue", shape.text))
}

pub(super) fn negate(shape: &Shape<'_>) -> Option<String> {
    // It would change which commands run after the first `&&`.
    let decides = shape.text.contains("&&") || shape.text.contains("||");
    Some(format!("! {}", shape.text)).filter(|_| !decides && !shape.text.starts_with(['!', '#']))
}
