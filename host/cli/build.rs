//! Links the program for a quick start.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    link_for_a_quick_start(&PathBuf::from(env::var("OUT_DIR")?))
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
