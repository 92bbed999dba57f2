//! Properties of every text.

#[expect(dead_code, unused_imports, clippy::indexing_slicing, reason = "shared with the fuzz targets")]
#[path = "../fuzz/checks.rs"]
mod checks;

use guard_sdk::syntax::Coverage;
use guard_testing::analyze;
use proptest::prelude::*;

fn words(text: &str) -> Vec<Vec<String>> {
    let analysis = analyze(text, "bash", "/repo", "/home/u");
    assert_eq!(analysis.coverage, Coverage::Complete, "{text}: {:?}", analysis.reasons);
    analysis.commands.iter().map(|command| command.argv.iter().map(|word| word.text.clone()).collect()).collect()
}

/// A word with the same meaning in every spelling.
fn plain_word() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9/.]{0,6}".prop_filter("no reserved word, no wrapper, no builtin", |word| {
        let analysis = analyze(&format!("{word} a b"), "bash", "", "");
        analysis.coverage == Coverage::Complete
            && analysis.commands.len() == 1
            && analysis.commands.iter().all(|command| command.argv.len() == 3)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = analyze(&text, "bash", "/repo", "/home/u");
        let _ = analyze(&text, "zsh", "", "");
    }

    #[test]
    fn no_heap_of_shell_breaks_what_the_fuzzer_checks(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        checks::analysis(&bytes);
    }

    #[test]
    fn a_line_is_answered_the_same_wherever_a_complete_line_stands_before_it(
        before in prop::collection::vec(plain_word(), 1..4),
        after in prop::collection::vec(plain_word(), 1..4),
    ) {
        let (before, after) = (before.join(" "), after.join(" "));
        let mut both = words(&before);
        both.extend(words(&after));
        prop_assert_eq!(&words(&format!("{before}; {after}")), &both);
        prop_assert_eq!(&words(&format!("{before}\n{after}")), &both);
        prop_assert_eq!(&words(&format!("{before} && {{ {after}; }}")), &both);
        prop_assert_eq!(&words(&format!("{before} # x\n({after})")), &both);
    }

    #[test]
    fn spelling_does_not_change_the_words(line in prop::collection::vec(plain_word(), 1..5)) {
        let plain = words(&line.join(" "));
        let respelled = [
            line.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            line.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join("  "),
            line.iter().map(|word| format!("\\{word}")).collect::<Vec<_>>().join("\t"),
            line.iter().map(|word| format!("''{word}\"\"")).collect::<Vec<_>>().join(" \\\n"),
            line.iter().map(|word| word.chars().map(|char| format!("$'\\x{:02x}'", char as u32)).collect::<String>()).collect::<Vec<_>>().join(" "),
            format!("{{{}}}", line.join(",")),
            format!("command {}", line.join(" ")),
            format!("sudo -n env {}", line.join(" ")),
            format!("bash -c '{}'", line.join(" ")),
            format!("eval \"{}\"", line.join(" ")),
        ];
        for (index, text) in respelled.iter().enumerate() {
            // A single word in braces isn't a brace expansion.
            if index == 5 && line.len() == 1 {
                continue;
            }
            prop_assert_eq!(&words(text), &plain, "{}", text);
        }
    }
}
