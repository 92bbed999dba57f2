//! Compares a path with an entry of a list, component by component, ASCII case folded.
//!
//! An entry is one of
//!
//! - `name`: the last component is `name`,
//! - `folder/name`: the last components are these,
//! - `folder/`: something below a component `folder`,
//! - `/etc/name`, `/etc/`: the same, from the root,
//! - `~/name`, `~/folder/`: the same, from a home directory, whoever's it is.
//!
//! `*` stands for any text within a component; [`crate::entry`] has what else a pattern may hold. Looks at no file system: `.`, `..` and doubled slashes are resolved by
//! text alone, and a component's trailing dots and spaces do not count, because some file systems drop them. Nor does
//! `::$DATA`, the stream of Windows that every file has.

use std::cell::OnceCell;

use guard_sdk::globs::Glob;
use guard_sdk::paths::without_stream;

use crate::byte_set::ByteSet;

/// More components than this are never compared; a path that deep names nothing on the lists but by its end.
const DEEPEST: usize = 256;

/// The name of a file of which nothing is known; no file has it.
const ANY_NAME: &str = "\u{1}";

/// Longest component that is compared. No file system takes a longer one.
const LONGEST: usize = 255;

/// Where an entry begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// At any component.
    Anywhere,
    /// At the root of the file system.
    Top,
    /// At a home directory, whoever's it is.
    Home,
}

/// What of an entry tells most paths apart, read from its text once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternShape {
    /// `~/name`.
    Home,
    /// `/name`.
    Top,
    /// Several components, or one that is a folder, and the first byte of the first.
    Several { first: u8 },
    /// The name of a file, and its first and last byte.
    Name { first: u8, last: u8 },
}

impl PatternShape {
    pub(crate) const fn of(entry: &str) -> Self {
        match *entry.as_bytes() {
            [b'~', b'/', ..] => PatternShape::Home,
            [b'/', ..] => PatternShape::Top,
            // No entry is empty. A wildcard rules nothing out.
            [] => PatternShape::Name { first: b'*', last: b'*' },
            [first, ref rest @ ..] => {
                let mut rest = rest;
                let mut last = first;
                while let [next, after @ ..] = rest {
                    if *next == b'/' {
                        return PatternShape::Several { first };
                    }
                    last = *next;
                    rest = after;
                }
                PatternShape::Name { first, last }
            }
        }
    }

    /// Where an entry of this shape begins.
    pub(crate) fn root(self) -> Root {
        match self {
            PatternShape::Home => Root::Home,
            PatternShape::Top => Root::Top,
            PatternShape::Several { .. } | PatternShape::Name { .. } => Root::Anywhere,
        }
    }

    /// Those of a list, in its order.
    pub(crate) const fn of_all<const N: usize>(mut texts: &[&str]) -> [Self; N] {
        let mut shapes = [PatternShape::Home; N];
        let mut left: &mut [Self] = &mut shapes;
        while let ([text, more @ ..], [shape, after @ ..]) = (texts, left) {
            *shape = PatternShape::of(text);
            (texts, left) = (more, after);
        }
        shapes
    }
}

/// The bytes that the entries of a list begin and end with. They tell most paths apart from all entries at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListBytes {
    /// An entry is a pattern that may begin with anything.
    has_globs: bool,
    /// First bytes of [`PatternShape::Home`], [`PatternShape::Top`] and [`PatternShape::Several`].
    home: ByteSet,
    top: ByteSet,
    several: ByteSet,
    /// Last bytes of [`PatternShape::Name`], by the bit of the first one.
    names: [ByteSet; 64],
}

impl ListBytes {
    pub(crate) const NONE: Self = ListBytes {
        has_globs: false,
        home: ByteSet::NONE,
        top: ByteSet::NONE,
        several: ByteSet::NONE,
        names: [ByteSet::NONE; 64],
    };

    /// Takes in an entry; none: a pattern.
    pub(crate) fn add(&mut self, entry: Option<(&str, PatternShape)>) {
        let Some((text, shape)) = entry else {
            self.has_globs = true;
            return;
        };
        let first = || {
            let text = text.strip_prefix('~').unwrap_or(text).trim_start_matches('/');
            text.bytes().next().unwrap_or(b'*')
        };
        match shape {
            PatternShape::Home => self.home = self.home.with(first()),
            PatternShape::Top => self.top = self.top.with(first()),
            PatternShape::Several { first } => self.several = self.several.with(first),
            PatternShape::Name { first, last } => {
                for place in ByteSet::NONE.with(first).places() {
                    if let Some(ends) = self.names.get_mut(place) {
                        *ends = ends.with(last);
                    }
                }
            }
        }
    }
}

