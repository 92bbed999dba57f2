//! Plain wrappers: programs whose operands are another command. The table has one entry for each program.

mod more;
mod remotes;
mod system;
mod terminals;
mod tools;

use guard_sdk::syntax::{Assignment, Word};

use super::layer::{Layer, Place, Run, Runnable, assignments, joined, takes};
use super::sandbox::{self, Mount, Sandbox};
use super::{packages, remote};
use crate::by_name;
use crate::options::{Flag, Options, Parsed, leading};
use crate::word::expand::literal;

/// A wrapper whose operands are a program and its arguments.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    pub(super) takes: Options,
    /// The number of operands before the program.
    pub(super) skip: usize,
    /// Required words before the options, such as `run` in `uv run`.
    pub(super) verbs: &'static [&'static str],
    /// Words of which one must follow the verb, such as `ssh` in `gh codespace ssh`.
    pub(super) then: &'static [&'static str],
    /// Programs that may take the verb's place, such as tools from packages.
    pub(super) programs: &'static [&'static str],
    /// Whether the program is a project generator: `create-x` of the package `x`.
    pub(super) creates: bool,
    /// Options with which no program runs.
    pub(super) inert: &'static [&'static str],
    /// Options whose value is shell text.
    pub(super) text: &'static [&'static str],
    /// Options whose value is recorded as a detail, such as a user.
    pub(super) detail: &'static [&'static str],
    /// Options whose value is a file that the wrapper itself writes.
    pub(super) writes: &'static [&'static str],
    /// Options whose value is the working directory, besides [`DIRECTORY`].
    pub(super) directory: &'static [&'static str],
    /// When the program gets a working directory with unknown content.
    pub(super) leaves: DirectoryChange,
    /// Whether `NAME=value` may precede the program.
    pub(super) assigns: bool,
    /// Whether it is a builtin, whose command runs in the current shell.
    pub(super) here: bool,
    /// Whether the operands are joined into shell text.
    pub(super) joins: bool,
    /// Whether each operand is a separate shell text.
    pub(super) each: bool,
    /// Whether it opens a shell that reads standard input if no program is given.
    pub(super) opens: bool,
    /// Words after which the program follows, wherever they are.
    pub(super) after: &'static [&'static str],
    /// Options with two values.
    pub(super) pairs: &'static [&'static str],
    /// The option whose value is the program for the operands.
    pub(super) entry: &'static str,
    /// `container` or `ssh` if the program runs elsewhere. Empty for this machine.
    pub(super) kind: &'static str,
    /// Options whose value is `SOURCE:TARGET`: a path of this machine and its path in the program's file system.
    pub(super) binds: &'static [&'static str],
    /// Options whose value is a new root directory.
    pub(super) root: &'static [&'static str],
    /// Whether the first operand is a new root directory.
    pub(super) takes_root: bool,
    /// Parts of this machine that the containers share by default.
    pub(super) shares: &'static [&'static str],
    /// Whether the wrapper is also listed as a command, because policies judge its options.
    pub(super) stays: bool,
}

/// When a wrapper changes to an unknown directory before it starts the program.
pub(super) enum DirectoryChange {
    Never,
    /// Always, except with one of these options.
    Always(&'static [&'static str]),
    /// Only with one of these options. `-` is a separate word.
    With(&'static [&'static str]),
}

/// Long options for the working directory, in every wrapper.
const DIRECTORY: &[&str] = &["chdir", "cwd", "dir", "directory", "wd", "workdir", "working-directory"];

pub(super) const PLAIN: Wrapper = Wrapper {
    name: "",
    takes: takes("", ""),
    skip: 0,
    verbs: &[],
    then: &[],
    programs: &[],
    creates: false,
    inert: &[],
    text: &[],
    detail: &[],
    writes: &[],
    directory: &[],
    leaves: DirectoryChange::Never,
    assigns: false,
    here: false,
    joins: false,
    each: false,
    opens: false,
    after: &[],
    pairs: &[],
    entry: "",
    kind: "",
    binds: &[],
    root: &[],
    takes_root: false,
    shares: &[],
    stays: false,
};

