//! [`Run`]: one command while its effects are determined, and the functions that add them.

mod among;
pub(crate) mod collected;
mod created_here;
pub(crate) mod elsewhere;
pub(crate) mod hosts;
pub(crate) mod input;
pub(crate) mod linked;
pub(crate) mod lists;
mod non_production;
pub(crate) mod path;
pub(crate) mod pipelines;
pub(crate) mod production;
mod remediation;
mod variables;
pub(crate) mod searches;
mod test_databases;

use guard_sdk::ResolvedPath;
use guard_sdk::syntax::{Command, Effect, Script, Severity, Word};

use crate::draft::Draft;
use crate::limits;
use crate::options::{Operand, Options, Parsed, parse};
use crate::programs::placeholder_operands;
use crate::view::Inside;
use crate::wrappers::layer::place_of;
use collected::Collected;
use path::Device;
use pipelines::Pipelines;

/// The number of effects above which supplied files are no longer recorded.
const SUPPLIED: usize = 2048;

/// One command, its context, and the collected effects.
pub(crate) struct Run<'a> {
    pub(crate) command: &'a Command,
    /// All commands of the text. A command's index is its id minus one.
    pub(crate) commands: &'a [Command],
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) home: &'a str,
    /// The program's name without its folder, in lower case. Empty if missing or unknown.
    pub(crate) name: String,
    /// Whether the program is in capitals, so that its options are folded, too.
    pub(crate) shouted: bool,
    /// The directory for relative operands, if an option changed it.
    base: Option<String>,
    place: &'static str,
    /// The command's file system, if it isn't just this machine's.
    inside: Option<&'a Inside>,
    /// The calling user's home, which may differ from the command's.
    host_home: &'a str,
    out: &'a mut Collected,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        command: &'a Command,
        commands: &'a [Command],
        pipelines: &'a Pipelines,
        home: &'a str,
        out: &'a mut Collected,
    ) -> Run<'a> {
        let written = command.program();
        let shouted =
            written.bytes().any(|b| b.is_ascii_uppercase()) && !written.bytes().any(|b| b.is_ascii_lowercase());
        let place = place_of(&command.via);
        let name = written.to_ascii_lowercase();
        let (base, inside, host_home) = (None, None, home);
        Run { command, commands, pipelines, home, name, shouted, base, place, inside, host_home, out }
    }

    /// Resolves paths in the command's file system from here on.
    pub(crate) fn enter_view(&mut self, inside: Option<&'a Inside>) {
        self.inside = inside;
        self.home = inside.map_or(self.host_home, |inside| inside.view.home.as_str());
    }

    /// Returns the path on this machine for a path of the command. `None` if it is in a container or on another
    /// machine.
    fn host(&self, path: &str, is_read: bool) -> Option<String> {
        match self.inside {
            None => self.place.is_empty().then(|| path.to_owned()),
            Some(inside) => inside.view.host(path).filter(|here| is_read || !here.read_only).map(|here| here.path),
        }
    }

    /// Returns the command's file system, if it isn't just this machine's.
    pub(crate) fn inside(&self) -> Option<&'a Inside> {
        self.inside
    }

    /// Returns the files of this machine that the arguments of a command in a container or sandbox refer to.
    pub(crate) fn mounted_operands(&self) -> Vec<String> {
        let words = self.arguments().iter().filter(|word| self.inside.is_some() && !word.text.starts_with('-'));
        let host = |word: &Word| self.host(&path::place(&Operand::of(word), self.cwd(), self.home).raw, true);
        words.filter_map(host).filter(|path| path.starts_with('/')).take(limits::LISTED).collect()
    }

    /// Returns whether losing the operand loses the machine or a home.
    pub(crate) fn is_catastrophic(&self, operand: &Operand<'_>) -> bool {
        let raw = path::place(operand, self.cwd(), self.home).raw;
        let glob = operand.word.glob;
        let here = self.inside.and_then(|_| self.host(&raw, false));
        path::is_catastrophic(here.as_ref().unwrap_or(&raw), glob, self.host_home)
    }

    /// Returns the arguments.
    pub(crate) fn arguments(&self) -> &'a [Word] {
        self.command.argv.get(1..).unwrap_or_default()
    }

    /// Parses options and operands. Folds capitals as for this command.
    pub(crate) fn parse(&self, words: &'a [Word], spec: Options) -> Parsed<'a> {
        parse(words, spec, self.shouted)
    }

    /// Returns whether the command was reached through a wrapper of this kind.
    pub(crate) fn is_via(&self, kind: &str) -> bool {
        self.command.via.iter().any(|via| via.kind == kind)
    }

    /// Returns the directory for relative operands. Empty if unknown.
    pub(crate) fn cwd(&self) -> &str {
        let cwd = self.inside.map_or(&self.command.cwd, |inside| &inside.cwd);
        self.base.as_deref().unwrap_or(cwd)
    }

    /// Resolves relative operands in `folder` from here on, as after `-C`.
    pub(crate) fn enter(&mut self, folder: &Operand<'_>) {
        self.base = Some(path::place(folder, self.cwd(), self.home).raw);
    }

    /// Returns the number of effects so far, of all commands.
    pub(crate) fn count(&self) -> usize {
        self.out.effects.len()
    }

    /// Records that the command prints a secret.
    pub(crate) fn prints_secret(&mut self) {
        self.out.printers.push(self.command.id);
    }

    /// Adds an effect that is not on a file.
    pub(crate) fn emit(&mut self, draft: Draft) {
        let certain = self.command.certain;
        self.state(draft, certain);
    }

    /// Adds an effect with the given certainty, regardless of the command's.
    pub(crate) fn state(&mut self, draft: Draft, certain: bool) {
        let path = draft.raw.clone();
        self.state_at(draft, certain, self.place, &path);
    }

    /// Adds an effect. Links are followed for `path`.
    fn state_at(&mut self, draft: Draft, certain: bool, place: &str, path: &str) {
        // Nothing is lost with the files of a container that ends.
        let is_root = || matches!(draft.target.as_str(), "/" | "/*");
        if draft.kind == "delete"
            && place == "container"
            && !is_root()
            && non_production::is_in_new_container(self.command, self.commands)
        {
            return;
        }
        let mut draft = draft;
        let is_of_tests = draft.severity >= Severity::Destructive
            && test_databases::applies(self.command, self.commands, &draft, place);
        if draft.severity >= Severity::Notable
            && (non_production::applies(self.command, self.commands, &draft)
                || is_of_tests && test_databases::is_renewed(self.commands, &draft))
        {
            draft.severity = Severity::Notable;
            draft.tags.push(("rehearsal".to_owned(), "yes".to_owned()));
        } else if is_of_tests {
            draft.severity = Severity::Destructive;
            draft.tags.push(("test-data".to_owned(), "yes".to_owned()));
        }
        if production::applies(self, &draft) {
            draft.tags.push(("environment".to_owned(), "production".to_owned()));
        }
        let mut tags = draft.tags;
        let is_told = || tags.iter().any(|(name, _)| name == "loses");
        if draft.severity >= Severity::Destructive
            && !is_told()
            && let Some((loses, instead)) = remediation::of(draft.operation)
        {
            tags.extend(
                [("loses", loses), ("instead", instead)].map(|(name, text)| (name.to_owned(), text.to_owned())),
            );
        }
        if !place.is_empty() {
            tags.push(("where".to_owned(), place.to_owned()));
        }
        let effect = Effect {
            kind: draft.kind.to_owned(),
            operation: draft.operation.to_owned(),
            severity: draft.severity,
            target: draft.target,
            path: ResolvedPath::unresolved(draft.raw),
            command_id: self.command.id,
            certain: draft.certain && certain,
            tags,
        };
        self.push(effect, path);
    }

    /// Adds an effect on the file or directory in `operand`.
    pub(crate) fn emit_on(&mut self, draft: Draft, operand: &Operand<'_>) {
        let mut draft = draft.target(&operand.text);
        let place = path::place(operand, self.cwd(), self.home);
        draft.certain &= place.known && !self.is_placeholder(operand);
        self.emit_below(&draft, &place.raw, operand.word.glob);
        let Some(host) = self.host(&place.raw, draft.kind == "read") else {
            let path = if self.inside.is_some() { place.raw } else { String::new() };
            let place = if self.place.is_empty() { "container" } else { self.place };
            let is_lost = draft.severity == Severity::Notable && elsewhere::loses_file(self, place, &draft);
            let draft = draft.severe(Severity::Destructive, is_lost);
            return self.state_at(draft, self.command.certain, place, &path);
        };
        if !self.is_placeholder(operand) {
            if self.inside.is_some() && !host.is_empty() && host != path::lexical(&place.raw) {
                draft = Draft { target: host.clone(), ..draft }.tag("through", &operand.text);
            }
            draft.raw = host;
        }
        if matches!(draft.kind, "write" | "delete" | "metadata")
            && self.count() < SUPPLIED
            && !draft.tags.iter().any(|(name, _)| name == "among")
            && (!draft.tags.iter().any(|(name, value)| name == "by" && value == "redirect")
                || lists::is_read(self, operand)
                || lists::is_in_turn(self, operand))
        {
            for pattern in self.supplied(operand) {
                draft = draft.tag("among", &pattern);
            }
        }
        if draft.kind == "delete"
            && let Some(search) = placeholder_operands::search(self, operand)
        {
            let start = Word { text: search.start, ..here() };
            let below = path::place(&Operand::of(&start), self.cwd(), self.home).raw;
            let below = self.host(&below, false).unwrap_or_default();
            draft = draft.tag(search.sole.tag, &search.sole.name).tag("type", search.sole.kind).tag("below", &below);
        }
        let path = draft.raw.clone();
        self.state_at(draft, self.command.certain, "", &path);
    }

    /// Adds a recursive effect on this machine's files that are mounted below a container's folder.
    fn emit_below(&mut self, draft: &Draft, raw: &str, glob: bool) {
        let goes_down =
            draft.operation == "fs.delete.recursive" || draft.tags.iter().any(|(name, _)| name == "recursive");
        let Some(inside) = self.inside.filter(|_| goes_down && draft.kind != "read") else { return };
        for source in inside.view.below(raw, glob) {
            let much = draft.kind == "delete" && path::is_catastrophic(source, false, self.host_home);
            let draft = draft.clone().target(source).severe(Severity::Catastrophic, much);
            self.state_at(Draft { raw: source.to_owned(), ..draft }, self.command.certain, "", source);
        }
    }

    /// Returns whether the operand is a placeholder for names from another program.
    pub(crate) fn is_placeholder(&self, operand: &Operand<'_>) -> bool {
        operand.text.contains("{}") && !self.command.via.is_empty()
    }

    /// Adds a read of the file.
    pub(crate) fn read(&mut self, operand: &Operand<'_>) {
        self.read_as(operand, Draft::routine("read", "fs.read"));
    }

    /// Adds a read of the file, with the draft's details.
    pub(crate) fn read_as(&mut self, operand: &Operand<'_>, draft: Draft) {
        if operand.text == "-" || operand.text.is_empty() || is_substituted(operand) {
            return;
        }
        match self.device(operand) {
            Some(Device::Stream) => {}
            Some(Device::Socket) => self.connect(operand),
            _ => {
                let sent = pipelines::is_sent(self.command, &self.name, self.commands, self.pipelines);
                let draft = draft.flag("sent", sent);
                let names = if operand.dynamic { searches::behind(self, operand) } else { Vec::new() };
                let left_out = if operand.word.glob { searches::left_out(self) } else { Vec::new() };
                self.emit_on(left_out.iter().fold(draft.clone(), |draft, text| draft.tag("except", text)), operand);
                for name in names {
                    let glob = name.text.contains(['*', '?', '[']);
                    let draft = draft.clone().certain(false).flag(name.tag, true);
                    let draft =
                        name.except.iter().filter(|_| glob).fold(draft, |draft, text| draft.tag("except", text));
                    let draft = match &name.start {
                        Some(folder) if glob => draft.tag("start", folder),
                        _ => draft,
                    };
                    let word = Word { text: name.text, glob, ..here() };
                    self.emit_on(draft, &Operand::of(&word));
                }
            }
        }
    }

    /// Adds a write of the file by this program.
    pub(crate) fn write(&mut self, operand: &Operand<'_>) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone());
        self.write_as(operand, draft);
    }

    /// Adds a write of files below the folder whose names aren't on the command line.
    pub(crate) fn write_tree(&mut self, folder: &Operand<'_>) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).flag("tree", true);
        self.write_as(folder, draft);
    }

    /// Adds a write of the file, with the draft's details.
    pub(crate) fn write_as(&mut self, operand: &Operand<'_>, draft: Draft) {
        if operand.text == "-" || operand.text.is_empty() || is_substituted(operand) {
            return;
        }
        match self.device(operand) {
            Some(Device::Stream) => {}
            Some(Device::Socket) => self.connect(operand),
            Some(Device::Storage) => {
                let by = draft.tags.iter().find(|(name, _)| name == "by").map_or("", |(_, by)| by.as_str());
                let device = Draft::catastrophic("device", "device.write").tag("by", by);
                self.emit_on(device, operand);
            }
            None => self.emit_on(draft, operand),
        }
    }

    /// Adds a write that empties the file.
    pub(crate) fn empty(&mut self, operand: &Operand<'_>, draft: Draft) {
        // An unquoted list may contain any number of files.
        let listed = operand.word.parts.iter().any(|part| part.kind == "command" && !part.quoted);
        let in_turn = operand.dynamic && self.command.position.within.iter().any(|place| place == "loop");
        let many = operand.word.glob || listed || in_turn || self.is_placeholder(operand);
        self.write_as(operand, draft.flag("truncate", true).flag("empties", true).flag("glob", many));
    }

    /// Adds a write of files in the working directory whose names aren't on the command line.
    pub(crate) fn write_here(&mut self, tag: &str) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).flag(tag, true).certain(false);
        self.emit_on(draft, &Operand::of(&here()));
    }

    /// Adds a write of unknown files.
    pub(crate) fn write_unknown(&mut self, tag: &str) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).flag(tag, true).certain(false);
        self.emit_among(draft, std::iter::once("**/*".to_owned()));
    }

    /// Adds a deletion of the file.
    pub(crate) fn delete(&mut self, operand: &Operand<'_>, force: bool) {
        self.delete_as(operand, Draft::notable("delete", "fs.delete").flag("force", force));
    }

    /// Adds a deletion of the file, with the draft's details.
    pub(crate) fn delete_as(&mut self, operand: &Operand<'_>, draft: Draft) {
        let unknown = if operand.word.glob { None } else { lists::unknown_names(self, operand) };
        let many = operand.word.glob || unknown.is_some() || lists::is_found(self, operand);
        let draft = draft.flag("glob", many).tag("by", &self.name.clone());
        self.emit_on(unknown.iter().fold(draft, |draft, pattern| draft.tag("pattern", pattern)), operand);
    }

    /// Adds a deletion of the directory and everything in it.
    pub(crate) fn delete_tree(&mut self, operand: &Operand<'_>, force: bool, by: &str) {
        let glob = operand.word.glob;
        let place = path::place(operand, self.cwd(), self.home);
        let draft = Draft::destructive("delete", "fs.delete.recursive")
            .severe(Severity::Catastrophic, self.is_catastrophic(operand))
            .flag("force", force)
            .flag("glob", glob)
            .flag("whole-directory", path::is_whole_directory(&operand.text, glob, place.relative))
            .tag("by", by);
        self.emit_on(draft, operand);
    }

    /// Adds a script in another language that runs.
    pub(crate) fn script(&mut self, language: &str, text: &str, certain: bool) {
        if text.is_empty() {
            return;
        }
        self.out.push_script(Script {
            language: language.to_owned(),
            text: text.to_owned(),
            command_id: self.command.id,
            certain: certain && self.command.certain,
        });
    }

    /// Records that this program starts the one on its command line, in a position where a command isn't expected.
    pub(crate) fn starts_helper(&mut self, program: &str) {
        let by = self.name.clone();
        self.emit(Draft::destructive("execute", "execute.helper").target(program).tag("by", &by));
        self.not_followed("what another program starts is not followed");
    }

    /// Returns whether the name is that of a function, whose body follows the call in the list.
    pub(crate) fn is_function(&self) -> bool {
        let next = usize::try_from(self.command.id).ok().and_then(|place| self.commands.get(place));
        let next = next.filter(|next| next.parent == self.command.id);
        next.and_then(|next| next.via.last()).is_some_and(|via| via.kind == "function")
    }

    /// Adds a reason because the program runs commands, unless they are listed directly after it.
    pub(crate) fn not_followed(&mut self, reason: &str) {
        let next = usize::try_from(self.command.id).ok().and_then(|place| self.commands.get(place));
        if next.is_none_or(|next| next.parent != self.command.id) {
            self.reason(reason);
        }
    }

    /// Adds a reason why the list may be incomplete.
    pub(crate) fn reason(&mut self, reason: &str) {
        self.out.reason(reason);
    }

    fn connect(&mut self, operand: &Operand<'_>) {
        self.emit(Draft::notable("network", "network.connect").target(&operand.text).certain(!operand.dynamic));
    }

    /// Returns whether the operand is in a device folder.
    pub(crate) fn names_a_device(&self, operand: &Operand<'_>) -> bool {
        self.device_path(operand).starts_with("/dev/")
    }

    fn device(&self, operand: &Operand<'_>) -> Option<Device> {
        path::device(&self.device_path(operand))
    }

    /// Returns the operand's path on this machine, or else in the container.
    fn device_path(&self, operand: &Operand<'_>) -> String {
        let raw = path::place(operand, self.cwd(), self.home).raw;
        self.inside.and_then(|_| self.host(&raw, false)).unwrap_or(raw)
    }
}

/// Returns a word for the working directory, for commands without an operand.
pub(crate) fn here() -> Word {
    Word { text: ".".to_owned(), dynamic: false, quoted: false, glob: false, parts: Vec::new() }
}

/// Returns whether the word is a process substitution, whose commands are listed separately.
fn is_substituted(operand: &Operand<'_>) -> bool {
    operand.word.parts.first().is_some_and(|part| part.kind == "process")
}
