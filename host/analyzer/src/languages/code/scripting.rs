//! Ruby, Perl and PHP: calls without parentheses, and modes in the file's name.

use super::super::Found;
use super::paths;
use crate::draft::Draft;

/// The effect of a call on the path in its first argument.
#[derive(Clone, Copy)]
enum CallEffect {
    Read,
    Write,
    Delete,
    DeleteTree,
    Move,
    Copy,
    /// The file is empty afterwards.
    Empty,
    /// Other people may use the file afterwards.
    Change,
    /// The mode is in the next argument.
    Mode,
    /// Perl's arguments: a handle, a mode and a file, or a handle and the file with the mode before its name.
    Handle,
}

const RUBY: &[(&str, CallEffect)] = &[
    ("IO.read", CallEffect::Read),
    ("IO.readlines", CallEffect::Read),
    ("IO.foreach", CallEffect::Read),
    ("IO.binread", CallEffect::Read),
    ("IO.write", CallEffect::Write),
    ("IO.binwrite", CallEffect::Write),
    ("File.read", CallEffect::Read),
    ("File.readlines", CallEffect::Read),
    ("File.foreach", CallEffect::Read),
    ("File.binread", CallEffect::Read),
    ("File.write", CallEffect::Write),
    ("File.open", CallEffect::Mode),
    ("File.new", CallEffect::Mode),
    ("open", CallEffect::Mode),
    ("load", CallEffect::Read),
    ("File.delete", CallEffect::Delete),
    ("File.unlink", CallEffect::Delete),
    ("File.rename", CallEffect::Move),
    ("FileUtils.rm", CallEffect::Delete),
    ("FileUtils.rm_f", CallEffect::Delete),
    ("FileUtils.rm_r", CallEffect::DeleteTree),
    ("FileUtils.rm_rf", CallEffect::DeleteTree),
    ("FileUtils.remove_dir", CallEffect::DeleteTree),
    ("FileUtils.cp", CallEffect::Copy),
    ("FileUtils.cp_r", CallEffect::Copy),
    ("FileUtils.mv", CallEffect::Move),
    ("File.truncate", CallEffect::Empty),
    ("File.chmod", CallEffect::Change),
    ("File.chown", CallEffect::Change),
    ("FileUtils.chmod", CallEffect::Change),
    ("FileUtils.chmod_R", CallEffect::Change),
    ("FileUtils.chown", CallEffect::Change),
    ("FileUtils.chown_R", CallEffect::Change),
];

const PERL: &[(&str, CallEffect)] = &[
    ("open", CallEffect::Handle),
    ("unlink", CallEffect::Delete),
    ("rename", CallEffect::Move),
    ("copy", CallEffect::Copy),
    ("move", CallEffect::Move),
    ("rmtree", CallEffect::DeleteTree),
    ("remove_tree", CallEffect::DeleteTree),
    ("do", CallEffect::Read),
    ("read_file", CallEffect::Read),
    ("truncate", CallEffect::Empty),
    ("chmod", CallEffect::Change),
    ("chown", CallEffect::Change),
];

const PHP: &[(&str, CallEffect)] = &[
    ("readfile", CallEffect::Read),
    ("file", CallEffect::Read),
    ("file_get_contents", CallEffect::Read),
    ("highlight_file", CallEffect::Read),
    ("show_source", CallEffect::Read),
    ("parse_ini_file", CallEffect::Read),
    ("include", CallEffect::Read),
    ("include_once", CallEffect::Read),
    ("require", CallEffect::Read),
    ("require_once", CallEffect::Read),
    ("file_put_contents", CallEffect::Write),
    ("fopen", CallEffect::Mode),
    ("unlink", CallEffect::Delete),
    ("rename", CallEffect::Move),
    ("copy", CallEffect::Copy),
    ("ftruncate", CallEffect::Empty),
    ("chmod", CallEffect::Change),
    ("chown", CallEffect::Change),
];

const JULIA: &[(&str, CallEffect)] = &[("cp", CallEffect::Copy), ("mv", CallEffect::Move)];

/// The maximum number of examined calls.
const MOST: usize = 256;

