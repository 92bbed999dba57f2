//! Every text gets a result.

use guard_script_effects::read;
use proptest::prelude::*;

const TOKENS: &[&str] = &[
    "import os",
    "os",
    ".",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    "=",
    ":=",
    ",",
    "\n",
    "\n  ",
    "\n    ",
    "'",
    "\"",
    "'''",
    "f'",
    "{x}",
    "if",
    "else",
    "for",
    "in",
    "while",
    "def",
    "class",
    "lambda",
    "not",
    "-",
    "+",
    "*",
    "**",
    "/",
    "%",
    "@",
    "await",
    "async",
    "yield",
    "return",
    "global",
    "x",
    "y",
    "remove",
    "system",
    "exec",
    "eval",
    "'a'",
    "b'a'",
    "1",
    "-1",
    "99999999999999999999",
    "0x",
    "\\",
    "#",
    "!",
    "$",
    "é",
    "\u{0}",
    "\t",
    ";",
    "match",
    "case",
    "_",
    "try",
    "except",
    "with",
    "as",
    "from",
    "*",
    "format",
    "join",
    "split",
    "[::-1]",
    "{}",
    "open",
    "Path",
    "subprocess.run",
    "print",
    "None",
    "True",
    "...",
    "|",
    "del",
    "t'",
    "rb'",
    "\u{feff}",
    "\r",
    "=>",
    "`",
    "${",
    "?.",
    "...",
    "function",
    "const",
    "new",
    "do",
    "switch",
    "eval(",
    "++",
    "fs.rmSync",
    "require(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_has_an_answer(text in any::<String>()) {
        let _ = read("python", &text);
        let _ = read("javascript", &text);
    }

    #[test]
    fn any_row_of_tokens_has_an_answer(at in prop::collection::vec(0..TOKENS.len(), 0..60), blank in any::<bool>()) {
        let tokens: Vec<&str> = at.iter().filter_map(|at| TOKENS.get(*at).copied()).collect();
        let code = tokens.join(if blank { " " } else { "" });
        let _ = read("python", &code);
        let _ = read("javascript", &code);
    }

    #[test]
    fn code_in_a_text_has_an_answer(inside in "[a-z()\\[\\]{}%'.:+ ]{0,40}") {
        let _ = read("python", &format!("x = {inside}\nexec(f\"{inside}\")\n'{inside}'.format(x)\nos.system('{inside}' % x)"));
    }
}
