//! Tests of edits of lists in YAML: added and removed lines, and rejected files.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn is_ours(value: &Value) -> bool {
    value["command"].as_str().is_some_and(|command| command.starts_with("guard"))
}

const LIST: NestedList<'static> = NestedList { path: ["hooks", "pre_tool_call"], is_ours: &is_ours };

fn item() -> ListItem {
    let lines = ["- command: |-", "    guard 'it''s' \"x\" # y", "  timeout: 20"].map(str::to_owned).to_vec();
    ListItem { lines, value: json!({ "command": "guard 'it''s' \"x\" # y", "timeout": 20 }) }
}

fn add(text: &str) -> Result<String, Malformed> {
    LIST.add(text, &item())
}

const BLOCK: &str = "hooks:\n  pre_tool_call:\n    - command: |-\n        guard 'it''s' \"x\" # y\n      timeout: 20\n";

#[test]
fn a_file_without_hooks_gets_a_block_at_its_end() {
    for before in
        ["", "# mine\n", "model: x # the large one\nlist:\n- a\n", "a: |+\n  text\n\n", "---\na: 1\n", "ä: ü\n"]
    {
        let after = add(before).unwrap();
        assert_eq!(after, format!("{before}{BLOCK}"));
        assert_eq!(add(&after).unwrap(), after);
        assert_eq!(LIST.strip(&after).unwrap(), before);
    }
    assert_eq!(add("a: 1").unwrap(), format!("a: 1\n{}", BLOCK.trim_end()));
    assert_eq!(add("a: 1\r\n").unwrap(), format!("a: 1\r\n{}", BLOCK.replace('\n', "\r\n")));
}

#[test]
fn comments_and_hooks_of_others_stay_where_they_are() {
    for (before, after) in [
        (
            "hooks: # mine\n  # on each call\n  post_tool_call:\n    - command: ./note.sh\n\n# the end\na: 1\n",
            "hooks: # mine\n  pre_tool_call:\n    - command: |-\n        guard 'it''s' \"x\" # y\n      timeout: 20\n  # on each call\n  post_tool_call:\n    - command: ./note.sh\n\n# the end\na: 1\n",
        ),
        (
            "hooks:\n    pre_tool_call:\n    # lint first\n    - command: ./lint.sh   # mine\n      matcher: terminal\n    post_tool_call: []\n",
            "hooks:\n    pre_tool_call:\n    - command: |-\n        guard 'it''s' \"x\" # y\n      timeout: 20\n    # lint first\n    - command: ./lint.sh   # mine\n      matcher: terminal\n    post_tool_call: []\n",
        ),
        (
            "hooks:\n  pre_tool_call:\n      - { command: ./lint.sh }\nlast: |\n  - x\n",
            "hooks:\n  pre_tool_call:\n      - command: |-\n          guard 'it''s' \"x\" # y\n        timeout: 20\n      - { command: ./lint.sh }\nlast: |\n  - x\n",
        ),
    ] {
        assert_eq!(add(before).unwrap(), after);
        assert_eq!(add(after).unwrap(), after);
        assert_eq!(LIST.strip(after).unwrap(), before);
    }
}

#[test]
fn an_empty_value_is_replaced() {
    for before in ["hooks: {}\n", "hooks:\n", "hooks: null\n", "hooks: ~\n"] {
        assert_eq!(add(before).unwrap(), BLOCK, "{before}");
    }
    assert_eq!(add("hooks: {} # none\na: 1\n").unwrap(), BLOCK.replacen("hooks:", "hooks: # none", 1) + "a: 1\n");
    for before in ["hooks:\n  pre_tool_call: []\n", "hooks:\n  pre_tool_call:\n"] {
        assert_eq!(add(before).unwrap(), BLOCK, "{before}");
    }
    assert_eq!(LIST.strip(BLOCK).unwrap(), "");
}

#[test]
fn an_older_item_is_replaced_and_of_several_one_is_left() {
    let old = "hooks:\n  pre_tool_call:\n    - command: guard old\n    - command: >-\n        guard\n        older\n\n    - command: ./x\n";
    let wanted = format!("{BLOCK}    - command: ./x\n");
    let after = add(old).unwrap();
    assert_eq!(after.replace("\n\n", "\n"), wanted);
    assert_eq!(
        add("hooks:\n  pre_tool_call:\n  - timeout: 3\n    command: guard old\nz: 1\n").unwrap(),
        format!("z: 1\n{BLOCK}")
    );
}