/// Removes a plain wrapper from a command.
pub(super) fn peel(name: &str, argv: &[Word]) -> Option<Layer> {
    let words = argv.get(1..)?;
    by_name::candidates(&BY_NAME, name).filter(|row| row.name == name).find_map(|row| {
        let layer = by_row(row, words)?;
        Some(Layer { outer: row.stays.then(|| argv.to_vec()).or(layer.outer), ..layer })
    })
}

/// Returns the files that a plain wrapper itself writes. After `|` or `!`, `strace` takes a command.
pub(super) fn written_files(name: &str, argv: &[Word]) -> Vec<Word> {
    let mut rows = by_name::candidates(&BY_NAME, name)
        .filter(|row| row.name == name && (!row.writes.is_empty() || name == "logsave"));
    let Some((row, words)) = rows.next().zip(argv.get(1..)) else { return Vec::new() };
    let verb = usize::from(!row.verbs.is_empty());
    let options = leading(words.get(verb..).unwrap_or_default(), row.takes);
    let files = options.flags.iter().filter(|flag| flag.is_any(row.writes) && !flag.text().starts_with(['|', '!']));
    // The operand of these programs is the file that they record to.
    let recorded = options.rest.first().filter(|_| matches!(name, "script" | "logsave")).cloned();
    files.map(Flag::word).chain(recorded).collect()
}

/// Returns whether the command opens a shell that reads standard input.
pub(super) fn opens_shell(name: &str, argv: &[Word]) -> bool {
    let mut rows = by_name::candidates(&BY_NAME, name).filter(|row| row.name == name && row.opens);
    let verb = argv.get(1).map_or("", |word| word.text.as_str());
    // `./script` is a program of the project.
    let is_own = argv.first().is_some_and(|word| word.text.contains('/') && !word.text.contains("bin/"));
    !is_own && rows.any(|row| row.verbs.is_empty() || row.verbs.contains(&verb)) && peel(name, argv).is_none()
}

/// Returns whether a program with this name may start another one.
pub(super) fn is_wrapper(name: &str) -> bool {
    by_name::candidates(&BY_NAME, name).any(|row| row.name == name)
}

/// Returns whether a program with this name only starts other programs elsewhere, after a verb.
pub(super) fn is_client(name: &str) -> bool {
    let mut rows = by_name::candidates(&BY_NAME, name).filter(|row| row.name == name);
    rows.all(|row| row.kind == "ssh" && !row.verbs.is_empty())
}

static BY_NAME: [(u64, &Wrapper); COUNT] = by_name::sorted(named());

const COUNT: usize = tools::WRAPPERS.len()
    + system::WRAPPERS.len()
    + terminals::WRAPPERS.len()
    + remotes::WRAPPERS.len()
    + more::WRAPPERS.len();

