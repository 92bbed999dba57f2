//! [`Component`]: a policy's bytes, read once, so that the hashed bytes are the compiled ones.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use guard_builtins::Guest as EmbeddedGuest;
use guard_contract::policy::{Entry, Source};
use guard_contract::{COMPONENT_BYTES, FaultKind, Problem};
use guard_state::hex;

/// Returns the embedded component with a digest: `guard_builtins::component`. A parameter, so that the hook's program
/// doesn't contain components that only commands need.
pub type Unpack = fn(&[u8; 32]) -> Option<Vec<u8>>;

/// A component and its digest.
#[derive(Debug, Clone)]
pub struct Component {
    wasm: Wasm,
    /// The digest, in hexadecimal.
    pub sha256: String,
}

#[derive(Debug, Clone)]
enum Wasm {
    /// An embedded component, compiled. Only commands need its bytes.
    Carried(&'static EmbeddedGuest),
    Read(Vec<u8>),
}

impl Component {
    fn embedded(guest: &'static EmbeddedGuest) -> Self {
        Component { wasm: Wasm::Carried(guest), sha256: hex(&guest.sha256) }
    }

    /// Reads the component at a source.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Component`] if it doesn't exist or can't be read.
    pub fn read(source: &Source) -> Result<Self, FaultKind> {
        match source {
            Source::Builtin(name) => {
                let missing = || FaultKind::Component(format!("this binary has no built-in `{name}`"));
                guard_builtins::find(name).map(|builtin| Component::embedded(&builtin.guest)).ok_or_else(missing)
            }
            Source::File(path) => read(path).map(Component::from_bytes),
        }
    }

    /// Creates a component that isn't in a file.
    #[must_use]
    pub fn from_bytes(wasm: Vec<u8>) -> Self {
        let sha256 = hex(&Sha256::digest(&wasm));
        Component { wasm: Wasm::Read(wasm), sha256 }
    }

    /// Reads the component of an entry.
    ///
    /// # Errors
    ///
    /// Those of [`Component::read`], or if its digest isn't the pinned one, or the configuration refuses it.
    pub fn from_entry(entry: &Entry) -> Result<Self, FaultKind> {
        if let Some(Problem { text, hint, .. }) = &entry.refused {
            return Err(FaultKind::Unused { text: text.clone(), hint: hint.clone() });
        }
        let component = Component::read(&entry.source)?;
        match &entry.pinned {
            Some(pinned) if *pinned != component.sha256 => Err(FaultKind::Component(format!(
                "its digest is {}, the configuration pins {pinned}",
                component.sha256
            ))),
            _ => Ok(component),
        }
    }

    /// Returns the component's bytes.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Component`] if this program is damaged.
    pub fn wasm(&self, unpack: Unpack) -> Result<Cow<'_, [u8]>, FaultKind> {
        match &self.wasm {
            Wasm::Read(wasm) => Ok(Cow::Borrowed(wasm)),
            Wasm::Carried(guest) => {
                let damaged = || FaultKind::Component("this program is damaged".to_owned());
                unpack(&guest.sha256).map(Cow::Owned).ok_or_else(damaged)
            }
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FaultKind> {
    let fail = |text: String| FaultKind::Component(format!("{}: {text}", path.display()));
    // Opening a pipe would block.
    let data = std::fs::metadata(path).map_err(|error| fail(error.to_string()))?;
    let cap = COMPONENT_BYTES as u64;
    if !data.is_file() || data.len() > cap {
        return Err(fail("it isn't a file of at most 64 MiB".to_owned()));
    }
    let mut wasm = Vec::new();
    let read = File::open(path).and_then(|file| file.take(cap + 1).read_to_end(&mut wasm));
    read.map(|_| wasm).map_err(|error| fail(error.to_string()))
}
