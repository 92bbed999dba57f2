//! [`Backtracker`]: runs expressions with look-around by backtracking.

use crate::parse::{Error, Item, Node, One, Place, parse};

/// The maximum number of steps for one text.
const STEPS: usize = 2_000_000;

/// The maximum recursion depth, which is limited by the guest's stack.
const DEPTH: usize = 300;

/// A parsed expression.
#[derive(Debug, Clone)]
pub(crate) struct Backtracker {
    root: Node,
}

/// The steps or the stack are exhausted.
struct LimitReached;

type Answer = Result<bool, LimitReached>;

/// Matches the rest after a node, from the node's end.
type Continuation<'a> = dyn FnMut(&mut Run<'_>, usize) -> Answer + 'a;

impl Backtracker {
    pub(crate) fn new(text: &str, fold: bool) -> Result<Self, Error> {
        Ok(Backtracker { root: parse(text, fold)? })
    }

    /// Returns whether a part of the text matches. `None` if a limit is reached.
    pub(crate) fn matches(&self, text: &str) -> Option<bool> {
        let chars: Vec<char> = text.chars().collect();
        let mut run = Run { text: &chars, groups: Vec::new(), steps: STEPS, depth: 0 };
        for start in 0..=chars.len() {
            run.groups.clear();
            match run.node(&self.root, start, &mut |_, _| Ok(true)) {
                Ok(true) => return Some(true),
                Ok(false) => {}
                Err(LimitReached) => return None,
            }
        }
        Some(false)
    }
}

struct Run<'t> {
    text: &'t [char],
    /// The last match of each group, as number, start and end. Later entries apply.
    groups: Vec<(usize, usize, usize)>,
    steps: usize,
    depth: usize,
}