/// A path taken apart.
pub(crate) struct Path<'a> {
    /// Without `.`, `..` and empty ones; the last [`DEEPEST`] of them.
    components: Vec<&'a str>,
    absolute: bool,
    /// Ends with a slash: names what is below.
    folder: bool,
    /// First bytes of the components; any byte if a component has wildcards.
    begins: ByteSet,
    /// First byte of the last component; any byte if a component has wildcards.
    last_begins: ByteSet,
    /// Last byte of the last component, which a trailing dot or blank is not part of; any byte if a component has wildcards.
    last_ends: ByteSet,
    /// The rest of a path that begins with a home directory, once an entry asked for it.
    below_home: OnceCell<Option<Box<Path<'a>>>>,
}

impl<'a> Path<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        let mut components = Vec::new();
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => drop(components.pop()),
                name => components.push(without_stream(name)),
            }
        }
        let deep = components.len() > DEEPEST;
        components.drain(..components.len().saturating_sub(DEEPEST));
        Path::of(components, path.starts_with('/') && !deep, path.ends_with('/'))
    }

    fn of(components: Vec<&'a str>, absolute: bool, folder: bool) -> Self {
        let last = components.last().copied();
        let [begins, last_begins, last_ends] = if has_wildcards(&components) {
            [ByteSet::ANY; 3]
        } else {
            let ends = last.and_then(|name| trimmed(name).bytes().next_back());
            [ByteSet::of(components.iter().copied()), ByteSet::of(last), ends.map_or(ByteSet::ANY, ByteSet::of_byte)]
        };
        Path { components, absolute, folder, begins, last_begins, last_ends, below_home: OnceCell::new() }
    }

    /// Whether an entry of a list with these bytes may cover this path.
    #[inline]
    pub(crate) fn may_be_covered(&self, bytes: &ListBytes) -> bool {
        if self.begins == ByteSet::ANY || bytes.has_globs {
            return true;
        }
        let begins = |path: &Path<'_>, set: ByteSet| path.components.first().is_some_and(|name| set.may_fit(name));
        let ends = bytes.names.get(self.last_begins.place());
        self.begins.meets(bytes.several)
            || ends.is_some_and(|ends| ends.meets(self.last_ends))
            || self.absolute && begins(self, bytes.top)
            || self.below_home().is_some_and(|path| begins(path, bytes.home))
    }

    /// The same path, taken as all that is below it.
    pub(crate) fn into_folder(self) -> Self {
        Path { folder: true, below_home: OnceCell::new(), ..self }
    }

    /// The last component.
    pub(crate) fn last(&self) -> &'a str {
        self.components.last().copied().unwrap_or_default()
    }

    /// Whether a component is a pattern itself, as the shell expands it.
    pub(crate) fn has_wildcards(&self) -> bool {
        has_wildcards(&self.components)
    }

    /// How many components have this name.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.components.iter().filter(|component| component_fits(name, component)).count()
    }

    /// Whether `entry` covers this path.
    pub(crate) fn is_covered_by(&self, entry: &str) -> bool {
        self.is_covered(entry, PatternShape::of(entry))
    }

    /// The same, for an entry whose shape is known.
    #[inline]
    pub(crate) fn is_covered(&self, entry: &str, shape: PatternShape) -> bool {
        match shape {
            PatternShape::Home => {
                self.below_home().is_some_and(|path| path.is_covered_from_root(entry.get(2..).unwrap_or_default()))
            }
            PatternShape::Top => self.absolute && self.is_covered_from_root(entry),
            PatternShape::Several { first } => self.begins.has(first) && self.fits(entry, false),
            PatternShape::Name { first, last } => {
                self.last_begins.has(first)
                    && self.last_ends.has(last)
                    && self.components.last().is_some_and(|name| component_fits(entry, name))
            }
        }
    }

    /// Whether the components from `root` on fit the pattern. Of a folder that goes with all that is in it, whatever is
    /// in it fits as well.
    pub(crate) fn fits_glob(&self, root: Root, glob: &Glob) -> bool {
        let Some(path) = self.from_root(root) else { return false };
        let name = |component: &&'a str| {
            let name = trimmed(component);
            // Only an ending can be told of too long a name.
            name.get(name.ceil_char_boundary(name.len().saturating_sub(LONGEST))..).unwrap_or(name)
        };
        let mut components: Vec<&str> = path.components.iter().map(name).collect();
        if glob.fits(&components) {
            return true;
        }
        components.push(ANY_NAME);
        path.folder && glob.fits(&components)
    }

    /// The path from a root on. `None` if it isn't known to be there.
    fn from_root(&self, root: Root) -> Option<&Path<'a>> {
        match root {
            Root::Home => self.below_home(),
            Root::Top => Some(self).filter(|path| path.absolute),
            Root::Anywhere => Some(self),
        }
    }

    /// Whether `entry` covers this path, both being taken from the same directory.
    fn is_covered_from_root(&self, entry: &str) -> bool {
        self.begins.may_fit(entry.trim_start_matches('/')) && self.fits(entry, true)
    }

    /// The rest of a path that begins with a home directory, as text shows it.
    fn below_home(&self) -> Option<&Path<'a>> {
        self.below_home.get_or_init(|| self.without_home().map(Box::new)).as_deref()
    }

    fn without_home(&self) -> Option<Path<'a>> {
        let homes = match self.components.as_slice() {
            // Homes by departments, by domains, and by file servers.
            ["home" | "Users", group, _, _, ..] if self.absolute && is_group(group) => 3,
            ["home" | "Users", _, ..] if self.absolute => 2,
            // Fedora Atomic, domain accounts, file servers, and services that build.
            [_, "home", _, ..] if self.absolute => 3,
            // Disks and copies of systems that are mounted.
            ["mnt" | "media" | "srv" | "net" | "data" | "run", _, "home" | "Users", _, ..] if self.absolute => 4,
            ["run", "media", _, _, "home" | "Users", _, ..] if self.absolute => 6,
            ["mnt" | "media", "Users", _, ..] if self.absolute => 3,
            ["var", "lib", "jenkins" | "gitlab-runner" | "buildkite-agent", ..] if self.absolute => 3,
            ["root", ..] if self.absolute => 1,
            [first, ..] if !self.absolute && (first.starts_with('~') || matches!(*first, "$HOME" | "${HOME}")) => 1,
            _ => return None,
        };
        Some(Path::of(self.components.get(homes..)?.to_vec(), true, self.folder))
    }

    fn fits(&self, entry: &str, rooted: bool) -> bool {
        let wanted = || entry.split('/').filter(|name| !name.is_empty());
        if !entry.ends_with('/') {
            // The last name tells most paths apart.
            let mut left = self.components.iter().rev();
            let fits = wanted().rev().all(|wanted| left.next().is_some_and(|name| component_fits(wanted, name)));
            return fits && (!rooted || left.len() == 0);
        }
        let fits = |start: usize| {
            let mut left = self.components.iter().skip(start);
            let fits = wanted().all(|wanted| left.next().is_some_and(|name| component_fits(wanted, name)));
            // Something must stand below the folder, if only the slash that says so.
            fits && (self.folder || left.len() > 0)
        };
        let starts = if rooted { 1 } else { self.components.len() };
        (0..starts).any(fits)
    }
}

