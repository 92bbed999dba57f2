//! The available functions, each with a result that was written by hand.

#![cfg(test)]

use guard_sdk::serde_json::json;
use guard_sdk::testing::World;
use policy_rego::Rego;

/// Returns the denials of a text that tests whether these conditions are true: none, or the first that is false.
fn ask(conditions: &[&str]) -> Result<Vec<String>, String> {
    let rule = |condition: &&str| format!("deny contains `{condition}` if not hold_{}\n", at(conditions, condition));
    let holds = |condition: &&str| format!("hold_{} if {{ {condition} }}\n", at(conditions, condition));
    let text: String = conditions.iter().flat_map(|condition| [rule(condition), holds(condition)]).collect();
    let settings = json!({ "file": "t.rego", "text": format!("package guard\n\n{text}") });
    let decision = World::default().decide::<Rego>(&settings.to_string(), "Bash", r#"{"command": "ls"}"#)?;
    Ok(decision.findings.into_iter().map(|finding| finding.message).collect())
}

fn at(conditions: &[&str], condition: &str) -> usize {
    conditions.iter().position(|one| *one == condition).unwrap()
}

#[track_caller]
fn hold(conditions: &[&str]) {
    assert_eq!(ask(conditions), Ok(Vec::new()));
}

#[track_caller]
fn fails(expression: &str) {
    let error = ask(&[&format!("{expression} == 1")]).unwrap_err();
    let (function, _) = expression.split_once('(').unwrap();
    assert!(error.contains(function), "{expression}: {error}");
}

#[test]
fn patterns() {
    hold(&[
        r#"regex.match("^a.c$", "abc")"#,
        r#"not regex.match("^a.c$", "ab")"#,
        r#"regex.split("[,;] *", "a, b;c") == ["a", "b", "c"]"#,
        r#"regex.find_n("[0-9]+", "a1 b22 c333", 2) == ["1", "22"]"#,
        r#"regex.find_n("[0-9]+", "a1 b22", -1) == ["1", "22"]"#,
        r#"regex.find_all_string_submatch_n("(a)(b*)", "ab abb", -1) == [["ab", "a", "b"], ["abb", "a", "bb"]]"#,
        r#"regex.replace("a-b-c", "-", "/") == "a/b/c""#,
        r#"regex.replace("john smith", "(\\w+) (\\w+)", "$2 $1") == "smith john""#,
        r#"regex.is_valid("[a-z]")"#,
        r#"not regex.is_valid("[a-z")"#,
        r#"regex.template_match("urn:foo:{.*}", "urn:foo:bar:baz", "{", "}")"#,
        r#"glob.match("*.example.org", ["."], "api.example.org")"#,
        r#"not glob.match("*.example.org", ["."], "a.b.example.org")"#,
        r#"glob.match("**.example.org", ["."], "a.b.example.org")"#,
        r#"glob.match("src/*", ["/"], "src/main.rs")"#,
        r#"not glob.match("src/*", ["/"], "src/a/main.rs")"#,
        r#"glob.quote_meta("a*") == "a\\*""#,
    ]);
}

#[test]
fn texts() {
    hold(&[
        r#"concat("-", ["a", "b"]) == "a-b""#,
        r#"contains("abc", "bc")"#,
        r#"startswith("abc", "ab"); endswith("abc", "bc")"#,
        r#"indexof("abc", "c") == 2"#,
        r#"indexof_n("abab", "b") == [1, 3]"#,
        r#"lower("AbC") == "abc"; upper("AbC") == "ABC""#,
        r#"replace("a.b.c", ".", "/") == "a/b/c""#,
        r#"split("a/b", "/") == ["a", "b"]"#,
        r#"sprintf("%s-%d-%v", ["a", 1, [true]]) == "a-1-[true]""#,
        r#"substring("abcdef", 1, 3) == "bcd""#,
        r#"trim("--a--", "-") == "a"; trim_left("--a-", "-") == "a-"; trim_right("-a--", "-") == "-a""#,
        r#"trim_prefix("ab", "a") == "b"; trim_suffix("ab", "b") == "a"; trim_space(" a ") == "a""#,
        r#"strings.reverse("abc") == "cba"; strings.count("aXbXc", "X") == 2"#,
        r#"strings.replace_n({"a": "1", "b": "2"}, "abc") == "12c""#,
        r#"strings.any_prefix_match(["abc", "x"], ["ab"]); strings.any_suffix_match("abc", ["bc"])"#,
        r#"format_int(255, 16) == "ff""#,
        r#"units.parse_bytes("1KB") == 1000; units.parse("2K") == 2000"#,
        r#"semver.compare("1.2.3", "1.10.0") == -1; semver.is_valid("1.2.3")"#,
    ]);
}

#[test]
fn lists_sets_and_objects() {
    hold(&[
        r#"array.concat([1], [2]) == [1, 2]; array.reverse([1, 2]) == [2, 1]; array.slice([1, 2, 3], 1, 2) == [2]"#,
        r#"count([1, 2]) == 2; sum([1, 2]) == 3; product([2, 3]) == 6; max([1, 3, 2]) == 3; min([2, 1]) == 1"#,
        r#"sort([3, 1, 2]) == [1, 2, 3]"#,
        r#"{1, 2} & {2, 3} == {2}; {1} | {2} == {1, 2}; {1, 2} - {2} == {1}"#,
        r#"intersection({{1, 2}, {2}}) == {2}; union({{1}, {2}}) == {1, 2}"#,
        r#"object.get({"a": {"b": 1}}, ["a", "b"], 0) == 1; object.get({}, "a", 0) == 0"#,
        r#"object.keys({"a": 1}) == {"a"}; object.remove({"a": 1, "b": 2}, ["a"]) == {"b": 2}"#,
        r#"object.union({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}; object.filter({"a": 1, "b": 2}, ["a"]) == {"a": 1}"#,
        r#"object.subset({"a": {"b": 1}, "c": 2}, {"a": {"b": 1}}); object.union_n([{"a": 1}, {"a": 2}]) == {"a": 2}"#,
        r#"numbers.range(1, 3) == [1, 2, 3]; numbers.range_step(1, 5, 2) == [1, 3, 5]"#,
        r#"bits.and(6, 3) == 2; abs(-1) == 1; round(1.6) == 2; ceil(1.2) == 2; floor(1.8) == 1; 7 % 4 == 3"#,
        r#"is_string("a"); is_array([]); is_set({1}); is_object({}); is_number(1); is_boolean(true); is_null(null)"#,
        r#"type_name([]) == "array"; to_number("12") == 12"#,
        r#"graph.reachable({"a": ["b"], "b": []}, {"a"}) == {"a", "b"}"#,
        r#"[p | walk({"a": [1]}, [p, 1])] == [["a", 0]]"#,
    ]);
}

#[test]
fn documents() {
    hold(&[
        r#"json.unmarshal("{\"a\": [1]}") == {"a": [1]}; json.marshal({"a": 1}) == "{\"a\":1}"; json.is_valid("[]")"#,
        r#"json.filter({"a": {"b": 1, "c": 2}}, ["a/b"]) == {"a": {"b": 1}}"#,
        r#"json.remove({"a": {"b": 1, "c": 2}}, ["a/b"]) == {"a": {"c": 2}}"#,
        r#"json.patch({"a": 1}, [{"op": "add", "path": "/b", "value": 2}]) == {"a": 1, "b": 2}"#,
        r#"base64.encode("hi") == "aGk="; base64.decode("aGk=") == "hi"; base64.is_valid("aGk=")"#,
        r#"base64url.encode("??>") == "Pz8-"; base64url.encode_no_pad("hi") == "aGk"; base64url.decode("Pz8-") == "??>""#,
        r#"hex.encode("hi") == "6869"; hex.decode("6869") == "hi""#,
    ]);
}

#[test]
fn addresses() {
    hold(&[
        r#"net.cidr_contains("10.0.0.0/8", "10.1.2.3"); not net.cidr_contains("10.0.0.0/8", "11.0.0.1")"#,
        r#"net.cidr_contains("10.0.0.0/8", "10.1.0.0/16"); not net.cidr_contains("10.1.0.0/16", "10.0.0.0/8")"#,
        r#"net.cidr_contains("0.0.0.0/0", "1.2.3.4"); not net.cidr_contains("0.0.0.0/0", "::1")"#,
        r#"net.cidr_contains("10.1.2.3/32", "10.1.2.3"); not net.cidr_contains("10.1.2.3/32", "10.1.2.2")"#,
        r#"net.cidr_contains("2001:db8::/32", "2001:db8:1::1"); not net.cidr_contains("2001:db8::/32", "2001:db9::1")"#,
        r#"net.cidr_intersects("10.1.0.0/16", "10.0.0.0/8"); not net.cidr_intersects("10.0.0.0/9", "10.128.0.0/9")"#,
        r#"net.cidr_is_valid("10.0.0.0/8"); net.cidr_is_valid("::/0"); not net.cidr_is_valid("10.0.0.0/33")"#,
        r#"not net.cidr_is_valid("10.0.0.0"); not net.cidr_is_valid("10.0.0.0/+8"); not net.cidr_is_valid("x/8")"#,
    ]);
    fails(r#"net.cidr_contains("10.0.0.0", "10.0.0.0")"#);
    fails(r#"net.cidr_contains("10.0.0.0/8", "localhost")"#);
}

#[test]
fn times_that_are_given() {
    // 1700000000 seconds are 2023-11-14 22:13:20.
    hold(&[
        "time.date(1700000000000000000) == [2023, 11, 14]; time.clock(1700000000000000000) == [22, 13, 20]",
        r#"time.date([1700000000000000000, "UTC"]) == [2023, 11, 14]; time.date([0, ""]) == [1970, 1, 1]"#,
        r#"time.weekday(0) == "Thursday"; time.weekday(1700000000000000000) == "Tuesday"; time.weekday(-1) == "Wednesday""#,
        "time.date(-1) == [1969, 12, 31]; time.clock(-1) == [23, 59, 59]",
        // 2000 and 2024 are leap years, 1900 and 2100 aren't.
        r#"time.date(time.parse_rfc3339_ns("2000-02-29T00:00:00Z")) == [2000, 2, 29]"#,
        r#"time.date(time.parse_rfc3339_ns("1900-03-01T00:00:00Z") - 1) == [1900, 2, 28]"#,
        r#"time.date(time.parse_rfc3339_ns("2024-03-01T00:00:00Z") - 1) == [2024, 2, 29]"#,
        r#"time.parse_rfc3339_ns("2023-11-14T22:13:20Z") == 1700000000000000000"#,
        r#"time.parse_rfc3339_ns("2023-11-14T23:13:20.5+01:00") == 1700000000500000000"#,
        r#"time.parse_rfc3339_ns("2023-11-14T20:43:20-01:30") == 1700000000000000000"#,
        r#"time.format(1700000000000000000) == "2023-11-14T22:13:20Z"; time.format(50000000) == "1970-01-01T00:00:00.05Z""#,
        r#"time.parse_duration_ns("1h30m") == 5400000000000; time.parse_duration_ns("-1.5s") == -1500000000"#,
        r#"time.parse_duration_ns("2us") == 2000; time.parse_duration_ns("0") == 0; time.parse_duration_ns("3ms4ns") == 3000004"#,
        r#"time.date(time.add_date(time.parse_rfc3339_ns("2023-01-31T10:00:00Z"), 0, 1, 0)) == [2023, 3, 3]"#,
        r#"time.date(time.add_date(time.parse_rfc3339_ns("2023-01-31T10:00:00Z"), 1, -2, 1)) == [2023, 12, 2]"#,
        r#"time.diff(time.parse_rfc3339_ns("2024-03-01T01:00:00Z"), time.parse_rfc3339_ns("2023-01-31T02:30:10Z")) == [1, 1, 0, 22, 29, 50]"#,
        "time.diff(0, 0) == [0, 0, 0, 0, 0, 0]",
    ]);
    for expression in [
        "time.now_ns()",
        r#"time.parse_rfc3339_ns("2023-02-29T00:00:00Z")"#,
        r#"time.parse_rfc3339_ns("2023-13-01T00:00:00Z")"#,
        r#"time.parse_rfc3339_ns("2023-11-14 22:13:20Z")"#,
        r#"time.parse_rfc3339_ns("9999-01-01T00:00:00Z")"#,
        r#"time.parse_duration_ns("1 h")"#,
        r#"time.parse_duration_ns("")"#,
        r#"time.parse_duration_ns("9999999999999999999h")"#,
        r#"time.date([0, "Europe/Berlin"])"#,
        r#"time.date("x")"#,
        "time.add_date(9223372036854775807, 1, 0, 0)",
    ] {
        fails(expression);
    }
}
