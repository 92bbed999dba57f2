//! The part of a registered line that runs if the hook can't be started.

use std::borrow::Cow;

use super::words;
use guard_contract::shell_word::quoted;

/// Appended to the line that starts the hook. If the hook gives no reply, the line exits with 2, which blocks the call
/// in every harness that runs such lines. An exit with 2 by the hook itself is passed through.
const CLOSING: &str = " || { [ $? = 2 ] || echo 'guard-host gave no answer, so this call is held: run guard-host doctor, or install it again' >&2; exit 2; }";

/// The same of earlier versions.
const EARLIER: &str = " || { [ $? = 2 ] || echo 'guard-host gave no answer, so this call is held' >&2; exit 2; }";

/// Removes the part that blocks the call if the hook can't be started.
fn without_closing(line: &str) -> Option<&str> {
    line.strip_suffix(CLOSING).or_else(|| line.strip_suffix(EARLIER))
}

/// Returns a line that starts the hook, and blocks the tool call if that fails.
pub(crate) fn closed(line: &str) -> String {
    format!("{}{CLOSING}", tested(line))
}

/// Adds a test that the program isn't empty, because a shell runs an empty file as an empty script, which would let the
/// call pass. A name on the `PATH` isn't tested. On its own, it is for a harness that blocks if the line fails.
pub(crate) fn tested(line: &str) -> String {
    match program(line) {
        Some(program) => format!("{CHECK}{program}{CHECKED}{line}"),
        None => line.to_owned(),
    }
}

const CHECK: &str = "[ -s ";
const CHECKED: &str = " ] && ";

/// Returns the first word of a line, unparsed, if it is a path.
fn program(line: &str) -> Option<&str> {
    let (mut quote, mut is_escaped) = (None, false);
    let end = line.find(|c: char| {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, ' ') => return true,
            _ => {}
        }
        false
    });
    line.get(..end.unwrap_or(line.len())).filter(|program| program.contains('/'))
}

/// Removes the test of the program from a line.
fn unchecked(line: &str) -> &str {
    let tested = || {
        line.strip_prefix(CHECK)?.split_once(CHECKED).filter(|(program, rest)| self::program(rest) == Some(*program))
    };
    tested().map_or(line, |(_, rest)| rest)
}

/// Returns whether the line blocks if it can't start the hook.
pub(crate) fn is_closed(line: &str) -> bool {
    without_closing(line).is_some()
}

/// The script around the line that starts the hook, for a harness that uses neither a shell nor exit codes.
const REPLYING: (&str, &str) = (
    "o=$(",
    r#") && printf "%s\n" "$o" || echo "{\"action\":\"block\",\"message\":\"guard-host gave no answer, so this call is held\"}""#,
);

/// Returns a line that starts the hook, and prints a reply that blocks the tool call if that fails.
pub(crate) fn replying(line: &str) -> String {
    let (start, end) = REPLYING;
    format!("sh -c {}", quoted(&format!("{start}{}{end}", tested(line))))
}

/// Returns the line inside the script of [`replying`].
fn replied(line: &str) -> Option<String> {
    let (start, end) = REPLYING;
    let words = words(line)?;
    let [program, flag, script] = words.as_slice() else { return None };
    let is_shell = program == "sh" && flag == "-c";
    script.strip_prefix(start)?.strip_suffix(end).filter(|_| is_shell).map(str::to_owned)
}

/// Returns whether the line prints a reply that blocks if it can't start the hook.
pub(crate) fn is_replying(line: &str) -> bool {
    replied(line).is_some()
}

/// Removes the fallback from a line.
pub(crate) fn opened(line: &str) -> Cow<'_, str> {
    match (without_closing(line), replied(line)) {
        (Some(opened), _) => Cow::Borrowed(unchecked(opened)),
        (None, Some(replied)) => Cow::Owned(unchecked(&replied).to_owned()),
        (None, None) => Cow::Borrowed(unchecked(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_within_what_it_does_when_it_fails() {
        for line in
            ["/opt/guard-host hook x", "'/it'\\''s here/guard-host' hook x", "/opt/guard-host hook x --only 'a b'"]
        {
            assert_eq!(opened(&closed(line)), line);
            assert!(is_closed(&closed(line)) && !is_replying(&closed(line)));
            assert_eq!(opened(&replying(line)), line);
            assert!(is_replying(&replying(line)) && !is_closed(&replying(line)));
            assert_eq!(opened(&tested(line)), line);
            assert!(!is_replying(&tested(line)) && !is_closed(&tested(line)));
            assert_eq!(opened(line), line);
            // Without the test, as earlier versions wrote it.
            assert_eq!(opened(&format!("{line}{CLOSING}")), line);
            assert_eq!(opened(&format!("{line}{EARLIER}")), line);
            assert!(is_closed(&format!("{line}{EARLIER}")));
        }
    }

    #[test]
    fn an_empty_program_blocks_the_call() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it's guard-host");
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let line = format!("{} hook x", guard_contract::shell_word::word(path.to_str().unwrap()));
        let run = |line: &str| std::process::Command::new("sh").args(["-c", line]).output().unwrap();
        assert_eq!(run(&line).status.code(), Some(0), "a shell runs it as a script");
        assert_eq!(run(&closed(&line)).status.code(), Some(2));
        assert_eq!(run(&tested(&line)).status.code(), Some(1));
        let replied = run(&replying(&line));
        assert!(String::from_utf8_lossy(&replied.stdout).contains("block"), "{replied:?}");
        std::fs::write(&path, "#!/bin/sh\necho passes\n").unwrap();
        for line in [closed(&line), replying(&line), tested(&line)] {
            let ended = run(&line);
            assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stdout).as_ref()), (Some(0), "passes\n"));
        }
    }

    /// Hermes Agent starts the words without a shell.
    #[test]
    fn without_an_answer_the_line_writes_a_reply_that_blocks() {
        let blocked = "{\"action\":\"block\",\"message\":\"guard-host gave no answer, so this call is held\"}\n";
        for (line, expected) in [
            ("/nowhere/guard-host hook hermes", blocked),
            ("false", blocked),
            ("true", "\n"),
            ("printf '{\"action\":\"block\"}\\n'", "{\"action\":\"block\"}\n"),
        ] {
            let words = words(&replying(line)).unwrap();
            let ended = std::process::Command::new(&words[0]).args(&words[1..]).output().unwrap();
            assert_eq!(
                (ended.status.code(), String::from_utf8_lossy(&ended.stdout).as_ref()),
                (Some(0), expected),
                "{line}"
            );
        }
    }

    #[test]
    fn another_line_is_left_alone() {
        let tested = format!("[ -s /a ] && /b hook x{CLOSING}");
        assert_eq!(format!("{}{CLOSING}", opened(&tested)), tested);
        for line in ["sh -c 'o=$(x) && ls'", "bash -c true", "sh -c", "o=$(x"] {
            assert_eq!(opened(line), line);
            assert!(!is_replying(line));
        }
    }
}
