//! Which functions of a module the build takes for one.

#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

#[path = "../alike.rs"]
mod alike;

fn firsts(imported: u32, text: &str) -> Vec<u32> {
    alike::firsts(&wat::parse_str(text).unwrap(), imported).unwrap()
}

#[test]
fn functions_that_do_the_same_have_one_first() {
    let module = r#"(module
        (import "m" "f" (func $imported (param i32)))
        (func $a (param i32) (call $imported (local.get 0)))
        (func $b (param i32) (call $imported (local.get 0)))
        (func $calls_a (call $a (i32.const 1)))
        (func $calls_b (call $b (i32.const 1)))
        (func $other (call $a (i32.const 2)))
        (func $typed (param i64)))"#;
    assert_eq!(firsts(1, module), [0, 0, 2, 2, 4, 5]);
}

#[test]
fn calls_in_a_circle_tell_functions_apart_only_where_they_differ() {
    let module = r#"(module
        (func $even_1 (param i32) (call $odd_1 (local.get 0)))
        (func $odd_1 (param i32) (i32.store8 (i32.const 0) (i32.const 1)) (call $even_1 (local.get 0)))
        (func $even_2 (param i32) (call $odd_2 (local.get 0)))
        (func $odd_2 (param i32) (i32.store8 (i32.const 0) (i32.const 1)) (call $even_2 (local.get 0)))
        (func $even_3 (param i32) (call $odd_3 (local.get 0)))
        (func $odd_3 (param i32) (i32.store8 (i32.const 0) (i32.const 2)) (call $even_3 (local.get 0)))
        (func $self_1 (call $self_1))
        (func $self_2 (call $self_2))
        (func $self_3 (call $self_1))
        (memory 1))"#;
    assert_eq!(firsts(0, module), [0, 1, 0, 1, 4, 5, 6, 6, 6]);
}

#[test]
fn a_long_chain_of_calls_is_told_apart_by_its_end() {
    let link = |name: &str, index: usize| format!("(func ${name}{index} (call ${name}{}))", index + 1);
    let chain = |name: &str, end: i32| -> String {
        let links: String = (0..40).map(|index| link(name, index)).collect();
        format!("{links}(func ${name}40 (i32.store8 (i32.const 0) (i32.const {end})))")
    };
    let firsts = firsts(0, &format!("(module {} {} {} (memory 1))", chain("a", 1), chain("b", 2), chain("c", 1)));
    assert_eq!(firsts[..82], (0..82).collect::<Vec<u32>>());
    assert_eq!(firsts[82..], (0..41).collect::<Vec<u32>>());
}
