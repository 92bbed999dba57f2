//! What the build makes of a module that calls through its table.

#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

#[path = "../direct.rs"]
mod direct;

fn assert_becomes(module: &str, expected: &str) {
    let direct = direct::without_table(&wat::parse_str(module).unwrap()).unwrap();
    let expected = wat::parse_str(expected).unwrap();
    assert_eq!(parts(&direct), parts(&expected));
}

fn parts(module: &[u8]) -> Vec<String> {
    let mut parts = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        match payload.unwrap() {
            wasmparser::Payload::TypeSection(types) => {
                parts.extend(types.into_iter_err_on_gc_types().map(|ty| format!("{}", ty.unwrap())));
            }
            wasmparser::Payload::FunctionSection(kinds) => {
                parts.extend(kinds.into_iter().map(|kind| format!("function of type {}", kind.unwrap())));
            }
            wasmparser::Payload::TableSection(tables) => parts.push(format!("{} tables", tables.count())),
            wasmparser::Payload::ElementSection(elements) => parts.push(format!("{} elements", elements.count())),
            wasmparser::Payload::CodeSectionEntry(body) => {
                let operators = body.get_operators_reader().unwrap().into_iter();
                parts.extend(operators.map(|operator| format!("  {:?}", operator.unwrap())));
            }
            _ => {}
        }
    }
    // A section that is empty says nothing.
    parts.retain(|part| part != "0 tables" && part != "0 elements");
    parts
}

#[test]
fn a_call_through_the_table_names_what_it_can_call() {
    // The second part of the table lies over the first one, and `$calls` names an equal type.
    assert_becomes(
        r#"(module
            (type $one (func (param i64 f64) (result f64 i64)))
            (type $other (func (result i64)))
            (type $equal (func (param i64 f64) (result f64 i64)))
            (import "m" "f" (func $imported (type $one)))
            (table 6 6 funcref)
            (elem (i32.const 1) $a $other $other $other)
            (elem (i32.const 2) $imported)
            (elem (i32.const 5) $a)
            (func $a (type $one) (local.get 1) (local.get 0))
            (func $other (type $other) (i64.const 7))
            (func $calls (param i32) (result f64 i64)
                (call_indirect (type $equal) (i64.const 9) (f64.const 8) (local.get 0))
                (call_indirect (type $one) (i64.const 6) (f64.const 5) (local.get 0))
                drop drop
                (drop (call_indirect (type $other) (local.get 0)))))"#,
        r#"(module
            (type $one (func (param i64 f64) (result f64 i64)))
            (type $other (func (result i64)))
            (type $equal (func (param i64 f64) (result f64 i64)))
            (type $calls (func (param i32) (result f64 i64)))
            (type $at_one (func (param i64 f64 i32) (result f64 i64)))
            (type $at_other (func (param i32) (result i64)))
            (import "m" "f" (func $imported (type $one)))
            (func $a (type $one) (local.get 1) (local.get 0))
            (func $other (type $other) (i64.const 7))
            (func $calls (type $calls)
                (call $of_one (i64.const 9) (f64.const 8) (local.get 0))
                (call $of_one (i64.const 6) (f64.const 5) (local.get 0))
                drop drop
                (drop (call $of_other (local.get 0))))
            (func $of_one (type $at_one)
                (block (block (block
                    (br_table 1 0 2 2 1 2 (i32.sub (local.get 2) (i32.const 1))))
                    (call $imported (local.get 0) (local.get 1)) (return))
                    (call $a (local.get 0) (local.get 1)) (return))
                (unreachable))
            (func $of_other (type $at_other)
                (block (block
                    (br_table 0 0 1 (i32.sub (local.get 0) (i32.const 3))))
                    (call $other) (return))
                (unreachable)))"#,
    );
}

#[test]
fn a_type_that_nothing_in_the_table_has_is_called_nowhere() {
    assert_becomes(
        r#"(module
            (table 1 1 funcref)
            (elem (i32.const 0) $other)
            (func $other (result i64) (i64.const 7))
            (func $calls (call_indirect (i32.const 0))))"#,
        r#"(module
            (type (func (result i64)))
            (type (func))
            (type $at (func (param i32)))
            (func $other (type 0) (i64.const 7))
            (func $calls (type 1) (call $of_nothing (i32.const 0)))
            (func $of_nothing (type $at)
                (block (br_table 0 (i32.sub (local.get 0) (i32.const 0))))
                (unreachable)))"#,
    );
}

#[test]
fn a_module_that_does_more_with_its_table_is_refused() {
    for (part, says) in [
        (r#"(table (export "t") 1 funcref)"#, "shares its table"),
        (r#"(import "m" "t" (table 1 funcref))"#, "shares its table"),
        ("(table 1 funcref) (table 1 funcref)", "has several tables"),
        ("(table 1 funcref) (func $f) (elem declare func $f) ", "does not hold functions from the start"),
        (
            r#"(import "m" "g" (global $g i32)) (table 1 funcref) (func $f) (elem (global.get $g) $f)"#,
            "where a part of the table begins",
        ),
        ("(table 1 funcref) (func $f) (elem (i32.const -1) $f)", "where a part of the table begins"),
        ("(table 1 funcref) (func $f) (elem (i32.const 1) $f)", "too small"),
        ("(table 1 1 funcref (ref.func $f)) (func $f)", "full from the start"),
        ("(table 1 funcref) (func (return_call_indirect (i32.const 0)))", "more with its table"),
        ("(table 1 funcref) (func (table.set (i32.const 0) (table.get (i32.const 0))))", "more with its table"),
    ] {
        let error = direct::without_table(&wat::parse_str(format!("(module {part})")).unwrap()).unwrap_err();
        assert!(error.to_string().contains(says), "{part}: {error}");
    }
}