#[test]
fn a_file_of_another_layout_is_refused_with_what_to_add() {
    let wanted = r#"add this item to `pre_tool_call` of `hooks`: {"command":"guard 'it''s' \"x\" # y","timeout":20}"#;
    for (text, place) in [
        ("{ hooks: { pre_tool_call: [ { command: x } ] } }\n", "1:1: "),
        ("a: 1\nhooks: { pre_tool_call: [ { command: x } ] }\n", "2:8: "),
        ("hooks:\n  pre_tool_call: [ { command: x } ]\n", "2:18: "),
        ("x: &x\n  on: []\nhooks: *x\n", "3:8: "),
        ("hooks: text\n", "1:8: "),
        ("- a\n", "1:1: "),
        ("text\n", "1:1: "),
        ("a: 1\n...\n", "1:1: "),
        ("hooks:\nhooks: {}\n", "1:1: "),
    ] {
        let error = add(text).unwrap_err().to_string();
        assert!(error.starts_with(place) && error.contains(wanted), "{text}: {error}");
    }
    for (text, place) in [("a: [\n", ""), ("a: 1\n---\nb: 2\n", "2:1: "), ("a: 'b\n", ""), ("a: 1\n b: 2\n", "")] {
        let error = add(text).unwrap_err().to_string();
        assert!(error.starts_with(place), "{text}: {error}");
    }
}

#[test]
fn a_deep_text_is_refused_on_the_default_stack() {
    for text in ["[".repeat(5_000), "a: {b: ".repeat(5_000), "- ".repeat(5_000), "? ".repeat(5_000)] {
        assert!(add(&text).is_err());
    }
    let many = "- a\n".repeat(5_000);
    let list = format!("hooks:\n  pre_tool_call:\n{}", many.replace("- a", "    - command: a"));
    let after = add(&list).unwrap();
    assert_eq!(LIST.strip(&after).unwrap(), list);
}

#[test]
fn scalars_are_read_as_the_harness_reads_them() {
    let read = value("a: yes\nb: 'yes'\nc: 20\nd: 1.5\ne: nan\nf:\ng: !!str 1\n").unwrap();
    assert_eq!(read, json!({ "a": true, "b": "yes", "c": 20, "d": 1.5, "e": "nan", "f": null, "g": "1" }));
}

/// Generates lines that often are valid YAML when they are joined.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "a: 1",
        "hooks:",
        "hooks: {}",
        "  pre_tool_call:",
        "  - command: x",
        "    - command: x",
        "      timeout: 3",
        "  b:",
        "# c",
        "  # c",
        "    - {command: guard old}",
        "    - command: |",
        "        guard x",
        "",
        "  post: []",
        "x: |+",
        "  t",
        "  pre_tool_call: []",
        "\"hooks\":",
        "  'pre_tool_call': # d",
    ]);
    prop::collection::vec(line, 0..9).prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

proptest! {
    #[test]
    fn an_edit_changes_only_its_own_item(text in lines()) {
        let Ok(before) = value(&text) else { return Ok(()) };
        if let Ok(after) = add(&text) {
            let read = value(&after).unwrap();
            prop_assert_eq!(&read["hooks"]["pre_tool_call"][0], &item().value);
            prop_assert_eq!(&add(&after).unwrap(), &after);
            if LIST.own_items(&before).is_empty() {
                let old = text.lines().filter(|line| !line.contains("hooks") && !line.contains("pre_tool_call"));
                let mut rest = after.lines();
                prop_assert!(old.into_iter().all(|line| rest.any(|other| other == line)), "{after}");
                // A block scalar that keeps trailing empty lines would include those after the hooks. In that case the
                // file is unchanged.
                let stripped = LIST.strip(&after);
                prop_assert!(stripped.is_ok() || text.contains("|+"), "{after}");
                prop_assert!(stripped.is_err() || LIST.own_items(&value(&stripped.unwrap()).unwrap()).is_empty());
            }
        }
    }
}
