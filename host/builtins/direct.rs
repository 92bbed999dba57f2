//! Lets a module call the functions of its table directly.
//!
//! For what a table holds, each process reads where it lies, of which type it is and how the host would call it, and looks
//! it up when it is first called. So a call through the table becomes a call of a function that is added to the module,
//! one for each type: it calls the function that stands at the place, and traps if there is none of this type. Then
//! nothing needs the table.

use std::collections::BTreeMap;
use std::error::Error;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    BlockType, CodeSection, ElementSection, Function, FunctionSection, Instruction, Module, TableSection, TypeSection,
};
use wasmparser::{
    CodeSectionReader, ConstExpr, ElementItems, ElementKind, ElementSectionReader, ExternalKind, FuncType,
    FunctionSectionReader, Operator, Parser, Payload, TableInit, TableSectionReader, TypeRef, TypeSectionReader,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Encoded<T> = std::result::Result<T, reencode::Error>;

/// The module without its table. It is an error if the module does more with a table than to call what it holds.
pub(crate) fn without_table(module: &[u8]) -> Result<Vec<u8>> {
    let mut calling = Calling::of(module)?;
    let mut direct = Module::new();
    calling.parse_core_module(&mut direct, Parser::new(0), module)?;
    Ok(direct.finish())
}

struct Calling {
    types: Vec<FuncType>,
    /// The index of the first type that is added.
    first_type: u32,
    /// The index of the first function that is added.
    first_function: u32,
    /// The types that are called through the table.
    called: Vec<FuncType>,
    /// For each of these, what is called in its place.
    bodies: Vec<Function>,
}

impl Calling {
    fn of(module: &[u8]) -> Result<Self> {
        let (mut types, mut kinds, mut table, mut calls) = (Vec::new(), Vec::new(), BTreeMap::new(), Vec::new());
        let mut places = None;
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    types = section.into_iter_err_on_gc_types().collect::<std::result::Result<_, _>>()?;
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Func(kind) => kinds.push(kind),
                            TypeRef::Table(_) => return Err("the module shares its table".into()),
                            _ => {}
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for kind in section {
                        kinds.push(kind?);
                    }
                }
                Payload::TableSection(section) => {
                    for table in section {
                        let table = table?;
                        if places.is_some() || !matches!(table.init, TableInit::RefNull) {
                            return Err("the module has several tables, or one that is full from the start".into());
                        }
                        places = Some(table.ty.initial);
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        if export?.kind == ExternalKind::Table {
                            return Err("the module shares its table".into());
                        }
                    }
                }
                Payload::ElementSection(section) => table = held(section)?,
                Payload::CodeSectionEntry(body) => {
                    for operator in body.get_operators_reader()? {
                        calls.extend(called_through(&operator?)?);
                    }
                }
                _ => {}
            }
        }
        if table.last_key_value().is_some_and(|(last, _)| Some(u64::from(*last)) >= places) {
            return Err("the table is too small for what it holds".into());
        }
        let (first_type, first_function) = (u32::try_from(types.len())?, u32::try_from(kinds.len())?);
        let (mut called, mut bodies) = (Vec::new(), Vec::new());
        for kind in calls {
            let ty = item(&types, kind)?;
            if called.contains(ty) {
                continue;
            }
            let mut of_type = BTreeMap::new();
            for (place, function) in &table {
                if item(&types, *item(&kinds, *function)?)? == ty {
                    of_type.insert(*place, *function);
                }
            }
            bodies.push(body(ty, &of_type)?);
            called.push(ty.clone());
        }
        Ok(Calling { types, first_type, first_function, called, bodies })
    }
}

fn item<T>(items: &[T], index: u32) -> Result<&T> {
    items.get(usize::try_from(index)?).ok_or_else(|| "the module names what it does not have".into())
}

/// What the table holds, by place.
fn held(section: ElementSectionReader<'_>) -> Result<BTreeMap<u32, u32>> {
    let mut table = BTreeMap::new();
    for element in section {
        let element = element?;
        let (ElementKind::Active { offset_expr, .. }, ElementItems::Functions(functions)) =
            (element.kind, element.items)
        else {
            return Err("the table does not hold functions from the start".into());
        };
        let first = constant(&offset_expr).ok_or("nobody knows where a part of the table begins")?;
        for (place, function) in (first..).zip(functions) {
            table.insert(place, function?);
        }
    }
    Ok(table)
}

