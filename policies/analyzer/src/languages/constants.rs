//! Names of Python code that stand for one literal: a text, or a list that is written out.
//!
//! No language is parsed. A name counts only if it is set once, and if nothing that stands beside any other place of it
//! can set or change it.

use super::python_paths;

/// The most names, lines that look like one, places of a name, and the longest literal.
const MOST: usize = 64;
const TRIED: usize = 256;
const PLACES: usize = 256;
/// What is looked at of the line in which a name stands.
const LINE: usize = 512;
const LONGEST: usize = 4096;
/// Lists of names of lists.
const DEEP: usize = 3;

/// The program that runs the code itself.
const INTERPRETER: &str = "sys.executable";

/// Calls that find a program by a name, which is known without them.
const PROGRAMS: &[(&str, &str)] = &[(INTERPRETER, "'python3'"), ("imageio_ffmpeg.get_ffmpeg_exe()", "'ffmpeg'")];

/// The constants of a piece of code.
pub(crate) struct Constants<'t> {
    /// A name, where its value begins, and the value as it is written.
    known: Vec<(&'t str, usize, String)>,
    /// Nothing is to be put in.
    is_empty: bool,
}

impl<'t> Constants<'t> {
    /// Those of code of this language.
    pub(crate) fn of(language: &str, code: &'t str) -> Constants<'t> {
        let mut known: Vec<(&str, usize, String)> = Vec::new();
        if language != "python" {
            return Constants { known, is_empty: true };
        }
        let mut at = 0;
        let mut tried: Vec<&str> = Vec::new();
        for line in code.split_inclusive(['\n', ';']) {
            let start = at;
            at += line.len();
            let Some((name, _)) = line.split_once('=') else { continue };
            let name = name.trim();
            let value_at = start + line.find('=').map_or(0, |place| place + 1);
            let rest = code.get(value_at..).unwrap_or_default();
            if known.len() >= MOST || tried.len() >= TRIED || !is_name(name) || rest.starts_with('=') {
                continue;
            }
            // What is set twice is no constant, and was found to be none.
            if tried.contains(&name) {
                continue;
            }
            let Some(value) = value(code, rest.trim_start()) else { continue };
            tried.push(name);
            let set_at = start + line.find(name).unwrap_or(0);
            if is_set_once(code, name, set_at, !value.starts_with('[')) {
                known.push((name, value_at, value));
            }
        }
        let is_empty = known.is_empty() && !code.contains(INTERPRETER);
        Constants { known, is_empty }
    }

    /// The text behind a call's name, with the literals in the place of their names, if it has such names.
    pub(crate) fn inlined(&self, code_before: usize, tail: &str) -> Option<String> {
        if self.is_empty { None } else { self.replaced(code_before, tail, DEEP) }
    }

    /// The arguments of a call with what the first of them stands for, if it is a name.
    pub(crate) fn first(&self, code_before: usize, arguments: &str) -> Option<String> {
        let end = arguments.find(|c: char| !is_part(c))?;
        let (name, rest) = arguments.split_at_checked(end).filter(|(_, rest)| rest.starts_with([',', ')']))?;
        let rest = rest.get(..rest.floor_char_boundary(LONGEST))?;
        Some(format!("{}{rest}", self.value(code_before, name)?))
    }

    /// What is written for a name that is a text or a path.
    pub(crate) fn value(&self, code_before: usize, name: &str) -> Option<&str> {
        let set = |known: &&(&str, usize, String)| known.0 == name && known.1 < code_before;
        self.known.iter().find(set).map(|(_, _, value)| value.as_str())
    }

    fn replaced(&self, before: usize, text: &str, deep: usize) -> Option<String> {
        let deep = deep.checked_sub(1)?;
        let mut result = String::new();
        let mut changed = false;
        let mut depth = 0_usize;
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            if result.len() > LONGEST {
                return None;
            }
            if let Some(after) =
                rest.strip_prefix(INTERPRETER).filter(|_| !result.ends_with(|c| is_part(c) || c == '.'))
            {
                changed = true;
                result.push_str("'python3'");
                rest = after;
                continue;
            }
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            let width = if end > 0 { end } else { quoted(rest).unwrap_or(char.len_utf8()) };
            let (piece, after) = rest.split_at_checked(width)?;
            let next = after.trim_start();
            let alone =
                !result.ends_with('.') && !next.starts_with(['.', '(', '[', '=']) && !after.starts_with(['\'', '"']);
            let literal = |value: &str| value.starts_with(['\'', '"', '[']);
            let known = self.known.iter().find(|(name, at, value)| *name == piece && *at < before && literal(value));
            let value = known.filter(|_| alone);
            match value {
                Some((_, at, value)) => {
                    changed = true;
                    result.push_str(&self.replaced(*at, value, deep).unwrap_or_else(|| value.clone()));
                }
                None => result.push_str(piece),
            }
            match char {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            rest = after;
            if depth == 0 && matches!(char, ')' | ']') {
                break;
            }
        }
        result.push_str(rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or_default());
        changed.then_some(result)
    }
}

/// The literal that the text begins with, as it is written.
fn value(code: &str, text: &str) -> Option<String> {
    let module = |name: &str| code.contains(&format!("import {name}"));
    for (call, program) in PROGRAMS {
        let (owner, member) = call.split_once('.').unwrap_or_default();
        // Under its own name, or another one.
        let aliased = text.find('.').filter(|_| module(owner)).and_then(|at| text.get(at + 1..)).unwrap_or_default();
        let ends = aliased
            .strip_prefix(member)
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(['\n', ';']));
        let short =
            text.split('.').next().is_some_and(|short| short == owner || module(&format!("{owner} as {short}")));
        if ends && short {
            return Some((*program).to_owned());
        }
    }
    let found = text.strip_prefix("shutil.which(").unwrap_or(text);
    let end = match found.chars().next()? {
        '\'' | '"' => quoted(found)?,
        '[' => closes(found)?,
        _ => {
            let short = found.get(..found.floor_char_boundary(LONGEST))?;
            short.len() - python_paths::path(short)?.1.len()
        }
    };
    let literal = found.get(..end).filter(|literal| literal.len() <= LONGEST)?;
    let after = found.get(end..).unwrap_or_default();
    let after = if found.len() < text.len() { after.strip_prefix(')')? } else { after };
    let ends =
        after.trim_start_matches([' ', '\t']).chars().next().is_none_or(|c| matches!(c, '\n' | ';' | '#' | '\r'));
    ends.then(|| literal.to_owned())
}

