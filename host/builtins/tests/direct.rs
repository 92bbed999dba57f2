//! What the build makes of a module that calls through its table.

#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

#[path = "../direct.rs"]
mod direct;

fn assert_becomes(module: &str, expected: &str) {
    let direct = direct::without_table(&wat::parse_str(module).unwrap()).unwrap();
    // Sections that are empty say nothing.
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
    assert_becomes(
        r#"(module
            (import "m" "f" (func $imported (param i32)))
            (table 5 5 funcref)
            (elem (i32.const 1) $one $imported $other $one)
            (func $one (param i32))
            (func $other (result i64) (i64.const 7))
            (func $calls (param i32) (result i64)
                (call_indirect (param i32) (i32.const 9) (local.get 0))
                (call_indirect (param i32) (i32.const 8) (local.get 0))
                (call_indirect (result i64) (local.get 0))))"#,
        r#"(module
            (import "m" "f" (func $imported (param i32)))
            (type (func (param i32)))
            (type (func (result i64)))
            (type (func (param i32) (result i64)))
            (type $at_1 (func (param i32 i32)))
            (type $at_2 (func (param i32) (result i64)))
            (func $one (type 0))
            (func $other (type 1) (i64.const 7))
            (func $calls (type 2)
                (call $of_i32 (i32.const 9) (local.get 0))
                (call $of_i32 (i32.const 8) (local.get 0))
                (call $of_nothing (local.get 0)))
            (func $of_i32 (type $at_1)
                (block (block (block
                    (br_table 1 0 2 1 2 (i32.sub (local.get 1) (i32.const 1))))
                    (call $imported (local.get 0)) (return))
                    (call $one (local.get 0)) (return))
                (unreachable))
            (func $of_nothing (type $at_2)
                (block (block
                    (br_table 0 1 (i32.sub (local.get 0) (i32.const 3))))
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
            "where the table begins",
        ),
        ("(table 1 funcref) (func (table.set (i32.const 0) (table.get (i32.const 0))))", "more with its table"),
    ] {
        let error = direct::without_table(&wat::parse_str(format!("(module {part})")).unwrap()).unwrap_err();
        assert!(error.to_string().contains(says), "{part}: {error}");
    }
}