/// A component without what some file systems drop from its end.
fn trimmed(component: &str) -> &str {
    component.trim_end_matches(['.', ' '])
}

/// Whether a component is a pattern itself, as the shell expands it.
fn has_wildcards(components: &[&str]) -> bool {
    components.iter().any(|component| component.contains(['*', '?', '[']))
}

/// Whether a folder of homes is that of a group of people rather than the home of one.
fn is_group(name: &str) -> bool {
    const GROUPS: &[&str] = &[
        "corp",
        "dept",
        "devs",
        "domain",
        "employees",
        "faculty",
        "groups",
        "guests",
        "interns",
        "labs",
        "ldap",
        "members",
        "people",
        "staff",
        "students",
        "team",
        "teams",
        "users",
    ];
    const DOMAINS: &[&str] = &["com", "corp", "edu", "internal", "lan", "local", "net", "org"];
    // `/home/example.org/u`
    let is_domain = name.rsplit_once('.').is_some_and(|(_, end)| DOMAINS.contains(&end));
    is_domain || GROUPS.iter().any(|group| name.eq_ignore_ascii_case(group))
}

/// Whether `pattern`, in which `*` is any text and `?` any byte, matches all of `text`, ASCII case folded.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    wildcard(pattern.as_bytes(), text.as_bytes())
}

