//! Invalid texts, and functions that must not be available.

#![cfg(test)]

use guard_sdk::serde_json::json;
use guard_sdk::testing::World;
use guard_sdk::{Decision, Outcome};
use policy_rego::Rego;

fn ask(settings: &guard_sdk::serde_json::Value) -> Result<Decision, String> {
    World::default().decide::<Rego>(&settings.to_string(), "Bash", r#"{"command": "ls", "list": [3, 1, 2]}"#)
}

fn decide(text: &str) -> Result<Decision, String> {
    ask(&json!({ "file": "team.rego", "text": text }))
}

#[track_caller]
fn fails(text: &str, place: &str, part: &str) {
    let error = decide(text).unwrap_err();
    assert!(error.starts_with(place) && error.contains(part) && !error.contains('\n'), "{text:?}: {error}");
}

#[test]
fn a_text_that_does_not_parse_is_refused_with_line_and_column() {
    fails("package guard\n\ndeny contains {\n", "team.rego:4:1: ", "expression");
    fails("package guard\ndeny contains x if { x := }\n", "team.rego:2:24: ", "");
    fails("package guard\nwarn contains \"open\n", "team.rego:2:20: ", "string");
    fails("deny := true\n", "team.rego:1:1: ", "package");
    fails("package guard\ndeny[x] { x := 1 }\n", "team.rego:2:", "write `deny contains msg if { ... }`");
}

#[test]
fn a_rule_of_older_versions_that_would_have_no_message_is_refused_with_the_right_form() {
    for head in ["deny[msg]", "ask[msg]", "warn[msg]"] {
        let name = head.split('[').next().unwrap();
        let text = format!("package guard\n{head} if {{ input.input.command == \"zz\"; msg := \"no\" }}\n");
        fails(&text, "team.rego:2:", &format!("write `{name} contains msg if`"));
    }
    // With a value, the key names the rule.
    decide("package guard\ndeny[\"x\"] := \"no\" if { input.tool == \"Bash\" }\n").unwrap();
    decide("package guard\ndeny if { input.tool == \"Bash\" }\n").unwrap();
}

#[test]
fn what_cannot_be_resolved_is_refused_before_any_call() {
    fails("package guard\ndeny contains x if { y > 1 }\n", "team.rego:2:", "");
}

#[test]
fn a_key_that_nothing_has_is_refused_before_any_call() {
    for (condition, place, key) in [
        ("input.tol == \"Bash\"", "team.rego:3:9: ", "`tol`"),
        ("some x in input.analysis.comands; x.certain", "team.rego:3:28: ", "`comands`"),
        ("input.context.pwd == \"/\"", "team.rego:3:17: ", "`pwd`"),
        ("\"main\" in data.brnches", "team.rego:3:18: ", "`brnches`"),
        ("x := [y | y := data.other[_]]; count(x) > 1", "team.rego:3:23: ", "`other`"),
    ] {
        fails(&format!("package guard\ndeny contains \"x\" if {{\n  {condition}\n}}\n"), place, key);
    }
    fails("package guard\nimport data.other\ndeny contains \"x\" if other.x\n", "team.rego:2:13: ", "`other`");
    let known = "package guard\nimport data.a as b\nh := 1\ndeny contains \"x\" if { input.input.anything; b.c; data.guard.h }\n";
    ask(&json!({ "text": known, "data": { "a": {} } })).unwrap();
}

#[test]
fn a_misspelt_key_behind_an_element_is_refused_before_any_call() {
    for (condition, place, key) in [
        ("some e in input.analysis.effects; e.operaton == \"x.y\"", "team.rego:3:39: ", "`operaton`"),
        ("input.analysis.effects[_].operatoin", "team.rego:3:29: ", "`operatoin`"),
        ("input.analysis.effects[0].path.canonicl", "team.rego:3:34: ", "`canonicl`"),
        ("effect := input.analysis.effects[_]; effect.traget", "team.rego:3:47: ", "`traget`"),
        ("a := input.analysis; some c in a.commands; c.agv", "team.rego:3:48: ", "`agv`"),
        ("every e in input.analysis.effects { e.servity != \"x\" }", "team.rego:3:41: ", "`servity`"),
        ("count([c | some c in input.analysis.commands; c.prgram]) > 0", "team.rego:3:51: ", "`prgram`"),
        ("not input.analysis.commands[_].certan", "team.rego:3:34: ", "`certan`"),
        ("input[\"analysis\"].comands", "team.rego:3:21: ", "`comands`"),
        ("input.analysis[\"comands\"]", "team.rego:3:19: ", "`comands`"),
        ("some i; input.analysis.commands[i].words[_].txt", "team.rego:3:47: ", "`txt`"),
        ("input.input.comand == \"ls\"", "team.rego:3:15: ", "`comand`"),
        ("some h in input.history; h.targt", "team.rego:3:30: ", "`targt`"),
    ] {
        fails(&format!("package guard\ndeny contains \"x\" if {{\n  {condition}\n}}\n"), place, key);
    }
    for condition in [
        "some e in input.analysis.effects; e.tags.anything",
        "some x in input.input.list; x.y",
        "some _, c in input.analysis.commands; c.argv[0] == \"ls\"",
        "count([c | some c in input.analysis.commands; c.argv]) + count([c | some c in input.analysis.effects; c.target]) >= 0",
        "input.input.commands; input.input.filepath; input.input.context",
        "x := input.input; x.anything",
        "e := data.guard.h; e.x",
        "object.get(input.input, \"anything\", \"\") == \"\"",
    ] {
        let text = format!("package guard\nh := {{\"x\": 1}}\ndeny contains \"x\" if {{\n  {condition}\n}}\n");
        assert!(decide(&text).is_ok(), "{condition}: {:?}", decide(&text));
    }
    let helper =
        "package guard\nis_main(e) if e.operaton == \"x\"\ndeny contains \"x\" if is_main({\"operaton\": 1})\n";
    assert!(decide(helper).is_ok());
    let imported = "package guard\nimport input.analysis as a\ndeny contains \"x\" if a.effects[_].operaton\n";
    fails(imported, "team.rego:3:", "`operaton`");
}

#[test]
fn a_misspelt_key_behind_a_function_or_a_helper_is_refused_before_any_call() {
    let effects = "some e in input.analysis.effects";
    for (helper, condition, key) in [
        ("bad(e) if e.operaton == \"x.y\"", "some e in input.analysis.effects; bad(e)", "`operaton`"),
        ("bad(e, n) if { n > 0; e.tags.manger == \"npm\" }", "some e in input.analysis.effects; bad(e, 1)", "`manger`"),
        ("bad(e) := worse(e)\nworse(e) := e.traget", "bad(input.analysis.effects[_]) == \"x\"", "`traget`"),
        ("bad(e) if startswith(e.operation, \"packge.\")", "some e in input.analysis.effects; bad(e)", "`packge.`"),
        ("bad(c) if c.agv[0] == \"ls\"", "some c in input.analysis.commands; data.guard.bad(c)", "`agv`"),
        (&format!("all contains e if {effects}"), "some e in all; e.traget == \"x\"", "`traget`"),
        (&format!("all := [e | {effects}; e.certain]"), "all[_].traget == \"x\"", "`traget`"),
        (&format!("all := {{e.path | {effects}}}"), "every p in all { p.canonicl != \"x\" }", "`canonicl`"),
        (
            &format!("all contains e if {effects}\nsome_of contains e if some e in all"),
            "some e in some_of; e.knd",
            "`knd`",
        ),
        ("x := input.analysis", "x.comands", "`comands`"),
        ("first := input.analysis.effects[0]", "data.guard.first.sevrity == \"x\"", "`sevrity`"),
    ] {
        fails(&format!("package guard\n{helper}\ndeny contains \"x\" if {{\n  {condition}\n}}\n"), "team.rego:", key);
    }
    for (helper, condition) in [
        ("bad(e) if e.operaton == \"x\"", "bad({\"operaton\": 1})"),
        ("bad(e) if e.name == \"x\"", "some e in array.concat(input.analysis.effects, [{\"name\": 1}]); bad(e)"),
        ("bad(x) if x.targt", "bad(input.analysis.effects[0]); bad(data.guard.own)"),
        ("bad(x) if x.y\nunused(e) if e.operaton", "bad(input.input.list)"),
        ("all contains e if some e in input.analysis.effects\nall contains {\"name\": \"x\"}", "some e in all; e.name"),
        ("default x := {\"a\": 1}\nx := input.analysis if input.tool == \"Nope\"", "x.a"),
    ] {
        let text =
            format!("package guard\nown := {{\"targt\": 1}}\n{helper}\ndeny contains \"x\" if {{\n  {condition}\n}}\n");
        assert!(decide(&text).is_ok(), "{helper}: {:?}", decide(&text));
    }
    // Tests pass made-up values to functions.
    let tested = "package guard\nbad(e) if e.operaton == 1\ntest_bad if bad({\"operaton\": 1})\ndeny contains \"x\" if bad(input.analysis.effects[_])\n";
    fails(tested, "team.rego:2:13: ", "`operaton`");
}

/// A long chain of helpers, and a large number of them.
#[test]
fn helpers_are_followed_at_little_cost() {
    let chain: String = (1..5_000).map(|number| format!("h{number} := h{}\n", number - 1)).collect();
    let text = format!(
        "package guard\nh0 := input.analysis\n{chain}deny contains \"x\" if {{\n  input.tool == \"Nope\"\n  h4999.coverage == \"x\"\n}}\n"
    );
    assert!(decide(&text).is_ok());
}

#[test]
fn a_misspelt_value_in_a_constant_or_a_pattern_is_refused_before_any_call() {
    let each = "some e in input.analysis.effects";
    for (helper, condition, value) in [
        ("ops := {\"git.push\", \"package.instal\"}", "e.operation in ops", "`package.install`"),
        ("ops := [\"package.instal\"]", "e.operation in data.guard.ops", "`package.install`"),
        ("ops := {\"package.instal\": \"no\"}", "ops[e.operation]", "`package.install`"),
        ("op := \"package.instal\"", "e.operation == op", "`package.install`"),
        ("start := \"git.psuh.\"", "startswith(e.operation, start)", "`git.push.`"),
        (
            "ops contains e.operation if some e in input.analysis.effects",
            "\"package.instal\" in ops",
            "`package.install`",
        ),
        ("h := 1", "op := \"package.instal\"; e.operation == op", "`package.install`"),
        ("h := 1", "regex.match(`^packge`, e.operation)", "`packge`"),
        ("h := 1", "regex.match(`^git\\.psuh(\\.|$)`, e.operation)", "`git.psuh`"),
        ("h := 1", "glob.match(\"git.psuh.*\", [\".\"], e.operation)", "`git.push.`"),
        ("h := 1", "e.kind == \"packge\"", "unknown kind `packge`, expected one of `package`"),
        ("h := 1", "e.tags.manger == \"npm\"", "`manager`"),
        ("h := 1", "object.get(e, \"operaton\", \"\") == \"x\"", "`operaton`"),
        ("h := 1", "object.get(e, [\"path\", \"canonicl\"], \"\") == \"x\"", "`canonicl`"),
        ("h := 1", "object.get(input.input, \"comand\", \"\") == e.target", "`command`"),
    ] {
        let text = format!("package guard\n{helper}\ndeny contains \"x\" if {{\n  {each}; {condition}\n}}\n");
        fails(&text, "team.rego:", value);
    }
    for (helper, condition) in [
        ("ops := {\"git.push\", \"teapot.boil\"}", "e.operation in ops"),
        ("ops := {\"package.instal\"}", "e.target in ops"),
        ("ops := {\"package.instal\": 1} if input.tool == \"Nope\"", "ops[e.target]"),
        ("h := 1", "op := e.target; e.operation == op"),
        ("h := 1", "regex.match(`^pack(age)?`, e.operation); regex.match(`packge`, e.operation)"),
        ("h := 1", "regex.match(`^packge`, e.target); glob.match(\"*.push\", [\".\"], e.operation)"),
        ("h := 1", "e.kind == \"quantum\"; e.path.kind == \"packge\""),
        ("h := 1", "object.get(e, [\"tags\", \"x\"], \"\") == \"\"; object.get(e.tags, \"verb\", \"\")"),
    ] {
        let text = format!("package guard\n{helper}\ndeny contains \"x\" if {{\n  {each}; {condition}\n}}\n");
        assert!(decide(&text).is_ok(), "{helper} {condition}: {:?}", decide(&text));
    }
}

#[test]
fn a_misspelt_value_of_a_known_vocabulary_is_refused_before_any_call() {
    for (condition, place, value) in [
        ("input.tool == \"bash\"", "team.rego:3:18: ", "unknown tool `bash`, expected one of `Bash`"),
        ("\"Bsh\" != input.tool", "team.rego:3:4: ", "unknown tool `Bsh`, expected one of `Bash`"),
        ("input.tool in {\"Write\", \"Eidt\"}", "team.rego:3:28: ", "`Edit`"),
        ("input.analysis.effects[_].operation == \"package.instal\"", "team.rego:3:43: ", "`package.install`"),
        ("input.analysis.effects[_].operation == \"write\"", "team.rego:3:43: ", "`fs.write`"),
        ("input.analysis.effects[_].operation == \"push\"", "team.rego:3:43: ", "`git.push`"),
        ("input.analysis.effects[_].operation == \"exec\"", "team.rego:3:43: ", "`execute.decoded`"),
        ("input.analysis.effects[_].operation == \"file.write\"", "team.rego:3:43: ", "`fs.write`"),
        ("some e in input.analysis.effects; startswith(e.operation, \"git.psuh.\")", "team.rego:3:62: ", "`git.push.`"),
        ("some e in input.analysis.effects; e.severity == \"high\"", "team.rego:3:52: ", "`destructive`"),
        ("input.analysis.coverage = \"full\"", "team.rego:3:30: ", "`partial`"),
    ] {
        fails(&format!("package guard\ndeny contains \"x\" if {{\n  {condition}\n}}\n"), place, value);
    }
    for condition in [
        "input.tool == \"mcp__box__run\"",
        "input.tool == \"Frobnicate\"",
        "input.tool in {\"Bash\", \"Write\"}",
        "some e in input.analysis.effects; startswith(e.operation, \"git.push.\")",
        "some e in input.analysis.effects; e.operation == \"teapot.boil\"",
        "some e in input.analysis.effects; e.operation == \"git.refs\"",
        "some e in input.analysis.effects; e.target == \"package.instal\"",
        "input.input.command == \"bash\"",
    ] {
        let text = format!("package guard\ndeny contains \"x\" if {{\n  {condition}\n}}\n");
        assert!(decide(&text).is_ok(), "{condition}: {:?}", decide(&text));
    }
}

#[test]
fn a_name_of_the_head_without_a_value_is_refused_before_any_call() {
    let text = |head: &str, body: &str| format!("package guard\nimport data.own\nhelp := 1\n{head} if {{ {body} }}\n");
    let rule = |head: &str, body: &str| json!({ "file": "team.rego", "text": text(head, body), "data": { "own": 1 } });
    for (head, place) in [
        ("deny contains msg", "team.rego:4:15: `msg` never gets a value"),
        ("deny contains sprintf(\"%s\", [msg])", "team.rego:4:30: `msg` never gets a value"),
        ("deny := {\"message\": msg}", "team.rego:4:21: `msg` never gets a value"),
    ] {
        let error = ask(&rule(head, "input.tool == \"none\"")).unwrap_err();
        assert!(error.starts_with(place), "{error}");
    }
    for (head, body) in [
        ("deny contains msg", "msg := \"x\""),
        ("deny contains msg", "some msg in input.input.list; msg == \"\""),
        ("deny contains msg", "{\"a\": msg} = {\"a\": \"b\"}"),
        ("deny contains [\"a\", \"b\"][i]", "{0: 0}[i] == 0"),
        ("deny contains sprintf(\"%v%v\", [help, own])", "true"),
        ("deny contains concat(\"\", [x | x := \"a\"])", "true"),
    ] {
        assert!(ask(&rule(head, body)).is_ok(), "{head} {body}: {:?}", ask(&rule(head, body)));
    }
}

#[test]
fn a_text_that_could_never_say_anything_is_refused() {
    fails("package guard\nallowed := true\n", "team.rego: ", "`allow`");
    fails("package guard\nask := true\ndeny(x) := x\n", "team.rego:3:1: ", "`deny`");
    fails("package team\ndeny := true\n", "team.rego: ", "`package guard`");
    fails("package guard.team\ndeny := true\n", "team.rego: ", "`guard.team`");
    let error = ask(&json!({})).unwrap_err();
    assert!(error.contains("settings-file"), "{error}");
    let error = ask(&json!({ "text": "package guard\ndeny := true", "txt": "" })).unwrap_err();
    assert!(error.contains("`txt`"), "{error}");
    let error = ask(&json!({ "text": "package guard\ndeny := true", "data": { "guard": { "deny": 1 } } })).unwrap_err();
    assert!(error.contains("`data.guard.deny`"), "{error}");
    let error = ask(&json!({ "text": "package guard\ndeny := true", "data": { "guard": 1 } })).unwrap_err();
    assert!(error.contains("`data.guard`"), "{error}");
}

#[test]
fn a_misspelt_rule_or_key_of_a_finding_is_refused() {
    let text = |head: &str, key: &str| {
        format!("package guard\nask := true if input.tool == \"X\"\n{head} {{\"{key}\": \"m\"}} if 1 == 1\n")
    };
    for head in ["denny contains", "dney contains", "Deny contains", "den :=", "wran contains"] {
        let name = head.split(' ').next().unwrap();
        fails(&text(head, "message"), "team.rego:3:1: ", &format!("`{name}`"));
    }
    for (head, place) in [("deny contains", "17"), ("deny[\"x\"] :=", "16"), ("deny :=", "11")] {
        for (key, meant) in [("remdy", "remedy"), ("Message", "message"), ("rules", "rule")] {
            fails(&text(head, key), &format!("team.rego:3:{place}: "), &format!("`{key}`"));
            fails(&text(head, key), "", &format!("`{meant}`"));
        }
    }
    // Used helpers, and names that resemble no other.
    for rules in [
        "denny contains \"x\" if 1 == 1\ndeny contains x if some x in denny\n",
        "denny contains \"x\" if 1 == 1\ndeny contains x if some x in data.guard[\"denny\"]\n",
        "unrelated contains \"x\"\ndeny contains \"y\" if 1 == 1\n",
    ] {
        assert_eq!(decide(&format!("package guard\n{rules}")).unwrap().outcome, Outcome::Deny, "{rules}");
    }
}

/// Many similar names in one list.
#[test]
fn many_rules_with_a_near_name_cost_little() {
    let rules: String = (0..5_000).map(|number| format!("asks contains {number} if 1 == 1\n")).collect();
    let text = format!("package guard\n{rules}deny contains \"x\" if count(asks) > 1\n");
    assert_eq!(decide(&text).unwrap().outcome, Outcome::Deny);
}

#[test]
fn a_pattern_or_a_function_that_cannot_work_is_refused_before_any_call() {
    let rule = |condition: &str| {
        format!("package guard\n\ndeny contains \"x\" if {{\n    input.tool == \"none\"\n    {condition}\n}}\n")
    };
    for (condition, place, part) in [
        ("regex.match(\"(\", input.tool)", "team.rego:5:18: ", "`(`"),
        ("regex.match(`a(?!b)`, input.tool)", "team.rego:5:18: ", "`a(?!b)`"),
        ("count([x | x := regex.split(`[`, input.tool)]) > 0", "team.rego:5:34: ", "`[`"),
        ("regex.replace(input.tool, `*`, \"\") == \"\"", "team.rego:5:32: ", "`*`"),
        ("regex.match(`\\p{Nope}`, input.tool)", "team.rego:5:18: ", "Nope"),
        ("starts_with(input.tool, \"x\")", "team.rego:5:", "starts_with"),
        ("not regex.macth(`x`, input.tool)", "team.rego:5:", "regex.macth"),
        ("every x in input.input.list { nope(x) }", "team.rego:5:", "nope"),
    ] {
        fails(&rule(condition), place, part);
    }
}

#[test]
fn patterns_know_the_classes_of_unicode() {
    for (pattern, text) in [
        (r"^\s\d+\b", " 12 x"),
        (r"(?i)^ÄPFEL$", "äpfel"),
        (r"^\p{L}+$", "größe"),
        (r"^\w+$", "größe_1"),
        (r"^\W\D\S\B", "--ab"),
    ] {
        let rule = format!("package guard\n\ndeny contains \"x\" if regex.match(`{pattern}`, \"{text}\")\n");
        assert_eq!(decide(&rule).unwrap().outcome, Outcome::Deny, "{pattern}");
    }
    let own = "package guard\n\nhas(x) if x == input.tool\n\nask contains \"x\" if has(\"Bash\")\n";
    assert!(decide(own).is_ok());
}

#[test]
fn a_rule_may_be_named_by_a_key_that_is_written_out() {
    let named = |tool: &str| {
        decide(&format!(
            "package guard\n\nask[\"x\"] := message if {{\n    input.tool == \"{tool}\"\n    message := \"m\"\n}}\n"
        ))
    };
    let answer = named("Bash").unwrap();
    assert_eq!((answer.outcome, answer.findings[0].tags[0].1.as_str()), (Outcome::Ask, "x"));
    assert_eq!(named("none").unwrap().outcome, Outcome::Abstain);
}

#[test]
fn nothing_impure_is_offered() {
    for call in [
        "http.send({\"method\": \"get\", \"url\": \"http://localhost\"})",
        "time.now_ns()",
        "rand.intn(\"x\", 100)",
        "uuid.rfc4122(\"x\")",
        "opa.runtime()",
        "net.lookup_ip_addr(\"localhost\")",
    ] {
        let name = call.split('(').next().unwrap();
        let text = format!("package guard\ndeny contains sprintf(\"%v\", [x]) if {{ x := {call} }}\n");
        fails(&text, "team.rego:2:", name);
    }
}

#[test]
fn an_error_of_evaluation_is_a_fault_and_never_silence() {
    fails("package guard\ndeny contains \"x\" if to_number(\"one\") == 1\n", "team.rego:2:", "");
    fails("package guard\nx := 1 if true\nx := 2 if true\nwarn contains \"x\" if x == 1\n", "team.rego:", "");
    fails("package guard\ndeny contains 1\n", "`deny`", "");
    fails("package guard\ndeny contains \"x\" if a\na if b\nb if a\n", "team.rego:", "recurs");
}

/// A deny is reported even if other rules fail.
#[test]
fn a_deny_outranks_a_fault() {
    let broken = "ask contains \"x\" if to_number(\"one\") == 1\n";
    let decision = decide(&format!("package guard\ndeny contains \"no\"\n{broken}")).unwrap();
    assert_eq!((decision.outcome, decision.findings[0].message.as_str()), (Outcome::Deny, "no"));
    assert!(decide(&format!("package guard\nwarn contains \"no\"\n{broken}")).is_err());
}

#[test]
fn the_same_call_gives_the_same_findings_in_the_same_order() {
    let text = "package guard\nimport rego.v1\n
        deny contains {\"rule\": \"r\", \"message\": sprintf(\"%d\", [x])} if some x in input.input.list
        deny contains \"text\" if input.tool == \"Bash\"
        ask contains \"later\"
    ";
    let first = decide(text).unwrap();
    let told: Vec<_> =
        first.findings.iter().map(|one| (one.message.as_str(), one.tags[0].1.as_str(), one.outcome)).collect();
    let (deny, ask) = (Outcome::Deny, Outcome::Ask);
    let expected =
        [("text", "deny", deny), ("1", "r", deny), ("2", "r", deny), ("3", "r", deny), ("later", "ask", ask)];
    assert_eq!(told, expected);
    assert!(first.findings.iter().all(|one| one.tags[0].0 == "rule"));
    for _ in 0..20 {
        assert_eq!(decide(text).unwrap(), first);
    }
}

#[test]
fn many_messages_are_cut_and_the_most_severe_stays() {
    let many = "package guard\nwarn contains format_int(x, 10) if some x in numbers.range(1, 1000)\ndeny := \"d\"\n";
    let many = decide(many).unwrap();
    assert_eq!((many.outcome, many.findings.len()), (Outcome::Deny, 64));
}
