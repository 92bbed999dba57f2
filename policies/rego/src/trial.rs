//! The tests in a text, and their results.
//!
//! `guard-host test` sets `test` in the settings. The results are in the trace, and calls get no decision.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::serde_json::{Value, json};
use regorus::unstable::{Module, Ref, Rule, RuleHead, Span};

use crate::names;

/// The prefix of a test's name.
pub(crate) const TEST: &str = "test_";

/// The prefix of the name of a test that isn't written yet.
const TODO: &str = "todo_test_";

/// The maximum number of tests in one answer: a trace is limited to 64 lines.
const PAGE: usize = 60;

/// A test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Test {
    /// The package and the name.
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Whether the test is skipped.
    pub(crate) is_todo: bool,
}

/// The result of a test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) passes: bool,
    /// The value, or the reason why it is missing.
    pub(crate) why: String,
    /// The last evaluated line, or that of the test.
    pub(crate) line: u32,
}

/// A request: the tests from an index on, or the result of one.
pub(crate) enum TrialRequest {
    List(usize),
    Run(String),
}

impl TrialRequest {
    /// Parses the request in the input of a call.
    pub(crate) fn parse(input: &Value) -> Option<Self> {
        if let Some(name) = input.get("run") {
            return Some(TrialRequest::Run(name.as_str()?.to_owned()));
        }
        Some(TrialRequest::List(usize::try_from(input.get("list")?.as_u64()?).ok()?))
    }
}

/// Returns the tests, in the order of the modules.
///
/// # Errors
///
/// If a test is a function, which is never called, or if two have the same name.
pub(crate) fn tests(modules: &[Ref<Module>]) -> Result<Vec<Test>, String> {
    let (mut tests, mut seen) = (Vec::new(), BTreeMap::new());
    for (module, rule) in modules.iter().flat_map(|module| module.policy.iter().map(move |rule| (module, rule))) {
        let head = names::head(rule);
        let (Some(package), Some(first)) = (names::package(module), names::head_name(head)) else { continue };
        let is_todo = first.text().starts_with(TODO);
        if !is_todo && !first.text().starts_with(TEST) {
            continue;
        }
        let Span { source, line, col, .. } = first;
        if matches!(rule.as_ref(), Rule::Spec { head: RuleHead::Func { .. }, .. }) {
            let place = format!("{}:{line}:{col}", source.get_path());
            return Err(format!("{place}: `{}` is a function, and nobody would call it: make it a rule", first.text()));
        }
        let name = format!("{}.{}", package.trim_start_matches("data."), first.text());
        let place = format!("{}:{line}:{col}", source.get_path());
        if let Some(other) = seen.insert(name.clone(), place.clone()) {
            return Err(format!("{place}: `{name}` stands at {other} as well: give each test a name of its own"));
        }
        tests.push(Test { name, file: source.get_path().to_owned(), line: *line, is_todo });
    }
    Ok(tests)
}

/// Returns the lines on which the statements of a test begin.
pub(crate) fn statements(modules: &[Ref<Module>], test: &Test) -> BTreeSet<u32> {
    let rules = modules.iter().filter(|module| module.package.span.source.get_path() == &test.file);
    let rules = rules.flat_map(|module| &module.policy);
    let own = rules.filter(|rule| {
        names::head_name(names::head(rule)).is_some_and(|first| test.name.ends_with(&format!(".{}", first.text())))
    });
    let bodies = own.flat_map(|rule| match rule.as_ref() {
        Rule::Spec { bodies, .. } => bodies.as_slice(),
        Rule::Default { .. } => &[],
    });
    bodies.flat_map(|body| &body.query.stmts).map(|statement| statement.span.line).collect()
}

/// Formats a page of tests for the trace: one JSON line for each, and another if more follow.
pub(crate) fn page(tests: &[Test], from: usize) -> Vec<String> {
    let page = tests.iter().skip(from).take(PAGE);
    let mut lines: Vec<String> = page
        .map(|test| {
            json!({ "test": test.name, "file": test.file, "line": test.line, "todo": test.is_todo }).to_string()
        })
        .collect();
    if tests.len() > from.saturating_add(PAGE) {
        lines.push(json!({ "more": from + PAGE }).to_string());
    }
    lines
}

/// Formats an outcome for the trace.
pub(crate) fn format_outcome(outcome: &Outcome) -> String {
    let mut why = outcome.why.as_str();
    while why.len() > 2 << 10 {
        why = why.get(..why.len() / 2).unwrap_or("");
    }
    json!({ "passes": outcome.passes, "why": why, "line": outcome.line }).to_string()
}

