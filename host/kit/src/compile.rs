//! Compiles other authors' components with the embedded compiler.
//!
//! The compiler runs in a process with its own limits, so a component that is hard to compile can only cost time.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use guard_contract::FaultKind;
use guard_engine::check;
use guard_hook::cache::BuildOptions;
use guard_platform::process::set_name;

/// The maximum wait for another process that compiles the same component. Equal to its limit of processor time.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns options that compile missing artifacts, and wait for another process that does so.
#[must_use]
pub fn making() -> BuildOptions {
    BuildOptions { compile, unpack: guard_builtins::component, deadline: Instant::now() + PATIENCE }
}

/// Compiles a component to an artifact.
///
/// # Errors
///
/// [`FaultKind::Component`] if it is too large, [`FaultKind::Contract`] if it isn't a valid component,
/// [`FaultKind::Artifact`] if the compiler can't be started.
pub fn compile(wasm: &[u8]) -> Result<Vec<u8>, FaultKind> {
    check(wasm)?;
    let fail = |what: &str, error: std::io::Error| FaultKind::Artifact(format!("{what}: {error}"));
    let program = unpacked::program()?;
    let mut compiler = Command::new(program.path());
    set_name(&mut compiler, "guard-compiler").arg("compile").env_clear();
    let started = compiler.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| fail("the compiler does not start", error))?;
    let ended = thread::scope(|scope| {
        if let Some(mut input) = child.stdin.take() {
            // If the compiler closes the pipe early, it also reports why.
            scope.spawn(move || input.write_all(wasm));
        }
        child.wait_with_output()
    });
    let output = ended.map_err(|error| fail("the compiler is lost", error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(FaultKind::Contract(match explain_disabled_feature(&reason) {
        _ if reason.is_empty() => format!("the compiler ended with {}", output.status),
        Some(text) => text.to_owned(),
        None => reason,
    }))
}

/// The prefix of texts about a WebAssembly feature that policies can't use.
pub(crate) const FEATURE: &str = "it needs ";

/// Features that policies can't use: parts of the compiler's message, and the advice for the author.
const FEATURES: [(&[&str], &str); 4] = [
    (
        &["threads", "shared memor", "shared-everything", "atomic"],
        "it needs threads, which policies cannot have: build it for one thread, without `-pthread` and `+atomics`",
    ),
    (
        &["gc types", "gc proposal", "gc support", "function references", "struct types", "array types", "heap types"],
        "it needs garbage collection in WebAssembly, which policies cannot have: \
         use a compiler that targets linear memory, as those of Rust, C, Zig, JavaScript and Python do",
    ),
    (
        &["exceptions", "exception refs", "legacy_exceptions"],
        "it needs exceptions in WebAssembly, which policies cannot have: build it with `-fno-exceptions` or their like",
    ),
    (
        &["async", "error-context", "error context", "`stream`", "`future`"],
        "it needs async of the component model, which policies cannot have: export plain functions, for WASI 0.2",
    ),
];

/// Returns the explanation for a component that needs a disabled feature. `None` for any other error.
fn explain_disabled_feature(reason: &str) -> Option<&'static str> {
    const OFF: [&str; 5] = ["not enabled", "disabled", "require", "must be enabled", "not supported"];
    let reason = reason.to_ascii_lowercase();
    let is_off = OFF.iter().any(|word| reason.contains(word));
    let names = |parts: &&(&[&str], &'static str)| parts.0.iter().any(|part| reason.contains(part));
    FEATURES.iter().filter(|_| is_off).find(names).map(|(_, text)| *text)
}

/// Decompresses the compiler.
fn unpack() -> Result<Vec<u8>, FaultKind> {
    let missing = || FaultKind::Artifact("this program was built without a compiler".to_owned());
    let damaged = || FaultKind::Artifact("this program is damaged".to_owned());
    guard_builtins::compiler().ok_or_else(missing)?.unpack().ok_or_else(damaged)
}

fn unpack_fault(error: &std::io::Error) -> FaultKind {
    FaultKind::Artifact(format!("the compiler cannot be unpacked: {error}"))
}

/// A file in memory, decompressed once for each process. Nothing is written to disk.
#[cfg(all(target_os = "linux", not(portable)))]
mod unpacked {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::path::PathBuf;
    use std::sync::OnceLock;

    use guard_contract::FaultKind;
    use rustix::fs::{MemfdFlags, memfd_create};

    pub(super) struct Program(File);

    impl Program {
        pub(super) fn path(&self) -> PathBuf {
            PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd()))
        }
    }

    pub(super) fn program() -> Result<&'static Program, FaultKind> {
        static PROGRAM: OnceLock<Result<Program, FaultKind>> = OnceLock::new();
        let written = || write(&super::unpack()?).map_err(|error| super::unpack_fault(&error));
        PROGRAM.get_or_init(written).as_ref().map_err(Clone::clone)
    }

    fn write(bytes: &[u8]) -> std::io::Result<Program> {
        let mut file = File::from(memfd_create("guard-compiler", MemfdFlags::CLOEXEC)?);
        file.write_all(bytes)?;
        Ok(Program(file))
    }
}

