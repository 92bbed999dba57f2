//! [`Node`]: a YAML document as a tree, and [`Walk`]: ways through it that end.
//!
//! An alias shares what its anchor names and is never copied out, the tree's height is bounded with aliases counted, and
//! a walk visits a bounded number of nodes: a document of a few lines that stands for billions of nodes costs nothing.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser};

/// The maximum number of nodes in a document.
const NODES: usize = 20_000;

/// The greatest height of a document, aliases included.
const HEIGHT: usize = 48;

/// The maximum number of nodes that a walk visits. A condition is visited several times.
const VISITS: usize = 20 * NODES;

/// A value.
#[derive(Debug)]
pub(crate) enum Node {
    Text(String),
    List(Vec<Rc<Node>>),
    Map(Vec<(Rc<Node>, Rc<Node>)>),
}

/// A collection that is not closed yet.
struct Open {
    is_map: bool,
    anchor: usize,
    items: Vec<Rc<Node>>,
    height: usize,
}

impl Node {
    /// The first document of a text.
    pub(crate) fn read(text: &str) -> Result<Node, String> {
        let mut open = vec![Open { is_map: false, anchor: 0, items: Vec::new(), height: 0 }];
        let mut anchors: BTreeMap<usize, (Rc<Node>, usize)> = BTreeMap::new();
        let mut nodes = 0_usize;
        for event in Parser::new_from_str(text) {
            let (event, _) = event.map_err(|error| format!("line {}: {}", error.marker().line(), error.info()))?;
            nodes += 1;
            if nodes > NODES || open.len() > HEIGHT {
                return Err("it holds more than can be looked at".to_owned());
            }
            let (anchor, node, height) = match event {
                Event::Scalar(text, _, anchor, _) => (anchor, Rc::new(Node::Text(text.into_owned())), 1),
                Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                    let is_map = matches!(event, Event::MappingStart(..));
                    open.push(Open { is_map, anchor, items: Vec::new(), height: 0 });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let Some(closed) = open.pop() else { break };
                    let height = closed.height + 1;
                    (closed.anchor, Rc::new(closed.into_node()), height)
                }
                Event::Alias(anchor) => {
                    let (node, height) = anchors.get(&anchor).ok_or("an alias names what it stands in")?;
                    (0, node.clone(), *height)
                }
                Event::DocumentEnd => break,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => continue,
            };
            if anchor != 0 {
                anchors.insert(anchor, (node.clone(), height));
            }
            let depth = open.len();
            let Some(parent) = open.last_mut() else { break };
            parent.height = parent.height.max(height);
            parent.items.push(node);
            if depth + height > HEIGHT {
                return Err("it nests too deep".to_owned());
            }
        }
        let root = open.pop().map(|root| root.items).unwrap_or_default();
        Ok(Node::List(root))
    }

    /// A scalar's text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Open {
    fn into_node(self) -> Node {
        if !self.is_map {
            return Node::List(self.items);
        }
        let mut pairs = Vec::with_capacity(self.items.len() / 2);
        let mut items = self.items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            pairs.push((key, value));
        }
        Node::Map(pairs)
    }
}

/// Looks at nodes until it has seen enough.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    visited: Cell<usize>,
}

impl Walk {
    /// Returns whether something was left out because the walk grew too long.
    pub(crate) fn is_spent(&self) -> bool {
        self.visited.get() > VISITS
    }

    fn visit(&self, count: usize) -> bool {
        self.visited.set(self.visited.get().saturating_add(count));
        !self.is_spent()
    }

    /// The value of a key of a mapping, or of the mappings that it merges in with `<<`.
    pub(crate) fn field<'a>(&self, node: &'a Node, key: &str) -> Option<&'a Node> {
        match node {
            _ if !self.visit(1) => None,
            Node::Text(_) => None,
            Node::List(list) => list.iter().find_map(|node| match &**node {
                Node::Map(_) => self.field(node, key),
                _ => None,
            }),
            Node::Map(pairs) => {
                self.visit(pairs.len());
                let is = |wanted: &str, pair: &(Rc<Node>, Rc<Node>)| pair.0.text() == Some(wanted);
                let own = pairs.iter().find(|pair| is(key, pair));
                let merged = || pairs.iter().filter(|pair| is("<<", pair)).find_map(|pair| self.field(&pair.1, key));
                own.map(|pair| &*pair.1).or_else(merged)
            }
        }
    }

    /// The items of a list, or the values of a mapping with their names.
    pub(crate) fn items<'a>(&self, node: &'a Node) -> Vec<(Option<&'a str>, &'a Node)> {
        match node {
            Node::Text(_) => Vec::new(),
            Node::List(list) if self.visit(list.len()) => list.iter().map(|node| (None, &**node)).collect(),
            Node::Map(pairs) if self.visit(pairs.len()) => {
                let item = |pair: &'a (Rc<Node>, Rc<Node>)| match pair.0.text() {
                    Some("<<") => self.items(&pair.1),
                    name => vec![(name, &*pair.1)],
                };
                pairs.iter().flat_map(item).collect()
            }
            _ => Vec::new(),
        }
    }
}