/// Adds the effects of a text's calls on files. Returns whether the language is one of these.
pub(super) fn changes(found: &mut Vec<Found>, program: &str, language: &str, text: &str) -> bool {
    let calls = match language {
        "ruby" => RUBY,
        "perl" => PERL,
        "php" => PHP,
        "julia" => JULIA,
        _ => return false,
    };
    let mut tried = 0;
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        let begins = char.is_ascii_alphabetic() && !before.is_ascii_alphanumeric() && !"_.$@%&>".contains(before);
        before = char;
        if !begins {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let end =
            rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '.').unwrap_or(rest.len());
        let (name, tail) = rest.split_at_checked(end).unwrap_or_default();
        let Some((_, does)) = calls.iter().find(|(call, _)| *call == name) else { continue };
        tried += 1;
        if tried > MOST {
            found.push(Found::Unseen("more calls than are looked at".to_owned()));
            break;
        }
        let arguments = tail.trim_start();
        let arguments = arguments.strip_prefix('(').unwrap_or(arguments);
        let is_many = || is_repeated(text.get(..at).unwrap_or_default(), tail);
        match does {
            CallEffect::Move if is_many() => gather(found, program, arguments),
            CallEffect::Change if super::opens_all(text) && (name.ends_with("_R") || is_many() || lists(tail)) => {
                found.push(Found::On(folder(text), super::opened()));
            }
            CallEffect::Write | CallEffect::Mode | CallEffect::Handle | CallEffect::Empty
                if empties(name, *does, text, arguments) && is_many() =>
            {
                found.push(Found::Effect(
                    Draft::notable("execute", "code.unknown").tag("by", program).flag("deletes", true),
                ));
            }
            _ => {}
        }
        apply(found, program, *does, arguments);
    }
    // For the other languages, these calls are incomplete.
    language != "julia"
}

fn apply(found: &mut Vec<Found>, program: &str, does: CallEffect, arguments: &str) {
    if let CallEffect::Handle = does {
        return handle(found, program, arguments);
    }
    let Some((path, rest)) = paths::read(arguments) else { return };
    let second = || paths::read(rest.trim_start().strip_prefix(',')?).map(|(path, _)| path);
    match does {
        CallEffect::Read => found.push(Found::Read(path)),
        CallEffect::Write | CallEffect::Empty => found.push(Found::Write(path)),
        CallEffect::Delete => found.push(Found::Delete(path)),
        CallEffect::Change => {}
        CallEffect::DeleteTree => found.push(Found::DeleteTree(path)),
        CallEffect::Copy | CallEffect::Move => {
            found.push(if matches!(does, CallEffect::Copy) { Found::Read(path) } else { Found::Delete(path) });
            found.extend(second().map(Found::Write));
        }
        CallEffect::Mode | CallEffect::Handle => {
            let mode = second().unwrap_or_default();
            found.push(opened(program, path, mode.contains(['w', 'a', 'x', 'c', '+']), mode.contains('a')));
        }
    }
}

/// Words for a loop over many files: before the call, or after it in Perl.
const LOOPS: &[&str] = &["for ", "foreach", ".each", "while", "for(", "find("];

/// Calls that list files, or the lines of a file that may contain file names.
const LISTS: &[&str] = &[
    "glob",
    "Dir[",
    "<*",
    "readdir",
    "scandir",
    "children",
    "entries",
    "Find.find",
    "find(",
    "DirectoryIterator",
    "readlines",
    "foreach(",
    "list.files",
    "file(",
];

/// Returns whether the call runs once for each of many files.
fn is_repeated(before: &str, behind: &str) -> bool {
    let statement = behind.split(';').next().unwrap_or_default();
    let loops = |text: &str| LOOPS.iter().any(|word| text.contains(word));
    loops(before) && lists(before) || loops(statement) && lists(statement)
}

/// Returns whether code lists files, or reads the lines of a file.
fn lists(text: &str) -> bool {
    LISTS.iter().any(|list| text.contains(list))
}

/// Words for writing to an open file.
const FILLS: &[&str] = &["print", "puts", "<<", ".write", "fwrite", "fputs", "say "];

/// Returns whether a call with these arguments empties a file whose name isn't a literal.
fn empties(name: &str, does: CallEffect, text: &str, arguments: &str) -> bool {
    let statement = arguments.split([';', '\n']).next().unwrap_or_default();
    let has = |signs: &[&str]| signs.iter().any(|sign| statement.contains(sign));
    let is_literal = does_name(arguments);
    match does {
        _ if is_literal => false,
        CallEffect::Empty => true,
        CallEffect::Write => has(&["\"\"", "''"]) && !statement.contains("APPEND"),
        CallEffect::Mode => has(&["\"w\"", "'w'"]) && !FILLS.iter().any(|word| text.contains(word)),
        _ => name == "open" && has(&["\">\"", "'>'", "\">$", "'>', "]) && !FILLS.iter().any(|word| text.contains(word)),
    }
}

/// Returns whether the first argument is a literal path without a variable.
fn does_name(arguments: &str) -> bool {
    paths::read(arguments)
        .is_some_and(|(path, rest)| !path.contains(['$', '#']) && rest.trim_start().starts_with([',', ')']))
}

/// Returns the folder whose files the code visits: the first literal with an absolute path, or the working directory.
fn folder(text: &str) -> String {
    let mut literals = text.split(['"', '\'']).skip(1).step_by(2).take(MOST);
    let path = literals.find(|part| part.starts_with('/') || part.starts_with("~/")).unwrap_or(".");
    path.split('*').next().unwrap_or(path).to_owned()
}

