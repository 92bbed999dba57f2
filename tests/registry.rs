//! Policies from registries: the page is followed with a registry of the test, and a faulty registry leaves nothing
//! behind.

pub(crate) mod real;
mod wrong;

use std::fs;
use std::path::Path;

use crate::support::guests;
use crate::support::pages::{Shell, root};
use crate::support::registry::Registry;
use crate::support::terminal::attended_by;
use crate::support::texts::{normalize, normalized_output};
use crate::support::world::{World, policy as done};
use crate::texts::assert_text;

const PROJECT: &str = "repo/.guard/guard.toml";
const LOCK: &str = "repo/.guard/guard.lock";

/// Runs `policy`, which must exit with this code. Returns the output.
#[track_caller]
fn refused(world: &World, arguments: &[&str], exit: i32) -> String {
    let ended = world.run(&[&["policy"], arguments].concat(), "");
    assert_eq!(ended.exit, exit, "{arguments:?}: {ended:?}");
    normalized_output(world, &ended)
}

/// Creates a world with two versions, `v1.wasm` and `v2.wasm`. The second one requests grants.
fn author() -> World {
    let world = World::new();
    world.write("repo/v1.wasm", guests::version("shell", "1.0.0"));
    world.write("repo/v2.wasm", guests::version("wishes", "1.1.0"));
    world
}

/// Creates a world with the same project, as in a clone.
fn clone_of(world: &World) -> World {
    let other = World::new();
    for file in [PROJECT, LOCK] {
        other.write(file, fs::read(world.path(file)).unwrap());
    }
    other
}

fn verdict(world: &World) -> String {
    world.run(&["check", "ls"], "").stdout
}

fn key_line(world: &World, name: &str) -> String {
    let pem = fs::read_to_string(world.path(&format!("repo/{name}.pub"))).unwrap();
    pem.lines().nth(1).unwrap().to_owned()
}

/// Follows the page with this registry, from publishing to an update that needs a person, who then agrees.
fn follow_page(host: &str) {
    let page = fs::read_to_string(root().join("docs/registries.md")).unwrap().replace("localhost:5000", host);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.md");
    fs::write(&file, page).unwrap();
    let mut shell = Shell::new();
    for (name, version) in [("shell", "1.0.0"), ("wishes", "1.1.0")] {
        shell.world.write(&format!("repo/no_force-{version}.wasm"), guests::version(name, version));
    }
    if let Err(error) = shell.follow(file.to_str().unwrap()) {
        panic!("{error}");
    }
    let world = &shell.world;
    let program = env!("CARGO_BIN_EXE_guard-host");
    let update = ["policy", "update", "--project"];
    let no = attended_by(world, program, &update, "n\n");
    assert_eq!(no.exit, 77, "{no:?}");
    assert!(fs::read_to_string(world.path(LOCK)).unwrap().contains("version = \"1.0.0\""));
    let yes = attended_by(world, program, &update, "y\n");
    assert_text!("registry_update_agreed", world, 0, yes);
    for file in [PROJECT, LOCK] {
        let text = fs::read_to_string(world.path(file)).unwrap();
        assert!(text.contains("acme/no-force:1.1.0"), "{text}");
    }
    assert!(verdict(world).starts_with("ask: "), "{}", verdict(world));
}

#[test]
fn the_page_about_registries_does_what_it_says() {
    follow_page(&Registry::start().host);
}

#[test]
fn a_clone_fetches_what_the_lock_pins_and_then_needs_no_registry() {
    let (registry, world) = (Registry::start(), author());
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    done(&world, &["push", "v1.wasm", &at("latest")]);
    done(&world, &["add", &at("latest"), "--name", "x", "--project"]);
    // The tag moves, but the lock doesn't.
    done(&world, &["push", "v2.wasm", &at("latest"), "--replace"]);

    let clone = clone_of(&world);
    let mut output = verdict(&clone) + &done(&clone, &["fetch"]);
    let asked = registry.asked();
    drop(registry);
    assert_eq!(done(&clone, &["fetch"]), "nothing to fetch\n");
    assert!(verdict(&clone).starts_with("ask: "), "{}", verdict(&clone));
    assert!(asked > 0);
    output += &refused(&clone, &["update", "--project"], 69);
    assert_text!("registry_not_fetched", normalize(&clone, &output));
}

