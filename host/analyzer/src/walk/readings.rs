//! Texts that more than one shell may run: the effects of all interpretations count.

use guard_sdk::syntax::{Command, Redirection, Span, Word};

use super::echo::{ECHO_DIALECTS, EchoDialect};
use super::{Unit, Walker};
use crate::powershell;
use crate::word::expand::literal;
use crate::wrappers;

impl Walker {
    /// Walks the outermost text, which bash or zsh may run.
    pub(super) fn by_any_shell(&mut self, unit: Unit<'_>) {
        let first = self.echo_dialect;
        let others: Vec<EchoDialect> =
            ECHO_DIALECTS.iter().copied().filter(|echo_dialect| *echo_dialect != first).collect();
        self.in_turn(first, &others, |walker, _| walker.unit(unit));
    }

    /// Analyzes a word that becomes the text of this shell.
    pub(super) fn run_text_of(&mut self, shell: &str, word: &Word, span: Span) {
        if let Some(translate) = powershell::of_shell(shell) {
            return self.run_text_in(word, span, Some(translate));
        }
        if let Some(text) = wrappers::respelled(shell, &word.text).filter(|_| !word.dynamic) {
            return self.run_text(&literal(&text), span);
        }
        let (first, others): (EchoDialect, &[EchoDialect]) = match shell {
            "bash" | "rbash" => (EchoDialect::Bash, &[]),
            "dash" | "ash" | "busybox" => (EchoDialect::Dash, &[]),
            "zsh" => (EchoDialect::Zsh, &[]),
            // `make` runs its recipes with `sh`.
            "sh" | "make" | "ksh" | "mksh" | "posh" | "yash" => {
                (EchoDialect::Bash, &[EchoDialect::Dash, EchoDialect::Zsh])
            }
            _ => (self.echo_dialect, &[]),
        };
        let plain = matches!(shell, "bash" | "rbash" | "zsh");
        let odd = !plain && (ODD.iter().any(|odd| word.text.contains(odd)) || has_braces(&word.text));
        let posix = if odd && !word.dynamic { as_dash_reads(&word.text) } else { None };
        let posix = posix.map(|text| literal(&text));
        let outer = self.echo_dialect;
        self.in_turn(first, others, |walker, echo_dialect| {
            walker.echo_differs |= odd;
            let posix = posix.as_ref().filter(|_| echo_dialect == EchoDialect::Dash);
            walker.run_text(posix.unwrap_or(word), span);
        });
        self.echo_dialect = outer;
    }

    /// Walks a text with the dialect `first`, and with the others if that makes a difference.
    fn in_turn(&mut self, first: EchoDialect, others: &[EchoDialect], walk: impl Fn(&mut Self, EchoDialect)) {
        let before = (self.shell.clone(), self.files.clone(), self.input.clone(), self.descriptors.clone());
        let left = (self.budget.loops_left, self.budget.calls_left, self.budget.outputs_left, self.budget.unknown_left);
        let echo_differs = std::mem::take(&mut self.echo_differs);
        let outer = std::mem::replace(&mut self.echo_dialect, first);
        let start = self.found.commands.len();
        walk(self, first);
        let mut ends = vec![start, self.found.commands.len()];
        let after = self.shell.clone();
        for other in others {
            if !self.echo_differs || self.found.full {
                break;
            }
            let entry = before.clone();
            (self.shell, self.files, self.input, self.descriptors) = entry;
            (self.budget.loops_left, self.budget.calls_left, self.budget.outputs_left, self.budget.unknown_left) = left;
            self.echo_dialect = *other;
            let from = self.found.commands.len();
            walk(self, *other);
            if self.is_known_reading(&ends, from) {
                self.found.commands.truncate(from);
                let is_left = |id: u32| usize::try_from(id).is_ok_and(|id| id <= from);
                self.found.feeds.retain(|id, _| is_left(*id));
                self.found.uses_arguments.retain(|id, _| is_left(*id));
            } else {
                ends.push(self.found.commands.len());
            }
        }
        self.shell = after;
        self.echo_dialect = outer;
        // Differences are settled here, unless the text only ran in the enclosing shell's dialect.
        self.echo_differs = echo_differs || (others.is_empty() && outer == first && self.echo_differs);
    }

