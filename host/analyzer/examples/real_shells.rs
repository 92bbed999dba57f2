//! Holds the analysis against real shells: runs random texts in a shell whose programs are all stubs, and says which
//! started program, or which written file, the analysis does not know of.
//!
//! ```sh
//! cargo run --release -p guard-shell --example real_shells -- dash 100000 1
//! ```
//!
//! The arguments are a shell (`bash`, `dash`, `zsh`, `fish`), how many texts, and a number that the texts depend on.
//! Two properties are checked of each text whose analysis is complete: each program that the shell starts is among the
//! commands, with its words; and each file that is there afterwards is one that an effect writes.
//! The shell runs in a folder of its own, with no program on its path but stubs that note their words, and shells.
//! No text holds a slash, so nothing outside of the folder has a name in it.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, thread};

use guard_sdk::syntax::{Analysis, Coverage, Word};

/// Programs that are stubs.
const STUBS: &[&str] = &["rm", "git", "tool", "curl", "a", "b"];

/// How long one text may run.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of printed lines for each property.
const TOLD: usize = 40;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = env::args();
    let own = words.next().unwrap_or_default();
    let name = own.rsplit('/').next().unwrap_or_default();
    if STUBS.contains(&name) {
        return note(name, words);
    }
    let usage = "give a shell, how many texts, and a number: real_shells dash 100000 1";
    let (Some(shell), Some(count), Some(seed)) = (words.next(), words.next(), words.next()) else {
        eprintln!("{usage}");
        return Ok(ExitCode::from(2));
    };
    let Some(program) = find(&shell) else {
        println!("skipped, because this machine has no {shell}");
        return Ok(ExitCode::SUCCESS);
    };
    let (count, seed): (u64, u64) = (count.parse()?, seed.parse()?);
    let place = Place::make(&shell, seed)?;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut complete, mut started, mut found) = (0_u64, 0_u64, 0_usize);
    for number in 1..=count {
        let text = Texts { random: &mut random, fish: shell == "fish", depth: 0 }.text();
        let analysis = guard_testing::analyze(&format!("{shell} -c {}", quoted(&text)), "bash", "/w", "/w");
        let is_complete = analysis.coverage == Coverage::Complete;
        complete += u64::from(is_complete);
        let ran = place.run(&program, &text)?;
        started += ran.started.len() as u64;
        if is_complete {
            for wrong in wrong(&analysis, &ran) {
                found += 1;
                if found <= TOLD {
                    println!("{wrong}\n  {text:?}");
                }
            }
        }
        if number % 10_000 == 0 || number == count {
            eprintln!("{shell}: {number} texts, {complete} complete, {started} programs started, {found} finds");
        }
    }
    place.remove()?;
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A text as a word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The stub: notes its words.
fn note(name: &str, words: impl Iterator<Item = String>) -> Result<ExitCode, Box<dyn Error>> {
    let mut line = name.to_owned();
    for word in words {
        line.push('\x1f');
        line.push_str(&word);
    }
    line.push('\x1e');
    let log = env::var_os("REAL_SHELLS_LOG").ok_or("no log")?;
    OpenOptions::new().append(true).open(log)?.write_all(line.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The recorded results of running a text.
struct Ran {
    started: Vec<Vec<String>>,
    files: BTreeSet<String>,
}

/// The folder in which texts run.
struct Place {
    top: PathBuf,
    /// The process that runs, and since when.
    running: Arc<Mutex<Option<(u32, Instant)>>>,
}

impl Place {
    fn make(shell: &str, seed: u64) -> Result<Place, Box<dyn Error>> {
        let top = env::temp_dir().join(format!("real-shells-{shell}-{seed}-{}", std::process::id()));
        fs::create_dir_all(top.join("bin"))?;
        let own = env::current_exe()?;
        for stub in STUBS {
            symlink(&own, top.join("bin").join(stub))?;
        }
        for shell in ["sh", "bash", "dash", "zsh", "fish"] {
            if let Some(path) = find(shell) {
                symlink(path.canonicalize()?, top.join("bin").join(shell))?;
            }
        }
        let running: Arc<Mutex<Option<(u32, Instant)>>> = Arc::default();
        let watched = running.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(PATIENCE / 10);
                let late =
                    watched.lock().ok().and_then(|running| running.filter(|(_, begun)| begun.elapsed() > PATIENCE));
                if let Some((process, _)) = late {
                    // All that it started with it.
                    drop(Command::new("kill").args(["-9", "--", &format!("-{process}")]).status());
                }
            }
        });
        Ok(Place { top, running })
    }

    /// Says which process is to be ended if it takes too long.
    fn watch(&self, process: Option<u32>) {
        if let Ok(mut running) = self.running.lock() {
            *running = process.map(|process| (process, Instant::now()));
        }
    }

    fn remove(&self) -> std::io::Result<()> {
        fs::remove_dir_all(&self.top)
    }

    fn run(&self, shell: &Path, text: &str) -> Result<Ran, Box<dyn Error>> {
        let folder = self.top.join("w");
        // Nearly always it is there, and empty.
        if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
            // What a text left in the background may still write.
            while fs::remove_dir_all(&folder).is_err_and(|error| error.kind() == ErrorKind::DirectoryNotEmpty) {}
        }
        fs::create_dir_all(&folder)?;
        let log = self.top.join("log");
        File::create(&log)?;
        let mut command = Command::new(shell);
        command.arg("-c").arg(text).current_dir(&folder).env_clear();
        command.env("PATH", self.top.join("bin")).env("HOME", &folder).env("REAL_SHELLS_LOG", &log);
        command.process_group(0);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.watch(Some(child.id()));
        child.wait()?;
        self.watch(None);
        let mut noted = String::new();
        File::open(&log)?.read_to_string(&mut noted)?;
        let started = noted.split_terminator('\x1e').map(|line| line.split('\x1f').map(str::to_owned).collect());
        let files = fs::read_dir(&folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        // What shells keep for themselves.
        let files = files.filter(|file| !file.starts_with('.')).collect();
        Ok(Ran { started: started.collect(), files })
    }
}

