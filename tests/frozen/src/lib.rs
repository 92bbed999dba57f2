//! A policy that runs the command's instruction with Rust's library, and reports the result.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant, SystemTime};

use guard_sdk::{Call, Decision, Error, Finding, Manifest, Outcome, Policy, Rule};

const SAW: Rule = Rule { id: "saw", summary: "what it saw", default: Outcome::Ask, ceiling: Outcome::Ask };

#[derive(serde::Deserialize, Default)]
struct Settings {}

struct AsksWasi;

unsafe extern "C" {
    fn getentropy(buffer: *mut u8, length: usize) -> i32;
}

fn random() -> String {
    let mut bytes = [0_u8; 12];
    // SAFETY: the function writes exactly the given number of bytes, and the buffer has that length.
    let code = unsafe { getentropy(bytes.as_mut_ptr(), bytes.len()) };
    let distinct: HashSet<u8> = bytes.iter().copied().collect();
    format!("code {code}, distinct {}, bytes {bytes:02x?}, hash {:x}", distinct.len() > 6, RandomState::new().hash_one(1))
}

fn saw(deed: &str) -> String {
    match deed {
        "clock" => format!("{:?}", SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)),
        "elapsed" => {
            let start = Instant::now();
            std::thread::sleep(Duration::from_secs(3600));
            format!("{:?}", start.elapsed())
        }
        "environment" => format!("{:?} {:?}", std::env::vars().collect::<Vec<_>>(), std::env::args().collect::<Vec<_>>()),
        "random" => random(),
        "file" => format!("{:?}", std::fs::read("/etc/passwd").map_err(|error| error.kind())),
        "write" => format!("{:?}", std::fs::write("seen.txt", "seen").map_err(|error| error.kind())),
        "print" => {
            println!("{}", "seen ".repeat(50_000));
            eprintln!("seen");
            "printed".to_owned()
        }
        "read" => {
            let mut line = String::new();
            format!("{:?}", std::io::stdin().read_line(&mut line))
        }
        "connect" => format!("{:?}", std::net::TcpStream::connect("127.0.0.1:9").is_ok()),
        "looks" => {
            let (start, wall) = (Instant::now(), SystemTime::now());
            let (elapsed, later) = (start.elapsed(), wall.elapsed().unwrap_or_default());
            format!("{:?} {:?}", elapsed / 2, later / 2)
        }
        "abort" => {
            eprintln!("printed before {}", " ".repeat(2_000));
            eprintln!("first the cause\n\n  then the place");
            std::process::abort();
        }
        "exit" => std::process::exit(0),
        "panic" => panic!("it gave up"),
        _ => "nothing".to_owned(),
    }
}

impl Policy for AsksWasi {
    type Settings = Settings;
    const MANIFEST: Manifest =
        Manifest { id: "asks-wasi", summary: "asks WASI", tools: &["Bash"], rules: &[SAW], grants: &["env:GRANTED"], ..Manifest::EMPTY };

    fn configure(_: Settings) -> Result<Self, Error> {
        Ok(AsksWasi)
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let input = call.input()?;
        let deed = input["command"].as_str().unwrap_or_default();
        if let Some(name) = deed.strip_prefix("variable ") {
            return Ok(std::iter::once(Finding::new(&SAW, format!("{:?}", call.env(name)))).collect());
        }
        Ok(std::iter::once(Finding::new(&SAW, format!("{deed}: {}", saw(deed)))).collect())
    }
}

guard_sdk::export!(AsksWasi);
