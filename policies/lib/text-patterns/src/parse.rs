//! Parses the text of an expression into [`Node`]s.

/// The maximum nesting of groups.
const DEPTH: usize = 50;

/// The maximum length of an expression in characters.
const LONGEST: usize = 4_096;

/// The maximum count of a repetition.
const COUNT: usize = 1_000;

/// The reason why a text is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// Malformed.
    Invalid,
    /// An unsupported construct.
    Unknown(&'static str),
}

/// A part of an expression.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// One character.
    One(One),
    /// A sequence.
    All(Vec<Node>),
    /// One of several alternatives.
    Either(Vec<Node>),
    /// A repetition, greedy or lazy.
    Repeat { node: Box<Node>, least: usize, most: usize, greedy: bool },
    /// A capturing group with its number.
    Group(usize, Box<Node>),
    /// A backreference to a group's number, and whether case is ignored.
    Back(usize, bool),
    /// A look-ahead or look-behind, positive or negative.
    Look { node: Box<Node>, ahead: bool, wanted: bool },
    /// A position between characters.
    Place(Place),
}

/// A set of characters.
#[derive(Debug, Clone)]
pub(crate) struct One {
    /// Ranges and classes.
    pub(crate) items: Vec<Item>,
    /// Whether the character must be one of the items. Otherwise it must be none of them.
    pub(crate) wanted: bool,
    /// Whether case is ignored.
    pub(crate) fold: bool,
}

/// A part of a set.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// A range of characters.
    Range(char, char),
    /// A class, or its complement.
    Class(char, bool),
}

/// A position between characters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// The start of the text.
    Start,
    /// The start of a line.
    LineStart,
    /// The end of the text.
    End,
    /// The end of the text, or before a final line break.
    LastEnd,
    /// The end of a line.
    LineEnd,
    /// At a word boundary, or not.
    Word(bool),
}

/// The flags.
#[derive(Debug, Clone, Copy)]
struct Flags {
    fold: bool,
    lines: bool,
    dot_all: bool,
}

pub(crate) struct Parser<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    flags: Flags,
    groups: usize,
    /// The names of groups.
    names: Vec<(String, usize)>,
    depth: usize,
}

/// Parses an expression.
pub(crate) fn parse(text: &str, fold: bool) -> Result<Node, Error> {
    if text.chars().count() > LONGEST {
        return Err(Error::Unknown("it is longer than 4,096 characters"));
    }
    let flags = Flags { fold, lines: false, dot_all: false };
    let mut parser = Parser { rest: text.chars().peekable(), flags, groups: 0, names: Vec::new(), depth: 0 };
    let node = parser.parse_alternatives()?;
    if parser.rest.next().is_some() { Err(Error::Invalid) } else { Ok(node) }
}

