//! Other programs or scripts that run the same text.

use super::shape::Shape;
use guard_contract::shell_word::quoted;

/// Returns a text as a string in single quotes that Python, JavaScript, Ruby, Perl and PHP parse alike. `None` if it
/// has several lines.
pub(super) fn string(text: &str) -> Option<String> {
    (!text.contains('\n')).then(|| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")))
}

/// Returns code around a call with the text as its argument.
fn code(shape: &Shape<'_>, interpreter: &str, before: &str, after: &str) -> Option<String> {
    let string = string(shape.text)?;
    shape.is_posix().then(|| format!("{interpreter} {}", quoted(&format!("{before}{string}{after}"))))
}

pub(super) fn python(shape: &Shape<'_>) -> Option<String> {
    code(shape, "python3 -c", "import os; os.system(", ")")
}

pub(super) fn python_subprocess(shape: &Shape<'_>) -> Option<String> {
    code(shape, "python3 -c", "import subprocess; subprocess.run(", ", shell=True)")
}

pub(super) fn node(shape: &Shape<'_>) -> Option<String> {
    code(shape, "node -e", "require('child_process').execSync(", ")")
}

pub(super) fn ruby(shape: &Shape<'_>) -> Option<String> {
    code(shape, "ruby -e", "system(", ")")
}

pub(super) fn perl(shape: &Shape<'_>) -> Option<String> {
    code(shape, "perl -e", "system(", ")")
}

pub(super) fn php(shape: &Shape<'_>) -> Option<String> {
    code(shape, "php -r", "shell_exec(", ");")
}

pub(super) fn awk(shape: &Shape<'_>) -> Option<String> {
    let plain = !shape.text.contains(['"', '\\', '\n']);
    (plain && shape.is_posix()).then(|| format!("awk {}", quoted(&format!("BEGIN {{ system(\"{}\") }}", shape.text))))
}

/// Prefixes the text with a program that passes it to a shell.
fn pass_to_shell(shape: &Shape<'_>, door: &str) -> Option<String> {
    Some(format!("{door} {}", quoted(shape.text)))
}

pub(super) fn script(shape: &Shape<'_>) -> Option<String> {
    shape.is_posix().then(|| format!("printf '%s\\n' {} > /tmp/sibling.sh && sh /tmp/sibling.sh", quoted(shape.text)))
}

pub(super) fn su(shape: &Shape<'_>) -> Option<String> {
    pass_to_shell(shape, "su -c").filter(|_| shape.is_posix())
}

pub(super) fn terminal(shape: &Shape<'_>) -> Option<String> {
    pass_to_shell(shape, "tmux new-session -d")
}

pub(super) fn typescript(shape: &Shape<'_>) -> Option<String> {
    Some(format!("script -qc {} /dev/null", quoted(shape.text)))
}

pub(super) fn lock(shape: &Shape<'_>) -> Option<String> {
    pass_to_shell(shape, "flock /tmp/sibling.lock -c")
}

pub(super) fn watch(shape: &Shape<'_>) -> Option<String> {
    pass_to_shell(shape, "watch -n 60")
}

pub(super) fn parallel(shape: &Shape<'_>) -> Option<String> {
    (!shape.text.contains(['{', '}'])).then(|| format!("parallel ::: {}", quoted(shape.text)))
}

pub(super) fn npx(shape: &Shape<'_>) -> Option<String> {
    pass_to_shell(shape, "npx -c")
}

pub(super) fn git_alias(shape: &Shape<'_>) -> Option<String> {
    let plain = shape.is_posix() && shape.is_open();
    plain.then(|| format!("git -c {} sibling", quoted(&format!("alias.sibling=!{}", shape.text))))
}

pub(super) fn busybox(shape: &Shape<'_>) -> Option<String> {
    const APPLETS: [&str; 12] =
        ["cat", "chmod", "chown", "cp", "dd", "find", "mv", "rm", "rmdir", "sed", "truncate", "unlink"];
    let program = shape.program().filter(|word| word.is_bare() && APPLETS.contains(&word.text.as_str()))?;
    shape.replace_word(program, &format!("busybox {}", program.text))
}
