//! Which files that a text wrote a command starts: scripts, code of other languages, rules, scripts of a package.

use guard_sdk::syntax::{Command, Word};

use super::Walker;
use super::held::Held;
use super::written::{RULES, SCRIPT, reached};
use crate::word::expand::literal;
use crate::wrappers;
use crate::wrappers::layer::program;
use crate::wrappers::shells::Script;

/// Programs that run the scripts of a package.
pub(super) const PACKAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// Programs that read commands of their own from a file in an option.
const READERS: &[(&[&str], &[&str])] = &[
    (&["vim", "vi", "nvim", "ex", "gvim", "view"], &["-S", "-s", "-u"]),
    (&["psql"], &["-f", "--file"]),
    (&["gdb", "lldb"], &["-x", "--command", "-s", "--source"]),
    (&["sed", "gsed"], &["-f", "--file"]),
    (&["at", "batch"], &["-f"]),
    (&["tclsh", "wish", "expect"], &[""]),
];

/// Builtins that no file takes the place of.
const BUILTINS: &[&str] =
    &["test", "[", "echo", "printf", "cd", "true", "false", "set", "export", "read", "exit", "pwd"];

/// What a command takes from a file that this text wrote.
pub(super) struct Started {
    /// A name for what runs.
    pub(super) name: String,
    /// The program and its words that read it as their input; none if it is shell.
    pub(super) argv: Vec<String>,
    pub(super) held: Held,
    /// It is this very code that runs, not perhaps another rule or script.
    pub(super) sure: bool,
}

impl Walker {
    /// The files that a name in the place of a script means.
    pub(super) fn meant(&self, file: &Word) -> Vec<String> {
        if self.files.is_empty() {
            return Vec::new();
        }
        if file.glob {
            return self.matching(file);
        }
        if file.text.contains("{}") {
            // A search supplies names; those of scripts are worth a look.
            let script = |path: &str, held: &Held| path.ends_with("sh") || held.text.text.starts_with("#!");
            return self.files.all().filter(|(path, held)| script(path, held)).map(|(path, _)| path.clone()).collect();
        }
        let exact: Vec<String> = self.path_of(file).filter(|path| self.files.get(path).is_some()).into_iter().collect();
        if exact.iter().any(|path| path.starts_with('/')) || file.dynamic || file.text.starts_with('/') {
            return exact;
        }
        // Where a `cd` may have failed, or leads nobody knows where, any file of this name may be meant.
        let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
        self.files.all().map(|(path, _)| path).filter(|path| last(path) == last(&file.text)).cloned().collect()
    }

    /// The file of this text that a name without a folder is found as.
    pub(super) fn found(&self, argv: &[Word]) -> Option<Script> {
        let (first, parameters) = argv.split_first().filter(|_| !self.files.is_empty())?;
        if first.dynamic || BUILTINS.contains(&first.text.as_str()) || self.defined.contains_key(&first.text) {
            return None;
        }
        let (path, _) = self.files.all().find(|(path, _)| self.is_found(path, &first.text))?;
        Some(Script { file: literal(path), parameters: parameters.to_vec(), here: false })
    }

    /// Whether the shell finds the file at `path` where a command has this name.
    pub(super) fn is_found(&self, path: &str, name: &str) -> bool {
        const RUNNERS: &[&str] = &["uv", "poetry", "pipenv", "npx", "pnpx", "bunx", "tsx", "hatch", "pdm"];
        let Some((folder, last)) = path.rsplit_once('/') else { return false };
        let is_run = || self.via.last().is_some_and(|via| RUNNERS.contains(&via.kind.as_str()));
        last == name && (self.files.searched || folder.ends_with("/bin") || is_run())
    }

    /// What a command takes from a file that this text wrote.
    pub(super) fn started(&self, command: &Command) -> Option<Started> {
        let name = program(&command.argv)?;
        let words = command.argv.get(1..)?;
        if PACKAGERS.contains(&name)
            && let Some(held) = self.package_scripts(words)
        {
            return Some(Started { name: format!("{SCRIPT}{name}"), argv: Vec::new(), held, sure: false });
        }
        if matches!(name, "make" | "gmake" | "just") {
            return self.rules(words);
        }
        let reader = |program: &str| match program {
            "deno" => ["deno", "run", "-"].map(str::to_owned).to_vec(),
            program => vec![program.to_owned(), "-".to_owned()],
        };
        let at = |file: &Word| {
            let path = self.path_of(file)?;
            self.files.get(&path).map(|held| (path, held.clone()))
        };
        if let Some((path, held)) = wrappers::code_files(&command.argv).iter().find_map(at) {
            let is_awk = name.ends_with("awk");
            let argv = if is_awk { ["awk", "-f", "-"].map(str::to_owned).to_vec() } else { reader(name) };
            return Some(Started { name: path, argv, held, sure: true });
        }
        if let Some((_, options)) = READERS.iter().find(|(programs, _)| programs.contains(&name))
            && let Some((path, held)) =
                options.iter().flat_map(|option| values(words, option)).find_map(|file| at(&file))
        {
            let argv = match name {
                "sed" | "gsed" => vec!["sed".to_owned(), "-e".to_owned(), held.text.text.clone()],
                "at" | "batch" => Vec::new(),
                _ => reader(name),
            };
            return Some(Started { name: path, argv, held, sure: false });
        }
        // A name: the first line of the file, or its ending, says who reads it.
        let first = command.argv.first()?;
        let found = || Some(self.found(&command.argv)?.file);
        let (path, held) = if first.text.contains('/') { at(first) } else { at(&found()?) }?;
        let interpreter = match held.text.text.strip_prefix("#!").and_then(|text| text.lines().next()) {
            Some(line) => {
                let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
                words.find(|word| *word != "env" && !word.starts_with('-'))?.to_owned()
            }
            None => by_ending(&path)?.to_owned(),
        };
        let is_code = wrappers::reads_code(&interpreter);
        is_code.then(|| Started { name: path, argv: reader(&interpreter), held, sure: true })
    }