/// Returns the shell's actions that the analysis missed.
fn wrong(analysis: &Analysis, ran: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    for words in &ran.started {
        let known = analysis.commands.iter().any(|command| fits(&command.argv, words));
        if !known {
            wrong.push(format!("not seen: {words:?}"));
        }
    }
    for file in &ran.files {
        let mut writes = analysis.effects.iter().filter(|effect| matches!(effect.kind.as_str(), "write" | "metadata"));
        let named =
            |target: &str| target.rsplit('/').next() == Some(file) || target.contains(['$', '*', '?', '[', '`']);
        if !writes.any(|effect| named(&effect.target)) {
            wrong.push(format!("not seen to be written: {file:?}"));
        }
    }
    wrong
}

/// Returns whether a command may have started with these words.
fn fits(argv: &[Word], words: &[String]) -> bool {
    // Of `"$@"` and `$x` there may be none, or several.
    let open =
        argv.iter().any(|word| word.dynamic || word.glob || word.text.is_empty() || word.text.contains(['{', '~']));
    let Some((first, found)) = argv.first().zip(words.first()) else { return false };
    // zsh splits no value, and the analysis all of them: it may be given that option.
    let texts: Vec<&str> = argv.iter().map(|word| word.text.as_str()).collect();
    if texts.join(" ") == words.join(" ") {
        return true;
    }
    let same = |word: &Word, found: &String| {
        word.dynamic || word.glob || word.text.contains(['{', '~']) || word.text == *found
    };
    if open {
        same(first, found)
    } else {
        argv.len() == words.len() && argv.iter().zip(words).all(|(word, found)| same(word, found))
    }
}

/// Numbers that look random, the same for the same start.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }

    fn of<'a>(&mut self, row: &[&'a str]) -> &'a str {
        row.get(self.below(row.len())).copied().unwrap_or_default()
    }
}

/// Texts of a shell.
struct Texts<'r> {
    random: &'r mut Random,
    fish: bool,
    depth: usize,
}

