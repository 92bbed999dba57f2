//! Builds the guests for WebAssembly and writes the table of built-ins that `builtin.rs` includes.
//!
//! Knows nothing of wasmtime: nothing is compiled ahead of time here, because that depends on the machine.

#[path = "build/templates.rs"]
mod templates;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use miniz_oxide::deflate::compress_to_vec;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

/// A component for `wasm32-wasip2` carries imports of WASI that a guest never calls and that the host must still link at
/// each call. Built for this target a guest has none.
const TARGET: &str = "wasm32-unknown-unknown";
const ANALYZER: &str = "guard-shell";

/// The most that is tried, and it takes a second.
const COMPRESSION: u8 = 10;

#[derive(Deserialize)]
struct Crate {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize, Default)]
struct Metadata {
    guard: Option<Guard>,
}

/// `[package.metadata.guard]` of a policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Guard {
    order: u32,
    presets: Vec<String>,
    grants: Vec<String>,
    /// The tools that a preset has it judge; all that it can by default.
    #[serde(default)]
    tools: Vec<String>,
    /// Where the user's preset looks for its settings.
    #[serde(default)]
    settings_file: Option<String>,
    /// Its allow counts when a preset holds it.
    #[serde(default)]
    may_allow: bool,
    /// It is told where the files of this program lie.
    #[serde(default)]
    places: bool,
    /// The script whose place it takes: under this name the program is a hook of this policy alone.
    called: Option<String>,
    /// The stem of a file to start its settings from: the folder has `STEM.json` with the defaults, and
    /// `STEM.schema.json`.
    starter: Option<String>,
}

/// Package and metadata by order and name.
type Policies = BTreeMap<(u32, String), (String, Guard)>;

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for path in ["policies", "guest-sdk", "wit", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    println!("cargo::rerun-if-env-changed=GUARD_SKIP_BUILTINS");

    templates::write_table(&root, &out)?;
    link_for_a_quick_start(&out)?;

    let lock: Lock = toml::from_str(&fs::read_to_string(root.join("Cargo.lock"))?)?;
    let wasmtime = lock.package.iter().find(|package| package.name == "wasmtime").ok_or("no wasmtime in Cargo.lock")?;

    let skip = env::var_os("GUARD_SKIP_BUILTINS").is_some_and(|value| value == "1");
    let policies = if skip { BTreeMap::new() } else { policies(&root)? };
    let mut table = String::from("pub(crate) static BUILTINS: &[Builtin] = &[\n");
    let mut analyzer = String::from("None");
    if skip {
        println!("cargo::warning=GUARD_SKIP_BUILTINS=1: this binary has no built-in policies");
    } else {
        let artifacts = build(&root, &out, policies.values().map(|(name, _)| name.as_str()).chain([ANALYZER]))?;
        for ((_, name), (package, guard)) in &policies {
            let packed = embed(&artifacts, package, &out)?;
            let Guard { presets, grants, tools, settings_file, may_allow, places, called, .. } = guard;
            let starter = match &guard.starter {
                Some(stem) => starter(&root.join("policies").join(name), stem)?,
                None => "None".to_owned(),
            };
            writeln!(
                table,
                "    Builtin {{ name: {name:?}, presets: &{presets:?}, grants: &{grants:?}, tools: &{tools:?}, \
                 settings_file: {settings_file:?}, may_allow: {may_allow}, places: {places}, called: {called:?}, \
                 starter: {starter}, wasm: {packed} }},",
            )?;
        }
        analyzer = format!("Some({})", embed(&artifacts, ANALYZER, &out)?);
    }
    writeln!(table, "];\npub(crate) static ANALYZER: Option<Packed> = {analyzer};")?;
    println!("cargo::rustc-env=GUARD_WASMTIME={}", wasmtime.version);
    fs::write(out.join("builtin_table.rs"), table)?;
    Ok(())
}

