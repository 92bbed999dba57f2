//! Other ways to start a program: through a package, module or subcommand.
//!
//! Each one is replaced by the program's own words.

use guard_sdk::syntax::Word;

use super::code::languages::ANY;
use super::code::reads_text;
use super::layer::{Layer, Place, Runnable, program};
use super::{packages, tmux};
use crate::programs;
use crate::word::expand::literal;

/// Subcommands of cargo that are also programs.
const CARGO_TOOLS: &[&str] = &["diesel", "sqlx"];

/// Python modules whose program has its own entry.
const MODULES: &[&str] =
    &["awscli", "bpython", "celery", "litecli", "mycli", "pgcli", "ptpython", "sqlite3", "xonsh", "pgspecial"];

/// Programs of `sail` that are started by their own name.
const OF_SAIL: &[&str] = &["php", "composer", "npm", "npx", "yarn", "pnpm", "bun", "node", "mysql", "psql", "redis"];

/// Returns the program that the command is another spelling of.
pub(super) fn layer(name: &str, argv: &[Word]) -> Option<Layer> {
    let words = argv.get(1..)?;
    if name == "tmux" {
        return tmux::layer(argv);
    }
    let respelled = match name {
        "sudo" | "sudo-rs" | "doas" => edited(words)?,
        "setarch" => behind_architecture(words)?,
        "cmake" => of_cmake(words)?,
        _ if name.starts_with("python") => module(name, words)?,
        "java" => of_archive(words)?,
        "ruby" => of_ruby(words)?,
        "cargo" | "go" | "deno" | "dx" | "node" | "nodejs" | "ts-node" | "tsx" | "bun" => of_toolchain(name, words)?,
        _ => renamed(name, words)?,
    };
    let what = Runnable::Words { assignments: Vec::new(), words: respelled };
    let mut layer = Layer::one("launcher", program(argv)?, what, Place::Apart);
    layer.outer = Some(argv.to_vec());
    Some(layer)
}

/// Returns the tool that a toolchain or runtime starts.
fn of_toolchain(name: &str, words: &[Word]) -> Option<Vec<Word>> {
    Some(match name {
        "cargo" => {
            let at = words.iter().position(|word| !word.text.starts_with(['+', '-']))?;
            if words.get(at).is_some_and(|verb| matches!(verb.text.as_str(), "eval" | "script")) {
                return any_code(words.get(at + 1..)?);
            }
            if words.get(at).is_some_and(|verb| matches!(verb.text.as_str(), "run" | "r")) {
                return binary_of_cargo(words);
            }
            let tool = CARGO_TOOLS.iter().find(|tool| **tool == words.get(at).map_or("", |word| &word.text))?;
            with(&[tool], words.get(at + 1..)?)
        }
        "go" => {
            let at = words.iter().skip(1).position(|word| !word.text.starts_with('-'))? + 1;
            let named = words.get(at).map(|word| word.text.as_str()).filter(|name| programs::is_known(name));
            if let Some(tool) = named.filter(|_| words.first().is_some_and(|verb| verb.text == "tool")) {
                return Some(with(&[tool], words.get(at + 1..)?));
            }
            let tool =
                go_tool(&words.get(at)?.text).filter(|_| words.first().is_some_and(|verb| verb.text == "run"))?;
            with(&[tool], words.get(at + 1..)?)
        }
        "deno" | "dx" => {
            let at = words.iter().position(|word| word.text.starts_with("npm:"))?;
            with(&[packages::program(&words.get(at)?.text)], words.get(at + 1..)?)
        }
        "node" | "nodejs" | "ts-node" | "tsx" | "bun" => {
            let at = words.iter().position(|word| word.text.contains("node_modules/"))?;
            let program = installed(&words.get(at)?.text).filter(|name| programs::is_known(name))?;
            with(&[program], words.get(at + 1..)?)
        }
        _ => return None,
    })
}

/// Returns the program that `cargo run --bin NAME -- WORDS` builds and starts.
fn binary_of_cargo(words: &[Word]) -> Option<Vec<Word>> {
    let named = words.windows(2).find(|pair| pair.first().is_some_and(|option| option.text == "--bin"));
    let named = named.and_then(<[Word]>::last).map(|name| name.text.as_str());
    let name = named.or_else(|| words.iter().find_map(|word| word.text.strip_prefix("--bin=")))?;
    let dashes = words.iter().position(|word| word.text == "--")?;
    programs::is_known(name).then(|| with(&[name], words.get(dashes + 1..).unwrap_or_default()))
}

