//! Finds library calls in tokens, and the library of each object.

mod arguments;

use std::collections::{HashMap, HashSet};

use super::places::{self, Place};
use super::services::{Service, of_global, of_module};
use super::tokens::{Token, dotted};
use super::{Call, Chain, Origin};
use crate::limits;

/// The maximum number of names in an expression, tokens in a call, and names bound by a statement.
const MAX_NAMES: usize = 8;
const MAX_ARGUMENTS: usize = 24;
const MAX_BOUND: usize = 16;

/// The maximum number of examined brackets around an expression.
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

/// Words that can't be the name of an object.
const KEYWORDS: &[&str] =
    &["async", "await", "const", "def", "do", "else", "if", "let", "new", "return", "type", "var", "while", "yield"];

/// Functions that don't call their arguments.
const LOOKS: &[&str] = &[
    "callable",
    "dir",
    "expect",
    "getsource",
    "hasattr",
    "help",
    "isinstance",
    "log",
    "print",
    "repr",
    "signature",
    "spyOn",
    "str",
    "type",
];

/// Calls that connect a whole library: `mongoose.connect(url)`.
const CONNECTS: &[&str] = &["configure", "connect", "createConnection", "init", "initialize", "setup"];

pub(super) struct Reader<'t> {
    language: &'t str,
    tokens: &'t [Token<'t>],
    /// Names of a library's objects.
    known: HashMap<&'t str, Origin>,
    pub(super) calls: Vec<Call<'t>>,
    /// Calls by lowercase name, with the most remote place of their objects.
    pub(super) places: HashMap<String, Place>,
    /// The places of clients that send commands.
    clients: Vec<Place>,
    /// Functions called by name, method aliases, and names with one literal as their value.
    called: HashSet<&'t str>,
    aliases: HashMap<&'t str, &'t str>,
    texts: HashMap<&'t str, &'t str>,
    /// Modules that the code replaces with test doubles.
    doubled: HashSet<&'t str>,
    /// Whether the statement destructures an object: `const { a, b: c } = object`.
    takes_apart: bool,
    /// The current expression and the enclosing ones.
    chain: Option<Chain<'t>>,
    outer: Vec<(char, Option<Chain<'t>>)>,
    /// The statement's names so far, and the index of the innermost bracket's first one.
    names: Vec<&'t str>,
    group: usize,
    /// Names that the expression is assigned to.
    bound: Vec<&'t str>,
    /// The number of open brackets around the names.
    depth: usize,
    /// The library of the statement's last expression.
    last: Option<Origin>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(language: &'t str, tokens: &'t [Token<'t>]) -> Reader<'t> {
        let replaced = tokens.windows(4).filter_map(|window| match window {
            [Token::Member, Token::Name(name), Token::Sign('('), Token::Text(module)]
                if places::REPLACES_MODULE.contains(name) =>
            {
                Some(*module)
            }
            _ => None,
        });
        let doubled = replaced.collect();
        let alone = |before: &Token<'_>| *before != Token::Member;
        let called = tokens.windows(3).filter_map(|window| match window {
            [before, Token::Name(name), Token::Sign('(')] if alone(before) => Some(*name),
            _ => None,
        });
        Reader {
            language,
            tokens,
            known: HashMap::new(),
            calls: Vec::new(),
            places: HashMap::new(),
            clients: Vec::new(),
            called: called.collect(),
            aliases: HashMap::new(),
            texts: super::spellings::constants(tokens),
            doubled,
            takes_apart: false,
            chain: None,
            outer: Vec::new(),
            names: Vec::new(),
            group: 0,
            bound: Vec::new(),
            depth: 0,
            last: None,
        }
    }

    /// Clears the calls but not the objects.
    pub(super) fn begin_again(&mut self) {
        self.calls.clear();
        self.clients.clear();
        self.places.clear();
    }

    /// Returns the most remote place of any client, or `Remote` without clients.
    pub(super) fn place_of_clients(&self) -> Place {
        self.clients.iter().copied().min().unwrap_or(Place::Remote)
    }

    pub(super) fn read(&mut self) {
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
        self.takes_apart = false;
    }

    fn name(&mut self, at: usize, name: &'t str) {
        let is_member = at.checked_sub(1).and_then(|before| self.tokens.get(before)) == Some(&Token::Member);
        if is_member {
            let Some(chain) = self.chain.as_mut() else {
                if self.next(at) == Some(Token::Sign('(')) {
                    self.note(name, Place::Remote);
                }
                return;
            };
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
            let own = if name.contains("ebhook") { "webhook" } else { "" };
            let origin = self.known.get(name).cloned();
            let origin = origin.or_else(|| {
                Some(Origin {
                    library: of_global(self.language, name)?,
                    service: String::new(),
                    place: Place::Remote,
                    is_method: false,
                })
            });
            self.chain = origin.map(|origin| {
                let method = origin.is_method.then(|| self.aliases.get(name).copied()).flatten();
                let service = if own.is_empty() { origin.service } else { own.to_owned() };
                Chain { origin: Origin { service, ..origin }, names: vec![method.unwrap_or(name)] }
            });
            self.bind();
        }
        let bare = self.language == "ruby" && is_member;
        if self.next(at) == Some(Token::Sign('(')) || bare || is_member && self.is_handed_on(at, name) {
            self.call(at);
        }
    }

    /// Records the most remote object with a call of this name.
    fn note(&mut self, name: &str, place: Place) {
        if self.places.len() < limits::COMMANDS {
            let known = self.places.entry(name.to_ascii_lowercase()).or_insert(place);
            *known = place.min(*known);
        }
    }

    /// Determines the part of the library from a member: `client("ec2")`, `Aws::S3`, `client.volumes`.
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

    /// Binds the names to the library of the expression. An argument doesn't determine the value.
    fn bind(&mut self) {
        let Some(chain) = &self.chain else { return };
        self.last = Some(chain.origin.clone());
        if self.outer.get(self.depth..).unwrap_or_default().iter().take(MAX_DEPTH).any(|(open, _)| *open == 'c') {
            return;
        }
        let origin = Origin { is_method: self.takes_apart, ..chain.origin.clone() };
        for name in &self.bound {
            self.known.insert(name, origin.clone());
        }
    }

    /// Binds the names in the innermost bracket, or in the statement, to the value that follows.
    fn bind_group(&mut self) {
        self.bound = self.names.get(self.group..).unwrap_or_default().to_vec();
        self.depth = self.outer.len();
        self.chain = None;
    }

    fn call(&mut self, at: usize) {
        let literal = self.literal(at);
        let (is_given_nothing, is_bounded) = self.arguments(at);
        let Some(chain) = self.chain.as_ref() else { return };
        let (mut origin, names) = (chain.origin.clone(), chain.names.clone());
        let name = names.last().copied().unwrap_or_default();
        let given = self.given(at);
        let of = |name: &str| match self.known.get(name) {
            Some(object) if object.place == Place::Double => Place::Double,
            Some(_) => Place::Remote,
            None => self.texts.get(name).map_or(Place::Remote, |text| places::of_text(text)),
        };
        let place = places::of_call(&names, given, is_given_nothing, of).max(origin.place);
        // `metadata.drop_all(engine)` changes the engine's database.
        let is_double = |token: &Token<'_>| matches!(token, Token::Name(name) if self.known.get(name).is_some_and(|object| object.place == Place::Double));
        if given.iter().any(is_double) {
            origin.place = Place::Double;
        }
        let is_command = origin.library.speaks == Service::Aws && name.ends_with("Command");
        let sender = self.outer.iter().rev().take(MAX_DEPTH).find_map(|(_, chain)| chain.as_ref());
        if is_command && let Some(sender) = sender {
            origin.place = sender.origin.place;
        }
        let is_made_apart = is_command && sender.is_none();
        if name.ends_with("Client") {
            self.clients.push(place);
        }
        if places::REPLACES.contains(&name) {
            self.replace(at);
        }
        self.note(name, origin.place);
        if self.calls.len() < limits::COMMANDS {
            let names = names.clone();
            self.calls.push(Call {
                origin: origin.clone(),
                names,
                literal,
                given,
                is_given_nothing,
                is_bounded,
                is_made_apart,
            });
        }
        // Commands for a shell on this machine are judged like any other.
        if place == Place::Remote || origin.library.speaks == Service::Shell {
            return;
        }
        if let (true, Some(all)) = (CONNECTS.contains(&name) && names.len() == 2, names.first()) {
            self.known.entry(all).and_modify(|origin| origin.place = place);
        }
        if let Some(chain) = self.chain.as_mut() {
            chain.origin.place = place;
            self.bind();
        }
    }

    /// Replaces the objects in a call's arguments with a test double.
    fn replace(&mut self, at: usize) {
        for token in self.given(at) {
            if let Token::Name(name) = token {
                self.known.entry(name).and_modify(|origin| origin.place = Place::Double);
            }
        }
    }

    /// Reads a literal, which may be a module's name: `require("stripe")`.
    fn text(&mut self, text: &'t str) {
        self.chain = None;
        let loads = self.outer.last().is_some_and(|(open, _)| *open == 'r') || self.names.last() == Some(&"require");
        if loads && let Some(origin) = self.origin_of(text) {
            self.chain = Some(Chain { origin, names: Vec::new() });
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

    /// Returns the kind of a bracket: `r` loads a module, `c` contains a call's arguments.
    fn bracket(&self, at: usize, sign: char) -> char {
        let name = match at.checked_sub(1).and_then(|before| self.tokens.get(before)) {
            Some(Token::Name(name)) if sign == '(' => *name,
            _ => return sign,
        };
        match name {
            "require" | "import" | "import_module" | "__import__" => 'r',
            _ if LOOKS.contains(&name) => 'i',
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
            ')' | ']' | '}' => {
                let (open, outer) = self.outer.pop().unwrap_or((sign, None));
                // `(new Client(x)).call()`
                self.chain = outer.or_else(|| self.chain.take().filter(|_| open == '('));
            }
            '=' => {
                let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
                if matches!(before, Some(Token::Sign('}' | ']' | ')'))) {
                    self.group = 0;
                }
                self.takes_apart = self.language == "javascript" && before == Some(&Token::Sign('}'));
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
            ':' if self.language == "javascript" => {
                let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
                if let (Some(Token::Name(method)), Some(Token::Name(alias))) = (before, self.next(at)) {
                    self.aliases.insert(alias, method);
                }
                self.chain = None;
            }
            ';' => self.end_statement(),
            _ => self.chain = None,
        }
    }

    /// Reads the imported names of a statement, and returns the index after it.
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

    /// Binds imported names to their library.
    fn bring(&mut self, module: &str, names: &[Token<'t>]) {
        for token in names.iter().take(4 * MAX_BOUND) {
            if let Token::Name(name) = token {
                // `from unittest import mock` imports a submodule.
                let origin = self.origin_of(module).or_else(|| self.origin_of(&format!("{module}.{name}")));
                let Some(Origin { library, service, place, .. }) = origin else { continue };
                let service = match library.speaks {
                    Service::Google if service.is_empty() => (*name).to_owned(),
                    _ => service.clone(),
                };
                self.known.insert(name, Origin { library, service, place, is_method: false });
            }
        }
    }

    /// Returns the origin of a module's members.
    fn origin_of(&self, module: &str) -> Option<Origin> {
        let (library, service) = of_module(module)?;
        let is_double = library.speaks == Service::Double || self.doubled.contains(module);
        let place = if is_double { Place::Double } else { Place::Remote };
        Some(Origin { library, service, place, is_method: false })
    }
}