    /// Returns whether the commands from `from` on repeat an earlier interpretation. `ends` are the ends of these.
    fn is_known_reading(&self, ends: &[usize], from: usize) -> bool {
        let same = |one: &Command, other: &Command| {
            let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
            let read = |redirections: &[Redirection]| {
                let told = redirections.iter().map(|to| (to.fd, to.target.text.clone(), to.body.clone()));
                told.collect::<Vec<_>>()
            };
            texts(&one.argv) == texts(&other.argv)
                && one.via == other.via
                && read(&one.redirections) == read(&other.redirections)
        };
        let new = self.found.commands.get(from..).unwrap_or_default();
        ends.windows(2).any(|pair| {
            let [start, end] = pair else { return false };
            let old = self.found.commands.get(*start..*end).unwrap_or_default();
            old.len() == new.len() && old.iter().zip(new).all(|(one, other)| same(one, other))
        })
    }
}

/// Syntax with another meaning in dash.
const ODD: &[&str] = &["&>", "$'", "$\""];

/// The maximum length of a brace expression that is looked for.
const EXPRESSION: usize = 256;

/// Returns whether a text may have a brace expression, which dash doesn't expand.
fn has_braces(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| opens_expression(text.get(at + 1..).unwrap_or_default()))
}

/// Returns whether the text after `{` is the rest of a brace expression: `a,b}`, `1..9}`.
fn opens_expression(rest: &str) -> bool {
    let end = rest.find(|letter: char| letter.is_whitespace() || letter == ';').unwrap_or(rest.len());
    let inner = rest.get(..end).unwrap_or_default();
    inner.contains('}') && (inner.contains(',') || inner.contains(".."))
}

/// The scanner's position: among commands, or in double quotes.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Commands,
    Double,
}

/// Returns a bash text with the effects of this one in dash, if they differ: `&>` becomes `&` and then `>`, and the
/// dollar sign of `$'` and `$"` and the braces of `{a,b}` become literal.
fn as_dash_reads(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len() + 8);
    let mut places = vec![Place::Commands];
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(char) = chars.next() {
        let place = places.last().copied().unwrap_or(Place::Commands);
        let next = chars.peek().copied().unwrap_or(' ');
        match (place, char) {
            (_, '\\') => {
                result.push(char);
                result.extend(chars.next());
                before = ' ';
                continue;
            }
            (Place::Commands, '\'') => {
                result.push(char);
                for inner in chars.by_ref() {
                    result.push(inner);
                    if inner == '\'' {
                        break;
                    }
                }
                before = '\'';
                continue;
            }
            (Place::Commands, '#') if before.is_whitespace() || matches!(before, ';' | '&' | '|' | '(') => {
                result.push(char);
                while let Some(inner) = chars.next_if(|inner| *inner != '\n') {
                    result.push(inner);
                }
                continue;
            }
            (Place::Commands, '"') => places.push(Place::Double),
            (Place::Double, '"') => drop(places.pop()),
            (_, '$') if next == '(' => {
                places.push(Place::Commands);
                result.push(char);
                result.extend(chars.next());
                before = '(';
                continue;
            }
            (Place::Commands, '(') => places.push(Place::Commands),
            (Place::Commands, ')') if places.len() > 1 => drop(places.pop()),
            (Place::Commands, '$') if matches!(next, '\'' | '"') => result.push('\\'),
            (Place::Commands, '{') if before != '$' => {
                let rest: String = chars.clone().take(EXPRESSION).collect();
                result.push_str(if opens_expression(&rest) { "\\" } else { "" });
            }
            (Place::Commands, '&') if next == '>' && before != '&' => {
                result.push_str("& ");
                before = '&';
                continue;
            }
            _ => {}
        }
        result.push(char);
        before = char;
    }
    (result != text).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::as_dash_reads;

    #[test]
    fn dash_has_fewer_operators_and_quotes() {
        for (text, expected) in [
            ("a &> b c", Some("a & > b c")),
            ("a &>> b", Some("a & >> b")),
            ("echo $'x\\'; y #'", Some("echo \\$'x\\'; y #'")),
            ("echo \"$(a &> b)\"", Some("echo \"$(a & > b)\"")),
            ("rm -rf {a,b} n{c,}.o", Some("rm -rf \\{a,b} n\\{c,}.o")),
            ("for i in {1..3}; do x; done", Some("for i in \\{1..3}; do x; done")),
            ("x() { a; b; }; { a,b; }; echo ${x,,} {} {a}", None),
            ("find . -exec rm {} +; echo '{a,b}' \"{a,b}\"", None),
            ("echo '&>' \"&>\" \\&> b", None),
            ("a # &> b", None),
            ("a > b", None),
        ] {
            assert_eq!(as_dash_reads(text).as_deref(), expected, "{text}");
        }
    }
}
