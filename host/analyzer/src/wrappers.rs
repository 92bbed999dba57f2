//! Commands that run another command: the inner commands, and the outer part that is also listed.
//!
//! Each call of [`peel`] removes one layer. The options with a value are defined in [`table`].

mod ansible;
mod carried;
pub(crate) mod code;
mod fish;
pub(crate) mod git_settings;
pub(crate) mod layer;
mod nushell;
mod packages;
pub(crate) mod remote;
pub(crate) mod sandbox;
mod search;
pub(crate) mod shells;
mod spelled;
mod table;
mod tmux;

use guard_sdk::syntax::Word;

use crate::word::expand::literal;
use crate::word::is_name;
pub(crate) use carried::loses_files;
use layer::{Layer, Place, Runnable, program};

/// Removes the outermost layer from a command. `None` if it isn't a wrapper.
///
/// `input` is the command's input, if known.
pub(crate) fn peel(argv: &[Word], input: Option<&str>) -> Option<Layer> {
    let name = program(argv)?;
    let mut carried = carried::runs(name, argv);
    carried.append(&mut code::runs(name, argv, input));
    let typed = input.filter(|_| hands_to_shell(name, argv)).map(|text| {
        let what = Runnable::Text { text: literal(text), parameters: None };
        let contained = matches!(name, "kubectl" | "docker" | "podman");
        let (kind, place) = if contained { ("container", Place::Remote) } else { ("terminal", Place::Apart) };
        Layer { outer: Some(argv.to_vec()), ..Layer::one(kind, name, what, place) }
    });
    let layer = typed.or_else(|| spelled::layer(name, argv)).or_else(|| outermost(name, argv, input));
    if carried.is_empty() {
        return layer;
    }
    let mut layer = layer.unwrap_or_else(|| Layer { outer: Some(argv.to_vec()), runs: Vec::new() });
    layer.runs.extend(carried);
    Some(layer)
}

/// Returns whether the program's input goes to a running program that is usually a shell: a session, a socket, a
/// container.
fn hands_to_shell(name: &str, argv: &[Word]) -> bool {
    let has = |wanted: &str| argv.iter().skip(1).any(|word| word.text == wanted);
    match name {
        "dtach" => has("-p"),
        "nc" | "ncat" | "netcat" => {
            argv.iter().skip(1).any(|word| word.text.starts_with('-') && word.text.contains('U'))
        }
        "socat" => argv.iter().skip(1).any(|word| word.text.starts_with("UNIX")),
        "kubectl" | "docker" | "podman" => argv.get(1).is_some_and(|verb| verb.text == "attach"),
        _ => false,
    }
}

/// Returns the files that a wrapper itself writes, such as `strace -o FILE`.
pub(crate) fn written_files(argv: &[Word]) -> Vec<Word> {
    program(argv).map(|name| table::written_files(name, argv)).unwrap_or_default()
}

