//! Tests of edits: what they add, and that the rest is unchanged.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn parse(text: &str) -> Document<'_> {
    Document::parse(text, Syntax::Strict).unwrap()
}

fn commented(text: &str) -> Document<'_> {
    Document::parse(text, Syntax::Comments).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn at<'a>(root: &'a Node, key: &str) -> &'a Node {
    root.member(key).unwrap().1
}

#[test]
fn an_item_is_added_in_the_style_of_the_text() {
    for (before, key, after) in [
        ("{}", None, "{\n  \"k\": [\n    1\n  ]\n}"),
        ("{ }\n", None, "{\n  \"k\": [\n    1\n  ]\n}\n"),
        ("{\n\t\"a\": 1\n}", None, "{\n\t\"a\": 1,\n\t\"k\": [\n\t\t1\n\t]\n}"),
        ("{\r\n    \"a\": 1\r\n}", None, "{\r\n    \"a\": 1,\r\n    \"k\": [\r\n        1\r\n    ]\r\n}"),
        ("{\"a\":1}", None, "{\"a\":1, \"k\": [1]}"),
        ("{\n  \"a\": {}\n}", Some("a"), "{\n  \"a\": {\n    \"k\": [\n      1\n    ]\n  }\n}"),
        ("{\n  \"a\": {\"b\" : 2}\n}", Some("a"), "{\n  \"a\": {\"b\" : 2, \"k\": [1]}\n}"),
    ] {
        let document = parse(before);
        let container = key.map_or(&document.root, |key| at(&document.root, key));
        assert_eq!(document.insert(container, Some("k"), &json!([1])), after, "{before:?}");
    }
}

#[test]
fn comments_stay_with_what_they_are_about() {
    for (before, after) in [
        ("{ // c\n}", "{ // c\n  \"k\": 1\n}"),
        ("{\n  // c\n}\n", "{\n  // c\n  \"k\": 1\n}\n"),
        ("// c\n{\n  \"a\": 2 // d, e\n}", "// c\n{\n  \"a\": 2, // d, e\n  \"k\": 1\n}"),
        ("{\n  \"a\": 2 /* d\n */ // e\n  // f\n}", "{\n  \"a\": 2, /* d\n */ // e\n  \"k\": 1\n  // f\n}"),
        ("{\"a\": \"// no\" /* d */}", "{\"a\": \"// no\", \"k\": 1 /* d */}"),
    ] {
        let document = commented(before);
        let added = document.insert(&document.root, Some("k"), &json!(1));
        assert_eq!(added, after, "{before:?}");
        let again = commented(&added);
        let count = again.root.len();
        let removed = again.remove(&again.root, count - 1);
        assert_eq!(removed.matches(['/', '*']).count(), before.matches(['/', '*']).count(), "{removed}");
        let value = |document: &Document<'_>| document.value(&document.root);
        assert_eq!(value(&commented(&removed)), value(&document), "{removed}");
    }
    for (before, after) in [
        ("[\n  1, // one\n  // two\n  2,\n  3\n]", "[\n  1, // one\n  // two\n  3\n]"),
        ("[\n  1, // one\n  2 // two\n]", "[\n  1 // one\n   // two\n]"),
        ("[ 1, /* one */ 2 ]", "[ 1 /* one */  ]"),
    ] {
        let document = commented(before);
        assert_eq!(document.remove(&document.root, 1), after, "{before}");
    }
    for text in ["{ // \"a\": 1 }", "/* {}", "{} /", "{\"a\": 1,} // c"] {
        assert!(Document::parse(text, Syntax::Comments).is_err(), "{text}");
    }
}

#[test]
fn an_item_is_removed_with_its_comma() {
    for (before, index, after) in [
        ("[1]", 0, "[]"),
        ("[ 1, 2 ]", 0, "[ 2 ]"),
        ("[ 1, 2 ]", 1, "[ 1 ]"),
        ("[1 ,\n 2,\n 3]", 1, "[1,\n 3]"),
        ("{\"a\": [1], \"b\" : {}}", 0, "{\"b\" : {}}"),
        ("[1]", 1, "[1]"),
    ] {
        let document = parse(before);
        assert_eq!(document.remove(&document.root, index), after, "{before:?}");
    }
}

