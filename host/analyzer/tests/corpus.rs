//! Replays the inputs that the fuzz targets found: `fuzz/kept/TARGET.hex`, one input on each line.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by a panic")]

#[path = "../fuzz/checks.rs"]
mod checks;

use std::fs;
use std::path::Path;

fn replay(name: &str, target: fn(&[u8])) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/kept").join(format!("{name}.hex"));
    let text = fs::read_to_string(&file).unwrap();
    let mut count = 0;
    for line in text.lines() {
        let digits = line.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        let bytes: Vec<u8> = digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        target(&bytes);
        count += 1;
    }
    assert!(count > 0, "{} is empty", file.display());
}

#[test]
fn inputs_kept_by_parse_hold() {
    replay("parse", checks::parse);
}

#[test]
fn inputs_kept_by_analysis_hold() {
    replay("analysis", checks::analysis);
}

#[test]
fn inputs_kept_by_equivalence_hold() {
    replay("equivalence", checks::equivalence);
}

/// Every form by itself and around every other one, in every quoting: the table that the fuzzer starts from.
#[test]
fn every_spelling_of_every_command_means_the_same() {
    for (command, words) in checks::COMMANDS.iter().enumerate() {
        for (form, around) in (0..checks::FORMS).flat_map(|form| (0..=checks::FORMS).map(move |around| (form, around)))
        {
            let count = if around == checks::FORMS { 1 } else { 2 };
            let quoting = (form + around) % checks::QUOTINGS;
            let mut bytes = vec![u8::try_from(command).unwrap(), around % 2];
            bytes.extend(words.iter().map(|_| quoting));
            bytes.extend([form % 4, count, form]);
            bytes.extend((count == 2).then_some(around));
            bytes.push(form % checks::DATA_FORMS);
            checks::equivalence(&bytes);
        }
    }
}
