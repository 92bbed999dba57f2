//! Where the definitions and blocks of code begin and end.

use std::ops::Range;

use super::{Block, MAX_BLOCKS};

/// The definitions and blocks of code without comments and literals.
pub(super) fn of(language: &str, bare: &str) -> Vec<Block> {
    let mut found = match language {
        "python" => indented(bare, &["def ", "async def ", "class ", "with ", "async with "], false),
        "ruby" => indented(bare, &["def ", "class ", "module "], true),
        _ => in_brackets(bare),
    };
    found.truncate(MAX_BLOCKS);
    found
}

struct Line<'t> {
    range: Range<usize>,
    indent: usize,
    text: &'t str,
}

fn lines(bare: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in bare.split_inclusive('\n') {
        let text = line.trim();
        found.push(Line { range: at..at + line.len(), indent: line.len() - line.trim_start().len(), text });
        at += line.len();
    }
    found
}

/// Blocks that end by their indentation. In Ruby, `end` is a part of the block.
fn indented(bare: &str, starts: &[&str], has_end: bool) -> Vec<Block> {
    let lines = lines(bare);
    // The blocks that are open: their indentation, and their place among those that are found.
    let mut open: Vec<(usize, usize, bool)> = Vec::new();
    let mut found: Vec<Block> = Vec::new();
    let mut decorated: Option<usize> = None;
    for line in lines.iter().filter(|line| !line.text.is_empty()) {
        let is_tail = line.text.starts_with([')', ']', '}']);
        let ends = has_end && (line.text == "end" || line.text.starts_with("end ") || line.text.starts_with("end."));
        while let Some((indent, block, _)) =
            open.last().copied().filter(|(indent, ..)| line.indent <= *indent && !is_tail)
        {
            open.pop();
            if let Some(block) = found.get_mut(block) {
                block.whole.end = if ends && line.indent == indent { line.range.end } else { line.range.start };
            }
        }
        if line.text.starts_with('@') {
            decorated.get_or_insert(line.range.start);
            continue;
        }
        let start = starts.iter().find_map(|start| Some((start, line.text.strip_prefix(start)?)));
        if let Some((start, rest)) = start.filter(|_| found.len() < MAX_BLOCKS) {
            let rest = rest.trim_start_matches("self.");
            let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
            let is_class = start.starts_with("class") || start.starts_with("module");
            let in_class = open.last().is_some_and(|(.., is_class)| *is_class);
            let named = !start.contains("with") && !in_class && decorated.is_none();
            let name = rest.get(..end).filter(|name| named && !name.is_empty()).map(str::to_owned);
            let from = decorated.unwrap_or(line.range.start);
            let one_line = line.text.find("; end").filter(|_| has_end);
            if one_line.is_some() && is_class {
                continue;
            }
            let stop = one_line.map(|end| line.range.start + line.indent + end + 5);
            found.push(Block { name, header: from..line.range.end, whole: from..stop.unwrap_or(bare.len()) });
            if stop.is_none() {
                open.push((line.indent, found.len() - 1, is_class));
            }
        }
        decorated = None;
    }
    found
}

/// Definitions whose body is in braces, and arrow functions.
fn in_brackets(bare: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let (mut class_end, mut tried) = (0, 0);
    let mut names = super::names(bare).peekable();
    while let Some((at, word)) = names.next() {
        let named = match word {
            "function" | "class" | "const" | "let" | "var" => names.peek().copied(),
            _ => None,
        };
        let Some((start, name)) = named.filter(|_| tried < MAX_BLOCKS && at >= class_end) else { continue };
        tried += 1;
        // Between the word and the name: blanks, or the star of a generator.
        if !bare.get(at + word.len()..start).unwrap_or_default().trim_matches([' ', '*', '\n', '\t']).is_empty() {
            continue;
        }
        let behind = start + name.len();
        let end = match word {
            "class" => bare.get(behind..).and_then(|rest| rest.find('{')).and_then(|open| closing(bare, behind + open)),
            "function" => body(bare, behind),
            _ => arrow(bare, behind),
        };
        if let Some(end) = end {
            if word == "class" {
                class_end = end;
            }
            found.push(Block { name: Some(name.to_owned()), header: at..behind, whole: at..end });
        }
    }
    found
}

/// The longest distance between the parts of a function's head, in bytes.
const HEAD: usize = 160;

/// The end of the body behind a list of parameters, which begins at or behind `at`.
fn body(bare: &str, at: usize) -> Option<usize> {
    let open = near(bare, at, "(")?;
    let parameters = closing(bare, open)?;
    closing(bare, near(bare, parameters, "{")?)
}

/// The end of a function that is given to a name: `= async (a) => { }`, `= a => b`, `= function () { }`.
fn arrow(bare: &str, at: usize) -> Option<usize> {
    let value = bare.get(at..)?.trim_start().strip_prefix('=')?.trim_start();
    let value = value.strip_prefix("async").map_or(value, str::trim_start);
    let from = bare.len() - value.len();
    if value.starts_with("function") {
        return body(bare, from);
    }
    let parameters = match value.chars().next()? {
        '(' => closing(bare, from)?,
        char if char.is_alphabetic() || matches!(char, '_' | '$') => {
            from + value.find(|char: char| !char.is_alphanumeric() && !matches!(char, '_' | '$'))?
        }
        _ => return None,
    };
    let arrow = near(bare, parameters, "=>")?;
    let between = bare.get(parameters..arrow)?.trim_start();
    if !between.is_empty() && !between.starts_with(':') {
        return None;
    }
    let result = bare.get(arrow + 2..)?;
    let start = bare.len() - result.trim_start().len();
    if bare.get(start..)?.starts_with('{') {
        return closing(bare, start);
    }
    let mut depth = 0_usize;
    let ends = |char: char| {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(char, ';' | '\n')
    };
    Some(bare.get(start..)?.find(ends).map_or(bare.len(), |end| start + end))
}

fn near(bare: &str, at: usize, sign: &str) -> Option<usize> {
    bare.get(at..)?.find(sign).filter(|distance| *distance < HEAD).map(|distance| at + distance)
}

/// The place behind the bracket that closes the one at `open`.
pub(super) fn closing(bare: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bare.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
