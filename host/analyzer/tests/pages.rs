//! The build accepts the programs that pages describe as examples.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[expect(dead_code, reason = "the rest of the build script is for the build")]
#[path = "../build.rs"]
mod build;

#[test]
fn the_programs_on_pages_are_what_the_build_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tried = 0;
    for page in ["host/analyzer/programs/README.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let blocks = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        for block in blocks.filter(|block| block.contains("[[effect]]")) {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.toml", std::process::id()));
            fs::write(&file, block).unwrap();
            let taken = build::entry(&file, "lamp.toml", 0, &mut BTreeMap::new());
            fs::remove_file(&file).unwrap();
            assert!(taken.is_ok(), "{page}: {taken:?}");
            tried += 1;
        }
    }
    assert_eq!(tried, 2);
}
