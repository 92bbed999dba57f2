//! The broker: creates, opens, renames and deletes a profile's single paths on behalf of the command.

mod act;
mod spot;

use std::collections::BTreeSet;
use std::io::Error;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::calls::{self, At, Call, Memory};
use super::rules::Rules;
use super::{Refused, listener};
use crate::{Attempt, Job, Refusal};
use guard_sensitive_paths::matches;
use spot::Spot;

/// The maximum number of refusals that are reported.
const REFUSALS: usize = 1_000;

/// The prefixes of new files with which programs replace a file: GNU sed and coreutils, Perl, zip, and the temporary
/// files of Python, npm and others.
const REPLACEMENTS: &[&str] = &["sed", "Cu", "XX", "zi", "tmp", ".tmp"];

/// The maximum length of such a name, in bytes.
const REPLACEMENT_BYTES: usize = 32;

/// The mask of new files' permissions if this process's can't be read.
const DEFAULT_UMASK: u32 = 0o022;

/// The answer to a system call.
#[derive(Debug)]
pub(super) enum Answer {
    /// The kernel executes it, and refuses what the rules don't allow.
    Proceed,
    /// The broker has executed it, or this error is the result.
    Done(Result<(), i32>),
    /// The broker has executed it, and the result is a file descriptor.
    File { file: OwnedFd, close_on_exec: bool },
}

#[derive(Debug, Clone)]
pub(super) struct Broker {
    exact: BTreeSet<PathBuf>,
    trees: Vec<PathBuf>,
    patterns: Vec<(PathBuf, String)>,
    missing: Vec<PathBuf>,
    /// Missing folders above the paths.
    above: BTreeSet<PathBuf>,
    /// Files that the command created next to a path, to replace it.
    made: BTreeSet<PathBuf>,
    hidden: BTreeSet<PathBuf>,
    split: BTreeSet<PathBuf>,
    umask: u32,
    net: bool,
    unix_sockets: bool,
    learn: bool,
}

impl Broker {
    pub(super) fn new(job: &Job<'_>, rules: &Rules) -> Self {
        let in_patterns = rules.patterns.iter().map(|(folder, _)| folder);
        let written = rules.exact.iter().chain(&rules.missing);
        let above = written.flat_map(|path| path.ancestors().skip(1)).filter(|folder| !folder.exists());
        Broker {
            above: above.map(Path::to_owned).chain(in_patterns.filter(|folder| !folder.exists()).cloned()).collect(),
            patterns: rules.patterns.clone(),
            exact: rules.exact.clone(),
            trees: rules.trees.clone(),
            missing: rules.missing.clone(),
            made: BTreeSet::new(),
            hidden: rules.hidden.clone(),
            split: rules.split.clone(),
            umask: DEFAULT_UMASK,
            net: job.profile.net,
            unix_sockets: job.profile.unix_sockets,
            learn: job.learn,
        }
    }

    /// Returns whether a command needs the broker. Otherwise, the kernel's rules are sufficient.
    pub(super) fn is_needed(&self) -> bool {
        self.learn || !self.exact.is_empty() || !self.missing.is_empty() || !self.patterns.is_empty()
    }

    /// Answers system calls until no process can make any.
    pub(super) fn serve(mut self, listener: &OwnedFd, refused: &Refused) {
        self.umask = act::umask("self").unwrap_or(DEFAULT_UMASK);
        loop {
            match listener::next(listener) {
                Ok(notification) => self.answer(listener, &notification, refused),
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                // The process was killed in the meantime, or all have exited.
                Err(error) if error.raw_os_error() == Some(libc::ENOENT) && !listener::is_over(listener) => {}
                Err(_) => return,
            }
        }
    }

    fn answer(&mut self, listener: &OwnedFd, notification: &listener::Notification, refused: &Refused) {
        let id = notification.id;
        let call = Memory::open(notification.pid).and_then(|memory| calls::read(notification, &memory));
        // Another process may have the id of an exited one.
        let call = call.filter(|_| listener::is_waiting(listener, id));
        let answer = match call {
            Some(call) => self.decide(notification.pid, &call, refused),
            // If a call can't be read, the kernel refuses it, except for sockets, which its rules don't cover.
            None if calls::SOCKETS.contains(&notification.data.nr.into()) => Answer::Done(Err(libc::EACCES)),
            None => Answer::Proceed,
        };
        match answer {
            Answer::Proceed => listener::proceed(listener, id),
            Answer::Done(Ok(())) => listener::reply(listener, id, None),
            Answer::Done(Err(error)) => listener::reply(listener, id, Some(error)),
            Answer::File { file, close_on_exec } => {
                if let Err(error) = listener::reply_with(listener, id, file, close_on_exec) {
                    listener::reply(listener, id, Some(number(&error)));
                }
            }
        }
    }

