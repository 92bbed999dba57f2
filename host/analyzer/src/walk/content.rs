//! The content of files that a text writes.

use guard_sdk::syntax::{Command, Redirection, Word};

use super::output::{self, Input};
use super::{Walker, shell};
use crate::limits;
use crate::word::expand::literal;

/// The content of a file, or the text printed into it.
#[derive(Debug, Clone)]
pub(super) struct Content {
    /// The known text, which may have parts that are only known at run time.
    pub(super) text: Word,
    /// Whether no part comes from a program whose output varies. A file that existed before counts as known, because
    /// running it is nothing new.
    pub(super) complete: bool,
    /// Whether the text is appended to the previous content.
    pub(super) appends: bool,
    /// Whether the file existed before, and the text wrote nothing to it.
    pub(super) is_preexisting: bool,
    /// Whether the text is an excerpt of the file.
    pub(super) is_excerpt: bool,
    /// Whether a part comes from other files or was decoded, so that the content has more than the text shows.
    pub(super) includes_files: bool,
}

impl Content {
    pub(super) fn known(text: Word) -> Content {
        let complete = text.text.len() <= limits::SOURCE;
        Content {
            text: if complete { text } else { literal("") },
            complete,
            appends: false,
            is_preexisting: false,
            is_excerpt: false,
            includes_files: false,
        }
    }

    /// Creates the content of an existing file.
    pub(super) fn preexisting(text: Word) -> Content {
        Content { is_preexisting: true, ..Content::known(text) }
    }

    /// Creates empty content, or no new content.
    pub(super) fn nothing() -> Content {
        Content::known(literal(""))
    }

    pub(super) fn unknown() -> Content {
        Content { complete: false, ..Content::nothing() }
    }

    pub(super) fn append(&mut self, more: &Content) {
        self.is_preexisting &= more.is_preexisting;
        self.includes_files |= more.includes_files;
        let fits = self.text.text.len() + more.text.text.len() <= limits::SOURCE;
        self.complete &= more.complete && fits;
        if fits {
            self.text.text.push_str(&more.text.text);
            self.text.parts.extend(more.text.parts.iter().cloned());
            self.text.dynamic |= more.text.dynamic;
        }
    }

    fn is_empty(&self) -> bool {
        self.text.text.is_empty()
    }
}

/// The destination of a compound command's output, and the output being collected for the enclosing commands.
pub(super) struct Capture {
    files: Vec<(String, bool)>,
    outer: Option<Content>,
}

/// The folders of system programs.
const SYSTEM: &[&str] = &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/"];

/// Programs that print existing content if they don't read another program's output.
const TELLING: &[&str] = &["cat", "sed", "envsubst", "head", "tail", "git"];

/// Programs that print nothing.
const SILENT: &[&str] = &[
    "cd", "mkdir", "chmod", "chown", "touch", "rm", "cp", "mv", "ln", "set", "shopt", "export", "declare", "local",
    "true", "false", ":", "[", "[[", "test", "exit", "return", "trap", "read", "shift", "umask", "wait", "sleep",
    "unset",
];

/// Returns whether a command writes files without a redirection, or copies files.
pub(super) fn writes(command: &Command) -> bool {
    stirs(command)
        || matches!(
            command.program(),
            "tee" | "dd" | "sort" | "sed" | "gsed" | "ed" | "red" | "ex" | "npm" | "pnpm" | "yarn" | "bun"
        )
        || is_copy(command)
        || super::edited::makes(command)
}

/// Returns the content that a command reads.
pub(super) fn given(input: &Input) -> Content {
    match input {
        Input::Piped(word) | Input::Here(word) => Content::known(line(word)),
        Input::Pipe | Input::Stage(..) => Content::unknown(),
        Input::Outer | Input::File => Content::nothing(),
    }
}

/// Returns whether a command changes files that aren't in its words.
fn stirs(command: &Command) -> bool {
    const GIT: &[&str] = &[
        "am",
        "apply",
        "checkout",
        "cherry-pick",
        "merge",
        "pull",
        "rebase",
        "reset",
        "restore",
        "revert",
        "stash",
        "switch",
    ];
    match command.program() {
        "git" => GIT.contains(&command.word(1)),
        "patch" | "tar" | "unzip" => true,
        "sed" | "gsed" | "perl" => {
            command.argv.iter().any(|word| word.text.starts_with("-i") || word.text.starts_with("-pi"))
        }
        _ => false,
    }
}