/// Spares each hook call the dynamic linker, which would otherwise need as long as the verdict.
///
/// The Linux binary is linked at a fixed address: a position-independent one has some 35,000 addresses to write before
/// `main`. Where the machine has the C library as an archive, the binary holds it. rustc asks for the shared one, so a
/// folder that is searched first has scripts for the linker that name the archives instead. What runs in the sandbox
/// depends on neither. `GUARD_PLAIN_LINK=1` leaves the linking to rustc alone.
fn link_for_a_quick_start(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=GUARD_PLAIN_LINK");
    let plain = env::var_os("GUARD_PLAIN_LINK").is_some_and(|value| value == "1");
    let target = |key: &str| env::var(key).unwrap_or_default();
    if plain || target("CARGO_CFG_TARGET_OS") != "linux" || target("CARGO_CFG_TARGET_ENV") != "gnu" {
        return Ok(());
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let order = order_of_functions(out)?;
    if linker_takes(&order, out) {
        println!("cargo::rustc-link-arg-bins={order}");
    }
    let archives = ["libc.a", "libm.a", "libgcc.a", "libgcc_eh.a"];
    if target("HOST") != target("TARGET") || !archives.iter().all(|name| has_archive(name)) {
        return Ok(());
    }
    let scripts = out.join("static");
    fs::create_dir_all(&scripts)?;
    fs::write(scripts.join("libc.so"), "GROUP ( libc.a libgcc_eh.a libgcc.a )\n")?;
    fs::write(scripts.join("libm.so"), "INPUT ( libm.a )\n")?;
    fs::write(scripts.join("libgcc_s.so"), "INPUT ( libgcc_eh.a )\n")?;
    println!("cargo::rustc-link-arg-bins=-static");
    println!("cargo::rustc-link-arg-bins=-L{}", scripts.display());
    Ok(())
}

/// Writes a script that has the linker put the functions of a warm call before all others, and gives the argument for it.
///
/// The kernel maps sixteen pages at the first use of one. The functions of a call fill some twenty such pieces of the
/// binary, and lie in sixty of them when the linker has its way.
fn order_of_functions(out: &Path) -> Result<String, Box<dyn Error>> {
    println!("cargo::rerun-if-changed=warm-functions.txt");
    let paths = fs::read_to_string("warm-functions.txt")?;
    let mut script = String::from("SECTIONS {\n  .text.warm : {\n");
    for path in paths.lines().filter(|line| !line.starts_with('#')) {
        writeln!(script, "    *(.text._ZN{}*)", mangled(path))?;
    }
    script.push_str("  }\n}\nINSERT BEFORE .text;\n");
    let file = out.join("warm.ld");
    fs::write(&file, script)?;
    Ok(format!("-Wl,-T,{}", file.display()))
}

/// A path as rustc writes it into the names of sections: each part with its length, other characters spelled out.
fn mangled(path: &str) -> String {
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    let mut rest = path.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let separates = c == ':' && rest.next_if_eq(&':').is_some();
        match parts.last_mut() {
            Some(_) if separates && depth == 0 => parts.push(String::new()),
            Some(part) if separates => part.push_str(".."),
            Some(part) => part.push_str(&spelled(c)),
            None => {}
        }
    }
    let start = |part: &str| if part.starts_with('$') { "_" } else { "" };
    parts.iter().map(|part| format!("{}{}{part}", part.len() + start(part).len(), start(part))).collect()
}

fn spelled(c: char) -> String {
    match c {
        '<' => "$LT$".to_owned(),
        '>' => "$GT$".to_owned(),
        '&' => "$RF$".to_owned(),
        '*' => "$BP$".to_owned(),
        ',' => "$C$".to_owned(),
        '(' => "$LP$".to_owned(),
        ')' => "$RP$".to_owned(),
        '_' => c.to_string(),
        c if c.is_ascii_alphanumeric() => c.to_string(),
        c => format!("$u{:x}$", u32::from(c)),
    }
}

/// Whether a program links with this argument, tried on an empty one.
fn linker_takes(argument: &str, out: &Path) -> bool {
    let (source, program) = (out.join("empty.rs"), out.join("empty"));
    let Some(rustc) = env::var_os("RUSTC").filter(|_| fs::write(&source, "fn main() {}").is_ok()) else { return false };
    let mut linked = Command::new(rustc);
    linked.arg(&source).arg("-o").arg(&program).args(["-C", &format!("link-arg={argument}")]);
    linked.output().is_ok_and(|output| output.status.success())
}

