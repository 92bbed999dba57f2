//! Takes the data out of a module: what its memory begins with becomes bytes of their own, which the program maps into
//! the memory where they lie.

use std::error::Error;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{DataSection, Module};
use wasmparser::{Data, DataKind, Parser};

use crate::direct;

/// The pages in which memory is mapped, in bytes. Where a system has larger ones, the data is copied.
const PAGE: usize = 4096;

/// What a memory begins with.
pub(crate) struct InitialMemory {
    /// Whole pages.
    pub bytes: Vec<u8>,
    /// Where they belong: the start of a page.
    pub offset: usize,
}

/// The module without its data, and the data.
pub(crate) fn taken_out(module: &[u8]) -> Result<(Vec<u8>, InitialMemory), Box<dyn Error>> {
    let mut taking = Taking::default();
    let mut rest = Module::new();
    taking.parse_core_module(&mut rest, Parser::new(0), module)?;
    let segments = taking.segments.ok_or("the module has data that is not at a fixed place of its memory")?;
    let offset = segments.iter().map(|(start, _)| *start).min().unwrap_or(0) / PAGE * PAGE;
    let end = segments.iter().map(|(start, bytes)| start + bytes.len()).max().unwrap_or(0);
    let mut bytes = vec![0; end.next_multiple_of(PAGE) - offset];
    for (start, segment) in &segments {
        let place = start - offset;
        bytes
            .get_mut(place..place + segment.len())
            .ok_or("data lies outside of its own range")?
            .copy_from_slice(segment);
    }
    Ok((rest.finish(), InitialMemory { bytes, offset }))
}

/// The segments and their places; none once one has no fixed place.
struct Taking {
    segments: Option<Vec<(usize, Vec<u8>)>>,
}

impl Default for Taking {
    fn default() -> Self {
        Taking { segments: Some(Vec::new()) }
    }
}

impl Reencode for Taking {
    type Error = std::convert::Infallible;

    fn parse_data(&mut self, _: &mut DataSection, data: Data<'_>) -> Result<(), reencode::Error> {
        let place = match data.kind {
            DataKind::Active { memory_index: 0, offset_expr } => direct::constant(&offset_expr),
            _ => None,
        };
        let place = place.and_then(|place| usize::try_from(place).ok());
        self.segments = self.segments.take().zip(place).map(|(mut segments, place)| {
            segments.push((place, data.data.to_vec()));
            segments
        });
        Ok(())
    }
}
