//! Finds the functions of a module that do the same: copies that generic code leaves, once for each type.

use std::collections::HashMap;
use std::error::Error;

use wasm_encoder::reencode::{self, Reencode};
use wasmparser::{Parser, Payload};

/// For each of the module's own functions, in order, the first one that does the same.
///
/// Two functions do the same if they have one type and one body, and what they call does the same. All that look alike
/// count as one at first, and are told apart by what they call until nothing changes: so two that call themselves, or each
/// other, are found as well. `imported` functions come in front of the module's own.
pub(crate) fn firsts(module: &[u8], imported: u32) -> Result<Vec<u32>, Box<dyn Error>> {
    let bodies = bodies(module)?;
    let mut firsts = alike(bodies.iter().map(|body| (body.kind, &body.code)));
    loop {
        let first_of = |called: &u32| match called.checked_sub(imported).map(usize::try_from) {
            Some(Ok(own)) => firsts.get(own).map_or(*called, |first| first + imported),
            _ => *called,
        };
        let calls = bodies.iter().map(|body| body.calls.iter().map(first_of).collect::<Vec<u32>>());
        let finer = alike(firsts.iter().zip(calls));
        if finer == firsts {
            return Ok(firsts);
        }
        firsts = finer;
    }
}

/// For each item, the place of the first one that is equal.
fn alike<T: Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Vec<u32> {
    let mut firsts = HashMap::new();
    items.zip(0..).map(|(item, place)| *firsts.entry(item).or_insert(place)).collect()
}

/// A function's body.
struct Body {
    /// The index of its type.
    kind: u32,
    /// Its instructions, with no word of which function is called.
    code: Vec<u8>,
    /// The functions that it names, in order.
    calls: Vec<u32>,
}

fn bodies(module: &[u8]) -> Result<Vec<Body>, Box<dyn Error>> {
    let (mut kinds, mut bodies) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::FunctionSection(section) => kinds = section.into_iter().collect::<Result<_, _>>()?,
            Payload::CodeSectionEntry(body) => {
                let mut calls = Calls(Vec::new());
                let mut code = calls.new_function_with_parsed_locals(&body)?;
                let mut reader = body.get_operators_reader()?;
                while !reader.eof() {
                    code.instruction(&calls.parse_instruction(&mut reader)?);
                }
                let kind = kinds.get(bodies.len()).copied().ok_or("a function has no type")?;
                bodies.push(Body { kind, code: code.into_raw_body(), calls: calls.0 });
            }
            _ => {}
        }
    }
    Ok(bodies)
}

/// Keeps the functions that instructions name, and has each be the first one in the copy.
struct Calls(Vec<u32>);

impl Reencode for Calls {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        self.0.push(index);
        Ok(0)
    }
}