#[test]
fn the_hook_asks_no_registry() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    done(&world, &["add", &address, "--name", "x", "--project"]);
    let asked = registry.asked();
    fs::rename(world.path("repo/.guard/fetched"), world.path("away")).unwrap();
    world.bash("ls");
    fs::rename(world.path("away"), world.path("repo/.guard/fetched")).unwrap();
    world.bash("ls");
    assert_eq!(registry.asked(), asked);
}

#[test]
fn a_newer_version_of_the_same_kind_is_found() {
    let (registry, world) = (Registry::start(), author());
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    for tag in ["1.0.0", "1.10.0", "1.9.0", "2.0.0", "1.11.0-rc.1", "nightly"] {
        done(&world, &["push", if tag == "1.0.0" { "v1.wasm" } else { "v2.wasm" }, &at(tag)]);
    }
    done(&world, &["add", &at("1.0.0"), "--name", "x", "--project"]);
    let shown = done(&world, &["update", "--project", "--dry-run"]);
    assert!(fs::read_to_string(world.path(LOCK)).unwrap().contains(":1.0.0"), "a dry run changed the lock");
    let shown = shown + &refused(&world, &["update", "y", "--project"], 66);
    assert_text!("registry_newer", normalize(&world, &shown));
}

#[test]
fn the_log_shows_what_a_new_version_would_have_decided() {
    let (registry, world) = (Registry::start(), World::new());
    world.write("repo/v1.wasm", guests::version("denies", "1.0.0"));
    world.write("repo/v2.wasm", guests::version("shell", "1.1.0"));
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    done(&world, &["push", "v1.wasm", &at("1.0.0")]);
    done(&world, &["push", "v2.wasm", &at("1.1.0")]);
    done(&world, &["add", &at("1.0.0"), "--name", "x", "--project"]);
    world.bash("git push origin topic");
    let shown = done(&world, &["update", "--project", "--dry-run"]);
    assert_text!("registry_log_compared", normalize(&world, &shown));
}

#[test]
fn a_signature_is_told_and_then_wanted() {
    let (registry, world) = (Registry::start(), author());
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    done(&world, &["keygen", "acme.key"]);
    done(&world, &["push", "v1.wasm", &at("1.0.0"), "--key", "acme.key"]);
    done(&world, &["push", "v2.wasm", &at("1.1.0")]);
    world.configure(&format!(
        "[trust]\nsigners = [{{ name = \"acme\", key = \"{}\" }}]\n",
        key_line(&world, "acme.key")
    ));
    let mut output = normalize(&world, &done(&world, &["add", &at("1.0.0"), "--name", "x", "--project"]));
    assert!(fs::read_to_string(world.path(LOCK)).unwrap().contains("signer = \"acme\""));
    output += &refused(&world, &["update", "--project", "--dry-run"], 65);
    // Without the signer's key, pinned versions can be fetched, but newer ones are rejected.
    let clone = clone_of(&world);
    output += &normalize(&clone, &done(&clone, &["fetch"]));
    output += &refused(&clone, &["update", "--project"], 65);
    // Another signer's signature isn't accepted.
    done(&world, &["keygen", "other.key"]);
    done(&world, &["push", "v2.wasm", &at("1.1.0"), "--key", "other.key"]);
    output += &refused(&world, &["update", "--project"], 65);
    assert_text!("registry_signature_wanted", output);
    done(&world, &["push", "v2.wasm", &at("1.1.0"), "--key", "acme.key"]);
    done(&world, &["update", "--project", "--dry-run"]);
}

#[test]
fn what_is_not_signed_is_refused_where_the_layer_says_so() {
    let (registry, world) = (Registry::start(), author());
    let at = |name: &str| format!("oci://{}/acme/{name}:1.0.0", registry.host);
    done(&world, &["keygen", "acme.key"]);
    done(&world, &["push", "v1.wasm", &at("signed"), "--key", "acme.key"]);
    done(&world, &["push", "v1.wasm", &at("bare")]);
    done(&world, &["add", &at("bare"), "--name", "bare", "--project"]);
    let key = key_line(&world, "acme.key");
    world.configure(&format!("[trust]\nsigned-only = true\nsigners = [{{ name = \"acme\", key = \"{key}\" }}]\n"));
    let mut output = normalize(&world, &verdict(&world));
    assert!(output.starts_with("ask"), "{output}");
    // The same bytes with a signature are the same component.
    done(&world, &["add", &at("signed"), "--name", "signed", "--project"]);
    output += &verdict(&world);
    // A clone in another home has no signature until it fetches it.
    done(&world, &["remove", "bare", "--project"]);
    let clone = clone_of(&world);
    clone.configure(&fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap());
    output += &normalize(&clone, &verdict(&clone));
    done(&clone, &["fetch"]);
    assert_text!("registry_unsigned", output + &normalize(&clone, &verdict(&clone)));
}