/// Returns the rows with the keys of their names.
#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
const fn named() -> [(u64, &'static Wrapper); COUNT] {
    let mut all = [(0, &PLAIN); COUNT];
    let (mut count, mut table) = (0, 0);
    while table < 5 {
        let rows = [tools::WRAPPERS, system::WRAPPERS, terminals::WRAPPERS, remotes::WRAPPERS, more::WRAPPERS][table];
        let mut row = 0;
        while row < rows.len() {
            all[count] = (by_name::key(rows[row].name), &rows[row]);
            (count, row) = (count + 1, row + 1);
        }
        table += 1;
    }
    all
}

/// Returns the words after the verbs that make the program start another one. `None` if it starts none.
fn behind_verbs<'w>(wrapper: &Wrapper, words: &'w [Word], before: &Parsed<'w>) -> Option<&'w [Word]> {
    let mut words = words;
    if !wrapper.verbs.is_empty() {
        words = before.rest;
        let (verb, rest) = words.split_first()?;
        if !wrapper.verbs.contains(&verb.text.as_str()) {
            return None;
        }
        words = rest;
    }
    if !wrapper.then.is_empty() {
        let (verb, rest) = leading(words, wrapper.takes).rest.split_first()?;
        if !wrapper.then.contains(&verb.text.as_str()) {
            return None;
        }
        words = rest;
    }
    if !wrapper.programs.is_empty() {
        words = before.rest;
        words.first().filter(|program| wrapper.programs.contains(&packages::program(&program.text)))?;
    }
    Some(words)
}

fn by_row(wrapper: &Wrapper, words: &[Word]) -> Option<Layer> {
    // The wrapper's own options may precede the verb.
    let before = leading(words, wrapper.takes);
    let words = behind_verbs(wrapper, words, &before)?;
    if !wrapper.after.is_empty() {
        let at = words.iter().position(|word| wrapper.after.contains(&word.text.as_str()))?;
        let options = leading(words.get(..at)?, wrapper.takes);
        let rest = leading(words.get(at + 1..)?, wrapper.takes).rest.get(wrapper.skip..)?;
        let what = Runnable::Words { assignments: Vec::new(), words: rest.to_vec() };
        return finish(wrapper, "", &options, what, wrapper.place(&before, &options, words), rest);
    }
    let options = read(wrapper, words);
    if options.flag(wrapper.inert).is_some() {
        return None;
    }
    let detail = wrapper.detail.iter().find_map(|name| options.flag(&[name])).map_or("", Flag::text);
    // The platform that runs the command, if no option specifies a host.
    let enters = wrapper.kind == "container" && wrapper.verbs.iter().any(|verb| matches!(*verb, "exec" | "shell"));
    let detail = if detail.is_empty() && (wrapper.kind == "ssh" || enters) { wrapper.name } else { detail };
    let missing = missing_variables(wrapper.name, &options);
    let detail = if missing.is_empty() { detail } else { &missing };
    let login = wrapper.login(&options);
    let place = match login {
        Some(user) => Place::Login(user),
        None => wrapper.place(&before, &options, words),
    };
    if let Some(text) = text(wrapper, words, &options) {
        let kind = wrapper.kind_of_layer(&place);
        return Some(Layer::one(kind, detail, Runnable::Text { text, parameters: None }, place));
    }
    let (assignments, inner) = inner_command(wrapper, words, &options)?;
    let what = Runnable::Words { assignments, words: inner.clone() };
    let mut layer = finish(wrapper, detail, &options, what, place, &inner)?;
    if let Some(Run { certain, .. }) = layer.runs.first_mut() {
        *certain = options.certain;
    }
    Some(layer)
}

/// Returns the command that a wrapper starts, with its assignments.
fn inner_command(wrapper: &Wrapper, words: &[Word], options: &Parsed<'_>) -> Option<(Vec<Assignment>, Vec<Word>)> {
    let name = wrapper.name;
    let mut rest = options.rest.get(wrapper.skip..)?;
    let mut assigned = Vec::new();
    if name == "systemd-run" {
        let given = options.flags.iter().filter(|flag| flag.is_any(&["E", "setenv"])).map(Flag::word);
        assigned = assignments(&given.collect::<Vec<_>>()).0;
    } else if wrapper.assigns {
        (assigned, rest) = assignments(rest);
    } else if wrapper.skip > 0 && rest.first().is_some_and(|word| word.text == "--") {
        rest = rest.get(1..)?;
    }
    if name == "env" && rest.first().is_some_and(|word| word.text == "-") {
        // `env -` empties the environment. Assignments may follow.
        (assigned, rest) = assignments(rest.get(1..)?);
    }
    // A number is the value of an option with a single dash, as in `-np 2`, and not a program.
    while let Some((first, tail)) = rest.split_first()
        && !tail.is_empty()
        && first.text.bytes().all(|byte| byte.is_ascii_digit())
        && !first.text.is_empty()
    {
        rest = tail;
    }
    // The option's other names and its letter.
    let entries: &[&str] = if wrapper.entry == "exec" { &["exec", "startas", "x", "a"] } else { &[wrapper.entry] };
    let entry = options.flag(entries).map(Flag::word).filter(|_| !wrapper.entry.is_empty());
    let mut inner: Vec<Word> = entry.into_iter().chain(rest.iter().cloned()).collect();
    if wrapper.creates {
        packages::replace_by_creator(&mut inner)?;
    }
    packages::replace(name, &mut inner);
    // npm consumes the first `--`, even after the program's own arguments.
    let is_first = !words.iter().take(words.len().saturating_sub(rest.len())).any(|word| word.text == "--");
    if let Some(dashes) = inner.iter().position(|word| word.text == "--").filter(|_| name == "npm" && is_first) {
        inner.remove(dashes);
    }
    Some((assigned, inner))
}

/// Returns the variables that a wrapper removes from the environment. `-i` removes all.
fn missing_variables(name: &str, options: &Parsed<'_>) -> String {
    let all = match name {
        "env" => {
            options.flag(&["i", "ignore-environment"]).is_some()
                || options.rest.first().is_some_and(|word| word.text == "-")
        }
        "exec" => options.flag(&["c"]).is_some(),
        _ => false,
    };
    if all {
        return "-i".to_owned();
    }
    let taken = options.flags.iter().filter(|flag| name == "env" && flag.is_any(&["u", "unset"]));
    taken.map(|flag| format!("-u {}", flag.text())).collect::<Vec<_>>().join(" ")
}

/// Parses options, including those with two values.
fn read<'a>(wrapper: &Wrapper, words: &'a [Word]) -> Parsed<'a> {
    let mut options = leading(words, wrapper.takes);
    if wrapper.pairs.is_empty() {
        return options;
    }
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first() {
        let width = match first.text.strip_prefix("--") {
            Some("") => {
                rest = tail;
                break;
            }
            Some(_) if wrapper.pairs.contains(&first.text.as_str()) => 2,
            Some(long) => usize::from(wrapper.takes.long.split_ascii_whitespace().any(|known| known == long)),
            None => break,
        };
        rest = tail.get(width..).unwrap_or_default();
    }
    options.rest = rest;
    options
}

