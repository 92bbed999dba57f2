//! What an artifact that the program carries does without.
//!
//! Each process reads the whole list of functions that an artifact has: where each lies, and its type. wasmtime looks up
//! those alone that the host, a table or another module can hold. All others are called by their distance. So the list ends
//! behind the last one that is looked up, and the build of the bundle puts those first. The names of functions are read by
//! nothing.
//!
//! Each process registers the types of functions, too. What looks one up are the functions that are left, the component,
//! and calls through a table, whose types only the code names. So the list of types ends behind the last of these.

use std::collections::BTreeSet;
use std::error::Error;

use object::build::elf::{Builder, SectionData};
use serde::{Deserialize, Serialize};
use wasmtime_environ::collections::TryClone;
use wasmtime_environ::component::ComponentArtifacts;
use wasmtime_environ::error::OutOfMemory;
use wasmtime_environ::obj::ELF_WASMTIME_INFO;
use wasmtime_environ::wasmparser::{Operator, Parser, Payload, Validator, WasmFeatures};
use wasmtime_environ::{
    EngineOrModuleTypeIndex, EntityRef, FuncKey, Module, ModuleInternedTypeIndex, ModuleTypes, StaticModuleIndex,
    TypeIndex, TypeTrace,
};

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

/// The artifact of a component without the names of its functions, and with lists of functions and types that end behind the
/// last one that is looked up.
pub fn slim(artifact: &[u8], component: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut parts = Builder::read(artifact)?;
    for symbol in &mut parts.symbols {
        symbol.delete = true;
    }
    for section in &mut parts.sections {
        match section.name.as_slice() {
            b".symtab" | b".strtab" => section.delete = true,
            name if name == ELF_WASMTIME_INFO.as_bytes() => {
                let SectionData::Data(data) = &section.data else { return Err("the artifact says nothing".into()) };
                section.data = SectionData::Data(shortened(data.as_slice(), component)?.into());
            }
            _ => {}
        }
    }
    let mut slim = Vec::new();
    parts.write(&mut slim)?;
    Ok(slim)
}

fn shortened(info: &[u8], component: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
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
    shorten_types(&mut artifacts, component)?;
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

/// Leaves types out behind the last one that can be looked up.
fn shorten_types(artifacts: &mut ComponentArtifacts, component: &[u8]) -> Result<(), Box<dyn Error>> {
    let called = called_types(component)?;
    if called.len() != artifacts.static_modules.len() {
        return Err("the artifact has other modules than the component".into());
    }
    let mut needed = BTreeSet::new();
    let all = artifacts.types.module_types();
    for ((_, compiled), called) in artifacts.static_modules.iter_mut().zip(&called) {
        // wasmtime gives what it starts a module with a type of its own, at the end, also if there is an equal one.
        compiled.module.startup.trace_mut(&mut |index| {
            let starts = own(*index)?;
            let (equal, _) =
                all.wasm_types().find(|(_, ty)| **ty == all[starts]).ok_or("a module starts without a type")?;
            *index = equal.into();
            Ok::<_, &str>(())
        })?;
        let types = std::mem::take(&mut compiled.module.types);
        for index in called {
            needed.insert(own(*types.get(*index).ok_or("a call through a table is of no type")?)?);
        }
        compiled.module.trace(&mut |index| {
            needed.insert(own(index)?);
            Ok::<_, &str>(())
        })?;
        compiled.module.types = types;
    }
    let parts = &artifacts.info.component;
    needed.extend(parts.trampolines.values());
    needed.extend(parts.unsafe_intrinsics.iter().filter_map(|index| index.expand()));
    needed.extend(parts.options.values().map(|options| options.core_type));
    let kept = needed.last().map_or(0, |last| last.index() + 1);

    artifacts.types.trace(&mut |_| Err("a type is made of others"))?;
    let types = artifacts.types.module_types_mut();
    let mut short = ModuleTypes::default();
    for (_, group) in types.rec_groups().filter(|(_, group)| group.start.index() < kept) {
        if group.start.index() + 1 != group.end.index() {
            return Err("types are declared together".into());
        }
        if short.push(types[group.start].try_clone()?) != group.start {
            return Err("types are declared in another order".into());
        }
        short.push_rec_group(group);
    }
    for (function, trampoline) in types.trampoline_types().filter(|(function, _)| function.index() < kept) {
        if trampoline.index() >= kept {
            return Err("a type that is left needs one that is not".into());
        }
        short.set_trampoline_type(function, trampoline);
    }
    *types = short;

    for ((_, compiled), called) in artifacts.static_modules.iter_mut().zip(called) {
        let types = std::mem::take(&mut compiled.module.types);
        for (_, index) in types.into_iter().take_while(|(_, index)| own(*index).is_ok_and(|index| index.index() < kept))
        {
            compiled.module.types.push(index)?;
        }
        if called.last().is_some_and(|last| !compiled.module.types.is_valid(*last)) {
            return Err("a type that is needed stands behind one that is not".into());
        }
    }
    Ok(())
}

/// A type of the artifact's own.
fn own(index: EngineOrModuleTypeIndex) -> Result<ModuleInternedTypeIndex, &'static str> {
    index.as_module_type_index().ok_or("the artifact names a type that is not its own")
}

/// For each module of the component the types that its calls through tables look up.
fn called_types(component: &[u8]) -> Result<Vec<BTreeSet<TypeIndex>>, Box<dyn Error>> {
    // With these features no other instruction looks up a type.
    let features = WasmFeatures::WASM2 | WasmFeatures::TAIL_CALL | WasmFeatures::COMPONENT_MODEL;
    Validator::new_with_features(features).validate_all(component)?;
    let mut modules: Vec<BTreeSet<TypeIndex>> = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            Payload::ModuleSection { .. } => modules.push(BTreeSet::new()),
            Payload::CodeSectionEntry(body) => {
                let types = modules.last_mut().ok_or("code stands outside of all modules")?;
                for operator in body.get_operators_reader()? {
                    if let Operator::CallIndirect { type_index, .. } | Operator::ReturnCallIndirect { type_index, .. } =
                        operator?
                    {
                        types.insert(TypeIndex::from_u32(type_index));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(modules)
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