/// Adds the write of many files to one name: the first argument is a variable, and the second is a text without one.
fn gather(found: &mut Vec<Found>, program: &str, arguments: &str) {
    let Some((source, behind)) = arguments.split_once(',') else { return };
    let source = source.trim();
    let is_variable = !source.is_empty()
        && source.trim_start_matches('$').chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        && !source.starts_with(|char: char| char.is_ascii_digit());
    let Some((name, _)) = paths::read(behind.trim_start()).filter(|_| is_variable) else { return };
    let is_one = !name.contains(['$', '#', '{']) && !name.ends_with('/');
    let extension = name.rsplit('/').next().and_then(|last| last.rsplit_once('.')).map(|(_, end)| end.len());
    if is_one && extension.is_some_and(|length| (1..=5).contains(&length)) {
        found.push(Found::WriteAs(name.clone(), Draft::notable("write", "fs.write").tag("by", program)));
        found.push(Found::WriteAs(name, Draft::many_to_one()));
    }
}

/// Adds the effects of `open(my $f, '<', 'file')` and `open F, ">file"`.
fn handle(found: &mut Vec<Found>, program: &str, arguments: &str) {
    let Some((_, behind)) = arguments.split_once(',') else { return };
    let behind = behind.trim_start();
    // A mode alone isn't a path, so it is parsed as a string.
    let mode = behind
        .get(1..)
        .filter(|_| behind.starts_with(['"', '\'']))
        .map(|rest| rest.split(['"', '\'']).next().unwrap_or_default());
    let mode = mode.unwrap_or_default();
    let sign = mode.trim_start().trim_start_matches(['<', '>', '+']);
    let is_mode = mode.trim_start().starts_with(['<', '>', '+']) && (sign.trim().is_empty() || sign.starts_with(':'));
    let named = if is_mode {
        let rest = behind.get(mode.len() + 2..).and_then(|rest| rest.trim_start().strip_prefix(','));
        rest.and_then(paths::read).map(|(path, _)| path)
    } else {
        paths::read(behind).map(|(path, _)| path.trim_start_matches([' ', '<', '>', '+']).to_owned())
    };
    let Some(path) =
        named.filter(|path| !path.is_empty() && !path.starts_with(['&', '|', '-']) && !path.ends_with('|'))
    else {
        return;
    };
    found.push(opened(program, path, mode.contains('>') || mode.contains('+'), mode.contains(">>")));
}

fn opened(program: &str, path: String, writes: bool, appends: bool) -> Found {
    if !writes {
        return Found::Read(path);
    }
    Found::WriteAs(
        path,
        Draft::notable("write", "fs.write").flag("append", appends).flag("truncate", !appends).tag("by", program),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        changes(&mut found, language, language, text);
        let show = |found| match found {
            Found::Read(path) => format!("reads {path}"),
            Found::Write(path) | Found::WriteAs(path, _) => format!("writes {path}"),
            Found::Delete(path) => format!("deletes {path}"),
            Found::DeleteTree(path) => format!("deletes all of {path}"),
            other => format!("{other:?}"),
        };
        found.into_iter().map(show).collect()
    }

    #[test]
    fn calls_need_no_parentheses() {
        for (language, text, expected) in [
            ("ruby", "puts IO.read('a')", "reads a"),
            ("ruby", "puts File.read \"a\"", "reads a"),
            ("ruby", "File.open(Dir.home + '/a', 'w') { |f| f << 1 }", "writes $HOME/a"),
            ("ruby", "FileUtils.rm_rf 'a'", "deletes all of a"),
            ("php", "readfile('a');", "reads a"),
            ("php", "include 'a';", "reads a"),
            ("php", "fopen('a', 'w');", "writes a"),
            ("perl", "open F,\"a\"; print <F>", "reads a"),
            ("perl", "open(my $f, '<', 'a')", "reads a"),
            ("perl", "open my $f, '>>:utf8', 'a'", "writes a"),
            ("perl", "open F, \">$ENV{HOME}/a\"", "writes $HOME/a"),
            ("perl", "open(F, '> a') or die", "writes a"),
            ("perl", "truncate 'a', 0", "writes a"),
            ("ruby", "File.truncate('a', 0)", "writes a"),
            ("perl", "unlink 'a'", "deletes a"),
            ("perl", "print do 'a'", "reads a"),
        ] {
            assert_eq!(shown(language, text), [expected], "{text}");
        }
    }

    #[test]
    fn other_words_are_no_calls() {
        for (language, text) in [
            ("ruby", "x.open('a'); puts 'load'"),
            ("perl", "$open = 'a'; print \"unlink\""),
            ("php", "$file = 'a'; echo $o->file('a');"),
            ("perl", "open(F, 'ls|'); open(STDOUT, '>&', 1)"),
            ("perl", "do { print 1 } while 0"),
        ] {
            assert!(shown(language, text).is_empty(), "{text} {:?}", shown(language, text));
        }
    }
}