#[test]
fn a_component_that_was_changed_on_the_disk_is_not_used() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    done(&world, &["add", &address, "--name", "x", "--project"]);
    for entry in fs::read_dir(world.path("repo/.guard/fetched")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            fs::write(path, guests::bytes("denies")).unwrap();
        }
    }
    assert_text!("registry_changed_file", normalize(&world, &(verdict(&world) + &done(&world, &["fetch"]))));
    assert!(verdict(&world).starts_with("ask: "), "{}", verdict(&world));
}

#[test]
fn an_address_that_the_lock_lacks_says_what_to_do() {
    let world = World::new();
    world.write(PROJECT, "[[policy]]\nname = \"x\"\nsource = \"oci://localhost:1/x:1\"\n");
    let mut found = verdict(&world);
    found += &refused(&world, &["fetch"], 69);
    world.write(LOCK, "[[policy]]\nname = 3\n");
    found += &verdict(&world);
    world.write(PROJECT, "[[policy]]\nname = \"x\"\nsource = \"ftp://localhost/x\"\n");
    found += &verdict(&world);
    assert_text!("registry_unknown_addresses", normalize(&world, &found));
}

#[test]
fn remove_leaves_no_trace() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    done(&world, &["add", &address, "--name", "x", "--project"]);
    done(&world, &["remove", "x", "--project"]);
    let left: Vec<_> =
        fs::read_dir(world.path("repo/.guard/fetched")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".gitignore"]);
    assert!(!world.path(LOCK).exists() && !world.path(PROJECT).exists());
}

#[test]
fn a_tag_is_not_overwritten_by_accident() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    done(&world, &["push", "v1.wasm", &address]);
    let output = refused(&world, &["push", "v2.wasm", &address], 65);
    done(&world, &["push", "v2.wasm", &address, "--replace"]);
    done(&world, &["pull", &address]);
    assert_eq!(fs::read(world.path("repo/x.wasm")).unwrap(), guests::version("wishes", "1.1.0"));
    assert_text!("registry_not_replaced", output + &refused(&world, &["pull", &address], 64));
}

#[test]
fn a_file_has_an_address_as_well() {
    let world = author();
    let address = format!("file://{}", world.path("repo/v1.wasm").display());
    done(&world, &["add", &address, "--name", "x", "--project"]);
    assert_eq!(done(&world, &["update", "--project"]), "nothing is new\n");
    fs::write(world.path("repo/v1.wasm"), guests::version("denies", "1.0.1")).unwrap();
    assert!(verdict(&world).starts_with("ask: "), "the file has changed, what is used has not");
    assert_text!("registry_file_updated", normalize(&world, &done(&world, &["update", "--project"])));
    assert_eq!(fs::read_dir(world.path("repo/.guard/fetched")).unwrap().count(), 2, "the old version is left");
    assert!(verdict(&world).starts_with("ok"), "{}", verdict(&world));
}

#[test]
fn a_key_is_made_once_and_for_its_owner() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::new();
    let shown = done(&world, &["keygen", "a.key"]).replace(&key_line(&world, "a.key"), "KEY");
    let mode = |file: &str| fs::metadata(world.path(file)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("repo/a.key"), mode("repo/a.key.pub")), (0o600, 0o644));
    assert_text!("registry_keygen", normalize(&world, &(shown + &refused(&world, &["keygen", "a.key"], 64))));
}

/// Returns the names in a folder, and below it.
fn all_below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.to_string_lossy().into_owned());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    names.sort();
    names
}

/// Writes the user's file with one signer, whose key is in the project.
fn trust(world: &World, keys: &str) {
    let key = key_line(world, "acme.key");
    world.configure(&format!("[trust]\n{keys}\nsigners = [{{ name = \"acme\", key = \"{key}\" }}]\n"));
}

