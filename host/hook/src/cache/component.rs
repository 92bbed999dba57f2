//! [`Component`]: the bytes of a policy, read once, so that what is hashed is what is compiled.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::artifact::{Artifacts, Guest, Made, Making};
use guard_builtins::Packed;
use guard_contract::policy::{Entry, Source};
use guard_contract::{COMPONENT_BYTES, FaultKind, Wasi};
use guard_state::hex;

/// A component and its digest.
#[derive(Debug, Clone)]
pub struct Component {
    wasm: Wasm,
    /// The digest, in hexadecimal.
    pub sha256: String,
}

#[derive(Debug, Clone)]
enum Wasm {
    Packed(&'static Packed),
    Read(Vec<u8>),
}

impl Component {
    /// The analyzer.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Component`]: this binary holds none.
    pub fn analyzer() -> Result<Self, FaultKind> {
        let missing = || FaultKind::Component("this binary was built without the analyzer".to_owned());
        guard_builtins::analyzer().map(|guest| Component::packed(&guest.wasm)).ok_or_else(missing)
    }

    fn packed(packed: &'static Packed) -> Self {
        Component { wasm: Wasm::Packed(packed), sha256: hex(&packed.sha256) }
    }

    /// Reads what an entry names.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Component`]: there is none, or none that can be read.
    pub fn read(source: &Source) -> Result<Self, FaultKind> {
        match source {
            Source::Builtin(name) => {
                let missing = || FaultKind::Component(format!("this binary holds no built-in `{name}`"));
                guard_builtins::find(name).map(|builtin| Component::packed(&builtin.guest.wasm)).ok_or_else(missing)
            }
            Source::File(path) => {
                let wasm = read(path)?;
                let sha256 = hex(&Sha256::digest(&wasm));
                Ok(Component { wasm: Wasm::Read(wasm), sha256 })
            }
        }
    }

    /// Reads the component of an entry.
    ///
    /// # Errors
    ///
    /// Those of [`Component::read`]; or it is not the one that the configuration pins.
    pub fn of(entry: &Entry) -> Result<Self, FaultKind> {
        let component = Component::read(&entry.source)?;
        match &entry.pinned {
            Some(pinned) if *pinned != component.sha256 => Err(FaultKind::Component(format!(
                "its digest is {}, the configuration pins {pinned}",
                component.sha256
            ))),
            _ => Ok(component),
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Component`]: this binary is damaged.
    pub fn wasm(&self) -> Result<Cow<'_, [u8]>, FaultKind> {
        match &self.wasm {
            Wasm::Read(wasm) => Ok(Cow::Borrowed(wasm)),
            Wasm::Packed(packed) => {
                let damaged = || FaultKind::Component("this binary is damaged".to_owned());
                packed.unpacked().map(Cow::Owned).ok_or_else(damaged)
            }
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.wasm {
            Wasm::Read(wasm) => wasm.len(),
            Wasm::Packed(packed) => packed.bytes,
        }
    }

    /// The artifact of a policy, which is made if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`Artifacts::ensure`].
    pub fn ensure(&self, wasi: Wasi, artifacts: &Artifacts, making: Making) -> Result<Made, FaultKind> {
        artifacts.ensure(self, Guest::Policy(wasi), making)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FaultKind> {
    let fail = |text: String| FaultKind::Component(format!("{}: {text}", path.display()));
    // A pipe would be waited for.
    let data = std::fs::metadata(path).map_err(|error| fail(error.to_string()))?;
    let cap = COMPONENT_BYTES as u64;
    if !data.is_file() || data.len() > cap {
        return Err(fail("it is no file of at most 64 MiB".to_owned()));
    }
    let mut wasm = Vec::new();
    let read = File::open(path).and_then(|file| file.take(cap + 1).read_to_end(&mut wasm));
    read.map(|_| wasm).map_err(|error| fail(error.to_string()))
}