/// Whether a component, which may hold wildcards itself, is or plainly reaches for `wanted`.
fn component_fits(wanted: &str, component: &str) -> bool {
    let component = trimmed(component);
    if component.len() > LONGEST {
        // Only an ending can be told of so long a name.
        return wanted.strip_prefix('*').is_some_and(|end| {
            component
                .len()
                .checked_sub(end.len())
                .and_then(|at| component.get(at..))
                .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
        });
    }
    if wildcard(wanted.as_bytes(), component.as_bytes()) {
        return true;
    }
    // What the shell expands: a wildcard names a file on the list if enough of the name is spelled out.
    component.contains(['*', '?', '[']) && !wanted.contains('*') && reaches(component, wanted)
}

/// Whether the shell pattern `glob` matches `name` and spells enough of it to mean it.
fn reaches(glob: &str, name: &str) -> bool {
    let prefix = glob.find(['*', '?', '[']).unwrap_or(glob.len());
    let spelled = glob.bytes().filter(|byte| !matches!(byte, b'*' | b'?' | b'[' | b']')).count();
    // A dot and a letter, or one of a few, are telling enough: few files begin so.
    let is_set = || {
        let set = glob.strip_prefix(".[").and_then(|rest| rest.split_once(']'));
        set.is_some_and(|(letters, _)| letters.bytes().all(|letter| letter.is_ascii_alphanumeric()))
    };
    let begins = prefix >= 3 || prefix == 2 && glob.starts_with('.') || is_set();
    let telling = if glob.contains('*') { begins } else { spelled >= 2 };
    // `*.env*` spells all of the name.
    let is_whole = name.starts_with('.') && glob.trim_matches('*').eq_ignore_ascii_case(name);
    // `.env?` means the neighbours of `.env`, its backups for one.
    let neighbours = glob.get(..prefix).is_some_and(|start| start.eq_ignore_ascii_case(name));
    is_whole || telling && (neighbours || expands_to(glob, name))
}

/// Whether the shell may expand the pattern to the name. `[0-9]` is no letter.
fn expands_to(glob: &str, name: &str) -> bool {
    let ranged = CLASSES.iter().fold(glob.to_owned(), |glob, (class, ranges)| glob.replace(class, ranges));
    match Glob::new(&ranged) {
        Ok(exact) if !glob.contains(['{', '\\']) => exact.fits(&[name]),
        _ => wildcard(&one_for_each_set(&ranged), name.as_bytes()),
    }
}

/// The classes of characters that a set may name, as ranges.
const CLASSES: &[(&str, &str)] = &[
    ("[:alnum:]", "a-zA-Z0-9"),
    ("[:alpha:]", "a-zA-Z"),
    ("[:digit:]", "0-9"),
    ("[:graph:]", "!-~"),
    ("[:lower:]", "a-z"),
    ("[:print:]", " -~"),
    ("[:punct:]", "!-/:-@_"),
    ("[:upper:]", "A-Z"),
];

/// The pattern with each `[...]` as one `?`.
fn one_for_each_set(glob: &str) -> Vec<u8> {
    let mut simple = Vec::with_capacity(glob.len());
    let mut inside = false;
    for byte in glob.bytes() {
        match (inside, byte) {
            (false, b'[') => {
                inside = true;
                simple.push(b'?');
            }
            (true, b']') => inside = false,
            (true, _) => {}
            (false, byte) => simple.push(byte),
        }
    }
    simple
}

/// Whether `pattern`, with `*` and `?`, matches all of `text`. At most `pattern` times `text` steps.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(position) {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, position));
                at += 1;
            }
            Some(wanted) if *wanted == b'?' || wanted.eq_ignore_ascii_case(byte) => {
                at += 1;
                position += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (at, position) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|byte| *byte == b'*')
}
