//! Calls that delete files in languages without a table, recognized by the words of their names:
//! `removeDirectoryRecursive`, `Files.delete`, `delete-tree`.
//!
//! A literal path is used as it is. With any other path, the code deletes something unknown, unless the path comes from
//! a call that creates a temporary file or folder.

use guard_sdk::code::literal;

use super::super::Found;
use crate::draft::Draft;

/// Languages whose calls are in tables, by program name.
const TABLED: &[&str] = &[
    "applescript",
    "awk",
    "javascript",
    "lua",
    "luajit",
    "nu",
    "perl",
    "php",
    "python",
    "r",
    "rscript",
    "ruby",
    "sed",
    "xonsh",
];

/// Words for a deletion.
const VERBS: &[&str] = &["del", "delete", "destroy", "erase", "purge", "remove", "rm", "shred", "trash", "wipe"];

/// Words that mean both a deletion and a file or folder.
const WHOLE: &[&str] = &["deltree", "removedir", "rm", "rmdir", "rmrf", "rmtree", "unlink"];

/// Words in a call's name for the deleted object.
const NOUNS: &[&str] = &[
    "dir",
    "directories",
    "directory",
    "dirs",
    "file",
    "files",
    "folder",
    "folders",
    "forcibly",
    "recurse",
    "recursive",
    "recursively",
    "rf",
];

/// Words of the object or module that a call belongs to.
const OWNERS: &[&str] =
    &["cwd", "dir", "directories", "directory", "file", "filesystem", "folder", "fs", "os", "shutil", "sys", "unix"];

/// Words of names for something in memory, or for a part of a file's name.
const OTHERS: &[&str] = &[
    "array",
    "cache",
    "child",
    "dict",
    "element",
    "entry",
    "ext",
    "extension",
    "filter",
    "handler",
    "header",
    "key",
    "keys",
    "last",
    "list",
    "listener",
    "map",
    "name",
    "names",
    "node",
    "observer",
    "prefix",
    "queue",
    "set",
    "stack",
    "suffix",
    "table",
    "watch",
    "watcher",
];

/// Words before a definition's name.
const DEFINES: &[&str] = &[
    "def",
    "defp",
    "fn",
    "fun",
    "func",
    "function",
    "let",
    "method",
    "proc",
    "procedure",
    "rec",
    "sub",
    "val",
    "void",
];

/// Openers of code in a string literal.
const INTERPOLATES: &[&str] = &["#{", "${", "$(", "\\("];

/// Words of recursive deletions.
const TREES: &[&str] = &[
    "all",
    "deltree",
    "dir",
    "directories",
    "directory",
    "folder",
    "folders",
    "forcibly",
    "item",
    "recurse",
    "recursive",
    "recursively",
    "rf",
    "rmrf",
    "rmtree",
    "tree",
];

/// Calls that create temporary files or folders.
const MAKES_TEMPORARY: &[&str] = &["mkdtemp", "mkdirtemp", "mktemp", "createtemp", "tempdir", "tempfile", "tmpfile"];

/// Words of calls that list files, whose literal isn't the deleted path.
const LISTS: &[&str] = &["entries", "enumerate", "find", "getfiles", "glob", "list", "read_dir", "readdir", "walk"];

/// The maximum number of examined calls, and the text size around a name.
const MOST: usize = 64;
const NEAR: usize = 256;

/// Returns whether a language's calls are only known by name.
pub(super) fn is_for(language: &str) -> bool {
    !TABLED.contains(&language)
}

/// Adds the deletions of a text.
pub(super) fn deletions(found: &mut Vec<Found>, program: &str, text: &str) {
    let mut deletes = false;
    let mut tried = 0;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let before = text.get(..text.len() - rest.len()).unwrap_or_default();
        let mut width = char.len_utf8();
        if rest.starts_with("'\"'") {
            width = 3;
        } else if let Some((_, after)) =
            (char == '"').then(|| literal(rest)).flatten().filter(|(text, _)| is_data(text))
        {
            width = rest.len() - after.len();
        } else if is_comment(before, rest) {
            width = rest.find('\n').unwrap_or(rest.len());
        } else if is_part(char) {
            width = name_width(rest);
            let (name, behind) = rest.split_at_checked(width).unwrap_or_default();
            if let Some(call) = Call::read(before, name, behind) {
                tried += 1;
                if tried > MOST {
                    found.push(Found::Unseen("more calls than are looked at".to_owned()));
                    break;
                }
                match call.path(text) {
                    Some(path) if call.takes_all() => found.push(Found::DeleteTree(path.to_owned())),
                    Some(path) => found.push(Found::Delete(path.to_owned())),
                    None => deletes |= !call.is_temporary(text),
                }
            }
        }
        rest = rest.get(width..).unwrap_or_default();
    }
    if deletes {
        found.push(Found::Effect(Draft::notable("execute", "code.unknown").tag("by", program).flag("deletes", true)));
    }
}