#[test]
fn a_lock_proves_no_signature() {
    let (registry, world) = (Registry::start(), author());
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    done(&world, &["keygen", "acme.key"]);
    trust(&world, "");
    done(&world, &["push", "v1.wasm", &at("1.0.0"), "--key", "acme.key"]);
    done(&world, &["add", &at("1.0.0"), "--name", "x", "--project"]);
    // Another component in place of the signed one, committed with a lock that names the signer.
    let other = guests::version("denies", "1.0.0");
    let digest: String = sha2::Digest::finalize(sha2::Digest::chain_update(sha2::Sha256::default(), &other))
        .iter()
        .map(|byte: &u8| format!("{byte:02x}"))
        .collect();
    let lock = fs::read_to_string(world.path(LOCK)).unwrap();
    let old = lock.lines().find_map(|line| line.strip_prefix("sha256 = ")).unwrap().trim_matches('"').to_owned();
    world.write(LOCK, lock.replace(&old, &digest));
    world.write(&format!("repo/.guard/fetched/{digest}.wasm"), other);
    let output = verdict(&world) + &refused(&world, &["fetch"], 69);
    assert_text!("registry_unproved_signature", normalize(&world, &output));
}

#[test]
fn a_signature_that_was_seen_is_wanted_even_if_the_lock_does_not_name_it() {
    let (registry, world) = (Registry::start(), author());
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    done(&world, &["keygen", "acme.key"]);
    done(&world, &["push", "v1.wasm", &at("1.0.0"), "--key", "acme.key"]);
    done(&world, &["push", "v2.wasm", &at("1.1.0")]);
    done(&world, &["add", &at("1.0.0"), "--name", "x", "--project"]);
    trust(&world, "signed-only = true");
    done(&world, &["fetch"]);
    assert!(verdict(&world).starts_with("ask: "), "{}", verdict(&world));
    let mut output = refused(&world, &["update", "--project"], 65);
    trust(&world, "");
    output += &refused(&world, &["update", "--project"], 65);
    // An unsigned one can't be added either if signatures are required.
    trust(&world, "signed-only = true");
    let before = fs::read(world.path(LOCK)).unwrap();
    output += &refused(&world, &["add", &at("1.1.0"), "--name", "y", "--project"], 65);
    assert_text!("registry_signed_only", output);
    assert_eq!(fs::read(world.path(LOCK)).unwrap(), before);
}

#[test]
fn a_signature_holds_in_its_own_repository_and_an_older_version_needs_a_person() {
    let (registry, world) = (Registry::start(), author());
    let at = |name: &str, tag: &str| format!("oci://{}/acme/{name}:{tag}", registry.host);
    done(&world, &["keygen", "acme.key"]);
    trust(&world, "");
    done(&world, &["push", "v1.wasm", &at("weak", "1.0.0"), "--key", "acme.key"]);
    // The same bytes, with the signature of the other repository.
    done(&world, &["push", "v1.wasm", &at("x", "1.0.0")]);
    registry.copy_signatures("acme/weak", "acme/x");
    let output = done(&world, &["add", &at("x", "1.0.0"), "--name", "x"]);
    // A tag with another version than its component.
    done(&world, &["push", "v2.wasm", &at("z", "1.1.0")]);
    done(&world, &["add", &at("z", "1.1.0"), "--name", "z", "--project"]);
    done(&world, &["push", "v1.wasm", &at("z", "1.2.0")]);
    let output = output + &refused(&world, &["update", "--project"], 77);
    assert_text!("registry_older", normalize(&world, &output));
}

#[test]
fn an_address_that_was_changed_by_hand_is_taken_again() {
    let (registry, world) = (Registry::start(), author());
    let at = |tag: &str| format!("oci://{}/acme/x:{tag}", registry.host);
    done(&world, &["push", "v1.wasm", &at("1.0.0")]);
    done(&world, &["push", "v1.wasm", &at("1.0.1")]);
    done(&world, &["add", &at("1.0.1"), "--name", "x", "--project"]);
    let text = fs::read_to_string(world.path(PROJECT)).unwrap();
    world.write(PROJECT, text.replace("1.0.1", "1.0.0"));
    assert_text!("registry_address_changed", normalize(&world, &verdict(&world)));
    done(&world, &["update", "x", "--project"]);
    assert!(verdict(&world).starts_with("ask: "), "{}", verdict(&world));
}