/// Returns the program in a Java archive: `java -jar liquibase-4.1.jar WORDS`.
fn of_archive(words: &[Word]) -> Option<Vec<Word>> {
    let at = words.iter().position(|word| word.text == "-jar")?;
    let stem = words.get(at + 1)?.text.rsplit('/').next()?.strip_suffix(".jar")?;
    let is_number = |part: &str| part.starts_with(|char: char| char.is_ascii_digit());
    let parts: Vec<&str> =
        stem.split('-').take_while(|part| !is_number(part) && !matches!(*part, "commandline" | "all")).collect();
    let name = parts.join("-");
    programs::is_known(&name).then(|| with(&[&name], words.get(at + 2..).unwrap_or_default()))
}

/// Returns the program that `ruby -S NAME` finds, or whose starter script is specified by path: `ruby bin/rails WORDS`.
fn of_ruby(words: &[Word]) -> Option<Vec<Word>> {
    let (first, rest) = words.split_first()?;
    if first.text == "-S" {
        return Some(rest.to_vec());
    }
    let starter = ["bin/rails", "bin/rake", "script/rails"].iter().find(|starter| first.text.ends_with(*starter))?;
    Some(with(&[starter.rsplit('/').next()?], rest))
}

/// Returns the program for another name or form of it.
fn renamed(name: &str, words: &[Word]) -> Option<Vec<Word>> {
    Some(match name {
        "dotnet-ef" => with(&["dotnet", "ef"], words),
        "dotnet" if matches!(words.first()?.text.as_str(), "fsi" | "script") => any_code(words.get(1..)?)?,
        "dotnet-script" | "kotlinc" => any_code(words)?,
        "crystal" if words.first()?.text == "eval" => with(&["crystal", "-e"], words.get(1..)?),
        "tcc" if words.iter().any(|word| word.text == "-run") => {
            let at = words.iter().position(|word| word.text == "-run")?;
            with(&["crun"], words.get(at + 1..)?)
        }
        "dotnet" if words.first()?.text == "dotnet-ef" => with(&["dotnet", "ef"], words.get(1..)?),
        "mix" => {
            let at = words.iter().position(|word| matches!(word.text.as_str(), "-e" | "--eval"))?;
            words.first().filter(|verb| matches!(verb.text.as_str(), "run" | "eval"))?;
            with(&["elixir", "-e"], words.get(at + 1..)?)
        }
        "iex" => {
            let at = words.iter().position(|word| matches!(word.text.as_str(), "-e" | "--eval"))?;
            with(&["elixir", "-e"], words.get(at + 1..)?)
        }
        // Babashka, and not the Bitbucket client.
        "bb" if matches!(words.first()?.text.as_str(), "-e" | "--eval") => with(&["clojure", "-e"], words.get(1..)?),
        "bb" if words.first()?.text.trim_start().starts_with('(') => with(&["clojure", "-e"], words),
        // A command, and not a script.
        "pm2" if words.first()?.text == "start" => {
            let started = words.get(1)?;
            match words.get(2..)? {
                [dashes, rest @ ..] if dashes.text == "--" && !started.text.contains(['.', '/']) => {
                    with(&[&started.text], rest)
                }
                _ if started.text.contains(' ') => with(&["sh", "-c", &started.text], &[]),
                _ => return None,
            }
        }
        "scala-cli" => with(&["scala"], words),
        "keydb-cli" => with(&["redis-cli"], words),
        "nim" => {
            let code = words.iter().find_map(|word| word.text.strip_prefix("--eval:"))?;
            with(&["nim", "--eval", code], &[])
        }
        "coreutils" => {
            let at = words.iter().position(|word| word.text.starts_with("--coreutils-prog"))?;
            let tool = words.get(at)?.text.split_once('=')?.1.to_owned();
            with(&[&tool], words.get(at + 1..)?)
        }
        "sail" => match words.first()?.text.as_str() {
            "artisan" | "art" | "a" => with(&["php", "artisan"], words.get(1..)?),
            tool if OF_SAIL.contains(&tool) => words.to_vec(),
            _ => return None,
        },
        "bfs" => with(&["find"], words),
        "byobu" => with(&["tmux"], words),
        // A service's path may lead out of the services' folder.
        "service" if words.first()?.text.starts_with("../") => {
            with(&[words.first()?.text.trim_start_matches("../")], words.get(1..)?)
        }
        "rake" | "knife" => {
            let code = ["-e", "-E", "-p", "--execute", "--execute-print", "--exec"];
            let at = words.iter().position(|word| code.contains(&word.text.as_str()))?;
            with(&["ruby", "-e"], words.get(at + 1..at + 2)?)
        }
        _ => return None,
    })
}

/// Returns the words of a program for any language: code after `eval` or an option, or a text in place of its file.
fn any_code(words: &[Word]) -> Option<Vec<Word>> {
    let is_code = |word: &Word| matches!(word.text.as_str(), "-e" | "--eval" | "--expr" | "eval");
    if let Some(at) = words.iter().position(is_code) {
        return Some(with(&[ANY, "-e"], words.get(at + 1..at + 2)?));
    }
    let file = words.iter().find(|word| reads_text(word))?;
    Some(with(&[ANY], std::slice::from_ref(file)))
}

