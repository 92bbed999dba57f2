//! Phrases on the pages that read like a translation. Their number per 10,000 words is limited, so that single uses
//! pass, and habits fail.

use regex_lite::Regex;

use super::files;

/// The maximum number of odd phrases in 10,000 words of all pages.
const LIMIT: usize = 3;

/// A pattern in prose, and a better wording.
const PATTERNS: [(&str, &str); 10] = [
    (r"(^|[.:!] |\| )(What|Whatever|Whoever|Of which)\b", "begin with the noun that it means"),
    (r"\b(is|are|was|were) (none|nobody)\b", "say what is missing or invalid"),
    (
        r"\b(stands?|stood|lies|lie|lay|lying|holds?|held|holding|tells?|told|brings?|brought|spares?|spared|heeds?|heeded)\b",
        "is in, contains, applies, reports, includes, saves, honors",
    ),
    (
        r"\bcounts?( as| for| no| only| if| at| from| once| nevertheless|[.,;:])|\b(that|what|it|they) counts?\b",
        "applies, is accepted, is treated as",
    ),
    (r"\b([Nn]obody|[Ww]hoever|[Ww]hatever)\b", "no one, anyone, or a passive"),
    (r"\b(asks?|asked|asking) about\b", "needs confirmation, prompts, is evaluated for"),
    (
        r"\b(anew|way out|way around|readers? of scripts|of others|of yours|takes? the place of|in (the )?place of|is another one|goes on|go on|lives on|steers?|steering|merely|mere|nevertheless|beside|rights|carries|carried|seldom|chiefly)\b",
        "again, alternative, bypass, script analyzer, third-party, your own, replaces, differs, continues, controls, still, next to, permissions, has, rarely, mainly",
    ),
    (r"\b(ends?|ended) with (exit code|[0-9]|x)\b", "exits with"),
    (r", for (it|they|he|there|nothing|nobody|no one) [a-z]+", "because, or a new sentence"),
    (
        r"\b(of|with|by|at|on|than|from|to|in) what\b|\bwhat there is\b|\bthose (who|whose)\b|\b(is|are) (one|ones|those) that\b",
        "name the thing or the person",
    ),
];

/// Good English that matches a pattern.
const EXCEPTIONS: [&str; 6] =
    ["stands for", "stand for", "can't tell", "there is none", "there are none", "if there was none"];

/// Returns a page's lines of prose, without code and link targets. Skips headings and blocks.
fn prose(page: &str) -> impl Iterator<Item = (usize, String)> {
    let code = Regex::new("`[^`]*`").unwrap();
    let target = Regex::new(r"\]\([^)]*\)").unwrap();
    let marker = Regex::new(r"^\s*([-*]|[0-9]+\.)\s+").unwrap();
    let mut is_fenced = false;
    page.lines().zip(1..).filter_map(move |(line, number)| {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            return None;
        }
        if is_fenced || line.starts_with('#') {
            return None;
        }
        let line = target.replace_all(&code.replace_all(line, "x"), "]").into_owned();
        let line = marker.replace(&line, "").into_owned();
        Some((number, EXCEPTIONS.iter().fold(line, |line, exception| line.replace(exception, ""))))
    })
}

/// Returns the odd phrases of a page, as `NAME:LINE: PHRASE: BETTER`.
fn odd(name: &str, page: &str, patterns: &[(Regex, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in prose(page) {
        for (pattern, better) in patterns {
            let hits = pattern.find_iter(&line);
            found.extend(hits.map(|hit| format!("{name}:{number}: `{}`: {better}", hit.as_str().trim())));
        }
    }
    found
}

fn compiled() -> Vec<(Regex, &'static str)> {
    PATTERNS.iter().map(|(pattern, better)| (Regex::new(pattern).unwrap(), *better)).collect()
}

#[test]
fn the_pages_read_like_english() {
    let patterns = compiled();
    let word = Regex::new("[A-Za-z][A-Za-z'-]*").unwrap();
    let (mut found, mut words) = (Vec::new(), 0);
    for (name, page) in files("md") {
        found.extend(odd(&name, &page, &patterns));
        words += prose(&page).map(|(_, line)| word.find_iter(&line).count()).sum::<usize>();
    }
    let report = format!("{} odd phrases in {words} words, at most {LIMIT} in 10,000", found.len());
    eprintln!("{report}");
    assert!(words > 10_000, "{report}");
    assert!(found.len() * 10_000 <= LIMIT * words, "\n{}\n{report}", found.join("\n"));
}

#[test]
fn each_odd_pattern_is_found_and_code_is_skipped() {
    let patterns = compiled();
    for line in [
        "What runs is logged.",
        "The digest is none.",
        "- The file lies there.",
        "An approval counts as one.",
        "Nobody reads it.",
        "It asks about a call.",
        "It goes on.",
        "It ends with 2.",
        "A page, for it is read.",
        "The text of what it prints.",
    ] {
        assert!(odd("page", line, &patterns).iter().any(|found| found.starts_with("page:1: ")), "{line}");
    }
    for text in [
        "`[[x]]` stands for a list.",
        "`it lies there`",
        "# What it holds",
        "```text\nWhat stands here\n```",
        "[a](lies)",
        "It counts calls.",
    ] {
        assert_eq!(odd("page", text, &patterns), [""; 0], "{text}");
    }
}
