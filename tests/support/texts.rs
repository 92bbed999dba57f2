//! Texts for users, as in the snapshots in `tests/texts`.

use regex_lite::{Captures, Regex};

use crate::support::reply::{assert_ask, assert_deny, assert_warn};
use crate::support::world::{ProcessOutput, World};

/// The output of several commands for one snapshot.
#[derive(Default)]
pub struct Transcript(pub String);

impl Transcript {
    /// Adds a command that must have this exit code.
    #[track_caller]
    pub fn add(&mut self, world: &World, exit: i32, ended: &ProcessOutput) {
        assert_eq!(ended.exit, exit, "{ended:?}");
        self.0 += &normalized_output(world, ended);
    }

    /// Adds the reason of a reply that must be an ask with these words, such as its rule.
    #[track_caller]
    pub fn ask(&mut self, world: &World, ended: &ProcessOutput, words: &[&str]) {
        assert_ask(ended, words);
        self.add_text(world, &format!("ask: {}", ended.reason()));
    }

    /// Adds the reason of a reply that must be a denial with these words.
    #[track_caller]
    pub fn deny(&mut self, world: &World, ended: &ProcessOutput, words: &[&str]) {
        assert_deny(ended, words);
        self.add_text(world, &format!("deny: {}", ended.reason()));
    }

    /// Adds the text of a reply that must be a warning with these words.
    #[track_caller]
    pub fn warn(&mut self, world: &World, ended: &ProcessOutput, words: &[&str]) {
        assert_warn(ended, words);
        let reply: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        self.add_text(world, &format!("warn: {}", reply["systemMessage"].as_str().unwrap()));
    }

    /// Adds a text and a line end.
    pub fn add_text(&mut self, world: &World, text: &str) {
        self.0 += &normalize(world, &format!("{text}\n"));
    }
}

/// Returns the output of a command for a snapshot, without the parts that vary between runs.
pub fn normalized_output(world: &World, ended: &ProcessOutput) -> String {
    let mut text = format!("exit: {}\n", ended.exit);
    for (name, stream) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        if !stream.is_empty() {
            text += &format!("{name}:\n{stream}");
            text += if stream.ends_with('\n') { "" } else { "\n" };
        }
    }
    normalize(world, &text)
}

/// Removes everything from a text that varies between runs: paths, times, ids, and the number of calls in the log and
/// the policies.
pub fn normalize(world: &World, text: &str) -> String {
    let home = world.home.path().display().to_string();
    let text = without_drives(text, &home);
    let text = text.replace(env!("CARGO_BIN_EXE_guard-host"), "GUARD_HOST").replace(&home, "HOME");
    let text = hidden(&hidden(&text, " until ", "\n", "TIME"), " of ", " other calls", "COUNT");
    let varying = [
        (r"(localhost|127\.0\.0\.[0-9]+|\[::1\]):[0-9]+", "$1:PORT"),
        (r"\b[0-9]+\.[0-9]+ ms", "TIME ms"),
        ("copy took [0-9]+ ms", "copy took TIME ms"),
        (r"\b[0-9]+ us\b", "TIME us"),
        (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "TIME"),
        (r"\b[0-9]{2}:[0-9]{2} UTC", "TIME UTC"),
        (r" (20[0-9]{2}), [0-9]{2}:[0-9]{2}", " $1, TIME"),
        (r"\b[0-9a-f]{64}(-[0-9.]*[0-9])*", "DIGEST"),
        (r"([(]|: )[0-9]+ bytes", "${1}SIZE bytes"),
        (r#"\btime="[0-9.]+""#, "time=\"TIME\""),
        (r"\b[0-9a-f]{8}  ", "CODE  "),
        ("--code [0-9a-f]{8}", "--code CODE"),
        (r"\b[0-9a-f]{16}\b", "ID"),
        (r"\b20[0-9]{6}-[0-9]{6}-[0-9]{3}-[0-9a-f]+\b", "ID"),
        // Wine's message.
        (r"File not found\. \(os error 2\)", "No such file or directory (os error 2)"),
        (r"(wasi:[a-z-]+/[a-z-]+@0\.2)\.[0-9]+", "$1"),
    ];
    varying
        .into_iter()
        .fold(text, |text, (pattern, name)| Regex::new(pattern).unwrap().replace_all(&text, name).into_owned())
}

/// The text with the paths below the home as this system writes them, because `.ci/wine` tests a program for Windows.
fn without_drives(text: &str, home: &str) -> String {
    let home = regex_lite::escape(home).replace('/', r"[\\/]+");
    let path = Regex::new(&format!(r#"/?\b[A-Z]:({home}[^\s`'"]*)"#)).unwrap();
    path.replace_all(text, |found: &Captures| found[1].replace(r"\\", "/").replace('\\', "/")).into_owned()
}

/// Returns the lines with these words, each with the indented lines below it.
pub fn lines_about(text: &str, words: &str) -> String {
    let mut is_wanted = false;
    let wanted = text.lines().filter(|line| {
        is_wanted = line.contains(words) || is_wanted && line.starts_with(' ');
        is_wanted
    });
    wanted.map(|line| format!("{line}\n")).collect()
}

/// Replaces each number or time between these words with a name.
fn hidden(text: &str, before: &str, after: &str, name: &str) -> String {
    let mut parts = text.split(before);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = |c: char| c.is_ascii_digit() || c == ':' || c == '-';
        let rest = part.trim_start_matches(number);
        // On another day, the date precedes the time.
        let rest = rest
            .strip_prefix(' ')
            .map(|time| time.trim_start_matches(number))
            .filter(|rest| rest.starts_with(after))
            .unwrap_or(rest);
        let is_hidden = rest.len() < part.len() && rest.starts_with(after);
        shown += before;
        shown += if is_hidden { name } else { "" };
        shown += if is_hidden { rest } else { part };
    }
    shown
}