fn is_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Returns the length of the name at the start of the text. A Lisp name may contain dashes and slashes.
fn name_width(text: &str) -> usize {
    let end = |is_in: fn(char) -> bool| text.find(|char| !is_in(char)).unwrap_or(text.len());
    let plain = end(|char| is_part(char) || char == '-');
    let is_lisp = text.get(..plain).is_some_and(|name| name.contains('-'));
    if is_lisp { end(|char| is_part(char) || matches!(char, '-' | '/')) } else { plain }
}

/// Returns whether a line starts here that is a comment in each language that allows it.
fn is_comment(before: &str, rest: &str) -> bool {
    let begins = || before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty();
    ["// ", "-- ", "# ", ";; "].iter().any(|sign| rest.starts_with(sign)) && begins()
}

/// Returns whether a literal contains no code.
fn is_data(literal: &str) -> bool {
    !INTERPOLATES.iter().any(|sign| literal.contains(sign))
}

/// Returns the words of a name in lower case.
fn words(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        if char.is_ascii_uppercase() && was_lower || !char.is_ascii_alphanumeric() {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut().filter(|_| char.is_ascii_alphanumeric()) {
            last.push(char.to_ascii_lowercase());
        }
        was_lower = char.is_ascii_lowercase() || char.is_ascii_digit();
    }
    found
}

/// A call whose name says that it deletes files.
struct Call<'t> {
    words: Vec<String>,
    /// The expression before the name: `new File("a").` in `new File("a").delete()`.
    object: &'t str,
    arguments: &'t str,
}

impl<'t> Call<'t> {
    fn read(before: &'t str, name: &str, behind: &'t str) -> Option<Self> {
        let own = words(name);
        let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let is_whole = has(&own, WHOLE) || own.concat() == "rmdirrecurse";
        if !is_whole && !has(&own, VERBS) && own.first().is_none_or(|first| first != "all") {
            return None;
        }
        let mut object = object(before);
        // In Tcl, the verb follows `file`.
        if object.is_empty() && before.ends_with("file ") {
            object = "file";
        }
        let owner = words(&unquoted(&outside(object)));
        let owned = has(&owner, OWNERS) || object.contains("Files");
        let verb =
            is_whole || has(&own, VERBS) || owned && owner.iter().rev().nth(1).is_some_and(|word| word == "remove");
        let names = has(&own, NOUNS) || own.iter().any(|word| word == "tree") && name.contains('-');
        let is_loss = match object.is_empty() {
            true => is_whole || names,
            false => owned || names,
        };
        // A number is an element's index.
        let is_place =
            behind.strip_prefix('(').is_some_and(|behind| behind.starts_with(|char: char| char.is_ascii_digit()));
        if !verb || !is_loss || is_place || has(&own, OTHERS) || has(&owner, OTHERS) {
            return None;
        }
        let arguments = arguments(before, object, behind, names || owned)?;
        Some(Call { words: own.into_iter().chain(owner).collect(), object, arguments })
    }

    /// Returns the path from a literal, or a name with a literal value: the first argument, or the object's.
    fn path(&self, text: &'t str) -> Option<&'t str> {
        let own = path_in(self.arguments).or_else(|| given(text, self.arguments));
        own.or_else(|| {
            if argument(self.arguments).is_some() {
                return None;
            }
            let quoted = self.object.find(['"', '\'']).and_then(|at| self.object.get(at..));
            quoted.map_or_else(|| given(text, self.object), path_in)
        })
    }

    fn takes_all(&self) -> bool {
        let options = self.arguments.split(';').next().unwrap_or_default();
        self.words.iter().any(|word| TREES.contains(&word.as_str()))
            || ["recursive", "true", "'s'", "\"s\""].iter().any(|option| options.contains(option))
    }

    /// Returns whether the call takes a name whose only value comes from a call that creates a temporary file or
    /// folder.
    fn is_temporary(&self, text: &str) -> bool {
        let given = match self.arguments.split([')', ',', ';', '\n']).next().unwrap_or_default() {
            "" => self.object.trim_end_matches(['.', ':']),
            given => given,
        };
        let statements = text.split(['\n', ';', '{', '}']);
        let mut lines = statements.filter(|line| assigned(line).any(|own| own == given)).take(2);
        let (Some(line), None) = (lines.next(), lines.next()) else { return false };
        assigned(line).next() == Some(given) && makes_temporary(line)
    }
}

/// Returns whether the first value assigned in the line is such a call.
fn makes_temporary(line: &str) -> bool {
    let value = line.split_once('=').map_or("", |(_, value)| value);
    let (call, _) = value.split_once('(').unwrap_or_default();
    let call = call.to_ascii_lowercase();
    MAKES_TEMPORARY.iter().any(|name| call.ends_with(name))
}

/// Returns the names in a piece of code.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char| !is_part(char)).filter(|name| !name.is_empty() && *name != "_")
}

/// Returns the names that a line assigns.
fn assigned(line: &str) -> impl Iterator<Item = &str> {
    names(line.split_once('=').map_or("", |(names, _)| names))
}

