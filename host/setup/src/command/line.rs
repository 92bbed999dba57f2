//! The command line of a registration, which a shell runs.
//!
//! On Windows, the shell depends on the harness, its version and the machine: Git Bash, PowerShell or `cmd`. A line for
//! Windows therefore means the same in all three. Paths have slashes, because Bash drops backslashes. They are quoted
//! between slashes, because PowerShell prints a line that starts with a quote.

use guard_contract::shell_word;

use crate::install::InstallError;

/// Returns a command line with these words for the shells of this system.
///
/// # Errors
///
/// [`InstallError::Arguments`] if no line means the same in all shells.
pub(crate) fn line<S: AsRef<str>>(words: &[S]) -> Result<String, InstallError> {
    let word = |text: &S| match text.as_ref() {
        text if cfg!(windows) => windows_word(text).ok_or_else(|| {
            let reason = "the shells of Windows read it differently; choose a path without its special characters";
            InstallError::Arguments(format!("can't register `{text}`: {reason}"))
        }),
        text => Ok(shell_word::word(text)),
    };
    Ok(words.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// Quotes one word for `cmd`, PowerShell and Git Bash. `None` if no form works in all three.
fn windows_word(text: &str) -> Option<String> {
    // At least one of the shells expands these characters within quotes. Not all of them can start a program on a
    // network share.
    let is_special = |c: char| c.is_control() || "\"$`%!".contains(c);
    if text.is_empty() || text.contains(is_special) || text.starts_with(r"\\") {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:+".contains(c);
    let parts = text.split(['/', '\\']).map(|part| match part.chars().all(plain) {
        true => part.to_owned(),
        false => format!("\"{part}\""),
    });
    Some(parts.collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_windows_is_one_of_all_its_shells() {
        for (text, expected) in [
            (r"C:\bin\guard-host.exe", Some("C:/bin/guard-host.exe")),
            (r"C:\Users\Ann Lee\guard-host.exe", Some("C:/Users/\"Ann Lee\"/guard-host.exe")),
            (r"C:\it's (1) & more\x", Some("C:/\"it's (1) & more\"/x")),
            ("self-protect,command-guard", Some("\"self-protect,command-guard\"")),
            ("--only", Some("--only")),
            (r"\\server\share\x.exe", None),
            (r"C:\100%\x", None),
            (r"C:\$home\x", None),
            ("a`b", None),
            ("", None),
        ] {
            assert_eq!(windows_word(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn bash_reads_a_line_for_windows_as_it_was() {
        for text in
            [r"C:/bin/guard-host.exe", "C:/Users/Ann Lee/x's/(1)/a&b;c.exe", "self-protect,command-guard", "é ü"]
        {
            let line = format!("printf %s {}", windows_word(text).unwrap());
            let said = std::process::Command::new("bash").args(["-c", &line]).output().unwrap().stdout;
            assert_eq!(String::from_utf8(said).unwrap(), text, "{line}");
            assert_eq!(crate::command::words(&line).unwrap()[2], text, "{line}");
        }
    }
}