#[test]
fn of_keys_that_stand_twice_the_last_one_counts() {
    let text = "{\"a\": 1, \"a\": 2, \"\\u0062\": 3}";
    let document = parse(text);
    assert_eq!(document.value(at(&document.root, "a")), json!(2));
    assert_eq!(document.value(at(&document.root, "b")), json!(3));
    assert!(document.root.member("c").is_none());
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    for (text, place) in [
        ("{\n  \"a\": 1,\n}", "3:1: "),
        ("{\n  // why\n  \"a\": 1\n}", "2:3: "),
        ("", "1:0: "),
        ("{\"a\": 1", "1:7: "),
        ("{} {}", "1:4: "),
    ] {
        let told = Document::parse(text, Syntax::Strict).err().unwrap().to_string();
        assert!(told.starts_with(place) && !told.contains("at line"), "{text:?}: {told}");
    }
    assert!(Document::parse(&"[".repeat(100_000), Syntax::Comments).is_err());
}

/// Generates JSON texts with all kinds of spacing.
fn any_text() -> impl Strategy<Value = String> {
    let blank = || prop::sample::select(vec!["", " ", "\n", "\t", "\r\n", "\n    ", "  \n\t"]);
    let scalar =
        prop::sample::select(vec!["null", "-1.5e3", "\"a\"", "\"\\\"}],\\\\\"", "\"é{\"", "true", "\"\\u00e9\""]);
    let leaf = (blank(), scalar, blank()).prop_map(|(before, text, after)| format!("{before}{text}{after}"));
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let key = prop::sample::select(vec!["\"a\"", "\"hooks\"", "\"\\\"\"", "\"\""]);
        let member = (blank(), key, blank(), inner.clone())
            .prop_map(|(before, key, after, value)| format!("{before}{key}{after}:{value}"));
        let wrapped = |open: &'static str, close: &'static str, items: Vec<String>, before: &str, after: &str| {
            format!("{before}{open}{}{close}{after}", items.join(","))
        };
        prop_oneof![
            (prop::collection::vec(inner, 0..4), blank(), blank())
                .prop_map(move |(items, before, after)| wrapped("[", "]", items, before, after)),
            (prop::collection::vec(member, 0..4), blank(), blank())
                .prop_map(move |(items, before, after)| wrapped("{", "}", items, before, after)),
        ]
    })
}

/// Returns every object and array in a text.
fn containers(node: &Node) -> Vec<Node> {
    let inner: Vec<&Node> = match &node.kind {
        Kind::Object(members) => members.iter().map(|member| &member.value).collect(),
        Kind::Array(elements) => elements.iter().collect(),
        Kind::Scalar => return Vec::new(),
    };
    [node.clone()].into_iter().chain(inner.into_iter().flat_map(containers)).collect()
}

proptest! {
    #[test]
    fn what_is_added_can_be_taken_away_again(text in any_text(), pick in any::<prop::sample::Index>()) {
        let document = parse(&text);
        let whole = |document: &Document<'_>| document.value(&document.root);
        prop_assert_eq!(whole(&document), serde_json::from_str::<Value>(&text).unwrap());
        let containers = containers(&document.root);
        prop_assume!(!containers.is_empty());
        let number = pick.index(containers.len());
        let container = &containers[number];
        let key = matches!(container.kind, Kind::Object(_)).then_some("new");
        let added = document.insert(container, key, &json!({ "x": [1, "y"] }));
        let again = parse(&added);
        let grown = &self::containers(&again.root)[number];
        prop_assert_eq!(grown.len(), container.len() + 1);
        let removed = again.remove(grown, container.len());
        if container.len() > 0 {
            prop_assert_eq!(removed, text);
        } else {
            // The white space in an empty container isn't kept, but the values are.
            prop_assert_eq!(whole(&parse(&removed)), whole(&document));
        }
    }

    #[test]
    fn what_is_removed_is_one_item(text in any_text(), pick in any::<prop::sample::Index>()) {
        let document = parse(&text);
        let Value::Array(mut values) = document.value(&document.root) else { return Ok(()) };
        prop_assume!(!values.is_empty());
        let index = pick.index(values.len());
        values.remove(index);
        let removed = document.remove(&document.root, index);
        let left = parse(&removed);
        prop_assert_eq!(left.value(&left.root), Value::Array(values));
    }

    #[test]
    fn no_text_is_too_odd(text in "[\\[\\]{}:,\"\\\\a1/*é \n]{0,40}") {
        let _ = Document::parse(&text, Syntax::Strict);
        let _ = Document::parse(&text, Syntax::Comments);
    }
}