fn outermost(name: &str, argv: &[Word], input: Option<&str>) -> Option<Layer> {
    match name {
        "find" | "gfind" => search::find(argv),
        "fd" | "fdfind" => search::fd(argv),
        "xargs" | "gxargs" => search::xargs(argv, input).map(|layer| search::with_list(layer, argv)),
        "parallel" => search::parallel(argv, input).map(|layer| search::with_list(layer, argv)),
        "ssh" | "autossh" | "mosh" | "docker" | "podman" | "nerdctl" | "finch" | "docker-compose"
        | "podman-compose" | "kubectl" | "oc" => remote::peel(name, argv).or_else(|| table::peel(name, argv)),
        "node" | "nodejs" | "bun" | "deno" | "tsx" => agent_script(argv).or_else(|| table::peel(name, argv)),
        "eval" => shells::eval(argv),
        "trap" => shells::trap(argv),
        "git" => git_settings::alias(argv),
        "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" | "cmd" | "cmd.exe" => shells::of_windows(name, argv),
        _ if shells::is_shell(name) => shells::command_text(argv),
        // The loader runs the program in its arguments.
        _ if name.starts_with("ld-linux") || name.starts_with("ld-musl") => table::peel("ld.so", argv),
        _ if name.starts_with("qemu-")
            && !["system", "img", "nbd", "io", "ga"].iter().any(|tool| name.contains(tool)) =>
        {
            table::peel("qemu-user", argv)
        }
        // In zsh, `=rm` is the path of `rm`, and `zf_rm` is a builtin.
        _ if name.strip_prefix('=').or_else(|| name.strip_prefix("zf_")).is_some_and(is_name) => {
            let mut words = argv.to_vec();
            *words.first_mut()? = literal(name.trim_start_matches('=').trim_start_matches("zf_"));
            Some(Layer::one("command", "", Runnable::Words { assignments: Vec::new(), words }, Place::Here))
        }
        "uv" => table::peel(name, argv).map(by_python),
        // zsh: `zargs OPERANDS -- PROGRAM WORDS`.
        "zargs" => {
            let at = argv.iter().rposition(|word| word.text == "--")?;
            let (operands, program) = argv.split_at_checked(at)?;
            let operands = operands.get(1..)?.iter().filter(|word| !word.text.starts_with('-'));
            let words = program.get(1..)?.iter().chain(operands).cloned().collect();
            Some(Layer::one("xargs", "", Runnable::Words { assignments: Vec::new(), words }, Place::Apart))
        }
        _ => table::peel(name, argv),
    }
}

/// Returns the layer of an interpreter with an agent's script: the agent runs, with the words after it.
fn agent_script(argv: &[Word]) -> Option<Layer> {
    let operand = |word: &Word| !word.text.starts_with('-') && word.text != "run";
    let at = argv.iter().skip(1).position(operand)? + 1;
    let agent = packages::agent(&argv.get(at)?.text)?;
    let words = std::iter::once(literal(agent)).chain(argv.get(at + 1..)?.iter().cloned()).collect();
    let mut layer =
        Layer::one("code", program(argv)?, Runnable::Words { assignments: Vec::new(), words }, Place::Apart);
    layer.outer = Some(argv.to_vec());
    Some(layer)
}

/// For `uv run -` and `uv run x.py`, runs a non-program as Python code.
fn by_python(mut layer: Layer) -> Layer {
    for run in &mut layer.runs {
        let Runnable::Words { words, .. } = &mut run.what else { continue };
        let code = |word: &Word| {
            word.text == "-"
                || word.text.ends_with(".py")
                || shells::descriptor(&word.text).is_some()
                || word.parts.iter().any(|part| part.kind == "process")
        };
        if words.first().is_some_and(code) {
            words.insert(0, literal("python3"));
        }
    }
    layer
}

/// Returns whether the standard input of this program is often a program: code, queries, or commands of a store.
pub(crate) fn reads_program(argv: &[Word]) -> bool {
    const STORES: &[&str] = &["sql", "maria", "mongo", "redis", "valkey", "duckdb", "clickhouse", "cqlsh", "keydb"];
    let name = program(argv).unwrap_or_default().to_ascii_lowercase();
    let store = STORES.iter().any(|part| name.contains(part));
    store || reads_code(&name)
}

/// Translates the text of a shell with another syntax. `None` if the shell's syntax needs no translation.
pub(crate) fn respelled(shell: &str, text: &str) -> Option<String> {
    match shell {
        "fish" => Some(fish::as_shell(text)),
        "nu" => Some(nushell::as_shell(text)),
        _ => None,
    }
}

/// Returns whether this program reads code in a general language.
pub(crate) fn reads_code(name: &str) -> bool {
    code::is_language(&name.to_ascii_lowercase())
}

/// Returns the code files that a command may run in a general language.
pub(crate) fn code_files(argv: &[Word]) -> Vec<Word> {
    program(argv).map(|name| code::files(name, argv)).unwrap_or_default()
}
