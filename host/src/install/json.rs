//! Where the parts of a JSON text stand, and edits of the text that touch nothing else.
//!
//! What people write into their settings stays as they wrote it: the text is never printed anew from values. Nothing here
//! knows what the settings mean.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::PrettyFormatter;

/// A text that is no JSON, or not of the shape that an edit needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {text}")]
pub struct Malformed {
    line: usize,
    column: usize,
    text: String,
}

impl Malformed {
    /// The complaint that bytes stop being text after `before`.
    pub(super) fn no_text(before: &str) -> Self {
        let (line, column) = position(before);
        Malformed { line, column, text: "the file is no UTF-8 text".to_owned() }
    }
}

/// Line and column of what follows a text.
fn position(before: &str) -> (usize, usize) {
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// One value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    span: Range<usize>,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a value is, as far as edits care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Members in their order.
    Object(Vec<Member>),
    /// Elements in their order.
    Array(Vec<Node>),
    /// Anything else.
    Scalar,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// The key, its escapes undone.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: Node,
    start: usize,
}

impl Node {
    /// The member of that name. Of several the last one, which is the one that readers of JSON take.
    pub(crate) fn member(&self, key: &str) -> Option<(usize, &Node)> {
        let Kind::Object(members) = &self.kind else { return None };
        let found = members.iter().enumerate().rfind(|(_, member)| member.key == key);
        found.map(|(index, member)| (index, &member.value))
    }

    /// The elements; none if it is no array.
    pub(crate) fn elements(&self) -> Option<&[Node]> {
        if let Kind::Array(elements) = &self.kind { Some(elements) } else { None }
    }

    /// How many members or elements it has.
    pub(crate) fn len(&self) -> usize {
        match &self.kind {
            Kind::Object(members) => members.len(),
            Kind::Array(elements) => elements.len(),
            Kind::Scalar => 0,
        }
    }

    /// The value that the text has here.
    pub(crate) fn value(&self, text: &str) -> Value {
        text.get(self.span.clone()).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The complaint that this value is not what it has to be.
    pub(crate) fn complain(&self, text: &str, complaint: &str) -> Malformed {
        let (line, column) = position(text.get(..self.span.start).unwrap_or_default());
        Malformed { line, column, text: complaint.to_owned() }
    }

    /// Where the members or elements stand, a member with its key.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.start..member.value.span.end).collect(),
            Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            Kind::Scalar => Vec::new(),
        }
    }

    /// What stands between the brackets.
    fn inside(&self) -> Range<usize> {
        self.span.start + 1..self.span.end.saturating_sub(1)
    }
}

/// Finds the parts of a text.
///
/// # Errors
///
/// It is no JSON.
pub(crate) fn parse(text: &str) -> Result<Node, Malformed> {
    // This also bounds how deep the text is nested.
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| {
        let told = error.to_string();
        let told = told.rsplit_once(" at line ").map_or(told.as_str(), |(told, _)| told);
        Malformed { line: error.line(), column: error.column(), text: told.to_owned() }
    })?;
    let mut scan = Scan { text, at: 0 };
    let fail = || Malformed { line: 1, column: 1, text: "the text cannot be taken apart".to_owned() };
    scan.value().ok_or_else(fail)
}

/// Walks over a text that is known to be JSON.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.peek()?, b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self) -> Option<Node> {
        let first = self.next()?;
        let start = self.at;
        let kind = match first {
            b'{' => Kind::Object(self.items(b'}', Self::named)?),
            b'[' => Kind::Array(self.items(b']', Self::value)?),
            b'"' => {
                self.string()?;
                Kind::Scalar
            }
            _ => {
                while self.peek().is_some_and(|byte| !matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r'))
                {
                    self.at += 1;
                }
                Kind::Scalar
            }
        };
        Some(Node { span: start..self.at, kind })
    }

    fn items<T>(&mut self, end: u8, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.at += 1;
        while self.next()? != end {
            items.push(item(self)?);
            if self.next()? == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Some(items)
    }

    fn named(&mut self) -> Option<Member> {
        self.next()?;
        let start = self.at;
        self.string()?;
        let key = serde_json::from_str(self.text.get(start..self.at)?).ok()?;
        self.next()?;
        // The colon.
        self.at += 1;
        Some(Member { key, value: self.value()?, start })
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }
}

/// The text with one more item at the end of an object, where `key` names it, or of an array.
pub(crate) fn insert(text: &str, container: &Node, key: Option<&str>, item: &impl Serialize) -> String {
    let style = Style::of(text);
    let named = |printed: String| match key {
        Some(key) => format!("{}: {printed}", Value::from(key)),
        None => printed,
    };
    let children = container.children();
    let closing = line_indent(text, container.span.start);
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        let indent = format!("{closing}{}", style.unit);
        let item = named(style.print(item, &indent));
        return splice(text, container.inside(), &format!("{0}{indent}{item}{0}{closing}", style.newline));
    };
    let added = match own_line(text, first.start) {
        Some(indent) => format!(",{}{indent}{}", style.newline, named(style.print(item, indent))),
        None => format!(", {}", named(serde_json::to_string(item).unwrap_or_default())),
    };
    splice(text, last.end..last.end, &added)
}

/// The text with another value in the place of this one.
pub(crate) fn replace(text: &str, node: &Node, item: &impl Serialize) -> String {
    let style = Style::of(text);
    let printed = style.print(item, line_indent(text, node.span.start));
    splice(text, node.span.clone(), &printed)
}

/// The text without one item of an object or an array.
pub(crate) fn remove(text: &str, container: &Node, index: usize) -> String {
    let children = container.children();
    let before = index.checked_sub(1).and_then(|before| children.get(before));
    let range = match (before, children.get(index), children.get(index + 1)) {
        (Some(before), Some(this), _) => before.end..this.end,
        (None, Some(this), Some(after)) => this.start..after.start,
        (None, Some(_), None) => container.inside(),
        (_, None, _) => return text.to_owned(),
    };
    splice(text, range, "")
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    [before, new, after].concat()
}

/// How a text is laid out.
struct Style<'a> {
    newline: &'static str,
    unit: &'a str,
}

impl<'a> Style<'a> {
    /// The layout of the outermost value; two spaces where it tells nothing.
    fn of(text: &'a str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = parse(text).ok().and_then(|root| root.children().first().map(|child| child.start));
        let unit = first.and_then(|start| own_line(text, start)).filter(|unit| !unit.is_empty());
        Style { newline, unit: unit.unwrap_or("  ") }
    }

    /// An item over several lines; those after the first begin with `indent`.
    fn print(&self, item: &impl Serialize, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        // Fixed keys and text only: this cannot fail.
        let _ = item.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter));
        String::from_utf8_lossy(&bytes).replace('\n', &format!("{}{indent}", self.newline))
    }
}

/// The white space before `at` if nothing else stands before it in its line, and there is a line before.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let (_, line) = text.get(..at)?.rsplit_once('\n')?;
    line.chars().all(|c| matches!(c, ' ' | '\t')).then_some(line)
}

/// The white space with which the line of `at` begins.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
