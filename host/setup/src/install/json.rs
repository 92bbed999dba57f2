//! The positions of a JSON text's parts, and edits of the text that change nothing else.
//!
//! People's formatting and comments are kept: the text is never printed again from values. `jsonc-parser` finds the
//! positions. Its own edits aren't used, because they spread a one-line object over several lines and drop the comments
//! next to removed items. This module doesn't know what the settings mean.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::PrettyFormatter;

/// A text that isn't JSON, or lacks the structure that an edit needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {text}")]
pub struct Malformed {
    line: usize,
    column: usize,
    text: String,
}

impl Malformed {
    /// Creates the error for bytes after `before` that aren't text.
    pub(super) fn no_text(before: &str) -> Self {
        Malformed::after(before, "the file isn't UTF-8 text")
    }

    /// Creates an error at the position after `before`.
    pub(crate) fn after(before: &str, complaint: &str) -> Self {
        let (line, column) = position(before);
        Malformed { line, column, text: complaint.to_owned() }
    }
}

/// Returns the line and column after a text.
fn position(before: &str) -> (usize, usize) {
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// A value and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    span: Range<usize>,
    pub(crate) kind: Kind,
}

/// The kind of a value, in the detail that edits need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The members, in order.
    Object(Vec<Member>),
    /// The elements, in order.
    Array(Vec<Node>),
    /// Any other value.
    Scalar,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// The unescaped key.
    pub(crate) key: String,
    pub(crate) value: Node,
    start: usize,
}

impl Node {
    fn from_value(value: &Ast<'_>) -> Self {
        let kind = match value {
            Ast::Object(object) => Kind::Object(object.properties.iter().map(Member::from_prop).collect()),
            Ast::Array(array) => Kind::Array(array.elements.iter().map(Node::from_value).collect()),
            _ => Kind::Scalar,
        };
        Node { span: value.start()..value.end(), kind }
    }

    /// Returns the member with this name. Of duplicates, the last one, which JSON parsers use.
    pub(crate) fn member(&self, key: &str) -> Option<(usize, &Node)> {
        let Kind::Object(members) = &self.kind else { return None };
        let found = members.iter().enumerate().rfind(|(_, member)| member.key == key);
        found.map(|(index, member)| (index, &member.value))
    }

    /// Returns the elements. `None` if it isn't an array.
    pub(crate) fn elements(&self) -> Option<&[Node]> {
        if let Kind::Array(elements) = &self.kind { Some(elements) } else { None }
    }

    /// Returns the number of members or elements.
    pub(crate) fn len(&self) -> usize {
        match &self.kind {
            Kind::Object(members) => members.len(),
            Kind::Array(elements) => elements.len(),
            Kind::Scalar => 0,
        }
    }

    /// Returns the positions of the members, with their keys, or elements.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.start..member.value.span.end).collect(),
            Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            Kind::Scalar => Vec::new(),
        }
    }

    /// Returns the range between the brackets.
    fn inside(&self) -> Range<usize> {
        self.span.start + 1..self.span.end.saturating_sub(1)
    }
}

impl Member {
    fn from_prop(member: &ObjectProp<'_>) -> Self {
        Member { key: member.name.as_str().to_owned(), value: Node::from_value(&member.value), start: member.start() }
    }
}

/// The syntax that is allowed besides JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// None.
    Strict,
    /// JavaScript comments.
    Comments,
}

/// A text and the positions of its parts.
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    /// The text with its comments replaced by spaces.
    bare: String,
    comments: Vec<Range<usize>>,
    /// The outermost value.
    pub(crate) root: Node,
}