/// Returns the expression that a name belongs to: the text before it up to a blank, including brackets and literals.
fn object(before: &str) -> &str {
    if !before.ends_with(['.', ':', '>']) || before.ends_with("=>") || before.ends_with(": ") {
        return "";
    }
    let mut depth = 0_usize;
    let mut start = before.len();
    for (at, char) in before.char_indices().rev().take(NEAR) {
        match char {
            ')' | ']' => depth += 1,
            '(' | '[' => match depth.checked_sub(1) {
                Some(left) => depth = left,
                None => break,
            },
            _ if depth > 0 || is_part(char) || ".:>-!?$@\"'~/".contains(char) => {}
            _ => break,
        }
        start = at;
    }
    before.get(start..).unwrap_or_default()
}

/// Returns the text without its bracketed parts.
fn outside(text: &str) -> String {
    let mut depth = 0_usize;
    text.chars()
        .filter(|char| {
            match char {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
        .collect()
}

/// Returns the text without its literals.
fn unquoted(text: &str) -> String {
    text.split(['"', '\'']).step_by(2).collect()
}

/// Returns the text after the name if the name is called there.
fn arguments<'t>(before: &str, object: &str, behind: &'t str, is_plain: bool) -> Option<&'t str> {
    let behind = behind.strip_prefix(['!', '?']).unwrap_or(behind);
    let near = behind.get(..behind.char_indices().nth(NEAR).map_or(behind.len(), |(at, _)| at)).unwrap_or(behind);
    let head = before.get(..before.len() - object.len()).unwrap_or_default();
    let line = head.trim_end_matches([' ', '\t', '*', '&']);
    let last = line.rsplit(|char: char| !is_part(char)).next().filter(|_| line.len() < head.len()).unwrap_or_default();
    if near.starts_with(['(', '[']) {
        let is_defined = DEFINES.contains(&last) && object.is_empty();
        return near.get(1..).filter(|_| !is_defined);
    }
    let blank = near.trim_start_matches(' ');
    // A function passed to one that visits many files.
    let is_last = near.is_empty() || near.starts_with(['\n', ')', ',']);
    let begin = line.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_import = ["import", "open", "use", "using"].iter().any(|word| begin.starts_with(word));
    let is_applied = is_plain && !last.is_empty() && !DEFINES.contains(&last) && !is_import;
    if is_last && (object.ends_with("::") || is_applied) {
        return Some("");
    }
    let is_bare = blank.starts_with(['"', '\'', '$', '#']) || object == "file" && blank.starts_with('-');
    let is_argument = |char| is_part(char) || char == '(';
    let is_bare = is_bare || is_plain && blank.len() < near.len() && blank.starts_with(is_argument);
    (is_bare && !DEFINES.contains(&last)).then_some(blank)
}

/// Returns the first literal of the arguments, if nothing is concatenated to it.
fn path_in(arguments: &str) -> Option<&str> {
    let at = arguments.find(['"', '\''])?;
    let before = arguments.get(..at)?;
    let (path, after) = literal(arguments.get(at..)?)?;
    // A name before the literal is a constructor or an argument's name.
    let lower = before.to_ascii_lowercase();
    let is_wrapped = !LISTS.iter().any(|list| lower.contains(list))
        && before.split([' ', '(']).all(|part| {
            part.is_empty()
                || part.ends_with(':')
                || part.contains(['.', ':', '#'])
                || matches!(part, "new" | "p")
                || part.starts_with(|char: char| char.is_ascii_uppercase())
        });
    let ends = matches!(
        after.trim_start_matches(' ').chars().next(),
        None | Some(',' | ')' | ']' | ';' | '\n' | '}' | '|' | '.' | ':')
    );
    let is_plain = !path.is_empty() && !path.contains(['\\', '\n', '$', '{', '%']);
    (is_wrapped && !before.contains([',', ';', '\n', '+', '}', ')', '[']) && ends && is_plain).then_some(path)
}

/// Returns the literal from the only assignment to the name at the start of an argument or object.
fn given<'t>(text: &'t str, expression: &str) -> Option<&'t str> {
    let bare = expression.trim_start_matches(['&', '*', '$', '@', ' ']);
    let end = bare.find(|char| !is_part(char)).unwrap_or(bare.len());
    let (name, behind) = bare.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    if !behind.is_empty() && !behind.starts_with([')', ',', ']', ';', '\n']) && behind != "." {
        return None;
    }
    let mut values = text.lines().filter(|line| assigned(line).any(|own| own == name)).take(2);
    let (line, None) = (values.next()?, values.next()) else { return None };
    let (_, value) = line.split_once('=')?;
    path_in(value.trim_start_matches(['&', ' '])).filter(|_| !value.starts_with('='))
}

/// Returns the first argument of the call that isn't an option.
fn argument(arguments: &str) -> Option<&str> {
    let inside = arguments.split(')').next()?.trim();
    let is_option = inside.contains(':') || inside.contains('=') || inside == "true";
    (!inside.is_empty() && !is_option && !inside.starts_with(['.', ';'])).then_some(inside)
}

#[cfg(test)]
mod tests;
