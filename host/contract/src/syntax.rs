//! The analysis of a call: commands and effects.

use serde::{Deserialize, Serialize};

use crate::ResolvedPath;

/// How far the text was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// Every byte is accounted for.
    Complete,
    /// Something could not be followed; `reasons` says why. The listed items are right, but there may be more.
    Partial,
    /// The text could not be parsed. The listed items are a guess.
    Unparsed,
}

/// How much an effect loses, and whether it comes back. Closed and ordered,
/// least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// Nothing is lost.
    Routine,
    /// Something changes that somebody may want to know of.
    Notable,
    /// Work or data is lost that cannot be had back without effort.
    Destructive,
    /// A disk, a home, a database, a shared history is lost.
    Catastrophic,
}

/// A half-open range of bytes in the text that was analysed. Of a command
/// inside a string that is shell again (`bash -c`), the range of that string's
/// word in the outermost text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `literal`, `variable`, `command` (a command substitution), `arithmetic`,
    /// `process` (a process substitution), `glob`, `brace` or `tilde`.
    /// An open set.
    pub kind: String,
    /// A literal's text after quote removal, a variable's name, else the
    /// source text.
    pub text: String,
    /// Inside quotes of any kind, or behind a backslash.
    pub quoted: bool,
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The text after quote removal. A part that is known only at run time
    /// stands as its source text, `$x` for instance.
    pub text: String,
    /// Holds a part that is known only at run time.
    pub dynamic: bool,
    /// Some part of it was quoted.
    pub quoted: bool,
    /// Holds an unquoted pattern that the shell expands to file names.
    pub glob: bool,
    /// The pieces, in order.
    pub parts: Vec<Part>,
}

/// `NAME=value` before a command, or alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The variable's name, without a subscript.
    pub name: String,
    /// The assigned value. An array is one word of its elements' text.
    pub value: Word,
}

/// A redirection of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirection {
    /// The descriptor, as written or implied. -1: both standard output and
    /// standard error. -2: one that the shell picks, `{name}>file`.
    pub fd: i32,
    /// As written: `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`,
    /// `<<-` or `<<<`.
    pub operator: String,
    /// The file, the descriptor, the here-document's delimiter, or the
    /// here-string's word.
    pub target: Word,
    /// The here-document's text; empty otherwise.
    pub body: String,
    /// The here-document's delimiter was quoted: the text stays as it is.
    pub body_quoted: bool,
}

/// Where a command stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The pipeline it belongs to, counted from 1.
    pub pipeline: u32,
    /// Its place in the pipeline, counted from 0.
    pub index: u32,
    /// How many commands the pipeline has.
    pub length: u32,
    /// The operator before the pipeline: `&&`, `||`, `;`, `&`, or empty for
    /// the first one of a list.
    pub operator: String,
    /// It runs in the background.
    pub background: bool,
    /// The enclosing constructs, outermost first: `subshell`, `group`, `substitution`, `process`, `condition`, `loop`,
    /// `case`, `function`, `coprocess`, `heredoc`, `trap`. An open set.
    pub within: Vec<String>,
}

/// How a command came to run: a wrapper that was peeled off, or a text that
/// became shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Via {
    /// `sudo`, `env`, `nohup`, `timeout`, `xargs`, `find-exec`, `shell-c`,
    /// `eval`, `ssh`, `container`, `heredoc`, `pipe`, `alias`, ... An open set.
    pub kind: String,
    /// A user, a host, a container; empty if there is nothing to say.
    pub detail: String,
}

/// A command that runs, or that may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Counts from 1, in the order of the text.
    pub id: u32,
    /// The command that runs this one (its wrapper), or the one whose word
    /// holds it as a substitution. 0 for one at the top.
    pub parent: u32,
    /// The program and its arguments after quote removal. Empty for an
    /// assignment or a redirection alone.
    pub argv: Vec<Word>,
    /// Assignments before the command.
    pub assignments: Vec<Assignment>,
    /// Redirections, those of an enclosing group included in the group's own
    /// pseudo command, which has an empty `argv`.
    pub redirections: Vec<Redirection>,
    /// Where it stands.
    pub position: Position,
    /// From the outermost wrapper to the innermost.
    pub via: Vec<Via>,
    /// Where it is written.
    pub span: Span,
    /// The working directory at this point; empty when it is not known.
    pub cwd: String,
    /// False if it may not be what will run: a dynamic name, a name that the
    /// text itself redefines, a guess.
    pub certain: bool,
}

/// Something that a command does to the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// `read`, `write`, `delete`, `metadata` (mode, owner, times), `execute`,
    /// `network`, `privilege`, `process`, `vcs`, `package`, `container`,
    /// `database`, `service`, `device`, ... An open set.
    pub kind: String,
    /// A stable dotted name: `fs.delete.recursive`, `git.push.force`.
    pub operation: String,
    /// How much is lost.
    pub severity: Severity,
    /// The object of the effect, as written after quote removal: a path, a branch, a table. Empty if there is nothing
    /// to name.
    pub target: String,
    /// The target as the machine sees it, for effects on files. The host fills
    /// it; of another effect every text is empty and `exists` is unknown.
    pub path: ResolvedPath,
    /// The command that does it; 0 for a tool that is not a shell.
    pub command_id: u32,
    /// False if the target or the effect itself may be another one.
    pub certain: bool,
    /// Details by name, such as `remote`, `recursive`, `force`, `flag`. Names
    /// are listed in the guide for policy authors.
    pub tags: Vec<(String, String)>,
}

/// A text in another language that a command runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// `sql`, `python`, `javascript`, `perl`, `ruby`, `php`, `awk`, `sed`, ...
    pub language: String,
    /// The text, after quote removal.
    pub text: String,
    /// The command that runs it.
    pub command_id: u32,
    /// False if a part of the text is known only at run time.
    pub certain: bool,
}

/// All that is known of one tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// How far the text was understood.
    pub coverage: Coverage,
    /// Why `coverage` is not `complete`, in words, most telling first.
    pub reasons: Vec<String>,
    /// At most 4,096, with at most 32,768 words in all.
    pub commands: Vec<Command>,
    /// The effects of the commands, or of the tool itself.
    pub effects: Vec<Effect>,
    /// Texts in other languages.
    pub scripts: Vec<Script>,
}
