//! The tree of commands: wrappers, the commands in them, and each command's effects.
//!
//! Only arranges and formats the analysis, which is a flat list. Here, each command is below its parent. The wrappers
//! that were removed from it are between the two, shared by adjacent commands in the same wrapper.

use std::collections::BTreeMap;

use guard_contract::syntax::{Analysis, Command, Effect, Via};

use super::{printable, severity_name};

/// The maximum depth of the tree. Deeper commands are shown at the top level.
const DEPTH: usize = 32;

/// A line of the tree, and its children.
#[derive(Debug, Default)]
struct Node {
    /// The wrapper. `None` for a command.
    wrapper: Option<Via>,
    line: String,
    effects: Vec<String>,
    depth: usize,
    /// Indexes in the list of all nodes.
    below: Vec<usize>,
}

/// All nodes. The first one is the root.
#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
}

/// Returns the lines of the tree, without line breaks.
pub(super) fn lines(analysis: &Analysis) -> Vec<String> {
    let mut tree = Tree { nodes: vec![Node::default()] };
    let mut places: BTreeMap<u32, (usize, &[Via])> = BTreeMap::new();
    for command in &analysis.commands {
        let (parent, above) = places.get(&command.parent).copied().unwrap_or_default();
        let (parent, above) = if tree.depth(parent) < DEPTH { (parent, above) } else { (0, [].as_slice()) };
        let same = |(one, other): &(&Via, &Via)| is_same(one, other);
        let shared = above.iter().zip(&command.via).take_while(same).count();
        let mut at = parent;
        for via in command.via.iter().skip(shared).take(DEPTH) {
            at = tree.wrapper(at, via);
        }
        let node =
            Node { line: command_text(command), effects: describe_effects(analysis, command.id), ..Node::default() };
        places.insert(command.id, (tree.add(at, node), &command.via));
    }
    let mut lines: Vec<String> = describe_effects(analysis, 0).iter().map(|effect| format!("* {effect}")).collect();
    tree.draw(0, "", &mut lines);
    lines
}

impl Tree {
    fn depth(&self, at: usize) -> usize {
        self.nodes.get(at).map_or(0, |node| node.depth)
    }

    /// Adds a node below another one and returns its index.
    fn add(&mut self, above: usize, mut node: Node) -> usize {
        let place = self.nodes.len();
        if let Some(above) = self.nodes.get_mut(above) {
            above.below.push(place);
            node.depth = above.depth + 1;
        }
        self.nodes.push(node);
        place
    }

    /// Returns the index of a wrapper below a node. It is only shared with the previous sibling: two `sudo` with a
    /// command between them are separate.
    fn wrapper(&mut self, above: usize, via: &Via) -> usize {
        let neighbour = self.nodes.get(above).and_then(|node| node.below.last().copied());
        let known = neighbour.and_then(|at| self.nodes.get(at)).and_then(|node| node.wrapper.as_ref());
        if let Some(at) = neighbour.filter(|_| known.is_some_and(|known| is_same(known, via))) {
            return at;
        }
        let detail = if via.detail.is_empty() { String::new() } else { format!(" {}", printable(&via.detail)) };
        let line = format!("({}{detail})", via.kind);
        self.add(above, Node { wrapper: Some(via.clone()), line, ..Node::default() })
    }

    fn draw(&self, at: usize, indent: &str, lines: &mut Vec<String>) {
        let below = self.nodes.get(at).map(|node| node.below.as_slice()).unwrap_or_default();
        for (index, child) in below.iter().enumerate() {
            let is_last = index + 1 == below.len();
            let Some(node) = self.nodes.get(*child) else { continue };
            lines.push(format!("{indent}{}{}", if is_last { "`- " } else { "|- " }, node.line));
            let deeper = format!("{indent}{}", if is_last { "   " } else { "|  " });
            let rail = if node.below.is_empty() { "   " } else { "|  " };
            lines.extend(node.effects.iter().map(|effect| format!("{deeper}{rail}* {effect}")));
            self.draw(*child, &deeper, lines);
        }
    }
}