fn is_copy(command: &Command) -> bool {
    matches!(
        command.program(),
        "cp" | "gcp" | "mv" | "gmv" | "ln" | "gln" | "link" | "install" | "ginstall" | "rsync" | "scp" | "ditto"
    )
}

impl Walker {
    /// Returns the content that a command prints. `output` is the output that its words determine.
    pub(super) fn shown(&self, command: &Command, input: &Input, output: &Input) -> Content {
        let program = command.program();
        if let Input::Piped(word) | Input::Here(word) = output {
            let exact = program == "printf" || program == "echo" && command.word(1).starts_with("-n");
            let includes_files = matches!(program, "base64" | "rev");
            return Content { includes_files, ..Content::known(if exact { word.clone() } else { line(word) }) };
        }
        let is_followed = self.defined.contains_key(program) && self.shell.function(program).is_some();
        if command.argv.is_empty() || SILENT.contains(&program) || is_followed {
            return Content::nothing();
        }
        if !TELLING.contains(&program) {
            return Content::unknown();
        }
        let mut content = Content::nothing();
        let mut reads_file = false;
        for operand in operands(command) {
            let known = self.path_of(operand).and_then(|path| Some((self.files.get(&path)?, path)));
            match known {
                // The text is only a part of a file to which it was appended.
                Some((known, path)) if program == "cat" && known.appends && !self.is_absent(&path) => {
                    content.append(&Content::unknown());
                }
                Some((known, _)) if program == "cat" => content.append(known),
                Some(_) => content.append(&Content::unknown()),
                None => content.includes_files = true,
            }
            reads_file |= operand.text != "-";
        }
        // The operands of other programs may not be files.
        let is_fed = !matches!(input, Input::Outer | Input::File);
        if is_fed && (!reads_file || program != "cat") {
            return Content::unknown();
        }
        content.includes_files |= program != "cat";
        content
    }

    /// Returns the output of `cat FILES`, if this text wrote all of them.
    pub(super) fn concatenated(&self, command: &Command) -> Option<Word> {
        if command.program() != "cat" || self.files.is_empty() {
            return None;
        }
        let operands = operands(command);
        let known = |word: &&Word| self.path_of(word).is_some_and(|path| self.files.get(&path).is_some());
        let content = self.shown(command, &Input::Outer, &Input::Pipe);
        (!operands.is_empty() && operands.iter().all(known) && content.complete).then_some(content.text)
    }

    /// Records the files that a listed command writes. `shown` is its output.
    pub(super) fn keep_written(&mut self, command: &Command, input: &Input, shown: &Content) {
        for redirection in &command.redirections {
            match (writes_output(redirection), self.opened_file(redirection, &command.redirections)) {
                (_, Some(path)) => self.keep_at(&path, shown.clone(), true),
                (Some(appends), None) => self.keep_file(&redirection.target, shown.clone(), appends),
                (None, None) => {}
            }
        }
        self.files.stirred |= stirs(command);
        let given = || given(input);
        self.keep_printed(command);
        self.keep_made(command, input);
        let words = command.argv.get(1..).unwrap_or_default();
        match command.program() {
            "tee" => {
                let appends = words.iter().any(|word| matches!(word.text.as_str(), "-a" | "--append"));
                operands(command).into_iter().for_each(|name| self.keep_file(name, given(), appends));
            }
            "dd" => {
                let named = |key: &str| words.iter().find_map(|word| word.text.strip_prefix(key)).map(literal);
                let Some(to) = named("of=") else { return };
                match named("if=").filter(|from| !is_input(&from.text)) {
                    Some(from) => self.keep_copy(&from, &to, input),
                    None => self.keep_file(&to, given(), false),
                }
            }
            "sort" => {
                let own =
                    |word: &Word| word.text.strip_prefix("--output=").or(word.text.strip_prefix("-o")).map(literal);
                let Some(at) = words.iter().position(|word| own(word).is_some()) else { return };
                let attached = words.get(at).and_then(own).filter(|file| !file.text.is_empty());
                let Some(to) = attached.or_else(|| words.get(at + 1).cloned()) else { return };
                let others = operands(command).into_iter().find(|word| word.text != to.text).cloned();
                match others {
                    Some(from) => self.keep_copy(&from, &to, input),
                    None => self.keep_file(&to, given(), false),
                }
            }
            "sed" | "gsed" => {
                for script in words {
                    let line =
                        script.text.trim_start_matches(|char: char| char.is_ascii_digit() || "$,p; ".contains(char));
                    match line.strip_prefix("w ") {
                        Some(file) => self.keep_file(&literal(file.trim()), given(), false),
                        // The written text isn't the input.
                        None if script.text.contains("w ") => {
                            let file = script.text.rsplit("w ").next().unwrap_or_default();
                            self.keep_file(&literal(file.trim()), Content::unknown(), false);
                        }
                        None => {}
                    }
                }
            }
            // The typed text becomes the file's content.
            "ed" | "red" | "ex" => {
                let typed = given().text.text;
                let names = typed.lines().filter_map(|line| line.trim_start_matches(',').strip_prefix("w "));
                names.for_each(|name| self.keep_file(&literal(name.trim()), Content::unknown(), false));
            }
            _ if is_copy(command) => self.keep_copies(command, input),
            _ => self.keep_settings(command),
        }
        if std::mem::take(&mut self.files.full) {
            self.partial("too many files are written to follow what they hold");
        }
    }

