//! What an artifact that the program carries does without.
//!
//! Each process reads the whole list of functions that an artifact has: where each lies, and its type. wasmtime looks up
//! those alone that the host, a table or another module can hold. All others are called by their distance. So the list ends
//! behind the last one that is looked up, and the build of the bundle puts those first. The names of functions are read by
//! nothing.

use std::error::Error;

use object::build::elf::{Builder, SectionData};
use serde::{Deserialize, Serialize};
use wasmtime_environ::component::ComponentArtifacts;
use wasmtime_environ::error::OutOfMemory;
use wasmtime_environ::obj::ELF_WASMTIME_INFO;
use wasmtime_environ::{EntityRef, FuncKey, Module, StaticModuleIndex};

/// wasmtime's `CompiledFunctionsTable` as it is written: its parts are private.
#[derive(Deserialize, Serialize)]
struct Places {
    namespaces: Vec<u32>,
    function_starts: Vec<usize>,
    sparse_starts: Vec<u32>,
    source_starts: Vec<usize>,
    sparse_indices: Vec<u32>,
    /// Where each function starts, and its length.
    functions: Vec<(u32, u32)>,
    sources: Vec<u32>,
}

/// The artifact without the names of its functions, and with a list of functions that ends behind the last one that is
/// looked up.
pub fn slim(artifact: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut parts = Builder::read(artifact)?;
    for symbol in &mut parts.symbols {
        symbol.delete = true;
    }
    for section in &mut parts.sections {
        match section.name.as_slice() {
            b".symtab" | b".strtab" => section.delete = true,
            name if name == ELF_WASMTIME_INFO.as_bytes() => {
                let SectionData::Data(data) = &section.data else { return Err("the artifact says nothing".into()) };
                section.data = SectionData::Data(shortened(data.as_slice())?.into());
            }
            _ => {}
        }
    }
    let mut slim = Vec::new();
    parts.write(&mut slim)?;
    Ok(slim)
}

fn shortened(info: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut artifacts: ComponentArtifacts = postcard::from_bytes(info)?;
    let written = postcard::to_allocvec(&artifacts.table)?;
    let mut places: Places = postcard::from_bytes(&written)?;
    if postcard::to_allocvec(&places)? != written {
        return Err("this version of wasmtime writes the list of functions in another way".into());
    }
    for (index, compiled) in artifacts.static_modules.iter_mut() {
        places.keep(index, shorten(&mut compiled.module)?);
    }
    artifacts.table = postcard::from_bytes(&postcard::to_allocvec(&places)?)?;
    Ok(postcard::to_allocvec(&artifacts)?)
}

/// Leaves the types of functions out behind the last one that can be looked up, and gives how many functions of the module's
/// own are left.
fn shorten(module: &mut Module) -> Result<usize, OutOfMemory> {
    let held = module.functions.iter().filter(|(_, function)| function.is_escaping());
    let kept = held.map(|(index, _)| index.index() + 1).max().unwrap_or(0).max(module.num_imported_funcs);
    for (_, function) in std::mem::take(&mut module.functions).into_iter().take(kept) {
        module.functions.push(function)?;
    }
    Ok(kept - module.num_imported_funcs)
}

impl Places {
    /// Leaves out the functions of a module's own behind the first `kept`.
    fn keep(&mut self, module: StaticModuleIndex, kept: usize) {
        let (namespace, _) = FuncKey::DefinedWasmFunction(module, EntityRef::new(0)).into_parts();
        let Some(place) = self.namespaces.iter().position(|known| *known == namespace.into_raw()) else { return };
        cut(&mut self.functions, &mut self.function_starts, place, kept);
        cut(&mut self.sources, &mut self.source_starts, place, kept);
    }
}

/// Leaves out the items of one part behind the first `kept`. `starts` says where each part starts.
fn cut<T>(items: &mut Vec<T>, starts: &mut [usize], place: usize, kept: usize) {
    let end = starts.get(place + 1).copied().unwrap_or(items.len());
    let Some(start) = starts.get(place).map(|start| (start + kept).min(end)) else { return };
    items.drain(start..end);
    for later in starts.iter_mut().skip(place + 1) {
        *later -= end - start;
    }
}
