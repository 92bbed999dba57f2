//! Reads sources line by line, and returns each new call.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Take;
use super::formats::{Call, Context, LineContents};
use crate::cli::subject::{call_context, folder};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::paths::lexical;
use guard_harness::Event;
use guard_hook::audit::Decision;
use guard_platform::paths::judged_text;
use guard_state::environment::Environment;
use guard_state::files::{Line, read_line};

/// The maximum size of a line, or of a file that is one object, in bytes.
const LINE_BYTES: usize = 16 << 20;

/// The maximum depth of folders.
const DEPTH: usize = 16;

/// The maximum number of locations for one reason.
const PLACES: usize = 3;

/// The maximum number of folders whose context is cached.
const FOLDERS: usize = 4096;

/// Calls to decide.
pub(super) enum CallSource {
    /// The calls of one event, with their context.
    Calls(Vec<ToolCall>, Arc<CallContext>),
    /// A decision of the log.
    Decision(Box<Decision>),
}

/// A call to decide, which is decided only once.
pub(in crate::cli) struct Job {
    pub(super) id: u32,
    pub(super) what: CallSource,
}

/// Lines that were skipped for one reason.
#[derive(Debug, Default, Clone)]
pub(super) struct Skipped {
    pub(super) count: u64,
    /// The first locations.
    pub(super) places: Vec<String>,
}

