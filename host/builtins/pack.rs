//! Compresses embedded content, as entries of the table that the build writes.

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use lzma_rust2::filter::bcj::BcjWriter;
use lzma_rust2::{LzmaOptions, LzmaWriter};
use sha2::{Digest, Sha256};

/// The compression level for release archives. The result is two thirds of the size with deflate.
const COMPRESSION: u32 = 9;

/// The maximum match length of LZMA, which is always searched for.
const LONGEST_MATCH: u32 = 273;

/// The compression level of trial builds, which shouldn't wait for compression.
const QUICK_COMPRESSION: u32 = 1;

/// The maximum size of the dictionary in bytes: half of the memory limit for decompression.
const DICTIONARY: usize = 16 << 20;

/// Returns whether this build is for release archives. Cargo doesn't pass the profile to a build script, but only
/// `dist` builds this crate with `opt-level = "s"`.
pub(super) fn is_dist() -> Result<bool, Box<dyn Error>> {
    Ok(env::var("OPT_LEVEL")? == "s")
}

/// Writes compressed bytes to `OUT_DIR`, and returns them as an entry of the table.
pub(super) fn compressed_entry(name: &str, bytes: &[u8], out: &Path) -> Result<String, Box<dyn Error>> {
    write_entry(name, bytes, &compress(bytes, bytes)?, (false, false), out)
}

/// Like [`compressed_entry`], without compression.
pub(super) fn plain_entry(name: &str, bytes: &[u8], out: &Path) -> Result<String, Box<dyn Error>> {
    write_entry(name, bytes, bytes, (true, false), out)
}

/// Like [`code_entry`], but for a program. A trial build embeds it uncompressed, because tests would unpack it
/// hundreds of times.
pub(super) fn program_entry(name: &str, bytes: &[u8], out: &Path) -> Result<String, Box<dyn Error>> {
    if is_dist()? { code_entry(name, bytes, out) } else { plain_entry(name, bytes, out) }
}

/// Like [`compressed_entry`], for machine code: call targets are encoded as absolute positions instead of distances, so
/// that calls of one function look the same. This saves a twentieth.
pub(super) fn code_entry(name: &str, bytes: &[u8], out: &Path) -> Result<String, Box<dyn Error>> {
    let mut filtered = match env::var("CARGO_CFG_TARGET_ARCH")?.as_str() {
        "aarch64" => BcjWriter::new_arm64(Vec::new(), 0),
        _ => BcjWriter::new_x86(Vec::new(), 0),
    };
    filtered.write_all(bytes)?;
    write_entry(name, bytes, &compress(bytes, &filtered.finish()?)?, (false, true), out)
}

fn compress(bytes: &[u8], packs: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut options = if is_dist()? {
        LzmaOptions { nice_len: LONGEST_MATCH, ..LzmaOptions::with_preset(COMPRESSION) }
    } else {
        LzmaOptions::with_preset(QUICK_COMPRESSION)
    };
    options.pb = 0;
    // Decompression needs as much memory.
    options.dict_size = bytes.len().next_power_of_two().min(DICTIONARY).try_into()?;
    let mut packed = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len().try_into()?))?;
    packed.write_all(packs)?;
    Ok(packed.finish()?)
}

fn write_entry(
    name: &str,
    bytes: &[u8],
    packed: &[u8],
    (is_plain, is_code): (bool, bool),
    out: &Path,
) -> Result<String, Box<dyn Error>> {
    let path = out.join(format!("{name}.packed"));
    fs::write(&path, packed)?;
    let (digest, length) = (<[u8; 32]>::from(Sha256::digest(bytes)), bytes.len());
    let path = path.to_str().ok_or("the target directory is not UTF-8")?;
    Ok(format!(
        "Packed {{ sha256: {digest:?}, bytes: {length}, is_plain: {is_plain}, \
         is_code: {is_code}, packed: include_bytes!({path:?}) }}"
    ))
}