    /// Records the source of a file that a command prints to another file, in whole or nearly so.
    fn keep_printed(&mut self, command: &Command) {
        if !matches!(command.program(), "cat" | "head" | "tail" | "sed" | "gsed") {
            return;
        }
        let operands = operands(command);
        let Some(from) = operands.last().filter(|_| command.program() != "cat" || operands.len() == 1) else { return };
        let Some(to) = command.redirections.iter().find(|to| to.fd == 1) else { return };
        let (from, to, appends) = (self.path_of(from), self.path_of(&to.target), to.operator == ">>");
        if let (Some(from), Some(to)) = (from, to) {
            if command.program() == "cat" {
                self.keep_program(&from, &to);
            }
            let is_written = self.files.get(&from).is_some();
            self.files.stirred |= appends && !is_written;
            if !appends && !is_written {
                self.files.copy(&from, &to);
            }
        }
    }

    /// Records a file's content.
    pub(super) fn keep_file(&mut self, file: &Word, content: Content, appends: bool) {
        if let Some(path) = self.path_of(file) {
            self.keep_at(&path, content, appends);
        }
    }

    pub(super) fn keep_at(&mut self, path: &str, content: Content, appends: bool) {
        let before = self.files.get(path).filter(|_| appends).cloned();
        let origin = self.files.origin(path).map(str::to_owned);
        self.files.forget(path);
        let content = match before {
            Some(mut before) => {
                before.append(&content);
                before
            }
            None => Content { appends, ..content },
        };
        if let Some(origin) = origin.filter(|_| appends) {
            self.files.origins.insert(path.to_owned(), origin);
        }
        // The previous content runs as before.
        if !content.is_empty() || !content.complete {
            self.files.insert(path, content);
        }
    }

    fn keep_program(&mut self, from: &str, to: &str) {
        if SYSTEM.iter().any(|folder| from.starts_with(folder)) {
            self.files.copy_program(to, from.rsplit('/').next().unwrap_or_default());
        }
    }

    /// Applies `cp FROM TO` to a target that isn't a folder.
    fn keep_copy(&mut self, from: &Word, to: &Word, input: &Input) {
        let Some(to) = self.path_of(to) else { return };
        if is_input(&from.text) {
            return self.keep_at(&to, given(input), false);
        }
        let Some(from) = self.path_of(from) else { return };
        self.files.forget(&to);
        self.keep_program(&from, &to);
        self.files.copy(&from, &to);
    }

    /// Applies `cp`, `mv`, `ln` and similar: at the target, and in it if it is a folder.
    fn keep_copies(&mut self, command: &Command, input: &Input) {
        let words = command.argv.get(1..).unwrap_or_default();
        let named = |pair: &[Word]| {
            pair.first().is_some_and(|option| matches!(option.text.as_str(), "-t" | "--target-directory"))
        };
        let behind = words.windows(2).find(|pair| named(pair)).and_then(<[Word]>::last);
        let attached = words.iter().find_map(|word| word.text.strip_prefix("--target-directory=")).map(literal);
        let folder = attached.as_ref().or(behind);
        let mut sources: Vec<&Word> = operands(command).into_iter().filter(|word| Some(*word) != behind).collect();
        let Some(to) = folder.or_else(|| sources.pop()) else { return };
        let options = || words.iter().filter(|word| word.text.starts_with('-') && !word.text.starts_with("--"));
        let links = matches!(command.program(), "ln" | "gln" | "link")
            || matches!(command.program(), "cp" | "gcp") && options().any(|word| word.text.contains(['s', 'l']));
        let symbolic = options().any(|word| word.text.contains('s')) && !options().any(|word| word.text.contains('r'));
        for from in sources {
            let name = from.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let inside = literal(&format!("{}/{name}", to.text.trim_end_matches('/')));
            if links {
                let Some(target) = self.place_of(to) else { continue };
                let base = target.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
                let base = if symbolic { base } else { self.shell.cwd.clone() };
                let leads_to = self.shell.plain(from).and_then(|path| shell::resolve(&base, &path));
                let Some(leads_to) = leads_to else { continue };
                self.keep_program(&leads_to, &target);
                let inner = format!("{target}/{name}");
                let room = self.files.links.insert(&target, &leads_to) && self.files.links.insert(&inner, &leads_to);
                self.files.full |= !room;
                continue;
            }
            if from.glob {
                let known: Vec<String> = self.matching(from);
                for path in known {
                    let name = path.rsplit('/').next().unwrap_or_default();
                    let inside = literal(&format!("{}/{name}", to.text.trim_end_matches('/')));
                    self.keep_copy(&literal(&path), &inside, input);
                }
                continue;
            }
            self.keep_copy(from, to, input);
            self.keep_copy(from, &inside, input);
        }
    }

