//! Properties of every PowerShell and `cmd` text, and the commands that some of them become.

#![cfg(test)]

use guard_sdk::syntax::{Analysis, Coverage};
use guard_testing::analyze;
use proptest::prelude::*;

fn analysed(text: &str, dialect: &str) -> Analysis {
    analyze(text, dialect, "/repo", "/home/u")
}

/// Returns the commands of a text, without the ones that only print or test.
fn commands(text: &str, dialect: &str) -> Vec<String> {
    let analysis = analysed(text, dialect);
    let commands = analysis.commands.iter().map(|command| command.text());
    let silent =
        |text: &String| [":", "echo", "test", "true", "cat"].iter().any(|name| text.split(' ').next() == Some(name));
    commands.filter(|text| !text.is_empty() && !silent(text)).collect()
}

fn deletes(analysis: &Analysis) -> bool {
    analysis.effects.iter().any(|effect| effect.operation == "fs.delete.recursive")
}

#[test]
fn cmdlets_become_the_programs_that_do_the_same() {
    for (text, expected) in [
        ("Remove-Item -r -fo .\\a\\b", "rm -r -f ./a/b"),
        ("ri -LiteralPath 'a b' -Recurse", "rm -r a b"),
        ("Copy-Item -Recurse .\\a .\\b", "cp -r ./a ./b"),
        ("Get-Content -Raw .\\a.txt", "cat ./a.txt"),
        ("$d = 'x'; rd $d -Recurse", "rm -r x"),
        ("$p = @{ Path = 'x'; Recurse = $true }\nRemove-Item @p", "rm -r x"),
        ("Get-ChildItem x -Filter *.log -Recurse | Remove-Item", "rm {}"),
        ("& 'C:\\Program Files\\Git\\bin\\git.exe' status", "C:/Program Files/Git/bin/git.exe status"),
        ("Start-Process git -ArgumentList 'push --tags'", "git push --tags"),
        ("try { git fetch } catch { }", "git fetch"),
        ("git log --format='%h %s' -- src\\a.rs", "git log --format=%h %s -- src/a.rs"),
        ("[IO.File]::Delete('a.txt')", "rm -f a.txt"),
        ("npm test 2>&1 | Out-Null", "npm test"),
        ("git `\n  status # x", "git status"),
    ] {
        let commands = if expected.starts_with("cat") {
            analysed(text, "powershell").commands.iter().map(|command| command.text()).collect()
        } else {
            commands(text, "powershell")
        };
        assert!(commands.contains(&expected.to_owned()), "{text}: {commands:?}");
    }
}

#[test]
fn text_of_cmd_becomes_commands() {
    for (text, expected) in [
        ("@git sta^tus", "git status"),
        ("if not exist a (git fetch) else git pull", "git pull"),
        ("for %f in (a b) do git add %f", "git add b"),
        ("call git fetch && git pull", "git pull"),
        ("cd /d C:\\x & git fetch", "git fetch"),
        ("start \"\" /b git fetch", "git fetch"),
        ("rem git push\ngit fetch", "git fetch"),
    ] {
        let commands = commands(text, "cmd");
        assert!(commands.contains(&expected.to_owned()), "{text}: {commands:?}");
        assert!(!commands.iter().any(|command| command == "git push"), "{text}: {commands:?}");
    }
}

#[test]
fn text_is_no_command() {
    for text in [
        "'Remove-Item -Recurse x'",
        "Write-Host \"rm -rf /\"",
        "# rm -rf /",
        "<# rm -rf /\n#> Get-Location",
        "@'\nrm -rf /\n'@ | Set-Content a.md",
        "git commit -m \"rm -rf /; git push\"",
        "Get-Help Remove-Item",
        "Remove-Item -Recurse x -WhatIf",
    ] {
        assert!(!deletes(&analysed(text, "powershell")), "{text}");
    }
}

#[test]
fn a_text_without_its_end_is_never_complete() {
    for text in ["git log '", "git log \"", "git log (", "if ($x) {", "@'\nx", "@{ a = ", "[IO.File]::Delete('a'"] {
        assert_ne!(analysed(text, "powershell").coverage, Coverage::Complete, "{text}");
    }
}

