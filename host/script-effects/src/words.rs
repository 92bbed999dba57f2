//! Effects that code may have by the words in it. Code without any of these words has no such effect, however little of
//! it is understood.

use crate::Unknown;

const DELETES: &str =
    "unlink rmtree rmdir remove rename shutil move truncate rmSync rm( rimraf emptyDir emptydir trash Deno. del( Bun.";

const WRITES: &str = "write 'w \"w 'a' \"a\" append truncate copy cp( cpSync shutil save to_ output symlink link chmod touch Deno. \
    Bun. rename move";

/// Among them, what leads to things by names that are put together.
const EXECUTES: &str = "exec eval system popen spawn posix_spawn subprocess commands pty fork kill importlib import_module __import__ \
    getattr vars( globals locals __dict__ __builtins__ modules ctypes marshal pickle runpy ]( child_process Function \
    constructor Reflect binding dlopen _load vm. worker Worker Deno. Bun. zx $` shelljs pexpect sh(";

/// Calls that load a module, which do so by any name unless a text follows.
const LOADS: &[&str] = &["require(", "import("];

/// Returns whether a word of the code, or the text after a sign, starts with this prefix.
fn begins(code: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let inside = |at: usize| code.get(..at).is_some_and(|before| before.ends_with(is_part));
    // `.exec(` is what regular expressions are asked; that of a module comes with the module's name.
    let of_regex = |at: usize| {
        let before = code.get(..at).is_some_and(|before| before.ends_with('.'));
        word == "exec" && before && code.get(at + word.len()..).is_some_and(|rest| rest.starts_with('('))
    };
    code.match_indices(word).any(|(at, _)| (!word.starts_with(is_part) || !inside(at)) && !of_regex(at))
}

/// The possible effects of the code.
pub(crate) fn may(code: &str) -> Unknown {
    let names = |words: &str| words.split(' ').any(|word| begins(code, word));
    let loads = LOADS.iter().any(|call| {
        code.match_indices(call).any(|(at, _)| {
            let rest = code.get(at + call.len()..).unwrap_or_default();
            let literal = rest.trim_start().get(1..).and_then(|rest| rest.split(['\'', '"']).nth(1));
            !rest.trim_start().starts_with(['\'', '"'])
                || literal.is_none_or(|behind| !behind.trim_start().starts_with(')'))
        })
    });
    // What is loaded or looked up by a name that is put together may be anything.
    let any = loads
        || ["](", "getattr", "__import__", "importlib", "exec", "eval", "globals", "Function", "constructor"]
            .iter()
            .any(|word| begins(code, word));
    Unknown { deletes: any || names(DELETES), writes: any || names(WRITES), executes: any || names(EXECUTES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_without_the_words_does_nothing() {
        assert!(may("for x in rows:\n    print(x, sum(x))").is_none());
        assert!(may("const fs = require('fs'); console.log(fs.readFileSync('package.json'))").is_none());
        assert!(may("const x = await import(\"./x.js\"); console.log(x)").is_none());
        assert_eq!(may("require('f' + 's')"), Unknown::ALL);
        assert_eq!(may("import(name)"), Unknown::ALL);
        assert!(may("/a/.exec(text)").is_none() && may("exec(text)").executes && may("os.execv(a)").executes);
        assert!(may("queue.push(form(empty, skill))").is_none());
        assert!(may("os.remove(x)").deletes && !may("os.remove(x)").executes);
        assert!(may("subprocess.run(x)").executes && !may("subprocess.run(x)").deletes);
    }
}
