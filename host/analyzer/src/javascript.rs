//! Where programs that run JavaScript get their code.

use guard_sdk::syntax::Word;

use crate::options::{Operand, Options, parse};
use crate::wrappers::shells::descriptor;

/// Programs that run code from their options, a file, or their input.
pub(crate) const PROGRAMS: &[&str] =
    &["node", "nodejs", "bun", "deno", "tsx", "ts-node", "esno", "vite-node", "jiti", "babel-node", "swc-node", "zx"];

/// Options of Node, and of programs that pass theirs to it. `-p` takes no value: in `-pe CODE`, the code belongs to
/// `e`.
const NODE: Options = Options::leading(
    "erCOP",
    "eval require import conditions title disable-warning unhandled-rejections dns-result-order input-type loader \
     experimental-loader experimental-default-type test-name-pattern test-reporter test-reporter-destination watch-path \
     env-file env-file-if-exists diagnostic-dir icu-data-dir openssl-config redirect-warnings cpu-prof-dir \
     trace-event-categories inspect-port compiler-options project tsconfig config",
)
.exactly();

const DENO: Options = Options::new("cL", "ext config import-map cert log-level location seed lock eval").exactly();

/// The arguments of a JavaScript runtime.
#[derive(Debug)]
pub(crate) struct RuntimeArguments<'a> {
    /// Code in options.
    pub(crate) codes: Vec<Operand<'a>>,
    /// A code file, or `-` for the input. Without a file and code, the input is code.
    pub(crate) file: Option<Operand<'a>>,
    /// Code files that are loaded first.
    pub(crate) loaded: Vec<Operand<'a>>,
    /// Files with environment variables.
    pub(crate) variables: Vec<Operand<'a>>,
    /// The code's arguments. The first one is the file, if there is one.
    pub(crate) arguments: Vec<Word>,
    /// Whether it reads its input by default.
    by_itself: bool,
}

impl RuntimeArguments<'_> {
    /// Returns whether the input is code.
    pub(crate) fn reads_input(&self) -> bool {
        let is_input = |file: &Operand<'_>| file.text == "-" || descriptor(&file.text).is_some();
        self.codes.is_empty() && self.file.as_ref().map_or(self.by_itself, is_input)
    }
}

/// Returns the arguments of a JavaScript runtime from the words after its name, which is in lower case and without a
/// version.
pub(crate) fn given<'a>(name: &str, words: &'a [Word]) -> RuntimeArguments<'a> {
    if name == "deno" {
        return of_deno(words);
    }
    let runs = name == "bun" && words.first().is_some_and(|word| word.text == "run");
    let parsed = parse(words.get(usize::from(runs)..).unwrap_or_default(), NODE, false);
    let mut codes: Vec<Operand<'a>> = parsed.values("e", "eval").chain(parsed.values("", "print")).collect();
    let mut rest = parsed.rest;
    if codes.is_empty()
        && parsed.is("p", "print")
        && let Some((first, behind)) = rest.split_first()
    {
        codes.push(Operand::of(first));
        rest = behind;
    }
    let modules = parsed.values("", "import").chain(parsed.values("", "loader"));
    // A module in a `data:` URL.
    let written = modules.filter_map(|module| {
        let code = module.text.strip_prefix("data:")?.split_once(',')?.1.to_owned();
        Some(module.renamed(code))
    });
    let has_code = !codes.is_empty();
    codes.extend(written);
    let all = |names: [&str; 2]| names.into_iter().flat_map(|name| parsed.values("", name)).collect::<Vec<_>>();
    RuntimeArguments {
        file: rest.first().filter(|_| !has_code).map(Operand::of),
        codes,
        loaded: parsed.values("r", "require").chain(parsed.values("", "import")).collect(),
        variables: all(["env-file", "env-file-if-exists"]),
        arguments: rest.to_vec(),
        by_itself: name != "bun" && name != "zx",
    }
}

fn of_deno(words: &[Word]) -> RuntimeArguments<'_> {
    let (verb, rest) = match words.iter().position(|word| word.text == "-" || !word.text.starts_with('-')) {
        Some(at) => (words.get(at).map_or("", |word| word.text.as_str()), words.get(at + 1..).unwrap_or_default()),
        None => ("", words),
    };
    let parsed = parse(rest, DENO, false);
    let (first, arguments) = parsed.operands.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    let mut given = RuntimeArguments {
        codes: parsed.values("", "eval").collect(),
        file: None,
        loaded: Vec::new(),
        variables: Vec::new(),
        arguments: arguments.iter().map(|word| word.word.clone()).collect(),
        by_itself: verb.is_empty() && words.is_empty(),
    };
    match verb {
        "eval" => given.codes.extend(first.cloned()),
        "run" | "test" | "bench" | "serve" => given.file = first.cloned(),
        "-" => given.file = words.iter().find(|word| word.text == "-").map(Operand::of),
        _ => {}
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::expand::literal;

    #[test]
    fn the_code_is_found_behind_any_options() {
        for (text, codes, file) in [
            ("node -e a", &["a"][..], None),
            ("node -pe a b", &["a"], None),
            ("node -p a b", &["a"], None),
            ("node -p -e a b", &["a"], None),
            ("node --print a", &["a"], None),
            ("node --eval=a", &["a"], None),
            ("node --conditions development -e a", &["a"], None),
            ("node --loader tsx x.ts -e b", &[], Some("x.ts")),
            ("node -r ./x -e a", &["a"], None),
            ("node -", &[], Some("-")),
            ("node", &[], None),
            ("tsx --tsconfig t.json -e a", &["a"], None),
            ("bun run -e a", &["a"], None),
            ("bun run x.ts", &[], Some("x.ts")),
            ("deno eval --ext ts a", &["a"], None),
            ("deno eval -c deno.json a", &["a"], None),
            ("deno repl -A --eval a", &["a"], None),
            ("deno run -A --ext ts -", &[], Some("-")),
            ("deno run -A x.ts", &[], Some("x.ts")),
            ("deno fmt x.ts", &[], None),
            ("deno -A -", &[], Some("-")),
            ("node --inspect-port 9229 -e a", &["a"], None),
        ] {
            let words: Vec<Word> = text.split(' ').map(literal).collect();
            let given = given(&words[0].text, &words[1..]);
            let found: Vec<&str> = given.codes.iter().map(|code| code.text.as_ref()).collect();
            assert_eq!(found, codes, "{text}");
            assert_eq!(given.file.as_ref().map(|file| file.text.as_ref()), file, "{text}");
        }
    }
}
