//! Reorders a module's functions so that those used by calls are adjacent.
//!
//! A program's pages are loaded when they are first accessed, about sixteen at a time. One call runs a tenth of the
//! bundle's functions, which are spread over all of it, so it would load nearly every page. These functions are
//! determined when the bundle is built, by running some commands in a copy that marks the functions that run.
//!
//! It only relies on core WebAssembly: functions may be in any order, and a memory may be larger. It would have to
//! change if a module had several memories, or data at the end of its memory. `bundle` in `build.rs` calls this.
//! Without it, a call takes 6 to 8 % longer. The policies' cases are tested natively and through the bundle.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::ops::Range;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Instruction, MemArg, MemoryType, Module};
use wasmparser::{CodeSectionReader, ExternalKind, FunctionBody, FunctionSectionReader, Parser, Payload};

const PAGE: u64 = 1 << 16;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Done = std::result::Result<(), reencode::Error>;

/// Returns a copy of a module in which each function sets a byte after the module's memory to 1 when it runs, and the
/// range of these bytes.
pub(crate) fn marking(module: &[u8]) -> Result<(Vec<u8>, Range<usize>)> {
    let shape = Shape::parse(module)?;
    let start = shape.pages * PAGE;
    let range = usize::try_from(start)?..usize::try_from(start)? + usize::try_from(shape.functions)?;
    let mut marking = Marking { start, pages: u64::from(shape.functions).div_ceil(PAGE), next: 0 };
    Ok((rewrite(&mut marking, module)?, range))
}

/// Returns the module with its functions ordered by when they first run. Each element of `runs` contains a mark for
/// each function that ran.
///
/// Exported functions come first, because the artifact must record their locations. Among them, those of the first run
/// come last. Among the others, those of the first run come first. So all functions of the first run are adjacent.
pub(crate) fn order_by_first_run(module: &[u8], runs: &[&[u8]]) -> Result<Vec<u8>> {
    let shape = Shape::parse(module)?;
    let exported = exported_functions(module)?;
    let mut order: Vec<u32> = (0..shape.functions).collect();
    let is_in = |index: u32| move |run: &&[u8]| at(run, index).is_some_and(|mark| mark != 0);
    order.sort_by_key(|index| {
        let first = runs.iter().position(is_in(*index)).unwrap_or(runs.len());
        let is_exported = exported.contains(&(index + shape.imported));
        (!is_exported, if is_exported { runs.len() - first } else { first })
    });
    rewrite(&mut Ordering::new(&shape, order), module)
}

/// Returns the functions that the module exports.
fn exported_functions(module: &[u8]) -> Result<HashSet<u32>> {
    let mut exported = HashSet::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ExportSection(section) = payload? else { continue };
        for export in section {
            let export = export?;
            exported.extend((export.kind == ExternalKind::Func).then_some(export.index));
        }
    }
    Ok(exported)
}

fn at<T: Copy>(items: &[T], index: u32) -> Option<T> {
    items.get(usize::try_from(index).ok()?).copied()
}

fn rewrite(reencoder: &mut impl Reencode<Error = std::convert::Infallible>, module: &[u8]) -> Result<Vec<u8>> {
    let mut rewritten = Module::new();
    reencoder.parse_core_module(&mut rewritten, Parser::new(0), module)?;
    Ok(rewritten.finish())
}

/// The facts about a module that both rewrites need.
struct Shape {
    imported: u32,
    functions: u32,
    pages: u64,
}

impl Shape {
    fn parse(module: &[u8]) -> Result<Self> {
        let mut shape = Shape { imported: 0, functions: 0, pages: 0 };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        shape.imported += u32::from(matches!(import?.ty, wasmparser::TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => shape.functions = section.count(),
                Payload::MemorySection(section) => {
                    for memory in section {
                        shape.pages = memory?.initial;
                    }
                }
                _ => {}
            }
        }
        Ok(shape)
    }
}

struct Marking {
    start: u64,
    /// The pages for the marks.
    pages: u64,
    next: u64,
}

impl Reencode for Marking {
    type Error = std::convert::Infallible;

    fn memory_type(&mut self, memory: wasmparser::MemoryType) -> std::result::Result<MemoryType, reencode::Error> {
        let memory = reencode::utils::memory_type(self, memory);
        Ok(MemoryType { minimum: memory.minimum + self.pages, ..memory })
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Done {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        function.instruction(&Instruction::I32Const(0));
        function.instruction(&Instruction::I32Const(1));
        function.instruction(&Instruction::I32Store8(MemArg {
            offset: self.start + self.next,
            align: 0,
            memory_index: 0,
        }));
        self.next += 1;
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            function.instruction(&self.parse_instruction(&mut reader)?);
        }
        code.function(&function);
        Ok(())
    }
}

struct Ordering {
    /// The number of imported functions. They come first and keep their index.
    imported: u32,
    /// The old index of the function at each new index.
    order: Vec<u32>,
    /// The new index of each function.
    places: Vec<u32>,
}

impl Ordering {
    fn new(shape: &Shape, order: Vec<u32>) -> Self {
        let places: HashMap<u32, u32> = order.iter().copied().zip(0..).collect();
        let place = |index| places.get(&index).copied().unwrap_or(index);
        Ordering { imported: shape.imported, places: (0..shape.functions).map(place).collect(), order }
    }

    fn reorder_items<T: Copy>(&self, items: &[T]) -> Vec<T> {
        self.order.iter().filter_map(|index| at(items, *index)).collect()
    }
}

impl Reencode for Ordering {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> std::result::Result<u32, reencode::Error> {
        let own = index.checked_sub(self.imported).and_then(|own| at(&self.places, own));
        Ok(own.map_or(index, |place| place + self.imported))
    }

    fn parse_function_section(&mut self, functions: &mut FunctionSection, section: FunctionSectionReader<'_>) -> Done {
        let kinds = section.into_iter().collect::<std::result::Result<Vec<u32>, _>>()?;
        for kind in self.reorder_items(&kinds) {
            functions.function(self.type_index(kind)?);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Done {
        let bodies = section.into_iter().collect::<std::result::Result<Vec<_>, _>>()?;
        let places: Vec<usize> = (0..bodies.len()).collect();
        for place in self.reorder_items(&places) {
            if let Some(body) = bodies.get(place) {
                self.parse_function_body(code, body.clone())?;
            }
        }
        Ok(())
    }
}
