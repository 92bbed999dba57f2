//! Texts that are recognizably not for a shell: a line with placeholders in angle brackets, and a read-only line of
//! PowerShell.
//!
//! Such a text doesn't parse, so a shell would run nothing. Its commands are still listed as guesses.

use guard_sdk::syntax::Span;

use super::{Walker, offset};
use crate::limits;
use crate::parse;
use crate::parse::Dialect;
use crate::powershell::Translate;

/// The maximum length of an examined text in bytes.
const LONGEST: usize = 4096;

impl Walker {
    /// Walks the outermost text, in another language.
    pub(crate) fn outermost_foreign(&mut self, source: &str, translate: Translate) {
        self.foreign_text(source, Span { start: 0, end: offset(source.len()) }, translate);
    }

    /// Walks a text in another language.
    pub(super) fn foreign_text(&mut self, text: &str, span: Span, translate: Translate) {
        if text.len() > limits::SOURCE {
            self.unparsed("the text is too long");
            return self.guess(text, span);
        }
        let translation = translate(text);
        for reason in translation.reasons {
            self.partial(reason);
        }
        self.text(&translation.text, span);
    }
}

/// Returns the text with each word `\{}` replaced by `{}`, which is the same to every shell, if it then parses. No word
/// moves.
pub(super) fn respelled(text: &str, dialect: Dialect) -> Option<String> {
    let plain = [" \\{}", "\t\\{}"].iter().fold(text.to_owned(), |text, word| text.replace(word, "  {}"));
    (plain.len() == text.len() && plain != text && parse::parse(&plain, dialect).is_ok()).then_some(plain)
}

/// Returns why a text that doesn't parse isn't suspicious by itself, and the text to guess commands from.
pub(super) fn understood(text: &str, dialect: Dialect) -> Option<(&'static str, String)> {
    if text.len() > LONGEST || text.trim().contains('\n') {
        return None;
    }
    if only_looks(text) {
        return Some(("the text is written for PowerShell", text.to_owned()));
    }
    let filled = filled(text)?;
    parse::parse(&filled, dialect).is_ok().then_some(("words in angle brackets are yet to be put in", filled))
}

/// Replaces each `<word>` in the text with a plain word. `None` if there is no such word.
fn filled(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut any = false;
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        let end = behind.find('>').filter(|end| is_placeholder(behind.get(..*end).unwrap_or_default()));
        let starts_word =
            before.is_empty() || before.ends_with(|char: char| char.is_whitespace() || "=/:-".contains(char));
        match end.filter(|_| starts_word) {
            Some(end) => {
                any = true;
                out.push_str("placeholder");
                rest = behind.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('<');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    any.then_some(out)
}

fn is_placeholder(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= 64
        && name.chars().all(|char| char.is_alphanumeric() || "_-. ".contains(char))
        && !name.ends_with(' ')
}

/// First parts of the names of commands that only read, count, print, or format.
const LOOKING: &[&str] = &[
    "compare",
    "convertfrom",
    "convertto",
    "format",
    "get",
    "join",
    "measure",
    "resolve",
    "select",
    "sort",
    "split",
    "test",
    "where",
    "write",
];

/// Parts of a PowerShell text that may do more: methods that change things, code created at run time, and commands that
/// run others.
const ACTING: &[&str] = &[
    "::delete",
    "::write",
    "::append",
    "::create",
    "::copy",
    "::move",
    "::replace",
    "::set",
    "::start",
    "::kill",
    "::load",
    ".delete(",
    ".kill(",
    ".invoke",
    ".download",
    ".upload",
    ".moveto(",
    ".copyto(",
    "scriptblock",
    "encodedcommand",
    "::exit",
    "iex",
    "reflection",
    "activator",
    "comobject",
];

/// Returns whether the text is certainly PowerShell, and all of its commands only read. A program started by name is
/// judged like any other.
fn only_looks(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let names = || text.split(|char: char| !char.is_ascii_alphanumeric() && char != '-').filter(|word| is_cmdlet(word));
    let looks = |name: &str| {
        let verb = name.split('-').next().unwrap_or_default().to_ascii_lowercase();
        LOOKING.contains(&verb.as_str())
    };
    let starts = lower.trim_start();
    let calls =
        starts.starts_with("& \"") || starts.starts_with("& '") || starts.ends_with(".ps1") && starts.starts_with("& ");
    let is_one = names().next().is_some() || lower.contains("$env:") || lower.contains("[system.") || calls;
    is_one && names().all(looks) && !ACTING.iter().any(|part| lower.contains(part)) && !lower.contains('>')
}

/// Returns whether the word is like `Get-ChildItem`: two parts, each capitalized.
fn is_cmdlet(word: &str) -> bool {
    let Some((verb, noun)) = word.split_once('-') else { return false };
    let is_part = |part: &str| part.len() > 1 && part.starts_with(|first: char| first.is_ascii_uppercase());
    is_part(verb) && is_part(noun) && !noun.contains('-')
}

#[cfg(test)]
mod tests {
    use guard_sdk::syntax::{Analysis, Coverage};

    fn analyze(text: &str) -> Analysis {
        crate::analyze(text, "bash", "/repo", "/home/u", |_, _| None, |_| crate::Source::None)
    }

    #[test]
    fn what_a_person_is_to_put_in_is_no_alarm() {
        for text in
            ["python <file>", "git checkout <branch> && git pull", "<action>", "docker logs <the container>  # when up"]
        {
            assert_eq!(analyze(text).coverage, Coverage::Partial, "{text}");
        }
        for text in ["python <file> )", "x <(a", "echo \"<b>", "if true; then <b>"] {
            assert_ne!(analyze(text).coverage, Coverage::Complete, "{text}");
        }
        assert_eq!(analyze("x <a> )").coverage, Coverage::Unparsed);
        let analysis = analyze("rm -rf ~ <flag>");
        assert!(analysis.effects.iter().any(|effect| effect.operation == "fs.delete.recursive"), "{analysis:?}");
    }

    #[test]
    fn a_brace_may_be_escaped() {
        let analysis = analyze("find . -name x -exec sed -i s/a/b/ \\{} \\; -exec rm \\{} +");
        assert_eq!(analysis.coverage, Coverage::Complete, "{analysis:?}");
        assert!(analysis.effects.iter().any(|effect| effect.operation == "fs.delete"), "{analysis:?}");
    }

    #[test]
    fn powershell_that_looks_is_no_alarm_and_what_it_deletes_is_seen() {
        for text in [
            "if (Test-Path .\\x) { Write-Output \"yes\" } else { Write-Output \"no\" }",
            "& \"$env:APPDATA\\npm\\bun.exe\" --cwd web dev",
            "Get-ChildItem | Where-Object { $_.Length -gt 1 } | Select-Object -First 3)",
        ] {
            assert_ne!(analyze(text).coverage, Coverage::Unparsed, "{text}");
        }
        for text in [
            "if (Test-Path x) { Remove-Item x } else { }",
            "if (Test-Path x) { [System.IO.File]::Delete('x') } else { }",
            "if (Test-Path x) { Start-Process y } else { }",
        ] {
            assert_eq!(analyze(text).coverage, Coverage::Unparsed, "{text}");
        }
    }
}
