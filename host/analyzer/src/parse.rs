//! Parses text to a tree of commands, with the parser crate. None of that crate's types are used outside this file.
//!
//! Only the structure of commands and the spans of words come from the parser. Its interpretation of words isn't used,
//! because it silently drops nested bodies that it can't parse, and misreads some literals.

pub(crate) mod tree;

use std::borrow::Cow;

use shuck_ast::{
    Assignment, BinaryCommand, BinaryOp, BuiltinCommand, Command, CompoundCommand, DeclOperand, RedirectTarget, Span,
    Stmt, StmtSeq, StmtTerminator, Word, WordPart, WordPartNode,
};
use shuck_parser::parser::Parser;
use shuck_parser::{ShellDialect, ShellProfile};

use crate::limits;
use tree::{Heredoc, Item, Kind, Node, Range, Redirect, Sequence, WordAt};

/// Parses a text, or returns the parser's error.
pub(crate) fn parse(text: &str, dialect: Dialect) -> Result<Sequence, String> {
    let profile = ShellProfile::native(match dialect {
        Dialect::Bash => ShellDialect::Bash,
        Dialect::Posix => ShellDialect::Posix,
        Dialect::Zsh => ShellDialect::Zsh,
    });
    // With this option, the parser expands aliases and loses its position in the text. Aliases are expanded later.
    let text = &text.replace("expand_aliases", "expand-aliases");
    let fuel = 10_000 + text.len().saturating_mul(20);
    let result = Parser::with_limits_and_profile(text, limits::PARSER_DEPTH, fuel, profile).parse();
    if result.is_err() {
        let told = result.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
        let told = told.or_else(|| result.terminal_error.as_ref().map(ToString::to_string));
        return Err(told.unwrap_or_else(|| "the parser gave up".to_owned()));
    }
    Ok(sequence(&result.file.body))
}

/// Replaces standard input's descriptor number before a here-document with a blank, because the parser treats it as a
/// word. Also returns the ranges of these numbers.
pub(crate) fn without_zeros(text: &str) -> (Cow<'_, str>, Vec<Range>) {
    let mut zeros = Vec::new();
    for (at, _) in text.match_indices("0<<") {
        let digits = text.get(..at + 1).unwrap_or_default();
        let before = digits.trim_end_matches('0');
        let begins = before.is_empty() || before.ends_with([' ', '\t', '\n', ';', ')', '}', '&', '|']);
        // A left shift in arithmetic.
        let shifts = text.get(at + 3..).is_some_and(|rest| rest.starts_with([' ', '0', '1', '2', '3']));
        if begins && !shifts {
            zeros.push(Range { start: before.len(), end: at + 1 });
        }
    }
    if zeros.is_empty() {
        return (Cow::Borrowed(text), zeros);
    }
    let mut result = String::with_capacity(text.len());
    for zero in &zeros {
        result.push_str(text.get(result.len()..zero.start).unwrap_or_default());
        result.push_str(&" ".repeat(zero.end - zero.start));
    }
    result.push_str(text.get(result.len()..).unwrap_or_default());
    (Cow::Owned(result), zeros)
}

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    Posix,
    Zsh,
}

fn range(span: Span) -> Range {
    Range { start: span.start.offset(), end: span.end.offset() }
}

fn sequence(body: &StmtSeq) -> Sequence {
    let mut sequence = Sequence::default();
    let mut before = "";
    for stmt in body.iter() {
        let background = matches!(stmt.terminator, Some(StmtTerminator::Background(_)));
        list(stmt, before, background, &mut sequence.items);
        before = if background { "&" } else { ";" };
    }
    sequence
}

/// Splits a chain of `&&` and `||`, first pipeline first, without recursion.
fn list(stmt: &Stmt, before: &'static str, background: bool, items: &mut Vec<Item>) {
    let mut links = Vec::new();
    let mut left = stmt;
    while let Command::Binary(BinaryCommand { left: inner, op, right, .. }) = &left.command {
        let operator = match op {
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Pipe | BinaryOp::PipeAll => break,
        };
        links.push((operator, &**right));
        left = inner;
    }
    items.push(item(left, before, background));
    for (operator, right) in links.into_iter().rev() {
        match &right.command {
            Command::Binary(binary) if matches!(binary.op, BinaryOp::And | BinaryOp::Or) => {
                list(right, operator, background, items);
            }
            _ => items.push(item(right, operator, background)),
        }
    }
}

