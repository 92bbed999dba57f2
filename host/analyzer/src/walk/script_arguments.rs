//! Determines whether a script uses its arguments.

use crate::parse::tree::{Item, Kind, Range, Sequence};
use crate::parse::{self, Dialect};
use crate::walk::running::RunArguments;
use crate::wrappers::shells;

/// Words with which code in a language gets its arguments: variables, and libraries that parse options.
const WORDS: &[(&[&str], &[&str])] = &[
    (
        &["python", "python3"],
        &[
            "argh",
            "argparse",
            "argv",
            "cleo",
            "click",
            "cmd2",
            "configargparse",
            "cyclopts",
            "docopt",
            "fire",
            "getopt",
            "gflags",
            "hydra",
            "jsonargparse",
            "optparse",
            "orig_argv",
            "plac",
            "plumbum",
            "simple_parsing",
            "typer",
            "tyro",
        ],
    ),
    (
        &["node", "bun", "deno", "ts-node", "tsx"],
        &[
            "argv",
            "cac",
            "caporal",
            "citty",
            "clipanion",
            "commander",
            "getopts",
            "gluegun",
            "meow",
            "minimist",
            "mri",
            "nopt",
            "oclif",
            "optionator",
            "parseArgs",
            "parseargs",
            "sade",
            "yargs",
        ],
    ),
    (
        &["ruby"],
        &[
            "ARGF",
            "ARGV",
            "Clamp",
            "GLI",
            "GetoptLong",
            "OptionParser",
            "Optimist",
            "Slop",
            "Thor",
            "docopt",
            "optparse",
        ],
    ),
    (&["perl"], &["ARGV", "Getopt", "shift"]),
    (&["php"], &["argc", "argv", "Application", "Console", "getopt"]),
];

/// Returns whether code that a program runs uses its arguments. `None` if the language isn't known.
pub(super) fn uses_arguments(program: &str, code: &str) -> Option<bool> {
    if shells::is_shell(program) {
        return Some(shell_uses_arguments(code));
    }
    let (_, words) = WORDS.iter().find(|(programs, _)| programs.contains(&program))?;
    let mut parts = code.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let marks = ["$*", "Deno.args", "'arg'", "\"arg\""];
    Some(parts.any(|part| words.contains(&part)) || marks.iter().any(|mark| code.contains(mark)))
}

/// Returns whether a shell script uses its arguments outside of functions, which have arguments of their own.
pub(super) fn shell_uses_arguments(text: &str) -> bool {
    let Ok(tree) = parse::parse(text, Dialect::Bash) else { return true };
    let mut bodies = Bodies::default();
    bodies.add(&tree);
    if bodies.loops_over_arguments {
        return true;
    }
    let rest = plain_text(text, &bodies.functions);
    let given = RunArguments { parameters: true, ..RunArguments::default() };
    let mut words = rest.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    given.is_in(&rest)
        || ["$#", "${#}"].iter().any(|count| rest.contains(count))
        || words.any(|word| matches!(word, "getopt" | "getopts" | "shift"))
        || text.contains("BASH_ARGV")
}

/// The bodies of a script's functions.
#[derive(Default)]
struct Bodies {
    functions: Vec<Range>,
    /// Whether a loop without a list iterates over the arguments.
    loops_over_arguments: bool,
}

impl Bodies {
    fn add(&mut self, sequence: &Sequence) {
        sequence.items.iter().for_each(|item| self.add_item(item));
    }

    // The parser limits nesting, so recursion can't overflow the stack.
    fn add_item(&mut self, item: &Item) {
        for node in &item.elements {
            match &node.kind {
                Kind::Function { body, .. } => self.functions.extend(body.elements.iter().map(|node| node.span)),
                Kind::Subshell(inner) | Kind::Group(inner) | Kind::Timed(inner) => self.add(inner),
                Kind::If { arms, otherwise } => {
                    arms.iter().for_each(|(condition, body)| {
                        self.add(condition);
                        self.add(body);
                    });
                    otherwise.iter().for_each(|body| self.add(body));
                }
                Kind::Loop { condition, variable, words, arithmetic, body, .. } => {
                    self.loops_over_arguments |= !variable.is_empty() && words.is_empty() && arithmetic.is_empty();
                    condition.iter().for_each(|condition| self.add(condition));
                    self.add(body);
                }
                Kind::Case { arms, .. } => arms.iter().for_each(|(_, body)| self.add(body)),
                Kind::Coprocess(item) => self.add_item(item),
                Kind::Simple { .. } | Kind::Test(_) | Kind::Arithmetic(_) => {}
            }
        }
    }
}

/// Returns the text without these ranges, comments, and what single quotes contain.
fn plain_text(text: &str, without: &[Range]) -> String {
    let (mut single, mut double, mut comment, mut escaped) = (false, false, false, false);
    let mut before = '\n';
    let mut plain = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        if without.iter().any(|range| (range.start..range.end).contains(&at)) {
            continue;
        }
        let is_escaped = std::mem::take(&mut escaped);
        match char {
            '\n' if comment => comment = false,
            _ if comment => continue,
            '\\' if !single && !is_escaped => escaped = true,
            '\'' if !double && !is_escaped => single = !single,
            '"' if !single && !is_escaped => double = !double,
            '#' if !single && !double && (before.is_whitespace() || before == ';') => comment = true,
            _ => {}
        }
        if !single && !comment && !is_escaped {
            plain.push(char);
        }
        before = char;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_script_uses_its_arguments_outside_of_functions() {
        for text in [
            "rm \"$1\"",
            "main() {\n  echo hi\n}\nmain \"$@\"",
            "if [ $# -gt 0 ]; then exit; fi",
            "while getopts n flag; do DRY=1; done",
            "for each; do echo \"$each\"; done",
            "case \"${1:-}\" in --dry-run) exit;; esac",
            "it='s' && echo ${2}",
            "echo \"it's $1\"",
        ] {
            assert!(shell_uses_arguments(text), "{text}");
        }
        for text in [
            "echo hi",
            "log() { echo \"[$1] $*\"; }\nlog a",
            "if true; then f() { shift; }; fi\nf a",
            "docker ps | awk '{ print $1 }'",
            "# usage: deploy.sh $1\necho ${#list}",
            "for each in a b; do echo \"$each\"; done",
            "echo \\$1",
        ] {
            assert!(!shell_uses_arguments(text), "{text}");
        }
    }

    #[test]
    fn code_uses_its_arguments_by_a_variable_or_a_library() {
        for (program, code) in [
            ("python3", "import sys\nprint(sys.argv)"),
            ("python3", "import click"),
            ("node", "const dry = process.argv.includes('--dry-run')"),
            ("ruby", "puts ARGV"),
            ("perl", "my $dry = shift;"),
            ("php", "<?php echo $argv[1];"),
        ] {
            assert_eq!(uses_arguments(program, code), Some(true), "{code}");
        }
        for (program, code) in [
            ("python3", "target = run(**kwargs)"),
            ("node", "require('child_process').execSync('docker push x')"),
            ("ruby", "system('cap deploy')"),
        ] {
            assert_eq!(uses_arguments(program, code), Some(false), "{code}");
        }
        assert_eq!(uses_arguments("lua", "os.execute('x')"), None);
    }
}
