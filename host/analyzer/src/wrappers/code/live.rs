//! The part of a piece of code that calls services: without comments, definitions that nothing uses, and blocks in
//! which a test double takes the place of a service.
//!
//! No language is parsed. A definition or block ends by its indentation or its brackets.

mod blocks;
mod doubles;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use guard_sdk::code::literal;

/// The longest code, and the most definitions and blocks of it, that are looked at.
const LONGEST: usize = 256 * 1024;
const MAX_BLOCKS: usize = 256;

/// The most literals of code that are evaluated.
const MAX_EVALUATED: usize = 8;

/// The number of passes that look for definitions used only by unused definitions.
const ROUNDS: usize = 3;

/// A definition or a block of code.
struct Block {
    /// Its name, if it is a definition outside of classes.
    name: Option<String>,
    /// Its first line, with the decorators before it.
    header: Range<usize>,
    /// All of it.
    whole: Range<usize>,
}

/// The code with the texts that it evaluates, without the parts that change no service.
pub(crate) fn live<'t>(language: &str, code: &'t str) -> Cow<'t, str> {
    if code.len() > LONGEST || !matches!(language, "python" | "javascript" | "ruby" | "php") {
        return Cow::Borrowed(code);
    }
    let (bare, comments) = bare(code, language);
    let blocks = blocks::of(language, &bare);
    let mut is_gone = vec![false; code.len()];
    comments.into_iter().for_each(|range| mark(&mut is_gone, range));
    if language == "python" {
        doubles::scopes(code, &bare, &blocks).into_iter().for_each(|range| mark(&mut is_gone, range));
    }
    if !CALLS_ANY.iter().any(|call| bare.contains(call)) {
        (0..ROUNDS).for_each(|_| drop_unused(code, &bare, &blocks, &mut is_gone));
    }
    let evaluated = evaluated(code, &bare, &is_gone);
    if evaluated.is_empty() && !is_gone.contains(&true) {
        return Cow::Borrowed(code);
    }
    let left = code.char_indices().filter(|(at, char)| *char == '\n' || is_gone.get(*at) != Some(&true));
    let mut text: String = left.map(|(_, char)| char).collect();
    for code in evaluated {
        text.push('\n');
        text.push_str(&code);
    }
    Cow::Owned(text)
}

fn mark(is_gone: &mut [bool], range: Range<usize>) {
    if let Some(part) = is_gone.get_mut(range) {
        part.fill(true);
    }
}

/// Calls that can reach a definition by a computed name.
const CALLS_ANY: &[&str] = &[
    "globals()",
    "locals()",
    "vars(",
    "fire.Fire",
    "unittest.main",
    "pytest.main",
    "doctest",
    "sys.modules",
    "getmembers",
    "globalThis[",
    "window[",
    "ObjectSpace",
    "Minitest",
];

/// The code with blanks in place of comments and literals, whose quotes stay, and where the comments are.
fn bare(code: &str, language: &str) -> (String, Vec<Range<usize>>) {
    let hashes = language != "javascript";
    let slashes = matches!(language, "javascript" | "php");
    let mut bare = String::with_capacity(code.len());
    let mut comments = Vec::new();
    let blank = |bare: &mut String, text: &str| bare.extend(text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
    let mut rest = code;
    while let Some(char) = rest.chars().next() {
        let at = code.len() - rest.len();
        let line = || rest.find('\n').unwrap_or(rest.len());
        let comment = match char {
            '#' if hashes => line(),
            '/' if slashes && rest.starts_with("//") => line(),
            '/' if slashes && rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '=' if language == "ruby" && rest.starts_with("=begin") && (at == 0 || bare.ends_with('\n')) => {
                rest.find("\n=end").map_or(rest.len(), |end| end + 5)
            }
            _ => 0,
        };
        let width = if comment > 0 {
            comments.push(at..at + comment);
            blank(&mut bare, rest.get(..comment).unwrap_or_default());
            comment
        } else if let Some((inside, after)) = literal(rest).filter(|_| matches!(char, '\'' | '"' | '`')) {
            let quote = (rest.len() - after.len() - inside.len()) / 2;
            bare.push_str(rest.get(..quote).unwrap_or_default());
            blank(&mut bare, inside);
            bare.push_str(rest.get(..quote).unwrap_or_default());
            rest.len() - after.len()
        } else if char == '\\' {
            let width = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
            blank(&mut bare, rest.get(..width).unwrap_or_default());
            width
        } else {
            bare.push(char);
            char.len_utf8()
        };
        rest = rest.get(width..).unwrap_or_default();
    }
    (bare, comments)
}

/// The names in a text, and where each of them is.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '$';
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_part)?;
        let name = text.get(start..)?;
        let name = name.get(..name.find(|char| !is_part(char)).unwrap_or(name.len()))?;
        at = start + name.len();
        Some((start, name))
    })
}