/// Whether the C compiler, which rustc links with, knows a library of this name.
fn has_archive(name: &str) -> bool {
    let asked = Command::new("cc").arg(format!("-print-file-name={name}")).output();
    asked.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_absolute())
}

/// The policies by order and name. The analyzer and the libraries lack the table of metadata.
fn policies(root: &Path) -> Result<Policies, Box<dyn Error>> {
    let mut policies = BTreeMap::new();
    for entry in fs::read_dir(root.join("policies"))? {
        let manifest = entry?.path().join("Cargo.toml");
        if !manifest.exists() {
            continue;
        }
        let parsed: Crate = toml::from_str(&fs::read_to_string(&manifest)?)
            .map_err(|error| format!("{}: {error}", manifest.display()))?;
        let Some(guard) = parsed.package.metadata.guard else { continue };
        let name =
            parsed.package.name.strip_prefix("policy-").ok_or("a policy's package is named policy-NAME")?.to_owned();
        policies.insert((guard.order, name), (parsed.package.name, guard));
    }
    Ok(policies)
}

/// The file to start a policy's settings from and its schema, as a value of the table.
fn starter(folder: &Path, stem: &str) -> Result<String, Box<dyn Error>> {
    let name = format!("{stem}.json");
    let text = fs::read_to_string(folder.join(&name))?;
    let schema = fs::read_to_string(folder.join(format!("{stem}.schema.json")))?;
    Ok(format!("Some(Starter {{ name: {name:?}, text: {text:?}, schema: {schema:?} }})"))
}

/// Builds the packages in one cargo run and gives the folder of the results.
fn build<'a>(root: &Path, out: &Path, packages: impl Iterator<Item = &'a str>) -> Result<PathBuf, Box<dyn Error>> {
    let rustc = env::var("RUSTC")?;
    let libdir = Command::new(&rustc).args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let libdir = PathBuf::from(String::from_utf8(libdir.stdout)?.trim());
    if !libdir.exists() {
        println!("cargo::error=the target {TARGET} is missing; the built-in policies are WebAssembly components");
        println!("cargo::error=run: rustup target add {TARGET}");
        std::process::exit(1);
    }
    // Not OUT_DIR itself: check, clippy and release would each build the guests anew.
    let target = out.ancestors().find(|dir| dir.join("CACHEDIR.TAG").exists()).unwrap_or(out).join("guests");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .current_dir(root)
        .args(["build", "--locked", "--profile", "guest", "--target", TARGET, "--target-dir"])
        .arg(&target);
    for package in packages {
        cargo.args(["-p", package]);
    }
    for variable in [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_BUILD_TARGET",
        "CARGO_TARGET_DIR",
    ] {
        cargo.env_remove(variable);
    }
    let status = cargo.status()?;
    if !status.success() {
        return Err("the built-in policies do not build; see above".into());
    }
    Ok(target.join(TARGET).join("guest"))
}

/// Writes one component, compressed, to `OUT_DIR` and gives it as a value of the table.
fn embed(artifacts: &Path, package: &str, out: &Path) -> Result<String, Box<dyn Error>> {
    let name = format!("{}.wasm", package.replace('-', "_"));
    let module = fs::read(artifacts.join(&name))?;
    let encode = || ComponentEncoder::default().module(&module)?.validate(true).encode();
    let bytes = encode().map_err(|error| format!("{name} cannot be made a component: {error:#}"))?;
    let path = out.join(format!("{name}.deflate"));
    fs::write(&path, compress_to_vec(&bytes, COMPRESSION))?;
    let (digest, length) = (<[u8; 32]>::from(Sha256::digest(&bytes)), bytes.len());
    let path = path.to_str().ok_or("the target directory is not UTF-8")?;
    Ok(format!("Packed {{ sha256: {digest:?}, bytes: {length}, deflated: include_bytes!({path:?}) }}"))
}