/// `sudo -e FILE`, which may be abbreviated.
fn edited(words: &[Word]) -> Option<Vec<Word>> {
    let edits = |text: &str| text == "-e" || text.len() > 3 && "--edit".starts_with(text);
    let at = words.iter().position(|word| !word.text.starts_with('-') || edits(&word.text))?;
    words.get(at).filter(|word| edits(&word.text))?;
    Some(with(&["sudoedit"], words.get(at + 1..)?))
}

/// Prefixes of architecture names.
const ARCHITECTURES: [&str; 17] = [
    "linux",
    "uname",
    "i386",
    "i486",
    "i586",
    "i686",
    "athlon",
    "arm",
    "aarch64",
    "x86",
    "ppc",
    "s390",
    "sparc",
    "mips",
    "ia64",
    "riscv",
    "loongarch",
];

/// Returns the command after `setarch`, whose architecture is optional.
fn behind_architecture(words: &[Word]) -> Option<Vec<Word>> {
    let at = words.iter().position(|word| !word.text.starts_with('-'))?;
    let is_architecture = |name: &str| ARCHITECTURES.iter().any(|start| name.starts_with(start));
    let mut rest = words.get(at..)?;
    if is_architecture(&rest.first()?.text) {
        rest = rest.get(1..)?;
        rest = rest.get(rest.iter().position(|word| !word.text.starts_with('-'))?..)?;
    }
    Some(rest.to_vec())
}

/// Returns the program that `python -m MODULE` runs.
fn module(name: &str, words: &[Word]) -> Option<Vec<Word>> {
    let at = words.iter().position(|word| word.text == "-m")?;
    let module = words.get(at + 1)?.text.as_str();
    let rest = words.get(at + 2..)?;
    Some(match module {
        // They read code from the input.
        "code" | "asyncio" if rest.is_empty() => with(&[name], &[]),
        "ansible" => with(&["ansible"], rest.get(usize::from(rest.first()?.text == "adhoc")..)?),
        _ if MODULES.contains(&module) => with(&[packages::program(module)], rest),
        _ => return None,
    })
}

/// Returns a tool included in cmake: `cmake -E TOOL WORDS`.
fn of_cmake(words: &[Word]) -> Option<Vec<Word>> {
    let at = words.iter().position(|word| word.text == "-E")?;
    let (tool, rest) = words.get(at + 1..)?.split_first()?;
    Some(match tool.text.as_str() {
        "rm" | "remove" => with(&["rm"], rest),
        "remove_directory" => with(&["rm", "-r"], rest),
        "copy" | "copy_if_different" | "copy_directory" => with(&["cp", "-r"], rest),
        "rename" => with(&["mv"], rest),
        "create_symlink" => with(&["ln", "-s"], rest),
        "create_hardlink" => with(&["ln"], rest),
        "chdir" => with(&["env", "-C"], rest),
        tool @ ("env" | "time" | "cat" | "touch" | "tar") => with(&[tool], rest),
        _ => return None,
    })
}

fn with(names: &[&str], rest: &[Word]) -> Vec<Word> {
    names.iter().map(|name| literal(name)).chain(rest.iter().cloned()).collect()
}

/// Returns the program that an installed package's file starts: one in `.bin`, or the package's entry.
fn installed(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once("node_modules/")?;
    if let Some(name) = rest.strip_prefix(".bin/") {
        return Some(name);
    }
    let scope = if rest.starts_with('@') { rest.find('/')? + 1 } else { 0 };
    let end = rest.get(scope..)?.find('/')? + scope;
    let (package, file) = rest.split_at_checked(end)?;
    let stem = file.rsplit('/').next()?.split('.').next()?;
    let name = packages::program(package);
    let is_entry = matches!(stem, "cli" | "bin" | "index" | "run" | "main") || stem == name;
    is_entry.then_some(name)
}

/// Returns the program of a Go package: `example.org/x/cmd/tool/v2@latest` is `tool`.
fn go_tool(package: &str) -> Option<&str> {
    let (host, rest) = package.split_once('/')?;
    let path = rest.split('@').next()?.trim_end_matches('/');
    let is_version =
        |name: &str| name.strip_prefix('v').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    let known = host.contains('.') && !host.starts_with('.');
    path.rsplit('/').find(|name| !is_version(name)).filter(|_| known)
}

#[cfg(test)]
mod tests {
    use super::go_tool;

    #[test]
    fn a_package_of_go_is_named_by_its_last_folder() {
        for (package, tool) in [
            ("github.com/a/tool@latest", Some("tool")),
            ("github.com/a/b/v4/cmd/tool@v4.1", Some("tool")),
            ("github.com/a/tool/v3", Some("tool")),
            ("./cmd/tool", None),
            ("cmd/tool", None),
            (".", None),
        ] {
            assert_eq!(go_tool(package), tool, "{package}");
        }
    }
}