    /// Returns the files written by this text that match a pattern.
    pub(super) fn matching(&self, pattern: &Word) -> Vec<String> {
        let Some(pattern) = self.path_of(pattern) else { return Vec::new() };
        let fits = |path: &str| {
            let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
            loop {
                match (pattern.next(), path.next()) {
                    (None, None) => return true,
                    (Some(step), Some(name)) if crate::word::expand::parameter::matches(step, name) => {}
                    _ => return false,
                }
            }
        };
        self.files.all().map(|(path, _)| path).filter(|path| fits(path)).cloned().collect()
    }

    /// Returns a file's known path, resolved through links that this text created.
    pub(super) fn path_of(&self, file: &Word) -> Option<String> {
        let path = self.place_of(file)?;
        Some(self.files.links.follow(&path, true).unwrap_or(path))
    }

    /// Returns the file's path in the command's file system.
    pub(super) fn inner_path(&self, file: &Word) -> Option<String> {
        let path = self.shell.plain_text(file)?;
        Some(shell::resolve(&self.shell.cwd, &path).unwrap_or_else(|| path.trim_start_matches("./").to_owned()))
    }

    /// Returns a file's known path, without following links.
    pub(super) fn place_of(&self, file: &Word) -> Option<String> {
        let path = self.inner_path(file)?;
        let here = self.shell.view.as_ref().and_then(|view| view.host(&path));
        Some(here.map_or(path, |here| here.path))
    }

    /// Starts collecting a compound command's output for the files in these redirections.
    pub(super) fn capture(&mut self, redirections: &[Redirection]) -> Option<Capture> {
        self.open_for_writing(redirections);
        let files: Vec<_> = redirections
            .iter()
            .filter_map(|redirection| Some((self.path_of(&redirection.target)?, writes_output(redirection)?)))
            .collect();
        if files.is_empty() {
            return None;
        }
        let outer = self.sink.replace(Content::nothing());
        Some(Capture { files, outer })
    }

    /// Records the collected output.
    pub(super) fn captured(&mut self, capture: Option<Capture>) {
        let Some(Capture { files, outer }) = capture else { return };
        let content = std::mem::replace(&mut self.sink, outer).unwrap_or_else(Content::nothing);
        for (path, appends) in files {
            self.keep_at(&path, content.clone(), appends);
        }
    }

    /// Collects a command's output, if it is wanted.
    pub(super) fn collect(&mut self, shown: &Content) {
        if let Some(sink) = &mut self.sink {
            sink.append(shown);
        }
    }
}

/// Returns whether a redirection of standard output to a file appends. `None` for other redirections.
fn writes_output(redirection: &Redirection) -> Option<bool> {
    match redirection.operator.as_str() {
        ">>" | "&>>" if output::takes_output(redirection) => Some(true),
        ">" | ">|" | "&>" | ">&" if output::takes_output(redirection) => Some(false),
        _ => None,
    }
}

fn is_input(file: &str) -> bool {
    file == "-" || crate::wrappers::shells::is_input(file)
}

/// Returns a command's words that aren't options.
pub(super) fn operands(command: &Command) -> Vec<&Word> {
    command.argv.iter().skip(1).filter(|word| word.text == "-" || !word.text.starts_with('-')).collect()
}

/// Returns the text with a final newline.
fn line(word: &Word) -> Word {
    let mut word = word.clone();
    if !word.text.ends_with('\n') {
        word.text.push('\n');
        word.parts.extend(literal("\n").parts);
    }
    word
}