/// A private temporary folder for each component, because a process may end before it can remove a shared one.
#[cfg(not(all(target_os = "linux", not(portable))))]
mod unpacked {
    use std::io;
    use std::path::PathBuf;

    use guard_contract::FaultKind;

    /// The compiler. Its folder is removed on drop.
    pub(super) struct Program {
        folder: PathBuf,
    }

    impl Program {
        pub(super) fn path(&self) -> PathBuf {
            self.folder.join(format!("guard-compiler{}", std::env::consts::EXE_SUFFIX))
        }
    }

    impl Drop for Program {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    pub(super) fn program() -> Result<Program, FaultKind> {
        write(&super::unpack()?).map_err(|error| super::unpack_fault(&error))
    }

    fn write(bytes: &[u8]) -> io::Result<Program> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
        let folder = std::env::temp_dir().join(format!("guard-compiler-{}", guard_state::hex(&random)));
        guard_state::make_private(&folder).map_err(io::Error::other)?;
        let program = Program { folder };
        guard_state::write_new(&program.path(), bytes, 0o700)?;
        Ok(program)
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn nothing_is_left_of_the_program() {
            let program = super::write(b"x").unwrap();
            let (path, folder) = (program.path(), program.folder.clone());
            assert!(path.is_file());
            drop(program);
            assert!(!folder.exists());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let wasm = wat::parse_str(text).unwrap();
        match compile(&wasm) {
            Err(FaultKind::Contract(reason)) => reason,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_feature_that_is_off_is_named_with_what_to_do() {
        for (core, named) in [
            ("(memory 1 1 shared)", "threads"),
            ("(type (struct (field i32)))", "garbage collection"),
            ("(type (array i8))", "garbage collection"),
            ("(tag)", "exceptions"),
            ("(func (try_table))", "exceptions"),
        ] {
            let reason = refused(&format!("(component (core module {core}))"));
            assert!(reason.starts_with(&format!("{FEATURE}{named}")), "{core}: {reason}");
        }
        let reason = refused("(component (type (stream u8)))");
        assert!(reason.starts_with(&format!("{FEATURE}async")), "{reason}");
        let reason = refused("(component (type (future)))");
        assert!(reason.starts_with(&format!("{FEATURE}async")), "{reason}");
        let broken = explain_disabled_feature("unexpected end-of-file (at offset 0x22)");
        assert_eq!(broken, None);
        assert_eq!(explain_disabled_feature("unknown import: `async` has not been defined"), None);
    }

    #[test]
    fn a_message_about_a_function_type_names_its_feature() {
        let function = "async component functions require the component model async feature (at offset 0xb)";
        assert!(explain_disabled_feature(function).is_some_and(|text| text.starts_with(&format!("{FEATURE}async"))));
        assert_eq!(explain_disabled_feature("async functions are defined at offset 0xb"), None);
    }
}
