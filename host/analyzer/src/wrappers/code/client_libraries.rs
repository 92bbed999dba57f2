//! Calls of client libraries, judged as commands: `boto3.client("ec2").terminate_instances()` becomes `aws ec2
//! terminate-instances`.
//!
//! No language is parsed. A name that an import brings, and each name that is bound to an expression with such a name,
//! belongs to the library; a call counts if the first name of its expression does.

mod phrases;
mod services;
mod tokens;

use std::collections::HashMap;

use super::super::layer::What;
use crate::limits;
use crate::word::expand::literal;
use services::{Library, Service, may_load, of_global, of_module};
use tokens::Token;

/// Where an object comes from.
#[derive(Clone)]
struct Origin {
    library: &'static Library,
    /// The part of the library, such as `ec2`.
    service: String,
    /// Made for a service on this machine, which has nothing to lose.
    is_local: bool,
}

/// An expression that begins with a name of a library: the names up to here.
#[derive(Clone)]
struct Chain<'t> {
    origin: Origin,
    names: Vec<&'t str>,
}

/// A call of a library.
struct Call<'t> {
    origin: Origin,
    names: Vec<&'t str>,
    /// The first literal among the arguments.
    literal: Option<&'t str>,
    /// It has no argument, or an empty filter.
    is_given_nothing: bool,
    /// A condition follows it: `.delete().eq("id", 1)`.
    is_bounded: bool,
}

impl Call<'_> {
    fn name(&self) -> &str {
        self.names.last().copied().unwrap_or_default()
    }
}

/// The most names of one expression, tokens of one call, and names that a statement binds.
const MAX_NAMES: usize = 8;
const MAX_ARGUMENTS: usize = 24;
const MAX_BOUND: usize = 16;

/// The most brackets around an expression that are looked at.
const MAX_DEPTH: usize = 64;

/// Functions that return their arguments, or a list of them.
const PASS_THROUGH: &[&str] = &[
    "all",
    "enumerate",
    "filter",
    "from",
    "islice",
    "iter",
    "list",
    "map",
    "reversed",
    "sorted",
    "tqdm",
    "tuple",
    "zip",
];

/// Calls by which a request takes only some rows. `neq` takes nearly all.
const CONDITIONS: &[&str] = &["contains", "eq", "filter", "filter_by", "in", "in_", "match", "where"];

/// Words that no object has as its name.
const KEYWORDS: &[&str] =
    &["async", "await", "const", "def", "do", "else", "if", "let", "new", "return", "type", "var", "while", "yield"];

/// The commands of programs that the calls in a piece of code amount to.
pub(super) fn commands(language: &str, code: &str) -> Vec<What> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    for (_, words) in calls(language, code).into_iter().filter(|(is_local, _)| !is_local) {
        if lines.len() >= limits::STARTS {
            limits::reached("a program is given too many commands to follow");
            break;
        }
        if !lines.contains(&words) {
            lines.push(words);
        }
    }
    let words = |line: Vec<String>| line.iter().map(|word| literal(word)).collect();
    lines.into_iter().map(|line| What::Words { assignments: Vec::new(), words: words(line) }).collect()
}

/// The calls that are a command of a program, as its words, each with whether its service runs on this machine.
fn calls(language: &str, code: &str) -> Vec<(bool, Vec<String>)> {
    if !may_load(code) {
        return Vec::new();
    }
    let tokens = tokens::split(code, language);
    let mut reader = Reader::new(language, &tokens);
    // A comprehension uses a name before it binds it.
    reader.read();
    reader.calls.clear();
    reader.read();
    reader.calls.iter().filter_map(|call| Some((call.origin.is_local, phrases::words(call)?))).collect()
}

/// Whether a literal is the address of this machine, or of a store in memory.
fn is_local(text: &str) -> bool {
    let host = text.split_once("://").map_or(text, |(_, rest)| rest);
    let is_here =
        |name: &str| host.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']));
    is_here("localhost") && !host.contains('@')
        || is_here("127.0.0.1") && !host.contains('@')
        || text == "sqlite://"
        || text.contains(":memory:")
}