impl Texts<'_> {
    fn text(&mut self) -> String {
        let lines: Vec<String> = (0..1 + self.random.below(3)).map(|_| self.list()).collect();
        lines.join(self.random.of(&["\n", "; ", "\n\n"]))
    }

    fn list(&mut self) -> String {
        if self.depth > 3 {
            return self.simple();
        }
        self.depth += 1;
        let text = if self.fish { self.compound_of_fish() } else { self.compound() };
        self.depth -= 1;
        text
    }

    fn compound(&mut self) -> String {
        match self.random.below(38) {
            0 => format!("{} | {}", self.list(), self.list()),
            1 => format!("{} && {}", self.list(), self.list()),
            2 => format!("{} || {}", self.list(), self.list()),
            3 => format!("( {} )", self.list()),
            4 => format!("{{ {}; }}", self.list()),
            5 => format!("if {}; then {}; else {}; fi", self.simple(), self.list(), self.list()),
            6 => format!("for i in {} {}; do {}; done", self.word(), self.word(), self.list()),
            7 => format!("while false; do {}; done", self.list()),
            8 => format!(
                "case {} in {}) {} ;; *) {} ;; esac",
                self.word(),
                self.random.of(&["a", "a*", "*", "[ab]", "'a'"]),
                self.list(),
                self.list()
            ),
            9 => format!("f() {{ {}; }}; f {}", self.simple(), self.word()),
            10 => format!("eval {}", self.quoted_list()),
            11 => format!("{} -c {}", self.random.of(&["sh", "bash", "dash", "zsh"]), self.quoted_list()),
            12 => format!(
                "echo {} | {}",
                self.quoted_list(),
                self.random.of(&["sh", "bash", "sh -s", "{ sh; }", "( bash )"])
            ),
            13 => format!("{} <<E\n{}\nE\n", self.random.of(&["sh", "bash", "tool", "{ sh; }"]), self.list()),
            14 => format!("{} <<'E'\n{}\nE\n", self.random.of(&["sh", "bash -s", "tool"]), self.list()),
            15 => format!("sh <<< {}", self.quoted_list()),
            16 => format!("x={}; {}", self.word(), self.list()),
            17 => format!(
                "x={}; $x {}",
                self.random.of(&["rm", "'rm -rf'", "\"git push\"", "tool", "'a;b'"]),
                self.word()
            ),
            18 => format!(
                "set -- {} {}; {} {}",
                self.word(),
                self.word(),
                self.name(),
                self.random.of(&["$1", "\"$@\"", "$*", "\"$2\"", "$#"])
            ),
            19 => format!("trap {} EXIT", self.quoted_list()),
            20 => format!("! {}", self.list()),
            21 => format!("echo {} > s; . s", self.quoted_list()),
            22 => format!("echo {} > s; sh s", self.quoted_list()),
            23 => format!("until {}; do {}; break; done", self.simple(), self.list()),
            24 => format!("{} {} # {}", self.name(), self.word(), self.simple()),
            25 => format!("x={} {}", self.word(), self.simple()),
            26 => format!("{} $({})", self.name(), self.list()),
            27 => format!("{} `{}`", self.name(), self.simple()),
            28 => format!("{} \"$({})\"", self.name(), self.simple()),
            29 => format!("{} \\\n{}", self.name(), self.word()),
            30 => format!("alias l={}; l {}", self.random.of(&["rm", "'rm -rf'", "tool"]), self.word()),
            31 => format!("read x <<E\n{}\nE\n{} $x", self.word(), self.name()),
            32 => format!(
                "IFS={}; set -- {} {}; {} {}",
                self.random.of(&["-", ",", "' '", "''"]),
                self.word(),
                self.word(),
                self.name(),
                self.random.of(&["\"$*\"", "\"x$*\""])
            ),
            // It starts nothing that may be missing: it would be called for that again.
            33 => format!("{}() {{ {}; }}; zz {}", self.handler(), self.simple(), self.word()),
            34 => format!("shopt -s expand_aliases; BASH_ALIASES[l]={}\nl {}", self.quoted_list(), self.word()),
            35 => format!("functions[l]={}; l {}", self.quoted_list(), self.word()),
            _ => self.simple(),
        }
    }

    fn compound_of_fish(&mut self) -> String {
        match self.random.below(22) {
            0 => format!("{} | {}", self.list(), self.list()),
            1 => format!("{}; and {}", self.list(), self.list()),
            2 => format!("{}; or {}", self.list(), self.list()),
            3 => format!("{} && {}", self.list(), self.list()),
            4 => format!("begin; {}; end", self.list()),
            5 => format!("if {}; {}; else; {}; end", self.simple(), self.list(), self.list()),
            6 => format!("for i in {} {}; {}; end", self.word(), self.word(), self.list()),
            7 => format!("while false; {}; end", self.list()),
            8 => format!("switch {}; case a; {}; case '*'; {}; end", self.word(), self.list(), self.list()),
            9 => format!("function f; {}; end; f {}", self.simple(), self.word()),
            10 => format!("eval {}", self.quoted_list()),
            11 => format!("{} -c {}", self.random.of(&["sh", "bash", "fish"]), self.quoted_list()),
            12 => format!("echo {} | {}", self.quoted_list(), self.random.of(&["sh", "fish", "bash -s"])),
            13 => format!("set x {}; {}", self.word(), self.list()),
            14 => format!("set x {}; $x {}", self.random.of(&["rm", "tool", "rm -rf"]), self.word()),
            15 => format!("{} ({})", self.name(), self.list()),
            16 => format!("{} $({})", self.name(), self.simple()),
            17 => format!("not {}", self.list()),
            18 => format!("x={} {}", self.word(), self.simple()),
            19 => format!("{} {} # {}", self.name(), self.word(), self.simple()),
            _ => self.simple(),
        }
    }

    fn quoted_list(&mut self) -> String {
        let list = self.list();
        match self.random.below(3) {
            0 if !list.contains(['"', '$', '`', '\\', '!']) => format!("\"{list}\""),
            _ if self.fish => format!("'{}'", list.replace('\\', "\\\\").replace('\'', "\\'")),
            _ => format!("'{}'", list.replace('\'', "'\\''")),
        }
    }

    fn handler(&mut self) -> &'static str {
        self.random.of(&["command_not_found_handle", "command_not_found_handler"])
    }

    fn name(&mut self) -> String {
        let name = self.random.of(STUBS);
        match self.random.below(12) {
            0 => format!("'{name}'"),
            1 => format!("\\{name}"),
            2 => format!("command {name}"),
            3 => format!("\"{name}\""),
            4 => format!("exec {name}"),
            _ => name.to_owned(),
        }
    }

    fn simple(&mut self) -> String {
        let words: Vec<String> = (0..self.random.below(4)).map(|_| self.word()).collect();
        let redirection = match self.random.below(9) {
            0 => " > out",
            1 => " >> out",
            2 => " 2> err",
            3 => " > out 2>&1",
            4 => " < out",
            _ => "",
        };
        format!("{} {}{redirection}", self.name(), words.join(" ")).trim_end().to_owned()
    }

    fn word(&mut self) -> String {
        self.random
            .of(&[
                "a",
                "b",
                "-rf",
                "--force",
                "'a b'",
                "\"a b\"",
                "a\\ b",
                "$x",
                "\"$x\"",
                "${x:-a}",
                "${x}b",
                "'$x'",
                "*",
                "\"*\"",
                "~",
                "\"a\\$x\"",
                "''",
                "\"\"",
                "a''b",
                "$i",
                "\"$i\"",
                "$((1+1))",
                "[ab]",
                "a#b",
                "x=y",
                "!",
                "%",
                "a,b",
                "@",
                "-",
                "--",
                "é",
                "'\"'",
                "\"'\"",
                "$1",
                "\"$@\"",
                "${#x}",
                "${x#a}",
                "${x+b}",
            ])
            .to_owned()
    }
}