#[cfg(test)]
mod tests {
    use guard_sdk::serde_json::Map;

    use super::*;
    use crate::text::{Sources, Text};

    const GUARD: &str = "package guard\n\ndeny contains \"no\" if {\n    input.tool == \"Bash\"\n    \
        input.input.command in data.commands\n}\n\nwarn contains \"never\" if {\n    input.tool == \"none\"\n}\n";

    fn text(test: &str) -> Text {
        let modules = [
            ("g.rego", GUARD),
            ("g_test.rego", test),
            ("unused.rego", "package unused\n\nx := 1\n\ny if {\n    x == 2\n}\n"),
        ];
        let modules = modules.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
        let data = json!({ "commands": ["ls"] });
        let data = data.as_object().cloned().unwrap_or_else(Map::new);
        Text::load(Sources { place: "t".to_owned(), modules, data }).unwrap()
    }

    fn run(test: &str) -> (bool, String, u32) {
        let mut text = text(&format!("package guard_test\n\nimport data.guard\n\n{test}"));
        let first = text.tests().unwrap().remove(0);
        let outcome = text.run(&first.name).unwrap().unwrap();
        (outcome.passes, outcome.why, outcome.line)
    }

    #[test]
    fn tests_are_found_with_their_lines() {
        let mut text = text(
            "package a.b_test\n\ntest_x if true\n\nhelper := 1\n\ntodo_test_y if false\n\nother if false\n\ntest_z := true\n",
        );
        let found = text.tests().unwrap();
        let row = |test: &Test| (test.name.clone(), test.line, test.is_todo);
        let expected =
            [("a.b_test.test_x", 3, false), ("a.b_test.todo_test_y", 7, true), ("a.b_test.test_z", 11, false)];
        assert_eq!(
            found.iter().map(row).collect::<Vec<_>>(),
            expected.map(|(name, line, todo)| (name.to_owned(), line, todo))
        );
        let many: Vec<Test> = std::iter::repeat_n(found[0].clone(), 130).collect();
        assert_eq!([0, 60, 120, 200].map(|from| page(&many, from).len()), [61, 61, 10, 0]);
        assert_eq!(page(&many, 60).last().unwrap(), "{\"more\":120}");
    }

    #[test]
    fn a_test_sees_another_input_and_other_data() {
        let input = "with input as {\"tool\": \"Bash\", \"input\": {\"command\": \"ls\"}}";
        assert!(run(&format!("test_x if guard.deny[\"no\"] {input}\n")).0);
        assert!(run(&format!("test_x if count(guard.deny) == 0 {input} with data.commands as []\n")).0);
        assert!(run("test_x if count(guard.deny) == 0 with input as {\"tool\": \"Write\"}\n").0);
        assert!(run("test_x if count(guard.deny) == 0 with input.tool as \"Write\"\n").0);
    }

    #[test]
    fn a_test_that_does_not_hold_says_where_it_ended() {
        assert_eq!(run("test_x if {\n    true\n    1 == 2\n    true\n}\n"), (false, "undefined".to_owned(), 7));
        assert_eq!(run("test_x := false\n"), (false, "false".to_owned(), 5));
        let (passes, why, _) = run("test_x if {\n    to_number(\"x\") == 1\n}\n");
        assert!(!passes && why.starts_with("g_test.rego:6:"), "{why}");
        let error = text("package t\n\ntest_f(x) := x\n").tests().unwrap_err();
        assert!(error.starts_with("g_test.rego:3:1: `test_f`"), "{error}");
    }

    #[test]
    fn lines_are_those_with_something_to_evaluate() {
        let mut text = text(
            "package guard_test\n\ntest_x if {\n    data.guard.deny[\"no\"] with input as {\"tool\": \"Bash\", \
             \"input\": {\"command\": \"ls\"}}\n}\n",
        );
        assert!(text.run("guard_test.test_x").unwrap().unwrap().passes);
        let lines = text.lines();
        let of = |file: &str| (Vec::from_iter(lines[file].covered.clone()), Vec::from_iter(lines[file].missed.clone()));
        assert_eq!(of("g.rego"), (vec![3, 4, 5], vec![8, 9]));
        assert_eq!(of("unused.rego"), (vec![], vec![3, 6]));
        let told = crate::lines::format_lines(&lines);
        let expected = r#"{"lines":[["g.rego","3-5","8-9"],["g_test.rego","4",""],["unused.rego","","3,6"]]}"#;
        assert_eq!(told, [expected]);
    }
}
