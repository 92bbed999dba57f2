//! `guard-host policy bundle`: a chain as one component. `tests/languages/service.rs` tests it on engines.

use crate::serve::client::Server;
use crate::support::pages::{blocks, root};
use crate::support::texts::Transcript;
use crate::support::{guests, world::World};
use crate::texts::assert_text;
use wasmparser::{Parser, Payload};

/// The keys in the stored policy's entry.
const KEPT: &str = "settings = { outcome = \"warn\" }\ngrants = { journal = { kept = \"~/kept.jsonl\" } }";

/// Returns the names of a component's own imports and exports.
fn interface(wasm: &[u8]) -> (Vec<String>, Vec<String>) {
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.unwrap() {
            Payload::ComponentSection { .. } | Payload::ModuleSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentImportSection(section) if depth == 0 => {
                imports.extend(section.into_iter().map(|import| import.unwrap().name.name.to_owned()));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                exports.extend(section.into_iter().map(|export| export.unwrap().name.name.to_owned()));
            }
            _ => {}
        }
    }
    (imports, exports)
}

#[test]
fn a_service_needs_an_engine_with_http_and_nothing_else() {
    let world = World::new();
    // It imports WASI, like everything that Cargo builds, but calls nothing in it.
    let own = root().join("tests/contract_versions/0.1.0/policy.wasm");
    world.configure(&format!("preset = \"full\"\n{}", guests::entry("own", &own, KEPT)));
    let built = world.run(&["policy", "bundle", "-o", "team.wasm"], "");
    assert_text!("bundle", &world, 0, built);
    let (imports, exports) = interface(&std::fs::read(world.repo().join("team.wasm")).unwrap());
    let of_wasi = ["wasi:clocks/", "wasi:http/types@", "wasi:io/"];
    assert!(imports.iter().all(|name| of_wasi.iter().any(|wasi| name.starts_with(wasi))), "{imports:?}");
    assert!(imports.len() > 3, "{imports:?}");
    let [export] = exports.as_slice() else { panic!("{exports:?}") };
    assert!(export.starts_with("wasi:http/incoming-handler@0.2."), "{export}");
}

#[test]
fn what_would_not_decide_is_not_built() {
    let world = World::new();
    let mut transcript = Transcript::default();
    let refuses = guests::entry("own", &guests::place(&world, "refuses"), "");
    for config in ["presett = \"full\"\n", "[[policy]]\nname = \"own\"\nsource = \"gone.wasm\"\n", &refuses] {
        world.configure(config);
        transcript.add(&world, 78, &world.run(&["policy", "bundle"], ""));
        assert!(!world.repo().join("guard-service.wasm").exists(), "{config}");
    }
    transcript.add(&world, 66, &world.run(&["--config", "none.toml", "policy", "bundle"], ""));
    assert_text!("bundle_refused", transcript.0);
}

#[test]
fn a_policy_that_a_service_cannot_hold_is_named_with_the_reason() {
    let world = World::new();
    // It was written by hand, and lacks the types that component tools export with the functions.
    let plain = guests::place(&world, "denies");
    world.configure(&guests::entry("plain", &plain, ""));
    let mut transcript = Transcript::default();
    transcript.add(&world, 65, &world.run(&["policy", "bundle"], ""));
    // One would replace the call for later policies, the other one the policies themselves.
    for guest in ["scene-taker", "rest-taker"] {
        world.configure(&guests::entry("taker", &guests::place(&world, guest), ""));
        transcript.add(&world, 65, &world.run(&["policy", "bundle"], ""));
    }
    let kept = root().join("tests/contract_versions/0.1.0/policy.wasm");
    world.configure(&guests::entry("kept", &kept, &format!("{KEPT}\nwasi = \"frozen\"")));
    transcript.add(&world, 65, &world.run(&["policy", "bundle"], ""));
    assert_text!("bundle_unfit", transcript.0);
}

/// `docs/service.md`: its build works, and the native server answers the page's request as shown.
/// `tests/languages/service.rs` tests the engine.
#[test]
fn the_page_of_the_service_does_what_it_says() {
    let world = World::new();
    world.write("repo/team.toml", "preset = \"full\"\n");
    let blocks = blocks("docs/service.md");
    let lines = blocks.iter().filter(|block| block.language == "sh").flat_map(|block| block.text.lines());
    let (own, engines): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("guard-host "));
    assert_eq!((own.len(), engines.len()), (2, 1), "{own:?} {engines:?}");
    for line in own {
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let ended = world.run(&words, "");
        assert!(ended.exit == 0 && world.repo().join("guard-service.wasm").exists(), "{line}: {ended:?}");
    }
    let request = blocks.iter().find(|block| block.language == "json").unwrap();
    let server = Server::start(&world, &[]);
    let answered = server.post("/decide", &request.text);
    assert_eq!(answered.status, 200, "{answered:?}");
    let response: serde_json::Value = serde_json::from_str(&answered.body).unwrap();
    assert!(response["reply"]["stdout"].is_string() && response["journal"].is_array(), "{response}");
    assert!(!response["missing"]["entries"].as_array().unwrap().is_empty(), "{response}");
}
