//! The table of patterns that the packages for JavaScript and Python are held against, too.

#![cfg(test)]

use guard_sdk::globs::glob;
use serde_json::Value;

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

#[test]
fn patterns_match_what_the_table_says() {
    let table: Value = serde_json::from_str(include_str!("../globs.json")).unwrap();
    let mut asked = 0;
    for row in table["matches"].as_array().unwrap() {
        let pattern = row["pattern"].as_str().unwrap();
        for (key, expected) in [("yes", true), ("no", false)] {
            for path in texts(&row[key]) {
                assert_eq!(glob(pattern, path), Ok(expected), "`{pattern}` and `{path}`");
                asked += 1;
            }
        }
    }
    assert!(asked > 100, "{asked}");
    let long = ["a".repeat(2000), "é".repeat(600)];
    for pattern in texts(&table["errors"]).chain(long.iter().map(String::as_str)) {
        let error = glob(pattern, pattern).unwrap_err();
        assert!(error.to_string().contains(&format!("`{pattern}`")), "{error}");
    }
}