fn item(stmt: &Stmt, operator: &'static str, background: bool) -> Item {
    let mut elements = Vec::new();
    let mut negated = stmt.negated;
    let mut rights = Vec::new();
    let mut left = stmt;
    while let Command::Binary(binary) = &left.command {
        if !matches!(binary.op, BinaryOp::Pipe | BinaryOp::PipeAll) {
            break;
        }
        rights.push(&*binary.right);
        left = &binary.left;
        negated |= left.negated;
    }
    elements.push(node(left));
    for right in rights.into_iter().rev() {
        match &right.command {
            Command::Binary(_) => elements.append(&mut item(right, "", false).elements),
            _ => elements.push(node(right)),
        }
    }
    Item { operator, background, negated, elements }
}

fn node(stmt: &Stmt) -> Node {
    Node { kind: kind(stmt), redirects: stmt.redirects.iter().map(redirect).collect(), span: range(stmt.span) }
}

fn redirect(redirect: &shuck_ast::Redirect) -> Redirect {
    let named = redirect.fd_var.is_some();
    let span = range(redirect.span);
    match &redirect.target {
        RedirectTarget::Word(word) => Redirect { named, span, target: range(word.span), heredoc: None },
        RedirectTarget::Heredoc(heredoc) => Redirect {
            named,
            span,
            target: range(heredoc.delimiter.span),
            heredoc: Some(Heredoc { body: range(heredoc.body.span), tabs: heredoc.delimiter.strip_tabs }),
        },
    }
}

fn assignments(assignments: &[Assignment]) -> Vec<Range> {
    assignments.iter().map(|assignment| range(assignment.span)).collect()
}

fn at(span: Span) -> WordAt {
    WordAt { range: range(span), substitutions: Vec::new() }
}

fn word(word: &Word) -> WordAt {
    let mut substitutions = Vec::new();
    collect(&word.parts, &mut substitutions);
    WordAt { range: range(word.span), substitutions }
}

fn collect(parts: &[WordPartNode], substitutions: &mut Vec<Range>) {
    for part in parts {
        match &part.kind {
            WordPart::CommandSubstitution { .. } | WordPart::ProcessSubstitution { .. } => {
                substitutions.push(range(part.span));
            }
            // Double quotes can't be nested directly.
            WordPart::DoubleQuoted { parts, .. } => {
                let inner = parts.iter().filter(|part| matches!(part.kind, WordPart::CommandSubstitution { .. }));
                substitutions.extend(inner.map(|part| range(part.span)));
            }
            _ => {}
        }
    }
}

fn simple(prefix: &[Assignment], words: Vec<WordAt>) -> Kind {
    let words = words.into_iter().filter(|word| word.range.end > word.range.start).collect();
    Kind::Simple { assignments: assignments(prefix), words }
}

fn kind(stmt: &Stmt) -> Kind {
    match &stmt.command {
        Command::Simple(command) => {
            simple(&command.assignments, std::iter::once(&command.name).chain(&command.args).map(word).collect())
        }
        Command::Builtin(builtin) => {
            let (prefix, first, rest, span, name) = match builtin {
                BuiltinCommand::Break(command) => {
                    (&command.assignments, &command.depth, &command.extra_args, command.span, "break")
                }
                BuiltinCommand::Continue(command) => {
                    (&command.assignments, &command.depth, &command.extra_args, command.span, "continue")
                }
                BuiltinCommand::Return(command) => {
                    (&command.assignments, &command.code, &command.extra_args, command.span, "return")
                }
                BuiltinCommand::Exit(command) => {
                    (&command.assignments, &command.code, &command.extra_args, command.span, "exit")
                }
            };
            let start = prefix.last().map_or(range(span).start, |last| range(last.span).end);
            let name = WordAt { range: Range { start, end: start + name.len() }, substitutions: Vec::new() };
            simple(prefix, std::iter::once(name).chain(first.iter().chain(rest).map(word)).collect())
        }
        Command::Decl(clause) => {
            let operands = clause.operands.iter().map(|operand| match operand {
                DeclOperand::Flag(flag) | DeclOperand::Dynamic(flag) => word(flag),
                DeclOperand::Name(name) => at(name.span),
                DeclOperand::Assignment(assignment) => at(assignment.span),
            });
            simple(&clause.assignments, std::iter::once(at(clause.variant_span)).chain(operands).collect())
        }
        Command::Binary(_) => {
            let mut items = Vec::new();
            list(stmt, "", false, &mut items);
            Kind::Group(Sequence { items })
        }
        Command::Compound(compound) => self::compound(compound),
        Command::Function(function) => Kind::Function {
            names: function.header.entries.iter().map(|entry| range(entry.word.span)).collect(),
            body: Box::new(item(&function.body, "", false)),
            runs: Vec::new(),
        },
        Command::AnonymousFunction(function) => Kind::Function {
            names: Vec::new(),
            body: Box::new(item(&function.body, "", false)),
            runs: function.args.iter().map(|word| range(word.span)).collect(),
        },
    }
}