/// Where a list ends that has only texts, names and numbers.
fn closes(text: &str) -> Option<usize> {
    let mut at = 1;
    while let Some(rest) = text.get(at..).filter(|_| at <= LONGEST) {
        match rest.chars().next()? {
            ']' => return Some(at + 1),
            '\'' | '"' => at += quoted(rest)?,
            char if char.is_ascii_alphanumeric() || char.is_whitespace() || "_,.-()".contains(char) => at += 1,
            '#' => at += rest.find('\n')?,
            _ => return None,
        }
    }
    None
}

/// How long the literal is that the text begins with.
fn quoted(text: &str) -> Option<usize> {
    guard_sdk::code::literal(text).map(|(_, rest)| text.len() - rest.len())
}

/// Whether no place but this one can set or change what the name stands for.
fn is_set_once(code: &str, name: &str, set_at: usize, is_text: bool) -> bool {
    let others = || code.match_indices(name).filter(|(at, _)| *at != set_at);
    others().nth(PLACES).is_none()
        && others().all(|(at, _)| {
            let (before, from) = code.split_at_checked(at).unwrap_or_default();
            let after = from.get(name.len()..).unwrap_or_default();
            if before.ends_with(is_part) || before.ends_with('.') || after.starts_with(is_part) {
                return true;
            }
            let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(LINE))..).unwrap_or_default();
            let line = near.rsplit(['\n', ';']).next().unwrap_or_default();
            let after = after.trim_start_matches([' ', '\t']);
            let begins = line.trim().is_empty() && !(is_text && after.starts_with('.'));
            let whole = line.len() < LINE;
            whole && !begins && !binds(line) && only_uses(after, is_text)
        })
}