fn finish(
    wrapper: &Wrapper,
    detail: &str,
    options: &Parsed<'_>,
    what: Runnable,
    place: Place,
    rest: &[Word],
) -> Option<Layer> {
    if rest.is_empty() {
        return None;
    }
    let kind = wrapper.kind_of_layer(&place);
    // With `-x`, `watch` runs the words as they are.
    if !wrapper.joins && !wrapper.each || options.flag(&["x", "exec"]).is_some() && wrapper.name == "watch" {
        return Some(Layer::one(kind, detail, what, place));
    }
    let joined = [joined(rest)];
    let texts = if wrapper.each { rest } else { &joined };
    let mut runs = Vec::new();
    for text in texts {
        let what = Runnable::Text { text: text.clone(), parameters: None };
        runs.append(&mut Layer::one(kind, detail, what, place.clone()).runs);
    }
    Some(Layer { outer: None, runs })
}

impl DirectoryChange {
    fn holds(&self, options: &Parsed<'_>, words: &[Word]) -> bool {
        match self {
            DirectoryChange::Never => false,
            DirectoryChange::Always(but) => options.flag(but).is_none(),
            DirectoryChange::With(these) => {
                // Also after the user.
                let is_login = |word: &Word| matches!(word.text.as_str(), "-" | "-l" | "--login");
                options.flag(these).is_some() || these.contains(&"-") && words.iter().any(is_login)
            }
        }
    }
}