fn compound(compound: &CompoundCommand) -> Kind {
    let words = |words: &[Word]| words.iter().map(|word| range(word.span)).collect::<Vec<_>>();
    let repeated = |condition, variable: &str, words, body: &StmtSeq| Kind::Loop {
        condition,
        variable: variable.to_owned(),
        words,
        arithmetic: Vec::new(),
        body: sequence(body),
        body_at: range(body.span),
    };
    match compound {
        CompoundCommand::If(command) => Kind::If {
            arms: std::iter::once((&command.condition, &command.then_branch))
                .chain(command.elif_branches.iter().map(|(condition, branch)| (condition, branch)))
                .map(|(condition, branch)| (sequence(condition), sequence(branch)))
                .collect(),
            otherwise: command.else_branch.as_ref().map(sequence),
        },
        CompoundCommand::For(command) => {
            let variable =
                command.targets.first().and_then(|target| target.name.as_ref()).map_or("", |name| name.as_str());
            repeated(None, variable, command.words.as_deref().map(words).unwrap_or_default(), &command.body)
        }
        CompoundCommand::Repeat(command) => repeated(None, "", vec![range(command.count.span)], &command.body),
        CompoundCommand::Foreach(command) => {
            repeated(None, command.variable.as_str(), words(&command.words), &command.body)
        }
        CompoundCommand::Select(command) => {
            repeated(None, command.variable.as_str(), words(&command.words), &command.body)
        }
        CompoundCommand::ArithmeticFor(command) => Kind::Loop {
            condition: None,
            variable: String::new(),
            words: Vec::new(),
            arithmetic: vec![Range {
                start: range(command.left_paren_span).start,
                end: range(command.right_paren_span).end,
            }],
            body: sequence(&command.body),
            body_at: range(command.body.span),
        },
        CompoundCommand::While(command) => repeated(Some(sequence(&command.condition)), "", Vec::new(), &command.body),
        CompoundCommand::Until(command) => repeated(Some(sequence(&command.condition)), "", Vec::new(), &command.body),
        CompoundCommand::Case(command) => Kind::Case {
            word: range(command.word.span),
            arms: command
                .cases
                .iter()
                .map(|arm| (arm.patterns.iter().map(|pattern| range(pattern.span)).collect(), sequence(&arm.body)))
                .collect(),
        },
        CompoundCommand::Subshell(body) => Kind::Subshell(sequence(body)),
        CompoundCommand::BraceGroup(body) => Kind::Group(sequence(body)),
        CompoundCommand::Arithmetic(command) => Kind::Arithmetic(range(command.span)),
        CompoundCommand::Time(command) => {
            Kind::Timed(Sequence { items: command.command.iter().map(|stmt| item(stmt, "", false)).collect() })
        }
        CompoundCommand::Conditional(command) => Kind::Test(range(command.span)),
        CompoundCommand::Coproc(command) => Kind::Coprocess(Box::new(item(&command.body, "", false))),
        CompoundCommand::Always(command) => {
            let mut body = sequence(&command.body);
            body.items.extend(sequence(&command.always_body).items);
            Kind::Group(body)
        }
    }
}
