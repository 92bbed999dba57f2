//! No test returns early: a requirement of the machine is stated by `#[ignore = "needs ..."]`, and `.ci/ignored` runs
//! such tests or explains why it may skip them.

use syn::visit::{Visit, visit_block, visit_item_fn};
use syn::{Attribute, Block, Expr, ExprClosure, ExprReturn, ItemFn, Lit, Meta, Stmt};

use super::{fail_with, sources};

/// The errors in the tests of a source file, and their names.
#[derive(Default)]
struct Tests {
    names: Vec<String>,
    complaints: Vec<String>,
}

impl<'ast> Visit<'ast> for Tests {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if item.attrs.iter().any(|attribute| attribute.path().is_ident("test")) {
            let name = item.sig.ident.to_string();
            let mut returns = Returns(false);
            visit_block(&mut returns, &item.block);
            if returns.0 {
                self.complaints.push(format!("`{name}` may end early, as if it had passed"));
            }
            if is_conditional(&item.block) {
                self.complaints.push(format!("all of `{name}` is below a condition"));
            }
            if item.attrs.iter().any(|attribute| !says_what_it_needs(attribute)) {
                self.complaints.push(format!("`{name}` is ignored without `= \"needs ...\"`"));
            }
            self.names.push(name);
        }
        visit_item_fn(self, item);
    }
}

/// Whether the function itself returns before its end.
struct Returns(bool);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, _: &'ast ExprReturn) {
        self.0 = true;
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_item_fn(&mut self, _: &'ast ItemFn) {}
}

/// Returns whether the body is one `if` without an `else`.
fn is_conditional(body: &Block) -> bool {
    let [Stmt::Expr(Expr::If(only), _)] = body.stmts.as_slice() else { return false };
    only.else_branch.is_none()
}

/// Returns whether the attribute is no `ignore`, or one with the words that `.ci/ignored` reads.
fn says_what_it_needs(attribute: &Attribute) -> bool {
    if !attribute.path().is_ident("ignore") {
        return true;
    }
    let Meta::NameValue(value) = &attribute.meta else { return false };
    let Expr::Lit(reason) = &value.value else { return false };
    let Lit::Str(reason) = &reason.lit else { return false };
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || "-0123456789".contains(c));
    reason.value().strip_prefix("needs ").is_some_and(|needs| needs.split(", ").all(is_name))
}

fn tests(text: &str) -> Result<Tests, syn::Error> {
    let mut tests = Tests::default();
    tests.visit_file(&syn::parse_file(text)?);
    Ok(tests)
}

/// Returns whether the source has a test with this name.
pub(crate) fn has_test(text: &str, name: &str) -> bool {
    tests(text).is_ok_and(|tests| tests.names.iter().any(|test| test == name))
}

#[test]
fn no_test_ends_early() {
    let (mut complaints, mut count) = (Vec::new(), 0);
    for (name, text) in sources() {
        match tests(&text) {
            Ok(tests) => {
                count += tests.names.len();
                complaints.extend(tests.complaints.iter().map(|complaint| format!("{name}: {complaint}")));
            }
            Err(error) => complaints.push(format!("{name}: {error}")),
        }
    }
    assert!(count > 1000, "only {count} tests were found");
    fail_with(&complaints);
}

#[test]
fn a_skip_of_each_kind_is_found() {
    for (test, told) in [
        ("fn a() { let Some(x) = f() else { return }; assert!(x); }", "may end early"),
        ("fn a() { if !f() { println!(\"skipped\"); return; } assert!(g()); }", "may end early"),
        ("fn a() { for x in f() { if x { return; } } }", "may end early"),
        ("fn a() -> R { if f() { return Ok(()); } g() }", "may end early"),
        ("fn a() { if let Some(x) = f() { assert!(x); } }", "is below a condition"),
        ("#[ignore] fn a() {}", "is ignored without"),
        ("#[ignore = \"flaky\"] fn a() {}", "is ignored without"),
        ("fn a() { let f = |x| { if x { return 1 } 2 }; fn g() { return; } if f(1) { g() } else { h() } }", ""),
        ("#[ignore = \"needs docker-registry, wkg\"] fn a() { assert!(f()); }", ""),
    ] {
        let found = tests(&format!("mod m {{ #[test] {test} }}")).unwrap();
        assert_eq!(found.names, ["a"], "{test}");
        let is_told = |complaint: &String| !told.is_empty() && complaint.contains(told);
        assert!(
            found.complaints.iter().all(is_told) && found.complaints.is_empty() == told.is_empty(),
            "{test}: {:?}",
            found.complaints
        );
    }
}