impl Parser<'_> {
    fn eat(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn next(&mut self) -> Result<char, Error> {
        self.rest.next().ok_or(Error::Invalid)
    }

    fn parse_alternatives(&mut self) -> Result<Node, Error> {
        let mut choices = vec![self.parse_sequence()?];
        while self.eat('|') {
            choices.push(self.parse_sequence()?);
        }
        Ok(if choices.len() == 1 { choices.remove(0) } else { Node::Either(choices) })
    }

    fn parse_sequence(&mut self) -> Result<Node, Error> {
        let mut nodes = Vec::new();
        while self.rest.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            let Some(node) = self.atom()? else { continue };
            nodes.push(self.parse_repetition(node)?);
        }
        Ok(Node::All(nodes))
    }

    /// `None` for flags and comments.
    fn atom(&mut self) -> Result<Option<Node>, Error> {
        let Flags { fold, lines, dot_all } = self.flags;
        let place = |place| Ok(Some(Node::Place(place)));
        match self.next()? {
            '^' => place(if lines { Place::LineStart } else { Place::Start }),
            '$' => place(if lines { Place::LineEnd } else { Place::LastEnd }),
            '.' => {
                let items = if dot_all { Vec::new() } else { vec![Item::Range('\n', '\n')] };
                Ok(Some(Node::One(One { items, wanted: false, fold: false })))
            }
            '*' | '+' | '?' => Err(Error::Invalid),
            '[' => self.parse_set().map(Some),
            '(' => self.group(),
            '\\' => self.escape().map(Some),
            other => Ok(Some(literal(other, fold))),
        }
    }

    fn parse_repetition(&mut self, node: Node) -> Result<Node, Error> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => match self.counts() {
                Some(counts) => counts,
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        self.rest.next();
        let counted = if most == usize::MAX { least } else { most };
        if most < least || counted > COUNT {
            return Err(Error::Unknown("it counts backwards, or too far"));
        }
        if matches!(node, Node::Place(_)) {
            return Err(Error::Invalid);
        }
        let greedy = !self.eat('?');
        if self.rest.peek().is_some_and(|next| matches!(next, '*' | '+' | '?')) {
            return Err(Error::Invalid);
        }
        Ok(Node::Repeat { node: Box::new(node), least, most, greedy })
    }

    /// Parses the counts of `{2}`, `{2,}`, `{,3}` or `{2,3}`, including the closing brace. `None` if the brace is a
    /// literal.
    fn counts(&mut self) -> Option<(usize, usize)> {
        let mut ahead = self.rest.clone();
        ahead.next();
        let mut inside = String::new();
        loop {
            match ahead.peek()? {
                '}' => break,
                c if c.is_ascii_digit() || *c == ',' => inside.push(*c),
                _ => return None,
            }
            ahead.next();
        }
        let number = |text: &str, default| if text.is_empty() { Some(default) } else { text.parse().ok() };
        let counts = match inside.split_once(',') {
            Some((least, most)) if inside.len() > 1 => (number(least, 0)?, number(most, usize::MAX)?),
            Some(_) => return None,
            None => (inside.parse().ok()?, inside.parse().ok()?),
        };
        self.rest = ahead;
        Some(counts)
    }

    fn group(&mut self) -> Result<Option<Node>, Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::Unknown("its groups are too deep"));
        }
        let before = self.flags;
        let node = if self.eat('?') {
            match self.next()? {
                ':' => Some(self.parse_alternatives()?),
                '=' => Some(self.parse_look_around(true, true)?),
                '!' => Some(self.parse_look_around(true, false)?),
                '#' => {
                    while self.rest.next_if(|next| *next != ')').is_some() {}
                    None
                }
                'P' if self.eat('=') => Some(self.parse_named_reference()?),
                'P' if self.eat('<') => Some(self.parse_named_group()?),
                '<' if self.eat('=') => Some(self.parse_look_around(false, true)?),
                '<' if self.eat('!') => Some(self.parse_look_around(false, false)?),
                '<' => Some(self.parse_named_group()?),
                flag => {
                    let lasting = self.flags(flag)?;
                    if lasting {
                        self.depth -= 1;
                        return Ok(None);
                    }
                    Some(self.parse_alternatives()?)
                }
            }
        } else {
            Some(self.parse_group()?)
        };
        if !self.eat(')') {
            return Err(Error::Invalid);
        }
        self.flags = before;
        self.depth -= 1;
        Ok(node)
    }

    fn parse_look_around(&mut self, ahead: bool, wanted: bool) -> Result<Node, Error> {
        Ok(Node::Look { node: Box::new(self.parse_alternatives()?), ahead, wanted })
    }

    fn parse_group(&mut self) -> Result<Node, Error> {
        self.groups += 1;
        let number = self.groups;
        Ok(Node::Group(number, Box::new(self.parse_alternatives()?)))
    }

    fn parse_named_group(&mut self) -> Result<Node, Error> {
        let name = self.name('>')?;
        self.names.push((name, self.groups + 1));
        self.parse_group()
    }

    fn parse_named_reference(&mut self) -> Result<Node, Error> {
        let mut name = String::new();
        while let Some(next) = self.rest.next_if(|next| *next != ')') {
            name.push(next);
        }
        let known = self.names.iter().find(|(known, _)| *known == name);
        known
            .map(|(_, number)| Node::Back(*number, self.flags.fold))
            .ok_or(Error::Unknown("it has no group of that name"))
    }

    fn name(&mut self, end: char) -> Result<String, Error> {
        let mut name = String::new();
        loop {
            match self.next()? {
                c if c == end && !name.is_empty() => return Ok(name),
                c if c.is_alphanumeric() || c == '_' => name.push(c),
                _ => return Err(Error::Invalid),
            }
        }
    }

    /// Parses flags up to `)`, which apply from here on, or up to `:`, which apply to a group. Returns `true` for the
    /// former.
    fn flags(&mut self, first: char) -> Result<bool, Error> {
        let (mut next, mut value) = (first, true);
        loop {
            match next {
                'i' => self.flags.fold = value,
                'm' => self.flags.lines = value,
                's' => self.flags.dot_all = value,
                'u' | 'a' => {}
                '-' if value => value = false,
                ')' => return Ok(true),
                ':' => return Ok(false),
                _ => return Err(Error::Unknown("it has a group or a flag of a kind that is not known")),
            }
            next = self.next()?;
        }
    }

    fn parse_set(&mut self) -> Result<Node, Error> {
        let wanted = !self.eat('^');
        let mut items = Vec::new();
        let mut first = true;
        loop {
            let next = match self.next()? {
                ']' if !first => break,
                '\\' => match self.parse_set_escape()? {
                    Item::Range(c, _) => c,
                    class @ Item::Class(..) => {
                        items.push(class);
                        first = false;
                        continue;
                    }
                },
                other => other,
            };
            first = false;
            let mut ahead = self.rest.clone();
            let last = match (ahead.next(), ahead.next()) {
                (Some('-'), Some(last)) if last != ']' => {
                    self.rest = ahead;
                    match last {
                        '\\' => match self.parse_set_escape()? {
                            Item::Range(c, _) => c,
                            Item::Class(..) => return Err(Error::Invalid),
                        },
                        last => last,
                    }
                }
                _ => next,
            };
            if last < next {
                return Err(Error::Invalid);
            }
            items.push(Item::Range(next, last));
        }
        Ok(Node::One(One { items, wanted, fold: self.flags.fold }))
    }

    fn parse_set_escape(&mut self) -> Result<Item, Error> {
        let next = self.next()?;
        if let Some(class) = class(next) {
            return Ok(class);
        }
        let c = if next == 'b' { '\u{8}' } else { self.character(next)? };
        Ok(Item::Range(c, c))
    }

    fn escape(&mut self) -> Result<Node, Error> {
        let fold = self.flags.fold;
        let next = self.next()?;
        if let Some(class) = class(next) {
            return Ok(Node::One(One { items: vec![class], wanted: true, fold: false }));
        }
        Ok(match next {
            'A' => Node::Place(Place::Start),
            'Z' | 'z' => Node::Place(Place::End),
            'b' => Node::Place(Place::Word(true)),
            'B' => Node::Place(Place::Word(false)),
            digit @ '1'..='9' => {
                let mut number = digit.to_digit(10).unwrap_or_default() as usize;
                while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
                    number = number * 10 + digit.to_digit(10).unwrap_or_default() as usize;
                    if number > COUNT {
                        break;
                    }
                }
                if number > self.groups {
                    return Err(Error::Unknown("it refers to a group that is not there"));
                }
                Node::Back(number, fold)
            }
            other => literal(self.character(other)?, fold),
        })
    }

    /// Parses the character after a backslash.
    fn character(&mut self, next: char) -> Result<char, Error> {
        Ok(match next {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            '0' => '\0',
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            'U' => self.code(8)?,
            other if other.is_ascii_alphanumeric() => return Err(Error::Invalid),
            other => other,
        })
    }

    fn code(&mut self, digits: usize) -> Result<char, Error> {
        let mut code = 0;
        for _ in 0..digits {
            code = code * 16 + self.next()?.to_digit(16).ok_or(Error::Invalid)?;
        }
        char::from_u32(code).ok_or(Error::Invalid)
    }
}

fn class(name: char) -> Option<Item> {
    match name {
        'd' | 's' | 'w' => Some(Item::Class(name, true)),
        'D' | 'S' | 'W' => Some(Item::Class(name.to_ascii_lowercase(), false)),
        _ => None,
    }
}

fn literal(c: char, fold: bool) -> Node {
    Node::One(One { items: vec![Item::Range(c, c)], wanted: true, fold })
}
