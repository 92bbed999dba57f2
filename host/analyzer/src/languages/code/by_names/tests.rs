//! Deletions found by the names of calls.

use super::*;

fn shown(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    deletions(&mut found, "x", text);
    let show = |found| match found {
        Found::Delete(path) => format!("deletes {path}"),
        Found::DeleteTree(path) => format!("deletes all of {path}"),
        Found::Effect(_) => "deletes something".to_owned(),
        other => format!("{other:?}"),
    };
    found.into_iter().map(show).collect()
}

#[test]
fn names_say_what_is_deleted() {
    for (text, expected) in [
        ("os.RemoveAll(\"/a\")", "deletes all of /a"),
        ("os.Remove(\"/a\")", "deletes /a"),
        ("fs::remove_dir_all(\"/a\").unwrap();", "deletes all of /a"),
        ("try FileManager.default.removeItem(atPath: \"/a\")", "deletes all of /a"),
        ("main = removeDirectoryRecursive \"/a\"", "deletes all of /a"),
        ("System.IO.Directory.Delete(\"/a\", true);", "deletes all of /a"),
        ("new File(\"/a\").deleteDir()", "deletes all of /a"),
        ("java.io.File(\"/a\").deleteRecursively()", "deletes all of /a"),
        ("Directory(\"/a\").deleteSync(recursive: true);", "deletes all of /a"),
        ("(delete-directory/files \"/a\")", "deletes all of /a"),
        ("(uiop:delete-directory-tree #P\"/a\" :validate t)", "deletes all of /a"),
        ("File.rm_rf!(\"/a\")", "deletes all of /a"),
        ("rm(\"/a\", recursive=true)", "deletes all of /a"),
        ("rmdir('/a','s')", "deletes all of /a"),
        ("file:del_dir_r(\"/a\"), halt().", "deletes all of /a"),
        ("os.remove.all(\"/a\")", "deletes all of /a"),
        ("DeleteFile[FileNames[\"*\", \"/a\"]]", "deletes something"),
        ("for _, f := range fs { os.RemoveAll(f) }", "deletes something"),
        ("forEach(p -> p.toFile().delete())", "deletes something"),
        ("forEach(java.nio.file.Files::delete)", "deletes something"),
        ("mapM_ removeFile files", "deletes something"),
        ("main = listDirectory \"/a\" >>= mapM_ removeFile", "deletes something"),
        ("files |> Seq.iter System.IO.File.Delete", "deletes something"),
        ("Array.iter Sys.remove (Sys.readdir \".\")", "deletes something"),
        ("let p = \"/a\";\nfs::remove_file(p)", "deletes /a"),
        ("p := \"/a\"\nif x { p = y }\nos.Remove(p)", "deletes something"),
        ("File file = new File(\"/a\");\nfile.delete();", "deletes /a"),
        ("Ada.Directories.Delete_Tree(\"/a\");", "deletes all of /a"),
        ("removeFile(dir ++ \"/a\")", "deletes something"),
        ("d, _ := os.MkdirTemp(\"\", \"x\")\nos.RemoveAll(home)", "deletes something"),
        ("tmp, h := os.MkdirTemp(\"\", \"\"), os.Getenv(\"HOME\")\nos.RemoveAll(h)", "deletes something"),
        ("d := os.MkdirTemp(\"\", \"\")\nd = os.Getenv(\"HOME\")\nos.RemoveAll(d)", "deletes something"),
        ("tmp = homedir(); rm(tmp, recursive=true)", "deletes something"),
        ("begin rm(homedir(), recursive=true) end", "deletes something"),
        ("discard removeFile(f)", "deletes something"),
        ("x = 1//2; rm(h, recursive=true)", "deletes something"),
        ("\n--n; unlink(h);", "deletes something"),
        ("\n* p = 1; os.RemoveAll(h)", "deletes something"),
        ("IO.puts \"#{File.rm_rf!(dir)}\"", "deletes something"),
        ("println(\"$(rm(h, recursive=true))\")", "deletes something"),
        ("new File(names[0]).deleteDir()", "deletes something"),
        ("File(fileName).delete()", "deletes something"),
        ("mapM_ removeFile (filter p xs)", "deletes something"),
        ("let c = '\"'; std::fs::remove_dir_all(h)", "deletes something"),
    ] {
        assert_eq!(shown(text), [expected], "{text}");
    }
}

#[test]
fn other_names_delete_no_file() {
    for text in [
        "delete(m, \"a\")",
        "m.remove(\"/a\");",
        "l.remove(0)",
        "delete!(d, 1)",
        "Map.delete(%{a: 1}, :a)",
        "(delete 1 (list 1 2 3))",
        "delete([1,2,3],2,L)",
        "s.delete(0)",
        "fileList.remove(0)",
        "removeFileExtension(\"a.txt\")",
        "println(\"os.RemoveAll(x)\")",
        "// os.RemoveAll(x)",
        "void deleteDir(File f) {",
        "import System.Directory (removeFile)",
        "use std::fs::remove_file;",
        "func removeFiles(names []string) {",
        "dir, _ := os.MkdirTemp(\"\", \"x\")\ndefer os.RemoveAll(dir)",
        "node.removeChild(file)",
        "table.remove(t, 1)",
    ] {
        assert!(shown(text).is_empty(), "{text} {:?}", shown(text));
    }
}

#[test]
fn long_texts_cost_little() {
    for text in ["os.RemoveAll(", "f(", "a.", "\"", "remove(("] {
        assert!(shown(&text.repeat(5_000)).len() <= MOST + 1);
    }
}