    fn decide(&mut self, process: u32, call: &Call, refused: &Refused) -> Answer {
        match call {
            Call::Open { at, flags, mode } => self.open(process, at, (*flags, *mode), refused),
            Call::Unlink { at, is_folder } => self.change(process, at, refused, |spot| act::unlink(spot, *is_folder)),
            Call::Symlink { text, at } => self.change(process, at, refused, |spot| act::symlink(spot, text)),
            Call::MakeFolder { at, mode } => {
                let umask = (act::umask(&process.to_string()).unwrap_or(self.umask), self.umask);
                self.change(process, at, refused, |spot| act::make_folder(spot, *mode, umask))
            }
            Call::Rename { from, to, flags } => {
                self.answer_two_paths(process, (from, to), refused, |from, to, new| act::rename(from, to, *flags, new))
            }
            // The target of a link isn't checked here.
            Call::Link { follows: true, .. } => Answer::Proceed,
            Call::Link { from, to, .. } => {
                self.answer_two_paths(process, (from, to), refused, |from, to, _| act::link(from, to))
            }
            Call::Socket { family, kind, protocol } => self.socket((*family, *kind, *protocol), refused),
            Call::Address(_) if self.net => Answer::Proceed,
            Call::Address(address) => {
                report(refused, Attempt::Connect, address.clone());
                Answer::Done(Err(libc::EACCES))
            }
        }
    }

    /// Answers a call with one path.
    fn change(
        &mut self,
        process: u32,
        at: &At,
        refused: &Refused,
        act: impl FnOnce(&Spot) -> Result<(), i32>,
    ) -> Answer {
        let Some(spot) = Spot::find(process, at) else { return Answer::Proceed };
        if self.is_rule(&spot.path) {
            return Answer::Proceed;
        }
        if !(self.is_written(&spot.path) || self.above.contains(&spot.path) || self.is_replacement(&spot)) {
            return self.refuse(spot, refused);
        }
        let result = act(&spot);
        if result.is_ok() && !self.is_written(&spot.path) {
            self.made.insert(spot.path);
        }
        Answer::Done(result)
    }

    /// Answers a call with two paths. `act` gets whether the second one must be new.
    fn answer_two_paths(
        &mut self,
        process: u32,
        (from, to): (&At, &At),
        refused: &Refused,
        act: impl FnOnce(&Spot, &Spot, bool) -> Result<(), i32>,
    ) -> Answer {
        let (Some(from), Some(to)) = (Spot::find(process, from), Spot::find(process, to)) else {
            return Answer::Proceed;
        };
        if self.is_rule(&from.path) && self.is_rule(&to.path) {
            return Answer::Proceed;
        }
        // The kernel's rules don't apply to the broker, so it must neither move nor replace what they hide.
        if self.has_hidden(&from.path) {
            return self.refuse(from, refused);
        }
        if self.has_hidden(&to.path) {
            return self.refuse(to, refused);
        }
        let can = |path: &Path| self.is_written(path) || self.is_rule(path);
        if !can(&from.path) {
            return self.refuse(from, refused);
        }
        let is_new = !can(&to.path);
        if is_new && !self.is_replacement(&to) {
            return self.refuse(to, refused);
        }
        let result = act(&from, &to, is_new);
        if result.is_ok() {
            self.made.remove(&from.path);
            if is_new {
                self.made.insert(to.path);
            }
        }
        Answer::Done(result)
    }

    /// Returns whether the path is hidden, or contains something hidden.
    fn has_hidden(&self, path: &Path) -> bool {
        self.split.contains(path) || path.ancestors().any(|path| self.hidden.contains(path))
    }