/// Whether a name at the end of this part of a line may be set there.
fn binds(line: &str) -> bool {
    let word = line.trim_end().rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
    matches!(word, "for" | "as" | "class")
        || ["def ", "lambda ", "import ", "global ", "nonlocal ", "del ", "case "]
            .iter()
            .any(|start| line.contains(start))
}

/// Whether what follows a name only looks at it.
fn only_uses(after: &str, is_text: bool) -> bool {
    let behind = after.trim_start_matches([')', ']', '}', ' ', '\t']);
    let assigned = behind.starts_with('=') && !behind.starts_with("==");
    let looped = behind.starts_with("in ") && behind.len() < after.len();
    let closed = after.is_empty() || after.starts_with([')', ',', ']', '}', '\n', '\r']);
    let operated = ["==", "!=", "% ", "/ ", "+ ", ".", "[", ":", "if ", "and ", "or ", "not "];
    let operated = is_text && !after.starts_with(":=") && operated.iter().any(|start| after.starts_with(start));
    !assigned && !looped && (closed || operated)
}

fn is_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::Constants;

    #[test]
    fn a_name_that_is_set_once_is_its_literal() {
        for (code, expected) in [
            ("c = ['a', 'b']\nrun(c)", Some("(['a', 'b'])")),
            ("p = 'a.tmp'\nrun(p, 1)", Some("('a.tmp', 1)")),
            ("p = 'x'\nc = ['a', p]\nrun(c)", Some("(['a', 'x'])")),
            ("c = [\n  'a',  # first\n  'b',\n]\nprint(c)\nrun(c)", Some("([\n  'a',  # first\n  'b',\n])")),
            ("import sys\ne = sys.executable\nrun([e, '-m', 'x'])", Some("(['python3', '-m', 'x'])")),
            ("import shutil\ne = shutil.which('tar')\nrun([e, 'x'])", Some("(['tar', 'x'])")),
            ("import imageio_ffmpeg as f\ne = f.get_ffmpeg_exe()\nrun([e, 'x'])", Some("(['ffmpeg', 'x'])")),
            ("import sys\nrun([sys.executable, '-V'])", Some("(['python3', '-V'])")),
            ("c = ['a']\nif x:\n  c = ['b']\nrun(c)", None),
            ("c = ['a']\nc.append(x)\nrun(c)", None),
            ("c = ['a']\nc += x\nrun(c)", None),
            ("c = ['a']\nc[0] = x\nrun(c)", None),
            ("c = ['a']\nfor c in y: run(c)", None),
            ("c = ['a']\nc, d = y\nrun(c)", None),
            ("c = ['a']\nd, c = y\nrun(c)", None),
            ("c = ['a']\nwith y as c:\n  run(c)", None),
            ("c = 'a'\ndef f(c):\n  run(c)", None),
            ("c = 'a' + x\nrun(c)", None),
            ("c = ['a'] + x\nrun(c)", None),
            ("run(c)\nc = 'a'", None),
            ("c = f'a{x}'\nrun(c)", None),
            ("c = 'a'\nfor (b, c) in x: run(c)", None),
            ("c = 'a'\n(b, c) = x\nrun(c)", None),
            ("c = 'a'\nfrom m import b, c\nrun(c)", None),
            ("c = 'a'\nif (c := x): run(c)", None),
            ("c = 'a'\nif c.exists() and c == 'b': run(c)", Some("('a')")),
            ("c = ['a']\nif c.pop(): run(c)", None),
            ("c = 'a'\nrun(d.c, c.x, f(c=1))", None),
        ] {
            let at = code.find("run(").unwrap();
            let tail = code.get(at + 3..).unwrap();
            let found = Constants::of("python", code).inlined(at, tail);
            assert_eq!(found.as_deref(), expected, "{code}");
        }
        assert!(Constants::of("ruby", "c = 'a'\nrun(c)").inlined(9, "(c)").is_none());
    }
}