    /// The rules that `make` or `just` runs.
    fn rules(&self, words: &[Word]) -> Option<Started> {
        let folder = values(words, "-C").into_iter().chain(values(words, "--directory")).next();
        let within = |file: &Word| match &folder {
            Some(folder) => literal(&format!("{}/{}", folder.text.trim_end_matches('/'), file.text)),
            None => file.clone(),
        };
        let options = ["-f", "--file", "--makefile", "--justfile"];
        let given: Vec<Word> = options.iter().flat_map(|option| values(words, option)).collect();
        let usual = RULES.iter().filter(|_| given.is_empty()).map(|name| literal(name));
        let mut paths = given.iter().cloned().chain(usual).filter_map(|file| self.path_of(&within(&file)));
        let (path, held) = paths.find_map(|path| self.files.get(&path).map(|held| (path, held.clone())))?;
        let goals = words.iter().filter(|word| !word.text.starts_with('-') && !word.text.contains('='));
        let goals: Vec<&str> = goals
            .map(|word| word.text.as_str())
            .filter(|goal| given.iter().chain(&folder).all(|file| file.text != *goal))
            .collect();
        let held = Held { text: literal(&reached(&held.text.text, &goals)), whole: held.whole };
        Some(Started { name: path, argv: ["make", "-f", "-"].map(str::to_owned).to_vec(), held, sure: false })
    }

    /// The scripts of a package that a package manager's words run, one after the other.
    fn package_scripts(&self, words: &[Word]) -> Option<Held> {
        const FOLDERS: &[&str] = &["--prefix", "-C", "--dir", "--cwd"];
        let is_folder = |index: usize| {
            let before = index.checked_sub(1).and_then(|before| words.get(before));
            before.is_some_and(|option| FOLDERS.contains(&option.text.as_str()))
        };
        let operands =
            words.iter().enumerate().filter(|(index, word)| !word.text.starts_with('-') && !is_folder(*index));
        let mut operands = operands.map(|(_, word)| word.text.as_str());
        let first = operands.next().unwrap_or("install");
        let name = match first {
            "run" | "run-script" | "rum" | "urn" => operands.next()?,
            "t" | "tst" => "test",
            "i" | "ci" | "add" | "it" => "install",
            other => other,
        };
        let folder = FOLDERS.iter().flat_map(|option| values(words, option)).next();
        let manifest = match folder {
            Some(folder) => literal(&format!("{}/package.json", folder.text)),
            None => literal("./package.json"),
        };
        let manifest = self.path_of(&manifest).and_then(|path| self.files.get(&path));
        let mut names = vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
        match name {
            "install" => names.push("prepare".to_owned()),
            "publish" | "pack" => names.extend(["prepublishOnly", "prepack", "prepare", "postpack"].map(str::to_owned)),
            "restart" => names.extend(["stop", "start"].map(str::to_owned)),
            _ => {}
        }
        let mut texts = Vec::new();
        for name in names {
            let set = self.files.get(&format!("{SCRIPT}{name}")).map(|held| held.text.text.clone());
            texts.extend(set.or_else(|| string_of(&manifest?.text.text, &name)));
        }
        let whole = manifest.is_none_or(|held| held.whole);
        (!texts.is_empty() || !whole).then(|| Held { text: literal(&texts.join("\n")), whole })
    }
}

/// The values of an option, behind it or attached to it; of the option without a name, the operands.
fn values(words: &[Word], option: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        let next = || words.get(index + 1).cloned();
        if option.is_empty() {
            found.extend((!text.starts_with('-')).then(|| word.clone()));
        } else if option.starts_with("--") {
            match text.strip_prefix(option) {
                Some("") => found.extend(next()),
                Some(rest) => found.extend(rest.strip_prefix('=').map(literal)),
                None => {}
            }
        } else if text.starts_with('-') && !text.starts_with("--") {
            // The letter may end a cluster, and its value may follow at once.
            let letter = option.trim_start_matches('-');
            match text.split_once(letter) {
                Some((_, "")) => found.extend(next()),
                Some((_, rest)) => found.push(literal(rest)),
                None => {}
            }
        }
    }
    found
}

/// Who reads code in a file with this ending.
fn by_ending(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "py" => Some("python3"),
        "js" | "mjs" | "cjs" | "ts" => Some("node"),
        "rb" => Some("ruby"),
        "pl" => Some("perl"),
        _ => None,
    }
}

/// The text that a key has in an object of JSON.
fn string_of(json: &str, key: &str) -> Option<String> {
    let quoted = format!("\"{key}\"");
    let values = json.match_indices(&quoted).filter_map(|(at, found)| {
        let rest = json.get(at + found.len()..)?.trim_start().strip_prefix(':')?;
        rest.trim_start().strip_prefix('"')
    });
    let mut chars = values.into_iter().next()?.chars();
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
}
