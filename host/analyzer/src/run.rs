//! [`Run`]: one command while its effects are found, and the ways to state them.

mod among;
pub(crate) mod collected;
pub(crate) mod input;
pub(crate) mod linked;
pub(crate) mod lists;
mod non_production;
pub(crate) mod path;
pub(crate) mod pipelines;
mod remediation;
pub(crate) mod searches;

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

/// Of more effects it is not said which files they may take.
const SUPPLIED: usize = 2048;

/// One command, what surrounds it, and where its effects go.
pub(crate) struct Run<'a> {
    /// The command.
    pub(crate) command: &'a Command,
    /// All commands of the text; a command's place is its id less one.
    pub(crate) commands: &'a [Command],
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) home: &'a str,
    /// The program's name without its folder, in lower case; empty if there is none or it is not known.
    pub(crate) name: String,
    /// The program is written in capitals throughout, so its options are folded as well.
    pub(crate) shouted: bool,
    /// The directory that relative operands are meant in, if the command changed it by an option.
    base: Option<String>,
    place: &'static str,
    /// The file system that it sees, if that is not simply this machine's.
    inside: Option<&'a Inside>,
    /// The home of the user who calls, whatever the command's is.
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

    /// Has paths meant in the file system that the command sees.
    pub(crate) fn enter_view(&mut self, inside: Option<&'a Inside>) {
        self.inside = inside;
        self.home = inside.map_or(self.host_home, |inside| inside.view.home.as_str());
    }

    /// The path of this machine that a path of the command means. None: it is one of a container or another machine.
    fn host(&self, path: &str, is_read: bool) -> Option<String> {
        match self.inside {
            None => self.place.is_empty().then(|| path.to_owned()),
            Some(inside) => inside.view.host(path).filter(|here| is_read || !here.read_only).map(|here| here.path),
        }
    }

    /// The same for a link, which leads nowhere else.
    pub(crate) fn inside(&self) -> Option<&'a Inside> {
        self.inside
    }

    /// The files of this machine that the words of a command in a container or a sandbox name.
    pub(crate) fn mounted_operands(&self) -> Vec<String> {
        let words = self.arguments().iter().filter(|word| self.inside.is_some() && !word.text.starts_with('-'));
        let host = |word: &Word| self.host(&path::place(&Operand::of(word), self.cwd(), self.home).raw, true);
        words.filter_map(host).filter(|path| path.starts_with('/')).take(limits::LISTED).collect()
    }

    /// Whether losing the operand loses the machine or a home.
    pub(crate) fn is_catastrophic(&self, operand: &Operand<'_>) -> bool {
        let raw = path::place(operand, self.cwd(), self.home).raw;
        let glob = operand.word.glob;
        let here = self.inside.and_then(|_| self.host(&raw, false));
        path::is_catastrophic(here.as_ref().unwrap_or(&raw), glob, self.host_home)
    }

    /// The words behind the program.
    pub(crate) fn arguments(&self) -> &'a [Word] {
        self.command.argv.get(1..).unwrap_or_default()
    }

    /// Tells options from operands, with this command's folding of capitals.
    pub(crate) fn parse(&self, words: &'a [Word], spec: Options) -> Parsed<'a> {
        parse(words, spec, self.shouted)
    }

    /// Whether it was reached through a wrapper of this kind.
    pub(crate) fn is_via(&self, kind: &str) -> bool {
        self.command.via.iter().any(|via| via.kind == kind)
    }

    /// The directory that relative operands are meant in; empty if it is not known.
    pub(crate) fn cwd(&self) -> &str {
        let cwd = self.inside.map_or(&self.command.cwd, |inside| &inside.cwd);
        self.base.as_deref().unwrap_or(cwd)
    }

    /// Has relative operands meant in `folder` from here on, as after `-C`.
    pub(crate) fn enter(&mut self, folder: &Operand<'_>) {
        self.base = Some(path::place(folder, self.cwd(), self.home).raw);
    }

    /// How many effects there are so far, of all commands.
    pub(crate) fn count(&self) -> usize {
        self.out.effects.len()
    }

    /// Notes that the command prints a secret, wherever its output goes.
    pub(crate) fn prints_secret(&mut self) {
        self.out.printers.push(self.command.id);
    }

    /// Adds an effect that is not on a file.
    pub(crate) fn emit(&mut self, draft: Draft) {
        let certain = self.command.certain;
        self.state(draft, certain);
    }

    /// Adds an effect that is as certain as the caller says, whatever the command is.
    pub(crate) fn state(&mut self, draft: Draft, certain: bool) {
        let path = draft.raw.clone();
        self.state_at(draft, certain, self.place, &path);
    }

    /// `path` is the one by which links are followed.
    fn state_at(&mut self, draft: Draft, certain: bool, place: &str, path: &str) {
        let mut draft = draft;
        if draft.severity >= Severity::Notable && non_production::applies(self.command, self.commands, &draft) {
            draft.severity = Severity::Notable;
            draft.tags.push(("rehearsal".to_owned(), "yes".to_owned()));
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

    /// Adds an effect on the file or directory that `operand` names.
    pub(crate) fn emit_on(&mut self, draft: Draft, operand: &Operand<'_>) {
        let mut draft = draft.target(&operand.text);
        let place = path::place(operand, self.cwd(), self.home);
        draft.certain &= place.known && !self.is_placeholder(operand);
        self.emit_below(&draft, &place.raw, operand.word.glob);
        let Some(host) = self.host(&place.raw, draft.kind == "read") else {
            let path = if self.inside.is_some() { place.raw } else { String::new() };
            let place = if self.place.is_empty() { "container" } else { self.place };
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

    /// Adds the effect on what of this machine is mounted below a folder of a container, for one that goes down.
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

    /// Whether the operand stands for names that another program supplies.
    pub(crate) fn is_placeholder(&self, operand: &Operand<'_>) -> bool {
        operand.text.contains("{}") && !self.command.via.is_empty()
    }

    /// The file is read.
    pub(crate) fn read(&mut self, operand: &Operand<'_>) {
        self.read_as(operand, Draft::routine("read", "fs.read"));
    }

    /// The file is read, as the draft says.
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
                self.emit_on(draft.clone(), operand);
                for name in names {
                    let glob = name.contains(['*', '?', '[']);
                    let word = Word { text: name, glob, ..here() };
                    self.emit_on(draft.clone().certain(false).flag("searched", true), &Operand::of(&word));
                }
            }
        }
    }

    /// The file is written by this program.
    pub(crate) fn write(&mut self, operand: &Operand<'_>) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone());
        self.write_as(operand, draft);
    }

    /// Files below the folder are written whose names the command line does not show.
    pub(crate) fn write_tree(&mut self, folder: &Operand<'_>) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).flag("tree", true);
        self.write_as(folder, draft);
    }

    /// The file is written, as the draft says.
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

    /// The file is written, and what it held is gone for nothing new.
    pub(crate) fn empty(&mut self, operand: &Operand<'_>, draft: Draft) {
        // A list that is put in without quotes names as many files as it likes.
        let listed = operand.word.parts.iter().any(|part| part.kind == "command" && !part.quoted);
        let in_turn = operand.dynamic && self.command.position.within.iter().any(|place| place == "loop");
        let many = operand.word.glob || listed || in_turn || self.is_placeholder(operand);
        self.write_as(operand, draft.flag("truncate", true).flag("empties", true).flag("glob", many));
    }

    /// Files in the working directory are written whose names the command line does not show.
    pub(crate) fn write_here(&mut self, tag: &str) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).flag(tag, true).certain(false);
        self.emit_on(draft, &Operand::of(&here()));
    }

    /// The same if any file may be one of them.
    pub(crate) fn write_unknown(&mut self, tag: &str) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).flag(tag, true).certain(false);
        self.emit_among(draft, std::iter::once("**/*".to_owned()));
    }

    /// The file is gone afterwards.
    pub(crate) fn delete(&mut self, operand: &Operand<'_>, force: bool) {
        let by = self.name.clone();
        let draft = Draft::notable("delete", "fs.delete").flag("force", force).flag("glob", operand.word.glob);
        self.emit_on(draft.tag("by", &by), operand);
    }

    /// The directory and all below it is gone afterwards.
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

    /// A text in another language runs.
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

    /// Whether the name is that of a function, whose body stands behind the call.
    pub(crate) fn is_function(&self) -> bool {
        let next = usize::try_from(self.command.id).ok().and_then(|place| self.commands.get(place));
        let next = next.filter(|next| next.parent == self.command.id);
        next.and_then(|next| next.via.last()).is_some_and(|via| via.kind == "function")
    }

    /// The program runs commands. Says so, unless they are listed: those that it runs stand right behind it.
    pub(crate) fn not_followed(&mut self, reason: &str) {
        let next = usize::try_from(self.command.id).ok().and_then(|place| self.commands.get(place));
        if next.is_none_or(|next| next.parent != self.command.id) {
            self.reason(reason);
        }
    }

    /// There may be more than is listed.
    pub(crate) fn reason(&mut self, reason: &str) {
        self.out.reason(reason);
    }

    fn connect(&mut self, operand: &Operand<'_>) {
        self.emit(Draft::notable("network", "network.connect").target(&operand.text).certain(!operand.dynamic));
    }

    /// Whether the operand lies where devices do.
    pub(crate) fn names_a_device(&self, operand: &Operand<'_>) -> bool {
        self.device_path(operand).starts_with("/dev/")
    }

    fn device(&self, operand: &Operand<'_>) -> Option<Device> {
        path::device(&self.device_path(operand))
    }

    /// The operand's path on this machine, or else in the container.
    fn device_path(&self, operand: &Operand<'_>) -> String {
        let raw = path::place(operand, self.cwd(), self.home).raw;
        self.inside.and_then(|_| self.host(&raw, false)).unwrap_or(raw)
    }
}

/// A word for the working directory where the command line has none.
pub(crate) fn here() -> Word {
    Word { text: ".".to_owned(), dynamic: false, quoted: false, glob: false, parts: Vec::new() }
}

/// Whether the word is a process substitution: its commands are listed on their own.
fn is_substituted(operand: &Operand<'_>) -> bool {
    operand.word.parts.first().is_some_and(|part| part.kind == "process")
}