/// Whether all calls of the code that change a service change one on this machine.
pub(crate) fn is_rehearsal(language: &str, code: &str) -> bool {
    let calls = calls(language, code);
    !calls.is_empty() && calls.iter().all(|(is_local, _)| *is_local)
}

struct Reader<'t> {
    language: &'t str,
    tokens: &'t [Token<'t>],
    /// Names of objects of a library.
    known: HashMap<&'t str, Origin>,
    calls: Vec<Call<'t>>,
    /// The expression that is being read, and those around it.
    chain: Option<Chain<'t>>,
    outer: Vec<(char, Option<Chain<'t>>)>,
    /// Names of the statement so far, and where those of the innermost bracket begin.
    names: Vec<&'t str>,
    group: usize,
    /// Names that the expression gives a value.
    bound: Vec<&'t str>,
    /// How many brackets are open around them.
    depth: usize,
    /// The library of the last expression of the statement.
    last: Option<Origin>,
}

impl<'t> Reader<'t> {
    fn new(language: &'t str, tokens: &'t [Token<'t>]) -> Reader<'t> {
        Reader {
            language,
            tokens,
            known: HashMap::new(),
            calls: Vec::new(),
            chain: None,
            outer: Vec::new(),
            names: Vec::new(),
            group: 0,
            bound: Vec::new(),
            depth: 0,
            last: None,
        }
    }

    fn read(&mut self) {
        self.end_statement();
        self.outer.clear();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let is_start = at.checked_sub(1).and_then(|before| self.tokens.get(before)).is_none_or(|before| {
                matches!(before, Token::Sign('\n' | ';' | ':' | '{' | '}' | '?' | '>')) || *before == Token::Name("php")
            });
            match token {
                Token::Name("import" | "from" | "use") if is_start && self.next(at) != Some(Token::Sign('(')) => {
                    at = self.import(at);
                    continue;
                }
                Token::Name(name) => self.name(at, name),
                Token::Text(text) => self.text(text),
                Token::Member => {}
                Token::Arrow => self.arrow(at),
                Token::Sign(sign) => self.sign(at, *sign),
            }
            at += 1;
        }
    }

    fn next(&self, at: usize) -> Option<Token<'t>> {
        self.tokens.get(at + 1).copied()
    }

    fn end_statement(&mut self) {
        self.chain = None;
        self.names.clear();
        self.group = 0;
        self.bound.clear();
        self.last = None;
    }

    fn name(&mut self, at: usize, name: &'t str) {
        let is_member = at.checked_sub(1).and_then(|before| self.tokens.get(before)) == Some(&Token::Member);
        if is_member {
            let Some(chain) = self.chain.as_mut() else { return };
            if chain.names.len() >= MAX_NAMES {
                chain.names.remove(0);
            }
            chain.names.push(name);
            self.refine(at, name);
        } else {
            match name {
                "for" => self.group = self.names.len(),
                "in" | "of" => self.bind_group(),
                "as" => {
                    if let (Some(Token::Name(alias)), Some(origin)) = (self.next(at), self.last.clone()) {
                        self.known.insert(alias, origin);
                    }
                }
                _ if KEYWORDS.contains(&name) => return,
                _ => {}
            }
            if self.names.len() < MAX_BOUND {
                self.names.push(name);
            }
            let origin = self.known.get(name).cloned();
            let origin = origin.or_else(|| {
                Some(Origin { library: of_global(self.language, name)?, service: String::new(), is_local: false })
            });
            self.chain = origin.map(|origin| Chain { origin, names: vec![name] });
            self.bind();
        }
        let bare = self.language == "ruby" && is_member;
        if self.next(at) == Some(Token::Sign('(')) || bare {
            self.call(at);
        }
    }