/// The value of an expression that is a constant and no negative one.
pub(crate) fn constant(expression: &ConstExpr<'_>) -> Option<u32> {
    let mut operators = expression.get_operators_reader();
    match (operators.read().ok()?, operators.read().ok()?) {
        (Operator::I32Const { value }, Operator::End) => u32::try_from(value).ok(),
        _ => None,
    }
}

/// The type that an instruction calls through the table.
fn called_through(operator: &Operator<'_>) -> Result<Option<u32>> {
    match operator {
        Operator::CallIndirect { type_index, .. } => Ok(Some(*type_index)),
        Operator::ReturnCallIndirect { .. }
        | Operator::RefFunc { .. }
        | Operator::TableGet { .. }
        | Operator::TableSet { .. }
        | Operator::TableGrow { .. }
        | Operator::TableSize { .. }
        | Operator::TableFill { .. }
        | Operator::TableCopy { .. }
        | Operator::TableInit { .. }
        | Operator::ElemDrop { .. } => Err("the module does more with its table than to call what it holds".into()),
        _ => Ok(None),
    }
}

/// Calls the function at a place. The place is the last parameter, behind those of the type.
///
/// There is a block for each function, in a last one for all other places. The place chooses which of them is left: behind
/// the end of a function's block stands its call, and behind that of the last one a trap.
fn body(ty: &FuncType, table: &BTreeMap<u32, u32>) -> Result<Function> {
    let parameters = u32::try_from(ty.params().len())?;
    let mut functions: Vec<u32> = table.values().copied().collect();
    functions.sort_unstable();
    functions.dedup();
    let others = u32::try_from(functions.len())?;
    let block = |place: u32| {
        let block = table.get(&place).and_then(|function| functions.binary_search(function).ok());
        block.and_then(|block| u32::try_from(block).ok()).unwrap_or(others)
    };
    let first = table.first_key_value().map_or(0, |(first, _)| *first);
    let end = table.last_key_value().map_or(first, |(last, _)| last + 1);

    let mut body = Function::new([]);
    for _ in 0..=others {
        body.instruction(&Instruction::Block(BlockType::Empty));
    }
    body.instruction(&Instruction::LocalGet(parameters));
    body.instruction(&Instruction::I32Const(i32::try_from(first)?));
    body.instruction(&Instruction::I32Sub);
    body.instruction(&Instruction::BrTable((first..end).map(block).collect::<Vec<u32>>().into(), others));
    for function in functions {
        body.instruction(&Instruction::End);
        for parameter in 0..parameters {
            body.instruction(&Instruction::LocalGet(parameter));
        }
        body.instruction(&Instruction::Call(function));
        body.instruction(&Instruction::Return);
    }
    for last in [Instruction::End, Instruction::Unreachable, Instruction::End] {
        body.instruction(&last);
    }
    Ok(body)
}

impl Reencode for Calling {
    type Error = std::convert::Infallible;

    fn parse_type_section(&mut self, types: &mut TypeSection, section: TypeSectionReader<'_>) -> Encoded<()> {
        reencode::utils::parse_type_section(self, types, section)?;
        for ty in self.called.clone() {
            let parameters = ty.params().iter().copied().chain([wasmparser::ValType::I32]);
            let parameters = parameters.map(|ty| self.val_type(ty)).collect::<Encoded<Vec<_>>>()?;
            let results = ty.results().iter().map(|ty| self.val_type(*ty)).collect::<Encoded<Vec<_>>>()?;
            types.ty().function(parameters, results);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Encoded<()> {
        reencode::utils::parse_function_section(self, functions, section)?;
        for (index, _) in (self.first_type..).zip(&self.called) {
            functions.function(index);
        }
        Ok(())
    }

    fn parse_table_section(&mut self, _: &mut TableSection, _: TableSectionReader<'_>) -> Encoded<()> {
        Ok(())
    }

    fn parse_element_section(&mut self, _: &mut ElementSection, _: ElementSectionReader<'_>) -> Encoded<()> {
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Encoded<()> {
        reencode::utils::parse_code_section(self, code, section)?;
        for body in &self.bodies {
            code.function(body);
        }
        Ok(())
    }

    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Encoded<Instruction<'a>> {
        if let Operator::CallIndirect { type_index, .. } = operator
            && let Ok(ty) = item(&self.types, type_index)
            && let Some((function, _)) = (self.first_function..).zip(&self.called).find(|(_, called)| *called == ty)
        {
            return Ok(Instruction::Call(function));
        }
        reencode::utils::instruction(self, operator)
    }
}
