//! [`Writer`]: lines of Python.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Statements and expressions inside each other.
const DEEP: usize = 60;
/// The longest text that is written, in bytes.
const LONGEST: usize = 120 * 1024;

/// Words of Python that can be no name of a member.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The names of a function, as far as it was written.
#[derive(Default)]
pub(super) struct Names {
    /// Names that it declares.
    pub(super) own: BTreeSet<String>,
    /// Names that it sets.
    pub(super) set: BTreeSet<String>,
}

#[derive(Default)]
pub(super) struct Writer {
    lines: String,
    indent: usize,
    depth: usize,
    made: usize,
    /// Of the functions around what is written.
    pub(super) functions: Vec<Names>,
    /// New names for the names that the enclosing blocks declare for themselves.
    blocks: Vec<BTreeMap<String, String>>,
    reason: Option<&'static str>,
}

impl Writer {
    pub(super) fn finish(self) -> Result<String, &'static str> {
        self.reason.map_or(Ok(self.lines), Err)
    }

    /// Goes one deeper, if that is not too deep.
    pub(super) fn deeper<T>(&mut self, otherwise: T, write: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEP {
            self.reason = Some("the code is nested too deeply");
            return otherwise;
        }
        self.depth += 1;
        let written = write(self);
        self.depth -= 1;
        written
    }

    /// Whether a block around has names of its own, of which code in a text does not know.
    pub(super) fn is_in_scope(&self) -> bool {
        self.blocks.iter().any(|names| !names.is_empty())
    }

    /// The lines that writing something takes, before it.
    pub(super) fn length(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn line(&mut self, text: &str) {
        if self.lines.len() + text.len() > LONGEST {
            self.reason = Some("the code is too long");
            return;
        }
        // Writing to a text does not fail.
        let _ = writeln!(self.lines, "{:indent$}{text}", "", indent = self.indent);
    }

    /// Lines below a line that ends with `:`.
    pub(super) fn below(&mut self, head: &str, write: impl FnOnce(&mut Self)) {
        self.line(head);
        self.indent += 1;
        self.line("pass");
        write(self);
        self.indent -= 1;
    }

    /// A function. A name that it sets and does not declare belongs to the functions around it.
    pub(super) fn function(&mut self, name: &str, parameters: &str, write: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.lines);
        self.functions.push(Names::default());
        self.indent += 1;
        write(self);
        self.indent -= 1;
        let body = std::mem::replace(&mut self.lines, before);
        let Names { own, set } = self.functions.pop().unwrap_or_default();
        let outer: Vec<&str> = set.difference(&own).map(String::as_str).collect();
        self.below(&format!("def {name}({parameters}):"), |writer| {
            if !outer.is_empty() {
                writer.line(&format!("nonlocal {}", outer.join(", ")));
            }
        });
        if self.lines.len() + body.len() > LONGEST {
            self.reason = Some("the code is too long");
            return;
        }
        self.lines.push_str(&body);
        // What stands around sets it as well.
        if let Some(around) = self.functions.last_mut() {
            around.set.extend(set.into_iter().filter(|name| !own.contains(name)));
        }
    }

    /// A block inside a function or a script, with what it declares for itself: names of Python hold in all of a function.
    pub(super) fn scope<'n>(&mut self, declared: impl Iterator<Item = &'n str>, write: impl FnOnce(&mut Self)) {
        let mut names = BTreeMap::new();
        for name in declared {
            self.made += 1;
            names.insert(name.to_owned(), format!("block_{}_{}", self.made, plain(name)));
        }
        self.blocks.push(names);
        write(self);
        self.blocks.pop();
    }

    /// The name of a variable.
    pub(super) fn variable(&self, name: &str) -> String {
        let own = self.blocks.iter().rev().find_map(|names| names.get(name));
        own.cloned().unwrap_or_else(|| format!("js_{}", plain(name)))
    }

    /// A name of the script.
    pub(super) fn declare(&mut self, name: &str) -> String {
        let name = self.variable(name);
        if let Some(function) = self.functions.last_mut() {
            function.own.insert(name.clone());
        }
        name
    }

    /// A name that only the writer uses.
    pub(super) fn fresh(&mut self) -> String {
        self.made += 1;
        let name = format!("made_{}", self.made);
        if let Some(function) = self.functions.last_mut() {
            function.own.insert(name.clone());
        }
        name
    }

    /// The value of a statement. That of the last one is what `eval` gives.
    pub(super) fn given(&mut self, value: &str) {
        let name = if self.functions.is_empty() { "js_given = " } else { "" };
        self.line(&format!("{name}{value}"));
    }

    /// Sets a name or a member.
    pub(super) fn assign(&mut self, target: &str, value: &str) {
        let is_variable = ["js_", "block_"].iter().any(|prefix| target.starts_with(prefix)) && is_plain(target);
        if let Some(function) = self.functions.last_mut().filter(|_| is_variable) {
            function.set.insert(target.to_owned());
        }
        self.line(&format!("{target} = {value}"));
    }
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn plain(name: &str) -> String {
    name.replace('$', "S_")
}

/// The name of a member, behind a dot.
pub(super) fn member(name: &str) -> String {
    let plain = plain(name);
    if KEYWORDS.contains(&plain.as_str()) { format!("{plain}_") } else { plain }
}

/// A text as a literal.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::from("'");
    for char in text.chars() {
        match char {
            '\'' => literal.push_str("\\'"),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            char if char.is_control() => {
                let _ = write!(literal, "\\u{:04x}", u32::from(char));
            }
            char => literal.push(char),
        }
    }
    literal.push('\'');
    literal
}
