//! The documentation site: its sources have no dead links, and the check of a built site finds them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::pages::root;

/// Runs `.ci/release/site`.
fn site(arguments: &[&str], target: &Path) -> Output {
    let mut command = Command::new("python3");
    command.arg(root().join(".ci/release/site")).args(arguments).env("CARGO_TARGET_DIR", target);
    command.output().unwrap()
}

#[test]
#[ignore = "needs python3"]
fn the_site_has_no_dead_link() {
    let target = tempfile::tempdir().unwrap();
    let output = site(&[], target.path());
    assert!(output.status.success(), "{output:?}");
    let sources = target.path().join("site/src");
    let summary = fs::read_to_string(sources.join("SUMMARY.md")).unwrap();
    for page in
        ["guest-sdk/docs/cookbook.md", "policies/command-guard/RULES.md", "docs/security-model.md", "wit/CHANGES.md"]
    {
        assert!(summary.contains(&format!("]({page})")) && sources.join(page).is_file(), "{page}: {summary}");
    }
}

#[test]
#[ignore = "needs python3"]
fn dead_links_and_anchors_of_a_built_site_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let arguments = ["check", folder.path().to_str().unwrap()];
    write("a/b.html", r#"<h1 id="top">B</h1>"#);
    write(
        "index.html",
        r##"<a id="x" href="a/b.html#top">b</a><a href="#x">x</a><a href="https://example.org/z">z</a>"##,
    );
    let output = site(&arguments, folder.path());
    assert!(output.status.success(), "{output:?}");
    write(
        "a/b.html",
        r##"<a href="gone.html">1</a><a href="../index.html#gone">2</a><img src="gone.png"><a href="../../out.html">3</a>"##,
    );
    let output = site(&arguments, folder.path());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    for dead in ["gone.html", "../index.html#gone", "gone.png", "../../out.html"] {
        assert!(told.contains(&format!("a/b.html: {dead} ")), "{dead}: {told}");
    }
    assert!(told.contains("index.html: a/b.html#top "), "{told}");
}