    /// Learns the part of the library from a member: `client("ec2")`, `Aws::S3`, `client.volumes`.
    fn refine(&mut self, at: usize, name: &'t str) {
        let literal = self.literal(at);
        let Some(chain) = self.chain.as_mut() else { return };
        let service = match chain.origin.library.speaks {
            Service::Aws if matches!(name, "client" | "resource") => literal.map(str::to_owned),
            Service::Aws if chain.names.len() == 2 && name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Some(name.trim_end_matches("Client").to_ascii_lowercase())
            }
            Service::Docker => ["volume", "image", "container", "network", "secret", "config", "service"]
                .iter()
                .find(|thing| name.to_ascii_lowercase().contains(**thing))
                .map(|thing| (*thing).to_owned()),
            _ => None,
        };
        if let Some(service) = service {
            chain.origin.service = service;
            self.bind();
        }
    }

    /// Gives the names that are bound the library of the expression. An argument says nothing of the value.
    fn bind(&mut self) {
        let Some(chain) = &self.chain else { return };
        self.last = Some(chain.origin.clone());
        if self.outer.get(self.depth..).unwrap_or_default().iter().take(MAX_DEPTH).any(|(open, _)| *open == 'c') {
            return;
        }
        for name in &self.bound {
            self.known.insert(name, chain.origin.clone());
        }
    }

    /// Has the names of the innermost bracket, or of the statement, get the value that follows.
    fn bind_group(&mut self) {
        self.bound = self.names.get(self.group..).unwrap_or_default().to_vec();
        self.depth = self.outer.len();
        self.chain = None;
    }

    /// The first literal among the arguments behind a name.
    fn literal(&self, at: usize) -> Option<&'t str> {
        let behind = self.tokens.get(at + 1..)?;
        let from = usize::from(behind.first() == Some(&Token::Sign('(')));
        let arguments = behind.get(from..)?.iter().take(MAX_ARGUMENTS);
        let mut inside = arguments.take_while(|token| !matches!(token, Token::Sign(')' | ';') | Token::Arrow));
        inside.find_map(|token| match token {
            Token::Text(text) => Some(*text),
            _ => None,
        })
    }

    fn call(&mut self, at: usize) {
        let literal = self.literal(at);
        let Some(chain) = self.chain.as_ref() else { return };
        if self.calls.len() < limits::COMMANDS {
            let (is_given_nothing, is_bounded) = self.arguments(at);
            let (origin, names) = (chain.origin.clone(), chain.names.clone());
            self.calls.push(Call { origin, names, literal, is_given_nothing, is_bounded });
        }
        let is_here = self.is_given_local(at);
        // Commands of a shell on this machine are judged like others.
        if let Some(chain) =
            self.chain.as_mut().filter(|chain| is_here && chain.origin.library.speaks != Service::Shell)
        {
            chain.origin.is_local = true;
            self.bind();
        }
    }

    /// Whether one of the arguments behind a name is a local address.
    fn is_given_local(&self, at: usize) -> bool {
        let behind = self.tokens.get(at + 1..).unwrap_or_default().iter().take(MAX_ARGUMENTS);
        let mut arguments = behind.take_while(|token| !matches!(token, Token::Sign(')' | ';') | Token::Arrow));
        arguments.any(|token| matches!(token, Token::Text(text) if is_local(text)))
    }

    /// Whether the call has no argument or an empty filter, and whether a condition comes before or after it.
    fn arguments(&self, at: usize) -> (bool, bool) {
        let behind = self.tokens.get(at + 1..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = behind.iter().take(MAX_DEPTH).position(|token| {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let (inside, after) = behind.split_at_checked(end.map_or(0, |end| end + 1)).unwrap_or((&[], behind));
        let is_empty = |pair: &[Token<'_>]| pair == [Token::Sign('{'), Token::Sign('}')];
        let nothing = inside.len() <= 2 || inside.windows(2).take(4).any(is_empty);
        let is_condition = |name: &str| CONDITIONS.contains(&name);
        let before = self.chain.as_ref().is_some_and(|chain| chain.names.iter().any(|name| is_condition(name)));
        let mut follows =
            after.windows(2).take(MAX_ARGUMENTS).take_while(|pair| !matches!(pair, [Token::Sign(';'), _]));
        let follows = follows.any(|pair| matches!(pair, [Token::Member, Token::Name(name)] if is_condition(name)));
        (nothing, before || follows)
    }

    /// A literal may name a module: `require("stripe")`.
    fn text(&mut self, text: &'t str) {
        self.chain = None;
        let loads = self.outer.last().is_some_and(|(open, _)| *open == 'r') || self.names.last() == Some(&"require");
        if loads && let Some((library, service)) = of_module(text) {
            self.chain = Some(Chain { origin: Origin { library, service, is_local: false }, names: Vec::new() });
            self.bind();
            let chain = self.chain.take();
            if let Some(outer) = self.outer.last_mut() {
                outer.1 = chain;
            }
        }
    }

    /// Gives a callback's parameter the origin of the call that takes the callback.
    fn arrow(&mut self, at: usize) {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let origin = self
            .outer
            .iter()
            .rev()
            .take(MAX_DEPTH)
            .find_map(|(_, chain)| chain.as_ref())
            .map(|chain| chain.origin.clone());
        if let Some(origin) = origin {
            let parameter = match before {
                Some(Token::Name(name)) => Some(*name),
                _ => self.names.last().copied(),
            };
            self.known.extend(parameter.map(|name| (name, origin)));
        }
        self.chain = None;
    }

    /// The kind of a bracket: `r` loads a module, `c` takes the arguments of a call.
    fn bracket(&self, at: usize, sign: char) -> char {
        let name = match at.checked_sub(1).and_then(|before| self.tokens.get(before)) {
            Some(Token::Name(name)) if sign == '(' => *name,
            _ => return sign,
        };
        match name {
            "require" | "import" => 'r',
            _ if KEYWORDS.contains(&name) || PASS_THROUGH.contains(&name) => sign,
            _ => 'c',
        }
    }

    fn sign(&mut self, at: usize, sign: char) {
        match sign {
            '(' | '[' | '{' => {
                self.outer.push((self.bracket(at, sign), self.chain.take()));
                self.group = self.names.len();
            }
            ')' | ']' | '}' => self.chain = self.outer.pop().and_then(|(_, chain)| chain),
            '=' => {
                let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
                if matches!(before, Some(Token::Sign('}' | ']' | ')'))) {
                    self.group = 0;
                }
                self.bind_group();
            }
            '|' if self.language == "ruby" => {
                if let (Some(Token::Name(name)), Some(origin)) = (self.next(at), self.last.clone()) {
                    self.known.insert(name, origin);
                }
            }
            '\n' => {
                let goes_on =
                    self.tokens.get(at + 1..).unwrap_or_default().iter().find(|token| **token != Token::Sign('\n'));
                let is_inside = self.outer.last().is_some_and(|(open, _)| *open != '{');
                if goes_on != Some(&Token::Member) && !is_inside {
                    self.end_statement();
                }
            }
            ';' => self.end_statement(),
            _ => self.chain = None,
        }
    }

    /// Reads the names that a statement imports, and gives the place behind it.
    fn import(&mut self, at: usize) -> usize {
        let rest = self.tokens.get(at + 1..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = rest.iter().position(|token| {
            match token {
                Token::Sign('(' | '{') => depth += 1,
                Token::Sign(')' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            matches!(token, Token::Sign(';')) || depth == 0 && matches!(token, Token::Sign('\n'))
        });
        let statement = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let quoted = statement.iter().find_map(|token| match token {
            Token::Text(module) => Some(*module),
            _ => None,
        });
        if let Some(module) = quoted {
            self.bring(module, statement);
        } else if let Some(from) = statement.iter().position(|token| *token == Token::Name("import")) {
            let (module, names) = statement.split_at_checked(from).unwrap_or_default();
            self.bring(&dotted(module), names);
        } else {
            for part in statement.split(|token| *token == Token::Sign(',')) {
                self.bring(&dotted(part), part);
            }
        }
        self.end_statement();
        at + 1 + statement.len()
    }

    /// Makes the names of an import those of its library.
    fn bring(&mut self, module: &str, names: &[Token<'t>]) {
        let Some((library, service)) = of_module(module) else { return };
        for token in names.iter().take(4 * MAX_BOUND) {
            if let Token::Name(name) = token {
                let service = match library.speaks {
                    Service::Google if service.is_empty() => (*name).to_owned(),
                    _ => service.clone(),
                };
                self.known.insert(name, Origin { library, service, is_local: false });
            }
        }
    }
}

/// The name of a module as its parts, up to an alias.
fn dotted(tokens: &[Token<'_>]) -> String {
    let names = tokens.iter().take_while(|token| **token != Token::Name("as"));
    names
        .filter_map(|token| match token {
            Token::Name(name) => Some(*name),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join(".")
}

#[cfg(test)]
mod tests;
