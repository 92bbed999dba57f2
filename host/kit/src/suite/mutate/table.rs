//! The table of all rewrites, from which `guest-sdk/docs/mutations.md` is generated.

use super::paths::{PathForm, PathUse};
use super::shape::Shape;
use super::{Preserved, Rewrite, Rewriter, data, options, paths, prefix, words, wrap};

type Example = (&'static str, &'static str);
type Command = fn(&Shape<'_>) -> Option<String>;
type Path = fn(&PathUse<'_>) -> Option<PathForm>;

const fn meaning(id: &'static str, about: &'static str, example: Example, how: Command) -> Rewrite {
    Rewrite { id, about, keeps: Preserved::Meaning, example, how: Rewriter::Command(how) }
}

const fn deed(id: &'static str, about: &'static str, example: Example, how: Command) -> Rewrite {
    Rewrite { id, about, keeps: Preserved::Deed, example, how: Rewriter::Command(how) }
}

const fn text(id: &'static str, about: &'static str, example: Example, how: fn(&str) -> Option<String>) -> Rewrite {
    Rewrite { id, about, keeps: Preserved::Text, example, how: Rewriter::Data(how) }
}

const fn path(id: &'static str, about: &'static str, example: Example, how: Path) -> Rewrite {
    Rewrite { id, about, keeps: Preserved::Meaning, example, how: Rewriter::Path(how) }
}

const fn path_deed(id: &'static str, about: &'static str, example: Example, how: Path) -> Rewrite {
    Rewrite { id, about, keeps: Preserved::Deed, example, how: Rewriter::Path(how) }
}

/// Every rewrite: of actions, data and paths.
#[rustfmt::skip]
pub const REWRITES: &[Rewrite] = &[
    meaning("quote-single", "the last argument in single quotes", ("rm -rf build", "rm -rf 'build'"), words::quote_argument),
    meaning("quote-double", "the last argument in double quotes", ("rm -rf build", "rm -rf \"build\""), words::double),
    meaning("quote-ansi-c", "the last argument with each byte as a number", ("rm -rf build", "rm -rf $'\\x62\\x75\\x69\\x6c\\x64'"), words::ansi_c),
    meaning("quote-all", "the program and its arguments in single quotes", ("rm -rf build", "'rm' '-rf' 'build'"), words::quote_all),
    meaning("quote-program", "the program in double quotes", ("rm -rf build", "\"rm\" -rf build"), words::program_double),
    meaning("program-ansi-c", "the program with each byte as a number", ("rm -rf build", "$'\\x72\\x6d' -rf build"), words::program_ansi_c),
    meaning("backslash", "a backslash before the program", ("rm -rf build", "\\rm -rf build"), words::backslash),
    meaning("backslash-inside", "a backslash inside the program's name", ("rm -rf build", "r\\m -rf build"), words::backslash_inside),
    meaning("empty-quotes", "empty quotes inside the program's name", ("rm -rf build", "r''m -rf build"), words::empty_quotes),
    meaning("empty-quotes-argument", "empty quotes inside the last argument", ("rm -rf build", "rm -rf b\"\"uild"), words::empty_quotes_argument),
    meaning("continued", "each word on its own line", ("rm -rf build", "rm \\\n  -rf \\\n  build"), words::continue_lines),
    meaning("continued-inside", "a line break inside the program's name", ("rm -rf build", "r\\\nm -rf build"), words::continue_inside_word),
    meaning("blanks", "a tab and more blanks between words", ("rm -rf build", "rm \t -rf \t build"), words::blanks),
    meaning("braces", "the last two words as a brace expansion", ("rm -rf build", "rm {-rf,build}"), words::braces),
    meaning("program-variable", "the program in a variable", ("rm -rf build", "c=rm; $c -rf build"), words::program_variable),
    meaning("argument-variable", "the last argument in a variable", ("rm -rf build", "a='build'; rm -rf \"$a\""), words::argument_variable),
    meaning("arguments-array", "the arguments in an array", ("rm -rf build", "a=(-rf build); rm \"${a[@]}\""), words::array),
    meaning("path-absolute", "the program with its path", ("rm -rf build", "/bin/rm -rf build"), words::absolute),
    meaning("path-bare", "the program without its path", ("/bin/rm -rf build", "rm -rf build"), words::strip_program_folder),
    meaning("options-split", "combined options, separated", ("rm -rf build", "rm -r -f build"), options::split),
    meaning("options-joined", "separate options, combined", ("rm -r -f build", "rm -rf build"), options::join_options),
    meaning("options-reversed", "combined options in another order", ("rm -rf build", "rm -fr build"), options::reverse_options),
    meaning("options-last", "the options after the other arguments", ("git push --force origin main", "git push origin main --force"), options::move_options_last),
    meaning("options-long", "an option in its long form", ("git push -f origin main", "git push --force origin main"), options::spell_out_options),
    meaning("options-short", "an option in its short form", ("git push --force origin main", "git push -f origin main"), options::shorten_options),
    meaning("options-ended", "`--` before the operands", ("rm -rf build", "rm -rf -- build"), options::end_options),
    meaning("command", "run by `command`", ("rm -rf build", "command rm -rf build"), prefix::command),
    meaning("env", "run by `env`", ("rm -rf build", "env rm -rf build"), prefix::env),
    meaning("env-assigned", "run by `env` with a variable", ("rm -rf build", "env X=1 rm -rf build"), prefix::env_assigned),
    meaning("assigned", "with a variable assignment", ("rm -rf build", "X=1 rm -rf build"), prefix::prepend_assignment),
    meaning("nohup", "run by `nohup`", ("rm -rf build", "nohup rm -rf build"), prefix::nohup),
    meaning("timeout", "run by `timeout`", ("rm -rf build", "timeout 5 rm -rf build"), prefix::timeout),
    meaning("nice", "run by `nice`", ("rm -rf build", "nice -n 1 rm -rf build"), prefix::nice),
    meaning("setsid", "run in its own session", ("rm -rf build", "setsid -w rm -rf build"), prefix::setsid),
    meaning("stdbuf", "run by `stdbuf`", ("rm -rf build", "stdbuf -oL rm -rf build"), prefix::stdbuf),
    meaning("exec", "replaces the shell", ("rm -rf build", "exec rm -rf build"), prefix::exec),
    meaning("time", "timed", ("rm -rf build", "time rm -rf build"), prefix::time),
    deed("sudo", "run by `sudo`", ("rm -rf build", "sudo rm -rf build"), prefix::sudo),
    deed("sudo-user", "run by `sudo` with an option", ("rm -rf build", "sudo -u root rm -rf build"), prefix::sudo_user),
    deed("doas", "run by `doas`", ("rm -rf build", "doas rm -rf build"), prefix::doas),
    deed("ssh", "run on another machine; only if the loss would be permanent on any machine", ("rm -rf /", "ssh host 'rm -rf /'"), prefix::ssh),
    meaning("xargs", "the last argument from standard input", ("rm -rf build", "echo build | xargs rm -rf"), prefix::xargs),
    meaning("find-exec", "run by `find`, once", ("rm -rf build", "find . -maxdepth 0 -exec rm -rf build \\;"), prefix::find),
    meaning("bash-c", "run by another bash", ("rm -rf build", "bash -c 'rm -rf build'"), wrap::bash),
    meaning("bash-lc", "run by a login shell", ("rm -rf build", "bash -lc 'rm -rf build'"), wrap::login_bash),
    meaning("sh-c", "run by `sh`; not for syntax that only Bash supports", ("rm -rf build", "sh -c 'rm -rf build'"), wrap::sh),
    deed("eval", "run by `eval`", ("rm -rf build", "eval 'rm -rf build'"), wrap::eval),
    deed("here-document", "the script that Bash reads from a here-document; not for commands that read standard input", ("rm -rf build", "bash <<'END'\nrm -rf build\nEND"), wrap::here_document),
    deed("here-string", "the same, from a here-string", ("rm -rf build", "bash <<< 'rm -rf build'"), wrap::here_string),
    deed("piped", "the same, from a pipe into `sh`", ("rm -rf build", "printf '%s\\n' 'rm -rf build' | sh"), wrap::pipe_input),
    meaning("substitution", "in a command substitution", ("rm -rf build", "echo \"$( rm -rf build )\""), wrap::substitution),
    meaning("backticks", "in backticks", ("rm -rf build", "echo `rm -rf build`"), wrap::backticks),
    meaning("process", "in a process substitution", ("rm -rf build", "cat <( rm -rf build )"), wrap::process),
    meaning("subshell", "in a subshell", ("rm -rf build", "( rm -rf build )"), wrap::subshell),
    meaning("group", "in a group", ("rm -rf build", "{ rm -rf build; }"), wrap::group),
    meaning("group-redirected", "in a group with a redirection", ("rm -rf build", "{ rm -rf build; } 2>&1"), wrap::group_redirected),
    meaning("if", "after `if true`", ("rm -rf build", "if true; then rm -rf build; fi"), wrap::condition),
    meaning("for", "in a loop over one word", ("rm -rf build", "for i in 1; do rm -rf build; done"), wrap::for_loop),
    meaning("while", "in a loop that ends at once", ("rm -rf build", "while true; do rm -rf build; break; done"), wrap::while_loop),
    meaning("until", "in an `until` loop", ("rm -rf build", "until false; do rm -rf build; break; done"), wrap::until_loop),
    meaning("case", "in the only branch of a `case`", ("rm -rf build", "case x in x) rm -rf build ;; esac"), wrap::case),
    meaning("function", "in a function that is called", ("rm -rf build", "f() { rm -rf build; }; f"), wrap::function),
    deed("trap", "when the shell ends", ("rm -rf build", "trap 'rm -rf build' EXIT"), wrap::trap),
    meaning("and-true", "`&& true` after it", ("rm -rf build", "rm -rf build && true"), wrap::and_true),
    meaning("or-true", "`|| true` after it", ("rm -rf build", "rm -rf build || true"), wrap::or_true),
    meaning("then-true", "`; true` after it", ("rm -rf build", "rm -rf build; true"), wrap::then_true),
    meaning("true-and", "`true &&` before it", ("rm -rf build", "true && rm -rf build"), wrap::true_and),
    meaning("false-or", "`false ||` before it", ("rm -rf build", "false || rm -rf build"), wrap::false_or),
    meaning("true-then", "`true;` before it", ("rm -rf build", "true; rm -rf build"), wrap::echo_first),
    meaning("cd-dot", "`cd . &&` before it", ("rm -rf build", "cd . && rm -rf build"), wrap::cd_dot),
    meaning("line-before", "an empty line before it", ("rm -rf build", "\nrm -rf build"), wrap::line_before),
    meaning("lines-around", "a line before it and a line after it", ("rm -rf build", "true\nrm -rf build\ntrue"), wrap::lines_around),
    meaning("comment", "a comment after it", ("rm -rf build", "rm -rf build # as agreed"), wrap::comment),
    meaning("negated", "its result negated", ("rm -rf build", "! rm -rf build"), wrap::negate),
    meaning("background", "in the background", ("rm -rf build", "rm -rf build &"), wrap::background),
    meaning("errors-dropped", "its errors dropped", ("rm -rf build", "rm -rf build 2>/dev/null"), wrap::errors_dropped),
    meaning("output-dropped", "its output dropped; not for commands whose purpose is their output", ("rm -rf build", "rm -rf build >/dev/null 2>&1"), wrap::output_dropped),
    meaning("piped-on", "its output passed on", ("rm -rf build", "rm -rf build | cat"), wrap::pipe_output),
    text("data-echo", "printed by `echo`", ("ls -la", "echo 'ls -la'"), data::echo),
    text("data-printf", "printed by `printf`", ("ls -la", "printf '%s\\n' 'ls -la'"), data::printf),
    text("data-commit", "the message of a commit", ("ls -la", "git commit -m 'ls -la'"), data::commit),
    text("data-commit-here", "the message of a commit, from a quoted here-document", ("ls -la", "git commit -F - <<'END'\nls -la\nEND"), data::commit_here),
    text("data-grep", "the text of a search", ("ls -la", "grep -F -e 'ls -la' notes.txt"), data::grep),
    text("data-here-document", "in a quoted here-document that is written to a file", ("ls -la", "cat <<'END' > notes.txt\nls -la\nEND"), data::here_document),
    text("data-here-string", "in a here-string", ("ls -la", "cat <<< 'ls -la'"), data::here_string),
    text("data-comment", "a comment", ("ls -la", "true # ls -la"), data::comment),
    text("data-variable", "a variable that is never run", ("ls -la", "x='ls -la'"), data::variable),
    text("data-nothing", "an argument of `:`", ("ls -la", ": 'ls -la'"), data::no_op),
    text("data-compared", "one side of a comparison", ("ls -la", "[ 'ls -la' = y ]"), data::test_comparison),
    text("data-matched", "the word of a `case`", ("ls -la", "case 'ls -la' in y) true ;; esac"), data::case_pattern),
    path("path-dot", "`.` before the name", ("/repo/src/a.rs", "/repo/src/./a.rs"), paths::dot),
    path("path-slashes", "two slashes before the name", ("/repo/src/a.rs", "/repo/src//a.rs"), paths::slashes),
    path("path-up-and-down", "out of the folder and back; only without links on the way", ("/repo/src/a.rs", "/repo/src/../src/a.rs"), paths::with_parent_step),
    path("path-out-and-in", "out of the working directory and back", ("src/a.rs", "../repo/src/a.rs"), paths::with_round_trip),
    path("path-written-out", "a relative path made absolute", ("src/a.rs", "/repo/src/a.rs"), paths::absolute),
    path("path-relative", "an absolute path in the working directory made relative", ("/repo/src/a.rs", "src/a.rs"), paths::relative),
    path("path-home", "`~` expanded", ("~/a.txt", "/home/u/a.txt"), paths::home),
    path("path-folder-slash", "a slash after a folder", ("/repo/src", "/repo/src/"), paths::folder_slash),
    path_deed("path-link", "through a symbolic link to the folder, which is added to the case's files", ("/etc/hosts", "/repo/mutant-link/hosts"), paths::link),
];