pub(in crate::cli) struct Sources<'a> {
    environment: &'a Environment,
    /// The root of the current folder's project.
    project: String,
    /// The number of each known call.
    known: HashMap<[u8; 16], u32>,
    /// How often each call occurred.
    pub(super) times: Vec<u32>,
    /// The file and line of each call's first occurrence.
    firsts: Vec<(Arc<Path>, u64)>,
    /// The current file.
    current: Arc<Path>,
    contexts: HashMap<(String, &'static str), Arc<CallContext>>,
    pub(super) files: u64,
    pub(super) skipped: BTreeMap<&'static str, Skipped>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(environment: &'a Environment) -> Self {
        Sources {
            environment,
            project: call_context(environment, None).project_root,
            known: HashMap::new(),
            times: Vec::new(),
            firsts: Vec::new(),
            current: Path::new("").into(),
            contexts: HashMap::new(),
            files: 0,
            skipped: BTreeMap::new(),
        }
    }

    /// Reads a source, and calls `each` with the jobs.
    ///
    /// # Errors
    ///
    /// The source can't be read, or `each` fails.
    pub(in crate::cli) fn read(&mut self, source: &Path, each: &mut Take<'_>) -> io::Result<()> {
        if fs::metadata(source)?.is_dir() {
            return self.folder(source, DEPTH, each);
        }
        self.file(source, each)
    }

    /// Reads a line of the log at `log`.
    ///
    /// # Errors
    ///
    /// `each` fails.
    pub(in crate::cli) fn log_line(&mut self, line: &str, log: &Path, each: &mut Take<'_>) -> io::Result<()> {
        match serde_json::from_str(line) {
            Ok(value) => self.value(value, &mut Context::default(), (log, 0), each),
            Err(_) => {
                self.skip("no JSON", log, 0);
                Ok(())
            }
        }
    }

    fn folder(&mut self, folder: &Path, depth: usize, each: &mut Take<'_>) -> io::Result<()> {
        let Some(depth) = depth.checked_sub(1) else {
            self.skip("a folder too deep in others", folder, 0);
            return Ok(());
        };
        let Ok(entries) = fs::read_dir(folder) else {
            self.skip("a folder that cannot be read", folder, 0);
            return Ok(());
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            // A link may lead anywhere, including to a parent folder.
            let Ok(data) = fs::symlink_metadata(&path) else { continue };
            let is_source = path
                .extension()
                .is_some_and(|extension| extension == "json" || extension == "jsonl" || extension == "db");
            if data.is_dir() {
                self.folder(&path, depth, each)?;
            } else if data.is_file() && is_source && self.file(&path, each).is_err_and(|error| is_closed(&error)) {
                return Err(closed_error());
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, each: &mut Take<'_>) -> io::Result<()> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) => {
                self.skip("a file that cannot be read", path, 0);
                return Err(error);
            }
        };
        self.current = path.into();
        let mut context = Context::default();
        let mut reader = BufReader::with_capacity(1 << 16, file);
        if reader.fill_buf()?.starts_with(b"SQLite format 3") {
            self.skip(
                "an SQLite database, such as OpenCode's, whose sessions `opencode export` writes as JSON",
                path,
                0,
            );
            return Ok(());
        }
        self.files += 1;
        if path.extension().is_some_and(|extension| extension == "json") {
            let mut bytes = Vec::new();
            reader.take(LINE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
            if bytes.len() > LINE_BYTES {
                self.skip("longer than 16 MiB", path, 0);
                return Ok(());
            }
            if let Ok(value) = serde_json::from_slice::<Value>(&bytes) {
                return self.value(value, &mut context, (path, 0), each);
            }
            // Some files with this extension have one object on each line.
            let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
            if !first.is_some_and(|line| serde_json::from_slice::<Value>(line).is_ok_and(|value| value.is_object())) {
                self.skip("no JSON", path, 0);
                return Ok(());
            }
            return self.lines(&mut bytes.as_slice(), path, &mut context, each);
        }
        self.lines(&mut reader, path, &mut context, each)
    }

    fn lines(
        &mut self,
        reader: &mut impl BufRead,
        path: &Path,
        context: &mut Context,
        each: &mut Take<'_>,
    ) -> io::Result<()> {
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let mut overlong = false;
            let end = read_line(reader, &mut line, &mut overlong, LINE_BYTES)?;
            if overlong {
                self.skip("longer than 16 MiB", path, number);
            } else if !line.trim_ascii().is_empty() {
                match serde_json::from_slice::<Value>(&line) {
                    Ok(value) => self.value(value, context, (path, number), each)?,
                    Err(_) if end == Line::Unfinished => self.skip("cut short", path, number),
                    Err(_) => self.skip("no JSON", path, number),
                }
            }
            if end == Line::Unfinished {
                break;
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        value: Value,
        context: &mut Context,
        (path, line): (&Path, u64),
        each: &mut Take<'_>,
    ) -> io::Result<()> {
        match context.read(value) {
            LineContents::Calls(calls) => {
                for call in calls {
                    if let Err(reason) = self.call(&call, line, each)? {
                        self.skip(reason, path, line);
                    }
                }
            }
            LineContents::Decision(decision) => {
                let text = serde_json::to_vec(&(&decision.call, &decision.facts, &decision.at.cwd))?;
                if let Some(id) = self.number(&text, line)? {
                    each(Job { id, what: CallSource::Decision(decision) })?;
                }
            }
            LineContents::Nothing => {}
            LineContents::Unusable(reason) => self.skip(reason, path, line),
        }
        Ok(())
    }

    /// Returns a payload's calls if they are new, or why they can't be determined.
    fn call(&mut self, call: &Call, line: u64, each: &mut Take<'_>) -> io::Result<Result<(), &'static str>> {
        // Fields that differ between equal calls are ignored.
        let field = |key: &&str| call.payload.get(*key);
        let kept: Vec<&Value> = ["tool_name", "toolName", "tool", "tool_input", "toolInput", "toolArgs", "cwd"]
            .iter()
            .filter_map(field)
            .collect();
        let text = match kept.is_empty() {
            true => serde_json::to_vec(&(call.harness, &call.payload))?,
            false => serde_json::to_vec(&(call.harness, kept))?,
        };
        let key = digest(&text);
        if let Some(id) = self.known.get(&key) {
            self.mark_seen(*id);
            return Ok(Ok(()));
        }
        let Some(harness) = guard_harness::find_harness(call.harness) else {
            return Ok(Err("of a harness that is not known"));
        };
        let Ok(payload) = harness.decode(&call.payload) else { return Ok(Err("a call that can't be read")) };
        let calls = match payload.event {
            Event::Calls(calls) if !calls.is_empty() => calls,
            _ => return Ok(Ok(())),
        };
        let cwd = folder(payload.directory, payload.cwd);
        let Some(id) = self.number(&text, line)? else { return Ok(Ok(())) };
        let at = self.context(cwd, call.harness);
        each(Job { id, what: CallSource::Calls(calls, at) })?;
        Ok(Ok(()))
    }

    /// Returns the number of a new call. `None` if it is known.
    fn number(&mut self, text: &[u8], line: u64) -> io::Result<Option<u32>> {
        let next = u32::try_from(self.times.len()).map_err(|_| io::Error::other("too many calls"))?;
        let id = *self.known.entry(digest(text)).or_insert(next);
        if id == next {
            self.times.push(0);
            self.firsts.push((self.current.clone(), line));
        }
        self.mark_seen(id);
        Ok((id == next).then_some(id))
    }

    /// Returns the file and line of a call's first occurrence. The line is 0 if the file isn't read line by line.
    pub(super) fn first_location(&self, id: u32) -> Option<(&Path, u64)> {
        self.firsts.get(id as usize).map(|(path, line)| (&**path, *line))
    }

    fn mark_seen(&mut self, id: u32) {
        if let Some(times) = self.times.get_mut(id as usize) {
            *times = times.saturating_add(1);
        }
    }

    fn context(&mut self, cwd: String, harness: &'static str) -> Arc<CallContext> {
        if let Some(known) = self.contexts.get(&(cwd.clone(), harness)) {
            return known.clone();
        }
        if self.contexts.len() >= FOLDERS {
            self.contexts.clear();
        }
        // The result must not depend on the folder of the project in which the command runs.
        let from_root = lexical(&judged_text(&cwd), &self.project, &self.environment.home);
        let at = call_context(self.environment, Some(if cwd.is_empty() { &self.project } else { &from_root }));
        let at = Arc::new(CallContext { harness: harness.to_owned(), ..at });
        self.contexts.insert((cwd, harness), at.clone());
        at
    }

    fn skip(&mut self, reason: &'static str, path: &Path, line: u64) {
        let skipped = self.skipped.entry(reason).or_default();
        skipped.count += 1;
        if skipped.places.len() < PLACES {
            let path = path.display();
            skipped.places.push(if line == 0 { path.to_string() } else { format!("{path}:{line}") });
        }
    }
}

/// Returns sixteen bytes of a digest, which is enough to avoid collisions among a billion calls.
fn digest(text: &[u8]) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(Sha256::digest(text).get(..16).unwrap_or(&[0; 16]));
    key
}

/// Creates the error if no thread decides jobs any more.
pub(super) fn closed_error() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