impl<'a> Document<'a> {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// The text isn't JSON.
    pub(crate) fn parse(text: &'a str, syntax: Syntax) -> Result<Self, Malformed> {
        if syntax == Syntax::Strict {
            check(text)?;
        }
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &ParseOptions::default()).map_err(|error| {
            Malformed::after(text.get(..error.range().start).unwrap_or_default(), &error.kind().to_string())
        })?;
        let tokens = parsed.tokens.unwrap_or_default();
        let is_comment = |token: &Token<'_>| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_));
        let comments = tokens.iter().filter(|token| is_comment(&token.token));
        let comments: Vec<_> = comments.map(|comment| comment.start()..comment.end()).collect();
        let bare = without(text, &comments);
        // The parser accepts more than JSON.
        check(&bare)?;
        let root = parsed.value.as_ref().map(Node::from_value);
        let root = root.ok_or_else(|| Malformed::after("", "the text cannot be taken apart"))?;
        Ok(Document { text, bare, comments, root })
    }

    /// Returns the value at this position.
    pub(crate) fn value(&self, node: &Node) -> Value {
        self.bare.get(node.span.clone()).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Creates an error at this value.
    pub(crate) fn complain(&self, node: &Node, complaint: &str) -> Malformed {
        Malformed::after(self.text.get(..node.span.start).unwrap_or_default(), complaint)
    }

    /// Returns the text with one more item at the end of an object, with `key` as its name, or of an array.
    pub(crate) fn insert(&self, container: &Node, key: Option<&str>, item: &impl Serialize) -> String {
        let (text, style) = (self.text, self.style());
        let named = |printed: String| match key {
            Some(key) => format!("{}: {printed}", Value::from(key)),
            None => printed,
        };
        let children = container.children();
        let closing = line_indent(text, container.span.start);
        let (Some(first), Some(last)) = (children.first(), children.last()) else {
            let indent = format!("{closing}{}", style.unit);
            let item = named(style.print(item, &indent));
            let inside = container.inside();
            let start = self.last_comment(&inside).map_or(inside.start, |comment| comment.end);
            return splice(text, start..inside.end, &format!("{0}{indent}{item}{0}{closing}", style.newline));
        };
        match own_line(text, first.start) {
            Some(indent) => {
                let added = format!("{}{indent}{}", style.newline, named(style.print(item, indent)));
                let after = self.end_with_remark(last.end, container);
                let remark = text.get(last.end..after).unwrap_or_default();
                splice(text, last.end..after, &[",", remark, &added].concat())
            }
            None => {
                let added = format!(", {}", named(serde_json::to_string(item).unwrap_or_default()));
                splice(text, last.end..last.end, &added)
            }
        }
    }

    /// Returns the text with this value replaced.
    pub(crate) fn replace(&self, node: &Node, item: &impl Serialize) -> String {
        let printed = self.style().print(item, line_indent(self.text, node.span.start));
        splice(self.text, node.span.clone(), &printed)
    }

    /// Returns the text without one item of an object or array.
    pub(crate) fn remove(&self, container: &Node, index: usize) -> String {
        let children = container.children();
        let Some(this) = children.get(index) else { return self.text.to_owned() };
        let inside = container.inside();
        let before = index.checked_sub(1).and_then(|before| children.get(before));
        let next = children.get(index + 1);
        let gap = before.map_or(inside.start, |before| before.end)..this.start;
        let rest = this.end..next.map_or(inside.end, |next| next.start);
        if self.last_comment(&gap).is_none() && (before.is_some() || self.last_comment(&rest).is_none()) {
            let range = match (before, next) {
                (Some(before), _) => before.end..this.end,
                (None, Some(next)) => this.start..next.start,
                (None, None) => inside,
            };
            return splice(self.text, range, "");
        }
        // Comments next to the item stay. A comment to the end of a line keeps its line.
        let comma = |within: &Range<usize>| self.bare.get(within.clone())?.find(',').map(|at| within.start + at);
        let line_ends = self
            .text
            .get(this.end..)
            .is_none_or(|rest| rest.trim_start_matches([' ', '\t']).starts_with(['\n', '\r', ',']));
        let start = self.last_comment(&gap).filter(|_| line_ends).map_or(this.start, |comment| comment.end);
        let start = start.max(comma(&gap).map_or(0, |at| at + 1));
        match (next, comma(&rest), comma(&gap)) {
            (Some(_), Some(comma), _) => splice(self.text, start..comma + 1, ""),
            (_, _, Some(comma)) => splice(&splice(self.text, start..this.end, ""), comma..comma + 1, ""),
            _ => splice(self.text, start..this.end, ""),
        }
    }

    fn last_comment(&self, within: &Range<usize>) -> Option<&Range<usize>> {
        self.comments.iter().rfind(|comment| within.start <= comment.start && comment.end <= within.end)
    }

    /// Returns the end of the item that ends at `at`, including comments that follow on its line.
    fn end_with_remark(&self, mut at: usize, container: &Node) -> usize {
        let end = container.span.end;
        for comment in self.comments.iter().filter(|comment| comment.end <= end) {
            let between = self.text.get(at..comment.start);
            if between.is_some_and(|between| between.chars().all(|c| matches!(c, ' ' | '\t'))) {
                at = comment.end;
            }
        }
        at
    }

    /// Returns the layout of the outermost value. Indents with two spaces by default.
    fn style(&self) -> Style<'a> {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = self.root.children().first().map(|child| child.start);
        let unit = first.and_then(|start| own_line(self.text, start)).filter(|unit| !unit.is_empty());
        Style { newline, unit: unit.unwrap_or("  ") }
    }
}

/// Validates a JSON text. This also limits its nesting depth.
fn check(text: &str) -> Result<(), Malformed> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).map(drop).map_err(|error| {
        let told = error.to_string();
        let told = told.rsplit_once(" at line ").map_or(told.as_str(), |(told, _)| told);
        Malformed { line: error.line(), column: error.column(), text: told.to_owned() }
    })
}

/// Replaces the comments of a text with spaces, so that all positions and line numbers stay the same.
fn without(text: &str, comments: &[Range<usize>]) -> String {
    let mut bare = text.to_owned();
    for comment in comments {
        let blanks = bare.get(comment.clone()).unwrap_or_default();
        let blanks = blanks.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' });
        let blanks: String = blanks.collect();
        bare.replace_range(comment.clone(), &blanks);
    }
    bare
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    [before, new, after].concat()
}

/// The layout of a text.
struct Style<'a> {
    newline: &'static str,
    unit: &'a str,
}

impl Style<'_> {
    /// Formats an item over several lines. Those after the first start with `indent`.
    fn print(&self, item: &impl Serialize, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        // Fixed keys and texts can't fail to serialize.
        let _ = item.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter));
        String::from_utf8_lossy(&bytes).replace('\n', &format!("{}{indent}", self.newline))
    }
}

/// Returns the white space before `at` if `at` is the first non-blank character of its line, and isn't on the first
/// line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let (_, line) = text.get(..at)?.rsplit_once('\n')?;
    line.chars().all(|c| matches!(c, ' ' | '\t')).then_some(line)
}

/// Returns the indentation of the line that contains `at`.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