/// Parts of PowerShell that a text may repeat endlessly.
const REPEATED: &[&str] = &[
    "{",
    "(",
    "$(",
    "@(",
    "@{a=",
    "\"$(",
    "if(1){",
    "try{",
    "a|",
    "1,",
    "1+",
    "$x.y(",
    "switch(1){1{",
    "icm h {",
    "'a' ",
    "a;",
    "[int]",
    "-not ",
    "<#",
    "a`;",
    "$a=",
    "function f{",
    "return ",
    "throw ",
    "else ",
    "elseif(1){}",
    "if(1){}else ",
    ":a ",
    "& ",
    ". ",
    "& {",
    "& (",
    "param(",
    "class a{",
    "[a(",
    "[Parameter(",
    "$x[",
    "$x::y(",
    "[a]::b(",
    "1..",
    ",",
    "do{",
    "while(",
    "foreach($a in ",
    "\"$x[",
    "a -b:",
    "a -b (",
    "a | %{",
    ">",
    "2>&1 ",
    "$a,$b=",
    "a|% ",
    "iex '",
    "powershell -c ",
];

/// Parts of `cmd` that a text may repeat endlessly.
const REPEATED_OF_CMD: &[&str] = &[
    "(",
    "if a==a ",
    "if not ",
    "if a==a (a) else ",
    "for %a in (b) do ",
    "for /f %a in ('",
    "call ",
    "cmd /c ",
    "start ",
    "@",
    "\"",
    "^",
    "%",
    "a|",
    "a&&",
];

#[test]
fn what_repeats_without_end_is_answered_and_hides_nothing() {
    for unit in REPEATED {
        for times in [20, 300, 5_000] {
            let text = format!("{}\nrm -rf /", unit.repeat(times));
            let analysis = analysed(&text, "powershell");
            let complete = analysis.coverage == Coverage::Complete;
            assert!(!complete || deletes(&analysis), "{unit} x{times}");
        }
    }
    for unit in REPEATED_OF_CMD {
        for times in [20, 300, 5_000] {
            drop(analysed(&format!("{}\nrd /s /q x", unit.repeat(times)), "cmd"));
        }
    }
}

/// Parts of random texts that resemble PowerShell.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "$",
    "$(",
    "@(",
    "@{",
    "@'\n",
    "\n'@",
    "|",
    "||",
    "&",
    "&&",
    ";",
    "\n",
    ",",
    "=",
    "+=",
    ".",
    "::",
    "#",
    "<#",
    "#>",
    "-",
    "-f",
    "%",
    "%x%",
    "^",
    "?",
    ">",
    "2>&1",
    " ",
    "é",
    "if",
    "else",
    "for",
    "foreach",
    "switch",
    "try",
    "catch",
    "function",
    "param",
    "return",
    "Remove-Item",
    "-Recurse",
    "x",
    "$x",
    "C:\\",
    "[IO.File]",
    "Delete(",
    "1",
    "1..3",
    "iex",
    "icm",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = analysed(&text, "powershell");
        let _ = analysed(&text, "cmd");
    }

    #[test]
    fn no_heap_of_pieces_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let text = pieces.concat();
        let _ = analysed(&text, "powershell");
        let _ = analysed(&text, "cmd");
    }

    #[test]
    fn a_command_is_seen_wherever_it_stands(name in "[a-z]{2,6}", word in "[a-z]{1,6}") {
        for text in [
            format!("{name}; Remove-Item -Recurse {word}"),
            format!("$x = '{name}'\nRemove-Item -Recurse {word}"),
            format!("if ($x -eq '{name}') {{ Remove-Item -Recurse {word} }}"),
            format!("1..3 | % {{ Remove-Item -Recurse {word} }}"),
            format!("Write-Host \"{name} $(Remove-Item -Recurse {word})\""),
            format!("cd C:\\{name}\\; Remove-Item -Recurse {word}"),
        ] {
            prop_assert!(deletes(&analysed(&text, "powershell")), "{}", text);
        }
    }
}