impl Wrapper {
    /// Returns the kind of wrapper for the command's `via`.
    fn kind_of_layer(&self, place: &Place) -> &'static str {
        match (place, self.kind) {
            (Place::Login(_), _) => "login",
            // A file's commands are reached via `script`.
            (_, "") if self.name == "script" => "terminal",
            (_, "") => self.name,
            (_, kind) => kind,
        }
    }

    /// Returns the user if the wrapper logs in to this machine. Empty for the calling user.
    fn login(&self, options: &Parsed<'_>) -> Option<String> {
        if self.kind.is_empty() || self.kind != "ssh" && self.name != "machinectl" {
            return None;
        }
        let hosts = options.flags.iter().filter(|flag| self.skip == 0 && flag.is_any(&["w", "H", "host", "hosts"]));
        let named = options.rest.first().filter(|_| self.skip == 1).map(|word| word.text.as_str());
        let mut hosts = hosts.map(Flag::text).chain(named);
        hosts.find_map(remote::local_user).map(str::to_owned)
    }

    /// Returns the program's file system, if it differs from the caller's.
    fn sandbox(&self, options: &Parsed<'_>, words: &[Word]) -> Option<Sandbox> {
        let mut mounts = sandbox::mounts_of(options, self.binds, self.root);
        if self.name == "bwrap" {
            mounts = sandbox::mounts_of_bwrap(words.get(..words.len().checked_sub(options.rest.len())?)?);
        }
        mounts.extend(options.rest.first().filter(|_| self.takes_root).map(|root| Mount::root(&root.text)));
        mounts.extend(self.shares.iter().map(|shared| Mount::root(shared).shared()));
        let home = (!self.shares.is_empty()).then(|| "~".to_owned());
        let isolated = !self.kind.is_empty();
        (!mounts.is_empty()).then(|| Sandbox { mounts, isolated, home, ..Sandbox::default() })
    }

    /// Returns where the program runs. The wrapper's own options precede its verb.
    fn place(&self, before: &Parsed<'_>, options: &Parsed<'_>, words: &[Word]) -> Place {
        if self.name == "nsenter" {
            let first = options.flags.iter().any(|flag| flag.is_any(&["t", "target"]) && flag.text() == "1");
            let files = options.flag(&["m", "mount", "a", "all"]).is_some();
            return if first && files { Place::Outside } else { Place::Unknown };
        }
        let sandbox = self.sandbox(options, words).or_else(|| self.sandbox(before, words));
        if sandbox.is_none() && !self.kind.is_empty() {
            return Place::Remote;
        }
        let directory = |options: &Parsed<'_>| {
            let is_directory = |flag: &&Flag<'_>| flag.is_any(self.directory) || flag.is_any(DIRECTORY);
            let mut named = options.flags.iter().filter(is_directory).filter(|flag| !flag.is_any(self.root));
            named.next_back().map(Flag::word)
        };
        // Parsing stops at options with two values.
        let behind_pairs = || {
            let own = words.get(..words.len().checked_sub(options.rest.len())?)?;
            let at = own.iter().rposition(|word| word.text == "--chdir").filter(|_| !self.pairs.is_empty())?;
            own.get(at + 1).cloned()
        };
        let directory = behind_pairs().or_else(|| directory(options)).or_else(|| directory(before));
        if let Some(sandbox) = sandbox {
            let here = || (!self.shares.is_empty()).then(|| literal("$PWD"));
            let root = || (self.takes_root || options.flag(self.root).is_some()).then(|| literal("/"));
            let directory = directory.or_else(here).or_else(root);
            return Place::Sandbox(Box::new(Sandbox { directory, ..sandbox }));
        }
        match directory {
            Some(directory) if directory.text.is_empty() && !directory.dynamic => Place::Unknown,
            Some(directory) => Place::Directory(directory),
            None if self.leaves.holds(options, words) => Place::Unknown,
            None if self.here => Place::Here,
            None => Place::Apart,
        }
    }
}

/// Returns the text of `-c`, which may also follow the operands: `su root -c TEXT`, `flock FILE -c TEXT`.
fn text(wrapper: &Wrapper, words: &[Word], options: &Parsed<'_>) -> Option<Word> {
    if wrapper.text.is_empty() {
        return None;
    }
    if let Some(mut text) = options.flag(wrapper.text).map(Flag::word) {
        if wrapper.name == "env" {
            // The words after `-S TEXT` belong to the same command.
            text = joined(&[std::slice::from_ref(&text), options.rest].concat());
        }
        return Some(text);
    }
    if wrapper.skip == 0 {
        return None;
    }
    // In `flock FILE PROGRAM -c TEXT`, the option belongs to the program.
    if wrapper.name == "flock" && !options.rest.get(wrapper.skip).is_some_and(|word| word.text.starts_with('-')) {
        return None;
    }
    let late = words.iter().position(|word| {
        let name = word.text.trim_start_matches('-').split('=').next().unwrap_or_default();
        let shortened = |long: &&str| word.text.starts_with("--") && name.len() > 2 && long.starts_with(name);
        word.text.starts_with('-') && (wrapper.text.contains(&name) || wrapper.text.iter().any(shortened))
    })?;
    let glued = words.get(late)?.text.split_once('=').filter(|(option, _)| option.starts_with("--"));
    glued.map_or_else(|| words.get(late + 1).cloned(), |(_, text)| Some(literal(text)))
}