fn is_same(one: &Via, other: &Via) -> bool {
    one.kind == other.kind && one.detail == other.detail
}

fn command_text(command: &Command) -> String {
    let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    let text = if words.is_empty() { "(no program)".to_owned() } else { printable(&words.join(" ")) };
    if command.certain { text } else { format!("{text}   (a guess)") }
}

/// Returns the effects of a command. The same effect on many targets is one line.
fn describe_effects(analysis: &Analysis, id: u32) -> Vec<String> {
    let mut shown: Vec<(String, Vec<String>, String)> = Vec::new();
    for effect in analysis.effects.iter().filter(|effect| effect.command_id == id) {
        let end = ending(effect);
        let target = printable(if effect.path.canonical.is_empty() { &effect.target } else { &effect.path.canonical });
        match shown.last_mut().filter(|(operation, _, other)| *operation == effect.operation && *other == end) {
            Some((_, targets, _)) => targets.push(target),
            None => shown.push((effect.operation.clone(), vec![target], end)),
        }
    }
    let text = |(operation, targets, end): (String, Vec<String>, String)| {
        let few: Vec<&str> = targets.iter().map(String::as_str).take(4).collect();
        let more = targets.len() - few.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{operation} {}{more}", few.join(" ")).trim_end().to_owned() + &end
    };
    shown.into_iter().map(text).collect()
}

fn ending(effect: &Effect) -> String {
    let tag = |name: &str| effect.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    let place = tag("where").map_or(String::new(), |place| format!(" in {place}"));
    let guess = if effect.certain { "" } else { ", a guess" };
    format!("{place}   [{}{guess}]", severity_name(effect.severity))
}

#[cfg(test)]
mod tests {
    use super::lines;
    use guard_contract::syntax::{Analysis, Command, Coverage, Position, Span, Via, Word};

    fn command(id: u32, parent: u32, argv: &str, via: &[&str]) -> Command {
        let word =
            |text: &str| Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts: Vec::new() };
        Command {
            id,
            parent,
            argv: argv.split(' ').map(word).collect(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            position: Position {
                pipeline: 1,
                index: 0,
                length: 1,
                operator: String::new(),
                background: false,
                within: Vec::new(),
            },
            via: via.iter().map(|kind| Via { kind: (*kind).to_owned(), detail: String::new() }).collect(),
            span: Span { start: 0, end: 0 },
            cwd: String::new(),
            certain: true,
        }
    }

    fn draw_tree(commands: Vec<Command>) -> Vec<String> {
        lines(&Analysis {
            coverage: Coverage::Complete,
            reasons: Vec::new(),
            commands,
            effects: Vec::new(),
            scripts: Vec::new(),
        })
    }

    #[test]
    fn neighbours_share_their_wrappers_and_a_command_hangs_below_its_parent() {
        let commands = vec![
            command(1, 0, "cd /tmp", &["sudo", "shell-c"]),
            command(2, 0, "find .", &["sudo", "shell-c"]),
            command(3, 2, "rm x", &["sudo", "shell-c", "find-exec"]),
            command(4, 0, "echo", &[]),
            command(5, 0, "ls", &["sudo"]),
        ];
        let expected = [
            "|- (sudo)",
            "|  `- (shell-c)",
            "|     |- cd /tmp",
            "|     `- find .",
            "|        `- (find-exec)",
            "|           `- rm x",
            "|- echo",
            "`- (sudo)",
            "   `- ls",
        ];
        assert_eq!(draw_tree(commands), expected);
    }

    #[test]
    fn commands_that_are_their_own_parents_end() {
        assert_eq!(draw_tree(vec![command(1, 1, "a", &[])]).len(), 1);
        assert_eq!(draw_tree(vec![command(1, 2, "a", &[]), command(2, 1, "b", &[])]).len(), 2);
    }

    #[test]
    fn ten_thousand_commands_that_each_run_the_next_are_drawn() {
        let commands = (1..=10_000).map(|id| command(id, id - 1, "x", &[])).collect();
        assert_eq!(draw_tree(commands).len(), 10_000);
    }
}