/// Marks the definitions whose name is nowhere else, not even in a literal.
fn drop_unused(code: &str, bare: &str, blocks: &[Block], is_gone: &mut [bool]) {
    let mut uses: HashMap<&str, Vec<usize>> =
        blocks.iter().filter_map(|block| Some((block.name.as_deref()?, Vec::new()))).collect();
    uses.retain(|name, _| !is_found_by_tools(name));
    if uses.is_empty() {
        return;
    }
    let listed = listed(bare);
    for (at, name) in names(code) {
        if let Some(places) = uses.get_mut(name)
            && is_gone.get(at) == Some(&false)
            && !listed.iter().any(|range| range.contains(&at))
            && !only_looks(bare, at, name)
        {
            places.push(at);
        }
    }
    for block in blocks {
        let Some(places) = block.name.as_deref().and_then(|name| uses.get(name)) else { continue };
        if places.iter().all(|at| block.whole.contains(at)) {
            mark(is_gone, block.whole.clone());
        }
    }
}

/// Whether a runner of tests or a framework finds a definition by its name.
fn is_found_by_tools(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let starts = ["test", "setup", "teardown", "pytest_"].iter().any(|start| lower.starts_with(start));
    starts || lower.ends_with("test") || lower.ends_with("tests") || name == "Command"
}

/// Lists of what a module offers to others.
fn listed(bare: &str) -> Vec<Range<usize>> {
    let lists = ["module.exports", "export {", "__all__"].iter().flat_map(|start| bare.match_indices(start).take(8));
    lists
        .map(|(at, _)| {
            let rest = bare.get(at..).unwrap_or_default();
            let line = rest.find(['\n', ';']).unwrap_or(rest.len());
            let open = rest.find(['{', '[']).filter(|open| *open < line);
            at..at + open.and_then(|open| blocks::closing(rest, open)).unwrap_or(line)
        })
        .collect()
}

/// Whether a mention only refers to the name and doesn't call the definition.
fn only_looks(bare: &str, at: usize, name: &str) -> bool {
    let before = bare.get(..at).unwrap_or_default().trim_end();
    let after = bare.get(at + name.len()..).unwrap_or_default();
    let looks = [".__name__", ".__doc__", ".name)", ".length", ".prototype)", ".instance_methods", ".toString()"];
    let printed = ["print(", "console.log("].iter().any(|call| before.ends_with(call)) && after.starts_with(')');
    printed
        || ["typeof", "export default"].iter().any(|word| before.ends_with(word))
        || looks.iter().any(|look| after.starts_with(look))
}

/// Calls that run a text as code of the same language.
const EVALUATES: &[&str] = &[
    "exec(",
    "eval(",
    "compile(",
    "Function(",
    "instance_eval(",
    "class_eval(",
    "runInNewContext(",
    "runInThisContext(",
];

/// The literals that the code runs as code.
fn evaluated(code: &str, bare: &str, is_gone: &[bool]) -> Vec<String> {
    let mut found = Vec::new();
    for call in EVALUATES {
        for (at, _) in bare.match_indices(call).take(MAX_EVALUATED) {
            let before = bare.get(..at).unwrap_or_default();
            // A method of this name runs a command or searches a text.
            let is_part = before.ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '$'));
            let argument = code.get(at + call.len()..).unwrap_or_default().trim_start();
            let is_method = is_part && matches!(*call, "exec(" | "eval(" | "compile(" | "Function(");
            if !is_method
                && is_gone.get(at) == Some(&false)
                && let Some((inside, _)) = literal(argument)
            {
                found.push(inside.replace("\\n", "\n").replace("\\'", "'").replace("\\\"", "\""));
            }
        }
    }
    found.truncate(MAX_EVALUATED);
    found
}

#[cfg(test)]
mod tests;