impl Run<'_> {
    fn node(&mut self, node: &Node, at: usize, then: &mut Continuation<'_>) -> Answer {
        self.steps = self.steps.checked_sub(1).ok_or(LimitReached)?;
        if self.depth >= DEPTH {
            return Err(LimitReached);
        }
        self.depth += 1;
        let answer = self.inner(node, at, then);
        self.depth -= 1;
        answer
    }

    fn inner(&mut self, node: &Node, at: usize, then: &mut Continuation<'_>) -> Answer {
        match node {
            Node::One(one) => {
                let fits = self.text.get(at).is_some_and(|c| one.matches_char(*c));
                if fits { then(self, at + 1) } else { Ok(false) }
            }
            Node::All(nodes) => self.match_all(nodes, at, then),
            Node::Either(choices) => {
                for choice in choices {
                    if self.node(choice, at, then)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Repeat { node, least, most, greedy } => match node.as_ref() {
                Node::One(one) => self.run_of_one(one, (*least, *most, *greedy), at, then),
                node => self.repeat(node, (*least, *most, *greedy), at, then),
            },
            Node::Group(number, node) => {
                let number = *number;
                let before = self.groups.len();
                let answer = self.node(node, at, &mut |run, end| {
                    run.groups.push((number, at, end));
                    let answer = then(run, end)?;
                    if !answer {
                        run.groups.pop();
                    }
                    Ok(answer)
                })?;
                if !answer {
                    self.groups.truncate(before);
                }
                Ok(answer)
            }
            Node::Back(number, fold) => {
                let Some((_, start, end)) = self.groups.iter().rfind(|(known, ..)| known == number).copied() else {
                    return Ok(false);
                };
                let text = self.text;
                let (wanted, here) = (text.get(start..end), text.get(at..at + (end - start)));
                let same = |(a, b): (&char, &char)| a == b || *fold && lower(*a) == lower(*b);
                match (wanted, here) {
                    (Some(wanted), Some(here)) if wanted.iter().zip(here).all(same) => then(self, at + wanted.len()),
                    _ => Ok(false),
                }
            }
            Node::Look { node, ahead, wanted } => {
                let before = self.groups.len();
                let mut found = false;
                if *ahead {
                    found = self.node(node, at, &mut |_, _| Ok(true))?;
                } else {
                    for start in (0..=at).rev() {
                        if self.node(node, start, &mut |_, end| Ok(end == at))? {
                            found = true;
                            break;
                        }
                    }
                }
                if found != *wanted {
                    self.groups.truncate(before);
                    return Ok(false);
                }
                if !*wanted {
                    self.groups.truncate(before);
                }
                then(self, at)
            }
            Node::Place(place) => {
                if self.is_at(*place, at) {
                    then(self, at)
                } else {
                    Ok(false)
                }
            }
        }
    }

    fn match_all(&mut self, mut nodes: &[Node], mut at: usize, then: &mut Continuation<'_>) -> Answer {
        // Most nodes match one character or none, and need no recursion for the nodes after them.
        while let Some((Node::One(_) | Node::Place(_), rest)) = nodes.split_first() {
            self.steps = self.steps.checked_sub(1).ok_or(LimitReached)?;
            match nodes.first() {
                Some(Node::One(one)) if self.text.get(at).is_some_and(|c| one.matches_char(*c)) => at += 1,
                Some(Node::Place(place)) if self.is_at(*place, at) => {}
                _ => return Ok(false),
            }
            nodes = rest;
        }
        match nodes.split_first() {
            None => then(self, at),
            Some((first, [])) => self.node(first, at, then),
            Some((first, rest)) => self.node(first, at, &mut |run, end| run.match_all(rest, end, then)),
        }
    }

    /// Repeats one character without recursion.
    fn run_of_one(
        &mut self,
        one: &One,
        counts: (usize, usize, bool),
        at: usize,
        then: &mut Continuation<'_>,
    ) -> Answer {
        let (least, most, greedy) = counts;
        let fitting = self.text.iter().skip(at).take(most).take_while(|c| one.matches_char(**c)).count();
        self.steps = self.steps.checked_sub(fitting).ok_or(LimitReached)?;
        let Some(more) = fitting.checked_sub(least) else { return Ok(false) };
        for step in 0..=more {
            let count = if greedy { fitting - step } else { least + step };
            self.steps = self.steps.checked_sub(1).ok_or(LimitReached)?;
            if then(self, at + count)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn repeat(&mut self, node: &Node, counts: (usize, usize, bool), at: usize, then: &mut Continuation<'_>) -> Answer {
        let (least, most, greedy) = counts;
        if least == 0 && !greedy && then(self, at)? {
            return Ok(true);
        }
        if most > 0 {
            let left = (least.saturating_sub(1), if most == usize::MAX { most } else { most - 1 }, greedy);
            let more = self.node(node, at, &mut |run, end| {
                // An empty match would repeat forever.
                if end == at && least == 0 { Ok(false) } else { run.repeat_more(node, left, end, then) }
            })?;
            if more {
                return Ok(true);
            }
        }
        if least == 0 && greedy { then(self, at) } else { Ok(false) }
    }

    fn repeat_more(
        &mut self,
        node: &Node,
        counts: (usize, usize, bool),
        at: usize,
        then: &mut Continuation<'_>,
    ) -> Answer {
        self.steps = self.steps.checked_sub(1).ok_or(LimitReached)?;
        self.repeat(node, counts, at, then)
    }

    fn is_at(&self, place: Place, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.text.get(at)).copied();
        let after = self.text.get(at).copied();
        match place {
            Place::Start => at == 0,
            Place::LineStart => before.is_none_or(|c| c == '\n'),
            Place::End => after.is_none(),
            Place::LastEnd => after.is_none() || after == Some('\n') && at + 1 == self.text.len(),
            Place::LineEnd => after.is_none_or(|c| c == '\n'),
            Place::Word(wanted) => (before.is_some_and(is_word) != after.is_some_and(is_word)) == wanted,
        }
    }
}

impl One {
    fn matches_char(&self, c: char) -> bool {
        let holds = |c: char| self.items.iter().any(|item| item.contains(c));
        let folded = || self.fold && (holds(lower(c)) || holds(upper(c)));
        (holds(c) || folded()) == self.wanted
    }
}

impl Item {
    fn contains(&self, c: char) -> bool {
        match self {
            Item::Range(first, last) => (*first..=*last).contains(&c),
            Item::Class('d', wanted) => c.is_ascii_digit() == *wanted,
            Item::Class('s', wanted) => c.is_whitespace() == *wanted,
            Item::Class(_, wanted) => is_word(c) == *wanted,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

fn upper(c: char) -> char {
    c.to_uppercase().next().unwrap_or(c)
}