    fn open(&mut self, process: u32, at: &At, (flags, mode): (i32, u32), refused: &Refused) -> Answer {
        let Some(mut spot) = Spot::find(process, at) else { return Answer::Proceed };
        if flags & libc::O_NOFOLLOW == 0 {
            spot = spot.follow_link();
        }
        let is_write = flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) != 0;
        if !is_write {
            return self.open_to_read(&spot, flags, refused);
        }
        if self.is_rule(&spot.path) {
            return Answer::Proceed;
        }
        let is_written = self.is_written(&spot.path);
        let may_be_made = flags & libc::O_CREAT != 0 && self.is_replacement(&spot);
        if !is_written && !may_be_made {
            // Creating an existing file opens it.
            let is_plain = flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_TRUNC) == 0 && spot.exists();
            return if is_plain { Answer::Proceed } else { self.refuse(spot, refused) };
        }
        let umask = (act::umask(&process.to_string()).unwrap_or(self.umask), self.umask);
        let only_new = if is_written { 0 } else { libc::O_EXCL };
        match act::open(&spot, flags | only_new, mode, umask) {
            Some(Ok(file)) => {
                if !is_written {
                    self.made.insert(spot.path);
                }
                Answer::File { file, close_on_exec: flags & libc::O_CLOEXEC != 0 }
            }
            Some(Err(error)) => Answer::Done(Err(error)),
            None => Answer::Proceed,
        }
    }

    /// Opens a new file in a split folder for reading, which no rule allows.
    fn open_to_read(&self, spot: &Spot, flags: i32, refused: &Refused) -> Answer {
        if spot.path.ancestors().any(|path| self.hidden.contains(path)) {
            if self.learn {
                report(refused, Attempt::Read, spot.path.display().to_string());
            }
            return Answer::Proceed;
        }
        let is_split = spot.path.parent().is_some_and(|folder| self.split.contains(folder));
        if !is_split || !self.is_written(&spot.path) || flags & libc::O_PATH != 0 {
            return Answer::Proceed;
        }
        match act::open(spot, flags, 0, (0, 0)) {
            Some(Ok(file)) => Answer::File { file, close_on_exec: flags & libc::O_CLOEXEC != 0 },
            Some(Err(error)) => Answer::Done(Err(error)),
            None => Answer::Proceed,
        }
    }

    fn socket(&self, (family, kind, protocol): (i32, i32, i32), refused: &Refused) -> Answer {
        let kind = kind & 0xff;
        let what = match family {
            libc::AF_UNIX if self.unix_sockets => return Answer::Proceed,
            libc::AF_NETLINK if protocol == 0 => return Answer::Proceed,
            libc::AF_INET | libc::AF_INET6 if self.net => return Answer::Proceed,
            // The kernel refuses to connect, which is more informative.
            libc::AF_INET | libc::AF_INET6 if kind == libc::SOCK_STREAM && protocol != IPPROTO_MPTCP => {
                return Answer::Proceed;
            }
            libc::AF_INET | libc::AF_INET6 => "udp, such as the lookup of a name".to_owned(),
            libc::AF_UNIX => "unix socket".to_owned(),
            other => format!("socket of family {other}"),
        };
        report(refused, Attempt::Connect, what);
        Answer::Done(Err(libc::EACCES))
    }

    /// Reports the path, and lets the kernel refuse the call.
    fn refuse(&self, spot: Spot, refused: &Refused) -> Answer {
        if !spot.path.starts_with("/dev") && !spot.path.starts_with("/proc") {
            report(refused, Attempt::Write, spot.path.display().to_string());
        }
        Answer::Proceed
    }

    /// Returns whether a kernel rule covers the path: it is in a folder with a rule. The folder itself belongs to its
    /// parent.
    fn is_rule(&self, path: &Path) -> bool {
        self.trees.iter().any(|tree| path.starts_with(tree) && path != tree)
    }

    /// Returns whether the broker may perform any operation on the path.
    fn is_written(&self, path: &Path) -> bool {
        self.exact.contains(path)
            || self.made.contains(path)
            || self.missing.iter().any(|tree| path.starts_with(tree))
            || self.matches_pattern(path)
    }

    /// Returns whether the path, or a folder above it, matches a pattern and isn't guarded.
    fn matches_pattern(&self, path: &Path) -> bool {
        let fits = |path: &Path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
                return false;
            };
            let mut patterns = self.patterns.iter().filter(|(of, _)| of == folder);
            patterns.any(|(_, pattern)| matches(pattern, name))
        };
        !self.patterns.is_empty() && path.ancestors().any(fits) && !self.has_hidden(path)
    }

    /// Returns whether the path may be created: its name indicates that it will replace a path of the profile in the
    /// same folder.
    fn is_replacement(&self, spot: &Spot) -> bool {
        let (Some(name), Some(folder)) = (spot.path.file_name().and_then(|name| name.to_str()), spot.path.parent())
        else {
            return false;
        };
        let is_short = name.len() <= REPLACEMENT_BYTES;
        let is_temporary = is_short && REPLACEMENTS.iter().any(|start| name.starts_with(start));
        let beside = self.exact.iter().filter(|path| path.parent() == Some(folder));
        let mut names = beside.filter_map(|path| path.file_name().and_then(|name| name.to_str()));
        names.any(|other| is_temporary || name.contains(other)) && !spot.exists()
    }
}

const IPPROTO_MPTCP: i32 = libc::IPPROTO_MPTCP;

fn report(refused: &Refused, attempt: Attempt, target: String) {
    if let Ok(mut list) = refused.lock()
        && list.len() < REFUSALS
    {
        let refusal = Refusal { attempt, target };
        if !list.contains(&refusal) {
            list.push(refusal);
        }
    }
}

fn number(error: &Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EACCES)
}
